"""How often a given topology occurs in a graph: exactly, and among the subgraphs of the miner.

An occurrence is a set of nodes whose induced subgraph is isomorphic to the topology. igraph lists
all mappings of the topology onto the graph (LAD) in memory and without a time limit. So
:func:`count_exact` has a search of its own, which the tests compare with igraph.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import igraph
import networkx as nx
import numpy as np

from gomkcn_dgl.checks import check_float
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import CSRGraph
from gomkcn_dgl.subgraphs import extract_subgraphs
from mining.counting.counting_loops import MOST_PATTERN_NODES, Plan, advance, new_search
from mining.structures.canonical_forms import CanonicalForms, canonical_form

# search steps between two readings of the clock: some milliseconds
_STEPS = 1 << 21


@dataclass(frozen=True)
class ExactCount:
    """How often a topology occurs.

    Attributes
    ----------
    count : int or None
        Node sets that induce it; None if the search did not finish within the time limit.
    seconds : float
        Duration of the search.
    at_least : int
        Node sets counted within the limit; equals ``count`` if the search finished.
    num_graphs : int
        Graphs of the collection with at least one of them.
    """

    count: int | None
    seconds: float
    at_least: int
    num_graphs: int


def count_exact(
    graph: CSRGraph, adjacency: np.ndarray, time_limit: float | None = None
) -> ExactCount:
    """Count the induced occurrences of a connected topology, each node set once.

    A backtracking search maps the nodes of the topology one after the other. Of the mappings that
    differ by a symmetry of the topology one is counted, by the conditions of J. A. Grochow and M.
    Kellis (Network motif discovery using subgraph enumeration and symmetry-breaking, RECOMB 2007,
    section 3). No occurrence is stored, so memory is O(V).

    Parameters
    ----------
    graph : CSRGraph
        One graph or a collection; weights and features are not used.
    adjacency : numpy.ndarray
        ``[M, M]`` symmetric, of a connected graph of up to 62 nodes; an edge is an entry that is
        not 0.
    time_limit : float, optional
        Seconds after which the search is stopped; None: never.

    Raises
    ------
    InputError
        If ``adjacency`` is not of that form, or ``time_limit`` is not above 0.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> triangle = 1 - np.eye(3)
    >>> count_exact(as_csr(nx.complete_graph(5)), triangle).count
    10
    """
    if time_limit is not None:
        check_float("time_limit", time_limit, 0, open_minimum=True)
    plan = _make_plan(_check_topology(adjacency))
    if len(plan.degrees) == 1:
        num_graphs = int((np.diff(graph.graph_ptr) > 0).sum())
        return ExactCount(graph.num_nodes, 0.0, graph.num_nodes, num_graphs)
    # the search runs for a number of steps at a time, and the clock is read in between
    search = new_search(graph.num_nodes, len(plan.degrees))
    count = np.zeros(graph.num_nodes, np.int64)
    # the first call in a process compiles, which is not part of the search
    advance(graph.indptr, graph.indices, plan, search, count, 0)
    start, seconds, unfinished = time.perf_counter(), 0.0, True
    while unfinished and (time_limit is None or seconds < time_limit):
        unfinished = advance(graph.indptr, graph.indices, plan, search, count, _STEPS)
        seconds = time.perf_counter() - start
    total = int(count.sum())
    num_graphs = len(np.unique(graph.graph_of(np.flatnonzero(count))))
    return ExactCount(None if unfinished else total, seconds, total, num_graphs)


@dataclass(frozen=True)
class SampledCount:
    """How often a topology occurs among subgraphs, a lower bound of its exact count.

    Attributes
    ----------
    count : int
        Different node sets that induce it, among the subgraphs.
    num_graphs : int
        Graphs of the collection with at least one of them.
    num_subgraphs : int
        Number of subgraphs.
    """

    count: int
    num_graphs: int
    num_subgraphs: int


def count_similar(
    graph: CSRGraph,
    adjacency: np.ndarray,
    *,
    num_hops: int | None = None,
    policy: str = "dense",
    num_views: int = 1,
    seed: int = 0,
) -> SampledCount:
    """Count a connected topology as the miner does, among the subgraphs around all nodes.

    A subgraph has as many nodes as the topology, so it covers at most one occurrence, and an
    occurrence whose nodes all have denser surroundings is covered by none. The count is a lower
    bound, close where occurrences are rare and denser than their surroundings. It takes O(V) time,
    where an exact count can take hours.

    Parameters
    ----------
    graph : CSRGraph
        One graph or a collection; weights and features are not used.
    adjacency : numpy.ndarray
        As for :func:`count_exact`.
    num_hops : int, optional
        Radius of the subgraphs. None: the diameter of the topology.
    policy, num_views, seed
        As for :func:`gomkcn_dgl.extract_subgraphs`.

    Raises
    ------
    InputError
        If an argument is not of that form.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> triangles = as_csr([nx.complete_graph(3), nx.complete_graph(3), nx.path_graph(3)])
    >>> count_similar(triangles, 1 - np.eye(3))
    SampledCount(count=2, num_graphs=2, num_subgraphs=9)
    """
    adjacency = _check_topology(adjacency)
    if num_hops is None:
        num_hops = nx.diameter(nx.from_numpy_array(adjacency))
    # subgraphs as large as the topology: those isomorphic to it are its occurrences
    unweighted, size = replace(graph, weights=None), len(adjacency)
    batch = extract_subgraphs(
        unweighted, num_hops, size, policy=policy, num_views=num_views, seed=seed
    )
    rows = np.flatnonzero(CanonicalForms(batch).has(canonical_form(adjacency).certificate))
    return SampledCount(
        count=len(np.unique(batch.take(rows).node_sets())),
        num_graphs=len(np.unique(graph.graph_of(batch.roots[rows]))),
        num_subgraphs=len(batch),
    )


def _check_topology(adjacency: np.ndarray) -> np.ndarray:
    """Return the adjacency as bool ``[M, M]``, or refuse what is no connected simple graph."""
    adjacent = np.asarray(adjacency) != 0
    if adjacent.ndim != 2 or adjacent.shape[0] != adjacent.shape[1]:
        raise InputError(f"adjacency must be a matrix [M, M], got the shape {adjacent.shape}.")
    if not 1 <= len(adjacent) <= MOST_PATTERN_NODES:
        raise InputError(
            f"adjacency must have from 1 to {MOST_PATTERN_NODES} nodes, got {len(adjacent)}."
        )
    if (adjacent != adjacent.T).any() or adjacent.diagonal().any():
        raise InputError("adjacency must be symmetric with a diagonal of zeros (no self-loops).")
    num_components = nx.number_connected_components(nx.from_numpy_array(adjacent))
    if num_components > 1:
        raise InputError(
            f"adjacency must be connected, got {num_components} components; count each by itself."
        )
    return adjacent


def _make_plan(adjacent: np.ndarray) -> Plan:
    """Order the nodes of a topology for the search, with the conditions that break its symmetry.

    Each node is adjacent to one before it. For each node in turn, the symmetries that fix the
    nodes before it carry it to the nodes of its orbit; all of these must be mapped to larger nodes
    of the graph.
    """
    order = _search_order(adjacent)
    # row i of `before` has the nodes before i that node i is adjacent to
    adjacent = adjacent[np.ix_(order, order)]
    before, above = np.tril(adjacent), np.zeros_like(adjacent)
    topology = igraph.Graph(n=len(adjacent), edges=np.argwhere(before).tolist())
    for node in range(len(adjacent)):
        # equal colours may be exchanged: the nodes before this one have a colour each
        color = [min(other, node) for other in range(len(adjacent))]
        for other in _orbit(topology.automorphism_group(color=color), node):
            above[other, node] = other != node
    bits = 1 << np.arange(len(adjacent), dtype=np.int64)
    return Plan(adjacent.sum(axis=1), before @ bits, above @ bits)


def _search_order(adjacent: np.ndarray) -> list[int]:
    """Each next node has most edges to those before, then the largest degree."""
    # many edges to mapped nodes leave few candidates, so dead ends are met early
    degrees = adjacent.sum(axis=1)
    order = [int(degrees.argmax())]
    while len(order) < len(adjacent):
        rest = [node for node in range(len(adjacent)) if node not in order]
        order.append(max(rest, key=lambda node: (adjacent[node, order].sum(), degrees[node])))
    return order


def _orbit(generators: list[list[int]], node: int) -> set[int]:
    """Nodes to which a group of permutations can carry ``node``."""
    orbit, stack = {node}, [node]
    while stack:
        current = stack.pop()
        reached = {permutation[current] for permutation in generators} - orbit
        orbit |= reached
        stack += reached
    return orbit
