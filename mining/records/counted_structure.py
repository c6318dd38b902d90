"""The record of a structure that was counted and judged, but is not among the patterns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import Relations, edge_channels
from mining.records.occurrence_count import OccurrenceCount
from mining.records.significance import Significance


@dataclass(frozen=True)
class CountedStructure:
    """A structure with its count and verdicts, as a pattern has them, and without places.

    Attributes
    ----------
    num_nodes : int
        Number of nodes M.
    edges : tuple of (int, int)
        ``(i, j)`` from node i to node j, or with ``i < j`` where the edge has no direction.
    relations : Relations
        Those of the graph.
    edge_relations : tuple of int
        Relation of each edge, a number of ``relations.names``.
    categories : tuple of tuple of str
        The categorical features of each node, by name; empty where nodes have none.
    occurrences : OccurrenceCount
        In the whole graph, by the quick count that structures are judged by.
    significance : mapping from str to Significance
        How the count compares with each null model, by the model's name.
    family : int or None
        The pattern that explains it, None where none does.
    description : str
        Its shape and categories in words; empty where not asked for, see ``MiningRun.of``.
    """

    num_nodes: int
    edges: tuple[tuple[int, int], ...]
    relations: Relations
    edge_relations: tuple[int, ...]
    categories: tuple[tuple[str, ...], ...]
    occurrences: OccurrenceCount
    significance: Mapping[str, Significance]
    family: int | None = None
    description: str = ""

    @cached_property
    def structure(self) -> Structure:
        """Its graph, without what is known of it."""
        channels = edge_channels(self.num_nodes, self.edges, self.edge_relations, self.relations)
        return Structure(channels, self.relations, self.categories)

    def to_dict(self) -> dict[str, Any]:
        """The record of ``patterns.json``; the relations are those of the graph."""
        return {
            "description": self.description,
            "num_nodes": self.num_nodes,
            "edges": [list(edge) for edge in self.edges],
            "edge_relations": list(self.edge_relations),
            "categories": [list(names) for names in self.categories],
            "occurrences": self.occurrences.to_dict(),
            "significance": {name: entry.to_dict() for name, entry in self.significance.items()},
            "family": self.family,
        }

    @classmethod
    def from_dict(cls, record: dict[str, Any], relations: Relations) -> CountedStructure:
        """Read a record of ``patterns.json``; the inverse of :meth:`to_dict`."""
        nodes, edges = range(record["num_nodes"]), record["edges"]
        if not all(u in nodes and v in nodes for u, v in edges):
            raise ValueError(f"an edge of a counted structure leaves its {len(nodes)} nodes")
        kinds = record["edge_relations"]
        if len(kinds) != len(edges) or max(kinds, default=0) >= len(relations.names):
            raise ValueError("a counted structure has an edge of an unknown relation")
        return cls(
            num_nodes=record["num_nodes"],
            edges=tuple((int(u), int(v)) for u, v in edges),
            relations=relations,
            edge_relations=tuple(kinds),
            categories=tuple(map(tuple, record["categories"])),
            occurrences=OccurrenceCount.from_dict(record["occurrences"]),
            significance={
                name: Significance.from_dict(one) for name, one in record["significance"].items()
            },
            family=record["family"],
            description=record["description"],
        )
