"""Drawings of pages on axes of Matplotlib: one rule for a page and for the figure of a paper."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np

from gomkcn.mining.plots.styles import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.path import Path

# in ink on white, as a page draws what has no colour of a motif
INK_STYLE = {"--c": INK, "--t": "#ffffff"}
# of the variables of a page that drawings take
_PAGE = {"--ink": INK, "--paper": "#ffffff", "currentColor": INK}
_TOKEN = re.compile(r"[A-Za-z]|-?[\d.]+")
# numbers after each letter of a path: Matplotlib's codes of a move, a line and a curve
_CODES = {"M": (1, 2), "L": (2, 2), "Q": (3, 4), "C": (4, 6), "Z": (79, 0)}
# height of a capital letter, as a share of the size of its font
_CAPITAL = 0.72


Box = tuple[float, float, float, float]


def draw_svg(
    axis: Axes, drawing: str, colors: Mapping[str, str] = INK_STYLE, *, box: Box | None = None
) -> None:
    """Put a drawing of :mod:`gomkcn.mining.plots` on an axis; its units are pixels of the drawing.

    Lines are as wide as the axis is large, and letters are outlines, so that a file needs no font.

    Parameters
    ----------
    axis : matplotlib.axes.Axes
    drawing : str
        An SVG of paths, circles, rectangles and texts.
    colors : mapping
        The colours of the variables ``--c`` and ``--t``, which are those of its style on a page.
    box : tuple of float, optional
        Left, top, width and height of its place on an axis that has units, which it fits into. By
        default the frame of the drawing becomes that of the axis, without ticks and lines.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from gomkcn_dgl.graphs.structure import Structure
    >>> from gomkcn.mining.plots.structure_drawing import draw_structure
    >>> axis = Figure().subplots()
    >>> draw_svg(axis, draw_structure(Structure.parse("triangle"), letters=False))
    >>> len(axis.patches)
    6
    """
    root = ElementTree.fromstring(drawing)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    scale, corner = 1.0, np.zeros(2)
    if box is not None:
        scale = min(box[2] / width, box[3] / height)
        room = np.array([box[2] - scale * width, box[3] - scale * height])
        corner = np.array(box[:2]) + room / 2
    for shape, opacity in _shapes(root, 1.0):
        _draw(axis, shape, opacity, {**_PAGE, **colors}, scale, corner)
    if box is None:
        axis.set(xlim=(0, width), ylim=(height, 0), aspect="equal", xticks=[], yticks=[])
        axis.spines[:].set_visible(False)


def _shapes(
    element: ElementTree.Element, opacity: float
) -> Iterator[tuple[ElementTree.Element, float]]:
    """All shapes of an SVG, each with the opacity of the groups around it."""
    opacity *= float(element.get("opacity", 1))
    if element.tag in ("path", "circle", "rect", "text"):
        yield element, opacity
    for child in element:
        yield from _shapes(child, opacity)


def _draw(
    axis: Axes,
    shape: ElementTree.Element,
    opacity: float,
    colors: Mapping[str, str],
    scale: float,
    corner: np.ndarray,
) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    look = dict(shape.attrib)
    # RDKit writes attributes as a style
    for entry in look.pop("style", "").split(";"):
        name, _, value = entry.partition(":")
        look[name.strip()] = value.strip()
    fill = _color(look.get("fill", "#000000"), colors)
    stroke = _color(look.get("stroke", "none"), colors)
    path = _outline(shape, look)
    if path is None or (fill == "none" and stroke == "none"):
        return
    width = float(look.get("stroke-width", "1").removesuffix("px")) if stroke != "none" else 0.0
    placed = Path(scale * np.asarray(path.vertices, float) + corner, path.codes)
    patch = PathPatch(
        placed, facecolor=fill, edgecolor=stroke, alpha=opacity, capstyle="butt", joinstyle="miter"
    )
    dashes = [float(part) for part in re.findall(r"[\d.]+", look.get("stroke-dasharray", ""))]
    if dashes and width:
        # in units of the width of the line
        patch.set_linestyle((0, [part / width for part in dashes]))
    _widen_when_drawn(patch, scale * width)
    axis.add_patch(patch)


def _widen_when_drawn(patch: Any, width: float) -> None:
    """Make a line as wide as the axis is large, which is known when the figure is drawn."""
    patch.set_linewidth(width)
    draw = patch.draw

    def draw_scaled(renderer: Any) -> None:
        (x0, _), (x1, _) = patch.axes.transData.transform([(0, 0), (1, 0)])
        patch.set_linewidth(width * abs(x1 - x0) * 72 / patch.get_figure(root=True).dpi)
        draw(renderer)

    patch.draw = draw_scaled


def _color(name: str, colors: Mapping[str, str]) -> str:
    """A colour of Matplotlib of one of an SVG, whose variable may name another one.

    >>> _color("var(--soft, #6b7785)", {}), _color("var(--c, var(--ink))", {"--ink": "#000000"})
    ('#6b7785', '#000000')
    """
    variable = re.match(r"var\((--[\w-]+)(?:, *(.+))?\)$", name)
    if variable is None or variable[1] in colors:
        return colors.get(variable[1] if variable else name, name)
    return _color(variable[2], colors) if variable[2] else name


def _outline(shape: ElementTree.Element, look: Mapping[str, str]) -> Path | None:
    """The outline of a shape; None of a text of nothing."""
    from matplotlib.path import Path

    if shape.tag == "path":
        return _path(look["d"])
    if shape.tag == "circle":
        return Path.circle((float(look["cx"]), float(look["cy"])), float(look["r"]))
    if shape.tag == "rect":
        corner = np.array([float(look.get("x", 0)), float(look.get("y", 0))])
        size = np.array([float(look["width"]), float(look["height"])])
        unit = Path.unit_rectangle()
        return Path(unit.vertices * size + corner, unit.codes)
    return _text(shape.text or "", look)


def _path(commands: str) -> Path:
    """The path of an SVG, of absolute moves, lines and curves."""
    from matplotlib.path import Path

    tokens = _TOKEN.findall(commands)
    points: list[list[float]] = []
    codes: list[int] = []
    at = 0
    letter = "M"
    while at < len(tokens):
        if tokens[at].isalpha():
            letter = tokens[at].upper()
            at += 1
        code, number = _CODES[letter]
        values = [float(token) for token in tokens[at : at + number]]
        points += [values[start : start + 2] for start in range(0, number, 2)] or [[0.0, 0.0]]
        codes += [code] * max(1, number // 2)
        at += number
    return Path(points, codes)


def _text(text: str, look: Mapping[str, str]) -> Path | None:
    """The outlines of letters, around or right of their point."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.path import Path
    from matplotlib.textpath import TextPath

    if not text.strip():
        return None
    size = float(look.get("font-size", 10))
    font = FontProperties(family="sans-serif", weight=int(look.get("font-weight", 400)))
    letters = TextPath((0, 0), text, size=size, prop=font)
    left, right = letters.vertices[:, 0].min(), letters.vertices[:, 0].max()
    share = {"middle": 0.5, "end": 1.0}.get(look.get("text-anchor", ""), 0.0)
    below = _CAPITAL * size / 2 if look.get("dominant-baseline") == "central" else 0.0
    corner = [float(look["x"]) - left - share * (right - left), float(look["y"]) + below]
    # an SVG counts from above
    return Path(letters.vertices * [1, -1] + corner, letters.codes)
