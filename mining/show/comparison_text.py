"""Two runs side by side in a terminal: heads, profiles, and all structures that differ."""

from __future__ import annotations

import math
from itertools import groupby

import numpy as np

from gomkcn.mining.patterns.run_comparison import (
    ComparedStructure,
    Family,
    Profile,
    RunComparison,
    Side,
    Sign,
)
from gomkcn.mining.show.page import expected, signed
from gomkcn.mining.show.text_table import TextTable, paragraphs
from gomkcn.mining.structures.pattern import LEVEL
from gomkcn_dgl.graphs.shapes import count
from gomkcn_dgl.runtime.files import printable

# rows of a family in the terminal, all directed structures of 3 nodes; a file and the page have all
_MOST_ROWS = 13
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


def heads(found: RunComparison) -> list[str]:
    """What was counted in each of the runs."""
    said = []
    for which, run in (("first", found.first), ("second", found.second)):
        sides: list[Side | None] = [getattr(one, which) for one in found.structures]
        results = [side.result for side in sides if side and side.result]
        what = f"{count(sum(side is not None for side in sides), 'structure')} counted"
        if results:
            samples = max(one.num_samples for one in results)
            what = (
                f"{count(len(results), 'structure')} compared with {samples} random graphs "
                f"({found.null})"
            )
        graphs = f"{count(run.graph.num_graphs, 'graph')}, " if run.graph.num_graphs > 1 else ""
        said.append(
            f"{printable(run.graph.source)}: {graphs}{count(run.graph.num_nodes, 'node')}, "
            f"{count(run.graph.num_edges, 'edge')}, {what}"
        )
    return said


def warnings(found: RunComparison) -> list[str]:
    """What the comparisons with random graphs do not tell, and of which graph."""
    return [
        f"{which}, {printable(run.graph.source)}: {warning}"
        for which, run in (("First", found.first), ("Second", found.second))
        for warning in run.warnings
    ]


def family_name(family: Family) -> str:
    """Such as "3 nodes, directed, with kinds"."""
    words = [count(family.num_nodes, "node")]
    words += ["directed"] if family.is_directed else []
    words += ["with kinds"] if family.has_kinds else []
    return ", ".join(words)


def number_said(profile: Profile) -> str:
    """Such as "5 of the 13 structures of 3 nodes, directed": those with z in both graphs."""
    number, total = int(np.sum(profile.in_both)), len(profile.rows)
    share = f"all {total}" if number == total else f"{number} of the {total}"
    return f"{share} structures of {family_name(profile.family)}"


def correlation_said(profile: Profile) -> str:
    """The correlation of two profiles, or why there is none."""
    found = profile.correlation
    return "none" if found is None else f"{found:+.2f}".replace("-", "−")


def result_sentences(found: RunComparison) -> list[str]:
    """Of which structures the tests say the same in both runs, and of which they do not."""
    sentences = []
    for signs, text in RESULTS.items():
        rows = found.with_signs(*signs)
        if rows:
            # a name may hold commas
            names = "; ".join(one.name for one in rows[:_MOST_NAMED])
            more = "; …" if len(rows) > _MOST_NAMED else ""
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
        f"{correlation_said(one)} over {number_said(one)}"
        for one in found.profiles
        if one.correlation is not None
    ]
    same = sum(len(found.with_signs(*signs)) for signs in ((1, 1), (-1, -1)))
    differ = sum(len(found.with_signs(*signs)) for signs in RESULTS) - same
    called = (
        f"{count(same, 'structure')} {'is' if same == 1 else 'are'} called alike in both, "
        f"{differ} in one alone or the other way (adjusted p ≤ {LEVEL})"
    )
    follow = len(found.that_follow)
    if follow:
        # structures that are called alike are no findings where one count gives the other
        called += (
            f". {follow} of these {'has' if follow == 1 else 'have'} 3 nodes and a pair that is "
            "not joined: with fixed degrees, the counts of such structures follow from those of "
            "the others of 3 nodes"
        )
    if said:
        return f"The profiles correlate by {'; '.join(said)}, where both graphs have z. {called}."
    if found.profiles:
        return f"{called}."
    return (
        "No structures of the same size and direction were compared with random graphs in both: "
        "read both graphs with the same --directed or --no-directed, and mine "
        "the same --pattern-size."
    )


def cells(side: Side | None) -> dict[str, str]:
    """What a table shows of a structure in one run."""
    result = side.result if side else None
    entry = math.nan if side is None else side.entry
    return {
        "count": NOT_KNOWN if side is None else side.count.short,
        "expected": " ± ".join(expected(result.mean, result.sd)) if result else NOT_KNOWN,
        "z": signed(result.z) if result and result.z is not None else NOT_KNOWN,
        "adjusted p": f"{result.p_adjusted:.3f}" if result else NOT_KNOWN,
        "profile": NOT_KNOWN if math.isnan(entry) else f"{entry:+.2f}".replace("-", "−"),
    }


def format_comparison(found: RunComparison) -> str:
    """Two runs and the structures of both, for a terminal, each size by itself."""
    first, second = heads(found)
    parts = [f"first   {first}\nsecond  {second}", lead(found)]
    if found.profiles:
        columns = {
            "structures of": [family_name(one.family) for one in found.profiles],
            "number": [str(len(one.rows)) for one in found.profiles],
            "z in both": [str(np.sum(one.in_both)) for one in found.profiles],
            "correlation": [correlation_said(one) for one in found.profiles],
        }
        parts.append(str(TextTable(columns, {"structures of"})))
    parts += result_sentences(found)
    for family, members in groupby(found.structures, lambda one: Family.of(one.structure)):
        parts += _family_parts(family, list(members), bool(found.null))
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
    parts += warnings(found)
    return paragraphs(parts)


def _family_parts(family: Family, members: list[ComparedStructure], is_compared: bool) -> list[str]:
    """A heading and a table; of each structure the numbers of the first graph over the second."""
    rows = members[:_MOST_ROWS]
    name = family_name(family)
    heading = f"{name[0].upper()}{name[1:]}: {count(len(members), 'structure')}"
    if len(rows) < len(members):
        heading += f"; the {len(rows)} with the largest entries, --page and --out have all"
    columns: dict[str, list[str | tuple[str, ...]]] = {
        "structure": [one.name for one in rows],
        "graph": [("first", "second") for _ in rows],
    }
    titles = ("count", "expected", "z", "adjusted p", "profile") if is_compared else ("count",)
    for title in titles:
        columns[title] = [(cells(one.first)[title], cells(one.second)[title]) for one in rows]
    return [f"{heading}.", str(TextTable(columns, {"structure", "graph"}))]


def _copies(row: ComparedStructure) -> list[int | None]:
    return [None if side is None else side.copies for side in (row.first, row.second)]
