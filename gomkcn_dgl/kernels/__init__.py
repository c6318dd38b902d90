"""Arrays in, arrays out: which backends of the matching work here and, if one does not, why.

All have one signature; ``reference`` is the definition.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from types import ModuleType

from packaging.version import Version

from gomkcn_dgl.checks import check_choice
from gomkcn_dgl.errors import BackendError

BACKENDS = ("reference", "numba", "triton")
# which nodes of a large subgraph stay, see ``bfs_numba``
POLICIES = {"bfs": 0, "dense": 1}
# as in setup.cfg; the 3.0 that comes with torch 2.4 cannot compile the kernels
_OLDEST_TRITON = Version("3.6")


def _has_triton() -> bool:
    try:
        return Version(importlib.metadata.version("triton")) >= _OLDEST_TRITON
    except importlib.metadata.PackageNotFoundError:
        return False


_HAS_TRITON = _has_triton()


def load_backend(backend: str, device: str = "cpu") -> ModuleType:
    """Return the module that matches; "auto" is the fastest on the device."""
    check_choice("backend", backend, ("auto", *BACKENDS))
    if backend == "auto":
        fastest = {"cpu": "numba", "cuda": "triton" if _HAS_TRITON else "reference"}
        backend = fastest.get(device, "reference")
    if backend == "numba" and device != "cpu":
        raise BackendError(
            f"backend 'numba' runs on the CPU alone, got tensors on {device!r}; "
            "use backend='auto' there."
        )
    return importlib.import_module(f"gomkcn_dgl.kernels.matching_{backend}")
