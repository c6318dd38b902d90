"""Right-most extension of subgraphs, compiled (X. Yan and J. Han, gSpan, ICDM 2002).

A subgraph is a DFS code: its arcs in the order of a depth-first search, of which each leads from
the node that was met last to one that it was met through, or from one of these to a new node. Its
embeddings are rows of the nodes of a graph, in the order in which the search meets them.

The arcs of a graph are a :class:`CompiledGraph` with an entry for each relation and direction of an
edge: what leaves a node, whose link is the channel as seen from the node, of L labels, and whose
nodes have one of C colours.
"""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.kernels.compiled_graph import CompiledGraph, bounds
from gomkcn_dgl.runtime.compiled import compiled, subroutine


@compiled()
def find_extensions(
    arcs: CompiledGraph,
    num_colors: int,
    nodes: np.ndarray,
    path: np.ndarray,
    used: np.ndarray,
    grows: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Find each way to add an arc to some embeddings.

    Parameters
    ----------
    nodes : int32 ``[K, M]``
        Embeddings.
    path : int64 ``[P]``
        Positions of the nodes of the right-most path, each met through the one before it.
    used : bool ``[M, M, L]``
        The arcs of the code, both ways.
    grows : bool
        Whether there may be a new node.

    Returns
    -------
    key, row, node : int64, int64 and int32 ``[X]``
        What is added, in gSpan's order; the embedding that it is added to; and the new node, or -1.
        The key of an arc from the r-th last node of the path to a new one is (r L + label) C +
        colour + M L, and that of an arc back to the node at m is m L + label.
    """
    room = 4 * len(nodes) + 16
    key, row = np.empty(room, np.int64), np.empty(room, np.int64)
    new = np.empty(room, np.int32)
    size = nodes.shape[1]
    last, labels, found = size - 1, used.shape[2], 0
    on_path = np.zeros(size, np.bool_)
    for position in path:
        on_path[position] = True
    for k in range(len(nodes)):
        for rank in range(len(path) if grows else 1):
            position = path[len(path) - 1 - rank]
            here = nodes[k, position]
            begin, end = bounds(arcs, here)
            for entry in range(begin, end):
                there, label = np.int64(arcs.indices[entry]), np.int64(arcs.links[entry])
                met = -1
                for other in range(size):
                    if nodes[k, other] == there:
                        met = other
                if met < 0:
                    if not grows:
                        continue
                    # deeper nodes of the path first, then labels, then colours
                    code = (rank * labels + label) * num_colors + arcs.colors[there]
                    code += size * labels
                elif position == last and on_path[met] and not used[last, met, label]:
                    # back to the earliest node first
                    code = met * labels + label
                else:
                    continue
                if found == room:
                    room *= 2
                    key, row = _longer(key, room), _longer(row, room)
                    new = _longer(new, room)
                key[found], row[found] = code, k
                new[found] = there if met < 0 else -1
                found += 1
    return key[:found], row[:found], new[:found]


@subroutine()
def _longer(values: np.ndarray, room: int) -> np.ndarray:
    longer = np.empty(room, values.dtype)
    for at in range(len(values)):
        longer[at] = values[at]
    return longer


@compiled()
def is_minimal(
    arcs: CompiledGraph,
    num_colors: int,
    code: np.ndarray,
    keys: np.ndarray,
    opposite: np.ndarray,
) -> bool:
    """Whether no other depth-first search of the same subgraph has a code before this one.

    Parameters
    ----------
    arcs : CompiledGraph
        The subgraph itself.
    code : int64 ``[E, 3]``
        Positions of the two ends and label of each arc.
    keys : int64 ``[E]``
        Keys of the arcs after the first as :func:`find_extensions` has them.
    """
    size, num_labels = len(arcs.indptr) - 1, len(opposite)
    # 1. all searches whose first arc is the least of all
    first = (arcs.colors[0] * num_labels + code[0, 2]) * num_colors + arcs.colors[1]
    begun = np.empty((len(arcs.indices), 2), np.int32)
    found = 0
    for node in range(size):
        begin, end = bounds(arcs, node)
        for entry in range(begin, end):
            there = np.int64(arcs.indices[entry])
            label = arcs.colors[node] * num_labels + np.int64(arcs.links[entry])
            start = label * num_colors + arcs.colors[there]
            if start < first:
                return False
            if start == first:
                begun[found, 0], begun[found, 1] = node, there
                found += 1
    nodes = begun[:found]
    used = np.zeros((size, size, num_labels), np.bool_)
    path, length = np.zeros(size, np.int64), 1
    # 2. these go on with what the code has next, as long as no other arc comes before that
    for step in range(1, len(code)):
        u, v, label = code[step - 1]
        used[u, v, label] = used[v, u, opposite[label]] = True
        if v > u:
            # a new node, behind one of the path
            while path[length - 1] != u:
                length -= 1
            path[length] = v
            length += 1
        key, row, new = find_extensions(arcs, num_colors, nodes, path[:length], used, True)
        width = nodes.shape[1]
        grows = code[step, 1] == width
        longer = np.empty((len(key), width + 1 if grows else width), np.int32)
        found = 0
        for at in range(len(key)):
            if key[at] < keys[step]:
                return False
            if key[at] == keys[step]:
                for position in range(width):
                    longer[found, position] = nodes[row[at], position]
                if grows:
                    longer[found, width] = new[at]
                found += 1
        nodes = longer[:found]
    return True
