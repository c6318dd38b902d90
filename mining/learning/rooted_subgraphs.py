"""Rooted subgraphs of a graph, ready to be compared: scaled features, and classes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gomkcn_dgl._torch import Tensor, torch
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.subgraphs import SubgraphBatch

# level embeddings closer than this count as equal
_RESOLUTION = 1e-4
# in steps of that size they are counted in 64 bits
_LARGEST = 2.0**63 * _RESOLUTION
# numbers in the matrices of the channels of subgraphs embedded at once
_MOST_ENTRIES = 2**24


@dataclass(frozen=True)
class FeatureScaling:
    """A column-wise affine map of features into [0, 1], arrays ``[D]``.

    ``offset`` and ``spread`` are the smallest value and the range of each column; a scaled column
    fills ``[0.5 - contrast / 2, 0.5 + contrast / 2]``.
    """

    offset: np.ndarray
    spread: np.ndarray
    contrast: np.ndarray

    @classmethod
    def fit(cls, features: np.ndarray, contrast: float) -> FeatureScaling:
        """Measure the columns of ``features [V, D]``.

        A small contrast makes nodes more similar, so that the structure counts for more. A constant
        column is mapped to 0.5.

        >>> scaling = FeatureScaling.fit(np.array([[2.0, 7.0], [4.0, 7.0]]), contrast=1.0)
        >>> scaling.scale(np.array([[3.0, 7.0]])).tolist()
        [[0.5, 0.5]]
        """
        low = features.min(axis=0).astype(np.float64)
        high = features.max(axis=0).astype(np.float64)
        constant = low == high
        # an interval as wide as the constant is large, so that rounding loses neither
        width = np.where(low == 0, 1.0, np.abs(low))
        return cls(
            offset=np.where(constant, low - width / 2, low),
            spread=np.where(constant, width, high - low),
            contrast=np.full(len(low), contrast),
        )

    def scale(self, features: np.ndarray) -> np.ndarray:
        """Map ``[…, D]`` into the unit interval; values outside the fitted range are clipped."""
        unit = np.clip((features - self.offset) / self.spread, 0, 1)
        return (0.5 + self.contrast * (unit - 0.5)).astype(np.float32)

    def restore(self, scaled: np.ndarray) -> np.ndarray:
        """Map ``[…, D]`` back to the input's units; the inverse of :meth:`scale`."""
        unit = np.clip(0.5 + (scaled - 0.5) / self.contrast, 0, 1)
        return unit * self.spread + self.offset


class ScaledFeatures:
    """Scaled features of a graph, computed for the rows that are indexed.

    The features ``[V, D]`` may be a memory map, which is not read as a whole.

    >>> features = np.array([[2.0], [4.0], [3.0]])
    >>> scaled = ScaledFeatures(features, FeatureScaling.fit(features, contrast=1.0))
    >>> scaled[np.array([1, 2])].tolist()
    [[1.0], [0.5]]
    """

    def __init__(self, features: np.ndarray, scaling: FeatureScaling) -> None:
        self._features, self._scaling = features, scaling

    def __getitem__(self, rows: Any) -> np.ndarray:
        """Scaled features of some rows, float32."""
        return self._scaling.scale(self._features[rows])


