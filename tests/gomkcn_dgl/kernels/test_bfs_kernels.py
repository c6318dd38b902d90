"""The sampler: the literal cases, and bfs_numba equal to its plain definition everywhere."""

import bfs_reference
import networkx as nx
import numba
import numpy as np
import pytest
from bfs_reference import plain_subgraphs
from random_graphs import link_matrix
from sampled_graphs import GRAPHS, build, mirrored
from scipy.stats import chisquare
from tiny_graphs import SUBGRAPHS, random_cases

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.kernels import POLICIES, bfs_numba
from gomkcn_dgl.kernels.bfs_numba import hub_degree
from gomkcn_dgl.kernels.colors_numba import numbered_rows
from gomkcn_dgl.subgraphs import SubgraphSettings, extract_subgraphs

BACKENDS = {"reference": bfs_reference.extract, "numba": bfs_numba.extract}
# fewer samples where the compiled code runs as plain Python
SAMPLES = 1000 if numba.config.DISABLE_JIT else 6000


def arrays(graph, backend, roots, num_hops, max_nodes, policy, seed=0):
    extract = plain_subgraphs if backend == "reference" else extract_subgraphs
    batch = extract(graph, SubgraphSettings(num_hops, max_nodes, policy, seed=seed), roots)
    # what joins the nodes is what joins them in the graph
    dense, real = link_matrix(graph), batch.nodes >= 0
    inside = dense[batch.nodes[:, :, None], batch.nodes[:, None, :]]
    inside = np.where(real[:, :, None] & real[:, None, :], inside, 0)
    np.testing.assert_array_equal(batch.links, inside)
    return batch.nodes, batch.num_nodes, batch.truncated, batch.weights, batch.links


def samples(graph, num_hops, max_nodes, policy):
    """Nodes of many subgraphs around node 0, each from a random stream of its own."""
    rows = (graph.indptr, graph.indices, None, None, graph.relations.reverse, graph.colored_rows)
    roots, keys = np.zeros(SAMPLES, int), np.arange(SAMPLES)
    found = bfs_numba.extract(*rows, roots, keys, num_hops, max_nodes, policy, 0)
    assert found.truncated.all()
    return found.nodes


def assert_same(left, right):
    for one, other in zip(left, right, strict=True):
        if one is None or other is None:
            assert one is other
            continue
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("case", SUBGRAPHS, ids=lambda case: case.name)
def test_a_hand_worked_case(backend, case):
    graph, root = build(nx.Graph(sorted(case.edges))), np.array([case.root])
    # the kernel itself, which takes nodes of equal colours in the order of their numbers
    numbers = numbered_rows(graph.indices, np.arange(graph.num_nodes))
    rows = (graph.indptr, graph.indices, None, None, graph.relations.reverse, numbers, root, root)
    options = (case.num_hops, case.max_nodes, case.policy, 0)
    found = BACKENDS[backend](*rows, *options)
    assert found.nodes.tolist() == [case.nodes]
    assert found.num_nodes.tolist() == [sum(node >= 0 for node in case.nodes)]
    assert found.truncated.tolist() == [case.truncated]


@pytest.mark.parametrize(
    ("name", "policy", "num_hops", "max_nodes", "weighted", "linked"),
    [
        *random_cases(70, GRAPHS, POLICIES, [0, 1, 3], [1, 3, 6], [False, True], [False, True]),
        *(("many", policy, 2, 6, False, True) for policy in POLICIES),
        *(("horns", policy, 3, 6, False, False) for policy in POLICIES),
        *(
            ("torus", policy, 3, 9, False, linked)
            for policy in POLICIES
            for linked in (False, True)
        ),
    ],
)
def test_numba_equals_reference(name, policy, num_hops, max_nodes, weighted, linked):
    graph = build(GRAPHS[name], weighted=weighted, linked=linked)
    # the first ones, which are mostly hubs, and the last
    roots = np.unique(np.r_[:8, -4:0] % graph.num_nodes)
    expected = arrays(graph, "reference", roots, num_hops, max_nodes, policy)
    assert_same(arrays(graph, "numba", roots, num_hops, max_nodes, policy), expected)


@pytest.mark.parametrize("policy", POLICIES)
def test_numba_equals_reference_on_a_collection_and_for_large_seeds(policy):
    graph = as_csr([build(GRAPHS[name]) for name in ("barabasi_albert", "edgeless")])
    for seed, roots in ((1, np.array([43, 0, 39, 0])), (2**63 - 1, np.empty(0, np.int64))):
        expected = arrays(graph, "reference", roots, 2, 5, policy, seed)
        assert_same(arrays(graph, "numba", roots, 2, 5, policy, seed), expected)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("hub", [False, True])
def test_numba_equals_reference_where_each_node_is_alike_to_another(hub, directed):
    for seed in range(40):
        graph = mirrored(seed, hub=hub, directed=directed)
        roots = np.array([graph.num_nodes - 1, 0, 1, 2, 3])
        expected = arrays(graph, "reference", roots, 3, 7, "dense")
        assert_same(arrays(graph, "numba", roots, 3, 7, "dense"), expected)


@pytest.mark.parametrize("policy", POLICIES)
def test_subgraphs_are_the_same_however_much_room_there_is_for_ends(policy, monkeypatch):
    """Nodes of a lattice, and of cliques in a ring, are alike until their edges are looked at."""
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(9, 9))
    graph = as_csr(nx.disjoint_union(grid, nx.connected_caveman_graph(6, 5)))
    roots, made = np.arange(graph.num_nodes), []
    usual = arrays(graph, "numba", roots, 3, 7, policy)

    def counted(*arguments):
        made.append(arguments[-1])
        return new_scratch(*arguments)

    new_scratch = bfs_numba.new_scratch
    monkeypatch.setattr(bfs_numba, "new_scratch", counted)
    monkeypatch.setattr(bfs_numba, "_FIRST_ENDS", 1)
    assert_same(arrays(graph, "numba", roots, 3, 7, policy), usual)
    # twice as much each time that there is too little
    assert len(made) > 3 and sorted(made)[:4] == [1, 2, 4, 8]


@pytest.mark.parametrize("policy", POLICIES)
def test_nodes_of_the_last_hop_are_sampled_uniformly(policy):
    # a sample of 3 from 8 leaves: 56 sets, each as likely as any other
    nodes = samples(build(nx.star_graph(8)), 1, 4, policy)
    sets, counts = np.unique(np.sort(nodes[:, 1:], axis=1), axis=0, return_counts=True)
    assert len(sets) == 56
    assert chisquare(counts).pvalue > 1e-3
    # the order among them is as random
    if policy != "dense":
        assert chisquare(np.unique(nodes[:, 1], return_counts=True)[1]).pvalue > 1e-3
    # and so are the neighbours of a hub
    assert hub_degree(4) < 70
    nodes = samples(build(nx.star_graph(70)), 1, 4, policy)
    kept, counts = np.unique(nodes[:, 1:], return_counts=True)
    assert kept.tolist() == list(range(1, 71))
    assert chisquare(counts).pvalue > 1e-3


def test_seeds_differ_where_nodes_are_dropped_and_only_there():
    star, path = build(nx.star_graph(8)), build(nx.path_graph(4))
    drawn = {tuple(arrays(star, "numba", [0], 1, 4, "bfs", seed)[0][0]) for seed in range(30)}
    assert len(drawn) > 20
    whole = {tuple(arrays(path, "numba", [1], 2, 4, "bfs", seed)[0][0]) for seed in range(30)}
    assert whole == {(1, 0, 2, 3)}
