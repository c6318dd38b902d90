"""Everyday names of shapes."""

import re

import networkx as nx
import numpy as np
import pytest
from test_motif_names import connected_classes
from tiny_runs import pattern_of, typed_pattern_of

from mining.descriptions.shapes import describe_shape


@pytest.mark.parametrize(
    ("graph", "shape"),
    [
        (nx.empty_graph(1), "single node"),
        (nx.path_graph(2), "edge"),
        (nx.path_graph(3), "path of 3 nodes"),
        (nx.star_graph(5), "star with 5 leaves"),
        (nx.Graph([(0, 1), (1, 2), (2, 3), (1, 4)]), "tree with 5 nodes"),
        (nx.cycle_graph(3), "triangle"),
        (nx.cycle_graph(6), "cycle of 6 nodes"),
        (nx.complete_graph(4), "clique of 4 nodes"),
        (nx.wheel_graph(6), "wheel with 5 spokes"),
        (nx.complete_bipartite_graph(2, 3), "complete bipartite graph, 2 and 3 nodes"),
        (nx.ladder_graph(3), "6 nodes, 7 edges"),
        (nx.Graph([(0, 1), (1, 2), (0, 2), (2, 3)]), "triangle with 1 node hanging on"),
        (nx.Graph([(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (4, 5)]),
         "cycle of 4 nodes with 2 nodes hanging on"),
        (nx.complement(nx.from_edgelist([(0, 1), (2, 3), (4, 5)])), "6 nodes, 12 edges"),
        (nx.complement(nx.disjoint_union(nx.path_graph(3), nx.empty_graph(3))),
         "clique of 6 nodes less 2 edges"),
        (nx.Graph([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]), "4 nodes, 5 edges"),
        # a hub on two triangles has the degrees of a wheel and is none
        (nx.full_join(nx.empty_graph(1), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3)),
                      rename=("a", "b")), "7 nodes, 12 edges"),
    ],
)  # fmt: skip
def test_describe_shape(graph, shape):
    assert describe_shape(pattern_of(graph).structure) == shape


def test_what_is_said_of_each_directed_graph_of_four_nodes_is_true():
    """A name belongs to one class; else the numbers of the sentence are those of the graph."""
    named = []
    for arcs in connected_classes(4):
        edges = [("edge", u, v) for u, v in np.argwhere(arcs).tolist()]
        text = describe_shape(typed_pattern_of(4, edges, {"edge": True}).structure)
        if not text.startswith("4 nodes, "):
            named.append(text)
            assert text.endswith("both ways") == (arcs == arcs.T).all()
            continue
        graph = nx.DiGraph(np.argwhere(arcs).tolist())
        claims = {
            noun: int(number) for number, noun in re.findall(r"(\d+) ([a-z ]+?)s?(?:,|$)", text)
        }
        assert claims["arc"] == graph.number_of_edges()
        assert claims.get("mutual pair", 0) == sum(graph.has_edge(v, u) for u, v in graph.edges) / 2
        assert claims.get("source", 0) == sum(degree == 0 for _, degree in graph.in_degree)
        assert claims.get("sink", 0) == sum(degree == 0 for _, degree in graph.out_degree)
        if "directed cycle" in text:
            cyclic = not nx.is_directed_acyclic_graph(graph)
            assert text.endswith("with a directed cycle") == cyclic
    assert len(named) == len(set(named)) == 11 + 5
