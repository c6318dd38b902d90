"""A training run: labelled data and settings in, a trained classifier and how well it does out."""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.model import GOMKCN
from gomkcn_dgl.runtime.checkpoint import Checkpoint, digest_of
from gomkcn_dgl.runtime.interrupts import Interrupts
from gomkcn_dgl.runtime.provenance import describe_provenance
from gomkcn_dgl.training.class_initialization import initialize_from_classes
from gomkcn_dgl.training.collection import GraphCollection
from gomkcn_dgl.training.labelled_data import LabelledData, read_labelled
from gomkcn_dgl.training.splits import PARTS, Split, stratified_split
from gomkcn_dgl.training.train_settings import DataSettings, TrainSettings
from gomkcn_dgl.training.training_loop import evaluate_classifier, train_classifier
from gomkcn_dgl.training.training_state import Evaluation, History

_SHARES = (0.8, 0.1, 0.1)


@dataclass(frozen=True, eq=False)
class TrainedClassifier:
    """A model, and all it takes to ask it about graphs.

    Attributes
    ----------
    model : GOMKCN
        At its best epoch.
    settings : TrainSettings
        Resolved: what was None is what was taken.
    split : Split
        Graphs, or nodes, of each part.
    offset, spread : numpy.ndarray
        float32 ``[D]``: features less ``offset`` over ``spread`` are what the model takes.
    """

    model: GOMKCN
    settings: TrainSettings
    split: Split
    offset: np.ndarray
    spread: np.ndarray

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
            dataclasses.replace(graph, features=features.astype(np.float32)),
            conv.num_hops,
            conv.max_nodes,
            policy=conv.policy,
            seed=conv.seed,
        )


@dataclass(frozen=True, eq=False)
class TrainingRun:
    """A finished training run.

    Attributes
    ----------
    classifier : TrainedClassifier
    history : History
        Losses and validation of each epoch.
    results : dict of Evaluation
        For ``"train"``, ``"val"`` and ``"test"``, at the best epoch.
    summary : dict
        Sizes of the data.
    seconds : float
        Of reading subgraphs, start, training and evaluation, with those before a checkpoint.
    provenance : dict
        Versions, commit, seed, machine, time.
    """

    classifier: TrainedClassifier
    history: History
    results: dict[str, Evaluation]
    summary: dict[str, Any]
    seconds: float
    provenance: dict[str, Any]


def read_training_data(settings: DataSettings) -> LabelledData:
    """Read what the settings name."""
    if not settings.path:
        raise InputError("PATH of a data set must be given, here or in the settings file.")
    return read_labelled(
        settings.path,
        task=settings.task,
        features=settings.features,
        node_label=settings.node_label,
    )


def run_training(
    settings: TrainSettings,
    data: LabelledData,
    *,
    progress: bool = False,
    checkpoint: Checkpoint | None = None,
    interrupts: Interrupts | None = None,
) -> TrainingRun:
    """Split, start, train and evaluate.

    Parameters
    ----------
    settings : TrainSettings
        What is None in it is chosen here.
    data : LabelledData
        As :func:`read_training_data` gives it.
    progress : bool
        Show a progress bar.
    checkpoint : Checkpoint, optional
        Where to go on from and what to write to, see :func:`gomkcn_dgl.train_classifier`.
    interrupts : Interrupts, optional
        What may end training early.

    Raises
    ------
    InputError
        For a split without members in a part, values that the model refuses, and a checkpoint of
        other settings or other data.
    RunInterruptedError
        If a signal ended training.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import TrainingSettings, as_csr
    >>> graphs = as_csr([nx.cycle_graph(5), nx.star_graph(4)] * 10)
    >>> data = LabelledData(graphs, np.array([0, 1] * 10), "graph")
    >>> run = run_training(TrainSettings(training=TrainingSettings(num_epochs=2)), data)
    >>> sorted(run.results), run.classifier.settings.data.split
    (['test', 'train', 'val'], (0.8, 0.1, 0.1))
    """
    start = time.perf_counter()
    split, settings = _resolve(settings, data)
    classifier = _untrained(settings, data, split)
    model, training = classifier.model, settings.training
    collection = classifier.collection(data.graph)
    labels = torch.from_numpy(data.labels)
    going_on = False
    if checkpoint is not None:
        checkpoint.identity = _identity(settings, data, split)
        going_on = checkpoint.read() is not None
    if settings.model.init == "classes" and not going_on:
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
    results = _evaluate(classifier, collection, labels)
    seconds = time.perf_counter() - start if checkpoint is None else checkpoint.seconds
    provenance = describe_provenance(training.seed, seconds)
    return TrainingRun(classifier, history, results, summarize(data), seconds, provenance)


