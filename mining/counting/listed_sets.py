"""All connected sets of two to four nodes of a graph, listed one by one, with their structures.

What is permuted over a graph that stays, weights of edges or categories of nodes, changes no set.
So the sets are listed once, and looked at again after each permutation. They are enumerated as in
S. Wernicke, Efficient detection of network motifs (IEEE/ACM Transactions on Computational Biology
and Bioinformatics 3, 2006): each from its least node, and then by nodes that no earlier one joins.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn.mining.counting.census import Forms, check_channels, merge_forms, structures_of
from gomkcn.mining.counting.set_formulas import check_codes
from gomkcn.mining.counting.watching import UncountableError
from gomkcn.mining.structures.categories import NO_CATEGORIES, Categories
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.canonical_form import canonical_forms
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.kernels.search_numba import SEARCH_JIT
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.runtime.compiled import compiled, subroutine
from gomkcn_dgl.runtime.memory import total_memory

# sizes of the sets that can be listed
LISTED_SIZES = range(2, 5)
# sets that are listed of a size at most, which take a third of a second after each permutation, and
# the bytes that a set of four nodes takes while it is listed: 2 GB
MOST_SETS, _BYTES_OF_A_SET = 1 << 25, 60
# sets whose codes are made together: 100 MB
_TOGETHER = 1 << 21


class ListedSets(NamedTuple):
    """The connected sets of M nodes, K of them, of S structures with P pairs of joined nodes.

    Pairs of nodes are those of :meth:`CSRGraph.adjacent_pairs`.
    """

    structures: tuple[Structure, ...]
    number: np.ndarray  # int32 [K], the structure of each set
    nodes: np.ndarray  # int32 [K, M], at the nodes of the canonical form of the structure
    pairs: np.ndarray  # int32 [K, M (M - 1) / 2], the joined pairs of each set, -1: not joined

    @property
    def counts(self) -> np.ndarray:
        """How many sets are of each structure, int64 ``[S]``."""
        return np.bincount(self.number, minlength=len(self.structures))


def list_sets(
    graph: CSRGraph,
    size: int,
    categories: Categories = NO_CATEGORIES,
    most: int | None = None,
) -> ListedSets:
    """List the connected sets of ``size`` nodes, 2 to 4, and what structure each has.

    Raises
    ------
    UncountableError
        If there are more than ``most``, by default :func:`most_listed`, or more kinds of edges and
        nodes than have a code.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import as_csr
    >>> found = list_sets(as_csr(nx.diamond_graph()), 3)
    >>> [(len(one.edges), count) for one, count in zip(found.structures, found.counts.tolist())]
    [(2, 2), (3, 2)]
    """
    check_channels(graph)
    most = most_listed() if most is None else most
    colors, known = np.zeros(graph.num_nodes, np.int64), np.zeros(1, np.int64)
    if categories:
        known, colors = np.unique(categories.colors(graph.features), return_inverse=True)
        colors = colors.reshape(-1)
    check_codes(graph, len(known), size)
    # 1. how many there are, and which
    rows = graph.indptr, graph.indices
    mark = np.zeros(graph.num_nodes, np.int8)
    scratch = np.empty((2, 4 * (1 + int(graph.degrees.max(initial=0)))), np.int32)
    none = np.empty((0, size), np.int32)
    number_of = enumerate_sets(*rows, size, mark, scratch, none, most)
    if number_of > most:
        raise too_many_sets(size, most)
    nodes = np.empty((number_of, size), np.int32)
    enumerate_sets(*rows, size, mark, scratch, nodes, most)
    # 2. the code of each: all its links and colours
    upper = np.triu_indices(size, 1)
    entries = np.empty((number_of, len(upper[0])), np.int32)
    find_entries(*rows, nodes, entries)
    links = np.ones(len(graph.indices), np.int64) if graph.links is None else graph.links
    num_links = len(graph.relations.links)
    codes = np.empty(number_of, np.int64)
    for start in range(0, number_of, _TOGETHER):
        some = slice(start, start + _TOGETHER)
        code = np.zeros(len(codes[some]), np.int64)
        for column in entries[some].T:
            code = code * num_links + np.where(column < 0, 0, links[column])
        for column in nodes[some].T:
            code = code * len(known) + colors[column]
        codes[some] = code
    different, which = np.unique(codes, return_inverse=True)
    del codes
    # 3. the different ones as structures; sets are turned to the canonical form of theirs
    of_nodes, of_pairs = _digits(different, size, len(upper[0]), len(known), num_links)
    matrix = np.zeros((len(different), size, size), np.int64)
    matrix[:, upper[0], upper[1]] = of_pairs
    matrix[:, upper[1], upper[0]] = graph.relations.reverse.astype(np.int64)[of_pairs]
    relations = graph.relations
    bits = relations.links @ (1 << np.arange(len(relations.channels), dtype=np.int64))
    order = canonical_forms(matrix, of_nodes).order
    row = np.arange(len(order))[:, None]
    turned = bits[matrix[row[:, :, None], order[:, :, None], order[:, None, :]]]
    forms, position = merge_forms(Forms(turned, known[of_nodes[row, order]]))
    structures = structures_of(
        forms,
        relations,
        lambda colors: categories.names_of(colors if categories else None, graph.feature_names),
    )
    number = position.astype(np.int32)[which.reshape(-1)]
    turn_sets(nodes, order.astype(np.int32), which.reshape(-1), np.empty(size, np.int32))
    # 4. entries as pairs, each of which has two
    row_of = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    pair = np.cumsum(row_of < graph.indices) - 1
    pair = np.where(row_of < graph.indices, pair, pair[graph.opposite_entries]).astype(np.int32)
    for start in range(0, number_of, _TOGETHER):
        block = entries[start : start + _TOGETHER]
        block[:] = np.where(block < 0, -1, pair[block] if len(pair) else -1)
    return ListedSets(tuple(structures), number, nodes, entries)


def most_listed() -> int:
    """How many sets of a size are listed at most: of what half of the memory holds, 33 million."""
    return min(MOST_SETS, total_memory() // 2 // _BYTES_OF_A_SET)


def too_many_sets(size: int, most: int) -> UncountableError:
    """What is said of a graph with more sets of a size than are listed."""
    return UncountableError(
        "graph",
        f"must have at most {most:,} connected sets of {size} nodes for them to be listed",
        got="more",
        way_out=("leave weak edges out with ", Argument("minimum")),
    )


def _digits(
    codes: np.ndarray, size: int, num_pairs: int, num_colors: int, num_links: int
) -> tuple[np.ndarray, np.ndarray]:
    """The colours ``[K, M]`` and links ``[K, P]`` that codes are made of."""
    colors = np.empty((len(codes), size), np.int64)
    links = np.empty((len(codes), num_pairs), np.int64)
    for columns, base in ((colors, num_colors), (links, num_links)):
        for column in reversed(range(columns.shape[1])):
            codes, columns[:, column] = np.divmod(codes, base)
    return colors, links


@compiled(**SEARCH_JIT)
def enumerate_sets(indptr, indices, size, mark, scratch, nodes, most):
    """Write the connected sets into `nodes [K, M]`, as many as it has rows; return their number.

    More than `most` are not counted. `mark [V]` is 0, and is left so: how many nodes of the set a
    node is joined to, or is. `scratch [2, ...]` are nodes that may come next.
    """
    count = np.int64(0)
    second, third = scratch[0], scratch[1]
    for v in range(len(indptr) - 1):
        if size == 2:
            for entry in range(indptr[v], indptr[v + 1]):
                if indices[entry] > v:
                    if count < len(nodes):
                        nodes[count, 0] = v
                        nodes[count, 1] = indices[entry]
                    count += 1
            continue
        change_marks(indptr, indices, mark, v, 1)
        for entry in range(indptr[v], indptr[v + 1]):
            u = indices[entry]
            if u < v:
                continue
            # what may follow u: later neighbours of v, and those of u alone
            num_second = add_later(indptr, indices, v, entry, second)
            num_second = add_new(indptr, indices, mark, v, u, second, num_second)
            if size == 3:
                if count + num_second <= len(nodes):
                    for place in range(num_second):
                        nodes[count + place, 0] = v
                        nodes[count + place, 1] = u
                        nodes[count + place, 2] = second[place]
                count += num_second
                continue
            change_marks(indptr, indices, mark, u, 1)
            for place in range(num_second):
                w = second[place]
                num_third = num_second - place - 1
                for later in range(num_third):
                    third[later] = second[place + 1 + later]
                num_third = add_new(indptr, indices, mark, v, w, third, num_third)
                if count + num_third <= len(nodes):
                    for last in range(num_third):
                        nodes[count + last, 0] = v
                        nodes[count + last, 1] = u
                        nodes[count + last, 2] = w
                        nodes[count + last, 3] = third[last]
                count += num_third
            change_marks(indptr, indices, mark, u, -1)
            if count > most:
                break
        change_marks(indptr, indices, mark, v, -1)
        if count > most:
            return count
    return count


@subroutine(**SEARCH_JIT)
def change_marks(indptr, indices, mark, node, by):
    mark[node] += by
    for entry in range(indptr[node], indptr[node + 1]):
        mark[indices[entry]] += by


@subroutine(**SEARCH_JIT)
def add_later(indptr, indices, v, entry, found):
    """The neighbours of v after an entry, which are larger."""
    count = 0
    for later in range(entry + 1, indptr[v + 1]):
        found[count] = indices[later]
        count += 1
    return count


@subroutine(**SEARCH_JIT)
def add_new(indptr, indices, mark, v, node, found, count):
    """The neighbours of a node, larger than v, that no node of the set has joined."""
    for entry in range(indptr[node], indptr[node + 1]):
        other = indices[entry]
        if other > v and mark[other] == 0:
            found[count] = other
            count += 1
    return count


@compiled(**SEARCH_JIT)
def find_entries(indptr, indices, nodes, entries):
    """Write where each two nodes of each set stand in the row of the first; -1: not joined."""
    size = nodes.shape[1]
    for row in range(len(nodes)):
        column = 0
        for i in range(size):
            for j in range(i + 1, size):
                node, other = nodes[row, i], nodes[row, j]
                low, high = indptr[node], indptr[node + 1]
                while low < high:
                    middle = (low + high) // 2
                    if indices[middle] < other:
                        low = middle + 1
                    else:
                        high = middle
                is_there = low < indptr[node + 1] and indices[low] == other
                entries[row, column] = low if is_there else -1
                column += 1


@compiled(**SEARCH_JIT)
def turn_sets(nodes, order, which, given):
    """Put the nodes of each set into the order `order[which]`; `given [M]` is scratch."""
    size = nodes.shape[1]
    for row in range(len(nodes)):
        for place in range(size):
            given[place] = nodes[row, place]
        for place in range(size):
            nodes[row, place] = given[order[which[row], place]]
