"""Mapped files: a change is seen, one that is cut ends in a sentence."""

import os
import subprocess
import sys

import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.mapped import check_mapped, map_array
from gomkcn_dgl.runtime.steps import Steps


@pytest.fixture
def path(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(5000))
    return tmp_path / "a.npy"


def test_a_change_is_seen_as_long_as_the_array_is_there(path):
    array = map_array(path)[1:]
    check_mapped()
    os.truncate(path, 20_000)
    with pytest.raises(InputError, match="was changed while it was in use"):
        check_mapped()
    with pytest.raises(InputError, match="start again"):
        Steps().once("adding", int, lambda: 1)
    del array
    check_mapped()


def test_a_file_that_is_replaced_or_removed_stays_what_it_was(path):
    array = map_array(path)
    np.save(path.with_name("b.npy"), np.arange(3))
    path.with_name("b.npy").replace(path)
    check_mapped()
    path.unlink()
    check_mapped()
    assert array.sum() == 5000 * 4999 // 2


CUT = """
import os, sys
from pathlib import Path
from gomkcn_dgl.runtime.mapped import map_array
array = map_array(Path(sys.argv[1]))
os.truncate(sys.argv[1], 4096)
print(array.sum())
"""


def test_a_file_that_is_cut_ends_the_process_in_a_sentence(path):
    if sys.platform == "win32":
        pytest.skip("Windows lets nobody cut it")
    command = [sys.executable, "-c", CUT, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("gomkcn: a mapped graph folder was cut while it was in use")
    assert done.stderr.count("\n") == 1
