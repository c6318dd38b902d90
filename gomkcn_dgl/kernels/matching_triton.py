"""Matching on the GPU as an operator of torch: from tensors to the compiled programs and back.

Work at (S, F, N, D, L) = (20000, 16, 16, 32, 4) with N = M: the tables take 3 S F N M L D = 31
GFLOP and 330 million exponentials, the backward pass about a sixteenth of that for each side. Each
pass reads x, .16 GB, and one writes its gradient. Memory does not bound this. In plain PyTorch it
does: the differences alone, [S, F, L, N, M, D], are 42 GB.

No table ``[S, F, N, M]`` exists in memory. Forward, a program takes one subgraph and P filters:
their tables ``[N, P, M]`` are computed in registers, with a lane for one or two filter nodes, and
matched there. Backward, a program takes one graph and adds up over the graphs of the other side,
matched nodes only. No sum is shared between programs, so that every run gives the same bits.

Where only the best filter of each subgraph is asked for, a program takes one subgraph and all
filters, P at a time, and keeps the best: no array ``[S, F]`` exists in memory. It may begin with
the embedding, whose levels it writes where it reads them again: from links and features to the best
filters in one launch, since some thousand small subgraphs take less time than a few launches do.

Distances are sums of squared differences. The cheaper ``|x|^2 + |z|^2 - 2 <x, z>`` would cancel for
nodes that are alike and large, which sums over neighbours make of most.

The P tables of a program are matched in step. The optimal matching is found by shortest augmenting
paths with dual prices (Jonker and Volgenant, 1987), in whole numbers. A table's entries from
``top`` down to ``low`` cost from 0 to 2^23 steps, each to within two. Sums of steps are exact, so
neither ties nor rounding can send a search round in circles, and the sum that is found is at most
``min(N, M) * (top - low) * 2^-21`` below the largest. The nearest free column is less than 2^25
steps away, which leaves 6 bits of 32 for the row that holds a column: one minimum over the columns
finds the nearest and the row to go on from. A matching is given by columns: the row that holds each
of them, plus 1, or 0: int32 ``[P, M]``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from gomkcn_dgl.errors import BackendError
from gomkcn_dgl.kernels.matching_reference import BestFilters, Matched
from gomkcn_dgl.kernels.operators import define_operator
from gomkcn_dgl.messages import Argument

try:
    import triton
    import triton.language as tl
except ImportError as error:
    raise BackendError(
        "backend",
        "'triton' needs Triton",
        way_out=("install gomkcn-dgl[gpu], or use ", Argument("backend", "reference")),
    ) from error

MAX_NODES = 64
DTYPES = (torch.float32, torch.bfloat16)

# columns of the tables of one forward program: a warp holds two for each lane, and so uses each
# value of x that it loads twice
_COLUMNS = 64
# entries that a warp of a backward program holds of each tile, 16 a lane, and most of all its warps
_WARP_TILE, _TILE = 512, 4096
# most features of a tile; a wider row is cut, and each part computes the distances anew
_FEATURES = 128
# features that are embedded at a time
_EMBEDDED = 4
# backward programs that keep a large GPU busy; fixed, as it decides the order of sums
_PROGRAMS = 4096
# features that one turn of the inner loop takes
_UNROLL = tl.constexpr(2)
# cost of the least similar entry of a table
_STEPS = tl.constexpr(2**23)
# farther than any free column, and its key still fits in 32 bits
_FAR = tl.constexpr(2**25 - 1)
_CLOSED = tl.constexpr(2**31 - 1)
_ROW_BITS = tl.constexpr(6)
_ROW_MASK = tl.constexpr(2**6 - 1)
# similarities, and their differences, are smaller
_MORE_THAN_ANY = tl.constexpr(1e6)
# a table whose entries differ by less is one of equal entries
_SMALLEST_SPREAD = tl.constexpr(1e-30)


def match(
    x: Tensor,
    z: Tensor,
    bandwidth: list[float],
    rows: Tensor,
    matching: str,
    anchor_root: bool,
) -> Matched:
    """Score every subgraph against every filter; ``matching_reference`` defines the result.

    x and z are float32 or bfloat16 and have at most 64 nodes a graph; scores are float32. The score
    of an optimal matching may be ``min(N, M) * 2^-21`` of the largest similarity below the optimum.
    """
    optimal = matching == "optimal"
    return Matched(*torch.ops.gomkcn.match_triton(x, z, rows, bandwidth, optimal, anchor_root))


def match_best(
    x: Tensor,
    z: Tensor,
    bandwidth: list[float],
    rows: Tensor,
    matching: str,
    anchor_root: bool,
) -> BestFilters:
    """The best of F >= 1 filters for every subgraph, in one launch and without gradient.

    ``matching_reference`` defines the result; the matching is int16.
    """
    _check(x, z)
    best = _new_best(x)
    if x.numel() and z.numel():
        with torch.cuda.device_of(x):
            match_best_kernel[(len(x),)](
                *_inputs(x, z, bandwidth, rows), *best, len(z), x.shape[1],
                PINNED=int(anchor_root), **_sizes(x, z, matching == "optimal"),
            )  # fmt: skip
    return best


def embed_and_match_best(
    nodes: Tensor,
    links: Tensor,
    feat: Tensor,
    z: Tensor,
    aggregation: str,
    level_scale: float,
    bandwidth: list[float],
    rows: Tensor,
    matching: str,
    anchor_root: bool,
) -> BestFilters:
    """``match_best`` of the subgraphs with these nodes and links, embedded in the same launch.

    ``nodes [S, N]`` are rows of ``feat [V, D]``, float32, -1 = padding; of ``links [S, N, N]`` all
    that are not 0 are edges of weight 1, without direction. ``embeddings.level_embeddings`` defines
    the levels.
    """
    S, N = nodes.shape
    # written and read by the same program
    x = feat.new_empty(S, z.shape[1], N, feat.shape[1])
    _check(x, z)
    best = _new_best(x)
    if x.numel() and z.numel():
        sizes = _sizes(x, z, matching == "optimal")
        with torch.cuda.device_of(x):
            embed_and_match_best_kernel[(S,)](
                nodes.contiguous(), links.contiguous(), feat.contiguous(), 1 / level_scale,
                *_inputs(x, z, bandwidth, rows), *best, len(z), x.shape[1],
                AGGREGATION=aggregation, PINNED=int(anchor_root),
                BLOCK_D=min(_EMBEDDED, triton.next_power_of_2(feat.shape[1])), **sizes,
            )  # fmt: skip
    return best


def _new_best(x: Tensor) -> BestFilters:
    """Memory for the best filters of x [S, L, N, D], with what an empty subgraph gets."""
    return BestFilters(
        x.new_zeros(len(x), dtype=torch.int64),
        x.new_zeros(len(x), dtype=torch.float32),
        x.new_full((len(x), x.shape[2]), -1, dtype=torch.int16),
    )


def _check(x: Tensor, z: Tensor) -> None:
    # under TRITON_INTERPRET=1 kernels are of another class, and run anywhere
    needs_gpu = isinstance(match_fwd_kernel, triton.JITFunction)
    for name, tensor in (("x", x), ("z", z)):
        if needs_gpu and not tensor.is_cuda:
            raise BackendError(
                "backend",
                "'triton' runs on a GPU",
                got=f"{name} on {tensor.device.type!r}",
                way_out=(
                    "use ",
                    Argument("backend", "numba"),
                    " there, or start with TRITON_INTERPRET=1 to try it",
                ),
            )
        if tensor.dtype not in DTYPES:
            raise BackendError(
                "backend",
                "'triton' takes float32 and bfloat16",
                got=f"{name} of {tensor.dtype}",
                way_out=("use ", Argument("backend", "reference"), ", or convert the features"),
            )
        if tensor.shape[2] > MAX_NODES:
            raise BackendError(
                "backend",
                f"'triton' takes graphs of at most {MAX_NODES} nodes",
                got=f"{name} with {tensor.shape[2]}",
                way_out=("use ", Argument("backend", "reference")),
            )


def _match(
    x: Tensor, z: Tensor, rows: Tensor, bandwidth: list[float], optimal: bool, anchor_root: bool
) -> tuple[Tensor, Tensor]:
    """Scores and matching of level embeddings x [S, L, N, D] and z [F, L, M, D]."""
    _check(x, z)
    S, L, N = x.shape[:3]
    F, M = z.shape[0], z.shape[2]
    scores, assignment = _new_results(x, z)
    assignment.fill_(-1)
    if 0 in (S, F, N, M):
        return scores.zero_(), assignment
    sizes = _sizes(x, z, optimal)
    with torch.cuda.device_of(x):
        match_fwd_kernel[(S * triton.cdiv(F, sizes["BLOCK_P"]),)](
            *_inputs(x, z, bandwidth, rows), scores, assignment, F, L,
            PINNED=int(anchor_root), **sizes,
        )  # fmt: skip
    return scores, assignment


def _inputs(x: Tensor, z: Tensor, bandwidth: list[float], rows: Tensor) -> tuple[Tensor, ...]:
    """What the forward kernels read."""
    return (
        x.contiguous(),
        # lanes run over the nodes of several filters, so these lie side by side
        z.permute(1, 3, 0, 2).contiguous(),
        _rates(tuple(bandwidth), x.device),
        rows.contiguous(),
    )


def _sizes(x: Tensor, z: Tensor, optimal: bool) -> dict[str, int]:
    """What the forward kernels are compiled for."""
    F, M = z.shape[0], z.shape[2]
    N, D = x.shape[2:]
    # a node for which the filter has no room is matched to a column past the filter
    columns = triton.next_power_of_2(max(N, M) if optimal else M)
    return {
        "N": N,
        "M": M,
        "D": D,
        "OPTIMAL": optimal,
        "BLOCK_N": triton.next_power_of_2(N),
        # as many filters in one program as fill its columns
        "BLOCK_P": max(1, min(_COLUMNS // columns, triton.next_power_of_2(F))),
        "BLOCK_M": columns,
        # more lanes than nodes: each loads what it needs of x without an exchange
        "num_warps": max(1, triton.next_power_of_2(N) // 16),
    }


def _fake_match(x: Tensor, z: Tensor, *_: Any) -> tuple[Tensor, Tensor]:
    return _new_results(x, z)


def _new_results(x: Tensor, z: Tensor) -> tuple[Tensor, Tensor]:
    """Memory for scores ``[S, F]`` and matching ``[S, F, N]``."""
    pairs = x.shape[0], z.shape[0]
    scores = x.new_empty(pairs, dtype=torch.float32)
    return scores, x.new_empty((*pairs, x.shape[2]), dtype=torch.int16)


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    x, z, _, bandwidth, _, _ = inputs
    ctx.save_for_backward(x, z, output[1])
    ctx.bandwidth = bandwidth
    ctx.mark_non_differentiable(output[1])


def _backward(ctx: Any, grad_scores: Tensor, _: Any) -> tuple[Tensor | None, ...]:
    needs_x, needs_z = ctx.needs_input_grad[:2]
    grad_x, grad_z = torch.ops.gomkcn.match_backward_triton(
        *ctx.saved_tensors, grad_scores, ctx.bandwidth, needs_x, needs_z
    )
    return grad_x if needs_x else None, grad_z if needs_z else None, None, None, None, None


def _match_backward(
    x: Tensor,
    z: Tensor,
    assignment: Tensor,
    grad_scores: Tensor,
    bandwidth: list[float],
    needs_x: bool,
    needs_z: bool,
) -> tuple[Tensor, Tensor]:
    """Gradients of x and z, empty where one needs none."""
    grad_x, grad_z = _fake_match_backward(x, z, needs_x, needs_z)
    if 0 in (x.numel(), z.numel()):
        return grad_x.zero_(), grad_z.zero_()
    x, z = x.contiguous(), z.contiguous()
    shared = (_rates(tuple(bandwidth), x.device), assignment, grad_scores.contiguous())
    if needs_x:
        _launch_backward(x, z, shared, grad_x, 1, own_is_x=True)
    if needs_z:
        blocks = max(1, min(len(x), _PROGRAMS // (z.shape[0] * z.shape[1])))
        # there are few filters, so that the subgraphs are cut into blocks with a sum for each
        partial = torch.empty((blocks, *z.shape), dtype=torch.float32, device=z.device)
        _launch_backward(z, x, shared, partial, blocks, own_is_x=False)
        grad_z = partial.sum(dim=0).to(z.dtype)
    return grad_x, grad_z


def _fake_match_backward(x: Tensor, z: Tensor, *others: Any) -> tuple[Tensor, Tensor]:
    *_, needs_x, needs_z = others
    return x.new_empty(x.shape if needs_x else 0), z.new_empty(z.shape if needs_z else 0)


define_operator(
    "match_triton(Tensor x, Tensor z, Tensor rows, float[] bandwidth, bool optimal, "
    "bool anchor_root) -> (Tensor, Tensor)",
    _match,
    _fake_match,
    save=_save,
    backward=_backward,
)
define_operator(
    "match_backward_triton(Tensor x, Tensor z, Tensor assignment, Tensor grad_scores, "
    "float[] bandwidth, bool needs_x, bool needs_z) -> (Tensor, Tensor)",
    _match_backward,
    _fake_match_backward,
)


@lru_cache(maxsize=64)
def _rates(bandwidth: tuple[float, ...], device: torch.device) -> Tensor:
    """-1 / bandwidth on the device, copied there once: each copy waits for the device."""
    return torch.tensor([-1 / width for width in bandwidth], dtype=torch.float32, device=device)


def _launch_backward(
    side: Tensor,
    other: Tensor,
    shared: tuple[Tensor, Tensor, Tensor],
    out: Tensor,
    blocks: int,
    own_is_x: bool,
) -> None:
    """Fill ``out [blocks, G, L, A, D]`` from ``side [G, L, A, D]`` and blocks of the other side."""
    G, L, A, D = side.shape
    H, B = other.shape[0], other.shape[2]
    # one program holds all nodes of a graph, and all features or a part of them
    block_a = triton.next_power_of_2(A)
    block_d = min(_FEATURES, _TILE // block_a, triton.next_power_of_2(D))
    with torch.cuda.device_of(side):
        match_bwd_kernel[(blocks * L * G, triton.cdiv(D, block_d))](
            side,
            other,
            *shared,
            out,
            G,
            H,
            L,
            triton.cdiv(H, blocks),
            A=A,
            B=B,
            D=D,
            OWN_IS_X=own_is_x,
            BLOCK_A=block_a,
            BLOCK_B=triton.next_power_of_2(B),
            BLOCK_D=block_d,
            num_warps=max(1, block_a * block_d // _WARP_TILE),
        )


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
    scores, owner = _match_block(
        x_ptr, z_ptr, rate_ptr, rows_ptr, s, f, F, L,
        N, M, D, OPTIMAL, PINNED, BLOCK_N, BLOCK_P, BLOCK_M,
    )  # fmt: skip
    tl.store(scores_ptr + s * F + f, scores, mask=f < F)
    place = ((s * F + f) * N)[:, None] + owner - 1  # [P, M]
    tl.store(assignment_ptr + place, m.to(tl.int16), mask=owner > 0)


@triton.jit(do_not_specialize=["F", "L"])
def match_best_kernel(
    x_ptr,  # [S, L, N, D]
    z_ptr,  # [L, D, F, M]
    rate_ptr,  # [L], -1 / bandwidth
    rows_ptr,  # [S]
    filter_ptr,  # [S]
    score_ptr,  # [S]
    matching_ptr,  # [S, N], filled with -1
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
    s = tl.program_id(0).to(tl.int64)
    _store_best(
        x_ptr, z_ptr, rate_ptr, rows_ptr, filter_ptr, score_ptr, matching_ptr, s, F, L,
        N, M, D, OPTIMAL, PINNED, BLOCK_N, BLOCK_P, BLOCK_M,
    )  # fmt: skip


@triton.jit(do_not_specialize=["F", "L"])
def embed_and_match_best_kernel(
    nodes_ptr,  # [S, N]
    links_ptr,  # [S, N, N]
    feat_ptr,  # [V, D]
    scale,  # 1 / level_scale
    x_ptr,  # [S, L, N, D], written here
    z_ptr,  # [L, D, F, M]
    rate_ptr,  # [L], -1 / bandwidth
    rows_ptr,  # [S]
    filter_ptr,  # [S]
    score_ptr,  # [S]
    matching_ptr,  # [S, N], filled with -1
    F,
    L,
    N: tl.constexpr,
    M: tl.constexpr,
    D: tl.constexpr,
    AGGREGATION: tl.constexpr,
    OPTIMAL: tl.constexpr,
    PINNED: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_P: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    s = tl.program_id(0).to(tl.int64)
    step = _load_step(links_ptr + s * N * N, scale, N, AGGREGATION, BLOCK_N)  # [N, N]
    n = tl.arange(0, BLOCK_N)
    node = tl.load(nodes_ptr + s * N + n, mask=n < N, other=-1).to(tl.int64)[:, None]  # [N, 1]
    # each feature by itself: level 0 is read, and each other is a step from the one before
    for first in range(0, D, BLOCK_D):
        d = first + tl.arange(0, BLOCK_D)[None, :]  # [1, D]
        level = tl.load(feat_ptr + node * D + d, mask=(node >= 0) & (d < D), other=0.0)  # [N, D]
        for i in range(L):
            place = ((s * L + i) * N + n)[:, None] * D + d
            tl.store(x_ptr + place, level, mask=(n < N)[:, None] & (d < D))
            level = _stepped(step, level, N, BLOCK_N, BLOCK_D)
    # other lanes read what these have written
    tl.debug_barrier()
    _store_best(
        x_ptr, z_ptr, rate_ptr, rows_ptr, filter_ptr, score_ptr, matching_ptr, s, F, L,
        N, M, D, OPTIMAL, PINNED, BLOCK_N, BLOCK_P, BLOCK_M,
    )  # fmt: skip


@triton.jit
def _load_step(links_ptr, scale, N: tl.constexpr, AGGREGATION: tl.constexpr, BLOCK_N: tl.constexpr):
    """What each node takes from each other in a step from one level to the next: [N, N]."""
    n = tl.arange(0, BLOCK_N)
    inside = (n < N)[:, None] & (n < N)[None, :]
    links = tl.load(links_ptr + n[:, None] * N + n[None, :], mask=inside, other=0)
    step = (links > 0).to(tl.float32)
    if AGGREGATION == "mean":
        step = step / tl.maximum(tl.sum(step, axis=1), 1.0)[:, None]
    if AGGREGATION == "sym":
        # edges have no direction, so that rows and columns have the same sums
        columns = tl.maximum(tl.sum(step, axis=0), 1.0)
        step = step * tl.rsqrt(tl.maximum(tl.sum(step, axis=1), 1.0))[:, None]
        step = step * tl.rsqrt(columns)[None, :]
    return step * scale


@triton.jit
def _stepped(step, level, N: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_D: tl.constexpr):
    """The product of [N, N] and [N, D], in the order of the nodes."""
    n = tl.arange(0, BLOCK_N)
    total = tl.zeros([BLOCK_N, BLOCK_D], tl.float32)
    for j in range(N):
        share = tl.sum(tl.where(n[None, :] == j, step, 0.0), axis=1)  # [N]
        other = tl.sum(tl.where(n[:, None] == j, level, 0.0), axis=0)  # [D]
        total += share[:, None] * other[None, :]
    return total


@triton.jit
def _store_best(
    x_ptr, z_ptr, rate_ptr, rows_ptr, filter_ptr, score_ptr, matching_ptr, s, F, L,
    N: tl.constexpr, M: tl.constexpr, D: tl.constexpr,
    OPTIMAL: tl.constexpr, PINNED: tl.constexpr,
    BLOCK_N: tl.constexpr, BLOCK_P: tl.constexpr, BLOCK_M: tl.constexpr,
):  # fmt: skip
    """Match a subgraph with all filters, and write the best of them."""
    m = tl.arange(0, BLOCK_M)  # [M]
    # any score, NaN counted as 0, is larger than the first
    best_rank, best_score = tl.full([], -1.0, tl.float32), tl.full([], 0.0, tl.float32)
    best_filter, best_owner = tl.full([], 0, tl.int32), tl.zeros([BLOCK_M], tl.int32)
    for first in range(0, F, BLOCK_P):
        f = first + tl.arange(0, BLOCK_P)  # [P]
        scores, owner = _match_block(
            x_ptr, z_ptr, rate_ptr, rows_ptr, s, f, F, L,
            N, M, D, OPTIMAL, PINNED, BLOCK_N, BLOCK_P, BLOCK_M,
        )  # fmt: skip
        # the first of the largest in this block; it must be larger than those before
        ranks = tl.where(f < F, tl.where(scores >= 0.0, scores, 0.0), -2.0)
        rank = tl.max(ranks, axis=0)
        chosen = tl.min(tl.where(ranks == rank, f, F), axis=0)
        is_better = rank > best_rank
        score = tl.sum(tl.where(f == chosen, scores, 0.0), axis=0)
        owner_of_chosen = tl.sum(tl.where((f == chosen)[:, None], owner, 0), axis=0)  # [M]
        best_rank = tl.where(is_better, rank, best_rank)
        best_score = tl.where(is_better, score, best_score)
        best_filter = tl.where(is_better, chosen, best_filter)
        best_owner = tl.where(is_better, owner_of_chosen, best_owner)
    tl.store(filter_ptr + s, best_filter.to(tl.int64))
    tl.store(score_ptr + s, best_score)
    tl.store(matching_ptr + s * N + best_owner - 1, m.to(tl.int16), mask=best_owner > 0)


@triton.jit
def _match_block(
    x_ptr, z_ptr, rate_ptr, rows_ptr, s, f, F, L,
    N: tl.constexpr, M: tl.constexpr, D: tl.constexpr,
    OPTIMAL: tl.constexpr, PINNED: tl.constexpr,
    BLOCK_N: tl.constexpr, BLOCK_P: tl.constexpr, BLOCK_M: tl.constexpr,
):  # fmt: skip
    """Match a subgraph with P filters: scores [P], and the row of each column [P, M], plus 1."""
    m = tl.arange(0, BLOCK_M)[None, :]  # [1, M]
    real = (f < F)[:, None] & (m < M)  # [P, M]
    num_rows = tl.minimum(tl.load(rows_ptr + s), N).to(tl.int32)
    table = _fill_table(
        x_ptr + s * L * N * D, z_ptr, rate_ptr, f, m, real, F, L,
        N, M, D, BLOCK_N, BLOCK_P, BLOCK_M,
    )  # fmt: skip
    if OPTIMAL:
        owner = match_optimally(table, num_rows, f < F, M, PINNED, BLOCK_N, BLOCK_P, BLOCK_M)
    else:
        owner = match_greedily(table, num_rows, M, PINNED, BLOCK_N, BLOCK_P, BLOCK_M)
    owner = tl.where(real, owner, 0)
    # the score sums the table over matched pairs
    n = tl.arange(0, BLOCK_N)[:, None, None]  # [N, 1, 1]
    matched = owner[None, :, :] == n + 1  # [N, P, M]
    scores = tl.sum(tl.sum(tl.where(matched, table, 0.0), axis=0), axis=1)
    return scores, owner


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
    node = tl.load(own_ptr + a * D + d, mask=(a < A) & (d < D), other=0.0).to(tl.float32)
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
            distance = tl.sum((node - other) * (node - other), axis=1)[:, None]
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
        gradient = 2.0 * upstream * rate * tl.exp(distance * rate) * (node - other)
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


@triton.jit
def match_greedily(
    table, num_rows, M: tl.constexpr, PINNED: tl.constexpr,
    BLOCK_N: tl.constexpr, BLOCK_P: tl.constexpr, BLOCK_M: tl.constexpr,
):  # fmt: skip
    """Rows choose in order, each the most similar column left, the lowest of several."""
    n = tl.arange(0, BLOCK_N)[:, None, None]
    m = tl.arange(0, BLOCK_M)[None, :]
    # a similarity is at least 0; NaN comes after all others
    table = tl.where(table >= -1.0, table, -2.0)
    owner = tl.zeros([BLOCK_P, BLOCK_M], tl.int32)
    if PINNED:
        owner = tl.where((m == 0) & (num_rows > 0), 1, owner)
    for row in range(PINNED, tl.minimum(num_rows, M)):
        values = tl.sum(tl.where(n == row, table, 0.0), axis=0)  # [P, M]
        values = tl.where((owner == 0) & (m < M), values, -3.0)
        best = tl.argmax(values, axis=1)[:, None]  # [P, 1]
        owner = tl.where(m == best, row + 1, owner)
    return owner


@triton.jit
def match_optimally(
    table, num_rows, active, M: tl.constexpr, PINNED: tl.constexpr,
    BLOCK_N: tl.constexpr, BLOCK_P: tl.constexpr, BLOCK_M: tl.constexpr,
):  # fmt: skip
    """Match as many rows as there can be with the largest sum, in the tables `active [P]`.

    Columns past M, of which there are enough for all rows, stand for staying unmatched.
    """
    n = tl.arange(0, BLOCK_N)[:, None, None]  # [N, 1, 1]
    m = tl.arange(0, BLOCK_M)[None, :]  # [1, M]
    allowed = (m >= PINNED) & (m < tl.maximum(num_rows, M))
    # takes NaN for 0
    table = tl.where((table >= 0.0) & (m < M)[None, :, :], table, 0.0)
    inside = (n < num_rows) & (m < M)[None, :, :]  # [N, 1, M]
    top = tl.max(tl.max(tl.where(inside, table, 0.0), axis=0), axis=1)[:, None]  # [P, 1]
    low = tl.min(tl.min(tl.where(inside, table, top[None, :, :]), axis=0), axis=1)[:, None]
    spread = tl.maximum(top - low, _SMALLEST_SPREAD)
    scale = 1.0 / spread * _STEPS
    # a row is picked by a sum over zeros, which takes fewer instructions in whole numbers
    bits = table.to(tl.int32, bitcast=True)

    loss = tl.where((m < M)[None, :, :], top[None, :, :] - table, spread[None, :, :])
    price = _first_prices(loss, num_rows, allowed, BLOCK_N)
    # a column that stays free may not end up cheaper than it began
    price = (tl.where(allowed & (num_rows >= M), price, 0.0) * scale).to(tl.int32)
    owner = tl.zeros([BLOCK_P, BLOCK_M], tl.int32)
    if PINNED:
        owner = tl.where((m == 0) & (num_rows > 0), 1, owner)
    for row in range(PINNED, num_rows):
        # Dijkstra's search from `row` over columns, in all tables at once. `current` is the row
        # whose edges are relaxed next, plus 1; it is 0 once the nearest column is free
        current = tl.where(active, row + 1, 0)  # [P]
        distance = tl.zeros([BLOCK_P], tl.int32)
        nearest = tl.full([BLOCK_P, BLOCK_M], _FAR, tl.int32)
        came_from = tl.zeros([BLOCK_P, BLOCK_M], tl.int32)
        unsettled = allowed & active[:, None]  # [P, M]
        while tl.max(current, axis=0) > 0:
            row_number = current[:, None]  # [P, 1]
            values = tl.sum(tl.where(n + 1 == row_number[None, :, :], bits, 0), axis=0)  # [P, M]
            steps = (top - values.to(tl.float32, bitcast=True)) * scale
            # the bound is for columns past M and tables that are done, whose costs are not used
            cost = (tl.minimum(steps, _STEPS) + 0.5).to(tl.int32)
            # more than any similarity is worth, so that as few as can be stay unmatched
            reduced = tl.where(m < M, cost, _STEPS + 2) - price
            # the price of the row itself: it makes the reduced cost of its matched edge 0
            own_price = tl.sum(tl.where(owner == row_number, reduced, 0), axis=1)  # [P]
            through = reduced + (distance - own_price)[:, None]
            shorter = unsettled & (row_number > 0) & (through < nearest)
            nearest = tl.where(shorter, through, nearest)
            came_from = tl.where(shorter, row_number, came_from)
            # settle the nearest column; its low bits name the row that has it
            key = tl.where(unsettled, (nearest << _ROW_BITS) + owner, _CLOSED)
            key = tl.min(key, axis=1)  # [P]
            distance = tl.where(current > 0, key >> _ROW_BITS, distance)
            current = tl.where(current > 0, key & _ROW_MASK, 0)
            unsettled = unsettled & ((owner != current[:, None]) | (owner == 0))
        # the prices of settled columns fall by how much nearer they were than the free one
        settled = allowed & active[:, None] & ~unsettled
        price += tl.where(settled, nearest - distance[:, None], 0)

        # hand on the columns of the path, from its free end back to the row that began it
        end = unsettled & (owner == 0) & (nearest == distance[:, None])
        slot = m == tl.min(tl.where(end, m, BLOCK_M), axis=1)[:, None]  # [P, M]
        taker = tl.sum(tl.where(slot, came_from, 0), axis=1)  # [P]
        while tl.max(taker, axis=0) > 0:
            released = (owner == taker[:, None]) & (taker[:, None] > 0)
            owner = tl.where(slot, taker[:, None], owner)
            slot = released
            taker = tl.sum(tl.where(slot, came_from, 0), axis=1)
    return owner


@triton.jit
def _first_prices(loss, num_rows, allowed, BLOCK_N: tl.constexpr):
    """Prices of columns [P, M] that leave few searches: means, then rows, then columns reduced."""
    n = tl.arange(0, BLOCK_N)[:, None, None]
    mean = tl.sum(tl.where(n < num_rows, loss, 0.0), axis=0) / tl.maximum(num_rows, 1)  # [P, M]
    least = tl.where(allowed[None, :, :], loss - mean[None, :, :], _MORE_THAN_ANY)
    least = tl.min(least, axis=2)[:, :, None]  # [N, P, 1]
    return tl.min(tl.where(n < num_rows, loss - least, _MORE_THAN_ANY), axis=0)
