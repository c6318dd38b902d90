"""How many graphs of few edges have given degrees, in bits: those that a collection is made of.

Hundreds of small graphs add up what is a bias of some tenths of a bit in each by the formula of
:mod:`~gomkcn.mining.motif_sets.graph_count`. So graphs of few edges are counted one by one, and the
others have a constant of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, product
from math import comb, log, log2, pi

import numpy as np

from gomkcn.mining.motif_sets.graph_count import (
    count_two_sided_graphs,
    degree_nats,
    peel_forced_nodes,
)
from gomkcn_dgl.runtime.compiled import compiled

# up to so many edges, or arcs, graphs are counted one by one: some thousand steps
_MOST_EDGES = 9
_MOST_ARCS = 7
# graphs whose numbers are kept, and that there is room for at first
_MOST_COUNTED = 1 << 18
_ROOM = 1 << 10
# a variance is taken to be at least this part of the degree
_LEAST_VARIANCE = 0.05
# rounds in which each multiplier is set by the others; some ten are usual
_MOST_ROUNDS = 400


class CountedGraphs:
    """Graphs of small degrees, each counted once, by how many of its nodes have each degree.

    Attributes
    ----------
    bits : numpy.ndarray
        float64, see :func:`count_small_graphs`, by number.
    multipliers : numpy.ndarray
        float64, those of each graph by degree, one behind the other.
    first : numpy.ndarray
        int64, where the multipliers of each begin.

    Examples
    --------
    >>> counted = CountedGraphs()
    >>> times = np.array([0, 4, 1, 2, 0, 4])
    >>> numbers = counted.numbers_of(times, [(0, 2), (2, 4), (4, 6)])
    >>> numbers.tolist(), counted.bits[numbers].round(3).tolist()
    ([0, 1, 0], [1.585, 0.0, 1.585])
    """

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self._num_multipliers = 0
        self.bits = np.empty(_ROOM)
        self.first = np.empty(_ROOM, np.int64)
        self.multipliers = np.empty(_ROOM)

    def numbers_of(self, times: np.ndarray, ranges: Sequence[tuple[int, int]]) -> np.ndarray:
        """The number of each graph, whose nodes have each degree so many ``times`` in a range."""
        if len(self._numbers) > _MOST_COUNTED:
            self._numbers.clear()
            self._num_multipliers = 0
        content, width = times.tobytes(), times.itemsize
        keys = [content[width * begin : width * end] for begin, end in ranges]
        known = self._numbers
        for key in keys:
            if key not in known:
                known[key] = self._count(tuple(np.frombuffer(key, times.dtype).tolist()))
        return np.array([known[key] for key in keys], np.int64)

    def _count(self, nodes_of_degree: tuple[int, ...]) -> int:
        """Count one more, and return its number."""
        bits, multipliers = count_small_graphs(nodes_of_degree)
        number, first = len(self._numbers), self._num_multipliers
        self._num_multipliers += len(multipliers)
        self.bits = _with_room(self.bits, number + 1)
        self.first = _with_room(self.first, number + 1)
        self.multipliers = _with_room(self.multipliers, self._num_multipliers)
        self.bits[number], self.first[number] = bits, first
        self.multipliers[first : self._num_multipliers] = multipliers
        return number


def _with_room(values: np.ndarray, number: int) -> np.ndarray:
    """Some values with room for so many, twice as many as before where there is none."""
    if number <= len(values):
        return values
    return np.concatenate([values, np.empty(max(number, len(values)), values.dtype)])


def count_small_graphs(nodes_of_degree: tuple[int, ...]) -> tuple[float, np.ndarray]:
    """Bits of a simple graph, given that ``nodes_of_degree[d]`` of its nodes have degree d.

    Returns also the multiplier x of the nodes of each degree, float64.

    Four nodes of degree 1 are joined in one of three ways:

    >>> bits, multipliers = count_small_graphs((0, 4))
    >>> round(2**bits), len(multipliers)
    (3, 2)
    """
    # 1. nodes that are joined to all others are forced, and so is what they leave without edges
    counts = np.array(nodes_of_degree)
    multipliers = np.zeros(len(nodes_of_degree))
    known = np.flatnonzero(counts[1:]) + 1
    left, forced = peel_forced_nodes(known, counts[known])
    multipliers[known] = np.exp2(forced)
    free = forced == 0
    if not free.any():
        return 0.0, multipliers
    degrees, counts = left[free], counts[known[free]]
    # 2. the multipliers of the others
    x = fit_degrees(degrees, counts)
    multipliers[known[free]] = x
    # 3. the number of graphs
    if degrees @ counts <= 2 * _MOST_EDGES:
        histogram = np.bincount(degrees, counts).astype(np.int64)[1:]
        return log2(max(_list_graphs(tuple(histogram.tolist())), 1)), multipliers
    odds = np.outer(x, x)
    others = counts - np.eye(len(x))
    variance = (others * odds / (1 + odds) ** 2).sum(axis=1)
    nats = (others * np.log1p(odds)).sum(axis=1) / 2 - degrees * np.log(x)
    nats += degree_nats(degrees, np.maximum(variance / degrees, _LEAST_VARIANCE))
    # in place of ½
    return max(0.0, float(counts @ nats) / log(2) + log2(pi) / 2), multipliers


@compiled()
def fit_degrees(degrees, counts):  # int64 [K] each -> float64 [K]
    """The multipliers of so many nodes of each degree: each is set by the others in turn."""
    x = np.empty(len(degrees))
    new = np.empty(len(degrees))
    total = 0.0
    for i in range(len(degrees)):
        total += degrees[i] * counts[i]
    for i in range(len(degrees)):
        x[i] = degrees[i] / np.sqrt(total)
    for _ in range(_MOST_ROUNDS):
        for i in range(len(x)):
            total = -x[i] / (1 + x[i] * x[i])
            for j in range(len(x)):
                total += counts[j] * x[j] / (1 + x[i] * x[j])
            new[i] = degrees[i] / max(total, 1e-12)
        change = 0.0
        for i in range(len(x)):
            change = max(change, abs(new[i] / x[i] - 1))
            x[i] = min(np.sqrt(x[i] * new[i]), 1e4)
        if change < 1e-12:
            break
    return x


@lru_cache(maxsize=1 << 18)
def _list_graphs(nodes_of_degree: tuple[int, ...]) -> int:
    """How many graphs there are with so many nodes of degree 1, 2, ...

    A node of the largest degree is joined to some others in every way, and left out.
    """
    top = len(nodes_of_degree)
    while top and not nodes_of_degree[top - 1]:
        top -= 1
    if not top:
        return 1
    number = list(nodes_of_degree[:top])
    number[-1] -= 1
    total = 0
    for taken in product(*(range(min(available, top) + 1) for available in number)):
        if sum(taken) == top:
            ways = 1
            left = number.copy()
            for d, (available, many) in enumerate(zip(number, taken, strict=True)):
                ways *= comb(available, many)
                left[d] -= many
                if d:
                    left[d - 1] += many
            total += ways * _list_graphs(tuple(left))
    return total


@lru_cache(maxsize=1 << 16)
def count_small_digraphs(
    degrees: tuple[tuple[int, int], ...],
) -> tuple[float, np.ndarray, np.ndarray]:
    """Bits of a graph of single arcs, given out- and in-degree of each node that has any.

    Arcs may go both ways between two nodes. Returns also the multipliers x of the nodes of each
    out-degree and y of those of each in-degree, where the probability of an arc from i to j is
    ``x_i y_j / (1 + x_i y_j)``.

    A cycle of three nodes goes round in two ways:

    >>> round(2 ** count_small_digraphs(((1, 1), (1, 1), (1, 1)))[0])
    2
    """
    out, into = np.array(degrees, np.int64).reshape(-1, 2).T
    found = count_two_sided_graphs(out, into, True)
    num_arcs = int(out.sum())
    others = len(out) - 1
    if num_arcs <= _MOST_ARCS:
        bits = log2(max(_list_digraphs(tuple(sorted(degrees))), 1))
    elif len(out) * others - num_arcs <= _MOST_ARCS:
        # as many as of the arcs that are left out
        left_out = sorted((others - outgoing, others - incoming) for outgoing, incoming in degrees)
        bits = log2(max(_list_digraphs(tuple(left_out)), 1))
    else:
        # ½ log2(π m / 2) in place of ½ log2(2π m)
        bits = max(0.0, found.bits - 1)
    x, y = (
        np.exp2(side.of(np.arange(degrees_of_side.max(initial=0) + 1)))
        for side, degrees_of_side in zip(found.sides, (out, into), strict=True)
    )
    return bits, x, y


@lru_cache(maxsize=1 << 16)
def _list_digraphs(degrees: tuple[tuple[int, int], ...]) -> int:
    """How many there are: the arcs of one node go to some others in every way."""
    node = next((node for node, (out, _) in enumerate(degrees) if out), None)
    if node is None:
        return 1
    ends = [other for other, (_, into) in enumerate(degrees) if into and other != node]
    total = 0
    for chosen in combinations(ends, degrees[node][0]):
        left = [
            (0 if other == node else out, into - (other in chosen))
            for other, (out, into) in enumerate(degrees)
        ]
        total += _list_digraphs(tuple(sorted(pair for pair in left if pair != (0, 0))))
    return total
