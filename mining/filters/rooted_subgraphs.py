"""The rooted subgraphs of a graph that filters are trained on, and their scaled features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gomkcn_dgl._torch import Tensor, torch
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.relations import Relations
from gomkcn_dgl.subgraphs import SubgraphSettings, extract_subgraphs

# most of them, and most numbers in their matrices and embeddings
_MOST_SUBGRAPHS, _MOST_ENTRIES = 2000, 2**26


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


@dataclass(frozen=True)
class RootedSubgraphs:
    """U subgraphs of at most N nodes, without the weights of edges, and their level embeddings.

    ``adj`` is ``[U, N, N]``, or ``[U, N, N, C]`` for several channels, ``feat [U, N, D]`` are
    scaled features, ``levels [U, L, N, D]`` the embeddings, and ``num_nodes [U]`` the sizes.
    """

    adj: Tensor
    feat: Tensor
    levels: Tensor
    num_nodes: Tensor
    relations: Relations

    @classmethod
    def sample(
        cls,
        graph: CSRGraph,
        scaling: FeatureScaling,
        kernel: GOMKKernel,
        settings: SubgraphSettings,
    ) -> RootedSubgraphs:
        """Take the subgraphs around all nodes, or around 2,000 that are drawn; wide ones, fewer."""
        entries = settings.max_nodes**2 * len(graph.relations.channels)
        entries += settings.max_nodes * graph.features.shape[1] * (kernel.num_levels + 1)
        size, roots = min(_MOST_SUBGRAPHS, max(1, _MOST_ENTRIES // entries)), None
        if size < graph.num_nodes:
            # the second number keeps this stream apart from the others of the same seed
            rng = np.random.default_rng([settings.seed, 7])
            roots = np.sort(rng.choice(graph.num_nodes, size, replace=False))
        batch = extract_subgraphs(graph, settings, roots)
        adj = torch.from_numpy(batch.adjacency())
        feat = torch.from_numpy(scaling.scale(batch.gather(graph.features)))
        feat[torch.from_numpy(batch.nodes < 0)] = 0
        levels = kernel.embed(adj, feat)
        if not bool(levels.isfinite().all()):
            raise InputError(
                "num_levels and level_scale must keep walk counts within single precision, got "
                f"{kernel.num_levels} and {kernel.level_scale:g}; lower the first or raise the "
                "second."
            )
        num_nodes = torch.from_numpy(batch.num_nodes.astype(np.int64))
        return cls(adj, feat, levels, num_nodes, batch.relations)
