"""Structures that connected node sets show, of those the ones that may shorten the description.

Sets grow over the edges that no copy has used yet; each of their parts is a set as well. The next
node is drawn among the neighbours, in a third of the growths each: any; those with many links into
the set, of low degree; and those with most links into it, nearly always. So motifs are entered that
are dense, and those that are rings. What the edges of a set are worth is estimated from its degrees
alone: log2 2m bits an edge, less what it costs to say where its nodes are, among those that have
the edges, uniformly or by degree.

Sets of one structure are brought together by canonical forms, and a first sieve leaves those with
many sets, or with sets that are worth many bits. What they are worth exactly is for the code of the
graph to say.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln, logsumexp

from gomkcn.mining.motif_sets.candidate import Candidate
from gomkcn.mining.structures.node_sets import (
    PENDANT_BITS,
    Palette,
    distinct_structures,
    palette_of_numbers,
)
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import count_pendant
from gomkcn_dgl.kernels.compiled_graph import CompiledGraph, find_entry, link_at
from gomkcn_dgl.kernels.search_numba import SEARCH_JIT, mix, mix64
from gomkcn_dgl.relations import Relations
from gomkcn_dgl.runtime.compiled import compiled, run_blocks, subroutine

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
# neighbours of a node that are on offer; of a hub, those from a random one on
MOST_NEIGHBORS = 300
# a way to draw the next node: its weight is that of its links, divided by 1 + a share of its degree
_LINKS = np.arange(17.0)
_OF_LINKS = np.stack([np.minimum(_LINKS, 1), _LINKS**3, 20**_LINKS - 1])
_OF_DEGREE = np.array([0, 0.2, 0.05])
_HALF, _LOW = np.uint64(32), np.uint64(11)


def seen_structures(
    graph: CSRGraph,
    colors: np.ndarray,
    is_free: np.ndarray,
    sizes: range,
    seed: int,
    palette: Palette | None = None,
) -> dict[int, list[Candidate]]:
    """The structures of each size that sets grown over free edges show, most promising first.

    Nodes have ``colors [V]``, numbers of a ``palette`` if there is one, and ``is_free [E]`` is
    alike for both entries of an edge.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> rings = as_csr(nx.disjoint_union_all([nx.cycle_graph(4) for _ in range(9)]))
    >>> free = np.ones(len(rings.indices), bool)
    >>> found = seen_structures(rings, np.zeros(36, np.int64), free, range(4, 5), seed=0)
    >>> [(candidate.structure.num_automorphisms, len(candidate.copies)) for candidate in found[4]]
    [(8, 9)]
    """
    if palette is None:
        palette = palette_of_numbers(int(colors.max(initial=0)) + 1)
    compiled_graph = CompiledGraph.of(graph, colors)
    nodes, codes, values = grow_from_roots(graph, compiled_graph, is_free, max(sizes), seed)
    found: dict[int, list[Candidate]] = {}
    hashes = hash_sets(nodes)
    for size in sizes:
        rows = np.flatnonzero(nodes[:, size - 1] >= 0)
        rows = rows[distinct(hashes[rows, size - 1])]
        sets = nodes[rows, :size], codes[rows, size - 1], values[rows, size - 1]
        found[size] = []
        if len(rows):
            found[size] = _structures(compiled_graph, *sets, graph.relations, palette)
    return found


def grow_from_roots(
    graph: CSRGraph, rows: CompiledGraph, is_free: np.ndarray, most: int, seed: int
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
    stream = np.uint64(seed % 2**64)
    arguments = rows, is_free, worth, roots, stream, nodes, codes, values
    # as plain Python (NUMBA_DISABLE_JIT=1), 64-bit products wrap with a warning
    with np.errstate(over="ignore"):
        run_blocks(_grow_block, number, number * _GROWTH_TIME, *arguments)
    return nodes, codes, values


def _grow_block(first: int, last: int, rows: CompiledGraph, *arguments: Any) -> None:
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
    graph: CompiledGraph,
    nodes: np.ndarray,
    codes: np.ndarray,
    values: np.ndarray,
    relations: Relations,
    palette: Palette,
) -> list[Candidate]:
    """The structures of sets ``[K, M]`` of one size; sets with equal codes are alike in order."""
    size = nodes.shape[1]
    symmetry = _OF_SYMMETRY * float(gammaln(size + 1)) / np.log(2) + _OF_NODE * size
    log_factorials = gammaln(np.arange(len(nodes) + 1) + 1) / np.log(2)
    # 1. groups of sets that grew alike; the most promising ones
    first, group_of, number = _equal(codes)
    best = np.full(len(first), -np.inf)
    np.maximum.at(best, group_of, values + symmetry)
    promise = number * np.maximum(0, best + np.log2(number))
    groups = np.argsort(-promise, kind="stable")[:_MOST_GROUPS]
    groups = groups[promise[groups] > 0]
    if not len(groups):
        return []
    # 2. groups of one structure are one; their sets in canonical order
    sets = nodes[first[groups]]
    structures, order, number_of = distinct_structures(
        graph.links_of(sets), graph.colors[sets], relations, palette
    )
    place_of = np.full(len(first), -1)
    place_of[groups] = np.arange(len(groups))
    place = place_of[group_of]
    kept = np.flatnonzero(place >= 0)
    kept = kept[np.argsort(number_of[place[kept]], kind="stable")]
    place = place[kept]
    copies = np.take_along_axis(nodes[kept], order[place], axis=1)
    ends = np.cumsum(np.bincount(number_of[place], minlength=len(structures)))
    # 3. those that save most, with their own symmetry in place of the usual one
    pendant = count_pendant(np.stack([structure.links for structure in structures]))
    symmetry_bits = (
        [structure.automorphism_bits for structure in structures]
        - PENDANT_BITS * pendant
        + _OF_NODE * size
    )
    values = values[kept]
    found = []
    spans = pairwise([0, *ends.tolist()])
    for structure, worth, (start, end) in zip(structures, symmetry_bits, spans, strict=True):
        total = np.cumsum(np.sort(values[start:end])[::-1] + worth)
        total += log_factorials[1 : len(total) + 1]
        seen = Candidate(structure, copies[start:end])
        found.append((-float(total.max()), structure.code, seen))
    return [seen for *_, seen in sorted(found, key=lambda row: row[:2])[:_MOST_STRUCTURES]]


def hash_sets(sets: np.ndarray) -> np.ndarray:
    """Numbers that stand for the first s nodes of sets ``[K, M]``, in any order, at s - 1."""
    return np.cumsum(mix64((sets + 1).astype(np.uint64) * _GOLDEN), axis=1, dtype=np.uint64)


def distinct(hashes: np.ndarray) -> np.ndarray:
    """The first of each of the hashes ``[K]`` of sets, ascending, int64.

    Numbers are sorted whose last bits are the row, in place of rows by their hash, which takes
    twice as long; of two hashes that differ in these bits alone rows would alternate.
    """
    bits = np.uint64(len(hashes).bit_length())
    numbers = np.sort((hashes >> bits << bits) | np.arange(len(hashes), dtype=np.uint64))
    rows = (numbers & ((np.uint64(1) << bits) - np.uint64(1))).astype(np.int64)
    differs = np.diff(hashes[rows]) != 0
    if (np.diff(numbers >> bits)[differs] == 0).any():
        return np.sort(np.unique(hashes, return_index=True)[1])
    is_first = np.zeros(len(hashes), bool)
    is_first[rows[:1]] = True
    is_first[rows[1:][differs]] = True
    return np.flatnonzero(is_first)


def _equal(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The first row of each key, by key, which of these each row is like, and how many are.

    It is what ``np.unique`` says, which sorts stably, several times slower.
    """
    order = np.argsort(keys)
    ascending = keys[order]
    starts = np.flatnonzero(np.diff(ascending, prepend=~ascending[:1]))
    number = np.diff(starts, append=len(keys))
    group_of = np.empty(len(keys), np.int64)
    group_of[order] = np.repeat(np.arange(len(starts)), number)
    return np.minimum.reduceat(order, starts), group_of, number


