"""Machine code is kept for later processes and is that of the sources; blocks over threads."""

import gc
import os
import pickle
import threading
from pathlib import Path

import numba
import numpy as np
import pytest
from forked import run

from gomkcn_dgl.runtime import compiled, machine_code
from gomkcn_dgl.runtime.compiled import run_blocks
from gomkcn_dgl.runtime.job import JobProgress
from gomkcn_dgl.runtime.machine_code import is_kept

COMPILES = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")

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
IS_KEPT = """
import json
from doubling import double
from gomkcn_dgl.runtime.machine_code import is_kept

before = is_kept(double)
double(4)
print(json.dumps([before, is_kept(double), is_kept(double.py_func)]))
"""


@pytest.fixture
def cache(tmp_path):
    """Where a process finds a module with a compiled function, and keeps its machine code."""
    (tmp_path / "doubling.py").write_text(MODULE)
    (tmp_path / "cache").mkdir()
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    return {"PYTHONPATH": path, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}


def test_a_second_process_compiles_nothing(cache):
    # unless nothing can be written: a quota, or a disk that fills up after the start
    # Python's own compiled files would be cut as well, for all that come later
    limit = "import sys; sys.dont_write_bytecode = True\n"
    limit += "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    limit += "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    assert run(limit + PROGRAM, **cache)[0] == 8
    assert run(PROGRAM, **cache) == [8, 0, 1]
    assert run(PROGRAM, **cache) == [8, 1, 0]


def test_code_is_that_of_the_sources_and_not_of_the_time_of_a_file(cache, tmp_path):
    module = tmp_path / "doubling.py"
    # Python's own compiled file is told by the time alone
    cache = {**cache, "PYTHONDONTWRITEBYTECODE": "1"}
    assert run(PROGRAM, **cache) == [8, 0, 1]
    # as a new installation of the same version
    os.utime(module, (0, 0))
    assert run(PROGRAM, **cache) == [8, 1, 0]
    module.write_text(MODULE.replace("2 * x", "3 * x"))
    os.utime(module, (0, 0))
    assert run(PROGRAM, **cache) == [12, 0, 1]


def test_what_another_process_compiled_is_known_as_kept(cache):
    # a plain function never needs to be compiled
    assert run(IS_KEPT, **cache) == [False, True, True]
    assert run(IS_KEPT, **cache) == [True, True, True]


def test_a_damaged_file_of_machine_code_is_made_anew(cache):
    run(PROGRAM, **cache)
    for end, damaged in (
        (".nbi", lambda whole: b""),
        (".nbi", lambda whole: whole[:-9]),
        (".nbc", lambda whole: b""),
        (".nbc", lambda whole: pickle.dumps({"of": "another program"})),
        (".nbc", lambda whole: whole[:-200] + b"x" + whole[-199:]),
    ):
        # it is found, so that it was made whole
        (file,) = Path(cache["NUMBA_CACHE_DIR"]).rglob(f"*{end}")
        file.write_bytes(damaged(file.read_bytes()))
        assert run(PROGRAM, **cache) == [8, 0, 1]
    assert run(PROGRAM, **cache) == [8, 1, 0]
    # where nothing can be put in its place it stays
    (file,) = Path(cache["NUMBA_CACHE_DIR"]).rglob("*.nbi")
    file.unlink()
    file.mkdir()
    assert run(PROGRAM, **cache)[0] == 8


def test_machine_code_of_another_function_is_not_run(cache):
    others = MODULE + "\n\n@compiled()\ndef treble(x):\n    return 3 * x\n"
    Path(cache["PYTHONPATH"].partition(os.pathsep)[0], "doubling.py").write_text(others)
    both = "from doubling import treble\ntreble(4)\n" + PROGRAM
    run(both, **cache)
    folder = Path(cache["NUMBA_CACHE_DIR"])
    (double,), (treble,) = (folder.rglob(f"*{name}*.nbc") for name in ("double", "treble"))
    double.write_bytes(treble.read_bytes())
    assert run(PROGRAM, **cache) == [8, 0, 1]


