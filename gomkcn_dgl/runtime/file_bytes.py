"""Files of any origin → bytes, JSON and TOML; a pipe or a device is refused."""

from __future__ import annotations

import contextlib
import gzip
import itertools
import json
import math
import re
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from tqdm import tqdm

from gomkcn_dgl.errors import InputError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# the most tables within tables; the time that tomllib takes grows with the square
_MAX_DEPTH = 100
# a number of more digits is neither a count nor an id, and no float can hold it
_MAX_DIGITS = 25
_END_OF_KEY = re.compile(r"[=,\n\[\]{}]")


def open_file(path: Path) -> BinaryIO:
    """Open a regular file; an OSError for whatever cannot be opened."""
    try:
        # to open a pipe would wait for someone to write
        if path.exists() and not path.is_file() and not path.is_dir():
            raise OSError("it is a pipe or a device")
        return open(path, "rb")
    # a NUL character or half a character in the name
    except ValueError as error:
        raise OSError(str(error)) from None


def read_file(path: Path) -> bytes:
    """Return the content of a regular file; an OSError for whatever cannot be read."""
    with open_file(path) as file:
        return file.read()


@contextlib.contextmanager
def file_problems(path: Path) -> Iterator[None]:
    """Say in one sentence why a file, plain or ``.gz``, cannot be read."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"the file is not a complete gzip file ({error}).") from None
    except FileNotFoundError:
        raise InputError(f"the file must exist, and there is no {str(path)!r}.") from None
    except IsADirectoryError:
        raise InputError("a file was expected, got a folder.") from None
    except OSError as error:
        raise InputError(f"the file cannot be read ({error.strerror or error}).") from None


def read_pieces(path: Path, size: int | None = None, progress: bool = False) -> Iterator[bytes]:
    """Yield the content of a file, decompressed if it ends in ``.gz``, ``size`` bytes at a time.

    Without ``size`` a plain file is one piece, and a compressed one as many as needed.
    """
    with contextlib.ExitStack() as stack:
        with file_problems(path):
            raw = stack.enter_context(open_file(path))
            num_bytes = path.stat().st_size
        bar = tqdm.wrapattr(raw, "read", num_bytes, desc="reading", disable=not progress)
        raw = stack.enter_context(bar)
        file = gzip.GzipFile(fileobj=raw) if path.suffix.lower() == ".gz" else raw
        while True:
            with file_problems(path):
                piece = file.read(size or num_bytes + 1)
            if not piece:
                return
            yield piece


def read_bytes(path: Path) -> bytes:
    """Return what a file holds, decompressed when its name ends in ``.gz``; never nothing."""
    data = b"".join(read_pieces(path))
    if not data.strip():
        raise InputError("the file is empty.")
    return data


def parse_json(data: bytes) -> Any:
    """Read JSON in UTF-8, of finite numbers and of text that can be written again.

    Whatever else the bytes hold is a ValueError with a reason of one line.
    """
    try:
        record = json.loads(
            data.decode("utf-8-sig"),
            parse_int=_parse_int,
            parse_float=_parse_float,
            parse_constant=_parse_float,
        )
        # "\ud800" stands for half a character, which no file can hold
        if b"\\u" in data:
            json.dumps(record, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("it holds half a character") from None
    _refuse_depth(record)
    return record


def parse_toml(data: bytes) -> dict[str, Any]:
    """Read TOML in UTF-8; whatever else the bytes hold is a ValueError of one line."""
    text = data.decode("utf-8-sig")
    if any(part.count(".") > _MAX_DEPTH for part in _END_OF_KEY.split(text)):
        raise ValueError("it is nested too deeply")
    try:
        tables = tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    _refuse_depth(tables)
    return tables


def _parse_int(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise ValueError(f"it holds a number of {len(text)} digits")
    return int(text)


def _parse_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"it holds a number that is not finite, {text[:20]}")
    return number


def _refuse_depth(record: Any) -> None:
    """Refuse lists in lists in lists, which could not even be shown in a message."""
    level = [record]
    for _ in range(_MAX_DEPTH):
        dicts = [list(value.values()) for value in level if isinstance(value, dict)]
        lists = [value for value in level if isinstance(value, (list, tuple))]
        level = list(itertools.chain.from_iterable([*dicts, *lists]))
        if not level:
            return
    raise ValueError("it is nested too deeply")


def reason_of(error: Exception) -> str:
    """Return the message of a library's error, shortened to stand in a sentence."""
    lines = str(error).strip().splitlines()
    reason = lines[0].rstrip(".: ") if lines else type(error).__name__
    return reason if len(reason) <= 200 else reason[:199] + "…"
