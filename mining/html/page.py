"""What all pages share: templates, style, drawings, lists of settings, numbers with a source.

A number on a page names its source: ``<data value="165" data-file="patterns.json"
data-path="/patterns/0/frequency/disjoint">165</data>``. The path is a JSON pointer (RFC 6901), the
value is exactly that of the file, and the text is the value or a rounding of it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import jinja2
import pandas as pd
from markupsafe import Markup

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
    )
    return environment


def read_text(name: str) -> str:
    """A file of this package."""
    return resources.files("mining.html").joinpath(name).read_text("utf-8")


def mark_number(record: Any, file: str, *path: str | int, text: str | None = None) -> Markup:
    """Write the number at a path of a file's record, or a ``text`` of it, with its source."""
    value = record
    for key in path:
        value = value[key]
    pointer = "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in path)
    return Markup('<data value="{}" data-file="{}" data-path="{}">{}</data>').format(
        json.dumps(value), file, pointer, short_number(value) if text is None else text
    )


def short_number(value: float) -> str:
    """Write whole numbers in full and others with three digits."""
    whole = isinstance(value, int) or abs(value) >= 1000
    text = f"{value:,.0f}" if whole else f"{value:.3g}"
    return text.replace("-", "−")


def flatten(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """List nested settings as ``section.key`` and text."""
    (row,) = pd.json_normalize(dict(values)).to_dict("records")
    return [
        (str(name), value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for name, value in row.items()
    ]
