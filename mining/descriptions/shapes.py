"""The common name of a pattern's graph, where it has one, and its relations."""

from __future__ import annotations

from collections import Counter

import networkx as nx
import numpy as np

from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import PLAIN
from mining.descriptions.motif_names import name_motif, name_signed_loop, sign_of
from mining.descriptions.relation_clauses import relation_clauses


def describe_shape(pattern: Structure) -> str:
    """Name a pattern's graph, such as "star with 5 leaves"; else count: "6 nodes, 8 edges".

    Directed graphs have the names of network motifs; relations that have names follow, as in
    "incoherent feed-forward loop of type 1: A activates B and C, B represses C".
    """
    used = {pattern.relations.directed[number] for number in pattern.edge_relations}
    if used == {True}:
        shape = _describe_directed(pattern)
    else:
        graph = nx.from_numpy_array(pattern.joined)
        shape = _name(graph) or _count_edges(graph.number_of_nodes(), len(pattern.edges))
    return shape + _describe_relations(pattern, used)


def _count_edges(size: int, num_edges: int) -> str:
    return f"{count(size, 'node')}, {count(num_edges, 'edge')}"


def _describe_directed(pattern: Structure) -> str:
    """Name a graph whose edges all have a direction; else count nodes, arcs, sources and sinks."""
    arcs = np.zeros((pattern.num_nodes, pattern.num_nodes), dtype=bool)
    arcs[tuple(np.array(pattern.edges).T)] = True
    name = name_motif(arcs)
    if name == "feed-forward loop":
        return _name_loop(pattern)
    if name is None and (arcs == arcs.T).all():
        shape = _name(nx.from_numpy_array(arcs))
        name = shape and f"{shape}, every edge both ways"
    if name is not None:
        return name
    graph = nx.from_numpy_array(arcs, create_using=nx.DiGraph)
    parts = [count(len(graph), "node"), count(len(pattern.edges), "arc")]
    mutual = int(np.triu(arcs & arcs.T).sum())
    if mutual:
        parts.append(count(mutual, "mutual pair"))
    num_sources, num_sinks = (int((~arcs.any(axis=axis)).sum()) for axis in (0, 1))
    parts += [count(num_sources, "source") if num_sources else "no source"]
    parts += [count(num_sinks, "sink") if num_sinks else "no sink"]
    if not mutual:
        cyclic = not nx.is_directed_acyclic_graph(graph)
        parts.append("with a directed cycle" if cyclic else "no directed cycle")
    return ", ".join(parts)


def _name_loop(pattern: Structure) -> str:
    """Name a feed-forward loop, its kind included where each arc activates or represses."""
    out_degree = Counter(u for u, _ in pattern.edges)
    if len(pattern.edges) > 3:
        return "feed-forward loop"
    first, second = (next(n for n, degree in out_degree.items() if degree == k) for k in (2, 1))
    signs = {
        edge: sign_of(pattern.relations.names[number])
        for edge, number in zip(pattern.edges, pattern.edge_relations, strict=True)
    }
    (third,) = {0, 1, 2} - {first, second}
    return name_signed_loop((signs[first, second], signs[second, third], signs[first, third]))


def _describe_relations(pattern: Structure, used: set[bool]) -> str:
    """The relations of the edges, in clauses or counted; nothing where they have no names.

    ``used`` holds whether edges have a direction; without any, the counts say enough.
    """
    names = pattern.relations.names
    if names == (PLAIN,) or not used:
        return ""
    clauses = relation_clauses(pattern) if True in used and len(names) > 1 else None
    if clauses is not None:
        return f": {clauses}"
    noun = "arc" if used == {True} else "edge"
    (first, most), *others = Counter(names[n] for n in pattern.edge_relations).most_common()
    if not others:
        return f", all {noun}s “{first}”" if most > 1 else f" “{first}”"
    listed = [f"{count(most, noun)} “{first}”", *(f"{number} “{name}”" for name, number in others)]
    return ", " + ", ".join(listed)


def _name(graph: nx.Graph) -> str | None:
    """Name an undirected graph."""
    if len(graph) == 1:
        return "single node"
    return _name_tree(graph) if nx.is_tree(graph) else _name_cyclic(graph)


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
    """Such as "1 node" or "3,371 nodes"."""
    return f"{number} {noun}" if number == 1 else f"{number:,} {noun}s"
