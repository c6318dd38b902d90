"""Gram matrices of whole graphs: what a pair takes, beside SciPy's assignment and GraKeL's kernels.

Graphs of ENZYMES, in random order. SciPy computes the same numbers: the level embeddings of each
graph once, then a table of similarities and an assignment for each pair. GraKeL's kernels compare
labels of nodes, and no continuous features: other kernels, which a user might take instead.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np
from inputs import read_tu
from measure import time_interleaved
from peers.graph_kernels import fit_gram, grakel_graphs, optimal_assignment, weisfeiler_lehman
from record import Bench
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from gomkcn_dgl import CSRGraph, GOMKKernel, as_csr
from gomkcn_dgl.gram import gomk_gram

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
    if importlib.util.find_spec("grakel") is None:
        bench.note("GraKeL: not installed")
        return {}
    bench.peers["grakel"] = importlib.metadata.version("grakel")
    graphs = grakel_graphs(graph, labels)
    return {
        "GraKeL, WL of 3 steps": lambda: fit_gram(weisfeiler_lehman(3), graphs),
        "GraKeL, WL-OA of 3 steps": lambda: fit_gram(optimal_assignment(3), graphs),
    }


def main(bench: Bench) -> None:
    """Time Gram matrices."""
    enzymes = read_tu(bench.data, "ENZYMES", features=["attributes", "labels"])
    if enzymes is None:
        bench.note("Skipped: ENZYMES is not in the folder given by --data.")
        return
    parts = list(enzymes)
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
    bench.note("WL and WL-OA are other kernels: they compare labels, and no features.")
