"""Codes of subgraphs as gSpan has them, and what arcs and nodes of a graph may be in them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from gomkcn.mining.counting.census import are_connected
from gomkcn.mining.frequent.gspan_loops import is_minimal
from gomkcn.mining.structures.categories import Categories
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.canonical_form import canonical_forms
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.kernels.compiled_graph import CompiledGraph
from gomkcn_dgl.relations import Relations

log = logging.getLogger("gomkcn_dgl")


@dataclass(frozen=True, eq=False)
class Labels:
    """What arcs and nodes of some graphs may be, and its numbers."""

    relations: Relations
    feature_names: tuple[str, ...]
    categories: Categories
    # of the nodes; any other one has the number behind these
    colors: np.ndarray

    @classmethod
    def of(cls, graph: CSRGraph) -> Labels:
        categories = Categories.find(graph.stored_features, graph.feature_names)
        for note in categories.notes:
            log.warning(note)
        names = tuple(graph.feature_names)
        labels = cls(graph.relations, names, categories, np.zeros(1, np.int64))
        return replace(labels, colors=np.unique(labels.own_colors(graph)))

    def own_colors(self, graph: CSRGraph) -> np.ndarray:
        """Categories of the nodes of a graph as whole numbers, int64 ``[V]``."""
        if not self.categories:
            return np.zeros(graph.num_nodes, np.int64)
        return self.categories.colors(graph.stored_features)

    def numbers(self, graph: CSRGraph) -> np.ndarray:
        """Colours of the nodes of a graph, int64 ``[V]``."""
        node_colors = self.own_colors(graph)
        at = np.minimum(np.searchsorted(self.colors, node_colors), len(self.colors) - 1)
        return np.where(self.colors[at] == node_colors, at, len(self.colors))

    @property
    def opposite(self) -> np.ndarray:
        """The label of each arc as seen from its other end."""
        return np.asarray(self.relations.opposite, np.int64)

    def arcs(
        self, row: np.ndarray, neighbor: np.ndarray, label: np.ndarray, color: np.ndarray
    ) -> CompiledGraph:
        """Arcs in ascending order of the node that they leave."""
        indptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(color)))])
        return CompiledGraph.of_arrays(
            indptr, neighbor.astype(np.int32), label.astype(np.uint16), color
        )

    def arcs_of(self, graph: CSRGraph) -> CompiledGraph:
        """The arcs of a graph: one for each channel of each entry."""
        if not self.relations.is_simple:
            graph = graph.with_relations(self.relations)
        row = np.repeat(np.arange(graph.num_nodes), graph.degrees)
        entry, channel = np.arange(len(row)), np.zeros(len(row), np.int64)
        if graph.links is not None:
            entry, channel = np.nonzero(graph.relations.links[graph.links])
        return self.arcs(row[entry], graph.indices[entry], channel, self.numbers(graph))

    @property
    def num_colors(self) -> int:
        """Colours that a node may have, with that of nodes of no frequent one."""
        return len(self.colors) + 1


@dataclass(frozen=True, eq=False)
class Code:
    """A DFS code of E arcs and M nodes, as :func:`is_minimal` takes it, and its right-most path."""

    arcs: np.ndarray
    keys: np.ndarray
    path: np.ndarray
    colors: tuple[int, ...]

    @classmethod
    def begin(cls, label: int, colors: tuple[int, int]) -> Code:
        return cls(np.array([[0, 1, label]]), np.array([0]), np.array([0, 1]), colors)

    @property
    def name(self) -> tuple[int, ...]:
        """Equal for equal codes alone."""
        return (*self.colors[:2], int(self.arcs[0, 2]), *self.keys[1:].tolist())

    @property
    def prefixes(self) -> list[tuple[int, ...]]:
        """Names of the codes that it grew from, and its own."""
        return [self.name[:length] for length in range(3, len(self.name) + 1)]

    def used(self, opposite: np.ndarray) -> np.ndarray:
        """The arcs both ways, bool ``[M, M, L]``."""
        size = len(self.colors)
        used = np.zeros((size, size, len(opposite)), bool)
        u, v, label = self.arcs.T
        used[u, v, label] = used[v, u, opposite[label]] = True
        return used

    def extended(self, key: int, labels: Labels) -> Code:
        """The code with the arc of a key of :func:`find_extensions`."""
        size, path, colors = len(self.colors), self.path, self.colors
        num_labels = len(labels.opposite)
        if key < size * num_labels:
            # back from the last node
            v, label = divmod(key, num_labels)
            u = size - 1
        else:
            front, color = divmod(key - size * num_labels, labels.num_colors)
            rank, label = divmod(front, num_labels)
            path = path[: len(path) - rank]
            u, v, colors = int(path[-1]), size, (*colors, color)
            path = np.append(path, size)
        arcs_after = np.concatenate([self.arcs, [[u, v, label]]])
        return Code(arcs_after, np.append(self.keys, key), path, colors)

    def is_minimal(self, labels: Labels) -> bool:
        """Whether it is the least code of its subgraph."""
        opposite = labels.opposite
        back = np.column_stack([self.arcs[:, [1, 0]], opposite[self.arcs[:, 2]]])
        u, v, label = np.concatenate([self.arcs, back]).T
        order = np.argsort(u, kind="stable")
        arcs = labels.arcs(u[order], v[order], label[order], np.array(self.colors))
        return bool(is_minimal(arcs, labels.num_colors, self.arcs, self.keys, opposite))

    def key(self, opposite: np.ndarray) -> bytes:
        """Equal for codes of isomorphic subgraphs alone."""
        return _key(self.used(opposite), np.array(self.colors))

    def keys_of_parts(self, opposite: np.ndarray, least_nodes: int) -> Iterator[bytes]:
        """The keys of the connected subgraphs with an edge less."""
        channels, colors = self.used(opposite), np.array(self.colors)
        for part, left in _without_an_edge(channels, opposite, least_nodes):
            yield _key(part, colors[left])

    def structure(self, labels: Labels) -> Structure:
        """The subgraph itself."""
        colors = labels.colors[list(self.colors)] if labels.categories else None
        names = labels.categories.names_of(colors, labels.feature_names)
        return Structure.of_channels(self.used(labels.opposite), labels.relations, names)


def arcs_by_kind(arcs: CompiledGraph, labels: Labels) -> dict[tuple[int, int, int], np.ndarray]:
    """The nodes that arcs leave and lead to, int32 ``[K, 2]``, by what these are.

    Kinds are the colour of the first node, the label, and the colour of the second; ascending.
    """
    num_labels, num_colors = len(labels.opposite), labels.num_colors
    node = np.repeat(np.arange(len(arcs.colors)), np.diff(arcs.indptr).astype(np.int64))
    key = (arcs.colors[node] * num_labels + arcs.links) * num_colors
    key = key + arcs.colors[arcs.indices]
    found = {}
    for start, rows in groups_of(key):
        front, second = divmod(start, num_colors)
        first, label = divmod(front, num_labels)
        ends = np.stack([node[rows], arcs.indices[rows]], axis=1).astype(np.int32)
        found[first, label, second] = ends
    return found


def groups_of(keys: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Each different key in ascending order, and where it stands, ascending."""
    if not len(keys):
        return
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    different = ordered[np.concatenate([[0], starts])]
    yield from zip(different.tolist(), np.split(order, starts), strict=True)


