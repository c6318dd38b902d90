"""A graph as its code sees it: slots, layers, and the nodes of a motif in these terms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure
from mining.candidates.shapes import Rows, Shape, links_of
from mining.graph_relations import links_in
from mining.mined_graph import MinedGraph
from mining.motif_sets.copy_loops import edges_of_copies


class Layer(NamedTuple):
    """Edges of one link between nodes of two colours, which have degrees of their own.

    Nodes of the colour ``first`` have their degrees in the slot ``first_slot``, and those at the
    other end likewise. A link that reads alike from both ends, between nodes of one colour, has one
    side, and both are the same.
    """

    first: int
    first_slot: int
    second: int
    second_slot: int

    @property
    def is_one_sided(self) -> bool:
        """Whether both ends of an edge are alike."""
        return self[:2] == self[2:]


@dataclass(frozen=True, eq=False)
class CodedGraph:
    """One graph, with the numbers of its edges and the degrees of its nodes in each slot.

    All that joins two nodes is one edge, which is of one *link*, see
    :mod:`gomkcn_dgl.relations`. A *slot* is a link as a node sees it, and the colour of the node at
    the other end: S of them occur.

    Attributes
    ----------
    mined : MinedGraph
        The graph, whose nodes keep their numbers.
    rows : Rows
        Its rows; colours are from 0, and all are 0 where nodes have no categories.
    edge_of : numpy.ndarray
        int64 ``[2 num_edges]``, the number of the edge of each entry.
    edges : numpy.ndarray
        int64 ``[num_edges, 2]``, the ends of each edge, the smaller node first.
    edge_slots : numpy.ndarray
        int64 ``[num_edges, 2]``, the slot in which either end counts the edge.
    color_names : numpy.ndarray
        int64 ``[num_colors]``, which of the colours of ``mined`` each is.
    slots : numpy.ndarray
        int64 ``[number of links, num_colors]``, the slot of a link to a colour, -1 where it does
        not occur.
    layers : tuple of Layer
        The layers that occur.
    degrees : numpy.ndarray
        int64 ``[S, V]``, neighbours of each node in each slot.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = CodedGraph.of(MinedGraph.of(nx.DiGraph([(0, 1), (1, 0), (1, 2)])))
    >>> graph.degrees.shape, len(graph.layers), graph.num_kinds
    ((3, 3), 2, 2)
    """

    mined: MinedGraph
    rows: Rows
    edge_of: np.ndarray
    edges: np.ndarray
    edge_slots: np.ndarray
    color_names: np.ndarray
    slots: np.ndarray
    layers: tuple[Layer, ...]
    degrees: np.ndarray

    @classmethod
    def of(cls, mined: MinedGraph) -> CodedGraph:
        """Number the edges, slots and layers of a graph."""
        graph = mined.graph
        number, num_links = graph.num_nodes, len(graph.relations.links)
        # 1. colours and links as numbers from 0 and 1
        colors, names = np.zeros(number, np.int64), np.zeros(1, np.int64)
        if mined.colors is not None:
            names, colors = np.unique(mined.colors, return_inverse=True)
        own = Rows.of(graph, colors)
        links = own.links.astype(np.int64)
        # 2. edges are numbered as their smaller end meets them; the other way has the same number
        rows = np.repeat(np.arange(number), graph.degrees)
        ahead = rows < graph.indices
        edge_of, back = np.cumsum(ahead) - 1, graph.opposite_entries
        edge_of[back[ahead]] = edge_of[ahead]
        edges = np.stack([rows[ahead], graph.indices[ahead]], axis=1).astype(np.int64)
        # 3. slots, and how many neighbours there are in each
        pairs = links * len(names) + colors[graph.indices]
        known = np.flatnonzero(np.bincount(pairs))
        slots = np.full((num_links, len(names)), -1)
        slots.reshape(-1)[known] = np.arange(len(known))
        slot_of = slots.reshape(-1)[pairs]
        degrees = np.bincount(slot_of * number + rows, minlength=len(known) * number)
        # 4. layers: each edge as that end sees it whose link, then colour, is the larger
        seen = links * len(names) + colors[rows]
        leads = np.flatnonzero(seen >= seen[back])
        found = np.unique(seen[leads] * len(known) + slot_of[leads])
        layers = []
        for one in found.tolist():
            end, slot = divmod(one, len(known))
            link, first = divmod(end, len(names))
            second = int(known[slot]) % len(names)
            other = int(slots[graph.relations.reverse[link], first])
            layers.append(Layer(first, slot, second, other))
        return cls(
            mined=mined,
            rows=own,
            edge_of=edge_of,
            edges=edges,
            edge_slots=np.stack([slot_of[ahead], slot_of[back[ahead]]], axis=1),
            color_names=names,
            slots=slots,
            layers=tuple(layers),
            degrees=degrees.reshape(len(known), number),
        )

    @property
    def colors(self) -> np.ndarray:
        """The colour of each node, int64 ``[V]``."""
        return self.rows.colors

    @property
    def num_edges(self) -> int:
        """Number of edges."""
        return len(self.edges)

    @property
    def num_colors(self) -> int:
        """Number of colours that occur."""
        return len(self.color_names)

    @property
    def is_plain(self) -> bool:
        """Whether edges have no directions or relations, and nodes no categories."""
        return self.num_colors == 1 and self.num_kinds == 1 and not self.has_direction.any()

    @cached_property
    def kind_of(self) -> np.ndarray:
        """The kind of each link, int64: a link that occurs and its reverse are one, from 0."""
        reverse = self.mined.graph.relations.reverse
        occur = np.flatnonzero((self.slots >= 0).any(axis=1))
        kinds = np.full(len(reverse), -1)
        kinds[occur] = np.unique(np.minimum(occur, reverse[occur]), return_inverse=True)[1]
        return kinds

    @cached_property
    def has_direction(self) -> np.ndarray:
        """Whether edges of a kind read otherwise from their other end, bool ``[num_kinds]``."""
        reverse = self.mined.graph.relations.reverse
        kinds = np.zeros(self.num_kinds, bool)
        links = np.flatnonzero((self.kind_of >= 0) & (reverse != np.arange(len(reverse))))
        kinds[self.kind_of[links]] = True
        return kinds

    @cached_property
    def num_kinds(self) -> int:
        """Number of kinds; where edges have a direction two at least, of arcs and mutual pairs."""
        least = 2 if self.mined.graph.is_directed else 1
        return max(least, int(self.kind_of.max()) + 1)

    @cached_property
    def nodes_of(self) -> tuple[np.ndarray, ...]:
        """The nodes of each colour."""
        return tuple(np.flatnonzero(self.colors == color) for color in range(self.num_colors))

    @cached_property
    def num_neighbors(self) -> np.ndarray:
        """Neighbours of each node in all slots, int64 ``[V]``."""
        return np.diff(self.mined.graph.indptr)

    @cached_property
    def degree_classes(self) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
        """For each colour, the degrees ``[S, Q]`` that its nodes have, and how many have each."""
        return tuple(
            np.unique(self.degrees[:, nodes], axis=1, return_counts=True) for nodes in self.nodes_of
        )

    @cached_property
    def class_of(self) -> np.ndarray:
        """The class of each node by its colour and number of neighbours, int64 ``[V]``."""
        keys = self.colors * (int(self.num_neighbors.max()) + 1) + self.num_neighbors
        found: np.ndarray = np.unique(keys, return_inverse=True)[1]
        return found

    @cached_property
    def class_sizes(self) -> np.ndarray:
        """Number of nodes in each class, int64."""
        return np.bincount(self.class_of)

    def roles(self, shape: Shape) -> np.ndarray:
        """Neighbours of each node of a shape in each slot, int64 ``[M, S]``."""
        rows, columns = np.nonzero(shape.links)
        roles = np.zeros((shape.num_nodes, len(self.degrees)), np.int64)
        np.add.at(roles, (rows, self.slots[shape.links[rows, columns], shape.colors[columns]]), 1)
        return roles

    def shape_of(self, structure: Structure) -> Shape | None:
        """The shape of a structure, or None where a link or colour does not occur in the graph."""
        graph = self.mined.graph
        links, colors = links_in(graph.relations, structure), np.zeros(structure.num_nodes, int)
        if self.mined.colors is not None:
            known = self.mined.colors_of(structure)
            if known is None:
                raise InputError("structure must have the categories of its nodes, got none.")
            colors = np.searchsorted(self.color_names, known[0]).clip(max=self.num_colors - 1)
            if (self.color_names[colors] != known[0]).any():
                return None
        rows, columns = np.nonzero(links)
        if (links < 0).any() or (self.slots[links[rows, columns], colors[columns]] < 0).any():
            return None
        return Shape.of(links, colors)

    def structure_of(self, shape: Shape) -> Structure:
        """The structure of a shape."""
        channels = self.mined.graph.relations.links[shape.links]
        colors = None if self.mined.colors is None else self.color_names[shape.colors]
        return self.mined.structure(channels, colors)

    def edge_numbers(self, shape: Shape, copies: np.ndarray) -> np.ndarray:
        """The edge at each pair that is joined of each copy ``[K, M]``, int32 ``[K, P]``."""
        return np.asarray(
            edges_of_copies(
                self.rows, self.edge_of, copies.astype(np.int32, copy=False), shape.edges
            )
        )

    def check_copies(self, shape: Shape, copies: np.ndarray) -> None:
        """Refuse copies ``[K, M]`` that are not induced."""
        links, colors = links_of(self.rows, copies)
        wrong = (links != shape.links).any(axis=(1, 2)) | (colors != shape.colors).any(axis=1)
        wrong |= (np.diff(np.sort(copies, axis=1)) == 0).any(axis=1)
        if wrong.any():
            nodes = copies[int(wrong.argmax())].tolist()
            raise InputError(f"copies must be induced copies of their motif, got nodes {nodes}.")


def terms_of(roles: np.ndarray) -> np.ndarray:
    """Node, slot and number of what is not 0 in ``roles [M, S]``, int64 ``[T, 3]``."""
    return np.column_stack([*np.nonzero(roles), roles[roles > 0]])
