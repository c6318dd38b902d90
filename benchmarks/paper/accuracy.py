"""Run the trials of an accuracy table; those that are in its results are skipped."""

from __future__ import annotations

import dataclasses
import functools
import importlib.metadata
import math
import signal
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click
from record import Bench, commit_of_code

from gomkcn_dgl.runtime.output_folder import describe_provenance
from paper.data import load_graph_data, load_node_data
from paper.models import families_of
from paper.motif_data import load_motif_data
from paper.protocol import LEAST_SECONDS, Experiment, Family, Trial, read_experiment
from paper.records import Record, append_record, read_records
from paper.table import HERE, accuracy_table, write_tables
from paper.tiny_data import tiny_graph_data, tiny_node_data

SMOKE_EPOCHS = 2


class BudgetSpentError(Exception):
    """The processor time of a search is over before its trial is."""


def run_trials(
    experiment: Experiment,
    results: Path,
    load: Callable[[str], Any],
    families: Mapping[str, Family],
    *,
    epochs: int | None = None,
) -> list[str]:
    """Run the trials that are not in the results yet, and return a sentence for each that failed.

    ``load`` returns the data of a name. ``epochs`` takes the place of a model's own number of them.
    Under a budget a trial is begun as long as some of it is left, and is cut when it is spent.
    Progress is printed without test accuracies.
    """
    for model in experiment.models:
        if not families[model].is_installed():
            print(f"{model}: not installed")
    records = read_records(results)
    done = {Trial(*(record[key] for key in Trial.__annotations__)) for record in records}
    searches = defaultdict(list)
    for record in records:
        searches[record["data"], record["model"], record["split"]].append(record)
    stamp, failed = describe_run(), []
    for trial in experiment.all_trials():
        family = families[trial.model]
        if trial in done or not family.is_installed() or not family.is_for(trial):
            continue
        search = searches[trial.data, trial.model, trial.split]
        left = experiment.seconds_left(trial.data, search)
        if left < LEAST_SECONDS:
            continue
        where = f"{trial.data}, {trial.model}, split {trial.split}, trial {trial.trial}"
        try:
            outcome = run_trial(family, load(trial.data), trial, epochs, left)
        except Exception as error:
            failed.append(f"{where}: {type(error).__name__}: {error}")
            print(f"FAILED {failed[-1]}", flush=True)
            continue
        record = {"experiment": experiment.name, **dataclasses.asdict(trial), **outcome, **stamp}
        append_record(results, record)
        search.append(record)
        val = outcome["val"]
        shown = "cut by its budget" if val is None else f"validation {100 * val:.1f}"
        print(f"{where}: {shown} ({outcome['cpu_seconds']:.1f} s)", flush=True)
    return failed


def run_trial(
    family: Family, data: Any, trial: Trial, epochs: int | None, seconds: float = math.inf
) -> Record:
    """One trial, as its part of a line of the results; no outcome if it takes more processor time.

    ``points`` is the size of the grid, which ends a search.
    """
    params = family.params(trial.data, trial.trial)
    if epochs is not None and "epochs" in params:
        params["epochs"] = epochs
    # a split starts all its trials from the same seed
    seed = trial.split
    start, cpu_start = time.perf_counter(), time.process_time()
    outcome: Record = {"val": None, "test": None}
    with suppress(BudgetSpentError), processor_limit(seconds):
        outcome = dataclasses.asdict(family.trial(data, data.splits[trial.split], params, seed))
    return {
        "params": params,
        "points": family.num_points,
        "seed": seed,
        **outcome,
        "seconds": round(time.perf_counter() - start, 3),
        # others may share the processor: both are recorded
        "cpu_seconds": round(time.process_time() - cpu_start, 3),
    }


def warm_up(experiment: Experiment, families: Mapping[str, Family], tiny: Any) -> None:
    """Train each model on tiny data, so that no budget is spent on what is compiled once."""
    for model in experiment.models:
        if families[model].is_installed():
            run_trial(families[model], tiny, Trial(tiny.name, model, 0, 0), SMOKE_EPOCHS)


@contextmanager
def processor_limit(seconds: float) -> Iterator[None]:
    """Raise :class:`BudgetSpentError` when this process has used so much processor time in here."""
    if math.isinf(seconds):
        yield
        return

    def stop(number: int, frame: Any) -> None:
        raise BudgetSpentError

    before = signal.signal(signal.SIGPROF, stop)
    # again after a second: an error raised in a finalizer is lost
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def describe_run() -> Record:
    """Machine, versions and commit, short enough for every line."""
    provenance = describe_provenance(0, 0.0)
    machine, versions = provenance["machine"], dict(provenance["libraries"])
    for peer in ("torch-geometric", "grakel"):
        with suppress(importlib.metadata.PackageNotFoundError):
            versions[peer] = importlib.metadata.version(peer)
    return {
        "threads": 1,
        "device": provenance["device"],
        "machine": f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}",
        "versions": versions,
        "commit": commit_of_code(),
        "started": provenance["created"],
    }


def main(bench: Bench) -> None:
    """Run the trials of an experiment; all models once, on tiny data, where this is quick."""
    experiment = read_experiment(HERE / f"{bench.name}.toml")
    families = families_of(experiment.kind)
    load = functools.lru_cache(maxsize=1)(functools.partial(_LOAD[experiment.kind], bench.data))
    if bench.quick:
        experiment = dataclasses.replace(
            experiment, data_sets=experiment.data_sets[:1], splits=1, trials=1
        )
        # tiny data stand for any set
        families = {key: dataclasses.replace(one, data_sets=()) for key, one in families.items()}
        load = _TINY[experiment.kind]
    if experiment.budgets:
        warm_up(experiment, families, _TINY[experiment.kind](experiment.data_sets[0]))
    with tempfile.TemporaryDirectory() as scratch:
        results = (bench.out or Path(scratch)) / f"{experiment.name}.jsonl"
        failed = run_trials(
            experiment, results, load, families, epochs=SMOKE_EPOCHS if bench.quick else None
        )
        print(accuracy_table(experiment, read_records(results)))
    if bench.out == HERE / "results":
        write_tables(HERE / "README.md", bench.out)
    if failed:
        raise click.ClickException(f"{len(failed)} trials failed:\n" + "\n".join(failed))


_LOAD: dict[str, Callable[[Path, str], Any]] = {
    "node": lambda data, name: load_node_data(name, data),
    "graph": lambda data, name: load_graph_data(name, data),
    "motif": lambda data, name: load_motif_data(name),
}
_TINY: dict[str, Callable[[str], Any]] = {
    "node": tiny_node_data,
    "graph": tiny_graph_data,
    "motif": functools.partial(load_motif_data, num_graphs=40),
}
