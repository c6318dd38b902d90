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
from gomkcn_dgl.model import InputLayer, pool_nodes
from gomkcn_dgl.training.classifiers import TrainedMachine, TrainedNetwork
from gomkcn_dgl.training.labelled_data import LabelledData
from gomkcn_dgl.training.training_run import TrainedClassifier
from mining.categories import Categories
from mining.descriptions import describe_structure
from mining.filters.discrete_filters import discretize
from mining.graph_relations import edges_among
from mining.plots.filter_drawing import FeatureColors
from mining.plots.layout import DrawnGraph

# drawings of more nodes are unreadable
MOST_DRAWN_NODES = 400
# graphs that are shown beside one
_NUM_SIMILAR = 3
# less evidence than this is rounding
_LEAST_EVIDENCE = 1e-6


@dataclass(frozen=True, eq=False)
class LearntFilter:
    """A filter of the first layer.

    Attributes
    ----------
    structure : Structure
        Its edges with a weight above ½.
    name : str
        What it looks like.
    weights : numpy.ndarray
        float32 ``[M, M]``, or ``[M, M, C]`` for the channels of its relations: weights of edges.
    features : numpy.ndarray
        ``[M, D]`` in the units of the data.
    low, high : float
        The lowest and the highest response of a node of the test part: the ends of its scale.
    """

    structure: Structure
    name: str
    weights: np.ndarray
    features: np.ndarray
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Evidence:
    """How much each of F filters speaks for each of C classes, over the graphs of the test part.

    Attributes
    ----------
    weights : numpy.ndarray
        ``[C, F]``, the weights of the last layer, each less its mean over the classes, since what
        all classes have in common decides nothing.
    difference : numpy.ndarray
        ``[C, F]``, the mean of what the last layer reads of a filter in the graphs of the class,
        minus that in the graphs of the other classes.
    own, others : numpy.ndarray
        ``[C, F]``, mean response in the graphs of the class, and in those of the other classes.
    rest : dict of str to numpy.ndarray
        ``[C]``, evidence of what else the last layer reads, by name.
    """

    weights: np.ndarray
    difference: np.ndarray
    own: np.ndarray
    others: np.ndarray
    rest: dict[str, np.ndarray]

    @property
    def values(self) -> np.ndarray:
        """The evidence ``[C, F]``: weight times difference, in units of a logit.

        With ``rest`` it adds up to what sets a class apart: by how much its logit is larger in its
        graphs than in the others, measured from the mean logit of a graph.
        """
        return self.weights * self.difference

    @property
    def total(self) -> np.ndarray:
        """All evidence for each class, ``[C]``."""
        return self.values.sum(axis=1) + sum(self.rest.values())

    def speaker(self, label: int) -> int | None:
        """The filter that speaks for a class: of those that respond to it, that of most evidence.

        Where none responds more in the graphs of the class, it is the one whose absence speaks
        for it; None where none speaks for it at all.
        """
        values = self.values[label]
        speaks = values > _LEAST_EVIDENCE
        present = speaks & (self.own[label] > self.others[label])
        if not speaks.any():
            return None
        return int(np.where(present if present.any() else speaks, values, -np.inf).argmax())

    def is_absent(self, label: int, number: int) -> bool:
        """Whether a filter responds less in the graphs of a class than in others."""
        return bool(self.own[label, number] < self.others[label, number])


