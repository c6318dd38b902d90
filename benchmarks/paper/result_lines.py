"""Rows of an experiment and the lines that they left in its results."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Record = dict[str, Any]


def find_line(lines: Iterable[Record], row: Record) -> Record | None:
    """The latest line that has every entry of ``row``, its settings among them, if any."""
    same = [line for line in lines if all(line.get(key) == row[key] for key in row)]
    return same[-1] if same else None


def find_lines(lines: list[Record], rows: Iterable[Record]) -> list[Record]:
    """The lines of those rows that have one, in the order of the rows."""
    found = [find_line(lines, row) for row in rows]
    return [line for line in found if line is not None]
