"""Random graphs of a known kind, as large as the given one: what space or a ring alone would make.

They keep the numbers of nodes and edges only, and are the fitting null models of graphs in which
near nodes are joined: there rewiring makes every dense pattern stand out (Y. Artzy-Randrup, S. J.
Fleishman, N. Ben-Tal and L. Stone, comment on "Network motifs", Science 305:1107c, 2004).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial import cKDTree

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from mining.null_models.triangles import count_triangles


def geometric_graph(graph: CSRGraph, rng: np.random.Generator) -> CSRGraph:
    """Nodes at random points of a square, and as many edges as before between the nearest."""
    return _replace_edges(graph, "geometric", lambda size, number, _: _nearest(size, number, rng))


def small_world_graph(graph: CSRGraph, rng: np.random.Generator) -> CSRGraph:
    """A ring of nodes joined to those next to them, some of whose edges lead anywhere.

    As in D. J. Watts and S. H. Strogatz, Nature 393, 1998. The share of such edges is that which
    gives the clustering of ``graph``.
    """
    return _replace_edges(
        graph,
        "small-world",
        lambda size, number, clustering: _ring(size, number, clustering, rng),
    )


def clustering(indptr: np.ndarray, indices: np.ndarray) -> float:
    """Share of the pairs of neighbours of a node that are joined: 3 triangles / pairs, over all."""
    degrees = np.diff(indptr)
    num_pairs = int((degrees * (degrees - 1)).sum()) // 2
    return float(count_triangles(indptr, indices).sum()) / max(num_pairs, 1)


def _replace_edges(
    graph: CSRGraph, null: str, draw: Callable[[int, int, float], np.ndarray]
) -> CSRGraph:
    """Each graph of a collection with the pairs ``[E, 2]`` that ``draw`` makes for its edges.

    It is given the numbers of nodes and edges, and the clustering.
    """
    if graph.links is not None:
        raise InputError(
            f"null must not be {null!r} for a graph whose edges have directions or types; "
            "use 'degree', 'configuration' or 'reciprocity'."
        )
    pairs = [np.empty((0, 2), np.int64)]
    for first, last in itertools.pairwise(graph.graph_ptr.tolist()):
        indptr = graph.indptr[first : last + 1] - graph.indptr[first]
        indices = graph.indices[graph.indptr[first] : graph.indptr[last]] - first
        if len(indices):
            drawn = draw(last - first, len(indices) // 2, clustering(indptr, indices))
            pairs.append(drawn + first)
    ends = np.concatenate(pairs)
    row, column = np.concatenate([ends, ends[:, ::-1]]).T
    rows = csr_array((np.ones(len(row), np.int8), (row, column)), shape=(graph.num_nodes,) * 2)
    rows.sort_indices()
    return replace(
        graph,
        indptr=rows.indptr.astype(np.int64),
        indices=rows.indices.astype(np.int32),
        weights=None,
    )


def _nearest(size: int, number: int, rng: np.random.Generator) -> np.ndarray:
    """The ``number`` pairs of random points that are nearest to each other, int64 ``[E, 2]``."""
    points = rng.random((size, 2))
    tree, radius = cKDTree(points), np.sqrt(2 * number / np.pi) / size
    pairs = np.empty((0, 2), np.int64)
    while len(pairs) < number:
        pairs = tree.query_pairs(radius, output_type="ndarray")
        radius *= 1.2
    length = np.square(points[pairs[:, 0]] - points[pairs[:, 1]]).sum(axis=1)
    return pairs[np.argsort(length, kind="stable")[:number]].astype(np.int64)


def _ring(size: int, number: int, wanted: float, rng: np.random.Generator) -> np.ndarray:
    """Edges of a ring, moved at random until it is clustered as wanted, int64 ``[E, 2]``."""
    # 1. each node is joined to the next ones; the last of these for some nodes only
    nodes, step = rng.permutation(size), np.arange(number) // size + 1
    start = np.arange(number) % size
    start[step == step[-1]] = rng.choice(size, int((step == step[-1]).sum()), replace=False)
    pairs = np.stack([start, (start + step) % size], axis=1)
    # 2. the clustering is that of the ring times the cube of the share of edges that stay
    ends = np.concatenate([pairs, pairs[:, ::-1]])
    ring = csr_array((np.ones(len(ends), np.int8), tuple(ends.T)), shape=(size, size))
    full = clustering(ring.indptr, ring.indices)
    share = 1 - min(1.0, wanted / full) ** (1 / 3) if full > 0 else 1.0
    # 3. move the second end of the others to any node that the first is not joined to
    joined = {(min(u, v), max(u, v)) for u, v in pairs.tolist()}
    for row in np.flatnonzero(rng.random(number) < share):
        u, v = pairs[row].tolist()
        w = int(rng.integers(size))
        new = min(u, w), max(u, w)
        if w != u and new not in joined:
            joined.remove((min(u, v), max(u, v)))
            joined.add(new)
            pairs[row, 1] = w
    return nodes[pairs]
