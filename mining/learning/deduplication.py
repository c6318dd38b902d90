"""Filters that found the same pattern → one of them, with the mean features of all.

Two filters of one structure are the same pattern when the kernel scores them alike, or when their
features differ less than those of the occurrences of either do: the squared distance of their mean
features is smaller than both variances around them. Filters of different structures stay apart,
however much their occurrences overlap: in planted graphs, MUTAG, ENZYMES, ego-Facebook and ca-GrQc
hardly two structures an edge apart shared most of their places, and where they did one was a
planted motif.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch

from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.node_mapping import find_roles

if TYPE_CHECKING:
    from mining.structures.rooted_subgraphs import RootedSubgraphs

log = logging.getLogger("gomkcn_dgl")

# two filters of the same structure that are more similar than this are one pattern
_SAME_PATTERN = 0.99
# subgraphs of a filter that its features are taken from
_MOST_ROWS = 500


@dataclass(frozen=True)
class _Cloud:
    """Features of the subgraphs of a filter, in the roles of one of its structure.

    ``mean`` and ``variance`` are ``[M, D]``.
    """

    count: int
    mean: np.ndarray
    variance: np.ndarray

    def is_near(self, other: _Cloud) -> bool:
        """Whether the means differ less than the features of either."""
        distance = ((self.mean - other.mean) ** 2).sum()
        return bool(distance <= min(self.variance.sum(), other.variance.sum()))

    def join(self, other: _Cloud) -> _Cloud:
        """Move the mean to that of both."""
        total = self.count + other.count
        mean = (self.count * self.mean + other.count * other.mean) / total
        return _Cloud(total, mean, self.variance)


def deduplicate(snapped: DiscreteFilters, around: RootedSubgraphs) -> DiscreteFilters:
    """Keep one of several filters that found the same pattern: the one with most subgraphs.

    Parameters
    ----------
    snapped : DiscreteFilters
        F filters.
    around : RootedSubgraphs
        Of the graph.

    Returns
    -------
    DiscreteFilters
        At most F, in their old order; ``merged`` says how many filters each stands for.
    """
    z, sizes = around.kernel.embed(snapped.adj, snapped.feat), torch.tensor(snapped.num_nodes)
    alike = around.kernel.similarity(z, sizes, z, sizes, around.backend).numpy()
    similarity, own = around.similarity(snapped), around.same_structure(snapped)
    groups: dict[bytes, list[int]] = {}
    for number, certificate in enumerate(snapped.certificates()):
        groups.setdefault(certificate, []).append(number)
    feat, merged = snapped.feat.clone(), list(snapped.merged)
    kept: list[int] = []
    for numbers in groups.values():
        rows = np.flatnonzero(own[:, numbers[0]])
        nearest = similarity[rows][:, numbers].argmax(axis=1)
        shares = {number: rows[nearest == i] for i, number in enumerate(numbers)}
        # its own spread is what others are compared with, its mean moves
        clouds: dict[int, tuple[_Cloud | None, _Cloud | None]] = {}
        for number in sorted(numbers, key=lambda number: -len(shares[number])):
            for first in clouds:
                spread, mean = clouds[first]
                other = _cloud(snapped, first, shares[number], around)
                near = spread is not None and other is not None and spread.is_near(other)
                if alike[number, first] >= _SAME_PATTERN or near:
                    merged[first] += merged[number]
                    if mean is not None and other is not None:
                        clouds[first] = spread, mean.join(other)
                    break
            else:
                cloud = _cloud(snapped, number, shares[number], around)
                clouds[number] = cloud, cloud
        for number, (spread, mean) in clouds.items():
            if mean is not None and mean is not spread:
                feat[number, : len(mean.mean)] = torch.from_numpy(mean.mean).float()
        kept += clouds
    if len(kept) < len(merged):
        log.info("merged %d filters that found the same pattern", len(merged) - len(kept))
    kept.sort()
    return replace(
        snapped.take(kept), feat=feat[kept], merged=tuple(merged[number] for number in kept)
    )


def _cloud(
    snapped: DiscreteFilters, number: int, rows: np.ndarray, around: RootedSubgraphs
) -> _Cloud | None:
    """Features of subgraphs of the structure of filter ``number``, in its roles; None for none."""
    if not len(rows):
        return None
    some = rows[np.linspace(0, len(rows) - 1, min(len(rows), _MOST_ROWS)).astype(np.int64)]
    roles = find_roles(
        around.batch,
        some,
        around.features,
        around.forms,
        snapped.take([number]),
        around.kernel,
        around.backend,
    )
    size = snapped.num_nodes[number]
    players = np.empty((len(some), size), np.int64)
    np.put_along_axis(players, roles[:, :size], around.batch.nodes[some, :size], axis=1)
    features = around.features[players].astype(np.float64)  # [R, M, D]
    return _Cloud(len(rows), features.mean(axis=0), features.var(axis=0))
