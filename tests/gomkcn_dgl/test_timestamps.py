"""Dates in columns: which are read, and as the least value of an attribute and in conditions."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from command_line import gomkcn, refused

from gomkcn.mining import count
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.timestamps import microseconds_of, read_date

DAY = 86_400e6


@pytest.mark.parametrize(
    "values",
    [
        ["1970-01-02", "", "1970-01-03 12:00"],
        ["02/01/1970", None, "03/01/1970 12:00", "13/01/1970"],
        ["1970-01-02T00:00:00Z", None, "1970-01-03T13:00:00+01:00"],
        [dt.date(1970, 1, 2), None, dt.datetime(1970, 1, 3, 12)],
        [pd.Timestamp("1970-01-02"), pd.NaT, pd.Timestamp("1970-01-03 12:00")],
        np.array(["1970-01-02", "NaT", "1970-01-03T12:00"], "datetime64[ns]"),
    ],
)
def test_dates_are_microseconds(values):
    assert microseconds_of(values)[:3].tolist() == pytest.approx(
        [DAY, np.nan, 2.5 * DAY], nan_ok=True
    )


@pytest.mark.parametrize(
    "values",
    [[], [None, ""], ["1970-01-02", "soon"], [20240131], np.array([1.5]), ["700"], ["1970-02-31"],
     ["1970-01-02", 7]],
)  # fmt: skip
def test_what_holds_something_else_is_no_column_of_dates(values):
    assert microseconds_of(values) is None


def test_dates_that_do_not_tell_the_day_are_refused():
    with pytest.raises(InputError, match="dates must tell the day from the month"):
        microseconds_of(["01/02/2024"])
    assert read_date("2024-02-30") is None


ROWS = pd.DataFrame(
    {
        "source": [0, 1, 2, 3],
        "target": [1, 2, 3, 4],
        "booked_at": ["2024-01-01", "2024-02-03 10:00", None, "2024-03-05"],
        "due": ["2024-01-15", "2024-02-01", "2024-03-01", "2024-03-05"],
    }
)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ROWS.to_csv("tx.csv", index=False)
    stamps = {name: pd.to_datetime(ROWS[name], format="mixed") for name in ("booked_at", "due")}
    ROWS.assign(**stamps).to_parquet("tx.parquet")
    return ["tx.csv", "tx.parquet"]


def test_edges_before_a_date_are_left_out(files):
    for path in files:
        for least in (
            "2024-02-03 10:00",
            dt.datetime(2024, 2, 3, 10),
            pd.Timestamp("2024-02-03 10:00"),
        ):
            graph = read_graph(path, minimum={"booked_at": least})
            assert graph.num_edges == 2
        assert (
            "left out 2 of 4 edges, whose 'booked_at' is before 2024-02-03 10:00:00 or missing"
            in graph.notes
        )
        assert read_graph(path, minimum={"booked_at": "2024-02-03 10:00:01"}).num_edges == 1
        said = gomkcn(f"info {path} --minimum booked_at=2024-02-01")
        assert "edges              2 (" in said
    for given, sentence in {
        "booked_at=soon": "--minimum must say the least value of an edge attribute, such as score",
        "source=2024-01-01": "--minimum must be a number, since 'source' does not hold dates alone",
    }.items():
        assert sentence in refused(f"info tx.csv --minimum {given}")


@pytest.mark.parametrize(
    ("pattern", "number"),
    [
        ("A -[booked_at >= 2024-02-03]-> B", 2),
        ('A -[booked_at = "2024-01-01"]-> B', 1),
        ("A -> B as ab, ab.booked_at < 2024-02-03 10:00", 1),
        ('A -> B as ab, ab.booked_at in ("2024-01-01", "2024-03-05")', 2),
        ("A -> B as ab, ab.booked_at <= ab.due", 2),
        ("A -> B as ab, B -> C as bc, ab.booked_at < bc.booked_at", 1),
    ],
)
def test_dates_are_compared_in_conditions(files, pattern, number):
    for path in files:
        said = gomkcn(f"count '{pattern}' {path} --directed --reading subgraph")
        assert f"occurrences {number}, counted exactly" in said


def test_dates_are_compared_with_dates():
    for pattern, sentence in {
        "A -[due > 7]-> B": "must have due of edges as a date, got '7'",
        "A -> B as ab, B -> C as bc, ab.due < bc.size": "must have due as dates, and size too",
        "A -> B as ab, B -> C as bc, 2 * ab.due < bc.due": "must have a factor before numbers",
    }.items():
        with pytest.raises(InputError, match=sentence):
            count(ROWS.assign(size=1), pattern)
