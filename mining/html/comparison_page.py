"""Two runs side by side as one page without network or script."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from mining.html.comparison_text import (
    NOT_KNOWN,
    RESULTS,
    cells,
    correlation_said,
    family_name,
    head,
    lead,
)
from mining.html.page import render_page
from mining.pattern import LEVEL
from mining.plots.profile import MOST_BARS, draw_profiles
from mining.plots.structure_drawing import draw_structure
from mining.plots.styles import relation_lines
from mining.run_comparison import ComparedStructure, Family, RunComparison, Side

# nothing but the style in the page itself
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_SIGNS = {1: "▲", -1: "▼"}


def render_comparison(found: RunComparison) -> str:
    """Return the page of a comparison of two runs."""
    entries: dict[int, tuple[float, float]] = {}
    for profile in found.profiles:
        both = zip(profile.first.tolist(), profile.second.tolist(), strict=True)
        entries |= dict(zip(profile.rows, both, strict=True))
    lines = relation_lines((), [one.structure for one in found.structures])
    rows = [
        _row(number, one, entries.get(number), lines) for number, one in enumerate(found.structures)
    ]
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
        heads=[head(run, found.null) for run in (found.first, found.second)],
        sources=[run.graph.source for run in (found.first, found.second)],
        lead=lead(found),
        profiles=_profiles(found),
        results=[
            {"title": text[0].upper() + text[1:], "rows": called}
            for signs, text in RESULTS.items()
            if (called := [row for row in rows if row["signs"] == signs])
        ],
        families=families,
        motifs=[row for row in rows if row["copies"] != [NOT_KNOWN, NOT_KNOWN]],
        level=LEVEL,
        warnings=list(dict.fromkeys((*found.first.warnings, *found.second.warnings))),
    )


def _profiles(found: RunComparison) -> list[dict[str, Any]]:
    """The drawing of each family, of the structures with the largest entries."""
    drawn = []
    for profile in found.profiles:
        rows = list(zip(profile.rows, profile.first.tolist(), profile.second.tolist(), strict=True))
        # in an order that is the same for all graphs, by which profiles are compared
        largest = sorted(rows, key=lambda row: -max(abs(row[1]), abs(row[2])))[:MOST_BARS]
        structures = found.structures
        largest.sort(
            key=lambda row: (
                len(structures[row[0]].structure.edges), structures[row[0]].structure.key
            )
        )  # fmt: skip
        drawn.append(
            {
                "name": family_name(profile.family),
                "number": len(rows),
                "shown": len(largest),
                "correlation": correlation_said(profile),
                "svg": draw_profiles(
                    [
                        (structures[row].name, f"#row-{row}", first, second)
                        for row, first, second in largest
                    ]
                ),
            }
        )
    return drawn


def _row(
    number: int,
    one: ComparedStructure,
    entries: tuple[float, float] | None,
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
        "svg": draw_structure(one.structure, 44, 36, lines=lines, letters=False),
        "signs": one.signs,
        "sides": [
            {
                "count": cell["count"],
                "expected": cell["expected"],
                "z": cell["z"],
                "p": cell["adjusted p"],
                "entry": NOT_KNOWN if entries is None else f"{entry:+.2f}".replace("-", "−"),
                "sign": _SIGNS.get(side.sign or 0, "") if side else "",
            }
            for side, cell, entry in zip(sides, shown, entries or (0.0, 0.0), strict=True)
        ],
        "copies": [_copies(side) for side in sides],
    }


def _copies(side: Side | None) -> str:
    return NOT_KNOWN if side is None or side.copies is None else f"{side.copies:,}"
