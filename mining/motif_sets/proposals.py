"""What a search for motifs needs of whatever proposes structures to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from gomkcn.mining.motif_sets.candidate import Candidate, Choice
from gomkcn_dgl.graphs.structure import Structure


class Proposals(Protocol):
    """What proposes structures for one graph or collection, and chooses copies of them."""

    def __call__(
        self, description: Any, number: int, known: Mapping[bytes, Candidate]
    ) -> Sequence[Candidate]:
        """The structures that a description shows in a round; the first has the number 0."""

    def give(self, structure: Structure, sources: tuple[str, ...]) -> Sequence[Candidate]:
        """A given structure with its copies; none where the graph cannot have any."""

    def choose(
        self,
        description: Any,
        candidate: Candidate,
        freed: np.ndarray | None,
        least_worth: float,
    ) -> Choice | None:
        """The free copies of a candidate that save most, None where they are too few."""

    def choices(
        self,
        description: Any,
        candidates: Sequence[Candidate],
        freed: np.ndarray | None,
        least_worth: float,
    ) -> Iterator[Choice | None]:
        """What :meth:`choose` chooses of each candidate, made when it is asked for, or before."""
        for candidate in candidates:
            yield self.choose(description, candidate, freed, least_worth)

    def completed(self, candidate: Candidate) -> Candidate:
        """A candidate of which only the structure and the copies were kept."""

    def redrawn(self, description: Any, number: int) -> Iterator[Choice]:
        """Other drawings of a motif that save more beside the others; none where all are exact."""
