"""Node mappings: by features, by structure where features do not decide, and padded."""

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.subgraphs import extract_subgraphs
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.node_mapping import map_nodes
from mining.structures.rooted_subgraphs import RootedSubgraphs


def mappings_of(graph, pattern, size, features, pattern_features, rows=None, num_levels=2):
    """Node of each subgraph → node of the pattern, for nodes with one feature."""
    csr = as_csr(graph, features=np.array(features, dtype=float)[:, None])
    batch = extract_subgraphs(csr, num_hops=4, max_nodes=size, policy="dense", seed=0)
    rows = np.arange(len(batch)) if rows is None else np.array(rows, dtype=np.int64)
    adj, feat = torch.zeros(1, size, size), torch.zeros(1, size, 1)
    adj[0, : len(pattern), : len(pattern)] = torch.from_numpy(nx.to_numpy_array(pattern)).float()
    feat[0, : len(pattern), 0] = torch.tensor(pattern_features, dtype=torch.float32)
    kernel = GOMKKernel(num_levels, tau=0.5)
    subgraphs = RootedSubgraphs(csr, csr.features, batch, kernel, "auto")
    mappings = map_nodes(subgraphs, rows, DiscreteFilters(adj, feat, adj, (len(pattern),)))
    return [
        dict(zip(batch.nodes[row, : batch.num_nodes[row]].tolist(), one.tolist(), strict=False))
        for row, one in zip(rows, mappings, strict=True)
    ]


def test_features_tell_the_nodes_of_a_clique_apart():
    (first, second, third) = mappings_of(
        nx.complete_graph(3), nx.complete_graph(3), 3, [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]
    )
    assert first == second == third == {0: 1, 1: 2, 2: 0}


def test_structure_tells_the_nodes_of_a_star_apart():
    for mapping in mappings_of(nx.star_graph(3), nx.star_graph(3), 4, [1.0] * 4, [1.0] * 4):
        assert mapping[0] == 0
        assert sorted(mapping.values()) == [0, 1, 2, 3]


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
    for mapping in mappings_of(graph, pattern, count, [1.0] * count, [1.0] * count):
        assert sorted(mapping.values()) == list(range(count))
        moved = {frozenset((mapping[u], mapping[v])) for u, v in graph.edges}
        assert moved == set(map(frozenset, pattern.edges))


def test_of_the_isomorphisms_the_one_that_fits_the_features():
    # a ring of six whose two marked nodes are opposite; the pattern has its marks at 1 and 4
    values = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    pattern_features = [0.0, 1.0, 0.0, 0.0, 1.0, 0.0]
    ring = nx.cycle_graph(6)
    for mapping in mappings_of(ring, ring, 6, values, pattern_features):
        assert {mapping[0], mapping[3]} == {1, 4}
        moved = {frozenset((mapping[u], mapping[v])) for u, v in ring.edges}
        assert moved == set(map(frozenset, ring.edges))


def test_a_small_subgraph_maps_to_some_nodes_of_a_pattern():
    (first, second) = mappings_of(
        nx.path_graph(2), nx.path_graph(3), 3, [0.0, 1.0], [0.0, 1.0, 0.0]
    )
    assert first == second
    assert first[1] == 1
    assert first[0] in (0, 2)


def test_further_nodes_map_to_no_node_of_a_small_pattern():
    # a path a-b-c and a pattern of one edge, padded: the third node falls on the padding
    for mapping in mappings_of(nx.path_graph(3), nx.path_graph(2), 3, [0.5, 0.7, 0.0], [0.5, 0.7]):
        assert (mapping[0], mapping[1]) == (0, 1)
        assert mapping[2] not in (0, 1)


def test_one_answer_a_row_in_the_order_of_the_rows():
    graph = nx.disjoint_union(nx.star_graph(3), nx.path_graph(4))
    features = [1.0] * 8
    every = mappings_of(graph, nx.star_graph(3), 4, features, [1.0] * 4)
    some = mappings_of(graph, nx.star_graph(3), 4, features, [1.0] * 4, rows=[5, 0, 5])
    assert some == [every[5], every[0], every[5]]
    assert mappings_of(graph, nx.star_graph(3), 4, features, [1.0] * 4, rows=[]) == []
