"""What all pages share: templates, style, and numbers that name their source.

A number on a page names its source: ``<data value="165" data-file="patterns.json"
data-path="/patterns/0/frequency/disjoint">165</data>``. The path is a JSON pointer (RFC 6901), the
value is exactly that of the file, and the text is the value or a rounding of it.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import jinja2
from jinja2.bccache import Bucket
from markupsafe import Markup, escape

from gomkcn.mining.structures.number_text import expected, percent, signed, whole
from gomkcn_dgl.graphs.shapes import count
from gomkcn_dgl.runtime.files import visible


def render_page(template: str, **values: Any) -> str:
    """Render a template of this package with the style that all pages share."""
    return (
        _environment()
        .get_template(template)
        .render(page_style=Markup(read_text("page.css")), **values)
    )


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        autoescape=True,
        # control characters of the data are replaced; Markup is a type of its own
        finalize=lambda value: visible(value) if type(value) is str else value,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=jinja2.FunctionLoader(read_text),
        bytecode_cache=_kept_templates(),
    )
    for written in (count, expected, percent, signed, whole):
        environment.globals[written.__name__] = written
    return environment


class _KeptTemplates(jinja2.FileSystemBytecodeCache):
    """Compiled templates in the user's folder for temporary files; a full disk keeps none."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        with contextlib.suppress(OSError):
            super().dump_bytecode(bucket)


def _kept_templates() -> _KeptTemplates | None:
    """None where there is no folder that only this user can write."""
    with contextlib.suppress(OSError, RuntimeError):
        return _KeptTemplates()
    return None


def read_text(name: str) -> str:
    """A file of this package."""
    return resources.files("gomkcn.mining.show").joinpath(name).read_text("utf-8")


@dataclass(frozen=True)
class Numbers:
    """The numbers of one record, each written with its source."""

    record: Any
    file: str = "patterns.json"

    def __call__(self, *path: str | int, text: str | Callable[[Any], str] | None = None) -> Markup:
        """The number at a path, or a ``text`` of it."""
        value = self.record
        for key in path:
            value = value[key]
        pointer = "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in path)
        written = text(value) if callable(text) else whole(value) if text is None else text
        value_, file, path_, text_ = map(escape, (json.dumps(value), self.file, pointer, written))
        return Markup(
            f'<data value="{value_}" data-file="{file}" data-path="{path_}">{text_}</data>'
        )


def flatten(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """List nested settings as ``section.key`` and text."""
    rows: list[tuple[str, str]] = []
    for name, value in values.items():
        if isinstance(value, Mapping):
            rows += [(f"{name}.{key}", text) for key, text in flatten(value)]
        else:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            rows.append((name, text))
    return rows
