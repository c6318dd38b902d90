"""How often a given topology occurs in a graph: exactly, and among the subgraphs of the miner.

An occurrence is a set of nodes whose induced subgraph is isomorphic to the topology, directions and
relations of the edges included. igraph lists
all mappings of the topology onto the graph (LAD) in memory and without a time limit. So
:func:`count_exact` has a search of its own, which the tests compare with igraph.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import networkx as nx
import numpy as np

from gomkcn_dgl.checks import check_float
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import CSRGraph
from gomkcn_dgl.relations import Relations
from gomkcn_dgl.subgraphs import extract_subgraphs
from mining.counting.counting_loops import MOST_PATTERN_NODES, Labels, Plan, advance, new_search
from mining.structures.canonical_forms import CanonicalForms, as_colored_graph, canonical_form
from mining.structures.graph_relations import in_words, links_of

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
    graph: CSRGraph,
    adjacency: np.ndarray,
    time_limit: float | None = None,
    colors: tuple[np.ndarray, np.ndarray] | None = None,
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
        not 0. Where the edges of ``graph`` have directions or several relations, ``[M, M, C]``, a
        matrix for each of its channels, as :meth:`gomkcn.Pattern.channels` gives them.
    time_limit : float, optional
        Seconds after which the search is stopped; None: never.
    colors : (array, array), optional
        Whole numbers ``[M]`` and ``[V]``: a node of the topology is mapped to nodes of its colour.

    Raises
    ------
    InputError
        If ``adjacency`` or ``colors`` are not of that form, or ``time_limit`` is not above 0.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> triangle = 1 - np.eye(3)
    >>> count_exact(as_csr(nx.complete_graph(5)), triangle).count
    10
    >>> from synthetic import MOTIFS
    >>> order = as_csr(nx.DiGraph([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]))
    >>> count_exact(order, MOTIFS["feed-forward-loop"].channels()).count
    4
    """
    if time_limit is not None:
        check_float("time_limit", time_limit, 0, open_minimum=True)
    adjacency = _check_topology(adjacency, graph.relations)
    if colors is not None:
        colors = _check_colors(*colors, len(adjacency), graph.num_nodes)
    count = np.zeros(graph.num_nodes, np.int64)
    if len(adjacency) == 1:
        count[:] = True if colors is None else colors[1] == colors[0]
        return _exact_count(graph, count, 0.0, unfinished=False)
    plan, labels = _make_plan(adjacency, graph, colors)
    if labels is not None and (labels.pattern_links < 0).any():
        # the graph does not have such an edge
        return _exact_count(graph, count, 0.0, unfinished=False)
    # the search runs for a number of steps at a time, and the clock is read in between
    search = new_search(graph.num_nodes, len(adjacency))
    # the first call in a process compiles, which is not part of the search
    advance(graph.indptr, graph.indices, plan, labels, search, count, 0)
    start, seconds, unfinished = time.perf_counter(), 0.0, True
    while unfinished and (time_limit is None or seconds < time_limit):
        unfinished = advance(graph.indptr, graph.indices, plan, labels, search, count, _STEPS)
        seconds = time.perf_counter() - start
    return _exact_count(graph, count, seconds, unfinished)


def _exact_count(
    graph: CSRGraph, count: np.ndarray, seconds: float, unfinished: bool
) -> ExactCount:
    """The sum of the counts at each root ``[V]``."""
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
    adjacency = _check_topology(adjacency, graph.relations)
    if num_hops is None:
        num_hops = nx.diameter(nx.from_numpy_array(_joined(adjacency)))
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


