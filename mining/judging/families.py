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

At last a head is struck off that is a part which several motifs share: other heads, and members
that add cycles to it, whose places are about as unlikely, explain it together. With it go members
that add dangling nodes to it, and families are formed anew without them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import igraph
import numpy as np

from gomkcn_dgl.graphs.structure import Structure
from mining.judging.expected_counts import ExpectedCounts
from mining.judging.parts import find_part
from mining.judging.verdicts import signed_root
from mining.records.pattern import Pattern
from mining.structures.overlaps import pick_disjoint

# patterns are in excess from so many standard deviations in places that share no node, and are
# explained when no more than so many are left
_EXCESS, _EXPLAINED = 3.0, 2.0
# in all occurrences, most of which lie at hubs, they may be fewer than in the null model by so many
LEAST_Z = -1.0
# and from which it can be a head
_LEAST_HEAD = 1.0
# the evidence of a place of a motif beside that of a part which motifs share: as large, about. Of
# planted motifs and a diamond in two of them it was at least 0.9 times as large; of motifs and what
# grows from them by chance less than 0.1 times
_ABOUT_AS_MUCH = 0.7
# extensions are as expected up to so many standard deviations
_TOLERANCE = 2.0


@dataclass(frozen=True, eq=False)
class Excess:
    """Places of a pattern, and how they compare with those in a null model.

    ``places [P, M]`` are its occurrences in the order of its nodes, or a uniform sample of them,
    and ``z`` says how many more there are than in the null model. ``num_expected`` is the number of
    places that share no node in the mean of ``num_samples`` null-model graphs. ``stands_out`` is
    the verdict.
    """

    places: np.ndarray
    z: float
    num_expected: float
    num_samples: int
    stands_out: bool = False


