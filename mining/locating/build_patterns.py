"""Located patterns become Pattern records, and structures are counted exactly where asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.relations import SIMPLE, Relations, relations_of
from mining.counting.exact_counts import count_exact
from mining.locating.locating import LocatedPatterns
from mining.records.pattern import Pattern
from mining.structures.canonical_forms import canonical_form
from mining.structures.feature_scaling import FeatureScaling
from mining.structures.graph_relations import channels_in


def build_patterns(
    result: LocatedPatterns,
    feature_names: tuple[str, ...],
    scaling: FeatureScaling,
    relations: Relations = SIMPLE,
) -> list[Pattern]:
    """Build the record of each located pattern, with features in the units of the graph."""
    filters, patterns = result.filters, []
    # the links of the graph are no part of a pattern
    relations = relations_of(relations.names, relations.directed)
    for number, located in enumerate(result.located):
        size = filters.num_nodes[number]
        edges, edge_relations, weights = _edges_of(
            filters.adj[number, :size, :size], filters.weights[number], relations
        )
        patterns.append(
            Pattern(
                id=number,
                edges=edges,
                edge_weights=weights,
                features=scaling.restore(filters.feat[number, :size].numpy()),
                feature_names=feature_names,
                medoid=located.medoid,
                frequency=located.frequency,
                min_similarity=located.min_similarity,
                occurrences=located.occurrences,
                num_filters=filters.merged[number],
                noisy=filters.noisy[number],
                relations=relations,
                edge_relations=edge_relations,
            )
        )
    return patterns


def _edges_of(
    adj: Tensor, weights: Tensor, relations: Relations
) -> tuple[tuple[tuple[int, int], ...], tuple[int, ...], tuple[float, ...]]:
    """Edges of a filter ``[M, M]`` or ``[M, M, C]``, each once, with relations and weights."""
    # the channels that edges leave by, one a relation
    outgoing = torch.from_numpy(relations.outgoing)
    adj, weights = (
        one.reshape(*one.shape[:2], -1).index_select(2, outgoing) for one in (adj, weights)
    )
    rows = [
        (u, v, relation)
        for u, v, relation in adj.nonzero().tolist()
        if u < v or relations.directed[relation]
    ]
    return (
        tuple((u, v) for u, v, _ in rows),
        tuple(relation for *_, relation in rows),
        tuple(float(weights[row]) for row in rows),
    )


def add_exact_counts(
    patterns: Sequence[Pattern], graph: Any, seconds: float | None
) -> list[Pattern]:
    """Count the induced occurrences of each pattern's structure in the whole graph.

    Parameters
    ----------
    patterns : sequence of Pattern
        Of at most 62 nodes each.
    graph : anything :func:`gomkcn.as_csr` takes
    seconds : float or None
        Most seconds for each structure; None: as long as it takes.

    Returns
    -------
    list of Pattern
        The same patterns, where ``frequency.exact`` is the count and ``frequency.exact_state`` is
        ``"counted"``, or ``"not finished"`` where time was up.

    Raises
    ------
    InputError
        For a pattern of too many nodes.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import PatternMiner
    >>> rings = nx.disjoint_union_all([nx.cycle_graph(5)] * 6)
    >>> miner = PatternMiner(num_patterns=1, pattern_size=5, num_epochs=0).fit(rings)
    >>> add_exact_counts(miner.patterns_, rings, seconds=10)[0].frequency.exact
    6
    """
    csr = as_csr(graph)
    # patterns of equal structure share one count
    counts: dict[bytes, int | None] = {}
    counted = []
    for pattern in patterns:
        channels = channels_in(csr.relations, pattern.channels(), pattern.relations)
        certificate = canonical_form(channels).certificate
        if certificate not in counts:
            counts[certificate] = count_exact(csr, channels, seconds).count
        count = counts[certificate]
        state = "not finished" if count is None else "counted"
        frequency = replace(pattern.frequency, exact=count, exact_state=state)
        counted.append(replace(pattern, frequency=frequency))
    return counted
