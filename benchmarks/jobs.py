"""Whole jobs: `gomkcn` commands in processes of their own, and the planted graphs they mine."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GOMKCN = (sys.executable, "-m", "gomkcn")
TORCHRUN = (sys.executable, "-m", "torch.distributed.run", "--standalone")
MOTIFS = ("house", "cup", "wheel", "crown")
# nodes of a copy, about
COPY = 6


def run(*command: str) -> tuple[float, float]:
    """Wall and processor seconds of a gomkcn command."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([*GOMKCN, *command], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - start, used


def peak_of(*command: str) -> tuple[float, float, float]:
    """The same, and the peak of the memory in bytes."""
    # the system keeps the largest peak of all children, so each has a parent of its own
    with tempfile.NamedTemporaryFile("r") as file:
        body = (
            "import json, resource, sys; sys.path.insert(0, sys.argv[1]); "
            "from jobs import run; used = run(*sys.argv[3:]); "
            "peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024; "
            "open(sys.argv[2], 'w').write(json.dumps([*used, peak]))"
        )
        here = str(Path(__file__).parent)
        subprocess.run([sys.executable, "-c", body, here, file.name, *command], check=True)
        wall, used, peak = json.load(file)
    return wall, used, peak


def finish(started: subprocess.Popen[bytes]) -> None:
    """Wait for a command that was started, with its messages in a pipe."""
    _, said = started.communicate()
    if started.returncode:
        raise RuntimeError(said.decode())


def plant(graph: Path, size: int, features: str = "constant") -> None:
    """Barabási–Albert with two edges a node, about 1 % of its nodes in planted motifs."""
    copies = str(max(5, round(size * 0.01 / COPY / len(MOTIFS))))
    motifs = [part for name in MOTIFS for part in ("--motif", f"{name}={copies}")]
    asked = ["--nodes", str(size), "--edges-per-node", "2", "--features", features]
    run("generate", "planted", "--out", str(graph), *asked, *motifs)
