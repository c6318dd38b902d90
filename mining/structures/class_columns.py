"""Structures that differ between the classes of graphs, and the columns of their table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from gomkcn.mining.structures.fragments import describe_fragment, to_smarts
from gomkcn.mining.structures.number_text import percent
from gomkcn.mining.structures.pattern import (
    ClassContrast,
    ClassDifference,
    Pattern,
    differing_groups,
    odds,
)
from gomkcn.mining.structures.table_column import Below, Medium, Number, TableColumn, Text

_FILE = Medium.FILE


class DifferingRow(NamedTuple):
    """A structure that differs between classes, and how it follows from the leading one.

    ``tie`` is empty for what leads a ``group``.
    """

    group: int
    pattern: Pattern
    tie: str

    @property
    def classes(self) -> ClassDifference:
        """How its classes differ."""
        assert self.pattern.classes is not None, "what differs was compared"
        return self.pattern.classes

    @property
    def strongest(self) -> ClassContrast:
        """The class that it separates most surely from the others."""
        return self.classes.strongest

    @property
    def name(self) -> str:
        """The name of the structure, that of a fragment of molecules with SMILES or SMARTS."""
        return describe_fragment(self.pattern.structure) or self.pattern.name

    @property
    def in_rings(self) -> str:
        """The whole rings of a fragment that cuts some, and how many of its molecules have them."""
        rings = self.classes.rings
        if rings is None:
            return ""
        return f"in {rings.smiles}, {rings.graphs} of {rings.num_graphs}"


def differing(patterns: Iterable[Pattern]) -> list[list[DifferingRow]]:
    """The structures that differ between the classes of the graphs, by groups, the surest first.

    The first of a group leads it, and the others follow from it.
    """
    return [
        [
            DifferingRow(number, leader, ""),
            *(DifferingRow(number, pattern, _tie(pattern, leader)) for pattern in others),
        ]
        for number, (leader, *others) in enumerate(differing_groups(patterns))
    ]


def _tie(pattern: Pattern, leader: Pattern) -> str:
    """How a structure follows from the leading one of its group."""
    if pattern.structure.is_part_of(leader.structure):
        return "part of it"
    if leader.structure.is_part_of(pattern.structure):
        return "contains it"
    assert pattern.classes is not None and pattern.classes.follows is not None, "it does not lead"
    best = pattern.classes.strongest
    total = best.containing + best.others_containing
    shared = pattern.classes.follows.shared
    if shared in (0, total):
        return f"{'only' if shared else 'never'} with it in {total}"
    return f"with it in {shared} of {total}"


def _path(row: DifferingRow) -> tuple[str | int, ...]:
    """The place of the strongest class in the record of a structure."""
    return "classes", "contrasts", row.classes.contrasts.index(row.strongest)


def _share_text(part: str, whole: str) -> Callable[[DifferingRow], Text]:
    """The text of so many graphs of so many."""

    def text(row: DifferingRow) -> Text:
        best = row.strongest
        return (
            Number(str(getattr(best, part)), (*_path(row), part)),
            " of ",
            Number(str(getattr(best, whole)), (*_path(row), whole)),
        )

    return text


def _odds_text(name: str) -> Callable[[DifferingRow], Text]:
    """The text of an odds ratio or an end of its interval; nothing where there is none."""

    def text(row: DifferingRow) -> Text:
        ratio = getattr(row.strongest, name)
        return None if ratio is None else Number(odds(ratio), (*_path(row), name))

    return text


def _interval_text(row: DifferingRow) -> Text:
    low, high = _odds_text("low")(row), _odds_text("high")(row)
    if not isinstance(low, Number) or not isinstance(high, Number):
        return None
    return low, " to ", high


def _of_following(value: Callable[[Any], Any]) -> Callable[[DifferingRow], Any]:
    """A value of how a structure follows; None of one that leads."""
    return lambda row: None if row.classes.follows is None else value(row.classes.follows)


CLASS_COLUMNS: tuple[TableColumn[DifferingRow], ...] = (
    TableColumn(
        "group",
        "Group",
        "number of the structure that leads, from 0, the surest first",
        lambda row: row.group,
        media=_FILE,
    ),
    TableColumn(
        "tie",
        "Tie",
        "how it follows from the one that leads: part of it, contains it, or in how many graphs "
        "they are together; empty for what leads",
        lambda row: row.tie,
        media=_FILE,
    ),
    TableColumn(
        "structure",
        "Structure",
        "its name",
        lambda row: row.name,
        lambda row: f"– {row.tie}: {row.name}" if row.tie else row.name,
        is_left=True,
        is_name=True,
    ),
    TableColumn(
        "rings",
        "Whole rings",
        "of a fragment that cuts an aromatic ring: the fragment with the whole rings, and in how "
        "many of its molecules they are these",
        lambda row: row.in_rings or None,
        is_left=True,
        is_optional=True,
        below=Below("structure"),
    ),
    TableColumn(
        "smarts",
        "SMARTS",
        "of a fragment of molecules",
        lambda row: to_smarts(row.pattern.structure),
        media=_FILE,
        is_optional=True,
    ),
    TableColumn(
        "edges",
        "Edges",
        "edges by the letters of the drawing, as `gomkcn count` takes them",
        lambda row: row.pattern.structure.to_text(),
        media=_FILE,
    ),
    TableColumn(
        "class",
        "Class",
        "the class that it separates most surely from the others: ▲ more, ▼ fewer of its graphs",
        lambda row: row.strongest.name,
        lambda row: ("▲ " if row.strongest.is_more_frequent else "▼ ") + row.strongest.name,
        is_left=True,
    ),
    TableColumn(
        "graphs",
        "Graphs of\nthe class",
        "graphs of the class that contain the structure, of all of it",
        lambda row: row.strongest.containing,
        _share_text("containing", "num_graphs"),
    ),
    TableColumn(
        "graphs_share",
        "Share",
        "the same as a share",
        lambda row: row.strongest.containing / row.strongest.num_graphs,
        lambda row: percent(row.strongest.containing / row.strongest.num_graphs, 0),
        media=Medium.PAGE,
        below=Below("graphs"),
    ),
    TableColumn(
        "of_graphs",
        "All of the class",
        "all graphs of the class",
        lambda row: row.strongest.num_graphs,
        media=_FILE,
    ),
    TableColumn(
        "others",
        "Graphs of\nthe others",
        "graphs of the other classes that contain it, of all of these",
        lambda row: row.strongest.others_containing,
        _share_text("others_containing", "num_others"),
    ),
    TableColumn(
        "others_share",
        "Share",
        "the same as a share",
        lambda row: row.strongest.others_containing / row.strongest.num_others,
        lambda row: percent(row.strongest.others_containing / row.strongest.num_others, 0),
        media=Medium.PAGE,
        below=Below("others"),
    ),
    TableColumn(
        "of_others",
        "All of the others",
        "all graphs of the other classes",
        lambda row: row.strongest.num_others,
        media=_FILE,
    ),
    TableColumn(
        "odds_ratio",
        "Odds ratio",
        "odds of the class beside those of the others, with ½ added to each of the four numbers of "
        "graphs",
        lambda row: row.strongest.odds_ratio,
        _odds_text("odds_ratio"),
        below=Below("class", "odds ratio {}", Medium.PAGE, only_narrow=True),
    ),
    TableColumn(
        "odds_ratio_interval",
        "95% CI",
        "its 95% interval",
        lambda row: None,
        _interval_text,
        media=Medium.PAGE,
        is_optional=True,
        below=Below("odds_ratio"),
    ),
    TableColumn(
        "odds_ratio_low",
        "Low end",
        "lower end of its 95% interval",
        lambda row: row.strongest.low,
        media=_FILE,
    ),
    TableColumn(
        "odds_ratio_high",
        "High end",
        "upper end of its 95% interval",
        lambda row: row.strongest.high,
        media=_FILE,
    ),
    TableColumn(
        "p_exact",
        "p",
        "Fisher's exact p of this structure alone",
        lambda row: row.strongest.p,
        lambda row: Number(f"{row.strongest.p:.2g}", (*_path(row), "p")),
        below=Below("others", "p {}", Medium.PAGE, only_narrow=True),
    ),
    TableColumn(
        "p_classes",
        "Adjusted\np",
        "p of the classes, adjusted for all that was searched",
        lambda row: row.classes.p_adjusted,
        lambda row: Number(f"{row.classes.p_adjusted:.2g}", ("classes", "p_adjusted")),
        below=Below("others", "adjusted p {}", Medium.PAGE, only_narrow=True),
    ),
    TableColumn(
        "p_left",
        "p left",
        "what is left of the difference among graphs that are alike in all stronger structures "
        "that lead; empty for what leads",
        _of_following(lambda follows: follows.p),
        media=_FILE,
    ),
)
