"""Step 6: a run → a table for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from gomkcn_dgl.runtime.file_names import visible
from mining.assessment.evaluation import MotifRecovery
from mining.html.report_words import brief_words
from mining.html.summary import partial_sentence
from mining.records.pattern import Pattern
from mining.runs.mining_run import MiningRun

_TABLE_WIDTH = 100


def format_table(run: MiningRun) -> str:
    """Lay out the patterns, and the planted motifs where they are known, for a terminal.

    Parameters
    ----------
    run : MiningRun

    Returns
    -------
    str
        Lines of at most 100 characters.
    """
    nulls = list(run.patterns[0].significance) if run.patterns else []
    header = ["pattern", "what", "distinct", "assigned"]
    header += [f"{letter} {null}" for null in nulls for letter in "zq"]
    runs = list(dict.fromkeys(name for pattern in run.patterns for name in pattern.stability))
    header += runs
    rows = [
        [
            str(pattern.id),
            brief_words(pattern),
            str(pattern.frequency.distinct),
            str(pattern.frequency.assigned),
            *_judgements(pattern),
            *(_share_of_runs(pattern, name) for name in runs),
        ]
        for pattern in run.patterns
    ]
    partial = f"\n\n{partial_sentence(run)}" if run.is_partial else ""
    if run.recovery is None:
        return align_columns(header, rows, left={1}) + partial
    header.append("planted")
    for row, pattern in zip(rows, run.patterns, strict=True):
        motifs = [f"{m.name} × {m.copies}" for m in planted_as(pattern, run.recovery)]
        row.append(", ".join(motifs) or "-")
    planted = [[motif.name, str(motif.copies), _fate(motif)] for motif in run.recovery]
    truth = align_columns(["planted motif", "copies", "recovered"], planted, left={0, 2})
    return align_columns(header, rows, left={1, len(header) - 1}) + "\n\n" + truth + partial


def planted_as(pattern: Pattern, recovery: Sequence[MotifRecovery] | None) -> list[MotifRecovery]:
    """The planted motifs that a pattern is."""
    return [motif for motif in recovery or [] if pattern.id in motif.pattern_ids]


def _judgements(pattern: Pattern) -> list[str]:
    """List z and q of each null model that was asked for."""
    return [
        text
        for entry in pattern.significance.values()
        for text in (f"{entry.z:.1f}", f"{entry.q:.3f}")
    ]


def _share_of_runs(pattern: Pattern, name: str) -> str:
    entry = pattern.stability.get(name)
    return "-" if entry is None else f"{entry.returned}/{entry.runs}"


def _fate(motif: MotifRecovery) -> str:
    if not motif.recovered:
        return "no"
    noun = "pattern" if len(motif.pattern_ids) == 1 else "patterns"
    numbers = ", ".join(map(str, motif.pattern_ids))
    return f"yes ({noun} {numbers}, planted copies found {motif.planted_found}/{motif.copies})"


def align_columns(header: list[str], rows: list[list[str]], left: set[int]) -> str:
    """Align columns, cutting the widest text until a line has at most 100 characters."""
    # a name may hold line breaks or terminal codes
    table = [[visible(cell) for cell in row] for row in rows]
    table.insert(0, header)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    gaps = 2 * (len(widths) - 1)
    excess = sum(widths) + gaps - _TABLE_WIDTH
    while excess > 0:
        widest = max(left, key=lambda column: widths[column])
        others = [widths[column] for column in left if column != widest]
        cut = min(excess, max(1, widths[widest] - max(others, default=0)))
        widths[widest] -= cut
        excess -= cut
    lines = []
    for row in table:
        cells = [_cut(cell, width) for cell, width in zip(row, widths, strict=True)]
        padded = [
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
