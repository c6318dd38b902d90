"""GML, SIF, NCOL, LGL, DIMACS, graph6, sparse6 and Matrix Market → a GraphContent.

Sizes that a file announces are compared with its own before anything is allocated.
"""

from __future__ import annotations

import io
import re
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from gomkcn_dgl.checks import is_nan
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import NONE, ColumnChoice, GraphContent, join_contents
from gomkcn_dgl.graph_objects import from_matrix, from_networkx, from_records
from gomkcn_dgl.io.foreign_files import OWNER, WITHOUT_WEIGHT, lines_of, reads_bytes, text_of
from gomkcn_dgl.runtime.files import listed, printable
from gomkcn_dgl.runtime.memory import check_announced

_WEIGHT = "weight"
# a text, a comment, or a number that NetworkX takes apart or does not know
_GML = re.compile(
    r'"[^"]*"|#[^\n]*|(?<![\w.+-])[+-]?\d+(?=[eE][+-]?\d)|(?<=\s)[+-]?(?i:nan|inf)(?=\s)'
)
# a text, a comment, a bracket or a word
_GML_WORD = re.compile(r'"[^"]*"|#[^\n]*|[][]|[^]["\s]+')
# brackets around what belongs to a node: those of the graph and its own
_IN_NODE = 2
# digits of a number that no id of ours comes near
_LONG_NUMBER = 18
# a line of a file and its number
_Line = tuple[int, str]
_LAYOUTS, _FIELDS = ("coordinate", "array"), ("pattern", "real", "integer", "double")
_SYMMETRIES = ("general", "symmetric", "skew-symmetric")
_GRAPH6_HEADERS = (b">>graph6<<", b">>sparse6<<", b">>digraph6<<")


# ---------------------------------------------------------------- GML


@reads_bytes("GML", ("label", "name"))
def read_gml(data: bytes, choice: ColumnChoice) -> GraphContent:
    """Read the bytes of a GML file."""
    text = _GML.sub(_for_networkx, _with_ids(text_of(data)))
    if not re.search(r"\bmultigraph\s+\d", text):
        # edges are listed twice in many files that do not say so
        text = re.sub(r"\bgraph\s*\[", lambda match: f"{match[0]} multigraph 1 ", text, count=1)
    graph = nx.parse_gml([line for _, line in lines_of(text)], label="id")
    for values in graph.nodes.values():
        for name in [name for name, value in values.items() if is_nan(value)]:
            del values[name]
    return from_networkx(graph)


def _with_ids(text: str) -> str:
    """Give an id to each node that has none, which it may lack where no edge names it."""
    # 1. the nodes without an id, by where they begin
    without: set[int] = set()
    used = [-1]
    depth = 0
    node = -1
    last = ""
    for match in _GML_WORD.finditer(text):
        word = match[0]
        if word[0] == "#":
            continue
        depth += (word == "[") - (word == "]")
        if word == "[" and depth == _IN_NODE:
            node = match.end() if last == "node" else -1
            without |= {node} - {-1}
        elif last == "id" and depth == _IN_NODE and node >= 0:
            without.discard(node)
            used += [int(word)] if word.isdigit() and len(word) < _LONG_NUMBER else []
        last = word
    # 2. numbers that none has
    parts = []
    end = 0
    for number, start in enumerate(sorted(without), 1 + max(used)):
        parts += [text[end:start], f" id {number} "]
        end = start
    return "".join([*parts, text[end:]])


def _for_networkx(match: re.Match[str]) -> str:
    """Write a piece of GML so that NetworkX reads it as it is meant."""
    piece = match[0]
    if piece[0] == '"':
        # it would put a blank there
        return piece.replace("\r\n", "\n").replace("\n", "&#10;").replace("\r", "&#13;")
    if piece[0] == "#":
        return piece
    if piece[-1].isdigit():
        return piece + ".0"
    return "NAN" if piece[-1] in "nN" else piece.upper()


# ---------------------------------------------------------------- NCOL and LGL, by igraph


@reads_bytes("NCOL")
def read_ncol(data: bytes, choice: ColumnChoice) -> GraphContent:
    """Read the bytes of an NCOL file; its edges have a direction only if ``choice`` says so."""
    lines = lines_of(text_of(data))
    # igraph takes a comment for an edge of the node "#"
    kept = [(number, line) for number, line in lines if not re.match(r"#\s|#$", line)]
    content = _from_names(_by_igraph("Read_Ncol", kept), choice)
    notes = [f"left out lines of comments: {len(lines) - len(kept)}"] if kept != lines else []
    if {2, 3} <= {len(line.split()) for _, line in kept}:
        notes.append(WITHOUT_WEIGHT)
    return replace(content, notes=tuple(notes))


