"""The CSRGraph: an undirected simple graph, or many, as compressed sparse rows.

:func:`csr_from_edges` is the one place that makes a graph simple: it mirrors directed edges, drops
self-loops, merges duplicates and gives nodes without features the constant 1.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gomkcn_dgl.checks import as_float32, check_features
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.runtime.notebook import html_of

log = logging.getLogger("gomkcn_dgl")

CONSTANT_FEATURE = "constant"

# what can be done to a graph to make it simple, in the words of the log
LOOPS = "dropped %d self-loops"
ZEROS = "dropped %d edges of weight 0"
DUPLICATES = "merged %d duplicate edges"
MIRRORED = "mirrored %d edges that were given in one direction"
CONSTANT = "no node features: every node gets the constant feature 1 (%d nodes)"

# of an int64 that holds two node rows
_LOW_HALF = 2**32 - 1
# nodes whose edges are listed in one go
_NODES_AT_ONCE = 2**18


# arrays compare elementwise, so two graphs are equal only when they are the same object
@dataclass(frozen=True, eq=False)
class CSRGraph:
    """An undirected simple graph, or a collection of them, as compressed sparse rows.

    Attributes
    ----------
    indptr : numpy.ndarray
        int64 ``[V + 1]``; the neighbours of node ``v`` are ``indices[indptr[v]:indptr[v + 1]]``.
    indices : numpy.ndarray
        int32 ``[E]``; sorted in each row, each undirected edge stored in both directions.
    features : numpy.ndarray
        float32 ``[V, D]``; the constant 1 where the input had none.
    weights : numpy.ndarray or None
        float32 ``[E]``, positive, aligned with ``indices``; None for an unweighted graph.
    graph_ptr : numpy.ndarray
        int64 ``[G + 1]``; graph ``g`` of a collection owns the nodes
        ``graph_ptr[g]:graph_ptr[g + 1]``.
    node_ids : numpy.ndarray or None
        ``[V]`` the input's own node ids (integers or text); None where they are the row numbers
        within each graph. Text on disk is a
        :class:`~gomkcn_dgl.storage.stored_names.StoredNames`, which stands for an array.
    feature_names : tuple of str
        One name per feature column.
    """

    indptr: np.ndarray
    indices: np.ndarray
    features: np.ndarray
    weights: np.ndarray | None
    graph_ptr: np.ndarray
    node_ids: np.ndarray | None
    feature_names: tuple[str, ...]

    @property
    def num_nodes(self) -> int:
        """Number of nodes V."""
        return len(self.indptr) - 1

    @property
    def num_edges(self) -> int:
        """Number of undirected edges, E / 2."""
        return len(self.indices) // 2

    @property
    def num_graphs(self) -> int:
        """Number of graphs in the collection; 1 for a single graph."""
        return len(self.graph_ptr) - 1

    @property
    def degrees(self) -> np.ndarray:
        """Number of neighbours of each node, int64 ``[V]``."""
        return np.diff(self.indptr)

    def graph_of(self, nodes: np.ndarray) -> np.ndarray:
        """Index of the graph that owns each node, int64, shaped like ``nodes``."""
        return np.searchsorted(self.graph_ptr, nodes, side="right") - 1

    def original_ids(self, nodes: np.ndarray) -> list[int | str]:
        """Return the input's own ids of ``nodes``: what a user would look up in their file."""
        nodes = np.asarray(nodes)
        if self.node_ids is not None:
            return self.node_ids[nodes].tolist()
        return (nodes - self.graph_ptr[self.graph_of(nodes)]).tolist()

    def undirected_edges(self) -> np.ndarray:
        """Each undirected edge once, as rows ``u < v``, int64 ``[E / 2, 2]``."""
        edges = np.empty((self.num_edges, 2), dtype=np.int64)
        filled = 0
        # a piece at a time, so that little is needed beside the result
        for first in range(0, self.num_nodes, _NODES_AT_ONCE):
            starts = self.indptr[first : first + _NODES_AT_ONCE + 1]
            source = np.repeat(np.arange(first, first + len(starts) - 1), np.diff(starts))
            target = self.indices[starts[0] : starts[-1]]
            keep = np.flatnonzero(source < target)
            piece = edges[filled : filled + len(keep)]
            piece[:, 0], piece[:, 1] = source[keep], target[keep]
            filled += len(keep)
        return edges

    def _repr_html_(self) -> str | None:
        """What the graph holds, and a drawing of a small one, for Jupyter."""
        return html_of(self)


