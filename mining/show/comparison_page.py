"""Two runs side by side as one page without network; a script saves its figures."""

from __future__ import annotations

import math
from itertools import groupby
from typing import Any

from markupsafe import Markup

from gomkcn.mining.patterns.compared_structure import (
    BOTH,
    ComparedStructure,
    Family,
    comparison_columns,
    copies_columns,
    difference_columns,
    side_columns,
)
from gomkcn.mining.patterns.role_changes import ROLE_COLUMNS, roles_sentence
from gomkcn.mining.patterns.run_comparison import RunComparison
from gomkcn.mining.plots.profile import DRAWING, MOST_BARS, PAIR_WIDTH, ProfileColumn, draw_profile
from gomkcn.mining.plots.structure_drawing import draw_structure
from gomkcn.mining.plots.styles import Kind, relation_lines
from gomkcn.mining.show.comparison_text import (
    RESULTS,
    correlation_text,
    difference_lead,
    errors_note,
    heads,
    lead,
    number_text,
    warnings,
)
from gomkcn.mining.show.drawn_graph import content_policy, page_script
from gomkcn.mining.show.page import render_page
from gomkcn.mining.show.page_table import PageTable, plain_number
from gomkcn.mining.structures.pattern import LEVEL

# differences and nodes that a page shows; the files have the others
_MOST_DIFFERENCES, _MOST_CHANGED = 30, 20
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
        errors_note=errors_note(found),
        differences=_differences(found, lines),
        roles=_roles(found),
        random_lead=lead(found),
        profiles=_profiles(found, rows),
        results=[
            {"title": text[0].upper() + text[1:], "rows": called}
            for signs, text in RESULTS.items()
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
    return {"table": table, "rows": rows, "total": len(found.structures)}


def _roles(found: RunComparison) -> dict[str, Any]:
    """The table of the nodes that changed their roles most."""
    shown = found.roles.rows[:_MOST_CHANGED]
    table = PageTable.of(ROLE_COLUMNS, shown)
    return {
        "said": roles_sentence(found.roles, shown),
        "table": table,
        "rows": [
            {"name": ROLE_COLUMNS[0].text_of(row), "cells": table.cells(row, plain_number)}
            for row in shown
        ],
    }


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
    name, _, more = compared.name.partition(": ")
    return {
        "id": f"row-{number}",
        "name": name,
        "sub": more,
        "svg": draw_structure(compared.structure, *DRAWING, lines=lines, letters=False),
        "signs": compared.signs,
        "is_sure": compared.is_sure,
        "cells": table.cells(compared, plain_number),
    }
