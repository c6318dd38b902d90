"""A text file of any size → blocks of whole lines."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.tables import BYTE_ORDER_MARK, count_lines, refuse_nul
from gomkcn_dgl.runtime.files import read_pieces

# The number of its first line and the bytes of each block of whole lines.
Blocks = Iterator[tuple[int, bytes]]

_LONGEST_LINE = 2**24


def text_blocks(path: Path, size: int, progress: bool = False) -> Blocks:
    """Cut a file, plain or ``.gz``, at ends of lines; skip blank blocks, refuse what is no text."""
    number, rest, is_blank = 1, b"", True
    for piece in itertools.chain(read_pieces(path, size, progress), [b""]):
        block, rest = _split_lines(rest + piece, is_end=not piece)
        content = block.removeprefix(BYTE_ORDER_MARK) if number == 1 else block
        if content.strip():
            is_blank = False
            refuse_nul(content, number)
            yield number, content
        number += count_lines(block)
    if is_blank:
        raise InputError("the file is empty.")


def _split_lines(data: bytes, is_end: bool) -> tuple[bytes, bytes]:
    """Return the complete lines and the beginning of the next line."""
    if is_end:
        return data, b""
    # A "\r" as the last byte may be half of "\r\n".
    cut = max(data.rfind(b"\n"), data.rfind(b"\r", 0, len(data) - 1)) + 1
    if not cut and len(data) >= _LONGEST_LINE:
        raise InputError(f"a line must have fewer than {_LONGEST_LINE} bytes, got a longer one.")
    return data[:cut], data[cut:]
