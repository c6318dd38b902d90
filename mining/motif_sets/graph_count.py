"""How many simple graphs have given degrees, in bits.

Of all distributions over graphs, let the pairs of nodes be joined independently, i and j with
p = x_i x_j / (1 + x_i x_j), where the multipliers x are such that each node has its degree d on
average. All graphs with exactly these degrees are then equally likely, so that their number is

    log2 #graphs = [ F - log P(all degrees are as given) ] / ln 2 ,
    F(t) = Σ_{i<j} ln(1 + x_i x_j) - Σ d_i t_i ,   t = ln x ,

where the multipliers minimize F, which is convex. P is taken as a product over nodes: that of d for
a Poisson distribution of mean d, corrected for the variance of the degree, which is smaller:
Σ_{j≠i} p (1 - p). The degrees have an even sum, which makes each twice as likely: + ½ in bits.

Nodes of equal degree share a multiplier, so that Newton's method has one unknown for each degree
that occurs. More than ``MOST_CLASSES`` of them are grouped: neighbouring degrees then share an
unknown, and what a step of Newton's method for each degree alone would still gain is taken off.

Hundreds of small graphs add up what is a bias of some tenths of a bit in each: the code of a
collection counts these one by one where few edges are left, and else has a constant of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log, pi
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln

from gomkcn_dgl.runtime.compiled import compiled, subroutine

# degrees that have an unknown of their own; beyond them neighbouring degrees share one. Of a graph
# with 1,720 degrees a count takes 0.08 s with 600 unknowns, and is off by less than 0.01 bits; with
# 1,200 it takes 0.5 s, with 300 it is off by 1.2 bits
MOST_CLASSES = 600
# log2 x of a node that is joined to all others, and of one that these leave without any
_FORCED = 20.0
# a variance is taken to be at least this part of the degree
_LEAST_VARIANCE = 0.02
# nats that a round may still change F by: lengths are compared to 1e-6 bits, and where edges are
# certain many rounds follow of which each changes F by 1 / e of what the last one did
_TOLERANCE = 1e-9
# of F, what rounding may add to it
_ROUNDING = 1e-9
# rounds, several times what any graph takes
_MOST_ROUNDS = 60
# of ln x in a round: with shorter steps the multipliers of certain edges take more rounds to where
# they no longer matter, with longer ones those of other edges overshoot
_LONGEST_STEP = 10.0
# of a step, after which it is taken though F does not fall
_SHORTEST_PART = 1e-4
# ε, the strength of the pull to where the search would begin by itself: over the distances that
# occur it adds to F less than the tolerance
_PULL = 1e-10
# of the Hessian's diagonal, what is added to it, since along some directions F does not change
_RIDGE = 1e-8
# a smaller pivot of such a direction is due to rounding
_LEAST_PIVOT = 1e-300
# columns that Cholesky's method takes together: of 6 to 96 the fastest for 500 unknowns
_PANEL = 8


@dataclass(frozen=True, eq=False)
class Multipliers:
    """What the nodes of each class, ascending by block, then by degree, are multiplied by."""

    blocks: np.ndarray  # int64 [K]
    degrees: np.ndarray
    logs: np.ndarray  # float64 [K], log2 x

    def of(self, degrees: np.ndarray, blocks: Any = 0) -> np.ndarray:
        """log2 x of nodes of these classes, float64, shaped like ``degrees``; 0 at degree 0."""
        if not len(self.logs):
            return np.zeros(degrees.shape)
        width = int(max(self.degrees.max(), degrees.max())) + 1
        known, classes = self.blocks * width + self.degrees, blocks * width + degrees

        def logs_of(classes: np.ndarray) -> np.ndarray:
            place = np.searchsorted(known, classes)
            logs = self.logs[np.minimum(place, len(self.logs) - 1)]
            return np.where(classes % width > 0, logs, 0.0)

        # mostly there are fewer classes than nodes
        number = int(classes.max(initial=0)) + 1
        if number <= classes.size:
            return logs_of(np.arange(number))[classes]
        return logs_of(classes)

    def guess(self, degrees: np.ndarray, blocks: np.ndarray) -> np.ndarray:
        """Of ln x at positive degrees that may be others, float64 ``[K]``: as far from ln d."""
        width = max(self.degrees.max(), degrees.max()) + 1
        excess = self.logs * log(2) - np.log(self.degrees)
        known = self.blocks * width + self.degrees
        return np.log(degrees) + np.interp(blocks * width + degrees, known, excess)


@dataclass(frozen=True, eq=False)
class GraphCount:
    """How many graphs there are, and the multipliers that say how likely each edge is."""

    bits: float  # log2 of their number, about
    sides: tuple[Multipliers, ...]  # of the nodes; with two sides, of those on each
    error: float = 0.0  # what the grouping of degrees changes the bits by at most, about
    # float64 [B, B], log2 ω of the pairs of blocks, NaN where no edge joins them
    between: np.ndarray | None = None

    @property
    def num_bytes(self) -> int:
        """Bytes of its arrays."""
        arrays = [array for side in self.sides for array in (side.blocks, side.degrees, side.logs)]
        if self.between is not None:
            arrays.append(self.between)
        return sum(array.nbytes for array in arrays)


def count_graphs(degrees: np.ndarray, most_classes: int = MOST_CLASSES) -> GraphCount:
    """The number of simple graphs with some degrees.

    Nodes that are joined to all others are forced, as are nodes that these leave without further
    edges; they are peeled off, in turn, before the rest is counted.

    ``degrees`` is int64 ``[V]``. More than ``most_classes`` different ones are grouped.

    Examples
    --------
    >>> eight, star = np.full(8, 3), np.array([4, 1, 1, 1, 1])
    >>> round(count_graphs(eight).bits, 6), count_graphs(star).bits
    (14.050527, 0.0)
    """
    counts = np.bincount(degrees)
    known = np.flatnonzero(counts[1:]) + 1
    counts = counts[known]
    left, forced = peel_forced_nodes(known, counts)
    free = forced == 0
    error = bits = 0.0
    if free.any():
        rest = _Classes.of(0 * left[free], left[free], counts[free], most_classes)
        found, _ = _fit([rest], _pairs(rest), log(2) / 2)
        bits, error, forced[free] = found.bits, found.error, found.sides[0].logs
    return GraphCount(bits, (Multipliers(0 * known, known, forced),), error)


def peel_forced_nodes(degrees: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Peel nodes off that are joined to all others, and those that these leave without an edge.

    Of so many nodes of each degree above 0, int64 ``[K]`` each; returns the degrees that are left,
    and log2 x of the nodes that are peeled off, 0 for the others.

    >>> peel_forced_nodes(np.array([1, 4]), np.array([4, 1]))[1].tolist()
    [-20.0, 20.0]
    """
    left, forced = degrees.copy(), np.zeros(len(degrees))
    while True:
        full = (forced == 0) & (left == counts[forced == 0].sum() - 1)
        if not full.any():
            return left, forced
        forced[full] = _FORCED
        left[forced == 0] -= counts[full].sum()
        forced[(forced == 0) & (left == 0)] = -_FORCED


