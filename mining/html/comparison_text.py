"""Two runs side by side in a terminal: heads, profiles, and all structures that differ."""

from __future__ import annotations

from gomkcn_dgl.graphs.shapes import count
from gomkcn_dgl.runtime.files import printable
from mining.html.page import expected, signed
from mining.html.text_table import TextTable, paragraphs
from mining.mining_run import MiningRun
from mining.pattern import LEVEL
from mining.run_comparison import (
    ComparedStructure,
    Family,
    Profile,
    RunComparison,
    Side,
    Sign,
)

# rows of the terminal; a file and the page have all
_MOST_ROWS = 40
# structures that a sentence names
_MOST_NAMED = 4
NOT_KNOWN = "-"
# what both tests say, and what a sentence calls it
RESULTS: dict[tuple[Sign, Sign], str] = {
    (1, 1): "over-represented in both",
    (-1, -1): "under-represented in both",
    (1, -1): "over-represented in the first, under-represented in the second",
    (-1, 1): "under-represented in the first, over-represented in the second",
    (1, 0): "over-represented in the first alone",
    (-1, 0): "under-represented in the first alone",
    (0, 1): "over-represented in the second alone",
    (0, -1): "under-represented in the second alone",
}


def head(run: MiningRun, null: str) -> str:
    """What was counted in a run."""
    total = sum(null in one.significance for one in run.counted)
    samples = max((one.significance[null].num_samples for one in run.counted
                   if null in one.significance), default=0)  # fmt: skip
    beside = f" compared with {samples} random graphs ({null})" if total else " counted"
    number = total or len(run.counted)
    graphs = f"{count(run.graph.num_graphs, 'graph')}, " if run.graph.num_graphs > 1 else ""
    return (
        f"{printable(run.graph.source)}: {graphs}{count(run.graph.num_nodes, 'node')}, "
        f"{count(run.graph.num_edges, 'edge')}, {count(number, 'structure')}{beside}"
    )


def family_name(family: Family) -> str:
    """Such as "3 nodes, directed, with kinds"."""
    words = [count(family.num_nodes, "node")]
    words += ["directed"] if family.is_directed else []
    words += ["with kinds"] if family.has_kinds else []
    return ", ".join(words)


def correlation_said(profile: Profile) -> str:
    """The correlation of two profiles, or why there is none."""
    found = profile.correlation
    return "too few" if found is None else f"{found:+.2f}".replace("-", "−")


def result_sentences(found: RunComparison) -> list[str]:
    """Of which structures the tests say the same in both runs, and of which they do not."""
    sentences = []
    for signs, text in RESULTS.items():
        rows = found.with_signs(*signs)
        if rows:
            names = ", ".join(one.name for one in rows[:_MOST_NAMED])
            more = ", …" if len(rows) > _MOST_NAMED else ""
            sentences.append(f"{text[0].upper()}{text[1:]}: {len(rows)} ({names}{more}).")
    return sentences


def lead(found: RunComparison) -> str:
    """The answer in a sentence: how alike the profiles are, and how many structures differ."""
    if not found.null:
        return (
            "The runs have no null model in common, so that counts alone are compared; mine both "
            "with the same --null."
        )
    said = [
        f"{correlation_said(one)} for the {len(one.rows)} structures of {family_name(one.family)}"
        for one in found.profiles
        if one.correlation is not None
    ]
    same = sum(len(found.with_signs(*signs)) for signs in ((1, 1), (-1, -1)))
    differ = sum(len(found.with_signs(*signs)) for signs in RESULTS) - same
    called = (
        f"{count(same, 'structure')} {'is' if same == 1 else 'are'} called alike in both, "
        f"{differ} in one alone or the other way (adjusted p ≤ {LEVEL})"
    )
    if said:
        return f"The profiles correlate by {'; '.join(said)}. {called}."
    if found.profiles:
        return f"{called}."
    return (
        "No structures of the same size and direction were compared with random graphs in both: "
        "read both graphs with the same --directed or --undirected, and mine the same --size."
    )


def cells(side: Side | None) -> dict[str, str]:
    """What a table shows of a structure in one run."""
    result = side.result if side else None
    none_held = side is not None and result is None and side.sign == 0
    return {
        "count": NOT_KNOWN if side is None else side.count.short,
        "expected": " ± ".join(expected(result.mean, result.sd)) if result else
        "0" if none_held else NOT_KNOWN,
        "z": signed(result.z) if result and result.z is not None else NOT_KNOWN,
        "adjusted p": f"{result.p_adjusted:.3f}" if result else NOT_KNOWN,
    }  # fmt: skip


def format_comparison(found: RunComparison) -> str:
    """Two runs and every structure of both, for a terminal; "12 | 15" are those of both."""
    parts = [f"first   {head(found.first, found.null)}\nsecond  {head(found.second, found.null)}"]
    parts.append(lead(found))
    if found.profiles:
        columns = {
            "structures of": [family_name(one.family) for one in found.profiles],
            "number": [str(len(one.rows)) for one in found.profiles],
            "correlation": [correlation_said(one) for one in found.profiles],
        }
        parts.append(str(TextTable(columns, {"structures of"})))
    parts += result_sentences(found)
    rows = found.structures[:_MOST_ROWS]
    if rows:
        columns = {"structure": [one.name for one in rows]}
        names = ("count", "expected", "z", "adjusted p") if found.null else ("count",)
        for name in names:
            columns[name] = [
                f"{cells(one.first)[name]} | {cells(one.second)[name]}" for one in rows
            ]
        parts.append(str(TextTable(columns, {"structure"})))
    if len(found.structures) > len(rows):
        parts.append(
            f"{len(rows)} of {len(found.structures):,} structures; --page and --out have all."
        )
    motifs = found.in_a_set
    if motifs:
        shared = sum(None not in _copies(one) for one in motifs)
        columns = {
            "motif": [one.name for one in motifs],
            "copies": [
                " | ".join(NOT_KNOWN if one is None else f"{one:,}" for one in _copies(row))
                for row in motifs
            ],
        }
        parts.append(f"Motif sets: {shared} of {count(len(motifs), 'motif')} in both.")
        parts.append(str(TextTable(columns, {"motif"})))
    parts += dict.fromkeys((*found.first.warnings, *found.second.warnings))
    return paragraphs(parts)


def _copies(row: ComparedStructure) -> list[int | None]:
    return [None if side is None else side.copies for side in (row.first, row.second)]
