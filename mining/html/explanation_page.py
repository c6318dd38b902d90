"""An explanation of a trained classifier ↔ its folder: a page for a person, JSON for a program.

`explanation.html` is one page without network or script; `explanation.json` holds the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup
from scipy.stats import binomtest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.output_folder import to_json, write_files
from gomkcn_dgl.training.labelled_data import LabelledData
from gomkcn_dgl.training.training_run import (
    describe_chosen,
    load_classifier,
    read_metrics,
    read_training_data,
)
from mining.explanation.classifier_explanation import (
    Decision,
    DrawnGraph,
    Explanation,
    check_same_data,
    explain_classifier,
)
from mining.html.page import flatten, render_page
from mining.plots.graph_drawing import draw_graph

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
    not given; ``rows`` are the graphs or nodes to show.
    """
    classifier, metrics = load_classifier(run), read_metrics(run)
    settings = classifier.settings.override({"path": data_path})
    if data is None:
        if not Path(settings.data.path).exists():
            raise InputError(
                f"the data set {settings.data.path!r} of this run is not there; say where with "
                f"gomkcn explain {run} --data PATH."
            )
        data = read_training_data(settings.data)
    check_same_data(data, metrics["data"])
    explanation = explain_classifier(classifier, data, rows)
    folder = Path(run) / "explanation" if out is None else Path(out)
    page = render_explanation(explanation, metrics, settings.to_dict())
    write_files(folder, {"explanation.json": to_json(_record(explanation)), PAGE: page})
    return explanation, folder / PAGE


def render_explanation(
    explanation: Explanation, metrics: Mapping[str, Any], settings: Mapping[str, Any]
) -> str:
    """Render an explanation as one self-contained page."""
    chosen = metrics.get("chosen")
    return render_page(
        "explanation.html.jinja",
        explanation=explanation,
        names=explanation.class_names,
        source=Path(settings["data"]["path"]).resolve().name,
        metrics=metrics,
        interval=_interval(metrics),
        verdict=judge_accuracy(metrics),
        chosen=None if chosen is None else describe_chosen(chosen),
        truth=describe_truth(explanation),
        filters=[
            {
                "svg": _draw(one.graph, explanation, weights=one.edge_weights),
                "nodes": _composition(one.graph, explanation),
                "speaks_for": one.favoured_class,
                "means": one.class_means,
            }
            for one in explanation.filters
        ],
        decisions=[_shown(one, explanation) for one in explanation.decisions],
        settings=flatten(settings),
        provenance=flatten(metrics["provenance"]),
    )


def _shown(one: Decision, explanation: Explanation) -> dict[str, Any]:
    """What the page shows of a decision."""
    looks: dict[str, Any] = {}
    if one.scores is not None:
        # the responses to the filter that responds most, from the lowest to the highest
        own = one.scores[:, int(one.highest.argmax())]
        looks["shades"] = ((own - own.min()) / max(float(np.ptp(own)), 1e-9)).tolist()
        looks["ringed"] = [] if one.is_planted is None else one.is_planted.tolist()
    return {
        "one": one,
        "reason": one.reason(explanation.class_names),
        "svg": _draw(one.graph, explanation, **looks),
        "similar": [(like, _draw(like.graph, explanation)) for like in one.similar],
    }


def _draw(graph: DrawnGraph, explanation: Explanation, **looks: Any) -> Markup:
    if not graph.size:
        return Markup("<p>Too large to be drawn.</p>")
    directed = [explanation.relations[number][1] for number in graph.relations]
    letters = [explanation.labels[label][:2] for label in graph.labels]
    return draw_graph(graph.size, graph.edges, directed=directed, letters=letters, **looks)


def _composition(graph: DrawnGraph, explanation: Explanation) -> str:
    """Nodes by category, and edges by relation where there are several."""
    counts = Counter(explanation.labels[label] for label in graph.labels).most_common()
    said = [f"{number} {name}" for name, number in counts]
    if len(explanation.relations) > 1:
        kinds = Counter(explanation.relations[number][0] for number in graph.relations)
        said += [f"{number} “{name}”" for name, number in kinds.most_common()]
    return ", ".join(said)


def _interval(metrics: Mapping[str, Any]) -> tuple[float, float]:
    """Ends of the 95 % interval (Wilson) of the accuracy on graphs or nodes of the same kind."""
    size = metrics["size"]["test"]
    right = round(metrics["accuracy"]["test"] * size)
    ends = binomtest(right, size).proportion_ci(method="wilson")
    return float(ends.low), float(ends.high)


def judge_accuracy(metrics: Mapping[str, Any]) -> str:
    """Say whether a classifier is better than the answer that needs no learning.

    >>> judge_accuracy({"accuracy": {"test": 0.5}, "size": {"test": 10}, "data": {"task": "graph"},
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
            f"{always} With {size} {metrics['data']['task']}s to test, that lies within the 95% "
            "interval of the accuracy: the difference may be chance."
        )
    return always


def describe_truth(explanation: Explanation) -> list[str]:
    """Say in a line or two whether high responses tell what was planted; nothing if unknown."""
    truth = explanation.truth
    if truth is None:
        return []
    lines = [f"node-level AUC of the highest filter response against the truth: {truth.auc:.3f}"]
    if truth.share_inside is not None:
        share = f"{truth.share_inside:.1%}"
        lines.append(f"highest response lies in the planted motif: {share} of the test graphs")
    return lines


def _record(explanation: Explanation) -> dict[str, Any]:
    """The record of explanation.json; the mean of a class without test graphs is null."""

    def plain(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return {
            key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in pairs
        }

    record = asdict(explanation, dict_factory=plain)
    for one in record["filters"]:
        one["class_means"] = [None if np.isnan(mean) else mean for mean in one["class_means"]]
    return record
