"""What commands share: options, sentences and exit codes of errors, the log, reading a graph.

Commands import the libraries when they run, so that ``--help`` answers at once.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import re
import signal
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gomkcn_dgl.errors import GomkcnError, InputError
from gomkcn_dgl.runtime.files import check_outputs, visible
from gomkcn_dgl.runtime.memory import available_memory, format_size

if TYPE_CHECKING:
    from gomkcn_dgl.runtime.job import Interrupts
    from gomkcn_dgl.runtime.steps import Steps
    from gomkcn_dgl.runtime.tabular import Tabular
    from mining.graph_settings import GraphSettings

Decorated = Callable[..., Any]

_TRUTH_SUFFIX = ".truth.json"
# the groups of options, in the order of the help
_GROUPS = (
    "Input", "Options", "Frequent neighbourhoods", "Patterns", "Training",
    "Random graphs and counts", "Output", "Limits", "Graph filters and other details", "Help",
)  # fmt: skip
_SHOW_ALL = "gomkcn.show_all"


class _BadOptionError(click.UsageError):
    """An option with a value that it cannot have; said in one sentence, as all bad input is."""

    def show(self, file: Any = None) -> None:
        say(f"gomkcn: {self.message}", err=True)


class _Number(click.ParamType):  # type: ignore[type-arg]
    """A number in the range of its parameter, or several that are separated by commas."""

    def __init__(self, kind: type, *, several: bool = False) -> None:
        self.kind, self.several = kind, several
        self.name = "numbers" if several else "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from gomkcn_dgl.checks import check_range, read_number

        assert param is not None and param.name is not None, "of an option"
        try:
            parts = value.split(",") if self.several and isinstance(value, str) else [value]
            if isinstance(value, str):
                parts = [read_number(param.opts[0], part, self.kind) for part in parts]
            elif self.several:
                parts = list(value)
            for part in parts:
                check_range(param.opts[0], part, param.name)
        except GomkcnError as error:
            raise _BadOptionError(str(error), ctx) from None
        return tuple(parts) if self.several else parts[0]


class _Names(click.ParamType):  # type: ignore[type-arg]
    """Names that are separated by commas, as a tuple."""

    name = "list"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return tuple(value.split(",")) if isinstance(value, str) else tuple(value)


class _PathName(click.ParamType):  # type: ignore[type-arg]
    """The name of a file or a folder; ``role`` says whether it is read or written."""

    name = "text"

    def __init__(self, role: str) -> None:
        self.role = role


# what an argument or an option names: what is read, and a file that is written
INPUT, OUTPUT = _PathName("input"), _PathName("output")


class _Option(click.Option):
    """An option with its group in the help; a rare one is shown by ``--help-all`` only."""

    def __init__(self, *names: Any, group: str, rare: bool = False, **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.group, self.rare = group, rare


def _none_if_empty(ctx: click.Context, option: click.Parameter, given: Any) -> Any:
    return given or None


# a number stands for itself in the help: N is whole, X is any; the range of each is that of its
# parameter, RANGES in gomkcn_dgl/checks.py; what is not given is None, but for a FLAG, which is off
_KINDS: dict[str, dict[str, Any]] = {
    "N": {"type": _Number(int), "metavar": "N"},
    "X": {"type": _Number(float), "metavar": "X"},
    "TEXT": {"type": str},
    "READ": {"type": INPUT},
    "WRITE": {"type": OUTPUT},
    "NEEDED WRITE": {"type": OUTPUT, "required": True},
    "NAMES": {"type": _Names()},
    "N,N": {"type": _Number(int, several=True), "metavar": "N,N"},
    "X,X": {"type": _Number(float, several=True), "metavar": "X,X"},
    "FLAG": {"is_flag": True, "default": False},
    "YES/NO": {"is_flag": True, "default": None},
    "LIST": {"multiple": True, "callback": _none_if_empty},
    "NEEDED": {"required": True},
}


def option_table(table: str) -> Callable[[Decorated], Decorated]:
    """Decorate a command with the options of a table, which reads as the help does.

    A line that is not indented names the group of the options below it, "*" marks a rare one.
    An option has its names, its kind (a key of ``_KINDS``, with "=" and a default value), its help.
    """
    rows: list[list[str]] = []
    for line in textwrap.dedent(table).strip().splitlines():
        if not line.startswith(" "):
            group = line
        elif re.match(r" {4}(\* )?-", line):
            names, kind, *text = re.split("  +", line.strip(), maxsplit=2)
            rows.append([group, names, kind, *text])
        else:
            rows[-1][3:] = [" ".join([*rows[-1][3:], line.strip()])]

    def decorate(command: Decorated) -> Decorated:
        # a decorator that is applied later comes first in the help
        for group, names, kind, text in reversed(rows):
            kind, _, default = kind.partition("=")
            settings = dict(_KINDS[kind])
            if default:
                kind_of = {"N": int, "X": float}.get(kind, str)
                settings["default"] = kind_of(default)
                text += f" [{settings['default']}]"
            option = click.option(
                *names.lstrip("* ").split(),
                help=text, cls=_Option, group=group, rare=names.startswith("*"), **settings,
            )  # fmt: skip
            command = option(command)
        return command

    return decorate


# of the commands that write the folder of a long run
run_options = option_table("""
Output
    --out         TEXT  Output folder [runs/NAME, numbered if it exists]
    --force       FLAG  Overwrite an existing run
    * --quiet     FLAG  Hide the log and the progress bar
