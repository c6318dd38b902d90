"""Motifs of events: three edges in the order of time, between two or three nodes.

A. Paranjape, A. R. Benson and J. Leskovec, Motifs in temporal networks (WSDM 2017). A motif is a
sequence of three edges; an occurrence of it is three edges of the graph in that order within a
window. Where times are equal, the order is that of the input.

They are counted at each node, after X. Gao, J. Cheng, X. Cao, Z. Bao and H. Chen's FAST (VLDB 2022)
and the authors above: the edges at a node pass in the order of time through a window, so that
motifs of two nodes and stars take a constant time for each edge. Triangles take one for each two
edges of a node within a window.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from gomkcn.mining.significance.looks import what_few_cannot_tell
from gomkcn.mining.significance.temporal_draws import Timelines
from gomkcn.mining.significance.temporal_nulls import (
    DEFAULT_TEMPORAL_NULL,
    NO_NULL,
    TEMPORAL_NULLS,
    note_on_null,
)
from gomkcn.mining.significance.verdicts import compare_with_random
from gomkcn.mining.structures.pattern import LESS, LEVEL, MORE, NOT_SHOWN, NullComparison
from gomkcn.mining.structures.table_column import tabulate
from gomkcn.mining.temporal.temporal_columns import TEMPORAL_COLUMNS, Events, TemporalRow
from gomkcn_dgl.checks import RandomState, as_seed, check_choice, check_int, check_jobs
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import Column
from gomkcn_dgl.graphs.shapes import count
from gomkcn_dgl.io.temporal_edges import (
    TIME_UNITS,
    TemporalEdges,
    Window,
    read_temporal_edges,
)
from gomkcn_dgl.kernels.compiled_graph import first_at_least
from gomkcn_dgl.runtime.compiled import compiled, num_threads, run_blocks, subroutine
from gomkcn_dgl.runtime.job import TimeUpError
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.runtime.tabular import Tabular

log = logging.getLogger("gomkcn_dgl")

# the first edge of each motif, and the second and the third one of a row and a column of the grid
FIRST_EDGE = (1, 2)
SECOND_EDGES = ((3, 2), (2, 3), (3, 1), (1, 3), (2, 1), (1, 2))
THIRD_EDGES = ((1, 2), (2, 1), (1, 3), (3, 1), (2, 3), (3, 2))
# what two of three edges, in the order of time, share: all the same two nodes; star with the first
# two, the outer two or the last two between the same nodes; triangle
PAIR, FIRST_TWO, OUTER_TWO, LAST_TWO, TRIANGLE = range(5)
NUM_KINDS = 5

_NUM_BLOCKS = 64
# fewer random graphs have no standard deviation
LEAST_SAMPLES = 2
# about what an edge takes
_NANOSECONDS = 200
# pairs of edges in a window that are looked at as a piece, and pieces of each thread between two
# looks at the clock: a quarter of a second
_PAIRS_OF_PIECE = 2_000_000
_NANOSECONDS_OF_PAIR = 10
_PIECES_OF_THREAD = 16


def motif_events(row: int, column: int) -> Events:
    """The three edges of the motif in a row and a column of the grid, from 0.

    >>> motif_events(0, 0)
    ((1, 2), (3, 2), (1, 2))
    """
    return FIRST_EDGE, SECOND_EDGES[row], THIRD_EDGES[column]


@dataclass(frozen=True, eq=False, repr=False)
class TemporalCensus(Tabular):
    """How often each motif of three edges in time occurs in a graph.

    Attributes
    ----------
    counts : numpy.ndarray
        int64 ``[6, 6]``, by the second and the third edge as in the figure of Paranjape and others.
    window : float
        The longest time from the first to the last edge, in seconds, or in the unit of times that
        are numbers.
    num_nodes, num_edges : int
        What was counted in; edges from a node to itself are none.
    span : float
        Time from the first to the last edge of the graph, in the same unit.
    comparisons : tuple of NullComparison
        One for each motif, row by row, with the random graphs of a null model; empty where none
        were asked for.
    notes : tuple of str
        The unit that times that are numbers were taken to have, where the window has one, and how
        many edges have the time of another.
    """

    counts: np.ndarray
    window: float
    num_nodes: int
    num_edges: int
    span: float
    comparisons: tuple[NullComparison, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """In how many edges was counted, and how many motifs differ from random graphs."""
        edges, nodes = count(self.num_edges, "edge"), count(self.num_nodes, "node")
        verdicts = f"; motifs: {self._verdicts}" if self.comparisons else ""
        return f"TemporalCensus({edges} of {nodes}, window {self.window:g}{verdicts})"

    @property
    def _verdicts(self) -> str:
        """How many motifs have each verdict."""
        verdicts = Counter(comparison.verdict for comparison in self.comparisons)
        return ", ".join(f"{verdicts[name]} {name}" for name in (MORE, LESS, NOT_SHOWN))

    @property
    def finding(self) -> str:
        """What the comparison says, in a sentence; empty without one."""
        if not self.comparisons:
            return ""
        compared = self.comparisons[0]
        return (
            f"Of {len(self.comparisons)} motifs, compared with {compared.num_samples} random "
            f"graphs of the null model {compared.null!r}: {self._verdicts} (adjusted p ≤ {LEVEL}). "
            f"{TEMPORAL_NULLS[compared.null].keeps}."
        )

    def columns(self) -> dict[str, list[Any]]:
        """A row for each motif: its place in the grid, its events, its count.

        With random graphs also ``mean``, ``sd`` and ``z`` of the counts in these, ``p_adjusted``
        and ``verdict``.
        """
        return tabulate(TEMPORAL_COLUMNS, self.rows).columns()

    @property
    def rows(self) -> list[TemporalRow]:
        """The rows of the table, row by row of the grid."""
        counts = self.counts.reshape(-1).tolist()
        results = self.comparisons or [None] * len(counts)
        return [
            TemporalRow(at // 6, at % 6, motif_events(at // 6, at % 6), number, result)
            for at, (number, result) in enumerate(zip(counts, results, strict=True))
        ]


def check_temporal_options(
    window: float | str | timedelta | np.timedelta64,
    null: str,
    null_samples: int,
    n_jobs: int | None,
) -> None:
    """Refuse what :func:`temporal_census` refuses, before its events are read."""
    Window.read(window)
    check_choice("null", null, (*TEMPORAL_NULLS, NO_NULL))
    check_int("null_samples", null_samples, 0)
    check_jobs("n_jobs", n_jobs)


def temporal_census(
    graph: Any,
    window: float | str | timedelta | np.timedelta64,
    *,
    null: str = DEFAULT_TEMPORAL_NULL,
    null_samples: int = 199,
    seed: RandomState = 0,
    n_jobs: int | None = None,
    source: Column | None = None,
    target: Column | None = None,
    bipartite: bool | None = None,
    time: Column | None = None,
    time_unit: str | None = None,
    steps: Steps | None = None,
) -> TemporalCensus:
    """Count the 36 motifs of three edges in time, and compare them with random graphs.

    All counts are exact. A random graph keeps who is joined to whom how often, in each direction;
    what it keeps of the times is chosen by ``null``.

    Parameters
    ----------
    graph : path, table, networkx.MultiDiGraph or TemporalEdges
        See :func:`gomkcn.read_temporal_edges`.
    window : float, str or timedelta
        The longest time from the first to the last edge of an occurrence: a number in the unit of
        times that are numbers, else of seconds, or a text such as "1h", "30s", "5min", "1d", "1w".
        Compared exactly, with times that are whole or have up to nine digits behind the point.
    null : {"directions", "gaps", "timelines", "times", "none"}
        What random graphs keep. ``"directions"``: the times of all events between each two nodes;
        which of these goes which way is drawn. ``"gaps"``: the times between the events of each two
        nodes, in another order. ``"timelines"``: all times of two nodes together, which go to two
        others with as many events. ``"times"``: all times, in any order. All but the last keep
        bursts; docs/howto/temporal.md says what each tells. ``"none"``: no random graphs.
    null_samples : int
        Random graphs; 0 for none, else at least 2.
    seed : int
        The same seed gives the same random graphs.
    n_jobs : int or None
        Workers that share the random graphs, see :class:`gomkcn.PatternMiner`.
    source, target, time : str or int, optional
        Columns of a table, see :func:`gomkcn.read_temporal_edges`.
    bipartite : bool, optional
        Whether these have nodes of their own, see :func:`gomkcn.read_temporal_edges`.
    time_unit : str, optional
        The unit of times that are numbers, see :func:`gomkcn.read_temporal_edges`.
    steps : Steps, optional
        Shows how many random graphs are counted, shares them among workers in the place of
        ``n_jobs``, and tells when time is up: those that are counted by then are compared, and a
        note says how many.

    Returns
    -------
    TemporalCensus

    Raises
    ------
    InputError
        For a window that is none, or a graph without times.

    Examples
    --------
    >>> import networkx as nx
    >>> mail = nx.MultiDiGraph()
    >>> events = [("a", "b", 1), ("b", "a", 2), ("a", "b", 9)]
    >>> _ = mail.add_edges_from((u, v, {"time": t}) for u, v, t in events)
    >>> temporal_census(mail, 8, null_samples=0).counts[4, 0].item(), motif_events(4, 0)
    (1, ((1, 2), (2, 1), (1, 2)))
    """
    check_temporal_options(window, null, null_samples, n_jobs)
    drawn_seed = as_seed("seed", seed)
    edges = read_temporal_edges(
        graph,
        source=source,
        target=target,
        bipartite=bipartite,
        time=time,
        time_unit=time_unit,
    )
    has_unit, length = Window.read(window).has_unit, edges.window(window)
    notes = notes_on(edges, has_unit)
    steps = Steps(n_jobs=n_jobs) if steps is None else steps
    counter, num_edges = _Counter(edges), len(edges.times)
    try:
        counts = steps.once(
            "counting",
            np.ndarray,
            counter.count,
            np.arange(num_edges),
            edges.last_within(length),
            steps.check_time,
        )
    except TimeUpError:
        steps.raise_signal()
        raise InputError(
            "the time limit is over, and the motifs are known when all are counted; give more "
            "time, or a shorter window."
        ) from None
    timelines = Timelines.of(edges)

    def count_drawn(number: int) -> np.ndarray:
        rng = np.random.default_rng([drawn_seed, number])
        drawn = TEMPORAL_NULLS[null].draw(timelines, edges.times, rng)
        until = replace(edges, times=drawn.times).last_within(length)
        return counter.count(drawn.order, until, steps.check_time)

    comparisons: list[NullComparison] = []
    if null_samples and null != NO_NULL:
        notes += notes_on_null(null, timelines)
        found = steps.each(
            "counting in random graphs",
            np.ndarray,
            count_drawn,
            range(null_samples),
            in_time=True,
        )
        if found and (said := what_few_cannot_tell(len(found))):
            notes += (said,)
        if len(found) < null_samples:
            notes += (f"{len(found)} of {null_samples} random graphs were counted",)
        if len(found) >= LEAST_SAMPLES:
            drawn = np.stack([counts, *found])
            comparisons = compare_with_random(null, drawn.reshape(-1, 36))
    span = edges.times[-1].item() - edges.times[0].item() if num_edges else 0
    # in seconds where the window is
    in_a_unit = edges.ticks * (TIME_UNITS[edges.unit] if has_unit else 1)
    return TemporalCensus(
        counts,
        length / in_a_unit,
        edges.num_nodes,
        num_edges,
        span / in_a_unit,
        tuple(comparisons),
        notes,
    )


def notes_on(edges: TemporalEdges, has_unit: bool) -> tuple[str, ...]:
    """What is to be known of the times, also said in the log."""
    notes = [edges.unit_note] if has_unit and edges.unit_note else []
    num_equal = int((edges.times[1:] == edges.times[:-1]).sum())
    if num_equal:
        notes.append(
            f"{num_equal:,} edges have the time of the one before; the order of these is that of "
            "the input"
        )
    for note in notes:
        log.info("%s", note)
    # the reading has said these
    return (*edges.notes, *notes)


def notes_on_null(
    null: str, timelines: Timelines, *, have_attributes: bool = False
) -> tuple[str, ...]:
    """Whether a null model can change hardly anything in a graph, also said in the log.

    Events one way between two nodes are alike, unless they ``have_attributes``.
    """
    can_turn = timelines.goes_both_ways | have_attributes
    note = note_on_null(null, timelines.size, can_turn)
    if note:
        log.warning("%s", note)
    return (note,) if note else ()


class _Counter:
    """Counts the motifs of a graph whose edges may be in any order, at any times.

    Who is joined to whom does not depend on the order, and is looked up once.
    """

    def __init__(self, edges: TemporalEdges, most_triples: float = 2.0**63) -> None:
        """Look up who is joined to whom; int64 counts so many triples by default."""
        self.edges = edges
        self.most_triples = most_triples
        num_edges, num_nodes = len(edges.times), edges.num_nodes
        # a group for each node and neighbour, in the order of both
        node = np.concatenate([edges.source, edges.target])
        neighbor = np.concatenate([edges.target, edges.source])
        pairs, group, size = np.unique(
            node * num_nodes + neighbor, return_inverse=True, return_counts=True
        )
        self.groups = group[:num_edges], group[num_edges:]
        self.ptr = _bounds(np.bincount(node, minlength=num_nodes))
        self.group_ptr = _bounds(size)
        of_node = pairs // max(num_nodes, 1)
        self.first_group = _bounds(np.bincount(of_node, minlength=num_nodes))
        self.neighbor = pairs - of_node * num_nodes
        # blocks of nodes with about as many edges
        wanted = np.arange(_NUM_BLOCKS + 1) * self.ptr[-1] // _NUM_BLOCKS
        self.bounds = np.searchsorted(self.ptr[:-1], wanted)
        self.bounds[-1] = num_nodes

    def _check_range(self, until: np.ndarray) -> None:
        """Refuse a window in which there may be more triples than an int64 counts.

        That of edges at one node is no more than three of all its edges, or of all in the window;
        triangles are found one pair of edges after the other, which no machine does so often.
        """
        at_nodes = np.diff(self.ptr).astype(np.float64)
        in_window = (until - np.arange(len(until))).astype(np.float64)
        triples = min((at_nodes**3).sum() / 6, (in_window**2).sum() / 2)
        if triples >= self.most_triples:
            raise InputError(
                "window",
                f"must hold fewer than 2⁶³ triples of edges, and may hold {triples:.1e}",
                way_out="choose a shorter one",
            )

    def count(
        self, order: np.ndarray, until: np.ndarray, check_time: Callable[[], None]
    ) -> np.ndarray:
        """The counts int64 ``[6, 6]`` where the edge at each place in time is ``order``.

        ``until`` is the last place within a window after each; ``check_time`` is called now and
        then, and may raise.
        """
        self._check_range(until)
        length = 2 * len(order)
        incident = Incident(
            self.ptr,
            np.empty(length, np.int64),
            np.empty(length, np.uint8),
            np.empty(length, np.int64),
            self.first_group,
            self.neighbor,
            self.group_ptr,
            np.empty(length, np.int64),
            np.empty(length, np.int64),
        )
        fill_incident(
            self.edges.source[order],
            self.edges.target[order],
            self.groups[0][order],
            self.groups[1][order],
            incident,
        )
        found = np.zeros((_NUM_BLOCKS, NUM_KINDS, 2, 2, 2), np.int64)
        run_blocks(
            count_stars, _NUM_BLOCKS, _NANOSECONDS * length,
            self.bounds, incident, until, found,
        )  # fmt: skip
        total = found.sum(axis=0)
        total[TRIANGLE] = self._count_triangles(incident, until, check_time)
        counts = np.zeros((6, 6), np.int64)
        for at, number in np.ndenumerate(total):
            if number:
                counts[cell_of(*at)] += number
        return counts

    def _count_triangles(
        self, incident: Incident, until: np.ndarray, check_time: Callable[[], None]
    ) -> np.ndarray:
        """The triangles int64 ``[2, 2, 2]``, by pieces of about as many pairs of edges."""
        pairs = np.empty(len(incident.edge), np.int64)
        count_pairs(incident, until, pairs)
        ends = np.cumsum(pairs + 1)
        num_pieces = 1 + int(ends[-1] // _PAIRS_OF_PIECE) if len(ends) else 0
        wanted = np.arange(1, num_pieces) * _PAIRS_OF_PIECE
        bounds = np.concatenate([[0], np.searchsorted(ends, wanted), [len(ends)]])
        counts = np.zeros((2, 2, 2), np.int64)
        at_a_time = _PIECES_OF_THREAD * num_threads()
        for first in range(0, num_pieces, at_a_time):
            # a small graph is counted whatever the time is
            if first:
                check_time()
            number = min(at_a_time, num_pieces - first)
            found = np.zeros((number, 2, 2, 2), np.int64)
            run_blocks(
                count_triangles, number, _NANOSECONDS_OF_PAIR * _PAIRS_OF_PIECE * number,
                bounds[first:], incident, until, pairs, found,
            )  # fmt: skip
            counts += found.sum(axis=0)
        return counts


def _bounds(sizes: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes)])


def cell_of(kind: int, *ways: int) -> tuple[int, int]:
    """Row and column of a motif as :func:`count_stars` tells it: what is shared, directions.

    >>> cell_of(PAIR, 0, 1, 0)
    (4, 0)
    """
    # 1. the ends of each edge: the node from which directions are seen, then the other
    others = {PAIR: "xxx", FIRST_TWO: "xxy", OUTER_TWO: "xyx", LAST_TWO: "xyy", TRIANGLE: "xyy"}
    centers = "ccx" if kind == TRIANGLE else "ccc"
    seen = list(zip(centers, others[kind], strict=True))
    edges = [ends[::-1] if way else ends for ends, way in zip(seen, ways, strict=True)]
    # 2. nodes are numbered as they appear, the first edge being 1 -> 2
    numbers: dict[str, int] = {}
    for node in chain.from_iterable(edges):
        numbers.setdefault(node, len(numbers) + 1)
    _, second, third = [(numbers[u], numbers[v]) for u, v in edges]
    return SECOND_EDGES.index(second), THIRD_EDGES.index(third)


class Incident(NamedTuple):
    """The edges at each node, in the order of time, and those between each two nodes.

    A number of an edge is its place in the order of time. Of the E edges each stands at its two
    ends. A group holds the edges between a node and one of its neighbours; a group of a node u and
    a neighbour v has the same edges as that of v and u, with the opposite directions.
    """

    ptr: np.ndarray  # int64 [V + 1], entries of each node
    edge: np.ndarray  # int64 [2 E]
    leaves: np.ndarray  # uint8 [2 E]: 0 where the edge leaves the node, 1 where it comes in
    group: np.ndarray  # int64 [2 E]
    groups: np.ndarray  # int64 [V + 1], groups of each node, by their neighbours
    neighbor: np.ndarray  # int64 [G]
    group_ptr: np.ndarray  # int64 [G + 1], edges of each group
    group_edge: np.ndarray  # int64 [2 E], ascending in each group
    group_out: np.ndarray  # int64 [2 E], how many edges of the group up to it leave the node


@compiled()
def fill_incident(
    source: np.ndarray,
    target: np.ndarray,
    source_group: np.ndarray,
    target_group: np.ndarray,
    incident: Incident,
) -> None:
    """Write the entries of each node and group; both are known not to depend on the times."""
    at = incident.ptr[:-1].copy()
    inside = incident.group_ptr[:-1].copy()
    leaving = np.zeros(len(inside), np.int64)
    for edge in range(len(source)):
        for way in range(2):
            node = target[edge] if way else source[edge]
            group = target_group[edge] if way else source_group[edge]
            incident.edge[at[node]] = edge
            incident.leaves[at[node]] = way
            incident.group[at[node]] = group
            at[node] += 1
            incident.group_edge[inside[group]] = edge
            leaving[group] += 1 - way
            incident.group_out[inside[group]] = leaving[group]
            inside[group] += 1


@compiled()
def count_stars(
    first: int,
    last: int,
    bounds: np.ndarray,
    incident: Incident,
    until: np.ndarray,
    out: np.ndarray,
) -> None:
    """Count the stars and the pairs at the nodes of some blocks.

    Parameters
    ----------
    first, last : int
        Blocks; block b has the nodes from ``bounds[b]`` on.
    until : int64 ``[E]``
        The last edge within the window that begins with each edge.
    out : int64 ``[B, 5, 2, 2, 2]``
        For each block, by what the edges share and their three directions, seen from the node that
        the first two edges share (of a triangle), that all share (of a star), or that the first
        edge leaves: 0 where an edge leaves it. The third edge of a triangle is seen from the outer
        node of the first.
    """
    for block in range(first, last):
        counts = out[block]
        for node in range(bounds[block], bounds[block + 1]):
            _count_stars(incident, node, until, counts)


@subroutine()
def _count_stars(incident: Incident, node: int, until: np.ndarray, counts: np.ndarray) -> None:
    begin, end = incident.ptr[node], incident.ptr[node + 1]
    base = incident.groups[node]
    width = incident.groups[node + 1] - base
    # of the edges within the window: how many of each group and direction; how many pairs in the
    # order of time of each group, and of all groups; for the edges of each group, the sum of how
    # many edges were at the node before
    single = np.zeros((width, 2), np.int64)
    double = np.zeros((width, 2, 2), np.int64)
    doubles = np.zeros((2, 2), np.int64)
    before = np.zeros((width, 2, 2), np.int64)
    # of all edges up to now, and up to each entry; of those that have left the window
    passed = np.zeros(2, np.int64)
    passed_at = np.zeros((end - begin, 2), np.int64)
    gone = np.zeros(2, np.int64)
    oldest = begin
    for entry in range(begin, end):
        edge, way = incident.edge[entry], incident.leaves[entry]
        group = incident.group[entry] - base
        # 1. what has left the window is first in all pairs that it is in
        while until[incident.edge[oldest]] < edge:
            other, going = incident.group[oldest] - base, incident.leaves[oldest]
            single[other, going] -= 1
            gone[going] += 1
            for next_way in range(2):
                before[other, going, next_way] -= passed_at[oldest - begin, next_way]
                double[other, going, next_way] -= single[other, next_way]
                doubles[going, next_way] -= single[other, next_way]
            oldest += 1
        # 2. motifs of which this edge is the last
        for a in range(2):
            for b in range(2):
                same = double[group, a, b]
                if a == 0:
                    counts[PAIR, a, b, way] += same
                counts[FIRST_TWO, a, b, way] += doubles[a, b] - same
                # edges of other groups after one of this group, and before one of it
                after = single[group, a] * passed[b] - before[group, a, b] - same
                if a == b:
                    after -= single[group, a]
                counts[OUTER_TWO, a, b, way] += after
                earlier = before[group, b, a] - single[group, b] * gone[a] - same
                counts[LAST_TWO, a, b, way] += earlier
        # 3. this edge is in the window
        for a in range(2):
            double[group, a, way] += single[group, a]
            doubles[a, way] += single[group, a]
            before[group, way, a] += passed[a]
            passed_at[entry - begin, a] = passed[a]
        single[group, way] += 1
        passed[way] += 1


@compiled()
def count_pairs(incident: Incident, until: np.ndarray, out: np.ndarray) -> None:
    """For each edge at a node, the number of earlier ones there that are in one window with it."""
    for node in range(len(incident.ptr) - 1):
        oldest = incident.ptr[node]
        for entry in range(incident.ptr[node], incident.ptr[node + 1]):
            while until[incident.edge[oldest]] < incident.edge[entry]:
                oldest += 1
            out[entry] = entry - oldest


@compiled()
def count_triangles(
    first_block: int,
    last_block: int,
    bounds: np.ndarray,
    incident: Incident,
    until: np.ndarray,
    pairs: np.ndarray,
    out: np.ndarray,
) -> None:
    """Count the triangles whose second edge is in some blocks.

    Block b has the edges at nodes from ``bounds[b]`` on, and ``out`` int64 ``[B, 2, 2, 2]`` the
    directions of the three edges, as :func:`count_stars` tells them; ``pairs`` is what
    :func:`count_pairs` wrote.
    """
    for block in range(first_block, last_block):
        for second in range(bounds[block], bounds[block + 1]):
            _count_triangles_of(incident, second, second - pairs[second], until, out[block])


@subroutine()
def _count_triangles_of(
    incident: Incident, second: int, oldest: int, until: np.ndarray, counts: np.ndarray
) -> None:
    edge, way = incident.edge[second], incident.leaves[second]
    group = incident.group[second]
    far = incident.neighbor[group]
    for first in range(oldest, second):
        if incident.group[first] == group:
            continue
        near = incident.neighbor[incident.group[first]]
        # the edges between the outer nodes, as seen from the one of the first edge
        end_of_near = incident.groups[near + 1]
        third = first_at_least(incident.neighbor, incident.groups[near], end_of_near, far)
        if third == end_of_near or incident.neighbor[third] != far:
            continue
        # those that are later than the second and in the window
        low, high = incident.group_ptr[third], incident.group_ptr[third + 1]
        last = until[incident.edge[first]]
        start = first_at_least(incident.group_edge, low, high, edge + 1)
        stop = first_at_least(incident.group_edge, start, high, last + 1)
        if stop > start:
            leaving = incident.group_out[stop - 1]
            if start > low:
                leaving -= incident.group_out[start - 1]
            counts[incident.leaves[first], way, 0] += leaving
            counts[incident.leaves[first], way, 1] += stop - start - leaving
