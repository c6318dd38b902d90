"""What is looked for, in terms of one graph: what may join its nodes, and what each may be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gomkcn.mining.structures.categories import Colors, colors_in
from gomkcn.mining.structures.graph_relations import channels_in, joined_relations, links_in
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.pattern_text import check_num_nodes
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import PLAIN

# node sets whose induced subgraph is the structure; or its subgraphs, which are mappings of the
# structure, those that differ by one of its symmetries once
INDUCED, SUBGRAPH = READINGS = ("induced", "subgraph")
# from so many nodes on, a pattern is looked for in each connected component
_LARGE_PATTERN = 9


class Comparison(NamedTuple):
    """A number of one node of a query that is compared with a number of another one.

    It holds where ``left[u] sign right[v]`` does, if ``first`` is mapped to u and ``second`` to v;
    nowhere with NaN.
    """

    first: int
    second: int
    sign: str  # one of = != < <= > >=
    left: np.ndarray  # float64 [V]
    right: np.ndarray  # float64 [V]


class EdgeRows(NamedTuple):
    """Edges of the graph that may stand for an edge of a query, and their numbers.

    An edge of nodes ``first`` and ``second`` of the query, which are the same for a self-loop, may
    be any of R edges from ``source`` to ``target``, in ascending order of these; between two nodes
    there may be several.
    """

    first: int
    second: int
    source: np.ndarray  # int64 [R]
    target: np.ndarray  # int64 [R]
    values: np.ndarray  # float64 [C, R], without NaN


class EdgeComparison(NamedTuple):
    """A column of one edge of a query that is compared with a column of another one."""

    first: int
    first_column: int
    sign: str  # one of = != < <= > >=
    second: int
    second_column: int


@dataclass(frozen=True, eq=False)
class Query:
    """A pattern of M nodes in terms of the graph in which it is looked for.

    An occurrence is a mapping of its nodes to different nodes of the graph for which all of this
    holds; of those that differ by an automorphism of ``structure``, one.

    Attributes
    ----------
    graph : CSRGraph
        One graph or a collection, with K links, of which 0 is that of nodes that are not joined.
    structure : Structure
        Its automorphisms are those of the query.
    allowed : numpy.ndarray
        bool ``[M, M, K]``, the links that may join each two nodes, as seen from the first.
    eligible : numpy.ndarray
        int64 ``[V]``, bit i: by itself, a graph node can stand for node i.
    comparisons : tuple of Comparison
        Of numbers of two nodes.
    edges : tuple of EdgeRows
        The edges of the query that are compared: there is a row of each for which all comparisons
        hold.
    edge_comparisons : tuple of EdgeComparison
        Of numbers of two of these edges.
    symmetries : Structure, optional
        Where edges are compared: a structure of the nodes and these edges, whose automorphisms are
        those of the query. None: the structure is one.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> wedge = Structure.parse("a--b, b--c")
    >>> query = Query.of_structure(as_csr(nx.star_graph(3)), wedge, reading=SUBGRAPH)
    >>> query.joined.sum(axis=1).tolist(), query.allowed[0, 2].tolist()
    ([1, 2, 1], [True, True])
    """

    graph: CSRGraph
    structure: Structure
    allowed: np.ndarray
    eligible: np.ndarray
    comparisons: tuple[Comparison, ...] = ()
    edges: tuple[EdgeRows, ...] = ()
    edge_comparisons: tuple[EdgeComparison, ...] = ()
    symmetries: Structure | None = None

    @classmethod
    def of_structure(
        cls,
        graph: CSRGraph,
        structure: Structure,
        colors: Colors | None = None,
        reading: str = INDUCED,
    ) -> Query:
        """A structure whose nodes are mapped to nodes of their colour, ``[M]`` and ``[V]``.

        Without colours nodes are mapped to nodes of their categories, where the structure has some.
        Edges without a name are of any relation of the graph.
        """
        check_num_nodes(structure.num_nodes)
        names: tuple[tuple[str, ...], ...] = ()
        if colors is None:
            structure, colors = colors_in(graph, structure)
        if colors is not None:
            colors = _checked_colors(*colors, structure.num_nodes, graph.num_nodes)
            names = color_names(colors[0])
        names_of_graph = graph.relations.names
        is_plain = structure.relations.names == (PLAIN,)
        if is_plain and len(names_of_graph) > 1 and PLAIN not in names_of_graph:
            graph = joined_relations(graph)
        relations = graph.relations
        # nodes that differ in colour cannot be exchanged, and no others are kept apart
        known = structure.categories
        if not len({*zip(names, known, strict=False)}) == len({*names}) == len({*known}):
            structure = structure.with_categories(names)
        if reading == SUBGRAPH:
            allowed = links_with(channels_in(relations, structure), relations.links)
        else:
            allowed = allowed_links(links_in(relations, structure), len(relations.links))
        return cls(graph, structure, allowed, eligible_by_color(structure, colors, graph))

    def of_each_graph(self) -> list[Query]:
        """The query in terms of each graph of the collection.

        >>> import networkx as nx
        >>> from gomkcn_dgl import as_csr
        >>> graphs = as_csr([nx.path_graph(2), nx.path_graph(3)])
        >>> query = Query.of_structure(graphs, Structure.parse("path-3"))
        >>> [each.graph.num_nodes for each in query.of_each_graph()]
        [2, 3]
        """
        queries = []
        for graph, ends in zip(list(self.graph), pairwise(self.graph.graph_ptr), strict=True):
            nodes = slice(*ends)
            comparisons = tuple(
                comparison._replace(left=comparison.left[nodes], right=comparison.right[nodes])
                for comparison in self.comparisons
            )
            edges = tuple(rows_among(rows, *ends) for rows in self.edges)
            queries.append(
                replace(
                    self,
                    graph=graph,
                    eligible=self.eligible[nodes],
                    comparisons=comparisons,
                    edges=edges,
                )
            )
        return queries

    @cached_property
    def joined(self) -> np.ndarray:
        """Which nodes must be joined, bool ``[M, M]``."""
        return np.asarray(~self.allowed[:, :, 0])

    @property
    def joins_alone(self) -> bool:
        """Whether nothing but links and what each node may be is asked for: no comparisons."""
        return not (self.comparisons or self.edges)

    @cached_property
    def is_mapped_below(self) -> np.ndarray:
        """Conditions that leave one of the mappings that differ by automorphisms, bool ``[M, M]``.

        See :attr:`gomkcn.Structure.is_mapped_below`.
        """
        if self.symmetries is None:
            return self.structure.is_mapped_below
        size = self.structure.num_nodes
        return self.symmetries.mapped_below(self.structure.order)[:size, :size]


def rows_among(rows: EdgeRows, first: int, last: int) -> EdgeRows:
    """The edges among the nodes from one to another, which are numbered from 0 on."""
    inside = (rows.source >= first) & (rows.source < last)
    return rows._replace(
        source=rows.source[inside] - first,
        target=rows.target[inside] - first,
        values=rows.values[:, inside],
    )


def allowed_links(links: np.ndarray, num_links: int) -> np.ndarray:
    """The links ``[M, M, K]`` that may join nodes of ``links [M, M]``; -1 is none of them."""
    allowed: np.ndarray = links[:, :, None] == np.arange(num_links)
    return allowed


def links_with(channels: np.ndarray, links: np.ndarray) -> np.ndarray:
    """Which of ``links [K, C]`` have the channels ``[M, M, C]`` of each two nodes, and maybe more.

    >>> links_with(np.array([[[True, False]]]), np.array([[0, 0], [1, 0], [0, 1], [1, 1]], bool))
    array([[[False,  True, False,  True]]])
    """
    has: np.ndarray = ~(channels[:, :, None] & ~links).any(axis=3)
    return has


def eligible_by_color(structure: Structure, colors: Colors | None, graph: CSRGraph) -> np.ndarray:
    """The nodes of a structure that each graph node can stand for by its colour, as bits."""
    if colors is None:
        return np.full(graph.num_nodes, (1 << structure.num_nodes) - 1)
    of_structure, of_graph = colors
    eligible = np.zeros(graph.num_nodes, np.int64)
    for color in np.unique(of_structure):
        bits = 1 << np.flatnonzero(of_structure == color)
        eligible[of_graph == color] = bits.sum()
    return eligible


def color_names(colors: np.ndarray) -> tuple[tuple[str, ...], ...]:
    """Colours ``[M]`` as categories of a structure."""
    return tuple((str(color),) for color in colors.tolist())


def _checked_colors(structure: np.ndarray, graph: np.ndarray, size: int, num_nodes: int) -> Colors:
    """Return both as int64, or refuse what is not one whole number for each node."""
    for colors, length in ((structure, size), (graph, num_nodes)):
        if np.shape(colors) != (length,) or np.asarray(colors).dtype.kind not in "iu":
            raise InputError(
                "colors",
                (
                    f"must be whole numbers for the {size} nodes of the structure and for the "
                    f"{num_nodes} of the graph"
                ),
                got=f"{np.asarray(colors).dtype} of shape {np.shape(colors)}",
            )
    return np.asarray(structure, np.int64), np.asarray(graph, np.int64)


def may_hold(graph: CSRGraph, joined: np.ndarray) -> np.ndarray:
    """Nodes ``[V]`` in whose graph a connected pattern ``[M, M]`` may occur, as far as sizes tell.

    A graph has no fewer nodes, edges, and nodes of each degree than the pattern; and where this is
    large, so has a connected component.

    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> star = Structure.parse("star-4").joined
    >>> may_hold(as_csr([nx.path_graph(3), nx.star_graph(5)]), star).nonzero()[0].tolist()
    [3, 4, 5, 6, 7, 8]
    """
    degrees, pattern_degrees = graph.degrees, joined.sum(axis=1)
    if len(joined) >= _LARGE_PATTERN:
        # compiled, which takes long to load, and few patterns are so large
        part = graph.component_starts
    else:
        part = graph.graph_of(np.arange(graph.num_nodes))
    number = int(part.max(initial=-1)) + 1
    holds = np.bincount(part, degrees, minlength=number) >= pattern_degrees.sum()
    for degree in np.unique(pattern_degrees):
        holds &= (
            np.bincount(part[degrees >= degree], minlength=number)
            >= (pattern_degrees >= degree).sum()
        )
    return holds[part]
