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
from gomkcn.commands.option_types import InputPath, Word
from gomkcn.commands.options import (
    class_options,
    file_options,
    folder_options,
    force_option,
    run_limits,
    setting_options,
    settings_of_options,
    settings_option,
    truth_option,
)
from gomkcn.commands.printing import say, show_log
from gomkcn.commands.run_command import (
    import_igraph,
    import_special_functions,
    loading,
    refuse_torchrun,
    required_path,
    run_into_folder,
)
from gomkcn.mining.filters.filter_learning import USUAL_KERNEL, FilterLearning
from gomkcn.mining.settings.filter_settings import FilterSettings
from gomkcn.mining.settings.miner_settings import NONE, MinerSettings
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.kernel_settings import KernelSettings
from gomkcn_dgl.runtime.files import check_outputs
from gomkcn_dgl.settings import settings_of

# the settings in the groups of the help of `mine`; all others are details
_OF_PATTERNS = ("pattern_size", "given", "exact_copies", "sources")
_OF_COUNTS = ("null", "weight", "within", "null_samples", "count_error", "count_seconds")
# a run has no rows of a transform
_ELSEWHERE = (*_OF_PATTERNS, *_OF_COUNTS, "filters", "n_jobs", "values")
# what the example hides
MOTIFS = ("house6=6", "wheel=6", "crown=6")


@click.command(cls=Command)
@click.argument("path", type=InputPath(), metavar="PATH", required=False)
@option_group("Input", file_options, class_options)
@option_group(
    "Filters",
    setting_options(MinerSettings, "filters", shown=("filters",)),
    setting_options(FilterSettings, without=("device",)),
)
@option_group("Patterns", setting_options(MinerSettings, *_OF_PATTERNS, shown=_OF_PATTERNS[:2]))
@option_group(
    "Random graphs and counts",
    setting_options(MinerSettings, *_OF_COUNTS, shown=("null", "weight")),
    truth_option,
)
@option_group("Output", folder_options)
@option_group(
    "Limits",
    run_limits,
    setting_options(FilterSettings, "device"),
    setting_options(MinerSettings, "n_jobs", shown=("n_jobs",)),
)
@option_group(
    "Graph filters and other details",
    settings_option,
    setting_options(MinerSettings, without=_ELSEWHERE),
    setting_options(FilterLearning),
    setting_options(KernelSettings, defaults=USUAL_KERNEL),
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
    time_limit: float | None,
    truth: str | None,
    path: str | None,
    **options: Any,
) -> None:
    """Find frequent neighbourhoods, motifs and over-represented patterns in a graph or collection.

    PATH is the file or the folder of the graph. Where graphs have classes, the structures that
    differ between them come first; --class-column names the column of those of molecules.

    \b
    gomkcn mine friends.txt.gz
    gomkcn mine friends.txt.gz --out run --pattern-size 3-6 --given ring-6
    gomkcn mine ENZYMES/ --out run --features labels --label-names names.csv
    gomkcn mine MUTAG/ --out run --features labels
    gomkcn mine drugs.smi
    gomkcn mine assay.csv --class-column pIC50 --threshold 6.5
    gomkcn mine graph.graphml --out run --features x0,x1
    gomkcn mine table.csv --source gene --target other --relation effect
    gomkcn mine friends.txt.gz --null joint-degree
    gomkcn mine synapses.gml --weight value --null strength
    gomkcn mine cells.graphml --features type --null categories --within sample
    gomkcn mine --settings run/settings.toml --out again
    gomkcn mine friends.graph --out run --time-limit 600
    gomkcn mine friends.graph --out run --resume
    gomkcn mine friends.graph --n-jobs 4
    """
    from gomkcn_dgl.runtime.files import check_path

    # before the libraries are imported, which takes a second
    if path is not None:
        check_path(path)
    with loading():
        compiles = compile_beside()
        import_igraph()
        import_special_functions()
        from gomkcn.mining.patterns.mining_settings import RunSettings
        from gomkcn.mining.runs.graph_inputs import GraphInputs
        from gomkcn.mining.runs.mine import MINE
        from gomkcn_dgl.runtime.compiled import compiling
        from gomkcn_dgl.runtime.job import Interrupts

    refuse_torchrun("mine", "is shared by --n-jobs 4")
    show_log(quiet)
    if compiles:
        compiling.tell(", some 30 s of a processor")
    settings = settings_of_options(RunSettings(), settings_file, {"path": path, **options})
    _refuse_filter_options(ctx, settings.miner.filters)
    miner = settings.make_miner()
    miner.check()
    # before the time limit begins
    if filters := miner.resolve_filters():
        filters.load_torch()
    interrupts = Interrupts(time_limit, has_end=True)
    path = required_path(ctx, settings.graph.path)
    planted = truth or truth_beside(path)
    run_into_folder(
        ctx,
        MINE,
        settings,
        interrupts,
        lambda: GraphInputs.read(
            settings.graph, planted, settings.miner.weight, settings.miner.within
        ),
        path=path,
        files=inputs_of_run(ctx, settings.graph, settings_file if resume else None),
        out=out,
        force=force,
        resume=resume,
        quiet=quiet,
    )


def _refuse_filter_options(ctx: click.Context, filters: str) -> None:
    """Refuse options of filters where there are none; a settings file may have them."""
    of_filters = [
        field.name
        for table in (FilterSettings, FilterLearning, KernelSettings)
        for field in settings_of(table)
    ]
    for given in ctx.command.params:
        if filters == NONE and given.name in of_filters and ctx.params[given.name] is not None:
            raise InputError(
                f"--filters none leaves no filters for {given.opts[0]}; leave out one of them."
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
        type=Word("csv", "parquet", "graphml", "sdf"),
        default="csv",
        help="Tables: csv (a ' before what a spreadsheet would run) or parquet; or the graph with "
        "motifs and occurrences, for Cytoscape and Gephi: graphml; or molecules: sdf [csv]",
    ),
)
def export(run: str, out: str, force: bool, format: str) -> None:
    """Write the tables of a run, or the graph with what was found in it.

    The tables are structures (one row for each that was counted), occurrences and copies (one row
    each, the nodes by the letters A, B, C of the drawings), and blocks (one row for each node)
    where the run has some. With --format graphml nodes and edges of the graph say their motifs,
    patterns, roles and blocks; a style for Cytoscape lies beside it. With --format sdf molecules
    have coordinates, their class, their copies of motifs, and which structures that tell the
    classes apart they contain.

    \b
    gomkcn export run --out tables --format parquet
    gomkcn export run --out network --format graphml
    """
    import_igraph()
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
