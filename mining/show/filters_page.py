"""A run of filters → its page: which structures are frequent, how many instances, and where.

Every number comes from ``filters.json`` or ``run.json``, and sentences are made of numbers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from markupsafe import Markup, escape

from gomkcn.mining.filters.filter_columns import (
    FILTER_COLUMNS,
    NO_MORE,
    FilterRow,
    filter_rows,
    overlaps,
)
from gomkcn.mining.filters.filters_run import FiltersRun
from gomkcn.mining.filters.mined_filter import MinedFilter
from gomkcn.mining.plots.filter_drawing import (
    VIRIDIS,
    FeatureColors,
    draw_as_molecule,
    draw_filter,
    draw_loss_curve,
    edge_weights,
    has_letters,
)
from gomkcn.mining.plots.layout import structure_positions
from gomkcn.mining.plots.structure_drawing import draw_structure, swatch
from gomkcn.mining.plots.styles import Kind, filter_colors, line_key, relation_lines
from gomkcn.mining.show.drawn_graph import content_policy, graph_record, pack, page_script
from gomkcn.mining.show.filters_text import (
    MOST_NAMED,
    PLAIN_COLUMNS,
    noun_of,
    partial_sentence,
    sample_sentence,
    short_count,
    without_degrees,
)
from gomkcn.mining.show.page import Numbers, flatten, render_page
from gomkcn.mining.show.page_table import NumberOf, PageTable, plain_number, written
from gomkcn.mining.structures.number_text import three_digits
from gomkcn.mining.structures.pattern import UNCOUNTED
from gomkcn.mining.structures.pattern_columns import count_text, interval_text
from gomkcn.mining.structures.table_column import Medium, meanings
from gomkcn_dgl.csr import CONSTANT, MIRRORED
from gomkcn_dgl.graphs.shapes import count
from gomkcn_dgl.graphs.structure import node_letter
from gomkcn_dgl.runtime.files import visible

_SCRIPT = "filters.js"
# width and height in pixels of the drawings in the table
_SMALL = 84, 76
# in the panel
_LARGE = 150, 124
# in the row of filters at the top
_IN_ROW = 92, 76
# features of the nodes of a filter that the panel lists
_MOST_FEATURES = 6
# losses that differ by less are the same in three decimals
_SAME_LOSS = 0.0005
# how any list of edges without features is read, which changes nothing
_USUAL = tuple(note.partition("{")[0] for note in (CONSTANT, MIRRORED))
# such as those of "tree with 6 nodes (degrees 3, 2, 2, 1, 1, 1) (A--B, B--C, ...)"
_PARENTHESES = re.compile(r"\(([^()]*)\)")
Row = dict[str, Any]


def render_filters(run: FiltersRun) -> str:
    """Render a run of filters as one self-contained HTML page, readable without script."""
    numbers = Numbers(run.to_dict(), "filters.json")
    lines = relation_lines(run.graph.kinds, (), run.graph.side_names)
    table, rows = _table(run, numbers, lines)
    return render_page(
        "filters.html.jinja",
        run=run,
        lead=_lead(run, numbers),
        facts=_facts(run),
        key=_key(run),
        colors_key=run.colors.legend(),
        rows=rows,
        table=table,
        training=_training(run.loss_curve),
        curve=draw_loss_curve(run.loss_curve),
        method=_method(run),
        viridis=VIRIDIS,
        line_key=[(name, swatch(kind, line)) for name, kind, line in line_key(lines)],
        # base64 and our own script, neither of which holds a text of the data
        data=Markup(_explorer_data(run, rows, lines)),
        script=Markup(page_script(_SCRIPT)),
        policy=content_policy(_SCRIPT),
        changes=[note for note in run.notes if not note.startswith(_USUAL)],
        settings=flatten(run.settings),
        provenance=flatten(run.provenance),
    )


def filters_row(
    filters: Sequence[MinedFilter],
    colors: FeatureColors,
    *,
    lines: Mapping[Kind, str] | None = None,
    number: NumberOf | None = None,
    href: str = "",
    notes: Mapping[int, str] | None = None,
) -> Markup:
    """Filters as small multiples, a row of them: drawing, name, instances here and by chance.

    Parameters
    ----------
    filters : sequence of MinedFilter
        Those of one miner, in their order.
    colors : FeatureColors
        The colours of features on the page.
    lines : mapping, optional
        Those of :func:`gomkcn.mining.plots.styles.line_styles`; by default made of these filters.
    number : callable, optional
        Writes a number of filter ``id`` with its source, from ``(id, "instances", "value")`` and a
        ``text``. By default numbers are plain text.
    href : str
        Where the name of filter 3 leads to, such as ``"filters.html#filter-{}"``; "" for nowhere.
    notes : mapping, optional
        What is to be said of filters, by their numbers; filters are then without colours, which
        stand for something else on the page.

    Returns
    -------
    Markup
        A list, whose style is that of the page.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn.mining import FilterMiner
    >>> miner = FilterMiner(1, filter_size=3, contrast=False).fit(nx.complete_graph(3))
    >>> rule = FeatureColors.find(np.ones((3, 1)), ["constant"])
    >>> print(filters_row(miner.filters_, rule)[:46])
    <ol class="filters"><li class="m0"><span class
    """
    if lines is None:
        lines = relation_lines((), [mined.structure for mined in filters])
    items = Markup()
    rows = filter_rows(filters)
    of_colors = filter_colors([mined.structure for mined in filters])
    for row, color in zip(rows, of_colors, strict=True):
        mined = row.mined
        drawing = draw_filter(
            mined.structure, mined.weights, mined.features, colors, *_IN_ROW, lines=lines,
            label=f"filter {mined.id}",
        )  # fmt: skip
        write = plain_number if number is None else partial(number, mined.id)
        # the degrees of a tree and the relations of edges are too long for a row
        name: str | Markup = without_degrees(mined).partition(": ")[0]
        if href:
            name = Markup('<a href="{}" title="{}">{}</a>').format(
                href.format(mined.id), mined.name, name
            )
        items += Markup(
            '<li class="{}"><span class="plain-pic">{}</span>'
            '<span class="who"><span class="id">{}</span><span>{}</span></span>'
            '<span><b class="big">{}</b> {}{}</span>{}</li>'
        ).format(
            color if notes is None else "plain-id",
            drawing,
            mined.id,
            name,
            written(count_text(mined.instances, "instances"), write),
            noun_of(mined.instances),
            _small(written(interval_text(mined.instances, "instances"), write)),
            _subs_in_row(row, write, notes.get(mined.id, "") if notes else ""),
        )
    return Markup('<ol class="filters">{}</ol>').format(items)


def _small(text: Markup) -> Markup:
    return Markup(" <small>{}</small>").format(text) if text else Markup()


def _subs_in_row(row: FilterRow, write: NumberOf, note: str) -> Markup:
    """What stands below the instances in a row of filters."""
    texts: list[Markup | str] = []
    if row.mined.random_instances is not None:
        (random,) = (column for column in FILTER_COLUMNS if column.key == "random")
        texts.append(written(random.parts(row), write) + " in random graphs")
    texts += [NO_MORE] if row.adds_no_more else []
    texts += [note] if note else []
    return Markup("").join(Markup('<span class="sub">{}</span>').format(text) for text in texts)


def _table(
    run: FiltersRun, numbers: Numbers, lines: Mapping[Kind, str]
) -> tuple[PageTable[FilterRow], list[Row]]:
    """The table of filters, and what it shows of each."""
    table = PageTable.of(FILTER_COLUMNS, run.rows)
    classes = filter_colors([mined.structure for mined in run.filters])
    return table, [
        _row(run, row, color, table, partial(numbers, "filters", row.mined.id), lines)
        for row, color in zip(run.rows, classes, strict=True)
    ]


def _row(
    run: FiltersRun,
    row: FilterRow,
    color: str,
    table: PageTable[FilterRow],
    number: NumberOf,
    lines: Mapping[Kind, str],
) -> Row:
    mined = row.mined
    structure = mined.structure
    letters = [node_letter(node) for node in range(structure.num_nodes)]
    return {
        "color": color,
        "name": without_degrees(mined).partition(": ")[0],
        "planted": row.planted,
        "subs": _subs(row),
        "size": _size(mined),
        "cells": table.cells(row, number),
        "below": table.below_name(row, number),
        "csv": table.csv_row(row),
        "svg": draw_filter(
            structure, mined.weights, mined.features, run.colors, *_SMALL, lines=lines
        ),
        "large": draw_as_molecule(structure, mined.weights, run.colors, *_LARGE, letters=letters)
        or draw_structure(
            structure,
            *_LARGE,
            lines=lines,
            beside=True,
            fills=run.colors.fills(mined.features),
            weights=edge_weights(structure, mined.weights),
        ),
        "letters": letters,
        "features": _feature_rows(run, mined),
    }


def _subs(row: FilterRow) -> list[str]:
    """What tells a filter apart and stands below its name, but for edges, which are drawn."""
    shape, _, relations = row.mined.name.partition(": ")
    apart = [text for text in _PARENTHESES.findall(shape) if "-" not in text]
    subs = {
        relations: bool(relations),
        "; ".join(apart): bool(apart),
        f"planted: {row.planted}": bool(row.planted),
    }
    return [text for text, holds in subs.items() if holds]


def _size(mined: MinedFilter) -> str:
    """Numbers of nodes and edges, where they are not the name."""
    structure = mined.structure
    size = f"{count(structure.num_nodes, 'node')}, {count(len(structure.edges), 'edge')}"
    return "" if without_degrees(mined).startswith(size) else size


def _feature_rows(run: FiltersRun, mined: MinedFilter) -> list[tuple[str, list[str]]]:
    """Features of the nodes of a filter, where they have a colour or are few."""
    names = run.graph.feature_names
    columns = run.colors.columns
    if not columns and _has_features(run) and len(names) <= _MOST_FEATURES:
        columns = tuple(range(len(names)))
    return [
        (names[column], [three_digits(value) for value in mined.features[:, column].tolist()])
        for column in columns
    ]


def _has_features(run: FiltersRun) -> bool:
    return run.graph.feature_names not in ((), ("constant",))


def _lead(run: FiltersRun, numbers: Numbers) -> Markup:
    """What the filters are, how many instances they have, and what they were chosen by."""
    parts = [_planted(run, numbers)] if run.recovery else []
    if run.filters:
        parts.insert(0, _named(run, numbers))
    # where there are none, that is what a reader looks for
    parts.insert(1 if run.filters else 0, escape(run.note))
    if run.is_sample:
        parts.append(escape(sample_sentence(run)))
    if run.is_partial:
        parts.append(escape(partial_sentence(run.command).replace("\n", " ")))
    return Markup(" ").join(parts)


def _named(run: FiltersRun, numbers: Numbers) -> Markup:
    """The number of filters, and the first of them with their instances."""
    named = []
    for mined in run.filters[:MOST_NAMED]:
        instances = instances_with_source(mined, partial(numbers, "filters"))
        named.append(Markup("{} ({})").format(without_degrees(mined), instances))
    if more := len(run.filters) - len(named):
        named.append(Markup("and {} more").format(more))
    # names have commas
    listed = Markup("; ").join(named)
    return Markup("<b>{}</b>: {}.").format(count(len(run.filters), "filter"), listed)


def instances_with_source(mined: MinedFilter, number: NumberOf) -> Markup:
    """Such as "46 instances"; ``number`` is as in :func:`filters_row`."""
    value = written(count_text(mined.instances, "instances"), partial(number, mined.id))
    return Markup("{} {}").format(value, noun_of(mined.instances))


def _planted(run: FiltersRun, numbers: Numbers) -> Markup:
    """How many planted motifs are filters, and their instances beside the planted copies."""
    motifs = run.recovery or ()
    found = [motif for motif in motifs if motif.recovered]
    total = count(len(motifs), "planted motif")
    if not found:
        return Markup("None of the {} is the structure of a filter.").format(total)
    which = f"the {total}" if len(found) == len(motifs) else f"{len(found)} of the {total}"
    ids = sorted(number for motif in found for number in motif.pattern_ids)
    copies = {motif.copies for motif in found}
    each = " each" if len(found) > 1 else ""
    where = f" with {copies.pop():,} copies{each}" if len(copies) == 1 else ""
    return Markup("<b>{} {} {} {}</b>{}.").format(
        "Filter" if len(ids) == 1 else "Filters",
        _listed(_runs_of(ids)),
        "is" if len(ids) == 1 else "are",
        which,
        where,
    )


def _runs_of(ids: Sequence[int]) -> list[str]:
    """Numbers in ascending order, neighbours as "4 to 7"."""
    parts = np.split(np.array(ids), np.flatnonzero(np.diff(ids) != 1) + 1)
    texts: list[str] = []
    for part in parts:
        texts += [f"{part[0]} to {part[-1]}"] if len(part) > 2 else map(str, part)
    return texts


def _listed(parts: Sequence[Any]) -> Markup:
    """Such as "1, 2 and 3"."""
    if len(parts) < 2:
        return Markup(" ").join(parts)
    return Markup("{} and {}").format(Markup(", ").join(parts[:-1]), parts[-1])


def _facts(run: FiltersRun) -> list[str]:
    features = "no features"
    if _has_features(run):
        features = count(len(run.graph.feature_names), "feature")
    epochs = [f"{count(run.num_epochs, 'epoch')} of training"] if run.num_epochs else []
    return [features, *epochs]


def _key(run: FiltersRun) -> str:
    """How the table is read: what its columns are, and in which order its rows stand."""
    plain = (*PLAIN_COLUMNS, "nearest_nodes_interval", "occurrences_interval")
    parts = [f"{text}." for text in meanings(Medium.PAGE, FILTER_COLUMNS, run.rows, plain)]
    if run.num_random_graphs:
        number = count(run.num_random_graphs, "random graph")
        parts.append(
            f"{number} were drawn. Filters furthest beyond chance come first: by the nodes that "
            "show one beyond those in random graphs, times how improbable the structure is."
        )
    else:
        parts.append("Filters with most instances come first.")
    if any(row.occurrences == UNCOUNTED for row in run.rows):
        parts.append("A dash: not counted, as time was up.")
    if any(not _is_exact(row) for row in run.rows):
        parts.append("Where ≈ stands before a number it is an estimate, with its 95% CI below it.")
    if any(has_letters(mined.structure) for mined in run.filters):
        parts.append("Letters are categories of nodes.")
    if run.num_epochs:
        parts.append("Edges have a weight above ½ and are as dark as it is large.")
    return " ".join(parts)


def _is_exact(row: FilterRow) -> bool:
    """Whether all that was counted of a filter is exact."""
    counts = (row.mined.instances, row.mined.nearest_nodes, row.occurrences)
    return all(number.is_exact for number in counts if number != UNCOUNTED)


def _training(losses: Sequence[float]) -> str:
    """The loss before and after, and whether the training mattered; empty without a training."""
    if len(losses) < 2:
        return ""
    loss = "1 − mean similarity of a subgraph to its filter: "
    epochs = count(len(losses) - 1, "epoch")
    if losses[-1] > losses[0] - _SAME_LOSS:
        return (
            f"{loss}{losses[0]:.3f} before the training and {losses[-1]:.3f} after {epochs}: the "
            "training did not make filters more similar to their subgraphs."
        )
    return f"{loss}{losses[0]:.3f} before the training, {losses[-1]:.3f} after {epochs}."


def _method(run: FiltersRun) -> str:
    """How filters come about."""
    method = (
        "Filters are subgraphs that represent the subgraphs around all nodes: each is added "
        "because it makes them most similar to their nearest filter"
    )
    if run.num_random_graphs:
        method = (
            "Every node has a subgraph of each size around it. Filters are added one by one, each "
            "time the structure that explains most of what is around the nodes and least of what "
            "is around those of random graphs with the same degrees, while it explains more by "
            "three standard deviations"
        )
    elif run.settings["learning"]["init"] == "random":
        method = "Filters start as random parameters"
    if run.num_epochs:
        method += (
            "; they are trained as the centres of clusters of the subgraphs around the nodes "
            "(section VI-B of arXiv:2504.16360)"
        )
    return (
        f"{method}. A response is the similarity of the subgraph around a node and a filter, "
        "between 0 and 1, by the graph optimal matching kernel (arXiv:2504.16360)."
    )


def _explorer_data(run: FiltersRun, rows: Sequence[Row], lines: Mapping[Kind, str]) -> str:
    """The block of a run; empty where there is no graph to show."""
    shown = run.map
    drawn = run.drawn
    if shown is None or drawn is None or not run.filters:
        return ""
    nodes = list(zip(shown.graphs.tolist(), shown.names, strict=True))
    record = drawn.to_dict()
    filters = []
    for mined, row, responses in zip(run.filters, rows, record["responses"], strict=True):
        known = [value for value in responses if value >= 0]
        edges = zip(mined.structure.edges, mined.structure.edge_relations, strict=True)
        filters.append(
            {
                "name": visible(mined.name),
                "planted": visible(row["planted"]),
                "color": row["color"],
                "size": mined.structure.num_nodes,
                "edges": [[u, v, relation] for (u, v), relation in edges],
                "points": np.round(structure_positions(mined.structure), 3).tolist(),
                "said": _numbers_of(mined),
                "graphs": [[graph, round(1000 * value)] for graph, value in run.highest[mined.id]],
                "low": min(known, default=0),
                "high": max(known, default=0),
            }
        )
    most = max(mined.structure.num_nodes for mined in run.filters)
    return pack(
        {
            **graph_record(run.graph, shown, nodes, lines),
            **record,
            "letters": [node_letter(node) for node in range(most)],
            "filters": filters,
            "scale": VIRIDIS,
            "pictureSize": _LARGE,
        }
    )


def _numbers_of(mined: MinedFilter) -> str:
    """The numbers of a filter in the panel below the graph."""
    random = mined.random_instances
    beside = "" if random is None else f" ({random} in random graphs)"
    disjoint = f", {mined.disjoint_instances:,} or more disjoint" if overlaps(mined) else ""
    nodes = mined.nearest_nodes
    verb = "node is" if nodes.is_exact and nodes.value == 1 else "nodes are"
    return (
        f"{short_count(mined.instances)} {noun_of(mined.instances)}{beside}{disjoint}. "
        f"{short_count(nodes)} {verb} nearest to it."
    )
