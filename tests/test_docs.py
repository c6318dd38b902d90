"""The site: its Python runs, its commands have the options it gives them, it has every name."""

import re
import shlex
from pathlib import Path

import click
import pytest

import gomkcn
from gomkcn.commands.main import main

DOCS = Path(__file__).resolve().parents[1] / "docs"
MADE = {"_build", "gallery", "pictures", "results"}
PAGES = {
    path.relative_to(DOCS).as_posix(): path.read_text("utf-8")
    for path in sorted(DOCS.rglob("*.md"))
    if not MADE & set(path.relative_to(DOCS).parts)
}
BLOCKS = {
    name: blocks
    for name, page in PAGES.items()
    if (blocks := re.findall(r"```python\n(.*?)```", page, re.S))
}
COMMANDS = sorted(
    {
        line.split("-m ")[-1].split("  ")[0].strip(" `")
        for page in PAGES.values()
        for line in re.findall(
            r"^ *((?:torchrun .* -m )?gomkcn [a-z].*)$", page.replace("\\\n", " "), re.M
        )
    }
)


@pytest.mark.parametrize("page", BLOCKS)
def test_the_examples_run(page, folder, capsys):
    names: dict = {}
    for block in BLOCKS[page]:
        exec(block, names)
        assert capsys.readouterr().out


def test_the_howtos_have_commands():
    assert len(COMMANDS) > 15


@pytest.mark.parametrize("line", COMMANDS)
def test_the_commands_exist(line):
    command, words = main, shlex.split(line)[1:]
    while isinstance(command, click.Group):
        assert words[0] in command.commands
        command = command.commands[words.pop(0)]
    with click.Context(command, **main.context_settings) as context:
        # an option that does not exist is refused here; no file is opened
        command.make_parser(context).parse_args(words)


def test_the_reference_has_every_public_name_once():
    listed = [
        name
        for path, page in PAGES.items()
        if path.startswith("api/")
        for name in re.findall(r"^\.\. \S+:: gomkcn\.(\w+)$", page, re.M)
    ]
    assert sorted(listed) == sorted(gomkcn.__all__)
