"""`gomkcn compare`: two runs, or graphs, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from cloup import option_group

from gomkcn.commands.base import Command, inputs_of
from gomkcn.commands.option_types import InputPath
from gomkcn.commands.options import (
    file_options,
    folder_options,
    run_limits,
    settings_of_options,
    settings_option,
)
from gomkcn.commands.printing import show_log
from gomkcn.commands.run_command import import_igraph, refuse_torchrun, run_into_folder
from gomkcn_dgl.errors import InputError


@click.command(cls=Command)
@click.argument("first", type=InputPath(), metavar="A", required=False)
@click.argument("second", type=InputPath(), metavar="B", required=False)
@option_group("Input, where A or B is a graph", file_options)
@option_group("Output", folder_options)
@option_group("Limits", run_limits)
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
    **options: Any,
) -> None:
    """Compare two runs, or two graphs: every structure of both, and their profiles.

    A and B are folders of `gomkcn mine`, or graphs, of which all structures of few nodes are
    counted first. Of each structure the table has the count, the expected count, z, the adjusted p
    and the entry of the profile in both; "-" is not known. A profile is z divided by the length of
    all z of a size (Milo et al. 2004), so that graphs of different size can be compared; where all
    random graphs have the same count there is no z. Structures are the same if they are isomorphic,
    directions, types and categories included.

    \b
    gomkcn compare run other
    gomkcn compare run other --out compared
    gomkcn compare yeast.csv worm.csv --relation none
    """
    from gomkcn_dgl.io.formats import stem
    from gomkcn_dgl.runtime.files import check_path

    refuse_torchrun("compare", "runs in one process")
    for path in filter(None, (options["first"], options["second"])):
        check_path(path)
    import_igraph()
    from gomkcn.mining.patterns.run_comparison import is_run
    from gomkcn.mining.runs.compare import COMPARE, ComparedInput
    from gomkcn.mining.settings.comparison_settings import ComparisonSettings
    from gomkcn_dgl.runtime.job import Interrupts
    from gomkcn_dgl.runtime.output_folder import problems_of_run

    show_log(quiet)
    settings = settings_of_options(ComparisonSettings(), settings_file, options)
    paths = settings.compare.first, settings.compare.second
    if not all(paths):
        raise InputError("A and B must be given, here or in the settings file.")
    how_read = [name for name in options if name not in ("first", "second")]
    given = [name for name in how_read if options[name] is not None]
    if given and all(map(is_run, paths)):
        raise InputError(
            f"--{given[0].replace('_', '-')} says how a graph is read, and both are runs; leave it "
            "out."
        )

    def read_inputs() -> tuple[ComparedInput, ComparedInput]:
        first, second = (ComparedInput.read(settings, path) for path in paths)
        return first, second

    names = [stem(Path(path).resolve()) for path in paths]
    with problems_of_run(*paths):
        run_into_folder(
            ctx,
            COMPARE,
            settings,
            Interrupts(time_limit, has_end=True),
            read_inputs,
            path="-".join(names),
            files=inputs_of(ctx, *paths),
            out=out,
            force=force,
            resume=resume,
            quiet=quiet,
        )
