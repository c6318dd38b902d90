"""An explanation of a trained classifier as one page without network or script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup
from scipy.stats import binomtest

from gomkcn.mining.classifier_explanation import (
    Contributions,
    Decision,
    Explanation,
    explain_classifier,
)
from gomkcn.mining.plots.filter_drawing import (
    PLAIN_FILL,
    draw_filter,
    draw_loss_curve,
    draw_scale,
    response_fills,
)
from gomkcn.mining.plots.layout import DrawnGraph
from gomkcn.mining.plots.molecule_drawing import (
    as_molecule,
    contribution_colors,
    contribution_legend,
    draw_molecule,
)
from gomkcn.mining.plots.structure_drawing import draw_structure
from gomkcn.mining.plots.styles import line_styles
from gomkcn.mining.show.page import flatten, render_page
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.graph_classes import read_node_mask
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.training.labelled_data import LabelledData, summarize
from gomkcn_dgl.training.training_run import (
    TrainedClassifier,
    describe_choice,
    describe_settings,
    on_cpu,
    read_training_data,
)

# of a list of all filters so many have their responses drawn: with the next limit, the page of ten
# classes stays below two megabytes
_MOST_MAPS = 16
# nodes of a graph in which they are drawn
_MOST_MAPPED_NODES = 64
# what the last layer reads of the responses of a graph's nodes
_READ = {
    "max": "highest response",
    "mean": "mean response",
    "sum": "sum of the responses",
    None: "response",
}
# nothing but the style in the page itself
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
# opacity of the colour of a response below an atom: bonds and letters are read on each of them
_RESPONSE = 0.55
# what an atom contributes, on each page that has it
ATOMS_NOTE = (
    "The contribution of an atom to a class is the log odds of the class, less those that the "
    "classifier gives to the molecule without the atom and its bonds. Contributions of several "
    "atoms do not add up."
)
_TOO_LARGE = Markup('<p class="cap">Too large to be drawn.</p>')


def explain_run(
    classifier: TrainedClassifier,
    metrics: Mapping[str, Any],
    rows: Sequence[int | str] | None = None,
    *,
    data: LabelledData | None = None,
    data_path: str | None = None,
) -> tuple[Explanation, str]:
    """Explain the classifier of a run with its record; return the explanation and its page.

    ``data`` is what it was trained on, read from where it was, or from ``data_path``, where it is
    not given; ``rows`` are the graphs to show, by number or name.
    """
    settings = classifier.settings.override({"path": data_path})
    if data is None:
        if not Path(settings.data.path).exists():
            raise InputError(
                f"the data set {settings.data.path!r} of this run is not there",
                way_out=("say where it is with ", Argument("data_path")),
            )
        data = read_training_data(settings.data)
    for name, size in summarize(data).items():
        if size != (stored := metrics["data"].get(name)):
            raise InputError(
                f"the data set must be the one of the run, with {name} {stored}, got {size}."
            )
    # that of a node is the node itself
    marked = None if data.of_nodes else read_node_mask(settings.data.path)
    explanation = explain_classifier(on_cpu(classifier), data, rows, marked)
    return explanation, render_explanation(explanation, metrics, settings.to_dict())


def render_explanation(
    explanation: Explanation, metrics: Mapping[str, Any], settings: Mapping[str, Any]
) -> str:
    """Render an explanation as one self-contained page."""
    drawings = _Drawings(explanation)
    return render_page(
        "explanation.html.jinja",
        policy=_POLICY,
        script="",
        data="",
        explained=explanation,
        contributions=explanation.contributions,
        names=explanation.class_names,
        source=Path(settings["data"]["path"]).resolve().name,
        metrics=metrics,
        interval=_interval(metrics),
        verdict=judge_accuracy(metrics),
        machine_settings=describe_settings(metrics) if metrics["method"] == "kernel" else "",
        method_choice=describe_choice(metrics),
        draw=drawings,
        read=_READ[explanation.pooling],
        members=metrics["classes_of"],
        ordered=_ordered,
        logit=_logit,
        ringed=any(decision.ringed for decision in explanation.decisions),
        has_atoms=any(one.contributions is not None for one in explanation.decisions),
        atoms_note=ATOMS_NOTE,
        loss=_draw_loss(metrics),
        settings=flatten(settings),
        provenance=flatten(metrics["provenance"]),
    )


@dataclass(frozen=True)
class _Drawings:
    """The drawings of a page, all by the same rules: of a graph, of responses, of a filter."""

    explanation: Explanation

    def graph(self, graph: DrawnGraph | None, like: Decision | None = None) -> Markup:
        """A graph, with the features and rings of a decision, or without."""
        if graph is None:
            return _TOO_LARGE
        label = f"{graph.num_nodes} nodes and {len(graph.edges)} edges"
        if like is not None:
            around = " and its neighbourhood" if self.explanation.of_nodes else ""
            label = f"{like.name}{around}: {label}"
        fills = [PLAIN_FILL] * graph.num_nodes
        if like is not None and like.contributions is not None:
            label += f", in the colours of what they contribute to {self.explained(like)}"
            colors = contribution_colors(like.contributions)
            if molecule := _draw_molecule(graph, label, colors, like.ringed):
                return molecule
        if like is not None:
            fills = self.explanation.colors.fills(like.features)
        return _draw(graph, fills, label, () if like is None else like.ringed)

    def explained(self, decision: Decision) -> str:
        """The name of the class that is explained by a graph."""
        return self.explanation.class_names[decision.label]

    def atoms(self, decision: Decision) -> Markup:
        """What the colours below the atoms of a molecule say; empty for other graphs."""
        if decision.contributions is None:
            return Markup()
        return contribution_legend(
            self.explained(decision), float(np.abs(decision.contributions).max())
        )

    def response(self, decision: Decision, number: int) -> Markup:
        """A graph whose nodes have the colours of their responses to a filter."""
        learnt = self.explanation.filters[number]
        if decision.graph is None:
            return _TOO_LARGE
        assert decision.scores is not None
        scores = decision.scores[:, number]
        label = (
            f"responses of nodes to filter {number}, from {scores.min():.3f} to {scores.max():.3f}"
        )
        fills = response_fills(scores, learnt.low, learnt.high)
        colors = [(fill, _RESPONSE) for fill in fills]
        return _draw_molecule(decision.graph, label, colors, decision.ringed) or _draw(
            decision.graph, fills, label, decision.ringed
        )

    def filter(self, number: int, wide: float = 1.0) -> Markup:
        """A filter with its weights and features."""
        learnt = self.explanation.filters[number]
        return draw_filter(
            learnt.structure,
            learnt.weights,
            learnt.features,
            self.explanation.colors,
            round(wide * 150),
            round(wide * 128),
            lines=line_styles(learnt.structure.relations.kinds),
            label=f"filter {number}",
        )

    def scale(self, number: int) -> Markup:
        """The legend of the responses to a filter."""
        learnt = self.explanation.filters[number]
        return draw_scale(learnt.low, learnt.high)

    def here(self, decision: Decision, number: int) -> str:
        """The response of a node to a filter, or the highest one of a graph's nodes, in words."""
        assert decision.scores is not None
        scores = decision.scores[:, number]
        if self.explanation.of_nodes:
            return f"Of {decision.name}: {scores[0]:.3f}"
        return f"Highest in {decision.name}: {scores.max():.3f}"

    def with_map(self, decision: Decision, place: int) -> bool:
        """Whether the responses to the filter at a ``place`` of a list are drawn."""
        return place < _MOST_MAPS and len(decision.features) <= _MOST_MAPPED_NODES


