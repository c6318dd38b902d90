"""Patterns of events: counts and rows are those of the definition, conditions, command and page."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from command_line import gomkcn as gomkcn_says
from command_line import refused
from ends_after import EndsAfter
from events_reference import find_occurrences

import gomkcn
from gomkcn.mining.significance.temporal_draws import Timelines
from gomkcn.mining.significance.temporal_nulls import TEMPORAL_NULLS
from gomkcn.mining.temporal import event_search
from gomkcn.mining.temporal.event_columns import ListedOccurrences, event_columns
from gomkcn.mining.temporal.event_search import PartCounts
from gomkcn.mining.temporal.temporal_motifs import motif_events, temporal_census
from gomkcn.mining.temporal.temporal_occurrences import temporal_occurrences
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.temporal_edges import read_temporal_edges
from gomkcn_dgl.runtime.steps import Steps

CYCLE = "A -> B as x, B -> C as y, C -> A as z"
CYCLE_EDGES = ["AB", "BC", "CA"]

# text, edges, symmetries, and what the reference is told beside the edges
PATTERNS = {
    "pair": ("A -> B, A -> B", ["AB", "AB"], 1, {}),
    "answer": ("A -> B, B -> A", ["AB", "BA"], 1, {}),
    "cycle": (CYCLE, CYCLE_EDGES, 1, {}),
    "path back": ("A -> B, C -> A", ["AB", "CA"], 1, {}),
    "square": ("A -> B, B -> C, C -> D, D -> A", ["AB", "BC", "CD", "DA"], 1, {}),
    "fan": ("A -> B, C -> B, D -> B", ["AB", "CB", "DB"], 1, {}),
    "repeated": ("A -> B, A -> B, B -> C, A -> B", ["AB", "AB", "BC", "AB"], 1, {}),
    "other order": (
        f"{CYCLE}, y.time < x.time",
        CYCLE_EDGES,
        1,
        {"in_order": False, "times": [(1, "<", 0)]},
    ),
    "before or with": (
        f"{CYCLE}, x.time <= y.time, z.time >= y.time",
        CYCLE_EDGES,
        1,
        {"in_order": False, "times": [(0, "<=", 1), (2, ">=", 1)]},
    ),
    "each later": (
        f"{CYCLE}, x.time < y.time, y.time < z.time",
        CYCLE_EDGES,
        1,
        {"in_order": False, "times": [(0, "<", 1), (1, "<", 2)]},
    ),
    "again, or at once": (
        "A -> B as x, A -> B as y, x.time <= y.time",
        ["AB", "AB"],
        1,
        {"in_order": False, "times": [(0, "<=", 1)]},
    ),
    "at once": (
        "A -> B as x, A -> C as y, x.time = y.time",
        ["AB", "AC"],
        2,
        {"in_order": False, "times": [(0, "=", 1)]},
    ),
    "not at once": (
        "A -> B as x, B -> A as y, A -> B as z, x.time != z.time, y.time != x.time",
        ["AB", "BA", "AB"],
        1,
        {"in_order": False, "times": [(0, "!=", 2), (1, "!=", 0)]},
    ),
    "three at once": (
        "A -> B as x, A -> C as y, A -> D as z, x.time = y.time, y.time = z.time, x.time = z.time",
        ["AB", "AC", "AD"],
        6,
        {"in_order": False, "times": [(0, "=", 1), (1, "=", 2)]},
    ),
    "any turn of a cycle": (
        f"{CYCLE}, x.time <= x.time",
        CYCLE_EDGES,
        3,
        {"in_order": False},
    ),
    "most of it": (
        f"{CYCLE}, y.value >= .9 * x.value, z.value >= .9 * y.value",
        CYCLE_EDGES,
        1,
        {"compared": [(1, ">=", ".9", 0), (2, ">=", ".9", 1)]},
    ),
    "exact": (
        "A -> B as x, B -> C as y, x.value = 1.1 * y.value",
        ["AB", "BC"],
        1,
        {"compared": [(0, "=", "1.1", 1)]},
    ),
    "other values": (
        "A -> B as x, B -> C as y, x.value != y.value",
        ["AB", "BC"],
        1,
        {"compared": [(0, "!=", "1", 1)]},
    ),
    "a test": (
        "A -[value > 2]-> B, B -> C as y, y.value <= 3.3",
        ["AB", "BC"],
        1,
        {"tests": [(0, ">", 2), (1, "<=", 3.3)]},
    ),
    "negative": (
        "A -> B as x, B -> C as y, -1 * x.value < y.value, y.value < x.value",
        ["AB", "BC"],
        1,
        {"compared": [(1, ">", "-1", 0), (1, "<", "1", 0)]},
    ),
}


def random_rows(seed, number, nodes=4, moments=12):
    """A multigraph with equal times, self-loops and missing values."""
    rng = np.random.default_rng(seed)
    rows = rng.integers([nodes, nodes, moments], size=(number, 3)).tolist()
    values = rng.choice(np.array([1, 1.1, 2, 2.2, 3, 3.3, None], object), number).tolist()
    return [(*row, value) for row, value in zip(rows, values, strict=True)]


def table(rows):
    return pd.DataFrame(rows, columns=["source", "target", "time", "value"]).astype(
        {"value": float}
    )


@pytest.mark.parametrize("name", PATTERNS)
def test_counts_and_rows_are_those_of_all_assignments(name):
    text, edges, symmetries, options = PATTERNS[name]
    found_some = 0
    for seed in range(6):
        moments = 3 if "at once" in name else 12
        rows = random_rows(seed, 30 if len(edges) < 4 else 22, moments=moments)
        for window in (0, 3, 12):
            right = find_occurrences(rows, edges, window, **options)
            found = temporal_occurrences(table(rows), text, window, null_samples=0)
            assert found.count.is_exact and found.count.value * symmetries == len(right)
            listed = [*map(tuple, found.rows.tolist())]
            assert len(listed) == len({*listed}) == found.count.value
            assert {*listed} <= {*right}
            # of those that differ by a symmetry one is listed
            assert {*map(frozenset, listed)} == {*map(frozenset, right)}
            found_some += len(right)
    assert found_some > 0


@pytest.mark.parametrize("seed", range(3))
def test_patterns_of_three_edges_are_counted_as_the_census_does(seed):
    rng = np.random.default_rng(seed)
    rows = [(*row, 0) for row in rng.integers([6, 6, 200], size=(300, 3)).tolist()]
    census = temporal_census(table(rows), 40, null_samples=0).counts
    for row, column in np.ndindex(6, 6):
        text = ", ".join(f"{u} -> {v}" for u, v in motif_events(row, column))
        found = temporal_occurrences(table(rows), text, 40, most=0, null_samples=0)
        assert found.count.value == census[row, column]


def test_many_edges_are_counted(seed=0):
    rows = random_rows(seed, 11, nodes=3, moments=30)
    text, edges = "A -> B, B -> A, A -> B, C -> A, B -> C", ["AB", "BA", "AB", "CA", "BC"]
    right = find_occurrences(rows, edges, 40)
    assert temporal_occurrences(table(rows), text, 40, null_samples=0).count.value == len(right)


def paid(rows, name="booked_at"):
    return pd.DataFrame(rows, columns=["payer", "payee", name, "amount", "text"])


def payments():
    """A cycle of payments, a cycle whose amount falls, and a payment to oneself between them."""
    return paid(
        [
            ("ann", "bob", "2024-01-05", 100.0, "rent"),
            ("bob", "bob", "2024-01-05", 1.0, "self"),
            ("cat", "ann", "2024-01-09", 81.0, None),
            ("bob", "cat", "2024-01-06", 90.0, "loan"),
            ("ann", "dan", "2024-02-01", 100.0, "rent"),
            ("dan", "eve", "2024-02-02", 89.99, "loan"),
            ("eve", "ann", "2024-02-03", 88.0, "gift"),
        ]
    )


FALLING = f"{CYCLE}, y.amount >= .9 * x.amount, z.amount >= .9 * y.amount within 7d"


def sources(folder, frame):
    """The same events as files, frames and a graph of NetworkX."""
    frame.to_csv(folder / "tx.csv", index=False)
    frame.to_parquet(folder / "tx.parquet")
    graph = nx.MultiDiGraph()
    for row in frame.to_dict("records"):
        payer, payee = row.pop("payer"), row.pop("payee")
        graph.add_edge(payer, payee, **row)
    stamps = frame.assign(booked_at=pd.to_datetime(frame["booked_at"]))
    return {"csv": folder / "tx.csv", "parquet": folder / "tx.parquet", "frame": frame,
            "stamps": stamps, "graph": graph}  # fmt: skip


def test_events_are_listed_with_all_columns_of_every_source(tmp_path):
    for name, source in sources(tmp_path, payments()).items():
        options = {"time": "booked_at"} if name == "graph" else {}
        found = temporal_occurrences(source, FALLING, null_samples=0, **options)
        table = found.to_pandas()
        assert found.count.value == found.num_listed == 1, name
        assert table["edge"].tolist() == ["x", "y", "z"]
        who = ["source", "target"] if name == "graph" else ["payer", "payee"]
        assert [*table][:6] == ["occurrence", "edge", "row", *who, "booked_at"]
        assert table[who].values.tolist() == [["ann", "bob"], ["bob", "cat"], ["cat", "ann"]]
        assert table["amount"].tolist() == [100, 90, 81]
        assert table["text"].tolist()[:2] == ["rent", "loan"] and pd.isna(table["text"][2])
        assert table["booked_at"].dt.day.tolist() == [5, 6, 9]
        # a graph lists the edges of a node together
        assert table["row"].tolist() == ([1, 4, 5] if name == "graph" else [1, 4, 3])
        if name != "graph":
            assert payments()["amount"][table["row"] - 1].tolist() == [100, 90, 81]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("A -> B as x, B -> C, x.when >= 2024-02-01", [[5, 6], [6, 7]]),
        ("A -> B as x, B -> C, x.time >= 2024-02-01 12:00", [[6, 7]]),
        ('A -[when < 2024-02-01]-> B, B -> C as y, y.time != "2024-01-06"', [[4, 3]]),
        ('A -> B as x, B -> C, x.when in ("2024-02-02", "2024-01-06")', [[4, 3], [6, 7]]),
        ('A -> B as x, B -> C, x.when not in ("2024-02-02", "2024-01-06")', [[1, 4], [5, 6]]),
        ("A -> B as x, B -> C, x.when = 2024-02-02", [[6, 7]]),
        ('A -> B, B -> C, A.name = "ann"', [[1, 4], [5, 6]]),
        ('A -> B, B -> C, C.name not in ("ann", "cat")', [[5, 6]]),
        ('A -> B as x, B -> C as y, x.text = "loan"', [[4, 3], [6, 7]]),
        ('A -> B as x, B -> C as y, x.text != y.text, x.payer = "ann"', [[1, 4], [5, 6]]),
        ("A -> B as x, B -> C as y, x.amount < y.amount", []),
        ("A -> B as x, B -> C as y, y.amount >= .9 * x.amount", [[1, 4], [4, 3], [6, 7]]),
    ],
)
def test_conditions_on_dates_names_and_text(text, rows):
    frame = payments().rename(columns={"booked_at": "when"})
    for given in (frame, frame.assign(when=pd.to_datetime(frame["when"]))):
        found = temporal_occurrences(given, text, "7d", null_samples=0)
        assert found.rows.tolist() == rows


def test_times_that_are_numbers_are_compared_as_numbers_and_as_dates():
    since = (pd.to_datetime(payments()["booked_at"]) - pd.Timestamp(0)) // pd.Timedelta("1s")
    frame = payments().assign(booked_at=since)
    for bound in ("2024-02-01 12:00", "1706788800"):
        text = f"A -> B as x, B -> C, x.time >= {bound}"
        assert temporal_occurrences(frame, text, "7d", null_samples=0).rows.tolist() == [[6, 7]]
    found = temporal_occurrences(frame, "A -> B as x, B -> A, x.time > 1.5", 5, null_samples=0)
    assert found.count.value == 0


@pytest.mark.parametrize(
    ("test", "rows"),
    [("< 1.5", [1]), ("<= 1.5", [1]), ("> 1.5", [2, 3]), (">= 1.5", [2, 3]), ("= 1.5", []),
     ("!= 1.5", [1, 2, 3]), ("< 2", [1]), ("<= 2", [1, 2]), ("> 2", [3]), (">= 2", [2, 3]),
     ("= 2", [2]), ("!= 2", [1, 3]), ("in (1, 1.5)", [1]), ("not in (1, 2.0)", [3])],
)  # fmt: skip
def test_whole_times_are_compared_with_what_lies_between_them(test, rows):
    frame = pd.DataFrame({"source": list("aaab"), "target": list("bbba"), "time": [1, 2, 3, 4]})
    found = temporal_occurrences(frame, f"A -> B as x, B -> A, x.time {test}", 9, null_samples=0)
    assert found.rows.tolist() == [[row, 4] for row in rows]


@pytest.mark.parametrize("null", TEMPORAL_NULLS)
def test_conditions_hold_in_random_events_at_their_times(null):
    rows = [row for row in random_rows(3, 90, nodes=5, moments=60) if row[0] != row[1]]
    text = "A -> B as x, B -> A as y, x.value <= 1.1 * y.value, y.time >= 20"
    edges = read_temporal_edges(table(rows), with_columns=True)
    right = []
    for number in range(5):
        rng = np.random.default_rng([7, number])
        drawn = TEMPORAL_NULLS[null].draw(Timelines.of(edges), edges.times, rng)
        ordered = [rows[edges.rows[edge] - 1] for edge in drawn.order]
        moved = [
            (u, v, time, value)
            for (u, v, _, value), time in zip(ordered, drawn.times.tolist(), strict=True)
        ]
        found = find_occurrences(moved, ["AB", "BA"], 15, compared=[(0, "<=", "1.1", 1)])
        right.append(sum(moved[last - 1][2] >= 20 for _, last in found))
    found = temporal_occurrences(table(rows), text, 15, null=null, null_samples=5, seed=7)
    assert found.comparisons[0].mean == np.mean(right) and len({*right}) > 1


def test_decimals_are_multiplied_exactly():
    frame = paid([("a", "b", 1, 3.0, ""), ("b", "c", 2, 3.3, ""), ("c", "d", 3, 3.63, "")], "time")
    assert 3.3 < 1.1 * 3
    text = "A -> B as x, B -> C as y, y.amount >= 1.1 * x.amount"
    assert temporal_occurrences(frame, text, 9, null_samples=0).rows.tolist() == [[1, 2], [2, 3]]
    text = "A -> B as x, B -> C as y, 10 * y.amount <= 11 * x.amount"
    assert temporal_occurrences(frame, text, 9, null_samples=0).rows.tolist() == [[1, 2], [2, 3]]


def test_columns_of_the_input_that_are_called_as_ours():
    frame = pd.DataFrame(
        {"source": ["a", "b"], "target": ["b", "a"], "time": [1, 2], "row": [7, 8]}
    )
    found = temporal_occurrences(
        frame, "A -> B as x, B -> A as y, x.row < y.row", 5, null_samples=0
    )
    assert found.to_pandas()[["row", "input row"]].values.tolist() == [[1, 7], [2, 8]]


def test_more_occurrences_than_are_listed_are_a_sample_of_them():
    rows = random_rows(1, 300, moments=200)
    every = temporal_occurrences(table(rows), CYCLE, 30, most=10**6, null_samples=0)
    some = temporal_occurrences(table(rows), CYCLE, 30, most=20, null_samples=0)
    none = temporal_occurrences(table(rows), CYCLE, 30, most=0, null_samples=0)
    assert every.count.value == every.num_listed > 200
    assert every.count == some.count == none.count
    assert (some.num_listed, none.num_listed) == (20, 0)
    assert {*map(tuple, some.rows.tolist())} < {*map(tuple, every.rows.tolist())}
    assert (
        some.listed == "20 listed, those of some events drawn at random"
        and every.listed.endswith("listed, all")
    )
    # in the order of time of the first event
    firsts = every.times.min(axis=1)
    assert (np.diff(firsts) >= 0).all()
    again = temporal_occurrences(table(rows), CYCLE, 30, most=20, null_samples=0)
    assert again.rows.tolist() == some.rows.tolist()


def test_the_count_is_compared_with_random_events_that_keep_what_their_null_says():
    rng = np.random.default_rng(0)
    rows = [
        (*rng.choice(60, 2, replace=False).tolist(), int(t), 1)
        for t in rng.integers(9000, size=400)
    ]
    for start in range(0, 8000, 800):
        a, b, c = rng.choice(60, 3, replace=False).tolist()
        rows += [(a, b, start, 5), (b, c, start + 1, 5), (c, a, start + 2, 5)]
    found = temporal_occurrences(table(rows), f"{CYCLE}, x.value = 5", 5, null="times", seed=1)
    (compared,) = found.comparisons
    assert found.count.value == compared.observed >= 10
    assert compared.verdict == "more frequent" and compared.mean < 1
    assert f"In 199 random graphs of the null model 'times': {compared.mean:.2f}" in found.finding
    again = temporal_occurrences(table(rows), f"{CYCLE}, x.value = 5", 5, null="times", seed=1)
    assert again.comparisons == found.comparisons
    # where each two nodes have events in one direction, there is nothing to draw
    found = temporal_occurrences(table(rows[-3:]), CYCLE, 5, null_samples=9)
    assert (found.comparisons[0].mean, found.comparisons[0].sd) == (1, 0)


def test_a_pattern_in_random_events_is_counted_as_the_census_counts_it():
    rng = np.random.default_rng(4)
    rows = [(*row, 0) for row in rng.integers([5, 5, 90], size=(120, 3)).tolist()]
    for null in ("gaps", "timelines"):
        census = temporal_census(table(rows), 20, null=null, null_samples=9).to_pandas()
        mean = census.set_index("events")["mean"]
        for text in ("1->2, 2->1, 1->2", "1->2, 2->3, 3->1"):
            found = temporal_occurrences(table(rows), text, 20, null=null, null_samples=9)
            assert found.comparisons[0].mean == pytest.approx(mean[text])


def test_time_that_is_up_leaves_an_estimate(monkeypatch):
    rows = random_rows(2, 2000, nodes=30, moments=5000)
    exact = temporal_occurrences(table(rows), CYCLE, 300, null_samples=0, most=10**6)
    assert exact.count.is_exact
    # parts one after the other, and a look at the clock before each
    monkeypatch.setattr(event_search, "_SECONDS_APART", 0.0)
    monkeypatch.setattr(event_search, "num_threads", lambda: 1)
    steps = Steps(interrupts=EndsAfter(300))
    found = temporal_occurrences(table(rows), CYCLE, 300, steps=steps, seed=1)
    assert steps.is_partial and not found.count.is_exact and not found.comparisons
    assert found.count.low < exact.count.value < found.count.high
    # what was found by then is listed
    assert 20 < found.num_listed < exact.num_listed
    assert "no random graph was counted" in found.notes[-1]
    assert found.number.startswith("about ")
    assert {*map(tuple, found.rows.tolist())} <= {*map(tuple, exact.rows.tolist())}


def test_a_search_that_a_signal_ended_goes_on_where_it_was(monkeypatch, tmp_path):
    """A signal is as if time were up: what is known is told, and the rest is counted later."""
    rows = random_rows(2, 2000, nodes=30, moments=5000)
    monkeypatch.setattr(event_search, "_SECONDS_APART", 0.0)
    monkeypatch.setattr(event_search, "num_threads", lambda: 1)
    most = 10**6

    def search(looks, folder):
        kept = {"folder": folder, "identity": {}, "seconds_apart": 0.0}
        steps = Steps(interrupts=EndsAfter(looks), **kept)
        options = {"null_samples": 0, "most": most, "steps": steps}
        return temporal_occurrences(table(rows), CYCLE, 300, **options), steps

    whole, steps = search(10**6, tmp_path / "whole")
    taken = 10**6 - steps.interrupts.looks
    some, steps = search(taken // 2, tmp_path / "job")
    assert steps.is_partial and not some.count.is_exact and some.num_listed
    resumed, steps = search(10**6, tmp_path / "job")
    assert resumed.count == whole.count and resumed.rows.tolist() == whole.rows.tolist()
    assert 10**6 - steps.interrupts.looks < 0.6 * taken
    # and what is counted is not counted again
    _, steps = search(10**6, tmp_path / "job")
    assert steps.interrupts.looks > 10**6 - 5


NO_PLACES = np.empty((0, 3), int)
# occurrences in 4,096 parts, as of events at random, of bursts, and of hubs whose parts hold much
COUNTS_OF_PARTS = {
    "even": lambda rng: rng.poisson(2, 4096),
    "rare": lambda rng: rng.poisson(0.05, 4096),
    "bursts": lambda rng: rng.poisson(rng.gamma(0.4, 5, 4096)),
    "hubs": lambda rng: rng.poisson(rng.lognormal(0, 1.25, 4096)),
}


@pytest.mark.parametrize("num_done", [8, 64, 512])
@pytest.mark.parametrize("kind", COUNTS_OF_PARTS)
def test_an_estimate_has_its_interval_as_often_as_it_says(kind, num_done):
    """Of 400 estimates at least 93% hold the number, less two standard errors."""
    rng = np.random.default_rng(1)
    counts = COUNTS_OF_PARTS[kind](rng)
    hits, above = 0, 0
    for _ in range(400):
        found = PartCounts(rng.choice(counts, num_done, replace=False), len(counts), NO_PLACES).all
        hits += found.low <= counts.sum() <= found.high
        above += found.value > counts.sum()
    assert hits / 400 > 0.93 - 2 * (0.93 * 0.07 / 400) ** 0.5
    # what is estimated is on both sides of the number
    assert 0.05 < above / 400 < 0.8


def test_an_estimate_of_many_parts_is_as_narrow_as_they_allow():
    counts = COUNTS_OF_PARTS["even"](np.random.default_rng(1))
    found = PartCounts(counts[:2048], 4096, NO_PLACES).all
    by_variance = 2 * 1.96 * counts.std() * (0.5 / 2048) ** 0.5 * 4096
    assert found.high - found.low == pytest.approx(by_variance, rel=0.1)
    assert PartCounts(counts, 4096, NO_PLACES).all.value == counts.sum()


def test_an_estimate_of_few_parts_is_wide():
    # parts with equal numbers do not say that all are equal
    found = PartCounts(np.array([1, 1]), 4096, NO_PLACES).all
    assert found.low < 500
    assert found.high > 40_000
    # what was seen is there
    assert PartCounts(np.array([90, 0]), 3, NO_PLACES).all.low == 90
    assert PartCounts(np.zeros(3, int), 400, NO_PLACES).all.high == np.inf


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("A -- B, B -> C", "must have arrows, as A -> B, since events have a direction"),
        ("A -> B, B !> C, B -> C", "must have no absent edges"),
        ("A -> A, A -> B", "must have events between two nodes"),
        ("A -[wire]-> B, B -> A", r'must have no relations, .* as in \[type = "wire"\]'),
        ("A:bank -> B, B -> A", "must have no categories"),
        ("A -> B, C -> D", "must have edges that are joined to each other, got 'C -> D'"),
        ("A -> B", "must have 2 to 6 edges, got 1"),
        (", ".join(["A -> B"] * 7), "must have 2 to 6 edges, got 7"),
        ("A -> B, B -> A, A.degree > 2", "must compare of a node its name alone"),
        ("A -> B, B -> A, A.name = B.name", "must compare of a node its name alone"),
        ('A -> B, B -> A, A.name > "b"', "must have name as text"),
        ("A -> B as x, B -> A, x.sum > 2", "must have attributes of the events, payer, payee"),
        ("A -> B as x, B -> A as y, x.time < 2 * y.time", "must compare times with times, without"),
        ("A -> B as x, B -> A as y, x.time < y.amount", "must compare times with times, without"),
        ("A -> B as x, B -> A as y, x.time < x.time", "must compare the times of two edges"),
        ("A -> B as x, B -> A, x.time > 7", "must compare times with a date, got '7'"),
        ("A -> B as x, B -> A, x.amount > 2024-01-01", "must have amount of edges as a number"),
        ("A -> B as x, B -> A as y, x.text < y.text", "must have text as text, which is compared"),
        ("A -> B as x, B -> A as y, x.text = y.amount", "must have text as text, and amount too"),
        ("A -> B as x, B -> A as y, 2 * x.text = y.text", "must have a factor before numbers"),
        ("A -> B as x, B -> A as y, 0 * x.amount = y.amount", "must have factors from 1e-15"),
        ("A -> B as x, B -> A as y, 2 * x.amount = 4", "must multiply an attribute where it is"),
        ("A -> B as x, B -> A, 2 * > 3", "must have NAME.ATTRIBUTE behind a factor"),
        ("A -> B, B -> A within soon", "window must be a number of at least 0"),
        ("A -> B within 7d, B -> A", "must have edges like a->b"),
    ],
)
def test_what_no_pattern_of_events_can_have_is_refused(text, sentence):
    window = None if "within" in text else "7d"
    with pytest.raises(InputError, match=sentence):
        temporal_occurrences(payments(), text, window, null_samples=0)


def test_a_window_is_given_once():
    for text, window, sentence in (
        (CYCLE, None, "window must be given for a pattern without one; write within 7d"),
        (f"{CYCLE} within 7d", "1h", "window must be given once, got 1h and within 7d"),
    ):
        with pytest.raises(InputError, match=sentence):
            temporal_occurrences(payments(), text, window)
    for text in (f"{CYCLE} within 7d", f"{CYCLE}, within 7d", f"{CYCLE}\nwithin 7d"):
        assert temporal_occurrences(payments(), text, null_samples=0).count.value == 2
    with pytest.raises(InputError, match="must have no window, which is for events in time"):
        gomkcn.count(payments(), f"{CYCLE} within 7d")


def test_edges_that_were_read_without_their_columns_are_refused():
    edges = read_temporal_edges(payments())
    with pytest.raises(InputError, match="graph must have all columns of its table; read_temporal"):
        temporal_occurrences(edges, CYCLE, "7d")
    edges = read_temporal_edges(payments(), with_columns=True)
    assert temporal_occurrences(edges, CYCLE, "7d", null_samples=0).count.value == 2


def test_no_event_has_no_occurrence():
    empty = payments().iloc[:0]
    found = temporal_occurrences(empty.astype({"booked_at": float}), CYCLE, 5, null_samples=3)
    assert (found.count.value, found.rows.shape) == (0, (0, 3))


def test_command_writes_tables_and_a_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    payments().to_csv("tx.csv", index=False)
    said = gomkcn_says(f'temporal tx.csv --pattern "{FALLING}" --null times --out run --quiet')
    assert "1 occurrence; 1 listed, all. In 199 random graphs of the null model 'times':" in said
    assert said.splitlines()[1].split()[:5] == ["0", "x", "1", "ann", "bob"]
    found = gomkcn.load("run")
    assert found.rows.tolist() == [[1, 4, 3]]
    for table in (pd.read_csv("run/occurrences.csv"), pd.read_parquet("run/occurrences.parquet")):
        assert table["row"].tolist() == [1, 4, 3] and table["amount"].tolist() == [100, 90, 81]
        assert pd.to_datetime(table["booked_at"]).dt.day.tolist() == [5, 6, 9]
    page = (tmp_path / "run" / "temporal.html").read_text()
    assert page.count('<tr class="row"') == 1 and "2024-01-05" in page and "ann" in page
    gomkcn_says("temporal --settings run/settings.toml --out again --quiet")
    assert gomkcn.load("again").to_pandas().equals(found.to_pandas())
    gomkcn_says(f'temporal tx.csv --pattern "{CYCLE}" --window 7d --list 1 --out few --quiet')
    few = gomkcn.load("few")
    assert (few.count.value, few.num_listed) == (2, 1)
    for command, sentence in {
        "temporal tx.csv --window 7d --list 3": "--list is for the occurrences of a --pattern",
        f'temporal tx.csv --pattern "{CYCLE}"': "--window must be given for a pattern without one",
        f'temporal tx.csv --pattern "{CYCLE}" --window 7d --list -1': "--list must be at least 0",
        'temporal tx.csv --pattern "A -> B" --window 7d': "--pattern must have 2 to 6 edges",
    }.items():
        assert sentence in refused(command)
    assert not (tmp_path / "runs").exists()


PAID = pd.DataFrame(
    {
        "payer": ["a", "b", "c"],
        "payee": ["b", "c", "a"],
        "booked_at": pd.to_datetime(["2024-03-01", "2024-03-02", "2024-04-02"]),
        "amount": [1567.8, 12755.48, 900.0],
    }
)


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("y.booked_at <= x.booked_at + 2d", "without sums; within 2d behind a pattern of events"),
        ("y.amount + z.amount >= x.amount", "or these times a number, without sums"),
        ("y.amount >= 5 + x.amount", "or these times a number, without sums"),
        ("x.booked_at >= 01/03/2024", "must have dates as 2024-03-31, got 01/03/2024"),
        ("2 * x.amount * 3 > y.amount", "must have one factor of an attribute"),
        ("y.amout >= x.amount", "amount, got 'amout'; perhaps amount is meant"),
    ],
)
def test_a_condition_that_is_not_taken_is_refused_with_what_works(condition, said):
    with pytest.raises(InputError) as error:
        temporal_occurrences(PAID, f"{CYCLE}, {condition}", "60d", null="none")
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("condition", "number"),
    [
        ("x.amount * .9 <= y.amount", 1),
        ("x.amount * 9 <= y.amount", 0),
        ("z.booked_at < '2024-04-03'", 1),
        ("z.booked_at < '2024-04-02'", 0),
        ("A.name = 'a'", 1),
        ("A.name = 'b'", 0),
    ],
)
def test_a_factor_may_be_behind_and_quotes_may_be_single(condition, number):
    found = temporal_occurrences(PAID, f"{CYCLE}, {condition}", "60d", null="none")
    assert found.count.value == number and not found.comparisons


def test_a_null_model_that_changes_hardly_anything_is_named():
    """Of pairs with one event, directions moves nothing; of two events, gaps moves none."""
    for null, number in (("directions", 1), ("gaps", 2)):
        few = pd.concat([PAID] * number)
        found = temporal_occurrences(few, CYCLE, "60d", null=null, null_samples=2)
        assert found.notes[-1].startswith(f"random graphs of the null model '{null}' are nearly")
        assert "times change all" in found.notes[-1]
        assert found.comparisons[0].sd == 0
        many = temporal_occurrences(pd.concat([PAID] * 3), CYCLE, "60d", null=null, null_samples=2)
        assert not any("nearly the graph itself" in note for note in many.notes)
    census = temporal_census(PAID, "60d", null_samples=2)
    assert any("it can change 0 of 3 events" in note for note in census.notes)
    assert not temporal_census(PAID, "60d", null="none").comparisons


def test_what_is_shown_of_events_lines_up_and_files_keep_the_values():
    found = temporal_occurrences(PAID, f"{CYCLE}, x.amount > 1", "60d", null="none")
    listed = ListedOccurrences(found, 10)
    shown = {
        column.key: [column.text_of(row) for row in listed.events]
        for column in event_columns(listed.events, found)
    }
    assert shown["amount"] == ["1,567.80", "12,755.48", "900.00"]
    assert shown["booked_at"] == ["2024-03-01", "2024-03-02", "2024-04-02"]
    assert found.to_pandas()["amount"].tolist() == [1567.8, 12755.48, 900.0]
    row = {column.key: column.text_of(listed.rows[0]) for column in listed.columns}
    assert row == {
        "occurrence": "0", "A": "a", "B": "b", "C": "c", "start": "2024-03-01",
        "duration": "32 d", "first amount": "1,567.80", "last amount": "900.00",
    }  # fmt: skip


def test_seconds_since_1970_are_shown_as_dates_and_columns_without_names_by_their_role(tmp_path):
    (tmp_path / "mail.txt").write_text("7 8 1084093598\n8 7 1084093658\n")
    found = temporal_occurrences(tmp_path / "mail.txt", "A -> B, B -> A within 1h", null="none")
    frame = found.to_pandas()
    assert [*frame.columns] == ["occurrence", "edge", "row", "source", "target", "time"]
    assert frame["time"].tolist() == [1084093598, 1084093658]
    listed = ListedOccurrences(found, 10)
    assert str(listed.events[0]["time"]) == "2004-05-09 09:06:38"
    assert listed.columns[-1].text_of(listed.rows[0]) == "1 min" and listed.value is None


def test_who_is_in_several_occurrences_is_listed_once_an_occurrence():
    rows = [("a", "b", 1), ("b", "a", 2), ("b", "c", 3), ("c", "b", 4), ("d", "e", 5)]
    frame = pd.DataFrame([*rows, ("e", "d", 6)], columns=["source", "target", "time"])
    found = temporal_occurrences(frame, "A -> B, B -> A", 1, null="none")
    assert ListedOccurrences(found, 1).shared == [("b", 2)]
