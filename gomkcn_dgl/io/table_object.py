"""A table of edges in memory, of pandas or Arrow, read by the rules for files of edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from gomkcn_dgl.containers.graph_content import (
    ColumnChoice,
    GraphContent,
    column_values,
    is_from,
    relation_codes,
)
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.edge_layout import NONE, EdgeOptions, find_layout
from gomkcn_dgl.io.edge_table import EdgeTable, find_kinds

_OWNER = "the edge table"


def is_table(graph: Any) -> bool:
    """Whether this is a table of pandas or Arrow."""
    return is_from("pandas", "DataFrame", graph) or is_from("pyarrow", "Table", graph)


def from_edge_table(table: Any, choice: ColumnChoice) -> GraphContent:
    """Read a table of edges; its columns, directions and weights are told as those of a file.

    Nodes get rows in ascending order of their ids.

    >>> import pandas as pd
    >>> mail = pd.DataFrame({"sender": ["ann"], "recipient": ["bob"], "weight": [2]})
    >>> content = from_edge_table(mail, ColumnChoice())
    >>> content.directed, content.default_weight
    ((True,), 'weight')
    """
    frame = table if hasattr(table, "iloc") else table.to_pandas()
    columns = {str(name): frame.iloc[:, k].to_numpy() for k, name in enumerate(frame.columns)}
    if len(columns) < max(2, len(frame.columns)):
        raise InputError(
            "an edge table must have two columns of nodes, and columns of different names, got "
            f"{[str(name) for name in frame.columns]}."
        )
    # 1. which columns hold what, as in a file; an array in place of a column has the relations
    is_array = choice.edge_type is not None and not isinstance(choice.edge_type, str)
    for name in (None if is_array else choice.edge_type, choice.edge_weight):
        if name not in (None, NONE):
            column_values(name, columns, _OWNER)
    options = EdgeOptions(
        choice.directed, None, None, NONE if is_array else choice.edge_type, choice.edge_weight
    )
    layout = find_layout(list(columns), options)
    ends = [layout.names[end] for end in layout.ends]
    # 2. nodes and relations
    if any(frame.iloc[:, end].isna().any() for end in layout.ends):
        raise InputError(f"the columns {ends[0]!r} and {ends[1]!r} must name a node in each row.")
    values = [columns[end] for end in ends]
    if any(one.dtype.kind not in "iu" for one in values):
        values = [one.astype(str) for one in values]
    ids, rows = np.unique(np.concatenate(values), return_inverse=True)
    source, target = rows.reshape(2, -1)
    plain = ids.dtype.kind in "iu" and np.array_equal(ids, np.arange(len(ids)))
    relation = None
    if is_array or layout.relation is not None:
        name = "edge_type" if is_array else layout.names[layout.relation or 0]
        given = {name: choice.edge_type} if is_array else columns
        codes, names = relation_codes(name, column_values(name, given, _OWNER))
        relation = np.array(names, object)[codes]
    weight = None if layout.weight is None else layout.names[layout.weight]
    weights = None if weight is None else column_values(weight, columns, _OWNER)
    # 3. directions
    kinds = find_kinds(EdgeTable(source, target, weights, relation), layout, choice.directed)
    known = {layout.names[column] for column in layout.used} - {weight}
    return GraphContent(
        owner=_OWNER,
        source=source,
        target=target,
        num_nodes=len(ids),
        edges={name: values for name, values in columns.items() if name not in known},
        default_weight=weight,
        directed=tuple(kinds.directed),
        relation=kinds.relation,
        relation_names=tuple(kinds.names),
        node_ids=None if plain else ids,
        notes=kinds.notes,
    )
