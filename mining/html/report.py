"""Step 6: patterns → a web page, and cards for Jupyter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from markupsafe import Markup

from gomkcn_dgl.csr import csr_from_edges
from mining.html.cards import make_cards
from mining.html.page import flatten, mark_number, page_style, page_template
from mining.html.report_words import CLEAR
from mining.html.summary import percent, summary_sentence
from mining.plots.choice_figure import draw_choice
from mining.plots.count_figures import Estimate, draw_intervals
from mining.plots.figures import draw_similarity_counts
from mining.plots.graph_map import draw_graph_map
from mining.plots.node_colors import FeatureScale
from mining.plots.plots import draw_loss, figure_to_svg
from mining.records.pattern import Pattern
from mining.runs.drawings import GraphMap
from mining.runs.mining_run import MiningRun

FIGURES = ("frequencies", "map", "pattern_size", "num_patterns", "similarities", "loss")
_READINGS = ("distinct", "disjoint", "assigned", "exact", "num_graphs")


def run_figures(run: MiningRun) -> dict[str, Any]:
    """Draw the figures of a run as a whole, by name; what has nothing to show is left out.

    Returns
    -------
    dict of str to matplotlib.figure.Figure
        By the names in ``FIGURES``.
    """
    figures: dict[str, Any] = {}
    if run.patterns:
        figures["frequencies"] = _draw_frequencies(run)
    if run.drawings.map is not None:
        figures["map"] = _draw_map(run.drawings.map)
    for choice in run.choices:
        figures[choice.parameter] = draw_choice(choice).figure
    if any(map(any, run.drawings.similarities)):
        figures["similarities"] = draw_similarity_counts(np.array(run.drawings.similarities)).figure
    if run.loss_curve:
        figures["loss"] = draw_loss(run.loss_curve).figure
    return figures


def render_report(run: MiningRun, figures: dict[str, Any] | None = None) -> str:
    """Render a run as one self-contained HTML page.

    It needs no network and no script, follows the reader's light or dark setting, and can be
    printed. Its numbers are those of ``patterns.json``, ``drawings.json`` and ``run.json``, see
    ``mining/html/page.py``.

    Parameters
    ----------
    run : MiningRun
    figures : dict of str to matplotlib.figure.Figure, optional
        From :func:`run_figures`, where they are drawn already.

    Returns
    -------
    str
    """
    figures = run_figures(run) if figures is None else figures
    record = {
        "graph": asdict(run.graph),
        "recovery": [asdict(one) for one in run.recovery or []],
        "choices": [choice.to_dict() for choice in run.choices],
    }
    return page_template("report.html.jinja").render(
        run=run,
        summary=summary_sentence(run),
        cards=_cards(run),
        number=lambda *path: mark_number(record, "run.json", *path),
        figures={name: _svg(figure, name) for name, figure in figures.items()},
        scaled=_scaled(run),
        clear=percent(CLEAR),
        cut=percent(run.graph.truncated_share),
        settings=flatten(run.settings),
        provenance=flatten(run.provenance),
        page_style=page_style(),
    )


def run_html(run: MiningRun) -> str:
    """Render summary and cards of a run, for Jupyter."""
    return page_template("cards.html.jinja").render(
        cards=_cards(run), summary=summary_sentence(run)
    )


def patterns_html(patterns: Sequence[Pattern]) -> str:
    """Render several patterns as cards, for Jupyter.

    Parameters
    ----------
    patterns : sequence of Pattern

    Returns
    -------
    str
    """
    return page_template("cards.html.jinja").render(cards=make_cards(patterns), summary="")


def _cards(run: MiningRun) -> list[Any]:
    collection = run.graph.num_graphs > 1
    return make_cards(run.patterns, run.drawings, run.recovery, collection=collection)


def _scaled(run: MiningRun) -> bool:
    """Whether nodes are coloured by their features on a scale."""
    if run.drawings.legend or not run.patterns:
        return False
    rows = np.concatenate([pattern.features for pattern in run.patterns])
    return FeatureScale.fit(rows) is not None


def _draw_frequencies(run: MiningRun) -> Any:
    readings: dict[str, list[Estimate | None]] = {name: [] for name in _READINGS}
    for pattern in run.patterns:
        for name, estimates in readings.items():
            count = getattr(pattern.frequency, name)
            low, high = pattern.frequency.intervals.get(name, (None, None))
            estimates.append(None if count is None else (count, low, high))
    if run.graph.num_graphs == 1:
        del readings["num_graphs"]
    shown = {
        name.replace("num_graphs", "graphs"): estimates
        for name, estimates in readings.items()
        if any(estimate is not None for estimate in estimates)
    }
    return draw_intervals([f"Pattern {pattern.id}" for pattern in run.patterns], shown).figure


def _draw_map(graph_map: GraphMap) -> Any:
    graph = csr_from_edges(
        graph_map.edges[:, 0],
        graph_map.edges[:, 1],
        len(graph_map.pattern_of),
        features=np.ones(len(graph_map.pattern_of)),
        undirected=True,
    )
    return draw_graph_map(graph, graph_map.pattern_of).figure


def _svg(figure: Any, name: str) -> Markup:
    # only matplotlib wrote this, and it escapes text itself
    return Markup(figure_to_svg(figure, name=name, inline=True))
