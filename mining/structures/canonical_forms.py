"""Adjacency → canonical form: two graphs are isomorphic exactly when their certificates agree.

Links of several kinds are taken to a graph of coloured vertices: each joined pair of nodes gets a
vertex between them for either end, coloured by what joins the nodes as seen from that end.
"""

from __future__ import annotations

from dataclasses import dataclass

import igraph
import numpy as np

from gomkcn_dgl.subgraphs import SubgraphBatch

_MOST_AUTOMORPHISMS = 1_000


@dataclass(frozen=True)
class CanonicalForm:
    """The isomorphism class of a graph, and the canonical position of each node, int64 ``[N]``.

    Certificates are equal for isomorphic graphs and for no others.
    """

    certificate: bytes
    position: np.ndarray


def canonical_form(adj: np.ndarray, colors: np.ndarray | None = None) -> CanonicalForm:
    """Canonical form of an unweighted graph (BLISS, through igraph).

    ``adj`` is ``[N, N]``, symmetric, or ``[N, N, C]``, a matrix for each channel of the relations;
    ``colors [N]`` are whole numbers that an isomorphism preserves, one for each node.

    >>> path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> star = np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]])
    >>> canonical_form(path).certificate == canonical_form(star).certificate
    True
    """
    joined = _joined(adj)
    if joined.ndim == 3:
        return _form_of_links(*_number_links(joined), colors)
    # since igraph 1.0 this is the node at each canonical position
    order = _as_igraph(joined).canonical_permutation(color=_ranks(colors))
    certificate = np.packbits(joined[np.ix_(order, order)]).tobytes()
    return _form(np.array(order, dtype=np.int64), certificate, colors)


def automorphisms(adj: np.ndarray, colors: np.ndarray | None = None) -> np.ndarray:
    """Automorphisms of an unweighted graph, ``[P, N]``; of more than 1000 the identity only.

    The arguments are those of :func:`canonical_form`.

    >>> automorphisms(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])).tolist()
    [[0, 1, 2], [2, 1, 0]]
    """
    graph, color = as_colored_graph(adj, colors)
    if graph.count_automorphisms(color=color) > _MOST_AUTOMORPHISMS:
        return np.arange(len(adj))[None]
    mappings = np.array(graph.get_automorphisms_vf2(color=color), dtype=np.int64)
    return mappings[:, : len(adj)]


def as_colored_graph(
    adj: np.ndarray, colors: np.ndarray | None = None
) -> tuple[igraph.Graph, list[int] | None]:
    """A graph with coloured vertices that has the same symmetries; its first N are the nodes."""
    joined = _joined(adj)
    if joined.ndim == 3:
        return _with_ends(_number_links(joined)[0], colors)
    return _as_igraph(joined), _ranks(colors)


def _joined(adj: np.ndarray) -> np.ndarray:
    """Where entries are not 0; a single channel is a matrix."""
    joined: np.ndarray = np.asarray(adj) != 0
    return joined[..., 0] if joined.shape[2:] == (1,) else joined


def _number_links(joined: np.ndarray) -> tuple[np.ndarray, list[bytes]]:
    """Number of the set of channels of each pair ``[N, N]``, and the name of each set."""
    sets, codes = np.unique(joined.reshape(-1, joined.shape[2]), axis=0, return_inverse=True)
    return codes.reshape(joined.shape[:2]), _names_of(sets)


def _names_of(links: np.ndarray) -> list[bytes]:
    """A name for each set of channels ``[K, C]``, whatever other channels there are."""
    return [np.flatnonzero(link).astype(np.uint16).tobytes() for link in links]


def _form_of_links(
    codes: np.ndarray, names: list[bytes], colors: np.ndarray | None = None
) -> CanonicalForm:
    """Canonical form of a graph whose pairs of nodes are joined by links ``[N, N]``."""
    # the links that occur are numbered anew, in an order that follows from their channels alone
    occurring = sorted(np.unique(codes).tolist(), key=names.__getitem__)
    rank = np.zeros(len(names), np.uint16)
    rank[occurring] = np.arange(len(occurring))
    codes = rank[codes]
    graph, color = _with_ends(codes, colors)
    order = np.array(graph.canonical_permutation(color=color), dtype=np.int64)
    order = order[order < len(codes)]
    parts = [codes[np.ix_(order, order)].tobytes()]
    parts += [len(names[link]).to_bytes(4, "big") + names[link] for link in occurring]
    return _form(order, b"".join(parts), colors)


def _form(order: np.ndarray, certificate: bytes, colors: np.ndarray | None) -> CanonicalForm:
    """The form of a graph with these nodes at its canonical positions."""
    if colors is not None:
        certificate = np.asarray(colors, np.int64)[order].tobytes() + certificate
    return CanonicalForm(len(order).to_bytes(4, "big") + certificate, np.argsort(order))


def _with_ends(codes: np.ndarray, colors: np.ndarray | None) -> tuple[igraph.Graph, list[int]]:
    """The nodes, and between joined ones a vertex for each end, coloured by the link there."""
    size = len(codes)
    color = _ranks(colors) or [0] * size
    first_color, edges = max(color, default=0) + 1, []
    for u, v in np.argwhere(np.triu(codes)).tolist():
        near = len(color)
        color.append(first_color + int(codes[u, v]))
        far = near
        # one vertex is enough where both ends look the same
        if codes[u, v] != codes[v, u]:
            far = len(color)
            color.append(first_color + int(codes[v, u]))
            edges.append((near, far))
        edges += [(u, near), (far, v)]
    return igraph.Graph(n=len(color), edges=edges), color


def _as_igraph(adj: np.ndarray) -> igraph.Graph:
    return igraph.Graph(n=len(adj), edges=np.argwhere(np.triu(adj)).tolist())


def _ranks(colors: np.ndarray | None) -> list[int] | None:
    """Colours as small numbers in the same order."""
    if colors is None:
        return None
    ranks: list[int] = np.unique(colors, return_inverse=True)[1].tolist()
    return ranks


class CanonicalForms:
    """Canonical forms of the subgraphs of a batch, computed once for each distinct adjacency."""

    def __init__(self, batch: SubgraphBatch) -> None:
        num_nodes, self._max_nodes = batch.num_nodes, batch.max_nodes
        structure = batch.bits if batch.links is None else batch.links
        sizes_as = np.uint64 if batch.links is None else np.uint16
        key = np.concatenate(
            [structure.reshape(len(batch), -1), num_nodes[:, None].astype(sizes_as)], axis=1
        )
        _, first, number = np.unique(key, axis=0, return_index=True, return_inverse=True)
        # equal adjacencies share one form: the number of each subgraph's among the distinct ones
        self._adjacency_of = number.reshape(-1)
        names = None if batch.links is None else _names_of(batch.relations.links)
        self._forms = [
            canonical_form(codes[:size, :size])
            if names is None
            else _form_of_links(codes[:size, :size], names)
            for codes, size in zip(batch.take(first).structure(), num_nodes[first], strict=True)
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
