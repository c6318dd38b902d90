"""Run the trials of an accuracy table; those that are in its results are skipped.

    python benchmarks/paper/run.py benchmarks/paper/node_classification.toml --jobs 2

``--smoke`` runs every model once for two epochs on tiny data and writes nothing that stays.
"""

from __future__ import annotations

import dataclasses
import os
import sys
import tempfile
from pathlib import Path

# the commands of benchmarks/ find each other by name; so do those of this folder
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
# read by torch and Numba at import, in this process and in those that it starts
os.environ.setdefault("OMP_NUM_THREADS", "1")

import click
from measure import use_threads
from record import data_option

from gomkcn_dgl.errors import InputError
from paper.experiment import Experiment, read_experiment
from paper.results_file import ResultsFile
from paper.runner import Source, run_trials
from paper.table import accuracy_table

RESULTS = Path(__file__).parent / "results"


def _names(_: click.Context, __: click.Parameter, text: str | None) -> list[str] | None:
    return None if text is None else [part.strip() for part in text.split(",")]


def narrow(
    experiment: Experiment,
    models: list[str] | None,
    data_sets: list[str] | None,
    splits: int | None,
    trials: int | None,
) -> Experiment:
    """The part of an experiment that the options ask for."""
    for kind, asked, have in (
        ("--models", models, experiment.models),
        ("--data-sets", data_sets, experiment.data_sets),
    ):
        unknown = sorted(set(asked or ()) - set(have))
        if unknown:
            raise InputError(f"{kind} must be among {', '.join(have)}; got {', '.join(unknown)}.")
    return dataclasses.replace(
        experiment,
        models=models or experiment.models,
        data_sets=data_sets or experiment.data_sets,
        splits=splits or experiment.splits,
        trials=trials or experiment.trials,
    )


def smoke(experiment: Experiment, jobs: int, device: str) -> list[str]:
    """One trial of every model on tiny data, in a folder that goes away."""
    small = dataclasses.replace(experiment, data_sets=experiment.data_sets[:1], splits=1, trials=1)
    with tempfile.TemporaryDirectory() as folder:
        results = ResultsFile(Path(folder) / f"{experiment.name}.jsonl")
        failed = run_trials(small, results, Source(None, device), jobs=jobs)
        print(accuracy_table(small, results.read()))
    return failed


@click.command()
@click.argument("toml", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--models", callback=_names, help="Names, with commas between; all by default.")
@click.option("--data-sets", callback=_names, help="Names, with commas between; all by default.")
@click.option("--splits", type=click.IntRange(1), help="The first so many splits.")
@click.option("--trials", type=click.IntRange(1), help="The first so many trials.")
@click.option("--jobs", type=click.IntRange(1), help="Trials side by side; 2, or 1 to smoke.")
@click.option("--device", default="cpu", help="Where models train; cpu by default.")
@click.option("--smoke", "is_smoke", is_flag=True, help="Tiny data; nothing is kept.")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), default=RESULTS, help="Results."
)
@data_option
def main(
    toml: Path,
    models: list[str] | None,
    data_sets: list[str] | None,
    splits: int | None,
    trials: int | None,
    jobs: int | None,
    device: str,
    is_smoke: bool,
    out: Path,
    data: Path,
) -> None:
    """Run the trials of an experiment."""
    try:
        experiment = narrow(read_experiment(toml), models, data_sets, splits, trials)
    except InputError as error:
        raise click.UsageError(str(error)) from None
    use_threads(1)
    jobs = jobs or (1 if is_smoke else 2)
    if is_smoke:
        failed = smoke(experiment, jobs, device)
    elif not data.is_dir():
        raise click.UsageError(f"--data must name the folder of the real graphs, got {data}.")
    else:
        results = ResultsFile(out / f"{experiment.name}.jsonl")
        failed = run_trials(experiment, results, Source(data, device), jobs=jobs)
    if failed:
        raise click.ClickException(f"{len(failed)} trials failed:\n" + "\n".join(failed))


if __name__ == "__main__":
    main()
