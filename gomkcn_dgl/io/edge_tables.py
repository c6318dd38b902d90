"""Tables of edges, as text, CSV, parquet or in memory → a GraphContent.

Ids are integers only where all of them are. A table says which edges have a direction by a column
of relations or of the words directed and undirected, by the names of its columns, or by its edges:
those of a relation without direction are there both ways.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gomkcn_dgl.checks import as_float32
from gomkcn_dgl.csr import count_edges
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graph_content import ColumnChoice, GraphContent
from gomkcn_dgl.io.edge_layout import EdgeLayout, find_layout, read_layout
from gomkcn_dgl.io.tables import (
    Table,
    arrow_table,
    check_names,
    cut_text,
    is_int64,
    open_stream,
    read_text,
    to_array,
)
from gomkcn_dgl.relations import MAX_RELATIONS, PLAIN
from gomkcn_dgl.runtime.files import file_problems, listed, open_file, reason_of

if TYPE_CHECKING:
    import pyarrow.parquet as pq

log = logging.getLogger("gomkcn_dgl")

_OWNER = "the edge table"
_WEIGHT = "weight"
# what must be true of the columns of a table of edges
_ID_RULE = "a node id must have 1 to 1000 characters"
_RELATION_RULE = "a relation must have 1 to 1000 characters"
_WEIGHT_RULE = "an edge weight must be a finite number of at least 0"
_LONGEST = 1000
_NO_EDGE = "the file holds a header and no edge."
# share of the edges of an undirected relation that are there both ways
_NEARLY_ALL = 0.95
_DIRECTIONS = {"directed": True, "undirected": False}


def read_edges(path: Path, format: str, choice: ColumnChoice) -> GraphContent:
    """Read an edge list, a CSV or a parquet file; nodes stand in ascending order of their ids."""
    layout, table = open_edges(path, format, choice)
    return _content(table, layout, choice.directed)


def open_edges(
    path: Path,
    format: str,
    choice: ColumnChoice,
    refine: Callable[[EdgeLayout], EdgeLayout] = lambda layout: layout,
) -> tuple[EdgeLayout, Table]:
    """Tell which columns of a file of edges hold what, ``refine`` that, and read these columns."""
    if format == "parquet":
        with _parquet_file(path) as file:
            names = file.schema_arrow.names
            check_names(1, names)
            layout = refine(find_layout(names, choice))
            used = {at: names[at] for at in layout.used}
            # by one thread: several wait forever at some damaged files
            table = arrow_table(file.read([*used.values()], use_threads=False), names, used)
    else:
        data = read_text(path)
        layout = refine(read_layout(data, format == "csv", choice))
        assert layout.dialect is not None, "this is text"
        table = cut_text(
            data,
            layout.dialect,
            layout.names,
            like=layout.first_line,
            header=layout.header,
            used=layout.used,
        )
    layout.write_log()
    return layout, table


@contextlib.contextmanager
def _parquet_file(path: Path) -> Iterator[pq.ParquetFile]:
    import pyarrow.parquet as pq

    with file_problems(path):
        open_file(path).close()
    try:
        # a word is read once, however often it is there
        words = [each.name for each in pq.read_schema(path) if _is_text(each.type)]
        with pq.ParquetFile(path, read_dictionary=words) as file:
            yield file
    # whatever a damaged file leads Arrow into
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"the parquet file cannot be read ({reason_of(error)}).") from None


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def from_edge_table(table: Any, choice: ColumnChoice) -> GraphContent:
    """Read a table of edges of any engine, batch by batch, by the rules of a file.

    Columns, directions and weights are told as those of a file, and nodes get rows in ascending
    order of their ids.

    >>> import pyarrow as pa
    >>> mail = pa.table({"sender": ["ann"], "recipient": ["bob"], "weight": [2]})
    >>> content = from_edge_table(mail, ColumnChoice())
    >>> content.directed, content.default_weight
    ((True,), 'weight')
    """
    for role in ("source", "target", "relation", "weight"):
        column = getattr(choice, role)
        if not isinstance(column, (str, int, type(None))):
            raise InputTypeError(
                f"{role} must name a column of {_OWNER}, got {type(column).__name__}."
            )
    names, _, read = open_stream(table, _OWNER)
    layout = find_layout(names, choice)
    found = read(names, layout.used)
    if not len(found):
        raise InputError("the graph is empty: it has no nodes.")
    return _content(found, layout, choice.directed)


def _edge_columns(table: Table, layout: EdgeLayout, *, as_words: bool) -> dict[str, Any] | None:
    """Columns by their roles: ids as words or as integers; None where some are no integers."""
    ends: list[Any]
    if as_words:
        ends = [table.words(at, _ID_RULE, _LONGEST) for at in layout.ends]
    else:
        ends = [table.integers(at) for at in layout.ends]
        if any(end is None for end in ends):
            return None
    columns = {"source": ends[0], "target": ends[1]}
    if "relation" in layout.roles:
        columns["relation"] = table.words(layout.roles["relation"], _RELATION_RULE, _LONGEST)
    if _WEIGHT in layout.roles:
        columns[_WEIGHT] = table.numbers(layout.roles[_WEIGHT], _WEIGHT_RULE, 0)
    return columns


def _content(table: Table, layout: EdgeLayout, directed: bool | None) -> GraphContent:
    """Number the nodes, and tell the relations and directions of the edges."""
    if not len(table):
        raise InputError(_NO_EDGE)
    columns = _edge_columns(table, layout, as_words=False)
    # 1. ids in ascending order; in a file of text, +7 and 07 are integers where all ids are
    if columns is not None:
        ids, codes = _number_values(np.concatenate([columns["source"], columns["target"]]))
        source, target = codes.reshape(2, -1)
    else:
        columns = _edge_columns(table, layout, as_words=True)
        assert columns is not None, "words are always there"
        ends = columns["source"], columns["target"]
        names, (source, target) = _number_words(ends)
        ids = np.array(names)
        if table.is_text and all(map(is_int64, names)):
            ids, rows = np.unique([*map(int, names)], return_inverse=True)
            source, target = rows[source], rows[target]
    plain = ids.dtype.kind == "i" and ids[0] == 0 and ids[-1] == len(ids) - 1
    # 2. relations and weights; an edge of weight 0 is none
    relation = kinds = None
    if "relation" in columns:
        kinds, (relation,) = _number_words([columns["relation"]])
    weights = columns.get(_WEIGHT)
    there = slice(None) if weights is None else as_float32("edge weights", weights) > 0
    kept = source[there], target[there], None if relation is None else relation[there]
    # 3. directions
    names, directions, notes = _find_directions(
        layout, kinds, directed, lambda n: count_edges(*kept[:2], kept[2] if n > 1 else None, n)
    )
    if relation is not None and len(names) == 1:
        relation = np.zeros_like(relation)
    return GraphContent(
        owner=_OWNER,
        source=source,
        target=target,
        num_nodes=len(ids),
        edges={} if weights is None else {_WEIGHT: weights},
        default_weight=None if weights is None else _WEIGHT,
        directed=tuple(directions),
        relation=relation,
        relation_names=tuple(names),
        node_ids=None if plain else ids,
        notes=(*layout.notes, *notes),
    )


def _number_values(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Different integers in ascending order, and where each of the values stands among them."""
    low, high = int(values.min()), int(values.max())
    if high - low > 4 * len(values):
        return np.unique(values, return_inverse=True)
    # a table of all integers between is faster than sorting
    known = np.zeros(high - low + 1, bool)
    known[values - low] = True
    return low + np.flatnonzero(known), (np.cumsum(known) - 1)[values - low]


