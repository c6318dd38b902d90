"""PyTorch, imported when it is first used, which takes seconds; where it is missing, that is said.

Graphs, counts and motif sets do without; modules that they import take ``torch`` from here. As a
name of its own ``Tensor`` is for annotations alone.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from gomkcn_dgl.errors import MissingTorchError

__all__ = ["Tensor", "not_compiled", "torch"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


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


def _load() -> Any:
    try:
        return importlib.import_module("torch")
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        return _Missing()


class _Later:
    """The module, whose names are looked up once each."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = getattr(_load(), name)
        setattr(self, name, value)
        return value

    @contextlib.contextmanager
    def no_grad(self) -> Iterator[None]:
        """Without gradients; what it decorates loads PyTorch when it is called."""
        with _load().no_grad():
            yield


def not_compiled(function: _Function) -> _Function:
    """Let ``torch.compile`` call a function as it is: one that reads graphs, which it cannot trace.

    PyTorch is imported, where it is installed.
    """
    loaded = _load()
    return function if isinstance(loaded, _Missing) else loaded.compiler.disable(function)


if TYPE_CHECKING:
    import torch
    from torch import Tensor
else:
    torch, Tensor = _Later(), Any
