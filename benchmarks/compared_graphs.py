"""Two graphs of one model: does the error of the difference of shares hold it, and what is called?

Nodes are drawn anew for each graph: all alike, of three blocks, with weights of a power law, or as
places on a torus. So no share differs but by chance. Of each structure that occurs often enough,
0 must lie within 1.96 errors of the difference in 95 % of the pairs or more; and in at most 5 % of
the pairs may any structure be called. Then pairs of two models, in which shares do differ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from record import Bench

from gomkcn import compare
from gomkcn.mining.patterns.run_comparison import RunComparison
from gomkcn_dgl.csr import CSRGraph, csr_from_edges

NODES, QUICK_NODES = 300, 40
PAIRS, QUICK_PAIRS = 100, 2
# of directed graphs, which take longer; and of two models, which differ in most pairs
DIRECTED_NODES, DIRECTED_PAIRS, OTHER_PAIRS = 100, 20, 30
DEGREE = 8.0
# rarer structures have no normal difference; the test of all holds them as well
LEAST_COUNT = 20
WITHIN = 1.959964
Draw = Callable[[int, np.random.Generator], np.ndarray]


def alike(num_nodes: int, rng: np.random.Generator) -> np.ndarray:
    """The probability of each edge ``[V, V]``: all alike (Erdős–Rényi)."""
    return np.full((num_nodes, num_nodes), DEGREE / num_nodes)


def blocks(num_nodes: int, rng: np.random.Generator, inside: float = 7.0) -> np.ndarray:
    """Three blocks, of which each node is in one at random, with more edges inside of them."""
    block = rng.integers(0, 3, num_nodes)
    return np.where(block[:, None] == block, inside, 1.0) * 3 * DEGREE / (inside + 2) / num_nodes


def hubs(num_nodes: int, rng: np.random.Generator) -> np.ndarray:
    """Weights of a power law of exponent 3.5, at most the root of the number of nodes."""
    weights = np.minimum((1 - rng.random(num_nodes)) ** -0.4, num_nodes**0.5)
    return np.minimum(1.0, DEGREE / num_nodes * np.outer(weights, weights) / weights.mean() ** 2)


def torus(num_nodes: int, rng: np.random.Generator) -> np.ndarray:
    """Places on a torus; the nearest are joined."""
    place = rng.random((num_nodes, 2))
    apart = np.abs(place[:, None] - place)
    apart = np.minimum(apart, 1 - apart)
    near: np.ndarray = (apart**2).sum(axis=2) < DEGREE / np.pi / num_nodes
    return near.astype(np.float64)


@dataclass(frozen=True)
class Case:
    """Graphs of which every two are compared, or those of a model with those of another."""

    name: str
    draw: Draw
    other: Draw | None = None
    is_directed: bool = False


CASES = (
    Case("Erdős–Rényi", alike),
    Case("three blocks", blocks),
    Case("hubs", hubs),
    Case("torus", torus),
    Case("three blocks, directed", blocks, is_directed=True),
    Case("hubs, directed", hubs, is_directed=True),
)
DIFFERENT = (
    Case("Erdős–Rényi and three blocks", alike, blocks),
    Case("Erdős–Rényi and hubs", alike, hubs),
    Case("three blocks, looser and tighter", lambda n, rng: blocks(n, rng, 6.0), blocks),
)


def draw_graph(draw: Draw, num_nodes: int, is_directed: bool, rng: np.random.Generator) -> CSRGraph:
    """A graph with each edge by its probability; with directions, each of the two by a half."""
    chance = draw(num_nodes, rng)
    if is_directed:
        is_there = rng.random(chance.shape) < chance / 2
        np.fill_diagonal(is_there, False)
        source, target = np.nonzero(is_there)
        return csr_from_edges(source, target, num_nodes, directed=[True])
    source, target = np.triu_indices(num_nodes, 1)
    is_there = rng.random(len(source)) < chance[source, target]
    return csr_from_edges(source[is_there], target[is_there], num_nodes, undirected=True)


def compare_pairs(bench: Bench, case: Case) -> tuple[list[RunComparison], int]:
    """Pairs of graphs, each compared with the next one of another draw."""
    number = PAIRS if case.other is None else OTHER_PAIRS
    number = DIRECTED_PAIRS if case.is_directed else number
    num_nodes = DIRECTED_NODES if case.is_directed else NODES
    if bench.quick:
        number, num_nodes = QUICK_PAIRS, QUICK_NODES
    rng = np.random.default_rng(0)
    other = case.other or case.draw
    graphs = [
        draw_graph(draw, num_nodes, case.is_directed, rng)
        for _ in range(number)
        for draw in (case.draw, other)
    ]
    pairs = list(pairwise(graphs))[::2]
    return [compare(*pair, null=None, seed=k) for k, pair in enumerate(pairs)], num_nodes


def coverage(bench: Bench) -> None:
    """Pairs of one model, then of two."""
    table = bench.table(
        "Two graphs drawn from one model: no share differs but by chance",
        dict.fromkeys(
            (
                "model", "nodes", "pairs", "structures", "0 within 1.96 errors", "least",
                "error / deviation", "pairs with a call",
            ),
            "",
        ),
    )  # fmt: skip
    for case in CASES:
        found, num_nodes = compare_pairs(bench, case)
        names: dict[bytes, str] = {}
        rows: dict[bytes, list[tuple[float, float, float]]] = {}
        for one in found:
            for row in one.structures:
                if row.first and row.second and row.difference_error > 0:
                    counts = row.first.count.value + row.second.count.value
                    names[row.structure.key] = row.name
                    rows.setdefault(row.structure.key, []).append(
                        (row.difference, row.difference_error, counts / 2)
                    )
        held, ratios = {}, []
        for key, values in rows.items():
            difference, error, count = np.array(values).T
            if len(values) < len(found) / 2 or count.mean() < LEAST_COUNT:
                continue
            held[key] = float((np.abs(difference) <= WITHIN * error).mean())
            # of no difference the deviation is the root of the mean square
            ratios.append(np.sqrt((error**2).mean() / (difference**2).mean()))
        if not held:
            continue
        least = min(held, key=held.__getitem__)
        table.add(
            case.name,
            str(num_nodes),
            str(len(found)),
            str(len(held)),
            f"{np.mean(list(held.values())):.1%}",
            f"{held[least]:.1%} ({names[least]})",
            f"{np.median(ratios):.2f}",
            str(sum(any(row.is_sure for row in one.structures) for one in found)),
        )
    table = bench.table(
        "Two graphs of different models: how many structures are called",
        dict.fromkeys(("models", "nodes", "pairs", "pairs with a call", "structures, mean"), ""),
    )
    for case in DIFFERENT:
        found, num_nodes = compare_pairs(bench, case)
        called = [sum(row.is_sure for row in one.structures) for one in found]
        table.add(
            case.name,
            str(num_nodes),
            str(len(found)),
            str(sum(number > 0 for number in called)),
            f"{np.mean(called):.1f}",
        )
