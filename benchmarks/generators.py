"""Time the generators of known answers beside NetworkX, compilation counted apart.

    python benchmarks/generators.py

Prints a table and writes it to results/generators.md.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx

RESULTS = Path(__file__).parent / "results"
REPEATS = 5

_COLD = """
import synthetic, time
start = time.perf_counter()
{call}
print(time.perf_counter() - start)
"""


def first_call(call: str) -> float:
    """Seconds of a call in a fresh interpreter, imports left out, compilation included."""
    answer = subprocess.run(
        [sys.executable, "-c", _COLD.format(call=call)], capture_output=True, text=True, check=True
    )
    return float(answer.stdout.split()[-1])


def later_calls(call: Callable[[], Any]) -> list[float]:
    call()
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return seconds


def networkx_classification_graphs(count: int) -> None:
    """What the 8000 graphs would take in NetworkX: a BA graph and a motif, joined by an edge."""
    for seed in range(count):
        graph = nx.barabasi_albert_graph(25, 1, seed=seed)
        nx.disjoint_union(graph, nx.cycle_graph(6)).add_edge(0, 25)


def rows() -> list[dict[str, Any]]:
    from synthetic import MotifClassificationDataset, barabasi_albert

    return [
        {
            "what": "8000 motif graphs (MotifClassificationDataset)",
            "cold": "synthetic.MotifClassificationDataset()",
            "ours": MotifClassificationDataset,
            "peer": lambda: networkx_classification_graphs(800),
            "peer_part": 10,
        },
        {
            "what": "Barabási–Albert, 10^6 nodes, 1 edge a node",
            "cold": "synthetic.barabasi_albert(10**6, 1, seed=0)",
            "ours": lambda: barabasi_albert(10**6, 1, seed=0),
            "peer": lambda: nx.barabasi_albert_graph(10**5, 1, seed=0),
            "peer_part": 10,
        },
        {
            "what": "Barabási–Albert, 10^6 nodes, 4 edges a node",
            "cold": "synthetic.barabasi_albert(10**6, 4, seed=0)",
            "ours": lambda: barabasi_albert(10**6, 4, seed=0),
            "peer": lambda: nx.barabasi_albert_graph(10**5, 4, seed=0),
            "peer_part": 10,
        },
    ]


def main() -> None:
    from gomkcn_dgl.provenance import describe_provenance

    start = time.perf_counter()
    lines = [
        "| what | first call, s | later calls, median s (range) | NetworkX, s (a tenth, times 10) "
        "| ratio |",
        "|" + "---|" * 5,
    ]
    for row in rows():
        cold = first_call(row["cold"])
        ours = later_calls(row["ours"])
        peer = row["peer_part"] * statistics.median(later_calls(row["peer"]))
        middle = statistics.median(ours)
        lines.append(
            f"| {row['what']} | {cold:.2f} | {middle:.3f} ({min(ours):.3f}–{max(ours):.3f}) "
            f"| {peer:.2f} | {peer / middle:.0f} |"
        )
        print(lines[-1], flush=True)
    made = describe_provenance(0, time.perf_counter() - start)
    head = f"Commit {made['commit']}, {made['created']}, {made['machine']['processor']}, "
    head += f"{made['machine']['cores']} cores, Python {made['machine']['python']}.\n\n"
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "generators.md").write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
