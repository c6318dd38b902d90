"""A frequent subgraph as a row, and the columns of the table of frequent subgraphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from gomkcn.mining.structures.fragments import to_smarts
from gomkcn.mining.structures.pattern import ClassContrast, OccurrenceCount
from gomkcn.mining.structures.pattern_columns import CONTRAST_COLUMNS, estimate_columns
from gomkcn.mining.structures.table_column import SHOWN, Below, Medium, TableColumn
from gomkcn_dgl.graphs.structure import Structure

_FILE = Medium.FILE


class FrequentRow(NamedTuple):
    """A frequent subgraph: its name, its support in so many graphs, and how classes differ.

    ``fragment`` says whether it is a piece of a molecule, which its name gives in SMILES or SMARTS.
    The support is at most ``most``, the number of graphs, or of nodes of one graph. Without classes
    there are no ``contrasts``, and ``p_adjusted`` is None. Occurrences and disjoint copies are
    those in one graph.
    """

    structure: Structure
    name: str
    fragment: bool
    support: int
    most: int
    contrasts: Sequence[ClassContrast]
    p_adjusted: float | None
    occurrences: OccurrenceCount | None = None
    disjoint: int | None = None

    @property
    def p(self) -> float | None:
        """That of the class that differs most."""
        return least_p(self.contrasts)


def least_p(contrasts: Sequence[ClassContrast]) -> float | None:
    """The exact p of the class that differs most; None without classes."""
    return min((contrast.p for contrast in contrasts), default=None)


def _p_text(p: float | None) -> str | None:
    """A p as a cell; none without classes."""
    return None if p is None else f"{p:.3g}"


FREQUENT_COLUMNS: tuple[TableColumn[FrequentRow], ...] = (
    TableColumn(
        "structure",
        "Subgraph",
        "its name; that of a piece of a molecule has its SMILES, or where it cuts a ring its "
        "SMARTS",
        lambda row: row.name,
        is_left=True,
        is_name=True,
    ),
    TableColumn(
        "edges",
        "Pattern",
        "edges by the letters of the drawing, as `gomkcn count` takes them; shown of what is no "
        "piece of a molecule",
        lambda row: row.structure.to_text(),
        lambda row: None if row.fragment else row.structure.to_text(),
        is_left=True,
        is_optional=True,
        below=Below("structure", media=Medium.PAGE),
    ),
    TableColumn("num_nodes", "Nodes", "number of nodes", lambda row: row.structure.num_nodes),
    TableColumn("num_edges", "Edges", "number of edges", lambda row: len(row.structure.edges)),
    TableColumn(
        "support",
        "Support",
        "graphs that contain it; in one graph the minimum node image: to so many different nodes "
        "each of its nodes is mapped, at least",
        lambda row: row.support,
    ),
    TableColumn(
        "share",
        "Share",
        "the same as a share of all graphs, or of all nodes of one graph",
        lambda row: row.support / row.most,
        lambda row: f"{row.support / row.most:.1%}",
        media=_FILE | Medium.PAGE,
    ),
    TableColumn(
        "occurrences",
        "Occurrences",
        "in one graph, between whose nodes there may be more edges; an estimate where there are "
        "very many",
        lambda row: None if row.occurrences is None else row.occurrences.value,
        lambda row: None if row.occurrences is None else str(row.occurrences),
        is_optional=True,
    ),
    *estimate_columns(lambda row: row.occurrences, is_optional=True),
    TableColumn(
        "disjoint",
        "Disjoint",
        "occurrences in one graph that share no node, taken one after the other; a lower bound of "
        "the most",
        lambda row: row.disjoint,
        is_optional=True,
    ),
    TableColumn(
        "p_exact",
        "p",
        "Fisher's exact p of the class that differs most",
        lambda row: row.p,
        lambda row: _p_text(row.p),
        is_optional=True,
    ),
    TableColumn(
        "p_classes",
        "Adjusted p",
        "p of the classes, adjusted for all subgraphs that could have differed (Tarone)",
        lambda row: row.p_adjusted,
        lambda row: _p_text(row.p_adjusted),
        is_optional=True,
    ),
    TableColumn(
        "smarts",
        "SMARTS",
        "of a piece of a molecule",
        lambda row: to_smarts(row.structure) if row.fragment else None,
        media=_FILE,
        is_optional=True,
    ),
)


def frequent_columns(classes: Sequence[str] = ()) -> tuple[TableColumn[FrequentRow], ...]:
    """The columns of a table of frequent subgraphs, with those of each class."""
    return (*FREQUENT_COLUMNS, *columns_of_classes(classes))


def columns_of_classes(classes: Sequence[str]) -> list[TableColumn[Any]]:
    """The columns of each class, of rows that have ``contrasts``."""
    return [column for at in range(len(classes)) for column in _of_class(at, classes)]


def _of_class(at: int, classes: Sequence[str]) -> list[TableColumn[Any]]:
    """The columns of a class; shown are its graphs, and the odds ratio, of two classes once."""
    shown = {"graphs_{}"} if at == 0 and len(classes) == 2 else {"graphs_{}", "odds_ratio_{}"}
    return [
        column.part_of(
            column.key.format(classes[at]),
            lambda row: row.contrasts[at],
            title=f"{column.title}, {classes[at]}",
            media=_FILE | SHOWN if column.key in shown else _FILE,
        )
        for column in CONTRAST_COLUMNS
        if column.media & _FILE
    ]
