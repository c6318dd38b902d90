"""`gomkcn filters`: the frequent patterns of a graph, as the GOMKCN paper mines them."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from gomkcn.commands.base import (
    INPUT,
    Command,
    choose_folder,
    file_options,
    inputs_of_run,
    option_table,
    run_options,
    say,
    show_log,
    truth_beside,
)
from gomkcn_dgl.errors import InputError


@click.command(cls=Command)
@click.argument("path", type=INPUT, metavar="GRAPH", required=False)
@file_options
@run_options
@option_table("""
Input
    * --class-names  READ  Names of graph classes (.csv)
    * --class-column  TEXT  Column of the classes of molecules [class, label or activity]
Training
    --filters num_filters  N  Number of filters [8]
    --size filter_size  N  Nodes of a filter and of a subgraph, 2 to 64 [6]
    --hops num_hops  N   Radius of the subgraphs, in hops [half the size, at least 3]
    --epochs num_epochs  N  Number of training epochs [60]
    --device       TEXT  Device: cpu, cuda, or auto for a GPU if there is one [auto]
    --paper        FLAG  Settings of section VI-B of the paper; options given beside it win
Graph filters and other details
    * --levels num_levels  N  Number of levels of the kernel [3]
    * --tau        X     Width of the similarity of nodes [0.5]
    * --matching   TEXT  Node matching: optimal, or greedy as in the paper [optimal]
    * --lr learning_rate  X  Learning rate [0.1]
    * --init       TEXT  Initialization: facility_location or random [facility_location]
    * --policy     TEXT  Nodes to keep in a truncated subgraph: dense or bfs [dense]
    * --contrast feature_contrast  X  Weight of node features relative to structure, above 0 and up
        to 1 [0.2]
    * --most-nodes max_assigned  N  Nodes to assign to filters; of more, a random sample [200000]
    * --count-seconds  X  Work limit per count: X · 10⁸ steps, about X seconds of one thread [0.25]
    * --truth      TEXT  Planted motifs to compare with [STEM.truth.json next to the graph]
    * --seed random_state  N  Random seed [0]
""")
@click.pass_context
def filters(
    ctx: click.Context,
    /,
    out: str | None,
    settings_file: str | None,
    force: bool,
    resume: bool,
    quiet: bool,
    paper: bool,
    **options: Any,
) -> None:
    """Find the frequent patterns of a graph: filters trained as the centres of clusters.

    GRAPH is the file or the folder of a graph or a collection. Every node belongs to the filter
    that the subgraph around it is most similar to.

    \b
    gomkcn filters friends.txt.gz
    gomkcn filters friends.txt.gz --out run --filters 12 --size 5
    gomkcn filters planted.bin --paper
    gomkcn filters planted.bin --paper --epochs 100 --init facility_location
    gomkcn filters MUTAG/ --features labels
    gomkcn filters table.csv --source gene --target other --relation effect
    gomkcn filters --settings run/settings.toml --out again
    gomkcn filters friends.graph --out run --time-limit 600
    gomkcn filters friends.graph --out run --resume
    """
    from gomkcn_dgl.runtime.files import check_path

    # before the libraries are imported, which takes seconds
    if options["path"] is not None:
        check_path(options["path"])
    from dataclasses import replace

    from gomkcn_dgl._torch import resolve_device
    from gomkcn_dgl.runtime.job import Interrupts, JobProgress
    from gomkcn_dgl.runtime.output_folder import (
        PROGRESS,
        check_early,
        lock_folder,
        remove_progress,
    )
    from mining.filters.filter_learning import FilterLearning
    from mining.filters_folder import (
        FILTERS_FILES,
        prepare_filters_folder,
        write_filters_run,
    )
    from mining.filters_job import run_filters_job
    from mining.filters_run import PAGE
    from mining.filters_settings import FiltersSettings, read_filters_settings
    from mining.html.filters_text import format_filters
    from mining.truth import read_truth

    if os.environ.get("WORLD_SIZE", "1") != "1":
        raise InputError("filters runs in one process; leave torchrun out.")
    interrupts = Interrupts(options["time_limit"])
    show_log(quiet)
    settings = FiltersSettings()
    if settings_file is not None:
        settings = read_filters_settings(settings_file)
    if paper:
        settings = replace(settings, learning=FilterLearning.paper())
    settings = settings.override(options)
    bar = JobProgress(not quiet and sys.stderr.isatty())
    # refused before the graph is read
    settings.miner().check()
    resolve_device(settings.filters.device)
    if not settings.graph.path:
        raise InputError("GRAPH must be given, here or in the settings file.")
    if out is not None:
        # refused before the graph is read
        files = inputs_of_run(ctx, settings.graph, settings_file if resume else None)
        check_early(out, FILTERS_FILES, PROGRESS, force=force, resume=resume, inputs=files)
    with bar:
        bar.begin("reading the graph")
        graph, classes = settings.graph.read_graph(), settings.graph.read_classes()
    truth_path = options["truth"] or truth_beside(settings.graph.path)
    truth = None if truth_path is None else read_truth(truth_path)
    out = choose_folder(out, settings.graph.path, resume=resume)
    with lock_folder(out) as folder:
        progress = prepare_filters_folder(folder, force, resume)
        if progress is None:
            say(f"nothing to resume: the run is finished, {folder / PAGE}")
            return
        with bar:
            with interrupts:
                _, run = run_filters_job(
                    settings, graph, progress, interrupts, bar, classes=classes, truth=truth
                )
            write_filters_run(folder, run)
        if not run.is_partial:
            remove_progress(progress)
        say(format_filters(run))
        seconds = run.provenance["seconds"]
        say(f"\nmined in {seconds:.1f} s; page: {folder / PAGE}")
