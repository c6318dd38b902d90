"""Motifs of three edges in time: counts, random graphs, readers, command and page."""

import re
from collections import Counter
from datetime import timedelta
from decimal import Decimal
from itertools import combinations, pairwise

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from ends_after import EndsAfter

from gomkcn.commands.main import main
from gomkcn.mining.show.temporal_page import draw_events
from gomkcn.mining.significance.temporal_draws import Timelines
from gomkcn.mining.significance.temporal_nulls import TEMPORAL_NULLS
from gomkcn.mining.structures.pattern import LESS, MORE, NOT_SHOWN
from gomkcn.mining.temporal import temporal_motifs
from gomkcn.mining.temporal.temporal_motifs import (
    NUM_KINDS,
    SECOND_EDGES,
    THIRD_EDGES,
    _Counter,
    cell_of,
    motif_events,
    temporal_census,
)
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.io.temporal_edges import read_temporal_edges
from gomkcn_dgl.runtime.job import RunInterruptedError
from gomkcn_dgl.runtime.steps import Steps

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


# the cells of motifs that differ in directions alone
_CELLS = np.array(
    [cell_of(kind, *ways) for kind in range(NUM_KINDS) for ways in np.ndindex(2, 2, 2)]
)
SHAPES = {
    kind: tuple(np.unique(_CELLS[8 * kind : 8 * kind + 8], axis=0).T) for kind in range(NUM_KINDS)
}


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
    found = temporal_census(table(edges), 2, null="times", null_samples=400, seed=3)
    # no three of these times lie within 2, in whatever order
    assert all(one.mean == one.observed == 0 for one in found.comparisons)
    found = temporal_census(table(edges[:3]), 5, null="times", null_samples=400, seed=3)
    # of the 6 orders 2 each have "b" to "a" as first, second and third
    means = found.to_pandas().set_index("events")["mean"]
    assert found.counts[4, 0] == 1
    assert means["1->2, 2->1, 1->2"] == pytest.approx(1 / 3, abs=0.1)
    assert means["1->2, 1->2, 2->1"] == pytest.approx(1 / 3, abs=0.1)
    again = temporal_census(table(edges[:3]), 5, null="times", null_samples=400, seed=3)
    assert again.comparisons == found.comparisons


def events_of_pairs(edges, order, times):
    """The times and the directions of the events of each two nodes, in the order of time."""
    found = {}
    for edge, time in zip(order.tolist(), times.tolist(), strict=True):
        u, v = int(edges.source[edge]), int(edges.target[edge])
        found.setdefault((min(u, v), max(u, v)), []).append((time, u < v))
    return {pair: list(zip(*own, strict=True)) for pair, own in found.items()}


def gaps_of(times):
    return sorted(b - a for a, b in pairwise(times))


# what random graphs of each null model keep of the times and directions of each two nodes
KEPT = {
    "directions": lambda times, ways: (times, sum(ways)),
    "gaps": lambda times, ways: (times[0], times[-1], gaps_of(times), ways),
    "timelines": lambda times, ways: ways,
    "times": lambda times, ways: (len(times), sum(ways)),
}


@pytest.mark.parametrize("offset", [0, 2**63 - 1000, -(2**63)])
@pytest.mark.parametrize("null", TEMPORAL_NULLS)
def test_random_graphs_keep_what_their_null_model_says(null, offset):
    rng = np.random.default_rng(5)
    rows = rng.integers([6, 6, 900], size=(80, 3)).tolist()
    edges = read_temporal_edges(table([(u, v, t + offset) for u, v, t in rows if u != v]))
    number = len(edges.times)
    lines = Timelines.of(edges)
    here = events_of_pairs(edges, np.arange(number), edges.times)
    kept = {pair: KEPT[null](*own) for pair, own in here.items()}
    changed = 0
    for _ in range(20):
        drawn = TEMPORAL_NULLS[null].draw(lines, edges.times, rng)
        assert sorted(drawn.order.tolist()) == list(range(number))
        assert drawn.times.dtype == edges.times.dtype and (np.diff(drawn.times) >= 0).all()
        there = events_of_pairs(edges, drawn.order, drawn.times)
        assert {pair: KEPT[null](*own) for pair, own in there.items()} == kept
        changed += there != here
        if null != "gaps":
            assert drawn.times.tolist() == edges.times.tolist()
        if null == "timelines":
            assert sorted(own[0] for own in there.values()) == sorted(
                own[0] for own in here.values()
            )
    assert changed == 20


