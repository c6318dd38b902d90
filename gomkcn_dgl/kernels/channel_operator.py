"""The matrices of channels on a device, as an operator: they are copied to each device once.

Each copy from the host would wait until the device is done.
"""

from __future__ import annotations

from functools import cache

import torch
from torch import Tensor

from gomkcn_dgl.kernels.channel_matrices import channel_matrices
from gomkcn_dgl.kernels.operators import define_operator


def channel_matrices_like(tensor: Tensor, num_channels: int) -> Tensor:
    """``channel_matrices``, ``[C, K, K]``, of the type and on the device of a tensor."""
    if num_channels == 1:
        # the number 1, for which nothing is copied
        return tensor.new_ones(1, 1, 1)
    matrices: Tensor = torch.ops.gomkcn.channel_matrices(tensor.detach(), num_channels)
    return matrices


def _channel_matrices(tensor: Tensor, num_channels: int) -> Tensor:
    # a copy, since who calls an operator may write over its result
    return _on_device(num_channels, tensor.device, tensor.dtype).clone()


@cache
def _on_device(num_channels: int, device: torch.device, dtype: torch.dtype) -> Tensor:
    return torch.from_numpy(channel_matrices(num_channels)).to(device, dtype)


def _fake_channel_matrices(tensor: Tensor, num_channels: int) -> Tensor:
    return tensor.new_empty(channel_matrices(num_channels).shape)


define_operator(
    "channel_matrices(Tensor tensor, int num_channels) -> Tensor",
    _channel_matrices,
    _fake_channel_matrices,
)
