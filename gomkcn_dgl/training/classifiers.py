"""Trained classifiers, networks and kernel machines: from labelled data, or from what is stored.

Both have the same methods, in the order in which a training run calls them: `resolve` settles what
the settings leave to the data, `fit` learns and evaluates, and returns the classifier with the
record of it, `decide` classifies, `state` is what is stored, and `restore` reads it.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gomkcn_dgl._torch import torch, usual_torch
from gomkcn_dgl.checks import check_int
from gomkcn_dgl.class_weights import by_number
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.feature_scaling import FeatureScaling
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.io.features import take_features
from gomkcn_dgl.kernel_machine import GOMKClassifier, NodePreparation
from gomkcn_dgl.model import GOMKCN, GraphCollection
from gomkcn_dgl.occlusion import GraphExplanation, explain_graph
from gomkcn_dgl.pattern_bags import PatternCodebook
from gomkcn_dgl.relations import Relations, relations_from_record, relations_to_record
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.training.class_initialization import initialize_from_classes
from gomkcn_dgl.training.classifier_settings import ClassifierSettings, MachineSettings
from gomkcn_dgl.training.graph_digests import DIGEST_BYTES, graph_digests, is_among
from gomkcn_dgl.training.labelled_data import PARTS, LabelledData, Split, baseline_of
from gomkcn_dgl.training.training_loop import (
    evaluate_classifier,
    predict_logits,
    train_classifier,
)


def _no_graphs() -> np.ndarray:
    """The digests of no graphs."""
    return np.zeros((0, DIGEST_BYTES), np.uint8)


@dataclass(frozen=True, eq=False)
class TrainedNetwork:
    """A model at its best epoch, with its resolved settings, split and feature scaling.

    The model takes features as ``scaling`` maps them into the unit interval, where those of filters
    are. ``feature_names`` are the D names of the features, ``class_names`` those of the classes,
    and ``learnt`` the digests of the graphs of the training and the validation part.
    """

    model: GOMKCN
    settings: ClassifierSettings
    split: Split
    scaling: FeatureScaling
    feature_names: tuple[str, ...]
    class_names: tuple[str, ...]
    learnt: np.ndarray = dataclasses.field(default_factory=_no_graphs)

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
        """The settings with the choices that were left open.

        They depend on the relations, and on how many features differ between nodes.
        """
        num_varying = int(np.ptp(data.graph.features, axis=0).astype(bool).sum())
        model = settings.model.resolve(num_varying, data.graph.relations)
        # a class that is not there is refused before anything is computed
        by_number(settings.training.class_weight, data.class_names)
        return dataclasses.replace(settings, model=model)

    @classmethod
    @usual_torch()
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
        class_weight = by_number(settings.training.class_weight, data.class_names)
        training = dataclasses.replace(settings.training, class_weight=class_weight)
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
            "accuracy": {name: results[name].accuracy for name in PARTS},
            "baseline": baseline_of(data, split),
            "loss": {name: results[name].loss for name in PARTS},
            "size": {name: len(part) for name, part in zip(PARTS, split, strict=True)},
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
        """A new model, and the scaling of the features over the graphs of the training part.

        Of a graph whose nodes are classified, all nodes are there in training.
        """
        features = data.graph.features
        known_features = features
        if not data.of_nodes:
            graph_of_node = data.graph.graph_of(np.arange(data.graph.num_nodes))
            in_training = np.isin(graph_of_node, split.train)
            # all graphs of the training part may be without nodes
            if in_training.any():
                known_features = features[in_training]
        scaling = FeatureScaling.fit(known_features, settings.model.contrast)
        model = _build_model(settings, features.shape[1], data.num_classes).to(device)
        names = data.graph.feature_names, data.class_names
        learnt = _digests_of(data, split, model.first_conv.relations)
        return cls(model, settings, split, scaling, *names, learnt)

    @usual_torch()
    def decide(self, graph: CSRGraph) -> tuple[np.ndarray, np.ndarray]:
        """The class of each graph, int64 ``[G]``, and the probabilities ``[G, C]``; or of nodes."""
        num_rows = graph.num_nodes if self.settings.data.nodes else graph.num_graphs
        batch_size = self.settings.training.batch_size
        collection = self.collection(graph)
        logits = predict_logits(self.model, collection, np.arange(num_rows), batch_size)
        probabilities = logits.softmax(dim=1).cpu().numpy()
        return probabilities.argmax(axis=1), probabilities

    @usual_torch()
    def explain(self, graph: Any, label: int | None = None) -> GraphExplanation:
        """How much each node and edge of a graph speaks for a class, a number of ``class_names``.

        As :meth:`gomkcn.GOMKClassifier.explain`; refused where nodes are classified.
        """
        if self.settings.data.nodes:
            raise InputError(
                "explain takes a graph that is classified, and here nodes are",
                way_out="gomkcn.explainable(model) goes into the explainers of PyTorch Geometric",
            )
        if label is not None:
            check_int("label", label, 0, len(self.class_names) - 1)

        def decide(graphs: CSRGraph) -> np.ndarray:
            rows = np.arange(graphs.num_graphs)
            size = self.settings.training.batch_size
            logits = predict_logits(self.model, self.collection(graphs), rows, size)
            return np.asarray(logits.double().cpu().numpy())

        return explain_graph(decide, graph, as_csr(graph), label)

    def collection(self, graph: CSRGraph) -> GraphCollection:
        """Graphs with scaled features and their subgraphs, on the device of the model."""
        conv = self.model.first_conv
        graph = take_features(graph, self.feature_names).with_relations(conv.relations)
        graph = dataclasses.replace(graph, features=self.scaling.scale(graph.features))
        return GraphCollection(graph, conv.settings, self.device)

    def state(self) -> dict[str, Any]:
        """Tensors and plain values."""
        arrays = vars(self.scaling)
        return {
            **_common_state(self),
            "model": self.model.state_dict(),
            "scaling": {name: torch.from_numpy(array) for name, array in arrays.items()},
        }

    @classmethod
    def restore(
        cls, settings: ClassifierSettings, state: dict[str, Any], device: torch.device
    ) -> TrainedNetwork:
        """The network of a state, on a device; raises any exception if it is damaged."""
        split, feature_names, class_names = _read_common(state)
        weights = state["model"]
        arrays = {name: tensor.numpy() for name, tensor in state["scaling"].items()}
        scaling = FeatureScaling(**arrays)
        widths = {len(array) for array in arrays.values()}
        # a layer has a weight at least: damaged settings may ask for more than can be built
        if settings.model.num_layers > len(weights) or widths != {len(feature_names)}:
            raise ValueError("its layers or features are not those of its settings")
        # the shapes are compared before memory is taken for them
        with torch.device("meta"):
            outline = _build_model(settings, len(feature_names), len(class_names))
        outline.load_state_dict(weights, assign=True)
        model = _build_model(settings, len(feature_names), len(class_names))
        model.load_state_dict(weights)
        model = model.to(device).eval()
        names = feature_names, class_names
        return cls(model, settings, split, scaling, *names, state["learnt"].numpy())


def _build_model(settings: ClassifierSettings, in_feats: int, num_classes: int) -> GOMKCN:
    """The model of resolved settings, its parameters drawn with their seed."""
    options = dict(vars(settings.model))
    # these are not the model's own: they say how its filters begin, which classifier it is, what
    # its settings are called, and how features are scaled before it
    for name in ("init", "method", "preset", "feature_contrast"):
        del options[name]
    options |= {
        "pooling": None if settings.data.nodes else settings.model.pooling,
        "hidden_feats": settings.model.hidden_feats,
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
    cross-validation; ``labels`` are the classes of these graphs, and ``learnt`` their digests. The
    relations and the names of features and classes are those of the data.
    """

    machine: GOMKClassifier
    settings: ClassifierSettings
    split: Split
    labels: np.ndarray
    relations: Relations
    feature_names: tuple[str, ...]
    class_names: tuple[str, ...]
    learnt: np.ndarray = dataclasses.field(default_factory=_no_graphs)

    @property
    def compared_graphs(self) -> np.ndarray:
        """Numbers of the graphs that new graphs are compared with: all that it learnt from."""
        return _learnt_graphs(self.split)

    @staticmethod
    def resolve(
        settings: ClassifierSettings, data: LabelledData, split: Split
    ) -> ClassifierSettings:
        """The settings with the number of patterns."""
        graphs = take_graphs(data.graph, _learnt_graphs(split))
        num_patterns = _new_machine(settings.machine, data.class_names).resolve_patterns(graphs)
        return settings.override({"num_patterns": num_patterns})

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
        learnt_graphs = _learnt_graphs(split)
        labels = data.labels[learnt_graphs]
        machine = _new_machine(settings.machine, data.class_names)
        with steps.interrupts or contextlib.nullcontext():
            machine.fit(take_graphs(data.graph, learnt_graphs), labels, steps=steps)
        classifier = cls(
            machine,
            settings,
            split,
            labels,
            data.graph.relations,
            data.graph.feature_names,
            data.class_names,
            _digests_of(data, split, data.graph.relations),
        )
        train_accuracy = (machine.predict_values(machine.training_values_) == labels).mean()
        predicted, _ = classifier.decide(take_graphs(data.graph, split.test))
        tried: dict[str, Any] = machine.cv_results_
        # the validation part of a network is cross-validation here, over all that is learnt from
        num_learnt = len(learnt_graphs)
        record = {
            "accuracy": {
                "train": float(train_accuracy),
                "val": machine.best_score_,
                "test": float((predicted == data.labels[split.test]).mean()),
            },
            "baseline": baseline_of(data, Split(learnt_graphs, learnt_graphs, split.test)),
            "size": {"train": num_learnt, "val": num_learnt, "test": len(split.test)},
            "num_folds": settings.machine.num_folds,
            "num_compared": num_learnt,
            "chosen": machine.best_params_,
            "tried": [
                {**params, "accuracy": float(score)}
                for params, score in zip(tried["params"], tried["mean_test_score"], strict=True)
            ],
            "partial": steps.is_partial,
        }
        return classifier, record

    def decide(self, graph: CSRGraph) -> tuple[np.ndarray, np.ndarray]:
        """The class of each graph, int64 ``[G]``, and the probabilities ``[G, C]``."""
        probabilities = self.machine.predict_proba(graph.with_relations(self.relations))
        return probabilities.argmax(axis=1), probabilities

    def explain(self, graph: Any, label: int | None = None) -> GraphExplanation:
        """How much each node and edge of a graph speaks for a class, a number of ``class_names``.

        See :meth:`gomkcn.GOMKClassifier.explain`.
        """
        return self.machine.explain(graph, label)

    def state(self) -> dict[str, Any]:
        """Tensors and plain values."""
        machine = self.machine
        arrays = {
            "values": machine.training_values_,
            "labels": self.labels,
            "temperatures": machine.temperatures_,
        }
        kernel = machine.kernel_
        known = kernel.known_
        # new graphs are compared with the graphs themselves, or with their counts of patterns
        if isinstance(known, CSRGraph):
            for name in ("indptr", "indices", "features", "graph_ptr"):
                arrays[name] = getattr(known, name)
            # links may be uint16, of which torch can do little
            if known.links is not None:
                arrays["links"] = known.links.astype(np.int32)
        else:
            arrays["bags"] = known
            for level, centers in enumerate(kernel.codebook_.centers):
                arrays[f"centers {level}"] = centers
        preparation = asdict(kernel.preparation_)
        # they are the feature names
        del preparation["names"]
        return {
            **_common_state(self),
            "arrays": {name: torch.from_numpy(array) for name, array in arrays.items()},
            "preparation": {name: torch.from_numpy(array) for name, array in preparation.items()},
            "relations": relations_to_record(self.relations),
            "links": relations_to_record(kernel.relations_),
            "chosen": machine.best_params_,
        }

    @classmethod
    def restore(
        cls, settings: ClassifierSettings, state: dict[str, Any], device: torch.device | None = None
    ) -> TrainedMachine:
        """The machine of a state, on the CPU alone; raises any exception if it is damaged."""
        split, feature_names, class_names = _read_common(state)
        arrays: Mapping[str, np.ndarray] = {
            name: tensor.numpy() for name, tensor in state["arrays"].items()
        }
        labels = arrays["labels"]
        relations = relations_from_record(state["relations"], "it")
        # of the graphs that are compared, which are stored with their links
        kernel_relations = relations_from_record(state["links"], "it")
        machine = _new_machine(settings.machine, class_names)
        # 1. the kernel, with the parameters that were chosen and are not those of the machine
        chosen = state["chosen"]
        kernel_options = {
            name: value for name, value in chosen.items() if name not in ("gamma", "C")
        }
        kernel = machine.make_kernel(settings.machine.seed, **kernel_options)
        preparation = {name: tensor.numpy() for name, tensor in state["preparation"].items()}
        kernel.preparation_ = NodePreparation(**preparation, names=feature_names)
        kernel.n_features_in_ = len(feature_names)
        kernel.relations_ = kernel_relations
        # 2. what new graphs are compared with
        if not kernel.num_patterns:
            links = arrays.get("links")
            kernel.known_ = CSRGraph(
                indptr=arrays["indptr"],
                indices=arrays["indices"],
                features=arrays["features"],
                weights=None,
                graph_ptr=arrays["graph_ptr"],
                node_ids=None,
                # any names do: they are not compared
                feature_names=tuple(map(str, kernel.preparation_.columns)),
                relations=kernel_relations,
                links=None if links is None else links.astype(kernel_relations.code_type),
            )
        else:
            kernel.known_ = arrays["bags"]
            # level 0 is the nodes themselves
            levels = range(1 + kernel.num_levels)
            kernel.codebook_ = PatternCodebook(
                tuple(arrays[f"centers {level}"] for level in levels)
            )
        # 3. the machine, fitted anew to the stored values of its kernel
        temperatures, weights = arrays["temperatures"], machine.weights_of(labels)
        machine.fit_machine(kernel, arrays["values"], chosen, temperatures, labels, weights)
        names = feature_names, class_names
        return cls(machine, settings, split, labels, relations, *names, state["learnt"].numpy())


