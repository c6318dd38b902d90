"""Two runs side by side as one page without network or script."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from gomkcn.mining.patterns.run_comparison import ComparedStructure, Family, RunComparison, Side
from gomkcn.mining.plots.profile import DRAWING, MOST_BARS, ProfileColumn, draw_profiles
from gomkcn.mining.plots.structure_drawing import draw_structure
from gomkcn.mining.plots.styles import relation_lines
from gomkcn.mining.show.comparison_text import (
    NOT_KNOWN,
    RESULTS,
    cells,
    correlation_said,
    family_name,
    heads,
    lead,
    number_said,
    warnings,
)
from gomkcn.mining.show.page import render_page
from gomkcn.mining.structures.pattern import LEVEL

# nothing but the style in the page itself
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_SIGNS = {1: "▲", -1: "▼"}


def render_comparison(found: RunComparison) -> str:
    """Return the page of a comparison of two runs."""
    lines = relation_lines((), [one.structure for one in found.structures])
    rows = [_row(number, one, lines) for number, one in enumerate(found.structures)]
    families = [
        {"name": family_name(family), "rows": [rows[number] for number in numbers]}
        for family, numbers in groupby(
            range(len(rows)), key=lambda number: Family.of(found.structures[number].structure)
        )
    ]
    return render_page(
        "comparison.html.jinja",
        policy=_POLICY,
        script="",
        data="",
        found=found,
        heads=heads(found),
        sources=[run.graph.source for run in (found.first, found.second)],
        lead=lead(found),
        profiles=_profiles(found, rows),
        results=[
            {"title": text[0].upper() + text[1:], "rows": called}
            for signs, text in RESULTS.items()
            if (called := [row for row in rows if row["signs"] == signs])
        ],
        families=families,
        motifs=[row for row in rows if row["copies"] != [NOT_KNOWN, NOT_KNOWN]],
        level=LEVEL,
        warnings=warnings(found),
    )


def _profiles(found: RunComparison, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
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
                "number": number_said(profile),
                "total": len(profile.rows),
                "shown": len(shown),
                "has_gaps": not profile.in_both.all(),
                "has_correlation": profile.correlation is not None,
                "correlation": correlation_said(profile),
                "svg": draw_profiles(
                    [
                        ProfileColumn(
                            found.structures[row].name,
                            f"#{rows[row]['id']}",
                            rows[row]["svg"],
                            entries[row],
                        )
                        for row in ordered
                    ]
                ),
            }
        )
    return drawn


def _row(
    number: int,
    one: ComparedStructure,
    lines: dict[tuple[str, bool], str],
) -> dict[str, Any]:
    """What the page shows of a structure."""
    (name, _, more) = one.name.partition(": ")
    sides = (one.first, one.second)
    shown = [cells(side) for side in sides]
    return {
        "id": f"row-{number}",
        "name": name,
        "sub": more,
        "svg": draw_structure(one.structure, *DRAWING, lines=lines, letters=False),
        "signs": one.signs,
        "sides": [
            {
                "count": cell["count"],
                "expected": cell["expected"],
                "z": cell["z"],
                "p": cell["adjusted p"],
                "entry": cell["profile"],
                "sign": _SIGNS.get(side.sign or 0, "") if side else "",
            }
            for side, cell in zip(sides, shown, strict=True)
        ],
        "copies": [_copies(side) for side in sides],
    }


def _copies(side: Side | None) -> str:
    return NOT_KNOWN if side is None or side.copies is None else f"{side.copies:,}"
