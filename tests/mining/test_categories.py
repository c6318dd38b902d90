"""Categories of nodes: which columns are one, and the colour that stands for them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graphs.structure import Structure
from mining.categories import Categories
from mining.mined_graph import MinedGraph


def test_groups_are_the_one_hot_columns_of_one_name():
    features = np.array([[1, 0, 0, 1, 2.0], [0, 1, 0, 1, 1.0], [0, 1, 1, 0, 0.0]])
    names = ["kind=a", "kind=b", "side=left", "side=right", "size"]
    found = Categories.find(features, names)
    assert found.groups == ((0, 1), (2, 3))
    assert found.colors(features).tolist() == [1, 3, 2]
    colors = found.colors(features)
    named = (("kind=a", "side=right"), ("kind=b", "side=right"), ("kind=b", "side=left"))
    assert found.names_of(colors, names) == named
    assert found.names_of(None, names) == ()


def test_numbers_constants_and_nodes_without_a_label_are_no_category():
    assert not Categories.find(np.ones((3, 1)), ["constant"])
    assert not Categories.find(np.array([[1.0, 0], [0, 0]]), ["kind=a", "kind=b"])
    assert not Categories.find(np.array([[1.0, 0], [1, 1]]), ["x0", "x1"])


def test_a_name_for_every_node_is_no_category():
    names = [f"gene={number}" for number in range(300)]
    assert not Categories.find(np.eye(300), names)


def test_graphs_without_categories_have_one_colour():
    assert Categories().colors(np.zeros((4, 2))).tolist() == [0, 0, 0, 0]


def test_a_structure_has_the_colours_of_its_categories_in_a_graph():
    features = np.array([[1, 0, 7], [0, 1, 8], [0, 1, 9]], np.float32)
    graph = csr_from_edges(
        np.array([0, 1]), np.array([1, 2]), 3, features=features, feature_names=["a", "b", "size"]
    )
    categories = Categories(((0, 1),))
    structure = Structure.parse("x:b--y:a, y--z:b")
    assert categories.numbers_of(structure, graph.feature_names).tolist() == [1, 0, 1]
    mined = MinedGraph.of(graph)
    own, of_graph = mined.colors_of(structure)
    assert (own.tolist(), mined.order.given(np.flatnonzero(of_graph == 0)).tolist()) == (
        [1, 0, 1],
        [0],
    )
    assert mined.colors_of(Structure.parse("x--y")) is None
    assert replace(mined, colors=None).colors_of(structure) is None
