"""A run: settings → steps → record → tables → page → text, in one folder, whole or not at all.

What runs of a command have of their own is a :class:`RunKind`: a name, the files that it may write,
and functions that make its result, write it as tables, as a page and as text, and read it back.
What all runs share is here and in :mod:`gomkcn_dgl.runtime.output_folder`: the folder that is
locked and refused where it is not ours, ``run.json`` with which a run is known, resuming, and
processes that share a training. No kind is known here by its name.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import to_toml
from gomkcn_dgl.runtime.job import Interrupts, JobProgress
from gomkcn_dgl.runtime.output_folder import (
    PROGRESS,
    RECORD,
    Content,
    begin_run,
    check_early,
    describe_provenance,
    read_json,
    refuse_foreign,
    remove_progress,
    with_record,
    write_files,
    write_run_files,
)
from gomkcn_dgl.runtime.processes import is_first, was_restarted
from gomkcn_dgl.runtime.steps import Steps

Found = TypeVar("Found")

# the resolved settings, which the command takes with --settings
SETTINGS = "settings.toml"


@dataclass(frozen=True)
class Work:
    """How the steps of a run are done: where they are kept, until when, by how many processes."""

    folder: Path | None = None
    interrupts: Interrupts | None = None
    progress: JobProgress = field(default_factory=JobProgress)
    n_jobs: int | None = None

    def steps(self, identity: Callable[[], Mapping[str, Any]]) -> Steps:
        """The steps of a run with an identity, which is asked for where something is kept."""
        return Steps(
            self.folder,
            None if self.folder is None else identity(),
            interrupts=self.interrupts,
            progress=self.progress,
            n_jobs=self.n_jobs,
        )


@dataclass(frozen=True)
class Run(Generic[Found]):
    """What a run found, and the record of how it came about.

    Attributes
    ----------
    found : object
        The result, as the function of the library returns it.
    record : dict
        That of ``run.json``: ``settings``, ``provenance``, whether it is ``partial``, and what else
        its kind says.
    inputs : object
        What it was made of; None for a run that was read from its folder.
    """

    found: Found
    record: Mapping[str, Any]
    inputs: Any = None

    @property
    def is_partial(self) -> bool:
        """Whether the time limit ended it early."""
        return bool(self.record["partial"])

    @property
    def settings(self) -> Mapping[str, Any]:
        """The resolved settings."""
        settings: Mapping[str, Any] = self.record["settings"]
        return settings

    @property
    def seconds(self) -> float:
        """How long it took."""
        return float(self.record["provenance"]["seconds"])


@dataclass(frozen=True)
class RunKind(Generic[Found]):
    """What the runs of a command have of their own.

    Attributes
    ----------
    name : str
        That of the command, by which ``run.json`` names the kind.
    files : tuple of str
        Names of all files that a run may write beside ``run.json`` and ``settings.toml``.
    page : str
        The one of them that is the page.
    make : callable
        From settings, inputs and :class:`Work` to a run.
    tables : callable
        The contents of all other files of a run, by name.
    render : callable
        The page of a run, as HTML.
    text : callable
        What is printed of a run.
    read : callable
        From a folder and the record in it to what was found.
    """

    name: str
    files: tuple[str, ...]
    page: str
    make: Callable[[Any, Any, Work], Run[Found]]
    tables: Callable[[Run[Found]], dict[str, Content]]
    render: Callable[[Run[Found]], str]
    text: Callable[[Run[Found]], str]
    read: Callable[[Path, Mapping[str, Any]], Found]

    @property
    def all_files(self) -> tuple[str, ...]:
        """Names of all files that a run may write; its record comes first."""
        return (RECORD, SETTINGS, *self.files)


def record_of(settings: Mapping[str, Any], steps: Steps, seed: int, start: float) -> dict[str, Any]:
    """What the record of a run says of its work, from ``start`` on: whether it is whole, and how.

    ``start`` is what ``time.perf_counter()`` was.
    """
    return {
        "partial": steps.is_partial,
        "command": steps.resuming_command if steps.is_partial else "",
        "settings": settings,
        "provenance": describe_provenance(seed, time.perf_counter() - start),
    }


def check_folder(
    kind: RunKind[Any],
    folder: str | Path,
    *,
    force: bool = False,
    resume: bool = False,
    inputs: Iterable[str | Path] = (),
) -> None:
    """Refuse a folder before any work, also where a run would replace one of its inputs."""
    # all processes must ask, also those that check nothing
    restarted = was_restarted()
    if is_first() and not restarted:
        check_early(folder, kind.all_files, force=force, resume=resume, inputs=inputs)


def prepare_folder(
    kind: RunKind[Any], folder: str | Path, *, force: bool = False, resume: bool = False
) -> Path | None:
    """Make the folder of a run; return where its progress is kept, None if the run is finished."""
    return begin_run(folder, kind.all_files, force=force, resume=resume)


def files_of_run(kind: RunKind[Found], run: Run[Found]) -> dict[str, Content]:
    """All files of a run by name, the record last."""
    files = {
        SETTINGS: to_toml(run.settings),
        **kind.tables(run),
        kind.page: kind.render(run),
    }
    return with_record(files, {"kind": kind.name, **run.record})


def write_run(kind: RunKind[Found], folder: Path, run: Run[Found]) -> None:
    """Write a run into a folder made by :func:`prepare_folder`; what was kept of a whole one goes.

    All contents are made before the first file is written: a run that fails before that leaves the
    folder as it was. Of several processes the first one writes.
    """
    if not is_first():
        return
    write_run_files(folder, files_of_run(kind, run))
    if not run.is_partial:
        remove_progress(folder / PROGRESS)


def write_page(kind: RunKind[Found], folder: Path, run: Run[Found]) -> Path:
    """Write the page of a run anew; return its path."""
    refuse_foreign(folder, [kind.page])
    write_files(folder, {kind.page: kind.render(run)})
    return folder / kind.page


def read_record(folder: str | Path, kind: str | None = None) -> dict[str, Any]:
    """The record of a finished run; raises an InputError where there is none, or another kind."""
    record = read_json(Path(folder) / RECORD)
    if not isinstance(record, dict) or not isinstance(record.get("kind"), str):
        raise InputError(
            f"run folder {str(folder)!r} was written by another version of gomkcn, or its "
            f"{RECORD} is damaged; do the run again."
        )
    if kind not in (None, record["kind"]):
        raise InputError(
            f"run folder {str(folder)!r} holds a run of gomkcn {record['kind']}, and one of gomkcn "
            f"{kind} is needed here."
        )
    return record


def read_run(kind: RunKind[Found], folder: str | Path) -> Run[Found]:
    """Read a finished run of a kind; raises an InputError where there is none, or another kind."""
    record = read_record(folder, kind.name)
    return Run(kind.read(Path(folder), record), record)
