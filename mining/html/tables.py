"""A run in one sentence and in tables, the same for the terminal and for the page."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from math import isfinite
from textwrap import fill, wrap

from gomkcn_dgl.graphs.shapes import count, describe_shapes, tell_apart
from gomkcn_dgl.runtime.files import printable, visible
from mining.mining_run import MiningRun, RunComparison
from mining.motif_sets.motif_set import MotifSet, summary
from mining.pattern import LESS, LEVEL, MORE, NullComparison, Pattern
from mining.truth import MotifRecovery

# characters in a line of a cell, and lines
_LINE, _MOST_LINES = 60, 6
# of a line of prose in a terminal
_WIDTH = 100
_COUNTS = ("occurrences", "disjoint", "roots", "assigned")
# a pattern of each run; None where a run does not have it
_Pair = tuple[Pattern | None, Pattern | None]


@dataclass(frozen=True)
class Table:
    """Cells of text by column; ``left`` names the columns that are aligned to the left."""

    columns: Mapping[str, Sequence[str]]
    left: Collection[str]

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The cells by row."""
        return list(zip(*self.columns.values(), strict=True))

    def __str__(self) -> str:
        """Align the columns for a terminal; long cells take several lines."""
        aligned = []
        for title, cells in self.columns.items():
            # a name of the data may hold line breaks or terminal codes
            texts = [[title], *(_wrap(visible(cell)) for cell in cells)]
            width = max(len(line) for lines in texts for line in lines)
            pad = str.ljust if title in self.left else str.rjust
            aligned.append([[pad(line, width) for line in lines] for lines in texts])
        return "\n".join(
            "  ".join(line).rstrip()
            for row in zip(*aligned, strict=True)
            for line in zip_longest(*row, fillvalue="")
        )


def _wrap(text: str) -> list[str]:
    return wrap(text, _LINE, max_lines=_MOST_LINES, placeholder=" …") or [""]


def motif_table(motif_set: MotifSet, recovery: Sequence[MotifRecovery] | None = None) -> Table:
    """One row per motif: its name, nodes, copies, bits, and of which other it is a variant."""
    motifs = motif_set.motifs
    parts = [one.motif for one in motifs if one.motif is not None]
    columns = {
        "motif": [str(number) for number in range(len(motifs))],
        "what": _names(motifs),
        "nodes": [str(one.num_nodes) for one in motifs],
        "copies": [f"{one.num_copies:,}" for one in parts],
        "bits": [f"{one.bits:,.0f}" for one in parts],
    }
    if motif_set.num_starts > 1:
        columns["found in"] = [f"{one.found_in} of {motif_set.num_starts}" for one in parts]
    if motif_set.near:
        leader = {number: group[0] for group in motif_set.near for number in group[1:]}
        columns["variant of"] = [str(leader.get(number, "-")) for number in range(len(motifs))]
    if recovery is not None:
        columns["planted"] = [_planted(one, recovery) for one in motifs]
    return Table(columns, {"what", "planted"})


def motif_sentences(motif_set: MotifSet) -> list[str]:
    """What the graph is made of, and what to know of the numbers beside it."""
    said = [summary(motif_set)]
    if motif_set.motifs:
        said[0] += (
            " “Bits” is what the description grows by without the motif, and nothing in its place: "
            "these numbers do not add up to the total."
        )
    other = motif_set.other
    if other is not None and other.motifs and not motif_set.motifs:
        said.append(
            f"Given {other.given_what} alone, {count(len(other.motifs), 'motif')} would save "
            f"{other.bits_saved:,.0f} of {other.bits_base:,.0f} bits."
        )
    for name, bits in motif_set.given.items():
        misses = f"misses the set by {bits:,.1f} bits" if isfinite(bits) else "has too few copies"
        said.append(f"Asked for: {name} {misses if bits else 'is in the set'}.")
    if motif_set.not_used:
        said.append(f"Not used: {'; '.join(motif_set.not_used)}.")
    if not motif_set.complete:
        said.append(motif_set.cut)
    return said


def pattern_table(run: MiningRun) -> Table:
    """One row per pattern: description, counts, z and verdicts, planted motifs."""
    patterns = run.patterns
    columns = {
        "pattern": [str(pattern.id) for pattern in patterns],
        "what": _names(patterns),
        "occurrences": [str(pattern.frequency.occurrences) for pattern in patterns],
    }
    if run.graph.num_graphs > 1:
        columns["graphs"] = [str(pattern.frequency.graphs) for pattern in patterns]
    columns |= _verdict_columns(patterns)
    if run.recovery is not None:
        columns["planted"] = [_planted(one, run.recovery) for one in patterns]
    return Table(columns, {"what", "planted"})


