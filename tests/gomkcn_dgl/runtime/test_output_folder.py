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
import sys
import time
from pathlib import Path

import pytest
from forked import exit_code, start, wait_for

from gomkcn_dgl import InputError
from gomkcn_dgl.runtime import output_folder as module
from gomkcn_dgl.runtime.files import check_output
from gomkcn_dgl.runtime.output_folder import (
    PROGRESS,
    begin_run,
    describe_provenance,
    lock_folder,
    read_json,
    to_json,
    with_record,
    write_files,
    write_run_files,
    written_files,
)
from gomkcn_dgl.runtime.steps import IDENTITY


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
    (tmp_path / ".run.json.gomkcn-0123abcd.tmp").write_bytes(b"half")
    (tmp_path / ".mine.tmp").write_bytes(b"")
    with lock_folder(tmp_path):
        assert names(tmp_path)[1:] == [".mine.tmp", "a", "held"]
    number = errno.EIO
    monkeypatch.setattr(fcntl, "flock", refuse)
    assert "cannot be written (Input/output error)" in refused_lock(tmp_path)


def test_what_may_be_done_with_an_unfinished_or_a_finished_run(tmp_path):
    (tmp_path / PROGRESS).mkdir()
    (tmp_path / PROGRESS / IDENTITY).write_text("{}")
    (tmp_path / PROGRESS / "counting-1.zip").write_bytes(b"")

    def begin(force=False, resume=False):
        options = {"force": force, "resume": resume}
        answer = begin_run(tmp_path, ("run.json",), **options)
        assert answer in (None, tmp_path / PROGRESS)
        return answer is not None, names(tmp_path)

    with pytest.raises(InputError, match=r"unfinished run \(\.progress\); go on with resume=True"):
        begin()
    with pytest.raises(InputError, match=r"^resume must not come with force,"):
        begin(force=True, resume=True)
    assert begin(resume=True) == (True, [PROGRESS])
    assert begin(force=True) == (True, [])
    write_run_files(tmp_path, with_record({}, {}))
    with pytest.raises(InputError, match=r"already holds a run \(run\.json\)"):
        begin()
    # there is nothing to go on with
    assert begin(resume=True) == (False, ["run.json"])


def test_files_are_written_together_or_not_at_all(tmp_path):
    def fail(file):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    old = with_record({"a": "old"}, {})
    write_run_files(tmp_path, old)
    (tmp_path / "file").write_text("")
    for name, content, reason in (("file/b", "x", "File exists"), ("b/c", fail, "No space left")):
        with pytest.raises(InputError, match=rf"{name}' cannot be written \({reason}"):
            write_files(tmp_path, {"a": "new", name: content, "run.json": "new"}, {"run.json": ""})
        assert (tmp_path / "a").read_text() == "old"
        assert (tmp_path / "run.json").read_text() == old["run.json"]
    new = {"a": "é", "b/c": lambda file: file.write(b"x")}
    write_run_files(tmp_path, with_record(new, {"is": "new"}))
    assert (tmp_path / "a").read_bytes() == "é".encode()
    assert read_json(tmp_path / "run.json") == {"is": "new", "files": ["a", "b/c", "run.json"]}
    # what the older run had and this one has not goes, and nothing else
    write_run_files(tmp_path, with_record({"d": "x"}, {}))
    assert names(tmp_path) == ["d", "file", "run.json"]


def test_a_run_that_is_killed_while_it_is_written_stays_ours_and_is_not_finished(
    tmp_path, monkeypatch
):
    write_run_files(tmp_path, with_record({"old": "1"}, {}))
    replace = os.replace

    def stop(temporary, path):
        if path.name == "new":
            raise KeyboardInterrupt
        replace(temporary, path)

    monkeypatch.setattr("gomkcn_dgl.runtime.files.os.replace", stop)
    with pytest.raises(KeyboardInterrupt):
        write_run_files(tmp_path, with_record({"a": "2", "new": "3"}, {}))
    with pytest.raises(InputError, match=r"holds no finished run: run\.json is missing"):
        read_json(tmp_path / "run.json")
    assert begin_run(tmp_path, ("a",), force=False, resume=True) is not None
    assert written_files(tmp_path) == {"old", "a", "new", "run.json"}


RUN = ("a", "filters/b", "run.json")


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("name", ["a", "filters/b", "run.json", ".progress", ".progress/x"])
@pytest.mark.parametrize("is_link", [False, True])
def test_what_no_run_wrote_is_refused_and_stays(tmp_path, force, name, is_link):
    folder, victim = tmp_path / "own", tmp_path / "victim"
    path = folder / name
    path.parent.mkdir(parents=True)
    victim.mkdir()
    (victim / "kept.zip").write_text("mine")
    # what another run keeps is not that of this one
    (victim / IDENTITY).write_text("{}")
    if is_link:
        path.symlink_to(victim / "kept.zip" if name in RUN else victim)
    else:
        path.write_text('{"files": ["a"]}')
    with pytest.raises(InputError) as caught:
        begin_run(folder, RUN, force=force, resume=False)
    said = str(caught.value)
    assert repr(name.partition("/")[0] if name.startswith(".") else name) in said or is_link
    assert "choose another folder" in said
    assert (victim / "kept.zip").read_text() == "mine"
    assert path.is_symlink() or path.read_text() == '{"files": ["a"]}'


