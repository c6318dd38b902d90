"""`gomkcn blocks`: parse, call one function, print."""

from __future__ import annotations

from typing import Any

import click
from cloup import option_group

from gomkcn.commands.base import Command, inputs_of_run
from gomkcn.commands.option_types import InputPath
from gomkcn.commands.options import (
    file_options,
    folder_options,
    jobs_option,
    run_limits,
    setting_options,
    settings_of_options,
    settings_option,
)
from gomkcn.commands.printing import show_log
from gomkcn.commands.run_command import (
    import_igraph,
    refuse_torchrun,
    required_path,
    run_into_folder,
)
from gomkcn.mining.settings.block_settings import BlockTable


@click.command(cls=Command)
@click.argument("path", type=InputPath(), metavar="GRAPH", required=False)
@option_group("Input", file_options)
@option_group(
    "Options",
    setting_options(
        BlockTable,
        *("copies", "least_nodes", "most_nodes", "errors", "most"),
        shown=("copies", "least_nodes", "most_nodes", "errors"),
    ),
)
@option_group(
    "Random graphs",
    setting_options(
        BlockTable, "null", "null_samples", "seed", shown=("null", "null_samples", "seed")
    ),
)
@option_group("Output", folder_options)
@option_group("Limits", run_limits, jobs_option("Processes that share the random graphs"))
@option_group("Other details", settings_option)
@click.pass_context
def blocks(
    ctx: click.Context,
    /,
    settings_file: str | None,
    out: str | None,
    time_limit: float | None,
    force: bool,
    resume: bool,
    quiet: bool,
    n_jobs: int | None,
    **options: Any,
) -> None:
    """Find large subgraphs that occur several times.

    Blocks of 5 to 100 nodes of a circuit, a program or a process GRAPH. All copies have the same
    categories of nodes and the same edges between them; edges to other nodes are free. p compares
    the blocks with those of random graphs. The page draws each block with its ports, where it is
    joined to the rest. places.csv in the folder has the nodes of all copies.

    \b
    gomkcn blocks netlist.csv --directed --feature-file gates.csv
    gomkcn blocks calls.csv --directed --errors 2 --out blocks
    """
    refuse_torchrun("blocks", "runs in processes that it starts itself")
    show_log(quiet, brief=True)
    import_igraph()
    from gomkcn.mining.repeats.block_finding import check_blocks
    from gomkcn.mining.runs.blocks import BLOCKS
    from gomkcn.mining.runs.graph_inputs import GraphInputs
    from gomkcn.mining.settings.block_settings import BlockSettings
    from gomkcn_dgl.runtime.job import Interrupts

    settings = settings_of_options(BlockSettings(), settings_file, options)
    path = required_path(ctx, settings.graph.path)
    check_blocks(settings.blocks)

    def read_inputs() -> GraphInputs:
        return GraphInputs(settings.graph.read_graph())

    run_into_folder(
        ctx,
        BLOCKS,
        settings,
        Interrupts(time_limit, has_end=True),
        read_inputs,
        path=path,
        files=inputs_of_run(ctx, settings.graph, settings_file if resume else None),
        out=out,
        force=force,
        resume=resume,
        quiet=quiet,
        n_jobs=n_jobs,
    )
