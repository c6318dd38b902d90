"""Counts from the text files of a TU set, by NetworkX and igraph: nothing of this project is used.

Patterns are the records of ``patterns.json``. Where edges have types, NetworkX compares them all
(VF2); where they have none, igraph does (LAD), which is quick enough for larger graphs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import numpy as np
from networkx.algorithms.isomorphism import (
    GraphMatcher,
    categorical_edge_match,
    categorical_node_match,
)

Record = dict[str, Any]
# a line of a README such as "0  C"
_NAMED = re.compile(r"^\s*(\d+)\s+(\S+)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class LabelledGraphs:
    """Graphs with a ``label`` at each node, a ``bond`` at each edge if there are types; classes."""

    graphs: list[nx.Graph]
    classes: list[str]

    @property
    def has_bonds(self) -> bool:
        return any("bond" in data for graph in self.graphs for *_, data in graph.edges(data=True))


def read_labelled_graphs(folder: Path) -> LabelledGraphs:
    """Read a TU set with node labels, whose names are in its README."""
    (edges_file,) = folder.glob("**/*_A.txt")
    prefix = str(edges_file).removesuffix("_A.txt")
    owner = _numbers(prefix, "graph_indicator") - 1
    labels = _names(folder, "Node labels", _numbers(prefix, "node_labels"))
    graphs = [nx.Graph() for _ in range(owner[-1] + 1)]
    for node, (graph, label) in enumerate(zip(owner.tolist(), labels, strict=True)):
        graphs[graph].add_node(node, label=label)
    rows = _numbers(prefix, "A") - 1
    bonds: list[str] | None = None
    if Path(f"{prefix}_edge_labels.txt").is_file():
        bonds = _names(folder, "Edge labels", _numbers(prefix, "edge_labels"))
    for number, (u, v) in enumerate(rows.tolist()):
        data = {} if bonds is None else {"bond": bonds[number]}
        if u != v:
            graphs[owner[u]].add_edge(u, v, **data)
    return LabelledGraphs(graphs, list(map(str, _numbers(prefix, "graph_labels").tolist())))


def _numbers(prefix: str, ending: str) -> np.ndarray:
    return np.loadtxt(f"{prefix}_{ending}.txt", delimiter=",", dtype=int)


def _names(folder: Path, heading: str, codes: np.ndarray) -> list[str]:
    """Names of codes by the list below a heading of the README, which ends with a blank line."""
    (readme,) = folder.glob("**/README.txt")
    block = readme.read_text("utf-8").partition(f"{heading}:\n\n")[2].partition("\n\n")[0]
    names = dict(_NAMED.findall(block))
    return [names.get(str(code), str(code)) for code in codes.tolist()]


def pattern_graph(pattern: Record) -> nx.Graph:
    """A pattern of ``patterns.json`` as a graph like those of :func:`read_labelled_graphs`.

    A structure alone has no labels, and then those of the graphs do not count.
    """
    graph = nx.empty_graph(pattern["num_nodes"])
    for node, categories in enumerate(pattern["categories"]):
        (label,) = categories
        graph.add_node(node, label=label.rpartition("=")[2])
    relations = [relation["name"] for relation in pattern["relations"]]
    for (u, v), relation in zip(pattern["edges"], pattern["edge_relations"], strict=True):
        graph.add_edge(u, v, **({} if relations == ["edge"] else {"bond": relations[relation]}))
    return graph


def count_directly(pattern: nx.Graph, data: LabelledGraphs) -> list[int]:
    """Node sets of each graph that induce the pattern, labels and bonds included."""
    with_bonds = any("bond" in edge for *_, edge in pattern.edges(data=True))
    count = count_by_networkx if with_bonds else count_by_igraph
    return [count(pattern, graph) for graph in data.graphs]


def contained_directly(pattern: nx.Graph, data: LabelledGraphs) -> list[bool]:
    """Whether each graph has the nodes and edges of the pattern, and perhaps more between them."""
    return [_matcher(pattern, graph).subgraph_is_monomorphic() for graph in data.graphs]


def count_by_networkx(pattern: nx.Graph, graph: nx.Graph) -> int:
    """Induced subgraphs, each node set once, with labels and, where the pattern has them, bonds."""
    matcher = _matcher(pattern, graph)
    return len({frozenset(mapping) for mapping in matcher.subgraph_isomorphisms_iter()})


def _matcher(pattern: nx.Graph, graph: nx.Graph) -> GraphMatcher:
    """Matches a pattern with a graph, with labels and bonds where the pattern has them."""
    has_labels = nx.get_node_attributes(pattern, "label")
    return GraphMatcher(
        graph,
        pattern,
        categorical_node_match("label", None) if has_labels else None,
        categorical_edge_match("bond", None) if nx.get_edge_attributes(pattern, "bond") else None,
    )


def count_by_igraph(pattern: nx.Graph, graph: nx.Graph) -> int:
    """The same without bonds."""
    small, large = (igraph.Graph.from_networkx(one) for one in (pattern, graph))
    domains = None
    if "label" in small.vs.attributes():
        domains = [
            [node.index for node in large.vs if node["label"] == own["label"]] for own in small.vs
        ]
        if not all(domains):
            return 0
    found = large.get_subisomorphisms_lad(small, domains=domains, induced=True)
    return len({frozenset(nodes) for nodes in found})


def check_pattern(pattern: Record, data: LabelledGraphs) -> list[str]:
    """What the record says that a direct count does not: nothing, if all is right."""
    counts = count_directly(pattern_graph(pattern), data)
    occurrences = pattern["frequency"]["occurrences"]
    wrong = []
    if occurrences["is_exact"] and occurrences["value"] != sum(counts):
        wrong.append(f"{occurrences['value']:.0f} occurrences, {sum(counts)} by a direct count")
    if not occurrences["low"] <= sum(counts) <= occurrences["high"]:
        wrong.append(f"{sum(counts)} occurrences are outside the interval")
    num_graphs = sum(map(bool, counts))
    if pattern["frequency"]["graphs"] != num_graphs:
        wrong.append(f"{pattern['frequency']['graphs']} graphs, {num_graphs} by a direct count")
    if pattern["classes"] is not None:
        contains = contained_directly(pattern_graph(pattern), data)
        for contrast in pattern["classes"]["contrasts"]:
            wrong += check_contrast(contrast, contains, data.classes)
    return [f"pattern {pattern['id']}: {problem}" for problem in wrong]


def check_contrast(contrast: Record, contains: Sequence[bool], classes: Sequence[str]) -> list[str]:
    """What a contrast says that a table of the direct counts does not."""
    name = contrast["name"]
    own = [holds for holds, one in zip(contains, classes, strict=True) if one == name]
    rest = [holds for holds, one in zip(contains, classes, strict=True) if one != name]
    a, c = sum(own), sum(rest)
    b, d = len(own) - a, len(rest) - c
    center = log((a + 0.5) * (d + 0.5) / ((b + 0.5) * (c + 0.5)))
    error = 1.959964 * sqrt(sum(1 / (cell + 0.5) for cell in (a, b, c, d)))
    expected: dict[str, float | None] = {
        "containing": a,
        "num_graphs": len(own),
        "others_containing": c,
        "num_others": len(rest),
        "odds_ratio": exp(center),
        "low": exp(center - error),
        "high": exp(center + error),
    }
    # nothing is said of odds where no graph or each one contains the pattern
    if a + c in (0, len(own) + len(rest)):
        expected |= dict.fromkeys(("odds_ratio", "low", "high"))
    return [
        f"class {name}: {key} {contrast[key]}, {value} by a direct count"
        for key, value in expected.items()
        if (contrast[key] is None) != (value is None)
        or (value is not None and not np.isclose(contrast[key], value, rtol=1e-4, atol=0))
    ]
