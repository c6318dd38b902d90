"""The structures that are tried as motifs of one graph: those that grown sets show, and given ones.

Sets of nodes grow over the edges that no copy has yet; of the structures that they show, those are
listed whose sets would save most bits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import repeat
from math import log, log1p, log2
from typing import NamedTuple

import numpy as np

from gomkcn.mining.motif_sets.blocks import never
from gomkcn.mining.motif_sets.candidate import Candidate, Choice
from gomkcn.mining.motif_sets.graph_code import ADDRESSES
from gomkcn.mining.motif_sets.graph_copies import (
    candidate_of,
    choose_in_graph,
    edge_gains,
    list_candidate,
    symmetry_bits,
)
from gomkcn.mining.motif_sets.graph_description import GraphDescription
from gomkcn.mining.motif_sets.grown_sets import seen_structures
from gomkcn.mining.motif_sets.integer_codes import log2_factorials
from gomkcn.mining.motif_sets.kept_results import KeptResults, digest_of
from gomkcn.mining.motif_sets.proposals import Proposals
from gomkcn.mining.structures.node_sets import distinct_structures
from gomkcn_dgl.graphs.structure import Structure

# structures that are listed at first, and in each round after it
_MOST_AT_FIRST = 48
_MOST_AGAIN = 24
# of one size: a third of these, and so many more, so that one size does not take all
_MORE_OF_SIZE = 2
# one whose sets would cost so many bits more than they save is not listed, beside what every motif
# pays for the choice of an address
_LEAST_SCORE = -10.0 - log2(len(ADDRESSES))
# the largest share of the nodes for which sets without common nodes are told from others
_MOST_COVERED = 0.999

# bytes of the choices that are kept
_MOST_KEPT = 64 << 20


class _KeptChoice(NamedTuple):
    """A choice among some copies; while these are kept here no others have their number."""

    copies: np.ndarray
    choice: Choice | None

    @property
    def num_bytes(self) -> int:
        """Bytes of the copies that were chosen."""
        return 0 if self.choice is None else self.choice.copies.nbytes


def _choose_anew(
    description: GraphDescription,
    candidate: Candidate,
    freed: np.ndarray | None,
    least_worth: float,
) -> _KeptChoice:
    choice = choose_in_graph(description, candidate, freed, least_worth)
    return _KeptChoice(candidate.copies, choice)


@dataclass(frozen=True, eq=False)
class GraphProposals(Proposals):
    """What proposes structures of some sizes for a graph; a seed decides which sets grow."""

    empty: GraphDescription
    sizes: range
    seed: int
    is_late: Callable[[], bool] = never
    _kept: KeptResults[_KeptChoice] = field(
        default_factory=lambda: KeptResults(_MOST_KEPT), repr=False
    )

    def __call__(
        self, description: GraphDescription, number: int, known: Mapping[bytes, Candidate]
    ) -> list[Candidate]:
        """The structures that sets show in what a description leaves over, in a round.

        Those that are ``known`` come back with one source more.
        """
        if number:
            # the smallest ones may be pieces of larger ones
            description = _without_smallest(description)
        code = description.code
        is_free = ~description.used[code.edge_of]
        seed = 10 * self.seed + number
        seen = seen_structures(
            description.graph, code.colors, is_free, self.sizes, seed, code.palette
        )
        every = [candidate for of_size in seen.values() for candidate in of_size]
        again = [
            replace(known[candidate.structure.code], sources=("grown",))
            for candidate in every
            if candidate.structure.code in known
        ]
        new = [candidate for candidate in every if candidate.structure.code not in known]
        most = _MOST_AGAIN if number else _MOST_AT_FIRST
        listed = []
        for candidate in _best(description, new, most):
            # in a large graph each takes up to a second
            if self.is_late():
                break
            listed.append(
                list_candidate(
                    self.empty, candidate.structure, candidate.copies, ("grown",), self.seed
                )
            )
        return again + listed

    def give(self, structure: Structure, sources: tuple[str, ...]) -> list[Candidate]:
        """A given structure with its copies; none where the graph has no such edges or nodes."""
        known = self.empty.code.shape_of(structure)
        if known is None:
            return []
        (in_order,), *_ = distinct_structures(
            known.links[None], known.colors[None], known.relations, known.palette
        )
        seen = np.zeros((0, known.num_nodes), np.int32)
        return [list_candidate(self.empty, in_order, seen, sources, self.seed)]

    def choose(
        self,
        description: GraphDescription,
        candidate: Candidate,
        freed: np.ndarray | None,
        least_worth: float,
    ) -> Choice | None:
        """The free copies of a candidate that save most, see :func:`choose_in_graph`."""
        (choice,) = self.choices(description, [candidate], freed, least_worth)
        return choice

    def choices(
        self,
        description: GraphDescription,
        candidates: Sequence[Candidate],
        freed: np.ndarray | None,
        least_worth: float,
    ) -> Iterator[Choice | None]:
        """What :meth:`choose` chooses of each candidate, made when it is asked for.

        It follows from the edges that are left, which of these are freed, and the copies that the
        structure has already: a gap is often filled as others were, and what is known of these is
        not worked out again.
        """
        key_of_freed = b""
        if freed is not None:
            freed = freed & ~description.used
            if not freed.any():
                yield from repeat(None, len(candidates))
                return
            key_of_freed = digest_of(freed)
        taken = {motif.structure.code: motif.copies for motif in description.motifs}
        for candidate in candidates:
            before = taken.get(candidate.code)
            key = (
                candidate.code,
                id(candidate.copies),
                description.used_key,
                key_of_freed,
                b"" if before is None else digest_of(before),
                least_worth,
            )
            anew = partial(_choose_anew, description, candidate, freed, least_worth)
            yield self._kept.find(key, anew).choice

    def redrawn(self, description: GraphDescription, number: int) -> Iterator[Choice]:
        """No other drawing: copies are exact."""
        return iter(())

    def completed(self, candidate: Candidate) -> Candidate:
        """A candidate of which only the structure and the copies were kept."""
        return candidate_of(
            self.empty.code,
            self.empty.code.named(candidate.structure),
            candidate.copies,
            candidate.sources,
            candidate.is_complete,
        )


def _without_smallest(description: GraphDescription) -> GraphDescription:
    """The set without its motifs of fewest nodes, which may be pieces of larger ones."""
    fewest = min((motif.copies.shape[1] for motif in description.motifs), default=0)
    for number in reversed(range(len(description.motifs))):
        if description.motifs[number].copies.shape[1] == fewest:
            description = description.without(number)
    return description


def _best(description: GraphDescription, seen: list[Candidate], most: int) -> list[Candidate]:
    """The structures whose sets save most bits."""
    scored = [
        (-_score(description, candidate), candidate.structure.code, candidate) for candidate in seen
    ]
    scored.sort(key=lambda row: row[:2])
    # the best one in any case: it may come closest to saving something
    number = max(1, sum(-score > _LEAST_SCORE for score, *_ in scored))
    of_size: Counter[int] = Counter()
    chosen = []
    for *_, candidate in scored[:number]:
        of_size[candidate.structure.num_nodes] += 1
        if of_size[candidate.structure.num_nodes] <= most // 3 + _MORE_OF_SIZE:
            chosen.append(candidate)
    return chosen[:most]


def _score(description: GraphDescription, seen: Candidate) -> float:
    """Bits that the best of some sets save together, though they may overlap."""
    code = description.code
    structure = seen.structure
    copies = seen.copies
    candidate = candidate_of(code, structure, copies)
    addresses = candidate.addresses
    assert addresses is not None, "candidates of one graph have addresses"
    worth = edge_gains(description, candidate, np.arange(len(copies))) + symmetry_bits(structure)
    order_bits = log2_factorials(len(copies))[1:]
    by_degree = np.cumsum(np.sort(worth - addresses.by_degree)[::-1]) + order_bits
    # copies without common nodes cost less: about so many bits each, of the share of the nodes that
    # they cover
    num_covered = np.count_nonzero(np.bincount(copies.reshape(-1)))
    share = min(_MOST_COVERED, num_covered / len(code.colors))
    relief = structure.num_nodes * (1 + (1 - share) / share * log1p(-share)) / log(2)
    uniform = np.cumsum(np.sort(worth - addresses.uniform + relief)[::-1]) + order_bits
    saved = float(max(0.0, by_degree.max(), uniform.max()))
    return saved - code.head_bits(structure)
