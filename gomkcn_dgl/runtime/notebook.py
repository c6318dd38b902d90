"""HTML representations for notebooks: registered by the layer that draws, used by plain records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_renderers: dict[type, Callable[[Any], str]] = {}


def register_html(kind: type, renderer: Callable[[Any], str]) -> None:
    """Let notebooks show objects of a class by the HTML that ``renderer`` returns."""
    _renderers[kind] = renderer


def html_of(value: Any) -> str | None:
    """The HTML of an object for ``_repr_html_``; None where no renderer is registered."""
    renderer = _renderers.get(type(value))
    return None if renderer is None else renderer(value)
