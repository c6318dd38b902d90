"""The occurrences of a pattern, one by one or as arrays, whatever their number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from gomkcn_dgl.csr import CSRGraph


@dataclass(frozen=True)
class Occurrence:
    """One occurrence of a pattern.

    Attributes
    ----------
    nodes : tuple of (int, str or None)
        The input's own id of the graph node that each pattern node is mapped to; None for none.
    similarity : float
        Normalised score of the subgraph with the pattern, features included, in [0, 1].
    graph : int
        Index of the graph within the collection.
    """

    nodes: tuple[int | str | None, ...]
    similarity: float
    graph: int = 0


class Occurrences(Sequence[Occurrence]):
    """K occurrences of a pattern of M nodes as arrays; a record is made when it is indexed.

    ``nodes`` is integer ``[K, M]``, the graph node of each pattern node, -1 for none;
    ``similarity`` is ``[K]``, and ``graph [K]`` the index within the collection. ``names`` are the
    input's own ids, which ``nodes`` number; None where ``nodes`` are the ids.

    >>> occurrences = Occurrences(np.array([[0, 2], [1, -1]]), np.array([1.0, 0.5]),
    ...                           np.zeros(2, int), np.array(["a", "b", "c"]))
    >>> occurrences[0].nodes, occurrences[1].nodes, len(occurrences)
    (('a', 'c'), ('b', None), 2)
    """

    def __init__(
        self,
        nodes: np.ndarray,
        similarity: np.ndarray,
        graph: np.ndarray,
        names: np.ndarray | None = None,
    ) -> None:
        self.nodes, self.similarity, self.graph, self.names = nodes, similarity, graph, names

    @classmethod
    def at(cls, rows: np.ndarray, similarity: np.ndarray, graph: CSRGraph) -> Occurrences:
        """Occurrences given by rows of a graph, int ``[K, M]``; -1 for no node."""
        owner = np.zeros(len(rows), np.int64)
        if len(rows) and graph.num_graphs > 1:
            # an occurrence is in one graph, which any of its nodes determines
            owner = graph.graph_of(rows.max(axis=1))
        if graph.node_ids is not None:
            return cls(rows, similarity, owner, graph.node_ids)
        if graph.num_graphs > 1:
            rows = np.where(rows < 0, -1, rows - graph.graph_ptr[owner, None])
        return cls(rows, similarity, owner)

    @classmethod
    def of(cls, records: Sequence[Occurrence], num_nodes: int) -> Occurrences:
        """Take any sequence of occurrences of a pattern of ``num_nodes`` nodes."""
        if isinstance(records, Occurrences):
            return records
        ids = [node for record in records for node in record.nodes]
        known = {node for node in ids if node is not None}
        names = np.array(sorted(known, key=lambda node: (isinstance(node, str), node)), object)
        number = {name: i for i, name in enumerate(names.tolist())} | {None: -1}
        return cls(
            np.array([number[node] for node in ids], np.int64).reshape(-1, num_nodes),
            np.array([record.similarity for record in records], float),
            np.array([record.graph for record in records], np.int64),
            names,
        )

    def rows_in(self, graph: CSRGraph) -> np.ndarray:
        """Rows of the nodes in a graph, int64 ``[K, M]``: -1 for no node, -2 for one it lacks."""
        first, last = graph.graph_ptr[:-1], graph.graph_ptr[1:]
        known = self.graph < graph.num_graphs
        owner = np.where(known, self.graph, 0)[:, None]
        if self.names is not None and self.names is graph.node_ids:
            rows = self.nodes.astype(np.int64)
        elif graph.node_ids is None:
            ids = self.nodes
            if self.names is not None:
                # text is no row
                numbers = [one if isinstance(one, int) else -2 for one in self.names.tolist()]
                ids = np.array(numbers, np.int64)[self.nodes]
            rows = np.where((ids >= 0) & (ids < (last - first)[owner]), ids + first[owner], -2)
        else:
            rows = self._rows_of_ids(graph, owner)
        rows = np.where((rows >= first[owner]) & (rows < last[owner]) & known[:, None], rows, -2)
        return np.where(self.nodes < 0, -1, rows)

    def _rows_of_ids(self, graph: CSRGraph, owner: np.ndarray) -> np.ndarray:
        """Rows of the nodes in a graph with ids of its own; -2 for ids that it lacks."""
        assert graph.node_ids is not None
        names = np.arange(self.nodes.max(initial=0) + 1) if self.names is None else self.names
        used = np.unique(self.nodes[self.nodes >= 0])
        number_of = dict(zip(names[used].tolist(), used.tolist(), strict=True))
        rows = np.full((graph.num_graphs, len(names)), -2)
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
            return Occurrences(self.nodes[at], self.similarity[at], self.graph[at], self.names)
        nodes = self.ids(self.nodes[at]).tolist()
        return Occurrence(tuple(nodes), float(self.similarity[at]), int(self.graph[at]))

    def ids(self, nodes: np.ndarray) -> np.ndarray:
        """The input's own ids of some ``nodes``; None for -1 among them."""
        ids = nodes if self.names is None else self.names[nodes]
        if (nodes >= 0).all():
            return ids
        ids = ids.astype(object)
        ids[nodes < 0] = None
        return ids

    def __len__(self) -> int:
        """Number of occurrences K."""
        return len(self.similarity)

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


NONE = Occurrences(np.empty((0, 0), np.int32), np.empty(0, np.float32), np.empty(0, np.int64))
