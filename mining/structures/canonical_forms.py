"""Structures of the subgraphs of a batch, made once for each distinct adjacency."""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.subgraphs import SubgraphBatch


class CanonicalForms:
    """The structure of each subgraph of a batch, without categories."""

    def __init__(self, batch: SubgraphBatch) -> None:
        num_nodes, self._max_nodes = batch.num_nodes, batch.max_nodes
        structure = batch.bits if batch.links is None else batch.links
        sizes_as = np.uint64 if batch.links is None else np.uint16
        key = np.concatenate(
            [structure.reshape(len(batch), -1), num_nodes[:, None].astype(sizes_as)], axis=1
        )
        _, first, number = np.unique(key, axis=0, return_index=True, return_inverse=True)
        # the number of each subgraph's adjacency among the distinct ones
        self._adjacency_of = number.reshape(-1)
        channels_of = batch.relations.links
        self._structures = [
            Structure(channels_of[codes[:size, :size].astype(np.int64)], batch.relations)
            for codes, size in zip(batch.take(first).structure(), num_nodes[first], strict=True)
        ]

    def has(self, key: bytes) -> np.ndarray:
        """Whether each subgraph has the structure of this key, bool ``[S]``."""
        has = np.array([one.key == key for one in self._structures], dtype=bool)
        return has[self._adjacency_of]

    def first_rows(self, selected: np.ndarray) -> list[int]:
        """First of the ``selected`` subgraphs, bool ``[S]``, for each adjacency among them."""
        rows = np.flatnonzero(selected)
        _, first = np.unique(self._adjacency_of[rows], return_index=True)
        return rows[np.sort(first)].tolist()

    def key(self, row: int) -> bytes:
        """The key of the structure of subgraph ``row``."""
        return self._structures[self._adjacency_of[row]].key

    def positions(self, rows: np.ndarray) -> np.ndarray:
        """Canonical position of each node of some subgraphs, ``[R, N]``; -1 = padding."""
        adjacencies, index = np.unique(self._adjacency_of[rows], return_inverse=True)
        positions = np.full((len(adjacencies), self._max_nodes), -1)
        for row, number in zip(positions, adjacencies.tolist(), strict=True):
            order = self._structures[number].form.order
            row[order] = np.arange(len(order))
        return positions[index]