Limits
    --time-limit  X     Stop after X seconds and report partial results
    --resume      FLAG  Resume the unfinished run in the output folder
Graph filters and other details
    * --settings settings_file  READ
        Settings file (TOML); options on the command line override it
""")
# what is said of the graphs to learn from
learning_options = option_table("""
Input
    --directed/--undirected  YES/NO  Edge direction [from the file]
    --relation     TEXT   Edge-type column, or none [from the header]
    --features     NAMES  Node features to use, separated by commas [by format]
    * --label-names  READ  Names of node labels (.csv)
    * --smiles     TEXT   Column of SMILES in a table of molecules [smiles, canonical_smiles]
    * --skip-invalid  YES/NO  Leave out molecules that RDKit cannot read
""")
# and of the tables that they are in
table_options = option_table("""
Input
    * --source  TEXT  Column of source nodes, by name or number [from the header]
    * --target  TEXT  Column of target nodes, by name or number [from the header]
    * --feature-file  READ  Node features, one row per node: .npy or .csv
    * --format        TEXT  File format: edges, csv, parquet, graphml, gml, gexf, pajek, json, mtx,
        sif, ncol, lgl, graph6, sparse6, dimacs, dgl, npz, smiles, sdf, folder or tu [by file name]
""")
# of the commands that keep weights; counting and mining use none
weight_option = option_table("""
Input
    * --weight  TEXT  Edge-weight column, or none [weight]
""")
device_option = option_table("""
Training
    --device  TEXT  Device: auto, cpu or cuda [auto: a GPU if PyTorch finds one]
""")
# of the commands that write files
force_option = option_table("""
Output
    --force  FLAG  Overwrite files that exist
""")
# of the commands that count, and print what is known when time is up
limit_options = option_table("""
Output
    --quiet       FLAG  Hide the progress bar
Limits
    --time-limit  X     Stop after X seconds and print what is known
""")
reading_option = option_table("""
Options
    --reading  TEXT=induced  Reading of a count: induced, or every subgraph
