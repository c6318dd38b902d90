"""The part of a graph that the page shows: which nodes, where they lie, of which category."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import msgspec.structs
import numpy as np
from msgspec import Meta

from gomkcn.mining.plots.layout import map_positions, structure_positions
from gomkcn.mining.plots.molecule_drawing import (
    DepictedMolecules,
    MoleculesRecord,
    are_molecules,
    depict,
)
from gomkcn.mining.structures.categories import Categories
from gomkcn.mining.structures.graph_relations import edges_among
from gomkcn.mining.structures.records import Count, Record
from gomkcn_dgl.csr import CSRGraph, csr_from_edges
from gomkcn_dgl.graphs.structure import category_value
from gomkcn_dgl.io.graph_classes import GraphClasses

if TYPE_CHECKING:
    from gomkcn.mining.structures.pattern import Pattern
    from gomkcn_dgl.graphs.structure import Structure

Position = Annotated[float, Meta(ge=-1e9, le=1e9)]


@dataclass(frozen=True)
class MapLimits:
    """Up to which size a graph is drawn whole, and how much of a larger one is.

    Attributes
    ----------
    most_nodes, most_edges : int
        Of a graph that is drawn whole; a browser still moves so many at once.
    nodes_of_places : int
        Nodes of copies, or of occurrences, in the part of a larger graph, and at most as many of
        their neighbours: more are not told apart by the eye.
    most_near : int
        Neighbours of one node that are looked at, so that a hub does not take all the time.
    most_atoms : int
        Of molecules, which are laid out and drawn one by one: some seven thousand drugs, of which
        the page takes five megabytes. Of more, the first ones are shown.
    """

    most_nodes: int = 20_000
    most_edges: int = 100_000
    nodes_of_places: int = 500
    most_near: int = 50
    most_atoms: int = 150_000


class MapRecord(Record):
    """``map.json``: what the page of a run shows of the graph."""

    # the input's own id of each node
    names: list[int | str]
    graphs: list[Count]
    positions: list[tuple[Position, Position]]
    edges: list[tuple[Count, Count]]
    # the relation of each edge, by number
    edge_relations: list[Annotated[int, Meta(ge=0, le=999)]]
    # categories of nodes
    kinds: list[str]
    kind_of: list[Count]
    degrees: list[Count]
    # 1 on the second side of a bipartite graph; none where it is no such graph
    sides: list[Annotated[int, Meta(ge=0, le=1)]]
    # classes of graphs; none where they have no classes
    classes: list[str]
    class_of: list[Count]
    molecules: MoleculesRecord | None = None


@dataclass(frozen=True, eq=False)
class GraphMap:
    """Nodes of a graph or a collection, with their edges and positions.

    ``names`` are the input's own ids of the V nodes and ``graphs`` int64 ``[V]`` the index of the
    graph of each; ``positions`` is ``[V, 2]``. ``edges`` is int64 ``[E, 2]``, from the first node
    to the second where they have a direction, ``edge_relations`` int64 ``[E]`` their relations by
    number. ``kinds`` are categories of nodes, and ``kind_of`` int64 ``[V]`` says which a node has.
    ``degrees`` int64 ``[V]`` count all neighbours, also those that are not on the map. ``classes``
    are names of classes, and ``class_of`` int64 ``[G]`` says which each graph has; empty without.
    ``molecules`` says how the graphs are drawn as molecules, where they are.
    ``sides`` int64 ``[V]`` has 1 on the second side of a bipartite graph; empty for another one.
    """

    names: Sequence[int | str]
    graphs: np.ndarray
    positions: np.ndarray
    edges: np.ndarray
    edge_relations: np.ndarray
    kinds: Sequence[str]
    kind_of: np.ndarray
    degrees: np.ndarray
    classes: Sequence[str] = ()
    class_of: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    molecules: DepictedMolecules | None = None
    sides: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))

    def __post_init__(self) -> None:
        size = len(self.names)
        if self.molecules is not None:
            of_molecules = [len(array) for array in vars(self.molecules).values()]
            if of_molecules != [len(self.edges), size, size]:
                raise ValueError("the molecules of the map are not those of its nodes and edges")
        by_node = (self.graphs, self.positions, self.kind_of, self.degrees)
        if any(len(values) != size for values in by_node):
            raise ValueError(f"a list of the map does not have the length of its {size} nodes")
        if len(self.sides) not in (0, size):
            raise ValueError(f"a list of the map does not have the length of its {size} nodes")
        if self.edges.max(initial=-1) >= size or len(self.edge_relations) != len(self.edges):
            raise ValueError(f"the edges of the map are not those of its {size} nodes")
        if self.kind_of.max(initial=-1) >= len(self.kinds):
            raise ValueError(f"a node has none of the {len(self.kinds)} categories of the map")
        least = self.graphs.max(initial=-1) if len(self.classes) else -1
        if self.class_of.max(initial=-1) >= len(self.classes) or least >= len(self.class_of):
            raise ValueError(f"a graph has none of the {len(self.classes)} classes of the map")

    @classmethod
    def of(
        cls,
        graph: CSRGraph,
        motifs: Iterable[Pattern],
        patterns: Sequence[Pattern],
        classes: GraphClasses | None = None,
        limits: MapLimits | None = None,
    ) -> GraphMap:
        """Map a graph with copies of motifs in the shape of their drawings.

        Of a large graph there are copies of each motif, or occurrences of each pattern where there
        is no motif, and the neighbours that have most edges to them.
        """
        copies = [
            (pattern.structure, pattern.motif.copies.rows_in(graph))
            for pattern in motifs
            if pattern.motif is not None
        ]
        places = [rows for _, rows in copies]
        if not places:
            places = [pattern.occurrences.rows_in(graph) for pattern in patterns]
        part = part_around(graph, places, limits or MapLimits())
        return cls.of_part(graph, *part, classes=classes, copies=copies)

    @classmethod
    def of_part(
        cls,
        graph: CSRGraph,
        rows: np.ndarray,
        edges: np.ndarray,
        *,
        classes: GraphClasses | None = None,
        copies: Sequence[tuple[Structure, np.ndarray]] = (),
    ) -> GraphMap:
        """Map the nodes ``rows`` of a graph and the ``edges [E, 3]`` among them.

        Edges have the positions of both ends among the rows, and the relation. ``copies`` are
        structures with places, int ``[K, M]``, which are drawn in their shape.
        """
        kinds, kind_of = _categories(graph, rows)
        owners = graph.graph_of(rows)
        molecules = None
        if are_molecules(graph.relations, kinds):
            symbols = [kinds[number] for number in kind_of.tolist()]
            atoms = None if graph.atoms is None else graph.atoms[rows]
            positions, molecules = depict(symbols, owners, edges, graph.relations.names, atoms)
        else:
            positions = _part_positions(graph, rows, edges, copies)
        sides = graph.two_sides
        return cls(
            names=graph.original_ids(rows),
            graphs=owners,
            positions=np.round(positions, 2),
            edges=edges[:, :2],
            edge_relations=edges[:, 2],
            kinds=kinds,
            kind_of=kind_of,
            degrees=graph.degrees[rows],
            classes=() if classes is None else classes.names,
            class_of=np.empty(0, np.int64) if classes is None else classes.labels,
            molecules=molecules,
            sides=np.empty(0, np.int64) if sides is None else sides.second[rows].astype(np.int64),
        )

    def to_dict(self) -> dict[str, Any]:
        """The record of ``map.json``."""
        lists = {
            name: value.tolist() if isinstance(value, np.ndarray) else list(value)
            for name, value in vars(self).items()
            if name != "molecules"
        }
        return lists | {"molecules": self.molecules and self.molecules.to_dict()}

    @classmethod
    def of_record(cls, record: MapRecord) -> GraphMap:
        """Read a record of ``map.json``; a ValueError for lists that do not belong together."""
        parts = msgspec.structs.asdict(record)
        for name in ("graphs", "edge_relations", "kind_of", "degrees", "class_of", "sides"):
            parts[name] = np.array(parts[name], np.int64)
        parts["positions"] = np.array(record.positions, float).reshape(-1, 2)
        parts["edges"] = np.array(record.edges, np.int64).reshape(-1, 2)
        if record.molecules is not None:
            lists = msgspec.structs.asdict(record.molecules)
            arrays = {name: np.array(values, np.int64) for name, values in lists.items()}
            parts["molecules"] = DepictedMolecules(**arrays)
        return cls(**parts)


def _part_positions(
    graph: CSRGraph,
    rows: np.ndarray,
    edges: np.ndarray,
    copies: Sequence[tuple[Structure, np.ndarray]],
) -> np.ndarray:
    """Positions of the nodes of a part that is no molecule, see :meth:`GraphMap.of_part`."""
    position = np.full(graph.num_nodes, -1)
    position[rows] = np.arange(len(rows))
    drawn = [
        (structure_positions(structure) * [1, -1], position[places]) for structure, places in copies
    ]
    # several edges of two nodes are one line of the map
    pairs = np.unique(np.sort(edges[:, :2], axis=1), axis=0)
    ones = np.ones(len(rows))
    plain = csr_from_edges(pairs[:, 0], pairs[:, 1], len(rows), features=ones, undirected=True)
    shown = [(structure, places[(places >= 0).all(axis=1)]) for structure, places in drawn]
    return map_positions(plain, shown)


def part_around(
    graph: CSRGraph, places: Sequence[np.ndarray], limits: MapLimits
) -> tuple[np.ndarray, np.ndarray]:
    """The rows of a graph that are shown, and the edges among them, int64 ``[E, 3]``.

    These are all of them, or of a graph with more nodes or edges those in and around some of the
    ``places``, rows of nodes, int ``[K, M]`` each, where -1 is no node.
    """
    if graph.num_nodes <= limits.most_nodes and graph.num_edges <= limits.most_edges:
        return np.arange(graph.num_nodes), np.column_stack(graph.edges())
    if graph.num_graphs > 1 and are_molecules(graph.relations, _category_columns(graph)[0]):
        # whole molecules
        last = np.searchsorted(graph.graph_ptr, limits.most_atoms, side="right") - 1
        size = graph.graph_ptr[max(last, 1)]
        edges = np.column_stack(graph.edges())
        return np.arange(size), edges[edges[:, 0] < size]
    number = limits.nodes_of_places
    while True:
        # as many nodes of each
        inside = [rows[: 1 + number // (rows.shape[1] * len(places))].ravel() for rows in places]
        taken = np.unique(np.concatenate([*inside, np.empty(0, np.int64)])).astype(np.int64)
        rows = taken = taken[taken >= 0] if len(taken) else np.arange(min(number, graph.num_nodes))
        starts = graph.indptr[taken]
        ends = graph.indptr[taken + 1]
        ends = np.minimum(ends, starts + limits.most_near)
        near = [graph.indices[at:end] for at, end in zip(starts, ends, strict=True)]
        around, ties = np.unique(np.concatenate(near), return_counts=True)
        outside = np.flatnonzero(~np.isin(around, taken))
        outside = outside[np.argsort(-ties[outside], kind="stable")][:number]
        rows = np.sort(np.concatenate([taken, around[outside]]))
        edges = edges_among(graph, rows)
        if len(edges) <= limits.most_edges or number < 2:
            return rows, edges
        # a dense graph: fewer places
        number //= 2


def _categories(graph: CSRGraph, rows: np.ndarray) -> tuple[list[str], np.ndarray]:
    """What the first categories are called, "" where there are none, and that of each node."""
    names, columns = _category_columns(graph)
    if not columns:
        return names, np.zeros(len(rows), np.int64)
    return names, graph.features[rows][:, columns].argmax(axis=1)


def _category_columns(graph: CSRGraph) -> tuple[list[str], list[int]]:
    """What the first categories are called, "" where there are none, and their columns."""
    groups = Categories.find(graph.stored_features, graph.feature_names).groups
    columns = list(groups[0]) if groups else []
    return [category_value(graph.feature_names[column]) for column in columns] or [""], columns
