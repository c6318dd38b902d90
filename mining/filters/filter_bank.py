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
    """What S subgraphs say to F filters."""

    batch: SubgraphBatch
    similarity: np.ndarray  # float32 [S, F], in [0, 1]
    matching: np.ndarray  # int16 [S, F, N], filter node of each subgraph node, -1 = unmatched


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

    def respond(self, graph: CSRGraph, roots: np.ndarray, device: Any) -> Responses:
        """How similar the subgraphs around some nodes of a graph are to each filter.

        The graph has the relations and the features of that which the filters were learnt on.
        """
        batch = extract_subgraphs(graph, self.settings, roots)
        # the nodes that these subgraphs have, so that the features of no others are scaled
        used, local = np.unique(batch.nodes, return_inverse=True)
        is_padded = int(used[0] == -1)
        local = (local.reshape(batch.nodes.shape) - is_padded).astype(np.int32)
        feat = self.scaling.scale(graph.features[used[is_padded:]])
        subgraphs = SubgraphTensors.of_batch(replace(batch, nodes=local), device)
        with torch.no_grad():
            z = self.kernel.embed(self.filters.adj, self.filters.feat).to(device)
            scores, matching = self.kernel.match_subgraphs(
                subgraphs, torch.from_numpy(feat).to(device), z, self.backend
            )
        similarity = scores.cpu().numpy() / self.kernel.largest_score(z.shape[2])
        matching = matching.cpu().numpy().astype(np.int16)
        # nodes of a filter beyond its own are padding
        sizes = np.array(self.filters.num_nodes, np.int16)[:, None]
        matching[(matching >= sizes) | (batch.nodes < 0)[:, None]] = -1
        return Responses(batch, similarity, matching)


class Assigned(NamedTuple):
    """The filter of each node of a graph, and the subgraph that was asked for it."""

    labels: np.ndarray  # int64 [V], -1 = not asked
    similarity: np.ndarray  # float32 [V], NaN = not asked
    nodes: np.ndarray  # int32 [V, N], nodes of the subgraph, -1 = padding
    matching: np.ndarray  # int16 [V, N], filter node of each, -1 = unmatched
    is_exact: np.ndarray  # bool [V], whether the subgraph is the structure of its filter


def assign_nodes(
    bank: FilterBank, graph: CSRGraph, device: Any, most: int, steps: Steps
) -> Assigned:
    """Assign each node of a graph to its most similar filter, or ``most`` nodes that are drawn.

    Where time is up before all are assigned, those that are were drawn at random, too.
    """
    rng = np.random.default_rng([bank.settings.seed, 11])
    roots = rng.permutation(graph.num_nodes)[:most]
    parts = [np.sort(part) for part in np.split(roots, range(PART_SIZE, len(roots), PART_SIZE))]
    colors = bank.categories.colors(graph.features) if bank.categories else None

    def assign(number: int) -> dict[str, np.ndarray]:
        batch, similarity, matching = bank.respond(graph, parts[number], device)
        labels = similarity.argmax(axis=1)
        rows = np.arange(len(labels))
        return {
            "labels": labels,
            "similarity": similarity[rows, labels],
            "nodes": batch.nodes,
            "matching": matching[rows, labels],
            "is_exact": _are_exact(bank, batch, labels, colors),
        }

    # the first part is done however late it is
    done = steps.each("assigning nodes to filters", assign, [0])
    if len(parts) > 1:
        others = range(1, len(parts))
        done += steps.each("assigning nodes to filters", assign, others, in_time=True)
    size = bank.settings.max_nodes
    found = Assigned(
        np.full(graph.num_nodes, -1),
        np.full(graph.num_nodes, np.nan, np.float32),
        np.full((graph.num_nodes, size), -1, np.int32),
        np.full((graph.num_nodes, size), -1, np.int16),
        np.zeros(graph.num_nodes, bool),
    )
    for part, result in zip(parts, done, strict=False):
        for name, values in result.items():
            getattr(found, name)[part] = values
    return found


def _are_exact(
    bank: FilterBank, batch: SubgraphBatch, labels: np.ndarray, colors: np.ndarray | None
) -> np.ndarray:
    """Whether each subgraph is the structure of its filter, bool ``[S]``; ``colors [V]``."""
    # 1. of as many nodes, and with as many neighbours: nearly all others are told at once
    degrees = np.sort((batch.links > 0).sum(axis=2), axis=1)
    wanted = np.zeros((len(bank), degrees.shape[1]), np.int64)
    for number, structure in enumerate(bank.structures):
        wanted[number, -structure.num_nodes :] = np.sort(structure.joined.sum(axis=1))
    sizes = np.array(bank.filters.num_nodes)[labels]
    may_be = (degrees == wanted[labels]).all(axis=1) & (batch.num_nodes == sizes)
    rows = np.flatnonzero(may_be)
    # 2. subgraphs that read the same have the same key, which is found once
    keys: dict[bytes, bytes] = {}
    is_exact = np.zeros(len(labels), bool)
    for row in rows.tolist():
        nodes = batch.nodes[row, : batch.num_nodes[row]]
        own = None if colors is None else colors[nodes]
        text = batch.links[row].tobytes() + (b"" if own is None else own.tobytes())
        if text not in keys:
            links = batch.links[row, : len(nodes), : len(nodes)]
            names = bank.categories.names_of(own, bank.feature_names)
            keys[text] = Structure(batch.relations.links[links], batch.relations, names).key
        is_exact[row] = keys[text] == bank.structures[labels[row]].key
    return is_exact
