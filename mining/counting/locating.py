"""Step 5: filters learnt on a sample → their patterns in the whole graph."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.runtime.checkpoint_store import CheckpointStore
from gomkcn_dgl.runtime.processes import broadcast_object, is_first
from mining.counting.build_patterns import build_patterns, most_frequent_first
from mining.counting.match_table import match_all
from mining.counting.occurrence_assignment import (
    OccurrenceAssignment,
    PatternOccurrences,
    describe_places,
    map_nodes,
)
from mining.counting.similarity_thresholds import choose_thresholds, sample_chance
from mining.records.pattern import Pattern
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.rooted_subgraphs import RootedSubgraphs

if TYPE_CHECKING:
    from mining.miner import PatternMiner

log = logging.getLogger("gomkcn_dgl")


@dataclass(frozen=True)
class Found:
    """What was found in a graph.

    Attributes
    ----------
    filters : DiscreteFilters
        The patterns as the kernel takes them, most frequent first.
    patterns : list of Pattern
        Their records, row for row.
    num_subgraphs : int
        Subgraphs that were looked at.
    truncated_share : float
        Share of them that were cut.
    nearest, nearest_similarity : numpy.ndarray
        int32 and float32 ``[V]`` position of the most similar pattern of each node, and how similar
        it is; empty where there is no pattern.
    """

    filters: DiscreteFilters
    patterns: list[Pattern]
    num_subgraphs: int
    truncated_share: float
    nearest: np.ndarray
    nearest_similarity: np.ndarray


def locate_patterns(
    miner: PatternMiner,
    graph: CSRGraph,
    around: RootedSubgraphs,
    snapped: DiscreteFilters,
    steps: CheckpointStore,
) -> Found:
    """Look for filters in all subgraphs of a graph, and write the records of those that are there.

    Parameters
    ----------
    miner : PatternMiner
        Its settings count.
    graph : CSRGraph
        Its subgraphs are shared by all processes.
    around : RootedSubgraphs
        What the filters were learnt on.
    snapped : DiscreteFilters
    steps : CheckpointStore
        Keeps the parts.

    Returns
    -------
    Found
        Of several processes the first one has the occurrences, the others patterns without them.
    """

    def choose() -> dict[str, np.ndarray]:
        chance = sample_chance(graph, miner.random_state)
        there = miner.subgraphs_around(chance, np.unique(around.batch.roots))
        return {"least": choose_thresholds(snapped, there)}

    whole = around if len(around.batch) == graph.num_nodes * miner.num_views else None
    stream = miner.stream(graph, whole)
    beside = {"thresholds": choose} if miner.min_similarity is None else {}
    seen = match_all(stream, [snapped], steps, miner.memory_for(graph).table, beside)
    least: float | np.ndarray | None = miner.min_similarity
    if least is None:
        least = steps.take_once("thresholds", choose)["least"]
    kept: list[int] = []
    wanted: list[np.ndarray] = []
    if is_first():
        competition = OccurrenceAssignment(seen[0], snapped, miner.occurrence_rule, least)
        kept, shares = competition.frequent(miner.min_support)
        wanted = competition.wanted(kept, shares)
    kept, wanted = broadcast_object((kept, wanted))
    players = map_nodes(stream, [snapped.take([i]) for i in kept], wanted, steps)
    if not is_first():
        return broadcast_object(None)  # type: ignore[return-value]
    places = describe_places(competition, kept, shares, wanted, players, graph)
    found = _describe(miner, graph, competition, snapped, kept, places)
    bare = [replace(pattern, occurrences=()) for pattern in found.patterns]
    broadcast_object(replace(found, patterns=bare))
    return found


def _describe(
    miner: PatternMiner,
    graph: CSRGraph,
    competition: OccurrenceAssignment,
    snapped: DiscreteFilters,
    kept: Sequence[int],
    places: Sequence[PatternOccurrences],
) -> Found:
    """Write the records of the patterns that were kept."""
    if not kept:
        log.warning("no pattern has %d distinct occurrences; lower min_support", miner.min_support)
    order = most_frequent_first(places)
    numbers = [kept[i] for i in order]
    filters = snapped.take(numbers)
    patterns = build_patterns(
        filters,
        [places[i] for i in order],
        graph,
        miner.scaling_,
        exact_seconds=miner.exact_seconds,
        seed=miner.random_state,
    )
    seen = competition.sightings
    nearest, similarity = _nearest(competition, numbers, miner.num_views)
    return Found(filters, patterns, len(seen), float(seen.truncated.mean()), nearest, similarity)


def _nearest(
    competition: OccurrenceAssignment, numbers: Sequence[int], num_views: int
) -> tuple[np.ndarray, np.ndarray]:
    """Nearest pattern of each node, and how similar it is."""
    if not numbers:
        return np.empty(0, np.int32), np.empty(0, np.float32)
    nearest = competition.nearest(np.array(numbers))
    pattern, similarity = (column.reshape(-1, num_views) for column in nearest)
    # of several subgraphs around a node, the one that is most similar
    best = similarity.argmax(axis=1)[:, None]
    return (
        np.take_along_axis(pattern, best, axis=1)[:, 0].astype(np.int32),
        np.take_along_axis(similarity, best, axis=1)[:, 0],
    )
