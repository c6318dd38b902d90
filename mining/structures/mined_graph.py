"""The graph that is mined, as each step of mining sees it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gomkcn.mining.structures.categories import Categories, Colors
from gomkcn.mining.structures.occurrences import Occurrences
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graph import as_unweighted
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.graph_classes import GraphClasses, as_graph_classes
from gomkcn_dgl.node_order import NodeOrder

log = logging.getLogger("gomkcn_dgl")


@dataclass(frozen=True, eq=False)
class MinedGraph:
    """A graph in an order of its own, with the colours of its nodes and the classes of its graphs.

    Nothing that is drawn from it depends on how its nodes are numbered, or its graphs.

    Attributes
    ----------
    graph : CSRGraph
        The graph in its order.
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
    def of(cls, graph: Any, y: Any = None) -> MinedGraph:
        """Put a graph in order, and find the categories among its features."""
        given = as_unweighted(graph)
        order = NodeOrder.of(given)
        classes = classes_of(y, given)
        if classes is not None:
            classes = classes._replace(labels=classes.labels[order.graphs])
        categories = Categories.find(given.stored_features, given.feature_names)
        colors = categories.colors(order.graph.features) if categories else None
        return cls(order.graph, given, order, categories, colors, classes)

    @property
    def numeric_columns(self) -> list[int]:
        """Features that are no category and differ between nodes."""
        features = self.graph.stored_features
        categories = self.categories.columns
        # a difference of the largest numbers would overflow
        varies = np.flatnonzero((features != features[:1]).any(axis=0)).tolist()
        return [column for column in varies if column not in categories]

    @cached_property
    def _known_colors(self) -> tuple[np.ndarray, tuple[tuple[str, ...], ...]]:
        """The colours that nodes have, ascending, and the names of their categories."""
        known = np.unique(self.colors) if self.colors is not None else np.zeros(1, np.int64)
        names = self.categories.names_of(known, self.graph.feature_names)
        return known, names

    def structure(self, links: np.ndarray, colors: np.ndarray | None) -> Structure:
        """The structure of connected nodes, by their links ``[M, M]`` and ``colors`` ``[M]``."""
        known, palette = self._known_colors
        if colors is None:
            colors = np.zeros(len(links), np.int64)
            palette = ((),)
        return Structure.of_links(
            links, np.searchsorted(known, colors), self.graph.relations, palette
        )

    def palette_of(self, colors: np.ndarray) -> tuple[tuple[str, ...], ...]:
        """Names of the categories of each of some colours; of none where nodes have no colours."""
        if self.colors is None:
            return ((),) * len(colors)
        return self.categories.names_of(colors, self.graph.feature_names)

    def colors_of(self, structure: Structure) -> Colors | None:
        """Colours of the nodes of a structure and of the graph, to count it; None without any."""
        if self.colors is None or not structure.categories:
            return None
        return self.categories.colors_of(structure, self.graph.feature_names), self.colors

    def occurrences(self, rows: np.ndarray) -> Occurrences:
        """Occurrences at some nodes ``[K, M]`` of the graph, by the ids that were given."""
        return Occurrences.at(self.order.given(rows), self.given)

    def rows_of(self, occurrences: Occurrences) -> np.ndarray:
        """The nodes of ``graph`` at which occurrences are, int64 ``[K, M]``."""
        return self.order.position[occurrences.rows_in(self.given)]


def classes_of(y: Any, graph: CSRGraph) -> GraphClasses | None:
    """The classes that ``y`` gives to the graphs of a collection, None where it gives none.

    ``y`` may have the class of each graph, or the target of each node, which is not used.
    """
    if not hasattr(y, "__len__") and y is not None:
        raise InputTypeError("y", "must be a list or an array of classes", got=type(y).__name__)
    if y is None or (len(y) == graph.num_nodes != graph.num_graphs):
        return None
    if len(y) != graph.num_graphs:
        raise InputError(
            "y",
            (
                f"must have a class for each of the {graph.num_graphs} graphs, or a target for "
                f"each of the {graph.num_nodes} nodes"
            ),
            got=len(y),
        )
    return as_graph_classes(y)


def refuse_no_edges(graph: CSRGraph) -> None:
    """Refuse a graph in which there is nothing to mine."""
    if not graph.num_edges:
        raise InputError(
            "the graph must have an edge between two different nodes, and it has none; look at how "
            "it is read with gomkcn info."
        )
