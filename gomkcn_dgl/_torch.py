"""PyTorch, imported when it is first used, which takes seconds; where it is missing, that is said.

Graphs, counts and motif sets do without; modules that they import take ``torch`` from here. As a
name of its own ``Tensor`` is for annotations alone.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from gomkcn_dgl.errors import InputError, InputTypeError, MissingTorchError

__all__ = [
    "Tensor",
    "device_name",
    "has_torch",
    "not_compiled",
    "resolve_device",
    "threads_of_torch",
    "torch",
    "usual_torch",
]

# of NVIDIA's driver, of that within Windows, and of AMD's
_DRIVERS = ("/dev/nvidiactl", "/dev/dxg", "/dev/kfd")
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
            "training, kernels and classifiers need PyTorch, which is not installed; install it "
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


def threads_of_torch() -> int | None:
    """How many threads PyTorch was told to use; None where it is not loaded."""
    # while another thread imports it, it has no such function yet
    ask = getattr(sys.modules.get("torch"), "get_num_threads", None)
    return None if ask is None else int(ask())


def has_torch() -> bool:
    """Whether PyTorch is installed; it is imported to know."""
    return not isinstance(_load(), _Missing)


class _Later(ModuleType):
    """The module, whose names are looked up once each; a module, so that torch.compile sees one."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        module = _load()
        value = getattr(module, name)
        setattr(self, name, value)
        # in the place of the one below, which torch.compile does not know
        if not isinstance(module, _Missing):
            self.__dict__.setdefault("no_grad", module.no_grad)
        return value

    def __reduce__(self) -> tuple[Any, ...]:
        """A worker of joblib gets it by its name, as any module."""
        return importlib.import_module, ("torch",)

    @contextlib.contextmanager
    def no_grad(self) -> Iterator[None]:
        """Without gradients; what it decorates loads PyTorch when it is called."""
        with _load().no_grad():
            yield


@contextlib.contextmanager
def usual_torch() -> Iterator[None]:
    """PyTorch as it is after its import, whatever was set: float32, gradients, new tensors on CPU.

    A fit or a function that makes numbers of a user's graph is decorated by it, so that they do not
    depend on what a notebook has set for other models. Before PyTorch is imported nothing is set.
    """
    module: Any = sys.modules.get("torch")
    # while another thread imports it, it has no such function yet
    if not hasattr(module, "get_default_device"):
        yield
        return
    dtype = module.get_default_dtype()
    with contextlib.ExitStack() as stack:
        # with gradients, also within no_grad
        stack.enter_context(module.inference_mode(False))
        for kind in ("cpu", "cuda"):
            if module.is_autocast_enabled(kind):
                stack.enter_context(module.autocast(kind, enabled=False))
        if module.get_default_device().type != "cpu":
            stack.enter_context(module.device("cpu"))
        if dtype != module.float32:
            stack.callback(module.set_default_dtype, dtype)
            module.set_default_dtype(module.float32)
        yield


def not_compiled(function: _Function) -> _Function:
    """Let ``torch.compile`` call a function as it is: one that reads graphs, which it cannot trace.

    ``torch.compiler.disable`` says so, and imports PyTorch's compiler, which takes seconds: it is
    left to who has that already.
    """

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        compiler = sys.modules.get("torch._dynamo")
        as_it_is = function if compiler is None else compiler.disable(function)
        return as_it_is(*arguments, **named)

    # what torch.compile looks at where it meets this function
    call._torchdynamo_disable = True  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


if TYPE_CHECKING:
    import torch
    from torch import Tensor
else:
    torch, Tensor = _Later("torch"), Any


def device_name(device: str | torch.device) -> str:
    """The name of the device that :func:`resolve_device` gives; PyTorch is loaded for a GPU alone.

    Where it is not installed, "auto" is the CPU.

    >>> device_name("cpu")
    'cpu'
    """
    is_auto = isinstance(device, str) and device == "auto"
    if is_auto and not (_may_have_gpu() and has_torch()):
        return "cpu"
    return "cpu" if device == "cpu" else str(resolve_device(device))


def _may_have_gpu() -> bool:
    """Whether a driver of a GPU that PyTorch can use is there, which is told without PyTorch."""
    return any(map(os.path.exists, _DRIVERS)) or shutil.which("nvidia-smi") is not None


def resolve_device(device: str | torch.device) -> torch.device:
    """The device that a name stands for; one that cannot be used here is refused.

    Parameters
    ----------
    device : str or torch.device
        ``"cpu"``, ``"cuda"`` (PyTorch's current GPU), ``"cuda:1"`` or such; ``"auto"`` is the GPU
        where PyTorch finds one, else the CPU.

    Returns
    -------
    torch.device
        Of a GPU with its number, so that it equals the ``device`` of tensors there.

    Raises
    ------
    InputError
        For another name, or a GPU that PyTorch does not find.
    InputTypeError
        For what is no name.

    Examples
    --------
    >>> resolve_device("cpu")
    device(type='cpu')
    """
    # a tuple, since PyTorch may be missing, which has no types to unite
    if not isinstance(device, (str, torch.device)):
        raise InputTypeError(
            "device", "must be a name, 'auto', 'cpu' or 'cuda', or a torch.device", got=repr(device)
        )
    named = re.fullmatch(r"(auto|cpu|cuda)(?::(\d+))?", str(device), re.ASCII)
    if named is None or (named[1] == "auto" and named[2]):
        raise InputError(
            "device", "must be 'auto', 'cpu', 'cuda', or 'cuda:1' or such", got=repr(str(device))
        )
    number_of_gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if named[1] == "cpu" or (named[1] == "auto" and not number_of_gpus):
        return torch.device("cpu")
    if not number_of_gpus:
        raise InputError(
            "device", "must be 'cpu' or 'auto' where PyTorch finds no GPU", got=repr(str(device))
        )
    number = torch.cuda.current_device() if named[2] is None else int(named[2])
    if number >= number_of_gpus:
        raise InputError(
            "device",
            (
                f"must be one of the {number_of_gpus} GPUs that PyTorch finds, 'cuda:0' to "
                f"'cuda:{number_of_gpus - 1}'"
            ),
            got=repr(str(device)),
        )
    return torch.device("cuda", number)
