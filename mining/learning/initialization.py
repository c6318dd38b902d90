"""Initialisation of the filters: rooted subgraphs that represent the others.

The initialisation decides which patterns are found: from random parameters most filters come to
represent nothing, while greedy facility location finds most patterns before any training.
"""

from __future__ import annotations

import numpy as np
import torch

from gomkcn_dgl.matching import GOMKKernel
from mining.structures.subgraph_classes import SubgraphClasses

INITIALIZATIONS = ("facility_location", "kmeans++", "random", "sample")
# candidates that greedy k-means++ compares for each new centre
_NUM_CANDIDATES = 20


def choose_initial(
    init: str,
    classes: SubgraphClasses,
    num_filters: int,
    kernel: GOMKKernel,
    sample_size: int,
    rng: np.random.Generator,
    backend: str,
) -> np.ndarray:
    """Choose the subgraph classes that the filters are initialised with, int64 ``[Q]``.

    ``init`` is greedy facility location, greedy k-means++ or a weighted random sample. Of more than
    ``sample_size`` classes a sample is compared, so that the cost does not grow with U squared.
    Classes without weight are not chosen, and fewer than ``num_filters`` are returned when there
    are fewer. Rows of ``classes``, in the order chosen.
    """
    rows, drawn = classes.sample(sample_size, rng)
    rows, weight = rows[drawn > 0], drawn[drawn > 0].astype(np.float64)
    num_filters = min(num_filters, len(rows))
    if init == "sample":
        return rng.choice(rows, size=num_filters, replace=False, p=weight / weight.sum())
    similarity = _pairwise_similarity(classes, rows, kernel, backend)
    if init == "kmeans++":
        return rows[_kmeans_plus_plus(similarity, weight, num_filters, rng)]
    return rows[_facility_location(similarity, weight, num_filters)]


def _pairwise_similarity(
    classes: SubgraphClasses, rows: np.ndarray, kernel: GOMKKernel, backend: str
) -> np.ndarray:
    """Normalised scores among classes, ``[U', U']``."""
    index = torch.from_numpy(rows)
    x, num_nodes = classes.levels[index], classes.num_nodes[index]
    with torch.no_grad():
        blocks = [
            kernel.match(x[part], x, num_nodes[part], backend).scores
            for part in torch.arange(len(rows)).split(128)
        ]
    return torch.cat(blocks).numpy() / kernel.largest_score(x.shape[2])


def _facility_location(similarity: np.ndarray, weight: np.ndarray, num_chosen: int) -> list[int]:
    """Greedily add the class that most raises the sum of similarities to the nearest chosen."""
    # similarity of each class to the nearest one that is chosen
    covered = np.zeros(len(similarity))
    chosen: list[int] = []
    for _ in range(num_chosen):
        # how much each candidate would add, summed over all subgraphs
        gain = weight @ np.maximum(similarity - covered[:, None], 0)
        gain[chosen] = -np.inf
        chosen.append(int(gain.argmax()))
        covered = np.maximum(covered, similarity[:, chosen[-1]])
    return chosen


def _kmeans_plus_plus(
    similarity: np.ndarray, weight: np.ndarray, num_chosen: int, rng: np.random.Generator
) -> list[int]:
    """Draw candidates in proportion to their distance to the nearest chosen; keep the best."""
    # the first centre is drawn by weight alone
    chosen = [int(rng.choice(len(weight), p=weight / weight.sum()))]
    while len(chosen) < num_chosen:
        distance = 1 - similarity[:, chosen].max(axis=1)
        distance[chosen] = 0
        probability = weight * np.maximum(distance, 1e-12)
        probability[chosen] = 0
        probability /= probability.sum()
        drawn = rng.choice(len(weight), size=_NUM_CANDIDATES, p=probability)
        # of the candidates, the one that leaves the smallest sum of distances
        remaining = np.minimum(distance[:, None], 1 - similarity[:, drawn])
        chosen.append(int(drawn[(weight @ remaining).argmin()]))
    return chosen
