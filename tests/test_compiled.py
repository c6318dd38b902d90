"""Machine code is kept for later processes, is that of the sources at hand, and can do without."""

import json
import os
import subprocess
import sys

import pytest

from gomkcn_dgl.runtime import compiled

# how often code was found in the cache or not
PROGRAM = """
import json, networkx as nx
from gomkcn_dgl import SubgraphSettings, as_csr, extract_subgraphs
from gomkcn_dgl.kernels.bfs_numba import _extract_kernel

batch = extract_subgraphs(as_csr(nx.cycle_graph(9)), SubgraphSettings(2, 4))
stats = _extract_kernel.stats
print(json.dumps([batch.nodes[0].tolist(), len(stats.cache_hits), len(stats.cache_misses)]))
"""


def run(program, **environment):
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "0", **environment}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_second_process_compiles_nothing(tmp_path):
    assert run(PROGRAM, NUMBA_CACHE_DIR=str(tmp_path)) == [[0, 1, 8, 2], 0, 1]
    assert run(PROGRAM, NUMBA_CACHE_DIR=str(tmp_path)) == [[0, 1, 8, 2], 1, 0]


def test_an_import_creates_no_file(tmp_path):
    program = "import gomkcn, gomkcn_dgl.kernels.matching_numba, gomkcn_dgl.kernels.bfs_numba"
    for name in ("HOME", "NUMBA_CACHE_DIR"):
        (tmp_path / name).mkdir()
    folders = {name: str(tmp_path / name) for name in ("HOME", "NUMBA_CACHE_DIR")}
    before = sorted(tmp_path.rglob("*"))
    run(program + "; print(0)", **folders, PYTHONDONTWRITEBYTECODE="1")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_cache_that_cannot_be_written_ends_nothing(tmp_path):
    """A quota, or a disk that fills up after the start."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    limit += "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    assert run(limit + PROGRAM, NUMBA_CACHE_DIR=str(tmp_path))[0] == [0, 1, 8, 2]


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
