"""Counts of small patterns in small graphs, by the package and by slow ones that share no code."""

from __future__ import annotations
from collections.abc import Iterator


def every_count() -> Iterator[tuple[str, str, int, int, float]]:
    return iter(())
