"""The random numbers of ``search_numba`` on any device, as operations of PyTorch.

PyTorch multiplies and adds whole numbers of 64 bits modulo 2^64, so that int64 holds the bits of
uint64; only a shift to the right must clear the bits that the sign would fill.
"""

from __future__ import annotations

import torch
from torch import Tensor


def as_signed(bits: int) -> int:
    """The int64 that has the 64 bits of a number."""
    return bits - 2**64 if bits >= 2**63 else bits


GOLDEN = as_signed(0x9E3779B97F4A7C15)
_MIX_A, _MIX_B = as_signed(0xBF58476D1CE4E5B9), as_signed(0x94D049BB133111EB)


def mix64(values: Tensor) -> Tensor:
    """Hash int64 values of any shape one to one, 0 to 0: what ``search_numba.mix64`` defines.

    >>> mix64(torch.tensor([0, 1])).tolist()
    [0, 6238072747940578789]
    """
    values = (values ^ _shifted(values, 30)) * _MIX_A
    values = (values ^ _shifted(values, 27)) * _MIX_B
    return values ^ _shifted(values, 31)


def mix(values: Tensor) -> Tensor:
    """The next number of SplitMix64 in each state."""
    return mix64(values + GOLDEN)


def streams(seed: int, keys: Tensor) -> Tensor:
    """Names of the random streams of subgraphs, int64 ``[S]``: ``bfs_numba`` says what keys are."""
    state = torch.tensor(as_signed(seed), device=keys.device)
    return mix(mix(mix(state) + keys))


def _shifted(values: Tensor, by: int) -> Tensor:
    return (values >> by) & (2 ** (64 - by) - 1)
