"""Machine code is kept for later processes, is that of the sources at hand, and can do without."""

import os

import pytest
from forked import run

from gomkcn_dgl.runtime import compiled

MODULE = """
from gomkcn_dgl.runtime.compiled import compiled


@compiled()
def double(x):
    return 2 * x
"""
# how often code was found in the cache or not
PROGRAM = """
import json
from doubling import double

value, stats = double(4), double.stats
print(json.dumps([value, len(stats.cache_hits), len(stats.cache_misses)]))
"""


@pytest.fixture
def cache(tmp_path):
    """Where a process finds a module with a compiled function, and keeps its machine code."""
    (tmp_path / "doubling.py").write_text(MODULE)
    (tmp_path / "cache").mkdir()
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    return {"PYTHONPATH": path, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}


def test_a_second_process_compiles_nothing(cache):
    assert run(PROGRAM, **cache) == [8, 0, 1]
    assert run(PROGRAM, **cache) == [8, 1, 0]


def test_a_cache_that_cannot_be_written_ends_nothing(cache):
    """A quota, or a disk that fills up after the start."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    limit += "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    assert run(limit + PROGRAM, **cache)[0] == 8


def test_without_a_folder_for_it_a_function_is_compiled_and_not_kept(monkeypatch):
    def refuse(function):
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(compiled, "_Cache", refuse)
    assert compiled.compiled()(_double)(4) == 8


def _double(x):
    return 2 * x


@pytest.mark.parametrize("changed", ["sources", "kernels"])
def test_the_hash_follows_the_sources(tmp_path, monkeypatch, changed):
    for folder in ("sources", "kernels"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "loop.py").write_text("a = 1\n")
    monkeypatch.setattr(compiled, "_KERNELS", tmp_path / "kernels")
    hash_of = compiled._hash_sources.__wrapped__
    before = hash_of(tmp_path / "sources")
    assert hash_of(tmp_path / "sources") == before
    (tmp_path / changed / "loop.py").write_text("a = 2\n")
    assert hash_of(tmp_path / "sources") != before
