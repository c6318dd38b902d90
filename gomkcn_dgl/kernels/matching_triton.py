"""Matching on the GPU as a torch operator: from tensors to the compiled programs and back.

Work at (S, F, N, D, L) = (20000, 16, 16, 32, 4) with N = M: the tables take 3 S F N M L D = 31
GFLOP and 330 million exponentials, the backward pass about a sixteenth of that for each side. Each
pass reads x, .16 GB, and one writes its gradient. Memory does not bound this. In plain PyTorch it
does: the differences alone, [S, F, L, N, M, D], are 42 GB.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, library

from gomkcn_dgl.errors import BackendError
from gomkcn_dgl.kernels.matching_reference import Matched

try:
    import triton
except ImportError as error:
    raise BackendError(
        "backend 'triton' needs Triton: install gomkcn-dgl[gpu], or use backend='reference'."
    ) from error

from gomkcn_dgl.kernels.matching_programs import match_bwd_kernel, match_fwd_kernel

MAX_NODES = 64
DTYPES = (torch.float32, torch.bfloat16)

# columns of the tables of one forward program: a warp holds two for each lane, and so uses each
# value of x that it loads twice
_COLUMNS = 64
# entries that a warp of a backward program holds of each tile, 16 a lane, and most of all its warps
_WARP_TILE, _TILE = 512, 4096
# most features of a tile; a wider row is cut, and each part computes the distances anew
_FEATURES = 128
# backward programs that keep a large GPU busy; fixed, as it decides the order of sums
_PROGRAMS = 4096


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
    _check(x, z)
    scores, assignment = _match(x, z, bandwidth, rows, matching, anchor_root)
    return Matched(scores, assignment.long())


def _check(x: Tensor, z: Tensor) -> None:
    # under TRITON_INTERPRET=1 kernels are of another class, and run anywhere
    needs_gpu = isinstance(match_fwd_kernel, triton.JITFunction)
    for name, tensor in (("x", x), ("z", z)):
        if needs_gpu and not tensor.is_cuda:
            raise BackendError(
                f"backend 'triton' runs on a GPU, got {name} on {tensor.device.type!r}; use "
                "backend='numba' there, or start with TRITON_INTERPRET=1 to try it."
            )
        if tensor.dtype not in DTYPES:
            raise BackendError(
                f"backend 'triton' takes float32 and bfloat16, got {name} of {tensor.dtype}; use "
                "backend='reference', or convert the features."
            )
        if tensor.shape[2] > MAX_NODES:
            raise BackendError(
                f"backend 'triton' takes graphs of at most {MAX_NODES} nodes, got {name} with "
                f"{tensor.shape[2]}; use backend='reference'."
            )


@library.custom_op(
    "gomkcn::match_triton",
    mutates_args=(),
    schema="(Tensor x, Tensor z, float[] bandwidth, Tensor rows, str matching, bool anchor_root) "
    "-> (Tensor scores, Tensor matching)",
)
def _match(
    x: Tensor,
    z: Tensor,
    bandwidth: list[float],
    rows: Tensor,
    matching: str,
    anchor_root: bool,
) -> tuple[Tensor, Tensor]:
    S, L, N, D = x.shape
    F, M = z.shape[0], z.shape[2]
    scores = x.new_empty((S, F), dtype=torch.float32)
    assignment = x.new_full((S, F, N), -1, dtype=torch.int16)
    if 0 in (S, F, N, M):
        return scores.zero_(), assignment
    # a node for which the filter has no room is matched to a column past the filter
    columns = triton.next_power_of_2(max(N, M) if matching == "optimal" else M)
    # as many filters in one program as fill its columns
    filters = max(1, min(_COLUMNS // columns, triton.next_power_of_2(F)))
    with torch.cuda.device_of(x):
        match_fwd_kernel[(S * triton.cdiv(F, filters),)](
            x.contiguous(),
            # lanes run over the nodes of several filters, so these lie side by side
            z.permute(1, 3, 0, 2).contiguous(),
            _rates(bandwidth, x),
            rows.contiguous(),
            scores,
            assignment,
            F,
            L,
            N=N,
            M=M,
            D=D,
            OPTIMAL=matching == "optimal",
            PINNED=int(anchor_root),
            BLOCK_N=triton.next_power_of_2(N),
            BLOCK_P=filters,
            BLOCK_M=columns,
            num_warps=_forward_warps(N),
        )
    return scores, assignment


def _rates(bandwidth: list[float], x: Tensor) -> Tensor:
    return torch.tensor([-1 / width for width in bandwidth], dtype=torch.float32, device=x.device)


def _forward_warps(num_nodes: int) -> int:
    """More lanes than nodes: then each lane loads what it needs of x without an exchange."""
    return max(1, triton.next_power_of_2(num_nodes) // 16)


@_match.register_fake
def _(x: Tensor, z: Tensor, *_: Any) -> tuple[Tensor, Tensor]:
    pairs = (x.shape[0], z.shape[0])
    scores = x.new_empty(pairs, dtype=torch.float32)
    return scores, x.new_empty((*pairs, x.shape[2]), dtype=torch.int16)


@library.custom_op(
    "gomkcn::match_triton_backward",
    mutates_args=(),
    schema="(Tensor grad_scores, Tensor x, Tensor z, float[] bandwidth, Tensor matching, "
    "bool needs_x, bool needs_z) -> (Tensor grad_x, Tensor grad_z)",
)
def _match_backward(
    grad_scores: Tensor,
    x: Tensor,
    z: Tensor,
    bandwidth: list[float],
    assignment: Tensor,
    needs_x: bool,
    needs_z: bool,
) -> tuple[Tensor, Tensor]:
    """Gradients of x and of z; one that is not needed is empty."""
    grad_x, grad_z = x.new_zeros(x.shape if needs_x else 0), z.new_zeros(z.shape if needs_z else 0)
    if 0 in (x.numel(), z.numel()):
        return grad_x, grad_z
    x, z = x.contiguous(), z.contiguous()
    shared = (_rates(bandwidth, x), assignment, grad_scores.contiguous())
    if needs_x:
        _launch_backward(x, z, shared, grad_x, 1, own_is_x=True)
    if needs_z:
        blocks = max(1, min(len(x), _PROGRAMS // (z.shape[0] * z.shape[1])))
        # there are few filters, so that the subgraphs are cut into blocks with a sum for each
        partial = torch.empty((blocks, *z.shape), dtype=torch.float32, device=z.device)
        _launch_backward(z, x, shared, partial, blocks, own_is_x=False)
        grad_z = partial.sum(dim=0).to(z.dtype)
    return grad_x, grad_z


def _launch_backward(
    own: Tensor,
    other: Tensor,
    shared: tuple[Tensor, Tensor, Tensor],
    out: Tensor,
    blocks: int,
    own_is_x: bool,
) -> None:
    """Fill ``out [blocks, G, L, A, D]`` from ``own [G, L, A, D]`` and blocks of the other side."""
    G, L, A, D = own.shape
    H, B = other.shape[0], other.shape[2]
    # one program holds all nodes of a graph, and all features or a part of them
    block_a = triton.next_power_of_2(A)
    block_d = min(_FEATURES, _TILE // block_a, triton.next_power_of_2(D))
    with torch.cuda.device_of(own):
        match_bwd_kernel[(blocks * L * G, triton.cdiv(D, block_d))](
            own,
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


@_match_backward.register_fake
def _(_: Tensor, x: Tensor, z: Tensor, *settings: Any) -> tuple[Tensor, Tensor]:
    needs_x, needs_z = settings[-2:]
    return x.new_empty(x.shape if needs_x else 0), z.new_empty(z.shape if needs_z else 0)


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    x, z, ctx.bandwidth, *_ = inputs
    ctx.save_for_backward(x, z, output[1])


def _differentiate(ctx: Any, grad_scores: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
    x, z, assignment = ctx.saved_tensors
    needs_x, needs_z = ctx.needs_input_grad[:2]
    grad_x, grad_z = _match_backward(grad_scores, x, z, ctx.bandwidth, assignment, needs_x, needs_z)
    grads = (grad_x if needs_x else None, grad_z if needs_z else None)
    return (*grads, None, None, None, None)


_match.register_autograd(_differentiate, setup_context=_save)
