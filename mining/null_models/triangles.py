"""Rewiring that keeps the triangles at each node, as nearly as they can be had.

Edges are rewired freely, degrees kept, and then steered back to the triangles that each node had,
by Metropolis swaps at a falling temperature. It is the null model for clustered graphs, where a
model that keeps degrees alone makes every pattern with a triangle stand out (S. Bansal, S.
Khandelwal and L. A. Meyers, Exploring biological network structure with clustered random
networks, BMC Bioinformatics 10:405, 2009, steer in the same way to one clustering coefficient).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from mining.null_models.triangle_steering import steer

# attempts for each edge at each temperature
_ATTEMPTS_PER_EDGE = 8
_TEMPERATURES = np.geomspace(2.0, 0.1, 12)
# of all triangles, so many may be missing or too many at their nodes
_ENOUGH = 0.005


def count_triangles(indptr: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Triangles at each node, int64 ``[V]``; rows need not be sorted."""
    shape = (len(indptr) - 1,) * 2
    rows = csr_array((np.ones(len(indices), np.int64), indices, indptr), shape=shape)
    paths = (rows @ rows).multiply(rows)
    return np.asarray(paths.sum(axis=1)).reshape(-1) // 2


def steer_to_triangles(graph: CSRGraph, wanted: np.ndarray, rng: np.random.Generator) -> CSRGraph:
    """Swap edges of a plain graph until nodes have about the triangles ``wanted [V]``."""
    if graph.links is not None:
        raise InputError(
            "null must not be 'triangles' for a graph whose edges have directions or types; "
            "use 'reciprocity' or 'degree'."
        )
    neighbors = graph.indices.copy()
    row = np.repeat(np.arange(graph.num_nodes), graph.degrees).astype(np.int32)
    surplus = count_triangles(graph.indptr, neighbors) - wanted
    # no edge leaves its graph in a collection
    group = graph.graph_of(np.arange(graph.num_nodes))
    for temperature in _TEMPERATURES:
        num_attempts = _ATTEMPTS_PER_EDGE * len(neighbors) // 2
        energy = steer(graph.indptr, neighbors, row, group, surplus, num_attempts, temperature, rng)
        if energy <= _ENOUGH * wanted.sum():
            break
    rows = csr_array(
        (np.ones(len(neighbors), np.int8), neighbors, graph.indptr), shape=(graph.num_nodes,) * 2
    )
    rows.sort_indices()
    return replace(graph, indices=rows.indices.astype(np.int32), weights=None)
