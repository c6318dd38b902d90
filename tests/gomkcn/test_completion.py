"""What the shell completes: words of options are those that the library takes."""

import os
import subprocess
import sys

import pytest
from click.shell_completion import ShellComplete

from gomkcn.commands import options
from gomkcn.commands.main import main
from gomkcn.mining.counting.query import READINGS
from gomkcn.mining.significance.null_models import NULL_MODELS


def completed(*words):
    """What is offered for the last of some words of a command line."""
    shell = ShellComplete(main, {}, "gomkcn", "_GOMKCN_COMPLETE")
    return [item.value for item in shell.get_completions(list(words[:-1]), words[-1])]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("mine g.txt --null ", [*NULL_MODELS, "none"]),
        ("mine g.txt --null j", [name for name in NULL_MODELS if name.startswith("j")]),
        ("mine g.txt --null", ["--null"]),
        ("temporal m.csv --null t", ["timelines", "times"]),
        ("export run --format ", ["csv", "parquet", "graphml", "sdf"]),
        ("census g.txt --reading s", ["subgraph"]),
        ("info --format gr", ["graphml", "graph6"]),
        ("count feed-", ["feed-forward-loop"]),
        ("count tri", ["triangle", "triangle-001", "triangle-011"]),
        ("temp", ["temporal"]),
    ],
)
def test_words_are_completed(line, words):
    assert completed(*line.split(" ")) == words


def test_the_readings_are_those_of_the_library():
    assert options.READINGS == READINGS


def test_files_are_left_to_the_shell():
    shell = ShellComplete(main, {}, "gomkcn", "_GOMKCN_COMPLETE")
    for line in (["info"], ["count", "triangle"], ["census", "g.txt", "--out"]):
        (item,) = shell.get_completions(line, "gr")
        assert (item.value, item.type) == ("gr", "file")


def test_the_line_of_the_docs_gives_the_shell_its_function():
    environment = {**os.environ, "_GOMKCN_COMPLETE": "bash_source"}
    command = [
        sys.executable,
        "-c",
        "from gomkcn.commands.main import main; main(prog_name='gomkcn')",
    ]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert "complete -o nosort -F _gomkcn_completion gomkcn" in ran.stdout
