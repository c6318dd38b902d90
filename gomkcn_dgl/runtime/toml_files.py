"""Settings files: TOML tables read, checked for unknown names, and written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli_w

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.file_bytes import parse_toml, read_file, reason_of


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


def check_names(path: str | Path, table: str, given: Any, known: Any) -> None:
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
