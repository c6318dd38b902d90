"""Mining by several processes of torchrun: how much faster, with equal results, and when killed?

One process with one thread, beside two such processes: the whole command, from the start of Python
(and of torchrun) to the report, in turn; of the smallest graph with a null model. Then four
processes, of which one is killed three times: SIGKILL to a process drawn by chance once a quarter,
half and three quarters of the steps are done; torchrun starts all of them anew, and they go on with
what is on disk. The processes may use all processors of the machine. Results are equal, byte for
byte, where limits of work end the counts; in large graphs time ends them, and estimates differ.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import subprocess
import tempfile
import time
from pathlib import Path

import psutil
from jobs import GOMKCN, TORCHRUN, finish, peak_of, plant, run, steps_in
from measure import Timing
from record import Bench

KILLS = 3
PROCESSES = 4
SIZES = (10**5, 10**6, 10**7)
# what is asked for beside the defaults
JOBS = {10**5: ("--null", "degree", "--null-samples", "99")}
KILLED = 10**6
SEED = 0


def single_process(graph: str, out: Path, *options: str) -> float:
    """Seconds of one process."""
    return run("mine", graph, "--out", str(out), "--quiet", "--force", *options)[0]


def by_torchrun(
    graph: str, out: Path, processes: int, *options: str, restarts: int = 0
) -> subprocess.Popen[bytes]:
    """Start several processes."""
    command = [*TORCHRUN, "--nproc-per-node", str(processes), "--max-restarts", str(restarts)]
    command += [*GOMKCN[1:], "mine", graph, "--out", str(out), "--quiet", "--force", *options]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def two(graph: str, out: Path, *options: str) -> tuple[float, dict[int, int]]:
    """Seconds of two processes, and the peak of the memory of each in bytes, by rank."""
    start, peaks = time.perf_counter(), {}
    started = by_torchrun(graph, out, 2, *options)
    while started.poll() is None:
        # a process has its rank a moment after it was made, and is soon gone at the end
        with contextlib.suppress(psutil.Error, OSError, KeyError, ValueError):
            for worker in psutil.Process(started.pid).children():
                peaks[int(worker.environ()["RANK"])] = peak_of(worker.pid)
        time.sleep(0.1)
    finish(started)
    return time.perf_counter() - start, peaks


def count_steps(graph: str, out: Path, processes: int) -> int:
    """Steps of a job, seen in one that is left alone."""
    started, most = by_torchrun(graph, out, processes), 0
    while started.poll() is None:
        most = max(most, len(steps_in(out)))
        time.sleep(0.02)
    finish(started)
    return most


def kill_some(
    graph: str, out: Path, processes: int, kills: int, total: int
) -> tuple[list[int], bool]:
    """Kill one process so often; return the steps done at each time, and whether all stayed."""
    rng = random.Random(SEED)
    started = by_torchrun(graph, out, processes, restarts=kills)
    done_at: list[int] = []
    steps_at_kill: dict[str, int] = {}
    all_stayed = True
    while started.poll() is None:
        steps = steps_in(out)
        # a run that is written needs its steps no more
        if steps_at_kill and not (out / "run.json").exists():
            all_stayed = all_stayed and steps_at_kill.items() <= steps.items()
        if len(done_at) < kills and len(steps) >= total * (len(done_at) + 1) / (kills + 1):
            workers = psutil.Process(started.pid).children()
            if len(workers) == processes:
                rng.choice(workers).kill()
                done_at.append(len(steps))
                steps_at_kill = steps
                # until torchrun has seen it
                while started.poll() is None and set(workers) <= set(
                    psutil.Process(started.pid).children()
                ):
                    time.sleep(0.01)
        time.sleep(0.02)
    finish(started)
    return done_at, all_stayed


def same(one: Path, other: Path) -> str:
    """What two runs have in common: every byte, or patterns and about their counts."""
    files = ("patterns.json", "occurrences.parquet")
    if all((one / name).read_bytes() == (other / name).read_bytes() for name in files):
        return "every byte"
    first, second = (
        {
            tuple(map(tuple, pattern["edges"])): pattern["frequency"]["occurrences"]
            for pattern in json.loads((run / "patterns.json").read_text())["patterns"]
        }
        for run in (one, other)
    )
    common = [(first[edges], second[edges]) for edges in first.keys() & second.keys()]
    held = sum(a["low"] <= b["high"] and b["low"] <= a["high"] for a, b in common)
    return f"{len(common)} of {len(first)} patterns; intervals of {held} meet"


def main(bench: Bench) -> None:
    """Mine by one process, by two, and by four of which some are killed."""
    # each process has one thread, on any processor
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
    os.environ |= {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    repeats, processes, kills = (1, 2, 1) if bench.quick else (bench.repeats, PROCESSES, KILLS)
    speed = bench.table(
        "One process and two, one thread each",
        {
            "nodes": ",",
            "options": "",
            "one, s": ".1f",
            "two, s": ".1f",
            "times as fast": ".2f",
            "peaks of both, MiB": "",
            "the same in both": "",
        },
    )
    killed = bench.table(
        f"{processes} processes, one killed {kills} times",
        {
            "nodes": ",",
            "steps": "d",
            "kills": "d",
            "done when killed": "",
            "all kept": "",
            "the same in both": "",
        },
    )
    sizes = (500,) if bench.quick else SIZES
    with tempfile.TemporaryDirectory() as folder:
        graph, one, more = (Path(folder) / name for name in ("big.graph", "one", "more"))
        for size in sizes:
            plant(graph, size)
            options = JOBS.get(size, ())
            # compiles what a first command compiles and keeps
            single_process(str(graph), one, *options)
            seconds, peaks = [], dict[int, int]()
            for _ in range(repeats):
                alone = single_process(str(graph), one, *options)
                together, now = two(str(graph), more, *options)
                seconds.append((alone, together))
                peaks = {rank: max(peak, peaks.get(rank, 0)) for rank, peak in now.items()}
            first, second = (Timing(tuple(column)) for column in zip(*seconds, strict=True))
            faster = first.median / second.median
            memory = " and ".join(f"{peaks[rank] / 2**20:,.0f}" for rank in sorted(peaks))
            asked = " ".join(options) or "none"
            speed.add(size, asked, first, second, faster, memory, same(one, more))
            if size == (KILLED if KILLED in sizes else sizes[0]):
                total = count_steps(str(graph), more, processes)
                done_at, all_stayed = kill_some(str(graph), more, processes, kills, total)
                done = ", ".join(map(str, done_at))
                answer = "yes" if all_stayed else "NO"
                killed.add(size, total, len(done_at), done, answer, same(one, more))
