"""What all commands share: one sentence and an exit code for what went wrong, and the log."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import sys
from typing import Any

import click

from gomkcn_dgl.errors import GomkcnError


class Command(click.Command):
    """A command that ends in one sentence and exit code 2 on bad input, 128 + N on signal N."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except GomkcnError as error:
            message = str(error)
            # a sentence of the library names its parameter; here that is an option
            for option in self.params:
                message = re.sub(rf"^{option.name}\b", option.opts[0], message)
            click.echo(f"gomkcn: {message}", err=True)
            ctx.exit(error.exit_code)


class Group(click.Group):
    """A group of such commands; what cannot be printed is said in one sentence, too."""

    command_class = Command
    group_class = type

    def main(self, *args: Any, **extra: Any) -> Any:
        try:
            return super().main(*args, **extra)
        except OSError as error:
            # without a name: the terminal, or a full disk behind ">"
            what = "the output" if error.filename is None else repr(error.filename)
            reason = error.strerror or str(error)
            if error.filename is None:
                _drop_output()
            click.echo(f"gomkcn: {what} cannot be read or written ({reason}).", err=True)
            sys.exit(GomkcnError.exit_code)


def _drop_output() -> None:
    """Let what is still to be printed go nowhere: at its end Python would try, and fail, again."""
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
