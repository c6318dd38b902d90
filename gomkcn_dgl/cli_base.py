"""What all commands share: one sentence and exit code 2 on bad input, and the log."""

from __future__ import annotations

import logging
import re
from typing import Any

import click

from gomkcn_dgl.errors import GomkcnError


class Command(click.Command):
    """A command that ends in one sentence and exit code 2 on bad input."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except GomkcnError as error:
            message = str(error)
            # a sentence of the library names its parameter; here that is an option
            for option in self.params:
                message = re.sub(rf"^{option.name}\b", option.opts[0], message)
            click.echo(f"gomkcn: {message}", err=True)
            ctx.exit(2)


class Group(click.Group):
    """A group of such commands."""

    command_class = Command
    group_class = type


def show_log(quiet: bool) -> None:
    """Send the library's log to the terminal."""
    log = logging.getLogger("gomkcn_dgl")
    log.setLevel(logging.WARNING if quiet else logging.INFO)
    if not log.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("gomkcn: %(message)s"))
        log.addHandler(handler)
