"""`gomkcn compare`: two runs, or graphs, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from cloup import option_group

from gomkcn.commands.base import Command, inputs_of
from gomkcn.commands.option_types import InputPath
from gomkcn.commands.options import (
    BOUND_OPTIONS,
    file_options_with,
    folder_options,
    jobs_option,
    run_limits,
    setting_options,
    settings_of_options,
    settings_option,
)
from gomkcn.commands.printing import show_log
from gomkcn.commands.run_command import import_igraph, refuse_torchrun, run_into_folder
from gomkcn.mining.settings.comparison_settings import ComparisonSettings, ComparisonTable
from gomkcn.mining.settings.miner_settings import NONE
from gomkcn_dgl.errors import InputError

# what counts where both are runs; the seed draws the groups of nodes that are left out
_OF_RUNS = ("first", "second", "seed")


@click.command(cls=Command)
@click.argument("first", type=InputPath(), metavar="A", required=False)
@click.argument("second", type=InputPath(), metavar="B", required=False)
@option_group("Input, where A or B is a graph", file_options_with(*BOUND_OPTIONS))
@option_group(
    "Random graphs",
    setting_options(
        ComparisonTable, "null", "null_samples", "seed", shown=("null", "null_samples")
    ),
)
@option_group("Output", folder_options)
@option_group(
    "Limits",
    run_limits,
    jobs_option("Processes that share the counts"),
)
@option_group("Other details", settings_option)
@click.pass_context
def compare(
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
    """Compare two graphs, or two runs: every structure of both, and the roles of their nodes.

    A and B are graphs, or folders of `gomkcn mine`. The share of each structure, of all of its
    size, is set against that in the other graph, with the error of the difference (jackknife over
    nodes), the surest difference first. Nodes that both have by name are listed by how much their
    roles changed, and so are those that are new or gone. Below, both are compared with random
    graphs: count, expected count, z, adjusted p, and the profile, which is z divided by the length
    of all z of a size (Milo et al. 2004). "-" is not known. Structures are the same if they are
    isomorphic, directions, types and categories included. Ctrl-C, or a time limit, prints what is
    known by then; --resume goes on.

    \b
    gomkcn compare january.csv february.csv
    gomkcn compare run other --out compared
    gomkcn compare yeast.csv worm.csv --relation none --null none
    """
    from gomkcn_dgl.io.formats import stem
    from gomkcn_dgl.runtime.files import check_path

    refuse_torchrun("compare", "runs in one process")
    for path in filter(None, (options["first"], options["second"])):
        check_path(path)
    import_igraph()
    from gomkcn.mining.patterns.run_comparison import is_run
    from gomkcn.mining.runs.compare import COMPARE, read_compared
    from gomkcn_dgl.runtime.job import Interrupts
    from gomkcn_dgl.runtime.output_folder import problems_of_run

    show_log(quiet)
    settings = settings_of_options(ComparisonSettings(), settings_file, options)
    paths = settings.compare.first, settings.compare.second
    if not all(paths):
        raise InputError("A and B must be given, here or in the settings file.")
    # random graphs can be left out of runs
    of_runs = (*_OF_RUNS, *(["null"] if settings.compare.null == NONE else []))
    given = [name for name in options if name not in of_runs and options[name] is not None]
    if given and all(map(is_run, paths)):
        raise InputError(
            f"--{given[0].replace('_', '-')} says how a graph is read or compared with random "
            "graphs, and both are runs; leave it out."
        )

    def read_inputs() -> Any:
        return tuple(read_compared(settings, path) for path in paths)

    names = [stem(Path(path).resolve()) for path in paths]
    with problems_of_run(*paths):
        run_into_folder(
            ctx,
            COMPARE,
            settings,
            Interrupts(time_limit, is_partial_at_signal=True, has_end=True),
            read_inputs,
            path="-".join(names),
            files=inputs_of(ctx, *paths),
            out=out,
            force=force,
            resume=resume,
            quiet=quiet,
            n_jobs=n_jobs,
        )
