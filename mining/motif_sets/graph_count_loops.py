"""Sums over pairs of classes of nodes, for the number of graphs with given degrees, compiled."""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.runtime.compiled import compiled


@compiled()
def pair_sums(unknowns, rows, columns, thirds, weights, gradient, spread, mixed):
    """Return F = Σ w ln(1 + e^z), z the sum of the three unknowns of a pair, and its derivatives.

    The pair of row i and column j has the unknowns ``rows[i]``, ``columns[j]`` and, where it is not
    negative, ``thirds[i, j]``; it counts ``weights[i, j]`` times. The Hessian is ``mixed``, plus
    its transpose, plus the diagonal ``spread``.
    """
    # unknowns float64 [U], rows int64 [A], columns int64 [B], thirds int64 [A, B], weights float64
    # [A, B], gradient and spread float64 [U], mixed float64 [U, U]
    total = 0.0
    gradient[:], spread[:], mixed[:] = 0.0, 0.0, 0.0
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
            mixed[a, b] += variance
            if c >= 0:
                gradient[c] += expected
                spread[c] += variance
                mixed[a, c] += variance
                mixed[b, c] += variance
    return total
