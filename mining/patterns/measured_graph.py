"""The counts of all structures of few nodes in a graph as shares, and how sure these are.

A share is that of all structures of a size; it can be set against that of a graph of another size.
Its error is that of :mod:`gomkcn.mining.significance.jackknife`:

- Without directions, relations and categories the counts at each node are known, so that those
  without it follow by subtraction: a unit is a node.
- Else all structures are counted again without each of some groups of nodes, drawn at random.
- A collection of many graphs is a sample of graphs: a unit is a graph, or a group of graphs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gomkcn.mining.counting.census import CensusTable, census_sizes, census_steps, is_plain
from gomkcn.mining.counting.census_formulas import count_orbits
from gomkcn.mining.counting.graphlets import ORBITS, graphlets
from gomkcn.mining.counting.watching import UncountableError
from gomkcn.mining.patterns.choice import ChoiceRules, with_grace
from gomkcn.mining.patterns.permuted import family_of
from gomkcn.mining.patterns.random_censuses import Censuses, take_censuses
from gomkcn.mining.significance.jackknife import jackknife_errors, most_influential, shares_of
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.job import TimeUpError
from gomkcn_dgl.runtime.steps import Steps

# groups that are left out where each takes a census: the error has then an error of a ninth, and
# the censuses are a fifth of those of the random graphs
NUM_GROUPS = 40
# graphs of a collection from which on these are the sample, and not their nodes; of fewer the
# error is not known well
LEAST_GRAPHS = 20
# nodes whose counts are subtracted at a time: some 10 MB
_NODES_AT_ONCE = 1 << 15
NODES, GRAPHS = "nodes", "graphs"
# part of the squares of all errors from which on a node is named as what makes them large
_MOST_OF_ERRORS = 0.5


@dataclass(frozen=True)
class Influence:
    """A node that the errors of most shares are from.

    Attributes
    ----------
    node : int or str
        Its name in the graph as given.
    num_neighbours : int
    structure : Structure
        The one whose share changes most without the node.
    share, share_without : float
        The share, and that in the graph without the node.
    """

    node: int | str
    num_neighbours: int
    structure: Structure
    share: float
    share_without: float


@dataclass(frozen=True, eq=False)
class Measured:
    """Structures of some sizes in a graph.

    Attributes
    ----------
    structures : list of Structure
        Those with kinds and, where there are kinds, each alone.
    counts : list of int
        Their occurrences.
    shares, errors : numpy.ndarray
        float64 ``[S]``: the share of all structures of the size, and its standard error.
    node : int
        The node that these errors are mostly from; -1 where there is none.
    shares_without : numpy.ndarray
        float64 ``[S]``: the shares without this node; empty where there is none.
    """

    structures: list[Structure] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    shares: np.ndarray = field(default_factory=lambda: np.empty(0))
    errors: np.ndarray = field(default_factory=lambda: np.empty(0))
    node: int = -1
    shares_without: np.ndarray = field(default_factory=lambda: np.empty(0))

    def by_key(self) -> Mapping[bytes, tuple[float, float]]:
        """Share and error of each structure."""
        pairs = zip(self.shares.tolist(), self.errors.tolist(), strict=True)
        return {structure.key: pair for structure, pair in zip(self.structures, pairs, strict=True)}


@dataclass(frozen=True, eq=False)
class MeasuredGraph:
    """All structures of few nodes in a graph, and what their errors are from.

    ``unit`` is "nodes" or "graphs", ``num_units`` how often some were left out; ``influence`` is
    the node that most of the errors is from, if there is one.
    """

    measured: Measured
    unit: str
    num_units: int
    influence: Influence | None = None


def measure_graph(mined: MinedGraph, rules: ChoiceRules, steps: Steps) -> MeasuredGraph:
    """Count all structures of few nodes, and without each unit; sizes that take long are left out.

    >>> import networkx as nx
    >>> from gomkcn.mining.patterns.pattern_miner import PatternMiner
    >>> mined = MinedGraph.of(nx.karate_club_graph())
    >>> found = measure_graph(mined, PatternMiner().choice_rules(mined.graph), Steps())
    >>> found.num_units, len(found.measured.structures)
    (34, 29)
    """
    graph = mined.graph
    unit = GRAPHS if graph.num_graphs >= LEAST_GRAPHS else NODES
    numbers = np.arange(graph.num_nodes)
    owner = graph.graph_of(numbers) if unit == GRAPHS else numbers
    num_units = int(owner[-1]) + 1
    if is_plain(graph, mined.categories):
        parts = _by_subtraction(mined, owner, rules, steps)
    else:
        if num_units > NUM_GROUPS:
            # as many in each, but for one
            drawn = np.random.default_rng(rules.seed).permutation(num_units) % NUM_GROUPS
            owner, num_units = drawn[owner], NUM_GROUPS
        parts = _by_counting(mined, owner, num_units, rules, steps)
    return MeasuredGraph(_joined(parts), unit, num_units, _influence(mined, parts))


def _influence(mined: MinedGraph, parts: list[Measured]) -> Influence | None:
    """The node that the errors of the most structures are from, and what changes without it."""
    known = [part for part in parts if part.node >= 0]
    if not known:
        return None
    part = max(known, key=lambda part: len(part.structures))
    changed = int(np.abs(part.shares_without - part.shares).argmax())
    (name,) = mined.given.original_ids(mined.order.given(np.array([part.node])))
    return Influence(
        name,
        int(num_neighbours(mined.graph)[part.node]),
        part.structures[changed],
        float(part.shares[changed]),
        float(part.shares_without[changed]),
    )


def num_neighbours(graph: CSRGraph) -> np.ndarray:
    """How many other nodes each node is joined with, whatever their directions, int64 ``[V]``.

    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> num_neighbours(as_csr(nx.DiGraph([(0, 1), (1, 0), (2, 1)]))).tolist()
    [1, 2, 1]
    """
    rows = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    pairs = np.unique(rows * graph.num_nodes + graph.indices.astype(np.int64))
    return np.bincount(pairs // graph.num_nodes, minlength=graph.num_nodes)


def _joined(parts: list[Measured]) -> Measured:
    if not parts:
        return Measured()
    return Measured(
        [structure for part in parts for structure in part.structures],
        [number for part in parts for number in part.counts],
        np.concatenate([part.shares for part in parts]),
        np.concatenate([part.errors for part in parts]),
    )


def _sizes_in_time(mined: MinedGraph, rules: ChoiceRules, steps: Steps, times: int) -> range:
    """The sizes that can be counted so many times within the work that nobody minds."""
    sizes = census_sizes(mined.graph, rules.sizes, mined.categories)
    spend = with_grace(steps, rules.late_steps)
    for place, size in enumerate(sizes):
        try:
            work = census_steps(mined.graph, range(sizes[0], size + 1), mined.categories, spend)
        except (UncountableError, TimeUpError):
            return sizes[:place]
        if times * work > rules.most_steps:
            return sizes[:place]
    return sizes


def _by_subtraction(
    mined: MinedGraph, owner: np.ndarray, rules: ChoiceRules, steps: Steps
) -> list[Measured]:
    """The structures of each size, by the counts at each node."""
    graph = mined.graph
    sizes = _sizes_in_time(mined, rules, steps, 1)
    of_each = {
        size: [k for k, row in enumerate(ORBITS) if len(row) == size] for size in sizes if size > 2
    }

    def take(largest: int) -> Measured:
        total = census_steps(graph, range(largest, largest + 1), mined.categories)
        report = steps.stage("counting at each node")
        spend = with_grace(steps, rules.late_steps)
        done = 0.0

        def spend_and_report(work: float) -> None:
            nonlocal done
            spend(work)
            done += work
            report(done / total)

        try:
            orbits = count_orbits(graph, largest, spend_and_report)
        except (TimeUpError, UncountableError):
            return Measured()
        # orbits of four nodes have those of three with them
        wanted = [size for size in of_each if size == largest or (largest == 4 and size == 3)]
        numbers = [k for size in wanted for k in of_each[size]]
        columns = [sorted(set(ORBITS[k])) for k in numbers]
        size_of = np.array([len(ORBITS[k]) for k in numbers])
        totals = [
            int(orbits[:, column].sum()) // int(size)
            for column, size in zip(columns, size_of, strict=True)
        ]
        lost = _lost_with_each(orbits, columns, size_of, owner)
        without = shares_of(np.array(totals, np.float64) - lost, size_of)
        known = graphlets()
        node, part = most_influential(without)
        is_named = len(without) == graph.num_nodes and part >= _MOST_OF_ERRORS
        return Measured(
            [known[k] for k in numbers],
            totals,
            shares_of(np.array(totals, np.float64), size_of),
            jackknife_errors(without),
            node if is_named else -1,
            without[node] if is_named else np.empty(0),
        )

    # counts at orbits are of four or of five nodes
    largest = [size for size in (4, 5) if size in of_each] or ([4] if 3 in of_each else [])
    return steps.each("shares of structures", Measured, take, largest)


def _lost_with_each(
    orbits: np.ndarray, columns: list[list[int]], size_of: np.ndarray, owner: np.ndarray
) -> np.ndarray:
    """The occurrences that are lost with each unit, float64 ``[U, S]``.

    Without a node those that it is in are lost; with a whole graph, all of whose nodes count an
    occurrence, a share of each node's.
    """
    lost = np.empty((len(orbits), len(columns)))
    for start in range(0, len(orbits), _NODES_AT_ONCE):
        rows = slice(start, start + _NODES_AT_ONCE)
        for place, column in enumerate(columns):
            lost[rows, place] = orbits[rows, column].sum(axis=1)
    num_units = int(owner[-1]) + 1
    if num_units == len(orbits):
        return lost
    starts = np.searchsorted(owner, np.arange(num_units))
    sums: np.ndarray = np.add.reduceat(lost, starts, axis=0) / size_of
    return sums


def _by_counting(
    mined: MinedGraph, owner: np.ndarray, num_units: int, rules: ChoiceRules, steps: Steps
) -> list[Measured]:
    """The structures of all sizes, which are counted again without each unit."""
    sizes = _sizes_in_time(mined, rules, steps, 1 + num_units)
    sizes = range(max(3, sizes.start), max(3, sizes.stop))

    def take(left_out: int) -> Censuses:
        graph = mined.graph if left_out < 0 else without_nodes(mined.graph, owner == left_out)
        return take_censuses([graph], sizes, mined.categories, steps.check_time)

    def take_without(node: int) -> Censuses:
        is_out = np.arange(mined.graph.num_nodes) == node
        graph = without_nodes(mined.graph, is_out)
        return take_censuses([graph], sizes, mined.categories, steps.check_time)

    # -1: the whole graph
    items = range(-1, num_units) if sizes else ()
    found = steps.each("shares of structures", Censuses, take, items, in_time=True)
    if not found or len(found) < 1 + num_units or any(taken.refused for taken in found):
        return []
    every, shares = _shares_of_each(found)
    if not every.structures:
        return []
    totals, errors = every.counts[0].tolist(), jackknife_errors(shares[1:])
    plain = Measured(list(every.structures), totals, shares[0], errors)
    unit, part = most_influential(shares[1:])
    if mined.graph.num_graphs > 1 or part < _MOST_OF_ERRORS:
        return [plain]
    # of the group that makes most of the errors, its node with most neighbours is left out alone
    node = int(np.where(owner == unit, num_neighbours(mined.graph), -1).argmax())
    found += steps.each("shares without a node", Censuses, take_without, [node], in_time=True)
    if len(found) == 1 + num_units:
        return [plain]
    _, shares = _shares_of_each(found)
    moved = np.abs(shares[[1 + unit, -1]] - shares[0]).sum(axis=1)
    if moved[1] < _MOST_OF_ERRORS * moved[0]:
        return [plain]
    return [replace(plain, node=node, shares_without=shares[-1])]


def _shares_of_each(found: list[Censuses]) -> tuple[CensusTable, np.ndarray]:
    """The structures of some censuses, and their shares in each, float64 ``[U, S]``."""
    every = CensusTable.joined([taken.table for taken in found]).with_structures_alone()
    family = np.array([family_of(structure) for structure in every.structures])
    return every, shares_of(every.counts.astype(np.float64), family)


def without_nodes(graph: CSRGraph, is_out: np.ndarray) -> CSRGraph:
    """The graph without some nodes, bool ``[V]``, and what joins them.

    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> without_nodes(as_csr(nx.path_graph(4)), np.array([False, True, False, False])).num_edges
    1
    """
    kept = ~is_out
    row = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    stays = kept[row] & kept[graph.indices]
    number = np.cumsum(kept) - 1
    degrees = np.bincount(row[stays], minlength=graph.num_nodes)[kept]
    changes: dict[str, Any] = {
        "indptr": np.concatenate([[0], np.cumsum(degrees)]),
        "indices": number[graph.indices[stays]].astype(graph.indices.dtype),
        "features": graph.features[kept],
        "graph_ptr": np.concatenate([[0], np.cumsum(kept)])[graph.graph_ptr],
    }
    links = None if graph.links is None else graph.links[stays]
    unknown: dict[str, Any] = dict.fromkeys(
        ("weights", "node_ids", "graph_names", "loops", "atoms", "sides")
    )
    return replace(graph, **changes, **unknown, links=links)
