"""Tables of patterns and occurrences, for pandas, CSV and parquet."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from gomkcn_dgl.checks import check_choice
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.shapes import describe_shapes
from gomkcn_dgl.runtime.output_folder import write_files
from mining.occurrence_file import occurrence_batches
from mining.pattern import Pattern

TABLE_FORMATS = ("csv", "parquet")
_PATTERN_COLUMNS = ["pattern", "shape", "description", "num_nodes", "edges", "num_filters",
                    "occurrences", "occurrences_are"]  # fmt: skip
# what is not known of a pattern that is not located
_OF_PLACES = {"pattern", "num_filters", "graphs", "roots", "assigned", "listed", "disjoint"}


def pattern_table(patterns: Sequence[Pattern]) -> pd.DataFrame:
    """Return one row per pattern: its shape, edges, counts with intervals, and significance.

    Parameters
    ----------
    patterns : sequence of Pattern
        Those of a run, or what was counted beside them, ``run.others``.

    Returns
    -------
    pandas.DataFrame
        ``edges`` is text as ``gomkcn count`` takes it, such as ``"0--1, 1--2"``; ``occurrences`` is
        exact, estimated or bounded, as ``occurrences_are`` says, from ``occurrences_low`` to
        ``occurrences_high``; ``mean_degree``, ``sd_degree``, ``z_degree``, ``p_degree`` and
        ``p_adjusted_degree`` compare with the null model ``degree``. Where graphs have classes,
        ``graphs_1`` is the number of graphs of class 1 with the pattern, ``odds_ratio_1`` compares
        them with the others, and ``p_classes``, adjusted for all structures, says whether classes
        differ. Unknown entries are missing; what was not reported has no number ``pattern``.

    Examples
    --------
    >>> list(pattern_table([]).columns[:4])
    ['pattern', 'shape', 'description', 'num_nodes']
    """
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
            "num_filters": pattern.num_filters,
            "occurrences_low": count.low,
            "occurrences_high": count.high,
            # the counts, and the comparisons with random graphs
            **pattern.to_networkx().graph,
            **_class_columns(pattern),
        }
        if pattern.id < 0:
            # it was not located
            row = {name: row[name] for name in row if name not in _OF_PLACES}
        rows.append(row)
    return pd.DataFrame(rows, columns=None if rows else _PATTERN_COLUMNS)


def _class_columns(pattern: Pattern) -> dict[str, float]:
    """Graphs with the pattern and odds ratio of each class, and the adjusted p."""
    if pattern.classes is None:
        return {}
    columns: dict[str, float] = {}
    for one in pattern.classes.contrasts:
        columns |= {f"graphs_{one.name}": one.containing, f"odds_ratio_{one.name}": one.odds_ratio}
    return {**columns, "p_classes": pattern.classes.p_adjusted}


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
    schema, batches = occurrence_batches(patterns)
    table = pa.concat_tables([schema.empty_table(), *batches]).combine_chunks()
    lists = table["nodes"].combine_chunks()
    # rows of the occurrences, repeated for each pattern node
    rows = pc.list_parent_indices(lists).to_numpy()
    starts = lists.offsets.to_numpy()
    expanded = table.select(["pattern", "occurrence", "graph"]).take(rows).to_pandas()
    nodes = lists.flatten()
    kind = "string" if pa.types.is_string(nodes.type) else "Int64"
    return expanded.assign(
        pattern_node=np.arange(len(nodes)) - starts[rows],
        node=pd.array(nodes.to_pylist(), dtype=kind),
        similarity=table["similarity"].to_numpy()[rows],
    )


def write_tables(
    folder: str | Path,
    patterns: Sequence[Pattern],
    format: str,
    others: Sequence[Pattern] = (),
) -> list[Path]:
    """Write the tables of patterns, of occurrences and of other structures into a folder.

    Parameters
    ----------
    folder : path
        Made if it does not exist; files of these names in it are replaced.
    patterns : sequence of Pattern
    format : {"csv", "parquet"}
    others : sequence of Pattern
        ``run.others``.

    Returns
    -------
    list of Path
        ``patterns`` and ``occurrences``, and ``others`` where there are any, with the ending of the
        format.

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
    if others:
        tables["others"] = pattern_table(others)
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
