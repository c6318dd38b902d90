"""The two ends of each edge as the loop of edge swaps needs them, and the graph after the swaps.

End ``2 e`` leads to the second node of edge e, and end ``2 e + 1`` to the first. Ends are *merged*
where all that joins two nodes is taken for one edge, and *separate* where each relation and
direction is an edge of its own.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from gomkcn_dgl.csr import CSRGraph, csr_from_edges
from gomkcn_dgl.edge_linking import pack

NO_CHANNELS = np.empty(0, np.uint16), np.empty(0, np.uint16), np.empty((0, 0), np.bool_)


@dataclass(frozen=True, eq=False)
class EdgeEnds:
    """Edges, and the rows of neighbours that they form; swaps change both in place.

    ``kinds [2 E]`` is the link or the channel that each end leads by, None where all are alike.
    ``channels`` are the arguments of that name of :func:`~mining.null_models.rewiring.swap_edges`,
    and ``relation [E]`` is that of each of separate edges.
    """

    edges: np.ndarray  # int32 [E, 2]
    indptr: np.ndarray  # int64 [V + 1]
    neighbors: np.ndarray  # int32 [2 E]
    kinds: np.ndarray | None
    channels: tuple[np.ndarray, np.ndarray, np.ndarray] = NO_CHANNELS
    relation: np.ndarray | None = None

    def build(self, graph: CSRGraph) -> CSRGraph:
        """The graph of the edges as they are now, ``graph`` being that which they came from."""
        if self.relation is not None:
            return _build_separate(self.edges, self.relation, graph)
        if graph.links is not None:
            return build_merged(self.edges, *entries_of_pairs(graph), graph)
        shape = (graph.num_nodes,) * 2
        data = np.ones(len(self.neighbors), np.int8)
        rows = csr_array((data, self.neighbors, self.indptr), shape=shape)
        rows.sort_indices()
        return replace(graph, indices=rows.indices.astype(np.int32), weights=None)


def merged_ends(graph: CSRGraph) -> EdgeEnds:
    """Ends of the pairs of joined nodes, each of the kind of its link."""
    edges = graph.adjacent_pairs().astype(np.int32)
    return EdgeEnds(edges, graph.indptr, np.array(graph.indices), kinds_of_pairs(graph))


def separate_ends(graph: CSRGraph) -> EdgeEnds:
    """Ends of the edges of each relation, each of the kind of its channel."""
    source, target, relation = graph.edges()
    there = graph.relations.outgoing[relation]
    back = graph.relations.opposite[there]
    row, column = np.concatenate([source, target]), np.concatenate([target, source])
    order = np.argsort(row, kind="stable")
    end_channels = np.stack([there, back], axis=1).reshape(-1).astype(np.uint16)
    channels = np.concatenate([there, back])[order].astype(np.uint16)
    return EdgeEnds(
        edges=np.stack([source, target], axis=1).astype(np.int32),
        indptr=np.concatenate([[0], np.cumsum(np.bincount(row, minlength=graph.num_nodes))]),
        neighbors=column[order].astype(np.int32),
        kinds=end_channels,
        channels=(channels, end_channels, _conflicts(graph)),
        relation=relation,
    )


def _conflicts(graph: CSRGraph) -> np.ndarray:
    """Channels that may not lead from one node to the same other node, bool ``[C, C]``.

    They are a channel and itself, and two relations that do not do so in the graph. Edges of
    opposite directions exclude each other only where the whole link is kept.
    """
    links = graph.relations.links.astype(np.float32)
    conflicts = links.T @ links == 0
    sides = np.array([side for _, side in graph.relations.channels])
    conflicts[np.ix_(sides == "out", sides == "in")] = False
    conflicts[np.ix_(sides == "in", sides == "out")] = False
    np.fill_diagonal(conflicts, True)
    return conflicts


def end_groups(edges: np.ndarray, kinds: np.ndarray | None, node_group: np.ndarray) -> np.ndarray:
    """Group of each end, ``[2 E]``: that of the node it leads to, and its kind."""
    group = node_group[edges[:, ::-1].reshape(-1)]
    if kinds is None:
        return group
    key = group.astype(np.int64) * (int(kinds.max()) + 1) + kinds
    return np.unique(key, return_inverse=True)[1].reshape(-1)


def degree_classes(graph: CSRGraph) -> np.ndarray:
    """Class of each node, int64 ``[V]``: nodes with as many outgoing, incoming and other edges.

    In a graph without directions and types it is the degree.
    """
    if graph.links is None:
        return graph.degrees
    source, target, relation = graph.edges()
    directed = np.array(graph.relations.directed)[relation]
    ends = source[directed], target[directed], np.r_[source[~directed], target[~directed]]
    degrees = np.stack([np.bincount(end, minlength=graph.num_nodes) for end in ends], axis=1)
    return np.unique(degrees, axis=0, return_inverse=True)[1].reshape(-1)


def entries_of_pairs(graph: CSRGraph) -> tuple[np.ndarray, np.ndarray]:
    """Entry of each pair of ``adjacent_pairs`` in the rows of its two nodes, int64 ``[E]`` each."""
    row = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    there = np.flatnonzero(row < graph.indices)
    # sorted by column, then row, entry i of the rows is followed by its opposite
    return there, np.argsort(graph.indices, kind="stable")[there]


def kinds_of_pairs(graph: CSRGraph) -> np.ndarray | None:
    """Link of each end of each pair of joined nodes, ``[2 E]``; None without links."""
    if graph.links is None:
        return None
    return graph.links[np.stack(entries_of_pairs(graph), axis=1).reshape(-1)]


def build_merged(
    pairs: np.ndarray, there: np.ndarray, back: np.ndarray, graph: CSRGraph
) -> CSRGraph:
    """The graph in which ``pairs [E, 2]`` are joined as the entries ``there`` and ``back`` were."""
    row = np.concatenate([pairs[:, 0], pairs[:, 1]])
    column = np.concatenate([pairs[:, 1], pairs[:, 0]])
    origin = np.concatenate([there, back])
    order = np.argsort(pack(row.astype(np.int64), column))
    origin = origin[order]
    degrees = np.bincount(row, minlength=graph.num_nodes)
    return replace(
        graph,
        indptr=np.concatenate([[0], np.cumsum(degrees)]),
        indices=column[order].astype(np.int32),
        links=None if graph.links is None else graph.links[origin],
        weights=None,
    )


def _build_separate(edges: np.ndarray, relation: np.ndarray, graph: CSRGraph) -> CSRGraph:
    """The graph of these edges."""
    made = csr_from_edges(
        edges[:, 0],
        edges[:, 1],
        graph.num_nodes,
        features=graph.features,
        feature_names=graph.feature_names,
        graph_ptr=graph.graph_ptr,
        node_ids=graph.node_ids,
        directed=graph.relations.directed,
        relation=relation,
        relation_names=graph.relations.names,
        repairs=Counter(),
    )
    return replace(made, notes=graph.notes)
