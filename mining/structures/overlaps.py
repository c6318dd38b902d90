"""Occurrences that share nodes: equal node sets, disjoint occurrences, units that overlap."""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.runtime.compiled import compiled
from gomkcn_dgl.runtime.hashing import mix64


def best_of_each_set(node_sets: np.ndarray, similarity: np.ndarray) -> np.ndarray:
    """Select one row for each set of nodes: the most similar, and the first of equals.

    ``node_sets`` is integer ``[K, N]`` in any order, -1 = padding; the rows are int64, ascending.
    Sets are compared by a hash: of 10 million, two have the same in one of 400,000 graphs.

    >>> best_of_each_set(np.array([[0, 1], [2, 3], [1, 0]]), np.array([0.5, 0.5, 0.9])).tolist()
    [1, 2]
    """
    # the hash of padding is 0
    numbers = (node_sets + 1).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    keys = mix64(numbers).sum(axis=1, dtype=np.uint64)
    return np.flatnonzero(_mark_best_of_each(keys, similarity))


def pick_disjoint(node_sets: np.ndarray, num_nodes: int) -> np.ndarray:
    """Greedily select occurrences that share no node, the fewest overlaps first, bool ``[K]``.

    ``node_sets`` is integer ``[K, N]``, -1 = padding, in a graph of ``num_nodes`` nodes.

    >>> path = np.array([[1, 2], [0, 1], [2, 3]])
    >>> pick_disjoint(path, 4).tolist()
    [False, True, True]
    """
    order = np.argsort(_count_conflicts(node_sets, num_nodes), kind="stable")
    return _pick_in_order(node_sets, order, num_nodes)


def units_by_overlap(
    num_nodes: int, assigned: np.ndarray, node_sets: np.ndarray, picked: np.ndarray
) -> tuple[np.ndarray, int]:
    """Group occurrences into units: each of a disjoint set with those that overlap it.

    ``picked [K]`` are the disjoint ones of ``node_sets [K, N]``, and ``assigned [R]`` different
    nodes; a node outside of all occurrences is a unit of its own. Returns the assigned nodes, the
    occurrences and the disjoint occurrences in each unit, int64 ``[U', 3]``, without units in which
    there are none, and the number of all units U.
    """
    unit_of, claimed = _find_units(node_sets, picked, num_nodes)
    size = int(picked.sum())
    unit_of_root = claimed[assigned]
    columns = [
        np.bincount(unit_of_root[unit_of_root >= 0], minlength=size),
        np.bincount(unit_of, minlength=size),
        np.ones(size, np.int64),
    ]
    single = np.tile([1, 0, 0], (int((unit_of_root < 0).sum()), 1))
    units = np.concatenate([np.stack(columns, axis=1), single]).astype(np.int64)
    return units, size + int((claimed < 0).sum())


@compiled()
def _mark_best_of_each(keys: np.ndarray, similarity: np.ndarray) -> np.ndarray:
    """Whether each is the most similar of those with its key, the first of equals, bool ``[K]``."""
    width = 1
    while width < 2 * len(keys):
        width *= 2
    # an open-addressing hash table, at most half full: the best row so far of each key
    table = np.full(width, -1, np.int64)
    best = np.zeros(len(keys), np.bool_)
    for i in range(len(keys)):
        slot = np.int64(keys[i] & np.uint64(width - 1))
        while table[slot] >= 0 and keys[table[slot]] != keys[i]:
            slot = (slot + 1) & (width - 1)
        before = table[slot]
        if before >= 0:
            if not similarity[i] > similarity[before]:
                continue
            best[before] = False
        table[slot] = i
        best[i] = True
    return best


@compiled()
def _count_conflicts(node_sets: np.ndarray, num_nodes: int) -> np.ndarray:
    """Other occurrences at the nodes of each, int64 ``[K]``."""
    degree = np.zeros(num_nodes, np.int64)
    for nodes in node_sets:
        for node in nodes:
            if node >= 0:
                degree[node] += 1
    conflicts = np.zeros(len(node_sets), np.int64)
    for i, nodes in enumerate(node_sets):
        for node in nodes:
            if node >= 0:
                conflicts[i] += degree[node] - 1
    return conflicts


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
    # other nodes belong to the unit of the first occurrence that contains them
    claimed = owner.copy()
    for i in range(len(node_sets)):
        if picked[i]:
            continue
        # it belongs to the disjoint occurrence with which it shares the most nodes
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
