"""What commands that take a graph share: its options, how it is read, where its truth is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gomkcn.commands.base import NAMES, Decorated, add_options
from gomkcn_dgl.errors import InputError

_TRUTH_SUFFIX = ".truth.json"


def graph_options(command: Decorated) -> Decorated:
    """The argument PATH, and the options that decide how a graph is read."""
    return click.argument("path", metavar="PATH", required=False)(_reading_options(command))


_reading_options = add_options(
    (
        "--features",
        NAMES,
        "Features to use, by name: node attributes, columns of the feature file, or "
        "'attributes' and 'labels' of a TU folder; separated by commas.",
    ),
    ("--feature-file", str, "A .npy or .csv with one row per node."),
    ("--label-names", str, "A .csv, .json or .toml with the meanings of labels."),
    ("--format", str, "edges, csv, parquet, graphml, dgl, npz, folder or tu. [by the name]"),
)


def read_graph_at(path: str | None, **options: Any) -> Any:
    """Read the graph that the options or the settings name."""
    from gomkcn_dgl.io.reading import read_graph

    if not path:
        raise InputError("PATH of a graph must be given, here or in the settings file.")
    return read_graph(path, **options)


def truth_path_of(path: Path) -> Path:
    """Path of the truth file of a generated graph."""
    path = path.resolve()
    return path.with_name(path.name.removesuffix(path.suffix) + _TRUTH_SUFFIX)


def truth_beside(path: str) -> Path | None:
    """The truth file of a generated graph, if there is one."""
    truth = truth_path_of(Path(path))
    return truth if truth.is_file() else None
