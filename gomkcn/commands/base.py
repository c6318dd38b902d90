"""What commands share: sentences and exit codes of errors, the files of a run, time limits.

Commands import the libraries when they run, so that ``--help`` answers at once.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import itertools
import os
import shlex
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import cloup

from gomkcn.commands.option_types import BadOptionError, InputPath, OutputPath
from gomkcn.commands.printing import say
from gomkcn.commands.spelling import spelling_of
from gomkcn_dgl.errors import GomkcnError, InputError
from gomkcn_dgl.runtime.files import check_outputs, is_stream
from gomkcn_dgl.runtime.memory import available_memory, check_address_space, format_size

if TYPE_CHECKING:
    from gomkcn.mining.settings.graph_settings import GraphSettings
    from gomkcn_dgl.io.graph_classes import GraphClasses
    from gomkcn_dgl.runtime.job import Interrupts
    from gomkcn_dgl.runtime.steps import Steps

_TRUTH_SUFFIX = ".truth.json"
# the words behind a command, as they were typed, among what its contexts share
TYPED = "gomkcn.typed"
# what the loader of the system says of a library for which there is no memory
_NO_ROOM = ("failed to map segment", "cannot allocate memory", "Cannot allocate memory")
# what a resumed run is not given as before: flags, and options with a value
_NOT_RESUMED = ("--force", "--resume")
_REPLACED = ("--out", "--time-limit")


def limited_steps(
    time_limit: float | None, quiet: bool, n_jobs: int | None = None
) -> tuple[Steps, Interrupts]:
    """The steps of a count that shows a bar, and what ends it: a time limit from now on, a signal.

    Within ``with interrupts`` the first signal is noted, and the second one kills.
    """
    from gomkcn_dgl.runtime.job import Interrupts, JobProgress
    from gomkcn_dgl.runtime.steps import Steps

    bar = JobProgress.of_command(quiet=quiet)
    interrupts = Interrupts(time_limit, is_partial_at_signal=True)
    return Steps(interrupts=interrupts, progress=bar, n_jobs=n_jobs), interrupts


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
    from gomkcn_dgl.io.formats import stem
    from gomkcn_dgl.runtime.processes import world_size

    if out is not None:
        return out
    if world_size() > 1:
        raise InputError("out", "must be given where several processes share the work of a run")
    name = "stream" if is_stream(path) else stem(Path(path).resolve()) or "run"
    folder = Path("runs", name)
    latest = None
    for number in itertools.count(2):
        if not folder.exists():
            break
        folder, latest = folder.with_name(f"{name}-{number}"), folder
    if resume and latest is None:
        raise InputError(f"--resume finds no run in {str(folder)!r}; name its folder with --out.")
    chosen = latest if resume and latest is not None else folder
    say(f"folder of this run: {chosen}")
    return str(chosen)


def resuming_command(ctx: click.Context, out: str | Path) -> str:
    """What a user types to go on with a run in a folder: what was typed, but for the time limit.

    Everything that decides the result must be given again, or the run is refused.
    """
    kept: list[str] = []
    # behind "--" there is the path alone
    words = ctx.meta[TYPED]
    at = words.index("--") if "--" in words else len(words)
    typed = iter(words[:at])
    for word in typed:
        name, is_joined, _ = word.partition("=")
        if name in _REPLACED and not is_joined:
            next(typed, None)
        elif name not in (*_REPLACED, *_NOT_RESUMED):
            kept.append(word)
    resumed = [*kept, "--out", str(out), "--resume", *words[at:]]
    return shlex.join(["gomkcn", str(ctx.command.name), *resumed])


class Command(cloup.Command):
    """A command that ends in one sentence and exit code 2 on bad input, 128 + N on signal N.

    Its options stand in the groups of cloup. Rare ones are hidden, until ``--help-all`` is given.
    """

    def __init__(self, *args: Any, **settings: Any) -> None:
        params = settings.get("params") or []
        if any(isinstance(param, click.Option) and param.hidden for param in params):
            help_all = click.Option(
                ["--help-all"],
                help="Show all options",
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_show_all,
            )
            settings["params"] = [*params, help_all]
        super().__init__(*args, align_option_groups=False, **settings)

    def get_default_option_group(
        self, ctx: click.Context, is_the_only_visible_option_group: bool = False
    ) -> cloup.OptionGroup:
        """Name the group of what stands in no other: how to get help."""
        group = super().get_default_option_group(ctx, is_the_only_visible_option_group)
        group.title = "Help"
        return group

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what was given; of two options that say the opposite none may win in silence.

        Of one that is given twice the last one counts, as in other commands.
        """
        ctx.meta[TYPED] = list(args)
        given = args[: args.index("--")] if "--" in args else args
        for option in (param for param in self.params if isinstance(param, click.Option)):
            yes, no = (
                [text for text in texts if text in given]
                for texts in (option.opts, option.secondary_opts)
            )
            if yes and no:
                raise BadOptionError(f"{yes[0]} must not come with {no[0]}; give one.", ctx)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            check_address_space()
            outputs = paths_of(ctx, OutputPath)
            if outputs:
                check_outputs(outputs, inputs_of(ctx), force=bool(ctx.params.get("force")))
            result = super().invoke(ctx)
            if mapped := sys.modules.get("gomkcn_dgl.runtime.mapped"):
                mapped.check_mapped()
            return result
        except GomkcnError as error:
            say(f"gomkcn: {error.spelled(spelling_of(self.params))}", err=True)
            ctx.exit(error.exit_code)
        except KeyboardInterrupt:
            # a run keeps the steps that are done; the others write their files whole or not at all
            kept = "start again with --resume" if "resume" in ctx.params else "nothing was written"
            say(f"gomkcn: stopped by SIGINT; {kept}.", err=True)
            ctx.exit(128 + signal.SIGINT)
        except MemoryError as error:
            reason = str(error).strip().partition("\n")[0].rstrip(". ")
        except ImportError as error:
            reason = str(error)
            if not any(words in reason for words in _NO_ROOM):
                raise
        # the frames that hold much memory are gone
        free = ""
        # to ask how much there is takes some
        with contextlib.suppress(ImportError, MemoryError, OSError):
            free = f"{format_size(available_memory())} are available to this process: "
        because = f" ({reason})" if reason else ""
        say(f"gomkcn: out of memory{because}; {free}use a smaller input, or more memory.", err=True)
        ctx.exit(InputError.exit_code)


