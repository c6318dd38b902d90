"""Run the trials of an accuracy table; those that are in its results are skipped.

    python benchmarks/paper/run.py benchmarks/paper/node_classification.toml

``--smoke`` runs every model once for two epochs on tiny data and writes nothing that stays.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.metadata
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

# the commands of benchmarks/ find each other by name; so do those of this folder
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
# read by torch and Numba at import
os.environ.setdefault("OMP_NUM_THREADS", "1")

import click
from measure import use_threads
from record import data_option

from gomkcn_dgl.runtime.output_folder import describe_provenance
from paper.data import load_graph_data, load_node_data
from paper.models import families_of
from paper.motif_data import load_motif_data
from paper.protocol import Experiment, Family, Trial, TrialOutcome, read_experiment
from paper.records import Record, append_record, read_records
from paper.table import accuracy_table
from paper.tiny_data import tiny_graph_data, tiny_node_data

RESULTS = Path(__file__).parent / "results"
SMOKE_EPOCHS = 2


def run_trials(
    experiment: Experiment,
    results: Path,
    load: Callable[[str], Any],
    families: Mapping[str, Family],
    *,
    epochs: int | None = None,
    device: str = "cpu",
) -> list[str]:
    """Run the trials that are not in the results yet, and return a sentence for each that failed.

    ``load`` returns the data of a name. ``epochs`` takes the place of a model's own number of them.
    Progress is printed without test accuracies.
    """
    for model in experiment.models:
        if not families[model].is_installed():
            print(f"{model}: not installed")
    records = read_records(results)
    done = {Trial(*(record[key] for key in Trial.__annotations__)) for record in records}
    stamp, failed = describe_run(device), []
    for trial in experiment.all_trials():
        family = families[trial.model]
        if trial in done or not family.is_installed() or not family.is_for(trial):
            continue
        if is_too_slow(trial, records):
            continue
        where = f"{trial.data}, {trial.model}, split {trial.split}, trial {trial.trial}"
        try:
            outcome = run_trial(family, load(trial.data), trial, experiment.limit, epochs)
        except Exception as error:
            failed.append(f"{where}: {type(error).__name__}: {error}")
            print(f"FAILED {failed[-1]}", flush=True)
            continue
        record = {"experiment": experiment.name, **dataclasses.asdict(trial), **outcome, **stamp}
        append_record(results, record)
        records.append(record)
        shown = outcome["unfinished"] or f"validation {100 * outcome['val']:.1f}"
        print(f"{where}: {shown} ({outcome['seconds']:.1f} s)", flush=True)
    return failed


def is_too_slow(trial: Trial, records: list[Record]) -> bool:
    """Whether a model has been tried on a data set, and no trial has finished within the limit."""
    key = trial.data, trial.model
    earlier = [record for record in records if (record["data"], record["model"]) == key]
    return bool(earlier) and all(record["val"] is None for record in earlier)


def run_trial(family: Family, data: Any, trial: Trial, limit: float, epochs: int | None) -> Record:
    """One trial, as its part of a line of the results."""
    params = family.params(trial.data, trial.trial)
    if epochs is not None and "epochs" in params:
        params["epochs"] = epochs
    # a split starts all its trials from the same seed
    seed = trial.split
    start, cpu_start = time.perf_counter(), time.process_time()
    unfinished = None
    outcome: Record = dict.fromkeys(entry.name for entry in dataclasses.fields(TrialOutcome))
    try:
        with time_limit(limit):
            outcome = dataclasses.asdict(family.trial(data, data.splits[trial.split], params, seed))
    except TimeoutError:
        unfinished = f"not finished in {limit:.0f} s of processor time"
    return {
        "params": params,
        "seed": seed,
        **outcome,
        "seconds": round(time.perf_counter() - start, 3),
        # others may share the processor: both are recorded
        "cpu_seconds": round(time.process_time() - cpu_start, 3),
        "unfinished": unfinished,
    }


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise a TimeoutError in the main thread when so much processor time is used up."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def describe_run(device: str) -> Record:
    """Machine, versions and commit, short enough for every line."""
    provenance = describe_provenance(0, 0.0, device)
    machine, versions = provenance["machine"], dict(provenance["libraries"])
    for peer in ("torch-geometric", "grakel"):
        with suppress(importlib.metadata.PackageNotFoundError):
            versions[peer] = importlib.metadata.version(peer)
    return {
        "threads": 1,
        "device": device,
        "machine": f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}",
        "versions": versions,
        "commit": provenance["commit"],
        "started": provenance["created"],
    }


def narrow(experiment: Experiment, **parts: Any) -> Experiment:
    """The part of an experiment that the options ask for."""
    for key in ("models", "data_sets"):
        unknown = sorted(set(parts[key] or ()) - set(getattr(experiment, key)))
        if unknown:
            known = ", ".join(getattr(experiment, key))
            option = f"--{key.replace('_', '-')}"
            raise click.UsageError(f"{option} must be among {known}; got {', '.join(unknown)}.")
    return dataclasses.replace(experiment, **{key: part for key, part in parts.items() if part})


def smoke(experiment: Experiment, device: str) -> list[str]:
    """One trial of every model on tiny data, in a folder that goes away."""
    small = dataclasses.replace(experiment, data_sets=experiment.data_sets[:1], splits=1, trials=1)
    tiny: dict[str, Callable[[str], Any]] = {
        "node": tiny_node_data,
        "graph": tiny_graph_data,
        "motif": functools.partial(load_motif_data, num_graphs=40),
    }
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / f"{experiment.name}.jsonl"
        # tiny data stand for any set
        families = {
            name: dataclasses.replace(family, data_sets=())
            for name, family in families_of(experiment.kind).items()
        }
        load = tiny[experiment.kind]
        failed = run_trials(small, results, load, families, epochs=SMOKE_EPOCHS, device=device)
        print(accuracy_table(small, read_records(results)))
    return failed


def _names(_: click.Context, __: click.Parameter, text: str | None) -> list[str] | None:
    return None if text is None else [part.strip() for part in text.split(",")]


@click.command()
@click.argument("toml", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--models", callback=_names, help="Names, with commas between; all by default.")
@click.option("--data-sets", callback=_names, help="Names, with commas between; all by default.")
@click.option("--splits", type=click.IntRange(1), help="The first so many splits.")
@click.option("--trials", type=click.IntRange(1), help="The first so many trials.")
@click.option("--device", default="cpu", help="Where models train; cpu by default.")
@click.option("--smoke", "is_smoke", is_flag=True, help="Tiny data; no results are written.")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), default=RESULTS, help="Results."
)
@data_option
def main(toml: Path, device: str, is_smoke: bool, out: Path, data: Path, **parts: Any) -> None:
    """Run the trials of an experiment."""
    experiment = narrow(read_experiment(toml), **parts)
    use_threads(1)
    if is_smoke:
        failed = smoke(experiment, device)
    elif not data.is_dir():
        raise click.UsageError(f"--data must name the folder of the real graphs, got {data}.")
    else:
        read: dict[str, Callable[[str, Path], Any]] = {
            "node": load_node_data,
            "graph": load_graph_data,
            "motif": lambda name, _: load_motif_data(name),
        }

        @functools.lru_cache(maxsize=1)
        def load(name: str) -> Any:
            return dataclasses.replace(read[experiment.kind](name, data), device=device)

        results = out / f"{experiment.name}.jsonl"
        families = families_of(experiment.kind)
        failed = run_trials(experiment, results, load, families, device=device)
    if failed:
        raise click.ClickException(f"{len(failed)} trials failed:\n" + "\n".join(failed))


if __name__ == "__main__":
    main()