def count_graphs_of_blocks(
    degrees: np.ndarray,
    blocks: np.ndarray,
    edges: np.ndarray,
    near: GraphCount | None = None,
    most_classes: int = MOST_CLASSES,
) -> GraphCount:
    """The number of simple graphs with some degrees and so many edges between blocks of nodes.

    Two nodes of the blocks a and b are joined with odds x_i x_j ω_ab. No node is peeled off.

    ``edges``, symmetric int64 ``[B, B]``, are those between two blocks, or inside one. The search
    for the multipliers begins at those of a count in the same blocks that is ``near``.

    Examples
    --------
    >>> threes, blocks = np.full(12, 3), np.repeat([0, 1], 6)
    >>> count = count_graphs_of_blocks(threes, blocks, np.array([[8, 2], [2, 8]]))
    >>> bool(count.bits < count_graphs(threes).bits)
    True
    """
    classes = _Classes.of_nodes(degrees, most_classes, blocks)
    number, (a, b) = len(classes.sizes), np.nonzero(np.triu(edges))
    # 1. a factor for each two blocks that edges join, and the pairs of nodes that it counts for
    place = np.full(edges.shape, -1)
    place[a, b] = place[b, a] = np.arange(number, number + len(a))
    class_blocks = classes.blocks[np.searchsorted(classes.group, np.arange(number))]
    thirds = np.where(np.tri(number, dtype=bool), place[np.ix_(class_blocks, class_blocks)], -1)
    weights = np.where(thirds < 0, 0, _pairs(classes))
    # 2. near those of nearly independent edges, x_i x_j ω_ab = d_i d_j e_ab / d_a d_b
    ends = np.bincount(class_blocks, classes.sums, minlength=len(edges))
    factors = np.log(edges[a, b] * np.where(a == b, 2, 1) / (ends[a] * ends[b]))
    # 3. the corrections; for one block these are the ½
    nats = np.log(2 * pi * ends[ends > 0]).sum() - np.log(2 * pi * edges[a, b]).sum()
    start = None
    if near is not None and near.between is not None and len(near.sides[0].logs):
        known = near.between[a, b] * log(2)
        start = np.concatenate(
            [
                near.sides[0].guess(classes.sums / classes.sizes, class_blocks),
                np.where(np.isnan(known), factors, known),
            ]
        )
    pairs = _BlockPairs(thirds, edges[a, b], factors)
    found, logs = _fit([classes], weights, nats / 2, pairs, start)
    between = np.full(edges.shape, np.nan)
    between[a, b] = between[b, a] = logs
    return replace(found, between=between)


