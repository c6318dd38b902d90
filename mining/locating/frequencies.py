"""How often a pattern occurs, in readings that do not replace each other.

The readings are those of ``gomkcn.Frequency``. Disjoint occurrences are selected greedily, the one
whose nodes are in the fewest other occurrences first: a lower bound of the largest such set.

The 95 % interval of a reading is a bootstrap over units that occur independently: 2000 times units
are drawn with replacement, and the middle 95 % of the sums are the interval. A unit is one of the
disjoint occurrences with the occurrences that overlap it and the assigned roots in them; every
other root is a unit of its own. In a collection of at least 30 graphs each graph is a unit. What
no subgraph covers is in no reading but ``exact``, and in no interval.

Measured on 300 node sets that are occurrences at random, 600 graphs a row: with a mean of 3, 6, 9,
30 and 90 occurrences 94, 92, 93, 96 and 97 % of the intervals of ``distinct`` cover it. A number
that is the same in every graph, such as that of planted copies, is covered more often, see
``benchmarks/results/planted_grid.md``.
"""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from mining.records.frequency import Frequency
from mining.structures.overlaps import pick_disjoint, units_by_overlap

_READINGS = ("assigned", "distinct", "disjoint", "num_graphs")
_RESAMPLES = 2000
_TAIL = 0.025
# fewer graphs than this say little about how graphs differ
_MIN_GRAPHS = 30


def measure_frequency(
    graph: CSRGraph, assigned: np.ndarray, node_sets: np.ndarray, seed: int = 0
) -> Frequency:
    """Compute all readings but the exact one, in a graph every node of which was a root.

    ``assigned [R]`` are different roots, and ``node_sets [K, N]`` the nodes of each occurrence, the
    most similar first, -1 = padding; ``seed`` is that of the bootstrap.

    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> bowtie = as_csr(nx.Graph([(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4)]))
    >>> triangles = np.array([[0, 1, 2], [2, 3, 4]])
    >>> frequency = measure_frequency(bowtie, np.arange(5), triangles)
    >>> frequency.assigned, frequency.distinct, frequency.disjoint
    (5, 2, 1)
    """
    # 1. disjoint occurrences, and the graph of each occurrence
    picked = pick_disjoint(node_sets, graph.num_nodes)
    # an occurrence is in one graph, so its first node tells which
    graph_of_each = graph.graph_of(node_sets[:, 0])
    num_graphs = len(np.unique(graph_of_each))
    # 2. independent units: graphs where there are many, otherwise occurrences that overlap
    if graph.num_graphs >= _MIN_GRAPHS:
        units = _units_by_graph(graph, assigned, graph_of_each, picked)
        num_units = graph.num_graphs
    else:
        units, num_units = units_by_overlap(graph.num_nodes, assigned, node_sets, picked)
    # 3. the percentile bootstrap over units
    bounds = _bootstrap(units, num_units, seed)
    return Frequency(
        assigned=len(assigned),
        distinct=len(node_sets),
        disjoint=int(picked.sum()),
        num_graphs=num_graphs,
        intervals=dict(zip(_READINGS, bounds, strict=False)),
    )


def _units_by_graph(
    graph: CSRGraph, assigned: np.ndarray, graph_of_each: np.ndarray, picked: np.ndarray
) -> np.ndarray:
    """What each graph adds to each reading, ``[G, 4]``."""
    size = graph.num_graphs
    distinct = np.bincount(graph_of_each, minlength=size)
    columns = [
        np.bincount(graph.graph_of(assigned), minlength=size),
        distinct,
        np.bincount(graph_of_each[picked], minlength=size),
        distinct > 0,
    ]
    return np.stack(columns, axis=1).astype(np.int64)


def _bootstrap(units: np.ndarray, num_units: int, seed: int) -> list[tuple[int, int]]:
    """95 % interval of each column's sum when ``num_units`` units are drawn with repeats."""
    kinds, count = _count_kinds(units)
    # units that add the same are drawn together; the last kind adds nothing
    share = np.append(count, num_units - len(units)) / num_units
    drawn = np.random.default_rng(seed).multinomial(num_units, share, size=_RESAMPLES)
    sums = drawn[:, :-1] @ kinds
    bounds = np.quantile(sums, [_TAIL, 1 - _TAIL], axis=0, method="inverted_cdf")
    return [(int(low), int(high)) for low, high in bounds.T]


def _count_kinds(units: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Different rows in ascending order, and how often each is there."""
    # a row as one number, which is sorted much faster than rows are
    width = units.max(axis=0, initial=0) + 1
    if np.prod(width.astype(float)) >= 2**63:
        return np.unique(units, axis=0, return_counts=True)
    number = np.ravel_multi_index(tuple(units.T), tuple(width))
    kinds, count = np.unique(number, return_counts=True)
    return np.stack(np.unravel_index(kinds, tuple(width)), axis=1), count
