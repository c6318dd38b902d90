"""Arrays in, arrays out: which backends work here and, if one does not, why.

Every operation has one signature over all its backends; ``reference`` is its definition.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
from types import ModuleType

from packaging.version import Version

from gomkcn_dgl.checks import check_choice
from gomkcn_dgl.errors import BackendError

BACKENDS: dict[str, tuple[str, ...]] = {
    "bfs": ("reference", "numba"),
    "matching": ("reference", "numba", "triton"),
}
# as in setup.cfg; the 3.0 that comes with torch 2.4 cannot compile the kernels
_OLDEST_TRITON = Version("3.6")


def _has_triton() -> bool:
    try:
        return Version(importlib.metadata.version("triton")) >= _OLDEST_TRITON
    except importlib.metadata.PackageNotFoundError:
        return False


_HAS_TRITON = _has_triton()


def load_backend(operation: str, backend: str, device: str = "cpu") -> ModuleType:
    """Return the module that computes "bfs" or "matching"; "auto" is the fastest on the device."""
    check_choice("backend", backend, ("auto", *BACKENDS[operation]))
    if backend == "auto":
        fastest = {"cpu": "numba", "cuda": "triton" if _HAS_TRITON else "reference"}
        backend = fastest.get(device, "reference")
        backend = backend if backend in BACKENDS[operation] else "reference"
    if backend == "numba" and device != "cpu":
        raise BackendError(
            f"backend 'numba' runs on the CPU alone, got tensors on {device!r}; "
            "use backend='auto' there."
        )
    name = f"gomkcn_dgl.kernels.{operation}_{backend}"
    # torch.compile follows a look-up, but no import
    return sys.modules[name] if name in sys.modules else importlib.import_module(name)
