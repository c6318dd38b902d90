"""Motifs of three edges in time: counts, random graphs, readers, command and page."""

from datetime import timedelta
from itertools import combinations

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from gomkcn.commands.main import main
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.io.temporal_edges import read_temporal_edges
from mining.counting.temporal_motifs import SECOND_EDGES, THIRD_EDGES, motif_events, temporal_census
from mining.html.temporal_page import draw_events

# SNAP's temporalmotifs on CollegeMsg, times made different by 100 t + k for the k-th of equal ones
# and a window of 100 · 3600 + 50; Raphtory 0.17 has the same
SNAP = """126693 75319 2663 2050 132203 184137 92053 64324 2309 1657 109701 125024
    81514 84982 134875 157498 1936 2503 160934 79499 276986 136796 2595 2440
    170110 149986 111083 132038 113092 133767 278779 156065 244621 129349 131496 188240"""


def count_triples(edges, window):
    """The definition: every three edges in the order of time, where equal in that of the input."""
    edges = sorted((edge for edge in edges if edge[0] != edge[1]), key=lambda edge: edge[2])
    counts = np.zeros((6, 6), int)
    for triple in combinations(edges, 3):
        numbers = {}
        for u, v, _ in triple:
            numbers.setdefault(u, len(numbers) + 1)
            numbers.setdefault(v, len(numbers) + 1)
        if len(numbers) <= 3 and triple[2][2] - triple[0][2] <= window:
            _, second, third = [(numbers[u], numbers[v]) for u, v, _ in triple]
            counts[SECOND_EDGES.index(second), THIRD_EDGES.index(third)] += 1
    return counts


def table(edges):
    return pd.DataFrame(edges, columns=["source", "target", "time"])


def counts_in(edges, window):
    return temporal_census(table(edges), window, null_samples=0).counts


@pytest.mark.parametrize("seed", range(24))
def test_counts_are_those_of_all_triples(seed):
    # times are often equal, windows often end at an edge, and some edges lead to their own node
    rng = np.random.default_rng(seed)
    edges = rng.integers([2 + seed % 6, 2 + seed % 6, 30], size=(1 + seed, 3)).tolist()
    assert counts_in(edges, seed % 12).tolist() == count_triples(edges, seed % 12).tolist()


def test_counts_of_real_messages_are_those_of_snap(shared_data):
    found = temporal_census(shared_data / "temporal" / "CollegeMsg.txt.gz", 3600, null_samples=0)
    assert (found.num_nodes, found.num_edges) == (1899, 59_835)
    assert found.counts.reshape(-1).tolist() == list(map(int, SNAP.split()))


def test_random_graphs_have_the_edges_in_any_order_at_the_same_times():
    edges = [("a", "b", 0), ("b", "a", 1), ("a", "b", 5), ("a", "c", 6)]
    found = temporal_census(table(edges), 2, null_samples=400, seed=3)
    # no three of these times lie within 2, in whatever order
    assert all(one.mean == one.observed == 0 for one in found.comparisons)
    found = temporal_census(table(edges[:3]), 5, null_samples=400, seed=3)
    # of the 6 orders 2 each have "b" to "a" as first, second and third
    means = found.to_pandas().set_index("events")["mean"]
    assert found.counts[4, 0] == 1
    assert means["1->2, 2->1, 1->2"] == pytest.approx(1 / 3, abs=0.1)
    assert means["1->2, 1->2, 2->1"] == pytest.approx(1 / 3, abs=0.1)
    again = temporal_census(table(edges[:3]), 5, null_samples=400, seed=3)
    assert again.comparisons == found.comparisons


def test_answers_are_more_frequent_than_permuted_times_give():
    rng = np.random.default_rng(0)
    asked = [(*rng.choice(40, 2, replace=False).tolist(), 100 * k) for k in range(200)]
    answered = [(v, u, time + 1) for u, v, time in asked]
    again = [(u, v, time + 2) for u, v, time in asked]
    found = temporal_census(table(asked + answered + again), 50, null_samples=199)
    rows = found.to_pandas().set_index("events")
    assert found.counts[4, 0] == 200 == found.counts.sum()
    assert rows.loc["1->2, 2->1, 1->2", "verdict"] == "more frequent"