@pytest.mark.parametrize("null", TEMPORAL_NULLS)
def test_all_graphs_that_keep_the_same_are_drawn_as_often(null):
    # a and b: three events, two of them one way; c and d as well; each model has several draws
    rows = [
        ("a", "b", 0),
        ("b", "a", 1),
        ("a", "b", 3),
        ("c", "d", 4),
        ("c", "d", 9),
        ("d", "c", 11),
    ]
    edges = read_temporal_edges(table(rows))
    lines = Timelines.of(edges)
    rng = np.random.default_rng(1)
    drawn = [TEMPORAL_NULLS[null].draw(lines, edges.times, rng) for _ in range(3600)]
    seen = Counter(str(events_of_pairs(edges, one.order, one.times)) for one in drawn)
    if null == "times":
        # each two nodes have three of six times, and one of three events goes the other way
        assert len(seen) == 20 * 3 * 3
    else:
        assert len(seen) == {"directions": 9, "gaps": 4, "timelines": 2}[null]
        assert min(seen.values()) > 0.8 * 3600 / len(seen)


def test_directions_alone_are_what_the_usual_random_graphs_change():
    # whatever the directions, the motifs of the same pairs in the same order are as many
    rng = np.random.default_rng(2)
    edges = rng.integers([5, 5, 400], size=(200, 3)).tolist()
    found = temporal_census(table(edges), 30, null_samples=20)
    mean = np.array([one.mean for one in found.comparisons]).reshape(6, 6)
    for cells in SHAPES.values():
        assert found.counts[cells].sum() == pytest.approx(mean[cells].sum())
        assert not np.allclose(found.counts[cells], mean[cells])


def test_real_messages_tell_motifs_apart_but_for_permuted_times(shared_data):
    path = shared_data / "temporal" / "CollegeMsg.txt.gz"
    verdicts = {
        null: Counter(
            one.verdict
            for one in temporal_census(path, "1h", null=null, null_samples=99).comparisons
        )
        for null in ("directions", "times")
    }
    assert verdicts["times"] == {"more frequent": 36}
    assert verdicts["directions"]["more frequent"] >= 6
    assert verdicts["directions"]["less frequent"] >= 6


def test_answers_are_more_frequent_than_permuted_times_give():
    rng = np.random.default_rng(0)
    asked = [(*rng.choice(40, 2, replace=False).tolist(), 100 * k) for k in range(200)]
    answered = [(v, u, time + 1) for u, v, time in asked]
    again = [(u, v, time + 2) for u, v, time in asked]
    found = temporal_census(table(asked + answered + again), 50, null="times")
    rows = found.to_pandas().set_index("events")
    assert found.counts[4, 0] == 200 == found.counts.sum()
    assert rows.loc["1->2, 2->1, 1->2", "verdict"] == "more frequent"
    # the sentence counts the verdicts and names what the random graphs keep
    verdicts = rows["verdict"].value_counts()
    said = ", ".join(f"{verdicts.get(name, 0)} {name}" for name in (MORE, LESS, NOT_SHOWN))
    assert f"random graphs of the null model 'times': {said} (adjusted p ≤ 0.05)" in found.finding
    assert found.finding.endswith(f"{TEMPORAL_NULLS['times'].keeps}.")


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
    assert (edges.times.tolist(), edges.window(2), edges.window("2min")) == ([25, 50], 20, 1200)


@pytest.mark.parametrize(
    ("rows", "column"),
    [
        ("6,2,4,1289241911.7\n6,5,-2,1289241941.5\n", 3),
        ("6 2 1289241911 4\n6 5 1289241941 -2\n", 2),
        ("a,b,x,2010-11-08T10:00\nb,c,y,2010-11-08T11:00\n", 3),
        ("1 2 5\n2 3 6\n", 2),
    ],
)
def test_times_without_a_name_are_told_by_their_size(tmp_path, rows, column):
    path = tmp_path / "mail.txt"
    path.write_text(rows)
    apart = read_temporal_edges(path, time=column + 1)
    assert read_temporal_edges(path).times.tolist() == apart.times.tolist()
    path.write_text("1 2 5 7\n2 3 6 9\n")
    with pytest.raises(InputError, match=r"a column of times.*got column 3, column 4\.$"):
        read_temporal_edges(path)


