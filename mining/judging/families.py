"""Families: which patterns are there only because another one is.

Where copies of a motif stand out, so do its parts, what consists of a copy and nodes that dangle
from it, and what shares a half of each copy. Such patterns are members of the family whose head is
the motif. Heads are found one after the other; the next has the largest *evidence*, the number D of
places that share no node times how unlikely each of them is,

    evidence = D (log r - 1 + 1 / r),   r = D / expected D.

It then explains others, by taking their places away. A pattern is explained if no more places are
left than the null model has.

- A pattern that contains the head loses the places that touch one of the head, if these are about
  as many as dangling nodes and whatever else joins the head at random would make.
- Any other pattern loses the places that share an edge with a place of the head.

At last a head that the other heads explain together, a part that several motifs share, is struck
off, and families are formed anew without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.special import xlogy

from mining.judging.expected_counts import ExpectedCounts
from mining.judging.parts import find_part
from mining.structures.overlaps import pick_disjoint

# patterns are in excess from so many standard deviations
_EXCESS = 3.0
# extensions are as expected up to so many standard deviations
_TOLERANCE = 2.0


@dataclass(frozen=True, eq=False)
class JudgedPattern:
    """A pattern with what families are formed by.

    ``places [P, M]`` are its occurrences in the order of its nodes, or a uniform sample of them,
    ``occurrences`` their number, and ``num_expected`` the number of places that share no node in
    the mean null-model graph, 0 if none of ``num_samples`` had any.
    """

    adjacency: np.ndarray
    colors: np.ndarray | None
    places: np.ndarray
    occurrences: float
    num_expected: float
    num_samples: int

    @cached_property
    def pairs(self) -> np.ndarray:
        """The joined nodes, int64 ``[E, 2]``."""
        size = len(self.adjacency)
        return np.argwhere(np.triu(self.adjacency.reshape(size, size, -1).any(axis=2)))

    @property
    def num_cycles(self) -> int:
        """Independent cycles."""
        return len(self.pairs) - len(self.adjacency) + 1

    def edges(self, num_nodes: int) -> np.ndarray:
        """A number for each edge of each place, int64 ``[P, E]``."""
        ends = np.sort(self.places[:, self.pairs].astype(np.int64), axis=2)
        numbers: np.ndarray = ends[..., 0] * num_nodes + ends[..., 1]
        return numbers


@dataclass(eq=False)
class Families:
    """K patterns in families, once :meth:`group` was called.

    ``head [K]`` is the number of the pattern that explains each, its own where nothing does;
    ``heads`` are the patterns that are in excess and their own heads, most evidence first.
    """

    patterns: Sequence[JudgedPattern]
    expected: ExpectedCounts
    head: list[int] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._log_expected = _log_expected(self.patterns, self.expected)
        self._explained: dict[tuple[int, int], np.ndarray] = {}

    def group(self) -> Families:
        """Form the families."""
        barred: set[int] = set()
        while True:
            self._group_without(barred)
            redundant = [
                head
                for head in self.heads
                if not self._is_in_excess(head, self._left(head, set(self.heads) - {head}))
            ]
            if not redundant:
                return self
            # the smallest is most likely a part of the others
            barred.add(min(redundant, key=lambda i: len(self.patterns[i].adjacency)))

    def _group_without(self, barred: set[int]) -> None:
        """One head after the other, none of which is ``barred``."""
        numbers = range(len(self.patterns))
        self.head, self.heads = list(numbers), []
        left = {i: np.ones(len(self.patterns[i].places), dtype=bool) for i in numbers}
        left = {i: rows for i, rows in left.items() if self._is_in_excess(i, rows)}
        while candidates := [i for i in left if i not in barred]:
            evidence = {i: self._evidence(i, left[i]) for i in candidates}
            # smaller patterns first where the evidence is equal
            head = max(candidates, key=lambda i: (evidence[i], -len(self.patterns[i].adjacency)))
            self.heads.append(head)
            del left[head]
            for i in list(left):
                left[i] &= ~self._explains(head, i)
                if not self._is_in_excess(i, left[i]):
                    self.head[i] = head
                    del left[i]

    def _left(self, number: int, heads: set[int]) -> np.ndarray:
        """Places of a pattern that some heads leave, bool ``[P]``."""
        left = np.ones(len(self.patterns[number].places), dtype=bool)
        for head in heads:
            left &= ~self._explains(head, number)
        return left

    def _num_disjoint(self, number: int, left: np.ndarray) -> int:
        places = self.patterns[number].places[left]
        return int(pick_disjoint(places, self.expected.graph.num_nodes).sum())

    def _is_in_excess(self, number: int, left: np.ndarray) -> bool:
        """Whether there are more places than the samples let expect, by a likelihood ratio."""
        pattern, found = self.patterns[number], self._num_disjoint(number, left)
        total = pattern.num_expected * pattern.num_samples
        mean = (found + total) / (pattern.num_samples + 1)
        if found <= mean:
            return False
        root = xlogy(found, found / mean) + xlogy(total, total / (mean * pattern.num_samples))
        return bool(2 * root > _EXCESS**2)

    def _evidence(self, number: int, left: np.ndarray) -> float:
        found = self._num_disjoint(number, left)
        log_ratio = np.log(found) - self._log_expected[number]
        return round(float(found * (log_ratio - 1 + np.exp(-log_ratio))), 6)

    def _explains(self, head: int, number: int) -> np.ndarray:
        """Which places of a pattern a head explains, bool ``[P]``."""
        if (head, number) not in self._explained:
            self._explained[head, number] = self._find_explained(head, number)
        return self._explained[head, number]

    def _find_explained(self, head: int, number: int) -> np.ndarray:
        first, other = self.patterns[head], self.patterns[number]
        num_nodes = self.expected.graph.num_nodes
        touches = np.isin(other.edges(num_nodes), np.unique(first.edges(num_nodes))).any(axis=1)
        if len(other.adjacency) > len(first.adjacency):
            mapping = find_part(other.adjacency, first.adjacency, other.colors, first.colors)
            if mapping is not None:
                # places that share no node, and of those of the head as many as can be extended
                found = self._num_disjoint(number, touches)
                ways = self.expected.extensions(
                    first.places, first.adjacency, other.adjacency, mapping, other.colors
                )
                all_places = np.ones(len(first.places), dtype=bool)
                usual = self._num_disjoint(head, all_places) * (1 - np.exp(-ways)).mean()
                if found > usual + _TOLERANCE * np.sqrt(usual):
                    touches[:] = False
        return touches


def _log_expected(patterns: Sequence[JudgedPattern], expected: ExpectedCounts) -> np.ndarray:
    """Log of the expected places: the mean of the samples, or of random graphs without any there.

    Random graphs with hubs hold fewer of a rare structure than the formula says, by a factor for
    each cycle that is found from the structures of the samples.
    """
    cycles = np.array([one.num_cycles for one in patterns])
    formula = np.array([expected.log_count(one.adjacency, one.colors) for one in patterns])
    mean = np.array([one.num_expected for one in patterns])
    least = np.array([1 / one.num_samples for one in patterns])
    seen = mean > 0
    logs = np.log(np.where(seen, mean, least))
    known = seen & (cycles > 0)
    factor = 0.0
    if known.any():
        factor = min(0.0, float(np.median((logs - formula)[known] / cycles[known])))
    return np.where(seen, logs, np.minimum(logs, formula + factor * cycles))
