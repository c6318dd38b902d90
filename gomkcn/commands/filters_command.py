"""`gomkcn filters`: the frequent patterns of a graph, as the GOMKCN paper mines them."""

from __future__ import annotations

from typing import Any

import click
from cloup import option, option_group

from gomkcn.commands.base import Command, inputs_of_run, truth_beside
from gomkcn.commands.option_types import InputPath, Number
from gomkcn.commands.options import (
    class_options,
    file_options,
    folder_options,
    learning_details,
    num_filters_option,
    run_limits,
    settings_option,
    truth_option,
)
from gomkcn.commands.printing import show_log
from gomkcn.commands.run_command import (
    import_igraph,
    refuse_torchrun,
    required_path,
    run_into_folder,
)


@click.command(cls=Command)
@click.argument("path", type=InputPath(), metavar="GRAPH", required=False)
@option_group("Input", file_options, class_options)
@option_group(
    "Filters",
    num_filters_option,
    option(
        "--size",
        "filter_size",
        help="Nodes of a filter and of a subgraph, 2 to 64 [3-8; without contrast 6]",
    ),
    option(
        "--contrast/--no-contrast",
        default=None,
        help="Compare with random graphs that have the same degrees, or find the most frequent "
        "neighbourhoods, whatever random graphs have [contrast, but for molecules]",
    ),
    option(
        "--hops",
        "num_hops",
        type=Number(int),
        help="Radius of the subgraphs, in hops [half the largest size, at least 3]",
    ),
    option(
        "--epochs",
        "num_epochs",
        type=Number(int),
        help="Number of training epochs by gradients, which need PyTorch [0]",
    ),
    option("--device", help="Device: cpu, cuda, or auto for a GPU if there is one [auto]"),
    option(
        "--paper",
        is_flag=True,
        help="What section VI-B of the paper prints and nothing else: the most frequent "
        "neighbourhoods, filters from random numbers; options given beside it win",
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
    """Find the frequent patterns of a graph, as filters.

    GRAPH is the file or the folder of a graph or a collection. Filters are structures that it has
    more of than random graphs with its degrees; each says how many instances there are.

    \b
    gomkcn filters friends.txt.gz
    gomkcn filters friends.txt.gz --out run --filters 12 --size 4-6
    gomkcn filters friends.txt.gz --no-contrast --filters 8
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
    import_igraph()
    from dataclasses import replace

    from gomkcn.mining.filters.filter_learning import FilterLearning
    from gomkcn.mining.filters.filters_settings import FiltersSettings, read_filters_settings
    from gomkcn.mining.runs.filters import FILTERS
    from gomkcn.mining.runs.graph_inputs import GraphInputs
    from gomkcn_dgl.runtime.job import Interrupts

    refuse_torchrun("filters", "runs in one process")
    show_log(quiet)
    settings = FiltersSettings()
    if settings_file is not None:
        settings = read_filters_settings(settings_file)
    if paper:
        settings = replace(
            settings,
            learning=FilterLearning.paper(),
            filters=replace(settings.filters, contrast=False),
        )
    settings = settings.override(options)
    miner = settings.miner()
    miner.check()
    # before the time limit begins; a GPU that is not there is refused
    miner.load_torch()
    interrupts = Interrupts(options["time_limit"], has_end=True)
    path = required_path(ctx, settings.graph.path)
    truth = options["truth"] or truth_beside(path)
    run_into_folder(
        ctx,
        FILTERS,
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
