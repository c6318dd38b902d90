"""Learnt filters, ready to say how similar the subgraphs of a graph are to them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gomkcn_dgl._torch import torch
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.embeddings import SubgraphTensors
from gomkcn_dgl.feature_scaling import FeatureScaling
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.relations import Relations
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.subgraphs import SubgraphBatch, SubgraphSettings, extract_subgraphs
from mining.categories import Categories
from mining.filters.discrete_filters import DiscreteFilters

# subgraphs that are extracted and scored at once, some tenths of a second of one thread
PART_SIZE = 4096


class Responses(NamedTuple):
    """How similar the subgraphs around S nodes are to F filters, and how they are matched."""

    nodes: np.ndarray  # int32 [S, N], nodes of the subgraph, the root first, -1 = padding
    similarity: np.ndarray  # float32 [S, F], in [0, 1]; NaN where nobody asked
    matching: np.ndarray  # int8 [S, F, N], filter node of each subgraph node, -1 = unmatched
    is_exact: np.ndarray  # bool [S, F], whether the subgraph is the structure of the filter

    def of_filters(self, order: np.ndarray) -> Responses:
        """The same of some filters, in an order."""
        return Responses(
            self.nodes, self.similarity[:, order], self.matching[:, order], self.is_exact[:, order]
        )

    @property
    def labels(self) -> np.ndarray:
        """The filter that each subgraph is most similar to, int64 ``[S]``; -1 where nobody asked.

        Of several that it is equally similar to the first.
        """
        asked = ~np.isnan(self.similarity[:, 0])
        return np.where(asked, np.nan_to_num(self.similarity).argmax(axis=1), -1)


@dataclass(frozen=True, eq=False)
class FilterBank:
    """F filters as graphs, and all that decides how similar a subgraph is to them.

    ``scaling`` is that of the features, ``settings`` say how subgraphs are taken; ``relations``,
    ``feature_names`` and ``categories`` are those of the graph that the filters were learnt on.
    """

    filters: DiscreteFilters
    scaling: FeatureScaling
    settings: SubgraphSettings
    kernel: GOMKKernel
    backend: str
    relations: Relations
    feature_names: tuple[str, ...]
    categories: Categories

    def __len__(self) -> int:
        """Number of filters F."""
        return len(self.filters.num_nodes)

    @cached_property
    def structures(self) -> tuple[Structure, ...]:
        """The structure of each filter; its nodes have categories where those of the graph do."""
        return tuple(self._structure(number) for number in range(len(self)))

    def _structure(self, number: int) -> Structure:
        names: tuple[tuple[str, ...], ...] = ()
        if self.categories:
            # scaled columns of categories that no node has, or all have, cannot be compared
            colors = self.categories.colors(self.features(number))
            names = self.categories.names_of(colors, self.feature_names)
        return self.filters.structure(number, self.relations, names)

    def features(self, number: int) -> np.ndarray:
        """Features of the nodes of a filter in the units of the input, float64 ``[M', D]``."""
        size = self.filters.num_nodes[number]
        return self.scaling.restore(self.filters.feat[number, :size].numpy())

    def weights(self, number: int) -> np.ndarray:
        """Learnt weights of the edges of a filter, float32 ``[M', M']`` or ``[M', M', C]``."""
        size = self.filters.num_nodes[number]
        weights: np.ndarray = self.filters.weights[number, :size, :size].numpy()
        return weights

    def take(self, order: np.ndarray) -> FilterBank:
        """Some filters, in an order."""
        rows = torch.from_numpy(order)
        old = self.filters
        sizes = tuple(old.num_nodes[number] for number in order.tolist())
        new = DiscreteFilters(old.adj[rows], old.feat[rows], old.weights[rows], sizes)
        return replace(self, filters=new)

    def in_reading_order(self) -> FilterBank:
        """The same filters with the nodes of each in the order of pages."""
        old = self.filters
        adj, feat, weights = old.adj.clone(), old.feat.clone(), old.weights.clone()
        for number, structure in enumerate(self.structures):
            size = structure.num_nodes
            order = torch.from_numpy(structure.reading_order)
            adj[number, :size, :size] = old.adj[number][order][:, order]
            weights[number, :size, :size] = old.weights[number][order][:, order]
            feat[number, :size] = old.feat[number][order]
        return replace(self, filters=DiscreteFilters(adj, feat, weights, old.num_nodes))

    def respond(self, graph: CSRGraph, roots: np.ndarray, device: Any) -> Responses:
        """How similar the subgraphs around some nodes of a graph are to each filter.

        The graph has the relations and the features of that which the filters were learnt on.
        """
        batch = extract_subgraphs(graph, self.settings, roots)
        # the nodes that these subgraphs have, so that the features of no others are scaled
        used, local = np.unique(batch.nodes, return_inverse=True)
        is_padded = int(used[0] == -1)
        local = (local.reshape(batch.nodes.shape) - is_padded).astype(np.int32)
        features = graph.features[used[is_padded:]]
        feat = torch.from_numpy(self.scaling.scale(features)).to(device)
        subgraphs = SubgraphTensors.of_batch(replace(batch, nodes=local), device)
        with torch.no_grad():
            z = self.kernel.embed(self.filters.adj, self.filters.feat).to(device)
            matched = self.kernel.match_subgraphs(subgraphs, feat, z, self.backend)
        largest = np.float32(self.kernel.largest_score(z.shape[2]))
        similarity = matched.scores.cpu().numpy() / largest
        matching = matched.matching.cpu().numpy().astype(np.int8)
        # nodes of a filter beyond its own are padding
        sizes = np.array(self.filters.num_nodes)[:, None]
        matching[(matching >= sizes) | (batch.nodes < 0)[:, None]] = -1
        colors = None
        if self.categories:
            colors = np.where(local < 0, -1, self.categories.colors(features)[local])
        return Responses(batch.nodes, similarity, matching, _are_exact(self, batch, colors))


def respond_everywhere(
    bank: FilterBank, graph: CSRGraph, device: Any, most: int, steps: Steps
) -> Responses:
    """The responses of all nodes of a graph, or of ``most`` that are drawn at random.

    Where time is up before all have responded, those that have were drawn at random, too.
    """
    # the second number keeps this stream apart from the others of the same seed
    rng = np.random.default_rng([bank.settings.seed, 11])
    roots = rng.permutation(graph.num_nodes)[:most]
    parts = [np.sort(part) for part in np.split(roots, range(PART_SIZE, len(roots), PART_SIZE))]

    def respond(number: int) -> Responses:
        return bank.respond(graph, parts[number], device)

    # the first part is done however late it is
    step = "assigning nodes to filters"
    done = steps.each(step, Responses, respond, [0])
    if len(parts) > 1:
        done += steps.each(step, Responses, respond, range(1, len(parts)), in_time=True)
    size = bank.settings.max_nodes
    shape = graph.num_nodes, len(bank)
    found = Responses(
        np.full((graph.num_nodes, size), -1, np.int32),
        np.full(shape, np.nan, np.float32),
        np.full((*shape, size), -1, np.int8),
        np.zeros(shape, bool),
    )
    for part, result in zip(parts, done, strict=False):
        for name, values in result._asdict().items():
            getattr(found, name)[part] = values
    return found


def order_by_frequency(responses: Responses) -> np.ndarray:
    """The order of the filters in which the most frequent is the first, int64 ``[F]``."""
    order = np.arange(responses.similarity.shape[1])
    # a node that is as similar to two filters goes to the first, so that a new order may change the
    # sizes; usually the second order stays, and no more are tried than there are pairs of filters
    for _ in range(len(order) ** 2):
        labels = responses.of_filters(order).labels
        sizes = np.bincount(labels[labels >= 0], minlength=len(order))
        better = np.argsort(-sizes, kind="stable")
        if (better == np.arange(len(order))).all():
            break
        order = order[better]
    return order


def _are_exact(bank: FilterBank, batch: SubgraphBatch, colors: np.ndarray | None) -> np.ndarray:
    """Whether each subgraph is the structure of each filter, bool ``[S, F]``.

    ``colors [S, N]`` are those of its nodes, None without categories.
    """
    is_exact = np.zeros((len(batch), len(bank)), bool)
    degrees = np.sort((batch.links > 0).sum(axis=2), axis=1)
    # subgraphs that read the same have the same key, which is found once
    keys: dict[bytes, bytes] = {}
    for number, structure in enumerate(bank.structures):
        # 1. of as many nodes, and with as many neighbours: nearly all others are told at once
        wanted = np.zeros(degrees.shape[1], np.int64)
        wanted[-structure.num_nodes :] = np.sort(structure.joined.sum(axis=1))
        may_be = (degrees == wanted).all(axis=1) & (batch.num_nodes == structure.num_nodes)
        # 2. the others by their keys
        for row in np.flatnonzero(may_be).tolist():
            own = None if colors is None else colors[row, : structure.num_nodes]
            text = batch.links[row].tobytes() + (b"" if own is None else own.tobytes())
            if text not in keys:
                links = batch.links[row, : structure.num_nodes, : structure.num_nodes]
                names = bank.categories.names_of(own, bank.feature_names)
                channels = batch.relations.links[links]
                keys[text] = Structure.of_channels(channels, batch.relations, names).key
            is_exact[row, number] = keys[text] == structure.key
    return is_exact
