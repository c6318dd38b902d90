"""What one thread of the compiled sampler works on: the nodes that it has met, random numbers.

The nodes that a search meets stand in a list, in order, and a hash table finds their positions. A
table entry is ``era + position``. What an earlier search left is smaller than the era, so that
nothing is ever cleared.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gomkcn_dgl.runtime.compiled import subroutine

# functions that allocate nothing: Numba's counting of references to the arrays that they are given
# would take half of the time of a small subgraph
SEARCH_JIT: dict[str, Any] = {"_nrt": False}
# called for every node or edge
INLINE_JIT: dict[str, Any] = {**SEARCH_JIT, "forceinline": True}

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_A = np.uint64(0xBF58476D1CE4E5B9)
_MIX_B = np.uint64(0x94D049BB133111EB)
_ONE = np.uint64(1)


class Scratch(NamedTuple):
    """What one thread needs beside the graph and the output, O(N * hub_degree)."""

    table: np.ndarray  # int64, a power of two: era + position of the node that hashes here
    shift: np.uint64  # 64 - log2(len(table))
    met: np.ndarray  # uint32, the nodes met, in order; the next two go along with them
    depths: np.ndarray  # int64
    ranks: np.ndarray  # int64
    waiting: np.ndarray  # int64, positions of nodes on offer
    rows: np.ndarray  # uint32 [N], selected hubs
    row_depths: np.ndarray  # int64 [N]
    pairs: np.ndarray  # uint64, (node, row) of an edge that may be inside the subgraph
    entries: np.ndarray  # int64, where in `indices` each of these stands, if links are asked for


def new_scratch(max_nodes: int, limit: int, num_nodes: int) -> Scratch:
    """Return the scratch for subgraphs of ``max_nodes``, where a row has up to ``limit`` nodes."""
    # the nodes of whole hops and their rows, or those of a grown set and of as many that came in
    # for its leaves; one more, since a node is written before it is new
    capacity = max(max_nodes, min(2 * max_nodes * (limit + 1), num_nodes)) + 1
    width = 1
    while 1 << width < 2 * capacity:
        width += 1
    return Scratch(
        np.zeros(1 << width, np.int64),
        np.uint64(64 - width),
        np.empty(capacity, np.uint32),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty(max_nodes, np.uint32),
        np.empty(max_nodes, np.int64),
        np.empty(max_nodes * limit + 1, np.uint64),
        np.empty(max_nodes * limit + 1, np.int64),
    )


@subroutine(**INLINE_JIT)
def touch(graph, nodes, first, last, scratch):
    """Load the first entry of each node's row: in this short loop the cache misses overlap."""
    end = np.uint64(len(graph.indices))
    for k in range(first, last):
        start = graph.indptr[nodes[k]]
        if start < end:
            # stored, or the loop would be optimised away
            scratch.pairs[0] = graph.indices[start]


@subroutine(**INLINE_JIT)
def enter(node, count, scratch, era):
    """Position of a node in `met`, which is `count`, the next one, if it is new."""
    # written first, so that a new node is entry like an old one, without a branch
    scratch.met[count] = node
    slot = slot_of(node, scratch)
    entry = scratch.table[slot]
    position = count if entry < era else entry - era
    while scratch.met[position] != node:
        slot = (slot + _ONE) & np.uint64(len(scratch.table) - 1)
        entry = scratch.table[slot]
        position = count if entry < era else entry - era
    scratch.table[slot] = era + position
    return position


@subroutine(**INLINE_JIT)
def find(node, scratch, era):
    """Position of a node in `met`, or -1."""
    slot = slot_of(node, scratch)
    while scratch.table[slot] >= era:
        position = scratch.table[slot] - era
        if scratch.met[position] == node:
            return position
        slot = (slot + _ONE) & np.uint64(len(scratch.table) - 1)
    return -1


@subroutine(**INLINE_JIT)
def slot_of(node, scratch):
    """Where the search for a node begins in the table."""
    return (np.uint64(node) * _GOLDEN) >> scratch.shift


@subroutine(**INLINE_JIT)
def random(stream, draw, size):
    """Number `draw` of a stream, in `[0, size)`."""
    return np.int64(mix(stream + draw) % np.uint64(size))


@subroutine(**INLINE_JIT)
def mix(value):
    """Scramble 64 bits; the finaliser of SplitMix64."""
    return finalize(value + _GOLDEN)


def mix64(values: np.ndarray) -> np.ndarray:
    """Hash uint64 values of any shape one to one, 0 to 0: the finalizer of SplitMix64.

    Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
    """
    values = (values ^ (values >> np.uint64(30))) * _MIX_A
    values = (values ^ (values >> np.uint64(27))) * _MIX_B
    mixed: np.ndarray = values ^ (values >> np.uint64(31))
    return mixed


# the same of one number, in compiled code
finalize = subroutine(**INLINE_JIT)(mix64)


def random_keys(nodes: np.ndarray, seed: int) -> np.ndarray:
    """A random number for each node, uint64, the same for a seed whichever others there are."""
    return mix64(mix64(nodes.astype(np.uint64)) ^ mix64(np.array([seed + 1], np.uint64)))
