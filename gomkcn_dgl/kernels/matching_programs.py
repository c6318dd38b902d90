"""The compiled programs of ``matching_triton``: no table ``[S, F, N, M]`` exists in memory.

Forward, a program takes one subgraph and P filters: their tables ``[N, P, M]`` are computed in
registers, with a lane for one or two filter nodes, and matched there. Backward, a program takes one
graph and adds up over the graphs of the other side, matched nodes only. No sum is shared between
programs, so that every run gives the same bits.

Distances are sums of squared differences. The cheaper ``|x|^2 + |z|^2 - 2 <x, z>`` would cancel for
nodes that are alike and large, which sums over neighbours make of most.
"""

from __future__ import annotations

import triton
import triton.language as tl

from gomkcn_dgl.kernels.assignment_triton import match_greedily, match_optimally

# features that one turn of the inner loop takes
_UNROLL = tl.constexpr(2)


# left unspecialised, a count of 1 or 16 does not compile a kernel of its own
@triton.jit(do_not_specialize=["F", "L"])
def match_fwd_kernel(
    x_ptr,  # [S, L, N, D]
    z_ptr,  # [L, D, F, M]
    rate_ptr,  # [L], -1 / bandwidth
    rows_ptr,  # [S]
    scores_ptr,  # [S, F]
    assignment_ptr,  # [S, F, N], filled with -1
    F,
    L,
    N: tl.constexpr,
    M: tl.constexpr,
    D: tl.constexpr,
    OPTIMAL: tl.constexpr,
    PINNED: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_P: tl.constexpr,
    BLOCK_M: tl.constexpr,
):
    # neighbours share a subgraph, so that it is fetched once
    blocks = tl.cdiv(F, BLOCK_P)
    s = (tl.program_id(0) // blocks).to(tl.int64)
    f = (tl.program_id(0) % blocks) * BLOCK_P + tl.arange(0, BLOCK_P)  # [P]
    m = tl.arange(0, BLOCK_M)[None, :]  # [1, M]
    real = (f < F)[:, None] & (m < M)  # [P, M]
    num_rows = tl.minimum(tl.load(rows_ptr + s), N).to(tl.int32)
    table = _fill_table(
        x_ptr + s * L * N * D, z_ptr, rate_ptr, f, m, real, F, L,
        N, M, D, BLOCK_N, BLOCK_P, BLOCK_M,
    )  # fmt: skip
    # the row that each column is matched to, plus 1
    if OPTIMAL:
        owner = match_optimally(table, num_rows, f < F, M, PINNED, BLOCK_N, BLOCK_P, BLOCK_M)
    else:
        owner = match_greedily(table, num_rows, M, PINNED, BLOCK_N, BLOCK_P, BLOCK_M)
    n = tl.arange(0, BLOCK_N)[:, None, None]  # [N, 1, 1]
    # the score sums the table over matched pairs
    matched = (owner[None, :, :] == n + 1) & real[None, :, :]  # [N, P, M]
    scores = tl.sum(tl.sum(tl.where(matched, table, 0.0), axis=0), axis=1)  # [P]
    tl.store(scores_ptr + s * F + f, scores, mask=f < F)
    place = ((s * F + f) * N)[:, None] + owner - 1  # [P, M]
    tl.store(assignment_ptr + place, m.to(tl.int16), mask=real & (owner > 0))


@triton.jit
def _fill_table(
    x_ptr, z_ptr, rate_ptr, f, m, real, F, L,
    N: tl.constexpr, M: tl.constexpr, D: tl.constexpr,
    BLOCK_N: tl.constexpr, BLOCK_P: tl.constexpr, BLOCK_M: tl.constexpr,
):  # fmt: skip
    """Similarities of one subgraph and P filters, summed over levels: [N, P, M]."""
    n = tl.arange(0, BLOCK_N)[:, None, None]  # [N, 1, 1]
    column = (f[:, None] * M + m)[None, :, :]  # [1, P, M]
    stride = tl.cast(F, tl.int64) * M
    table = tl.zeros([BLOCK_N, BLOCK_P, BLOCK_M], tl.float32)
    for level in range(L):
        distance = tl.zeros([BLOCK_N, BLOCK_P, BLOCK_M], tl.float32)
        for d in tl.range(0, D, loop_unroll_factor=_UNROLL):
            x = tl.load(x_ptr + d + n * D, mask=n < N, other=0.0).to(tl.float32)
            z = tl.load(z_ptr + column, mask=real[None, :, :], other=0.0).to(tl.float32)
            z_ptr += stride
            distance += (x - z) * (x - z)
        table += tl.exp(distance * tl.load(rate_ptr + level))
        x_ptr += N * D
    return table


@triton.jit(do_not_specialize=["G", "H", "L", "others"])
def match_bwd_kernel(
    own_ptr,  # [G, L, A, D], the graphs whose gradient this is
    other_ptr,  # [H, L, B, D]
    rate_ptr,  # [L], -1 / bandwidth
    assignment_ptr,  # [S, F, N]
    grad_scores_ptr,  # [S, F]
    out_ptr,  # [blocks, G, L, A, D]
    G,
    H,
    L,
    others,  # graphs of the other side in a block
    A: tl.constexpr,
    B: tl.constexpr,
    D: tl.constexpr,
    OWN_IS_X: tl.constexpr,
    BLOCK_A: tl.constexpr,
    BLOCK_B: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    # neighbours read the same other graphs at the same time
    g = (tl.program_id(0) % G).to(tl.int64)
    level = tl.program_id(0) // G % L
    block = tl.program_id(0) // G // L
    a = tl.arange(0, BLOCK_A)[:, None]  # [A, 1]
    d = tl.program_id(1) * BLOCK_D + tl.arange(0, BLOCK_D)[None, :]  # [1, D]
    rate = tl.load(rate_ptr + level)
    own_ptr += (g * L + level) * A * D
    own = tl.load(own_ptr + a * D + d, mask=(a < A) & (d < D), other=0.0).to(tl.float32)
    total = tl.zeros([BLOCK_A, BLOCK_D], tl.float32)
    for h in range(block * others, tl.minimum(block * others + others, H)):
        pair = g * H + h if OWN_IS_X else tl.cast(G, tl.int64) * h + g
        # the partner of each node, and the partner's features
        partner = _partners(assignment_ptr, pair, A, B, OWN_IS_X, BLOCK_A, BLOCK_B)  # [A, 1]
        matched = partner >= 0
        row_ptr = other_ptr + (tl.cast(L, tl.int64) * h + level) * B * D + partner * D
        other = tl.load(row_ptr + d, mask=matched & (d < D), other=0.0).to(tl.float32)
        # distances need all features; of wide rows this program holds only a part
        if D <= BLOCK_D:
            distance = tl.sum((own - other) * (own - other), axis=1)[:, None]
        else:
            distance = tl.zeros([BLOCK_A, 1], tl.float32)
            for start in range(0, D, BLOCK_D):
                e = start + tl.arange(0, BLOCK_D)[None, :]  # [1, D]
                mine = tl.load(own_ptr + a * D + e, mask=(a < A) & (e < D), other=0.0)
                theirs = tl.load(row_ptr + e, mask=matched & (e < D), other=0.0)
                apart = mine.to(tl.float32) - theirs.to(tl.float32)
                distance += tl.sum(apart * apart, axis=1)[:, None]
        # the derivative of the similarity of each matched pair by the node on this side
        upstream = tl.load(grad_scores_ptr + pair)
        gradient = 2.0 * upstream * rate * tl.exp(distance * rate) * (own - other)
        total += tl.where(matched, gradient, 0.0)
    out_ptr += ((tl.cast(G, tl.int64) * block + g) * L + level) * A * D
    tl.store(out_ptr + a * D + d, total.to(out_ptr.dtype.element_ty), mask=(a < A) & (d < D))


@triton.jit
def _partners(
    assignment_ptr, pair, A: tl.constexpr, B: tl.constexpr, OWN_IS_X: tl.constexpr,
    BLOCK_A: tl.constexpr, BLOCK_B: tl.constexpr,
):  # fmt: skip
    """Node of the other graph that each of these is matched with, or -1: [A, 1]."""
    a = tl.arange(0, BLOCK_A)[:, None]
    if OWN_IS_X:
        partner = tl.load(assignment_ptr + pair * A + a, mask=a < A, other=-1).to(tl.int32)
    else:
        b = tl.arange(0, BLOCK_B)[None, :]
        chosen = tl.load(assignment_ptr + pair * B + b, mask=b < B, other=-1)  # [1, B]
        partner = tl.max(tl.where(chosen == a, b, -1), axis=1)[:, None]
    return partner
