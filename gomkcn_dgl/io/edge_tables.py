"""Tables of edges, as text, CSV, parquet or in memory → a GraphContent.

Ids are integers only where all of them are. A table says which edges have a direction by a column
of relations or of the words directed and undirected, by the names of its columns, or by its edges:
those of a relation without direction are there both ways.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graph_content import (
    NONE,
    READING,
    ColumnChoice,
    GraphContent,
    counts_of_edges,
    leave_out_edges,
    undirected_as,
    unused_weights,
)
from gomkcn_dgl.io.edge_layout import EdgeLayout, find_layout, open_text
from gomkcn_dgl.io.input_file import InputFile, as_utf8
from gomkcn_dgl.io.matrix_tables import is_matrix, read_matrix
from gomkcn_dgl.io.molecules import has_molecules, read_molecule_table, smiles_column
from gomkcn_dgl.io.parquet_tables import BYTES_OF_AN_EDGE, open_parquet
from gomkcn_dgl.io.tables import InputTable, Source, open_stream, to_array
from gomkcn_dgl.messages import Argument, Message
from gomkcn_dgl.relations import MAX_RELATIONS, PLAIN
from gomkcn_dgl.runtime.files import listed, printable
from gomkcn_dgl.runtime.memory import check_readable, readable_bytes
from gomkcn_dgl.sides import LEAST_CYCLES, SIDE

log = logging.getLogger("gomkcn_dgl")

_OWNER = "the edge table"
_WEIGHT = "weight"
# of an id, a row pointer and a feature, without those of its edges
_BYTES_OF_A_NODE = 20
# what must be true of the columns of a table of edges
_ID_RULE = "a node id must have 1 to 1000 characters"
_RELATION_RULE = (
    "a relation must have 1 to 1000 characters, or ",
    Argument("relation", NONE),
    " leave the column out",
)
_WEIGHT_RULE = (
    "an edge weight must be a finite number of at least 0, or ",
    Argument("weight", NONE),
    " leave the column ",
)
# characters of an id or a relation; longer ones are cells of some other table
_LONGEST = 1000
# share of the edges of an undirected relation that are there both ways; a list of neighbours, or
# the part of one that was kept for training, lacks some
_NEARLY_ALL = 0.95
_DIRECTIONS = {"directed": True, "undirected": False}


def read_edges(file: InputFile, choice: ColumnChoice, *, is_csv: bool) -> GraphContent:
    """Read an edge list or a CSV file; nodes stand in ascending order of their ids."""
    source = open_edges(file, choice, is_csv=is_csv)
    at = smiles_column(source.names)
    if at is not None and not is_csv and not {choice.source, choice.target} - {None}:
        fact = f"the column {printable(source.names[at])} holds molecules, and no nodes"
        way_out = (Argument("format", "smiles"), " reads them")
        raise InputError(fact, way_out=way_out, place=f"line {source.header}")
    return _content(source, choice)


def read_parquet(file: InputFile, choice: ColumnChoice) -> GraphContent:
    """Read a parquet file; nodes stand in ascending order of their ids."""
    return _content(open_parquet(file), choice)


def from_edge_table(table: Any, choice: ColumnChoice) -> GraphContent:
    """Read a table of edges of any engine, batch by batch, by the rules of a file.

    Columns, directions and weights are told as those of a file, and nodes get rows in ascending
    order of their ids.

    >>> import pyarrow as pa
    >>> mail = pa.table({"sender": ["ann"], "recipient": ["bob"], "weight": [2]})
    >>> content = from_edge_table(mail, ColumnChoice())
    >>> content.directed, content.why_directed, content.default_weight
    ((None,), 'its columns are called sender, recipient', 'weight')
    """
    for role in ("source", "target", "relation", "weight"):
        column = getattr(choice, role)
        if not isinstance(column, (str, int, type(None))):
            raise InputTypeError(role, f"must name a column of {_OWNER}", got=type(column).__name__)
    source = open_stream(table, _OWNER)
    # as files of the same content, unless it is said that they are edges
    if choice.source is None and choice.target is None:
        if is_matrix(source):
            return read_matrix(source)
        if has_molecules(source):
            return read_molecule_table(source, choice)
    return _content(source, choice)


def is_matrix_file(file: InputFile) -> bool:
    """Whether a table in a file is a matrix, and no list of edges."""
    # what cannot be opened is none
    with contextlib.suppress(InputError):
        return is_matrix(open_table(file))
    return False


def open_table(file: InputFile) -> Source:
    """Open a table by the end of its name."""
    if file.ending == ".parquet":
        return open_parquet(file)
    return open_edges(file, ColumnChoice(), is_csv=file.ending in (".csv", ".tsv"))


def read_ends(data: bytes) -> list[str]:
    """The sources, and then the targets, of the edges of a CSV text as :func:`read_edges` does."""
    source = open_text(as_utf8(data), True, ColumnChoice())
    layout = find_layout(source, ColumnChoice())
    table = source.read(layout.ends)
    ids, ends = number_ends(table, layout.ends) if len(table) else (np.empty(0), [])
    return [name for end in ends for name in ids[end].astype(str).tolist()]


def open_edges(file: InputFile, choice: ColumnChoice, *, is_csv: bool) -> Source:
    """Open an edge list or a CSV file; ``is_csv`` says that its names promise a header."""
    if not choice.columns and is_csv in file.tables:
        source: Source = file.tables[is_csv]
        return source
    data = file.text
    # no line is shorter than two bytes; they are counted where there may be too many
    if len(data) // 2 * BYTES_OF_AN_EDGE > readable_bytes():
        check_readable(data.count(b"\n") * BYTES_OF_AN_EDGE, "the table of edges")
    source = open_text(data, is_csv, choice)
    if not choice.columns:
        file.tables[is_csv] = source
    return source


def _content(source: Source, choice: ColumnChoice) -> GraphContent:
    """Number the nodes, and tell the relations and directions of the edges."""
    layout = find_layout(source, choice)
    table = layout.read()
    roles = layout.roles
    if not len(table):
        raise InputError("a table of edges must have a row, got none.")
    # 1. ids in ascending order, integers where all of them are
    ids, ends, sides, notes_of_ids = number_nodes(layout, table, choice)
    if not sides:
        ids, ends = _with_all_nodes(ids, ends, source.num_nodes)
    plain = ids.dtype.kind == "i" and ids[0] == 0 and ids[-1] == len(ids) - 1
    # 2. relations and weights; an edge of weight 0 is none
    relation = kinds = weights = None
    if "relation" in roles:
        column = table.words(roles["relation"], _RELATION_RULE, _LONGEST)
        kinds, (relation,) = _number_words([column])
    if _WEIGHT in roles:
        at = roles[_WEIGHT]
        weights = table.numbers(at, (*_WEIGHT_RULE, f"{source.name(at)!r} out"), 0)
    notes = [*layout.notes, *notes_of_ids, *_notes_of_unused_weights(layout, table)]
    # 3. directions
    names, directed = _said_directions(layout, kinds)
    if relation is not None and len(names) == 1:
        relation = np.zeros_like(relation)
    why = layout.why_directed if kinds is None else ""
    if (
        kinds is None
        and layout.table.has_names
        and choice.directed is None
        and None not in directed
    ):
        log.log(READING, "%s", undirected_as(why))
    edges: dict[str, Any] = {} if weights is None else {_WEIGHT: weights}
    edges |= {name: table.values_with_gaps(at) for name, at in layout.attributes.items()}
    names_of_ends = [layout.table.names[end] for end in layout.ends]
    content = GraphContent(
        owner=_OWNER,
        source=ends[0],
        target=ends[1],
        num_nodes=len(ids),
        edges=edges,
        default_weight=None if weights is None else _WEIGHT,
        directed=tuple(directed) if choice.directed is None else (choice.directed,) * len(names),
        undirected_from=_NEARLY_ALL,
        why_directed=why,
        relation=relation,
        relation_names=tuple(names),
        node_ids=None if plain else ids,
        notes=tuple(notes),
        end_names=tuple(names_of_ends) if all(names_of_ends) else (),
    )
    kept = leave_out_edges(content, choice.bounds)
    # nodes of edges that are left out are not in the table
    if choice.bounds and (sides or not source.num_nodes):
        kept = _with_ends_alone(kept)
    return _with_sides(kept, sides) if sides else kept


def _notes_of_unused_weights(layout: EdgeLayout, table: InputTable) -> list[str]:
    """What is noted of a column of weights that is not used, if there is one; the log says it."""
    at = layout.unweighted
    if at is None:
        return []
    name = layout.table.names[at] or str(at + 1)
    is_asked = at in layout.attributes.values()
    lines = list(unused_weights(name, table.count_zeros(at), is_asked=is_asked))
    if not is_asked:
        # what is no number is no count
        with contextlib.suppress(InputError, InputTypeError):
            lines += counts_of_edges(name, table.numbers(at))
    for line in lines:
        log.log(READING, "%s", line)
    return [line.note for line in lines]


def _with_sides(content: GraphContent, names: tuple[str, ...]) -> GraphContent:
    """Give each node its side, which is its kind as that of a graph of several kinds of nodes."""
    side = np.full(content.num_nodes, names[0], object)
    side[content.target] = names[1]
    return replace(content, nodes={SIDE: side.astype(str)}, node_type=SIDE)


def _with_ends_alone(content: GraphContent) -> GraphContent:
    """Leave out the nodes without an edge."""
    used, ends = np.unique(np.concatenate([content.source, content.target]), return_inverse=True)
    ids = content.ids[used]
    plain = ids.dtype.kind == "i" and ids[0] == 0 and ids[-1] == len(ids) - 1
    return replace(
        content,
        source=ends[: len(content.source)],
        target=ends[len(content.source) :],
        num_nodes=len(used),
        node_ids=None if plain else ids,
    )


def _with_all_nodes(
    ids: np.ndarray, ends: list[np.ndarray], num_nodes: int | None
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Add the nodes without an edge that a first line tells of, if ids count from 0 or 1."""
    if num_nodes is None or ids.dtype.kind != "i":
        return ids, ends
    # from 1 only where the last one has the number of nodes
    first = 0 if ids[0] == 0 else 1
    if ids[0] < 0 or ids[-1] - first >= num_nodes or (first == 1 and ids[-1] != num_nodes):
        return ids, ends
    check_readable(num_nodes * _BYTES_OF_A_NODE, f"a graph of the {num_nodes:,} nodes of line 1")
    return np.arange(first, first + num_nodes), [ids[end] - first for end in ends]


