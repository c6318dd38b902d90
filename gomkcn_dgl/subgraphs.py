"""Graph and root nodes → the subgraph around each root, padded to arrays of one shape."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gomkcn_dgl.checks import as_seed, check_choice, check_int
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.kernels import POLICIES
from gomkcn_dgl.relations import SIMPLE, Relations, channel_adjacency
from gomkcn_dgl.runtime.memory import check_memory

# nodes: the sampler has 10 bits for the edges that a node lacks into the set (`_LINK` in
# `kernels/bfs_numba.py`); a subgraph of so many takes 1 MiB of links at least
MAX_SUBGRAPH_NODES = 1024
# more than any shortest path has; larger depths mark nodes in the sampler (`_NOT_OFFERED` there)
MAX_HOPS = 2**31 - 1
# of signed integers of 64 bits
# nodes of a filter, and of a subgraph, where nobody says how many: the paper's
USUAL_SIZE = 6


@dataclass(frozen=True)
class SubgraphSettings:
    """How subgraphs are taken from a graph.

    Attributes
    ----------
    num_hops : int
        Radius of the ball around a root, at least 0; edges are followed in both directions.
    max_nodes : int
        Most nodes of a subgraph, N; a larger ball is truncated.
    policy : {"bfs", "dense"}
        Which nodes of a larger ball stay: the whole hops that fit and a sample of the next (the
        paper, step 1 of Algorithm 1), or a set grown from the root by most edges into it.
        ``kernels/bfs_numba.py`` defines both. They agree where nothing is truncated.
    seed : int
        At least 0. The same seed gives the same subgraphs, whatever the number of threads. Which
        nodes a truncated ball keeps is drawn by what the root is and has around it, six hops far:
        by links and degrees, and between nodes that these leave alike by features, or by weights
        where all features are the same. It depends on no other root or graph of a collection, and
        not on the numbers of nodes, but in rare graphs (``docs/testing.md`` has the share) and
        those of more than 2^25 entries.

    Raises
    ------
    InputError
        For a value out of range.
    """

    num_hops: int
    max_nodes: int
    policy: str = "bfs"
    seed: int = 0

    def __post_init__(self) -> None:
        check_int("num_hops", self.num_hops, 0, MAX_HOPS)
        check_int("max_nodes", self.max_nodes, 1, MAX_SUBGRAPH_NODES)
        check_choice("policy", self.policy, POLICIES)
        object.__setattr__(self, "seed", as_seed("seed", self.seed))


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
    links : numpy.ndarray
        uint8 or uint16 ``[S, N, N]``, all that joins node i to node j, a number of
        ``relations.links``: 0 = not joined, and 1 where all edges are of one undirected relation.
    weights : numpy.ndarray or None
        float32 ``[S, N, N]`` edge weights, for a weighted graph.
    relations : Relations
        The relations of the graph and their links.
    """

    nodes: np.ndarray
    num_nodes: np.ndarray
    truncated: np.ndarray
    links: np.ndarray
    weights: np.ndarray | None
    relations: Relations = SIMPLE

    def __len__(self) -> int:
        """Return the number of subgraphs S."""
        return len(self.nodes)

    def adjacency(self) -> np.ndarray:
        """Edge weights, or 1 for an edge and 0 for none, as float32.

        ``[S, N, N]``; where edges have directions or types ``[S, N, N, C]``, a matrix for each
        channel.
        """
        if not self.relations.is_simple:
            return channel_adjacency(self.links, self.weights, self.relations)
        return self.links.astype(np.float32) if self.weights is None else self.weights

    def levels(self) -> np.ndarray:
        """Hops of each node from the root within its subgraph, int32 ``[S, N]``, -1 = padding."""
        levels = np.where(self.nodes < 0, -1, 0).astype(np.int32)
        rows = np.arange(len(self))
        # in breadth-first order a node is reached from the first that it is joined to
        for column in range(1, self.nodes.shape[1]):
            parent = (self.links[:, column, :column] > 0).argmax(axis=1)
            is_node = self.nodes[:, column] >= 0
            levels[is_node, column] = levels[rows, parent][is_node] + 1
        return levels

    def select(self, rows: np.ndarray) -> SubgraphBatch:
        """Some subgraphs, int64 ``[R]``."""
        return replace(
            self,
            nodes=self.nodes[rows],
            num_nodes=self.num_nodes[rows],
            truncated=self.truncated[rows],
            links=self.links[rows],
            weights=None if self.weights is None else self.weights[rows],
        )

    def gather(self, features: Any) -> np.ndarray:
        """Rows of ``features`` of all nodes, zero for padding: ``[V, D]`` → ``[S, N, D]``."""
        # -1 is no row: padding reads row 0, and is set to zero afterwards
        rows: np.ndarray = features[np.maximum(self.nodes, 0)]
        rows[self.nodes < 0] = 0
        return rows


