"""`gomkcn scaffolds`: parse, call one function, print."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click
from cloup import option, option_group

from gomkcn.commands.base import Command, classes_of_file
from gomkcn.commands.option_types import InputPath, PagePath
from gomkcn.commands.options import (
    CLASS_OPTIONS,
    class_options,
    force_option,
    quiet_option,
    setting_options,
    table_option,
)
from gomkcn.commands.printing import say, show_log
from gomkcn.commands.run_command import import_igraph
from gomkcn_dgl.input_settings import InputSettings

# scaffolds on the screen: a table that is read
_MOST_ROWS = 20


@click.command(cls=Command)
@click.argument("path", type=InputPath(), metavar="MOLECULES")
@option_group(
    "Input",
    setting_options(
        InputSettings,
        "smiles",
        "id_column",
        "skip_invalid",
        "largest_fragment",
        "format",
        shown=("smiles", "largest_fragment"),
    ),
    class_options,
)
@option_group(
    "Output",
    table_option,
    option("--page", type=PagePath(), help="Page to write, .html: drawings and numbers [none]"),
    force_option,
    quiet_option,
)
def scaffolds(
    path: str, out: str | None, page: str | None, force: bool, quiet: bool, **options: Any
) -> None:
    """List the scaffolds of molecules, and how classes differ in them.

    Bemis–Murcko scaffolds: the rings of a molecule and the chains between them. Those of most
    molecules come first; of molecules with classes, those that tell the classes apart most surely,
    with odds ratios and p (Fisher's exact test), adjusted for all that could have differed.

    \b
    gomkcn scaffolds drugs.smi
    gomkcn scaffolds assay.csv --class-column pIC50 --threshold 6.5 --out scaffolds.csv
    gomkcn scaffolds assay.csv --page scaffolds.html
    """
    show_log(quiet, brief=True)
    start = time.perf_counter()
    from gomkcn.mining.frequent.scaffolds import find_scaffolds
    from gomkcn.mining.show.text_table import text_table
    from gomkcn_dgl.io.reading import read_molecule_file

    of_classes = {name: options.pop(name) for name in CLASS_OPTIONS}
    mols = read_molecule_file(path, **options)
    classes = classes_of_file(path, options, of_classes)
    found = find_scaffolds(mols, classes)
    rows = found.rows
    if out is not None:
        found.table().save(out)
        say(f"wrote {out}: {len(rows):,} rows")
    if page is not None:
        import_igraph()
        from gomkcn.mining.show.scaffolds_page import render_scaffolds
        from gomkcn_dgl.runtime.files import atomic_write

        given = {key: value for key, value in (options | of_classes).items() if value is not None}
        seconds = time.perf_counter() - start
        atomic_write(page, render_scaffolds(found, Path(path).resolve().name, given, seconds))
        say(f"page: {page}")
    if out is not None or page is not None:
        return
    cut = f"; here the first {_MOST_ROWS}" if len(rows) > _MOST_ROWS else ""
    say(f"{len(rows):,} scaffolds of {len(mols):,} molecules{cut}\n")
    say(str(text_table(found.table_columns, rows[:_MOST_ROWS])))
