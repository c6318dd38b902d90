"""The profiles of a run: one for each size of structures, alone or with kinds (Milo et al. 2004).

z grows with a size and with what is told apart, so that only structures of a family are divided by
one length, as where two graphs are compared.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from gomkcn.mining.patterns.compared_structure import Family
from gomkcn.mining.structures.pattern import NullComparison, Pattern

Compared = tuple[Pattern, NullComparison]


class RunProfile(NamedTuple):
    """A family of structures that a run compared with random graphs.

    Attributes
    ----------
    family : Family
    places : list of int
        Those of the structures that the graph or a random graph has, by falling absolute z.
    length : float
        Of all z.
    """

    family: Family
    places: list[int]
    length: float

    def shown(self, compared: Sequence[Compared], most: int) -> list[int]:
        """Places of those that lie out furthest, in an order that is the same for all graphs."""

        def order(at: int) -> tuple[int, bytes, int]:
            structure = compared[at][0].structure
            return len(structure.edges), structure.key, at

        return sorted(self.places[:most], key=order)

    def entry(self, result: NullComparison) -> float:
        """That of a structure; NaN without z."""
        return math.nan if result.z is None else result.z / self.length

    def title(self, number: int) -> str:
        """The family, and how many of its structures are shown.

        >>> RunProfile(Family(3, False, True), [0, 1], 1.0).title(1)
        '3 nodes, directed; the 1 of 2 structures with the largest |z|'
        """
        total = len(self.places)
        more = f"; the {number} of {total} structures with the largest |z|"
        return self.family.name + (more if number < total else "")


def run_profiles(compared: Sequence[Compared]) -> list[RunProfile]:
    """One for each family that has z: those of structures alone first, small ones before large."""
    of_family: dict[Family, list[int]] = {}
    for at, (pattern, result) in enumerate(compared):
        if pattern.frequency.occurrences.high > 0 or result.mean > 0:
            of_family.setdefault(Family.of(pattern.structure), []).append(at)
    found = []
    for family in sorted(of_family, key=lambda family: (family.has_kinds, family)):
        places = sorted(of_family[family], key=lambda at: _how_far(compared[at][1]), reverse=True)
        length = math.hypot(*(compared[at][1].z or 0.0 for at in places))
        if length:
            found.append(RunProfile(family, places, length))
    return found


def _how_far(result: NullComparison) -> float:
    """How far a structure lies out: |z|, and where there is none, whether it is called at all."""
    return abs(result.z) if result.z is not None else math.inf if result.is_called else 0.0
