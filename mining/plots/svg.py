"""The one writer of small drawings: SVG shapes, and how they are put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import escape

from mining.plots.styles import INK, is_light

# pixels per unit of a layout, which is 2 units wide and at most 1.7 high
UNIT = 80.0
_MARGIN, _GAP, _TITLE_HEIGHT = 4.0, 12.0, 22.0
DASHED, DOTTED = "7 4", "1 6"


@dataclass(frozen=True)
class Drawing:
    """SVG shapes and the box around them in pixels; y points down."""

    shapes: str
    left: float
    top: float
    width: float
    height: float

    def __html__(self) -> str:
        """For a page: lines and text take the text colour of the page."""
        return self._document(self.shapes)

    def to_file(self) -> str:
        """For a file of its own: dark on white."""
        back = _tag("rect", x=self.left, y=self.top, width="100%", height="100%", fill="#ffffff")
        return self._document((back + self.shapes).replace("currentColor", INK))

    _repr_svg_ = to_file

    def _document(self, shapes: str) -> str:
        box = f"{self.left:.1f} {self.top:.1f} {self.width:.1f} {self.height:.1f}"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{self.width:.0f}" '
            f'height="{self.height:.0f}" fill="none" stroke-linecap="round" '
            f'font-family="sans-serif">{shapes}</svg>'
        )


def drawing_around(shapes: Sequence[str], points: np.ndarray, radius: float) -> Drawing:
    """Frame shapes with dots at ``points [n, 2]``; at least as wide as a whole layout."""
    half = max(float(np.abs(points[:, 0]).max()) + radius, 1.17 * UNIT) + _MARGIN
    top = float(points[:, 1].min()) - radius - _MARGIN
    bottom = float(points[:, 1].max()) + radius + _MARGIN
    return Drawing("".join(shapes), -half, top, 2 * half, bottom - top)


def arrange(
    drawings: Sequence[Drawing],
    columns: int,
    titles: Sequence[str] = (),
    *,
    bold: int | None = None,
) -> Drawing:
    """Put drawings into the cells of a grid, each in the middle below its title."""
    width = max(drawing.width for drawing in drawings) + _GAP
    header = _TITLE_HEIGHT if titles else 0.0
    shapes, top = [], 0.0
    for start in range(0, len(drawings), columns):
        row = drawings[start : start + columns]
        height = max(drawing.height for drawing in row) + _GAP
        for column, drawing in enumerate(row):
            left, number = column * width, start + column
            if titles:
                middle = np.array([left + width / 2, top + header - 6])
                weight = "bold" if number == bold else None
                shapes.append(label(middle, titles[number], 13, weight=weight))
            x = left + (width - drawing.width) / 2 - drawing.left
            y = top + header + (height - drawing.height) / 2 - drawing.top
            shapes.append(f'<g transform="translate({x:.1f} {y:.1f})">{drawing.shapes}</g>')
        top += height + header
    return Drawing("".join(shapes), 0.0, 0.0, min(columns, len(drawings)) * width, top)


def line(ends: np.ndarray, width: float, **more: Any) -> str:
    """A line between two ends ``[2, 2]``."""
    return path(list(ends), width, "currentColor", **more)


def path(
    ends: Sequence[np.ndarray],
    width: float,
    color: str,
    control: np.ndarray | None = None,
    **more: Any,
) -> str:
    """A line between two ends, bent towards a control point if there is one."""
    (x1, y1), (x2, y2) = (end.tolist() for end in ends)
    way = "L" if control is None else f"Q{control[0]:.1f} {control[1]:.1f} "
    return _tag("path", d=f"M{x1:.1f} {y1:.1f}{way}{x2:.1f} {y2:.1f}", stroke=color,
                stroke_width=width, **more)  # fmt: skip


def triangle(tip: np.ndarray, way: np.ndarray, size: float, color: str, **more: Any) -> str:
    """The head of an arrow that points along ``way``, of length one, to its tip."""
    across = 0.42 * size * np.array([-way[1], way[0]])
    base = tip - size * way
    corners = "L".join(f"{x:.1f} {y:.1f}" for x, y in (tip, base + across, base - across))
    return _tag("path", d=f"M{corners}z", fill=color, **more)


def dot(
    center: np.ndarray, radius: float, face: str, ring: str = "currentColor", **more: Any
) -> str:
    """A filled circle."""
    x, y = center.tolist()
    return _tag("circle", cx=x, cy=y, r=radius, fill=face, stroke=ring, **more)


def numbered_dot(
    center: np.ndarray, radius: float, face: str, number: int, ring: str = "currentColor"
) -> str:
    """A circle with a number that is black on a light face and white on a dark one."""
    size = min(15.0, 1.25 * radius)
    ink = "#000" if is_light(face) else "#fff"
    text = label(center + np.array([0.0, 0.36 * size]), str(number), size, ink)
    return dot(center, radius, face, ring, stroke_width=1 if ring == "currentColor" else 3) + text


def label(
    position: np.ndarray,
    text: str,
    size: float,
    color: str = "currentColor",
    *,
    anchor: str = "middle",
    weight: str | None = None,
    **more: Any,
) -> str:
    """A text on the base line through a position."""
    x, y = position.tolist()
    return _tag(
        "text", text, x=x, y=y, font_size=size, text_anchor=anchor, fill=color,
        font_weight=weight, **more,
    )  # fmt: skip


def bar(left: float, top: float, width: float, height: float, color: str, **more: Any) -> str:
    """A filled rectangle."""
    return _tag("rect", x=left, y=top, width=width, height=height, fill=color, **more)


def _tag(name: str, text: str = "", **attributes: Any) -> str:
    """An element with its attributes; those that are None are left out."""
    written = "".join(
        f' {key.replace("_", "-")}="{value:.1f}"'
        if isinstance(value, float)
        else f' {key.replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{escape(text)}</{name}>" if text else f"<{name}{written}/>"
