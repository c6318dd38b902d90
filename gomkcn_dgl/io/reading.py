"""A graph file of any known format → a CSRGraph.

| format    | names                                     | read by              |
|-----------|-------------------------------------------|----------------------|
| `edges`   | .txt .edges .edgelist .el .tsv, also .gz  | io.edge_tables       |
| `csv`     | .csv, also .gz                            | io.edge_tables       |
| `parquet` | .parquet                                  | io.edge_tables       |
| `matrix`  | .csv .tsv .txt that are square; also .gz  | io.adjacency_tables  |
| `graphml` | .graphml, also .gz                        | io.foreign_files     |
| `gml`     | .gml, also .gz                            | io.foreign_files     |
| `gexf`    | .gexf, also .gz                           | io.foreign_files     |
| `pajek`   | .net .paj, also .gz                       | io.foreign_files     |
| `json`    | .json .cyjs (nodes, links), also .gz      | io.foreign_files     |
| `mtx`     | .mtx (Matrix Market), also .gz            | io.foreign_files     |
| `sif`     | .sif (Cytoscape), also .gz                | io.foreign_files     |
| `ncol`    | .ncol, also .gz                           | io.foreign_files     |
| `lgl`     | .lgl, also .gz                            | io.foreign_files     |
| `graph6`  | .g6, a graph a line, also .gz             | io.foreign_files     |
| `sparse6` | .s6, a graph a line, also .gz             | io.foreign_files     |
| `dimacs`  | .dimacs .col, also .gz                    | io.foreign_files     |
| `dgl`     | .bin                                      | io.dgl_files         |
| `npz`     | .npz                                      | io.foreign_files     |
| `smiles`  | .smi; .csv, .tsv with SMILES; also .gz    | io.molecules         |
| `sdf`     | .sdf, also .gz                            | io.molecules         |
| `folder`  | a folder with graph.json, as in big.graph | graph_folder         |
| `tu`      | a folder with NAME_A.txt                  | io.tu_folder         |

No reader runs code from a file, and every problem with a file is one InputError of one sentence.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn_dgl.checks import check_choice
from gomkcn_dgl.csr import CONSTANT_FEATURE, CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import (
    DEFAULT_WEIGHT,
    NONE,
    Column,
    ColumnChoice,
    Columns,
    EdgeTable,
    GraphContent,
    Minimum,
    leave_out_edges,
    make_csr,
    read_minimum,
    with_gaps,
)
from gomkcn_dgl.graph_folder import is_graph_folder, read_graph_folder
from gomkcn_dgl.graph_objects import edge_table_of_csr
from gomkcn_dgl.io.adjacency_tables import is_adjacency_table, read_adjacency_table
from gomkcn_dgl.io.edge_tables import read_edges
from gomkcn_dgl.io.features import (
    LabelNames,
    NodeTable,
    feature_file_beside,
    name_columns,
    read_features,
    read_label_names,
    select_features,
    with_isolated_nodes,
    with_node_table,
)
from gomkcn_dgl.io.molecules import (
    DEFAULT_OPTIONS,
    MOLECULE_FORMATS,
    MoleculeOptions,
    from_molecules,
    has_smiles_column,
    read_molecules,
)
from gomkcn_dgl.io.tu_folder import read_tu_folder
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.runtime.files import FORMAT_OF_SUFFIX, check_path, listed, named, printable, stem

log = logging.getLogger("gomkcn_dgl")

KNOWN_FORMATS = (*dict.fromkeys(FORMAT_OF_SUFFIX.values()), "matrix", "folder", "tu")
FOREIGN_FORMATS = (
    *("graphml", "gml", "gexf", "pajek", "json", "mtx", "sif", "ncol", "lgl"),
    *("graph6", "sparse6", "dimacs"),
)
_COMPRESSIBLE = ("edges", "csv", *FOREIGN_FORMATS, *MOLECULE_FORMATS)
EDGE_FORMATS = ("edges", "csv", "parquet")
# what may be said about the edges of other formats than tables
_EDGE_OPTIONS: dict[str, tuple[str, ...]] = {
    "tu": ("directed", "relation"),
    **dict.fromkeys(("npz", "matrix"), ("directed", "minimum")),
    **dict.fromkeys(("dgl", *FOREIGN_FORMATS), ("directed", "relation", "weight", "minimum")),
}
# what a column of classes of nodes is called, unless another is named
CLASS_COLUMNS = ("class", "label", "labels", "y")
# the other formats hold the features themselves
_WITH_FEATURE_FILE = (*EDGE_FORMATS, "matrix", *FOREIGN_FORMATS)


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
    relation: Column | None = None,
    weight: Column | None = None,
    minimum: Minimum | None = None,
    smiles: str | None = None,
    skip_invalid: bool = False,
) -> CSRGraph:
    r"""Read a graph, or a collection of graphs, from a file, a graph folder or a TU folder.

    Parameters
    ----------
    path : path
        The file, a folder as ``gomkcn convert`` writes it (its arrays stay on disk,
        memory-mapped), or the folder of a TU set. Node rows are in ascending order of the node ids
        (integers by value, text by code point) for edge lists, CSV and parquet, in the order of
        the file for the others; ids that are not the row numbers are kept in ``node_ids``.
    features : sequence of str, optional
        Which features to use: columns of the feature file; node attributes of GraphML, GML, GEXF,
        Pajek or JSON, text one-hot as ``kind=kinase``; DGL node data; names stored
        in a graph folder; ``"attributes"`` and ``"labels"`` (one-hot) of a TU folder;
        ``"element"``, ``"charge"`` and ``"aromatic"`` of molecules. None: all
        columns of the feature file; the constant 1 for GraphML and its like; ``feat`` for DGL;
        attributes, or else labels, for TU; ``element`` for molecules.
    feature_file : path, optional
        ``.npy`` ``[V, D]`` or ``.csv`` with a header, beside an edge list, a CSV, a parquet or
        a GraphML file. None: ``<stem>.features.npy`` or ``.csv`` in the same folder, if there is
        one. A column of text becomes a feature for each value, such as ``kind=kinase``. A first
        column ``id``, ``node``, ``node_id`` or ``name`` is matched with the node ids; else rows
        follow the node rows. With as many rows as the largest integer id asks for, row i belongs
        to id i, and ids without an edge are isolated nodes.
    format : str, optional
        ``"edges"``, ``"csv"``, ``"parquet"``, ``"matrix"`` (text of adjacency), ``"graphml"``,
        ``"gml"``, ``"gexf"``, ``"pajek"``, ``"json"`` (nodes and links), ``"mtx"``, ``"sif"``,
        ``"ncol"``, ``"lgl"``, ``"graph6"``, ``"sparse6"``, ``"dimacs"``, ``"dgl"``, ``"npz"``,
        ``"smiles"``, ``"sdf"``, ``"folder"`` or ``"tu"``. None: told by the name; a CSV file
        with a column ``smiles`` or ``canonical_smiles`` is one of molecules, and a square table of
        numbers with the names of its columns at its rows, or of at least four rows that are
        symmetric or of 0 and 1, is an adjacency matrix.
    label_names : path or mapping of str to str, optional
        What labels are called, or a file that says so: ``label=1`` becomes ``label=helix``, see
        :func:`gomkcn_dgl.io.features.read_label_names`.
    directed : bool, optional
        Whether edges have a direction. None: as the file says. A table of edges is undirected
        unless it has relations or its columns have names that say a direction, alone or beside
        equal words: ``source,target``, ``src,dst``, ``from,to``, ``head,tail``,
        ``subject,object``, ``start,end``, ``sender,recipient``, ``sender,receiver``,
        ``regulator,gene``, ``regulator,target``, ``parent,child``, ``citing,cited`` or
        ``follower,followed``, in capitals or not; so does ``FromNodeId,ToNodeId``. Even then,
        and each relation for itself, it is undirected when nearly all edges, 95 %, are there both
        ways. A column ``type`` of the words directed and undirected says it, too.
    source, target, relation, weight : str or int, optional
        Columns of a table of edges by name, or by number from 1; digits are a number. None: told
        by usual names such as ``source,target``, ``head,relation,tail``, ``type`` or ``weight``, or
        by two that differ in one word, such as ``gene_a,gene_b``; without a header the first two
        columns, then weights or the form ``head relation tail``. ``"none"`` for ``relation`` or
        ``weight``: that column is not used; then weights may be missing, negative or 0. Edge labels
        of a TU folder are relations, unless ``relation="none"``. In GraphML and its like and in DGL
        files, relation and weight are edge attributes by name; None: the types of edges, if any,
        and ``weight``.
    minimum : mapping of str to float, or sequence of str, optional
        The least value of edge attributes, ``{"score": 700}`` or ``["score=700"]``: edges with
        less, or with no value, are left out, as if the file did not have them.
    smiles : str, optional
        The column of SMILES of a table of molecules.
    skip_invalid : bool
        Whether molecules that RDKit cannot read are left out; the log says how many.

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
    graph, _, _ = _read(
        path,
        features=features,
        feature_file=feature_file,
        format=format,
        label_names=label_names,
        directed=directed,
        source=source,
        target=target,
        relation=relation,
        weight=weight,
        minimum=minimum,
        smiles=smiles,
        skip_invalid=skip_invalid,
    )
    return graph


