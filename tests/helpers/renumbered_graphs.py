"""Thirty graphs of all kinds, each numbered in two ways."""

import networkx as nx
import numpy as np

from gomkcn_dgl.csr import csr_from_edges

# the graph, and how many relations its edges have
GRAPHS = {
    **{f"ba{seed}": (nx.barabasi_albert_graph(300, 2, seed=seed), 1) for seed in range(3)},
    "ba_dense": (nx.barabasi_albert_graph(150, 5, seed=9), 1),
    # hubs of more than 64 neighbours
    "ba_with_hubs": (nx.barabasi_albert_graph(600, 3, seed=1), 1),
    "clustered": (nx.powerlaw_cluster_graph(200, 3, 0.6, seed=1), 1),
    **{
        f"ws_{share}": (nx.watts_strogatz_graph(150, 6, share, seed=seed), 1)
        for seed, share in enumerate((0, 0.01, 0.05, 0.1, 0.3))
    },
    "random": (nx.gnp_random_graph(200, 0.05, seed=1), 1),
    "random_thin": (nx.gnp_random_graph(200, 0.015, seed=1), 1),
    "directed": (nx.gnp_random_graph(150, 0.04, seed=1, directed=True), 1),
    "directed_hubs": (nx.DiGraph(nx.scale_free_graph(120, seed=1)), 1),
    "typed": (nx.barabasi_albert_graph(150, 3, seed=4), 3),
    "typed_directed": (nx.gnp_random_graph(120, 0.04, seed=2, directed=True), 2),
    "typed_ws": (nx.watts_strogatz_graph(120, 6, 0.1, seed=5), 2),
    **{f"tree{seed}": (nx.random_labeled_tree(150, seed=seed), 1) for seed in range(3)},
    "binary_tree": (nx.balanced_tree(2, 6), 1),
    "grid": (nx.grid_2d_graph(12, 12), 1),
    "torus": (nx.grid_2d_graph(9, 9, periodic=True), 1),
    "triangles": (nx.triangular_lattice_graph(8, 12), 1),
    "caveman": (nx.connected_caveman_graph(15, 9), 1),
    "hypercube": (nx.hypercube_graph(6), 1),
    "bipartite": (nx.complete_bipartite_graph(8, 20), 1),
    "karate": (nx.karate_club_graph(), 1),
    "in_space": (nx.random_geometric_graph(150, 0.14, seed=3), 1),
}


def numbered(name, seed=None, features=0):
    """A graph and where each of its nodes was first; numbered anew by a seed.

    It has ``features`` columns of random numbers, or the constant 1.
    """
    graph, num_relations = GRAPHS[name]
    plain, rng = nx.convert_node_labels_to_integers(graph), np.random.default_rng(1)
    ends = np.array([pair for pair in plain.edges() if pair[0] != pair[1]])
    relation = rng.integers(num_relations, size=len(ends))
    feat = rng.random((len(plain), features)) if features else np.ones((len(plain), 1))
    nodes, edges = np.arange(len(plain)), np.arange(len(ends))
    if seed is not None:
        rng = np.random.default_rng(seed)
        nodes, edges = rng.permutation(nodes), rng.permutation(edges)
    csr = csr_from_edges(
        *np.argsort(nodes)[ends[edges]].T,
        len(plain),
        features=feat[nodes],
        relation=relation[edges],
        relation_names=[f"r{number}" for number in range(num_relations)],
        directed=[graph.is_directed()] * num_relations,
    )
    return csr, nodes
