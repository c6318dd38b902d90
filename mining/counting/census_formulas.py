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

from collections.abc import Callable
from functools import cache, cached_property
from threading import local
from typing import Any

import numpy as np

from gomkcn_dgl.csr import CSRGraph, csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.compiled import run_blocks
from mining.counting import census_loops as loops
from mining.counting.graphlets import (
    NUM_ORBITS,
    ORBITS,
    graphlets,
    orbits_by_enumeration,
)

# pieces of equal cost, which the threads share; and about the time of one step
_PIECES = 64
_NANOSECONDS = 2.0
_INT64 = 2**63
# what a census takes in any graph, and for each entry of its rows, by the size of the structures
_STEPS = {2: (1e5, 10.0), 3: (1e5, 25.0), 4: (3e5, 50.0), 5: (7e5, 100.0)}


def choose(values: np.ndarray, number: int) -> np.ndarray:
    """How many sets of so many things there are among ``values``; 0 for fewer than these.

    >>> choose(np.array([0, 2, 4]), 2).tolist(), choose(np.array([1, 5]), 4).tolist()
    ([0, 1, 6], [0, 5])
    """
    found = values
    for k in range(1, number):
        found = found * (values - k) // (k + 1)
    return np.where(values >= number, found, 0)


# For each orbit its formula at a node. d: degrees, t: triangles, c: squares, k: cliques of four, at
# the node or at an edge (te, ce, ke). near(x): sum of x over its neighbours; at(y, x): sum of y, of
# the edge, times x, of the neighbour; facing(y): sum of y over the edges of its triangles that it
# is not on. walks: two steps from the node.
_FORMULAS: dict[int, Callable[[Any], np.ndarray]] = {
    0: lambda s: s.d,
    # paths and triangles of three nodes
    1: lambda s: s.walks,
    2: lambda s: choose(s.d, 2),
    3: lambda s: s.t,
    # four nodes: path, star, square, paw, diamond, clique
    4: lambda s: s.near(s.walks),
    5: lambda s: s.d * s.walks,
    6: lambda s: s.near(choose(s.d - 1, 2)),
    7: lambda s: choose(s.d, 3),
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
    17: lambda s: choose(s.walks, 2),
    # fork
    18: lambda s: s.near(s.near(choose(s.d, 2))),
    19: lambda s: s.near(s.d * s.walks),
    20: lambda s: s.d * s.near(choose(s.d, 2)),
    21: lambda s: choose(s.d, 2) * s.walks,
    # star
    22: lambda s: s.near(choose(s.d - 1, 3)),
    23: lambda s: choose(s.d, 4),
    # bull
    24: lambda s: s.near(s.at(s.te, s.d)),
    25: lambda s: s.at(s.degrees, s.d) // 2,
    26: lambda s: s.d * s.at(s.te, s.d),
    # triangle with a tail of two nodes
    27: lambda s: s.near(s.near(s.t)),
    28: lambda s: s.d * s.near(s.t),
    29: lambda s: s.at(s.te, s.walks),
    30: lambda s: s.t * s.walks,
    # cricket
    31: lambda s: s.near(s.t * s.d),
    32: lambda s: s.at(s.te, choose(s.d, 2)),
    33: lambda s: s.t * choose(s.d, 2),
    34: lambda s: s.five,
    # square with a pendant node
    35: lambda s: s.near(s.c),
    36: lambda s: s.pairs.flag,
    37: lambda s: s.at(s.ce, s.d),
    38: lambda s: s.c * s.d,
    # diamond with a pendant node at a hub
    39: lambda s: s.near(s.hub),
    40: lambda s: s.facing[1],
    41: lambda s: s.at(choose(s.te, 2), s.d),
    42: lambda s: s.hub * s.d,
    # butterfly
    43: lambda s: s.at(s.te, s.t),
    44: lambda s: choose(s.t, 2),
    # diamond with a pendant node at a tip
    45: lambda s: s.near(s.tip),
    46: lambda s: s.facing[2],
    47: lambda s: s.tip * s.d,
    48: lambda s: s.at((s.te - 1) * s.degrees, s.one),
    # K2,3
    49: lambda s: s.pairs.between,
    50: lambda s: s.pairs.two_three,
    # house
    51: lambda s: s.pairs.house,
    52: lambda s: s.facing[3],
    53: lambda s: s.at(s.te * s.ce, s.one),
    # three triangles on an edge
    54: lambda s: s.facing[4],
    55: lambda s: s.at(choose(s.te, 3), s.one),
    # clique of four with a pendant node
    56: lambda s: s.near(s.k),
    57: lambda s: s.at(s.ke, s.d),
    58: lambda s: s.k * s.d,
    # gem
    59: lambda s: s.facing[5],
    60: lambda s: s.edges.beside,
    61: lambda s: s.edges.hub,
    # K2,3 with an edge among the three
    62: lambda s: s.pairs.beside // 2,
    63: lambda s: s.pairs.linked_end // 2,
    64: lambda s: s.pairs.linked,
    # clique of four and a triangle on one of its edges
    65: lambda s: s.facing[6],
    66: lambda s: s.cliques.opposite,
    67: lambda s: s.at(s.ke * s.te, s.one),
    # wheel
    68: lambda s: s.pairs.rim,
    69: lambda s: s.pairs.wheel,
    # clique of five less an edge, and clique of five
    70: lambda s: s.cliques.tip,
    71: lambda s: s.cliques.pair,
    72: lambda s: s.k5,
}
# of each structure, the orbit that is counted most quickly
_ONE_OF_EACH = (
    0, 2, 3, 5, 7, 8, 11, 13, 14, 17, 21, 23, 26, 30, 33, 34, 38, 42, 44, 48, 50, 51, 55, 58, 61,
    64, 67, 69, 71, 72,
)  # fmt: skip


