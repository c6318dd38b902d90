"""Files: read with one sentence for what is wrong with them, and written whole or not at all.

A pipe or a device is refused, but for the graph of a command, which may be a stream:
:mod:`gomkcn_dgl.runtime.packed_files` reads those.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import lzma
import math
import os
import re
import secrets
import stat
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, get_args, get_origin

import tomli_w

from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.runtime.memory import check_readable

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# the standard input, by which names other programs know it as well
STDIN = ("-", "/dev/stdin")
# names of what a process has opened
_OPENED = re.compile(r"/(dev|proc/(self|[0-9]+))/fd/")
# a number of more digits is neither a count nor an id, and no float can hold it
_MAX_DIGITS = 25


def as_path(name: str, path: Any) -> Path:
    """A path that was given as such or as a text."""
    if not isinstance(path, (str, os.PathLike)):
        raise InputTypeError(
            name, "must be a path, as a text or a pathlib.Path", got=type(path).__name__
        )
    return Path(path)


def check_path(path: str | os.PathLike[str]) -> None:
    """Refuse what is neither a file, a folder nor a stream."""
    # False for a name with a NUL character, or too long
    if not (os.path.exists(path) or is_stream(path)):
        raise InputError("path", "must name a file or a folder that exists", got=repr(str(path)))


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Whether a path is the standard input, or a pipe that the shell has opened, as ``<( )``.

    A pipe with a name of its own is none: to open it would wait for someone to write.

    >>> is_stream("-"), is_stream("edges.txt")
    (True, False)
    """
    if str(path) in STDIN:
        return True
    if not _OPENED.match(str(path)):
        return False
    # of what is not there
    with contextlib.suppress(OSError, ValueError):
        return stat.S_ISFIFO(os.stat(path).st_mode)
    return False


def called(path: str | os.PathLike[str]) -> str:
    """What a file is called in a message."""
    if str(path) in STDIN:
        return "the standard input"
    return f"the stream {path}" if is_stream(path) else Path(path).name


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
        check_readable(os.fstat(file.fileno()).st_size, "the file")
        return file.read()


@contextlib.contextmanager
def file_problems(path: Path) -> Iterator[None]:
    """Say in one sentence why a file, plain or packed, cannot be read."""
    try:
        yield
    except (
        EOFError,
        gzip.BadGzipFile,
        lzma.LZMAError,
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        raise InputError(f"the packed file is not complete ({error}).") from None
    except FileNotFoundError:
        raise InputError(f"the file must exist, and there is no {str(path)!r}.") from None
    except IsADirectoryError:
        raise InputError("a file was expected, got a folder.") from None
    except OSError as error:
        raise InputError(f"the file cannot be read ({error.strerror or error}).") from None


def parse_json(data: bytes, *, parse_constant: Callable[[str], Any] | None = None) -> Any:
    """Read JSON in UTF-8, of finite numbers and whole text; else a ValueError of one line.

    ``parse_constant`` is what NaN, Infinity and -Infinity stand for, which Python writes.
    """
    try:
        record = json.loads(
            data.decode("utf-8-sig"),
            parse_int=_parse_int,
            parse_float=_parse_float,
            parse_constant=parse_constant or _parse_float,
        )
        # "\ud800" stands for half a character, which no file can hold
        if b"\\u" in data:
            json.dumps(record, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("it holds half a character") from None
    return record


def parse_toml(data: bytes) -> dict[str, Any]:
    """Read TOML in UTF-8; whatever else the bytes hold is a ValueError of one line."""
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _parse_int(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise ValueError(f"it holds a number of {len(text)} digits")
    return int(text)


def _parse_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"it holds a number that is not finite, {text[:20]}")
    return number


def reason_of(error: Exception) -> str:
    """Return the message of a library's error, shortened to stand in a sentence.

    A lack of memory is no fault of what was read: it goes on.
    """
    if isinstance(error, MemoryError):
        raise error
    lines = str(error).strip().splitlines()
    reason = lines[0].rstrip(".: ") if lines else type(error).__name__
    return reason if len(reason) <= 200 else reason[:199] + "…"


def check_output(
    path: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]], *, force: bool
) -> None:
    """Refuse a file to be written that is an input, or that exists without ``force``.

    Names do not tell: a link to an input is that input. A file that exists in a folder that is read
    is a part of it.
    """
    shown = f"the output {str(path)!r}"
    try:
        # False for a broken link as well, which is something that we did not write
        if not os.path.lexists(path):
            return
        for input_path in inputs:
            if not os.path.exists(input_path) or not os.path.exists(path):
                continue
            is_same = os.path.samefile(path, input_path)
            if is_same or Path(path).resolve().parent == Path(input_path).resolve():
                is_part = "" if is_same else " a part of"
                raise InputError(
                    f"{shown} is{is_part} the input {str(input_path)!r}, which would be lost; "
                    "choose another name."
                )
    # a name with a NUL character, or half a character
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{shown} cannot be written ({reason_of(error)}).") from None
    if os.path.isdir(path):
        raise InputError(f"{shown} is a folder; choose another name.")
    if not force:
        way_out = ("choose another name, or overwrite it with ", Argument("force", True))
        raise InputError(f"{shown} exists", way_out=way_out)


