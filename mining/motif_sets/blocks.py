"""Blocks of nodes between which edges are drawn at random: of one graph, and of a collection.

Where graphs are made of a dense part and a sparse one, the degrees alone call an edge between two
nodes of low degree improbable, so that any structure of such edges seems to shorten the
description. What the bits of motifs must beat is therefore also the length in blocks. Those of a
collection are the same in all graphs:

    L = L_N(0) + 1 + L_N(blocks) + labels + 1 + min(edges by densities that all graphs share,
                                                    edges by a number for each graph)

Labels, and edges by shared densities, are sequences of symbols each of which is expected as often
as before. Edges by a number of their own cost ``log2 (P + 1) + log2 C(P, e)`` for the e edges of
the P pairs between two blocks of a graph.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gomkcn.mining.motif_sets.graph_code import GraphCode, edges_between, partition_bits
from gomkcn.mining.motif_sets.integer_codes import histogram_bits, integer_bits, log2_factorial
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.runtime.compiled import compiled, subroutine
from gomkcn_dgl.runtime.python_random import python_random_state

# smaller graphs have none
_LEAST_EDGES = 21
# resolutions of the modularity, and rounds of the Leiden algorithm
_RESOLUTIONS, _NUM_ROUNDS = (0.3, 0.6, 1.0, 1.6, 3.0, 6.0), 5
_MOST_BLOCKS = 30
# of the nodes that are in these: where they hold fewer, which further rounds hardly change, there
# is none, and no higher resolution, whose blocks are smaller; of 16 graphs, as lattices, planted
# blocks, friendships and neurons, the partition that all resolutions choose has .79 of them at
# least
_LEAST_SHARE = 0.5
# of the nodes of a graph, to put each into the block where it costs least
_MOST_SWEEPS = 20
_NUM_BLOCKS = (2, 3, 4)
_MOST_ROUNDS, _LEIDEN_ROUNDS = 10, 5
# smaller blocks without gaps are no news; and a block with fewer of its pairs joined, over all
# graphs together, is no clique
_LEAST_CLIQUE, _LEAST_DENSITY = 4, 0.85


def never() -> bool:
    """No time is over."""
    return False


def find_blocks(
    graph: GraphCode, seed: int = 0, is_late: Callable[[], bool] = never
) -> np.ndarray | None:
    """The one partition that is tried, int64 ``[V]``, the block of each node, from 0.

    Of communities of the Leiden algorithm at several resolutions (V. A. Traag, L. Waltman and N. J.
    van Eck, Scientific Reports 9, 2019), which rise until the largest hold few of the nodes, and
    the two sides of a bipartite graph, the one in which multigraphs with these degrees and edges
    between blocks are fewest, its own bits included. None where there is more than one block in
    none of them, for 20 edges or fewer, where edges have directions or relations or nodes have
    categories, and where the time is over.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn.mining.structures.mined_graph import MinedGraph
    >>> mined = MinedGraph.of(nx.barbell_graph(6, 0))
    >>> np.bincount(find_blocks(GraphCode.of(mined))).tolist()
    [6, 6]
    """
    if not graph.is_plain or graph.num_edges < _LEAST_EDGES or is_late():
        return None
    # where matplotlib is installed, it is imported with this
    import igraph

    drawn, partitions = igraph.Graph(len(graph.colors), graph.edges), []
    with python_random_state(seed):
        for resolution in _RESOLUTIONS:
            membership, share = None, 1.0
            # one round at a time: in a large graph each takes seconds
            for _ in range(_NUM_ROUNDS):
                if is_late():
                    return None
                # as `Graph.community_leiden`, whose answer is an object with the sizes of all
                membership, _ = igraph.GraphBase.community_leiden(
                    drawn,
                    resolution=resolution,
                    normalize_resolution=True,
                    n_iterations=1,
                    initial_membership=membership,
                )
                share = _share_of_largest(np.array(membership))
                if share < _LEAST_SHARE:
                    break
            partitions.append(np.array(membership))
            if share < _LEAST_SHARE:
                break
    is_bipartite, sides = drawn.is_bipartite(return_types=True)
    if is_bipartite:
        partitions.append(np.array(sides, np.int64))
    merged = [_merge_small(blocks) for blocks in partitions]
    merged = [blocks for blocks in merged if blocks.max() > 0]
    return min(merged, key=lambda blocks: _multigraph_bits(graph.edges, blocks), default=None)


def _share_of_largest(blocks: np.ndarray) -> float:
    """The share of the nodes that are in the 29 largest blocks, and not in the one of the rest."""
    largest = np.sort(np.bincount(blocks))[::-1][: _MOST_BLOCKS - 1]
    return float(largest.sum() / len(blocks))


def _merge_small(blocks: np.ndarray) -> np.ndarray:
    """The same, with all blocks beyond the 30 largest as one with the 30th."""
    largest = np.argsort(-np.bincount(blocks), kind="stable")[:_MOST_BLOCKS]
    kept = np.where(np.isin(blocks, largest), blocks, largest[-1])
    merged: np.ndarray = np.unique(kept, return_inverse=True)[1]
    return merged


def _multigraph_bits(edges: np.ndarray, blocks: np.ndarray) -> float:
    """log2 of Π d_a! / (Π_{a<b} e_ab! Π_a e_aa! 2^e_aa), and the bits of the partition.

    Multigraphs of edges ``[E, 2]`` with the same degrees, but for a factor of the degrees alone.
    """
    between = edges_between(edges, blocks)
    inside, ends = np.diag(between), between.sum(axis=1) + np.diag(between)
    across = log2_factorial(np.triu(between, 1)).sum() + (log2_factorial(inside) + inside).sum()
    return float(log2_factorial(ends).sum() - across) + partition_bits(blocks, len(edges))


@dataclass(frozen=True, eq=False)
class Blocks:
    """Blocks of the nodes of a collection, the densest first.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> parts = [nx.complete_graph(8), nx.empty_graph(8)]
    >>> blocks = find_shared_blocks(as_csr([nx.disjoint_union_all(parts) for _ in range(9)]))
    >>> blocks.labels[:16].tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]
    """

    labels: np.ndarray  # int64 [V]
    bits: float  # length of the description

    @property
    def number(self) -> int:
        """How many blocks there are; the last one may be empty."""
        return int(self.labels.max()) + 1


def find_shared_blocks(graph: CSRGraph, seed: int = 0) -> Blocks | None:
    """Look for the blocks that make the description of a collection shortest.

    None where all nodes are best in one block, so that only the density of the graphs is said.
    """
    ranks, communities = _ranks(graph), _communities(graph, seed)
    single = np.zeros(graph.num_nodes, np.int64)
    found = [Blocks(single, block_bits(graph, single, _NUM_BLOCKS[0]))]
    for number in _NUM_BLOCKS:
        found += [
            _fit(graph, (ranks * number).astype(np.int64), number),
            _fit(graph, np.minimum(communities, number - 1), number),
        ]
    best = min(found, key=lambda blocks: blocks.bits)
    return best if len(np.unique(best.labels)) > 1 else None


def block_bits(graph: CSRGraph, labels: np.ndarray, num_blocks: int) -> float:
    """The length of a collection with these blocks ``[V]``."""
    edges, pairs = count_pairs(graph, labels, num_blocks)
    upper = np.triu_indices(num_blocks)
    shared = sum(
        histogram_bits(np.array([joined, possible - joined]))
        for joined, possible in zip(edges.sum(axis=0)[upper], pairs.sum(axis=0)[upper], strict=True)
    )
    joined, possible = edges[:, upper[0], upper[1]], pairs[:, upper[0], upper[1]]
    chosen = log2_factorial(possible) - log2_factorial(joined) - log2_factorial(possible - joined)
    separate = float((chosen + np.log2(possible + 1)).sum())
    named = histogram_bits(np.bincount(labels, minlength=num_blocks))
    return integer_bits(0) + 1 + integer_bits(num_blocks) + named + 1 + min(shared, separate)


def count_pairs(
    graph: CSRGraph, labels: np.ndarray, num_blocks: int
) -> tuple[np.ndarray, np.ndarray]:
    """Edges and pairs of nodes between the blocks of each graph, int64 ``[G, B, B]`` each."""
    graph_of = graph.graph_of(np.arange(graph.num_nodes))
    row = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    edges = np.zeros((graph.num_graphs, num_blocks, num_blocks), np.int64)
    np.add.at(edges, (graph_of[row], labels[row], labels[graph.indices]), 1)
    sizes = np.zeros((graph.num_graphs, num_blocks), np.int64)
    np.add.at(sizes, (graph_of, labels), 1)
    pairs = sizes[:, :, None] * sizes[:, None, :]
    diagonal = np.arange(num_blocks)
    # inside a block, both ends of an edge were counted
    edges[:, diagonal, diagonal] //= 2
    pairs[:, diagonal, diagonal] = sizes * (sizes - 1) // 2
    return edges, pairs


def _fit(graph: CSRGraph, begun: np.ndarray, num_blocks: int) -> Blocks:
    """So many blocks with the densities that all graphs share, from some to begin with ``[V]``."""
    labels = _renumber(graph, begun, num_blocks)
    best = Blocks(labels, block_bits(graph, labels, num_blocks))
    # until no more is gained
    for _ in range(_MOST_ROUNDS):
        labels = best.labels.copy()
        edges, pairs = (
            of_graphs.sum(axis=0) for of_graphs in count_pairs(graph, labels, num_blocks)
        )
        density = (edges + 0.5) / (pairs + 1)
        share = (np.bincount(labels, minlength=num_blocks) + 0.5) / (len(labels) + num_blocks / 2)
        rows = graph.indptr, graph.indices, graph.graph_ptr
        fit_blocks(*rows, -np.log2(density), -np.log2(1 - density), -np.log2(share), labels)
        bits = block_bits(graph, labels, num_blocks)
        if bits >= best.bits:
            break
        best = Blocks(labels, bits)
    return best


def _ranks(graph: CSRGraph) -> np.ndarray:
    """Share of the nodes of its graph with a larger degree, ``[V]``."""
    graph_of = graph.graph_of(np.arange(graph.num_nodes))
    place = np.empty(graph.num_nodes, np.int64)
    place[np.lexsort((-graph.degrees, graph_of))] = np.arange(graph.num_nodes)
    ranks: np.ndarray = (place - graph.graph_ptr[graph_of]) / np.diff(graph.graph_ptr)[graph_of]
    return ranks


def _communities(graph: CSRGraph, seed: int) -> np.ndarray:
    """Communities of each graph by the Leiden algorithm, the largest first."""
    import igraph

    labels = np.empty(graph.num_nodes, np.int64)
    row = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    with python_random_state(seed):
        for first, last in pairwise(graph.graph_ptr.tolist()):
            entries = slice(graph.indptr[first], graph.indptr[last])
            ends = np.stack([row[entries], graph.indices[entries]], axis=1) - first
            subgraph = igraph.Graph(last - first, ends[ends[:, 0] < ends[:, 1]])
            found = subgraph.community_leiden("modularity", n_iterations=_LEIDEN_ROUNDS).membership
            largest = np.argsort(-np.bincount(found, minlength=1), kind="stable")
            labels[first:last] = np.argsort(largest)[found]
    return labels


def _renumber(graph: CSRGraph, labels: np.ndarray, num_blocks: int) -> np.ndarray:
    """The blocks of each graph by falling density."""
    edges, pairs = count_pairs(graph, labels, num_blocks)
    diagonal = np.arange(num_blocks)
    density = edges[:, diagonal, diagonal] / np.maximum(pairs[:, diagonal, diagonal], 1)
    number = np.argsort(np.argsort(-density, axis=1, kind="stable"), axis=1)
    return number[graph.graph_of(np.arange(graph.num_nodes)), labels]


def cliques_of(graph: CSRGraph, blocks: Blocks, least_share: float) -> np.ndarray:
    """Nodes of the block that is a clique of one size in most graphs, ``[K, M]``.

    A clique has at least such a share of its edges, and all blocks of its size together .85 of
    them. There are none where no block is so.
    """
    edges, pairs = count_pairs(graph, blocks.labels, blocks.number)
    graph_of = graph.graph_of(np.arange(graph.num_nodes))
    for block in range(blocks.number):
        sizes = np.bincount(graph_of[blocks.labels == block], minlength=graph.num_graphs)
        is_full = edges[:, block, block] >= least_share * pairs[:, block, block]
        is_full &= sizes >= _LEAST_CLIQUE
        size = int(np.bincount(sizes[is_full], minlength=1).argmax())
        has, alike = is_full & (sizes == size), sizes == size
        joined, possible = edges[alike, block, block].sum(), pairs[alike, block, block].sum()
        if 2 * has.sum() > graph.num_graphs and joined >= _LEAST_DENSITY * possible:
            nodes = np.flatnonzero((blocks.labels == block) & has[graph_of])
            return nodes.reshape(-1, size)
    return np.zeros((0, 0), np.int64)


def bits_without(graph: CSRGraph, blocks: Blocks, nodes: np.ndarray) -> float:
    """What the description grows by at least when these nodes of a block join another one."""
    lengths = []
    for other in set(range(blocks.number)) - {int(blocks.labels[nodes.ravel()[0]])}:
        labels = blocks.labels.copy()
        labels[nodes] = other
        lengths.append(block_bits(graph, labels, blocks.number))
    return min(lengths) - blocks.bits


@compiled()
def fit_blocks(indptr, indices, graph_ptr, joined, apart, label_bits, labels):
    """Move nodes [V] to where they cost least, given the bits of an edge, of none, of a label."""
    num_blocks = len(label_bits)
    near, sizes = np.empty(num_blocks, np.int64), np.empty(num_blocks, np.int64)
    for graph in range(len(graph_ptr) - 1):
        first, last = graph_ptr[graph], graph_ptr[graph + 1]
        for block in range(num_blocks):
            sizes[block] = 0
        for node in range(first, last):
            sizes[labels[node]] += 1
        for _ in range(_MOST_SWEEPS):
            has_moved = False
            for node in range(first, last):
                _count_near(indptr, indices, node, labels, near)
                sizes[labels[node]] -= 1
                best, least = labels[node], np.inf
                for block in range(num_blocks):
                    bits = label_bits[block] - (1e-9 if block == labels[node] else 0.0)
                    for other in range(num_blocks):
                        bits += near[other] * joined[block, other]
                        bits += (sizes[other] - near[other]) * apart[block, other]
                    if bits < least:
                        best, least = block, bits
                has_moved = has_moved or best != labels[node]
                labels[node] = best
                sizes[best] += 1
            if not has_moved:
                break


@subroutine()
def _count_near(indptr, indices, node, labels, near):
    for block in range(len(near)):
        near[block] = 0
    for entry in range(indptr[node], indptr[node + 1]):
        near[labels[indices[entry]]] += 1
