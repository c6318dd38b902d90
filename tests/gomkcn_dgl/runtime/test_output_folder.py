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
from gomkcn_dgl.runtime import output_folder as module
from gomkcn_dgl.runtime.output_folder import (
    begin_run,
    describe_provenance,
    lock_folder,
    write_files,
)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def refused_lock(folder):
    with pytest.raises(InputError) as caught, lock_folder(folder):
        pass
    return str(caught.value)


def held_by_a_child(folder):
    def hold():
        with lock_folder(folder):
            (folder / "held").touch()
            time.sleep(60)

    child = start(hold)
    wait_for(folder / "held")
    return child


@pytest.mark.parametrize("number", [0, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK])
def test_a_second_run_is_refused_and_a_killed_one_releases_the_folder(
    tmp_path, monkeypatch, number
):
    def refuse(*_):
        raise OSError(number, os.strerror(number))

    if number:
        # where there are no locks a file is the lock
        monkeypatch.setattr(fcntl, "flock", refuse)
    with lock_folder(tmp_path / "a" / "run") as folder:
        way_out = f"remove '{folder}/.lock-file' if it is no more." if number else "choose another"
        for _ in range(2):
            said = refused_lock(folder)
            assert f"in use by process {os.getpid()} on {platform.node()}; wait for it" in said
            assert way_out in said
    # nothing was written: nothing stays
    assert not folder.exists()
    with pytest.raises(KeyboardInterrupt), lock_folder(tmp_path):
        raise KeyboardInterrupt
    child = held_by_a_child(tmp_path)
    assert f"by process {child} on " in refused_lock(tmp_path)
    os.kill(child, signal.SIGKILL)
    assert exit_code(child) == -signal.SIGKILL
    # its temporary files go, those of others stay
    (tmp_path / ".run.json.0123abcd.tmp").write_bytes(b"half")
    (tmp_path / ".mine.tmp").write_bytes(b"")
    with lock_folder(tmp_path):
        assert names(tmp_path)[1:] == [".mine.tmp", "a", "held"]
    number = errno.EIO
    monkeypatch.setattr(fcntl, "flock", refuse)
    assert "cannot be written (Input/output error)" in refused_lock(tmp_path)


def test_what_may_be_done_with_an_unfinished_or_a_finished_run(tmp_path):
    (tmp_path / "unfinished").mkdir()

    def begin(force=False, resume=False):
        options = {"force": force, "resume": resume}
        answer = begin_run(tmp_path, ("run.json",), "run.json", "unfinished", **options)
        assert answer in (None, tmp_path / "unfinished")
        return answer is not None, names(tmp_path)

    with pytest.raises(InputError, match=r"unfinished run \(unfinished\); go on with --resume"):
        begin()
    with pytest.raises(InputError, match=r"^resume must not come with --force"):
        begin(force=True, resume=True)
    assert begin(resume=True) == (True, ["unfinished"])
    assert begin(force=True) == (True, [])
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(InputError, match=r"already holds a run \(run\.json\)"):
        begin()
    # there is nothing to go on with
    assert begin(resume=True) == (False, ["run.json"])


def test_files_are_written_together_or_not_at_all(tmp_path):
    def fail(file):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    write_files(tmp_path, {"a": "old", "run.json": b"old"})
    (tmp_path / "file").write_text("")
    for name, content, reason in (("file/b", "x", "File exists"), ("b/c", fail, "No space left")):
        with pytest.raises(InputError, match=rf"{name}' cannot be written \({reason}"):
            write_files(tmp_path, {"a": "new", name: content, "run.json": "new"}, mark="run.json")
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
    file = tmp_path / "module.py"
    monkeypatch.setattr(module, "__file__", str(file))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    commits = [describe_provenance(0, 0.0)["commit"]]
    file.write_text("a file\n")
    author = ["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false"]
    for command in (["init"], ["add", "."], ["commit", "-m", "one"], ["tag", "v1"]):
        subprocess.run(["git", *author, *command], cwd=tmp_path, check=True, capture_output=True)
    head = (tmp_path / ".git" / "refs" / "tags" / "v1").read_text()[:12]
    for text in ("a file\n", "changed\n"):
        file.write_text(text)
        commits.append(describe_provenance(0, 0.0)["commit"])
    # the hash, though the commit has a tag
    assert commits == [None, head, head + "-dirty"]
    monkeypatch.setenv("PATH", "")
    assert describe_provenance(0, 0.0)["commit"] is None
