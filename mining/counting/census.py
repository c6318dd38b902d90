"""A census: how often every connected structure of some sizes occurs, in each of two readings.

Structures without directions, relations and categories are counted as graphlets, of up to five
nodes, and so are those of a bipartite graph, on whose sides their nodes are. The others are counted
by kinds, of three and four: all by formulas, see ``census_formulas.py`` and ``set_formulas.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from gomkcn.mining.counting.census_formulas import (
    count_graphlets,
    count_orbits_of_sides,
    formula_steps,
)
from gomkcn.mining.counting.graphlets import ORBITS, graphlets
from gomkcn.mining.counting.query import INDUCED, SUBGRAPH
from gomkcn.mining.counting.set_formulas import check_codes, count_sets, sets_steps
from gomkcn.mining.counting.watching import Spend, UncountableError, spend_freely
from gomkcn.mining.structures.categories import NO_CATEGORIES, Categories
from gomkcn_dgl.checks import check_sizes
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.canonical_form import canonical_forms
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.relations import PLAIN, SIMPLE, Relations, relations_of

_SIZES = (2, 5)
# steps that counting by kinds takes in any graph, and for each of its own
_CALL, _SET = 1_000_000, 3
Counts = dict[Structure, int]
SET_SIZES = (3, 4)
# channels that fit into a whole number; edges whose subsets are looked at
MOST_CHANNELS, _MOST_EDGES = 62, 16
# while a thread makes structures, no other one makes the same anew
_making = Lock()
# of the categories of each node
Names = tuple[tuple[str, ...], ...]


def count_structures(
    graph: CSRGraph,
    sizes: range,
    reading: str = INDUCED,
    categories: Categories = NO_CATEGORIES,
    spend: Spend = spend_freely,
) -> Counts:
    """Count all connected structures of some sizes, in all graphs of a collection together.

    A structure is the same object in every graph. Those without directions, relations and
    categories are counted as graphlets, the others by kinds. The former and those with directions
    alone are all there, with zeros; of the others those that occur.

    >>> from gomkcn_dgl import as_csr
    >>> import networkx as nx
    >>> path = count_structures(as_csr(nx.path_graph(5)), range(3, 4))
    >>> {one.name: count for one, count in path.items()}
    {'path of 3 nodes': 3, 'triangle': 0}
    """
    (counts,) = count_in_each([graph], sizes, categories, spend).rows()
    return subgraphs_of(counts) if reading == SUBGRAPH else counts


@dataclass(frozen=True, eq=False)
class CensusTable:
    """How often each of some structures occurs in each of some graphs.

    Attributes
    ----------
    structures : tuple of Structure
        No two of them are isomorphic.
    counts : numpy.ndarray
        int64 ``[G, S]``, or Python's integers where one does not fit.
    """

    structures: tuple[Structure, ...]
    counts: np.ndarray

    @classmethod
    def of(cls, *censuses: Mapping[Structure, int]) -> CensusTable:
        """A row for each census; what it lacks occurs there never.

        >>> edge, path = Structure.parse("path-2"), Structure.parse("path-3")
        >>> CensusTable.of({edge: 3, path: 1}, {edge: 2}).counts.tolist()
        [[3, 1], [2, 0]]
        """
        structures = tuple(dict.fromkeys(structure for census in censuses for structure in census))
        rows = [[census.get(structure, 0) for structure in structures] for census in censuses]
        shape = len(censuses), len(structures)
        return cls(structures, exact_array(rows).reshape(shape))

    @classmethod
    def joined(cls, tables: Sequence[CensusTable]) -> CensusTable:
        """The rows of all tables, in their order; what a table lacks occurs there never."""
        place: dict[bytes, int] = {}
        structures: list[Structure] = []
        columns = []
        for table in tables:
            column = []
            for structure in table.structures:
                at = place.setdefault(structure.key, len(place))
                if at == len(structures):
                    structures.append(structure)
                column.append(at)
            columns.append(column)
        shape = sum(len(table.counts) for table in tables), len(structures)
        counts = np.zeros(shape, np.result_type(np.int64, *(table.counts for table in tables)))
        end = 0
        for table, column in zip(tables, columns, strict=True):
            start, end = end, end + len(table.counts)
            counts[start:end, column] = table.counts
        return cls(tuple(structures), counts)

    def of_sizes(self, sizes: range) -> CensusTable:
        """The structures of some sizes."""
        kept = [k for k, structure in enumerate(self.structures) if structure.num_nodes in sizes]
        return CensusTable(tuple(self.structures[k] for k in kept), self.counts[:, kept])

    def with_structures_alone(self) -> CensusTable:
        """With each structure alone as well, whose counts are the sums over all its kinds.

        >>> first = Structure.parse("a-[acts]->b, b-[stops]->c")
        >>> second = Structure.parse("a-[stops]->b, b-[acts]->c")
        >>> every = CensusTable.of({first: 3, second: 1}).with_structures_alone()
        >>> every.structures[2].to_text(), every.counts.tolist()
        ('A->B, B->C', [[3, 1, 4]])

        Those of a bipartite graph have none: each side has nodes of its own, and a structure turned
        round is another.
        """
        if self.is_of_sides:
            return self
        alone: dict[bytes, Structure] = {}
        place: dict[bytes, int] = {}
        # the number of the structure alone of each one that has kinds
        number: dict[int, int] = {}
        for column, structure in enumerate(self.structures):
            if structure.alone is not structure:
                alone.setdefault(structure.alone.key, structure.alone)
                number[column] = place.setdefault(structure.alone.key, len(place))
        sums = np.zeros((len(self.counts), len(alone)), self.counts.dtype)
        for column, of_alone in number.items():
            sums[:, of_alone] += self.counts[:, column]
        structures = *self.structures, *alone.values()
        return CensusTable(structures, np.concatenate([self.counts, sums], axis=1))

    @property
    def is_of_sides(self) -> bool:
        """Whether all structures are those of a graph with two sides: two kinds of nodes, joined.

        A graph with an edge in one kind would have a structure that has it, too.
        """
        kinds = {names for structure in self.structures for names in structure.categories}
        return len(kinds) == 2 and all(
            structure.categories
            and structure.relations == SIMPLE
            and all(structure.categories[u] != structure.categories[v] for u, v in structure.edges)
            for structure in self.structures
        )

    def rows(self) -> list[Counts]:
        """The census of each graph, by structures."""
        return [dict(zip(self.structures, row, strict=True)) for row in self.counts.tolist()]


def count_in_each(
    graphs: Sequence[CSRGraph],
    sizes: range,
    categories: Categories = NO_CATEGORIES,
    spend: Spend = spend_freely,
) -> CensusTable:
    """The same for several graphs with the same relations: induced, a row for each graph.

    What many of them have in common is looked at once.
    """
    if is_plain(graphs[0], categories):
        counts = count_graphlets(graphs, sizes[-1], spend).T
        return CensusTable(graphlets()[: counts.shape[1]], counts).of_sizes(sizes)
    sides = [categories.two_sides(graph) for graph in graphs]
    told = [colors for colors in sides if colors is not None]
    if len(told) == len(graphs) and len(np.unique(np.concatenate(told))) <= 2:
        return _count_sides(graphs, told, sizes, categories, spend)
    if sizes[-1] > SET_SIZES[-1]:
        # those of the graph are counted, so that a random graph is another
        rule = "must draw graphs whose edges join nodes of different sides, as those of the graph"
        raise InputError("null", rule, way_out=(Argument("null", "degree"), " does"))
    relations = graphs[0].relations
    tables = []
    for size in sizes:
        found = count_connected_sets(graphs, size, categories, spend)
        if relations.directed == (True,) and not categories:
            # those that no graph has are told, too
            every = directed_structures(size, *relations.names)
            place = {structure: number for number, structure in enumerate(every)}
            counts = np.zeros((len(graphs), len(every)), np.int64)
            counts[:, [place[structure] for structure in found.structures]] = found.counts
            found = CensusTable(every, counts)
        tables.append(found)
    structures = sum((table.structures for table in tables), ())
    return CensusTable(structures, np.concatenate([table.counts for table in tables], axis=1))


class _OfSides(NamedTuple):
    """A structure of a bipartite graph: which side its nodes are on, and how it is counted.

    ``orbit`` has ``size`` of its nodes; those of ``side`` at it count it, or of both where that is
    None and the sides can be exchanged.
    """

    graphlet: int
    sides: tuple[int, ...]
    orbit: int
    size: int
    side: int | None


@cache
def _structures_of_sides(sizes: range) -> tuple[_OfSides, ...]:
    """All structures of some sizes whose edges join two sides."""
    found = []
    for number, (graphlet, orbits) in enumerate(zip(graphlets(), ORBITS, strict=True)):
        if graphlet.num_nodes not in sizes:
            continue
        # the side of each node, by a walk over the edges from the first
        sides = [0, *[-1] * (graphlet.num_nodes - 1)]
        for _ in sides:
            for one, other in (*graphlet.edges, *((v, u) for u, v in graphlet.edges)):
                if sides[one] >= 0 > sides[other]:
                    sides[other] = 1 - sides[one]
        if any(sides[one] == sides[other] for one, other in graphlet.edges):
            continue
        orbit, size = orbits[0], orbits.count(orbits[0])
        here = {side for side, of in zip(sides, orbits, strict=True) if of == orbit}
        if len(here) == 2:
            found.append(_OfSides(number, tuple(sides), orbit, size, None))
            continue
        for side in (0, 1):
            turned = tuple(side ^ of for of in sides)
            found.append(_OfSides(number, turned, orbit, size, side))
    return tuple(found)


def _count_sides(
    graphs: Sequence[CSRGraph],
    colors: Sequence[np.ndarray],
    sizes: range,
    categories: Categories,
    spend: Spend,
) -> CensusTable:
    """Induced occurrences of the structures of bipartite graphs, of nodes of two ``colors``.

    How often the nodes of a side are at each orbit says how often they are all that is on that side
    of a structure. Those that no graph has are left out.
    """
    known = np.unique(np.concatenate(colors))
    second = [of_graph == known[-1] for of_graph in colors]
    counts = count_orbits_of_sides(graphs, second, max(4, sizes[-1]), spend)
    found: dict[int, list[Any]] = {size: [] for size in sizes}
    for one in _structures_of_sides(sizes):
        of_orbit = counts[one.orbit]
        numbers = (of_orbit.sum(axis=0) if one.side is None else of_orbit[one.side]) // one.size
        if numbers.any():
            found[len(one.sides)].append((one, numbers))
    bit = int(graphs[0].relations.links[1] @ (1 << np.arange(len(graphs[0].relations.channels))))
    tables = []
    for some in filter(None, found.values()):
        channels = np.array([graphlets()[one.graphlet].joined * bit for one, _ in some])
        given = Forms(channels.astype(np.int64), known[[list(one.sides) for one, _ in some]])
        forms, position = merge_forms(find_forms(given))
        of_size = structures_of(
            forms,
            graphs[0].relations,
            lambda colors: categories.names_of(colors, graphs[0].feature_names),
        )
        numbers = np.array([numbers for _, numbers in some])
        tables.append(CensusTable(tuple(of_size), numbers[np.argsort(position)].T))
    structures = sum((table.structures for table in tables), ())
    every = [np.empty((len(graphs), 0), np.int64), *(table.counts for table in tables)]
    return CensusTable(structures, np.concatenate(every, axis=1))


def exact_array(counts: Any) -> np.ndarray:
    """Whole numbers, nested or not, as int64; as Python's integers where one does not fit.

    NumPy alone makes rounded numbers of some that do not.

    >>> exact_array([[1, 2**63], [3, 4]])[0, 1] + 1 == 2**63 + 1
    True
    """
    found = np.array(counts)
    # of whole numbers NumPy makes this type where all fit, and another where one does not
    if found.dtype == np.int64:
        return found
    whole = np.array(counts, object)
    return whole if max(whole.flat, default=0) >= 2**63 else whole.astype(np.int64)


def census_steps(
    graph: CSRGraph,
    sizes: range,
    categories: Categories = NO_CATEGORIES,
    spend: Spend = spend_freely,
) -> int:
    """About how many steps of some three nanoseconds a census takes, on one thread.

    It depends on the graph alone. Raises an UncountableError where it cannot be taken.
    """
    if has_formulas(graph, categories):
        return formula_steps(graph, sizes[-1], spend)
    check_channels(graph)
    known, _ = _used_colors([graph], categories)
    for size in sizes:
        check_codes(graph, len(known), size)
    return sum(_CALL + _SET * sets_steps(graph, size) for size in sizes)


def census_sizes(graph: CSRGraph, sizes: range, categories: Categories = NO_CATEGORIES) -> range:
    """Those of some sizes of which all structures are counted."""
    first, last = _smallest_and_largest(graph, categories)
    return range(max(sizes[0], first), min(sizes[-1], last) + 1)


def _smallest_and_largest(
    graph: CSRGraph, categories: Categories = NO_CATEGORIES
) -> tuple[int, int]:
    return _SIZES if has_formulas(graph, categories) else SET_SIZES


def is_plain(graph: CSRGraph, categories: Categories = NO_CATEGORIES) -> bool:
    """Whether its edges have neither directions nor kinds, and its nodes no categories."""
    return graph.links is None and not categories


def has_formulas(graph: CSRGraph, categories: Categories = NO_CATEGORIES) -> bool:
    """Whether its structures are counted as graphlets: it is plain, but for two sides."""
    return is_plain(graph, categories) or categories.two_sides(graph) is not None


def sizes_of_census(sizes: Any, graph: CSRGraph, categories: Categories) -> range:
    """The sizes that ``sizes`` stands for, or all of three nodes and more that can be counted."""
    first, last = _smallest_and_largest(graph, categories)
    return range(3, last + 1) if sizes is None else check_sizes("sizes", sizes, first, last)


class Forms(NamedTuple):
    """Some structures of M nodes in their canonical forms.

    ``channels`` is int64 ``[K, M, M]``, the channels of each link as bits, and ``colors`` int64
    ``[K, M]``. Structures are isomorphic if and only if their forms are equal.
    """

    channels: np.ndarray
    colors: np.ndarray


def check_channels(graph: CSRGraph) -> None:
    """Refuse a graph with more relations than a structure of a census has bits for."""
    if len(graph.relations.channels) > MOST_CHANNELS:
        raise UncountableError(
            "graph",
            (
                f"must have at most {MOST_CHANNELS} relations, or {MOST_CHANNELS // 2} with a "
                "direction, for its structures to be counted"
            ),
            got=len(graph.relations.names),
            way_out=("read it with ", Argument("relation", "none"), ", or with fewer relations"),
        )


def count_connected_sets(
    graphs: Sequence[CSRGraph],
    size: int,
    categories: Categories = NO_CATEGORIES,
    spend: Spend = spend_freely,
) -> CensusTable:
    """Induced occurrences of each structure of ``size`` nodes that any of some graphs has.

    The graphs have the same relations. A structure is the same object in every graph.
    """
    for graph in graphs:
        check_channels(graph)
    known, colors = _used_colors(graphs, categories)
    sets = count_sets(graphs, colors, len(known), size, lambda steps: spend(_SET * steps))
    # in terms of what the links of every graph consist of
    relations = graphs[0].relations
    bits = relations.links @ (1 << np.arange(len(relations.channels), dtype=np.int64))
    forms, position = merge_forms(find_forms(Forms(bits[sets.links], known[sets.colors])))
    totals = np.zeros((len(forms.channels), len(graphs)), np.int64)
    np.add.at(totals, position, sets.numbers)
    structures = structures_of(
        forms,
        relations,
        lambda colors: categories.names_of(colors if categories else None, graphs[0].feature_names),
    )
    return CensusTable(tuple(structures), totals.T)


def _used_colors(
    graphs: Sequence[CSRGraph], categories: Categories
) -> tuple[np.ndarray, list[np.ndarray]]:
    """The colours of the nodes, ascending, and the place of each node's among them ``[V]``."""
    if not categories:
        return np.zeros(1, np.int64), [np.zeros(graph.num_nodes, np.int64) for graph in graphs]
    of_graphs = [categories.colors(graph.features).reshape(-1) for graph in graphs]
    known = np.unique(np.concatenate(of_graphs))
    return known, [np.searchsorted(known, colors) for colors in of_graphs]


