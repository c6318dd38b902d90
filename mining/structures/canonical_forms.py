"""Adjacency → canonical form: two graphs are isomorphic exactly when their certificates agree."""

from __future__ import annotations

from dataclasses import dataclass

import igraph
import numpy as np

from gomkcn_dgl.subgraphs import SubgraphBatch

_MOST_AUTOMORPHISMS = 10_000


@dataclass(frozen=True)
class CanonicalForm:
    """The isomorphism class of a graph, and the canonical position of each node, int64 ``[N]``.

    Certificates are equal for isomorphic graphs and for no others.
    """

    certificate: bytes
    position: np.ndarray


def canonical_form(adj: np.ndarray) -> CanonicalForm:
    """Canonical form of an unweighted graph ``[N, N]`` (BLISS, through igraph).

    >>> path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> star = np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]])
    >>> canonical_form(path).certificate == canonical_form(star).certificate
    True
    """
    joined = np.asarray(adj) != 0
    graph = _as_igraph(joined)
    # since igraph 1.0 this is the node at each canonical position
    order = np.array(graph.canonical_permutation(), dtype=np.int64)
    packed = np.packbits(joined[np.ix_(order, order)])
    return CanonicalForm(len(joined).to_bytes(4, "big") + packed.tobytes(), np.argsort(order))


def automorphisms(adj: np.ndarray) -> np.ndarray:
    """Automorphisms of an unweighted graph, ``[P, N]``; of more than 10 000 the identity only.

    >>> automorphisms(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])).tolist()
    [[0, 1, 2], [2, 1, 0]]
    """
    graph = _as_igraph(adj)
    if graph.count_automorphisms() > _MOST_AUTOMORPHISMS:
        return np.arange(len(adj))[None]
    return np.array(graph.get_automorphisms_vf2(), dtype=np.int64)


def _as_igraph(adj: np.ndarray) -> igraph.Graph:
    return igraph.Graph(n=len(adj), edges=np.argwhere(np.triu(adj)).tolist())


class CanonicalForms:
    """Canonical forms of the subgraphs of a batch, computed once for each distinct adjacency."""

    def __init__(self, batch: SubgraphBatch) -> None:
        num_nodes, self._max_nodes = batch.num_nodes, batch.max_nodes
        key = np.concatenate(
            [batch.bits.reshape(len(batch), -1), num_nodes[:, None].astype(np.uint64)], axis=1
        )
        _, first, number = np.unique(key, axis=0, return_index=True, return_inverse=True)
        # equal adjacencies share one form: the number of each subgraph's among the distinct ones
        self._adjacency_of = number.reshape(-1)
        self._forms = [
            canonical_form(adj[:size, :size])
            for adj, size in zip(batch.take(first).adjacency(), num_nodes[first], strict=True)
        ]

    def has(self, certificate: bytes) -> np.ndarray:
        """Whether each subgraph has this certificate, bool ``[S]``."""
        has = np.array([form.certificate == certificate for form in self._forms], dtype=bool)
        return has[self._adjacency_of]

    def first_rows(self, selected: np.ndarray) -> list[int]:
        """First of the ``selected`` subgraphs, bool ``[S]``, for each adjacency among them."""
        rows = np.flatnonzero(selected)
        _, first = np.unique(self._adjacency_of[rows], return_index=True)
        return rows[np.sort(first)].tolist()

    def certificate(self, row: int) -> bytes:
        """Certificate of subgraph ``row``."""
        return self._forms[self._adjacency_of[row]].certificate

    def positions(self, rows: np.ndarray) -> np.ndarray:
        """Canonical position of each node of some subgraphs, ``[R, N]``; -1 = padding."""
        adjacencies, index = np.unique(self._adjacency_of[rows], return_inverse=True)
        positions = np.full((len(adjacencies), self._max_nodes), -1)
        for row, number in zip(positions, adjacencies.tolist(), strict=True):
            form = self._forms[number]
            row[: len(form.position)] = form.position
        return positions[index]
