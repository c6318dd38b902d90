"""Figures for a paper, by Matplotlib: a structure, a profile of one graph or two, and a table.

All take an axis, or make a figure of a width and a height in inches. Drawings are those of pages.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

from gomkcn.mining.plots.profile import DRAWING, ENTRY, ProfileColumn, short_name
from gomkcn.mining.plots.structure_drawing import swatch
from gomkcn.mining.plots.structure_figure import plotting
from gomkcn.mining.plots.styles import ANY, BONDS, DASHES, INK, MOTIF_COLORS, Kind
from gomkcn.mining.plots.svg_axes import INK_STYLE, draw_svg
from gomkcn_dgl.checks import check_choice, check_float
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.runtime.files import atomic_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PICTURE_FORMATS = ("svg", "png", "pdf")
# inches: the columns of most journals, one and both
COLUMN, PAGE = 3.5, 7.2
# bars that fit into one column
_MOST_IN_COLUMN = 10
# inches, of a profile with the drawings below it
_PROFILE_HEIGHT = 2.4
# bars whose drawings are seen on a page of a journal
_MOST_OF_PROFILE = 24
# points: of the numbers and the label left of an axis; the width below which nobody sees what a
# drawing shows; the height of a figure that keeps room for bars above its drawings
_LEFT, _LEAST_DRAWN, _LEAST_HIGH = 44.0, 12.0, 80.0
# of the room of a name, whose letters may be wide
_SAFE = 0.88
# of a column, on both sides of its middle
_HALF = 0.46
# of a structure that the test does not call
_NOT_CALLED = "#b9c1ca"
# points: the size of the letters of a table, the height of a line, of a drawing and its width,
# between columns; and the width of a letter, as a share of its size
_SIZE, _LINE, _DRAWN, _WIDE, _BETWEEN, _LETTER = 8.0, 10.5, 34.0, 48.0, 12.0, 0.58
# of a line of a key
_SWATCH = 33.0
_RULE, _RULE_2 = "#dde2e7", "#b9c1ca"
LineOfKey = tuple[str, Kind, str]


class FigureSize(NamedTuple):
    """Where a figure is drawn and written, as the user asks.

    Attributes
    ----------
    path : path, optional
        A file that ends in .pdf, .svg or .png.
    width, height : float, optional
        In inches; by default the width of a column or of a page of a journal.
    ax : matplotlib.axes.Axes, optional
        An axis of a figure of the user; width and height are then that of the axis.
    """

    path: str | Path | None = None
    width: float | None = None
    height: float | None = None
    ax: Any = None

    def check(self) -> None:
        """Refuse a length that is none, a size for an axis that has one, and another ending."""
        for name in ("width", "height"):
            given = getattr(self, name)
            if given is None:
                continue
            check_float(name, given, 0.0, open_minimum=True)
            if self.ax is not None:
                raise InputError(
                    name,
                    "must be left out for an axis of a figure that has a size",
                    got=f"{given:g}",
                    way_out=("leave out ", Argument("ax", "ax")),
                )
        if self.path is not None:
            ending = Path(self.path).suffix.removeprefix(".")
            check_choice("the ending of path", ending, PICTURE_FORMATS)

    def of(self, width: float, height: float) -> tuple[float, float]:
        """Width and height in inches, from the usual ones; one that is given keeps proportions."""
        if self.width is None and self.height is not None:
            return width * self.height / height, self.height
        wide = self.width or width
        return wide, self.height or height * wide / width

    def axis(self, width: float, height: float) -> Axes:
        """The axis: the user's, or one of a new figure of this size where none is given."""
        self.check()
        sns, pyplot = plotting()
        if self.ax is not None:
            axis: Axes = self.ax
            return axis
        with sns.axes_style("ticks"), sns.plotting_context("paper"):
            figure = pyplot.figure(figsize=self.of(width, height), layout="constrained")
            # a notebook shows what a cell returns, and would show what is open once more
            pyplot.close(figure)
            axis = figure.subplots()
        return axis

    def write(self, figure: Figure) -> Figure:
        """Write a figure, if a path is given."""
        from matplotlib import rc_context

        if self.path is not None:
            # letters of TrueType, which journals take, and not of type 3
            with rc_context({"pdf.fonttype": 42}), atomic_file(self.path) as file:
                figure.savefig(file, format=Path(self.path).suffix.removeprefix("."))
        return figure

    def finish(self, axis: Axes) -> Figure:
        """The figure of an axis, which is written if a path is given."""
        figure: Any = axis.get_figure(root=True)
        return self.write(figure)


