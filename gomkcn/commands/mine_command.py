"""`gomkcn mine` and `gomkcn report`: a graph → the folder of a mining run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gomkcn.commands.base import Command, show_log
from gomkcn.commands.graph_options import graph_options, read_graph_at, truth_beside

if TYPE_CHECKING:
    from mining.settings import RunSettings

# the libraries are imported inside the commands, so that --help answers at once


def _number_or_auto(context: click.Context, option: click.Parameter, text: str | None) -> Any:
    try:
        return text if text in (None, "auto") else int(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is neither a whole number nor auto.") from None


# those that a first user may want; a settings file takes all. Each is called as in its table
_SETTINGS = [
    click.option(
        "--patterns",
        "num_patterns",
        metavar="N|auto",
        callback=_number_or_auto,
        help="Patterns to look for; auto: as many as a null model does not explain. [12]",
    ),
    click.option(
        "--size",
        "pattern_size",
        metavar="N|auto",
        callback=_number_or_auto,
        help="Most nodes of a pattern; auto: the size that a null model explains least. [6]",
    ),
    click.option(
        "--hops", "num_hops", type=int, help="Radius around each node. [3, or half the size]"
    ),
    click.option("--levels", "num_levels", type=int, help="Steps of neighbours compared. [3]"),
    click.option("--policy", help="Nodes that stay in a large ball: dense, bfs, random. [dense]"),
    click.option("--views", "num_views", type=int, help="Subgraphs around each node. [1]"),
    click.option("--init", help="facility_location, kmeans++, sample, random. [facility_location]"),
    click.option("--matching", help="optimal, or the paper's greedy. [optimal]"),
    click.option("--epochs", "num_epochs", type=int, help="Gradient epochs. [60]"),
    click.option(
        "--noisy-copies",
        help="Also find patterns of which few copies are intact: auto, no, yes. [auto]",
    ),
    click.option("--restarts", "n_init", type=int, help="Initialisations to try. [1]"),
    click.option("--contrast", "feature_contrast", type=float, help="Weight of features. [0.3]"),
    click.option(
        "--rule", "occurrence_rule", help="Occurrences: isomorphic or similar. [isomorphic]"
    ),
    click.option(
        "--min-similarity",
        type=float,
        help="Least similarity of an assigned node. [what a null model rarely reaches]",
    ),
    click.option("--min-support", type=int, help="Least occurrences of a pattern. [5]"),
    click.option(
        "--exact",
        "seconds",
        type=float,
        metavar="SECONDS",
        help="Count each structure in the whole graph, for so long at most. [not counted]",
    ),
    click.option("--seed", "random_state", type=int, help="Seed of everything. [0]"),
    click.option(
        "--sample-error",
        type=float,
        help="Learn on so many nodes that shares are right to within this. [0.005]",
    ),
    click.option(
        "--memory-limit",
        metavar="SIZE",
        help="Most memory to take beside the graph, such as 4GiB. [half of the machine's]",
    ),
    click.option(
        "--null",
        "models",
        multiple=True,
        help="Null model to compare with: degree, configuration or features; repeatable.",
    ),
    click.option("--null-samples", "samples", type=int, help="Samples to count in. [100]"),
    click.option("--null-decoys", "decoys", type=int, help="Samples to mine. [20]"),
    click.option(
        "--stability",
        "restarts",
        type=int,
        metavar="RUNS",
        help="Runs from other initialisations, and as many on resampled nodes, to measure which "
        "patterns are found again. [0]",
    ),
]


def _settings_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_SETTINGS):
        command = option(command)
    return command


def _resolve(settings_file: str | None, options: dict[str, Any]) -> RunSettings:
    """The settings of the file, or the defaults, with the options that were given."""
    from mining.settings import RunSettings, read_settings

    settings = RunSettings() if settings_file is None else read_settings(settings_file)
    features = options["features"]
    options["features"] = None if features is None else tuple(features.split(","))
    options["models"] = options["models"] or None
    options["bootstrap"] = options["restarts"]
    return settings.override(
        {
            table: {name: options[name] for name in known if name in options}
            for table, known in settings.to_dict().items()
        }
    )


@click.command(cls=Command)
@graph_options
@click.option("--out", required=True, help="Folder of the run.")
@_settings_options
@click.option("--settings", "settings_file", help="A TOML file, such as a run's settings.toml.")
@click.option("--truth", "truth_file", help="Planted truth; by default the one beside the graph.")
@click.option("--force", is_flag=True, help="Overwrite a run in the folder.")
@click.option("--resume", is_flag=True, help="Resume an unfinished run in the folder.")
@click.option("--time-limit", type=float, metavar="SECONDS", help="End with what there is by then.")
@click.option("--quiet", is_flag=True, help="No log and no progress bar.")
def mine(
    out: str,
    settings_file: str | None,
    truth_file: str | None,
    force: bool,
    resume: bool,
    time_limit: float | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Find the patterns that keep coming back in the graph at PATH.

    \b
    gomkcn mine friends.txt.gz --out run --patterns 12 --size 6
    gomkcn mine ENZYMES/ --out run --features labels --label-names names.csv
    gomkcn mine graph.graphml --out run --features x0,x1
    gomkcn mine friends.txt.gz --out run --null degree --stability 10 --exact 10
    gomkcn mine --settings run/settings.toml --out again
    gomkcn mine friends.graph --out run --memory-limit 4GiB --time-limit 600
    gomkcn mine friends.graph --out run --resume
    torchrun --nproc-per-node 2 -m gomkcn mine friends.graph --out run
    """
    from gomkcn_dgl.runtime.interrupts import Interrupts
    from gomkcn_dgl.runtime.processes import is_first, join_processes
    from gomkcn_dgl.runtime.run_lock import lock_folder
    from mining import MiningRun, compare_with_truth, read_truth
    from mining.html.tables import format_run
    from mining.mining_job import MiningJob
    from mining.results.run_folder import REPORT, prepare_folder, remove_progress, write_run

    interrupts = Interrupts(time_limit)
    with join_processes():
        show_log(quiet or not is_first())
        settings = _resolve(settings_file, options)
        job = MiningJob(settings, progress=not quiet and sys.stderr.isatty() and is_first())
        graph = read_graph_at(settings.graph)
        truth_path = truth_beside(settings.graph.path) if truth_file is None else Path(truth_file)
        truth = None if truth_path is None else read_truth(truth_path)
        with lock_folder(out) as folder:
            progress = prepare_folder(folder, force, resume)
            if progress is None:
                click.echo(f"nothing to resume: the run is finished, {folder / REPORT}")
                return
            with interrupts:
                miner, seconds = job.run(graph, progress, interrupts)
            if is_first():
                recovery = None if truth is None else compare_with_truth(miner.patterns_, truth)
                run = MiningRun.of(
                    miner, graph, settings=settings, seconds=seconds, recovery=recovery
                )
                write_run(folder, run, settings, miner)
                if not run.is_partial:
                    remove_progress(folder)
                click.echo(format_run(run))
                click.echo(f"\nmined in {seconds:.1f} s; report: {folder / REPORT}")


@click.command(cls=Command)
@click.argument("run", metavar="RUN")
def report(run: str) -> None:
    """Print the table of a finished RUN and write its report anew.

    \b
    gomkcn report run
    """
    from gomkcn_dgl.runtime.run_lock import lock_folder
    from mining.html.tables import format_run
    from mining.results.run_folder import read_run, write_report

    finished = read_run(run)
    with lock_folder(run) as folder:
        page = write_report(folder, finished)
    click.echo(format_run(finished))
    click.echo(f"\nreport: {page}")