@reads_bytes("LGL")
def read_lgl(data: bytes, choice: ColumnChoice) -> GraphContent:
    """Read the bytes of an LGL file; its edges have a direction only if ``choice`` says so."""
    lines = lines_of(text_of(data))
    content = _from_names(_by_igraph("Read_Lgl", lines), choice)
    some = {len(line.split()) for _, line in lines if not line.startswith("#")} >= {1, 2}
    return replace(content, notes=(WITHOUT_WEIGHT,) if some else ())


def _from_names(graph: Any, choice: ColumnChoice) -> GraphContent:
    """Read a graph of igraph whose nodes have names that differ."""
    edges = [dict(zip(graph.es.attributes(), row, strict=True)) for row in _rows(graph.es)]
    names = graph.vs["name"] if graph.vcount() else []
    return from_records(
        OWNER, names, [{}] * len(names), _igraph_ends(graph), edges, bool(choice.directed)
    )


def _by_igraph(reader: str, lines: list[_Line]) -> Any:
    """Let igraph read lines, which it does only from a file; errors name the line by its number."""
    import igraph

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph"
        path.write_text("".join(f"{line}\n" for _, line in lines), "utf-8", newline="")
        try:
            return getattr(igraph.Graph, reader)(str(path))
        except igraph.InternalError as error:

            def own_number(match: re.Match[str]) -> str:
                row = min(int(match[1]), len(lines)) - 1
                return f"line {lines[row][0]}"

            raise ValueError(re.sub(r"line (\d+)", own_number, str(error))) from None


def _igraph_ends(graph: Any) -> tuple[list[int], list[int]]:
    pairs = graph.get_edgelist()
    return [source for source, _ in pairs], [target for _, target in pairs]


def _rows(sequence: Any) -> Any:
    """Attributes of nodes or edges of igraph, one after the other."""
    columns = [sequence[name] for name in sequence.attributes()]
    return zip(*columns, strict=True) if columns else [()] * len(sequence)


# ---------------------------------------------------------------- SIF and DIMACS, by no library


@reads_bytes("SIF")
def read_sif(data: bytes, choice: ColumnChoice) -> GraphContent:
    """Read the bytes of a SIF file of Cytoscape: a table with a relation, and lone nodes.

    Tabs part the words if there are any, and blanks if not.
    """
    import pyarrow as pa

    from gomkcn_dgl.io.edge_tables import from_edge_table

    text = text_of(data)
    mark = "\t" if "\t" in text else None
    rows: list[tuple[str, str, str]] = []
    lone: dict[str, None] = {}
    for number, line in lines_of(text):
        words = [word for word in line.split(mark) if word.strip()]
        if len(words) == 2:
            raise InputError(
                f"line {number} must be a node, or a node, a relation and the nodes it leads to, "
                f"got {printable(line)!r}."
            )
        if len(words) == 1:
            lone[words[0]] = None
        rows += [(words[0], words[1], target) for target in words[2:]]
    source, relation, target = zip(*rows, strict=True) if rows else ((), (), ())
    only = [name for name in lone if name not in {*source, *target}]
    if not rows:
        return from_records(OWNER, only, [{}] * len(only), ([], []), [], bool(choice.directed))
    table = pa.table({"source": source, "interaction": relation, "target": target})
    kind = "interaction" if choice.relation is None else choice.relation
    choice = replace(choice, source="source", target="target", relation=kind, weight=NONE)
    content = from_edge_table(table, choice)
    if not only:
        return replace(content, owner=OWNER)
    names = [*map(str, content.ids), *only]
    return replace(
        content,
        owner=OWNER,
        num_nodes=len(names),
        node_ids=np.array(names),
    )


