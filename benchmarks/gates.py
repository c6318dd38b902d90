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
# a row of several graphs may have so much longer descriptions, in all: other choices among sets
# that are equally good
MOST_LONGER = 1.001
# of copies that differ one or two more or fewer may be reported, which changes the bits by so much
LEAST_OF_NOISY = 0.97
# bits of one set are equal up to the sums' rounding
ROUNDING = 0.01
# a committed length is equal if it differs by less
EQUAL_LENGTH = 1e-6
# nodes of a motif in a random collection
COLLECTION_SIZES = (2, collections.LARGEST)

Record = dict[str, Any]


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
    motifs : list of dict
        Structure as text, number of copies and bits of each.
    seconds : float
        Of processor time.
    wrong : list of str
        What is not as it should be.
    """

    group: str
    name: str
    asked: int
    right: int
    bits_base: float = 0.0
    bits_total: float = 0.0
    motifs: list[Record] = field(default_factory=list)
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)

    @classmethod
    def of_set(
        cls, group: str, name: str, is_right: bool | None, found: MotifSet, seconds: float
    ) -> Found:
        """A motif set; ``is_right`` is None where nothing is asked of it but its bits."""
        motifs = [
            {
                "structure": one.structure.to_text(),
                "copies": one.motif.num_copies,
                "bits": round(one.motif.bits, 3),
            }
            for one in found
            if one.motif is not None
        ]
        return cls(
            group,
            name,
            asked=int(is_right is not None),
            right=int(is_right is True),
            bits_base=round(found.bits_base, 4),
            bits_total=round(found.bits_total, 4),
            motifs=motifs,
            seconds=round(seconds, 2),
            wrong=[f"{name}: {found!r}"] if is_right is False else [],
        )

    @classmethod
    def of_checks(cls, group: str, wrong: Sequence[str], number: int, seconds: float) -> Found:
        """So many things that are right or wrong."""
        right = number - len(wrong)
        return cls(group, "all", number, right, seconds=round(seconds, 2), wrong=list(wrong))

    @property
    def bits_saved(self) -> float:
        return self.bits_base - self.bits_total

    @property
    def keys(self) -> list[tuple[bytes, int]]:
        """Structures with their numbers of copies, to compare sets."""
        motifs = ((Structure.parse(one["structure"]).key, one["copies"]) for one in self.motifs)
        return sorted(motifs)


@dataclass(frozen=True)
class Line:
    """One comparison: what it is of, the figures, their bounds, and whether they hold."""

    group: str
    figures: str
    bounds: str
    holds: bool
    seconds: float = 0.0
    seconds_recorded: float = 0.0
    note: str = ""

    def __str__(self) -> str:
        verdict = "pass" if self.holds else "FAIL"
        ratio = "–"
        if self.seconds_recorded:
            ratio = f"{self.seconds / self.seconds_recorded:.2f}"
        return (
            f"{verdict}  {self.group:<42} {self.figures:<34} {self.bounds:<34} "
            f"{self.seconds:7.1f} s {ratio:>6}  {self.note}"
        )


Compare = Callable[[list[Found], list[Found]], Line]


@dataclass(frozen=True)
class Gate:
    """A row: how its graphs are searched, and how a group of them is compared."""

    name: str
    about: str
    run: Callable[[Path], Iterator[Found]]
    compare: Compare
    is_quick: bool = False


# how a group is compared


def not_fewer(now: list[Found], recorded: list[Found]) -> Line:
    """At least as many are right, and all descriptions together are no longer."""
    right, right_then = _right(now), _right(recorded)
    bits, bits_then = (sum(one.bits_total for one in side) for side in (now, recorded))
    most = MOST_LONGER * bits_then
    return _line(
        now,
        recorded,
        f"{right} of {_asked(now)}, {bits:,.1f} bits",
        f"≥ {right_then}, ≤ {most:,.1f} bits",
        right >= right_then and bits <= most,
    )


def not_fewer_or_shorter(now: list[Found], recorded: list[Found]) -> Line:
    """The same, but fewer may be right where other sets make shorter descriptions."""
    line = not_fewer(now, recorded)
    bits, bits_then = (sum(one.bits_total for one in side) for side in (now, recorded))
    return replace(line, holds=line.holds or bits <= bits_then)


def all_right(now: list[Found], recorded: list[Found]) -> Line:
    """Each is as it should be."""
    right, asked = _right(now), _asked(recorded)
    return _line(now, recorded, f"{right} of {_asked(now)}", f"{asked}", right == asked)


def no_bits_lost(now: list[Found], recorded: list[Found]) -> Line:
    """The set saves no fewer bits."""
    saved, least = _saved(now), _saved(recorded)
    return _line(
        now, recorded, f"{saved:,.1f} bits saved", f"≥ {least:,.1f}", saved >= least - ROUNDING
    )


def nearly_no_bits_lost(now: list[Found], recorded: list[Found]) -> Line:
    """Each is as it should be, and saves nearly as much."""
    right, asked = _right(now), _asked(recorded)
    saved, least = _saved(now), LEAST_OF_NOISY * _saved(recorded)
    return _line(
        now,
        recorded,
        f"{right} of {_asked(now)}, {saved:,.1f} bits saved",
        f"{asked}, ≥ {least:,.1f}",
        right == asked and saved >= least,
    )


def _right(side: list[Found]) -> int:
    return sum(one.right for one in side)


def _asked(side: list[Found]) -> int:
    return sum(one.asked for one in side)


def _saved(side: list[Found]) -> float:
    return sum(one.bits_saved for one in side)


def _line(now: list[Found], recorded: list[Found], figures: str, bounds: str, holds: bool) -> Line:
    note = ""
    if any(one.motifs for one in recorded):
        alike = sum(one.keys == then.keys for one, then in zip(now, recorded, strict=True))
        note = f"{alike} of {len(now)} sets as recorded"
    return Line(
        now[0].group,
        figures,
        bounds,
        holds,
        sum(one.seconds for one in now),
        sum(one.seconds for one in recorded),
        note,
    )


def compare(gate: Gate, now: Iterable[Found], recorded: Iterable[Found]) -> list[Line]:
    """Compare each group with the record of the same; one that was not recorded fails."""
    known = {(one.group, one.name): one for one in recorded}
    groups: dict[str, list[Found]] = {}
    for one in now:
        groups.setdefault(one.group, []).append(one)
    lines = []
    for name, found in groups.items():
        then = [known[name, one.name] for one in found if (name, one.name) in known]
        if len(then) < len(found):
            lines.append(Line(name, "not in the record", "", False))
        else:
            lines.append(gate.compare(found, then))
    return lines


# the rows


def timed(search: Callable[[], MotifSet]) -> tuple[MotifSet, float]:
    """A set, and the seconds of processor time that it took."""
    start = time.process_time()
    found = search()
    return found, time.process_time() - start


def drawn(rows: Iterable[motif_set.Row], graphs: Mapping[str, int]) -> Iterator[Found]:
    """The first graphs of some rows of the benchmark of motif sets."""
    for row in rows:
        for seed in range(motif_set.FIRST_SEED, motif_set.FIRST_SEED + graphs.get(row.name, 0)):
            graph = row.draw(seed)
            found, seconds = timed(
                partial(gomkcn.motif_set, graph.graph, row.sizes, random_state=seed)
            )
            yield Found.of_set(row.name, str(seed), row.passes(graph, found), found, seconds)


PLANTED = {
    "four of 4 to 8 nodes, × 10": 3,
    "four of 4 to 8 nodes, × 5": 3,
    "four of 7 to 9 nodes, × 10": 1,
    "one of seven × 25 embedded: first": 7,
    "two joined K4 × 25 embedded: first": 1,
}
LINKS = {
    "one of four directed × 12 or 25": 5,
    "all four directed × 25": 2,
    "the same graphs: listed first": 2,
    "two of three relations × 12": 3,
}


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


def planted(data: Path) -> Iterator[Found]:
    return drawn(motif_set.planted_rows(), PLANTED)


def links(data: Path) -> Iterator[Found]:
    return drawn(motif_set.links_rows(), LINKS)


def silent(data: Path) -> Iterator[Found]:
    rows = motif_set.nothing_rows(data)
    several = {row.name: 3 for row in rows}
    # half a minute each
    several[rows[-1].name] = 1
    return drawn(rows, several)


def collections_of_graphs(data: Path) -> Iterator[Found]:
    """Random collections, which have no motif, and collections with a clique each."""
    first = collections.FIRST_SEED
    for name, draw in collections.NOTHING.items():
        for seed in range(first, first + 2):
            yield _of_outcome(name, seed, collections.nothing(collections.drawn(draw, seed), seed))
    for name, flipped in collections.CLIQUES.items():
        for seed in range(first, first + 2):
            yield _of_outcome(name, seed, collections.clique(flipped, seed))
    if (folder := tu_folder(data, "MUTAG")) is not None:
        molecules = gomkcn.read_graph(folder)
        for within_types in (False, True):
            name = "MUTAG rewired, " + ("within types" if within_types else "types travelling")
            for seed in range(first, first + 2):
                mixed = collections.rewired(molecules, seed, within_types)
                yield _of_outcome(name, seed, collections.nothing(mixed, seed))


def _of_outcome(name: str, seed: int, outcome: collections.Outcome) -> Found:
    return Found.of_set(name, str(seed), outcome.is_right, outcome.found, outcome.seconds)


def real(
    name: str, path: Callable[[Path], Path | None], seed: int, options: Record, data: Path
) -> Iterator[Found]:
    """A real graph from one seed; nothing where its file is not there."""
    file = path(data)
    if file is None or not file.exists():
        return
    graph = gomkcn.read_graph(file, **options)
    found, seconds = timed(partial(gomkcn.motif_set, graph, random_state=seed))
    yield Found.of_set(name, f"random_state {seed}", None, found, seconds)


def differ(data: Path) -> Iterator[Found]:
    """Motifs whose copies differ; a set is right where it has all of their drawings."""
    for base, number, noise, graphs in DIFFER:
        group = f"{base}, motifs {number}, noise {noise:g}"
        for seed in range(inexact.FIRST_SEED, inexact.FIRST_SEED + graphs):
            hidden = inexact.hide(seed, base, noise, number)
            found, seconds = timed(partial(gomkcn.motif_set, hidden.graph, inexact.SIZES))
            is_right = inexact.equal_drawings(hidden.motifs, found) == number
            yield Found.of_set(group, str(seed), is_right, found, seconds)


def noisy(data: Path) -> Iterator[Found]:
    """Two graphs with 30 copies of one motif, a tenth of whose edges is changed."""
    for name, edges in json.loads((RECORDS / "noisy_motifs.json").read_text()).items():
        motif = Structure.from_networkx(nx.Graph(edges))
        graph = gomkcn.read_graph(RECORDS / f"{name}.txt")
        found, seconds = timed(partial(gomkcn.motif_set, graph))
        is_right = [one.structure.key for one in found] == [motif.key]
        yield Found.of_set(name, "random_state 0", is_right, found, seconds)


def lengths(data: Path) -> Iterator[Found]:
    """Lengths of given sets, beside those that are committed."""
    start = time.process_time()
    every = list(given_sets.committed_lengths())
    wrong = [
        f"{one.name}: {one.now:.9f} bits, {one.committed:.9f} are committed"
        for one in every
        if not abs(one.now - one.committed) <= EQUAL_LENGTH
    ]
    seconds = time.process_time() - start
    yield Found.of_checks("lengths of given sets", wrong, len(every), seconds)


def counts(data: Path) -> Iterator[Found]:
    """Counts of this package, beside slow ones."""
    numbers = Counter[str]()
    seconds: dict[str, float] = {}
    wrong: dict[str, list[str]] = {}
    start = time.process_time()
    for one in gates_counts.every_count():
        end = time.process_time()
        numbers[one.kind] += 1
        seconds[one.kind] = seconds.get(one.kind, 0.0) + end - start
        start = end
        if one.count != one.expected:
            text = f"{one.name}: {one.count}, by the slow way {one.expected}"
            wrong.setdefault(one.kind, []).append(text)
    for kind, number in numbers.items():
        yield Found.of_checks(kind, wrong.get(kind, ()), number, seconds[kind])


def _regulation(data: Path) -> Path:
    return data / "directed" / "ecoli_regulation.csv"


ONE_RELATION = {"relation": "none"}
REAL: dict[str, tuple[str, Callable[[Path], Path | None], int, Record]] = {
    "mutag": ("MUTAG", lambda data: tu_folder(data, "MUTAG"), 0, {}),
    "ecoli": ("E. coli", _regulation, 0, {"directed": False, **ONE_RELATION}),
    "s420": ("s420, directed", lambda data: data / "directed" / "s420.tsv", 0, {"directed": True}),
    "drugs": ("300 drugs", lambda data: HERE.parent / "docs" / "data" / "drugs.smi", 0, {}),
    **{
        f"ca-grqc-{seed}": (
            f"ca-GrQc, random_state {seed}",
            lambda data: data / "snap" / "ca-GrQc.txt.gz",
            seed,
            {},
        )
        for seed in range(3)
    },
}
GATES = {
    gate.name: gate
    for gate in (
        Gate("lengths", "Lengths of given sets.", lengths, all_right, True),
        Gate("counts", "Counts, by this package and by slow ones.", counts, all_right),
        Gate("planted", "Planted motifs.", planted, not_fewer, True),
        Gate("links", "Directions, categories and relations.", links, not_fewer, True),
        Gate("silent", "Nothing was planted.", silent, all_right),
        Gate("collections", "Collections of graphs.", collections_of_graphs, not_fewer),
        Gate("noisy", "A tenth of the edges changed.", noisy, nearly_no_bits_lost, True),
        Gate("differ", "Copies that differ.", differ, not_fewer_or_shorter),
        *(
            Gate(
                name, f"{kind[0]}: bits saved.", partial(real, *kind), no_bits_lost, name == "mutag"
            )
            for name, kind in REAL.items()
        ),
    )
}


# the command


def read_record(name: str) -> list[Found]:
    """What was recorded of a row; nothing where it was not."""
    path = RECORDS / f"{name}.json"
    if not path.is_file():
        return []
    return [Found(**one) for one in json.loads(path.read_text("utf-8"))["found"]]


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
    chosen = [GATES[name] for name in names] or [
        gate for gate in GATES.values() if gate.is_quick or not quick
    ]
    use_threads(1)
    warm_up()
    failed = []
    for gate in chosen:
        click.echo(f"== {gate.name}: {gate.about}")
        found = list(gate.run(data))
        if not found:
            click.echo("skip  the graph is not in the folder of the data")
            continue
        if record:
            write_record(gate.name, found)
        for line in compare(gate, found, read_record(gate.name)):
            click.echo(str(line))
            if line.holds:
                continue
            failed.append(line.group)
            for text in [text for one in found if one.group == line.group for text in one.wrong]:
                click.echo(f"      not right: {text}")
    click.echo(f"{len(failed)} failed{': ' * bool(failed)}{'; '.join(failed)}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
