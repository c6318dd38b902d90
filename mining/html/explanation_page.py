"""An explanation of a trained classifier as one page without network or script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup
from scipy.stats import binomtest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.output_folder import write_files
from gomkcn_dgl.training.labelled_data import LabelledData, summarize
from gomkcn_dgl.training.training_run import (
    describe_chosen,
    load_classifier,
    read_metrics,
    read_training_data,
)
from mining.classifier_explanation import Explanation, explain_classifier
from mining.html.page import flatten, render_page
from mining.plots.layout import Drawable
from mining.plots.structure_drawing import draw_structure
from mining.plots.styles import line_styles

PAGE = "explanation.html"


def explain_run(
    run: str | Path,
    rows: Sequence[int] | None = None,
    *,
    data: LabelledData | None = None,
    data_path: str | None = None,
    out: str | Path | None = None,
) -> tuple[Explanation, Path]:
    """Explain a trained run and write that into its folder; return the path of the page as well.

    ``data`` is what it was trained on, read from where it was, or from ``data_path``, where it is
    not given; ``rows`` are the graphs to show.
    """
    classifier, metrics = load_classifier(run, "cpu"), read_metrics(run)
    if classifier.settings.data.nodes:
        raise InputError(
            f"RUN classifies nodes, and a page shows graphs; gomkcn predict {run} GRAPH gives the "
            "class of each node."
        )
    settings = classifier.settings.override({"path": data_path})
    if data is None:
        if not Path(settings.data.path).exists():
            raise InputError(
                f"the data set {settings.data.path!r} of this run is not there; say where with "
                f"gomkcn explain {run} --data PATH."
            )
        data = read_training_data(settings.data)
    for name, size in summarize(data).items():
        if size != (stored := metrics["data"].get(name)):
            raise InputError(
                f"the data set must be the one of the run, with {name} {stored}, got {size}."
            )
    explanation = explain_classifier(classifier, data, rows)
    folder = Path(run) / "explanation" if out is None else Path(out)
    page = render_explanation(explanation, metrics, settings.to_dict())
    write_files(folder, {PAGE: page})
    return explanation, folder / PAGE


def render_explanation(
    explanation: Explanation, metrics: Mapping[str, Any], settings: Mapping[str, Any]
) -> str:
    """Render an explanation as one self-contained page."""
    chosen = metrics.get("chosen")
    return render_page(
        "explanation.html.jinja",
        explained=explanation,
        names=explanation.class_names,
        source=Path(settings["data"]["path"]).resolve().name,
        metrics=metrics,
        interval=_interval(metrics),
        verdict=judge_accuracy(metrics),
        chosen=None if chosen is None else describe_chosen(chosen),
        draw=_draw,
        settings=flatten(settings),
        provenance=flatten(metrics["provenance"]),
    )


def _draw(graph: Drawable | None, scores: np.ndarray | None = None) -> Markup:
    """A graph, whose nodes are shaded by their responses ``[V, F]`` to the strongest filter."""
    if graph is None:
        return Markup("<p>Too large to be drawn.</p>")
    shades = np.empty(0)
    if scores is not None:
        own = scores[:, scores.max(axis=0).argmax()]
        shades = (own - own.min()) / max(float(np.ptp(own)), 1e-9)
    wide = 0.6 if graph.num_nodes <= 10 else 1 if graph.num_nodes <= 60 else 2
    return draw_structure(
        graph,
        round(200 * wide),
        round(170 * wide),
        lines=line_styles([], graph.relations.kinds),
        letters=bool(graph.categories),
        label=f"graph of {graph.num_nodes} nodes and {len(graph.edges)} edges",
        shades=shades.tolist(),
    )


def _interval(metrics: Mapping[str, Any]) -> tuple[float, float]:
    """Ends of the 95 % interval (Wilson) of the accuracy on graphs of the same kind."""
    size = metrics["size"]["test"]
    right = round(metrics["accuracy"]["test"] * size)
    ends = binomtest(right, size).proportion_ci(method="wilson")
    return float(ends.low), float(ends.high)


def judge_accuracy(metrics: Mapping[str, Any]) -> str:
    """Say whether a classifier is better than the answer that needs no learning.

    >>> judge_accuracy({"accuracy": {"test": 0.5}, "size": {"test": 10},
    ...                 "baseline": {"answer": "toxic", "accuracy": {"test": 0.6}}})
    'Always answering “toxic” is correct for 60.0%. This classifier is no better, so the page does \
not explain the classes.'
    """
    accuracy, size = metrics["accuracy"]["test"], metrics["size"]["test"]
    answer, least = metrics["baseline"]["answer"], metrics["baseline"]["accuracy"]["test"]
    always = f"Always answering “{answer}” is correct for {least:.1%}."
    if accuracy <= least:
        return f"{always} This classifier is no better, so the page does not explain the classes."
    low, _ = _interval(metrics)
    if low <= least:
        return (
            f"{always} With {size} graphs to test, that lies within the 95% "
            "interval of the accuracy: the difference is within the error."
        )
    return always
