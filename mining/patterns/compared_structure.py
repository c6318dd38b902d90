"""A structure in two runs, and the columns of the table that compares them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from gomkcn.mining.structures.number_text import expected, signed, three_digits
from gomkcn.mining.structures.pattern import LESS, LEVEL, MORE, NullComparison, OccurrenceCount
from gomkcn.mining.structures.pattern_columns import count_text
from gomkcn.mining.structures.table_column import SHOWN, Below, Medium, TableColumn, Text
from gomkcn_dgl.graphs.shapes import count, counted_size
from gomkcn_dgl.graphs.standard_names import standard_names
from gomkcn_dgl.graphs.structure import Structure

_FILE = Medium.FILE
# a smaller p is not known that well: the normal distribution is far out in its tail
_SMALLEST_P = 0.001
# percent below which a share has an exponent
_SMALL_PERCENT = 0.0001
_SIGNS = {1: "▲ ", -1: "▼ "}
# the runs, as the fields of what is compared are named
BOTH = ("first", "second")
# a share is off by less
_ROUNDING = 1e-12
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
    share, share_error : float
        Its share of all structures of its family in the graph, and the standard error of that; NaN
        where not known.
    per_node, per_edge : float
        Its count, divided by the number of nodes, or of edges.
    """

    count: OccurrenceCount
    result: NullComparison | None = None
    copies: int | None = None
    entry: float = math.nan
    share: float = math.nan
    share_error: float = math.nan
    per_node: float = math.nan
    per_edge: float = math.nan

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
    """A structure with what each of two runs has of it; None where one did not count it.

    ``p_difference`` is the p of the difference of its shares, corrected for all structures; NaN
    where there is no error. ``number`` is its place in the table that has all structures, from 0.
    """

    name: str
    structure: Structure
    first: Side | None
    second: Side | None
    p_difference: float = math.nan
    number: int = -1

    @property
    def has_name(self) -> bool:
        """Whether people know a name for its shape."""
        return not counted_size(self.name)

    @property
    def label(self) -> str:
        """What it is called beside its drawing, no two alike.

        Its name; for want of one its number in mfinder, and with kinds "structure 57" by its place.
        """
        if self.has_name:
            return self.name
        standard = str(standard_names(self.structure))
        is_alone = self.structure.alone is self.structure
        return standard if standard and is_alone else f"structure {self.number}"

    @property
    def label_and_edges(self) -> str:
        """The label, and the edges of what has no name, where there is no drawing.

        An edge is a word, so that no line ends within it.
        """
        return self.label if self.has_name else f"{self.label} ({self.structure.to_text()})"

    @property
    def difference(self) -> float:
        """The share in the second graph less that in the first; NaN where one is not known."""
        if self.first is None or self.second is None:
            return math.nan
        return self.second.share - self.first.share

    @property
    def difference_error(self) -> float:
        """The standard error of the difference: both graphs are samples of their own."""
        if self.first is None or self.second is None:
            return math.nan
        return math.hypot(self.first.share_error, self.second.share_error)

    @property
    def difference_z(self) -> float:
        """The difference, divided by its error; NaN where there is none, or one of 0."""
        error = self.difference_error
        return self.difference / error if error > 0 else math.nan

    @property
    def ratio(self) -> float:
        """The share in the second graph, divided by that in the first; NaN where that is 0."""
        if self.first is None or self.second is None or not self.first.share:
            return math.nan
        return self.second.share / self.first.share

    @property
    def sureness(self) -> float:
        """How many errors the difference is; -1 where nothing is known of it."""
        if math.isnan(self.difference_error):
            return -1.0
        z = self.difference_z
        if math.isnan(z):
            # where the counts at all nodes are alike, the error is 0
            return math.inf if abs(self.difference) > _ROUNDING else 0.0
        return abs(z)

    @property
    def is_measured(self) -> bool:
        """Whether its share is known in both graphs."""
        return not math.isnan(self.difference)

    @property
    def is_sure(self) -> bool:
        """Whether the test of the difference calls it."""
        return self.p_difference <= LEVEL

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