def csr_from_edges(
    source: np.ndarray,
    target: np.ndarray,
    num_nodes: int,
    *,
    weights: np.ndarray | None = None,
    features: np.ndarray | None = None,
    graph_ptr: np.ndarray | None = None,
    node_ids: np.ndarray | None = None,
    feature_names: Sequence[str] | None = None,
    undirected: bool = False,
    repairs: Counter[str] | None = None,
) -> CSRGraph:
    """Build a :class:`CSRGraph` from edge arrays; the one place that makes a graph simple.

    ``source``, ``target`` ``[E]`` are node rows, ``weights`` ``[E]`` are >= 0 (an edge of weight 0
    is dropped), ``features`` ``[V, D]`` or ``[V]`` (None: the constant 1). ``undirected`` says that
    each edge is listed once, so that mirroring it is not worth a line in the log. ``repairs`` takes
    what was repaired, to be logged later by :func:`log_repairs`; None: it is logged at once.

    >>> path = csr_from_edges(np.array([0, 1]), np.array([1, 2]), 3)
    >>> path.indptr.tolist(), path.indices.tolist()
    ([0, 1, 3, 4], [1, 0, 2, 1])
    """
    if num_nodes == 0:
        raise InputError("the graph is empty: it has no nodes.")
    if num_nodes >= 2**31:
        raise InputError(f"a graph must have fewer than 2^31 nodes, got {num_nodes}.")
    if node_ids is not None and len(node_ids) != num_nodes:
        raise InputError(f"node_ids must name all {num_nodes} nodes, got {len(node_ids)} names.")
    own_repairs: Counter[str] = Counter()
    # 1. check the edges, the boundaries of the graphs and the weights
    source, target = _check_endpoints(source, target, num_nodes)
    graph_ptr = _check_graph_ptr(graph_ptr, source, target, num_nodes)
    if weights is not None:
        weights = _check_weights(weights, len(source))
    # 2. features; nodes without any have the constant 1
    if features is None:
        own_repairs[CONSTANT] = num_nodes
        features, feature_names = np.ones((num_nodes, 1), np.float32), [CONSTANT_FEATURE]
    matrix, names = check_features(features, num_nodes, feature_names)
    # 3. make the graph simple: no loops, each undirected edge once
    source, target, weights = _drop_self_loops(source, target, weights, own_repairs)
    pairs, weights = _merge_duplicates(source, target, weights, undirected, own_repairs)
    del source, target
    # 4. store every edge in both directions, as compressed sparse rows
    indptr, indices, weights = _compress(pairs, weights, num_nodes)
    if repairs is None:
        log_repairs(own_repairs)
    else:
        repairs.update(own_repairs)
    return CSRGraph(
        indptr=indptr,
        indices=indices,
        features=matrix,
        weights=weights,
        graph_ptr=graph_ptr,
        node_ids=node_ids,
        feature_names=names,
    )


