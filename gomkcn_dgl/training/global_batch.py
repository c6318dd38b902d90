"""Batch norm and dropout for a batch of which each process holds a slice.

Both give what one process would give for the whole batch: the norm's mean and variance are those of
all rows, and dropout draws for all rows and takes its own. With one process, and while
``is_sliced`` is not set, they are torch's.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from gomkcn_dgl.runtime.processes import all_reduce_sum, rank, world_size


class GlobalBatchNorm(nn.BatchNorm1d):
    """Batch norm over the rows ``[n, D]`` of all processes.

    ``torch.nn.SyncBatchNorm`` does this on GPUs alone. Rows that several processes hold alike are
    not a slice; their norm is the local one.

    Examples
    --------
    >>> norm = GlobalBatchNorm(2)
    >>> norm.is_sliced, norm(torch.tensor([[1.0, 2.0], [3.0, 2.0]])).round().tolist()
    (False, [[-1.0, 0.0], [1.0, 0.0]])
    """

    is_sliced = False

    def forward(self, input: Tensor) -> Tensor:
        """``[n, D]`` → ``[n, D]``."""
        if not (self.training and self.is_sliced):
            return super().forward(input)
        # in float64, so that the order of the sums is not seen
        rows = input.double()
        count = all_reduce_sum(rows.new_tensor(len(rows)))
        mean = _SumOverProcesses.apply(rows.sum(dim=0)) / count
        centred = rows - mean
        variance = _SumOverProcesses.apply(centred.square().sum(dim=0)) / count
        self._remember(mean.detach(), variance.detach(), count)
        normed = centred * torch.rsqrt(variance + self.eps)
        return normed.to(input.dtype) * self.weight + self.bias

    @torch.no_grad()
    def _remember(self, mean: Tensor, variance: Tensor, count: Tensor) -> None:
        assert self.running_mean is not None and self.running_var is not None
        assert self.num_batches_tracked is not None and self.momentum is not None
        unbiased = variance * count / (count - 1).clamp(min=1)
        self.running_mean.lerp_(mean.to(self.running_mean.dtype), self.momentum)
        self.running_var.lerp_(unbiased.to(self.running_var.dtype), self.momentum)
        self.num_batches_tracked += 1


class GlobalDropout(nn.Dropout):
    """Dropout of the rows of all processes: the generators of all must be in the same state.

    Examples
    --------
    >>> GlobalDropout(0.0)(torch.ones(3)).tolist()
    [1.0, 1.0, 1.0]
    """

    is_sliced = False

    def forward(self, input: Tensor) -> Tensor:
        """Rows ``[n, …]`` → the same shape."""
        if not (self.training and self.is_sliced) or self.p == 0:
            return super().forward(input)
        sizes = torch.zeros(world_size(), dtype=torch.int64, device=input.device)
        sizes[rank()] = len(input)
        ends = all_reduce_sum(sizes).cumsum(0).tolist()
        kept = nn.functional.dropout(input.new_ones(ends[-1], *input.shape[1:]), self.p)
        return input * kept[ends[rank()] - len(input) : ends[rank()]]


class _SumOverProcesses(torch.autograd.Function):
    """A sum that every process uses, so that its gradient is the sum of theirs."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor) -> Tensor:
        return all_reduce_sum(tensor.clone())

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return all_reduce_sum(gradient.clone())