@dataclass(frozen=True)
class SubgraphClasses:
    """S subgraphs grouped into U classes that no filter can tell apart.

    ``first [U]`` is a subgraph of each class and ``weight [U]`` the number of its subgraphs, both
    int64; ``levels [U, L, N, D]`` are the level embeddings and ``num_nodes [U]`` the sizes of the
    subgraphs in ``first``.
    """

    first: np.ndarray
    weight: np.ndarray
    levels: Tensor
    num_nodes: Tensor

    def __len__(self) -> int:
        """Return the number of classes U."""
        return len(self.first)

    def sample(self, size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw ``size`` subgraphs when there are more classes than that.

        Returns the rows of the classes drawn, ascending, and how often each was drawn; all rows and
        their weights when there are not more.
        """
        if len(self) <= size:
            return np.arange(len(self)), self.weight
        drawn = rng.choice(len(self), size=size, p=self.weight / self.weight.sum())
        rows, weight = np.unique(drawn, return_counts=True)
        return rows, weight

    def take(self, rows: np.ndarray, weight: np.ndarray) -> SubgraphClasses:
        """Return the classes in ``rows`` with new weights."""
        index = torch.from_numpy(rows)
        return SubgraphClasses(self.first[rows], weight, self.levels[index], self.num_nodes[index])


def find_classes(levels: Tensor, num_nodes: np.ndarray, kernel: GOMKKernel) -> SubgraphClasses:
    """Group the subgraphs whose scores agree with every filter.

    ``levels`` are ``[S, L, N, D]`` and ``num_nodes`` is ``[S]``. Under optimal matching a subgraph
    is the set of its subtree embeddings (the paper's equation for the subgraph embedding), whatever
    the order of its nodes; an anchored root is apart from the set, and greedy matching depends on
    the whole order. Levels that are too large to be told apart raise an InputError.
    """
    if not bool((levels.abs() < _LARGEST).all()):
        raise InputError(
            "num_levels and level_scale must keep walk counts within single precision, got "
            f"{kernel.num_levels} and {kernel.level_scale:g}; lower the first or raise the second."
        )
    num_subgraphs, _, size, _ = levels.shape
    rows = np.rint(levels.numpy() / _RESOLUTION).astype(np.int64).transpose(0, 2, 1, 3)
    rows = rows.reshape(num_subgraphs, size, -1).view(np.uint64)
    if kernel.matching == "greedy":
        position = np.arange(size)
    else:
        position = np.zeros(size, np.int64)
        position[0] = int(kernel.anchor_root)
    key = np.stack([_hash_rows(rows, position, salt) for salt in (1, 2)], axis=1)
    if kernel.padding == "mask":
        # a node whose embeddings are all zero is matched, padding is not
        key = np.concatenate([key, num_nodes.astype(np.uint64)[:, None]], axis=1)
    _, first, weight = np.unique(key, axis=0, return_index=True, return_counts=True)
    return SubgraphClasses(
        first=first,
        weight=weight,
        levels=levels[torch.from_numpy(first)].contiguous(),
        num_nodes=torch.from_numpy(num_nodes[first].astype(np.int64)),
    )


def _hash_rows(rows: np.ndarray, position: np.ndarray, salt: int) -> np.ndarray:
    """A 64-bit hash of the multiset of ``(position, row)``: ``[S, N, K]`` → ``[S]``."""
    rng = np.random.default_rng(salt)
    odd = rng.integers(0, 2**63, size=rows.shape[2], dtype=np.uint64) | np.uint64(1)
    salts = rng.integers(0, 2**63, size=int(position.max()) + 1, dtype=np.uint64)
    mixed = (rows * odd).sum(axis=2, dtype=np.uint64) + salts[position]
    # a sum over nodes forgets their order; a non-linear step before it keeps them apart
    mixed ^= mixed >> np.uint64(31)
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    return mixed.sum(axis=1, dtype=np.uint64)


@dataclass(frozen=True, eq=False)
class RootedSubgraphs:
    """S subgraphs of a graph without weights, its scaled features ``[V, D]`` and the kernel."""

    batch: SubgraphBatch
    features: ScaledFeatures
    kernel: GOMKKernel
    backend: str = "auto"

    @cached_property
    def classes(self) -> SubgraphClasses:
        """The subgraphs grouped into those that no filter can tell apart."""
        batch = self.batch
        # links become a matrix for each channel, so these are embedded part by part
        num_entries = batch.max_nodes**2 * len(batch.relations.channels)
        size = len(batch) if batch.links is None else max(1, _MOST_ENTRIES // num_entries)
        parts = [batch]
        if size < len(batch):
            starts = range(0, len(batch), size)
            parts = [batch.take(np.arange(at, min(at + size, len(batch)))) for at in starts]
        adj = (torch.from_numpy(part.adjacency()) for part in parts)
        feat = (torch.from_numpy(part.gather(self.features)) for part in parts)
        levels = list(map(self.kernel.embed, adj, feat))
        joined = levels[0] if len(levels) == 1 else torch.cat(levels)
        return find_classes(joined, batch.num_nodes, self.kernel)
