"""Copies of the motifs of a set in other graphs, without a search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from mining.counting.counter import list_places
from mining.overlaps import pick_disjoint
from mining.pattern import Pattern
from mining.pattern_counts import category_colors

# copies of a motif that are listed
_MOST_COPIES, _MOST_STEPS = 2_000_000, 1 << 28


def copies_in(graph: CSRGraph, motifs: Sequence[Pattern], share_edges: bool) -> list[np.ndarray]:
    """Copies of each motif in a graph, int64 ``[k, M]``: as many as there is room for.

    The motifs take turns, those of most edges, then nodes, first. Copies share no edge, or, unless
    ``share_edges``, no node.
    """
    colors, of_motifs = category_colors(motifs, graph)
    taken = np.zeros(len(graph.indices) if share_edges else graph.num_nodes, bool)
    found: list[np.ndarray] = [np.empty(0)] * len(motifs)
    sizes = [(-one.structure.joined.sum(), -one.num_nodes) for one in motifs]
    for number in sorted(range(len(motifs)), key=lambda number: sizes[number]):
        structure, own = motifs[number].structure, of_motifs[number]
        known = None if own is None else (own, colors)
        rows, _ = list_places(graph, structure, known, most=_MOST_COPIES, max_steps=_MOST_STEPS)
        rows = rows[np.lexsort(rows.T[::-1])]
        parts = _edges_of(graph, structure, rows) if share_edges else rows
        free = ~taken[parts].any(axis=1)
        rows, parts = rows[free], parts[free]
        picked = pick_disjoint(parts, len(taken))
        taken[parts[picked]] = True
        found[number] = rows[picked].astype(np.int64)
    return found


def _edges_of(graph: CSRGraph, structure: Structure, rows: np.ndarray) -> np.ndarray:
    """The entry of the larger end in the row of the smaller one, of each edge, int64 ``[K, P]``."""
    u, v = np.nonzero(np.triu(structure.joined))
    ends = np.sort(np.stack([rows[:, u], rows[:, v]]).astype(np.int64), axis=0)
    entries = np.repeat(np.arange(graph.num_nodes), graph.degrees) * graph.num_nodes + graph.indices
    return np.searchsorted(entries, ends[0] * graph.num_nodes + ends[1])


def places_of(
    graph: CSRGraph, motifs: Sequence[Pattern], copies: Sequence[np.ndarray]
) -> np.ndarray:
    """The first motif of each node, the copy of it in its graph, and its orbit, int64 ``[V, 3]``.

    -1 for none.
    """
    places = np.full((graph.num_nodes, 3), -1)
    # the first motif is written last
    for number in reversed(range(len(copies))):
        rows = copies[number]
        owner = graph.graph_of(rows[:, 0])
        own = np.arange(len(rows)) - np.searchsorted(np.sort(owner), owner)
        for node, orbit in enumerate(motifs[number].structure.orbits.tolist()):
            places[rows[:, node], 0] = number
            places[rows[:, node], 1] = own
            places[rows[:, node], 2] = orbit
    return places
