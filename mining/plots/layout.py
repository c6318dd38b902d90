"""Where to draw the nodes of a small graph: the clearest of several layouts, always the same."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx
import numpy as np

# all pairs of edges are compared, so larger graphs get the first layout
_MOST_COMPARED_EDGES = 150
_RELAXATIONS = 200


def place_nodes(num_nodes: int, edges: Sequence[tuple[int, int]]) -> np.ndarray:
    """Place the nodes of a graph for drawing.

    Several layouts are tried: distances on paper like distances in the graph (stress majorisation,
    Gansner, Koren and North 2004) from different starts, a circle, and for a planar graph
    drawings without crossings. Fewer crossings, wider gaps and truer distances win.

    Parameters
    ----------
    num_nodes : int
        Number of nodes M, at least 1.
    edges : sequence of (int, int)

    Returns
    -------
    numpy.ndarray
        ``[M, 2]``, centred, its longer side along x, within ±1 across and ±0.85 up and down.

    Examples
    --------
    >>> place_nodes(2, [(0, 1)]).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    if num_nodes == 1:
        return np.zeros((1, 2))
    graph = nx.empty_graph(num_nodes)
    graph.add_edges_from(edges)
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    distance = _distances(graph)
    layouts = [_fit(layout) for layout in _layouts(graph, distance)]
    if len(layouts) == 1:
        return layouts[0]
    # rounded, so that equal layouts tie on every machine and the first of them is taken
    return min(layouts, key=lambda places: round(_cost(places, ends, distance), 3))


def _layouts(graph: nx.Graph, distance: np.ndarray) -> list[np.ndarray]:
    """Return candidate layouts ``[M, 2]``, the usual one first."""
    angle = np.pi / 2 + 2 * np.pi * np.arange(len(graph)) / len(graph)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    pairs = len(graph) * (len(graph) - 1) // 2
    if graph.number_of_edges() == pairs:
        return [circle]
    layouts = [_relax(circle, distance)]
    if graph.number_of_edges() <= _MOST_COMPARED_EDGES:
        planar, embedding = nx.check_planarity(graph)
        if planar:
            flat = nx.combinatorial_embedding_to_pos(embedding)
            grid = np.array([flat[node] for node in graph], dtype=float)
            layouts += [_relax(grid, distance), grid, *_barycentric(graph, embedding)]
        layouts.append(circle)
    return layouts


def _distances(graph: nx.Graph) -> np.ndarray:
    """Return hops between all nodes ``[M, M]``; one more than the most where there is no path."""
    distance = np.full((len(graph), len(graph)), np.nan)
    for node, hops in nx.all_pairs_shortest_path_length(graph):
        distance[node, list(hops)] = list(hops.values())
    return np.nan_to_num(distance, nan=np.nanmax(distance) + 1)


def _relax(places: np.ndarray, distance: np.ndarray) -> np.ndarray:
    """Move nodes until their distances resemble ``distance``, by stress majorisation."""
    weights = np.where(distance > 0, 1 / np.maximum(distance, 1) ** 2, 0)
    solve = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    for _ in range(_RELAXATIONS):
        apart = np.linalg.norm(places[:, None] - places[None], axis=2)
        ratio = weights * distance / np.where(apart > 1e-9, apart, np.inf)
        places = solve @ ((np.diag(ratio.sum(axis=1)) - ratio) @ places)
    return places


def _barycentric(graph: nx.Graph, embedding: nx.PlanarEmbedding) -> list[np.ndarray]:
    """Return Tutte's drawings: a face as the outer polygon, each other node between neighbours."""
    if len(graph) < 4 or not nx.is_biconnected(graph):
        return []
    faces: list[list[int]] = []
    seen: set[tuple[int, int]] = set()
    for u, v in sorted(embedding.edges):
        if (u, v) not in seen:
            faces.append(embedding.traverse_face(u, v, mark_half_edges=seen))
    longest = max(map(len, faces))
    drawings = []
    for face in [face for face in faces if len(face) == longest][:4]:
        depth = nx.multi_source_dijkstra_path_length(graph, face)
        pull = np.zeros((len(graph), len(graph)))
        for u, v in graph.edges:
            # outer edges pull harder, so that the inside is not cramped
            pull[u, v] = pull[v, u] = 4.0 ** -min(depth[u], depth[v])
        laplacian = np.diag(pull.sum(axis=1)) - pull
        angle = np.pi / 2 + np.pi / longest + 2 * np.pi * np.arange(longest) / longest
        inner = [node for node in graph if node not in face]
        places = np.zeros((len(graph), 2))
        places[face] = np.column_stack([np.cos(angle), np.sin(angle)])
        if inner:
            right = -laplacian[np.ix_(inner, face)] @ places[face]
            places[inner] = np.linalg.solve(laplacian[np.ix_(inner, inner)], right)
        drawings.append(places)
    return drawings


