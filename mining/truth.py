"""Evaluation against planted truth: which motifs were recovered, and where they occur."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import igraph

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import PLAIN, edge_channels, relations_of
from gomkcn_dgl.runtime.files import parse_json, read_file
from gomkcn_dgl.subgraphs import MAX_SUBGRAPH_NODES, SubgraphBatch
from mining.graph_relations import in_words
from mining.pattern import Pattern


@dataclass(frozen=True)
class MotifRecovery:
    """Whether one planted motif was recovered.

    Attributes
    ----------
    name : str
        The motif.
    num_nodes, num_edges : int
        Its size.
    copies : int
        Number of planted copies.
    pattern_ids : tuple of int
        Patterns that are isomorphic to it; empty if it was not recovered.
    occurrences : float
        Occurrences of those patterns together in the whole graph, or an estimate.
    planted_found : int
        Planted copies whose node set is among the places that are listed, or a copy of a motif.
    """

    name: str
    num_nodes: int
    num_edges: int
    copies: int
    pattern_ids: tuple[int, ...]
    occurrences: float
    planted_found: int

    @property
    def recovered(self) -> bool:
        """Whether a pattern is isomorphic to the motif."""
        return bool(self.pattern_ids)


def compare_with_truth(
    patterns: Sequence[Pattern], truth: Mapping[str, Any]
) -> list[MotifRecovery]:
    """Find the patterns that are isomorphic to each planted motif.

    Parameters
    ----------
    patterns : sequence of Pattern
    truth : mapping
        ``{"motifs": [{"name", "num_nodes", "edges", "copies", "instances"}, …]}``, as
        ``synthetic.PlantedGraph.truth`` gives it; an instance lists node ids of the graph. A motif
        has ``relations`` and ``edge_relations`` as in ``patterns.json``, or edges that are all of
        one undirected relation.

    Raises
    ------
    InputError
        If ``truth`` does not have that form.

    Examples
    --------
    >>> triangle = {"name": "triangle", "num_nodes": 3, "edges": [[0, 1], [0, 2], [1, 2]],
    ...             "copies": 1, "instances": [[4, 5, 6]]}
    >>> compare_with_truth([], {"motifs": [triangle]})[0].recovered
    False
    """
    # motifs are planted without categories, which the nodes of their copies may have
    keys = [replace(pattern.structure, categories=()).key for pattern in patterns]
    recoveries = []
    for motif in _check_truth(truth):
        planted = _structure_of(motif).key
        isomorphic = [
            pattern for pattern, key in zip(patterns, keys, strict=True) if key == planted
        ]
        node_sets = {frozenset(one.nodes) for pattern in isomorphic for one in pattern.occurrences}
        for pattern in isomorphic:
            if pattern.motif is not None:
                node_sets |= {*map(frozenset, pattern.motif.copies.nodes.tolist())}
        recoveries.append(
            MotifRecovery(
                name=motif["name"],
                num_nodes=motif["num_nodes"],
                num_edges=len(motif["edges"]),
                copies=motif["copies"],
                pattern_ids=tuple(pattern.id for pattern in isomorphic),
                occurrences=sum(pattern.frequency.count for pattern in isomorphic),
                planted_found=sum(frozenset(copy) in node_sets for copy in motif["instances"]),
            )
        )
    return recoveries


def read_truth(path: str | Path) -> dict[str, Any]:
    """Read the truth that ``gomkcn generate`` wrote beside a graph, see :func:`compare_with_truth`.

    Raises
    ------
    InputError
        If the file is missing, is not JSON or does not have that form.
    """
    try:
        truth = parse_json(read_file(Path(path)))
    except (OSError, ValueError) as error:
        raise InputError(f"truth file {str(path)!r} cannot be read ({error}).") from None
    _check_truth(truth)
    return dict(truth)


def covered_occurrences(graph: CSRGraph, batch: SubgraphBatch, structure: Structure) -> int:
    """Exact number of induced occurrences of a motif that are the node set of a subgraph.

    Parameters
    ----------
    graph : CSRGraph
    batch : SubgraphBatch
        Subgraphs of ``graph``.
    structure : Structure
        The motif.
    """
    covered = {frozenset(row) - {-1} for row in batch.nodes.tolist()}
    return len(induced_occurrences(graph, structure) & covered)


def induced_occurrences(graph: CSRGraph, structure: Structure) -> set[frozenset[int]]:
    """Node sets of all induced occurrences of a motif, listed by igraph (LAD).

    Parameters
    ----------
    graph : CSRGraph
        Its nodes are given by their position.
    structure : Structure
        The motif, whose edges are of one undirected relation.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> edge = Structure.parse("a--b")
    >>> sorted(map(sorted, induced_occurrences(as_csr(nx.path_graph(4)), edge)))
    [[0, 1], [1, 2], [2, 3]]
    """
    if graph.links is not None:
        raise InputError(
            "graph must have edges of one undirected relation, which igraph can list, got "
            f"{in_words(graph.relations)}; count_exact takes directions and relations."
        )
    whole = igraph.Graph(n=graph.num_nodes, edges=graph.adjacent_pairs().tolist())
    motif = igraph.Graph(n=structure.num_nodes, edges=structure.edges)
    return {frozenset(nodes) for nodes in whole.get_subisomorphisms_lad(motif, induced=True)}


def _structure_of(motif: Mapping[str, Any]) -> Structure:
    rows = motif.get("relations", [{"name": PLAIN, "directed": False}])
    relations = relations_of([row["name"] for row in rows], [row["directed"] for row in rows])
    numbers = motif.get("edge_relations", [0] * len(motif["edges"]))
    channels = edge_channels(motif["num_nodes"], motif["edges"], numbers, relations)
    return Structure(channels, relations)


def _check_truth(truth: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the motifs of the truth, or refuse what does not have its form."""
    motifs = truth.get("motifs") if isinstance(truth, Mapping) else None
    if not isinstance(motifs, list) or not all(_is_motif(motif) for motif in motifs):
        raise InputError(
            "truth must be {'motifs': [{'name', 'num_nodes', 'edges', 'copies', 'instances'}, …]}, "
            "as gomkcn generate writes it."
        )
    return motifs


