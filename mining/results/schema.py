"""The JSON Schema of patterns.json, as it lies in the package."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any


def load_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of ``patterns.json``.

    Examples
    --------
    >>> load_schema()["required"]
    ['schema', 'feature_names', 'patterns']
    """
    text = resources.files("mining.results").joinpath("patterns.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
