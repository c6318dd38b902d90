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
from gomkcn_dgl.graphs.structure import Edge, Structure
from gomkcn_dgl.relations import PLAIN, Relations
from gomkcn_dgl.training.classifiers import TrainedMachine, TrainedNetwork
from gomkcn_dgl.training.labelled_data import LabelledData, summarize
from gomkcn_dgl.training.training_loop import predict_logits
from gomkcn_dgl.training.training_run import TrainedClassifier
from mining.categories import Categories
from mining.descriptions import describe_structure
from mining.graph_relations import edges_among
from mining.learning.discrete_filters import discretize

# drawings of more nodes are unreadable
MOST_DRAWN_NODES = 400
# graphs that are shown beside one
_NUM_SIMILAR = 3


@dataclass(frozen=True)
class DrawnGraph:
    """A graph, or the subgraph around a node, the root first: a structure that may be in pieces.

    Attributes are those of a :class:`gomkcn.Structure`.
    """

    num_nodes: int
    edges: tuple[Edge, ...]
    edge_relations: tuple[int, ...]
    relations: Relations
    categories: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False)
class LearntFilter:
    """A filter of the first layer: its edges with a weight above ½, and responses of the classes.

    ``name`` says what it looks like. ``class_means`` are means over the test graphs (or nodes) of
    each class of the highest response, NaN for a class without any.
    """

    graph: Structure
    name: str
    edge_weights: tuple[float, ...]
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
    """A graph or node that was classified, and why.

    Of a network ``scores [V, F]`` are the responses of each drawn node to each filter; of a kernel
    machine ``similar`` are the training graphs most like it.
    """

    row: int
    true: int
    predicted: int
    graph: DrawnGraph | None
    scores: np.ndarray | None = None
    similar: tuple[Similar, ...] = ()
    is_node: bool = False

    @property
    def highest(self) -> np.ndarray:
        """Response to each filter, ``[F]``: the highest in a graph, or that of the node."""
        assert self.scores is not None, "a network responds"
        return np.asarray(self.scores[0] if self.is_node else self.scores.max(axis=0))

    def reason(self, class_names: Sequence[str]) -> str:
        """What speaks for the prediction, in words."""
        if self.scores is not None:
            best = int(self.highest.argmax())
            return f"highest response {self.highest[best]:.3f} to filter {best}"
        nearest = self.similar[0]
        return (
            f"most like graph {nearest.row}, {class_names[nearest.true]}, with a kernel value of "
            f"{nearest.similarity:.3f}"
        )


@dataclass(frozen=True, eq=False)
class Explanation:
    """What a classifier learnt; filters are those of a network.

    ``confusion[i][j]`` are the graphs or nodes of the test part of class i, predicted as class j.
    """

    task: str
    decisions: list[Decision]
    class_names: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]
    relations: tuple[tuple[str, bool], ...] = ((PLAIN, False),)
    filters: tuple[LearntFilter, ...] = ()


def explain_classifier(
    classifier: TrainedClassifier, data: LabelledData, rows: Sequence[int] | None = None
) -> Explanation:
    """Explain the classes that a trained network or machine gives to some graphs or nodes.

    ``data`` is what the classifier was trained on; ``rows`` are the graphs, or nodes, to show: by
    default the first correctly classified of each class in the test part.
    """
    labels = Categories.find(data.graph.stored_features, data.graph.feature_names)
    labels = Categories(labels.groups[:1])
    if isinstance(classifier, TrainedNetwork):
        return _explain_network(classifier, data, rows, labels)
    return _explain_machine(classifier, data, rows, labels)


def check_same_data(data: LabelledData, recorded: dict[str, Any]) -> None:
    """Refuse data that is not what a run was trained on, as far as its sizes tell."""
    present = summarize(data)
    for name, value in recorded.items():
        if present.get(name) != value:
            raise InputError(
                f"the data set must be the one of the run, with {name} {value}, got "
                f"{present.get(name)}."
            )


@torch.no_grad()
def _explain_network(
    classifier: TrainedNetwork,
    data: LabelledData,
    rows: Sequence[int] | None,
    labels: Categories,
) -> Explanation:
    """Score every node against every filter of the first layer."""
    model, test = classifier.model.eval(), classifier.split.test
    collection, size = classifier.collection(data.graph), classifier.settings.training.batch_size
    # 1. classes, and the responses [V, F] of all nodes with their features as filters see them
    everything = np.arange(len(data.labels))
    predicted = predict_logits(model, collection, everything, size).argmax(dim=1).numpy()
    batches = collection.batches(size) if model.pooling is not None else [collection.whole()]
    parts, inputs = [], []
    for batch in batches:
        inputs.append(model.input(batch.feat))
        parts.append(model.first_conv(batch.subgraphs, inputs[-1]).numpy())
    scores = np.concatenate(parts)
    seen = torch.cat([one.to_dense() if one.layout != torch.strided else one for one in inputs])
    # 2. filters, and the highest response of each graph (or that of each node)
    highest = scores
    if data.task == "graph":
        lowest = np.full(scores.shape[1], scores.min(initial=0.0), scores.dtype)
        own = np.split(scores, data.graph.graph_ptr[1:-1])
        highest = np.stack([part.max(axis=0) if len(part) else lowest for part in own])
    discrete = discretize(model.first_conv.filters)
    codes = labels.colors(data.graph.features)
    known = np.unique(codes)
    means = np.stack([seen.numpy()[codes == code].mean(axis=0) for code in known])
    filters = []
    for number, size in enumerate(discrete.num_nodes):
        # each node is of the category of those whose features are most like its own
        features = discrete.feat[number, :size].numpy()
        colors = known[pairwise_distances_argmin(features, means)] if labels else None
        names = labels.names_of(colors, data.graph.feature_names)
        shape = discrete.structure(number, model.first_conv.relations, names)
        filters.append(_filter(shape, discrete.weights[number], highest[test, number], data, test))
    # 3. what is shown
    decisions = []
    for row in _choose_rows(rows, predicted, data, test):
        is_node = data.task == "node"
        if is_node:
            # those of its first subgraph, itself first
            one = collection.subgraphs.select(torch.tensor([row]))
            nodes = one.nodes[0, : int(one.num_nodes[0])].numpy().astype(np.int64)
        else:
            nodes = _nodes_of(data.graph, row)
        decisions.append(
            Decision(
                row,
                int(data.labels[row]),
                int(predicted[row]),
                _drawn(collection.graph, nodes, labels),
                scores=scores[nodes],
                is_node=is_node,
            )
        )
    return Explanation(
        data.task,
        decisions,
        classifier.class_names,
        _confusion(predicted, data, test),
        tuple(model.first_conv.relations.kinds),
        tuple(filters),
    )


