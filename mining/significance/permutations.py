"""Values that are permuted over a graph that stays: weights of its edges, features of its nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from gomkcn.mining.structures.categories import Categories
from gomkcn.mining.structures.edge_weights import EdgeWeights
from gomkcn_dgl.checks import is_nan
from gomkcn_dgl.csr import CONSTANT_FEATURE, CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.shapes import count
from gomkcn_dgl.kernels.search_numba import SEARCH_JIT
from gomkcn_dgl.runtime.compiled import compiled
from gomkcn_dgl.runtime.files import listed

# classes of the product of strengths, as deciles, and edges of a class at least: of fewer there is
# little to permute
_NUM_CLASSES, _LEAST_IN_CLASS = 10, 10
# a smaller share of a sum is left by rounding alone
_ROUNDING = 1e-12
# what groups nodes where no attribute has this name
COMPONENT, DEGREE = "component", "degree"


class Groups(NamedTuple):
    """Places in groups, within which what stands there is permuted."""

    members: np.ndarray  # int64 [K], the places, group by group
    ends: np.ndarray  # int64 [G + 1], where each group begins among them

    @classmethod
    def of(cls, *labels: np.ndarray) -> Groups:
        """Places with the same labels ``[K]`` are a group."""
        _, group = np.unique(np.column_stack(labels), axis=0, return_inverse=True)
        group = group.reshape(-1)
        ends = np.concatenate([[0], np.cumsum(np.bincount(group))])
        return cls(np.argsort(group, kind="stable"), ends)

    def permute(self, values: np.ndarray, seed: int) -> np.ndarray:
        """The values ``[K]`` in a random order within each group, all orders alike.

        >>> groups = Groups.of(np.array([0, 1, 0, 1]))
        >>> sorted(groups.permute(np.array([5, 6, 7, 8]), 3)[[0, 2]].tolist())
        [5, 7]
        """
        order = self.members.copy()
        shuffle(order, self.ends, np.random.default_rng(seed).random(len(order)))
        permuted = np.empty_like(values)
        permuted[self.members] = values[order]
        return permuted


@compiled(**SEARCH_JIT)
def shuffle(order, ends, numbers):
    """Shuffle `order [K]` within each group by random `numbers [K]` (R. A. Fisher, F. Yates)."""
    for group in range(len(ends) - 1):
        start = ends[group]
        for place in range(ends[group + 1] - 1, start, -1):
            other = start + np.int64(numbers[place] * (place - start + 1))
            order[place], order[other] = order[other], order[place]


def weight_groups(
    edges: EdgeWeights, graph_of_edge: np.ndarray, *, by_strength: bool = False
) -> Groups:
    """Edges of one graph and relation; ``by_strength``, of one class of the product of strengths.

    The strength of a node is the sum of the weights of its other edges of the relation: of those
    that leave it for the source of an edge, and of those that enter it for the target. With the
    weight of the edge itself in it, heavy edges would be of a class of their own, and no random
    weights would be like their permutations.
    """
    labels = [graph_of_edge, edges.relation]
    return Groups.of(*labels, strength_classes(edges)) if by_strength else Groups.of(*labels)


def strength_classes(edges: EdgeWeights) -> np.ndarray:
    """The class of each edge by the product of the strengths of its ends, int64 ``[A]``.

    Those of a relation are divided into as equal parts as ties allow, at most ten.
    """
    classes = np.zeros(len(edges.values), np.int64)
    size = 1 + int(max(edges.source.max(initial=0), edges.target.max(initial=0)))
    for relation in np.unique(edges.relation):
        inside = np.flatnonzero(edges.relation == relation)
        source, target, values = edges.source[inside], edges.target[inside], edges.values[inside]
        # an edge without direction leaves and enters both of its ends
        back = np.where(edges.is_directed[inside], 0.0, values)
        leaving = np.bincount(source, values, size) + np.bincount(target, back, size)
        entering = np.bincount(target, values, size) + np.bincount(source, back, size)
        product = _of_others(leaving[source], values) * _of_others(entering[target], values)
        number = min(_NUM_CLASSES, len(inside) // _LEAST_IN_CLASS)
        if number > 1:
            bounds = np.quantile(product, np.arange(1, number) / number)
            classes[inside] = np.searchsorted(bounds, product)
    return classes


def _of_others(strength: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Strengths without the weight of one edge each, 0 where there is no other."""
    rest = strength - weight
    return np.where(rest > _ROUNDING * strength, rest, 0.0)


