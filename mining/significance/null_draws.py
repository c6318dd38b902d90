"""How the graphs of null models are drawn, and what tells a graph from them.

Named null models are in :mod:`~gomkcn.mining.significance.null_models`, which imports this where a
graph is drawn.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gomkcn.mining.counting.census_formulas import count_triangles
from gomkcn.mining.significance.degree_walk import (
    EdgeOfPairs,
    draw_readings,
    sort_readings,
    split_sides,
    walk,
)
from gomkcn.mining.significance.plain_walk import JoinedPairs, walk_plain
from gomkcn.mining.structures.categories import Categories
from gomkcn.mining.structures.distinct_numbers import distinct_numbers
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.sides import LEAST_CYCLES

# attempts of a walk for each edge: after 5 counts and edges were as after 60, where 8% succeed and
# where 98% do
ATTEMPTS_PER_EDGE = 10
# attempts for which random numbers are drawn together: a MiB and a half of them
ATTEMPTS_AT_ONCE = 1 << 16
# random graphs by which a doubt is told; the differences that matter are large
NUM_LOOKED_AT = 4
# where fewer of the attempts succeed, few graphs can be reached
_LEAST_ACCEPTED = 0.01
# a graph has other triangles than a null model if their numbers differ by so many standard
# deviations
_DISTANCE = 5.0
# and by this factor
_FACTOR = 1.5
# and if this share of the nodes with two neighbours is in one: where copies of a motif are planted,
# few nodes have many
_SHARE = 0.6
# a walk of a graph by a seed: the graph at its end, and the share of attempts that were not refused
Walk = Callable[[int], tuple[CSRGraph, float]]


def node_groups(graph: CSRGraph, categories: Categories, sides: np.ndarray | None) -> np.ndarray:
    """What a node may not be exchanged against: graph, category and side, int64 ``[V]``."""
    columns = [graph.graph_of(np.arange(graph.num_nodes))]
    columns += [categories.colors(graph.features)] if categories else []
    columns += [] if sides is None else [sides]
    return _grouped(*columns)


def degree_groups(graph: CSRGraph) -> np.ndarray:
    """The class of the degrees of each node, int64 ``[V]``."""
    return _grouped(*_kind_degrees(graph).T)


def walk_from(
    graph: CSRGraph,
    colors: np.ndarray,
    joint: np.ndarray | None = None,
    check_time: Callable[[], None] | None = None,
    *,
    attempts_per_edge: int = ATTEMPTS_PER_EDGE,
    attempts_at_once: int = ATTEMPTS_AT_ONCE,
    by_edges: bool = False,
) -> Walk:
    """What walks from a graph, which is looked at once; see ``DegreeWalk`` for the groups.

    Where all edges are of one kind the walk looks up whether nodes are joined, and with
    ``by_edges`` by which edge, as elsewhere: it ends at the same graph.
    """
    edges, kinds = _edges_and_kinds(graph)
    # readings may be exchanged that agree in this: kind, and nodes at both ends
    sources = edges.reshape(-1)
    targets = edges[:, ::-1].reshape(-1)
    degrees = [] if joint is None else [joint[targets]]
    groups = _grouped(colors[sources], colors[targets], kinds, *degrees)
    ends = np.concatenate([[0], np.cumsum(np.bincount(groups))])
    members = np.argsort(groups, kind="stable")
    # links that read otherwise from the other end
    reverse = graph.relations.reverse
    one_way = reverse != np.arange(len(reverse))
    # of all edges, as read from either end
    is_plain = not by_edges and bool((kinds == kinds[:1]).all())

    def walk_by(seed: int) -> tuple[CSRGraph, float]:
        if len(edges) == 0:
            return replace(graph, weights=None, loops=None), 1.0
        walked = edges.astype(np.int32)
        joined: Any = (
            JoinedPairs.of(walked, graph.num_nodes) if is_plain else EdgeOfPairs.of(walked)
        )
        rng = np.random.default_rng(seed)
        attempts = attempts_per_edge * len(edges)
        # written over by each piece: new memory takes as long as the numbers do
        most = min(attempts_at_once, attempts)
        all_numbers, all_readings = np.empty((most, 3)), np.empty((most, 2), np.int64)
        count = 0
        for made in range(0, attempts, attempts_at_once):
            if check_time is not None:
                check_time()
            numbers, readings = all_numbers[: attempts - made], all_readings[: attempts - made]
            rng.random(out=numbers)
            draw_readings(groups, ends, members, numbers, readings)
            if is_plain:
                count += walk_plain(walked.reshape(-1), joined, readings)
            else:
                count += walk(walked, kinds, one_way, groups, joined, readings, numbers)
        return _graph_of(walked, kinds, graph), count / attempts

    return walk_by


def with_random_edges(graph: CSRGraph, seed: int, sides: np.ndarray | None = None) -> CSRGraph:
    """Put each edge between two random nodes of its graph, of different ``sides [V]`` if given."""
    if len(graph.indices) == 0:
        return replace(graph, weights=None, loops=None)
    rng = np.random.default_rng(seed)
    edges, kinds = _edges_and_kinds(graph)
    if sides is not None:
        return _graph_of(_between_sides(edges, sides, graph, rng), kinds, graph)
    # 1. pairs of nodes of each graph, as many as there are edges
    numbers = np.bincount(graph.graph_of(edges[:, 0]), minlength=graph.num_graphs)
    starts = graph.graph_ptr[:-1].tolist()
    ends = np.cumsum(numbers).tolist()
    sizes = np.diff(graph.graph_ptr).tolist()
    for start, size, number, end in zip(starts, sizes, numbers.tolist(), ends, strict=True):
        pairs = rng.choice(size * (size - 1) // 2, number, replace=False)
        edges[end - number : end] = start + _nodes_of_pairs(pairs)
    # 2. in which direction each edge leads
    turned = rng.random(len(edges)) < 0.5
    edges[turned] = edges[turned, ::-1]
    return _graph_of(edges, kinds, graph)


def _between_sides(
    edges: np.ndarray, sides: np.ndarray, graph: CSRGraph, rng: np.random.Generator
) -> np.ndarray:
    """Edges of each graph between random nodes of its two sides, from and to the same sides."""
    drawn = np.empty_like(edges)
    owner = graph.graph_of(edges[:, 0])
    for number, (start, end) in enumerate(itertools.pairwise(graph.graph_ptr.tolist())):
        first, second = (start + np.flatnonzero(sides[start:end] == side) for side in (0, 1))
        of_graph = np.flatnonzero(owner == number)
        pairs = rng.choice(len(first) * len(second), len(of_graph), replace=False)
        ends = np.stack([first[pairs // len(second)], second[pairs % len(second)]], axis=1)
        # each edge leads to the side to which it led
        turned = sides[edges[of_graph, 0]] == 1
        ends[turned] = ends[turned, ::-1]
        drawn[of_graph] = ends
    return drawn


def doubt_walks(name: str, graph: CSRGraph, walk_by: Walk) -> str:
    """That hardly any graph keeps what walks do, or that there are other triangles."""
    walked = list(map(walk_by, range(NUM_LOOKED_AT)))
    accepted = float(np.mean([share for _, share in walked]))
    if accepted < _LEAST_ACCEPTED:
        return (
            f"{1000 * accepted:.0f} of 1,000 swaps of the null model “{name}” succeed. "
            "Its random graphs hardly differ from the graph: the comparison has little power."
        )
    return doubt_triangles(name, graph, [sample for sample, _ in walked])


def kept_sides(graph: CSRGraph) -> np.ndarray | None:
    """Side of each node that random graphs keep, int64 ``[V]``: as the input has them, or found.

    Two categories are sides where no edge joins two nodes of one.
    """
    if graph.sides is not None and graph.two_sides is not None:
        return graph.two_sides.second.astype(np.int64)
    categories = Categories.find(graph.stored_features, graph.feature_names)
    colors = categories.two_sides(graph)
    if colors is not None:
        return np.unique(colors, return_inverse=True)[1].reshape(-1)
    return find_sides(graph)


def find_sides(graph: CSRGraph) -> np.ndarray | None:
    """Side of each node, int64 ``[V]`` of 0 and 1, where all edges join the two sides; else None.

    That is said of undirected graphs with several cycles: trees have two sides, whatever they mean.
    In each component the node with most neighbours is on side 0.

    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> find_sides(as_csr(nx.complete_bipartite_graph(3, 4))).tolist()
    [0, 0, 0, 1, 1, 1, 1]
    >>> find_sides(as_csr(nx.star_graph(4))) is None
    True
    """
    if graph.links is not None:
        return None
    sides = np.full(graph.num_nodes, -1)
    waiting = np.empty(graph.num_nodes, np.int64)
    order = np.argsort(-graph.degrees, kind="stable")
    components = split_sides(graph.indptr, graph.indices, order, sides, waiting)
    if components < 0 or len(graph.indices) // 2 - len(sides) + components < LEAST_CYCLES:
        return None
    return sides


def doubt_triangles(name: str, graph: CSRGraph, samples: list[CSRGraph]) -> str:
    """Say that a graph has other triangles than random ones, where it has them all over."""
    at_nodes = count_triangles(graph)
    observed = int(at_nodes.sum()) // 3
    able = graph.degrees > 1
    share = float((at_nodes[able] > 0).mean()) if able.any() else 0.0
    counts = [int(count_triangles(sample).sum()) // 3 for sample in samples]
    mean = float(np.mean(counts))
    sd = float(np.std(counts, ddof=1))
    difference = abs(observed - mean)
    is_alike = difference <= _DISTANCE * max(sd, mean**0.5, 1.0)
    is_alike |= difference <= (_FACTOR - 1) * min(observed, mean)
    if is_alike or (observed > mean and share < _SHARE):
        return ""
    what = "graphs have" if graph.num_graphs > 1 else "graph has"
    if observed > mean:
        number, verdict = "more", "over"
        where = f"; {share:.0%} of the nodes with two or more neighbours are in one"
        why = " Where edges join what is near, in space or in a group, nearly all dense ones are."
    else:
        number, verdict = "fewer", "under"
        where, why = "", ""
    return (
        f"The {what} {number} triangles than random graphs of the null model “{name}”, "
        f"{observed:,} against {mean:,.0f}{where}. Structures that contain triangles may be "
        f"{verdict}-represented for this reason alone.{why}"
    )


def _edges_and_kinds(graph: CSRGraph) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of joined nodes, int64 ``[E, 2]``, and the link of each as read from either end."""
    row = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    there = np.flatnonzero(row < graph.indices)
    edges = np.stack([row[there], graph.indices[there].astype(np.int64)], axis=1)
    if graph.links is None:
        return edges, np.ones(2 * len(edges), np.int64)
    kinds = graph.links[np.stack([there, graph.opposite_entries[there]], axis=1)]
    return edges, kinds.reshape(-1).astype(np.int64)


