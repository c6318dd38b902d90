"""The drawing of a block of up to some hundred nodes: in layers, with its ports as rings."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import igraph
import numpy as np
from markupsafe import Markup, escape

from gomkcn.mining.plots.styles import short_names

# pixels: between layers, between nodes of a layer, the radius of a node, and the margin
_LAYER, _BESIDE, _RADIUS, _MARGIN = 34.0, 30.0, 9.0, 14.0
# of the head of an arrow: back from its node, and aside
_BACK, _ASIDE = 6.0, 3.0
# characters on a node
_MOST_LETTERS = 4


def block_positions(num_nodes: int, edges: Sequence[tuple[int, int]]) -> np.ndarray:
    """Positions of nodes in layers, which edges lead down through (Sugiyama), float64 ``[M, 2]``.

    Units are nodes of a layer, and layers.

    >>> block_positions(3, [(0, 1), (1, 2)])[:, 1].tolist()
    [0.0, 1.0, 2.0]
    """
    graph = igraph.Graph(num_nodes, edges, directed=True)
    layout = graph.layout_sugiyama(hgap=1.0, vgap=1.0)
    return np.array(layout.coords[:num_nodes], np.float64)


def draw_block(
    num_nodes: int,
    edges: Sequence[tuple[int, int]],
    directed: Sequence[bool],
    kinds: Sequence[tuple[str, ...]],
    ports: Collection[int],
) -> Markup:
    """Draw a block; ``directed`` says of each edge whether it has a head, ``kinds`` of each node.

    >>> print(draw_block(2, [(0, 1)], [True], [(), ()], [0])[:66])
    <svg role="img" aria-label="2 nodes, 1 edge, 1 port" width="36" he
    """
    points = block_positions(num_nodes, edges)
    points = (points - points.min(axis=0)) * [_BESIDE, _LAYER] + _MARGIN
    width, height = (points.max(axis=0) + _MARGIN).tolist()
    # a column of nodes still has room for its letters
    width = max(width, 2.6 * _MARGIN)
    shapes = "".join(
        _arrow(points[u], points[v], has_head)
        for (u, v), has_head in zip(edges, directed, strict=True)
    )
    names = short_names(kinds) if any(kinds) else {}
    for node, (x, y) in enumerate(points.tolist()):
        fill = "var(--paper, #fff)" if node in ports else "var(--c, #dde2e7)"
        shapes += (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_RADIUS:.0f}" fill="{fill}" '
            'stroke="var(--c, #2b3a4a)" stroke-width="1.4"/>'
        )
        if names:
            text = names[kinds[node]][:_MOST_LETTERS]
            size = min(9.0, 2.4 * _RADIUS / max(1, len(text)))
            color = "var(--ink, #1b2430)" if node in ports else "var(--t, #1b2430)"
            shapes += (
                f'<text x="{x:.1f}" y="{y:.1f}" fill="{color}" text-anchor="middle" '
                f'dominant-baseline="central" font-size="{size:.1f}">{escape(text)}</text>'
            )
    label = f"{_count(num_nodes, 'node')}, {_count(len(edges), 'edge')}, "
    label += _count(len(ports), "port")
    return Markup(
        f'<svg role="img" aria-label="{label}" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}">{shapes}</svg>'
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _arrow(start: np.ndarray, end: np.ndarray, has_head: bool) -> str:
    """A line between two nodes, perhaps with a head."""
    along = (end - start) / max(1e-9, float(np.linalg.norm(end - start)))
    tip, begin = end - _RADIUS * along, start + _RADIUS * along
    path = f"M{begin[0]:.1f} {begin[1]:.1f}L{tip[0]:.1f} {tip[1]:.1f}"
    line = (
        f'<path d="{path}" fill="none" stroke="var(--soft, #6b7785)" stroke-width="1.1" '
        'stroke-opacity="0.8"/>'
    )
    if not has_head:
        return line
    aside = np.array([-along[1], along[0]]) * _ASIDE
    left, right = tip - _BACK * along + aside, tip - _BACK * along - aside
    corners = "L".join(f"{x:.1f} {y:.1f}" for x, y in (tip, left, right))
    return f'{line}<path d="M{corners}Z" fill="var(--soft, #6b7785)"/>'
