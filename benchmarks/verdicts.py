"""Do verdicts find what is there, say what was drawn, and hold their level through the whole tool?

    python benchmarks/verdicts.py            all parts, written to results/verdicts.*
    python benchmarks/verdicts.py --quick    a graph or two of each part, nothing written

1. Power: structures that are known to be frequent, in real graphs and where copies were planted.
2. Means: mean and standard deviation as they are printed, beside those of the counts that were
   drawn, and beside independent random graphs of igraph.
3. Level: graphs drawn from the null model, among them hubs, through a whole `PatternMiner`.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import networkx as nx
import numpy as np
from level import ARMS, NULL, QUICK, by_igraph, draw_censuses, kinds, power_law_degrees
from record import Bench, bench_command, data_option
from scipy.stats import binomtest

from gomkcn_dgl import CSRGraph, as_csr, read_graph
from gomkcn_dgl.graphs.structure import Structure
from mining import PatternMiner
from mining.choice import compare_censuses
from mining.counting.sought import INDUCED, SUBGRAPH
from mining.counting.structure_counts import count_structures, subgraphs_of
from mining.mined_graph import MinedGraph
from mining.pattern import LESS, LEVEL, MORE, NullComparison
from synthetic import MOTIFS

LOOP, BIFAN = MOTIFS["feed-forward-loop"], MOTIFS["bi-fan"]
CLIQUE, TRIANGLE = Structure.parse("clique-4"), Structure.parse("triangle")
# structures of each of ten graphs, and resamples of a bootstrap
NUM_STRUCTURES, NUM_RESAMPLES = 20, 1000
POWER_LAW = "power law, exponent 1.3"
# graphs of the level, and who draws them
SETS = ("Les Misérables", "tool"), (POWER_LAW, "tool"), ("E. coli", "tool"), ("E. coli", "igraph")
# attempts of igraph for each edge of an independent graph
MANY_ATTEMPTS = 100


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


def show_power(bench: Bench, seeds: range, samples: int, folder: Path) -> None:
    """Count how often what is there is called."""
    table = bench.table(
        f"Power: called at {LEVEL} of all of 3 to 5 nodes, directed 3 and 4; last five: medians",
        dict.fromkeys(("graph", "random graphs", "structure", "reading", "seeds", MORE, LESS), "")
        | {"observed": ",.0f", "mean": ",.1f", "sd": ",.1f", "z": ".1f", "adjusted p": ".3f"},
    )
    for case in cases(folder):
        own, number = (seeds[:3], min(samples, 99)) if case.is_large else (seeds, samples)
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


def graphs_of_means(folder: Path) -> Iterator[tuple[str, CSRGraph]]:
    """Ten graphs; those of igraph have the same degrees, and are alike where no edge is mutual."""
    yield POWER_LAW, hubs(0)
    for kind in kinds(folder):
        if kind.name == "C. elegans, directed":
            neurons = folder / "directed" / "celegansneural.gml"
            yield "C. elegans", read_graph(neurons, relation="none", directed=False)
        else:
            yield kind.name, kind.graph


def hubs(seed: int) -> CSRGraph:
    """A graph of 300 nodes with degrees up to 60, of an exponent of 1.3."""
    return as_csr(nx.havel_hakimi_graph(power_law_degrees(300, 1.3, 60, seed)))


def rewired(graph: CSRGraph, seed: int) -> CSRGraph:
    """An independent random graph of igraph, without mutual edges if the graph has none."""
    tries = (by_igraph(graph, number, MANY_ATTEMPTS) for number in itertools.count(seed, 10**6))
    # two edges that join the same nodes are one pair
    return next(one for one in tries if one.num_edges == len(one.adjacent_pairs()))


def show_means(bench: Bench, seed: int, samples: int, independent: int, folder: Path) -> None:
    """Compare what is printed of structures with the counts that were drawn, and with others."""
    table = bench.table(
        f"Means of {samples} random graphs: printed, recomputed from the drawn counts, and beside "
        f"{independent:,} independent random graphs",
        dict.fromkeys(("graph", "structures", "mean, sd as drawn", "within 3 se", "alone"), "")
        | {"largest": ".2f"},
    )
    rng, totals = np.random.default_rng(seed), np.zeros(4, int)
    for name, graph in graphs_of_means(folder):
        if bench.quick and name not in QUICK:
            continue
        # 1. what is printed, and the drawn counts: nodes are renumbered before
        sizes = sizes_of(graph)
        printed = verdicts_of(graph, samples, seed)
        renumbered = MinedGraph.of(graph).graph
        drawn = draw_censuses(renumbered, sizes, samples, seed)[1:]
        able = [one for one in drawn[0] if one.key in printed and any(c[one] for c in drawn)]
        chosen = [able[i] for i in rng.permutation(len(able))[:NUM_STRUCTURES]]
        # 2. exactly, from whole numbers
        alike = 0
        for one in chosen:
            counts = [census[one] for census in drawn]
            exact, own = [statistics.mean(counts), statistics.stdev(counts)], printed[one.key]
            alike += bool(np.allclose([own.mean, own.sd], exact, rtol=1e-9))
        # 3. beside independent graphs
        numbers = range(seed, seed + independent)
        others = [count_structures(rewired(graph, number), sizes) for number in numbers]
        mine, theirs = (
            np.array([[census[one] for one in chosen] for census in censuses], np.float64)
            for censuses in (drawn, others)
        )
        away = np.abs(mine.mean(axis=0) - theirs.mean(axis=0))
        own_error, error = _bootstrap_error(mine, rng), _bootstrap_error(theirs, rng)
        both = np.hypot(own_error, error)
        within, alone = (int((away <= 3 * one).sum()) for one in (both, own_error))
        ratio = np.divide(away, both, out=np.zeros_like(away), where=both > 0)
        table.add(name, len(chosen), alike, within, alone, float(ratio.max()))
        totals += len(chosen), alike, within, alone
    bench.note(
        f"Of {totals[0]} structures {totals[1]} have the mean and the standard deviation of the "
        f"drawn counts; for {totals[2]} the mean is within 3 standard errors, by a bootstrap, of "
        f"that of the independent graphs ({totals[3]}: with the error of the drawn one alone)."
    )


def verdicts_of(graph: CSRGraph, samples: int, seed: int) -> dict[bytes, NullComparison]:
    """What a miner says of all structures, by their keys."""
    sizes = sizes_of(graph)[0], sizes_of(graph)[-1]
    miner = PatternMiner(3, sizes, null_samples=samples, num_epochs=0, random_state=seed)
    miner.fit(graph, quiet=True)
    every = [*miner.patterns_, *miner.others_]
    return {one.key: one.significance[NULL] for one in every if one.significance}


def _bootstrap_error(counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The standard error ``[S]`` of the mean of counts ``[N, S]``."""
    number = len(counts)
    weights = rng.multinomial(number, np.full(number, 1 / number), NUM_RESAMPLES)
    error: np.ndarray = (weights @ counts / number).std(axis=0, ddof=1)
    return error


