"""A training run: labelled data and settings in; a trained classifier, in a folder of files, out.

| file            | content                                                         |
|-----------------|-----------------------------------------------------------------|
| `settings.toml` | the resolved settings, for `gomkcn train --settings`            |
| `checkpoint.pt` | the network or kernel machine and the split, no pickled code    |
| `metrics.json`  | accuracy of each part, how it came about, data, provenance      |
| `unfinished.pt` | only in an unfinished run: the state of the network             |
| `unfinished/`   | only in an unfinished run: the kernel values so far             |
"""

from __future__ import annotations

import dataclasses
import io
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.label_names import name_columns, read_label_names
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.relations import SIMPLE, Relations
from gomkcn_dgl.runtime.files import listed, named, reason_of
from gomkcn_dgl.runtime.job import Interrupts
from gomkcn_dgl.runtime.output_folder import begin_run, read_json, to_json, write_files
from gomkcn_dgl.runtime.processes import is_first
from gomkcn_dgl.training.checkpoint import Checkpoint, read_state
from gomkcn_dgl.training.classifiers import (
    TrainedMachine,
    TrainedNetwork,
    restore_machine,
    restore_network,
    run_machine,
    run_network,
)
from gomkcn_dgl.training.labelled_data import LabelledData, read_labelled
from gomkcn_dgl.training.train_settings import DataSettings, TrainSettings, read_train_settings

if TYPE_CHECKING:
    import pandas as pd

METRICS = "metrics.json"
_UNFINISHED = {"network": "unfinished.pt", "kernel": "unfinished"}
_CHECKPOINT, _SETTINGS = "checkpoint.pt", "settings.toml"
_RUN_FILES = (METRICS, _SETTINGS, _CHECKPOINT, "run.json")

TrainedClassifier = TrainedNetwork | TrainedMachine


@dataclass(frozen=True, eq=False)
class TrainingRun:
    """A finished training run; ``metrics`` is the record of ``metrics.json``."""

    classifier: TrainedClassifier
    metrics: dict[str, Any]


def read_training_data(settings: DataSettings) -> LabelledData:
    """Read the data that the settings name."""
    if not settings.path:
        raise InputError("PATH of a data set must be given, here or in the settings file.")
    how_to_learn = ("split", "scaling")
    return read_labelled(**{k: v for k, v in vars(settings).items() if k not in how_to_learn})


def run_training(
    settings: TrainSettings,
    data: LabelledData,
    *,
    progress: bool = False,
    checkpoint: Checkpoint | Path | None = None,
    interrupts: Interrupts | None = None,
) -> TrainingRun:
    """Resolve the settings, split, train and evaluate, by the method of the settings."""
    if settings.method == "kernel":
        assert not isinstance(checkpoint, Checkpoint)
        return TrainingRun(*run_machine(settings, data, folder=checkpoint, interrupts=interrupts))
    assert not isinstance(checkpoint, Path)
    return TrainingRun(
        *run_network(
            settings, data, progress=progress, checkpoint=checkpoint, interrupts=interrupts
        )
    )


def prepare_training_folder(
    folder: str | Path, method: str, force: bool = False, resume: bool = False
) -> Checkpoint | Path | None:
    """Create the folder of a run; return what an unfinished one is kept in, None if finished."""
    own = _UNFINISHED[method]
    # what a run of the other method left is in the way as well
    ((other_method, other),) = [one for one in _UNFINISHED.items() if one[0] != method]
    if resume and not force and (Path(folder) / other).exists():
        raise InputError(
            f"method must be {other_method!r} to go on with the unfinished run in the folder "
            f"{str(folder)!r}, got {method!r}."
        )
    resume_it = begin_run(folder, (*_RUN_FILES, other), METRICS, own, force=force, resume=resume)
    if resume_it is None:
        return None
    if method == "kernel":
        return Path(folder) / own
    return Checkpoint(Path(folder) / own, resume=resume_it)


