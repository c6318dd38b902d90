"""A training run: labelled data and settings in; a trained classifier, in a folder of files, out.

| file            | content                                                        |
|-----------------|----------------------------------------------------------------|
| `settings.toml` | the resolved settings, for `gomkcn train --settings`           |
| `checkpoint.pt` | the model at its best epoch and the split, without pickled code|
| `metrics.json`  | accuracy and loss of each part, every epoch, data, provenance  |
| `unfinished.pt` | only in an unfinished run: the state to resume from            |
"""

from __future__ import annotations

import dataclasses
import io
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tqdm import tqdm

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.model import GOMKCN
from gomkcn_dgl.runtime.checkpoint import Checkpoint, digest_of
from gomkcn_dgl.runtime.file_bytes import reason_of
from gomkcn_dgl.runtime.interrupts import Interrupts
from gomkcn_dgl.runtime.processes import is_first
from gomkcn_dgl.runtime.provenance import describe_provenance
from gomkcn_dgl.runtime.run_files import begin_run, to_json, write_files
from gomkcn_dgl.runtime.torch_file import read_state
from gomkcn_dgl.training.class_initialization import initialize_from_classes
from gomkcn_dgl.training.collection import GraphCollection
from gomkcn_dgl.training.labelled_data import LabelledData, read_labelled
from gomkcn_dgl.training.splits import PARTS, Split, stratified_split
from gomkcn_dgl.training.train_settings import DataSettings, TrainSettings, read_train_settings
from gomkcn_dgl.training.training_loop import (
    Evaluation,
    History,
    evaluate_classifier,
    train_classifier,
)
from gomkcn_dgl.training.training_metrics import METRICS, Baseline, read_metrics, summarize

UNFINISHED = "unfinished.pt"
_CHECKPOINT, _SETTINGS = "checkpoint.pt", "settings.toml"
_RUN_FILES = (METRICS, _SETTINGS, _CHECKPOINT, "run.json")
_SHARES = (0.8, 0.1, 0.1)


@dataclass(frozen=True, eq=False)
class TrainedClassifier:
    """A model at its best epoch, with its resolved settings, split and feature scaling.

    The model takes features from which ``offset`` was subtracted and which were divided by
    ``spread``, both float32 ``[D]``. ``feature_names`` are the D names of the features, and
    ``class_names`` those of the classes.
    """

    model: GOMKCN
    settings: TrainSettings
    split: Split
    offset: np.ndarray
    spread: np.ndarray
    feature_names: tuple[str, ...]
    class_names: tuple[str, ...]

    def collection(self, graph: CSRGraph) -> GraphCollection:
        """Graphs with scaled features and their subgraphs."""
        features = graph.features
        if self.settings.data.scaling == "rows":
            sums = features.sum(axis=1, keepdims=True)
            features = features / np.where(sums == 0, 1, sums)
        else:
            features = (features - self.offset) / self.spread
        conv = self.model.first_conv
        return GraphCollection(
            dataclasses.replace(
                graph.with_relations(conv.relations), features=features.astype(np.float32)
            ),
            conv.num_hops,
            conv.max_nodes,
            policy=conv.policy,
            seed=conv.seed,
        )


@dataclass(frozen=True, eq=False)
class TrainingRun:
    """A finished training run.

    ``results`` holds the evaluations of ``"train"``, ``"val"`` and ``"test"`` at the best epoch,
    ``baseline`` is the answer that needs no learning, ``summary`` the sizes of the data;
    ``seconds`` includes the time before a checkpoint.
    """

    classifier: TrainedClassifier
    history: History
    results: dict[str, Evaluation]
    baseline: Baseline
    summary: dict[str, Any]
    seconds: float
    provenance: dict[str, Any]


def read_training_data(settings: DataSettings) -> LabelledData:
    """Read the data that the settings name."""
    if not settings.path:
        raise InputError("PATH of a data set must be given, here or in the settings file.")
    return read_labelled(
        settings.path,
        task=settings.task,
        features=settings.features,
        node_label=settings.node_label,
        directed=settings.directed,
        relation=settings.relation,
        edge_features=settings.edge_features,
        label_names=settings.label_names,
        class_names=settings.class_names,
    )


