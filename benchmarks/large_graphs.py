"""Time, memory and disk of converting and mining against the number of edges, up to a billion.

Each graph is grown by preferential attachment with five edges a node, and 1 % of its nodes are in
planted motifs, four kinds alike often; its edges stand in a parquet file. `gomkcn convert` and
`gomkcn mine`, with all defaults, run in processes of their own, start included; the system tells
the peaks of their memory, in which the parts of the graph that are mapped count. Code was compiled
by a run before. Where an exact search ends in 20 seconds, its count is compared with the interval.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from jobs import MOTIFS, copies_of, run
from large_planting import write_planted_edges
from record import Bench

from gomkcn.mining.counting.occurrence_search import OccurrenceSearch
from gomkcn.mining.counting.query import Query
from gomkcn_dgl import read_graph
from gomkcn_dgl.graphs.structure import Structure

SIZES = [10**k for k in range(4, 10)]
EDGES_PER_NODE = 5
MIB, GIB = 2**20, 2**30
# steps of an exact count, and the edges above which it is not tried
EXACT_STEPS, MOST_EXACT = 2 * 10**9, 10**7


def compare_counts(graph: Path, mined: dict[str, Any], patterns: list[dict[str, Any]]) -> str:
    """Of the planted motifs that were found, the intervals that hold the exact count."""
    csr, held, tried = read_graph(graph), 0, 0
    for motif in mined["recovery"]:
        for number in motif["pattern_ids"][:1]:
            pattern = patterns[number]
            structure = Structure.of_edges(pattern["num_nodes"], pattern["edges"])
            search = OccurrenceSearch(Query.of_structure(csr, structure))
            search.run(max_steps=EXACT_STEPS)
            count = pattern["frequency"]["occurrences"]
            if not search.unfinished:
                tried += 1
                held += count["low"] <= search.count.sum() <= count["high"]
    return f"{held} of {tried}" if tried else "–"


def main(bench: Bench) -> None:
    """Convert and mine graphs of growing size."""
    os.environ["OMP_NUM_THREADS"] = os.environ["NUMBA_NUM_THREADS"] = str(bench.threads)
    table = bench.table(
        "`gomkcn convert` of a parquet file, then `gomkcn mine` with all defaults",
        {
            "nodes": ",",
            "edges": ",",
            "convert, s": ".1f",
            "its peak, MiB": ",.0f",
            "folder, GiB": ".3g",
            "mine, s": ".1f",
            "of processor": ".1f",
            "its peak, MiB ": ",.0f",
            "motifs found": "",
            "intervals with the exact count": "",
        },
    )
    warm = False
    with tempfile.TemporaryDirectory() as scratch:
        for size in [2000] if bench.quick else SIZES:
            graph, out = Path(scratch) / f"edges{size}.graph", str(Path(scratch) / f"run{size}")
            nodes, written = size // EDGES_PER_NODE, graph.with_suffix(".parquet")
            motifs = dict.fromkeys(MOTIFS, copies_of(nodes))
            write_planted_edges(written, nodes, EDGES_PER_NODE, motifs, seed=0)
            converted = run("convert", str(written), str(graph), "--quiet")
            written.unlink()
            if not warm:
                # compiles what a first command compiles and keeps
                run("mine", str(graph), "--out", f"{out}-first", "--quiet", "--null-samples", "99")
                warm = True
            wall, used, peak = run("mine", str(graph), "--out", out, "--quiet")
            mined = json.loads((Path(out) / "run.json").read_text())
            patterns = json.loads((Path(out) / "patterns.json").read_text())["patterns"]
            recovered = [motif for motif in mined["recovery"] if motif["pattern_ids"]]
            table.add(
                mined["graph"]["num_nodes"],
                mined["graph"]["num_edges"],
                converted[0],
                converted[2] / MIB,
                sum(file.stat().st_size for file in graph.iterdir()) / GIB,
                wall,
                used,
                peak / MIB,
                f"{len(recovered)} of {len(MOTIFS)}",
                compare_counts(graph, mined, patterns) if size <= MOST_EXACT else "–",
            )
            shutil.rmtree(graph)
