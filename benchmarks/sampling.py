"""Subgraphs a second: ours beside DGL, PyG, igraph and networkx, on one thread.

Checks as well that one thread and several give the same bytes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from inputs import barabasi_albert_graph, read_tu, star_graph
from measure import Limits, measure_limits, time_interleaved, use_threads
from peers.sampling import SAMPLING_PEERS, Extract
from record import Bench, ResultTable

from gomkcn_dgl import CSRGraph, SubgraphSettings, extract_subgraphs
from gomkcn_dgl.kernels import POLICIES
from gomkcn_dgl.kernels.bfs_numba import hub_degree
from gomkcn_dgl.subgraphs import SubgraphBatch

# seconds that one repeat of a peer may take; it gets as many roots as fit, at least one
PEER_SECONDS = 0.5
QUICK_ROOTS = 20
_ARRAYS = ("nodes", "num_nodes", "truncated", "links")


@dataclass(frozen=True)
class Case:
    """A graph, and which subgraphs of it are wanted."""

    name: str
    graph: CSRGraph
    num_hops: int
    max_nodes: int
    roots: np.ndarray

    def extract(self, policy: str) -> SubgraphBatch:
        return extract_subgraphs(
            self.graph, SubgraphSettings(self.num_hops, self.max_nodes, policy), self.roots
        )


@dataclass(frozen=True)
class Contender:
    """A call that extracts the subgraphs of ``roots`` roots."""

    name: str
    call: Callable[[], Any]
    roots: int
    threads: int
    bytes_needed: int | None = None
    remark: str = ""


def all_cases(bench: Bench) -> Iterator[Case]:
    proteins = read_tu(bench.data, "PROTEINS")
    if proteins is None:
        bench.note("PROTEINS is skipped: it is not in the folder given by --data.")
    else:
        yield make_case(bench, "PROTEINS", proteins, 2, 10)
    size = 300 if bench.quick else 100_000
    yield make_case(bench, f"BA({size:,}, 5)", barabasi_albert_graph(size, 5), 2, 16)
    directed = barabasi_albert_graph(size, 5, directed=True)
    yield make_case(bench, f"BA({size:,}, 5), edges with direction", directed, 2, 16)
    # of a million leaves NetworkX takes half a minute for a root
    size = 1000 if bench.quick else 200_000
    yield make_case(bench, f"star, {size:,} leaves", star_graph(size), 3, 16)


def make_case(bench: Bench, name: str, graph: CSRGraph, num_hops: int, max_nodes: int) -> Case:
    roots = np.arange(min(QUICK_ROOTS, graph.num_nodes) if bench.quick else graph.num_nodes)
    return Case(f"{name}, {num_hops} hops, cap {max_nodes}", graph, num_hops, max_nodes, roots)


def our_contenders(case: Case, thread_counts: list[int]) -> Iterator[Contender]:
    for policy in POLICIES:
        needed = bytes_needed(case.graph, case.extract(policy))
        for threads in thread_counts:
            yield Contender(
                f"ours, {policy}, {threads} thread{'s' * (threads > 1)}",
                lambda policy=policy: case.extract(policy),
                len(case.roots),
                threads,
                needed,
            )


def bytes_needed(graph: CSRGraph, batch: SubgraphBatch) -> int:
    """Bytes of the output and of the rows of the kept nodes, those of a hub as far as it offers."""
    written = sum(getattr(batch, name).nbytes for name in _ARRAYS)
    nodes = batch.nodes[batch.nodes >= 0]
    neighbours = int(np.minimum(graph.degrees[nodes], hub_degree(batch.nodes.shape[1])).sum())
    pointers = 2 * len(nodes)
    return written + neighbours * graph.indices.itemsize + pointers * graph.indptr.itemsize


def peer_contenders(bench: Bench, case: Case, table: ResultTable) -> Iterator[Contender]:
    order = np.random.default_rng(0).permutation(case.roots).tolist()
    for peer in SAMPLING_PEERS:
        version = peer.version()
        if version is None:
            table.add(case.name, peer.name, None, peer.missing(), None, None, None, "")
            continue
        bench.peers[peer.distribution] = version
        extract = peer.prepare(case.graph, case.num_hops, case.max_nodes)
        parts = [order[i : i + peer.at_once] for i in range(0, len(order), peer.at_once)]
        # untimed, since it may read the graph or compile
        use_threads(1)
        extract(parts[0])
        parts = parts[: parts_that_fit(extract, parts, 0.01 if bench.quick else PEER_SECONDS)]
        yield Contender(
            peer.name, visit(extract, parts), sum(map(len, parts)), 1, remark=peer.remark
        )


def parts_that_fit(extract: Extract, parts: list[list[int]], seconds: float) -> int:
    start = time.perf_counter()
    for count, roots in enumerate(parts, 1):
        extract(roots)
        if time.perf_counter() - start > seconds:
            return count
    return len(parts)


def visit(extract: Extract, parts: list[list[int]]) -> Callable[[], None]:
    def call() -> None:
        for roots in parts:
            extract(roots)

    return call


def compare(
    bench: Bench, case: Case, limits: dict[int, Limits], table: ResultTable
) -> dict[str, float]:
    """Add a row for each contender; return the median seconds of each."""
    contenders = [*our_contenders(case, list(limits)), *peer_contenders(bench, case, table)]
    threads = {contender.name: contender.threads for contender in contenders}
    timings = time_interleaved(
        {contender.name: contender.call for contender in contenders},
        bench.repeats,
        prepare=lambda name: use_threads(threads[name]),
    )
    best = min(
        timings[contender.name].median / contender.roots
        for contender in contenders
        if contender.threads == 1
    )
    for contender in contenders:
        timing = timings[contender.name]
        each = timing.median / contender.roots
        needed = contender.bytes_needed
        share = needed and needed / limits[contender.threads].copy / timing.median
        rate = 1 / each
        table.add(
            case.name, contender.name, contender.roots, timing, rate, each / best, share,
            contender.remark,
        )  # fmt: skip
    return {name: timing.median for name, timing in timings.items()}


def check_threads(bench: Bench, case: Case, seconds: dict[str, float]) -> Iterator[tuple[Any, ...]]:
    """A row for each policy: do all threads give what one gives, and how much sooner?"""
    for policy in POLICIES:
        batches = []
        for threads in (1, bench.threads):
            use_threads(threads)
            batches.append(case.extract(policy))
        same = all(
            getattr(batches[0], name).tobytes() == getattr(batches[1], name).tobytes()
            for name in _ARRAYS
        )
        one, several = (
            seconds[f"ours, {policy}, {name}"] for name in ("1 thread", f"{bench.threads} threads")
        )
        yield case.name, policy, one / several, "same bytes" if same else "DIFFERENT BYTES"


def main(bench: Bench) -> None:
    """Extract subgraphs, beside what people would use instead."""
    limits = {
        threads: bench.add_limits(measure_limits(threads, quick=bench.quick))
        for threads in sorted({1, bench.threads})
    }
    table = bench.table(
        "Subgraphs a second",
        {
            "graph": "",
            "who": "",
            "roots": ",",
            "time": "",
            "subgraphs/s": ",.1f",
            "time of the fastest on 1 thread, times": ",.1f",
            "share of the copy limit": ".1%",
            "remark": "",
        },
    )
    checks: list[tuple[Any, ...]] = []
    for case in all_cases(bench):
        seconds = compare(bench, case, limits, table)
        if bench.threads > 1:
            checks += check_threads(bench, case, seconds)
    if bench.threads > 1:
        columns = {"graph": "", "policy": "", "speed-up": ".2f", "the subgraphs": ""}
        scaling = bench.table(f"From 1 thread to {bench.threads}", columns)
        for check in checks:
            scaling.add(*check)
    else:
        bench.note("Several threads were not compared with one: one CPU was allowed.")
    bench.note(
        "Peers use one thread. A peer that takes long visits the first roots of a seeded "
        "permutation, as many as the column says. The limit counts the bytes of the output, of "
        "each kept node's two row pointers and of its row of neighbours, a hub's as far as it is "
        "sampled."
    )
