"""Training a network: labelled data and settings in; a trained network and its record out."""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from tqdm import tqdm

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.model import GOMKCN, GraphCollection
from gomkcn_dgl.relations import Relations
from gomkcn_dgl.runtime.job import Interrupts
from gomkcn_dgl.runtime.output_folder import describe_provenance
from gomkcn_dgl.training.checkpoint import Checkpoint
from gomkcn_dgl.training.class_initialization import initialize_from_classes
from gomkcn_dgl.training.labelled_data import PARTS, LabelledData, Split, resolve_split
from gomkcn_dgl.training.run_state import common_state, identity_of, names_in, split_in
from gomkcn_dgl.training.train_settings import TrainSettings
from gomkcn_dgl.training.training_loop import (
    History,
    evaluate_classifier,
    predict_logits,
    train_classifier,
)
from gomkcn_dgl.training.training_metrics import Baseline, summarize


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
