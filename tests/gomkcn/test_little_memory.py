"""Commands where there is little memory: a sentence, and no abort, traceback or endless wait."""

import os
import resource
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from gomkcn.commands import base
from gomkcn.commands.main import main
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime import memory


@pytest.fixture
def edges(tmp_path):
    file = tmp_path / "edges.csv"
    file.write_text("source,target\na,b\nb,c\n")
    return file


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is one of Linux")
def test_a_limit_in_which_libraries_end_the_process_is_refused(edges):
    limit = 500_000_000
    run = subprocess.run(
        [sys.executable, "-m", "gomkcn", "info", str(edges)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == (
        "gomkcn: the memory limit of this process (ulimit -v) must be at least 640.0 MiB, got "
        "476.8 MiB; raise it.\n"
    )


def test_where_there_is_no_limit_none_is_refused(monkeypatch):
    for limit in (None, memory._LEAST_ADDRESS_SPACE):
        monkeypatch.setattr(memory, "_address_space", lambda limit=limit: limit)
        memory.check_address_space()
    monkeypatch.setattr(memory, "_address_space", lambda: memory._LEAST_ADDRESS_SPACE - 1)
    with pytest.raises(InputError, match="must be at least 640"):
        memory.check_address_space()


@pytest.mark.parametrize(
    "error",
    [
        ImportError("libtorch_cpu.so: failed to map segment from shared object"),
        MemoryError("cannot hold it"),
    ],
)
@pytest.mark.parametrize("is_known", [True, False])
def test_a_library_that_finds_no_room_is_a_lack_of_memory(edges, monkeypatch, error, is_known):
    def fails(*_):
        raise error

    monkeypatch.setattr(base, "check_address_space", fails)
    if not is_known:
        # to ask how much there is needs memory, too
        monkeypatch.setattr(base, "available_memory", fails)
    run = CliRunner().invoke(main, ["info", str(edges)])
    assert run.exit_code == 2
    free = "are available to this process: use" if is_known else "; use"
    assert run.stderr.startswith(f"gomkcn: out of memory ({error}); ") and free in run.stderr


def test_another_library_that_cannot_be_imported_is_no_lack_of_memory(edges, monkeypatch):
    def fails():
        raise ImportError("no module named so")

    monkeypatch.setattr(base, "check_address_space", fails)
    run = CliRunner().invoke(main, ["info", str(edges)])
    assert isinstance(run.exception, ImportError) and not isinstance(
        run.exception, click.ClickException
    )