def build_model(settings: TrainSettings, in_feats: int, num_classes: int) -> GOMKCN:
    """The model that resolved settings describe, its parameters drawn with their seed."""
    # resolved: nothing in it is None
    model: Any = settings.model
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.training.seed)
        return GOMKCN(
            in_feats,
            num_classes,
            hidden_feats=model.hidden_feats or None,
            num_filters=model.num_filters,
            filter_size=model.filter_size,
            num_hops=model.num_hops,
            num_layers=model.num_layers,
            kernel=model.make_kernel(),
            pooling=model.pooling if settings.data.task == "graph" else None,
            class_filters=model.class_filters,
            read_input=not model.class_filters,
            bounded_feats=model.bounded_feats,
            input_dropout=model.input_dropout,
            dropout=model.dropout,
            max_nodes=model.max_nodes,
            policy=model.policy,
            seed=settings.training.seed,
        )


def format_results(run: TrainingRun) -> str:
    """Lay out the accuracies for a terminal."""
    kind = f"{run.classifier.settings.data.task}s"
    lines = [f"{'part':<10}  {kind:>7}  accuracy"]
    names = {"train": "train", "val": "validation", "test": "test"}
    for name, part in zip(PARTS, run.classifier.split, strict=True):
        share = run.results[name].accuracy
        lines.append(f"{names[name]:<10}  {len(part):>7}  {share:>8.1%}")
    history = run.history
    lines.append(f"\nbest epoch {history.best_epoch} of {history.epochs}, {run.seconds:.1f} s")
    if history.partial:
        lines.append("partial: the time limit came before the last epoch; go on with --resume")
    return "\n".join(lines)


def _resolve(settings: TrainSettings, data: LabelledData) -> tuple[Split, TrainSettings]:
    """The split, and the settings with what was left open."""
    split, shares = data.split, settings.data.split
    if shares is not None or split is None:
        shares = _SHARES if shares is None else shares
        split = stratified_split(data.labels, shares, settings.training.seed)
    scaling = settings.data.scaling
    if scaling is None:
        scaling = "rows" if data.bag_of_words else "standard"
    num_varying = int(np.ptp(data.graph.features, axis=0).astype(bool).sum())
    model = settings.model.resolve(data.task, num_varying)
    settings = settings.override({"task": data.task, "split": shares, "scaling": scaling})
    return split, dataclasses.replace(settings, model=model)


def _identity(settings: TrainSettings, data: LabelledData, split: Split) -> dict[str, Any]:
    """What decides the result, by which a checkpoint is known: not where the data lie."""
    tables = settings.override({"path": ""}).to_dict()
    graph = data.graph
    arrays = (graph.indptr, graph.indices, graph.features, graph.graph_ptr, data.labels, *split)
    return {"settings": tables, "data": digest_of(*arrays)}


def _untrained(settings: TrainSettings, data: LabelledData, split: Split) -> TrainedClassifier:
    features = data.graph.features
    offset, spread = np.zeros(features.shape[1]), np.ones(features.shape[1])
    if settings.data.scaling == "standard":
        seen = features[data.nodes_of(split.train)].astype(np.float64)
        varies = ((features != 0) & (features != 1)).any(axis=0) & (seen.std(axis=0) > 0)
        offset[varies], spread[varies] = seen.mean(axis=0)[varies], seen.std(axis=0)[varies]
    model = build_model(settings, features.shape[1], data.num_classes)
    single = offset.astype(np.float32), spread.astype(np.float32)
    return TrainedClassifier(model, settings, split, *single)


def _evaluate(
    classifier: TrainedClassifier, collection: GraphCollection, labels: Tensor
) -> dict[str, Evaluation]:
    size = classifier.settings.training.batch_size
    return {
        name: evaluate_classifier(classifier.model, collection, labels, part, size)
        for name, part in zip(PARTS, classifier.split, strict=True)
    }


def summarize(data: LabelledData) -> dict[str, Any]:
    """Sizes of a data set, by which a run knows it again."""
    graph = data.graph
    return {
        "task": data.task,
        "num_graphs": graph.num_graphs,
        "num_nodes": graph.num_nodes,
        "num_edges": graph.num_edges,
        "num_features": graph.features.shape[1],
        "num_classes": data.num_classes,
    }
