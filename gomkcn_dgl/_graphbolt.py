"""An empty module in the place of GraphBolt, where DGL 2.1 has no library for the PyTorch it meets.

DGL 2.1.0, its last release for CPUs and the only one for Python 3.12, imports its sampler GraphBolt
at start. That one needs ``torchdata.datapipes``, which torchdata left out since, and a library that
DGL has for PyTorch 2.0 to 2.2 alone. Nothing else of DGL uses GraphBolt, but for distributed
graphs. So ``import gomkcn`` registers this finder, and ``import dgl`` after it works, whoever asks;
neither is imported to know.
"""

from __future__ import annotations

import importlib.abc
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

__all__ = ["register_finder"]

_NAME = "dgl.graphbolt"


class _EmptyGraphBolt(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds GraphBolt alone, and there only where DGL's own cannot be imported."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name == _NAME and not _has_library() else None

    def exec_module(self, module: ModuleType) -> None:
        def refuse(name: str) -> None:
            raise AttributeError(
                f"module {_NAME!r} has no attribute {name!r}: DGL has no GraphBolt for this "
                "PyTorch",
                name=name,
                obj=module,
            )

        module.__getattr__ = refuse  # type: ignore[method-assign]


def _has_library() -> bool:
    """Whether GraphBolt's library for this PyTorch lies where DGL looks for it."""
    # DGL has loaded both when it comes to GraphBolt; a release before it has none, and needs none
    version = sys.modules["torch"].__version__.partition("+")[0]
    library = Path(sys.modules["dgl._ffi.libinfo"].find_lib_path()[0])
    return any(library.with_name("graphbolt").glob(f"*graphbolt_pytorch_{version}.*"))


def register_finder() -> None:
    """Have ``import dgl`` find the empty module where it needs it; once, before all other finders.

    >>> import gomkcn
    >>> import dgl
    >>> dgl.graph(([0], [1])).num_nodes()
    2
    """
    if not any(isinstance(finder, _EmptyGraphBolt) for finder in sys.meta_path):
        sys.meta_path.insert(0, _EmptyGraphBolt())
