"""Wasserstein Weisfeiler-Lehman graph kernel for attributes, on the transport solver of POT."""

from __future__ import annotations

import functools
from itertools import product

import numpy as np
from paper.data import GraphData
from paper.nested_machine import nested_machine
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

_STEPS = [1, 2, 4]
_RATES = [1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0]


def _gram(data: GraphData, setting: tuple[int, float]) -> np.ndarray:
    """Laplacian kernel of the distances, ``[G, G]``."""
    steps, rate = setting
    return np.exp(-rate * _distances(data, steps))


@functools.lru_cache(maxsize=4)
def _distances(data: GraphData, steps: int) -> np.ndarray:
    """How far the nodes of one graph are from those of another, ``[G, G]``.

    As Togninalli et al. have it (NeurIPS 2019): a node is all its levels side by side, each the
    mean of the level before and of that level's mean over the neighbours; attributes are scaled
    over the nodes of all graphs.
    """
    import ot

    graph = data.graph
    level = graph.features.astype(np.float64)
    if data.name.startswith("IMDB"):
        # one-hot degrees, as a number
        level = graph.degrees[:, None].astype(np.float64)
    spread = level.std(axis=0)
    level = (level - level.mean(axis=0)) / np.where(spread > 0, spread, 1)
    ones = np.ones(len(graph.indices))
    adjacency = csr_array((ones, graph.indices, graph.indptr), (graph.num_nodes,) * 2)
    levels = [level]
    for _ in range(steps):
        mean = adjacency @ levels[-1] / np.maximum(graph.degrees, 1)[:, None]
        levels.append((levels[-1] + mean) / 2)
    graphs = np.split(np.concatenate(levels, axis=1), graph.graph_ptr[1:-1])
    distances = np.zeros((len(graphs),) * 2)
    for i, own in enumerate(graphs):
        for j, other in enumerate(graphs[:i]):
            # equal weights: those that are left out
            distances[i, j] = distances[j, i] = ot.emd2([], [], cdist(own, other))
    return distances


WASSERSTEIN = nested_machine("WWL nested", _gram, list(product(_STEPS, _RATES)), ["ot"])
