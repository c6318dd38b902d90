"""The bag of patterns: how often each pattern occurs in each graph, or at each node."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from gomkcn.mining.counting.counter import count_query, list_query
from gomkcn.mining.counting.occurrence_search import OccurrenceSearch
from gomkcn.mining.counting.query import Query
from gomkcn.mining.counting.watching import STEPS_PER_SECOND
from gomkcn.mining.structures.pattern import Pattern
from gomkcn_dgl.bounds import MOST_STEPS
from gomkcn_dgl.checks import RandomState, as_seed, check_choice, check_float, check_int
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graph import as_unweighted
from gomkcn_dgl.io.features import take_features
from gomkcn_dgl.runtime.steps import Steps

log = logging.getLogger("gomkcn_dgl")

LEVELS = ("graph", "node")
COPIES, OCCURRENCES, LOG = VALUES = ("copies", "occurrences", "log")
# relative error of estimates, where counting all occurrences takes too many steps
_ERROR = 0.05
# places that are held at once
_MOST_PLACES = 2_000_000
# least steps for an estimate in one graph
_LEAST_STEPS = STEPS_PER_SECOND // 50


def bag_of_patterns(
    patterns: Sequence[Pattern],
    graph: Any,
    *,
    level: str = "graph",
    max_steps: int = 10 * STEPS_PER_SECOND,
    max_places: int = _MOST_PLACES,
    seed: RandomState = 0,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Count the occurrences of each pattern in each graph of a collection, or at each node.

    Counted are the induced occurrences of the structure of a pattern, with the directions and types
    of its edges and the categories of its nodes, each node set once. Numeric features are not
    compared: patterns that differ in them alone have the same counts.

    Counts are exact where counting all occurrences in all graphs takes at most ``max_steps``. Else
    those of each graph are estimated without bias, to 5 % or by as many steps again in all, and
    those at nodes from a uniform sample of the places; a line in the log says so.

    Parameters
    ----------
    patterns : sequence of Pattern
        Those of a miner or of a run.
    graph : anything :func:`gomkcn.as_csr` takes
        A list of graphs, or a collection, with the relations and categories of the patterns.
    level : {"graph", "node"}
        Whether to count the occurrences in each graph, or those that each node is in. At the level
        of nodes every place is listed.
    max_steps : int
        Most steps to count each pattern exactly, in all graphs together. A step checks a node, and
        takes about 10 ns.
    max_places : int
        Most places of a pattern that are listed at the level of nodes; patterns with more are
        estimated. A place takes 4 bytes for each node of the pattern.
    seed : int
        Seed of the estimates.
    n_jobs : int or None
        Workers that share the patterns, see :class:`gomkcn.PatternMiner`.

    Returns
    -------
    numpy.ndarray
        float64 ``[G, patterns]`` or ``[V, patterns]``.

    Raises
    ------
    InputError
        If the graphs do not have the relations or the categories of the patterns.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import PatternMiner
    >>> graphs = [nx.cycle_graph(5), nx.complete_graph(5)]
    >>> miner = PatternMiner(null=None, given=["ring-5", "clique-5"]).fit(graphs)
    >>> counts = bag_of_patterns(miner.patterns_, [nx.complete_graph(6), nx.cycle_graph(5)])
    >>> [one.name for one in miner.patterns_], counts.tolist()
    (['cycle of 5 nodes', 'clique of 5 nodes'], [[0.0, 6.0], [1.0, 0.0]])
    """
    check_choice("level", level, LEVELS)
    check_int("max_steps", max_steps, 1, MOST_STEPS)
    check_int("max_places", max_places, 1)
    drawn_seed = as_seed("seed", seed)
    csr = as_unweighted(graph)
    of_graph, of_patterns = category_colors(patterns, csr)

    def count_pattern(number: int) -> tuple[np.ndarray, bool]:
        of_nodes = of_patterns[number]
        colors = None if of_nodes is None else (of_nodes, of_graph)
        return count_at_level(
            Query.of_structure(csr, patterns[number].structure, colors),
            level,
            count_error=_ERROR,
            max_steps=max_steps,
            max_places=max_places,
            seed=drawn_seed,
        )

    found = Steps(n_jobs=n_jobs).each(
        "counting patterns", tuple[np.ndarray, bool], count_pattern, range(len(patterns))
    )
    bag = np.empty((csr.num_graphs if level == "graph" else csr.num_nodes, len(patterns)))
    for column, (pattern, (counts, is_exact)) in enumerate(zip(patterns, found, strict=True)):
        bag[:, column] = counts
        if not is_exact:
            log.info("pattern %d: occurrences by %s are estimated", pattern.id, level)
    return bag


