"""Step 2: CSRGraph and root nodes → SubgraphBatch, padded and aligned row by row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import torch

from gomkcn_dgl.checks import check_choice, check_int
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import CSRGraph
from gomkcn_dgl.kernels import load_backend
from gomkcn_dgl.kernels.bfs_reference import POLICIES, WORD_BITS, SearchRows
from gomkcn_dgl.relations import SIMPLE, Relations, channel_adjacency
from gomkcn_dgl.subgraph_tensors import SubgraphTensors

# a padded subgraph costs memory and matching time that grow with the square of its size
MAX_SUBGRAPH_NODES = 1024
MAX_HOPS = 2**31 - 1
DIRECTIONS = ("both", "out", "in")


class FeatureRows(Protocol):
    """Features of any nodes: an array ``[V, D]``, or what computes its rows."""

    def __getitem__(self, rows: Any, /) -> np.ndarray:
        """Return a new array ``[…, D]``."""


@dataclass(frozen=True)
class SubgraphBatch:
    """S rooted subgraphs of one graph; row ``s`` of every array is the same subgraph.

    Attributes
    ----------
    nodes : numpy.ndarray
        int32 ``[S, N]`` graph nodes in breadth-first order, root first, -1 = padding.
    num_nodes : numpy.ndarray
        int32 ``[S]`` nodes that are not padding.
    truncated : numpy.ndarray
        bool ``[S]`` whether the ball around the root had more than N nodes.
    bits : numpy.ndarray
        uint64 ``[S, N, ceil(N / 64)]``; bit ``j`` of row ``i`` says that nodes i and j are joined.
    weights : numpy.ndarray or None
        float32 ``[S, N, N]`` edge weights, for a weighted graph.
    links : numpy.ndarray or None
        uint8 or uint16 ``[S, N, N]``, all that joins node i to node j, a number of
        ``relations.links``; 0 = not joined. None where all edges are of one undirected relation.
    relations : Relations
        The relations of the graph and their links.
    edge_features : numpy.ndarray or None
        float32 ``[S, N, N, C]``, features of the edge from node i to node j.
    num_views : int
        Subgraphs a root; they stand next to each other, root after root.
    """

    nodes: np.ndarray
    num_nodes: np.ndarray
    truncated: np.ndarray
    bits: np.ndarray
    weights: np.ndarray | None
    num_views: int
    links: np.ndarray | None = None
    relations: Relations = SIMPLE
    edge_features: np.ndarray | None = None

    def __len__(self) -> int:
        """Return the number of subgraphs S."""
        return len(self.nodes)

    @property
    def max_nodes(self) -> int:
        """Padded size N."""
        return self.nodes.shape[1]

    @property
    def roots(self) -> np.ndarray:
        """Root of each subgraph, int32 ``[S]``."""
        return self.nodes[:, 0]

    def node_sets(self) -> np.ndarray:
        """Number of each subgraph's node set, int64 ``[S]``: equal for the same nodes."""
        ordered = np.sort(self.nodes, axis=1)
        return np.unique(ordered, axis=0, return_inverse=True)[1].reshape(-1)

    def take(self, rows: np.ndarray) -> SubgraphBatch:
        """Return the subgraphs in ``rows``, each as a view of its own."""
        return SubgraphBatch(
            self.nodes[rows],
            self.num_nodes[rows],
            self.truncated[rows],
            self.bits[rows],
            None if self.weights is None else self.weights[rows],
            num_views=1,
            links=None if self.links is None else self.links[rows],
            relations=self.relations,
            edge_features=None if self.edge_features is None else self.edge_features[rows],
        )

    def structure(self) -> np.ndarray:
        """Link of each pair of nodes, ``[S, N, N]``: without links, 1 for an edge, 0 for none."""
        return self._joined().astype(np.uint8) if self.links is None else self.links

    def adjacency(self) -> np.ndarray:
        """Edge weights, or 1 for an edge and 0 for none, as float32.

        ``[S, N, N]``; with links or edge features ``[S, N, N, C]``, a matrix for each channel.
        """
        if self.links is not None or self.edge_features is not None:
            return channel_adjacency(
                self.structure(), self.weights, self.relations, self.edge_features
            )
        return self._joined() if self.weights is None else self.weights

    def _joined(self) -> np.ndarray:
        """1 for an edge and 0 for none, float32 ``[S, N, N]``."""
        # bit j of a row is bit j % 64 of word j // 64
        column = np.arange(self.max_nodes)
        words = self.bits[:, :, column // WORD_BITS]
        return ((words >> (column % WORD_BITS).astype(np.uint64)) & np.uint64(1)).astype(np.float32)

    def to_tensors(self, device: torch.device | str = "cpu") -> SubgraphTensors:
        """Return plain tensors on ``device``; on the CPU they share memory with the batch."""
        bits = weights = links = channels = None
        if self.weights is not None or self.edge_features is not None:
            # matrices, one for each channel where there are several
            weights = torch.from_numpy(self.adjacency()).to(device)
        elif self.links is not None:
            links = torch.from_numpy(self.links).to(device)
            channels = torch.from_numpy(self.relations.links).to(device)
        else:
            bits = torch.from_numpy(self.bits.view(np.int64)).to(device)
        return SubgraphTensors(
            torch.from_numpy(self.nodes).to(device),
            torch.from_numpy(self.num_nodes).to(device=device, dtype=torch.int64),
            bits,
            weights,
            self.num_views,
            links,
            channels,
        )

    def gather(self, features: FeatureRows) -> np.ndarray:
        """Features of the nodes, zero for padding: ``[V, D]`` → ``[S, N, D]``."""
        # padding reads row 0 and is set to zero afterwards
        rows = features[np.maximum(self.nodes, 0)]
        rows[self.nodes < 0] = 0
        return rows


def usual_hops(max_nodes: int) -> int:
    """Radius within which some root sees any pattern of ``max_nodes`` nodes whole, but at least 3.

    A connected graph of M nodes has a node from which no other is more than M // 2 steps away.
    """
    return max(3, max_nodes // 2)


def extract_subgraphs(
    graph: CSRGraph,
    num_hops: int,
    max_nodes: int,
    *,
    roots: np.ndarray | None = None,
    policy: str = "bfs",
    num_views: int = 1,
    seed: int = 0,
    direction: str = "both",
    backend: str = "auto",
) -> SubgraphBatch:
    """Extract the subgraph around each root: the nodes within ``num_hops``, at most ``max_nodes``.

    Parameters
    ----------
    graph : CSRGraph
        The graph, or a collection; a subgraph never leaves its graph.
    num_hops : int
        Radius of the ball around a root, at least 0.
    max_nodes : int
        Most nodes of a subgraph, N; a larger ball is truncated.
    roots : array, optional
        Integer ``[R]``, repeats allowed. None: every node.
    policy : {"bfs", "dense", "random"}
        Which nodes of a larger ball stay: the whole hops that fit and a sample of the next (the
        paper, step 1 of Algorithm 1), or a set grown from the root by most edges into it, or grown
        at random. ``kernels/bfs_reference.py`` defines all three. They agree where nothing is
        truncated.
    num_views : int
        Subgraphs a root, each with random choices of its own.
    seed : int
        At least 0. The same seed gives the same subgraphs, whatever the number of threads, and the
        same for a root whichever other roots are asked for, and wherever its graph stands in a
        collection. Which nodes of a truncated ball stay depends on how nodes are numbered.
    direction : {"both", "out", "in"}
        Which edges lead away from the root: all of them, those that leave a node, or those that
        arrive. An edge without direction does both. The subgraph has all edges among its nodes.
    backend : {"auto", "numba", "reference"}
        All give the same arrays.

    Returns
    -------
    SubgraphBatch
        S = R * num_views subgraphs.

    Raises
    ------
    InputError
        For a value out of range.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr, extract_subgraphs
    >>> batch = extract_subgraphs(as_csr(nx.path_graph(4)), num_hops=1, max_nodes=4)
    >>> batch.nodes[1].tolist(), batch.num_nodes.tolist()
    ([1, 0, 2, -1], [2, 3, 3, 2])
    """
    check_extraction(num_hops, max_nodes, policy, num_views, seed)
    check_choice("direction", direction, DIRECTIONS)
    module = load_backend("bfs", backend)
    starts = _check_roots(roots, graph.num_nodes)
    links, reverse = graph.links, graph.relations.reverse
    if graph.edge_features is not None:
        # in place of its link, an entry has its number, from 1; that tells link and features
        links = np.arange(1, len(graph.indices) + 1)
        reverse = np.concatenate([[0], graph.opposite_entries + 1])
    arrays = module.extract(
        _search_rows(graph, direction),
        graph.indptr,
        graph.indices,
        graph.weights,
        links,
        reverse,
        starts,
        # places in their own graphs, so that nothing depends on the others of a collection
        starts - graph.graph_ptr[graph.graph_of(starts)],
        num_hops,
        max_nodes,
        policy,
        num_views,
        seed,
    )
    batch = SubgraphBatch(**arrays._asdict(), num_views=num_views, relations=graph.relations)
    return batch if graph.edge_features is None else _look_up(batch, graph)


def _search_rows(graph: CSRGraph, direction: str) -> SearchRows | None:
    """Rows of the neighbours that a search goes to; None for all neighbours."""
    if direction == "both" or graph.links is None:
        return None
    relations = graph.relations
    leaves = np.asarray(relations.links[:, relations.outgoing].any(axis=1))  # [K]
    follow = (leaves if direction == "out" else leaves[relations.reverse])[graph.links]
    ends = np.concatenate([[0], np.cumsum(follow)])
    return SearchRows(ends[graph.indptr], graph.indices[follow])


def _look_up(batch: SubgraphBatch, graph: CSRGraph) -> SubgraphBatch:
    """Replace the entries of a batch by their links, and add their features."""
    assert batch.links is not None and graph.edge_features is not None
    entry, joined = np.maximum(batch.links - 1, 0), batch.links > 0
    links = None if graph.links is None else np.where(joined, graph.links[entry], 0)
    return replace(
        batch,
        links=None if links is None else links.astype(graph.relations.code_type),
        edge_features=np.where(joined[..., None], graph.edge_features[entry], np.float32(0)),
    )


def check_extraction(num_hops: int, max_nodes: int, policy: str, num_views: int, seed: int) -> None:
    """Refuse options of :func:`extract_subgraphs` that are out of range."""
    check_int("num_hops", num_hops, 0, MAX_HOPS)
    check_int("max_nodes", max_nodes, 1, MAX_SUBGRAPH_NODES)
    check_choice("policy", policy, POLICIES)
    check_int("num_views", num_views, 1)
    check_int("seed", seed, 0, 2**63 - 1)


def _check_roots(roots: np.ndarray | None, num_nodes: int) -> np.ndarray:
    if roots is None:
        return np.arange(num_nodes)
    roots = np.asarray(roots)
    if roots.ndim != 1 or (len(roots) and roots.dtype.kind not in "iu"):
        raise InputError(
            f"roots must be a list of node numbers, got {roots.dtype} of shape {roots.shape}."
        )
    if len(roots) and not (roots.min() >= 0 and roots.max() < num_nodes):
        worst = roots.min() if roots.min() < 0 else roots.max()
        raise InputError(f"roots must be nodes from 0 to {num_nodes - 1}, got {worst}.")
    return roots.astype(np.int64)
