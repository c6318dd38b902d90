"""What commands print: lines that cannot steer the terminal, tables, and the log."""

from __future__ import annotations

import contextlib
import copy
import logging
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from gomkcn.commands.spelling import spelling_here
from gomkcn_dgl.errors import GomkcnError
from gomkcn_dgl.messages import Message, Spelling
from gomkcn_dgl.runtime.files import visible

if TYPE_CHECKING:
    from gomkcn_dgl.runtime.tabular import Tabular


def say(text: str, *, err: bool = False) -> None:
    """Print lines; a name that they hold cannot steer the terminal.

    Everything that a command prints goes through here, a name in a row of a table through
    :func:`visible` before, which knows that a line break in it is none of the table.
    """
    click.echo("\n".join(map(visible, text.split("\n"))), err=err)


def say_values(rows: Mapping[str, Any], width: int) -> None:
    """Print names with their values, each on a line."""
    for name, value in rows.items():
        say(f"{name:<{width}} {visible(str(value))}")


def say_row(cells: Iterable[Any]) -> None:
    """Print the cells of a row with tabs between them."""
    click.echo("\t".join(visible(str(cell)) for cell in cells))


class _LogLine(logging.Formatter):
    """A line of the log, with the parameters that it mentions as a command spells them."""

    def __init__(self, spelling: Spelling) -> None:
        super().__init__("gomkcn: %(message)s")
        self.spelling = spelling

    def format(self, record: logging.LogRecord) -> str:
        record = copy.copy(record)
        if isinstance(record.args, tuple):
            record.args = tuple(map(self._spelled, record.args))
        return "\n".join(map(visible, super().format(record).split("\n")))

    def _spelled(self, value: object) -> object:
        """A value of a line; what mentions parameters as a text."""
        return value.spelled(self.spelling) if isinstance(value, Message | GomkcnError) else value


def show_log(quiet: bool = False, brief: bool = False) -> None:
    """Send the library's log to the terminal; if brief, what files were taken for and warnings."""
    from gomkcn_dgl.graph_content import READING

    log = logging.getLogger("gomkcn_dgl")
    log.setLevel(logging.WARNING if quiet else READING if brief else logging.INFO)
    if not log.handlers:
        log.addHandler(logging.StreamHandler())
    for handler in log.handlers:
        handler.setFormatter(_LogLine(spelling_here()))


@contextlib.contextmanager
def held_log(*, holds: bool = True) -> Iterator[list[logging.LogRecord]]:
    """Hold lines of the log back while a file is tried: who uses what was read lets them go on."""
    log = logging.getLogger("gomkcn_dgl")
    held: list[logging.LogRecord] = []

    def hold(record: logging.LogRecord) -> bool:
        if holds:
            held.append(record)
        return not holds

    log.addFilter(hold)
    try:
        yield held
    finally:
        log.removeFilter(hold)


def print_table(table: Tabular) -> None:
    """Print the columns of a table that has no list of them."""
    from gomkcn.mining.show.text_table import plain_table

    say(str(plain_table(table)))