def concatenate(parts: Sequence[CSRGraph]) -> CSRGraph:
    """Join graphs and collections, in this order; all need the same features, and weights or none.

    >>> edge = csr_from_edges(np.array([0]), np.array([1]), 2)
    >>> path = csr_from_edges(np.array([0, 1]), np.array([1, 2]), 3)
    >>> concatenate([edge, path]).graph_ptr.tolist()
    [0, 2, 5]
    """
    _check_same_columns(parts)
    if len(parts) == 1:
        return parts[0]
    nodes = np.cumsum([0] + [part.num_nodes for part in parts])
    edges = np.cumsum([0] + [len(part.indices) for part in parts])
    if nodes[-1] >= 2**31:
        raise InputError(f"a collection must have fewer than 2^31 nodes, got {nodes[-1]}.")
    # nodes and edges of a part are numbered after those of all parts before it
    indptr = [part.indptr[1:] + start for part, start in zip(parts, edges[:-1], strict=True)]
    indices = [part.indices + start for part, start in zip(parts, nodes[:-1], strict=True)]
    graph_ptr = [part.graph_ptr[1:] + start for part, start in zip(parts, nodes[:-1], strict=True)]
    weights = [part.weights for part in parts if part.weights is not None]
    ids = None
    if any(part.node_ids is not None for part in parts):
        ids = [np.array(part.original_ids(np.arange(part.num_nodes))) for part in parts]
    return CSRGraph(
        indptr=np.concatenate([[0], *indptr]).astype(np.int64),
        indices=np.concatenate(indices).astype(np.int32),
        features=np.concatenate([part.features for part in parts]),
        weights=np.concatenate(weights) if weights else None,
        graph_ptr=np.concatenate([[0], *graph_ptr]).astype(np.int64),
        node_ids=None if ids is None else np.concatenate(ids),
        feature_names=parts[0].feature_names,
    )


def _check_same_columns(parts: Sequence[CSRGraph]) -> None:
    """Refuse graphs that cannot be joined."""
    if not parts:
        raise InputError("the collection is empty: it has no graphs.")
    widths = sorted({part.features.shape[1] for part in parts})
    if len(widths) > 1:
        raise InputError(f"all graphs must have the same feature width, got {widths}.")
    names = parts[0].feature_names
    for number, part in enumerate(parts):
        if part.feature_names != names:
            raise InputError(
                f"all graphs must have the same features, got {list(names)} in graph 0 and "
                f"{list(part.feature_names)} in graph {number}."
            )
    if len({part.weights is None for part in parts}) > 1:
        raise InputError("either all graphs must have edge weights or none.")


def log_repairs(repairs: Counter[str]) -> None:
    """Write one line to the log for each kind of repair."""
    for message, count in repairs.items():
        if count:
            log.info(message, count)


def _check_endpoints(
    source: np.ndarray, target: np.ndarray, num_nodes: int
) -> tuple[np.ndarray, np.ndarray]:
    source, target = np.asarray(source), np.asarray(target)
    if source.ndim != 1 or source.shape != target.shape:
        raise InputError(
            "edge_index must hold one source and one target for each edge, "
            f"got the shapes {source.shape} and {target.shape}."
        )
    if len(source) == 0:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    if source.dtype.kind not in "iu" or target.dtype.kind not in "iu":
        wrong = source.dtype if source.dtype.kind not in "iu" else target.dtype
        raise InputTypeError(f"edge_index must hold integers, got {wrong}.")
    low = min(int(source.min()), int(target.min()))
    high = max(int(source.max()), int(target.max()))
    if low < 0 or high >= num_nodes:
        raise InputError(
            f"edge_index must name nodes from 0 to {num_nodes - 1}, "
            f"got {low if low < 0 else high}; raise num_nodes or renumber the nodes."
        )
    return source.astype(np.int64, copy=False), target.astype(np.int64, copy=False)


