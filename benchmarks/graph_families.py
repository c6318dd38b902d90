"""Families of random graphs: are they clusters, what does it take, and how sure are profiles?

Erdős–Rényi, Barabási–Albert, geometric and Watts–Strogatz graphs of mean degree 10, ten of each.
The dendrogram is cut into four; an adjusted Rand index of 1 says that the clusters are the
families. The seconds are those of the whole command, which reads 40 files and writes its page.

Then the error of the correlation of two profiles that so many random graphs leave: the root mean
square of the difference from those of 1,000 other random graphs.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from census_speed import run_peer
from record import Bench
from sklearn.metrics import adjusted_rand_score

from gomkcn import compare, load

DEGREE = 10
NODES, EACH, SEEDS = 1000, 10, 5
ERROR_NODES, ERROR_EACH, ERROR_SEEDS, REFERENCE = 300, 2, 8, 1000
NUMBERS = (10, 20, 50, 100, 199)
QUICK = {"nodes": 60, "each": 2, "seeds": 1, "reference": 40}
# of these z is chance whatever the number, since there is nothing to find
CHANCE = "ER"
Draw = Callable[[int, int], nx.Graph]


def _radius(num_nodes: int) -> float:
    return math.sqrt(DEGREE / num_nodes / math.pi)


FAMILIES: Mapping[str, Draw] = {
    CHANCE: lambda n, seed: nx.gnm_random_graph(n, n * DEGREE // 2, seed=seed),
    "BA": lambda n, seed: nx.barabasi_albert_graph(n, DEGREE // 2, seed=seed),
    "geometric": lambda n, seed: nx.random_geometric_graph(n, _radius(n), seed=seed),
    "WS": lambda n, seed: nx.watts_strogatz_graph(n, DEGREE, 0.1, seed=seed),
}


def with_directions(graph: nx.Graph, seed: int) -> nx.DiGraph:
    """Each edge in one direction at random, and three in ten in both."""
    rng = np.random.default_rng(seed)
    arcs = nx.DiGraph()
    arcs.add_nodes_from(graph)
    for u, v in graph.edges:
        arcs.add_edge(*((u, v) if rng.random() < 0.5 else (v, u)))
        if rng.random() < 0.3:
            arcs.add_edges_from([(u, v), (v, u)])
    return arcs


def draw_all(num_nodes: int, each: int, seed: int) -> dict[str, nx.Graph]:
    """So many graphs of each family, by names that begin with it."""
    return {
        f"{family} {k}": draw(num_nodes, 1000 * seed + k)
        for family, draw in FAMILIES.items()
        for k in range(each)
    }


def clusters(bench: Bench) -> None:
    """Cut the dendrogram of each seed into the families, and count the seconds."""
    num_nodes, each = (QUICK["nodes"], QUICK["each"]) if bench.quick else (NODES, EACH)
    table = bench.table(
        f"{len(FAMILIES) * each} graphs of {num_nodes:,} nodes, cut into {len(FAMILIES)} clusters",
        {
            "seed": "d", "adjusted Rand index, GCD-11": ".2f", "profiles": ".2f",
            "largest GCD-11 within a family": ".2f", "least between two": ".2f",
            "processor seconds of the command": ".1f",
        },
    )  # fmt: skip
    for seed in range(QUICK["seeds"] if bench.quick else SEEDS):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for called, graph in draw_all(num_nodes, each, seed).items():
                # the places of geometric graphs are no features
                plain = nx.Graph(graph.edges)
                plain.add_nodes_from(graph)
                nx.write_graphml(plain, folder / f"{called}.graphml")
            files = sorted(map(str, folder.glob("*.graphml")))
            command = [sys.executable, "-m", "gomkcn", "compare", *files, "--quiet", "--out"]
            spent = run_peer([*command, str(folder / "run")], folder)
            found = load(folder / "run")
        family = np.array([called.split()[0] for called in found.names])
        same = family == family[:, None]
        apart = found.gcd
        scores = {
            measure: adjusted_rand_score(family, found.clusters(len(FAMILIES), measure))
            for measure in found.measures
        }
        table.add(
            seed,
            scores["gcd"],
            scores["profile"],
            float(apart[same].max()),
            float(apart[~same].min()),
            None if spent is None else spent.seconds[0],
        )


def errors(bench: Bench) -> None:
    """The errors of the distances of profiles by the number of random graphs."""
    num_nodes, reference = (ERROR_NODES, REFERENCE)
    seeds = ERROR_SEEDS
    if bench.quick:
        num_nodes, reference, seeds = QUICK["nodes"], QUICK["reference"], QUICK["seeds"]
    table = bench.table(
        f"The correlation of the profiles of graphs of {num_nodes} nodes: its error by the number "
        "of random graphs",
        {
            "random graphs": "d", "without directions": ".3f", "with Erdős–Rényi graphs": ".3f",
            "with directions": ".3f", "with random directed graphs": ".3f",
        },
    )  # fmt: skip
    plain = draw_all(num_nodes, ERROR_EACH, 0)
    directed: dict[str, Any] = {
        called: with_directions(graph, at) for at, (called, graph) in enumerate(plain.items())
    }
    rows = []
    for graphs in (plain, directed):
        first, second = np.triu_indices(len(graphs), 1)
        is_chance = np.array([called.startswith(CHANCE) for called in graphs])
        known = ~(is_chance[first] | is_chance[second])
        true = compare(graphs, null_samples=reference, seed=seeds).profile_distances[first, second]
        columns = []
        for number in NUMBERS[:2] if bench.quick else NUMBERS:
            off = np.stack(
                [
                    compare(graphs, null_samples=number, seed=seed).profile_distances[first, second]
                    - true
                    for seed in range(seeds)
                ]
            )
            columns.append(
                [float(np.sqrt(np.nanmean(off[:, which] ** 2))) for which in (known, ...)]
            )
        rows.append(columns)
    for number, without, with_directed in zip(NUMBERS, *rows, strict=False):
        table.add(number, *without, *with_directed)


def main(bench: Bench) -> None:
    """Both tables."""
    clusters(bench)
    errors(bench)
