"""The schemas of the JSON files that mining reads; each is checked with its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import Any

import fastjsonschema


def load_schema(name: str) -> dict[str, Any]:
    """The JSON Schema of a file of a run, such as ``run`` or ``filters``, or of planted truth."""
    text = (resources.files("gomkcn.mining.schemas") / f"{name}.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


@cache
def validator(name: str) -> Callable[[Any], Any]:
    """A function that raises ValueError where a record does not fit a schema."""
    validate: Callable[[Any], Any] = fastjsonschema.compile(load_schema(name))
    return validate
