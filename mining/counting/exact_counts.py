"""How often a given topology occurs in a graph: exactly, and among its subgraphs.

An occurrence is a set of nodes whose induced subgraph is isomorphic to the topology. igraph would
list all ways to map the topology onto them (LAD), without a time limit and in memory, or count all
topologies of a size at once; so :func:`count_exact` has a search of its own, which the tests
compare with both.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass, replace

import igraph
import networkx as nx
import numpy as np

from gomkcn_dgl.checks import check_float, check_int
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import CSRGraph
from gomkcn_dgl.subgraphs import extract_subgraphs
from mining.counting.counting_loops import MOST_PATTERN_NODES, Plan, advance, new_search
from mining.structures.canonical_forms import CanonicalForms, canonical_form

# nodes to look at between two looks at the clock, some milliseconds
_STEPS = 1 << 21
# run by a process of its own, since igraph's census cannot be stopped
_CENSUS = """
import igraph, json, sys
num_nodes, size, edges = json.load(sys.stdin)
counts = igraph.Graph(n=num_nodes, edges=edges).motifs_randesu(size)
# no number where the class is not connected
print(json.dumps([int(count) if count == count else -1 for count in counts]))
"""


@dataclass(frozen=True)
class ExactCount:
    """How often a topology occurs.

    Attributes
    ----------
    count : int or None
        Node sets that induce it; None if they were not all found within the time limit.
    seconds : float
        How long the search took.
    at_least : int
        Node sets found within the limit; ``count`` where that is known.
    num_graphs : int
        Graphs of the collection in which one was found.
    """

    count: int | None
    seconds: float
    at_least: int
    num_graphs: int


def count_exact(
    graph: CSRGraph, adjacency: np.ndarray, time_limit: float | None = None
) -> ExactCount:
    """Count the induced occurrences of a connected topology, each node set once.

    A backtracking search places the nodes of the topology one after the other; of the placements
    that differ by a symmetry one is kept, by the conditions of J. A. Grochow and M. Kellis (Network
    motif discovery using subgraph enumeration and symmetry-breaking, RECOMB 2007, section 3).
    Nothing is listed, so memory is O(V).

    Parameters
    ----------
    graph : CSRGraph
        One graph or a collection; weights and features play no part.
    adjacency : numpy.ndarray
        ``[M, M]`` symmetric, of a connected graph of up to 62 nodes; an edge is an entry that is
        not 0.
    time_limit : float, optional
        Seconds after which the search is given up; None: never.

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
    plan = _plan(_check_topology(adjacency))
    if len(plan.degrees) == 1:
        num_graphs = int((np.diff(graph.graph_ptr) > 0).sum())
        return ExactCount(graph.num_nodes, 0.0, graph.num_nodes, num_graphs)
    search = new_search(graph.num_nodes, len(plan.degrees))
    found = np.zeros(graph.num_nodes, np.int64)
    # the first call of a process compiles, which is no part of the search
    advance(graph.indptr, graph.indices, plan, search, found, 0)
    start, seconds, unfinished = time.perf_counter(), 0.0, True
    while unfinished and (time_limit is None or seconds < time_limit):
        unfinished = advance(graph.indptr, graph.indices, plan, search, found, _STEPS)
        seconds = time.perf_counter() - start
    total = int(found.sum())
    num_graphs = len(np.unique(graph.graph_of(np.flatnonzero(found))))
    return ExactCount(None if unfinished else total, seconds, total, num_graphs)


