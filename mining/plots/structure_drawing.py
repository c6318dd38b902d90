"""One drawing of a structure: in the colour of its motif on a page, or in ink.

Colours are the variables ``--c`` (edges and nodes) and ``--t`` (letters on them) of the style
around the drawing, so that one text serves light and dark pages.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from string import ascii_uppercase

import numpy as np
from markupsafe import Markup, escape

from gomkcn.mining.plots.layout import Drawable, clearance, structure_positions
from gomkcn.mining.plots.styles import (
    ANY,
    BONDS,
    DASHES,
    INK,
    LETTER_COLORS,
    MISSING,
    MOTIF_COLORS,
    Kind,
    Lines,
    is_blunt,
    short_names,
)
from gomkcn.mining.structures.fragments import draw_fragment
from gomkcn_dgl.graphs.structure import category_value, node_letter

# pixels between the lines of a double bond, which is read as one
_BOND_GAP = 3.6
# between parallel edges, which are read as several
_EDGE_GAP = 7.0
# from a node to its ring
_RING_GAP = 2.4
# radius in pixels of a node with a letter, with a name of more letters, with a colour, and plain
_LETTER, _NAME, _COLOR, _DOT = 8.5, 11.5, 6.0, 3.6
# half the width of a square, as a share of the radius of a circle
_SQUARE = 0.9
# no node is smaller, however many edges pass it
_LEAST_RADIUS = 1.5
# of a node with a head of an arrow: room between the smallest nodes for both heads of an edge
_DIRECTED = 15
# nodes of a structure are drawn as far apart as their radius over this share
_SHARE_OF_GAP = 0.4
# width of a letter, as a share of its height, and of the node that a name takes
_LETTER_WIDTH, _NAME_WIDTH = 0.78, 1.8
# width or height below which lines are thinner and heads shorter
_SMALL = 44
# parts of what is seen of an edge that a head takes, where both ends have one and where one has
_HEAD_OF_TWO, _HEAD_OF_ONE = 0.45, 0.7
# aside, in pixels: a head must be seen beside its line
_LEAST_ASIDE = 1.7
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
    """Draw a structure: a letter or a category on nodes, arrow heads, a line for each relation.

    ``lines`` are those of :func:`gomkcn.mining.plots.styles.relation_lines`; ``missing`` pairs of
    nodes have a dotted line, as an edge that a variant or many copies lack, and ``added`` ones a
    thin line. ``fills`` are the colours of the nodes, such as "#22a884", and ``weights`` in [0, 1]
    the opacities of the edges; ``ringed`` nodes have a ring around them. Where nodes have
    categories, each shows the short name of its own; else ``letters`` name the nodes by their
    places. ``beside`` puts those next to nodes that show a category. ``label`` is read out; by
    default the edges, and which are dotted and thin, and the categories. A piece of a molecule is
    drawn by RDKit, where it is installed and nodes and edges have no looks of their own.

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
    texts = _node_texts(structure, lines, letters)
    beside = beside and any(structure.categories)
    positions = structure_positions(structure, missing)
    margin = 11 if beside else 4 if ringed else 2
    points, radius = _placed(structure, positions, (width, height), margin, texts, len(fills) > 0)
    thin = min(1.0, min(width, height) / _SMALL)
    known = {frozenset(edge) for edge in structure.edges}
    shapes = "".join(_path(points[list(pair)], 0.8, "") for pair in added)
    shapes += "".join(
        _path(points[list(pair)], 1.6 * thin, MISSING)
        for pair in missing
        if frozenset(pair) not in known
    )
    shapes += _edges(structure, points, radius, lines or {}, missing, weights, thin)
    square = lines.square if isinstance(lines, Lines) else ""
    for node, (x, y) in enumerate(points.tolist()):
        is_square = bool(square) and square in (structure.categories or [()] * size)[node]
        outline = (_square if is_square else _circle)(x, y, radius)
        look, color = _look(outline, hollow, fills[node] if len(fills) else "")
        shapes += look
        if node in ringed:
            shapes += (
                f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="{radius + _RING_GAP:.1f}" '
                'fill="none" stroke="var(--ink, currentColor)" stroke-width="1.4"/>'
            )
        if beside:
            shapes += _letter_beside(structure, node, points, radius)
        if texts:
            room = _NAME_WIDTH * radius / (_LETTER_WIDTH * len(texts[node]))
            shapes += (
                f'<text x="{x:.1f}" y="{y:.1f}" fill="{color}" text-anchor="middle" '
                f'dominant-baseline="central" font-size="{min(10.0, 1.2 * radius, room):.1f}" '
                f'font-weight="700">{escape(texts[node])}</text>'
            )
    return Markup(
        f'<svg role="img" aria-label="{escape(caption)}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">{shapes}</svg>'
    )


def _node_texts(structure: Drawable, lines: Mapping[Kind, str] | None, letters: bool) -> list[str]:
    """What stands on the nodes, in one alphabet: short names of categories, or letters from A on.

    Empty where neither is there. A side that is all that there is of categories shows by the shape
    of its nodes.
    """
    by_shape = isinstance(lines, Lines) and lines.square
    if any(structure.categories) and not (by_shape and max(map(len, structure.categories)) == 1):
        known = lines.names if isinstance(lines, Lines) else {}
        if not known.keys() >= {*structure.categories}:
            known = short_names(structure.categories)
        return [known[names] for names in structure.categories]
    return [node_letter(node) for node in range(structure.num_nodes)] if letters else []


