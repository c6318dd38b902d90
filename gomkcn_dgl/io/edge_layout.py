"""Which columns of a table of edges hold what: said by the caller, by a header, or by the values.

A first line is a header when it names columns that the caller named, or two that are usual, or
stands over a column of numbers; in a CSV file any first line is, unless it holds numbers or its
cells are found again below.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import NONE, Column, ColumnChoice
from gomkcn_dgl.io.tables import (
    Dialect,
    Source,
    Table,
    find_dialect,
    is_number,
    line_error,
    table_rows,
    text_source,
)
from gomkcn_dgl.runtime.files import listed, printable

log = logging.getLogger("gomkcn_dgl")

# edges between columns of these names have a direction, where nothing else is said
DIRECTED_ENDS = (
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("head", "tail"),
    ("subject", "object"),
    ("start", "end"),
    ("sender", "recipient"),
    ("sender", "receiver"),
    ("regulator", "gene"),
    ("regulator", "target"),
    ("parent", "child"),
    ("citing", "cited"),
    ("follower", "followed"),
)
_ENDS = (
    *DIRECTED_ENDS,
    ("u", "v"),
    ("id_1", "id_2"),
    ("node_1", "node_2"),
    # of STRING
    ("node1", "node2"),
    ("protein1", "protein2"),
)
_WEIGHTS = ("weight",)
_RELATIONS = (
    "relation",
    "relation_type",
    "rel",
    "edge_type",
    "predicate",
    "interaction",
    "regulation",
    "sign",
    "type",
)
_USUAL = {*itertools.chain.from_iterable(_ENDS), *_WEIGHTS, *_RELATIONS}
_ROLES = ("source", "target", "weight", "relation")
# of a text file: the first bytes tell the separator, the first rows the columns
_SAMPLE_BYTES = 2**18
_SAMPLE_ROWS = 1000
# different relations that are few in a table of any length
_FEW = 3


@dataclass(frozen=True, eq=False)
class EdgeLayout:
    """The columns of a table of edges.

    ``roles`` has the positions of ``source``, ``target`` and, where there are such columns,
    ``weight`` and ``relation``.
    """

    table: Source
    roles: dict[str, int]

    @property
    def ends(self) -> tuple[int, int]:
        """Positions of the columns of the two ends."""
        return self.roles["source"], self.roles["target"]

    @property
    def end_names(self) -> list[str]:
        """Names of the columns of the two ends."""
        return [self.table.names[end] for end in self.ends]

    @property
    def used(self) -> list[int]:
        """Positions of the columns that are used, each once."""
        return list(dict.fromkeys(self.roles.values()))

    @property
    def has_directed_ends(self) -> bool:
        """Whether the columns of the ends are called as those of edges with a direction."""
        names = {name.strip().lower() for name in self.end_names}
        return any(names == set(pair) for pair in DIRECTED_ENDS)

    @property
    def notes(self) -> tuple[str, ...]:
        """What of the table is left out, a phrase each."""
        unused = [name for at, name in enumerate(self.table.names) if at not in self.used]
        return (f"columns that are not used: {listed(unused)}",) if unused else ()

    def read(self) -> Table:
        """Read the columns that are used; say in the log which were taken for what."""
        table, header = self.table.read(self.used), self.table.header
        said = [f"{role} = {printable(self.table.names[at])}" for role, at in self.roles.items()]
        if header or len(self.table.names) > 2:
            line = f"line {header} is the header; " if header else ""
            log.info("columns: %s%s", line, ", ".join(said))
        for note in self.notes:
            log.info("%s", note)
        return table


def open_text(data: bytes, is_csv: bool, choice: ColumnChoice) -> Source:
    """Open a text; its first rows say whether it has a header."""
    rows, dialect = _first_rows(data, is_csv)
    cells = [row for _, row in rows if len(row) == len(rows[0][1])]
    has_header = _is_header(cells, is_csv, choice)
    source = text_source(data, dialect, rows[0], has_header)
    return source if has_header else replace(source, rows=cells)


def find_layout(table: Source, choice: ColumnChoice) -> EdgeLayout:
    r"""Choose the columns: those that were given, then by their names, or by the first cells.

    >>> import pyarrow as pa
    >>> from gomkcn_dgl.io.tables import open_stream
    >>> table = pa.table({"from": ["a"], "to": ["b"], "type": ["is"], "year": [1990]})
    >>> layout = find_layout(open_stream(table, "the table"), ColumnChoice())
    >>> layout.roles, layout.notes
    ({'source': 0, 'target': 1, 'relation': 2}, ('columns that are not used: year',))
    >>> find_layout(open_text(b"a is b\nb is c\n", False, ColumnChoice()), ColumnChoice()).roles
    {'source': 0, 'target': 2, 'relation': 1}
    """
    # 1. what the caller says; a role that is not to be used is None
    names, rows = table.names, table.rows
    chosen: dict[str, int | None] = {}
    for role in _ROLES:
        column = getattr(choice, role)
        if column == NONE and column not in names and role in ("relation", "weight"):
            chosen[role] = None
        elif column is not None:
            position = position_of(role, column, table)
            if position in chosen.values():
                raise InputError(
                    "source, target, relation and weight must be different columns, got "
                    f"{names[position]!r} twice."
                )
            chosen[role] = position
    free = [c for c in range(len(names)) if c not in chosen.values()]
    # 2. what the header or the values say
    guessed = _roles_by_name(names, free) if rows is None else _roles_by_value(rows, free, chosen)
    for role, position in guessed.items():
        if role not in chosen and position in free:
            chosen[role] = position
            free.remove(position)
    # 3. the first columns that are left are the two ends
    for role in ("source", "target"):
        if role not in chosen:
            if not free:
                rule = "a table of edges must have two columns of nodes, such as source and target"
                raise line_error(table.line, rule, ", ".join(rows[0] if rows else names))
            chosen[role] = free.pop(0)
    if rows is not None and free and not choice.of_edges:
        rule = "an edge must have the form 'u v', 'u v weight' or 'head relation tail', or its "
        rule += "columns must be named, such as source=1, target=2"
        raise line_error(table.line, rule, " ".join(rows[0]))
    return EdgeLayout(table, {role: at for role in _ROLES if (at := chosen.get(role)) is not None})


def position_of(role: str, column: Column, table: Source) -> int:
    """Return the position of a column that is given by name or by number."""
    names, is_unnamed = table.names, table.rows is not None
    if not is_unnamed and column in names:
        return list(names).index(str(column))
    if isinstance(column, int) or column.isdecimal():
        if not 1 <= int(column) <= len(names):
            raise InputError(f"{role} must be a column from 1 to {len(names)}, got {column}.")
        return int(column) - 1
    rule = f"name a column among {listed(names)}"
    if is_unnamed:
        rule = f"be the number of a column, 1 to {len(names)}, in a table without a header"
    raise InputError(f"{role} must {rule}, got {column!r}.")


def _roles_by_name(names: Sequence[str], free: Sequence[int]) -> dict[str, int]:
    """Return the columns that have one of the usual names."""
    found = {name.strip().lower(): column for column, name in enumerate(names) if column in free}
    roles = {}
    for role, usual in (("relation", _RELATIONS), ("weight", _WEIGHTS)):
        present = [found[name] for name in usual if name in found]
        if present:
            roles[role] = present[0]
    for source, target in _ENDS:
        if source in found and target in found:
            return {"source": found[source], "target": found[target], **roles}
    return roles


def _roles_by_value(
    rows: Sequence[Sequence[str]], free: Sequence[int], chosen: dict[str, int | None]
) -> dict[str, int]:
    """Tell a third column of numbers, weights, from a column of few different words, relations."""
    ends_left = 2 - len({"source", "target"} & set(chosen))
    if len(free) != ends_left + 1 or len(rows[0]) != 3:
        return {}
    columns = [[row[column] for row in rows] for column in range(3)]
    # numbers, words, numbers: nodes and what joins them
    between = all(map(is_number, columns[0])) and not any(map(is_number, columns[1]))
    if any(map(is_number, columns[free[-1]])) and not between:
        return {"weight": free[-1]} if "weight" not in chosen else {}
    if "relation" in chosen:
        return {}
    different = []
    for column in free[-2:]:
        words = set(columns[column])
        others = {cell for other in range(3) if other != column for cell in columns[other]}
        few = len(words) <= max(_FEW, len(rows) // 2)
        if few and not any(map(is_number, words)) and not words & others:
            different.append((len(words), column))
    return {"relation": min(different)[1]} if different else {}


def _is_header(rows: Sequence[Sequence[str]], is_csv: bool, choice: ColumnChoice) -> bool:
    """Whether the first of some rows of equal width names the columns."""
    first, others = rows[0], rows[1:]
    named = [choice.source, choice.target, choice.relation, choice.weight]
    if any(column in first for column in named if column != NONE):
        return True
    num_usual = sum(cell.lower() in _USUAL for cell in first)
    numbers = [is_number(cell) for cell in first]
    if (
        num_usual > 1
        or all(numbers)
        or {cell for row in others for cell in row}.intersection(first)
    ):
        return num_usual > 1
    if is_csv:
        return True
    over_numbers = (all(map(is_number, column)) for column in zip(*others, strict=True))
    return not any(numbers) and any(over_numbers)


def _first_rows(data: bytes, is_csv: bool) -> tuple[list[tuple[int, list[str]]], Dialect]:
    """Return the first rows of a text with their lines, and how they are cut."""
    # whole lines, and all where these are comments only
    head = data[: data.find(b"\n", _SAMPLE_BYTES) + 1 or len(data)]
    for part in (head, data):
        dialect, rows = find_dialect(part, is_csv), []
        try:
            for row in itertools.islice(table_rows(part, dialect), _SAMPLE_ROWS):
                rows.append(row)
        # it ends within quotes, or the reader comes to the bad line as well
        except InputError:
            if not rows:
                raise
        if rows:
            return rows, dialect
    kind = "blank lines" if is_csv else "comments only"
    raise InputError(f"the file holds {kind}, and no edge.")
