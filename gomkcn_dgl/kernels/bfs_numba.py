"""The subgraphs of ``bfs_reference``, compiled for CPU: the same arrays, node for node.

Each subgraph is independent, so threads share nothing and any number of them gives the same result.

What costs time here is waiting, for memory and for mispredicted branches, and the loops are written
against both. A row is walked without a branch in it: each node is written to the end of the list,
which grows only if the node was new. Before rows are read, a short loop loads from each of them
(``touch``), so that these cache misses overlap.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gomkcn_dgl.kernels.bfs_reference import POLICIES, WORD_BITS, ExtractedArrays, hub_degree
from gomkcn_dgl.kernels.growth_numba import grow_dense
from gomkcn_dgl.kernels.induced_numba import fill_links, fill_weights, induce
from gomkcn_dgl.kernels.search_numba import (
    INLINE_JIT,
    SEARCH_JIT,
    Rows,
    degree,
    enter,
    find,
    find_edge,
    mix,
    new_scratch,
    random,
    touch,
)
from gomkcn_dgl.kernels.threads import run_blocks
from gomkcn_dgl.runtime.compiled import compiled, subroutine

# typed: a plain 0 is another type to the compiler, and a function more to compile
_ZERO, _ONE = np.int64(0), np.int64(1)
# -1 in the int32 output
_PADDING = np.uint32(2**32 - 1)
_DENSE = POLICIES["dense"]
# `_whole_hops` reached a hub and listed nothing
_HUB = 2**31


def extract(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray | None,
    links: np.ndarray | None,
    reverse: np.ndarray,
    roots: np.ndarray,
    keys: np.ndarray,
    num_hops: int,
    max_nodes: int,
    policy: str,
    seed: int,
) -> ExtractedArrays:
    """Extract the subgraph around each of S roots; ``bfs_reference`` defines the result."""
    total = len(roots)
    words = -(-max_nodes // WORD_BITS)
    weighted = weights is not None
    out = ExtractedArrays(
        nodes=np.empty((total, max_nodes), np.int32),
        num_nodes=np.empty(total, np.int32),
        truncated=np.empty(total, np.bool_),
        bits=np.empty((total, max_nodes, words), np.uint64),
        weights=np.empty((total, max_nodes, max_nodes), np.float32) if weighted else None,
        links=None if links is None else np.empty((total, max_nodes, max_nodes), links.dtype),
    )
    graph = Rows(indptr.view(np.uint64), indices.view(np.uint32))
    # as plain Python (NUMBA_DISABLE_JIT=1), 64-bit products wrap with a warning
    with np.errstate(over="ignore"):
        # measured: 30 to 150 ns for a node and its edges
        run_blocks(
            _extract_block, total, total * max_nodes * 50,
            graph,
            hub_degree(max_nodes),
            weights if weighted else np.empty(0, np.float32),
            links,
            reverse,
            roots.astype(np.int64),
            keys.astype(np.uint64),
            num_hops,
            POLICIES[policy],
            np.uint64(seed),
            out.nodes.view(np.uint32),
            out.num_nodes,
            out.truncated,
            out.bits,
            out.weights if out.weights is not None else np.empty((0, 0, 0), np.float32),
            out.links,
        )  # fmt: skip
    return out


def _extract_block(first: int, last: int, graph: Rows, limit: int, *arguments: Any) -> None:
    """Give each block a scratch of its own."""
    max_nodes = arguments[-6].shape[1]
    scratch = new_scratch(max_nodes, limit, len(graph.indptr) - 1)
    _extract_kernel(first, last, graph, limit, *arguments, scratch)


@compiled(**SEARCH_JIT)
def _extract_kernel(
    first, last, graph, limit, weights, links, reverse, roots, keys, num_hops, policy,
    seed, nodes, num_nodes, truncated, bits, dense_weights, dense_links, scratch,
):  # fmt: skip
    """Extract the subgraphs from `first` to `last`; links are arrays or None."""
    era = _ONE
    for row in range(first, last):
        root, stream = np.uint32(roots[row]), mix(mix(mix(seed) + keys[row]))
        size, cut, era = _search(
            graph, root, stream, num_hops, limit, policy, nodes[row], scratch, era
        )
        num_nodes[row], truncated[row] = size, cut
        touch(graph, nodes[row], _ZERO, size, scratch)
        grown = cut and policy == _DENSE
        num_ends = induce(graph, nodes[row], size, limit, grown, links, bits[row], scratch, era)
        era += len(scratch.met)
        if links is not None:
            fill_links(links, reverse, num_ends, dense_links[row], scratch)
        if len(dense_weights) > 0:
            fill_weights(graph, weights, links, nodes[row], size, bits[row], dense_weights[row])


@subroutine(**SEARCH_JIT)
def _search(graph, root, stream, num_hops, limit, policy, selected, scratch, era):
    """Write the nodes of one subgraph; return their number, whether it was truncated, the era."""
    begin, size, reached = _whole_hops(graph, root, num_hops, limit, len(selected), scratch, era)
    cut = reached > len(selected)
    # a truncated subgraph of the policy dense is grown anew from the root; for bfs the whole hops
    # stay, and a sample of the next hop fills them up
    if cut and policy == _DENSE:
        era += len(scratch.met)
        size = grow_dense(graph, root, stream, num_hops, limit, selected, scratch, era)
    else:
        for k in range(size):
            selected[k] = scratch.met[k]
        if reached == _HUB:
            size = _draw_rest(graph, stream, begin, selected, size, scratch, era)
        elif cut:
            size = _take_rest(stream, selected, size, scratch.met, reached)
    for k in range(size, len(selected)):
        selected[k] = _PADDING
    return size, cut, era + len(scratch.met)


@subroutine(**INLINE_JIT)
def _whole_hops(graph, root, num_hops, limit, max_nodes, scratch, era):
    """Layer `begin:size` of `met` is the last that fits; with the next hop there are `reached`."""
    begin, size = _ZERO, enter(root, _ZERO, scratch, era) + 1
    for _ in range(num_hops):
        if begin == size:
            break
        # a hub in the layer is certain to exceed the limit, so that its row is not listed
        hub = False
        for k in range(begin, size):
            hub |= degree(graph, scratch.met[k]) > limit
        if hub:
            return begin, size, _HUB
        # append the nodes of the next hop to `met`, those that are new
        reached = size
        for k in range(begin, size):
            node = scratch.met[k]
            for edge in range(graph.indptr[node], graph.indptr[node + 1]):
                position = enter(graph.indices[edge], reached, scratch, era)
                reached += position == reached
        if reached > max_nodes:
            return begin, size, reached
        begin, size = size, reached
    return begin, size, size


@subroutine(**INLINE_JIT)
def _take_rest(stream, selected, size, met, reached):
    """Fill up with nodes taken at random from those at `size:reached`."""
    for k in range(size, len(selected)):
        pick = size + random(stream, np.uint64(k - size), reached - size)
        reached -= 1
        selected[k], met[pick] = met[pick], met[reached]
    return len(selected)


@subroutine(**SEARCH_JIT)
def _draw_rest(graph, stream, begin, selected, size, scratch, era):
    """Fill up with nodes drawn from the rows of `begin:size`; the table holds those selected."""
    end, total, draw = size, _ZERO, np.uint64(0)
    for k in range(begin, end):
        total += degree(graph, selected[k])
    while size < len(selected):
        # 1. draw an entry of all rows together, and find the row that it lies in
        place, owner = random(stream, draw, total), begin
        draw += np.uint64(1)
        while place >= degree(graph, selected[owner]):
            place -= degree(graph, selected[owner])
            owner += 1
        node = graph.indices[graph.indptr[selected[owner]] + np.uint64(place)]
        # 2. draw again if the node is selected, or if it also stands in an earlier row: a node
        #    counts in the first row that has it, so that all nodes are equally likely
        if find(node, scratch, era) >= 0:
            continue
        first = begin
        while first < owner and find_edge(graph, selected[first], node) < 0:
            first += 1
        if first == owner:
            enter(node, size, scratch, era)
            selected[size] = node
            size += 1
    return size
