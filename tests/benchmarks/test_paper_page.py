"""The page on the paper: its numbers are computed, and its claims are those of the results."""

import re
import shutil
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest
from paper import epoch_time, frequent, sensitivity
from paper.table import HERE as PAPER
from registry import HERE

from gomkcn.mining import FilterLearning

SITE = HERE.parent / "docs" / "site"
sys.path.insert(0, str(SITE))

import paper_results  # noqa: E402
from draw_paper import PICTURES, draw_paper_pictures  # noqa: E402
from make_paper_page import fill_values, make_page  # noqa: E402

TEXT = (SITE / "paper.md.in").read_text("utf-8")
PAGE = (SITE.parent / "paper.md").read_text("utf-8")
STORED = SITE.parent / "static" / "paper"
# what the paper's experiments are, and what a setting is called: no number that was measured
SETTINGS = {
    *(
        "2504.16360",
        "6",
        "7",
        "7b",
        "7c",
        "8",
        "8b",
        "9",
        "10",
        "11",
        "12",
    ),  # the paper and its figures
    *(".1", ".3", ".9", ".05", "300", "3", "100", "760", "800", "1,000", "8,000", "25"),
    *("4090", "0", "1", "16", "200", "100%"),
}
MADE_FOR_THE_PAGE = ("frequent", "data_sets", "drawings", "sensitivity", "epoch_time")
# of what a page may have, in bytes
LARGEST_PICTURE = 150_000


@pytest.fixture(scope="module")
def values():
    return paper_results.values()


def accuracies(name):
    """Of each model and data set: the accuracy here, and what is printed."""
    experiment, cells, _ = paper_results.accuracy(name)
    return {
        key: (cell.mean, experiment.printed[key[0]][key[1]][0])
        for key, cell in cells.items()
        if key[1] in experiment.printed.get(key[0], {})
    }


def test_the_stored_page_and_its_pictures_are_those_of_the_results():
    """Where this fails, the results or the text have changed: docs/site/make_paper_page.py."""
    assert make_page() == PAGE
    made_of = {
        path.stem: re.search(r"<dc:source>(\w+)</dc:source>", path.read_text("utf-8"))[1]
        for path in STORED.glob("*.svg")
    }
    assert made_of == dict.fromkeys(PICTURES, paper_results.fingerprint())


def test_the_fingerprint_is_that_of_every_result_of_the_page(tmp_path, monkeypatch):
    """A line more in any of the results, or another setting, is told."""
    shutil.copytree(PAPER, tmp_path / "paper", ignore=shutil.ignore_patterns("*.py", "*.md"))
    monkeypatch.setattr(paper_results, "PAPER", tmp_path / "paper")
    seen = {paper_results.fingerprint()}
    names = [*paper_results.ROW_EXPERIMENTS, *paper_results.ACCURACIES]
    for name in names:
        for path in (f"{name}.toml", f"results/{name}.jsonl"):
            with (tmp_path / "paper" / path).open("a") as file:
                file.write("\n")
            seen.add(paper_results.fingerprint())
    assert len(seen) == 1 + 2 * len(names)


def test_every_value_is_filled_in_and_no_measured_number_is_typed(values):
    filled = fill_values(TEXT, values)
    assert "{{" not in filled and "nan" not in filled
    with pytest.raises(KeyError):
        fill_values("{{ unknown }}", values)
    prose = re.sub(r"\{\{ \w+ \}\}|^ {4}.*$|`[^`\n]*`|\]\([^)]*\)", " ", TEXT, flags=re.M)
    typed = set(re.findall(r"(?<![\w.])[\d.,]*\d\w?%?", prose))
    assert typed <= set(SETTINGS)


@pytest.mark.parametrize("name", MADE_FOR_THE_PAGE)
def test_the_results_are_whole_and_the_tables_are_theirs(name, tmp_path):
    experiment = paper_results.ROW_EXPERIMENTS[name]
    settings = experiment.settings(smoke=False)
    lines = paper_results.lines(name)
    assert len(lines) == len(list(experiment.rows(settings)))
    experiment.write(tmp_path, lines, settings)
    # the first line says when and where
    made, kept = (
        (folder / f"{name}.md").read_text("utf-8").splitlines()[1:]
        for folder in (tmp_path, PAPER / "results")
    )
    assert made == kept


def test_the_settings_of_the_paper_and_what_replaces_them():
    printed = FilterLearning.paper()
    assert frequent.learning_of({"paper": True}) == printed
    assert frequent.learning_of({}) == FilterLearning()
    changed = frequent.learning_of({"paper": True, "matching": "optimal", "init": "random"})
    assert changed == replace(printed, kernel=replace(printed.kernel, matching="optimal"))


