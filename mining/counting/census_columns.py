"""A structure of a census as a row, and the columns of its table."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gomkcn.mining.structures.number_text import three_digits
from gomkcn.mining.structures.pattern import Weighing
from gomkcn.mining.structures.standard_columns import standard_columns
from gomkcn.mining.structures.table_column import EVERYWHERE, TableColumn
from gomkcn_dgl.graphs.standard_names import StandardNames, standard_names
from gomkcn_dgl.graphs.structure import Structure


class CensusRow(NamedTuple):
    """A structure with its count, or a size of which no structure is counted.

    ``form`` names the column that has the ``code`` of the structure.
    """

    size: int
    form: str
    code: str
    name: str
    occurrences: int | None
    reading: str
    standard: StandardNames = StandardNames()
    weighing: Weighing | None = None

    @classmethod
    def of(
        cls,
        structure: Structure,
        form: str,
        name: str,
        count: int,
        reading: str,
        weighing: Weighing | None = None,
    ) -> CensusRow:
        """The row of a structure."""
        code = FORMS[form](structure)
        standard = standard_names(structure)
        return cls(structure.num_nodes, form, code, name, count, reading, standard, weighing)


def to_graph6(structure: Structure) -> str:
    """Write a structure of up to 62 nodes in B. D. McKay's graph6, with directions in digraph6.

    >>> to_graph6(Structure.parse("triangle")), to_graph6(Structure.parse("a->b"))
    ('Bw', '&AO')
    """
    joined = structure.joined
    size = structure.num_nodes
    bits = [bool(joined[u, v]) for v in range(size) for u in range(v)]
    if structure.relations.is_directed:
        leaving = structure.channels[:, :, structure.relations.outgoing].any(axis=2)
        bits = leaving.reshape(-1).tolist()
    bits += [False] * (-len(bits) % 6)
    text = "".join("01"[bit] for bit in bits)
    numbers = [size, *(int(text[k : k + 6], 2) for k in range(0, len(text), 6))]
    return "&" * structure.relations.is_directed + "".join(chr(63 + number) for number in numbers)


# how structures are written: without directions, with these alone, and with relations or categories
FORMS: dict[str, Callable[[Structure], str]] = {
    "graph6": to_graph6,
    "digraph6": to_graph6,
    "edges": Structure.to_text,
}


def _code_column(form: str, meaning: str) -> TableColumn[CensusRow]:
    return TableColumn(
        form,
        form,
        meaning,
        lambda row: row.code if row.form == form else None,
        is_left=True,
        is_optional=True,
    )


CENSUS_COLUMNS: tuple[TableColumn[CensusRow], ...] = (
    TableColumn("size", "Size", "number of nodes", lambda row: row.size),
    _code_column("graph6", "the structure in McKay's graph6, where edges have no directions"),
    _code_column("digraph6", "in digraph6, where edges have directions"),
    _code_column(
        "edges",
        "edges as `gomkcn count` takes them, where edges have relations or nodes categories",
    ),
    TableColumn("name", "Name", "its name, no two alike", lambda row: row.name, is_left=True),
    *standard_columns(lambda row: row.standard, EVERYWHERE),
    TableColumn(
        "count",
        "Count",
        "occurrences in the graph; empty for a size that is not counted",
        lambda row: row.occurrences,
        is_main=True,
    ),
    TableColumn(
        "intensity",
        "Intensity",
        "sum over the occurrences of the geometric mean of the weights of their edges",
        lambda row: None if row.weighing is None else row.weighing.intensity,
        lambda row: None if row.weighing is None else three_digits(row.weighing.intensity),
        is_optional=True,
    ),
    TableColumn(
        "coherence",
        "Coherence",
        "mean over the occurrences of the geometric mean of these weights over the arithmetic one",
        lambda row: None if row.weighing is None else row.weighing.coherence,
        lambda row: None if row.weighing is None else f"{row.weighing.coherence:.3f}",
        is_optional=True,
    ),
    TableColumn(
        "reading",
        "Reading",
        "`induced` or `subgraph`: exactly the edges of the structure, or at least these",
        lambda row: row.reading,
        is_left=True,
    ),
)
