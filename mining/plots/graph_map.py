"""A whole graph on one map: every node in the colour of its pattern, or of a value.

The layout is fast and the same on every run: distances to a few pivots on two axes (pivot MDS,
Brandes and Pich 2006), then igraph's Fruchterman-Reingold from there; components side by side.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import igraph
import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import CSRGraph, as_csr
from mining.plots.explanation_plots import RESPONSE_COLORS
from mining.plots.node_colors import MOST_COLORS, OTHERS_COLOR, pattern_palette
from mining.plots.plots import INK, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NODES = 5000
NONE_COLOR = "#c4c4c4"
_PIVOTS = 50
_RELAXATIONS = 150
# components up to this size are drawn like molecules, by their distances
_SMALL = 60
_GAP = 0.6
_MOST_LINES = 5000
_GREY = "#808080"
_LEGEND_COLUMNS = 3
# mean length of an edge of a small component
_EDGE = 0.6


def draw_graph_map(
    graph: Any,
    pattern_of: np.ndarray,
    ax: Axes | None = None,
    *,
    names: Sequence[str] | None = None,
) -> Axes:
    """Draw a graph, every node in the colour of the pattern that it belongs to.

    Parameters
    ----------
    graph : anything :func:`gomkcn_dgl.as_csr` takes
        A graph or a collection of at most 5000 nodes.
    pattern_of : numpy.ndarray
        Integer ``[V]`` position of each node's pattern; -1 for none.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a figure of its own.
    names : sequence of str, optional
        One for each pattern; ``Pattern 0, …`` when left out.

    Returns
    -------
    matplotlib.axes.Axes
        The legend counts nodes. The eight patterns with the most nodes have colours of their own.

    Raises
    ------
    InputError
        For a graph that is too large, or another number of nodes.

    Examples
    --------
    >>> import networkx as nx
    >>> ax = draw_graph_map(nx.path_graph(3), np.array([0, 0, -1]))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['Pattern 0 (2)', 'none (1)']
    """
    csr = _check(graph, "pattern_of", pattern_of)
    pattern_of = np.asarray(pattern_of)
    if pattern_of.dtype.kind not in "iu" or pattern_of.min() < -1:
        raise InputError("pattern_of must hold positions of patterns from 0, or -1 for none.")
    ax = _map_axes(ax)
    places = layout_graph(csr)
    _draw_edges(ax, csr, places)
    patterns, counts = np.unique(pattern_of[pattern_of >= 0], return_counts=True)
    shown = np.sort(patterns[np.argsort(-counts, kind="stable")][:MOST_COLORS])
    groups = [("none", pattern_of < 0, NONE_COLOR)]
    others = (pattern_of >= 0) & ~np.isin(pattern_of, shown)
    groups.append((f"{len(patterns) - len(shown)} others", others, OTHERS_COLOR))
    for pattern, color in zip(shown.tolist(), pattern_palette(), strict=False):
        name = f"Pattern {pattern}" if names is None else names[pattern]
        groups.append((name, pattern_of == pattern, color))
    # what belongs to no pattern is drawn first and listed last
    handles = [
        _scatter(ax, places[mask], csr.num_nodes, color=color, label=f"{name} ({mask.sum()})")
        for name, mask, color in groups
        if mask.any()
    ]
    num_last = sum(bool(mask.any()) for _, mask, _ in groups[:2])
    ax.legend(
        handles=handles[num_last:] + handles[:num_last][::-1],
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        ncols=_LEGEND_COLUMNS,
        frameon=False,
        fontsize=9,
        labelcolor=INK,
        title="Nodes by pattern",
        title_fontproperties={"size": 9},
        markerscale=max(1.0, 5 / _dot_size(csr.num_nodes) ** 0.5),
    ).get_title().set_color(INK)
    return ax


def draw_node_values(
    graph: Any, values: np.ndarray, ax: Axes | None = None, *, label: str = "similarity"
) -> Axes:
    """Draw a graph, every node in the colour of a value: a response map.

    Parameters
    ----------
    graph : anything :func:`gomkcn_dgl.as_csr` takes
        A graph or a collection of at most 5000 nodes.
    values : numpy.ndarray
        ``[V]``, such as a column of ``PatternMiner.transform``.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a figure of its own.
    label : str
        What the values are, for the colour bar.

    Returns
    -------
    matplotlib.axes.Axes
    """
    csr = _check(graph, "values", values)
    ax = _map_axes(ax)
    places = layout_graph(csr)
    _draw_edges(ax, csr, places)
    values = np.asarray(values, dtype=float)
    # high values on top
    order = np.argsort(values, kind="stable")
    dots = _scatter(ax, places[order], csr.num_nodes, c=values[order], cmap=RESPONSE_COLORS)
    bar = ax.get_figure().colorbar(dots, ax=ax, fraction=0.04, pad=0.02)  # type: ignore[union-attr]
    bar.set_label(label, color=INK, fontsize=9)
    bar.ax.tick_params(color=INK, labelcolor=INK, labelsize=8)
    bar.outline.set_edgecolor(INK)
    return ax


def layout_graph(graph: CSRGraph) -> np.ndarray:
    """Place the nodes of a graph or a collection, ``[V, 2]``; components side by side.

    Examples
    --------
    >>> import networkx as nx
    >>> layout_graph(as_csr(nx.empty_graph(2))).shape
    (2, 2)
    """
    matrix = sparse.csr_matrix(
        (np.ones(len(graph.indices), np.int8), graph.indices, graph.indptr),
        shape=(graph.num_nodes, graph.num_nodes),
    )
    _, owner = csgraph.connected_components(matrix, directed=False)
    order = np.argsort(owner, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(owner[order])) + 1)
    parts.sort(key=len, reverse=True)
    boxes = [_layout_component(matrix[part][:, part]) for part in parts]
    places = np.zeros((graph.num_nodes, 2))
    for part, box, corner in zip(parts, boxes, _shelves(boxes), strict=True):
        places[part] = box + corner
    return places


def _layout_component(matrix: sparse.csr_matrix) -> np.ndarray:
    """Place a connected graph in a box with its corner at 0, larger for more nodes."""
    size = matrix.shape[0]
    if size == 1:
        return np.zeros((1, 2))
    ends = sparse.triu(matrix).tocoo()
    graph = igraph.Graph(n=size, edges=np.stack([ends.row, ends.col], axis=1).tolist())
    # igraph draws its random numbers from Python's generator unless it is given another
    igraph.set_random_number_generator(random.Random(0))
    try:
        if size <= _SMALL:
            layout = graph.layout_kamada_kawai(seed=graph.layout_circle())
        else:
            start = (_pivot_mds(matrix) * np.sqrt(size)).tolist()
            layout = graph.layout_fruchterman_reingold(
                seed=start, niter=_RELAXATIONS, start_temp=np.sqrt(size) / 10
            )
    finally:
        igraph.set_random_number_generator(random)
    places = np.array(layout.coords)
    if size <= _SMALL:
        lengths = np.linalg.norm(places[ends.row] - places[ends.col], axis=1)
        return _to_corner(places * (_EDGE / max(float(lengths.mean()), 1e-9)))
    # communities contract: half of a place is its rank, which spreads them over the paper
    ranks = places.argsort(axis=0).argsort(axis=0) / size
    places = _to_corner(places)
    return _to_corner(places / places.max() + ranks) * (np.sqrt(size) * _EDGE / 2)


def _to_corner(places: np.ndarray) -> np.ndarray:
    return np.asarray(places - places.min(axis=0))


def _pivot_mds(matrix: sparse.csr_matrix) -> np.ndarray:
    """Two axes along which hops to some pivots vary most, in units of their spread, ``[V, 2]``."""
    rng = np.random.default_rng(0)
    size = matrix.shape[0]
    pivots = rng.choice(size, min(size, _PIVOTS), replace=False)
    hops = csgraph.shortest_path(matrix, unweighted=True, directed=False, indices=pivots).T
    squared = hops**2
    centred = squared - squared.mean(axis=0) - squared.mean(axis=1, keepdims=True) + squared.mean()
    left, strength, _ = np.linalg.svd(centred, full_matrices=False)
    axes = left[:, :2] * np.sqrt(strength[:2])
    return np.asarray(axes / max(float(axes.std()), 1e-9))


def _shelves(boxes: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Lower left corners of boxes set on shelves, the largest first."""
    sides = [box.max(axis=0) + _GAP for box in boxes]
    area = sum(side[0] * side[1] for side in sides)
    width = max(1.15 * np.sqrt(1.3 * area), sides[0][0])
    corners, x, y, height = [], 0.0, 0.0, 0.0
    for side in sides:
        if x > 0 and x + side[0] > width + 1e-9:
            x, y, height = 0.0, y - height, 0.0
        corners.append(np.array([x, y - side[1]]))
        x, height = x + side[0], max(height, side[1])
    return corners