class Worth(NamedTuple):
    """What the estimate of the bits of a set is made from."""

    degrees: np.ndarray  # int64 [V], of each node in the free edges
    log_factorial: np.ndarray  # float64 [largest degree + 1], log2 d!
    uniform: np.ndarray  # float64 [M], log2 of the number of nodes with at least r edges
    by_degree: np.ndarray  # float64 [M], log2 of the sum of d (d - 1) ... (d - r + 1)
    edge: float  # bits of an edge


class Front(NamedTuple):
    """The nodes on offer to one growth."""

    nodes: np.ndarray  # uint32 [M * MOST_NEIGHBORS]
    sums: np.ndarray  # float64, of the weights of those up to each
    number: np.ndarray  # int16 [V], links into the set; 0 = not on offer, -1 = taken
    inside: np.ndarray  # int64 [M], edges of each node of the set to the others


def new_front(num_nodes: int, max_nodes: int) -> Front:
    """What a thread needs to grow sets of ``max_nodes`` in a graph of ``num_nodes``."""
    most = max_nodes * MOST_NEIGHBORS
    return Front(
        np.empty(most, np.uint32),
        np.empty(most, np.float64),
        np.zeros(num_nodes, np.int16),
        np.zeros(max_nodes, np.int64),
    )


@compiled(**SEARCH_JIT)
def grow_sets(first, last, graph, is_free, worth, roots, seed, nodes, codes, values, front):
    """Grow a set from each root: rows of `nodes` [K, M], -1 where a growth has ended.

    `is_free` is bool [E], whether an entry of the graph is free; that of both entries of an edge.
    Of the first s nodes of a row, `codes` [K, M] at s - 1 is the same for sets with the same links
    and colours in this order, and `values` [K, M] the bits.
    """
    most = nodes.shape[1]
    for row in range(first, last):
        stream = mix(mix(seed) + np.uint64(row))
        for k in range(most):
            nodes[row, k] = -1
        nodes[row, 0] = roots[row]
        codes[row, 0] = mix(np.uint64(graph.colors[roots[row]]))
        front.inside[0] = 0
        front.number[roots[row]] = -1
        # no literals, of each of which Numba compiles a version
        offered, size = np.int64(0), np.int64(1)
        while size < most:
            # 1. the neighbours of the last node by free edges are on offer
            number = mix(stream + np.uint64(2 * size))
            offered = _offer(graph, is_free, nodes[row, size - 1], number, front, offered)
            # 2. one of them is drawn
            number = mix(stream + np.uint64(2 * size + 1))
            node = _draw(graph, row % 3, number, front, offered)
            if node < 0:
                break
            # 3. its links to those before it; the growth ends at a used edge
            nodes[row, size] = node
            code, goes_on = _join(graph, is_free, nodes[row], size, front.inside)
            if not goes_on:
                nodes[row, size] = -1
                break
            front.number[node] = -1
            codes[row, size] = mix(codes[row, size - 1] ^ code)
            size += 1
            values[row, size - 1] = _value(worth, nodes[row], size, front.inside)
        # 4. the front is left as it was found
        front.number[roots[row]] = 0
        for k in range(offered):
            front.number[front.nodes[k]] = 0


