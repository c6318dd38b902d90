"""The common name of a pattern's graph, where it has one."""

from __future__ import annotations

import networkx as nx

from mining.records.pattern import Pattern


def describe_shape(pattern: Pattern) -> str:
    """Name a pattern's graph, such as "star with 5 leaves"; else count: "6 nodes, 8 edges"."""
    size, num_edges = pattern.num_nodes, len(pattern.edges)
    graph = nx.empty_graph(size)
    graph.add_edges_from(pattern.edges)
    if size == 1:
        return "single node"
    name = None
    if nx.is_connected(graph):
        name = _name_tree(graph) if num_edges == size - 1 else _name_cyclic(graph)
    return name or f"{count(size, 'node')}, {count(num_edges, 'edge') if num_edges else 'no edges'}"


def _name_tree(tree: nx.Graph) -> str:
    size, highest = len(tree), max(degree for _, degree in tree.degree)
    if size == 2:
        return "edge"
    if highest == 2:
        return f"path of {size} nodes"
    if highest == size - 1:
        return f"star with {highest} leaves"
    return f"tree with {size} nodes"


def _name_cyclic(graph: nx.Graph) -> str | None:
    """Name a connected graph with at least one cycle."""
    size, num_edges = len(graph), graph.number_of_edges()
    num_missing = size * (size - 1) // 2 - num_edges
    if num_edges == size:
        # exactly one cycle, with trees attached to it
        ring = len(nx.k_core(graph, 2))
        name = "triangle" if ring == 3 else f"cycle of {ring} nodes"
        return name if ring == size else f"{name} with {count(size - ring, 'node')} hanging on"
    if num_missing == 0:
        return f"clique of {size} nodes"
    # a hub joined to every node of a single ring
    if sorted(degree for _, degree in graph.degree) == [3] * (size - 1) + [size - 1]:
        hub = max(graph, key=graph.degree)
        if nx.is_connected(graph.subgraph(set(graph) - {hub})):
            return f"wheel with {size - 1} spokes"
    if nx.is_bipartite(graph):
        one, other = sorted(map(len, nx.bipartite.sets(graph)))
        if num_edges == one * other:
            return f"complete bipartite graph, {one} and {other} nodes"
    if size >= 5 and num_missing <= 2:
        return f"clique of {size} nodes less {count(num_missing, 'edge')}"
    return None


def count(number: int, noun: str) -> str:
    """Such as "1 node" or "3 nodes"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