def count_at_level(
    query: Query,
    level: str,
    *,
    count_error: float,
    max_steps: int,
    max_places: int = _MOST_PLACES,
    seed: int = 0,
) -> tuple[np.ndarray, bool]:
    """Occurrences in each graph ``[G]`` or at each node ``[V]``, and whether they are exact.

    Exact counts are int64 and estimates float64, see :func:`bag_of_patterns`.

    >>> import networkx as nx
    >>> from gomkcn import Structure, as_csr
    >>> query = Query.of_structure(as_csr(nx.path_graph(4)), Structure.parse("path-3"))
    >>> counts, is_exact = count_at_level(query, "node", count_error=0.05, max_steps=1000)
    >>> counts.tolist(), is_exact
    ([1, 2, 2, 1], True)
    """
    check_float("count_error", count_error, 0, open_minimum=True)
    check_int("max_steps", max_steps, 1, MOST_STEPS)
    if level == "graph":
        return _count_in_graphs(query, count_error, max_steps, seed)
    return _count_at_nodes(query, count_error, max_steps, max_places, seed)


def _count_in_graphs(
    query: Query, count_error: float, max_steps: int, seed: int
) -> tuple[np.ndarray, bool]:
    """All occurrences at once, or else those of each graph with a share of the steps."""
    if query.graph.num_graphs > 1:
        search = OccurrenceSearch(query)
        search.run(max_steps=max_steps)
        if not search.unfinished:
            return search.count_by_graph, True
    share = max(max_steps // query.graph.num_graphs, _LEAST_STEPS)
    counts = [
        count_query(query_of_graph, count_error=count_error, max_steps=share, seed=seed)[0]
        for query_of_graph in query.of_each_graph()
    ]
    is_exact = all(count.is_exact for count in counts)
    return np.array([count.value for count in counts], np.int64 if is_exact else float), is_exact


def _count_at_nodes(
    query: Query, count_error: float, max_steps: int, max_places: int, seed: int
) -> tuple[np.ndarray, bool]:
    """All places, or else a sample of them, each of which stands for as many."""
    places, is_complete = list_query(query, most=max_places, max_steps=max_steps, seed=seed)
    counts = np.bincount(places.reshape(-1), minlength=query.graph.num_nodes)
    if is_complete or not len(places):
        return counts, is_complete
    total, _ = count_query(query, count_error=count_error, max_steps=max_steps, seed=seed)
    return counts * (total.value / len(places)), False


def category_colors(
    patterns: Sequence[Pattern], graph: CSRGraph
) -> tuple[np.ndarray, list[np.ndarray | None]]:
    """Number the categories of nodes: int64 ``[V]`` of a graph, ``[M]`` of each pattern.

    Nodes have the same number when they agree in all categories that any of the patterns has.
    Patterns whose nodes have no categories get None.
    """
    names = sorted({name for pattern in patterns for node in pattern.categories for name in node})
    has_category = [
        [[name in node for name in names] for node in pattern.categories] for pattern in patterns
    ]
    of_graph = np.zeros((graph.num_nodes, 0), bool)
    if names:
        of_graph = take_features(graph, tuple(names), has_others=True).features != 0
    # the rows of the graph, then those of each pattern
    parts = [
        of_graph,
        *(np.array(rows, bool).reshape(len(rows), len(names)) for rows in has_category),
    ]
    _, numbers = np.unique(np.concatenate(parts), axis=0, return_inverse=True)
    colors, *of_patterns = np.split(
        numbers.reshape(-1), np.cumsum([len(part) for part in parts[:-1]])
    )
    return colors, [numbers_of if len(numbers_of) else None for numbers_of in of_patterns]