def _number_words(columns: Sequence[pa.DictionaryArray]) -> tuple[list[str], list[np.ndarray]]:
    """Different words in ascending order, and where those of each column stand among them."""
    words = pc.unique(pa.concat_arrays([column.dictionary for column in columns]))
    words = words.take(pc.sort_indices(words))
    numbers = [to_array(pc.index_in(column.dictionary, words)) for column in columns]
    codes = [to_array(column.indices) for column in columns]
    return words.to_pylist(), [own[code] for own, code in zip(numbers, codes, strict=True)]


# ---------------------------------------------------------------- directions


def _find_directions(
    layout: EdgeLayout,
    found: Sequence[str] | None,
    directed: bool | None,
    count: Callable[[int], tuple[np.ndarray, np.ndarray]],
) -> tuple[list[str], list[bool], tuple[str, ...]]:
    """Return the relations of a table, whether they have a direction, and what is to be noted.

    ``found`` are the relations that a column names; the words directed and undirected alone are no
    types, they say the direction. A table without relations is undirected, unless the caller or the
    names of its columns say that it is not. ``count`` returns what :func:`count_edges` says of so
    many relations.
    """
    names, notes = list(found or [PLAIN]), tuple[str, ...]()
    directions: list[bool] | None = None
    if found is None and not layout.has_directed_ends:
        directions = [False]
    elif found is not None:
        if len(names) > MAX_RELATIONS:
            raise InputError(
                f"the column {layout.names[layout.roles['relation']]!r} holds more than "
                f"{MAX_RELATIONS} different relations, among them {names[0]!r}; relation must be "
                "another column, or none."
            )
        said = [_DIRECTIONS.get(name.lower()) for name in names]
        if None not in said:
            names = [PLAIN] if len(set(said)) == 1 else names
            directions = [bool(one) for one in said[: len(names)]]
    if directed is not None:
        directions = [directed] * len(names)
    if directions is None:
        directions, notes = _seen_directions(names, *count(len(names)))
    if found is None and directed is None:
        notes += _direction_notes(layout, directions[0])
    return names, directions, notes


def _seen_directions(
    names: Sequence[str], edges: np.ndarray, both_ways: np.ndarray
) -> tuple[list[bool], tuple[str, ...]]:
    """Tell which relations have a direction, and what is to be noted of that.

    A relation has none if nearly all of its edges are there both ways: a list of neighbours, or
    the part of one that was kept for training, lacks some.

    >>> _seen_directions(["near", "in"], np.array([100, 50]), np.array([98, 0]))
    ([False, True], ('taken as undirected: near, 98 of whose 100 edges are there both ways',))
    """
    directed = (both_ways < _NEARLY_ALL * edges).tolist()
    notes = [
        f"taken as undirected: {name}, {both} of whose {num} edges are there both ways"
        for name, num, both, one in zip(names, edges, both_ways, directed, strict=True)
        if not one and both < num
    ]
    for note in notes:
        log.info("%s", note)
    return directed, tuple(notes)


def _direction_notes(layout: EdgeLayout, is_directed: bool) -> tuple[str, ...]:
    """Say in the log why a table without relations has directions or none; note the names."""
    if layout.dialect is not None and not layout.header:
        return ()
    ends = listed([layout.names[end] for end in layout.ends])
    if is_directed:
        note = f"directed, as its columns are called {ends}"
        log.info("%s; directed=False (--undirected) leaves the directions out", note)
        return (note,)
    why = "its edges are there both ways"
    if not layout.has_directed_ends:
        why = f"its columns are called {ends}"
    log.info("undirected, as %s; directed=True (--directed) gives edges a direction", why)
    return ()