def _graph_of(edges: np.ndarray, kinds: np.ndarray, graph: CSRGraph) -> CSRGraph:
    """The graph of these edges, with the nodes of ``graph``."""
    degrees = np.bincount(edges.reshape(-1), minlength=graph.num_nodes)
    indptr = np.concatenate([[0], np.cumsum(degrees)])
    by_target, order = np.empty((2, 2 * len(edges)), np.int64)
    sort_readings(edges, indptr, by_target, order)
    return replace(
        graph,
        indptr=indptr,
        indices=edges[:, ::-1].reshape(-1)[order].astype(np.int32),
        links=None if graph.links is None else kinds[order].astype(graph.links.dtype),
        weights=None,
        # no random graph has any
        loops=None,
    )


def _kind_degrees(graph: CSRGraph) -> np.ndarray:
    """Neighbours of each node by link, int64 ``[V, K]``."""
    row = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    links = np.ones(len(row), np.int64) if graph.links is None else graph.links
    number = len(graph.relations.links)
    return np.bincount(row * number + links, minlength=graph.num_nodes * number).reshape(-1, number)


def _nodes_of_pairs(pairs: np.ndarray) -> np.ndarray:
    """The nodes ``i < j`` of pair number ``i + j (j - 1) / 2``, int64 ``[E, 2]``."""
    high = ((1 + np.sqrt(1 + 8 * pairs.astype(np.float64))) / 2).astype(np.int64)
    # the root of a large number may be rounded up
    high -= high * (high - 1) // 2 > pairs
    return np.stack([pairs - high * (high - 1) // 2, high], axis=1)


def _grouped(*columns: np.ndarray) -> np.ndarray:
    """The number of each row among the different rows of columns of numbers from 0, ascending."""
    groups = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        # the numbers of either stay below that of rows, so that no product is too large
        values, of_column = distinct_numbers(column)
        _, groups = distinct_numbers(groups * len(values) + of_column)
    return groups
