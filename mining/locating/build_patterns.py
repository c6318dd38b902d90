"""Located patterns become Pattern records, and what was only counted CountedStructure records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import Relations, relations_of
from mining.locating.locating import LocatedPatterns
from mining.records.class_difference import ClassDifference
from mining.records.counted_structure import CountedStructure
from mining.records.occurrence_count import OccurrenceCount
from mining.records.pattern import Pattern
from mining.records.significance import Significance
from mining.structures.subgraph_source import SubgraphSource


def build_patterns(
    result: LocatedPatterns,
    significance: Sequence[Mapping[str, Significance]],
    family: Sequence[int],
    classes: Sequence[ClassDifference | None],
    graph: CSRGraph,
    source: SubgraphSource,
) -> list[Pattern]:
    """Build the record of each located pattern, with features in the units of the graph.

    ``significance``, ``family`` and ``classes`` are those of the structures that were chosen.
    """
    filters, categories, patterns = result.filters, source.categories, []
    # the links of the graph are no part of a pattern
    relations = relations_of(graph.relations.names, graph.relations.directed)
    first = result.first_patterns
    for number, located in enumerate(result.located):
        size = filters.num_nodes[number]
        edges, edge_relations, weights = _edges_of(
            filters.adj[number, :size, :size], filters.weights[number], relations
        )
        feat = filters.feat[number, :size].numpy()
        colors = source.colors_of(feat)
        patterns.append(
            Pattern(
                id=number,
                edges=edges,
                edge_weights=weights,
                features=source.scaling.restore(feat),
                feature_names=graph.feature_names,
                medoid=located.medoid,
                frequency=located.frequency,
                occurrences=located.occurrences,
                significance=dict(significance[located.origin]),
                num_filters=filters.merged[number],
                noisy=filters.noisy[number],
                relations=relations,
                edge_relations=edge_relations,
                categories=categories.names_of(colors, graph.feature_names),
                family=first[family[located.origin]],
                classes=classes[located.origin],
            )
        )
    return patterns


def record_structure(
    structure: Structure,
    count: OccurrenceCount,
    significance: Mapping[str, Significance],
    family: int | None,
) -> CountedStructure:
    """The record of a structure of a graph that was counted and judged."""
    relations = structure.relations
    return CountedStructure(
        structure.num_nodes,
        structure.edges,
        # the links of the graph are no part of it
        relations_of(relations.names, relations.directed),
        structure.edge_relations,
        structure.categories,
        count,
        significance,
        family,
    )


def _edges_of(
    adj: Tensor, weights: Tensor, relations: Relations
) -> tuple[tuple[tuple[int, int], ...], tuple[int, ...], tuple[float, ...]]:
    """Edges of a graph ``[M, M]`` or ``[M, M, C]``, each once, with relations and weights."""
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
