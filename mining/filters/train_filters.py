"""Frequent patterns as the GOMKCN paper finds them: trained filters, and how often each is met."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.feature_scaling import FeatureScaling
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.shapes import describe_shapes
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.subgraphs import SubgraphSettings, usual_hops
from mining.filters.discrete_filters import DiscreteFilters
from mining.filters.filter_learning import (
    FilterLearning,
    assign,
    check_learning,
    learn_filters,
)
from mining.filters.rooted_subgraphs import RootedSubgraphs

log = logging.getLogger("gomkcn_dgl")


@dataclass(frozen=True, eq=False)
class TrainedFilter:
    """A filter that was trained as the centre of a cluster of subgraphs, as a graph of M nodes.

    ``features`` are float64 ``[M, D]`` in the units of the input, ``weights`` float32 ``[M, M]``,
    or ``[M, M, C]`` for C channels, the edges before they were rounded, and ``frequency`` the
    number of nodes whose subgraph is most similar to this filter.
    """

    structure: Structure
    features: np.ndarray
    weights: np.ndarray
    frequency: float


@dataclass(frozen=True, eq=False)
class TrainedFilters:
    """What :func:`gomkcn.train_filters` learnt.

    ``filters`` are the most frequent first, and ``loss_curve`` is 1 - the mean similarity of a
    subgraph to its most similar filter: before the training, then after each epoch.
    """

    filters: tuple[TrainedFilter, ...]
    loss_curve: list[float]

    def __iter__(self) -> Iterator[TrainedFilter]:
        """The filters, the most frequent first."""
        return iter(self.filters)

    def __len__(self) -> int:
        """Number of filters."""
        return len(self.filters)

    def __repr__(self) -> str:
        """What each filter is, and how frequent."""
        names = describe_shapes([one.structure for one in self])
        listed = (f"{name} × {one.frequency:,.0f}" for name, one in zip(names, self, strict=True))
        return f"TrainedFilters({', '.join(listed)})"


def train_filters(
    graph: Any,
    size: int = 6,
    learning: FilterLearning | None = None,
    random_state: int = 0,
) -> TrainedFilters:
    """Find frequent patterns as the GOMKCN paper does: train filters as cluster centres.

    The subgraph around each node belongs to its most similar filter, and the mean distance to it is
    minimised. Then each filter becomes a graph, of its edges of weight above ½, and its frequency
    is the number of subgraphs that belong to it. That estimates how many nodes lie in such a
    pattern: a subgraph is cut to the size of a filter, and may resemble none of them much. The
    copies of :func:`gomkcn.motif_set` and the counts of :class:`gomkcn.PatternMiner` are exact, or
    have intervals.

    Parameters
    ----------
    graph : anything :func:`gomkcn.as_csr` takes
        One graph or several; weights of edges are not used.
    size : int
        Nodes of a filter.
    learning : FilterLearning or None
        How many filters are trained, and how. None: ``FilterLearning()``.
    random_state : int
        The same seed gives the same filters.

    Returns
    -------
    TrainedFilters

    Notes
    -----
    Of more than 2,000 nodes so many are drawn, and frequencies are those of the sample, scaled up.

    References
    ----------
    The GOMKCN paper, section VI-B.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = nx.disjoint_union_all([nx.cycle_graph(5)] * 6 + [nx.complete_graph(4)] * 3)
    >>> train_filters(graph, 5, FilterLearning(num_filters=2))
    TrainedFilters(cycle of 5 nodes × 30, clique of 4 nodes × 12)
    """
    check_int("size", size, 2)
    check_int("random_state", random_state, 0)
    learning, csr = check_learning(learning), without_weights(as_csr(graph))
    subgraphs, scaling = sample_subgraphs(csr, size, learning, random_state)
    filters, loss_curve = learn_filters(subgraphs, learning, random_state, Steps())
    owner = assign(subgraphs, filters.adj, filters.feat, learning).filter_of.numpy()
    share = np.bincount(owner, minlength=len(filters.num_nodes)) / len(owner)
    found = [
        _trained_filter(filters, number, csr, scaling, share[number])
        for number in np.argsort(-share, kind="stable").tolist()
    ]
    return TrainedFilters(tuple(found), loss_curve)


def sample_subgraphs(
    graph: CSRGraph, size: int, learning: FilterLearning, seed: int
) -> tuple[RootedSubgraphs, FeatureScaling]:
    """The subgraphs that filters of so many nodes are trained on, and how features are scaled."""
    scaling = FeatureScaling.fit(graph.stored_features, learning.feature_contrast)
    hops = usual_hops(size) if learning.num_hops is None else learning.num_hops
    settings = SubgraphSettings(hops, size, learning.policy, seed)
    return RootedSubgraphs.sample(graph, scaling, learning.kernel, settings), scaling


def without_weights(graph: CSRGraph) -> CSRGraph:
    """Leave the weights of edges out, and note it."""
    if graph.weights is None:
        return graph
    note = "edge weights are not used for mining: a pattern has an edge or not"
    log.info(note)
    return replace(graph, weights=None, notes=(*graph.notes, note))


def _trained_filter(
    filters: DiscreteFilters, number: int, graph: CSRGraph, scaling: FeatureScaling, share: float
) -> TrainedFilter:
    size = filters.num_nodes[number]
    return TrainedFilter(
        filters.structure(number, graph.relations),
        scaling.restore(filters.feat[number, :size].numpy()),
        filters.weights[number, :size, :size].numpy(),
        float(share * graph.num_nodes),
    )
