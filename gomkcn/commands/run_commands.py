"""`gomkcn report`, `compare` and `export`: commands for finished runs."""

from __future__ import annotations

from pathlib import Path

import click

from gomkcn.commands.base import OUTPUT, Command, add_options

# the libraries are imported inside the commands, so that --help answers at once


@click.command(cls=Command)
@click.argument("run", metavar="RUN")
def report(run: str) -> None:
    """Print the table of a finished RUN and write its page anew.

    RUN is the folder of `gomkcn mine` or of `gomkcn train`.

    \b
    gomkcn report run
    """
    from gomkcn_dgl.runtime.output_folder import lock_folder
    from gomkcn_dgl.training.training_metrics import METRICS, format_results, read_metrics
    from mining.html.explanation_report import explain_run
    from mining.html.tables import format_run
    from mining.run_folder import read_run, write_report

    if (Path(run) / METRICS).exists():
        _, page = explain_run(run)
        table = format_results(read_metrics(run))
    else:
        finished = read_run(run)
        with lock_folder(run) as folder:
            page = write_report(folder, finished)
        table = format_run(finished)
    click.echo(f"{table}\n\nreport: {page}")


@click.command(cls=Command)
@click.argument("first", metavar="RUN")
@click.argument("second", metavar="RUN")
def compare(first: str, second: str) -> None:
    """Show which patterns two finished runs share.

    The table has the counts of both. Patterns are the same if their graphs are isomorphic,
    directions, types and categories included, whatever their numeric features. "12 | 15" are counts
    of the first and of the second run, and "-" is a pattern that a run does not have.

    \b
    gomkcn compare run other
    """
    from mining.html.tables import format_comparison
    from mining.mining_run import compare_runs
    from mining.run_folder import read_run

    click.echo(format_comparison(compare_runs(read_run(first), read_run(second))))


@click.command(cls=Command)
@click.argument("run", metavar="RUN")
@add_options(
    ("--out", ..., "Write the tables to this folder."),
    ("--format", "csv", "Write tables of this kind: csv or parquet."),
    group=OUTPUT,
)
def export(run: str, out: str, format: str) -> None:
    """Write what a run found as tables: patterns, places, and what else was counted.

    The folder of the run already holds its patterns as JSON (patterns.json) and as GraphML.

    \b
    gomkcn export run --out tables --format parquet
    """
    from mining.export import write_tables
    from mining.run_folder import read_run

    found = read_run(run)
    for path in write_tables(out, found.patterns, format, found.others):
        click.echo(path)
