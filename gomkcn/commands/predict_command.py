"""`gomkcn predict`: the classes of new graphs or nodes, by a trained run."""

from __future__ import annotations

from pathlib import Path

import click

from gomkcn.commands.base import OUTPUT, Command, add_options, show_log
from gomkcn_dgl.errors import InputError

# the libraries are imported inside the command, so that --help answers at once

_SUFFIXES = (".csv", ".parquet")


@click.command(cls=Command)
@click.argument("run", metavar="RUN")
@click.argument("path", metavar="PATH")
@add_options(
    ("--out", str, "Write the table to this .csv or .parquet file. [shown on the screen]"),
    group=OUTPUT,
)
def predict(run: str, path: str, out: str | None) -> None:
    """Say which class a trained classifier gives each graph or node.

    RUN is the folder of `gomkcn train`. PATH has graphs of the same kind, with the same features;
    classes, if it has any, are not looked at.

    \b
    gomkcn predict run new.bin
    gomkcn predict run MUTAG/ --out classes.csv
    """
    from gomkcn_dgl.runtime.files import atomic_file
    from gomkcn_dgl.training.prediction import predict_file
    from gomkcn_dgl.training.training_run import load_classifier

    show_log(quiet=True)
    if out is not None and Path(out).suffix not in _SUFFIXES:
        raise InputError(f"out must end in .csv or .parquet, got {out!r}.")
    classifier = load_classifier(run)
    table = predict_file(classifier, path)
    if out is None:
        click.echo(table.to_string(index=False, float_format="{:.3f}".format))
        return
    with atomic_file(out) as file:
        if Path(out).suffix == ".csv":
            table.to_csv(file, index=False)
        else:
            table.to_parquet(file, index=False)
    click.echo(f"{out}: the classes of {len(table):,} {classifier.settings.data.task}s")