class NumberedNodes(NamedTuple):
    """The nodes of a table: what they are called, in their order, and where each end stands there.

    ``sides`` are the names of both where each end has nodes of its own, or empty.
    """

    ids: np.ndarray
    ends: list[np.ndarray]
    sides: tuple[str, ...]
    notes: list[str]


def number_nodes(layout: EdgeLayout, table: InputTable, choice: ColumnChoice) -> NumberedNodes:
    """Number the nodes of a table in ascending order of their ids, integers where all of them are.

    Where each end has nodes of its own and some ids are at both, all are called as the columns
    are, such as "user 5" and "item 5", and those of the first column come first. What such ids are
    taken for is said where the names of the columns leave it open, or tell them apart.
    """
    ids, ends = number_ends(table, layout.ends)
    at_first, at_second = np.zeros((2, len(ids)), bool)
    at_first[ends[0]] = at_second[ends[1]] = True
    shared = ids[at_first & at_second]
    are_apart = layout.are_two_sides(choice)
    names = layout.side_names
    is_open = are_apart is None and not len(shared)
    sides = names if are_apart or (is_open and _have_cycles(ends, len(ids))) else ()
    if not len(shared) or are_apart is False:
        return NumberedNodes(ids, ends, sides, [])
    number = f"{len(shared):,} id{'s' if len(shared) > 1 else ''}"
    rule = f"the columns {listed(layout.end_names)} have {number} in common, such as {shared[0]}"
    if are_apart is None:
        way_out = (Argument("bipartite", True), " takes them as different nodes")
        told = Message(f"{rule}, taken as the same nodes", way_out=way_out)
        # graphs of both kinds are drawn so, and only who made the table knows
        log.warning("%s", told)
        return NumberedNodes(ids, ends, sides, [told.note])
    called = [f"{name} {shared[0]}" for name in names]
    way_out = (Argument("bipartite", False), " takes them as the same")
    told = Message(
        f"{rule}: different nodes, called {' and '.join(map(repr, called))}", way_out=way_out
    )
    log.log(READING, "%s", told)
    places = [np.cumsum(at) - 1 for at in (at_first, at_second)]
    places[1] += at_first.sum()
    parts = [ids[at].astype(str).tolist() for at in (at_first, at_second)]
    ids = np.array([f"{name} {part}" for name, of in zip(names, parts, strict=True) for part in of])
    ends = [place[end] for place, end in zip(places, ends, strict=True)]
    return NumberedNodes(ids, ends, sides, [told.note])


