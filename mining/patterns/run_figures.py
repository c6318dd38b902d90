"""The figures of a run and of a comparison: which structures they show, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from gomkcn.mining.motif_sets.motif_set import MotifSet
from gomkcn.mining.patterns.compared_structure import ComparedStructure
from gomkcn.mining.patterns.run_profile import RunProfile, run_profiles
from gomkcn.mining.plots.paper_figure import (
    FigureSize,
    TableRow,
    most_drawn,
    plot_profile,
    plot_table,
)
from gomkcn.mining.plots.profile import DRAWING, ProfileColumn
from gomkcn.mining.plots.structure_drawing import draw_structure
from gomkcn.mining.plots.styles import Kind, line_key, relation_lines
from gomkcn.mining.structures.pattern import NullComparison, Pattern, in_order
from gomkcn.mining.structures.pattern_columns import structure_columns
from gomkcn.mining.structures.table_column import Medium, columns_in
from gomkcn_dgl.checks import check_choice, check_int
from gomkcn_dgl.errors import InputError

FIGURES = ("motifs", "profile", "table")
# rows of a table that fit on a page of a journal
MOST_ROWS = 20
# letters in a line of a cell
_MOST_LETTERS = 34


def plot_run(
    which: str,
    counted: Sequence[Pattern],
    motif_set: MotifSet,
    nulls: Sequence[str],
    kinds: Sequence[Kind],
    size: FigureSize,
    *,
    null: str | None,
    most: int | None,
    num_nodes: int | None,
    with_kinds: bool,
) -> Any:
    """A figure of a run: :meth:`gomkcn.MiningRun.plot` says the rest."""
    check_choice("which", which, FIGURES)
    if which != "profile":
        for name, given in (("num_nodes", num_nodes), ("with_kinds", with_kinds or None)):
            if given is not None:
                raise InputError(name, f"must be left out of the figure {which!r}", got=repr(given))
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
    lines = relation_lines(kinds, [pattern.structure for pattern, _ in compared])
    if which == "profile":
        profile = _chosen_profile(run_profiles(compared), num_nodes, with_kinds)
        at = profile.shown(compared, most_drawn(size.width) if most is None else most)
        return plot_profile(
            [_column(*compared[place], profile, lines) for place in at],
            size,
            title=profile.title(len(at)),
            key=line_key(lines, [compared[place][0].structure for place in at]),
        )
    rows = in_order((pattern for pattern, _ in compared), name)
    return _plot_structures(rows[: most or MOST_ROWS], name, size, lines)


def _chosen_profile(
    profiles: Sequence[RunProfile], num_nodes: int | None, with_kinds: bool
) -> RunProfile:
    """That of a size, by default the largest; of structures alone, where there are some."""
    if not profiles:
        raise InputError(
            "which",
            "'profile' shows z, and no structure of this run has one",
            way_out="look at the table",
        )
    of_kinds = [profile for profile in profiles if profile.family.has_kinds]
    if with_kinds and not of_kinds:
        raise InputError(
            "with_kinds",
            "must be left out, since this run compared no structures with their kinds",
            got="True",
        )
    alone = [profile for profile in profiles if not profile.family.has_kinds]
    of_size = {
        profile.family.num_nodes: profile
        for profile in reversed(of_kinds if with_kinds or not alone else alone)
    }
    number = max(of_size) if num_nodes is None else num_nodes
    check_choice("num_nodes", str(number), map(str, sorted(of_size)))
    return of_size[number]


def _column(
    pattern: Pattern, result: NullComparison, profile: RunProfile, lines: Any
) -> ProfileColumn:
    """The bar of a structure."""
    drawing = draw_structure(pattern.structure, *DRAWING, lines=lines, letters=False)
    entry = profile.entry(result)
    return ProfileColumn(pattern.name, "", drawing, (entry,), is_called=result.is_called)


def _plot_motifs(found: MotifSet, size: FigureSize, null: str | None, most: int | None) -> Any:
    """The motifs of the set, in rows of drawings, which have a size of their own."""
    for name, given in (("ax", size.ax), ("null", null), ("most", most)):
        if given is not None:
            raise InputError(name, "must be left out of the figure of motifs", got=repr(given))
    return found.plot(size.path, width=size.width, height=size.height)


def _plot_structures(rows: Sequence[Pattern], null: str, size: FigureSize, lines: Any) -> Any:
    """The table of some structures, with the columns of the page."""
    columns = columns_in(Medium.PAGE, structure_columns(rows, [null]), rows)
    standing = [
        column
        for column in columns
        if column.below is None or not column.below.media & Medium.PAGE or column.below.only_narrow
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
        line_key(lines, [row.structure for row in rows]),
    )


def plot_comparison(
    compared: Sequence[ComparedStructure],
    rows: Sequence[int],
    entries: Sequence[tuple[float, float]],
    names: Sequence[str],
    family: str,
    size: FigureSize,
) -> Any:
    """The profiles of two runs: the entries of some rows of the compared structures."""
    of_row = dict(zip(rows, entries, strict=True))
    lines = relation_lines((), [row.structure for row in compared])
    shown = rows[: most_drawn(size.width)]
    structures = {row: compared[row].structure for row in shown}
    more = f"; the {len(shown)} of {len(rows)} structures with the largest |z|"
    title = family + (more if len(shown) < len(rows) else "")
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
    key = line_key(lines, structures.values())
    return plot_profile(columns, size, title=title, names=names, key=key)
