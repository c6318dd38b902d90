"""Trained filters as a source of patterns: the structures that they have learnt."""

from __future__ import annotations

from gomkcn_dgl.feature_scaling import FeatureScaling
from mining.filters.discrete_filters import DiscreteFilters
from mining.mined_graph import MinedGraph
from mining.pattern import Pattern, merge


def patterns_of_filters(
    filters: DiscreteFilters, mined: MinedGraph, scaling: FeatureScaling, sizes: range
) -> list[Pattern]:
    """One pattern for each structure that filters have learnt.

    What is smaller than ``sizes`` is left out, unless there is nothing larger.
    """
    found = []
    for number, size in enumerate(filters.num_nodes):
        channels = filters.adj[number, :size, :size].numpy().reshape(size, size, -1) > 0
        # scaled columns of categories that no node has, or all have, cannot be compared
        features = scaling.restore(filters.feat[number, :size].numpy())
        colors = mined.categories.colors(features) if mined.categories else None
        found.append(Pattern(mined.structure(channels, colors), sources=("filters",)))
    large = [one for one in found if one.num_nodes >= sizes[0]]
    return merge(large or found)
