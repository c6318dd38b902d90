"""A census: how often every connected structure of some sizes occurs, in each of two readings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gomkcn_dgl.checks import check_sizes
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure
from mining.categories import NO_CATEGORIES, Categories
from mining.counting.census_formulas import count_graphlets, formula_steps, induced_to_subgraphs
from mining.counting.connected_sets import (
    SET_SIZES,
    count_connected_sets,
    directed_structures,
    set_steps,
    subgraphs_of,
)
from mining.counting.exact_search import count_by_graph
from mining.counting.graphlets import graphlets
from mining.counting.sought import INDUCED, STEPS_PER_SECOND, SUBGRAPH
from mining.graph_relations import channels_in

_SIZES = (2, 5)
# steps that looking at all sets takes in any graph, and for each set
_CALL, _SET = 300_000, 8
Counts = dict[Structure, int]


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
    if is_plain(graph, categories):
        totals = count_graphlets(graph, sizes[-1])
        totals = induced_to_subgraphs(totals) if reading == SUBGRAPH else totals
        rows = zip(graphlets(), totals.tolist(), strict=False)
        return {one: count for one, count in rows if one.num_nodes in sizes}
    counts: Counts = {}
    for size in sizes:
        found = count_connected_sets(graph, size, categories)
        found = subgraphs_of(found) if reading == SUBGRAPH else found
        every: Counts = {}
        if graph.relations.directed == (True,) and not categories:
            every = dict.fromkeys(directed_structures(size, *graph.relations.names), 0)
        # a part of a structure may be another object than the one that is listed
        listed = {one.key: one for one in every}
        counts |= every | {listed.get(one.key, one): count for one, count in found.items()}
    return counts


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


def count_subgraphs(graph: CSRGraph, structure: Structure, max_steps: int) -> list[int]:
    """Subgraphs isomorphic to a structure in each graph of a collection.

    By a census where there is one, else by a search of at most so many steps.
    """
    size = structure.num_nodes
    first, last = _smallest_and_largest(graph)
    if graph.num_graphs == 1 and first <= size <= last:
        # in terms of the relations of the graph
        own = replace(
            structure, channels=channels_in(graph.relations, structure), relations=graph.relations
        )
        counts = count_structures(graph, range(size, size + 1), SUBGRAPH)
        return [sum(count for one, count in counts.items() if one.key == own.key)]
    found = count_by_graph(graph, structure, max_steps=max_steps, reading=SUBGRAPH)
    if found is None:
        raise InputError(
            "count_seconds must be enough to find all subgraphs, got "
            f"{max_steps / STEPS_PER_SECOND:g}; what takes longer is estimated for induced "
            "occurrences only."
        )
    counts_of: list[int] = found.tolist()
    return counts_of