@subroutine(**SEARCH_JIT)
def _offer(graph, is_free, node, random, front, offered):
    """Count a link to each neighbour of a node that was taken; return how many are on offer."""
    start = np.int64(graph.indptr[node])
    degree = np.int64(graph.indptr[node + 1]) - start
    shift = np.int64(random % np.uint64(degree)) if degree > MOST_NEIGHBORS else 0
    for k in range(min(degree, MOST_NEIGHBORS)):
        entry = start + (k + shift if k + shift < degree else k + shift - degree)
        if is_free[entry]:
            other = graph.indices[entry]
            if front.number[other] == 0:
                front.nodes[offered] = other
                offered += 1
            if front.number[other] >= 0:
                front.number[other] += 1
    return offered


@subroutine(**SEARCH_JIT)
def _draw(graph, way, random, front, offered):
    """Draw a node on offer in one of the three ways, -1 where there is none."""
    total = 0.0
    for k in range(offered):
        node = np.int64(front.nodes[k])
        number = front.number[node]
        if number > 0:
            degree = np.float64(graph.indptr[node + 1] - graph.indptr[node])
            total += _OF_LINKS[way, number] / (1 + _OF_DEGREE[way] * degree)
        front.sums[k] = total
    if total == 0:
        return np.int64(-1)
    target = np.float64(random >> _LOW) * 2.0**-53 * total
    # the first node whose sum is above it; it has a weight
    low, high = 0, offered - 1
    while low < high:
        middle = (low + high) >> 1
        if front.sums[middle] > target:
            high = middle
        else:
            low = middle + 1
    return np.int64(front.nodes[low])


@subroutine(**SEARCH_JIT)
def _join(graph, is_free, nodes, size, inside):
    """Hash of the colour of the node at `size` and its links to those before; are all free."""
    node = np.uint64(nodes[size])
    code = np.uint64(graph.colors[node]) * _GOLDEN
    inside[size] = 0
    for k in range(size):
        entry = find_entry(graph, node, np.uint64(nodes[k]))
        if entry >= 0:
            if not is_free[entry]:
                return code, False
            code += mix((np.uint64(k) << _HALF) | np.uint64(link_at(graph, entry)))
            inside[size] += 1
            inside[k] += 1
    return code, True


@subroutine(**SEARCH_JIT)
def _value(worth, nodes, size, inside):
    """Bits of the edges of a set, less its address, the cheaper of two."""
    edges, uniform, by_degree = 0, 0.0, 0.0
    for k in range(size):
        degree, number = worth.degrees[nodes[k]], inside[k]
        edges += number
        uniform += worth.uniform[number]
        uniform += worth.log_factorial[degree] - worth.log_factorial[degree - number]
        by_degree += worth.by_degree[number]
    return 0.5 * edges * worth.edge - min(uniform, by_degree)
