"""Search for occurrences of a pattern of events: compiled, from each event that may be its start.

The events stand in the order of time, and a place is a number in it. From the start, the edge of
the pattern is tried next that the fewest events may be: those between two nodes, those that leave
one or those that reach one, within the window and the order that the pattern asks for.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gomkcn.mining.structures.pattern import OccurrenceCount
from gomkcn_dgl.io.temporal_edges import TemporalEdges
from gomkcn_dgl.kernels.compiled_graph import first_at_least
from gomkcn_dgl.runtime.compiled import compiled, num_threads, run_blocks, subroutine

# how two edges of a pattern stand in time: the first is at an earlier place, or its time compares
PLACE, LESS, LESS_EQUAL, EQUAL, UNEQUAL = range(5)
# the signs of comparisons, by their number
SIGN_NUMBERS = {"=": 0, "!=": 1, "<": 2, "<=": 3, ">": 4, ">=": 5}
# parts of a search, in random order: what some of them hold tells what all do
_NUM_PARTS = 4096
# between two looks at the clock
_SECONDS_APART = 0.2
# about what a start takes
_NANOSECONDS = 1000
# the probability below the upper end of a 95% interval
_HIGH = 0.975


class SearchPattern(NamedTuple):
    """A pattern of m edges and n nodes, as compiled code takes it."""

    ends: np.ndarray  # int64 [m, 2], numbers of nodes
    num_nodes: int
    start: int  # the edge that is placed first
    orders: np.ndarray  # int64 [K, 3]: an edge, another one, how they stand in time
    signs: np.ndarray  # int64 [C, 3]: an edge, another one, the number of a sign
    left: np.ndarray  # float64 [C, E], what is compared, NaN where it is missing
    right: np.ndarray  # float64 [C, E]
    symmetries: np.ndarray  # int64 [G, m], permutations of edges that change nothing
    is_free: np.ndarray  # bool [m]: whether any event between its nodes, in its time, fits


class Neighbors(NamedTuple):
    """Who is joined to whom, which does not depend on the order: numbers of edges are counted."""

    out_ptr: np.ndarray  # int64 [V + 1]
    in_ptr: np.ndarray  # int64 [V + 1]
    pair: np.ndarray  # int64 [E], the number of the two nodes of each edge
    pair_ptr: np.ndarray  # int64 [P + 1]
    first_pair: np.ndarray  # int64 [V + 1], pairs of each source
    pair_target: np.ndarray  # int64 [P], ascending for each source

    @classmethod
    def of(cls, edges: TemporalEdges) -> Neighbors:
        """Those of edges."""
        number = max(edges.num_nodes, 1)
        keys, pair, sizes = np.unique(
            edges.source * number + edges.target, return_inverse=True, return_counts=True
        )
        return cls(
            _bounds(np.bincount(edges.source, minlength=number)),
            _bounds(np.bincount(edges.target, minlength=number)),
            pair.astype(np.int64),
            _bounds(sizes),
            _bounds(np.bincount(keys // number, minlength=number)),
            keys % number,
        )


class PlacedEvents(NamedTuple):
    """Events in the order of time."""

    edge: np.ndarray  # int64 [E], the number of the edge at each place
    source: np.ndarray  # int64 [E]
    target: np.ndarray  # int64 [E]
    may_be: np.ndarray  # int64 [E], bit i: by itself, the event may be edge i of the pattern
    since: np.ndarray  # int64 [E], the first place that is in one window with each
    until: np.ndarray  # int64 [E], the last one
    first_equal: np.ndarray  # int64 [E], the first place of the same time
    last_equal: np.ndarray  # int64 [E]
    out_place: np.ndarray  # int64 [E], places of the events that leave each node, ascending
    in_place: np.ndarray  # int64 [E], that reach it
    pair_place: np.ndarray  # int64 [E], between each two nodes

    @classmethod
    def of(
        cls,
        edges: TemporalEdges,
        neighbors: Neighbors,
        order: np.ndarray,
        times: np.ndarray,
        until: np.ndarray,
        may_be: np.ndarray,
    ) -> PlacedEvents:
        """The edges at the places ``order``, at ascending times; ``may_be`` is by places."""
        source, target = edges.source[order], edges.target[order]
        return cls(
            order,
            source,
            target,
            may_be,
            np.searchsorted(until, np.arange(len(order)), "left"),
            until,
            np.searchsorted(times, times, "left"),
            np.searchsorted(times, times, "right") - 1,
            np.argsort(source, kind="stable"),
            np.argsort(target, kind="stable"),
            np.argsort(neighbors.pair[order], kind="stable"),
        )


class PartCounts(NamedTuple):
    """Occurrences in the parts of a search that were done, and how many parts there are."""

    counts: np.ndarray  # int64 [D]
    num_parts: int
    places: np.ndarray  # int64 [K, m], of the events of some, in the order of their first events

    @property
    def total(self) -> int:
        """Occurrences in the parts that were done."""
        return int(self.counts.sum())

    @property
    def all(self) -> OccurrenceCount:
        """The number of all occurrences: exact, or an estimate from the parts that were done.

        Occurrences crowd: a few parts hold many, and where these are not done yet, mean and
        variance are both too small. So the variance is taken as proportional to the mean, at least
        as large as of independent occurrences, and the ends of the 95% interval are the means from
        which the mean that was seen is as far off as may be (E. B. Wilson, 1927). The quantile is
        Student's for as many parts as the variance is made of, less one: of the squared deviations,
        (sum)² / sum of squares (L. Kish, 1965).

        >>> PartCounts(np.array([2, 1, 0, 3]), 4096, np.empty((0, 3), np.int64)).all.value
        6144.0
        """
        done = len(self.counts)
        if done == self.num_parts:
            return OccurrenceCount.exact(self.total)
        if not self.total:
            return OccurrenceCount(0.0, 0.0, math.inf, is_exact=False)
        # takes longer to load than to count what is exact
        from scipy.special import stdtrit

        counts = self.counts.astype(np.float64)
        mean = float(counts.mean())
        # 1. the variance of the mean of these parts, for a mean of one
        of_part = max(float(counts.var(ddof=1)) / mean, 1.0)
        unit = of_part * (1 - done / self.num_parts) / done
        # 2. the quantile
        squares = (counts - mean) ** 2
        num_in = squares.sum() ** 2 / (squares**2).sum() if squares.any() else done
        t = float(stdtrit(max(num_in - 1, 1.0), _HIGH))
        # 3. |mean - m| = t √(unit m), solved for m
        shift = t**2 * unit / 2
        half = math.sqrt(t**2 * unit * mean + shift**2)
        low, value, high = (
            number * self.num_parts for number in (mean + shift - half, mean, mean + shift + half)
        )
        return OccurrenceCount(value, max(low, self.total), high, is_exact=False)


class Search(NamedTuple):
    """A pattern, and the events among which it is looked for."""

    pattern: SearchPattern
    neighbors: Neighbors
    events: PlacedEvents

    @property
    def starts(self) -> np.ndarray:
        """The places of the events that may be the start."""
        return np.flatnonzero(self.events.may_be >> self.pattern.start & 1)

    def run(
        self,
        rng: np.random.Generator,
        is_late: Callable[[], bool],
        report: Callable[[float], None],
        most: int = 0,
        before: PartCounts | None = None,
        keep: Callable[[PartCounts], None] = lambda _: None,
    ) -> PartCounts:
        """Count part by part, in random order, until all are done or time is up.

        The first parts, at least two, are counted whatever the time is. Of the parts that come
        first up to ``most`` occurrences are listed. ``keep`` is told how far the search has come,
        and ``before`` is what it was told of the same search when that ended.
        """
        starts = self.starts
        num_parts = min(_NUM_PARTS, len(starts))
        parts = rng.permutation(num_parts)
        counts = np.zeros(num_parts, np.int64)
        nanoseconds = _NANOSECONDS * len(starts) / max(num_parts, 1)
        done, size = 0, max(2, num_threads())
        listed = [np.empty((0, len(self.pattern.ends)), np.int64)]
        if before is not None:
            done = len(before.counts)
            counts[:done] = before.counts
            listed = [before.places]
        left = most - len(listed[0])
        while done < num_parts:
            if done and is_late():
                break
            begin = time.perf_counter()
            some = parts[done : done + size]
            run_blocks(
                count_parts, len(some), nanoseconds * len(some),
                some, num_parts, starts, *self, counts[done : done + size],
            )  # fmt: skip
            for part, number in zip(
                some.tolist(), counts[done : done + size].tolist(), strict=True
            ):
                if left and number:
                    listed.append(self._list(starts, part, num_parts, min(number, left)))
                    left -= len(listed[-1])
            done += len(some)
            report(done / num_parts)
            keep(PartCounts(counts[:done], num_parts, np.concatenate(listed)))
            # as many as take long enough, next time
            seconds = max(time.perf_counter() - begin, 1e-6)
            nanoseconds = 1e9 * seconds * min(num_threads(), len(some)) / len(some)
            growth = min(_SECONDS_APART / seconds, 8)
            size = max(num_threads(), int(len(some) * growth))
        places = np.concatenate(listed)
        first = places.min(axis=1, initial=len(self.events.edge))
        order = np.lexsort([*places.T[::-1], first])
        return PartCounts(counts[:done], num_parts, places[order])

    def _list(self, starts: np.ndarray, part: int, num_parts: int, number: int) -> np.ndarray:
        """The places of the first occurrences of a part, int64 ``[K, m]``."""
        rows = np.empty((number, len(self.pattern.ends)), np.int64)
        list_part(part, num_parts, starts, *self, rows)
        return rows


def _bounds(sizes: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes)])


@compiled()
def count_parts(
    first: int,
    last: int,
    parts: np.ndarray,
    num_parts: int,
    starts: np.ndarray,
    pattern: SearchPattern,
    neighbors: Neighbors,
    events: PlacedEvents,
    out: np.ndarray,
) -> None:
    """Count the occurrences in some parts; part i has every ``num_parts``-th start from i on."""
    nothing = np.empty((0, len(pattern.ends)), np.int64)
    for block in range(first, last):
        number = 0
        for at in range(parts[block], len(starts), num_parts):
            number += _occurrences_from(starts[at], pattern, neighbors, events, nothing, 0)
        out[block] = number


@compiled()
def list_part(
    part: int,
    num_parts: int,
    starts: np.ndarray,
    pattern: SearchPattern,
    neighbors: Neighbors,
    events: PlacedEvents,
    out: np.ndarray,
) -> None:
    """Write the first occurrences of a part, int64 ``[K, m]``: the places of their events."""
    number = 0
    for at in range(part, len(starts), num_parts):
        number += _occurrences_from(starts[at], pattern, neighbors, events, out, number)
        if number >= len(out):
            return


@subroutine()
def _occurrences_from(
    start: int,
    pattern: SearchPattern,
    neighbors: Neighbors,
    events: PlacedEvents,
    out: np.ndarray,
    begin: int,
) -> int:
    """The number of occurrences whose start is at a place; they are written from a row on.

    Where ``out`` has no room, not all need to be counted one by one.
    """
    size = len(pattern.ends)
    place_of = np.full(size, -1, np.int64)
    node_of = np.full(pattern.num_nodes, -1, np.int64)
    # for each depth: the edge of the pattern, the list of places that it may have, and where in it
    edge_at = np.empty(size, np.int64)
    kind_at = np.empty(size, np.int64)
    cursor = np.empty(size, np.int64)
    stop = np.empty(size, np.int64)
    # and the nodes that it has mapped
    mapped = np.full((size, 2), -1, np.int64)
    number = 0
    place_of[pattern.start] = start
    node_of[pattern.ends[pattern.start, 0]] = events.source[start]
    node_of[pattern.ends[pattern.start, 1]] = events.target[start]
    depth = 0
    is_new = True
    while True:
        if is_new:
            # 1. all edges have their event
            if depth == size - 1:
                if _is_least(pattern.symmetries, place_of):
                    if begin + number < len(out):
                        out[begin + number] = place_of
                    number += 1
                    if len(out) and begin + number >= len(out):
                        return number
                is_new = False
            else:
                # 2. the edge that the fewest events may be is next
                depth += 1
                _choose(
                    pattern, neighbors, events, place_of, node_of,
                    depth, edge_at, kind_at, cursor, stop,
                )  # fmt: skip
                chosen = edge_at[depth]
                is_last = depth == size - 1 and kind_at[depth] == 2
                if is_last and pattern.is_free[chosen] and not len(out):
                    number += stop[depth] - cursor[depth]
                    cursor[depth] = stop[depth]
                is_new = False
                # nothing is placed at this depth yet
                place_of[chosen] = -1
                mapped[depth] = -1
        if depth == 0:
            return number
        # 3. take back the event of this depth, and try the next one
        edge = edge_at[depth]
        place_of[edge] = -1
        for end in range(2):
            if mapped[depth, end] >= 0:
                node_of[mapped[depth, end]] = -1
                mapped[depth, end] = -1
        if cursor[depth] == stop[depth]:
            depth -= 1
            continue
        at = cursor[depth]
        cursor[depth] += 1
        if kind_at[depth] == 2:
            place = events.pair_place[at]
        elif kind_at[depth] == 0:
            place = events.out_place[at]
        else:
            place = events.in_place[at]
        if not _fits(pattern, events, place_of, node_of, edge, place):
            continue
        place_of[edge] = place
        for end in range(2):
            node = pattern.ends[edge, end]
            if node_of[node] < 0:
                node_of[node] = events.target[place] if end else events.source[place]
                mapped[depth, end] = node
        is_new = True


@subroutine()
def _choose(
    pattern: SearchPattern,
    neighbors: Neighbors,
    events: PlacedEvents,
    place_of: np.ndarray,
    node_of: np.ndarray,
    depth: int,
    edge_at: np.ndarray,
    kind_at: np.ndarray,
    cursor: np.ndarray,
    stop: np.ndarray,
) -> None:
    """Write which edge is placed next, and the places that it may have by nodes and time."""
    earliest = len(events.edge)
    latest = -1
    for edge in range(len(place_of)):
        if place_of[edge] >= 0:
            earliest = min(earliest, place_of[edge])
            latest = max(latest, place_of[edge])
    fewest = -1
    for edge in range(len(place_of)):
        source, target = node_of[pattern.ends[edge, 0]], node_of[pattern.ends[edge, 1]]
        if place_of[edge] >= 0 or (source < 0 and target < 0):
            continue
        # 1. in time
        low, high = events.since[latest], events.until[earliest]
        for row in range(len(pattern.orders)):
            before, after, how = pattern.orders[row]
            if after == edge and place_of[before] >= 0:
                place = place_of[before]
                if how == PLACE:
                    low = max(low, place + 1)
                elif how == LESS:
                    low = max(low, events.last_equal[place] + 1)
                elif how != UNEQUAL:
                    low = max(low, events.first_equal[place])
                if how == EQUAL:
                    high = min(high, events.last_equal[place])
            elif before == edge and place_of[after] >= 0:
                place = place_of[after]
                if how == PLACE:
                    high = min(high, place - 1)
                elif how == LESS:
                    high = min(high, events.first_equal[place] - 1)
                elif how != UNEQUAL:
                    high = min(high, events.last_equal[place])
                if how == EQUAL:
                    low = max(low, events.first_equal[place])
        # 2. by its nodes
        if source >= 0 and target >= 0:
            kind, places = 2, events.pair_place
            end_of_source = neighbors.first_pair[source + 1]
            pair = first_at_least(
                neighbors.pair_target, neighbors.first_pair[source], end_of_source, target
            )
            first = last = 0
            if pair < end_of_source and neighbors.pair_target[pair] == target:
                first, last = neighbors.pair_ptr[pair], neighbors.pair_ptr[pair + 1]
        elif source >= 0:
            kind, places = 0, events.out_place
            first, last = neighbors.out_ptr[source], neighbors.out_ptr[source + 1]
        else:
            kind, places = 1, events.in_place
            first, last = neighbors.in_ptr[target], neighbors.in_ptr[target + 1]
        first = first_at_least(places, first, last, low)
        last = first_at_least(places, first, last, high + 1)
        if fewest < 0 or last - first < fewest:
            fewest = last - first
            edge_at[depth], kind_at[depth] = edge, kind
            cursor[depth], stop[depth] = first, last
        if fewest == 0:
            return


@subroutine()
def _fits(
    pattern: SearchPattern,
    events: PlacedEvents,
    place_of: np.ndarray,
    node_of: np.ndarray,
    edge: int,
    place: int,
) -> bool:
    """Whether an event may be an edge of the pattern, beside those that are placed."""
    if not events.may_be[place] >> edge & 1:
        return False
    # 1. another event than those of the other edges
    for other in range(len(place_of)):
        if place_of[other] == place:
            return False
    # 2. nodes that are not mapped become others than those that are
    for end in range(2):
        if node_of[pattern.ends[edge, end]] < 0:
            node = events.target[place] if end else events.source[place]
            for known in range(len(node_of)):
                if node_of[known] == node:
                    return False
    # 3. different times
    for row in range(len(pattern.orders)):
        before, after, how = pattern.orders[row]
        if how == UNEQUAL and (before == edge or after == edge):
            other = place_of[after if before == edge else before]
            if other >= 0 and events.first_equal[other] == events.first_equal[place]:
                return False
    # 4. what is compared
    for row in range(len(pattern.signs)):
        first, second, sign = pattern.signs[row]
        if first == edge and place_of[second] >= 0:
            left = pattern.left[row, events.edge[place]]
            right = pattern.right[row, events.edge[place_of[second]]]
        elif second == edge and place_of[first] >= 0:
            left = pattern.left[row, events.edge[place_of[first]]]
            right = pattern.right[row, events.edge[place]]
        else:
            continue
        if not _compares(left, sign, right):
            return False
    return True


@subroutine()
def _compares(left: float, sign: int, right: float) -> bool:
    if np.isnan(left) or np.isnan(right):
        return False
    if sign == 0:
        return left == right
    if sign == 1:
        return left != right
    if sign == 2:
        return left < right
    if sign == 3:
        return left <= right
    if sign == 4:
        return left > right
    return left >= right


@subroutine()
def _is_least(symmetries: np.ndarray, place_of: np.ndarray) -> bool:
    """Whether no symmetry gives the same events in an order that is less."""
    for row in range(len(symmetries)):
        for edge in range(len(place_of)):
            other = place_of[symmetries[row, edge]]
            if other < place_of[edge]:
                return False
            if other > place_of[edge]:
                break
    return True
