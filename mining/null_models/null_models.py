"""Null models: random graphs that keep some properties of a given graph.

``"degree"``
    degree-preserving rewiring that keeps the joint degrees as well: as many edges as before join
    nodes of each two degrees. Connected components stay connected and keep their nodes, so that no
    edge leaves its graph in a collection.
``"configuration"``
    the same without the joint degrees: the configuration model of simple graphs with these
    components. Graphs that grew, such as Barabási–Albert graphs, differ from this null model
    without any planted pattern, see ``benchmarks/results/significance.md``.
``"reciprocity"``
    the configuration model that keeps, for each node, what it is joined to its neighbours by: how
    many edges lead out, come in, and do both (Milo et al., Science 298, 2002).
``"features"``
    feature permutation: the edges stay and the rows of the features are permuted over all nodes.
``"communities"``
    rewiring that keeps the degrees and how many edges join each two communities of the graph,
    which are found by greedy modularity (Clauset, Newman and Moore, Physical Review E 70, 2004).

In a graph with directions or relation types each node keeps its in-degree and its out-degree in
each relation, and no edge changes its relation. The degree of ``"degree"`` is then the numbers of
outgoing, incoming and undirected edges of all relations together. Two relations join the same nodes
in the same direction only if they do so in the given graph. Categories and other node features stay
at their nodes. Where edges have a direction, components are not kept, as is usual in the motif
literature; no edge leaves its graph in a collection all the same. Swaps of two edges alone do not
reverse a directed cycle of three nodes (Rao et al., Sankhya A 58, 1996), which matters in tiny
graphs only.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from gomkcn_dgl.checks import check_choice, check_int
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.edge_linking import pack
from mining.null_models.edge_ends import (
    build_merged,
    degree_classes,
    end_groups,
    entries_of_pairs,
    kinds_of_pairs,
    merged_ends,
    separate_ends,
)
from mining.null_models.rewiring import swap_edges, undo_swaps

# random streams are numbered in this order: add new ones at the end
NULL_MODELS = ("configuration", "degree", "features", "reciprocity", "communities")

# swaps for each edge; three leave one edge in 400 where it was
_SWAPS_PER_EDGE = 10
# bounds the attempts, since some graphs allow no swap
_ATTEMPTS_PER_EDGE = 100
# In a graph of more nodes, the search for a cut component is given up after so many nodes. Instead
# components are counted after as many swaps as there are edges. If any was cut, those swaps are
# undone and made again with searches that are this factor longer.
_MAX_EXACT_NODES = 10_000
_MAX_VISITS = 8
_LONGER = 8


def sample_null(graph: CSRGraph, null: str, seed: int) -> CSRGraph:
    """Draw a graph of a null model, with the nodes of ``graph`` in their order.

    Parameters
    ----------
    graph : CSRGraph
        One graph or a collection. Edge weights are dropped when edges are rewired.
    null : one of ``NULL_MODELS``
        What stays as it is, see :mod:`mining.null_models.null_models`. Edges are rewired inside
        their relation; where they have a direction, in- and out-degrees stay.
    seed : int
        The same seed gives the same sample.

    Raises
    ------
    InputError
        For another name or a negative seed.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import as_csr
    >>> arcs = as_csr(nx.gnp_random_graph(20, 0.2, seed=0, directed=True))
    >>> sample = sample_null(arcs, "configuration", seed=0)
    >>> (np.bincount(sample.edges()[0]) == np.bincount(arcs.edges()[0])).all()
    np.True_
    """
    check_choice("null", null, NULL_MODELS)
    rng = np.random.default_rng([check_int("seed", seed, 0), NULL_MODELS.index(null)])
    if null == "features":
        return permute_features(graph, rng)
    if null == "communities":
        return rewire(graph, rng, keep_joint_degrees=False, communities=find_communities(graph))
    keep_joint_degrees, keep_reciprocity = null == "degree", null == "reciprocity"
    return rewire(
        graph, rng, keep_joint_degrees=keep_joint_degrees, keep_reciprocity=keep_reciprocity
    )


def find_communities(graph: CSRGraph) -> np.ndarray:
    """Community of each node, int64 ``[V]``, by greedy modularity; directions do not count."""
    pairs = graph.adjacent_pairs()
    import igraph

    found = igraph.Graph(n=graph.num_nodes, edges=pairs.tolist()).community_fastgreedy()
    return np.array(found.as_clustering().membership, dtype=np.int64)


def permute_features(graph: CSRGraph, rng: np.random.Generator) -> CSRGraph:
    """Permute the rows of the features over all nodes, of all graphs of a collection."""
    return replace(graph, features=graph.features[rng.permutation(graph.num_nodes)])


def rewire(
    graph: CSRGraph,
    rng: np.random.Generator,
    *,
    keep_joint_degrees: bool,
    keep_reciprocity: bool = False,
    communities: np.ndarray | None = None,
) -> CSRGraph:
    """Rewire the edges by ten swaps for each edge, keeping degrees.

    Without directions connected components are kept as well. With ``keep_reciprocity`` all that
    joins two nodes is one edge and stays together. As many edges as before join each two
    ``communities [V]``.
    """
    if len(graph.indices) == 0:
        return replace(graph, weights=None)
    ends = merged_ends(graph) if keep_reciprocity or graph.links is None else separate_ends(graph)
    # Only edge ends whose nodes are in the same group are exchanged. End 2 e leads to the second
    # node of edge e, end 2 e + 1 to the first.
    end_type = np.int32 if len(ends.neighbors) < 2**31 else np.int64
    nodes = _exchangeable(graph, keep_joint_degrees, communities)
    group_of = end_groups(ends.edges, ends.kinds, nodes).astype(end_type)
    group_ptr = np.concatenate([[0], np.cumsum(np.bincount(group_of))])
    members = np.argsort(group_of, kind="stable").astype(end_type)
    arrays = ends.edges, ends.indptr, ends.neighbors, group_of, group_ptr, members, *ends.channels
    num_swaps, num_attempts = (
        per_edge * len(ends.edges) for per_edge in (_SWAPS_PER_EDGE, _ATTEMPTS_PER_EDGE)
    )
    keep_components = not graph.is_directed
    attempts = _run_swaps(arrays, num_swaps // 2, num_attempts // 2, rng, keep_components)
    # To stop after a number of swaps would prefer graphs that allow many of them. So the second
    # half has as many attempts as the first half needed, whatever comes of them.
    _run_swaps(arrays, attempts, attempts, rng, keep_components)
    return ends.build(graph)


def erased_configuration(graph: CSRGraph, rng: np.random.Generator) -> CSRGraph:
    """Match the ends of all edges anew: like ``rewire`` with joint degrees, but approximate.

    Every end goes to a random node of the same degree and component, and all that joins two nodes
    is one edge. Self-loops and repeated edges are erased (the erased configuration model), and
    components may fall apart. It takes 2 % of the time of :func:`rewire`.
    """
    if len(graph.indices) == 0:
        return replace(graph, weights=None)
    nodes = _exchangeable(graph, keep_joint_degrees=True)
    pairs = graph.adjacent_pairs().astype(np.int32)
    # permute the ends within each group: sorted by group, then by a random number
    key = end_groups(pairs, kinds_of_pairs(graph), nodes).astype(np.uint64)
    ends = pairs[:, ::-1].reshape(-1)
    position = np.argsort(key, kind="stable")
    key <<= np.uint64(32)
    key |= rng.integers(2**32, size=len(key), dtype=np.uint32)
    # other sorts order equal keys as the processor likes
    order = np.argsort(key, kind="stable")
    # in a large graph each of these arrays is hundreds of megabytes
    del key, pairs
    ends[position] = ends[order]
    del position, order
    pairs = ends.reshape(-1, 2)[:, ::-1]
    if graph.links is None:
        return _simple_graph(pairs[pairs[:, 0] != pairs[:, 1]], graph)
    low, high = pairs.min(axis=1).astype(np.int64), pairs.max(axis=1)
    _, first = np.unique(pack(low, high), return_index=True)
    kept = first[low[first] != high[first]]
    there, back = entries_of_pairs(graph)
    return build_merged(pairs[kept], there[kept], back[kept], graph)


def _simple_graph(pairs: np.ndarray, graph: CSRGraph) -> CSRGraph:
    """The graph with these pairs ``[E, 2]`` of nodes for edges, repeated ones once."""
    first, second = pairs.T
    row, column = np.concatenate([first, second]), np.concatenate([second, first])
    rows = csr_array((np.ones(len(row), np.int8), (row, column)), shape=(graph.num_nodes,) * 2)
    # sorts the rows as well
    rows.sum_duplicates()
    indptr, indices = rows.indptr.astype(np.int64), rows.indices.astype(np.int32)
    return replace(graph, indptr=indptr, indices=indices, weights=None)


def _run_swaps(
    arrays: tuple[np.ndarray, ...],
    num_swaps: int,
    num_attempts: int,
    rng: np.random.Generator,
    keep_components: bool,
) -> int:
    """Make so many swaps or attempts, whichever ends first; return the number of attempts.

    ``arrays`` are the first nine arguments of :func:`swap_edges`, which change in place.
    """
    edges, indptr, neighbors, group_of = arrays[:4]
    channels, end_channels = arrays[6:8]
    num_nodes = len(indptr) - 1
    max_visits = num_nodes if num_nodes <= _MAX_EXACT_NODES else _MAX_VISITS
    if not keep_components:
        max_visits = 0
    num_components = _components(neighbors, indptr)[0] if 0 < max_visits < num_nodes else 0
    buffer = np.empty((min(num_swaps, len(edges)), 2), group_of.dtype)
    swaps, attempts = 0, 0
    while swaps < num_swaps and attempts < num_attempts:
        made = buffer[: num_swaps - swaps]
        count, tried, num_unsure = swap_edges(
            *arrays, num_attempts - attempts, rng, max_visits, made
        )
        # a search was given up: were the components cut, repeat these swaps with longer searches
        if num_unsure and _components(neighbors, indptr)[0] > num_components:
            undo_swaps(edges, indptr, neighbors, channels, end_channels, made[:count])
            max_visits = min(_LONGER * max_visits, num_nodes)
            continue
        swaps, attempts = swaps + count, attempts + tried
    return attempts


def _as_matrix(indices: np.ndarray, indptr: np.ndarray) -> csr_array:
    """The adjacency matrix; it shares memory."""
    shape = (len(indptr) - 1,) * 2
    return csr_array((np.ones(len(indices), np.int8), indices, indptr), shape=shape)


def _components(indices: np.ndarray, indptr: np.ndarray) -> tuple[int, np.ndarray]:
    """Number of connected components, and that of each node."""
    # strong components of a symmetric matrix are its components, and take half of the memory
    count, label = connected_components(_as_matrix(indices, indptr), connection="strong")
    return int(count), label


def _exchangeable(
    graph: CSRGraph, keep_joint_degrees: bool, communities: np.ndarray | None = None
) -> np.ndarray:
    """Group of each node, int32 ``[V]``: nodes of one group may be exchanged at an edge's end.

    They are in the same component, or of the same graph of a collection if edges have a direction;
    of the same degree if the joint degrees are to stay, and of the same community.
    """
    if graph.is_directed:
        component = graph.graph_of(np.arange(graph.num_nodes))
    else:
        label = _components(graph.indices, graph.indptr)[1]
        # components are numbered in the order of their first nodes
        _, first, label = np.unique(label, return_index=True, return_inverse=True)
        component = np.argsort(np.argsort(first))[label.reshape(-1)]
    degree = degree_classes(graph) if keep_joint_degrees else np.zeros(graph.num_nodes, np.int64)
    key = component * (1 + degree.max()) + degree
    if communities is not None:
        key = key * (1 + communities.max()) + communities
    _, group = np.unique(key, return_inverse=True)
    return group.reshape(-1).astype(np.int32)
