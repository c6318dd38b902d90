"""The edges among some nodes of a graph."""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.csr import CSRGraph


def edges_among(graph: CSRGraph, rows: np.ndarray) -> list[tuple[int, int, int]]:
    """Edges among the nodes ``rows``: the positions of both ends in it, and the relation.

    Without direction, the first end is that which comes first in ``rows``.

    >>> from gomkcn_dgl.csr import csr_from_edges
    >>> arcs = csr_from_edges(np.array([0, 2]), np.array([1, 1]), 3, directed=True)
    >>> edges_among(arcs, np.array([1, 2]))
    [(1, 0, 0)]
    """
    relations = graph.relations
    position = {row: number for number, row in enumerate(rows.tolist())}
    ordered, edges = np.sort(rows), []
    for row, start in position.items():
        entries = slice(graph.indptr[row], graph.indptr[row + 1])
        _, is_among = find_among(graph.indices[entries], ordered)
        for entry in (np.flatnonzero(is_among) + entries.start).tolist():
            end = position[int(graph.indices[entry])]
            link = 1 if graph.links is None else int(graph.links[entry])
            for channel in np.flatnonzero(relations.links[link]).tolist():
                number, side = relations.channels[channel]
                if side == "out" or (side == "both" and start < end):
                    edges.append((start, end, number))
    return edges


def find_among(nodes: np.ndarray, ordered: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where each of ``nodes [M]`` stands in ``ordered [K]``, and whether it does, each ``[M]``.

    ``ordered`` ascends and is not empty. This takes less than ``np.isin``, which may make a table
    as long as the graph has nodes.

    >>> find_among(np.array([7, 4, 9]), np.array([4, 7]))
    (array([1, 0, 1]), array([ True,  True, False]))
    """
    place = np.minimum(np.searchsorted(ordered, nodes), len(ordered) - 1)
    return place, ordered[place] == nodes
