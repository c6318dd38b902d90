"""Structures that connected node sets show, of those the ones that may shorten the description.

Sets grow over the edges that no copy has used yet, see ``growth_loops.py``; each of their parts is
a set as well. Sets of one structure are brought together by canonical forms, and a first sieve
leaves those with many sets, or with sets that are worth many bits. What they are worth exactly is
for the code of the graph to say.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import gammaln, logsumexp

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.kernels.search_numba import mix64
from gomkcn_dgl.runtime.compiled import run_blocks
from mining.candidates.growth_loops import Worth, grow_sets, new_front
from mining.candidates.shapes import PENDANT_BITS, Rows, Seen, count_pendant, find_shapes, links_of

# growths: so many a node, and in all at least and at most
_GROWTHS_OF_NODE, _MORE_OF_NODE = 3, 40
_USUAL_GROWTHS, _MOST_GROWTHS = 60_000, 150_000
# nanoseconds of one growth, about
_GROWTH_TIME = 4000
# of one size: groups of sets that are brought to canonical form, and structures that are handed on
_MOST_GROUPS, _MOST_STRUCTURES = 1500, 30
# the estimate of a set leaves out its symmetry and that copies are drawn without replacement
_OF_SYMMETRY, _OF_NODE = 0.5, 0.7
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def seen_structures(
    graph: CSRGraph,
    colors: np.ndarray,
    is_free: np.ndarray,
    sizes: range,
    seed: int,
) -> dict[int, list[Seen]]:
    """The structures of each size that sets grown over free edges show, most promising first.

    Parameters
    ----------
    graph : CSRGraph
        With V nodes and E entries.
    colors : numpy.ndarray
        int64 ``[V]``.
    is_free : numpy.ndarray
        bool ``[E]``, alike for both entries of an edge.
    sizes : range
        Numbers of nodes, of 2 or more.
    seed : int
        Of the growths.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> rings = as_csr(nx.disjoint_union_all([nx.cycle_graph(4) for _ in range(9)]))
    >>> free = np.ones(len(rings.indices), bool)
    >>> found = seen_structures(rings, np.zeros(36, np.int64), free, range(4, 5), seed=0)
    >>> [(one.shape.num_automorphisms, len(one.copies)) for one in found[4]]
    [(8, 9)]
    """
    graph_rows = Rows.of(graph, colors)
    nodes, codes, values = grow(graph, graph_rows, is_free, max(sizes), seed)
    found = {}
    for size in sizes:
        rows = np.flatnonzero(nodes[:, size - 1] >= 0)
        rows = rows[distinct(nodes[rows, :size])]
        sets = nodes[rows, :size], codes[rows, size - 1], values[rows, size - 1]
        found[size] = _structures(graph_rows, *sets) if len(rows) else []
    return found


def grow(
    graph: CSRGraph, rows: Rows, is_free: np.ndarray, most: int, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sets of up to ``most`` nodes, their codes and what each is worth, all ``[K, most]``."""
    # 1. roots are spread evenly over the nodes with free edges
    before = np.concatenate([[0], np.cumsum(is_free)])
    degrees = np.diff(before[graph.indptr])
    roots = np.flatnonzero(degrees)
    usual = max(_GROWTHS_OF_NODE * len(roots), min(_MORE_OF_NODE * len(roots), _USUAL_GROWTHS))
    number = min(usual, _MOST_GROWTHS)
    rng = np.random.default_rng([seed, 11])
    order = np.resize(rng.permutation(roots), max(number, len(roots)))
    roots = rng.permutation(order)[:number].astype(np.int32)
    # 2. what sets are worth, as far as degrees tell
    worth = _worth(graph, degrees, most)
    nodes = np.empty((number, most), np.int32)
    codes, values = np.empty((number, most), np.uint64), np.empty((number, most))
    arguments = rows, is_free, worth, roots, np.uint64(seed), nodes, codes, values
    # as plain Python (NUMBA_DISABLE_JIT=1), 64-bit products wrap with a warning
    with np.errstate(over="ignore"):
        run_blocks(_grow_block, number, number * _GROWTH_TIME, *arguments)
    return nodes, codes, values


