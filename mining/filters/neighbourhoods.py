"""The subgraphs of one size around the nodes of a graph, and which of them are isomorphic."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.canonical_form import canonical_forms
from gomkcn_dgl.subgraphs import SubgraphBatch, SubgraphSettings, extract_subgraphs


class Neighbourhoods(NamedTuple):
    """S subgraphs of at most N nodes, and the canonical code of each.

    Attributes
    ----------
    batch : SubgraphBatch
        The subgraphs.
    colors : numpy.ndarray or None
        int64 ``[S, N]``, the categories of their nodes as a number, -1 = padding; None without any.
    codes : numpy.ndarray
        ``[S]`` of bytes: equal for isomorphic subgraphs of a graph, and for no others.
    """

    batch: SubgraphBatch
    colors: np.ndarray | None
    codes: np.ndarray

    @classmethod
    def sample(
        cls,
        graph: CSRGraph,
        settings: SubgraphSettings,
        roots: np.ndarray,
        colors: np.ndarray | None,
    ) -> Neighbourhoods:
        """The subgraphs around some nodes of a graph; ``colors [V]`` are those of all its nodes."""
        batch = extract_subgraphs(graph, settings, roots)
        of_nodes = colors_of_subgraphs(batch, colors)
        return cls(batch, of_nodes, structure_codes(batch.links, batch.num_nodes, of_nodes))

    def node_sets(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The different node sets of some subgraphs of M nodes, and how many show each.

        int32 ``[I, M]``, ascending, and int64 ``[I]``.
        """
        return count_node_sets(self.batch.nodes[rows], self.batch.num_nodes[rows])


def count_node_sets(nodes: np.ndarray, num_nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different sets among nodes ``[S, N]`` of subgraphs that all have M, and their numbers.

    >>> count_node_sets(np.array([[4, 2, -1], [2, 4, -1], [0, 1, -1]]), np.array([2, 2, 2]))[1]
    array([1, 2])
    """
    size = num_nodes.max(initial=0)
    return np.unique(np.sort(nodes[:, :size], axis=1), axis=0, return_counts=True)


def colors_of_subgraphs(batch: SubgraphBatch, colors: np.ndarray | None) -> np.ndarray | None:
    """The colours of the nodes of each subgraph, ``[S, N]``, -1 = padding; None without any."""
    return None if colors is None else np.where(batch.nodes < 0, -1, colors[batch.nodes])


def structure_codes(
    links: np.ndarray, num_nodes: np.ndarray, colors: np.ndarray | None = None
) -> np.ndarray:
    """Equal for isomorphic graphs of one batch, and for no others: bytes ``[S]``.

    Parameters
    ----------
    links : numpy.ndarray
        ``[S, N, N]``, what joins each two nodes, a number; 0 = not joined.
    num_nodes : numpy.ndarray
        ``[S]`` nodes that are not padding.
    colors : numpy.ndarray, optional
        ``[S, N]`` numbers that an isomorphism keeps, -1 = padding.

    Examples
    --------
    >>> paths = np.array([[[0, 1, 0], [1, 0, 1], [0, 1, 0]], [[0, 1, 1], [1, 0, 0], [1, 0, 0]]])
    >>> first, second = structure_codes(paths, np.array([3, 3]))
    >>> bool(first == second)
    True
    """
    size = links.shape[1]
    # 1. subgraphs that read the same are looked at once
    is_padding = np.arange(size) >= num_nodes[:, None]
    shown = np.where(is_padding, -1, 0) if colors is None else colors
    _, first, same = np.unique(_as_bytes(shown, links), return_index=True, return_inverse=True)
    # 2. the canonical order of each, padding first
    links, shown = links[first], shown[first]
    order = canonical_forms(links, shown + 1).order
    number = np.arange(len(first))[:, None]
    in_order = links[number[:, :, None], order[:, :, None], order[:, None, :]]
    codes: np.ndarray = _as_bytes(shown[number, order], in_order)[same.ravel()]
    return codes


def _as_bytes(colors: np.ndarray, links: np.ndarray) -> np.ndarray:
    """Colours and links of each graph as one value of bytes, which sorts and compares at once."""
    # with the number of columns, since there may be no rows
    flat = links.reshape(len(links), links.shape[1] ** 2)
    parts = [colors.astype("<i8"), flat.astype("<u2")]
    rows = np.concatenate([part.view(np.uint8) for part in parts], axis=1)
    return np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1]))).ravel()
