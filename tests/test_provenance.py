"""What made a result: everything needed to make it again, as plain JSON."""

import importlib.metadata
import json
import platform
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path

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


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A git checkout that the package seems to lie in."""

    def git(*arguments):
        settings = ["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false"]
        subprocess.run(
            ["git", *settings, *arguments], cwd=tmp_path, check=True, capture_output=True
        )

    try:
        git("init")
    except FileNotFoundError:
        pytest.skip("git is not installed")
    (tmp_path / "provenance.py").write_text("a file\n")
    git("add", ".")
    git("commit", "-m", "one")
    git("tag", "v1")
    monkeypatch.setattr(provenance, "__file__", str(tmp_path / "provenance.py"))
    return tmp_path


def test_the_commit_of_a_checkout(checkout):
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=checkout, check=True, capture_output=True, text=True
    ).stdout.strip()
    # the hash, though the commit has a tag
    assert describe_provenance(0, 0.0)["commit"] == head[:12]
    (checkout / "provenance.py").write_text("changed\n")
    assert describe_provenance(0, 0.0)["commit"] == head[:12] + "-dirty"


def test_without_a_checkout_or_git_there_is_no_commit(tmp_path, monkeypatch):
    monkeypatch.setattr(provenance, "__file__", str(tmp_path / "provenance.py"))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert describe_provenance(0, 0.0)["commit"] is None

    def failing(*arguments, **settings):
        raise FileNotFoundError("git")

    monkeypatch.setattr(provenance.subprocess, "run", failing)
    assert describe_provenance(0, 0.0)["commit"] is None


@pytest.mark.parametrize(
    ("cpuinfo", "processor"),
    [
        ("processor\t: 0\nmodel name\t: Abacus @ 2 Hz\nmodel name\t: other\n", "Abacus @ 2 Hz"),
        ("processor\t: 0\nmodel\t: 6\n", "arm"),
        (None, "arm"),
    ],
    ids=["named", "unnamed", "no file"],
)
def test_the_processor_is_named(cpuinfo, processor, monkeypatch):
    def read_text(self, encoding):
        assert str(self) == "/proc/cpuinfo"
        if cpuinfo is None:
            raise FileNotFoundError(self)
        return cpuinfo

    monkeypatch.setattr(Path, "read_text", read_text)
    monkeypatch.setattr(provenance.platform, "processor", lambda: "arm")
    assert provenance._processor() == processor
