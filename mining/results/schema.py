"""The JSON Schemas of the files of a run, as they lie in the package."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import Any

import fastjsonschema


def load_schema(name: str = "patterns") -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of ``patterns.json``, or of another file.

    Parameters
    ----------
    name : {"patterns", "run", "drawings"}
        The file without its ending.

    Examples
    --------
    >>> load_schema()["required"]
    ['schema', 'feature_names', 'patterns']
    """
    text = resources.files("mining.results").joinpath(f"{name}.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def check_record(name: str, record: Any) -> None:
    """Check what ``NAME.json`` holds against its schema.

    Raises
    ------
    ValueError
        Naming the place and the rule.

    Examples
    --------
    >>> check_record("patterns", {"schema": 2, "feature_names": ["x0"], "patterns": []})
    """
    _validator(name)(record)


@cache
def _validator(name: str) -> Callable[[Any], Any]:
    validate: Callable[[Any], Any] = fastjsonschema.compile(load_schema(name))
    return validate
