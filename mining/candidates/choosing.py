"""Which of many structures become candidates, and in which order.

Structures that are parts of each other are seen at the same places. So the first candidate is the
one that exceeds most what is expected; the next one is compared by what it shows elsewhere, and so
on: sets count of whose edges at least half are in no set of a candidate before. A copy of a motif
with a node that dangles from it, or without one of its nodes, is then seen no more. What an excess
counts for grows with the number of independent cycles, since a motif has more than its parts.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graph_folder import chunks
from gomkcn_dgl.kernels.search_numba import Rows
from mining.candidates.growth_loops import cover_edges, mostly_uncovered, pick_disjoint, rows_of
from mining.candidates.small_graphs import is_large
from mining.graph_relations import find_among
from mining.pattern import Pattern, Sight

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


def _gain(pattern: Pattern, some: np.ndarray | slice, num_nodes: int) -> float:
    """How unlikely some of the sets that show a pattern are, in a graph of ``num_nodes`` nodes.

    The log-likelihood ratio of the disjoint ones, for each cycle, beyond what is usual.
    """
    sight = _sight(pattern)
    number = int(pick_disjoint(sight.node_sets[some], num_nodes).sum())
    expected = sight.num_expected + _LEAST_EXPECTED
    if number <= expected:
        return number - expected
    unlikely = number * np.log(number / expected) - number + expected
    return float((1 + pattern.structure.num_cycles) * (unlikely - _USUAL))


def _sight(pattern: Pattern) -> Sight:
    assert pattern.sight is not None, "node sets have shown it"
    return pattern.sight


def choose(
    graph: CSRGraph, patterns: Sequence[Pattern], most: int, min_occurrences: int
) -> list[Pattern]:
    """At most ``most`` patterns of more than four nodes and others, the most surprising first.

    Structures of at most four nodes are few, and chosen, as are most of five nodes. Then several
    orders take turns: by gain at the edges that are left, of all sizes and of each; by gain at all
    edges; and by frequency. The most frequent one of each size is chosen, and few trees beside it.
    """
    rows, sets = _rows_among(graph, [_sight(one).node_sets for one in patterns])
    sets_of = dict(zip(patterns, sets, strict=True))
    gains = {one: _gain(one, slice(None), graph.num_nodes) for one in patterns}
    in_turn = partial(_in_turn, rows, sets_of, gains, graph.num_nodes, min_occurrences)
    first = list(in_turn(patterns, _MOST_OF_ALL))
    by_gain = sorted(patterns, key=lambda one: (-gains[one], one.num_nodes))
    chosen = [one for one in by_gain if one.num_nodes <= _SMALL][: int(_SHARE_OF_SMALL * most)]
    orders = [first, by_gain]
    for size in sorted({one.num_nodes for one in patterns}):
        same = [one for one in by_gain if one.num_nodes == size]
        by_frequency = sorted(same, key=lambda one: -len(_sight(one).node_sets))
        chosen.append(by_frequency[0])
        orders += [list(in_turn(same, _MOST_OF_SIZE)), same, by_frequency]
    chosen += _take_turns(orders, most_trees=int(_SHARE_OF_TREES * most))
    smallest = [one for one in by_gain if one.num_nodes <= _SMALLEST][: _MORE * most]
    larger = dict.fromkeys(one for one in chosen if one.num_nodes > _SMALLEST)
    kept = {*smallest, *[*larger][:most]}
    return [one for one in dict.fromkeys(first + by_gain) if one in kept]


def _take_turns(orders: Sequence[Sequence[Pattern]], most_trees: int) -> Iterator[Pattern]:
    """The next one of each order in turn, and not more than so many different trees."""
    trees: set[Pattern] = set()
    for turn in zip_longest(*orders):
        for one in turn:
            if one is None:
                continue
            is_tree = one.structure.num_cycles == 0
            if is_tree and len(trees) < most_trees:
                trees.add(one)
            if not is_tree or one in trees:
                yield one


def _in_turn(
    rows: Rows,
    sets_of: Mapping[Pattern, np.ndarray],
    gains: Mapping[Pattern, float],
    num_nodes: int,
    min_occurrences: int,
    patterns: Sequence[Pattern],
    most: int,
) -> Iterator[Pattern]:
    """The patterns with a gain, each by what those before it have left; at most ``most``.

    ``sets_of`` are the node sets of each, as ``rows`` number the nodes.
    """
    is_covered = np.zeros(len(rows.indices), np.bool_)
    # a gain mostly gets smaller, so that those behind need not be computed anew
    heap = [(-gains[one], one.num_nodes, number) for number, one in enumerate(patterns)]
    heapq.heapify(heap)
    while heap and most:
        _, size, number = heapq.heappop(heap)
        one = patterns[number]
        left = mostly_uncovered(rows, sets_of[one], is_covered)
        gain = _gain(one, left, num_nodes)
        if left.sum() < min_occurrences or gain <= 0:
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
