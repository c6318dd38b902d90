"""Each number of the README has a claim, and the pages say what was recorded."""

import re
import statistics
import subprocess

import claims
import click
import pytest
import record
from claims import Claim, ClaimError, Command, check, fill, read_claims, uncovered
from click.testing import CliRunner
from paper.protocol import read_experiment
from paper.records import read_records
from paper.table import HERE as PAPER
from paper.table import cells
from registry import BENCHMARKS, HERE

from gomkcn.commands.train_command import train

COMMANDS, CLAIMS = read_claims()
OF_README = [one for one in CLAIMS if one.page == "README.md"]
TABLES = {one.name: one.path.read_text("utf-8") for one in BENCHMARKS}


@pytest.mark.parametrize("name", COMMANDS)
def test_pages_say_what_was_recorded(name):
    of_command = [one for one in CLAIMS if one.command == name]
    assert of_command
    assert list(check(of_command, COMMANDS[name].record.read_text("utf-8"))) == []


def test_each_number_of_the_readme_is_in_a_claim():
    assert uncovered("README.md", CLAIMS) == []


def test_ci_makes_most_numbers_of_the_readme_anew():
    anew = [
        one.num_numbers
        for one in OF_README
        if COMMANDS[one.command].is_quick and not COMMANDS[one.command].needs_real_data
    ]
    assert sum(anew) >= 0.6 * sum(one.num_numbers for one in OF_README)


def test_no_record_of_a_command_is_of_a_commit_with_changes():
    users = [one for one in COMMANDS.values() if not one.benchmark]
    assert len(users) > 8
    for command in users:
        assert re.match(r"Commit [0-9a-f]{12}, 20\d\d-", claims.of_record(command))
    assert all("ommit" in claims.of_record(one) for one in COMMANDS.values())
    assert {one.stem for one in claims.RECORDS.glob("*")} == {one.name for one in users}


@pytest.fixture
def page(tmp_path, monkeypatch):
    """A page of a project of its own."""
    monkeypatch.setattr(claims, "ROOT", tmp_path)
    return tmp_path / "page.md"


COPIES = Claim("page.md", "finds {} of {} copies", "mine", prints=("copies: {}, all {_}, {}",))
TIME = Claim("page.md", "in {} seconds", "mine", prints=("took {}",), within=2)


def test_a_number_that_differs_is_told_and_filled(page):
    page.write_text("It finds 1,940\nof 2,000 copies in 3 seconds.", "utf-8")
    assert list(check([COPIES, TIME], "copies: 1940, all 7, 2000\ntook 5.5")) == []
    output = "copies: 1950, all 7, 2000\ntook 6.5"
    copies, time = check([COPIES, TIME], output)
    assert copies.startswith("page.md says 1,940, mine makes 1950") and "says 3" in time
    fill([COPIES], {"mine": output})
    assert page.read_text("utf-8") == "It finds 1,950\nof 2,000 copies in 3 seconds."
    longer = "copies: 950000, all 7, 10000\ntook 6.5"
    fill([COPIES, TIME], {"mine": longer})
    assert page.read_text("utf-8") == "It finds 950,000\nof 10,000 copies in 6.5 seconds."


def test_a_command_whose_data_are_not_there_is_skipped(tmp_path):
    drugs = Command("drugs", ("gomkcn mine drugs.smi",), 1, data=("drugs.smi",))
    mutag = Command("mutag", ("gomkcn mine MUTAG",), 1, data=("drugs.smi", "MUTAG*/MUTAG"))
    assert not drugs.needs_real_data and mutag.needs_real_data
    assert mutag.paths(tmp_path) is None
    (tmp_path / "MUTAG_1" / "MUTAG").mkdir(parents=True)
    assert [one.name for one in mutag.paths(tmp_path)] == ["drugs.smi", "MUTAG"]


def test_what_is_not_said_or_not_printed_is_told(page):
    page.write_text("It finds many copies.", "utf-8")
    assert "page.md has 0 times" in next(check([COPIES], "copies: 1, all 7, 2"))
    page.write_text("It finds 1 of 2 copies. It finds 1 of 2 copies.", "utf-8")
    assert "page.md has 2 times" in next(check([COPIES], "copies: 1, all 7, 2"))
    page.write_text("It finds 1 of 2 copies.", "utf-8")
    assert "mine does not print" in next(check([COPIES], "copies: many"))
    with pytest.raises(ClaimError, match="prints 1 numbers"):
        Claim("page.md", "{} of {}", "mine", prints=("copies: {}",)).made("copies: 1")


