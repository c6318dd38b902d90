"""Which columns of a table of edges hold what: said by the caller, by their names, or by values.

Two columns are the ends where their names differ in one word, and the two words are a pair: source
and target, from and to, a and b, 1 and 2. So are ``source,target``, ``gene_a,gene_b``,
``FromNodeId,ToNodeId`` and ``protein1,protein2``.
"""

from __future__ import annotations

import itertools
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import NONE, READING, Column, ColumnChoice
from gomkcn_dgl.io.table_form import counts_rows, find_form, is_number
from gomkcn_dgl.io.tables import InputTable, Source, line_error, text_source
from gomkcn_dgl.messages import Argument
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
    ("source", "destination"),
    ("origin", "destination"),
    ("pre", "post"),
)
# and these say only that two columns belong together, as those of two measurements may
_PAIRS = (("u", "v"), ("a", "b"), ("1", "2"), ("0", "1"), ("i", "j"))
# which they do as ends where this is what they number
_NODE_WORDS = {"node", "vertex", "id", "name", "gene", "protein", "interactor", "user", "person"}
# words of a name: gene_a, geneA and GENE A have the same two
_NAME_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[^\W\d_]+")
# of BioGRID, whose first pair of columns holds numbers of genes
_PREFERRED = "symbol"
# words of a name of an end; each of them is left out once
_MOST_WORDS = 16
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
# columns of these names are no ends
TIMES = ("time", "timestamp", "datetime", "date", "ts", "t", "unixts")
_ROLES = ("source", "target", "weight", "relation")
# what R, pandas and others call a first column of numbers or names of rows
ROW_NAMES = ("", "unnamed: 0", "...1", "index", "rownames", "row.names", "rowname")
# words that call a column of numbers of rows, if its values count them
_ROW_WORDS = {
    *("row", "rows", "line", "record", "entry", "edge", "link", "interaction", "id", "key"),
    *("no", "nr", "num", "number", "index", "idx", "n", "x", "rowid", "rownum", "edgeid", "linkid"),
}
# different relations that are few in a table of any length
_FEW = 3


@dataclass(frozen=True, eq=False)
class EdgeLayout:
    """The columns of a table of edges.

    ``roles`` has the positions of ``source``, ``target`` and, where there are such columns,
    ``weight`` and ``relation``; ``unweighted`` is the column of weights that are not used, if any.
    ``attributes`` are the positions of columns that are asked for, by what they are called there.
    """

    table: Source
    roles: dict[str, int]
    unweighted: int | None = None
    attributes: Mapping[str, int] = field(default_factory=dict)

    @property
    def ends(self) -> tuple[int, int]:
        """Positions of the columns of the two ends."""
        return self.roles["source"], self.roles["target"]

    @property
    def end_names(self) -> list[str]:
        """Names of the columns of the two ends."""
        return [self.table.name(end) for end in self.ends]

    @property
    def used(self) -> list[int]:
        """Positions of the columns that are used, each once."""
        return list(dict.fromkeys(self.roles.values()))

    @property
    def has_directed_ends(self) -> bool:
        """Whether the columns of the ends are called as those of edges with a direction."""
        pair = differing_words(*(self.table.names[end] for end in self.ends))
        return pair in DIRECTED_ENDS or pair[::-1] in DIRECTED_ENDS

    @property
    def why_directed(self) -> str:
        """Why edges have a direction, or none, in the words of the log."""
        if self.table.kind == "directed":
            return "a comment in the file says so"
        return f"its columns are called {listed(self.end_names)}"

    @property
    def unused(self) -> list[str]:
        """Names of the columns that hold something and are not used."""
        table = self.table
        used = {*self.used, *self.attributes.values()}
        others = [at for at in range(len(table.names)) if at not in used]
        return [table.name(at) for at in others if table.names[at] or any(table.first(at))]

    @property
    def notes(self) -> tuple[str, ...]:
        """What of the table is left out, a phrase each."""
        unused = self.unused
        columns = (f"columns that are not used: {listed(unused)}",) if unused else ()
        return (*self.table.notes, *columns)

    def read(self) -> InputTable:
        """Read the columns that are used; say in the log what was taken for what."""
        table = self.table
        taken = [
            f'{role} = "{printable(table.names[at])}"' if table.names[at] else f"{role} = {at + 1}"
            for role, at in self.roles.items()
        ]
        header = "no header"
        if table.has_names:
            header = f"header on line {table.header}" if table.header else ""
        left = f"; not used: {listed(self.unused)}" if self.unused else ""
        where = f" ({header})" if header else ""
        log.log(READING, "columns: %s%s%s", ", ".join(taken), where, left)
        for note in table.notes:
            log.log(READING, "%s", note)
        weights = [] if self.unweighted is None else [self.unweighted]
        return table.read(dict.fromkeys([*self.used, *self.attributes.values(), *weights]))


