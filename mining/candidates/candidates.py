"""Candidates for patterns: structures of several sizes that recur, most surprising first.

Connected node sets grow from edges, each growth through all sizes (``node_sets.py``); small sets
are all looked at, where these are not too many (``small_sets.py``). The structures that they show
are compared with those that are seen in the same way in two null-model graphs, so that what is
usual in any such graph does not stand first. How often a candidate occurs in the whole graph, and
whether that is surprising, is for the counting to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from mining.candidates.choosing import ComparedStructure, choose
from mining.candidates.node_sets import NodeSets, draw_pairs, grow_from, rows_of, without_triangles
from mining.candidates.small_sets import SMALL_SIZES, all_small_sets
from mining.candidates.structures import SeenSets
from mining.counting.set_apart import MOST_LEAVING
from mining.null_models.null_models import erased_configuration, rewire
from mining.null_models.small_graphs import is_large, small_configuration
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


@dataclass(frozen=True)
class Candidate:
    """A structure that recurs.

    Attributes
    ----------
    adjacency : numpy.ndarray
        bool ``[M, M]``, or ``[M, M, C]`` in the channels of the graph's relations.
    colors : numpy.ndarray or None
        int64 ``[M]``, the colours of its nodes.
    num_seen : int
        Different node sets with this structure among those that were looked at.
    example : numpy.ndarray
        int32 ``[M]``, graph nodes of one of them, in the order of ``adjacency``.
    num_disjoint : int
        Of these sets, so many share no node.
    num_expected : float
        Sets that share no node in the mean null-model graph, looked at in the same way.
    """

    adjacency: np.ndarray
    colors: np.ndarray | None
    num_seen: int
    example: np.ndarray
    num_disjoint: int
    num_expected: float


def gather_candidates(
    graph: CSRGraph,
    colors: np.ndarray | None = None,
    sizes: Sequence[int] = tuple(range(3, 9)),
    *,
    seed: int = 0,
    roots: np.ndarray | None = None,
    most: int = 200,
    min_support: int = 3,
) -> list[Candidate]:
    """Gather structures that recur, the most surprising first.

    They are at most ``most`` of more than four nodes, and beside them those of up to four, of which
    there are few where edges and nodes are of few kinds.

    ``colors`` are node colours, int64 ``[V]``, which structures keep; ``roots`` the nodes at whose
    edges sets begin, None for all. A candidate is seen in ``min_support`` different node sets.
    Every size, the most frequent structures of each, and the most surprising ones are among them.
    """
    rng = np.random.default_rng([seed, 11])
    number = _NUM_LARGE_NULL_GRAPHS if is_large(graph) else _NUM_NULL_GRAPHS
    drawn = [(graph, colors), *(_null_graph(graph, colors, rng) for _ in range(number))]
    looks = [_look(*one, max(sizes), roots, rng) for one in drawn]
    # a small null-model graph stands for one as large as the graph, where sets are as far apart
    looks = [
        look.spread(one.num_nodes, graph.num_nodes // one.num_nodes, rng)
        if one.num_nodes < graph.num_nodes
        else look
        for (one, _), look in zip(drawn, looks, strict=True)
    ]
    whole = _look_at_all(drawn) if roots is None else []
    compared: list[ComparedStructure] = []
    for size in sizes:
        sets = whole if whole and size in SMALL_SIZES else looks
        seen, *null_seen = [SeenSets(*one, own, size) for one, own in zip(drawn, sets, strict=True)]
        compared += _compare(seen, null_seen, graph.num_nodes, min_support)
    return [_candidate(one) for one in choose(graph, compared, most, min_support)]


def _compare(
    seen: SeenSets, null_seen: list[SeenSets], num_nodes: int, min_support: int
) -> list[ComparedStructure]:
    """The frequent structures of one size, and how often the null-model graphs show them."""
    invariants = seen.frequent(min_support, _MOST_FREQUENT)
    nulls = [null.sets_with(invariants) for null in null_seen]
    none = np.empty((0, 1), np.int32)
    compared = []
    for one in seen.structures(invariants):
        if len(one.node_sets) < min_support:
            continue
        expected, expected_apart = 0.0, 0.0
        for null, sets_of in zip(null_seen, nulls, strict=True):
            sets = sets_of.get(one.invariant, none)
            apart = sets[_is_apart(sets, one.num_pairs, null)]
            expected += pick_disjoint(sets, num_nodes).sum() / len(nulls)
            expected_apart += pick_disjoint(apart, num_nodes).sum() / len(nulls)
        compared.append(
            ComparedStructure(
                one,
                int(pick_disjoint(one.node_sets, num_nodes).sum()),
                float(expected),
                _is_apart(one.node_sets, one.num_pairs, seen),
                float(expected_apart),
                num_nodes,
            )
        )
    return compared


def _is_apart(sets: np.ndarray, num_pairs: int, seen: SeenSets) -> np.ndarray:
    """Whether hardly an edge leads out of each set of so many joined pairs, bool ``[K]``."""
    apart: np.ndarray = seen.degrees_of(sets).sum(axis=1) - 2 * num_pairs <= MOST_LEAVING
    return apart


_Colored = tuple[CSRGraph, np.ndarray | None]


def _null_graph(graph: CSRGraph, colors: np.ndarray | None, rng: np.random.Generator) -> _Colored:
    """A null-model graph and the colours of its nodes."""
    if is_large(graph):
        small, nodes = small_configuration(graph, rng)
        return small, None if colors is None else colors[nodes]
    if graph.num_edges > _MOST_REWIRED:
        return erased_configuration(graph, rng), colors
    return rewire(graph, rng, keep_joint_degrees=True), colors


def _look(
    graph: CSRGraph,
    colors: np.ndarray | None,
    max_nodes: int,
    roots: np.ndarray | None,
    rng: np.random.Generator,
) -> NodeSets:
    """Connected node sets of a graph that have grown from its edges."""
    views = [(rows_of(graph), False), (rows_of(graph), True)]
    if not is_large(graph):
        # edges outside of triangles lead around what is clustered, to motifs of squares and rings
        views.append((without_triangles(graph), False))
    parts = []
    for rows, at_random in views:
        starts = draw_pairs(rows, roots, _MOST_GROWTHS, rng)
        seed = int(rng.integers(2**63))
        parts.append(grow_from(graph, rows, colors, starts, max_nodes, at_random, seed))
    return NodeSets.join(parts)


def _look_at_all(drawn: list[_Colored]) -> list[NodeSets]:
    """All small sets of each graph, where they are few and look different; else none."""
    graph, colors = drawn[0]
    if graph.links is None and colors is None:
        # growth has seen the few structures that there are
        return []
    if any(one.num_nodes < graph.num_nodes for one, _ in drawn):
        # all of a small one are not all of a large one
        return []
    whole = []
    for one in drawn:
        sets = all_small_sets(*one)
        if sets is None:
            return []
        whole.append(sets)
    return whole


def _candidate(one: ComparedStructure) -> Candidate:
    return Candidate(
        one.seen.adjacency,
        one.seen.colors,
        len(one.seen.node_sets),
        one.seen.example,
        one.num_disjoint,
        one.num_expected,
    )
