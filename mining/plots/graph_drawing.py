"""One drawing of any small graph, with shades on its nodes: filters, responses, similar graphs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup, escape
from scipy.spatial.distance import pdist

from mining.plots.layout import adjacent_pairs, node_positions

_WIDTH, _HEIGHT = 200.0, 170.0


def draw_graph(
    size: int,
    edges: Sequence[tuple[int, int]],
    *,
    directed: Sequence[bool] = (),
    weights: Sequence[float] = (),
    shades: Sequence[float] = (),
    letters: Sequence[str] = (),
    ringed: Sequence[bool] = (),
) -> Markup:
    """Draw a graph of ``size`` nodes; all else is of each edge or of each node, where given.

    ``weights`` and ``shades`` in [0, 1] are opacities of edges and nodes; ``ringed`` nodes have a
    second ring.

    >>> draw_graph(2, [(0, 1)]).count("<circle")
    2
    """
    wide = 1.0 if size <= 60 else 2.0
    positions = node_positions(size, adjacent_pairs(edges)) * [1, -1]
    unit = wide * _WIDTH / 2 - 14
    points = positions * unit + np.array([_WIDTH, _HEIGHT]) * wide / 2
    radius = min(9.0, 0.42 * unit * float(pdist(positions).min(initial=1.0)))
    shapes = ""
    for number, (u, v) in enumerate(edges):
        (x1, y1), (x2, y2) = points[[u, v]].tolist()
        opacity = f"{weights[number]:.2f}" if weights else "0.6"
        shapes += (
            f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="currentColor" '
            f'stroke-width="2" opacity="{opacity}"/>'
        )
        if directed and directed[number]:
            along = points[v] - points[u]
            along = along / max(float(np.linalg.norm(along)), 1e-9)
            tip, across = points[v] - radius * along, 4 * np.array([-along[1], along[0]])
            corners = (tip, tip - 9 * along + across, tip - 9 * along - across)
            path = "L".join(f"{x:.1f} {y:.1f}" for x, y in corners)
            shapes += f'<path d="M{path}z" fill="currentColor"/>'
    for node, (x, y) in enumerate(points.tolist()):
        circle = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"'
        shade = shades[node] if len(shades) else 0.35
        shapes += f'{circle} fill="var(--paper, #fff)"/>{circle} fill="var(--m0, #0f5fae)" '
        shapes += f'fill-opacity="{shade:.2f}" stroke="currentColor"/>'
        if len(ringed) and ringed[node]:
            shapes += circle.replace(f'r="{radius:.1f}"', f'r="{1.4 * radius:.1f}"')
            shapes += ' fill="none" stroke="currentColor"/>'
        if letters:
            shapes += (
                f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" dominant-baseline="central" '
                f'font-size="{1.2 * radius:.1f}" fill="currentColor">{escape(letters[node])}</text>'
            )
    return Markup(
        f'<svg role="img" aria-label="graph of {size} nodes and {len(edges)} edges" '
        f'viewBox="0 0 {_WIDTH * wide:g} {_HEIGHT * wide:g}" width="{_WIDTH * wide:g}" '
        f'height="{_HEIGHT * wide:g}" fill="none">{shapes}</svg>'
    )