""")


def file_options(command: Decorated) -> Decorated:
    """All that decides how a file is read, as in read_graph, but for its weights."""
    return learning_options(table_options(command))


def limited_steps(time_limit: float | None, quiet: bool) -> tuple[Steps, Interrupts]:
    """The steps of a count that shows a bar, and what ends it: a time limit from now on, a signal.

    Within ``with interrupts`` the first signal is noted, and the second one kills.
    """
    from gomkcn_dgl.runtime.job import Interrupts, JobProgress
    from gomkcn_dgl.runtime.steps import Steps

    bar = JobProgress(not quiet and sys.stderr.isatty())
    interrupts = Interrupts(time_limit)
    return Steps(interrupts=interrupts, progress=bar), interrupts


def say_missing(interrupts: Interrupts, missing: str) -> None:
    """Say what is not known; where a signal ended the count, exit with its code."""
    stopped = interrupts.signal
    if missing:
        say(f"gomkcn: {f'stopped by {stopped}; ' if stopped else ''}{missing}", err=True)
    if stopped:
        sys.exit(128 + signal.Signals[stopped])


def choose_folder(out: str | None, path: str, *, resume: bool = False) -> str:
    """The folder ``out`` of a run, or else one that is told to the user.

    Of ``runs/NAME``, ``runs/NAME-2`` and so on it is the first that does not exist; to resume, the
    last that does.
    """
    from gomkcn_dgl.runtime.files import stem
    from gomkcn_dgl.runtime.processes import world_size

    if out is not None:
        return out
    if world_size() > 1:
        raise InputError("out must be given where several processes share the work of a run.")
    name = stem(Path(path).resolve()) or "run"
    folder, latest = Path("runs", name), None
    for number in itertools.count(2):
        if not folder.exists():
            break
        folder, latest = folder.with_name(f"{name}-{number}"), folder
    chosen = latest if resume and latest is not None else folder
    say(f"folder of this run: {chosen}")
    return str(chosen)


class Command(click.Command):
    """A command that ends in one sentence and exit code 2 on bad input, 128 + N on signal N."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        if any(_is_rare(option) for option in self.params):
            help_all = _Option(
                ["--help-all"],
                help="Show all options",
                group="Help",
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_show_all,
            )
            self.params.append(help_all)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, group by group."""
        groups: dict[str, list[tuple[str, str]]] = {}
        options = [one for one in self.get_params(ctx) if isinstance(one, click.Option)]
        # the common ones of a group first
        for option in sorted(options, key=_is_rare):
            line = option.get_help_record(ctx)
            if line is not None and (ctx.meta.get(_SHOW_ALL) or not _is_rare(option)):
                groups.setdefault(getattr(option, "group", "Help"), []).append(line)
        for title in sorted(groups, key=_GROUPS.index):
            with formatter.section(title):
                formatter.write_dl(groups[title])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what was given; of two options that say the opposite none may win in silence.

        Of one that is given twice the last one counts, as in other commands.
        """
        given = args[: args.index("--")] if "--" in args else args
        for option in (one for one in self.params if isinstance(one, click.Option)):
            yes, no = (
                [text for text in texts if text in given]
                for texts in (option.opts, option.secondary_opts)
            )
            if yes and no:
                raise _BadOptionError(f"{yes[0]} must not come with {no[0]}; give one.", ctx)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            outputs = paths_of(ctx, OUTPUT)
            if outputs:
                check_outputs(outputs, inputs_of(ctx), force=bool(ctx.params.get("force")))
            result = super().invoke(ctx)
            if mapped := sys.modules.get("gomkcn_dgl.runtime.mapped"):
                mapped.check_mapped()
            return result
        except GomkcnError as error:
            message = str(error)
            # the library names its parameter; on the command line that is an option
            for option in self.params:
                name = str(option.name).replace("num_base_", "")
                message = re.sub(rf"^(num_)?{name}\b", option.opts[0], message)
            say(f"gomkcn: {message}", err=True)
            ctx.exit(error.exit_code)
        except MemoryError as error:
            reason = str(error).strip().partition("\n")[0].rstrip(". ")
        # the frames that hold much memory are gone
        free = format_size(available_memory())
        because = f" ({reason})" if reason else ""
        say(
            f"gomkcn: out of memory{because}; {free} are available to this process: use a smaller "
            "input, or more memory.",
            err=True,
        )
        ctx.exit(InputError.exit_code)


def paths_of(ctx: click.Context, kind: click.ParamType[Any]) -> list[str]:
    """The paths of a kind that a command was given."""
    given = [ctx.params.get(str(one.name)) for one in ctx.command.params if one.type is kind]
    return [path for path in given if path]


def inputs_of(ctx: click.Context, *others: str | None) -> list[str]:
    """All files that a command reads: those that it was given, others, and what lies beside."""
    given = [path for path in [*paths_of(ctx, INPUT), *others] if path]
    # a path that can be no file has nothing beside it
    beside = [str(path) for one in given if "\0" not in one for path in _files_beside(Path(one))]
    return [*given, *beside]


