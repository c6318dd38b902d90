"""`gomkcn compare`: two runs, or graphs, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from cloup import option, option_group

from gomkcn.commands.base import Command, limited_steps, say_missing
from gomkcn.commands.option_types import InputPath, OutputPath
from gomkcn.commands.options import file_options, force_option, table_option
from gomkcn.commands.printing import say, show_log
from gomkcn_dgl.errors import InputError

if TYPE_CHECKING:
    from gomkcn.mining.patterns.mining_run import MiningRun


@click.command(cls=Command)
@click.argument("first", type=InputPath(), metavar="A")
@click.argument("second", type=InputPath(), metavar="B")
@option_group("Input, where A or B is a graph", file_options)
@option_group(
    "Output",
    table_option,
    option(
        "--page",
        type=OutputPath(),
        help="Page to write (.html), with the profiles and a drawing of each structure",
    ),
    force_option,
    option(
        "--quiet",
        is_flag=True,
        help="Hide the log and the progress bar, and with --out or --page the summary",
    ),
)
def compare(
    first: str,
    second: str,
    out: str | None,
    page: str | None,
    force: bool,
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
    gomkcn compare run other --page compared.html
    gomkcn compare yeast.csv worm.csv --relation none --out compared.csv
    """
    show_log(quiet)
    from gomkcn.mining.patterns.run_comparison import compare_runs, is_run
    from gomkcn.mining.show.comparison_text import format_comparison
    from gomkcn_dgl.runtime.files import atomic_write
    from gomkcn_dgl.runtime.output_folder import problems_of_run

    if page is not None and Path(page).suffix != ".html":
        raise InputError(f"--page must end in .html, got {page!r}.")
    given = {name: value for name, value in options.items() if value is not None}
    if given and is_run(first) and is_run(second):
        raise InputError(
            f"--{next(iter(given)).replace('_', '-')} says how a graph is read, and both are runs; "
            "leave it out."
        )
    runs = [_run_of(path, options, quiet) for path in (first, second)]
    with problems_of_run(first, second):
        found = compare_runs(*runs)
        text = format_comparison(found)
    if out is not None:
        found.save(out)
        say(f"wrote {out}: {len(found.structures):,} rows")
    if page is not None:
        from gomkcn.mining.show.comparison_page import render_comparison

        with problems_of_run(first, second):
            atomic_write(Path(page), render_comparison(found))
        say(f"wrote {page}")
    # a script that asked for a file may want nothing else
    if not quiet or (out is None and page is None):
        say(text)


def _run_of(path: str, options: Mapping[str, Any], quiet: bool) -> MiningRun:
    """A finished run, or one of a graph, whose structures are counted."""
    from gomkcn.mining.patterns.run_comparison import is_run, mine_structures
    from gomkcn.mining.runs.mine import MINE
    from gomkcn.mining.settings.graph_settings import GraphSettings
    from gomkcn_dgl.runtime.files import check_path
    from gomkcn_dgl.runtime.output_folder import problems_of_run
    from gomkcn_dgl.runtime.run import read_run

    check_path(path)
    if is_run(path):
        with problems_of_run(path):
            return read_run(MINE, path).found
    steps, interrupts = limited_steps(None, quiet)
    with steps.progress, interrupts:
        steps.progress.begin("reading the graph")
        graph = GraphSettings(path, **options).read_graph()
        run = mine_structures(graph, path, steps=steps)
    say_missing(interrupts, "the counts ended early" if steps.is_partial else "")
    return run
