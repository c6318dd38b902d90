"""Patterns → a web page, and cards for a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from markupsafe import Markup

from gomkcn_dgl.relations import PLAIN
from mining.html.cards import make_cards, relation_key
from mining.html.explorer import content_policy, explorer_data, page_script
from mining.html.page import flatten, mark_number, read_text, render_page
from mining.html.tables import (
    class_table,
    classes_sentence,
    motif_sentences,
    motif_table,
    others_table,
    pattern_table,
    recovery_table,
    summary_sentence,
)
from mining.html.tiles import headline, make_tiles
from mining.mining_run import MiningRun, RelationSummary
from mining.pattern import LEVEL, Pattern
from mining.plots.charts import draw_intervals, draw_loss
from mining.plots.styles import RelationStyles, fit_feature_scale
from mining.plots.svg import Drawing

FIGURES = ("frequencies", "loss")
# relations listed by name
_MOST_RELATIONS = 20
_COUNTS = ("occurrences", "disjoint", "roots", "graphs")


def run_figures(run: MiningRun) -> dict[str, Drawing]:
    """Draw the figures of a run as a whole, by the names in ``FIGURES``, without empty ones."""
    figures: dict[str, Drawing] = {}
    if run.patterns:
        figures["frequencies"] = _draw_frequencies(run)
    if run.loss_curve:
        figures["loss"] = draw_loss(run.loss_curve)
    return figures


def _draw_frequencies(run: MiningRun) -> Drawing:
    """The counts that are known, with their intervals."""
    names, counts = [f"Pattern {pattern.id}" for pattern in run.patterns], {}
    for name in _COUNTS if run.graph.num_graphs > 1 else _COUNTS[:-1]:
        rows = []
        for frequency in (pattern.frequency for pattern in run.patterns):
            count = frequency.occurrences
            if name == "occurrences" and not count.is_exact:
                rows.append((count.value, count.low, count.high))
            else:
                known = count.value if name == "occurrences" else getattr(frequency, name)
                if known is None:
                    continue
                rows.append((float(known), np.nan, np.nan))
        if rows:
            counts[name] = rows
    return draw_intervals(names, counts)


def _styles(run: MiningRun) -> RelationStyles:
    kinds = [(relation.name, relation.directed) for relation in run.graph.relations]
    return RelationStyles.of(run.patterns, kinds)


def render_report(run: MiningRun, figures: dict[str, Drawing] | None = None) -> str:
    """Render a run as one self-contained HTML page, readable without script and without network.

    The numbers in its text are those of patterns.json and run.json, see ``mining/html/page.py``.
    ``figures`` come from :func:`run_figures` where they are drawn already.
    """
    record = {"graph": asdict(run.graph)}
    cards, styles, legend = _cards(run), _styles(run), run.map.legend if run.map else ()
    rows = np.concatenate([pattern.features for pattern in run.patterns] or [np.ones((1, 1))])
    return render_page(
        "report.html.jinja",
        run=run,
        made_of=motif_sentences(run.motif_set),
        set_table=motif_table(run.motif_set, run.recovery) if run.motif_set.motifs else None,
        headline=headline(run),
        cards=cards,
        tiles=make_tiles(cards),
        legend=legend,
        part=_shown_part(run),
        report_style=Markup(read_text("report.css")),
        # base64 and our own script, neither of which holds a text of the data
        data=Markup(explorer_data(run, styles)),
        script=Markup(page_script()),
        policy=content_policy(),
        patterns=pattern_table(run),
        others=others_table(run),
        class_rows=class_table(run),
        classes=classes_sentence(run) if any(one.classes for one in run.patterns) else "",
        motifs=None if run.recovery is None else recovery_table(run.recovery),
        number=lambda *path: mark_number(record, "run.json", *path),
        figures=run_figures(run) if figures is None else figures,
        # whether nodes are coloured by their features on a scale
        scaled=not legend and fit_feature_scale(rows) is not None,
        level=LEVEL,
        order=_order_of(run),
        relations=_relations(run),
        most_relations=_MOST_RELATIONS,
        relation_key=relation_key(styles.legend()),
        plain=styles.is_plain,
        settings=flatten(run.settings),
        provenance=flatten(run.provenance),
    )


def run_html(run: MiningRun) -> str:
    """Summary and cards of a run, for a notebook."""
    return render_page("cards.html.jinja", cards=_cards(run), summary=summary_sentence(run))


def patterns_html(patterns: Sequence[Pattern], summary: str = "") -> str:
    """Cards of patterns, for a notebook."""
    return render_page("cards.html.jinja", cards=make_cards(patterns), summary=summary)


def _shown_part(run: MiningRun) -> str:
    """How much of a large graph is shown; empty where it is all of it."""
    shown = run.map
    if shown is None or len(shown.names) == run.graph.num_nodes:
        return ""
    return (
        f"{len(shown.names):,} of {run.graph.num_nodes:,} nodes are shown: places of each pattern, "
        "and their neighbours."
    )


def _cards(run: MiningRun) -> list[dict[str, Any]]:
    is_collection = run.graph.num_graphs > 1
    return make_cards(
        run.patterns,
        run.map,
        run.recovery,
        is_collection=is_collection,
        styles=_styles(run),
    )


def _order_of(run: MiningRun) -> str:
    """What the order of the patterns is by."""
    if run.null_models:
        return "the motif set first, then what differs most from random graphs"
    return "the motif set first"


def _relations(run: MiningRun) -> list[tuple[str, list[tuple[int, RelationSummary]]]]:
    """Relations with their numbers, with a direction and without, those with most edges first."""
    rows = sorted(enumerate(run.graph.relations), key=lambda row: -row[1].num_edges)
    if [(one.name, one.directed) for _, one in rows] == [(PLAIN, False)]:
        return []
    return [
        ("Edges with a direction", [row for row in rows if row[1].directed]),
        ("Edges without a direction", [row for row in rows if not row[1].directed]),
    ]
