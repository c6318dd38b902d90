"""The folder of a run: locked, what may be overwritten, files written together, provenance."""

import errno
import fcntl
import importlib.metadata
import json
import os
import platform
import shutil
import signal
import subprocess
import time

import pytest
from forked import exit_code, start, wait_for

from gomkcn_dgl import InputError
from gomkcn_dgl.runtime import output_folder
from gomkcn_dgl.runtime.output_folder import (
    describe_provenance,
    lock_folder,
    prepare_run_folder,
    write_files,
)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def refused_lock(folder):
    with pytest.raises(InputError) as caught, lock_folder(folder):
        pass
    return str(caught.value)


def held_by_a_child(folder):
    """A child process that has locked a folder."""

    def hold():
        with lock_folder(folder):
            (folder / "held").touch()
            time.sleep(60)

    child = start(hold)
    wait_for(folder / "held")
    return child


def kill(child):
    os.kill(child, signal.SIGKILL)
    assert exit_code(child) == -signal.SIGKILL


def test_a_second_run_is_refused_and_the_first_continues(tmp_path):
    with lock_folder(tmp_path / "a" / "run") as folder:
        for _ in range(2):
            assert refused_lock(folder) == (
                f"out folder '{folder}' is in use by process {os.getpid()} on {platform.node()}; "
                "wait for it, stop it, or choose another folder."
            )
        assert names(folder) == [".lock"]
    # nothing was written: nothing stays
    assert not folder.exists()
    folder.mkdir()
    # a run that fails releases the folder, and who made it keeps it
    with pytest.raises(KeyboardInterrupt), lock_folder(folder):
        raise KeyboardInterrupt
    assert names(folder) == []


def test_a_killed_run_releases_the_folder_and_its_temporary_files_go(tmp_path):
    child = held_by_a_child(tmp_path)
    assert f"by process {child} on " in refused_lock(tmp_path)
    kill(child)
    (tmp_path / ".run.json.0123abcd.tmp").write_bytes(b"half")
    (tmp_path / ".mine.tmp").write_bytes(b"")
    with lock_folder(tmp_path):
        assert names(tmp_path) == [".lock", ".mine.tmp", "held"]


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK, errno.EIO])
def test_without_locks_a_file_is_the_lock(tmp_path, monkeypatch, number):
    def refuse(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refuse)
    if number == errno.EIO:
        assert "cannot be written (Input/output error)" in refused_lock(tmp_path)
        return
    with lock_folder(tmp_path / "run") as folder:
        said = refused_lock(folder)
        assert said.endswith(f"or remove '{folder}/.lock-file' if it is no more.")
        assert f"by process {os.getpid()} on {platform.node()}; " in said
    assert not folder.exists()
    # what a killed run of this machine has left is taken over
    kill(held_by_a_child(tmp_path))
    with lock_folder(tmp_path):
        pass


def test_what_may_be_done_with_an_unfinished_or_a_finished_run(tmp_path):
    (tmp_path / "state.pt").write_text("state")

    def prepare(force=False, resume=False):
        options = {"resume": resume, "checkpoint": "state.pt"}
        return prepare_run_folder(tmp_path, ("run.json",), force, **options)

    with pytest.raises(InputError, match=r"unfinished run \(state.pt\); go on with --resume"):
        prepare()
    with pytest.raises(InputError, match=r"^resume must not come with --force"):
        prepare(force=True, resume=True)
    assert names(prepare(resume=True)) == ["state.pt"]
    assert names(prepare(force=True)) == []
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(InputError, match=r"already holds a run \(run\.json\)"):
        prepare()
    assert names(prepare(resume=True)) == ["run.json"]


def test_files_are_written_together_or_not_at_all(tmp_path):
    write_files(tmp_path, {"a": "old", "run.json": b"old"})
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"file/b' cannot be written \(File exists\)\.$"):
        write_files(tmp_path, {"a": "new", "file/b": "x", "run.json": "new"}, mark="run.json")

    def fail(file):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(InputError, match="No space left"):
        write_files(tmp_path, {"a": "new", "b/c": fail, "run.json": "new"}, mark="run.json")
    assert [(tmp_path / name).read_text() for name in ("a", "run.json")] == ["old", "old"]
    write_files(tmp_path, {"a": "é", "b/c": lambda file: file.write(b"x")}, mark="run.json")
    assert (tmp_path / "a").read_bytes() == "é".encode()
    # the mark of the old run is gone
    assert names(tmp_path) == ["a", "b", "file"]


def test_what_made_a_result_is_plain_and_names_the_commit(tmp_path, monkeypatch):
    record = describe_provenance(seed=7, seconds=1.23456, device="cuda")
    assert json.loads(json.dumps(record)) == record
    assert (record["seed"], record["seconds"], record["device"]) == (7, 1.235, "cuda")
    for name, version in {**record["libraries"], "gomkcn-dgl": record["version"]}.items():
        assert version == importlib.metadata.version(name)
    if shutil.which("git") is None:
        pytest.skip("git is not installed")

    def git(*arguments):
        settings = ["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false"]
        command = ["git", *settings, *arguments]
        done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit():
        return describe_provenance(0, 0.0)["commit"]

    file = tmp_path / "module.py"
    monkeypatch.setattr(output_folder, "__file__", str(file))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert commit() is None
    file.write_text("a file\n")
    for arguments in (["init"], ["add", "."], ["commit", "-m", "one"], ["tag", "v1"]):
        git(*arguments)
    # the hash, though the commit has a tag
    head = git("rev-parse", "HEAD")[:12]
    assert commit() == head
    file.write_text("changed\n")
    assert commit() == head + "-dirty"
    monkeypatch.setenv("PATH", "")
    assert commit() is None
