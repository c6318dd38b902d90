"""`gomkcn report`: the table and the page of a finished run once more, mined or trained."""

from __future__ import annotations

from pathlib import Path

import click

from gomkcn.commands.base import Command

# the libraries are imported inside the command, so that --help answers at once


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
    from mining.results.run_folder import read_run, write_report

    if (Path(run) / METRICS).exists():
        _, page = explain_run(run)
        table = format_results(read_metrics(run))
    else:
        finished = read_run(run)
        with lock_folder(run) as folder:
            page = write_report(folder, finished)
        table = format_run(finished)
    click.echo(f"{table}\n\nreport: {page}")
