"""Settings as tables: values by name override records, and a TOML file is such values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from gomkcn_dgl.runtime.files import read_tables

T = TypeVar("T", bound=Any)


def changed(record: T, given: Mapping[str, Any]) -> T:
    """A record with those of the values that it has a field for and that are not None."""
    known = {one.name for one in fields(record)} & given.keys()
    return replace(record, **{name: given[name] for name in known if given[name] is not None})


def read_values(
    path: str | Path,
    tables: Mapping[str, Mapping[str, Any]],
    records: Mapping[str, type],
    types: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Read the values of a settings file, by name; no name is in two of its ``tables``.

    A value has the type that its field has in the ``records``, or one of ``types``. Raises an
    InputError for a missing or malformed file, an unknown name, or a value of the wrong type.
    """
    wanted = {}
    for name, known in tables.items():
        hints = get_type_hints(records[name]) | dict(types or {})
        wanted[name] = {key: hints[key] for key in known}
    read = read_tables(path, wanted).values()
    return {key: value for table in read for key, value in table.items()}
