"""The profile of a census: z of each small structure beside random graphs (Milo et al. 2004)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

# more bars are too thin to be hit
MOST_BARS = 40
# pixels of the drawing: as wide as the text of the page
_WIDTH = 620.0
_HEIGHT = 80.0
# room for the name of the tallest bar
_NAME = 18.0
# where the line of z = 0 is
_MIDDLE = 40.0
# pixels of the drawing of two profiles; of the numbers of its axis, left of the bars
_PAIR_WIDTH, _AXIS = 1120.0, 40.0
# of the bars of a line of structures, and of the drawing of a structure below them
_BARS = 110.0
DRAWING = (44, 36)
# structures in a line: two lines for as many as are drawn
_IN_LINE = 20
# columns of a short profile are as wide as if there were so many
_LEAST_COLUMNS = 13
# steps of an axis, of which the largest is taken that gives three numbers at least
_STEPS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
# half as wide as a ring
_RING = 3.5


def draw_profile(rows: Sequence[tuple[str, str, float | None, bool]]) -> Markup:
    """Draw z of each structure as a bar that is a link; the profile is z over the length of all z.

    A row is the name of a structure, the address of its row, z, and whether the test calls it.
    Where there is no z, a ring on the line of 0 stands in the place of the bar.

    >>> drawn = draw_profile([("triangle", "#row-0", 3.0, True), ("clique", "#row-1", None, True)])
    >>> drawn.count("<a "), drawn.count("<circle ")
    (2, 1)
    """
    # the bars have the proportions of the profile, and the highest one fills the drawing
    highest = max(abs(z or 0.0) for *_, z, _ in rows) or 1.0
    step = _WIDTH / max(len(rows), 12)
    # the name of the tallest bar stands at its end, above the drawing or below it
    tallest = max(rows, key=lambda row: abs(row[2] or 0.0), default=None)
    above = _NAME if tallest and (tallest[2] or 0.0) > 0 else 0.0
    below = _NAME if tallest and (tallest[2] or 0.0) < 0 else 0.0
    shapes = f'<path stroke="var(--rule-2)" d="M0 {_MIDDLE}H{_WIDTH}"/>'
    for number, (name, address, z, is_called) in enumerate(rows):
        color = "var(--ink)" if is_called else "var(--rule-2)"
        caption = escape(f"{name}: no z" if z is None else f"{name}: z {z:+.1f}".replace("-", "−"))
        left = step * number
        if z is None:
            mark = (
                f'<circle cx="{left + 0.5 * step:.1f}" cy="{_MIDDLE:g}" r="{_RING:g}" '
                f'fill="var(--paper)" stroke="{color}" stroke-width="1.5"/>'
            )
        else:
            height = max(1.5, abs(z) / highest * (_MIDDLE - 2))
            mark = (
                f'<rect x="{left + 0.15 * step:.1f}" '
                f'y="{_MIDDLE - height if z > 0 else _MIDDLE:.1f}" width="{0.7 * step:.1f}" '
                f'height="{height:.1f}" fill="{color}"/>'
            )
        shapes += (
            f'<a href="{escape(address)}" aria-label="{caption}"><title>{caption}</title>'
            f'<rect x="{left:.1f}" y="0" width="{step:.1f}" height="{_HEIGHT:g}" fill="none" '
            f'pointer-events="all"/>{mark}</a>'
        )
    if tallest is not None and tallest[2]:
        middle = step * (rows.index(tallest) + 0.5)
        shapes += _name_of_bar(tallest[0], middle, -4 if above else _HEIGHT + 13, _WIDTH)
    return Markup(
        f'<svg class="profile" role="group" aria-label="Profile of the structures" '
        f'viewBox="0 {-above:g} {_WIDTH:g} {_HEIGHT + above + below:g}">{shapes}</svg>'
    )


def _name_of_bar(name: str, middle: float, y: float, width: float) -> str:
    """The name of a structure at the end of its bar, towards the side with room for it."""
    side = "start" if middle < width / 3 else "end" if middle > 2 * width / 3 else "middle"
    short = name.partition(": ")[0]
    return (
        f'<text x="{middle:.1f}" y="{y:g}" text-anchor="{side}" font-size="13" '
        f'fill="var(--ink)">{escape(short)}</text>'
    )


class ProfileColumn(NamedTuple):
    """A structure in the drawing of a profile, or of two."""

    name: str
    # of its row in the table
    address: str
    # of the structure
    drawing: Markup
    # of the profile of each graph; NaN where there is no z
    entries: tuple[float, ...]


def draw_profiles(columns: Sequence[ProfileColumn]) -> Markup:
    """Draw the profiles of two graphs: of each structure the entries of both, and a drawing of it.

    The first graph has the colour ``--m0``, the second one ``--m1``. Where there is no z, a ring on
    the line of 0 stands in the place of the bar.

    >>> column = ProfileColumn("triangle", "#row-0", Markup("<svg></svg>"), (0.6, math.nan))
    >>> drawn = draw_profiles([column])
    >>> drawn.count('class="entry"'), drawn.count("<circle ")
    (1, 1)
    """
    known = [entry for column in columns for entry in column.entries if not math.isnan(entry)]
    low, high = min(0.0, *known, 0.0), max(0.0, *known, 0.0)
    if low == high:
        high = 1.0
    step = next((step for step in _STEPS if (high - low) / step >= 2), _STEPS[-1])
    scale = _BARS / (high - low)
    in_line = min(_IN_LINE, len(columns))
    lines = [columns[start : start + in_line] for start in range(0, len(columns), in_line)]
    named = max(columns, key=_furthest, default=None)
    width = (_PAIR_WIDTH - _AXIS) / max(in_line, _LEAST_COLUMNS)
    # a line of numbers needs some room above it
    line_height = _BARS + DRAWING[1] + 18
    shapes = ""
    for number, members in enumerate(lines):
        top = 8 + _NAME + number * (line_height + _NAME)
        shapes += _axis(low, high, step, top, scale)
        for place, column in enumerate(members):
            shapes += _column(column, _AXIS + place * width, width, top + high * scale, top, scale)
            if column is named and _furthest(column):
                middle = _AXIS + (place + 0.5) * width
                shapes += _name_of_bar(column.name, middle, top - 5, _PAIR_WIDTH)
    height = len(lines) * (line_height + _NAME)
    return Markup(
        f'<svg class="profiles" role="group" aria-label="Profiles of both graphs" '
        f'viewBox="0 0 {_PAIR_WIDTH:g} {height:g}">{shapes}</svg>'
    )


def _furthest(column: ProfileColumn) -> float:
    """How far the larger entry of a structure is from 0."""
    return max((abs(entry) for entry in column.entries if not math.isnan(entry)), default=0.0)


def _axis(low: float, high: float, step: float, top: float, scale: float) -> str:
    """Lines across the drawing, with the entry of each."""
    shapes = ""
    for tick in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1):
        y = top + (high - tick * step) * scale
        label = f"{tick * step:+.2g}".replace("-", "−") if tick else "0"
        look = "var(--rule-2)" if tick == 0 else "var(--rule)"
        shapes += (
            f'<path stroke="{look}" d="M{_AXIS:g} {y:.1f}H{_PAIR_WIDTH:g}"/>'
            f'<text x="{_AXIS - 6:g}" y="{y + 4:.1f}" text-anchor="end" font-size="12" '
            f'fill="var(--soft)">{label}</text>'
        )
    return shapes


def _column(
    column: ProfileColumn, left: float, width: float, zero: float, top: float, scale: float
) -> str:
    """Two bars, or rings, and the drawing below, as a link."""
    values = ["no z" if math.isnan(entry) else f"{entry:+.2f}" for entry in column.entries]
    caption = escape(f"{column.name}: first {values[0]}, second {values[1]}".replace("-", "−"))
    shapes = (
        f'<a href="{escape(column.address)}" aria-label="{caption}"><title>{caption}</title>'
        f'<rect class="room" x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" '
        f'height="{_BARS + DRAWING[1]:g}" fill="none" pointer-events="all"/>'
    )
    for side, entry in enumerate(column.entries):
        start = left + (0.14 + 0.36 * side) * width
        if math.isnan(entry):
            shapes += (
                f'<circle cx="{start + 0.18 * width:.1f}" cy="{zero:.1f}" r="{_RING:g}" '
                f'fill="var(--paper)" stroke="var(--m{side})" stroke-width="1.5"/>'
            )
            continue
        # an entry of nearly 0 is a line
        height = max(1.5, abs(entry) * scale)
        above = zero - height if entry > 0 else zero
        shapes += (
            f'<rect class="entry" x="{start:.1f}" y="{above:.1f}" width="{0.36 * width:.1f}" '
            f'height="{height:.1f}" fill="var(--m{side})"/>'
        )
    x, y = left + (width - DRAWING[0]) / 2, top + _BARS + 4
    return (
        shapes
        + f'<g class="plain-pic" transform="translate({x:.1f} {y:.1f})">{column.drawing}</g></a>'
    )
