"""Which of many structures become candidates, and in which order.

Structures that are parts of each other are seen at the same places. So the first candidate is the
one that exceeds most what is expected; the next one is compared by what it shows elsewhere, and so
on: sets count of whose edges at least half are in no set of a candidate before. A copy of a motif
with a node that dangles from it, or without one of its nodes, is then seen no more. What an excess
counts for grows with the number of independent cycles, since a motif has more than its parts. Where
hubs make a structure often, an excess is sought among the sets that are set apart as well.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.kernels.search_numba import Rows
from gomkcn_dgl.storage.graph_folder_checks import chunks
from mining.candidates.node_sets import rows_of
from mining.candidates.set_loops import cover_edges, mostly_uncovered
from mining.candidates.structures import SeenStructure
from mining.null_models.small_graphs import is_large
from mining.structures.edges_among import find_among
from mining.structures.overlaps import pick_disjoint

# sets that are expected where two null graphs have none, and a log-likelihood ratio of mere chance
_LEAST_EXPECTED, _USUAL = 0.5, 2.0
# candidates that are chosen by what the others have left, of all sizes together and of each size
_MOST_OF_ALL, _MOST_OF_SIZE = 40, 15
# the share of all places that structures of at most so many nodes have for certain
_SMALL, _SHARE_OF_SMALL = 5, 0.3
# smaller ones are counted at once, and are chosen beside the others, at most so many times as many
_SMALLEST, _MORE = 4, 2
# trees are the most frequent structures of almost any graph, and hardly ever stand out: so many of
# larger ones are chosen
_SHARE_OF_TREES = 0.06
# rows of a large graph that are read at once
_ROWS_AT_ONCE = 1 << 12


@dataclass(frozen=True, eq=False)
class ComparedStructure:
    """A structure, and the disjoint node sets that show it here and in the mean null graph.

    ``is_apart [K]`` tells which of its sets are set apart from the rest of the graph, and
    ``num_apart_expected`` how many disjoint ones of these the mean null graph has.
    """

    seen: SeenStructure
    num_disjoint: int
    num_expected: float
    is_apart: np.ndarray
    num_apart_expected: float
    num_nodes: int  # of the graph

    @property
    def size(self) -> int:
        """Nodes of the structure."""
        return len(self.seen.example)

    @property
    def num_cycles(self) -> int:
        """Independent cycles: joined pairs - nodes + 1."""
        return self.seen.num_pairs - self.size + 1

    @cached_property
    def gain(self) -> float:
        """The gain of all its sets."""
        return self.gain_of(np.ones(len(self.is_apart), np.bool_))

    def gain_of(self, some: np.ndarray) -> float:
        """How unlikely some of its sets are, bool ``[K]``, or those of them that are set apart."""
        gain = self._gain(some, self.num_expected)
        apart = some & self.is_apart
        if self.num_cycles and apart.any():
            gain = max(gain, self._gain(apart, self.num_apart_expected))
        return gain

    def _gain(self, some: np.ndarray, num_expected: float) -> float:
        """Log-likelihood ratio of the disjoint ones, for each cycle, beyond what is usual."""
        number = int(pick_disjoint(self.seen.node_sets[some], self.num_nodes).sum())
        expected = num_expected + _LEAST_EXPECTED
        if number <= expected:
            return number - expected
        unlikely = number * np.log(number / expected) - number + expected
        return float((1 + self.num_cycles) * (unlikely - _USUAL))


def choose(
    graph: CSRGraph, structures: list[ComparedStructure], most: int, min_support: int
) -> list[ComparedStructure]:
    """At most ``most`` structures of more than four nodes and others, the most surprising first.

    Structures of at most four nodes are few, and chosen, as are most of five nodes. Then several
    orders take turns: by gain at the edges that are left, of all sizes and of each; by gain at all
    edges; and by frequency. The most frequent one of each size is chosen, and few trees beside it.
    """
    rows, sets = _rows_among(graph, [one.seen.node_sets for one in structures])
    sets_of = dict(zip(structures, sets, strict=True))
    first = list(_in_turn(rows, sets_of, structures, min_support, _MOST_OF_ALL))
    by_gain = sorted(structures, key=lambda one: (-one.gain, one.size))
    chosen = [one for one in by_gain if one.size <= _SMALL][: int(_SHARE_OF_SMALL * most)]
    orders = [first, by_gain]
    for size in sorted({one.size for one in structures}):
        same = [one for one in by_gain if one.size == size]
        by_frequency = sorted(same, key=lambda one: -len(one.seen.node_sets))
        chosen.append(by_frequency[0])
        most_surprising = list(_in_turn(rows, sets_of, same, min_support, _MOST_OF_SIZE))
        orders += [most_surprising, same, by_frequency]
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
    rows: Rows,
    sets_of: Mapping[ComparedStructure, np.ndarray],
    structures: Sequence[ComparedStructure],
    min_support: int,
    most: int,
) -> Iterator[ComparedStructure]:
    """The structures with a gain, each by what those before it have left; at most ``most``.

    ``sets_of`` are the node sets of each, as ``rows`` number the nodes.
    """
    is_covered = np.zeros(len(rows.indices), np.bool_)
    # a gain mostly gets smaller, so that those behind need not be computed anew
    heap = [(-one.gain, one.size, number) for number, one in enumerate(structures)]
    heapq.heapify(heap)
    while heap and most:
        _, size, number = heapq.heappop(heap)
        one = structures[number]
        left = mostly_uncovered(rows, sets_of[one], is_covered)
        gain = one.gain_of(left)
        if left.sum() < min_support or gain <= 0:
            continue
        if heap and (-gain, size, number) > heap[0]:
            heapq.heappush(heap, (-gain, size, number))
            continue
        cover_edges(rows, sets_of[one][left], is_covered)
        most -= 1
        yield one


def _rows_among(graph: CSRGraph, sets: list[np.ndarray]) -> tuple[Rows, list[np.ndarray]]:
    """The rows of a graph; of a large one, those among the nodes of some sets, renumbered."""
    if not is_large(graph) or not sets:
        return rows_of(graph), sets
    nodes = np.unique(np.concatenate([one.ravel() for one in sets]))
    ends, parts = [np.zeros(1, np.int64)], []
    for first, last in chunks(0, len(nodes), _ROWS_AT_ONCE):
        own = nodes[first:last]
        near = graph.indices[graph.entries_of(own)]
        place, is_among = find_among(near, nodes)
        parts.append(place[is_among].astype(np.uint32))
        count = np.concatenate([[0], np.cumsum(is_among)])[np.cumsum(graph.degrees_of(own))]
        ends.append(ends[-1][-1] + count)
    indptr = np.concatenate(ends).astype(np.uint64)
    renumbered = [np.searchsorted(nodes, one).astype(np.int32) for one in sets]
    return Rows(indptr, np.concatenate(parts)), renumbered
