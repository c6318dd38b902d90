"""Machine code is kept for later processes, is that of the sources at hand, and can do without."""

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from gomkcn_dgl.kernels.threads import run_blocks
from gomkcn_dgl.runtime import compiled

# the compiled functions that were called, and how often code was found in the cache or not
PROGRAM = """
import json, networkx as nx
from gomkcn_dgl import as_csr, extract_subgraphs
from gomkcn_dgl.kernels.bfs_numba import _extract_kernel

batch = extract_subgraphs(as_csr(nx.cycle_graph(9)), 2, 4)
stats = _extract_kernel.stats
print(json.dumps({
    "nodes": batch.nodes.tolist(),
    "hits": sum(stats.cache_hits.values()),
    "misses": sum(stats.cache_misses.values()),
}))
"""


def run(program: str, **environment: str) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_second_process_compiles_nothing(tmp_path):
    first, second = (run(PROGRAM, NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2))
    assert (first.pop("hits"), first.pop("misses")) == (0, 1)
    assert (second.pop("hits"), second.pop("misses")) == (1, 0)
    assert first == second


def test_without_a_place_to_write_it_is_compiled_each_time(tmp_path):
    blocked = tmp_path / "file"
    blocked.touch()
    whole = run(PROGRAM, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    without = run(PROGRAM, NUMBA_CACHE_DIR=str(blocked))
    again = run(PROGRAM, NUMBA_CACHE_DIR=str(blocked))
    assert without["hits"] == again["hits"] == 0
    assert without["nodes"] == whole["nodes"]


def test_a_full_disk_keeps_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=2**20))
    assert compiled._cache_folder.__wrapped__(Path(__file__).parent) is None


def test_other_sources_have_another_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    sources, kernels = tmp_path / "sources", tmp_path / "kernels"
    for folder in (sources, kernels):
        folder.mkdir()
        (folder / "loop.py").write_text("a = 1\n")
    monkeypatch.setattr(compiled, "_KERNELS", kernels)
    folder_of = compiled._cache_folder.__wrapped__
    before = folder_of(sources)
    assert folder_of(sources) == before
    for changed in (sources, kernels):
        (changed / "loop.py").write_text("a = 2\n")
        assert folder_of(sources) != before
        (changed / "loop.py").write_text("a = 1\n")
    assert folder_of(sources) == before


@pytest.mark.parametrize("num_blocks", [1, 7, 1000])
def test_each_block_is_done_once(num_blocks):
    done, threads = np.zeros(num_blocks, int), set()

    def work(first: int, last: int) -> None:
        done[first:last] += 1
        threads.add(threading.get_ident())

    run_blocks(work, num_blocks, 1e9)
    assert (done == 1).all()


def test_what_goes_wrong_in_a_thread_is_raised():
    def work(first: int, last: int) -> None:
        if first <= 500 < last:
            raise ValueError("block 500")

    with pytest.raises(ValueError, match="block 500"):
        run_blocks(work, 1000, 1e9)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_threads_of_its_own():
    program = """
import os, json, numba, numpy as np
from gomkcn_dgl.kernels.threads import run_blocks
numba.set_num_threads(2)
done = np.zeros(64, int)
def work(first, last):
    done[first:last] += 1
run_blocks(work, 64, 1e9)
child = os.fork()
if child == 0:
    run_blocks(work, 64, 1e9)
    os._exit(int((done != 2).any()))
print(json.dumps({"status": os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}))
"""
    assert run(program, NUMBA_NUM_THREADS="2") == {"status": 0}


def test_code_of_other_flags_is_compiled_anew(tmp_path):
    """Else a run that checks bounds would be given code that does not."""
    run(PROGRAM, NUMBA_CACHE_DIR=str(tmp_path))
    checked = run(PROGRAM, NUMBA_CACHE_DIR=str(tmp_path), NUMBA_BOUNDSCHECK="1")
    assert checked["hits"] == 0


def test_a_cache_that_cannot_be_written_ends_nothing(tmp_path):
    """A quota, or a disk that fills up after the start."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    limit += "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    answer = run(limit + PROGRAM, NUMBA_CACHE_DIR=str(tmp_path))
    assert answer["hits"] == 0
    assert run(PROGRAM, NUMBA_CACHE_DIR=str(tmp_path))["nodes"] == answer["nodes"]


def test_without_a_home_nothing_is_written_to_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "")
    monkeypatch.setattr(compiled.os.path, "expanduser", lambda path: path)
    assert compiled._cache_folder.__wrapped__(Path(__file__).parent) is None
    assert not list(tmp_path.iterdir())


def test_code_that_was_not_used_for_long_is_removed(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    old, new = tmp_path / "gomkcn_dgl" / "old", tmp_path / "gomkcn_dgl" / "new"
    for folder in (old, new):
        folder.mkdir(parents=True)
    os.utime(old, (0, 0))
    mine = compiled._cache_folder.__wrapped__(Path(__file__).parent)
    assert sorted(path.name for path in old.parent.iterdir()) == sorted(["new", Path(mine).name])


def test_a_thread_may_go_on_when_the_main_one_has_ended():
    program = """
import json, threading, numba, numpy as np
from gomkcn_dgl.kernels.threads import run_blocks
numba.set_num_threads(2)
done = np.zeros(64, int)
def work(first, last):
    done[first:last] += 1
def late():
    threading.main_thread().join()
    run_blocks(work, 64, 1e9)
    print(json.dumps({"done": done.tolist()}), flush=True)
threading.Thread(target=late).start()
"""
    assert run(program, NUMBA_NUM_THREADS="2") == {"done": [1] * 64}
