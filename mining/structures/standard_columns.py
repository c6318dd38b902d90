"""The columns with the standard names of a structure, in each table of structures."""

from __future__ import annotations

from collections.abc import Callable

from gomkcn.mining.structures.table_column import Medium, Row, TableColumn
from gomkcn_dgl.graphs.standard_names import StandardNames


def standard_columns(
    names_of: Callable[[Row], StandardNames], media: Medium
) -> tuple[TableColumn[Row], ...]:
    """A column for each standard name, left out where no row has one.

    >>> [column.key for column in standard_columns(lambda row: StandardNames(), Medium.FILE)]
    ['triad', 'mfinder', 'graphlet']
    """
    return (
        TableColumn(
            "triad",
            "Triad",
            "of a directed structure of three nodes: its numbers of mutual, asymmetric and null "
            "pairs, such as `030T`",
            lambda row: names_of(row).triad,
            is_left=True,
            media=media,
            is_optional=True,
        ),
        TableColumn(
            "mfinder",
            "mfinder",
            "of a directed structure of three or four nodes: its number in mfinder and the motif "
            "dictionary, such as 204 for the bi-fan",
            lambda row: names_of(row).mfinder,
            lambda row: None if (number := names_of(row).mfinder) is None else str(number),
            media=media,
            is_optional=True,
        ),
        TableColumn(
            "graphlet",
            "Graphlet",
            "of an undirected structure of two to five nodes: `G0` to `G29` as by Pržulj (2007)",
            lambda row: names_of(row).graphlet,
            is_left=True,
            media=media,
            is_optional=True,
        ),
    )
