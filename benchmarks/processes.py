"""Mining by the workers of joblib: how much faster, with equal results, and what if one is killed?

One process with one thread, beside two workers with one thread each: the whole command, from the
start of Python to the report, with the processor seconds of all of its processes. Then a
worker is killed: the command ends, and `--resume` goes on with what is on disk. Then the same graph
by the workers of Dask and Ray on this machine, where these are installed.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import joblib
import psutil
from jobs import GOMKCN, plant, run, steps_in
from record import Bench

from gomkcn.mining import PatternMiner
from gomkcn_dgl import read_graph

SIZES = (10**3, 10**4)
# steps that are on disk when a worker is killed
KILLED_AFTER = 40


def killed(graph: str, out: Path) -> tuple[int, int, str]:
    """Kill a worker of a run; return the steps that it kept, its exit code, what it said."""
    command = [*GOMKCN, "mine", graph, "--out", str(out), "--quiet", "--force", "--n-jobs", "2"]
    started = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while len(steps_in(out)) < KILLED_AFTER:
        time.sleep(0.02)
    children = psutil.Process(started.pid).children()
    next(one for one in children if any("LokyProcess" in word for word in one.cmdline())).kill()
    _, said = started.communicate()
    return len(steps_in(out)), started.returncode, said.decode().strip()


def same(one: Path, other: Path) -> str:
    """Whether the tables of two runs are equal, byte for byte."""
    files = ("patterns.json", "occurrences.parquet", "copies.parquet")
    equal = all((one / name).read_bytes() == (other / name).read_bytes() for name in files)
    return "every byte" if equal else "NO"


def by_dask(stack: ExitStack) -> None:
    """Two workers of Dask on this machine."""
    import distributed

    cluster = distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None)
    stack.enter_context(distributed.Client(stack.enter_context(cluster)))
    stack.enter_context(joblib.parallel_config("dask"))


def by_ray(stack: ExitStack) -> None:
    """Two workers of Ray on this machine."""
    import ray
    from ray.util.joblib import register_ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    stack.callback(ray.shutdown)
    register_ray()
    stack.enter_context(joblib.parallel_config("ray", n_jobs=2))


def by_joblib(stack: ExitStack) -> None:
    """Two workers of joblib itself."""
    stack.enter_context(joblib.parallel_config(n_jobs=2))


BACKENDS: dict[str, Callable[[ExitStack], None]] = {
    "joblib": by_joblib,
    "distributed": by_dask,
    "ray": by_ray,
}


def fit(graph: Any, begin: Callable[[ExitStack], None] | None) -> tuple[float, float, str]:
    """Seconds until the workers are there, seconds of the mining, and what was found."""
    with ExitStack() as stack:
        start = time.perf_counter()
        if begin is not None:
            begin(stack)
        begun = time.perf_counter()
        miner = PatternMiner().fit(graph)
        mined = time.perf_counter()
    return begun - start, mined - begun, repr([one.to_dict() for one in miner.patterns_])


def main(bench: Bench) -> None:
    """Mine by one process, by two workers, by two of which one is killed, and by Dask and Ray."""
    # each process has one thread, on any processor
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
    os.environ |= {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    speed = bench.table(
        "One process and two workers, one thread each",
        {
            "nodes": ",",
            "one, s": ".1f",
            "two, s": ".1f",
            "times as fast": ".2f",
            "processor, one, s": ".0f",
            "processor, two, s": ".0f",
            "equal": "",
        },
    )
    lost = bench.table(
        "A worker is killed",
        {"nodes": ",", "steps kept": "d", "exit code": "d", "it says": "", "resumed, equal": ""},
    )
    backends = bench.table(
        "Two workers of each",
        {"workers": "", "start, s": ".1f", "mine, s": ".1f", "equal": ""},
    )
    sizes = (500,) if bench.quick else SIZES
    with tempfile.TemporaryDirectory() as folder:
        graph, one, two = (Path(folder) / name for name in ("big.graph", "one", "two"))
        for size in sizes:
            plant(graph, size)
            command = ["mine", str(graph), "--quiet", "--force", "--out"]
            if size == sizes[0]:
                # compiles what a first command compiles and keeps
                run(*command, str(one))
            alone, spent_alone, _ = run(*command, str(one))
            shared, spent, _ = run(*command, str(two), "--n-jobs", "2")
            equal = same(one, two)
            speed.add(size, alone, shared, alone / shared, spent_alone, spent, equal)
            if size == sizes[0]:
                small = read_graph(graph)
                kept, code, said = killed(str(graph), two)
                run("mine", str(graph), "--quiet", "--out", str(two), "--n-jobs", "2", "--resume")
                lost.add(size, kept, code, said, same(one, two))
        start, mine, expected = fit(small, None)
        backends.add("one process", start, mine, "")
        for name, begin in BACKENDS.items():
            if importlib.util.find_spec(name) is None:
                bench.note(f"{name} is not installed.")
                continue
            start, mine, found = fit(small, begin)
            answer = "every byte" if found == expected else "NO"
            backends.add(name, start, mine, answer)
