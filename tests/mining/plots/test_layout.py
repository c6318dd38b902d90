"""Layouts: the same on every run, few crossings, wide gaps, components side by side."""

import itertools
import random

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from mining.plots.layout import map_positions, node_positions, structure_positions

SHAPES = {
    "single node": nx.empty_graph(1),
    "edge": nx.path_graph(2),
    "path": nx.path_graph(12),
    "star": nx.star_graph(11),
    "clique": nx.complete_graph(12),
    "icosahedron": nx.icosahedral_graph(),
    "bipartite": nx.complete_bipartite_graph(3, 3),
    "two components": nx.disjoint_union(nx.cycle_graph(3), nx.path_graph(2)),
    "more edges than are compared": nx.gnm_random_graph(60, 200, seed=1),
}


@pytest.mark.parametrize("graph", [nx.wheel_graph(6), nx.grid_2d_graph(3, 4)], ids=str)
def test_simple_planar_graphs_are_drawn_without_crossings(graph):
    graph = nx.convert_node_labels_to_integers(graph)
    ends = node_positions(len(graph), tuple(graph.edges))[list(graph.edges)]
    for (a, b), (c, d) in itertools.combinations(ends, 2):
        sides = [np.linalg.det([b - a, c - a]), np.linalg.det([b - a, d - a])]
        others = [np.linalg.det([d - c, a - c]), np.linalg.det([d - c, b - c])]
        assert np.prod(sides) > -1e-9 or np.prod(others) > -1e-9


@pytest.mark.parametrize("graph", [nx.star_graph(80), nx.random_regular_graph(3, 200, seed=1)])
def test_a_map_is_the_same_every_time_and_leaves_python_s_random_numbers_alone(graph):
    random.seed(3)
    expected = random.random()
    random.seed(3)
    positions = map_positions(as_csr(graph))
    assert random.random() == expected
    assert np.array_equal(map_positions(as_csr(graph)), positions)
    # twins do not lie on one another
    apart = np.linalg.norm(positions[:, None] - positions[None], axis=2)
    assert apart[np.triu_indices(len(graph), 1)].min() > 1e-3


def test_components_of_a_map_lie_side_by_side():
    graphs = [nx.cycle_graph(size) for size in (3, 9, 70, 4, 5)] + [nx.empty_graph(3)]
    positions = map_positions(as_csr(graphs))
    components = nx.connected_components(nx.disjoint_union_all(graphs))
    boxes = [positions[list(nodes)] for nodes in components]
    assert len(boxes) == 8
    for one, other in itertools.combinations(boxes, 2):
        gap = np.maximum(one.min(axis=0) - other.max(axis=0), other.min(axis=0) - one.max(axis=0))
        assert gap.max() > 0.1


def test_sources_stand_above_targets_where_all_nodes_are_one_of_both():
    """A bi-fan; not a feed-forward loop, whose middle node is both, nor an undirected square."""
    fan = Structure.parse("a->c, a->d, b->c, b->d")
    points = structure_positions(fan)
    assert all(points[u, 1] > points[v, 1] for u, v in fan.edges)
    assert len({tuple(point) for point in points.tolist()}) == 4
    for text in ("a->b, a->c, b->c", "ring-4"):
        one = Structure.parse(text)
        assert (structure_positions(one) == node_positions(one.num_nodes, one.edges)).all()
