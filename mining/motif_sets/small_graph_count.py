"""Bits that say which of the graphs with given degrees one is: log2 of their number.

For hundreds of small graphs a bias of some tenths of a bit would add up, so that the number is
exact where few edges are left, and else has constants of its own.

With multipliers x such that ``d_i = sum_j x_i x_j / (1 + x_i x_j)``, the random graph whose edges
are independent with ``p_ij = x_i x_j / (1 + x_i x_j)`` has all graphs of these degrees with equal
probability ``exp(-F)``, ``F = sum_{i<j} ln(1 + x_i x_j) - sum_i d_i ln x_i``, so that their number
is ``exp(F)`` times the probability of the degrees. That is about a product over the nodes, each a
Poisson probability at its mean, corrected for the variance, and a constant since their sum is even.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, product
from math import comb, log2, pi

import numpy as np

from gomkcn_dgl.runtime.compiled import compiled

# up to so many edges, or arcs, graphs are counted one by one
_MOST_EDGES, _MOST_ARCS = 9, 7
# multipliers of nodes that are joined to all others, and of those to none
_FORCED, _NONE = 2.0**20, 2.0**-20
# a node's variance is at least this share of its degree
_LEAST_VARIANCE = 0.05
_MOST_ROUNDS = 400


@lru_cache(maxsize=1 << 18)
def count_graphs(nodes_of_degree: tuple[int, ...]) -> tuple[float, tuple[float, ...]]:
    """Bits of a simple graph, given that ``nodes_of_degree[d]`` of its nodes have degree d.

    Returns also the multiplier x of the nodes of each degree.

    Four nodes of degree 1 are joined in one of three ways:

    >>> bits, multipliers = count_graphs((0, 4))
    >>> round(2**bits), len(multipliers)
    (3, 2)
    """
    multipliers = np.zeros(len(nodes_of_degree))
    degrees = [d for d, number in enumerate(nodes_of_degree) if d and number]
    left = {d: (d, nodes_of_degree[d]) for d in degrees}
    # 1. nodes that are joined to all others are forced, and so is what they leave without edges
    while left and max(left.values())[0] == sum(number for _, number in left.values()) - 1:
        full = max(left, key=left.__getitem__)
        number = left.pop(full)[1]
        multipliers[full] = _FORCED
        left = {d: (rest - number, count) for d, (rest, count) in left.items()}
        for d in [d for d, (rest, _) in left.items() if not rest]:
            multipliers[d] = _NONE
            del left[d]
    if not left:
        return 0.0, tuple(multipliers.tolist())
    # 2. the multipliers of the others
    rest, count = (np.array(column, np.float64) for column in zip(*left.values(), strict=True))
    fitted = _fit_degrees(rest, count)
    multipliers[list(left)] = fitted
    # 3. the number of graphs
    if rest @ count <= 2 * _MOST_EDGES:
        histogram = np.bincount(rest.astype(np.int64), count).astype(np.int64)[1:]
        bits = log2(max(_list_graphs(tuple(histogram.tolist())), 1))
    else:
        bits = max(0.0, _degree_bits(rest, count, fitted) / np.log(2) + 0.5 * log2(pi))
    return bits, tuple(multipliers.tolist())


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
    for taken in product(*(range(min(one, top) + 1) for one in number)):
        if sum(taken) == top:
            ways, left = 1, number.copy()
            for d, (one, many) in enumerate(zip(number, taken, strict=True)):
                ways *= comb(one, many)
                left[d] -= many
                if d:
                    left[d - 1] += many
            total += ways * _list_graphs(tuple(left))
    return total


@compiled()
def _fit_degrees(degrees, number):  # float64 [K], [K] -> [K]
    """The multipliers of so many nodes of each degree: each is set by the others in turn."""
    x = degrees / np.sqrt((degrees * number).sum())
    new = np.empty_like(x)
    for _ in range(_MOST_ROUNDS):
        for i in range(len(x)):
            total = -x[i] / (1 + x[i] * x[i])
            for j in range(len(x)):
                total += number[j] * x[j] / (1 + x[i] * x[j])
            new[i] = degrees[i] / max(total, 1e-12)
        change = 0.0
        for i in range(len(x)):
            change = max(change, abs(new[i] / x[i] - 1))
            x[i] = min(np.sqrt(x[i] * new[i]), 1e4)
        if change < 1e-12:
            break
    return x


@compiled()
def _degree_bits(degrees, number, x):  # float64 [K] each -> nats
    """F and the probability of the degrees, without the constant."""
    total = 0.0
    for i in range(len(x)):
        d, variance = degrees[i], 0.0
        for j in range(len(x)):
            q, others = x[i] * x[j], number[j] - (1.0 if i == j else 0.0)
            total += 0.5 * number[i] * others * np.log1p(q)
            variance += others * q / (1 + q) ** 2
        total -= number[i] * d * np.log(x[i])
        total += number[i] * _nats_of_degree(d, variance)
    return total


@compiled()
def _nats_of_degree(degree, variance):
    """Log-probability of a degree that is expected: Poisson, corrected for the variance."""
    return (
        degree * np.log(degree)
        - degree
        - _log_factorial(degree)
        - 0.5 * np.log(max(variance, _LEAST_VARIANCE * degree) / degree)
    )


@compiled()
def _log_factorial(number):
    total = 0.0
    for k in range(2, int(number) + 1):
        total += np.log(float(k))
    return total


@lru_cache(maxsize=1 << 16)
def count_digraphs(
    degrees: tuple[tuple[int, int], ...],
) -> tuple[float, tuple[tuple[float, float], ...]]:
    """Bits of a graph of single arcs, given out- and in-degree of each node that has any.

    Arcs may go both ways between two nodes. Returns also the multipliers x and y of each node,
    where the probability of an arc from i to j is ``x_i y_j / (1 + x_i y_j)``.

    A cycle of three nodes goes round in two ways:

    >>> round(2 ** count_digraphs(((1, 1), (1, 1), (1, 1)))[0])
    2
    """
    if not degrees:
        return 0.0, ()
    # 1. the multipliers
    kinds = sorted(set(degrees))
    number = np.array([degrees.count(kind) for kind in kinds], np.float64)
    out, into = (np.array(column, np.float64) for column in zip(*kinds, strict=True))
    x, y = _fit_arcs(out, into, number)
    # 2. the number of graphs, which is that of what the others leave out
    others = len(degrees) - 1
    num_arcs = sum(one for one, _ in degrees)
    if num_arcs <= _MOST_ARCS:
        bits = log2(max(_list_digraphs(tuple(sorted(degrees))), 1))
    elif len(degrees) * others - num_arcs <= _MOST_ARCS:
        left_out = sorted((others - one, others - other) for one, other in degrees)
        bits = log2(max(_list_digraphs(tuple(left_out)), 1))
    else:
        nats = _arc_bits(out, into, number, x, y)
        # that both sides have one sum gives 2 pi m; the rest makes it right for few arcs
        bits = max(0.0, nats / np.log(2) + 0.5 * log2(pi * num_arcs / 2))
    of_kind = dict(zip(kinds, zip(x.tolist(), y.tolist(), strict=True), strict=True))
    return bits, tuple(of_kind[kind] for kind in degrees)


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


@compiled()
def _fit_arcs(out, into, number):  # float64 [K] each -> [K], [K]
    """The multipliers of so many nodes of each out- and in-degree."""
    num_arcs = (out * number).sum()
    x, y = out / np.sqrt(num_arcs), into / np.sqrt(num_arcs)
    for _ in range(_MOST_ROUNDS):
        change = 0.0
        for side in range(2):
            own, other = (x, y) if side == 0 else (y, x)
            degrees = out if side == 0 else into
            for i in range(len(own)):
                if degrees[i] == 0:
                    continue
                total = -other[i] / (1 + own[i] * other[i])
                for j in range(len(own)):
                    total += number[j] * other[j] / (1 + own[i] * other[j])
                new = degrees[i] / max(total, 1e-12)
                change = max(change, abs(new / own[i] - 1))
                own[i] = min(np.sqrt(own[i] * new), 1e4)
        if change < 1e-12:
            break
    return x, y


@compiled()
def _arc_bits(out, into, number, x, y):  # float64 [K] each -> nats
    """F and the probability of the degrees of both sides, without the constant."""
    total = 0.0
    for i in range(len(x)):
        leaving, arriving = 0.0, 0.0
        for j in range(len(x)):
            others = number[j] - (1.0 if i == j else 0.0)
            q, back = x[i] * y[j], x[j] * y[i]
            total += number[i] * others * np.log1p(q)
            leaving += others * q / (1 + q) ** 2
            arriving += others * back / (1 + back) ** 2
        if out[i] > 0:
            total += number[i] * (_nats_of_degree(out[i], leaving) - out[i] * np.log(x[i]))
        if into[i] > 0:
            total += number[i] * (_nats_of_degree(into[i], arriving) - into[i] * np.log(y[i]))
    return total
