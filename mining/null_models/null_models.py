"""Null models: a graph → a graph made by chance that keeps some of its properties.

``"degree"``
    edges are rewired; every node keeps its degree, and as many edges as before join nodes of each
    two degrees. Connected components stay connected and keep their nodes, so that nothing leaves
    its graph in a collection.
``"configuration"``
    the same without the second condition: the degrees alone. Graphs that grew, such as
    Barabási–Albert graphs, differ from this null model all by themselves, see
    ``benchmarks/results/significance.md``.
``"features"``
    the edges stay and the rows of the features are shuffled over all nodes.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from gomkcn_dgl.checks import check_choice, check_int
from gomkcn_dgl.csr import CSRGraph
from mining.null_models.rewiring import swap_edges, undo_swaps

log = logging.getLogger("gomkcn_dgl")

NULL_MODELS = ("configuration", "degree", "features")

# swaps an edge; three leave one edge in 400 where it was
_SWAPS = 10
# attempts an edge are bounded, since in some graphs no swap is possible
_ATTEMPTS = 100
# in a graph of more nodes a swap is taken to cut nothing once both sides have so many nodes, and
# components are counted after as many swaps as there are edges; if some were cut, those swaps are
# made anew with longer searches
_FEW_NODES = 10_000
_VISITS = 8
_LONGER = 8


def sample_null(graph: CSRGraph, null: str, seed: int) -> CSRGraph:
    """Draw one graph of a null model.

    Parameters
    ----------
    graph : CSRGraph
        A graph or a collection. Edge weights are dropped when edges are rewired: patterns have
        none.
    null : {"configuration", "degree", "features"}
        What is kept, see above.
    seed : int
        The same seed gives the same sample.

    Returns
    -------
    CSRGraph
        With the nodes of ``graph`` in their order.

    Raises
    ------
    InputError
        For an unknown null model or a negative seed.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> graph = as_csr(nx.barabasi_albert_graph(50, 2, seed=0))
    >>> sample = sample_null(graph, "degree", seed=1)
    >>> (sample.degrees == graph.degrees).all(), sample.num_edges == graph.num_edges
    (np.True_, True)
    """
    check_choice("null", null, NULL_MODELS)
    rng = np.random.default_rng([check_int("seed", seed, 0), NULL_MODELS.index(null)])
    if null == "features":
        return shuffle_features(graph, rng)
    return rewire(graph, rng, keep_pairs=null == "degree")


def shuffle_features(graph: CSRGraph, rng: np.random.Generator) -> CSRGraph:
    """Shuffle the rows of the features over all nodes, of all graphs of a collection."""
    return replace(graph, features=graph.features[rng.permutation(graph.num_nodes)])


def rewire(graph: CSRGraph, rng: np.random.Generator, *, keep_pairs: bool) -> CSRGraph:
    """Rewire the edges by ten swaps an edge, keeping degrees and connected components.

    Parameters
    ----------
    graph : CSRGraph
    rng : numpy.random.Generator
    keep_pairs : bool
        Keep as well how many edges join nodes of each two degrees.
    """
    edges = graph.undirected_edges()
    if len(edges) == 0:
        return replace(graph, weights=None)
    # the ends of the edges are numbered as well
    number = np.int32 if 2 * len(edges) < 2**31 else np.int64
    # end 2 e leads to the second node of edge e, end 2 e + 1 to the first
    group_of = _groups(graph, keep_pairs).astype(number)[edges[:, ::-1].reshape(-1)]
    group_ptr = np.concatenate([[0], np.cumsum(np.bincount(group_of))])
    members = np.argsort(group_of, kind="stable").astype(number)
    neighbors = np.array(graph.indices)
    wires = _Wires(edges.astype(np.int32), graph.indptr, neighbors, group_of, group_ptr, members)
    swaps = _SWAPS * len(edges)
    attempts = wires.swap(swaps // 2, _ATTEMPTS * len(edges) // 2, rng)
    # a graph that allows few swaps must be stayed at for longer: to stop after so many swaps would
    # prefer the others, so the second half has as many attempts as the first half needed
    wires.swap(attempts, attempts, rng)
    rows = wires.as_matrix()
    rows.sort_indices()
    return replace(graph, indices=rows.indices.astype(np.int32), weights=None)


def match_anew(graph: CSRGraph, rng: np.random.Generator) -> CSRGraph:
    """Join the ends of all edges anew, in one go: ``rewire`` with ``keep_pairs``, but not as exact.

    Every end goes to another node of the same degree and component. Where that joins a node with
    itself, or two nodes twice, an edge is lost (the erased configuration model); components may
    fall apart. Takes 2 % of the time.
    """
    if graph.num_edges == 0:
        return replace(graph, weights=None)
    group = _groups(graph, keep_pairs=True)
    # end 2 e leads to the second node of edge e, end 2 e + 1 to the first
    ends = graph.undirected_edges().astype(np.int32)[:, ::-1].reshape(-1)
    key = group[ends].astype(np.uint64)
    places = np.argsort(key, kind="stable")
    # by group, and within a group by chance
    key <<= np.uint64(32)
    key |= rng.integers(2**32, size=len(key), dtype=np.uint32)
    # stable, since other sorts order equal draws as the processor likes
    order = np.argsort(key, kind="stable")
    del key
    ends[places] = ends[order]
    del places, order
    first, second = ends.reshape(-1, 2).T
    proper = first != second
    first, second = first[proper], second[proper]
    row, column = np.concatenate([first, second]), np.concatenate([second, first])
    rows = csr_array((np.ones(len(row), np.int8), (row, column)), shape=(graph.num_nodes,) * 2)
    # sorts the rows as well
    rows.sum_duplicates()
    indptr, indices = rows.indptr.astype(np.int64), rows.indices.astype(np.int32)
    return replace(graph, indptr=indptr, indices=indices, weights=None)


@dataclass(frozen=True)
class _Wires:
    """The arrays of :func:`swap_edges`, which change in place."""

    edges: np.ndarray
    indptr: np.ndarray
    neighbors: np.ndarray
    group_of: np.ndarray
    group_ptr: np.ndarray
    members: np.ndarray

    def swap(self, num_swaps: int, num_attempts: int, rng: np.random.Generator) -> int:
        """Make so many swaps, or attempts; return how many attempts that was."""
        num_nodes = len(self.indptr) - 1
        most_visits = num_nodes if num_nodes <= _FEW_NODES else _VISITS
        whole = self._num_components() if most_visits < num_nodes else 0
        made = np.empty((min(num_swaps, len(self.edges)), 2), self.group_of.dtype)
        swaps, attempts = 0, 0
        while swaps < num_swaps and attempts < num_attempts:
            window = made[: num_swaps - swaps]
            count, tried, unsure = swap_edges(
                self.edges, self.indptr, self.neighbors,
                self.group_of, self.group_ptr, self.members,
                num_attempts - attempts, rng, most_visits, window,
            )  # fmt: skip
            if unsure and self._num_components() > whole:
                undo_swaps(self.edges, self.indptr, self.neighbors, window[:count])
                most_visits = min(_LONGER * most_visits, num_nodes)
                continue
            swaps, attempts = swaps + count, attempts + tried
        return attempts

    def as_matrix(self) -> csr_array:
        """The adjacency matrix; it shares memory."""
        shape = (len(self.indptr) - 1,) * 2
        return csr_array(
            (np.ones(len(self.neighbors), np.int8), self.neighbors, self.indptr), shape=shape
        )

    def _num_components(self) -> int:
        return int(connected_components(self.as_matrix(), connection="strong")[0])


def _groups(graph: CSRGraph, keep_pairs: bool) -> np.ndarray:
    """Group of each node, int32 ``[V]``: nodes of one group may be exchanged at an edge's end."""
    # strong components of a symmetric matrix are its components, found in half of the memory
    whole = csr_array(
        (np.ones(len(graph.indices), np.int8), graph.indices, graph.indptr),
        shape=(graph.num_nodes, graph.num_nodes),
    )
    _, label = connected_components(whole, connection="strong")
    # numbered in the order of their first nodes
    _, first, label = np.unique(label, return_index=True, return_inverse=True)
    component = np.argsort(np.argsort(first))[label.reshape(-1)]
    degree = graph.degrees if keep_pairs else np.zeros(graph.num_nodes, np.int64)
    key = component * (1 + graph.degrees.max()) + degree
    _, group = np.unique(key, return_inverse=True)
    return group.reshape(-1).astype(np.int32)