def find_forms(given: Forms) -> Forms:
    """The canonical forms of some structures."""
    # their channels may have many bits, and only the order of the links counts
    links = np.searchsorted(np.unique([0, *np.unique(given.channels)]), given.channels)
    order = canonical_forms(links, given.colors).order
    rows = np.arange(len(order))[:, None]
    channels = given.channels[rows[:, :, None], order[:, :, None], order[:, None, :]]
    return Forms(channels, given.colors[rows, order])


def merge_forms(forms: Forms) -> tuple[Forms, np.ndarray]:
    """The different ones, those with fewest edges first, and where each of the others is there."""
    number, size = forms.colors.shape
    upper = np.triu_indices(size, 1)
    joined = forms.channels[:, upper[0], upper[1]]
    used = range(int(joined.max(initial=0)).bit_length())
    total = sum((joined >> bit & 1).sum(axis=1, keepdims=True) for bit in used)
    total = np.zeros((number, 1), np.int64) + total
    links = forms.channels.reshape(number, size * size)
    rows = np.concatenate([total, links, forms.colors], axis=1)
    _, first, position = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return Forms(forms.channels[first], forms.colors[first]), position.reshape(-1)


def structures_of(
    forms: Forms, relations: Relations, names_of: Callable[[np.ndarray], Names]
) -> list[Structure]:
    """The structures of some forms, with names for their colours; equal ones are one object."""
    # also in several threads
    with _making:
        return [
            _structure(links.tobytes(), relations.names, relations.directed, names_of(node_colors))
            for links, node_colors in zip(forms.channels, forms.colors, strict=True)
        ]