def open_text(data: bytes, is_csv: bool, choice: ColumnChoice) -> Source:
    """Open a text; its first lines say what it is."""
    given = {getattr(choice, role) for role in _ROLES} - {NONE}
    given = {column for column in given if isinstance(column, str) and not _is_place(column)}

    def names_columns(cells: Sequence[str]) -> bool:
        return bool(given.intersection(cells)) or names_edges(cells)

    return text_source(data, find_form(data, is_csv=is_csv, names_columns=names_columns))


def names_edges(cells: Sequence[str]) -> bool:
    """Whether cells are the names of columns as tables of edges have them."""
    words = {cell.strip().lower() for cell in cells}
    usual = {*_WEIGHTS, *_RELATIONS, *itertools.chain.from_iterable(DIRECTED_ENDS)}
    # single letters may well be nodes
    pairs = (_words(cells[ends[0]]) for ends in _paired(cells, _PAIRS))
    return len(words & usual) > 1 or any(map(_says_what, pairs))


def _says_what(words: Sequence[str]) -> bool:
    """Whether the words of a name say more than letters and numbers, as those of gene_1 do."""
    return any(word.isalpha() and len(word) > 1 for word in words) and (
        sum(word.isdigit() for word in words) <= 1
    )


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
    # 1. what the caller says
    names = table.names
    chosen = _roles_by_choice(table, choice)
    # 2. what the names or the values say of the columns that hold something
    free = [c for c in range(len(names)) if c not in chosen.values() and holds_data(table, c)]
    cells = free if table.has_names else [at for at in free if not names[at]]
    guessed = _roles_by_name(table, [at for at in free if names[at]])
    if not table.has_names:
        guessed = {**_roles_by_value(table, cells, chosen), **guessed}
    unweighted = guessed.get("weight") if chosen.get("weight", 0) is None else None
    for role, position in guessed.items():
        if role not in chosen and position in free:
            chosen[role] = position
            free.remove(position)
    # 3. the first columns that are left are the two ends
    num_missing = sum(role not in chosen for role in ("source", "target"))
    left = {*free}
    candidates = [at for at in cells if at in left]
    if len(candidates) > num_missing:
        candidates = [at for at in candidates if at != unweighted]
    if len(candidates) > num_missing and _names_rows(table, candidates):
        del candidates[0]
    others = [at for at in candidates if names[at].strip().lower() not in TIMES]
    candidates = others if len(others) >= num_missing else candidates
    for role in ("source", "target"):
        if role not in chosen:
            if not candidates:
                ends = "a table of edges must have two columns of nodes, such as source and target"
                raise line_error(table.line, ends, ", ".join(_first_row(table)))
            chosen[role] = candidates.pop(0)
    given = {choice.source, choice.target, choice.relation, choice.weight} - {None}
    if not table.has_names and candidates and given <= {NONE} and choice.relation is None:
        rule = (
            "an edge must have the form 'u v', 'u v weight' or 'head relation tail', or its "
            "columns must be named, such as ",
            Argument("source", 1),
            ", ",
            Argument("target", 2),
        )
        raise line_error(table.line, rule, " ".join(_first_row(table)))
    roles = {role: at for role in _ROLES if (at := chosen.get(role)) is not None}
    requested = {
        name: position_of("an edge attribute", name, table) for name in choice.edge_attributes
    }
    requested |= {name: position_of("minimum", name, table) for name in choice.minimum}
    return EdgeLayout(table, roles, unweighted, requested)


def _roles_by_choice(table: Source, choice: ColumnChoice) -> dict[str, int | None]:
    """Return the columns that the caller names; a role that is not to be used is None."""
    chosen: dict[str, int | None] = {}
    for role in _ROLES:
        column = getattr(choice, role)
        if column == NONE and column not in table.names and role in ("relation", "weight"):
            chosen[role] = None
        elif column is not None:
            position = position_of(role, column, table)
            if position in chosen.values():
                columns = (
                    Argument("source"),
                    ", ",
                    Argument("target"),
                    ", ",
                    Argument("relation"),
                    " and ",
                    Argument("weight"),
                )
                twice = f"{table.name(position)!r} twice"
                raise InputError((*columns, " must be different columns"), got=twice)
            chosen[role] = position
    return chosen


def _first_row(table: Source) -> list[str]:
    """The names of the columns, or else the cells of the first row."""
    if table.has_names:
        return [*table.names]
    return [cell for at in range(len(table.names)) for cell in table.first(at)[:1]]


def holds_data(table: Source, at: int) -> bool:
    """Whether a column has a name or a value; programs end lines with empty cells."""
    return bool(table.names[at]) or any(table.first(at))


def _names_rows(table: Source, columns: Sequence[int]) -> bool:
    """Whether the first of some columns names or numbers the rows, and is no end of edges."""
    first = columns[0]
    others = columns[1:]
    name = table.names[first].strip().lower()
    if not table.has_names:
        # between numbers, three columns that count by chance are a ring
        are_words = all(not any(map(is_number, table.first(at))) for at in others)
        return are_words and len(table.first(first)) > 1 and counts_rows(table.first(first))
    may_count = _ROW_WORDS.issuperset(_words(name))
    return name in ROW_NAMES or (may_count and counts_rows(table.first(first)))


