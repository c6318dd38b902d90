"""Candidates for patterns: structures of several sizes that recur, most surprising first.

Connected node sets grow from edges, each growth through all sizes (``node_sets.py``). The
structures that they show are compared with those that are seen in the same way in two random
graphs, so that what is usual in any such graph does not stand first. How often a candidate occurs
in the whole graph is for the counting to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mining.candidates.choosing import choose
from mining.candidates.node_sets import NodeSets, draw_pairs, grow_from, rows_of, without_triangles
from mining.candidates.small_graphs import degree_preserving, is_large, small_configuration
from mining.candidates.structures import SeenSets
from mining.mined_graph import MinedGraph
from mining.records.pattern import Pattern
from mining.structures.overlaps import pick_disjoint

# growths of each kind, in each graph
_MOST_GROWTHS = 20_000
# graphs of more than ``LARGE`` entries are not searched for triangles, and are compared with one
# null-model graph
_NUM_NULL_GRAPHS, _NUM_LARGE_NULL_GRAPHS = 2, 1
# structures of one size that are compared with those of the null-model graphs
_MOST_FREQUENT = 500
# of graphs of more edges a part is drawn, since a walk takes longer than all else
_MOST_REWIRED = 1_000_000


def gather_candidates(
    mined: MinedGraph,
    sizes: Sequence[int] = tuple(range(3, 9)),
    *,
    seed: int = 0,
    roots: np.ndarray | None = None,
    most: int = 200,
    min_occurrences: int = 3,
) -> list[Pattern]:
    """Gather structures that recur, the most surprising first.

    They are at most ``most`` of more than four nodes, and beside them those of up to four, of which
    there are few where edges and nodes are of few kinds.

    ``roots`` are the nodes at whose edges sets begin, None for all. A pattern is seen in
    ``min_occurrences`` different node sets, see its ``sight``. Every size, the most frequent
    structures of each, and the most surprising ones are among them.
    """
    graph, rng = mined.graph, np.random.default_rng([seed, 11])
    number = _NUM_LARGE_NULL_GRAPHS if is_large(graph) else _NUM_NULL_GRAPHS
    drawn = [mined, *(_null_graph(mined, rng) for _ in range(number))]
    looks = [_look(one, max(sizes), roots, rng) for one in drawn]
    # a small null-model graph stands for one as large as the graph, where sets are as far apart
    looks = [
        look.spread(one.graph.num_nodes, graph.num_nodes // one.graph.num_nodes, rng)
        if one.graph.num_nodes < graph.num_nodes
        else look
        for one, look in zip(drawn, looks, strict=True)
    ]
    compared: list[Pattern] = []
    for size in sizes:
        seen, *null_seen = [SeenSets(one, own, size) for one, own in zip(drawn, looks, strict=True)]
        compared += _compare(seen, null_seen, graph.num_nodes, min_occurrences)
    return choose(graph, compared, most, min_occurrences)


def _compare(
    seen: SeenSets, null_seen: list[SeenSets], num_nodes: int, min_occurrences: int
) -> list[Pattern]:
    """The frequent structures of one size, and how often the null-model graphs show them."""
    invariants = seen.frequent(min_occurrences, _MOST_FREQUENT)
    nulls = [null.sets_with(invariants) for null in null_seen]
    none = np.empty((0, 1), np.int32)
    compared = []
    for invariant, one in seen.patterns(invariants):
        assert one.sight is not None, "node sets have shown it"
        node_sets = one.sight.node_sets
        if len(node_sets) < min_occurrences:
            continue
        expected = [
            pick_disjoint(sets_of.get(invariant, none), num_nodes).sum() for sets_of in nulls
        ]
        sight = replace(
            one.sight,
            num_disjoint=int(pick_disjoint(node_sets, num_nodes).sum()),
            num_expected=float(np.mean(expected)),
        )
        compared.append(replace(one, sight=sight))
    return compared


def _null_graph(mined: MinedGraph, rng: np.random.Generator) -> MinedGraph:
    """A null-model graph."""
    graph = mined.graph
    if graph.num_edges > _MOST_REWIRED:
        return mined.with_graph(small_configuration(graph, rng)[0])
    return mined.with_graph(degree_preserving(graph, rng))


def _look(
    mined: MinedGraph, max_nodes: int, roots: np.ndarray | None, rng: np.random.Generator
) -> NodeSets:
    """Connected node sets of a graph that have grown from its edges."""
    graph = mined.graph
    views = [(rows_of(graph), False), (rows_of(graph), True)]
    if not is_large(graph):
        # edges outside of triangles lead around what is clustered, to motifs of squares and rings
        views.append((without_triangles(graph), False))
    parts = []
    for rows, at_random in views:
        starts = draw_pairs(rows, roots, _MOST_GROWTHS, rng)
        seed = int(rng.integers(2**63))
        parts.append(grow_from(graph, rows, mined.colors, starts, max_nodes, at_random, seed))
    return NodeSets.join(parts)
