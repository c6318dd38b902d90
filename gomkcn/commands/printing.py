"""What commands print: lines that cannot steer the terminal, tables, and the log."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click

from gomkcn_dgl.runtime.files import visible

if TYPE_CHECKING:
    from gomkcn_dgl.runtime.tabular import Tabular


# a parameter of Python, perhaps with a value, behind which its option stands in brackets
_PARAMETER = re.compile(r"\b([a-z_]+)(=[^()\n]{1,40}?| '[a-z]+')? \((--([a-z-]+)[^()\n]*)\)")


def in_options(text: str) -> str:
    """A message in the words of the command line.

    >>> in_options("read the graph with directed=True (--directed).")
    'read the graph with --directed.'
    """
    return _PARAMETER.sub(_option_of, text)


def _option_of(found: re.Match[str]) -> str:
    """The option alone where it is that of the parameter; else all as it stands."""
    parameter, value, written, option = found.groups()
    has_value = value is not None and value.startswith("=")
    is_same = parameter.replace("_", "-") == option
    return written if has_value or is_same else found[0]


def say(text: str, *, err: bool = False) -> None:
    """Print lines; a name that they hold cannot steer the terminal.

    Everything that a command prints goes through here, a name in a row of a table through
    :func:`visible` before, which knows that a line break in it is none of the table.
    """
    click.echo("\n".join(map(visible, in_options(text).split("\n"))), err=err)


def say_values(rows: Mapping[str, Any], width: int) -> None:
    """Print names with their values, each on a line."""
    for name, value in rows.items():
        say(f"{name:<{width}} {visible(str(value))}")


def say_row(cells: Iterable[Any]) -> None:
    """Print the cells of a row with tabs between them."""
    click.echo("\t".join(visible(str(cell)) for cell in cells))


class _LogLine(logging.Formatter):
    """A line of the log."""

    def format(self, record: logging.LogRecord) -> str:
        return "\n".join(map(visible, in_options(super().format(record)).split("\n")))


def show_log(quiet: bool = False, brief: bool = False) -> None:
    """Send the library's log to the terminal; if brief, what files were taken for and warnings."""
    from gomkcn_dgl.graph_content import READING

    log = logging.getLogger("gomkcn_dgl")
    log.setLevel(logging.WARNING if quiet else READING if brief else logging.INFO)
    if not log.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(_LogLine("gomkcn: %(message)s"))
        log.addHandler(handler)


def print_table(table: Tabular) -> None:
    """Print the columns of a table."""
    from gomkcn.mining.show.tabular_text import format_table

    say(format_table(table))
