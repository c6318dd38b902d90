"""Gram matrices of whole graphs: what a pair takes, beside SciPy's assignment and GraKeL's kernels.

    python benchmarks/gram.py
    python benchmarks/gram.py --before CHECKOUT

Graphs of ENZYMES, in random order. SciPy computes the same numbers: the level embeddings of each
graph once, then a table of similarities and an assignment for each pair. GraKeL's kernels compare
labels of nodes, and no continuous features: other kernels, which a user might take instead. With
another checkout of this project, all of ENZYMES is also computed by its gomk_gram, in turn.
"""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np
import torch
from inputs import read_tu
from measure import Timing, time_interleaved
from record import Bench, bench_command, data_option
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from gomkcn_dgl import CSRGraph, GOMKKernel, as_csr, gomk_gram, split_graphs

KERNEL = GOMKKernel(3, tau=0.3, aggregation="mean", padding="mask")
NUM_GRAPHS = 100
OURS, SCIPY = "gomk_gram, float64", "SciPy, the same numbers"
# all of ENZYMES, in a process of its own; prints the seconds of a second call
WHOLE = """
import sys, time, torch
from pathlib import Path
from inputs import read_tu
from gomkcn_dgl import GOMKKernel, gomk_gram
torch.set_num_threads({threads})
enzymes = read_tu(Path({data!r}), "ENZYMES", features=["attributes", "labels"])
kernel = GOMKKernel(3, tau=0.3, aggregation="mean", padding="mask")
for _ in range(2):
    start = time.perf_counter()
    gomk_gram(enzymes, kernel=kernel{options})
print(time.perf_counter() - start)
"""


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


def compare_with(bench: Bench, before: Path, data: Path, pairs: int) -> None:
    """Time all of ENZYMES by this checkout and by another, in turn."""
    here = Path(__file__).parents[1]
    commit = ["git", "-C", str(before), "rev-parse", "--short", "HEAD"]
    name = subprocess.run(commit, capture_output=True, text=True, check=True).stdout.strip()
    ways = {
        f"gomk_gram of commit {name}": (before, ""),
        OURS: (here, ""),
        "gomk_gram, float32": (here, ", dtype='float32'"),
    }
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(bench.repeats):
        for way, (checkout, options) in ways.items():
            code = WHOLE.format(threads=bench.threads, data=str(data.resolve()), options=options)
            where = os.pathsep.join(str(checkout / part) for part in ("", "benchmarks"))
            ran = subprocess.run(
                [sys.executable, "-c", code],
                # the folder that Python looks in before all others
                cwd=checkout / "benchmarks",
                env={**os.environ, "PYTHONPATH": where},
                capture_output=True,
                text=True,
                check=True,
            )
            seconds[way].append(float(ran.stdout))
    timings = {way: Timing(tuple(taken)) for way, taken in seconds.items()}
    first = next(iter(timings.values()))
    table = bench.table(
        "All of ENZYMES, beside an earlier commit",
        {"who": "", "time of a pair": "", "the first / it": ".2f"},
    )
    for way, timing in timings.items():
        table.add(way, timing / pairs, first.median / timing.median)


@bench_command("gram")
@data_option
@click.option(
    "--before",
    type=click.Path(path_type=Path, exists=True, file_okay=False, resolve_path=True),
    help="Compare with this checkout, too.",
)
def main(bench: Bench, data: Path, before: Path | None) -> None:
    """Time Gram matrices."""
    enzymes = read_tu(data, "ENZYMES", features=["attributes", "labels"])
    if enzymes is None:
        bench.note("Skipped: ENZYMES is not in the folder given by --data.")
        return
    parts = split_graphs(enzymes)
    number = 8 if bench.quick else NUM_GRAPHS
    chosen = np.random.default_rng(0).choice(len(parts), number, replace=False)
    graph = as_csr([parts[i] for i in chosen])
    labels = graph.features[:, -3:].argmax(axis=1)
    torch.set_num_threads(bench.threads)
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
    if before is not None:
        compare_with(bench, before, data, len(parts) * (len(parts) + 1) // 2)


if __name__ == "__main__":
    main()
