"""A command that leaves the folder of a run: from its options to the folder, and what it prints."""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from gomkcn.commands.base import choose_folder, resuming_command
from gomkcn.commands.printing import say
from gomkcn_dgl.errors import InputError

if TYPE_CHECKING:
    from gomkcn_dgl.runtime.job import Interrupts
    from gomkcn_dgl.runtime.run import RunKind

# masked arrays, a compiler of Fortran, and what tests are written with
_LATE_IN_NUMPY = {"ma", "f2py", "testing"}
# objects that a run makes before garbage is looked for, most of which live on: ten times as many as
# usual take two thirds of the time, and some MiB
_OBJECTS_BEFORE_GARBAGE = 7000


def import_igraph() -> None:
    """Import igraph without matplotlib, which it would load for plots of its own.

    That takes longer than igraph. A program that has one of them already keeps what it has.
    """
    if {"igraph", "matplotlib"} & sys.modules.keys():
        return
    # what is None there cannot be imported
    sys.modules["matplotlib"] = None  # type: ignore[assignment]
    try:
        importlib.import_module("igraph")
    finally:
        del sys.modules["matplotlib"]


def import_special_functions() -> None:
    """Import scipy.special without parts of NumPy that no command needs.

    SciPy copies all names of NumPy, of which it loads some when they are first looked up. They take
    as long as all else of scipy.special. A program that has one of them keeps what it has.
    """
    import numpy

    if "scipy.special" in sys.modules or vars(numpy).keys() & _LATE_IN_NUMPY:
        return
    # a name that is there is not looked up
    vars(numpy).update(dict.fromkeys(_LATE_IN_NUMPY))
    try:
        importlib.import_module("scipy.special")
    finally:
        for name in _LATE_IN_NUMPY:
            delattr(numpy, name)


@contextmanager
def loading() -> Iterator[None]:
    """Load libraries, of which nothing is garbage: none is looked for meanwhile."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def refuse_torchrun(command: str, way_out: str) -> None:
    """Refuse to run in one of several processes that torchrun has started."""
    if os.environ.get("WORLD_SIZE", "1") != "1":
        raise InputError(f"{command} {way_out}, not by torchrun; leave torchrun out.")


def required_path(ctx: click.Context, path: str) -> str:
    """The path of the input, which is an argument of the command or in a settings file."""
    if not path:
        argument = next(param for param in ctx.command.params if param.name == "path")
        name = argument.make_metavar(ctx)
        raise InputError(f"{name} must be given, here or in the settings file.")
    return path


@contextmanager
def _kept_objects() -> Iterator[None]:
    """Libraries and input are there for good: garbage is looked for among what a run makes."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_OBJECTS_BEFORE_GARBAGE)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def run_into_folder(
    ctx: click.Context,
    kind: RunKind[Any],
    settings: Any,
    interrupts: Interrupts,
    read_inputs: Callable[[], Any],
    *,
    path: str,
    files: Iterable[str],
    out: str | None,
    force: bool,
    resume: bool,
    quiet: bool,
    n_jobs: int | None = None,
) -> None:
    """Read the inputs, make a run of a kind, write it and print it.

    ``path`` names the folder of the run where ``out`` does not, and ``files`` are all that the
    command reads. A folder that cannot be written to is refused before anything is read. Of several
    processes, all of which call this, the first one prints.
    """
    from gomkcn_dgl.runtime.job import JobProgress
    from gomkcn_dgl.runtime.output_folder import lock_folder
    from gomkcn_dgl.runtime.processes import is_first, world_size
    from gomkcn_dgl.runtime.run import Work, check_folder, prepare_folder, write_run

    if out is not None:
        check_folder(kind, out, force=force, resume=resume, inputs=files)
    bar = JobProgress.of_command(quiet=quiet or not is_first())
    with bar:
        bar.begin("reading the input")
        inputs = read_inputs()
    out = choose_folder(out, path, resume=resume)
    with lock_folder(out) as folder:
        page = folder / kind.page
        progress = prepare_folder(kind, folder, force=force, resume=resume)
        if progress is None:
            say(f"nothing to resume: the run is finished, {page}")
            return
        if world_size() == 1:
            interrupts.command = resuming_command(ctx, out)
        if resume and not progress.exists() and not page.exists():
            # a job of a cluster is given --resume from its first start on
            say(f"nothing to resume in {out}: a new run begins")
        with bar, interrupts, _kept_objects():
            run = kind.make(settings, inputs, Work(progress, interrupts, bar, n_jobs))
            write_run(kind, folder, run)
        if is_first():
            say(kind.text(run))
            say(f"\ndone in {run.seconds:.1f} s; page: {page}")
        if interrupts.signal and run.is_partial:
            # the code of a process that a signal ended, although what is known was written
            sys.exit(128 + signal.Signals[interrupts.signal])