# times of face-to-face contacts before their two persons, as SocioPatterns writes them
CONTACTS = """240 98 101
240 99 100
300 97 97
480 98 97
600 99 101
1080 97 101
1200 97 98
1320 99 100
1800 98 100
2040 99 98
2040 97 99
2160 98 101
2160 101 97
2220 101 97
2340 101 97
"""


def test_times_in_the_first_column_are_told_by_their_order(tmp_path, caplog):
    caplog.set_level("INFO")
    path = tmp_path / "tij.txt"
    path.write_text(CONTACTS)
    rows = [tuple(map(int, line.split())) for line in CONTACTS.splitlines()]
    right = count_triples([(u, v, time) for time, u, v in rows], 180)
    assert right.sum() == 5
    frame = pd.DataFrame(rows)
    with_kinds = pd.DataFrame([(*row, "A", "B") for row in rows])
    given = {"source": 2, "target": 3, "time": 1}
    for source in (path, frame, with_kinds, frame.rename(columns=str)):
        for options in ({}, given, {"time": 1}):
            edges = read_temporal_edges(source, **options)
            assert temporal_census(edges, 180, null_samples=0).counts.tolist() == right.tolist()
    assert "time = 1 (no header), the two behind times" in caplog.text
    # dates tell it, too, whatever the order
    dated = "".join(f"2024-01-{31 - row:02} {u} {v}\n" for row, (_, u, v) in enumerate(rows))
    path.write_text(dated)
    assert read_temporal_edges(path).num_nodes == 5
    # so do Unix times, also where no node is at both ends
    path.write_text("1700000000 7 9\n1700000001 8 9\n1700000001 7 6\n")
    assert read_temporal_edges(path).times.tolist() == [1700000000, *[1700000001] * 2]
    path.write_text("1700000001 7 9\n1700000000 8 9\n1700000002 7 6\n")
    assert read_temporal_edges(path).times.tolist() == [6, 9, 9]


@pytest.mark.parametrize(
    "text",
    [
        # sorted by the source, whose nodes are those of the target
        "0 1 3\n0 2 1\n1 2 2\n2 0 1\n3 0 2\n",
        # times that ascend behind ends that do
        "1 2 3\n2 3 4\n3 4 5\n",
        # words, and times that are far from them
        "a b 5\nb c 3\n",
        "1 7 900\n1 8 300\n2 7 700\n",
        # both columns ascend
        "10 1 1\n20 2 2\n30 1 3\n",
    ],
)
def test_times_are_in_the_third_column_where_nothing_says_otherwise(tmp_path, text):
    path = tmp_path / "e.txt"
    path.write_text(text)
    times = sorted(int(line.split()[2]) for line in text.splitlines())
    assert read_temporal_edges(path).times.tolist() == times


def test_a_column_of_times_that_is_named_is_no_end(tmp_path):
    frame = pd.DataFrame({"tick": [5, 7], "who": ["a", "b"], "whom": ["b", "c"]})
    edges = read_temporal_edges(frame, time="tick")
    assert (edges.times.tolist(), edges.num_nodes) == ([5, 7], 3)
    with pytest.raises(InputError, match="^time must be another column than the ends, got 'tick'"):
        read_temporal_edges(frame, source="tick", target="who", time="tick")


@pytest.mark.parametrize("name", ["booked_at", "PaidOn", "departure_time", "valueDate"])
def test_the_end_of_a_name_says_that_a_column_holds_times(tmp_path, name):
    # numbers that are no dates by their size, beside another column of numbers
    rows = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "size": [3, 4], name: [5, 9]})
    rows.to_csv(tmp_path / "mail.csv", index=False)
    for source in (rows, tmp_path / "mail.csv"):
        assert read_temporal_edges(source).times.tolist() == [5, 9]
    # of two such columns the one with dates is meant
    both = rows.assign(seen_at=["2024-01-31", "2024-02-01"])
    assert np.diff(read_temporal_edges(both).times).tolist() == [86_400_000_000]
    # numbers that are dates by their size are proposed
    unnamed = rows.rename(columns={name: "stamp"}).assign(stamp=[1_700_000_000, 1_700_000_001])
    with pytest.raises(InputError, match=r"got size, stamp; name one, such as time='stamp'\.$"):
        read_temporal_edges(unnamed)


