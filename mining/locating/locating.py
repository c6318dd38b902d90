"""Locating: where the patterns that were chosen are, in the whole graph and around its nodes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from math import sqrt

import numpy as np
import torch

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.runtime.checkpoint_store import CheckpointStore
from gomkcn_dgl.runtime.processes import is_first
from mining.counting.exact_counts import find_graphs
from mining.counting.occurrence_lists import list_places
from mining.job_stages import NEAR, THRESHOLDS
from mining.locating.neighbourhoods import Neighbourhoods, compare_neighbourhoods
from mining.locating.places import Places, similarity_of_places, turn_places
from mining.locating.similarity_thresholds import choose_thresholds, draw_null_graph
from mining.records.frequency import Frequency
from mining.records.occurrence import Medoid, Occurrences
from mining.records.occurrence_count import OccurrenceCount
from mining.structures.categories import Categories
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.feature_scaling import ScaledFeatures
from mining.structures.overlaps import pick_disjoint
from mining.structures.structure import Structure
from mining.structures.subgraph_source import SubgraphSource

log = logging.getLogger("gomkcn_dgl")

# most places of a pattern that are listed
MOST_LISTED = 10_000
# steps to search for all of them, and then as much work to draw some
LIST_STEPS = 1 << 25
# seconds to find the graphs of a collection that hold a pattern of more places than are listed
_GRAPH_SECONDS = 2.0
# standard errors on either side of a 95 % interval
_ERRORS = 1.96


@dataclass(frozen=True, eq=False)
class ChosenStructure:
    """A structure to report, how often it occurs, and the filters that learnt it, if any.

    The nodes of the filters are in the order of those of the structure. A ``noisy`` one is the
    consensus of noisy copies. ``example`` is a place that is known.
    """

    structure: Structure
    count: OccurrenceCount
    filters: DiscreteFilters | None = None
    noisy: bool = False
    example: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class LocatedPattern:
    """Places of one pattern, the most similar first, and how often it occurs.

    The medoid is the most similar place, ``min_similarity`` what a root must reach to count, and
    ``origin`` the position of its structure among those that were chosen.
    """

    occurrences: Occurrences
    medoid: Medoid
    frequency: Frequency
    min_similarity: float
    origin: int


@dataclass(frozen=True, eq=False)
class LocatedPatterns:
    """The patterns that were chosen, as filters and with their places; and the neighbourhoods."""

    filters: DiscreteFilters
    located: list[LocatedPattern]
    neighbourhoods: Neighbourhoods

    @property
    def first_patterns(self) -> dict[int, int]:
        """The number of the first pattern of each structure that was chosen, by its position."""
        numbers: dict[int, int] = {}
        for number, one in enumerate(self.located):
            numbers.setdefault(one.origin, number)
        return numbers


def locate_patterns(
    source: SubgraphSource,
    graph: CSRGraph,
    chosen: Sequence[ChosenStructure],
    most: int,
    min_similarity: float | None,
    min_support: int,
    checkpoints: CheckpointStore,
    occurrences_at: Callable[[np.ndarray, np.ndarray], Occurrences],
) -> LocatedPatterns:
    """List the places of each structure, and compare the neighbourhoods of nodes with all.

    There are at most ``most`` patterns, beside those of noisy copies, although one structure may
    have several. ``occurrences_at`` makes records of places ``[K, M]`` and their
    similarity ``[K]``.

    ``min_similarity`` None: a threshold for each pattern from a null-model graph. In a large graph
    the neighbourhoods are a sample. Of patterns that share a structure each has ``min_support``
    places. All processes share the work and get the result.
    """
    features = ScaledFeatures(graph.features, source.scaling)
    # 1. places of each structure in the whole graph, as one pattern, or as several where filters
    # learnt different features
    places = _list_all(source, graph, features, chosen, min_support, checkpoints)
    plain = [one for one in places if not chosen[one[0]].noisy][:most]
    places = [one for one in places if chosen[one[0]].noisy or one in plain]
    filters = _as_filters(source, graph, chosen, places)
    # 2. the neighbourhoods of nodes beside all patterns, and the least similarity that counts
    checkpoints.progress.begin(NEAR)
    roots = source.sample_roots(graph)
    near = compare_neighbourhoods(source, graph, filters, roots, checkpoints)
    least = np.full(len(places), 0.0 if min_similarity is None else min_similarity)
    if min_similarity is None and places:
        checkpoints.progress.begin(THRESHOLDS)
        least = _draw_thresholds(source, graph, filters, roots, checkpoints)
    # 3. the record of each pattern; a sample of the roots stands for all
    scale = graph.num_nodes / max(1, len(near.roots))
    located = []
    for number, (origin, own) in enumerate(places):
        rows, nodes = near.rows_of(number, least[number]), own.nodes
        similarity = similarity_of_places(source, features, nodes, filters.take([number]))
        frequency = Frequency(
            _share_of(chosen[origin].count, own),
            graphs=_count_graphs(graph, chosen[origin].structure, source.categories, own),
            roots=round(len(rows) * scale),
            similar=near.count_sets(number, rows),
            listed=len(nodes),
            disjoint=int(pick_disjoint(nodes, graph.num_nodes).sum()),
        )
        order = np.argsort(-similarity, kind="stable")
        occurrences = occurrences_at(nodes[order], similarity[order])
        located.append(_record(occurrences, nodes.shape[1], frequency, least[number], origin))
    # 4. a pattern that occurs needs a place at least
    kept = [
        number
        for number, one in enumerate(located)
        if one.frequency.listed or one.frequency.occurrences.value == 0
    ]
    if len(kept) < len(located) and is_first():
        lost = len(located) - len(kept)
        log.info("%d structures could not be located, and are left out", lost)
    located = [located[number] for number in kept]
    return LocatedPatterns(filters.take(kept), located, near.take(kept))


def _list_all(
    source: SubgraphSource,
    graph: CSRGraph,
    features: ScaledFeatures,
    chosen: Sequence[ChosenStructure],
    min_support: int,
    checkpoints: CheckpointStore,
) -> list[tuple[int, Places]]:
    """The places of each pattern, with the number of its structure."""

    def list_one(number: int) -> dict[str, np.ndarray]:
        structure = chosen[number].structure
        nodes, is_complete = list_places(
            graph,
            structure.adjacency,
            structure.colors_in(graph, source.categories),
            most=MOST_LISTED,
            max_steps=LIST_STEPS,
            known=chosen[number].count.low,
            seed=source.seed,
        )
        if not len(nodes) and chosen[number].example is not None:
            # a search of a part of a large graph met none
            nodes, is_complete = np.array([chosen[number].example], np.int32), False
        return {"nodes": nodes, "is_complete": np.array(is_complete)}

    tasks = {f"places-{number}": partial(list_one, number) for number in range(len(chosen))}
    places = []
    for number, (listed, one) in enumerate(zip(checkpoints.finish(tasks), chosen, strict=True)):
        centers = () if one.filters is None else one.filters.feat.numpy()
        size = one.structure.num_nodes
        parts = turn_places(
            listed["nodes"],
            bool(listed["is_complete"]),
            one.structure,
            features,
            [center[:size] for center in centers],
            min_support,
        )
        places += [(number, part) for part in parts]
    return places


def _as_filters(
    source: SubgraphSource,
    graph: CSRGraph,
    chosen: Sequence[ChosenStructure],
    places: Sequence[tuple[int, Places]],
) -> DiscreteFilters:
    """The patterns as the kernel takes them."""
    width, num_features = source.max_nodes, graph.features.shape[1]
    rows = []
    for origin, own in places:
        one, size = chosen[origin], chosen[origin].structure.num_nodes
        adj = torch.from_numpy(one.structure.adjacency[None].astype(np.float32))
        feat = torch.from_numpy(own.features[None])
        row = DiscreteFilters(adj, feat, adj, (size,), (0,), (one.noisy,))
        if one.filters is not None:
            # the edge weights that were learnt, and how many filters learnt it
            learnt = one.filters.take([own.center])
            row = replace(row, weights=learnt.trimmed(size).weights, merged=learnt.merged)
        rows.append(row.trimmed(width))
    if rows:
        return DiscreteFilters.join(rows)
    channels = (len(graph.relations.channels),) if len(graph.relations.channels) > 1 else ()
    empty = torch.zeros(0, width, width, *channels)
    return DiscreteFilters(empty, torch.zeros(0, width, num_features), empty, ())


def _draw_thresholds(
    source: SubgraphSource,
    graph: CSRGraph,
    filters: DiscreteFilters,
    roots: np.ndarray | None,
    checkpoints: CheckpointStore,
) -> np.ndarray:
    """Least similarity of each pattern, from subgraphs of its size in a null-model graph."""
    sizes = np.array(filters.num_nodes)
    null_graph = cache(partial(draw_null_graph, graph, source.seed))

    def draw(size: int) -> dict[str, np.ndarray]:
        resized, null = source.resized(size), null_graph()
        # a null-model graph of other nodes has roots of its own
        own = roots if null.num_nodes == graph.num_nodes else resized.sample_roots(null)
        numbers = np.flatnonzero(sizes == size).tolist()
        subgraphs = resized.subgraphs_around(null, own)
        return {"least": choose_thresholds(filters.take(numbers).trimmed(size), subgraphs)}

    # the largest take longest
    distinct = sorted(set(filters.num_nodes), reverse=True)
    tasks = {f"thresholds-{size}": partial(draw, size) for size in distinct}
    least = np.zeros(len(sizes))
    for size, found in zip(distinct, checkpoints.finish(tasks), strict=True):
        least[sizes == size] = found["least"]
    return least


def _share_of(count: OccurrenceCount, places: Places) -> OccurrenceCount:
    """The occurrences of a structure that belong to one of its patterns."""
    if places.share == 1 or not len(places.nodes):
        return count
    if count.is_exact and places.is_complete:
        return OccurrenceCount.exact(len(places.nodes))
    # the share was estimated from a sample, and its error adds to that of the count
    total = len(places.nodes) / places.share
    error = sqrt((1 - places.share) / (places.share * total))
    low, high = (places.share * bound for bound in (count.low, count.high))
    low, high = low * max(0.0, 1 - _ERRORS * error), high * (1 + _ERRORS * error)
    return OccurrenceCount(places.share * count.value, low, high, is_exact=False)


def _count_graphs(
    graph: CSRGraph, structure: Structure, categories: Categories, places: Places
) -> int:
    """Graphs of the collection that hold one of the places."""
    if not len(places.nodes):
        return 0
    held = len(np.unique(graph.graph_of(places.nodes[:, 0])))
    if places.is_complete or graph.num_graphs == 1:
        return held
    colors = structure.colors_in(graph, categories)
    found, _ = find_graphs(graph, structure.adjacency, colors, _GRAPH_SECONDS)
    return max(held, int(found.sum()))


def _record(
    occurrences: Occurrences, size: int, frequency: Frequency, least: float, origin: int
) -> LocatedPattern:
    """The record of a pattern of so many nodes with its places, the most similar first."""
    if len(occurrences):
        first = occurrences[0]
        medoid = Medoid(first.nodes, first.similarity, first.graph, _known(first.nodes))
    else:
        medoid = Medoid((None,) * size, 0.0, 0, 0)
    return LocatedPattern(occurrences, medoid, frequency, float(least), origin)


def _known(nodes: tuple[int | str | None, ...]) -> int | str:
    """The first node that is mapped."""
    return next(node for node in nodes if node is not None)
