"""Gram matrices of whole graphs: what a pair takes, beside SciPy's assignment and GraKeL's kernels.

Graphs of ENZYMES, in random order. SciPy computes the same numbers: the level embeddings of each
graph once, then a table of similarities and an assignment for each pair. GraKeL's kernels compare
labels of nodes, and no continuous features: other kernels, which a user might take instead.
"""

from __future__ import annotations

import importlib.metadata
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from inputs import read_tu
from measure import time_interleaved
from record import Bench
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from gomkcn_dgl import CSRGraph, GOMKKernel, as_csr, gomk_gram, split_graphs

KERNEL = GOMKKernel(3, tau=0.3, aggregation="mean", padding="mask")
NUM_GRAPHS = 100
OURS, SCIPY = "gomk_gram, float64", "SciPy, the same numbers"


def scipy_gram(graph: CSRGraph) -> np.ndarray:
    """Normalised Gram matrix of a collection, a pair at a time."""
    levels = [one.numpy() for one in KERNEL.embed_graphs(graph, graph.relations)]
    widths = KERNEL.bandwidth(graph.features.shape[1])
    gram = np.empty((len(levels), len(levels)))
    for i, one in enumerate(levels):
        for j, other in enumerate(levels[: i + 1]):
            table = sum(
                np.exp(-cdist(x, z, "sqeuclidean") / width)
                for x, z, width in zip(one, other, widths, strict=True)
            )
            rows, columns = linear_sum_assignment(table, maximize=True)
            gram[i, j] = gram[j, i] = table[rows, columns].sum()
    root = np.sqrt(np.diag(gram))
    return np.asarray(gram / np.outer(root, root))


def grakel_calls(bench: Bench, graph: CSRGraph, labels: np.ndarray) -> dict[str, Callable[[], Any]]:
    """Gram matrices of GraKeL, if it is installed."""
    try:
        from grakel import Graph
        from grakel.kernels import VertexHistogram, WeisfeilerLehman
        from grakel.kernels import WeisfeilerLehmanOptimalAssignment as OptimalAssignment
    except ImportError:
        bench.note("GraKeL: not installed")
        return {}
    bench.peers["grakel"] = importlib.metadata.version("grakel")
    graphs, first = [], 0
    for part in split_graphs(graph):
        rows = {
            node: part.indices[part.indptr[node] : part.indptr[node + 1]].tolist()
            for node in range(part.num_nodes)
        }
        names = dict(enumerate(labels[first : first + part.num_nodes].tolist()))
        graphs.append(Graph(rows, node_labels=names, graph_format="all"))
        first += part.num_nodes

    def run(kernel: Callable[[], Any]) -> np.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.asarray(kernel().fit_transform(graphs))

    return {
        "GraKeL, WL of 3 steps": lambda: run(
            lambda: WeisfeilerLehman(n_iter=3, base_graph_kernel=VertexHistogram, normalize=True)
        ),
        "GraKeL, WL-OA of 3 steps": lambda: run(
            lambda: OptimalAssignment(n_iter=3, normalize=True)
        ),
    }


def main(bench: Bench) -> None:
    """Time Gram matrices."""
    enzymes = read_tu(bench.data, "ENZYMES", features=["attributes", "labels"])
    if enzymes is None:
        bench.note("Skipped: ENZYMES is not in the folder given by --data.")
        return
    parts = split_graphs(enzymes)
    number = 8 if bench.quick else NUM_GRAPHS
    chosen = np.random.default_rng(0).choice(len(parts), number, replace=False)
    graph = as_csr([parts[i] for i in chosen])
    labels = graph.features[:, -3:].argmax(axis=1)
    calls: dict[str, Callable[[], Any]] = {
        OURS: lambda: gomk_gram(graph, kernel=KERNEL),
        "gomk_gram, float32": lambda: gomk_gram(graph, kernel=KERNEL, dtype="float32"),
        SCIPY: lambda: scipy_gram(graph),
        **grakel_calls(bench, graph, labels),
    }
    pairs = number * (number + 1) // 2
    table = bench.table(
        f"{number} graphs of ENZYMES, of {graph.num_nodes / number:.1f} nodes on average",
        {"who": "", "time of a pair": "", "SciPy / it": ".2f", "largest difference": ".0e"},
    )
    timings = time_interleaved(calls, bench.repeats)
    exact = calls[SCIPY]()
    for name, timing in timings.items():
        difference = None if "GraKeL" in name else float(np.abs(calls[name]() - exact).max())
        ratio = timings[SCIPY].median / timing.median
        table.add(name, timing / pairs, ratio, difference)
    bench.note("SciPy and GraKeL use one thread, whatever they are given.")
