"""Does the comparison with random graphs hold its level, and does it see what is there?

Random graphs are drawn as by default, while any structure is near the level. Level: every graph is
drawn anew from the null model, by the tool's own walk or by the rewiring of igraph, so that nothing
sets it apart from its random graphs. In at most 5 % of the graphs may any structure of any family
be called. Other hosts are no draws of the null model: what is called there says how they were made.
Power: structures that are known to be frequent, in real graphs and where copies were planted.
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

from gomkcn.mining.counting.census import CensusTable, count_in_each, subgraphs_of
from gomkcn.mining.counting.query import INDUCED, SUBGRAPH
from gomkcn.mining.counting.watching import spend_freely
from gomkcn.mining.patterns.random_censuses import compare_censuses, looks_are_over
from gomkcn.mining.significance.looks import Looks
from gomkcn.mining.significance.null_models import null_model
from gomkcn.mining.significance.random_graphs import RandomGraphs, sample_null
from gomkcn.mining.structures.categories import NO_CATEGORIES
from gomkcn.mining.structures.descriptions import describe_structure
from gomkcn.mining.structures.pattern import LESS, LEVEL, MORE
from gomkcn.synthetic import MOTIFS
from gomkcn_dgl import CSRGraph, as_csr, read_graph
from gomkcn_dgl.graphs.structure import Structure

NULL = "degree"
# of an outside walk
ATTEMPTS_PER_EDGE = 20
# as many random graphs of each graph as nobody asks for
LOOKS = Looks()
QUICK_LOOKS = Looks(19, 19)
FEW = Looks(99, 99)
# small graphs take less time together
TOGETHER = 16
QUICK = ("karate club", "E. coli")
# graphs of each case of the power, of which large ones have fewer, and their first seed
CASES, LARGE, FIRST_SEED = 10, 3, 1000
LOOP, BIFAN = MOTIFS["feed-forward-loop"], MOTIFS["bi-fan"]
COHERENT = Structure.parse("a-[activates]->b, a-[activates]->c, b-[activates]->c")
CLIQUE, TRIANGLE = Structure.parse("clique-4"), Structure.parse("triangle")


@dataclass(frozen=True)
class Kind:
    """Graphs with the degrees of one, and the sizes of the structures that are counted."""

    name: str
    graph: CSRGraph
    sizes: range = range(3, 6)
    # of those that take long fewer, and of the others more, for 1,000 that the tool draws
    graphs: int = 100
    by_igraph: int = 100


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
    yield Kind("karate club", as_csr(nx.Graph(nx.karate_club_graph().edges)), graphs=125)
    novel = as_csr(nx.Graph(nx.les_miserables_graph().edges))
    yield Kind("Les Misérables", novel, graphs=125)
    hubs = [60, 40, 40, 30, 20, 20, *[3] * 40, *[2] * 60, *[1] * 80]
    yield Kind("hubs", as_csr(nx.havel_hakimi_graph(hubs)), graphs=125)
    yield Kind("Barabási–Albert", as_csr(nx.barabasi_albert_graph(200, 2, seed=0)), graphs=125)
    yield Kind("Erdős–Rényi", as_csr(nx.gnm_random_graph(200, 500, seed=0)), graphs=125)
    degrees = power_law_degrees(300, 1.8, 60, 0)
    yield Kind("power law", as_csr(nx.havel_hakimi_graph(degrees)))
    if not folder.is_dir():
        return
    regulation = folder / "directed" / "ecoli_regulation.csv"
    plain = read_graph(regulation, relation="none", directed=False)
    yield Kind("E. coli", plain, by_igraph=50)
    directed = read_graph(regulation, relation="none", directed=True)
    yield Kind("E. coli, directed", directed, range(3, 5), by_igraph=15)
    # igraph keeps no relations
    yield Kind("E. coli, signed", read_graph(regulation), range(3, 5), graphs=50, by_igraph=0)
    neurons = read_graph(folder / "directed" / "celegansneural.gml", relation="none", directed=True)
    yield Kind("C. elegans, directed", neurons, range(3, 4), graphs=25, by_igraph=10)


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


def draw_censuses(graph: CSRGraph, sizes: range, looks: Looks, seed: int) -> CensusTable:
    """The census of a graph, then those of its random graphs, until the looks at them are over."""
    graphs = RandomGraphs(null_model(NULL, graph), graph, seed)
    censuses = count_in_each([graph], sizes, NO_CATEGORIES, spend_freely)
    for end in looks.ends:
        numbers = range(len(censuses.counts) - 1, end)
        for some in (numbers[k : k + TOGETHER] for k in range(0, len(numbers), TOGETHER)):
            drawn = [graphs.draw(number) for number in some]
            counted = count_in_each(drawn, sizes, NO_CATEGORIES, spend_freely)
            censuses = CensusTable.joined([censuses, counted])
        if looks_are_over(censuses, looks):
            break
    return censuses


def called_and_drawn(kind: Kind, graph: CSRGraph, looks: Looks, seed: int) -> tuple[bool, int]:
    """Whether any structure is called more or less frequent, and the number of random graphs."""
    drawn = draw_censuses(graph, kind.sizes, looks, seed)
    found = compare_censuses(NULL, drawn, looks)
    return any(one.is_called for one in found.values()), len(drawn.counts) - 1


def hosts() -> Iterator[tuple[str, int, Callable[[int], nx.Graph]]]:
    """Kinds, numbers, and graphs whose nodes are joined by more than degrees, nothing planted."""
    yield "Barabási–Albert", 20, lambda seed: nx.barabasi_albert_graph(200, 2, seed=seed)
    inside, between = 0.08, 0.01
    shares = [[inside if i == j else between for j in range(4)] for i in range(4)]
    yield "four blocks", 5, lambda seed: nx.stochastic_block_model([50] * 4, shares, seed=seed)
    yield "Watts–Strogatz", 5, lambda seed: nx.watts_strogatz_graph(200, 4, 0.2, seed=seed)


def main(bench: Bench) -> None:
    """Say how often something is called where nothing is to be found."""
    looks = QUICK_LOOKS if bench.quick else LOOKS
    said = f"{looks.first} to {looks.most:,} random graphs"
    table = bench.table(
        f"Something called at {LEVEL}: null model {NULL}, {said}, seeds from 0",
        {
            "graph": "",
            "nodes": ",",
            "edges": ",",
            "sizes": "",
            "drawn by": "",
            "graphs": "",
            "called": "",
            "random graphs, mean": ",.0f",
        },
    )
    called: dict[str, list[bool]] = {name: [] for name in ARMS}
    rows = (
        (kind, name, graphs)
        for kind in kinds(bench.data)
        for name, graphs in (("tool", kind.graphs), ("igraph", kind.by_igraph))
        if graphs
    )
    for kind, name, graphs in rows:
        if bench.quick and kind.name not in QUICK:
            continue
        graphs = 1 if bench.quick else graphs
        # what draws the graph shares no stream with what draws its random graphs
        found = [
            called_and_drawn(kind, ARMS[name](kind.graph, 10**6 + seed), looks, seed)
            for seed in range(graphs)
        ]
        called[name] += [is_called for is_called, _ in found]
        nodes, edges = kind.graph.num_nodes, kind.graph.num_edges
        sizes = ", ".join(map(str, kind.sizes))
        number, mean = sum(is_called for is_called, _ in found), np.mean([n for _, n in found])
        table.add(kind.name, nodes, edges, sizes, name, graphs, number, float(mean))
    for name, found in called.items():
        low, high = binomtest(sum(found), len(found)).proportion_ci(method="wilson")
        bench.note(
            f"Drawn by {name}: something is called in {sum(found)} of {len(found)} graphs, "
            f"{sum(found) / len(found):.1%}, 95 % interval {low:.1%} to {high:.1%}."
        )
    others = bench.table(
        "Hosts that are no draws of the null model",
        {"host": "", "sizes": "", "graphs": "", "called": "", "random graphs, mean": ",.0f"},
    )
    for name, graphs, make in hosts():
        kind = Kind(name, as_csr(make(0)))
        seeds = range(1 if bench.quick else graphs)
        found = [called_and_drawn(kind, as_csr(make(seed)), looks, seed) for seed in seeds]
        number, mean = sum(is_called for is_called, _ in found), np.mean([n for _, n in found])
        sizes = ", ".join(map(str, kind.sizes))
        others.add(name, sizes, len(seeds), number, float(mean))


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
    yield Case("E. coli, signed", lambda _: real["E. coli, signed"], (LOOP, COHERENT, BIFAN))
    authors = read_graph(folder / "snap" / "ca-GrQc.txt.gz")
    yield Case("ca-GrQc", lambda _: authors, (TRIANGLE,), is_large=True)


def power(bench: Bench) -> None:
    """Count how often what is there is called."""
    usual, num_seeds = (FEW, 1) if bench.quick else (LOOKS, CASES)
    seeds = range(FIRST_SEED, FIRST_SEED + num_seeds)
    table = bench.table(
        f"Power: called at {LEVEL} of all of 3 to 5 nodes, directed 3 and 4; last six: medians",
        dict.fromkeys(("graph", "structure", "reading", "seeds", MORE, LESS), "")
        | {
            "random graphs": ",.0f",
            "observed": ",.0f",
            "mean": ",.1f",
            "sd": ",.1f",
            "z": ".1f",
            "adjusted p": ".3f",
        },
    )
    for case in cases(bench.data):
        own, looks = (seeds[:LARGE], FEW) if case.is_large else (seeds, usual)
        if bench.quick and (case.is_large or SUBGRAPH in case.readings):
            continue
        # the same random graphs for each reading
        graphs = [case.graph(seed) for seed in own]
        drawn = [draw_censuses(g, sizes_of(g), looks, s) for g, s in zip(graphs, own, strict=True)]
        for reading in case.readings:
            if reading == SUBGRAPH:
                drawn = [CensusTable.of(*map(subgraphs_of, counts.rows())) for counts in drawn]
            verdicts = [compare_censuses(NULL, counts, looks) for counts in drawn]
            found = [{one.key: each for one, each in known.items()} for known in verdicts]
            for one in case.sought or (None,):
                sought = [[each[one.key]] if one else list(each.values()) for each in found]
                words = [{v.verdict for v in each} for each in sought]
                more, less = (sum(word in each for each in words) for word in (MORE, LESS))
                numbers = [
                    (v.num_samples, v.observed, v.mean, v.sd, v.z, v.p_adjusted)
                    for (v, *_) in sought
                ]
                medians = np.median(np.array(numbers, float), axis=0).tolist()
                name = (one.name or describe_structure(one)) if one else "any"
                start = case.name, name, reading, len(own)
                shown = medians if one else [medians[0], *[None] * 5]
                table.add(*start, more, less, *shown)
