"""A graph in a notebook: the words of `gomkcn info`, and a drawing of a small graph."""

import re
from xml.etree import ElementTree

import networkx as nx
import pytest

from gomkcn_dgl.graph import as_csr


def parsed(graph):
    """The HTML as a tree, which it must be."""
    return ElementTree.fromstring(as_csr(graph)._repr_html_())


def test_a_drawing_has_every_node_and_edge_once_and_within():
    page = parsed(nx.karate_club_graph())
    (drawing,) = page.iter("svg")
    assert drawing.get("aria-label") == "34 nodes, 78 edges"
    dots = [(float(dot.get("cx")), float(dot.get("cy"))) for dot in page.iter("circle")]
    assert len(set(dots)) == 34
    assert all(4 <= value <= 216 for dot in dots for value in dot)
    assert len(list(page.iter("line"))) == 78
    assert next(page.iter("figcaption"), None) is None


def test_arrow_heads_stand_where_edges_end():
    page = parsed(nx.DiGraph([(0, 1), (1, 0), (1, 2), (3, 2)]))
    dots = [(dot.get("cx"), dot.get("cy")) for dot in page.iter("circle")]
    lines = [[line.get(name) for name in ("x1", "y1", "x2", "y2")] for line in page.iter("line")]
    arcs = [(dots.index((a, b)), dots.index((c, d))) for a, b, c, d in lines]
    assert arcs == [(0, 1), (1, 0), (1, 2), (3, 2)]
    assert {line.get("marker-end") for line in page.iter("line")} == {"url(#gomkcn-arrow)"}
    assert len(list(page.iter("marker"))) == 1
    assert not list(parsed(nx.path_graph(3)).iter("marker"))


@pytest.mark.parametrize(("num_nodes", "drawn"), [(1, 1), (80, 1), (81, 0)])
def test_only_a_small_graph_is_drawn(num_nodes, drawn):
    page = parsed(nx.path_graph(num_nodes))
    assert len(list(page.iter("svg"))) == drawn
    assert len(list(page.iter("circle"))) == drawn * num_nodes


def test_names_are_escaped():
    graph = nx.path_graph(2)
    nx.set_node_attributes(graph, 1.0, "<b>bold</b>")
    page = as_csr(graph, features=["<b>bold</b>"])._repr_html_()
    assert "<b>" not in page
    assert re.search(r"1 \(&lt;b&gt;bold&lt;/b&gt;\)", page)
