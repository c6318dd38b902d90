"""How often each node is at each place of the structures of two to five nodes, by formulas.

The places are the 73 orbits of N. Pržulj (Biological network comparison using graphlet degree
distribution, Bioinformatics 23, 2007). What is quick to count are subgraphs, which need not be
induced: those at a node follow from its degree, from squares and triangles on its edges, from
cliques, and so on (as in N. Pashanasangi and C. Seshadhri, Efficiently counting vertex orbits of
all 5-vertex subgraphs, by EVOKE, WSDM 2020, and, for whole graphs, A. Pinar, C. Seshadhri and V.
Vishal, ESCAPE, WWW 2017). Each formula below may count more, such as paths that come back to where
they were, as long as what it counts at a node depends only on the subgraphs induced by up to five
nodes around it. It is then a sum over the induced counts, whose coefficients are found by counting
in the structures themselves, and which is solved in whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from threading import local
from typing import Any

import numpy as np

from gomkcn.mining.counting import census_loops as loops
from gomkcn.mining.counting.graphlets import (
    NUM_ORBITS,
    ORBITS,
    graphlets,
    orbits_by_enumeration,
)
from gomkcn.mining.counting.watching import Spend, UncountableError, spend_freely
from gomkcn_dgl.csr import CSRGraph, csr_from_edges
from gomkcn_dgl.runtime.compiled import run_blocks
from gomkcn_dgl.runtime.memory import format_size, total_memory

# pieces of equal cost, which the threads share; and about the time of one step
_PIECES = 64
_NANOSECONDS = 2.0
_INT64 = 2**63
# a large graph has pieces of at least so many steps, between which the clock is looked at
_LEAST_STEPS = 1e5
# of a triangle, on each of its edges: a node and two edges
_BYTES_OF_TRIANGLE = 3 * 12
# what a census takes in any graph, and for each entry of its rows, by the size of the structures
_STEPS = {2: (1e5, 10.0), 3: (1e5, 25.0), 4: (3e5, 50.0), 5: (7e5, 100.0)}


def num_subsets(values: np.ndarray, number: int) -> np.ndarray:
    """How many sets of so many things there are among ``values``; 0 for fewer than these.

    >>> num_subsets(np.array([0, 2, 4]), 2).tolist(), num_subsets(np.array([1, 5]), 4).tolist()
    ([0, 1, 6], [0, 5])
    """
    found = values
    for k in range(1, number):
        found = found * (values - k) // (k + 1)
    return np.where(values >= number, found, 0)


# For each orbit its formula at a node. d: degrees, t: triangles, c: squares, k: cliques of four, at
# the node or at an edge (te, ce, ke). Sums: near(x) of x over its neighbours; on(y) of y over its
# edges; at(y, x) of y, of the edge, times x, of the neighbour; facing(y) of y over the edges of its
# triangles that it is not on. walks: two steps from the node.
_FORMULAS: dict[int, Callable[[Any], np.ndarray]] = {
    0: lambda s: s.d,
    # paths and triangles of three nodes
    1: lambda s: s.walks,
    2: lambda s: num_subsets(s.d, 2),
    3: lambda s: s.t,
    # four nodes: path, star, square, paw, diamond, clique
    4: lambda s: s.near(s.walks),
    5: lambda s: s.d * s.walks,
    6: lambda s: s.near(num_subsets(s.d - 1, 2)),
    7: lambda s: num_subsets(s.d, 3),
    8: lambda s: s.c,
    9: lambda s: s.near(s.t),
    10: lambda s: s.at(s.te, s.d),
    11: lambda s: s.t * s.d,
    12: lambda s: s.tip,
    13: lambda s: s.hub,
    14: lambda s: s.k,
    # path of five
    15: lambda s: s.near(s.near(s.walks)),
    16: lambda s: s.d * s.near(s.walks),
    17: lambda s: num_subsets(s.walks, 2),
    # fork
    18: lambda s: s.near(s.near(num_subsets(s.d, 2))),
    19: lambda s: s.near(s.d * s.walks),
    20: lambda s: s.d * s.near(num_subsets(s.d, 2)),
    21: lambda s: num_subsets(s.d, 2) * s.walks,
    # star
    22: lambda s: s.near(num_subsets(s.d - 1, 3)),
    23: lambda s: num_subsets(s.d, 4),
    # bull
    24: lambda s: s.near(s.at(s.te, s.d)),
    25: lambda s: s.at(s.third_degrees, s.d) // 2,
    26: lambda s: s.d * s.at(s.te, s.d),
    # triangle with a tail of two nodes
    27: lambda s: s.near(s.near(s.t)),
    28: lambda s: s.d * s.near(s.t),
    29: lambda s: s.at(s.te, s.walks),
    30: lambda s: s.t * s.walks,
    # cricket
    31: lambda s: s.near(s.t * s.d),
    32: lambda s: s.at(s.te, num_subsets(s.d, 2)),
    33: lambda s: s.t * num_subsets(s.d, 2),
    34: lambda s: s.five,
    # square with a pendant node
    35: lambda s: s.near(s.c),
    36: lambda s: s.pairs(loops.FLAG),
    37: lambda s: s.at(s.ce, s.d),
    38: lambda s: s.c * s.d,
    # diamond with a pendant node at a hub
    39: lambda s: s.near(s.hub),
    40: lambda s: s.facing(s.te * s.at_ends(s.d)),
    41: lambda s: s.at(num_subsets(s.te, 2), s.d),
    42: lambda s: s.hub * s.d,
    # butterfly
    43: lambda s: s.at(s.te, s.t),
    44: lambda s: num_subsets(s.t, 2),
    # diamond with a pendant node at a tip
    45: lambda s: s.near(s.tip),
    46: lambda s: s.facing(s.third_degrees),
    47: lambda s: s.tip * s.d,
    48: lambda s: s.on((s.te - 1) * s.third_degrees),
    # K2,3
    49: lambda s: s.pairs(loops.BETWEEN),
    50: lambda s: s.pairs(loops.TWO_THREE),
    # house
    51: lambda s: s.pairs(loops.HOUSE),
    52: lambda s: s.facing(s.ce),
    53: lambda s: s.on(s.te * s.ce),
    # three triangles on an edge
    54: lambda s: s.facing(num_subsets(s.te - 1, 2)),
    55: lambda s: s.on(num_subsets(s.te, 3)),
    # clique of four with a pendant node
    56: lambda s: s.near(s.k),
    57: lambda s: s.at(s.ke, s.d),
    58: lambda s: s.k * s.d,
    # gem
    59: lambda s: s.facing(s.beside),
    60: lambda s: s.on(s.others),
    61: lambda s: s.touching(),
    # K2,3 with an edge among the three
    62: lambda s: s.pairs(loops.BESIDE) // 2,
    63: lambda s: s.pairs(loops.LINKED_END) // 2,
    64: lambda s: s.pairs(loops.LINKED),
    # clique of four and a triangle on one of its edges
    65: lambda s: s.facing(s.ke),
    66: lambda s: s.cliques(loops.OPPOSITE),
    67: lambda s: s.on(s.ke * s.te),
    # wheel
    68: lambda s: s.pairs(loops.RIM),
    69: lambda s: s.pairs(loops.WHEEL),
    # clique of five less an edge, and clique of five
    70: lambda s: s.cliques(loops.TIP),
    71: lambda s: s.cliques(loops.PAIR),
    72: lambda s: s.k5,
}
# of each structure, the orbit that is counted most quickly
_ONE_OF_EACH = (
    0, 2, 3, 5, 7, 8, 11, 13, 14, 17, 21, 23, 26, 30, 33, 34, 38, 42, 44, 48, 50, 51, 55, 58, 61,
    64, 67, 69, 71, 72,
)  # fmt: skip


class _Sums:
    """What the formulas of structures of up to ``largest`` nodes are made of, in one graph.

    Sums over nodes and edges are in Python's integers where they may be ``too_large`` for others.
    ``spend`` is told of the steps that were made; what it raises ends the count.
    """

    def __init__(
        self,
        indptr: np.ndarray,
        indices: np.ndarray,
        largest: int,
        spend: Spend = spend_freely,
        too_large: int = _INT64,
    ) -> None:
        self._rows, self._largest, self._spend = (indptr, indices), largest, spend
        degrees = np.diff(indptr)
        self.is_wide = len(indices) * int(degrees.max()) ** 3 >= too_large
        self.nodes, self.core = loops.find_core(indptr, indices)
        self._degrees = degrees[self.nodes]
        # the later node of an edge has most neighbours, the earlier one fewest
        self.row = np.repeat(np.arange(len(self._degrees)), np.diff(self.core.indptr))
        self.is_later = self.core.indices > self.row
        self.ends = np.stack([self.row, self.core.indices], axis=1)[self.is_later]
        most = int(np.diff(self.core.indptr).max(initial=0))
        if 4 * len(self.ends) * most**2 >= too_large:
            raise UncountableError(
                "graph",
                "must have so few edges and neighbours that its cycles can be counted",
                got=f"{len(self.ends)} edges and a node with {most} neighbours",
            )
        self.d = self._as_wide(degrees)

    # -- sums over neighbours --------------------------------------------------------------------

    def near(self, values: np.ndarray) -> np.ndarray:
        """The sum of values ``[V]`` over the neighbours of each node."""
        indptr, indices = self._rows
        return _row_sums(values[indices], indptr)

    def at(self, edges: np.ndarray, values: np.ndarray) -> np.ndarray:
        """The sum of values ``[L]`` of the edges times those ``[V]`` of the neighbours."""
        return self._over_core(edges[self.core.label] * values[self.nodes[self.core.indices]])

    def on(self, edges: np.ndarray) -> np.ndarray:
        """The sum of values ``[L]`` of the edges of each node."""
        return self._over_core(edges[self.core.label])

    def _over_core(self, values: np.ndarray) -> np.ndarray:
        """The sum of values of the entries of the core in the row of each node."""
        return self._spread(_row_sums(values, self.core.indptr))

    def _spread(self, values: np.ndarray) -> np.ndarray:
        """Values ``[N]`` of the nodes of the core, as values of all nodes."""
        out = np.zeros(len(self.d), self.d.dtype)
        out[self.nodes] = values
        return out

    def _run(self, *arguments: Any) -> list[np.ndarray]:
        return _run(self._spend, *arguments)

    def _as_wide(self, values: np.ndarray) -> np.ndarray:
        return values.astype(object if self.is_wide else np.int64)

    @cached_property
    def walks(self) -> np.ndarray:
        """Walks of two steps."""
        return self.near(self.d)

    # -- triangles -------------------------------------------------------------------------------

    @cached_property
    def triangles(self) -> loops.Triangles:
        """The triangles on each edge, which are refused where they do not fit into the memory."""
        self.check_memory()
        ptr = np.concatenate([[0], np.cumsum(self.on_edges)])
        lists = np.empty((3, ptr[-1]), np.uint32)
        if ptr[-1]:
            self._list_triangles(ptr, *lists)
        return loops.Triangles(ptr, *lists)

    @cached_property
    def on_edges(self) -> np.ndarray:
        """Triangles on each edge, int64 ``[L]``."""
        none, ptr = np.empty(0, np.uint32), np.zeros(len(self.ends) + 1, np.int64)
        self._list_triangles(ptr, none, none, none)
        return ptr[1:]

    def check_memory(self) -> None:
        """Refuse a graph whose triangles cannot be listed."""
        number = int(self.on_edges.sum()) // 3
        # half of the memory, as for the content of a file
        most = total_memory() // 2
        needed = number * _BYTES_OF_TRIANGLE
        if needed > most:
            raise UncountableError(
                "graph",
                f"must have fewer triangles for structures of {self._largest} nodes to be counted",
                got=(
                    f"{number:,}, for which {format_size(needed)} of memory are needed and "
                    f"{format_size(most)} may be used"
                ),
                way_out="count those of 3 nodes, or one pattern",
            )

    def _list_triangles(self, *arrays: np.ndarray) -> None:
        core, size = self.core, len(self._degrees)
        cost = np.diff(core.indptr)[self.ends[:, 0]]
        costs = np.bincount(self.ends[:, 1], cost, minlength=size)
        self._run(loops.list_triangles, costs, [(size, 0, np.int32)], [], core, *arrays)

    @cached_property
    def te(self) -> np.ndarray:
        """The same, in the integers of the sums."""
        return self._as_wide(self.on_edges)

    @cached_property
    def t(self) -> np.ndarray:
        """Triangles at each node."""
        return self.on(self.te) // 2

    @cached_property
    def hub(self) -> np.ndarray:
        """Diamonds of whose two triangles the node is in both."""
        return self.on(num_subsets(self.te, 2))

    @cached_property
    def tip(self) -> np.ndarray:
        """Diamonds of whose triangles the node is in one, and its own triangles."""
        return self.facing(self.te)

    def _over_triangles(self, values: np.ndarray) -> np.ndarray:
        """The sum over the triangles on each edge of values ``[3 T]``."""
        return _row_sums(values, self.triangles.ptr)

    @cached_property
    def third_degrees(self) -> np.ndarray:
        """Degrees of the third nodes of the triangles on each edge."""
        return self._over_triangles(self.d[self.nodes[self.triangles.third]])

    @cached_property
    def beside(self) -> np.ndarray:
        """The triangles on the other two edges of the triangles on each edge."""
        first, second = self.triangles.first_edge, self.triangles.second_edge
        return self._over_triangles(self.te[first] + self.te[second])

    def facing(self, values: np.ndarray) -> np.ndarray:
        """The sum of values ``[L]`` over the edges of its triangles that a node is not on."""
        arguments = self.triangles, values.astype(np.int64)
        (sums,) = self._run(loops.add_facing, self.on_edges, [], [self._degrees.shape], *arguments)
        return self._spread(sums)

    def touching(self) -> np.ndarray:
        """The sum over its triangles of the product of the triangles on the two edges at a node."""
        # its edges bring the product of these two twice, and each other product once
        twice = self.te * self.beside - self.others
        return self.on(twice) // 2

    @cached_property
    def others(self) -> np.ndarray:
        """For each edge the products of the triangles on the other edges of its triangles."""
        triangles = self.triangles
        return self._over_triangles(self.te[triangles.first_edge] * self.te[triangles.second_edge])

    def at_ends(self, values: np.ndarray) -> np.ndarray:
        """The sum of values ``[V]`` of the two ends of each edge."""
        return values[self.nodes[self.ends]].sum(axis=1)

    # -- cycles and cliques ----------------------------------------------------------------------

    @cached_property
    def _cycles(self) -> list[np.ndarray]:
        """Squares and five-cycles at each node, squares on each edge."""
        size, below = len(self._degrees), np.zeros(len(self.ends), np.int64)
        if self._largest == 5:
            below = self._below()
        scratch = [((2, size), 0, np.int64), (size, 0, np.uint32)]
        shapes, arguments = [(2, size), (len(self.ends),)], (self.core, self._largest, below)
        return self._run(loops.add_cycles, self.cycle_costs(), scratch, shapes, *arguments)

    def _below(self) -> np.ndarray:
        """Triangles at the earlier end of each edge whose nodes are all before its later end."""
        (first, last), third = self.ends.T, self.triangles.third
        is_before = third < np.repeat(last, self.on_edges)
        # 1. of which the earlier end is the last node
        is_between = is_before & (third > np.repeat(first, self.on_edges))
        inside = self._over_triangles(is_between.astype(np.int64))
        found = np.bincount(last, inside, minlength=len(self._degrees)).astype(np.int64)[first]
        # 2. whose last node comes before the later end in the row, edges being in that order
        before = self._over_triangles(is_before.astype(np.int64))
        earlier = np.cumsum(before) - before
        return found + earlier - earlier[np.searchsorted(first, first)]

    def _not_five(self) -> np.ndarray:
        """For each edge, neighbours of the third nodes that are later than all of a triangle."""
        core, (third, second) = self.core, (self.triangles.third, self.triangles.second_edge)
        # the entry of the later end in the row of the earlier one
        entry = np.flatnonzero(self.is_later)[second]
        is_last = third > np.repeat(self.ends[:, 1], self.on_edges)
        start = np.where(is_last, core.up[third], entry + 1)
        return self._over_triangles(core.indptr[third + np.int64(1)] - start)

    @property
    def c(self) -> np.ndarray:
        """Squares at each node."""
        return self._spread(self._cycles[0][loops.SQUARE])

    @property
    def ce(self) -> np.ndarray:
        """Squares on each edge."""
        return self._as_wide(self._cycles[1])

    @property
    def five(self) -> np.ndarray:
        """Five-cycles at each node."""
        not_five = self.on(self._not_five())
        return self._spread(self._cycles[0][loops.FIVE]) - not_five

    def pairs(self, row: int) -> np.ndarray:
        """A row of what pairs of nodes with common neighbours add up to."""
        return self._spread(self._pairs[row])

    @cached_property
    def _pairs(self) -> np.ndarray:
        size = len(self._degrees)
        scratch = [((size, 4), 0, np.int64), (size, 0, np.int64), ((2, size), 0, np.uint32)]
        arguments = self.core, self.triangles, self._degrees
        (sums,) = self._run(loops.add_pairs, self.pair_costs(), scratch, [(9, size)], *arguments)
        return sums

    @cached_property
    def _cliques(self) -> list[np.ndarray]:
        """Sums at nodes; cliques of four on each edge, twice."""
        size = len(self._degrees)
        costs = np.bincount(self.ends[:, 1], self.on_edges**2 / 3, minlength=size)
        mark, shapes = [(size, False, np.bool_)], [(3, size), (len(self.ends),)]
        return self._run(loops.add_cliques, costs, mark, shapes, self.core, self.triangles)

    def cliques(self, row: int) -> np.ndarray:
        """A row of what cliques of four that share a triangle add up to, and their triangles."""
        return self._spread(self._cliques[0][row])

    @property
    def ke(self) -> np.ndarray:
        """Cliques of four on each edge."""
        return self._as_wide(self._cliques[1]) // 2

    @cached_property
    def k(self) -> np.ndarray:
        """Cliques of four at each node."""
        return self.on(self.ke) // 3

    @property
    def k5(self) -> np.ndarray:
        """Cliques of five at each node."""
        core, size = self.core, len(self._degrees)
        most = int((core.indptr[1:] - core.up).max(initial=0))
        words = (most + 63) // 64
        scratch = [
            (size, -1, np.int32),
            ((most, words), 0, np.uint64),
            ((most, most), 0, np.int32),
            (most, 0, np.int64),
            (words, 0, np.uint64),
        ]
        costs = np.bincount(self.ends[:, 0], self.on_edges, minlength=size) ** 1.5
        (sums,) = self._run(loops.add_five_cliques, costs, scratch, [(size,)], core)
        return self._spread(sums)

    # -- what they cost --------------------------------------------------------------------------

    def cycle_costs(self) -> np.ndarray:
        """About the steps of :func:`loops.add_cycles` for each node, float64 ``[N]``."""
        core, beyond = self.core, np.zeros(len(self.row))
        if self._largest == 5:
            # beyond the ends of paths, later neighbours
            later = core.indptr[1:] - core.up
            beyond = _row_sums(later[core.indices].astype(np.float64), core.indptr)[self.row]
        return self._path_costs(beyond, self.is_later)

    def pair_costs(self) -> np.ndarray:
        """The steps of :func:`loops.add_pairs` for each node, float64 ``[N]``."""
        # of the triangles on an edge, those with each of these on the other side
        return self._path_costs(self.on_edges[self.core.label] ** 2 / 2, slice(None))

    def _path_costs(self, beside: np.ndarray, chosen: Any) -> np.ndarray:
        """For each node its paths over some neighbours to nodes before it, and what is beside."""
        place = np.arange(len(self.row)) - self.core.indptr[self.row]
        costs, nodes = (place + beside)[chosen], self.core.indices[chosen]
        return np.bincount(nodes, costs, minlength=len(self._degrees))


def _run(
    spend: Spend,
    function: Callable[..., None],
    costs: np.ndarray,
    scratch: list[Any],
    shapes: list[tuple[int, ...]],
    *arguments: Any,
) -> list[np.ndarray]:
    """Call ``function(first, last, *arguments, *scratch, *sums)`` for pieces of about one cost.

    Each thread has arrays of its own: scratch, of shapes, values and types, and sums, int64 of some
    shapes, which are added up.
    """
    before = np.append(0.0, np.cumsum(costs + 1.0))
    pieces = int(min(_PIECES, 1 + before[-1] // _LEAST_STEPS))
    bounds = np.searchsorted(before, np.linspace(0, before[-1], pieces + 1))
    bounds[-1] = len(costs)
    of_thread, found = local(), []

    def work(first: int, last: int) -> None:
        if not hasattr(of_thread, "arrays"):
            sums = [np.zeros(shape, np.int64) for shape in shapes]
            of_thread.arrays = [*(np.full(*shape) for shape in scratch), *sums]
            found.append(sums)
        for piece in range(first, last):
            start, end = bounds[piece], bounds[piece + 1]
            function(start, end, *arguments, *of_thread.arrays)
            spend(before[end] - before[start])

    run_blocks(work, pieces, _NANOSECONDS * before[-1])
    if len(found) == 1:
        return found[0]
    return [np.sum(parts, axis=0) for parts in zip(*found, strict=True)]


def _row_sums(values: np.ndarray, indptr: np.ndarray) -> np.ndarray:
    """The sum of each row of values ``[E]``."""
    before = np.empty(len(values) + 1, values.dtype)
    before[0] = 0
    np.cumsum(values, out=before[1:])
    sums: np.ndarray = before[indptr[1:]] - before[indptr[:-1]]
    return sums


def formula_steps(graph: CSRGraph, largest: int, spend: Spend = spend_freely) -> int:
    """About how many steps of some three nanoseconds it takes to count all graphlets.

    Raises an UncountableError where they take more memory than there is.

    >>> from gomkcn_dgl import as_csr
    >>> import networkx as nx
    >>> star, clique = as_csr(nx.star_graph(50)), as_csr(nx.complete_graph(50))
    >>> formula_steps(star, 5) < formula_steps(clique, 5)
    True
    """
    sums = _Sums(graph.indptr, graph.indices, largest, spend)
    # calls, sums over neighbours, and the rows in which triangles are looked for
    calls, each = _STEPS[largest]
    steps = calls + each * len(graph.indices) + np.diff(sums.core.indptr)[sums.ends[:, 0]].sum()
    if largest > 3:
        sums.check_memory()
        # cliques of four; those of five take about as long as these on each other
        cliques = (sums.on_edges.astype(np.float64) ** 2).sum() / 3
        steps += sums.cycle_costs().sum() + cliques
    if largest > 4:
        steps += sums.pair_costs().sum() + cliques
    return int(steps)


def count_orbits(
    graph: CSRGraph, largest: int = 5, spend: Spend = spend_freely, too_large: int = _INT64
) -> np.ndarray:
    """Induced occurrences with each node at each orbit: ``[V, 15]`` or ``[V, 73]``.

    int64, or Python's integers where numbers might be ``too_large`` for these.

    >>> from gomkcn_dgl import as_csr
    >>> import networkx as nx
    >>> count_orbits(as_csr(nx.star_graph(4)), 4)[:2, :8].tolist()
    [[4, 0, 6, 0, 0, 0, 0, 4], [1, 3, 0, 0, 0, 0, 3, 0]]
    """
    sums = _Sums(graph.indptr, graph.indices, largest, spend, too_large)
    size = NUM_ORBITS[largest]
    counts = np.stack([_FORMULAS[orbit](sums) for orbit in range(size)])
    return _solve(_orbit_map()[:size, :size], counts).T


def count_triangles(graph: CSRGraph, spend: Spend = spend_freely) -> np.ndarray:
    """Triangles at each node, ``[V]``, whatever the directions and relations of the edges.

    They are not listed, so that memory is O(V + E).

    >>> from gomkcn_dgl import as_csr
    >>> import networkx as nx
    >>> count_triangles(as_csr(nx.house_graph())).tolist()
    [0, 0, 1, 1, 1]
    """
    return _Sums(graph.indptr, graph.indices, 3, spend).t


def count_graphlets(
    graphs: Sequence[CSRGraph], largest: int = 5, spend: Spend = spend_freely
) -> np.ndarray:
    """Induced occurrences of each of the 30 graphlets in each graph, ``[30, G]``.

    A collection counts as one graph; with ``largest`` there are fewer graphlets. int64, or Python's
    integers where these might not hold them. Small graphs take less together than one by one.

    >>> from gomkcn_dgl import as_csr
    >>> import networkx as nx
    >>> count_graphlets([as_csr(nx.complete_graph(5)), as_csr(nx.path_graph(3))], 3).tolist()
    [[10, 2], [0, 1], [10, 0]]
    """
    # 1. side by side, as one graph
    first, indptr, indices = _side_by_side(graphs)
    # 2. one formula for each graphlet, at all nodes of each graph
    sums = _Sums(indptr, indices, largest, spend)
    formulas = [_FORMULAS[_ONE_OF_EACH[k]] for k, row in enumerate(ORBITS) if len(row) <= largest]
    counts = np.stack([np.add.reduceat(formula(sums), first) for formula in formulas])
    return _solve(_graphlet_map()[: len(counts), : len(counts)], counts)


def count_orbits_of_sides(
    graphs: Sequence[CSRGraph],
    second: Sequence[np.ndarray],
    largest: int = 5,
    spend: Spend = spend_freely,
) -> np.ndarray:
    """Induced occurrences with a node of each side at each orbit, ``[73, 2, G]``.

    ``second`` says of each graph which of its nodes are on the second side, bool ``[V]``; there are
    fewer orbits with ``largest``. Each is a sum over the nodes of a side.

    >>> from gomkcn_dgl import as_csr
    >>> import networkx as nx
    >>> sides = np.array([True, False, False, False])
    >>> count_orbits_of_sides([as_csr(nx.star_graph(3))], [sides], 4)[6:8, :, 0].tolist()
    [[3, 0], [0, 1]]
    """
    first, indptr, indices = _side_by_side(graphs)
    sums = _Sums(indptr, indices, largest, spend)
    on_second = np.concatenate(second)
    found = []
    for orbit in range(NUM_ORBITS[largest]):
        at_nodes = _FORMULAS[orbit](sums)
        sides = [np.where(on_second == side, at_nodes, 0) for side in (False, True)]
        found.append([np.add.reduceat(values, first) for values in sides])
    size = NUM_ORBITS[largest]
    return _solve(_orbit_map()[:size, :size], np.array(found))


def _side_by_side(graphs: Sequence[CSRGraph]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The first node of each graph, and the rows of all graphs as those of one."""
    first = np.cumsum([0, *(graph.num_nodes for graph in graphs)])
    indices = [graph.indices + np.int32(k) for graph, k in zip(graphs, first, strict=False)]
    degrees = np.concatenate([graph.degrees for graph in graphs])
    return first[:-1], np.concatenate([[0], np.cumsum(degrees)]), np.concatenate(indices)


