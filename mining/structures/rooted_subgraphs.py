"""Step 3: roots of a graph → their subgraphs, compared: types, structures, similarities."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import torch

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.subgraphs import SubgraphBatch
from mining.structures.canonical_forms import CanonicalForms
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.feature_scaling import ScaledFeatures
from mining.structures.subgraph_classes import SubgraphClasses, find_classes

# scores closer to a perfect match than this are the kernel's word for "the same"
_INDISTINCT = 1e-3


class RootedSubgraphs:
    """The subgraphs around some roots of a graph, and what is known of them.

    Parameters
    ----------
    graph : CSRGraph
    features : ScaledFeatures
        ``[V, D]``.
    batch : SubgraphBatch
        S subgraphs of ``graph``, without weights.
    kernel : GOMKKernel
    backend : str
    """

    def __init__(
        self,
        graph: CSRGraph,
        features: ScaledFeatures,
        batch: SubgraphBatch,
        kernel: GOMKKernel,
        backend: str,
    ) -> None:
        self.graph, self.features, self.batch = graph, features, batch
        self.kernel, self.backend = kernel, backend

    @cached_property
    def types(self) -> SubgraphClasses:
        """The different subgraphs, as the kernel sees them."""
        adjacency, rows = self.batch.adjacency(), self.batch.gather(self.features)
        levels = self.kernel.embed(torch.from_numpy(adjacency), torch.from_numpy(rows))
        return find_classes(levels, self.batch.num_nodes, self.kernel)

    @cached_property
    def forms(self) -> CanonicalForms:
        """Structure of each subgraph."""
        return CanonicalForms(self.batch)

    @cached_property
    def node_sets(self) -> np.ndarray:
        """Number of each subgraph's node set, int64 ``[S]``: equal for the same nodes."""
        return self.batch.node_sets()

    def similarity(self, snapped: DiscreteFilters) -> np.ndarray:
        """Normalised score of every subgraph with every pattern, float32 ``[S, F]``."""
        z = self.kernel.embed(snapped.adj, snapped.feat)
        sizes = torch.tensor(snapped.num_nodes)
        parts = zip(self.types.levels.split(4096), self.types.num_nodes.split(4096), strict=True)
        per_type = [
            self.kernel.similarity(x, num_nodes, z, sizes, self.backend) for x, num_nodes in parts
        ]
        return torch.cat(per_type).numpy()[self.types.type_of]

    def same_structure(self, snapped: DiscreteFilters) -> np.ndarray:
        """Which subgraphs have exactly the structure of which pattern, bool ``[S, F]``."""
        own = [self.forms.has(certificate) for certificate in snapped.certificates()]
        return np.stack(own, axis=1)

    def add_lookalikes(self, snapped: DiscreteFilters) -> DiscreteFilters:
        """Add the structures that the kernel cannot tell from a filter's own.

        With constant features, graphs whose walk counts agree score alike with every filter (the
        paper's Proposition 6 asks for full rank), and a filter has the structure of one of them.
        """
        similarity = self.similarity(snapped)
        known = set(snapped.certificates())
        added = [snapped]
        for number, size in enumerate(snapped.num_nodes):
            alike = similarity[:, number] > 1 - _INDISTINCT
            for row in self.forms.first_rows(alike & (self.batch.num_nodes == size)):
                if self.forms.certificate(row) in known:
                    continue
                known.add(self.forms.certificate(row))
                one = self.batch.take(np.array([row]))
                adj = torch.from_numpy(one.adjacency())
                feat = torch.from_numpy(one.gather(self.features))
                added.append(DiscreteFilters(adj, feat, adj, (size,)))
        return DiscreteFilters.join(added)
