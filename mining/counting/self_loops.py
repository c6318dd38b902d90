"""Self-loops: how many there are, and patterns with some, compared with random graphs.

1. The number of self-loops is compared with two null models that put all edges elsewhere. Where
   each of E edges joins two of N nodes at random, N of N² pairs are loops, and about E / N are
   expected: the usual null model of autoregulation (N. Rosenfeld, M. B. Elowitz and U. Alon, J.
   Mol. Biol. 323, 2002; U. Alon, An Introduction to Systems Biology, 2006, chapter 3). Where each
   node keeps the numbers of edges that leave it and reach it, a loop at a node with out
   and in of them has the probability out · in / E (configuration model).
2. A pattern with loops and other edges is compared with graphs that have the same other edges and
   equally many loops, at other nodes: those of nodes that an edge leaves (with directions), or that
   have an edge, are permuted. A node that has several kinds of loops keeps them together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gomkcn.mining.counting.conditions import TextQuery
from gomkcn.mining.counting.counter import count_query, list_query
from gomkcn.mining.structures.pattern import OccurrenceCount
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graph_content import EdgeTable
from gomkcn_dgl.graphs.pattern_text import EdgePart

# random placements of the loops: the smallest p is 2 / 1000, with both tails
NUM_PLACEMENTS = 999
# occurrences whose loops are placed; of more, a random sample, whose mean is off by about 1 %
_MOST_PLACED = 100_000


@dataclass(frozen=True)
class LoopNumber:
    """The number of self-loops of some relations, and what is expected of random graphs.

    Attributes
    ----------
    loops, edges : int
        Self-loops, and all edges of these relations.
    expected, deviation, p : float
        Mean and standard deviation where edges join random nodes, and the probability of as many
        loops or more.
    expected_by_degree, p_by_degree : float
        The mean where each node keeps its degrees, and the probability as of rare independent
        events (Poisson).
    """

    loops: int
    edges: int
    expected: float
    deviation: float
    p: float
    expected_by_degree: float
    p_by_degree: float


def loop_number(edges: EdgeTable, used: np.ndarray, graph: CSRGraph) -> LoopNumber:
    """Compare the self-loops among the edges that are ``used``, bool ``[E]``, with random graphs.

    Edges between the same nodes count once. Those of a collection join nodes of the same graph.

    >>> import networkx as nx
    >>> from gomkcn_dgl.graph import with_attributes
    >>> graph, _, edges = with_attributes(nx.DiGraph([(0, 0), (1, 1), (2, 3), (0, 3)]))
    >>> number = loop_number(edges, np.ones(4, bool), graph)
    >>> number.loops, number.expected, round(number.p, 3), number.expected_by_degree
    (2, 1.0, 0.245, 0.75)
    """
    from scipy.stats import hypergeom, poisson

    source, target = edges.source[used], edges.target[used]
    if not graph.is_directed:
        source, target = np.minimum(source, target), np.maximum(source, target)
    source, target = np.unique(np.stack([source, target]), axis=1)
    loops = int((source == target).sum())
    # 1. each set of pairs of nodes is as likely as another
    sizes = np.diff(graph.graph_ptr)
    num_pairs = int((sizes**2 if graph.is_directed else sizes * (sizes + 1) // 2).sum())
    at_random = hypergeom(num_pairs, graph.num_nodes, len(source))
    share, left = graph.num_nodes / num_pairs, (num_pairs - len(source)) / max(1, num_pairs - 1)
    # 2. each node has its ends of edges, which are joined at random within its graph
    leaving, arriving = (np.bincount(end, minlength=graph.num_nodes) for end in (source, target))
    edges_of = np.bincount(graph.graph_of(source), minlength=graph.num_graphs)
    edges_there = np.maximum(1, edges_of[graph.graph_of(np.arange(graph.num_nodes))])
    if graph.is_directed:
        by_degree = float((leaving * arriving / edges_there).sum())
    else:
        ends = leaving + arriving
        # of 2E ends, two of one node
        by_degree = float((ends * (ends - 1) / (2 * (2 * edges_there - 1))).sum())
    return LoopNumber(
        loops=loops,
        edges=len(source),
        # as of the distribution, whose own moments divide by 0 in graphs of two nodes
        expected=len(source) * share,
        deviation=math.sqrt(len(source) * share * (1 - share) * left),
        p=float(at_random.sf(loops - 1)),
        expected_by_degree=by_degree,
        p_by_degree=float(poisson(by_degree).sf(loops - 1)),
    )


@dataclass(frozen=True)
class LoopPlacements:
    """A count of a pattern with self-loops, where the loops are at random nodes.

    Attributes
    ----------
    expected, deviation : float
        Mean and standard deviation of the counts.
    p : float
        Of both tails: twice the share of placements, and what was counted, that are as far.
    placements, places : int
        Random placements, and nodes among which loops are placed.
    """

    expected: float
    deviation: float
    p: float
    placements: int
    places: int


def place_loops(
    occurrences: np.ndarray,
    num_occurrences: float,
    loops: Sequence[tuple[int, np.ndarray]],
    regulators: np.ndarray,
    num_counted: float,
    seed: int = 0,
    num_placements: int = NUM_PLACEMENTS,
) -> LoopPlacements:
    """Count a pattern with its loops at random nodes.

    Parameters
    ----------
    occurrences : numpy.ndarray
        int ``[K, M]``, the occurrences without loops, or a sample of them.
    num_occurrences : float
        How many there are.
    loops : sequence of (int, bool ``[V]``)
        A node of the pattern, and the nodes of the graph that are as its loop says.
    regulators : numpy.ndarray
        int ``[P]``, the nodes among which loops are placed.
    num_counted : float
        The number of occurrences with loops where they are.
    seed : int
        Of the placements.
    num_placements : int
        Number of them.

    Examples
    --------
    >>> arcs = np.array([[0, 1], [0, 2], [1, 2]])
    >>> has_loop = np.array([True, False, False])
    >>> found = place_loops(arcs, 3, [(0, has_loop)], np.array([0, 1]), 2, seed=1)
    >>> round(found.expected, 1), found.places
    (1.5, 2)
    """
    columns = [node for node, _ in loops]
    # occurrences with the same nodes at the loops count together
    tuples, times = np.unique(occurrences[:, columns], axis=0, return_counts=True)
    scale = num_occurrences / max(1, len(occurrences))
    rng = np.random.default_rng(seed)
    counts = np.empty(num_placements)
    for number in range(num_placements):
        order = rng.permutation(regulators)
        fits = np.ones(len(tuples), bool)
        for column, (_, has) in enumerate(loops):
            placed = has.copy()
            placed[regulators] = has[order]
            fits &= placed[tuples[:, column]]
        counts[number] = scale * times[fits].sum()
    as_many, as_few = (counts >= num_counted).sum(), (counts <= num_counted).sum()
    return LoopPlacements(
        expected=float(counts.mean()),
        deviation=float(counts.std(ddof=1)),
        p=min(1.0, 2 * (1 + int(min(as_many, as_few))) / (1 + num_placements)),
        placements=num_placements,
        places=len(regulators),
    )


def compare_loops(
    text: TextQuery, reading: str, counted: OccurrenceCount, *, seed: int = 0, **limits: Any
) -> tuple[list[tuple[EdgePart, LoopNumber]], LoopPlacements | None]:
    """Compare the self-loops of a text, and the pattern with them, with random graphs.

    ``counted`` is the number of its occurrences, and ``limits`` are those of
    :func:`gomkcn.mining.counting.counter.count_query`. Returns each loop of the text that differs
    from the others in relation or tests, and its number; and, if the text has other edges and
    compares no loop with these, the placements.
    """
    edges = text.edges
    assert edges is not None, "self-loops are counted among the edges as they were given"
    graph = text.graph
    kinds = {(loop.relation, loop.tests): loop for loop in reversed(text.pattern.loops)}
    numbers = [
        (loop, loop_number(edges, text.edges_like(loop), graph))
        for loop in reversed(kinds.values())
    ]
    compared = text.compared_edges()
    # what a self-loop at another node is compared by is not known
    if not text.pattern.edges or any(edge.first == edge.second for edge in compared):
        return numbers, None
    query = text.query(reading, needs_loops=False)
    total, _ = count_query(query, seed=seed, **limits)
    places, _ = list_query(query, most=_MOST_PLACED, seed=seed, **limits)
    names = list(text.pattern.nodes)
    loops = [
        (names.index(loop.first), text.has_loop(loop) != loop.is_absent)
        for loop in text.pattern.loops
    ]
    leaves = np.zeros(graph.num_nodes, bool)
    leaves[edges.source] = True
    if not graph.is_directed:
        leaves[edges.target] = True
    return numbers, place_loops(
        places, total.value, loops, np.flatnonzero(leaves), counted.value, seed
    )
