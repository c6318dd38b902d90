"""How much memory there is, with limits of this process."""

import multiprocessing
import resource

import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.memory import (
    available_memory,
    check_memory,
    check_readable,
    readable_bytes,
    total_memory,
)


def limited(limit, found):
    """Tell what there is below a limit of addresses, as ulimit -v sets it."""
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    found.put((total_memory(), available_memory()))


def test_limits_of_the_process_count():
    context = multiprocessing.get_context("spawn")
    found, limit = context.Queue(), 16 << 30
    child = context.Process(target=limited, args=(limit, found))
    child.start()
    total, available = found.get(timeout=60)
    child.join()
    assert 0 < available < total <= limit
    assert readable_bytes() <= available_memory() <= total_memory()


def test_what_does_not_fit_is_refused(monkeypatch):
    for name in ("available_memory", "total_memory"):
        monkeypatch.setattr(f"gomkcn_dgl.runtime.memory.{name}", lambda: 1000)
    check_readable(500, "the file")
    check_memory("a graph", 1000, "give fewer nodes")
    with pytest.raises(InputError, match="^the file would take 501 bytes .* at most 500 bytes may"):
        check_readable(501, "the file")
    with pytest.raises(InputError, match="^a graph would need 1001 bytes .* are 1000 bytes; "):
        check_memory("a graph", 1001, "give fewer nodes")
