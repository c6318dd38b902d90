"""A text file, plain or ``.gz`` → blocks of whole lines, in little memory whatever its size."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.tables import BYTE_ORDER_MARK, refuse_nul
from gomkcn_dgl.runtime.file_bytes import file_problems, most_bytes

# a line has to fit into memory
LONGEST_LINE = 2**24


def text_blocks(
    path: Path, block_bytes: int, on_progress: Callable[[int], Any] = lambda position: None
) -> Iterator[tuple[int, bytes]]:
    """Yield the number of its first line and the bytes of each block, without byte-order mark.

    Parameters
    ----------
    path : pathlib.Path
    block_bytes : int
        Bytes of a block, about; a longer line makes a longer block.
    on_progress : callable
        Told the position in the file after each block.

    Raises
    ------
    InputError
        For a file that cannot be read, is empty, holds a NUL byte or a line of 16 MiB or more.
    """
    with file_problems(path):
        if path.exists() and not path.is_file() and not path.is_dir():
            raise OSError("it is a pipe or a device")
        raw = open(path, "rb")  # noqa: SIM115
    with raw:
        is_packed = path.suffix.lower() == ".gz"
        file = cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if is_packed else raw
        most = most_bytes(path.stat().st_size) if is_packed else None
        number, is_empty = 1, True
        for block in _whole_lines(path, file, block_bytes, most):
            if is_empty:
                block = block.removeprefix(BYTE_ORDER_MARK) if number == 1 else block
                is_empty = not block.strip()
            refuse_nul(block, number)
            yield number, block
            number += block.count(b"\n") + block.count(b"\r") - block.count(b"\r\n")
            on_progress(raw.tell())
    if is_empty:
        raise InputError("the file is empty.")


def _whole_lines(path: Path, file: BinaryIO, size: int, most: int | None) -> Iterator[bytes]:
    """Yield the bytes of a file, cut after an end of line; refuse what becomes far too much."""
    rest, total = b"", 0
    while True:
        with file_problems(path):
            piece = file.read(size)
        total += len(piece)
        if most is not None and total > most:
            raise InputError(
                f"the file would become more than {most >> 20} MiB, hundreds of times its size; "
                "decompress it first."
            )
        if not piece:
            if rest:
                yield rest
            return
        rest += piece
        # a \r at the end may be half of \r\n
        cut = max(rest.rfind(b"\n"), rest.rfind(b"\r", 0, len(rest) - 1)) + 1
        if cut:
            yield rest[:cut]
            rest = rest[cut:]
        elif len(rest) >= LONGEST_LINE:
            raise InputError(f"a line must have fewer than {LONGEST_LINE} bytes, got a longer one.")
