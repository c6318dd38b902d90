"""Subgraphs → classes: subgraphs that no filter can tell apart are handled once, with a weight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.matching import GOMKKernel

# level embeddings closer than this count as equal
_RESOLUTION = 1e-4
# in steps of that size they are counted in 64 bits
_LARGEST = 2.0**63 * _RESOLUTION


@dataclass(frozen=True)
class SubgraphClasses:
    """S subgraphs grouped into U classes that no filter can tell apart.

    ``first [U]`` is a subgraph of each class, ``class_of [S]`` the class of each subgraph,
    ``weight [U]`` the number of its subgraphs, all int64; ``levels [U, L, N, D]`` are the level
    embeddings and ``num_nodes [U]`` the sizes of the subgraphs in ``first``.
    """

    first: np.ndarray
    class_of: np.ndarray
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
        """Return the classes in ``rows`` with new weights; ``class_of`` is -1 elsewhere."""
        position = np.full(len(self), -1)
        position[rows] = np.arange(len(rows))
        index = torch.from_numpy(rows)
        return SubgraphClasses(
            self.first[rows],
            position[self.class_of],
            weight,
            self.levels[index],
            self.num_nodes[index],
        )


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
    _, first, class_of, weight = np.unique(
        key, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    return SubgraphClasses(
        first=first,
        class_of=class_of.reshape(-1),
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
