"""Exact assignment of many small tables: ours beside SciPy, lapx and torch-linear-assignment.

    python benchmarks/assignment.py

The score of every answer is checked to be the optimum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from inputs import LEVEL_SCALE, read_enzymes
from measure import time_interleaved
from peers.assignment import ASSIGNMENT_PEERS, columns
from peers.peer import NOT_INSTALLED
from record import Bench, bench_command, data_option
from table_assignment import assign

from gomkcn_dgl import GOMKKernel, SubgraphSettings, extract_subgraphs
from gomkcn_dgl.kernels.matching_reference import similarity_table

SIZES = (6, 10, 16, 32)
NUM_TABLES, NUM_FILTERS = 20_000, 16
OURS, SCIPY = "ours", ASSIGNMENT_PEERS[0].name
# an answer is the optimum when no other sums to more than this share above it
TOLERANCE = 1e-6


def all_tables(bench: Bench, data: Path) -> Iterator[tuple[str, np.ndarray]]:
    """Similarities float32 ``[B, N, N]``: random ones, and those of real subgraphs."""
    sizes = SIZES[:2] if bench.quick else SIZES
    count = 2 * NUM_FILTERS if bench.quick else NUM_TABLES
    for size in sizes:
        yield "uniform", np.random.default_rng(size).random((count, size, size), np.float32)
    enzymes = read_enzymes(data)
    if enzymes is None:
        bench.note("Real embeddings are skipped: ENZYMES is not in the folder given by --data.")
        return
    kernel = GOMKKernel(num_levels=2, level_scale=LEVEL_SCALE)
    for size in sizes:
        rng = np.random.default_rng(size)
        roots = rng.choice(enzymes.num_nodes, count // NUM_FILTERS + NUM_FILTERS, replace=False)
        batch = extract_subgraphs(enzymes, SubgraphSettings(2, size), roots)
        adj, feat = batch.adjacency(), batch.gather(enzymes.features)
        levels = kernel.embed(torch.from_numpy(adj), torch.from_numpy(feat))
        x, z = levels[NUM_FILTERS:], levels[:NUM_FILTERS]
        widths = kernel.bandwidth(enzymes.features.shape[1])
        table = similarity_table(x, z, widths)  # [S, F, N, M]
        yield "ENZYMES", table.flatten(0, 1).numpy()


def solvers(bench: Bench, similarity: np.ndarray) -> tuple[dict[str, Callable[[], Any]], list[str]]:
    """The call of each solver at hand, and the names of those that are not installed."""
    cost = -similarity.astype(np.float64)
    calls: dict[str, Callable[[], Any]] = {OURS: lambda: assign(similarity)}
    absent = []
    for peer in ASSIGNMENT_PEERS:
        version = peer.version()
        if version is None:
            absent.append(peer.name)
            continue
        bench.peers[peer.distribution] = version
        solve = peer.prepare(bench.threads)
        calls[peer.name] = lambda solve=solve: solve(cost)
    return calls, absent


def shortfall(similarity: np.ndarray, answer: Any, best: np.ndarray) -> float:
    """By how much the worst answer misses the best sum, relative; infinite for no assignment."""
    chosen = columns(answer)
    if not (np.sort(chosen, axis=1) == np.arange(chosen.shape[1])).all():
        return float("inf")
    picked = np.take_along_axis(similarity.astype(np.float64), chosen[:, :, None], axis=2)
    return float((1 - picked.sum(axis=(1, 2)) / best).max())


def best_sums(similarity: np.ndarray) -> np.ndarray:
    """The optimum of each table, by SciPy in float64, ``[B]``."""
    exact = similarity.astype(np.float64)
    chosen = columns(ASSIGNMENT_PEERS[0].prepare(1)(-exact))
    return np.take_along_axis(exact, chosen[:, :, None], axis=2).sum(axis=(1, 2))


@bench_command("assignment")
@data_option
def main(bench: Bench, data: Path) -> None:
    """Solve many small assignments, beside what people would use instead."""
    table = bench.table(
        "Exact assignment of square tables",
        {
            "tables": "",
            "how many": ",",
            "N": "",
            "who": "",
            "time of one": "",
            "SciPy / it": ".2f",
            "every sum": "",
            "worst shortfall": ".0e",
        },
    )
    for kind, similarity in all_tables(bench, data):
        count, size, _ = similarity.shape
        calls, absent = solvers(bench, similarity)
        timings = time_interleaved(calls, bench.repeats)
        best = best_sums(similarity)
        for name, timing in timings.items():
            missed = max(shortfall(similarity, calls[name](), best), 0.0)
            verdict = "the optimum" if missed <= TOLERANCE else "NOT OPTIMAL"
            ratio = timings[SCIPY].median / timing.median
            table.add(kind, count, size, name, timing / count, ratio, verdict, missed)
        for name in absent:
            table.add(kind, count, size, name, NOT_INSTALLED, None, None, None)
    bench.note(
        "SciPy, lapjv and, on a CPU, torch-linear-assignment solve one table after the other on "
        f"one thread; ours and lapx's batches were given {bench.threads}. Ours takes float32 "
        "similarities, the others float64 costs. A sum is the optimum when it is within "
        f"{TOLERANCE:.0e} of SciPy's, relative."
    )


if __name__ == "__main__":
    main()
