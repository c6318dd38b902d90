"""How a command spells the parameters that the library's sentences mention: as its own options."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

import click
import cloup

from gomkcn_dgl.messages import Argument, Spelling


class RenamedOption(cloup.Option):
    """An option that stands for parameters of the library with other names than its own."""

    def __init__(self, *names: Any, parameters: tuple[str, ...], **settings: Any) -> None:
        self.parameters = parameters
        super().__init__(*names, **settings)


def spelling_of(params: Sequence[click.Parameter]) -> Spelling:
    """How a command with these options and arguments spells a parameter: as the one of that name.

    None for a parameter that it has no option for, or not with such a value.
    """
    options = {str(option.name): option for option in params}
    for option in params:
        for name in getattr(option, "parameters", ()):
            options.setdefault(name, option)

    def spell(argument: Argument) -> str | None:
        option = options.get(argument.name)
        return None if option is None else _spell(option, argument)

    return spell


def spelling_here() -> Spelling:
    """The spelling of the command that runs; that of Python where there is none."""
    context = click.get_current_context(silent=True)
    return str if context is None else spelling_of(context.command.params)


def _spell(option: click.Parameter, argument: Argument) -> str | None:
    """An option, with a value where it is given one."""
    if isinstance(option, click.Argument):
        return option.metavar or str(option.name).upper()
    if not argument.has_value:
        return option.opts[0]
    if isinstance(option, click.Option) and option.is_flag:
        names = option.opts if argument.value else option.secondary_opts
        return names[0] if names else None
    return f"{option.opts[0]} {_shell_word(argument.value)}"


def _shell_word(value: object) -> str:
    """A value as it is typed."""
    if isinstance(value, tuple):
        value = ",".join(map(str, value))
    return shlex.quote(str(value))
