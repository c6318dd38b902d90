"""Memory: sizes as people write them, and what a job needs beside what it may take."""

from __future__ import annotations

import re
from pathlib import Path

from gomkcn_dgl.errors import InputError

KIB, MIB, GIB = 2**10, 2**20, 2**30

_UNITS = {
    "": 1,
    "B": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KIB": KIB,
    "MIB": MIB,
    "GIB": GIB,
    "TIB": 2**40,
}
_SIZE = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,9})?) *([A-Za-z]*)")


def parse_size(text: str) -> int:
    """Return the bytes of a size such as ``512MiB``, ``2GiB``, ``1.5 GB`` or plain ``1000000``.

    Parameters
    ----------
    text : str
        A number and a unit, of 1000 (kB, MB, GB, TB) or of 1024 (KiB, MiB, GiB, TiB), in any case.

    Returns
    -------
    int
        At least 1.

    Raises
    ------
    InputError
        For anything else.

    Examples
    --------
    >>> parse_size("2GiB"), parse_size("1.5 kB")
    (2147483648, 1500)
    """
    match = _SIZE.fullmatch(text.strip())
    unit = _UNITS.get(match[2].upper()) if match else None
    size = 0 if match is None or unit is None else int(float(match[1]) * unit)
    if size < 1:
        raise InputError(
            f"memory_limit must be a size such as 512MiB, 2GiB or a number of bytes, got {text!r}."
        )
    return size


def format_size(size: float) -> str:
    """Return bytes for a person, in units of 1024.

    Examples
    --------
    >>> format_size(1536 * 2**20), format_size(12)
    ('1.5 GiB', '12 bytes')
    """
    for unit, name in ((2**40, "TiB"), (GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return f"{size:.0f} bytes"


def check_memory(needed: float, limit: float, what: str) -> None:
    """Refuse a job before it takes more memory than it may.

    Parameters
    ----------
    needed, limit : float
        Bytes that the job will take, and those that it may.
    what : str
        What needs them, as in "the ids of 10 nodes".

    Raises
    ------
    InputError
        If more is needed than allowed.

    Examples
    --------
    >>> check_memory(3 * GIB, 2 * GIB, "the ids of 10 nodes")
    Traceback (most recent call last):
        ...
    gomkcn_dgl.errors.InputError: memory_limit must be at least 3.0 GiB for the ids of 10 nodes, \
got 2.0 GiB; raise it.
    """
    if needed > limit:
        raise InputError(
            f"memory_limit must be at least {format_size(needed)} for {what}, "
            f"got {format_size(limit)}; raise it."
        )


def memory_in_use() -> int:
    """Bytes of memory that this process holds at the moment; 0 where the system does not say."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (ImportError, OSError):
        return 0
    return pages * resource.getpagesize()
