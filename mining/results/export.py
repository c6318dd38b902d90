"""Patterns → igraph, and tables of patterns and occurrences for pandas, CSV and parquet."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO

import igraph
import numpy as np
import pandas as pd

from gomkcn_dgl.checks import check_choice
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.run_files import write_files
from mining.descriptions.shapes import describe_shape
from mining.records.occurrence import Occurrences
from mining.records.pattern import Pattern

TABLE_FORMATS = ("csv", "parquet")
_COUNTS = ("assigned", "distinct", "disjoint", "exact", "exact_state", "num_graphs")
_PATTERN_COLUMNS = ("pattern", "shape", "words", "num_nodes", "edges", "min_similarity",
                    "num_filters", "noisy", *_COUNTS)  # fmt: skip
_OCCURRENCE_COLUMNS = ("pattern", "occurrence", "graph", "pattern_node", "node", "similarity")


def to_igraph(pattern: Pattern) -> igraph.Graph:
    """Return a pattern with features as vertex and learnt weights as edge attributes.

    Examples
    --------
    >>> from mining.records.frequency import Frequency
    >>> from mining.records.pattern import Medoid
    >>> import numpy as np
    >>> edge = Pattern(0, ((0, 1),), (0.9,), np.ones((2, 1)), ("constant",),
    ...                Medoid((4, 5), 1.0, root=4), Frequency(2, 1, 1), 0.8, ())
    >>> to_igraph(edge).es["weight"], to_igraph(edge).vs["constant"]
    ([0.9], [1.0, 1.0])
    """
    graph = igraph.Graph(n=pattern.num_nodes, edges=list(pattern.edges))
    for column, name in enumerate(pattern.feature_names):
        graph.vs[name] = pattern.features[:, column].tolist()
    graph.es["weight"] = list(pattern.edge_weights)
    for name, value in pattern.to_networkx().graph.items():
        graph[name] = value
    return graph


def pattern_table(patterns: Sequence[Pattern]) -> pd.DataFrame:
    """Return one row per pattern: its shape, edges, counts with intervals, and significance.

    Parameters
    ----------
    patterns : sequence of Pattern

    Returns
    -------
    pandas.DataFrame
        ``edges`` is text such as ``"0-1 1-2"``; ``distinct_low`` and ``distinct_high`` bound the
        interval of ``distinct``, and so on for the other counts; ``z_degree`` and ``q_degree``
        compare with the null model ``degree``; ``returned_bootstrap`` is the share of bootstrap
        samples in which the pattern came back. Unknown entries are missing.

    Examples
    --------
    >>> list(pattern_table([]).columns[:4])
    ['pattern', 'shape', 'words', 'num_nodes']
    """
    rows = []
    for pattern in patterns:
        frequency = pattern.frequency
        row = {
            "pattern": pattern.id,
            "shape": describe_shape(pattern),
            "words": pattern.words,
            "num_nodes": pattern.num_nodes,
            "edges": " ".join(f"{u}-{v}" for u, v in pattern.edges),
            "min_similarity": pattern.min_similarity,
            "num_filters": pattern.num_filters,
            "noisy": pattern.noisy,
        }
        row |= {name: getattr(frequency, name) for name in _COUNTS}
        for name, (low, high) in frequency.intervals.items():
            row |= {f"{name}_low": low, f"{name}_high": high}
        for null, significance in pattern.significance.items():
            row |= {f"z_{null}": significance.z, f"q_{null}": significance.q}
        for name, stability in pattern.stability.items():
            row[f"returned_{name}"] = stability.share
        rows.append(row)
    # a table without rows has its columns, too; counts stay integers where some are unknown
    return pd.DataFrame(rows, columns=None if rows else list(_PATTERN_COLUMNS)).astype(
        {"exact": "Int64"}
    )


def occurrence_table(patterns: Sequence[Pattern]) -> pd.DataFrame:
    """Return one row per pattern node of each occurrence.

    Parameters
    ----------
    patterns : sequence of Pattern

    Returns
    -------
    pandas.DataFrame
        ``pattern``, ``occurrence`` (its number within the pattern), ``graph`` (of a collection),
        ``pattern_node``, ``node`` (the input's own id, missing where no node is mapped; text unless
        all ids are integers) and ``similarity``.

    Examples
    --------
    >>> list(occurrence_table([]).columns[:3])
    ['pattern', 'occurrence', 'graph']
    """
    tables = [_occurrences_of(pattern) for pattern in patterns]
    if not tables:
        return pd.DataFrame({name: pd.Series(dtype="Int64") for name in _OCCURRENCE_COLUMNS})
    if len({table["node"].dtype for table in tables}) > 1:
        tables = [table.astype({"node": "string"}) for table in tables]
    return pd.concat(tables, ignore_index=True)


def _occurrences_of(pattern: Pattern) -> pd.DataFrame:
    occurrences = Occurrences.of(pattern.occurrences, pattern.num_nodes)
    count, size = len(occurrences), pattern.num_nodes
    nodes = occurrences.ids(occurrences.nodes.reshape(-1)).tolist()
    if all(isinstance(node, int | None) for node in nodes):
        ids = pd.array(nodes, dtype="Int64")
    else:
        ids = pd.array([None if node is None else str(node) for node in nodes], dtype="string")
    columns = (
        pattern.id,
        np.repeat(np.arange(count), size),
        np.repeat(occurrences.graph, size),
        np.tile(np.arange(size), count),
        ids,
        np.repeat(occurrences.similarity, size),
    )
    return pd.DataFrame(dict(zip(_OCCURRENCE_COLUMNS, columns, strict=True)))


def write_tables(folder: str | Path, patterns: Sequence[Pattern], format: str) -> list[Path]:
    """Write the tables of patterns and of occurrences into a folder.

    Parameters
    ----------
    folder : path
        Made if it does not exist; files of these names in it are replaced.
    patterns : sequence of Pattern
    format : {"csv", "parquet"}

    Returns
    -------
    list of Path
        ``patterns`` and ``occurrences``, with the ending of the format.

    Raises
    ------
    InputError
        For another format, or a folder that cannot be written.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> [path.name for path in write_tables(mkdtemp(), [], "csv")]
    ['patterns.csv', 'occurrences.csv']
    """
    check_choice("format", format, TABLE_FORMATS)
    tables = {"patterns": pattern_table(patterns), "occurrences": occurrence_table(patterns)}
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"folder {str(folder)!r} cannot be made ({error}).") from None
    files = {f"{name}.{format}": partial(_write, table, format) for name, table in tables.items()}
    write_files(folder, files)
    return [folder / name for name in files]


def _write(table: pd.DataFrame, format: str, file: BinaryIO) -> None:
    if format == "csv":
        table.to_csv(file, index=False, lineterminator="\n")
    else:
        table.to_parquet(file, engine="pyarrow", index=False)
