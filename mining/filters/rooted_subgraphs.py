"""The rooted subgraphs of a graph that filters are trained on, and their scaled features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gomkcn_dgl._torch import Tensor, torch
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.feature_scaling import FeatureScaling
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.relations import Relations
from gomkcn_dgl.subgraphs import SubgraphSettings, extract_subgraphs

# most of them, and most numbers in their matrices and embeddings
_MOST_SUBGRAPHS, _MOST_ENTRIES = 2000, 2**26


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
