"""Similarities of one subgraph's nodes to the nodes of many filters, in vector registers.

The nodes of as many filters as stay in cache stand side by side, ``[L, D, C]``, so that the
innermost loop runs over contiguous filter nodes whatever the sizes are. Squared distances are sums
of squared differences: ``|x|^2 + |z|^2 - 2 <x, z>`` would need fewer operations and lose all digits
for equal nodes whose level sums are large.

`exp` in float32 is 2^k times a polynomial of degree 6 in r, |r| <= ln(2) / 2: its relative error is
below 5e-7 from -87 to 0, and below -87 it is 0. In float64 it is the library's.
"""

from __future__ import annotations

import math

import numpy as np
from numba import types
from numba.extending import overload

from gomkcn_dgl.kernels.matching_reference import DICE_EPSILON
from gomkcn_dgl.runtime.compiled import subroutine

NODE_SIMILARITY_NAMES = ("rbf", "dice")
NODE_SIMILARITY_CODES = {name: code for code, name in enumerate(NODE_SIMILARITY_NAMES)}
RBF = NODE_SIMILARITY_CODES["rbf"]

_LOG2_E = np.float32(1 / math.log(2))
# ln(2) in two parts: k times the first is exact, where there is no fused product and sum
_LN_2 = np.float32(0.693359375)
_LN_2_REST = np.float32(math.log(2) - 0.693359375)
_HALF = np.float32(0.5)
_LOWEST = np.float32(-87)
_TERMS = tuple(np.float32(1 / math.factorial(k)) for k in range(7))
_MANTISSA = np.int32(23)
_BIAS = np.int32(127)


@subroutine(_nrt=False)
def exp_float32(y):
    """Return e^y for y <= 0."""
    # y = k ln(2) + r with a whole k, so that e^y = 2^k e^r
    clamped = y if y > _LOWEST else _LOWEST
    k = np.floor(clamped * _LOG2_E + _HALF)
    r = (y - k * _LN_2) - k * _LN_2_REST
    # Taylor's polynomial of e^r by Horner's rule
    sum_ = _TERMS[6]
    sum_ = sum_ * r + _TERMS[5]
    sum_ = sum_ * r + _TERMS[4]
    sum_ = sum_ * r + _TERMS[3]
    sum_ = sum_ * r + _TERMS[2]
    sum_ = sum_ * r + _TERMS[1]
    sum_ = sum_ * r + _TERMS[0]
    # 2^k has k in the bits of its exponent
    power = np.int32((np.int32(k) + _BIAS) << _MANTISSA).view(np.float32)
    # a NaN stays one
    return np.float32(0) if y < _LOWEST else sum_ * power


def exp(y):
    """Return e^y for y <= 0: of float32 by a polynomial."""
    return exp_float32(y) if isinstance(y, np.float32) else np.exp(y)


@overload(exp)
def _compile_exp(y):
    return (lambda y: exp_float32(y)) if y == types.float32 else (lambda y: np.exp(y))


@subroutine(_nrt=False)
def fill_tables(x, z, z_norms, widths, num_rows, node_similarity, sums, levels, table):
    """Fill the similarities of the first `num_rows` nodes at each level, and their sum.

    x [L, N + 1, D], z [L, D, C], z_norms [L, C], sums [2, C], levels [L, N + 1, C],
    table [N + 1, C]. Nodes go in pairs, so that a filter node is loaded once for both.
    """
    num_columns = z.shape[2]
    # Numba widens float32 beside a plain integer
    one, epsilon = widths.dtype.type(1), widths.dtype.type(DICE_EPSILON)
    for level in range(x.shape[0]):
        for n in range(0, num_rows, 2):
            sums[:] = 0
            # both nodes against all filter nodes: exp(-|x - z|^2 / w), or 1 + 2 <x, z> / norms
            if node_similarity == RBF:
                _add_squared_differences(x[level], n, z[level], sums)
                factor = -one / widths[level]
                for c in range(num_columns):
                    levels[level, n, c] = exp(sums[0, c] * factor)
                for c in range(num_columns):
                    levels[level, n + 1, c] = exp(sums[1, c] * factor)
            else:
                _add_products(x[level], n, z[level], sums)
                for k in range(2):
                    norm = squared_norm(x[level, n + k]) + epsilon
                    for c in range(num_columns):
                        share = sums[k, c] / (norm + z_norms[level, c])
                        levels[level, n + k, c] = one + share + share
            # the table sums over levels
            for k in range(2):
                for c in range(num_columns):
                    if level == 0:
                        table[n + k, c] = levels[level, n + k, c]
                    else:
                        table[n + k, c] += levels[level, n + k, c]


@subroutine(_nrt=False)
def squared_norm(row):
    """Return the sum of the squares of a row [D]."""
    # a zero of the row's dtype
    total = row.dtype.type(0)
    for d in range(len(row)):
        total += row[d] * row[d]
    return total


@subroutine(_nrt=False)
def _add_squared_differences(x, n, z, sums):
    """Add |x_n - z_c|^2 and |x_{n+1} - z_c|^2 to sums [2, C], four features at a time."""
    width, num_columns = z.shape
    fours = width // 4 * 4
    for d in range(0, fours, 4):
        a0, a1, a2, a3 = x[n, d], x[n, d + 1], x[n, d + 2], x[n, d + 3]
        b0, b1, b2, b3 = x[n + 1, d], x[n + 1, d + 1], x[n + 1, d + 2], x[n + 1, d + 3]
        for c in range(num_columns):
            z0, z1, z2, z3 = z[d, c], z[d + 1, c], z[d + 2, c], z[d + 3, c]
            p0, p1, p2, p3 = a0 - z0, a1 - z1, a2 - z2, a3 - z3
            q0, q1, q2, q3 = b0 - z0, b1 - z1, b2 - z2, b3 - z3
            sums[0, c] += p0 * p0 + p1 * p1 + p2 * p2 + p3 * p3
            sums[1, c] += q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3
    for d in range(fours, width):
        a0, b0 = x[n, d], x[n + 1, d]
        for c in range(num_columns):
            p0, q0 = a0 - z[d, c], b0 - z[d, c]
            sums[0, c] += p0 * p0
            sums[1, c] += q0 * q0


@subroutine(_nrt=False)
def _add_products(x, n, z, sums):
    """Add <x_n, z_c> and <x_{n+1}, z_c> to sums [2, C], four features at a time."""
    width, num_columns = z.shape
    fours = width // 4 * 4
    for d in range(0, fours, 4):
        a0, a1, a2, a3 = x[n, d], x[n, d + 1], x[n, d + 2], x[n, d + 3]
        b0, b1, b2, b3 = x[n + 1, d], x[n + 1, d + 1], x[n + 1, d + 2], x[n + 1, d + 3]
        for c in range(num_columns):
            z0, z1, z2, z3 = z[d, c], z[d + 1, c], z[d + 2, c], z[d + 3, c]
            sums[0, c] += a0 * z0 + a1 * z1 + a2 * z2 + a3 * z3
            sums[1, c] += b0 * z0 + b1 * z1 + b2 * z2 + b3 * z3
    for d in range(fours, width):
        a0, b0 = x[n, d], x[n + 1, d]
        for c in range(num_columns):
            sums[0, c] += a0 * z[d, c]
            sums[1, c] += b0 * z[d, c]
