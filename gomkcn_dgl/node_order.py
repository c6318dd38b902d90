"""Numbers of nodes and graphs that follow from what they are, not from how they were given.

What is drawn at random from a graph in this order is the same when its nodes are numbered anew, and
when the graphs of a collection come in another order. Nodes are ordered by degree, then by
Weisfeiler-Lehman colour, and those that are left by a search from the others. Only of nodes that
look alike from everywhere, such as leaves of one node, the given numbers say which comes first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gomkcn_dgl.csr import CSRGraph, pack
from gomkcn_dgl.kernels.search_numba import SEARCH_JIT, mix64
from gomkcn_dgl.runtime.compiled import compiled

_MOST_ROUNDS = 16
# nodes of a graph in which those that look alike are told apart, one after the other
_SMALL = 256
# entries of all graphs together up to which they are, since each round passes over all
_MOST_TOLD_APART = 2**19
_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class NodeOrder:
    """A graph, or a collection, in an order of its own; ids of nodes are left out.

    Node v of ``graph`` is node ``nodes[v]`` of the graph that was given, and its graph g is graph
    ``graphs[g]`` of the collection.
    """

    graph: CSRGraph
    nodes: np.ndarray
    graphs: np.ndarray

    @classmethod
    def of(cls, graph: CSRGraph, most_entries: int = 2**22) -> NodeOrder:
        """Put a graph in order; one of more entries keeps its numbers.

        By default that are two million edges: the copy and the work on it take some 200 MB.
        """
        number = np.arange(graph.num_nodes, dtype=np.int32)
        if len(graph.indices) > most_entries:
            return cls(graph, number, np.arange(graph.num_graphs))
        owner, sizes = graph.graph_of(number), np.diff(graph.graph_ptr)
        colors = _colors(graph, owner)
        # 1. the graphs by their size, then by the sum of their nodes' colours
        graphs = np.lexsort((_sums(mix64(colors), graph.graph_ptr), sizes))
        # 2. the nodes of each by degree and colour, and those that are alike as a search visits
        # them: from the others, then from those of which there are few
        keys = (colors, graph.degrees, np.argsort(graphs)[owner])
        nodes = np.lexsort(keys)
        differ = np.any([key[nodes[1:]] != key[nodes[:-1]] for key in keys], axis=0)
        if not differ.all():
            group = np.concatenate([[0], np.cumsum(differ)])
            size = np.bincount(group)[group]
            visited, starts = np.where(size == 1, 0, -1), np.argsort(size, kind="stable")
            stack = np.empty((2, len(nodes)), np.int64)
            visit_nodes(*_rows(graph, nodes)[:2], starts, visited, stack)
            nodes = nodes[np.lexsort((visited, group))]
        indptr, indices, entry = _rows(graph, nodes)
        ordered = replace(
            graph,
            indptr=indptr,
            indices=indices,
            features=graph.features[nodes],
            weights=None if graph.weights is None else graph.weights[entry],
            links=None if graph.links is None else graph.links[entry],
            graph_ptr=np.concatenate([[0], np.cumsum(sizes[graphs])]),
            node_ids=None,
            sides=None if graph.sides is None else graph.sides.of(nodes),
            graph_names=None,
            loops=None,
            atoms=None,
        )
        return cls(ordered, nodes, graphs)

    def given(self, nodes: np.ndarray) -> np.ndarray:
        """Nodes of ``graph``, -1 = none, as nodes of the given graph, int32."""
        return np.where(nodes < 0, -1, self.nodes[nodes]).astype(np.int32)

    @cached_property
    def position(self) -> np.ndarray:
        """Where each node of the given graph stands in ``graph``, int64 ``[V]``."""
        return np.argsort(self.nodes)


def _rows(graph: CSRGraph, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """``indptr`` and ``indices`` with the nodes in another order, and where each entry stood."""
    position = np.argsort(nodes)
    column = position[graph.indices]
    entry = np.argsort(pack(np.repeat(position, graph.degrees), column))
    indptr = np.concatenate([[0], np.cumsum(graph.degrees[nodes])])
    return indptr, column[entry].astype(np.int32), entry


def _colors(graph: CSRGraph, owner: np.ndarray) -> np.ndarray:
    """A number for what each node is and has around it, uint64 ``[V]``.

    In each small graph one of two nodes that look alike is given a colour of its own, all are
    refined, and so on. Which one makes no difference where a symmetry exchanges them. Then graphs
    that are not the same differ in their colours, too.
    """
    over = np.zeros(len(graph.indices), np.uint64)
    if graph.links is not None:
        over = _hash_rows(graph.relations.links)[graph.links]
    color = _refine_hashes(graph, owner, over, _hash_rows(graph.features))
    small = np.flatnonzero(np.diff(graph.graph_ptr)[owner] <= _SMALL)
    for _ in range(_MOST_ROUNDS if len(graph.indices) <= _MOST_TOLD_APART else 0):
        order = small[np.lexsort((color[small], owner[small]))]
        alike = order[:-1][(np.diff(owner[order]) == 0) & (color[order[1:]] == color[order[:-1]])]
        if not len(alike):
            break
        known, first = np.unique(owner[alike], return_index=True)
        marked = color.copy()
        marked[alike[first]] = mix64(color[alike[first]] * _ODD + np.uint64(1))
        # what the colours of a graph are does not depend on the other graphs
        color = np.where(np.isin(owner, known), _refine_hashes(graph, owner, over, marked), color)
    return color


def _refine_hashes(
    graph: CSRGraph, owner: np.ndarray, over: np.ndarray, color: np.ndarray
) -> np.ndarray:
    """Refine the colours of nodes by those of their neighbours, and ``over [E]``, their links."""
    growing, num_classes = np.ones(graph.num_graphs, bool), np.zeros(graph.num_graphs, np.int64)
    for _ in range(_MOST_ROUNDS):
        # a sum of hashes stands for a multiset
        refined = mix64(color * _ODD + _sums(mix64(color[graph.indices] ^ over), graph.indptr))
        color = np.where(growing[owner], refined, color)
        # the first round that tells no more nodes of a graph apart is its last one, whatever the
        # other graphs need; it counts, since it sees how the classes are joined
        order = np.lexsort((color, owner))
        first = np.ones(len(order), bool)
        first[1:] = (np.diff(owner[order]) > 0) | (color[order[1:]] != color[order[:-1]])
        counts = np.bincount(owner[order[first]], minlength=graph.num_graphs)
        growing &= counts > num_classes
        if not growing.any():
            break
        num_classes = counts
    return color


def _sums(hashes: np.ndarray, ptr: np.ndarray) -> np.ndarray:
    """The sum of each run of hashes, modulo 2**64."""
    total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(hashes, dtype=np.uint64)])
    return total[ptr[1:]] - total[ptr[:-1]]


def _hash_rows(values: np.ndarray) -> np.ndarray:
    """A number for each row of features, or of the channels of a link, uint64 ``[rows]``."""
    # 0 and -0 are equal
    bits = (np.ascontiguousarray(values, np.float32) + np.float32(0)).view(np.uint32)
    hashes = np.full(len(values), _ODD)
    for column in bits.T:
        hashes = mix64(hashes * _ODD + column.astype(np.uint64) + np.uint64(1))
    return hashes


@compiled(**SEARCH_JIT)
def visit_nodes(
    indptr: np.ndarray,
    indices: np.ndarray,
    starts: np.ndarray,
    visited: np.ndarray,
    stack: np.ndarray,
) -> None:
    """Write into `visited [V]`, where it is -1, when each node is visited.

    A search goes from each of `starts`, depth first, to nodes that are not visited yet.
    `stack [2, V]` is scratch: the nodes on the way, and the entry that each goes on with.
    """
    count = np.int64(0)
    for start in starts:
        if visited[start] < 0:
            visited[start] = count
            count += 1
        stack[0, 0], stack[1, 0] = start, indptr[start]
        depth = 0
        while depth >= 0:
            node, entry = stack[0, depth], stack[1, depth]
            if entry == indptr[node + 1]:
                depth -= 1
                continue
            stack[1, depth] += 1
            other = indices[entry]
            if visited[other] < 0:
                visited[other] = count
                count += 1
                depth += 1
                stack[0, depth], stack[1, depth] = other, indptr[other]
