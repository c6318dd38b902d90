"""Graphs with planted copies of motifs, made by NetworkX alone, and where the copies are."""

import networkx as nx
import numpy as np

PRISM = nx.circular_ladder_graph(3)
K33 = nx.complete_bipartite_graph(3, 3)
DOMINO = nx.ladder_graph(3)
JOINED_TRIANGLES = nx.Graph([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3)])
CUBE = nx.convert_node_labels_to_integers(nx.hypercube_graph(3))
MOEBIUS_LADDER = nx.circulant_graph(8, [1, 4])
OCTAHEDRON = nx.octahedral_graph()
HOUSE6 = nx.Graph([(0, 1), (1, 2), (2, 3), (0, 3), (2, 4), (3, 4), (4, 5), (2, 5)])
# three paths between two nodes
THETA7 = nx.Graph([(0, 2), (1, 2), (0, 3), (3, 4), (1, 4), (0, 5), (5, 6), (1, 6)])


def plant(host, motifs, seed=0, links=1):
    """Join copies of motifs to a host, and number all nodes at random.

    ``motifs`` are pairs of a graph and how many copies there are; each is joined to the host by
    ``links`` random edges. Returns the graph, and for each motif the sets of nodes of its copies.
    """
    rng = np.random.default_rng(seed)
    graph = type(host)(host.edges)
    graph.add_nodes_from(host)
    copies = []
    for motif, number in motifs:
        own = []
        for _ in range(number):
            first = len(graph)
            graph.add_nodes_from(range(first, first + len(motif)))
            graph.add_edges_from((first + u, first + v) for u, v in motif.edges)
            for _ in range(links):
                graph.add_edge(first + int(rng.integers(len(motif))), int(rng.integers(len(host))))
            own.append(range(first, len(graph)))
        copies.append(own)
    order = rng.permutation(len(graph)).tolist()
    renumbered = type(host)()
    renumbered.add_nodes_from(range(len(graph)))
    renumbered.add_edges_from((order[u], order[v]) for u, v in graph.edges)
    return renumbered, [[frozenset(order[v] for v in one) for one in own] for own in copies]


def side_by_side(*motifs):
    """Copies of motifs, each a component: pairs of a graph and how many copies there are."""
    return nx.disjoint_union_all([motif for motif, number in motifs for _ in range(number)])


def tree(num_nodes, seed=0):
    """A host with hubs and without cycles."""
    return nx.barabasi_albert_graph(num_nodes, 1, seed=seed)
