"""Which columns of a table of edges hold what: by evidence, and never by a guess.

1. What the caller says.
2. Names, see :mod:`~gomkcn_dgl.io.column_names`.
3. Values: without a header, a third column of numbers is weights, of few words relations, and times
   may come first; of several columns, two that share values, as no others do.
4. Two columns, if there are no more.

Of a table where nothing of that tells the two ends, the caller is to name them.
"""

from __future__ import annotations

import itertools
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NoReturn

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import NONE, READING, Column, ColumnChoice
from gomkcn_dgl.io.column_names import (
    PREFERRED,
    RELATIONS,
    ROW_NAMES,
    WEIGHTS,
    are_default,
    are_two_kinds,
    differing_words,
    directed_pairs,
    have_direction,
    is_time,
    leads_back,
    may_number_rows,
    may_say_otherwise,
    names_edges,
    number_nodes,
    other_pairs,
    words_of,
)
from gomkcn_dgl.io.dates import are_dates
from gomkcn_dgl.io.molecules import smiles_column
from gomkcn_dgl.io.table_form import counts_rows, find_form, is_number
from gomkcn_dgl.io.tables import InputTable, Source, line_error, text_source
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.runtime.files import listed, printable

log = logging.getLogger("gomkcn_dgl")

_ENDS = ("source", "target")
_ROLES = (*_ENDS, "weight", "relation")
# what is called so is the name of what an id before it numbers
_TITLES = ("name", "label", "title")
# what a column of lists is called, and what stands between two nodes in one
_LISTED = {"neighbors", "neighbours", "targets", "sources", "friends", "followers"}
_LIST = re.compile(r"[;|,]")
_LIST_OF_PYTHON = re.compile(r"\[(?:'|\"|[0-9]+, )")
# different relations that are few in a table of any length
_FEW = 3
# ends of a stretch or of a time as well: they are nodes where both columns have some
_SPAN = ("start", "end")
_WORDS_OF_TIMES = {"time", "date", "day", "year"}
# columns of a table of edges that are compared with each other by their values
_MOST_COMPARED = 30
# of two columns of nodes behind times, the least share of common values; times share fewer
_LEAST_SHARED = 0.2


@dataclass(frozen=True, eq=False)
class EdgeLayout:
    """The columns of a table of edges.

    ``roles`` has the positions of ``source``, ``target`` and, where there are such columns,
    ``weight`` and ``relation``; ``evidence`` says by what the ends are known, in the words of the
    log. ``unweighted`` is the column of weights that are not used, if any, and ``time`` that of
    times, as given or told by its values. ``attributes`` are the positions of columns that are
    asked for, by what they are called there.
    """

    table: Source
    roles: dict[str, int]
    evidence: str
    unweighted: int | None = None
    time: int | None = None
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
        return have_direction(*(self.table.names[end] for end in self.ends))

    def are_two_sides(self, choice: ColumnChoice) -> bool | None:
        """Whether each end has its own nodes, as is chosen or else said; None where nothing says.

        A comment says it, or the names of the columns, and no value does: a part of a table, and
        one of other numbers, are read as the whole is.
        """
        if choice.bipartite is not None:
            return bool(choice.bipartite)
        names = [self.table.names[end] for end in self.ends]
        if self.table.kind:
            return self.table.kind == "bipartite"
        # what has no names is not told apart by them
        return are_two_kinds(*names) if all(names) else False

    @property
    def side_names(self) -> tuple[str, str]:
        """What the nodes of each end are called, in front of what is at both: "user" and "item"."""
        first, second = (self.table.names[end] for end in self.ends)
        return (first, second) if first and second and first != second else ("1", "2")

    @property
    def why_directed(self) -> str:
        """Why edges have a direction, or none, in the words of the log."""
        if self.table.kind in ("directed", "undirected"):
            return "a comment in the file says so"
        return f"its columns are called {listed(self.end_names)}"

    @cached_property
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
        log.log(READING, "columns: %s%s, %s%s", ", ".join(taken), where, self.evidence, left)
        for note in table.notes:
            log.log(READING, "%s", note)
        weights = [] if self.unweighted is None else [self.unweighted]
        return table.read(dict.fromkeys([*self.used, *self.attributes.values(), *weights]))