def run_training(
    settings: TrainSettings,
    data: LabelledData,
    *,
    progress: bool = False,
    checkpoint: Checkpoint | None = None,
    interrupts: Interrupts | None = None,
) -> TrainingRun:
    """Resolve the settings, split, initialize, train and evaluate; see :func:`train_classifier`."""
    start = time.perf_counter()
    split, settings = _resolve(settings, data)
    classifier = _untrained_classifier(settings, data, split)
    model, training = classifier.model, settings.training
    collection = classifier.collection(data.graph)
    labels = torch.from_numpy(data.labels)
    resumed = False
    if checkpoint is not None:
        checkpoint.identity = _identity(settings, data, split)
        resumed = checkpoint.read() is not None
    if settings.model.init == "classes" and not resumed:
        initialize_from_classes(model, collection, labels, split.train, seed=training.seed)
    with tqdm(
        total=training.num_epochs, desc="training", unit="epoch", disable=not progress
    ) as bar:

        def on_epoch(epoch: int, history: History) -> None:
            now, best = history.validation[-1].accuracy, history.best.accuracy
            bar.set_postfix_str(
                f"loss {history.train_loss[-1]:.4f}, validation {now:.1%}, "
                f"best {best:.1%} in epoch {history.best_epoch}"
            )
            bar.update(epoch - bar.n)

        history = train_classifier(
            model,
            collection,
            labels,
            split.train,
            split.val,
            training,
            on_epoch,
            checkpoint=checkpoint,
            interrupts=interrupts,
        )
    results = {
        name: evaluate_classifier(model, collection, labels, part, training.batch_size)
        for name, part in zip(PARTS, split, strict=True)
    }
    seconds = time.perf_counter() - start if checkpoint is None else checkpoint.seconds
    provenance = describe_provenance(training.seed, seconds)
    return TrainingRun(
        classifier,
        history,
        results,
        Baseline.of(data, split),
        summarize(data),
        seconds,
        provenance,
    )


def _resolve(settings: TrainSettings, data: LabelledData) -> tuple[Split, TrainSettings]:
    """The split, and the settings with the choices that were left open."""
    split, shares = data.split, settings.data.split
    if shares is not None or split is None:
        shares = _SHARES if shares is None else shares
        split = stratified_split(data.labels, shares, settings.training.seed)
    scaling = settings.data.scaling or ("rows" if data.bag_of_words else "standard")
    num_varying = int(np.ptp(data.graph.features, axis=0).astype(bool).sum())
    model = settings.model.resolve(data.task, num_varying)
    relations = data.graph.relations
    if not relations.is_simple and not model.relations and model.kernel_name == "gomk":
        named = dict(relations.kinds)
        model = dataclasses.replace(model, relations=named)
    settings = settings.override({"task": data.task, "split": shares, "scaling": scaling})
    return split, dataclasses.replace(settings, model=model)


def _identity(settings: TrainSettings, data: LabelledData, split: Split) -> dict[str, Any]:
    """What decides the result, for a checkpoint; the path of the data does not."""
    graph = data.graph
    arrays = [graph.indptr, graph.indices, graph.features, graph.graph_ptr, data.labels, *split]
    if graph.links is not None:
        arrays += [graph.links, graph.relations.links]
    tables = settings.override({"path": ""}).to_dict()
    # what things are called, and where it is written, decides nothing
    for name in ("label_names", "class_names"):
        del tables["data"][name]
    return {"settings": tables, "data": digest_of(*arrays)}


def _untrained_classifier(
    settings: TrainSettings, data: LabelledData, split: Split
) -> TrainedClassifier:
    """A new model, and the scaling of the features over the training part."""
    features = data.graph.features
    offset, spread = np.zeros(features.shape[1]), np.ones(features.shape[1])
    if settings.data.scaling == "standard":
        of_train = features[data.nodes_of(split.train)].astype(np.float64)
        # columns of 0 and 1 are categories and stay as they are
        varies = ((features != 0) & (features != 1)).any(axis=0) & (of_train.std(axis=0) > 0)
        offset[varies], spread[varies] = of_train.mean(axis=0)[varies], of_train.std(axis=0)[varies]
    model = _build_model(settings, features.shape[1], data.num_classes)
    return TrainedClassifier(
        model,
        settings,
        split,
        offset.astype(np.float32),
        spread.astype(np.float32),
        data.graph.feature_names,
        data.class_names,
    )


