"""Filters are chosen, laid onto the copies of their structure, and trained if that is asked for.

1. The subgraphs of each size around some roots are sampled, and those of random graphs with the
   same degrees.
2. Filters start as real subgraphs: those that the graph has more of than the random graphs
   (:mod:`gomkcn.mining.filters.contrast`), or those that represent the others best.
3. Their features become means over the subgraphs that have their structure: one step of Lloyd's
   k-means, in which the matching says which node is which.
4. Epochs of gradients, the training of section VI-B of the GOMKCN paper, where they are asked for
   (:mod:`gomkcn.mining.filters.filter_training`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from gomkcn.mining.filters.centroids import refine_features
from gomkcn.mining.filters.contrast import AS_EXACT, choose_contrasting, cover, tell_twins
from gomkcn.mining.filters.discrete_filters import DiscreteFilters
from gomkcn.mining.filters.filter_bank import FilterBank, Responses, refuse_overflow
from gomkcn.mining.filters.filter_learning import FilterLearning
from gomkcn.mining.filters.instances import count_instances
from gomkcn.mining.filters.neighbourhoods import Neighbourhoods
from gomkcn.mining.significance.null_models import null_model
from gomkcn.mining.significance.random_graphs import RandomGraphs
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.feature_scaling import FeatureScaling
from gomkcn_dgl.runtime.job import TimeUpError
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.subgraphs import SubgraphBatch

# filters where their number is not given and nothing tells how many there are
USUAL_NUMBER = 8
# random graphs that a graph is compared with; fewer than the second number say nothing of their
# spread
NUM_RANDOM, _LEAST_RANDOM = 10, 3
# numbers in the features and embeddings of all subgraphs together: 64 MiB in single precision, and
# with more than 400 features, of fewer subgraphs, a training that takes half a minute
MOST_ENTRIES = 2**24
# subgraphs that are compared with each other to choose those that represent the others: a million
# pairs take about a second of one thread
MOST_COMPARED = 1000


class Learnt(NamedTuple):
    """F filters as plain values, and what they were learnt from.

    Attributes
    ----------
    adj, feat, weights : numpy.ndarray
        As :class:`DiscreteFilters` has them, with ``num_nodes``.
    sizes : tuple of int
        Of the subgraphs that the filters are compared with.
    exceeds : tuple of bool
        Whether the graph has more of each than random graphs have.
    random_instances : numpy.ndarray
        float64 ``[F, R]``, the instances of the structure of each filter in each random graph.
    num_roots : int
        Roots whose subgraphs were looked at, in the graph and in each random graph.
    losses : list of float
        1 - the mean similarity of a subgraph to its filter: before the training, then of each
        epoch.
    """

    adj: np.ndarray
    feat: np.ndarray
    weights: np.ndarray
    num_nodes: tuple[int, ...]
    sizes: tuple[int, ...]
    exceeds: tuple[bool, ...]
    random_instances: np.ndarray
    num_roots: int
    losses: list[float]

    @property
    def filters(self) -> DiscreteFilters:
        """The filters as graphs."""
        return DiscreteFilters(self.adj, self.feat, self.weights, self.num_nodes)


class _Start(NamedTuple):
    """A filter as it starts: the subgraph of a size around a root, a row of those sampled."""

    size: int
    row: int
    exceeds: bool


@dataclass(frozen=True)
class _Sample:
    """The subgraphs of each size around the same roots of a graph and of R random graphs."""

    roots: np.ndarray
    graphs: list[CSRGraph]  # the graph, then the random ones
    of_size: dict[int, list[Neighbourhoods]]

    @property
    def num_random(self) -> int:
        """Random graphs R."""
        return len(self.graphs) - 1

    def of_graph(self, size: int) -> Neighbourhoods:
        """The subgraphs of the graph itself."""
        return self.of_size[size][0]


@dataclass(frozen=True, eq=False)
class FilterLearner:
    """Learns the filters of a graph.

    ``sizes`` are those of the subgraphs, one where there is no ``contrast``; ``number`` of filters
    is None for as many as the graph has more of than random graphs.
    """

    mined: MinedGraph
    sizes: range
    number: int | None
    contrast: bool
    learning: FilterLearning
    scaling: FeatureScaling
    seed: int
    device: Any
    steps: Steps

    def learn(self) -> Learnt:
        """Sample subgraphs, choose filters among them, refine their features, and train them.

        Where time is up before there are three random graphs there is no contrast, and filters are
        of the largest size.
        """
        sample = self._sample()
        if self.learning.init == "random":
            size = self.sizes[-1]
            filters, losses = self._train(None, sample.of_graph(size).batch)
            filters = self._commonest(filters, (size,) * len(filters), sample)
            starts = [_Start(size, 0, False)] * len(filters)
        else:
            starts = self._choose(sample)
            filters, losses = self._from_subgraphs(sample, starts)
        bank = self.bank(filters, tuple(start.size for start in starts))
        # what a training made another structure of was compared with nothing
        exceeds = tuple(
            start.exceeds
            and bool(sample.of_graph(start.size).codes[start.row] == bank.code(number)[0])
            for number, start in enumerate(starts)
        )
        return Learnt(
            filters.adj,
            filters.feat,
            filters.weights,
            filters.num_nodes,
            bank.sizes,
            exceeds,
            _random_instances(bank, sample),
            len(sample.roots),
            losses,
        )

    def bank(self, filters: DiscreteFilters, sizes: tuple[int, ...]) -> FilterBank:
        """Filters with all that decides how similar a subgraph is to them."""
        given = self.mined.given
        return FilterBank(
            filters,
            sizes,
            self.scaling,
            self.learning.subgraph_settings(self.sizes, self.seed),
            self.learning.kernel,
            self.learning.backend,
            given.relations,
            tuple(given.feature_names),
            self.mined.categories,
        )

    def _sample(self) -> _Sample:
        """Take the subgraphs around all nodes, or around some that are drawn."""
        graph = self.mined.graph
        # 1. the roots; without contrast the features of all their subgraphs are in memory
        number = min(graph.num_nodes, self.learning.max_subgraphs)
        if not self.contrast:
            number = min(number, max(1, MOST_ENTRIES // self._entries_of_subgraph()))
        roots = np.arange(graph.num_nodes)
        if number < graph.num_nodes:
            # the second number keeps this stream apart from the others of the same seed
            rng = np.random.default_rng([self.seed, 7])
            roots = np.sort(rng.choice(roots, number, replace=False))
        # 2. random graphs with the same degrees, in which the nodes keep their categories
        graphs = [graph, *(self._random_graphs() if self.contrast else [])]
        sizes = list(self.sizes) if len(graphs) > 1 else [self.sizes[-1]]
        # 3. the subgraphs
        settings = self.learning.subgraph_settings(self.sizes, self.seed)
        self.steps.progress.begin("sampling subgraphs", len(graphs) * len(sizes))
        of_size: dict[int, list[Neighbourhoods]] = {size: [] for size in sizes}
        for sampled_graph in graphs:
            for size in sizes:
                of_this_size = replace(settings, max_nodes=size)
                of_size[size].append(
                    Neighbourhoods.sample(sampled_graph, of_this_size, roots, self.mined.colors)
                )
                self.steps.progress.move(1)
        return _Sample(roots, graphs, of_size)

    def _entries_of_subgraph(self) -> int:
        """Numbers in the matrices, the features and the embeddings of a subgraph."""
        graph, size = self.mined.graph, self.sizes[-1]
        levels = self.learning.kernel.num_levels + 1
        return size**2 * len(graph.relations.channels) + size * graph.features.shape[1] * levels

    def _random_graphs(self) -> list[CSRGraph]:
        """Random graphs with the degrees of the graph; none where time is up before there are few.

        They are drawn as those of a comparison are, see
        :class:`gomkcn.mining.significance.random_graphs.RandomGraphs`.
        """
        self.steps.progress.begin("drawing random graphs", NUM_RANDOM)
        graph, drawn = self.mined.graph, []
        try:
            model = null_model("degree", graph)
            random = RandomGraphs(model, graph, self.seed, self.steps.check_time)
            for number in range(NUM_RANDOM):
                drawn.append(random.draw(number))
                self.steps.progress.move(1)
                self.steps.check_time()
        except TimeUpError:
            self.steps.is_partial = True
        return drawn if len(drawn) >= _LEAST_RANDOM else []

    def _choose(self, sample: _Sample) -> list[_Start]:
        """The subgraphs that filters start from, by contrast or as those that represent others."""
        graph = self.mined.graph
        if not sample.num_random:
            rows = self._representative(sample.of_graph(max(sample.of_size)).batch, sample)
            return [_Start(max(sample.of_size), row, False) for row in rows]
        self.steps.progress.begin("choosing filters")
        chosen = choose_contrasting(
            sample.of_size,
            graph.relations.links,
            graph.num_nodes / graph.num_graphs,
            2 * graph.num_edges / graph.num_nodes,
            self.number,
            self.device,
        )
        return [
            _Start(candidate.size, candidate.row, exceeds)
            for candidate, exceeds in zip(chosen.candidates, chosen.exceeds, strict=True)
        ]

    def _representative(self, batch: SubgraphBatch, sample: _Sample) -> list[int]:
        """The rows of the subgraphs to which all others are most similar, greedily."""
        kernel = self.learning.kernel
        rows = np.arange(len(batch))
        if len(rows) > MOST_COMPARED:
            rng = np.random.default_rng(self.seed)
            rows = np.sort(rng.choice(rows, MOST_COMPARED, replace=False))
        # 1. many are equal where nodes have no features, or few: each kind is compared once
        levels = kernel.embed(batch.adjacency()[rows], self._features(batch)[rows])
        refuse_overflow(bool(np.isfinite(levels).all()), kernel)
        codes = sample.of_graph(batch.nodes.shape[1]).codes[rows]
        _, code = np.unique(codes, return_inverse=True)
        whole = np.column_stack([code.ravel(), levels.reshape(len(levels), -1)])
        _, first, weights = np.unique(whole, axis=0, return_index=True, return_counts=True)
        # 2. those that the kernel cannot tell apart, and isomorphism does, are not the same
        num_nodes = batch.num_nodes[rows][first]
        scores, _ = kernel.match_levels(levels[first], levels[first], num_nodes)
        is_same = code[first][:, None] == code[first]
        similarity = tell_twins(scores / kernel.largest_score(levels.shape[2]), is_same)
        # 3. greedily
        nothing = np.zeros((0, len(first)))
        chosen, _ = cover(
            similarity.astype(np.float64),
            weights.astype(np.float64),
            nothing,
            self.number or USUAL_NUMBER,
        )
        return rows[first[chosen]].tolist()

    def _features(self, batch: SubgraphBatch) -> np.ndarray:
        """Scaled features of the nodes of subgraphs, zero for padding, float32 ``[S, N, D]``."""
        scaled = self.scaling.scale(batch.gather(self.mined.graph.features))
        scaled[batch.nodes < 0] = 0
        return scaled

    def _from_subgraphs(
        self, sample: _Sample, starts: list[_Start]
    ) -> tuple[DiscreteFilters, list[float]]:
        """Filters that start as real subgraphs, refined and trained; and the losses."""
        parts = [self._as_filter(sample.of_graph(start.size).batch, start.row) for start in starts]
        if not parts:
            return self._no_filters(), []
        filters = DiscreteFilters.join(parts)
        sizes = tuple(start.size for start in starts)
        filters, responses = self._averaged(filters, sizes, sample)
        losses = [1 - float(responses.similarity.max(axis=1).mean(dtype=np.float64))]
        if not self.learning.num_epochs:
            return filters, losses
        # 1. the filters of each size are trained on the subgraphs that belong to them
        trained, curves, counts = filters, [], []
        for size in sorted(set(sizes)):
            numbers = np.flatnonzero(np.array(sizes) == size)
            rows = np.flatnonzero(np.isin(responses.labels, numbers))
            if not len(rows):
                continue
            batch = sample.of_graph(size).batch.select(rows)
            part, curve = self._train(filters.take(numbers).padded(size), batch)
            trained = trained.replaced(numbers, part)
            curves.append(curve)
            counts.append(len(rows))
        # 2. where all are of one size, the losses are those of all subgraphs
        length = min(map(len, curves))
        losses = np.average([curve[:length] for curve in curves], axis=0, weights=counts).tolist()
        return self._averaged(self._commonest(trained, sizes, sample), sizes, sample)[0], losses

    def _averaged(
        self, filters: DiscreteFilters, sizes: tuple[int, ...], sample: _Sample
    ) -> tuple[DiscreteFilters, Responses]:
        """Give each filter the mean features of those of its subgraphs that have its structure."""
        responses = self._respond(filters, sizes, sample)
        feat = filters.feat.copy()
        for number, size in enumerate(sizes):
            rows = np.flatnonzero((responses.labels == number) & responses.is_exact[:, number])
            if len(rows) < 2 or not self.mined.numeric_columns:
                continue
            rows = rows[: max(2, MOST_ENTRIES // self._entries_of_subgraph())]
            batch = sample.of_graph(size).batch.select(rows)
            part = filters.take(np.array([number])).padded(size)
            feat[number, :size] = refine_features(
                part.adj,
                part.feat,
                batch.adjacency(),
                self._features(batch),
                batch.num_nodes,
                np.zeros(len(rows), np.int64),
                responses.matching[rows, :size],
            )[0]
        return replace(filters, feat=feat), responses

    def _respond(
        self, filters: DiscreteFilters, sizes: tuple[int, ...], sample: _Sample
    ) -> Responses:
        """How similar the subgraphs of a sample are to filters."""
        bank = self.bank(filters, sizes)
        return bank.respond(bank.place(self.mined.graph, self.device), sample.roots)

    def _commonest(
        self, filters: DiscreteFilters, sizes: tuple[int, ...], sample: _Sample
    ) -> DiscreteFilters:
        """Draw the commonest of the structures that the kernel takes for that of a filter.

        Training sees no difference between structures whose embeddings are equal, and may end with
        one that few subgraphs have, or none.
        """
        responses = self._respond(filters, sizes, sample)
        for number, size in enumerate(sizes):
            of_filter = responses.labels == number
            alike = np.flatnonzero(of_filter & (responses.similarity[:, number] > AS_EXACT))
            codes = sample.of_graph(size).codes[alike]
            _, first, counts = np.unique(codes, return_index=True, return_counts=True)
            num_exact = int((of_filter & responses.is_exact[:, number]).sum())
            if counts.max(initial=0) > num_exact:
                row = int(alike[first[counts.argmax()]])
                commonest = self._as_filter(sample.of_graph(size).batch, row)
                filters = filters.replaced(np.array([number]), commonest)
        return filters

    def _train(
        self, start: DiscreteFilters | None, batch: SubgraphBatch
    ) -> tuple[DiscreteFilters, list[float]]:
        """Train filters by gradients, from a start or from random numbers; and the losses."""
        # they import PyTorch
        from gomkcn.mining.filters.filter_training import train_filters
        from gomkcn.mining.filters.rooted_subgraphs import RootedSubgraphs
        from gomkcn_dgl._torch import torch

        subgraphs = RootedSubgraphs.of(
            batch, self._features(batch), self.learning.kernel, self.device
        )
        number = len(start) if start is not None else min(len(batch), self.number or USUAL_NUMBER)
        # a generator of its own leaves the global random numbers of torch as they are
        rng = np.random.default_rng(self.seed)
        generator = torch.Generator().manual_seed(int(rng.integers(2**62)))
        return train_filters(subgraphs, start, number, self.learning, generator, self.steps)

    def _as_filter(self, batch: SubgraphBatch, row: int) -> DiscreteFilters:
        """A subgraph as a filter."""
        single = batch.select(np.array([row]))
        adj = single.adjacency()
        size = int(single.num_nodes[0])
        return DiscreteFilters(adj, self._features(single), adj.copy(), (size,))

    def _no_filters(self) -> DiscreteFilters:
        channels = len(self.mined.given.relations.channels)
        adj = np.zeros((0, 1, 1) if channels == 1 else (0, 1, 1, channels), np.float32)
        feat = np.zeros((0, 1, self.mined.graph.features.shape[1]), np.float32)
        return DiscreteFilters(adj, feat, adj, ())


def _random_instances(bank: FilterBank, sample: _Sample) -> np.ndarray:
    """The instances of each filter in each random graph, float64 ``[F, R]``."""
    found = np.zeros((len(bank), sample.num_random))
    for number, size in enumerate(bank.sizes):
        code = bank.code(number)
        for place in range(sample.num_random):
            graph, shown = sample.graphs[1 + place], sample.of_size[size][1 + place]
            node_sets, hits = shown.node_sets(np.flatnonzero(shown.codes == code))
            settings = bank.settings_of(size)
            count = count_instances(graph, settings, node_sets, hits, len(sample.roots))
            found[number, place] = count.value
    return found
