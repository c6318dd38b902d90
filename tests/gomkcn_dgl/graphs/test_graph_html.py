"""A graph in words: what `gomkcn info` says, which is a table in a notebook."""

import re

import networkx as nx
import numpy as np

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graph_html import describe_graph


def test_names_are_escaped():
    graph = nx.path_graph(2)
    nx.set_node_attributes(graph, 1.0, "<b>bold</b>")
    page = as_csr(graph, features=["<b>bold</b>"])._repr_html_()
    assert "<b>" not in page
    assert re.search(r"1 \(&lt;b&gt;bold&lt;/b&gt;\)", page)


def test_edges_of_each_relation_are_counted_once():
    graph = csr_from_edges(
        np.array([0, 1, 0]),
        np.array([1, 2, 2]),
        4,
        relation=np.array([0, 0, 1]),
        relation_names=["binds", "cuts"],
        directed=[False, True],
    )
    said = describe_graph(graph)
    assert said["relations"] == "binds 2 (undirected), cuts 1 (directed)"
    assert said["edges"] == "3 (directed, unweighted)"
    assert said["components"] == "2, the largest with 3 nodes"
