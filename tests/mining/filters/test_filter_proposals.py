"""Filters that may be motifs: what a graph has and random graphs with its degrees do not."""

import networkx as nx
import numpy as np
import pytest

from gomkcn.mining.filters.filter_proposals import propose_filters
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn_dgl import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.job import Interrupts
from gomkcn_dgl.runtime.steps import Steps

HOUSE = nx.Graph([(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4)])


def with_copies(host, motif, number, seed=0):
    """A graph with copies of a motif, each joined to the host by one edge."""
    graph = nx.disjoint_union_all([host, *[motif] * number])
    rng = np.random.default_rng(seed)
    for copy in range(number):
        first = len(host) + copy * len(motif)
        graph.add_edge(int(rng.integers(len(host))), first + int(rng.integers(len(motif))))
    return graph


def propose(graph, sizes=range(3, 9)):
    return propose_filters(MinedGraph.of(graph), sizes, 0, Steps())


@pytest.mark.parametrize("kind", ["clustered", "tree", "grid"])
def test_planted_motifs_are_among_them(kind):
    hosts = {
        "clustered": nx.watts_strogatz_graph(300, 4, 0.2, seed=1),
        "tree": nx.random_labeled_tree(300, seed=1),
        "grid": nx.convert_node_labels_to_integers(nx.grid_2d_graph(17, 18)),
    }
    clique = nx.complete_graph(6)
    clique.remove_edge(0, 1)
    graph = with_copies(with_copies(hosts[kind], HOUSE, 6), clique, 6, seed=2)
    keys = {structure.key for structure in propose(graph)}
    assert {Structure.from_networkx(HOUSE).key, Structure.from_networkx(clique).key} <= keys


def test_there_are_at_most_eight_of_each_size_from_four_to_eight():
    found = propose(nx.random_geometric_graph(400, 0.09, seed=3), range(3, 11))
    sizes = [structure.num_nodes for structure in found]
    assert sizes == sorted(sizes) and {*sizes} == {4, 5, 6, 7, 8}
    assert max(map(sizes.count, sizes)) <= 8
    assert len({structure.key for structure in found}) == len(found)


def test_sizes_are_those_of_motifs():
    graph = with_copies(nx.random_labeled_tree(200, seed=1), nx.complete_graph(6), 5)
    assert {structure.num_nodes for structure in propose(graph, range(6, 7))} == {6}
    assert propose(graph, range(3, 4)) == ()


@pytest.mark.parametrize("seed", range(3))
def test_a_draw_of_its_degrees_has_none_or_next_to_none(seed):
    assert len(propose(nx.gnm_random_graph(400, 800, seed=seed))) <= 1


def test_they_have_the_directions_and_the_categories_of_the_graph():
    loop = nx.DiGraph([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)])
    nx.set_node_attributes(loop, {0: "a", 1: "b", 2: "b", 3: "a"}, "kind")
    host = nx.gnp_random_graph(200, 0.01, seed=4, directed=True)
    nx.set_node_attributes(host, {node: "ab"[node % 2] for node in host}, "kind")
    graph = with_copies(host, loop, 8)
    assert Structure.from_networkx(loop).key in {found.key for found in propose(graph)}


def test_molecules_and_graphs_without_edges_have_none():
    rings = nx.disjoint_union_all([nx.complete_graph(5)] * 6 + [nx.path_graph(40)])
    assert propose(rings)
    nx.set_edge_attributes(rings, "single", "relation")
    molecules = MinedGraph.of(as_csr(rings, relation="relation"))
    assert molecules.graph.relations.names == ("single",)
    assert propose_filters(molecules, range(3, 9), 0, Steps()) == ()
    assert propose(nx.empty_graph(5)) == ()


def test_without_time_there_are_none():
    graph = with_copies(nx.random_labeled_tree(200, seed=1), nx.complete_graph(6), 5)
    with Interrupts(1e-6) as interrupts:
        steps = Steps(interrupts=interrupts)
        assert propose_filters(MinedGraph.of(as_csr(graph)), range(3, 9), 0, steps) == ()
    assert steps.is_partial


def test_what_adds_no_more_than_in_random_graphs_is_none():
    # of seven and eight nodes others come back, no more often than there
    graph = with_copies(nx.random_labeled_tree(300, seed=1), HOUSE, 6)
    found = propose(graph)
    assert [structure.num_nodes for structure in found] == [5, 6]
    assert found[0].key == Structure.from_networkx(HOUSE).key