def with_permuted_weights(graph: CSRGraph, seed: int, *, by_strength: bool = False) -> CSRGraph:
    """A graph with its weights in another order; what joins two nodes in a direction is an edge."""
    edges, holds = edges_of_pairs(graph)
    groups = weight_groups(edges, graph.graph_of(edges.source), by_strength=by_strength)
    values = groups.permute(edges.values, seed)
    return replace(graph, weights=values[holds].astype(np.float32))


def edges_of_pairs(graph: CSRGraph) -> tuple[EdgeWeights, np.ndarray]:
    """What joins each two nodes in each direction as one edge, with the weight of the graph.

    Its relation is a number of the set of its relations. And the edge whose weight each entry of
    the graph holds, int64 ``[E]``.
    """
    assert graph.weights is not None, "of a graph with weights"
    row = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    is_first = row < graph.indices
    kind = np.zeros(len(row), np.int64)
    is_there, is_directed = is_first, np.zeros(len(row), bool)
    if graph.links is not None:
        sides = np.array([side for _, side in graph.relations.channels])
        links = graph.relations.links.astype(bool)
        _, kinds = np.unique(links & (sides != "in"), axis=0, return_inverse=True)
        kind = kinds.reshape(-1)[graph.links]
        is_directed = (links & (sides == "out")).any(axis=1)[graph.links]
        # without an edge that leaves either end there is one without direction
        has_none = ~is_directed & ~is_directed[graph.opposite_entries]
        is_there = is_directed | (has_none & is_first)
    place = np.cumsum(is_there) - 1
    # an entry without an edge has that of the other direction
    holds = np.where(is_there, place, place[graph.opposite_entries])
    edges = EdgeWeights(
        row[is_there],
        graph.indices[is_there].astype(np.int64),
        kind[is_there],
        is_directed[is_there],
        graph.weights[is_there].astype(np.float64),
    )
    return edges, holds


def category_groups(graph: CSRGraph, within: np.ndarray | None = None) -> Groups:
    """The nodes of each graph, or of each group ``within [V]`` of each; those of a side alone."""
    labels = [graph.graph_of(np.arange(graph.num_nodes))]
    if within is not None:
        labels.append(within)
    if graph.sides is not None:
        labels.append(graph.sides.second)
    return Groups.of(*labels)


def with_permuted_categories(
    graph: CSRGraph, categories: Categories, groups: Groups, seed: int
) -> CSRGraph:
    """A graph whose nodes have the categories of others of their group, all of one together."""
    node = groups.permute(np.arange(graph.num_nodes), seed)
    columns = list(categories.columns)
    features = graph.features.copy()
    features[:, columns] = graph.features[node][:, columns]
    return replace(graph, features=features)


def node_groups(graph: CSRGraph, name: str, attributes: Mapping[str, Any]) -> np.ndarray:
    """A number for the group of each node, int64 ``[V]``: an attribute, a feature or a word.

    "component" are the connected components, and "degree" numbers of neighbours with the same power
    of two, where no attribute and no feature has the name.

    >>> import networkx as nx
    >>> from gomkcn import as_csr
    >>> star = as_csr(nx.star_graph(4))
    >>> node_groups(star, "degree", {}).tolist(), node_groups(star, "component", {}).tolist()
    ([1, 0, 0, 0, 0], [0, 0, 0, 0, 0])
    """
    one_hot = [k for k, known in enumerate(graph.feature_names) if known.startswith(f"{name}=")]
    if name in attributes:
        values = attributes[name]
        values = values if isinstance(values, list) else np.asarray(values).tolist()
        missing = sum(value is None or is_nan(value) for value in values)
        if missing:
            raise InputError(
                "within",
                f"must name a column with a value at every node, and {name!r} is not one",
                got=f"none at {count(missing, 'node')}",
            )
        labels = np.array([str(value) for value in values])
    elif name in graph.feature_names:
        labels = graph.features[:, graph.feature_names.index(name)]
    elif one_hot:
        labels = graph.features[:, one_hot].argmax(axis=1)
    elif name == COMPONENT:
        labels = graph.component_starts
    elif name == DEGREE:
        labels = np.frexp(graph.degrees.astype(np.float64))[1]
    else:
        known = [*attributes, *(k for k in graph.feature_names if k != CONSTANT_FEATURE)]
        raise InputError(
            "within",
            f"must be a column of the nodes, which are {listed(known)}, or {COMPONENT!r} or "
            f"{DEGREE!r}"
            if known
            else f"must be {COMPONENT!r} or {DEGREE!r}, where nodes have no columns",
            got=repr(name),
        )
    return np.unique(labels, return_inverse=True)[1].reshape(-1)
