"""A file or a folder that is read: its path, and its content, which is read once.

A text is in UTF-8, or in UTF-16 as Windows writes it; no other encoding is guessed.
"""

from __future__ import annotations

import io
import os
import re
from functools import cached_property
from pathlib import Path
from typing import Any

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import file_problems, is_stream, open_file
from gomkcn_dgl.runtime.packed_files import (
    ending_of_member,
    opened,
    packing_of_name,
    read_bytes,
)

# the first bytes of a file, by which a table is told: those of 100 rows of a matrix of 1,000, of
# thousands of edges, or of any header that a person reads
_HEAD_BYTES = 2**18
SAVE_IN_UTF8 = "save the file in UTF-8 (Excel: CSV UTF-8)"
# what older programs write in place of it
_FROM_LATIN1 = "or convert it, from Latin-1 by: iconv -f latin1 -t utf-8 FILE"
_ENCODINGS = {
    b"\xef\xbb\xbf": "utf-8",
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
}


class InputFile:
    r"""What readers take: its content is read when it is first asked for, and kept.

    Parameters
    ----------
    path : path
        A file, plain or packed (``.gz``, ``.bz2``, ``.xz``, ``.zip`` of one file), a folder, or a
        stream: ``-``, the standard input, or a pipe. A stream is read once, unpacked if its first
        bytes say so, and its ending is that of files that begin as it does.

    Raises
    ------
    InputError
        At the content, for what is not there or cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "path.txt"
    >>> _ = path.write_text("0 1\r\n1 2")
    >>> file = InputFile(path)
    >>> file.ending, file.text
    ('.txt', b'0 1\n1 2')
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        # tables that were opened to tell what the file is, which its reader opens again
        self.tables: dict[bool, Any] = {}

    @cached_property
    def is_folder(self) -> bool:
        """Whether it is a folder, whose readers open the files in it."""
        return self.path.is_dir()

    @cached_property
    def is_stream(self) -> bool:
        """Whether it has no name that says what it is, and can be read once."""
        return is_stream(self.path)

    @property
    def packing(self) -> str:
        """The end of its name that says how it is packed, such as ``.gz``; "" for a plain file."""
        return "" if self.is_stream else packing_of_name(self.path)

    @cached_property
    def ending(self) -> str:
        """The end of its name without ``.gz`` or such, such as ``.csv``, in small letters."""
        if self.is_stream:
            return ending_of_content(self.data)
        if self.packing == ".zip":
            return ending_of_member(self.path)
        return Path(self.path.name.lower().removesuffix(self.packing)).suffix

    @cached_property
    def data(self) -> bytes:
        """The content, unpacked; never nothing."""
        return read_bytes(self.path)

    def source(self) -> Any:
        """What a library opens that reads parts of a file: its path, or what a stream held."""
        if self.is_stream:
            return io.BytesIO(self.data)
        with file_problems(self.path):
            open_file(self.path).close()
        return self.path

    @cached_property
    def text(self) -> bytes:
        r"""The content as a text in UTF-8 whose lines end in ``\n``; never nothing."""
        return checked_text(self.data)

    @cached_property
    def head(self) -> bytes:
        """The first bytes of the text, without those behind them being read."""
        if self.is_stream:
            return as_utf8(self.data[:_HEAD_BYTES])
        with (
            file_problems(self.path),
            open_file(self.path) as raw,
            opened(raw, self.packing) as file,
        ):
            return as_utf8(file.read(_HEAD_BYTES))


# how files begin that no table does, in bytes or, behind blanks, in text
_BEGIN = {".parquet": b"PAR1", ".npz": b"PK\x03\x04", ".bin": b"\x3f\xa1\xb4\x46\xf0\x4f\x2e\xdd"}
_BEGIN_TEXT = {
    ".mtx": re.compile(rb"%%MatrixMarket", re.IGNORECASE),
    ".g6": re.compile(rb">>graph6<<"),
    ".s6": re.compile(rb">>sparse6<<"),
    ".json": re.compile(rb"[{\[]"),
}
# and in a line that is no comment
_BEGIN_LINE = {
    ".net": re.compile(rb"\*(?:vertices|network)\b", re.IGNORECASE),
    ".gml": re.compile(rb"graph\s*\["),
    ".dimacs": re.compile(rb"p[ \t]+(?:edge|col|sp|max)\b"),
}
_COMMENT_LINE = re.compile(rb"[%#]|c\s|Creator\b|Version\b")
_XML = re.compile(rb"<(?:\w+:)?(graphml|gexf)\b")
_END_OF_MOLECULE = re.compile(rb"^(?:M  END|\$\$\$\$)", re.MULTILINE)
_SEPARATOR = re.compile(rb"[,;\t]")


def ending_of_content(data: bytes) -> str:
    r"""The end of the names of files that begin so: ``.csv`` or ``.txt`` for any table.

    >>> ending_of_content(b"graph [ node [ id 0 ] ]"), ending_of_content(b"a b\nb c\n")
    ('.gml', '.txt')
    """
    for ending, sign in _BEGIN.items():
        if data.startswith(sign):
            return ending
    text = as_utf8(data[:_HEAD_BYTES]).lstrip()
    for ending, pattern in _BEGIN_TEXT.items():
        if pattern.match(text):
            return ending
    if text.startswith(b"<") and (found := _XML.search(text)):
        return f".{found[1].decode()}"
    if _END_OF_MOLECULE.search(text):
        return ".sdf"
    at = 0
    while at < len(text) and (not text[at : at + 1].strip() or _COMMENT_LINE.match(text, at)):
        at = text.find(b"\n", at) + 1 or len(text)
    for ending, pattern in _BEGIN_LINE.items():
        if pattern.match(text, at):
            return ending
    end = text.find(b"\n", at)
    return ".csv" if _SEPARATOR.search(text, at, len(text) if end < 0 else end) else ".txt"


def checked_text(data: bytes) -> bytes:
    r"""A text in UTF-8 whose lines end in ``\n``; a binary file is refused."""
    text = as_utf8(data)
    if b"\0" in text:
        number = 1 + text[: text.index(b"\0")].count(b"\n")
        rule = "text was expected, got a NUL byte; the file seems to be binary"
        raise InputError(f"line {number}: {rule}.")
    return text


def as_utf8(data: bytes) -> bytes:
    r"""Return a text in UTF-8, whose lines end in ``\n``.

    UTF-16, as Windows writes it, is told by its byte order mark or its zero bytes.
    """
    mark = next((mark for mark in _ENCODINGS if data.startswith(mark)), b"")
    encoding = _ENCODINGS.get(mark, "utf-8")
    if not mark and data[:1] != data[1:2] and b"\0" in data[:2]:
        encoding = "utf-16-be" if data[:1] == b"\0" else "utf-16-le"
    data = data[len(mark) :]
    if encoding != "utf-8":
        try:
            data = data.decode(encoding).encode()
        except UnicodeError:
            raise InputError(
                f"the file begins as text in {encoding.upper()}, and not all of it is; "
                f"{SAVE_IN_UTF8}."
            ) from None
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def decode(data: bytes, first: int = 1) -> str:
    """Return text in UTF-8, whose first line has the number ``first``."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        number = first + data.count(b"\n", 0, error.start)
        raise InputError(
            f"line {number}: text in UTF-8 was expected, got the byte 0x{data[error.start]:02x}; "
            f"{SAVE_IN_UTF8}, {_FROM_LATIN1}."
        ) from None
