"""`gomkcn filters`: the frequent patterns of a graph, as the GOMKCN paper mines them."""

from __future__ import annotations

import os
from typing import Any

import click
from cloup import option, option_group

from gomkcn.commands.base import Command
from gomkcn.commands.mining_folder import RunKind, mine_into_folder
from gomkcn.commands.option_types import InputPath, Number
from gomkcn.commands.options import (
    class_options,
    file_options,
    folder_options,
    learning_details,
    run_limits,
    settings_option,
    truth_option,
)
from gomkcn.commands.printing import show_log
from gomkcn_dgl.errors import InputError


@click.command(cls=Command)
@click.argument("path", type=InputPath(), metavar="GRAPH", required=False)
@option_group("Input", file_options, class_options)
@option_group(
    "Training",
    option("--filters", "num_filters", type=Number(int), help="Number of filters [8]"),
    option(
        "--size",
        "filter_size",
        type=Number(int),
        help="Nodes of a filter and of a subgraph, 2 to 64 [6]",
    ),
    option(
        "--hops",
        "num_hops",
        type=Number(int),
        help="Radius of the subgraphs, in hops [half the size, at least 3]",
    ),
    option("--epochs", "num_epochs", type=Number(int), help="Number of training epochs [60]"),
    option("--device", help="Device: cpu, cuda, or auto for a GPU if there is one [auto]"),
    option(
        "--paper",
        is_flag=True,
        help="Settings of section VI-B of the paper; options given beside it win",
    ),
)
@option_group("Output", folder_options)
@option_group("Limits", run_limits)
@option_group(
    "Graph filters and other details",
    settings_option,
    learning_details,
    option(
        "--tau",
        type=Number(float),
        hidden=True,
        help="Width of the similarity of nodes [0.5]",
    ),
    option(
        "--lr",
        "learning_rate",
        type=Number(float),
        hidden=True,
        help="Learning rate [0.1]",
    ),
    option(
        "--most-nodes",
        "max_assigned",
        type=Number(int),
        hidden=True,
        help="Nodes to assign to filters; of more, a random sample [200000]",
    ),
    option(
        "--count-seconds",
        type=Number(float),
        hidden=True,
        help="Work limit per count: X · 10⁸ steps, about X seconds of one thread [0.25]",
    ),
    truth_option,
    option("--seed", "random_state", type=Number(int), hidden=True, help="Random seed [0]"),
)
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
    from gomkcn_dgl.runtime.job import Interrupts
    from mining.filters.filter_learning import FilterLearning
    from mining.filters_folder import FILTERS_FILES, write_filters_run
    from mining.filters_job import run_filters_job
    from mining.filters_run import PAGE
    from mining.filters_settings import FiltersSettings, read_filters_settings
    from mining.html.filters_text import format_filters

    if os.environ.get("WORLD_SIZE", "1") != "1":
        raise InputError("filters runs in one process; leave torchrun out.")
    show_log(quiet)
    settings = FiltersSettings()
    if settings_file is not None:
        settings = read_filters_settings(settings_file)
    if paper:
        settings = replace(settings, learning=FilterLearning.paper())
    settings = settings.override(options)
    settings.miner().check()
    # PyTorch is loaded before the time limit begins
    resolve_device(settings.filters.device)
    interrupts = Interrupts(options["time_limit"], has_end=True)
    mine_into_folder(
        ctx,
        RunKind(
            files=FILTERS_FILES,
            page=PAGE,
            job=run_filters_job,
            write=write_filters_run,
            text=format_filters,
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
