"""Colours of nodes that say what they are and have around them, and rows in their order.

Colour refinement (Weisfeiler and Leman, 1968): a node's colour becomes a hash of itself and of the
colours of its neighbours, each with what joins the two. After ``ROUNDS`` rounds it says what is
seen within as many hops, and nothing of how nodes are numbered or of what else stands in the graph.
The first 48 bits of a colour are those of the structure: links and degrees. The last 16 are those
of the features, or of the weights where all features are the same, and tell apart only nodes of one
structure. So a truncated subgraph keeps its nodes where weights change, and the scores of a layer
follow the weights.

The sampler walks rows in the order of the colours, so that what it draws from a row does not depend
on numbers. Where it does, an entry bears a mark: it has the colour of the entry before and is no
twin of it. Twins are two nodes with the same neighbours, which no structure tells apart.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gomkcn_dgl.kernels.compiled_graph import CompiledGraph, StoredRows, bounds, find_entry
from gomkcn_dgl.kernels.search_numba import INLINE_JIT, finalize, mix, mix64
from gomkcn_dgl.kernels.sorting_numba import sort_by
from gomkcn_dgl.runtime.compiled import compiled, run_blocks, subroutine

# hops that a colour sees: after 3, a share of .04 of the rows of a grid still changed with its
# numbers, after 6 hardly any
ROUNDS = 6
# the bits of a colour that are those of features
FEATURE_BITS = 16
# of an entry in a row: it is alike to the one before, and which node it is
MARK, NODE = 2**31, 2**31 - 1
_SHIFT, _LOW = np.uint64(FEATURE_BITS), np.uint64(2**FEATURE_BITS - 1)
_U0 = np.uint64(0)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
# to round a float32 to the bits of a bfloat16
_HALF_STEP, _ROUNDED, _NO_SIGN = np.uint64(0x8000), np.uint64(16), np.uint64(0x7FFF)
# nanoseconds of a round for an entry, of the order for an entry and of a feature: measured
_ROUND_TIME, _ORDER_TIME, _FEATURE_TIME = 5, 20, 2


class ColoredRows(NamedTuple):
    """Colours of nodes, and their rows in the order of colours.

    Attributes
    ----------
    colors : numpy.ndarray
        uint64 ``[V]``, 48 bits of structure and 16 of features or weights.
    rows : numpy.ndarray
        uint32 ``[E]``: the entries of each row of ``indices`` by colour, then by number, with
        ``MARK`` where one is alike to the entry before.
    """

    colors: np.ndarray
    rows: np.ndarray


def numbered_rows(indices: np.ndarray, numbers: np.ndarray) -> ColoredRows:
    """Colours that are numbers of nodes, int ``[V]``, and the rows as they stand."""
    return ColoredRows(numbers.astype(np.uint64) << _SHIFT, indices.view(np.uint32))


def color_rows(
    graph: StoredRows, weights: np.ndarray | None, channels: np.ndarray, features: np.ndarray
) -> ColoredRows:
    """Colour the nodes of a graph and order its rows.

    ``channels`` are bool ``[K, C]``, those of each link, and ``features [V, D]``.
    """
    view, num_nodes, total = CompiledGraph.of(graph), len(graph.indptr) - 1, len(graph.indices)
    with np.errstate(over="ignore"):
        # a number for each link that depends on its channels alone
        of_channels = mix64(np.arange(1, channels.shape[1] + 1, dtype=np.uint64))
        kinds = mix64((channels * of_channels).sum(axis=1, dtype=np.uint64))
        none = np.empty(0, np.uint32)
        structure = _refine(np.zeros(num_nodes, np.uint64), view, kinds, none)
        colors, around = structure & ~_LOW, (view, kinds, none)
        if len(features) > 1 and (features != features[:1]).any():
            seen = np.empty(num_nodes, np.uint64)
            values = np.ascontiguousarray(features, np.float32).view(np.uint32)
            run_blocks(
                _hash_features, num_nodes, values.size * _FEATURE_TIME, values, structure, seen
            )
            colors |= _refine(seen, *around) >> (np.uint64(64) - _SHIFT)
        elif weights is not None and (weights != weights[:1]).any():
            # they would change the order that features make, with any digit of theirs
            weighing = np.ascontiguousarray(weights, np.float32).view(np.uint32)
            around = (view, kinds, weighing)
            colors |= _refine(structure, *around) >> (np.uint64(64) - _SHIFT)
        sums, rows = np.empty(num_nodes, np.uint64), np.empty(total, np.uint32)
        run_blocks(_sum_rows, num_nodes, total * _ROUND_TIME, *around, sums)
        longest = int(np.diff(graph.indptr).max(initial=0))
        run_blocks(
            _order_rows, num_nodes, total * _ORDER_TIME, *around, colors, sums, rows,
            scratch=lambda: np.empty(longest, np.uint32),
        )  # fmt: skip
    return ColoredRows(colors, rows)


def _refine(colors: np.ndarray, graph: CompiledGraph, *of_entries: Any) -> np.ndarray:
    """Refine colours ``ROUNDS`` times."""
    for _ in range(ROUNDS):
        refined = np.empty_like(colors)
        time = len(graph.indices) * _ROUND_TIME
        run_blocks(_refine_colors, len(colors), time, graph, *of_entries, colors, refined)
        colors = refined
    return colors


@compiled()
def _hash_features(first, last, values, structure, colors):
    """Write a number for the features of each node, the bits of float32 `values [V, D]`.

    Rounding errors of single precision do not change it.
    """
    for node in range(first, last):
        total = structure[node]
        for column in range(values.shape[1]):
            bits = (np.uint64(values[node, column]) + _HALF_STEP) >> _ROUNDED
            # 0 and -0 are equal
            if bits & _NO_SIGN:
                total += mix((np.uint64(column) << np.uint64(32)) | bits)
        colors[node] = total


@subroutine(**INLINE_JIT)
def _kind(graph, kinds, weighing, entry):
    """A number for what joins the nodes of an entry."""
    kind = kinds[graph.links[entry]] if len(graph.links) else kinds[1]
    if len(weighing):
        kind = finalize(kind + np.uint64(weighing[entry]))
    return kind


@compiled()
def _refine_colors(first, last, graph, kinds, weighing, colors, refined):
    """Write a colour for each node, of its own and of those of its neighbours."""
    for node in range(first, last):
        total = _U0
        begin, end = bounds(graph, node)
        for entry in range(begin, end):
            total += finalize(colors[graph.indices[entry]] ^ _kind(graph, kinds, weighing, entry))
        refined[node] = mix(colors[node] * _GOLDEN + total)


@compiled()
def _sum_rows(first, last, graph, kinds, weighing, sums):
    """Write a number for the neighbours of each node, the sum of their hashes."""
    for node in range(first, last):
        total = _U0
        begin, end = bounds(graph, node)
        for entry in range(begin, end):
            kind = _kind(graph, kinds, weighing, entry)
            total += mix(np.uint64(graph.indices[entry]) ^ kind)
        sums[node] = total


@subroutine(**INLINE_JIT)
def _are_twins(graph, kinds, weighing, sums, node, other):
    """Whether two nodes have the same neighbours, each other left out."""
    left, right = sums[node], sums[other]
    if left == right:
        return True
    entry = find_entry(graph, np.uint64(node), np.uint64(other))
    if entry < 0:
        return False
    back = find_entry(graph, np.uint64(other), np.uint64(node))
    left -= mix(np.uint64(other) ^ _kind(graph, kinds, weighing, entry))
    right -= mix(np.uint64(node) ^ _kind(graph, kinds, weighing, back))
    return left == right and _kind(graph, kinds, weighing, entry) == _kind(
        graph, kinds, weighing, back
    )


@compiled()
def _order_rows(first, last, graph, kinds, weighing, colors, sums, rows, spare):
    """Write the entries of each row in the order of colours."""
    for node in range(first, last):
        begin, end = bounds(graph, node)
        row = rows[begin:end]
        # 1. by colour; nodes of one colour stay in the order of their numbers
        for k in range(len(row)):
            row[k] = graph.indices[begin + k]
        sort_by(row, colors, spare)
        # 2. mark those alike, from the last one on, since a mark hides the number
        for k in range(len(row) - 1, 0, -1):
            here, before = row[k], row[k - 1]
            if colors[here] == colors[before] and not _are_twins(
                graph, kinds, weighing, sums, here, before
            ):
                row[k] = here | np.uint32(MARK)
