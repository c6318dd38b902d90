"""A run in the terminal: filters, the motif set, what random graphs do not have, classes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple

from gomkcn.mining.motif_sets.motif_set import MotifSet, summary
from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.show.filters_text import filters_paragraphs, partial_sentence
from gomkcn.mining.show.page import expected, signed
from gomkcn.mining.show.text_table import TextTable, paragraphs
from gomkcn.mining.structures.pattern import (
    LESS,
    LEVEL,
    MORE,
    ClassDifference,
    Following,
    MotifPart,
    Pattern,
    differing_groups,
    odds,
)
from gomkcn.mining.structures.truth import MotifRecovery
from gomkcn_dgl.graphs.shapes import count, describe_shapes

# beside copies of which some are not exact
EDITS_NOTE = (
    "Exact copies have all edges of their motif and no others; each other copy lacks edges or has "
    "more."
)
# what the column of that name says
INSIDE_NOTE = "share of the listed occurrences that lie within one copy of the motif set"
_VARIANT_NOTE = "one edge apart from a motif that has more copies"
# a smaller share is said to be so, rather than rounded to nothing
_ONE_IN_A_HUNDRED = 0.01
# rows of called structures, and of structures that lead a difference between classes
_MOST_ROWS = 12
# an adjusted p up to which a structure that is not called is close to it, and how many are named
_CLOSE = 0.1
_MOST_CLOSE = 3
# structures below one of these that follow from it
_MOST_FOLLOWING = 3


def shown_set(found: MotifSet) -> tuple[MotifSet, tuple[str, ...]]:
    """The set whose motifs are shown, and its path in the record."""
    shown = found.shown
    return shown, ("motif_set",) if shown is found else ("motif_set", "other")


def other_sentence(shown: MotifSet) -> str:
    """What the set given the other base saves, above its motifs."""
    return (
        f"Given {shown.given_what} alone, {count(len(shown), 'motif')} would save "
        f"{shown.bits_saved:,.0f} of {shown.bits_base:,.0f} bits:"
    )


def unused(found: MotifSet) -> str:
    """What the description of the motif set leaves out; of self-loops, what looks at them."""
    phrases = [re.sub("^(dropped|merged) ", "", text) for text in found.not_used]
    # without an arrow it is right for graphs with and without directions
    look = " (gomkcn count 'A -- A' compares them with random graphs)"
    return "; ".join(text + look * ("self-loop" in text) for text in phrases)


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


def motif_colors(found: MotifSet) -> list[int]:
    """The number of the colour of each motif; near variants have that of their motif."""
    leader = leaders(found)
    heads = [number for number in range(len(found)) if number not in leader]
    return [heads.index(leader.get(number, number)) for number in range(len(found))]


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
            share_inside(sum(one.inside), len(one.occurrences)) if len(one.occurrences) else "-"
            for one in rows
        ]
    return TextTable(columns, {"structure"})


def share_inside(inside: int, listed: int) -> str:
    """The share of the listed occurrences that lie inside copies; some are not none.

    >>> share_inside(0, 9), share_inside(2, 900), share_inside(899, 900), share_inside(9, 9)
    ('0%', '<1%', '>99%', '100%')
    """
    share = inside / listed
    if 0 < share < _ONE_IN_A_HUNDRED:
        return "<1%"
    return ">99%" if 1 - _ONE_IN_A_HUNDRED < share < 1 else f"{share:.0%}"


def differing(run: MiningRun) -> list[list[DifferingRow]]:
    """The structures that differ between the classes of the graphs, by groups, the surest first.

    The first of a group leads it, and the others follow from it.
    """
    found = []
    for leader, *others in differing_groups(run.counted):
        rows = [DifferingRow(one, _tie(one, leader)) for one in others]
        found.append([DifferingRow(leader, ""), *rows])
    return found


class DifferingRow(NamedTuple):
    """A structure that differs between classes, and how it follows from the leading one."""

    pattern: Pattern
    tie: str

    @property
    def classes(self) -> ClassDifference:
        """How its classes differ."""
        assert self.pattern.classes is not None, "what differs was compared"
        return self.pattern.classes


def _tie(one: Pattern, leader: Pattern) -> str:
    """How a structure follows from the leading one of its group."""
    if one.structure.is_part_of(leader.structure):
        return "part of it"
    if leader.structure.is_part_of(one.structure):
        return "contains it"
    assert one.classes is not None and one.classes.follows is not None, "it does not lead"
    best = one.classes.strongest
    total = best.containing + best.others_containing
    shared = one.classes.follows.shared
    if shared in (0, total):
        return f"{'only' if shared else 'never'} with it in {total}"
    return f"with it in {shared} of {total}"


def class_table(run: MiningRun) -> TextTable:
    """Structures whose share of graphs differs between classes, the surest first.

    Below each leading structure are some that follow from it.
    """
    rows = [row for group in differing(run)[:_MOST_ROWS] for row in group[: 1 + _MOST_FOLLOWING]]
    strongest = [row.classes.strongest for row in rows]
    columns = {
        "structure": [f"– {row.tie}: {row.pattern.name}" if row.tie else row.pattern.name
                      for row in rows],
        "class": [best.name for best in strongest],
        "graphs of it": [f"{best.containing} of {best.num_graphs}" for best in strongest],
        "others": [f"{best.others_containing} of {best.num_others}" for best in strongest],
        "odds ratio": [odds(best.odds_ratio) for best in strongest],
        "p": [f"{best.p:.2g}" for best in strongest],
        "adjusted p": [f"{row.classes.p_adjusted:.3g}" for row in rows],
        "p left": [_left(row.classes.follows) for row in rows],
    }  # fmt: skip
    return TextTable(columns, {"structure", "class"})


def _left(follows: Following | None) -> str:
    """What is left of the difference of a structure beyond those that lead."""
    if follows is None:
        return "leads"
    return f"{follows.p:.2g}" if follows.is_told else "too few"


def recovery_table(recovery: Sequence[MotifRecovery]) -> TextTable:
    """One row per planted motif."""
    columns = {
        "planted motif": [motif.name for motif in recovery],
        "copies": [str(motif.copies) for motif in recovery],
        "recovered": ["yes" if motif.recovered else "no" for motif in recovery],
        "copies found": [str(motif.planted_found) for motif in recovery],
    }
    return TextTable(columns, {"planted motif", "recovered"})


def words_of(found: MotifSet) -> dict[str, str]:
    """The words of a motif set that its page uses, each with what it means."""
    words = {}
    if found.bits_base:
        words["Bits given the degrees"] = (
            "length of the description of the graph by one who knows how many neighbours each node "
            "has; motifs save what they shorten it by"
        )
    if found.num_blocks is not None or (found.other and found.other.num_blocks is not None):
        words["Blocks"] = (
            "groups of nodes, such as communities; the description says how many edges join the "
            "nodes of each, and those of each two. The table blocks of gomkcn export says which "
            "node is in which"
        )
    (shown, _) = shown_set(found)
    if shown.near:
        words["Variant of a motif"] = _VARIANT_NOTE
    return words


def given_sentences(run: MiningRun) -> list[str]:
    """How often each structure that was asked for occurs, and how far it is from the set."""
    given = [one for one in run.counted if "given" in one.sources]
    asked = dict(zip(describe_shapes([one.structure for one in given]), given, strict=True))
    sentences = []
    for name, bits in run.motif_set.given.items():
        what = "is in the set"
        if bits:
            what = f"misses the set by {bits:,.1f} bits" if isfinite(bits) else "has too few copies"
        pattern = asked.get(name)
        called_so, counted = name, ""
        if pattern is not None:
            called_so, counted = pattern.name, _counted_words(pattern)
        sentences.append(f"Asked for: {called_so} {what}{counted}.")
    return sentences


def _counted_words(pattern: Pattern) -> str:
    """The occurrences of a pattern, and what random graphs of the first null model have."""
    found = pattern.frequency.occurrences
    words = f"; {found} occurrence{'s' * (found.value != 1)}"
    for result in list(pattern.significance.values())[:1]:
        mean, sd = expected(result.mean, result.sd)
        words += f", {mean} ± {sd} expected, adjusted p = {result.p_adjusted:.3f}"
    return words


def close_sentence(run: MiningRun, null: str) -> str:
    """The structures that are just not called, and what tells more of them; empty without any."""
    compared = [one for one in run.counted if null in one.significance]
    close = [
        one
        for one in compared
        if LEVEL < one.significance[null].p_adjusted <= _CLOSE
        and one.frequency.occurrences.high > 0
    ]
    if not close:
        return ""
    close.sort(key=lambda one: -abs(one.significance[null].z or 0.0))
    said = []
    for one in close[:_MOST_CLOSE]:
        result = one.significance[null]
        mean, _ = expected(result.mean, result.sd)
        numbers = f"{result.observed:,.0f}, {mean} expected, adjusted p = {result.p_adjusted:.3f}"
        said.append(f"{one.name} ({numbers})")
    more = len(close) - len(said)
    others = f", and {more} more" if more > 0 else ""
    # the standard error of a share of random graphs, times the families
    families = num_families(compared)
    samples = close[0].significance[null].num_samples
    share = LEVEL / families
    error = families * (share * (1 - share) / samples) ** 0.5
    return (
        f"Close to being called: {'; '.join(said)}{others}. With {samples} random graphs such a p "
        f"has a standard error of {error:.2f}; more random graphs tell more surely."
    )


def format_run(run: MiningRun) -> str:
    """Filters, the motif set, what random graphs do not have, classes and planted motifs."""
    found = run.motif_set
    (shown, _) = shown_set(run.motif_set)
    parts = []
    # what the user asked for by giving classes
    if any(one.classes for one in run.counted):
        parts.append(classes_sentence(run))
        parts += [str(class_table(run))] if differing(run) else []
    filters = [] if run.filters is None else filters_paragraphs(run.filters)
    has_filters = run.filters is not None and bool(run.filters.filters)
    parts += filters if has_filters else []
    compared = []
    for null in run.null_models:
        compared.append(comparison_sentence(run, null))
        table = called_table(run, null)
        compared += [str(table)] if table.rows else []
        compared += [f"Inside: {INSIDE_NOTE}."] if table.rows and found.motifs else []
        close = close_sentence(run, null)
        compared += [close] if close else []
    # what was found comes before what was not, and blocks are found
    is_empty = not found.motifs and found.num_blocks is None
    leads = is_empty and any(called_table(run, null).rows for null in run.null_models)
    parts += compared if leads else []
    parts.append(summary(found))
    if found.blocks is not None:
        parts.append("The table blocks of gomkcn export says which node is in which block.")
    if shown is not found:
        parts.append(other_sentence(shown))
    if shown.motifs:
        parts.append(str(motif_table(shown, run.recovery)))
        parts += [f"Variant of: {_VARIANT_NOTE}."] if shown.near else []
        parts += [EDITS_NOTE] if has_edits(shown) else []
    parts += given_sentences(run)
    if found.not_used:
        parts.append(f"Not used: {unused(found)}.")
    parts += [] if leads else compared
    # what was found comes before what was not
    parts += [] if has_filters else filters
    parts += run.warnings
    if run.recovery is not None:
        parts.append(str(recovery_table(run.recovery)))
    parts += [end_sentence(run)] if end_sentence(run) else []
    return paragraphs(parts)


def end_sentence(run: MiningRun) -> str:
    """What ended the run, or the search for motifs in it, too early; empty where nothing did."""
    return partial_sentence(run.command) if run.is_partial else run.motif_set.cut


def comparison_sentence(run: MiningRun, null: str) -> str:
    """How many structures were compared, and how many of them are called."""
    results = [called(one, null) for one in run.counted]
    more = results.count(MORE)
    less = results.count(LESS)
    compared = [one for one in run.counted if null in one.significance]
    held = sum(one.frequency.occurrences.high > 0 for one in compared)
    # another null model may have some that this one has not
    absent = sum(
        one.significance[null].largest > 0 and not one.frequency.occurrences.high
        for one in compared
    )
    more_said = f" (and {absent:,} that these alone have)" if absent else ""
    named = f' of the null model "{null}"' if len(run.null_models) > 1 else ""
    cut = f" The first {_MOST_ROWS}, by |z|, motifs before others:" * (more + less > _MOST_ROWS)
    kinds = kinds_left_out(run)
    alone = f" Structures alone ({kinds}) stand first." if more + less and kinds else ""
    return (
        f"{count(held, 'structure')} compared with random graphs{more_said}{named}: {more} "
        f"over-represented, {less} under-represented (adjusted p ≤ {LEVEL}).{alone}{cut}"
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
    groups = differing(run)
    number = sum(map(len, groups))
    verb = "differs" if number == 1 else "differ"
    shown = sum(min(len(group), 1 + _MOST_FOLLOWING) for group in groups[:_MOST_ROWS])
    left = number - shown
    rest = f" {left} more {'is' if left == 1 else 'are'} on the page." if left > 0 else ""
    cut = f" The first {_MOST_ROWS} that lead:" if len(groups) > _MOST_ROWS else ""
    return (
        f"{number} of {count(total, 'structure')} {verb} between the classes (adjusted p ≤ "
        f"{LEVEL}).{follow_sentence(groups)}{without_class(run)}{rest}{cut}"
    )


def without_class(run: MiningRun) -> str:
    """How many graphs have no class, and so are not compared; empty where each has one."""
    compared = next(one.classes for one in run.counted if one.classes is not None)
    number = run.graph.num_graphs - sum(one.num_graphs for one in compared.contrasts)
    if not number:
        return ""
    have = "has no class and is" if number == 1 else "have no class and are"
    return f" {number} of {run.graph.num_graphs} graphs {have} not compared."


def follow_sentence(groups: Sequence[Sequence[DifferingRow]]) -> str:
    """How many structures tell no more than the leading ones; empty where all lead."""
    left = [row.classes.follows for group in groups for row in group if row.classes.follows]
    if not left:
        return ""
    leading, few = len(groups), sum(not one.is_told for one in left)
    head = f"{leading} leads" if leading == 1 else f"{leading} lead"
    rest = "the other follows" if len(left) == 1 else f"{len(left)} others follow"
    alike = f"among graphs that are alike in {'it' if leading == 1 else 'these'}"
    too_few = "there are too few graphs to tell a difference"
    if not few:
        return f" {head}, {rest}: {alike}, no difference is shown."
    if few == len(left):
        return f" {head}, {rest}: {alike}, {too_few}."
    shows = "shows" if len(left) - few == 1 else "show"
    return (
        f" {head}, {rest}: {alike}, {len(left) - few} of the others {shows} no difference; for "
        f"{few} {too_few}."
    )