def count_two_sided_graphs(
    first: np.ndarray, second: np.ndarray, same: bool, most_classes: int = MOST_CLASSES
) -> GraphCount:
    """The number of simple graphs whose edges lead from one side to another, with their degrees.

    The bits are as for one side, with p = x y / (1 + x y), both sides' corrections, and ½ log2(2π
    m) in place of ½, since the degrees of both sides of m edges have the same sum.

    Degrees are int64 ``[V]`` and ``[W]``. Both sides may be the same nodes, so that edges have a
    direction and none is a loop.

    Examples
    --------
    >>> ones = np.ones(6, int)
    >>> round(count_two_sided_graphs(ones, ones, same=True).bits, 6)
    8.8953
    """
    sides = _Classes.of_nodes(first, most_classes), _Classes.of_nodes(second, most_classes)
    # pairs of classes, without those of a node and itself
    weights = np.outer(*(side.sizes for side in sides))
    if same:
        both = (first > 0) & (second > 0)
        np.subtract.at(weights, (sides[0].find(first[both]), sides[1].find(second[both])), 1)
    num_edges = max(1, int(first.sum()))
    return _fit(sides, weights, log(2 * pi * num_edges) / 2)[0]


@dataclass(frozen=True, eq=False)
class _Classes:
    """Nodes of equal block and degree, and groups of them that share an unknown ln x.

    ``blocks``, ``degrees``, ``counts`` and ``group`` are int64 ``[K]``, ascending by block and
    degree; ``sizes`` and ``sums``, the nodes of each group and their degrees, int64 ``[G]``.
    """

    blocks: np.ndarray
    degrees: np.ndarray
    counts: np.ndarray
    group: np.ndarray
    sizes: np.ndarray
    sums: np.ndarray

    @classmethod
    def of_nodes(cls, degrees: np.ndarray, most: int, blocks: Any = 0) -> _Classes:
        """The classes of nodes of some degrees; those of degree 0 are dropped."""
        width = int(degrees.max(initial=0)) + 1
        counts = np.bincount(blocks * width + degrees)
        counts[::width] = 0
        keys = np.flatnonzero(counts)
        return cls.of(keys // width, keys % width, counts[keys], most)

    @classmethod
    def of(cls, blocks: np.ndarray, degrees: np.ndarray, counts: np.ndarray, most: int) -> _Classes:
        """Group the classes where there are more than ``most``."""
        group = np.arange(len(degrees))
        if len(degrees) > most:
            group = _group(blocks, degrees, counts, most)
        sizes = np.bincount(group, counts).astype(np.int64)
        sums = np.bincount(group, counts * degrees).astype(np.int64)
        return cls(blocks, degrees, counts, group, sizes, sums)

    def find(self, degrees: np.ndarray) -> np.ndarray:
        """The group of nodes of some degrees, where there is one block."""
        return self.group[np.searchsorted(self.degrees, degrees)]

    def finish(self, unknowns: np.ndarray, spread: np.ndarray) -> _Side:
        """Corrections for the nodes in nats, from ln x of the groups and their variance in all."""
        mean = (self.sums / self.sizes)[self.group]
        variance = np.maximum((spread / self.sizes)[self.group], _LEAST_VARIANCE * mean)
        # 1. a step of Newton's method for each class by itself, and what it gains
        missing = self.degrees - mean
        logs = (unknowns[self.group] + missing / variance) / log(2)
        gained = float((self.counts * missing**2 / variance).sum()) / 2
        nats = float((self.counts * degree_nats(self.degrees, variance / mean)).sum()) - gained
        return _Side(nats, gained, Multipliers(self.blocks, self.degrees, logs))


class _Side(NamedTuple):
    """Corrections and error in nats, and the multipliers of the nodes of one side."""

    nats: float
    error: float
    multipliers: Multipliers


def degree_nats(degrees: np.ndarray, dispersion: np.ndarray) -> np.ndarray:
    """-ln P of degrees that are expected: Poisson, corrected for variance / degree, [K] each."""
    d = degrees.astype(np.float64)
    nats: np.ndarray = d * np.log(d) - d - gammaln(d + 1) - np.log(dispersion) / 2
    return nats


def _group(blocks: np.ndarray, degrees: np.ndarray, counts: np.ndarray, most: int) -> np.ndarray:
    """Group the classes ``[K]`` of each block to about ``most`` in all, int64 ``[K]``.

    A group of n nodes that spans s degrees around d costs about n s² / d.
    """
    # 1. all groups would cost about the same where each class took this share of one
    steps = np.diff(degrees, prepend=0).clip(1)
    shares = np.cbrt(counts * steps**2 / degrees)
    # 2. classes with more than a whole group have one to themselves, the others share the rest
    ascending = np.sort(shares)
    sums = np.cumsum(ascending)
    left = most - len(shares) + np.arange(1, len(shares) + 1)
    shared = int(np.flatnonzero((left > 0) & (ascending * left <= sums))[-1])
    shares = np.minimum(shares * left[shared] / sums[shared], 1.0)
    # 3. a new group for each whole share, and in each block
    alone, cells = shares == 1, np.floor(np.cumsum(shares))
    starts = alone[1:] | alone[:-1] | (np.diff(cells) > 0) | (np.diff(blocks) > 0)
    return np.concatenate([[0], np.cumsum(starts)])


def _pairs(classes: _Classes) -> np.ndarray:
    """How many pairs of nodes two groups have, each in the lower half, int64 ``[G, G]``."""
    pairs: np.ndarray = np.tril(np.outer(classes.sizes, classes.sizes))
    pairs[np.diag_indices(len(pairs))] = classes.sizes * (classes.sizes - 1) // 2
    return pairs


class _BlockPairs(NamedTuple):
    """Pairs of blocks that edges join, and with them an unknown ln ω each."""

    thirds: np.ndarray  # int64 [G, G], the unknown of each two groups, as :func:`minimize` has it
    edges: np.ndarray  # int64 [P], of each pair
    center: np.ndarray  # float64 [P], ln ω where edges are nearly independent


def _fit(
    sides: Sequence[_Classes],
    weights: np.ndarray,
    nats: float,
    pairs: _BlockPairs | None = None,
    start: np.ndarray | None = None,
) -> tuple[GraphCount, np.ndarray]:
    """Count with one side or two, whose groups have ``weights`` pairs of nodes.

    ``nats`` correct for what the sums of degrees are known to be. The search may be told where to
    ``start``: ln x of the groups, then ln ω. Returned is also log2 ω of the pairs of blocks.
    """
    if pairs is None:
        none = np.zeros(0)
        pairs = _BlockPairs(np.full(weights.shape, -1), none.astype(np.int64), none)
        # near those of nearly independent edges, x y = d d' / m
        shift = log(max(1, sides[0].sums.sum())) / 2
    else:
        shift = 0.0
    if not weights.size:
        empty = tuple(Multipliers(side.blocks, side.degrees, np.zeros(0)) for side in sides)
        return GraphCount(0.0, empty), np.zeros(len(pairs.edges))
    centers = [np.log(side.sums / side.sizes) - shift for side in sides]
    center = np.concatenate([*centers, pairs.center])
    numbers = np.cumsum([len(side.sizes) for side in sides])
    places = [
        np.arange(end - len(side.sizes), end) for side, end in zip(sides, numbers, strict=True)
    ]
    unknowns, value, spread = minimize(
        center, center if start is None else start,
        np.concatenate([*(side.sums for side in sides), pairs.edges]),
        places[0], places[-1], pairs.thirds, weights.astype(np.float64),
    )  # fmt: skip
    parts = [
        side.finish(unknowns[rows], spread[rows]) for side, rows in zip(sides, places, strict=True)
    ]
    bits = max(0.0, float(value + sum(part.nats for part in parts) + nats) / log(2))
    error = sum(part.error for part in parts) / log(2)
    found = GraphCount(bits, tuple(part.multipliers for part in parts), error)
    return found, unknowns[numbers[-1] :] / log(2)


@compiled()
def minimize(center, start, sums, rows, columns, thirds, weights):
    """Minimize F = Σ w ln(1 + e^z) - ``sums`` · t; return t, F and the diagonal of its Hessian.

    z is the sum of the three unknowns of a pair of row i and column j: ``rows[i]``, ``columns[j]``
    and, where it is not negative, ``thirds[i, j]``; the pair counts ``weights[i, j]`` times. Of the
    Hessian that part is returned that comes from pairs of different unknowns.

    Where an edge is certain F falls without end, so that what is minimized is F + ε/2 |t - c|²,
    with an ε that changes F by less than it may still move. Newton's method begins at ``start``.
    """
    # center, start float64, sums int64 [U], rows int64 [A], columns int64 [B], thirds int64 [A, B],
    # weights float64 [A, B]
    size = len(center)
    gradient, spread, step = np.empty(size), np.empty(size), np.empty(size)
    hessian = np.empty((size, size))
    pairs = rows, columns, thirds, weights
    unknowns, last = start.copy(), start.copy()
    scale = 1.0
    # those of rows and columns come first, those of thirds after them
    first_third = max(rows[-1], columns[-1]) + 1
    for k in range(size):
        scale = max(scale, sums[k] / 100)
    value = _sum_pairs(unknowns, sums, pairs, gradient, spread, hessian)
    for _ in range(_MOST_ROUNDS):
        largest = 0.0
        before = value + _pull(unknowns, center)
        for k in range(size):
            last[k] = unknowns[k]
            step[k] = sums[k] - gradient[k] - _PULL * (last[k] - center[k])
            largest = max(largest, abs(step[k]))
            hessian[k, k] = (2 * hessian[k, k] + spread[k]) * (1 + _RIDGE) + _PULL
        if largest < _TOLERANCE * scale:
            break
        # 1. the step; F is the same along some directions, such as all x · c and all ω / c²
        longest = _LONGEST_STEP / max(_LONGEST_STEP, _solve(hessian, step, first_third))
        # 2. as much of it as lowers F
        part = longest
        while True:
            for k in range(size):
                unknowns[k] = last[k] + part * step[k]
            value = _sum_pairs(unknowns, sums, pairs, gradient, spread, hessian)
            now = value + _pull(unknowns, center)
            if now <= before + _ROUNDING * abs(before) or part <= longest * _SHORTEST_PART:
                break
            part /= 2
        if abs(before - now) < _TOLERANCE and part == longest:
            break
    return unknowns, value, spread


@subroutine()
def _pull(unknowns, center):
    total = 0.0
    for k in range(len(unknowns)):
        total += (unknowns[k] - center[k]) ** 2
    return _PULL / 2 * total


@subroutine()
def _sum_pairs(unknowns, sums, pairs, gradient, spread, mixed):
    """Return F and write its derivatives.

    The lower half of the Hessian is ``mixed``; on the diagonal, twice that and ``spread``.
    """
    rows, columns, thirds, weights = pairs
    total = 0.0
    for k in range(len(unknowns)):
        gradient[k] = spread[k] = 0.0
        for j in range(k + 1):
            mixed[k, j] = 0.0
    for i in range(len(rows)):
        a = rows[i]
        for j in range(len(columns)):
            weight = weights[i, j]
            if weight == 0:
                continue
            b, c = columns[j], thirds[i, j]
            z = unknowns[a] + unknowns[b]
            if c >= 0:
                z += unknowns[c]
            # of -|z|, so that the power cannot overflow
            power = np.exp(-abs(z))
            total += weight * (max(z, 0.0) + np.log1p(power))
            # p = e^z / (1 + e^z), and p (1 - p)
            expected = weight * (1.0 if z > 0 else power) / (1.0 + power)
            variance = weight * power / (1.0 + power) ** 2
            gradient[a] += expected
            gradient[b] += expected
            spread[a] += variance
            spread[b] += variance
            mixed[max(a, b), min(a, b)] += variance
            if c >= 0:
                gradient[c] += expected
                spread[c] += variance
                mixed[c, a] += variance
                mixed[c, b] += variance
    for k in range(len(unknowns)):
        total -= sums[k] * unknowns[k]
    return total


@subroutine()
def _solve(matrix, vector, first):
    """Solve a system in place, and return the largest absolute value of its unknowns.

    Of the positive definite matrix the lower half is read. The unknowns from ``first`` on meet
    those before them and not each other: they are eliminated, and what is left is solved by
    Cholesky's method.
    """
    _eliminate(matrix, vector, first)
    _factorize(matrix, first)
    # 1. the first unknowns, by both halves of L Lᵀ
    for i in range(first):
        for k in range(i):
            vector[i] -= matrix[i, k] * vector[k]
        vector[i] /= matrix[i, i]
    for i in range(first - 1, -1, -1):
        vector[i] /= matrix[i, i]
        for k in range(i):
            vector[k] -= matrix[i, k] * vector[i]
    # 2. with them the last ones
    for c in range(first, len(vector)):
        for k in range(first):
            vector[c] -= matrix[c, k] * vector[k]
        vector[c] /= matrix[c, c]
    largest = 0.0
    for k in range(len(vector)):
        largest = max(largest, abs(vector[k]))
    return largest


@subroutine()
def _eliminate(matrix, vector, first):
    """Take the unknowns from ``first`` on, each of which meets few others, out of the equations."""
    met = np.empty(first, np.int64)
    for c in range(first, len(vector)):
        count = 0
        for i in range(first):
            if matrix[c, i] != 0.0:
                met[count] = i
                count += 1
        for p in range(count):
            i = met[p]
            factor = matrix[c, i] / matrix[c, c]
            vector[i] -= factor * vector[c]
            for q in range(p + 1):
                matrix[i, met[q]] -= factor * matrix[c, met[q]]


@subroutine()
def _factorize(matrix, size):
    """Write L of L Lᵀ over the lower half of the first rows, ``_PANEL`` columns at a time."""
    for left in range(0, size, _PANEL):
        right = min(size, left + _PANEL)
        # 1. what the columns before the panel take from it, whose rows stay in cache
        for i in range(left, size):
            for j in range(left, min(i + 1, right)):
                taken = 0.0
                for k in range(left):
                    taken += matrix[i, k] * matrix[j, k]
                matrix[i, j] -= taken
        # 2. its own
        for i in range(left, size):
            for j in range(left, min(i + 1, right)):
                rest = matrix[i, j]
                for k in range(left, j):
                    rest -= matrix[i, k] * matrix[j, k]
                matrix[i, j] = np.sqrt(max(rest, _LEAST_PIVOT)) if i == j else rest / matrix[j, j]
