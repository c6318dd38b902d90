"""A file or a folder that is read: its path, and its content, which is read once.

A text is in UTF-8, or in UTF-16 as Windows writes it; no other encoding is guessed.
"""

from __future__ import annotations

import gzip
import os
from functools import cached_property
from pathlib import Path
from typing import Any

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import file_problems, open_file, read_bytes

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
        A file, plain or ``.gz``, or a folder.

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
        self.opened: dict[bool, Any] = {}

    @cached_property
    def is_folder(self) -> bool:
        """Whether it is a folder, whose readers open the files in it."""
        return self.path.is_dir()

    @property
    def is_packed(self) -> bool:
        """Whether its name ends in ``.gz``."""
        return self.path.suffix.lower() == ".gz"

    @property
    def ending(self) -> str:
        """The end of its name without ``.gz``, such as ``.csv``, in small letters."""
        return Path(self.path.name.lower().removesuffix(".gz")).suffix

    @cached_property
    def data(self) -> bytes:
        """The content, unpacked; never nothing."""
        return read_bytes(self.path)

    @cached_property
    def text(self) -> bytes:
        r"""The content as a text in UTF-8 whose lines end in ``\n``; never nothing."""
        return checked_text(self.data)

    @cached_property
    def head(self) -> bytes:
        """The first bytes of the text, without those behind them being read."""
        with file_problems(self.path), open_file(self.path) as raw:
            file = gzip.GzipFile(fileobj=raw) if self.is_packed else raw
            return as_utf8(file.read(_HEAD_BYTES))


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