def weigh_filters(
    weights: np.ndarray,
    read: np.ndarray,
    labels: np.ndarray,
    responses: np.ndarray | None = None,
    rest: dict[str, tuple[np.ndarray, np.ndarray]] | None = None,
) -> Evidence:
    """Say how much each filter speaks for each class.

    A logit is a sum over filters of weight times what is read of the filter. So a filter speaks for
    a class by as much as it raises the logit in the graphs of the class above that in the others:
    ``evidence[c, f] = (w[c, f] - mean(w[:, f])) * (mean of r[g, f] for g in c - for g not in c)``.
    The raw mean of responses does not say that. A filter that responds to everything has the
    highest mean in each class, and tells none apart.

    Parameters
    ----------
    weights : numpy.ndarray
        ``[C, F]`` of the last layer.
    read : numpy.ndarray
        ``[G, F]``, what that layer reads of each graph: pooled responses after the batch norm.
    labels : numpy.ndarray
        int64 ``[G]``, the class of each graph.
    responses : numpy.ndarray, optional
        ``[G, F]``, pooled responses as the filters give them; ``read`` when left out.
    rest : dict, optional
        Weights ``[C, K]`` and what they read, ``[G, K]``, of other parts of the network, by name.

    Returns
    -------
    Evidence
        NaN for a class without graphs, or with all of them.

    Examples
    --------
    The first filter responds to both classes, and a little more to the first; the second one tells
    them apart.

    >>> read = np.array([[0.9, 0.5], [0.9, 0.4], [0.8, 0.1], [0.8, 0.2]])
    >>> weights = np.array([[0.5, 2.0], [-0.5, -2.0]])
    >>> evidence = weigh_filters(weights, read, np.array([0, 0, 1, 1]))
    >>> evidence.values.round(2).tolist()
    [[0.05, 0.6], [0.05, 0.6]]
    >>> int(evidence.own[0].argmax()), evidence.speaker(0)
    (0, 1)
    """
    responses = read if responses is None else responses
    inside = labels == np.arange(len(weights))[:, None]  # [C, G]
    own, others = _class_means(responses, inside)
    return Evidence(
        weights - weights.mean(axis=0),
        np.subtract(*_class_means(read, inside)),
        own,
        others,
        {
            name: ((w - w.mean(axis=0)) * np.subtract(*_class_means(r, inside))).sum(axis=1)
            for name, (w, r) in (rest or {}).items()
        },
    )


