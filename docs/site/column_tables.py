"""The columns of tables and pages as tables of the documentation, made from their lists."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from gomkcn.mining.counting import census_columns
from gomkcn.mining.filters import filter_columns
from gomkcn.mining.frequent import frequent_columns
from gomkcn.mining.motif_sets import motif_columns
from gomkcn.mining.patterns import compared_structure, graph_distances, role_changes
from gomkcn.mining.repeats import block_columns
from gomkcn.mining.structures import class_columns, pattern_columns, truth
from gomkcn.mining.structures.table_column import Medium, TableColumn
from gomkcn.mining.temporal import temporal_columns

# lists by the name that stands in a page as <!-- columns: NAME -->
TABLES: dict[str, Callable[[], Iterable[TableColumn[Any]]]] = {
    "structures": lambda: pattern_columns.structure_columns([], ["degree"], ["X"]),
    "classes": lambda: class_columns.CLASS_COLUMNS,
    "frequent": lambda: frequent_columns.frequent_columns(["X"]),
    "blocks": lambda: block_columns.BLOCK_COLUMNS,
    "census": lambda: census_columns.CENSUS_COLUMNS,
    "motifs": lambda: motif_columns.MOTIF_COLUMNS,
    "features": lambda: motif_columns.FEATURE_COLUMNS,
    "planted": lambda: truth.PLANTED_COLUMNS,
    "filters": lambda: filter_columns.FILTER_COLUMNS,
    "comparison": lambda: (
        *compared_structure.COMPARED_COLUMNS,
        *compared_structure.DIFFERENCE_COLUMNS,
        *compared_structure.side_columns("first"),
    ),
    "graphs": lambda: graph_distances.GRAPH_COLUMNS,
    "roles": lambda: role_changes.ROLE_COLUMNS[:5],
    "temporal": lambda: temporal_columns.TEMPORAL_COLUMNS,
}
_MARK = re.compile(r"<!-- columns: (\w+) -->")


def fill_columns(page: str) -> str:
    """A page of Markdown with a table in place of each mark."""
    return _MARK.sub(lambda found: columns_table(found[1]), page)


def columns_table(name: str) -> str:
    """A row for each column of a list: its name in files, its title on the page, what it is."""
    rows = ["| column | on the page | what it is |", "|---|---|---|"]
    for column in TABLES[name]():
        key = f"`{column.key}`" if column.media & Medium.FILE else ""
        is_shown = column.media & Medium.PAGE or not key
        title = " ".join(column.title.split()) if is_shown else ""
        rows.append(f"| {key} | {title} | {column.meaning} |")
    return "\n".join(rows)
