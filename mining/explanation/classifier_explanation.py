"""Why a trained classifier decides as it does: its filters, and where in a graph they respond."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from sklearn.metrics import confusion_matrix, pairwise_distances_argmin, roc_auc_score

from gomkcn_dgl.csr import CSRGraph, split_graphs
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import edges_of
from gomkcn_dgl.layer import GOMKConv
from gomkcn_dgl.model import GraphCollection
from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.training.classifiers import TrainedMachine, TrainedNetwork
from gomkcn_dgl.training.labelled_data import LabelledData, summarize
from gomkcn_dgl.training.training_loop import predict_logits
from mining.descriptions.feature_background import FeatureBackground
from mining.graph_relations import edges_among
from mining.learning.discrete_filters import discretize

# places of each filter
_NUM_PLACES = 3
# drawings of more nodes are unreadable
MOST_DRAWN_NODES = 400
Edges = tuple[tuple[int, int], ...]
# of each graph
_NUM_SIMILAR = 3


@dataclass(frozen=True, eq=False)
class LearntFilter:
    """A filter of the first layer, without its padding.

    ``edges`` are those with a weight above ½; ``features [M, D]`` are as the layer sees them,
    behind the input layer. ``class_means`` holds for each class the mean over test graphs (or
    nodes) of the highest response. ``edge_relations`` number the relations of the edges among
    those of the explanation. ``labels [M]`` number the labels of the
    explanation that are nearest to the features; left out where there are none. ``places`` are
    those of the test part that excite it most.
    """

    edges: Edges
    edge_weights: tuple[float, ...]
    features: np.ndarray
    class_means: tuple[float, ...]
    edge_relations: tuple[int, ...]
    labels: tuple[int, ...] = ()
    places: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Place:
    """The subgraph around a node, its root, that a filter responds to.

    ``row`` is the graph, or the node, that was classified, ``nodes`` and ``edges`` are as in
    :class:`Response`, the root first; ``labels`` as in :class:`LearntFilter`; ``true`` is the class
    of the row.
    """

    row: int
    true: int
    response: float
    nodes: tuple[int, ...]
    edges: Edges
    edge_relations: tuple[int, ...]
    labels: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Response:
    """A graph, or the subgraph around a node, with the response of every node to every filter.

    ``row`` is the graph or node that was classified, and ``task`` says which; ``nodes`` are those
    of the drawing, counted within the data set, the root first for a node. ``edges`` are pairs of
    positions in ``nodes``, ``scores [V, F]`` normalised kernel scores, and ``is_planted [V]`` is
    None where the truth is unknown. ``edge_relations`` are as in :class:`LearntFilter`.
    """

    row: int
    nodes: tuple[int, ...]
    edges: Edges
    scores: np.ndarray
    predicted: int
    true: int
    is_planted: np.ndarray | None
    task: str
    edge_relations: tuple[int, ...]

    @property
    def highest(self) -> np.ndarray:
        """Response to each filter, ``[F]``: the highest in a graph, or that of the root."""
        return self.scores.max(axis=0) if self.task == "graph" else self.scores[0]

    @property
    def best_filter(self) -> int:
        """The filter with the highest of them."""
        return int(self.highest.argmax())

    def reason(self, class_names: Sequence[str]) -> str:
        """What speaks for the prediction, in words."""
        best = self.best_filter
        return f"highest response {self.highest[best]:.3f} to filter {best}"


@dataclass(frozen=True)
class TruthAgreement:
    """Whether the highest response of a node to any filter tells what was planted.

    ``auc`` is over the nodes of the test part; ``share_inside`` is the share of the test graphs
    whose highest response lies in the planted part, None for nodes.
    """

    auc: float
    share_inside: float | None


@dataclass(frozen=True, eq=False)
class Explanation:
    """What a classifier learnt; ``scale`` is the lowest and highest response that is drawn.

    ``relations`` are the kinds of edges that its filters tell apart: names, and whether they have a
    direction. ``confusion[i][j]`` are the graphs or nodes of the test part that are of class i and
    predicted as class j. ``labels`` are what labels of nodes are called, the most frequent first.
    """

    task: str
    filters: list[LearntFilter]
    responses: list[Response]
    scale: tuple[float, float]
    truth: TruthAgreement | None
    class_names: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]
    relations: tuple[tuple[str, bool], ...] = ((PLAIN, False),)
    labels: tuple[str, ...] = ()


def explain_classifier(
    classifier: TrainedNetwork, data: LabelledData, rows: Sequence[int] | None = None
) -> Explanation:
    """Score every node of some graphs against every filter of the first layer.

    ``data`` is what the classifier was trained on; ``rows`` are the graphs, or nodes, to show: by
    default the first correctly classified of each class in the test part.
    """
    model, test = classifier.model, classifier.split.test
    collection = classifier.collection(data.graph)
    size = classifier.settings.training.batch_size
    everything = np.arange(len(data.labels))
    predicted = predict_logits(model, collection, everything, size).argmax(dim=1).numpy()
    scores, hidden = _responses(classifier, collection)
    rows = choose_rows(rows, predicted, data, test)
    responses = [_response(row, predicted, scores, collection, data) for row in rows]
    shown = np.concatenate([np.zeros(0), *(one.scores.reshape(-1) for one in responses)])
    highest = _highest(scores, data)[test]
    labels = NodeLabels.find(data.graph)
    filters = _filters(model.first_conv, highest, data.labels[test], data.num_classes)
    return Explanation(
        data.task,
        [
            replace(
                one,
                labels=labels.nearest(one.features, hidden),
                places=_places(scores[:, number], collection, data, test, labels),
            )
            for number, one in enumerate(filters)
        ],
        responses,
        (float(shown.min()), float(shown.max())) if len(shown) else (0.0, 1.0),
        None if data.truth is None else _agreement(scores, data, test),
        classifier.class_names,
        confusion_of(predicted, data, test),
        tuple(model.first_conv.relations.kinds),
        labels.names,
    )


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
def _responses(
    classifier: TrainedNetwork, collection: GraphCollection
) -> tuple[np.ndarray, np.ndarray]:
    """Scores ``[V, F]`` of all nodes, and their features as the filters see them."""
    model, size = classifier.model.eval(), classifier.settings.training.batch_size
    batches = collection.batches(size) if model.pooling is not None else [collection.whole()]
    scores, hidden = [], []
    for batch in batches:
        hidden.append(model.input(batch.feat))
        scores.append(model.first_conv(batch.subgraphs, hidden[-1]).numpy())
    if hidden[0].layout != torch.strided:
        hidden = [one.to_dense() for one in hidden]
    return np.concatenate(scores), torch.cat(hidden).numpy()


def _highest(scores: np.ndarray, data: LabelledData) -> np.ndarray:
    """Highest response in each graph, or that of each node: ``[G, F]`` or ``[V, F]``."""
    if data.task == "node":
        return scores
    parts = np.split(scores, data.graph.graph_ptr[1:-1])
    lowest = np.full(scores.shape[1], scores.min(initial=0.0), scores.dtype)
    return np.stack([part.max(axis=0) if len(part) else lowest for part in parts])


def _filters(
    conv: GOMKConv, highest: np.ndarray, labels: np.ndarray, num_classes: int
) -> list[LearntFilter]:
    discrete, relations = discretize(conv.filters), conv.relations
    filters = []
    for number, size in enumerate(discrete.num_nodes):
        edges = edges_of(discrete.adj[number, :size, :size].numpy() > 0, relations)
        # a matrix for each channel
        weights = discrete.weights[number].reshape(*discrete.weights.shape[1:3], -1)
        means = [
            float(highest[labels == label, number].mean()) if (labels == label).any() else np.nan
            for label in range(num_classes)
        ]
        filters.append(
            LearntFilter(
                tuple((u, v) for u, v, _ in edges),
                tuple(float(weights[u, v, relations.outgoing[r]]) for u, v, r in edges),
                discrete.feat[number, :size].numpy(),
                tuple(means),
                tuple(r for *_, r in edges),
            )
        )
    return filters


def _response(
    row: int,
    predicted: np.ndarray,
    scores: np.ndarray,
    collection: GraphCollection,
    data: LabelledData,
) -> Response:
    """A whole graph, or the first subgraph of a node, with its scores."""
    if data.task == "graph":
        nodes = np.arange(*data.graph.graph_ptr[row : row + 2])
    else:
        nodes = _nodes_around(row, collection)
    # with the relations that the filters tell apart
    edges, edge_relations = _edges_among(collection.graph, nodes)
    return Response(
        row,
        tuple(nodes.tolist()),
        edges,
        scores[nodes],
        int(predicted[row]),
        int(data.labels[row]),
        None if data.truth is None else data.truth[nodes],
        data.task,
        edge_relations,
    )


def _places(
    responses: np.ndarray,
    collection: GraphCollection,
    data: LabelledData,
    test: np.ndarray,
    labels: NodeLabels,
) -> tuple[Place, ...]:
    """The nodes of the test part that respond most to a filter, each of another graph."""
    roots = data.nodes_of(test)
    roots = roots[np.argsort(-responses[roots], kind="stable")]
    rows = data.graph_of[roots] if data.task == "graph" else roots
    first = np.sort(np.unique(rows, return_index=True)[1])[:_NUM_PLACES]
    places = []
    for row, root in zip(rows[first].tolist(), roots[first].tolist(), strict=True):
        nodes = _nodes_around(root, collection)
        places.append(
            Place(
                row,
                int(data.labels[row]),
                float(responses[root]),
                tuple(nodes.tolist()),
                *_edges_among(collection.graph, nodes),
                labels.of(nodes),
            )
        )
    return tuple(places)


def _edges_among(graph: CSRGraph, nodes: np.ndarray) -> tuple[Edges, tuple[int, ...]]:
    """Edges among some nodes as positions in ``nodes``, and their relations."""
    edges = edges_among(graph, nodes)
    return tuple((u, v) for u, v, _ in edges), tuple(r for *_, r in edges)


def _nodes_around(root: int, collection: GraphCollection) -> np.ndarray:
    """The nodes of the first subgraph of a node, itself first."""
    one = collection.subgraphs.select(torch.tensor([root]))
    nodes: np.ndarray = one.nodes[0, : int(one.num_nodes[0])].numpy().astype(np.int64)
    return nodes


def _agreement(scores: np.ndarray, data: LabelledData, test: np.ndarray) -> TruthAgreement | None:
    assert data.truth is not None
    best = scores.max(axis=1)  # [V]
    tested = data.nodes_of(test)
    # the AUC needs nodes of both kinds
    if data.truth[tested].all() or not data.truth[tested].any():
        return None
    inside = None
    if data.task == "graph":
        ends = data.graph.graph_ptr
        parts = [slice(ends[row], ends[row + 1]) for row in test if ends[row] < ends[row + 1]]
        inside = float(np.mean([data.truth[part][best[part].argmax()] for part in parts]))
    return TruthAgreement(float(roc_auc_score(data.truth[tested], best[tested])), inside)


def choose_rows(
    rows: Sequence[int] | None, predicted: np.ndarray, data: LabelledData, test: np.ndarray
) -> list[int]:
    """The given rows; by default the first correctly classified test row of each class.

    ``predicted`` holds a class for each row of the test part at least.
    """
    if rows is None:
        return _default_rows(predicted, data, test)
    sizes = np.diff(data.graph.graph_ptr)
    for row in rows:
        if not 0 <= row < len(data.labels):
            raise InputError(
                f"a {data.task} must be one of 0 to {len(data.labels) - 1}, got {row}."
            )
        if data.task == "graph" and not sizes[row]:
            raise InputError(f"graph {row} has no nodes, and nothing to be drawn.")
        if data.task == "graph" and sizes[row] > MOST_DRAWN_NODES:
            raise InputError(
                f"graph {row} has {sizes[row]} nodes; at most {MOST_DRAWN_NODES} can be drawn."
            )
    return list(rows)


def _default_rows(predicted: np.ndarray, data: LabelledData, test: np.ndarray) -> list[int]:
    """First correctly classified test row of each class that can be drawn; any, if none is."""
    sizes = np.diff(data.graph.graph_ptr)
    small = np.ones(len(test), bool)
    if data.task == "graph":
        small = (sizes[test] > 0) & (sizes[test] <= MOST_DRAWN_NODES)
    right = test[small & (predicted[test] == data.labels[test])]
    first = [right[data.labels[right] == label][:1] for label in range(data.num_classes)]
    rows = np.concatenate(first)
    return (rows if len(rows) else test[small][:1]).tolist()


def confusion_of(
    predicted: np.ndarray, data: LabelledData, test: np.ndarray
) -> tuple[tuple[int, ...], ...]:
    """Rows of the test part by class and predicted class."""
    confusion = confusion_matrix(
        data.labels[test], predicted[test], labels=np.arange(data.num_classes)
    )
    return tuple(tuple(row) for row in confusion.tolist())


@dataclass(frozen=True, eq=False)
class NodeLabels:
    """What labels are called, the most frequent first, and the label of each node.

    ``codes`` is int64 ``[V]``; without labels there are no names and no codes.
    """

    names: tuple[str, ...]
    codes: np.ndarray

    @classmethod
    def find(cls, graph: CSRGraph) -> NodeLabels:
        """The first group of columns of which each node has exactly one."""
        background = FeatureBackground.fit(graph)
        if not background.label_groups:
            return cls((), np.zeros(0, np.int64))
        values = graph.features[:, list(background.label_groups[0])]
        order = np.argsort(-values.sum(axis=0), kind="stable")
        names = background.label_names()
        return cls(tuple(names[i] for i in order), values[:, order].argmax(axis=1))

    def of(self, nodes: np.ndarray) -> tuple[int, ...]:
        """Numbers of the labels of some nodes; empty without labels."""
        return tuple(self.codes[nodes].tolist()) if self.names else ()

    def nearest(self, features: np.ndarray, seen: np.ndarray) -> tuple[int, ...]:
        """For each node of a filter the label whose nodes have the nearest mean features.

        ``features [M, D]`` are those of the filter, ``seen [V, D]`` those of the graph, as a filter
        sees them; empty without labels.
        """
        if not self.names:
            return ()
        known = np.unique(self.codes)
        means = np.stack([seen[self.codes == code].mean(axis=0) for code in known])
        return tuple(known[pairwise_distances_argmin(features, means)].tolist())


@dataclass(frozen=True)
class ComparedGraph:
    """A graph of the data set: its number, class and drawing.

    ``nodes`` are counted within the data set, none of a graph that is too large to be drawn, and
    ``edges`` are pairs of positions in ``nodes``; ``edge_relations`` and ``labels`` number those of
    the explanation. ``similarity`` is the kernel value with the graph that it is compared with, 1
    for a graph with itself.
    """

    row: int
    true: int
    similarity: float
    nodes: tuple[int, ...]
    edges: Edges
    edge_relations: tuple[int, ...]
    labels: tuple[int, ...]


@dataclass(frozen=True)
class Comparison:
    """A graph that was classified, and the training graphs that are most like it."""

    graph: ComparedGraph
    predicted: int
    similar: tuple[ComparedGraph, ...]
    task: str = "graph"

    @property
    def row(self) -> int:
        """The number of the graph."""
        return self.graph.row

    @property
    def true(self) -> int:
        """Its class."""
        return self.graph.true

    def reason(self, class_names: Sequence[str]) -> str:
        """What speaks for the prediction, in words."""
        nearest = self.similar[0]
        return (
            f"most like graph {nearest.row}, {class_names[nearest.true]}, with a kernel value of "
            f"{nearest.similarity:.3f}"
        )


@dataclass(frozen=True, eq=False)
class MachineExplanation:
    """What a kernel machine compares; fields as in :class:`Explanation`."""

    responses: list[Comparison]
    class_names: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]
    relations: tuple[tuple[str, bool], ...] = ((PLAIN, False),)
    labels: tuple[str, ...] = ()
    task: str = "graph"


def explain_machine(
    classifier: TrainedMachine, data: LabelledData, rows: Sequence[int] | None = None
) -> MachineExplanation:
    """Compare some graphs with those that a machine learnt from.

    ``data`` is what the machine was trained on; ``rows`` are the graphs to show: by default the
    first correctly classified of each class in the test part.
    """
    graphs, test = split_graphs(data.graph), classifier.split.test
    predicted = np.full(len(graphs), -1)
    predicted[test], _ = classifier.decide(as_csr([graphs[i] for i in test]))
    rows = choose_rows(rows, predicted, data, test)
    confusion = confusion_of(predicted, data, test)
    labels = NodeLabels.find(data.graph)
    responses = []
    if rows:
        chosen = as_csr([graphs[i] for i in rows])
        classes, _ = classifier.decide(chosen)
        kernel = classifier.machine.kernel_
        similarities = kernel.similarities(chosen.with_relations(classifier.relations))
        for row, predicted_class, values in zip(rows, classes, similarities, strict=True):
            # a training graph is not like itself alone
            order = [i for i in np.argsort(-values, kind="stable") if classifier.rows[i] != row]
            similar = tuple(
                _compared(int(classifier.rows[i]), float(values[i]), data, labels)
                for i in order[:_NUM_SIMILAR]
            )
            own = _compared(row, 1.0, data, labels)
            responses.append(Comparison(own, int(predicted_class), similar))
    return MachineExplanation(
        responses,
        classifier.class_names,
        confusion,
        tuple(data.graph.relations.kinds),
        labels.names,
    )


def _compared(row: int, similarity: float, data: LabelledData, labels: NodeLabels) -> ComparedGraph:
    nodes = np.arange(*data.graph.graph_ptr[row : row + 2])
    # what is too large for a drawing has none
    nodes = nodes if len(nodes) <= MOST_DRAWN_NODES else nodes[:0]
    return ComparedGraph(
        row,
        int(data.labels[row]),
        similarity,
        tuple(nodes.tolist()),
        *_edges_among(data.graph, nodes),
        labels.of(nodes),
    )