def _check_graph_ptr(
    graph_ptr: np.ndarray | None, source: np.ndarray, target: np.ndarray, num_nodes: int
) -> np.ndarray:
    if graph_ptr is None:
        return np.array([0, num_nodes], dtype=np.int64)
    graph_ptr = np.asarray(graph_ptr, dtype=np.int64)
    if graph_ptr[0] != 0 or graph_ptr[-1] != num_nodes or (np.diff(graph_ptr) < 0).any():
        raise InputError(f"graph_ptr must rise from 0 to the number of nodes, {num_nodes}.")
    # both ends of an edge must lie between the same two boundaries
    owner = np.searchsorted(graph_ptr, source, side="right")
    crossing = np.flatnonzero(owner != np.searchsorted(graph_ptr, target, side="right"))
    if len(crossing):
        edge = crossing[0]
        raise InputError(
            f"an edge must stay within one graph of the collection, got an edge from node "
            f"{source[edge]} to node {target[edge]} of another graph."
        )
    return graph_ptr


def _check_weights(weights: np.ndarray, num_edges: int) -> np.ndarray:
    weights = as_float32("edge weights", weights)
    if weights.shape != (num_edges,):
        raise InputError(
            f"edge weights must be one number for each of the {num_edges} edges, "
            f"got an array of shape {weights.shape}."
        )
    if num_edges and weights.min() < 0:
        worst = int(weights.argmin())
        raise InputError(
            f"edge weights must be at least 0, got {weights[worst]:g} for edge {worst}."
        )
    return weights


def _drop_self_loops(
    source: np.ndarray, target: np.ndarray, weights: np.ndarray | None, repairs: Counter[str]
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Keep the edges without self-loops and without edges of weight 0."""
    keep = source != target
    repairs[LOOPS] = len(source) - int(keep.sum())
    if weights is not None:
        repairs[ZEROS] = int((keep & (weights == 0)).sum())
        keep &= weights > 0
        weights = weights[keep]
    # mostly nothing is dropped, and nothing has to be copied
    if keep.all():
        return source, target, weights
    return source[keep], target[keep], weights


def _merge_duplicates(
    source: np.ndarray,
    target: np.ndarray,
    weights: np.ndarray | None,
    undirected: bool,
    repairs: Counter[str],
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return each undirected edge once, packed, ``low < high``, with its largest weight."""
    # a pair of nodes is one number, so that equal edges are equal numbers
    pairs = _pack(np.minimum(source, target), np.maximum(source, target))
    if weights is None:
        unique = _sorted_distinct(pairs)
    else:
        unique, inverse = np.unique(pairs, return_inverse=True)
        # of equal edges, the largest weight counts
        largest = np.zeros(len(unique), dtype=np.float32)
        np.maximum.at(largest, inverse, weights)
        weights = largest
    if undirected:
        repairs[DUPLICATES] = len(source) - len(unique)
    else:
        # an edge that is given in both directions is neither duplicate nor mirrored
        num_directed = len(_sorted_distinct(_pack(source, target)))
        repairs[DUPLICATES] = len(source) - num_directed
        repairs[MIRRORED] = 2 * len(unique) - num_directed
    return unique, weights


def _compress(
    pairs: np.ndarray, weights: np.ndarray | None, num_nodes: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return indptr, indices and weights of edges that are packed once each."""
    # sorted by (row, column), the entries of each row stand together in order
    entries = np.concatenate([pairs, _pack(pairs & _LOW_HALF, pairs >> 32)])
    if weights is None:
        entries.sort()
    else:
        order = np.argsort(entries)
        entries, weights = entries[order], np.concatenate([weights, weights])[order]
    indices = (entries & _LOW_HALF).astype(np.int32)
    entries >>= 32
    # the number of entries in each row gives the boundaries of the rows
    indptr = np.zeros(num_nodes + 1, dtype=np.int64)
    np.cumsum(np.bincount(entries, minlength=num_nodes), out=indptr[1:])
    return indptr, indices, weights


def _pack(row: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Put two node rows into one int64, which sorts as the pair does."""
    packed = row << 32
    packed |= column
    return packed


def _sorted_distinct(values: np.ndarray) -> np.ndarray:
    """Return what ``np.unique`` returns, without its hash table, which is several times slower."""
    values = np.sort(values)
    keep = np.ones(len(values), dtype=bool)
    keep[1:] = values[1:] != values[:-1]
    return values[keep]
