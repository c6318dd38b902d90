"""One run of a benchmark: how it measures, its tables, and the two files that it leaves."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import click
from measure import Limits, Timing

from gomkcn_dgl.runtime.output_folder import describe_provenance

HERE = Path(__file__).resolve().parent


class ResultTable:
    """Rows under named columns, printed as they come; a column's format is a format spec."""

    def __init__(self, title: str, columns: Mapping[str, str]) -> None:
        self.title = title
        self.columns = dict(columns)
        self.rows: list[tuple[Any, ...]] = []

    def add(self, *values: Any) -> None:
        """Add a row: numbers and timings, text as it is, None for what does not apply."""
        if len(values) != len(self.columns):
            raise ValueError(f"a row must have {len(self.columns)} values, got {len(values)}.")
        if not self.rows:
            print("\n" + "\n".join(self._head()), flush=True)
        self.rows.append(values)
        print(self._line(values), flush=True)

    def markdown(self) -> str:
        return "\n".join([*self._head(), *map(self._line, self.rows)]) + "\n"

    def records(self) -> dict[str, Any]:
        """The same for JSON, with every repeat of a timing."""
        rows = [[_plain(value) for value in row] for row in self.rows]
        return {"title": self.title, "columns": list(self.columns), "rows": rows}

    def _head(self) -> list[str]:
        title = [f"**{self.title}**", ""] if self.title else []
        return [*title, f"| {' | '.join(self.columns)} |", "|" + "---|" * len(self.columns)]

    def _line(self, values: Iterable[Any]) -> str:
        cells = map(_cell, values, self.columns.values())
        return f"| {' | '.join(cells)} |"


def _cell(value: Any, spec: str) -> str:
    if value is None:
        return "–"
    return value if isinstance(value, str) else format(value, spec)


def _plain(value: Any) -> Any:
    return [round(second, 9) for second in value.seconds] if isinstance(value, Timing) else value


@dataclass
class Bench:
    """What every benchmark is given: how to measure, and where its tables go."""

    name: str
    threads: int
    repeats: int
    how: str
    quick: bool  # tiny sizes
    out: Path | None  # folder of the results; None: none are written
    data: Path  # folder of the real graphs
    device: str = "cpu"
    # of the code that runs, whatever happens to the files meanwhile
    commit: str = ""
    limits: list[Limits] = field(default_factory=list)
    tables: list[ResultTable] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    peers: dict[str, str] = field(default_factory=dict)
    start: float = field(default_factory=time.perf_counter)

    def table(self, title: str, columns: Mapping[str, str]) -> ResultTable:
        self.tables.append(ResultTable(title, columns))
        return self.tables[-1]

    def note(self, text: str) -> None:
        """A sentence under the tables."""
        print(text, flush=True)
        self.notes.append(text)

    def add_limits(self, limits: Limits) -> Limits:
        print(f"limit: {limits}", flush=True)
        self.limits.append(limits)
        return limits

    def write(self) -> None:
        """Write the tables to ``<name>.md`` and append the run to ``<name>.jsonl``."""
        made = describe_provenance(0, time.perf_counter() - self.start, self.device)
        made["commit"] = self.commit
        print(f"\n{self.name}: {made['seconds']:.0f} s")
        # the experiments of the paper write for themselves, and what is skipped has no table
        if self.out is None or not any(table.rows for table in self.tables):
            return
        threads = f"{self.threads} threads on as many pinned CPUs"
        how = [threads if self.threads > 1 else "1 thread", f"{self.repeats} {self.how}"]
        write_markdown(self.out / f"{self.name}.md", made, how, self._paragraphs())
        record = {
            "made": made,
            "threads": self.threads,
            "repeats": self.repeats,
            "limits": [asdict(limit) for limit in self.limits],
            "peers": self.peers,
            "tables": [table.records() for table in self.tables],
            "notes": self.notes,
        }
        with (self.out / f"{self.name}.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        print(f"written to {self.out}")

    def _paragraphs(self) -> Iterator[str]:
        for table in self.tables:
            yield table.markdown()
        if self.limits:
            yield f"Limits in the same run: {'; '.join(map(str, self.limits))}.\n"
        if self.peers:
            versions = (f"{name} {version}" for name, version in self.peers.items())
            yield f"Peers: {', '.join(versions)}.\n"
        for note in self.notes:
            yield f"{note}\n"


def write_markdown(
    path: Path, made: Mapping[str, Any], how: Iterable[str], parts: Iterable[str]
) -> None:
    """A line that says what made the numbers, then the parts."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([headline(made, how) + "\n", *parts]), encoding="utf-8")


def headline(made: Mapping[str, Any], how: Iterable[str]) -> str:
    """Commit, date, machine, libraries, and how it was measured."""
    machine, libraries = made["machine"], made["libraries"]
    head = [
        f"Commit {made['commit']}",
        made["created"],
        f"{machine['processor']}, {machine['cores']} cores",
        *([] if made["device"] == "cpu" else [made["device"]]),
        f"Python {machine['python']}",
        *(f"{name} {libraries[name]}" for name in ("torch", "numba", "numpy")),
        *how,
    ]
    return f"{', '.join(head)}."


def commit_of_code() -> str | None:
    """The commit of the code that runs, marked ``-dirty`` where it was changed since.

    Records, claims and pages may differ: one run after the other writes them. None without git.
    """
    written = [f":!{one}" for one in ("benchmarks/*results/*", "benchmarks/claims*", "*.md")]
    status = ["status", "--porcelain", "--untracked-files=no", "--", ".", *written]
    git = ["git", "-C", str(HERE.parent)]
    try:
        changed, commit = (
            subprocess.run([*git, *words], capture_output=True, text=True, check=True).stdout
            for words in (status, ["rev-parse", "HEAD"])
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return commit[:12] + ("-dirty" if changed else "")


def clean_commit() -> str:
    """The commit of what is recorded; one with changes is refused."""
    commit = commit_of_code()
    if commit is None or commit.endswith("-dirty"):
        raise click.ClickException(
            f"numbers are recorded on a clean commit, got {commit}; commit what git status lists."
        )
    return commit
