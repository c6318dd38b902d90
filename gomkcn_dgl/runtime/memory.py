"""How much memory there is, asked before much of it is taken."""

from __future__ import annotations

import contextlib
from functools import cache
from pathlib import Path

from gomkcn_dgl.errors import InputError

# limits of a container, of both versions of control groups
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
# the share of the available memory that the bytes of a file may take: what is made of them, such as
# columns of text, takes about as much again
_SHARE_TO_READ = 0.5
# address space that the libraries of a command take, but for PyTorch: with 500 MiB they end the
# process, or wait forever for a thread that cannot be started
_LEAST_ADDRESS_SPACE = 640 << 20
# bytes that any machine has: 16 MiB
_SMALL = 2**24
# a file may announce so many nodes without edges, which take no room in it, but 20 MB in memory
_MAX_BARE_NODES = 2**20


@cache
def total_memory() -> int:
    """Bytes of memory that this process may take at most: the machine's, or less by a limit."""
    # here, since commands that read nothing large start without it
    import psutil

    sizes = [psutil.virtual_memory().total]
    if (limit := _address_space()) is not None:
        sizes.append(limit)
    for name in _LIMITS:
        # there is none, or it is "max"
        with contextlib.suppress(OSError, ValueError):
            sizes.append(int(Path(name).read_text(encoding="ascii")))
    return min(size for size in sizes if size > 0)


def available_memory() -> int:
    """Bytes of memory that this process may still take: what is free of its limits and others'."""
    import psutil

    here = psutil.Process().memory_info()
    sizes = [total_memory() - here.rss, psutil.virtual_memory().available]
    if (limit := _address_space()) is not None:
        sizes.append(limit - here.vms)
    return max(0, min(sizes))


def check_address_space() -> None:
    """Refuse to work where a limit of the process ends it without a word, by ``ulimit -v``."""
    limit = _address_space()
    if limit is not None and limit < _LEAST_ADDRESS_SPACE:
        raise InputError(
            "the memory limit of this process (ulimit -v) must be at least "
            f"{format_size(_LEAST_ADDRESS_SPACE)}, got {format_size(limit)}; raise it."
        )


def readable_bytes() -> int:
    """Bytes that the content of a file may take."""
    return int(_SHARE_TO_READ * available_memory())


def check_readable(size: int, what: str) -> None:
    """Refuse content of a size that the memory cannot hold, before it is read.

    >>> check_readable(1024, "the file")
    """
    # to ask the machine takes as long as to read a small file
    if size <= _SMALL:
        return
    if size > (bound := readable_bytes()):
        raise InputError(
            f"{what} would take {format_size(size)} of memory when it is read, and at most "
            f"{format_size(bound)} may be, half of what is available; use a part of it, or more "
            "memory."
        )


def check_announced(number: int, size: int, what: str = "nodes") -> None:
    """Refuse more nodes or entries than a file of so many bytes can mean.

    >>> check_announced(1000, 64)
    """
    if number > _MAX_BARE_NODES + size:
        raise InputError(f"the file announces {number:,} {what}, more than it could hold.")


def check_memory(what: str, size: float, way_out: str) -> None:
    """Refuse what would need more than the memory of the machine, before it is allocated.

    >>> check_memory("a graph of 3 nodes", 1024, "give fewer nodes")
    """
    if size > (there := total_memory()):
        raise InputError(
            f"{what} would need {format_size(size)} of memory, and there are {format_size(there)}; "
            f"{way_out}."
        )


def format_size(size: float) -> str:
    """Return a number of bytes in units of 1024, such as ``1.5 GiB``."""
    for power, name in ((40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size >= 2**power:
            return f"{size / 2**power:.1f} {name}"
    return f"{size:.0f} bytes"


def _address_space() -> int | None:
    """The limit that ulimit -v sets; None where there is none."""
    try:
        import resource
    # not on Windows
    except ImportError:
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit
