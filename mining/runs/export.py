"""Tables of patterns, occurrences and copies, and the graph with its motifs as GraphML."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.patterns.run_tables import tables_of
from gomkcn.mining.settings.graph_settings import GraphSettings
from gomkcn.mining.show.cytoscape import color_graph, cytoscape_style
from gomkcn.mining.structures.class_columns import differing
from gomkcn.mining.structures.fragments import to_smarts
from gomkcn.mining.structures.occurrences import Occurrences
from gomkcn_dgl.checks import check_choice
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import ColumnChoice
from gomkcn_dgl.graphs.structure import node_letter
from gomkcn_dgl.io.formats import OF_MOLECULES
from gomkcn_dgl.io.graph_classes import GraphClasses
from gomkcn_dgl.io.molecules import load_rdkit
from gomkcn_dgl.runtime.files import as_path, is_stream, reason_of
from gomkcn_dgl.runtime.output_folder import Content, write_files
from gomkcn_dgl.runtime.tabular import Table, read_parquet

_FORMATS = ("csv", "parquet", "graphml", "sdf")
# the graph, and the style that gives it the colours of the page in Cytoscape
GRAPH, STYLE = "graph.graphml", "cytoscape_style.xml"
# the molecules that were mined
MOLECULES = "molecules.sdf"


def read_edits(path: Path, sizes: Sequence[int]) -> list[np.ndarray]:
    """Read the edits of a table of the copies of motifs of some nodes, int64 ``[E, 4]`` of each.

    The table is one that :func:`read_places` could read.
    """
    found: list[list[tuple[int, ...]]] = [[] for _ in sizes]
    node_of = {node_letter(node): node for node in range(max(sizes, default=0))}
    table = read_parquet(path)
    columns = (table[name].to_pylist() for name in ("motif", "copy", "edits"))
    for motif, copy, text in zip(*columns, strict=True):
        for edit in text.split():
            ends = (node_of[letter] for letter in edit[1:].split("-"))
            found[motif].append((copy, *ends, 1 if edit[0] == "+" else -1))
    return [np.array(rows, np.int64).reshape(-1, 4) for rows in found]


def read_places(
    path: Path, sizes: Sequence[tuple[int, int]], of: str = "pattern"
) -> list[Occurrences]:
    """Read a table of occurrences, or of copies ``of`` each "motif": ``(K, M)`` many of each.

    Raises InputError if the file is missing or damaged, or holds others.
    """
    width = max((size for _, size in sizes), default=0)
    try:
        table = read_parquet(path)
        numbers = table[of].to_pylist()
        columns = [table[node_letter(node)].to_pylist() for node in range(width)]
        counts = np.bincount(numbers, minlength=len(sizes)).tolist()
        if counts != [number for number, _ in sizes] or node_letter(width) in table.column_names:
            raise ValueError("it does not hold what patterns.json says")
        graph = np.array(table["graph"].to_pylist(), np.int64)
        known = {node for column in columns for node in column if node is not None}
        names = np.array(sorted(known), object)
        number_of = {name: number for number, name in enumerate(names.tolist())}
        # -1 where a pattern has no such node
        nodes = np.array(
            [[number_of.get(node, -1) for node in column] for column in columns], np.int64
        )
        nodes = nodes.reshape(len(columns), len(numbers)).T
        places = []
        start = 0
        for number, size in sizes:
            rows = slice(start, start + number)
            start = rows.stop
            has_node = nodes[rows] >= 0
            if not has_node[:, :size].all() or has_node[:, size:].any():
                raise ValueError(f"a place does not have {size} nodes")
            places.append(Occurrences(nodes[rows, :size], graph[rows], names))
    except (OSError, KeyError, TypeError, ValueError, pa.ArrowException) as error:
        raise InputError(
            f"{str(path)!r} cannot be read ({reason_of(error)}); mine again."
        ) from None
    return places


def read_nodes(path: Path, column: str, num_nodes: int) -> Table:
    """Read a table that has a whole number for each node of a graph.

    Raises InputError if the file is missing or damaged, or holds others.
    """
    try:
        table = read_parquet(path)
        columns = {name: table[name].to_pylist() for name in table.column_names}
        names = [name for name in columns if name in ("graph", "node", column)]
        if len(columns["node"]) != num_nodes or not {type(value) for value in columns[column]} <= {
            int
        }:
            raise ValueError("it does not hold what patterns.json says")
        return Table({name: np.array(columns[name]) for name in names})
    except (OSError, KeyError, ValueError, pa.ArrowException) as error:
        raise InputError(
            f"{str(path)!r} cannot be read ({reason_of(error)}); mine again."
        ) from None


def read_roles(path: Path) -> Table:
    """Read the table of roles of a run.

    Raises InputError if the file is damaged.
    """
    try:
        table = read_parquet(path)
        columns = {name: np.array(table[name].to_pylist()) for name in table.column_names}
        if not {"node", "pattern", "role", "position", "occurrences"} <= columns.keys():
            raise ValueError("it lacks columns")
        return Table(columns)
    except (OSError, KeyError, ValueError, pa.ArrowException) as error:
        raise InputError(
            f"{str(path)!r} cannot be read ({reason_of(error)}); mine again."
        ) from None


def write_tables(
    folder: str | Path,
    run: MiningRun,
    format: str,
) -> list[Path]:
    """Write the tables of structures, occurrences and copies, or the graph, into a folder.

    Parameters
    ----------
    folder : path
        Made if it does not exist; files of these names in it are replaced.
    run : MiningRun
    format : {"csv", "parquet", "graphml", "sdf"}
        "graphml" is the graph itself for Cytoscape and Gephi, as :meth:`MiningRun.to_networkx`
        returns it, with the colours of the page as ``color`` of nodes and edges, which Gephi
        shows; and a style for Cytoscape, which shows them too. "sdf" are the molecules that were
        mined, with coordinates in two dimensions, their class, how many copies of each motif they
        have, and whether they contain each structure that leads a difference between classes. The
        graph is read again from where the run found it.

    Returns
    -------
    list of Path
        The tables of :meth:`MiningRun.table` with the ending of the format; or ``graph.graphml``
        and ``cytoscape_style.xml``; or ``molecules.sdf``.

    Raises
    ------
    InputError
        For another format, or a folder that cannot be written.
    """
    folder = as_path("folder", folder)
    files = files_of_tables(run, format)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"folder {str(folder)!r} cannot be made ({error}).") from None
    write_files(folder, files)
    return [folder / name for name in files]


def files_of_tables(run: MiningRun, format: str) -> dict[str, Content]:
    """The files that :func:`write_tables` writes, by name."""
    check_choice("format", format, _FORMATS)
    if format == "graphml":
        return {GRAPH: partial(_write_graph, run), STYLE: cytoscape_style(run)}
    if format == "sdf":
        return {MOLECULES: partial(_write_molecules, run)}
    tables = tables_of(run.counted, run.patterns, run.motif_set, run.graph.graph_names, run.roles)
    return {
        f"{name}.{format}": partial(table.write_to, format=format) for name, table in tables.items()
    }


def _settings_of_graph(run: MiningRun) -> GraphSettings:
    """How the graph of a run is read again."""
    if is_stream(run.settings["graph"]["path"]):
        raise InputError(
            "the graph is read again for its file, and the run was made of a stream, which is gone",
            way_out="write the stream to a file, and mine that",
        )
    return GraphSettings(**run.settings["graph"])


def _write_molecules(run: MiningRun, file: BinaryIO) -> None:
    """Write the molecules that were mined as an SD file, with what was found in each."""
    from gomkcn_dgl.io.formats import find_format
    from gomkcn_dgl.io.input_file import InputFile
    from gomkcn_dgl.io.reading import read_molecule_file

    settings = _settings_of_graph(run)
    choice = ColumnChoice(smiles=settings.smiles)
    row = find_format(InputFile(Path(settings.path)), choice, settings.format)
    if row.read_molecules is None:
        raise InputError(
            "format",
            '"sdf" is for a run of a file of molecules',
            got=f"a run of a file of the format {row.name}",
            way_out='"graphml" has any graph',
        )
    mols = read_molecule_file(
        settings.path,
        format=settings.format,
        **{name: getattr(settings, name) for name in OF_MOLECULES},
    )
    columns = properties_of(run, mols, settings.read_classes())
    file.write(to_sd(mols, columns).encode())


def properties_of(
    run: MiningRun, mols: Sequence[Any], classes: GraphClasses | None
) -> dict[str, list[str]]:
    """What was found in each molecule, as text by the name of the property."""
    chem = load_rdkit()
    columns: dict[str, list[str]] = {}
    if classes is not None:
        columns["class"] = [name or "" for name in classes.called.tolist()]
    for number, pattern in enumerate(run.motif_set.shown):
        assert pattern.motif is not None, "a motif has copies"
        copies = np.bincount(pattern.motif.copies.graph, minlength=len(mols))
        columns[f"copies of motif {number}: {pattern.name}"] = [str(one) for one in copies.tolist()]
    for leader, *_ in differing(run.counted):
        query = chem.MolFromSmarts(to_smarts(leader.pattern.structure))
        holds = [str(int(mol.HasSubstructMatch(query))) for mol in mols]
        columns[f"contains {leader.name}"] = holds
    return columns


def to_sd(mols: Sequence[Any], columns: Mapping[str, Sequence[str]]) -> str:
    """Molecules with coordinates in two dimensions and their properties, as text of an SD file."""
    chem = load_rdkit()
    from rdkit.Chem.rdDepictor import Compute2DCoords

    text = io.StringIO()
    with chem.SDWriter(text) as writer:
        for number, mol in enumerate(mols):
            drawn = chem.Mol(mol)
            Compute2DCoords(drawn)
            for name, values in columns.items():
                drawn.SetProp(name, values[number])
            writer.write(drawn)
    return text.getvalue()


def _write_graph(run: MiningRun, file: BinaryIO) -> None:
    """Write the graph that was mined as GraphML, with the colours of the page."""
    import networkx as nx

    drawn = run.to_networkx(_settings_of_graph(run).read_graph())
    color_graph(drawn, run)
    if drawn.is_multigraph():
        # keys of edges become their ids, which must differ
        edges = enumerate(drawn.edges(data=True))
        numbered = [(u, v, f"e{number}", data) for number, (u, v, data) in edges]
        plain = drawn.__class__(**drawn.graph)
        plain.add_nodes_from(drawn.nodes(data=True))
        plain.add_edges_from(numbered)
        drawn = plain
    text = io.BytesIO()
    nx.write_graphml(drawn, text)
    # Gephi takes d3 and d7 for the labels that yEd writes, whatever their names are
    for tag in (b'<key id="', b'<data key="'):
        text = io.BytesIO(text.getvalue().replace(tag + b"d", tag + b"key"))
    file.write(text.getvalue())
