"""Locating: where the patterns that were chosen are."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np

from gomkcn_dgl.runtime.steps import Steps
from mining.counting.counter import list_places
from mining.counting.occurrence_search import find_graphs
from mining.counting.watching import STEPS_PER_SECOND
from mining.mined_graph import MinedGraph
from mining.occurrences import pick_disjoint
from mining.pattern import Pattern

log = logging.getLogger("gomkcn_dgl")
# when time is up, so many steps are for each second that is left: a search for all, and draws, of a
# dozen patterns, of which counting has its part before and the page behind
_LATE_SHARE = 1 / 200
# steps that are taken however late it is, about a millisecond
_LEAST_STEPS = STEPS_PER_SECOND // 1000


@dataclass(frozen=True)
class LocatingLimits:
    """How many places of a pattern are listed, and how long they are looked for.

    Attributes
    ----------
    most_listed : int
        Places of a pattern; of more, a sample tells as much.
    list_steps : int
        To search for all of them, a third of a second of one thread, and then again to draw some.
    graph_steps : int
        To find the graphs of a collection that hold one where not all are listed: some seconds.
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
    most_steps = limits.list_steps
    if steps.is_late():
        most_steps = min(most_steps, late_steps(steps))

    def list_one(pattern: Pattern) -> tuple[np.ndarray, bool]:
        nodes, is_complete = list_places(
            mined.graph,
            pattern.structure,
            mined.colors_of(pattern.structure),
            most=limits.most_listed,
            max_steps=most_steps,
            known=pattern.frequency.occurrences.low,
            seed=seed,
        )
        if not len(nodes) and pattern.motif is not None:
            # a search of a part of a large graph met none; copies with edits are no occurrences
            nodes = mined.rows_of(pattern.motif.copies)
            is_complete = False
            nodes = np.delete(nodes, pattern.motif.edits[:, 0], axis=0)[: limits.most_listed]
        return nodes, is_complete

    found = steps.each(
        "listing places", tuple[np.ndarray, bool], list_one, patterns, attrgetter("key")
    )
    located = [
        _located(mined, pattern, nodes, is_complete, limits.graph_steps)
        for pattern, (nodes, is_complete) in zip(patterns, found, strict=True)
        if len(nodes) or pattern.frequency.count == 0 or pattern.motif is not None
    ]
    if len(located) < len(patterns):
        lost = len(patterns) - len(located)
        log.info("%d structures could not be located, and are left out", lost)
    return located


def late_steps(steps: Steps) -> int:
    """The steps for counting a pattern, or for listing its places, when time is up."""
    # without a time limit, as much as a minute would give
    seconds = min(steps.seconds_left, 60.0) * _LATE_SHARE
    return max(_LEAST_STEPS, int(seconds * STEPS_PER_SECOND))


def _located(
    mined: MinedGraph, pattern: Pattern, nodes: np.ndarray, is_complete: bool, graph_steps: int
) -> Pattern:
    """The pattern with its places."""
    frequency = replace(
        pattern.frequency,
        graphs=_count_graphs(mined, pattern, nodes, is_complete, graph_steps),
        listed=len(nodes),
        disjoint=int(pick_disjoint(nodes).sum()),
    )
    return replace(pattern, occurrences=mined.occurrences(nodes), frequency=frequency)


def _count_graphs(
    mined: MinedGraph, pattern: Pattern, places: np.ndarray, is_complete: bool, graph_steps: int
) -> int:
    """Graphs of the collection that hold one of the places."""
    if not len(places):
        return 0
    held = len(np.unique(mined.graph.graph_of(places[:, 0])))
    if is_complete or mined.graph.num_graphs == 1:
        return held
    colors = mined.colors_of(pattern.structure)
    found, _ = find_graphs(mined.graph, pattern.structure, colors, graph_steps)
    return max(held, int(found.sum()))