def _without_an_edge(
    channels: np.ndarray, opposite: np.ndarray, least_nodes: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The connected subgraphs of all edges but one, as ``channels [M, M, L]``, and their nodes."""
    for u, v, channel in np.argwhere(channels).tolist():
        other = opposite[channel]
        if (u, channel) > (v, other):
            continue
        fewer = channels.copy()
        fewer[u, v, channel] = fewer[v, u, other] = False
        joined = fewer.any(axis=2)
        left = np.flatnonzero(joined.any(axis=1))
        if len(left) < max(len(channels) - 1, least_nodes):
            continue
        if are_connected(joined[None, left[:, None], left])[0]:
            yield fewer[np.ix_(left, left)], left


def _key(channels: np.ndarray, colors: np.ndarray) -> bytes:
    """Equal for isomorphic graphs with ``channels [M, M, L]`` and ``colors [M]`` alone."""
    # 1. what joins two nodes as a number, in the order of what joins some
    rows = np.packbits(channels, axis=2)
    if rows.shape[2] > 8:
        used = np.unique(rows.reshape(-1, rows.shape[2]), axis=0)
        links = (rows[:, :, None] == used).all(axis=3).argmax(axis=2)
        names = used.tobytes()
    else:
        wide = np.zeros((*rows.shape[:2], 8), np.uint8)
        wide[:, :, : rows.shape[2]] = rows
        links = wide.view(np.int64)[:, :, 0]
        names = b""
    # 2. both in canonical order
    (order,), _, _ = canonical_forms(links[None], colors[None])
    return names + colors[order].tobytes() + links[order][:, order].tobytes()


@contextmanager
def plain_interrupt() -> Iterator[None]:
    """Raise a KeyboardInterrupt as such: where it meets a call of Numba it comes as SystemError."""
    try:
        yield
    except SystemError as error:
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, KeyboardInterrupt):
                raise KeyboardInterrupt from None
            cause = cause.__cause__ or cause.__context__
        raise