def open_text(data: bytes, is_csv: bool, choice: ColumnChoice) -> Source:
    """Open a text; its first lines say what it is."""
    given = {name for name in choice.columns if isinstance(name, str) and not _is_place(name)}

    def names_columns(cells: Sequence[str]) -> bool:
        names_molecules = smiles_column(cells) is not None
        return bool(given.intersection(cells)) or names_edges(cells) or names_molecules

    form = find_form(data, is_csv=is_csv, names_columns=names_columns)
    return text_source(data, form, is_csv=is_csv)


def find_layout(table: Source, choice: ColumnChoice, time: Column | None = None) -> EdgeLayout:
    r"""Tell which columns hold what, or refuse a table of which that is not known.

    The column ``time`` is no end.

    >>> import pyarrow as pa
    >>> from gomkcn_dgl.io.tables import open_stream
    >>> table = pa.table({"from": ["a"], "type": ["is"], "to": ["b"], "year": [1990]})
    >>> layout = find_layout(open_stream(table, "the table"), ColumnChoice())
    >>> layout.roles, layout.evidence
    ({'source': 0, 'target': 2, 'relation': 1}, 'by their names')
    >>> layout.notes
    ('columns that are not used: year',)
    >>> find_layout(open_text(b"a is b\nb is c\n", False, ColumnChoice()), ColumnChoice()).roles
    {'source': 0, 'target': 2, 'relation': 1}
    """
    table = _with_index(without_default_names(table), choice)
    names = table.names
    chosen = _roles_by_choice(table, choice)
    times = None if time is None else position_of("time", time, table)
    if times is not None and times in chosen.values():
        rule = "must be another column than the ends"
        raise InputError("time", rule, got=repr(table.name(times)))
    free = [
        at
        for at in range(len(names))
        if at not in chosen.values() and at != times and holds_data(table, at)
    ]
    # 1. weights and relations, by their names or, without a header, by what stands there
    guessed = _roles_by_name(table, free)
    cells = [at for at in free if at < table.num_cells]
    is_known = times is not None or not {*_ENDS}.isdisjoint(chosen)
    if not table.has_names:
        are_unknown = not is_known and not any(table.names[: table.num_cells])
        times = _first_times(table, cells) if are_unknown else times
        cells = [at for at in cells if at != times]
        guessed = {**_roles_by_value(table, cells, chosen), **guessed}
    unweighted = guessed.get("weight") if chosen.get("weight", 0) is None else None
    for role, position in guessed.items():
        if role not in chosen:
            chosen[role] = position
    # 2. the ends, among the columns that are left
    taken = set(chosen.values())
    cells = [at for at in cells if at not in taken]
    ends, evidence = _find_ends(table, cells, chosen, unweighted)
    chosen |= ends
    _refuse_lists(table, [at for role in _ENDS if (at := chosen[role]) is not None])
    if times is None or is_known:
        used = {*chosen.values(), unweighted}
        left = [at for at in cells if at not in used and not is_time(names[at])]
        _refuse_others(table, left, choice)
    else:
        evidence = "the two behind times"
    roles = {role: at for role in _ROLES if (at := chosen.get(role)) is not None}
    requested = {
        name: position_of("an edge attribute", name, table) for name in choice.edge_attributes
    }
    requested |= {
        bound.name: position_of(bound.argument, bound.name, table) for bound in choice.bounds.bounds
    }
    return EdgeLayout(table, roles, evidence, unweighted, times, requested)


def without_default_names(table: Source) -> Source:
    """A table whose columns have no names where a program numbered them, which is no header."""
    cells = table.names[: table.num_cells]
    if not (table.has_names and len(cells) > 1 and are_default(cells)):
        return table
    names = ("",) * len(cells) + tuple(table.names[table.num_cells :])
    return replace(table, names=names, default_names=tuple(cells), has_names=False)


def _with_index(table: Source, choice: ColumnChoice) -> Source:
    """A table with the levels of its index as columns, where these hold ends and no others do.

    A frame of pandas has such levels behind ``groupby(["source", "target"]).size()``.
    """
    levels = [*table.index_names]
    if not levels or not all(levels):
        return table

    def tell(names: Sequence[str]) -> bool:
        return any(True for pairs in (directed_pairs, other_pairs) for _ in pairs(names))

    names = [*table.names, *levels]
    is_needed = not {choice.source, choice.target}.isdisjoint(levels)
    if not is_needed and not tell(table.names):
        is_needed = tell(names) or len(table.names) < 2 <= len(levels)
    return replace(table, names=names, num_cells=len(names)) if is_needed else table


