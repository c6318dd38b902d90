"""A graph in a notebook: a table of the words of `gomkcn info`."""

import re

import networkx as nx

from gomkcn_dgl.graph import as_csr


def test_names_are_escaped():
    graph = nx.path_graph(2)
    nx.set_node_attributes(graph, 1.0, "<b>bold</b>")
    page = as_csr(graph, features=["<b>bold</b>"])._repr_html_()
    assert "<b>" not in page
    assert re.search(r"1 \(&lt;b&gt;bold&lt;/b&gt;\)", page)
