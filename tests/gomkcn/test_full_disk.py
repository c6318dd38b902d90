"""Disks that are full, too small or read-only: one sentence, and existing files stay whole."""

import os
import resource
import shutil
import signal
import subprocess
import sys

import networkx as nx
import pytest
from command_line import gomkcn, refused
from forked import exit_code, start

EDGES = "".join(f"{u} {v}\n" for u, v in nx.disjoint_union_all([nx.cycle_graph(4)] * 6).edges)
MINE = "--quiet --num-filters 1 --filter-size 4 --num-epochs 2 --null none"
FULL = "No space left on device"
WRITERS = (
    f"mine graph.txt --out disk/run --force {MINE} --pattern-size 3",
    "export disk/run --out disk/tables",
    "generate planted --out disk/planted.csv --nodes 100",
    "generate planted --out disk/planted.bin --nodes 100",
)


@pytest.fixture
def disk(folder):
    """A disk of 2 MiB in the folder "disk"."""
    place = folder / "disk"
    place.mkdir()
    if shutil.which("mount") is None:
        pytest.skip("no disk can be mounted here: there is no mount command")
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", place]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"no disk can be mounted here: {done.stderr.strip()}")
    yield place
    subprocess.run(["umount", place], check=True)


def contents(place):
    """Every file below a folder, hidden ones too, but for the lock."""
    files = [path for path in place.rglob("*") if path.is_file() and path.name != ".lock"]
    return {path: path.read_bytes() for path in files}


def test_a_full_disk_is_reported_and_loses_nothing(folder, disk):
    (folder / "graph.txt").write_text(EDGES)
    gomkcn(f"mine graph.txt --out disk/run {MINE}")
    # no byte is left free
    with open(disk / "ballast", "wb", buffering=0) as file, pytest.raises(OSError, match=FULL):
        while True:
            file.write(bytes(4096))
    before = contents(disk)
    for command in WRITERS:
        assert FULL in refused(command)
        assert contents(disk) == before


# the stand-in where no disk can be mounted: files may not grow past 512 bytes
def test_files_that_may_not_grow_are_reported(folder):
    (folder / "planted.csv").write_bytes(b"older")

    def work():
        # Python's own compiled files would be cut as well, for all that come later
        sys.dont_write_bytecode = True
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))
        sentence = refused("generate planted --nodes 100 --out planted.csv --force")
        assert sentence.endswith("cannot be written (File too large).")

    assert exit_code(start(work)) == 0
    assert contents(folder) == {folder / "planted.csv": b"older"}


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="/dev/full is of Linux")
def test_an_output_that_takes_nothing_is_reported():
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "gomkcn", "--help"]
        done = subprocess.run(command, text=True, check=False, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last == f"gomkcn: the output cannot be read or written ({FULL})."
