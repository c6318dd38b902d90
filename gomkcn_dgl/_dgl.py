"""The one place that imports DGL, and says what to do when it cannot be imported.

Use it as ``from gomkcn_dgl._dgl import dgl``. Three things happen before the import:

* ``DGLBACKEND`` is set to ``pytorch`` unless the user chose one, which keeps DGL from printing a
  notice and from writing a file into the home folder.
* DGL 2.1.0, the only release for Python 3.12, imports its GraphBolt sampler at start and fails with
  torch newer than 2.2 because no library was built for it. Nothing here uses GraphBolt, so an empty
  module takes its place, for that release and those versions of torch only.
* Warnings about the syntax of DGL's own files, which Python gives when it compiles them, are kept
  from the user, who can do nothing about them.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import sys
import types
import warnings
from typing import Any

from gomkcn_dgl.errors import MissingDGLError

__all__ = ["dgl"]

_WAY_OUT = (
    "its graphs need it, with Python 3.10 or 3.11 pip install dgl==1.1.3, with 3.12 dgl==2.1.0; "
    "other graphs and all files do without"
)


def _needs_graphbolt_stub() -> bool:
    """Whether this is DGL 2.x beside a torch that its GraphBolt library was not built for."""
    from packaging.version import Version

    dgl_version = Version(importlib.metadata.version("dgl"))
    torch_version = Version(importlib.metadata.version("torch"))
    return dgl_version.major == 2 and torch_version >= Version("2.3")


def _import_dgl() -> Any:
    os.environ.setdefault("DGLBACKEND", "pytorch")
    try:
        if _needs_graphbolt_stub() and "dgl.graphbolt" not in sys.modules:
            sys.modules["dgl.graphbolt"] = types.ModuleType("dgl.graphbolt")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            # what Python 3.10 and 3.11 say in place of it
            warnings.filterwarnings("ignore", "invalid escape sequence", DeprecationWarning)
            return importlib.import_module("dgl")
    except importlib.metadata.PackageNotFoundError as error:
        raise MissingDGLError(f"The package {error.name!r} is not installed; {_WAY_OUT}.") from None
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise MissingDGLError(f"DGL cannot be imported ({reason}); {_WAY_OUT}.") from error


dgl: Any = _import_dgl()
