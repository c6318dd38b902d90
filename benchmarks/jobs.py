"""Whole jobs: `gomkcn` commands in processes of their own, and the planted graphs they mine."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GOMKCN = (sys.executable, "-m", "gomkcn")
MOTIFS = ("house6", "cup", "wheel", "crown")
# nodes of a copy, about
COPY = 6


def run(*command: str) -> tuple[float, float, float]:
    """Wall and processor seconds of a gomkcn command, and the peak of its memory in bytes."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as messages:
        started = subprocess.Popen([*GOMKCN, *command], stdout=subprocess.DEVNULL, stderr=messages)
        _, status, usage = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
        if started.returncode:
            messages.seek(0)
            raise RuntimeError(f"{' '.join(command)} failed:\n{messages.read().decode()}")
    seconds = time.perf_counter() - start
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def steps_in(out: Path) -> dict[str, int]:
    """Steps that are done, and when each was written."""
    steps = {}
    for path in (out / ".progress").glob("[a-z]*.zip"):
        # gone when the run is written
        with contextlib.suppress(FileNotFoundError):
            steps[path.name] = path.stat().st_mtime_ns
    return steps


def copies_of(size: int) -> int:
    """Copies of each motif, so that about 1 % of so many nodes are in them."""
    return max(5, round(size * 0.01 / COPY / len(MOTIFS)))


def plant(graph: Path, size: int) -> None:
    """Barabási–Albert with two edges a node and planted motifs."""
    motifs = [part for name in MOTIFS for part in ("--motif", f"{name}={copies_of(size)}")]
    options = ["--nodes", str(size), "--edges-per-node", "2", "--features", "constant"]
    run("generate", "planted", "--out", str(graph), *options, *motifs)
