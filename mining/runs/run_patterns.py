"""The patterns in the folder of a mining run; who reads no more than these loads few libraries."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gomkcn.mining.schemas import validator
from gomkcn.mining.structures.occurrences import Occurrences
from gomkcn.mining.structures.pattern import SCHEMA_VERSION, Pattern
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import reason_of
from gomkcn_dgl.runtime.output_folder import read_json
from gomkcn_dgl.runtime.run import read_record

PATTERNS = "patterns.json"
# the kind of run that has it
MINE = "mine"


def read_patterns(folder: str | Path) -> list[Pattern]:
    """Read the patterns of a finished mining run without those occurrences that are not in it.

    Raises an InputError if there is no mining run, one of another version, or a damaged one.
    """
    with checked_records(Path(folder), read_record(folder, MINE)) as records:
        return patterns_of(records["patterns"])


@contextlib.contextmanager
def checked_records(folder: Path, run: Mapping[str, Any], *others: str) -> Iterator[dict[str, Any]]:
    """Yield the records of the run, its patterns and others; what is wrong inside is damage."""
    patterns = read_json(folder / PATTERNS)
    version = patterns.get("schema") if isinstance(patterns, dict) else None
    if isinstance(version, int) and version != SCHEMA_VERSION:
        raise InputError(
            f"run folder {str(folder)!r} was written by another version of gomkcn, in format "
            f"{version}, and this one reads format {SCHEMA_VERSION}; mine again."
        )
    # a run of another version may have no others
    more = {name: read_json(folder / f"{name}.json") for name in others}
    records = {"run": run, "patterns": patterns, **more}
    try:
        # the schemas check each file by itself; what files say of each other is checked after that
        for name, record in records.items():
            validator(name)(record)
        yield records
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"run folder {str(folder)!r} holds a damaged run.json, patterns.json or map.json "
            f"({reason_of(error)}); mine again."
        ) from None


def patterns_of(
    record: dict[str, Any], name: str = "patterns", occurrences: Sequence[Occurrences] | None = None
) -> list[Pattern]:
    """The patterns of a list in `patterns.json`, with all occurrences or those listed there."""
    for entry in record[name]:
        size = entry["num_nodes"]
        if any(len(listed["nodes"]) != size for listed in entry["occurrences"]):
            raise ValueError(f"an occurrence of pattern {entry['id']} does not have {size} nodes")
    stored: Sequence[Occurrences | None] = occurrences or [None] * len(record[name])
    return [Pattern.from_dict(*pair) for pair in zip(record[name], stored, strict=True)]
