"""The results of an experiment: one JSON line a trial, appended as trials end."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

TRIAL_KEY = ("experiment", "data", "model", "split", "trial")


class ResultsFile:
    """Trials on disk; a line that was being written when the run was killed is dropped.

    Two runs may append to one file: each line is written under a lock.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> list[dict[str, Any]]:
        """All trials that were written whole."""
        if not self.path.is_file():
            return []
        whole, _, _ = self.path.read_bytes().rpartition(b"\n")
        return [json.loads(line) for line in whole.splitlines()]

    def append(self, record: Mapping[str, Any]) -> None:
        """Write a line and wait until the disk has it."""
        line = json.dumps(record).encode() + b"\n"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b") as file, _locked(file):
            _drop_half_line(file)
            file.write(line)
            file.flush()
            os.fsync(file.fileno())


def _drop_half_line(file: BinaryIO) -> None:
    """Cut what follows the last end of a line."""
    size = file.seek(0, os.SEEK_END)
    if size == 0:
        return
    file.seek(size - 1)
    if file.read(1) == b"\n":
        return
    file.seek(0)
    file.truncate(file.read().rfind(b"\n") + 1)


@contextlib.contextmanager
def _locked(file: BinaryIO) -> Iterator[None]:
    try:
        import fcntl
    except ImportError:  # Windows: one run at a time
        yield
        return
    fcntl.flock(file, fcntl.LOCK_EX)
    yield