def share_text(share: float) -> str:
    """A share in percent, with three digits of a small one as well.

    >>> share_text(0.1234567), share_text(0.0000123456), share_text(0.0)
    ('12.3%', '0.00123%', '0%')
    """
    percent = 100 * share
    if percent == 0 or abs(percent) >= _SMALL_PERCENT:
        return f"{percent:.3g}%".replace("-", "−")
    return f"{percent:.2e}%".replace("-", "−").replace("e−0", "e−")


def _difference_text(row: ComparedStructure) -> Text:
    """The difference and its error, in points of percent."""
    if math.isnan(row.difference):
        return None
    sign = "+" if row.difference > 0 else ""
    text = f"{sign}{share_text(row.difference)}"
    return (
        text if math.isnan(row.difference_error) else f"{text} ± {share_text(row.difference_error)}"
    )


def _small_p(p: float) -> str:
    return "<0.001" if p < _SMALLEST_P else f"{p:.3f}"


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


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
        "share_{}",
        "Share",
        "count, divided by that of all structures of its size",
        lambda side: _known(side.share),
        lambda side: None if math.isnan(side.share) else share_text(side.share),
        media=_FILE,
    ),
    TableColumn(
        "share_error_{}",
        "Error of share",
        "standard error of the share, by the jackknife over nodes, or over the graphs of a "
        "collection",
        lambda side: _known(side.share_error),
        media=_FILE,
    ),
    TableColumn(
        "per_node_{}",
        "Per node",
        "count, divided by the number of nodes",
        lambda side: _known(side.per_node),
        lambda side: None if math.isnan(side.per_node) else three_digits(side.per_node),
        media=_FILE,
    ),
    TableColumn(
        "per_edge_{}",
        "Per edge",
        "count, divided by the number of edges",
        lambda side: _known(side.per_edge),
        media=_FILE,
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
        lambda row: row.label_and_edges,
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


# of the difference between the graphs
DIFFERENCE_COLUMNS: tuple[TableColumn[ComparedStructure], ...] = (
    TableColumn(
        "ratio",
        "Ratio",
        "share in the second graph, divided by that in the first",
        lambda row: _known(row.ratio),
        lambda row: None if math.isnan(row.ratio) else f"{three_digits(row.ratio)}×",
        is_optional=True,
        below=Below("difference", media=Medium.PAGE, only_narrow=True),
    ),
    TableColumn(
        "difference",
        "Difference\n± error",
        "share in the second graph less that in the first",
        lambda row: _known(row.difference),
        _difference_text,
    ),
    TableColumn(
        "difference_error",
        "Error of difference",
        "standard error of the difference: the root of the sum of the squares of both errors",
        lambda row: _known(row.difference_error),
        media=_FILE,
    ),
    TableColumn(
        "difference_z",
        "Difference\n/ error",
        "difference, divided by its error; none for an error of 0",
        lambda row: _known(row.difference_z),
        lambda row: None if math.isnan(row.difference_z) else signed(row.difference_z),
        is_optional=True,
    ),
    TableColumn(
        "p_difference",
        "p of\ndifference",
        "adjusted p of a difference as large (normal), corrected for all structures (Holm)",
        lambda row: _known(row.p_difference),
        lambda row: None if math.isnan(row.p_difference) else _small_p(row.p_difference),
        is_optional=True,
    ),
)


def comparison_columns() -> tuple[TableColumn[ComparedStructure], ...]:
    """The columns of the structure, of the difference, and those of each run."""
    sides = (column for which in BOTH for column in side_columns(which))
    differences = (replace(column, media=_FILE) for column in DIFFERENCE_COLUMNS)
    return (*COMPARED_COLUMNS, *differences, *sides)


def difference_columns() -> tuple[TableColumn[ComparedStructure], ...]:
    """The columns of the table of differences: name, how far shares differ, shares and counts."""
    shown = []
    for key in ("share", "count", "per_node"):
        for which in BOTH:
            (column,) = (c for c in side_columns(which) if c.key == f"{key}_{which}")
            shown.append(replace(column, title=f"{column.title},\n{which}", media=SHOWN))
    return (COMPARED_COLUMNS[0], *DIFFERENCE_COLUMNS, *shown)


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
