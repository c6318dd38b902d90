"""The profile of a census: z of each small structure beside random graphs (Milo et al. 2004)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from textwrap import shorten
from typing import NamedTuple

from markupsafe import Markup, escape

# more bars are too thin to be hit
MOST_BARS = 40
# room for what is drawn, and for the name of the tallest bar
_TITLE, _NAME = 18.0, 18.0
# of the numbers of the axis, left of the bars
_AXIS = 40.0
# of the bars of a line of structures
_BARS = 110.0
# pixels of a drawing of two profiles, which is as wide as a page, and of a structure below them
PAIR_WIDTH, DRAWING = 1120.0, (44, 36)
# of a drawing of one profile, which stands in a column of a page, and of a structure of many
WIDTH, SMALL_DRAWING = 640.0, (29, 24)
# structures in a line: two lines for as many as are drawn
_IN_LINE = 20
# columns of a short profile are as wide as if there were so many; as many have large drawings
LEAST_COLUMNS = 13
# steps of an axis, of which the largest is taken that gives three numbers at least
_STEPS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
# half as wide as a ring
_RING = 3.5
# width of a letter of a name
_LETTER = 7.2
# what an entry is
ENTRY = "z / length of all z"


class ProfileColumn(NamedTuple):
    """A structure in the drawing of a profile, or of two."""

    name: str
    # of its row in the table; "" where it has none
    address: str
    # of the structure
    drawing: str
    # of the profile of each graph; NaN where there is no z
    entries: tuple[float, ...]
    # what is read out of these
    says: str = ""
    # whether the test calls it; others have a light bar in the profile of one graph
    is_called: bool = True


def draw_profile(
    columns: Sequence[ProfileColumn], title: str, width: float, drawing: tuple[int, int]
) -> Markup:
    """Draw the profile of a graph, or those of two: bars, an axis, and a drawing of each structure.

    Of two graphs the first has the colour ``--m0``, the second one ``--m1``. Where there is no z, a
    ring on the line of 0 stands in the place of the bar.

    Parameters
    ----------
    columns : sequence of ProfileColumn
    title : str
        What structures these are.
    width : float
        In pixels.
    drawing : tuple of int
        Width and height of the drawing of a structure.

    >>> column = ProfileColumn("triangle", "#row-0", "<svg></svg>", (0.6, math.nan))
    >>> drawn = draw_profile([column], "3 nodes", PAIR_WIDTH, DRAWING)
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
    named = max(columns, key=lambda column: abs(_furthest(column)), default=None)
    # the name of the tallest bar stands at its end, above all bars or below them
    is_below = named is not None and _furthest(named) < 0
    above, below = (0.0, _NAME) if is_below else (_NAME, 0.0)
    wide = (width - _AXIS) / max(in_line, LEAST_COLUMNS)
    # a line of numbers needs some room above it
    line_height = _NAME + _BARS + drawing[1] + 18
    shapes = (
        f'<text x="0" y="12" font-size="12" fill="var(--soft)">{escape(f"{ENTRY}: {title}")}</text>'
    )
    for number, members in enumerate(lines):
        top = _TITLE + 8 + above + number * line_height
        shapes += _axis(low, high, step, top, scale, width)
        end = top + _BARS + 14 if is_below else top - 5
        for place, column in enumerate(members):
            left = _AXIS + place * wide
            shapes += _column(column, left, wide, top + high * scale, top, scale, drawing, below)
            if column is named and _furthest(column):
                shapes += _name_of_bar(column.name, left + 0.5 * wide, end, width)
    height = _TITLE + len(lines) * line_height
    is_pair = any(len(column.entries) > 1 for column in columns)
    look, label = ("profiles", "Profiles of both graphs") if is_pair else ("profile", "Profile")
    return Markup(
        f'<svg class="{look}" role="group" aria-label="{label}: {escape(title)}" '
        f'viewBox="0 0 {width:g} {height:g}">{shapes}</svg>'
    )


def short_name(name: str) -> str:
    """The name of a structure without its edges and categories.

    >>> short_name("star: 1 C"), short_name("4 nodes, 1 source (A->B, B->C)")
    ('star', '4 nodes, 1 source')
    """
    return name.partition(": ")[0].partition(" (")[0]


def _name_of_bar(name: str, middle: float, y: float, width: float) -> str:
    """The name of a structure at the end of its bar, towards the side with room for it."""
    side = "start" if middle < width / 3 else "end" if middle > 2 * width / 3 else "middle"
    room = {"start": width - middle, "end": middle}.get(side, 2 * min(middle, width - middle))
    short = shorten(short_name(name), int(room / _LETTER), placeholder=" …")
    return (
        f'<text x="{middle:.1f}" y="{y:g}" text-anchor="{side}" font-size="13" '
        f'fill="var(--ink)">{escape(short)}</text>'
    )


def _furthest(column: ProfileColumn) -> float:
    """The entry of a structure that is further from 0; 0 without any."""
    known = [entry for entry in column.entries if not math.isnan(entry)]
    return max(known, key=abs, default=0.0)


def _axis(low: float, high: float, step: float, top: float, scale: float, width: float) -> str:
    """Lines across the drawing, with the entry of each."""
    shapes = ""
    for tick in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1):
        y = top + (high - tick * step) * scale
        label = f"{tick * step:+.2g}".replace("-", "−") if tick else "0"
        look = "var(--rule-2)" if tick == 0 else "var(--rule)"
        shapes += (
            f'<path stroke="{look}" d="M{_AXIS:g} {y:.1f}H{width:g}"/>'
            f'<text x="{_AXIS - 6:g}" y="{y + 4:.1f}" text-anchor="end" font-size="12" '
            f'fill="var(--soft)">{label}</text>'
        )
    return shapes


def _column(
    column: ProfileColumn,
    left: float,
    width: float,
    zero: float,
    top: float,
    scale: float,
    drawing: tuple[int, int],
    below: float,
) -> str:
    """A bar of each graph, or a ring, and the drawing below, as a link to the row if it has one."""
    caption = escape(f"{column.name}: {column.says}".replace("-", "−"))
    number = len(column.entries)
    tag = f'a href="{escape(column.address)}"' if column.address else 'g role="img"'
    shapes = (
        f'<{tag} aria-label="{caption}"><title>{caption}</title>'
        f'<rect class="room" x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" '
        f'height="{_BARS + below + drawing[1]:g}" fill="none" pointer-events="all"/>'
    )
    share = 0.72 / number
    for side, entry in enumerate(column.entries):
        start = left + (0.14 + share * side) * width
        ink = "var(--ink)" if column.is_called else "var(--rule-2)"
        color = f"var(--m{side})" if number > 1 else ink
        if math.isnan(entry):
            shapes += (
                f'<circle class="no-z" cx="{start + 0.5 * share * width:.1f}" cy="{zero:.1f}" '
                f'r="{_RING:g}" fill="var(--paper)" stroke="{color}" stroke-width="1.5"/>'
            )
            continue
        # an entry of nearly 0 is a line
        height = max(1.5, abs(entry) * scale)
        above = zero - height if entry > 0 else zero
        shapes += (
            f'<rect class="entry" x="{start:.1f}" y="{above:.1f}" width="{share * width:.1f}" '
            f'height="{height:.1f}" fill="{color}"/>'
        )
    x, y = left + (width - drawing[0]) / 2, top + _BARS + below + 4
    return (
        f'{shapes}<g class="plain-pic" transform="translate({x:.1f} {y:.1f})">{column.drawing}</g>'
        f"</{tag[0]}>"
    )