def write_training(folder: Path, run: TrainingRun) -> None:
    """Write a run into a folder made by :func:`prepare_training_folder`."""
    if not is_first():
        return
    state = io.BytesIO()
    torch.save(run.classifier.state(), state)
    files: dict[str, str | bytes] = {
        _SETTINGS: run.classifier.settings.to_toml(),
        _CHECKPOINT: state.getvalue(),
        # last, because a folder with this file counts as a finished run
        METRICS: to_json(run.metrics),
    }
    write_files(folder, files, mark=METRICS)
    if not run.metrics["partial"]:
        (folder / _UNFINISHED["network"]).unlink(missing_ok=True)
        shutil.rmtree(folder / _UNFINISHED["kernel"], ignore_errors=True)


def load_classifier(folder: str | Path) -> TrainedClassifier:
    """Read the trained network or kernel machine of a finished run."""
    folder = Path(folder)
    read_metrics(folder)
    settings = read_train_settings(folder / _SETTINGS)
    state = read_state(folder / _CHECKPOINT)
    restore = restore_machine if settings.method == "kernel" else restore_network
    try:
        return restore(settings, state)
    # a damaged state may lack anything, or hold anything else
    except Exception as error:
        raise InputError(
            f"checkpoint {str(folder / _CHECKPOINT)!r} cannot be read ({reason_of(error)})."
        ) from None


def predict_file(classifier: TrainedClassifier, path: str | Path) -> pd.DataFrame:
    """Classify the graphs, or the nodes, of a file or a folder.

    They are read as those were that the classifier learnt from. The table has a row for each graph,
    or node, in the order of the file: its number, or the input's own id, the name of the
    ``predicted`` class, and the ``probability`` of each class, or its ``score`` by a kernel
    machine. Raises an InputError for graphs with other features or other relations.
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


def _call(graph: CSRGraph, names: Mapping[str, str]) -> CSRGraph:
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


def format_results(metrics: Mapping[str, Any]) -> str:
    """Lay out the accuracies of a ``metrics.json`` for a terminal, beside those of the baseline."""
    task, baseline = metrics["data"]["task"], metrics["baseline"]
    is_machine = metrics["method"] == "kernel"
    names = {"train": "train", "val": "cross-validation" if is_machine else "validation"}
    names["test"] = "test"
    width = max(map(len, names.values()))
    lines = [f"{'part':<{width}}  {task + 's':>7}  accuracy  baseline"]
    for part, name in names.items():
        shares = (metrics["accuracy"][part], baseline["accuracy"][part])
        accuracy, least = (f"{share:>8.1%}" for share in shares)
        lines.append(f"{name:<{width}}  {metrics['size'][part]:>7}  {accuracy}  {least}")
    lines.append(f"\nbaseline: always the most frequent class, {baseline['answer']}")
    if is_machine:
        how = f"best of {len(metrics['tried'])} settings: {describe_chosen(metrics['chosen'])}"
        missing = "with some kernels not tried"
    else:
        how = f"best epoch {metrics['best_epoch']} of {metrics['epochs']}"
        missing = "before the last epoch"
    lines.append(f"{how}, {metrics['seconds']:.1f} s")
    if metrics["partial"]:
        lines.append(f"partial: the time limit came {missing}; go on with --resume")
    return "\n".join(lines)


def describe_chosen(chosen: Mapping[str, Any]) -> str:
    """The settings of a kernel machine in words: 2 levels, tau 0.3, cost 10."""
    patterns = f", {chosen['num_patterns']} patterns" if "num_patterns" in chosen else ""
    tau = f", tau {chosen['tau']:g}" if "tau" in chosen else ""
    gamma = "" if chosen["gamma"] is None else f", gamma {chosen['gamma']:g}"
    number = chosen["num_levels"]
    levels = f"{number} level{'' if number == 1 else 's'}"
    return f"{levels}{patterns}{tau}{gamma}, cost {chosen['cost']:g}"


def read_metrics(folder: str | Path) -> dict[str, Any]:
    """Read ``metrics.json`` of a finished run."""
    folder = Path(folder)
    metrics = read_json(folder / METRICS)
    needed = {"method", "data", "accuracy", "baseline"}
    if not isinstance(metrics, dict) or not needed <= set(metrics):
        raise InputError(f"{str(folder / METRICS)!r} is damaged or older; train again.")
    return metrics
