"""Tables of patterns, occurrences and copies, and the graph with its motifs as GraphML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from gomkcn_dgl.checks import check_choice
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graphs.shapes import describe_shapes
from gomkcn_dgl.runtime.files import open_file, reason_of
from gomkcn_dgl.runtime.output_folder import Content, write_files
from gomkcn_dgl.runtime.tabular import Table
from mining.fragments import to_smarts
from mining.graph_settings import GraphSettings
from mining.mining_run import MiningRun
from mining.motif_sets.motif_set import MotifSet
from mining.occurrences import Occurrences
from mining.pattern import OrbitFeature, Pattern

_FORMATS = ("csv", "parquet", "graphml")
_PATTERN_COLUMNS = ["pattern", "shape", "description", "num_nodes", "edges", "occurrences",
                    "occurrences_are"]  # fmt: skip
# what is not known of a pattern that is not located
_OF_PLACES = {"pattern", "graphs", "listed", "disjoint"}


def pattern_table(patterns: Sequence[Pattern]) -> Table:
    """Return one row per pattern: its shape, edges, counts with intervals, and significance.

    Parameters
    ----------
    patterns : sequence of Pattern
        Those of a run, or what was counted beside them, ``run.others``.

    Returns
    -------
    Table
        ``edges`` is text as ``gomkcn count`` takes it, such as ``"0--1, 1--2"``; ``occurrences`` is
        exact, estimated or bounded, as ``occurrences_are`` says, from ``occurrences_low`` to
        ``occurrences_high``; ``mean_degree``, ``sd_degree``, ``z_degree``, ``p_degree`` and
        ``p_adjusted_degree`` compare with the null model ``degree``. Where graphs have classes,
        ``graphs_1`` is the number of graphs of class 1 with the pattern, ``odds_ratio_1`` compares
        them with the others, and ``p_classes``, adjusted for all structures, says whether classes
        differ. Pieces of molecules have a column ``smarts``. Unknown entries are missing; what was
        not reported has no number ``pattern``.

    Examples
    --------
    >>> list(pattern_table([]).columns())[:4]
    ['pattern', 'shape', 'description', 'num_nodes']
    """
    patterns = _check_patterns(patterns)
    rows = []
    shapes = describe_shapes([pattern.structure for pattern in patterns])
    for pattern, shape in zip(patterns, shapes, strict=True):
        count = pattern.frequency.occurrences
        row = {
            "pattern": pattern.id,
            "shape": shape,
            "description": pattern.description,
            "num_nodes": pattern.num_nodes,
            "edges": pattern.structure.to_text(),
            **({} if (smarts := to_smarts(pattern.structure)) is None else {"smarts": smarts}),
            "occurrences_low": count.low,
            "occurrences_high": count.high,
            **pattern.measures,
            **_class_columns(pattern),
        }
        if pattern.id < 0:
            # it was not located
            row = {name: row[name] for name in row if name not in _OF_PLACES}
        rows.append(row)
    names = dict.fromkeys(name for row in rows for name in row) if rows else _PATTERN_COLUMNS
    return Table({name: [row.get(name) for row in rows] for name in names})


def _check_patterns(patterns: Any) -> list[Pattern]:
    """Return what is a list of patterns, or refuse it."""
    found = list(patterns) if isinstance(patterns, Iterable) else [patterns]
    if not all(isinstance(one, Pattern) for one in found):
        raise InputTypeError(
            "patterns must be a list of patterns, such as patterns of a run or patterns_ of a "
            f"miner, got {type(patterns).__name__}."
        )
    return found


def _check_set(motif_set: Any) -> None:
    """Refuse what is no motif set."""
    if not isinstance(motif_set, MotifSet):
        raise InputTypeError(
            "motif_set must be a MotifSet, such as motif_set of a run or motif_set_ of a miner, "
            f"got {type(motif_set).__name__}."
        )


def _class_columns(pattern: Pattern) -> dict[str, float]:
    """Graphs with the pattern and odds ratio of each class, and the adjusted p."""
    if pattern.classes is None:
        return {}
    columns: dict[str, float] = {}
    for one in pattern.classes.contrasts:
        columns |= {f"graphs_{one.name}": one.containing, f"odds_ratio_{one.name}": one.odds_ratio}
    return {**columns, "p_classes": pattern.classes.p_adjusted}


def occurrence_table(patterns: Sequence[Pattern], graph_names: Sequence[str] = ()) -> Table:
    """Return one row per pattern node of each occurrence.

    Parameters
    ----------
    patterns : sequence of Pattern
    graph_names : sequence of str
        What the graphs of the collection are called, such as ``run.graph.graph_names``.

    Returns
    -------
    Table
        ``pattern``, ``occurrence`` (its number within the pattern), ``graph`` (of a collection),
        ``graph_name`` where graphs have names, ``pattern_node`` and ``node`` (the input's own id;
        text unless all ids are integers).

    Examples
    --------
    >>> list(occurrence_table([]).columns())[:3]
    ['pattern', 'occurrence', 'graph']
    """
    patterns = _check_patterns(patterns)
    parts: list[list[np.ndarray]] = [[np.empty(0, np.int64)] * 4]
    nodes: list[int | str] = []
    for one in patterns:
        listed = one.occurrences
        (number, size) = one.occurrences.nodes.shape
        rows = np.repeat(np.arange(number), size)
        own = [np.full(len(rows), one.id), rows, listed.graph[rows].astype(np.int64)]
        parts.append([*own, np.tile(np.arange(size), number)])
        nodes += listed.ids.ravel().tolist()
    columns = map(np.concatenate, zip(*parts, strict=True))
    pattern, occurrence, graph, pattern_node = columns
    named = {"pattern": pattern, "occurrence": occurrence, "graph": graph}
    if len(graph_names):
        named["graph_name"] = np.array(graph_names, str)[graph]
    named["pattern_node"] = pattern_node
    is_whole = all(isinstance(node, int) for node in nodes)
    return Table({**named, "node": np.array(nodes, np.int64 if is_whole else str)})


def copies_table(motif_set: MotifSet, graph_names: Sequence[str] = ()) -> Table:
    """Return one row per node of each copy in a motif set.

    Returns
    -------
    Table
        ``motif``, ``copy`` (its number within the motif), ``graph`` (of a collection),
        ``graph_name`` as in :func:`gomkcn.occurrence_table`, ``pattern_node``, ``node`` (the
        input's own id; text unless all ids are integers) and ``edits``, where the copy differs from
        the motif: ``-0-3 +1-4`` is without the edge of its nodes 0 and 3, and has one of 1 and 4.

    Examples
    --------
    >>> import networkx as nx
    >>> from mining import motif_set
    >>> found = motif_set(nx.disjoint_union_all([nx.complete_graph(5)] * 4))
    >>> table = copies_table(found).to_pandas()
    >>> table["motif"].value_counts().to_dict(), list(table.columns)
    ({0: 20}, ['motif', 'copy', 'graph', 'pattern_node', 'node', 'edits'])
    """
    _check_set(motif_set)
    rows = [
        replace(one, id=number, occurrences=one.motif.copies)
        for number, one in enumerate(motif_set.motifs)
        if one.motif is not None
    ]
    table = occurrence_table(rows, graph_names).columns()
    # what differs in each copy, on all of its rows
    texts: dict[tuple[int, int], str] = {}
    for number, one in enumerate(motif_set.motifs):
        for copy, u, v, sign in [] if one.motif is None else one.motif.edits.tolist():
            ends = f"{'+' if sign > 0 else '-'}{min(u, v)}-{max(u, v)}"
            texts[number, copy] = f"{texts.get((number, copy), '')} {ends}".strip()
    keys = zip(table["pattern"].tolist(), table["occurrence"].tolist(), strict=True)
    return Table(
        {
            "motif": table["pattern"],
            "copy": table["occurrence"],
            **{name: own for name, own in table.items() if name not in ("pattern", "occurrence")},
            "edits": np.array([texts.get(key, "") for key in keys], str),
        }
    )


def feature_table(motif_set: MotifSet) -> Table:
    """Return one row per numeric feature and orbit of each motif in a set.

    Returns
    -------
    Table
        ``motif``, ``feature``, ``nodes`` (those of the orbit, such as ``"0 3"``), then mean and
        standard deviation over the copies, ``mean`` and ``sd``, and over all nodes, ``mean_all``
        and ``sd_all``.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> from mining import motif_set
    >>> graph = nx.disjoint_union_all([nx.complete_graph(4)] * 6 + [nx.cycle_graph(36)])
    >>> nx.set_node_attributes(graph, dict(graph.degree), "size")
    >>> found = motif_set(as_csr(graph, features=["size"]))
    >>> feature_table(found).to_pandas().round(2).values.tolist()
    [[0, 'size', '0 1 2 3', 3.0, 0.0, 2.4, 0.49]]
    """
    _check_set(motif_set)
    rows = [
        {"motif": number, **asdict(feature), "nodes": " ".join(map(str, feature.nodes))}
        for number, one in enumerate(motif_set)
        for feature in ([] if one.motif is None else one.motif.features)
    ]
    columns = ["motif", *(one.name for one in fields(OrbitFeature))]
    return Table({name: [row[name] for row in rows] for name in columns})


def read_edits(path: Path, number: int) -> list[np.ndarray]:
    """Read the edits of a table of the copies of a number of motifs, int64 ``[E, 4]`` of each.

    The table is one that :func:`read_places` could read.
    """
    found: list[list[tuple[int, ...]]] = [[] for _ in range(number)]
    rows = zip(*_read_columns(path, "motif", "copy", "pattern_node", "edits"), strict=True)
    for motif, copy, node, text in rows:
        # each row of a copy has them
        for edit in text.split() if node == 0 else ():
            ends = map(int, edit[1:].split("-"))
            found[motif].append((copy, *ends, 1 if edit[0] == "+" else -1))
    return [np.array(rows, np.int64).reshape(-1, 4) for rows in found]


def read_places(
    path: Path, sizes: Sequence[tuple[int, int]], of: str = "pattern"
) -> list[Occurrences]:
    """Read a table of occurrences, or of copies ``of`` each "motif": ``(K, M)`` many of each.

    Raises InputError if the file is missing or damaged, or holds others.
    """
    try:
        own, graphs, ids = _read_columns(path, of, "graph", "node")
        if np.bincount(own, minlength=len(sizes)).tolist() != [k * size for k, size in sizes]:
            raise ValueError("it does not hold what patterns.json says")
        names, nodes = np.unique(np.array(ids, object), return_inverse=True)
        graph = np.array(graphs, np.int64)
    except (OSError, KeyError, TypeError, ValueError, pa.ArrowException) as error:
        raise InputError(
            f"{str(path)!r} cannot be read ({reason_of(error)}); mine again."
        ) from None
    found = []
    start = 0
    for number, size in sizes:
        rows = slice(start, start + number * size)
        start = rows.stop
        first = slice(rows.start, rows.stop, max(size, 1))
        found.append(Occurrences(nodes[rows].reshape(number, size), graph[first], names))
    return found


def _read_columns(path: Path, *names: str) -> list[list[Any]]:
    """Columns of a table as lists; what makes them arrays imports pandas, for long."""
    from pyarrow import parquet

    # pyarrow takes a folder for a table of many files, and waits for a pipe
    with open_file(path) as file:
        table = parquet.read_table(file, columns=[*names])
    return [table[name].to_pylist() for name in names]


def write_tables(
    folder: str | Path,
    run: MiningRun,
    format: str,
) -> list[Path]:
    """Write the tables of patterns, occurrences, copies and other structures into a folder.

    Parameters
    ----------
    folder : path
        Made if it does not exist; files of these names in it are replaced.
    run : MiningRun
    format : {"csv", "parquet", "graphml"}
        "graphml" is the graph itself, with the motif and the copy that nodes and edges are in, for
        Cytoscape and Gephi; it is read again from where the run found it.

    Returns
    -------
    list of Path
        ``patterns``, ``occurrences`` and ``copies``, and ``copies_other`` (given the other base),
        ``others`` and ``features`` where there are any, with the ending of the format; or
        ``graph.graphml``.

    Raises
    ------
    InputError
        For another format, or a folder that cannot be written.
    """
    files = files_of_tables(run, format)
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"folder {str(folder)!r} cannot be made ({error}).") from None
    write_files(folder, files)
    return [folder / name for name in files]


def files_of_tables(run: MiningRun, format: str) -> dict[str, Content]:
    """The files that :func:`write_tables` writes, by name."""
    check_choice("format", format, _FORMATS)
    files: dict[str, Content] = {"graph.graphml": partial(_write_graph, run)}
    if format != "graphml":
        names = run.graph.graph_names
        tables = {
            "patterns": pattern_table(run.patterns),
            "occurrences": occurrence_table(run.patterns, names),
            "copies": copies_table(run.motif_set, names),
        }
        if run.motif_set.other is not None and run.motif_set.other.motifs:
            tables["copies_other"] = copies_table(run.motif_set.other, names)
        if run.others:
            tables["others"] = pattern_table(run.others)
        if (features := feature_table(run.motif_set)).columns()["motif"]:
            tables["features"] = features
        files = {
            f"{name}.{format}": partial(table.write_to, format=format)
            for name, table in tables.items()
        }
    return files


def _write_graph(run: MiningRun, file: BinaryIO) -> None:
    import networkx as nx

    drawn = run.motif_set.to_networkx(GraphSettings(**run.settings["graph"]).read_graph())
    if drawn.is_multigraph():
        # keys of edges become their ids, which must differ
        edges = enumerate(drawn.edges(data=True))
        numbered = [(u, v, f"e{number}", data) for number, (u, v, data) in edges]
        nodes = drawn.nodes(data=True)
        drawn = drawn.__class__()
        drawn.add_nodes_from(nodes)
        drawn.add_edges_from(numbered)
    nx.write_graphml(drawn, file)
