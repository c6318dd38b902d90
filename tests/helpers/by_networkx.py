"""Induced occurrences of a pattern by the matcher of NetworkX, which counts are held against."""

from networkx.algorithms.isomorphism import (
    DiGraphMatcher,
    GraphMatcher,
    categorical_edge_match,
    categorical_node_match,
)


def induced(graph, pattern, node=None, edge=None):
    """The sets of nodes that induce a pattern; ``node`` and ``edge`` are attributes that agree."""
    matcher = DiGraphMatcher if graph.is_directed() else GraphMatcher
    found = matcher(
        graph,
        pattern,
        categorical_node_match(node, None) if node else None,
        categorical_edge_match(edge, None) if edge else None,
    )
    return {frozenset(mapping) for mapping in found.subgraph_isomorphisms_iter()}
