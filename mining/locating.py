"""Locating: where the patterns that were chosen are, in the whole graph and around its nodes."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter

import numpy as np

from gomkcn_dgl.runtime.processes import is_first
from gomkcn_dgl.runtime.steps import Steps
from mining.counting.counter import list_places
from mining.counting.exact_search import find_graphs
from mining.learning.neighbourhoods import (
    Places,
    compare_neighbourhoods,
    similarity_of_places,
    turn_places,
)
from mining.learning.rooted_subgraphs import ScaledFeatures
from mining.learning.subgraph_source import SubgraphSource
from mining.mined_graph import MinedGraph
from mining.occurrences import pick_disjoint
from mining.pattern import Pattern, Profile

log = logging.getLogger("gomkcn_dgl")
# most places of a pattern that are listed
MOST_LISTED = 10_000
# steps to search for all of them, and then as much work to draw some
LIST_STEPS = 1 << 25
# steps to find the graphs of a collection that hold a pattern of more places than are listed
_GRAPH_STEPS = 1 << 28


def locate_patterns(
    mined: MinedGraph,
    source: SubgraphSource,
    patterns: Sequence[Pattern],
    min_occurrences: int,
    steps: Steps,
) -> list[Pattern]:
    """List the places of each pattern.

    Patterns get their occurrences, frequencies, and a profile for each kind of features that at
    least ``min_occurrences`` of their places have. All processes share the work and get the result.
    """
    features = ScaledFeatures(mined.graph.features, source.scaling)

    def list_one(pattern: Pattern) -> dict[str, np.ndarray]:
        nodes, is_complete = list_places(
            mined.graph,
            pattern.structure,
            mined.colors_of(pattern.structure),
            most=MOST_LISTED,
            max_steps=LIST_STEPS,
            known=pattern.frequency.occurrences.low,
            seed=source.seed,
        )
        if not len(nodes) and pattern.motif is not None:
            # a search of a part of a large graph met none; copies with edits are no occurrences
            nodes, is_complete = mined.rows_of(pattern.motif.copies), False
            nodes = np.delete(nodes, pattern.motif.edits[:, 0], axis=0)[:MOST_LISTED]
        return {"nodes": nodes, "is_complete": np.array(is_complete)}

    found = steps.each("listing places", list_one, patterns, attrgetter("key"))
    located = []
    for pattern, listed in zip(patterns, found, strict=True):
        if len(listed["nodes"]) or pattern.frequency.count == 0 or pattern.motif is not None:
            located.append(_located(mined, source, features, pattern, listed, min_occurrences))
    if len(located) < len(patterns) and is_first():
        lost = len(patterns) - len(located)
        log.info("%d structures could not be located, and are left out", lost)
    return located


def count_roots(
    mined: MinedGraph, source: SubgraphSource, patterns: Sequence[Pattern], steps: Steps
) -> list[Pattern]:
    """The patterns with the nodes whose neighbourhood is theirs, or most similar to theirs.

    These are the frequencies of the GOMKCN paper (section VI-B). In a large graph a sample of the
    nodes stands for all.
    """
    roots = source.sample_roots(mined.graph)
    near = compare_neighbourhoods(source, mined.graph, patterns, roots, steps)
    nearest = near.nearest
    scale = mined.graph.num_nodes / max(1, len(near.roots))
    return [
        replace(
            one,
            frequency=replace(
                one.frequency,
                roots=round(int(near.same[:, number].sum()) * scale),
                assigned=round(int((nearest == number).sum()) * scale),
            ),
        )
        for number, one in enumerate(patterns)
    ]


def _located(
    mined: MinedGraph,
    source: SubgraphSource,
    features: ScaledFeatures,
    pattern: Pattern,
    listed: Mapping[str, np.ndarray],
    min_occurrences: int,
) -> Pattern:
    """The pattern with its places, the most similar first, and the features that they have."""
    centers = [source.scaling.scale(one.features) for one in pattern.profiles]
    places = turn_places(listed["nodes"], pattern.structure, features, centers, min_occurrences)
    pattern = replace(pattern, profiles=_profiles_of(pattern, places, source))
    similarity = np.zeros(len(places.nodes), np.float32)
    for number, mean in places.means.items():
        own = np.flatnonzero(places.owner == number)
        values = features[places.nodes[own]]
        # places with the same features have those of the profile, their mean
        similarity[own] = 1.0
        if (values != values[:1]).any():
            similarity[own] = similarity_of_places(source.kernel, values, mean)
    order = np.argsort(-similarity, kind="stable")
    frequency = replace(
        pattern.frequency,
        graphs=_count_graphs(mined, pattern, places.nodes, bool(listed["is_complete"])),
        listed=len(places.nodes),
        disjoint=int(pick_disjoint(places.nodes).sum()),
    )
    return replace(
        pattern,
        occurrences=mined.occurrences(places.nodes[order], similarity[order]),
        frequency=frequency,
        feature_names=mined.graph.feature_names,
    )


def _profiles_of(pattern: Pattern, places: Places, source: SubgraphSource) -> tuple[Profile, ...]:
    """The mean features of the places of each center, with the weights that it learnt."""
    learnt = pattern.profiles or (Profile(np.empty(0), pattern.structure.channels.astype(float)),)
    return tuple(
        Profile(
            source.scaling.restore(mean),
            learnt[number].weights,
            sum(learnt[one].num_filters for one, to in places.joined.items() if to == number),
            float((places.owner == number).mean()) if len(places.owner) else 1.0,
        )
        for number, mean in places.means.items()
    )


def _count_graphs(
    mined: MinedGraph, pattern: Pattern, places: np.ndarray, is_complete: bool
) -> int:
    """Graphs of the collection that hold one of the places."""
    if not len(places):
        return 0
    held = len(np.unique(mined.graph.graph_of(places[:, 0])))
    if is_complete or mined.graph.num_graphs == 1:
        return held
    colors = mined.colors_of(pattern.structure)
    found, _ = find_graphs(mined.graph, pattern.structure, colors, _GRAPH_STEPS)
    return max(held, int(found.sum()))
