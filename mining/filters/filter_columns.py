"""The columns of the table of filters, a row for each filter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gomkcn.mining.filters.mined_filter import QUANTILES, MinedFilter
from gomkcn.mining.structures.pattern import UNCOUNTED, OccurrenceCount
from gomkcn.mining.structures.pattern_columns import count_text, interval_column
from gomkcn.mining.structures.table_column import (
    Below,
    Medium,
    Number,
    TableColumn,
    Text,
    tabulate,
)
from gomkcn_dgl.runtime.tabular import Table

_FILE = Medium.FILE
# of a filter that explains no more nodes than in random graphs, and is there since a number was
# asked for
NO_MORE = "adds no more than by chance"
# places of the lowest, the middle and the highest of these similarities
_LOW, _MEDIAN, _HIGH = 0, len(QUANTILES) // 2, len(QUANTILES) - 1


@dataclass(frozen=True, eq=False)
class FilterRow:
    """A filter, and what a run knows of it beside.

    Attributes
    ----------
    mined : MinedFilter
    occurrences : OccurrenceCount
        Of its structure in the whole graph.
    planted : str
        The planted motifs that its structure is.
    share_of_most : float
        Its instances, divided by those of the filter with most.
    any_overlap : bool
        Whether instances of any filter share nodes.
    """

    mined: MinedFilter
    occurrences: OccurrenceCount
    planted: str
    share_of_most: float
    any_overlap: bool

    @property
    def adds_no_more(self) -> bool:
        """Whether it explains no more, beside those before it, than in random graphs."""
        return self.mined.random_instances is not None and not self.mined.exceeds


def overlaps(mined: MinedFilter) -> bool:
    """Whether instances of a filter share nodes; of a sample, whether they may."""
    return mined.disjoint_instances < mined.instances.value


def filter_rows(
    filters: Sequence[MinedFilter],
    occurrences: Sequence[OccurrenceCount] = (),
    planted: Sequence[str] = (),
) -> list[FilterRow]:
    """The rows of some filters, with what is known of each beside."""
    most = max((mined.instances.value for mined in filters), default=0) or 1
    any_overlap = any(map(overlaps, filters))
    return [
        FilterRow(
            mined,
            occurrences[at] if occurrences else UNCOUNTED,
            planted[at] if planted else "",
            mined.instances.value / most,
            any_overlap,
        )
        for at, mined in enumerate(filters)
    ]


def _random(name: str) -> Callable[[FilterRow], Any]:
    """A number of the instances in random graphs; None where there are none."""
    return lambda row: getattr(row.mined.random_instances, name, None)


def _random_text(row: FilterRow) -> Text:
    random = row.mined.random_instances
    if random is None:
        return None
    mean, sd = str(random).split(" ± ")
    path = ("random_instances",)
    return Number(mean, (*path, "mean")), " ± ", Number(sd, (*path, "sd"))


def _disjoint_text(row: FilterRow) -> Text:
    if not row.any_overlap:
        return None
    return Number(f"{row.mined.disjoint_instances:,}", ("disjoint_instances",))


def _similarity(at: int) -> Callable[[FilterRow], float | None]:
    """A quantile of the similarities; None without any."""
    return lambda row: row.mined.similarity[at] if row.mined.similarity else None


def _similarity_number(row: FilterRow, at: int) -> Number:
    return Number(f"{row.mined.similarity[at]:.2f}", ("similarity", at))


def _median_text(row: FilterRow) -> Text:
    return _similarity_number(row, _MEDIAN) if row.mined.similarity else None


def _middle_text(row: FilterRow) -> Text:
    if not row.mined.similarity:
        return None
    return _similarity_number(row, _LOW), " – ", _similarity_number(row, _HIGH)


def _occurrences(row: FilterRow) -> float | None:
    return None if row.occurrences == UNCOUNTED else row.occurrences.value


FILTER_COLUMNS: tuple[TableColumn[FilterRow], ...] = (
    TableColumn(
        "filter",
        "Filter",
        "its number, from 0; those furthest beyond chance come first",
        lambda row: row.mined.id,
        media=Medium.FILE | Medium.TERMINAL | Medium.NOTEBOOK,
    ),
    TableColumn(
        "structure",
        "Structure",
        "what it looks like, in words; no two are alike",
        lambda row: row.mined.name,
        is_left=True,
        is_name=True,
    ),
    TableColumn(
        "adds",
        NO_MORE[0].upper() + NO_MORE[1:],
        "explains no more nodes, beside the others, than in these",
        lambda row: None,
        lambda row: NO_MORE if row.adds_no_more else None,
        media=Medium.PAGE | Medium.TERMINAL,
        is_optional=True,
        below=Below("structure"),
    ),
    TableColumn(
        "num_nodes",
        "Nodes",
        "number of nodes",
        lambda row: row.mined.structure.num_nodes,
        media=Medium.FILE | Medium.TERMINAL,
    ),
    TableColumn(
        "edges",
        "Edges",
        "edges by the letters of the drawing, as `gomkcn count` takes them",
        lambda row: row.mined.structure.to_text(),
        media=_FILE,
    ),
    TableColumn(
        "instances",
        "Instances",
        "different node sets that the subgraphs around nodes show the structure at",
        lambda row: row.mined.instances.value,
        lambda row: count_text(row.mined.instances, "instances"),
        is_main=True,
        bar=lambda row: row.share_of_most,
    ),
    interval_column("instances", lambda row: row.mined.instances, "instances"),
    TableColumn(
        "instances_low",
        "Low end",
        "lower end of the 95% interval of an estimate",
        lambda row: row.mined.instances.low,
        media=_FILE,
    ),
    TableColumn(
        "instances_high",
        "High end",
        "upper end of the 95% interval of an estimate",
        lambda row: row.mined.instances.high,
        media=_FILE,
    ),
    TableColumn(
        "disjoint",
        "Disjoint",
        "as many instances as share no node, at least",
        lambda row: row.mined.disjoint_instances,
        _disjoint_text,
        media=Medium.FILE | Medium.PAGE | Medium.TERMINAL,
        is_optional=True,
        below=Below("instances", "{} disjoint", Medium.PAGE),
    ),
    TableColumn(
        "random",
        "Random\ngraphs",
        "mean ± standard deviation of the instances in random graphs with the same degrees",
        lambda row: None,
        _random_text,
        media=Medium.PAGE | Medium.TERMINAL | Medium.NOTEBOOK,
        is_optional=True,
    ),
    TableColumn(
        "random_mean",
        "Mean",
        "mean of the instances in random graphs",
        _random("mean"),
        media=_FILE,
    ),
    TableColumn(
        "random_sd",
        "SD",
        "standard deviation of the instances in random graphs",
        _random("sd"),
        media=_FILE,
    ),
    TableColumn(
        "exceeds",
        "Exceeds",
        "whether the graph has more of it than random graphs by more than three standard "
        "deviations",
        lambda row: row.mined.exceeds,
        media=_FILE,
    ),
    TableColumn(
        "exact_nodes",
        "Exact nodes",
        "nodes whose subgraph has exactly this structure",
        lambda row: row.mined.exact.value,
        media=_FILE,
    ),
    TableColumn(
        "nearest_nodes",
        "Nearest\nnodes",
        "nodes whose subgraph is more similar to this filter than to the others, so that it "
        "depends on which others there are",
        lambda row: row.mined.nearest_nodes.value,
        lambda row: count_text(row.mined.nearest_nodes, "nearest_nodes"),
        media=Medium.FILE | Medium.PAGE | Medium.TERMINAL,
        below=Below("structure", "nearest: {}", Medium.PAGE, only_narrow=True),
    ),
    interval_column(
        "nearest_nodes", lambda row: row.mined.nearest_nodes, "nearest_nodes", media=Medium.PAGE
    ),
    TableColumn(
        "similarity",
        "Similarity",
        "median of the similarity of these nodes to the filter",
        _similarity(_MEDIAN),
        _median_text,
        media=Medium.FILE | Medium.PAGE | Medium.TERMINAL,
        below=Below("structure", "similarity {}", Medium.PAGE, only_narrow=True),
    ),
    TableColumn(
        "similarity_middle",
        "Middle 80%",
        "the similarities of the middle 80% of these nodes",
        lambda row: None,
        _middle_text,
        media=Medium.PAGE,
        is_optional=True,
        below=Below("similarity"),
    ),
    TableColumn(
        "similarity_low",
        "Low end",
        "the similarity that a tenth of these nodes have at most",
        _similarity(_LOW),
        media=_FILE,
    ),
    TableColumn(
        "similarity_high",
        "High end",
        "the similarity that a tenth of these nodes have at least",
        _similarity(_HIGH),
        media=_FILE,
    ),
    TableColumn(
        "occurrences",
        "Occurrences",
        "of the structure in the whole graph, induced, where they were counted in time",
        _occurrences,
        lambda row: count_text(row.occurrences, "occurrences"),
        media=Medium.FILE | Medium.PAGE | Medium.TERMINAL,
        below=Below("structure", "occurrences: {}", Medium.PAGE, only_narrow=True),
    ),
    interval_column("occurrences", lambda row: row.occurrences, "occurrences", media=Medium.PAGE),
    TableColumn(
        "planted",
        "Planted",
        "planted motifs that its structure is, where they are known",
        lambda row: row.planted or None,
        is_left=True,
        media=Medium.FILE | Medium.TERMINAL,
        is_optional=True,
    ),
)


def filter_table(filters: Sequence[MinedFilter]) -> Table:
    """The filters of a miner as a table; it does not count their structures in the whole graph."""
    columns = [column for column in FILTER_COLUMNS if column.key != "occurrences"]
    return tabulate(columns, filter_rows(filters))
