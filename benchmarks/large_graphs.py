"""Time and memory of the whole mining job against the number of nodes.

    python benchmarks/large_graphs.py

Each graph is Barabási–Albert with two edges a node, and about 1 % of its nodes are in planted
motifs, four kinds alike often. `gomkcn mine` runs in a process of its own, from the graph folder to
the report, start included; the system tells the peak of its memory. Code was compiled by a run
before. Draws results/large_graphs.svg.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import click
import matplotlib
import numpy as np
from jobs import MOTIFS, plant, run
from matplotlib.figure import Figure
from record import Bench, bench_command

REPEATS = 1
LARGEST = 10**7
MIB = 2**20


def exponent(sizes: list[int], values: list[float]) -> float:
    """Slope of a line through the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def draw(sizes: list[int], seconds: list[float], peaks: list[float], path: Path) -> None:
    """Time and memory in log-log panels."""
    import seaborn as sns

    figure = Figure(figsize=(8, 3.4), layout="constrained")
    with sns.axes_style("whitegrid"):
        axes = figure.subplots(1, 2)
    colors = sns.color_palette("colorblind", 2)
    curves = ((seconds, "Seconds"), ([peak / MIB for peak in peaks], "Peak memory, MiB"))
    for ax, color, (values, name) in zip(axes, colors, curves, strict=True):
        sns.lineplot(x=sizes, y=values, ax=ax, color=color, marker="o")
        slope = np.array(values[-1]) * np.array(sizes) / sizes[-1]
        ax.plot(sizes, slope, color="#777777", linestyle="--", linewidth=1)
        # below the line, where no curve is
        at = len(sizes) // 2
        ax.annotate(
            "in proportion",
            (sizes[at], slope[at]),
            xytext=(0, -28),
            textcoords="offset points",
            color="#555555",
            fontsize=8,
        )
        ax.set(xscale="log", yscale="log", xlabel="Nodes", ylabel=name)
    with matplotlib.rc_context({"svg.hashsalt": "large_graphs", "svg.fonttype": "none"}):
        figure.savefig(path, metadata={"Date": None})


@bench_command("large_graphs", REPEATS, "run of each size")
@click.option("--largest", type=int, default=LARGEST, help="Nodes of the largest graph. [10^7]")
@click.option("--features", default="constant", help="constant or per_type. [constant]")
def main(bench: Bench, largest: int, features: str) -> None:
    """Mine graphs of growing size."""
    os.environ["OMP_NUM_THREADS"] = os.environ["NUMBA_NUM_THREADS"] = str(bench.threads)
    table = bench.table(
        f"`gomkcn mine`, all defaults, {features} features",
        {
            "nodes": ",",
            "edges": ",",
            "seconds": ".1f",
            "of processor": ".1f",
            "peak, MiB": ",.0f",
            "motifs found": "",
            "planted copies found": "",
            "roots a second": ",.0f",
        },
    )
    sizes = [500] if bench.quick else [10**k for k in range(4, 8) if 10**k <= largest]
    nodes, seconds, peaks = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            graph, out = str(Path(folder) / "big.graph"), str(Path(folder) / f"run{size}")
            plant(Path(graph), size, features)
            if not nodes:
                # compiles what a first command compiles and keeps
                run("mine", graph, "--out", f"{out}-first", "--quiet")
            wall, used, peak = run("mine", graph, "--out", out, "--quiet")
            mined = json.loads((Path(out) / "run.json").read_text())
            nodes.append(mined["graph"]["num_nodes"])
            seconds.append(wall)
            peaks.append(peak)
            recovered = [motif for motif in mined["recovery"] if motif["pattern_ids"]]
            copies_found = sum(motif["planted_found"] for motif in recovered)
            table.add(
                nodes[-1],
                mined["graph"]["num_edges"],
                wall,
                used,
                peak / MIB,
                f"{len(recovered)} of {len(MOTIFS)}",
                f"{copies_found:,} of {sum(m['copies'] for m in mined['recovery']):,}",
                nodes[-1] / wall,
            )
    if len(nodes) > 1:
        bench.note(
            "Growth exponents, by a line through the logarithms: "
            f"time {exponent(nodes, seconds):.2f}, memory {exponent(nodes, peaks):.2f}; "
            "of the two largest sizes "
            f"{exponent(nodes[-2:], seconds[-2:]):.2f} and "
            f"{exponent(nodes[-2:], peaks[-2:]):.2f}. "
            "The start, the same for each size, is in the seconds."
        )
    if bench.out is not None and len(nodes) > 1:
        draw(nodes, seconds, peaks, bench.out / "large_graphs.svg")
        bench.note("![Time and memory over nodes](large_graphs.svg)")


if __name__ == "__main__":
    main()