@cache
def _structure(
    links: bytes, names: tuple[str, ...], directed: tuple[bool, ...], categories: Names
) -> Structure:
    bits = np.frombuffer(links, np.int64)
    size, relations = int(np.sqrt(len(bits))), relations_of(names, directed)
    channels = bits.reshape(size, size, 1) >> np.arange(len(relations.channels)) & 1
    return Structure.of_channels(channels, relations, categories)


@cache
def directed_structures(size: int, name: str = PLAIN) -> tuple[Structure, ...]:
    """All connected structures of ``size`` nodes whose edges have directions, by their arcs.

    >>> len(directed_structures(3)), len(directed_structures(4))
    (13, 199)
    """
    upper = np.triu_indices(size, 1)
    codes = np.arange(4 ** len(upper[0]))
    matrix = np.zeros((len(codes), size, size), np.int64)
    matrix[:, upper[0], upper[1]] = codes[:, None] >> 2 * np.arange(len(upper[0])) & 3
    # out is the first bit, and in the second
    matrix += np.array([0, 2, 1, 3])[matrix.swapaxes(1, 2)]
    matrix = matrix[are_connected(matrix != 0)]
    forms, _ = merge_forms(find_forms(Forms(matrix, np.zeros((len(matrix), size), np.int64))))
    return tuple(structures_of(forms, relations_of([name], [True]), lambda _: ()))


