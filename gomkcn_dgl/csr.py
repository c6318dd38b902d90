"""The CSRGraph: a graph, or many, as compressed sparse rows, with directions and edge types.

The rows are those of the graph read as undirected. What joins two nodes, relations and directions,
stands beside each entry as a link, see :mod:`gomkcn_dgl.relations`. :func:`csr_from_edges` is the
one place that tidies a graph: it drops self-loops, merges duplicates and gives nodes without
features the constant 1.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from gomkcn_dgl.checks import as_float32, check_features
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.relations import PLAIN, SIMPLE, Relations, number_links, relations_of
from gomkcn_dgl.runtime import html_of
from gomkcn_dgl.sides import LEAST_CYCLES, Sides, num_cycles_of, split_in_two

if TYPE_CHECKING:
    from gomkcn_dgl.kernels.colors_numba import ColoredRows

log = logging.getLogger("gomkcn_dgl")

CONSTANT_FEATURE = "constant"
# what is usual, in the words of the log
CONSTANT = "no node features; using the constant 1 ({:,} nodes)"
UNUSED_WEIGHTS = "edge weights are not used: a pattern has an edge or not"
MIRRORED = "read {:,} edge{s} as undirected"
ZERO_WEIGHT = "dropped {:,} edge{s} of weight 0"
_OPPOSITE = "merged {:,} pair{s} of opposite edges"
# also of the log, where two edges are merged that have not the same value
_LARGEST = "kept the largest of several values of the edges of {:,} ordered pair{s} of nodes"
# entries up to which nodes are coloured for the sampler: a second or two of one thread, and 4 bytes
# an entry beside the graph
MOST_COLORED = 2**25
# of an int64 that holds two node rows
_LOW_HALF = 2**32 - 1


# arrays compare elementwise, so two graphs are equal only when they are the same object
@dataclass(frozen=True, eq=False, repr=False)
class CSRGraph:
    """A graph or a collection, as compressed sparse rows; self-loops stand beside its edges.

    Attributes
    ----------
    indptr : numpy.ndarray
        int64 ``[V + 1]``; the neighbours of node ``v`` are ``indices[indptr[v]:indptr[v + 1]]``.
    indices : numpy.ndarray
        int32 ``[E]``; sorted in each row. Joined nodes stand in each other's row, whatever the
        direction of their edges.
    features : numpy.ndarray
        float32 ``[V, D]``; the constant 1 where the input had none.
    weights : numpy.ndarray or None
        float32 ``[E]``, positive, aligned with ``indices``; None for an unweighted graph. The entry
        of v in the row of u is the weight of the edge from u to v, or of the one from v to u where
        there is no other.
    graph_ptr : numpy.ndarray
        int64 ``[G + 1]``; graph ``g`` of a collection owns the nodes
        ``graph_ptr[g]:graph_ptr[g + 1]``.
    node_ids : numpy.ndarray or None
        ``[V]`` the input's own node ids (integers or text); None where they are the row numbers
        within each graph.
    feature_names : tuple of str
        One name per feature column.
    relations : Relations
        The kinds of edges, with direction or without, and the links that they form.
    links : numpy.ndarray or None
        uint8 or uint16 ``[E]``, aligned with ``indices``: all that joins the node of the row to its
        neighbour, a number of ``relations.links``. None where all edges are of one undirected
        relation.
    notes : tuple of str
        What was changed or left out when the graph was made, a phrase each.
    graph_names : numpy.ndarray or None
        Text ``[G]``, what the input calls each graph of a collection, such as the compound of a
        molecule; empty for a graph without a name, None where no graph has one.
    loops : numpy.ndarray or None
        int64 ``[L, 2]``, the node and the relation of each self-loop of the input, which no edge
        is: patterns alone ask for them. None where they are not known.
    atoms : numpy.ndarray or None
        int8 ``[V, 2]``, the formal charge and the hydrogens of each atom of molecules that RDKit
        read. Drawings alone show them; None for other graphs.
    sides : Sides or None
        Which nodes each of the two columns of a table numbers, where none is in both.
    """

    indptr: np.ndarray
    indices: np.ndarray
    features: np.ndarray
    weights: np.ndarray | None
    graph_ptr: np.ndarray
    node_ids: np.ndarray | None
    feature_names: tuple[str, ...]
    relations: Relations = SIMPLE
    links: np.ndarray | None = None
    notes: tuple[str, ...] = ()
    graph_names: np.ndarray | None = None
    loops: np.ndarray | None = None
    atoms: np.ndarray | None = None
    sides: Sides | None = None

    @property
    def num_nodes(self) -> int:
        """Number of nodes V."""
        return len(self.indptr) - 1

    @property
    def num_edges(self) -> int:
        """Number of edges as they were given: E / 2 without directions and types."""
        if self.links is None:
            return len(self.indices) // 2
        ends = np.bincount(self.links, minlength=len(self.relations.links)) @ self.relations.links
        # an edge has two ends, and both count where they are alike
        return int(ends.sum()) // 2

    @property
    def num_graphs(self) -> int:
        """Number of graphs in the collection; 1 for a single graph."""
        return len(self.graph_ptr) - 1

    @property
    def degrees(self) -> np.ndarray:
        """Number of neighbours of each node, int64 ``[V]``."""
        return np.diff(self.indptr)

    @property
    def stored_features(self) -> np.ndarray:
        """The features, or the one row of a constant feature that is not stored for each node."""
        return self.features[:1] if self.features.strides[0] == 0 else self.features

    def called(self, number: int) -> str:
        """What a graph of a collection is called: its name, or its number, as in "graph 3"."""
        name = "" if self.graph_names is None else str(self.graph_names[number])
        return name or f"graph {number}"

    def graph_of(self, nodes: np.ndarray) -> np.ndarray:
        """Index of the graph that owns each node, int64, shaped like ``nodes``."""
        return np.searchsorted(self.graph_ptr, nodes, side="right") - 1

    def without_weights(self) -> CSRGraph:
        """The graph without the weights of its edges, which a note says."""
        if self.weights is None:
            return self
        log.info("%s", UNUSED_WEIGHTS)
        return replace(self, weights=None, notes=(*self.notes, UNUSED_WEIGHTS))

    def original_ids(self, nodes: np.ndarray) -> list[int | str]:
        """Return the input's own ids of ``nodes``: what a user would look up in their file."""
        nodes = np.asarray(nodes)
        if self.node_ids is not None:
            return self.node_ids[nodes].tolist()
        return (nodes - self.graph_ptr[self.graph_of(nodes)]).tolist()

    @property
    def is_directed(self) -> bool:
        """Whether some edges have a direction."""
        return self.relations.is_directed

    @cached_property
    def two_sides(self) -> Sides | None:
        """The sides of one graph with several cycles; None where it has none, and for a collection.

        Those of a table are its columns, whatever its cycles where these are two kinds of nodes.
        Else edges have no direction, and the node with most
        neighbours of each component is on the first side.

        >>> import networkx as nx
        >>> from gomkcn import as_csr
        >>> print(as_csr(nx.complete_bipartite_graph(3, 4)).two_sides)
        3 and 4 nodes
        >>> as_csr(nx.star_graph(4)).two_sides is None
        True
        """
        is_told = self.sides is not None or self.links is None
        if self.num_graphs > 1 or not is_told:
            return None
        if self.sides is not None and self.sides.are_stated:
            return self.sides
        if num_cycles_of(self.indptr, self.indices) < LEAST_CYCLES:
            return None
        second = None if self.sides is not None else split_in_two(self.indptr, self.indices)
        return self.sides if second is None else Sides((), second)

    @cached_property
    def opposite_entries(self) -> np.ndarray:
        """Where each entry stands as seen from the other node, int64 ``[E]``."""
        row = np.repeat(np.arange(self.num_nodes), self.degrees)
        # sorted by column and row, the k-th entry is the other way of the k-th one
        return np.lexsort((row, self.indices))

    @cached_property
    def component_starts(self) -> np.ndarray:
        """Smallest node of each node's connected component, int32 ``[V]``.

        >>> csr_from_edges(np.array([0, 2]), np.array([3, 4]), 5).component_starts.tolist()
        [0, 1, 2, 0, 2]
        """
        # compiled, whose import takes longer than all of a small graph
        from gomkcn_dgl.kernels.compiled_graph import CompiledGraph
        from gomkcn_dgl.kernels.components_numba import name_components

        starts = np.empty(self.num_nodes, np.int32)
        name_components(CompiledGraph.of(self), starts)
        return starts

    @cached_property
    def colored_rows(self) -> ColoredRows:
        """Colours of the nodes, and the rows in their order, from which subgraphs are sampled.

        Those of a graph of more than ``MOST_COLORED`` entries are the numbers that it came with,
        within each component.
        """
        from gomkcn_dgl.kernels.colors_numba import color_rows, numbered_rows

        if len(self.indices) > MOST_COLORED:
            return numbered_rows(self.indices, np.arange(self.num_nodes) - self.component_starts)
        return color_rows(self, self.weights, self.relations.links, self.stored_features)

    def edges(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Source, target and relation of each edge, int64 ``[num_edges]`` each.

        Without direction, the source is the smaller node.

        >>> arcs = csr_from_edges(np.array([0, 1]), np.array([1, 2]), 3, directed=True)
        >>> [column.tolist() for column in arcs.edges()]
        [[0, 1], [1, 2], [0, 0]]
        """
        row, column = np.repeat(np.arange(self.num_nodes), self.degrees), self.indices
        source, target, relation = [], [], []
        for channel, (number, side) in enumerate(self.relations.channels):
            if side == "in":
                continue
            has = np.ones(len(row), bool)
            if self.links is not None:
                has = self.relations.links[:, channel][self.links]
            here = np.flatnonzero(has & (row < column) if side == "both" else has)
            source.append(row[here])
            target.append(column[here].astype(np.int64))
            relation.append(np.full(len(here), number))
        return np.concatenate(source), np.concatenate(target), np.concatenate(relation)

    def with_relations(self, relations: Relations) -> CSRGraph:
        """The same graph in terms of other relations, see ``Relations.within``.

        In terms of a single relation without direction, all directions and types are left out.
        """
        if relations.is_simple:
            return replace(self, relations=relations, links=None, loops=None)
        # a graph without edges has none that the others lack, whatever it calls them
        kept = self.relations.within(relations) if len(self.indices) else relations
        links = np.ones(len(self.indices), np.uint8) if self.links is None else self.links
        return replace(self, relations=kept, links=links, loops=None)

    def adjacent_pairs(self) -> np.ndarray:
        """Each pair of joined nodes once, as rows ``u < v``, int64 ``[E / 2, 2]``."""
        row = np.repeat(np.arange(self.num_nodes), self.degrees)
        keep = row < self.indices
        return np.column_stack([row[keep], self.indices[keep]])

    def __len__(self) -> int:
        """Number of graphs."""
        return self.num_graphs

    def __iter__(self) -> Iterator[CSRGraph]:
        """Each graph by itself."""
        return map(self._graph, range(self.num_graphs))

    def __repr__(self) -> str:
        numbers = {
            "graph": self.num_graphs,
            "node": self.num_nodes,
            "edge": self.num_edges,
            "feature": self.features.shape[1],
        }
        sizes = (f"{count:,} {name}{'s' * (count != 1)}" for name, count in numbers.items())
        return f"CSRGraph({', '.join(sizes)})"

    @overload
    def __getitem__(self, number: int) -> CSRGraph: ...

    @overload
    def __getitem__(self, number: slice | Sequence[int] | np.ndarray) -> list[CSRGraph]: ...

    def __getitem__(
        self, number: int | slice | Sequence[int] | np.ndarray
    ) -> CSRGraph | list[CSRGraph]:
        """One graph of a collection, as views; for a slice, numbers or a mask a list of graphs.

        So a collection is what scikit-learn divides into parts for training and validation, and
        ``as_csr`` makes one of a list of graphs.

        >>> both = csr_from_edges(np.array([0, 2]), np.array([1, 3]), 5, graph_ptr=[0, 2, 5])
        >>> len(both), [(graph.num_nodes, graph.num_edges) for graph in both]
        (2, [(2, 1), (3, 1)])
        >>> [graph.num_nodes for graph in both[np.array([False, True])]]
        [3]
        """
        if isinstance(number, Sequence | np.ndarray):
            chosen = np.asarray(number, None if len(number) else int)
            return [self._graph(row) for row in np.arange(self.num_graphs)[chosen].tolist()]
        numbers = range(self.num_graphs)[number]
        if isinstance(numbers, range):
            return [self._graph(row) for row in numbers]
        return self._graph(numbers)

    def _graph(self, number: int) -> CSRGraph:
        first, last = self.graph_ptr[number : number + 2].tolist()
        nodes, entries = slice(first, last), slice(*self.indptr[[first, last]].tolist())
        loops = self.loops
        if loops is not None:
            loops = loops[(loops[:, 0] >= first) & (loops[:, 0] < last)] - [first, 0]
        return replace(
            self,
            loops=loops,
            sides=None,
            indptr=self.indptr[first : last + 1] - self.indptr[first],
            indices=self.indices[entries] - np.int32(first),
            features=self.features[nodes],
            graph_ptr=np.array([0, last - first]),
            node_ids=None if self.node_ids is None else self.node_ids[nodes],
            graph_names=None if self.graph_names is None else self.graph_names[[number]],
            weights=None if self.weights is None else self.weights[entries],
            links=None if self.links is None else self.links[entries],
            atoms=None if self.atoms is None else self.atoms[nodes],
        )

    def _repr_html_(self) -> str | None:
        """What the graph holds, for Jupyter."""
        return html_of(self)


def csr_from_edges(
    source: np.ndarray,
    target: np.ndarray,
    num_nodes: int,
    *,
    weights: np.ndarray | None = None,
    features: np.ndarray | None = None,
    graph_ptr: np.ndarray | None = None,
    node_ids: np.ndarray | None = None,
    feature_names: Sequence[str] | None = None,
    directed: bool | Sequence[bool | None] | None = False,
    relation: np.ndarray | None = None,
    relation_names: Sequence[str] = (PLAIN,),
    undirected: bool = False,
    undirected_from: float = 1.0,
) -> CSRGraph:
    """Build a :class:`CSRGraph` from edge arrays; the one place that tidies a graph.

    ``source``, ``target`` ``[E]`` are node rows, ``weights`` ``[E]`` are >= 0 (an edge of weight 0
    is dropped), ``features`` ``[V, D]`` or ``[V]`` (None: the constant 1), ``relation`` ``[E]`` the
    number of each edge's relation in ``relation_names``.

    ``directed`` says whether edges have a direction, for all relations or for each; None: a
    relation is undirected when this share of its edges, ``undirected_from``, is there in both
    directions. ``undirected`` says that each edge is listed once, so that mirroring it is not worth
    a line in the log.

    >>> path = csr_from_edges(np.array([0, 1]), np.array([1, 2]), 3)
    >>> path.indptr.tolist(), path.indices.tolist()
    ([0, 1, 3, 4], [1, 0, 2, 1])
    >>> arcs = csr_from_edges(np.array([0, 1]), np.array([1, 2]), 3, directed=True)
    >>> arcs.indices.tolist(), arcs.relations.links[arcs.links, 0].astype(int).tolist()
    ([1, 0, 2, 1], [1, 0, 1, 0])
    """
    _check_nodes(num_nodes, node_ids)
    # in the words of the log, how often what was done to tidy the graph
    repairs: dict[str, int] = {}
    # 1. check the edges, the boundaries of the graphs and the weights
    source, target = _check_endpoints(source, target, num_nodes)
    graph_ptr = _check_graphs(graph_ptr, source, target, num_nodes)
    if weights is not None:
        weights = _check_weights(weights, len(source))
    _check_relation(relation, len(source))
    # 2. features; nodes without any have the constant 1
    if features is None:
        repairs[CONSTANT] = num_nodes
        features, feature_names = np.ones((num_nodes, 1), np.float32), [CONSTANT_FEATURE]
    matrix, names = check_features(features, num_nodes, feature_names)
    # 3. drop loops and edges of weight 0; mostly nothing is dropped, and nothing has to be copied
    loops = _loops_of(source, target, weights, relation)
    keep = _kept_edges(source, target, weights, repairs)
    if not keep.all():
        source, target = source[keep], target[keep]
        weights = None if weights is None else weights[keep]
        relation = None if relation is None else relation[keep]
    # 4. a relation has no direction where its edges are there both ways
    different, both_ways = _count_edges(source, target, relation, len(relation_names))
    is_directed, notes = _directions_of(
        relation_names, directed, different, both_ways, undirected_from
    )
    relations = relations_of(list(map(str, relation_names)), is_directed)
    has_none = ~np.array(is_directed)
    one_way = 0 if undirected else int((different - both_ways)[has_none].sum())
    num_listed = different - both_ways // 2 if undirected else different
    repairs["merged {:,} duplicate edge{s}"] = len(source) - int(num_listed.sum())
    repairs[MIRRORED] = one_way
    # beside edges that are there one way, others that are there both ways are one each, too
    repairs[_OPPOSITE] = int(both_ways[has_none].sum()) // 2 if one_way else 0
    # 5. merge duplicates and store every edge in both rows, as compressed sparse rows
    rows = _merge_edges(source, target, weights, relation, relations, num_nodes)
    repairs[_LARGEST] = rows.conflicts
    notes += _told(repairs)
    for note in notes:
        log.info("%s", note)
    return CSRGraph(
        indptr=rows.indptr,
        indices=rows.indices,
        features=matrix,
        weights=rows.weights,
        graph_ptr=graph_ptr,
        node_ids=node_ids,
        feature_names=names,
        relations=rows.relations,
        links=rows.links,
        notes=tuple(notes),
        loops=loops,
    )


def with_more_relations(
    graph: CSRGraph,
    source: np.ndarray,
    target: np.ndarray,
    relation: np.ndarray,
    kinds: Sequence[tuple[str, bool]],
) -> CSRGraph:
    """The graph with edges of more relations between nodes that it joins, and without weights.

    ``kinds`` are their names and whether they have a direction; ``relation`` numbers them from 0.

    >>> path = csr_from_edges(np.array([0, 1]), np.array([1, 2]), 3)
    >>> one, zero = np.array([1]), np.array([0])
    >>> more = with_more_relations(path, one, zero, zero, [("old", True)])
    >>> more.relations.names, more.links.tolist(), more.relations.links.astype(int).tolist()
    (('edge', 'old'), [2, 3, 1, 1], [[0, 0, 0], [1, 0, 0], [1, 0, 1], [1, 1, 0]])
    """
    present = graph.edges()
    more = (source, target, np.asarray(relation) + len(graph.relations.names))
    ends, others, relations = (np.concatenate(pair) for pair in zip(present, more, strict=True))
    names, directed = zip(*graph.relations.kinds, *kinds, strict=True)
    rows = _merge_edges(
        ends, others, None, relations, relations_of(names, directed), graph.num_nodes
    )
    return replace(
        graph,
        indptr=rows.indptr,
        indices=rows.indices,
        weights=None,
        relations=rows.relations,
        links=rows.links,
    )


def _check_nodes(num_nodes: int, node_ids: np.ndarray | None) -> None:
    """Refuse no nodes, too many, and names of another number of them."""
    if num_nodes == 0:
        raise InputError("the graph is empty: it has no nodes.")
    if num_nodes >= 2**31:
        raise InputError(f"a graph must have fewer than 2^31 nodes, got {num_nodes}.")
    if node_ids is not None and len(node_ids) != num_nodes:
        raise InputError(
            "node_ids", f"must name all {num_nodes} nodes", got=f"{len(node_ids)} names"
        )


def _check_graphs(
    graph_ptr: np.ndarray | None, source: np.ndarray, target: np.ndarray, num_nodes: int
) -> np.ndarray:
    """The boundaries of the graphs, int64 ``[G + 1]``; no edge leads from one to another."""
    graph_ptr = np.asarray([0, num_nodes] if graph_ptr is None else graph_ptr, dtype=np.int64)
    if graph_ptr[0] != 0 or graph_ptr[-1] != num_nodes or (np.diff(graph_ptr) < 0).any():
        raise InputError("graph_ptr", f"must rise from 0 to the number of nodes, {num_nodes}")
    if len(graph_ptr) > 2:
        of_source, of_target = np.searchsorted(graph_ptr, [source, target], side="right")
        for edge in np.flatnonzero(of_source != of_target):
            raise InputError(
                "an edge must stay within one graph of the collection, got an edge from node "
                f"{source[edge]} to node {target[edge]} of another graph."
            )
    return graph_ptr


def _check_endpoints(
    source: np.ndarray, target: np.ndarray, num_nodes: int
) -> tuple[np.ndarray, np.ndarray]:
    source, target = np.asarray(source), np.asarray(target)
    if source.ndim != 1 or source.shape != target.shape:
        raise InputError(
            "edge_index",
            "must hold one source and one target for each edge",
            got=f"the shapes {source.shape} and {target.shape}",
        )
    if len(source) == 0:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    if source.dtype.kind not in "iu" or target.dtype.kind not in "iu":
        wrong = source.dtype if source.dtype.kind not in "iu" else target.dtype
        raise InputTypeError("edge_index", "must hold integers", got=wrong)
    low = min(int(source.min()), int(target.min()))
    high = max(int(source.max()), int(target.max()))
    if low < 0 or high >= num_nodes:
        raise InputError(
            "edge_index",
            f"must name nodes from 0 to {num_nodes - 1}",
            got=low if low < 0 else high,
            way_out=("raise ", Argument("num_nodes"), " or renumber the nodes"),
        )
    return source.astype(np.int64, copy=False), target.astype(np.int64, copy=False)


def _check_weights(weights: np.ndarray, num_edges: int) -> np.ndarray:
    weights = as_float32("edge weights", weights)
    if weights.shape != (num_edges,):
        raise InputError(
            f"edge weights must be one number for each of the {num_edges} edges, "
            f"got an array of shape {weights.shape}."
        )
    if num_edges and weights.min() < 0:
        worst = int(weights.argmin())
        raise InputError(
            f"edge weights must be at least 0, got {weights[worst]:g} for edge {worst}."
        )
    return weights


def _check_relation(relation: np.ndarray | None, num_edges: int) -> None:
    if relation is not None and len(relation) != num_edges:
        raise InputError(
            "relation", f"must be one number for each of the {num_edges} edges", got=len(relation)
        )


def _told(repairs: dict[str, int]) -> list[str]:
    """What was done to a graph, a phrase each, from how often it was."""
    return [
        message.format(count, s="s" * (count != 1)) for message, count in repairs.items() if count
    ]


def _kept_edges(
    source: np.ndarray, target: np.ndarray, weights: np.ndarray | None, repairs: dict[str, int]
) -> np.ndarray:
    """Which edges are neither self-loops nor of weight 0, bool ``[E]``; the others are counted."""
    keep: np.ndarray = source != target
    repairs["dropped {:,} self-loop{s}"] = len(source) - int(keep.sum())
    if weights is not None:
        repairs[ZERO_WEIGHT] = int((keep & (weights == 0)).sum())
        keep &= weights > 0
    return keep


def _loops_of(
    source: np.ndarray,
    target: np.ndarray,
    weights: np.ndarray | None,
    relation: np.ndarray | None,
) -> np.ndarray:
    """The nodes with a self-loop of a weight and its relation, each once, int64 ``[K, 2]``."""
    is_loop = source == target
    loops = np.flatnonzero(is_loop if weights is None else is_loop & (weights > 0))
    of_loops = np.zeros(len(loops), np.int64) if relation is None else relation[loops]
    return np.unique(np.stack([source[loops], of_loops], axis=1).astype(np.int64), axis=0)


def _directions_of(
    names: Sequence[str],
    directed: bool | Sequence[bool | None] | None,
    different: np.ndarray,
    both_ways: np.ndarray,
    undirected_from: float,
) -> tuple[list[bool], list[str]]:
    """Whether each relation has a direction, and a note of each that is taken to have none.

    ``different [R]`` edges, of which ``both_ways [R]`` are there in both directions.
    """
    if directed is None or isinstance(directed, bool):
        directed = [directed] * len(names)
    is_directed, notes = list[bool](), list[str]()
    for name, is_one_way, number, both in zip(
        names, directed, different.tolist(), both_ways.tolist(), strict=True
    ):
        is_directed.append(both < undirected_from * number if is_one_way is None else is_one_way)
        if is_one_way is None and not is_directed[-1] and both < number:
            which = f"{name}, {both} of whose {number} edges are there both ways"
            notes.append(f"taken as undirected: {which}")
    return is_directed, notes


def _count_edges(
    source: np.ndarray, target: np.ndarray, relation: np.ndarray | None, num_relations: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return how many different edges each relation has, and how many of them are there both ways.

    There is no loop among them; ``relation`` is None where all edges are of one.
    """
    parts: list[Any] = [slice(None)]
    if relation is not None:
        rows = np.argsort(relation, kind="stable")
        parts = np.split(rows, np.searchsorted(relation[rows], np.arange(1, num_relations)))
    counts = np.zeros((2, num_relations), np.int64)
    for number, rows in enumerate(parts):
        u, v = source[rows], target[rows]
        num_different = len(_sorted_distinct(pack(u, v)))
        num_pairs = len(_sorted_distinct(pack(np.minimum(u, v), np.maximum(u, v))))
        counts[:, number] = num_different, 2 * (num_different - num_pairs)
    return counts[0], counts[1]


class _Rows(NamedTuple):
    """Edges as compressed sparse rows, each in the rows of both of its nodes."""

    indptr: np.ndarray  # int64 [V + 1]
    indices: np.ndarray  # int32 [E]
    weights: np.ndarray | None  # float32 [E]
    links: np.ndarray | None  # uint8 or uint16 [E]
    relations: Relations  # with the links that occur
    conflicts: int  # entries that had several weights


def _merge_edges(
    source: np.ndarray,
    target: np.ndarray,
    weights: np.ndarray | None,
    relation: np.ndarray | None,
    relations: Relations,
    num_nodes: int,
) -> _Rows:
    """Merge duplicates, and gather all that joins two nodes into one entry of each one's row.

    ``relation`` may be None where all edges are of one.
    """
    if relations.is_simple and weights is None:
        entries = _sorted_distinct(np.concatenate([pack(source, target), pack(target, source)]))
        return _rows(entries, num_nodes, None, None, relations, 0)
    # 1. both ends of each edge: the pair of nodes as seen from the row's node, and the channel
    pairs = np.concatenate([pack(source, target), pack(target, source)])
    out = relations.outgoing[np.zeros(len(source), int) if relation is None else relation]
    channels = np.concatenate([out, relations.opposite[out]])
    # 2. sorted by pair and channel: the ends of one pair form one entry
    order = np.lexsort((channels, pairs))
    pairs, channels = pairs[order], channels[order]
    first = np.ones(len(pairs), dtype=bool)
    first[1:] = pairs[1:] != pairs[:-1]
    start = np.flatnonzero(first)
    entries = pairs[start]
    # 3. the different channels of an entry form its link
    new = first.copy()
    new[1:] |= channels[1:] != channels[:-1]
    links, conflicts = None, 0
    if not relations.is_simple:
        links, relations = number_links((np.cumsum(first) - 1)[new], channels[new], relations)
    if weights is not None and len(start):
        # 4. of several weights, the largest one that leads to the neighbour, or comes from it
        ends, leads = weights[order % len(source)], ~relations.incoming[channels]
        best = np.maximum.reduceat(np.where(leads, ends, -np.inf), start)
        worst = np.minimum.reduceat(np.where(leads, ends, np.inf), start)
        if links is not None:
            conflicts = int((best > worst).sum())
        weights = np.where(np.isneginf(best), np.maximum.reduceat(ends, start), best)
        weights = weights.astype(np.float32)
    return _rows(entries, num_nodes, weights, links, relations, conflicts)


def _rows(entries: np.ndarray, num_nodes: int, *values: Any) -> _Rows:
    """Rows of entries that are packed and sorted; ``values`` are the other fields."""
    indices = (entries & _LOW_HALF).astype(np.int32)
    indptr = np.zeros(num_nodes + 1, dtype=np.int64)
    np.cumsum(np.bincount(entries >> 32, minlength=num_nodes), out=indptr[1:])
    return _Rows(indptr, indices, *values)


def pack(row: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Put two node rows into one int64, which sorts as the pair does."""
    packed = row << 32
    packed |= column
    return packed


def _sorted_distinct(values: np.ndarray) -> np.ndarray:
    """Return what ``np.unique`` returns, without its hash table, which is several times slower."""
    values = np.sort(values)
    keep = np.ones(len(values), dtype=bool)
    keep[1:] = values[1:] != values[:-1]
    return values[keep]