class Families:
    """K patterns in families.

    ``head`` is the number of the pattern that explains each, its own where nothing does. ``heads``
    are the patterns that are in excess and that nothing explains, most evidence first.
    """

    def __init__(
        self, patterns: Sequence[Pattern], excess: Sequence[Excess], expected: ExpectedCounts
    ) -> None:
        self.patterns, self.excess, self.expected = patterns, excess, expected
        self.head: list[int] = []
        self.heads: list[int] = []
        self._log_expected = _log_expected(patterns, excess, expected)
        self._explained: dict[tuple[int, int], np.ndarray] = {}
        barred: set[int] = set()
        while (redundant := self._group_without(barred)) is not None:
            members = (i for i, head in enumerate(self.head) if head == redundant)
            # with nodes that dangle from it
            barred |= {
                i
                for i in members
                if self._mapping(redundant, i) is not None and not self._adds_cycles(redundant, i)
            }
            barred.add(redundant)

    def order(self) -> list[int]:
        """All patterns: heads, then what else stands out, then the others, members last.

        Heads whose verdict is not decided come after what stands out. Of what else stands out, all
        sizes take turns, each with what has most evidence.
        """
        rest = set(range(len(self.patterns))) - set(self.heads)
        more = {i for i in rest if self.excess[i].stands_out}
        members = {i for i in rest - more if self.head[i] != i}
        whole = {i: self._evidence(i, self._left(i, ())) for i in more}
        root = {i: self._root(i, self._left(i, self.heads)) for i in rest - more - members}
        undecided = [i for i in self.heads if not self.excess[i].stands_out]
        return [
            *(i for i in self.heads if i not in undecided),
            *self._sizes_in_turn(sorted(more, key=lambda i: (-whole[i], -self.excess[i].z))),
            *undecided,
            *sorted(root, key=lambda i: (-root[i], -self.excess[i].z)),
            *sorted(members, key=lambda i: -self.excess[i].z),
        ]

    def _sizes_in_turn(self, numbers: Sequence[int]) -> list[int]:
        """The first of each size, the smallest size first; then the second of each, and so on."""
        turns: Counter[int] = Counter()
        turn = {}
        for i in numbers:
            turn[i] = (turns[self._size(i)], self._size(i))
            turns[self._size(i)] += 1
        return sorted(numbers, key=turn.__getitem__)

    def _group_without(self, barred: set[int]) -> int | None:
        """Find heads that are not ``barred``; return one that the others explain, if any."""
        self.head, self.heads = list(range(len(self.patterns))), []
        left = {i: self._left(i, ()) for i, own in enumerate(self.excess) if own.z > LEAST_Z}
        left = {i: rows for i, rows in left.items() if self._root(i, rows) > _EXCESS}
        able = [i for i in left if i not in barred and self.excess[i].z > _LEAST_HEAD]
        while candidates := [i for i in able if i in left]:
            evidence = {i: self._evidence(i, left[i]) for i in candidates}
            # smaller patterns first where the evidence is equal
            head = max(candidates, key=lambda i: (evidence[i], -self._size(i)))
            self.heads.append(head)
            del left[head]
            for i in list(left):
                left[i] &= ~self._explains(head, i)
                if self._root(i, left[i]) <= _EXPLAINED:
                    self.head[i] = head
                    del left[i]
        # the smallest is most likely a part of the others
        for head in sorted(self.heads, key=self._size):
            others = [other for other in self.heads if other != head]
            others += [
                i
                for i, own in enumerate(self.head)
                if own == head and i != head and self._adds_cycles(head, i, to_block=True)
            ]
            # what grows from a motif by chance is much more likely than the motif
            least = _ABOUT_AS_MUCH * self._surprise(head)
            others = [other for other in others if self._surprise(other) >= least]
            if self._root(head, self._left(head, others)) <= _EXPLAINED:
                return head
        return None

    def _size(self, number: int) -> int:
        return self.patterns[number].num_nodes

    def _left(self, number: int, heads: Sequence[int]) -> np.ndarray:
        """Places of a pattern that some heads do not explain, bool ``[P]``."""
        left = np.ones(len(self.excess[number].places), dtype=bool)
        for head in heads:
            left &= ~self._explains(head, number)
        return left

    def _num_disjoint(self, number: int, left: np.ndarray) -> int:
        places = self.excess[number].places[left]
        return int(pick_disjoint(places, self.expected.graph.num_nodes).sum())

    def _root(self, number: int, left: np.ndarray) -> float:
        """Signed root of the likelihood ratio for as many places as the samples have."""
        own, found = self.excess[number], self._num_disjoint(number, left)
        total, num_samples = own.num_expected * own.num_samples, own.num_samples
        return float(signed_root(np.float64(found), np.float64(total), num_samples))

    def _evidence(self, number: int, left: np.ndarray) -> float:
        found = self._num_disjoint(number, left)
        if not found:
            return 0.0
        log_ratio = np.log(found) - self._log_expected[number]
        return round(float(found * (log_ratio - 1 + np.exp(-log_ratio))), 6)

    def _surprise(self, number: int) -> float:
        """The evidence of each place of a pattern."""
        left = self._left(number, ())
        return self._evidence(number, left) / max(1, self._num_disjoint(number, left))

    def _explains(self, head: int, number: int) -> np.ndarray:
        """Which places of a pattern a head explains, bool ``[P]``."""
        if (head, number) not in self._explained:
            self._explained[head, number] = self._find_explained(head, number)
        return self._explained[head, number]

    def _mapping(self, part: int, whole: int) -> np.ndarray | None:
        """Where one pattern lies in another that is larger."""
        if self._size(whole) <= self._size(part):
            return None
        first, second = self.patterns[whole].structure, self.patterns[part].structure
        return find_part(first, second)

    def _adds_cycles(self, part: int, whole: int, to_block: bool = False) -> bool:
        """Whether a pattern contains another and has more cycles, or more in one block."""
        if self._mapping(part, whole) is None:
            return False
        first, second = self.patterns[part].structure, self.patterns[whole].structure
        if to_block:
            return _block_cycles(second) > _block_cycles(first)
        return second.num_cycles > first.num_cycles

    def _find_explained(self, head: int, number: int) -> np.ndarray:
        first, other = self.patterns[head].structure, self.patterns[number].structure
        places = self.excess[head].places
        num_nodes = self.expected.graph.num_nodes
        taken = np.unique(_edges_at(first, places, num_nodes))
        known = np.isin(_edges_at(other, self.excess[number].places, num_nodes), taken)
        touches = np.asarray(known.any(axis=1))
        mapping = self._mapping(head, number)
        if mapping is not None:
            # places that share no node, and of those of the head as many as can be extended
            found = self._num_disjoint(number, touches)
            apart = places[pick_disjoint(places, num_nodes)]
            ways = self.expected.extensions(apart, first, other, mapping)
            usual = float((1 - np.exp(-ways)).sum())
            if found > usual + _TOLERANCE * np.sqrt(usual):
                touches[:] = False
        return touches


def _block_cycles(structure: Structure) -> int:
    """Independent cycles in the biconnected component that has most of them."""
    graph = igraph.Graph(edges=np.argwhere(np.triu(structure.joined)).tolist())
    blocks = graph.biconnected_components().subgraphs()
    return max(block.ecount() - block.vcount() + 1 for block in blocks)


def _edges_at(structure: Structure, places: np.ndarray, num_nodes: int) -> np.ndarray:
    """A number for each edge of each place, int64 ``[P, E]``."""
    pairs = np.argwhere(np.triu(structure.joined))
    ends = np.sort(places[:, pairs].astype(np.int64), axis=2)
    numbers: np.ndarray = ends[..., 0] * num_nodes + ends[..., 1]
    return numbers


def _log_expected(
    patterns: Sequence[Pattern], excess: Sequence[Excess], expected: ExpectedCounts
) -> np.ndarray:
    """Log of the expected places: the mean of the samples, or of random graphs without any there.

    Random graphs with hubs hold fewer of a rare structure than the formula says, by a factor for
    each cycle that is found from the structures of the samples.
    """
    cycles = np.array([one.structure.num_cycles for one in patterns])
    formula = np.array([expected.log_count(one.structure) for one in patterns])
    mean = np.array([one.num_expected for one in excess])
    least = np.array([1 / one.num_samples for one in excess])
    seen = mean > 0
    logs = np.log(np.where(seen, mean, least))
    known = seen & (cycles > 0)
    factor = 0.0
    if known.any():
        factor = min(0.0, float(np.median((logs - formula)[known] / cycles[known])))
    return np.where(seen, logs, np.minimum(logs, formula + factor * cycles))
