"""Tables of patterns, occurrences and copies, and the graph with its motifs as GraphML."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from gomkcn.mining.motif_sets.motif_set import MotifSet
from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.settings.graph_settings import GraphSettings
from gomkcn.mining.show.cytoscape import color_graph, cytoscape_style
from gomkcn.mining.structures.fragments import to_smarts
from gomkcn.mining.structures.occurrences import Occurrences
from gomkcn.mining.structures.pattern import OrbitFeature, Pattern
from gomkcn_dgl.checks import check_choice
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graphs.shapes import describe_shapes
from gomkcn_dgl.graphs.structure import node_letter
from gomkcn_dgl.runtime.files import open_file, reason_of
from gomkcn_dgl.runtime.output_folder import Content, write_files
from gomkcn_dgl.runtime.tabular import Table

_FORMATS = ("csv", "parquet", "graphml")
# of every table; those of motifs, null models, classes and molecules come after
_COLUMNS = ("pattern", "finding", "structure", "num_nodes", "edges", "occurrences",
            "occurrences_are", "occurrences_low", "occurrences_high", "graphs", "listed",
            "disjoint")  # fmt: skip
# what is not known of a structure that is not reported, and so not located
_OF_PLACES = {"pattern", "graphs", "listed", "disjoint"}
# the graph, and the style that gives it the colours of the page in Cytoscape
GRAPH, STYLE = "graph.graphml", "cytoscape_style.xml"


def structure_table(patterns: Sequence[Pattern]) -> Table:
    """Return one row per structure: what it is, its counts with intervals, and its comparisons.

    Parameters
    ----------
    patterns : sequence of Pattern
        Those that a run reports, ``run.patterns``, or all that were counted, ``run.counted``.

    Returns
    -------
    Table
        What does not apply to a row is missing there. Columns of motifs, null models, classes and
        molecules are there where a structure has them.

        ``pattern`` is the number of what is reported; motifs come first. ``finding`` says "motif"
        of what is in the motif set, "called" of what differs from the random graphs of the first
        null model, "motif and called", or "counted" of all else. ``structure`` is its name on the
        page, and ``edges`` are text as ``gomkcn count`` takes it, such as ``"A--B, B--C"``, with
        the letters of the page.

        ``occurrences`` is exact, estimated or bounded, as ``occurrences_are`` says, from
        ``occurrences_low`` to ``occurrences_high``. ``graphs`` contain it, ``listed`` occurrences
        are listed, and ``disjoint`` ones of these share no node. A motif has ``copies``,
        ``bits_saved`` beside the motifs that were chosen before it, which add up, and
        ``bits_longer_without``, by which the description grows when it is dropped.

        ``null_degree_mean`` and ``null_degree_sd`` are mean and standard deviation of the counts in
        the random graphs of the null model ``degree``; ``null_degree_z``, ``null_degree_p``,
        ``null_degree_p_adjusted`` and ``null_degree_verdict`` compare with them. Where graphs have
        classes, ``graphs_1`` of the ``of_graphs_1`` graphs of class 1 have the structure, and
        ``odds_ratio_1`` with its 95 % interval from ``odds_ratio_1_low`` to ``odds_ratio_1_high``
        compares them with the others (½ is added to each of the four numbers of graphs);
        ``p_exact_1`` is Fisher's, of the structure alone, and ``p_classes``, adjusted for all
        structures, says whether classes differ. Pieces of molecules have a column ``smarts``.

    Examples
    --------
    >>> list(structure_table([]).columns())[:5]
    ['pattern', 'finding', 'structure', 'num_nodes', 'edges']
    """
    patterns = _check_patterns(patterns)
    rows = []
    shapes = describe_shapes([pattern.structure for pattern in patterns])
    for pattern, shape in zip(patterns, shapes, strict=True):
        smarts = to_smarts(pattern.structure)
        row = {
            **pattern.measures,
            "structure": pattern.name if pattern.description else shape,
            "num_nodes": pattern.num_nodes,
            "edges": pattern.structure.to_text(),
            **_class_columns(pattern),
            **({} if smarts is None else {"smarts": smarts}),
        }
        if pattern.id < 0:
            row = {name: row[name] for name in row if name not in _OF_PLACES}
        rows.append(row)
    names = dict.fromkeys([*_COLUMNS, *(name for row in rows for name in row)])
    return Table({name: [row.get(name) for row in rows] for name in names})


def _check_patterns(patterns: Any) -> list[Pattern]:
    """Return what is a list of patterns, or refuse it."""
    found = list(patterns) if isinstance(patterns, Iterable) else [patterns]
    if not all(isinstance(one, Pattern) for one in found):
        raise InputTypeError(
            "patterns",
            "must be a list of patterns, such as patterns of a run or patterns_ of a miner",
            got=type(patterns).__name__,
        )
    return found


def _check_set(motif_set: Any) -> None:
    """Refuse what is no motif set."""
    if not isinstance(motif_set, MotifSet):
        raise InputTypeError(
            "motif_set",
            "must be a MotifSet, such as motif_set of a run or motif_set_ of a miner",
            got=type(motif_set).__name__,
        )


def _class_columns(pattern: Pattern) -> dict[str, float | None]:
    """Graphs with the pattern, odds ratio and exact p of each class, and the adjusted p."""
    if pattern.classes is None:
        return {}
    columns: dict[str, float | None] = {}
    for one in pattern.classes.contrasts:
        columns |= {
            f"graphs_{one.name}": one.containing,
            f"of_graphs_{one.name}": one.num_graphs,
            f"odds_ratio_{one.name}": one.odds_ratio,
            f"odds_ratio_{one.name}_low": one.low,
            f"odds_ratio_{one.name}_high": one.high,
            f"p_exact_{one.name}": one.p,
        }
    return {**columns, "p_classes": pattern.classes.p_adjusted}


def occurrence_table(patterns: Sequence[Pattern], graph_names: Sequence[str] = ()) -> Table:
    """Return one row per listed occurrence of each pattern, with the nodes by their letters.

    Parameters
    ----------
    patterns : sequence of Pattern
    graph_names : sequence of str
        What the graphs of the collection are called, such as ``run.graph.graph_names``.

    Returns
    -------
    Table
        ``pattern``, ``occurrence`` (its number within the pattern), ``graph`` (of a collection),
        ``graph_name`` where graphs have names,
        and a column for each node of the largest pattern, ``A``, ``B`` and so on: the input's own
        id, text unless all ids are integers, of the node that has this letter in the drawing and in
        the ``edges`` of the pattern; missing where a pattern has fewer nodes.

    Examples
    --------
    >>> from gomkcn import Structure
    >>> from gomkcn import Occurrence
    >>> path = Pattern(Structure.parse("path-3"), Occurrences.of([Occurrence((7, 4, 9))], 3), id=0)
    >>> table = occurrence_table([path]).to_pandas()
    >>> list(table.columns), table.iloc[0].tolist()
    (['pattern', 'occurrence', 'graph', 'A', 'B', 'C'], [0, 0, 0, 7, 4, 9])
    """
    patterns = _check_patterns(patterns)
    width = max((one.num_nodes for one in patterns), default=0)
    listed = [one.occurrences.ids for one in patterns if len(one.occurrences)]
    is_whole = all(isinstance(node, int) for own in listed for node in own.ravel().tolist())
    blocks = []
    for own in listed:
        # nodes that a pattern does not have are masked
        block = np.ma.masked_all((len(own), width), np.int64 if is_whole else object)
        block[:, : own.shape[1]] = own if is_whole else np.array(own.tolist(), str)
        blocks.append(block)
    empty = np.ma.masked_all((0, width), np.int64)
    nodes = np.ma.concatenate(blocks) if blocks else empty
    lengths = [len(one.occurrences) for one in patterns]
    columns = {
        "pattern": np.repeat(np.array([one.id for one in patterns], np.int64), lengths),
        "occurrence": np.concatenate([np.empty(0, np.int64), *map(np.arange, lengths)]),
        "graph": np.concatenate(
            [np.empty(0, np.int64), *(one.occurrences.graph for one in patterns)]
        ),
    }
    if len(graph_names):
        columns["graph_name"] = np.array(graph_names, str)[columns["graph"]]
    for node in range(width):
        column = nodes[:, node] if is_whole else nodes[:, node].astype(str)
        has_gaps = np.ma.getmaskarray(column).any()
        columns[node_letter(node)] = column if has_gaps else column.data
    return Table(columns)


def copies_table(motif_set: MotifSet, graph_names: Sequence[str] = ()) -> Table:
    """Return one row per copy of each motif in a set, with the nodes by their letters.

    Returns
    -------
    Table
        ``motif``, ``copy`` (its number within the motif), then as :func:`gomkcn.occurrence_table`
        ``graph``, ``graph_name`` and the nodes ``A``, ``B`` and so on, and ``edits``, where the
        copy differs from the motif: ``-A-D +B-E`` is without the edge of its nodes A and D, and has
        one of B and E.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import motif_set
    >>> found = motif_set(nx.disjoint_union_all([nx.complete_graph(5)] * 4))
    >>> table = copies_table(found).to_pandas()
    >>> table["motif"].value_counts().to_dict(), list(table.columns)
    ({0: 4}, ['motif', 'copy', 'graph', 'A', 'B', 'C', 'D', 'E', 'edits'])
    """
    _check_set(motif_set)
    rows = [
        replace(one, id=number, occurrences=one.motif.copies)
        for number, one in enumerate(motif_set.motifs)
        if one.motif is not None
    ]
    table = occurrence_table(rows, graph_names).columns()
    # what differs in each copy
    texts: dict[tuple[int, int], str] = {}
    for number, one in enumerate(motif_set.motifs):
        for copy, u, v, sign in [] if one.motif is None else one.motif.edits.tolist():
            ends = "-".join(map(node_letter, sorted((u, v))))
            text = f"{'+' if sign > 0 else '-'}{ends}"
            texts[number, copy] = f"{texts.get((number, copy), '')} {text}".strip()
    numbers, copies = table.pop("pattern"), table.pop("occurrence")
    keys = zip(numbers.tolist(), copies.tolist(), strict=True)
    edits = np.array([texts.get(key, "") for key in keys], str)
    return Table({"motif": numbers, "copy": copies, **table, "edits": edits})


def feature_table(motif_set: MotifSet) -> Table:
    """Return one row per numeric feature and orbit of each motif in a set.

    Returns
    -------
    Table
        ``motif``, ``feature``, ``nodes`` (the letters of the orbit, such as ``"A D"``), then mean
        and standard deviation over the copies, ``mean`` and ``sd``, and over all nodes,
        ``mean_all`` and ``sd_all``.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import as_csr
    >>> from gomkcn import motif_set
    >>> graph = nx.disjoint_union_all([nx.complete_graph(4)] * 6 + [nx.cycle_graph(36)])
    >>> nx.set_node_attributes(graph, dict(graph.degree), "size")
    >>> found = motif_set(as_csr(graph, features=["size"]))
    >>> feature_table(found).to_pandas().round(2).values.tolist()
    [[0, 'size', 'A B C D', 3.0, 0.0, 2.4, 0.49]]
    """
    _check_set(motif_set)
    rows = [
        {"motif": number, **asdict(feature), "nodes": " ".join(map(node_letter, feature.nodes))}
        for number, one in enumerate(motif_set)
        for feature in ([] if one.motif is None else one.motif.features)
    ]
    columns = ["motif", *(one.name for one in fields(OrbitFeature))]
    return Table({name: [row[name] for row in rows] for name in columns})


def read_edits(path: Path, sizes: Sequence[int]) -> list[np.ndarray]:
    """Read the edits of a table of the copies of motifs of some nodes, int64 ``[E, 4]`` of each.

    The table is one that :func:`read_places` could read.
    """
    found: list[list[tuple[int, ...]]] = [[] for _ in sizes]
    node_of = {node_letter(node): node for node in range(max(sizes, default=0))}
    table = _read_table(path)
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
        table = _read_table(path)
        own = table[of].to_pylist()
        columns = [table[node_letter(node)].to_pylist() for node in range(width)]
        counts = np.bincount(own, minlength=len(sizes)).tolist()
        if counts != [number for number, _ in sizes] or node_letter(width) in table.column_names:
            raise ValueError("it does not hold what patterns.json says")
        graph = np.array(table["graph"].to_pylist(), np.int64)
        known = {node for column in columns for node in column if node is not None}
        names = np.array(sorted(known), object)
        number_of = {name: number for number, name in enumerate(names.tolist())}
        # -1 where a pattern has no such node
        nodes = np.array([[number_of.get(node, -1) for node in one] for one in columns], np.int64)
        nodes = nodes.reshape(len(columns), len(own)).T
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
        table = _read_table(path)
        columns = {name: table[name].to_pylist() for name in table.column_names}
        names = [name for name in columns if name in ("graph", "node", column)]
        if len(columns["node"]) != num_nodes or not {type(one) for one in columns[column]} <= {int}:
            raise ValueError("it does not hold what patterns.json says")
        return Table({name: np.array(columns[name]) for name in names})
    except (OSError, KeyError, ValueError, pa.ArrowException) as error:
        raise InputError(
            f"{str(path)!r} cannot be read ({reason_of(error)}); mine again."
        ) from None


def _read_table(path: Path) -> pa.Table:
    """A table of a run; its columns are made lists, since what makes them arrays imports pandas."""
    from pyarrow import parquet

    # pyarrow takes a folder for a table of many files, and waits for a pipe
    with open_file(path) as file:
        return parquet.read_table(file)


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
    format : {"csv", "parquet", "graphml"}
        "graphml" is the graph itself for Cytoscape and Gephi, as :meth:`MiningRun.to_networkx`
        returns it, with the colours of the page as ``color`` of nodes and edges, which Gephi
        shows; and a style for Cytoscape, which shows them too. The graph is read again from where
        the run found it.

    Returns
    -------
    list of Path
        ``structures``, ``occurrences`` and ``copies``, and ``copies_other`` (given the other base),
        ``features`` and ``blocks`` (of each node) where there are any, with the ending of the
        format; or ``graph.graphml`` and ``cytoscape_style.xml``.

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
    if format == "graphml":
        return {GRAPH: partial(_write_graph, run), STYLE: cytoscape_style(run)}
    names = run.graph.graph_names
    tables = {
        "structures": structure_table(run.counted),
        "occurrences": occurrence_table(run.patterns, names),
        "copies": copies_table(run.motif_set, names),
    }
    if run.motif_set.other is not None and run.motif_set.other.motifs:
        tables["copies_other"] = copies_table(run.motif_set.other, names)
    if (features := feature_table(run.motif_set)).columns()["motif"]:
        tables["features"] = features
    if run.motif_set.known_blocks is not None:
        tables["blocks"] = run.motif_set.known_blocks
    return {
        f"{name}.{format}": partial(table.write_to, format=format) for name, table in tables.items()
    }


def _write_graph(run: MiningRun, file: BinaryIO) -> None:
    """Write the graph that was mined as GraphML, with the colours of the page."""
    import networkx as nx

    drawn = run.to_networkx(GraphSettings(**run.settings["graph"]).read_graph())
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
