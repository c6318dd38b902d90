"""Connected components, each named by its smallest node, compiled for CPU.

Union-find (Galler and Fischer, 1964) in which the smaller of two roots becomes the root of both, so
that a component is named by its smallest node whatever the order of the edges. A search halves the
path that it follows.
"""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.kernels.compiled_graph import CompiledGraph, bounds
from gomkcn_dgl.kernels.search_numba import SEARCH_JIT
from gomkcn_dgl.runtime.compiled import compiled


@compiled(**SEARCH_JIT)
def name_components(graph: CompiledGraph, first: np.ndarray) -> None:
    """Write the smallest node of each node's component into `first [V]`; rows are sorted."""
    for node in range(len(first)):
        first[node] = node
        start, end = bounds(graph, node)
        for entry in range(start, end):
            other = np.int64(graph.indices[entry])
            # each edge once, when the larger of its nodes is entered
            if other > node:
                break
            left, right = np.int64(first[node]), other
            while first[left] != left:
                first[left] = first[first[left]]
                left = np.int64(first[left])
            while first[right] != right:
                first[right] = first[first[right]]
                right = np.int64(first[right])
            first[max(left, right)] = min(left, right)
    # a parent is smaller than its child, so that it names its component already
    for node in range(len(first)):
        first[node] = first[first[node]]
