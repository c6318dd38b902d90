"""The occurrences of a pattern, one by one or as arrays, whatever their number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from gomkcn.mining.structures.records import Count
from gomkcn_dgl.csr import CSRGraph


@dataclass(frozen=True)
class Occurrence:
    """One occurrence of a pattern.

    Attributes
    ----------
    nodes : tuple of int or str
        The input's own id of the graph node that each pattern node is mapped to.
    graph : int
        Index of the graph within the collection.
    """

    nodes: tuple[int | str, ...]
    graph: Count = 0


class Occurrences(Sequence[Occurrence]):
    """K occurrences of a pattern of M nodes as arrays; a record is made when it is indexed.

    ``nodes`` is integer ``[K, M]``, the graph node of each pattern node, and ``graph [K]`` the
    index within the collection. ``names`` are the input's own ids, which ``nodes`` number; None
    where ``nodes`` are the ids.

    >>> names = np.array(["a", "b", "c"])
    >>> occurrences = Occurrences(np.array([[0, 2], [1, 0]]), np.zeros(2, int), names)
    >>> occurrences[0].nodes, occurrences[1].nodes, len(occurrences)
    (('a', 'c'), ('b', 'a'), 2)
    """

    def __init__(
        self, nodes: np.ndarray, graph: np.ndarray, names: np.ndarray | None = None
    ) -> None:
        self.nodes = nodes
        self.graph = graph
        self.names = names

    @classmethod
    def at(cls, rows: np.ndarray, graph: CSRGraph) -> Occurrences:
        """Occurrences given by rows of a graph, int ``[K, M]``."""
        owner = np.zeros(len(rows), np.int64)
        if len(rows) and graph.num_graphs > 1:
            # an occurrence is in one graph, which any of its nodes determines
            owner = graph.graph_of(rows[:, 0])
        if graph.node_ids is None:
            rows = rows - graph.graph_ptr[owner, None]
        return cls(rows, owner, graph.node_ids)

    @classmethod
    def of(cls, records: Sequence[Occurrence], num_nodes: int) -> Occurrences:
        """Take any sequence of occurrences of a pattern of ``num_nodes`` nodes."""
        ids = [node for record in records for node in record.nodes]
        names = sorted(set(ids), key=lambda node: (isinstance(node, str), node))
        number = {name: i for i, name in enumerate(names)}
        return cls(
            np.array([number[node] for node in ids], np.int64).reshape(-1, num_nodes),
            np.array([record.graph for record in records], np.int64),
            np.array(names, object),
        )

    @property
    def ids(self) -> np.ndarray:
        """The input's own ids of the nodes, ``[K, M]``."""
        return self.nodes if self.names is None else self.names[self.nodes]

    def rows_in(self, graph: CSRGraph) -> np.ndarray:
        """Rows of the nodes in a graph, int64 ``[K, M]``; -1 for a node that it lacks."""
        known = (self.graph < graph.num_graphs)[:, None]
        owner = np.where(known, self.graph[:, None], 0)
        first = graph.graph_ptr[owner]
        last = graph.graph_ptr[owner + 1]
        if self.names is not None and self.names is graph.node_ids:
            rows = self.nodes.astype(np.int64)
        elif graph.node_ids is not None:
            rows = self._rows_of_ids(graph, owner)
        elif self.names is None:
            rows = first + self.nodes
        else:
            # text is no row
            numbers = [name if isinstance(name, int) else -1 for name in self.names.tolist()]
            ids = np.array(numbers, np.int64)[self.nodes]
            rows = np.where(ids < 0, -1, first + ids)
        return np.where((rows >= first) & (rows < last) & known, rows, -1)

    def _rows_of_ids(self, graph: CSRGraph, owner: np.ndarray) -> np.ndarray:
        """Rows of the nodes in a graph with ids of its own; -1 for ids that it lacks."""
        assert graph.node_ids is not None
        names = np.arange(self.nodes.max(initial=0) + 1) if self.names is None else self.names
        used = np.unique(self.nodes)
        number_of = dict(zip(names[used].tolist(), used.tolist(), strict=True))
        rows = np.full((graph.num_graphs, len(names)), -1)
        ids = np.array(list(number_of))
        if ids.dtype.kind == graph.node_ids.dtype.kind:
            for row in np.flatnonzero(np.isin(graph.node_ids, ids)).tolist():
                number = number_of[graph.node_ids[row].item()]
                rows[int(graph.graph_of(np.array(row))), number] = row
        return rows[owner, self.nodes]

    @overload
    def __getitem__(self, at: int) -> Occurrence: ...

    @overload
    def __getitem__(self, at: slice) -> Occurrences: ...

    def __getitem__(self, at: int | slice) -> Occurrence | Occurrences:
        """One occurrence, or some."""
        if isinstance(at, slice):
            return Occurrences(self.nodes[at], self.graph[at], self.names)
        nodes = (self.nodes[at] if self.names is None else self.names[self.nodes[at]]).tolist()
        return Occurrence(tuple(nodes), int(self.graph[at]))

    def __len__(self) -> int:
        """Number of occurrences K."""
        return len(self.nodes)

    def __iter__(self) -> Iterator[Occurrence]:
        """All of them, one by one."""
        return (self[at] for at in range(len(self)))

    def __eq__(self, other: object) -> bool:
        """Whether another sequence holds the same occurrences."""
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """How many there are."""
        return f"Occurrences({len(self)})"


