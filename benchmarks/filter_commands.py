"""`gomkcn filters` on the graph of the paper: by default and as printed, and what a run costs.

Each is one command, on what `gomkcn generate planted` writes. A motif is found if a filter has its
structure. Seconds are those of a process of its own.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import joblib
import numpy as np
from click.testing import CliRunner
from jobs import MOTIFS as NAMES
from jobs import run
from record import Bench

from gomkcn.commands.main import main as main_command
from gomkcn.mining import FilterMiner
from gomkcn.synthetic import MOTIFS

FIRST_SEED = 11
# graphs with features, and as many without
GRAPHS = 5
# what is typed behind `gomkcn filters GRAPH`
WAYS = {"gomkcn filters": (), "gomkcn filters --paper": ("--paper",)}
QUICK_PAPER = ("--paper", "--num-epochs", "2")
FEATURES = {"a random vector a node": "per_node", "none": "constant"}


def main(bench: Bench) -> None:
    """The motifs that both ways find, and the seconds of the first."""
    with tempfile.TemporaryDirectory() as folder:
        seconds(bench, Path(folder))
        motifs_found(bench, Path(folder))


def motifs_found(bench: Bench, folder: Path) -> None:
    """The planted motifs among the filters."""
    seeds = range(FIRST_SEED, FIRST_SEED + (1 if bench.quick else GRAPHS))
    table = bench.table(
        f"Four motifs, ten copies each, in 1,000 nodes, seeds {seeds[0]} to {seeds[-1]}",
        {"command": "", "features": "", "all four": "", "motifs, mean": ".1f", "filters": ""},
    )
    for features, mode in FEATURES.items():
        graphs = [plant(folder / f"{mode}_{seed}.bin", mode, seed) for seed in seeds]
        for command, options in WAYS.items():
            if bench.quick and options:
                options = QUICK_PAPER
            # a command on each core
            done = joblib.Parallel(os.cpu_count())(
                joblib.delayed(motifs_in)(graph, options) for graph in graphs
            )
            found, numbers = zip(*done, strict=True)
            whole = f"{found.count(len(NAMES))} of {len(found)}"
            many = f"{min(numbers)} to {max(numbers)}"
            table.add(command, features, whole, float(np.mean(found)), many)


def motifs_in(graph: Path, options: tuple[str, ...]) -> tuple[int, int]:
    """Planted motifs among the filters that a command finds, and filters."""
    folder = graph.with_suffix("")
    call("filters", str(graph), *options, *written_to(folder))
    filters = FilterMiner.load(folder / "filters.npz").filters_
    keys = {MOTIFS[name].key for name in NAMES}
    return len(keys & {one.structure.key for one in filters}), len(filters)


def call(*command: str) -> None:
    """A gomkcn command in this process, which need not import all for each anew."""
    answer = CliRunner().invoke(main_command, command)
    if answer.exit_code:
        raise RuntimeError(f"{' '.join(command)} failed:\n{answer.output}") from answer.exception


def plant(path: Path, features: str, seed: int) -> Path:
    """Write a graph of the paper."""
    call("generate", "planted", "--out", str(path), "--features", features, "--seed", str(seed))
    return path


def written_to(folder: Path) -> tuple[str, ...]:
    """Options that write a run, whether there is one or not."""
    return "--out", str(folder), "--force", "--quiet"


def seconds(bench: Bench, folder: Path) -> None:
    """Processor seconds of the whole command, from the start of Python to the page."""
    table = bench.table(
        "Processor seconds of gomkcn filters planted.bin, user and system, warm",
        {"cores": "d", "runs": "d", "least": ".2f", "median": ".2f", "most": ".2f"},
    )
    graph = plant(folder / "planted.bin", "per_node", 0)
    command = ("filters", str(graph), *written_to(folder / "run"))
    for cores in sorted({1, os.cpu_count() or 1}):
        # a process has the processors of the one that starts it, and as many threads
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, range(cores))
        run(*command)
        spent = [run(*command)[1] for _ in range(bench.repeats)]
        table.add(cores, len(spent), min(spent), float(np.median(spent)), max(spent))
    bench.note(
        f"In the last quarter of an hour {os.getloadavg()[2]:.1f} processes wanted its "
        f"{os.cpu_count()} cores."
    )
