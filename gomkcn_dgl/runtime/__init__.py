"""Files, processes, steps and compiled code: how a job is stopped, shared, resumed.

Here: the public names of a package, imported when they are first used.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def lazy_names(
    package: str, names_of: Mapping[str, list[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package.

    ``names_of`` lists the public names of each module, by the module's path below the package.
    ``import package`` stays quick, and what cannot be imported is reported by what needs it.
    """
    module_of = {name: f"{package}.{module}" for module, own in names_of.items() for name in own}
    names = sorted(module_of)

    def get(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(module_of[name]), name)

    return get, lambda: names, names
