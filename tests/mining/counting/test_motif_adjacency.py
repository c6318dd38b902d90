"""The matrix of the pairs of nodes that share occurrences of a pattern."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import load_npz

from gomkcn import as_csr, motif_adjacency, places
from gomkcn.mining.counting import motif_adjacency as module
from gomkcn.mining.counting.motif_adjacency import save_adjacency
from gomkcn_dgl.errors import InputError

HOSTS = {
    "clustered": nx.watts_strogatz_graph(30, 6, 0.1, seed=1),
    "dense": nx.gnp_random_graph(12, 0.7, seed=2),
    "bipartite": nx.complete_bipartite_graph(3, 4),
    "one node": nx.empty_graph(1),
    "two parts": nx.disjoint_union(nx.complete_graph(4), nx.cycle_graph(5)),
}
TRIADS = ["021D", "021U", "021C", "111D", "111U", "030T", "030C", "201", "120D", "120U", "120C"]


def brute_force(graph, shape):
    """Pairs within each set of nodes that induces a shape, which NetworkX tells."""
    number = {node: at for at, node in enumerate(graph)}
    shared = np.zeros((len(graph), len(graph)), int)
    for nodes in combinations(graph, len(shape)):
        if nx.is_isomorphic(graph.subgraph(nodes), shape):
            rows = [number[node] for node in nodes]
            shared[np.ix_(rows, rows)] += 1
    np.fill_diagonal(shared, 0)
    return shared


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("name", ["triangle", "path-3", "star-4", "diamond"])
def test_pairs_are_those_of_brute_force(host, name):
    shapes = {
        "triangle": nx.complete_graph(3),
        "path-3": nx.path_graph(3),
        "star-4": nx.star_graph(3),
        "diamond": nx.Graph([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]),
    }
    found = motif_adjacency(HOSTS[host], name)
    assert found.dtype == np.int64
    assert found.toarray().tolist() == brute_force(HOSTS[host], shapes[name]).tolist()


@pytest.mark.parametrize("triad", TRIADS)
def test_directed_triads_are_those_of_brute_force(triad):
    graph = nx.gnp_random_graph(16, 0.3, seed=5, directed=True)
    found = motif_adjacency(graph, triad).toarray()
    assert found.sum() > 0
    assert found.tolist() == brute_force(graph, nx.triad_graph(triad)).tolist()


def test_triangles_are_the_square_at_the_edges():
    graph = nx.powerlaw_cluster_graph(200, 5, 0.6, seed=4)
    matrix = nx.to_scipy_sparse_array(graph, dtype=np.int64)
    assert abs(motif_adjacency(graph, "triangle") - (matrix @ matrix) * matrix).sum() == 0


def test_an_occurrence_of_the_subgraph_reading_counts_for_each_of_its_mappings():
    # a clique of four has three rings of four, each on all its pairs
    found = motif_adjacency(nx.complete_graph(4), "ring-4", reading="subgraph")
    assert found.toarray().tolist() == (3 * (1 - np.eye(4, dtype=int))).tolist()


def test_conditions_and_graphs_of_a_collection_keep_their_pairs():
    graphs = [nx.path_graph(3), nx.path_graph(4)]
    assert motif_adjacency(graphs, "path-3", where="A.degree = 1, C.degree = 1").nnz == 6
    everything = motif_adjacency(graphs, "path-3").toarray()
    assert everything[:3, 3:].sum() == 0 and everything.sum() == 18


@pytest.mark.parametrize("most", [1, 7, 40])
def test_blocks_of_any_size_give_one_matrix(monkeypatch, most):
    graph = HOSTS["clustered"]
    whole = motif_adjacency(graph, "path-4").toarray()
    monkeypatch.setattr(module, "_MOST_PLACES", most)
    assert motif_adjacency(graph, "path-4").toarray().tolist() == whole.tolist()
    listed, complete = places(graph, "path-4")
    # three of four nodes that share a place with each of them
    assert complete and whole.sum() == 12 * len(listed)


@pytest.mark.parametrize("max_steps", [10, 3000])
def test_a_matrix_of_some_occurrences_is_refused(max_steps):
    with pytest.raises(InputError, match="must be enough to find all occurrences"):
        motif_adjacency(nx.complete_graph(40), "clique-4", max_steps=max_steps)


def test_what_ends_the_second_half_refuses_the_matrix_too():
    query = module.read_query(nx.complete_graph(40), "clique-4")
    with pytest.raises(InputError, match="must be enough"):
        module.adjacency_of_query(query, 10**8, lambda share: share < 0.5)


def test_a_file_holds_the_matrix_and_the_names_of_its_rows(tmp_path):
    graph = nx.relabel_nodes(nx.complete_graph(3), {0: "a", 1: "b", 2: "c"})
    file = tmp_path / "shared.npz"
    csr = as_csr(graph)
    save_adjacency(file, motif_adjacency(csr, "triangle"), csr.original_ids(np.arange(3)))
    assert load_npz(file).toarray().tolist() == (1 - np.eye(3, dtype=int)).tolist()
    assert np.load(file)["names"].tolist() == ["a", "b", "c"]