def plot_drawing(drawing: str, size: FigureSize) -> Figure:
    """One drawing of a page, at its proportions.

    >>> from gomkcn_dgl.graphs.structure import Structure
    >>> from gomkcn.mining.plots.structure_drawing import draw_structure
    >>> drawing = draw_structure(Structure.parse("triangle"), 120, 96)
    >>> plot_drawing(drawing, FigureSize(width=2)).get_size_inches().tolist()
    [2.0, 1.6]
    """
    wide, high = (
        float(drawing.split(f'{side}="')[1].split('"')[0]) for side in ("width", "height")
    )
    # a drawing of a page has 96 pixels an inch
    axis = size.axis(wide / 96, high / 96)
    draw_svg(axis, drawing)
    return size.finish(axis)


def plot_profile(
    columns: Sequence[ProfileColumn],
    size: FigureSize,
    *,
    title: str = "",
    names: Sequence[str] = (),
    key: Sequence[LineOfKey] = (),
) -> Figure:
    """Bars of the entries of profiles, a drawing below each, and the name of the tallest bar.

    Drawings that would be too small are left out, and the label says so.

    Parameters
    ----------
    columns : sequence of ProfileColumn
        A structure each, with an entry for each graph; NaN where there is no z: a ring.
    size : FigureSize
    title : str
        What structures these are, below them.
    names : sequence of str
        Those of the graphs, for the legend of two.
    key : sequence
        The lines of relations, for the legend, as :func:`gomkcn.mining.plots.styles.line_key` has
        them.

    Examples
    --------
    >>> from gomkcn_dgl.graphs.structure import Structure
    >>> from gomkcn.mining.plots.structure_drawing import draw_structure
    >>> drawing = draw_structure(Structure.parse("triangle"), 44, 36, letters=False)
    >>> column = ProfileColumn("triangle", "", drawing, (0.8,))
    >>> [text.get_text() for text in plot_profile([column], FigureSize()).axes[0].texts]
    ['triangle']
    """
    from matplotlib.patches import Patch

    number = max((len(column.entries) for column in columns), default=1)
    wide = COLUMN
    if len(columns) > _MOST_IN_COLUMN:
        # many bars are as high in one column as in both
        wide = min(max(size.width or PAGE, COLUMN), PAGE)
    axis = size.axis(wide, _PROFILE_HEIGHT)
    room = _Room.of(axis, len(columns))
    if columns and not room.drawn:
        title += "; no room for drawings" if title else "no room for drawings"
    axis.axhline(0, color=_RULE_2, linewidth=0.8, zorder=0)
    share = 0.76 / number
    for side in range(number):
        _plot_entries(axis, columns, side, (side - (number - 1) / 2) * share, share, number)
    axis.set(xlim=(-0.6, len(columns) - 0.4), xticks=[])
    axis.spines[["top", "right", "bottom"]].set_visible(False)
    label = _wrapped(title, room.wide, 3) or " "
    axis.set_xlabel(label, fontsize=_SIZE, labelpad=room.drawn + 2, color=INK)
    handles: list[Any] = [
        Patch(color=MOTIF_COLORS[side], label=name) for side, name in enumerate(names)
    ]
    rows = _legend(axis, [*handles, *line_handles(key)], room.wide)
    # letters of the label and of the legend take room above and below the bars
    high = room.high - room.drawn - _LINE * (1.5 + label.count("\n") + 1.2 * rows)
    axis.set_ylabel(_wrapped(ENTRY, high, 3), fontsize=_SIZE, color=INK)
    axis.tick_params(labelsize=_SIZE)
    axis.locator_params(axis="y", nbins=max(4, int(high / (2 * _LINE))))
    _name_tallest(axis, columns, room.wide, max(high, 2 * _LINE))
    if room.drawn:
        for place, column in enumerate(columns):
            _draw_below(axis, column.drawing, place, room.drawn)
    return size.finish(axis)


class _Room(NamedTuple):
    """Room on an axis, in points: its width and height, and the height of drawings; 0 for none."""

    wide: float
    high: float
    drawn: float

    @classmethod
    def of(cls, axis: Axes, number: int) -> _Room:
        """That of so many bars. A new figure belongs to its axis alone, with labels left of it."""
        figure: Any = axis.get_figure(root=True)
        inches = 72 / figure.dpi
        box = figure.bbox if len(figure.axes) == 1 else axis.bbox
        wide, high = box.width * inches - _LEFT, box.height * inches
        column = 0.92 * wide / max(number, 1)
        drawn = min(column, _WIDE) * DRAWING[1] / DRAWING[0]
        is_seen = column >= _LEAST_DRAWN and high - drawn >= _LEAST_HIGH
        return cls(wide, high, drawn if is_seen else 0.0)


def most_drawn(width: float | None) -> int:
    """The bars whose drawings are seen in a figure of this width in inches; of a page for None.

    >>> most_drawn(3.5), most_drawn(None)
    (15, 24)
    """
    wide = 72 * (width or PAGE) - _LEFT
    return max(1, min(_MOST_OF_PROFILE, int(0.92 * wide / _LEAST_DRAWN)))


