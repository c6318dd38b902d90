"""The nodes of a graph by the number of their neighbours: random ones of each class.

Classes double: nodes of 1, of 2 and 3, of 4 to 7 neighbours, and so on. How often a node is the top
of an occurrence varies little inside a class, and a lot between them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from gomkcn_dgl.graph import CSRGraph
from gomkcn_dgl.kernels.search_numba import random_keys
from gomkcn_dgl.storage.graph_folder_checks import chunks

# nodes of a class that are at hand at most
_MOST_NODES = 1 << 19
_NODES_AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False)
class DegreeStrata:
    """Classes of nodes: ``sizes[c]`` have from ``2^c`` to ``2^(c + 1) - 1`` neighbours.

    ``nodes[c]`` are at most half a million of them in random order, so that the first n are a
    sample of n.
    """

    sizes: np.ndarray
    nodes: list[np.ndarray]

    @classmethod
    def of(cls, graph: CSRGraph, seed: int) -> DegreeStrata:
        """Those of a graph, which is read twice, and once for all patterns."""
        known = _KNOWN.setdefault(graph, {})
        if seed not in known:
            known[seed] = _sample(graph, seed)
        return known[seed]


_KNOWN: WeakKeyDictionary[CSRGraph, dict[int, DegreeStrata]] = WeakKeyDictionary()


def _sample(graph: CSRGraph, seed: int) -> DegreeStrata:
    # 1. the size of each class
    sizes = np.zeros(64, np.int64)
    for _, classes in _classes(graph):
        sizes += np.bincount(classes + 1, minlength=65)[1:]
    # 2. nodes whose hash is below what leaves about as many as there is room for
    limits = np.minimum(1.0, 1.02 * _MOST_NODES / np.maximum(sizes, 1))
    most = (limits * float(2**64 - 2**12)).astype(np.uint64)
    parts: list[list[np.ndarray]] = [[] for _ in sizes]
    for first, classes in _classes(graph):
        nodes: np.ndarray = first + np.flatnonzero(classes >= 0)
        own = classes[nodes - first]
        keys = random_keys(nodes, seed)
        taken = (keys <= most[own]) | (limits[own] == 1)
        nodes, own, keys = nodes[taken], own[taken], keys[taken]
        for number in np.unique(own):
            here = own == number
            parts[number].append(np.stack([keys[here], nodes[here].astype(np.uint64)]))
    # 3. in the order of their hashes, which is random
    drawn = []
    for part in parts[: int(np.flatnonzero(sizes).max(initial=-1)) + 1]:
        table = np.concatenate(part, axis=1) if part else np.empty((2, 0), np.uint64)
        drawn.append(table[1][np.argsort(table[0])][:_MOST_NODES].astype(np.int64))
    return DegreeStrata(sizes[: len(drawn)], drawn)


def _classes(graph: CSRGraph) -> Iterator[tuple[int, np.ndarray]]:
    """The class of each node, some nodes at a time, with the first of them; -1 for none."""
    for first, last in chunks(0, graph.num_nodes, _NODES_AT_ONCE):
        degrees = np.diff(graph.indptr[first : last + 1])
        # exact for the degrees that there can be
        yield first, np.frexp(degrees.astype(np.float64))[1].astype(np.int64) - 1
