"""Patterns in the forms of other tools: data frames, CSV, parquet."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from tiny_runs import difference_of, pattern_of, run_of, significance_of

from mining.export import copies_table, occurrence_table, pattern_table, write_tables
from mining.occurrences import Occurrence, Occurrences
from mining.pattern import Frequency, OccurrenceCount

ESTIMATE = OccurrenceCount(20.5, 18.0, 23.0, is_exact=False)


def path_pattern(number=0, count=ESTIMATE, nodes=((4, 5, 6), (9, 8, 7))):
    return replace(
        pattern_of(nx.path_graph(3), number, features=np.arange(6.0).reshape(3, 2)),
        frequency=Frequency(count, graphs=1, roots=7, assigned=3, listed=2, disjoint=1),
        occurrences=Occurrences.of(
            [Occurrence(row, 1 - i / 8, i) for i, row in enumerate(nodes)], 3
        ),
    )


def test_the_table_of_patterns():
    first = replace(
        path_pattern(0),
        significance={"degree": significance_of(z=1.5, p_adjusted=0.3)},
        classes=difference_of("toxic", "harmless"),
    )
    table = pattern_table([first, path_pattern(1, OccurrenceCount.exact(2))])
    assert table.iloc[0].to_dict() == {
        "pattern": 0, "shape": "path of 3 nodes", "description": "", "num_nodes": 3,
        "edges": "0--1, 1--2", "num_filters": 1,
        "occurrences": 20.5, "occurrences_are": "estimated", "occurrences_low": 18.0,
        "occurrences_high": 23.0, "graphs": 1, "roots": 7, "assigned": 3,
        "listed": 2, "disjoint": 1, "mean_degree": 0.5, "sd_degree": 0.75, "z_degree": 1.5,
        "p_degree": 0.04, "p_adjusted_degree": 0.3,
        "graphs_toxic": 9, "odds_ratio_toxic": 46.75, "graphs_harmless": 2,
        "odds_ratio_harmless": 0.0215, "p_classes": 0.001,
    }  # fmt: skip
    columns = ["occurrences", "occurrences_are", "occurrences_low", "occurrences_high"]
    assert table.iloc[1][columns].tolist() == [2, "exact", 2, 2]
    assert table.iloc[1][["z_degree", "p_classes"]].isna().all()


def test_the_table_of_occurrences():
    table = occurrence_table([path_pattern(2)])
    assert table["node"].dtype == "Int64"
    assert list(table.itertuples(index=False, name=None)) == [
        (2, 0, 0, 0, 4, 1.0),
        (2, 0, 0, 1, 5, 1.0),
        (2, 0, 0, 2, 6, 1.0),
        (2, 1, 1, 0, 9, 0.875),
        (2, 1, 1, 1, 8, 0.875),
        (2, 1, 1, 2, 7, 0.875),
    ]
    # ids are text unless all are integers
    table = occurrence_table([path_pattern(), path_pattern(1, nodes=((1, "b", 3),))])
    assert table["node"].tolist() == ["4", "5", "6", "9", "8", "7", "1", "b", "3"]


@pytest.mark.parametrize("patterns", [[], [path_pattern(0), path_pattern(1)]])
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_written_tables_can_be_read_back(tmp_path, format, patterns):
    run = run_of(patterns, motifs=[(one, [[1, 2, 3]]) for one in patterns])
    written = write_tables(tmp_path / "a" / "b", run, format)
    names = ("patterns", "occurrences", "copies")
    assert [path.name for path in written] == [f"{name}.{format}" for name in names]
    read = {"csv": pd.read_csv, "parquet": pd.read_parquet}[format]
    tables = pattern_table(patterns), occurrence_table(patterns), copies_table(run.motif_set)
    for path, table in zip(written, tables, strict=True):
        # in CSV an empty and a missing text are the same
        found = read(path).drop(columns=["description", "edits"], errors="ignore")
        table = table.drop(columns=["description", "edits"], errors="ignore")
        pd.testing.assert_frame_equal(found, table, check_dtype=False)
