"""Gradient descent by Adam, on filters that can be moved."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor
from torch.optim.adam import adam


class Descent:
    """Adam with its default rates, as :class:`torch.optim.Adam` computes it.

    That class loads the compiler of torch, which takes a second; its function does not.

    Parameters
    ----------
    parameters : iterable of Tensor
        Changed in place. The first axis of each counts filters.

    Attributes
    ----------
    learning_rate : float
        Of the next step.
    """

    def __init__(self, parameters: Iterable[Tensor]) -> None:
        self.parameters = [one for one in parameters if one.requires_grad]
        self.learning_rate = 0.0
        self.mean = [torch.zeros_like(one) for one in self.parameters]
        self.square = [torch.zeros_like(one) for one in self.parameters]
        self.num_steps = [torch.tensor(0.0) for _ in self.parameters]

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for one in self.parameters:
            one.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """Go one step along the gradients."""
        for one, mean, square, count in zip(
            self.parameters, self.mean, self.square, self.num_steps, strict=True
        ):
            if one.grad is not None:
                adam(
                    [one], [one.grad], [mean], [square], [], [count],
                    amsgrad=False, beta1=0.9, beta2=0.999, lr=self.learning_rate,
                    weight_decay=0.0, eps=1e-8, maximize=False,
                )  # fmt: skip

    def forget(self, filters: Tensor) -> None:
        """Start the filters with these numbers anew."""
        for one in (*self.mean, *self.square):
            one[filters] = 0
