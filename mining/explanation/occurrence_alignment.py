"""Why a place shows a pattern: which node plays which pattern node, and where the two differ."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import CSRGraph
from mining.explanation.occurrence_comparison import Comparison, Place
from mining.explanation.occurrence_explanation import PlaceExplanation
from mining.records.occurrence import Occurrence

if TYPE_CHECKING:
    from mining.miner import PatternMiner


def explain_node(
    miner: PatternMiner,
    graph: Any,
    node: int | str,
    *,
    graph_index: int = 0,
    pattern_id: int | None = None,
) -> PlaceExplanation:
    """Explain what the surroundings of a node have in common with a pattern.

    Parameters
    ----------
    miner : PatternMiner
        Fitted.
    graph : anything :func:`gomkcn_dgl.as_csr` takes
        With the features that the miner was fitted on.
    node : int or str
        The input's own id.
    graph_index : int
        Its graph, in a collection.
    pattern_id : int, optional
        The pattern to compare with; by default the most similar one, and of equally similar ones
        that with the structure of the place.

    Returns
    -------
    PlaceExplanation

    Raises
    ------
    InputError
        For a node, graph or pattern that does not exist, or a miner that found no pattern.

    Examples
    --------
    >>> import networkx as nx
    >>> from mining import PatternMiner
    >>> rings = nx.disjoint_union_all([nx.cycle_graph(5)] * 6)
    >>> miner = PatternMiner(num_patterns=1, pattern_size=5, num_epochs=2).fit(rings)
    >>> explanation = explain_node(miner, rings, 7)
    >>> explanation.similarity, explanation.shared_edges == miner.patterns_[0].edges
    (1.0, True)
    """
    csr = _check(miner, graph)
    root = _row_of(csr, node, graph_index)
    batch = miner.source_.extract(csr, np.array([root]))
    numbers = range(len(miner.patterns_)) if pattern_id is None else [_number(miner, pattern_id)]
    places = [Place.of_row(csr, batch, row) for row in range(len(batch))]
    found = [(Comparison(miner, place, number), number) for number in numbers for place in places]
    best, number = max(found, key=lambda item: item[0].rank)
    explanation = best.explain(miner.patterns_[number], best.align())
    return replace(explanation, root=csr.original_ids(np.array([root]))[0])


def explain_occurrence(
    miner: PatternMiner, graph: Any, pattern_id: int, occurrence: int | Occurrence
) -> PlaceExplanation:
    """Explain an occurrence of a pattern, each node in the part that the occurrence gives it.

    Parameters
    ----------
    miner : PatternMiner
        Fitted.
    graph : anything :func:`gomkcn_dgl.as_csr` takes
        The graph that was mined.
    pattern_id : int
    occurrence : int or Occurrence
        Position among the pattern's occurrences, one of them, its medoid, or nodes of your own
        choice.

    Returns
    -------
    PlaceExplanation

    Raises
    ------
    InputError
        For a pattern, occurrence or node that does not exist.
    """
    csr = _check(miner, graph)
    number = _number(miner, pattern_id)
    pattern = miner.patterns_[number]
    if not isinstance(occurrence, Occurrence):
        listed = pattern.occurrences
        if not listed:
            raise InputError(f"occurrence must be one of pattern {pattern_id}, and it has none.")
        occurrence = listed[check_int("occurrence", occurrence, 0, len(listed) - 1)]
    if len(occurrence.nodes) != pattern.num_nodes:
        raise InputError(
            f"occurrence must have {pattern.num_nodes} nodes like pattern {pattern_id}, "
            f"got {len(occurrence.nodes)}."
        )
    played = [i for i, node in enumerate(occurrence.nodes) if node is not None]
    rows = np.array(
        [_row_of(csr, occurrence.nodes[i], occurrence.graph) for i in played], dtype=np.int64
    )
    if not len(rows) or len(np.unique(rows)) < len(rows):
        raise InputError(f"occurrence must hold different nodes, got {list(occurrence.nodes)}.")
    place = _surrounding_subgraph(miner, csr, rows, number, occurrence.similarity)
    comparison = Comparison(miner, place, number)
    return comparison.explain(
        pattern, comparison.align(dict(zip(rows.tolist(), played, strict=True)))
    )


def _check(miner: PatternMiner, graph: Any) -> CSRGraph:
    csr = miner.source_.read(graph)
    if not miner.patterns_:
        raise InputError("an explanation needs a pattern, and fit found none; lower min_support.")
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


def _surrounding_subgraph(
    miner: PatternMiner, csr: CSRGraph, rows: np.ndarray, number: int, similarity: float
) -> Place:
    """The miner's subgraph that holds these nodes, as similar as recorded, or the nodes alone."""
    batch = miner.source_.extract(csr, rows)
    around = [r for r in range(len(batch)) if np.isin(rows, batch.nodes[r]).all()]
    places = [Place.of_row(csr, batch, row) for row in around]
    if not places:
        return Place.of_nodes(csr, rows)
    return min(
        places, key=lambda place: abs(Comparison(miner, place, number).similarity - similarity)
    )
