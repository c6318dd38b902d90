"""All copies of a block in a graph, by backtracking, compiled."""

from __future__ import annotations

import numpy as np

from gomkcn.mining.repeats.growth_loops import link_between
from gomkcn_dgl.kernels.compiled_graph import CompiledGraph, bounds, degree
from gomkcn_dgl.runtime.compiled import compiled


@compiled()
def match_block(
    graph: CompiledGraph,
    links: np.ndarray,
    kinds: np.ndarray,
    anchors: np.ndarray,
    starts: np.ndarray,
    colors: np.ndarray,
    wanted: np.ndarray,
    most_errors: int,
    most_degree: int,
    most_each: int,
    most_steps: int,
) -> np.ndarray:
    """Find the copies of a block whose first role is at one of some nodes.

    Parameters
    ----------
    graph : CompiledGraph
        With the kinds of its nodes as colours.
    links : numpy.ndarray
        int64 ``[M, M]``, what joins each two roles; 0 for nothing.
    kinds : numpy.ndarray
        int64 ``[M]``, those of the roles.
    anchors : numpy.ndarray
        int64 ``[M, A]``, earlier roles that each role is joined to, -1 for none: it is looked for
        among their neighbours.
    starts : numpy.ndarray
        int64 ``[S]``, nodes of the kind of the first role.
    colors, wanted : numpy.ndarray
        ``[R, V]`` and ``[M, R]``: what the surroundings of nodes look like, and those of each role
        in the copies that are known. Nodes that look like them are tried first.
    most_errors : int
        Pairs of roles that may be joined otherwise than in the block.
    most_degree, most_each, most_steps : int
        Bounds: neighbours of an anchor, copies of each start, and nodes that are tried for it.

    Returns
    -------
    numpy.ndarray
        int32 ``[K, M]``, in the order of the starts.
    """
    size = len(kinds)
    found = np.empty((16, size), np.int32)
    count = 0
    room = anchors.shape[1] * most_degree
    waiting = np.empty((size, room), np.int32)
    costs = np.empty((size, room), np.int64)
    numbers = np.zeros(size, np.int64)
    places = np.zeros(size, np.int64)
    errors = np.zeros(size, np.int64)
    here = np.empty(size, np.int32)
    for start in starts:
        here[0] = start
        depth = 1
        numbers[1] = -1
        steps = 0
        of_start = 0
        while depth > 0 and of_start < most_each and steps < most_steps:
            if numbers[depth] < 0:
                # 1. who may be this role, the least errors first, then who looks most like it
                number = 0
                for a in range(anchors.shape[1]):
                    anchor = anchors[depth, a]
                    if anchor < 0 or degree(graph, here[anchor]) > most_degree:
                        continue
                    first, last = bounds(graph, here[anchor])
                    for entry in range(first, last):
                        node = np.int64(graph.indices[entry])
                        if graph.colors[node] != kinds[depth]:
                            continue
                        steps += 1
                        wrong = errors[depth - 1]
                        is_able = True
                        for role in range(depth):
                            if here[role] == node:
                                is_able = False
                                break
                            if link_between(graph, here[role], node) != links[role, depth]:
                                wrong += 1
                                if wrong > most_errors:
                                    is_able = False
                                    break
                        if not is_able:
                            continue
                        cost = (wrong + 1) * (len(colors) + 1)
                        for r in range(len(colors)):
                            if colors[r, node] == wanted[depth, r]:
                                cost -= 1
                        # neighbours of two anchors come once
                        for place in range(number):
                            if waiting[depth, place] == node:
                                is_able = False
                                break
                        if not is_able:
                            continue
                        place = number
                        while place > 0 and costs[depth, place - 1] > cost:
                            waiting[depth, place] = waiting[depth, place - 1]
                            costs[depth, place] = costs[depth, place - 1]
                            place -= 1
                        waiting[depth, place] = node
                        costs[depth, place] = cost
                        number += 1
                numbers[depth] = number
                places[depth] = 0
            if places[depth] == numbers[depth]:
                depth -= 1
                continue
            # 2. the next one of them
            place = places[depth]
            places[depth] += 1
            here[depth] = waiting[depth, place]
            errors[depth] = (costs[depth, place] + len(colors)) // (len(colors) + 1) - 1
            if depth + 1 < size:
                depth += 1
                numbers[depth] = -1
                continue
            # 3. a copy; the next one differs in a role before the last
            if count == len(found):
                longer = np.empty((2 * count, size), np.int32)
                longer[:count] = found
                found = longer
            found[count] = here
            count += 1
            of_start += 1
            depth -= 1
    return found[:count]