def _find_ends(
    table: Source,
    free: Sequence[int],
    chosen: Mapping[str, int | None],
    unweighted: int | None,
) -> tuple[dict[str, int], str]:
    """The ends that were not given, and what tells them; a table where nothing does is refused."""
    given = {role: at for role in _ENDS if (at := chosen.get(role)) is not None}
    missing = [role for role in _ENDS if role not in given]
    if not missing:
        return {}, "as given"
    # 1. names, of all columns that may be ends
    columns = sorted([*free, *given.values()])
    pair = _ends_by_name(table, columns, set(given.values()))
    if pair is not None:
        return _as_roles(pair, given, missing), "by their names"
    # 2. the only columns that are left
    candidates = [at for at in free if at != unweighted] if len(free) > len(missing) else [*free]
    if len(candidates) > len(missing) and _names_rows(table, candidates):
        del candidates[0]
    others = [at for at in candidates if not _holds_times(table, at)]
    candidates = others if len(others) >= len(missing) else candidates
    if len(candidates) < len(missing):
        rule = "a table of edges must have two columns of nodes, such as source and target"
        raise line_error(table.line, rule, ", ".join(_first_row(table)))
    if len(candidates) == len(missing) or not table.has_names:
        if table.has_names:
            _refuse_measurements(table, candidates)
        kind = "the only two that are left" if table.has_names else "the first two"
        if len(missing) == 2 and leads_back(*(table.names[at] for at in candidates[:2])):
            candidates = candidates[1::-1]
        return dict(zip(missing, candidates, strict=False)), kind
    # 3. values
    shared = _ends_by_value(table, sorted([*candidates, *given.values()]), set(given.values()))
    if shared is not None:
        return _as_roles(shared, given, missing), "which share values"
    _refuse_unknown(table, candidates, given, missing)


def _as_roles(
    pair: tuple[int, int], given: Mapping[str, int], missing: Sequence[str]
) -> dict[str, int]:
    """The roles that are missing, of a pair of columns of which one may be given."""
    if not given:
        return dict(zip(_ENDS, pair, strict=True))
    (role,) = missing
    return {role: next(at for at in pair if at not in given.values())}


def _ends_by_name(table: Source, columns: Sequence[int], given: set[int]) -> tuple[int, int] | None:
    """The two columns whose names are a pair of ends, one of them given if there is such."""
    names = [table.names[at] for at in columns]
    directed = [
        ends
        for first, second in directed_pairs(names)
        if given <= set(ends := (columns[first], columns[second]))
        and not (len(columns) > 2 and _is_span(table, ends, columns))
    ]
    if directed:
        return _without_sources(table, directed, columns)
    # a pair that says less: the first columns, columns of words, or those that number nodes
    first = columns[1] if len(columns) > 2 and _names_rows(table, columns) else columns[0]
    pairs = [
        ends
        for one, two in other_pairs(names)
        if given <= set(ends := (columns[one], columns[two]))
        and (
            ends[0] == first
            or number_nodes(table.names[ends[0]])
            or _share_nodes(table, ends, columns)
            or not any(is_number(cell) for end in ends for cell in table.first(end))
        )
    ]
    preferred = [ends for ends in pairs if PREFERRED in words_of(table.names[ends[0]])]
    return next(iter([*preferred, *pairs]), None)


def _share_nodes(table: Source, ends: tuple[int, int], columns: Sequence[int]) -> bool:
    """Whether two columns share values that may be nodes: whole numbers, and no counts of rows."""
    first, second = map(table.first, ends)
    are_real = any(map(_is_real_number, (*first, *second)))
    is_shared = bool(({*first} & {*second}) - {""})
    return is_shared and not are_real and not _describe_rows(table, ends, columns)


def _without_sources(
    table: Source, directed: Sequence[tuple[int, int]], columns: Sequence[int]
) -> tuple[int, int]:
    """The first pair; another of the same second column where a source is where rows are from.

    As in ``drug,target,source`` and ``source,tf,target``: of a pair with a source, both stand in
    their order, and no other first end between them.
    """
    source, target = directed[0]
    if words_of(table.names[source]) != [_ENDS[0]]:
        return directed[0]
    names = [table.names[at] for at in columns]
    others = [*directed, *((columns[one], columns[two]) for one, two in other_pairs(names))]
    nearer = [ends for ends in others if ends[1] == target and (source < ends[0] < target)]
    if source > target:
        nearer = [ends for ends in others if ends[1] == target and ends[0] != source]
    return (nearer or directed)[0]


