"""Trained networks and kernel machines: labelled data and settings in; one and its record out.

Both have the same methods: `resolve` settles what the settings leave to the data, `fit` learns and
evaluates, `decide` classifies, and `state` and `restore` are what is stored.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gomkcn_dgl._torch import torch
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.feature_scaling import FeatureScaling
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.kernel_machine import GOMKClassifier, NodePreparation
from gomkcn_dgl.model import GOMKCN, GraphCollection
from gomkcn_dgl.pattern_bags import PatternCodebook
from gomkcn_dgl.relations import Relations, relations_from_record, relations_to_record
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.training.class_initialization import initialize_from_classes
from gomkcn_dgl.training.classifier_settings import ClassifierSettings, MachineSettings
from gomkcn_dgl.training.labelled_data import PARTS, LabelledData, Split, baseline_of
from gomkcn_dgl.training.training_loop import (
    evaluate_classifier,
    predict_logits,
    train_classifier,
)


@dataclass(frozen=True, eq=False)
class TrainedNetwork:
    """A model at its best epoch, with its resolved settings, split and feature scaling.

    The model takes features as ``scaling`` maps them into the unit interval, where those of filters
    are. ``feature_names`` are the D names of the features, ``class_names`` those of the classes.
    """

    model: GOMKCN
    settings: ClassifierSettings
    split: Split
    scaling: FeatureScaling
    feature_names: tuple[str, ...]
    class_names: tuple[str, ...]

    @property
    def relations(self) -> Relations:
        """The relations that it tells apart."""
        return self.model.first_conv.relations

    @property
    def device(self) -> torch.device:
        """Where the model is, and classifies."""
        return next(self.model.parameters()).device

    @staticmethod
    def resolve(
        settings: ClassifierSettings, data: LabelledData, split: Split
    ) -> ClassifierSettings:
        """The settings with the choices that were left open."""
        num_varying = int(np.ptp(data.graph.features, axis=0).astype(bool).sum())
        model = settings.model.resolve(num_varying, data.graph.relations)
        return dataclasses.replace(settings, model=model)

    @classmethod
    def fit(
        cls,
        settings: ClassifierSettings,
        data: LabelledData,
        split: Split,
        steps: Steps,
        device: torch.device,
    ) -> tuple[TrainedNetwork, dict[str, Any]]:
        """Initialize, train and evaluate on a device; see :func:`gomkcn.train_classifier`.

        Subgraphs, features and classes are brought there once, for the whole training.
        """
        classifier = cls._untrained(settings, data, split, device)
        training = settings.training
        model = classifier.model
        collection = classifier.collection(data.graph)
        labels = torch.from_numpy(data.labels).to(device)
        if settings.model.init == "classes":
            initialize_from_classes(model, collection, labels, split.train, seed=training.seed)
        history = train_classifier(
            model, collection, labels, split.train, split.val, training, steps=steps
        )
        results = {
            name: evaluate_classifier(model, collection, labels, part, training.batch_size)
            for name, part in zip(PARTS, split, strict=True)
        }
        record = {
            "accuracy": {part: results[part].accuracy for part in PARTS},
            "baseline": baseline_of(data, split),
            "loss": {part: results[part].loss for part in PARTS},
            "size": {part: len(rows) for part, rows in zip(PARTS, split, strict=True)},
            "best_epoch": history.best_epoch,
            "epochs": history.epochs,
            "partial": history.partial,
            "device": str(device),
            "seconds_before": history.seconds_before,
            "history": {
                "train_loss": history.train_loss,
                "val_accuracy": [epoch.accuracy for epoch in history.validation],
                "val_loss": [epoch.loss for epoch in history.validation],
            },
        }
        return classifier, record

    @classmethod
    def _untrained(
        cls, settings: ClassifierSettings, data: LabelledData, split: Split, device: torch.device
    ) -> TrainedNetwork:
        """A new model, and the scaling of the features over the graphs of the training part."""
        seen = features = data.graph.features
        if not data.of_nodes:
            owner = data.graph.graph_of(np.arange(data.graph.num_nodes))
            seen = features[np.isin(owner, split.train)]
        # graphs may be without nodes
        scaling = FeatureScaling.fit(seen if len(seen) else features, settings.model.contrast)
        model = _build_model(settings, features.shape[1], data.num_classes).to(device)
        return cls(model, settings, split, scaling, data.graph.feature_names, data.class_names)

    def decide(self, graph: CSRGraph) -> tuple[np.ndarray, np.ndarray]:
        """The class of each graph, int64 ``[G]``, and the probabilities ``[G, C]``; or of nodes."""
        number = graph.num_nodes if self.settings.data.nodes else graph.num_graphs
        rows = np.arange(number)
        size = self.settings.training.batch_size
        logits = predict_logits(self.model, self.collection(graph), rows, size)
        probabilities = logits.softmax(dim=1).cpu().numpy()
        return probabilities.argmax(axis=1), probabilities

    def collection(self, graph: CSRGraph) -> GraphCollection:
        """Graphs with scaled features and their subgraphs, on the device of the model."""
        conv = self.model.first_conv
        graph = graph.with_relations(conv.relations)
        graph = dataclasses.replace(graph, features=self.scaling.scale(graph.features))
        return GraphCollection(graph, conv.settings, self.device)

    def state(self) -> dict[str, Any]:
        """Tensors and plain values."""
        return {
            **_common_state(self),
            "model": self.model.state_dict(),
            "scaling": {name: torch.from_numpy(one) for name, one in vars(self.scaling).items()},
        }

    @classmethod
    def restore(
        cls, settings: ClassifierSettings, state: dict[str, Any], device: torch.device
    ) -> TrainedNetwork:
        """The network of a state, on a device; raises anything if it is damaged."""
        split, features, classes = _read_common(state)
        weights = state["model"]
        scaling = FeatureScaling(**{name: one.numpy() for name, one in state["scaling"].items()})
        widths = {len(one) for one in vars(scaling).values()}
        if settings.model.num_layers > len(weights) or widths != {len(features)}:
            raise ValueError("its layers or features are not those of its settings")
        # a check of the shapes that takes no memory
        with torch.device("meta"):
            outline = _build_model(settings, len(features), len(classes))
        outline.load_state_dict(weights, assign=True)
        model = _build_model(settings, len(features), len(classes))
        model.load_state_dict(weights)
        return cls(model.to(device).eval(), settings, split, scaling, features, classes)


def _build_model(settings: ClassifierSettings, in_feats: int, num_classes: int) -> GOMKCN:
    """The model of resolved settings, its parameters drawn with their seed."""
    options = dataclasses.asdict(settings.model)
    for name in ("init", "method", "feature_contrast"):
        del options[name]
    options |= {
        "pooling": None if settings.data.nodes else settings.model.pooling,
        "hidden_feats": settings.model.hidden_feats or None,
        "kernel": settings.model.make_kernel(),
        "relations": settings.model.make_relations(),
        "seed": settings.training.seed,
    }
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.training.seed)
        return GOMKCN(in_feats, num_classes, **options)


@dataclass(frozen=True, eq=False)
class TrainedMachine:
    """A kernel machine with its resolved settings and split.

    It learnt from the training and the validation part together, since it chooses its parameters by
    cross-validation; ``labels`` are the classes of these graphs.
    """

    machine: GOMKClassifier
    settings: ClassifierSettings
    split: Split
    labels: np.ndarray
    relations: Relations
    feature_names: tuple[str, ...]
    class_names: tuple[str, ...]

    @property
    def rows(self) -> np.ndarray:
        """Numbers of the graphs that new graphs are compared with."""
        return _known_rows(self.split)

    @staticmethod
    def resolve(
        settings: ClassifierSettings, data: LabelledData, split: Split
    ) -> ClassifierSettings:
        """The settings with the number of patterns."""
        graphs = _take(data.graph, _known_rows(split))
        num_patterns = _new_machine(settings.machine).resolve_patterns(graphs)
        return settings.override({"num_patterns": num_patterns or 0})

    @classmethod
    def fit(
        cls,
        settings: ClassifierSettings,
        data: LabelledData,
        split: Split,
        steps: Steps,
        device: torch.device | None = None,
    ) -> tuple[TrainedMachine, dict[str, Any]]:
        """Choose, fit and evaluate, on the CPU: there is no other ``device``."""
        known = _known_rows(split)
        names = (data.graph.feature_names, data.class_names)
        machine = _new_machine(settings.machine)
        labels = data.labels[known]
        with steps.interrupts or contextlib.nullcontext():
            machine.fit(_take(data.graph, known), labels, steps)
        trained = cls(machine, settings, split, labels, data.graph.relations, *names)
        learnt = machine.machine_.score(machine.training_values_, labels)
        predicted, _ = trained.decide(_take(data.graph, split.test))
        tried: dict[str, Any] = machine.cv_results_
        record = {
            "accuracy": {
                "train": float(learnt),
                "val": machine.best_score_,
                "test": float((predicted == data.labels[split.test]).mean()),
            },
            "baseline": baseline_of(data, Split(known, known, split.test)),
            "size": {"train": len(known), "val": len(known), "test": len(split.test)},
            "num_folds": settings.machine.num_folds,
            "num_compared": len(known),
            "chosen": machine.best_params_,
            "tried": [
                {**params, "accuracy": float(score)}
                for params, score in zip(tried["params"], tried["mean_test_score"], strict=True)
            ],
            "partial": steps.is_partial,
        }
        return trained, record

    def decide(self, graph: CSRGraph) -> tuple[np.ndarray, np.ndarray]:
        """The class of each graph, int64 ``[G]``, and the probabilities ``[G, C]``."""
        probabilities = self.machine.predict_proba(graph.with_relations(self.relations))
        return probabilities.argmax(axis=1), probabilities

    def state(self) -> dict[str, Any]:
        """Tensors and plain values."""
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
            **_common_state(self),
            "arrays": {name: torch.from_numpy(array) for name, array in arrays.items()},
            "preparation": {name: torch.from_numpy(array) for name, array in preparation.items()},
            "relations": relations_to_record(self.relations),
            "links": relations_to_record(kernel.relations_),
            "chosen": self.machine.best_params_,
            "temperature": self.machine.temperature_,
        }

    @classmethod
    def restore(
        cls, settings: ClassifierSettings, state: dict[str, Any], device: torch.device | None = None
    ) -> TrainedMachine:
        """The machine of a state, on the CPU alone; raises anything if it is damaged."""
        split, features, classes = _read_common(state)
        arrays: Mapping[str, np.ndarray] = {k: v.numpy() for k, v in state["arrays"].items()}
        stored = relations_from_record(state["links"], "it")
        relations = relations_from_record(state["relations"], "it")
        machine = _new_machine(settings.machine)
        chosen = state["chosen"]
        settings_of_kernel = {k: v for k, v in chosen.items() if k not in ("gamma", "C")}
        kernel = machine.make_kernel(**settings_of_kernel)
        preparation = {name: value.numpy() for name, value in state["preparation"].items()}
        kernel.preparation_ = NodePreparation(**preparation, names=features)
        kernel.n_features_in_ = len(features)
        kernel.relations_ = stored
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
            kernel.codebook_ = PatternCodebook(
                tuple(arrays[f"centers {depth}"] for depth in depths)
            )
        temperature = float(state["temperature"])
        machine.fit_machine(kernel, arrays["values"], chosen, temperature, arrays["labels"])
        return cls(machine, settings, split, arrays["labels"], relations, features, classes)


def _known_rows(split: Split) -> np.ndarray:
    """The graphs that a machine learns from."""
    return np.sort(np.concatenate([split.train, split.val]))


def _take(graph: CSRGraph, rows: np.ndarray) -> CSRGraph:
    """Some graphs of a collection."""
    graphs = list(graph)
    return as_csr([graphs[row] for row in rows])


def _new_machine(settings: MachineSettings) -> GOMKClassifier:
    options = asdict(settings)
    # a settings file has neither "auto" nor None
    number = options["num_patterns"]
    options["num_patterns"] = "auto" if number is None else number or None
    options["random_state"] = options.pop("seed")
    return GOMKClassifier(**options)


def _common_state(classifier: TrainedNetwork | TrainedMachine) -> dict[str, Any]:
    """The part of a state that both have."""
    parts = zip(PARTS, classifier.split, strict=True)
    return {
        "class_names": list(classifier.class_names),
        "feature_names": list(classifier.feature_names),
        "split": {part: torch.from_numpy(rows) for part, rows in parts},
    }


def _read_common(state: dict[str, Any]) -> tuple[Split, tuple[str, ...], tuple[str, ...]]:
    """Split, names of features and names of classes of a state."""
    features, classes = (tuple(map(str, state[f"{key}_names"])) for key in ("feature", "class"))
    return Split(*(state["split"][part].numpy() for part in PARTS)), features, classes
