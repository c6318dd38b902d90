"""What a trained classifier responds to: filters of a network, or the graphs most like a graph."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.metrics import confusion_matrix, pairwise_distances_argmin

from gomkcn.mining.filters.discrete_filters import discretize
from gomkcn.mining.plots.filter_drawing import FeatureColors
from gomkcn.mining.plots.layout import DrawnGraph
from gomkcn.mining.plots.molecule_drawing import as_molecule
from gomkcn.mining.structures.categories import Categories
from gomkcn.mining.structures.descriptions import describe_structure
from gomkcn.mining.structures.graph_relations import edges_among
from gomkcn_dgl._torch import Tensor, torch
from gomkcn_dgl.csr import CSRGraph, csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.model import InputLayer, pool_nodes
from gomkcn_dgl.relations import edge_channels
from gomkcn_dgl.subgraphs import extract_subgraphs
from gomkcn_dgl.training.classifiers import TrainedMachine, TrainedNetwork, take_graphs
from gomkcn_dgl.training.labelled_data import LabelledData
from gomkcn_dgl.training.training_run import TrainedClassifier

# drawings of more nodes are unreadable
MOST_DRAWN_NODES = 400
# nodes that are drawn around one that is classified
_MOST_AROUND = 40
# graphs that are shown beside one
_NUM_SIMILAR = 3
# a probability is at least this far from 0 and 1, so that its odds are finite
_LEAST_SCORE = 1e-6
# a smaller contribution is rounding
_LEAST_CONTRIBUTION = 1e-6


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
class Contributions:
    """What each of F filters contributes to each of C classes, over the graphs of the test part.

    Attributes
    ----------
    weights : numpy.ndarray
        ``[C, F]``, the weights of the last layer, each less its mean over the classes, since what
        all classes have in common decides nothing.
    difference : numpy.ndarray
        ``[C, F]``, the mean of what the last layer reads of a filter in the graphs of the class,
        minus that in the graphs of the other classes.
    of_class, of_others : numpy.ndarray
        ``[C, F]``, mean response in the graphs of the class, and in those of the other classes.
    rest : dict of str to numpy.ndarray
        ``[C]``, contributions of what else the last layer reads, by name.
    """

    weights: np.ndarray
    difference: np.ndarray
    of_class: np.ndarray
    of_others: np.ndarray
    rest: dict[str, np.ndarray]

    @property
    def values(self) -> np.ndarray:
        """The contributions ``[C, F]``: weight times difference, in units of a logit.

        With ``rest`` it adds up to what sets a class apart: by how much its logit is larger in its
        graphs than in the others, measured from the mean logit of a graph.
        """
        return self.weights * self.difference

    @property
    def total(self) -> np.ndarray:
        """All contributions to each class, ``[C]``."""
        return self.values.sum(axis=1) + sum(self.rest.values())

    def speaker(self, label: int) -> int | None:
        """The filter that speaks for a class: the largest contribution of those that respond to it.

        Where none responds more in the graphs of the class, it is the one whose absence speaks
        for it; None where none speaks for it at all.
        """
        values = self.values[label]
        speaks = values > _LEAST_CONTRIBUTION
        present = speaks & (self.of_class[label] > self.of_others[label])
        if not speaks.any():
            return None
        return int(np.where(present if present.any() else speaks, values, -np.inf).argmax())

    def is_absent(self, label: int, number: int) -> bool:
        """Whether a filter responds less in the graphs of a class than in others."""
        return bool(self.of_class[label, number] < self.of_others[label, number])


def weigh_filters(
    weights: np.ndarray,
    read: np.ndarray,
    labels: np.ndarray,
    responses: np.ndarray | None = None,
    rest: dict[str, tuple[np.ndarray, np.ndarray]] | None = None,
) -> Contributions:
    """Say how much each filter speaks for each class.

    A logit is a sum over filters of weight times what is read of the filter. So a filter speaks for
    a class by as much as it raises the logit in the graphs of the class above that in the others:
    ``(w[c, f] - mean(w[:, f])) * (mean of r[g, f] for g in c - for g not in c)``.
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
    Contributions
        NaN for a class without graphs, or with all of them.

    Examples
    --------
    The first filter responds to both classes, and a little more to the first; the second one tells
    them apart.

    >>> read = np.array([[0.9, 0.5], [0.9, 0.4], [0.8, 0.1], [0.8, 0.2]])
    >>> weights = np.array([[0.5, 2.0], [-0.5, -2.0]])
    >>> contributions = weigh_filters(weights, read, np.array([0, 0, 1, 1]))
    >>> contributions.values.round(2).tolist()
    [[0.05, 0.6], [0.05, 0.6]]
    >>> int(contributions.of_class[0].argmax()), contributions.speaker(0)
    (0, 1)
    """
    responses = read if responses is None else responses
    inside = labels == np.arange(len(weights))[:, None]  # [C, G]
    of_class, of_others = _class_means(responses, inside)
    return Contributions(
        weights - weights.mean(axis=0),
        np.subtract(*_class_means(read, inside)),
        of_class,
        of_others,
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
    """A training graph that a graph is like: its row, name, class and kernel value.

    There is no ``graph`` where it is too large to be drawn.
    """

    row: int
    name: str
    true: int
    similarity: float
    graph: DrawnGraph | None


@dataclass(frozen=True, eq=False)
class Decision:
    """A graph, or a node, that was classified, and why.

    Attributes
    ----------
    row : int
        Its number.
    name : str
        What it is called: the name of a graph, or "graph 3", or "node" with its name in the data.
    true, predicted : int
        Its classes.
    label : int
        The class that is explained by it: the predicted one, or that which it stands for.
    graph : DrawnGraph or None
        The graph, or the neighbourhood of the node; None where it is too large to be drawn.
    features : numpy.ndarray
        ``[V, D]`` of the nodes that are drawn.
    ringed : tuple of int
        Nodes that the data mark, such as those of a planted motif, or the one that is classified.
    scores : numpy.ndarray or None
        ``[V, F]``, responses of the nodes to each filter of a network.
    similar : tuple of Similar
        Of a kernel machine the training graphs that are most like it.
    contributions : numpy.ndarray or None
        float64 ``[V]`` of the atoms of a molecule, by :func:`node_contributions`.
    part : str
        Of which part of the data it is, in words, such as "of the test part".
    """

    row: int
    name: str
    true: int
    predicted: int
    label: int
    graph: DrawnGraph | None
    features: np.ndarray
    ringed: tuple[int, ...] = ()
    scores: np.ndarray | None = None
    similar: tuple[Similar, ...] = ()
    contributions: np.ndarray | None = None
    part: str = ""


@dataclass(frozen=True, eq=False)
class Explanation:
    """What a classifier learnt.

    Attributes
    ----------
    decisions : list of Decision
        Of some graphs or nodes.
    class_names : tuple of str
        Names of the C classes.
    confusion : numpy.ndarray
        int64 ``[C, C]``, members of the test part of class i that are predicted as class j.
    colors : FeatureColors
        How features of nodes are shown.
    of_nodes : bool
        Whether nodes are classified, in place of graphs.
    filters : tuple of LearntFilter
        Of a network; empty for a kernel machine.
    contributions : Contributions or None
        How much each filter speaks for each class.
    pooling : str or None
        How responses of the nodes of a graph are read out; None for nodes.
    mixes_features : bool
        Whether an input layer makes other features of those of the data.
    pointed : tuple of tuple of int
        Of each class the test graphs in which the highest response to the filter that speaks for it
        is at a marked node, and the test graphs with marked nodes; empty where none are marked.
    """

    decisions: list[Decision]
    class_names: tuple[str, ...]
    confusion: np.ndarray
    colors: FeatureColors
    of_nodes: bool = False
    filters: tuple[LearntFilter, ...] = ()
    contributions: Contributions | None = None
    pooling: str | None = None
    mixes_features: bool = False
    pointed: tuple[tuple[int, int], ...] = ()

    def reason(self, decision: Decision) -> str:
        """What speaks for the prediction, in words."""
        name = self.class_names[decision.label]
        if decision.scores is None:
            nearest = decision.similar[0]
            return (
                f"most like {nearest.name} of class {self.class_names[nearest.true]}, with a "
                f"kernel value of {nearest.similarity:.3f}"
            )
        assert self.contributions is not None
        number = self.contributions.speaker(decision.label)
        if number is None:
            return f"no filter speaks for {name}"
        how = "the absence of " if self.contributions.is_absent(decision.label, number) else ""
        response = decision.scores[:, number]
        what = "its response" if self.of_nodes else "its highest response"
        value = response[0] if self.of_nodes else response.max()
        return f"{how}filter {number} speaks for {name}; {what} here is {value:.3f}"

    def rings_are(self, decision: Decision, number: int) -> bool:
        """Whether the ringed nodes, with the edges among them, are the structure of a filter."""
        structure = self.filters[number].structure
        graph = decision.graph
        if graph is None or len(decision.ringed) != structure.num_nodes:
            return False
        place = {node: at for at, node in enumerate(decision.ringed)}
        rows = [
            (place[u], place[v], relation)
            for (u, v), relation in zip(graph.edges, graph.edge_relations, strict=True)
            if u in place and v in place
        ]
        channels = edge_channels(
            len(place), [row[:2] for row in rows], [row[2] for row in rows], graph.relations
        )
        kinds = [graph.categories[node] for node in decision.ringed] if graph.categories else ()
        # those in pieces are no structure
        with contextlib.suppress(InputError):
            return (
                Structure.of_channels(channels, graph.relations, tuple(kinds)).key == structure.key
            )
        return False


def explain_classifier(
    classifier: TrainedClassifier,
    data: LabelledData,
    rows: Sequence[int | str] | None = None,
    marked: np.ndarray | None = None,
) -> Explanation:
    """Explain the classes that a trained network or machine gives to some graphs or nodes.

    Parameters
    ----------
    classifier : TrainedNetwork or TrainedMachine
        A network's filters are explained by :func:`weigh_filters`.
    data : LabelledData
        What the classifier was trained on.
    rows : sequence of int or str, optional
        Numbers of the graphs or nodes to show, or names of graphs; by default of each class the
        first of the test part that is predicted rightly, or the first where none is.
    marked : numpy.ndarray, optional
        bool ``[V]``, nodes of graphs that are ringed, such as those of planted motifs. Where nodes
        are classified, that one is ringed.

    Returns
    -------
    Explanation
        With the contributions over the test part.

    Raises
    ------
    InputError
        For a graph or a node that is not there, and for a graph that is too large to be drawn.
    """
    graph = data.graph
    test = classifier.split.test
    found = Categories.find(graph.stored_features, graph.feature_names)
    labels = Categories(found.groups[:1])
    # 1. the class of each member of the test part, and of those that are shown
    sizes = np.ones(graph.num_nodes, np.int64) if data.of_nodes else np.diff(graph.graph_ptr)
    can_be_drawn = (sizes > 0) & (sizes <= MOST_DRAWN_NODES)
    kind = "node" if data.of_nodes else "graph"
    numbers = None if rows is None else [_number_of(row, data, kind) for row in rows]
    _check_rows(numbers or (), sizes, data.labels, kind)
    members, seen = _members_of(data, test, numbers or ())
    predicted = np.full(len(sizes), -1)
    predicted[members], _ = classifier.decide(seen)
    # by itself a class is explained, and a graph by the class that it is given
    explained = predicted if numbers is not None else data.labels
    if numbers is None:
        numbers = _first_of_classes(test, data.labels, predicted, can_be_drawn)
    # 2. the nodes that are drawn of each
    graph = graph.with_relations(classifier.relations)
    shown = [_nodes_of(classifier, graph, row) for row in numbers]
    # 3. what speaks for them
    known: dict[str, Any] = {}
    if isinstance(classifier, TrainedNetwork):
        known, scores = _explain_network(classifier, data, members, seen, labels, marked)
        reasons: list[dict[str, Any]] = [{"scores": scores[nodes]} for nodes in shown]
    else:
        reasons = [{"similar": similar} for similar in _compare(classifier, data, numbers, labels)]
    # of molecules what each atom contributes to the class that is explained
    drawn = [_drawn(graph, nodes, labels) for nodes in shown]
    # where all bonds are alike, the classifier's relation has no longer the name of a bond
    molecules = [_drawn(data.graph, nodes, labels) for nodes in shown]
    if not data.of_nodes and any(one and as_molecule(one) is not None for one in molecules):
        drawn = molecules
        whole = take_graphs(data.graph, np.array(numbers))
        contributed = node_contributions(classifier, whole, explained[numbers])
        for reason, values in zip(reasons, contributed, strict=True):
            reason["contributions"] = values
    decisions = []
    for row, nodes, picture, reason in zip(numbers, shown, drawn, reasons, strict=True):
        rings = nodes == row if data.of_nodes else np.zeros(0) if marked is None else marked[nodes]
        decisions.append(
            Decision(
                row,
                _title_of(row, data),
                int(data.labels[row]),
                int(predicted[row]),
                int(explained[row]),
                picture,
                graph.features[nodes],
                tuple(np.flatnonzero(rings).tolist()),
                part=_part_of(row, classifier),
                **reason,
            )
        )
    confusion = confusion_matrix(
        data.labels[test], predicted[test], labels=np.arange(data.num_classes)
    )
    colors = FeatureColors.find(graph.stored_features, graph.feature_names, found)
    return Explanation(decisions, classifier.class_names, confusion, colors, data.of_nodes, **known)


def _number_of(row: int | str, data: LabelledData, kind: str) -> int:
    """The number of a graph that is named, or of what has a number."""
    text = str(row)
    if text.isdecimal():
        return int(text)
    names = [] if data.graph.graph_names is None else data.graph.graph_names.tolist()
    if data.of_nodes or text not in names:
        or_name = "" if data.of_nodes else ", or the name of a graph"
        raise InputError(f"a {kind} must be a number{or_name}, got {text!r}.")
    return names.index(text)


def _part_of(row: int, classifier: TrainedClassifier) -> str:
    """Of which part of the data a graph or a node is, in words."""
    split = classifier.split
    if row in split.test:
        return "of the test part"
    # a machine chooses its settings by cross-validation in both parts, and learns from both
    if row in split.train or (isinstance(classifier, TrainedMachine) and row in split.val):
        return "learnt from"
    return "of the validation part" if row in split.val else "of no part"


def _title_of(row: int, data: LabelledData) -> str:
    """What a graph or a node is called."""
    if data.of_nodes:
        return f"node {data.graph.original_ids(np.array([row]))[0]}"
    return data.graph.called(row)


def _members_of(
    data: LabelledData, test: np.ndarray, numbers: Sequence[int]
) -> tuple[np.ndarray, CSRGraph]:
    """What is to be predicted: the test part and what is shown, as graphs, or all nodes."""
    if data.of_nodes:
        return np.arange(data.graph.num_nodes), data.graph
    members = np.union1d(test, np.array(numbers, np.int64))
    graphs = list(data.graph)
    return members, as_csr([graphs[row] for row in members])


def _explain_network(
    classifier: TrainedNetwork,
    data: LabelledData,
    members: np.ndarray,
    seen: CSRGraph,
    labels: Categories,
    marked: np.ndarray | None,
) -> tuple[dict[str, Any], np.ndarray]:
    """What an explanation holds of a network, and the responses ``[V, F]`` of all nodes.

    NaN stands for the nodes of graphs that are not among the ``members``, which are ``seen``.
    """
    test = classifier.split.test
    responses = _respond(classifier, seen, np.isin(members, test), data.labels[members], labels)
    known: dict[str, Any] = {
        "filters": responses.filters,
        "contributions": responses.contributions,
        "pooling": classifier.model.pooling,
        "mixes_features": isinstance(classifier.model.input, InputLayer),
    }
    scores = responses.scores
    if not data.of_nodes:
        owner = data.graph.graph_of(np.arange(data.graph.num_nodes))
        scores = np.full((len(owner), scores.shape[1]), np.nan, np.float32)
        scores[np.isin(owner, members)] = responses.scores
        if marked is not None:
            known["pointed"] = count_pointed(responses.contributions, scores, test, data, marked)
    return known, scores


def _check_rows(rows: Sequence[int], sizes: np.ndarray, labels: np.ndarray, kind: str) -> None:
    """Refuse what is not there, or has no class, and graphs that cannot be drawn."""
    for row in rows:
        if not 0 <= row < len(sizes):
            raise InputError(f"a {kind} must be one of 0 to {len(sizes) - 1}, got {row}.")
        if labels[row] < 0:
            raise InputError(f"{kind} {row} has no class that a prediction can be compared with.")
        if not 0 < sizes[row] <= MOST_DRAWN_NODES:
            raise InputError(
                f"graph {row} has {sizes[row]} nodes; 1 to {MOST_DRAWN_NODES} can be drawn."
            )


def _first_of_classes(
    test: np.ndarray, labels: np.ndarray, predicted: np.ndarray, can_be_drawn: np.ndarray
) -> list[int]:
    """Of each class the first test graph or node that is drawn and right, or else the first."""
    rows = []
    for label in np.unique(labels[test]):
        members = test[labels[test] == label]
        good = can_be_drawn[members].astype(int) * 2 + (predicted[members] == label)
        rows.append(int(members[good.argmax()]))
    return rows


def _nodes_of(classifier: TrainedClassifier, graph: CSRGraph, row: int) -> np.ndarray:
    """The nodes of a graph; or a node that is classified, first, and its neighbourhood."""
    if not classifier.settings.data.nodes:
        return np.arange(*graph.graph_ptr[row : row + 2])
    assert isinstance(classifier, TrainedNetwork)
    trained = classifier.model.first_conv.settings
    settings = replace(trained, max_nodes=max(trained.max_nodes, _MOST_AROUND))
    nodes = extract_subgraphs(graph, settings, np.array([row])).nodes[0]
    return nodes[nodes >= 0].astype(np.int64)


@dataclass(frozen=True, eq=False)
class _Responses:
    """Filters with their contributions, and the responses ``[V, F]`` of the nodes."""

    filters: tuple[LearntFilter, ...]
    contributions: Contributions
    scores: np.ndarray


@torch.no_grad()
def _respond(
    classifier: TrainedNetwork,
    graph: CSRGraph,
    is_test: np.ndarray,
    classes: np.ndarray,
    labels: Categories,
) -> _Responses:
    """The filters of the first layer, their contributions, and the responses of all nodes.

    ``classes`` are those of the graphs or nodes, and contributions are over those of the test part.
    """
    # 1. responses of all nodes, with their features as filters see them
    model = classifier.model.eval()
    conv = model.first_conv
    batch = classifier.collection(graph).whole()
    hidden = model.input(batch.feat)
    responses = conv(batch.subgraphs, hidden)
    scores = responses.cpu().numpy()

    # 2. what the last layer reads, level by level
    def read(level: Tensor) -> np.ndarray:
        level = level.double()
        if model.pooling is not None:
            level = pool_nodes(level, batch.graph_sizes, model.pooling)
        return level.cpu().numpy()[is_test]

    levels = [read(level) for level in model.levels(batch.subgraphs, batch.feat)]
    heads = [_weights_of(head) for head in model.heads]
    # the highest normed response is that of the lowest one where batch norm has a negative factor
    norm = model.norms[0]
    assert isinstance(norm, torch.nn.BatchNorm1d)
    sign = torch.where(norm.weight < 0, -1, 1) if model.pooling == "max" else 1
    pooled = read(responses * sign) * np.asarray(torch.as_tensor(sign).cpu())
    rest = {}
    if model.read_input:
        rest["node features"] = heads[0], levels[0]
    if len(heads) > 2:
        rest["filters of later layers"] = np.hstack(heads[2:]), np.hstack(levels[2:])
    contributions = weigh_filters(heads[1], levels[1], classes[is_test], pooled, rest)
    # 3. what the filters are
    sizes = 1 if model.pooling is None else np.diff(graph.graph_ptr)
    of_test = scores[np.repeat(is_test, sizes)]
    discrete = discretize(conv.filters)
    names = graph.feature_names
    filters = []
    for number, size in enumerate(discrete.num_nodes):
        hidden_nodes = discrete.feat[number, :size]
        features = _in_units_of_data(classifier, hidden_nodes, hidden.cpu().numpy(), graph.features)
        kinds = labels.names_of(labels.colors(features) if labels else None, names)
        structure = discrete.structure(number, conv.relations, kinds)
        filters.append(
            LearntFilter(
                structure,
                describe_structure(structure, names),
                discrete.weights[number, :size, :size],
                features,
                float(of_test[:, number].min()),
                float(of_test[:, number].max()),
            )
        )
    return _Responses(tuple(filters), contributions, scores)


def _weights_of(head: torch.nn.Module) -> np.ndarray:
    """The weights ``[C, W]`` of what a level adds to the logits."""
    # a level that is not read has none
    if not isinstance(head, torch.nn.Linear):
        return np.empty((0, 0))
    return head.weight.double().cpu().numpy()


def _in_units_of_data(
    classifier: TrainedNetwork, nodes: np.ndarray, seen: np.ndarray, features: np.ndarray
) -> np.ndarray:
    """Features ``[M, D]`` of the nodes of a filter in the units of the data.

    Where an input layer mixes features, they are those of the node of the graphs that is closest
    to the filter's node: filters see nodes of ``features [V, D]`` as ``seen [V, H]``, and the nodes
    of the filter are ``nodes [M, H]``.
    """
    if isinstance(classifier.model.input, InputLayer):
        return features[pairwise_distances_argmin(nodes, seen)]
    return classifier.scaling.restore(nodes)


def count_pointed(
    contributions: Contributions,
    scores: np.ndarray,
    test: np.ndarray,
    data: LabelledData,
    marked: np.ndarray,
) -> tuple[tuple[int, int], ...]:
    """Of each class: test graphs whose highest response to its filter is at a marked node, of all.

    ``scores [V, F]`` are responses, and ``marked`` bool ``[V]`` the nodes. A response that is as
    high elsewhere counts as elsewhere.
    """
    counts = []
    for label in range(data.num_classes):
        number = contributions.speaker(label)
        inside = 0
        size = 0
        for row in test[data.labels[test] == label].tolist():
            nodes = slice(*data.graph.graph_ptr[row : row + 2])
            is_marked = marked[nodes]
            if number is None or not is_marked.any():
                continue
            response = scores[nodes, number]
            size += 1
            inside += bool(response[is_marked].max() > response[~is_marked].max(initial=-np.inf))
        counts.append((inside, size))
    return tuple(counts)


def _compare(
    classifier: TrainedMachine, data: LabelledData, rows: Sequence[int], labels: Categories
) -> list[tuple[Similar, ...]]:
    """The graphs that a machine learnt from that are most like each of some graphs."""
    if not rows:
        return []
    graphs = list(data.graph)
    chosen = as_csr([graphs[row] for row in rows]).with_relations(classifier.relations)
    found = []
    compared = classifier.compared_graphs
    for row, values in zip(rows, classifier.machine.kernel_.similarities(chosen), strict=True):
        # a training graph is not like itself alone
        order = [i for i in np.argsort(-values, kind="stable") if compared[i] != row]
        similar = []
        for i in order[:_NUM_SIMILAR]:
            other = int(compared[i])
            drawn = _drawn(data.graph, np.arange(*data.graph.graph_ptr[other : other + 2]), labels)
            label, value = int(data.labels[other]), float(values[i])
            similar.append(Similar(other, data.graph.called(other), label, value, drawn))
        found.append(tuple(similar))
    return found


def _drawn(graph: CSRGraph, nodes: np.ndarray, labels: Categories) -> DrawnGraph | None:
    """Some nodes with the edges among them; None if they are too many, or none."""
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
        () if graph.atoms is None else tuple(map(tuple, graph.atoms[nodes].tolist())),
    )


def node_contributions(
    classifier: TrainedClassifier, graph: CSRGraph, classes: np.ndarray
) -> list[np.ndarray]:
    """What each node of some graphs contributes to a class.

    It is the log odds of the class less those of the graph without the node and its edges. So it is
    positive for a node that speaks for the class, and contributions of several nodes do not add up
    to those of all.

    Parameters
    ----------
    classifier : TrainedNetwork or TrainedMachine
        Of graphs.
    graph : CSRGraph
        A collection of G graphs, with the features of the classifier.
    classes : numpy.ndarray
        int64 ``[G]``, a class for each graph.

    Returns
    -------
    list of numpy.ndarray
        float64 ``[V]`` for the V nodes of each graph; 0 for a node that is a graph by itself, which
        is nothing without it.
    """
    _, scores = classifier.decide(graph)
    found = list[np.ndarray]()
    for number, (single, label) in enumerate(zip(graph, classes.tolist(), strict=True)):
        values = np.zeros(single.num_nodes)
        if single.num_nodes > 1:
            _, left = classifier.decide(_without_each_node(single))
            values = _log_odds(scores[[number], label]) - _log_odds(left[:, label])
        found.append(values)
    return found


def _log_odds(scores: np.ndarray) -> np.ndarray:
    """The logarithm of p / (1 - p), of probabilities that float32 may have rounded to 0 or 1."""
    kept = np.clip(scores.astype(np.float64), _LEAST_SCORE, 1 - _LEAST_SCORE)
    return np.log(kept) - np.log1p(-kept)


def _without_each_node(graph: CSRGraph) -> CSRGraph:
    """The V graphs that a graph of V nodes is without one of them, as a collection."""
    size = graph.num_nodes
    source, target, relation = graph.edges()
    # graph i is without node i: later nodes move up by one
    left_out = np.arange(size)[:, None]
    kept = (source != left_out) & (target != left_out)  # [V, E]
    of_graph, edge = np.nonzero(kept)

    def moved(nodes: np.ndarray) -> np.ndarray:
        return nodes - (nodes > of_graph) + of_graph * (size - 1)

    others = np.array([np.delete(np.arange(size), node) for node in range(size)])
    return csr_from_edges(
        moved(source[edge]),
        moved(target[edge]),
        size * (size - 1),
        features=graph.features[others.reshape(-1)],
        feature_names=graph.feature_names,
        relation=relation[edge],
        relation_names=graph.relations.names,
        graph_ptr=np.arange(size + 1) * (size - 1),
        directed=graph.relations.directed,
        undirected=True,
    )