def _plot_entries(
    axis: Axes,
    columns: Sequence[ProfileColumn],
    side: int,
    aside: float,
    share: float,
    number: int,
) -> None:
    """The bars of a graph, or rings."""
    entries = [column.entries[side] for column in columns]
    colors = [
        MOTIF_COLORS[side] if number > 1 else INK if column.is_called else _NOT_CALLED
        for column in columns
    ]
    known = [at for at, entry in enumerate(entries) if not math.isnan(entry)]
    axis.bar(
        [at + aside for at in known],
        [entries[at] for at in known],
        0.92 * share,
        color=[colors[at] for at in known],
    )
    rings = [at for at in range(len(columns)) if at not in known]
    axis.scatter(
        [at + aside for at in rings],
        [0.0] * len(rings),
        s=14,
        facecolors="white",
        edgecolors=[colors[at] for at in rings] or INK,
        zorder=3,
    )


def _draw_below(axis: Axes, drawing: str, place: int, high: float) -> None:
    """A drawing below a bar, as wide as its column and so many points high at any size."""
    from matplotlib.transforms import Bbox, TransformedBbox

    below = axis.inset_axes((0, 0, 1, 1))
    draw_svg(below, drawing)
    # the label below has the room of the drawings
    below.set_in_layout(False)

    def locate(*_: Any) -> Any:
        figure: Any = axis.get_figure(root=True)
        points = figure.dpi / 72
        left, right = (axis.transData.transform((place + end, 0.0))[0] for end in (-_HALF, _HALF))
        top = axis.bbox.y0 - points
        box = Bbox([[left, top - high * points], [right, top]])
        return TransformedBbox(box, figure.transFigure.inverted())

    below.set_axes_locator(locate)


def line_handles(key: Sequence[LineOfKey]) -> list[Any]:
    """A line for the legend of each relation that is no bond."""
    from matplotlib.lines import Line2D

    handles = []
    for name, _, line in key:
        if line in BONDS:
            continue
        # as drawings have them, whose lines are 2 pixels wide
        dashes = [float(part) / 2 for part in DASHES.get(line, "").split()]
        look: Any = (0, dashes) if dashes else "solid"
        width = 0.8 if line == ANY else 1.4
        handles.append(Line2D([], [], color=INK, linewidth=width, linestyle=look, label=name))
    return handles


