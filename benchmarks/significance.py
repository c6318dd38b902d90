"""Are the verdicts right? Graphs with nothing planted beside null models.

    python benchmarks/significance.py            every row, written to results/significance.*
    python benchmarks/significance.py --quick    one small graph a row, nothing written

Graphs with nothing planted are mined, and all structures that were judged are looked at. Where the
null model fits, at most 5 % of the graphs may have a pattern with q of at most .05.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import click
import networkx as nx
import numpy as np
from measure import use_threads
from record import Bench, bench_command
from scipy.stats import binomtest

from gomkcn_dgl import as_csr
from mining import PatternMiner
from mining.records.significance import LEVEL, UNDECIDED

SIZES = (3, 6)
# as many as the ones that are judged, nearly
MOST_PATTERNS = 40
NOTES = (
    "A null model fits if graphs of this kind differ from it by chance alone. An Erdős–Rényi graph "
    "is one of all graphs with its degrees; a Barabási–Albert graph is nearly one of all with its "
    "joint degrees; blocks have a null model of their own, and a ring lattice with 10 % of its "
    "edges moved and points joined to near ones have none.",
    "A warning says that triangles are not what the null model explains, and that patterns with "
    "triangles stand out for that reason alone.",
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
    yield Row("stochastic blocks", "communities")
    for graph in ("Watts–Strogatz, 10 % moved", "geometric", "stochastic blocks"):
        yield Row(graph, "degree", fits=False)


@bench_command("significance", usual_repeats=1, how="run of each seed, one thread a run")
@click.option("--seeds", type=click.IntRange(1), default=40, show_default=True)
@click.option("--first-seed", type=click.IntRange(0), default=0, help="Seeds from here on.")
def main(bench: Bench, seeds: int, first_seed: int) -> None:
    """Say how often a pattern stands out where nothing does."""
    use_threads(1)
    seeds, num_nodes, most = (1, 120, 8) if bench.quick else (seeds, 200, 32)
    table = bench.table(
        f"Nothing planted: {num_nodes} nodes, structures of {SIZES[0]} to {SIZES[1]} nodes, "
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
    fitting: list[bool] = []
    for row in all_rows():
        different, warned, verdicts = [], 0, []
        number = seeds if row.fits else max(1, seeds // 4)
        for seed in range(first_seed, first_seed + number):
            miner = PatternMiner(
                num_patterns=MOST_PATTERNS,
                pattern_size=SIZES,
                null=row.null,
                null_samples=most,
                num_epochs=0,
                random_state=seed,
            ).fit(as_csr(GRAPHS[row.graph](num_nodes, seed)), quiet=True)
            found = [one.significance[row.null] for one in miner.patterns_]
            # both readings: all occurrences, and those that are set apart
            found += [one.apart for one in found if one.apart is not None]
            different.append(any(one.q <= LEVEL for one in found))
            warned += bool(miner.warnings_)
            verdicts += [one.verdict for one in found]
        low, high = interval(different)
        fitting += different if row.fits else []
        table.add(
            row.graph,
            row.null,
            "yes" if row.fits else "no",
            len(different),
            sum(different),
            f"{low:.1%} to {high:.1%}",
            float(np.mean([one == UNDECIDED for one in verdicts])),
            f"{warned} of {len(different)}",
        )
    low, high = interval(fitting)
    bench.note(
        f"Beside null models that fit, {sum(fitting)} of {len(fitting)} graphs have a pattern with "
        f"q of at most .05: {np.mean(fitting):.1%}, 95 % interval {low:.1%} to {high:.1%}."
    )
    for note in NOTES:
        bench.note(note)


def interval(different: list[bool]) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    low, high = binomtest(sum(different), len(different)).proportion_ci(method="wilson")
    return low, high


if __name__ == "__main__":
    main()
