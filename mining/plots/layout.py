"""Positions of the nodes of a drawing, by igraph's layouts; the same on every run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import igraph
import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Edge, Structure
from gomkcn_dgl.relations import Relations
from gomkcn_dgl.runtime.python_random import python_random_state

# edges of a drawing of which several layouts are compared, which takes a moment
_MAX_COMPARED_EDGES = 150
# starts at random of these, beside the circle
_NUM_RANDOM_STARTS = 8
# orders of the nodes on a circle, on which no edge passes a third node closely
_NUM_CIRCLES = 40
# nodes that are closer than this share of the gaps of a circle hide each other
_LEAST_GAP = 0.4
# how far from a node edges of other nodes pass: a node with a letter of a row of a table, and half
# the width of a line
_CLEAR = 0.38
# differences of it that nobody sees, which the stress decides
_CLEAR_STEP = 0.05
# a path of so many nodes is no straight line, and rises and falls so much a step
_LEAST_ZIGZAG, _SLOPE = 4, 0.9
# components of a map up to this size are drawn by Kamada-Kawai, larger ones by Fruchterman-Reingold
_MAX_KAMADA_KAWAI = 60
# nodes to which the numbers of hops are found for the start of a layout
_NUM_PIVOTS = 50
# forces move nodes so often
_NUM_ITERATIONS = 100
# above so many nodes igraph adds forces up in the cells of a grid
_GRID_FROM = 1000
# by which the nodes of a graph spread more slowly
_NUM_ON_GRID = 300
# length of an edge in units of a map
_EDGE_LENGTH = 0.6
# between components
_GAP = 0.6
# weight of the edges of a copy, which keeps it together
_PULL = 3.0
# how small and large the drawing of a copy may be on a map
_COPY_SCALE = 0.45, 0.9


@dataclass(frozen=True)
class DrawnGraph:
    """A graph that may be in pieces, with the attributes of :class:`gomkcn.Structure`.

    ``atoms`` are the charge and the hydrogens of each atom of a molecule, where they are known.
    """

    num_nodes: int
    edges: tuple[Edge, ...]
    edge_relations: tuple[int, ...]
    relations: Relations
    categories: tuple[tuple[str, ...], ...]
    atoms: tuple[tuple[int, int], ...] = ()


Drawable = Structure | DrawnGraph


@cache
def node_positions(num_nodes: int, edges: tuple[tuple[int, int], ...]) -> np.ndarray:
    """Positions of the nodes of a small graph, ``[M, 2]``, within ±1 across and ±0.85 up and down.

    Of Kamada-Kawai layouts from several starts and circles it is the one of least stress whose
    nodes stand apart and whose edges pass no other node closely. The longer side lies along x.
    """
    circle = _circle(num_nodes)
    if len(edges) == num_nodes * (num_nodes - 1) // 2:
        return _fit(circle)
    graph = igraph.Graph(n=num_nodes, edges=edges)
    if num_nodes >= _LEAST_ZIGZAG and len(edges) == num_nodes - 1 and graph.maxdegree() == 2:
        return _zigzag(graph)

    def layout_from(start: np.ndarray) -> np.ndarray:
        return _fit(np.array(graph.layout_kamada_kawai(seed=start.tolist()).coords))

    if len(edges) > _MAX_COMPARED_EDGES:
        return layout_from(circle)
    starts, circles = _starts_of(num_nodes)
    layouts = [_Layout.of(layout_from(start)) for start in starts]
    hops = np.array(graph.distances(), float)[_pairs(num_nodes)]
    least = _LEAST_GAP * circles[0].distances.min(initial=1)
    # rounded, so that equally good layouts tie on every machine and the first of them is taken
    best = min(
        [*layouts, *circles],
        key=lambda layout: (
            layout.distances.min(initial=1) < least,
            round(max(0.0, _CLEAR - clearance(layout.positions, edges)) / _CLEAR_STEP),
            round(_stress(layout.distances, hops), 3),
        ),
    )
    return best.positions


class _Layout(NamedTuple):
    """Positions ``[M, 2]``, and the distance of each two of them."""

    positions: np.ndarray
    distances: np.ndarray

    @classmethod
    def of(cls, positions: np.ndarray) -> _Layout:
        return cls(positions, _distances(positions))


def _circle(num_nodes: int) -> np.ndarray:
    angle = np.pi / 2 + 2 * np.pi * np.arange(num_nodes) / num_nodes
    return np.column_stack([np.cos(angle), np.sin(angle)])


@cache
def _starts_of(num_nodes: int) -> tuple[list[np.ndarray], list[_Layout]]:
    """Where layouts of so many nodes start, and circles of them in several orders."""
    circle, random = _circle(num_nodes), np.random.default_rng(0)
    starts = [circle, *random.random((_NUM_RANDOM_STARTS, num_nodes, 2))]
    orders = [circle, *(random.permutation(circle) for _ in range(_NUM_CIRCLES))]
    return starts, [_Layout.of(_fit(order)) for order in orders]


def _zigzag(graph: igraph.Graph) -> np.ndarray:
    """Positions of the nodes of a path, to and fro, as chemists draw chains: edges are longer."""
    end = graph.degree().index(1)
    order = graph.bfs(end)[0]
    step = 2 / (graph.vcount() - 1)
    positions = np.zeros((graph.vcount(), 2))
    positions[order, 0] = step * np.arange(graph.vcount()) - 1
    positions[order, 1] = _SLOPE * step * (np.arange(graph.vcount()) % 2 - 0.5)
    return positions


def clearance(positions: np.ndarray, pairs: Sequence[tuple[int, int]]) -> float:
    """How near an edge comes to a node that is none of its ends; infinite where there is none.

    >>> square = np.array([[0.0, 0.0], [1, 0], [1, 1], [0, 1]])
    >>> round(clearance(square, [(0, 1), (0, 2)]), 3)
    0.707
    """
    if len(positions) < 3 or not len(pairs):
        return float("inf")
    u, v = np.array(pairs).T
    along = positions[v] - positions[u]
    length = np.maximum((along**2).sum(axis=1), 1e-12)
    # the point of each segment that is nearest to each node, [M, edges, 2]
    away = positions[:, None] - positions[u]
    share = np.clip((away * along).sum(axis=2) / length, 0, 1)
    distances = np.linalg.norm(away - share[:, :, None] * along, axis=2)
    edges = np.arange(len(pairs))
    distances[u, edges] = distances[v, edges] = np.inf
    return float(distances.min())


def structure_positions(structure: Drawable, missing: Sequence[tuple[int, int]] = ()) -> np.ndarray:
    """Positions of the nodes of a structure, ``[M, 2]``, in the frame of :func:`node_positions`.

    Where every node is either a source or a target, sources stand in a row above the targets.
    ``missing`` pairs are kept as close as those that are joined.
    """
    size = structure.num_nodes
    edges = structure.edges
    sources = sorted({u for u, _ in edges})
    targets = sorted({v for _, v in edges})
    if not all(structure.relations.directed) or sorted(sources + targets) != [*range(size)]:
        pairs = dict.fromkeys((min(edge), max(edge)) for edge in (*edges, *missing))
        return node_positions(size, tuple(pairs))
    positions = np.zeros((size, 2))
    for row, height in ((sources, 0.85), (targets, -0.85)):
        # a node stands below the middle of its sources
        above = {v: np.mean([positions[u, 0] for u, w in edges if w == v] or [0]) for v in row}
        row.sort(key=lambda node: above[node])
        step = 2 / max(len(sources), len(targets))
        positions[row, 0] = step * (np.arange(len(row)) - (len(row) - 1) / 2)
        positions[row, 1] = height
    return positions


def map_positions(
    graph: CSRGraph, copies: Sequence[tuple[np.ndarray, np.ndarray]] = ()
) -> np.ndarray:
    """Positions of the nodes of a large graph or a collection, ``[V, 2]``.

    Every component is laid out by itself; the components are set on shelves, the largest first.
    ``copies`` are drawings of structures, positions ``[M, 2]``, each with its copies as rows of the
    graph, int ``[K, M]``: a copy that shares no node with another has the shape of its drawing.
    """
    whole = igraph.Graph(n=graph.num_nodes, edges=graph.adjacent_pairs())
    owner = np.full(graph.num_nodes, -1)
    taken = np.zeros(graph.num_nodes, np.int64)
    for number, row in enumerate(row for _, rows in copies for row in rows):
        owner[row] = number
        taken[row] += 1
    # edges within a copy pull it together
    ends = np.array(whole.get_edgelist(), np.int64).reshape(-1, 2)
    within = (owner[ends[:, 0]] == owner[ends[:, 1]]) & (owner[ends[:, 0]] >= 0)
    whole.es["weight"] = np.where(within, _PULL, 1.0).tolist()
    components = sorted(whole.connected_components(), key=len, reverse=True)
    boxes = []
    for part in components:
        box = _component_positions(whole.induced_subgraph(part))
        place = dict(zip(part, range(len(part)), strict=True))
        for drawing, rows in copies:
            for row in rows:
                if (taken[row] == 1).all() and row[0] in place:
                    numbers = [place[node] for node in row.tolist()]
                    box[numbers] = _like(drawing, box[numbers])
        boxes.append(box - box.min(axis=0))
    positions = np.zeros((graph.num_nodes, 2))
    for part, box, corner in zip(components, boxes, _shelf_corners(boxes), strict=True):
        positions[part] = box + corner
    return positions


def _like(drawing: np.ndarray, points: np.ndarray) -> np.ndarray:
    """A drawing, turned or mirrored to lie as close to ``points [M, 2]`` as it can (Procrustes)."""
    centred = drawing - drawing.mean(axis=0)
    middle = points.mean(axis=0)
    left, stretch, right = np.linalg.svd(centred.T @ (points - middle))
    size = np.clip(stretch.sum() / max((centred**2).sum(), 1e-9), *_COPY_SCALE)
    return np.asarray(size * centred @ left @ right + middle)


def _fit(positions: np.ndarray) -> np.ndarray:
    """Turn the long side to x, centre, and scale into the frame of a small drawing."""
    centred = positions - positions.mean(axis=0)
    lengths, directions = np.linalg.eigh(centred.T @ centred)
    # the principal axes of a round layout are arbitrary, so it is not turned
    if lengths[1] > 1.2 * lengths[0]:
        axes = directions[:, ::-1]
        centred = centred @ (axes * np.sign(axes[np.abs(axes).argmax(axis=0), [0, 1]]))
        # of the two directions of each axis the one with the first node at the left and below
        centred *= np.where(centred[0] > 1e-9, -1, 1)
    centred = centred - (centred.max(axis=0) + centred.min(axis=0)) / 2
    half = np.maximum(centred.max(axis=0), 1e-9)
    # adding 0 turns -0.0 into 0.0
    return np.round(centred * min(1 / half[0], 0.85 / half[1]), 9) + 0.0


def _distances(points: np.ndarray) -> np.ndarray:
    """Between each two of some points ``[K, 2]``, float64 ``[K (K - 1) / 2]``."""
    i, j = _pairs(len(points))
    return np.asarray(np.linalg.norm(points[i] - points[j], axis=1))


@cache
def _pairs(number: int) -> tuple[np.ndarray, np.ndarray]:
    """Each two of some points, the smaller number first."""
    return np.triu_indices(number, 1)


def _stress(distances: np.ndarray, hops: np.ndarray) -> float:
    """How far distances are from being proportional to numbers of hops, of each pair of nodes."""
    ratio = distances / hops
    scale = ratio.sum() / max(float((ratio**2).sum()), 1e-9)
    return float(((scale * ratio - 1) ** 2).sum())


def _principal_components(points: np.ndarray) -> np.ndarray:
    """The first two principal components of ``points [K, D]``, ``[K, 2]``."""
    centred = points - points.mean(axis=0)
    # the axes are those of the small matrix of the columns, ascending by what they explain
    axes = np.linalg.eigh(centred.T @ centred)[1][:, :-3:-1]
    # of the two directions of an axis the one whose largest entry is positive
    signs = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(2)])
    return np.asarray(centred @ (axes * signs))


def _component_positions(graph: igraph.Graph) -> np.ndarray:
    """Positions of a connected graph in a box with its corner at 0, larger for more nodes."""
    size = graph.vcount()
    if size == 1:
        return np.zeros((1, 2))
    if size <= _MAX_KAMADA_KAWAI:
        layout = graph.layout_kamada_kawai(seed=graph.layout_circle())
    else:
        # the start is where numbers of hops to some nodes, the pivots, vary most (high-dimensional
        # embedding, Harel and Koren 2002), which unfolds the graph; forces then move nodes apart
        pivots = np.random.default_rng(0).choice(size, min(size, _NUM_PIVOTS), replace=False)
        hops = np.array(graph.distances(pivots.tolist())).T  # [V, pivots]
        start = _principal_components(hops)
        start *= np.sqrt(size) / max(float(start.std()), 1e-9)
        with python_random_state(0):
            layout = graph.layout_fruchterman_reingold(
                seed=start.tolist(),
                niter=_NUM_ITERATIONS if size <= _GRID_FROM else _NUM_ON_GRID,
                start_temp=np.sqrt(size) / 3,
                weights="weight",
            )
    positions = np.array(layout.coords)
    positions -= positions.min(axis=0)
    if size > _MAX_KAMADA_KAWAI:
        return positions * (np.sqrt(size) * _EDGE_LENGTH / positions.max())
    ends = positions[np.array(graph.get_edgelist())]
    lengths = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
    return positions * (_EDGE_LENGTH / max(float(lengths.mean()), 1e-9))


def _shelf_corners(boxes: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Lower left corners of boxes that are set on shelves in the order in which they come."""
    sides = [box.max(axis=0) + _GAP for box in boxes]
    area = sum(width * height for width, height in sides)
    shelf_width = max(1.15 * np.sqrt(1.3 * area), sides[0][0])
    corners = []
    x = 0.0
    y = 0.0
    shelf_height = 0.0
    for width, height in sides:
        if x > 0 and x + width > shelf_width + 1e-9:
            x = 0.0
            y = y - shelf_height
            shelf_height = 0.0
        corners.append(np.array([x, y - height]))
        x = x + width
        shelf_height = max(shelf_height, height)
    return corners