def _check(graph: Any, name: str, values: np.ndarray) -> CSRGraph:
    csr = as_csr(graph)
    if csr.num_nodes > MOST_NODES:
        raise InputError(
            f"graph must have at most {MOST_NODES} nodes for a map, got {csr.num_nodes}; "
            "draw a part of it."
        )
    if np.shape(values) != (csr.num_nodes,):
        raise InputError(
            f"{name} must hold one value for each of the {csr.num_nodes} nodes, "
            f"got the shape {np.shape(values)}."
        )
    return csr


def _map_axes(ax: Axes | None) -> Axes:
    if ax is None:
        ax = new_figure(5.4, 5.0).add_subplot()
    # the axes keep their box, so that a legend below them has its room
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_axis_off()
    return ax


def _dot_size(num_nodes: int) -> float:
    """Area of a dot in square points."""
    return float(np.clip(9000 / num_nodes, 3.0, 90.0))


def _draw_edges(ax: Axes, csr: CSRGraph, places: np.ndarray) -> None:
    from matplotlib.collections import LineCollection

    alpha = float(np.clip(1500 / max(csr.num_edges, 1), 0.03, 0.7))
    width = 1.0 if csr.num_nodes < 300 else 0.5
    # as a picture within an SVG: tens of thousands of lines are too much for a page; its grey is
    # seen on light and on dark paper
    many = csr.num_edges > _MOST_LINES
    lines = LineCollection(
        list(places[csr.undirected_edges()]),
        colors=_GREY if many else INK,
        alpha=alpha,
        linewidths=width,
        zorder=1,
        rasterized=many,
    )
    ax.add_collection(lines)


def _scatter(ax: Axes, places: np.ndarray, num_nodes: int, **colors: Any) -> Any:
    rim = 0.4 if num_nodes < 300 else 0.0
    return ax.scatter(
        places[:, 0],
        places[:, 1],
        s=_dot_size(num_nodes),
        linewidths=rim,
        edgecolors=INK,
        zorder=2,
        rasterized=num_nodes > 2000,
        **colors,
    )
