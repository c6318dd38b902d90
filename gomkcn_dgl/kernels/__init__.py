"""Arrays in, arrays out: which backends of the matching work here and, if one does not, why.

All have one signature; ``reference`` is the definition.
"""

from __future__ import annotations

import importlib.metadata
import logging
from functools import cache
from types import ModuleType

from packaging.version import Version

from gomkcn_dgl.checks import check_choice
from gomkcn_dgl.errors import BackendError
from gomkcn_dgl.messages import Argument

log = logging.getLogger("gomkcn_dgl")

BACKENDS = ("reference", "numba", "triton")
# what the kernel for a GPU takes, the types by name, to tell them without loading PyTorch
GPU_DTYPES = ("torch.float32", "torch.bfloat16")
GPU_MAX_NODES = 64
# which nodes of a large subgraph stay, see ``bfs_numba``
POLICIES = {"bfs": 0, "dense": 1}
# as in setup.cfg; the 3.0 that comes with torch 2.4 cannot compile the kernels
_OLDEST_TRITON = Version("3.6")


def _has_triton() -> bool:
    try:
        return Version(importlib.metadata.version("triton")) >= _OLDEST_TRITON
    except importlib.metadata.PackageNotFoundError:
        return False


HAS_TRITON = _has_triton()


def load_backend(
    backend: str, device: str = "cpu", dtype: str = "torch.float32", *, is_large: bool = False
) -> ModuleType:
    """Return the module that matches; "auto" is the fastest that can.

    ``is_large`` says that graphs have more than ``GPU_MAX_NODES`` nodes.
    """
    check_choice("backend", backend, ("auto", *BACKENDS))
    if backend == "auto":
        backend = _fastest(device, dtype, is_large)
    if backend == "numba" and device != "cpu":
        raise BackendError(
            "backend",
            "'numba' runs on the CPU alone",
            got=f"tensors on {device!r}",
            way_out=("use ", Argument("backend", "auto"), " there"),
        )
    # statements, which torch.compile knows
    if backend == "numba":
        from gomkcn_dgl.kernels import matching_numba

        return matching_numba
    if backend == "triton":
        from gomkcn_dgl.kernels import matching_triton

        return matching_triton
    from gomkcn_dgl.kernels import matching_reference

    return matching_reference


def _fastest(device: str, dtype: str, is_large: bool) -> str:
    """The fastest backend for graphs on a device; that it is the slow one is said once."""
    reason = ""
    if device == "cpu":
        return "numba"
    if device != "cuda":
        reason = f"there is no kernel for {device!r}; move the tensors to 'cpu', or to 'cuda'"
    elif not HAS_TRITON:
        reason = (
            f"the kernel needs Triton {_OLDEST_TRITON} or later; install it with: "
            "pip install gomkcn-dgl[gpu]"
        )
    elif dtype not in GPU_DTYPES:
        reason = f"the kernel takes float32 and bfloat16, got {dtype}; convert the features"
    elif is_large:
        reason = (
            f"the kernel takes graphs of at most {GPU_MAX_NODES} nodes; lower max_nodes, or move "
            "the tensors to 'cpu'"
        )
    if not reason:
        return "triton"
    _warn_once(reason)
    return "reference"


@cache
def _warn_once(reason: str) -> None:
    log.warning("matching by plain PyTorch, which is slow: %s.", reason)


# torch.compile calls it while it compiles, as torch.compiler.assume_constant_result would say; that
# imports PyTorch's compiler, which takes seconds
_warn_once._dynamo_marked_constant = True  # type: ignore[attr-defined]
