"""An experiment whose results are lines of JSON: one for each row of its settings that was run.

What the results lack is run and appended line by line, so a run that was stopped continues. The
tables are made from the lines.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from record import Bench, ResultTable, commit_of_code, write_markdown

from gomkcn_dgl.runtime.output_folder import describe_provenance
from paper.records import Record, append_record, read_records, read_toml

HERE = Path(__file__).parent
Settings = dict[str, Any]


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
    tables: Callable[[list[Record], Settings], list[ResultTable]]
    # changes settings to those of a tiny version
    shrink: Callable[[Settings], None]
    # a sentence for each goal that was missed
    missed: Callable[[list[Record], Settings], list[str]] = lambda lines, settings: []
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

    def complete(self, results: Path, settings: Settings) -> None:
        """Run what the file lacks, and append it line by line."""
        lines = read_records(results)
        for row in self.rows(settings):
            if find_line(lines, row) is None:
                line = self.run(row)
                seed = row.get("seed", row.get("settings", {}).get("seed", row.get("split", 0)))
                made = describe_provenance(seed, line["seconds"]) | {"commit": commit_of_code()}
                append_record(results, {"experiment": self.name, **line, "made": made})
                print(self.describe(line), flush=True)

    def write(self, out: Path, lines: list[Record], settings: Settings) -> None:
        """Write the tables of the lines."""
        if not lines:
            return
        tables = [table.markdown() for table in self.tables(lines, settings)]
        write_markdown(out / f"{self.name}.md", lines[-1]["made"], [self.how], tables)

    def __call__(self, bench: Bench) -> None:
        """Run what the results lack, and write the tables."""
        settings = self.settings(smoke=bench.quick)
        with tempfile.TemporaryDirectory() as scratch:
            folder = bench.out or Path(scratch)
            results = folder / f"{self.name}.jsonl"
            self.complete(results, settings)
            lines = self.lines(results, settings)
            self.write(folder, lines, settings)
        # a tiny version has no goal
        for sentence in () if bench.quick else self.missed(lines, settings):
            print(f"goal missed: {sentence}")


def find_line(lines: Iterable[Record], row: Record) -> Record | None:
    """The latest line that has every entry of ``row``, its settings among them, if any."""
    same = [line for line in lines if all(line.get(key) == row[key] for key in row)]
    return same[-1] if same else None
