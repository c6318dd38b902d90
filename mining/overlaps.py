"""Occurrences that share no node; apart from their record, which must not load the compiler."""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.runtime.compiled import compiled


def pick_disjoint(node_sets: np.ndarray, num_nodes: int) -> np.ndarray:
    """Greedily select occurrences that share no node, the fewest overlaps first, bool ``[K]``.

    ``node_sets`` is integer ``[K, N]``, -1 = padding, in a graph of ``num_nodes`` nodes.

    >>> path = np.array([[1, 2], [0, 1], [2, 3]])
    >>> pick_disjoint(path, 4).tolist()
    [False, True, True]
    """
    if node_sets.size < num_nodes // 8:
        # of few nodes, numbers that are as few
        met, nodes = np.unique(node_sets, return_inverse=True)
        node_sets = nodes.reshape(node_sets.shape) - int(len(met) > 0 and met[0] < 0)
        num_nodes = len(met)
    # other occurrences at the nodes of each
    is_node = node_sets >= 0
    others = np.bincount(node_sets[is_node], minlength=num_nodes) - 1
    conflicts = np.where(is_node, others[node_sets], 0).sum(axis=1)
    # of one type, so that one version is compiled
    node_sets = node_sets.astype(np.int32, copy=False)
    return _pick_in_order(node_sets, np.argsort(conflicts, kind="stable"), num_nodes)


@compiled()
def _pick_in_order(node_sets: np.ndarray, order: np.ndarray, num_nodes: int) -> np.ndarray:
    """Select each occurrence none of whose nodes is in one selected before, bool ``[K]``."""
    picked = np.zeros(len(node_sets), np.bool_)
    taken = np.zeros(num_nodes, np.bool_)
    for i in order:
        is_free = True
        for node in node_sets[i]:
            if node >= 0 and taken[node]:
                is_free = False
                break
        if is_free:
            picked[i] = True
            for node in node_sets[i]:
                if node >= 0:
                    taken[node] = True
    return picked
