"""One drawing of a structure: in the colour of its motif on a page, or in ink.

Colours are the variables ``--c`` (edges and nodes) and ``--t`` (letters on them) of the style
around the drawing, so that one text serves light and dark pages.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from string import ascii_uppercase

import numpy as np
from markupsafe import Markup, escape

from gomkcn.mining.plots.layout import Drawable, structure_positions
from gomkcn.mining.plots.styles import (
    ANY,
    BONDS,
    DASHES,
    INK,
    LETTER_COLORS,
    MISSING,
    MOTIF_COLORS,
    Kind,
    is_blunt,
    short_category,
)
from gomkcn.mining.structures.fragments import draw_fragment
from gomkcn_dgl.graphs.structure import node_letter

# pixels between the lines of a double bond, which is read as one
_BOND_GAP = 3.6
# between parallel edges, which are read as several
_EDGE_GAP = 7.0
# from a node to its ring
_RING_GAP = 2.4
# corners of the end of an edge, in pixels: back from its node, and aside
_ARROW = ((0.0, 0.0), (7.0, 3.0), (7.0, -3.0))
_BAR = ((1.0, 4.5), (1.0, -4.5), (3.4, -4.5), (3.4, 4.5))
# luminance above which ink has more contrast to a colour than white has (WCAG 2.2)
_BRIGHT = 0.2


def draw_structure(
    structure: Drawable,
    width: int = 82,
    height: int = 66,
    *,
    lines: Mapping[Kind, str] | None = None,
    letters: bool = True,
    beside: bool = False,
    hollow: bool = False,
    missing: Sequence[tuple[int, int]] = (),
    added: Sequence[tuple[int, int]] = (),
    fills: Sequence[str] = (),
    weights: Sequence[float] = (),
    ringed: Collection[int] = (),
    label: str = "",
) -> Markup:
    """Draw a structure: letters on nodes, arrow heads, a line for each relation.

    ``lines`` are those of :func:`gomkcn.mining.plots.styles.line_styles`; ``missing`` pairs of
    nodes have a dotted line, as an edge that a variant or many copies lack, and ``added`` ones a
    thin line. ``fills`` are the colours of the nodes, such as "#22a884", and ``weights`` in [0, 1]
    the opacities of the edges; ``ringed`` nodes have a ring around them. ``beside`` puts the
    letters of nodes that show a category next to them. ``label`` is read out; by default the edges,
    and which are dotted and thin. A piece of a molecule is drawn by RDKit, where it is installed
    and nodes and edges have no looks of their own.

    >>> from gomkcn_dgl.graphs.structure import Structure
    >>> print(draw_structure(Structure.parse("triangle"))[:58])
    <svg role="img" aria-label="edges A–B, A–C, B–C" width="82
    """
    caption = label or _caption(structure, missing, added)
    size = structure.num_nodes
    if not (added or len(fills) or len(weights) or ringed):
        names = ascii_uppercase[:size] if beside else ""
        molecule = draw_fragment(
            structure, width, height, letters=names, missing=missing, label=caption
        )
        if molecule is not None:
            return molecule
    positions = structure_positions(structure, missing)
    # radius of a node, larger for a letter or a colour, which fits between its neighbours
    radius = min(8.5 if letters else 6.0 if len(fills) else 3.6, height / 7)
    beside = beside and bool(structure.categories)
    half = np.array([width / 2, height / 2]) - radius - (11 if beside else 4 if ringed else 2)
    unit = float(min(half[0], half[1] / 0.85))
    if size > 1:
        apart = np.linalg.norm(positions[:, None] - positions, axis=2)[np.triu_indices(size, 1)]
        radius = min(radius, 0.4 * unit * float(apart.min()))
    points = positions * [unit, -unit] + np.array([width, height]) / 2
    known = {frozenset(edge) for edge in structure.edges}
    shapes = "".join(_path(points[list(pair)], 0.8, "") for pair in added)
    shapes += "".join(
        _path(points[list(pair)], 1.6, MISSING) for pair in missing if frozenset(pair) not in known
    )
    shapes += _edges(structure, points, radius, lines or {}, missing, weights)
    for node, (x, y) in enumerate(points.tolist()):
        circle, color = _circle(x, y, radius, hollow, fills[node] if len(fills) else "")
        shapes += circle
        if node in ringed:
            shapes += (
                f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="{radius + _RING_GAP:.1f}" '
                'fill="none" stroke="var(--ink, currentColor)" stroke-width="1.4"/>'
            )
        if beside and short_category(structure.categories[node]):
            shapes += _letter_beside(structure, node, points, radius)
        if letters:
            shapes += (
                f'<text x="{x:.1f}" y="{y:.1f}" fill="{color}" text-anchor="middle" '
                f'dominant-baseline="central" font-size="{min(10.0, 1.2 * radius):.1f}" '
                f'font-weight="700">{escape(_node_text(structure, node))}</text>'
            )
    return Markup(
        f'<svg role="img" aria-label="{escape(caption)}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">{shapes}</svg>'
    )


def _caption(
    structure: Drawable, missing: Sequence[tuple[int, int]], added: Sequence[tuple[int, int]]
) -> str:
    """What is read out: the edges, and which are dotted and thin."""
    caption = "edges " + ", ".join(edge_names(structure))
    for look, pairs in (("dotted", missing), ("thin", added)):
        if pairs:
            caption += f"; {look}: " + ", ".join(pair_name(*pair) for pair in pairs)
    return caption


def _circle(x: float, y: float, radius: float, hollow: bool, fill: str) -> tuple[str, str]:
    """The circle of a node, and the colour of a letter on it; without a fill it is the motif's."""
    circle = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"'
    if hollow:
        paper = f'{circle} fill="var(--paper, #fff)" stroke="var(--c)" stroke-width="2"/>'
        return paper, "var(--ink, currentColor)"
    if fill:
        return f'{circle} fill="{fill}" stroke="var(--c)"/>', _letter_color(fill)
    return f'{circle} fill="var(--c)"/>', "var(--t)"


