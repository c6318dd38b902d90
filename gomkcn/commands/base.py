"""What commands share: options, sentences and exit codes of errors, the log, reading a graph."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from gomkcn_dgl.errors import GomkcnError, InputError

Decorated = Callable[..., Any]

_TRUTH_SUFFIX = ".truth.json"


class _Names(click.ParamType):  # type: ignore[type-arg]
    """Names that are separated by commas, as a tuple."""

    name = "names"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return tuple(value.split(","))


NAMES = _Names()


def add_options(*table: tuple[str, Any, str]) -> Callable[[Decorated], Decorated]:
    """Decorate a command with options, each given as (names, kind, help).

    The kind is a type, or a default value, which the help then shows. ``bool`` is a flag ("--a/--b"
    is None unless given), ``list`` a repeatable option, and ``...`` a text that must be given.
    """

    def decorate(command: Decorated) -> Decorated:
        # a decorator that is applied later comes first in the help
        for names, kind, text in reversed(table):
            settings: dict[str, Any] = {"default": kind, "show_default": True}
            if kind is ...:
                settings = {"required": True}
            elif kind is list:
                settings = {"multiple": True}
            elif kind is bool:
                settings = {"is_flag": True, "default": None if "/" in names else False}
            elif isinstance(kind, (type, click.ParamType)):
                settings = {"type": kind}
            command = click.option(*names.split(), help=text, **settings)(command)
        return command

    return decorate


# options of the commands that write the folder of a long run
run_options = add_options(
    ("--out", ..., "Folder of the run."),
    ("--settings settings_file", str, "A TOML file, such as the settings.toml of a run."),
    ("--force", bool, "Overwrite a run in the folder."),
    ("--resume", bool, "Resume an unfinished run in the folder."),
    ("--time-limit", float, "End after so many seconds, with the results so far."),
    ("--quiet", bool, "Show no log and no progress bar."),
)


class Command(click.Command):
    """A command that ends in one sentence and exit code 2 on bad input, 128 + N on signal N."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except GomkcnError as error:
            message = str(error)
            # the library names its parameter; on the command line that is an option
            for option in self.params:
                message = re.sub(rf"^(num_)?{option.name}\b", option.opts[0], message)
            click.echo(f"gomkcn: {message}", err=True)
            ctx.exit(error.exit_code)


class Group(click.Group):
    """A group of such commands; output that cannot be printed is reported in one sentence, too."""

    command_class = Command
    group_class = type

    def main(self, *args: Any, **extra: Any) -> Any:
        try:
            return super().main(*args, **extra)
        except OSError as error:
            # without a file name it is the terminal, or a full disk behind ">"
            what = "the output" if error.filename is None else repr(error.filename)
            reason = error.strerror or str(error)
            if error.filename is None:
                _drop_output()
            click.echo(f"gomkcn: {what} cannot be read or written ({reason}).", err=True)
            sys.exit(GomkcnError.exit_code)


def _drop_output() -> None:
    """Discard what is still to be printed; Python would otherwise fail again when it exits."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def show_log(quiet: bool) -> None:
    """Send the library's log to the terminal."""
    log = logging.getLogger("gomkcn_dgl")
    log.setLevel(logging.WARNING if quiet else logging.INFO)
    if not log.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("gomkcn: %(message)s"))
        log.addHandler(handler)


# what is said about the edges of a file, as in read_graph
kind_options = add_options(
    ("--directed/--undirected", bool, "Whether edges have a direction. [as the file says]"),
    ("--relation", str, "Column of the kinds of edges; none: not used. [by its header]"),
    ("--edge-features", NAMES, "Columns of numbers of each edge, separated by commas."),
)
_column_options = add_options(
    ("--source", str, "Column of the nodes that edges leave, by name or number. [by its header]"),
    ("--target", str, "Column of the nodes that edges lead to. [by its header]"),
    ("--weight", str, "Column of the weights; none: not used. [weight]"),
)


def edge_options(command: Decorated) -> Decorated:
    """All that may be said about the edges of a file."""
    return kind_options(_column_options(command))


def graph_options(command: Decorated) -> Decorated:
    """The argument PATH, and the options that decide how a graph is read."""
    options = reading_options(edge_options(command))
    return click.argument("path", metavar="PATH", required=False)(options)


reading_options = add_options(
    (
        "--features",
        NAMES,
        "Features to use, by name: node attributes, columns of the feature file, or "
        "'attributes' and 'labels' of a TU folder; separated by commas.",
    ),
    ("--feature-file", str, "A .npy or .csv with one row per node."),
    ("--label-names", str, "A .csv, .json or .toml with the meanings of labels."),
    ("--format", str, "edges, csv, parquet, graphml, dgl, npz, folder or tu. [by the name]"),
)


def read_graph_at(path: str | None, **options: Any) -> Any:
    """Read the graph that the options or the settings name."""
    from gomkcn_dgl.io.reading import read_graph

    if not path:
        raise InputError("PATH of a graph must be given, here or in the settings file.")
    return read_graph(path, **options)


def truth_path_of(path: Path) -> Path:
    """Path of the truth file of a generated graph."""
    path = path.resolve()
    return path.with_name(path.name.removesuffix(path.suffix) + _TRUTH_SUFFIX)


def truth_beside(path: str) -> Path | None:
    """The truth file of a generated graph, if there is one."""
    truth = truth_path_of(Path(path))
    return truth if truth.is_file() else None
