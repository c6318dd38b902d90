"""Files of the experiments: settings in TOML, and results as one JSON line for each trial."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gomkcn_dgl.runtime.files import parse_toml

Record = dict[str, Any]


def read_toml(path: Path) -> Record:
    return parse_toml(path.read_bytes())


def read_records(path: Path) -> list[Record]:
    """All records that were written completely; a run that was killed may have cut the last one."""
    if not path.is_file():
        return []
    complete, _, _ = path.read_bytes().rpartition(b"\n")
    return [json.loads(line) for line in complete.splitlines()]


def append_record(path: Path, record: Mapping[str, Any]) -> None:
    """Write a record after the last complete one, and wait until it is on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)
        file.write(json.dumps(record).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
