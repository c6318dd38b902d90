"""A run of `gomkcn mine` or `gomkcn filters`: from the options to the folder that it leaves."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from gomkcn.commands.base import choose_folder, inputs_of_run, resuming_command, truth_beside
from gomkcn.commands.printing import say
from gomkcn_dgl.errors import InputError

if TYPE_CHECKING:
    from gomkcn_dgl.runtime.job import Interrupts


class RunKind(NamedTuple):
    """What the runs of a command are."""

    files: Sequence[str]  # that a run may write into its folder
    page: str  # the one of them that is the page
    job: Callable[..., tuple[Any, Any]]  # from graph and settings to a fitted miner and a run
    write: Callable[[Path, Any], None]  # writes the files of a run into a folder
    text: Callable[[Any], str]  # what is printed of a run


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


def mine_into_folder(
    ctx: click.Context,
    kind: RunKind,
    settings: Any,
    interrupts: Interrupts,
    *,
    out: str | None,
    settings_file: str | None,
    truth: str | None,
    force: bool,
    resume: bool,
    quiet: bool,
) -> None:
    """Read the graph that the settings name, mine it, write the run and print it.

    A folder that cannot be written to is refused before the graph is read.
    """
    from gomkcn.mining.structures.truth import read_truth
    from gomkcn_dgl.runtime.job import JobProgress
    from gomkcn_dgl.runtime.output_folder import (
        PROGRESS,
        begin_run,
        check_early,
        lock_folder,
        remove_progress,
    )

    path = settings.graph.path
    if not path:
        # the argument of the command
        name = next(one for one in ctx.command.params if one.name == "path").make_metavar(ctx)
        raise InputError(f"{name} must be given, here or in the settings file.")
    if out is not None:
        inputs = inputs_of_run(ctx, settings.graph, settings_file if resume else None)
        check_early(out, kind.files, PROGRESS, force=force, resume=resume, inputs=inputs)
    bar = JobProgress(not quiet and sys.stderr.isatty())
    with bar:
        bar.begin("reading the graph")
        graph = settings.graph.read_graph()
        classes = settings.graph.read_classes()
    truth_path = truth or truth_beside(path)
    planted = None if truth_path is None else read_truth(truth_path)
    out = choose_folder(out, path, resume=resume)
    with lock_folder(out) as folder:
        page = folder / kind.page
        unfinished = begin_run(folder, kind.files, "run.json", PROGRESS, force=force, resume=resume)
        if unfinished is None:
            say(f"nothing to resume: the run is finished, {page}")
            return
        interrupts.command = resuming_command(ctx, out)
        if resume and not unfinished.exists() and not page.exists():
            # a job of a cluster is given --resume from its first start on
            say(f"nothing to resume in {out}: a new run begins")
        with bar, interrupts:
            _, run = kind.job(
                settings, graph, unfinished, interrupts, bar, classes=classes, truth=planted
            )
            kind.write(folder, run)
        if not run.is_partial:
            remove_progress(unfinished)
        say(kind.text(run))
        say(f"\nmined in {run.provenance['seconds']:.1f} s; report: {page}")
