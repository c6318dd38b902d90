"""An experiment whose results are lines of JSON: one for each row of its settings that was run.

What the results lack is run and appended line by line, so a run that was stopped continues. The
table and the figures are made from the lines.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from matplotlib.figure import Figure

from gomkcn_dgl.runtime.provenance import describe_provenance

# A script sees its own folder only.
sys.path.append(str(Path(__file__).resolve().parents[1]))
from measure import use_threads
from record import Table, write_markdown

from mining.plots.axes import figure_to_svg
from paper.results_file import ResultsFile

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).parent
Record = dict[str, Any]
Settings = dict[str, Any]


@dataclass(frozen=True)
class RowExperiment:
    """What an experiment of the paper consists of.

    Attributes
    ----------
    name : str
        Of its .toml and of its results.
    rows : callable
        Settings → what decides each line of the results.
    run : callable
        A row → its line, with the entry ``seconds``.
    describe : callable
        A line → one sentence, printed when the row has been run.
    tables, figures : callable
        Lines and settings → tables, and figures by the name of their file.
    shrink : callable
        Changes settings to those of a tiny version.
    missed : callable
        Lines and settings → a sentence for each goal that was missed.
    selectors : tuple of str
        The entries of a row that ``--only`` may name.
    how : str
        How it was measured, for the head of the table.
    """

    name: str
    rows: Callable[[Settings], Iterable[Record]]
    run: Callable[[Record], Record]
    describe: Callable[[Record], str]
    tables: Callable[[list[Record], Settings], list[Table]]
    shrink: Callable[[Settings], None]
    figures: Callable[[list[Record], Settings], Mapping[str, Figure]] = lambda lines, settings: {}
    missed: Callable[[list[Record], Settings], list[str]] = lambda lines, settings: []
    selectors: tuple[str, ...] = ("run",)
    how: str = "one thread"

    def settings(self, *, smoke: bool) -> Settings:
        settings = tomllib.loads((HERE / f"{self.name}.toml").read_text(encoding="utf-8"))
        if smoke:
            self.shrink(settings)
        return settings

    def names(self, row: Record) -> set[str]:
        """What ``--only`` may call a row."""
        return {row[entry] for entry in self.selectors if entry in row}

    def lines(self, results: ResultsFile, settings: Settings) -> list[Record]:
        """The lines of the rows that were run, in the order of the rows."""
        every = results.read()
        lines = [find_line(every, row) for row in self.rows(settings)]
        return [line for line in lines if line is not None]

    def complete(self, results: ResultsFile, settings: Settings, only: tuple[str, ...]) -> None:
        """Run what the file lacks, and append it line by line."""
        lines = results.read()
        for row in self.rows(settings):
            if (not only or self.names(row) & set(only)) and find_line(lines, row) is None:
                line = self.run(row)
                seed = row.get("seed", row.get("settings", {}).get("seed", row.get("split", 0)))
                made = describe_provenance(seed, line["seconds"])
                results.append({"experiment": self.name, **line, "made": made})
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
        @click.option("--only", multiple=True, help=f"Only this {self.selectors[0]}; repeatable.")
        @click.option("--smoke", is_flag=True, help="Tiny sizes; needs --out to keep anything.")
        @click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Results.")
        def main(only: tuple[str, ...], smoke: bool, out: Path | None) -> None:
            use_threads(1)
            settings = self.settings(smoke=smoke)
            known = set().union(*map(self.names, self.rows(settings)))
            if not set(only) <= known:
                raise click.UsageError(f"--only must be among {sorted(known)}.")
            with tempfile.TemporaryDirectory() as scratch:
                folder = out or (Path(scratch) if smoke else HERE / "results")
                results = ResultsFile(folder / f"{self.name}.jsonl")
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
