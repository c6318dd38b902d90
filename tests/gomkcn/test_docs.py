"""What is documented: examples run, commands exist, and the site has every name."""

import doctest
import importlib
import inspect
import pkgutil
import re
import shlex

import click
import pytest
from documented import BLOCKS, PAGES

import gomkcn
from gomkcn.commands.main import main
from gomkcn_dgl.graphs.pattern_text import PatternText

# what is beside a command is set off by two spaces
COMMANDS = sorted(
    {
        line.split("-m ")[-1].split("  ")[0].strip().split("`")[0]
        for name, page in PAGES.items()
        for line in re.findall(
            (r"(?:^ {4}|`)" if name.endswith("README.md") else r"^ *`?")
            + r"((?:torchrun .* -m )?gomkcn [a-z].*)$",
            page.replace("\\\n", " "),
            re.M,
        )
    }
)


# importing PyTorch Geometric calls what torch deprecates
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
        command.make_parser(context).parse_args([word for word in words if word != "--help"])


def test_each_part_of_a_pattern_in_the_how_to_is_read():
    table = PAGES["docs/howto/count.md"].partition("| what | written |")[2].partition("\n\n")[0]
    written = [text for text in re.findall("`([^`]+)`", table) if text != "not"]
    assert len(written) >= 15
    for text in written:
        said = PatternText.read(f"A -- B, A -- C, {text}")
        # a number is a value, and none of the nodes A, B, C
        assert set(said.nodes) == set("ABC"), text


# entries of the pages, by their full names
LISTED = [
    name
    for path, page in PAGES.items()
    if path.startswith("docs/api/")
    for name in re.findall(r"^\.\. \S+:: (gomkcn\S*)$", page, re.M)
]


def test_the_reference_has_every_public_name_once():
    public = [name.removeprefix("gomkcn.") for name in LISTED if name.count(".") == 1]
    assert sorted(public) == sorted(gomkcn.__all__)
    assert len(set(LISTED)) == len(LISTED)


def test_there_are_few_public_names():
    assert len(gomkcn.__all__) <= 62


@pytest.mark.parametrize("name", [name for name in LISTED if name.count(".") > 1])
def test_what_is_not_public_stands_in_its_module(name):
    module, _, thing = name.rpartition(".")
    assert getattr(importlib.import_module(module), thing).__doc__
    assert thing not in gomkcn.__all__


PACKAGES = ("gomkcn", "gomkcn_dgl", "gomkcn.mining", "gomkcn.synthetic")
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def modules():
    for name in PACKAGES:
        package = importlib.import_module(name)
        yield name
        for found in pkgutil.walk_packages(package.__path__, f"{name}."):
            # the commands have no examples, and the GPU's modules need Triton
            if not found.name.endswith(("__main__", "_triton")):
                yield found.name


def examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    for name in modules():
        module = importlib.import_module(name)
        for example in finder.find(module, name):
            if example.examples:
                yield example


EXAMPLES = {example.name: example for example in examples()}


def test_public_functions_have_examples():
    assert len(EXAMPLES) > 50


def test_examples_of_public_names_import_from_the_door():
    """What is public is, and what is not comes from its module."""
    imported = []
    for name in gomkcn.__all__:
        value = getattr(gomkcn, name)
        members = vars(value).values() if inspect.isclass(value) else ()
        for documented in (value, *members):
            text = getattr(documented, "__doc__", None) or ""
            doors = rf">>> from (?:{'|'.join(PACKAGES[1:])})\S* import (.*)"
            imported += [each for names in re.findall(doors, text) for each in names.split(", ")]
    assert set(imported) & set(gomkcn.__all__) == set()


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_runs(name, folder):
    report = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(EXAMPLES[name], out=report.append)
    assert runner.failures == 0, "".join(report)
