"""A place in a graph with the nodes around it, small enough to be drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from mining.plots.node_colors import NodeColors
from mining.records.occurrence import Occurrence, Occurrences

_MOST_NEIGHBORS = 12


@dataclass(frozen=True)
class Surroundings:
    """A place that shows a pattern, and neighbours of its nodes.

    Attributes
    ----------
    roles : tuple of (int or None)
        For each node the pattern node that it plays; None for a neighbour.
    edges : tuple of (int, int)
        Between positions in ``roles``: all that the graph has.
    faces : tuple of str
        Colour of each node, ``#rrggbb``.
    similarity : float
        Of the place with the pattern.
    graph : int
        Index of the graph within the collection.
    num_hidden : int
        Neighbours that are left out.
    """

    roles: tuple[int | None, ...]
    edges: tuple[tuple[int, int], ...]
    faces: tuple[str, ...]
    similarity: float = 1.0
    graph: int = 0
    num_hidden: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The record of ``drawings.json``."""
        return {
            "roles": list(self.roles),
            "edges": [list(edge) for edge in self.edges],
            "faces": list(self.faces),
            "similarity": round(self.similarity, 6),
            "graph": self.graph,
            "num_hidden": self.num_hidden,
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Surroundings:
        """Read a record of ``drawings.json``; the inverse of :meth:`to_dict`."""
        size = len(record["roles"])
        edges = tuple((int(u), int(v)) for u, v in record["edges"])
        if not all(0 <= end < size for edge in edges for end in edge):
            raise ValueError(f"an edge leaves the {size} nodes of a drawing")
        if len(record["faces"]) != size:
            raise ValueError(f"{len(record['faces'])} colours for the {size} nodes of a drawing")
        roles = tuple(None if role is None else int(role) for role in record["roles"])
        similarity, graph = float(record["similarity"]), int(record["graph"])
        hidden = int(record["num_hidden"])
        return cls(roles, edges, tuple(record["faces"]), similarity, graph, hidden)


def find_rows(graph: CSRGraph, places: Iterable[Occurrence]) -> dict[tuple[int, int | str], int]:
    """Row in the graph of every node of some places, by index of the graph and the input's id."""
    places = list(places)
    size = max((len(place.nodes) for place in places), default=0)
    padded = [replace(p, nodes=p.nodes + (None,) * (size - len(p.nodes))) for p in places]
    rows = Occurrences.of(padded, size).rows_in(graph)
    return {
        (place.graph, node): row
        for place, played in zip(padded, rows.tolist(), strict=True)
        for node, row in zip(place.nodes, played, strict=True)
        if node is not None and row >= 0
    }


def cut_out(
    graph: CSRGraph,
    place: Occurrence,
    row_of: Mapping[tuple[int, int | str], int],
    colors: NodeColors,
) -> Surroundings:
    """Cut a place and at most 12 neighbours out of a graph.

    Neighbours with most edges into the place come first.

    Parameters
    ----------
    graph : CSRGraph
    place : Occurrence
    row_of : mapping
        From :func:`find_rows`.
    colors : NodeColors
    """
    played = [(role, node) for role, node in enumerate(place.nodes) if node is not None]
    inside = np.array([row_of[place.graph, node] for _, node in played], dtype=np.int64)
    touched = np.concatenate([_neighbors(graph, row) for row in inside])
    around, links = np.unique(touched[~np.isin(touched, inside)], return_counts=True)
    shown = around[np.argsort(-links, kind="stable")[:_MOST_NEIGHBORS]]
    rows = np.concatenate([inside, shown])
    position = {row: number for number, row in enumerate(rows.tolist())}
    edges = tuple(
        (start, position[end])
        for row, start in position.items()
        for end in _neighbors(graph, row)[np.isin(_neighbors(graph, row), rows)].tolist()
        if start < position[end]
    )
    return Surroundings(
        roles=tuple(role for role, _ in played) + (None,) * len(shown),
        edges=edges,
        faces=colors.faces(graph.features[rows]),
        similarity=place.similarity,
        graph=place.graph,
        num_hidden=len(around) - len(shown),
    )


def _neighbors(graph: CSRGraph, row: int) -> np.ndarray:
    return graph.indices[graph.indptr[row] : graph.indptr[row + 1]]
