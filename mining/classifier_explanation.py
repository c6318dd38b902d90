"""What a trained classifier responds to: filters of a network, or the graphs most like a graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import confusion_matrix, pairwise_distances_argmin

from gomkcn_dgl._torch import torch
from gomkcn_dgl.csr import CSRGraph, split_graphs
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.training.classifiers import TrainedMachine, TrainedNetwork
from gomkcn_dgl.training.labelled_data import LabelledData
from gomkcn_dgl.training.training_run import TrainedClassifier
from mining.categories import Categories
from mining.descriptions import describe_structure
from mining.filters.discrete_filters import discretize
from mining.graph_relations import edges_among
from mining.plots.layout import DrawnGraph

# drawings of more nodes are unreadable
MOST_DRAWN_NODES = 400
# graphs that are shown beside one
_NUM_SIMILAR = 3


@dataclass(frozen=True, eq=False)
class LearntFilter:
    """A filter of the first layer: its edges with a weight above ½, and responses of the classes.

    ``name`` says what it looks like. ``class_means`` are means over the test graphs of each class
    of the highest response, NaN for a class without any.
    """

    graph: Structure
    name: str
    class_means: tuple[float, ...]

    @property
    def favoured_class(self) -> int | None:
        """The class that it responds to most; None where all means are equal."""
        means = np.array(self.class_means)
        if np.isnan(means).all() or np.nanmax(means) - np.nanmin(means) < 1e-6:
            return None
        return int(np.nanargmax(means))


@dataclass(frozen=True, eq=False)
class Similar:
    """A training graph that a graph is like: its row, class and kernel value.

    There is no ``graph`` where it is too large to be drawn.
    """

    row: int
    true: int
    similarity: float
    graph: DrawnGraph | None


@dataclass(frozen=True, eq=False)
class Decision:
    """A graph that was classified, and why.

    Of a network ``scores [V, F]`` are the responses of its nodes to each filter; of a kernel
    machine ``similar`` are the training graphs most like it.
    """

    row: int
    true: int
    predicted: int
    graph: DrawnGraph | None
    scores: np.ndarray | None = None
    similar: tuple[Similar, ...] = ()

    def reason(self, class_names: Sequence[str]) -> str:
        """What speaks for the prediction, in words."""
        if self.scores is not None:
            best = int(self.scores.max(axis=0).argmax())
            return f"highest response {self.scores.max():.3f} to filter {best}"
        nearest = self.similar[0]
        return (
            f"most like graph {nearest.row}, {class_names[nearest.true]}, with a kernel value of "
            f"{nearest.similarity:.3f}"
        )


@dataclass(frozen=True, eq=False)
class Explanation:
    """What a classifier learnt; filters are those of a network.

    ``confusion[i, j]`` are the graphs of the test part of class i, predicted as class j.
    """

    decisions: list[Decision]
    class_names: tuple[str, ...]
    confusion: np.ndarray
    filters: tuple[LearntFilter, ...] = ()


def explain_classifier(
    classifier: TrainedClassifier, data: LabelledData, rows: Sequence[int] | None = None
) -> Explanation:
    """Explain the classes that a trained network or machine gives to some graphs.

    ``data`` is what the classifier was trained on; ``rows`` are the graphs to show: by default the
    first correctly classified of each class in the test part.
    """
    test = classifier.split.test
    labels = Categories.find(data.graph.stored_features, data.graph.feature_names)
    labels = Categories(labels.groups[:1])
    # 1. the class of each test graph, and of those that are shown
    sizes = np.diff(data.graph.graph_ptr)
    can_be_drawn = (sizes > 0) & (sizes <= MOST_DRAWN_NODES)
    for row in rows or ():
        if not 0 <= row < len(sizes):
            raise InputError(f"a graph must be one of 0 to {len(sizes) - 1}, got {row}.")
        if not can_be_drawn[row]:
            raise InputError(
                f"graph {row} has {sizes[row]} nodes; 1 to {MOST_DRAWN_NODES} can be drawn."
            )
    graphs, predicted = split_graphs(data.graph), np.full(len(sizes), -1)
    asked = np.union1d(test, np.array(rows or (), np.int64))
    predicted[asked], _ = classifier.decide(as_csr([graphs[row] for row in asked]))
    if rows is None:
        shown = test[can_be_drawn[test]]
        right = shown[predicted[shown] == data.labels[shown]]
        first = np.unique(data.labels[right], return_index=True)[1]
        rows = (right[first] if len(first) else shown[:1]).tolist()
    # 2. what speaks for them
    graph, filters = data.graph, tuple[LearntFilter, ...]()
    if isinstance(classifier, TrainedNetwork):
        graph = graph.with_relations(classifier.relations)
        filters, scores = _respond(classifier, data, labels)
        parts = np.split(scores, graph.graph_ptr[1:-1])
        reasons: list[dict[str, Any]] = [{"scores": parts[row]} for row in rows]
    else:
        reasons = [{"similar": one} for one in _compare(classifier, data, rows, labels)]
    decisions = [
        Decision(
            row, int(data.labels[row]), int(predicted[row]), _drawn(graph, row, labels), **reason
        )
        for row, reason in zip(rows, reasons, strict=True)
    ]
    confusion = confusion_matrix(
        data.labels[test], predicted[test], labels=np.arange(data.num_classes)
    )
    return Explanation(decisions, classifier.class_names, confusion, filters)


@torch.no_grad()
def _respond(
    classifier: TrainedNetwork, data: LabelledData, labels: Categories
) -> tuple[tuple[LearntFilter, ...], np.ndarray]:
    """The filters of the first layer, and the response ``[V, F]`` of every node to each."""
    # 1. responses of all nodes, with their features as filters see them
    model, test = classifier.model.eval(), classifier.split.test
    conv, names = model.first_conv, data.graph.feature_names
    collection = classifier.collection(data.graph)
    seen = model.input(collection.feat)
    scores = conv(collection.subgraphs, seen).numpy()
    # 2. the highest response of each graph, and its mean over the test graphs of each class
    parts = np.split(scores, data.graph.graph_ptr[1:-1])
    lowest = scores.min(initial=0.0)
    highest = np.stack([part.max(axis=0, initial=lowest) for part in parts])[test]
    class_means = np.full((data.num_classes, scores.shape[1]), np.nan)
    for label in np.unique(data.labels[test]):
        class_means[label] = highest[data.labels[test] == label].mean(axis=0)
    # 3. each node of a filter is of the category of those whose features are most like its own
    discrete, codes = discretize(conv.filters), labels.colors(data.graph.features)
    known, dense = np.unique(codes), seen.numpy()
    means = np.stack([dense[codes == code].mean(axis=0) for code in known])
    filters = []
    for number, size in enumerate(discrete.num_nodes):
        features = discrete.feat[number, :size].numpy()
        colors = known[pairwise_distances_argmin(features, means)] if labels else None
        graph = discrete.structure(number, conv.relations, labels.names_of(colors, names))
        own = tuple(class_means[:, number].tolist())
        filters.append(LearntFilter(graph, describe_structure(graph, names), own))
    return tuple(filters), scores


def _compare(
    classifier: TrainedMachine, data: LabelledData, rows: Sequence[int], labels: Categories
) -> list[tuple[Similar, ...]]:
    """The graphs that a machine learnt from that are most like each of some graphs."""
    if not rows:
        return []
    graphs = split_graphs(data.graph)
    chosen = as_csr([graphs[row] for row in rows]).with_relations(classifier.relations)
    found = []
    for row, values in zip(rows, classifier.machine.kernel_.similarities(chosen), strict=True):
        # a training graph is not like itself alone
        order = [i for i in np.argsort(-values, kind="stable") if classifier.rows[i] != row]
        similar = []
        for i in order[:_NUM_SIMILAR]:
            other = int(classifier.rows[i])
            drawn = _drawn(data.graph, other, labels)
            similar.append(Similar(other, int(data.labels[other]), float(values[i]), drawn))
        found.append(tuple(similar))
    return found


def _drawn(graph: CSRGraph, row: int, labels: Categories) -> DrawnGraph | None:
    """A graph of a collection; None if it is too large, or empty."""
    nodes = np.arange(*graph.graph_ptr[row : row + 2])
    if not 0 < len(nodes) <= MOST_DRAWN_NODES:
        return None
    edges = edges_among(graph, nodes).tolist()
    colors = labels.colors(graph.features[nodes]) if labels else None
    return DrawnGraph(
        len(nodes),
        tuple((u, v) for u, v, _ in edges),
        tuple(relation for *_, relation in edges),
        graph.relations,
        labels.names_of(colors, graph.feature_names),
    )
