"""Why a kernel machine decides as it does: which training graphs are most like a new one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gomkcn_dgl.csr import split_graphs
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.training.classifiers import TrainedMachine
from gomkcn_dgl.training.labelled_data import LabelledData
from mining.explanation.classifier_explanation import (
    MOST_DRAWN_NODES,
    NodeLabels,
    choose_rows,
    confusion_of,
)
from mining.structures.edges_among import edges_among

# of each graph
_NUM_SIMILAR = 3

Edges = tuple[tuple[int, int], ...]


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
    edges = edges_among(data.graph, nodes)
    return ComparedGraph(
        row,
        int(data.labels[row]),
        similarity,
        tuple(nodes.tolist()),
        tuple((u, v) for u, v, _ in edges),
        tuple(r for *_, r in edges),
        labels.of(nodes),
    )
