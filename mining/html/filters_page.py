"""A run of filters → its page: which neighbourhoods are frequent, and where.

Every number comes from ``filters.json`` or ``run.json``, and sentences are made of numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from markupsafe import Markup, escape

from gomkcn_dgl.csr import CONSTANT, MIRRORED
from gomkcn_dgl.graphs.shapes import count
from gomkcn_dgl.graphs.structure import node_letter
from gomkcn_dgl.runtime.files import visible
from gomkcn_dgl.subgraphs import usual_hops
from mining.filters.mined_filter import MinedFilter
from mining.filters_run import FiltersRun
from mining.html.drawn_graph import content_policy, graph_record, pack, page_script
from mining.html.filters_text import partial_sentence
from mining.html.page import Numbers, flatten, percent, render_page, whole
from mining.pattern import UNCOUNTED, OccurrenceCount, digits
from mining.plots.filter_drawing import (
    VIRIDIS,
    FeatureColors,
    draw_filter,
    draw_loss_curve,
    edge_weights,
    has_letters,
)
from mining.plots.layout import structure_positions
from mining.plots.structure_drawing import draw_structure, edge_names, swatch
from mining.plots.styles import Kind, filter_colors, relation_lines

_SCRIPT = "filters.js"
# width and height in pixels of the drawings in the table
_SMALL = 84, 76
# in the panel
_LARGE = 150, 124
# in the row of filters at the top
_IN_ROW = 92, 76
# the longest bar of a frequency, in pixels
_BAR = 86
# features of the nodes of a filter that the panel lists
_MOST_FEATURES = 6
# losses that differ by less are the same in three decimals
_SAME_LOSS = 0.0005
# how any list of edges without features is read, which changes nothing
_USUAL = tuple(note.partition("{")[0] for note in (CONSTANT, MIRRORED))
# such as "tree with 6 nodes (degrees 3, 2, 2, 1, 1, 1) (A--B, B--C, ...)"
_TREE = re.compile(r"(.+?) \((degrees [\d, ]+)\)(?: \(.+\))?")
Row = dict[str, Any]
Number = Callable[..., Markup]


def render_filters(run: FiltersRun) -> str:
    """Render a run of filters as one self-contained HTML page, readable without script."""
    numbers = Numbers(run.to_dict(), "filters.json")
    lines = relation_lines(run.graph.relations)
    rows = _rows(run, numbers, lines)
    has_categories = any(has_letters(one.structure) for one in run.filters)
    return render_page(
        "filters.html.jinja",
        run=run,
        what="graph" if run.graph.num_graphs == 1 else "collection",
        lead=_lead(run, numbers),
        facts=_facts(run),
        key=_key(run, has_categories),
        colors_key=run.colors.legend(),
        rows=rows,
        training=_training(run.loss_curve),
        curve=draw_loss_curve(run.loss_curve) if len(run.loss_curve) > 1 else "",
        method=_method(run),
        viridis=VIRIDIS,
        line_key=[(name, swatch((name, way), line)) for (name, way), line in lines.items()],
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
    num_nodes: int,
    *,
    lines: Mapping[Kind, str] | None = None,
    number: Number | None = None,
    href: str = "",
    notes: Mapping[int, str] | None = None,
) -> Markup:
    """Filters as small multiples, a row of them: drawing, name, frequency, how many exactly.

    Parameters
    ----------
    filters : sequence of MinedFilter
        Those of one miner, the most frequent first.
    colors : FeatureColors
        The colours of features on the page.
    num_nodes : int
        Nodes of the graph, of which frequencies are shares.
    lines : mapping, optional
        Those of :func:`mining.plots.styles.line_styles`; by default made of these filters.
    number : callable, optional
        Writes a number of filter ``id`` with its source, from ``(id, "frequency", "value")`` and a
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
    >>> from mining import FilterMiner
    >>> miner = FilterMiner(1, size=3).fit(nx.complete_graph(3))
    >>> rule = FeatureColors.find(np.ones((3, 1)), ["constant"])
    >>> print(filters_row(miner.filters_, rule, 3)[:46])
    <ol class="filters"><li class="m0"><span class
    """
    if lines is None:
        lines = relation_lines((), [one.structure for one in filters])
    items = Markup()
    for one, color in zip(filters, filter_colors([one.structure for one in filters]), strict=True):
        drawing = draw_filter(
            one.structure, one.weights, one.features, colors, *_IN_ROW, lines=lines,
            label=f"filter {one.id}",
        )  # fmt: skip
        said = [_short(one.frequency), _short(one.exact)]
        if number is not None:
            said = [
                number(one.id, key, "value", text=text)
                for key, text in zip(("frequency", "exact"), said, strict=True)
            ]
        # the degrees of a tree and the relations of edges are too long for a row
        name: str | Markup = one.name.partition(" (")[0].partition(": ")[0]
        if href:
            name = Markup('<a href="{}" title="{}">{}</a>').format(
                href.format(one.id), one.name, name
            )
        items += Markup(
            '<li class="{}"><span class="plain-pic">{}</span>'
            '<span class="who"><span class="id">{}</span><span>{}</span></span>'
            '<span><b class="big">{}</b> {} <small>{}</small></span>'
            '<span class="sub">{} exactly{}</span></li>'
        ).format(
            color if notes is None else "plain-id",
            drawing,
            one.id,
            name,
            said[0],
            "node" if one.frequency.value == 1 else "nodes",
            percent(one.frequency.value / max(1, num_nodes)),
            said[1],
            Markup("<br>{}").format(notes[one.id]) if notes and notes.get(one.id) else "",
        )
    return Markup('<ol class="filters">{}</ol>').format(items)


def _structures(run: FiltersRun) -> list[Any]:
    return [one.structure for one in run.filters]


def _short(number: OccurrenceCount) -> str:
    """A number of nodes; an estimate has a sign."""
    return f"≈ {number.short}" if number.state == "estimated" else number.short


def _counted(own: Number, number: OccurrenceCount) -> tuple[Markup | str, Markup | str]:
    """A number with its source, and its interval; a dash for what was not counted."""
    if number == UNCOUNTED:
        return "–", ""
    if number.state == "bounded":
        return Markup("fewer than ") + own("high", text=digits(number.high)), ""
    value = own("value", text=number.short)
    if number.is_exact:
        return value, ""
    ends = own("low", text=digits(number.low)), own("high", text=digits(number.high))
    return Markup("≈ ") + value, Markup("{} to {}").format(*ends)


def _rows(run: FiltersRun, numbers: Numbers, lines: Mapping[Kind, str]) -> list[Row]:
    """What the table shows of each filter."""
    classes = filter_colors(_structures(run))
    most = max((one.frequency.value for one in run.filters), default=0) or 1
    return [
        _row(run, one, color, most, partial(numbers, "filters", one.id), lines)
        for one, color in zip(run.filters, classes, strict=True)
    ]


def _row(
    run: FiltersRun,
    one: MinedFilter,
    color: str,
    most: float,
    own: Number,
    lines: Mapping[Kind, str],
) -> Row:
    structure = one.structure
    shape, _, relations = one.name.partition(": ")
    # what tells trees apart stands below what they are
    tree = _TREE.fullmatch(shape)
    name, degrees = tree.groups() if tree else (shape, "")
    size = f"{count(structure.num_nodes, 'node')}, {count(len(structure.edges), 'edge')}"
    planted = run.planted_as(one.id)
    subs = {
        relations: relations,
        degrees: degrees,
        f"planted: {planted}": planted,
    }
    frequency, interval = _counted(partial(own, "frequency"), one.frequency)
    exact, _ = _counted(partial(own, "exact"), one.exact)
    occurrences = run.occurrences[one.id]
    counted, count_interval = _counted(partial(own, "occurrences"), occurrences)
    decimals = "{:.2f}".format
    median: Markup | str = "–"
    middle: Markup | str = ""
    if one.similarity:
        median = own("similarity", 2, text=decimals)
        ends = own("similarity", 0, text=decimals), own("similarity", 4, text=decimals)
        middle = Markup("{} – {}").format(*ends)
    quantiles = [round(one.similarity[at], 4) for at in (0, 2, 4)] if one.similarity else [""] * 3
    return {
        "color": color,
        "name": name,
        "planted": planted,
        "subs": [text for text, is_said in subs.items() if is_said],
        "size": "" if name.startswith(size) else size,
        "frequency": frequency,
        "interval": interval,
        "share": percent(run.share(one.id)),
        "bar": max(2, round(_BAR * one.frequency.value / most)),
        "exact": exact,
        "median": median,
        "middle": middle,
        "count": counted,
        "count_interval": count_interval,
        "svg": draw_filter(
            structure, one.weights, one.features, run.colors, *_SMALL, lines=lines
        ),
        "large": draw_structure(
            structure,
            *_LARGE,
            lines=lines,
            beside=True,
            fills=run.colors.fills(one.features),
            weights=edge_weights(structure, one.weights),
        ),
        "letters": [node_letter(node) for node in range(structure.num_nodes)],
        "features": _feature_rows(run, one),
        "csv": [
            one.id,
            one.name,
            ", ".join(edge_names(structure)),
            structure.num_nodes,
            one.frequency.value,
            round(run.share(one.id), 6),
            one.exact.value,
            *quantiles,
            "" if occurrences == UNCOUNTED else occurrences.value,
            planted,
        ],
    }  # fmt: skip


def _feature_rows(run: FiltersRun, one: MinedFilter) -> list[tuple[str, list[str]]]:
    """Features of the nodes of a filter, where they have a colour or are few."""
    names = run.graph.feature_names
    columns = run.colors.columns
    if not columns and _has_features(run) and len(names) <= _MOST_FEATURES:
        columns = tuple(range(len(names)))
    return [
        (names[column], [_three_digits(value) for value in one.features[:, column].tolist()])
        for column in columns
    ]


def _has_features(run: FiltersRun) -> bool:
    return run.graph.feature_names not in ((), ("constant",))


def _three_digits(value: float) -> str:
    return whole(value) if abs(value) >= 100 else f"{value:.3g}".replace("-", "−")


def _lead(run: FiltersRun, numbers: Numbers) -> Markup:
    """What the filters are, and which are planted or most frequent."""
    total = run.graph.num_nodes
    if not run.filters:
        return Markup("The graph has no node.")
    nodes = count(total, "node")
    each = "every"
    if run.num_assigned < total:
        nodes = f"{run.num_assigned:,} of {nodes}, drawn at random"
        each = "each"
    parts = [
        Markup(
            "The neighbourhoods of {}, in <b>{}</b>: each filter is the centre of a cluster, and "
            "{} node belongs to the filter that its subgraph is most similar to."
        ).format(nodes, count(len(run.filters), "pattern"), each)
    ]
    parts.append(_planted(run, numbers) if run.recovery else _most_frequent(run, numbers))
    if run.is_partial:
        parts.append(escape(partial_sentence(run.command).replace("\n", " ")))
    return Markup(" ").join(parts)


def _most_frequent(run: FiltersRun, numbers: Numbers) -> Markup:
    first = run.filters[0]
    frequency, _ = _counted(partial(numbers, "filters", 0, "frequency"), first.frequency)
    exact, _ = _counted(partial(numbers, "filters", 0, "exact"), first.exact)
    name, _, more = first.name.partition(": ")
    if more:
        name = f"{name} ({more})"
    return Markup(
        "The most frequent is filter 0, {}: <b>{} nodes</b> ({}), {} of them exactly."
    ).format(name, frequency, percent(run.share(0)), exact)


def _planted(run: FiltersRun, numbers: Numbers) -> Markup:
    """How many planted motifs are filters, how frequent these are, and how frequent planted."""
    motifs = run.recovery or ()
    found = [one for one in motifs if one.recovered]
    total = count(len(motifs), "planted motif")
    if not found:
        return Markup("None of the {} is the structure of a filter.").format(total)
    which = f"the {total}" if len(found) == len(motifs) else f"{len(found)} of the {total}"
    ids = sorted(number for one in found for number in one.pattern_ids)
    shown = [
        _counted(partial(numbers, "filters", number, "frequency"), run.filters[number].frequency)[0]
        for number in ids
    ]
    planted = {one.copies * one.num_nodes for one in found}
    where = ""
    if len(planted) == 1 and len(ids) == len(found):
        each = " each" if len(ids) > 1 else ""
        where = f", where {count(planted.pop(), 'node')}{each} were planted"
    is_one = len(ids) == 1
    return Markup("{} {} {} {}; {} <b>{}</b> nodes{}.").format(
        "Filter" if is_one else "Filters",
        _listed(_runs_of(ids)),
        "is" if is_one else "are",
        which,
        "its frequency is" if is_one else "their frequencies are",
        _listed(shown),
        where,
    )


def _runs_of(ids: Sequence[int]) -> list[str]:
    """Numbers in ascending order, neighbours as "4 to 7"."""
    parts = np.split(np.array(ids), np.flatnonzero(np.diff(ids) != 1) + 1)
    said: list[str] = []
    for part in (one.tolist() for one in parts):
        said += [f"{part[0]} to {part[-1]}"] if len(part) > 2 else map(str, part)
    return said


def _listed(parts: Sequence[Any]) -> Markup:
    """Such as "1, 2 and 3"."""
    if len(parts) < 2:
        return Markup(" ").join(parts)
    return Markup("{} and {}").format(Markup(", ").join(parts[:-1]), parts[-1])


def _facts(run: FiltersRun) -> list[str]:
    features = "no features"
    if _has_features(run):
        features = count(len(run.graph.feature_names), "feature")
    epochs = max(0, len(run.loss_curve) - 1)
    return [features, f"subgraphs of {_hops(run)}, at most {_size(run)}", count(epochs, "epoch")]


def _size(run: FiltersRun) -> str:
    return count(run.settings["filters"]["filter_size"], "node")


def _hops(run: FiltersRun) -> str:
    size = run.settings["filters"]["filter_size"]
    hops = run.settings["learning"]["num_hops"]
    return count(usual_hops(size) if hops is None else hops, "hop")


def _key(run: FiltersRun, has_categories: bool) -> str:
    """How the table is read."""
    counted = [one for one in run.occurrences if one != UNCOUNTED]
    how = "counted exactly"
    if not all(one.is_exact for one in counted):
        how = "counted, or estimated where ≈ stands before them"
    if len(counted) < len(run.occurrences):
        how += "; a dash where time was up"
    is_sample = run.num_assigned < run.graph.num_nodes
    ci = ""
    if is_sample or not all(one.is_exact for one in counted):
        ci = " Below an estimate stands its 95% CI."
    letters = "Letters are categories of nodes. " if has_categories else ""
    return (
        f"Edges have a weight above ½ and are as dark as it is large. {letters}"
        "Frequency: nodes whose subgraph is most similar to the filter; exactly: those of them "
        "whose subgraph is the structure. Similarity: the median of these nodes, with the middle "
        f"80%. Occurrences: of the structure, induced, {how}.{ci}"
    )


def _training(losses: Sequence[float]) -> str:
    """The loss before and after, and whether the training mattered."""
    said = "1 − mean similarity of a subgraph to its filter: "
    if len(losses) < 2:
        return f"{said}{losses[0]:.3f}. No epoch was trained." if losses else "No training."
    epochs = count(len(losses) - 1, "epoch")
    if losses[-1] > losses[0] - _SAME_LOSS:
        return (
            f"{said}{losses[0]:.3f} before the training and {losses[-1]:.3f} after {epochs}: the "
            "training did not make filters more similar to their subgraphs."
        )
    return f"{said}{losses[0]:.3f} before the training, {losses[-1]:.3f} after {epochs}."


def _method(run: FiltersRun) -> str:
    learning = run.settings["learning"]
    start = "random parameters"
    if learning["init"] != "random":
        start = "subgraphs that represent the others"
    return (
        f"Filters start as {start} and are trained as the centres of clusters of the subgraphs "
        "around the nodes (section VI-B of arXiv:2504.16360). A response is the similarity of the "
        "subgraph around a node and a filter, between 0 and 1."
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
    for one, row, responses in zip(run.filters, rows, record["responses"], strict=True):
        known = [value for value in responses if value >= 0]
        edges = zip(one.structure.edges, one.structure.edge_relations, strict=True)
        filters.append(
            {
                "name": visible(one.name),
                "planted": visible(row["planted"]),
                "color": row["color"],
                "size": one.structure.num_nodes,
                "edges": [[u, v, relation] for (u, v), relation in edges],
                "points": np.round(structure_positions(one.structure), 3).tolist(),
                "said": f"{_nodes_said(one.frequency)} it, {_short(one.exact)} exactly.",
                "graphs": [[graph, round(1000 * value)] for graph, value in run.highest[one.id]],
                "low": min(known, default=0),
                "high": max(known, default=0),
            }
        )
    most = max(one.structure.num_nodes for one in run.filters)
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


def _nodes_said(number: OccurrenceCount) -> str:
    """Such as "60 nodes belong to", to be followed by what."""
    is_one = number.is_exact and number.value == 1
    return f"{_short(number)} {'node belongs' if is_one else 'nodes belong'} to"
