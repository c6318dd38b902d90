"""The columns of the table of a motif set, a row for each motif."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gomkcn.mining.structures.number_text import percent, three_digits, whole
from gomkcn.mining.structures.pattern import UNCOUNTED, MotifPart, OrbitFeature, Pattern
from gomkcn.mining.structures.pattern_columns import (
    count_text,
    interval_text,
    occurrence_table,
    shown_name,
)
from gomkcn.mining.structures.table_column import (
    Below,
    Medium,
    Number,
    TableColumn,
    Text,
    tabulate,
)
from gomkcn_dgl.graphs.structure import node_letter
from gomkcn_dgl.runtime.tabular import Table

# bits that a motif adds to those chosen before it, at least, to stand above the line: as many as a
# set must save to be reported, since the same could be so at random
LEAST_ADDED = 10.0


@dataclass(frozen=True, eq=False)
class MotifRow:
    """A motif in its set.

    Attributes
    ----------
    number : int
        Its number.
    pattern : Pattern
    part : MotifPart
        What it is in the set.
    variant_of : int or None
        The motif that it is a near variant of.
    nodes_covered, edges_covered : float
        The share of the nodes of the graph that lie in its copies, and of the edges.
    share_of_most : float
        The bits that it saves, divided by those of the motif that saves most.
    planted : str
        The planted motifs that it is.
    num_starts : int
        Starts of the search, 0 where they were not told apart.
    """

    number: int
    pattern: Pattern
    part: MotifPart
    variant_of: int | None
    nodes_covered: float
    edges_covered: float
    share_of_most: float
    planted: str
    num_starts: int

    @property
    def is_below_line(self) -> bool:
        """Whether it adds so little that it stands below a line."""
        return self.part.share < LEAST_ADDED

    @property
    def is_in_some_starts(self) -> bool:
        """Whether the sets of some starts do not have it."""
        return _starts_text(self) is not None

    @property
    def has_more_occurrences(self) -> bool:
        """Whether there are occurrences that are no copies; with edits the two differ anyway."""
        total = self.pattern.frequency.occurrences
        is_counted = total != UNCOUNTED
        return is_counted and total.value > self.part.num_copies and not len(self.part.edits)


def _copies_text(row: MotifRow) -> Text:
    """The number of copies, and of those that are exact where some are not."""
    part = row.part
    copies = Number(whole(part.num_copies), ("copies",))
    if not len(part.edits):
        return copies
    return copies, " (", Number(whole(part.copies_exact), ("copies_exact",)), " exact)"


def _occurrences_text(row: MotifRow) -> Text:
    if not row.has_more_occurrences:
        return None
    return count_text(row.pattern.frequency.occurrences, "frequency", "occurrences")


def _interval_text(row: MotifRow) -> Text:
    if not row.has_more_occurrences:
        return None
    return interval_text(row.pattern.frequency.occurrences, "frequency", "occurrences")


def _occurrences(row: MotifRow) -> float | None:
    total = row.pattern.frequency.occurrences
    return None if total == UNCOUNTED else total.value


def _starts_text(row: MotifRow) -> Text:
    """How many starts found it, where not all did."""
    starts = row.part.starts
    if starts is None or starts >= row.num_starts:
        return None
    return Number(whole(starts), ("starts",)), f" of {row.num_starts} starts"


MOTIF_COLUMNS: tuple[TableColumn[MotifRow], ...] = (
    TableColumn(
        "motif",
        "Motif",
        "its number, from 0; what adds few bits last, else what the description would grow most "
        "without first",
        lambda row: row.number,
        media=Medium.FILE | Medium.TERMINAL | Medium.NOTEBOOK,
    ),
    TableColumn(
        "structure",
        "Structure",
        "its name; of a dense group hardly a copy is the structure in brackets, or near to it",
        lambda row: row.pattern.name,
        lambda row: shown_name(row.pattern),
        is_left=True,
        is_name=True,
    ),
    TableColumn(
        "num_nodes",
        "Nodes",
        "number of nodes",
        lambda row: row.pattern.num_nodes,
        media=Medium.FILE | Medium.TERMINAL,
    ),
    TableColumn(
        "edges",
        "Edges",
        "edges by the letters of the drawing, as `gomkcn count` takes them; none of a dense group",
        lambda row: None if row.pattern.is_dense_group else row.pattern.structure.to_text(),
        media=Medium.FILE,
    ),
    TableColumn(
        "copies",
        "Copies",
        "places that are named; of these, exact ones have all edges of the motif and no others",
        lambda row: row.part.num_copies,
        _copies_text,
        is_main=True,
    ),
    TableColumn(
        "occurrences",
        "Occurrences",
        "all places, where they were counted and are more than the copies",
        _occurrences,
        _occurrences_text,
        media=Medium.FILE | Medium.PAGE,
        is_optional=True,
        below=Below("copies", "of {}"),
    ),
    TableColumn(
        "occurrences_interval",
        "95% CI",
        "the 95% interval of an estimate",
        lambda row: None,
        _interval_text,
        media=Medium.PAGE,
        is_optional=True,
        below=Below("copies", "95% CI {}"),
    ),
    TableColumn(
        "nodes_covered",
        "Nodes\ncovered",
        "share of the nodes of the graph that lie in its copies",
        lambda row: row.nodes_covered,
        lambda row: percent(row.nodes_covered),
        media=Medium.FILE | Medium.PAGE,
        below=Below("structure", "{} of nodes", Medium.PAGE, only_narrow=True),
    ),
    TableColumn(
        "edges_covered",
        "Edges\ncovered",
        "share of the edges of the graph that lie in its copies",
        lambda row: row.edges_covered,
        lambda row: percent(row.edges_covered),
        media=Medium.FILE | Medium.PAGE,
        below=Below("structure", "{} of edges", Medium.PAGE, only_narrow=True),
    ),
    TableColumn(
        "bits_saved",
        "Bits\nsaved",
        "what it saves beside the motifs chosen before it; adds up to what the set saves",
        lambda row: row.part.share,
        lambda row: Number(whole(row.part.share), ("share",)),
        is_main=True,
        bar=lambda row: row.share_of_most,
        hint=lambda row: (
            f"without this motif the description is {whole(row.part.bits)} bits longer"
        ),
    ),
    TableColumn(
        "bits_longer_without",
        "Bits without",
        "what the description grows by without the motif; does not add up",
        lambda row: row.part.bits,
        media=Medium.FILE,
    ),
    TableColumn(
        "seen_by",
        "Seen by",
        "what proposed it: grown sets of nodes, filters, frequent subgraphs, or the user",
        lambda row: ", ".join(row.pattern.sources),
        is_left=True,
        media=Medium.FILE,
    ),
    TableColumn(
        "starts",
        "Starts",
        "of the starts of the search, those whose sets have it",
        lambda row: row.part.starts,
        _starts_text,
        media=Medium.FILE | Medium.PAGE | Medium.TERMINAL,
        is_optional=True,
        below=Below("structure", "found by {}", Medium.PAGE),
    ),
    TableColumn(
        "variant_of",
        "Variant of",
        "the motif with more copies that it is one edge apart from",
        lambda row: row.variant_of,
        media=Medium.FILE | Medium.TERMINAL,
        is_optional=True,
    ),
    TableColumn(
        "planted",
        "Planted",
        "planted motifs that it is, where they are known",
        lambda row: row.planted or None,
        is_left=True,
        media=Medium.FILE | Medium.TERMINAL,
        is_optional=True,
    ),
)


def _feature_text(mean: str, sd: str) -> Callable[[OrbitFeature], Text]:
    """The text of a mean and a standard deviation."""

    def text(feature: OrbitFeature) -> Text:
        first, second = (getattr(feature, name) for name in (mean, sd))
        return Number(three_digits(first), (mean,)), " ± ", Number(three_digits(second), (sd,))

    return text


# of the numeric features at the orbits of a motif
FEATURE_COLUMNS: tuple[TableColumn[OrbitFeature], ...] = (
    TableColumn(
        "feature",
        "Feature",
        "its name",
        lambda feature: feature.feature,
        is_left=True,
        is_name=True,
    ),
    TableColumn(
        "nodes",
        "Nodes",
        "letters of the nodes that symmetries of the motif exchange",
        lambda feature: " ".join(map(node_letter, feature.nodes)),
        is_left=True,
    ),
    TableColumn(
        "copies",
        "Copies,\nmean ± SD",
        "mean and standard deviation at these nodes of all copies",
        lambda feature: None,
        _feature_text("mean", "sd"),
        media=Medium.PAGE,
    ),
    TableColumn(
        "all_nodes",
        "All nodes,\nmean ± SD",
        "mean and standard deviation over all nodes",
        lambda feature: None,
        _feature_text("mean_all", "sd_all"),
        media=Medium.PAGE,
    ),
    TableColumn(
        "mean",
        "Mean",
        "mean at these nodes of all copies",
        lambda feature: feature.mean,
        media=Medium.FILE,
    ),
    TableColumn(
        "sd",
        "SD",
        "standard deviation at these nodes of all copies",
        lambda feature: feature.sd,
        media=Medium.FILE,
    ),
    TableColumn(
        "mean_all",
        "Mean of all",
        "mean over all nodes",
        lambda feature: feature.mean_all,
        media=Medium.FILE,
    ),
    TableColumn(
        "sd_all",
        "SD of all",
        "standard deviation over all nodes",
        lambda feature: feature.sd_all,
        media=Medium.FILE,
    ),
)


def motif_rows(
    motifs: Sequence[Pattern],
    near: Sequence[Sequence[int]],
    nodes_covered: float,
    edges_covered: float,
    planted: Sequence[str],
    num_starts: int,
) -> list[MotifRow]:
    """The rows of a set, whose shares of the nodes and the edges of the graph are given."""
    parts = [pattern.motif for pattern in motifs if pattern.motif is not None]
    leader = {number: group[0] for group in near for number in group[1:]}
    # 1. the nodes of the copies of each motif, each once; ids are those of a graph of a collection
    nodes = [
        np.unique(np.column_stack([np.repeat(part.copies.graph, size), part.copies.nodes.ravel()]),
                  axis=0)
        for part, size in zip(parts, [pattern.num_nodes for pattern in motifs], strict=True)
    ]  # fmt: skip
    all_nodes = len(np.unique(np.concatenate(nodes), axis=0)) if nodes else 0
    # 2. edges of different motifs are different ones
    edges = [
        len(pattern.edges) * part.num_copies + part.added - part.missing
        for pattern, part in zip(motifs, parts, strict=True)
    ]
    most = max((part.share for part in parts if part.share > 0), default=1.0)
    return [
        MotifRow(
            number=number,
            pattern=pattern,
            part=part,
            variant_of=leader.get(number),
            nodes_covered=nodes_covered * len(nodes[number]) / max(1, all_nodes),
            edges_covered=edges_covered * edges[number] / max(1, sum(edges)),
            share_of_most=max(0.0, part.share / most),
            planted=planted[number] if len(planted) else "",
            num_starts=num_starts,
        )
        for number, (pattern, part) in enumerate(zip(motifs, parts, strict=True))
    ]


def motif_table(rows: Sequence[MotifRow]) -> Table:
    """The motifs of a set as a table."""
    return tabulate(MOTIF_COLUMNS, rows)


def copies_table(motifs: Sequence[Pattern], graph_names: Sequence[str] = ()) -> Table:
    """A row for each copy of each motif, with the nodes by their letters.

    ``motif``, ``copy`` (its number within the motif), then ``graph``, ``graph_name`` and the nodes
    ``A``, ``B`` and so on, and ``edits``, where the copy differs from the motif: ``-A-D +B-E`` is
    without the edge of its nodes A and D, and has one of B and E.
    """
    placed = [
        replace(pattern, id=number, occurrences=pattern.motif.copies)
        for number, pattern in enumerate(motifs)
        if pattern.motif is not None
    ]
    table = occurrence_table(placed, graph_names).columns()
    numbers, copies = table.pop("pattern"), table.pop("occurrence")
    texts = _texts_of_edits(motifs)
    keys = zip(numbers.tolist(), copies.tolist(), strict=True)
    edits = np.array([texts.get(key, "") for key in keys], str)
    return Table({"motif": numbers, "copy": copies, **table, "edits": edits})


def _texts_of_edits(motifs: Sequence[Pattern]) -> dict[tuple[int, int], str]:
    """What differs in each copy that is not exact, by the numbers of its motif and of itself."""
    texts: dict[tuple[int, int], str] = {}
    for number, pattern in enumerate(motifs):
        for copy, u, v, sign in [] if pattern.motif is None else pattern.motif.edits.tolist():
            ends = "-".join(map(node_letter, sorted((u, v))))
            text = f"{'+' if sign > 0 else '-'}{ends}"
            texts[number, copy] = f"{texts.get((number, copy), '')} {text}".strip()
    return texts


def feature_table(motifs: Sequence[Pattern]) -> Table:
    """A row for each numeric feature and orbit of each motif, with the number of the motif."""
    numbers = [
        number
        for number, pattern in enumerate(motifs)
        if pattern.motif is not None
        for _ in pattern.motif.features
    ]
    features = [
        feature
        for pattern in motifs
        if pattern.motif is not None
        for feature in pattern.motif.features
    ]
    return Table({"motif": numbers, **tabulate(FEATURE_COLUMNS, features).columns()})
