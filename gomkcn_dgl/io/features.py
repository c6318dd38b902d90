"""Tables of nodes, of a file or an engine → attributes of the nodes of a graph; names of labels."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn_dgl.csr import CONSTANT_FEATURE, CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import Columns, GraphContent, with_gaps
from gomkcn_dgl.io.edge_layout import ROW_NAMES
from gomkcn_dgl.io.input_file import InputFile
from gomkcn_dgl.io.table_form import counts_rows, find_form
from gomkcn_dgl.io.tables import (
    Source,
    open_stream,
    text_source,
    text_table,
    to_array,
)
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.runtime.files import file_problems, listed, named, open_file, reason_of
from gomkcn_dgl.runtime.mapped import map_array

log = logging.getLogger("gomkcn_dgl")

_ID_COLUMNS = ("id", "node", "node_id", "name")
SUFFIXES = (".features.npy", ".features.csv")
# what labels are called: a mapping, or a file of it
LabelNames = Mapping[str, str] | str | os.PathLike[str]


@dataclass(frozen=True, eq=False)
class NodeTable:
    """Columns of numbers or text, with a row for each node.

    ``ids`` is text ``[n]``, or None where there is no column of ids, and ``owner`` names the file
    or the table in messages.
    """

    owner: str
    columns: Columns
    num_rows: int
    ids: np.ndarray | None = None


def feature_file_beside(folder: Path, stem: str) -> Path | None:
    """Return the feature file ``<stem>.features.npy`` or ``.csv`` in a folder, if there is one."""
    paths = [path for path in (folder / (stem + suffix) for suffix in SUFFIXES) if path.is_file()]
    if len(paths) > 1:
        names = " and ".join(path.name for path in paths)
        raise InputError(
            "one feature file was expected beside the graph",
            got=names,
            way_out=("give ", Argument("feature_file")),
        )
    return paths[0] if paths else None


def read_features(path: Path) -> NodeTable:
    """Read a ``.npy`` or ``.csv`` feature file."""
    owner = f"the feature file {path.name}"
    with named(owner):
        if path.suffix.lower() == ".npy":
            return _read_npy(path, owner)
        file = InputFile(path)
        if file.ending != ".csv":
            raise InputError("a feature file must end in .npy or .csv.")
        data = file.text
        source = text_source(data, find_form(data, is_csv=True, has_header=True))
        return _node_table(source, owner)


def read_node_table(nodes: Any) -> NodeTable:
    """Read a table of nodes of any engine by the rules of a file.

    The nodes are named by a first column ``id``, ``node``, ``node_id`` or ``name``, or by the index
    of pandas.
    """
    owner = "the node table"
    with named(owner):
        return _node_table(open_stream(nodes, owner), owner)


def _node_table(source: Source, owner: str) -> NodeTable:
    """Columns by name, each read when it is asked for; the index stands behind the others."""
    table = source.read(range(len(source.names) + source.num_index))
    if not len(table):
        raise InputError("the file holds a header and no row.")
    # 1. a first column names the nodes, or the rows, which it may also number
    of_ids = len(source.names) if source.num_index else None
    held = [at for at, name in enumerate(source.names) if name or any(source.first(at))]
    name = source.names[held[0]].strip().lower() if held else None
    if name in _ID_COLUMNS or (name in ROW_NAMES and not counts_rows(source.first(held[0]))):
        of_ids = held[0]
    # 2. the others are attributes
    others = held[int(name in _ID_COLUMNS or name in ROW_NAMES) :]
    place = {source.name(at): at for at in others}
    if not place:
        raise InputError("a table of nodes must have a column beside the ids.")

    def column(name: str) -> np.ndarray:
        with named(owner):
            return table.values(place[name])

    columns = Columns(place, column, with_gaps=lambda name: table.values_or_none(place[name]))
    ids = None
    if of_ids is not None:
        # as the ids of edges are read: 1.0 is 1, and 007 is a name
        whole = table.integers(of_ids)
        ids = to_array(table.words(of_ids)) if whole is None else whole.astype(str)
    return NodeTable(owner, columns, len(table), ids)


def _read_npy(path: Path, owner: str) -> NodeTable:
    with file_problems(path):
        open_file(path).close()
    # a damaged header can raise nearly anything
    try:
        values: np.ndarray = map_array(path)
    except Exception as error:
        raise InputError(f"the array cannot be read ({reason_of(error)}).") from None
    if values.dtype.kind not in "biuf":
        raise InputError(f"the array must hold numbers, got {values.dtype}.")
    if values.ndim not in (1, 2) or 0 in values.shape:
        raise InputError(f"the array must have the shape [V, D], got {values.shape}.")
    values = values.reshape(len(values), -1)
    place = {f"x{column}": column for column in range(values.shape[1])}
    return NodeTable(owner, Columns(place, lambda name: values[:, place[name]]), len(values))


def with_node_table(content: GraphContent, table: NodeTable, gaps: bool = False) -> GraphContent:
    """Give the nodes of a graph the columns of a table, which are features by default.

    With ``gaps``, a column that is empty somewhere is an attribute and no feature.
    """
    rows = _rows_of(table, content.ids)
    of_graph = table.columns
    others = content.nodes

    def in_order(name: str) -> list[Any]:
        values = with_gaps(of_graph, name)
        return [values[row] for row in rows]

    nodes = Columns(
        [*of_graph, *others],
        lambda name: of_graph[name][rows] if name in of_graph else others[name],
        with_gaps=lambda name: in_order(name) if name in of_graph else with_gaps(others, name),
    )
    features = tuple(
        name for name in of_graph if not gaps or None not in list(with_gaps(of_graph, name))
    )
    owner = f"{content.owner} with {table.owner}"
    return replace(content, owner=owner, nodes=nodes, default_features=features)


def with_isolated_nodes(content: GraphContent, table: NodeTable) -> GraphContent:
    """Add the nodes without an edge where row i of a table belongs to the integer id i."""
    ids = content.ids
    num_rows = table.num_rows
    if table.ids is not None or ids.dtype.kind != "i" or ids[0] < 0 or ids[-1] >= num_rows:
        return content
    log.info("features: row i is node i; %d nodes have no edge", num_rows - len(ids))
    source = ids[content.source]
    target = ids[content.target]
    return replace(content, source=source, target=target, num_nodes=num_rows, node_ids=None)


def _rows_of(table: NodeTable, ids: np.ndarray) -> np.ndarray:
    """The row of a table of each of the node ids, int64 ``[V]``."""
    where = f"{table.owner} must"
    if table.ids is None:
        if table.num_rows != len(ids):
            raise InputError(
                f"{where} have one row for each of the {len(ids)} nodes, got {table.num_rows} rows."
            )
        return np.arange(len(ids))
    row_of = {name: row for row, name in enumerate(table.ids.tolist())}
    if len(row_of) < len(table.ids):
        ((twice, _),) = Counter(table.ids.tolist()).most_common(1)
        raise InputError(f"{where} have one row for each node, got two for {twice!r}.")
    rows = np.array([row_of.pop(str(name), -1) for name in ids.tolist()])
    if row_of:
        raise InputError(f"{where} name nodes of the graph only, got {next(iter(row_of))!r}.")
    missing = np.flatnonzero(rows < 0)
    if len(missing):
        raise InputError(
            f"{where} have a row for every node, got none for {ids[missing[0]].item()!r} "
            f"({len(missing)} in all)."
        )
    return rows


def select_features(graph: CSRGraph, names: Sequence[str]) -> CSRGraph:
    """Return the graph with the named feature columns; "kind" names all of kind=kinase, …."""
    known = graph.feature_names
    columns = list[int]()
    for name in names:
        places = [k for k, known_name in enumerate(known) if known_name == name]
        places = places or [
            k for k, known_name in enumerate(known) if known_name.startswith(f"{name}=")
        ]
        if not places:
            raise InputError("features", f"must name columns among {list(known)}", got=repr(name))
        columns += places
    chosen = tuple(known[column] for column in columns)
    return replace(graph, features=graph.features[:, columns], feature_names=chosen)


def take_features(graph: CSRGraph, names: tuple[str, ...]) -> CSRGraph:
    """The graph with the columns that were learnt from, in their order.

    A category that no node has may be missing. Columns without names of their own, ``x0`` and so
    on, are taken as they stand where there are as many.
    """
    given = graph.feature_names
    if given == names:
        return graph
    is_unnamed = given == tuple(f"x{column}" for column in range(len(names)))
    if is_unnamed and names != (CONSTANT_FEATURE,):
        sentence = "features without names are taken in the order of the training graphs, %s"
        log.warning(sentence, listed(names))
        return replace(graph, feature_names=names)
    column_of = {name: column for column, name in enumerate(given)}
    missing = [name for name in names if name not in column_of and "=" not in name]
    if missing or not set(given) <= set(names):
        raise InputError(
            "features",
            (
                f"must be those of the training graphs, {listed(names)}, of which a category "
                "(with =) may be missing"
            ),
            got=listed(given),
        )
    # a missing category is 0 at all nodes
    features = np.zeros((graph.num_nodes, len(names)), np.float32)
    for column, name in enumerate(names):
        if name in column_of:
            features[:, column] = graph.features[:, column_of[name]]
    return replace(graph, features=features, feature_names=names)


def read_label_names(names: LabelNames) -> Mapping[str, str]:
    """Read the names of labels, or of other features, from a CSV file; a mapping is returned.

    The file has the header ``label,name``. A label is the code in the data, or the whole name of a
    column, such as ``"label=1"`` or ``"x0"``.
    """
    if isinstance(names, Mapping):
        return names
    path = Path(names)
    with named(path):
        data = InputFile(path).text
        table = text_table(data, find_form(data, is_csv=True, has_header=True))
        if [name.lower() for name in table.names] != ["label", "name"]:
            raise InputError("the first line must be 'label,name'.")
        labels, called = (to_array(table.words(at)).tolist() for at in (0, 1))
        refuse_repeated(labels, "each label must have one name")
    return dict(zip(labels, called, strict=True))


def name_columns(graph: CSRGraph, names: Mapping[str, str]) -> CSRGraph:
    """Rename feature columns by code or by name: ``label=1`` becomes ``label=helix``.

    Relations are renamed by their whole name.
    """
    # a value may have the sign "=" in it
    codes = [column.partition("=")[2] or column for column in graph.feature_names]
    types = [name for name in graph.relations.names if name != PLAIN]
    known = dict.fromkeys([*codes, *graph.feature_names, *types])
    unknown = [label for label in names if label not in known]
    if unknown:
        raise InputError(
            f"label names must be of features or relations that are used, {listed(known)}; "
            f"got {unknown[0]!r}."
        )
    renamed = [
        column.removesuffix(code) + names.get(column, names.get(code, code))
        for column, code in zip(graph.feature_names, codes, strict=True)
    ]
    refuse_repeated(renamed, "each feature must have a name of its own")
    relations = [names.get(name, name) for name in graph.relations.names]
    refuse_repeated(relations, "each relation must have a name of its own")
    return replace(
        graph,
        feature_names=tuple(renamed),
        relations=replace(graph.relations, names=tuple(relations)),
    )


def refuse_repeated(names: Sequence[str], rule: str) -> None:
    """Refuse names of which one comes twice, with the rule that it breaks."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise InputError(f"{rule}, got {repeated[0]!r} twice.")
