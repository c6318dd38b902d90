"""What made a result: everything needed to make it again, as plain JSON."""

import importlib.metadata
import json
import platform
import subprocess
from datetime import datetime, timedelta, timezone

import pytest

from gomkcn_dgl.runtime import provenance
from gomkcn_dgl.runtime.provenance import describe_provenance


def test_the_record_is_complete_and_plain():
    record = describe_provenance(seed=7, seconds=1.23456, device="cuda")
    assert json.loads(json.dumps(record)) == record
    assert (record["seed"], record["seconds"], record["device"]) == (7, 1.235, "cuda")
    assert record["version"] == importlib.metadata.version("gomkcn-dgl")
    assert record["machine"]["python"] == platform.python_version()
    assert record["machine"]["processor"]
    created = datetime.fromisoformat(record["created"])
    assert abs(datetime.now(timezone.utc) - created) < timedelta(minutes=1)
    assert {"torch", "dgl", "networkx", "numba", "numpy", "igraph"} <= set(record["libraries"])
    for name, version in record["libraries"].items():
        assert version == importlib.metadata.version(name)


def test_the_commit_of_a_checkout(tmp_path, monkeypatch):
    def git(*arguments):
        settings = ["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false"]
        command = ["git", *settings, *arguments]
        done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    file = tmp_path / "provenance.py"
    file.write_text("a file\n")
    monkeypatch.setattr(provenance, "__file__", str(file))
    try:
        git("init")
    except FileNotFoundError:
        pytest.skip("git is not installed")
    git("add", ".")
    git("commit", "-m", "one")
    git("tag", "v1")
    # the hash, though the commit has a tag
    head = git("rev-parse", "HEAD")[:12]
    assert describe_provenance(0, 0.0)["commit"] == head
    file.write_text("changed\n")
    assert describe_provenance(0, 0.0)["commit"] == head + "-dirty"


def test_without_a_checkout_or_git_there_is_no_commit(tmp_path, monkeypatch):
    monkeypatch.setattr(provenance, "__file__", str(tmp_path / "provenance.py"))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert describe_provenance(0, 0.0)["commit"] is None

    def failing(*arguments, **settings):
        raise FileNotFoundError("git")

    monkeypatch.setattr(provenance.subprocess, "run", failing)
    assert describe_provenance(0, 0.0)["commit"] is None
