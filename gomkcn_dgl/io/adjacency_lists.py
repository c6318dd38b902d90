"""Adjacency lists as text: in each line a node and its neighbours."""

from __future__ import annotations

import contextlib
import re

import numpy as np
import pyarrow as pa

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import ColumnChoice, GraphContent
from gomkcn_dgl.io.edge_tables import number_ends
from gomkcn_dgl.io.input_file import InputFile
from gomkcn_dgl.io.table_form import TableForm, rows_of
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
    nodes: list[str] = []
    neighbours: list[str] = []
    lines: list[int] = []
    are_edges: list[bool] = []
    for line, words in rows_of(file.text, TableForm(None, marks="#")):
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