def _solve(coefficients: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """The counts of which these are the sums, a row each.

    Smaller structures first, and of one size those with most edges: no formula counts more in what
    comes later.
    """
    counts = sums.copy()
    for row in _densest_first(coefficients):
        for other in np.flatnonzero(coefficients[row]).tolist():
            if other != row:
                counts[row] -= int(coefficients[row, other]) * counts[other]
        counts[row] //= int(coefficients[row, row])
    return counts


def _densest_first(coefficients: np.ndarray) -> list[int]:
    is_orbit = len(coefficients) in NUM_ORBITS.values()
    owner = {orbit: number for number, row in enumerate(ORBITS) for orbit in row}
    numbers = [owner[k] if is_orbit else k for k in range(len(coefficients))]
    ranks = [(len(ORBITS[k]), -len(graphlets()[k].edges)) for k in numbers]
    return sorted(range(len(ranks)), key=ranks.__getitem__)


@cache
def _orbit_map() -> np.ndarray:
    """What each formula counts for one induced occurrence of each orbit, int64 ``[73, 73]``."""
    # in one graph of all graphlets, at a node at each orbit
    starts = np.cumsum([0] + [len(row) for row in ORBITS])
    edges = np.concatenate(
        [
            np.array(graphlet.edges) + start
            for graphlet, start in zip(graphlets(), starts[:-1], strict=True)
        ]
    )
    ones = np.ones(starts[-1])
    graph = csr_from_edges(edges[:, 0], edges[:, 1], len(ones), features=ones, undirected=True)
    _, nodes = np.unique(np.concatenate([list(row) for row in ORBITS]), return_index=True)
    sums = _Sums(graph.indptr, graph.indices, 5)
    counted = np.stack([formula(sums) for formula in _FORMULAS.values()])
    return _find_map(counted[:, nodes], orbits_by_enumeration(graph)[nodes].T)


@cache
def _graphlet_map() -> np.ndarray:
    """What each formula counts for one induced occurrence of each graphlet, int64 ``[30, 30]``."""
    # at all of its nodes
    of_orbits = _orbit_map()[list(_ONE_OF_EACH)]
    return np.stack([of_orbits[:, list(row)].sum(axis=1) for row in ORBITS], axis=1)


def _find_map(counted: np.ndarray, present: np.ndarray) -> np.ndarray:
    """The matrix M with ``counted = M @ present``, both ``[K, K]``, column by column."""
    found = np.zeros_like(counted)
    order = _densest_first(counted)
    # an occurrence of the k-th has some of those before it inside, and one of itself
    for k, column in enumerate(order):
        known = order[:k]
        found[:, column] = counted[:, column] - found[:, known] @ present[known, column]
    return found