NONE = Occurrences(np.empty((0, 0), np.int32), np.empty(0, np.int64))


@dataclass(frozen=True, eq=False)
class StoredOccurrences:
    """The occurrences of several patterns as a plain value.

    Attributes
    ----------
    nodes, graphs : list of numpy.ndarray
        int64 ``[K, M]`` and ``[K]`` of each pattern, as :class:`Occurrences` has them.
    names : list of int or str, or None
        The input's own ids of all of them, which ``nodes`` number; None where ``nodes`` are the
        ids.
    """

    nodes: list[np.ndarray]
    graphs: list[np.ndarray]
    names: list[int | str] | None

    @classmethod
    def of(cls, each: Sequence[Occurrences]) -> StoredOccurrences:
        """The plain value of the occurrences of several patterns.

        >>> first, second = (Occurrences.of([Occurrence((node, "b"))], 2) for node in "ac")
        >>> stored = StoredOccurrences.of([first, second])
        >>> stored.names, [nodes.tolist() for nodes in stored.nodes]
        (['a', 'b', 'c'], [[[0, 1]], [[2, 1]]])
        """
        nodes = [occurrences.nodes.astype(np.int64) for occurrences in each]
        names: list[int | str] | None = None
        if any(occurrences.names is not None for occurrences in each):
            # a set of motifs counts nodes by their numbers, which must be the same in all motifs
            ids = [occurrences.ids.tolist() for occurrences in each]
            known = {node for rows in ids for row in rows for node in row}
            names = sorted(known, key=lambda node: (isinstance(node, str), node))
            number = {name: i for i, name in enumerate(names)}
            nodes = [
                np.array([number[node] for row in rows for node in row], np.int64).reshape(at.shape)
                for rows, at in zip(ids, nodes, strict=True)
            ]
        return cls(nodes, [occurrences.graph for occurrences in each], names)

    def read(self, sizes: Sequence[int]) -> list[Occurrences]:
        """The occurrences of patterns of so many nodes; a ValueError for those of others."""
        names = None if self.names is None else np.array(self.names, object)
        most = np.inf if names is None else len(names)
        found = []
        for nodes, graph, size in zip(self.nodes, self.graphs, sizes, strict=True):
            if graph.ndim != 1 or (len(graph) and nodes.shape != (len(graph), size)):
                raise ValueError(f"occurrences do not have {size} nodes and a graph")
            if nodes.dtype != np.int64 or graph.dtype.kind != "i":
                raise ValueError("numbers of nodes and graphs are not whole numbers")
            if min(graph.min(initial=0), nodes.min(initial=0)) < 0 or nodes.max(initial=-1) >= most:
                raise ValueError("an occurrence has a node that is not there")
            found.append(Occurrences(nodes, graph, names))
        return found


def node_columns(graph: CSRGraph, rows: np.ndarray) -> dict[str, np.ndarray]:
    """The first columns of a table of nodes: ``graph``, of a collection, and the own id, ``node``.

    >>> import networkx as nx
    >>> from gomkcn_dgl.graph import as_csr
    >>> node_columns(as_csr(nx.Graph([("x", 7)])), np.arange(2))["node"].tolist()
    ['x', '7']
    """
    nodes = graph.original_ids(rows)
    is_whole = all(isinstance(node, int) for node in nodes)
    owner = {"graph": graph.graph_of(rows).astype(np.int64)} if graph.num_graphs > 1 else {}
    return {**owner, "node": np.array(nodes, np.int64 if is_whole else str)}


def pick_disjoint(node_sets: np.ndarray) -> np.ndarray:
    """Greedily select rows of numbers ``[K, N]`` that share none, fewest overlaps first, ``[K]``.

    >>> pick_disjoint(np.array([[1, 2], [0, 1], [2, 3]])).tolist()
    [False, True, True]
    """
    _, number, counts = np.unique(node_sets, return_inverse=True, return_counts=True)
    overlaps = counts[number].reshape(node_sets.shape).sum(axis=1)
    picked = np.zeros(len(node_sets), bool)
    taken = set[int]()
    for at in np.argsort(overlaps, kind="stable").tolist():
        # millions of rows are not made lists at once
        row = node_sets[at].tolist()
        if taken.isdisjoint(row):
            picked[at] = True
            taken.update(row)
    return picked