def test_a_linked_folder_is_not_followed(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / ".x.gomkcn-0123abcd.tmp").write_text("mine")
    write_run_files(tmp_path / "run", with_record({"filters/b": "1"}, {}))
    (tmp_path / "run" / "filters" / "b").rename(tmp_path / "elsewhere" / "b")
    (tmp_path / "run" / "filters").rmdir()
    (tmp_path / "run" / "filters").symlink_to(tmp_path / "elsewhere")
    with lock_folder(tmp_path / "run") as folder:
        with pytest.raises(InputError, match="symbolic link 'filters'"):
            begin_run(folder, RUN, force=True, resume=False)
        # nor is it for what an older run had
        write_run_files(folder, with_record({}, {}))
    assert names(tmp_path / "elsewhere") == [".x.gomkcn-0123abcd.tmp", "b"]


def test_a_record_of_another_program_names_none_of_our_files(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "metrics.json").write_text(json.dumps({"files": ["notes.txt"]}))
    write_run_files(tmp_path, with_record({"a": "x"}, {}))
    assert names(tmp_path) == ["a", "metrics.json", "notes.txt", "run.json"]


def test_a_record_names_no_file_outside_of_its_folder(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    run = tmp_path / "run"
    run.mkdir()
    files = ["run.json", "../victim", str(victim)]
    (run / "run.json").write_text(json.dumps({"files": files}))
    write_run_files(run, with_record({}, {}))
    assert victim.read_text() == "mine"


def test_what_an_unfinished_run_did_not_keep_stays(tmp_path):
    kept = tmp_path / PROGRESS
    kept.mkdir()
    for name in (IDENTITY, "counting-1.zip", "training.pt", "notes.txt"):
        (kept / name).write_text("{}")
    begin_run(tmp_path, RUN, force=True, resume=False)
    assert names(kept) == ["notes.txt"]


@pytest.mark.parametrize("name", [".lock", ".lock-file"])
def test_a_file_that_only_has_the_name_of_a_lock_stays(tmp_path, name):
    (tmp_path / "victim").write_text("mine")
    for make in (
        lambda: (tmp_path / name).write_text("yarn 4"),
        lambda: (tmp_path / name).symlink_to(tmp_path / "victim"),
    ):
        make()
        assert "is no lock of gomkcn" in refused_lock(tmp_path)
        assert os.path.lexists(tmp_path / name)
        (tmp_path / name).unlink()
    assert (tmp_path / "victim").read_text() == "mine"


def test_inputs_are_no_outputs_whatever_they_are_called(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data, folder = tmp_path / "data.csv", tmp_path / "TU"
    data.write_text("a,b")
    folder.mkdir()
    (folder / "TU_A.txt").write_text("1, 2")
    (tmp_path / "link.csv").symlink_to(data)
    os.link(data, tmp_path / "hard.csv")
    inputs = ["data.csv", "TU", "not there"]
    for name in ("data.csv", "./x/../data.csv", "link.csv", "hard.csv", str(data), "TU/TU_A.txt"):
        (tmp_path / "x").mkdir(exist_ok=True)
        with pytest.raises(InputError, match=r"is( a part of)? the input '.*would be lost; choose"):
            check_output(name, inputs, force=True)
    for name in ("TU/new.csv", "new.csv"):
        check_output(name, inputs, force=False)
    (tmp_path / "other.csv").write_text("")
    (tmp_path / "broken.csv").symlink_to("nowhere")
    for name in ("other.csv", "broken.csv"):
        with pytest.raises(InputError, match="exists; choose another name, or .* force=True"):
            check_output(name, inputs, force=False)
        check_output(name, inputs, force=True)
    with pytest.raises(InputError, match="is a folder"):
        check_output("TU", [], force=True)


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
    # variables of git, as in a hook that runs a program, tell of another repository
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    assert describe_provenance(0, 0.0)["commit"] == head + "-dirty"
    monkeypatch.setenv("PATH", "")
    assert describe_provenance(0, 0.0)["commit"] is None


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_package_in_a_repository_of_a_user_has_no_commit_and_runs_nothing_of_his(tmp_path):
    """An environment in a user's repository, as that of each project that has a .venv."""
    packages = tmp_path / "venv" / "lib"
    shutil.copytree(
        Path(module.__file__).parents[1],
        packages / "gomkcn_dgl",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    program = tmp_path / "monitor"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path / 'was-run'}\n")
    program.chmod(0o755)
    author = ["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false"]
    for command in (
        ["init"],
        ["commit", "--allow-empty", "-m", "x"],
        ["config", "core.fsmonitor", str(program)],
    ):
        subprocess.run(["git", *author, *command], cwd=tmp_path, check=True, capture_output=True)

    def commit():
        code = "from gomkcn_dgl.runtime.output_folder import _commit; print(_commit())"
        return subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(packages)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()

    assert commit() == "None"
    # nor where he keeps the environment in it, which is then what was run
    for command in (["add", "venv"], ["commit", "-m", "y"]):
        harmless = ["-c", "core.fsmonitor=false", *author]
        subprocess.run(["git", *harmless, *command], cwd=tmp_path, check=True, capture_output=True)
    assert len(commit().removesuffix("-dirty")) == 12
    assert not (tmp_path / "was-run").exists()


def test_json_is_that_of_python_with_a_line_for_each_value():
    numbers = [0, -1, 2**70, 0.1, 1e-7, 1e16, 1e22, -0.0, 2.0, True, None]
    texts = ["", "é “x” \u2028", 'a"b\\c/\n\t', "{[,:]}", "\U0001f600"]
    record = {"numbers": numbers, "texts": texts, "empty": [[], {}, [[]]], "a": {"b": [{"c": 1}]}}
    assert to_json(record) == json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    with pytest.raises(ValueError, match="JSON"):
        to_json([float("nan")])
