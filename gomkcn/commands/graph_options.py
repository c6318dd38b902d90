"""What commands that take a graph share: its options, how it is read, where its truth lies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from gomkcn_dgl.errors import InputError

Command = Callable[..., Any]

_TRUTH_SUFFIX = ".truth.json"


def graph_options(command: Command) -> Command:
    """Options that say how a graph is read."""
    options = [
        click.argument("path", metavar="PATH", required=False),
        click.option(
            "--features",
            help="Features to use, by name: node attributes, columns of the feature file, or "
            "'attributes' and 'labels' of a TU folder; comma-separated.",
        ),
        click.option("--feature-file", help="A .npy or .csv with one row a node."),
        click.option("--label-names", help="A .csv, .json or .toml that says what labels mean."),
        click.option(
            "--format",
            help="edges, csv, parquet, graphml, dgl, npz, folder or tu; told by the name.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def read_graph_at(settings: Any) -> Any:
    """Read the graph that the settings name."""
    from gomkcn_dgl.io.reading import read_graph

    if not settings.path:
        raise InputError("PATH of a graph must be given, here or in the settings file.")
    return read_graph(
        settings.path,
        features=settings.features,
        feature_file=settings.feature_file,
        format=settings.format,
        label_names=settings.label_names,
    )


def truth_path_of(path: Path) -> Path:
    path = path.resolve()
    return path.with_name(path.name.removesuffix(path.suffix) + _TRUTH_SUFFIX)


def truth_beside(path: str) -> Path | None:
    """Where the truth of a generated graph lies, if it does."""
    truth = truth_path_of(Path(path))
    return truth if truth.is_file() else None
