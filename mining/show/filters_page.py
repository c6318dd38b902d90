"""A run of filters → its page: which structures are frequent, how many instances, and where.

Every number comes from ``filters.json`` or ``run.json``, and sentences are made of numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from markupsafe import Markup, escape

from gomkcn.mining.filters.filters_run import FiltersRun
from gomkcn.mining.filters.mined_filter import MinedFilter
from gomkcn.mining.plots.filter_drawing import (
    VIRIDIS,
    FeatureColors,
    draw_filter,
    draw_loss_curve,
    edge_weights,
    has_letters,
)
from gomkcn.mining.plots.layout import structure_positions
from gomkcn.mining.plots.structure_drawing import draw_structure, edge_names, swatch
from gomkcn.mining.plots.styles import Kind, filter_colors, relation_lines
from gomkcn.mining.show.drawn_graph import content_policy, graph_record, pack, page_script
from gomkcn.mining.show.filters_text import (
    MOST_NAMED,
    NO_MORE,
    adds_no_more,
    note_of,
    noun_of,
    overlaps,
    partial_sentence,
    sample_sentence,
    short_count,
    without_degrees,
)
from gomkcn.mining.show.page import Numbers, flatten, render_page, whole
from gomkcn.mining.structures.pattern import UNCOUNTED, OccurrenceCount, digits
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
# the longest bar of a number of instances, in pixels
_BAR = 86
# features of the nodes of a filter that the panel lists
_MOST_FEATURES = 6
# losses that differ by less are the same in three decimals
_SAME_LOSS = 0.0005
# how any list of edges without features is read, which changes nothing
_USUAL = tuple(note.partition("{")[0] for note in (CONSTANT, MIRRORED))
# such as those of "tree with 6 nodes (degrees 3, 2, 2, 1, 1, 1) (A--B, B--C, ...)"
_PARENTHESES = re.compile(r"\(([^()]*)\)")
Row = dict[str, Any]
Number = Callable[..., Markup]


def render_filters(run: FiltersRun) -> str:
    """Render a run of filters as one self-contained HTML page, readable without script."""
    numbers = Numbers(run.to_dict(), "filters.json")
    lines = relation_lines(run.graph.relations)
    rows = _rows(run, numbers, lines)
    return render_page(
        "filters.html.jinja",
        run=run,
        what="graph" if run.graph.num_graphs == 1 else "collection",
        lead=_lead(run, numbers),
        facts=_facts(run),
        key=_key(run),
        colors_key=run.colors.legend(),
        rows=rows,
        csv_head=CSV_HEAD,
        training=_training(run.loss_curve),
        curve=draw_loss_curve(run.loss_curve),
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
    *,
    lines: Mapping[Kind, str] | None = None,
    number: Number | None = None,
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
        lines = relation_lines((), [one.structure for one in filters])
    items = Markup()
    for one, color in zip(filters, filter_colors([one.structure for one in filters]), strict=True):
        drawing = draw_filter(
            one.structure, one.weights, one.features, colors, *_IN_ROW, lines=lines,
            label=f"filter {one.id}",
        )  # fmt: skip
        own = _plain if number is None else partial(number, one.id)
        instances, interval = _counted(partial(own, "instances"), one.instances)
        # the degrees of a tree and the relations of edges are too long for a row
        name: str | Markup = without_degrees(one).partition(": ")[0]
        if href:
            name = Markup('<a href="{}" title="{}">{}</a>').format(
                href.format(one.id), one.name, name
            )
        said = [_beside(own, one), NO_MORE if adds_no_more(one) else ""]
        said.append(notes.get(one.id, "") if notes else "")
        items += Markup(
            '<li class="{}"><span class="plain-pic">{}</span>'
            '<span class="who"><span class="id">{}</span><span>{}</span></span>'
            '<span><b class="big">{}</b> {}{}</span>{}</li>'
        ).format(
            color if notes is None else "plain-id",
            drawing,
            one.id,
            name,
            instances,
            noun_of(one.instances),
            Markup(" <small>{}</small>").format(interval) if interval else "",
            Markup("").join(Markup('<span class="sub">{}</span>').format(text)
                            for text in said if text),
        )  # fmt: skip
    return Markup('<ol class="filters">{}</ol>').format(items)


def _plain(*path: str | int, text: str) -> Markup:
    """A number without its source, which no file has."""
    return escape(text)


def _beside(own: Number, one: MinedFilter) -> Markup | str:
    """The instances of the random graphs, in words; nothing where there are none."""
    random = one.random_instances
    if random is None:
        return ""
    mean, sd = _expected(own, one)
    return Markup("{} ± {} in random graphs").format(mean, sd)


def _expected(own: Number, one: MinedFilter) -> tuple[Markup, Markup]:
    """Mean and standard deviation of the instances in random graphs, with their source."""
    random = one.random_instances
    assert random is not None, "there were random graphs"
    mean, sd = str(random).split(" ± ")
    return own("random_instances", "mean", text=mean), own("random_instances", "sd", text=sd)


def _structures(run: FiltersRun) -> list[Any]:
    return [one.structure for one in run.filters]


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
    most = max((one.instances.value for one in run.filters), default=0) or 1
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
    # what tells filters apart stands below what they are, but for edges, which the drawing shows
    name = without_degrees(one).partition(": ")[0]
    apart = [text for text in _PARENTHESES.findall(shape) if "-" not in text]
    size = f"{count(structure.num_nodes, 'node')}, {count(len(structure.edges), 'edge')}"
    planted = run.planted_as(one.id)
    subs = {
        relations: relations,
        "; ".join(apart): bool(apart),
        NO_MORE: adds_no_more(one),
        f"planted: {planted}": planted,
    }
    instances, interval = _counted(partial(own, "instances"), one.instances)
    nearest, nearest_interval = _counted(partial(own, "nearest_nodes"), one.nearest_nodes)
    occurrences = run.occurrences[one.id]
    counted, count_interval = _counted(partial(own, "occurrences"), occurrences)
    decimals = "{:.2f}".format
    median: Markup | str = "–"
    middle: Markup | str = ""
    if one.similarity:
        median = own("similarity", 2, text=decimals)
        ends = own("similarity", 0, text=decimals), own("similarity", 4, text=decimals)
        middle = Markup("{} – {}").format(*ends)
    return {
        "color": color,
        "name": name,
        "planted": planted,
        "subs": [text for text, is_said in subs.items() if is_said],
        "size": "" if name.startswith(size) else size,
        "instances": instances,
        "interval": interval,
        "bar": max(2, round(_BAR * one.instances.value / most)),
        "disjoint": own("disjoint_instances") if overlaps(one) else "",
        "random": _expected(own, one) if one.random_instances else None,
        "nearest": nearest,
        "nearest_interval": nearest_interval,
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
        "csv": _csv_row(run, one),
    }  # fmt: skip


# of the table that a reader saves
CSV_HEAD = (
    "filter", "structure", "edges", "nodes", "instances", "instances low", "instances high",
    "disjoint", "random mean", "random sd", "exceeds", "exact nodes", "nearest nodes",
    "similarity .1", "similarity .5", "similarity .9", "occurrences", "planted",
)  # fmt: skip


def _csv_row(run: FiltersRun, one: MinedFilter) -> list[Any]:
    """The numbers of a filter, without source or rounding to be read."""
    random = one.random_instances
    occurrences = run.occurrences[one.id]
    return [
        one.id,
        one.name,
        ", ".join(edge_names(one.structure)),
        one.structure.num_nodes,
        one.instances.value,
        one.instances.low,
        one.instances.high,
        one.disjoint_instances,
        *(["", "", ""] if random is None else [random.mean, random.sd, int(one.exceeds)]),
        one.exact.value,
        one.nearest_nodes.value,
        *([round(one.similarity[at], 4) for at in (0, 2, 4)] if one.similarity else [""] * 3),
        "" if occurrences == UNCOUNTED else occurrences.value,
        run.planted_as(one.id),
    ]


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
    """What the filters are, how many instances they have, and what they were chosen by."""
    parts = [_planted(run, numbers)] if run.recovery else []
    if run.filters:
        parts.insert(0, _named(run, numbers))
    # where there are none, that is what a reader looks for
    parts.insert(1 if run.filters else 0, escape(note_of(run)))
    if run.is_sample:
        parts.append(escape(sample_sentence(run)))
    if run.is_partial:
        parts.append(escape(partial_sentence(run.command).replace("\n", " ")))
    return Markup(" ").join(parts)


def _named(run: FiltersRun, numbers: Numbers) -> Markup:
    """The number of filters, and the first of them with their instances."""
    named = []
    for one in run.filters[:MOST_NAMED]:
        instances = instances_with_source(one, partial(numbers, "filters"))
        named.append(Markup("{} ({})").format(without_degrees(one), instances))
    if more := len(run.filters) - len(named):
        named.append(Markup("and {} more").format(more))
    # names have commas
    listed = Markup("; ").join(named)
    return Markup("<b>{}</b>: {}.").format(count(len(run.filters), "filter"), listed)


def instances_with_source(one: MinedFilter, number: Number) -> Markup:
    """Such as "46 instances"; ``number`` is as in :func:`filters_row`."""
    value, _ = _counted(partial(number, one.id, "instances"), one.instances)
    return Markup("{} {}").format(value, noun_of(one.instances))


def _planted(run: FiltersRun, numbers: Numbers) -> Markup:
    """How many planted motifs are filters, and their instances beside the planted copies."""
    motifs = run.recovery or ()
    found = [one for one in motifs if one.recovered]
    total = count(len(motifs), "planted motif")
    if not found:
        return Markup("None of the {} is the structure of a filter.").format(total)
    which = f"the {total}" if len(found) == len(motifs) else f"{len(found)} of the {total}"
    ids = sorted(number for one in found for number in one.pattern_ids)
    copies = {one.copies for one in found}
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
    epochs = [f"{count(run.num_epochs, 'epoch')} of training"] if run.num_epochs else []
    return [features, *epochs]


def _key(run: FiltersRun) -> str:
    """How the table is read."""
    parts = [
        "Instances: the different node sets that the subgraphs around nodes show the structure at."
    ]
    if any(map(overlaps, run.filters)):
        parts.append("Disjoint: as many of them as share no node, at least.")
    if run.num_random_graphs:
        number = count(run.num_random_graphs, "random graph")
        parts.append(
            f"Random graphs: mean ± standard deviation of the instances in {number} with the same "
            "degrees. Filters furthest beyond chance come first: by the nodes that show one beyond "
            "those in random graphs, times how improbable the structure is."
        )
        if any(map(adds_no_more, run.filters)):
            parts.append(
                f"A filter that {NO_MORE} explains no more nodes, beside the others, than in these."
            )
    else:
        parts.append("Filters with most instances come first.")
    parts.append(
        "Nearest nodes: those whose subgraph is more similar to this filter than to the others, "
        "so that the number depends on which others there are. Similarity: the median of these "
        "nodes, with the middle 80%."
    )
    counted = [one for one in run.occurrences if one != UNCOUNTED]
    how = "counted exactly"
    if not all(one.is_exact for one in counted):
        how = "counted, or estimated where ≈ stands before them"
    if len(counted) < len(run.occurrences):
        how += "; a dash where time was up"
    parts.append(f"Occurrences: of the structure, induced, {how}.")
    if run.is_sample or not all(one.is_exact for one in (*counted, *_instances(run))):
        parts.append("Below an estimate stands its 95% CI.")
    if any(has_letters(one.structure) for one in run.filters):
        parts.append("Letters are categories of nodes.")
    if run.num_epochs:
        parts.append("Edges have a weight above ½ and are as dark as it is large.")
    return " ".join(parts)


def _instances(run: FiltersRun) -> list[OccurrenceCount]:
    return [one.instances for one in run.filters]


def _training(losses: Sequence[float]) -> str:
    """The loss before and after, and whether the training mattered; empty without a training."""
    if len(losses) < 2:
        return ""
    said = "1 − mean similarity of a subgraph to its filter: "
    epochs = count(len(losses) - 1, "epoch")
    if losses[-1] > losses[0] - _SAME_LOSS:
        return (
            f"{said}{losses[0]:.3f} before the training and {losses[-1]:.3f} after {epochs}: the "
            "training did not make filters more similar to their subgraphs."
        )
    return f"{said}{losses[0]:.3f} before the training, {losses[-1]:.3f} after {epochs}."


def _method(run: FiltersRun) -> str:
    """How filters come about."""
    said = (
        "Filters are subgraphs that represent the subgraphs around all nodes: each is added "
        "because it makes them most similar to their nearest filter"
    )
    if run.num_random_graphs:
        said = (
            "Every node has a subgraph of each size around it. Filters are added one by one, each "
            "time the structure that explains most of what is around the nodes and least of what "
            "is around those of random graphs with the same degrees, while it explains more by "
            "three standard deviations"
        )
    elif run.settings["learning"]["init"] == "random":
        said = "Filters start as random parameters"
    if run.num_epochs:
        said += (
            "; they are trained as the centres of clusters of the subgraphs around the nodes "
            "(section VI-B of arXiv:2504.16360)"
        )
    return (
        f"{said}. A response is the similarity of the subgraph around a node and a filter, between "
        "0 and 1, by the graph optimal matching kernel (arXiv:2504.16360)."
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
                "said": _said(one),
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


def _said(one: MinedFilter) -> str:
    """The numbers of a filter in the panel below the graph."""
    random = one.random_instances
    beside = "" if random is None else f" ({random} in random graphs)"
    disjoint = f", {one.disjoint_instances:,} or more disjoint" if overlaps(one) else ""
    nodes = one.nearest_nodes
    verb = "node is" if nodes.is_exact and nodes.value == 1 else "nodes are"
    return (
        f"{short_count(one.instances)} {noun_of(one.instances)}{beside}{disjoint}. "
        f"{short_count(nodes)} {verb} nearest to it."
    )
