"""`gomkcn mine` and `demo`: the folder of a mining run; `report`, `export`: of any."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path
from typing import Any

import click
from cloup import option, option_group

from gomkcn.commands.base import TYPED, Command, choose_folder, inputs_of_run, truth_beside
from gomkcn.commands.first_mining import compile_beside
from gomkcn.commands.generate_command import planted
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
from gomkcn.commands.run_command import (
    import_igraph,
    refuse_torchrun,
    required_path,
    run_into_folder,
)
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
    from gomkcn.mining.runs.graph_inputs import GraphInputs
    from gomkcn.mining.runs.mine import MINE
    from gomkcn_dgl.runtime.job import Interrupts

    refuse_torchrun("mine", "is shared by --jobs 4")
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
    path = required_path(ctx, settings.graph.path)
    truth = options["truth"] or truth_beside(path)
    run_into_folder(
        ctx,
        MINE,
        settings,
        interrupts,
        lambda: GraphInputs.read(settings.graph, truth),
        path=path,
        files=inputs_of_run(ctx, settings.graph, settings_file if resume else None),
        out=out,
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
    from gomkcn.mining.runs.mine import MINE
    from gomkcn_dgl.runtime.run import check_folder

    if out is not None:
        check_folder(MINE, out, force=force)
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
    page = (folder / MINE.page).resolve()
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

    RUN is the folder of any command that leaves one, such as `gomkcn mine`.

    \b
    gomkcn report run
    """
    from gomkcn_dgl.runtime.output_folder import lock_folder, problems_of_run
    from gomkcn_dgl.runtime.run import read_run, write_page

    import_igraph()
    from gomkcn.mining.runs.kinds import kind_of

    with problems_of_run(run):
        kind = kind_of(run)
        finished = read_run(kind, run)
        text = kind.text(finished)
        with lock_folder(run) as folder:
            page = write_page(kind, folder, finished)
    say(f"{text}\n\npage: {page}")


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
    from gomkcn.mining.runs.mine import MINE
    from gomkcn_dgl.runtime.output_folder import problems_of_run
    from gomkcn_dgl.runtime.run import read_run

    with problems_of_run(run):
        found = read_run(MINE, run).found
        names = files_of_tables(found, format)
        check_outputs([Path(out) / name for name in names], [run], force=force)
        paths = write_tables(out, found, format)
    for path in paths:
        say(str(path))
