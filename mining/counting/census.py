"""A census: how often every connected structure of some sizes occurs, in each of two readings.

Structures without directions, relations and categories are counted by formulas, the others by
looking at all connected sets of nodes: each set is met at its lowest node, and a hash table counts
the sets of each code, from which the canonical forms follow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import permutations
from threading import local
from typing import Any, NamedTuple

import numpy as np

from gomkcn_dgl.checks import check_sizes
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.kernels.search_numba import INLINE_JIT, mix
from gomkcn_dgl.relations import PLAIN, Relations, relations_of
from gomkcn_dgl.runtime.compiled import compiled, run_blocks, subroutine
from mining.categories import NO_CATEGORIES, Categories
from mining.counting.census_formulas import count_graphlets, formula_steps
from mining.counting.graphlets import graphlets
from mining.counting.sought import INDUCED, SUBGRAPH

_SIZES = (2, 5)
# steps that looking at all sets takes in any graph, and for each set
_CALL, _SET = 300_000, 8
Counts = dict[Structure, int]
SET_SIZES = (3, 4)
# pieces of the roots, which threads share; the time of a set; rows of a table to begin with
_PIECES, _NANOSECONDS, _TABLE = 64, 3.0, 1 << 10
# channels that fit into a whole number; edges whose subsets are looked at
_MOST_CHANNELS, _MOST_EDGES = 62, 16
# of the categories of each node
Names = tuple[tuple[str, ...], ...]


def count_structures(
    graph: CSRGraph,
    sizes: range,
    reading: str = INDUCED,
    categories: Categories = NO_CATEGORIES,
) -> Counts:
    """Count all connected structures of some sizes, in all graphs of a collection together.

    A structure is the same object in every graph. Those without directions, relations and
    categories are counted by formulas, the others by looking at all connected sets of nodes. Those
    without relations and categories are all there, with zeros; of the others those that occur.

    >>> from gomkcn_dgl import as_csr
    >>> import networkx as nx
    >>> path = count_structures(as_csr(nx.path_graph(5)), range(3, 4))
    >>> {one.name: count for one, count in path.items()}
    {'path of 3 nodes': 3, 'triangle': 0}
    """
    (counts,) = count_in_each([graph], sizes, categories)
    return subgraphs_of(counts) if reading == SUBGRAPH else counts


def count_in_each(
    graphs: Sequence[CSRGraph], sizes: range, categories: Categories = NO_CATEGORIES
) -> list[Counts]:
    """The same for several graphs with the same relations: induced, those by formulas together."""
    if is_plain(graphs[0], categories):
        rows = zip(graphlets(), count_graphlets(graphs, sizes[-1]).tolist(), strict=False)
        family = {one: counts for one, counts in rows if one.num_nodes in sizes}
        return [
            dict(zip(family, counts, strict=True)) for counts in zip(*family.values(), strict=True)
        ]
    found: list[Counts] = []
    for graph in graphs:
        counts: Counts = {}
        for size in sizes:
            if graph.relations.directed == (True,) and not categories:
                counts |= dict.fromkeys(directed_structures(size, *graph.relations.names), 0)
            counts |= count_connected_sets(graph, size, categories)
        found.append(counts)
    return found


def exact_array(counts: Any) -> np.ndarray:
    """Whole numbers, nested or not, as int64; as Python's integers where one does not fit.

    NumPy alone makes rounded numbers of some that do not.

    >>> exact_array([[1, 2**63], [3, 4]])[0, 1] + 1 == 2**63 + 1
    True
    """
    whole = np.array(counts, object)
    return whole if max(whole.flat, default=0) >= 2**63 else whole.astype(np.int64)


def census_steps(graph: CSRGraph, sizes: range, categories: Categories = NO_CATEGORIES) -> int:
    """About how many steps of some three nanoseconds a census takes, on one thread.

    It depends on the graph alone. Where all connected sets are looked at, it is a bound.
    """
    if is_plain(graph, categories):
        return formula_steps(graph, sizes[-1])
    return sum(_CALL + _SET * set_steps(graph, size) for size in sizes)


def census_sizes(graph: CSRGraph, sizes: range, categories: Categories = NO_CATEGORIES) -> range:
    """Those of some sizes of which all structures are counted."""
    first, last = _smallest_and_largest(graph, categories)
    return range(max(sizes[0], first), min(sizes[-1], last) + 1)


def _smallest_and_largest(
    graph: CSRGraph, categories: Categories = NO_CATEGORIES
) -> tuple[int, int]:
    return _SIZES if is_plain(graph, categories) else SET_SIZES


def is_plain(graph: CSRGraph, categories: Categories = NO_CATEGORIES) -> bool:
    """Whether its edges have neither directions nor kinds, and its nodes no categories."""
    return graph.links is None and not categories


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


def count_connected_sets(
    graph: CSRGraph, size: int, categories: Categories = NO_CATEGORIES
) -> dict[Structure, int]:
    """Induced occurrences of each structure of ``size`` nodes that a graph has, by its structure.

    A structure is the same object in every graph.
    """
    if len(graph.relations.channels) > _MOST_CHANNELS:
        raise InputError(
            f"graph must have at most {_MOST_CHANNELS // 2} relations for its structures to be "
            f"counted, got {len(graph.relations.names)}."
        )
    given = categories.colors(graph.features) if categories else np.zeros(graph.num_nodes, np.int64)
    known, colors = np.unique(given, return_inverse=True)
    links, number = _count_codes(graph, colors, len(known), size)
    # 1. digits of the codes: links of earlier nodes to later ones, and colours
    kinds = len(graph.relations.links)
    matrix = np.zeros((len(links), size, size), np.int64)
    own = np.zeros((len(links), size), np.int64)
    for later in range(size - 1, -1, -1):
        links, own[:, later] = np.divmod(links, len(known))
        for earlier in range(later - 1, -1, -1):
            links, matrix[:, earlier, later] = np.divmod(links, kinds)
            matrix[:, later, earlier] = graph.relations.reverse[matrix[:, earlier, later]]
    # 2. the same in terms of what the links of every graph consist of
    bits = graph.relations.links @ (1 << np.arange(len(graph.relations.channels), dtype=np.int64))
    forms, position = merge_forms(find_forms(Forms(bits[matrix], known[own])))
    totals = np.zeros(len(forms.channels), np.int64)
    np.add.at(totals, position, number)
    structures = structures_of(
        forms,
        graph.relations,
        lambda own: categories.names_of(own if categories else None, graph.feature_names),
    )
    return dict(zip(structures, totals.tolist(), strict=True))


def _count_codes(
    graph: CSRGraph, colors: np.ndarray, num_colors: int, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """Codes of the sets, see :func:`count_sets`, and how many there are with each."""
    num_links, pairs = len(graph.relations.links), size * (size - 1) // 2
    if num_links**pairs * num_colors**size >= 2**63:
        raise InputError(
            f"graph must have fewer kinds of edges and categories for structures of {size} nodes "
            f"to be counted, got {num_links - 1} ways to be joined and {num_colors} categories."
        )
    links = np.ones(len(graph.indices), np.uint8) if graph.links is None else graph.links
    arrays = graph.indptr, graph.indices, links, colors.reshape(-1)
    bounds = np.linspace(0, graph.num_nodes, _PIECES + 1).astype(np.int64)
    own, tables = local(), []

    def work(first: int, last: int) -> None:
        # what one thread writes to
        if not hasattr(own, "scratch"):
            number = graph.num_nodes
            own.scratch = np.zeros((3, number), np.uint16), np.empty((2, number), np.int32)
            own.table = [np.full(_TABLE, -1, np.int64), np.zeros(_TABLE, np.int64)]
            tables.append(own.table)
        for piece in range(first, last):
            own.table[:] = count_sets(
                bounds[piece], bounds[piece + 1], arrays, (num_links, num_colors), size,
                *own.scratch, *own.table,
            )  # fmt: skip

    with np.errstate(over="ignore"):
        run_blocks(work, _PIECES, _NANOSECONDS * set_steps(graph, size))
    keys, counts = (np.concatenate(column) for column in zip(*tables, strict=True))
    used = keys >= 0
    codes, position = np.unique(keys[used], return_inverse=True)
    totals = np.zeros(len(codes), np.int64)
    np.add.at(totals, position, counts[used])
    return codes, totals


def set_steps(graph: CSRGraph, size: int) -> int:
    """At most so many connected sets: the trees of so many nodes, one or more in each set."""
    degrees = graph.degrees.astype(np.float64)
    if size == 3:
        return int((degrees * (degrees - 1) / 2).sum())
    stars = (degrees * (degrees - 1) * (degrees - 2) / 6).sum()
    rows = np.repeat(degrees - 1, graph.degrees)
    return int(stars + (rows * (degrees[graph.indices] - 1)).sum() / 2)


def find_forms(given: Forms) -> Forms:
    """The canonical forms: of all orders of the nodes, the one that reads smallest."""
    size = given.colors.shape[1]
    upper = np.triu_indices(size, 1)
    best: np.ndarray | None = None
    orders = np.zeros(len(given.colors), np.int64)
    every = np.array(list(permutations(range(size))))
    for number, order in enumerate(every):
        links = given.channels[:, order[upper[0]], order[upper[1]]]
        row = np.concatenate([given.colors[:, order], links], axis=1)
        if best is None:
            best = row
            continue
        # the first column in which two rows differ decides
        differs = row != best
        column = differs.argmax(axis=1)[:, None]
        smaller = np.take_along_axis(row, column, 1) < np.take_along_axis(best, column, 1)
        smaller = smaller[:, 0]
        best[smaller], orders[smaller] = row[smaller], number
    order, rows = every[orders], np.arange(len(orders))[:, None]
    channels = given.channels[rows[:, :, None], order[:, :, None], order[:, None, :]]
    return Forms(channels, given.colors[rows, order])


def merge_forms(forms: Forms) -> tuple[Forms, np.ndarray]:
    """The different ones, those with fewest edges first, and where each of the others is there."""
    number, size = forms.colors.shape
    upper = np.triu_indices(size, 1)
    num_edges = sum(forms.channels[:, upper[0], upper[1]] >> bit & 1 for bit in range(63))
    total = np.asarray(num_edges).sum(axis=1, keepdims=True)
    links = forms.channels.reshape(number, size * size)
    rows = np.concatenate([total, links, forms.colors], axis=1)
    _, first, position = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return Forms(forms.channels[first], forms.colors[first]), position.reshape(-1)


def structures_of(
    forms: Forms, relations: Relations, names_of: Callable[[np.ndarray], Names]
) -> list[Structure]:
    """The structures of some forms, with names for their colours; equal ones are one object."""
    return [
        _structure(links.tobytes(), relations.names, relations.directed, names_of(own))
        for links, own in zip(forms.channels, forms.colors, strict=True)
    ]


@cache
def _structure(
    links: bytes, names: tuple[str, ...], directed: tuple[bool, ...], categories: Names
) -> Structure:
    bits = np.frombuffer(links, np.int64)
    size, relations = int(np.sqrt(len(bits))), relations_of(names, directed)
    channels = bits.reshape(size, size, 1) >> np.arange(len(relations.channels)) & 1
    return Structure(channels, relations, categories)


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
    known, totals = {one.key: one for one in counts}, dict.fromkeys(counts, 0)
    for one, count in counts.items():
        for part, number in one.recall("parts", partial(_parts, one)):
            own = known.setdefault(part.key, part)
            totals[own] = totals.get(own, 0) + number * count
    return totals


def _parts(structure: Structure) -> list[tuple[Structure, int]]:
    """The structures on all nodes of one that have some of its edges, and how many there are."""
    edges = list(zip(structure.edges, structure.edge_relations, strict=True))
    if len(edges) > _MOST_EDGES:
        raise InputError(
            f"reading must be 'induced' where a structure has over {_MOST_EDGES} edges, got "
            f"{len(edges)}."
        )
    relations, size = structure.relations, structure.num_nodes
    chosen = np.arange(1 << len(edges))
    matrix = np.zeros((len(chosen), size, size), np.int64)
    for place, ((u, v), relation) in enumerate(edges):
        has = chosen >> place & 1
        out = int(relations.outgoing[relation])
        matrix[:, u, v] |= has << out
        matrix[:, v, u] |= has << int(relations.opposite[out])
    matrix = matrix[are_connected(matrix != 0)]
    colors = np.broadcast_to(np.array(structure.colors), (len(matrix), size))
    forms, position = merge_forms(find_forms(Forms(matrix, colors)))
    names = dict(zip(structure.colors, structure.categories, strict=False))
    found = structures_of(
        forms, relations, lambda own: tuple(names[color] for color in own.tolist() if names)
    )
    return list(zip(found, np.bincount(position).tolist(), strict=True))


@compiled()
def count_sets(first, last, graph, kinds, size, marks, offered, keys, counts):
    """Count the sets whose lowest node is in [first, last), by a code; return the table.

    `graph` is (indptr, indices, links, colors), `kinds` the numbers of links and of colours. `marks
    [3, V]` are 0, and are left so; `offered [2, V]` are lists of nodes. `keys [H]`, -1 where free,
    and `counts [H]` are a hash table, which grows; H is a power of two.

    A code has the digits c0 | l01 c1 | l02 l12 c2 | l03 l13 l23 c3: the link from an earlier node
    to a later one, and the colour of the later one.
    """
    indptr, indices, links, colors = graph
    num_links, num_colors = kinds
    used = (keys >= 0).sum()
    for root in range(first, last):
        # 1. a root, and its neighbours above it
        num_first = 0
        for entry in range(indptr[root], indptr[root + 1]):
            node = indices[entry]
            marks[0, node] = links[entry]
            if node > root:
                offered[0, num_first] = node
                num_first += 1
        for i in range(num_first):
            # 2. one of these; on offer are those behind it, and what it alone leads to
            a, num_second = offered[0, i], 0
            for k in range(i + 1, num_first):
                offered[1, num_second] = offered[0, k]
                num_second += 1
            for entry in range(indptr[a], indptr[a + 1]):
                node = indices[entry]
                marks[1, node] = links[entry]
                if node > root and marks[0, node] == 0:
                    offered[1, num_second] = node
                    num_second += 1
            code_a = (colors[root] * num_links + marks[0, a]) * num_colors + colors[a]
            for j in range(num_second):
                # 3. one of these; the table has room for all sets with it
                b = offered[1, j]
                while 2 * (used + num_second + indptr[b + 1] - indptr[b]) > len(keys):
                    keys, counts = _grow(keys, counts)
                code_b = (code_a * num_links + marks[0, b]) * num_links + marks[1, b]
                code_b = code_b * num_colors + colors[b]
                if size == 3:
                    used += _count(code_b, keys, counts)
                else:
                    # 4. and every fourth node: behind it, and what it alone leads to
                    code_b *= num_links
                    for entry in range(indptr[b], indptr[b + 1]):
                        node = indices[entry]
                        marks[2, node] = links[entry]
                        if node > root and marks[0, node] == 0 and marks[1, node] == 0:
                            code = code_b * num_links * num_links + links[entry]
                            used += _count(code * num_colors + colors[node], keys, counts)
                    for k in range(j + 1, num_second):
                        node = offered[1, k]
                        code = (code_b + marks[0, node]) * num_links + marks[1, node]
                        code = code * num_links + marks[2, node]
                        used += _count(code * num_colors + colors[node], keys, counts)
                    for entry in range(indptr[b], indptr[b + 1]):
                        marks[2, indices[entry]] = 0
            for entry in range(indptr[a], indptr[a + 1]):
                marks[1, indices[entry]] = 0
        for entry in range(indptr[root], indptr[root + 1]):
            marks[0, indices[entry]] = 0
    return keys, counts


@subroutine(**INLINE_JIT)
def _count(code, keys, counts):
    """Count one more set with this code; return 1 if it is new, else 0."""
    place = _find(code, keys)
    is_new = np.int64(keys[place] < 0)
    keys[place] = code
    counts[place] += 1
    return is_new


@subroutine(**INLINE_JIT)
def _find(code, keys):
    """Where a code stands in the table, or may be put."""
    place = np.int64(mix(np.uint64(code)) & np.uint64(len(keys) - 1))
    while keys[place] >= 0 and keys[place] != code:
        place = (place + 1) & (len(keys) - 1)
    return place


@subroutine()
def _grow(keys, counts):
    """A table of four times the size with the same content."""
    more_keys, more_counts = np.full(4 * len(keys), -1, np.int64), np.zeros(4 * len(keys), np.int64)
    for place in range(len(keys)):
        if keys[place] >= 0:
            found = _find(keys[place], more_keys)
            more_keys[found], more_counts[found] = keys[place], counts[place]
    return more_keys, more_counts
