"""`gomkcn mine` and `gomkcn report`: a graph → the folder of a mining run."""

from __future__ import annotations

import sys
from typing import Any

import click

from gomkcn.commands.base import (
    Command,
    add_options,
    graph_options,
    read_graph_at,
    run_options,
    show_log,
    truth_beside,
)

# the libraries are imported inside the commands, so that --help answers at once


class _NumberOrAuto(click.ParamType):  # type: ignore[type-arg]
    name = "N|auto"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return value if value == "auto" else int(value)
        except ValueError:
            self.fail(f"{value!r} is neither a whole number nor auto.", param, ctx)


# the options that most users need, named as in the tables of the settings file, which has more
_settings_options = add_options(
    (
        "--patterns num_patterns",
        _NumberOrAuto(),
        "Most patterns; auto: all that stand out. [12; one for 4 nodes in small graphs]",
    ),
    ("--size pattern_size", str, "Nodes of a pattern, the smallest and the largest. [3-8]"),
    ("--rank", str, "What comes first: surprise, frequency, coverage or classes. [surprise]"),
    (
        "--null",
        list,
        "Null model: degree, configuration, reciprocity, triangles, communities, geometric, "
        "small-world, features, or none; repeatable. [degree, in graphs of at most 200,000 edges]",
    ),
    ("--null-samples", int, "Most graphs of each null model. [32]"),
    ("--count-error", float, "Wanted relative error of an estimated count. [0.02]"),
    ("--count-seconds", float, "Most seconds to count each pattern. [1.0]"),
    ("--min-support", int, "Least occurrences of a pattern. [5]"),
    ("--noisy-copies", str, "Also find patterns with few intact copies: auto, no, yes. [auto]"),
    ("--seed random_state", int, "Seed of all random numbers. [0]"),
    ("--levels num_levels", int, "Levels of neighbours that filters compare. [3]"),
    ("--matching", str, "How filters are matched: optimal, or the paper's greedy. [optimal]"),
    ("--epochs num_epochs", int, "Gradient epochs of the filters. [60]"),
    ("--init", str, "facility_location, kmeans++, sample or random. [facility_location]"),
    ("--restarts n_init", int, "Number of initializations. [1]"),
    ("--policy", str, "Which nodes a large subgraph keeps: dense, bfs, random. [dense]"),
    ("--hops num_hops", int, "Radius around each node. [3, or half the size]"),
    ("--views num_views", int, "Subgraphs around each node. [1]"),
    ("--contrast feature_contrast", float, "Weight of features. [0.3]"),
    ("--min-similarity", float, "Least similarity of a nearest node. [by a null model]"),
    ("--sample-error", float, "Largest error of shares in the sample to learn on. [0.005]"),
    ("--memory-limit", str, "Memory beside the graph, such as 4GiB. [half of the machine's]"),
    ("--stability restarts", int, "Repeated runs: other initializations, resampled nodes. [0]"),
)


def _resolve(settings_file: str | None, options: dict[str, Any]) -> Any:
    """The settings of the file, or the defaults, with the options that were given."""
    from mining.settings import RunSettings, read_settings

    settings = RunSettings() if settings_file is None else read_settings(settings_file)
    options["null"] = options["null"] or None
    size = options["pattern_size"]
    options["pattern_size"] = int(size) if size is not None and size.isdigit() else size
    options["bootstrap"] = options["restarts"]
    return settings.override(
        {
            table: {name: options[name] for name in known if name in options}
            for table, known in settings.to_dict().items()
        }
    )


@click.command(cls=Command)
@graph_options
@run_options
@add_options(
    ("--truth", str, "Planted truth. [the file beside the graph]"),
    ("--class-names", str, "A .csv, .json or .toml with the meanings of classes of graphs."),
)
@_settings_options
def mine(
    out: str, settings_file: str | None, force: bool, resume: bool, quiet: bool, **options: Any
) -> None:
    """Find the patterns that occur again and again in the graph at PATH.

    \b
    gomkcn mine friends.txt.gz --out run --patterns 12 --size 3-6
    gomkcn mine ENZYMES/ --out run --features labels --label-names names.csv
    gomkcn mine MUTAG/ --out run --features labels --rank classes
    gomkcn mine graph.graphml --out run --features x0,x1
    gomkcn mine regulation.csv --out run --source gene --target other --relation effect
    gomkcn mine friends.txt.gz --out run --null configuration --stability 10
    gomkcn mine --settings run/settings.toml --out again
    gomkcn mine friends.graph --out run --memory-limit 4GiB --time-limit 600
    gomkcn mine friends.graph --out run --resume
    torchrun --nproc-per-node 2 -m gomkcn mine friends.graph --out run
    """
    from gomkcn_dgl.io.graph_classes import read_graph_classes
    from gomkcn_dgl.runtime.interrupts import Interrupts
    from gomkcn_dgl.runtime.processes import is_first, join_processes
    from gomkcn_dgl.runtime.run_lock import lock_folder
    from mining import MiningRun, compare_with_truth, read_truth
    from mining.html.tables import format_run
    from mining.mining_job import MiningJob
    from mining.results.run_folder import REPORT, prepare_folder, remove_progress, write_run

    interrupts = Interrupts(options["time_limit"])
    with join_processes():
        show_log(quiet or not is_first())
        settings = _resolve(settings_file, options)
        job = MiningJob(settings, progress=not quiet and sys.stderr.isatty() and is_first())
        reading = dict(vars(settings.graph))
        class_names = reading.pop("class_names")
        graph = read_graph_at(**reading)
        classes = read_graph_classes(reading["path"], class_names, format=reading["format"])
        truth_path = options["truth"] or truth_beside(settings.graph.path)
        truth = None if truth_path is None else read_truth(truth_path)
        with lock_folder(out) as folder:
            progress = prepare_folder(folder, force, resume)
            if progress is None:
                click.echo(f"nothing to resume: the run is finished, {folder / REPORT}")
                return
            with interrupts:
                miner, seconds = job.run(graph, progress, interrupts, classes)
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