@pytest.mark.parametrize("name", ["created_at", "Start_Time", "event_time", "sent"])
def test_times_under_other_names(tmp_path, name):
    rows = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "size": [3, 4]})
    rows[name] = ["2024-01-31 10:00", "2024-01-31T11:00"]
    rows.to_csv(tmp_path / "mail.csv", index=False)
    for source in (rows, tmp_path / "mail.csv"):
        times = read_temporal_edges(source).times
        assert np.diff(times).tolist() == [3600_000_000]
    # two columns of dates leave it open
    both = rows.rename(columns={name: "sent"}).assign(seen=rows[name])
    with pytest.raises(InputError, match=r"a column of .*got size, sent, seen; name .*time='sent'"):
        read_temporal_edges(both)


@pytest.mark.parametrize(
    ("dates", "right"),
    [
        (["31/01/2024", "01/02/2024"], ["2024-01-31", "2024-02-01"]),
        (["1/31/2024 9:30", "2/1/2024 10:00"], ["2024-01-31 09:30", "2024-02-01 10:00"]),
        (["01.02.2024", "03.02.2024 12:00:01"], ["2024-02-01", "2024-02-03 12:00:01"]),
        (["13-02-2024", "03-03-2024"], ["2024-02-13", "2024-03-03"]),
        (["2024/01/31", "2024/02/01"], ["2024-01-31", "2024-02-01"]),
        (["20240131", "20240201"], ["2024-01-31", "2024-02-01"]),
    ],
)
def test_dates_as_people_write_them(tmp_path, caplog, dates, right):
    caplog.set_level("INFO")
    frame = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "time": dates})
    frame.to_csv(tmp_path / "mail.csv", index=False)
    graph = nx.MultiDiGraph()
    graph.add_weighted_edges_from(frame.itertuples(index=False), weight="time")
    bare = tmp_path / "mail.txt"
    bare.write_text("".join(f'a b "{date}"\n' for date in dates))
    expected = [pd.Timestamp(date).value // 1000 for date in right]
    for source in (frame, graph, tmp_path / "mail.csv", bare):
        assert read_temporal_edges(source).times.tolist() == expected
    if "/2024" in dates[0]:
        order = "day, month, year" if dates[0].startswith("31") else "month, day, year"
        assert f"dates such as {dates[0]} are read as {order}" in caplog.text


def test_dates_that_do_not_tell_the_day_from_the_month_are_refused():
    for dates in (["01/02/2024", "03/04/2024"], ["31/01/2024", "01/31/2024"]):
        frame = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "time": dates})
        with pytest.raises(InputError, match="dates must tell the day from the month, as 31/01"):
            read_temporal_edges(frame)
    frame["time"] = ["31/01/2024", "31/02/2024"]
    with pytest.raises(InputError, match="row 2: a number or a timestamp .* got '31/02/2024'"):
        read_temporal_edges(frame)


DAYS = "source,target,time\na,b,20200130\nb,a,20200201\na,c,20200202\nc,a,20200315\n"


def test_numbers_that_are_dates_are_dates(tmp_path, caplog):
    caplog.set_level("INFO")
    path = tmp_path / "days.csv"
    path.write_text(DAYS)
    frame = pd.read_csv(path)
    graph = nx.MultiDiGraph()
    graph.add_weighted_edges_from(frame.itertuples(index=False), weight="time")
    for source in (path, frame, frame.astype({"time": float}), graph):
        assert temporal_census(source, "3d", null_samples=0).counts.sum() == 1
    assert (
        "times are dates written as numbers, such as 20200130; time_unit='s' takes" in caplog.text
    )
    # with a unit they are numbers, and so are those of which one is no date
    assert temporal_census(path, "3d", time_unit="s", null_samples=0).counts.sum() == 4
    for no_date in ("20200332", "20200315.5"):
        path.write_text(DAYS.replace("20200315", no_date))
        assert temporal_census(path, "3d", null_samples=0).counts.sum() == 4
    path.write_text(DAYS.replace("20200315", "21000101"))
    assert read_temporal_edges(path).times[-1] == 21000101


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
    not_a_time, months = np.timedelta64("NaT"), np.timedelta64(2, "M")
    for window in ("an hour", -1, True, None, float("nan"), "9" * 300, not_a_time, months):
        with pytest.raises(InputError, match="window must be"):
            counts_in([("a", "b", 1)], window)
    with pytest.raises(InputError, match="directed"):
        temporal_census(nx.Graph(), 1)
    with pytest.raises(InputTypeError, match="graph must be"):
        temporal_census(3, 1)


