"""--minimum and --maximum in every command that reads edges: as if the file had only those kept."""

import datetime as dt
import re
from pathlib import Path

import click
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from both_doors import all_commands
from command_line import gomkcn, invoke, refused
from graph_files import typed_graph

from gomkcn import read_temporal_edges, temporal_census, temporal_occurrences
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.io.dgl_files import write_dgl_graphs
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.runtime.files import parse_toml

pytestmark = pytest.mark.usefixtures("folder")
OF_SCORES = "--minimum score=3 --max score=7"
BOUNDS = f"{OF_SCORES} --max booked=2024-01-20"
QUICK = "--num-epochs 1 --num-hops 1 --filter-size 3 --num-filters 2 --num-levels 1"
# the command line of each command, without its output, and whether it leaves a folder
COMMANDS = {
    "info": ("info g.csv", False),
    "convert": ("convert g.csv converted.graph --force", False),
    "census": ("census g.csv --sizes 3", False),
    "count": ("count 'A -> B, B -> C' g.csv", False),
    "temporal": ("temporal g.csv --window 2d --null-samples 3", True),
    "compare": ("compare g.csv other.csv --null none", True),
    "blocks": ("blocks g.csv --null-samples 0", True),
    "frequent": ("frequent g.bin --support 1 --sizes 2-3", True),
    "mine": ("mine g.csv --filters none --pattern-size 3 --null none", True),
    "filters": (f"filters g.csv {QUICK}", True),
    "train": (f"train g.csv --nodes --method network {QUICK}", True),
}
# lines that are of one run alone
_OF_A_RUN = ("done in", "notes ", "page:", "wrote", "best epoch")


def events():
    """120 events of 12 nodes late in the day, no two at once, with scores, some of them missing."""
    rng = np.random.default_rng(3)
    ends = rng.integers(12, size=(120, 2))
    days = pd.Timestamp("2024-01-01 23:59:59") + pd.to_timedelta(rng.integers(30, size=120), "D")
    days -= pd.to_timedelta(np.arange(120), "s")
    scores = rng.integers(10, size=120).astype(object)
    scores[:5] = ""
    return pd.DataFrame(
        {"source": ends[:, 0], "target": ends[:, 1], "booked": days.astype(str), "score": scores}
    )


def kept(rows, dates=True):
    score = pd.to_numeric(rows.score)
    in_time = (rows.booked < "2024-01-21") if dates else True
    return rows[(score >= 3) & (score <= 7) & in_time]


def write(rows):
    """The events as a table, and as two graphs, of the first 60 events and of the others."""
    rows.to_csv("g.csv", index=False)
    graphs = []
    for _, half in rows.groupby(rows.index < 60):
        score = pd.to_numeric(half.score).to_numpy(float)
        graphs.append(typed_graph(half[["source", "target"]], 12, edges={"score": score}))
    write_dgl_graphs("g.bin", graphs)


@pytest.fixture
def rows():
    found = events()
    nodes = pd.DataFrame({"id": range(12), "size": 1.0, "class": [*"ab"] * 6})
    nodes.to_csv("g.features.csv", index=False)
    kept(found).head(20).to_csv("other.csv", index=False)
    return found


def run(command, has_folder):
    """What a command prints, without what is of one run, what it reads, and what the log says."""
    ran = invoke(command + (" --out run --force" if has_folder else ""))
    assert ran.exit_code == 0, ran.stderr
    lines = [line for line in ran.stdout.splitlines() if not line.startswith(_OF_A_RUN)]
    return lines + re.findall(r"read g\..*", ran.stderr), ran.stderr


def test_these_are_all_commands_that_read_edges():
    reading = {}
    for (name, *_), command in all_commands().items():
        options = {param.name: param for param in command.params if isinstance(param, click.Option)}
        if "source" in options and "target" in options:
            reading[name] = options
    assert reading.keys() == COMMANDS.keys()
    for options in reading.values():
        assert options["minimum"].opts == ["--minimum", "--min"]
        assert options["maximum"].opts == ["--maximum", "--max"]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_sees_the_edges_within_the_bounds_alone(name, rows):
    command, has_folder = COMMANDS[name]
    write(rows)
    bounds = OF_SCORES if name == "frequent" else BOUNDS
    found, said = run(f"{command} {bounds}", has_folder)
    notes = ["'score' is below 3 or missing", "'score' is above 7", "'booked' is after 2024-01-20"]
    for note in notes[: bounds.count("--m")]:
        assert re.search(rf"left out \d+ of 120 edges, whose {note}", said)
    write(kept(rows, dates=name != "frequent"))
    assert found == run(command, has_folder)[0]


def test_a_day_as_the_most_is_kept_to_its_end():
    times = ["2024-01-31", "2024-01-31 23:59:59.999999", "2024-02-01", "2024-02-01 10:00", None]
    table = pd.DataFrame({"source": range(5), "target": range(1, 6), "booked": times})
    table.to_csv("g.csv", index=False)
    day = dt.date(2024, 1, 31)
    for most, number, said in [
        ("2024-01-31", 2, "after 2024-01-31 or missing"),
        ("2024-01-31 UTC", 2, "after 2024-01-31 or"),
        ("31/01/2024", 2, "after 2024-01-31 or"),
        (day, 2, "after 2024-01-31 or"),
        (np.datetime64(day), 2, "after 2024-01-31 or"),
        (dt.datetime(2024, 1, 31), 1, "after 2024-01-31 00:00:00 or"),
        ("2024-01-31 00:00", 1, "after 2024-01-31 00:00:00 or"),
        ("2024-02-01 10:00", 4, "after 2024-02-01 10:00:00 or"),
    ]:
        graph = read_graph("g.csv", maximum={"booked": most})
        assert graph.num_edges == number, most
        assert any(said in note for note in graph.notes), most
    # the begin of the day is the least that it is
    assert read_graph("g.csv", minimum={"booked": "2024-02-01"}).num_edges == 2
    assert read_graph("g.csv", minimum={"booked": day}, maximum={"booked": day}).num_edges == 2


