"""How much memory there is, asked before much of it is taken."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import format_size

# limits of a container, of both versions of control groups
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


@cache
def total_memory() -> int:
    """Bytes of memory that this process may take at most: the machine's, or less by a limit."""
    sizes = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    try:
        import resource

        sizes.append(resource.getrlimit(resource.RLIMIT_AS)[0])
    # not on Windows
    except ImportError:
        pass
    for name in _LIMITS:
        try:
            sizes.append(int(Path(name).read_text(encoding="ascii")))
        # there is none, or it is "max"
        except (OSError, ValueError):
            continue
    # a limit of -1 is none
    return min(size for size in sizes if size > 0)


def check_memory(what: str, size: float, way_out: str) -> None:
    """Refuse what would need more than the memory of the machine, before it is allocated.

    >>> check_memory("a graph of 3 nodes", 1024, "give fewer nodes")
    """
    if size > (there := total_memory()):
        raise InputError(
            f"{what} would need {format_size(size)} of memory, and there are {format_size(there)}; "
            f"{way_out}."
        )