def _holds_times(table: Source, at: int) -> bool:
    """Whether a column holds dates in words, or numbers and is called as times are."""
    cells = [cell for cell in table.first(at) if cell]
    is_called = is_time(table.names[at]) and not all(map(_is_plain_word, cells))
    return is_called or (bool(cells) and are_dates(cells, as_text=True))


def _is_plain_word(cell: str) -> bool:
    """Whether a cell has no digit, which each time has."""
    return not any(map(str.isdigit, cell))


def _is_span(table: Source, ends: tuple[int, int], columns: Sequence[int]) -> bool:
    """Whether two columns hold where something starts and ends, or what was measured of each row.

    Of start and end these are places that the columns do not share, or times; of other words that
    say something else as well, such as pre and post, numbers behind different names.
    """
    first, second = map(table.first, ends)
    names = [table.names[end] for end in ends]
    pair = differing_words(*names)
    if pair != _SPAN:
        are_nodes = number_nodes(names[0])
        is_doubtful = may_say_otherwise(pair)
        return is_doubtful and not are_nodes and _describe_rows(table, ends, columns)
    are_times = not _WORDS_OF_TIMES.isdisjoint(words_of(names[0]))
    are_places = all(map(is_number, (*first, *second))) or are_dates([*first, *second])
    return are_times or (are_places and not set(first) & set(second))


def _ends_by_value(
    table: Source, columns: Sequence[int], given: set[int]
) -> tuple[int, int] | None:
    """The two columns that share values, if no others of the first columns do."""
    values = {at: set(table.first(at)) - {""} for at in columns[:_MOST_COMPARED]}
    sharing = [
        (one, two)
        for one, two in itertools.combinations(values, 2)
        if len(values[one] & values[two]) > 1 and len(values[one] | values[two]) >= _FEW
    ]
    sharing = [ends for ends in sharing if given <= set(ends)]
    if len(sharing) != 1 or _describe_rows(table, sharing[0], columns):
        return None
    return sharing[0]


def _describe_rows(table: Source, ends: tuple[int, int], columns: Sequence[int]) -> bool:
    """Whether two columns are numbers behind one of names that all differ: what these have."""
    are_numbers = all(is_number(cell) for at in ends for cell in table.first(at))
    names = next((table.first(at) for at in columns if at < min(ends)), [])
    return are_numbers and len({*names}) == len(names) > 1 and not any(map(is_number, names))


def _refuse_measurements(table: Source, ends: Sequence[int]) -> None:
    """Refuse two columns of which one alone holds numbers that no nodes have.

    These are not whole, or stand beside names that all differ: what each has, such as a length.
    """
    real = [next(filter(_is_real_number, table.first(at)), None) for at in ends]
    found = [(at, cell) for at, cell in zip(ends, real, strict=True) if cell is not None]
    if len(ends) == 2 and not found and _describe_rows(table, (ends[1], ends[1]), ends):
        found = [(ends[1], table.first(ends[1])[0])]
    if len(ends) == 2 and len(found) == 1:
        ((at, cell),) = found
        raise InputError(
            f"the column {printable(table.name(at))} holds numbers such as {cell}, which are no "
            "nodes",
            way_out=("if they are, give ", Argument("target", table.name(at))),
            place=table.place_of_names,
        )


def _refuse_lists(table: Source, ends: Sequence[int]) -> None:
    """Refuse a column of neighbours that has several of them in a cell, and lists of Python."""
    for at in ends:
        is_called = not _LISTED.isdisjoint(words_of(table.names[at]))
        form = _LIST.search if is_called else _LIST_OF_PYTHON.match
        cell = next(filter(form, table.first(at)), None)
        if cell is not None:
            raise InputError(
                f"the column {printable(table.name(at))} holds lists of nodes, such as "
                f"{printable(cell)}",
                way_out="write a row for each edge",
                place=table.place_of_names,
            )


def _refuse_unknown(
    table: Source, candidates: Sequence[int], given: Mapping[str, int], missing: Sequence[str]
) -> NoReturn:
    """Ask for the ends of a table of which nothing tells them."""
    likely = [at for at in candidates if not any(_is_real_number(cell) for cell in table.first(at))]
    suggested = [*likely, *(at for at in candidates if at not in likely)][: len(missing)]
    arguments = [
        Argument(role, table.name(at)) for role, at in zip(missing, suggested, strict=True)
    ]
    names = listed(table.name(at) for at in sorted([*candidates, *given.values()]))
    raise InputError(
        f"nothing tells which columns hold the two nodes of an edge, got {names}",
        way_out=(
            "name them, such as ",
            arguments[0],
            *((" ", arguments[1]) if len(arguments) > 1 else ()),
        ),
        place=table.place_of_names,
    )


