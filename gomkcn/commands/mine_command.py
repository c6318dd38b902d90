"""`gomkcn mine` and `demo`: the folder of a mining run; `report`, `export`: of any."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path
from typing import Any

import click
from cloup import option, option_group

from gomkcn.commands.base import TYPED, Command, choose_folder
from gomkcn.commands.first_mining import compile_beside
from gomkcn.commands.generate_command import planted
from gomkcn.commands.mining_folder import RunKind, import_igraph, mine_into_folder
from gomkcn.commands.option_types import InputPath, Number, Word
from gomkcn.commands.options import (
    NULLS,
    class_options,
    file_options,
    folder_options,
    force_option,
    learning_details,
    none_if_empty,
    num_filters_option,
    run_limits,
    settings_option,
    truth_option,
)
from gomkcn.commands.printing import say, show_log
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import check_outputs

# options of `mine` that are for filters alone
_OF_FILTERS = (
    "num_filters", "filter_size", "device", "num_levels", "matching", "num_epochs", "init",
    "policy", "num_hops", "feature_contrast", "contrast",
)  # fmt: skip
# what the example hides
MOTIFS = ("house6=6", "wheel=6", "crown=6")


@click.command(cls=Command)
@click.argument("path", type=InputPath(), metavar="PATH", required=False)
@option_group("Input", file_options, class_options)
@option_group(
    "Filters",
    num_filters_option,
    option("--no-filters", is_flag=True, help="Leave out the filters"),
    option(
        "--filter-size",
        hidden=True,
        help="Nodes of a filter [3-8, or the sizes of --size; without contrast 6]",
    ),
    option(
        "--contrast/--no-contrast",
        default=None,
        hidden=True,
        help="Compare filters with random graphs, or find the most frequent neighbourhoods "
        "[contrast, but for molecules]",
    ),
)
@option_group(
    "Patterns",
    option("--size", "pattern_size", help="Motif size in nodes [3-8; collections 2-10]"),
    option(
        "--given",
        multiple=True,
        callback=none_if_empty,
        help="Pattern to try as well: a name such as ring-6, edges, a file or a SMILES; may be "
        "repeated",
    ),
    option(
        "--exact-copies",
        is_flag=True,
        default=None,
        help="Copies have all edges of their motif and no others",
    ),
    option(
        "--sources",
        hidden=True,
        help="Sources of candidates, separated by commas: grown, filters, and in collections "
        "frequent (subgraphs) [grown]",
    ),
)
@option_group(
    "Random graphs and counts",
    option(
        "--null",
        type=Word(*NULLS),
        multiple=True,
        callback=none_if_empty,
        help=f"Null model: {', '.join(NULLS[:-1])}, or none; may be repeated [degree, at as many "
        "sizes as take two minutes; none for molecules]",
    ),
    option(
        "--null-samples",
        type=Number(int),
        hidden=True,
        help="Number of random graphs per null model, at least 99 [199]",
    ),
    option(
        "--count-error",
        type=Number(float),
        hidden=True,
        help="Target relative error of estimated counts [0.02]",
    ),
    option(
        "--count-seconds",
        type=Number(float),
        hidden=True,
        help="Work limit per count: X · 10⁸ steps, about X seconds of one thread; a step checks a "
        "node [1; 10 above 8 million edges]",
    ),
    truth_option,
)
@option_group("Output", folder_options)
@option_group(
    "Limits",
    run_limits,
    option(
        "--device",
        hidden=True,
        help="Device of the filters: cpu, cuda, or auto for a GPU if there is one [auto]",
    ),
    option(
        "--jobs",
        "n_jobs",
        type=Number(int),
        hidden=True,
        help="Processes that share the work, -1 for one on each core [1]",
    ),
)
@option_group(
    "Graph filters and other details",
    settings_option,
    option("--seed", "random_state", type=Number(int), hidden=True, help="Random seed [0]"),
    learning_details,
    option(
        "--epochs",
        "num_epochs",
        type=Number(int),
        hidden=True,
        help="Number of training epochs of filters [0]",
    ),
    option(
        "--hops",
        "num_hops",
        type=Number(int),
        hidden=True,
        help="Radius of the subgraphs, in hops [half the largest size, at least 3]",
    ),
)
@click.pass_context
def mine(
    ctx: click.Context,
    /,
    out: str | None,
    settings_file: str | None,
    force: bool,
    resume: bool,
    quiet: bool,
    no_filters: bool,
    **options: Any,
) -> None:
    """Find frequent neighbourhoods, motifs and over-represented patterns in a graph or collection.

    PATH is the file or the folder of the graph. Where graphs have classes, the structures that
    differ between them come first; --class-column names the column of those of molecules.

    \b
    gomkcn mine friends.txt.gz
    gomkcn mine friends.txt.gz --out run --size 3-6 --given ring-6
    gomkcn mine ENZYMES/ --out run --features labels --label-names names.csv
    gomkcn mine MUTAG/ --out run --features labels
    gomkcn mine drugs.smi
    gomkcn mine assay.csv --class-column pIC50 --threshold 6.5
    gomkcn mine graph.graphml --out run --features x0,x1
    gomkcn mine table.csv --source gene --target other --relation effect
    gomkcn mine friends.txt.gz --null joint-degree
    gomkcn mine --settings run/settings.toml --out again
    gomkcn mine friends.graph --out run --time-limit 600
    gomkcn mine friends.graph --out run --resume
    gomkcn mine friends.graph --jobs 4
    """
    from gomkcn_dgl.runtime.files import check_path

    # before the libraries are imported, which takes a second
    if options["path"] is not None:
        check_path(options["path"])
    compile_beside()
    import_igraph()
    from gomkcn.mining.patterns.mining_settings import RunSettings, read_settings
    from gomkcn.mining.patterns.pattern_miner import NONE
    from gomkcn.mining.runs.mining_job import run_job
    from gomkcn.mining.runs.run_folder import REPORT, run_files, write_run
    from gomkcn.mining.show.terminal import format_run
    from gomkcn_dgl.runtime.job import Interrupts

    if os.environ.get("WORLD_SIZE", "1") != "1":
        raise InputError("mine is shared by --jobs 4, not by torchrun; leave torchrun out.")
    if no_filters:
        _refuse_filter_options(ctx)
    show_log(quiet)
    settings = RunSettings() if settings_file is None else read_settings(settings_file)
    settings = settings.override({**options, "filters": NONE if no_filters else None})
    miner = settings.make_miner()
    miner.check()
    # before the time limit begins
    if filters := miner.resolve_filters():
        filters.load_torch()
    interrupts = Interrupts(options["time_limit"], has_end=True)
    mine_into_folder(
        ctx,
        RunKind(
            files=run_files(),
            page=REPORT,
            job=run_job,
            write=lambda folder, run: write_run(folder, run, settings),
            text=format_run,
        ),
        settings,
        interrupts,
        out=out,
        settings_file=settings_file,
        truth=options["truth"],
        force=force,
        resume=resume,
        quiet=quiet,
    )


def _refuse_filter_options(ctx: click.Context) -> None:
    """Refuse options of filters where there are none; a settings file may have them."""
    for given in ctx.command.params:
        if given.name in _OF_FILTERS and ctx.params[given.name] is not None:
            raise InputError(
                f"--no-filters leaves no filters for {given.opts[0]}; leave out one of them."
            )


@click.command(cls=Command)
@option_group(
    "Output",
    option("--out", help="Output folder [runs/demo, numbered if it exists]"),
    option("--force", is_flag=True, help="Overwrite an existing run"),
    option("--no-open", is_flag=True, help="Do not open the page in the browser"),
)
@click.pass_context
def demo(ctx: click.Context, out: str | None, force: bool, no_open: bool) -> None:
    """Mine a small example and open its page.

    Three shapes are hidden in the example, six copies of each, and mining finds them.

    \b
    gomkcn demo
    gomkcn demo --out example --no-open
    """
    from gomkcn.mining.runs.run_folder import REPORT, run_files
    from gomkcn_dgl.runtime.output_folder import PROGRESS, check_early

    if out is not None:
        check_early(out, run_files(), PROGRESS, force=force, resume=False)
    folder = Path(choose_folder(out, "demo"))
    folder.mkdir(parents=True, exist_ok=True)
    graph = folder / "example.graph"
    steps = {
        planted: {"out": str(graph), "nodes": 200, "motifs": MOTIFS, "features": "constant"},
        mine: {"path": str(graph), "out": str(folder), "null_samples": 99},
    }
    # that of mining, should it be stopped
    ctx.meta[TYPED] = [str(graph), "--null-samples", "99"]
    for command, options in steps.items():
        ctx.invoke(command, force=force, **options)
    page = (folder / REPORT).resolve()
    say(f"\nOpen in a browser: {page}\nNext: gomkcn mine PATH")
    if not no_open and _has_screen():
        webbrowser.open(page.as_uri())


def _has_screen() -> bool:
    """Whether a browser would have a window to open; without one it might fill the terminal."""
    displays = ("DISPLAY", "WAYLAND_DISPLAY")
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in displays)


@click.command(cls=Command)
@click.argument("run", type=InputPath(), metavar="RUN")
def report(run: str) -> None:
    """Print the results of RUN and rebuild its report.

    RUN is the folder of `gomkcn mine`, `gomkcn filters` or `gomkcn train`.

    \b
    gomkcn report run
    """
    from gomkcn_dgl.runtime.output_folder import problems_of_run

    with problems_of_run(run):
        table, page = _report(run)
    say(f"{table}\n\nreport: {page}")


def _report(run: str) -> tuple[str, Path]:
    """What a run found as text, and its page, which is written anew."""
    import_igraph()
    from gomkcn.mining.filters.filters_run import RECORD
    from gomkcn.mining.runs.run_folder import read_run, write_report
    from gomkcn.mining.show.explanation_page import explain_run, judge_accuracy
    from gomkcn.mining.show.terminal import format_run
    from gomkcn_dgl.runtime.output_folder import lock_folder
    from gomkcn_dgl.training.training_run import METRICS, format_results, read_metrics

    if (Path(run) / RECORD).exists():
        return _report_filters(run)
    if (Path(run) / METRICS).exists():
        metrics = read_metrics(run)
        return f"{format_results(metrics)}\n{judge_accuracy(metrics)}", explain_run(run)[1]
    finished = read_run(run)
    with lock_folder(run) as folder:
        page = write_report(folder, finished)
    return format_run(finished), page


def _report_filters(run: str) -> tuple[str, Path]:
    from gomkcn.mining.runs.filters_folder import read_filters_run, write_filters_page
    from gomkcn.mining.show.filters_text import format_filters
    from gomkcn_dgl.runtime.output_folder import lock_folder

    finished = read_filters_run(run)
    with lock_folder(run) as folder:
        page = write_filters_page(folder, finished)
    return format_filters(finished), page


@click.command(cls=Command)
@click.argument("run", type=InputPath(), metavar="RUN")
@option_group(
    "Output",
    option("--out", required=True, help="Folder to write to"),
    force_option,
    option(
        "--format",
        type=Word("csv", "parquet", "graphml"),
        default="csv",
        help="Tables: csv or parquet; or the graph with motifs and occurrences, for Cytoscape and "
        "Gephi: graphml [csv]",
    ),
)
def export(run: str, out: str, force: bool, format: str) -> None:
    """Write the tables of a run, or the graph with what was found in it.

    The tables are structures (one row for each that was counted), occurrences and copies (one row
    each, the nodes by the letters A, B, C of the drawings), and blocks (one row for each node)
    where the run has some. With --format graphml nodes and edges of the graph say their motifs,
    patterns, roles and blocks; a style for Cytoscape lies beside it.

    \b
    gomkcn export run --out tables --format parquet
    gomkcn export run --out network --format graphml
    """
    from gomkcn.mining.runs.export import files_of_tables, write_tables
    from gomkcn.mining.runs.run_folder import read_run
    from gomkcn_dgl.runtime.output_folder import problems_of_run

    with problems_of_run(run):
        found = read_run(run)
        names = files_of_tables(found, format)
        check_outputs([Path(out) / name for name in names], [run], force=force)
        paths = write_tables(out, found, format)
    for path in paths:
        say(str(path))
