"""A trained classifier and graphs that it has not seen → the classes that it predicts."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.label_names import name_columns, read_label_names
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.relations import SIMPLE, Relations
from gomkcn_dgl.runtime.files import listed, named
from gomkcn_dgl.training.training_run import TrainedClassifier

if TYPE_CHECKING:
    import pandas as pd


def predict_file(classifier: TrainedClassifier, path: str | Path) -> pd.DataFrame:
    """Classify the graphs, or the nodes, of a file or a folder.

    They are read as those were that the classifier learnt from. The table has a row for each graph,
    or node, in the order of the file: its number, or the input's own id, the name of the
    ``predicted`` class, and the ``probability`` of each class, or its ``score`` by a kernel
    machine. Raises an InputError for graphs with
    other features or other relations.
    """
    import pandas as pd

    graph = _read_unseen(classifier, Path(path))
    of_graphs = classifier.settings.data.task == "graph"
    rows = np.arange(graph.num_graphs if of_graphs else graph.num_nodes)
    columns: dict[str, object] = {"graph": rows}
    if not of_graphs:
        columns = {"graph": graph.graph_of(rows)} if graph.num_graphs > 1 else {}
        columns["node"] = graph.original_ids(rows)
    predicted, scores = classifier.decide(graph)
    columns["predicted"] = np.array(classifier.class_names)[predicted]
    for name, column in zip(classifier.class_names, scores.T, strict=True):
        columns[f"{classifier.score_name} {name}"] = column
    return pd.DataFrame(columns)


def _read_unseen(classifier: TrainedClassifier, path: Path) -> CSRGraph:
    """Read a graph, or a collection, with the features of the classifier."""
    settings = classifier.settings.data
    graph = read_graph(
        path,
        features=settings.features,
        directed=settings.directed,
        relation=settings.relation,
    )
    if settings.label_names is not None:
        graph = _call(graph, read_label_names(settings.label_names))
    with named(path):
        # classifiers learn without weights, as read_labelled says
        graph = dataclasses.replace(graph, weights=None)
        _check_relations(classifier.relations, graph.relations)
        return _with_features(graph, classifier.feature_names)


def _call(graph: CSRGraph, names: dict[str, str]) -> CSRGraph:
    """Give features and relations their names; a few graphs need not have all of them."""
    codes = [name.partition("=")[2] for name in graph.feature_names]
    known = {*codes, *graph.feature_names, *graph.relations.names}
    return name_columns(graph, {code: name for code, name in names.items() if code in known})


def _check_relations(known: Relations, given: Relations) -> None:
    # a network that takes all edges as alike knows no name for them
    if known == SIMPLE and given.is_simple:
        return
    learnt, own = (
        [f"{name} ({'directed' if directed else 'undirected'})" for name, directed in one.kinds]
        for one in (known, given)
    )
    unknown = [kind for kind in own if kind not in learnt]
    if unknown:
        raise InputError(
            f"edges must be of the relations that the classifier learnt, {listed(learnt)}, got "
            f"{unknown[0]}."
        )


def _with_features(graph: CSRGraph, names: tuple[str, ...]) -> CSRGraph:
    """The columns that a classifier takes; a category that no node has may be missing."""
    own = {name: column for column, name in enumerate(graph.feature_names)}
    missing = [name for name in names if name not in own and "=" not in name]
    if missing or not set(own) <= set(names):
        raise InputError(
            f"features must be those that the classifier learnt from, {listed(names)}, got "
            f"{listed(own)}."
        )
    features = np.zeros((graph.num_nodes, len(names)), np.float32)
    for column, name in enumerate(names):
        if name in own:
            features[:, column] = graph.features[:, own[name]]
    return dataclasses.replace(graph, features=features, feature_names=names)
