"""What a graph holds, in words: for `gomkcn info`, and as a table for Jupyter."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.shapes import count
from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.runtime import register_html
from gomkcn_dgl.runtime.files import printable, visible
from gomkcn_dgl.sides import components_of

# names in a line of words
_MOST_NAMED = 12


def graph_html(graph: CSRGraph) -> str:
    """Describe a graph or collection in a table."""
    rows = "".join(
        f"<tr><th style='text-align:left'>{name}</th>"
        f"<td style='text-align:left'>{html.escape(value)}</td></tr>"
        for name, value in describe_graph(graph).items()
    )
    return f"<table>{rows}</table>"


def describe_graph(graph: CSRGraph) -> dict[str, str]:
    """What a graph holds, in words, and what was left out, for ``gomkcn info``."""
    degrees = graph.degrees
    # a degree that occurs, so that "at most" holds for no fewer than 90 %
    most = np.quantile(degrees, 0.9, method="inverted_cdf")
    words = {
        "graphs": str(graph.num_graphs),
        "nodes": str(graph.num_nodes),
        "edges": f"{graph.num_edges} ({'directed' if graph.is_directed else 'undirected'}, "
        f"{'unweighted' if graph.weights is None else 'weighted'})",
        "relations": _shown(_relation_counts(graph)),
        "sides": _sides(graph),
        "features": f"{len(graph.feature_names)} ({_shown(graph.feature_names)})",
        "categories": _shown(_category_counts(graph)),
        "degrees": (
            f"median {np.median(degrees):g}, 90% at most {most:g}, largest {degrees.max()}, "
            f"{count(int((degrees == 0).sum()), 'node')} without an edge"
        ),
        "components": _components(graph),
        "notes": "; ".join(map(visible, graph.notes)),
    }
    return {name: text for name, text in words.items() if text}


def _shown(names: Sequence[str]) -> str:
    return ", ".join(map(printable, names[:_MOST_NAMED])) + ", …" * (len(names) > _MOST_NAMED)


def _relation_counts(graph: CSRGraph) -> list[str]:
    """How many edges each relation has, where there is more to say than one number."""
    relations = graph.relations
    if relations.names == (PLAIN,):
        return []
    links = np.ones(len(graph.indices), np.int64) if graph.links is None else graph.links
    ends = np.bincount(links, minlength=len(relations.links)) @ relations.links
    counts = ends[relations.outgoing]
    return [
        f"{name} {number if directed else number // 2} ({'directed' if directed else 'undirected'})"
        for name, number, directed in zip(relations.names, counts, relations.directed, strict=True)
    ]


def _category_counts(graph: CSRGraph) -> list[str]:
    """How many nodes have each value of a categorical column, kind=kinase and the like."""
    columns = [c for c, name in enumerate(graph.feature_names) if "=" in name]
    return [
        f"{graph.feature_names[c]} {np.count_nonzero(graph.features[:, c])}"
        for c in columns[: _MOST_NAMED + 1]
    ]


def _sides(graph: CSRGraph) -> str:
    """The two sides of a bipartite graph; empty for another one."""
    sides = graph.two_sides
    return "" if sides is None else f"bipartite: {sides}"


def _components(graph: CSRGraph) -> str:
    number, member = components_of(graph.indptr, graph.indices)
    return f"{number}, the largest with {np.bincount(member).max()} nodes"


register_html(CSRGraph, graph_html)