def _legend(axis: Axes, handles: Sequence[Any], wide: float) -> int:
    """A legend above the axis, as wide as there is room; the number of its rows."""
    if not handles:
        return 0
    # a sign and its gaps are as wide as some letters
    most = max(int(wide / (_LETTER * _SIZE)) - 6, 4)
    for handle in handles:
        handle.set_label(_shortened(handle.get_label(), most))
    longest = max(len(handle.get_label()) for handle in handles) + 6
    columns = min(max(1, (most + 6) // longest), len(handles))
    axis.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=columns,
        frameon=False,
        fontsize=_SIZE,
        borderaxespad=0.2,
    )
    return -(-len(handles) // columns)


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _wrapped(text: str, wide: float, most: int) -> str:
    """Lines of letters that fit into so many points, and no more than ``most``."""
    letters = max(int(wide / (_LETTER * _SIZE)), 4)
    return "\n".join(wrap(text, letters, max_lines=most, placeholder=" …"))


def tallest(columns: Sequence[ProfileColumn]) -> tuple[int, float] | None:
    """The place of the structure whose entry is furthest from 0, and the entry; None without any.

    >>> tallest([ProfileColumn("a", "", "", (0.2, -0.5)), ProfileColumn("b", "", "", (0.4, 0.1))])
    (0, -0.5)
    """
    entries = [
        (place, entry)
        for place, column in enumerate(columns)
        for entry in column.entries
        if not math.isnan(entry)
    ]
    return max(entries, key=lambda pair: abs(pair[1]), default=None)


def _name_tallest(axis: Axes, columns: Sequence[ProfileColumn], wide: float, high: float) -> None:
    """The name of the structure whose entry is furthest from 0, beyond the end of its bar.

    Other bars end before it, so it lies over none; the axis, of so many points, gets room for it.
    """
    found = tallest(columns)
    if found is None:
        axis.set_ylim(-1, 1)
        return
    place, entry = found
    # in the half where there is room for the words
    share = (place + 0.5) / len(columns)
    side = "left" if share < 1 / 3 else "right" if share > 2 / 3 else "center"
    room = {"left": 1 - share, "right": share}.get(side, 2 * min(share, 1 - share))
    name = _wrapped(short_name(columns[place].name), _SAFE * room * wide, 2)
    entries = [one for column in columns for one in column.entries if not math.isnan(one)]
    low, top = min(0.0, *entries, 0.0), max(0.0, *entries, 0.0)
    # of the height of the axis, for the lines of the name
    part = min((_LINE * (name.count("\n") + 1) + 6) / high, 0.6)
    beyond = (top - low) * part / (1 - part)
    air = 0.04 * (top - low)
    if entry > 0:
        axis.set_ylim(low - air if low < 0 else 0.0, top + beyond)
    else:
        axis.set_ylim(low - beyond, top + air)
    axis.annotate(
        name,
        (place, entry),
        (0, 3 if entry > 0 else -3),
        textcoords="offset points",
        ha=side,
        va="bottom" if entry > 0 else "top",
        color=INK,
        fontsize=_SIZE,
    )


class TableRow(NamedTuple):
    """A row of a table: the drawing of its structure, and the lines of each cell."""

    drawing: str
    cells: Sequence[Sequence[str]]


def plot_table(
    heads: Sequence[str],
    rows: Sequence[TableRow],
    is_left: Sequence[bool],
    size: FigureSize,
    key: Sequence[LineOfKey] = (),
) -> Figure:
    """A table of structures with their drawings, and the ``key`` of their lines.

    Letters have 8 points: a width that is larger than needed moves the columns apart, and only a
    smaller one, or a height, changes the letters.

    >>> from gomkcn_dgl.graphs.structure import Structure
    >>> from gomkcn.mining.plots.structure_drawing import draw_structure
    >>> row = TableRow(draw_structure(Structure.parse("triangle"), 44, 36), [["triangle"], ["45"]])
    >>> len(plot_table(["Structure", "Count"], [row], [True, False], FigureSize()).axes)
    1
    """
    lines = [[head.split("\n") for head in heads], *(row.cells for row in rows)]
    widths = [
        _LETTER * _SIZE * max((len(line) for row in lines for line in row[at]), default=0)
        for at in range(len(heads))
    ]
    between = _BETWEEN
    if size.width is not None and size.height is None and heads:
        needed = _WIDE + sum(widths) + _BETWEEN * len(heads) + 2
        between += max(72 * size.width - needed, 0.0) / len(heads)
    lefts = [_WIDE + between]
    for width in widths:
        lefts.append(lefts[-1] + width + between)
    head_height = _LINE * max(len(head) for head in lines[0]) + 4
    heights = [max(_DRAWN, _LINE * max(map(len, row.cells)) + 6) for row in rows]
    wide = lefts[-1] - between + 2
    key_lines = _key_lines(key, wide)
    high = head_height + sum(heights) + 1.5 * _LINE * len(key_lines) + 2
    axis = size.axis(wide / 72, high / 72)
    shapes = ""
    top = 0.0
    for number, cells in enumerate(lines):
        height = heights[number - 1] if number else head_height
        for at, cell in enumerate(cells):
            start = top + (height - _LINE * len(cell)) / 2 + _LINE / 2
            x = lefts[at] if is_left[at] else lefts[at] + widths[at]
            anchor = "start" if is_left[at] else "end"
            for line, text in enumerate(cell):
                shapes += _text(text, x, start + _LINE * line, anchor, bold=not number)
        top += height
        look = _RULE if number else _RULE_2
        shapes += (
            f'<path fill="none" stroke="{look}" stroke-width="0.7" d="M0 {top}L{wide} {top}"/>'
        )
        if number:
            # a drawing is as wide as its place
            drawing = rows[number - 1].drawing
            draw_svg(axis, drawing, box=(0.0, top - height + 1, _WIDE, height - 2))
    for entries in key_lines:
        top += 1.5 * _LINE
        for left, (name, kind, dashes) in entries:
            # 44 by 14 pixels
            draw_svg(axis, swatch(kind, dashes), box=(left, top - _LINE, _SWATCH, _LINE))
            shapes += _text(name, left + _SWATCH + 4, top - _LINE / 2, "start", bold=False)
    draw_svg(axis, f'<svg viewBox="0 0 {wide} {high}">{shapes}</svg>', INK_STYLE)
    return size.finish(axis)


def _key_lines(key: Sequence[LineOfKey], wide: float) -> list[list[tuple[float, LineOfKey]]]:
    """The entries of a key in lines of so many points, each with its place in the line."""
    found: list[list[tuple[float, LineOfKey]]] = []
    x = math.inf
    for entry in key:
        needed = _SWATCH + _LETTER * _SIZE * len(entry[0]) + 4
        if x + needed > wide:
            found.append([])
            x = 0.0
        found[-1].append((x, entry))
        x += needed + _BETWEEN
    return found


def _text(text: str, x: float, y: float, anchor: str, *, bold: bool) -> str:
    """A line of a cell."""
    from markupsafe import escape

    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{INK}" text-anchor="{anchor}" '
        f'dominant-baseline="central" font-size="{_SIZE}" font-weight="{700 if bold else 400}">'
        f"{escape(text)}</text>"
    )
