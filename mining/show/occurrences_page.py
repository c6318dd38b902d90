"""The occurrences of a pattern of events in a terminal, and as one page without network.

The page has a row for each occurrence. A script sorts and searches these, and draws the one that is
selected in the place of the pattern: who is each node, what each event carries, and when it was.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from gomkcn.mining.plots.event_drawing import draw_pattern
from gomkcn.mining.show.drawn_graph import content_policy, pack, page_script
from gomkcn.mining.show.page import flatten, render_page
from gomkcn.mining.show.page_table import PageTable, plain_number
from gomkcn.mining.show.text_table import paragraphs, text_table
from gomkcn.mining.significance.temporal_nulls import TEMPORAL_NULLS
from gomkcn.mining.structures.table_column import TableColumn
from gomkcn.mining.temporal.event_columns import (
    EventRow,
    ListedOccurrences,
    OccurrenceRow,
    duration_text,
    event_columns,
    event_rows,
)
from gomkcn.mining.temporal.temporal_occurrences import TemporalOccurrences
from gomkcn_dgl.runtime.files import visible

_SCRIPT = "occurrences.js"
# occurrences of a terminal, and of a page
_MOST_ON_SCREEN = 10
_MOST_ON_PAGE = 200
# who is in several occurrences, on a page
_MOST_SHARED = 20
# what stands between commas, but for those within quotes and brackets
_PART = re.compile(r"""(?:[^,;\n"'(]|"[^"]*"|'[^']*'|\([^)]*\))+""")
# columns that the events of one occurrence have no use for
_OF_OCCURRENCE = ("occurrence", "edge")


def format_occurrences(found: TemporalOccurrences, file: str) -> str:
    """A screen of events, how many occurrences there are, and which file has the others."""
    rows = event_rows(found, _MOST_ON_SCREEN)
    parts = [str(text_table(event_columns(rows, found), rows))] if rows else []
    if found.num_listed > _MOST_ON_SCREEN:
        parts.append(f"here the first {_MOST_ON_SCREEN}; {file} has all that are listed")
    return paragraphs([*parts, found.finding])


def render_occurrences(found: TemporalOccurrences, record: Mapping[str, Any], file: str) -> str:
    """Return the page of some occurrences, whose run has a record and a ``file`` with all."""
    listed = ListedOccurrences(found, _MOST_ON_PAGE)
    table = PageTable.of(listed.columns, listed.rows)
    keeps = [f"{TEMPORAL_NULLS[compared.null].keeps}" for compared in found.comparisons]
    window = listed.pattern.within or record["settings"]["temporal"].get("window")
    edges = listed.pattern.edges
    return render_page(
        "occurrences.html.jinja",
        policy=content_policy(_SCRIPT),
        script=Markup(page_script(_SCRIPT)),
        data=pack(_data(listed)),
        source=record["source"],
        found=found,
        number=found.number,
        listed=found.listed,
        drawing=draw_pattern(
            [*map(visible, listed.nodes)],
            [(visible(edge.first), visible(edge.second)) for edge in edges],
            [visible(edge.name) for edge in edges],
        ),
        conditions=_conditions(listed),
        window="" if window is None else str(window),
        notes=[*keeps, *found.notes],
        event_heads=_event_columns(listed),
        table=table,
        rows=[table.cells(row, plain_number) for row in listed.rows],
        shared=listed.shared[:_MOST_SHARED],
        num_shared=len(listed.shared),
        num_shown=len(listed.rows),
        num_hidden=found.num_listed - len(listed.rows),
        file=file,
        settings=flatten(record["settings"]),
        provenance=flatten(record["provenance"]),
    )


def _conditions(listed: ListedOccurrences) -> list[str]:
    """The parts of the text that are no edges, as they were written."""
    text = listed.pattern.text
    for edge in listed.pattern.edges:
        # the same edge may be written twice
        text = text.replace(edge.given, "", 1)
    if within := listed.pattern.within:
        text = text[: text.rindex("within")] if within in text else text
    parts = [part.strip() for part in _PART.findall(text)]
    return [part for part in parts if part and not part.startswith("as ")]


def _event_columns(listed: ListedOccurrences) -> list[TableColumn[EventRow]]:
    """What is said of each event of an occurrence beside who takes part."""
    own = (*_OF_OCCURRENCE, *listed.found.ends)
    return [column for column in listed.event_columns if column.key not in own]


def _data(listed: ListedOccurrences) -> dict[str, Any]:
    """What the script draws of each occurrence, and by what it sorts the rows."""
    columns = _event_columns(listed)
    amount = next((one for one in columns if one.key == listed.value), None)
    return {
        "ends": [visible(name) for name in listed.found.ends],
        "columns": [{"title": visible(one.title), "left": one.is_left} for one in columns],
        "window": listed.found.window,
        "occurrences": [_drawn(listed, row, columns, amount) for row in listed.rows],
    }


def _drawn(
    listed: ListedOccurrences,
    row: OccurrenceRow,
    columns: list[TableColumn[EventRow]],
    amount: TableColumn[EventRow] | None,
) -> dict[str, Any]:
    """One occurrence, as the script draws it."""
    time = next(one for one in columns if one.key == listed.found.time)
    order = sorted(range(len(row.since)), key=lambda event: row.since[event])
    gaps = [row.since[b] - row.since[a] for a, b in pairwise(order)]
    return {
        "nodes": [*map(visible, row.nodes)],
        "ends": [[visible(str(event[end])) for end in listed.found.ends] for event in row.events],
        "since": row.since,
        "times": [time.text_of(event) for event in row.events],
        "amounts": [amount.text_of(event) if amount else "" for event in row.events],
        "cells": [[visible(one.text_of(event)) for one in columns] for event in row.events],
        "duration": duration_text(row.duration, listed.are_in_seconds),
        "gaps": [duration_text(gap, listed.are_in_seconds) for gap in gaps],
        "sort": [_key(column.value(row)) for column in listed.columns],
    }


def _key(value: Any) -> Any:
    """A value as the script compares it."""
    return value if isinstance(value, (int, float, str, type(None))) else str(value)
