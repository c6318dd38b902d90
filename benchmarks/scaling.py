"""How time grows with subgraphs, nodes, filters and threads, for sampler and matching.

python benchmarks/scaling.py --threads 4
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from inputs import MatchingInputs, MatchingShape, barabasi_albert_graph, draw_matching
from measure import Timing, time_interleaved, use_threads
from record import Bench, bench_command

from gomkcn_dgl import CSRGraph, extract_subgraphs

NUM_SUBGRAPHS = (1000, 3000, 10_000, 30_000, 100_000, 300_000)
NUM_NODES = (4, 8, 16, 32, 64)
NUM_FILTERS = (1, 2, 4, 8, 16, 32, 64)
# what a sweep leaves as it is
SHAPE = MatchingShape(S=2000, F=8, N=10, D=16, L=3)
NUM_ROOTS, NUM_HOPS, CAP = 20_000, 2, 16
QUICK_VALUES = (2, 4)
QUICK_ROOTS = 20


@dataclass(frozen=True)
class Point:
    """A call at one place of one curve."""

    curve: str
    value: int
    call: Callable[[], Any]
    threads: int | None = None


def sampler(value: int, graph: CSRGraph, roots: np.ndarray, cap: int) -> Iterator[Point]:
    for policy in ("bfs", "dense"):
        yield Point(
            f"sampler, {policy}",
            value,
            lambda policy=policy: extract_subgraphs(
                graph, NUM_HOPS, cap, roots=roots, policy=policy
            ),
        )


def matching(value: int, inputs: MatchingInputs) -> Iterator[Point]:
    for name in ("greedy", "optimal"):
        yield Point(
            f"matching, {name}", value, lambda name=name: inputs.forward_backward("numba", name)
        )


class Sweeps:
    """One method a table: the points of its curves. Quick sweeps are tiny ones."""

    def __init__(self, quick: bool, threads: int) -> None:
        self.quick, self.threads = quick, threads
        self.shape = replace(SHAPE, S=QUICK_ROOTS, N=4) if quick else SHAPE
        self.num_roots = QUICK_ROOTS if quick else NUM_ROOTS

    def over(self, values: tuple[int, ...]) -> tuple[int, ...]:
        return QUICK_VALUES if self.quick else values

    def graph_and_roots(self, most: int) -> tuple[CSRGraph, np.ndarray]:
        graph = barabasi_albert_graph(most, 5)
        return graph, np.random.default_rng(0).permutation(most)

    def subgraphs(self) -> Iterator[Point]:
        values = (10, 20) if self.quick else NUM_SUBGRAPHS
        graph, order = self.graph_and_roots(values[-1])
        inputs = draw_matching(replace(self.shape, S=values[-1]))
        for value in values:
            yield from sampler(value, graph, order[:value], CAP)
            yield from matching(value, inputs.part(order[:value]))

    def nodes(self) -> Iterator[Point]:
        graph, order = self.graph_and_roots(self.num_roots)
        for value in self.over(NUM_NODES):
            yield from sampler(value, graph, order, value)
            yield from matching(value, draw_matching(replace(self.shape, N=value)))

    def filters(self) -> Iterator[Point]:
        for value in self.over(NUM_FILTERS):
            yield from matching(value, draw_matching(replace(self.shape, F=value)))

    def several_threads(self) -> Iterator[Point]:
        graph, order = self.graph_and_roots(self.num_roots)
        inputs = draw_matching(replace(self.shape, S=self.num_roots))
        value = 1
        while value <= self.threads:
            for point in (*sampler(value, graph, order, CAP), *matching(value, inputs)):
                yield replace(point, threads=value)
            value *= 2


def measure(bench: Bench, points: list[Point]) -> dict[str, dict[int, Timing]]:
    """Time of each curve at each value."""
    threads = {str(number): point.threads or bench.threads for number, point in enumerate(points)}
    timings = time_interleaved(
        {str(number): point.call for number, point in enumerate(points)},
        bench.repeats,
        prepare=lambda number: use_threads(threads[number]),
    )
    curves: dict[str, dict[int, Timing]] = {}
    for point, timing in zip(points, timings.values(), strict=True):
        curves.setdefault(point.curve, {})[point.value] = timing
    return curves


def exponent(curve: dict[int, Timing]) -> float | None:
    """Slope of a straight line through the logarithms, by least squares."""
    if len(curve) < 2:
        return None
    medians = [timing.median for timing in curve.values()]
    return float(np.polyfit(np.log(list(curve)), np.log(medians), 1)[0])


@bench_command("scaling")
def main(bench: Bench) -> None:
    """Measure how the time of sampler and matching grows."""
    sweeps = Sweeps(bench.quick, bench.threads)
    shape = sweeps.shape
    at = f"{sweeps.num_roots:,} roots, cap {CAP}"
    sizes = f"S = {shape.S:,}, F = {shape.F}, N = {shape.N}, D = {shape.D}, L = {shape.L}"
    for axis, points, rest in (
        ("subgraphs S", sweeps.subgraphs, f"cap {CAP}; F = {shape.F}, N = {shape.N}"),
        ("nodes N", sweeps.nodes, f"{sweeps.num_roots:,} roots; S = {shape.S:,}, F = {shape.F}"),
        ("filters F", sweeps.filters, f"S = {shape.S:,}, N = {shape.N}"),
        ("threads", sweeps.several_threads, f"{at}; S = {sweeps.num_roots:,}, F = {shape.F}"),
    ):
        curves = measure(bench, list(points()))
        table = bench.table(f"Over {axis}: {rest}", {axis: ",", **dict.fromkeys(curves, "")})
        for value in next(iter(curves.values())):
            table.add(value, *(curve[value] for curve in curves.values()))
        slopes = map(exponent, curves.values())
        table.add("exponent", *(None if slope is None else f"{slope:.2f}" for slope in slopes))
    bench.note(
        f"Sampler: {NUM_HOPS} hops on a BA graph with 5 edges a node. Matching: forward and "
        f"backward; of {sizes}, what is not swept. The exponent is the slope of a line through "
        "the logarithms of all medians of a column; small calls, which a fixed cost fills, lower "
        "it."
    )


if __name__ == "__main__":
    main()
