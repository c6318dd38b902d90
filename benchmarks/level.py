"""Does the comparison with random graphs hold its level, and does it see what is there?

Level: every graph is drawn anew from the null model, by the tool's own walk or by the rewiring of
igraph, so that nothing sets it apart from its random graphs. In at most 5 % of the graphs may any
structure of any family be called. Power: structures that are known to be frequent, in real graphs
and where copies were planted.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import igraph
import networkx as nx
import numpy as np
from record import Bench
from scipy.stats import binomtest

from gomkcn.mining.counting.census import Counts, count_in_each, subgraphs_of
from gomkcn.mining.counting.query import INDUCED, SUBGRAPH
from gomkcn.mining.counting.watching import spend_freely
from gomkcn.mining.patterns.choice import compare_censuses
from gomkcn.mining.significance.null_models import null_model
from gomkcn.mining.significance.random_graphs import RandomGraphs, sample_null
from gomkcn.mining.structures.categories import NO_CATEGORIES
from gomkcn.mining.structures.pattern import LESS, LEVEL, MORE
from gomkcn.synthetic import MOTIFS
from gomkcn_dgl import CSRGraph, as_csr, read_graph
from gomkcn_dgl.graphs.structure import Structure

NULL = "degree"
# of an outside walk
ATTEMPTS_PER_EDGE = 20
# graphs of a kind, and random graphs of each
GRAPHS, SAMPLES = 100, 199
# small graphs take less time together
TOGETHER = 16
QUICK = ("karate club", "E. coli")
# graphs of each case of the power, of which large ones have fewer, and their first seed
CASES, LARGE, FIRST_SEED = 10, 3, 1000
LOOP, BIFAN = MOTIFS["feed-forward-loop"], MOTIFS["bi-fan"]
CLIQUE, TRIANGLE = Structure.parse("clique-4"), Structure.parse("triangle")


@dataclass(frozen=True)
class Kind:
    """Graphs with the degrees of one, and the sizes of the structures that are counted."""

    name: str
    graph: CSRGraph
    sizes: range = range(3, 6)
    # igraph keeps no relations
    drawn_by: tuple[str, ...] = ("tool", "igraph")


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
    yield Kind("E. coli, signed", read_graph(regulation), range(3, 5), ("tool",))
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
    every = [graph, *(graphs.draw(number) for number in range(num_samples))]
    together = (every[k : k + TOGETHER] for k in range(0, len(every), TOGETHER))
    return [
        counts
        for some in together
        for counts in count_in_each(some, sizes, NO_CATEGORIES, spend_freely)
    ]


def is_called(kind: Kind, graph: CSRGraph, num_samples: int, seed: int) -> bool:
    """Whether any structure is called more or less frequent than in random graphs."""
    found = compare_censuses(NULL, draw_censuses(graph, kind.sizes, num_samples, seed))
    return any(one.is_called for one in found.values())


def main(bench: Bench) -> None:
    """Say how often something is called where nothing is to be found."""
    graphs, samples = (1, 19) if bench.quick else (GRAPHS, SAMPLES)
    table = bench.table(
        f"Something called at {LEVEL}: null model {NULL}, {samples} random graphs, seeds from 0",
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
    called: dict[str, list[bool]] = {name: [] for name in ARMS}
    rows = ((kind, name) for kind in kinds(bench.data) for name in kind.drawn_by)
    for kind, name in rows:
        if bench.quick and kind.name not in QUICK:
            continue
        # what draws the graph shares no stream with what draws its random graphs
        found = [
            is_called(kind, ARMS[name](kind.graph, 10**6 + seed), samples, seed)
            for seed in range(graphs)
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


@dataclass(frozen=True)
class Case:
    """Graphs in which a structure should be called; without one, anything."""

    name: str
    graph: Callable[[int], CSRGraph]
    sought: tuple[Structure, ...] = ()
    readings: tuple[str, ...] = (INDUCED,)
    is_large: bool = False


def sizes_of(graph: CSRGraph) -> range:
    """Sizes of which all structures are counted."""
    return range(3, 5 if graph.is_directed else 6)


def planted(motif: nx.Graph, copies: int, seed: int) -> CSRGraph:
    """Copies of a motif on nodes of a random graph of 300 nodes and 900 edges, which all stay."""
    graph = nx.gnm_random_graph(300, 900, seed=seed)
    nodes = np.random.default_rng(seed).permutation(300)[: copies * len(motif)]
    for own in nodes.reshape(copies, -1).tolist():
        graph.add_edges_from((own[i], own[j]) for i, j in motif.edges)
    return as_csr(graph)


def cases(folder: Path) -> Iterator[Case]:
    """What is known to be there."""
    cliques, prism = nx.complete_graph(4), nx.circular_ladder_graph(3)
    yield Case("ER(300, 900) + 5 K4", lambda seed: planted(cliques, 5, seed), (CLIQUE,))
    yield Case("ER(300, 900) + 20 prisms", lambda seed: planted(prism, 20, seed))
    real = {kind.name: kind.graph for kind in kinds(folder)}
    if "E. coli, directed" not in real:
        return
    yield Case("E. coli", lambda _: real["E. coli, directed"], (LOOP, BIFAN))
    neurons, both = real["C. elegans, directed"], (INDUCED, SUBGRAPH)
    yield Case("C. elegans", lambda _: neurons, (LOOP, BIFAN), both)
    authors = read_graph(folder / "snap" / "ca-GrQc.txt.gz")
    yield Case("ca-GrQc", lambda _: authors, (TRIANGLE,), is_large=True)


def power(bench: Bench) -> None:
    """Count how often what is there is called."""
    samples, num_seeds = (99, 1) if bench.quick else (SAMPLES, CASES)
    seeds = range(FIRST_SEED, FIRST_SEED + num_seeds)
    table = bench.table(
        f"Power: called at {LEVEL} of all of 3 to 5 nodes, directed 3 and 4; last five: medians",
        dict.fromkeys(("graph", "random graphs", "structure", "reading", "seeds", MORE, LESS), "")
        | {"observed": ",.0f", "mean": ",.1f", "sd": ",.1f", "z": ".1f", "adjusted p": ".3f"},
    )
    for case in cases(bench.data):
        own, number = (seeds[:LARGE], min(samples, 99)) if case.is_large else (seeds, samples)
        if bench.quick and (case.is_large or SUBGRAPH in case.readings):
            continue
        # the same random graphs for each reading
        graphs = [case.graph(seed) for seed in own]
        drawn = [draw_censuses(g, sizes_of(g), number, s) for g, s in zip(graphs, own, strict=True)]
        for reading in case.readings:
            if reading == SUBGRAPH:
                drawn = [list(map(subgraphs_of, counts)) for counts in drawn]
            verdicts = [compare_censuses(NULL, counts) for counts in drawn]
            found = [{one.key: each for one, each in known.items()} for known in verdicts]
            for one in case.sought or (None,):
                sought = [[each[one.key]] if one else list(each.values()) for each in found]
                words = [{v.verdict for v in each} for each in sought]
                more, less = (sum(word in each for each in words) for word in (MORE, LESS))
                numbers = [(v.observed, v.mean, v.sd, v.z, v.p_adjusted) for (v, *_) in sought]
                medians = np.median(np.array(numbers, float), axis=0).tolist()
                start = case.name, number, one.name if one else "any", reading, len(own)
                table.add(*start, more, less, *(medians if one else [None] * 5))