def test_every_source_of_edges_gives_the_same_graph(tmp_path, caplog):
    caplog.set_level("INFO")
    stamps = pd.to_datetime(["2024-01-01 10:00", "2024-01-01 11:30", "2024-01-02"], format="mixed")
    rows = pd.DataFrame({"from": ["a", "b", "c"], "to": ["b", "c", "c"], "sent": stamps})
    rows.to_csv(tmp_path / "mail.csv", index=False)
    pq.write_table(pa.Table.from_pandas(rows), tmp_path / "mail.parquet")
    graph = nx.MultiDiGraph()
    for one in rows.itertuples(index=False):
        graph.add_edge(one[0], one[1], sent=one[2])
    sources = rows, pa.Table.from_pandas(rows), graph, tmp_path / "mail.csv"
    for source in (*sources, tmp_path / "mail.parquet"):
        edges = read_temporal_edges(source, time="sent")
        assert edges.times.tolist() == [1704103200_000000, 1704108600_000000]
        assert (edges.source.tolist(), edges.target.tolist()) == ([0, 1], [1, 2])
        assert edges.window("1.5h") == 5400_000000
    assert "dropped 1 edge from a node to itself" in caplog.text
    (tmp_path / "plain.txt").write_text("# u v t\n7 8 5\n8 7 2.5\n")
    edges = read_temporal_edges(tmp_path / "plain.txt")
    assert (edges.times.tolist(), edges.window(2), edges.window("2min")) == ([2.5, 5], 2, 120)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("from,to,time\na,b,1\nb,c,soon\n", "line 3: a number or a timestamp was expected"),
        ("from,to,weight\na,b,1\n", r"^mail\.csv: a table of edges must have a column of times"),
        ("a b\nb c\n", "must have a column of times"),
    ],
)
def test_a_table_without_times_is_refused(tmp_path, text, sentence):
    path = tmp_path / ("mail.csv" if "," in text else "mail.txt")
    path.write_text(text)
    with pytest.raises(InputError, match=sentence):
        read_temporal_edges(path)


def test_a_window_has_the_units_of_times():
    edges = read_temporal_edges(table([("a", "b", 1)]))
    seconds = {"30s": 30, "5min": 300, ".5h": 1800, "1d": 86_400, "2w": 1_209_600, "7": 7, 8: 8}
    seconds |= {timedelta(hours=1): 3600, pd.Timedelta("1h"): 3600, np.timedelta64(2, "m"): 120}
    assert {given: edges.window(given) for given in seconds} == seconds


def test_what_is_no_window_or_graph_is_refused():
    for window in ("an hour", -1, True, None, float("nan")):
        with pytest.raises(InputError, match="window must be"):
            counts_in([("a", "b", 1)], window)
    with pytest.raises(InputError, match="directed"):
        temporal_census(nx.Graph(), 1)
    with pytest.raises(InputTypeError, match="graph must be"):
        temporal_census(3, 1)


def test_an_empty_window_and_no_edge_have_no_motif():
    assert counts_in([], 5).sum() == counts_in([("a", "a", 1)], 5).sum() == 0


def test_command_prints_writes_and_draws(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table([("a", "b", 0), ("b", "a", 60), ("a", "b", 90)]).to_csv("mail.csv", index=False)
    run = CliRunner().invoke
    asked = ["temporal", "mail.csv", "--window", "2min"]
    printed = run(main, [*asked, "--null-samples", "0"])
    assert (printed.exit_code, len(printed.stdout.splitlines())) == (0, 37)
    assert run(main, [*asked, "--out", "t.csv", "--page", "t.html"]).exit_code == 0
    written = pd.read_csv("t.csv")
    assert written.loc[written["count"] > 0, ["row", "column", "count"]].values.tolist() == [
        [5, 1, 1]
    ]
    page = (tmp_path / "t.html").read_text()
    assert "1 ordered triples" not in page and "1 ordered triple of edges within 2min" in page
    assert page.count("<svg") == 36
    refused = run(main, ["temporal", "mail.csv"])
    assert (refused.exit_code, refused.stderr) == (
        2,
        "gomkcn: --window must be given, such as --window 1h.\n",
    )


def test_each_cell_is_drawn_as_its_events():
    labels = [draw_events(row, column) for row in range(6) for column in range(6)]
    assert len(set(labels)) == len({motif_events(*divmod(at, 6)) for at in range(36)}) == 36


def test_a_null_is_refused_with_its_row():
    edges = pa.table({"from": ["a", None], "to": ["b", "c"], "time": [1, 2]})
    with pytest.raises(InputError, match=r"row 2: the column 'from' must hold a value"):
        read_temporal_edges(edges)
    for times in ([1, None], pd.to_datetime(["2024-01-01", None])):
        edges = pd.DataFrame({"from": ["a", "b"], "to": ["b", "c"], "time": times})
        with pytest.raises(InputError, match="row 2: an edge must have a time, and it is null"):
            read_temporal_edges(edges)
