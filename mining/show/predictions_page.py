"""The classes that a classifier gives to the graphs of a file, as one page without network.

Molecules are drawn as such, their atoms in the colours of what they contribute to the class.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from gomkcn.mining.classifier_explanation import node_contributions
from gomkcn.mining.plots.graph_map import GraphMap
from gomkcn.mining.plots.molecule_drawing import contribution_legend
from gomkcn.mining.plots.styles import relation_lines
from gomkcn.mining.show.drawn_graph import content_policy, graph_record, pack, page_script
from gomkcn.mining.show.explanation_page import ATOMS_NOTE
from gomkcn.mining.show.page import flatten, render_page
from gomkcn.mining.structures.graph_summary import GraphSummary
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.graph_classes import GraphClasses
from gomkcn_dgl.training.classifiers import take_graphs
from gomkcn_dgl.training.training_run import Predictions, TrainedClassifier

_SCRIPT = "predictions.js"
# atoms whose contributions are computed, those of the first molecules: some two hundred drugs.
# The classifier decides about a molecule without each of them
MOST_ATOMS = 5_000
# share of the contributions that a colour tells apart; larger ones have the strongest
_TOLD_APART = 0.98
# a contribution in the block of the page is a whole number of these
_STEP = 0.001


def render_predictions(
    classifier: TrainedClassifier,
    found: Predictions,
    source: str,
    *,
    most_atoms: int = MOST_ATOMS,
) -> str:
    """Return the page of the predictions for the graphs of the file ``source``.

    Contributions are those of the first molecules, which have at most ``most_atoms`` atoms in all.
    """
    if found.of_nodes:
        raise InputError("found", "must be predictions for graphs", got="those for nodes")
    graph = found.graph
    classes = GraphClasses(found.predicted, found.class_names)
    shown = GraphMap.of(graph, [], [], classes)
    summary = GraphSummary.of(graph, source)
    num_shown = int(shown.graphs.max(initial=-1)) + 1
    contributed = np.empty(0)
    num_explained = 0
    if shown.molecules is not None:
        last = int(np.searchsorted(graph.graph_ptr, most_atoms, side="right")) - 1
        num_explained = min(last, num_shown)
    if num_explained:
        rows = np.arange(num_explained)
        values = node_contributions(classifier, take_graphs(graph, rows), found.predicted[rows])
        contributed = np.concatenate(values)
    strongest = float(np.quantile(np.abs(contributed), _TOLD_APART)) if len(contributed) else 0.0
    names = list(zip(shown.graphs.tolist(), shown.names, strict=True))
    lines = relation_lines(summary.kinds)
    record: dict[str, Any] = {
        **graph_record(summary, shown, names, lines),
        "collection": True,
        "classNames": list(found.class_names),
        "numbers": found.rows.tolist(),
        "predicted": found.predicted.tolist(),
        "learnt": found.learnt.astype(int).tolist(),
        "probabilities": np.round(found.probabilities.astype(float), 3).tolist(),
        "contributions": np.round(contributed / _STEP).astype(int).tolist(),
        "strongest": max(round(strongest / _STEP), 1),
    }
    legend = contribution_legend("the class that is predicted", strongest)
    return render_page(
        "predictions.html.jinja",
        data=Markup(pack(record)),
        script=Markup(page_script(_SCRIPT)),
        policy=content_policy(_SCRIPT),
        source=Path(source).resolve().name,
        learnt_from=Path(classifier.settings.data.path).name,
        graph=summary,
        num_shown=num_shown,
        sizes=list(zip(found.class_names, classes.sizes, strict=True)),
        num_explained=num_explained,
        num_learnt=int(found.learnt.sum()),
        legend=legend if num_explained else "",
        note=ATOMS_NOTE,
        file="classes.csv",
        settings=flatten(classifier.settings.to_dict()),
    )