def test_numbers_in_sentences_tables_and_output_are_seen(page):
    text = """It takes 3 s with Python 3.10 to 3.13, `--seed 5` and [10 files](a7.md) on an H100.

    gomkcn mine x --seed 9
    4 filters

| a | .25 and 1,000% |
"""
    page.write_text(text, "utf-8")
    seen = [re.search(r"\[(.*?)\]", line)[1] for line in uncovered("page.md", [])]
    assert seen == ["3", "10", "4", ".25", "1,000"]
    # what a phrase has beside its numbers is in no claim
    claim = Claim(
        "page.md", "takes {} s with Python 3.10 to 3.13, `--seed 5` and [10 files", "mine"
    )
    assert len(uncovered("page.md", [claim])) == 4


def test_expressions_see_the_tables():
    output = "| graph | found so far |\n|---|---|\n| a | 3 of 4 |\n| b | 1 of 4 |\n"
    fields = ("total([row['found so far'] for row in rows()])[0]", "rows(found_so_far='1 of 4')[0]")
    assert Claim("", "{} of", "", fields=fields[:1]).made(output) == ["4"]
    assert "'b'" in Claim("", "{}", "", fields=fields[1:]).made(output)[0]


def test_a_commit_with_changes_is_refused(tmp_path, monkeypatch):
    def git(*words):
        who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run(["git", "-C", str(tmp_path), *who, *words], check=True, capture_output=True)

    monkeypatch.setattr(record, "HERE", tmp_path / "benchmarks")
    with pytest.raises(click.ClickException, match="on a clean commit, got None"):
        record.clean_commit()
    code, table = tmp_path / "code.py", tmp_path / "benchmarks" / "results" / "one.jsonl"
    table.parent.mkdir(parents=True)
    for file in (code, table):
        file.write_text("1")
    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    assert re.fullmatch("[0-9a-f]{12}", record.clean_commit())
    # one record after the other is written
    table.write_text("2")
    record.clean_commit()
    code.write_text("2")
    with pytest.raises(click.ClickException, match=r"got [0-9a-f]{12}-dirty; commit what"):
        record.clean_commit()


def test_facts_of_the_tables_that_sentences_rest_on():
    for name in ("census_speed", "reading", "frequent_subgraphs", "temporal"):
        equal = {
            cell
            for table in claims.Tables(TABLES[name]).tables
            for row in table
            for column, cell in row.items()
            if column.startswith("equal")
        }
        assert equal <= {"yes", "–"} and "yes" in equal
    assert "all numbers of" in TABLES["class_patterns"]
    assert "agree with direct counts" in TABLES["class_patterns"]
    # the sentences that say so leave with the first numbers of a GPU
    for name in ("training_step", "filters"):
        assert "not yet measured" in TABLES[name]


def accuracies(name):
    """An experiment of the paper, and its cells by model and data set."""
    experiment = read_experiment(PAPER / f"{name}.toml")
    records = read_records(PAPER / "results" / f"{name}.jsonl")
    return experiment, cells(experiment, records), records


def test_cost_of_the_kernel_machine():
    experiment, by_key, records = accuracies("machine_classification")
    model_of = {
        "all nodes": "GOMK machine",
        "`--most-nodes 16`": "machine of 16 nodes",
        "`--num-patterns 64`": "machine of 64 patterns",
    }
    text = (HERE.parent / "docs/howto/classify.md").read_text("utf-8")
    for words, model in model_of.items():
        (line,) = re.findall(rf"^\| {re.escape(words)} \|.*$", text, re.M)
        for data, cell in zip(experiment.data_sets, line.split(" | ")[1:], strict=True):
            # the machine takes patterns by itself where graphs are large
            of_machine = "GOMK machine" if data in ("DD", "REDDIT-BINARY") else model
            if "%" in cell:
                spent = [
                    one["cpu_seconds"] for one in records
                    if (one["model"], one["data"]) == (of_machine, data)
                ]  # fmt: skip
                mean = by_key[of_machine, data].mean
                assert cell.strip(" |") == f"{statistics.median(spent):.0f} s, {mean:.1f}%"


def test_the_help_has_the_accuracies_of_both_settings_of_training():
    tables = claims.Tables(TABLES["trained"])
    printed, tuned = (
        claims.value(tables.rows(command=f"`train --preset {name}`")[0]["test accuracy"])
        for name in ("paper", "tuned")
    )
    assert printed < 0.9 < tuned
    shown = " ".join(CliRunner().invoke(train, ["--help"]).output.split())
    assert f"accuracy of {claims.short(printed)} on 800 graphs" in shown
    assert f"contrast and matching, with {tuned:.2f}" in shown