def _letter_beside(structure: Drawable, node: int, points: np.ndarray, radius: float) -> str:
    """The letter of a node, away from its neighbours, or below a node amid them."""
    ends = [end for edge in structure.edges if node in edge for end in edge]
    away = points[node] - points[ends or [node]].mean(axis=0)
    if float(np.linalg.norm(away)) < radius:
        away = np.array([0.0, 1.0])
    x, y = (points[node] + away * (radius + 6) / np.linalg.norm(away)).tolist()
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="currentColor" font-size="9.5" '
        f'text-anchor="middle" dominant-baseline="central">{node_letter(node)}</text>'
    )


def _node_text(structure: Drawable, node: int) -> str:
    """What stands on a node: the short name of its category, or a letter from A on."""
    names = structure.categories[node] if structure.categories else ()
    return short_category(names) or node_letter(node)


def edge_names(structure: Drawable) -> list[str]:
    """The edges by the letters of their nodes, such as "A–B", "A→B" or "A→B activates"."""
    relations = structure.relations
    names = []
    rows = zip(structure.edges, structure.edge_relations, strict=True)
    for (u, v), number in rows:
        arrow = "→" if relations.directed[number] else "–"
        name = pair_name(u, v, arrow)
        names.append(f"{name} {relations.names[number]}" if len(relations.names) > 1 else name)
    return names


def pair_name(u: int, v: int, joint: str = "–") -> str:
    """Two nodes by their letters, such as "A–B"."""
    return f"{node_letter(u)}{joint}{node_letter(v)}"


