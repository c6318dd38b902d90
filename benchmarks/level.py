"""Do verdicts hold their level? Graphs drawn from the null model that they are judged by.

    python benchmarks/level.py            every row, written to results/level.*
    python benchmarks/level.py --quick    one graph of two kinds, nothing written

Every graph is drawn anew, by the tool's own walk or by the rewiring of igraph, so that nothing sets
it apart from its random graphs. In at most 5 % of the graphs may any structure be called.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import igraph
import networkx as nx
import numpy as np
from record import Bench, bench_command, data_option
from scipy.stats import binomtest

from gomkcn_dgl import CSRGraph, as_csr, read_graph
from mining.choice import compare_censuses
from mining.counting.structure_counts import Counts, count_structures
from mining.null_models import RandomGraphs, null_model, sample_null
from mining.pattern import LEVEL

NULL = "degree"
# of an outside walk
ATTEMPTS_PER_EDGE = 20
QUICK = ("karate club", "E. coli")


@dataclass(frozen=True)
class Kind:
    """Graphs with the degrees of one, and the sizes of the structures that are counted."""

    name: str
    graph: CSRGraph
    sizes: range = range(3, 6)


def power_law_degrees(num_nodes: int, exponent: float, cap: int, seed: int) -> list[int]:
    """Degrees up to a cap, each with a probability of a power of itself, that some graph has."""
    rng = np.random.default_rng(seed)
    weights = np.arange(1, cap + 1) ** -exponent
    while True:
        degrees = rng.choice(np.arange(1, cap + 1), num_nodes, p=weights / weights.sum()).tolist()
        if nx.is_graphical(degrees):
            return degrees


def kinds(folder: Path) -> Iterator[Kind]:
    """The graphs that are at hand; real ones without their directions as well."""
    yield Kind("karate club", as_csr(nx.Graph(nx.karate_club_graph().edges)))
    yield Kind("Les Misérables", as_csr(nx.Graph(nx.les_miserables_graph().edges)))
    hubs = [60, 40, 40, 30, 20, 20, *[3] * 40, *[2] * 60, *[1] * 80]
    yield Kind("hubs", as_csr(nx.havel_hakimi_graph(hubs)))
    yield Kind("Barabási–Albert", as_csr(nx.barabasi_albert_graph(200, 2, seed=0)))
    yield Kind("Erdős–Rényi", as_csr(nx.gnm_random_graph(200, 500, seed=0)))
    degrees = power_law_degrees(300, 1.8, 60, 0)
    yield Kind("power law", as_csr(nx.havel_hakimi_graph(degrees)))
    if not folder.is_dir():
        return
    regulation = folder / "directed" / "ecoli_regulation.csv"
    yield Kind("E. coli", read_graph(regulation, relation="none", directed=False))
    yield Kind(
        "E. coli, directed", read_graph(regulation, relation="none", directed=True), range(3, 5)
    )
    neurons = folder / "directed" / "celegansneural.gml"
    yield Kind(
        "C. elegans, directed", read_graph(neurons, relation="none", directed=True), range(3, 4)
    )


def by_tool(graph: CSRGraph, seed: int) -> CSRGraph:
    return sample_null(graph, NULL, seed)


def by_igraph(graph: CSRGraph, seed: int, attempts: int = ATTEMPTS_PER_EDGE) -> CSRGraph:
    """A graph with the same in- and out-degrees; pairs that are joined both ways are not kept."""
    other = as_igraph(graph)
    igraph.set_random_number_generator(random.Random(seed))
    try:
        other.rewire(attempts * other.ecount())
    finally:
        igraph.set_random_number_generator(random)
    made = (nx.DiGraph if graph.is_directed else nx.Graph)()
    made.add_nodes_from(range(graph.num_nodes))
    made.add_edges_from(other.get_edgelist())
    return as_csr(made)


ARMS: dict[str, Callable[[CSRGraph, int], CSRGraph]] = {"tool": by_tool, "igraph": by_igraph}


def as_igraph(graph: CSRGraph) -> igraph.Graph:
    source, target, _ = graph.edges()
    pairs = np.stack([source, target], axis=1).tolist()
    return igraph.Graph(n=graph.num_nodes, edges=pairs, directed=graph.is_directed)


def draw_censuses(graph: CSRGraph, sizes: range, num_samples: int, seed: int) -> list[Counts]:
    """The census of a graph, then those of its random graphs."""
    graphs = RandomGraphs(null_model(NULL, graph), graph, seed)
    drawn = (graphs.draw(number) for number in range(num_samples))
    return [count_structures(one, sizes) for one in itertools.chain([graph], drawn)]


def is_called(kind: Kind, graph: CSRGraph, num_samples: int, seed: int) -> bool:
    """Whether any structure is called more or less frequent than in random graphs."""
    found = compare_censuses(NULL, draw_censuses(graph, kind.sizes, num_samples, seed))
    return any(one.is_called for one in found.values())


@bench_command("level", usual_repeats=1, how="run of each seed")
@click.option("--graphs", type=click.IntRange(1), default=100, show_default=True, help="Of a kind.")
@click.option("--samples", type=click.IntRange(2), default=199, show_default=True)
@click.option("--first-seed", type=click.IntRange(0), default=0, help="Seeds from here on.")
@click.option("--arm", type=click.Choice(list(ARMS)), multiple=True, help="Who draws; both.")
@data_option
def main(
    bench: Bench, graphs: int, samples: int, first_seed: int, arm: tuple[str, ...], data: Path
) -> None:
    """Say how often something is called where nothing is to be found."""
    graphs, samples = (1, 19) if bench.quick else (graphs, samples)
    table = bench.table(
        f"Something called at {LEVEL}: null model {NULL}, {samples} random graphs, seeds from "
        f"{first_seed}",
        {
            "graph": "",
            "nodes": ",",
            "edges": ",",
            "sizes": "",
            "drawn by": "",
            "graphs": "",
            "called": "",
        },
    )
    called: dict[str, list[bool]] = {name: [] for name in arm or ARMS}
    for kind, name in itertools.product(kinds(data), called):
        if bench.quick and kind.name not in QUICK:
            continue
        seeds = range(first_seed, first_seed + graphs)
        # what draws the graph shares no stream with what draws its random graphs
        found = [
            is_called(kind, ARMS[name](kind.graph, 10**6 + seed), samples, seed) for seed in seeds
        ]
        called[name] += found
        nodes, edges = kind.graph.num_nodes, kind.graph.num_edges
        sizes = ", ".join(map(str, kind.sizes))
        table.add(kind.name, nodes, edges, sizes, name, graphs, sum(found))
    for name, found in called.items():
        low, high = binomtest(sum(found), len(found)).proportion_ci(method="wilson")
        bench.note(
            f"Drawn by {name}: something is called in {sum(found)} of {len(found)} graphs, "
            f"{sum(found) / len(found):.1%}, 95 % interval {low:.1%} to {high:.1%}."
        )


if __name__ == "__main__":
    main()
