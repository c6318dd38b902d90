"""How much memory there is, with limits of this process."""

import subprocess
import sys

import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.memory import (
    check_memory,
    check_readable,
    readable_bytes,
    total_memory,
)

# what there is below a limit of addresses, as ulimit -v sets it
LIMITED = """
import resource, sys
from gomkcn_dgl.runtime.memory import available_memory, total_memory
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]), int(sys.argv[1])))
print(total_memory(), available_memory())
"""


def test_limits_of_the_process_count():
    limit = 16 << 30
    command = [sys.executable, "-c", LIMITED, str(limit)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    total, available = map(int, answer.stdout.split())
    assert 0 < available < total <= limit
    assert readable_bytes() < total_memory()


def test_what_does_not_fit_is_refused(monkeypatch):
    for name in ("available_memory", "total_memory"):
        monkeypatch.setattr(f"gomkcn_dgl.runtime.memory.{name}", lambda: 2**30)
    check_readable(2**29, "the file")
    check_memory("a graph", 2**30, "give fewer nodes")
    with pytest.raises(InputError, match=r"^the file would take 513.0 MiB .* most 512.0 MiB may"):
        check_readable(2**29 + 2**20, "the file")
    with pytest.raises(InputError, match=r"^a graph would need 1.1 GiB .* are 1.0 GiB; "):
        check_memory("a graph", 1.1 * 2**30, "give fewer nodes")
