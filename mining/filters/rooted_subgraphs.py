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


@dataclass(frozen=True)
class RootedSubgraphs:
    """U subgraphs of at most N nodes on a device, without weights of edges, with their embeddings.

    ``adj`` is ``[U, N, N]``, or ``[U, N, N, C]`` for several channels, ``feat [U, N, D]`` are
    scaled features, ``levels [U, L, N, D]`` the embeddings, and ``num_nodes [U]`` the sizes.
    """

    adj: Tensor
    feat: Tensor
    levels: Tensor
    num_nodes: Tensor
    relations: Relations

    @property
    def device(self) -> torch.device:
        """Where the tensors are."""
        return self.feat.device

    @classmethod
    def sample(
        cls,
        graph: CSRGraph,
        scaling: FeatureScaling,
        kernel: GOMKKernel,
        settings: SubgraphSettings,
        most: int,
        device: torch.device | str = "cpu",
        most_entries: int = 2**24,
    ) -> RootedSubgraphs:
        """Take the subgraphs around all nodes, or around ``most`` that are drawn; wide ones, fewer.

        They are extracted on the CPU and copied to the device once. All their tensors together
        have at most ``most_entries`` numbers: by default 64 MiB in single precision, and with more
        than 400 features, of fewer subgraphs, a training that takes half a minute.
        """
        entries = settings.max_nodes**2 * len(graph.relations.channels)
        entries += settings.max_nodes * graph.features.shape[1] * (kernel.num_levels + 1)
        size = min(most, max(1, most_entries // entries))
        roots = None
        if size < graph.num_nodes:
            # the second number keeps this stream apart from the others of the same seed
            rng = np.random.default_rng([settings.seed, 7])
            roots = np.sort(rng.choice(graph.num_nodes, size, replace=False))
        batch = extract_subgraphs(graph, settings, roots)
        features = scaling.scale(batch.gather(graph.features))
        features[batch.nodes < 0] = 0
        adj = torch.from_numpy(batch.adjacency()).to(device)
        feat = torch.from_numpy(features).to(device)
        levels = kernel.embed(adj, feat)
        if not bool(levels.isfinite().all()):
            raise InputError(
                "num_levels and level_scale must keep walk counts within single precision, got "
                f"{kernel.num_levels} and {kernel.level_scale:g}; lower the first or raise the "
                "second."
            )
        num_nodes = torch.from_numpy(batch.num_nodes.astype(np.int64)).to(device)
        return cls(adj, feat, levels, num_nodes, batch.relations)
