"""A graph file of any known format → a CSRGraph; what reads which is in :mod:`.formats`.

No reader runs code from a file, and every problem with a file is one InputError of one sentence.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gomkcn_dgl.csr import CONSTANT_FEATURE, CSRGraph
from gomkcn_dgl.edge_bounds import Bounds, EdgeBounds
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import (
    DEFAULT_WEIGHT,
    NONE,
    Column,
    ColumnChoice,
    Columns,
    EdgeTable,
    GraphContent,
    leave_out_edges,
    make_csr,
    with_gaps,
)
from gomkcn_dgl.graph_objects import edge_table_of_csr
from gomkcn_dgl.io.features import (
    LabelNames,
    NodeTable,
    feature_file_beside,
    name_columns,
    read_features,
    read_label_names,
    select_features,
    with_node_table,
)
from gomkcn_dgl.io.formats import FEATURE_FILE, FORMATS, Format, find_format, formats_with, stem
from gomkcn_dgl.io.input_file import InputFile
from gomkcn_dgl.io.molecules import mols_of
from gomkcn_dgl.messages import Argument, Message
from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.runtime.files import (
    as_path,
    called,
    check_path,
    is_stream,
    listed,
    named,
    printable,
)

log = logging.getLogger("gomkcn_dgl")

# what a column of classes of nodes is called, unless another is named
CLASS_COLUMNS = ("class", "label", "labels", "y")


class InputGraph(NamedTuple):
    """A graph that was read, with what a CSRGraph does not hold.

    ``attributes`` of nodes are columns ``[V]`` by their names, None where a node has none, and
    ``edges`` those that were given with their attributes; both are read where they are asked for.
    """

    graph: CSRGraph
    attributes: dict[str, Any]
    edges: EdgeTable | None = None


def read_graph(
    path: str | os.PathLike[str],
    *,
    features: Sequence[str] | None = None,
    feature_file: str | os.PathLike[str] | None = None,
    format: str | None = None,
    label_names: LabelNames | None = None,
    directed: bool | None = None,
    source: Column | None = None,
    target: Column | None = None,
    bipartite: bool | None = None,
    relation: Column | None = None,
    weight: Column | None = None,
    minimum: Bounds | None = None,
    maximum: Bounds | None = None,
    smiles: str | None = None,
    id_column: str | None = None,
    skip_invalid: bool = False,
    largest_fragment: bool = False,
) -> CSRGraph:
    r"""Read a graph, or a collection of graphs, from a file, a graph folder or a TU folder.

    Parameters
    ----------
    path : path
        The file, which may be packed (``.gz``, ``.bz2``, ``.xz``, ``.zip`` of one file); ``-``, the
        standard input, or a pipe of the shell, read once; a folder as ``gomkcn convert`` writes it
        (its arrays stay on disk, memory-mapped), or the folder of a TU set. Node rows are in
        ascending order of the node ids (integers by value, text by code point) for edge lists, CSV
        and parquet, in the order of the file for the others; ids that are not the row numbers are
        kept in ``node_ids``.
    features : sequence of str, optional
        Which features to use: columns of the feature file; node attributes of GraphML, GML, GEXF,
        Pajek or JSON, text one-hot as ``kind=kinase``; DGL node data; names stored
        in a graph folder; ``"attributes"`` and ``"labels"`` (one-hot) of a TU folder;
        ``"element"``, ``"charge"`` and ``"aromatic"`` of molecules. ``["none"]``: none. None: all
        columns of the feature file; the constant 1 for GraphML and its like; ``feat`` for DGL;
        attributes, or else labels, for TU; ``element`` for molecules.
    feature_file : path, optional
        ``.npy`` ``[V, D]`` or ``.csv`` with a header, beside an edge list, a CSV, a parquet or
        a GraphML file. None: ``<stem>.features.npy`` or ``.csv`` in the same folder, if there is
        one. A column of text becomes a feature for each value, such as ``kind=kinase``. Rows are
        joined by the column that has the names of most nodes, whatever it is called; of several,
        by one called ``id``, ``node``, ``node_id`` or ``name``. Rows of other nodes add these to a
        table of edges; where a node has no row, the columns are attributes and no features. If no
        column has names, and nodes are 0, 1, … or 1, 2, …, rows are in their order. So are those of
        an array; if it has more than there are nodes, row i is node i.
    format : str, optional
        A name of the table of formats, such as ``"edges"``, ``"csv"``, ``"graphml"`` or ``"dgl"``,
        see :mod:`gomkcn_dgl.io.formats`. None: told by the name; a CSV file
        whose column is called ``smiles``, or has cells that RDKit reads, is one of molecules, and
        one of numbers between names may be a matrix.
    label_names : path or mapping of str to str, optional
        What labels are called, or a file that says so: ``label=1`` becomes ``label=helix``, see
        :func:`gomkcn_dgl.io.features.read_label_names`.
    directed : bool, optional
        Whether edges have a direction. None: as the file says. A table of edges is undirected
        unless it has relations or its columns have names that say a direction, alone or beside
        equal words, in capitals or not: ``source,target``, ``from,to``, ``TF,target_gene`` and all
        of :data:`~gomkcn_dgl.io.column_names.DIRECTED_ENDS`; so does ``FromNodeId,ToNodeId``. Even
        then, and each relation for itself, it is undirected when nearly all edges, 95 %, are there
        both ways. A column ``type`` of the words directed and undirected says it, too.
    source, target, relation, weight : str or int, optional
        Columns of a table of edges by name, or by number from 1; digits are a number. None: told by
        their names or values, and refused where nothing tells the two ends, see the docs of
        formats; without a header the first two columns, then weights or the form
        ``head relation tail``. ``"none"`` for ``relation`` or
        ``weight``: that column is not used; then weights may be missing, negative or 0. Edge labels
        of a TU folder are relations, unless ``relation="none"``. In GraphML and its like and in DGL
        files, relation and weight are edge attributes by name; None: the types of edges, if any,
        and ``weight``.
    bipartite : bool, optional
        Whether the two columns of a table have nodes of their own: then user 5 and item 5 are two
        nodes, called ``user 5`` and ``item 5`` if any id is in both columns, and ``side`` is a
        category of nodes. None: where the columns are called as two kinds of nodes are,
        ``user,item`` or ``author,paper``. Where their names leave it open, an id in both is one
        node, and a note and a warning say so; if there is none, and edges make cycles, they are
        two sides.
    minimum, maximum : mapping of str to float, str or date, or sequence of str, optional
        The least and the most value of edge attributes, ``{"score": 700}`` or ``["score=700"]``:
        edges with less, or with more, or with no value, are left out, as if the file did not have
        them. A date such as ``"2024-01-31"`` is the begin of the day as the least value, and its
        end as the most.
    smiles : str, optional
        The column of SMILES of a table of molecules.
    id_column : str, optional
        The column, or property of an SD file, that has the names of molecules, or "none". None: one
        that is called name, id, compound, molecule, CID, ChEMBL ID or such, and nothing else.
    skip_invalid : bool
        Whether molecules that RDKit cannot read are left out; the log says how many.
    largest_fragment : bool
        Whether of a molecule of several parts, such as a salt, the part of most heavy atoms alone
        is read; the log says of how many.

    Returns
    -------
    CSRGraph
        Its ``notes``, and the log ``gomkcn_dgl``, say what was repaired or left out.

    Raises
    ------
    InputError
        For every problem with the file, in one sentence that names the line where there is one.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> path = Path(tempfile.mkdtemp()) / "path.txt"
    >>> _ = path.write_text("# a path\n10 20\n20 30\n")
    >>> graph = read_graph(path)
    >>> graph.num_edges, graph.original_ids(np.arange(3))
    (2, [10, 20, 30])
    >>> _ = path.write_text("a activates b\nb represses c\nc activates a\n")
    >>> graph = read_graph(path)
    >>> graph.relations.names, graph.relations.directed
    (('activates', 'represses'), (True, True))
    """
    return _read(
        path,
        features=features,
        feature_file=feature_file,
        format=format,
        label_names=label_names,
        directed=directed,
        source=source,
        target=target,
        bipartite=bipartite,
        relation=relation,
        weight=weight,
        minimum=minimum,
        maximum=maximum,
        smiles=smiles,
        id_column=id_column,
        skip_invalid=skip_invalid,
        largest_fragment=largest_fragment,
    ).graph


def read_with_attributes(path: str | os.PathLike[str], **options: Any) -> InputGraph:
    """Read a graph, and the attributes of its nodes and edges, which may be missing at some.

    The ``options`` are those of :func:`read_graph`. Attributes of nodes are numbers or text;
    columns of a feature file with an empty cell are attributes and no features. The edges as they
    were given, with the attributes ``edge_attributes``, are read where that is a list. Of nodes,
    ``node_attributes`` are not said to be unused.
    """
    return _read(path, gaps=True, **options)


def read_with_classes(
    path: str | os.PathLike[str], columns: str | Sequence[str] = CLASS_COLUMNS, **options: Any
) -> tuple[CSRGraph, Any]:
    """Read a graph, and the column of its nodes that holds their classes and is no feature.

    It is the one that ``columns`` names, or the first of several that there is. The ``options`` are
    those of :func:`read_graph`. The classes are numbers or text ``[V]``, None where a node has
    none; they are None where none of several columns is there.
    """
    found = _read(path, classes=columns, **options)
    return found.graph, found.attributes.get("classes")


def _read(
    path: str | os.PathLike[str],
    *,
    features: Sequence[str] | None = None,
    feature_file: str | os.PathLike[str] | None = None,
    format: str | None = None,
    label_names: LabelNames | None = None,
    skip_invalid: bool = False,
    largest_fragment: bool = False,
    minimum: Bounds | None = None,
    maximum: Bounds | None = None,
    edge_attributes: Sequence[str] | None = None,
    node_attributes: Sequence[str] = (),
    gaps: bool = False,
    classes: str | Sequence[str] | None = None,
    **columns: Any,
) -> InputGraph:
    """Read a graph and what is asked of its nodes and edges; ``gaps`` may be in attributes.

    Where ``classes`` names columns, the attributes are the first of them alone, as ``classes``.
    """
    path = as_path("path", path)
    choice = ColumnChoice(
        _feature_names(features),
        edge_attributes=tuple(edge_attributes or ()),
        node_attributes=tuple(node_attributes),
        bounds=EdgeBounds.read(minimum, maximum),
        skip_invalid=bool(skip_invalid),
        largest_fragment=bool(largest_fragment),
        **columns,
    )
    with named(path):
        check_path(path)
        content, chosen = _read_content(InputFile(path), format, choice, feature_file, gaps)
        with_edges = edge_attributes is not None
        if isinstance(content, CSRGraph):
            found = _of_stored(content, chosen, classes, with_edges)
        else:
            found = _of_content(content, chosen, classes, with_edges, gaps)
    graph = found.graph
    if choice.weight == NONE:
        graph = graph.without_weights()
    if label_names is not None:
        names = read_label_names(label_names)
        with named(path if isinstance(label_names, Mapping) else Path(label_names)):
            graph = name_columns(graph, names)
    _log_graph(path, graph)
    return found._replace(graph=graph)


def _feature_names(features: Any) -> Sequence[str] | None:
    """Names of features, of which there must be one, or None."""
    if isinstance(features, str):
        return (features,)
    if features is not None and (not features or not all(isinstance(n, str) for n in features)):
        raise InputError("features", "must be names, at least one, or None", got=repr(features))
    return features


def _read_content(
    file: InputFile,
    format: str | None,
    choice: ColumnChoice,
    feature_file: str | os.PathLike[str] | None,
    gaps: bool,
) -> tuple[GraphContent | CSRGraph, ColumnChoice]:
    """What a file holds, with the features beside it, and what is still to be chosen of it."""
    row = find_format(file, choice, format)
    row.check_options(choice)
    if file.is_stream and format is None:
        told = Message(
            f"{called(file.path)} is read as {row.name}, as its content says",
            way_out=(Argument("format"), " names another format"),
        )
        log.info("%s", told)
    table = _find_features(file.path, row, choice.features, feature_file)
    content = row.read(file, choice)
    if isinstance(content, CSRGraph):
        is_chosen = row.reader_chooses == "features"
        return content, replace(choice, features=None) if is_chosen else choice
    if row.reader_chooses == "edges":
        choice = ColumnChoice(
            choice.features,
            edge_attributes=choice.edge_attributes,
            node_attributes=choice.node_attributes,
            bounds=choice.bounds,
        )
    else:
        choice = _choose_attributes(content, choice)
        content = leave_out_edges(content, choice.bounds)
    if table is not None:
        lists_nodes = row.reader_chooses != "edges"
        content = with_node_table(content, table, gaps=gaps, lists_nodes=lists_nodes)
    return content, choice


def _of_content(
    content: GraphContent,
    choice: ColumnChoice,
    classes: str | Sequence[str] | None,
    with_edges: bool,
    gaps: bool,
) -> InputGraph:
    """The graph of what a file holds."""
    attributes = content.attributes() if gaps else {}
    if classes is not None:
        content, attributes = _take_classes(content, classes, choice.features)
    edges = EdgeTable.of(content, choice) if with_edges else None
    return InputGraph(make_csr(content, choice), attributes, edges)


def _of_stored(
    graph: CSRGraph,
    choice: ColumnChoice,
    classes: str | Sequence[str] | None,
    with_edges: bool,
) -> InputGraph:
    """A graph of a folder, less the features that are not asked for."""
    attributes: dict[str, Any] = {}
    if classes is not None:
        graph, attributes = _take_class_columns(graph, classes)
    if choice.features is not None:
        graph = select_features(graph, choice.features)
    edges = edge_table_of_csr(graph, choice.edge_attributes) if with_edges else None
    return InputGraph(graph, attributes, edges)


def _take_classes(
    content: GraphContent, classes: str | Sequence[str], features: Sequence[str] | None
) -> tuple[GraphContent, dict[str, Any]]:
    """Take the column of the classes out of the attributes of nodes."""
    column = _class_column(classes, list(content.nodes))
    if column is None:
        return content, {}
    if features is not None and column in features:
        raise InputError(
            "features",
            "must not name the column of the classes",
            got=repr(column),
            way_out="leave it out",
        )
    nodes = content.nodes
    others = Columns(
        [name for name in nodes if name != column],
        lambda name: nodes[name],
        with_gaps=lambda name: with_gaps(nodes, name),
    )
    default = tuple(name for name in content.default_features if name != column)
    taken = replace(content, nodes=others, default_features=default)
    return taken, {"classes": with_gaps(nodes, column)}


def _take_class_columns(
    graph: CSRGraph, classes: str | Sequence[str]
) -> tuple[CSRGraph, dict[str, Any]]:
    """Take the classes out of the features, which are all that a folder keeps of its nodes."""
    names = graph.feature_names
    column = _class_column(classes, [name.partition("=")[0] for name in names])
    if column is None:
        return graph, {}
    is_class = np.array([name.partition("=")[0] == column for name in names])
    columns = graph.features[:, is_class]
    if column in names:
        found = columns[:, 0]
    else:
        # a column of zeros and ones for each class
        codes = [name.partition("=")[2] for name in names if name.partition("=")[0] == column]
        found = np.array([None, *codes], object)[(columns.argmax(axis=1) + 1) * columns.any(axis=1)]
    kept = graph.features[:, ~is_class]
    left = tuple(name for name, taken in zip(names, is_class, strict=True) if not taken)
    if not left:
        kept = np.ones((graph.num_nodes, 1), np.float32)
        left = (CONSTANT_FEATURE,)
    return replace(graph, features=kept, feature_names=left), {"classes": found}


def _class_column(classes: str | Sequence[str], names: Sequence[str]) -> str | None:
    """The column that is named, or the first of the usual ones that there is."""
    if isinstance(classes, str):
        if classes not in names:
            known = listed(dict.fromkeys(names)) if names else "none"
            raise InputError(
                "class_column", f"must be an attribute of its nodes, {known}", got=repr(classes)
            )
        return classes
    return next((name for name in classes if name in names), None)


def read_molecule_file(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    smiles: str | None = None,
    id_column: str | None = None,
    skip_invalid: bool = False,
    largest_fragment: bool = False,
) -> list[Any]:
    """Read the molecules of a file as RDKit has them; the options are those of `read_graph`."""
    path = Path(path)
    choice = ColumnChoice(
        smiles=smiles,
        id_column=id_column,
        skip_invalid=bool(skip_invalid),
        largest_fragment=bool(largest_fragment),
    )
    with named(path):
        check_path(path)
        file = InputFile(path)
        row = find_format(file, choice, format)
        if row.read_molecules is None:
            known = [other.name for other in FORMATS.values() if other.read_molecules is not None]
            raise InputError(
                f"the file must hold molecules, and its format is {row.name}",
                way_out=("give ", Argument("format"), f" as one of {listed(known)} if it does"),
            )
        return mols_of(row.read_molecules(file, choice), choice)


def _log_graph(path: Path, graph: CSRGraph) -> None:
    """Say in the log what was read."""
    if graph.relations.names != (PLAIN,):
        kinds = [
            f"{printable(name)} ({'directed' if is_directed else 'undirected'})"
            for name, is_directed in graph.relations.kinds
        ]
        log.info("relations: %s", listed(kinds))
    log.info(
        "read %s: graphs: %d, nodes: %d, edges: %d (%s, %s), features: %d (%s)",
        called(path) if is_stream(path) else path.resolve().name,
        graph.num_graphs,
        graph.num_nodes,
        graph.num_edges,
        "directed" if graph.is_directed else "undirected",
        "unweighted" if graph.weights is None else "weighted",
        len(graph.feature_names),
        listed(graph.feature_names),
    )


def _find_features(
    path: Path,
    row: Format,
    features: Sequence[str] | None,
    feature_file: str | os.PathLike[str] | None,
) -> NodeTable | None:
    """Return the features of the file that was given or lies beside the graph."""
    if FEATURE_FILE not in row.options:
        if feature_file is not None:
            raise InputError(
                "feature_file",
                f"is for {formats_with(FEATURE_FILE)}, and the format is {row.name}",
                way_out=("name the features in the file with ", Argument("features")),
            )
        return None
    if feature_file is not None:
        return read_features(Path(feature_file))
    if row.has_node_attributes and features is not None:
        return None
    beside = feature_file_beside(path.parent, stem(path))
    if beside is not None:
        log.info("features: taken from %s beside the graph", beside.name)
        return read_features(beside)
    if features is not None:
        raise InputError(
            "features",
            "names columns of a feature file, and there is none beside the graph",
            way_out=("give ", Argument("feature_file")),
        )
    return None


def _choose_attributes(content: GraphContent, choice: ColumnChoice) -> ColumnChoice:
    """The edges' weight is ``weight``, where there is such an attribute."""
    for name in (choice.relation, choice.weight):
        if not isinstance(name, (str, type(None))):
            raise InputError(f"an edge attribute must be given by its name, got {name!r}.")
    default = DEFAULT_WEIGHT if DEFAULT_WEIGHT in list(content.edges) else NONE
    relation = None if choice.relation == NONE else choice.relation
    return replace(choice, weight=choice.weight or default, relation=relation)