@dataclass(frozen=True)
class SampledCount:
    """How often a topology was seen among subgraphs, a lower bound of how often it occurs.

    Attributes
    ----------
    count : int
        Different node sets that induce it, among the subgraphs.
    num_graphs : int
        Graphs of the collection that were seen to contain it.
    num_subgraphs : int
        Subgraphs that were looked at.
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

    A subgraph has as many nodes as the topology, so at most ``num_views`` occurrences are seen
    around a node, and those whose nodes all have denser surroundings not at all: a lower bound,
    close where occurrences are rare and denser than what surrounds them. It takes O(V) time, where
    an exact count can take hours.

    Parameters
    ----------
    graph : CSRGraph
        One graph or a collection; weights and features play no part.
    adjacency : numpy.ndarray
        As for :func:`count_exact`.
    num_hops : int, optional
        Radius of the subgraphs. None: the largest distance within the topology.
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
    joined = _check_topology(adjacency)
    if num_hops is None:
        num_hops = nx.diameter(nx.from_numpy_array(joined))
    batch = extract_subgraphs(
        replace(graph, weights=None),
        num_hops,
        len(joined),
        policy=policy,
        num_views=num_views,
        seed=seed,
    )
    rows = np.flatnonzero(CanonicalForms(batch).has(canonical_form(joined).certificate))
    return SampledCount(
        count=len(np.unique(batch.take(rows).node_sets())),
        num_graphs=len(np.unique(graph.graph_of(batch.roots[rows]))),
        num_subgraphs=len(batch),
    )


def exact_census(
    graph: CSRGraph, size: int, time_limit: float | None = None
) -> dict[bytes, int] | None:
    """Count every connected topology of a size, by igraph (``motifs_randesu``).

    Parameters
    ----------
    graph : CSRGraph
    size : int
        Nodes of the topologies, from 3 to 6.
    time_limit : float, optional
        Seconds after which it is given up; None: never.

    Returns
    -------
    dict or None
        Certificate (``mining/structures/canonical_forms.py``) → number of induced occurrences, of
        those that occur; None if it was not finished within the limit.

    Raises
    ------
    InputError
        If ``size`` or ``time_limit`` is out of range.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> list(exact_census(as_csr(nx.cycle_graph(7)), 3).values())
    [7]
    """
    check_int("size", size, 3, 6)
    if time_limit is not None:
        check_float("time_limit", time_limit, 0, open_minimum=True)
    given = json.dumps([graph.num_nodes, size, graph.undirected_edges().tolist()])
    try:
        result = subprocess.run(
            [sys.executable, "-c", _CENSUS],
            input=given,
            capture_output=True,
            check=True,
            text=True,
            timeout=time_limit,
        )
    except subprocess.TimeoutExpired:
        return None
    return {
        _certificate_of_class(size, number): count
        for number, count in enumerate(json.loads(result.stdout))
        if count > 0
    }


def _certificate_of_class(size: int, number: int) -> bytes:
    topology = igraph.Graph.Isoclass(size, number)
    return canonical_form(np.array(topology.get_adjacency().data)).certificate


def _check_topology(adjacency: np.ndarray) -> np.ndarray:
    """Return the adjacency as bool ``[M, M]``, or say why it is no connected simple graph."""
    joined = np.asarray(adjacency) != 0
    if joined.ndim != 2 or joined.shape[0] != joined.shape[1]:
        raise InputError(f"adjacency must be a matrix [M, M], got the shape {joined.shape}.")
    if not 1 <= len(joined) <= MOST_PATTERN_NODES:
        raise InputError(
            f"adjacency must have from 1 to {MOST_PATTERN_NODES} nodes, got {len(joined)}."
        )
    if (joined != joined.T).any():
        u, v = np.argwhere(joined != joined.T)[0]
        raise InputError(
            f"adjacency must be symmetric, got different entries for {u}, {v} and {v}, {u}."
        )
    if joined.diagonal().any():
        raise InputError("adjacency must have no self-loops, got one on its diagonal.")
    parts = nx.number_connected_components(nx.from_numpy_array(joined))
    if parts > 1:
        raise InputError(f"adjacency must be connected, got {parts} pieces; count each by itself.")
    return joined


def _plan(joined: np.ndarray) -> Plan:
    """Order the nodes of a topology so that each is joined to those before; break its symmetry."""
    joined = joined[np.ix_(order := _placing_order(joined), order)]
    before = np.tril(joined)
    above = np.zeros_like(joined)
    topology = igraph.Graph(n=len(joined), edges=np.argwhere(before).tolist())
    for node in range(len(joined)):
        # symmetries that leave the nodes before as they are
        fixed = [min(other, node) for other in range(len(joined))]
        for other in _orbit(topology.automorphism_group(color=fixed), node):
            above[other, node] = other != node
    bits = 1 << np.arange(len(joined), dtype=np.int64)
    return Plan(joined.sum(axis=1), before @ bits, above @ bits)


def _placing_order(joined: np.ndarray) -> list[int]:
    """Each next node has most edges to those before, then the largest degree."""
    degrees = joined.sum(axis=1)
    order = [int(degrees.argmax())]
    while len(order) < len(joined):
        rest = [node for node in range(len(joined)) if node not in order]
        order.append(max(rest, key=lambda node: (joined[node, order].sum(), degrees[node])))
    return order


def _orbit(generators: list[list[int]], node: int) -> set[int]:
    """Nodes onto which a group of permutations can carry ``node``."""
    orbit, fresh = {node}, [node]
    while fresh:
        here = fresh.pop()
        reached = {permutation[here] for permutation in generators} - orbit
        orbit |= reached
        fresh += reached
    return orbit