def others_table(run: MiningRun) -> Table:
    """One row per structure that was counted and is not among the patterns."""
    others = run.others
    columns = {
        "what": _names(others),
        "nodes": [str(one.num_nodes) for one in others],
        "occurrences": [str(one.frequency.occurrences) for one in others],
        **_verdict_columns(others),
    }
    columns["edges"] = [one.structure.to_text() for one in others]
    return Table(columns, {"what", "edges"})


def _names(patterns: Sequence[Pattern]) -> list[str]:
    return tell_apart([one.name for one in patterns], [one.structure for one in patterns])


def _verdict_columns(counted: Sequence[Pattern]) -> dict[str, list[str]]:
    """What random graphs have, how far off, how sure, in words; "-" where nothing was compared.

    The name of the null model stands beside each where there are several.
    """
    columns: dict[str, list[str]] = {}
    nulls = list(dict.fromkeys(null for one in counted for null in one.significance))
    for null in nulls:
        found = [one.significance.get(null) for one in counted]
        of_null = f" ({null})" if len(nulls) > 1 else ""
        for title, text in _VERDICT_TEXTS.items():
            columns[title + of_null] = ["-" if one is None else text(one) for one in found]
    return columns


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


_VERDICT_TEXTS: dict[str, Callable[[NullComparison], str]] = {
    "expected": lambda one: f"{_number(one.mean)} ± {_number(one.sd)}",
    "z": lambda one: "-" if one.z is None else f"{one.z:.1f}",
    "adjusted p": lambda one: f"{one.p_adjusted:.3g}",
    "result": lambda one: one.verdict,
}


def class_table(run: MiningRun) -> Table:
    """One row per structure whose share of graphs differs between classes, the surest first."""
    both = [(one, one.classes) for one in (*run.patterns, *run.others) if one.classes is not None]
    rows = [
        (pattern, difference, difference.strongest)
        for pattern, difference in both
        if difference.p_adjusted <= LEVEL
    ]
    rows.sort(key=lambda row: (row[1].p_adjusted, -row[2].strength, -row[0].num_nodes))
    columns = {
        "pattern": ["-" if one.id < 0 else str(one.id) for one, *_ in rows],
        "what": _names([one for one, *_ in rows]),
        "class": [contrast.name for *_, contrast in rows],
        "graphs of it": [f"{one.containing} of {one.num_graphs}" for *_, one in rows],
        "others": [f"{one.others_containing} of {one.num_others}" for *_, one in rows],
        "odds ratio": [
            f"{one.odds_ratio:.3g} ({one.low:.3g} to {one.high:.3g})" for *_, one in rows
        ],
        "adjusted p": [f"{difference.p_adjusted:.3g}" for _, difference, _ in rows],
        "edges": [one.structure.to_text() for one, *_ in rows],
    }
    return Table(columns, {"what", "class", "edges"})


def _planted(pattern: Pattern, recovery: Sequence[MotifRecovery]) -> str:
    motifs = planted_as(pattern, recovery)
    return ", ".join(f"{motif.name} × {motif.copies}" for motif in motifs) or "-"


def planted_as(pattern: Pattern, recovery: Sequence[MotifRecovery]) -> list[MotifRecovery]:
    """The planted motifs that a pattern recovers."""
    return [motif for motif in recovery if pattern.id in motif.pattern_ids]


def recovery_table(recovery: Sequence[MotifRecovery]) -> Table:
    """One row per planted motif."""
    columns = {
        "planted motif": [motif.name for motif in recovery],
        "copies": [str(motif.copies) for motif in recovery],
        "recovered": [_describe_recovery(motif) for motif in recovery],
    }
    return Table(columns, {"planted motif", "recovered"})


def _describe_recovery(motif: MotifRecovery) -> str:
    if not motif.recovered:
        return "no"
    ids = ", ".join(map(str, motif.pattern_ids))
    noun = "pattern" if len(motif.pattern_ids) == 1 else "patterns"
    return f"yes ({noun} {ids}, planted copies found {motif.planted_found}/{motif.copies})"


def comparison_table(comparison: RunComparison) -> Table:
    """One row per structure; "12 | 15" are counts of the first and of the second run."""
    pairs: list[_Pair] = [
        *comparison.shared,
        *((pattern, None) for pattern in comparison.only_first),
        *((None, pattern) for pattern in comparison.only_second),
    ]
    columns = {
        "patterns": [_both(pair, lambda pattern: str(pattern.id)) for pair in pairs],
        "shape": describe_shapes([one.structure for pair in pairs if (one := pair[0] or pair[1])]),
        **{name: [_both(pair, partial(_count_text, name)) for pair in pairs] for name in _COUNTS},
    }
    return Table(columns, {"shape"})