def _refuse_others(table: Source, left: Sequence[int], choice: ColumnChoice) -> None:
    """Refuse a table without names that has more columns than are known to hold something."""
    if table.has_names or not left or _names_rows(table, [left[0], *range(left[0])]):
        return
    if choice.columns or choice.relation is not None:
        return
    rule = (
        "an edge must have the form 'u v', 'u v weight' or 'head relation tail', or its "
        "columns must be named, such as ",
        Argument("source", 1),
        ", ",
        Argument("target", 2),
    )
    raise line_error(table.line, rule, " ".join(_first_row(table)))


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
    # beside what is called name or label, an id is of the same node
    is_of_node = any(table.names[at].strip().lower() in _TITLES for at in others[:1])
    is_counted = may_number_rows(name) and counts_rows(table.first(first)) and not is_of_node
    return name in ROW_NAMES or is_counted


def position_of(role: str, column: Column, table: Source) -> int:
    """Return the position of a column that is given by its name, or by its number from 1."""
    names = table.names
    if _is_place(column):
        if not 1 <= int(column) <= len(names):
            raise InputError(role, f"must be a column from 1 to {len(names)}", got=column)
        return int(column) - 1
    for known in (names, table.default_names):
        if column in known:
            return list(known).index(str(column))
    rule = f"name a column among {listed(filter(None, names))}"
    if not table.has_names:
        rule = f"be the number of a column, 1 to {len(names)}, in a table without a header"
    raise InputError(role, f"must {rule}", got=repr(column))


def _is_place(column: Column) -> bool:
    """Whether a column is given by its number."""
    return isinstance(column, int) or (column.isascii() and column.isdigit())


def _is_real_number(cell: str) -> bool:
    """Whether a cell is a number and not a whole one."""
    return is_number(cell) and not float(cell).is_integer()


def _roles_by_name(table: Source, free: Sequence[int]) -> dict[str, int]:
    """Return the columns of weights and of relations that have one of the usual names."""
    names = table.names
    found = {"_".join(words_of(names[column])): column for column in reversed(free)}
    roles = {}
    for role, usual in (("relation", RELATIONS), ("weight", WEIGHTS)):
        present = [found[name] for name in usual if name in found]
        if present:
            roles[role] = present[0]
    return roles


def _first_times(table: Source, cells: Sequence[int]) -> int | None:
    """The first column, if it holds times, and the two behind it nodes.

    It does so if it alone has dates, in ascending order where they are numbers; or if it ascends
    and the third does not, and the two behind it share values, of which it has few.
    """
    if len(cells) < 3:
        return None
    times, source, target = (table.first(at) for at in cells[:3])
    if not all(map(all, (times, source, target))):
        return None
    has_order = _ascends(times) or not any(map(is_number, times))
    if times and [*map(are_dates, (times, source, target))] == [True, False, False] and has_order:
        return cells[0]
    # of self-loops alone, they would be no edges
    are_nodes = source != target and _shared(source, target) >= _LEAST_SHARED
    is_apart = max(_shared(times, source), _shared(times, target)) < _LEAST_SHARED
    return cells[0] if _ascends(times) and not _ascends(target) and are_nodes and is_apart else None


def _shared(cells: Sequence[str], others: Sequence[str]) -> float:
    """The share of the values of one column, the one with more, that another has as well."""
    values = {*cells}
    more = {*others}
    return len(values & more) / max(len(values), len(more))


def _ascends(cells: Sequence[str]) -> bool:
    """Whether cells are numbers, each at least as large as the one before, and not all equal."""
    if not all(map(is_number, cells)):
        return False
    numbers = [float(cell) for cell in cells]
    return numbers[0] < numbers[-1] and numbers == sorted(numbers)


def _roles_by_value(
    table: Source, free: Sequence[int], chosen: dict[str, int | None]
) -> dict[str, int]:
    """Tell a third column of numbers, weights, from a column of few different words, relations."""
    ends_left = 2 - len(set(_ENDS) & set(chosen))
    held = [at for at in range(table.num_cells) if holds_data(table, at)]
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