@reads_bytes("DIMACS")
def read_dimacs(data: bytes, choice: ColumnChoice) -> GraphContent:
    """Read the bytes of a DIMACS file: ``p edge``, ``p col``, ``p max``, ``p min`` or ``p sp``.

    Lines ``e`` are edges and lines ``a`` arcs; ``choice.directed`` is for a file that has both.
    """
    problem: list[str] = []
    ends: tuple[list[int], list[int]] = ([], [])
    edges: list[dict[str, float]] = []
    one_way: list[bool] = []
    unused: dict[str, None] = {}
    for number, line in lines_of(text_of(data)):
        kind, *words = line.split() or ["c"]
        if kind == "p" and not problem and len(words) >= 3 and words[1].isdigit():
            problem = words
            check_announced(int(words[1]), len(data))
        elif kind in ("e", "a") and problem and len(words) >= 2:
            for rows, word in zip(ends, words[:2], strict=True):
                row = int(word) - 1 if word.isdigit() else -1
                if not 0 <= row < int(problem[1]):
                    raise InputError(
                        f"line {number} must name nodes from 1 to {problem[1]}, got "
                        f"{printable(word)!r}."
                    )
                rows.append(row)
            edges.append(_dimacs_values(problem[0], words[2:], number))
            one_way.append(kind == "a")
        elif kind in ("n", "d", "v", "x", "s", "t") and problem:
            unused[kind] = None
        elif kind != "c":
            raise InputError(
                f"line {number} must be a comment c, the one line p with the numbers of nodes and "
                f"edges, or after it an edge e or a, got {printable(line)!r}."
            )
    if not problem:
        raise InputError("a DIMACS file must have a line p with the number of nodes and edges.")
    notes = [f"not used: lines {listed(unused)}"] if unused else []
    if problem[2].isdigit() and int(problem[2]) != len(edges):
        notes.append(f"{problem[2]} edges are announced, and {len(edges)} listed")
    ids = range(1, int(problem[1]) + 1)
    content = from_records(
        OWNER, ids, [{}] * len(ids), ends, edges, one_way, directed=choice.directed
    )
    return replace(content, notes=tuple(notes))


def _dimacs_values(problem: str, words: list[str], number: int) -> dict[str, float]:
    """Numbers after the ends of an edge, by what the problem calls them."""
    names = {"max": ["capacity"], "min": ["low", "capacity", "cost"]}.get(problem, [_WEIGHT])
    try:
        return {name: float(word) for name, word in zip(names, words, strict=False)}
    except ValueError:
        got = printable(" ".join(words))
        raise InputError(f"line {number} must end in numbers, got {got!r}.") from None


# ---------------------------------------------------------------- graph6, sparse6: NetworkX


@reads_bytes("GRAPH6")
def read_graph6(data: bytes, choice: ColumnChoice) -> GraphContent:
    """Read the bytes of a graph6 file, one graph a line."""
    return _read_lines(data, nx.from_graph6_bytes)


@reads_bytes("SPARSE6")
def read_sparse6(data: bytes, choice: ColumnChoice) -> GraphContent:
    """Read the bytes of a sparse6 file, one graph a line."""
    return _read_lines(data, nx.from_sparse6_bytes)


def _read_lines(data: bytes, parse: Callable[[bytes], nx.Graph]) -> GraphContent:
    """Read each line as a graph; several are a collection."""
    contents = []
    for number, line in enumerate(data.splitlines(), 1):
        for header in _GRAPH6_HEADERS:
            line = line.strip().removeprefix(header)
        if not line:
            continue
        if line[:1] in b"&;":
            what = "digraph6" if line[:1] == b"&" else "incremental sparse6"
            raise InputError(
                f"line {number} is {what}, which is not read; write graph6 or sparse6."
            )
        check_announced(_graph6_size(line, number), len(data))
        # either kind may stand among the other
        graph = nx.from_sparse6_bytes(line) if line[:1] == b":" else nx.from_graph6_bytes(line)
        contents.append(replace(from_networkx(graph), owner=OWNER))
    if not contents:
        raise InputError("the file holds no graph.")
    if len(contents) == 1:
        return contents[0]
    return join_contents(contents, [f"graph {number}" for number in range(len(contents))])


def _graph6_size(line: bytes, number: int) -> int:
    """Number of nodes that a line announces in its first 1, 4 or 8 characters."""
    marks = [each - 63 for each in line.removeprefix(b":")]
    if not marks or not all(0 <= mark < 64 for mark in marks):
        raise InputError(f"line {number} must hold characters from ? to ~ only.")
    start, stop = (0, 1) if marks[0] < 63 else (1, 4) if marks[1:2] != [63] else (2, 8)
    if len(marks) < stop:
        raise InputError(f"line {number} ends within the number of nodes.")
    size = 0
    for mark in marks[start:stop]:
        size = 64 * size + mark
    return size


# ---------------------------------------------------------------- Matrix Market: NumPy


