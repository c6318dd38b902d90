"""A graph as compiled functions take it: the one view of a :class:`~gomkcn_dgl.csr.CSRGraph`.

It shares the arrays of the graph. Compiled code reads an entry's link by :func:`link_at` and where
a row begins and ends by :func:`bounds`; NumPy code reads links by :meth:`CompiledGraph.links_at`.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from gomkcn_dgl.kernels.search_numba import INLINE_JIT, SEARCH_JIT
from gomkcn_dgl.runtime.compiled import compiled, subroutine

_ONE = np.uint64(1)
# neighbours of a node that are searched although the other end of the edge has fewer: both rows
# then take about as long, and most nodes have no more
_LONG_ROW = 64


class StoredRows(Protocol):
    """What a CSRGraph has, which is imported by nothing here."""

    @property
    def indptr(self) -> np.ndarray:
        """Int64 ``[V + 1]``."""

    @property
    def indices(self) -> np.ndarray:
        """Int32 ``[E]``."""

    @property
    def links(self) -> np.ndarray | None:
        """Uint8 or uint16 ``[E]``; None where all are link 1."""


class CompiledGraph(NamedTuple):
    """A graph of V nodes and E entries, two for each pair of joined nodes.

    Numbers are unsigned where an index is made from them, since a sign would be tested.

    Attributes
    ----------
    indptr : numpy.ndarray
        uint64 ``[V + 1]``; the row of a node is between two of them.
    indices : numpy.ndarray
        uint32 ``[E]``, the neighbours in each row, ascending.
    links : numpy.ndarray
        uint8 or uint16 ``[E]``, what joins the node of a row to each neighbour, a number of
        ``relations.links``; empty where all are link 1.
    colors : numpy.ndarray
        int64 ``[V]``, a number for the categories of each node; empty where nobody asks for them.

    Examples
    --------
    >>> from gomkcn_dgl.csr import csr_from_edges
    >>> path = CompiledGraph.of(csr_from_edges(np.array([0, 1]), np.array([1, 2]), 3))
    >>> path.indices.tolist(), path.links_at(np.arange(4)).tolist(), len(path.colors)
    ([1, 0, 2, 1], [1, 1, 1, 1], 0)
    """

    indptr: np.ndarray
    indices: np.ndarray
    links: np.ndarray
    colors: np.ndarray

    @classmethod
    def of(cls, graph: StoredRows, colors: np.ndarray | None = None) -> CompiledGraph:
        """The view of a graph, with ``colors [V]`` of its nodes; nothing is copied."""
        return cls.of_arrays(graph.indptr, graph.indices, graph.links, colors)

    @classmethod
    def of_arrays(
        cls,
        indptr: np.ndarray,
        indices: np.ndarray,
        links: np.ndarray | None = None,
        colors: np.ndarray | None = None,
    ) -> CompiledGraph:
        """The view of a graph's arrays as a CSRGraph has them."""
        return cls(
            _read_only(indptr.view(np.uint64)),
            _read_only(indices.view(np.uint32)),
            _read_only(np.empty(0, np.uint8) if links is None else links),
            _read_only(np.empty(0, np.int64) if colors is None else np.asarray(colors, np.int64)),
        )

    def links_at(self, entries: np.ndarray) -> np.ndarray:
        """The links of some entries, uint16, of any shape; 0 for those below 0, which are none."""
        links = self.links[entries] if len(self.links) else 1
        return np.where(entries >= 0, links, 0).astype(np.uint16)

    def entries_of(self, sets: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        """The entry of some pairs ``[P, 2]`` of the nodes of sets ``[K, M]``, int64 ``[K, P]``.

        It is -1 where the two are not joined.
        """
        entries = np.empty((len(sets), len(pairs)), np.int64)
        nodes = np.ascontiguousarray(sets, np.int32)
        find_entries(self, nodes, np.ascontiguousarray(pairs, np.int64), entries)
        return entries

    def links_of(self, sets: np.ndarray) -> np.ndarray:
        """What joins each two nodes of sets ``[K, M]``, uint16 ``[K, M, M]``."""
        size = sets.shape[1]
        entries = self.entries_of(sets, np.indices((size, size)).reshape(2, -1).T)
        return self.links_at(entries).reshape(-1, size, size)


def _read_only(array: np.ndarray) -> np.ndarray:
    """The same array, which only reads, as those of a file that is mapped into memory do.

    To the compiler the two differ, so that each function would be compiled for either.
    """
    view = array.view()
    view.flags.writeable = False
    return view


@subroutine(**INLINE_JIT)
def degree(graph, node):
    """Number of neighbours of a node."""
    return np.int64(graph.indptr[node + 1] - graph.indptr[node])


@subroutine(**INLINE_JIT)
def bounds(graph, node):
    """The first entry of a node's row, and the one behind its last."""
    return np.int64(graph.indptr[node]), np.int64(graph.indptr[node + 1])


@subroutine(**INLINE_JIT)
def link_at(graph, entry):
    """The link of an entry."""
    return np.int64(graph.links[entry]) if len(graph.links) else 1


@subroutine(**INLINE_JIT)
def first_at_least(indices, low, high, value):
    """The first position from `low` to `high` in a sorted row that is not below `value`."""
    while low < high:
        middle = (low + high) >> 1
        if indices[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@subroutine(**SEARCH_JIT)
def find_edge(graph, u, v):
    """Position of the edge u-v in `indices`, or -1: in the row of `u`, or of `v` if it is long."""
    if degree(graph, u) > _LONG_ROW and degree(graph, u) > degree(graph, v):
        u, v = v, u
    return find_entry(graph, u, v)


@subroutine(**SEARCH_JIT)
def find_entry(graph, u, v):
    """Position of `v` in the row of `u`, or -1."""
    low, high = graph.indptr[u], graph.indptr[u + 1]
    while low < high:
        middle = (low + high) >> _ONE
        if graph.indices[middle] < v:
            low = middle + _ONE
        else:
            high = middle
    if low < graph.indptr[u + 1] and graph.indices[low] == v:
        return np.int64(low)
    return -1


@compiled(**SEARCH_JIT)
def find_entries(graph, sets, pairs, entries):
    """Write the entry of each pair [P, 2] of nodes of each set [K, M] to `entries` [K, P]."""
    for row in range(len(sets)):
        for k in range(len(pairs)):
            u, v = np.uint64(sets[row, pairs[k, 0]]), np.uint64(sets[row, pairs[k, 1]])
            entries[row, k] = find_entry(graph, u, v)