@pytest.fixture
def nowhere(monkeypatch):
    """A user without a home folder, of a package that belongs to another one."""
    monkeypatch.setattr(machine_code._Places, "_locator_classes", [machine_code._Nowhere])
    machine_code.say_not_kept.cache_clear()


@COMPILES
def test_who_has_no_folder_for_compiled_code_is_told_of_it_once(nowhere, monkeypatch, caplog):
    functions = [compiled.compiled()(_double) for _ in range(2)]
    assert all(is_kept(function) for function in functions)
    # a file of the current folder is none of theirs
    assert not any(Path(function._cache._cache_path).is_dir() for function in functions)
    assert not caplog.messages
    assert [function(4) for function in functions] == [8, 8]
    (message,) = caplog.messages
    assert message.endswith("set NUMBA_CACHE_DIR to a folder that can be written to")


@COMPILES
def test_a_full_disk_is_told_of_once(monkeypatch, caplog):
    def full(*_):
        raise OSError("no space left on device")

    machine_code.say_not_kept.cache_clear()
    monkeypatch.setattr(machine_code.FunctionCache, "save_overload", full)
    functions = [compiled.compiled()(_quadruple) for _ in range(2)]
    assert [function(4) for function in functions] == [16, 16]
    assert len(caplog.messages) == 1


def _double(x):
    return 2 * x


def _treble(x):
    return 3 * x


def _quadruple(x):
    return 4 * x


@COMPILES
def test_no_garbage_is_collected_while_a_function_compiles(monkeypatch):
    seen = []
    on_end = compiled._Compiling.on_end

    def noted(listener, event):
        seen.append(gc.isenabled())
        on_end(listener, event)

    monkeypatch.setattr(compiled._Compiling, "on_end", noted)
    assert compiled.compiled()(_double)(4) == 8
    with pytest.raises(numba.TypingError):
        compiled.compiled()(_double)(None)
    assert gc.isenabled() and seen and not any(seen)


@COMPILES
def test_a_user_is_told_once_of_what_takes_long_to_compile(monkeypatch, caplog, capsys):
    monkeypatch.setattr(compiled.compiling, "_is_told", False)
    monkeypatch.setattr(compiled.compiling, "_seconds", 0.0)
    caplog.set_level("INFO", "gomkcn_dgl")
    with JobProgress("bar") as bar:
        bar.begin("searching", 2)
        # a moment is nothing to tell of, but for the bar
        assert compiled.compiled()(_double)(4.0) == 8 and not caplog.messages
        monkeypatch.setattr(compiled, "_LONG_SECONDS", 0.0)
        assert compiled.compiled()(_double)(4.5) == 9
        assert compiled.compiled()(_treble)(4.5) == 13.5
        assert not bar._bar.postfix
    assert caplog.messages == ["compiling for this machine; the code is kept for later"]
    assert "searching: 0/2" in (shown := capsys.readouterr().err) and ", compiling" in shown


@pytest.mark.parametrize("changed", ["sources", "kernels"])
def test_the_hash_follows_the_sources(tmp_path, changed):
    for folder in ("sources", "kernels"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "loop.py").write_text("a = 1\n")
    hash_of = compiled._hash_sources.__wrapped__
    folders = tmp_path / "sources", tmp_path / "kernels"
    before = hash_of(*folders)
    assert hash_of(*folders) == before
    (tmp_path / changed / "loop.py").write_text("a = 2\n")
    assert hash_of(*folders) != before


def test_the_hash_is_one_wherever_the_packages_lie(tmp_path):
    """In a checkout mining lies behind the core, and before it where it is installed."""
    hashes = set()
    for place, names in {"checkout": ("mining", "core"), "installed": ("core", "mining")}.items():
        for name, text in zip(names, ("a = 1\n", "b = 1\n"), strict=True):
            (tmp_path / place / name).mkdir(parents=True)
            (tmp_path / place / name / "loop.py").write_text(text)
        hashes.add(compiled._hash_sources.__wrapped__(*(tmp_path / place / n for n in names)))
    assert len(hashes) == 1


# ---------------------------------------------------------------- threads