def _placed(
    structure: Drawable,
    positions: np.ndarray,
    frame: tuple[int, int],
    margin: float,
    texts: Sequence[str],
    has_colors: bool,
) -> tuple[np.ndarray, float]:
    """The points of the nodes in pixels, and their radius: no edge passes behind a node."""
    size = structure.num_nodes
    height = frame[1]
    # larger for a letter or a colour, which fits between its neighbours
    longest = max(map(len, texts), default=0)
    wanted = _NAME if longest > 2 else _LETTER if texts else _COLOR if has_colors else _DOT
    smallest = height / 6 if longest > 2 else height / 7
    if not texts and any(structure.relations.directed):
        smallest = min(frame) / _DIRECTED
    radius = min(wanted, smallest)
    half = np.array(frame) / 2 - radius - (min(margin, radius) if margin <= 2 else margin)
    unit = float(min(half[0], half[1] / 0.85))
    if size > 1:
        apart = np.linalg.norm(positions[:, None] - positions, axis=2)[np.triu_indices(size, 1)]
        radius = min(radius, _SHARE_OF_GAP * unit * float(apart.min()))
        # parallel edges lie aside of the line between their nodes
        pairs = [(min(edge), max(edge)) for edge in structure.edges]
        kinds = {(*pair, of) for pair, of in zip(pairs, structure.edge_relations, strict=True)}
        parallel = max((sum(kind[:2] == pair for kind in kinds) for pair in pairs), default=1)
        free = unit * clearance(positions, pairs) - 0.5 * _EDGE_GAP * (parallel - 1) - 1.0
        radius = min(radius, max(free, _LEAST_RADIUS))
    return positions * [unit, -unit] + np.array(frame) / 2, radius


def _caption(
    structure: Drawable, missing: Sequence[tuple[int, int]], added: Sequence[tuple[int, int]]
) -> str:
    """What is read out: the edges, which are dotted and thin, and the categories of the nodes."""
    caption = "edges " + ", ".join(edge_names(structure))
    for look, pairs in (("dotted", missing), ("thin", added)):
        if pairs:
            caption += f"; {look}: " + ", ".join(pair_name(*pair) for pair in pairs)
    if any(structure.categories):
        named = enumerate(structure.categories)
        caption += "; nodes " + ", ".join(
            f"{node_letter(node)} {' '.join(map(category_value, names))}" for node, names in named
        )
    return caption


def _circle(x: float, y: float, radius: float) -> str:
    """The circle of a node, without its colours."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"'


def _square(x: float, y: float, radius: float) -> str:
    """The square of a node, of about the area of its circle, as in a drawn graph."""
    half = _SQUARE * radius
    width = 2 * half
    return f'<rect x="{x - half:.1f}" y="{y - half:.1f}" width="{width:.1f}" height="{width:.1f}"'


def _look(outline: str, hollow: bool, fill: str) -> tuple[str, str]:
    """The shape of a node, and the colour of a letter on it; without a fill it is the motif's."""
    if hollow:
        paper = f'{outline} fill="var(--paper, #fff)" stroke="var(--c)" stroke-width="2"/>'
        return paper, "var(--ink, currentColor)"
    if fill:
        return f'{outline} fill="{fill}" stroke="var(--c)"/>', _letter_color(fill)
    return f'{outline} fill="var(--c)"/>', "var(--t)"


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
    return Markup(
        f'<svg aria-hidden="true" width="44" height="14" viewBox="0 0 44 14">{shapes}</svg>'
    )


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
    thin: float,
) -> str:
    """All edges; those between the same two nodes beside each other, a mutual pair as one line.

    Lines are ``thin`` times as wide as usual, and heads as long.
    """
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
            edge = _edge(
                points[[first, last]], line, _EDGE_GAP * side, radius + 0.5, heads, head, thin
            )
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
    thin: float = 1.0,
) -> str:
    """An edge beside the line of its ends: dashes, or several lines of a bond, and its heads."""
    along = ends[1] - ends[0]
    length = float(np.linalg.norm(along))
    along = along / max(length, 1e-9)
    across = np.array([-along[1], along[0]])
    ends = ends + side * across
    shapes = ""
    # heads of a short edge are shorter, so that its line is seen between or behind them
    longest = max(max(back for back, _ in head), 1e-9)
    seen = max(length - 2 * radius, 0.0)
    scale = min(thin, seen * (_HEAD_OF_TWO if all(heads) else _HEAD_OF_ONE) / longest)
    # a head touches its node, and the line stops within the head
    start, stop = (radius + 0.5 * scale * longest if has_head else 0.0 for has_head in heads)
    drawn = np.stack([ends[0] + start * along, ends[1] - stop * along])
    number = BONDS.get(line, 1)
    for strand in range(number):
        strands = drawn + _BOND_GAP * (strand - (number - 1) / 2) * across
        dashes = DASHES.get(line, "2 2" if line == "aromatic" and strand else "")
        width = 1.2 if line == ANY else 2.0 if number == 1 else 1.5
        shapes += _path(strands, width * thin, dashes)
    for has_head, tip, way in zip(heads, (ends[0] + radius * along, ends[1] - radius * along),
                                  (-along, along), strict=True):  # fmt: skip
        if has_head:
            corners = [
                tip - scale * back * way + _aside(scale * aside) * across for back, aside in head
            ]
            path = "L".join(f"{x:.1f} {y:.1f}" for x, y in corners)
            shapes += f'<path fill="var(--c)" d="M{path}z"/>'
    return shapes


def _aside(corner: float) -> float:
    """How far a corner of a head is beside its line: a head is seen, however short it is."""
    return float(np.sign(corner) * max(abs(corner), _LEAST_ASIDE)) if corner else 0.0


def _path(ends: np.ndarray, width: float, dashes: str) -> str:
    (x1, y1), (x2, y2) = ends.tolist()
    look = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<path stroke="var(--c)" fill="none" stroke-width="{width:g}"{look} '
        f'd="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"/>'
    )
