"""The common name of a structure, where it has one, and its relations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations
from string import ascii_uppercase

import networkx as nx
import numpy as np

from gomkcn_dgl.graphs.motif_names import name_motif, name_signed_loop, sign_of
from gomkcn_dgl.graphs.named_structures import SMALL
from gomkcn_dgl.graphs.relation_clauses import relation_clauses
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import PLAIN


def describe_shape(pattern: Structure) -> str:
    """Name a structure, such as "star with 5 leaves"; else count: "6 nodes, 8 edges".

    Undirected structures of two to five nodes have the names that :meth:`Structure.parse` takes,
    directed ones those of network motifs. Relations that have names follow, as in "incoherent
    feed-forward loop of type 1: A activates B and C, B represses C", with the letters that drawings
    have on the nodes: A is node 0.
    """
    used = {pattern.relations.directed[number] for number in pattern.edge_relations}
    if used == {True}:
        shape = _describe_directed(pattern)
    else:
        counted = f"{count(pattern.num_nodes, 'node')}, {count(len(pattern.edges), 'edge')}"
        shape = _name(pattern.joined) or counted
    return shape + _describe_relations(pattern, used)


def describe_shapes(structures: Sequence[Structure]) -> list[str]:
    """Describe the structures of one table; no two different ones have the same description."""
    return tell_apart(map(describe_shape, structures), structures)


def tell_apart(texts: Iterable[str], structures: Sequence[Structure]) -> list[str]:
    """The texts of one table, with more of them where different structures have the same.

    Up to the first semicolon, after which other things are said, no two are the same. Where that
    tells some apart, it is said how far pendant nodes are from each other on their cycle, then the
    degrees of the nodes, then the edges.

    >>> rings = [Structure.parse(f"0--1, 1--2, 2--3, 3--4, 4--0, 0--5, {k}--6") for k in (1, 2)]
    >>> for text in tell_apart(["a ring; rare", "a ring"], rings):
    ...     print(text)
    a ring (attached at distance 1); rare
    a ring (attached at distance 2)
    """
    said = list(texts)
    for tell in (_distances_on_cycle, _degrees, _edges):
        alike: dict[str, list[int]] = {}
        for row, text in enumerate(said):
            alike.setdefault(text.split(";")[0], []).append(row)
        for head, rows in alike.items():
            if len({structures[row].key for row in rows}) == 1:
                continue
            told = [tell(structures[row]) for row in rows]
            if len(set(told)) > 1 and all(told):
                for row, more in zip(rows, told, strict=True):
                    said[row] = f"{head} ({more}){said[row][len(head) :]}"
    return said


def _distances_on_cycle(structure: Structure) -> str:
    """Distances between the nodes of the only cycle that pendant nodes are joined to."""
    graph = nx.from_numpy_array(structure.joined)
    pendant = [node for node, degree in graph.degree if degree == 1]
    ring = graph.subgraph(set(graph) - set(pendant))
    if not ring or len(pendant) < 2 or any(degree != 2 for _, degree in ring.degree):
        return ""
    ends = [next(iter(graph[node])) for node in pendant]
    far = sorted(nx.shortest_path_length(ring, u, v) for u, v in combinations(ends, 2))
    return f"attached at distance{'s' * (len(far) > 1)} {', '.join(map(str, far))}"


def _degrees(structure: Structure) -> str:
    if structure.relations.is_directed:
        return ""
    degrees = sorted(structure.joined.sum(axis=1).tolist(), reverse=True)
    return f"degrees {', '.join(map(str, degrees))}"


def _edges(structure: Structure) -> str:
    """The edges as ``gomkcn count`` takes them, with letters; "A:C" for a category "label=C"."""
    short = tuple(
        tuple(name.rpartition("=")[2] for name in names) for names in structure.categories
    )
    text = replace(structure, categories=short).to_text()
    # a number of a node stands at the start of an edge, or behind a line or an arrow
    return re.sub(
        r"(^|, |--|->|\]-|\]->)(\d+)", lambda at: at[1] + ascii_uppercase[int(at[2])], text
    )


def _describe_directed(pattern: Structure) -> str:
    """Name a graph whose edges all have a direction; else count nodes, edges, sources and sinks."""
    arcs = np.zeros((pattern.num_nodes, pattern.num_nodes), dtype=bool)
    arcs[tuple(np.array(pattern.edges).T)] = True
    name = name_motif(arcs)
    if name == "feed-forward loop":
        return _name_loop(pattern)
    if name is None and (arcs == arcs.T).all():
        shape = _name(arcs)
        name = shape and f"{shape}, all edges mutual"
    if name is not None:
        return name
    graph = nx.from_numpy_array(arcs, create_using=nx.DiGraph)
    parts = [count(len(graph), "node"), count(len(pattern.edges), "edge")]
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
    """Name a feed-forward loop, its kind included where each edge activates or represses."""
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
    (first, most), *others = Counter(names[n] for n in pattern.edge_relations).most_common()
    if not others:
        return f", all edges “{first}”" if most > 1 else f" “{first}”"
    rest = "".join(f", {number} “{name}”" for name, number in others)
    return f", {count(most, 'edge')} “{first}”{rest}"


@cache
def _small_names() -> dict[bytes, str]:
    return {Structure.parse(name).key: name for name in SMALL}


def _name(joined: np.ndarray) -> str | None:
    """Name an undirected graph from its adjacency, bool ``[M, M]``."""
    graph = nx.from_numpy_array(joined)
    if len(graph) == 1:
        return "single node"
    if len(graph) <= 5:
        return _small_names()[Structure(joined).key]
    return _name_tree(graph) if nx.is_tree(graph) else _name_cyclic(graph)


def _name_tree(tree: nx.Graph) -> str:
    size, highest = len(tree), max(degree for _, degree in tree.degree)
    if highest == 2:
        return f"path of {size} nodes"
    return f"star with {highest} leaves" if highest == size - 1 else f"tree with {size} nodes"


def _name_unicyclic(graph: nx.Graph) -> str:
    """Name a connected graph with one cycle, which trees may be attached to."""
    ring = nx.k_core(graph, 2)
    rest = graph.subgraph(set(graph) - set(ring))
    name = "triangle" if len(ring) == 3 else f"cycle of {len(ring)} nodes"
    if not rest:
        return name
    if not rest.edges:
        return f"{name} with {count(len(rest), 'pendant node')}"
    if nx.is_connected(rest) and all(graph.degree[node] <= 2 for node in rest):
        return f"{name} with a tail of {len(rest)} nodes"
    return f"{name} with trees of {len(rest)} nodes"


def _name_cyclic(graph: nx.Graph) -> str | None:
    """Name a connected graph with at least one cycle."""
    size, num_edges = len(graph), graph.number_of_edges()
    num_missing = size * (size - 1) // 2 - num_edges
    if num_edges == size:
        return _name_unicyclic(graph)
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
    if num_missing == 1:
        return f"clique of {size} nodes less 1 edge"
    if num_missing == 2:
        # one node lacks both edges, or none does
        kind = "adjacent" if min(degree for _, degree in graph.degree) == size - 3 else "disjoint"
        return f"clique of {size} nodes less 2 {kind} edges"
    return None


def count(number: int, noun: str) -> str:
    """Such as "1 node" or "3,371 nodes"."""
    return f"{number} {noun}" if number == 1 else f"{number:,} {noun}s"