def _both(pair: _Pair, text: Callable[[Pattern], str]) -> str:
    return " | ".join("-" if pattern is None else text(pattern) for pattern in pair)


def _count_text(name: str, pattern: Pattern) -> str:
    number = getattr(pattern.frequency, name)
    if number is None:
        return "-"
    return number.short if name == "occurrences" else str(number)


def format_run(run: MiningRun) -> str:
    """The motif set, the patterns, and the planted motifs where they are known, for a terminal."""
    sentences = motif_sentences(run.motif_set)
    parts = [fill(visible(one), _WIDTH) for one in sentences]
    if run.motif_set.motifs:
        parts.insert(1, str(motif_table(run.motif_set, run.recovery)))
    parts += [str(pattern_table(run)) if run.patterns else nothing_sentence(run)]
    parts += [fill(one, _WIDTH) for one in run.warnings]
    if any(one.classes for one in (*run.patterns, *run.others)):
        parts.append(classes_sentence(run))
        parts += [str(class_table(run))] if class_table(run).rows else []
    if run.recovery is not None:
        parts.append(str(recovery_table(run.recovery)))
    if run.is_partial:
        parts.append(partial_sentence())
    return "\n\n".join(parts)


def format_comparison(comparison: RunComparison) -> str:
    """Two runs and the patterns that they share, for a terminal."""
    runs = {"first": comparison.first, "second": comparison.second}
    head = [
        f"{name:<7} {printable(run.graph.source)}: {count(run.graph.num_nodes, 'node')}, "
        f"{count(len(run.patterns), 'pattern')}"
        for name, run in runs.items()
    ]
    total = max(len(run.patterns) for run in runs.values())
    foot = f"{len(comparison.shared)} of {total} patterns in both runs"
    table = [str(comparison_table(comparison))] if total else []
    return "\n\n".join(["\n".join(head), *table, foot])


def summary_sentence(run: MiningRun) -> str:
    """Say how many patterns there are, how frequent they are and whether they are expected."""
    graph, patterns = run.graph, run.patterns
    where = f"a graph of {count(graph.num_nodes, 'node')}"
    if graph.num_graphs > 1:
        where = f"{graph.num_graphs:,} graphs with {count(graph.num_nodes, 'node')} in all"
    parts = [f"{count(len(patterns), 'pattern')} in {where}"]
    if patterns:
        top = max(patterns, key=lambda pattern: pattern.frequency.count)
        occurrences, noun = top.frequency.occurrences, "occurrence"
        noun += "s" * (occurrences.value != 1)
        parts.append(f"the most frequent has {occurrences} {noun} ({top.name})")
        for null in dict.fromkeys(null for one in patterns for null in one.significance):
            parts.append(verdict_sentence(patterns, null, is_only=False).rstrip("."))
    if run.recovery:
        recovered = sum(motif.recovered for motif in run.recovery)
        parts.append(f"{recovered} of {count(len(run.recovery), 'planted motif')} recovered")
    sentence = "; ".join(parts) + "."
    return f"{sentence} {partial_sentence()}" if run.is_partial else sentence


def verdict_sentence(patterns: Sequence[Pattern], null: str, *, is_only: bool) -> str:
    """Say how many patterns differ from the random graphs of a null model, and which way."""
    verdicts = [one.significance[null].verdict for one in patterns if null in one.significance]
    beside = "random graphs" if is_only else f"random graphs of the model “{null}”"
    more, less = verdicts.count(MORE), verdicts.count(LESS)
    verb = "occurs" if more == 1 else "occur"
    return (
        f"{more or 'None'} of {len(verdicts)} that were compared {verb} more often than in "
        f"{beside}, {less or 'none'} less often (adjusted p at most {LEVEL})."
    )


def nothing_sentence(run: MiningRun) -> str:
    """Say that there are no patterns, and what was counted."""
    if not run.others:
        return "No patterns were found."
    counted = count(len(run.others), "structure")
    if not run.null_models:
        return f"No patterns were found; {counted} were counted, which the page lists."
    return (
        f"No patterns: {counted} were counted, and none differs from random graphs (adjusted p at "
        f"most {LEVEL}). The page lists them."
    )


def classes_sentence(run: MiningRun) -> str:
    """Say how many structures differ between the classes of the graphs."""
    number = len(class_table(run).rows)
    total = len(run.patterns) + len(run.others)
    verb = "is" if number < 2 else "are"
    return (
        f"{number or 'None'} of {count(total, 'structure')} {verb} in more graphs of one class "
        f"than of the others (adjusted p at most {LEVEL})."
    )


def partial_sentence() -> str:
    """Say what a run that the time limit ended has left out."""
    return (
        "Partial: the time limit was reached, so filters may be learnt less well, and null-model "
        "graphs may be missing; --resume continues the run."
    )