@reads_bytes("MTX")
def read_matrix_market(data: bytes, choice: ColumnChoice) -> GraphContent:
    """Read the bytes of a square matrix in the Matrix Market exchange format.

    SciPy reads beyond its arrays where a byte of 0 or a lone line feed stands among the numbers.
    """
    import scipy.sparse as sp

    banner, _, body = text_of(data).partition("\n")
    layout, field, symmetry = _banner_words(banner)
    lines = (line for line in io.StringIO(body) if line.strip() and line[0] != "%")
    sizes = _matrix_sizes(next(lines, ""), layout, len(data))
    number = sizes[0]
    with warnings.catch_warnings():
        # that there is no entry
        warnings.simplefilter("ignore", UserWarning)
        numbers = np.loadtxt(lines, ndmin=2)
    notes: list[str] = []
    if layout == "array":
        row, column, values = _array_entries(numbers, number, symmetry)
    else:
        width = 2 if field == "pattern" else 3
        numbers = numbers.reshape(-1, numbers.shape[1] if numbers.size else width)
        if numbers.shape[1] < width:
            raise InputError(f"an entry must be {width} numbers, got {numbers.shape[1]}.")
        if numbers.shape[1] > width:
            notes.append("not used: further numbers of each entry")
        row, column = _whole_rows(numbers[:, :2], number)
        values = numbers[:, 2] if width == 3 else np.ones(len(numbers))
        _check_number(sizes[2], len(values))
    if symmetry != "general":
        other = np.flatnonzero(row != column)
        back = -values[other] if symmetry == "skew-symmetric" else values[other]
        row, column = np.append(row, column[other]), np.append(column, row[other])
        values = np.append(values, back)
    content = from_matrix(sp.coo_array((values, (row, column)), shape=(number, number)))
    return replace(content, owner=OWNER, notes=(*content.notes, *notes))


def _banner_words(banner: str) -> list[str]:
    """Layout, field and symmetry of a matrix, which its first line says."""
    words = banner.lower().split()
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
        raise InputError(
            "the file must begin with '%%MatrixMarket matrix', a layout, a field and a symmetry, "
            f"got {printable(banner)!r}."
        )
    for word, known in zip(words[2:], (_LAYOUTS, _FIELDS, _SYMMETRIES), strict=True):
        if word not in known:
            raise InputError(f"a matrix must be {' or '.join(known)}, got {printable(word)!r}.")
    return words[2:]


def _matrix_sizes(line: str, layout: str, num_bytes: int) -> list[int]:
    """Rows and columns of a square matrix, and the number of entries of one that lists them."""
    sizes = [int(word) if word.isdigit() else -1 for word in line.split()]
    if len(sizes) != (3 if layout == "coordinate" else 2) or min(sizes) < 0:
        raise InputError("the first line of numbers must hold the size of the matrix.")
    if sizes[0] != sizes[1]:
        raise InputError(
            f"the matrix must be square, got {sizes[0]} rows and {sizes[1]} columns; a matrix "
            "between two kinds of nodes is read as a table of its entries."
        )
    number = sizes[0]
    check_announced(number, num_bytes)
    if layout == "array" and number * (number - 1) // 2 > num_bytes:
        raise InputError(f"the file announces {number} × {number} values, more than it could hold.")
    return sizes


def _array_entries(
    numbers: np.ndarray, number: int, symmetry: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, columns and values of the entries of an array other than 0."""
    row, column = _array_places(number, symmetry)
    values = numbers.reshape(-1)
    _check_number(len(row), len(values))
    entry = np.flatnonzero(values)
    return row[entry], column[entry], values[entry]


def _check_number(announced: int, held: int) -> None:
    if announced != held:
        raise InputError(f"the file announces {announced:,} entries, and holds {held:,}.")


def _whole_rows(places: np.ndarray, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns from 0 of entries that count them from 1."""
    wrong = ~((places >= 1) & (places <= number) & (places == np.round(places)))
    if wrong.any():
        at = int(np.flatnonzero(wrong.any(axis=1))[0])
        got = " ".join(f"{place:g}" for place in places[at])
        raise InputError(f"entry {at + 1} must lie in rows and columns 1 to {number}, got {got}.")
    row, column = places.astype(np.int64).T - 1
    return row, column


def _array_places(number: int, symmetry: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of the values of an array, column by column; a half of a symmetric one."""
    # a file has a character for each value at least
    column, row = np.divmod(np.arange(number * number), max(number, 1))
    kept = row > column if symmetry == "skew-symmetric" else row >= column
    return (row, column) if symmetry == "general" else (row[kept], column[kept])