def _have_cycles(ends: Sequence[np.ndarray], num_nodes: int) -> bool:
    """Whether two columns without a node in common are two sides whatever their names leave open.

    A tree has two sides as well, and so has part of a graph with few edges.
    """
    num_pairs = len(np.unique(ends[0].astype(np.int64) * num_nodes + ends[1]))
    return num_pairs - num_nodes + 1 >= LEAST_CYCLES


def number_ends(table: InputTable, ends: tuple[int, int]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Different ids in ascending order, and where those of the two ends stand among them."""
    source, target = map(table.integers, ends)
    if source is not None and target is not None:
        ids, codes = _number_values(np.concatenate([source, target]))
        return ids, [*codes.reshape(2, -1)]
    table = table.with_whole_numbers(ends)
    names, numbers = _number_words([table.words(end, _ID_RULE, _LONGEST) for end in ends])
    return np.array(names), numbers


def _number_values(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Different integers in ascending order, and where each of the values stands among them."""
    if not len(values):
        return values, values
    low = int(values.min())
    high = int(values.max())
    if high - low > 4 * len(values):
        return np.unique(values, return_inverse=True)
    # a table of all integers between is faster than sorting
    known = np.zeros(high - low + 1, bool)
    known[values - low] = True
    return low + np.flatnonzero(known), (np.cumsum(known) - 1)[values - low]


def _number_words(columns: Sequence[pa.DictionaryArray]) -> tuple[list[str], list[np.ndarray]]:
    """Different words in ascending order, and where those of each column stand among them."""
    import pyarrow.compute as pc

    words = pc.unique(pa.concat_arrays([column.dictionary for column in columns]))
    words = words.take(pc.sort_indices(words))
    numbers = [to_array(pc.index_in(column.dictionary, words)) for column in columns]
    codes = [to_array(column.indices) for column in columns]
    return words.to_pylist(), [rank[code] for rank, code in zip(numbers, codes, strict=True)]


def _said_directions(
    layout: EdgeLayout, found: Sequence[str] | None
) -> tuple[Sequence[str], Sequence[bool | None]]:
    """The relations of a table, and whether they have a direction; None: as the edges say.

    ``found`` are the relations that a column names; the words directed and undirected alone are no
    types, they say the direction. A table without relations is undirected, unless the names of its
    columns say that it is not.
    """
    if found is None:
        kind = layout.table.kind
        is_directed = kind == "directed" or (layout.has_directed_ends and kind != "undirected")
        return [PLAIN], [None if is_directed else False]
    if len(found) > MAX_RELATIONS:
        raise InputError(
            f"the column {layout.table.names[layout.roles['relation']]!r} holds more than "
            f"{MAX_RELATIONS} different relations, among them {found[0]!r}",
            way_out=(Argument("relation"), " must be another column, or none"),
        )
    directions = [_DIRECTIONS.get(name.lower()) for name in found]
    if None in directions:
        return found, [None] * len(found)
    return ([PLAIN], directions[:1]) if len(set(directions)) == 1 else (found, directions)
