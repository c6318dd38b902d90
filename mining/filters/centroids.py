"""What filters end with: features that are means over the copies of their structure.

Gradients lead the features of a filter towards those of all subgraphs that belong to it, also of
those that are another structure. Afterwards only the subgraphs count that the matching lays onto
the filter edge by edge: one step of Lloyd's k-means, in which the matching says which node of a
subgraph is which node of the filter.

Edges are left as they were trained. The matching pairs nodes by their level embeddings and not by
their edges, so that nodes which these cannot tell apart are matched in any order: on structure
alone the majority of matched edges keeps three of four planted motifs where all four are there.
"""

from __future__ import annotations

import numpy as np

# means of fewer nodes are not drawn together, since their common mean is as uncertain as they are
_LEAST_SHRUNK = 4


def refine_features(
    adj: np.ndarray,
    feat: np.ndarray,
    subgraph_adj: np.ndarray,
    subgraph_feat: np.ndarray,
    num_nodes: np.ndarray,
    filter_of: np.ndarray,
    matching: np.ndarray,
) -> np.ndarray:
    """Make the features of F filters the means over the subgraphs that are as they are.

    Those are the members of a filter whose matching preserves every edge and non-edge. What differs
    between the means of the nodes of one filter by no more than chance is drawn to their common
    mean: a copy is seen from each of its nodes, so that n subgraphs are n / M' copies, and the mean
    over them still varies by the variance over the copies divided by their number. The differences
    keep the share that exceeds this, column by column.

    Parameters
    ----------
    adj : np.ndarray
        ``[F, M, M]`` or ``[F, M, M, C]`` of zeros and ones; a node without edges is padding.
    feat : np.ndarray
        ``[F, M, D]``.
    subgraph_adj, subgraph_feat, num_nodes : np.ndarray
        ``[U, N, N]`` or ``[U, N, N, C]``, ``[U, N, D]`` and ``[U]``; N = M.
    filter_of, matching : np.ndarray
        Integers ``[U]`` and ``[U, N]``: the filter that each subgraph belongs to, and the filter
        node that each of its nodes is matched to, -1 = unmatched.

    Returns
    -------
    np.ndarray
        ``[F, M, D]``. A filter that fewer than two subgraphs are as keeps its features, as padding
        does.

    References
    ----------
    S. P. Lloyd, Least squares quantization in PCM, 1982; for means that are drawn together:
    B. Efron and C. Morris, Data analysis using Stein's estimator, 1975.

    Examples
    --------
    Two edges with noisy features, and a filter that began as the first of them:

    >>> edge = np.array([[[0.0, 1.0], [1.0, 0.0]]])
    >>> subgraphs = np.array([[[0.0], [1.0]], [[0.8], [0.2]]])
    >>> matching = np.array([[0, 1], [1, 0]])
    >>> both = np.concatenate([edge, edge])
    >>> refine_features(
    ...     edge, subgraphs[:1], both, subgraphs, np.array([2, 2]), np.array([0, 0]), matching
    ... ).round(3).tolist()
    [[[0.1], [0.9]]]
    """
    is_node = _are_nodes(adj)
    filter_sizes = is_node.sum(axis=1)
    # 1. the subgraph in the order of the nodes of its filter
    places = _places(filter_of, matching, is_node)
    rows = np.arange(len(places))[:, None]
    ordered = subgraph_feat[rows, np.maximum(places, 0)].astype(np.float64)
    # 2. those that are the filter: with as many nodes, and its edges, which nodes that are not
    # matched, or to padding, lack
    is_exact = num_nodes == filter_sizes[filter_of]
    is_same = _reordered(subgraph_adj, places) == adj[filter_of]
    is_exact &= is_same.reshape(len(places), -1).all(axis=1)
    # 3. mean and variance of each node over them
    members = ((filter_of == np.arange(len(adj))[:, None]) & is_exact).astype(np.float64)  # [F, U]
    count = members.sum(axis=1)
    shares = members / np.maximum(count, 1)[:, None]
    mean = np.einsum("fu,umd->fmd", shares, ordered)
    variance = np.einsum("fu,umd->fmd", shares, (ordered - mean[filter_of]) ** 2)
    # 4. draw together what differs by chance
    mean = _drawn_together(mean, variance, count, is_node)
    is_refined = ((count >= 2)[:, None] & is_node)[:, :, None]
    refined: np.ndarray = np.where(is_refined, mean.astype(feat.dtype), feat)
    return refined


def _are_nodes(adj: np.ndarray) -> np.ndarray:
    """Which nodes have an edge, and are no padding, bool ``[F, M]``."""
    are_nodes: np.ndarray = np.any(adj.reshape(*adj.shape[:2], -1) > 0, axis=2)
    return are_nodes


def _places(filter_of: np.ndarray, matching: np.ndarray, is_node: np.ndarray) -> np.ndarray:
    """Which node of a subgraph is each node of its filter, int64 ``[U, M]``; -1 = none."""
    places = np.full((len(matching), is_node.shape[1]), -1, np.int64)
    row, node = np.nonzero(matching >= 0)
    places[row, matching[row, node]] = node
    return np.where(is_node[filter_of], places, -1)


def _reordered(adj: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Each matrix with rows and columns in another order; zero where there is no node."""
    there = places >= 0
    rows = np.arange(len(adj))[:, None, None]
    order = np.maximum(places, 0)
    chosen = adj[rows, order[:, :, None], order[:, None, :]]
    both = there[:, :, None] & there[:, None, :]
    reordered: np.ndarray = chosen * (both if adj.ndim == 3 else both[..., None])
    return reordered


def _drawn_together(
    mean: np.ndarray, variance: np.ndarray, count: np.ndarray, is_node: np.ndarray
) -> np.ndarray:
    """Shrink means ``[F, M, D]`` of the nodes of each filter towards their common mean."""
    inside = is_node[:, :, None].astype(np.float64)
    size = inside.sum(axis=1, keepdims=True)
    center = (mean * inside).sum(axis=1, keepdims=True) / np.maximum(size, 1)
    squares = ((mean - center) ** 2 * inside).sum(axis=1, keepdims=True)
    between = squares / np.maximum(size - 1, 1)
    within = (variance * inside).sum(axis=1, keepdims=True) / np.maximum(size, 1)
    # of n / M' copies; the variance over k of them is (k - 1) / k of that of which they are drawn
    copies = count[:, None, None] / np.maximum(size, 1)
    chance = within / np.maximum(copies - 1, 1)
    kept = np.maximum(0, 1 - chance / np.maximum(between, np.finfo(np.float64).tiny))
    kept = np.where(size >= _LEAST_SHRUNK, kept, 1.0)
    drawn: np.ndarray = center + kept * (mean - center)
    return drawn
