"""Occurrences that share nodes: all of them, so that one is enough, or some.

Of the latter a disjoint set is picked, and each other one belongs to one of it.
"""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.runtime.compiled import compiled
from gomkcn_dgl.runtime.hashing import mix64


def best_of_each_set(node_sets: np.ndarray, similarity: np.ndarray) -> np.ndarray:
    """Keep one row for each set of nodes: the most similar, and the first of equals.

    Two of 10 million sets are taken for one by chance once in 400,000 graphs.

    Parameters
    ----------
    node_sets : numpy.ndarray
        Integer ``[K, N]``, -1 = padding, in any order.
    similarity : numpy.ndarray
        ``[K]``.

    Returns
    -------
    numpy.ndarray
        int64, the rows kept, ascending.

    Examples
    --------
    >>> best_of_each_set(np.array([[0, 1], [2, 3], [1, 0]]), np.array([0.5, 0.5, 0.9])).tolist()
    [1, 2]
    """
    # padding counts as nothing
    numbers = (node_sets + 1).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    keys = mix64(numbers).sum(axis=1, dtype=np.uint64)
    return np.flatnonzero(_mark_best_of_each(keys, similarity))


def pick_disjoint(node_sets: np.ndarray, num_nodes: int) -> np.ndarray:
    """Pick occurrences that share no node, greedily, least conflict first.

    Parameters
    ----------
    node_sets : numpy.ndarray
        Integer ``[K, N]``, -1 = padding.
    num_nodes : int
        Nodes of the graph.

    Returns
    -------
    numpy.ndarray
        bool ``[K]``: what was picked.

    Examples
    --------
    >>> path = np.array([[1, 2], [0, 1], [2, 3]])
    >>> pick_disjoint(path, 4).tolist()
    [False, True, True]
    """
    order = np.argsort(_count_conflicts(node_sets, num_nodes), kind="stable")
    return _pick_in_order(node_sets, order, num_nodes)


def units_by_overlap(
    num_nodes: int, assigned: np.ndarray, node_sets: np.ndarray, picked: np.ndarray
) -> tuple[np.ndarray, int]:
    """Count what stands together: with each occurrence picked, those that overlap it.

    Parameters
    ----------
    num_nodes : int
        Nodes of the graph.
    assigned : numpy.ndarray
        Integer ``[R]`` different nodes.
    node_sets : numpy.ndarray
        Integer ``[K, N]``, -1 = padding.
    picked : numpy.ndarray
        bool ``[K]`` from :func:`pick_disjoint`.

    Returns
    -------
    numpy.ndarray
        int64 ``[U', 3]`` assigned nodes, occurrences and picked occurrences in each unit; without
        units that hold nothing.
    int
        The number of all units U.
    """
    unit_of, claimed = _find_units(node_sets, picked, num_nodes)
    size = int(picked.sum())
    home = claimed[assigned]
    columns = [
        np.bincount(home[home >= 0], minlength=size),
        np.bincount(unit_of, minlength=size),
        np.ones(size, np.int64),
    ]
    alone = np.tile([1, 0, 0], (int((home < 0).sum()), 1))
    units = np.concatenate([np.stack(columns, axis=1), alone]).astype(np.int64)
    return units, size + int((claimed < 0).sum())


@compiled()
def _mark_best_of_each(keys: np.ndarray, similarity: np.ndarray) -> np.ndarray:
    """Whether each is the most similar of those with its key, the first of equals, bool ``[K]``."""
    width = 1
    while width < 2 * len(keys):
        width *= 2
    # a hash table with room to spare: the best row so far of the key that stands there
    table = np.full(width, -1, np.int64)
    best = np.zeros(len(keys), np.bool_)
    for i in range(len(keys)):
        place = np.int64(keys[i] & np.uint64(width - 1))
        while table[place] >= 0 and keys[table[place]] != keys[i]:
            place = (place + 1) & (width - 1)
        before = table[place]
        if before >= 0:
            if not similarity[i] > similarity[before]:
                continue
            best[before] = False
        table[place] = i
        best[i] = True
    return best


@compiled()
def _count_conflicts(node_sets: np.ndarray, num_nodes: int) -> np.ndarray:
    """Other occurrences at the nodes of each, int64 ``[K]``."""
    held = np.zeros(num_nodes, np.int64)
    for nodes in node_sets:
        for node in nodes:
            if node >= 0:
                held[node] += 1
    conflicts = np.zeros(len(node_sets), np.int64)
    for i, nodes in enumerate(node_sets):
        for node in nodes:
            if node >= 0:
                conflicts[i] += held[node] - 1
    return conflicts


@compiled()
def _pick_in_order(node_sets: np.ndarray, order: np.ndarray, num_nodes: int) -> np.ndarray:
    """Pick each occurrence none of whose nodes is taken, bool ``[K]``."""
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


@compiled()
def _find_units(
    node_sets: np.ndarray, picked: np.ndarray, num_nodes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Unit of each occurrence, int64 ``[K]``, and of each node, int64 ``[V]``, -1 for none."""
    unit_of = np.empty(len(node_sets), np.int64)
    owner = np.full(num_nodes, -1, np.int64)
    size = 0
    for i in range(len(node_sets)):
        if picked[i]:
            unit_of[i] = size
            for node in node_sets[i]:
                if node >= 0:
                    owner[node] = size
            size += 1
    # nodes that nobody owns go to the first occurrence that claims them
    claimed = owner.copy()
    for i in range(len(node_sets)):
        if picked[i]:
            continue
        # it overlaps one that was picked, and belongs to the one it shares most nodes with
        most = 0
        for node in node_sets[i]:
            if node < 0 or owner[node] < 0:
                continue
            shared = 0
            for other in node_sets[i]:
                shared += other >= 0 and owner[other] == owner[node]
            if shared > most or (shared == most and owner[node] < unit_of[i]):
                most, unit_of[i] = shared, owner[node]
        for node in node_sets[i]:
            if node >= 0 and claimed[node] < 0:
                claimed[node] = unit_of[i]
    return unit_of, claimed
