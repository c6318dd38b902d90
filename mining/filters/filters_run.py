"""A finished run of filters: everything that its folder, its page and a notebook show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gomkcn.mining.counting.counter import count_query
from gomkcn.mining.counting.pattern_counts import category_colors
from gomkcn.mining.counting.query import Query
from gomkcn.mining.counting.watching import steps_in
from gomkcn.mining.filters.filter_columns import FILTER_COLUMNS, FilterRow, filter_rows
from gomkcn.mining.filters.filter_figure import plot_filters
from gomkcn.mining.filters.filters_records import DrawnRecord
from gomkcn.mining.filters.filters_settings import FiltersSettings
from gomkcn.mining.filters.mined_filter import MinedFilter
from gomkcn.mining.plots.filter_drawing import FeatureColors
from gomkcn.mining.plots.graph_map import GraphMap, MapLimits, part_around
from gomkcn.mining.structures.categories import Categories
from gomkcn.mining.structures.graph_relations import edges_among
from gomkcn.mining.structures.graph_summary import GraphSummary
from gomkcn.mining.structures.occurrences import Occurrences, node_columns
from gomkcn.mining.structures.pattern import UNCOUNTED, Frequency, OccurrenceCount, Pattern
from gomkcn.mining.structures.table_column import tabulate
from gomkcn.mining.structures.truth import MotifRecovery, compare_with_truth
from gomkcn_dgl._torch import device_name
from gomkcn_dgl.checks import check_choice
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_unweighted
from gomkcn_dgl.io.graph_classes import GraphClasses
from gomkcn_dgl.runtime import html_of
from gomkcn_dgl.runtime.output_folder import describe_provenance
from gomkcn_dgl.runtime.saved_run import SavedRun
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.runtime.tabular import Table

if TYPE_CHECKING:
    from gomkcn.mining.filters.filter_miner import FilterMiner

# the folder of the filters in that of a run of `gomkcn mine`, their page and their record
FOLDER, PAGE, RECORD = "filters", "filters.html", "filters.json"
# of filters.json
FILTERS_VERSION = 2
# graphs that are listed of each filter, those of the highest response
_MOST_GRAPHS = 5
_COUNT_ERROR = 0.02


@dataclass(frozen=True)
class PageLimits(MapLimits):
    """How much of a graph the page of filters shows, so that the page stays below 1 MB.

    Attributes
    ----------
    most_nodes, most_edges : int
        Of a graph that is drawn whole; an edge takes about 6 bytes of the page.
    most_bytes : int
        Of all nodes together, whose subgraphs are in the page as well.
    most_places : int
        Subgraphs of each filter, the most similar ones, that a part of a larger graph is chosen
        from.
    """

    most_nodes: int = 10_000
    most_edges: int = 40_000
    most_bytes: int = 460_000
    most_places: int = 500


@dataclass(frozen=True, eq=False)
class DrawnNodes:
    """What is known of the K nodes of a map.

    Attributes
    ----------
    labels : numpy.ndarray
        int64 ``[K]``, the filter that each is nearest to; -1 for a node that was not drawn for the
        comparison.
    similarities : numpy.ndarray
        float64 ``[K]``, to that filter; NaN for such a node.
    responses : numpy.ndarray
        float64 ``[K, F]``, to each filter; NaN for such a node.
    subgraphs, matching : numpy.ndarray
        int64 ``[K, N]``: the nodes of the subgraph around each node as places on the map, -1 = no
        node, -2 = one that is not on the map; and the node of its filter that each is matched to,
        -1 = none.
    exact : numpy.ndarray
        bool ``[K]``, whether the subgraph around each node is the structure of its filter.
    fills : tuple of str
        The colour of the features of each node; empty where features have no colours.
    """

    labels: np.ndarray
    similarities: np.ndarray
    responses: np.ndarray
    subgraphs: np.ndarray
    matching: np.ndarray
    exact: np.ndarray
    fills: tuple[str, ...]

    @classmethod
    def of(
        cls, miner: FilterMiner, graph: CSRGraph, rows: np.ndarray, colors: FeatureColors
    ) -> DrawnNodes:
        """What a fitted miner says of some rows of its graph."""
        place = np.full(graph.num_nodes + 1, -2)
        place[rows] = np.arange(len(rows))
        # -1 is the last one
        place[-1] = -1
        return cls(
            labels=miner.labels_[rows],
            similarities=miner.similarities_[rows].astype(np.float64),
            responses=miner.responses_[rows].astype(np.float64),
            subgraphs=place[miner.subgraph_nodes_[rows]],
            matching=miner.matching_[rows].astype(np.int64),
            exact=miner.is_exact_[rows],
            fills=tuple(colors.fills(graph.features[rows])) if colors.columns else (),
        )

    def to_dict(self) -> dict[str, Any]:
        """The record of ``drawn.json``: similarities have three decimals, which colours show."""
        return {
            "labels": self.labels.tolist(),
            "similarities": _thousandths(self.similarities),
            "responses": [_thousandths(row) for row in self.responses.T],
            "subgraphs": self.subgraphs.tolist(),
            "matching": self.matching.tolist(),
            "exact": self.exact.tolist(),
            "fills": list(self.fills),
        }

    @classmethod
    def of_record(cls, record: DrawnRecord, num_nodes: int, num_filters: int) -> DrawnNodes:
        """Read a record of ``drawn.json``; a ValueError for lists that do not belong together."""
        labels = np.array(record.labels, np.int64)
        similarities = _from_thousandths(record.similarities)
        responses = _from_thousandths(record.responses).reshape(num_filters, num_nodes).T
        subgraphs = np.array(record.subgraphs, np.int64).reshape(num_nodes, -1)
        matching = np.array(record.matching, np.int64).reshape(subgraphs.shape)
        exact = np.array(record.exact, bool)
        by_node: list[Any] = [labels, similarities, exact]
        by_node += [record.fills] if record.fills else []
        if any(len(values) != num_nodes for values in by_node):
            raise ValueError(f"drawn.json is not of the {num_nodes} nodes of the map")
        if labels.max(initial=-1) >= num_filters or subgraphs.max(initial=-1) >= num_nodes:
            raise ValueError("drawn.json names a filter or a node that is not there")
        return cls(labels, similarities, responses, subgraphs, matching, exact, record.fills)


def _thousandths(values: np.ndarray) -> list[int]:
    """Whole thousandths; -1 for what is not known."""
    known: list[int] = np.round(np.nan_to_num(values * 1000, nan=-1.0)).astype(int).tolist()
    return known


def _from_thousandths(values: Sequence[Any]) -> np.ndarray:
    read = np.array(values, np.float64)
    return np.where(read < 0, np.nan, read / 1000)


@dataclass(frozen=True, eq=False, repr=False)
class FiltersRun(SavedRun):
    """The filters of a graph and what is known of them.

    Attributes
    ----------
    graph : GraphSummary
    filters : tuple of MinedFilter
        Those furthest beyond chance first; without random graphs those with most instances
        first.
    occurrences : tuple of OccurrenceCount
        Of the structure of each filter, induced, in the whole graph.
    highest : tuple of tuple of (int, float)
        For each filter the graphs of a collection with the highest response of a node, and that
        response; empty in a single graph.
    num_assigned : int
        Nodes whose subgraphs were compared with the filters: all, or a random sample; 0 without
        filters.
    colors : FeatureColors
        The colours of features of nodes.
    loss_curve : list of float
        1 - the mean similarity of a subgraph to its filter, before the training and after each
        epoch; of no use where nothing was trained.
    nodes : Table
        A row for each node that was compared: ``node``, the nearest ``filter``, the ``similarity``
        to it, and ``graph`` in a collection.
    settings, provenance : dict
        The resolved settings; versions, commit, seed, device, times.
    note : str
        What the filters were chosen by, and where, or that there are none.
    num_random_graphs : int
        Random graphs that were compared with; 0 without.
    recovery : tuple of MotifRecovery or None
        Planted motifs and the filters that are isomorphic to them; None where no truth is known.
    map : GraphMap or None
        What the page shows of the graph.
    drawn : DrawnNodes or None
        What is known of the nodes of the map.
    is_partial : bool
        Whether the time limit ended the run early.
    command : str
        What continues a partial run, as a user types it; empty where it is not known.
    notes : tuple of str
        What of the input was changed or left out.
    miner : FilterMiner or None
        The fitted miner; None where the run was read from a folder, which has it as a file.
    """

    graph: GraphSummary
    filters: tuple[MinedFilter, ...]
    occurrences: tuple[OccurrenceCount, ...]
    highest: tuple[tuple[tuple[int, float], ...], ...]
    num_assigned: int
    colors: FeatureColors
    loss_curve: list[float]
    nodes: Table
    settings: dict[str, Any]
    provenance: dict[str, Any]
    note: str
    num_random_graphs: int
    recovery: tuple[MotifRecovery, ...] | None = None
    map: GraphMap | None = None
    drawn: DrawnNodes | None = None
    is_partial: bool = False
    command: str = ""
    notes: tuple[str, ...] = ()
    miner: FilterMiner | None = None

    def __repr__(self) -> str:
        """What was mined, and how many filters there are."""
        return f"FiltersRun({self.graph.source!r}: {len(self.filters)} filters)"

    @classmethod
    def of(
        cls,
        miner: FilterMiner,
        graph: Any,
        *,
        settings: FiltersSettings | None = None,
        seconds: float = 0.0,
        truth: dict[str, Any] | None = None,
        classes: GraphClasses | None = None,
        occurrences: Sequence[OccurrenceCount] = (),
        has_map: bool = True,
        limits: PageLimits | None = None,
        command: str = "",
    ) -> FiltersRun:
        """Collect the results of a fitted miner.

        Parameters
        ----------
        miner : FilterMiner
            Fitted to ``graph``.
        graph : anything :func:`gomkcn.as_csr` takes
        settings : FiltersSettings, optional
            The settings of the run; by default the parameters of the miner.
        seconds : float
            Duration of the run.
        truth : dict, optional
            The planted motifs, as :func:`gomkcn.mining.structures.truth.read_truth` reads them.
        classes : GraphClasses, optional
            Those of the graphs of a collection.
        occurrences : sequence of OccurrenceCount
            Those of each filter; by default they are counted now.
        has_map : bool
            Whether the graph is drawn, which takes seconds for thousands of nodes.
        limits : PageLimits, optional
            How much of it is drawn.
        command : str
            What continues the run if it is partial, as a user types it.

        Returns
        -------
        FiltersRun

        Raises
        ------
        InputError
            If the miner was not fitted to the graph.

        Examples
        --------
        >>> import networkx as nx
        >>> from gomkcn import FilterMiner
        >>> rings = nx.disjoint_union_all([nx.cycle_graph(5)] * 4)
        >>> run = FiltersRun.of(FilterMiner(1, filter_size=5, contrast=False).fit(rings), rings)
        >>> run.filters[0].instances.short, run.occurrences[0].short
        ('4', '4')
        """
        csr = as_unweighted(graph)
        if len(getattr(miner, "labels_", ())) != csr.num_nodes:
            raise InputError(
                "miner",
                "must be fitted to the graph",
                way_out="call miner.fit with the same graph first",
            )
        settings = FiltersSettings.of(miner) if settings is None else settings
        counts = tuple(occurrences) or count_filters(
            miner.filters_, csr, settings.filters.count_seconds, Steps()
        )
        categories = Categories.find(csr.stored_features, csr.feature_names)
        colors = FeatureColors.find(csr.stored_features, csr.feature_names, categories)
        shown = drawn = None
        # without filters there is nothing to see in the graph
        if has_map and miner.filters_:
            rows, edges = _shown_part(miner, csr, limits or PageLimits())
            shown = GraphMap.of_part(csr, rows, edges, classes=classes)
            drawn = DrawnNodes.of(miner, csr, rows, colors)
        device = device_name(miner.device)
        return cls(
            graph=GraphSummary.of(csr, settings.graph.path),
            filters=tuple(miner.filters_),
            occurrences=counts,
            highest=_highest_graphs(miner, csr),
            num_assigned=int((miner.labels_ >= 0).sum()),
            colors=colors,
            loss_curve=list(miner.loss_curve_),
            nodes=_node_table(miner, csr),
            settings=settings.to_dict(),
            provenance=describe_provenance(miner.random_state_, seconds, device),
            note=miner.note_,
            num_random_graphs=miner.num_random_graphs_,
            recovery=None if truth is None else _recovery(miner, csr, counts, truth),
            map=shown,
            drawn=drawn,
            is_partial=miner.is_partial_,
            command=command if miner.is_partial_ else "",
            notes=tuple(csr.notes),
            miner=miner,
        )

    def planted_as(self, number: int) -> str:
        """The planted motif that the structure of a filter is; empty where it is none."""
        motifs = self.recovery or ()
        return ", ".join(motif.name for motif in motifs if number in motif.pattern_ids)

    @property
    def is_sample(self) -> bool:
        """Whether some nodes only were compared with the filters."""
        return bool(self.filters) and self.num_assigned < self.graph.num_nodes

    @property
    def num_epochs(self) -> int:
        """Epochs of the training; 0 where nothing was trained."""
        return max(0, len(self.loss_curve) - 1)

    @property
    def rows(self) -> list[FilterRow]:
        """The rows of the table of filters."""
        planted = [self.planted_as(mined.id) for mined in self.filters]
        return filter_rows(self.filters, self.occurrences, planted)

    def table(self, which: str = "filters") -> Table:
        """A row for each of the "filters", or for each of the "nodes" that were compared.

        The page on filters says what the columns are.
        """
        check_choice("which", which, ("filters", "nodes"))
        return tabulate(FILTER_COLUMNS, self.rows) if which == "filters" else self.nodes

    def plot(self) -> Any:
        """Draw the filters with their instances, as :meth:`FilterMiner.plot` does."""
        return plot_filters(self.filters, self.colors, self.note)

    def to_dict(self) -> dict[str, Any]:
        """The record of ``filters.json``."""
        return {
            "schema": FILTERS_VERSION,
            "feature_names": list(self.graph.feature_names),
            "colors": {
                "columns": list(self.colors.columns),
                "low": self.colors.low.tolist(),
                "high": self.colors.high.tolist(),
                "hidden": self.colors.num_hidden,
            },
            "num_assigned": self.num_assigned,
            "filters": [
                {
                    **graph_filter.to_dict(),
                    "occurrences": _finite(count),
                    "planted": self.planted_as(graph_filter.id),
                    "graphs": [{"graph": graph, "response": value} for graph, value in graphs],
                }
                for graph_filter, count, graphs in zip(
                    self.filters, self.occurrences, self.highest, strict=True
                )
            ],
        }

    def _repr_html_(self) -> str | None:
        """The filters as small multiples, for a notebook."""
        return html_of(self)


def _finite(count: OccurrenceCount) -> dict[str, Any] | None:
    """The record of a count; None for what was not counted."""
    return None if count == UNCOUNTED else asdict(count)


def count_filters(
    filters: Sequence[MinedFilter], graph: CSRGraph, seconds: float, steps: Steps
) -> tuple[OccurrenceCount, ...]:
    """Count the structure of each filter in a whole graph, or estimate it.

    Each count takes at most as much work as ``seconds`` of one thread stand for. Those that are not
    begun when time is up are unknown.
    """
    if not filters:
        return ()
    patterns = [Pattern(graph_filter.structure) for graph_filter in filters]
    of_graph, of_filters = category_colors(patterns, graph)

    def count(number: int) -> OccurrenceCount:
        of_filter = of_filters[number]
        colors = None if of_filter is None else (of_filter, of_graph)
        query = Query.of_structure(graph, filters[number].structure, colors)
        return count_query(query, count_error=_COUNT_ERROR, max_steps=steps_in(seconds))[0]

    # what is known is a beginning of the list
    counts = steps.each(
        "counting structures", OccurrenceCount, count, range(len(filters)), in_time=True
    )
    return (*counts, *[UNCOUNTED] * (len(filters) - len(counts)))


def _bytes_of_a_node(miner: FilterMiner) -> int:
    """About how much of a page a node takes: its name and place, its responses, its subgraph."""
    return 12 + 2 * len(miner.filters_) + 3 * miner.subgraph_nodes_.shape[1]


def _shown_part(
    miner: FilterMiner, graph: CSRGraph, limits: PageLimits
) -> tuple[np.ndarray, np.ndarray]:
    """The rows that a page shows, and the edges among them."""
    most_nodes = min(limits.most_nodes, limits.most_bytes // _bytes_of_a_node(miner))
    limits = replace(limits, most_nodes=most_nodes)
    if graph.num_nodes <= limits.most_nodes and graph.num_edges <= limits.most_edges:
        return np.arange(graph.num_nodes), np.column_stack(graph.edges())
    if graph.num_graphs > 1:
        return _shown_graphs(miner, graph, limits)
    places = []
    for number in range(len(miner.filters_)):
        roots = np.flatnonzero(miner.labels_ == number)
        nearest = roots[np.argsort(-miner.similarities_[roots], kind="stable")][
            : limits.most_places
        ]
        places.append(miner.subgraph_nodes_[nearest].astype(np.int64))
    return part_around(graph, places, limits)


def _shown_graphs(
    miner: FilterMiner, graph: CSRGraph, limits: PageLimits
) -> tuple[np.ndarray, np.ndarray]:
    """Whole graphs of a large collection, those of the highest responses to each filter."""
    highest = _graph_responses(miner, graph)
    # for each filter its first graph, then for each its second, and so on
    ranked = np.argsort(-highest, axis=0, kind="stable").ravel().tolist()
    ends = graph.indptr[graph.graph_ptr]
    nodes = entries = 0
    chosen: list[np.ndarray] = []
    for number in dict.fromkeys(ranked):
        nodes += int(graph.graph_ptr[number + 1] - graph.graph_ptr[number])
        entries += int(ends[number + 1] - ends[number])
        if chosen and (nodes > limits.most_nodes or entries > 2 * limits.most_edges):
            break
        chosen.append(np.arange(*graph.graph_ptr[number : number + 2]))
    rows = np.sort(np.concatenate(chosen))
    return rows, edges_among(graph, rows)


def _graph_responses(miner: FilterMiner, graph: CSRGraph) -> np.ndarray:
    """The highest response of a node of each graph to each filter, ``[G, F]``; -1 for none."""
    known = np.nan_to_num(miner.responses_, nan=-1.0)
    starts = graph.graph_ptr[:-1]
    highest = np.full((graph.num_graphs, known.shape[1]), -1.0)
    # a graph without nodes has no response
    has_nodes = np.diff(graph.graph_ptr) > 0
    if len(known):
        highest[has_nodes] = np.maximum.reduceat(known, starts[has_nodes], axis=0)
    return highest


def _highest_graphs(
    miner: FilterMiner, graph: CSRGraph
) -> tuple[tuple[tuple[int, float], ...], ...]:
    if graph.num_graphs == 1:
        return ((),) * len(miner.filters_)
    highest = _graph_responses(miner, graph)
    order = np.argsort(-highest, axis=0, kind="stable")[:_MOST_GRAPHS]
    return tuple(
        tuple(
            (int(number), round(float(highest[number, column]), 6))
            for number in order[:, column]
            if highest[number, column] >= 0
        )
        for column in range(highest.shape[1])
    )


def _node_table(miner: FilterMiner, graph: CSRGraph) -> Table:
    rows = np.flatnonzero(miner.labels_ >= 0)
    return Table(
        {
            **node_columns(graph, rows),
            "filter": miner.labels_[rows],
            "similarity": miner.similarities_[rows],
        }
    )


def _recovery(
    miner: FilterMiner,
    graph: CSRGraph,
    occurrences: Sequence[OccurrenceCount],
    truth: dict[str, Any],
) -> tuple[MotifRecovery, ...]:
    """Compare filters with planted motifs; a copy is found where it is the subgraph of a node."""
    patterns = []
    for graph_filter, count in zip(miner.filters_, occurrences, strict=True):
        exact = np.flatnonzero((miner.labels_ == graph_filter.id) & miner.is_exact_)
        places = miner.subgraph_nodes_[exact][:, : graph_filter.structure.num_nodes].astype(
            np.int64
        )
        patterns.append(
            Pattern(
                graph_filter.structure,
                Occurrences.at(places, graph),
                frequency=Frequency(count),
                id=graph_filter.id,
            )
        )
    return tuple(compare_with_truth(patterns, truth))