class _Sums:
    """What the formulas of structures of up to ``largest`` nodes are made of, in one graph.

    Without ``by_node``, what only the orbits of single nodes need is left out. Sums over nodes and
    edges are in Python's integers where 64 bits do not hold them for sure.
    """

    def __init__(self, graph: CSRGraph, largest: int, by_node: bool) -> None:
        self._graph, self._largest, self._by_node = graph, largest, by_node
        most = int(graph.degrees.max())
        num_edges = len(graph.indices) // 2
        self.is_wide = 2 * num_edges * most**3 >= _INT64
        self._core = loops.find_core(graph.indptr, graph.indices)
        indptr = self._core.indptr
        self._degrees = graph.degrees[self._core.nodes]
        self._ends = np.empty((len(self._core.edge) // 2, 2), np.int32)
        rows = np.repeat(np.arange(len(indptr) - 1, dtype=np.int32), np.diff(indptr))
        later = self._core.indices > rows
        self._ends[self._core.edge[later]] = np.stack([rows, self._core.indices], axis=1)[later]
        most = int(np.diff(indptr).max(initial=0))
        if 4 * len(self._ends) * most**2 >= _INT64:
            raise InputError(
                "graph must have so few edges and neighbours that its cycles can be counted, got "
                f"{len(self._ends)} edges and a node with {most} neighbours."
            )
        # the later node of an edge has most neighbours, the earlier one fewest
        self._rows = rows
        self.d = self._as_wide(graph.degrees)
        self.one = np.ones_like(self.d)

    # -- sums over neighbours --------------------------------------------------------------------

    def near(self, values: np.ndarray) -> np.ndarray:
        """The sum of values ``[V]`` over the neighbours of each node."""
        return _row_sums(values[self._graph.indices], self._graph.indptr)

    def at(self, edges: np.ndarray, values: np.ndarray) -> np.ndarray:
        """The sum of values ``[L]`` of the edges times those ``[V]`` of the neighbours."""
        core = self._core
        own = edges[core.edge] * values[core.nodes[core.indices]]
        return self._spread(_row_sums(own, core.indptr))

    def _spread(self, values: np.ndarray) -> np.ndarray:
        """Values of the nodes of the core, as values of all nodes."""
        out = np.zeros_like(self.d)
        out[self._core.nodes] = values
        return out

    def _as_wide(self, values: np.ndarray) -> np.ndarray:
        return values.astype(object if self.is_wide else np.int64)

    @cached_property
    def walks(self) -> np.ndarray:
        """Walks of two steps."""
        return self.near(self.d)

    # -- triangles -------------------------------------------------------------------------------

    @cached_property
    def triangles(self) -> loops.Triangles:
        """The triangles on each edge."""
        core, num_edges = self._core, len(self._ends)
        cost = np.diff(core.indptr)[self._ends[:, 0]]
        costs = np.bincount(self._ends[:, 1], cost, minlength=len(core.nodes))
        none, ptr = np.empty(0, np.uint32), np.zeros(num_edges + 1, np.int64)
        self._run(loops.list_triangles, costs, self._mark, core, ptr, none, none, none)
        ptr = np.cumsum(ptr)
        lists = np.empty((3, ptr[-1]), np.uint32)
        if ptr[-1]:
            self._run(loops.list_triangles, costs, self._mark, core, ptr, *lists)
        return loops.Triangles(ptr, *lists)

    def _mark(self) -> tuple[np.ndarray]:
        return (np.zeros(len(self._core.nodes), np.int32),)

    @cached_property
    def _te(self) -> np.ndarray:
        return np.diff(self.triangles.ptr)

    @cached_property
    def te(self) -> np.ndarray:
        """Triangles on each edge."""
        return self._as_wide(self._te)

    @cached_property
    def t(self) -> np.ndarray:
        """Triangles at each node."""
        return self.at(self.te, self.one) // 2

    @cached_property
    def hub(self) -> np.ndarray:
        """Diamonds of whose two triangles the node is in both."""
        return self.at(choose(self.te, 2), self.one)

    @property
    def tip(self) -> np.ndarray:
        """Diamonds of whose triangles the node is in one, and its own triangles."""
        return self.facing[0]

    @cached_property
    def _edge_sums(self) -> tuple[loops.EdgeSums, np.ndarray, np.ndarray]:
        degrees, numbers = np.zeros((2, len(self._ends)), np.int64)
        arguments = self._core, self.triangles, self._ends, self._degrees, degrees, numbers
        sums = self._run(loops.add_to_edges, self._te, self._new(loops.EdgeSums), *arguments)
        return sums, degrees, numbers

    @property
    def edges(self) -> loops.EdgeSums:
        """Pairs of triangles on the edges of triangles."""
        return loops.EdgeSums(*map(self._spread, map(self._as_wide, self._edge_sums[0])))

    @property
    def degrees(self) -> np.ndarray:
        """Degrees of the third nodes of the triangles on each edge."""
        return self._as_wide(self._edge_sums[1])

    @cached_property
    def facing(self) -> np.ndarray:
        """Values of the edges that face a node in its triangles."""
        values = [self._te]
        if self._largest == 5:
            ends = self._degrees[self._ends].sum(axis=1)
            _, degrees, numbers = self._edge_sums
            three = choose(self._te - 1, 2)
            values += [self._te * ends, degrees, self._cycles.edge_square, three, numbers]
            values += [self._cliques.edge // 2]
        columns = np.stack(values)

        def new() -> tuple[np.ndarray]:
            return (np.zeros((len(columns), len(self._core.nodes)), np.int64),)

        sums = self._run(loops.add_opposite, self._te, new, self.triangles, columns)
        return np.stack([self._spread(row) for row in self._as_wide(sums)])

    # -- cycles and cliques ----------------------------------------------------------------------

    @cached_property
    def _cycles(self) -> loops.CycleSums:
        core, below = self._core, np.zeros(len(self._ends), np.int64)
        costs = _cycle_costs(core, self._largest)
        if self._largest == 5:
            run_blocks(
                loops.count_below, len(core.nodes), _NANOSECONDS * len(self.triangles.third),
                core, self.triangles, below,
            )  # fmt: skip
        number = len(core.nodes)

        def new() -> tuple[np.ndarray, np.ndarray, loops.CycleSums]:
            square, five = np.zeros((2, number), np.int64)
            sums = loops.CycleSums(square, np.zeros(len(below), np.int64), five)
            return np.zeros((2, number), np.int64), np.empty(number, np.uint32), sums

        found: loops.CycleSums = self._run(loops.add_cycles, costs, new, core, self._largest, below)
        return found

    @property
    def c(self) -> np.ndarray:
        """Squares at each node."""
        return self._spread(self._as_wide(self._cycles.square))

    @property
    def ce(self) -> np.ndarray:
        """Squares on each edge."""
        return self._as_wide(self._cycles.edge_square)

    @property
    def five(self) -> np.ndarray:
        """Five-cycles at each node."""
        return self._spread(self._as_wide(self._cycles.five - self._edge_sums[0].not_five))

    @cached_property
    def pairs(self) -> loops.PairSums:
        """Pairs of nodes with common neighbours."""
        core, number = self._core, len(self._core.nodes)

        def new() -> tuple[Any, ...]:
            sums = loops.PairSums(*np.zeros((9, number), np.int64))
            return (
                np.zeros((number, 4), np.int64),
                np.zeros(number, np.int64),
                np.empty((2, number), np.uint32),
                sums,
            )

        arguments = core, self.triangles, self._degrees, self._by_node
        sums = self._run(loops.add_pairs, _pair_costs(core, self._te), new, *arguments)
        return loops.PairSums(*map(self._spread, map(self._as_wide, sums)))

    @cached_property
    def _cliques(self) -> loops.CliqueSums:
        core, number = self._core, len(self._core.nodes)

        def new() -> tuple[np.ndarray, loops.CliqueSums]:
            nodes = np.zeros((3, number), np.int64)
            sums = loops.CliqueSums(np.zeros(len(self._ends), np.int64), *nodes)
            return np.zeros(number, np.bool_), sums

        costs = np.bincount(self._ends[:, 1], self._te**2 / 3, minlength=number)
        found: loops.CliqueSums = self._run(
            loops.add_cliques, costs, new, core, self.triangles, self._by_node
        )
        return found

    @property
    def cliques(self) -> loops.CliqueSums:
        """Cliques of four that share a triangle, and their triangles."""
        return loops.CliqueSums(
            self._cliques.edge, *map(self._spread, map(self._as_wide, self._cliques[1:]))
        )

    @property
    def ke(self) -> np.ndarray:
        """Cliques of four on each edge."""
        return self._as_wide(self._cliques.edge) // 2

    @cached_property
    def k(self) -> np.ndarray:
        """Cliques of four at each node."""
        return self.at(self.ke, self.one) // 3

    @property
    def k5(self) -> np.ndarray:
        """Cliques of five at each node; without ``by_node``, at three of the five."""
        core, number = self._core, len(self._core.nodes)
        most = int((core.indptr[1:] - core.up).max(initial=0))
        words = (most + 63) // 64

        def new() -> tuple[np.ndarray, ...]:
            return (
                np.full(number, -1, np.int32),
                np.zeros((most, words), np.uint64),
                np.empty((most, most), np.int32),
                np.zeros(most, np.int64),
                np.zeros((2, words), np.uint64),
                np.zeros(number, np.int64),
            )

        costs = np.bincount(self._ends[:, 0], self._te, minlength=number) ** 1.5
        sums = self._run(loops.add_five_cliques, costs, new, core, self._by_node)
        return self._spread(self._as_wide(sums))

    def _new(self, record: type) -> Callable[[], tuple[Any]]:
        """A function that makes sums of the nodes for one thread."""
        shape = len(record._fields), len(self._core.nodes)  # type: ignore[attr-defined]
        return lambda: (record(*np.zeros(shape, np.int64)),)

    @staticmethod
    def _run(
        function: Callable[..., None],
        costs: np.ndarray,
        new: Callable[[], tuple[Any, ...]],
        *arguments: Any,
    ) -> Any:
        """Call ``function(first, last, *arguments, *new())`` for pieces of about the same cost.

        Each thread has arrays of its own; the last of them are added up.
        """
        before = np.concatenate([[0.0], np.cumsum(costs + 1.0)])
        bounds = np.searchsorted(before, np.linspace(0, before[-1], _PIECES + 1))
        bounds[-1] = len(costs)
        own, found = local(), []

        def work(first: int, last: int) -> None:
            if not hasattr(own, "arrays"):
                own.arrays = new()
                found.append(own.arrays[-1])
            function(bounds[first], bounds[last], *arguments, *own.arrays)

        run_blocks(work, _PIECES, _NANOSECONDS * before[-1])
        first, *others = found
        for other in others:
            for total, part in zip(*_columns(first, other), strict=True):
                total += part
        return first


def _columns(*sums: Any) -> list[Any]:
    return [one if isinstance(one, tuple) else (one,) for one in sums]


def _row_sums(values: np.ndarray, indptr: np.ndarray) -> np.ndarray:
    """The sum of each row of values ``[E]``."""
    before = np.empty(len(values) + 1, values.dtype)
    before[0] = 0
    np.cumsum(values, out=before[1:])
    sums: np.ndarray = before[indptr[1:]] - before[indptr[:-1]]
    return sums


def _cycle_costs(core: loops.Core, largest: int) -> np.ndarray:
    """About the steps of :func:`loops.add_cycles` for each node, float64 ``[N]``."""
    number = len(core.nodes)
    later = core.indptr[1:] - core.up
    rows = np.repeat(np.arange(number), np.diff(core.indptr))
    # paths over an earlier neighbour to a node before it, and, beyond their ends, later neighbours
    place = np.arange(len(rows)) - core.indptr[rows]
    beyond = _row_sums(later[core.indices].astype(np.float64), core.indptr)
    is_later = core.indices > rows
    paths = place + (beyond[rows] if largest == 5 else 0.0)
    return np.bincount(core.indices[is_later], paths[is_later], minlength=number)


def _pair_costs(core: loops.Core, triangles: np.ndarray) -> np.ndarray:
    """The steps of :func:`loops.add_pairs` for each node, float64 ``[N]``."""
    number = len(core.nodes)
    rows = np.repeat(np.arange(number), np.diff(core.indptr))
    place = np.arange(len(rows)) - core.indptr[rows]
    # of the triangles on an edge, those with each of these on the other side
    costs = place + triangles[core.edge] ** 2 / 2
    return np.bincount(core.indices, costs, minlength=number)


def formula_steps(graph: CSRGraph, largest: int) -> int:
    """About how many steps of some three nanoseconds it takes to count all graphlets.

    >>> from gomkcn_dgl import as_csr
    >>> import networkx as nx
    >>> star, clique = as_csr(nx.star_graph(50)), as_csr(nx.complete_graph(50))
    >>> formula_steps(star, 5) < formula_steps(clique, 5)
    True
    """
    sums = _Sums(graph, largest, by_node=False)
    core, third = sums._core, sums._te.astype(np.float64)
    # calls, sums over neighbours, and the rows in which triangles are looked for
    calls, each = _STEPS[largest]
    steps = calls + each * len(graph.indices) + np.diff(core.indptr)[sums._ends[:, 0]].sum()
    if largest > 3:
        # squares and cliques of four
        steps += _cycle_costs(core, largest).sum() + (third**2).sum() / 3
    if largest > 4:
        # pairs of nodes; cliques of five take about as long as cliques of four on each other
        steps += _pair_costs(core, third).sum() + (third**2).sum() / 3
    return int(steps)


def count_orbits(graph: CSRGraph, largest: int = 5) -> np.ndarray:
    """Induced occurrences with each node at each orbit: ``[V, 15]`` or ``[V, 73]``.

    int64, or Python's integers where these might not hold them.

    >>> from gomkcn_dgl import as_csr
    >>> import networkx as nx
    >>> count_orbits(as_csr(nx.star_graph(4)), 4)[:2, :8].tolist()
    [[4, 0, 6, 0, 0, 0, 0, 4], [1, 3, 0, 0, 0, 0, 3, 0]]
    """
    sums = _Sums(graph, largest, by_node=True)
    size = NUM_ORBITS[largest]
    counts = np.stack([_FORMULAS[orbit](sums) for orbit in range(size)])
    return _solve(_orbit_map()[:size, :size], counts).T


def count_triangles(graph: CSRGraph) -> np.ndarray:
    """Triangles at each node, ``[V]``, whatever the directions and relations of the edges.

    >>> from gomkcn_dgl import as_csr
    >>> import networkx as nx
    >>> count_triangles(as_csr(nx.house_graph())).tolist()
    [0, 0, 1, 1, 1]
    """
    return _Sums(graph, 3, by_node=True).t


def count_graphlets(graph: CSRGraph, largest: int = 5) -> np.ndarray:
    """Induced occurrences of each of the 30 graphlets of up to ``largest`` nodes.

    int64, or Python's integers where these might not hold them.

    >>> from gomkcn_dgl import as_csr
    >>> import networkx as nx
    >>> count_graphlets(as_csr(nx.complete_graph(5)), 3).tolist()
    [10, 0, 10]
    """
    counts = _count_one_of_each(graph, largest).sum(axis=1)
    return _solve(_graphlet_map()[: len(counts), : len(counts)], counts)


def _count_one_of_each(graph: CSRGraph, largest: int) -> np.ndarray:
    sums = _Sums(graph, largest, by_node=False)
    size = sum(len(row) <= largest for row in ORBITS)
    return np.stack([_FORMULAS[orbit](sums) for orbit in _ONE_OF_EACH[:size]])


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
    graph, nodes, _ = _all_graphlets()
    sums = _Sums(graph, 5, by_node=True)
    counted = np.stack([formula(sums) for formula in _FORMULAS.values()])
    return _find_map(counted[:, nodes], orbits_by_enumeration(graph)[nodes].T)


@cache
def _graphlet_map() -> np.ndarray:
    """What each formula counts for one induced occurrence of each graphlet, int64 ``[30, 30]``."""
    graph, _, starts = _all_graphlets()
    counted = np.add.reduceat(_count_one_of_each(graph, 5), starts, axis=1)
    orbits = np.add.reduceat(orbits_by_enumeration(graph), starts, axis=0)
    present = np.stack([orbits[:, row[0]] // row.count(row[0]) for row in ORBITS])
    return _find_map(counted, present)


def _all_graphlets() -> tuple[CSRGraph, np.ndarray, np.ndarray]:
    """One graph of all graphlets, a node at each orbit ``[73]``, and the first node of each."""
    starts = np.cumsum([0] + [len(row) for row in ORBITS])
    edges = np.concatenate(
        [np.array(one.edges) + start for one, start in zip(graphlets(), starts[:-1], strict=True)]
    )
    ones = np.ones(starts[-1])
    graph = csr_from_edges(edges[:, 0], edges[:, 1], len(ones), features=ones, undirected=True)
    _, nodes = np.unique(np.concatenate([list(row) for row in ORBITS]), return_index=True)
    return graph, nodes, starts[:-1]


def _find_map(counted: np.ndarray, present: np.ndarray) -> np.ndarray:
    """The matrix M with ``counted = M @ present``, both ``[K, K]``, column by column."""
    found = np.zeros_like(counted)
    order = _densest_first(counted)
    # an occurrence of the k-th has some of those before it inside, and one of itself
    for k, column in enumerate(order):
        known = order[:k]
        found[:, column] = counted[:, column] - found[:, known] @ present[known, column]
    return found