def _draw(
    graph: DrawnGraph, fills: Sequence[str], label: str, ringed: Sequence[int] = ()
) -> Markup:
    """A graph, larger for more nodes."""
    molecule = _draw_molecule(graph, label)
    if molecule:
        return molecule
    return draw_structure(
        graph,
        *_size_of(graph),
        lines=line_styles(graph.relations.kinds),
        letters=False,
        fills=fills,
        ringed=ringed,
        label=label,
    )


def _size_of(graph: DrawnGraph) -> tuple[int, int]:
    """Width and height of a drawing, in pixels."""
    wide = 0.7 if graph.num_nodes <= 10 else 1.3 if graph.num_nodes <= 60 else 1.8
    return round(200 * wide), round(170 * wide)


def _draw_molecule(
    graph: DrawnGraph,
    label: str,
    colors: Sequence[tuple[str, float]] = (),
    ringed: Sequence[int] = (),
) -> Markup:
    """A graph as a molecule, with colours below its atoms; empty where it is none."""
    mol = as_molecule(graph)
    if mol is None:
        return Markup()
    return draw_molecule(mol, *_size_of(graph), colors=colors, ringed=ringed, label=label)


def _ordered(contributions: Contributions, label: int) -> list[int]:
    """The filters by their contribution to a class, the most first."""
    return np.argsort(-contributions.values[label], kind="stable").tolist()


def _logit(value: float) -> str:
    """A contribution with its sign, such as +5.12 or −0.03."""
    return f"{value:+.2f}".replace("-", "−")


def _draw_loss(metrics: Mapping[str, Any]) -> Markup:
    """The losses of a network, and its best epoch; empty for a kernel machine."""
    history = metrics.get("history")
    if not history:
        return Markup()
    return draw_loss_curve(
        history["train_loss"],
        first=1,
        validation=history["val_loss"],
        marked=metrics["best_epoch"],
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
    'Always answering “toxic” is correct for 60.0%. This classifier is no better, so what it \
responds to does not explain the classes.'
    """
    accuracy = metrics["accuracy"]["test"]
    size = metrics["size"]["test"]
    answer = metrics["baseline"]["answer"]
    least = metrics["baseline"]["accuracy"]["test"]
    always = f"Always answering “{answer}” is correct for {least:.1%}."
    if accuracy <= least:
        return (
            f"{always} This classifier is no better, so what it responds to does not explain the "
            "classes."
        )
    low, _ = _interval(metrics)
    if low <= least:
        return (
            f"{always} With {size} graphs to test, that lies within the 95% "
            "interval of the accuracy: the difference is within the error."
        )
    return always
