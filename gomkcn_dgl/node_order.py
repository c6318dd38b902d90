"""An order of the nodes that follows from the structure of a graph, not from its numbering.

What is sampled from a graph is sampled in this order, so that a graph whose nodes are numbered anew
shows the same subgraphs, and so does a graph of a collection wherever it stands in it. Nodes are
ordered by degree, then by Weisfeiler-Lehman colour: what their edges are, what those of their
neighbours are, and so on; then by such a colour with weights and features of edges. Those that are
left are visited by a search from the others. So only nodes that look alike from everywhere, such as
two leaves of the same node, or in a graph that looks alike everywhere, keep the order of their
numbers. Features of nodes do not count: a graph has the same subgraphs whatever its features,
unless :func:`heed_features` lets them decide between such nodes.

A renumbered copy of a graph takes memory, so that graphs of more than ``MOST_ENTRIES`` entries are
sampled by their numbers: the samples are as random, but others when nodes are numbered anew.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary, WeakSet

import numpy as np
from scipy.sparse import csr_array

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.kernels.order_numba import visit_nodes
from gomkcn_dgl.kernels.search_numba import mix64

# two million edges; the copy and the work on it take some 200 MB
MOST_ENTRIES = 2**22
_MOST_ROUNDS = 16
# entries of a collection in which nodes that look alike are told apart, one after the other
_MOST_TOLD_APART = 2**19
_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class OrderedGraph:
    """A graph whose nodes are numbered in an order of their own.

    Node ``v`` of ``graph`` is node ``nodes[v]`` of the graph that was given, whose node ``u`` has
    the position ``position[u]``; None for a graph that keeps its numbers.
    """

    graph: CSRGraph
    nodes: np.ndarray | None
    position: np.ndarray | None

    def given(self, nodes: np.ndarray) -> np.ndarray:
        """Nodes of ``graph``, -1 = none, as nodes of the graph that was given, int32."""
        if self.nodes is None:
            return np.asarray(nodes, np.int32)
        # -1 is the last entry
        table = np.append(self.nodes, -1).astype(np.int32)
        return table.take(nodes, mode="wrap")

    def positions(self, nodes: np.ndarray) -> np.ndarray:
        """Nodes of the graph that was given as nodes of ``graph``, int64."""
        return np.asarray(nodes, np.int64) if self.position is None else self.position[nodes]

    def places(self, nodes: np.ndarray) -> np.ndarray:
        """Where nodes of ``graph`` stand in their own graph of the collection."""
        places: np.ndarray = nodes - self.graph.graph_ptr[self.graph.graph_of(nodes)]
        return places

    def values(self, of_nodes: np.ndarray) -> np.ndarray:
        """Values of the nodes that were given, in the order of ``graph``."""
        return of_nodes if self.nodes is None else of_nodes[self.nodes]


_KNOWN: WeakKeyDictionary[CSRGraph, OrderedGraph] = WeakKeyDictionary()
# graphs in which features count, and those of others
_HEEDED: WeakSet[CSRGraph] = WeakSet()
_HEEDING: WeakKeyDictionary[CSRGraph, CSRGraph] = WeakKeyDictionary()


def order_by_structure(graph: CSRGraph) -> OrderedGraph:
    """Number the nodes of each graph by their structure; a graph is only ordered once.

    >>> from gomkcn_dgl.csr import csr_from_edges
    >>> tailed = csr_from_edges(np.array([0, 1, 2, 2]), np.array([1, 2, 0, 3]), 4)
    >>> other = csr_from_edges(np.array([3, 1, 0, 0]), np.array([1, 0, 3, 2]), 4)
    >>> one, other = order_by_structure(tailed).graph, order_by_structure(other).graph
    >>> one.indices.tolist() == other.indices.tolist()
    True
    """
    if graph not in _KNOWN:
        _KNOWN[graph] = _order(graph)
    return _KNOWN[graph]


@dataclass(frozen=True)
class OrderedCollection(OrderedGraph):
    """The same of a collection whose graphs have another order, too.

    Graph ``g`` of it is graph ``graphs[g]`` of the collection that was given.
    """

    graphs: np.ndarray


def order_collection(graph: CSRGraph) -> OrderedCollection:
    """Put nodes, and the graphs of a collection, into an order that follows from what they are.

    Features count here, and the graph has them; so only graphs and nodes that are alike in all keep
    the order in which they were given. What is sampled from the graph is what is sampled from the
    given one.

    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> one = as_csr([nx.path_graph(3), nx.cycle_graph(3)], features=[1, 2, 3, 4, 5, 6])
    >>> other = as_csr([nx.cycle_graph(3), nx.path_graph(3)], features=[6, 5, 4, 3, 2, 1])
    >>> (order_collection(one).graph.features == order_collection(other).graph.features).all()
    np.True_
    >>> order_collection(as_csr([nx.path_graph(4), nx.path_graph(3)])).graphs.tolist()
    [1, 0]
    """
    graphs, sampled = np.arange(graph.num_graphs), order_by_structure(graph)
    if sampled.nodes is None or sampled.position is None:
        return OrderedCollection(graph, None, None, graphs)
    number = np.arange(graph.num_nodes)
    owner = graph.graph_of(number)
    # 1. the graphs by their size, then by the sum of their nodes' colours
    colors = _colors_with_features(graph, owner)
    total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mix64(colors), dtype=np.uint64)])
    sizes = np.diff(graph.graph_ptr)
    graphs = np.lexsort((total[graph.graph_ptr[1:]] - total[graph.graph_ptr[:-1]], sizes))
    rank = np.empty_like(graphs)
    rank[graphs] = np.arange(len(graphs))
    # 2. the nodes of each by degree and colour, and those that are alike as they are sampled
    nodes = np.lexsort((sampled.position, colors, graph.degrees, rank[owner]))
    position = np.empty_like(nodes)
    position[nodes] = number
    ordered = replace(
        _renumbered(graph, _reorder(graph, nodes)),
        features=graph.features[nodes],
        graph_ptr=np.concatenate([[0], np.cumsum(sizes[graphs])]),
        node_ids=None,
    )
    # 3. it is sampled in the order of the given one
    as_sampled = np.argsort(rank[owner[sampled.nodes]], kind="stable")
    _KNOWN[ordered] = _ordered(ordered, position[sampled.nodes[as_sampled]])
    if graph in _HEEDED:
        _HEEDED.add(ordered)
    return OrderedCollection(ordered, nodes, position, graphs)


def heed_features(graph: CSRGraph) -> CSRGraph:
    """The same graph, in which features decide between nodes that are alike otherwise.

    Of two leaves of a hub, a subgraph that has room for one then takes the same one however they
    are numbered. A graph is only ordered once.
    """
    if graph in _HEEDED:
        return graph
    if graph not in _HEEDING:
        # a graph of its own, since the one that was given keeps the order that it has
        heeding = replace(graph)
        _KNOWN[heeding] = _order(heeding, with_features=True)
        _HEEDED.add(heeding)
        _HEEDING[graph] = heeding
    return _HEEDING[graph]


def _hash_rows(features: np.ndarray) -> np.ndarray:
    """A number for each row, uint64 ``[V]``."""
    # 0 and -0 are equal
    bits = (np.ascontiguousarray(features, np.float32) + np.float32(0)).view(np.uint32)
    hashes = np.full(len(features), _ODD)
    for column in bits.T:
        hashes = mix64(hashes * _ODD + column.astype(np.uint64) + np.uint64(1))
    return hashes


def _order(graph: CSRGraph, with_features: bool = False) -> OrderedGraph:
    if len(graph.indices) > MOST_ENTRIES:
        # a graph of its own, since what stands for a key would be kept by its value
        return OrderedGraph(replace(graph), None, None)
    owner = graph.graph_of(np.arange(graph.num_nodes))
    keys = [_colors(graph, owner, _hash_links(graph)), graph.degrees, owner]
    if graph.weights is not None:
        keys.insert(0, _colors(graph, owner, _hash_values(graph)))
    if with_features and (graph.features != graph.features[:1]).any():
        keys.insert(0, _colors_with_features(graph, owner))
    # stable: nodes of the same colours keep their order
    nodes = np.lexsort(keys)
    rows = _reorder(graph, nodes)
    first = np.ones(len(nodes), bool)
    first[1:] = np.any([np.diff(key[nodes].astype(np.int64)) != 0 for key in keys], axis=0)
    if not first.all():
        # nodes of the same colours in the order in which a search from the others visits them
        group = np.cumsum(first) - 1
        nodes = nodes[np.lexsort((_visits(rows, group), group))]
        rows = _reorder(graph, nodes)
    return _ordered(graph, nodes, rows)


def _ordered(graph: CSRGraph, nodes: np.ndarray, rows: csr_array | None = None) -> OrderedGraph:
    """The graph with its nodes in this order; ``rows`` are its rows if they are known."""
    position = np.empty_like(nodes)
    position[nodes] = np.arange(len(nodes))
    rows = _reorder(graph, nodes) if rows is None else rows
    return OrderedGraph(_renumbered(graph, rows), nodes, position)


def _renumbered(graph: CSRGraph, rows: csr_array) -> CSRGraph:
    """The graph with the edges of ``rows``; features and ids of nodes are still the old ones."""
    entry = rows.data

    def moved(values: np.ndarray | None) -> np.ndarray | None:
        return None if values is None else np.ascontiguousarray(values[entry])

    return replace(
        graph,
        indptr=rows.indptr.astype(np.int64),
        indices=rows.indices.astype(np.int32),
        weights=moved(graph.weights),
        links=moved(graph.links),
    )


def _reorder(graph: CSRGraph, nodes: np.ndarray) -> csr_array:
    """The rows with the nodes in another order; the values are where an entry stood."""
    position = np.empty_like(nodes)
    position[nodes] = np.arange(len(nodes))
    entries = np.arange(len(graph.indices))
    shape = (graph.num_nodes, graph.num_nodes)
    rows = csr_array((entries, position[graph.indices], graph.indptr), shape=shape)[nodes]
    rows.sort_indices()
    return rows


def _visits(rows: csr_array, group: np.ndarray) -> np.ndarray:
    """When a search visits each node: first those alone in their group, then from small groups."""
    size = np.bincount(group)[group]
    starts = np.argsort(size, kind="stable")
    visited, stack = np.empty(len(group), np.int64), np.empty((2, len(group)), np.int64)
    indptr, indices = rows.indptr.astype(np.int64), rows.indices.astype(np.int32)
    visit_nodes(indptr, indices, starts, int((size == 1).sum()), visited, stack)
    return visited


def _colors(
    graph: CSRGraph, owner: np.ndarray, over: np.ndarray, start: np.ndarray | None = None
) -> np.ndarray:
    """A number for the surroundings of each node, uint64 ``[V]``, by colour refinement.

    ``owner`` is the graph of each node, ``over [E]`` what it is joined to its neighbours by, and
    ``start [V]`` the first colours.
    """
    color = np.full(graph.num_nodes, _ODD) if start is None else start
    num_classes = np.zeros(graph.num_graphs, np.int64)
    for _ in range(_MOST_ROUNDS):
        near = mix64(color[graph.indices] ^ over)
        # a sum of hashes stands for a multiset
        total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(near, dtype=np.uint64)])
        refined = mix64(color * _ODD + total[graph.indptr[1:]] - total[graph.indptr[:-1]])
        # a graph is done when a round tells no more nodes apart, whatever the other graphs need
        order = np.lexsort((refined, owner))
        first = np.ones(len(order), bool)
        first[1:] = (np.diff(owner[order]) > 0) | (np.diff(refined[order]) != 0)
        counts = np.bincount(owner[order[first]], minlength=graph.num_graphs)
        growing = counts > num_classes
        if not growing.any():
            break
        color = np.where(growing[owner], refined, color)
        num_classes = np.maximum(num_classes, counts)
    return color


def _colors_with_features(graph: CSRGraph, owner: np.ndarray) -> np.ndarray:
    """The same where features count, and nodes of small graphs that look alike are told apart.

    In each graph of a collection one of two such nodes is given a colour of its own, all are
    refined, and so on. Which one makes no difference where a symmetry exchanges them. Then graphs
    that are not the same differ in their colours, too.
    """
    over = _hash_links(graph)
    color = _colors(graph, owner, over, _hash_rows(graph.features))
    if graph.num_graphs == 1 or len(graph.indices) > _MOST_TOLD_APART:
        return color
    for _ in range(_MOST_ROUNDS):
        order = np.lexsort((color, owner))
        is_alike = (np.diff(owner[order]) == 0) & (np.diff(color[order].astype(np.int64)) == 0)
        alike = order[:-1][is_alike]
        if not len(alike):
            break
        one_of_each = alike[np.unique(owner[alike], return_index=True)[1]]
        color = color.copy()
        color[one_of_each] = mix64(color[one_of_each] * _ODD + np.uint64(1))
        color = _colors(graph, owner, over, color)
    return color


def _hash_links(graph: CSRGraph) -> np.ndarray:
    """A number for the link of each entry, uint64 ``[E]``; it follows from the channels alone."""
    if graph.links is None:
        return np.zeros(len(graph.indices), np.uint64)
    channels = graph.relations.links
    power = mix64(np.arange(1, channels.shape[1] + 1, dtype=np.uint64) * _ODD)
    hashes: np.ndarray = mix64((channels * power).sum(axis=1, dtype=np.uint64))[graph.links]
    return hashes


def _hash_values(graph: CSRGraph) -> np.ndarray:
    """A number for the link and the weight of each entry, uint64 ``[E]``."""
    bits = np.ascontiguousarray(graph.weights, np.float32).view(np.uint32)
    return mix64(_hash_links(graph) * _ODD + bits.astype(np.uint64) + np.uint64(1))
