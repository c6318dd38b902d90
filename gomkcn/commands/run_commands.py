"""`gomkcn compare` and `gomkcn export`: what is done with finished mining runs."""

from __future__ import annotations

import click

from gomkcn.commands.base import Command

# the libraries are imported inside the commands, so that --help answers at once


@click.command(cls=Command)
@click.argument("first", metavar="RUN")
@click.argument("second", metavar="RUN")
def compare(first: str, second: str) -> None:
    """Say which patterns two finished runs share, and how often each has them.

    Patterns are the same when their edges are, whatever their features; how alike those are, from 0
    to 1, is said beside them. "12 | 15" are counts of the first and of the second run; "?" was not
    counted.

    \b
    gomkcn compare run other
    """
    from mining.results.compare import compare_runs, format_comparison
    from mining.results.run_folder import read_run

    click.echo(format_comparison(compare_runs(read_run(first), read_run(second))))


@click.command(cls=Command)
@click.argument("run", metavar="RUN")
@click.option("--out", required=True, help="Folder of the tables.")
@click.option("--format", default="csv", show_default=True, help="csv or parquet.")
def export(run: str, out: str, format: str) -> None:
    """Write the patterns and the occurrences of a finished RUN as tables.

    The folder of the run holds its patterns as JSON (patterns.json) and as GraphML already.

    \b
    gomkcn export run --out tables --format parquet
    """
    from mining.results.export import write_tables
    from mining.results.run_folder import read_run

    for path in write_tables(out, read_run(run).patterns, format):
        click.echo(path)
