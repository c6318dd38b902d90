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
    check_names,
    find_dialect,
    is_number,
    line_error,
    table_rows,
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
    ("node1", "node2"),
    ("protein1", "protein2"),
    ("fromnodeid", "tonodeid"),
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


@dataclass(frozen=True)
class EdgeLayout:
    """The columns of a table of edges, and how its text is cut.

    ``roles`` has the positions of ``source``, ``target`` and, where there are such columns,
    ``weight`` and ``relation``. ``header`` is the line of the header, or 0; ``dialect`` is None for
    a table that is no text.
    """

    names: tuple[str, ...]
    roles: dict[str, int]
    header: int = 0
    first_line: int = 1
    dialect: Dialect | None = None

    @property
    def ends(self) -> tuple[int, int]:
        """Positions of the columns of the two ends."""
        return self.roles["source"], self.roles["target"]

    @property
    def used(self) -> list[int]:
        """Positions of the columns that are used, each once."""
        return list(dict.fromkeys(self.roles.values()))

    @property
    def has_directed_ends(self) -> bool:
        """Whether the columns of the ends are called as those of edges with a direction."""
        names = {self.names[end].strip().lower() for end in self.ends}
        return any(names == set(pair) for pair in DIRECTED_ENDS)

    @property
    def notes(self) -> tuple[str, ...]:
        """What of the table is left out, a phrase each."""
        unused = [name for column, name in enumerate(self.names) if column not in self.used]
        return (f"columns that are not used: {listed(unused)}",) if unused else ()

    def write_log(self) -> None:
        """Say which columns were taken for what."""
        said = [f"{role} = {printable(self.names[at])}" for role, at in self.roles.items()]
        if self.header or len(self.names) > 2:
            header = f"line {self.header} is the header; " if self.header else ""
            log.info("columns: %s%s", header, ", ".join(said))
        for note in self.notes:
            log.info("%s", note)


def read_layout(data: bytes, is_csv: bool, choice: ColumnChoice) -> EdgeLayout:
    """Tell the columns of a text from its first rows."""
    rows, dialect = _first_rows(data, is_csv)
    line, first = rows[0]
    cells = [row for _, row in rows if len(row) == len(first)]
    if _is_header(cells, is_csv, choice):
        check_names(line, first)
        return replace(find_layout(first, choice, line=line), header=line, dialect=dialect)
    names = [f"column {number}" for number in range(1, len(first) + 1)]
    return replace(find_layout(names, choice, cells, line), dialect=dialect)


def find_layout(
    names: Sequence[str],
    choice: ColumnChoice,
    rows: Sequence[Sequence[str]] | None = None,
    line: int = 1,
) -> EdgeLayout:
    """Choose the columns: those that were given, then by their names, or by the cells of ``rows``.

    ``rows`` are for a table without a header; ``line`` is the number of its first one.

    >>> layout = find_layout(["from", "to", "type", "year"], ColumnChoice())
    >>> layout.roles, layout.notes
    ({'source': 0, 'target': 1, 'relation': 2}, ('columns that are not used: year',))
    >>> triple = find_layout(["1", "2", "3"], ColumnChoice(), [["a", "is", "b"], ["b", "is", "c"]])
    >>> triple.ends, triple.roles["relation"]
    ((0, 2), 1)
    """
    # 1. what the caller says; a role that is not to be used is None
    chosen: dict[str, int | None] = {}
    for role in _ROLES:
        column = getattr(choice, role)
        if column == NONE and column not in names and role in ("relation", "weight"):
            chosen[role] = None
        elif column is not None:
            position = position_of(role, column, names, rows is not None)
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
                raise line_error(line, rule, ", ".join(rows[0] if rows else names))
            chosen[role] = free.pop(0)
    if rows is not None and free and not choice.of_edges:
        rule = "an edge must have the form 'u v', 'u v weight' or 'head relation tail', or its "
        rule += "columns must be named, such as source=1, target=2"
        raise line_error(line, rule, " ".join(rows[0]))
    roles = {role: at for role in _ROLES if (at := chosen.get(role)) is not None}
    return EdgeLayout(tuple(names), roles, first_line=line)


def position_of(role: str, column: Column, names: Sequence[str], is_unnamed: bool) -> int:
    """Return the position of a column that is given by name or by number."""
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
