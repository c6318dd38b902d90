"""Results as tables: in Arrow, pandas, Polars, DuckDB and files they are the same."""

import csv
import html
import io
import json
import math

import duckdb
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet
from tiny_runs import pattern_of, run_of

import gomkcn
from gomkcn.mining.structures.pattern_columns import Patterns
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.io.writing import write_graph
from gomkcn_dgl.runtime.tabular import Table

RING = nx.cycle_graph(["a", "b", "c", "d"])
MAIL = pd.DataFrame({"from": ["a", "b", "a"], "to": ["b", "a", "b"], "time": [1, 2, 4]})
FOUND = pattern_of(nx.path_graph(3), 0)
COPIES = run_of([FOUND], motifs=[(FOUND, [[1, 2, 3]])]).motif_set
RESULTS = {
    "patterns": lambda: Patterns([FOUND]).table(),
    "no patterns": lambda: Patterns([]).table(),
    "occurrences": lambda: Patterns([FOUND]).table("occurrences"),
    "copies": lambda: COPIES.table("copies"),
    "features": lambda: COPIES.table("features"),
    "census": lambda: gomkcn.census(RING, (2, 4)),
    "orbits": lambda: gomkcn.census(RING, 4, orbits=True).table("orbits"),
    "events in time": lambda: gomkcn.temporal_census(MAIL, 9, null_samples=2),
    "frequent subgraphs": lambda: gomkcn.frequent_subgraphs([RING, RING], 2),
}
UNKNOWN = Table({"z": [1.5, math.nan], "n": np.array([1, 2]), "name": np.array(["a", "é"]),
                 "smarts": [None, 'C="O"']})  # fmt: skip


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_is_one_table_in_every_engine(tmp_path, name):
    result = RESULTS[name]()
    table = result.to_arrow()
    rows = table.to_pylist()
    assert table.column_names == list(result.columns()) == list(result.to_pandas())
    assert len(result.to_pandas()) == len(rows)
    assert result.to_polars().rows(named=True) == rows
    # the record itself is a stream
    assert pa.table(result) == table
    assert pl.DataFrame(result).rows(named=True) == rows
    assert duckdb.sql("SELECT count(*) FROM result").fetchall() == [(len(rows),)]
    result.save(tmp_path / "t.parquet")
    assert parquet.read_table(tmp_path / "t.parquet") == table
    result.save(tmp_path / "t.json")
    assert json.loads((tmp_path / "t.json").read_text()) == rows
    result.save(tmp_path / "t.csv")
    lines = (tmp_path / "t.csv").read_text().splitlines()
    assert lines[0] == ",".join(table.column_names) and len(lines) == 1 + len(rows)


def test_what_is_unknown_and_what_is_large(tmp_path):
    assert UNKNOWN.to_arrow().to_pylist() == [
        {"z": 1.5, "n": 1, "name": "a", "smarts": None},
        {"z": None, "n": 2, "name": "é", "smarts": 'C="O"'},
    ]
    assert UNKNOWN.to_pandas()["z"].isna().tolist() == [False, True]
    file = io.BytesIO()
    UNKNOWN.write_to(file, "csv")
    assert file.getvalue().decode() == 'z,n,name,smarts\n1.5,1,a,\n,2,é,"C=""O"""\n'
    large = Table({"count": [1, 2**70]})
    assert large.to_pandas()["count"].tolist() == [1, 2**70]
    large.save(tmp_path / "t.json")
    assert json.loads((tmp_path / "t.json").read_text())[1] == {"count": 2**70}
    with pytest.raises(InputError, match=r"^a count of 2\^63 or more has no type in Arrow"):
        large.save(tmp_path / "t.parquet")
    with pytest.raises(InputError, match="^format must be one of .*got 'xlsx'"):
        large.save(tmp_path / "t.xlsx")
    assert [path.name for path in tmp_path.iterdir()] == ["t.json"]


FORMULAS = ["=cmd|'/c calc'!A0", "+SUM(1,2)", "-2+3", "@SUM(A1)", "\t=1+1", "\r=1+1", "--", "-a"]
PLAIN_TEXTS = ["-1", "+1.5", "-1e-3", "-inf", "a=b", "=", "-", "", "'=1", "C--N", "nan"]


@pytest.mark.parametrize("text", FORMULAS)
def test_no_spreadsheet_runs_a_cell_of_a_table(tmp_path, text):
    """In CSV, a name of a column included; what is read by programs keeps each text."""
    table = Table({text: [text, "a"], "n": [-1, 2.5]})
    for ending in ("csv", "json", "parquet"):
        table.save(tmp_path / f"t.{ending}")
    with open(tmp_path / "t.csv", encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [[f"'{text}", "n"], [f"'{text}", "-1"], ["a", "2.5"]]
    assert json.loads((tmp_path / "t.json").read_text())[0] == {text: text, "n": -1}
    assert parquet.read_table(tmp_path / "t.parquet")[text].to_pylist() == [text, "a"]


@pytest.mark.parametrize("text", PLAIN_TEXTS)
def test_a_number_and_what_no_spreadsheet_runs_stay_as_they_are(text):
    file = io.BytesIO()
    Table({"name": [text, "b"]}).write_to(file, "csv")
    assert [*csv.reader(io.StringIO(file.getvalue().decode()))][1:] == [[text], ["b"]]


def test_no_cell_of_a_table_begins_a_row():
    file = io.BytesIO()
    Table({"name": ["a\r=1+1", "b\n=1+1"]}).write_to(file, "csv")
    text = io.StringIO(file.getvalue().decode(), newline="")
    assert [*csv.reader(text)] == [["name"], ["a\r=1+1"], ["b\n=1+1"]]


def test_a_table_of_a_graph_keeps_its_names(tmp_path):
    """It is read back, and a name with a sign before it would be another node."""
    graph = nx.DiGraph([("=1+1", "-a"), ("-a", "@b")])
    write_graph(tmp_path / "g.csv", as_csr(graph))
    found = read_graph(tmp_path / "g.csv")
    assert sorted(found.original_ids(np.arange(3))) == ["-a", "=1+1", "@b"]


@pytest.mark.parametrize("name", RESULTS)
def test_a_notebook_shows_every_result_as_a_short_table(name):
    result = RESULTS[name]()
    shown = result._repr_html_()
    assert [title in shown for title in result.columns()].count(False) == 0
    assert shown.count("<tr") == 1 + len(result.to_pandas())
    # what it is, in a line, and no arrays
    assert isinstance(result, Table) or (len(repr(result)) < 130 and "array" not in repr(result))
    assert isinstance(result, Table) or html.escape(repr(result)) in shown


def test_a_table_hides_no_column_and_says_how_many_rows_are_left():
    wide = Table({f"column{k}": ["a--b, " * 5] * 41 for k in range(20)})
    assert "..." not in repr(wide).partition("\n")[0]
    assert all(f"column{k}" in repr(wide) for k in range(20))
    assert "<p>1 more row: to_pandas() has all.</p>" in wide._repr_html_()
    assert "&lt;b&gt;" in Table({"name": ["<b>"]})._repr_html_()
