"""The CSRGraph: a graph, or many, as compressed sparse rows, with directions and edge types.

The rows are those of the graph read as undirected. What joins two nodes, relations and directions,
stands beside each entry as a link, see :mod:`gomkcn_dgl.relations`. :func:`csr_from_edges` is the
one place that tidies a graph: it drops self-loops, merges duplicates and gives nodes without
features the constant 1.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gomkcn_dgl.checks import check_features
from gomkcn_dgl.edges import (
    CONFLICTS,
    CONSTANT,
    DUPLICATES,
    MIRRORED,
    check_endpoints,
    check_graph_ptr,
    check_relations,
    check_weights,
    compress,
    count_edges,
    kept_edges,
    link_edges,
    log_repairs,
    merge_duplicates,
    weights_of_entries,
)
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.relations import PLAIN, SIMPLE, Relations, relations_of
from gomkcn_dgl.runtime import html_of

log = logging.getLogger("gomkcn_dgl")


CONSTANT_FEATURE = "constant"


# nodes whose edges are listed in one go
_NODES_AT_ONCE = 2**18


# arrays compare elementwise, so two graphs are equal only when they are the same object
@dataclass(frozen=True, eq=False)
class CSRGraph:
    """A graph without self-loops, or a collection of them, as compressed sparse rows.

    Attributes
    ----------
    indptr : numpy.ndarray
        int64 ``[V + 1]``; the neighbours of node ``v`` are ``indices[indptr[v]:indptr[v + 1]]``.
    indices : numpy.ndarray
        int32 ``[E]``; sorted in each row. Joined nodes stand in each other's row, whatever the
        direction of their edges.
    features : numpy.ndarray
        float32 ``[V, D]``; the constant 1 where the input had none.
    weights : numpy.ndarray or None
        float32 ``[E]``, positive, aligned with ``indices``; None for an unweighted graph. The entry
        of v in the row of u is the weight of the edge from u to v, or of the one from v to u where
        there is no other.
    graph_ptr : numpy.ndarray
        int64 ``[G + 1]``; graph ``g`` of a collection owns the nodes
        ``graph_ptr[g]:graph_ptr[g + 1]``.
    node_ids : numpy.ndarray or None
        ``[V]`` the input's own node ids (integers or text); None where they are the row numbers
        within each graph.
    feature_names : tuple of str
        One name per feature column.
    relations : Relations
        The kinds of edges, with direction or without, and the links that they form.
    links : numpy.ndarray or None
        uint8 or uint16 ``[E]``, aligned with ``indices``: all that joins the node of the row to its
        neighbour, a number of ``relations.links``. None where all edges are of one undirected
        relation.
    notes : tuple of str
        What was changed or left out when the graph was made, a phrase each.
    """

    indptr: np.ndarray
    indices: np.ndarray
    features: np.ndarray
    weights: np.ndarray | None
    graph_ptr: np.ndarray
    node_ids: np.ndarray | None
    feature_names: tuple[str, ...]
    relations: Relations = SIMPLE
    links: np.ndarray | None = None
    notes: tuple[str, ...] = ()

    @property
    def num_nodes(self) -> int:
        """Number of nodes V."""
        return len(self.indptr) - 1

    @property
    def num_edges(self) -> int:
        """Number of edges as they were given: E / 2 without directions and types."""
        if self.links is None:
            return len(self.indices) // 2
        ends = np.bincount(self.links, minlength=len(self.relations.links)) @ self.relations.links
        # an edge has two ends, and both count where they are alike
        return int(ends.sum()) // 2

    @property
    def num_graphs(self) -> int:
        """Number of graphs in the collection; 1 for a single graph."""
        return len(self.graph_ptr) - 1

    @property
    def degrees(self) -> np.ndarray:
        """Number of neighbours of each node, int64 ``[V]``."""
        return np.diff(self.indptr)

    @property
    def stored_features(self) -> np.ndarray:
        """The features, or the one row of a constant feature that is not stored for each node."""
        return self.features[:1] if self.features.strides[0] == 0 else self.features

    def graph_of(self, nodes: np.ndarray) -> np.ndarray:
        """Index of the graph that owns each node, int64, shaped like ``nodes``."""
        return np.searchsorted(self.graph_ptr, nodes, side="right") - 1

    def original_ids(self, nodes: np.ndarray) -> list[int | str]:
        """Return the input's own ids of ``nodes``: what a user would look up in their file."""
        nodes = np.asarray(nodes)
        if self.node_ids is not None:
            return self.node_ids[nodes].tolist()
        return (nodes - self.graph_ptr[self.graph_of(nodes)]).tolist()

    @property
    def is_directed(self) -> bool:
        """Whether some edges have a direction."""
        return self.relations.is_directed

    @cached_property
    def opposite_entries(self) -> np.ndarray:
        """Where each entry stands as seen from the other node, int64 ``[E]``."""
        row = np.repeat(np.arange(self.num_nodes), self.degrees)
        # sorted by column and row, the k-th entry is the other way of the k-th one
        return np.lexsort((row, self.indices))

    def edges(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Source, target and relation of each edge, int64 ``[num_edges]`` each.

        Without direction, the source is the smaller node.

        >>> arcs = csr_from_edges(np.array([0, 1]), np.array([1, 2]), 3, directed=True)
        >>> [column.tolist() for column in arcs.edges()]
        [[0, 1], [1, 2], [0, 0]]
        """
        row, column = np.repeat(np.arange(self.num_nodes), self.degrees), self.indices
        source, target, relation = [], [], []
        for channel, (number, side) in enumerate(self.relations.channels):
            if side == "in":
                continue
            has = np.ones(len(row), bool)
            if self.links is not None:
                has = self.relations.links[:, channel][self.links]
            here = np.flatnonzero(has & (row < column) if side == "both" else has)
            source.append(row[here])
            target.append(column[here].astype(np.int64))
            relation.append(np.full(len(here), number))
        return np.concatenate(source), np.concatenate(target), np.concatenate(relation)

    def with_relations(self, relations: Relations) -> CSRGraph:
        """The same graph in terms of other relations, see ``Relations.within``.

        In terms of a single relation without direction, all directions and types are left out.
        """
        if relations.is_simple:
            return replace(self, relations=relations, links=None)
        own = self.relations.within(relations)
        links = np.ones(len(self.indices), np.uint8) if self.links is None else self.links
        return replace(self, relations=own, links=links)

    def adjacent_pairs(self) -> np.ndarray:
        """Each pair of joined nodes once, as rows ``u < v``, int64 ``[E / 2, 2]``."""
        edges = np.empty((len(self.indices) // 2, 2), dtype=np.int64)
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
    directed: bool | Sequence[bool | None] | None = False,
    relation: np.ndarray | None = None,
    relation_names: Sequence[str] = (PLAIN,),
    undirected: bool = False,
) -> CSRGraph:
    """Build a :class:`CSRGraph` from edge arrays; the one place that tidies a graph.

    ``source``, ``target`` ``[E]`` are node rows, ``weights`` ``[E]`` are >= 0 (an edge of weight 0
    is dropped), ``features`` ``[V, D]`` or ``[V]`` (None: the constant 1), ``relation`` ``[E]`` the
    number of each edge's relation in ``relation_names``.

    ``directed`` says whether edges have a direction, for all relations or for each; None: a
    relation is undirected when each of its edges is there in both directions. ``undirected`` says
    that each edge is listed once, so that mirroring it is not worth a line in the log.

    >>> path = csr_from_edges(np.array([0, 1]), np.array([1, 2]), 3)
    >>> path.indptr.tolist(), path.indices.tolist()
    ([0, 1, 3, 4], [1, 0, 2, 1])
    >>> arcs = csr_from_edges(np.array([0, 1]), np.array([1, 2]), 3, directed=True)
    >>> arcs.indices.tolist(), arcs.relations.links[arcs.links, 0].astype(int).tolist()
    ([1, 0, 2, 1], [1, 0, 1, 0])
    """
    if num_nodes == 0:
        raise InputError("the graph is empty: it has no nodes.")
    if num_nodes >= 2**31:
        raise InputError(f"a graph must have fewer than 2^31 nodes, got {num_nodes}.")
    if node_ids is not None and len(node_ids) != num_nodes:
        raise InputError(f"node_ids must name all {num_nodes} nodes, got {len(node_ids)} names.")
    repairs: Counter[str] = Counter()
    # 1. check the edges, the boundaries of the graphs and the weights
    source, target = check_endpoints(source, target, num_nodes)
    graph_ptr = check_graph_ptr(graph_ptr, source, target, num_nodes)
    if weights is not None:
        weights = check_weights(weights, len(source))
    # 2. features; nodes without any have the constant 1
    if features is None:
        repairs[CONSTANT] = num_nodes
        features, feature_names = np.ones((num_nodes, 1), np.float32), [CONSTANT_FEATURE]
    matrix, names = check_features(features, num_nodes, feature_names)
    # 3. drop loops and edges of weight 0; mostly nothing is dropped, and nothing has to be copied
    relation, said = check_relations(relation, len(source), relation_names, directed)
    keep = kept_edges(source, target, weights, repairs)
    if not keep.all():
        source, target = source[keep], target[keep]
        weights = None if weights is None else weights[keep]
        relation = None if relation is None else relation[keep]
    # 4. a relation has no direction where each of its edges is there both ways
    different, both_ways = count_edges(source, target, relation, len(said))
    is_directed = [
        one if one is not None else bool(both < number)
        for one, number, both in zip(said, different, both_ways, strict=True)
    ]
    relations = relations_of(list(map(str, relation_names)), is_directed)
    one_way = 0 if undirected else int((different - both_ways)[~np.array(is_directed)].sum())
    num_listed = different - both_ways // 2 if undirected else different
    repairs[DUPLICATES], repairs[MIRRORED] = len(source) - int(num_listed.sum()), one_way
    # 5. merge duplicates and store every edge in both rows, as compressed sparse rows
    links = None
    if relations.is_simple:
        pairs, weights = merge_duplicates(source, target, weights)
        del source, target
        indptr, indices, weights = compress(pairs, weights, num_nodes)
    else:
        number = np.zeros(len(source), np.int64) if relation is None else relation
        rows = link_edges(source, target, number, relations, num_nodes)
        indptr, indices, links, relations = rows.indptr, rows.indices, rows.links, rows.relations
        if weights is not None:
            weights, repairs[CONFLICTS] = weights_of_entries(weights, rows)
    log_repairs(repairs)
    return CSRGraph(
        indptr=indptr,
        indices=indices,
        features=matrix,
        weights=weights,
        graph_ptr=graph_ptr,
        node_ids=node_ids,
        feature_names=names,
        relations=relations,
        links=links,
        notes=tuple(message % count for message, count in repairs.items() if count),
    )


def split_graphs(graph: CSRGraph) -> list[CSRGraph]:
    """The graphs of a collection, each by itself, as views; the inverse of ``as_csr``.

    A list is what scikit-learn divides into parts for training and validation.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> both = as_csr([nx.path_graph(2), nx.cycle_graph(3)])
    >>> [(one.num_nodes, one.num_edges) for one in split_graphs(both)]
    [(2, 1), (3, 3)]
    """
    return [_take_graph(graph, number) for number in range(graph.num_graphs)]


def _take_graph(graph: CSRGraph, number: int) -> CSRGraph:
    """One graph of a collection."""
    first, last = graph.graph_ptr[number : number + 2].tolist()
    nodes, entries = slice(first, last), slice(*graph.indptr[[first, last]].tolist())
    return replace(
        graph,
        indptr=graph.indptr[first : last + 1] - graph.indptr[first],
        indices=graph.indices[entries] - np.int32(first),
        features=graph.features[nodes],
        graph_ptr=np.array([0, last - first]),
        node_ids=None if graph.node_ids is None else graph.node_ids[nodes],
        weights=None if graph.weights is None else graph.weights[entries],
        links=None if graph.links is None else graph.links[entries],
    )