def _learnt_graphs(split: Split) -> np.ndarray:
    """Numbers of the graphs that a machine learns from."""
    return np.sort(np.concatenate([split.train, split.val]))


def take_graphs(collection: CSRGraph, numbers: np.ndarray) -> CSRGraph:
    """The collection of some graphs of a collection."""
    graphs = list(collection)
    return as_csr([graphs[number] for number in numbers])


def _new_machine(settings: MachineSettings, class_names: Sequence[str]) -> GOMKClassifier:
    """The machine of some settings, not yet fitted, whose classes are numbers."""
    options = dict(vars(settings))
    options["class_weight"] = by_number(settings.class_weight, class_names)
    options["random_state"] = options.pop("seed")
    return GOMKClassifier(**options)


def _common_state(classifier: TrainedNetwork | TrainedMachine) -> dict[str, Any]:
    """The part of a state that both have."""
    split = zip(PARTS, classifier.split, strict=True)
    return {
        "class_names": list(classifier.class_names),
        "feature_names": list(classifier.feature_names),
        "split": {name: torch.from_numpy(numbers) for name, numbers in split},
        "learnt": torch.from_numpy(classifier.learnt),
    }


def knows(classifier: TrainedNetwork | TrainedMachine, graph: CSRGraph) -> np.ndarray:
    """Which graphs a classifier learnt from, or from one that is the same to it, bool ``[G]``."""
    return is_among(graph_digests(graph.with_relations(classifier.relations)), classifier.learnt)


def _digests_of(data: LabelledData, split: Split, relations: Relations) -> np.ndarray:
    """Digests of the graphs that are learnt from, or chosen by; none where nodes are classified."""
    if data.of_nodes:
        return _no_graphs()
    learnt = take_graphs(data.graph, _learnt_graphs(split))
    return graph_digests(learnt.with_relations(relations))


def _read_common(state: dict[str, Any]) -> tuple[Split, tuple[str, ...], tuple[str, ...]]:
    """Split, names of features and names of classes of a state."""
    split = Split(*(state["split"][name].numpy() for name in PARTS))
    feature_names = tuple(map(str, state["feature_names"]))
    class_names = tuple(map(str, state["class_names"]))
    return split, feature_names, class_names
