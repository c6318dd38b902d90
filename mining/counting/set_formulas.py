"""How many connected sets of three and four nodes look the same, kinds of edges and nodes included.

Sets are not looked at one by one. What follows from the neighbours of a node, of the two ends of an
edge or of two opposite nodes is counted by kinds: stars, paths, triangles with a pendant node,
squares, and squares with a chord, whatever else joins their nodes (as in A. Pinar, C. Seshadhri
and V. Vishal, ESCAPE, WWW 2017, who count graphs of one kind). A hub with its leaves takes as many
steps as its leaves have kinds. Only triangles and cliques of four are listed. Each structure that
has more edges is then taken away from those that are a part of it.

A set is a code, with the digits ``c0 | l01 c1 | l02 l12 c2 | l03 l13 l23 c3``: the link from an
earlier node to a later one, 0 for none, and the colour of the later one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise, product
from math import comb
from threading import local
from typing import NamedTuple

import numpy as np

from gomkcn.mining.counting.rows_by_degree import RowsByDegree
from gomkcn.mining.counting.watching import Spend, UncountableError, spend_freely
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graph_content import NONE
from gomkcn_dgl.graphs.canonical_form import canonical_forms
from gomkcn_dgl.kernels.search_numba import INLINE_JIT, mix
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.runtime.compiled import compiled, run_blocks, subroutine

# pieces of about equal cost, which threads share, and between which the clock is looked at
_PIECES = 256
# steps of a piece at least: what it takes to begin one is then a hundredth
_LEAST_STEPS = 10_000
# nanoseconds of a step
_NANOSECONDS = 3.0
# rows of a table of codes to begin with, which grows: more than a graph without categories has
_TABLE = 1 << 10
# rows of a table, of which half are used at most: more structures than these are read by nobody,
# and what is made of them fills the memory
MOST_ROWS = 1 << 20
# trees in all sets: what is counted is at most four times as much, and must fit into 64 bits
_MOST_TREES = 2**60


class SetCounts(NamedTuple):
    """How many connected sets of M nodes look the same, a row each, in each of some graphs."""

    links: np.ndarray  # int64 [K, M, M], from the node of a row to that of a column, 0: none
    colors: np.ndarray  # int64 [K, M]
    numbers: np.ndarray  # int64 [K, G], not 0 in all graphs


class _Base(NamedTuple):
    """What the digits of a code are."""

    reverse: np.ndarray  # int64 [L], each link as seen from the other end
    num_colors: int


_FEWER_KINDS = ("read it with ", Argument("relation", NONE), ", or with fewer features")


class _Kinds(NamedTuple):
    """The colours of nodes, and how many of the neighbours of each are of which kind."""

    colors: np.ndarray  # int64 [V], from 0
    ptr: np.ndarray  # int64 [V + 1], the kinds of neighbours of each node:
    kind: np.ndarray  # int64, link and colour as link C + colour
    number: np.ndarray  # int64, how many neighbours are of it


def check_codes(graph: CSRGraph, num_colors: int, size: int) -> None:
    """Refuse a graph with so many kinds that the sets of ``size`` nodes have no code."""
    num_links, pairs = len(graph.relations.links), size * (size - 1) // 2
    if num_links**pairs * num_colors**size >= 2**63:
        raise UncountableError(
            "graph",
            (
                f"must have fewer kinds of edges and categories for structures of {size} nodes to "
                "be counted"
            ),
            got=f"{num_links - 1} ways to be joined and {num_colors} categories",
            way_out=_FEWER_KINDS,
        )
    if num_trees(graph, size) >= _MOST_TREES:
        raise UncountableError(
            "graph",
            (
                f"must have nodes with fewer neighbors for structures of {size} nodes to be "
                "counted in 64 bits"
            ),
            got=f"one with {int(graph.degrees.max()):,}",
        )


def count_sets(
    graphs: Sequence[CSRGraph],
    colors: Sequence[np.ndarray],
    num_colors: int,
    size: int,
    spend: Spend = spend_freely,
) -> SetCounts:
    """Count the connected sets of graphs whose nodes have ``colors``, ``[V]`` from 0, each alone.

    The graphs have the same relations; what looks the same in many of them is told apart once.
    ``spend`` is told of the steps that were made, of those of :func:`sets_steps`; what it raises
    ends the count.
    """
    for graph in graphs:
        check_codes(graph, num_colors, size)
    base = _Base(graphs[0].relations.reverse.astype(np.int64), num_colors)
    parts = _count_parts(*_find_kinds(graphs, np.concatenate(colors), base), base, size, spend)
    return _take_away(parts, base, size)


def sets_steps(graph: CSRGraph, size: int) -> int:
    """About how many steps of some three nanoseconds :func:`count_sets` takes."""
    base = _Base(graph.relations.reverse.astype(np.int64), 1)
    found = _find_kinds([graph], np.zeros(graph.num_nodes, np.int64), base)
    return int(_costs(*found, size).sum())


def num_trees(graph: CSRGraph, size: int) -> int:
    """At most so many connected sets: the trees of so many nodes, one or more in each set."""
    neighbors = graph.degrees
    degrees = neighbors.astype(np.float64)
    if size == 3:
        return int((degrees * (degrees - 1) / 2).sum())
    stars = (degrees * (degrees - 1) * (degrees - 2) / 6).sum()
    rows = np.repeat(degrees - 1, neighbors)
    return int(stars + (rows * (degrees[graph.indices] - 1)).sum() / 2)


def _find_kinds(
    graphs: Sequence[CSRGraph], colors: np.ndarray, base: _Base
) -> tuple[RowsByDegree, _Kinds, np.ndarray]:
    """The rows of graphs by degree with the link of each entry, and the kinds of neighbours.

    The graphs stand one after the other, each by its degrees: those of graph g, of which ``colors``
    has the nodes as they were, are the rows [ptr[g], ptr[g + 1]) of the last array.
    """
    # 1. number the nodes of each graph by their degrees, equal ones as they were
    ptr = np.cumsum([0, *(graph.num_nodes for graph in graphs)])
    number = int(ptr[-1])
    degrees = np.concatenate([graph.degrees for graph in graphs])
    nodes = np.lexsort((degrees, np.repeat(np.arange(len(graphs)), np.diff(ptr))))
    place = np.empty(number, np.int64)
    place[nodes] = np.arange(number)
    neighbors = [graph.indices + start for graph, start in zip(graphs, ptr[:-1], strict=True)]
    row, column = np.repeat(place, degrees), place[np.concatenate(neighbors)]
    order = np.argsort(row * number + column)
    row, column = row[order], column[order]
    links = np.ones(len(row), np.int64)
    if graphs[0].links is not None:
        links = np.concatenate([graph.links for graph in graphs])[order].astype(np.int64)
    indptr = np.concatenate([[0], np.cumsum(degrees[nodes])])
    up = indptr[:-1] + np.bincount(row[column < row], minlength=number)
    colors_of_nodes = colors.reshape(-1)[nodes]
    rows = RowsByDegree(indptr, column.astype(np.int32), links, up)
    # 2. neighbours of each node by kind
    kind = links * base.num_colors + colors_of_nodes[column]
    order = np.lexsort((kind, row))
    row, kind = row[order], kind[order]
    is_first = np.ones(len(row), bool)
    is_first[1:] = (row[1:] != row[:-1]) | (kind[1:] != kind[:-1])
    starts = np.flatnonzero(is_first)
    of_node = np.concatenate([[0], np.cumsum(np.bincount(row[starts], minlength=number))])
    numbers = np.diff(starts, append=len(row))
    kinds = _Kinds(colors_of_nodes.astype(np.int64), of_node, kind[starts], numbers)
    return rows, kinds, ptr


def _costs(rows: RowsByDegree, kinds: _Kinds, ptr: np.ndarray, size: int) -> np.ndarray:
    """About the steps at each node, float64 ``[V]``."""
    degrees, num_kinds = np.diff(rows.indptr), np.diff(kinds.ptr).astype(np.float64)
    row = np.repeat(np.arange(len(degrees)), degrees)
    is_down = rows.indices < row
    high, low = row[is_down], rows.indices[is_down]
    # 1. rows of neighbours with fewer of them are read for triangles and for squares
    costs = degrees[low] * (1.0 if size == 3 else 3.0)
    if size == 4:
        # 2. kinds at both ends of an edge; and cliques beyond the triangles at its lower end
        later = (rows.indptr[1:] - rows.up).astype(np.float64)
        costs = costs + num_kinds[high] * num_kinds[low]
        most = [later[first:last].max(initial=0) for first, last in pairwise(ptr.tolist())]
        costs += np.minimum(later[high], later[low]) * np.repeat(most, np.diff(ptr))[high]
    num_codes = num_kinds ** (size - 1) / (2 if size == 3 else 6)
    return np.bincount(high, costs, minlength=len(degrees)) + num_codes + 2.0


def _count_parts(
    rows: RowsByDegree, kinds: _Kinds, ptr: np.ndarray, base: _Base, size: int, spend: Spend
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Codes of parts of the sets of each graph, whatever else joins their nodes, and their numbers.

    Of four nodes, one and the same part may be counted at codes that differ.
    """
    # of the stars at one node all codes differ
    most_kinds = int(np.diff(kinds.ptr).max(initial=0))
    if comb(most_kinds, size - 1) > MOST_ROWS // 2:
        raise _too_many(size)
    before = np.concatenate([[0.0], np.cumsum(_costs(rows, kinds, ptr, size))])
    # what each thread marks nodes in, whatever graph they are of
    marks_of = local()

    def count_graph(start: int, end: int) -> tuple[np.ndarray, np.ndarray]:
        steps = before[end] - before[start]
        pieces = int(min(_PIECES, 1 + steps // _LEAST_STEPS))
        bounds = [start, end]
        if pieces > 1:
            between = np.linspace(before[start], before[end], pieces + 1)[1:-1]
            bounds[1:1] = np.searchsorted(before, between).tolist()
        of_thread = local()
        tables: list[list[np.ndarray]] = []

        def work(first: int, last: int) -> None:
            # what one thread writes to
            if not hasattr(marks_of, "marks"):
                marks_of.marks = np.zeros((2, len(before) - 1), np.int64)
            if not hasattr(of_thread, "table"):
                of_thread.table = [np.full(_TABLE, -1, np.int64), np.zeros(_TABLE, np.int64)]
                tables.append(of_thread.table)
            for piece in range(first, last):
                ends = bounds[piece], bounds[piece + 1]
                of_thread.table[:] = add_parts(
                    *ends, rows, kinds, base, size, marks_of.marks, *of_thread.table
                )
                if len(of_thread.table[0]) > MOST_ROWS:
                    raise _too_many(size)
                spend(before[ends[1]] - before[ends[0]])

        run_blocks(work, pieces, _NANOSECONDS * steps)
        keys, counts = (np.concatenate(column) for column in zip(*tables, strict=True))
        used = np.flatnonzero(keys >= 0)
        return keys[used], counts[used]

    with np.errstate(over="ignore"):
        return [count_graph(start, end) for start, end in pairwise(ptr.tolist())]


def _too_many(size: int) -> UncountableError:
    return UncountableError(
        "graph",
        (
            f"must have fewer kinds of edges and categories for structures of {size} nodes to "
            "be counted"
        ),
        got=f"over {MOST_ROWS // 2:,} different structures",
        way_out=_FEWER_KINDS,
    )


def _take_away(
    counted: Sequence[tuple[np.ndarray, np.ndarray]], base: _Base, size: int
) -> SetCounts:
    """Take what has more edges away from its parts, in each graph, which has codes and counts.

    Codes that are left in any graph are ascending.
    """
    # 1. the different codes of all graphs, and those that are canonical
    keys = np.concatenate([keys for keys, _ in counted])
    counts = np.concatenate([counts for _, counts in counted])
    of_graph = np.repeat(np.arange(len(counted)), [len(keys) for keys, _ in counted])
    keys, of_key = np.unique(keys, return_inverse=True)
    codes, of_code = np.unique(
        _canonical_codes(*_digits_of(keys, base, size), base), return_inverse=True
    )
    totals = np.zeros((len(codes), len(counted)), np.int64)
    np.add.at(totals, (of_code.reshape(-1)[of_key.reshape(-1)], of_graph), counts)
    # 2. those with most edges first: what is a part of them has fewer
    links, colors = _digits_of(codes, base, size)
    first, last = np.triu_indices(size, 1)
    joined = links[:, first, last] > 0
    num_edges = joined.sum(axis=1)
    for edges in range(len(first), size - 1, -1):
        is_there = (num_edges == edges) & (totals != 0).any(axis=1)
        rows, kept = np.flatnonzero(is_there), _connected_parts(size)
        is_part = ~(kept[:, None] & ~joined[rows]).any(axis=2) & (kept.sum(axis=1) < edges)[:, None]
        part, row = np.nonzero(is_part)
        within = np.zeros((len(kept), size, size), np.int64)
        within[:, first, last] = within[:, last, first] = kept
        parts = _canonical_codes(links[rows[row]] * within[part], colors[rows[row]], base)
        np.subtract.at(totals, np.searchsorted(codes, parts), totals[rows[row]])
    occurs = (totals != 0).any(axis=1)
    return SetCounts(links[occurs], colors[occurs], totals[occurs])


@cache
def _connected_parts(size: int) -> np.ndarray:
    """Which pairs of so many nodes are joined in each connected graph of them, bool ``[K, P]``."""
    first, last = np.triu_indices(size, 1)
    chosen = np.array(list(product([False, True], repeat=len(first))))
    reached = np.zeros((len(chosen), size, size), bool)
    reached[:, first, last] = reached[:, last, first] = chosen
    reached |= np.eye(size, dtype=bool)
    for _ in range(size.bit_length()):
        reached = reached @ reached
    return chosen[reached.all(axis=(1, 2))]


def _digits_of(codes: np.ndarray, base: _Base, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Links ``[K, M, M]`` from the node of a row to that of a column, and colours ``[K, M]``."""
    links = np.zeros((len(codes), size, size), np.int64)
    colors = np.zeros((len(codes), size), np.int64)
    for later in range(size - 1, -1, -1):
        codes, colors[:, later] = np.divmod(codes, base.num_colors)
        for earlier in range(later - 1, -1, -1):
            codes, digit = np.divmod(codes, len(base.reverse))
            links[:, earlier, later], links[:, later, earlier] = digit, base.reverse[digit]
    return links, colors


def _canonical_codes(links: np.ndarray, colors: np.ndarray, base: _Base) -> np.ndarray:
    """The code of each set with its nodes in canonical order, int64 ``[K]``."""
    order, size = canonical_forms(links, colors).order, links.shape[1]
    rows = np.arange(len(links))
    codes = np.zeros(len(links), np.int64)
    for later in range(size):
        for earlier in range(later):
            link = links[rows, order[:, earlier], order[:, later]]
            codes = codes * len(base.reverse) + link
        codes = codes * base.num_colors + colors[rows, order[:, later]]
    return codes


@compiled()
def add_parts(first, last, rows, kinds, base, size, marks, keys, counts):
    """Count what is met at the nodes in [first, last), by code; return the table.

    `marks [2, V]` are 0, and are left so. `keys [H]`, -1 where free, and `counts [H]` are a hash
    table, which grows; H is a power of two. A node that is met last has most neighbours.
    """
    table = CodeTable(keys, counts, np.array([(keys >= 0).sum()]))
    for node in range(first, last):
        start, up, stop = rows.indptr[node], rows.up[node], rows.indptr[node + 1]
        if stop - start >= size - 1:
            table = _add_stars(node, kinds, base, size, table)
        for entry in range(start, stop):
            marks[0, rows.indices[entry]] = rows.label[entry]
        for entry in range(start, up):
            # what has the edge in its middle has another edge at each end
            other = rows.indices[entry]
            if rows.indptr[other + 1] - rows.indptr[other] > 1:
                table = _add_at_edge(node, entry, rows, kinds, base, size, marks[0], table)
        for entry in range(start, stop):
            marks[0, rows.indices[entry]] = 0
        if size == 4 and up - start > 1:
            # a square has two middles before its last node
            table = _add_squares(node, rows, kinds, base, marks[0], table)
        if size == 4:
            table = _add_cliques(node, rows, kinds, base, marks, table)
    return table.keys, table.counts


class CodeTable(NamedTuple):
    """A hash table."""

    keys: np.ndarray
    counts: np.ndarray
    used: np.ndarray  # int64 [1], rows that are


@subroutine()
def _code(base, c0, l01, c1, l02, l12, c2):
    """The code of three nodes."""
    links, colors = len(base.reverse), base.num_colors
    code = (c0 * links + l01) * colors + c1
    return ((code * links + l02) * links + l12) * colors + c2


@subroutine()
def _last_digits(base, code):
    """The links of the third of three nodes to the first and the second, and its color."""
    front, color = divmod(code, base.num_colors)
    front, link_b = divmod(front, len(base.reverse))
    return front % len(base.reverse), link_b, color


@subroutine()
def _longer(base, code, l03, l13, l23, c3):
    """The code of three nodes and a fourth one."""
    links = len(base.reverse)
    return (((code * links + l03) * links + l13) * links + l23) * base.num_colors + c3


@subroutine()
def _add_stars(node, kinds, base, size, table):
    """Count the sets of a node and two or three of its neighbours, by their kinds."""
    node_color, start, end = kinds.colors[node], kinds.ptr[node], kinds.ptr[node + 1]
    for i in range(start, end):
        link_i, color_i = divmod(kinds.kind[i], base.num_colors)
        for j in range(i, end):
            link_j, color_j = divmod(kinds.kind[j], base.num_colors)
            code = _code(base, node_color, link_i, color_i, link_j, 0, color_j)
            if size == 3:
                number = kinds.number[i] * kinds.number[j]
                if i == j:
                    number = kinds.number[i] * (kinds.number[i] - 1) // 2
                if number:
                    table = _add(code, number, table)
                continue
            for k in range(j, end):
                # as many as are left of each kind
                number, m, n = kinds.number[i], kinds.number[j], kinds.number[k]
                if i == j and j == k:
                    number = number * (number - 1) // 2 * (number - 2) // 3
                elif i == j:
                    number = number * (number - 1) // 2 * n
                elif j == k:
                    number = number * (n * (n - 1) // 2)
                else:
                    number = number * m * n
                if number:
                    link_k, color_k = divmod(kinds.kind[k], base.num_colors)
                    table = _add(_longer(base, code, link_k, 0, 0, color_k), number, table)
    return table


@subroutine()
def _add_at_edge(node, entry, rows, kinds, base, size, mark, table):
    """Count what has an edge in its middle; `mark [V]` has the links of the node."""
    other, link = np.int64(rows.indices[entry]), rows.label[entry]
    node_color, beside = kinds.colors[node], kinds.colors[other]
    # 1. the triangles on the edge, by the kinds of the third nodes
    different, kind, number = np.int64(0), np.empty(0, np.int64), np.empty(0, np.int64)
    for there in range(rows.indptr[other], rows.indptr[other + 1]):
        third = np.int64(rows.indices[there])
        if mark[third] == 0:
            continue
        # links to the third node, from the node and from the other one
        link_a, link_b, color = mark[third], rows.label[there], kinds.colors[third]
        code = _code(base, node_color, link, beside, link_a, link_b, color)
        if size == 3:
            # each triangle once
            if third < other:
                table = _add(code, 1, table)
            continue
        if not len(kind):
            most = rows.indptr[other + 1] - rows.indptr[other]
            kind, number = np.empty(most, np.int64), np.empty(most, np.int64)
        at = 0
        while at < different and kind[at] != code:
            at += 1
        if at == different:
            kind[at], number[at] = code, 0
            different += 1
        number[at] += 1
        # 2. with a pendant node at the third one
        first = base.reverse[link_a] * base.num_colors + node_color
        second = base.reverse[link_b] * base.num_colors + beside
        for k in range(kinds.ptr[third], kinds.ptr[third + 1]):
            left = kinds.number[k] - (kinds.kind[k] == first) - (kinds.kind[k] == second)
            if left:
                link_c, color_c = divmod(kinds.kind[k], base.num_colors)
                table = _add(_longer(base, code, 0, 0, link_c, color_c), left, table)
    if size == 3:
        return table
    # 3. two third nodes; where they are one and the same, the edge is not in the middle of a path
    code = (node_color * len(base.reverse) + link) * base.num_colors + beside
    for i in range(different):
        link_ai, link_bi, color_i = _last_digits(base, kind[i])
        path = _code(base, node_color, link, beside, link_ai, 0, color_i)
        table = _add(_longer(base, path, 0, link_bi, 0, color_i), -number[i], table)
        for j in range(i, different):
            count = number[i] * number[j] if i != j else number[i] * (number[i] - 1) // 2
            if count:
                link_aj, link_bj, color_j = _last_digits(base, kind[j])
                table = _add(_longer(base, kind[i], link_aj, link_bj, 0, color_j), count, table)
    # 4. a neighbour of each end
    first = base.reverse[link] * base.num_colors + node_color
    second = link * base.num_colors + beside
    for j in range(kinds.ptr[other], kinds.ptr[other + 1]):
        right = kinds.number[j] - (kinds.kind[j] == first)
        if right == 0:
            continue
        link_j, color_j = divmod(kinds.kind[j], base.num_colors)
        for i in range(kinds.ptr[node], kinds.ptr[node + 1]):
            left = kinds.number[i] - (kinds.kind[i] == second)
            if left:
                link_i, color_i = divmod(kinds.kind[i], base.num_colors)
                path = _code(base, node_color, link, beside, link_i, 0, color_i)
                path = _longer(base, path, 0, link_j, 0, color_j)
                table = _add(path, left * right, table)
    return table


@subroutine()
def _add_squares(node, rows, kinds, base, mark, table):
    """Count the squares whose last node is this one, by the two nodes opposite of each other.

    `mark [V]` is 0, and is left so.
    """
    # 1. how many paths of two edges lead to each node, all before this one
    paths = np.int64(0)
    for entry in range(rows.indptr[node], rows.up[node]):
        middle = rows.indices[entry]
        for there in range(rows.indptr[middle], rows.indptr[middle + 1]):
            if rows.indices[there] >= node:
                break
            mark[rows.indices[there]] += 1
            paths += 1
    if paths < 2:
        for entry in range(rows.indptr[node], rows.up[node]):
            middle = rows.indices[entry]
            for there in range(rows.indptr[middle], rows.indptr[middle + 1]):
                if rows.indices[there] < node:
                    mark[rows.indices[there]] = 0
        return table
    # 2. their middles, those to one node beside each other, by their kinds
    kind, number = np.empty(paths, np.int64), np.zeros(paths, np.int64)
    ends, num_ends, start = np.empty(paths, np.int64), np.int64(0), np.int64(0)
    starts = np.empty(paths + 1, np.int64)
    for entry in range(rows.indptr[node], rows.up[node]):
        middle = rows.indices[entry]
        for there in range(rows.indptr[middle], rows.indptr[middle + 1]):
            end = rows.indices[there]
            if end >= node:
                break
            if mark[end] > 0:
                # met for the first time: where its middles stand
                ends[num_ends], starts[num_ends] = end, start
                start += mark[end]
                num_ends += 1
                mark[end] = -num_ends
            link = rows.label[there]
            code = _code(
                base, kinds.colors[node], 0, kinds.colors[end],
                rows.label[entry], base.reverse[link], kinds.colors[middle],
            )  # fmt: skip
            at = starts[-mark[end] - 1]
            while number[at] and kind[at] != code:
                at += 1
            kind[at] = code
            number[at] += 1
    starts[num_ends] = start
    # 3. two middles
    for k in range(num_ends):
        mark[ends[k]] = 0
        for i in range(starts[k], starts[k + 1]):
            if number[i] == 0:
                break
            for j in range(i, starts[k + 1]):
                if number[j] == 0:
                    break
                count = number[i] * number[j] if i != j else number[i] * (number[i] - 1) // 2
                if count:
                    link_a, link_b, color = _last_digits(base, kind[j])
                    table = _add(_longer(base, kind[i], link_a, link_b, 0, color), count, table)
    return table


@subroutine()
def _add_cliques(node, rows, kinds, base, marks, table):
    """Count the cliques of four whose first node is this one; `marks` are 0, and are left so."""
    stop = rows.indptr[node + 1]
    if stop - rows.up[node] < 3:
        return table
    for entry in range(rows.up[node], stop):
        marks[0, rows.indices[entry]] = rows.label[entry]
    for entry in range(rows.up[node], stop):
        # 1. a neighbour behind it, and what both have behind that
        second = rows.indices[entry]
        for at in range(rows.up[second], rows.indptr[second + 1]):
            marks[1, rows.indices[at]] = rows.label[at]
        for at in range(rows.up[second], rows.indptr[second + 1]):
            third = rows.indices[at]
            if marks[0, third] == 0:
                continue
            code = _code(
                base, kinds.colors[node], rows.label[entry], kinds.colors[second],
                marks[0, third], rows.label[at], kinds.colors[third],
            )  # fmt: skip
            # 2. and what all three have
            for last in range(rows.up[third], rows.indptr[third + 1]):
                fourth = rows.indices[last]
                if marks[0, fourth] and marks[1, fourth]:
                    links = marks[0, fourth], marks[1, fourth], rows.label[last]
                    whole = _longer(base, code, *links, kinds.colors[fourth])
                    table = _add(whole, 1, table)
        for at in range(rows.up[second], rows.indptr[second + 1]):
            marks[1, rows.indices[at]] = 0
    for entry in range(rows.up[node], stop):
        marks[0, rows.indices[entry]] = 0
    return table


@subroutine()
def _add(code, number, table):
    """Count so many more sets with this code; return the table, which may be a larger one."""
    place = _place_of(code, table.keys)
    if table.keys[place] < 0:
        table.used[0] += 1
        if 2 * table.used[0] > len(table.keys):
            table = _grow(table)
            place = _place_of(code, table.keys)
        table.keys[place] = code
    table.counts[place] += number
    return table


@subroutine(**INLINE_JIT)
def _place_of(code, keys):
    """Where a code stands in the table, or may be put."""
    place = np.int64(mix(np.uint64(code)) & np.uint64(len(keys) - 1))
    while keys[place] >= 0 and keys[place] != code:
        place = (place + 1) & (len(keys) - 1)
    return place


@subroutine()
def _grow(table):
    """A table of four times the size with the same content."""
    size = 4 * len(table.keys)
    keys, counts = np.full(size, -1, np.int64), np.zeros(size, np.int64)
    for place in range(len(table.keys)):
        if table.keys[place] >= 0:
            found = _place_of(table.keys[place], keys)
            keys[found], counts[found] = table.keys[place], table.counts[place]
    return CodeTable(keys, counts, table.used)
