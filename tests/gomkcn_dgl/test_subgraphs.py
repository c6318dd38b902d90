"""extract_subgraphs and SubgraphBatch: laws on random graphs, literal arrays, refusals."""

from dataclasses import replace

import networkx as nx
import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gomkcn_dgl.csr import CSRGraph, csr_from_edges
from gomkcn_dgl.errors import GomkcnError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.kernels import POLICIES
from gomkcn_dgl.subgraphs import SubgraphSettings, extract_subgraphs


def from_edges(num_nodes, edges, weights=None):
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    return csr_from_edges(
        ends[:, 0],
        ends[:, 1],
        num_nodes,
        weights=weights,
        features=1 + np.arange(num_nodes),
    )


def to_networkx(graph):
    copy = nx.empty_graph(graph.num_nodes)
    for u in range(graph.num_nodes):
        for edge in range(graph.indptr[u], graph.indptr[u + 1]):
            weight = 1.0 if graph.weights is None else float(graph.weights[edge])
            copy.add_edge(u, int(graph.indices[edge]), weight=weight)
    return copy


@st.composite
def graphs(draw):
    num_nodes = draw(st.integers(1, 25))
    node = st.integers(0, num_nodes - 1)
    edges = draw(st.lists(st.tuples(node, node), max_size=3 * num_nodes))
    weights = None
    if draw(st.booleans()):
        weight = st.floats(0.125, 8, width=32)
        weights = draw(st.lists(weight, min_size=len(edges), max_size=len(edges)))
    return from_edges(num_nodes, edges, weights)


law = settings(max_examples=100, deadline=None, derandomize=True, database=None)
extraction = {
    "graph": graphs(),
    "num_hops": st.integers(0, 4),
    "max_nodes": st.integers(1, 12),
    "policy": st.sampled_from(sorted(POLICIES)),
    "seed": st.integers(0, 2**63 - 1),
}


@law
@given(**extraction)
def test_rows_are_aligned_and_connected_within_their_hops(graph, num_hops, max_nodes, policy, seed):
    whole = to_networkx(graph)
    batch = extract_subgraphs(graph, SubgraphSettings(num_hops, max_nodes, policy, seed=seed))
    adjacency, features = batch.adjacency(), batch.gather(graph.features)
    for row, root in enumerate(range(graph.num_nodes)):
        size = batch.num_nodes[row]
        nodes = batch.nodes[row, :size].tolist()
        assert nodes[0] == root
        assert (batch.nodes[row, size:] == -1).all()
        assert len(set(nodes)) == size <= max_nodes
        # the feature of a node is its number, from 1
        assert (features[row, :size, 0] - 1).tolist() == nodes
        assert not features[row, size:].any()
        expected = np.zeros((max_nodes, max_nodes), np.float32)
        expected[:size, :size] = nx.to_numpy_array(whole.subgraph(nodes), nodelist=nodes)
        np.testing.assert_array_equal(adjacency[row], expected)
        depth = nx.single_source_shortest_path_length(whole.subgraph(nodes), root)
        # a node that cannot be reached would be missing
        assert set(depth) == set(nodes)
        assert max(depth.values()) <= num_hops
        ball = nx.ego_graph(whole, root, radius=num_hops)
        assert batch.truncated[row] == (len(ball) > max_nodes)
        if not batch.truncated[row]:
            assert set(nodes) == set(ball)
        if policy == "bfs" or not batch.truncated[row]:
            assert [depth[node] for node in nodes] == sorted(depth.values())
            assert len(nodes) == min(len(ball), max_nodes)


PATH = from_edges(4, [(0, 1), (1, 2), (2, 3)])


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"num_hops": -1}, "num_hops must be at least 0"),
        ({"max_nodes": 1025}, "max_nodes must be at most 1024"),
        ({"policy": "random"}, "policy must be one of 'bfs', 'dense', got 'random'"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"roots": [0, 4]}, "roots must be nodes from 0 to 3"),
        ({"roots": [0, -1]}, "roots must be nodes from 0 to 3"),
        ({"roots": [True]}, "roots must be a list of node numbers"),
    ],
)
def test_a_bad_argument_is_refused(change, rule):
    options = {"num_hops": 1, "max_nodes": 3, "roots": None, **change}
    roots = options.pop("roots")
    with pytest.raises(GomkcnError, match=rule):
        extract_subgraphs(PATH, SubgraphSettings(**options), roots)


def test_roots_may_be_a_list_a_strided_array_or_of_any_integer_type():
    expected = extract_subgraphs(PATH, SubgraphSettings(1, 3)).nodes[[3, 1]]
    for roots in ([3, 1], np.array([3, 1], np.uint8), np.arange(4)[3::-2]):
        np.testing.assert_array_equal(
            extract_subgraphs(PATH, SubgraphSettings(1, 3), roots).nodes, expected
        )
    none = extract_subgraphs(PATH, SubgraphSettings(1, 3), [])
    assert (len(none), none.nodes.shape) == (0, (0, 3))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("is_collection", [True, False])
def test_a_graph_shows_the_same_subgraphs_wherever_it_stands(policy, is_collection):
    # the last has two components
    rng = np.random.default_rng(3)
    graphs = [nx.gnp_random_graph(size, 0.3, seed=size) for size in (12, 30, 1, 21)]
    graphs.append(nx.disjoint_union(graphs[0], graphs[3]))
    parts = [from_edges(len(one), list(one.edges)) for one in graphs]
    alone = [extract_subgraphs(part, SubgraphSettings(2, 5, policy)).nodes for part in parts]
    for _ in range(3):
        order = rng.permutation(len(parts)).tolist()
        whole = as_csr([parts[k] for k in order])
        # without its borders, a collection is one graph of several components
        seen = whole if is_collection else replace(whole, graph_ptr=whole.graph_ptr[[0, -1]])
        nodes = extract_subgraphs(seen, SubgraphSettings(2, 5, policy)).nodes
        expected = [
            np.where(alone[k] < 0, -1, alone[k] + begin)
            for k, begin in zip(order, whole.graph_ptr, strict=False)
        ]
        np.testing.assert_array_equal(nodes, np.concatenate(expected))


def hubs_of_a_million(num_hubs):
    """Hubs that share a million leaves; the hubs come first."""
    leaves = np.arange(10**6, dtype=np.int32) + num_hubs
    rows = [leaves] * num_hubs + [np.tile(np.arange(num_hubs, dtype=np.int32), len(leaves))]
    degrees = np.concatenate([np.full(num_hubs, 10**6), np.full(10**6, num_hubs)])
    num_nodes = len(degrees)
    return CSRGraph(
        indptr=np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64),
        indices=np.concatenate(rows),
        features=np.ones((num_nodes, 1), np.float32),
        weights=None,
        graph_ptr=np.array([0, num_nodes]),
        node_ids=None,
        feature_names=("constant",),
    )


# where each root cost the hub's degree, this would take hours
@pytest.mark.parametrize("policy", POLICIES)
def test_hubs_of_a_million_cost_no_more_than_others(policy, num_hubs=2):
    graph = hubs_of_a_million(num_hubs)
    others = 50 if numba.config.DISABLE_JIT else 20_000
    roots = np.concatenate([np.arange(num_hubs), np.arange(500_000, 500_000 + others)])
    for num_hops in (1, 2**31 - 1):
        batch = extract_subgraphs(graph, SubgraphSettings(num_hops, 6, policy), roots)
        size = np.full(len(roots), 6)
        if num_hops == 1:
            size[num_hubs:] = 1 + num_hubs
        assert (batch.num_nodes == size).all()
        assert (batch.truncated == (size == 6)).all()
