"""Canonical forms: certificates agree for isomorphic graphs and for no others.

The tests also guard against the direction of igraph's permutation, which changed in igraph 1.0.
"""

import itertools

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.relations import relations_of
from gomkcn_dgl.subgraphs import SubgraphSettings, extract_subgraphs
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
        (nx.complete_graph(6), 720),
        # 5040 are too many to list
        (nx.complete_graph(7), 1),
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
    batch = extract_subgraphs(graph, SubgraphSettings(num_hops=2, max_nodes=4))
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


def test_every_digraph_of_up_to_four_nodes():
    """Their classes are 1, 3, 16 (the triads) and 218 (OEIS A000273)."""
    arcs = relations_of(["edge"], [True])
    for num_nodes, num_classes in [(1, 1), (2, 3), (3, 16), (4, 218)]:
        pairs = list(itertools.permutations(range(num_nodes), 2))
        certificates = set()
        for chosen in itertools.product([False, True], repeat=len(pairs)):
            adj = np.zeros((num_nodes, num_nodes, 2), dtype=bool)
            for (u, v), joined in zip(pairs, chosen, strict=True):
                adj[u, v, arcs.outgoing[0]] = adj[v, u, 1] = joined
            certificates.add(canonical_form(adj).certificate)
        assert len(certificates) == num_classes


def random_typed(rng, num_nodes, num_arcs):
    """A digraph of coloured nodes with edges of two relations, and its channels ``[N, N, 3]``."""
    graph, channels = nx.MultiDiGraph(), np.zeros((num_nodes, num_nodes, 3), dtype=bool)
    colors = 7 * (rng.random(num_nodes) < 0.2)
    graph.add_nodes_from((node, {"color": color}) for node, color in enumerate(colors.tolist()))
    pairs = list(itertools.permutations(range(num_nodes), 2))
    for number in rng.choice(len(pairs), size=num_arcs, replace=False).tolist():
        u, v = pairs[number]
        if rng.random() < 0.5:
            channels[u, v, 0] = channels[v, u, 1] = True
        else:
            channels[u, v, 2] = channels[v, u, 2] = True
    for u, v, channel in np.argwhere(channels).tolist():
        if channel != 1:
            graph.add_edge(u, v, channel=channel)
    return graph, channels, colors


def are_isomorphic(graph, other):
    def kinds(edges):
        return sorted(values["channel"] for values in edges.values())

    return nx.is_isomorphic(
        graph,
        other,
        node_match=lambda a, b: a["color"] == b["color"],
        edge_match=lambda a, b: kinds(a) == kinds(b),
    )


def test_coloured_digraphs_agree_with_networkx():
    rng = np.random.default_rng(1)
    verdicts = []
    for _ in range(300):
        graph, channels, colors = random_typed(rng, 3, 2)
        other, other_channels, other_colors = random_typed(rng, 3, 2)
        form, other_form = (
            canonical_form(channels, colors),
            canonical_form(other_channels, other_colors),
        )
        verdicts.append(are_isomorphic(graph, other))
        assert (form.certificate == other_form.certificate) == verdicts[-1]
        # a relabelled graph: the same certificate, and positions that compose to an isomorphism
        order = rng.permutation(3)
        moved, moved_colors = channels[np.ix_(order, order)], colors[order]
        moved_form = canonical_form(moved, moved_colors)
        assert moved_form.certificate == form.certificate
        order = np.argsort(form.position)[moved_form.position]
        assert (channels[np.ix_(order, order)] == moved).all()
        assert (colors[order] == moved_colors).all()
        # all permutations that preserve everything, by trying
        preserving = [
            list(one)
            for one in itertools.permutations(range(3))
            if (channels[np.ix_(one, one)] == channels).all()
            and (colors[list(one)] == colors).all()
        ]
        assert sorted(automorphisms(channels, colors).tolist()) == preserving
    assert 5 < sum(verdicts) < 295


def test_forms_of_a_directed_batch_take_links():
    ring, chain = nx.DiGraph([(0, 1), (1, 2), (2, 0)]), nx.DiGraph([(0, 1), (0, 2), (1, 2)])
    arcs = np.array(nx.disjoint_union_all([ring, chain, ring]).edges)
    batch = extract_subgraphs(csr_from_edges(*arcs.T, 9, directed=True), SubgraphSettings(2, 4))
    assert batch.links is not None
    forms = CanonicalForms(batch)
    channels = [batch.relations.links[batch.links[row, :3, :3]] for row in (0, 3)]
    has = [forms.has(canonical_form(one).certificate) for one in channels]
    assert [np.flatnonzero(one).tolist() for one in has] == [[0, 1, 2, 6, 7, 8], [3, 4, 5]]


def test_channels_that_no_edge_has_change_nothing():
    adj = np.zeros((2, 2, 2), dtype=bool)
    adj[0, 1, 0] = adj[1, 0, 1] = True
    wider = np.concatenate([adj, np.zeros((2, 2, 1), bool)], axis=2)
    assert canonical_form(adj).certificate == canonical_form(wider).certificate
    # one channel without direction is the plain adjacency
    joined = adj.any(axis=2)
    assert canonical_form(joined[..., None]).certificate == canonical_form(joined).certificate