def test_an_epoch_is_what_a_longer_training_takes_more(monkeypatch):
    clock = [0.0]

    class Family:
        def trial(self, data, split, params, seed):
            # what happens once, and each epoch
            clock[0] += 3 + 2 * params["epochs"]

    monkeypatch.setattr(epoch_time.time, "process_time", lambda: clock[0])
    monkeypatch.setattr(epoch_time, "families_of", lambda kind: {"model": Family()})
    settings = {"epochs": 6, "params": {"epochs": None}}
    assert epoch_time.epoch_seconds(SimpleNamespace(splits=[None]), "model", settings) == 2


def test_the_points_of_a_figure():
    figure = {"splits": 1, "epochs": 9, "num_layers": [1, 2], "num_steps": [0, 1]}
    grid = sensitivity.points({"max_nodes": 8}, figure)
    # the axes first
    assert [(one["num_layers"], one["num_steps"]) for one in grid] == [
        (1, 0),
        (1, 1),
        (2, 1),
        (2, 0),
    ]
    assert all(one["max_nodes"] == 8 and one["epochs"] == 9 for one in grid)
    sizes = sensitivity.points(
        {"num_layers": 1, "num_steps": 1, "max_nodes": 8}, {"splits": 2, "filter_size": [3, 5]}
    )
    assert [(one["max_nodes"], one["filter_size"]) for one in sizes] == [(3, 3), (5, 5)]


def test_what_is_said_of_the_filters(values):
    courses = {
        line["name"]: line
        for line in paper_results.lines("drawings")
        if line["drawing"] == "course"
    }
    edges = re.fullmatch(r"(\d+) edges where the target has (\d+)", values["course_gomk"])
    assert edges[1] == edges[2]
    size = len(courses["RWK+"]["target"]["weights"])
    assert values["course_rwk"].startswith(f"{size * (size - 1) // 2} edges")
    # features differ and are noise: the paper's settings find no motif set, ours all
    as_printed = values["frequent_as_printed_per_node"].split(" of ")
    assert int(as_printed[0]) < int(as_printed[1]) / 2
    done, every = map(int, values["frequent_defaults_per_node"].split(" of "))
    assert done > every / 2
    assert values["interp_from_classes_motifs"] == "4.0"
    both = [
        [
            values[f"frequent_{name}_{features}"].split(" of ")
            for features in ("per_node", "constant")
        ]
        for name in ("as_printed", "defaults")
    ]
    printed, ours = (sum(int(done) for done, _ in each) for each in both)
    every = sum(int(number) for _, number in both[0])
    readme = (PAPER / "README.md").read_text("utf-8")
    words = {0: "none"}
    assert f"settings {words.get(printed, printed)} of {every} graphs shows all four" in readme
    assert f"show all four in {ours} of {every}, before" in readme
    assert values["interp_random_start_motifs"] == "0.0"


def test_what_is_said_of_the_accuracies(values):
    assert values["node_ahead"] == values["graph_ahead"] == "none"
    nodes, graphs = accuracies("node_classification"), accuracies("graph_classification")
    assert all(here < printed for (model, _), (here, printed) in nodes.items() if model == "GOMKCN")
    for model in ("GCN", "GraphSAGE", "SAGPool", "TopKPool"):
        here, printed = graphs[model, "ENZYMES"]
        assert here > printed + 20
    for data in ("cora", "citeseer"):
        best = float(values[f"size_{data}_best"].split()[0])
        assert best > float(values[f"size_{data}_one"]) + 1
        assert best > float(values[f"size_{data}_most"].split()[0])
    assert values["depth_cora_best"].split(" at ")[1].startswith("L = 1,")


@pytest.mark.slow
def test_the_pictures_are_drawn_and_small(tmp_path):
    draw_paper_pictures(tmp_path)
    drawn = {path.stem: path.stat().st_size for path in tmp_path.glob("*.svg")}
    assert set(drawn) == set(PICTURES)
    assert max(drawn.values()) < LARGEST_PICTURE
    # plain Markdown, which is shown in a checkout too; none is left over
    shown = re.findall(r"^!\[[^\]]+\]\(static/paper/(\w+)\.svg\)$", PAGE, re.M)
    assert sorted(shown) == sorted(drawn) == sorted(path.stem for path in STORED.iterdir())
    assert "```" not in PAGE
