"""What is found in three real data sets, and what is known about them from elsewhere.

    python benchmarks/findings.py            every data set, written to results/findings.*
    python benchmarks/findings.py --quick    MUTAG with two samples, nothing written

Each is mined by the command that a user would type, with the defaults for all that decides what is
found, and the numbers are those of its ``patterns.json``. Only then are they compared with what
mining did not read: the bond types of MUTAG, the triangles of rewired graphs.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from direct_counts import ENZYMES_CODES, check_pattern, check_words, read_labelled_graphs
from known_facts import compare_triangles, describe_neighbors, describe_rings_and_nitro_groups
from record import Bench, bench_command, data_option

from mining import OccurrenceCount
from mining.records.significance import LESS, LEVEL, MORE

MOST_NAMED = 4
NOTES = (
    "Occurrences are all sets of nodes of the whole graph that induce the pattern, with the types "
    "of its edges and the labels of its nodes. z is their number less the mean over the graphs of "
    "the null model, in standard deviations; q is the Benjamini–Hochberg value of its p.",
)


@dataclass(frozen=True)
class DataSet:
    """A data set, how it is mined, and what to say about it."""

    name: str
    glob: str
    nulls: tuple[str, ...]
    options: tuple[str, ...] = ()
    # files beside this one, by option
    files: tuple[tuple[str, str], ...] = ()

    def command(self, path: str, out: str, extra: Sequence[str] = ()) -> list[str]:
        """What a user would type after ``gomkcn``."""
        nulls = [word for null in self.nulls for word in ("--null", null)]
        here = Path(__file__).parent
        files = [word for option, name in self.files for word in (option, str(here / name))]
        return ["mine", path, "--out", out, *nulls, *self.options, *files, *extra]


MUTAG = DataSet("MUTAG", "MUTAG_*", ("degree", "features"), ("--features", "labels"))
ENZYMES = DataSet(
    "ENZYMES",
    "ENZYMES_*",
    ("degree", "features"),
    ("--features", "labels"),
    (("--label-names", "enzymes_labels.csv"),),
)
# no features to shuffle
FACEBOOK = DataSet("ego-Facebook", "snap/facebook_combined.txt.gz", ("degree",))


@dataclass(frozen=True)
class Finding:
    """A finished run, as its folder holds it."""

    data: DataSet
    path: Path
    patterns: list[dict[str, Any]]
    graph: dict[str, Any]
    cpu_seconds: float


def mine(data: DataSet, path: Path, out: Path, extra: Sequence[str]) -> Finding:
    """Run the command in this process, so that compiled code is compiled once."""
    from gomkcn.commands.main import main
    from mining import read_run

    start = time.process_time()
    main([*data.command(str(path), str(out), extra), "--quiet"], standalone_mode=False)
    seconds = time.process_time() - start
    # with all places that are listed, where patterns.json has the first few
    patterns = [
        {**pattern.to_dict(), "occurrences": [vars(place) for place in pattern.occurrences]}
        for pattern in read_run(out).patterns
    ]
    graph = json.loads((out / "run.json").read_text("utf-8"))["graph"]
    return Finding(data, path, patterns, graph, seconds)


def tabulate(bench: Bench, finding: Finding) -> None:
    """One row a pattern, from ``patterns.json``."""
    graph, nulls = finding.graph, finding.data.nulls
    size = f"{graph['num_nodes']} nodes, {graph['num_edges']} edges"
    if graph["num_graphs"] > 1:
        size = f"{graph['num_graphs']} graphs, {size}"
    typed = " ".join(Path(word).name if "/" in word else word for word in finding.data.command(
        finding.data.name, "run"
    ))  # fmt: skip
    table = bench.table(
        f"{finding.data.name}: {size}; {finding.cpu_seconds:.0f} s of CPU time; `gomkcn {typed}`",
        {
            "pattern": "",
            "in words": "",
            "edges": "",
            "occurrences (95 %)": "",
            "disjoint": "",
            "graphs": "",
            **{f"{name} {null}": "" for null in nulls for name in ("by chance:", "z", "q")},
        },
    )
    for pattern in finding.patterns:
        frequency = pattern["frequency"]
        table.add(
            str(pattern["id"]),
            pattern["description"],
            str(len(pattern["edges"])),
            str(OccurrenceCount.from_dict(frequency["occurrences"])),
            str(frequency["disjoint"]),
            str(frequency["graphs"]) if graph["num_graphs"] > 1 else None,
            *(
                text
                for null in nulls
                for text in _against(pattern["significance"][null])
            ),
        )  # fmt: skip


def _against(entry: dict[str, Any]) -> Iterator[str]:
    yield f"{entry['mean']:.4g} ± {entry['std']:.2g}"
    yield f"{entry['z']:.1f}"
    yield f"{entry['q']:.2g}"


def say_against(finding: Finding, null: str) -> str:
    """Which patterns chance does not make so often, and which it makes more often."""
    entries = [(pattern, pattern["significance"][null]) for pattern in finding.patterns]
    entries.sort(key=lambda pair: -pair[1]["z"])
    more = [(pattern, entry) for pattern, entry in entries if entry["verdict"] == MORE]
    fewer = [(pattern, entry) for pattern, entry in entries[::-1] if entry["verdict"] == LESS]
    return (
        f"{finding.data.name} beside the null model `{null}`: {len(more)} of {len(entries)} "
        f"patterns occur more often (q ≤ {LEVEL:g}){_named(more)}; {len(fewer)} less often"
        f"{_named(fewer)}."
    )


def _named(entries: Sequence[tuple[dict[str, Any], dict[str, Any]]]) -> str:
    """The first few, with z."""
    if not entries:
        return ""
    names = [
        f"“{pattern['description']}” (z {entry['z']:.1f})"
        for pattern, entry in entries[:MOST_NAMED]
    ]
    start = ", first of all " if len(entries) > MOST_NAMED else ": "
    return start + ", ".join(names)


def compare_with_known(finding: Finding) -> Iterator[str]:
    """What is known about the data without having mined them; an error where a count is wrong."""
    if finding.data is not FACEBOOK:
        names = ENZYMES_CODES if finding.data is ENZYMES else None
        direct = read_labelled_graphs(finding.path, names)
        wrong = [
            problem
            for pattern in finding.patterns
            for problem in (*check_pattern(pattern, direct), *check_words(pattern))
        ]
        if wrong:
            raise click.ClickException("; ".join(wrong))
        yield (
            f"{finding.data.name}: occurrences, graphs and words of all {len(finding.patterns)} "
            "patterns agree with direct counts from the text files."
        )
    if finding.data is MUTAG:
        yield describe_rings_and_nitro_groups(finding.path, finding.patterns)
    elif finding.data is ENZYMES:
        names = Path(__file__).with_name(finding.data.files[0][1])
        yield describe_neighbors(finding.path, names, finding.patterns)
    else:
        yield compare_triangles(finding.path, finding.patterns)


@bench_command("findings", usual_repeats=1, how="run of each data set")
@data_option
@click.option(
    "--runs", type=click.Path(path_type=Path, file_okay=False), help="Keep the runs here."
)
def main(bench: Bench, data: Path, runs: Path | None) -> None:
    """Mine three real data sets and say what was found."""
    extra = ("--epochs", "0", "--null-samples", "2") if bench.quick else ()
    notes: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for one in (MUTAG,) if bench.quick else (MUTAG, ENZYMES, FACEBOOK):
            path = next(iter(sorted(data.glob(one.glob))), None)
            if path is None:
                notes.append(f"{one.name} is skipped: it is not in the folder {data}.")
                continue
            finding = mine(one, path, (runs or Path(folder)) / one.name, extra)
            tabulate(bench, finding)
            notes += [say_against(finding, null) for null in one.nulls]
            notes += compare_with_known(finding)
    for note in (*notes, *NOTES):
        bench.note(note)


if __name__ == "__main__":
    main()
