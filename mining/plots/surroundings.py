"""An occurrence in a graph with the nodes around it, small enough to be drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from mining.plots.colors import NodeColors
from mining.records.occurrence import Occurrence, Occurrences
from mining.structures.edges_among import edges_among

_MAX_NEIGHBORS = 12


@dataclass(frozen=True)
class Surroundings:
    """An occurrence of a pattern, and neighbours of its nodes.

    ``node_mapping`` holds the pattern node of each node, None for a neighbour; ``edges`` are pairs
    of positions in it, from the first to the second where they have a direction; ``faces`` are the
    colours ``#rrggbb``. ``graph`` is the index of the graph within a collection and ``num_hidden``
    the number of neighbours that are left out. ``edge_relations`` are the relations of the edges,
    by number; left out where there is one.
    """

    node_mapping: tuple[int | None, ...]
    edges: tuple[tuple[int, int], ...]
    faces: tuple[str, ...]
    similarity: float = 1.0
    graph: int = 0
    num_hidden: int = 0
    edge_relations: tuple[int, ...] = ()

    @property
    def relations(self) -> tuple[int, ...]:
        """Number of the relation of each edge."""
        return self.edge_relations or (0,) * len(self.edges)

    def to_dict(self) -> dict[str, Any]:
        """The record of ``drawings.json``."""
        record = asdict(self) | {"similarity": round(self.similarity, 6)}
        if not self.edge_relations:
            del record["edge_relations"]
        return record

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Surroundings:
        """Read a record of ``drawings.json``; the inverse of :meth:`to_dict`."""
        size = len(record["node_mapping"])
        if not all(0 <= end < size for edge in record["edges"] for end in edge):
            raise ValueError(f"an edge leaves the {size} nodes of a drawing")
        if len(record["faces"]) != size:
            raise ValueError(f"{len(record['faces'])} colours for the {size} nodes of a drawing")
        relations = tuple(record.get("edge_relations", ()))
        if relations and len(relations) != len(record["edges"]):
            raise ValueError(f"{len(relations)} relations for {len(record['edges'])} edges")
        return cls(
            tuple(record["node_mapping"]),
            tuple(map(tuple, record["edges"])),
            tuple(record["faces"]),
            record["similarity"],
            record["graph"],
            record["num_hidden"],
            relations,
        )


def find_rows(
    graph: CSRGraph, occurrences: Iterable[Occurrence]
) -> dict[tuple[int, int | str], int]:
    """Row of every node of some occurrences, by index of the graph and the input's own id."""
    occurrences = list(occurrences)
    size = max((len(occurrence.nodes) for occurrence in occurrences), default=0)
    padded = [
        replace(occurrence, nodes=occurrence.nodes + (None,) * (size - len(occurrence.nodes)))
        for occurrence in occurrences
    ]
    table = Occurrences.of(padded, size).rows_in(graph)
    return {
        (occurrence.graph, node): row
        for occurrence, rows in zip(padded, table.tolist(), strict=True)
        for node, row in zip(occurrence.nodes, rows, strict=True)
        if node is not None and row >= 0
    }


def cut_out(
    graph: CSRGraph,
    occurrence: Occurrence,
    row_of: Mapping[tuple[int, int | str], int],
    colors: NodeColors,
) -> Surroundings:
    """Take an occurrence and at most 12 neighbours out of a graph; ``row_of`` from ``find_rows``.

    Neighbours with most edges to the occurrence come first.
    """
    mapped = [(number, node) for number, node in enumerate(occurrence.nodes) if node is not None]
    inside = np.array([row_of[occurrence.graph, node] for _, node in mapped], dtype=np.int64)
    reached = np.concatenate([_neighbors(graph, row) for row in inside])
    neighbors, num_links = np.unique(reached[~np.isin(reached, inside)], return_counts=True)
    shown = neighbors[np.argsort(-num_links, kind="stable")[:_MAX_NEIGHBORS]]
    rows = np.concatenate([inside, shown])
    edges = edges_among(graph, rows)
    several = len(graph.relations.names) > 1
    return Surroundings(
        tuple(number for number, _ in mapped) + (None,) * len(shown),
        tuple((u, v) for u, v, _ in edges),
        colors.faces(graph.features[rows]),
        occurrence.similarity,
        occurrence.graph,
        len(neighbors) - len(shown),
        tuple(relation for *_, relation in edges) if several else (),
    )


def _neighbors(graph: CSRGraph, row: int) -> np.ndarray:
    return graph.indices[graph.indptr[row] : graph.indptr[row + 1]]