def test_the_most_value_of_numbers_is_kept():
    pd.DataFrame({"a": range(4), "b": range(1, 5), "p": [1, 2, 2.5, None]}).to_csv("g.csv")
    assert read_graph("g.csv", source="a", target="b", maximum=["p=2"]).num_edges == 2
    assert read_graph("g.csv", source="a", target="b", minimum=["p=2"]).num_edges == 2
    both = read_graph("g.csv", source="a", target="b", minimum={"p": 2}, maximum={"p": 2})
    assert both.num_edges == 1


def test_bounds_of_events(rows):
    """Tables, files and graphs of NetworkX: the events are those of a table without the others."""
    write(rows)
    table = rows.assign(score=pd.to_numeric(rows.score))
    graph = nx.MultiDiGraph()
    for row in table.itertuples():
        graph.add_edge(row.source, row.target, time=row.booked, score=row.score, booked=row.booked)
    given = {"minimum": {"score": 3}, "maximum": ["score=7", "booked=2024-01-20"]}
    inside = kept(rows)
    expected = temporal_census(inside, "2d", null_samples=0).counts
    cycle = "A -> B, B -> C within 2d"
    found = temporal_occurrences(inside, cycle, null_samples=0)
    for events in (table, "g.csv", graph):
        read = read_temporal_edges(events, with_columns=True, **given)
        census = temporal_census(read, "2d", null_samples=0)
        np.testing.assert_array_equal(census.counts, expected)
        assert len([note for note in census.notes if note.startswith("left out")]) == 3
        bounded = temporal_occurrences(read, cycle, null_samples=0)
        assert bounded.count.value == found.count.value > 0
    # rows are those of the input
    edges = read_temporal_edges(table, with_columns=True, **given)
    again = temporal_occurrences(edges, cycle, null_samples=0)
    assert inside.index.to_numpy()[found.rows - 1].tolist() == (again.rows - 1).tolist()
    assert edges.column("score") == [table.score[row - 1] for row in edges.rows.tolist()]


def test_an_event_that_is_left_out_needs_no_time():
    table = pd.DataFrame(
        {"source": [1, 2, 3], "target": [2, 3, 1], "time": ["5", "", "7"], "p": [1, 0, 1]}
    )
    assert read_temporal_edges(table, minimum={"p": 1}).rows.tolist() == [1, 3]
    table["p"] = [0, 1, 1]
    with pytest.raises(InputError, match=r"2\D.*must have a time|2\D.*was expected as time"):
        read_temporal_edges(table, minimum={"p": 1})


def test_bounds_stand_in_settings(rows):
    write(rows)
    gomkcn(f"temporal g.csv --window 2d --null-samples 0 --out run {BOUNDS}")
    settings = Path("run/settings.toml").read_bytes()
    table = parse_toml(settings)["temporal"]
    assert table["minimum"] == ["score=3"]
    assert table["maximum"] == ["score=7", "booked=2024-01-20"]
    gomkcn("temporal --settings run/settings.toml --out again")
    assert Path("run/motifs.csv").read_bytes() == Path("again/motifs.csv").read_bytes()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("--max score", "--maximum must say the most value of an edge attribute, such as score=7"),
        ("--min score=much", "--minimum must say the least value of an edge attribute"),
        ("--max speed=1", "--maximum must name a column among source, target, booked, score"),
        ("--max source=2024-01-01", "--maximum must be a number, since 'source' does not hold"),
        ("--max score=-1", "--maximum must leave an edge, and it leaves none of 120"),
    ],
)
def test_bounds_that_cannot_be_are_refused(rows, given, sentence):
    write(rows)
    assert sentence in refused(f"info g.csv {given}")
    assert sentence in refused(f"temporal g.csv --window 2d {given} --out run")


def test_bounds_are_of_edges_that_are_still_to_be_read(rows):
    edges = read_temporal_edges(kept(rows))
    with pytest.raises(InputError, match="maximum is for edges that are still to be read"):
        read_temporal_edges(edges, maximum={"score": 3})
    with pytest.raises(InputTypeError, match="maximum must say the most value"):
        read_graph("g.csv", maximum="score=3")
    graph = nx.DiGraph([(0, 1, {"time": 1})])
    with pytest.raises(InputError, match="one of those in the graph, .*time, got 'score'"):
        read_temporal_edges(graph, maximum={"score": 3})


def test_what_is_predicted_has_the_bounds_of_the_training(rows):
    write(rows)
    gomkcn(f"train g.csv --nodes --method network {QUICK} --quiet {BOUNDS} --out run")
    said = invoke("predict run g.csv").stderr
    assert said.count("of 120 edges") == 3
