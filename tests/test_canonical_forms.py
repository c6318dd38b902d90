"""Canonical forms: certificates agree for isomorphic graphs and for no others.

The tests also guard against the direction of igraph's permutation, which changed in igraph 1.0.
"""

import itertools

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.subgraphs import extract_subgraphs
from mining.structures.canonical_forms import CanonicalForms, automorphisms, canonical_form

SHAPES = [nx.path_graph(3), nx.complete_graph(3), nx.path_graph(2), nx.empty_graph(1)]


# graphs of that many nodes that are not isomorphic to each other (OEIS A000088)
@pytest.mark.parametrize(("num_nodes", "num_classes"), [(1, 1), (2, 2), (3, 4), (4, 11), (5, 34)])
def test_every_labelled_graph_of_up_to_five_nodes(num_nodes, num_classes):
    row, column = np.triu_indices(num_nodes, 1)
    members = {}
    for edges in itertools.product([0, 1], repeat=len(row)):
        adj = np.zeros((num_nodes, num_nodes), dtype=int)
        adj[row, column] = adj[column, row] = edges
        members.setdefault(canonical_form(adj).certificate, []).append(adj)
    assert len(members) == num_classes
    for first, *others in members.values():
        target = nx.from_numpy_array(first)
        assert all(nx.is_isomorphic(target, nx.from_numpy_array(adj)) for adj in others)


def test_positions_of_a_relabelled_graph_compose_to_an_isomorphism():
    rng = np.random.default_rng(0)
    for graph in nx.graph_atlas_g()[1::10]:
        adj = nx.to_numpy_array(graph)
        order = rng.permutation(len(adj))
        other = adj[np.ix_(order, order)]
        # an edge is an entry that is not 0
        form, other_form = canonical_form(0.3 * adj), canonical_form(other)
        assert form.certificate == other_form.certificate
        # node of `adj` at the canonical position of each node of `other`
        order = np.argsort(form.position)[other_form.position]
        np.testing.assert_array_equal(adj[np.ix_(order, order)], other)


@pytest.mark.parametrize(
    ("graph", "count"),
    [
        (nx.empty_graph(1), 1),
        (nx.path_graph(4), 2),
        (nx.complete_graph(7), 5040),
        # 40320 are too many to list
        (nx.complete_graph(8), 1),
        (nx.hypercube_graph(3), 48),
    ],
    ids=str,
)
def test_automorphisms_preserve_the_edges(graph, count):
    adj = nx.to_numpy_array(graph)
    mappings = automorphisms(adj)
    assert mappings.shape == (count, len(adj))
    assert len(np.unique(mappings, axis=0)) == count
    assert all((adj[np.ix_(order, order)] == adj).all() for order in mappings)


def test_forms_of_a_batch_are_those_of_its_subgraphs_without_padding():
    graph = as_csr(nx.disjoint_union_all([*SHAPES, *SHAPES]))
    batch = extract_subgraphs(graph, num_hops=2, max_nodes=4)
    forms = CanonicalForms(batch)
    for row, count in enumerate(batch.num_nodes):
        form = canonical_form(batch.adjacency()[row, :count, :count])
        assert forms.certificate(row) == form.certificate
        positions = forms.positions(np.array([row]))[0]
        assert positions[:count].tolist() == form.position.tolist()
        assert (positions[count:] == -1).all()
    rows = [[0, 1, 2, 9, 10, 11], [3, 4, 5, 12, 13, 14], [6, 7, 15, 16], [8, 17], []]
    for shape, expected in zip([*SHAPES, nx.empty_graph(2)], rows, strict=True):
        has = forms.has(canonical_form(nx.to_numpy_array(shape)).certificate)
        assert np.flatnonzero(has).tolist() == expected