def _letter_color(fill: str) -> str:
    """The colour of a letter on a colour such as "#22a884"; on a variable of the page, its ink."""
    if not fill.startswith("#"):
        return "var(--ink, currentColor)"
    parts = np.array([int(fill[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return INK if linear @ [0.2126, 0.7152, 0.0722] > _BRIGHT else "#ffffff"


def swatch(kind: Kind, line: str) -> Markup:
    """A short line as edges of a relation have it, for a key."""
    name, is_directed = kind
    ends = np.array([[3.0, 7.0], [41.0, 7.0]])
    head = _BAR if is_blunt(name) else _ARROW
    shapes = _edge(ends, line, heads=(False, is_directed), head=head)
    return Markup(f'<svg aria-hidden="true" width="44" height="14">{shapes}</svg>')


def color_style(number: int | None) -> str:
    """The variables of a motif's colour outside of a page; of ink for None."""
    if number is None:
        return "--c: currentColor; --t: Canvas"
    at = min(number, len(MOTIF_COLORS) - 1)
    return f"--c: {MOTIF_COLORS[at]}; --t: {LETTER_COLORS[at]}"


def _edges(
    structure: Drawable,
    points: np.ndarray,
    radius: float,
    lines: Mapping[Kind, str],
    missing: Sequence[tuple[int, int]],
    weights: Sequence[float],
) -> str:
    """All edges; those between the same two nodes beside each other, a mutual pair as one line."""
    kinds = structure.relations.kinds
    shapes = ""
    between: dict[tuple[int, int], dict[int, set[bool]]] = {}
    # a mutual pair is as dark as the larger of its weights
    opacity: dict[tuple[int, int, int], float] = {}
    for at, ((u, v), number) in enumerate(
        zip(structure.edges, structure.edge_relations, strict=True)
    ):
        key = (min(u, v), max(u, v), number)
        between.setdefault(key[:2], {}).setdefault(number, set()).add(u < v)
        if len(weights):
            opacity[key] = max(weights[at], opacity.get(key, 0.0))
    for (first, last), rows in between.items():
        for at, (number, ways) in enumerate(sorted(rows.items())):
            side = at - (len(rows) - 1) / 2
            (name, is_directed) = kinds[number]
            line = lines.get((name, is_directed), "solid")
            line = "dotted" if (first, last) in missing else line
            heads = (False in ways, True in ways) if is_directed else (False, False)
            head = _BAR if is_blunt(name) else _ARROW
            edge = _edge(points[[first, last]], line, _EDGE_GAP * side, radius + 0.5, heads, head)
            dark = opacity.get((first, last, number))
            shapes += edge if dark is None else f'<g opacity="{dark:.2f}">{edge}</g>'
    return shapes


def _edge(
    ends: np.ndarray,
    line: str,
    side: float = 0.0,
    radius: float = 0.0,
    heads: tuple[bool, bool] = (False, False),
    head: Sequence[tuple[float, float]] = _ARROW,
) -> str:
    """An edge beside the line of its ends: dashes, or several lines of a bond, and its heads."""
    along = ends[1] - ends[0]
    along = along / max(float(np.linalg.norm(along)), 1e-9)
    across = np.array([-along[1], along[0]])
    ends = ends + side * across
    shapes = ""
    # a head touches its node, and the line stops within the head
    start, stop = (1.4 * radius if has_head else 0.0 for has_head in heads)
    drawn = np.stack([ends[0] + start * along, ends[1] - stop * along])
    number = BONDS.get(line, 1)
    for strand in range(number):
        ends = drawn + _BOND_GAP * (strand - (number - 1) / 2) * across
        dashes = DASHES.get(line, "2 2" if line == "aromatic" and strand else "")
        shapes += _path(ends, 1.2 if line == ANY else 2.0 if number == 1 else 1.5, dashes)
    for has_head, tip, way in zip(heads, (ends[0] + radius * along, ends[1] - radius * along),
                                  (-along, along), strict=True):  # fmt: skip
        if has_head:
            corners = [tip - back * way + aside * across for back, aside in head]
            path = "L".join(f"{x:.1f} {y:.1f}" for x, y in corners)
            shapes += f'<path fill="var(--c)" d="M{path}z"/>'
    return shapes


def _path(ends: np.ndarray, width: float, dashes: str) -> str:
    (x1, y1), (x2, y2) = ends.tolist()
    look = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<path stroke="var(--c)" fill="none" stroke-width="{width:g}"{look} '
        f'd="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"/>'
    )
