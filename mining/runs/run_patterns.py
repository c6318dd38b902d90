"""The patterns in the folder of a mining run; who reads no more than these loads few libraries."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from gomkcn.mining.structures.occurrences import Occurrences
from gomkcn.mining.structures.pattern import (
    SCHEMA_VERSION,
    Pattern,
    PatternRecord,
    is_dense_group,
)
from gomkcn.mining.structures.records import Record, read_as
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import reason_of
from gomkcn_dgl.runtime.output_folder import read_json
from gomkcn_dgl.runtime.run import read_record

PATTERNS = "patterns.json"
# the kind of run that has it
MINE = "mine"


class PatternsRecord(Record):
    """``patterns.json``: what a mined graph is made of, and what else was counted."""

    schema: int
    feature_names: Annotated[tuple[str, ...], Meta(min_length=1)]
    # a MotifSetRecord, which who reads patterns alone need not know
    motif_set: dict[str, Any]
    # the motifs, most bits first; then what differs most from random graphs; then what else was
    # seen
    patterns: list[PatternRecord]
    # what was counted and judged and is not among the patterns, the largest z first
    others: list[PatternRecord]


def read_patterns(folder: str | Path) -> list[Pattern]:
    """Read the patterns of a finished mining run without those occurrences that are not in it.

    Raises an InputError if there is no mining run, one of another version, or a damaged one.
    """
    folder = Path(folder)
    read_record(folder, MINE)
    with damage_refused(folder):
        return patterns_of(read_patterns_record(folder).patterns)


def dense_groups(folder: str | Path) -> set[int]:
    """The numbers of the patterns of a finished run that are dense groups."""
    folder = Path(folder)
    with damage_refused(folder):
        return {
            motif["pattern"]
            for motif in read_patterns_record(folder).motif_set["motifs"]
            if is_dense_group(
                motif["num_nodes"],
                motif["copies"],
                motif["copies_exact"],
                motif["missing"] + motif["added"],
            )
        }


def read_patterns_record(folder: Path) -> PatternsRecord:
    """The record of the patterns of a run; an InputError for one of another version."""
    record = read_json(folder / PATTERNS)
    version = record.get("schema") if isinstance(record, dict) else None
    if isinstance(version, int) and version != SCHEMA_VERSION:
        raise InputError(
            f"run folder {str(folder)!r} was written by another version of gomkcn, in format "
            f"{version}, and this one reads format {SCHEMA_VERSION}; mine again."
        )
    return read_as(PatternsRecord, record, PATTERNS)


@contextlib.contextmanager
def damage_refused(folder: Path) -> Iterator[None]:
    """Refuse in one sentence what is wrong inside the files of a run."""
    try:
        yield
    except InputError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"run folder {str(folder)!r} holds a damaged run.json, patterns.json or map.json "
            f"({reason_of(error)}); mine again."
        ) from None


def patterns_of(
    records: Sequence[PatternRecord], occurrences: Sequence[Occurrences] | None = None
) -> list[Pattern]:
    """The patterns of records, with all occurrences or those listed there."""
    stored: Sequence[Occurrences | None] = occurrences or [None] * len(records)
    return [Pattern.of_record(*pair) for pair in zip(records, stored, strict=True)]
