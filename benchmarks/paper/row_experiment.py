"""An experiment whose results are lines of JSON: one for each row of its settings that was run.

What the results lack is run and appended line by line, so a run that was stopped continues. The
table and the figures are made from the lines.
"""

from __future__ import annotations

import io
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from matplotlib.figure import Figure

from gomkcn_dgl.runtime.output_folder import describe_provenance

# A script sees its own folder only.
sys.path.append(str(Path(__file__).resolve().parents[1]))
from measure import use_threads
from record import Table, write_markdown

from paper.records import Record, append_record, read_records, read_toml

HERE = Path(__file__).parent
Settings = dict[str, Any]


def figure_to_svg(figure: Figure, name: str) -> str:
    """A figure as SVG text, the same on every run; ``name`` starts every id."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "gomkcn", "svg.fonttype": "none"}):
        buffer = io.StringIO()
        no_metadata = {"Date": None, "Creator": None, "Format": None, "Type": None}
        figure.savefig(buffer, format="svg", metadata=no_metadata, facecolor="white")
    return re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", buffer.getvalue())


@dataclass(frozen=True)
class RowExperiment:
    """What an experiment of the paper consists of."""

    name: str  # of its .toml and of its results
    # settings → what decides each line of the results
    rows: Callable[[Settings], Iterable[Record]]
    # a row → its line, with the entry "seconds"
    run: Callable[[Record], Record]
    # a line → one sentence, printed when the row has been run
    describe: Callable[[Record], str]
    tables: Callable[[list[Record], Settings], list[Table]]
    # changes settings to those of a tiny version
    shrink: Callable[[Settings], None]
    figures: Callable[[list[Record], Settings], Mapping[str, Figure]] = lambda lines, settings: {}
    # a sentence for each goal that was missed
    missed: Callable[[list[Record], Settings], list[str]] = lambda lines, settings: []
    # the entry of a row that ``--only`` names
    selector: str = "run"
    # how it was measured, for the head of the table
    how: str = "one thread"

    def settings(self, *, smoke: bool) -> Settings:
        settings = read_toml(HERE / f"{self.name}.toml")
        if smoke:
            self.shrink(settings)
        return settings

    def lines(self, results: Path, settings: Settings) -> list[Record]:
        """The lines of the rows that were run, in the order of the rows."""
        every = read_records(results)
        lines = [find_line(every, row) for row in self.rows(settings)]
        return [line for line in lines if line is not None]

    def complete(self, results: Path, settings: Settings, only: tuple[str, ...]) -> None:
        """Run what the file lacks, and append it line by line."""
        lines = read_records(results)
        for row in self.rows(settings):
            if (not only or row[self.selector] in only) and find_line(lines, row) is None:
                line = self.run(row)
                seed = row.get("seed", row.get("settings", {}).get("seed", row.get("split", 0)))
                made = describe_provenance(seed, line["seconds"])
                append_record(results, {"experiment": self.name, **line, "made": made})
                print(self.describe(line), flush=True)

    def write(self, out: Path, lines: list[Record], settings: Settings) -> None:
        """Write the tables and the figures of the lines."""
        if not lines:
            return
        tables = [table.markdown() for table in self.tables(lines, settings)]
        write_markdown(out / f"{self.name}.md", lines[-1]["made"], [self.how], tables)
        for name, figure in self.figures(lines, settings).items():
            (out / f"{name}.svg").write_text(figure_to_svg(figure, name=name), encoding="utf-8")

    def command(self) -> click.Command:
        """Run the experiment from the command line; exit code 1 when a goal is missed."""

        @click.command(self.name)
        @click.option("--only", multiple=True, help=f"Only this {self.selector}; repeatable.")
        @click.option("--smoke", is_flag=True, help="Tiny sizes; needs --out to keep anything.")
        @click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Results.")
        def main(only: tuple[str, ...], smoke: bool, out: Path | None) -> None:
            use_threads(1)
            settings = self.settings(smoke=smoke)
            names = {row[self.selector] for row in self.rows(settings)}
            if not names.issuperset(only):
                raise click.UsageError(f"--only must be among {sorted(names)}.")
            with tempfile.TemporaryDirectory() as scratch:
                folder = out or (Path(scratch) if smoke else HERE / "results")
                results = folder / f"{self.name}.jsonl"
                self.complete(results, settings, only)
                lines = self.lines(results, settings)
                self.write(folder, lines, settings)
            missed = self.missed(lines, settings)
            for sentence in missed:
                print(f"goal missed: {sentence}")
            # A tiny version has no goal.
            sys.exit(bool(missed) and not smoke)

        return main


def find_line(lines: Iterable[Record], row: Record) -> Record | None:
    """The latest line that has every entry of ``row``, its settings among them, if any."""
    same = [line for line in lines if all(line.get(key) == row[key] for key in row)]
    return same[-1] if same else None
