"""Structures of the subgraphs of a batch, made once for all that look alike."""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.subgraphs import SubgraphBatch

# rounds after which few nodes that are not alike have the same colour
_ROUNDS = 3


class CanonicalForms:
    """The structure of each subgraph of a batch, without categories."""

    def __init__(self, batch: SubgraphBatch) -> None:
        sizes, links = batch.num_nodes, batch.structure()
        # nodes in the order of their colours make most isomorphic subgraphs equal; padding is last
        self._order = _order_nodes(links, sizes)  # [S, N]
        rows = np.arange(len(batch))[:, None, None]
        links = links[rows, self._order[:, :, None], self._order[:, None, :]]
        key = np.concatenate([links.reshape(len(batch), -1), sizes[:, None].astype(links.dtype)], 1)
        _, first, number = np.unique(key, axis=0, return_index=True, return_inverse=True)
        # the number of each subgraph's structure among those that differ
        self._number = number.reshape(-1)
        relations = batch.relations
        self._structures = [
            Structure(relations.links[own[:size, :size]], relations)
            for own, size in zip(links[first], sizes[first], strict=True)
        ]

    def has(self, key: bytes) -> np.ndarray:
        """Whether each subgraph has the structure of this key, bool ``[S]``."""
        has = np.array([one.key == key for one in self._structures], dtype=bool)
        return has[self._number]

    def first_rows(self, selected: np.ndarray) -> list[int]:
        """First of the ``selected`` subgraphs, bool ``[S]``, of all that are known to be alike."""
        rows = np.flatnonzero(selected)
        _, first = np.unique(self._number[rows], return_index=True)
        return rows[np.sort(first)].tolist()

    def key(self, row: int) -> bytes:
        """The key of the structure of subgraph ``row``."""
        return self._structures[self._number[row]].key

    def positions(self, rows: np.ndarray) -> np.ndarray:
        """Canonical position of each node of some subgraphs, ``[R, N]``; -1 = padding."""
        positions = np.full((len(rows), self._order.shape[1]), -1)
        for row, number, order in zip(
            positions, self._number[rows], self._order[rows], strict=True
        ):
            node_at = self._structures[number].form.order
            row[order[node_at]] = np.arange(len(node_at))
        return positions


def _order_nodes(links: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Nodes of each subgraph ``[S, N, N]`` in the order of colours that refinement gives them."""
    salts = np.random.default_rng(0).integers(2**63, size=int(links.max(initial=0)) + 1)
    salts[0] = 0
    near = salts.astype(np.uint64)[links]
    color = np.ones(links.shape[:2], np.uint64)
    for _ in range(_ROUNDS):
        color = (near @ color[:, :, None])[:, :, 0] + color
        color ^= color >> np.uint64(29)
    is_padding = np.arange(links.shape[1]) >= sizes[:, None]
    order: np.ndarray = np.lexsort((color, is_padding))
    return order
