"""A graph with what was found in it as attributes of nodes and edges: NetworkX, Cytoscape, Gephi.

A *role* is what a node is in a structure: its letter, with those that symmetries exchange with it,
such as ``A/B``. That of an edge names its ends: ``A/B->C``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gomkcn.mining.structures.occurrences import Occurrences, node_columns
from gomkcn.mining.structures.pattern import Pattern
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import EdgeTable
from gomkcn_dgl.graphs.structure import Structure, empty_networkx, node_letter
from gomkcn_dgl.relations import PLAIN, Relations
from gomkcn_dgl.runtime.tabular import Table, plain_columns

Marks = list[dict[str, Any]]


def marked_graph(
    graph: CSRGraph,
    motifs: Sequence[Pattern],
    patterns: Sequence[Pattern] = (),
    blocks: Table | None = None,
) -> Any:
    """Return a NetworkX graph whose nodes and edges say which copies and occurrences hold them.

    Those in copies have ``motif``, ``copy`` and ``motif_role``, of the first copy of the first
    motif. Those in listed occurrences of patterns have ``patterns``, their numbers, such as
    ``"0 3"``, and for each of them ``pattern_3_role``, all roles that they have in it, such as
    ``"A B/C"``, and ``pattern_3_occurrences``, in how many they are. Nodes have their ``block``
    where a table of these is given. The graph itself has the name of each pattern,
    ``pattern_3``, and of each motif, ``motif_0``. Nodes have their ids, in a collection after the
    number of their graph, ``"7/3"``; edges their ``relation`` where there are several. It is a
    ``DiGraph`` where edges have a direction, and then those without go both ways; a multigraph
    where there are several relations.

    >>> from gomkcn_dgl.graph import as_csr
    >>> loop = Structure.parse("A->B, A->C, B->C")
    >>> pattern = Pattern(loop, Occurrences(np.array([[0, 1, 2]]), np.zeros(1, int)), id=3)
    >>> drawn = marked_graph(as_csr(loop.to_networkx()), [], [pattern])
    >>> drawn.nodes[1]
    {'patterns': '3', 'pattern_3_role': 'B', 'pattern_3_occurrences': 1}
    >>> drawn.edges[0, 2]["pattern_3_role"]
    'A->C'
    """
    edges = EdgeTable(*graph.edges(), {})
    nodes: Marks = [{} for _ in range(graph.num_nodes)]
    joins: Marks = [{} for _ in edges.source]
    for number, motif in enumerate(motifs):
        assert motif.motif is not None, "a motif has copies"
        rows = _rows_of(motif.motif.copies, graph)
        _mark_copies(number, motif, rows, edges, graph.relations, nodes, joins)
    for pattern in patterns:
        _mark_occurrences(
            pattern, _rows_of(pattern.occurrences, graph), edges, graph.relations, nodes, joins
        )
    if blocks is not None:
        _mark_blocks(blocks, graph, nodes)
    drawn = empty_networkx(graph.relations)
    drawn.graph |= {f"motif_{number}": motif.name for number, motif in enumerate(motifs)}
    drawn.graph |= {f"pattern_{pattern.id}": pattern.name for pattern in patterns}
    # what the letters of its roles are
    drawn.graph |= {
        f"pattern_{pattern.id}_edges": pattern.structure.to_text() for pattern in patterns
    }
    ids = graph.original_ids(np.arange(graph.num_nodes))
    if graph.num_graphs > 1:
        owner = graph.graph_of(np.arange(graph.num_nodes)).tolist()
        ids = [f"{number}/{original_id}" for number, original_id in zip(owner, ids, strict=True)]
    drawn.add_nodes_from(zip(ids, nodes, strict=True))
    several = graph.relations.names != (PLAIN,)
    ends = zip(edges.source.tolist(), edges.target.tolist(), edges.relation.tolist(), strict=True)
    for (u, v, relation), marks in zip(ends, joins, strict=True):
        of_edge = {"relation": graph.relations.names[relation]} if several else {}
        drawn.add_edge(ids[u], ids[v], **of_edge, **marks)
        if drawn.is_directed() and not graph.relations.directed[relation]:
            drawn.add_edge(ids[v], ids[u], **of_edge, **marks)
    return drawn


def node_roles(structure: Structure) -> list[str]:
    """The role of each node: its orbit, in letters.

    >>> node_roles(Structure.parse("a->b, c->b"))
    ['A/C', 'B', 'A/C']
    """
    orbits = structure.orbits
    names = [
        "/".join(map(node_letter, np.flatnonzero(orbits == orbit).tolist()))
        for orbit in range(structure.num_orbits)
    ]
    return [names[orbit] for orbit in orbits.tolist()]


def _edges_at(
    structure: Structure, rows: np.ndarray, edges: EdgeTable, relations: Relations
) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """The role of each edge of a structure, the places that have it, and the edges there."""
    roles = node_roles(structure)
    for (u, v), number in zip(structure.edges, structure.edge_relations, strict=True):
        name = structure.relations.names[number]
        is_directed = structure.relations.directed[number]
        ends = rows[:, u], rows[:, v]
        # without a direction the smaller node comes first
        places, found = edges.between(*(ends if is_directed else np.sort(ends, axis=0)))
        # edges of a structure alone are of any relation
        fits = np.full(len(found), structure.relations.names == (PLAIN,))
        if name in relations.names:
            fits |= edges.relation[found] == relations.names.index(name)
        joint = "->" if is_directed else "--"
        yield f"{roles[u]}{joint}{roles[v]}", places[fits], found[fits]


def _rows_of(places: Occurrences, graph: CSRGraph) -> np.ndarray:
    """The rows of places in a graph, int64 ``[K, M]``; refuse a graph that lacks any."""
    rows = places.rows_in(graph)
    if (rows < 0).any():
        raise InputError(
            "graph",
            "must be the one that was mined, and it lacks nodes of a copy or an occurrence",
            way_out="mine again",
        )
    return rows


def _mark_blocks(blocks: Table, graph: CSRGraph, nodes: Marks) -> None:
    """Say in which block each node is, by its graph and its id."""
    known, columns_of_nodes = plain_columns(blocks), node_columns(graph, np.arange(graph.num_nodes))
    of_graph = known.get("graph", [0] * len(known["node"]))
    places = zip(of_graph, known["node"], strict=True)
    block_of = dict(zip(places, known["block"], strict=True))
    graphs = columns_of_nodes["graph"].tolist() if "graph" in columns_of_nodes else [0] * len(nodes)
    for marks, *place in zip(nodes, graphs, columns_of_nodes["node"].tolist(), strict=True):
        if (block := block_of.get(tuple(place))) is not None:
            marks["block"] = block


def _mark_copies(
    number: int,
    motif: Pattern,
    rows: np.ndarray,
    edges: EdgeTable,
    relations: Relations,
    nodes: Marks,
    joins: Marks,
) -> None:
    """Say which nodes and edges lie in copies ``rows [K, M]``; what an earlier one holds stays."""
    assert motif.motif is not None
    if not len(rows):
        return
    roles = node_roles(motif.structure)
    for copy, row in enumerate(rows.tolist()):
        for node, role in zip(row, roles, strict=True):
            _mark_first(nodes[node], number, copy, role)
    found = [
        (copy, edge, role)
        for role, places, held in _edges_at(motif.structure, rows, edges, relations)
        for copy, edge in zip(places.tolist(), held.tolist(), strict=True)
    ]
    # edges that copies have beside; no two copies of a motif share an edge
    copy, u, v, _ = motif.motif.edits[motif.motif.edits[:, 3] > 0].T
    for first, second in ((u, v), (v, u)):
        places, added = edges.between(rows[copy, first], rows[copy, second])
        found += [
            (int(copy[at]), edge, f"{roles[first[at]]}--{roles[second[at]]} added")
            for at, edge in zip(places.tolist(), added.tolist(), strict=True)
        ]
    for place, edge, role in found:
        _mark_first(joins[edge], number, place, role)


def _mark_first(marks: dict[str, Any], number: int, copy: int, role: str) -> None:
    if "motif" not in marks:
        marks.update(motif=number, copy=copy, motif_role=role)


def _mark_occurrences(
    pattern: Pattern,
    rows: np.ndarray,
    edges: EdgeTable,
    relations: Relations,
    nodes: Marks,
    joins: Marks,
) -> None:
    """Say which nodes and edges lie in occurrences ``rows [K, M]``, in which role."""
    if not len(rows):
        return
    ways = [(role, rows[:, node], nodes) for node, role in enumerate(node_roles(pattern.structure))]
    ways += [
        (role, own, joins) for role, _, own in _edges_at(pattern.structure, rows, edges, relations)
    ]
    name = f"pattern_{pattern.id}"
    for role, places, marked in ways:
        numbers, counts = np.unique(places, return_counts=True)
        for place, count in zip(numbers.tolist(), counts.tolist(), strict=True):
            marks = marked[place]
            if f"{name}_role" not in marks:
                known = marks.get("patterns")
                marks["patterns"] = str(pattern.id) if known is None else f"{known} {pattern.id}"
                marks |= {f"{name}_role": role, f"{name}_occurrences": 0}
            elif role not in marks[f"{name}_role"].split(" "):
                marks[f"{name}_role"] += f" {role}"
            marks[f"{name}_occurrences"] += count
