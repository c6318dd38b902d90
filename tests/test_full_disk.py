"""Disks that are full, too small or read-only: one sentence, and what was there stays whole."""

import os
import shutil
import subprocess
import sys
import tempfile

import networkx as nx
import pytest
from command_line import gomkcn, refused

EDGES = "".join(f"{u} {v}\n" for u, v in nx.disjoint_union_all([nx.cycle_graph(4)] * 6).edges)
MINE = "--quiet --patterns 1 --min-support 1 --epochs 2"
FULL = "No space left on device"
READ_ONLY = "Read-only file system"


@pytest.fixture
def graph(folder):
    (folder / "graph.txt").write_text(EDGES)
    return folder / "graph.txt"


@pytest.fixture
def disk(folder):
    """A disk of 2 MiB in the folder "disk"; ``disk(option)`` mounts it anew, with an option."""
    place = folder / "disk"
    place.mkdir()

    def mount(*options):
        command = ["mount", "-t", "tmpfs", "-o", ",".join(["size=2m", *options]), "tmpfs", place]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            pytest.skip(f"no disk can be mounted here: {done.stderr.strip()}")

    if shutil.which("mount") is None:
        pytest.skip("no disk can be mounted here: there is no mount command")
    mount()
    yield lambda option: mount("remount", option)
    subprocess.run(["umount", place], check=True)


def fill(place):
    """Leave no byte free."""
    with open(place / "ballast", "wb", buffering=0) as file, pytest.raises(OSError, match=FULL):
        while True:
            file.write(bytes(4096))


def contents(place):
    """Every file below a folder, hidden ones too, but for the lock, which is always empty."""
    files = [path for path in place.rglob("*") if path.is_file() and path.name != ".lock"]
    return {path: path.read_bytes() for path in files}


WRITERS = {
    "mine": "mine graph.txt --out disk/other " + MINE,
    "report": "report disk/run",
    "export": "export disk/run --out disk/tables",
    "planted": "generate planted --out disk/planted.npz --nodes 100",
    "planted, DGL": "generate planted --out disk/planted.bin --nodes 100",
}


@pytest.fixture
def run(graph, disk):
    """A finished run on a disk of its own."""
    gomkcn(f"mine graph.txt --out run {MINE}")
    shutil.copytree("run", "disk/run")
    return disk


@pytest.mark.parametrize("command", WRITERS.values(), ids=WRITERS)
def test_a_full_disk_is_said_and_loses_nothing(run, folder, command):
    fill(folder / "disk")
    before = contents(folder / "disk")
    assert FULL in refused(command)
    assert contents(folder / "disk") == before


@pytest.mark.parametrize("command", WRITERS.values(), ids=WRITERS)
def test_a_read_only_disk_is_said_and_loses_nothing(run, folder, command):
    before = contents(folder / "disk")
    run("ro")
    assert READ_ONLY in refused(command)
    assert contents(folder / "disk") == before


def test_a_run_that_cannot_be_replaced_stays(run, folder):
    fill(folder / "disk")
    before = contents(folder / "disk")
    assert FULL in refused(f"mine graph.txt --out disk/run --force --size 3 {MINE}")
    assert contents(folder / "disk") == before


def test_a_run_without_room_for_its_files_is_refused(graph, disk, folder):
    fill(folder / "disk")
    assert FULL in refused(f"mine graph.txt --out disk/run {MINE}")
    assert not (folder / "disk" / "run" / "run.json").exists()


# the stand-in where no disk can be mounted: files may not grow past 512 bytes
SMALL_FILES = """
import resource, signal, sys
from gomkcn.commands.main import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))
main(sys.argv[1:])
"""


def in_a_process(program, *arguments, **options):
    return subprocess.run(
        [sys.executable, *program, *arguments], text=True, check=False, timeout=300, **options
    )


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("planted.npz", "cannot be written (File too large)."),
        ("planted.bin", "make room there, or name another in TMPDIR."),
    ],
)
def test_files_that_may_not_grow_are_said(folder, name, sentence):
    (folder / name).write_bytes(b"older")
    command = ["generate", "planted", "--nodes", "100", "--out", name]
    done = in_a_process(["-c", SMALL_FILES], *command, capture_output=True)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith(sentence)
    assert contents(folder) == {folder / name: b"older"}


# DGL itself says nothing where the last part does not fit
@pytest.mark.parametrize("missing", [100, 5000, 50_000])
def test_graphs_that_dgl_cuts_short_are_not_taken(folder, disk, monkeypatch, missing):
    gomkcn("generate planted --nodes 3000 --out whole.bin")
    room = 2**21 - (folder / "whole.bin").stat().st_size + missing
    # whole pages; the folder that holds the temporary file takes none
    (folder / "disk" / "ballast").write_bytes(bytes(room))
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "disk"))
    sentence = refused("generate planted --nodes 3000 --out planted.bin")
    assert "the folder for temporary files cannot take the graphs (" in sentence
    assert not (folder / "planted.bin").exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="/dev/full is of Linux")
@pytest.mark.parametrize("command", [["--help"], ["info", "graph.txt"]])
def test_an_output_that_takes_nothing_is_said(graph, command):
    with open("/dev/full", "w") as full:
        done = in_a_process(["-m", "gomkcn"], *command, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last == f"gomkcn: the output cannot be read or written ({FULL})."


def test_a_folder_below_a_file_is_refused(graph):
    assert "Not a directory" in refused(f"mine graph.txt --out graph.txt/run {MINE}")
    assert "folder that exists" in refused("generate planted --out graph.txt/planted.npz")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write into any folder")
def test_a_folder_without_permission_is_refused(graph, folder):
    (folder / "closed").mkdir(mode=0o500)
    assert "Permission denied" in refused(f"mine graph.txt --out closed/run {MINE}")


def test_a_pipe_is_not_replaced_by_a_file(folder):
    os.mkfifo(folder / "pipe.npz")
    sentence = refused("generate planted --nodes 100 --out pipe.npz")
    assert sentence.endswith("path must be that of a file, got 'pipe.npz', a pipe or a device.")
    assert (folder / "pipe.npz").is_fifo()