def _check_topology(adjacency: np.ndarray, relations: Relations) -> np.ndarray:
    """Return bool ``[M, M]`` or ``[M, M, C]``, or refuse what is no connected simple graph."""
    adjacent, num_channels = np.asarray(adjacency) != 0, len(relations.channels)
    if adjacent.shape[2:] == (1,):
        adjacent = adjacent[..., 0]
    if adjacent.ndim not in (2, 3) or adjacent.shape[0] != adjacent.shape[1]:
        raise InputError(f"adjacency must be a matrix [M, M], got the shape {adjacent.shape}.")
    if adjacent.shape[2:] != ((num_channels,) if num_channels > 1 else ()):
        raise InputError(
            f"adjacency must be {f'[M, M, {num_channels}]' if num_channels > 1 else '[M, M]'}, a "
            f"matrix for each channel of the relations {in_words(relations)}, got the shape "
            f"{adjacent.shape}; or read the graph with other directions and relations."
        )
    if not 1 <= len(adjacent) <= MOST_PATTERN_NODES:
        raise InputError(
            f"adjacency must have from 1 to {MOST_PATTERN_NODES} nodes, got {len(adjacent)}."
        )
    reverse = adjacent if adjacent.ndim == 2 else adjacent[..., relations.opposite]
    if (adjacent != reverse.swapaxes(0, 1)).any() or adjacent.diagonal().any():
        raise InputError(
            "adjacency must be symmetric with a diagonal of zeros (no self-loops), where an edge "
            "that leaves one node arrives at the other."
        )
    num_components = nx.number_connected_components(nx.from_numpy_array(_joined(adjacent)))
    if num_components > 1:
        raise InputError(
            f"adjacency must be connected, got {num_components} components; count each by itself."
        )
    return adjacent


def _check_colors(
    pattern: np.ndarray, graph: np.ndarray, size: int, num_nodes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return both as int64, or refuse what is not one whole number for each node."""
    for colors, length in ((pattern, size), (graph, num_nodes)):
        if np.shape(colors) != (length,) or np.asarray(colors).dtype.kind not in "iu":
            raise InputError(
                f"colors must be whole numbers for the {size} nodes of the topology and for the "
                f"{num_nodes} of the graph, got {np.asarray(colors).dtype} of shape "
                f"{np.shape(colors)}."
            )
    return np.asarray(pattern, np.int64), np.asarray(graph, np.int64)


def _joined(adjacent: np.ndarray) -> np.ndarray:
    """Which nodes are joined in any way, bool ``[M, M]``."""
    return adjacent if adjacent.ndim == 2 else np.asarray(adjacent.any(axis=2))


def _make_plan(
    adjacent: np.ndarray, graph: CSRGraph, colors: tuple[np.ndarray, np.ndarray] | None
) -> tuple[Plan, Labels | None]:
    """Order the nodes of a topology for the search, with the conditions that break its symmetry.

    Each node is adjacent to one before it. For each node in turn, the symmetries that fix the
    nodes before it carry it to the nodes of its orbit; all of these must be mapped to larger nodes
    of the graph.
    """
    order = _search_order(_joined(adjacent))
    adjacent, size = adjacent[np.ix_(order, order)], len(order)
    own = None if colors is None else colors[0][order]
    # row i of `before` has the nodes before i that node i is adjacent to
    before, above = np.tril(_joined(adjacent)), np.zeros((size, size), dtype=bool)
    topology, kind = as_colored_graph(adjacent, own)
    kind = [0] * size if kind is None else kind
    for node in range(size):
        # equal colours may be exchanged: the nodes before this one have a colour each
        color = [other if other < node else node + kind[other] for other in range(len(kind))]
        for other in _orbit(topology.automorphism_group(color=color), node):
            above[other, node] = other != node
    bits = 1 << np.arange(size, dtype=np.int64)
    plan = Plan(_joined(adjacent).sum(axis=1), before @ bits, above @ bits)
    if graph.links is None and colors is None:
        return plan, None
    nothing = np.empty(0, np.int64)
    labels = Labels(
        np.empty(0, np.uint8) if graph.links is None else graph.links,
        np.empty((0, 0), np.int64) if graph.links is None else links_of(adjacent, graph.relations),
        nothing if colors is None else colors[1],
        nothing if own is None else own,
    )
    return plan, labels


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