def _is_motif(motif: Any) -> bool:
    """Whether a motif of the truth has all its parts, and they are consistent."""
    types = {"name": str, "num_nodes": int, "copies": int}
    if not isinstance(motif, Mapping) or not {*types, "edges", "instances"} <= set(motif):
        return False
    if not all(isinstance(motif[name], kind) for name, kind in types.items()):
        return False
    return (
        0 < motif["num_nodes"] <= MAX_SUBGRAPH_NODES
        and _are_rows(motif["edges"], int)
        and _are_rows(motif["instances"], (int, str))
        and all(len(edge) == 2 for edge in motif["edges"])
        and all(0 <= node < motif["num_nodes"] for edge in motif["edges"] for node in edge)
        and _has_relations(motif)
    )


def _has_relations(motif: Mapping[str, Any]) -> bool:
    """Whether the relations of a motif are given as in patterns.json, or not at all."""
    if "relations" not in motif:
        return True
    relations, numbers = motif["relations"], motif.get("edge_relations", [])
    return (
        isinstance(relations, Sequence)
        and all(isinstance(one, Mapping) and {"name", "directed"} <= set(one) for one in relations)
        and all(isinstance(one["name"], str) for one in relations)
        and _are_rows([numbers], int)
        and len(numbers) == len(motif["edges"])
        and all(0 <= number < len(relations) for number in numbers)
    )


def _are_rows(rows: Any, kind: Any) -> bool:
    return isinstance(rows, Sequence) and all(
        isinstance(row, Sequence) and all(isinstance(entry, kind) for entry in row) for row in rows
    )
