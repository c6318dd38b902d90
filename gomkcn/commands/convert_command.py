"""`gomkcn convert`: parse, convert a file of edges to a graph folder, print."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Any

import click

from gomkcn.commands.base import Command, show_log

# the libraries are imported inside the command, so that --help answers at once


@click.command(cls=Command)
@click.argument("edges", metavar="EDGES")
@click.argument("out", metavar="OUT")
@click.option(
    "--memory-limit",
    default="2GiB",
    show_default=True,
    help="Memory that may be used, such as 512MiB; a smaller limit sorts in smaller parts.",
)
@click.option("--feature-file", help="A .npy or .csv with one row a node.")
@click.option("--features", help="Columns of the feature file, comma-separated. [all]")
@click.option("--format", help="edges, csv or parquet; told by the name.")
@click.option("--force", is_flag=True, help="Overwrite a graph folder.")
@click.option("--quiet", is_flag=True, help="No log and no progress bar.")
def convert(
    edges: str,
    out: str,
    memory_limit: str,
    feature_file: str | None,
    features: str | None,
    format: str | None,
    force: bool,
    quiet: bool,
) -> None:
    """Convert the edge list at EDGES to the graph folder OUT, in bounded memory.

    Every command takes that folder in place of a graph file, and reads it without loading it.

    \b
    gomkcn convert friends.txt.gz friends.graph
    gomkcn convert edges.parquet big.graph --memory-limit 4GiB
    gomkcn convert edges.csv big.graph --feature-file x.npy
    """
    show_log(quiet)
    from gomkcn_dgl.io.convert import convert_edges
    from gomkcn_dgl.runtime.memory import format_size, parse_size

    # the folder that is being written vanishes on Ctrl-C; so it does on SIGTERM
    before = signal.signal(signal.SIGTERM, _end)
    try:
        header = convert_edges(
            edges,
            out,
            features=None if features is None else tuple(features.split(",")),
            feature_file=feature_file,
            format=format,
            memory_limit=parse_size(memory_limit),
            force=force,
            progress=not quiet and sys.stderr.isatty(),
        )
    finally:
        signal.signal(signal.SIGTERM, before)
    size = format_size(sum(file.stat().st_size for file in Path(out).iterdir()))
    click.echo(f"wrote {out}: {header.num_nodes:,} nodes, {header.num_edges:,} edges, {size}")


def _end(number: int, frame: Any) -> None:
    sys.exit(128 + number)