def paths_of(ctx: click.Context, kind: type[InputPath] | type[OutputPath]) -> list[str]:
    """The paths of a kind that a command was given."""
    params = [param for param in ctx.command.params if isinstance(param.type, kind)]
    given = [ctx.params.get(str(param.name)) for param in params]
    # an argument may be several
    several = [path if isinstance(path, tuple) else (path,) for path in given]
    return [path for paths in several for path in paths if path]


def inputs_of(ctx: click.Context, *others: str | None) -> list[str]:
    """All files that a command reads: those that it was given, others, and what lies beside."""
    given = [path for path in [*paths_of(ctx, InputPath), *others] if path]
    # a path that can be no file has nothing beside it
    real = [Path(path) for path in given if "\0" not in path]
    return [*given, *(str(beside) for path in real for beside in _files_beside(path))]


def inputs_of_run(ctx: click.Context, graph: GraphSettings, resumed: str | None) -> list[str]:
    """All files that a run reads, but for the settings that it is resumed by, which are its own."""
    of_graph = (graph.path, graph.feature_file, graph.label_names, graph.class_names)
    return [path for path in inputs_of(ctx, *of_graph) if path != resumed]


def _files_beside(path: Path) -> list[Path]:
    """The files that are read with a graph file where they exist."""
    from gomkcn_dgl.io.features import SUFFIXES
    from gomkcn_dgl.io.formats import stem
    from gomkcn_dgl.io.graph_classes import class_names_path

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
        # all memory goes with the process: before it ends, Python would look for garbage among what
        # the libraries and the results are made of, for a third of a second
        atexit.register(gc.freeze)
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


def _show_all(ctx: click.Context, option: click.Parameter, is_given: bool) -> None:
    """Print the help with the hidden options and groups."""
    if not is_given:
        return
    assert isinstance(ctx.command, Command), "what has hidden options"
    hidden: list[Any] = [*ctx.command.params, *ctx.command.option_groups]
    hidden = [shown for shown in hidden if getattr(shown, "hidden", False)]
    for shown in hidden:
        shown.hidden = False
    try:
        click.echo(ctx.get_help())
    finally:
        for shown in hidden:
            shown.hidden = True
    ctx.exit()


def _drop_output() -> None:
    """Discard what is still to be printed; Python would otherwise fail again when it exits."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def truth_path_of(path: Path) -> Path:
    """Path of the truth file of a generated graph."""
    path = path.resolve()
    return path.with_name(path.name.removesuffix(path.suffix) + _TRUTH_SUFFIX)


def truth_beside(path: str) -> Path | None:
    """The truth file of a generated graph, if there is one."""
    truth = truth_path_of(Path(path))
    return truth if truth.is_file() else None


def classes_of_file(
    path: str, options: Mapping[str, Any], of_classes: Mapping[str, Any], *, needed: bool = False
) -> GraphClasses | None:
    """The classes of the graphs of a file, by how it is read and by CLASS_OPTIONS."""
    from gomkcn_dgl.io.graph_classes import read_graph_classes

    reading = {name: options[name] for name in ("format", "smiles", "skip_invalid")}
    reading |= {name: of_classes[name] for name in ("class_column", "threshold")}
    return read_graph_classes(path, of_classes["class_names"], needed=needed, **reading)
