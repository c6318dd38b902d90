"""Which of many structures become candidates, and in which order.

Structures that are parts of each other are seen at the same places. So the first candidate is the
one that exceeds most what is expected; the next one is compared by what it shows elsewhere, and so
on: sets count of whose edges at least half are in no set of a candidate before. A copy of a motif
with a node that dangles from it, or without one of its nodes, is then seen no more. What an excess
counts for grows with the number of independent cycles, since a motif has more than its parts.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from mining.candidates.node_sets import rows_of
from mining.candidates.set_loops import cover_edges, mostly_uncovered
from mining.candidates.structures import SeenStructure
from mining.structures.overlaps import pick_disjoint

# candidates that are chosen by what the others have left, of all sizes together and of each size
_MOST_OF_ALL, _MOST_OF_SIZE = 40, 15
# the share of all places that structures of at most so many nodes have for certain
_SMALL, _SHARE_OF_SMALL = 5, 0.3
# smaller ones are counted at once, and are chosen beside the others, at most so many times as many
_SMALLEST, _MORE = 4, 2
# trees are the most frequent structures of almost any graph, and hardly ever stand out: so many of
# larger ones are chosen
_SHARE_OF_TREES = 0.06


@dataclass(frozen=True, eq=False)
class ComparedStructure:
    """A structure, and the disjoint node sets that show it here and in the mean null graph."""

    seen: SeenStructure
    num_disjoint: int
    num_expected: float

    @property
    def size(self) -> int:
        """Nodes of the structure."""
        return len(self.seen.example)

    @property
    def num_cycles(self) -> int:
        """Independent cycles: joined pairs - nodes + 1."""
        adjacency = self.seen.adjacency.reshape(self.size, self.size, -1)
        return int(adjacency.any(axis=2).sum()) // 2 - self.size + 1

    def gain(self, num_disjoint: int) -> float:
        """The excess of so many sets beyond its standard error, for each cycle."""
        excess = num_disjoint - self.num_expected
        error = float(np.sqrt(num_disjoint + self.num_expected))
        return (1 + self.num_cycles) * (excess - error)


def choose(
    graph: CSRGraph, structures: list[ComparedStructure], most: int, min_support: int
) -> list[ComparedStructure]:
    """At most ``most`` structures of more than four nodes and others, the most surprising first.

    Structures of at most four nodes are few, and chosen, as are most of five nodes. Then several
    orders take turns: by gain at the edges that are left, of all sizes and of each; by gain at all
    edges; and by frequency. The most frequent one of each size is chosen, and few trees beside it.
    """
    first = list(_in_turn(graph, structures, min_support, _MOST_OF_ALL))
    by_gain = sorted(structures, key=lambda one: (-one.gain(one.num_disjoint), one.size))
    chosen = [one for one in by_gain if one.size <= _SMALL][: int(_SHARE_OF_SMALL * most)]
    orders = [first, by_gain]
    for size in sorted({one.size for one in structures}):
        same = [one for one in by_gain if one.size == size]
        by_frequency = sorted(same, key=lambda one: -len(one.seen.node_sets))
        chosen.append(by_frequency[0])
        orders += [list(_in_turn(graph, same, min_support, _MOST_OF_SIZE)), same, by_frequency]
    chosen += _take_turns(orders, most_trees=int(_SHARE_OF_TREES * most))
    smallest = [one for one in by_gain if one.size <= _SMALLEST][: _MORE * most]
    larger = [one for one in dict.fromkeys(chosen) if one.size > _SMALLEST]
    kept = {id(one) for one in smallest + larger[:most]}
    return [one for one in dict.fromkeys(first + by_gain) if id(one) in kept]


def _take_turns(
    orders: Sequence[Sequence[ComparedStructure]], most_trees: int
) -> Iterator[ComparedStructure]:
    """The next one of each order in turn, and not more than so many different trees."""
    trees: set[ComparedStructure] = set()
    for turn in zip_longest(*orders):
        for one in turn:
            if one is not None and one.num_cycles == 0 and len(trees) < most_trees:
                trees.add(one)
            if one is not None and (one.num_cycles or one in trees):
                yield one


def _in_turn(
    graph: CSRGraph, structures: list[ComparedStructure], min_support: int, most: int
) -> Iterator[ComparedStructure]:
    """The structures with a gain, each by what those before it have left; at most ``most``."""
    rows, is_covered = rows_of(graph), np.zeros(len(graph.indices), np.bool_)
    # a gain mostly gets smaller, so that those behind need not be computed anew
    heap = [
        (-one.gain(one.num_disjoint), one.size, number) for number, one in enumerate(structures)
    ]
    heapq.heapify(heap)
    while heap and most:
        _, size, number = heapq.heappop(heap)
        one = structures[number]
        sets = one.seen.node_sets
        sets = sets[mostly_uncovered(rows, sets, is_covered)]
        gain = one.gain(int(pick_disjoint(sets, graph.num_nodes).sum()))
        if len(sets) < min_support or gain <= 0:
            continue
        if heap and (-gain, size, number) > heap[0]:
            heapq.heappush(heap, (-gain, size, number))
            continue
        cover_edges(rows, sets, is_covered)
        most -= 1
        yield one