def _build_model(settings: TrainSettings, in_feats: int, num_classes: int) -> GOMKCN:
    """The model of resolved settings, its parameters drawn with their seed."""
    options = dataclasses.asdict(settings.model)
    del options["init"]
    options |= {
        "hidden_feats": settings.model.hidden_feats or None,
        "kernel": settings.model.make_kernel(),
        "relations": settings.model.make_relations(),
        "pooling": settings.model.pooling if settings.data.task == "graph" else None,
        "read_input": not settings.model.class_filters,
        "seed": settings.training.seed,
    }
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.training.seed)
        return GOMKCN(in_feats, num_classes, **options)


def prepare_training_folder(
    folder: str | Path, force: bool = False, resume: bool = False, every: int | None = None
) -> Checkpoint | None:
    """Create the folder of a run; None: the run to resume is finished."""
    resume_it = begin_run(folder, _RUN_FILES, METRICS, UNFINISHED, force=force, resume=resume)
    if resume_it is None:
        return None
    return Checkpoint(Path(folder) / UNFINISHED, resume=resume_it, every=every)


def write_training(folder: Path, run: TrainingRun) -> None:
    """Write a run into a folder made by :func:`prepare_training_folder`."""
    if not is_first():
        return
    files: dict[str, str | bytes] = {
        _SETTINGS: run.classifier.settings.to_toml(),
        _CHECKPOINT: _checkpoint(run),
        # last, because a folder with this file counts as a finished run
        METRICS: to_json(_metrics(run)),
    }
    write_files(folder, files, mark=METRICS)
    if not run.history.partial:
        (folder / UNFINISHED).unlink(missing_ok=True)


def _checkpoint(run: TrainingRun) -> bytes:
    classifier, content = run.classifier, io.BytesIO()
    split = zip(PARTS, classifier.split, strict=True)
    state = {
        "model": classifier.model.state_dict(),
        "class_names": list(classifier.class_names),
        "feature_names": list(classifier.feature_names),
        "offset": torch.from_numpy(classifier.offset),
        "spread": torch.from_numpy(classifier.spread),
        "split": {name: torch.from_numpy(part) for name, part in split},
    }
    torch.save(state, content)
    return content.getvalue()


def _metrics(run: TrainingRun) -> dict[str, Any]:
    history, split = run.history, run.classifier.split
    return {
        "data": run.summary,
        "accuracy": {part: run.results[part].accuracy for part in PARTS},
        "baseline": run.baseline._asdict(),
        "loss": {part: run.results[part].loss for part in PARTS},
        "size": {part: len(rows) for part, rows in zip(PARTS, split, strict=True)},
        "best_epoch": history.best_epoch,
        "epochs": history.epochs,
        "partial": history.partial,
        "seconds": round(run.seconds, 3),
        "history": {
            "train_loss": history.train_loss,
            "val_accuracy": [epoch.accuracy for epoch in history.validation],
            "val_loss": [epoch.loss for epoch in history.validation],
        },
        "provenance": run.provenance,
    }


def load_classifier(folder: str | Path) -> TrainedClassifier:
    """Read the trained model of a finished run."""
    folder = Path(folder)
    read_metrics(folder)
    settings = read_train_settings(folder / _SETTINGS)
    state = read_state(folder / _CHECKPOINT)
    try:
        features, classes = (_names_in(state, name) for name in ("feature_names", "class_names"))
        model = _restore_model(settings, state, len(features), len(classes))
        split = Split(*(state["split"][part].numpy() for part in PARTS))
        offset, spread = state["offset"].numpy(), state["spread"].numpy()
    # a damaged state may lack anything, or hold anything else
    except Exception as error:
        raise InputError(
            f"checkpoint {str(folder / _CHECKPOINT)!r} cannot be read ({reason_of(error)})."
        ) from None
    return TrainedClassifier(model.eval(), settings, split, offset, spread, features, classes)


def _names_in(state: dict[str, Any], key: str) -> tuple[str, ...]:
    names = state[key]
    if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise ValueError(f"its {key} are no names")
    return tuple(names)


def _restore_model(
    settings: TrainSettings, state: dict[str, Any], num_features: int, num_classes: int
) -> GOMKCN:
    """Build a model and load its state, after a check of its shapes that takes no memory."""
    weights = state["model"]
    if settings.model.num_layers > len(weights) or len(state["offset"]) != num_features:
        raise ValueError("its layers or features are not those of its settings")
    with torch.device("meta"):
        outline = _build_model(settings, num_features, num_classes)
    outline.load_state_dict(weights, assign=True)
    model = _build_model(settings, num_features, num_classes)
    model.load_state_dict(weights)
    return model
