"""The content of a file that may be packed, or of a stream, piece by piece: never more than fits.

A few packed bytes may stand for any number of others, and a stream may have no end.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import (
    STDIN,
    file_problems,
    is_stream,
    listed,
    open_file,
    read_file,
    reason_of,
)
from gomkcn_dgl.runtime.memory import format_size, readable_bytes

# ends of the names of packed files, and how these begin
PACKED = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ\x00", ".zip": b"PK\x03\x04"}
# bytes that are read at a time
_PIECE_BYTES = 2**24
# of an archive of macOS: what it knows of the file that is in it
_MACOS = "__MACOSX/"
_STREAM = "the stream holds"


def read_bytes(path: Path) -> bytes:
    """Return what a file or a stream holds, unpacked; never nothing.

    What would take more than half of the available memory is refused while it is read.
    """
    with file_problems(path):
        if is_stream(path):
            data = _stream_bytes(path)
            packing = packing_of_content(data)
            if packing:
                data = _unpacked(io.BytesIO(data), packing, len(data))
        elif packing := packing_of_name(path):
            with open_file(path) as raw:
                data = _unpacked(raw, packing, os.fstat(raw.fileno()).st_size)
        else:
            data = read_file(path)
    if not data or data.isspace():
        raise InputError("the file is empty.")
    return data


def packing_of_name(path: Path) -> str:
    """The end of a name that says how a file is packed, in small letters; "" for a plain one."""
    ending = path.suffix.lower()
    return ending if ending in PACKED else ""


def packing_of_content(data: bytes) -> str:
    """How some bytes are packed, as by the end of a name; an archive of arrays is not."""
    found = next((ending for ending, sign in PACKED.items() if data.startswith(sign)), "")
    if found == ".zip":
        with contextlib.suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(data)) as archive:
            if all(name.endswith(".npy") for name in archive.namelist()):
                return ""
    return found


# of the standard input, and of each pipe, that was read
_stdin: list[tuple[Any, bytes]] = []
_pipes: dict[tuple[int, int], bytes] = {}


def _stream_bytes(path: Path) -> bytes:
    """The content of a stream, which can be read once, and is known from then on."""
    if str(path) in STDIN:
        if not _stdin or _stdin[0][0] is not sys.stdin:
            _stdin[:] = [(sys.stdin, _read_pieces(_binary(sys.stdin), _STREAM))]
        return _stdin[0][1]
    pipe = os.stat(path)
    # which no other pipe has while this one is open
    key = pipe.st_dev, pipe.st_ino
    if key not in _pipes:
        with open(path, "rb") as file:
            _pipes[key] = _read_pieces(file, _STREAM)
    return _pipes[key]


def _binary(stream: Any) -> Any:
    """The bytes behind a stream of text."""
    if not hasattr(stream, "buffer"):
        raise OSError("there is no standard input")
    return stream.buffer


def _unpacked(raw: BinaryIO, packing: str, size: int) -> bytes:
    """The content of a packed file, of so many bytes."""
    with opened(raw, packing) as file:
        return _read_pieces(file, f"the file of {format_size(size)} unpacks to")


@contextlib.contextmanager
def opened(raw: BinaryIO, packing: str) -> Iterator[Any]:
    """A file that is read as it was before it was packed."""
    if packing == ".zip":
        try:
            with zipfile.ZipFile(raw) as archive, archive.open(only_member(archive)) as file:
                yield file
        # it is encrypted, or packed in a way that Python does not know
        except (RuntimeError, NotImplementedError) as error:
            raise InputError(f"the zip archive cannot be unpacked ({reason_of(error)}).") from None
        return
    openers: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    if packing not in openers:
        yield raw
        return
    with openers[packing](raw) as file:
        yield file


def only_member(archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    """The file that an archive holds; several are refused by their names."""
    members = [
        member
        for member in archive.infolist()
        if not member.is_dir() and not member.filename.startswith(_MACOS)
    ]
    if len(members) != 1:
        names = f": {listed(member.filename for member in members)}" if members else ""
        raise InputError(
            "a zip archive must hold one file",
            got=f"{len(members)}{names}",
            way_out="unpack it, and name the file or the folder",
        )
    return members[0]


def ending_of_member(path: Path) -> str:
    """The end of the name of the file in an archive."""
    with file_problems(path), open_file(path) as raw, zipfile.ZipFile(raw) as archive:
        return Path(only_member(archive).filename).suffix.lower()


def _read_pieces(file: Any, what: str) -> bytes:
    """Read up to the end; more than may be read is refused when it is reached."""
    pieces = list[bytes]()
    size = 0
    bound = readable_bytes()
    while piece := file.read(_PIECE_BYTES):
        pieces.append(piece)
        size += len(piece)
        if size > bound:
            raise InputError(
                f"{what} more than {format_size(bound)}, half of the memory that is available; "
                "use a part of it, or more memory."
            )
    return b"".join(pieces)