def inputs_of_run(ctx: click.Context, graph: GraphSettings, resumed: str | None) -> list[str]:
    """All files that a run reads, but for the settings that it is resumed by, which are its own."""
    own = (graph.path, graph.feature_file, graph.label_names, graph.class_names)
    return [path for path in inputs_of(ctx, *own) if path != resumed]


def _files_beside(path: Path) -> list[Path]:
    """The files that are read with a graph file where they exist."""
    from gomkcn_dgl.io.features import SUFFIXES
    from gomkcn_dgl.io.graph_classes import class_names_path
    from gomkcn_dgl.runtime.files import stem

    path = path.resolve()
    if not path.name:
        return []
    features = [path.with_name(stem(path) + suffix) for suffix in SUFFIXES]
    return [*features, class_names_path(path), truth_path_of(path)]


class Group(click.Group):
    """A group of such commands; output that cannot be printed is reported in one sentence, too."""

    command_class = Command
    group_class = type

    def main(self, *args: Any, **extra: Any) -> Any:
        # Python has no stream where the shell closed it
        for name in ("stdout", "stderr"):
            if getattr(sys, name) is None:
                setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        for stream in (sys.stdout, sys.stderr):
            # what the terminal cannot show is printed as its number; some streams are no terminals
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        try:
            return super().main(*args, **extra)
        except OSError as error:
            # without a file name it is the terminal, or a full disk behind ">"
            what = "the output" if error.filename is None else repr(error.filename)
            reason = error.strerror or str(error)
            if error.filename is None:
                _drop_output()
            say(f"gomkcn: {what} cannot be read or written ({reason}).", err=True)
            sys.exit(GomkcnError.exit_code)


def _is_rare(option: click.Parameter) -> bool:
    return isinstance(option, _Option) and option.rare


def _show_all(ctx: click.Context, option: click.Parameter, is_given: bool) -> None:
    if is_given:
        ctx.meta[_SHOW_ALL] = True
        click.echo(ctx.get_help())
        ctx.exit()


def _drop_output() -> None:
    """Discard what is still to be printed; Python would otherwise fail again when it exits."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
    """A line of the log."""

    def format(self, record: logging.LogRecord) -> str:
        return "\n".join(map(visible, super().format(record).split("\n")))


def show_log(quiet: bool = False, brief: bool = False) -> None:
    """Send the library's log to the terminal; if brief, what files were taken for and warnings."""
    from gomkcn_dgl.graph_content import READING

    log = logging.getLogger("gomkcn_dgl")
    log.setLevel(logging.WARNING if quiet else READING if brief else logging.INFO)
    if not log.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(_LogLine("gomkcn: %(message)s"))
        log.addHandler(handler)


def truth_path_of(path: Path) -> Path:
    """Path of the truth file of a generated graph."""
    path = path.resolve()
    return path.with_name(path.name.removesuffix(path.suffix) + _TRUTH_SUFFIX)


def truth_beside(path: str) -> Path | None:
    """The truth file of a generated graph, if there is one."""
    truth = truth_path_of(Path(path))
    return truth if truth.is_file() else None


def check_table_name(out: str | None) -> None:
    """Refuse the name of a table that would be of no kind."""
    from gomkcn_dgl.runtime.tabular import TABLE_FORMATS

    endings = [f".{format}" for format in TABLE_FORMATS]
    if out is not None and Path(out).suffix not in endings:
        raise InputError(f"--out must end in {', '.join(endings)}, got {out!r}.")


def print_table(table: Tabular) -> None:
    """Print the columns of a table."""
    from gomkcn_dgl.runtime.tabular import plain_columns

    columns = plain_columns(table)
    names, lists = list(columns), columns.values()
    rows = [list(map(_cell, names, row)) for row in zip(*lists, strict=True)]
    widths = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
    for row in [names, *rows]:
        cells = [
            one.rjust(width) if name in ("size", "count") else one.ljust(width)
            for name, one, width in zip(names, row, widths, strict=True)
        ]
        say("  ".join(cells).rstrip())


def _cell(name: str, value: Any) -> str:
    if value is None:
        # not known
        return "?"
    if isinstance(value, float):
        return f"{value:.3f}"
    # the numbers of graphs and nodes are names
    is_count = isinstance(value, int) and name not in ("graph", "node")
    return f"{value:,}" if is_count else visible(str(value))
