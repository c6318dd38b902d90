"""Two runs side by side as one page without network; a script saves its figures."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from markupsafe import Markup, escape

from gomkcn.mining.patterns.compared_structure import (
    BOTH,
    ComparedStructure,
    Family,
    comparison_columns,
    copies_columns,
    difference_columns,
    share_text,
    side_columns,
)
from gomkcn.mining.patterns.role_changes import (
    ROLE_COLUMNS,
    RoleChange,
    alone_columns,
    alone_parts,
    roles_sentence,
)
from gomkcn.mining.patterns.run_comparison import RunComparison
from gomkcn.mining.plots.profile import DRAWING, MOST_BARS, PAIR_WIDTH, ProfileColumn, draw_profile
from gomkcn.mining.plots.share_bars import ShareBar, draw_shares
from gomkcn.mining.plots.structure_drawing import draw_structure
from gomkcn.mining.plots.styles import Kind, relation_lines
from gomkcn.mining.show.comparison_text import (
    called_parts,
    called_text,
    correlation_text,
    difference_lead,
    errors_note,
    heads,
    influence_sentences,
    lead,
    number_text,
    results_of,
    warnings,
)
from gomkcn.mining.show.drawn_graph import content_policy, page_script
from gomkcn.mining.show.page import render_page
from gomkcn.mining.show.page_table import PageTable, plain_number
from gomkcn.mining.structures.pattern import LEVEL

# differences and nodes that a page shows; the files have the others
_MOST_DIFFERENCES, _MOST_CHANGED = 30, 20
# of the nodes that one graph alone has, and of the structures whose shares are drawn
_MOST_ALONE, _MOST_BARS = 10, 6
# pixels of a drawing in a sentence, and beside bars
_IN_LINE = (58, 48)
_SCRIPT = "comparison.js"
Row = dict[str, Any]


def render_comparison(found: RunComparison, missing: str = "") -> str:
    """Return the page of a comparison of two runs; ``missing`` says what a partial one lacks."""
    lines = relation_lines((), [compared.structure for compared in found.structures])
    table = PageTable.of(comparison_columns(), found.structures)
    rows = [_row(number, row, table, lines) for number, row in enumerate(found.structures)]
    return render_page(
        "comparison.html.jinja",
        policy=content_policy(_SCRIPT),
        script=Markup(page_script(_SCRIPT)),
        data="",
        found=found,
        heads=heads(found),
        sides=_sides(found, table),
        sources=[run.graph.source for run in (found.first, found.second)],
        missing=missing,
        lead=difference_lead(found),
        answer=_answer(found, lines),
        influences=influence_sentences(found),
        bars=_bars(found, lines),
        errors_note=errors_note(found),
        differences=_differences(found, lines),
        roles=_roles(found),
        random_lead=lead(found),
        profiles=_profiles(found, rows),
        results=[
            {"title": text[0].upper() + text[1:], "rows": called}
            for signs, text in results_of(found).items()
            if (called := [row for row in rows if row["signs"] == signs])
        ],
        table=table,
        families=[
            {"name": family.name, "rows": [rows[number] for number in numbers]}
            for family, numbers in groupby(
                range(len(rows)), key=lambda number: Family.of(found.structures[number].structure)
            )
        ],
        motifs=_motifs(found, lines),
        level=LEVEL,
        warnings=warnings(found),
    )


def _sides(found: RunComparison, table: PageTable[ComparedStructure]) -> list[tuple[str, int]]:
    """The source of each run, and how many columns of the table are below it."""
    runs = (found.first, found.second)
    keys = [{column.key for column in side_columns(which)} for which in BOTH]
    return [
        (run.graph.source, sum(column.key in of_run for column in table.heads))
        for run, of_run in zip(runs, keys, strict=True)
    ]


def _differences(found: RunComparison, lines: dict[Kind, str]) -> dict[str, Any]:
    """The table of differences, the surest first, without those that both have alike."""
    shown = [row for row in found.by_difference if row.sureness > 0][:_MOST_DIFFERENCES]
    table = PageTable.of(difference_columns(), shown)
    rows = [_row(number, row, table, lines) for number, row in enumerate(shown)]
    return {
        "table": table,
        "rows": rows,
        "total": len(found.structures),
        "tested": len(found.tested),
    }


def _roles(found: RunComparison) -> dict[str, Any]:
    """The table of the nodes that changed their roles most."""
    shown = found.roles.rows[:_MOST_CHANGED]
    table = PageTable.of(ROLE_COLUMNS, shown)
    return {
        "said": roles_sentence(found.roles, shown),
        "table": table,
        "rows": _role_rows(table, shown),
        "alone": [
            {
                "said": sentence,
                "table": (of_alone := PageTable.of(alone_columns(), rows)),
                "rows": _role_rows(of_alone, rows),
            }
            for sentence, rows in alone_parts(found.roles, _MOST_ALONE)
        ],
    }


def _role_rows(table: PageTable[RoleChange], rows: Sequence[RoleChange]) -> list[Row]:
    return [
        {"name": ROLE_COLUMNS[0].text_of(row), "cells": table.cells(row, plain_number)}
        for row in rows
    ]


def _answer(found: RunComparison, lines: dict[Kind, str]) -> dict[str, Any]:
    """What random graphs call in one graph alone, with drawings; empty without random graphs."""
    parts = called_parts(found)
    if parts is None:
        return {}
    start, rows, more = parts
    return {
        "start": start,
        "rows": [
            {
                "svg": draw_structure(row.structure, *_IN_LINE, lines=lines, letters=False),
                "name": row.label,
                "text": _whole_changes(called_text(found, row)),
            }
            for row in rows
        ],
        "more": more,
    }


def _whole_changes(text: str) -> Markup:
    """A text, in which no line ends within "7 → 43"."""
    return Markup(re.sub(r"[^ (]+ → [^ ,);]+", r'<span class="nb">\g<0></span>', str(escape(text))))


def _bars(found: RunComparison, lines: dict[Kind, str]) -> list[Row]:
    """The shares of both graphs as bars: what random graphs tell apart, then the surest."""
    apart = [row for row in found.called_apart if row.is_measured]
    surest = [row for row in found.by_difference if row.sureness > 0]
    sure = [row for row in surest if row.is_sure]
    # a row may be among several
    shown = list({row.number: row for row in (*sure, *apart, *surest)}.values())[:_MOST_BARS]
    return [
        {
            "id": f"row-{row.number}",
            "name": row.label,
            "picture": draw_structure(row.structure, *_IN_LINE, lines=lines, letters=False),
            "bars": draw_shares(
                [
                    ShareBar(side.share, side.share_error)
                    for side in (row.first, row.second)
                    if side is not None
                ],
                [f"{share_text(side.share)}" for side in (row.first, row.second) if side],
            ),
        }
        for row in shown
    ]


def _motifs(found: RunComparison, lines: dict[Kind, str]) -> dict[str, Any] | None:
    """The table of the motifs of either run; None without any."""
    motifs = found.in_a_set
    if not motifs:
        return None
    table = PageTable.of(copies_columns(), motifs)
    return {
        "table": table,
        "rows": [_row(number, row, table, lines) for number, row in enumerate(motifs)],
    }


def _profiles(found: RunComparison, rows: list[Row]) -> list[Row]:
    """The drawing of each family, of the structures with the largest entries."""
    drawn = []
    for profile in found.profiles:
        # rows of a family are in the order of their entries
        shown = profile.rows[:MOST_BARS]
        entries = dict(
            zip(
                profile.rows,
                zip(profile.first.tolist(), profile.second.tolist(), strict=True),
                strict=True,
            )
        )
        # in an order that is the same for all graphs, by which profiles are compared
        structures = {row: found.structures[row].structure for row in shown}
        ordered = sorted(shown, key=lambda row: (len(structures[row].edges), structures[row].key))
        drawn.append(
            {
                "number": number_text(profile),
                "total": len(profile.rows),
                "shown": len(shown),
                "has_gaps": not profile.in_both.all(),
                "has_correlation": profile.correlation is not None,
                "correlation": correlation_text(profile),
                "svg": draw_profile(
                    [
                        ProfileColumn(
                            found.structures[row].name,
                            f"#{rows[row]['id']}",
                            rows[row]["svg"],
                            entries[row],
                            _read_out(entries[row]),
                        )
                        for row in ordered
                    ],
                    profile.family.name,
                    PAIR_WIDTH,
                    DRAWING,
                ),
            }
        )
    return drawn


def _read_out(entries: tuple[float, float]) -> str:
    """The entries of a structure in both profiles."""
    first, second = ("no z" if math.isnan(entry) else f"{entry:+.2f}" for entry in entries)
    return f"first {first}, second {second}"


def _row(
    number: int,
    compared: ComparedStructure,
    table: PageTable[ComparedStructure],
    lines: dict[Kind, str],
) -> Row:
    """What the page shows of a structure."""
    name, _, more = compared.label.partition(": ")
    return {
        "id": f"row-{number}",
        "name": name,
        "sub": more,
        # no line ends within an edge
        "edges": [] if compared.has_name else compared.structure.to_text().split(", "),
        "svg": draw_structure(compared.structure, *DRAWING, lines=lines, letters=False),
        "signs": compared.signs,
        "is_sure": compared.is_sure,
        "cells": table.cells(compared, plain_number),
    }
