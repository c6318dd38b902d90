"""Two runs side by side in a terminal: heads, profiles, and all structures that differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

import numpy as np

from gomkcn.mining.patterns.compared_structure import (
    BOTH,
    COMPARED_COLUMNS,
    ComparedStructure,
    Family,
    Side,
    Sign,
    copies_columns,
    difference_columns,
    share_text,
    side_columns,
)
from gomkcn.mining.patterns.measured_graph import NUM_GROUPS
from gomkcn.mining.patterns.role_changes import (
    ROLE_COLUMNS,
    alone_columns,
    alone_parts,
    roles_sentence,
)
from gomkcn.mining.patterns.run_comparison import Profile, RunComparison
from gomkcn.mining.show.text_table import NOT_KNOWN, Cell, TextTable, paragraphs, text_table
from gomkcn.mining.structures.number_text import signed
from gomkcn.mining.structures.pattern import LEVEL
from gomkcn.mining.structures.table_column import TableColumn
from gomkcn_dgl.graphs.shapes import count
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.files import printable

# rows of a family in the terminal, all directed structures of 3 nodes; a file and the page have all
_MOST_ROWS = 13
# of the surest differences, and of the nodes that changed most
_MOST_DIFFERENCES, _MOST_CHANGED = 10, 5
# of the nodes that one graph alone has
_MOST_ALONE = 3
# structures that a sentence names
_MOST_NAMED = 4
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
# the same, where one graph alone is compared with random graphs
RESULTS_OF_ONE: dict[tuple[Sign, Sign], str] = {
    (1, None): "over-represented in the first, the only one with random graphs",
    (-1, None): "under-represented in the first, the only one with random graphs",
    (None, 1): "over-represented in the second, the only one with random graphs",
    (None, -1): "under-represented in the second, the only one with random graphs",
}


def heads(found: RunComparison) -> list[str]:
    """What was counted in each of the runs."""
    texts = []
    for which, run in (("first", found.first), ("second", found.second)):
        sides: list[Side | None] = [getattr(row, which) for row in found.structures]
        results = [side.result for side in sides if side and side.result]
        has = sum(side is not None and side.count.high > 0 for side in sides)
        what = f"{count(has, 'structure')}"
        if results:
            # what random graphs alone have is compared as well
            what += (
                f", {len(results):,} with those of {found.num_random(which):,} random graphs "
                f"({found.null})"
            )
        graphs = f"{count(run.graph.num_graphs, 'graph')}, " if run.graph.num_graphs > 1 else ""
        texts.append(
            f"{printable(run.graph.source)}: {graphs}{count(run.graph.num_nodes, 'node')}, "
            f"{count(run.graph.num_edges, 'edge')}, {what}"
        )
    return texts


def warnings(found: RunComparison) -> list[str]:
    """What the comparisons with random graphs do not tell, and of which graph."""
    return [
        f"{which}, {printable(run.graph.source)}: {warning}"
        for which, run in (("First", found.first), ("Second", found.second))
        for warning in run.warnings
    ]


def number_text(profile: Profile) -> str:
    """Such as "5 of the 13 structures of 3 nodes, directed": those with z in both graphs."""
    number, total = int(np.sum(profile.in_both)), len(profile.rows)
    share = f"all {total}" if number == total else f"{number} of the {total}"
    return f"{share} structures of {profile.family.name}"


def correlation_text(profile: Profile) -> str:
    """The correlation of two profiles, or why there is none."""
    found = profile.correlation
    return "none" if found is None else f"{found:+.2f}".replace("-", "−")


def difference_lead(found: RunComparison) -> str:
    """How many structures differ between the graphs, and the surest ones."""
    tested = found.tested
    if not tested:
        unknown = [
            which
            for which, run in (("first", found.first), ("second", found.second))
            if not run.num_units
        ]
        if all(math.isnan(row.difference) for row in found.structures):
            return (
                "No structure was counted in both graphs: read both as directed or both as "
                "undirected, and with or without the types of their edges."
            )
        if not unknown:
            return "No difference of the shares is tested: all have an error of 0."
        return (
            f"No difference of the shares is tested: of the {' and the '.join(unknown)} graph no "
            "counts at nodes are known. A run keeps none, so that its graph must still be at its "
            "path; and in a large graph they are left out where they take over two minutes."
        )
    sure = [row for row in found.by_difference if row.is_sure]
    of_all = f"of the {count(len(tested), 'structure')} of either graph"
    if not sure:
        return f"No share {of_all} differs surely (adjusted p ≤ {LEVEL})."
    named = "; ".join(
        f"{row.label} {share_text(row.first.share)} → {share_text(row.second.share)}"
        for row in sure[:_MOST_NAMED]
        if row.first and row.second
    )
    verb = "differs" if len(sure) == 1 else "differ"
    return (
        f"{len(sure):,} {of_all} {verb} in their share (adjusted p ≤ {LEVEL}), the surest first: "
        f"{named}."
    )


def headline(found: RunComparison) -> list[str]:
    """Both answers: which shares differ surely, and what random graphs call in one graph alone."""
    return [difference_lead(found), *filter(None, [called_lead(found)])]


def errors_note(found: RunComparison) -> str:
    """What the errors of the shares are from; empty where there are none."""
    units = [
        f"{run.num_units:,} {'groups of ' if run.num_units == NUM_GROUPS else ''}{run.unit}"
        for run in (found.first, found.second)
        if run.num_units
    ]
    if not units:
        return ""
    left_out = units[0] if len(set(units)) == 1 else " and ".join(units)
    return (
        "A share is of all structures of the size. Its error is the delete-one jackknife over "
        f"{left_out}: how much it varies between graphs whose nodes are drawn in the same way. It "
        "is rather too large than too small."
    )


def influence_sentences(found: RunComparison) -> list[str]:
    """The nodes that make the errors of the shares large, a sentence for each graph with one."""
    return [
        f"{printable(str(node.node))} makes the errors of the {which} graph large: without this "
        f"node, which has {count(node.num_neighbours, 'neighbour')}, the share of the "
        f"{label_of(found, node.structure)} is {share_text(node.share_without)}, with it "
        f"{share_text(node.share)}."
        for which, run in zip(BOTH, (found.first, found.second), strict=True)
        if (node := run.influence) is not None
    ]


def label_of(found: RunComparison, structure: Structure) -> str:
    """What a structure is called in a comparison."""
    return next(row.label for row in found.structures if row.structure.key == structure.key)


def called_lead(found: RunComparison) -> str:
    """How many structures random graphs call in one graph alone, and the first of them."""
    parts = called_parts(found)
    if not parts:
        return ""
    start, rows, more = parts
    named = "; ".join(f"{row.label} ({called_text(found, row)})" for row in rows)
    return f"{start}{named}{more}."


def called_parts(found: RunComparison) -> tuple[str, list[ComparedStructure], str] | None:
    """The beginning, the named structures and the end of :func:`called_lead`.

    None where no structure was compared with random graphs in both.
    """
    if not any(None not in row.signs for row in found.structures):
        return None
    apart = found.called_apart
    if not apart:
        start = f"Random graphs ({found.null}) call no structure in one graph alone"
        return start, [], f" (adjusted p ≤ {LEVEL})"
    shown = apart[:_MOST_NAMED]
    more = f"; and {len(apart) - len(shown):,} more" if len(apart) > len(shown) else ""
    in_one = all(0 in row.signs for row in apart)
    how = "in one graph alone" if in_one else "in one graph alone or in the other the other way"
    start = (
        f"Random graphs ({found.null}) call {count(len(apart), 'structure')} {how} "
        f"(adjusted p ≤ {LEVEL}): "
    )
    return start, shown, more


def called_text(found: RunComparison, row: ComparedStructure) -> str:
    """Such as "over-represented in the second alone: 7 → 43, z +1.7 → +16.9"."""
    sides = [side for side in (row.first, row.second) if side]
    counts = " → ".join(side.count.short for side in sides)
    z = " → ".join("none" if math.isnan(side.z) else signed(side.z) for side in sides)
    follows = ", follows from others of 3 nodes" if row in found.that_follow else ""
    return f"{RESULTS[row.signs]}: {counts}, z {z}{follows}"


def missing_text(found: RunComparison) -> str:
    """What a comparison that ended early lacks."""
    lacks = [
        f"the {which} graph has {' and '.join(run.missing)}"
        for which, run in zip(BOTH, (found.first, found.second), strict=True)
        if run.missing
    ]
    return f"it ended early: {' and '.join(lacks)}" if lacks else "it ended early"


def result_sentences(found: RunComparison) -> list[str]:
    """Of which structures the tests say the same in both runs, and of which they do not."""
    sentences = []
    for signs, text in results_of(found).items():
        rows = found.with_signs(*signs)
        if rows:
            # a name may hold commas
            names = "; ".join(row.label for row in rows[:_MOST_NAMED])
            more = "; …" if len(rows) > _MOST_NAMED else ""
            sentences.append(f"{text[0].upper()}{text[1:]}: {len(rows)} ({names}{more}).")
    return sentences


def results_of(found: RunComparison) -> dict[tuple[Sign, Sign], str]:
    """What the tests may say of a structure, if both graphs are compared or one alone."""
    is_of_both = all(map(found.num_random, BOTH))
    return RESULTS if is_of_both else RESULTS_OF_ONE


def lead(found: RunComparison) -> str:
    """The answer in a sentence: how alike the profiles are, and how many structures differ."""
    has_random = [bool(run.null_models) for run in (found.first, found.second)]
    if not found.null and not all(has_random):
        return "Shares and counts alone are compared: there are no random graphs."
    if sum(has_random) == 1:
        which = BOTH[has_random.index(True)]
        number = sum(len(found.with_signs(*signs)) for signs in RESULTS_OF_ONE)
        return (
            f"Only the {which} graph is compared with random graphs, which call "
            f"{count(number, 'structure')} of it (adjusted p ≤ {LEVEL}); profiles need random "
            "graphs of both."
        )
    if not found.null:
        return (
            "The two have no null model in common, so that shares and counts alone are compared; "
            "profiles need random graphs of the same null model for both."
        )
    correlations = [
        f"{correlation_text(profile)} over {number_text(profile)}"
        for profile in found.profiles
        if profile.correlation is not None
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
    if correlations:
        listed = "; ".join(correlations)
        return f"The profiles correlate by {listed}, where both graphs have z. {called}."
    if found.profiles:
        return f"{called}."
    return (
        "No structures of the same size and direction were compared with random graphs in both: "
        "read both graphs as directed or both as undirected, and mine the same sizes."
    )


PROFILE_COLUMNS: tuple[TableColumn[Profile], ...] = (
    TableColumn(
        "family",
        "Structures of",
        "the structures that have a profile together",
        lambda profile: profile.family.name,
        is_left=True,
        is_name=True,
    ),
    TableColumn(
        "number",
        "Number",
        "structures of the profile",
        lambda profile: len(profile.rows),
    ),
    TableColumn(
        "in_both",
        "z in both",
        "structures that have z in both graphs",
        lambda profile: int(profile.in_both.sum()),
    ),
    TableColumn(
        "correlation",
        "Correlation",
        "Pearson's, over those with z in both",
        lambda profile: profile.correlation,
        lambda profile: correlation_text(profile),
    ),
)


def format_comparison(found: RunComparison) -> str:
    """Two runs and the structures of both, for a terminal, each size by itself."""
    first, second = heads(found)
    parts = [f"first   {first}\nsecond  {second}", *headline(found), *influence_sentences(found)]
    surest = [row for row in found.by_difference if row.sureness > 0][:_MOST_DIFFERENCES]
    if surest:
        parts.append(str(text_table(difference_columns(), surest)))
    changed = found.roles.rows[:_MOST_CHANGED]
    if said := roles_sentence(found.roles, changed):
        parts.append(said)
    if changed:
        parts.append(str(text_table(ROLE_COLUMNS, changed)))
    for sentence, rows in alone_parts(found.roles, _MOST_ALONE):
        parts += [sentence, str(text_table(alone_columns(), rows))]
    parts.append(lead(found))
    if found.profiles:
        parts.append(str(text_table(PROFILE_COLUMNS, found.profiles)))
    parts += result_sentences(found)
    for family, members in groupby(found.structures, lambda row: Family.of(row.structure)):
        parts += _family_parts(family, list(members))
    motifs = found.in_a_set
    if motifs:
        shared = sum(None not in _copies(row) for row in motifs)
        parts.append(f"Motif sets: {shared} of {count(len(motifs), 'motif')} in both.")
        parts.append(str(text_table(copies_columns(), motifs)))
    return paragraphs([*parts, *warnings(found)])


def _family_parts(family: Family, members: list[ComparedStructure]) -> list[str]:
    """A heading and a table; of each structure the numbers of the first graph over the second."""
    rows = members[:_MOST_ROWS]
    heading = f"{family.name[0].upper()}{family.name[1:]}: {count(len(members), 'structure')}"
    if len(rows) < len(members):
        heading += f"; the {len(rows)} with the largest entries, the page and the table have all"
    table = text_table(COMPARED_COLUMNS, rows)
    first, second = (text_table(side_columns(which), rows).columns for which in BOTH)
    # a run without a column has no cells in it
    none = [NOT_KNOWN] * len(rows)
    columns: dict[str, Sequence[Cell]] = {**table.columns, "graph": [BOTH] * len(rows)}
    for title in dict.fromkeys((*first, *second)):
        columns[title] = [
            (str(above), str(below))
            for above, below in zip(first.get(title, none), second.get(title, none), strict=True)
        ]
    return [f"{heading}.", str(TextTable(columns, {*table.left, "graph"}))]


def _copies(row: ComparedStructure) -> list[int | None]:
    return [None if side is None else side.copies for side in (row.first, row.second)]
