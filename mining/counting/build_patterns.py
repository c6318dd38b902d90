"""Step 5: snapped filters and where they occur → Pattern records, most frequent first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch

from gomkcn_dgl.csr import CSRGraph
from mining.counting.exact_counts import count_exact
from mining.counting.frequencies import measure_frequency
from mining.counting.occurrence_assignment import PatternOccurrences
from mining.records.pattern import Pattern
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.feature_scaling import FeatureScaling


def most_frequent_first(places: Sequence[PatternOccurrences]) -> list[int]:
    """Order patterns by their distinct occurrences, and by their assigned roots where equal."""
    return sorted(
        range(len(places)), key=lambda i: (-len(places[i].occurrences), -places[i].assigned)
    )


def build_patterns(
    snapped: DiscreteFilters,
    places: Sequence[PatternOccurrences],
    graph: CSRGraph,
    scaling: FeatureScaling,
    *,
    exact_seconds: float | None,
    seed: int,
) -> list[Pattern]:
    """Write the record of each pattern.

    Parameters
    ----------
    snapped : DiscreteFilters
        F patterns.
    places : sequence of PatternOccurrences
        Of each, in the same order.
    graph : CSRGraph
        Where they are.
    scaling : FeatureScaling
        How its features were mapped to the unit interval.
    exact_seconds : float or None
        Most seconds to count each structure in the whole graph; None: it is not counted.
    seed : int
        Of the bootstrap.
    """
    exact = _count_exact(snapped, graph, exact_seconds)
    patterns = []
    for number, (place, (state, count)) in enumerate(zip(places, exact, strict=True)):
        size = snapped.num_nodes[number]
        edges = torch.triu(snapped.adj[number, :size, :size]).nonzero().tolist()
        frequency = measure_frequency(graph, place.roots, place.node_sets, seed)
        patterns.append(
            Pattern(
                id=number,
                edges=tuple((u, v) for u, v in edges),
                edge_weights=tuple(float(snapped.weights[number, u, v]) for u, v in edges),
                features=scaling.restore(snapped.feat[number, :size].numpy()),
                feature_names=graph.feature_names,
                medoid=place.medoid,
                frequency=replace(frequency, exact_state=state, exact=count),
                min_similarity=place.min_similarity,
                occurrences=place.occurrences,
                num_filters=snapped.merged[number],
                noisy=snapped.noisy[number],
            )
        )
    return patterns


def _count_exact(
    snapped: DiscreteFilters, graph: CSRGraph, seconds: float | None
) -> list[tuple[str, int | None]]:
    """State and number of the exact count of each pattern; equal structures share one."""
    if seconds is None:
        return [("not asked", None)] * len(snapped.num_nodes)
    known: dict[bytes, tuple[str, int | None]] = {}
    certificates = snapped.certificates()
    for number, certificate in enumerate(certificates):
        if certificate not in known:
            size = snapped.num_nodes[number]
            adjacency = snapped.adj[number, :size, :size].numpy()
            count = count_exact(graph, adjacency, seconds).count
            known[certificate] = ("not finished" if count is None else "counted", count)
    return [known[certificate] for certificate in certificates]