@pytest.mark.parametrize("num_blocks", [1, 7, 1000])
def test_each_block_is_done_once(num_blocks):
    done = np.zeros(num_blocks, int)

    def work(first, last):
        done[first:last] += 1

    run_blocks(work, num_blocks, 1e9)
    assert (done == 1).all()


@pytest.mark.parametrize("nanoseconds", [1, 1e9])
def test_each_thread_has_scratch_of_its_own_for_all_its_pieces(monkeypatch, nanoseconds):
    monkeypatch.setattr(compiled, "num_threads", lambda: 2)
    used = []

    def work(first, last, given, scratch):
        assert given == 7
        scratch.append(threading.get_ident())
        used.append(scratch)

    run_blocks(work, 1000, nanoseconds, 7, scratch=list)
    assert all(len(set(scratch)) == 1 for scratch in used)
    threads = {scratch[0]: id(scratch) for scratch in used}
    assert len(set(threads.values())) == len(threads) <= 2
    assert {id(scratch) for scratch in used} == set(threads.values())


def test_who_has_one_piece_of_work_does_not_ask_for_threads(monkeypatch):
    asked = []
    monkeypatch.setattr(compiled, "num_threads", lambda: asked.append(1) or 2)
    run_blocks(lambda first, last: None, 1, 1e9)
    run_blocks(lambda first, last: None, 1000, 1)
    assert not asked
    run_blocks(lambda first, last: None, 1000, 1e9)
    assert asked or numba.config.DISABLE_JIT


def test_an_error_in_a_thread_is_raised():
    def work(first, last):
        if first <= 500 < last:
            raise ValueError("block 500")

    with pytest.raises(ValueError, match="block 500"):
        run_blocks(work, 1000, 1e9)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="plain Python runs on one thread")
def test_what_a_block_calls_has_no_further_threads(monkeypatch):
    """Blocks that wait for others of the same threads would wait for ever."""
    monkeypatch.setattr(compiled, "num_threads", lambda: 3)
    both, inside = threading.Barrier(2, timeout=60), set()

    def inner(first, last):
        inside.add((outer.number, threading.get_ident()))

    def work(first, last):
        both.wait()
        outer.number = first
        run_blocks(inner, 8, 1e9)

    outer = threading.local()
    for _ in range(2):
        inside.clear()
        run_blocks(work, 8, 1e9, most_threads=2)
        # an inner block in another thread than the outer one would know no number
        assert {number for number, _ in inside} == set(range(8))
        assert len({thread for _, thread in inside}) == 2
    # and it has threads of its own again
    run_blocks(lambda first, last: both.wait(), 2, 1e9)


THREADS = """
import os, json, threading, numba, numpy as np
from gomkcn_dgl.runtime.compiled import run_blocks
numba.set_num_threads(2)
done = np.zeros(64, int)
def work(first, last):
    done[first:last] += 1
run_blocks(work, 64, 1e9)
child = os.fork()
if child == 0:
    run_blocks(work, 64, 1e9)
    os._exit(int((done != 2).any()))
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
def late():
    threading.main_thread().join()
    run_blocks(work, 64, 1e9)
    print(json.dumps([code, done.tolist()]), flush=True)
threading.Thread(target=late).start()
"""


def test_a_fork_has_threads_of_its_own_and_one_may_outlive_the_main_thread():
    assert run(THREADS, NUMBA_NUM_THREADS="2") == [0, [2] * 64]


NUMBER = """
import json, numba
from gomkcn_dgl.runtime.compiled import num_threads
before = num_threads()
numba.set_num_threads(1)
print(json.dumps([before, num_threads()]))
"""


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"NUMBA_NUM_THREADS": "3", "OMP_NUM_THREADS": "2"}, 3),
        ({"OMP_NUM_THREADS": "2,1"}, 2),
        ({"OMP_NUM_THREADS": "many"}, None),
    ],
)
def test_the_number_of_threads_is_what_the_environment_says(monkeypatch, given, expected):
    for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    # and what Numba was told, once its threads run
    assert run(NUMBER, **given) == [expected or cores, 1]
