"""Files that are written whole or not at all; sizes in words."""

import errno
import os
import tempfile
from pathlib import Path

import pytest

from gomkcn_dgl import InputError
from gomkcn_dgl.runtime.files import atomic_file, atomic_write, printable
from gomkcn_dgl.runtime.memory import format_size


@pytest.mark.parametrize("step", ["write", "fsync"])
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch, step):
    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "a"
    atomic_write(path, "old")
    with monkeypatch.context() as patch:
        if step == "fsync":
            patch.setattr("gomkcn_dgl.runtime.files.os.fsync", full)
        with pytest.raises(InputError, match="No space left"), atomic_file(path) as file:
            file.write(b"new")
            if step == "write":
                full()
    with pytest.raises(ZeroDivisionError), atomic_file(path) as file:
        file.write(b"half")
        raise ZeroDivisionError
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

    monkeypatch.setattr("gomkcn_dgl.runtime.files.os.fsync", record)
    atomic_write(on_disk / "a", "new")
    temporary, folder = synced
    assert temporary.parent == folder == on_disk
    assert temporary.name.startswith(".a.") and temporary.suffix == ".tmp"


def test_a_pipe_is_not_replaced_and_a_folder_must_exist(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name, reason in (("pipe", "a pipe or a device"), ("none/a", "folder that exists")):
        with pytest.raises(InputError, match=reason):
            atomic_write(tmp_path / name, b"")
    assert (tmp_path / "pipe").is_fifo()


def test_sizes_have_units_of_1024():
    assert [format_size(size) for size in (1023, 1536, 2**20, 2.5 * 2**40)] == [
        "1023 bytes", "1.5 KiB", "1.0 MiB", "2.5 TiB"
    ]  # fmt: skip


def test_a_name_for_a_terminal_has_at_most_100_letters():
    assert printable("n" * 100) == "n" * 100
    assert printable("n" * 101) == "n" * 99 + "…"
    assert printable("a\nb\x1b[31m") == "a�b�[31m"
