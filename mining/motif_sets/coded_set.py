"""A set of motifs with their copies, and how many bits the graph takes with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gomkcn.mining.motif_sets.placed_motif import PlacedMotif


@dataclass(frozen=True)
class GivenPattern:
    """What came of a structure that was given to be tried as a motif of the set.

    Attributes
    ----------
    bits : float or None
        Bits by which the description grows with it: 0 where it is in the set, None where it has too
        few copies to be a motif, or none that saves bits.
    reason : str
        The same as a phrase, such as "is not in the set: it costs 12.4 bits more".
    """

    bits: float | None
    reason: str

    @property
    def is_in_set(self) -> bool:
        """Whether it is a motif of the set."""
        return self.bits == 0.0


@dataclass(frozen=True, eq=False)
class CodedSet:
    """What a search finds in one base, in nodes of the mined graph, in the order of the choice."""

    motifs: tuple[PlacedMotif, ...]
    bits_base: float  # length of the description without motifs
    bits_total: float
    # what the bits are given: "degrees", or "blocks" as well; of a collection, the degrees of each
    # type of edge, "typed", or all together, "total"
    base: str = "degrees"
    blocks: np.ndarray | None = None  # int64 [V], the block of each node
    cut: str = ""  # where the search was cut, a sentence
    closest: PlacedMotif | None = None  # without motifs, what comes closest to saving bits
    # what came of each structure that was given, by key
    given: Mapping[bytes, GivenPattern] = field(default_factory=dict)
    error: float = 0.0  # what grouped degrees change the lengths by at most, about
    # bits that the set of each start of the search saves, where there were several
    bits_of_starts: tuple[float, ...] = ()
    # … and what they save crossed: exact copies, without what is given
    bits_from_starts: float = 0.0

    @property
    def bits_saved(self) -> float:
        """How much shorter the description is with the motifs."""
        return self.bits_base - self.bits_total

    @property
    def best_motif(self) -> PlacedMotif:
        """The motif that the description grows most without."""
        return min(self.motifs, key=lambda motif: (-motif.bits, motif.structure.key))

    @cached_property
    def codes(self) -> frozenset[bytes]:
        """The codes of its structures."""
        return frozenset(motif.structure.code for motif in self.motifs)

    def from_starts(self, sets: Sequence[CodedSet], crossed: CodedSet) -> CodedSet:
        """The same, with what the set of each start of its search saves, and has of its motifs.

        ``crossed`` is the best of the starts. What comes after it is looked for once, so that of
        its motifs nothing is known.
        """
        motifs = self.motifs
        if self.codes == crossed.codes:
            motifs = tuple(
                replace(motif, starts=sum(motif.structure.code in found.codes for found in sets))
                for motif in motifs
            )
        return replace(
            self,
            motifs=motifs,
            bits_of_starts=tuple(found.bits_saved for found in sets),
            bits_from_starts=crossed.bits_saved,
        )

    def beside(self, bits_base: float) -> CodedSet:
        """The same beside a shorter description without motifs, which the largest share pays for.

        >>> first, second = PlacedMotif(None, None, 9.0, 8.0), PlacedMotif(None, None, 3.0, 2.0)
        >>> found = CodedSet((first, second), 100.0, 90.0).beside(96.0)
        >>> [motif.share for motif in found.motifs], found.bits_saved
        ([4.0, 2.0], 6.0)
        """
        largest = max(self.motifs, key=lambda motif: motif.share, default=None)
        motifs = tuple(
            replace(motif, share=motif.share - (self.bits_base - bits_base))
            if motif is largest
            else motif
            for motif in self.motifs
        )
        return replace(self, motifs=motifs, bits_base=bits_base)

    def without_motifs(self, why: str) -> dict[bytes, GivenPattern]:
        """What came of given structures where no motif is reported, and why none is."""
        return {
            key: GivenPattern(None, f"is not in the set: {why}") if pattern.is_in_set else pattern
            for key, pattern in self.given.items()
        }


class Answer(NamedTuple):
    """The set of the base that describes a graph best, and that of the other base, if any."""

    found: CodedSet
    other: CodedSet | None
