"""Time, memory and disk of converting and mining against the number of edges, up to a billion.

Each graph is grown by preferential attachment with five edges a node, and 1 % of its nodes are in
planted motifs, four kinds alike often; its edges stand in a parquet file. `gomkcn convert` and
`gomkcn mine`, with all defaults, run in processes of their own, start included; the system tells
the peaks of their memory, in which the parts of the graph that are mapped count. Code was compiled
by a run before. Where an exact search ends in 20 seconds, its count is compared with the interval.
Draws results/large_graphs.svg.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from jobs import MOTIFS, copies_of, run
from large_planting import write_planted_edges
from matplotlib.figure import Figure
from record import Bench

from gomkcn_dgl import read_graph
from gomkcn_dgl.graphs.structure import Structure
from mining.counting.exact_search import count_by_graph

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
            counts = count_by_graph(csr, structure, max_steps=EXACT_STEPS)
            count = pattern["frequency"]["occurrences"]
            if counts is not None:
                tried += 1
                held += count["low"] <= counts.sum() <= count["high"]
    return f"{held} of {tried}" if tried else "–"


def exponent(sizes: list[int], values: list[float]) -> float:
    """Slope of a line through the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def draw(sizes: list[int], curves: dict[str, dict[str, list[float]]], path: Path) -> None:
    """A log-log panel for each quantity, a line for each command."""
    import seaborn as sns

    figure = Figure(figsize=(8, 3.4), layout="constrained")
    with sns.axes_style("whitegrid"):
        axes = figure.subplots(1, len(curves))
    for ax, (name, lines) in zip(axes, curves.items(), strict=True):
        colors = sns.color_palette("colorblind", len(lines))
        for color, (command, values) in zip(colors, lines.items(), strict=True):
            ax.plot(sizes, values, color=color, marker="o", label=command)
        top = max(values[-1] for values in lines.values())
        slope = top * np.array(sizes) / sizes[-1]
        ax.plot(sizes, slope, color="#777777", linestyle="--", linewidth=1, label="in proportion")
        ax.set(xscale="log", yscale="log", xlabel="Edges", ylabel=name)
        ax.set_ylim(bottom=min(min(values) for values in lines.values()) / 2)
        ax.legend(fontsize=8)
    with matplotlib.rc_context({"svg.hashsalt": "large_graphs", "svg.fonttype": "none"}):
        figure.savefig(path, metadata={"Date": None})


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
    edges: list[int] = []
    made, mining, made_peaks, peaks = [], [], [], []
    with tempfile.TemporaryDirectory() as scratch:
        for size in [2000] if bench.quick else SIZES:
            graph, out = Path(scratch) / f"edges{size}.graph", str(Path(scratch) / f"run{size}")
            nodes, written = size // EDGES_PER_NODE, graph.with_suffix(".parquet")
            motifs = dict.fromkeys(MOTIFS, copies_of(nodes))
            write_planted_edges(written, nodes, EDGES_PER_NODE, motifs, seed=0)
            converted = run("convert", str(written), str(graph), "--quiet")
            written.unlink()
            if not edges:
                # compiles what a first command compiles and keeps
                run("mine", str(graph), "--out", f"{out}-first", "--quiet", "--null-samples", "99")
            wall, used, peak = run("mine", str(graph), "--out", out, "--quiet")
            mined = json.loads((Path(out) / "run.json").read_text())
            patterns = json.loads((Path(out) / "patterns.json").read_text())["patterns"]
            edges.append(mined["graph"]["num_edges"])
            made.append(converted[0])
            made_peaks.append(converted[2] / MIB)
            mining.append(wall)
            peaks.append(peak / MIB)
            recovered = [motif for motif in mined["recovery"] if motif["pattern_ids"]]
            table.add(
                mined["graph"]["num_nodes"],
                edges[-1],
                converted[0],
                made_peaks[-1],
                sum(file.stat().st_size for file in graph.iterdir()) / GIB,
                wall,
                used,
                peaks[-1],
                f"{len(recovered)} of {len(MOTIFS)}",
                compare_counts(graph, mined, patterns) if size <= MOST_EXACT else "–",
            )
            shutil.rmtree(graph)
    if len(edges) > 1:
        last = f"{exponent(edges[-2:], mining[-2:]):.2f} and {exponent(edges[-2:], peaks[-2:]):.2f}"
        bench.note(
            f"Growth exponents of mining, by a line through the logarithms: time "
            f"{exponent(edges, mining):.2f}, memory {exponent(edges, peaks):.2f}; of the two "
            f"largest sizes {last}. The start, the same for each size, is in the seconds, and "
            "what is mapped of the graph in the memory."
        )
    if bench.out is not None and len(edges) > 1:
        seconds = {"convert": made, "mine": mining}
        curves = {"Seconds": seconds, "Peak memory, MiB": {"convert": made_peaks, "mine": peaks}}
        bench.out.mkdir(parents=True, exist_ok=True)
        draw(edges, curves, bench.out / "large_graphs.svg")
        bench.note("![Time and memory over edges](large_graphs.svg)")
