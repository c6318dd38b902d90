"""Files, processes, steps and compiled code: how a job is stopped, shared, resumed.

Here: what a package shows of itself. Its public names are imported when they are first used, the
layer that draws registers how notebooks show plain records, and that of runs how folders keep them.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

_renderers: dict[type, Callable[[Any], str]] = {}
_modules: dict[str, str] = {}
_run_modules: dict[str, str] = {}


def lazy_names(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__``, ``__all__`` of a package, from the stub beside its file.

    The stub ``__init__.pyi`` is what type checkers read in place of the package, so that both know
    the same names: each line imports one, ``from package.module import Name as Name``.
    """
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    module_of = {
        str(entry.asname): str(line.module)
        for line in stub.body
        if isinstance(line, ast.ImportFrom)
        for entry in line.names
    }
    names = sorted(module_of)

    def load(name: str) -> Any:
        if name not in module_of:
            # with the module, in which Python looks for a name that is alike
            sentence = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(sentence, name=name, obj=sys.modules[package])
        return getattr(importlib.import_module(module_of[name]), name)

    return load, lambda: names, names


def register_html_module(package: str, module: str) -> None:
    """Name the module that registers the renderers of a package; it is imported when needed."""
    _modules[package] = module


def register_html(kind: type, renderer: Callable[[Any], str]) -> None:
    """Let notebooks show objects of a class by the HTML that ``renderer`` returns."""
    _renderers[kind] = renderer


def html_module_of(value: Any) -> Any:
    """The module that registers the renderers of an object's package; None where none is named."""
    return _module_for(type(value), _modules)


def register_run_module(package: str, module: str) -> None:
    """Name the module that has ``save_run`` and ``load_run`` of a package."""
    _run_modules[package] = module


def run_module_of(kind: type) -> Any:
    """The module that writes and reads the folders of the runs that a class stands for."""
    return _module_for(kind, _run_modules)


def _module_for(kind: type, modules: dict[str, str]) -> Any:
    """The module that is named for the package of a class; None where none is."""
    for package, module in modules.items():
        if kind.__module__.startswith(f"{package}."):
            return importlib.import_module(module)
    return None


def html_of(value: Any) -> str | None:
    """The HTML of an object for ``_repr_html_``; None where no renderer is registered."""
    html_module_of(value)
    renderer = _renderers.get(type(value))
    return None if renderer is None else renderer(value)
