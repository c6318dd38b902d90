"""Trials side by side in a pool of processes; what is done is written at once and never redone."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import use_threads

from paper.data import load_graph_data, load_node_data
from paper.experiment import Experiment, Trial
from paper.families import families
from paper.protocol import Family
from paper.results_file import TRIAL_KEY, ResultsFile
from paper.smoke import tiny_graph_data, tiny_node_data

Families = Callable[[str], Mapping[str, Family]]
SMOKE_EPOCHS = 2
_SAY = functools.partial(print, flush=True)
_LOADERS = {"node": load_node_data, "graph": load_graph_data}
_TINY = {"node": tiny_node_data, "graph": tiny_graph_data}


@dataclass(frozen=True)
class Source:
    """Where trials find their data; without a folder they get tiny data and two epochs."""

    folder: Path | None
    device: str = "cpu"

    def load(self, kind: str, name: str) -> Any:
        data = _TINY[kind](name) if self.folder is None else _LOADERS[kind](name, self.folder)
        return dataclasses.replace(data, device=self.device)


class _LimitError(Exception):
    """A trial has used up its time."""


def run_trials(
    experiment: Experiment,
    results: ResultsFile,
    source: Source,
    *,
    jobs: int = 1,
    known: Families = families,
    say: Callable[[str], None] = _SAY,
) -> list[str]:
    """Run the trials that are not in the results yet; return a sentence for each that failed.

    Parameters
    ----------
    experiment : Experiment
        Which trials.
    results : ResultsFile
        Where they go, each as it ends.
    source : Source
        Where the data come from.
    jobs : int
        Processes, of one thread each; 1 runs the trials in this process.
    known : callable
        The families of a kind.
    say : callable
        Takes a line of progress. Test accuracies are not in it.
    """
    wanted = _not_done(experiment, results, known(experiment.kind), say)
    stamp = _stamp(source.device)
    failed = []
    call = functools.partial(_run, experiment.kind, source, experiment.limit, known)
    finished, given_up = _places(results)

    def still_wanted() -> Iterator[Trial]:
        for trial in wanted:
            if (trial.data, trial.model) not in given_up - finished:
                yield trial

    for number, (trial, outcome) in enumerate(_outcomes(call, still_wanted(), jobs), 1):
        where = f"{trial.data}, {trial.model}, split {trial.split}, trial {trial.trial}"
        if isinstance(outcome, Exception):
            failed.append(f"{where}: {type(outcome).__name__}: {outcome}")
            say(f"FAILED {failed[-1]}")
            continue
        results.append(
            {"experiment": experiment.name, **dataclasses.asdict(trial), **outcome, **stamp}
        )
        (given_up if outcome["val"] is None else finished).add((trial.data, trial.model))
        shown = outcome["unfinished"] or f"validation {100 * outcome['val']:.1f}"
        say(f"{number} of {len(wanted)}: {where}: {shown} ({outcome['seconds']:.1f} s)")
    return failed


def _not_done(
    experiment: Experiment,
    results: ResultsFile,
    known: Mapping[str, Family],
    say: Callable[[str], None],
) -> list[Trial]:
    """Trials to run: not in the file, installed, in the grid, and not known to take too long."""
    done = {tuple(record[key] for key in TRIAL_KEY) for record in results.read()}
    finished, given_up = _places(results)
    usable = {}
    for model in experiment.models:
        family = known.get(model)
        if family is None or not family.is_installed():
            say(f"{model}: not installed" if family else f"{model}: there is no such model here")
        else:
            usable[model] = family
    return [
        trial
        for trial in experiment.all_trials()
        if trial.model in usable
        and trial.trial < usable[trial.model].num_points
        and (trial.data, trial.model) not in given_up - finished
        and (experiment.name, *dataclasses.astuple(trial)) not in done
    ]


def _places(results: ResultsFile) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """(data set, model) with a trial that finished, and with one that did not.

    A model none of whose trials finished is not tried again on that data set.
    """
    finished, unfinished = set(), set()
    for record in results.read():
        place = record["data"], record["model"]
        (unfinished if record["val"] is None else finished).add(place)
    return finished, unfinished


def _outcomes(
    call: Callable[[Trial], dict[str, Any]], trials: Iterator[Trial], jobs: int
) -> Iterator[tuple[Trial, dict[str, Any] | Exception]]:
    """Outcomes, or what was raised, as trials end; few wait in line, so that a stop is quick."""
    if jobs == 1:
        for trial in trials:
            try:
                yield trial, call(trial)
            except Exception as error:
                yield trial, error
        return
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _start_worker)
    running: dict[Future[dict[str, Any]], Trial] = {}
    try:
        while True:
            for trial in itertools.islice(trials, jobs + 1 - len(running)):
                running[pool.submit(call, trial)] = trial
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                error = future.exception()
                if error is not None and not isinstance(error, Exception):
                    raise error
                yield running.pop(future), error or future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _start_worker() -> None:
    """One thread; and a worker does not outlive a run that was killed."""
    use_threads(1)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def leave_with_parent() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=leave_with_parent, daemon=True).start()


@functools.lru_cache(maxsize=1)
def _data(kind: str, source: Source, name: str) -> Any:
    return source.load(kind, name)


def _run(kind: str, source: Source, limit: float, known: Families, trial: Trial) -> dict[str, Any]:
    """One trial, as its part of a line of the results."""
    family = known(kind)[trial.model]
    data = _data(kind, source, trial.data)
    params = family.params(trial.data, trial.trial)
    assert params is not None
    if source.folder is None and "epochs" in params:
        params["epochs"] = SMOKE_EPOCHS
    # a split starts all its trials from the same seed
    seed = trial.split
    start, start_of_work = time.perf_counter(), time.process_time()
    unfinished = None
    outcome: dict[str, Any] = dict.fromkeys(("val", "val_loss", "test", "best_epoch", "epochs"))
    try:
        with _limited(limit):
            found = family.trial(data, data.splits[trial.split], params, seed)
        outcome = dataclasses.asdict(found)
    except _LimitError:
        unfinished = f"not finished in {limit:.0f} s"
    # others may share the processor: both are told
    seconds = round(time.perf_counter() - start, 3)
    cpu_seconds = round(time.process_time() - start_of_work, 3)
    return {
        "params": params,
        "seed": seed,
        **outcome,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "unfinished": unfinished,
    }


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise in the main thread when the time is up, where the system has such a timer."""
    if (
        not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return

    def stop(*_: object) -> None:
        raise _LimitError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _stamp(device: str) -> dict[str, Any]:
    """What made the results, short enough for every line."""
    import importlib.metadata

    from gomkcn_dgl.runtime.provenance import describe_provenance

    made = describe_provenance(0, 0.0, device)
    machine, versions = made["machine"], dict(made["libraries"])
    for peer in ("torch-geometric", "grakel"):
        try:
            versions[peer] = importlib.metadata.version(peer)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {
        "threads": 1,
        "device": device,
        "machine": f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}",
        "versions": versions,
        "commit": made["commit"],
        "started": made["created"],
    }