def _fit(places: np.ndarray) -> np.ndarray:
    """Turn the long side to x, centre, and scale into the frame."""
    places = places - places.mean(axis=0)
    lengths, directions = np.linalg.eigh(places.T @ places)
    # a round layout stays as it is: its axes are arbitrary
    if lengths[1] > 1.2 * lengths[0]:
        axes = directions[:, ::-1]
        places = places @ (axes * np.sign(axes[np.abs(axes).argmax(axis=0), [0, 1]]))
        # of the two directions the first node goes left
        places *= np.where(places[0] > 1e-9, -1, 1)
    places = places - (places.max(axis=0) + places.min(axis=0)) / 2
    half = np.maximum(places.max(axis=0), 1e-9)
    # adding 0 turns -0.0 into 0.0
    return np.round(places * min(1 / half[0], 0.85 / half[1]), 9) + 0.0


def _cost(places: np.ndarray, ends: np.ndarray, distance: np.ndarray) -> float:
    """Weigh crossings, gaps and false distances; the weights were chosen by looking at drawings."""
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    pairs = np.triu_indices(len(places), 1)
    drawn, wanted = apart[pairs], distance[pairs]
    # the scale that suits best
    ratio = drawn / wanted
    stress = 1 - ratio.sum() ** 2 / (len(ratio) * (ratio**2).sum())
    gap = min(_clearance(places, ends), 0.4)
    cramped = max(0.0, 0.2 - gap)
    return 0.1 * _crossings(places, ends) + 2 * float(stress) - 2 * gap + 10 * cramped


def _crossings(places: np.ndarray, ends: np.ndarray) -> int:
    """Count pairs of lines that cross or lie on one another."""
    a, b = places[ends[:, 0]], places[ends[:, 1]]  # [E, 2]
    first, second = np.triu_indices(len(ends), 1)
    apart = (ends[first][:, :, None] != ends[second][:, None, :]).all(axis=(1, 2))
    first, second = first[apart], second[apart]
    return int(
        (
            (_side(a[first], b[first], a[second]) * _side(a[first], b[first], b[second]) <= 0)
            & (_side(a[second], b[second], a[first]) * _side(a[second], b[second], b[first]) <= 0)
        ).sum()
    )


def _side(start: np.ndarray, end: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Tell on which side of a line a point lies: -1, 1, or 0 for on it."""
    along, to = end - start, point - start
    cross = along[:, 0] * to[:, 1] - along[:, 1] * to[:, 0]
    return np.where(np.abs(cross) < 1e-6, 0, np.sign(cross))


def _clearance(places: np.ndarray, ends: np.ndarray) -> float:
    """Return the least distance between two dots, or between a dot and a line past it."""
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    least = apart[np.triu_indices(len(places), 1)].min()
    if len(ends):
        start, along = places[ends[:, 0]], places[ends[:, 1]] - places[ends[:, 0]]  # [E, 2]
        to = places[:, None] - start[None]  # [M, E, 2]
        length = np.maximum((along**2).sum(axis=1), 1e-12)
        share = np.clip((to * along).sum(axis=2) / length, 0, 1)
        gap = np.linalg.norm(to - share[:, :, None] * along, axis=2)
        gap[ends.T, np.arange(len(ends))] = np.inf
        least = min(least, 1.5 * gap.min())
    return float(least)


def dot_radius(places: np.ndarray, largest: float, share: float) -> float:
    """Radius of dots at ``places [M, 2]``: at most so large, and a share of the least distance."""
    if len(places) < 2:
        return largest
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    return float(min(largest, share * apart[np.triu_indices(len(places), 1)].min()))
