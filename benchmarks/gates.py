r"""What a change of the motif search, the counting or the structures must not make worse.

Each row is compared with what the commit recorded in gates/NAME.json gave: whether known motifs
are found, whether nothing is found where nothing is, bits, lengths and counts. A row passes where
each of its bounds holds; processor seconds are shown beside those of the record, without a bound.

\b
python benchmarks/gates.py                  every row, in at most 20 minutes
python benchmarks/gates.py --quick          the rows that take least, in less than 2
python benchmarks/gates.py planted mutag    these two
python benchmarks/gates.py mutag --record   write gates/mutag.json anew
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import click
import gates_counts
import given_sets
import inexact
import motif_set
import motif_set_collections as collections
import networkx as nx
from inputs import tu_folder
from measure import use_threads

import gomkcn
from gomkcn import MotifSet, Structure
from gomkcn_dgl.runtime.output_folder import describe_provenance

HERE = Path(__file__).parent
DATA = HERE.parents[1] / "shared" / "data"
RECORDS = HERE / "gates"
# a group of graphs may have descriptions so many times as long, all together: a search that is
# better in one graph may be a little worse in another
MOST_LONGER = 1.001
# share of the recorded bits that two noisy graphs must save: a copy or two more or fewer
LEAST_OF_NOISY = 0.97
# bits by which a set may be shorter, since records are rounded
ROUNDING = 0.01
# bits by which a length may differ from the committed one
EQUAL_LENGTH = 1e-6


@dataclass(frozen=True)
class FoundMotif:
    """A motif of a set: its structure as text, the number of its copies, the bits that it saves."""

    structure: str
    copies: int
    bits: float

    @property
    def key(self) -> tuple[bytes, int]:
        """Equal for the same structure with as many copies."""
        return Structure.parse(self.structure).key, self.copies


@dataclass(frozen=True)
class Found:
    """What was found in one graph, or in several things of one kind that are counted together.

    Attributes
    ----------
    group : str
        Those of one group are compared together.
    name : str
        Which of the group it is.
    asked, right : int
        How many things should be in some way, and how many are.
    bits_base, bits_total : float
        Bits of the graph without the motifs and with them.
    motifs : tuple of FoundMotif
        The set.
    seconds : float
        Of processor time.
    wrong : tuple of str
        What is not as it should be.
    """

    group: str
    name: str
    asked: int
    right: int
    bits_base: float = 0.0
    bits_total: float = 0.0
    motifs: tuple[FoundMotif, ...] = ()
    seconds: float = 0.0
    wrong: tuple[str, ...] = ()

    @classmethod
    def of_set(
        cls, group: str, name: str, is_right: bool | None, found: MotifSet, seconds: float
    ) -> Found:
        """A motif set; ``is_right`` is None where nothing is asked of it but its bits."""
        motifs = [
            FoundMotif(
                pattern.structure.to_text(), pattern.motif.num_copies, round(pattern.motif.bits, 3)
            )
            for pattern in found
            if pattern.motif is not None
        ]
        return cls(
            group,
            name,
            asked=int(is_right is not None),
            right=int(is_right is True),
            bits_base=round(found.bits_base, 4),
            bits_total=round(found.bits_total, 4),
            motifs=tuple(motifs),
            seconds=round(seconds, 2),
            wrong=(f"{name}: {found!r}",) if is_right is False else (),
        )

    @classmethod
    def of_checks(cls, group: str, wrong: Sequence[str], number: int, seconds: float) -> Found:
        """So many things that are right or wrong."""
        right = number - len(wrong)
        return cls(group, "all", number, right, seconds=round(seconds, 2), wrong=tuple(wrong))

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> Found:
        """Read what ``asdict`` wrote."""
        motifs = tuple(FoundMotif(**motif) for motif in record["motifs"])
        return cls(**{**record, "motifs": motifs, "wrong": tuple(record["wrong"])})

    @property
    def bits_saved(self) -> float:
        return self.bits_base - self.bits_total

    def is_set_of(self, other: Found) -> bool:
        """Whether both have the same structures, each with as many copies."""
        return sorted(motif.key for motif in self.motifs) == sorted(
            motif.key for motif in other.motifs
        )


class Group:
    """The graphs of one group, as they are now or as they were recorded."""

    def __init__(self, graphs: Sequence[Found]) -> None:
        self.graphs = graphs
        self.asked = sum(graph.asked for graph in graphs)
        self.right = sum(graph.right for graph in graphs)
        self.bits_total = sum(graph.bits_total for graph in graphs)
        self.bits_saved = sum(graph.bits_saved for graph in graphs)
        self.seconds = sum(graph.seconds for graph in graphs)


@dataclass(frozen=True)
class Verdict:
    """The figures of a group, their bounds as text, and whether they hold."""

    figures: str
    bounds: str
    holds: bool


@dataclass(frozen=True)
class Line:
    """A group beside its record."""

    group: str
    verdict: Verdict
    seconds: float = 0.0
    seconds_recorded: float = 0.0
    note: str = ""

    def __str__(self) -> str:
        ratio = "–"
        if self.seconds_recorded:
            ratio = f"{self.seconds / self.seconds_recorded:.2f}"
        return (
            f"{'pass' if self.verdict.holds else 'FAIL'}  {self.group:<42} "
            f"{self.verdict.figures:<34} {self.verdict.bounds:<34} "
            f"{self.seconds:7.1f} s {ratio:>6}  {self.note}"
        )


@dataclass(frozen=True)
class Gate:
    """A row: what it is about, what is searched, and what a group of it must keep."""

    name: str
    about: str
    run: Callable[[Path], Iterator[Found]]
    judge: Callable[[Group, Group], Verdict]


# what a group must keep


def not_fewer(found: Group, recorded: Group) -> Verdict:
    """At least as many are right, and all descriptions together are no longer."""
    most = MOST_LONGER * recorded.bits_total
    return Verdict(
        f"{found.right} of {found.asked}, {found.bits_total:,.1f} bits",
        f"≥ {recorded.right}, ≤ {most:,.1f} bits",
        found.right >= recorded.right and found.bits_total <= most,
    )


def not_fewer_or_shorter(found: Group, recorded: Group) -> Verdict:
    """The same, but fewer may be right where other sets make shorter descriptions."""
    verdict = not_fewer(found, recorded)
    is_shorter = found.bits_total <= recorded.bits_total
    return replace(verdict, holds=verdict.holds or is_shorter)


def all_right(found: Group, recorded: Group) -> Verdict:
    """All are as they should be."""
    figures = f"{found.right} of {found.asked}"
    return Verdict(figures, f"{recorded.asked}", found.right == recorded.asked)


def no_bits_lost(found: Group, recorded: Group) -> Verdict:
    """The set saves no fewer bits."""
    return Verdict(
        f"{found.bits_saved:,.1f} bits saved",
        f"≥ {recorded.bits_saved:,.1f}",
        found.bits_saved >= recorded.bits_saved - ROUNDING,
    )


def nearly_no_bits_lost(found: Group, recorded: Group) -> Verdict:
    """All are as they should be, and save nearly as much."""
    least = LEAST_OF_NOISY * recorded.bits_saved
    return Verdict(
        f"{found.right} of {found.asked}, {found.bits_saved:,.1f} bits saved",
        f"{recorded.asked}, ≥ {least:,.1f}",
        found.right == recorded.asked and found.bits_saved >= least,
    )


def compare(gate: Gate, found: Iterable[Found], recorded: Iterable[Found]) -> list[Line]:
    """Compare each group with its record, which must be of the same graphs.

    Groups of real graphs that were recorded may be left out, since their files may not be there.
    """
    groups = _by_group(found)
    records = _by_group(recorded)
    lines = [_line(gate, name, graphs, records.get(name, {})) for name, graphs in groups.items()]
    missing = [name for name in records if name not in groups]
    return lines + [Line(name, Verdict("not searched", "", True)) for name in missing]


def _by_group(every: Iterable[Found]) -> dict[str, dict[str, Found]]:
    """The graphs of each group, by name."""
    groups: dict[str, dict[str, Found]] = {}
    for graph in every:
        groups.setdefault(graph.group, {})[graph.name] = graph
    return groups


def _line(gate: Gate, name: str, graphs: dict[str, Found], records: dict[str, Found]) -> Line:
    if graphs.keys() != records.keys():
        return Line(name, Verdict("not the graphs of the record", "", False))
    found = Group([graphs[key] for key in graphs])
    recorded = Group([records[key] for key in graphs])
    note = ""
    if any(graph.motifs for graph in recorded.graphs):
        alike = sum(graphs[key].is_set_of(records[key]) for key in graphs)
        note = f"{alike} of {len(graphs)} sets as recorded"
    verdict = gate.judge(found, recorded)
    return Line(name, verdict, found.seconds, recorded.seconds, note)


# the rows of drawn graphs

# graphs of each row of the benchmark of motif sets
PLANTED = {
    "four of 4 to 8 nodes, × 10": 3,
    "four of 4 to 8 nodes, × 5": 3,
    "four of 7 to 9 nodes, × 10": 1,
    # one of each motif
    "one of seven × 25 embedded: first": 7,
    "two joined K4 × 25 embedded: first": 1,
}
LINKS = {
    "one of four directed × 12 or 25": 5,
    "all four directed × 25": 2,
    "the same graphs: listed first": 2,
    "two of three relations × 12": 3,
}
# graphs of each row without motifs, but for one whose graphs take half a minute each
SILENT = 3
SLOW = {"8 blocks, .3 and .01: blocks said": 1}
# collections of each kind
COLLECTIONS = 2
# base, hidden motifs, noise, graphs
DIFFER = (
    ("ER", 1, 0.1, 2),
    ("BA", 1, 0.1, 2),
    ("ER", 1, 0.2, 1),
    ("ER", 2, 0.05, 1),
    ("ER", 2, 0.1, 1),
    ("ER", 4, 0.1, 1),
    ("ER", 4, 0.2, 1),
)


def timed(graph: Any, *arguments: Any, **options: Any) -> tuple[MotifSet, float]:
    """A motif set, and the seconds of processor time that it took."""
    start = time.process_time()
    found = gomkcn.motif_set(graph, *arguments, **options)
    return found, time.process_time() - start


def planted(data: Path) -> Iterator[Found]:
    return drawn(motif_set.planted_rows(), PLANTED)


def links(data: Path) -> Iterator[Found]:
    return drawn(motif_set.links_rows(), LINKS)


def silent(data: Path) -> Iterator[Found]:
    rows = motif_set.nothing_rows(data)
    return drawn(rows, {row.name: SLOW.get(row.name, SILENT) for row in rows})


def drawn(rows: Iterable[motif_set.Row], numbers: Mapping[str, int]) -> Iterator[Found]:
    """The first graphs of some rows of the benchmark of motif sets."""
    first = motif_set.FIRST_SEED
    for row in rows:
        for seed in range(first, first + numbers.get(row.name, 0)):
            drawing = row.draw(seed)
            found, seconds = timed(drawing.graph, row.sizes, random_state=seed)
            is_right = row.passes(drawing, found)
            yield Found.of_set(row.name, str(seed), is_right, found, seconds)


def collections_of_graphs(data: Path) -> Iterator[Found]:
    """Random collections, which have no motif, and collections with a clique in each graph."""
    rows: dict[str, Callable[[int], collections.Outcome]] = {}
    for name, draw in collections.NOTHING.items():
        rows[name] = partial(_random_collection, draw)
    for name, flipped in collections.CLIQUES.items():
        rows[name] = partial(collections.clique, flipped)
    folder = tu_folder(data, "MUTAG")
    if folder is not None:
        molecules = gomkcn.read_graph(folder)
        rows["MUTAG rewired, types travelling"] = partial(_rewired, molecules, False)
        rows["MUTAG rewired, within types"] = partial(_rewired, molecules, True)
    first = collections.FIRST_SEED
    for name, search in rows.items():
        for seed in range(first, first + COLLECTIONS):
            outcome = search(seed)
            yield Found.of_set(name, str(seed), outcome.is_right, outcome.found, outcome.seconds)


def _random_collection(draw: collections.Draw, seed: int) -> collections.Outcome:
    return collections.nothing(collections.drawn(draw, seed), seed)


def _rewired(molecules: gomkcn.CSRGraph, within_types: bool, seed: int) -> collections.Outcome:
    return collections.nothing(collections.rewired(molecules, seed, within_types), seed)


def differ(data: Path) -> Iterator[Found]:
    """Motifs whose copies differ; a set is right where it has all of their drawings."""
    for base, number, noise, graphs in DIFFER:
        group = f"{base}, motifs {number}, noise {noise:g}"
        for seed in range(inexact.FIRST_SEED, inexact.FIRST_SEED + graphs):
            hidden = inexact.hide(seed, base, noise, number)
            found, seconds = timed(hidden.graph, inexact.SIZES)
            is_right = inexact.equal_drawings(hidden.motifs, found) == number
            yield Found.of_set(group, str(seed), is_right, found, seconds)


def noisy(data: Path) -> Iterator[Found]:
    """Two graphs with 30 copies of one motif, a tenth of whose edges is changed."""
    for name, edges in json.loads((RECORDS / "noisy_motifs.json").read_text("utf-8")).items():
        hidden = Structure.from_networkx(nx.Graph(edges))
        found, seconds = timed(gomkcn.read_graph(RECORDS / f"{name}.txt"))
        is_right = [pattern.structure.key for pattern in found] == [hidden.key]
        yield Found.of_set(name, "random_state 0", is_right, found, seconds)


# the rows of real graphs


@dataclass(frozen=True)
class RealGraph:
    """A real graph: what it is called, its file in the folder of the data, and how it is read."""

    name: str
    path: Callable[[Path], Path | None]
    options: Mapping[str, Any] = field(default_factory=dict)
    random_state: int = 0

    def run(self, data: Path) -> Iterator[Found]:
        """Its motif set; nothing where its file is not there."""
        path = self.path(data)
        if path is None or not path.exists():
            return
        graph = gomkcn.read_graph(path, **self.options)
        found, seconds = timed(graph, random_state=self.random_state)
        yield Found.of_set(self.name, f"random_state {self.random_state}", None, found, seconds)


def _of_grqc(random_state: int) -> RealGraph:
    return RealGraph(
        f"ca-GrQc, random_state {random_state}",
        lambda data: data / "snap" / "ca-GrQc.txt.gz",
        random_state=random_state,
    )


REAL = {
    "mutag": RealGraph("MUTAG", lambda data: tu_folder(data, "MUTAG")),
    "ecoli": RealGraph(
        "E. coli",
        lambda data: data / "directed" / "ecoli_regulation.csv",
        {"directed": False, "relation": "none"},
    ),
    "s420": RealGraph(
        "s420, directed", lambda data: data / "directed" / "s420.tsv", {"directed": True}
    ),
    "drugs": RealGraph("300 drugs", lambda data: HERE.parent / "docs" / "data" / "drugs.smi"),
    "ca-grqc-0": _of_grqc(0),
    "ca-grqc-1": _of_grqc(1),
    "ca-grqc-2": _of_grqc(2),
}


# the rows of checks


def lengths(data: Path) -> Iterator[Found]:
    """Lengths of given sets, beside those that are committed."""
    start = time.process_time()
    every = list(given_sets.committed_lengths())
    wrong = [
        f"{length.name}: {length.now:.9f} bits, {length.committed:.9f} are committed"
        for length in every
        if not abs(length.now - length.committed) <= EQUAL_LENGTH
    ]
    seconds = time.process_time() - start
    yield Found.of_checks("lengths of given sets", wrong, len(every), seconds)


def counts(data: Path) -> Iterator[Found]:
    """Counts of this package, beside slow ones."""
    numbers = Counter[str]()
    seconds: dict[str, float] = {}
    wrong: dict[str, list[str]] = {}
    start = time.process_time()
    for counted in gates_counts.every_count():
        kind = counted.kind
        end = time.process_time()
        numbers[kind] += 1
        seconds[kind] = seconds.get(kind, 0.0) + end - start
        start = end
        if counted.count != counted.expected:
            text = f"{counted.name}: {counted.count}, by the slow way {counted.expected}"
            wrong.setdefault(kind, []).append(text)
    for kind, number in numbers.items():
        yield Found.of_checks(kind, wrong.get(kind, ()), number, seconds[kind])


GATES = {
    gate.name: gate
    for gate in (
        Gate("lengths", "Lengths of given sets", lengths, all_right),
        Gate("counts", "Counts, by this package and by slow ways", counts, all_right),
        Gate("planted", "Planted motifs", planted, not_fewer),
        Gate("links", "The same with directions, categories and relations", links, not_fewer),
        Gate("silent", "Nothing was planted", silent, all_right),
        Gate("collections", "Collections of graphs", collections_of_graphs, not_fewer),
        Gate("noisy", "A tenth of the edges of copies is changed", noisy, nearly_no_bits_lost),
        Gate("differ", "Copies that differ", differ, not_fewer_or_shorter),
        *(Gate(name, graph.name, graph.run, no_bits_lost) for name, graph in REAL.items()),
    )
}
QUICK = ("lengths", "planted", "links", "noisy", "mutag")


# the command


def read_record(name: str) -> list[Found]:
    """What was recorded of a row; nothing where it was not."""
    path = RECORDS / f"{name}.json"
    if not path.is_file():
        return []
    return [Found.of_record(graph) for graph in json.loads(path.read_text("utf-8"))["found"]]


def write_record(name: str, found: list[Found]) -> None:
    record = {"commit": describe_provenance(0, 0.0)["commit"], "found": list(map(asdict, found))}
    path = RECORDS / f"{name}.json"
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def warm_up() -> None:
    """Load what is compiled, so that no row pays for it."""
    gomkcn.motif_set(nx.karate_club_graph())
    gomkcn.motif_set([nx.karate_club_graph()] * 4)


@click.command(help=__doc__)
@click.argument("names", nargs=-1, type=click.Choice(list(GATES)))
@click.option("--quick", is_flag=True, help="The rows that take least.")
@click.option("--record", is_flag=True, help="Write the records of the rows anew.")
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    default=DATA,
    help="Folder of the real graphs; a row whose graph is not there is skipped.",
)
def main(names: tuple[str, ...], quick: bool, record: bool, data: Path) -> None:
    use_threads(1)
    warm_up()
    failed = []
    for name in names or (QUICK if quick else GATES):
        gate = GATES[name]
        click.echo(f"== {gate.name}: {gate.about}")
        found = list(gate.run(data))
        if not found:
            click.echo("skip  the graph is not in the folder of the data")
            continue
        if record:
            write_record(gate.name, found)
        for line in compare(gate, found, read_record(gate.name)):
            click.echo(str(line))
            if line.verdict.holds:
                continue
            failed.append(line.group)
            wrong = [text for graph in found if graph.group == line.group for text in graph.wrong]
            for text in wrong:
                click.echo(f"      not right: {text}")
    click.echo(f"{len(failed)} failed: {'; '.join(failed)}" if failed else "all hold")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
