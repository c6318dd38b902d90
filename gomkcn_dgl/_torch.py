"""PyTorch, or what stands in its place where it is not installed and says so when it is used.

Graphs, counts and motif sets do without; modules that they import take ``torch`` from here.
"""

from __future__ import annotations

from typing import Any

from gomkcn_dgl.errors import MissingTorchError

__all__ = ["Tensor", "has_torch", "nn", "torch"]


class _Missing:
    """Any name of PyTorch, as a base class, too; calling it is refused."""

    def __init__(self, *_: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise MissingTorchError(
            "filters, kernels and classifiers need PyTorch, which is not installed; install it "
            "with: pip install torch."
        )

    def __instancecheck__(self, value: object) -> bool:
        return False

    def no_grad(self) -> Any:
        """Leave the functions alone that it decorates while modules are imported."""
        return lambda function: function


try:
    import torch
    from torch import Tensor, nn

    has_torch = True
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    torch = Tensor = nn = _Missing()  # type: ignore[assignment,misc]
    has_torch = False
