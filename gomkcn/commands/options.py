"""Options that several commands share, each of which puts them into the groups of its help.

An option of a setting is made from its field: :func:`setting_options`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import click
import cloup
from click.shell_completion import CompletionItem
from cloup import option

from gomkcn.commands.option_types import (
    BadOptionError,
    InputPath,
    Number,
    TablePath,
    Word,
)
from gomkcn.commands.spelling import spelling_of
from gomkcn.mining.settings.graph_settings import GraphSettings
from gomkcn_dgl.bounds import LARGEST_SEED, LONGEST, MOST_JOBS
from gomkcn_dgl.errors import GomkcnError
from gomkcn_dgl.input_settings import InputSettings
from gomkcn_dgl.settings import SettingField, Settings, settings_of

Decorated = Callable[..., Any]
S = TypeVar("S", bound=Settings)

# words of an option, which the shell completes; they are here so that this loads no library
READINGS = ("induced", "subgraph")


def none_if_empty(ctx: click.Context, option: click.Parameter, given: Any) -> Any:
    """The callback of an option that may be repeated: None where it is not given."""
    return given or None


def together(*decorators: Callable[[Decorated], Decorated]) -> Callable[[Decorated], Decorated]:
    """One decorator in the place of several, the first of which is the first in the help."""

    def decorate(command: Decorated) -> Decorated:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


class SettingOption(cloup.Option):
    """An option that sets a field of settings: its help, its range and its default are there."""

    field: SettingField

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        # words of formats take long to know, and are shown here alone
        if self.hidden:
            return None
        self.help = help_of(self.field)
        return super().get_help_record(ctx)

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        # what is not given is None, also where one command invokes another
        found = super().type_cast_value(ctx, value)
        return None if found == () else found


class SettingText(click.ParamType):  # type: ignore[type-arg]
    """The text of a setting, which becomes a number where its field has numbers."""

    def __init__(self, field: SettingField) -> None:
        self.field = field
        # as the help shows it
        kind = field.entry or next(iter(field.types))
        letter = {int: "N", float: "X"}.get(kind, "text")
        self.name = "text" if field.has_sizes else letter
        if field.entry is not None and not field.setting.is_repeated:
            self.name = "list" if letter == "text" else f"{letter},{letter}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from gomkcn_dgl.checks import read_number

        assert param is not None, "of an option"
        field = self.field
        if not isinstance(value, str) or value in field.words or field.has_sizes:
            return value
        numbers = [kind for kind in (int, float) if kind in field.types]
        if not numbers or (field.entry is not None and "," in value):
            return value
        try:
            return read_number(field.name, value, numbers[0])
        except GomkcnError as error:
            # what is no number may be a text
            if str in field.types and not field.words:
                return value
            raise BadOptionError(error.spelled(spelling_of([param])), ctx) from None

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [CompletionItem(word) for word in self.field.words if word.startswith(incomplete)]


def type_of(field: SettingField) -> click.ParamType:  # type: ignore[type-arg]
    """The type of the option of a setting; a file is an input, which no output may replace."""
    return InputPath() if field.name.endswith(("_file", "_names")) else SettingText(field)


def _read(ctx: click.Context, option: click.Parameter, given: Any) -> Any:
    """The callback of an option of a setting: what its field keeps; None where it is not given."""
    assert isinstance(option, SettingOption), "of a setting"
    if given is None:
        return None
    if option.field.setting.is_single:
        if len(given) > 1:
            named = " and ".join(map(str, given))
            sentence = f"{option.opts[0]} must be given once, got {named}; run it once for each."
            raise BadOptionError(sentence, ctx)
        (given,) = given
    try:
        return option.field.read(given)
    except GomkcnError as error:
        raise BadOptionError(error.spelled(spelling_of([option])), ctx) from None


def option_name(field: SettingField) -> str:
    """The option of a setting: its name with dashes; with its opposite, where it is a flag.

    >>> from gomkcn.mining.settings.graph_settings import GraphSettings
    >>> [option_name(field) for field in settings_of(GraphSettings)][1:3]
    ['--directed/--no-directed', '--relation']
    """
    dashed = field.name.replace("_", "-")
    return f"--{dashed}/--no-{dashed}" if field.is_flag else f"--{dashed}"


def help_of(field: SettingField) -> str:
    """The line of the help of a setting: what it is, which words it may be, and its default."""
    text = field.setting.help
    *words, last = field.words_of_help or ("",)
    if words:
        text += f": {', '.join(words)} or {last}"
    if field.setting.is_repeated:
        text += "; may be repeated"
    usual = default_of(field)
    return f"{text} [{usual}]" if usual else text


def default_of(field: SettingField) -> str:
    """The default in words; empty where there is none, and of a flag that is off."""
    if field.setting.usual or field.default is None or field.default is False:
        return field.setting.usual
    if isinstance(field.default, tuple):
        return ",".join(map(str, field.default))
    return "yes" if field.default is True else str(field.default)


def setting_options(
    table: type,
    *names: str,
    shown: Iterable[str] = (),
    without: Iterable[str] = (),
    defaults: Mapping[str, Any] | None = None,
) -> Callable[[Decorated], Decorated]:
    """The options of the fields of a table of settings, or of those named.

    What is ``shown`` stands in the short help, the others in ``--help-all``; ``defaults`` are those
    that a command has in place of the table's.
    """
    known = {field.name: field for field in settings_of(table)}
    for name, default in (defaults or {}).items():
        known[name] = replace(known[name], default=default)
    chosen = names or [name for name in known if name not in without]
    return together(*(_option_of(known[name], name not in shown) for name in chosen))


def _option_of(field: SettingField, is_hidden: bool) -> Callable[[Decorated], Decorated]:
    """The option of one field."""
    extra: dict[str, Any] = {} if field.is_flag else {"type": type_of(field)}
    made = type(f"Option_{field.name}", (SettingOption,), {"field": field})
    short = field.setting.short
    return option(
        option_name(field),
        *([f"--{short}"] if short else ()),
        field.name,
        cls=made,
        default=None,
        multiple=field.setting.is_repeated or field.setting.is_single,
        hidden=is_hidden,
        callback=_read,
        **extra,
    )


def settings_of_options(settings: S, file: str | None, options: Mapping[str, Any]) -> S:
    """Settings with those of a file, if there is one, and the options that are given, which win."""
    if file is not None:
        settings = settings.read(file)
    given = {name: value for name, value in options.items() if value is not None}
    return settings.override(given)


def number_option(
    name: str,
    kind: type[int] | type[float],
    least: float,
    most: float,
    help: str,
    default: float | None = None,
    parameter: str | None = None,
) -> Callable[[Decorated], Decorated]:
    """An option that is a number and no setting, with its default at the end of its help."""
    names = (name, parameter) if parameter else (name,)
    text = help if default is None else f"{help} [{default}]"
    return option(*names, type=Number(kind, least, most), default=default, help=text)


# how a file of graphs is read, as in read_graph, but for its weights
_OF_TABLES = ("source", "target", "bipartite", "feature_file", "format")
_OF_GRAPHS = ("directed", "relation", "features")
BOUND_OPTIONS = ("minimum", "maximum")
_HIDDEN = ("label_names", "smiles", "id_column", "skip_invalid", "largest_fragment")


def file_options_with(*shown: str) -> Callable[[Decorated], Decorated]:
    """The options of how a graph is read, with more of them in the short help."""
    return setting_options(
        GraphSettings,
        *_OF_GRAPHS,
        *_HIDDEN,
        *BOUND_OPTIONS,
        *_OF_TABLES,
        shown=(*_OF_GRAPHS, *shown),
    )


file_options = file_options_with()
# of the commands that keep weights; counting and mining use none
weight_option = option("--weight", hidden=True, help="Edge-weight column, or none [weight]")
# of the commands that compare classes
CLASS_OPTIONS = ("class_names", "class_column", "threshold")
class_options = setting_options(InputSettings, *CLASS_OPTIONS, shown=("threshold",))
truth_option = option(
    "--truth",
    type=InputPath(),
    hidden=True,
    help="Planted motifs to compare with [STEM.truth.json next to the graph]",
)
# of the commands that write the folder of a long run
folder_options = together(
    option("--out", help="Output folder [runs/NAME, numbered if it exists]"),
    option("--force", is_flag=True, help="Overwrite an existing run"),
    option("--quiet", is_flag=True, hidden=True, help="Hide the log and the progress bar"),
)
run_limits = together(
    option(
        "--time-limit",
        type=Number(float, 0, LONGEST),
        help="Stop after X seconds and report partial results",
    ),
    option("--resume", is_flag=True, help="Resume the unfinished run in the output folder"),
)
settings_option = option(
    "--settings",
    "settings_file",
    type=InputPath(),
    hidden=True,
    help="Settings file (TOML); options on the command line override it",
)
# of the commands that count, and print what is known when time is up
time_limit_option = option(
    "--time-limit",
    type=Number(float, 0, LONGEST),
    help="Stop after X seconds and print what is known",
)
quiet_option = option("--quiet", is_flag=True, help="Hide the progress bar")
reading_option = option(
    "--reading",
    type=Word(*READINGS),
    default="induced",
    help="Reading of a count: induced, or every subgraph [induced]",
)
# of the commands that write a table, or other files
table_option = option(
    "--out",
    type=TablePath(),
    help="Table to write: .csv (a ' before what a spreadsheet would run), .parquet or .json",
)
force_option = option("--force", is_flag=True, help="Overwrite files that exist")
seed_option = option("--seed", type=Number(int, 0, LARGEST_SEED), default=0, help="Random seed [0]")


def jobs_option(help: str) -> Callable[[Decorated], Decorated]:
    """The option of the processes that share what the help names."""
    return option("--n-jobs", type=Number(int, -MOST_JOBS, MOST_JOBS), help=f"{help} [1]")


device_option = option(
    "--device", help="Device: auto, cpu or cuda [auto: a GPU if PyTorch finds one]"
)
