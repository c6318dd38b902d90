"""Code that comes with a package is run where it fits and is whole; else functions are compiled."""

import json
import os
import shutil
from pathlib import Path

import pytest
from forked import run

from gomkcn_dgl.runtime.machine_code import store_machine_code

MODULE = """
from gomkcn_dgl.runtime.compiled import compiled


@compiled()
def double(x):
    return 2 * x
"""
# code is taken from the folder "shipped"
PROGRAM = """
import json
from pathlib import Path
from gomkcn_dgl.runtime import machine_code
from gomkcn_dgl.runtime.compiled import compiling
from gomkcn_dgl.runtime.machine_code import is_kept

here = Path({here!r})
machine_code.FOLDER = here / {folder!r}
if {cache!r} is None:
    machine_code._Places._locator_classes = [machine_code._Nowhere]
from doubling import double

known = is_kept(double)
print(json.dumps([double(4), compiling.number, known]))
"""
COMPILED, SHIPPED = [8, 1, False], [8, 0, True]
# any processor has it
FEATURE = "sse2"


@pytest.fixture
def shipped(tmp_path):
    """A folder with a module, and the code of its function for a processor of no name."""
    (tmp_path / "doubling.py").write_text(MODULE)
    environment = {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": ""}
    assert told(tmp_path, cache="built", **environment) == COMPILED
    files = [*(tmp_path / "built").rglob("*.nb?")]
    store_machine_code(files, tmp_path / "shipped", "x86-64", [FEATURE])
    return tmp_path


def told(here, folder="shipped", cache="cache", **environment):
    """What the function gives, how many were compiled, and whether it was known to be kept.

    Without a ``cache`` there is no folder where code could be kept.
    """
    path = os.pathsep.join([str(here), os.environ.get("PYTHONPATH", "")])
    environment = {
        "NUMBA_CPU_FEATURES": f"+{FEATURE},-avx2",
        "NUMBA_CACHE_DIR": str(here / (cache or "none")),
        "PYTHONPATH": path,
        **environment,
    }
    program = PROGRAM.format(here=str(here), folder=folder, cache=cache)
    return run(program, **environment)


def change_contents(folder, **changes):
    path = folder / "contents.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_code_that_fits_is_run_and_nothing_is_compiled(shipped):
    assert told(shipped) == SHIPPED
    # nothing was written, and nothing has to be
    assert not [*(shipped / "cache").rglob("*.nb?")]
    assert told(shipped, cache=None) == SHIPPED


def test_code_is_read_from_the_folder_of_the_package_alone(shipped):
    # a folder that a setting names is not looked into, nor is any where none is Numba's
    assert told(shipped, folder="nothing", cache="shipped") == COMPILED
    assert told(shipped, folder="nothing", cache=None) == [8, 1, True]


@pytest.mark.parametrize("part", ["python", "system", "machine", "numba", "numpy"])
def test_code_for_another_installation_is_not_run(shipped, part):
    folder = shipped / "shipped"
    made_for = json.loads((folder / "contents.json").read_text())["compiled_for"]
    change_contents(folder, compiled_for={**made_for, part: "another"})
    assert told(shipped) == COMPILED


def test_code_for_a_higher_level_of_processors_is_not_run(shipped):
    change_contents(shipped / "shipped", features=[FEATURE, "avx2"])
    assert told(shipped) == COMPILED
    assert told(shipped, cache="other", NUMBA_CPU_FEATURES="+avx2,+sse2") == SHIPPED


def test_code_of_other_sources_or_types_is_not_run(shipped):
    (shipped / "doubling.py").write_text(MODULE.replace("double(x)", "double(x, y=0.5)"))
    assert told(shipped, PYTHONDONTWRITEBYTECODE="1") == COMPILED


@pytest.mark.parametrize("end", [".nbi", ".nbc"])
@pytest.mark.parametrize(
    "damage", [lambda whole: b"", lambda whole: whole[:-9], lambda whole: whole[:-9] + b"x" * 9]
)
def test_a_damaged_file_is_not_read(shipped, end, damage):
    (file,) = (shipped / "shipped").glob(f"*{end}")
    file.write_bytes(content := damage(file.read_bytes()))
    assert told(shipped)[:2] == COMPILED[:2]
    # the package is left as it is
    assert file.read_bytes() == content
    # what was compiled is kept
    assert told(shipped)[:2] == SHIPPED[:2]


@pytest.mark.parametrize("end", [".nbi", ".nbc"])
def test_a_whole_file_with_another_checksum_is_not_read(shipped, end):
    """As one that somebody else put there, which is whole by itself."""
    files = json.loads((shipped / "shipped" / "contents.json").read_text())["files"]
    others = {
        name: "0" * 64 if name.endswith(end) else checksum for name, checksum in files.items()
    }
    assert others != files
    change_contents(shipped / "shipped", files=others)
    assert told(shipped)[:2] == COMPILED[:2]


def test_a_file_that_the_contents_do_not_name_is_not_read(shipped):
    change_contents(shipped / "shipped", files={})
    assert told(shipped) == COMPILED
    for unreadable in ("", "[]", "{", json.dumps({"compiled_for": 1})):
        (shipped / "shipped" / "contents.json").write_text(unreadable)
        shutil.rmtree(shipped / "cache")
        assert told(shipped) == COMPILED


def test_two_functions_of_one_name_are_not_stored(tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "f.nbi").touch()
    with pytest.raises(AssertionError, match="one name"):
        store_machine_code(tmp_path.rglob("*.nbi"), Path(tmp_path / "all"), "x86-64", [])


TWO = """
import json, multiprocessing, sys

def call(_):
    from doubling import double
    from gomkcn_dgl.runtime.compiled import compiling
    started.wait()
    return double(4), compiling.number

def begin(barrier):
    global started
    started = barrier

if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with context.Pool(2, begin, [context.Barrier(2)]) as pool:
        print(json.dumps(pool.map(call, range(2), chunksize=1)))
"""


def test_of_two_processes_that_come_to_a_function_one_compiles_it(tmp_path):
    (tmp_path / "doubling.py").write_text(MODULE)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    found = run(TWO, NUMBA_CACHE_DIR=str(tmp_path / "cache"), PYTHONPATH=path)
    assert sorted(found) == [[8, 0], [8, 1]]


FAILS = """
import json
from doubling import double

try:
    double(None)
except Exception:
    pass
print(json.dumps([double._cache._lock.is_locked, double(4), double._cache._lock.is_locked]))
"""


def test_a_function_that_was_compiled_or_cannot_be_is_free_for_other_processes(tmp_path):
    (tmp_path / "doubling.py").write_text(MODULE)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    found = run(FAILS, NUMBA_CACHE_DIR=str(tmp_path / "cache"), PYTHONPATH=path)
    assert found == [False, 8, False]
