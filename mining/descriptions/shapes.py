"""The everyday name of a pattern's shape, where it has one."""

from __future__ import annotations

import networkx as nx

from mining.records.pattern import Pattern


def describe_shape(pattern: Pattern) -> str:
    """Name the shape of a pattern, features aside.

    Parameters
    ----------
    pattern : Pattern

    Returns
    -------
    str
        Such as ``"star with 5 leaves"``; ``"6 nodes, 8 edges"`` where no well-known name fits.

    Examples
    --------
    >>> import numpy as np
    >>> from mining.records.frequency import Frequency
    >>> from mining.records.pattern import Medoid
    >>> describe_shape(Pattern(0, ((0, 1), (0, 2), (0, 3)), (1.0, 1.0, 1.0), np.ones((4, 1)),
    ...                        ("constant",), Medoid((1, 2, 3, 4), 1.0, root=1),
    ...                        Frequency(1, 1, 1), 0.8, ()))
    'star with 3 leaves'
    """
    size, num_edges = pattern.num_nodes, len(pattern.edges)
    graph = nx.empty_graph(size)
    graph.add_edges_from(pattern.edges)
    plain = f"{_count(size, 'node')}, {_count(num_edges, 'edge') if num_edges else 'no edges'}"
    if size == 1:
        return "single node"
    if not nx.is_connected(graph):
        return plain
    if num_edges == size - 1:
        return _describe_tree(graph)
    return _describe_cyclic(graph) or plain


def _describe_tree(tree: nx.Graph) -> str:
    size = len(tree)
    most = max(degree for _, degree in tree.degree)
    if size == 2:
        return "edge"
    if most == 2:
        return f"path of {size} nodes"
    if most == size - 1:
        return f"star with {most} leaves"
    return f"tree with {size} nodes"


def _describe_cyclic(graph: nx.Graph) -> str | None:
    """Name a connected graph that has a cycle."""
    size, num_edges = len(graph), graph.number_of_edges()
    degrees = sorted(degree for _, degree in graph.degree)
    if size == 3:
        return "triangle"
    if degrees[-1] == 2:
        return f"cycle of {size} nodes"
    missing = size * (size - 1) // 2 - num_edges
    if missing == 0:
        return f"clique of {size} nodes"
    if num_edges == size:
        return _describe_one_cycle(graph)
    # a hub on all, and a single ring without it
    if degrees == [3] * (size - 1) + [size - 1]:
        hub = max(graph, key=graph.degree)
        if nx.is_connected(graph.subgraph(set(graph) - {hub})):
            return f"wheel with {size - 1} spokes"
    if nx.is_bipartite(graph):
        one, other = sorted(map(len, nx.bipartite.sets(graph)))
        if num_edges == one * other:
            return f"complete bipartite graph, {one} and {other} nodes"
    # smaller ones have names of their own, such as a square with a diagonal
    if size >= 5 and missing <= 2:
        return f"clique of {size} nodes less {_count(missing, 'edge')}"
    return None


def _describe_one_cycle(graph: nx.Graph) -> str:
    """Name a ring with trees on it."""
    ring = nx.k_core(graph, 2)
    name = "triangle" if len(ring) == 3 else f"cycle of {len(ring)} nodes"
    return f"{name} with {_count(len(graph) - len(ring), 'node')} hanging on"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
