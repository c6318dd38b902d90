"""Files that are written whole or not at all."""

import errno
import os
import tempfile
from pathlib import Path

import pytest

from gomkcn_dgl import InputError
from gomkcn_dgl.runtime.atomic_files import atomic_file, atomic_write


@pytest.mark.parametrize("step", ["write", "fsync"])
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch, step):
    path = tmp_path / "a"
    atomic_write(path, "old")

    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        if step == "fsync":
            patch.setattr("gomkcn_dgl.runtime.atomic_files.os.fsync", full)
        with pytest.raises(InputError, match="No space left"), atomic_file(path) as file:
            file.write(b"new")
            if step == "write":
                full()
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a", "old")]


@pytest.fixture
def on_disk():
    """A folder that is not in memory, unless all temporary files are."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def test_content_then_name_reach_the_disk(on_disk, monkeypatch):
    """What is synced, once each and in order: the new file under its temporary name, the folder."""
    synced, sync = [], os.fsync

    def record(descriptor):
        synced.append(Path(os.readlink(f"/proc/self/fd/{descriptor}")))
        if synced[-1].is_file():
            assert synced[-1].read_text() == "new"
        sync(descriptor)

    monkeypatch.setattr("gomkcn_dgl.runtime.atomic_files.os.fsync", record)
    atomic_write(on_disk / "a", "new")
    temporary, folder = synced
    assert temporary.parent == folder == on_disk
    assert temporary.name.startswith(".a.") and temporary.suffix == ".tmp"


def test_a_block_that_fails_writes_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError), atomic_file(tmp_path / "a") as file:
        file.write(b"half")
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_is_not_replaced_and_a_folder_must_exist(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="a pipe or a device"):
        atomic_write(tmp_path / "pipe", b"")
    assert (tmp_path / "pipe").is_fifo()
    with pytest.raises(InputError, match="folder that exists"):
        atomic_write(tmp_path / "none" / "a", b"")
