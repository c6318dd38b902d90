"""An explanation ↔ its folder: drawings, one page for a person, the numbers for a program.

| file                            | holds                                              |
|---------------------------------|----------------------------------------------------|
| `explanation.html`              | everything on one page, without network or script  |
| `explanation.json`              | classes, confusion, and what is drawn              |
| `filters.svg`                   | the filters of the first layer of a network        |
| `graph_*.svg` or `node_*.svg`   | the response of every node; or of a kernel machine |
|                                 | a graph and those most like it                     |
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup
from scipy.stats import binomtest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.output_folder import prepare_run_folder, to_json, write_files
from gomkcn_dgl.training.classifiers import TrainedNetwork
from gomkcn_dgl.training.labelled_data import LabelledData
from gomkcn_dgl.training.training_run import (
    TrainedClassifier,
    describe_chosen,
    load_classifier,
    read_metrics,
    read_training_data,
)
from mining.explanation.classifier_explanation import (
    ComparedGraph,
    Comparison,
    Explanation,
    LearntFilter,
    MachineExplanation,
    check_same_data,
    explain_classifier,
    explain_machine,
)
from mining.html.cards import relation_key
from mining.html.page import flatten, render_page
from mining.plots.charts import figure_to_svg
from mining.plots.classifier_drawings import (
    draw_compared,
    draw_filter,
    draw_filters,
    draw_learning_curve,
    draw_place,
    draw_response,
    filter_faces,
    label_colors,
    label_faces,
)
from mining.plots.styles import PLAIN, RelationStyle, RelationStyles
from mining.plots.svg import Drawing, arrange

AnyExplanation = Explanation | MachineExplanation

PAGE = "explanation.html"
# what an explanation draws
_DRAWING = re.compile(r"filters\.svg|(graph|node)_\d{5,}\.svg")


def explain_run(
    run: str | Path,
    rows: Sequence[int] | None = None,
    *,
    data: LabelledData | None = None,
    data_path: str | None = None,
    out: str | Path | None = None,
) -> tuple[AnyExplanation, Path]:
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
    explanation = _explain(classifier, data, rows)
    folder = Path(run) / "explanation" if out is None else out
    return explanation, write_explanation(folder, explanation, metrics, settings.to_dict())


def _explain(
    classifier: TrainedClassifier, data: LabelledData, rows: Sequence[int] | None
) -> AnyExplanation:
    if isinstance(classifier, TrainedNetwork):
        return explain_classifier(classifier, data, rows)
    return explain_machine(classifier, data, rows)


def write_explanation(
    folder: str | Path,
    explanation: AnyExplanation,
    metrics: Mapping[str, Any],
    settings: Mapping[str, Any],
) -> Path:
    """Write an explanation into a folder, over an older one; return the path of the page."""
    folder = prepare_run_folder(folder, (), force=True)
    is_own = (folder / "explanation.json").exists()
    files: dict[str, str | bytes] = {
        **{name: drawing.to_file() for name, drawing in _drawings(explanation).items()},
        "explanation.json": to_json(_record(explanation)),
        PAGE: render_explanation(explanation, metrics, settings),
    }
    write_files(folder, files)
    # drawings of an earlier explanation, and none of the user's
    for old in folder.glob("*.svg") if is_own else ():
        if old.name not in files and _DRAWING.fullmatch(old.name):
            old.unlink()
    return folder / PAGE


def _drawings(explanation: AnyExplanation) -> dict[str, Drawing]:
    """The drawings by the names of their files."""
    styles, task = _styles(explanation), explanation.task
    if isinstance(explanation, Explanation):
        drawings = {
            f"{task}_{one.row:05d}.svg": draw_response(one, explanation.scale, styles)
            for one in explanation.responses
        }
        return {
            **drawings,
            "filters.svg": draw_filters(explanation.filters, styles, explanation.labels),
        }
    drawings = {}
    for one in explanation.responses:
        graphs = [(graph, draw) for graph, draw in _compared(one, explanation) if draw is not None]
        titles = [f"graph {graph.row}" for graph, _ in graphs]
        drawings[f"{task}_{one.row:05d}.svg"] = arrange([draw for _, draw in graphs], 4, titles)
    return drawings


def render_explanation(
    explanation: AnyExplanation, metrics: Mapping[str, Any], settings: Mapping[str, Any]
) -> str:
    """Render an explanation as one self-contained page."""
    shared = {
        "explanation": explanation,
        "names": explanation.class_names,
        "source": Path(settings["data"]["path"]).resolve().name,
        "accuracy": metrics["accuracy"],
        "interval": _interval(metrics),
        "baseline": metrics["baseline"],
        "size": metrics["size"],
        "summary": metrics["data"],
        "verdict": judge_accuracy(metrics),
        "legend": label_colors(explanation.labels).legend,
        "relation_key": relation_key(RelationStyles(tuple(_styles(explanation))).legend()),
        "settings": flatten(settings),
        "provenance": flatten(metrics["provenance"]),
    }
    if isinstance(explanation, Explanation):
        own = _network_values(explanation, metrics, settings)
        return render_page("network.html.jinja", **shared, **own)
    return render_page("machine.html.jinja", **shared, **_machine_values(explanation, metrics))


def _interval(metrics: Mapping[str, Any]) -> tuple[float, float]:
    """Ends of the 95 % interval (Wilson) of the accuracy on graphs or nodes of the same kind."""
    size = metrics["size"]["test"]
    right = round(metrics["accuracy"]["test"] * size)
    ends = binomtest(right, size).proportion_ci(method="wilson")
    return float(ends.low), float(ends.high)


def _network_values(
    explanation: Explanation, metrics: Mapping[str, Any], settings: Mapping[str, Any]
) -> dict[str, Any]:
    """What only the page of a network shows."""
    styles = _styles(explanation)
    return {
        "validation": "validation",
        "model": settings["model"],
        "curve": _curve(metrics),
        "truth_lines": describe_truth(explanation),
        "cards": [_card(explanation, number) for number in range(len(explanation.filters))],
        "shown": [
            {
                "response": response,
                "right": response.predicted == response.true,
                "svg": draw_response(response, explanation.scale, styles),
            }
            for response in explanation.responses
        ],
    }


def _machine_values(explanation: MachineExplanation, metrics: Mapping[str, Any]) -> dict[str, Any]:
    """What only the page of a kernel machine shows."""
    tried: dict[tuple[Any, ...], dict[str, Any]] = {}
    # of equals the first, as the machine chose
    for one in sorted(metrics["tried"], key=lambda one: -one["accuracy"]):
        tried.setdefault((one["num_levels"], one.get("tau"), one["aggregation"]), one)
    return {
        "validation": "cross-validation",
        "curve": None,
        "truth_lines": [],
        "chosen": metrics["chosen"],
        "chosen_words": describe_chosen(metrics["chosen"]),
        "num_tried": len(metrics["tried"]),
        "num_compared": metrics["num_compared"],
        "num_patterns": metrics["chosen"].get("num_patterns"),
        "tried": list(tried.values()),
        "shown": [
            {
                "response": one,
                "right": one.predicted == one.true,
                "graphs": _compared(one, explanation),
            }
            for one in explanation.responses
        ],
    }


def _compared(
    one: Comparison, explanation: MachineExplanation
) -> list[tuple[ComparedGraph, Drawing | None]]:
    """A graph and those most like it, with their drawings; None for one that is too large."""
    labels, styles = explanation.labels, _styles(explanation)
    return [
        (
            graph,
            draw_compared(graph, _faces(graph.labels, len(graph.nodes), labels), styles)
            if graph.nodes
            else None,
        )
        for graph in (one.graph, *one.similar)
    ]


def _faces(codes: Sequence[int], size: int, labels: Sequence[str]) -> Sequence[str]:
    """Colours of nodes by their label, or one for all."""
    return label_faces(codes, labels) if labels else [PLAIN] * size


def judge_accuracy(metrics: Mapping[str, Any]) -> str:
    """Say whether a classifier is better than the answer that needs no learning.

    >>> judge_accuracy({"accuracy": {"test": 0.5}, "size": {"test": 10}, "data": {"task": "graph"},
    ...                 "method": "network",
    ...                 "baseline": {"answer": "toxic", "accuracy": {"test": 0.6}}})
    'Always answering “toxic” is correct for 60.0%: this classifier is no better than that, and \
what its filters show does not explain the classes.'
    """
    accuracy, size = metrics["accuracy"]["test"], metrics["size"]["test"]
    answer, least = metrics["baseline"]["answer"], metrics["baseline"]["accuracy"]["test"]
    always = f"Always answering “{answer}” is correct for {least:.1%}"
    if accuracy <= least:
        shows = "what its filters show" if metrics["method"] == "network" else "what it compares"
        return (
            f"{always}: this classifier is no better than that, and {shows} does not explain the "
            "classes."
        )
    low, _ = _interval(metrics)
    if low <= least:
        return (
            f"{always}. With {size} {metrics['data']['task']}s to test, the difference may be "
            "chance: that lies within the 95 % interval of the accuracy."
        )
    return f"{always}, which is what an accuracy has to be compared with."


def _curve(metrics: Mapping[str, Any]) -> Markup | None:
    """The learning curve of a run, None where it had no epoch."""
    if not metrics["epochs"]:
        return None
    least = metrics["baseline"]["accuracy"]["val"]
    axes = draw_learning_curve(metrics["history"], metrics["best_epoch"], least)
    # only matplotlib wrote this, and it escapes text itself
    return Markup(figure_to_svg(axes.figure, name="curve", inline=True))


def _card(explanation: Explanation, number: int) -> dict[str, Any]:
    """What the page shows of a filter."""
    one, styles, labels = explanation.filters[number], _styles(explanation), explanation.labels
    counts = Counter(labels[code] for code in one.labels).most_common()
    return {
        "svg": draw_filter(one, filter_faces(explanation.filters, labels)[number], styles),
        "size": len(one.features),
        "num_edges": len(one.edges),
        "nodes": ", ".join(f"{count} {label}" for label, count in counts),
        "speaks_for": favoured_class(one),
        "means": one.class_means,
        "places": [
            {
                "place": place,
                "svg": draw_place(
                    place,
                    _faces(place.labels, len(place.nodes), labels),
                    styles,
                ),
            }
            for place in one.places
        ],
    }


def _styles(explanation: AnyExplanation) -> list[RelationStyle]:
    """Style of each relation that the filters tell apart, by number."""
    # without patterns, the styles are in the order of the relations
    return list(RelationStyles.of([], explanation.relations).styles)


def describe_truth(explanation: AnyExplanation) -> list[str]:
    """Say in a line or two whether high responses tell what was planted; nothing if unknown."""
    truth = explanation.truth if isinstance(explanation, Explanation) else None
    if truth is None:
        return []
    lines = [f"node-level AUC of the highest filter response against the truth: {truth.auc:.3f}"]
    if truth.share_inside is not None:
        share = f"{truth.share_inside:.1%}"
        lines.append(f"highest response lies in the planted motif: {share} of the test graphs")
    return lines


def favoured_class(one: LearntFilter) -> int | None:
    """The class that a filter responds to most; None where all means are equal."""
    means = np.array(one.class_means)
    if np.isnan(means).all() or np.nanmax(means) - np.nanmin(means) < 1e-6:
        return None
    return int(np.nanargmax(means))


def _record(explanation: AnyExplanation) -> dict[str, Any]:
    """The record of explanation.json; the mean of a class without test graphs is null."""
    record = asdict(
        explanation,
        dict_factory=lambda pairs: {
            key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in pairs
        },
    )
    for one in record.get("filters", []):
        one["class_means"] = [None if np.isnan(mean) else mean for mean in one["class_means"]]
    return record
