"""A run in the terminal: filters, the motif set, what random graphs do not have, classes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isfinite

from gomkcn_dgl.graphs.shapes import count
from mining.html.filters_text import filters_sentence, filters_table
from mining.html.page import expected, signed
from mining.html.text_table import TextTable, paragraphs
from mining.mining_run import MiningRun
from mining.motif_sets.motif_set import MotifSet, summary
from mining.pattern import LESS, LEVEL, MORE, ClassDifference, MotifPart, Pattern
from mining.truth import MotifRecovery

# beside copies of which some are not exact
EDITS_NOTE = (
    "Exact copies have all edges of their motif and no others; each other copy lacks edges or has "
    "more."
)
# rows of called structures, and of classes
_MOST_ROWS = 12


def shown_set(found: MotifSet) -> tuple[MotifSet, tuple[str, ...]]:
    """The set whose motifs are shown, and its path in the record.

    That of the other base where the first one has no motif and the other one has some.
    """
    if not found.motifs and found.other is not None and found.other.motifs:
        return found.other, ("motif_set", "other")
    return found, ("motif_set",)


def other_sentence(shown: MotifSet) -> str:
    """What the set given the other base saves, above its motifs."""
    return (
        f"Given {shown.given_what} alone, {count(len(shown), 'motif')} would save "
        f"{shown.bits_saved:,.0f} of {shown.bits_base:,.0f} bits:"
    )


def unused(found: MotifSet) -> str:
    """What the description of the motif set leaves out, such as "58 self-loops"."""
    return "; ".join(re.sub("^(dropped|merged) ", "", text) for text in found.not_used)


def called(pattern: Pattern, null: str) -> str:
    """The result of the comparison with a null model; empty where there was none."""
    result = pattern.significance.get(null)
    return "" if result is None else result.verdict


def planted_as(pattern: Pattern, recovery: Sequence[MotifRecovery] | None) -> str:
    """The names of the planted motifs that a pattern recovers."""
    return ", ".join(motif.name for motif in recovery or () if pattern.id in motif.pattern_ids)


def leaders(found: MotifSet) -> dict[int, int]:
    """The motif that each near variant is a variant of, by their numbers."""
    return {number: group[0] for group in found.near for number in group[1:]}


def has_edits(found: MotifSet) -> bool:
    """Whether a copy differs from its motif."""
    return any(one.motif is not None and len(one.motif.edits) for one in found)


def copies_said(part: MotifPart) -> str:
    """The number of copies, and of those that are exact where some are not."""
    exact = f" ({part.copies_exact:,} exact)" if len(part.edits) else ""
    return f"{part.num_copies:,}{exact}"


def motif_table(found: MotifSet, recovery: Sequence[MotifRecovery] | None = None) -> TextTable:
    """One row per motif: its name, nodes, copies, bits, and of which other it is a variant."""
    parts = [one.motif for one in found if one.motif is not None]
    columns = {
        "motif": [str(number) for number in range(len(found))],
        "structure": [one.name for one in found],
        "nodes": [str(one.num_nodes) for one in found],
        "copies": [copies_said(one) for one in parts],
        "bits": [f"{one.share:,.0f}" for one in parts],
    }
    if found.near:
        leader = leaders(found)
        columns["variant of"] = [str(leader.get(number, "-")) for number in range(len(found))]
    if recovery is not None:
        columns["planted"] = [planted_as(one, recovery) or "-" for one in found]
    return TextTable(columns, {"structure", "planted"})


def called_table(run: MiningRun, null: str) -> TextTable:
    """One row per structure that random graphs have clearly more or fewer of."""
    rows = [one for one in run.patterns if called(one, null) in (MORE, LESS)][:_MOST_ROWS]
    results = [one.significance[null] for one in rows]
    columns = {
        "structure": [one.name for one in rows],
        "count": [str(one.frequency.occurrences) for one in rows],
        "expected": [" ± ".join(expected(one.mean, one.sd)) for one in results],
        "z": ["-" if one.z is None else signed(one.z) for one in results],
        "adjusted p": [f"{one.p_adjusted:.3f}" for one in results],
    }
    if run.motif_set.motifs:
        # of the listed occurrences, those inside copies of the set
        columns["inside"] = [
            f"{sum(one.inside) / len(one.occurrences):.0%}" if len(one.occurrences) else "-"
            for one in rows
        ]
    return TextTable(columns, {"structure"})


def differing(run: MiningRun) -> list[tuple[Pattern, ClassDifference]]:
    """The structures that differ between the classes of the graphs, the surest first."""
    rows = [
        (one, own)
        for one in run.counted
        if (own := one.classes) is not None and own.p_adjusted <= LEVEL
    ]
    return sorted(
        rows, key=lambda row: (row[1].p_adjusted, -row[1].strongest.strength, -row[0].num_nodes)
    )


def class_table(run: MiningRun) -> TextTable:
    """One row per structure whose share of graphs differs between classes, the surest first."""
    rows = differing(run)[:_MOST_ROWS]
    strongest = [own.strongest for _, own in rows]
    columns = {
        "structure": [one.name for one, _ in rows],
        "class": [best.name for best in strongest],
        "graphs of it": [f"{best.containing} of {best.num_graphs}" for best in strongest],
        "others": [f"{best.others_containing} of {best.num_others}" for best in strongest],
        "odds ratio": [f"{best.odds_ratio:.3g}" for best in strongest],
        "adjusted p": [f"{own.p_adjusted:.3g}" for _, own in rows],
    }
    return TextTable(columns, {"structure", "class"})


def recovery_table(recovery: Sequence[MotifRecovery]) -> TextTable:
    """One row per planted motif."""
    columns = {
        "planted motif": [motif.name for motif in recovery],
        "copies": [str(motif.copies) for motif in recovery],
        "recovered": ["yes" if motif.recovered else "no" for motif in recovery],
        "copies found": [str(motif.planted_found) for motif in recovery],
    }
    return TextTable(columns, {"planted motif", "recovered"})


def given_sentences(found: MotifSet) -> list[str]:
    """How far each structure that was asked for is from being in the set."""
    said = {
        name: "is in the set" if not bits
        else f"misses the set by {bits:,.1f} bits" if isfinite(bits) else "has too few copies"
        for name, bits in found.given.items()
    }  # fmt: skip
    return [f"Asked for: {name} {what}." for name, what in said.items()]


def format_run(run: MiningRun) -> str:
    """Filters, the motif set, what random graphs do not have, classes and planted motifs."""
    found = run.motif_set
    (shown, _) = shown_set(run.motif_set)
    parts = []
    if run.filters is not None:
        parts += [filters_sentence(run.filters), str(filters_table(run.filters))]
    compared = []
    for null in run.null_models:
        compared.append(comparison_sentence(run, null))
        table = called_table(run, null)
        compared += [str(table)] if table.rows else []
    # what was found comes before what was not
    leads = not found.motifs and any(called_table(run, null).rows for null in run.null_models)
    parts += compared if leads else []
    parts.append(summary(found))
    if shown is not found:
        parts.append(other_sentence(shown))
    if shown.motifs:
        parts.append(str(motif_table(shown, run.recovery)))
        parts += [EDITS_NOTE] if has_edits(shown) else []
    parts += given_sentences(found)
    if found.not_used:
        parts.append(f"Not used: {unused(found)}.")
    parts += [found.cut] if found.cut else []
    parts += [] if leads else compared
    parts += run.warnings
    if any(one.classes for one in run.counted):
        parts.append(classes_sentence(run))
        parts += [str(class_table(run))] if differing(run) else []
    if run.recovery is not None:
        parts.append(str(recovery_table(run.recovery)))
    if run.is_partial:
        parts.append("The time limit ended the run; gomkcn mine --resume continues it.")
    return paragraphs(parts)


def comparison_sentence(run: MiningRun, null: str) -> str:
    """How many structures were compared, and how many of them are called."""
    results = [called(one, null) for one in run.counted]
    more = results.count(MORE)
    less = results.count(LESS)
    total = len(results) - results.count("")
    named = f' of the null model "{null}"' if len(run.null_models) > 1 else ""
    cut = f" The first {_MOST_ROWS}:" if more + less > _MOST_ROWS else ""
    kinds = kinds_left_out(run)
    alone = f" Structures alone ({kinds}) stand first." if more + less and kinds else ""
    return (
        f"{count(total, 'structure')} compared with random graphs{named}: {more} over-represented, "
        f"{less} under-represented (adjusted p ≤ {LEVEL}).{alone}{cut}"
    )


def kinds_left_out(run: MiningRun) -> str:
    """What a structure alone says nothing of; empty where no structure has kinds."""
    structures = [one.structure for one in run.counted]
    has_relations = any(
        len(one.alone.relations.names) < len(one.relations.names) for one in structures
    )
    has_categories = any(one.categories for one in structures)
    left_out = ["edges of any relation"] * has_relations + [
        "nodes of any category"
    ] * has_categories
    return ", ".join(left_out)


def num_families(compared: Sequence[Pattern]) -> int:
    """Families of structures that are corrected on their own: a size, alone or with kinds."""
    return len({(one.num_nodes, one.structure.alone is one.structure) for one in compared})


def correction_sentence(families: int) -> str:
    """How p is adjusted, in words."""
    if families < 2:
        return "for all structures together (step-down max-T)"
    return (
        f"for all structures of a size, alone or with their kinds (step-down max-T), and for the "
        f"{families} such families (Bonferroni)"
    )


def classes_sentence(run: MiningRun) -> str:
    """How many structures differ between the classes of the graphs."""
    total = sum(one.classes is not None for one in run.counted)
    number = len(differing(run))
    verb = "differs" if number == 1 else "differ"
    cut = f" The first {_MOST_ROWS}:" if number > _MOST_ROWS else ""
    return (
        f"{number} of {count(total, 'structure')} {verb} between the classes (adjusted p ≤ "
        f"{LEVEL}).{cut}"
    )
