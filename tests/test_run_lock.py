"""The lock of a run's folder, and files that are written whole or not at all."""

import errno
import os
import platform
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gomkcn_dgl import InputError
from gomkcn_dgl.runtime.atomic_files import atomic_file, atomic_write
from gomkcn_dgl.runtime.run_files import prepare_run_folder, write_files
from gomkcn_dgl.runtime.run_lock import lock_folder

HOLD = """
import sys, time
from gomkcn_dgl.runtime.run_lock import lock_folder
with lock_folder(sys.argv[1]):
    print("held", flush=True)
    time.sleep(60)
"""


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_second_run_is_refused_and_the_first_goes_on(tmp_path):
    with lock_folder(tmp_path / "a" / "run") as folder:
        sentence = (
            f"out folder '{folder}' is in use by process {os.getpid()} on {platform.node()}; "
            "wait for it, stop it, or choose another folder."
        )
        with pytest.raises(InputError) as caught, lock_folder(folder):
            pass
        assert str(caught.value) == sentence
        # the one who was refused took nothing away
        with pytest.raises(InputError), lock_folder(folder):
            pass
    assert names(folder) == []
    with lock_folder(folder):
        assert names(folder) == [".lock"]


def test_a_run_that_fails_gives_the_folder_back(tmp_path):
    with pytest.raises(KeyboardInterrupt), lock_folder(tmp_path):
        raise KeyboardInterrupt
    assert names(tmp_path) == []


def test_a_killed_process_leaves_nothing_stale(tmp_path):
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        with (
            pytest.raises(InputError, match=f"in use by process {process.pid} on "),
            lock_folder(tmp_path),
        ):
            pass
        process.send_signal(signal.SIGKILL)
    # what it was writing goes, too; files that are not ours stay
    (tmp_path / ".run.json.0123abcd.tmp").write_bytes(b"half")
    (tmp_path / ".mine.tmp").write_bytes(b"")
    assert ".lock" in names(tmp_path)
    with lock_folder(tmp_path):
        assert names(tmp_path) == [".lock", ".mine.tmp"]


def test_a_lock_that_is_removed_while_another_waits_to_take_it(tmp_path, monkeypatch):
    """The second opens the file, the first ends and removes it: the second makes a new one."""
    first = lock_folder(tmp_path)
    first.__enter__()
    flock, calls = os.open, []

    def open_then_let_the_first_end(path, *arguments):
        descriptor = flock(path, *arguments)
        if not calls:
            calls.append(path)
            first.__exit__(None, None, None)
        return descriptor

    monkeypatch.setattr("gomkcn_dgl.runtime.run_lock.os.open", open_then_let_the_first_end)
    with lock_folder(tmp_path):
        assert names(tmp_path) == [".lock"]
        with pytest.raises(InputError, match="in use"), lock_folder(tmp_path):
            pass


def test_folders_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    for folder in ("file", "file/run"):
        with (
            pytest.raises(InputError, match=r"^out folder '.*' cannot be written \("),
            lock_folder(tmp_path / folder),
        ):
            pass
    with pytest.raises(InputError, match=r"^out folder must have a name, got ''\.$"):
        lock_folder("").__enter__()

    def read_only(*arguments):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("gomkcn_dgl.runtime.run_lock.os.open", read_only)
    with (
        pytest.raises(InputError, match=r"cannot be written \(Read-only file system\)\.$"),
        lock_folder(tmp_path),
    ):
        pass


# ---------------------------------------------------------------- files


def test_a_full_disk_leaves_the_file_that_was_there():
    """A limit on the size of files stands for the disk."""
    script = """
import resource, signal, sys, tempfile
from pathlib import Path
from gomkcn_dgl.runtime.atomic_files import atomic_write
from gomkcn_dgl import InputError
folder = Path(tempfile.mkdtemp())
atomic_write(folder / "a", b"old")
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    atomic_write(folder / "a", bytes(100_000))
except InputError as error:
    print(error)
print([(path.name, path.read_bytes()) for path in folder.iterdir()])
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    sentence, files = done.stdout.splitlines()
    assert sentence.endswith("/a' cannot be written (File too large).")
    assert files == "[('a', b'old')]"


@pytest.mark.parametrize("step", ["write", "fsync"])
def test_no_space_left_on_the_device(tmp_path, monkeypatch, step):
    path = tmp_path / "a"
    atomic_write(path, "old")

    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        if step == "fsync":
            patch.setattr("gomkcn_dgl.runtime.atomic_files.os.fsync", full)
        with (
            pytest.raises(InputError) as caught,
            atomic_file(path) as file,
        ):
            file.write(b"new")
            if step == "write":
                full()
    assert str(caught.value) == f"path {str(path)!r} cannot be written (No space left on device)."
    assert (names(tmp_path), path.read_text()) == (["a"], "old")


def test_content_then_name_reach_the_disk(tmp_path, monkeypatch):
    """What is synced, in order: the whole new file under its temporary name, then the folder."""
    synced, sync = [], os.fsync

    def look(descriptor):
        synced.append(Path(os.readlink(f"/proc/self/fd/{descriptor}")))
        if synced[-1].is_file():
            assert synced[-1].read_text() == "new"
        sync(descriptor)

    monkeypatch.setattr("gomkcn_dgl.runtime.atomic_files.os.fsync", look)
    atomic_write(tmp_path / "a", "new")
    temporary, folder = synced
    assert temporary.parent == folder == tmp_path
    assert temporary.name.startswith(".a.") and temporary.suffix == ".tmp"


def test_a_block_that_fails_writes_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError), atomic_file(tmp_path / "a") as file:
        file.write(b"half")
        raise ZeroDivisionError
    assert names(tmp_path) == []


def test_files_of_a_run_below_something_that_is_no_folder(tmp_path):
    (tmp_path / "patterns").write_text("")
    with pytest.raises(InputError, match=r"patterns/a' cannot be written \(File exists\)\.$"):
        write_files(tmp_path, {"patterns/a": "x"})


# ---------------------------------------------------------------- what a folder holds already


def test_what_may_be_done_with_an_unfinished_run(tmp_path):
    (tmp_path / "state.pt").write_text("state")

    def prepare(force=False, resume=False):
        options = {"resume": resume, "checkpoint": "state.pt"}
        return prepare_run_folder(tmp_path, ("run.json",), force, **options)

    with pytest.raises(InputError) as caught:
        prepare()
    assert str(caught.value) == (
        f"out folder {str(tmp_path)!r} already holds an unfinished run (state.pt); "
        "go on with --resume, choose another, or overwrite it with --force."
    )
    with pytest.raises(InputError, match=r"^resume must not come with --force"):
        prepare(force=True, resume=True)
    assert names(prepare(resume=True)) == ["state.pt"]
    assert names(prepare(force=True)) == []
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(InputError, match=r"already holds a run \(run\.json\)"):
        prepare()
    assert names(prepare(resume=True)) == ["run.json"]
