"""`gomkcn census`: how often every small structure occurs in a graph, or at each of its nodes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from gomkcn.commands.base import (
    OUTPUT,
    Command,
    add_options,
    counted_option,
    edge_options,
    reading_options,
    show_log,
)
from gomkcn_dgl.errors import InputError

# the libraries are imported inside the command, so that --help answers at once

_ENDINGS = (".csv", ".parquet", ".json")


@click.command(cls=Command)
@click.argument("path", metavar="GRAPH")
@add_options(
    ("--size sizes", str, "Count structures of as many nodes, as in 3-5. [3-5, or 3-4]"),
    ("--orbits", bool, "Count at each node: in the 15 orbits of 2-4 nodes, or the 73 of 2-5."),
)
@add_options(
    ("--out", str, "Write to this file, which ends in .csv, .parquet or .json."), group=OUTPUT
)
@counted_option
@reading_options
@edge_options
def census(
    path: str, sizes: str | None, orbits: bool, reading: str, out: str | None, **options: Any
) -> None:
    """Count all connected structures of some sizes.

    Structures of 2 to 5 nodes, or of 3 and 4 where edges have directions or kinds, or nodes
    categories. All counts are exact. With --reading subgraph there may be more edges between the
    nodes of a structure: K4 has three rings of four nodes. With --orbits, a row for each node says
    how often it is at each place of an induced structure, numbered as by Pržulj (2007).

    \b
    gomkcn census friends.txt.gz
    gomkcn census regulation.csv --size 3 --directed --out triads.csv
    gomkcn census friends.txt.gz --size 2-5 --orbits --out orbits.parquet
    """
    show_log(quiet=True)
    from gomkcn_dgl.io.reading import read_graph
    from mining.structure_census import census as count

    if out is not None and Path(out).suffix not in _ENDINGS:
        raise InputError(f"--out must end in {', '.join(_ENDINGS)}, got {out!r}.")
    graph = read_graph(path, **options)
    if orbits:
        columns = _count_orbits(graph, sizes, reading)
    else:
        found = count(graph, sizes, reading)
        columns = {**found.columns(), "reading": [reading] * len(found.structures)}
    if out is None:
        _print(columns)
    else:
        _write(Path(out), columns)
        click.echo(f"wrote {out}: {len(columns['node' if orbits else 'size']):,} rows")


def _count_orbits(graph: Any, sizes: str | None, reading: str) -> dict[str, Any]:
    from mining.structure_census import orbit_columns, orbit_counts

    if sizes not in (None, "2-4", "2-5"):
        raise InputError(f"--size must be 2-4 or 2-5 with --orbits, got {sizes}.")
    if reading != "induced":
        raise InputError(f"--reading must be induced with --orbits, got {reading!r}.")
    return orbit_columns(graph, orbit_counts(graph, 4 if sizes == "2-4" else 5))


def _print(columns: dict[str, Any]) -> None:
    """A table whose columns of numbers are aligned at the right."""
    names = list(columns)
    rows = [
        [f"{one:,}" if isinstance(one, int) else str(one) for one in row]
        for row in zip(*map(list, columns.values()), strict=True)
    ]
    widths = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
    for row in [names, *rows]:
        cells = [
            one.rjust(width) if name in ("size", "count") else one.ljust(width)
            for name, one, width in zip(names, row, widths, strict=True)
        ]
        click.echo("  ".join(cells).rstrip())


def _write(path: Path, columns: dict[str, Any]) -> None:
    """Write a table to a file of the kind that its name says."""
    from gomkcn_dgl.io.tables import csv_text
    from gomkcn_dgl.runtime.files import atomic_file, atomic_write

    lists = {name: getattr(one, "tolist", lambda one=one: one)() for name, one in columns.items()}
    if path.suffix == ".csv":
        atomic_write(path, csv_text(list(lists.items())))
    elif path.suffix == ".json":
        rows = [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
        atomic_write(path, json.dumps(rows, ensure_ascii=False) + "\n")
    else:
        import pyarrow as pa
        import pyarrow.parquet

        try:
            table = pa.table(lists)
        except OverflowError:
            raise InputError(
                f"--out must end in .csv or .json for counts of over 2^63, got {str(path)!r}."
            ) from None
        with atomic_file(path) as file:
            pyarrow.parquet.write_table(table, file)
