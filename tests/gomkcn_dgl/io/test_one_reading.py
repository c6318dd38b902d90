"""A table is read alike as a file, as parquet, and as a frame of pandas, Polars or Arrow."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from graph_files import named_edges

from gomkcn import as_csr
from gomkcn_dgl.io.reading import read_graph

READINGS = Path(__file__).parents[2] / "data/readings"
# how pandas reads the table that each example holds
BLANKS = {"sep": r"\s+", "header": None, "index_col": False}
TABLES = {
    "excel.csv": {"sep": ";", "skiprows": 1, "decimal": ","},
    "excel_empty.csv": {},
    "gephi.csv": {},
    "igraph.edges": BLANKS,
    "igraph_adjacency.txt": BLANKS,
    "konect.txt": {**BLANKS, "comment": "%"},
    "netzschleuder.csv": {"skipinitialspace": True},
    "networkx_weighted.edgelist": BLANKS,
    "orca.txt": {**BLANKS, "skiprows": 1},
    "pandas.csv": {},
    "pandas.tsv": {"sep": "\t"},
    "pandas_adjacency.csv": {"index_col": 0},
    "r_csv.csv": {"index_col": 0},
    "r_matrix.txt": {"sep": r"\s+"},
    "r_table.txt": {"sep": r"\s+"},
    "snap.txt": {"sep": "\t", "header": None, "comment": "#"},
    "string.tsv": {"sep": "\t"},
    "string_links.txt": {"sep": " "},
    "biogrid.tab3.txt": {"sep": "\t"},
}
# whose comments, which pandas leaves out, say more than the table
COMMENTED = {"orca.txt", "snap.txt"}
# what a file alone tells: its lines and its name; and the mark that pandas leaves before a name
OF_FILES = re.compile(r" \((no )?header[^)]*\)|^read \S+: |(?<=called )# ?")


def frames(frame):
    """The same table for each engine, and whether it has the index of pandas."""
    plain = frame
    if not isinstance(frame.index, pd.RangeIndex):
        plain = frame.reset_index(names="")
    plain = plain.set_axis([str(name) for name in plain.columns], axis=1)
    return {
        "pandas": frame,
        "Polars": pl.from_pandas(plain),
        "Arrow": pa.Table.from_pandas(plain, preserve_index=False),
    }


def reading_of(read, given, log):
    """The named edges, the names of nodes and the sentences of a reading."""
    before = len(log())
    graph = read(given)
    said = [OF_FILES.sub("", line) for line in log()[before:]]
    return named_edges(graph), graph.original_ids(np.arange(graph.num_nodes)), graph.weights, said


def without_columns(said):
    """Sentences without that of the columns, which a frame calls or numbers otherwise."""
    return [line for line in said if not line.startswith("columns: ")]


@pytest.mark.parametrize("name", TABLES)
def test_every_form_of_a_table_gives_the_same_graph(tmp_path, log, name):
    frame = pd.read_csv(READINGS / name, **TABLES[name])
    wanted = reading_of(read_graph, READINGS / name, log)
    for engine, given in frames(frame).items():
        found = reading_of(as_csr, given, log)
        assert found[:2] == wanted[:2], engine
        np.testing.assert_array_equal(found[2], wanted[2], engine)
        is_told = name in COMMENTED or without_columns(found[3]) == without_columns(wanted[3])[:-1]
        assert is_told, engine
    for engine, given in frames(frame).items():
        path = tmp_path / f"{engine}.parquet"
        if engine == "pandas":
            given.set_axis([str(name) for name in given.columns], axis=1).to_parquet(path)
        elif engine == "Polars":
            given.write_parquet(path)
        else:
            pq.write_table(given, path)
        found = reading_of(read_graph, path, log)
        assert found[:2] == wanted[:2], engine
        is_told = name in COMMENTED or without_columns(found[3]) == without_columns(wanted[3])
        assert is_told, engine


def test_molecules_are_told_by_their_cells_in_a_frame_as_in_a_file(tmp_path):
    table = pd.DataFrame({"Drug": ["CCO", "c1ccccc1O", "CC(=O)O"], "Y": [1, 0, 1]})
    table.to_csv(tmp_path / "drugs.csv", index=False)
    table.to_parquet(tmp_path / "drugs.parquet")
    found = [as_csr(table), as_csr(pl.from_pandas(table))]
    found += [read_graph(tmp_path / name) for name in ("drugs.csv", "drugs.parquet")]
    assert {(graph.num_graphs, graph.num_nodes, graph.num_edges) for graph in found} == {
        (3, 14, 12)
    }
    edges = as_csr(table, source="Drug", target="Y")
    assert (edges.num_graphs, edges.num_edges) == (1, 3)


def test_a_two_mode_matrix_has_nodes_of_two_kinds(tmp_path):
    table = pd.DataFrame([[2, 0, 1], [0, 3, 0]], ["bee", "fly"], ["sp1", "sp2", "sp3"])
    table.to_csv(tmp_path / "visits.csv")
    table.to_parquet(tmp_path / "visits.parquet")
    found = [as_csr(table), *(read_graph(tmp_path / f"visits.{end}") for end in ("csv", "parquet"))]
    for graph in found:
        names = ["bee", "fly", "sp1", "sp2", "sp3"]
        assert graph.original_ids(np.arange(5)) == names
        assert graph.feature_names == ("type=column", "type=row")
        assert graph.features[:, 1].tolist() == [1, 1, 0, 0, 0]
        pairs = {(u, v) for u, v, _ in named_edges(graph)}
        assert {tuple(sorted(pair)) for pair in pairs} == {
            ("bee", "sp1"),
            ("bee", "sp3"),
            ("fly", "sp2"),
        }
        assert not graph.is_directed
        assert sorted(set(graph.weights.tolist())) == [1, 2, 3]
