"""Adjacency → canonical form: two graphs are isomorphic exactly when their certificates agree."""

from __future__ import annotations

from dataclasses import dataclass

import igraph
import numpy as np

from gomkcn_dgl.subgraphs import SubgraphBatch

_MOST_AUTOMORPHISMS = 10_000


@dataclass(frozen=True)
class CanonicalForm:
    """A graph's isomorphism class and how its nodes sit in it.

    Attributes
    ----------
    certificate : bytes
        Equal for isomorphic graphs and for no others.
    place : numpy.ndarray
        int64 ``[N]`` canonical position of each node.
    """

    certificate: bytes
    place: np.ndarray


def canonical_form(adj: np.ndarray) -> CanonicalForm:
    """Find the canonical form of an unweighted graph (BLISS, through igraph).

    Parameters
    ----------
    adj : numpy.ndarray
        ``[N, N]`` symmetric; an edge is an entry that is not 0.

    Examples
    --------
    >>> path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> star = np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]])
    >>> canonical_form(path).certificate == canonical_form(star).certificate
    True
    """
    joined = np.asarray(adj) != 0
    edges = np.argwhere(np.triu(joined))
    graph = igraph.Graph(n=len(joined), edges=edges.tolist())
    # since igraph 1.0: the node that stands at each canonical position
    order = np.array(graph.canonical_permutation(), dtype=np.int64)
    packed = np.packbits(joined[np.ix_(order, order)])
    return CanonicalForm(len(joined).to_bytes(4, "big") + packed.tobytes(), np.argsort(order))


def automorphisms(adj: np.ndarray) -> np.ndarray:
    """Ways to exchange the nodes of an unweighted graph that keep its edges, ``[P, N]``.

    Only the identity where there are more than 10 000, such as for a clique of 8 nodes.

    Examples
    --------
    >>> automorphisms(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])).tolist()
    [[0, 1, 2], [2, 1, 0]]
    """
    graph = igraph.Graph(n=len(adj), edges=np.argwhere(np.triu(np.asarray(adj) != 0)).tolist())
    if graph.count_automorphisms() > _MOST_AUTOMORPHISMS:
        return np.arange(len(adj))[None]
    return np.array(graph.get_automorphisms_vf2(), dtype=np.int64)


class CanonicalForms:
    """Canonical forms of the subgraphs of a batch, each distinct adjacency looked at once."""

    def __init__(self, batch: SubgraphBatch) -> None:
        num_nodes, self._max_nodes = batch.num_nodes, batch.max_nodes
        key = np.concatenate(
            [batch.bits.reshape(len(batch), -1), num_nodes[:, None].astype(np.uint64)], axis=1
        )
        _, first, kind_of = np.unique(key, axis=0, return_index=True, return_inverse=True)
        self._kind_of = kind_of.reshape(-1)
        self._forms = [
            canonical_form(adj[:size, :size])
            for adj, size in zip(batch.take(first).adjacency(), num_nodes[first], strict=True)
        ]

    def has(self, certificate: bytes) -> np.ndarray:
        """Whether each subgraph has this certificate, bool ``[S]``."""
        of_kind = np.array([form.certificate == certificate for form in self._forms], dtype=bool)
        return of_kind[self._kind_of]

    def first_rows(self, chosen: np.ndarray) -> list[int]:
        """First of the ``chosen`` subgraphs, bool ``[S]``, for each adjacency among them."""
        rows = np.flatnonzero(chosen)
        _, first = np.unique(self._kind_of[rows], return_index=True)
        return rows[np.sort(first)].tolist()

    def certificate(self, row: int) -> bytes:
        """Certificate of subgraph ``row``."""
        return self._forms[self._kind_of[row]].certificate

    def places(self, rows: np.ndarray) -> np.ndarray:
        """Canonical position of each node of some subgraphs, ``[R, N]``; -1 = padding."""
        kinds, kind_of = np.unique(self._kind_of[rows], return_inverse=True)
        places = np.full((len(kinds), self._max_nodes), -1)
        for place, kind in zip(places, kinds.tolist(), strict=True):
            form = self._forms[kind]
            place[: len(form.place)] = form.place
        return places[kind_of]
