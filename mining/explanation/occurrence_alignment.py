"""Why some nodes show a pattern: which graph node is which pattern node, and where they differ."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import edges_of
from gomkcn_dgl.node_order import NodeOrder
from mining.explanation.occurrence_comparison import Comparison
from mining.explanation.occurrence_explanation import (
    FeatureGap,
    MatchedPair,
    OccurrenceExplanation,
)
from mining.miner import PatternMiner
from mining.records.occurrence import Occurrence
from mining.records.pattern import Pattern, Profile
from mining.structures.discrete_filters import DiscreteFilters


def explain_node(
    miner: PatternMiner,
    graph: Any,
    node: int | str,
    *,
    graph_index: int = 0,
    pattern_id: int | None = None,
) -> OccurrenceExplanation:
    """Explain what the neighbourhood of a node has in common with a pattern.

    Parameters
    ----------
    miner : PatternMiner
        Fitted.
    graph : anything :func:`gomkcn.as_csr` takes
        With the features that the miner was fitted on.
    node : int or str
        The input's own id.
    graph_index : int
        Its graph, in a collection.
    pattern_id : int, optional
        The pattern to compare with; by default the most similar one, and of equally similar ones
        the largest with the same structure.

    Returns
    -------
    OccurrenceExplanation

    Raises
    ------
    InputError
        For a node, graph or pattern that does not exist, or a miner without patterns.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import PatternMiner
    >>> rings = nx.disjoint_union_all([nx.cycle_graph(5)] * 6)
    >>> miner = PatternMiner(num_patterns=1, pattern_size=(5, 5), num_epochs=2).fit(rings)
    >>> explanation = explain_node(miner, rings, 7)
    >>> explanation.similarity, explanation.shared_edges == miner.patterns_[0].edges
    (1.0, True)
    """
    csr = _read(miner, graph)
    root, order = _row_of(csr, node, graph_index), NodeOrder.of(csr)
    numbers = range(len(miner.patterns_)) if pattern_id is None else [_number(miner, pattern_id)]
    comparisons = [
        (Comparison(miner.source_, filter_, csr, rows), number, profile)
        for number in numbers
        for profile, filter_ in _filters(miner, number)
        for rows in _subgraph_rows(miner, order, np.array([root]), filter_.num_nodes[0])
    ]
    best, number, profile = max(comparisons, key=lambda item: item[0].rank)
    explanation = _explain(best, miner.patterns_[number], profile, best.map_nodes())
    return replace(explanation, root=csr.original_ids(np.array([root]))[0])


def explain_occurrence(
    miner: PatternMiner, graph: Any, pattern_id: int, occurrence: int | Occurrence
) -> OccurrenceExplanation:
    """Explain an occurrence of a pattern, with the node mapping of the occurrence.

    Parameters
    ----------
    miner : PatternMiner
        Fitted.
    graph : anything :func:`gomkcn.as_csr` takes
        The graph that was mined.
    pattern_id : int
    occurrence : int or Occurrence
        Position among the pattern's occurrences, one of them, or nodes of your own
        choice.

    Returns
    -------
    OccurrenceExplanation

    Raises
    ------
    InputError
        For a pattern, occurrence or node that does not exist.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import PatternMiner
    >>> rings = nx.disjoint_union_all([nx.cycle_graph(5)] * 6)
    >>> miner = PatternMiner(num_patterns=1, pattern_size=(5, 5), num_epochs=2).fit(rings)
    >>> explain_occurrence(miner, rings, 0, 0).missing_edges
    ()
    """
    csr = _read(miner, graph)
    number = _number(miner, pattern_id)
    pattern = miner.patterns_[number]
    if not isinstance(occurrence, Occurrence):
        if not len(pattern.occurrences):
            raise InputError(f"occurrence must be one of pattern {pattern_id}, and it has none.")
        last = len(pattern.occurrences) - 1
        occurrence = pattern.occurrences[check_int("occurrence", occurrence, 0, last)]
    if len(occurrence.nodes) != pattern.num_nodes:
        raise InputError(
            f"occurrence must have {pattern.num_nodes} nodes like pattern {pattern_id}, "
            f"got {len(occurrence.nodes)}."
        )
    mapping = {
        _row_of(csr, node, occurrence.graph): number_in_pattern
        for number_in_pattern, node in enumerate(occurrence.nodes)
        if node is not None
    }
    if not 0 < len(mapping) == sum(node is not None for node in occurrence.nodes):
        raise InputError(f"occurrence must hold different nodes, got {list(occurrence.nodes)}.")
    # the neighbourhood of these nodes whose similarity is the recorded one, or they alone
    rows = np.array(list(mapping))
    same = [
        one
        for one in _subgraph_rows(miner, NodeOrder.of(csr), rows, pattern.num_nodes)
        if len(one) == len(rows) and np.isin(rows, one).all()
    ]
    comparisons = [
        (Comparison(miner.source_, filter_, csr, one), profile)
        for profile, filter_ in _filters(miner, number)
        for one in same or [rows]
    ]
    similarity = occurrence.similarity
    best, profile = min(comparisons, key=lambda item: abs(item[0].similarity - similarity))
    return _explain(best, pattern, profile, best.complete(mapping))


def _read(miner: PatternMiner, graph: Any) -> CSRGraph:
    csr = miner.source_.read(graph)
    if not miner.patterns_:
        raise InputError(
            "an explanation needs a pattern, and fit found none; lower min_occurrences."
        )
    return csr


def _number(miner: PatternMiner, pattern_id: int) -> int:
    """Position of a pattern by its id."""
    known = [pattern.id for pattern in miner.patterns_]
    if pattern_id not in known:
        raise InputError(f"pattern_id must be one of {known}, got {pattern_id!r}.")
    return known.index(pattern_id)


def _row_of(csr: CSRGraph, node: int | str | None, graph_index: int) -> int:
    check_int("graph_index", graph_index, 0, csr.num_graphs - 1)
    rows = np.arange(csr.graph_ptr[graph_index], csr.graph_ptr[graph_index + 1])
    ids = csr.original_ids(rows)
    if node not in ids:
        raise InputError(
            f"node must be an id of graph {graph_index}, such as {ids[0]!r}, got {node!r}."
        )
    return int(rows[ids.index(node)])


def _filters(miner: PatternMiner, number: int) -> list[tuple[Profile, DiscreteFilters]]:
    """Each profile of a pattern, and what the kernel takes for it, without padding."""
    pattern = miner.patterns_[number]
    first = sum(len(one.profiles) for one in miner.patterns_[:number])
    return [
        (profile, miner.filters_.take([row]).trimmed(pattern.num_nodes))
        for row, profile in enumerate(pattern.profiles, first)
    ]


def _subgraph_rows(
    miner: PatternMiner, order: NodeOrder, roots: np.ndarray, size: int
) -> list[np.ndarray]:
    """Nodes of the neighbourhoods of some roots, of at most ``size`` nodes, as given."""
    batch = miner.source_.resized(size).extract(order.graph, order.position[roots])
    return [
        order.given(nodes[:size]).astype(np.int64)
        for nodes, size in zip(batch.nodes, batch.num_nodes, strict=True)
    ]


def _explain(
    comparison: Comparison, pattern: Pattern, profile: Profile, mapping: np.ndarray
) -> OccurrenceExplanation:
    """Write down what the mapping, pattern node of each node and padding ``[N]``, shows."""
    csr, rows, size = comparison.graph, comparison.rows, comparison.size
    position = {int(node): member for member, node in enumerate(mapping) if 0 <= node < size}
    pairs = tuple(_pair(comparison, profile, node, position.get(node)) for node in range(size))
    # position of the node in each slot: None for a pattern node without a graph node
    slots = [position.get(node) for node in range(size)]
    slots = [member if member is not None and member < len(rows) else None for member in slots]
    extra = [member for member in range(len(rows)) if member not in slots]
    differences: dict[str, Any] = {}
    for name, edges in _compare_edges(comparison, [*slots, *extra]).items():
        differences[f"{name}_edges"] = tuple((u, v) for u, v, _ in edges)
        differences[f"{name}_relations"] = tuple(relation for *_, relation in edges)
    return OccurrenceExplanation(
        pattern=pattern,
        root=None,
        graph=int(csr.graph_of(rows[:1])[0]),
        num_graphs=csr.num_graphs,
        similarity=comparison.similarity,
        pairs=pairs,
        extra_nodes=tuple(csr.original_ids(rows[extra])),
        **differences,
    )


def _pair(comparison: Comparison, profile: Profile, node: int, member: int | None) -> MatchedPair:
    """Compare a pattern node with a node or the padding of the subgraph, or with nothing."""
    if member is None:
        # padding="mask": what is not there is not compared
        return MatchedPair(node, None, (0.0,) * comparison.x.shape[1], 0, None)
    similar = comparison.level_similarity(member, node)
    first = comparison.first_difference(similar, node)
    if member >= len(comparison.rows):
        return MatchedPair(node, None, similar, first, None)
    csr, row = comparison.graph, comparison.rows[member]
    feature = None
    if first == 0:
        gap = comparison.feature_gap[member, node]
        # of a label that was exchanged for another, the one that the node has
        column = int((np.abs(gap) + 1e-6 * gap).argmax())
        value, expected = float(csr.features[row, column]), float(profile.features[node, column])
        feature = FeatureGap(csr.feature_names[column], value, expected)
    return MatchedPair(node, csr.original_ids(np.array([row]))[0], similar, first, feature)


def _compare_edges(
    comparison: Comparison, slots: list[int | None]
) -> dict[str, list[tuple[int, int, int]]]:
    """Edges between slots that both have, that the occurrence lacks, and that it alone has."""
    index = np.array([-1 if member is None else member for member in slots])
    is_node, size = index >= 0, comparison.size
    # a matrix, or one for each channel
    present = comparison.adjacency[np.ix_(index, index)].copy()
    present[~is_node] = present[:, ~is_node] = False
    expected = np.zeros_like(present)
    expected[:size, :size] = comparison.pattern_adjacency[:size, :size]
    relations = comparison.graph.relations
    return {
        "shared": edges_of(present & expected, relations),
        "missing": edges_of(expected & ~present, relations),
        "extra": edges_of(present & ~expected, relations),
    }
