"""Checks of the tensors that the kernel is given, and their padding."""

from __future__ import annotations

import torch
from torch import Tensor

from gomkcn_dgl.errors import InputError, InputTypeError

DTYPES = (torch.float32, torch.float64, torch.bfloat16)


def check_num_nodes(num_nodes: Tensor, feat: Tensor) -> None:
    size = feat.shape[1]
    whole = not (num_nodes.is_floating_point() or num_nodes.dtype == torch.bool)
    if num_nodes.shape != (len(feat),) or not whole:
        raise InputError(
            f"num_nodes must be integers of shape [{len(feat)}], got {num_nodes.dtype} of shape "
            f"{list(num_nodes.shape)}."
        )
    if len(num_nodes) and not (int(num_nodes.min()) >= 0 and int(num_nodes.max()) <= size):
        raise InputError(f"num_nodes must be from 0 to N = {size}, got {num_nodes.tolist()}.")


def clear_padding(adj: Tensor, feat: Tensor, num_nodes: Tensor) -> tuple[Tensor, Tensor]:
    """Isolate the padded nodes and zero their features."""
    real = torch.arange(feat.shape[1], device=feat.device) < num_nodes.unsqueeze(1)  # [S, N]
    # `where` and not a product: padding may hold NaN
    feat = torch.where(real.unsqueeze(2), feat, torch.zeros_like(feat))
    both = real.unsqueeze(2) & real.unsqueeze(1)  # [S, N, N]
    both = both if adj.dim() == 3 else both.unsqueeze(3)
    return torch.where(both, adj, torch.zeros_like(adj)), feat


def check_tensors(adj: Tensor, feat: Tensor, filter_adj: Tensor, filter_feat: Tensor) -> None:
    # 1. each tensor by itself: kind, axes, dtype and device
    named = {"adj": adj, "feat": feat, "filter_adj": filter_adj, "filter_feat": filter_feat}
    for name, tensor in named.items():
        if not isinstance(tensor, Tensor) or tensor.dtype not in DTYPES:
            kind = tensor.dtype if isinstance(tensor, Tensor) else type(tensor).__name__
            raise InputTypeError(
                f"{name} must be a float32, float64 or bfloat16 tensor, got {kind}."
            )
        if tensor.dim() != (adj.dim() if name == "filter_adj" else 3) and (
            name != "adj" or tensor.dim() != 4
        ):
            axes = adj.dim() if name == "filter_adj" else 3
            raise InputError(f"{name} must have {axes} axes, got the shape {list(tensor.shape)}.")
        if tensor.dtype != adj.dtype or tensor.device != adj.device:
            raise InputTypeError(
                f"{name} must have the dtype and device of adj ({adj.dtype}, {adj.device}), "
                f"got {tensor.dtype}, {tensor.device}."
            )
    # 2. each matrix with its features
    for matrix, rows in (("adj", "feat"), ("filter_adj", "filter_feat")):
        batch, size, width = named[matrix].shape[:3]
        if size != width or named[rows].shape[:2] != (batch, size):
            raise InputError(
                f"{matrix} [B, N, N] and {rows} [B, N, D] must agree, got "
                f"{list(named[matrix].shape)} and {list(named[rows].shape)}."
            )
    # 3. subgraphs with filters
    if filter_feat.shape[1] == 0:
        raise InputError("filter_adj must have at least 1 node a filter, got 0.")
    if feat.shape[2] != filter_feat.shape[2] or feat.shape[2] == 0:
        raise InputError(
            "feat and filter_feat must have the same number of features, at least 1, got "
            f"{feat.shape[2]} and {filter_feat.shape[2]}."
        )
