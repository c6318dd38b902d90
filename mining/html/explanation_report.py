"""An explanation ↔ its folder: drawings, one page for a person, the numbers for a program.

| file                            | holds                                              |
|---------------------------------|----------------------------------------------------|
| `explanation.html`              | everything on one page, without network or script  |
| `explanation.json`              | classes, responses by class, agreement with truth  |
| `filters.svg`                   | the filters of the first layer                     |
| `graph_*.svg` or `node_*.svg`   | the response of every node                         |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn_dgl.runtime.run_files import prepare_run_folder, to_json, write_files
from mining.explanation.classifier_explanation import Explanation, LearntFilter
from mining.html.cards import relation_key
from mining.html.page import flatten, render_page
from mining.plots.classifier_drawings import (
    draw_filter,
    draw_filters,
    draw_response,
    filter_faces,
)
from mining.plots.relation_styles import RelationStyle, RelationStyles

PAGE = "explanation.html"


def write_explanation(
    folder: str | Path,
    explanation: Explanation,
    metrics: Mapping[str, Any],
    settings: Mapping[str, Any],
) -> Path:
    """Write an explanation into a folder, over an older one; return the path of the page."""
    folder = prepare_run_folder(folder, (), force=True)
    drawings = {
        f"{explanation.task}_{response.row:05d}.svg": draw_response(
            response, explanation.scale, _styles(explanation)
        )
        for response in explanation.responses
    }
    files: dict[str, str | bytes] = {
        "filters.svg": draw_filters(explanation.filters, _styles(explanation)).to_file(),
        **{name: drawing.to_file() for name, drawing in drawings.items()},
        "explanation.json": to_json(_record(explanation)),
        PAGE: render_explanation(explanation, metrics, settings),
    }
    write_files(folder, files)
    for old in [*folder.glob("graph_[0-9]*.svg"), *folder.glob("node_[0-9]*.svg")]:
        if old.name not in files:
            old.unlink()
    return folder / PAGE


def render_explanation(
    explanation: Explanation, metrics: Mapping[str, Any], settings: Mapping[str, Any]
) -> str:
    """Render an explanation as one self-contained page."""
    styles = _styles(explanation)
    cards = [
        {
            "svg": draw_filter(one, faces, styles),
            "size": len(one.features),
            "num_edges": len(one.edges),
            "speaks_for": favoured_class(one),
            "means": one.class_means,
        }
        for one, faces in zip(explanation.filters, filter_faces(explanation.filters), strict=True)
    ]
    shown = [
        {
            "response": response,
            "right": response.predicted == response.true,
            "svg": draw_response(response, explanation.scale, styles),
        }
        for response in explanation.responses
    ]
    return render_page(
        "explanation.html.jinja",
        explanation=explanation,
        source=Path(settings["data"]["path"]).resolve().name,
        accuracy=metrics["accuracy"],
        size=metrics["size"],
        summary=metrics["data"],
        cards=cards,
        shown=shown,
        truth_lines=describe_truth(explanation),
        relation_key=relation_key(RelationStyles(tuple(styles)).legend()),
        settings=flatten(settings),
        provenance=flatten(metrics["provenance"]),
    )


def _styles(explanation: Explanation) -> list[RelationStyle]:
    """Style of each relation that the filters tell apart, by number."""
    # without patterns, the styles are in the order of the relations
    return list(RelationStyles.of([], explanation.relations).styles)


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


def favoured_class(one: LearntFilter) -> int | None:
    """The class that a filter responds to most; None where all means are equal."""
    means = np.array(one.class_means)
    if np.isnan(means).all() or np.nanmax(means) - np.nanmin(means) < 1e-6:
        return None
    return int(np.nanargmax(means))


def _record(explanation: Explanation) -> dict[str, Any]:
    """The record of explanation.json; the mean of a class without test graphs is null."""
    record = asdict(
        explanation,
        dict_factory=lambda pairs: {
            key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in pairs
        },
    )
    for one in record["filters"]:
        one["class_means"] = [None if np.isnan(mean) else mean for mean in one["class_means"]]
    return record
