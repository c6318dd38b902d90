"""Patterns → igraph, and tables of patterns and occurrences for pandas, CSV and parquet.

NetworkX has ``Pattern.to_networkx``; the folder of a run holds JSON and GraphML already.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

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
_READINGS = ("assigned", "distinct", "disjoint", "exact", "exact_state", "num_graphs")
# of a table without rows
_PATTERN_COLUMNS = ["pattern", "shape", "words", "num_nodes", "edges", "min_similarity"]
_PATTERN_COLUMNS += ["num_filters", "noisy", *_READINGS]


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
    """One row a pattern: its shape, edges, frequencies with intervals, and significance.

    Parameters
    ----------
    patterns : sequence of Pattern

    Returns
    -------
    pandas.DataFrame
        ``edges`` is text such as ``"0-1 1-2"``; ``distinct_low`` and ``distinct_high`` bound the
        interval of ``distinct``, and so for the other readings; ``z_degree`` and ``q_degree``
        compare with the null model ``degree``, ``returned_bootstrap`` is the share of bootstrap
        samples in which it came back. Unknown entries are missing.
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
        row |= {name: getattr(frequency, name) for name in _READINGS}
        for name, (low, high) in frequency.intervals.items():
            row |= {f"{name}_low": low, f"{name}_high": high}
        for null, significance in pattern.significance.items():
            row |= {f"z_{null}": significance.z, f"q_{null}": significance.q}
        for name, stability in pattern.stability.items():
            row[f"returned_{name}"] = stability.share
        rows.append(row)
    table = pd.DataFrame(rows, columns=None if rows else _PATTERN_COLUMNS)
    # counts are whole numbers where some are unknown
    table["exact"] = table["exact"].astype("Int64")
    return table


def occurrence_table(patterns: Sequence[Pattern]) -> pd.DataFrame:
    """One row for each pattern node of each occurrence.

    Parameters
    ----------
    patterns : sequence of Pattern

    Returns
    -------
    pandas.DataFrame
        ``pattern``, ``occurrence`` (its number within the pattern), ``graph`` (of a collection),
        ``pattern_node``, ``node`` (the input's own id, missing where no node stands there; text
        unless all are integers) and ``similarity``.
    """
    tables = [_occurrences_of(pattern) for pattern in patterns]
    names = ["pattern", "occurrence", "graph", "pattern_node", "node", "similarity"]
    if not tables:
        return pd.DataFrame({name: pd.Series(dtype="Int64") for name in names})
    if len({table["node"].dtype for table in tables}) > 1:
        tables = [table.astype({"node": "string"}) for table in tables]
    return pd.concat(tables, ignore_index=True)[names]


def _occurrences_of(pattern: Pattern) -> pd.DataFrame:
    found = Occurrences.of(pattern.occurrences, pattern.num_nodes)
    count, size = len(found), pattern.num_nodes
    nodes = found.ids(found.nodes.reshape(-1))
    whole = all(isinstance(node, int | None) for node in nodes.tolist())
    text = [None if node is None else str(node) for node in nodes.tolist()]
    return pd.DataFrame(
        {
            "pattern": pattern.id,
            "occurrence": np.repeat(np.arange(count), size),
            "graph": np.repeat(found.graph, size),
            "pattern_node": np.tile(np.arange(size), count),
            "node": pd.array(nodes, dtype="Int64") if whole else pd.array(text, dtype="string"),
            "similarity": np.repeat(found.similarity, size),
        }
    )


def write_tables(folder: str | Path, patterns: Sequence[Pattern], format: str) -> list[Path]:
    """Write ``patterns`` and ``occurrences`` as tables into a folder; return the two paths.

    Parameters
    ----------
    folder : path
        Made if it is not there; files of these names in it are replaced.
    patterns : sequence of Pattern
    format : {"csv", "parquet"}

    Raises
    ------
    InputError
        For another format, or a folder that cannot be written.
    """
    check_choice("format", format, TABLE_FORMATS)
    tables = {"patterns": pattern_table(patterns), "occurrences": occurrence_table(patterns)}
    files = {f"{name}.{format}": _encode(table, format) for name, table in tables.items()}
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"folder {str(folder)!r} cannot be made ({error}).") from None
    write_files(folder, files)
    return [folder / name for name in files]


def _encode(table: pd.DataFrame, format: str) -> str | bytes:
    if format == "csv":
        return table.to_csv(index=False, lineterminator="\n")
    content = io.BytesIO()
    table.to_parquet(content, engine="pyarrow", index=False)
    return content.getvalue()
