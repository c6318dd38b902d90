"""Time the generators of known answers beside NetworkX, compilation counted apart.

python benchmarks/generators.py
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import networkx as nx
from measure import time_interleaved
from record import Bench, bench_command

from synthetic import MotifClassificationDataset, barabasi_albert

_COLD = """
import synthetic, time
start = time.perf_counter()
{call}
print(time.perf_counter() - start)
"""
# NetworkX makes a part of what we make, and its time is multiplied
PEER_PART = 10


@dataclass(frozen=True)
class Row:
    name: str
    cold: str
    ours: Callable[[], Any]
    peer: Callable[[], Any]


def first_call(call: str) -> float:
    """Seconds of a call in a fresh interpreter, imports left out, compilation included."""
    answer = subprocess.run(
        [sys.executable, "-c", _COLD.format(call=call)], capture_output=True, text=True, check=True
    )
    return float(answer.stdout.split()[-1])


def networkx_classification_graphs(count: int) -> None:
    """What the graphs would take in NetworkX: a BA graph and a motif, joined by an edge."""
    for seed in range(count):
        graph = nx.barabasi_albert_graph(25, 1, seed=seed)
        nx.disjoint_union(graph, nx.cycle_graph(6)).add_edge(0, 25)


def classification(num_graphs: int) -> Row:
    return Row(
        f"{num_graphs} motif graphs (MotifClassificationDataset)",
        f"synthetic.MotifClassificationDataset({num_graphs})",
        lambda: MotifClassificationDataset(num_graphs),
        lambda: networkx_classification_graphs(num_graphs // PEER_PART),
    )


def attachment(num_nodes: int, edges_per_node: int) -> Row:
    return Row(
        f"Barabási–Albert, {num_nodes:,} nodes, edges a node: {edges_per_node}",
        f"synthetic.barabasi_albert({num_nodes}, {edges_per_node}, seed=0)",
        lambda: barabasi_albert(num_nodes, edges_per_node, seed=0),
        lambda: nx.barabasi_albert_graph(num_nodes // PEER_PART, edges_per_node, seed=0),
    )


@bench_command("generators")
def main(bench: Bench) -> None:
    """Make graphs whose answer is known, beside NetworkX."""
    size = 100 if bench.quick else 10**6
    table = bench.table(
        "",
        {
            "what": "",
            "first call, s": ".2f",
            "later calls": "",
            f"NetworkX (1/{PEER_PART}, times {PEER_PART})": "",
            "ratio": ",.0f",
        },
    )
    for row in (
        classification(40 if bench.quick else 8000),
        attachment(size, 1),
        attachment(size, 4),
    ):
        timings = time_interleaved({"ours": row.ours, "peer": row.peer}, bench.repeats)
        ours, peer = timings["ours"], timings["peer"] * PEER_PART
        table.add(row.name, first_call(row.cold), ours, peer, peer.median / ours.median)


if __name__ == "__main__":
    main()
