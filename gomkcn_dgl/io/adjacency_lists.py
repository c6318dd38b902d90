"""Adjacency lists as text: in each line a node and its neighbours.

NetworkX writes those of several lines as well: a node and how many neighbours follow, each in a
line with its attributes in braces, as ``b {}``.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import ColumnChoice, GraphContent
from gomkcn_dgl.io.edge_tables import number_ends
from gomkcn_dgl.io.input_file import InputFile
from gomkcn_dgl.io.table_form import Row, TableForm, rows_of
from gomkcn_dgl.io.tables import InputTable

# the first lines of those of NetworkX: the program, the time, and the name of the graph
_OF_NETWORKX = re.compile(rb"#[^\n]*\n# GMT [A-Z][a-z]{2} [A-Z][a-z]{2} [^\n]*\n#")


def is_adjacency_list(file: InputFile) -> bool:
    """Whether comments say that NetworkX wrote a text as a list of the neighbours of each node."""
    # what is no text is none
    with contextlib.suppress(InputError):
        return _OF_NETWORKX.match(file.head) is not None
    return False


def read_adjacency_list(file: InputFile, choice: ColumnChoice) -> GraphContent:
    """Read lines of a node and its neighbours, between blanks; a node may stand alone."""
    rows = list(rows_of(file.text, TableForm(_separator_of(file.text), marks="#")))
    if not rows:
        raise InputError("the file holds comments only, and no row.")
    rows = _of_several_lines(rows) or rows
    nodes: list[str] = []
    neighbours: list[str] = []
    lines: list[int] = []
    are_edges: list[bool] = []
    for line, words in rows:
        # the node beside itself numbers it, also where it has no neighbours
        nodes += words[:1] * len(words)
        neighbours += words
        lines += [line] * len(words)
        are_edges += [False] + [True] * (len(words) - 1)
    columns = {at: pa.chunked_array([column]) for at, column in enumerate((nodes, neighbours))}
    table = InputTable(("node", "neighbour"), columns, lambda row: f"line {lines[row]}", True)
    ids, (source, target) = number_ends(table, (0, 1))
    is_edge = np.array(are_edges, bool)
    return GraphContent(
        owner="the file",
        source=source[is_edge],
        target=target[is_edge],
        num_nodes=len(ids),
        directed=(bool(choice.directed),),
        listed_once=not choice.directed,
        node_ids=ids,
    )


def _separator_of(data: bytes) -> str | None:
    """What stands between names: blanks, or where there are none another sign in most lines."""
    lines = [line for line in data.split(b"\n") if line.strip() and not line.startswith(b"#")]
    if any(len(line.split()) > 1 for line in lines):
        return None
    return next((mark for mark in ",;|" if any(mark.encode() in line for line in lines)), None)


def _of_several_lines(rows: Sequence[Row]) -> list[Row]:
    """The rows of a list of several lines as those of one; none of another list."""
    if not any("{" in word for _, words in rows for word in words[1:]):
        return []
    found = list[Row]()
    at = 0
    while at < len(rows):
        line, words = rows[at]
        is_count = len(words) == 2 and words[1].isdecimal() and len(words[1]) < 19
        number = int(words[1]) if is_count else -1
        followers = rows[at + 1 : at + 1 + max(number, 0)]
        are_whole = all("".join(cells[1:2]).startswith("{") for _, cells in followers)
        if number < 0 or len(followers) < number or not are_whole:
            rule = "a node must stand before the number of its neighbours, each in a line below"
            raise InputError(rule, got=" ".join(words), place=f"line {line}")
        found.append(Row(line, [words[0], *(follower.cells[0] for follower in followers)]))
        at += 1 + number
    return found
