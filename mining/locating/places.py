"""The places of a structure, node by node, and the features that its nodes have there.

A structure with symmetries can be laid onto a place in several ways. All keep the edges, so the
features decide: each place is turned until its nodes are most like the mean of the others. Where
filters of one structure learnt different features, each place goes to the nearest of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from gomkcn_dgl.graphs.structure import Structure
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.feature_scaling import ScaledFeatures
from mining.structures.subgraph_source import SubgraphSource

# rounds of turning places and taking the mean
_ROUNDS = 3
# entries of the table of places and symmetries that are in memory at once
_TABLE_SIZE = 2**22
# places compared by the kernel at once
_PART_SIZE = 4096


@dataclass(frozen=True, eq=False)
class Places:
    """Places of a pattern: ``nodes`` int32 ``[K, M]``, and what features they have.

    ``owner [K]`` is the number of the center that each place is nearest to, and ``means`` has, by
    that number, the mean scaled features ``[M, D]`` of the places of each, most places first.
    """

    nodes: np.ndarray
    owner: np.ndarray
    means: dict[int, np.ndarray]


def turn_places(
    nodes: np.ndarray,
    structure: Structure,
    features: ScaledFeatures,
    centers: Sequence[np.ndarray] = (),
    min_occurrences: int = 1,
) -> Places:
    """Turn the places ``nodes [K, M]`` of a structure by their features.

    ``centers [M, D]`` are the features that filters learnt for it, in the order of its nodes;
    without any there is one, of the features that the places have. The places of a center with
    fewer than ``min_occurrences`` go to the others.
    """
    owner = np.zeros(len(nodes), np.int64)
    if not len(nodes):
        blank = np.zeros((structure.num_nodes, features.shape[1]), np.float32)
        return Places(nodes, owner, {0: np.asarray([*centers, blank][0], np.float32)})
    low, high = features.bounds()
    symmetries = structure.symmetries
    if (low == high).all() or (len(symmetries) == 1 and len(centers) < 2):
        # no features to go by, or only one way to lay the structure onto a place
        mean = features[nodes].mean(axis=0, dtype=np.float64)
        return Places(nodes, owner, {0: mean.astype(np.float32)})
    values = features[nodes].astype(np.float64)  # [K, M, D]
    means = dict(enumerate(np.asarray(one, np.float64) for one in centers)) or {0: values[0]}
    rounds = 0
    while rounds < _ROUNDS:
        # each place in the turn, and at the center, that leaves the least distance
        owner, turn = _nearest_turns(values, means, symmetries)
        support = {i: int((owner == i).sum()) for i in means}
        rarest = min(means, key=support.__getitem__)
        if support[rarest] < max(1, min_occurrences) and len(means) > 1:
            del means[rarest]
            continue
        turned = np.take_along_axis(values, symmetries[turn][:, :, None], axis=1)
        means = {i: turned[owner == i].mean(axis=0) for i in means}
        rounds += 1
    order = sorted(means, key=lambda i: -support[i])
    return Places(
        np.take_along_axis(nodes, symmetries[turn], axis=1),
        owner,
        {i: means[i].astype(np.float32) for i in order},
    )


def _nearest_turns(
    values: np.ndarray, means: Mapping[int, np.ndarray], symmetries: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Number of the nearest mean ``[M, D]`` of each place, and of the turn that is nearest to it.

    Under a turn, pattern node i is at node ``symmetries[turn, i]`` of the place.
    """
    best = np.full(len(values), np.inf)
    owner, turn = np.zeros((2, len(values)), np.int64)
    size = symmetries.shape[1]
    step = max(1, _TABLE_SIZE // (len(symmetries) + values[0].size * size))
    # which node of the place is at which of the pattern under each turn, [M M, P]
    at = np.zeros((size, size, len(symmetries)))
    at[symmetries.T, np.arange(size)[:, None], np.arange(len(symmetries))] = 1
    for start in range(0, len(values), step):
        part = slice(start, start + step)
        for number, mean in means.items():
            # squared distance of each node of the place and each node of the pattern, [k, M, M]
            gap = ((values[part, :, None] - mean[None, None]) ** 2).sum(axis=3)
            # turns that are equally near are told apart by their order, not by rounding
            total = np.round(gap.reshape(len(gap), -1) @ at.reshape(size**2, -1), 9)  # [k, P]
            least = total.argmin(axis=1)
            distance = total[np.arange(len(total)), least]
            nearer = distance < best[part]
            best[part] = np.where(nearer, distance, best[part])
            owner[part] = np.where(nearer, number, owner[part])
            turn[part] = np.where(nearer, least, turn[part])
    return owner, turn


def similarity_of_places(
    source: SubgraphSource, features: ScaledFeatures, nodes: np.ndarray, pattern: DiscreteFilters
) -> np.ndarray:
    """Normalised score of a pattern with each of its places ``[K, M]``, float32 ``[K]``."""
    kernel, size = source.kernel, pattern.num_nodes[0]
    pattern = pattern.trimmed(size)
    z, sizes = kernel.embed(pattern.adj, pattern.feat), torch.tensor([size])
    parts = [np.empty(0, np.float32)]
    for start in range(0, len(nodes), _PART_SIZE):
        # all places are joined as the pattern is
        feat = torch.from_numpy(features[nodes[start : start + _PART_SIZE]])
        x = kernel.embed(pattern.adj.expand(len(feat), *pattern.adj.shape[1:]), feat)
        score = kernel.similarity(x, torch.full((len(x),), size), z, sizes, source.backend)
        parts.append(score[:, 0].numpy())
    return np.concatenate(parts)
