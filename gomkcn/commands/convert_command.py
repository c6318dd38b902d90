"""`gomkcn convert`: parse, convert a file of edges to a graph folder, print."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Any

import click

from gomkcn.commands.base import (
    INPUT,
    LARGE,
    NAMES,
    OUTPUT,
    Command,
    add_options,
    edge_options,
    show_log,
)

# the libraries are imported inside the command, so that --help answers at once


@click.command(cls=Command)
@click.argument("edges", metavar="EDGES")
@click.argument("out", metavar="OUT")
@add_options(
    ("--feature-file", str, "Read features from a .npy or .csv with one row per node."),
    ("--features", NAMES, "Take these columns of that file, separated by commas. [all]"),
    ("--format", str, "Read the file as edges, csv or parquet. [by its name]"),
    group=INPUT,
)
@add_options(
    ("--force", bool, "Overwrite the graph that is in the folder."),
    ("--quiet", bool, "Show no log and no progress bar."),
    group=OUTPUT,
)
@add_options(
    (
        "--memory-limit",
        "2GiB",
        "Use so much memory; a file that needs more is sorted on disk, by DuckDB.",
    ),
    group=LARGE,
)
@edge_options
def convert(edges: str, out: str, memory_limit: str, quiet: bool, **options: Any) -> None:
    """Convert an edge list of any size to a folder that stays on disk.

    The edges of the file EDGES become the graph folder OUT, in bounded memory. Every command takes
    that folder in place of a graph file, and reads it without loading it.

    \b
    gomkcn convert friends.txt.gz friends.graph
    gomkcn convert edges.parquet big.graph --memory-limit 4GiB
    gomkcn convert edges.csv big.graph --feature-file x.npy
    gomkcn convert triples.tsv knowledge.graph --relation 2
    """
    show_log(quiet)
    from gomkcn_dgl.io.large_edges import convert_edges
    from gomkcn_dgl.runtime.files import format_size, parse_size

    # SIGTERM removes the unfinished folder, as Ctrl-C does
    before = signal.signal(signal.SIGTERM, _end)
    try:
        header = convert_edges(
            edges,
            out,
            memory_limit=parse_size(memory_limit),
            progress=not quiet and sys.stderr.isatty(),
            **options,
        )
    finally:
        signal.signal(signal.SIGTERM, before)
    size = format_size(sum(file.stat().st_size for file in Path(out).iterdir()))
    click.echo(f"wrote {out}: {header.num_nodes:,} nodes, {header.num_edges:,} edges, {size}")


def _end(number: int, frame: Any) -> None:
    sys.exit(128 + number)