def read_with_attributes(
    path: str | os.PathLike[str], **options: Any
) -> tuple[CSRGraph, dict[str, Any], EdgeTable | None]:
    """Read a graph, and the attributes of its nodes and edges, which may be missing at some.

    The ``options`` are those of :func:`read_graph`. Attributes of nodes are columns ``[V]`` of
    numbers or text by their names, None where a node has none; columns of a feature file with an
    empty cell are attributes and no features. The edges as they were given, with the attributes
    ``edge_attributes``, are read where that is a list.
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
    graph, found, _ = _read(path, classes=columns, **options)
    return graph, found.get("classes")


def _read(
    path: str | os.PathLike[str],
    *,
    features: Sequence[str] | None = None,
    feature_file: str | os.PathLike[str] | None = None,
    format: str | None = None,
    label_names: LabelNames | None = None,
    smiles: str | None = None,
    skip_invalid: bool = False,
    gaps: bool = False,
    classes: str | Sequence[str] | None = None,
    minimum: Minimum | None = None,
    edge_attributes: Sequence[str] | None = None,
    **edges: Any,
) -> tuple[CSRGraph, dict[str, Any], EdgeTable | None]:
    """Read a graph and the attributes of its nodes; ``gaps`` says whether some may be missing.

    Its edges as they were given are read where ``edge_attributes`` says which attributes they have.

    Where ``classes`` names columns, the attributes are the first of them alone, as ``classes``.
    """
    path = Path(path)
    of_molecules = MoleculeOptions(smiles, skip_invalid=bool(skip_invalid))
    if isinstance(features, str):
        features = (features,)
    if features is not None and (not features or not all(isinstance(n, str) for n in features)):
        raise InputError("features", "must be names, at least one, or None", got=repr(features))
    of_edges: dict[str, Any] = {
        "edge_attributes": tuple(edge_attributes or ()),
        "minimum": read_minimum(minimum),
    }
    choice = ColumnChoice(features, **edges, **of_edges)
    with named(path):
        is_told = format is not None or choice.source is not None or choice.target is not None
        format = format_of(path, format, smiles)
        if format in ("edges", "csv") and not is_told and is_adjacency_table(path):
            format = "matrix"
        _check_options(format, choice, of_molecules)
        table = _find_features(path, format, features, feature_file)
        attributes: dict[str, Any] = {}
        content = None
        if format == "tu":
            graph = read_tu_folder(path, choice)
        elif format == "folder":
            graph = read_graph_folder(path)
            if features is not None and classes is None:
                graph = select_features(graph, features)
        else:
            content = _read_content(path, format, choice, of_molecules)
            if format in (*EDGE_FORMATS, "sif"):
                # those of the edges are chosen
                choice = ColumnChoice(features, **of_edges)
                content = content if table is None else with_isolated_nodes(content, table)
            elif format not in MOLECULE_FORMATS:
                choice = _choose_attributes(content, choice)
                content = leave_out_edges(content, choice.minimum)
            if table is not None:
                content = with_node_table(content, table, gaps)
            attributes = content.attributes() if gaps else {}
            if classes is not None:
                content, attributes = _take_classes(content, classes, features)
            graph = make_csr(content, choice)
        if classes is not None and format in ("tu", "folder"):
            graph, attributes = _take_class_columns(graph, classes)
            if features is not None:
                graph = select_features(graph, features)
        edge_table = None
        if edge_attributes is not None and content is not None:
            edge_table = EdgeTable.of(content, choice)
        elif edge_attributes is not None:
            edge_table = edge_table_of_csr(graph, choice.edge_attributes)
    if edges.get("weight") == NONE:
        graph = graph.without_weights()
    if label_names is not None:
        names = read_label_names(label_names)
        with named(path if isinstance(label_names, Mapping) else Path(label_names)):
            graph = name_columns(graph, names)
    _log_graph(path, graph)
    return graph, attributes, edge_table


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
    own = content.nodes
    others = Columns(
        [name for name in own if name != column],
        lambda name: own[name],
        with_gaps=lambda name: with_gaps(own, name),
    )
    default = tuple(name for name in content.default_features if name != column)
    taken = replace(content, nodes=others, default_features=default)
    return taken, {"classes": with_gaps(own, column)}


def _take_class_columns(
    graph: CSRGraph, classes: str | Sequence[str]
) -> tuple[CSRGraph, dict[str, Any]]:
    """Take the classes out of the features, which are all that a folder keeps of its nodes."""
    names = graph.feature_names
    column = _class_column(classes, [name.partition("=")[0] for name in names])
    if column is None:
        return graph, {}
    is_class = np.array([name.partition("=")[0] == column for name in names])
    own = graph.features[:, is_class]
    if column in names:
        found = own[:, 0]
    else:
        # a column of zeros and ones for each class
        codes = [name.partition("=")[2] for name in names if name.partition("=")[0] == column]
        found = np.array([None, *codes], object)[(own.argmax(axis=1) + 1) * own.any(axis=1)]
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
    skip_invalid: bool = False,
) -> list[Any]:
    """Read the molecules of a file as RDKit has them; the options are those of `read_graph`."""
    path = Path(path)
    with named(path):
        format = format_of(path, format, smiles)
        if format not in MOLECULE_FORMATS:
            raise InputError(
                f"the file must hold molecules, and its format is {format}",
                way_out=(
                    "give ",
                    Argument("format"),
                    f" as one of {listed(MOLECULE_FORMATS)} if it does",
                ),
            )
        return _molecules(path, format, MoleculeOptions(smiles, None, skip_invalid))


def _molecules(path: Path, format: str, options: MoleculeOptions) -> list[Any]:
    """Read molecules without their classes; say in the log which were left out."""
    found, skipped = read_molecules(path, format, options._replace(class_column=NONE))
    if skipped:
        log.info("molecules: left out %d that RDKit cannot read: %s", len(skipped), listed(skipped))
    return [one.mol for one in found]


def format_of(path: Path, format: str | None, smiles: str | None) -> str:
    """The format that was given, or is told by the column of SMILES or by the name."""
    check_path(path)
    if format is not None:
        return check_choice("format", format, KNOWN_FORMATS)
    return _find_format(path) if smiles is None else "smiles"


def _log_graph(path: Path, graph: CSRGraph) -> None:
    """Say in the log what was read."""
    if graph.relations.names != (PLAIN,):
        kinds = [
            f"{printable(name)} ({'directed' if one else 'undirected'})"
            for name, one in graph.relations.kinds
        ]
        log.info("relations: %s", listed(kinds))
    log.info(
        "read %s: graphs: %d, nodes: %d, edges: %d (%s, %s), features: %d (%s)",
        path.resolve().name,
        graph.num_graphs,
        graph.num_nodes,
        graph.num_edges,
        "directed" if graph.is_directed else "undirected",
        "unweighted" if graph.weights is None else "weighted",
        len(graph.feature_names),
        listed(graph.feature_names),
    )


# of programs that save tables as CSV as well
_SPREADSHEETS = {".xls", ".xlsx", ".xlsm", ".ods"}


def _find_format(path: Path) -> str:
    """Tell the format of a file or a folder by its name."""
    if path.is_dir():
        return "folder" if is_graph_folder(path) else "tu"
    *_, before, last = ["", "", *(suffix.lower() for suffix in path.suffixes)]
    format = FORMAT_OF_SUFFIX.get(before if last == ".gz" else last)
    if last in _SPREADSHEETS:
        raise InputError(
            "spreadsheets are not read; save the sheet as CSV (UTF-8), with its header."
        )
    if format is None or (last == ".gz" and format not in _COMPRESSIBLE):
        raise InputError(
            f"the format cannot be told from the name; known are {listed(FORMAT_OF_SUFFIX)} "
            "(also with .gz, but for .parquet, .bin and .npz), graph folders and TU folders",
            way_out=("give ", Argument("format")),
        )
    return "smiles" if has_smiles_column(path) else format


def _find_features(
    path: Path,
    format: str,
    features: Sequence[str] | None,
    feature_file: str | os.PathLike[str] | None,
) -> NodeTable | None:
    """Return the features of the file that was given or lies beside the graph."""
    if format not in _WITH_FEATURE_FILE:
        if feature_file is not None:
            raise InputError(
                "feature_file",
                f"is for {listed(_WITH_FEATURE_FILE)}, and the format is {format}",
                way_out=("name the features in the file with ", Argument("features")),
            )
        return None
    if feature_file is not None:
        return read_features(Path(feature_file))
    # names given with these are node attributes
    if format in FOREIGN_FORMATS and features is not None:
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


def _check_options(format: str, choice: ColumnChoice, of_molecules: MoleculeOptions) -> None:
    """Refuse what cannot be said about a format."""
    wrong = [name for name in choice.of_edges if name not in _EDGE_OPTIONS.get(format, ())]
    # whatever is read can be read without weights
    wrong = [name for name in wrong if name != "weight" or choice.weight != NONE]
    if format not in EDGE_FORMATS and wrong:
        raise InputError(
            wrong[0],
            f"is for {listed(EDGE_FORMATS)}, and the format is {format}, which says itself what "
            "its edges are",
        )
    if of_molecules != DEFAULT_OPTIONS and format not in MOLECULE_FORMATS:
        option = "skip_invalid" if of_molecules.smiles is None else "smiles"
        raise InputError(option, f"is for molecules, and the format is {format}")


def _read_content(
    path: Path, format: str, choice: ColumnChoice, of_molecules: MoleculeOptions
) -> GraphContent:
    """Read a file, by the library of its format, which is imported here."""
    if format in EDGE_FORMATS:
        return read_edges(path, format, choice)
    if format in MOLECULE_FORMATS:
        return from_molecules(_molecules(path, format, of_molecules))
    if format == "matrix":
        return read_adjacency_table(path)
    if format == "dgl":
        from gomkcn_dgl.io.dgl_files import read_dgl

        return read_dgl(path)
    from gomkcn_dgl.io.foreign_files import read_foreign, read_npz

    return read_npz(path) if format == "npz" else read_foreign(path, format, choice)


def _choose_attributes(content: GraphContent, choice: ColumnChoice) -> ColumnChoice:
    """The edges' weight is ``weight``, where there is such an attribute."""
    for name in (choice.relation, choice.weight):
        if not isinstance(name, (str, type(None))):
            raise InputError(f"an edge attribute must be given by its name, got {name!r}.")
    default = DEFAULT_WEIGHT if DEFAULT_WEIGHT in list(content.edges) else NONE
    relation = None if choice.relation == NONE else choice.relation
    return replace(choice, weight=choice.weight or default, relation=relation)
