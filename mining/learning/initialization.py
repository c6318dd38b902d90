"""Where the filters start: real subgraphs chosen to represent the others, or chance.

The choice decides what is found: from random parameters most filters die, while greedy facility
location alone, before any training, already holds most patterns.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from gomkcn_dgl.matching import GOMKKernel
from mining.structures.subgraph_classes import SubgraphClasses

# candidates that greedy k-means++ compares for each new centre
_CANDIDATES = 20


def choose_initial(
    init: str,
    types: SubgraphClasses,
    num_patterns: int,
    kernel: GOMKKernel,
    sample_size: int,
    rng: np.random.Generator,
    backend: str,
) -> np.ndarray:
    """Choose the subgraph types that the filters start from.

    Parameters
    ----------
    init : {"facility_location", "kmeans++", "sample"}
        Greedy facility location; greedy k-means++; a weighted random sample.
    types : SubgraphClasses
        U types; those without weight are not chosen.
    num_patterns : int
        How many to choose; fewer come back when there are fewer types.
    sample_size : int
        Types compared with each other. When there are more, a sample of that many subgraphs is
        compared, so that the cost does not grow with U squared.

    Returns
    -------
    numpy.ndarray
        int64 ``[Q]`` rows of ``types``, in the order chosen.
    """
    rows, drawn = types.sample(sample_size, rng)
    rows, drawn = rows[drawn > 0], drawn[drawn > 0]
    weight = drawn.astype(np.float64)
    num_patterns = min(num_patterns, len(rows))
    if init == "sample":
        return rng.choice(rows, size=num_patterns, replace=False, p=weight / weight.sum())
    similarity = _pairwise(types, rows, kernel, backend)
    choose: Callable[..., list[int]] = _CHOOSERS[init]
    return rows[choose(similarity, weight, num_patterns, rng)]


def _pairwise(
    types: SubgraphClasses, rows: np.ndarray, kernel: GOMKKernel, backend: str
) -> np.ndarray:
    """Normalised scores among types, ``[U', U']``."""
    x = types.levels[torch.from_numpy(rows)]
    num_nodes = types.num_nodes[torch.from_numpy(rows)]
    blocks: list[Tensor] = []
    with torch.no_grad():
        for part in torch.arange(len(rows)).split(128):
            blocks.append(kernel.match(x[part], x, num_nodes[part], backend).scores)
    return torch.cat(blocks).numpy() / kernel.largest_score(x.shape[2])


def _facility_location(
    similarity: np.ndarray, weight: np.ndarray, num_chosen: int, rng: np.random.Generator
) -> list[int]:
    """Add the type that most raises the sum over all of the similarity to the nearest chosen."""
    covered = np.zeros(len(similarity))
    chosen: list[int] = []
    for _ in range(num_chosen):
        gain = weight @ np.maximum(similarity - covered[:, None], 0)
        gain[chosen] = -np.inf
        chosen.append(int(gain.argmax()))
        covered = np.maximum(covered, similarity[:, chosen[-1]])
    return chosen


def _kmeans_plus_plus(
    similarity: np.ndarray, weight: np.ndarray, num_chosen: int, rng: np.random.Generator
) -> list[int]:
    """Draw candidates by their distance to the nearest chosen and keep the best of them."""
    chosen = [int(rng.choice(len(weight), p=weight / weight.sum()))]
    while len(chosen) < num_chosen:
        distance = 1 - similarity[:, chosen].max(axis=1)
        distance[chosen] = 0
        chance = weight * np.maximum(distance, 1e-12)
        chance[chosen] = 0
        drawn = rng.choice(len(weight), size=_CANDIDATES, p=chance / chance.sum())
        remaining = np.minimum(distance[:, None], 1 - similarity[:, drawn])
        chosen.append(int(drawn[(weight @ remaining).argmin()]))
    return chosen


_CHOOSERS = {"facility_location": _facility_location, "kmeans++": _kmeans_plus_plus}
INITIALIZATIONS = ("facility_location", "kmeans++", "random", "sample")
