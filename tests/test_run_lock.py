"""The lock on the folder of a run."""

import errno
import fcntl
import os
import platform
import signal
import time

import pytest
from forked import exit_code, start, wait_for

from gomkcn_dgl import InputError
from gomkcn_dgl.runtime.run_lock import lock_folder


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_second_run_is_refused_and_the_first_continues(tmp_path):
    with lock_folder(tmp_path / "a" / "run") as folder:
        for _ in range(2):
            with pytest.raises(InputError) as caught, lock_folder(folder):
                pass
        assert str(caught.value) == (
            f"out folder '{folder}' is in use by process {os.getpid()} on {platform.node()}; "
            "wait for it, stop it, or choose another folder."
        )
        assert names(folder) == [".lock"]
    # nothing was written: nothing stays
    assert not folder.exists()
    folder.mkdir()
    # a run that fails releases the folder, too
    with pytest.raises(KeyboardInterrupt), lock_folder(folder):
        raise KeyboardInterrupt
    with lock_folder(folder):
        pass
    # who made the folder keeps it
    assert names(folder) == []


def holder_of(folder):
    """A child process that has locked a folder."""

    def hold():
        with lock_folder(folder):
            (folder / "held").touch()
            time.sleep(60)

    child = start(hold)
    wait_for(folder / "held")
    return child


def test_a_killed_process_releases_the_folder(tmp_path):
    child = holder_of(tmp_path)
    with pytest.raises(InputError, match=f"by process {child} on "), lock_folder(tmp_path):
        pass
    os.kill(child, signal.SIGKILL)
    assert exit_code(child) == -signal.SIGKILL
    # its temporary files are removed; files of others stay
    (tmp_path / ".run.json.0123abcd.tmp").write_bytes(b"half")
    (tmp_path / ".mine.tmp").write_bytes(b"")
    assert ".lock" in names(tmp_path)
    with lock_folder(tmp_path):
        assert names(tmp_path) == [".lock", ".mine.tmp", "held"]


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK])
def test_without_locks_a_file_is_the_lock(tmp_path, monkeypatch, number):
    def refuse(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with lock_folder(tmp_path / "run") as folder:
        with pytest.raises(InputError) as caught, lock_folder(folder):
            pass
        assert str(caught.value) == (
            f"out folder '{folder}' is in use by process {os.getpid()} on {platform.node()}; "
            f"wait for it, stop it, or remove '{folder}/.lock-file' if it is no more."
        )
        assert names(folder) == [".lock-file"]
    assert not folder.exists()
    # what a killed run of this machine has left is taken over
    child = holder_of(tmp_path)
    os.kill(child, signal.SIGKILL)
    exit_code(child)
    with lock_folder(tmp_path):
        pass


def test_a_folder_that_cannot_be_locked_is_refused(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(InputError, match="cannot be written"), lock_folder(tmp_path):
        pass
