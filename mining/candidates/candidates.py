"""Candidates for patterns: structures of several sizes that recur, most surprising first.

Connected node sets grow from edges, each growth through all sizes (``node_sets.py``); small sets
are all looked at, where these are not too many (``small_sets.py``). The structures that they show
are compared with those that are seen in the same way in two null-model graphs, so that what is
usual in any such graph does not stand first. How often a candidate occurs in the whole graph, and
whether that is surprising, is for the counting to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mining.candidates.choosing import choose
from mining.candidates.node_sets import NodeSets, draw_pairs, grow_from, rows_of, without_triangles
from mining.candidates.small_sets import SMALL_SIZES, all_small_sets
from mining.candidates.structures import SeenSets
from mining.counting.set_apart import MOST_LEAVING
from mining.mined_graph import MinedGraph
from mining.null_models.null_models import erased_configuration, rewire
from mining.null_models.small_graphs import is_large, small_configuration
from mining.records.pattern import Pattern
from mining.structures.overlaps import pick_disjoint

# growths of each kind, in each graph
_MOST_GROWTHS = 20_000
# graphs of more than ``LARGE`` entries are not searched for triangles, and are compared with one
# null-model graph
_NUM_NULL_GRAPHS, _NUM_LARGE_NULL_GRAPHS = 2, 1
# structures of one size that are compared with those of the null-model graphs
_MOST_FREQUENT = 500
# in graphs of more edges their ends are joined anew, since rewiring takes longer than all else
_MOST_REWIRED = 50_000


def gather_candidates(
    mined: MinedGraph,
    sizes: Sequence[int] = tuple(range(3, 9)),
    *,
    seed: int = 0,
    roots: np.ndarray | None = None,
    most: int = 200,
    min_support: int = 3,
) -> list[Pattern]:
    """Gather structures that recur, the most surprising first.

    They are at most ``most`` of more than four nodes, and beside them those of up to four, of which
    there are few where edges and nodes are of few kinds.

    ``roots`` are the nodes at whose edges sets begin, None for all. A pattern is seen in
    ``min_support`` different node sets, see its ``sight``. Every size, the most frequent structures
    of each, and the most surprising ones are among them.
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
    whole = _look_at_all(drawn) if roots is None else []
    compared: list[Pattern] = []
    for size in sizes:
        sets = whole if whole and size in SMALL_SIZES else looks
        seen, *null_seen = [SeenSets(one, own, size) for one, own in zip(drawn, sets, strict=True)]
        compared += _compare(seen, null_seen, graph.num_nodes, min_support)
    return choose(graph, compared, most, min_support)


def _compare(
    seen: SeenSets, null_seen: list[SeenSets], num_nodes: int, min_support: int
) -> list[Pattern]:
    """The frequent structures of one size, and how often the null-model graphs show them."""
    invariants = seen.frequent(min_support, _MOST_FREQUENT)
    nulls = [null.sets_with(invariants) for null in null_seen]
    none = np.empty((0, 1), np.int32)
    compared = []
    for invariant, one in seen.patterns(invariants):
        assert one.sight is not None, "node sets have shown it"
        node_sets, num_pairs = one.sight.node_sets, int(one.structure.joined.sum()) // 2
        if len(node_sets) < min_support:
            continue
        expected, expected_apart = 0.0, 0.0
        for null, sets_of in zip(null_seen, nulls, strict=True):
            sets = sets_of.get(invariant, none)
            apart = sets[_is_apart(sets, num_pairs, null)]
            expected += pick_disjoint(sets, num_nodes).sum() / len(nulls)
            expected_apart += pick_disjoint(apart, num_nodes).sum() / len(nulls)
        sight = replace(
            one.sight,
            num_disjoint=int(pick_disjoint(node_sets, num_nodes).sum()),
            num_expected=float(expected),
            is_apart=_is_apart(node_sets, num_pairs, seen),
            num_apart_expected=float(expected_apart),
        )
        compared.append(replace(one, sight=sight))
    return compared


def _is_apart(sets: np.ndarray, num_pairs: int, seen: SeenSets) -> np.ndarray:
    """Whether hardly an edge leads out of each set of so many joined pairs, bool ``[K]``."""
    apart: np.ndarray = seen.degrees_of(sets).sum(axis=1) - 2 * num_pairs <= MOST_LEAVING
    return apart


def _null_graph(mined: MinedGraph, rng: np.random.Generator) -> MinedGraph:
    """A null-model graph."""
    graph = mined.graph
    if is_large(graph):
        return mined.with_graph(small_configuration(graph, rng)[0])
    if graph.num_edges > _MOST_REWIRED:
        return mined.with_graph(erased_configuration(graph, rng))
    return mined.with_graph(rewire(graph, rng, keep_joint_degrees=True))


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


def _look_at_all(drawn: list[MinedGraph]) -> list[NodeSets]:
    """All small sets of each graph, where they are few and look different; else none."""
    first = drawn[0]
    if first.graph.links is None and first.colors is None:
        # growth has seen the few structures that there are
        return []
    if any(one.graph.num_nodes < first.graph.num_nodes for one in drawn):
        # all of a small one are not all of a large one
        return []
    whole = []
    for one in drawn:
        sets = all_small_sets(one.graph, one.colors)
        if sets is None:
            return []
        whole.append(sets)
    return whole
