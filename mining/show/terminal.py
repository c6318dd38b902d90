"""A run in the terminal: what random graphs do not have, the motif set, filters, classes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from gomkcn.mining.motif_sets.motif_columns import LEAST_ADDED, MOTIF_COLUMNS
from gomkcn.mining.motif_sets.motif_set import MotifSet, summary
from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.show.blocks_beside_part import blocks_paragraphs
from gomkcn.mining.show.filters_text import filters_paragraphs, partial_sentence
from gomkcn.mining.show.leading import COMPARISON, FILTERS, MOTIFS, order_of_parts
from gomkcn.mining.show.text_table import TextTable, paragraphs, text_table
from gomkcn.mining.significance.null_models import NULL_MODELS
from gomkcn.mining.structures.class_columns import CLASS_COLUMNS, DifferingRow, differing
from gomkcn.mining.structures.pattern import (
    COUNT,
    LESS,
    LEVEL,
    MORE,
    RESULT_WORDS,
    ClassSearch,
    Pattern,
    in_order,
    measure_of,
)
from gomkcn.mining.structures.pattern_columns import (
    expected_of,
    observed_text,
    structure_columns,
)
from gomkcn.mining.structures.truth import PLANTED_COLUMNS, MotifRecovery
from gomkcn_dgl.graphs.shapes import count, counted_size, describe_shapes

# beside copies of which some are not exact
EDITS_NOTE = (
    "Exact copies have all edges of their motif and no others; each other copy lacks edges or has "
    "more."
)
# beside dense groups
GROUP_NOTE = (
    "A dense group has hardly a copy that equals the structure in brackets, and over a fifth of "
    "the pairs of its nodes differ from it: it is not drawn, and gomkcn count refuses it."
)
# below the line of a table of motifs, and where all would stand below it
LINE_NOTE = f"Below the line: motifs that add fewer than {LEAST_ADDED:.0f} bits each"
_ALL_FEW_NOTE = f"Each motif adds fewer than {LEAST_ADDED:.0f} bits."
# what the column of that name says
INSIDE_NOTE = "share of the listed occurrences that lie within one copy of the motif set"
_VARIANT_NOTE = "one edge apart from a motif that has more copies"
_STARTS_NOTE = (
    "of the starts of the search, those whose sets have the motif, where not all have it; what "
    "fewer than half of them have stands after the others"
)
# what a phrase begins or ends with that the sentence has already
_NOT_USED = re.compile("^(dropped|merged) | are not used$")
# rows of called structures, and of structures that lead a difference between classes
_MOST_ROWS = 12
# an adjusted p up to which a structure that is not called is close to it, and how many are named
_CLOSE = 0.1
_MOST_CLOSE = 3
# nodes of the smallest structures of a census, which larger ones hold
_LEAST_NODES = 3
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
    phrases = [_NOT_USED.sub("", text) for text in found.not_used]
    # without an arrow it is right for graphs with and without directions
    look = " (gomkcn count 'A -- A' compares them with random graphs)"
    return "; ".join(text + look * ("self-loop" in text) for text in phrases)


def called(pattern: Pattern, null: str) -> str:
    """The result of the comparison with a null model; empty where there was none."""
    result = pattern.significance.get(null)
    return "" if result is None else result.verdict


def called_in_sentence(pattern: Pattern) -> str:
    """The name of a pattern; where it has none, its edges stand for the drawing.

    >>> from gomkcn_dgl.graphs.structure import Structure
    >>> called_in_sentence(Pattern(Structure.parse("a->b, b->c, c->a, a->d, b->d"), id=4))
    'structure 4 (A->B, A->D, B->C, B->D, C->A)'
    """
    if not counted_size(pattern.name):
        return pattern.name
    return f"{pattern.label} ({pattern.structure.to_text()})"


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
    return any(pattern.motif is not None and len(pattern.motif.edits) for pattern in found)


def has_starts(found: MotifSet) -> bool:
    """Whether not all starts of the search found the same motifs."""
    return any(row.is_in_some_starts for row in found.rows())


def set_notes(found: MotifSet) -> list[str]:
    """What is to be known of the rows of a motif set."""
    has_groups = any(pattern.is_dense_group for pattern in found)
    below = [row.is_below_line for row in found.rows()]
    all_below = bool(below) and all(below)
    return (
        [EDITS_NOTE] * has_edits(found)
        + [GROUP_NOTE] * has_groups
        + [f"{LINE_NOTE}."] * (any(below) and not all_below)
        + [_ALL_FEW_NOTE] * all_below
    )


def motif_table(found: MotifSet, recovery: Sequence[MotifRecovery] | None = None) -> TextTable:
    """A row for each motif, with the planted motifs that it is."""
    planted = [planted_as(pattern, recovery) for pattern in found]
    rows = found.rows(planted)
    below = [number for number, row in enumerate(rows) if row.is_below_line]
    # a line above all rows divides nothing
    return replace(text_table(MOTIF_COLUMNS, rows), line_above=min(below, default=None) or None)


def called_table(run: MiningRun, null: str) -> TextTable:
    """A row for each structure that random graphs have clearly more or fewer of."""
    # what another null model than the first calls need not be reported
    rows = [pattern for pattern in run.counted if called(pattern, null) in (MORE, LESS)]
    return text_table(structure_columns(rows, [null]), in_order(rows, null)[:_MOST_ROWS])


def class_table(run: MiningRun) -> TextTable:
    """Structures whose share of graphs differs between classes, the surest first.

    Below each leading structure are some that follow from it.
    """
    groups = differing(run.counted)[:_MOST_ROWS]
    return text_table(
        CLASS_COLUMNS, [row for group in groups for row in group[: 1 + _MOST_FOLLOWING]]
    )


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
    if has_starts(shown):
        words["Starts"] = _STARTS_NOTE
    return words


def given_sentences(run: MiningRun) -> list[str]:
    """What came of each structure that was given, and how often it occurs."""
    given = [pattern for pattern in run.counted if "given" in pattern.sources]
    shapes = describe_shapes([pattern.structure for pattern in given])
    pattern_of = dict(zip(shapes, given, strict=True))
    sentences = []
    for name, result in run.motif_set.given.items():
        pattern = pattern_of.get(name)
        counted = ""
        if pattern is not None:
            name = pattern.name
            counted = _counted_words(pattern)
        sentences.append(f"Given: {name} {result.reason}{counted}.")
    return sentences


def _counted_words(pattern: Pattern) -> str:
    """The occurrences of a pattern, and what random graphs of the first null model have."""
    found = pattern.frequency.occurrences
    words = f"; {found} occurrence{'s' * (found.value != 1)}"
    for result in list(pattern.significance.values())[:1]:
        mean, sd = expected_of(result)
        of = "" if result.measure == COUNT else f"{result.measure} {observed_text(result)}, "
        words += f", {of}{mean} ± {sd} expected, adjusted p = {result.p_adjusted:.3f}"
    return words


def meaning_sentences(run: MiningRun, null: str) -> str:
    """What it means that a structure is called, and what not; empty where none is."""
    if not any(called(pattern, null) in (MORE, LESS) for pattern in run.counted):
        return ""
    head = "Over- or under-represented means"
    if measure_of(null) != COUNT:
        head = f"A higher or lower {measure_of(null)} means"
    return (
        f"{head}: unlike random graphs that keep {run.null_models[null]}. It is no claim that a "
        "structure was planted or selected: how a graph grew, or groups of its nodes, can be the "
        f"reason.{follows_from_three(run, null)}"
    )


def follows_from_three(run: MiningRun, null: str) -> str:
    """That larger structures may follow from those of three nodes; empty where none holds one.

    Null models of this package do not keep the counts of three nodes, others may.
    """
    if null not in NULL_MODELS or NULL_MODELS[null].permutes:
        return ""
    more = [pattern for pattern in run.counted if called(pattern, null) == MORE]
    small = {pattern.key for pattern in more if pattern.num_nodes == _LEAST_NODES}
    large = [pattern for pattern in more if pattern.num_nodes > _LEAST_NODES]
    number = sum(
        any(
            pattern.structure.with_nodes(np.array(nodes)).key in small
            for nodes in combinations(range(pattern.num_nodes), _LEAST_NODES)
        )
        for pattern in large
    )
    if not number:
        return ""
    holds = "holds one" if number == 1 else "hold one"
    return (
        f" Of {count(len(large), 'over-represented structure')} of more than {_LEAST_NODES} nodes, "
        f"{number} {holds} of {_LEAST_NODES} nodes, from which alone {'it' * (number == 1)}"
        f"{'they' * (number > 1)} may follow: these random graphs do not keep the counts of "
        f"{_LEAST_NODES} nodes, as those of Milo et al. (2002) do for structures of four."
    )


def close_sentence(run: MiningRun, null: str) -> str:
    """The structures that are just not called, and what tells more of them; empty without any."""
    compared = [pattern for pattern in run.counted if null in pattern.significance]
    close = [
        pattern
        for pattern in compared
        if LEVEL < pattern.significance[null].p_adjusted <= _CLOSE
        and pattern.frequency.occurrences.high > 0
    ]
    if not close:
        return ""
    close.sort(key=lambda pattern: -abs(pattern.significance[null].z or 0.0))
    named = []
    for pattern in close[:_MOST_CLOSE]:
        result = pattern.significance[null]
        mean, _ = expected_of(result)
        numbers = f"{observed_text(result)}, {mean} expected, adjusted p = {result.p_adjusted:.3f}"
        named.append(f"{called_in_sentence(pattern)} ({numbers})")
    more = len(close) - len(named)
    others = f", and {more} more" if more > 0 else ""
    # the standard error of a share of random graphs, times the families
    families = num_families(compared, null)
    samples = close[0].significance[null].num_samples
    share = LEVEL / families
    error = families * (share * (1 - share) / samples) ** 0.5
    return (
        f"Close to being called: {'; '.join(named)}{others}. With {samples:,} random graphs such a "
        f"p has a standard error of {error:.2f}; more random graphs tell more surely."
    )


def format_run(run: MiningRun) -> str:
    """Classes, then the parts of the run in their order, and planted motifs."""
    # what the user asked for by giving classes
    parts = [] if run.class_search is None else _classes_parts(run, run.class_search)
    of_part = {
        COMPARISON: [part for null in run.null_models for part in _comparison_parts(run, null)],
        MOTIFS: _set_parts(run),
        FILTERS: [] if run.filters is None else filters_paragraphs(run.filters),
    }
    for part in order_of_parts(run):
        parts += of_part[part]
    parts += blocks_paragraphs(run)
    parts += run.warnings
    if run.recovery is not None:
        parts.append(str(text_table(PLANTED_COLUMNS, run.recovery)))
    return paragraphs([*parts, *filter(None, [end_sentence(run)])])


def _classes_parts(run: MiningRun, search: ClassSearch) -> list[str]:
    """How many structures differ between the classes, which, and what was searched."""
    table = class_table(run)
    listed = listed_sentence(len(table.rows), search)
    shown = [str(table)] if table.rows else []
    return [classes_sentence(run, search) + listed, *shown, str(search)]


def _comparison_parts(run: MiningRun, null: str) -> list[str]:
    """What random graphs of a null model have more or fewer of, and what is close to that."""
    parts = [comparison_sentence(run, null)]
    table = called_table(run, null)
    if table.rows:
        parts.append(str(table))
        has_inside = run.motif_set.motifs and measure_of(null) == COUNT
        parts += [f"Inside copies: {INSIDE_NOTE}."] if has_inside else []
    said = (
        meaning_sentences(run, null),
        close_sentence(run, null),
        run.random_graphs.get(null, ""),
    )
    return [*parts, *filter(None, said)]


def _set_parts(run: MiningRun) -> list[str]:
    """The motif set, what its table says, and what was asked for."""
    found = run.motif_set
    shown, _ = shown_set(found)
    parts = [summary(found)]
    if found.blocks is not None:
        parts.append("The table blocks of gomkcn export says which node is in which block.")
    if shown is not found:
        parts.append(other_sentence(shown))
    if shown.motifs:
        parts.append(str(motif_table(shown, run.recovery)))
        parts += [f"Starts: {_STARTS_NOTE}."] if has_starts(shown) else []
        parts += [f"Variant of: {_VARIANT_NOTE}."] if shown.near else []
        parts += set_notes(shown)
    parts += given_sentences(run)
    if found.not_used:
        parts.append(f"Not used: {unused(found)}.")
    return parts


def end_sentence(run: MiningRun) -> str:
    """What ended the run, or the search for motifs in it, too early; empty where nothing did."""
    return partial_sentence(run.command) if run.is_partial else run.motif_set.cut


def comparison_sentence(run: MiningRun, null: str) -> str:
    """How many structures were compared, and how many of them are called."""
    results = [called(pattern, null) for pattern in run.counted]
    more = results.count(MORE)
    less = results.count(LESS)
    compared = [pattern for pattern in run.counted if null in pattern.significance]
    held = sum(pattern.frequency.occurrences.high > 0 for pattern in compared)
    # another null model may have some that this one has not
    absent = sum(
        pattern.significance[null].largest > 0 and not pattern.frequency.occurrences.high
        for pattern in compared
    )
    and_absent = f" (and {absent:,} that these alone have)" if absent else ""
    named = f' of the null model "{null}"' if len(run.null_models) > 1 else ""
    kinds = kinds_left_out(run)
    alone = f"structures alone ({kinds}) before those with kinds, " if kinds else ""
    first = f"the first {_MOST_ROWS}, " if more + less > _MOST_ROWS else ""
    words = RESULT_WORDS[measure_of(null)]
    before = "over- before under-represented"
    if measure_of(null) != COUNT:
        before = f"{words[0]} before {words[1].removeprefix('of ')}"
    order = f"{first}{before}, {alone}fewer nodes before more, then by |z|."
    ordered = f" {order[0].upper()}{order[1:]}" if more + less > 1 else ""
    return (
        f"{count(held, 'structure')} compared with random graphs{and_absent}{named}: {more} "
        f"{words[0]}, {less} {words[1]} (adjusted p ≤ {LEVEL}).{ordered}"
    )


def kinds_left_out(run: MiningRun) -> str:
    """What a structure alone says nothing of; empty where none has kinds, or none is alone."""
    structures = [pattern.structure for pattern in run.counted]
    if not any(structure.alone is structure for structure in structures):
        return ""
    has_relations = any(
        len(structure.alone.relations.names) < len(structure.relations.names)
        for structure in structures
    )
    has_categories = any(structure.categories for structure in structures)
    left_out = ["edges of any relation"] * has_relations + [
        "nodes of any category"
    ] * has_categories
    return ", ".join(left_out)


def num_families(compared: Sequence[Pattern], null: str) -> int:
    """Families of structures that are corrected on their own: a size, alone or with kinds.

    Intensity and coherence are two of each.
    """
    sizes = {
        (pattern.num_nodes, pattern.structure.alone is pattern.structure) for pattern in compared
    }
    return len(sizes) * (1 if measure_of(null) == COUNT else 2)


def correction_sentence(families: int, null: str = "") -> str:
    """How p is adjusted, in words."""
    if families < 2:
        return "for all structures together (step-down max-T)"
    if measure_of(null) != COUNT:
        return (
            "for the intensities, or the coherences, of all structures of a size, alone or with "
            f"their kinds (step-down max-T), and for the {families} such families (Bonferroni)"
        )
    return (
        f"for all structures of a size, alone or with their kinds (step-down max-T), and for the "
        f"{families} such families (Bonferroni)"
    )


def classes_sentence(run: MiningRun, search: ClassSearch) -> str:
    """How many structures differ between the classes of the graphs."""
    groups = differing(run.counted)
    number = search.num_differing
    verb = "differs" if number == 1 else "differ"
    return (
        f"{number:,} of {count(search.num_compared, 'structure')} {verb} between the classes "
        f"(adjusted p ≤ {LEVEL}).{follow_sentence(groups, search)}{without_class(run)}"
    )


def without_class(run: MiningRun) -> str:
    """How many graphs have no class, and so are not compared; empty where each has one."""
    number = 0 if run.class_search is None else run.class_search.num_without_class
    if not number:
        return ""
    have = "has no class and is" if number == 1 else "have no class and are"
    return f" {number} of {run.graph.num_graphs} graphs {have} not compared."


def follow_sentence(groups: Sequence[Sequence[DifferingRow]], search: ClassSearch) -> str:
    """How many structures tell no more than the leading ones; empty where all lead."""
    leading, others = len(groups), search.num_differing - len(groups)
    if others <= 0:
        return ""
    head = f"{leading} leads" if leading == 1 else f"{leading} lead"
    rest = "the other follows" if others == 1 else f"{others:,} others follow"
    return f" {head}, {rest}: they are implied by a stronger one, or tell no more."


def listed_sentence(num_listed: int, search: ClassSearch) -> str:
    """How many structures that differ are listed, and where all are; empty where they are here."""
    if num_listed >= search.num_differing:
        return ""
    return (
        f" {num_listed:,} of the {search.num_differing:,} are listed here; all are in "
        "structures.csv, which gomkcn export writes."
    )