def check_outputs(
    paths: Iterable[str | os.PathLike[str]],
    inputs: Iterable[str | os.PathLike[str]],
    *,
    force: bool,
) -> None:
    """Refuse files to be written as :func:`check_output` does, before any work."""
    inputs = list(inputs)
    for path in paths:
        check_output(path, inputs, force=force)


def atomic_write(path: str | os.PathLike[str], data: str | bytes) -> None:
    """Write a file whole or not at all; text is written in UTF-8."""
    with atomic_file(path) as file:
        file.write(data.encode("utf-8") if isinstance(data, str) else data)


@contextlib.contextmanager
def atomic_file(path: str | os.PathLike[str], durable: bool = True) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces ``path`` when the block ends without an error.

    The content of a ``durable`` file, for which a disk takes milliseconds, reaches it before the
    name does, so a crash of the machine leaves the old file or the new one. A killed process can
    leave a hidden ``.tmp`` file: :func:`remove_leftovers`.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise InputError(f"path must lie in a folder that exists, got {str(path)!r}.")
    # renaming would replace a pipe or a device such as /dev/null by a file
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise InputError(f"path must be that of a file, got {str(path)!r}, a pipe or a device.")
    # a rename is atomic within one file system only, so the temporary file is in the same folder
    temporary = path.with_name(f".{path.name}.gomkcn-{secrets.token_hex(4)}.tmp")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.replace(temporary, path)
        if durable:
            sync_folder(path.parent)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"path {str(path)!r} cannot be written ({reason}).") from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def remove_leftovers(folder: Path) -> None:
    """Remove the temporary files of killed processes from a folder and its subfolders."""
    inside = [path for path in folder.iterdir() if path.is_dir() and not path.is_symlink()]
    for place in (folder, *inside):
        for leftover in place.glob(f".*.gomkcn-{'[0-9a-f]' * 8}.tmp"):
            with contextlib.suppress(OSError):
                leftover.unlink()


def sync_folder(folder: Path) -> None:
    """Write the file names of a folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def named(what: Path | str) -> Iterator[None]:
    """Put the name of a file, or what else it is called, in front of what is wrong with it."""
    try:
        yield
    except (InputError, InputTypeError) as error:
        place = what if isinstance(what, str) else called(what)
        raise InputError.of(error.message.at(place)) from None


def printable(name: str) -> str:
    """Return a name for a terminal: one line, 100 letters at most, no control characters."""
    return visible(name if len(name) <= 100 else name[:99] + "…")


def visible(text: str) -> str:
    """Return one line of text, with the sign � for each control character or line break."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "�" for letter in text)


def listed(names: Iterable[str]) -> str:
    """Return names for a message, the middle of a long list left out."""
    names = [printable(name) for name in names]
    return ", ".join(names if len(names) <= 12 else [*names[:10], "…", names[-1]])


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
