"""Trained filters as a source of patterns: the structures that they have learnt."""

from __future__ import annotations

from collections.abc import Sequence

from mining.filters.mined_filter import MinedFilter
from mining.mined_graph import MinedGraph
from mining.pattern import Pattern, merge


def patterns_of_filters(
    filters: Sequence[MinedFilter], mined: MinedGraph, sizes: range
) -> list[Pattern]:
    """One pattern for each structure that filters have learnt.

    What is smaller than ``sizes`` is left out, unless there is nothing larger.
    """
    found = []
    for one in filters:
        structure = one.structure
        names = mined.graph.feature_names
        colors = mined.categories.numbers_of(structure, names) if structure.categories else None
        own = mined.structure(structure.channels, colors)
        found.append(Pattern(own, sources=("filters",)))
    large = [one for one in found if one.num_nodes >= sizes[0]]
    return merge(large or found)
