"""A run → its page: what the graph is made of, how it compares with random graphs, and where.

Every number comes from ``patterns.json`` or ``run.json``, and sentences are made of numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from typing import Any

import numpy as np
from markupsafe import Markup

from gomkcn.mining.filters.filters_run import FOLDER, PAGE, RECORD
from gomkcn.mining.filters.mined_filter import MinedFilter
from gomkcn.mining.motif_sets.motif_set import (
    LEAST_BITS,
    MotifSet,
    number_of_motifs,
    shorter_sentence,
)
from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.plots.filter_drawing import names_nodes
from gomkcn.mining.plots.profile import MOST_BARS, draw_profile
from gomkcn.mining.plots.structure_drawing import draw_structure, swatch
from gomkcn.mining.plots.styles import Kind, color_class, relation_lines
from gomkcn.mining.show.drawn_graph import content_policy, page_script
from gomkcn.mining.show.explorer import explorer_data, first_called
from gomkcn.mining.show.filters_page import filters_row, instances_with_source
from gomkcn.mining.show.filters_text import sample_sentence, without_degrees
from gomkcn.mining.show.page import Numbers, expected, flatten, percent, render_page, signed, whole
from gomkcn.mining.show.terminal import (
    EDITS_NOTE,
    INSIDE_NOTE,
    DifferingRow,
    called,
    close_sentence,
    correction_sentence,
    differing,
    end_sentence,
    follow_sentence,
    given_sentences,
    has_edits,
    kinds_left_out,
    leaders,
    motif_colors,
    num_families,
    planted_as,
    share_inside,
    shown_set,
    unused,
    without_class,
    words_of,
)
from gomkcn.mining.significance.verdicts import PERMUTATIONS
from gomkcn.mining.structures.fragments import molecule_of
from gomkcn.mining.structures.pattern import (
    LESS,
    LEVEL,
    MORE,
    NOT_SHOWN,
    OFTEN,
    MotifPart,
    NullComparison,
    OccurrenceCount,
    Pattern,
    digits,
    null_column,
    odds,
)
from gomkcn_dgl.csr import CONSTANT, MIRRORED
from gomkcn_dgl.graphs.shapes import count
from gomkcn_dgl.graphs.structure import node_letter
from gomkcn_dgl.relations import PLAIN

# filters in the row at the top, one line of a screen
MOST_IN_ROW = 8
# rows of each group of the comparison that are shown at first
_FIRST_ROWS = {MORE: 6, LESS: 4, NOT_SHOWN: 0, "": 0}
_HEADS = {
    MORE: ("▲", "Over-represented", f"adjusted p ≤ {LEVEL}"),
    LESS: ("▼", "Under-represented", f"adjusted p ≤ {LEVEL}"),
    NOT_SHOWN: ("", "Not shown to differ", f"adjusted p > {LEVEL}"),
    "": ("", "Not compared", "counted in the graph alone"),
}
# structures that lead in the table of classes, and that follow from one, at first
_MOST_CLASS_ROWS = 8
_MOST_FOLLOWING = 2
# numeric features that are named of a motif, those that differ most
_MOST_FEATURES = 6
_SCRIPT = "report.js"
# how any list of edges without features is read, which changes nothing
_USUAL = tuple(note.partition("{")[0] for note in (CONSTANT, MIRRORED))
Row = dict[str, Any]
# a list of patterns.json and a place in it, and what writes a number there with its source
Place = tuple[str, int]
Number = Callable[..., Markup]


def render_report(run: MiningRun) -> str:
    """Render a run as one self-contained HTML page, readable without script and without network."""
    numbers = Numbers(run.to_dict())
    drawn = [pattern.structure for pattern in (*run.patterns, *run.motif_set)]
    lines = relation_lines(run.graph.relations, drawn)
    shown, path = shown_set(run.motif_set)
    motifs = _motif_rows(run, shown, path, numbers, lines)
    null = next(iter(run.null_models), "")
    has_classes = any(one.classes for one in run.counted)
    return render_page(
        "report.html.jinja",
        run=run,
        filters=_filters_part(run, lines),
        found=run.motif_set,
        shown=shown,
        of_set=partial(numbers, *path),
        copies=sum(one.motif.num_copies for one in shown if one.motif),
        null=null,
        verdicts=[called(one, null) for one in run.counted],
        first_called=first_called(run),
        num_differing=sum(map(len, differing(run))),
        motifs=motifs,
        has_occurrences=any(row["of"] for row in motifs),
        comparisons=[
            {"null": null, **_comparison(run, null, motifs, numbers, lines)}
            for null in run.null_models or [""]
        ],
        classes=_class_groups(run, numbers, lines) if has_classes else None,
        says_following=follow_sentence(differing(run)),
        says_without_class=without_class(run) if has_classes else "",
        most_leading=_MOST_CLASS_ROWS,
        most_following=_MOST_FOLLOWING,
        permutations=PERMUTATIONS,
        line_key=[
            (_relation_name(run, name), swatch((name, way), line))
            for (name, way), line in lines.items()
        ],
        # base64 and our own script, neither of which holds a text of the data
        data=Markup(explorer_data(run, motifs, lines)),
        script=Markup(page_script(_SCRIPT)),
        policy=content_policy(_SCRIPT),
        # what its sentences are made with
        numbers=numbers,
        kinds=kinds_left_out(run),
        unused=unused,
        given_sentences=given_sentences,
        end_sentence=end_sentence,
        number_of_motifs=number_of_motifs,
        shorter_sentence=shorter_sentence,
        words=words_of(run.motif_set),
        draw=partial(draw_structure, lines=lines),
        least_bits=LEAST_BITS,
        often=OFTEN,
        inside_note=INSIDE_NOTE,
        edits_note=EDITS_NOTE if has_edits(shown) else "",
        level=LEVEL,
        changes=[note for note in run.notes if not note.startswith(_USUAL)],
        settings=flatten(run.settings),
        provenance=flatten(run.provenance),
    )


def _relation_name(run: MiningRun, name: str) -> str:
    """What the key calls the edges of a relation; those of structures alone are of any."""
    is_any = name == PLAIN and name not in {one.name for one in run.graph.relations}
    return "any relation" if is_any else name


def _filters_part(run: MiningRun, lines: dict[Kind, str]) -> dict[str, Any] | None:
    """The filters: a sentence, and a row of them; None where they were left out."""
    own = run.filters
    if own is None:
        return None
    if not own.filters:
        return {"lead": "", "note": own.note, "row": ""}
    numbers = Numbers(own.to_dict(), f"{FOLDER}/{RECORD}")
    first = own.filters[0]
    page = f"{FOLDER}/{PAGE}"
    shown = own.filters[:MOST_IN_ROW]
    every = "its page" if len(own.filters) == 1 else f"all {len(own.filters)} on their page"
    return {
        "lead": Markup("The subgraphs around the nodes have <b>{}</b>: {} ({}){}.").format(
            count(len(own.filters), "filter"),
            without_degrees(first),
            instances_with_source(first, partial(numbers, "filters")),
            f" and {len(own.filters) - 1} more" if len(own.filters) > 1 else "",
        ),
        "note": " ".join(
            (
                own.note,
                sample_sentence(own),
                "Instances: the different node sets that the subgraphs around nodes show the "
                "structure at.",
            )
        ),
        "page": page,
        "link": f"Details, and {every}",
        "row": filters_row(
            shown,
            own.colors,
            lines=lines,
            number=partial(numbers, "filters"),
            href=f"{page}#filter-{{}}",
            notes={one.id: _said_of_filter(run, one) for one in shown},
        ),
    }


def _said_of_filter(run: MiningRun, one: MinedFilter) -> str:
    """Which motif the structure of a filter is, and which planted one."""
    assert run.filters is not None, "it is one of them"
    shown, _ = shown_set(run.motif_set)
    motifs = [number for number, motif in enumerate(shown) if motif.key == one.structure.key]
    said = [f"motif {number}" for number in motifs]
    planted = run.filters.planted_as(one.id)
    return ", ".join(said + ([f"planted: {planted}"] if planted else []))


def _motif_rows(
    run: MiningRun, shown: MotifSet, path: tuple[str, ...], numbers: Numbers, lines: dict[Kind, str]
) -> list[Row]:
    """A row for each motif, near variants below the motif that they are variants of."""
    places = {one.key: at for at, one in _with_places(run)}
    leader = leaders(shown)
    colors = motif_colors(shown)
    order = sorted(range(len(shown)), key=lambda at: (colors[at], at in leader))
    parts = {number: one.motif for number, one in enumerate(shown) if one.motif is not None}
    # the largest share is above 0 where the set saves bits
    most = max((part.share for part in parts.values() if part.share > 0), default=1.0)
    edges = {
        at: len(shown.motifs[at].edges) * part.num_copies + part.added - part.missing
        for at, part in parts.items()
    }
    rows = []
    for number in order:
        one = shown.motifs[number]
        part = parts[number]
        leading = leader.get(number)
        is_variant = leading is not None
        own = partial(numbers, *path, "motifs", number)
        edits = part.often(one.structure)
        lacks = _missing_pairs(one, shown.motifs[leading]) if leading is not None else []
        # nodes of all copies, each once; ids are those of a graph of the collection
        copies = part.copies
        ids = np.column_stack([np.repeat(copies.graph, one.num_nodes), copies.nodes.ravel()])
        # the shape, then relations and categories
        name, _, more = one.name.partition(": ")
        size = f"{count(one.num_nodes, 'node')}, {count(len(one.edges), 'edge')}"
        planted = planted_as(one, run.recovery)
        of_filters = [] if run.filters is None else run.filters.filters
        same = [str(seen.id) for seen in of_filters if seen.structure.key == one.key]
        seen_by = f"filter {', '.join(same)}" if same else ""
        subs = {
            more: more,
            size: not name.startswith(size),
            f"near variant of motif {leading}": is_variant,
            f"planted: {planted}": planted,
            seen_by: seen_by,
        }
        total = one.frequency.occurrences
        has_more = total.value > part.num_copies and not len(part.edits)
        counted: Markup | str = ""
        interval: Markup | str = ""
        # what is in the other base alone was not counted
        if has_more and (place := places.get(one.key)):
            of_all = partial(numbers, *place, "frequency", "occurrences")
            counted, interval = _counted(total, of_all)
        rows.append(
            {
                "number": number,
                "variant_of": leading,
                "has_variant": number in leader.values(),
                "color": color_class(colors[number]),
                "pattern": one,
                "name": one.name,
                "short": name,
                "subs": [text for text, is_said in subs.items() if is_said],
                "says_edits": _edits_said(one, part, own) if len(part.edits) else "",
                "edits": edits,
                "features": _feature_rows(part, own),
                "svg": draw_structure(
                    one.structure,
                    *((60, 50) if is_variant else (82, 66)),
                    lines=lines,
                    letters=not is_variant,
                    hollow=is_variant,
                    missing=[*lacks, *edits["missing"]],
                    added=edits["added"],
                ),
                "copies": own("copies"),
                # all occurrences, where there are more
                "of": counted,
                "interval": interval,
                "nodes": percent(len(np.unique(ids, axis=0)) / max(1, run.graph.num_nodes)),
                "edges": percent(shown.edges_covered * edges[number] / max(1, sum(edges.values()))),
                "share": own("share"),
                "bits": whole(part.bits),
                "bar": max(2, round(56 * part.share / most)),
                "csv": [number, one.name, part.num_copies, round(part.share, 1),
                        round(part.bits, 1), one.structure.to_text()],
            }
        )  # fmt: skip
    return rows


def _edits_said(one: Pattern, part: MotifPart, own: Number) -> Markup:
    """How many copies are exact, and what the others lack and have beside."""
    edges, others = part.totals(one.structure)
    return Markup(
        "{} copies, {} exact; {} of {} edges missing ({}), {} added ({} of {} other pairs)"
    ).format(
        own("copies"),
        own("copies_exact"),
        own("missing"),
        whole(edges),
        own("missing_rate", text=percent),
        own("added"),
        own("added_rate", text=percent),
        whole(others),
    )


def _feature_rows(part: MotifPart, own: Number) -> list[Row]:
    """The numeric features at orbits that differ most from all nodes."""
    return [
        {
            "feature": one.feature,
            "nodes": ", ".join(map(node_letter, one.nodes)),
            **{
                name: own("features", at, name, text=_three_digits)
                for name in ("mean", "sd", "mean_all", "sd_all")
            },
        }
        for at, one in enumerate(part.features[:_MOST_FEATURES])
    ]


def _three_digits(value: float) -> str:
    return whole(value) if abs(value) >= 100 else f"{value:.3g}".replace("-", "−")


def _missing_pairs(one: Pattern, head: Pattern) -> list[tuple[int, int]]:
    """The edge that a variant lacks of its motif; none where it has one more."""
    structure = one.structure
    if len(one.edges) > len(head.edges) or len(structure.relations.channels) > 1:
        return []
    for u, v in np.argwhere(np.triu(~structure.joined, 1)).tolist():
        channels = structure.channels.copy()
        channels[u, v] = channels[v, u] = True
        if structure.with_channels(channels).key == head.key:
            return [(u, v)]
    return []


def _comparison(
    run: MiningRun, null: str, motifs: Sequence[Row], numbers: Numbers, lines: dict[Kind, str]
) -> dict[str, Any]:
    """Rows by result, and the profile of the structures that were compared."""
    rows: dict[str, list[Row]] = {head: [] for head in _HEADS}
    badge = {row["pattern"].key: row for row in motifs}
    listed, absent = [], []
    kinds = kinds_left_out(run)
    for at, one in _with_places(run):
        result = one.significance.get(null)
        if result is None and one.motif is not None:
            # it stands in the table of the set
            continue
        if result and not result.is_called and not one.frequency.occurrences.high:
            # of what random graphs alone have there are many, and a row of each says nothing; those
            # of another null model may have some that these have not
            if result.largest > 0:
                absent.append((at, one, result))
            continue
        row = _pattern_row(one, at, numbers, lines) | {"motif": badge.get(one.key)}
        if kinds and one.structure.alone is one.structure:
            row["sub"] = kinds
        if result is not None:
            listed.append((at, one, result))
            own = partial(numbers, *at, "significance", null)
            mean, sd = expected(result.mean, result.sd)
            row |= {
                "mean": own("mean", text=mean),
                "sd": own("sd", text=sd),
                "z": "–" if result.z is None else own("z", text=signed),
                "p": own("p_adjusted", text=lambda p: f"{p:.3f}"),
            }
            record = result.to_dict()
            row["csv"] += [record[name] for name in ("mean", "sd", "z", "p_adjusted")]
        rows[called(one, null)].append(row)
    compared = [*listed, *absent]
    totals = {verdict: len(own) for verdict, own in rows.items()}
    totals[NOT_SHOWN] += len(absent)
    notes = {NOT_SHOWN: f"; {len(absent)} that random graphs alone have are not listed"}
    groups = [
        {
            "sign": sign,
            "title": f"{title}: {totals[verdict]}{f' of {len(compared)}' if verdict else ''}",
            "small": small + (notes.get(verdict, "") if absent else ""),
            "rows": rows[verdict],
            "first": _FIRST_ROWS[verdict],
            "is_called": verdict in (MORE, LESS),
        }
        for verdict, (sign, title, small) in _HEADS.items()
        if rows[verdict]
    ]
    sizes = sorted({one.num_nodes for _, one, _ in compared})
    samples = compared[0][2].num_samples if compared else 0
    families = num_families([one for _, one, _ in compared])
    # by size and edges, so that profiles of graphs can be compared
    bars = sorted(listed, key=lambda row: (row[1].num_nodes, len(row[1].edges), row[1].key))
    # what has no z is called, or is the same everywhere
    largest = sorted(bars, key=_how_far, reverse=True)[:MOST_BARS]
    shown = {at for at, *_ in largest}
    profile = [
        (one.name, f"#{_anchor(at)}", result.z, result.is_called)
        for at, one, result in bars
        if at in shown
    ]
    says = f"the {len(profile)} of {len(compared)} structures with the largest z"
    return {
        "groups": groups,
        "compared": len(compared),
        "close": close_sentence(run, null),
        "column": null_column(null),
        "sizes": " to ".join(map(str, dict.fromkeys([*sizes[:1], *sizes[-1:]]))),
        "samples": samples,
        "least_p": f"{families / (samples + 1):.3f}",
        "correction": correction_sentence(families),
        "profile": draw_profile(profile) if len(profile) > 1 else "",
        "has_rings": any(z is None for *_, z, _ in profile),
        "profile_says": says if len(profile) < len(compared) else "",
        "is_exact": all(one.frequency.occurrences.is_exact for _, one, _ in compared),
    }


def _how_far(row: tuple[Place, Pattern, NullComparison]) -> float:
    """How far a structure lies out: |z|, and where there is none, whether it is called at all."""
    _, _, result = row
    return abs(result.z) if result.z is not None else inf if result.is_called else 0.0


def _pattern_row(one: Pattern, at: Place, numbers: Numbers, lines: dict[Kind, str]) -> Row:
    """What each table shows of a structure: drawing, name, count, and the share inside copies."""
    total = one.frequency.occurrences
    (name, _, more) = one.name.partition(": ")
    counted, interval = _counted(total, partial(numbers, *at, "frequency", "occurrences"))
    listed = len(one.occurrences)
    held = sum(one.inside)
    share = share_inside(held, listed) if one.inside and listed else ""
    # a text that names nodes by letters needs them in the drawing
    if molecule_of(one.structure) is not None:
        drawing = draw_structure(one.structure, 62, 50)
    elif names_nodes(one.name):
        drawing = draw_structure(one.structure, 82, 66, lines=lines, beside=True)
    else:
        drawing = draw_structure(one.structure, 44, 36, lines=lines, letters=False)
    return {
        "id": _anchor(at),
        "at": at[1] if at[0] == "patterns" else None,
        "motif": None,
        "name": name,
        "sub": more,
        "svg": drawing,
        "count": counted,
        "interval": interval,
        "inside": numbers(*at, "inside", text=share) if share else "–",
        "inside_says": f"{held:,} of {listed:,} listed" if share else "",
        "width": round(44 * held / listed) if share else 0,
        "csv": [one.name, one.structure.to_text(), total.value],
    }


def _counted(total: OccurrenceCount, own: Number) -> tuple[Markup, Markup | str]:
    """A count as every table shows it, and the interval of an estimate; empty where it is exact."""
    if total.state == "bounded":
        return Markup("fewer than ") + own("high", text=digits(total.high)), ""
    counted = own("value", text=total.short)
    if total.state != "estimated":
        return counted, ""
    ends = own("low", text=digits(total.low)), own("high", text=digits(total.high))
    return Markup("≈ ") + counted, Markup("95% CI {} to {}").format(*ends)


def _class_groups(run: MiningRun, numbers: Numbers, lines: dict[Kind, str]) -> list[list[Row]]:
    """Structures that differ between the classes, by what they follow from, the surest first."""
    place = {id(one): at for at, one in _with_places(run)}
    return [
        [
            _class_row(row, place[id(row.pattern)], numbers, lines)
            | {"csv": [number, row.tie or "leads", *_class_cells(row)]}
            for row in group
        ]
        for number, group in enumerate(differing(run))
    ]


def _class_row(row: DifferingRow, at: Place, numbers: Numbers, lines: dict[Kind, str]) -> Row:
    """A row of the table of classes."""
    best = row.classes.strongest
    own = partial(numbers, *at, "classes", "contrasts", row.classes.contrasts.index(best))
    counts = ("containing", "num_graphs", "others_containing", "num_others")
    follows = row.classes.follows
    return (
        _pattern_row(row.pattern, at, numbers, lines)
        | {name: own(name) for name in counts}
        | {
            "tie": row.tie,
            "class": best.name,
            "sign": "▲" if best.is_more_frequent else "▼",
            "share": percent(best.containing / best.num_graphs, 0),
            "others_share": percent(best.others_containing / best.num_others, 0),
            "odds": own("odds_ratio", text=odds),
            "low": own("low", text=odds),
            "high": own("high", text=odds),
            "p": own("p", text=lambda p: f"{p:.2g}"),
            "p_adjusted": numbers(*at, "classes", "p_adjusted", text=lambda p: f"{p:.3g}"),
            "left": follows and numbers(*at, "classes", "follows", "p", text=lambda p: f"{p:.2g}"),
            "is_told": follows is None or follows.is_told,
        }
    )


def _class_cells(row: DifferingRow) -> list[Any]:
    """The cells of a row in the CSV file of the table of classes."""
    best, follows = row.classes.strongest, row.classes.follows
    return [
        row.pattern.name,
        row.pattern.structure.to_text(),
        best.name,
        *(best.containing, best.num_graphs, best.others_containing, best.num_others),
        *(best.odds_ratio, best.low, best.high, best.p),
        row.classes.p_adjusted,
        *(("", "") if follows is None else (follows.p, "yes" if follows.is_told else "no")),
    ]


def _with_places(run: MiningRun) -> list[tuple[Place, Pattern]]:
    """All structures with their place in patterns.json."""
    lists = {"patterns": run.patterns, "others": run.others}
    return [((name, at), one) for name, own in lists.items() for at, one in enumerate(own)]


def _anchor(at: Place) -> str:
    return f"{'pattern' if at[0] == 'patterns' else 'other'}-{at[1]}"
