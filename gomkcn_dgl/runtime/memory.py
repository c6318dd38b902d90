"""Sizes in bytes as people write them, and the memory that a job may take."""

from __future__ import annotations

import re
from pathlib import Path

from gomkcn_dgl.errors import InputError

KIB, MIB, GIB, TIB = (2**power for power in (10, 20, 30, 40))

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KIB": KIB, "MIB": MIB, "GIB": GIB, "TIB": TIB}
_SIZE = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,9})?) *([A-Za-z]*)")


def parse_size(text: str) -> int:
    """Return the bytes, at least 1, of a size such as ``512MiB``, ``1.5 GB`` or ``1000000``."""
    match = _SIZE.fullmatch(text.strip())
    unit = _UNITS.get(match[2].upper()) if match else None
    size = 0 if match is None or unit is None else int(float(match[1]) * unit)
    if size < 1:
        raise InputError(
            f"memory_limit must be a size such as 512MiB, 2GiB or a number of bytes, got {text!r}."
        )
    return size


def format_size(size: float) -> str:
    """Return a number of bytes in units of 1024, such as ``1.5 GiB``."""
    for unit, name in ((TIB, "TiB"), (GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return f"{size:.0f} bytes"


def check_memory(needed: float, limit: float, what: str) -> None:
    """Refuse a job that needs more bytes than it may take, for what such as "10 node ids"."""
    if needed > limit:
        raise InputError(
            f"memory_limit must be at least {format_size(needed)} for {what}, "
            f"got {format_size(limit)}; raise it."
        )


def memory_in_use() -> int:
    """Resident bytes of this process; 0 where the system does not report them."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (ImportError, OSError):
        return 0
    return pages * resource.getpagesize()
