"""Trained networks and kernel machines: labelled data and settings in; one and its record out."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from tqdm import tqdm

from gomkcn_dgl.csr import CSRGraph, split_graphs
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.kernel_machine import GOMKClassifier, NodePreparation
from gomkcn_dgl.model import GOMKCN, GraphCollection
from gomkcn_dgl.pattern_bags import PatternCodebook
from gomkcn_dgl.relations import Relations, relations_from_record, relations_to_record
from gomkcn_dgl.runtime.job import Interrupts
from gomkcn_dgl.runtime.output_folder import describe_provenance
from gomkcn_dgl.runtime.steps import Steps, identity_of_job
from gomkcn_dgl.training.checkpoint import Checkpoint
from gomkcn_dgl.training.class_initialization import initialize_from_classes
from gomkcn_dgl.training.labelled_data import (
    PARTS,
    Baseline,
    LabelledData,
    Split,
    resolve_split,
    summarize,
)
from gomkcn_dgl.training.train_settings import MachineSettings, TrainSettings
from gomkcn_dgl.training.training_loop import (
    History,
    evaluate_classifier,
    predict_logits,
    train_classifier,
)


@dataclass(frozen=True, eq=False)
class TrainedNetwork:
    """A model at its best epoch, with its resolved settings, split and feature scaling.

    The model takes features from which ``offset`` was subtracted and which were divided by
    ``spread``, both float32 ``[D]``. ``feature_names`` are the D names of the features,
    ``class_names`` those of the classes.
    """

    model: GOMKCN
    settings: TrainSettings
    split: Split
    offset: np.ndarray
    spread: np.ndarray
    feature_names: tuple[str, ...]
    class_names: tuple[str, ...]

    # what `decide` gives beside the classes
    score_name: ClassVar[str] = "probability"

    @property
    def relations(self) -> Relations:
        """The relations that it tells apart."""
        return self.model.first_conv.relations

    def decide(self, graph: CSRGraph) -> tuple[np.ndarray, np.ndarray]:
        """The class of each graph or node, int64 ``[R]``, and the probabilities ``[R, C]``."""
        of_graphs = self.settings.data.task == "graph"
        rows = np.arange(graph.num_graphs if of_graphs else graph.num_nodes)
        size = self.settings.training.batch_size
        logits = predict_logits(self.model, self.collection(graph), rows, size)
        probabilities = logits.softmax(dim=1).numpy()
        return probabilities.argmax(axis=1), probabilities

    def state(self) -> dict[str, Any]:
        """Tensors and plain values, for :func:`restore_network`."""
        return {
            **common_state(self.split, self.feature_names, self.class_names),
            "model": self.model.state_dict(),
            "offset": torch.from_numpy(self.offset),
            "spread": torch.from_numpy(self.spread),
        }

    def collection(self, graph: CSRGraph) -> GraphCollection:
        """Graphs with scaled features and their subgraphs."""
        features = graph.features
        if self.settings.data.scaling == "rows":
            sums = features.sum(axis=1, keepdims=True)
            features = features / np.where(sums == 0, 1, sums)
        else:
            features = (features - self.offset) / self.spread
        conv = self.model.first_conv
        graph = graph.with_relations(conv.relations)
        graph = dataclasses.replace(graph, features=features.astype(np.float32))
        return GraphCollection(graph, conv.settings)


def run_network(
    settings: TrainSettings,
    data: LabelledData,
    *,
    progress: bool = False,
    checkpoint: Checkpoint | None = None,
    interrupts: Interrupts | None = None,
) -> tuple[TrainedNetwork, dict[str, Any]]:
    """Resolve the settings, split, initialize, train and evaluate; see :func:`train_classifier`."""
    start = time.perf_counter()
    split, settings = _resolve(settings, data)
    num_nodes = len(data.nodes_of(split.train))
    if num_nodes < 2:
        raise InputError(
            f"split must leave at least two nodes for training, got {num_nodes}; give training a "
            "larger share."
        )
    classifier = _untrained_classifier(settings, data, split)
    model, training = classifier.model, settings.training
    collection = classifier.collection(data.graph)
    labels = torch.from_numpy(data.labels)
    resumed = False
    if checkpoint is not None:
        checkpoint.identity = identity_of(settings, data, split)
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
    record = {
        "method": "network",
        "data": summarize(data),
        "accuracy": {part: results[part].accuracy for part in PARTS},
        "baseline": Baseline.of(data, split)._asdict(),
        "loss": {part: results[part].loss for part in PARTS},
        "size": {part: len(rows) for part, rows in zip(PARTS, split, strict=True)},
        "best_epoch": history.best_epoch,
        "epochs": history.epochs,
        "partial": history.partial,
        "seconds": round(seconds, 3),
        "history": {
            "train_loss": history.train_loss,
            "val_accuracy": [epoch.accuracy for epoch in history.validation],
            "val_loss": [epoch.loss for epoch in history.validation],
        },
        "provenance": provenance,
    }
    return classifier, record


def _resolve(settings: TrainSettings, data: LabelledData) -> tuple[Split, TrainSettings]:
    """The split, and the settings with the choices that were left open."""
    split, shares = resolve_split(data.labels, data.split, settings.data.split, settings.seed)
    scaling = settings.data.scaling or "standard"
    num_varying = int(np.ptp(data.graph.features, axis=0).astype(bool).sum())
    model = settings.model.resolve(data.task, num_varying)
    relations = data.graph.relations
    if not relations.is_simple and not model.relations:
        model = dataclasses.replace(model, relations=dict(relations.kinds))
    settings = settings.override({"task": data.task, "split": shares, "scaling": scaling})
    return split, dataclasses.replace(settings, model=model)


def _untrained_classifier(
    settings: TrainSettings, data: LabelledData, split: Split
) -> TrainedNetwork:
    """A new model, and the scaling of the features over the training part."""
    features = data.graph.features
    offset, spread = np.zeros(features.shape[1]), np.ones(features.shape[1])
    if settings.data.scaling == "standard":
        of_train = features[data.nodes_of(split.train)].astype(np.float64)
        # columns of 0 and 1 are categories and stay as they are
        varies = ((features != 0) & (features != 1)).any(axis=0) & (of_train.std(axis=0) > 0)
        offset[varies], spread[varies] = of_train.mean(axis=0)[varies], of_train.std(axis=0)[varies]
    model = _build_model(settings, features.shape[1], data.num_classes)
    return TrainedNetwork(
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
    del options["init"], options["method"]
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


def restore_network(settings: TrainSettings, state: dict[str, Any]) -> TrainedNetwork:
    """The network of a state; raises anything if it is damaged."""
    features, classes = (names_in(state, name) for name in ("feature_names", "class_names"))
    model = _restore_model(settings, state, len(features), len(classes))
    split = split_in(state)
    offset, spread = state["offset"].numpy(), state["spread"].numpy()
    return TrainedNetwork(model.eval(), settings, split, offset, spread, features, classes)


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


@dataclass(frozen=True, eq=False)
class TrainedMachine:
    """A kernel machine with its resolved settings and split.

    It learnt from the training and the validation part together, since it chooses its parameters by
    cross-validation; ``labels`` are the classes of these graphs.
    """

    machine: GOMKClassifier
    settings: TrainSettings
    split: Split
    labels: np.ndarray
    relations: Relations
    feature_names: tuple[str, ...]
    class_names: tuple[str, ...]

    # what `decide` gives beside the classes
    score_name: ClassVar[str] = "score"

    @property
    def rows(self) -> np.ndarray:
        """Numbers of the graphs that new graphs are compared with."""
        return known_rows(self.split)

    def decide(self, graph: CSRGraph) -> tuple[np.ndarray, np.ndarray]:
        """The class of each graph, int64 ``[G]``, and a score ``[G, C]``, highest for the class."""
        graph = graph.with_relations(self.relations)
        values = self.machine.kernel_.transform(graph)
        scores = self.machine.machine_.decision_function(values)
        if scores.ndim == 1:
            scores = np.column_stack([-scores, scores])
        # predict breaks ties between votes in another way
        return scores.argmax(axis=1), scores

    def state(self) -> dict[str, Any]:
        """Tensors and plain values, for :func:`restore_machine`."""
        kernel = self.machine.kernel_
        known = kernel.known_
        arrays = {"values": self.machine.training_values_, "labels": self.labels}
        if isinstance(known, CSRGraph):
            for name in ("indptr", "indices", "features", "graph_ptr"):
                arrays[name] = getattr(known, name)
            # of the types that tensors have
            if known.links is not None:
                arrays["links"] = known.links.astype(np.int32)
        else:
            arrays["bags"] = known
            for depth, centers in enumerate(kernel.codebook_.centers):
                arrays[f"centers {depth}"] = centers
        preparation = asdict(kernel.preparation_)
        del preparation["names"]
        return {
            **common_state(self.split, self.feature_names, self.class_names),
            "arrays": {name: torch.from_numpy(array) for name, array in arrays.items()},
            "preparation": {name: torch.from_numpy(array) for name, array in preparation.items()},
            "relations": relations_to_record(self.relations),
            "links": relations_to_record(kernel.relations_),
            "chosen": self.machine.best_params_,
        }


def known_rows(split: Split) -> np.ndarray:
    """The graphs that a machine learns from."""
    return np.sort(np.concatenate([split.train, split.val]))


def run_machine(
    settings: TrainSettings,
    data: LabelledData,
    *,
    folder: Path | None = None,
    interrupts: Interrupts | None = None,
) -> tuple[TrainedMachine, dict[str, Any]]:
    """Split, choose, fit and evaluate; what was computed is kept in ``folder`` and found again."""
    start = time.perf_counter()
    if data.task != "graph":
        raise InputError("method 'kernel' classifies graphs, and these are classes of nodes.")
    # 1. what is learnt from
    split, shares = resolve_split(data.labels, data.split, settings.data.split, settings.seed)
    graphs, known = split_graphs(data.graph), known_rows(split)
    missing = np.setdiff1d(np.arange(data.num_classes), data.labels[known])
    if len(missing):
        raise InputError(
            "split must leave graphs of each class for training or validation, and leaves none of "
            f"{data.class_names[missing[0]]!r}; give these larger shares."
        )
    sizes = np.bincount(data.labels[known])
    if sizes.min() < settings.machine.num_folds:
        raise InputError(
            f"num_folds must be at most the number of graphs of a class that are learnt from, "
            f"{sizes.min()} of {data.class_names[sizes.argmin()]!r}, got "
            f"{settings.machine.num_folds}."
        )
    # 2. the machine
    training = as_csr([graphs[i] for i in known])
    num_patterns = _new_machine(settings.machine).resolve_patterns(training) or 0
    settings = settings.override({"task": "graph", "split": shares, "num_patterns": num_patterns})
    steps = Steps(folder, identity_of(settings, data, split), interrupts=interrupts)
    machine = _new_machine(settings.machine)
    with interrupts or contextlib.nullcontext():
        machine.fit(training, data.labels[known], steps)
    names = data.graph.feature_names, data.class_names
    trained = TrainedMachine(
        machine, settings, split, data.labels[known], data.graph.relations, *names
    )
    # 3. how often it is right
    learnt = machine.machine_.score(machine.training_values_, data.labels[known])
    predicted, _ = trained.decide(as_csr([graphs[i] for i in split.test]))
    tried: dict[str, Any] = machine.cv_results_
    record = {
        "method": "kernel",
        "data": summarize(data),
        "accuracy": {
            "train": float(learnt),
            "val": machine.best_score_,
            "test": float((predicted == data.labels[split.test]).mean()),
        },
        "baseline": Baseline.of(data, Split(known, known, split.test))._asdict(),
        "size": {"train": len(known), "val": len(known), "test": len(split.test)},
        "num_folds": settings.machine.num_folds,
        "num_compared": len(trained.rows),
        "chosen": machine.best_params_,
        "tried": [
            {**params, "accuracy": float(score)}
            for params, score in zip(tried["params"], tried["mean_test_score"], strict=True)
        ],
        "partial": steps.is_partial,
        "seconds": round(time.perf_counter() - start, 3),
        "provenance": describe_provenance(settings.seed, time.perf_counter() - start),
    }
    return trained, record


def _new_machine(settings: MachineSettings) -> GOMKClassifier:
    options = asdict(settings)
    # a settings file has neither "auto" nor None
    number = options["num_patterns"]
    options["num_patterns"] = "auto" if number is None else number or None
    options["random_state"] = options.pop("seed")
    return GOMKClassifier(**options)


def restore_machine(settings: TrainSettings, state: dict[str, Any]) -> TrainedMachine:
    """The machine of a state; raises anything if it is damaged."""
    features, classes = (names_in(state, name) for name in ("feature_names", "class_names"))
    arrays: Mapping[str, np.ndarray] = {k: v.numpy() for k, v in state["arrays"].items()}
    stored = relations_from_record(state["links"], "it")
    relations = relations_from_record(state["relations"], "it")
    machine, chosen = _new_machine(settings.machine), state["chosen"]
    settings_of_kernel = {k: v for k, v in chosen.items() if k not in ("gamma", "cost")}
    kernel = machine.make_kernel(**settings_of_kernel)
    preparation = {name: value.numpy() for name, value in state["preparation"].items()}
    kernel.preparation_ = NodePreparation(**preparation, names=features)
    kernel.n_features_in_, kernel.relations_ = len(features), stored
    if kernel.num_patterns is None:
        links = arrays.get("links")
        kernel.known_ = CSRGraph(
            indptr=arrays["indptr"],
            indices=arrays["indices"],
            features=arrays["features"],
            weights=None,
            graph_ptr=arrays["graph_ptr"],
            node_ids=None,
            # names are not compared
            feature_names=tuple(map(str, kernel.preparation_.columns)),
            relations=stored,
            links=None if links is None else links.astype(stored.code_type),
        )
    else:
        kernel.known_, depths = arrays["bags"], range(kernel.num_levels + 1)
        kernel.codebook_ = PatternCodebook(tuple(arrays[f"centers {depth}"] for depth in depths))
    machine.fit_machine(kernel, arrays["values"], chosen, arrays["labels"])
    return TrainedMachine(
        machine, settings, split_in(state), arrays["labels"], relations, features, classes
    )


def common_state(
    split: Split, feature_names: tuple[str, ...], class_names: tuple[str, ...]
) -> dict[str, Any]:
    """Tensors and plain values, for the functions below."""
    return {
        "class_names": list(class_names),
        "feature_names": list(feature_names),
        "split": {part: torch.from_numpy(rows) for part, rows in zip(PARTS, split, strict=True)},
    }


def names_in(state: dict[str, Any], key: str) -> tuple[str, ...]:
    """Names of a state; a ValueError if they are none."""
    names = state[key]
    if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise ValueError(f"its {key} are no names")
    return tuple(names)


def split_in(state: dict[str, Any]) -> Split:
    """The split of a state."""
    return Split(*(state["split"][part].numpy() for part in PARTS))


def identity_of(settings: TrainSettings, data: LabelledData, split: Split) -> dict[str, Any]:
    """What decides the result, for a checkpoint; the path of the data does not."""
    graph = data.graph
    arrays = [graph.indptr, graph.indices, graph.features, graph.graph_ptr, data.labels, *split]
    if graph.links is not None:
        arrays += [graph.links, graph.relations.links]
    tables = settings.to_dict()
    # what things are called, and where it is written, decides nothing
    for name in ("path", "label_names", "class_names"):
        del tables["data"][name]
    return identity_of_job(tables, *arrays)