def are_connected(joined: np.ndarray) -> np.ndarray:
    """Which graphs ``[K, M, M]`` are in one piece."""
    size = joined.shape[1]
    reached: np.ndarray = joined | np.eye(size, dtype=bool)
    for _ in range(size.bit_length()):
        reached = reached @ reached
    return np.asarray(reached.all(axis=(1, 2)))


def subgraphs_of(counts: dict[Structure, int]) -> dict[Structure, int]:
    """Subgraphs isomorphic to each structure, from the induced occurrences of all of some nodes."""
    known, totals = {structure.key: structure for structure in counts}, dict.fromkeys(counts, 0)
    for structure, count in counts.items():
        for part, number in _parts(structure):
            counted = known.setdefault(part.key, part)
            totals[counted] = totals.get(counted, 0) + number * count
    return totals


# those of the structures of a census are asked for again in each random graph
@lru_cache(4096)
def _parts(structure: Structure) -> list[tuple[Structure, int]]:
    """The structures on all nodes of one that have some of its edges, and how many there are."""
    found, position, _ = edge_subsets(structure)
    return list(zip(found, np.bincount(position).tolist(), strict=True))


def edge_subsets(structure: Structure) -> tuple[list[Structure], np.ndarray, np.ndarray]:
    """The sets of edges of a structure that connect all its nodes: which structures these are.

    Returned are the structures, the number of that of each set, int64 ``[C]``, and its edges, of
    ``structure.edges``, bool ``[C, E]``.
    """
    edges = list(zip(structure.edges, structure.edge_relations, strict=True))
    if len(edges) > _MOST_EDGES:
        raise InputError(
            "reading",
            f"must be 'induced' where a structure has over {_MOST_EDGES} edges",
            got=len(edges),
        )
    relations, size = structure.relations, structure.num_nodes
    chosen = np.arange(1 << len(edges))
    matrix = np.zeros((len(chosen), size, size), np.int64)
    for place, ((u, v), relation) in enumerate(edges):
        has = chosen >> place & 1
        out = int(relations.outgoing[relation])
        matrix[:, u, v] |= has << out
        matrix[:, v, u] |= has << int(relations.opposite[out])
    connects = are_connected(matrix != 0)
    matrix, chosen = matrix[connects], chosen[connects]
    colors = np.broadcast_to(np.array(structure.colors), (len(matrix), size))
    forms, position = merge_forms(find_forms(Forms(matrix, colors)))
    names = dict(zip(structure.colors, structure.categories, strict=False))
    found = structures_of(
        forms, relations, lambda colors: tuple(names[color] for color in colors.tolist() if names)
    )
    return found, position, (chosen[:, None] >> np.arange(len(edges)) & 1).astype(bool)
