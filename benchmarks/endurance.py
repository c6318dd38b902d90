"""Mining again and again in one process: does its memory grow?

Another graph each time, of 2,000 nodes with planted motifs: it is mined, the run is written with
its report, and read. The resident memory is read from the system after each run.
"""

from __future__ import annotations

import itertools
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil
from record import Bench

from gomkcn_dgl import as_csr
from mining import PatternMiner
from mining.mining_run import MiningRun
from mining.run_folder import read_run, write_run
from mining.settings import RunSettings
from synthetic import barabasi_albert, plant_motifs

MINUTES = 60.0
MIB = 2**20
# share of the runs at either end that are compared
ENDS = 0.1


def main(bench: Bench) -> None:
    """Mine until time is up."""
    process = psutil.Process()
    at: list[float] = []
    memory: list[float] = []
    start, size = time.perf_counter(), 100 if bench.quick else 2000
    for seed in itertools.count():
        base = barabasi_albert(size, 2, seed)
        planted = plant_motifs(base, size, {"house": 10, "wheel": 10}, seed=seed)
        graph = as_csr(planted.to_dgl())
        miner = PatternMiner(random_state=seed).fit(graph)
        with tempfile.TemporaryDirectory() as folder:
            write_run(Path(folder), MiningRun.of(miner, graph), RunSettings())
            read_run(folder)
        at.append((time.perf_counter() - start) / 60)
        memory.append(process.memory_info().rss / MIB)
        if (bench.quick and seed == 1) or at[-1] > MINUTES:
            break
    end = max(1, int(len(memory) * ENDS))
    first, last = float(np.median(memory[:end])), float(np.median(memory[-end:]))
    table = bench.table(
        f"Resident memory, MiB: median of the first and the last {ENDS:.0%} of the runs",
        {
            "runs": ",",
            "minutes": ".1f",
            "first": ".1f",
            "last": ".1f",
            "largest": ".1f",
            "growth": "+.1%",
        },
    )
    table.add(len(memory), at[-1], first, last, max(memory), last / first - 1)