def position_of(role: str, column: Column, table: Source) -> int:
    """Return the position of a column that is given by its name, or by its number from 1."""
    names = table.names
    if _is_place(column):
        if not 1 <= int(column) <= len(names):
            raise InputError(role, f"must be a column from 1 to {len(names)}", got=column)
        return int(column) - 1
    if column in names:
        return list(names).index(str(column))
    rule = f"name a column among {listed(filter(None, names))}"
    if not table.has_names:
        rule = f"be the number of a column, 1 to {len(names)}, in a table without a header"
    raise InputError(role, f"must {rule}", got=repr(column))


def _is_place(column: Column) -> bool:
    """Whether a column is given by its number."""
    return isinstance(column, int) or (column.isascii() and column.isdigit())


def differing_words(name: str, other: str) -> tuple[str, str]:
    """The words in which two names differ, if it is one in each; else two empty ones.

    >>> differing_words("FromNodeId", "ToNodeId"), differing_words("gene_a", "gene_b")
    (('from', 'to'), ('a', 'b'))
    """
    words = itertools.zip_longest(_words(name), _words(other), fillvalue="")
    pairs = [pair for pair in words if pair[0] != pair[1]]
    return pairs[0] if len(pairs) == 1 else ("", "")


def _words(name: str) -> list[str]:
    """The words of a name, in small letters."""
    return [word.lower() for word in _NAME_WORD.findall(name)]


def _paired(names: Sequence[str], pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[int, int]]:
    """Columns whose names differ in one word, by the order of the pairs and then of the columns."""
    # the word that a name has between others, and its column
    words_between: dict[tuple[tuple[str, ...], tuple[str, ...]], dict[str, int]] = {}
    for at, name in enumerate(names):
        words = tuple(_words(name))
        for place, word in enumerate(words if len(words) <= _MOST_WORDS else ()):
            others = words[:place], words[place + 1 :]
            words_between.setdefault(others, {}).setdefault(word, at)
    for source, target in pairs:
        for columns in words_between.values():
            if source in columns and target in columns:
                yield columns[source], columns[target]


def _find_ends(table: Source, free: Sequence[int]) -> tuple[int, int] | None:
    """The two columns whose names are a pair of ends."""
    names = [table.names[column] for column in free]
    directed = [(free[source], free[target]) for source, target in _paired(names, DIRECTED_ENDS)]
    if directed:
        return directed[0]
    # a pair that says less: the first columns, columns of words, or those that number nodes
    first = free[1] if len(free) > 2 and _names_rows(table, free) else free[0]
    pairs = [(free[source], free[target]) for source, target in _paired(names, _PAIRS)]
    pairs = [
        ends
        for ends in pairs
        if ends[0] == first
        or not _NODE_WORDS.isdisjoint(_words(table.names[ends[0]]))
        or not any(is_number(cell) for end in ends for cell in table.first(end))
    ]
    preferred = [ends for ends in pairs if _PREFERRED in _words(table.names[ends[0]])]
    return next(iter([*preferred, *pairs]), None)


def _roles_by_name(table: Source, free: Sequence[int]) -> dict[str, int]:
    """Return the columns that have one of the usual names."""
    names = table.names
    found = {names[column].strip().lower(): column for column in reversed(free)}
    roles = {}
    for role, usual in (("relation", _RELATIONS), ("weight", _WEIGHTS)):
        present = [found[name] for name in usual if name in found]
        if present:
            roles[role] = present[0]
    ends = _find_ends(table, free) if free else None
    if ends is None:
        return roles
    return {"source": ends[0], "target": ends[1], **roles}


def _roles_by_value(
    table: Source, free: Sequence[int], chosen: dict[str, int | None]
) -> dict[str, int]:
    """Tell a third column of numbers, weights, from a column of few different words, relations."""
    ends_left = 2 - len({"source", "target"} & set(chosen))
    unnamed = [at for at in range(len(table.names)) if not table.names[at]]
    held = [at for at in unnamed if holds_data(table, at)]
    if len(free) != ends_left + 1 or len(held) != 3:
        return {}
    columns = {at: table.first(at) for at in held}
    # numbers, words, numbers: nodes and what joins them
    left, middle, _ = columns.values()
    between = all(map(is_number, left)) and not any(map(is_number, middle))
    if any(map(is_number, columns[free[-1]])) and not between:
        return {"weight": free[-1]}
    if "relation" in chosen:
        return {}
    different = []
    for column in free[-2:]:
        words = set(columns[column])
        others = {cell for other in held if other != column for cell in columns[other]}
        few = len(words) <= max(_FEW, len(columns[column]) // 2)
        if few and not any(map(is_number, words)) and not words & others:
            different.append((len(words), column))
    return {"relation": min(different)[1]} if different else {}
