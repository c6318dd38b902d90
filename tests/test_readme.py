"""The README: its Python runs, and its commands have the options that it gives them."""

import re
import shlex
from pathlib import Path

import click
import pytest
from command_line import gomkcn

from gomkcn.commands.main import main

ROOT = Path(__file__).resolve().parents[1]
PAGES = {name: (ROOT / name).read_text("utf-8") for name in ("README.md", "benchmarks/README.md")}
BLOCKS = [
    block for page in PAGES.values() for block in re.findall(r"```python\n(.*?)```", page, re.S)
]
# what is beside a command is set off by two spaces
LINES = {
    line.split("  ")[0].strip().removeprefix("`").split("`")[0]
    for page in PAGES.values()
    for line in re.findall(r"(?:^ {4}|`)(gomkcn [a-z].*)$", page, re.M)
}


@pytest.mark.parametrize("block", BLOCKS)
def test_the_examples_run(block, folder, capsys):
    exec(block, {})
    assert capsys.readouterr().out


@pytest.mark.parametrize("line", sorted(LINES))
def test_the_commands_exist(line):
    command, words = main, shlex.split(line)[1:]
    while isinstance(command, click.Group):
        assert words[0] in command.commands
        command = command.commands[words.pop(0)]
    with click.Context(command, **main.context_settings) as context:
        # an option that does not exist is refused here; no file is opened
        command.make_parser(context).parse_args([word for word in words if word != "--help"])


def test_the_first_table_is_what_the_first_command_prints(folder):
    lines = PAGES["README.md"].splitlines()
    first = next(i for i, line in enumerate(lines) if line.lstrip().startswith("pattern  what"))
    shown = [" ".join(line.split()) for line in lines[first : first + 6]]
    gomkcn("generate planted --out planted.bin")
    printed = [" ".join(line.split()) for line in gomkcn("mine planted.bin --out run").splitlines()]
    assert printed[:6] == shown
