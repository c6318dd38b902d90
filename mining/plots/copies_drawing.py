"""A graph with the copies of its motif set coloured, for a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup, escape

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.runtime.files import visible
from mining.motif_sets.motif_set import MotifSet
from mining.plots.graph_map import GraphMap
from mining.plots.styles import MOTIF_COLORS

# larger graphs are for the page of a run
_MOST_NODES = 5000
_WIDTH = 640.0


@dataclass(frozen=True)
class GraphPicture:
    """An SVG that a notebook shows."""

    svg: Markup

    def _repr_html_(self) -> str:
        """The drawing."""
        return self.svg


def draw_copies(graph: Any, found: MotifSet) -> GraphPicture:
    """Draw a graph with each node and edge in the colour of the motif of its copy.

    Parameters
    ----------
    graph : anything :func:`gomkcn.as_csr` takes
        The graph of the motif set, of at most 5,000 nodes; a NetworkX or DGL graph as well.
    found : MotifSet

    Returns
    -------
    GraphPicture
        Shown as the last line of a cell; ``svg`` is its text.

    Raises
    ------
    InputError
        If the graph has more nodes.

    Examples
    --------
    >>> import networkx as nx
    >>> from mining import motif_set
    >>> graph = nx.disjoint_union_all([nx.complete_graph(4)] * 6)
    >>> draw_copies(graph, motif_set(graph)).svg.count("<circle")
    24
    """
    csr = as_csr(graph)
    if csr.num_nodes > _MOST_NODES:
        raise InputError(
            f"graph must have at most {_MOST_NODES:,} nodes to be drawn, got {csr.num_nodes:,}; "
            "the page of a run shows a part of it."
        )
    shown = GraphMap.of(csr, found, [])
    low, high = shown.positions.min(axis=0), shown.positions.max(axis=0)
    scale = (_WIDTH - 20) / max(float((high - low).max()), 1e-9)
    points = (shown.positions - low) * scale + 10
    owner = np.full(csr.num_nodes, -1)
    of_edge: dict[frozenset[int], int] = {}
    # the first motif is written last
    for number, one in reversed(list(enumerate(found))):
        assert one.motif is not None, "a motif has copies"
        rows = one.motif.copies.rows_in(csr)
        owner[rows] = number
        pairs = one.motif.pairs(one.structure)
        ends = np.stack([rows[pairs[:, 0], pairs[:, side]] for side in (1, 2)], axis=1)
        of_edge |= {frozenset(edge): number for edge in ends[pairs[:, 3] >= 0].tolist()}
    shapes = ""
    for u, v in shown.edges.tolist():
        number = of_edge.get(frozenset((u, v)), -1)
        (x1, y1), (x2, y2) = points[[u, v]].tolist()
        look = 'stroke-opacity=".35"' if number < 0 else 'stroke-width="2"'
        shapes += (
            f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{_color(number)}" {look}/>'
        )
    radius = 5 if csr.num_nodes <= 200 else 2.5
    for node, (x, y) in enumerate(points.tolist()):
        said = escape(visible(str(shown.names[node])))
        color = _color(int(owner[node]))
        at = f'cx="{x:.1f}" cy="{y:.1f}" r="{radius}"'
        shapes += f'<circle {at} fill="{color}"><title>{said}</title></circle>'
    height = float(points[:, 1].max()) + 10
    size = f'viewBox="0 0 {_WIDTH:g} {height:.0f}" width="{_WIDTH:g}" height="{height:.0f}"'
    return GraphPicture(
        Markup(f'<svg role="img" aria-label="{escape(repr(found))}" {size}>{shapes}</svg>')
    )


def _color(number: int) -> str:
    return "#8a949e" if number < 0 else MOTIF_COLORS[min(number, len(MOTIF_COLORS) - 1)]
