"""Filters as a source of patterns: their structures."""

from __future__ import annotations

from collections.abc import Sequence

from gomkcn.mining.filters.mined_filter import MinedFilter
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.pattern import Pattern, merge
from gomkcn_dgl.graphs.structure import Structure


def patterns_of_filters(
    filters: Sequence[MinedFilter], mined: MinedGraph, sizes: range
) -> list[Pattern]:
    """One pattern for each structure of filters.

    What is smaller than ``sizes`` is left out, unless there is nothing larger.
    """
    found = []
    for graph_filter in filters:
        # their relations are those of the graph, under other names and roles
        learnt = graph_filter.structure
        structure = Structure.of_channels(learnt.channels, mined.graph.relations, learnt.categories)
        found.append(Pattern(structure, sources=("filters",)))
    large = [structure for structure in found if structure.num_nodes >= sizes[0]]
    return merge(large or found)
