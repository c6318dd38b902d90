"""A table of a result as text in a terminal."""

from __future__ import annotations

from typing import Any

from gomkcn.mining.structures.pattern import odds
from gomkcn_dgl.runtime.files import visible
from gomkcn_dgl.runtime.tabular import Tabular, plain_columns


def format_table(table: Tabular) -> str:
    """The columns of a table in a terminal."""
    columns = plain_columns(table)
    names = list(columns)
    rows = [list(map(format_cell, names, row)) for row in zip(*columns.values(), strict=True)]
    widths = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if name in ("size", "count") else cell.ljust(width)
            for name, cell, width in zip(names, row, widths, strict=True)
        ).rstrip()
        for row in [names, *rows]
    )


def format_cell(name: str, value: Any) -> str:
    """A value of the column of a name."""
    if value is None:
        # not known
        return "?"
    if isinstance(value, float):
        if name.startswith("odds ratio"):
            return odds(value)
        # these are of any size
        return f"{value:.3g}" if name in ("p", "adjusted p") else f"{value:.3f}"
    # the numbers of graphs and nodes are names
    is_count = isinstance(value, int) and name not in ("graph", "node")
    return f"{value:,}" if is_count else visible(str(value))
