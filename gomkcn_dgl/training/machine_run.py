"""Training a kernel machine: labelled data and settings in; a machine and its record out."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graph_lists import split_graphs
from gomkcn_dgl.kernel_machine import GOMKClassifier, NodePreparation
from gomkcn_dgl.pattern_bags import PatternCodebook
from gomkcn_dgl.relations import Relations, relations_from_record, relations_to_record
from gomkcn_dgl.runtime.job import Interrupts
from gomkcn_dgl.runtime.output_folder import describe_provenance
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.training.labelled_data import LabelledData, Split, resolve_split
from gomkcn_dgl.training.run_state import common_state, identity_of, names_in, split_in
from gomkcn_dgl.training.train_settings import MachineSettings, TrainSettings
from gomkcn_dgl.training.training_metrics import Baseline, summarize


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
    """Resolve the settings, split, choose the parameters, fit and evaluate.

    What was computed is kept in ``folder``, and a run that is started again goes on from there.
    """
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
    if options["most_nodes"] is None:
        options["most_nodes"] = "auto"
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
