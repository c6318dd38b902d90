"""`gomkcn compare`: two runs or graphs side by side, or the distances of many graphs."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
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
from gomkcn.commands.run_command import (
    import_igraph,
    import_special_functions,
    refuse_torchrun,
    run_into_folder,
)
from gomkcn.mining.settings.comparison_settings import ComparisonSettings, ComparisonTable
from gomkcn.mining.settings.miner_settings import NONE
from gomkcn_dgl.errors import InputError

# what counts where both are runs; the seed draws the groups of nodes that are left out
_OF_RUNS = ("graphs", "seed")


@click.command(cls=Command)
@click.argument("graphs", type=InputPath(), metavar="GRAPHS", nargs=-1)
@option_group("Input, where graphs are read", file_options_with(*BOUND_OPTIONS))
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
    """Compare two graphs or runs structure by structure, or many graphs by their distances.

    Two GRAPHS are graphs, or folders of `gomkcn mine`. The share of each structure, of all of its
    size, is set against that in the other graph, with the error of the difference (jackknife over
    nodes), the surest difference first. Nodes that both have by name are listed by how much their
    roles changed, and so are those that are new or gone. Below, both are compared with random
    graphs: count, expected count, z, adjusted p, and the profile, which is z divided by the length
    of all z of a size (Milo et al. 2004). "-" is not known. Structures are the same if they are
    isomorphic, directions, types and categories included.

    Three GRAPHS or more, or one file of a collection, give a matrix of distances, a heat map and a
    dendrogram: the graphlet correlation distance GCD-11 (Yaveroğlu et al. 2014), which leads where
    edges have no directions, and 1 - the correlation of the profiles, which leads where they have.

    Ctrl-C, or a time limit, prints what is known by then; --resume goes on.

    \b
    gomkcn compare january.csv february.csv
    gomkcn compare run other --out compared
    gomkcn compare yeast.csv worm.csv --relation none --null none
    gomkcn compare *.graphml --out families
    """
    from gomkcn_dgl.io.formats import stem
    from gomkcn_dgl.runtime.files import check_path

    refuse_torchrun("compare", "runs in one process")
    # none is given where the settings file names them
    options["graphs"] = options["graphs"] or None
    for path in options["graphs"] or ():
        check_path(path)
    import_igraph()
    import_special_functions()
    from gomkcn.mining.patterns.run_comparison import is_run
    from gomkcn.mining.runs.compare import COMPARE, read_inputs
    from gomkcn_dgl.runtime.job import Interrupts
    from gomkcn_dgl.runtime.output_folder import problems_of_run

    show_log(quiet)
    settings = settings_of_options(ComparisonSettings(), settings_file, options)
    paths = settings.compare.graphs
    if not paths:
        raise InputError("GRAPHS must be given, here or in the settings file.")
    runs = list(filter(is_run, paths))
    # random graphs can be left out of runs
    of_runs = (*_OF_RUNS, *(["null"] if settings.compare.null == NONE else []))
    given = [name for name in options if name not in of_runs and options[name] is not None]
    if given and len(runs) == len(paths):
        raise InputError(
            f"--{given[0].replace('_', '-')} says how a graph is read or compared with random "
            "graphs, and both are runs; leave it out."
        )

    # two names, or the first one and how many others there are
    names = [stem(Path(path).resolve()) for path in paths]
    if len(names) > 2:
        names = [names[0], f"{len(names) - 1}-others"]
    with problems_of_run(*runs) if runs else nullcontext():
        run_into_folder(
            ctx,
            COMPARE,
            settings,
            Interrupts(time_limit, is_partial_at_signal=True, has_end=True),
            partial(read_inputs, settings),
            path="-".join(names),
            files=inputs_of(ctx, *paths),
            out=out,
            force=force,
            resume=resume,
            quiet=quiet,
            n_jobs=n_jobs,
        )
