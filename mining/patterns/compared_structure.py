"""A structure in two runs, and the columns of the table that compares them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from gomkcn.mining.structures.number_text import expected, signed
from gomkcn.mining.structures.pattern import LESS, MORE, NullComparison, OccurrenceCount
from gomkcn.mining.structures.pattern_columns import count_text
from gomkcn.mining.structures.table_column import SHOWN, Medium, TableColumn, Text
from gomkcn_dgl.graphs.shapes import count
from gomkcn_dgl.graphs.structure import Structure

_FILE = Medium.FILE
_SIGNS = {1: "▲ ", -1: "▼ "}
# the runs, as the fields of what is compared are named
BOTH = ("first", "second")
# what the test says of a structure: more, fewer, neither; None where a run does not compare it
Sign = int | None


class Family(NamedTuple):
    """Structures that are corrected together, and have a profile together."""

    num_nodes: int
    has_kinds: bool
    is_directed: bool

    @property
    def name(self) -> str:
        """Such as "3 nodes, directed, with kinds"."""
        words = [count(self.num_nodes, "node")]
        words += ["directed"] if self.is_directed else []
        words += ["with kinds"] if self.has_kinds else []
        return ", ".join(words)

    @classmethod
    def of(cls, structure: Structure) -> Family:
        """The family of a structure."""
        has_kinds = structure.alone is not structure
        return cls(structure.num_nodes, has_kinds, structure.relations.is_directed)


@dataclass(frozen=True)
class Side:
    """A structure in one of two runs.

    Attributes
    ----------
    count : OccurrenceCount
        Its occurrences; 0 where neither the graph nor any of its random graphs has it.
    result : NullComparison or None
        The comparison with random graphs; None where it was not made.
    copies : int or None
        Its copies in the motif set of the run.
    entry : float
        That of the profile: z, divided by the length of all z of its family; NaN without z.
    """

    count: OccurrenceCount
    result: NullComparison | None = None
    copies: int | None = None
    entry: float = math.nan

    @property
    def z(self) -> float:
        """That of the comparison; NaN without one, or where all random graphs have as many."""
        if self.result is None or self.result.z is None:
            return math.nan
        return self.result.z

    @property
    def is_held(self) -> bool:
        """Whether the graph or a random graph has it."""
        return self.count.high > 0 or (self.result is not None and self.result.mean > 0)

    @property
    def sign(self) -> Sign:
        """1 where the structure is called more frequent, -1 where less, else 0."""
        if self.result is None:
            return None
        return {MORE: 1, LESS: -1}.get(self.result.verdict, 0)


@dataclass(frozen=True, eq=False)
class ComparedStructure:
    """A structure with what each of two runs has of it; None where one did not count it."""

    name: str
    structure: Structure
    first: Side | None
    second: Side | None

    @property
    def signs(self) -> tuple[Sign, Sign]:
        """What the tests of both runs say."""
        first, second = (None if side is None else side.sign for side in (self.first, self.second))
        return first, second

    @property
    def is_held(self) -> bool:
        """Whether a graph or a random graph has it."""
        return any(side is not None and side.is_held for side in (self.first, self.second))

    @property
    def is_called(self) -> bool:
        """Whether the test of a run says more or fewer."""
        return any(self.signs)


def _result(name: str) -> Callable[[Side], Any]:
    """A value of the comparison with random graphs; None where it was not made."""
    return lambda side: getattr(side.result, name, None)


def _expected_text(side: Side) -> Text:
    if side.result is None:
        return None
    mean, sd = expected(side.result.mean, side.result.sd)
    return f"{mean} ± {sd}"


def _z_text(side: Side) -> Text:
    """z, and the result of the test; nothing where all random graphs have the same count."""
    if side.result is None or side.result.z is None:
        return None
    return _SIGNS.get(side.sign or 0, "") + signed(side.result.z)


def _p_text(side: Side) -> Text:
    return None if side.result is None else f"{side.result.p_adjusted:.3f}"


def _entry(side: Side) -> float | None:
    return None if math.isnan(side.entry) else side.entry


def _entry_text(side: Side) -> Text:
    return None if math.isnan(side.entry) else f"{side.entry:+.2f}".replace("-", "−")


# of a structure in each of the two runs, such as `count_first`
SIDE_COLUMNS: tuple[TableColumn[Side], ...] = (
    TableColumn(
        "count_{}",
        "Count",
        "occurrences in the graph of the run",
        lambda side: side.count.value,
        lambda side: count_text(side.count, "count"),
    ),
    TableColumn(
        "expected_{}",
        "Expected",
        "mean ± standard deviation in random graphs",
        lambda side: None,
        _expected_text,
        media=SHOWN,
        is_optional=True,
    ),
    TableColumn(
        "mean_{}",
        "Mean",
        "mean of the counts in the random graphs",
        _result("mean"),
        media=_FILE,
    ),
    TableColumn(
        "sd_{}",
        "SD",
        "standard deviation of the counts in the random graphs",
        _result("sd"),
        media=_FILE,
    ),
    TableColumn(
        "z_{}",
        "z",
        "distance of the count from this mean, in standard deviations; ▲ over-represented, "
        "▼ under-represented",
        _result("z"),
        _z_text,
        is_optional=True,
    ),
    TableColumn(
        "p_adjusted_{}",
        "Adjusted\np",
        "p of its family and all families",
        _result("p_adjusted"),
        _p_text,
        is_optional=True,
    ),
    TableColumn(
        "verdict_{}",
        "Result",
        "`more frequent`, `less frequent`, `not shown to differ`",
        _result("verdict"),
        media=_FILE,
    ),
    TableColumn(
        "has_z_{}",
        "Has z",
        "whether there is z; there is none where all random graphs have the same count",
        lambda side: None if side.result is None else side.result.z is not None,
        media=_FILE,
    ),
    TableColumn(
        "profile_{}",
        "Profile",
        "z, divided by the length of all z of the structures of its size",
        _entry,
        _entry_text,
        is_optional=True,
    ),
    TableColumn(
        "copies_{}",
        "Copies",
        "copies in the motif set of the run",
        lambda side: side.copies,
        media=_FILE,
    ),
)
# of the structure itself
COMPARED_COLUMNS: tuple[TableColumn[ComparedStructure], ...] = (
    TableColumn(
        "structure",
        "Structure",
        "its name, no two alike",
        lambda row: row.name,
        is_left=True,
        is_name=True,
    ),
    TableColumn(
        "edges",
        "Edges",
        "edges by the letters of the drawing, as `gomkcn count` takes them",
        lambda row: row.structure.to_text(),
        media=_FILE,
    ),
    TableColumn(
        "num_nodes",
        "Nodes",
        "number of nodes",
        lambda row: row.structure.num_nodes,
        media=_FILE,
    ),
)


def comparison_columns() -> tuple[TableColumn[ComparedStructure], ...]:
    """The columns of the structure, and those of each run."""
    return (*COMPARED_COLUMNS, *(column for which in BOTH for column in side_columns(which)))


def side_columns(which: str) -> list[TableColumn[ComparedStructure]]:
    """The columns of the "first" or the "second" run."""

    def side_of(row: ComparedStructure) -> Side | None:
        side: Side | None = getattr(row, which)
        return side

    return [column.part_of(column.key.format(which), side_of) for column in SIDE_COLUMNS]


def copies_columns() -> tuple[TableColumn[ComparedStructure], ...]:
    """The columns of a table of motifs: their copies in each run."""
    shown = []
    for which in BOTH:
        (copies,) = (c for c in side_columns(which) if c.key == f"copies_{which}")
        shown.append(replace(copies, title=f"{copies.title},\n{which}", media=SHOWN))
    return (COMPARED_COLUMNS[0], *shown)