def usual_hops(max_nodes: int) -> int:
    """Hops within which some root sees a pattern of ``max_nodes`` whole, but at least 3.

    A connected graph of M nodes has a node from which no other is more than M // 2 hops away.
    """
    # 3 was the number for all sizes before; whether fewer do for small patterns was not measured
    return max(3, max_nodes // 2)


def extract_subgraphs(
    graph: CSRGraph,
    settings: SubgraphSettings,
    roots: np.ndarray | None = None,
) -> SubgraphBatch:
    """Extract the subgraph around each root.

    Parameters
    ----------
    graph : CSRGraph
        The graph, or a collection; a subgraph never leaves its graph.
    settings : SubgraphSettings
        Size of the subgraphs, and which nodes they have.
    roots : array, optional
        Integer ``[S]``, repeats allowed. None: every node.

    Returns
    -------
    SubgraphBatch
        A subgraph for each root.

    Raises
    ------
    InputError
        For roots that are no nodes of the graph.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import SubgraphSettings, as_csr, extract_subgraphs
    >>> settings = SubgraphSettings(num_hops=1, max_nodes=4)
    >>> batch = extract_subgraphs(as_csr(nx.path_graph(4)), settings)
    >>> batch.nodes[1].tolist(), batch.num_nodes.tolist()
    ([1, 0, 2, -1], [2, 3, 3, 2])
    """
    # imported where it is needed: it loads the compiler, which takes as long as all other imports
    from gomkcn_dgl.kernels import bfs_numba
    from gomkcn_dgl.kernels.colors_numba import FEATURE_BITS

    roots = check_roots("roots", roots, graph.num_nodes)
    max_nodes = settings.max_nodes
    # the links are most of it, a byte for each pair of nodes at least
    num_bytes = len(roots) * max_nodes**2
    check_memory(
        f"{len(roots):,} subgraphs of {max_nodes} nodes",
        num_bytes,
        "give smaller subgraphs, or fewer roots",
    )
    colored = graph.colored_rows
    arrays = bfs_numba.extract(
        graph.indptr,
        graph.indices,
        graph.weights,
        graph.links,
        graph.relations.reverse,
        colored,
        roots,
        # random streams go by what a root is and has around it: what stands beside changes nothing
        colored.colors[roots] >> np.uint64(FEATURE_BITS),
        settings.num_hops,
        max_nodes,
        settings.policy,
        settings.seed,
    )
    return SubgraphBatch(**arrays._asdict(), relations=graph.relations)


def check_roots(name: str, roots: np.ndarray | None, num_nodes: int) -> np.ndarray:
    """The roots as int64, all nodes if None; those that are no nodes are refused."""
    if roots is None:
        return np.arange(num_nodes)
    roots = np.asarray(roots)
    if roots.ndim != 1 or (len(roots) and roots.dtype.kind not in "iu"):
        raise InputError(
            name, "must be a list of node numbers", got=f"{roots.dtype} of shape {roots.shape}"
        )
    if len(roots) and not (roots.min() >= 0 and roots.max() < num_nodes):
        worst = roots.min() if roots.min() < 0 else roots.max()
        raise InputError(name, f"must be nodes from 0 to {num_nodes - 1}", got=worst)
    return roots.astype(np.int64)
