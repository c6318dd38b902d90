"""The figures of a run and of a comparison: which structures they show, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan
from textwrap import wrap
from typing import Any

from gomkcn.mining.motif_sets.motif_set import MotifSet
from gomkcn.mining.patterns.compared_structure import ComparedStructure
from gomkcn.mining.plots.paper_figure import FigureSize, TableRow, plot_profile, plot_table
from gomkcn.mining.plots.profile import DRAWING, ProfileColumn
from gomkcn.mining.plots.structure_drawing import draw_structure
from gomkcn.mining.plots.styles import relation_lines
from gomkcn.mining.structures.graph_summary import RelationSummary
from gomkcn.mining.structures.pattern import NullComparison, Pattern, in_order
from gomkcn.mining.structures.pattern_columns import structure_columns
from gomkcn.mining.structures.table_column import Medium, columns_in
from gomkcn_dgl.checks import check_choice, check_int
from gomkcn_dgl.errors import InputError

FIGURES = ("motifs", "profile", "table")
# bars whose drawings are seen on a page of a journal, and rows of a table that fit on it
_MOST_OF_PROFILE, MOST_ROWS = 24, 20
# letters in a line of a cell
_MOST_LETTERS = 34
Compared = tuple[Pattern, NullComparison]


def profile_order(compared: Sequence[Compared], most: int) -> list[int]:
    """The structures of a profile: those that lie out furthest, by size, edges and structure.

    So profiles of graphs can be compared. What is shown are places of the list.
    """
    largest = sorted(range(len(compared)), key=lambda at: _how_far(compared[at]), reverse=True)

    def order(at: int) -> tuple[int, int, bytes, int]:
        pattern, _ = compared[at]
        return pattern.num_nodes, len(pattern.edges), pattern.key, at

    return sorted(largest[:most], key=order)


def _how_far(row: Compared) -> float:
    """How far a structure lies out: |z|, and where there is none, whether it is called at all."""
    _, result = row
    return abs(result.z) if result.z is not None else inf if result.is_called else 0.0


def plot_run(
    which: str,
    counted: Sequence[Pattern],
    motif_set: MotifSet,
    nulls: Sequence[str],
    relations: Sequence[RelationSummary],
    size: FigureSize,
    *,
    null: str | None,
    most: int | None,
) -> Any:
    """A figure of a run: :meth:`gomkcn.MiningRun.plot` says the rest."""
    check_choice("which", which, FIGURES)
    if which == "motifs":
        return _plot_motifs(motif_set, size, null, most)
    if most is not None:
        check_int("most", most, 1)
    if null is not None:
        check_choice("null", null, nulls)
    name = nulls[0] if null is None and nulls else null or ""
    compared = [
        (pattern, pattern.significance[name]) for pattern in counted if name in pattern.significance
    ]
    if not compared:
        raise InputError(
            "which",
            f"{which!r} shows structures that were compared with random graphs, and this run has "
            "none",
            way_out="mine with a null model",
        )
    lines = relation_lines(relations, [pattern.structure for pattern, _ in compared])
    if which == "profile":
        shown = [compared[at] for at in profile_order(compared, most or _MOST_OF_PROFILE)]
        length = sum((result.z or 0.0) ** 2 for _, result in compared) ** 0.5
        columns = [
            ProfileColumn(
                pattern.name,
                "",
                draw_structure(pattern.structure, *DRAWING, lines=lines, letters=False),
                (nan if result.z is None else result.z / length,),
            )
            for pattern, result in shown
        ]
        return plot_profile(columns, size, called=[result.is_called for _, result in shown])
    rows = in_order((pattern for pattern, _ in compared), name)
    return _plot_structures(rows[: most or MOST_ROWS], name, size, lines)


def _plot_motifs(found: MotifSet, size: FigureSize, null: str | None, most: int | None) -> Any:
    """The motifs of the set, in rows of drawings, which have a size of their own."""
    for name, given in (("ax", size.ax), ("null", null), ("most", most)):
        if given is not None:
            raise InputError(name, "must be left out of the figure of motifs", got=repr(given))
    figure = found.plot()
    size.check()
    wide, high = figure.get_size_inches()
    figure.set_size_inches(size.of(wide, high))
    # letters fit their drawings as before
    for text in figure.findobj(lambda artist: hasattr(artist, "set_fontsize")):
        text.set_fontsize(text.get_fontsize() * figure.get_size_inches()[0] / wide)
    return size.write(figure)


def _plot_structures(rows: Sequence[Pattern], null: str, size: FigureSize, lines: Any) -> Any:
    """The table of some structures, with the columns of the page."""
    columns = columns_in(Medium.PAGE, structure_columns(rows, [null]), rows)
    standing = [
        column for column in columns if column.below is None or not column.below.media & Medium.PAGE
    ]

    def cell(column: Any, row: Pattern) -> list[str]:
        found = [column.text_of(row)]
        for other in columns:
            below = other.below
            if below is not None and below.key == column.key and other not in standing:
                text = other.text_of(row)
                found += [below.label.format(text)] if text else []
        # a long name goes on in the next line
        return [line for text in found for line in wrap(text, _MOST_LETTERS) or [""]]

    return plot_table(
        [column.title for column in standing],
        [
            TableRow(
                draw_structure(row.structure, *DRAWING, lines=lines, letters=False),
                [cell(column, row) for column in standing],
            )
            for row in rows
        ],
        [column.is_left or column.is_name for column in standing],
        size,
    )


def plot_comparison(
    compared: Sequence[ComparedStructure],
    rows: Sequence[int],
    entries: Sequence[tuple[float, float]],
    names: Sequence[str],
    size: FigureSize,
) -> Any:
    """The profiles of two runs: the entries of some rows of the compared structures."""
    of_row = dict(zip(rows, entries, strict=True))
    structures = {row: compared[row].structure for row in rows[:_MOST_OF_PROFILE]}
    lines = relation_lines((), structures.values())
    columns = [
        ProfileColumn(
            compared[row].name,
            "",
            draw_structure(structures[row], *DRAWING, lines=lines, letters=False),
            of_row[row],
        )
        for row in sorted(
            structures, key=lambda row: (len(structures[row].edges), structures[row].key)
        )
    ]
    return plot_profile(columns, size, names=names)
