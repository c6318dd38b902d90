"""Time and peak memory of `gomkcn convert` against the number of edges, beside pandas and SciPy.

Each file is converted twice: read into memory, and sorted on disk by DuckDB as if it were larger
than the limit. Each conversion has a process of its own, whose peak is told by the system; it
counts the pages of mapped files. Beside them stands the usual way to a compressed matrix,
`pandas.read_csv` and `scipy.sparse.coo_matrix.tocsr`, which holds all edges in memory and writes
nothing.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from measure import Timing
from record import Bench

from synthetic import barabasi_albert

LENGTHS = (10**4, 10**5, 10**6, 10**7)
MIB = 2**20
LIMIT = 512 * MIB

OURS = """
from gomkcn_dgl.io import large_edges
large_edges._memory_of = lambda path: {needed}
def work(path):
    large_edges.convert_graph(path, path + ".graph", memory_limit={limit})
"""
PEER = """
import numpy as np, pandas as pd, scipy.sparse as sp
def work(path):
    frame = pd.read_csv(path, sep=" ", header=None, dtype=np.int64)
    rows, columns = frame[0].to_numpy(), frame[1].to_numpy()
    size = int(max(rows.max(), columns.max())) + 1
    ends = np.concatenate([rows, columns]), np.concatenate([columns, rows])
    return sp.coo_matrix((np.ones(len(ends[0]), np.float32), ends), (size, size)).tocsr()
"""
# the peak of a child starts at its parent's, so imports are measured in the child as well
CHILD = """
import json, sys, time
{body}
def peak():
    line = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024
before = peak()
start = time.perf_counter()
work(sys.argv[1])
print(json.dumps([time.perf_counter() - start, before, peak()]))
"""


def run_child(body: str, path: Path) -> tuple[float, int, int]:
    """Seconds of the work, and the peak memory of its process before and after it, in bytes."""
    answer = subprocess.run(
        [sys.executable, "-c", CHILD.format(body=body), str(path)], capture_output=True, text=True
    )
    if answer.returncode:
        raise RuntimeError(f"the process failed:\n{answer.stderr}")
    seconds, before, after = json.loads(answer.stdout.splitlines()[-1])
    return seconds, before, after


def write_edges(path: Path, num_lines: int) -> None:
    """Write a Barabási–Albert graph, 2 edges a node, its lines in random order, as `u v`."""
    rng = np.random.default_rng(0)
    edges = barabasi_albert(num_lines // 2 + 2, 2, rng)
    edges = edges[rng.permutation(len(edges))]
    with open(path, "w") as file:
        for piece in np.array_split(edges, 1 + len(edges) // 10**5):
            file.write("\n".join(f"{u} {v}" for u, v in piece.tolist()) + "\n")


def measure(path: Path, bodies: dict[str, str], repeats: int) -> dict[str, tuple[Timing, int, int]]:
    """Time in turn, and the largest peaks of the processes before and after the work."""
    runs: dict[str, list[tuple[float, int, int]]] = {name: [] for name in bodies}
    for _ in range(repeats):
        for name, body in bodies.items():
            runs[name].append(run_child(body, path))
            shutil.rmtree(f"{path}.graph", ignore_errors=True)
    return {
        name: (Timing(tuple(run[0] for run in measured)), *np.max(measured, axis=0)[1:].astype(int))
        for name, measured in runs.items()
    }


def main(bench: Bench) -> None:
    """Convert edge lists of growing length."""
    if not os.path.exists("/proc/self/status"):
        bench.note("Nothing is measured: the peak of a process is read from Linux's /proc alone.")
        return
    table = bench.table(
        f"Edge list to graph folder; on disk with a limit of {LIMIT // MIB} MiB",
        {
            "lines": ",",
            "in memory": "",
            "peak, MiB": ",.0f",
            "on disk": "",
            "its peak, MiB": ",.0f",
            "pandas + SciPy": "",
            "their peak, MiB": ",.0f",
            "imports of ours, MiB": ",.0f",
        },
    )
    bodies = {
        "memory": OURS.format(needed=0, limit=LIMIT),
        "disk": OURS.format(needed=2**62, limit=LIMIT),
        "peer": PEER,
    }
    with tempfile.TemporaryDirectory() as folder:
        for length in (10**3,) if bench.quick else LENGTHS:
            path = Path(folder) / f"{length}.txt"
            write_edges(path, length)
            measured = measure(path, bodies, bench.repeats if length < 10**7 else 1)
            cells = [
                cell for name in bodies for cell in (measured[name][0], measured[name][2] / MIB)
            ]
            table.add(length, *cells, measured["memory"][1] / MIB)
            path.unlink()
    bench.note(
        "Barabási–Albert, 2 edges a node, lines in random order. pandas and SciPy hold the matrix "
        "in memory and write nothing; convert writes the folder and waits until it is on the disk. "
        "Files of 10^7 lines are converted once."
    )
