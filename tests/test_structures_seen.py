"""The structures of node sets, against canonical forms and NetworkX."""

from __future__ import annotations

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.kernels.search_numba import Rows
from mining.candidates.grown_sets import SeenSets, draw_pairs, grow_from, rows_of, without_triangles
from mining.mined_graph import MinedGraph


def all_pairs(rows: Rows) -> np.ndarray:
    return draw_pairs(rows, 10_000, np.random.default_rng(0))


def draw(kind: str, seed: int):  # type: ignore[no-untyped-def]
    """A random graph with or without directions and types, and its links as matrices."""
    rng = np.random.default_rng(seed)
    source, target = rng.integers(40, size=(2, 120))
    options = {"directed": kind != "plain"}
    if kind == "typed":
        options |= {"relation": rng.integers(2, size=120), "relation_names": ["a", "b"]}
    graph = csr_from_edges(source, target, 40, **options)
    links = np.zeros((40, 40), int)
    links[np.repeat(np.arange(40), graph.degrees), graph.indices] = (
        1 if graph.links is None else graph.links
    )
    return graph, graph.relations.links[links] if graph.links is not None else links > 0


def key_of(channels, graph, colors, nodes) -> bytes:
    """The key of some nodes of a graph, their colours for categories."""
    names = () if colors is None else tuple((str(color),) for color in colors[nodes])
    return Structure(channels, graph.relations, names).key


@pytest.mark.parametrize("colored", [False, True])
@pytest.mark.parametrize("kind", ["plain", "directed", "typed"])
def test_sets_are_grouped_as_by_canonical_forms(kind: str, colored: bool) -> None:
    graph, matrix = draw(kind, 1)
    matrix = matrix if matrix.ndim == 3 else matrix[..., None]
    colors = np.random.default_rng(2).integers(2, size=40) if colored else None
    if colors is not None:
        features = np.eye(2, dtype=np.float32)[colors]
        graph = replace(graph, features=features, feature_names=("0", "1"))
    # the graph in the order that it has
    mined = MinedGraph.of(graph)
    mined = replace(mined, graph=graph, colors=colors)
    rows = rows_of(graph)
    sets = grow_from(graph, rows, colors, all_pairs(rows), 6, True, 3)
    for size in (2, 3, 4, 6):
        seen = SeenSets(mined, sets, size)
        found = {}
        for _, one in seen.patterns(seen.frequent(1, 10_000)):
            example = one.sight.example
            assert (matrix[np.ix_(example, example)] == one.structure.channels).all()
            assert one.key not in found
            found[one.key] = {tuple(sorted(nodes)) for nodes in one.sight.node_sets.tolist()}
        # each growth and each size, one by one
        expected: dict[bytes, set[tuple[int, ...]]] = {}
        for nodes in sets.nodes[sets.nodes[:, size - 1] >= 0, :size]:
            key = key_of(matrix[np.ix_(nodes, nodes)], graph, colors, nodes)
            expected.setdefault(key, set()).add(tuple(sorted(nodes.tolist())))
        assert found == expected


@pytest.mark.parametrize("at_random", [False, True])
def test_grown_sets_are_connected_and_hold_what_they_started_from(at_random: bool) -> None:
    whole = nx.gnp_random_graph(60, 0.06, seed=4)
    graph = as_csr(whole)
    rows = rows_of(graph)
    starts = all_pairs(rows)
    assert sorted(map(tuple, starts.tolist())) == sorted(map(tuple, map(sorted, whole.edges)))
    nodes = grow_from(graph, rows, None, starts, 7, at_random, 0).nodes
    assert (nodes[:, :2] == starts).all()
    for row in nodes.tolist():
        grown = [node for node in row if node >= 0]
        assert len(set(grown)) == len(grown)
        assert len(grown) == min(7, len(nx.node_connected_component(whole, grown[0])))
        for size in range(2, len(grown) + 1):
            assert nx.is_connected(whole.subgraph(grown[:size]))


def test_the_best_linked_node_is_next() -> None:
    # from 0-1: 2 has two links; then 3, 4 and 5 have one, and 3 and 5 are joined
    edges = [(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (2, 5), (3, 5), (4, 6), (4, 7)]
    graph = as_csr(nx.Graph(edges))
    number = {node: position for position, node in enumerate(nx.Graph(edges))}
    start = np.array([[number[0], number[1]]])
    nodes = grow_from(graph, rows_of(graph), None, start, 5, False, 0).nodes[0].tolist()
    assert nodes[:3] == [number[0], number[1], number[2]]
    assert set(nodes[3:]) == {number[3], number[5]}


def test_edges_of_triangles_are_left_out() -> None:
    whole = nx.gnp_random_graph(50, 0.12, seed=5)
    rows = without_triangles(as_csr(whole))
    expected = {
        (u, v) for u, v in whole.edges if not set(whole.neighbors(u)) & set(whole.neighbors(v))
    }
    assert 0 < len(expected) < whole.number_of_edges()
    assert set(map(tuple, all_pairs(rows).tolist())) == expected


def test_some_pairs_are_drawn_at_random() -> None:
    whole = nx.gnp_random_graph(80, 0.1, seed=6)
    rows, expected = rows_of(as_csr(whole)), set(map(tuple, whole.edges))
    rng = np.random.default_rng(1)
    assert set(map(tuple, draw_pairs(rows, 10_000, rng).tolist())) == expected
    few = [tuple(pair) for pair in draw_pairs(rows, 4, rng).tolist()]
    assert len(few) == len(set(few)) == 4
    assert set(few) <= expected
    nothing = rows_of(as_csr(nx.empty_graph(3)))
    assert len(draw_pairs(nothing, 10, rng)) == 0