def _class_means(values: np.ndarray, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean of ``values [G, F]`` over the graphs of each class and over the others, ``[C, F]``."""
    means = []
    for rows in (inside, ~inside):
        sizes = rows.sum(axis=1, keepdims=True).astype(float)
        sizes[sizes == 0] = np.nan
        means.append(rows.astype(float) @ values / sizes)
    return means[0], means[1]


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

    ``features [V, D]`` are those of its nodes, and ``ringed`` the nodes that the data mark, such as
    those of a planted motif. Of a network ``scores [V, F]`` are the responses of its nodes to each
    filter; of a kernel machine ``similar`` are the training graphs most like it. There is no
    ``graph`` where it is too large to be drawn.
    """

    row: int
    true: int
    predicted: int
    graph: DrawnGraph | None
    features: np.ndarray
    ringed: tuple[int, ...] = ()
    scores: np.ndarray | None = None
    similar: tuple[Similar, ...] = ()


@dataclass(frozen=True, eq=False)
class Explanation:
    """What a classifier learnt; filters and evidence are those of a network.

    ``confusion[i, j]`` are the graphs of the test part of class i, predicted as class j. ``colors``
    show features of nodes. ``pooling`` is how responses are read out. ``pointed`` has for each
    class the test graphs in which the highest response to the filter that speaks for it is at a
    marked node, and the test graphs with marked nodes; empty where no nodes are marked.
    """

    decisions: list[Decision]
    class_names: tuple[str, ...]
    confusion: np.ndarray
    colors: FeatureColors
    filters: tuple[LearntFilter, ...] = ()
    evidence: Evidence | None = None
    pooling: str = ""
    mixes_features: bool = False
    pointed: tuple[tuple[int, int], ...] = ()

    def reason(self, decision: Decision) -> str:
        """What speaks for the prediction, in words."""
        name = self.class_names[decision.predicted]
        if decision.scores is None:
            nearest = decision.similar[0]
            return (
                f"most like graph {nearest.row}, {self.class_names[nearest.true]}, with a kernel "
                f"value of {nearest.similarity:.3f}"
            )
        assert self.evidence is not None
        number = self.evidence.speaker(decision.predicted)
        if number is None:
            return f"no filter speaks for {name}"
        highest = decision.scores[:, number].max(initial=0.0)
        how = "the absence of " if self.evidence.is_absent(decision.predicted, number) else ""
        return f"{how}filter {number} speaks for {name}; its highest response here is {highest:.3f}"


def explain_classifier(
    classifier: TrainedClassifier,
    data: LabelledData,
    rows: Sequence[int] | None = None,
    marked: np.ndarray | None = None,
) -> Explanation:
    """Explain the classes that a trained network or machine gives to some graphs.

    Parameters
    ----------
    classifier : TrainedNetwork or TrainedMachine
        A network's filters are explained by :func:`weigh_filters`.
    data : LabelledData
        What the classifier was trained on.
    rows : sequence of int, optional
        The graphs to show; by default of each class the first of the test part that is predicted
        rightly, or the first where none is.
    marked : numpy.ndarray, optional
        bool ``[V]``, nodes that are ringed, such as those of planted motifs.

    Returns
    -------
    Explanation

    Raises
    ------
    InputError
        For a graph that is not there, or too large to be drawn.
    """
    test = classifier.split.test
    found = Categories.find(data.graph.stored_features, data.graph.feature_names)
    labels = Categories(found.groups[:1])
    colors = FeatureColors.find(data.graph.stored_features, data.graph.feature_names, found)
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
    seen = as_csr([graphs[row] for row in asked])
    predicted[asked], _ = classifier.decide(seen)
    if rows is None:
        rows = _first_of_classes(test, data.labels, predicted, can_be_drawn)
    # 2. what speaks for them
    graph = data.graph
    known: dict[str, Any] = {}
    if isinstance(classifier, TrainedNetwork):
        graph = graph.with_relations(classifier.relations)
        responses = _respond(classifier, seen, np.isin(asked, test), data.labels[asked], labels)
        known = {
            "filters": responses.filters,
            "evidence": responses.evidence,
            "pooling": classifier.model.pooling,
            "mixes_features": isinstance(classifier.model.input, InputLayer),
        }
        parts = dict(zip(asked.tolist(), responses.by_graph, strict=True))
        reasons: list[dict[str, Any]] = [{"scores": parts[row]} for row in rows]
        if marked is not None:
            known["pointed"] = _point(responses.evidence, parts, test, data, marked)
    else:
        reasons = [{"similar": one} for one in _compare(classifier, data, rows, labels)]
    decisions = []
    for row, reason in zip(rows, reasons, strict=True):
        nodes = slice(*graph.graph_ptr[row : row + 2])
        ringed = () if marked is None else tuple(np.flatnonzero(marked[nodes]).tolist())
        decisions.append(
            Decision(
                row,
                int(data.labels[row]),
                int(predicted[row]),
                _drawn(graph, row, labels),
                graph.features[nodes],
                ringed,
                **reason,
            )
        )
    confusion = confusion_matrix(
        data.labels[test], predicted[test], labels=np.arange(data.num_classes)
    )
    return Explanation(decisions, classifier.class_names, confusion, colors, **known)


def _first_of_classes(
    test: np.ndarray, labels: np.ndarray, predicted: np.ndarray, can_be_drawn: np.ndarray
) -> list[int]:
    """Of each class in the test part the first graph that is drawn and right, or else the first."""
    rows = []
    for label in np.unique(labels[test]):
        own = test[labels[test] == label]
        good = can_be_drawn[own].astype(int) * 2 + (predicted[own] == label)
        rows.append(int(own[good.argmax()]))
    return rows


@dataclass(frozen=True, eq=False)
class _Responses:
    """Filters with their evidence, and the responses ``[V, F]`` of the nodes of each graph."""

    filters: tuple[LearntFilter, ...]
    evidence: Evidence
    by_graph: list[np.ndarray]


@torch.no_grad()
def _respond(
    classifier: TrainedNetwork,
    graph: CSRGraph,
    is_test: np.ndarray,
    classes: np.ndarray,
    labels: Categories,
) -> _Responses:
    """The filters of the first layer, their evidence, and the responses of the nodes of graphs.

    Evidence is over the graphs that are of the test part.
    """
    # 1. responses of all nodes, with their features as filters see them
    model = classifier.model.eval()
    conv, batch = model.first_conv, classifier.collection(graph).whole()
    hidden = model.input(batch.feat)
    scores = conv(batch.subgraphs, hidden).numpy()
    by_graph = np.split(scores, graph.graph_ptr[1:-1])
    # 2. what the last layer reads of each graph, level by level
    assert model.pooling is not None
    read = [
        pool_nodes(level, batch.graph_sizes, model.pooling).double().numpy()[is_test]
        for level in model.levels(batch.subgraphs, batch.feat)
    ]
    heads = [_weights_of(head) for head in model.heads]
    # the highest normed response is that of the lowest one where batch norm has a negative factor
    sign = np.where(model.norms[0].weight.numpy() < 0, -1, 1) if model.pooling == "max" else 1
    pooled = sign * pool_nodes(
        torch.from_numpy(sign * scores).double(), batch.graph_sizes, model.pooling
    ).numpy()
    rest = {}
    if model.read_input:
        rest["node features"] = heads[0], read[0]
    if len(heads) > 2:
        rest["filters of later layers"] = np.hstack(heads[2:]), np.hstack(read[2:])
    evidence = weigh_filters(heads[1], read[1], classes[is_test], pooled[is_test], rest)
    # 3. what the filters are
    of_test = np.repeat(is_test, np.diff(graph.graph_ptr))
    shown = scores[of_test] if of_test.any() else scores
    discrete, names = discretize(conv.filters), graph.feature_names
    filters = []
    for number, size in enumerate(discrete.num_nodes):
        own = discrete.feat[number, :size].numpy()
        features = _in_units_of_data(classifier, own, hidden.numpy(), graph.features)
        kinds = labels.names_of(labels.colors(features) if labels else None, names)
        structure = discrete.structure(number, conv.relations, kinds)
        filters.append(
            LearntFilter(
                structure,
                describe_structure(structure, names),
                discrete.weights[number, :size, :size].numpy(),
                features,
                float(shown[:, number].min(initial=np.inf)),
                float(shown[:, number].max(initial=-np.inf)),
            )
        )
    return _Responses(tuple(filters), evidence, by_graph)


def _weights_of(head: torch.nn.Module) -> np.ndarray:
    """The weights ``[C, W]`` of what a level adds to the logits."""
    # a level that is not read has none
    if not isinstance(head, torch.nn.Linear):
        return np.empty((0, 0))
    return head.weight.double().numpy()


def _in_units_of_data(
    classifier: TrainedNetwork, own: np.ndarray, seen: np.ndarray, features: np.ndarray
) -> np.ndarray:
    """Features ``[M, D]`` of the nodes of a filter in the units of the data.

    Where an input layer mixes features, they are those of the node of the graphs, ``features
    [V, D]``, that the filters see, as ``seen [V, H]``, closest to the filter's node, ``own [M, H]``.
    """
    if isinstance(classifier.model.input, InputLayer):
        return features[pairwise_distances_argmin(own, seen)]
    return own * classifier.spread + classifier.offset


def _point(
    evidence: Evidence,
    scores: dict[int, np.ndarray],
    test: np.ndarray,
    data: LabelledData,
    marked: np.ndarray,
) -> tuple[tuple[int, int], ...]:
    """Of each class: test graphs whose highest response to its filter is at a marked node, of all.

    A response that is as high elsewhere counts as elsewhere.
    """
    counts = []
    for label in range(data.num_classes):
        number, inside, size = evidence.speaker(label), 0, 0
        for row in test[data.labels[test] == label].tolist():
            own = marked[slice(*data.graph.graph_ptr[row : row + 2])]
            if number is None or not own.any():
                continue
            response = scores[row][:, number]
            size += 1
            inside += bool(response[own].max() > response[~own].max(initial=-np.inf))
        counts.append((inside, size))
    return tuple(counts)


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
