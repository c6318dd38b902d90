"""Canonical forms: certificates agree for isomorphic graphs and for no others.

The tests hold for every graph of up to five nodes, which also guards against the direction of
igraph's permutation: it was turned around in igraph 1.0.
"""

import itertools

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.subgraphs import extract_subgraphs
from mining.structures.canonical_forms import CanonicalForms, automorphisms, canonical_form

# graphs of 1, 2, … nodes that are not isomorphic to each other (OEIS A000088)
NUM_CLASSES = {1: 1, 2: 2, 3: 4, 4: 11, 5: 34}
ATLAS = nx.graph_atlas_g()[1:]


def labelled_graphs(num_nodes):
    """Every adjacency matrix on ``num_nodes`` nodes."""
    row, column = np.triu_indices(num_nodes, 1)
    for edges in itertools.product([0, 1], repeat=len(row)):
        adj = np.zeros((num_nodes, num_nodes), dtype=int)
        adj[row, column] = adj[column, row] = edges
        yield adj


@pytest.mark.parametrize(("num_nodes", "num_classes"), NUM_CLASSES.items())
def test_every_labelled_graph_of_up_to_five_nodes(num_nodes, num_classes):
    members = {}
    for adj in labelled_graphs(num_nodes):
        members.setdefault(canonical_form(adj).certificate, []).append(adj)
    assert len(members) == num_classes
    for first, *others in members.values():
        target = nx.from_numpy_array(first)
        assert all(nx.is_isomorphic(target, nx.from_numpy_array(adj)) for adj in others)


def relabelled_pairs():
    """A graph of each class up to five nodes and of a third above, beside a relabelled copy."""
    rng = np.random.default_rng(0)
    for graph in ATLAS:
        if len(graph) <= 5 or rng.random() < 0.1:
            adj = nx.to_numpy_array(graph, dtype=int)
            order = rng.permutation(len(adj))
            yield adj, adj[np.ix_(order, order)]


def test_positions_of_a_relabelled_graph_compose_to_an_isomorphism():
    for adj, other in relabelled_pairs():
        form, other_form = canonical_form(adj), canonical_form(other)
        assert form.certificate == other_form.certificate
        position, other_position = form.position, other_form.position
        assert sorted(position) == list(range(len(adj)))
        # node of `adj` at the canonical position of each node of `other`
        order = np.argsort(position)[other_position]
        np.testing.assert_array_equal(adj[np.ix_(order, order)], other)


def test_an_edge_is_an_entry_that_is_not_zero():
    adj = np.array([[0, 0.3, 0], [0.3, 0, 2.0], [0, 2.0, 0]])
    assert canonical_form(adj).certificate == canonical_form(adj != 0).certificate


@pytest.mark.parametrize(
    ("graph", "count"),
    [
        (nx.path_graph(1), 1),
        (nx.path_graph(4), 2),
        (nx.cycle_graph(6), 12),
        (nx.complete_graph(7), 5040),
        # 40320 are too many to list
        (nx.complete_graph(8), 1),
        (nx.hypercube_graph(3), 48),
    ],
    ids=str,
)
def test_automorphisms_keep_the_edges(graph, count):
    adj = nx.to_numpy_array(graph)
    found = automorphisms(adj)
    assert found.shape == (count, len(adj))
    assert len(np.unique(found, axis=0)) == count
    assert all((adj[np.ix_(order, order)] == adj).all() for order in found)


@pytest.fixture(scope="module")
def batch():
    parts = [nx.path_graph(3), nx.complete_graph(3), nx.path_graph(2), nx.empty_graph(1)]
    graph = nx.disjoint_union_all([*parts, *parts])
    return extract_subgraphs(as_csr(graph), num_hops=2, max_nodes=4)


def test_rows_of_a_batch_are_found_by_certificate(batch):
    forms = CanonicalForms(batch)
    rows = {
        name: np.flatnonzero(
            forms.has(canonical_form(nx.to_numpy_array(graph)).certificate)
        ).tolist()
        for name, graph in {
            "path": nx.path_graph(3),
            "triangle": nx.complete_graph(3),
            "edge": nx.path_graph(2),
            "node": nx.empty_graph(1),
            "two nodes": nx.empty_graph(2),
        }.items()
    }
    assert rows == {
        "path": [0, 1, 2, 9, 10, 11],
        "triangle": [3, 4, 5, 12, 13, 14],
        "edge": [6, 7, 15, 16],
        "node": [8, 17],
        "two nodes": [],
    }


def test_forms_of_a_batch_are_those_of_its_subgraphs_without_padding(batch):
    forms = CanonicalForms(batch)
    for row, count in enumerate(batch.num_nodes):
        form = canonical_form(batch.adjacency()[row, :count, :count])
        assert forms.certificate(row) == form.certificate
        positions = forms.positions(np.array([row]))[0]
        assert positions[:count].tolist() == form.position.tolist()
        assert (positions[count:] == -1).all()