def _explain_machine(
    classifier: TrainedMachine,
    data: LabelledData,
    rows: Sequence[int] | None,
    labels: Categories,
) -> Explanation:
    """Compare graphs with those that a machine learnt from."""
    graphs, test = split_graphs(data.graph), classifier.split.test
    predicted = np.full(len(graphs), -1)
    predicted[test], _ = classifier.decide(as_csr([graphs[i] for i in test]))
    confusion, decisions = _confusion(predicted, data, test), []
    if rows := _choose_rows(rows, predicted, data, test):
        chosen = as_csr([graphs[i] for i in rows])
        classes, _ = classifier.decide(chosen)
        kernel = classifier.machine.kernel_
        similarities = kernel.similarities(chosen.with_relations(classifier.relations))
        for row, predicted_class, values in zip(rows, classes, similarities, strict=True):
            # a training graph is not like itself alone
            order = [i for i in np.argsort(-values, kind="stable") if classifier.rows[i] != row]
            similar = []
            for i in order[:_NUM_SIMILAR]:
                other = int(classifier.rows[i])
                drawn = _drawn(data.graph, _nodes_of(data.graph, other), labels)
                similar.append(Similar(other, int(data.labels[other]), float(values[i]), drawn))
            own = _drawn(data.graph, _nodes_of(data.graph, row), labels)
            true = int(data.labels[row])
            decisions.append(Decision(row, true, int(predicted_class), own, similar=tuple(similar)))
    kinds = tuple(data.graph.relations.kinds)
    return Explanation("graph", decisions, classifier.class_names, confusion, kinds)


def _filter(
    structure: Structure,
    weights: torch.Tensor,
    highest: np.ndarray,
    data: LabelledData,
    test: np.ndarray,
) -> LearntFilter:
    """A filter, its learnt weights, and the mean of its ``highest`` responses in each class."""
    # a matrix for each channel
    matrices = weights.reshape(*weights.shape[:2], -1)
    edges = zip(structure.edges, structure.edge_relations, strict=True)
    outgoing, classes = structure.relations.outgoing, data.labels[test]
    return LearntFilter(
        structure,
        describe_structure(structure, data.graph.feature_names),
        tuple(float(matrices[u, v, outgoing[relation]]) for (u, v), relation in edges),
        tuple(
            float(highest[classes == label].mean()) if (classes == label).any() else np.nan
            for label in range(data.num_classes)
        ),
    )


def _drawn(graph: CSRGraph, nodes: np.ndarray, labels: Categories) -> DrawnGraph | None:
    """Some nodes of a graph with the edges among them; None where there are none."""
    if not len(nodes):
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


def _nodes_of(graph: CSRGraph, row: int) -> np.ndarray:
    """The nodes of a graph of a collection; none of one that is too large to be drawn."""
    nodes = np.arange(*graph.graph_ptr[row : row + 2])
    return nodes if len(nodes) <= MOST_DRAWN_NODES else nodes[:0]


def _choose_rows(
    rows: Sequence[int] | None, predicted: np.ndarray, data: LabelledData, test: np.ndarray
) -> list[int]:
    """The given rows; by default the first correctly classified test row of each class."""
    sizes = np.diff(data.graph.graph_ptr)
    if rows is None:
        small = np.ones(len(test), bool)
        if data.task == "graph":
            small = (sizes[test] > 0) & (sizes[test] <= MOST_DRAWN_NODES)
        right = test[small & (predicted[test] == data.labels[test])]
        first = [right[data.labels[right] == label][:1] for label in range(data.num_classes)]
        found = np.concatenate(first)
        return (found if len(found) else test[small][:1]).tolist()
    for row in rows:
        if not 0 <= row < len(data.labels):
            raise InputError(
                f"a {data.task} must be one of 0 to {len(data.labels) - 1}, got {row}."
            )
        if data.task == "graph" and not 0 < sizes[row] <= MOST_DRAWN_NODES:
            raise InputError(
                f"graph {row} has {sizes[row]} nodes; 1 to {MOST_DRAWN_NODES} can be drawn."
            )
    return list(rows)


def _confusion(
    predicted: np.ndarray, data: LabelledData, test: np.ndarray
) -> tuple[tuple[int, ...], ...]:
    """Rows of the test part by class and predicted class."""
    table = confusion_matrix(data.labels[test], predicted[test], labels=np.arange(data.num_classes))
    return tuple(tuple(row) for row in table.tolist())
