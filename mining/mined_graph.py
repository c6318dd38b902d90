"""The graph that is mined, as each step of mining sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.graph_classes import GraphClasses, as_graph_classes
from gomkcn_dgl.node_order import NodeOrder
from gomkcn_dgl.relations import relations_of
from mining.occurrences import Occurrences

# of the nodes of a structure and of a graph, `[M]` and `[V]`
Colors = tuple[np.ndarray, np.ndarray]
# a label that nearly every node has for itself, such as a name, is no category
MOST_CATEGORIES = 256


@dataclass(frozen=True)
class Categories:
    """The categorical features of a graph: groups of columns that are one-hot.

    The colour of a node is one number for its categories in all groups. It depends on the features
    alone, so that a graph, a null-model graph of it and a pattern can be compared.

    >>> labels = np.array([[1, 0, 0.5], [0, 1, 0.7], [0, 1, 0.1]])
    >>> found = Categories.find(labels, ["kind=a", "kind=b", "size"])
    >>> found.groups, found.colors(labels).tolist()
    (((0, 1),), [0, 1, 1])
    """

    groups: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def find(cls, features: np.ndarray, names: Sequence[str]) -> Categories:
        """Find the groups of columns of ``features [V, D]`` of which each node has exactly one.

        Columns of one group have the same name before the last "=", or are all without one.
        """
        binary = ((features == 0) | (features == 1)).all(axis=0)
        families: dict[str, list[int]] = {}
        for column in np.flatnonzero(binary).tolist():
            families.setdefault(names[column].rpartition("=")[0], []).append(column)
        return cls(
            tuple(
                tuple(columns)
                for columns in families.values()
                if 1 < len(columns) <= MOST_CATEGORIES
                and (features[:, columns].sum(axis=1) == 1).all()
            )
        )

    @property
    def columns(self) -> tuple[int, ...]:
        """All columns of all groups."""
        return tuple(column for group in self.groups for column in group)

    def colors(self, features: np.ndarray) -> np.ndarray:
        """Colour of each row of ``[…, D]``, int64 ``[…]``: the largest column of each group."""
        color = np.zeros(features.shape[:-1], np.int64)
        for group in self.groups:
            color = color * len(group) + features[..., list(group)].argmax(axis=-1)
        return color

    def numbers_of(self, structure: Structure, feature_names: Sequence[str]) -> np.ndarray:
        """Colours of the nodes of a structure, whose categories are columns of a graph, ``[M]``."""
        own = np.zeros((structure.num_nodes, len(feature_names)), np.float32)
        for row, names in zip(own, structure.categories, strict=True):
            row[[feature_names.index(name) for name in names]] = 1
        return self.colors(own)

    def names_of(
        self, colors: np.ndarray | None, feature_names: Sequence[str]
    ) -> tuple[tuple[str, ...], ...]:
        """Names of the categories that colours ``[M]`` stand for; the inverse of :meth:`colors`."""
        named = []
        for color in [] if colors is None else colors.tolist():
            names: list[str] = []
            for group in reversed(self.groups):
                color, position = divmod(color, len(group))
                names.insert(0, feature_names[group[position]])
            named.append(tuple(names))
        return tuple(named)

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.groups)


NO_CATEGORIES = Categories()


@dataclass(frozen=True, eq=False)
class MinedGraph:
    """A graph in an order of its own, with the colours of its nodes and the classes of its graphs.

    Nothing that is drawn from it depends on how its nodes are numbered, or its graphs.

    Attributes
    ----------
    graph : CSRGraph
        The graph in its order; or one of a null model of it, see :meth:`with_graph`.
    given : CSRGraph
        The graph as it was given.
    order : NodeOrder
        Where the nodes of one stand in the other.
    categories : Categories
        Groups of features of which each node has exactly one.
    colors : numpy.ndarray or None
        int64 ``[V]``, a number for the categories of each node of ``graph``; None without any.
    classes : GraphClasses or None
        Those of the graphs of a collection, in the order of ``graph``.

    Examples
    --------
    >>> import networkx as nx
    >>> mined = MinedGraph.of(nx.path_graph(3))
    >>> mined.graph.degrees.tolist(), mined.given.degrees.tolist()
    ([1, 1, 2], [1, 2, 1])
    >>> mined.occurrences(np.array([[2, 0]])).nodes.tolist()
    [[1, 2]]
    """

    graph: CSRGraph
    given: CSRGraph
    order: NodeOrder
    categories: Categories
    colors: np.ndarray | None
    classes: GraphClasses | None

    @classmethod
    def of(cls, graph: Any, y: Any = None, categories: Categories | None = None) -> MinedGraph:
        """Put a graph in order; its categories are found in its features unless given."""
        given = as_csr(graph)
        order, classes = NodeOrder.of(given), classes_of(y, given)
        if classes is not None:
            classes = classes._replace(labels=classes.labels[order.graphs])
        if categories is None:
            categories = Categories.find(given.stored_features, given.feature_names)
        colors = categories.colors(order.graph.features) if categories else None
        return cls(order.graph, given, order, categories, colors, classes)

    def with_graph(self, graph: CSRGraph) -> MinedGraph:
        """The same of another graph with these features, such as one of a null model."""
        colors = self.colors
        if colors is not None and graph.features is not self.graph.features:
            colors = self.categories.colors(graph.features)
        return replace(self, graph=graph, colors=colors)

    def structure(self, channels: np.ndarray, colors: np.ndarray | None) -> Structure:
        """The structure of edges in the channels of this graph, and of colours ``[M]``."""
        relations = relations_of(self.graph.relations.names, self.graph.relations.directed)
        names = self.categories.names_of(colors, self.graph.feature_names)
        return Structure(channels, relations, names)

    def colors_of(self, structure: Structure) -> Colors | None:
        """Colours of the nodes of a structure and of the graph, to count it; None without any."""
        if self.colors is None or not structure.categories:
            return None
        return self.categories.numbers_of(structure, self.graph.feature_names), self.colors

    def occurrences(self, rows: np.ndarray, similarity: np.ndarray | None = None) -> Occurrences:
        """Occurrences at some nodes ``[K, M]`` of the graph, by the ids that were given."""
        similarity = np.ones(len(rows), np.float32) if similarity is None else similarity
        return Occurrences.at(self.order.given(rows), similarity, self.given)


def classes_of(y: Any, graph: CSRGraph) -> GraphClasses | None:
    """The classes that ``y`` gives to the graphs of a collection, None where it gives none.

    ``y`` may have the class of each graph, or the target of each node, which is not used.
    """
    if y is None or (len(y) == graph.num_nodes != graph.num_graphs):
        return None
    if len(y) != graph.num_graphs:
        raise InputError(
            f"y must have a class for each of the {graph.num_graphs} graphs, or a target for each "
            f"of the {graph.num_nodes} nodes, got {len(y)}."
        )
    return as_graph_classes(y)
