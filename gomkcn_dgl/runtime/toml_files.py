"""Settings files: TOML tables read, checked for unknown names, and written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args, get_origin

import tomli_w

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import parse_toml, read_file, reason_of


def read_toml(path: str | Path) -> dict[str, Any]:
    """Read the tables of a settings file."""
    try:
        data = read_file(Path(path))
    except OSError as error:
        raise InputError(f"settings file {str(path)!r} cannot be read ({error}).") from None
    try:
        return parse_toml(data)
    except ValueError as error:
        reason = reason_of(error)
        raise InputError(f"settings file {str(path)!r} is not valid TOML: {reason}.") from None


def to_toml(tables: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the tables as the text of a settings file; what is None is left out."""
    return tomli_w.dumps(
        {
            name: {key: value for key, value in table.items() if value is not None}
            for name, table in tables.items()
        }
    )


def read_tables(
    path: str | Path, types: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Read the tables of a settings file, whose values have types by table and name."""
    tables = read_toml(path)
    _check_names(path, "", tables, types)
    for name, table in tables.items():
        _check_names(path, name, table, types[name])
        tables[name] = {
            key: _convert_value(path, key, value, types[name][key]) for key, value in table.items()
        }
    return tables


def _check_names(path: str | Path, table: str, given: Any, known: Any) -> None:
    """Refuse a value that is not a table, and unknown names in a table."""
    where = f"[{table}] of " if table else ""
    if not isinstance(given, dict):
        raise InputError(f"{where}settings file {str(path)!r} must be a table.")
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise InputError(
            f"{where}settings file {str(path)!r} has the unknown name {unknown[0]!r}; "
            f"known are {', '.join(sorted(known))}."
        )


def _convert_value(path: str | Path, name: str, value: Any, annotation: Any) -> Any:
    """Return a value of a settings file as one of the types in an annotation, or refuse it."""
    options = get_args(annotation)
    if not options or get_origin(annotation) in (tuple, dict):
        options = (annotation,)
    scalars = [kind for kind in options if get_origin(kind) is None and kind is not type(None)]
    nested = {get_origin(kind) is dict: kind for kind in options if get_origin(kind) is not None}
    if False in nested and isinstance(value, list):
        inner = get_args(nested[False])[0]
        return tuple(_convert_value(path, name, entry, inner) for entry in value)
    if True in nested and isinstance(value, dict):
        inner = get_args(nested[True])[1]
        return {key: _convert_value(path, key, entry, inner) for key, entry in value.items()}
    # TOML writes 1 for a whole float; as text, a number with hundreds of digits is infinite
    if type(value) is int and float in scalars and int not in scalars:
        return float(str(value))
    if type(value) in scalars:
        return value
    rules = [kind.__name__ for kind in scalars]
    rules += ["table" if is_table else "list" for is_table in nested]
    raise InputError(
        f"{name} in settings file {str(path)!r} must be a value of type {' or '.join(rules)}, "
        f"got {value!r}."
    )
