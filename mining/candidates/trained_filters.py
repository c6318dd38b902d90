"""Trained filters as a source of patterns: their structures, with the features that they learnt."""

from __future__ import annotations

import numpy as np

from mining.learning.discrete_filters import DiscreteFilters
from mining.learning.rooted_subgraphs import FeatureScaling
from mining.mined_graph import MinedGraph
from mining.pattern import CONSENSUS, Pattern, Profile, merge


def patterns_of_filters(
    filters: DiscreteFilters,
    mined: MinedGraph,
    scaling: FeatureScaling,
    sizes: range,
) -> list[Pattern]:
    """One pattern for each structure that filters have learnt.

    It has a profile for each of its filters. What is smaller than ``sizes`` is left out, unless
    there is nothing larger.
    """
    found = [
        _pattern_of(filters.take([number]), mined, scaling)
        for number in range(len(filters.num_nodes))
    ]
    large = [one for one in found if one.num_nodes >= sizes[0]]
    return merge(large or found)


def _pattern_of(one: DiscreteFilters, mined: MinedGraph, scaling: FeatureScaling) -> Pattern:
    size = one.num_nodes[0]
    features = scaling.restore(one.feat[0, :size].numpy())
    weights = one.weights[0, :size, :size].numpy().reshape(size, size, -1)
    # scaled columns of categories that no node has, or all have, cannot be compared
    colors = mined.categories.colors(features) if mined.categories else None
    channels = one.adj[0, :size, :size].numpy().reshape(size, size, -1) > 0
    source, num_filters = (CONSENSUS, 0) if one.noisy[0] else ("filters", 1)
    profile = Profile(features, np.where(channels, weights, 0), num_filters)
    return Pattern(
        mined.structure(channels, colors),
        sources=(source,),
        profiles=(profile,),
        feature_names=mined.graph.feature_names,
    )
