"""What compiled searches share: the nodes that one has met, hashes and random numbers.

The nodes that a search of the sampler meets stand in a list, in order, and a hash table finds their
positions. A table entry is ``era + position``: the next search begins an era above all entries of
the last one, so that these count as empty and nothing is ever cleared.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gomkcn_dgl.runtime.compiled import subroutine

# for functions that allocate nothing: without Numba's counting of references (`nrt` is its runtime)
# to the arrays that they are given, which takes half of the time of a small subgraph
SEARCH_JIT: dict[str, Any] = {"_nrt": False}
# for those that are called for every node or edge, and cost less than a call does
INLINE_JIT: dict[str, Any] = {**SEARCH_JIT, "forceinline": True}

# 2**64 divided by the golden ratio: its multiples, modulo 2**64, lie far apart (Knuth, The Art of
# Computer Programming, volume 3, section 6.4), and SplitMix64 counts in steps of it
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
# the two multipliers of the finalizer of SplitMix64
_MIX_A = np.uint64(0xBF58476D1CE4E5B9)
_MIX_B = np.uint64(0x94D049BB133111EB)
# typed: a plain 1 would make the sum with an unsigned number a float
_ONE = np.uint64(1)


class Scratch(NamedTuple):
    """What one thread of the sampler needs beside the graph and the output, O(N * hub_degree).

    Nodes are uint32 as in ``indices`` of the graph. The arrays from ``met`` to ``waiting`` have an
    entry for each node that a search can meet.
    """

    table: np.ndarray  # int64, a power of two: era + position of the node that hashes here
    shift: np.uint64  # 64 - log2(len(table)): a hash shifted by it is a slot of the table
    met: np.ndarray  # uint32, the nodes met, in order; the next two go along with them
    depths: np.ndarray  # int64, hops from the root
    ranks: np.ndarray  # int64, the least is selected next
    marks: np.ndarray  # uint64, what each is beside the others, where some are alike
    refined: np.ndarray  # uint64, the marks of the next round
    waiting: np.ndarray  # int64, positions in `met` of the nodes that are to be ranked
    rows: np.ndarray  # uint32 [N], selected hubs
    row_depths: np.ndarray  # int64 [N], hops of these hubs from the root
    pairs: np.ndarray  # uint64, (node, row) of an edge that may be inside the subgraph
    entries: np.ndarray  # int64, where in `indices` each of these stands, if links are asked for
    # uint64, two positions in `met` of nodes that are joined, where some are alike
    ends: np.ndarray
    kinds: np.ndarray  # uint64, the link of each of these, seen from the first of the two
    # int64 [2]: of how many nodes that were met these are listed, and how many they are, which may
    # be more than there is room for
    listed: np.ndarray


def new_scratch(max_nodes: int, hub_degree: int, num_nodes: int, num_ends: int) -> Scratch:
    """Return the scratch for subgraphs of ``max_nodes`` in a graph of ``num_nodes``.

    Of no node more than ``hub_degree`` neighbours are looked at. There is room for ``num_ends``
    ends of edges among the nodes that are met.
    """
    # the most nodes that are met: those that are selected with their rows, and those of as many
    # that come in for leaves; one more, since a node is written before it is known to be new
    capacity = min(2 * max_nodes * (hub_degree + 1), num_nodes) + 1
    # the table is at most half full, so that a search soon comes to an empty slot
    bits = max(1, (2 * capacity - 1).bit_length())
    most_pairs = max_nodes * hub_degree + 1
    return Scratch(
        table=np.zeros(1 << bits, np.int64),
        shift=np.uint64(64 - bits),
        met=np.empty(capacity, np.uint32),
        depths=np.empty(capacity, np.int64),
        ranks=np.empty(capacity, np.int64),
        marks=np.empty(capacity, np.uint64),
        refined=np.empty(capacity, np.uint64),
        waiting=np.empty(capacity, np.int64),
        rows=np.empty(max_nodes, np.uint32),
        row_depths=np.empty(max_nodes, np.int64),
        pairs=np.empty(most_pairs, np.uint64),
        entries=np.empty(most_pairs, np.int64),
        ends=np.empty(num_ends, np.uint64),
        kinds=np.empty(num_ends, np.uint64),
        listed=np.zeros(2, np.int64),
    )


@subroutine(**INLINE_JIT)
def touch(graph, nodes, first, last, scratch):
    """Load the first entry of each node's row before rows are read: here cache misses overlap."""
    num_entries = np.uint64(len(graph.indices))
    for k in range(first, last):
        start = graph.indptr[nodes[k]]
        if start < num_entries:
            # stored, in a place that nothing reads, or the loop would be optimised away
            scratch.pairs[0] = graph.indices[start]


@subroutine(**INLINE_JIT)
def enter(node, count, scratch, era):
    """Position of a node in `met`, which is `count`, the next one, if it is new."""
    # written first: the search then ends at the new node as at one met before, without a branch
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
    """Where the search for a node begins in the table: the leading bits of its hash."""
    return (np.uint64(node) * _GOLDEN) >> scratch.shift


@subroutine(**INLINE_JIT)
def random(stream, draw, size):
    """Random number `draw` of a stream, in `[0, size)`, where `size` is far below 2**64."""
    return np.int64(mix(stream + draw) % np.uint64(size))


@subroutine(**INLINE_JIT)
def mix(value):
    """Hash 64 bits: the next number of SplitMix64 in the state `value`."""
    return finalize(value + _GOLDEN)


def mix64(values: np.ndarray) -> np.ndarray:
    """Hash uint64 values of any shape one to one, 0 to 0: the finalizer of SplitMix64.

    The shifts and multipliers are David Stafford's, variant 13 of the finalizer of MurmurHash3. See
    Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
    """
    values = (values ^ (values >> np.uint64(30))) * _MIX_A
    values = (values ^ (values >> np.uint64(27))) * _MIX_B
    mixed: np.ndarray = values ^ (values >> np.uint64(31))
    return mixed


# `mix64` of one number, in compiled code
finalize = subroutine(**INLINE_JIT)(mix64)


def random_keys(nodes: np.ndarray, seed: int) -> np.ndarray:
    """A random number for each node, uint64, the same for a seed whichever others there are."""
    # a seed of 0 would hash to 0 and leave the nodes' own hashes
    seed_key = mix64(np.array([seed + 1], np.uint64))
    return mix64(mix64(nodes.astype(np.uint64)) ^ seed_key)
