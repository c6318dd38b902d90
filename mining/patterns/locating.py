"""Locating: where the patterns that were chosen are."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np

from gomkcn.mining.counting.counter import list_query
from gomkcn.mining.counting.occurrence_search import find_graphs
from gomkcn.mining.counting.query import Query
from gomkcn.mining.counting.watching import STEPS_PER_SECOND
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.occurrences import pick_disjoint
from gomkcn.mining.structures.pattern import MotifPart, Pattern
from gomkcn_dgl.runtime.steps import Steps

log = logging.getLogger("gomkcn_dgl")
# When time is up, what one pattern may take of the seconds that are left, for its count or for each
# of the two searches for its places: for a dozen patterns about a fifth in all. The page has the
# rest.
_LATE_SHARE = 1 / 200
# Seconds that count as left at most, since a signal may end a mining that has no time limit. A
# search then has 0.3 s, about as many steps as `list_steps`.
_MOST_SECONDS_LEFT = 60.0
# steps that are taken however late it is, about a millisecond, so that a few places are met
_LEAST_STEPS = STEPS_PER_SECOND // 1000


@dataclass(frozen=True)
class LocatingLimits:
    """How many places of a pattern are listed, and how long they are looked for.

    Attributes
    ----------
    most_listed : int
        Places of a pattern. Of more a sample of so many is listed, in which a share is known to 1%.
    list_steps : int
        To search for all places of a pattern, about 0.3 s of one thread; then as many to draw some.
    graph_steps : int
        To find the graphs of a collection that hold a pattern whose places are not all listed,
        about 3 s.
    """

    most_listed: int = 10_000
    list_steps: int = 1 << 25
    graph_steps: int = 1 << 28


def locate_patterns(
    mined: MinedGraph,
    patterns: Sequence[Pattern],
    seed: int,
    steps: Steps,
    limits: LocatingLimits | None = None,
) -> list[Pattern]:
    """List the places of each pattern, and count the graphs that hold one.

    What occurs and cannot be located is left out.
    """
    limits = limits or LocatingLimits()
    list_steps = limits.list_steps
    if steps.is_late():
        list_steps = min(list_steps, late_steps(steps))

    def list_nodes(pattern: Pattern) -> tuple[np.ndarray, bool]:
        colors = mined.colors_of(pattern.structure)
        nodes, is_complete = list_query(
            Query.of_structure(mined.graph, pattern.structure, colors),
            most=limits.most_listed,
            max_steps=list_steps,
            known=pattern.frequency.occurrences.low,
            seed=seed,
        )
        if not len(nodes) and pattern.motif is not None:
            # in a large graph the search may end before the first place, and copies are known
            nodes = _exact_copies(mined, pattern.motif)[: limits.most_listed]
            is_complete = False
        return nodes, is_complete

    listings = steps.each(
        "listing places", tuple[np.ndarray, bool], list_nodes, patterns, attrgetter("key")
    )
    located = [
        _with_places(mined, pattern, nodes, is_complete, limits.graph_steps)
        for pattern, (nodes, is_complete) in zip(patterns, listings, strict=True)
        if len(nodes) or pattern.frequency.count == 0 or pattern.motif is not None
    ]
    if len(located) < len(patterns):
        lost = len(patterns) - len(located)
        log.info("%d structures could not be located, and are left out", lost)
    return located


def late_steps(steps: Steps) -> int:
    """The steps for counting a pattern, or for listing its places, when time is up."""
    seconds = min(steps.seconds_left, _MOST_SECONDS_LEFT) * _LATE_SHARE
    return max(_LEAST_STEPS, int(seconds * STEPS_PER_SECOND))


def _exact_copies(mined: MinedGraph, motif: MotifPart) -> np.ndarray:
    """The nodes of the copies of a motif that are occurrences: those without edits, ``[K, M]``."""
    return np.delete(mined.rows_of(motif.copies), motif.edits[:, 0], axis=0)


def _with_places(
    mined: MinedGraph, pattern: Pattern, nodes: np.ndarray, is_complete: bool, graph_steps: int
) -> Pattern:
    """The pattern with its places ``nodes [K, M]``, and what is counted of them."""
    frequency = replace(
        pattern.frequency,
        graphs=_count_graphs(mined, pattern, nodes, is_complete, graph_steps),
        listed=len(nodes),
        disjoint=int(pick_disjoint(nodes).sum()),
    )
    return replace(pattern, occurrences=mined.occurrences(nodes), frequency=frequency)


def _count_graphs(
    mined: MinedGraph, pattern: Pattern, nodes: np.ndarray, is_complete: bool, graph_steps: int
) -> int:
    """Graphs of the collection that hold the pattern, at least; exact if the places are all."""
    if not len(nodes):
        return 0
    num_listed = len(np.unique(mined.graph.graph_of(nodes[:, 0])))
    if is_complete or mined.graph.num_graphs == 1:
        return num_listed
    colors = mined.colors_of(pattern.structure)
    holds_one, _ = find_graphs(mined.graph, pattern.structure, colors, graph_steps)
    # the search may have ended before graphs whose places are listed
    return max(num_listed, int(holds_one.sum()))
