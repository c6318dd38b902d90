"""Graphs, parts of them and matching problems, as tests of several modules draw them."""

import itertools
from functools import cache
from typing import NamedTuple

import networkx as nx
import numpy as np
import torch

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.kernels import BACKENDS


def rings_and_cliques(num_rings=6, num_cliques=3):
    """Disjoint rings and cliques of five nodes."""
    parts = [nx.cycle_graph(5)] * num_rings + [nx.complete_graph(5)] * num_cliques
    return nx.disjoint_union_all(parts)


def random_graph(rng, size, num_edges):
    """Edges of relations 0 and 1, with a direction, and 2, without; colours of the nodes."""
    pairs = np.array(list(itertools.permutations(range(size), 2)))
    source, target = pairs[rng.choice(len(pairs), num_edges, replace=False)].T
    relation = rng.integers(3, size=num_edges)
    graph = csr_from_edges(
        source,
        target,
        size,
        directed=[True, True, False],
        relation=relation,
        relation_names=["acts", "stops", "binds"],
    )
    return graph, rng.integers(2, size=size)


def link_matrix(graph):
    """The link of each two nodes, int64 ``[V, V]``, 0 where nothing joins them."""
    links = np.zeros((graph.num_nodes, graph.num_nodes), np.int64)
    rows = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    links[rows, graph.indices] = 1 if graph.links is None else graph.links
    return links


def channels_of_graph(graph):
    """Which nodes are joined in each channel, bool ``[V, V, C]``."""
    return graph.relations.links[link_matrix(graph)]


def connected_part(rng, graph, size):
    """A random connected part of a graph, in a random order, and its nodes."""
    channels = channels_of_graph(graph)
    joined = nx.Graph(np.argwhere(channels.any(axis=2)).tolist())
    part = list(nx.bfs_tree(joined, int(rng.choice(list(joined)))))[:size]
    order = rng.permutation(part)
    return Structure.of_channels(channels[np.ix_(order, order)], graph.relations), order


@cache
def connected_digraphs(size):
    """One adjacency of each class of isomorphic weakly connected digraphs."""
    rows, columns = np.array(list(itertools.permutations(range(size), 2))).T
    bits = np.arange(len(rows))
    arcs = np.zeros((2 ** len(rows), size, size), dtype=bool)
    arcs[:, rows, columns] = np.arange(len(arcs))[:, None] >> bits & 1
    # isomorphic ones have the same smallest number, over all orders of the nodes
    orders = np.array(list(itertools.permutations(range(size))))
    numbers = [arcs[:, order[rows], order[columns]] @ 2**bits for order in orders]
    _, first = np.unique(np.min(numbers, axis=0), return_index=True)
    return [one for one in arcs[first] if nx.is_connected(nx.from_numpy_array(one | one.T))]


# names and directions of the relations of a graph
KINDS = (
    {"edge": True},
    {"binds": False},
    {"binds": False, "joins": False},
    {"activates": True, "binds": False},
    {"activates": True, "represses": True, "binds": False},
)


def draw(kinds, seed, num_nodes=8, num_edges=30, **columns):
    """A random graph with self-loops and repeated edges, and the edges that it was made of."""
    rng = np.random.default_rng(seed)
    source, target = rng.integers(0, num_nodes, (2, num_edges))
    relation = rng.integers(0, len(kinds), num_edges)
    graph = csr_from_edges(
        source,
        target,
        num_nodes,
        relation=relation,
        relation_names=list(kinds),
        directed=list(kinds.values()),
        **columns,
    )
    return graph, source, target, relation


# the same cases for the GPU are in test_interpret.py
CPU = tuple(name for name in BACKENDS if name != "triton")


class Shape(NamedTuple):
    S: int
    F: int
    N: int
    M: int
    D: int


SHAPES = {
    "one_of_each": Shape(1, 1, 1, 1, 1),
    "no_subgraphs": Shape(0, 2, 4, 3, 2),
    "no_filters": Shape(2, 0, 4, 3, 2),
    "single_nodes": Shape(3, 2, 1, 1, 2),
    "single_node_filters": Shape(3, 2, 5, 1, 2),
    "more_nodes_than_the_filter": Shape(5, 2, 7, 3, 2),
    "fewer_nodes_than_the_filter": Shape(5, 3, 3, 7, 2),
    "wide_features": Shape(2, 2, 5, 5, 13),
    "eleven_nodes": Shape(2, 3, 11, 9, 3),
}


class Problem(NamedTuple):
    adj: torch.Tensor  # [S, N, N]
    feat: torch.Tensor  # [S, N, D]
    filter_adj: torch.Tensor  # [F, M, M]
    filter_feat: torch.Tensor  # [F, M, D]


def problem(shape, dtype, seed=0):
    """Draw weighted graphs and real features, so that no two matchings are equally good."""
    rng = np.random.default_rng(seed)

    def weights(batch, size):
        upper = np.triu(rng.uniform(0, 1, (batch, size, size)), 1)
        return torch.tensor(upper + upper.swapaxes(1, 2), dtype=dtype)

    def features(batch, size):
        return torch.tensor(rng.uniform(0, 1, (batch, size, shape.D)), dtype=dtype)

    return Problem(
        weights(shape.S, shape.N),
        features(shape.S, shape.N),
        weights(shape.F, shape.M),
        features(shape.F, shape.M),
    )


def uneven_sizes(shape):
    """Give sizes that include no node, one node and all of them."""
    sizes = [0, shape.N, 1, (shape.N + 1) // 2, shape.N]
    return torch.tensor([sizes[s % len(sizes)] for s in range(shape.S)], dtype=torch.int64)


def assert_valid(matching, rows, num_filter_nodes, anchor_root):
    """Nodes that exist are matched to different filter nodes, as many as there can be."""
    for s, num_rows in enumerate(rows):
        for chosen in matching[s].tolist():
            used = [m for m in chosen if m >= 0]
            assert all(-1 <= m < num_filter_nodes for m in chosen)
            assert len(set(used)) == len(used) == min(num_rows, num_filter_nodes)
            assert chosen[num_rows:] == [-1] * (len(chosen) - num_rows)
            if anchor_root and num_rows:
                assert chosen[0] == 0
