"""Are the verdicts right? Graphs with nothing planted beside null models, and planted ones.

    python benchmarks/significance.py            every row, written to results/significance.*
    python benchmarks/significance.py --quick    one small graph a row, nothing written

Structures are gathered as the miner gathers them, counted in the whole graph and in graphs of a
null model, and judged. Where nothing is planted and the null model fits, at most 5 % of the graphs
may have a pattern with q of at most .05.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import click
import networkx as nx
import numpy as np
from measure import use_threads
from planted_graphs import MOTIFS_OF_SIZE, make_planted
from record import Bench, bench_command
from scipy.stats import binomtest

from gomkcn_dgl import CSRGraph, as_csr
from mining.candidates.candidates import gather_candidates
from mining.counting.exact_counts import count_exact
from mining.judging.null_comparison import compare_with_null
from mining.judging.ranking import find_families
from mining.null_models.null_fit import fit_of
from mining.records.occurrence_count import OccurrenceCount
from mining.records.significance import LEVEL, MORE, UNDECIDED, Significance
from mining.structures.categories import NO_CATEGORIES
from mining.structures.structure import Structure
from synthetic import MOTIFS

SIZES = range(3, 7)
# of larger numbers of occurrences, which the trees have, structures are left out to save time
MOST_OCCURRENCES = 30_000
NOTES = (
    "A null model fits if graphs of this kind differ from it by chance alone. An Erdős–Rényi graph "
    "is one of all graphs with its degrees; a Barabási–Albert graph is nearly one of all with its "
    "joint degrees; a ring lattice with 10 % of its edges moved, points joined to near ones, and "
    "blocks have null models of their own.",
    "A warning says that triangles are not what the null model explains, and that patterns with "
    "triangles stand out for that reason alone.",
    "First patterns: graphs in which the planted motifs come before all else in the order by "
    "surprise. Patterns with q ≤ .05 beside planted motifs are their parts and extensions, and "
    "what the null model makes of their edges elsewhere.",
)


def watts_strogatz(num_nodes: int, share: float, seed: int) -> nx.Graph:
    return nx.watts_strogatz_graph(num_nodes, 6, share, seed=seed)


def blocks(num_nodes: int, seed: int) -> nx.Graph:
    """Four blocks, an edge inside of them eight times as likely as one between."""
    probabilities = (np.full((4, 4), 2.0) + 14 * np.eye(4)) / num_nodes
    return nx.stochastic_block_model([num_nodes // 4] * 4, probabilities.tolist(), seed=seed)


def near_points(num_nodes: int, seed: int) -> nx.Graph:
    return nx.random_geometric_graph(num_nodes, np.sqrt(6 / (np.pi * num_nodes)), seed=seed)


GRAPHS: dict[str, Callable[[int, int], nx.Graph]] = {
    "Erdős–Rényi": lambda n, seed: nx.gnp_random_graph(n, 5 / n, seed=seed),
    "Barabási–Albert": lambda n, seed: nx.barabasi_albert_graph(n, 2, seed=seed),
    "Watts–Strogatz, all edges moved": lambda n, seed: watts_strogatz(n, 1.0, seed),
    "Watts–Strogatz, 10 % moved": lambda n, seed: watts_strogatz(n, 0.1, seed),
    "stochastic blocks": blocks,
    "geometric": near_points,
}


@dataclass(frozen=True)
class Row:
    """Graphs of one kind beside one null model, and whether it fits them."""

    graph: str
    null: str
    fits: bool = True


def all_rows() -> Iterator[Row]:
    yield Row("Erdős–Rényi", "degree")
    yield Row("Erdős–Rényi", "configuration")
    yield Row("Barabási–Albert", "degree")
    yield Row("Watts–Strogatz, all edges moved", "degree")
    yield Row("Watts–Strogatz, 10 % moved", "small-world")
    yield Row("stochastic blocks", "communities")
    yield Row("geometric", "geometric")
    for graph in ("Watts–Strogatz, 10 % moved", "geometric", "stochastic blocks"):
        yield Row(graph, "degree", fits=False)
    for graph in ("Watts–Strogatz, 10 % moved", "geometric"):
        yield Row(graph, "triangles", fits=False)


def gather(graph: CSRGraph, seed: int, most: int) -> list[Structure]:
    """Structures that recur, but not extremely often."""
    found = gather_candidates(graph, None, SIZES, seed=seed, most=most)
    return [
        Structure(one.adjacency, one.colors)
        for one in found
        if count_exact(graph, one.adjacency, 0.02).at_least <= MOST_OCCURRENCES
    ]


def judge_graph(
    graph: CSRGraph, structures: Sequence[Structure], null: str, seed: int, most: int
) -> list[Significance]:
    """Compare all structures with a null model."""

    def count(sample: CSRGraph, numbers: Sequence[int]) -> list[OccurrenceCount]:
        adjacencies = [structures[number].adjacency for number in numbers]
        return [OccurrenceCount.exact(count_exact(sample, one).at_least) for one in adjacencies]

    observed = count(graph, range(len(structures)))
    return compare_with_null(graph, null, count, observed, least=8, most=most, seed=seed)


def add_unplanted(bench: Bench, seeds: int, num_nodes: int, most: int) -> None:
    """Graphs with nothing planted."""
    table = bench.table(
        f"Nothing planted: {num_nodes} nodes, structures of {SIZES[0]} to {SIZES[-1]} nodes, "
        f"8 to {most} samples",
        {
            "graph": "",
            "null model": "",
            "fits": "",
            "graphs": "",
            "with a pattern of q ≤ .05": "",
            "95 % interval of the share": "",
            "undecided patterns": ".1%",
            "with a warning": "",
        },
    )
    for row in all_rows():
        different, warned, verdicts = 0, 0, []
        number = seeds if row.fits else max(1, seeds // 4)
        for seed in range(number):
            graph = as_csr(GRAPHS[row.graph](num_nodes, seed))
            found = judge_graph(graph, gather(graph, seed, 40), row.null, seed, most)
            different += any(one.q <= LEVEL for one in found)
            warned += bool(fit_of(graph, row.null, seed=seed).warning)
            verdicts += [one.verdict for one in found]
        low, high = binomtest(different, number).proportion_ci(method="wilson")
        table.add(
            row.graph,
            row.null,
            "yes" if row.fits else "no",
            number,
            different,
            f"{low:.1%} to {high:.1%}",
            float(np.mean([one == UNDECIDED for one in verdicts])),
            f"{warned} of {number}",
        )


def add_planted(bench: Bench, seeds: int, num_nodes: int, most: int) -> None:
    """Barabási–Albert graphs with four motifs, 5 to 15 copies each."""
    table = bench.table(
        f"Four motifs of six nodes planted: {num_nodes} nodes, 8 to {most} samples, null model "
        "degree",
        {
            "BA edges": "",
            "graphs": "",
            "motifs with q ≤ .05": "",
            "first patterns": "",
            "families, median": "",
            "patterns with q ≤ .05, median": "",
        },
    )
    names = MOTIFS_OF_SIZE[6]
    planted = {Structure(MOTIFS[name].adjacency() != 0).certificate for name in names}
    for edges in (1, 2):
        first, significant, heads, others = 0, 0, [], []
        for seed in range(seeds):
            graph, _ = make_planted(names, edges, seed, num_nodes=num_nodes, features="constant")
            structures = gather(graph, seed, 100)
            found = judge_graph(graph, structures, "degree", seed, most)
            families = find_families(graph, structures, NO_CATEGORIES, found, seed=seed)
            certificates = [one.certificate for one in structures]
            order = [certificates[i] for i in families.order()]
            first += set(order[: len(names)]) == planted
            significant += sum(
                one.verdict == MORE and certificate in planted
                for one, certificate in zip(found, certificates, strict=True)
            )
            heads.append(len(families.heads))
            others.append(sum(one.q <= LEVEL for one in found))
        table.add(
            edges,
            seeds,
            f"{significant} of {seeds * len(names)}",
            f"{first} of {seeds}",
            float(np.median(heads)),
            float(np.median(others)),
        )


@bench_command("significance", usual_repeats=1, how="run of each seed, one thread a run")
@click.option("--seeds", type=click.IntRange(1), default=40, show_default=True)
def main(bench: Bench, seeds: int) -> None:
    """Say how often a pattern stands out where nothing does, and where something does."""
    use_threads(1)
    seeds, num_nodes, most = (1, 120, 8) if bench.quick else (seeds, 200, 32)
    add_unplanted(bench, seeds, num_nodes, most)
    add_planted(bench, max(1, seeds // 4), 500 if bench.quick else 1000, most)
    for note in NOTES:
        bench.note(note)


if __name__ == "__main__":
    main()
