"""Rooted subgraphs of a graph, ready to be compared: classes, structures, similarities."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.subgraphs import SubgraphBatch
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.feature_scaling import ScaledFeatures
from mining.structures.subgraph_classes import SubgraphClasses, find_classes

# a normalised score that is closer to 1 than this is a perfect match for the kernel
_INDISTINCT = 1e-3
# classes compared with all filters at once
_PART_SIZE = 4096
# numbers in the matrices of the channels of subgraphs embedded at once
_MOST_ENTRIES = 2**24
# rounds after which few nodes that are not alike have the same colour
_ROUNDS = 3


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


class CanonicalForms:
    """The structure of each subgraph of a batch, without categories, made once for all alike."""

    def __init__(self, batch: SubgraphBatch) -> None:
        sizes, links = batch.num_nodes, batch.structure()
        # nodes in the order of their colours make most isomorphic subgraphs equal; padding is last
        self._order = _order_nodes(links, sizes)  # [S, N]
        rows = np.arange(len(batch))[:, None, None]
        links = links[rows, self._order[:, :, None], self._order[:, None, :]]
        key = np.concatenate([links.reshape(len(batch), -1), sizes[:, None].astype(links.dtype)], 1)
        _, first, number = np.unique(key, axis=0, return_index=True, return_inverse=True)
        # the number of each subgraph's structure among those that differ
        self._number = number.reshape(-1)
        relations = batch.relations
        self._structures = [
            Structure(relations.links[own[:size, :size]], relations)
            for own, size in zip(links[first], sizes[first], strict=True)
        ]

    def has(self, key: bytes) -> np.ndarray:
        """Whether each subgraph has the structure of this key, bool ``[S]``."""
        has = np.array([one.key == key for one in self._structures], dtype=bool)
        return has[self._number]

    def first_rows(self, selected: np.ndarray) -> list[int]:
        """First of the ``selected`` subgraphs, bool ``[S]``, of all that are known to be alike."""
        rows = np.flatnonzero(selected)
        _, first = np.unique(self._number[rows], return_index=True)
        return rows[np.sort(first)].tolist()

    def key(self, row: int) -> bytes:
        """The key of the structure of subgraph ``row``."""
        return self._structures[self._number[row]].key

    def positions(self, rows: np.ndarray) -> np.ndarray:
        """Canonical position of each node of some subgraphs, ``[R, N]``; -1 = padding."""
        positions = np.full((len(rows), self._order.shape[1]), -1)
        for row, number, order in zip(
            positions, self._number[rows], self._order[rows], strict=True
        ):
            node_at = self._structures[number].form.order
            row[order[node_at]] = np.arange(len(node_at))
        return positions


def _order_nodes(links: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Nodes of each subgraph ``[S, N, N]`` in the order of colours that refinement gives them."""
    salts = np.random.default_rng(0).integers(2**63, size=int(links.max(initial=0)) + 1)
    salts[0] = 0
    near = salts.astype(np.uint64)[links]
    color = np.ones(links.shape[:2], np.uint64)
    for _ in range(_ROUNDS):
        color = (near @ color[:, :, None])[:, :, 0] + color
        color ^= color >> np.uint64(29)
    is_padding = np.arange(links.shape[1]) >= sizes[:, None]
    order: np.ndarray = np.lexsort((color, is_padding))
    return order
