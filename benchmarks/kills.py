"""A mining job killed at random points and gone on with: is the result the same each time?

    python benchmarks/kills.py

SIGKILL comes after a time drawn uniformly from that of an uninterrupted job, and again, up to three
times a job, each time followed by `--resume`. After each kill the folder is checked: what it
holds of a run must be what an uninterrupted job writes, all of it once `run.json` is there, and
each step on disk must be readable. A job that was gone on with has the steps of before.
"""

from __future__ import annotations

import collections
import os
import random
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from jobs import GOMKCN, finish, plant, steps_in
from record import Bench, bench_command

KILLS = 50
NODES = 100_000
MOST_A_JOB = 3
SEED = 0
# steps by the words that their files begin with, the last first
STAGES = {
    "comparing-neighbourhoods": "neighbourhoods",
    "listing-places-": "places",
    "listing-places-in-random-graphs": "of the null model",
    "grouping-patterns": "of the null model",
    "counting-triangles": "of the null model",
    "counting-in-random-graphs": "of the null model",
    "setting-places-apart": "counts",
    "counting-": "counts",
    "learning-filters": "filters",
}
# what has no time in it
SAME = {"patterns.json", "occurrences.parquet", "settings.toml"}
FILES = {"patterns.json", "run.json", "settings.toml", "report.html", "occurrences.parquet"}


def start(graph: str, out: Path, *options: str) -> subprocess.Popen[bytes]:
    """Begin a job; many parts, so that there is something to lose."""
    settings = ["--memory-limit", "1GiB", "--sample-error", "0.02", "--null", "degree"]
    settings += ["--null-samples", "99"]
    command = [*GOMKCN, "mine", graph, "--out", str(out), "--quiet", *settings, *options]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def stage(out: Path, reference: Path) -> tuple[str, bool]:
    """How far a job had come when it was killed, and whether all that can be seen is whole."""
    files = {path.name for path in out.glob("[!.]*")}
    steps = [out / ".progress" / name for name in steps_in(out)]
    # files take their places one after the other, run.json last
    whole = "run.json" not in files or files >= FILES
    for name in files.intersection(SAME):
        whole = whole and (out / name).read_bytes() == (reference / name).read_bytes()
    if "report.html" in files:
        whole = whole and (out / "report.html").read_text().rstrip().endswith("</html>")
    for path in steps:
        with np.load(path, allow_pickle=False) as arrays:
            whole = whole and all(arrays[name] is not None for name in arrays.files)
    if "run.json" in files:
        return "none left: the run is there", whole
    kinds = {max((one for one in STAGES if path.name.startswith(one)), key=len) for path in steps}
    return next((name for kind, name in STAGES.items() if kind in kinds), "none"), whole


@bench_command("kills", KILLS, "kills")
def main(bench: Bench) -> None:
    """Kill a job, go on with it, compare."""
    os.environ |= {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    bench.threads = 1
    rng = random.Random(SEED)
    table = bench.table(
        "Killed and gone on with",
        {"last step on disk": "", "kills": "d", "folder whole": "d"},
    )
    kills: collections.Counter[str] = collections.Counter()
    whole: collections.Counter[str] = collections.Counter()
    jobs = equal = 0
    with tempfile.TemporaryDirectory() as folder:
        graph, reference = str(Path(folder) / "big.graph"), Path(folder) / "reference"
        plant(Path(graph), 500 if bench.quick else NODES)
        finish(start(graph, reference))
        begin = time.perf_counter()
        finish(start(graph, reference, "--force"))
        seconds = time.perf_counter() - begin
        expected = (reference / "patterns.json").read_bytes()
        while sum(kills.values()) < bench.repeats:
            out = Path(folder) / f"run{jobs}"
            for time_killed in range(MOST_A_JOB):
                job = start(graph, out, *(["--resume"] if time_killed else []))
                try:
                    job.wait(rng.uniform(0, seconds))
                except subprocess.TimeoutExpired:
                    job.kill()
                job.communicate()
                if job.returncode != -signal.SIGKILL:
                    break
                name, is_whole = stage(out, reference)
                kills[name] += 1
                whole[name] += is_whole
            finish(start(graph, out, "--resume"))
            jobs += 1
            equal += (out / "patterns.json").read_bytes() == expected
    for name, count in kills.most_common():
        table.add(name, count, whole[name])
    bench.note(
        f"{sum(kills.values())} kills of {jobs} jobs, drawn from {seconds:.1f} s; `patterns.json` "
        f"is that of an uninterrupted job, byte for byte, in {equal} of {jobs}."
    )


if __name__ == "__main__":
    main()
