"""Rooted subgraphs of a graph, ready to be compared: classes, structures, similarities."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.subgraphs import SubgraphBatch
from mining.structures.canonical_forms import CanonicalForms
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.feature_scaling import ScaledFeatures
from mining.structures.subgraph_classes import SubgraphClasses, find_classes

# a normalised score that is closer to 1 than this is a perfect match for the kernel
_INDISTINCT = 1e-3
# classes compared with all filters at once
_PART_SIZE = 4096
# numbers in the matrices of the channels of subgraphs embedded at once
_MOST_ENTRIES = 2**24


class RootedSubgraphs:
    """S subgraphs of a graph without weights, its scaled features ``[V, D]`` and the kernel."""

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
    def classes(self) -> SubgraphClasses:
        """The subgraphs grouped into those that no filter can tell apart."""
        return find_classes(self.embed(self.batch), self.batch.num_nodes, self.kernel)

    def embed(self, batch: SubgraphBatch) -> Tensor:
        """Level embeddings ``[S, L, N, D]`` of subgraphs of this graph."""
        # links become a matrix for each channel, so these are embedded part by part
        num_entries = batch.max_nodes**2 * len(batch.relations.channels)
        size = len(batch) if batch.links is None else max(1, _MOST_ENTRIES // num_entries)
        parts = [batch] if size >= len(batch) else _split(batch, size)
        adj = (torch.from_numpy(part.adjacency()) for part in parts)
        feat = (torch.from_numpy(part.gather(self.features)) for part in parts)
        levels = list(map(self.kernel.embed, adj, feat))
        return levels[0] if len(levels) == 1 else torch.cat(levels)

    @cached_property
    def forms(self) -> CanonicalForms:
        """The structure of each subgraph."""
        return CanonicalForms(self.batch)

    @cached_property
    def node_sets(self) -> np.ndarray:
        """Number of each subgraph's node set, int64 ``[S]``: equal for the same nodes."""
        return self.batch.node_sets()

    def similarity(self, filters: DiscreteFilters) -> np.ndarray:
        """Normalised score of every subgraph with every filter, float32 ``[S, F]``."""
        z = self.kernel.embed(filters.adj, filters.feat)
        sizes = torch.tensor(filters.num_nodes, dtype=torch.int64)
        x, num_nodes = self.classes.levels, self.classes.num_nodes
        parts = [
            self.kernel.similarity(x[part], num_nodes[part], z, sizes, self.backend)
            for part in torch.arange(len(self.classes)).split(_PART_SIZE)
        ]
        return torch.cat(parts).numpy()[self.classes.class_of]

    def same_structure(self, filters: DiscreteFilters) -> np.ndarray:
        """Which subgraphs are isomorphic to which filter, features aside, bool ``[S, F]``."""
        return np.stack(
            [self.forms.has(key) for key in filters.structure_keys(self.batch.relations)], axis=1
        )

    def add_indistinguishable(self, filters: DiscreteFilters) -> DiscreteFilters:
        """Add the structures that the kernel cannot tell from that of a filter.

        With constant features, graphs whose numbers of walks agree score the same with every filter
        (the paper's Proposition 6 asks for full rank), and a filter has the structure of one of
        them.
        """
        similarity = self.similarity(filters)
        known = set(filters.structure_keys(self.batch.relations))
        joined = [filters]
        for number, size in enumerate(filters.num_nodes):
            perfect = similarity[:, number] > 1 - _INDISTINCT
            for row in self.forms.first_rows(perfect & (self.batch.num_nodes == size)):
                if self.forms.key(row) in known:
                    continue
                known.add(self.forms.key(row))
                one = self.batch.take(np.array([row]))
                adj = torch.from_numpy(one.adjacency())
                feat = torch.from_numpy(one.gather(self.features))
                joined.append(DiscreteFilters(adj, feat, adj, (size,)))
        return DiscreteFilters.join(joined)


def _split(batch: SubgraphBatch, size: int) -> list[SubgraphBatch]:
    return [
        batch.take(np.arange(start, min(start + size, len(batch))))
        for start in range(0, len(batch), size)
    ]
