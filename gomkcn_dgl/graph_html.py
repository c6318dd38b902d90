"""A graph as HTML for Jupyter: what it holds, and a drawing where it is small."""

from __future__ import annotations

import html
from collections.abc import Sequence
from functools import partial

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.runtime import register_html
from gomkcn_dgl.runtime.files import printable, visible

# drawings of more nodes are unreadable
_MOST_DRAWN = 80
# names in a line of words
_MOST_NAMED = 12
_SIZE, _MARGIN, _RADIUS = 220, 8, 4
# an arrow head whose tip touches the circle of the node at the end of its line
_ARROW = (
    "<defs><marker id='gomkcn-arrow' viewBox='0 0 6 6' markerWidth='6' markerHeight='6' "
    f"refX='{6 + _RADIUS}' refY='3' markerUnits='userSpaceOnUse' orient='auto-start-reverse'>"
    "<path d='M0 0L6 3L0 6z' fill='currentColor'/></marker></defs>"
)


def graph_html(graph: CSRGraph) -> str:
    """Describe a graph or collection in a table, beside a drawing of its first graph if small."""
    rows = "".join(
        f"<tr><th style='text-align:left'>{name}</th>"
        f"<td style='text-align:left'>{html.escape(value)}</td></tr>"
        for name, value in describe_graph(graph).items()
    )
    return (
        "<div style='display:flex;flex-wrap:wrap;gap:1em;align-items:center'>"
        f"<table>{rows}</table>{_draw_first(graph)}</div>"
    )


def _draw_first(graph: CSRGraph) -> str:
    """Draw the first graph of a collection; nothing where it is large."""
    num_nodes = int(graph.graph_ptr[1])
    if num_nodes > _MOST_DRAWN:
        return ""
    source, target, relation = graph.edges()
    arrows = np.array(graph.relations.directed)[relation]
    rows = np.unique(np.stack([source, target, arrows], axis=1)[source < num_nodes], axis=0)
    positions = _positions(num_nodes, rows[:, :2]).round(1).tolist()
    lines = "".join(
        "<line x1='{}' y1='{}' x2='{}' y2='{}'{}/>".format(
            *positions[u], *positions[v], " marker-end='url(#gomkcn-arrow)'" * is_arrow
        )
        for u, v, is_arrow in rows.tolist()
    )
    dots = "".join(f"<circle cx='{x}' cy='{y}' r='{_RADIUS}'/>" for x, y in positions)
    caption = (
        "" if graph.num_graphs == 1 else f"<figcaption>graph 0 of {graph.num_graphs}</figcaption>"
    )
    return (
        f"<figure style='margin:0'><svg role='img' aria-label='{num_nodes} nodes, {len(rows)} "
        f"edges' width='{_SIZE}' height='{_SIZE}' viewBox='0 0 {_SIZE} {_SIZE}'>"
        f"{_ARROW * ('marker' in lines)}<g stroke='currentColor' stroke-opacity='.45'>{lines}</g>"
        f"<g fill='currentColor'>{dots}</g></svg>{caption}</figure>"
    )


def _positions(num_nodes: int, edges: np.ndarray) -> np.ndarray:
    """Positions within the drawing, ``[V, 2]``, the same every time."""
    import networkx as nx

    graph = nx.empty_graph(num_nodes)
    graph.add_edges_from(edges.tolist())
    draw = nx.kamada_kawai_layout if nx.is_connected(graph) else partial(nx.spring_layout, seed=0)
    positions = np.array(list(draw(graph).values())).reshape(-1, 2)
    low, extent = positions.min(axis=0), np.ptp(positions, axis=0)
    # the shape is kept, and what is narrower stands in the middle
    unit = (_SIZE - 2 * _MARGIN) / max(extent.max(), 1e-9)
    return _SIZE / 2 + (positions - low - extent / 2) * unit


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
        "features": f"{len(graph.feature_names)} ({_shown(graph.feature_names)})",
        "categories": _shown(_category_counts(graph)),
        "degrees": (
            f"median {np.median(degrees):g}, 90 % at most {most:g}, "
            f"largest {degrees.max()}, {(degrees == 0).sum()} nodes without an edge"
        ),
        "components": _components(graph),
        "notes": "; ".join(map(visible, graph.notes)),
    }
    return {name: said for name, said in words.items() if said}


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
        f"{name} {count if directed else count // 2} ({'directed' if directed else 'undirected'})"
        for name, count, directed in zip(relations.names, counts, relations.directed, strict=True)
    ]


def _category_counts(graph: CSRGraph) -> list[str]:
    """How many nodes have each value of a categorical column, kind=kinase and the like."""
    columns = [c for c, name in enumerate(graph.feature_names) if "=" in name]
    return [
        f"{graph.feature_names[c]} {np.count_nonzero(graph.features[:, c])}"
        for c in columns[: _MOST_NAMED + 1]
    ]


def _components(graph: CSRGraph) -> str:
    import scipy.sparse as sp

    entries = np.ones(len(graph.indices), np.int8)
    shape = graph.num_nodes, graph.num_nodes
    rows = sp.csr_array((entries, graph.indices, graph.indptr), shape=shape)
    number, member = sp.csgraph.connected_components(rows, directed=False)
    return f"{number}, the largest with {np.bincount(member).max()} nodes"


register_html(CSRGraph, graph_html)
