"""Peers of graph classification: kernels of GraKeL, and an SVM on their Gram matrix.

They see node labels (degrees where a set has none) and no continuous features. Gram matrices are
made once for all splits and trials of a process; the SVM's C is a parameter like any other.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from paper.data import GraphData, Split
from paper.nested_machine import COSTS, nested_machine
from paper.protocol import Family, Params, TrialOutcome

from gomkcn_dgl import CSRGraph

_ITERATIONS = [1, 2, 3, 4, 5]


def weisfeiler_lehman(iterations: int) -> Any:
    from grakel.kernels import VertexHistogram, WeisfeilerLehman

    return WeisfeilerLehman(n_iter=iterations, base_graph_kernel=VertexHistogram, normalize=True)


def optimal_assignment(iterations: int) -> Any:
    from grakel.kernels import WeisfeilerLehmanOptimalAssignment

    return WeisfeilerLehmanOptimalAssignment(n_iter=iterations, normalize=True)


def _random_walk(decay: float) -> Any:
    from grakel.kernels import RandomWalkLabeled

    return RandomWalkLabeled(lamda=decay, normalize=True)


def grakel_graphs(graph: CSRGraph, node_labels: np.ndarray) -> list[Any]:
    """One GraKeL graph for each graph; its node labels beside it."""
    from grakel import Graph

    labels, graphs = node_labels.tolist(), []
    for low, high in zip(graph.graph_ptr.tolist(), graph.graph_ptr[1:].tolist(), strict=False):
        neighbours = {
            node - low: (graph.indices[graph.indptr[node] : graph.indptr[node + 1]] - low).tolist()
            for node in range(low, high)
        }
        of_node = dict(enumerate(labels[low:high]))
        graphs.append(Graph(neighbours, node_labels=of_node, graph_format="all"))
    return graphs


@functools.lru_cache(maxsize=8)
def _gram(data: GraphData, kernel: Callable[[Any], Any], setting: Any) -> np.ndarray:
    """Normalised Gram matrix ``[G, G]``."""
    return fit_gram(kernel(setting), grakel_graphs(data.graph, data.node_labels))


def fit_gram(kernel: Any, graphs: list[Any]) -> np.ndarray:
    """Gram matrix of GraKeL's graphs by one of its kernels."""
    with warnings.catch_warnings():
        # graphs whose kernel with themselves is 0, and changes of format
        warnings.simplefilter("ignore")
        with np.errstate(all="ignore"):
            return np.nan_to_num(kernel.fit_transform(graphs))


def _family(name: str, kernel: Callable[[Any], Any], parameter: str, values: list[Any]) -> Family:
    def trial(data: GraphData, split: Split, params: Params, seed: int) -> TrialOutcome:
        from sklearn.svm import SVC

        gram = _gram(data, kernel, params[parameter])
        machine = SVC(C=params["cost"], kernel="precomputed")
        machine.fit(gram[np.ix_(split.train, split.train)], data.labels[split.train])

        def accuracy(rows: np.ndarray) -> float:
            predicted = machine.predict(gram[np.ix_(rows, split.train)])
            return float((predicted == data.labels[rows]).mean())

        return TrialOutcome(accuracy(split.val), None, accuracy(split.test), 1, 1)

    return Family(name, {parameter: values, "cost": COSTS}, trial, ["grakel"])


def _nested(name: str, kernel: Callable[[Any], Any]) -> Family:
    return nested_machine(
        name, lambda data, steps: _gram(data, kernel, steps), _ITERATIONS, ["grakel"]
    )


KERNEL_FAMILIES = [
    _family("WL", weisfeiler_lehman, "iterations", _ITERATIONS),
    _family("WL-OA", optimal_assignment, "iterations", _ITERATIONS),
    _family("random walk", _random_walk, "decay", [0.01, 0.1]),
    _nested("WL nested", weisfeiler_lehman),
    _nested("WL-OA nested", optimal_assignment),
]