def _grow_block(first: int, last: int, rows: Rows, *arguments: Any) -> None:
    """Give each block a front of its own."""
    front = new_front(len(rows.colors), arguments[-1].shape[1])
    grow_sets(first, last, rows, *arguments, front)


def _worth(graph: CSRGraph, degrees: np.ndarray, most: int) -> Worth:
    """What the estimate of the bits of sets of up to ``most`` nodes is made from."""
    log_factorial = gammaln(np.arange(degrees.max(initial=0) + 1) + 1.0) / np.log(2)
    uniform, by_degree = np.zeros((2, most))
    for inside in range(most):
        some = degrees[degrees >= inside]
        if len(some):
            falling = log_factorial[some] - log_factorial[some - inside]
            uniform[inside] = np.log2(len(some))
            by_degree[inside] = logsumexp(falling * np.log(2)) / np.log(2)
    # an edge with a direction or of one of several kinds says more
    is_plain = graph.relations.is_simple and (graph.links is None)
    edge = np.log2(max(1, len(graph.indices))) + (not is_plain)
    return Worth(degrees, log_factorial, uniform, by_degree, float(edge))


def _structures(
    graph: Rows, nodes: np.ndarray, codes: np.ndarray, values: np.ndarray
) -> list[Seen]:
    """The structures of sets ``[K, M]`` of one size; sets with equal codes are alike in order."""
    size = nodes.shape[1]
    symmetry = _OF_SYMMETRY * float(gammaln(size + 1)) / np.log(2) + _OF_NODE * size
    log_factorials = gammaln(np.arange(len(nodes) + 1) + 1) / np.log(2)
    # 1. groups of sets that grew alike; the most promising ones
    _, first, group_of, number = np.unique(
        codes, return_index=True, return_inverse=True, return_counts=True
    )
    best = np.full(len(first), -np.inf)
    np.maximum.at(best, group_of, values + symmetry)
    promise = number * np.maximum(0, best + np.log2(number))
    groups = np.argsort(-promise, kind="stable")[:_MOST_GROUPS]
    groups = groups[promise[groups] > 0]
    if not len(groups):
        return []
    # 2. groups of one shape are one; their sets in canonical order
    shapes, order, shape_of = find_shapes(*links_of(graph, nodes[first[groups]]))
    place_of = np.full(len(first), -1)
    place_of[groups] = np.arange(len(groups))
    place = place_of[group_of]
    kept = np.flatnonzero(place >= 0)
    kept = kept[np.argsort(shape_of[place[kept]], kind="stable")]
    place = place[kept]
    copies = np.take_along_axis(nodes[kept], order[place], axis=1)
    ends = np.cumsum(np.bincount(shape_of[place], minlength=len(shapes)))
    # 3. those that save most, with their own symmetry in place of the usual one
    pendant = count_pendant(np.stack([one.links for one in shapes]))
    own = [one.automorphism_bits for one in shapes] - PENDANT_BITS * pendant + _OF_NODE * size
    values, found = values[kept], []
    for shape, worth, (start, end) in zip(shapes, own, pairwise([0, *ends.tolist()]), strict=True):
        total = np.cumsum(np.sort(values[start:end])[::-1] + worth)
        total += log_factorials[1 : len(total) + 1]
        found.append((-float(total.max()), shape.key, Seen(shape, copies[start:end])))
    return [seen for *_, seen in sorted(found, key=lambda one: one[:2])[:_MOST_STRUCTURES]]


def distinct(sets: np.ndarray) -> np.ndarray:
    """The first row of each set of nodes among ``[K, M]``, ascending, int64."""
    # a sum of hashes stands for a set
    keys = mix64((sets + 1).astype(np.uint64) * _GOLDEN).sum(axis=1, dtype=np.uint64)
    _, first = np.unique(keys, return_index=True)
    return np.sort(first)
