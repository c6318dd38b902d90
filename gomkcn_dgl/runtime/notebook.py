"""HTML representations for notebooks: registered by the layer that draws, used by plain records."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

_renderers: dict[type, Callable[[Any], str]] = {}
_modules: dict[str, str] = {}


def register_html_module(package: str, module: str) -> None:
    """Name the module that registers the renderers of a package; it is imported when needed."""
    _modules[package] = module


def register_html(kind: type, renderer: Callable[[Any], str]) -> None:
    """Let notebooks show objects of a class by the HTML that ``renderer`` returns."""
    _renderers[kind] = renderer


def html_of(value: Any) -> str | None:
    """The HTML of an object for ``_repr_html_``; None where no renderer is registered."""
    module = _modules.get(type(value).__module__.partition(".")[0])
    if module is not None:
        importlib.import_module(module)
    renderer = _renderers.get(type(value))
    return None if renderer is None else renderer(value)
