"""Which node plays which: by features, by structure where features cannot say, and padded."""

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.subgraphs import extract_subgraphs
from mining.structures.canonical_forms import CanonicalForms
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.node_mapping import find_roles


def roles_of(graph, pattern, size, features, played, rows=None, num_levels=2):
    """Nodes of each subgraph and the pattern nodes that they play; one feature a node."""
    csr = as_csr(graph, features=np.array(features, dtype=float)[:, None])
    batch = extract_subgraphs(csr, num_hops=4, max_nodes=size, policy="dense", seed=0)
    rows = np.arange(len(batch)) if rows is None else np.array(rows, dtype=np.int64)
    adj, feat = torch.zeros(1, size, size), torch.zeros(1, size, 1)
    adj[0, : len(pattern), : len(pattern)] = torch.from_numpy(nx.to_numpy_array(pattern)).float()
    feat[0, : len(pattern), 0] = torch.tensor(played, dtype=torch.float32)
    found = find_roles(
        batch,
        rows,
        csr.features,
        CanonicalForms(batch),
        DiscreteFilters(adj, feat, adj, (len(pattern),)),
        GOMKKernel(num_levels, tau=0.5),
        "auto",
    )
    return [
        dict(zip(batch.nodes[row, : batch.num_nodes[row]].tolist(), role.tolist(), strict=False))
        for row, role in zip(rows, found, strict=True)
    ]


def test_features_tell_the_nodes_of_a_clique_apart():
    (first, second, third) = roles_of(
        nx.complete_graph(3), nx.complete_graph(3), 3, [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]
    )
    assert first == second == third == {0: 1, 1: 2, 2: 0}


def test_structure_tells_the_nodes_of_a_star_apart():
    for roles in roles_of(nx.star_graph(3), nx.star_graph(3), 4, [1.0] * 4, [1.0] * 4):
        assert roles[0] == 0
        assert sorted(roles.values()) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "pattern",
    [nx.cycle_graph(6), nx.circular_ladder_graph(3), nx.cubical_graph(), nx.path_graph(5)],
    ids=["ring", "prism", "cube", "path"],
)
def test_symmetric_nodes_are_mapped_so_that_edges_stay(pattern):
    count = len(pattern)
    order = np.random.default_rng(1).permutation(count).tolist()
    graph = nx.empty_graph(count)
    graph.add_edges_from((order[u], order[v]) for u, v in pattern.edges)
    for roles in roles_of(graph, pattern, count, [1.0] * count, [1.0] * count):
        assert sorted(roles.values()) == list(range(count))
        moved = {frozenset((roles[u], roles[v])) for u, v in graph.edges}
        assert moved == set(map(frozenset, pattern.edges))


def test_of_the_isomorphisms_the_one_that_fits_the_features():
    # a ring of six whose two marked nodes are opposite; the pattern has its marks at 1 and 4
    values = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    played = [0.0, 1.0, 0.0, 0.0, 1.0, 0.0]
    ring = nx.cycle_graph(6)
    for roles in roles_of(ring, ring, 6, values, played):
        assert {roles[0], roles[3]} == {1, 4}
        moved = {frozenset((roles[u], roles[v])) for u, v in ring.edges}
        assert moved == set(map(frozenset, ring.edges))


def test_a_small_subgraph_plays_some_nodes_of_a_pattern():
    (first, second) = roles_of(nx.path_graph(2), nx.path_graph(3), 3, [0.0, 1.0], [0.0, 1.0, 0.0])
    assert first == second
    assert first[1] == 1
    assert first[0] in (0, 2)


def test_what_is_left_over_plays_no_node_of_a_small_pattern():
    # a path a-b-c and a pattern of one edge, padded: the third node falls on the padding
    for roles in roles_of(nx.path_graph(3), nx.path_graph(2), 3, [0.5, 0.7, 0.0], [0.5, 0.7]):
        assert (roles[0], roles[1]) == (0, 1)
        assert roles[2] not in (0, 1)


def test_one_answer_a_row_in_the_order_of_the_rows():
    graph = nx.disjoint_union(nx.star_graph(3), nx.path_graph(4))
    features = [1.0] * 8
    every = roles_of(graph, nx.star_graph(3), 4, features, [1.0] * 4)
    some = roles_of(graph, nx.star_graph(3), 4, features, [1.0] * 4, rows=[5, 0, 5])
    assert some == [every[5], every[0], every[5]]
    assert roles_of(graph, nx.star_graph(3), 4, features, [1.0] * 4, rows=[]) == []
