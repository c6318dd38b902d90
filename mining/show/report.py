"""A run → its page: what the graph is made of, how it compares with random graphs, and where.

Every number comes from ``patterns.json`` or ``run.json``, and sentences are made of numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from markupsafe import Markup

from gomkcn.mining.filters.filters_run import FOLDER, PAGE, RECORD
from gomkcn.mining.filters.mined_filter import MinedFilter
from gomkcn.mining.motif_sets.motif_columns import FEATURE_COLUMNS, MOTIF_COLUMNS, MotifRow
from gomkcn.mining.motif_sets.motif_set import (
    LEAST_BITS,
    MotifSet,
    number_of_motifs,
    shorter_sentence,
    starts_sentence,
)
from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.patterns.permuted import permutes_in
from gomkcn.mining.patterns.run_profile import RunProfile, run_profiles
from gomkcn.mining.plots.filter_drawing import names_nodes
from gomkcn.mining.plots.profile import (
    DRAWING,
    LEAST_COLUMNS,
    MOST_BARS,
    SMALL_DRAWING,
    WIDTH,
    ProfileColumn,
    draw_profile,
)
from gomkcn.mining.plots.structure_drawing import draw_structure, swatch
from gomkcn.mining.plots.styles import Kind, color_class, line_key, relation_lines
from gomkcn.mining.show.blocks_beside_part import blocks_part
from gomkcn.mining.show.drawn_graph import content_policy, page_script
from gomkcn.mining.show.explorer import drawn_nodes, drawn_places, explorer_data
from gomkcn.mining.show.filters_page import filters_row, instances_with_source
from gomkcn.mining.show.filters_text import sample_sentence, without_degrees
from gomkcn.mining.show.leading import leading_filter, leading_structures, order_of_parts
from gomkcn.mining.show.methods import changes_of_input, citations, methods_text
from gomkcn.mining.show.page import Numbers, flatten, render_page
from gomkcn.mining.show.page_table import NumberOf, PageTable, plain_number
from gomkcn.mining.show.roles_part import roles_part
from gomkcn.mining.show.terminal import (
    INSIDE_NOTE,
    LINE_NOTE,
    called,
    close_sentence,
    correction_sentence,
    end_sentence,
    follow_sentence,
    given_sentences,
    has_edits,
    kinds_left_out,
    listed_sentence,
    meaning_sentences,
    motif_colors,
    num_families,
    planted_as,
    set_notes,
    shown_set,
    unused,
    without_class,
    words_of,
)
from gomkcn.mining.structures.class_columns import CLASS_COLUMNS, DifferingRow, differing
from gomkcn.mining.structures.fragments import molecule_of, structure_of
from gomkcn.mining.structures.number_text import percent, whole
from gomkcn.mining.structures.pattern import (
    LESS,
    LEVEL,
    MORE,
    NOT_SHOWN,
    OFTEN,
    RESULT_WORDS,
    MotifPart,
    NullComparison,
    Pattern,
    in_order,
    measure_of,
    odds,
)
from gomkcn.mining.structures.pattern_columns import (
    expected_of,
    observed_text,
    shown_name,
    structure_columns,
)
from gomkcn_dgl.graph_content import COUNTS
from gomkcn_dgl.graphs.shapes import count, counted_size
from gomkcn_dgl.graphs.standard_names import standard_names

# of what is called by its drawing, and of what stands in a sentence
_UNNAMED = 62, 50
_IN_LINE = 58, 48
# filters in the row at the top, one line of a screen
MOST_IN_ROW = 8
# rows of each group of the comparison that are shown at first
_FIRST_ROWS = {MORE: 6, LESS: 4, NOT_SHOWN: 0, "": 0}
_HEADS = {
    MORE: ("▲", "{0}", f"adjusted p ≤ {LEVEL}"),
    LESS: ("▼", "{1}", f"adjusted p ≤ {LEVEL}"),
    NOT_SHOWN: ("", "Not shown to differ", f"adjusted p > {LEVEL}"),
    "": ("", "Not compared", "counted in the graph alone"),
}
# structures that lead in the table of classes, and that follow from one, at first
_MOST_CLASS_ROWS = 8
_MOST_FOLLOWING = 2
# numeric features that are named of a motif, those that differ most
_MOST_FEATURES = 6
# profiles of a null model, and of these the ones of structures alone: more hide the table
_MOST_PROFILES, _MOST_ALONE = 3, 2
_SCRIPT = "report.js"
# beside the page
_ROLES_FILE = "roles.csv"
Row = dict[str, Any]
# a list of patterns.json and a place in it; any path in that file
Place = tuple[str, int]
Path = tuple[str | int, ...]


def render_report(run: MiningRun) -> str:
    """Render a run as one self-contained HTML page, readable without script and without network."""
    numbers = Numbers(run.record)
    drawn = [pattern.structure for pattern in (*run.counted, *run.motif_set)]
    lines = relation_lines(run.graph.kinds, drawn, run.graph.side_names)
    number_of = {node: at for at, node in enumerate(drawn_nodes(run, drawn_places(run)))}
    # 1. the answers: filters, the motif set, the comparison with random graphs, and classes
    of_set = _set_part(run, numbers, lines)
    comparisons = [
        _comparison(run, null, of_set["motifs"], numbers, lines) for null in run.null_models or [""]
    ]
    null = next(iter(run.null_models), "")
    return render_page(
        "report.html.jinja",
        run=run,
        filters=_filters_part(run, lines),
        **of_set,
        null=null,
        verdicts=[called(pattern, null) for pattern in run.counted],
        num_compared=comparisons[0]["compared"],
        order=order_of_parts(run),
        leading=[
            (pattern, draw_structure(pattern.structure, *_IN_LINE, lines=lines, letters=False))
            for pattern in leading_structures(run)
        ],
        comparisons=comparisons,
        roles=roles_part(run, number_of if run.map is not None else {}, lines, _ROLES_FILE),
        repeated=blocks_part(run),
        **_classes_part(run, numbers, lines),
        # 2. the graph: base64 and our own script, neither of which holds a text of the data
        line_key=[(name, swatch(kind, line)) for name, kind, line in line_key(lines)],
        data=Markup(explorer_data(run, of_set["motifs"], lines)),
        script=Markup(page_script(_SCRIPT)),
        policy=content_policy(_SCRIPT),
        # 3. what its sentences are made with, and how the run was made
        numbers=numbers,
        kinds=kinds_left_out(run),
        given_sentences=given_sentences,
        end_sentence=end_sentence,
        draw=partial(draw_structure, lines=lines),
        level=LEVEL,
        measure=measure_of(null),
        result_words=RESULT_WORDS[measure_of(null)],
        expected_of=expected_of,
        observed_text=observed_text,
        counts_of_edges=[note for note in run.notes if note.startswith(COUNTS)],
        changes=changes_of_input(run),
        settings=flatten(run.settings),
        provenance=flatten(run.provenance),
        methods=methods_text(run),
        bibtex=citations(run),
    )


def _set_part(run: MiningRun, numbers: Numbers, lines: dict[Kind, str]) -> dict[str, Any]:
    """The motif set, and what its sentences are made with."""
    shown, path = shown_set(run.motif_set)
    table, motifs = _motif_table(run, shown, path, numbers, lines)
    return {
        "found": run.motif_set,
        "shown": shown,
        "copies": sum(pattern.motif.num_copies for pattern in shown if pattern.motif),
        "motif_table": table,
        "motifs": motifs,
        "totals": _totals(shown, path, numbers) if motifs else {},
        "with_blocks": _with_blocks(run.motif_set),
        "has_occurrences": any(column.key == "occurrences" for column in table.columns),
        "unused": unused,
        "number_of_motifs": number_of_motifs,
        "shorter_sentence": shorter_sentence,
        "starts_sentence": starts_sentence,
        "words": words_of(run.motif_set),
        "least_bits": LEAST_BITS,
        "often": OFTEN,
        "inside_note": INSIDE_NOTE,
        "has_edits": has_edits(shown),
        "set_notes": set_notes(shown),
        "line_note": LINE_NOTE,
    }


def _classes_part(run: MiningRun, numbers: Numbers, lines: dict[Kind, str]) -> dict[str, Any]:
    """The structures that differ between classes; None where graphs have no classes."""
    every = differing(run.counted)
    # what is not reported is in structures.csv alone
    groups = [[row for row in group if row.pattern.id >= 0] for group in every]
    search = run.class_search
    return {
        "classes": None if search is None else _class_table(run, groups, numbers, lines),
        "num_differing": 0 if search is None else search.num_differing,
        "says_searched": "" if search is None else str(search),
        "says_following": "" if search is None else follow_sentence(every, search),
        "says_listed": "" if search is None else listed_sentence(sum(map(len, groups)), search),
        "says_without_class": without_class(run),
        "most_leading": _MOST_CLASS_ROWS,
        "most_following": _MOST_FOLLOWING,
    }


def _filters_part(run: MiningRun, lines: dict[Kind, str]) -> dict[str, Any] | None:
    """The filters: a sentence, and a row of them; None where they were left out."""
    found = run.filters
    if found is None:
        return None
    if not found.filters:
        return {"lead": "", "note": found.note, "row": ""}
    number = partial(Numbers(found.to_dict(), f"{FOLDER}/{RECORD}"), "filters")
    number_of_first = leading_filter(run)
    page = f"{FOLDER}/{PAGE}"
    shown = found.filters[:MOST_IN_ROW]
    every = "its page" if len(found.filters) == 1 else f"all {len(found.filters)} on their page"
    more = f" and {len(found.filters) - 1} more" if len(found.filters) > 1 else ""
    meaning = (
        "Instances: the different node sets that the subgraphs around nodes show the structure at."
    )
    lead = Markup()
    if number_of_first is not None:
        first = found.filters[number_of_first]
        drawing = draw_structure(first.structure, *_IN_LINE, lines=lines, letters=False)
        lead = Markup("The subgraphs around the nodes have <b>{}</b>: {}{} ({}){}.").format(
            count(len(found.filters), "filter"),
            Markup('<span class="in-line plain-pic">{}</span> ').format(drawing),
            f"filter {first.id}" if counted_size(first.name) else without_degrees(first),
            instances_with_source(first, number),
            more,
        )
    return {
        "lead": lead,
        "note": " ".join((found.note, sample_sentence(found), meaning)),
        "page": page,
        "link": f"Details, and {every}",
        "row": filters_row(
            shown,
            found.colors,
            lines=lines,
            number=number,
            href=f"{page}#filter-{{}}",
            notes={mined.id: _note_of_filter(run, mined) for mined in shown},
        ),
    }


def _note_of_filter(run: MiningRun, mined: MinedFilter) -> str:
    """Which motif the structure of a filter is, and which planted one."""
    assert run.filters is not None, "it is one of them"
    shown, _ = shown_set(run.motif_set)
    notes = [
        f"motif {number}" for number, motif in enumerate(shown) if motif.key == mined.structure.key
    ]
    planted = run.filters.planted_as(mined.id)
    return ", ".join(notes + ([f"planted: {planted}"] if planted else []))


def _motif_table(
    run: MiningRun, shown: MotifSet, path: tuple[str, ...], numbers: Numbers, lines: dict[Kind, str]
) -> tuple[PageTable[MotifRow], list[Row]]:
    """The table of the set, and its rows, near variants below the motif that they are one of."""
    places = {pattern.key: place for place, pattern in _with_places(run)}
    rows = shown.rows([planted_as(pattern, run.recovery) for pattern in shown])
    table = PageTable.of(MOTIF_COLUMNS, rows)
    colors = motif_colors(shown)
    order = sorted(
        rows,
        key=lambda row: (row.is_below_line, colors[row.number], row.variant_of is not None),
    )
    leading = {row.variant_of for row in rows}
    drawn = []
    for row in order:
        number = _number_of_motif(
            numbers, (*path, "motifs", row.number), places.get(row.pattern.key)
        )
        edits = row.part.often(row.pattern.structure)
        drawn.append(
            {
                "number": row.number,
                "variant_of": row.variant_of,
                "is_below_line": row.is_below_line,
                "has_variant": row.number in leading,
                "color": color_class(colors[row.number]),
                "pattern": row.pattern,
                "short": row.pattern.label,
                "name": row.pattern.name,
                "subs": _subs_of_motif(run, row),
                "says_edits": _edits_text(row, number) if len(row.part.edits) else "",
                "edits": edits,
                "features": _feature_table(row.part, number),
                # no node set is what would be drawn
                "svg": "" if row.pattern.is_dense_group else _draw_motif(row, shown, edits, lines),
                "cells": table.cells(row, number),
                "below": table.below_name(row, number),
                "csv": table.csv_row(row),
            }
        )
    return table, drawn


def _number_of_motif(numbers: Numbers, in_set: Path, in_list: Path | None) -> NumberOf:
    """Writes numbers of a motif: all but its occurrences are those of the set."""

    def number(*path: str | int, text: str | Callable[[Any], str] | None = None) -> Markup:
        if path[0] != "frequency":
            return numbers(*in_set, *path, text=text)
        # what is in the other base alone was not counted
        if in_list is None:
            return plain_number(text=str(text))
        return numbers(*in_list, *path, text=text)

    return number


def _subs_of_motif(run: MiningRun, row: MotifRow) -> list[str]:
    """What stands below the name of a motif."""
    pattern = row.pattern
    # the shape, then relations and categories
    more = "" if pattern.is_dense_group else pattern.name.partition(": ")[2]
    size = f"{count(pattern.num_nodes, 'node')}, {count(len(pattern.edges), 'edge')}"
    filters = [] if run.filters is None else run.filters.filters
    same = [str(mined.id) for mined in filters if mined.structure.key == pattern.key]
    subs = {
        more: bool(more),
        size: size not in pattern.label,
        f"near variant of motif {row.variant_of}": row.variant_of is not None,
        f"planted: {row.planted}": bool(row.planted),
        f"filter {', '.join(same)}": bool(same),
        "proposed as a filter": "filters" in pattern.sources and not same,
    }
    return [text for text, holds in subs.items() if holds]


def _draw_motif(
    row: MotifRow, shown: MotifSet, edits: dict[str, Any], lines: dict[Kind, str]
) -> Markup:
    """The drawing of a motif, a small one of a variant."""
    is_variant = row.variant_of is not None
    lacks = []
    if row.variant_of is not None:
        lacks = _missing_pairs(row.pattern, shown.motifs[row.variant_of])
    return draw_structure(
        row.pattern.structure,
        *((60, 50) if is_variant else (82, 66)),
        lines=lines,
        letters=not is_variant,
        hollow=is_variant,
        missing=[*lacks, *edits["missing"]],
        added=edits["added"],
    )


def _edits_text(row: MotifRow, number: NumberOf) -> Markup:
    """How many copies are exact, and what the others lack and have beside."""
    edges, others = row.part.totals(row.pattern.structure)
    return Markup(
        "{} copies, {} exact; {} of {} edges missing ({}), {} added ({} of {} other pairs)"
    ).format(
        number("copies"),
        number("copies_exact"),
        number("missing"),
        whole(edges),
        number("missing_rate", text=percent),
        number("added"),
        number("added_rate", text=percent),
        whole(others),
    )


def _feature_table(part: MotifPart, number: NumberOf) -> dict[str, Any] | None:
    """The numeric features at orbits that differ most from all nodes; None without any."""
    shown = part.features[:_MOST_FEATURES]
    if not shown:
        return None
    table = PageTable.of(FEATURE_COLUMNS, shown)
    rows = [
        {"name": feature.feature, "cells": table.cells(feature, partial(number, "features", at))}
        for at, feature in enumerate(shown)
    ]
    return {"table": table, "rows": rows}


def _totals(shown: MotifSet, path: Path, numbers: Numbers) -> dict[str, Markup | str]:
    """What the whole set has, by the key of the column."""
    of_set = partial(numbers, *path)
    copies = sum(pattern.motif.num_copies for pattern in shown if pattern.motif)
    return {
        "copies": f"{copies:,}",
        "nodes_covered": of_set("nodes_covered", text=percent),
        "edges_covered": of_set("edges_covered", text=percent),
        "bits_saved": of_set("bits_saved"),
    }


def _with_blocks(found: MotifSet) -> dict[str, str] | None:
    """What a description by blocks saves, beside the set that is shown; None without one."""
    if found.other is None:
        return None
    blocks, degrees = (
        (found, found.other) if found.other.num_blocks is None else (found.other, found)
    )
    if blocks.num_blocks is None:
        return None
    motifs = number_of_motifs(blocks) if blocks.motifs else "no motifs"
    return {
        "name": f"For comparison: {count(blocks.num_blocks, 'block')} of nodes, {motifs}",
        "bits_saved": whole(degrees.bits_base - blocks.bits_total),
    }


def _missing_pairs(pattern: Pattern, leader: Pattern) -> list[tuple[int, int]]:
    """The edge that a variant lacks of its motif; none where it has one more."""
    structure = pattern.structure
    if len(pattern.edges) > len(leader.edges) or len(structure.relations.channels) > 1:
        return []
    for u, v in np.argwhere(np.triu(~structure.joined, 1)).tolist():
        channels = structure.channels.copy()
        channels[u, v] = channels[v, u] = True
        if structure.with_channels(channels).key == leader.key:
            return [(u, v)]
    return []


@dataclass(frozen=True)
class _Compared:
    """The structures that the table of a null model lists, and those that are counted alone.

    Attributes
    ----------
    null : str
        "" where nothing was compared.
    listed : list of (Place, Pattern)
    absent : list of Pattern
        What random graphs alone have: there are many, and a row of each says nothing.
    """

    null: str
    listed: list[tuple[Place, Pattern]]
    absent: list[Pattern]

    @classmethod
    def of(cls, run: MiningRun, null: str) -> _Compared:
        """What of a run is in the table; motifs that were not compared are in that of the set."""
        listed = []
        absent = []
        for place, pattern in _with_places(run):
            result = pattern.significance.get(null)
            if result is None and pattern.motif is not None:
                continue
            # a null model that permutes says nothing of most, nor others of what it alone has met
            if result is None and (permutes_in(null) or not pattern.frequency.occurrences.high):
                continue
            # many, which were counted since classes differ in them
            if pattern.id < 0 and pattern.classes and pattern.sources == ("frequent",):
                continue
            if result is None or result.is_called or pattern.frequency.occurrences.high:
                listed.append((place, pattern))
            # those of another null model may have some that these have not
            elif result.largest > 0:
                absent.append(pattern)
        return cls(null, listed, absent)

    @property
    def patterns(self) -> list[Pattern]:
        """The structures of the table."""
        return [pattern for _, pattern in self.listed]

    @property
    def results(self) -> list[tuple[Place, Pattern, NullComparison]]:
        """Those of the table that were compared."""
        return [
            (place, pattern, pattern.significance[self.null])
            for place, pattern in self.listed
            if self.null in pattern.significance
        ]

    @property
    def compared(self) -> list[Pattern]:
        """All that were compared."""
        return [*(pattern for _, pattern, _ in self.results), *self.absent]


def _comparison(
    run: MiningRun, null: str, motifs: Sequence[Row], numbers: Numbers, lines: dict[Kind, str]
) -> dict[str, Any]:
    """The table of a null model, in groups by result, and what is said around it."""
    found = _Compared.of(run, null)
    table = PageTable.of(structure_columns(found.patterns, [null] if null else []), found.patterns)
    compared = found.compared
    sizes = sorted({pattern.num_nodes for pattern in compared})
    samples = compared[0].significance[null].num_samples if compared else 0
    families = num_families(compared, null)
    return {
        "null": null,
        "table": table,
        "groups": _groups(run, found, table, motifs, numbers, lines),
        "compared": len(compared),
        "meaning": meaning_sentences(run, null),
        "close": close_sentence(run, null),
        "drawn": run.random_graphs.get(null, ""),
        "sizes": " to ".join(map(str, dict.fromkeys([*sizes[:1], *sizes[-1:]]))),
        "samples": f"{samples:,}",
        "correction": correction_sentence(families, null),
        "measure": measure_of(null),
        "is_exact": all(pattern.frequency.occurrences.is_exact for pattern in compared),
        **_profiles(found, lines),
    }


def _groups(
    run: MiningRun,
    found: _Compared,
    table: PageTable[Pattern],
    motifs: Sequence[Row],
    numbers: Numbers,
    lines: dict[Kind, str],
) -> list[dict[str, Any]]:
    """The rows of a table by their result."""
    badges = {row["pattern"].key: row for row in motifs}
    kinds = kinds_left_out(run)
    rows: dict[str, list[Row]] = {verdict: [] for verdict in _HEADS}
    place_of = {id(pattern): place for place, pattern in found.listed}
    for pattern in in_order(found.patterns, found.null):
        row = _pattern_row(pattern, place_of[id(pattern)], table, numbers, lines)
        row["motif"] = badges.get(pattern.key)
        if kinds and pattern.structure.alone is pattern.structure:
            row["sub"] = kinds
        rows[called(pattern, found.null)].append(row)
    groups = []
    for verdict, (sign, head, small) in _HEADS.items():
        title = head.format(*map(str.capitalize, RESULT_WORDS[measure_of(found.null)]))
        of_all = f" of {len(found.compared):,}" if verdict else ""
        number = len(rows[verdict])
        if verdict == NOT_SHOWN and found.absent:
            number += len(found.absent)
            small += f"; {len(found.absent):,} that random graphs alone have are not listed"
        if rows[verdict]:
            groups.append(
                {
                    "sign": sign,
                    "title": f"{title}: {number:,}{of_all}",
                    "small": small,
                    "rows": rows[verdict],
                    "first": _FIRST_ROWS[verdict],
                    "is_called": verdict in (MORE, LESS),
                }
            )
    return groups


def _profiles(found: _Compared, lines: dict[Kind, str]) -> dict[str, Any]:
    """The profiles of the families that tell most, and whether any has a ring."""
    rows = [(f"#{_anchor(place)}", pattern) for place, pattern, _ in found.results]
    rows += [("", pattern) for pattern in found.absent]
    compared = [(pattern, pattern.significance[found.null]) for _, pattern in rows]
    profiles = [one for one in run_profiles(compared) if len(one.places) > 1]
    alone = [one for one in profiles if not one.family.has_kinds][:_MOST_ALONE]
    shown = [*alone, *(one for one in profiles if one.family.has_kinds)][:_MOST_PROFILES]
    drawn = [_drawn_profile(one, rows, compared, lines) for one in shown]
    return {
        "profiles": drawn,
        "has_rings": any('<circle class="no-z"' in one for one in drawn),
        "other_profiles": [one.family.name for one in profiles if one not in shown],
    }


def _drawn_profile(
    profile: RunProfile,
    rows: Sequence[tuple[str, Pattern]],
    compared: Sequence[tuple[Pattern, NullComparison]],
    lines: dict[Kind, str],
) -> Markup:
    """The profile of a family, whose bars are links to rows."""
    shown = profile.shown(compared, MOST_BARS)
    size = DRAWING if len(shown) <= LEAST_COLUMNS else SMALL_DRAWING
    columns = []
    for at in shown:
        address, pattern = rows[at]
        result = compared[at][1]
        drawing = draw_structure(pattern.structure, *size, lines=lines, letters=False)
        says = "no z" if result.z is None else f"z {result.z:+.1f}"
        columns.append(
            ProfileColumn(
                _name_of_bar(pattern), address, drawing, (profile.entry(result),), says,
                result.is_called,
            )
        )  # fmt: skip
    return draw_profile(columns, profile.title(len(shown)), WIDTH, size)


def _name_of_bar(pattern: Pattern) -> str:
    """What is said of a bar, which has no drawing beside it."""
    standard = str(standard_names(pattern.structure))
    return ", ".join(filter(None, (shown_name(pattern), standard)))


def _pattern_row(
    pattern: Pattern,
    place: Place,
    table: PageTable[Any],
    numbers: Numbers,
    lines: dict[Kind, str],
    record: Any = None,
) -> Row:
    """What a table shows of a structure, whose row is the ``record``, by default the structure."""
    record = pattern if record is None else record
    number = partial(numbers, *place)
    _, _, more = pattern.name.partition(": ")
    size = counted_size(pattern.name)
    return {
        "id": _anchor(place),
        "at": place[1] if place[0] == "patterns" else None,
        "motif": None,
        "name": pattern.label,
        # of what has no name it is the name
        "says_number": place[0] == "patterns" and not size,
        "sub": " · ".join(filter(None, (size if size != pattern.label else "", more))),
        "svg": _draw_pattern(pattern, lines),
        "cells": table.cells(record, number),
        "below": table.below_name(record, number),
        "csv": table.csv_row(record),
    }


def _draw_pattern(pattern: Pattern, lines: dict[Kind, str]) -> Markup:
    """The drawing of a structure; a text that names nodes by letters needs them there."""
    if molecule_of(pattern.structure) is not None:
        return draw_structure(pattern.structure, 62, 50)
    if names_nodes(pattern.name.partition(" (")[0]):
        return draw_structure(pattern.structure, 82, 66, lines=lines, beside=True)
    if counted_size(pattern.name):
        return draw_structure(pattern.structure, *_UNNAMED, lines=lines, letters=False)
    return draw_structure(pattern.structure, 44, 36, lines=lines, letters=False)


def _class_table(
    run: MiningRun,
    groups: Sequence[Sequence[DifferingRow]],
    numbers: Numbers,
    lines: dict[Kind, str],
) -> dict[str, Any]:
    """Structures that differ between the classes, by what they follow from, the surest first."""
    place_of = {id(pattern): place for place, pattern in _with_places(run)}
    table = PageTable.of(CLASS_COLUMNS, [row for group in groups for row in group])
    rows = [
        [
            _pattern_row(row.pattern, place_of[id(row.pattern)], table, numbers, lines, record=row)
            | {"tie": row.tie, **_named_by_chemists(row)}
            for row in group
        ]
        for group in groups
    ]
    lead: Markup | str = "No structure differs between the classes."
    if groups:
        surest = groups[0][0]
        lead = _class_lead(run, surest, partial(numbers, *place_of[id(surest.pattern)]), lines)
    return {"table": table, "groups": rows, "lead": lead}


def _named_by_chemists(row: DifferingRow) -> dict[str, Any]:
    """The name of a fragment of molecules, and its drawing with whole rings."""
    name, _, more = row.name.partition(": ")
    named: dict[str, Any] = {"name": name, "sub": more}
    if row.classes.rings is not None:
        named["svg"] = draw_structure(structure_of(row.classes.rings.smiles), 82, 66)
    return named


def _class_lead(
    run: MiningRun, row: DifferingRow, number: NumberOf, lines: dict[Kind, str]
) -> Markup:
    """The structure that separates the classes most surely, in a sentence."""
    best = row.strongest
    of_class = partial(number, "classes", "contrasts", row.classes.contrasts.index(best))
    name, _, more = row.name.partition(": ")
    rings = row.classes.rings
    if rings is not None:
        # what nobody reads at sight is shown whole
        name = (
            f"a part of {rings.smiles}, which {rings.graphs} of {rings.num_graphs} molecules with "
            "it contain"
        )
        drawn, more = structure_of(rings.smiles), ""
    else:
        drawn = row.pattern.structure
    named = Markup('<span class="in-line plain-pic">{}</span> {}').format(
        draw_structure(drawn, *_IN_LINE, lines=lines, letters=False),
        f"{name} ({more})" if more else name,
    )
    search = run.class_search
    assert search is not None, "graphs have classes"
    # "most surely" is said of all that was asked for
    head = "The classes differ most surely in"
    if not search.is_complete:
        head = "Of what was compared, the classes differ most in"
        if search.is_complete_enough:
            head = f"Of subgraphs of up to {search.most_nodes} nodes, the classes differ most in"
    return Markup(
        "{} {}: it is in <b>{} of {}</b> graphs of class {}, and in "
        "{} of {} others (odds ratio {}, p = {})."
    ).format(
        head,
        named,
        of_class("containing"),
        of_class("num_graphs"),
        best.name,
        of_class("others_containing"),
        of_class("num_others"),
        of_class("odds_ratio", text=odds),
        of_class("p", text=lambda p: f"{p:.2g}"),
    )


def _with_places(run: MiningRun) -> list[tuple[Place, Pattern]]:
    """All structures with their place in patterns.json."""
    lists = {"patterns": run.patterns, "others": run.others}
    return [
        ((name, at), pattern) for name, found in lists.items() for at, pattern in enumerate(found)
    ]


def _anchor(place: Place) -> str:
    return f"{'pattern' if place[0] == 'patterns' else 'other'}-{place[1]}"
