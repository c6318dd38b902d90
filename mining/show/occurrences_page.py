"""The occurrences of a pattern of events in a terminal, and as one page without a script."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gomkcn.mining.show.page import flatten, render_page
from gomkcn.mining.show.page_table import PageTable, plain_number
from gomkcn.mining.show.text_table import paragraphs, text_table
from gomkcn.mining.significance.temporal_nulls import TEMPORAL_NULLS
from gomkcn.mining.temporal.event_columns import event_columns, event_rows
from gomkcn.mining.temporal.temporal_occurrences import TemporalOccurrences

# nothing but the style in the page itself
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
# occurrences of a terminal, and of a page
_MOST_ON_SCREEN = 10
_MOST_ON_PAGE = 200


def format_occurrences(found: TemporalOccurrences, file: str) -> str:
    """A screen of events, how many occurrences there are, and which file has the others."""
    rows = event_rows(found, _MOST_ON_SCREEN)
    parts = [str(text_table(event_columns(rows), rows))] if rows else []
    if found.num_listed > _MOST_ON_SCREEN:
        parts.append(f"here the first {_MOST_ON_SCREEN}; {file} has all that are listed")
    return paragraphs([*parts, found.finding])


def render_occurrences(found: TemporalOccurrences, record: Mapping[str, Any], file: str) -> str:
    """Return the page of some occurrences, whose run has a record and a ``file`` with all."""
    rows = event_rows(found, _MOST_ON_PAGE)
    table = PageTable.of(event_columns(rows), rows)
    num_shown = len(rows) // len(found.edges)
    keeps = [f"{TEMPORAL_NULLS[compared.null].keeps}" for compared in found.comparisons]
    window = record["settings"]["temporal"]["window"]
    return render_page(
        "occurrences.html.jinja",
        policy=_POLICY,
        script="",
        data="",
        source=record["source"],
        found=found,
        number=found.number,
        listed=found.listed,
        window="" if window is None else str(window),
        notes=[*keeps, *found.notes],
        table=table,
        rows=[
            {
                "cells": table.cells(row, plain_number),
                "is_first": at % len(found.edges) == 0,
            }
            for at, row in enumerate(rows)
        ],
        num_shown=num_shown,
        num_hidden=found.num_listed - num_shown,
        file=file,
        settings=flatten(record["settings"]),
        provenance=flatten(record["provenance"]),
    )
