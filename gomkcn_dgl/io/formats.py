"""The formats of files, a row each: all that reading, writing, completion, docs and fuzzing know.

A new format is a row here, its functions in a module that the row loads when it is used, and an
example in ``tests/data/readings``. Nothing is imported here but by a row that is used, so that the
shell completes the names of formats at once.

igraph 1.0 crashed at none of 1,800 damaged files, and NetworkX at none that fuzzing has tried.
``dgl.load_graphs`` aborts the process on some, so :mod:`gomkcn_dgl.io.dgl_files` does without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.input_file import InputFile
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.runtime.files import listed
from gomkcn_dgl.runtime.packed_files import PACKED, packing_of_name

if TYPE_CHECKING:
    from gomkcn_dgl.csr import CSRGraph
    from gomkcn_dgl.graph_content import ColumnChoice, GraphContent

# what may be said of the edges of a table, of edges with attributes, and of others
OF_BOUNDS = ("minimum", "maximum")
OF_TABLES = ("directed", "source", "target", "bipartite", "relation", "weight", *OF_BOUNDS)
OF_ATTRIBUTES = ("directed", "relation", "weight", *OF_BOUNDS)
OF_MATRICES = ("directed", *OF_BOUNDS)
OF_MOLECULES = ("smiles", "id_column", "skip_invalid", "largest_fragment")
FEATURE_FILE = "feature_file"
# in place of a column
_NONE = "none"


@dataclass(frozen=True, kw_only=True)
class Format:
    """A format of files, or of folders.

    Attributes
    ----------
    name, title : str
        What ``--format`` and the docs call it.
    endings : tuple of str
        Ends of the names of files, in small letters, by which it is known.
    is_known : callable, optional
        Tells by the content that a file is of this format whatever its name ends in.
    is_folder, is_packed : bool
        Whether it is a folder; whether its files may also be packed, as ``.gz``.
    read : callable
        From the file, and what was chosen of it, to what it holds.
    read_classes : callable, optional
        To the class of each graph, as the file says it, or None where it says none.
    read_molecules : callable, optional
        To molecules of RDKit, with their places, and the places of what RDKit cannot read.
    write : callable, optional
        Writes a graph so that ``read`` gives it back.
    options : tuple of str
        What may be said of its files, as in :func:`gomkcn_dgl.io.reading.read_graph`.
    reader_chooses : str
        "edges" where ``read`` itself chooses the columns of edges, "features" where it chooses
        those of nodes; else they are chosen of what it returns.
    has_node_attributes : bool
        Whether features that are named are attributes of nodes in the file, and no columns of a
        feature file.
    directions, node_names : str
        Where the direction of edges and the names of nodes come from, for the docs.
    lacks : str
        What it cannot hold of a graph, for the docs.
    reader, why : str
        The library that reads it; why this one, and what is put right around it.
    """

    name: str
    title: str
    endings: tuple[str, ...] = ()
    is_known: Callable[[InputFile], bool] | None = None
    is_folder: bool = False
    is_packed: bool = True
    read: Callable[[InputFile, ColumnChoice], GraphContent | CSRGraph]
    read_classes: Callable[[InputFile, ColumnChoice], Any] | None = None
    read_molecules: Callable[[InputFile, ColumnChoice], Any] | None = None
    write: Callable[[Path, CSRGraph], None] | None = None
    options: tuple[str, ...] = ()
    reader_chooses: str = ""
    has_node_attributes: bool = False
    directions: str
    node_names: str
    lacks: str
    reader: str
    why: str

    def check_options(self, choice: ColumnChoice) -> None:
        """Refuse what cannot be said of this format."""
        for name in choice.given:
            # whatever is read can be read without weights
            if name not in self.options and (name, choice.weight) != ("weight", _NONE):
                raise InputError(
                    name,
                    f"is for {formats_with(name)}, and the format is {self.name}",
                    way_out="leave it out",
                )


# ---------------------------------------------------------------- the modules that rows load


def _tables() -> ModuleType:
    from gomkcn_dgl.io import edge_tables

    return edge_tables


def _written() -> ModuleType:
    from gomkcn_dgl.io import edge_table_writing

    return edge_table_writing


def _lists() -> ModuleType:
    from gomkcn_dgl.io import adjacency_lists

    return adjacency_lists


def _matrices() -> ModuleType:
    from gomkcn_dgl.io import matrix_tables

    return matrix_tables


def _xml() -> ModuleType:
    from gomkcn_dgl.io import xml_files

    return xml_files


def _texts() -> ModuleType:
    from gomkcn_dgl.io import text_files

    return text_files


def _pajek() -> ModuleType:
    from gomkcn_dgl.io import pajek_files

    return pajek_files


def _json() -> ModuleType:
    from gomkcn_dgl.io import json_files

    return json_files


def _dgl() -> ModuleType:
    from gomkcn_dgl.io import dgl_files

    return dgl_files


def _foreign() -> ModuleType:
    from gomkcn_dgl.io import foreign_files

    return foreign_files


def _molecules() -> ModuleType:
    from gomkcn_dgl.io import molecules

    return molecules


def _tu() -> ModuleType:
    from gomkcn_dgl.io import tu_folder

    return tu_folder


def _folders() -> ModuleType:
    from gomkcn_dgl import graph_folder

    return graph_folder


# ---------------------------------------------------------------- the table

_BY_COLUMNS = "by columns, see [directions](howto/directed_typed.md)"
_IN_FILE = "in the file"
_IF_SYMMETRIC = "undirected if the matrix is symmetric"
_NEEDS_TABLES = (
    "attributes of nodes, which a feature file beside it has; several graphs and their names"
)
_ALL_BUT_MIXED = "several graphs; edges with and without direction of one relation"
_NO_ATTRIBUTES = "names, attributes, relations, directions"

_ROWS = (
    Format(
        name="edges",
        title="edge list",
        endings=(".txt", ".edges", ".edgelist", ".el", ".tsv"),
        read=lambda file, choice: _tables().read_edges(file, choice, is_csv=file.ending == ".tsv"),
        options=(*OF_TABLES, FEATURE_FILE),
        reader_chooses="edges",
        directions=_BY_COLUMNS,
        node_names="ids",
        lacks=_NEEDS_TABLES,
        reader="Arrow",
        why="no library tells separators, comments and headers of SNAP, KONECT or ORCA",
    ),
    Format(
        name="csv",
        title="CSV",
        endings=(".csv",),
        read=lambda file, choice: _tables().read_edges(file, choice, is_csv=True),
        write=lambda path, graph: _written().write_edge_table(path, graph),
        options=(*OF_TABLES, FEATURE_FILE),
        reader_chooses="edges",
        directions=_BY_COLUMNS,
        node_names="ids",
        lacks=_NEEDS_TABLES,
        reader="Arrow",
        why="as fast as igraph for numbers, faster than pandas for names; headers are told here",
    ),
    Format(
        name="parquet",
        title="parquet",
        endings=(".parquet",),
        is_packed=False,
        read=lambda file, choice: _tables().read_parquet(file, choice),
        options=(*OF_TABLES, FEATURE_FILE),
        reader_chooses="edges",
        directions=_BY_COLUMNS,
        node_names="ids",
        lacks=_NEEDS_TABLES,
        reader="Arrow",
        why="columns that are not used are not read; sizes are checked before",
    ),
    Format(
        name="adjlist",
        title="adjacency list of NetworkX",
        endings=(".adjlist",),
        is_known=lambda file: (
            format_of_ending(file.ending) in ("edges", "csv") and _lists().is_adjacency_list(file)
        ),
        read=lambda file, choice: _lists().read_adjacency_list(file, choice),
        options=(*OF_MATRICES, FEATURE_FILE),
        directions="undirected, unless a direction is asked for",
        node_names="ids",
        lacks="relations, attributes, weights, blanks in names",
        reader="ours",
        why="NetworkX keeps ids as text; a line is a node and its neighbours",
    ),
    Format(
        name="matrix",
        title="adjacency or two-mode matrix as a table",
        is_known=lambda file: (
            format_of_ending(file.ending) in ("edges", "csv", "parquet")
            and _tables().is_matrix_file(file)
        ),
        read=lambda file, _: _matrices().read_matrix(_tables().open_table(file)),
        options=(*OF_MATRICES, FEATURE_FILE),
        directions=_IF_SYMMETRIC,
        node_names="the first line and column, or rows",
        lacks="relations, parallel edges, attributes",
        reader="ours",
        why="no library tells a matrix from a list of edges",
    ),
    Format(
        name="graphml",
        title="GraphML",
        endings=(".graphml",),
        read=lambda file, choice: _xml().read_graphml(file, choice),
        options=(*OF_ATTRIBUTES, FEATURE_FILE),
        has_node_attributes=True,
        directions=_IN_FILE,
        node_names="`name` or `label` if all differ, else ids",
        lacks=_ALL_BUT_MIXED,
        reader="NetworkX",
        why="igraph fills gaps with 0 or empty text, makes nodes of unknown ends and does not see "
        "labels of yEd; ids of parallel edges, keys without `attr.name` and namespaces are put "
        "right",
    ),
    Format(
        name="gml",
        title="GML",
        endings=(".gml",),
        read=lambda file, choice: _texts().read_gml(file, choice),
        options=(*OF_ATTRIBUTES, FEATURE_FILE),
        has_node_attributes=True,
        directions=_IN_FILE,
        node_names="`label` or `name` if all differ, else ids",
        lacks=_ALL_BUT_MIXED,
        reader="NetworkX",
        why="igraph fills gaps, cuts ids to floats and leaves `&#228;` as it is; 1e-05, NaN, line "
        "ends within text and edges that are listed twice are put right",
    ),
    Format(
        name="gexf",
        title="GEXF",
        endings=(".gexf",),
        read=lambda file, choice: _xml().read_gexf(file, choice),
        options=(*OF_ATTRIBUTES, FEATURE_FILE),
        has_node_attributes=True,
        directions=_IN_FILE,
        node_names="`label` if all differ, else ids",
        lacks=_ALL_BUT_MIXED,
        reader="NetworkX",
        why="igraph does not read it; namespaces, kinds and mutual edges are put right",
    ),
    Format(
        name="pajek",
        title="Pajek",
        endings=(".net", ".paj"),
        read=lambda file, choice: _pajek().read_pajek(file, choice),
        options=(*OF_ATTRIBUTES, FEATURE_FILE),
        has_node_attributes=True,
        directions="`*Arcs` have one, `*Edges` have none; each list can be a relation",
        node_names="labels if all differ, else numbers",
        lacks="several networks of one project; quotes in names, but as `&#34;`",
        reader="ours",
        why="NetworkX merges nodes of equal labels and adds unknown ends; igraph knows neither "
        "several lists nor relations, and fails at the parameters of other tools",
    ),
    Format(
        name="json",
        title="JSON: nodes and links",
        endings=(".json", ".cyjs"),
        read=lambda file, choice: _json().read_json(file, choice),
        options=(*OF_ATTRIBUTES, FEATURE_FILE),
        has_node_attributes=True,
        directions=_IN_FILE,
        node_names="`name` or `label` if all differ, else ids",
        lacks=_ALL_BUT_MIXED,
        reader="ours",
        why="NetworkX reads its own form only",
    ),
    Format(
        name="records",
        title="JSON: a list of rows, or a row in each line",
        endings=(".jsonl", ".ndjson"),
        is_known=lambda file: (
            format_of_ending(file.ending) in ("json", "records") and _json().holds_rows(file)
        ),
        read=lambda file, choice: _json().read_rows(file, choice),
        options=(*OF_TABLES, FEATURE_FILE),
        reader_chooses="edges",
        directions=_BY_COLUMNS,
        node_names="ids",
        lacks=_NEEDS_TABLES,
        reader="ours",
        why="it is a table of edges, of the columns that its rows name",
    ),
    Format(
        name="mtx",
        title="Matrix Market",
        endings=(".mtx",),
        read=lambda file, choice: _texts().read_matrix_market(file, choice),
        options=(*OF_ATTRIBUTES, FEATURE_FILE),
        has_node_attributes=True,
        directions=_IF_SYMMETRIC,
        node_names="rows",
        lacks="names, relations, parallel edges, attributes",
        reader="NumPy",
        why="SciPy 1.17 reads beyond its arrays at a lone CR or a 0 byte; sizes that are "
        "announced are checked",
    ),
    Format(
        name="sif",
        title="SIF",
        endings=(".sif",),
        read=lambda file, choice: _texts().read_sif(file, choice),
        options=(*OF_ATTRIBUTES, FEATURE_FILE),
        reader_chooses="edges",
        has_node_attributes=True,
        directions="by the edges of each relation",
        node_names="as they are",
        lacks="attributes, weights",
        reader="ours",
        why="no library reads it; it is a table with relations",
    ),
    Format(
        name="ncol",
        title="NCOL",
        endings=(".ncol",),
        read=lambda file, choice: _texts().read_ncol(file, choice),
        options=(*OF_ATTRIBUTES, FEATURE_FILE),
        has_node_attributes=True,
        directions="undirected, unless a direction is asked for",
        node_names="as they are",
        lacks="nodes without an edge, blanks in names, relations",
        reader="igraph",
        why="the only reader; comments are left out",
    ),
    Format(
        name="lgl",
        title="LGL",
        endings=(".lgl",),
        read=lambda file, choice: _texts().read_lgl(file, choice),
        options=(*OF_ATTRIBUTES, FEATURE_FILE),
        has_node_attributes=True,
        directions="undirected, unless a direction is asked for",
        node_names="as they are",
        lacks="blanks in names, relations",
        reader="igraph",
        why="the only reader",
    ),
    Format(
        name="graph6",
        title="graph6",
        endings=(".g6",),
        read=lambda file, choice: _texts().read_graph6(file, choice),
        options=(*OF_ATTRIBUTES, FEATURE_FILE),
        has_node_attributes=True,
        directions="undirected",
        node_names="rows; each line is a graph",
        lacks=_NO_ATTRIBUTES,
        reader="NetworkX",
        why="igraph does not read it; sizes that are announced are checked, several lines are a "
        "collection",
    ),
    Format(
        name="sparse6",
        title="sparse6",
        endings=(".s6",),
        read=lambda file, choice: _texts().read_sparse6(file, choice),
        options=(*OF_ATTRIBUTES, FEATURE_FILE),
        has_node_attributes=True,
        directions="undirected",
        node_names="rows; each line is a graph",
        lacks=_NO_ATTRIBUTES,
        reader="NetworkX",
        why="igraph does not read it; sizes that are announced are checked, several lines are a "
        "collection",
    ),
    Format(
        name="dimacs",
        title="DIMACS",
        endings=(".dimacs", ".col"),
        read=lambda file, choice: _texts().read_dimacs(file, choice),
        options=(*OF_ATTRIBUTES, FEATURE_FILE),
        has_node_attributes=True,
        directions="lines `a` have one, lines `e` have none",
        node_names="numbers",
        lacks="names, relations, attributes of nodes",
        reader="ours",
        why="igraph fails at `p edge`, and does not know `p col`",
    ),
    Format(
        name="dgl",
        title="DGL",
        endings=(".bin",),
        is_packed=False,
        read=lambda file, _: _dgl().read_dgl(file.data),
        read_classes=lambda file, _: _dgl().read_dgl_classes(file.data),
        options=OF_ATTRIBUTES,
        directions="by the edges",
        node_names="rows",
        lacks="names of nodes, text",
        reader="ours",
        why="`dgl.load_graphs` aborts the process at some damaged files, and needs DGL",
    ),
    Format(
        name="npz",
        title="SciPy",
        endings=(".npz",),
        is_packed=False,
        read=lambda file, _: _foreign().read_npz(file.data),
        options=OF_MATRICES,
        directions="by the edges",
        node_names="rows",
        lacks="names, relations, parallel edges, attributes",
        reader="SciPy",
        why="it writes them; damaged index arrays are refused",
    ),
    Format(
        name="smiles",
        title="SMILES, or a table with a column of them",
        endings=(".smi",),
        is_known=lambda file: (
            file.ending in (".csv", ".tsv", ".parquet") and _molecules().has_smiles_column(file)
        ),
        read=lambda file, choice: _molecules().read_smiles(file, choice),
        read_classes=lambda file, choice: _molecules().classes_of_smiles(file, choice),
        read_molecules=lambda file, choice: _molecules().molecules_of_smiles(file, choice),
        options=OF_MOLECULES,
        directions="undirected",
        node_names="see [molecules](howto/molecules.md)",
        lacks="what is no molecule",
        reader="RDKit",
        why="the reference",
    ),
    Format(
        name="sdf",
        title="SD file",
        endings=(".sdf",),
        read=lambda file, choice: _molecules().read_sd(file, choice),
        read_classes=lambda file, choice: _molecules().classes_of_sd(file, choice),
        read_molecules=lambda file, choice: _molecules().molecules_of_sd(file, choice),
        options=OF_MOLECULES,
        directions="undirected",
        node_names="see [molecules](howto/molecules.md)",
        lacks="what is no molecule",
        reader="RDKit",
        why="the reference; each record is read for itself, since RDKit leaves out the one behind "
        "an empty record",
    ),
    Format(
        name="folder",
        title="graph folder, which `gomkcn convert` writes",
        endings=(".graph",),
        is_folder=True,
        is_known=lambda file: file.is_folder and _folders().is_graph_folder(file.path),
        read=lambda file, _: _folders().read_graph_folder(file.path),
        write=lambda path, graph: _folders().write_graph_folder(path, graph, force=True),
        directions=_IN_FILE,
        node_names="as they were",
        lacks="attributes that are no features; self-loops",
        reader="ours",
        why="arrays are mapped into memory and not read",
    ),
    Format(
        name="tu",
        title="TU data set, a folder with `NAME_A.txt`",
        is_folder=True,
        is_known=lambda file: file.is_folder and not _folders().is_graph_folder(file.path),
        read=lambda file, choice: _tu().read_tu_folder(file.path, choice),
        read_classes=lambda file, _: _tu().read_tu_classes(file.path),
        options=("directed", "relation"),
        reader_chooses="features",
        directions="undirected, unless a direction is asked for",
        node_names="rows",
        lacks="names, several relations of two nodes, attributes of edges",
        reader="ours",
        why="DGL's reader fails beside new versions of pandas and writes a cache into the folder",
    ),
)
FORMATS: dict[str, Format] = {row.name: row for row in _ROWS}


# ---------------------------------------------------------------- which row a file is of

# of programs that save tables as CSV as well
_SPREADSHEETS = (".xls", ".xlsx", ".xlsm", ".ods")
# formats that are not read, by the ends of names, and what turns them into one that is
_METIS = ("METIS", "write its edges into a .txt file, a line 'u v' for each")
_MOLECULE = ("a file of one molecule", "write molecules into an .sdf or a .smi file")
_DOT = ("DOT of Graphviz", "its program gv2gml makes a .gml file of it")
_NOT_READ = {
    ".dot": _DOT,
    ".gv": _DOT,
    ".gdf": ("GDF of GUESS", "open it with Gephi, and save it as .gexf or .graphml"),
    ".tgf": ("Trivial Graph Format", "open it with yEd, and save it as .graphml"),
    ".leda": ("LEDA", "read it in Python with networkx.read_leda, and give that graph"),
    ".metis": _METIS,
    ".chaco": _METIS,
    # our own is a folder
    ".graph": _METIS,
    ".mol": _MOLECULE,
    ".mol2": _MOLECULE,
    ".pdb": _MOLECULE,
}


def find_format(
    file: InputFile, choice: ColumnChoice, name: str | None = None, *, has_classes: bool = False
) -> Format:
    """The format that was named, or that a file tells by its content or the end of its name.

    A ``choice`` that names a column of SMILES says that it holds molecules, and one that names
    columns of edges that it is a table of them. With ``has_classes`` the content is looked at by
    formats alone that have classes of graphs.
    """
    if name is not None:
        from gomkcn_dgl.checks import check_choice

        return FORMATS[check_choice("format", name, FORMATS)]
    if choice.smiles is not None:
        return FORMATS["smiles"]
    ends = {"source", "target"} & set(choice.given)
    for row in FORMATS.values():
        is_asked = ends <= set(row.options) and (row.read_classes is not None or not has_classes)
        if row.is_known is not None and is_asked and row.is_known(file):
            return row
    return _by_ending(file)


def _by_ending(file: InputFile) -> Format:
    """The format that the end of a name says."""
    if file.is_folder:
        return FORMATS["folder"]
    if file.path.suffix.lower() in _SPREADSHEETS:
        raise InputError(
            "spreadsheets are not read; save the sheet as CSV (UTF-8), with its header."
        )
    row = FORMATS.get(format_of_ending(file.ending) or "")
    if row is None and file.ending in _NOT_READ:
        called_so, way_out = _NOT_READ[file.ending]
        raise InputError(f"{called_so} is not read", way_out=way_out)
    if row is None or (file.packing and not row.is_packed):
        unpacked = [end for row in _files() if not row.is_packed for end in row.endings]
        raise InputError(
            f"the format cannot be told from the name; known are {listed(_endings())} "
            f"(also with {listed(PACKED)}, but for {listed(unpacked)}), graph folders and TU "
            "folders",
            way_out=("give ", Argument("format")),
        )
    return row


def _files() -> list[Format]:
    """The formats that are no folders."""
    return [row for row in FORMATS.values() if not row.is_folder]


def _endings() -> Mapping[str, str]:
    """The name of the format of each end of the name of a file."""
    return {ending: row.name for row in _files() for ending in row.endings}


def format_of_ending(ending: str) -> str | None:
    """The name of the format of files whose names end so.

    >>> format_of_ending(".paj")
    'pajek'
    """
    return _endings().get(ending)


def stem(path: Path) -> str:
    """Return the name without its known suffixes: ``my.net.txt.gz`` gives ``my.net``.

    The suffix of a graph folder is one of them.
    """
    name = path.name[: len(path.name) - len(packing_of_name(path))]
    known = {ending for row in FORMATS.values() for ending in row.endings}
    return Path(name).stem if Path(name).suffix.lower() in known else name


def formats_with(option: str) -> str:
    """The names of the formats of whose files something may be said, for a message."""
    return listed(row.name for row in FORMATS.values() if option in row.options)
