"""The graphs that the tests of samplers take subgraphs from."""

import networkx as nx
import numpy as np

from gomkcn_dgl.csr import csr_from_edges


def build(graph, *, weighted=False, linked=False):
    graph, rng = nx.convert_node_labels_to_integers(graph), np.random.default_rng(0)
    ends = np.array(graph.edges, dtype=np.int64).reshape(-1, 2)
    if linked:
        # arcs of two relations, some of them both ways, and edges of a third
        ends = np.concatenate([ends, ends[::2, ::-1]])
    kinds = {"directed": [True, True, False], "relation_names": ["a", "b", "c"]}
    return csr_from_edges(
        *ends.T,
        len(graph),
        weights=rng.uniform(0.1, 2, len(ends)) if weighted else None,
        features=np.ones(len(graph)),
        **({"relation": rng.integers(3, size=len(ends)), **kinds} if linked else {}),
    )


def mirrored(seed, *, hub=False, directed=False):
    """A random graph and its mirror image, both joined to one more node, the last one.

    So each node is alike to another, until one of the two is selected.
    """
    rng = np.random.default_rng(seed)
    size = int(rng.integers(4, 9))
    half = nx.gnp_random_graph(size, 0.45, seed=seed)
    if hub:
        half.add_edges_from((size - 1, size + number) for number in range(70))
    ends, number = np.array(half.edges, np.int64).reshape(-1, 2), len(half)
    is_turned = rng.random(len(ends)) < 0.5
    ends[is_turned] = ends[is_turned, ::-1]
    joined = [(2 * number, node + image) for node in (0, 1) for image in (0, number)]
    ends = np.concatenate([ends, ends + number, joined])
    return csr_from_edges(
        *ends.T, 2 * number + 1, features=np.ones(2 * number + 1), directed=[directed]
    )


GRAPHS = {
    "barabasi_albert": nx.barabasi_albert_graph(40, 3, seed=0),
    "random": nx.gnp_random_graph(90, 0.12, seed=0),
    # a center with more neighbors than any hub limit here
    "wheel_with_a_hub": nx.wheel_graph(281),
    # more than the hash table has slots: some are taken for selected ones at first
    "many": nx.fast_gnp_random_graph(2000, 0.01, seed=0),
    "two_hubs": nx.complete_bipartite_graph(2, 90),
    "single_node": nx.empty_graph(1),
    "edgeless": nx.empty_graph(4),
    "disconnected": nx.disjoint_union(nx.path_graph(5), nx.complete_graph(7)),
    # all nodes are alike
    "torus": nx.grid_2d_graph(5, 6, periodic=True),
    # leaves of two nodes, alike until these are told apart
    "horns": nx.Graph([(0, 1), (0, 2), (1, 2), *((n % 2 + 1, n) for n in range(3, 11))]),
    # all but two, with a hub among them
    "ring_with_a_hub": nx.compose(nx.circulant_graph(80, [1, 2]), nx.star_graph(70)),
}
