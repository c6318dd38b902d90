"""Newton's method for the number of graphs with given degrees, compiled."""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.runtime.compiled import compiled, subroutine

# rounds, the longest step, its shortest part, and a pull to where it starts
_MOST_ROUNDS, _LONGEST_STEP, _SHORTEST_PART, _PULL = 60, 3.0, 1e-4, 1e-10


@compiled()
def pair_classes(sizes, blocks, place):  # int64 [K], [K], [B, B] -> int64, float64 [K, K]
    """The `place` of the blocks of two classes, and their pairs of nodes, each counted once.

    There are none where the place is negative.
    """
    thirds = np.full((len(sizes), len(sizes)), -1)
    weights = np.zeros(thirds.shape)
    for i in range(len(sizes)):
        for j in range(i + 1):
            thirds[i, j] = place[blocks[i], blocks[j]]
            if thirds[i, j] >= 0:
                weights[i, j] = sizes[i] * (sizes[j] if i != j else (sizes[i] - 1) / 2)
    return thirds, weights


@compiled()
def minimize(start, center, sums, rows, columns, thirds, weights, tolerance):
    """Minimize F = Σ w ln(1 + e^z) - ``sums`` · t; return t, F and the diagonal of its Hessian.

    z is the sum of the three unknowns of a pair of row i and column j: ``rows[i]``, ``columns[j]``
    and, where it is not negative, ``thirds[i, j]``; the pair counts ``weights[i, j]`` times. Of the
    Hessian that part is returned that comes from pairs of different unknowns.

    Where an edge is certain F falls without end, so that what is minimized is F + ε/2 |t - c|²,
    with an ε that changes F by less than any tolerance.
    """
    # start, center, sums float64 or int64 [U], rows int64 [A], columns int64 [B], thirds int64
    # [A, B], weights float64 [A, B]
    size = len(start)
    gradient, spread, step = np.empty(size), np.empty(size), np.empty(size)
    hessian = np.empty((size, size))
    pairs = rows, columns, thirds, weights
    unknowns, last, scale = start.copy(), start.copy(), 1.0
    for k in range(size):
        scale = max(scale, sums[k] / 100)
    value = _sum_pairs(unknowns, sums, pairs, gradient, spread, hessian)
    for _ in range(_MOST_ROUNDS):
        slope, before = 0.0, value + _pull(unknowns, center)
        for k in range(size):
            last[k] = unknowns[k]
            step[k] = sums[k] - gradient[k] - _PULL * (last[k] - center[k])
            slope = max(slope, abs(step[k]))
            hessian[k, k] = (2 * hessian[k, k] + spread[k]) * (1 + 1e-8) + _PULL
        if slope < tolerance * scale:
            break
        # 1. the step; F is the same along some directions, such as all x · c and all ω / c²
        part = _LONGEST_STEP / max(_LONGEST_STEP, _solve(hessian, step))
        # 2. as much of it as lowers F
        shortest, longest = part * _SHORTEST_PART, part
        while True:
            for k in range(size):
                unknowns[k] = last[k] + part * step[k]
            value = _sum_pairs(unknowns, sums, pairs, gradient, spread, hessian)
            now = value + _pull(unknowns, center)
            if now <= before + 1e-9 * abs(before) or part <= shortest:
                break
            part /= 2
        if abs(before - now) < tolerance and part == longest:
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
def _solve(matrix, vector):
    """Solve by Cholesky's method, in place, and return the largest absolute value.

    Of the symmetric matrix the lower half is read.
    """
    size = len(vector)
    for i in range(size):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = np.sqrt(max(total, 1e-300)) if i == j else total / matrix[j, j]
        for k in range(i):
            vector[i] -= matrix[i, k] * vector[k]
        vector[i] /= matrix[i, i]
    for i in range(size - 1, -1, -1):
        vector[i] /= matrix[i, i]
        for k in range(i):
            vector[k] -= matrix[i, k] * vector[i]
    largest = 0.0
    for k in range(size):
        largest = max(largest, abs(vector[k]))
    return largest
