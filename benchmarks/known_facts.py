"""What is known about MUTAG, ENZYMES and ego-Facebook without mining, beside what was mined."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from scipy.sparse import csr_array

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.io.reading import read_graph
from mining.null_models.null_models import sample_null
from mining.records.significance import MORE

# codes of MUTAG, from its README
CARBON, NITROGEN, OXYGEN = 0, 1, 2
AROMATIC = 0
REWIRED = 10

Record = dict[str, Any]


def describe_rings_and_nitro_groups(folder: Path, patterns: Sequence[Record]) -> str:
    """How many of the rings and nitro groups that chemistry sees in MUTAG are in the patterns."""
    molecules, first = read_molecules(folder)
    rings = [ring for ring in map(frozenset, nx.chordless_cycles(molecules, 6)) if len(ring) == 6]
    aromatic = {ring for ring in rings if is_aromatic(molecules, ring)}
    nitro = {node for node in molecules if is_nitro(molecules, node, set(molecules))}
    text = (
        f"MUTAG holds {len(rings)} rings of six atoms, {len(aromatic)} of them with six aromatic "
        f"bonds by the file of bond types, and {len(nitro)} nitro "
        "groups (a nitrogen with two oxygens)."
    )
    # the kinds of bonds stand between shape and elements
    ring = find_pattern(patterns, re.compile("cycle of 6 nodes(, [^:]*)?: 6 carbon").fullmatch)
    if ring is None:
        text += " No pattern is a ring of six carbons."
    else:
        occurrences = occurrence_sets(ring, first)
        text += (
            f" Of the {len(occurrences)} occurrences of pattern {ring['id']}, "
            f"“{ring['description']}”, "
            f"{len(aromatic.intersection(occurrences))} are such aromatic rings."
        )
    group = find_pattern(patterns, lambda words: "2 oxygen" in words and "1 nitrogen" in words)
    if group is None:
        return text + " No pattern is a nitro group."
    occurrences = occurrence_sets(group, first)
    inside = [{n for n in nodes if is_nitro(molecules, n, nodes)} for nodes in occurrences]
    return text + (
        f" Of the {len(occurrences)} occurrences of pattern {group['id']}, "
        f"“{group['description']}”, "
        f"{sum(map(bool, inside))} hold a nitro group, {len(set().union(*inside))} different ones."
    )


def read_molecules(folder: Path) -> tuple[nx.Graph, np.ndarray]:
    """All molecules as one graph with elements and bonds; the first atom of each, ``[G]``."""
    (edges_file,) = folder.glob("**/*_A.txt")
    read = partial(_read_numbers, str(edges_file).removesuffix("_A.txt"))
    owner = read("_graph_indicator.txt")
    molecules = nx.Graph()
    molecules.add_nodes_from(
        (node, {"element": int(code)}) for node, code in enumerate(read("_node_labels.txt"))
    )
    for (u, v), bond in zip(read("_A.txt") - 1, read("_edge_labels.txt"), strict=True):
        molecules.add_edge(int(u), int(v), bond=int(bond))
    return molecules, np.unique(owner, return_index=True)[1]


def _read_numbers(prefix: str, ending: str) -> np.ndarray:
    return np.loadtxt(prefix + ending, delimiter=",", dtype=int)


def is_aromatic(molecules: nx.Graph, ring: frozenset[int]) -> bool:
    bonds = molecules.subgraph(ring).edges(data="bond")
    return all(bond == AROMATIC for *_, bond in bonds)


def is_nitro(molecules: nx.Graph, node: int, among: set[int] | frozenset[int]) -> bool:
    element = molecules.nodes(data="element")
    oxygens = [other for other in molecules[node] if element[other] == OXYGEN and other in among]
    return element[node] == NITROGEN and len(oxygens) == 2


def find_pattern(patterns: Sequence[Record], fits: Callable[[str], object]) -> Record | None:
    """The most frequent pattern whose words fit."""
    fitting = [pattern for pattern in patterns if fits(pattern["description"])]
    return max(fitting, key=lambda one: one["frequency"]["occurrences"]["value"], default=None)


def occurrence_sets(pattern: Record, first: np.ndarray) -> list[frozenset[int]]:
    """The nodes of each occurrence, counted over all graphs."""
    return [
        frozenset(int(first[occurrence["graph"]]) + node for node in occurrence["nodes"])
        for occurrence in pattern["occurrences"]
    ]


def describe_neighbors(folder: Path, names: Path, patterns: Sequence[Record]) -> str:
    """What a node, an edge and a pattern of ENZYMES are, and how often neighbours are alike."""
    graph = read_graph(folder, features=["labels"], label_names=names)
    labels = graph.features.argmax(axis=1)
    edges = graph.adjacent_pairs()
    same = (labels[edges[:, 0]] == labels[edges[:, 1]]).mean()
    by_chance = (np.bincount(labels) / len(labels)) ** 2
    kinds = [name.rpartition("=")[2] for name in graph.feature_names]
    usual = zip(graph.features.mean(axis=0), kinds, strict=True)
    shares = ", ".join(f"{share:.0%} {kind}" for share, kind in usual)
    uniform = [_in_how_many(pattern) for pattern in patterns if is_of_one_kind(pattern, kinds)]
    return (
        f"In ENZYMES a node is a secondary structure element of a protein ({shares}) and an edge "
        "joins elements that are neighbours along the chain or in space, so a pattern is an "
        "arrangement of helices and sheets that keeps coming back in folded proteins. Neighbours "
        f"are of the same kind in {same:.0%} of the edges, {by_chance.sum():.0%} by chance: "
        "sheets lie beside sheets and helices pack on helices. The patterns that are of one kind "
        f"at every node: {'; '.join(uniform) or 'none'}."
    )


def is_of_one_kind(pattern: Record, kinds: Sequence[str]) -> bool:
    """Whether its description names the same kind for every node."""
    words = pattern["description"]
    return sum(kind in words for kind in kinds) == 1 and "mixed" not in words


def _in_how_many(pattern: Record) -> str:
    z = pattern["significance"]["features"]["z"]
    graphs = pattern["frequency"]["graphs"]
    return f"“{pattern['description']}” in {graphs} graphs, z {z:.1f} beside shuffled labels"


def compare_triangles(path: Path, patterns: Sequence[Record]) -> str:
    """Triangles of the graph, of rewired graphs and of the patterns that stand out."""
    graph = read_graph(path)
    own = count_triangles(graph)
    rewired = [count_triangles(sample_null(graph, "degree", seed)) for seed in range(REWIRED)]
    more = [p for p in patterns if p["significance"]["degree"]["verdict"] == MORE]
    others = [p for p in patterns if p["significance"]["degree"]["verdict"] != MORE]
    return (
        f"ego-Facebook has {own} triangles, {own / np.mean(rewired):.1f} times as many as graphs "
        f"rewired by `degree` ({np.mean(rewired):.0f} ± {np.std(rewired, ddof=1):.0f} in "
        f"{REWIRED}): "
        "two friends of a person know each other more often than their numbers of friends explain. "
        f"The {len(more)} patterns that occur more often than in such graphs have {_span(more)}; "
        f"the {len(others)} others have {_span(others)}."
    )


def count_triangles(graph: CSRGraph) -> int:
    adjacency = csr_array(
        (np.ones(len(graph.indices), np.int64), graph.indices, graph.indptr),
        shape=(graph.num_nodes, graph.num_nodes),
    )
    return int((adjacency @ adjacency).multiply(adjacency).sum()) // 6


def _span(patterns: Sequence[Record]) -> str:
    """Such as "9 to 15 edges and 4 to 20 triangles"."""
    if not patterns:
        return "none"
    edges = [len(pattern["edges"]) for pattern in patterns]
    triangles = [sum(nx.triangles(nx.Graph(p["edges"])).values()) // 3 for p in patterns]
    return (
        f"{min(edges)} to {max(edges)} edges and {min(triangles)} to {max(triangles)} triangles "
        f"among {max(pattern['num_nodes'] for pattern in patterns)} nodes"
    )
