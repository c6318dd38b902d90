"""The folder of a run: made before any work, each of its files written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io_write import atomic_write


def prepare_run_folder(folder: str | Path, run_files: Iterable[str], force: bool) -> Path:
    """Make the folder of a run, before any work is done for it.

    Raises
    ------
    InputError
        If it cannot be written, or holds one of the files of a run already and ``force`` is not
        set.
    """
    if not str(folder):
        raise InputError("out folder must have a name, got ''.")
    folder = Path(folder)
    try:
        held = [name for name in run_files if (folder / name).exists()]
        if held and not force:
            raise InputError(
                f"out folder {str(folder)!r} already holds a run ({held[0]}); "
                "choose another, or overwrite it with --force."
            )
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".write-test"
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        raise InputError(
            f"out folder {str(folder)!r} cannot be written ({error.strerror})."
        ) from None
    return folder


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write the files in this order, each whole or not at all."""
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        atomic_write(folder / name, content)


def to_json(record: Any) -> str:
    """Return a record of plain and NumPy values as JSON."""
    return json.dumps(record, indent=1, ensure_ascii=False, default=_plain) + "\n"


def read_json(path: Path) -> Any:
    """Read a JSON file of a run."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            f"run folder {str(path.parent)!r} holds no finished run: {path.name} is missing."
        ) from None
    except (OSError, ValueError) as error:
        raise InputError(f"{str(path)!r} cannot be read ({error}).") from None


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")