def show_level(bench: Bench, seeds: range, samples: int, folder: Path) -> None:
    """Mine graphs in which nothing is to be found."""
    real = {kind.name: kind.graph for kind in kinds(folder)}
    table = bench.table(
        f"Level through PatternMiner, {samples} random graphs, 3 to 5 nodes",
        dict.fromkeys(("graph", "drawn by", "graphs", "anything called"), ""),
    )
    called: list[bool] = []
    for name, arm in SETS:
        if name not in real and name != POWER_LAW:
            continue
        found = []
        for seed in seeds:
            # what draws the graph shares no stream with what draws its random graphs
            graph = ARMS[arm](real[name] if name in real else hubs(seed), 10**6 + seed)
            verdicts = verdicts_of(graph, samples, seed)
            found.append(any(one.is_called for one in verdicts.values()))
        table.add(name, arm, len(found), sum(found))
        called += found
    low, high = binomtest(sum(called), len(called)).proportion_ci(method="wilson")
    bench.note(
        f"Anything is called in {sum(called)} of {len(called)} graphs, "
        f"{sum(called) / len(called):.1%}, 95 % interval {low:.1%} to {high:.1%}."
    )


@bench_command("verdicts", usual_repeats=1, how="run of each seed")
@click.option("--first-seed", type=click.IntRange(0), default=1000, help="Seeds from here on.")
@click.option("--graphs", type=click.IntRange(1), default=50, help="Of each set of the level.")
@data_option
def main(bench: Bench, first_seed: int, graphs: int, data: Path) -> None:
    """Say what verdicts find, whether they say what was drawn, and how often they err."""
    seeds, samples, independent = range(first_seed, first_seed + 10), 199, 1000
    if bench.quick:
        seeds, samples, graphs, independent = seeds[:1], 99, 1, 50
    show_power(bench, seeds, samples, data)
    show_means(bench, first_seed, samples, independent, data)
    show_level(bench, range(first_seed, first_seed + graphs), samples, data)


if __name__ == "__main__":
    main()