# whole times at the ends of what 64 bits hold, and beyond those of int64
ENDS = {
    "least": (-(2**63), 30),
    "largest": (2**63 - 31, 30),
    "unsigned": (2**63 - 15, 30),
    "largest unsigned": (2**64 - 31, 30),
    "all of int64": (-(2**63), 2**64 - 1),
    "nanoseconds": (1_700_000_000_000_000_000, 30),
}


@pytest.mark.parametrize("window", [0, 3, 12, 2**53 + 1, 2**63 - 1, 2**63, 2**64, 10**30])
@pytest.mark.parametrize("name", ENDS)
def test_whole_times_are_counted_as_they_are(tmp_path, name, window):
    least, span = ENDS[name]
    rng = np.random.default_rng(len(name))
    few = [least, least + span, *(least + one for one in rng.integers(span // 2, size=3).tolist())]
    times = [int(one) for one in rng.permutation(np.repeat(np.array(few, object), 4))]
    edges = [(*rng.choice(4, 2, replace=False).tolist(), time) for time in times]
    (tmp_path / "e.csv").write_text(
        "source,target,time\n" + "".join(f"{u},{v},{t}\n" for u, v, t in edges)
    )
    right = count_triples(edges, window).tolist()
    graph = nx.MultiDiGraph()
    graph.add_weighted_edges_from(edges, weight="time")
    in_order_of_graph = count_triples(list(graph.edges(data="time")), window).tolist()
    kind = np.int64 if min(times) < 0 or max(times) < 2**63 else np.uint64
    arrays = [np.array(column) for column in list(zip(*edges, strict=True))[:2]]
    frame = pd.DataFrame(dict(zip(("source", "target"), arrays, strict=True)))
    frame["time"] = np.array(times, kind)
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "e.parquet")
    for source in (tmp_path / "e.csv", tmp_path / "e.parquet", frame):
        for given in (window, str(window)):
            found = temporal_census(source, given, null_samples=0)
            assert found.counts.tolist() == right
            assert (found.window, found.span) == (float(window), float(max(times) - min(times)))
    assert temporal_census(graph, window, null_samples=0).counts.tolist() == in_order_of_graph


def in_text(times, number, moment):
    """A column of Unix seconds, from whole nanoseconds, as numbers or as timestamps."""
    if number:
        return [f"{time // 10**9}.{time % 10**9:09d}" for time in times]
    return [f"{np.datetime64(time, 'ns')}{moment}" for time in times]


@pytest.mark.parametrize("form", ["numbers", "text", "text of a zone", "parquet", "decimal128"])
def test_nanoseconds_are_kept(tmp_path, form):
    rng = np.random.default_rng(1)
    times = 1_700_000_000_000_000_000 + rng.permutation(40)
    edges = [(*rng.choice(4, 2, replace=False).tolist(), time) for time in times.tolist()]
    right = count_triples(edges, 5).tolist()
    assert np.sum(right) > 20
    for number, given in enumerate((edges, edges[::-1], sorted(edges, key=lambda edge: edge[2]))):
        u, v, moments = map(list, zip(*given, strict=True))
        path = tmp_path / f"{number}.{'parquet' if form in ('parquet', 'decimal128') else 'csv'}"
        if path.suffix == ".csv":
            column = in_text(moments, form == "numbers", "Z" * (form == "text of a zone"))
            rows = "".join(f"{a},{b},{c}\n" for a, b, c in zip(u, v, column, strict=True))
            path.write_text("source,target,time\n" + rows)
        else:
            time = pa.array(np.array(moments, "datetime64[ns]"))
            if form == "decimal128":
                time = pa.array([Decimal(one) for one in in_text(moments, True, "")])
            pq.write_table(pa.table({"source": u, "target": v, "time": time}), path)
        for window in ("0.000000005s", pd.Timedelta(5, "ns"), np.timedelta64(5, "ns")):
            assert temporal_census(path, window, null_samples=0).counts.tolist() == right


def test_decimals_are_compared_exactly():
    # as floats 0.7 + 0.1 < 0.8
    tenths = [("a", "b", 7), ("b", "a", 7), ("a", "b", 8)]
    for values in ([0.7, 0.7, 0.8], ["0.7", "0.70", ".8"], ["7e-1", "0.7", "8e-1"]):
        edges = [(*edge[:2], value) for edge, value in zip(tenths, values, strict=True)]
        found = temporal_census(table(edges), "0.1", null_samples=0)
        assert found.counts.tolist() == count_triples(tenths, 1).tolist()
        assert (found.window, found.span) == (0.1, 0.1)
    # what no decimal is, stays a float
    thirds = [("a", "b", 1 / 3), ("b", "a", 2 / 3), ("a", "b", 1e300)]
    assert read_temporal_edges(table(thirds)).times.tolist() == [1 / 3, 2 / 3, 1e300]
    assert temporal_census(table(thirds), 1e200, null_samples=0).counts.sum() == 0


@pytest.mark.parametrize(
    ("times", "sentence"),
    [
        (["9223372036854775808", "-5"], "line 2: a time of 64 bits was expected"),
        (["5", "18446744073709551616"], "line 3: a time of 64 bits was expected"),
        (["0.5", "9223372036854775807"], "line 3: a time of 64 bits was expected"),
        (["1", "1700000000.1234567891"], "line 3: a time of at most nine digits behind the point"),
        (["1", "inf"], "line 3: a number or a timestamp was expected"),
        (["2024-01-01T10:00:00.1234567891"] * 2, "line 2: a timestamp of at most nanoseconds"),
        (["2024-01-01", "NaT"], "line 3: a number or a timestamp was expected .*, got 'NaT'"),
        (["True", "False"], "line 2: a number or a timestamp was expected"),
    ],
)
def test_times_that_cannot_be_kept_are_refused(tmp_path, times, sentence):
    path = tmp_path / "e.csv"
    path.write_text("source,target,time\n" + "".join(f"a,b,{one}\n" for one in times))
    with pytest.raises(InputError, match=f"^e.csv: {sentence}"):
        read_temporal_edges(path)
    graph = nx.MultiDiGraph()
    for time in (True, timedelta(1), 2**70, [3], "soon"):
        graph.add_edge(0, 1, time=time)
        with pytest.raises(InputError, match=r"^edge 1: a (number|time) "):
            read_temporal_edges(graph)
        graph.clear()


MOMENTS = [1_700_000_000, 1_700_000_060, 1_700_000_120]
WAYS = [("a", "b"), ("b", "c"), ("c", "a")]


@pytest.mark.parametrize("is_text", [True, False])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_the_unit_of_unix_times_is_seen(tmp_path, caplog, unit, is_text):
    caplog.set_level("INFO")
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    named = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}[unit]
    edges = [(*way, t * per_second) for way, t in zip(WAYS, MOMENTS, strict=True)]
    source = table(edges)
    if is_text:
        source = tmp_path / "e.txt"
        source.write_text("".join(f"{u} {v} {t}\n" for u, v, t in edges))
    said = f"times are {named} since 1970, as their size says: 2023-11-14"
    for window, count in {"2min": 1, "119s": 0, timedelta(minutes=2): 1}.items():
        found = temporal_census(source, window, null_samples=0)
        assert (found.counts.sum(), found.span, found.notes) == (count, 120, (said,))
        assert caplog.text.count(said) == 1
        caplog.clear()
    # a number without a unit is in that of the times, of which nothing needs to be said
    found = temporal_census(source, 120 * per_second, null_samples=0)
    assert (found.counts.sum(), found.span, found.notes) == (1, 120 * per_second, ())
    assert temporal_census(source, 120 * per_second - 1, null_samples=0).counts.sum() == 0
    # the caller knows better
    found = temporal_census(source, "2min", null_samples=0, time_unit="ns")
    assert found.counts.sum() == 1
    assert found.notes == ("times are nanoseconds, as it is given",)
    found = temporal_census(source, "2min", null_samples=0, time_unit="s")
    assert found.counts.sum() == (unit == "s")


@pytest.mark.parametrize(
    "times",
    [
        [1, 60, 120],
        [0, 1_700_000_000_000, 1_700_000_060_000],
        [1_700_000_000, 1_700_000_060_000, 1_700_000_120_000],
        # the ends of the dates
        [631_151_999, 631_152_000, 631_152_001],
        [4_102_444_798, 4_102_444_799, 4_102_444_800],
        [-1_700_000_000_000, 1_700_000_000_000, 1_700_000_000_001],
    ],
)
def test_times_of_no_unit_are_seconds_and_said(times):
    edges = [(*way, time) for way, time in zip(WAYS, times, strict=True)]
    found = temporal_census(table(edges), "2min", null_samples=0)
    assert found.counts.sum() == (times[2] - times[0] <= 120)
    assert found.notes[0].startswith("times are taken as seconds, since not all are dates from")


def test_a_unit_of_times_is_refused_where_it_says_nothing():
    stamps = table([("a", "b", pd.Timestamp("2024-01-01"))])
    with pytest.raises(InputError, match="time_unit is for times that are numbers, and these are"):
        temporal_census(stamps, "1h", time_unit="ms")
    with pytest.raises(InputError, match="time_unit must be one of"):
        temporal_census(stamps, "1h", time_unit="days")
    edges = read_temporal_edges(stamps)
    for option in ({"time_unit": "ms"}, {"time": "time"}):
        with pytest.raises(InputError, match=f"^{next(iter(option))} is for edges that are still"):
            temporal_census(edges, "1h", **option)


def test_edges_of_equal_times_are_said(caplog):
    caplog.set_level("INFO")
    found = temporal_census(table([(*way, 5) for way in WAYS]), 1, null_samples=0)
    assert found.notes[0].startswith("2 edges have the time of the one before; the order of these")
    assert found.notes[0] in caplog.text


def test_more_triples_than_can_be_counted_are_refused():
    edges = read_temporal_edges(table([("a", "b", 0), ("b", "a", 1), ("a", "b", 2), ("a", "c", 9)]))
    with pytest.raises(InputError, match="window must hold fewer than 2⁶³ triples of edges"):
        _Counter(edges, most_triples=4).count(np.arange(4), edges.last_within(9), print)
    counter = _Counter(edges, most_triples=4)
    assert counter.count(np.arange(4), edges.last_within(2), print).sum() == 1


def test_an_empty_window_and_no_edge_have_no_motif():
    assert counts_in([], 5).sum() == counts_in([("a", "a", 1)], 5).sum() == 0


def test_command_prints_writes_and_draws(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table([("a", "b", 0), ("b", "a", 60), ("a", "b", 90)]).to_csv("mail.csv", index=False)
    run = CliRunner().invoke
    asked = ["temporal", "mail.csv", "--window", "2min"]
    printed = run(main, [*asked, "--null-samples", "0", "--out", "t", "--quiet"])
    assert printed.exit_code == 0
    # the table, and below it where the page is
    assert len(printed.stdout.splitlines()) == 37 + 2
    assert run(main, [*asked, "--out", "t", "--force"]).exit_code == 0
    written = pd.read_csv("t/motifs.csv")
    assert written.loc[written["count"] > 0, ["row", "column", "count"]].values.tolist() == [
        [5, 1, 1]
    ]
    page = (tmp_path / "t" / "temporal.html").read_text()
    assert '<p class="note">Times are taken as seconds, since' in page
    assert "1 ordered triples" not in page and "1 ordered triple of edges within 2min" in page
    assert page.count("<svg") == 36
    assert "(null model “directions”)" in page
    gaps = run(main, [*asked, "--null", "gaps", "--quiet"])
    said, *rows = gaps.stdout.splitlines()
    assert said == "folder of this run: runs/mail"
    assert rows[36].split()[:2] == ["6", "6"]
    assert rows[38].startswith("Of 36 motifs, compared with 199 random graphs of the null model")
    assert "first and last event" in (tmp_path / "runs" / "mail" / "temporal.html").read_text()
    wrong = run(main, [*asked, "--null", "degree"])
    assert (wrong.exit_code, wrong.stderr) == (
        2,
        "gomkcn: --null must be one of 'directions', 'gaps', 'none', 'timelines', 'times', "
        "got 'degree'.\n",
    )
    refused = run(main, ["temporal", "mail.csv"])
    assert (refused.exit_code, refused.stderr) == (
        2,
        "gomkcn: --window must be given, such as --window 1h.\n",
    )


def test_each_cell_is_drawn_as_its_events():
    labels = [draw_events(row, column) for row in range(6) for column in range(6)]
    assert len(set(labels)) == len({motif_events(*divmod(at, 6)) for at in range(36)}) == 36


def test_nothing_of_a_drawing_is_cut_off():
    for at in range(36):
        svg = str(draw_events(*divmod(at, 6)))
        width, height = map(int, re.search(r'viewBox="0 0 (\d+) (\d+)"', svg).groups())
        ends = []
        for path in re.findall(r'd="M([^"]*)"', svg):
            points = np.array(re.findall(r"-?\d+\.\d", path), float).reshape(-1, 2)
            assert len(points) == 3
            # a curve of its two ends and what pulls it, or the three corners of a head
            share = np.linspace(0, 1, 21)[:, None]
            weights = (1 - share) ** 2, 2 * share * (1 - share), share**2
            curve = sum(w * point for w, point in zip(weights, points, strict=True))
            ends += [*(curve if "Q" in path else points)]
        for x, y, radius in re.findall(r'cx="([\d.-]+)" cy="([\d.-]+)" r="([\d.]+)"', svg):
            middle = np.array([float(x), float(y)])
            ends += [middle - float(radius), middle + float(radius)]
        low, high = np.min(ends, axis=0), np.max(ends, axis=0)
        assert (low >= 0).all() and (high <= [width, height]).all(), (at, low, high)


def test_a_null_is_refused_with_its_row():
    edges = pa.table({"from": ["a", None], "to": ["b", "c"], "time": [1, 2]})
    with pytest.raises(InputError, match=r"row 2: the column 'from' must hold a value"):
        read_temporal_edges(edges)
    for times in ([1, None], pd.to_datetime(["2024-01-01", None])):
        edges = pd.DataFrame({"from": ["a", "b"], "to": ["b", "c"], "time": times})
        with pytest.raises(InputError, match="row 2: an edge must have a time, and it is null"):
            read_temporal_edges(edges)


def test_tables_without_a_row_and_times_that_are_none(tmp_path):
    path = tmp_path / "mail.csv"
    path.write_text("source,target,time\n")
    assert temporal_census(path, 5, null_samples=0).counts.sum() == 0
    for kind, value in ((pa.time64("ns"), 1), (pa.date32(), 2**31 - 1)):
        table = pa.table({"source": ["a"], "target": ["b"], "time": pa.array([value], kind)})
        with pytest.raises(InputError, match="the column 'time' must hold times, and its"):
            read_temporal_edges(table)


def test_a_count_looks_at_the_clock_and_pieces_change_nothing(monkeypatch):
    """A node whose edges are all in one window takes the square of their number."""
    rng = np.random.default_rng(0)
    ends = rng.integers(6, size=(300, 2))
    mail = pd.DataFrame({"from": ends[:, 0], "to": ends[:, 1], "time": np.arange(300)})
    whole = temporal_census(mail, 60, null_samples=4)
    # 300 edges at two ends, and about 20 earlier ones in the window at each
    monkeypatch.setattr(temporal_motifs, "_PAIRS_OF_PIECE", 50)
    monkeypatch.setattr(temporal_motifs, "_PIECES_OF_THREAD", 1)
    looks = 10**6
    steps = Steps(interrupts=EndsAfter(looks))
    pieces = temporal_census(mail, 60, null_samples=4, steps=steps)
    assert np.array_equal(pieces.counts, whole.counts)
    assert [one.mean for one in pieces.comparisons] == [one.mean for one in whole.comparisons]
    taken = looks - steps.interrupts.looks
    assert taken > 100
    # within the graph itself nothing is known yet; within a random graph what was counted is
    with pytest.raises(InputError, match="^the time limit is over, and the motifs are known when"):
        temporal_census(mail, 60, null_samples=4, steps=Steps(interrupts=EndsAfter(taken // 20)))
    stopped = EndsAfter(taken // 20)
    stopped.signal = "SIGINT"
    with pytest.raises(RunInterruptedError, match='^stopped by SIGINT in the step "counting"'):
        temporal_census(mail, 60, null_samples=4, steps=Steps(interrupts=stopped))
    steps = Steps(interrupts=EndsAfter(taken * 7 // 10))
    some = temporal_census(mail, 60, null_samples=4, steps=steps)
    assert np.array_equal(some.counts, whole.counts)
    assert any(note.endswith("of 4 random graphs were counted") for note in some.notes)


def test_events_that_all_go_one_way_have_no_directions_to_draw():
    rng = np.random.default_rng(1)
    rows = [(f"u{u}", f"i{i}", t) for t, (u, i) in enumerate(rng.integers(0, 4, (60, 2)).tolist())]
    taken = pd.DataFrame(rows, columns=["user", "item", "time"])
    found = temporal_census(taken, 30, null_samples=2)
    assert any("it can change 0 of 60 events" in note for note in found.notes)
    # and half of them where half of the pairs also answer
    back = [(i, u, t + 100) for u, i, t in rows if u in ("u0", "u1")]
    both = pd.DataFrame(rows + back, columns=["source", "target", "time"])
    found = temporal_census(both, 30, null_samples=2)
    assert not any("it can change" in note for note in found.notes)
