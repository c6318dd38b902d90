"""The checkpoint file of a training: when it is written, what it refuses."""

import os
from pathlib import Path

import pytest
import torch

from gomkcn_dgl import InputError
from gomkcn_dgl.training.checkpoint import Checkpoint

pytestmark = pytest.mark.usefixtures("folder")


def test_when_it_is_due_and_how_long_the_run_took(monkeypatch):
    now = 0.0
    monkeypatch.setattr("gomkcn_dgl.training.checkpoint.time.monotonic", lambda: now)
    checkpoint = Checkpoint("a")
    now = 29.9
    assert not checkpoint.is_due()
    now = 30.0
    assert checkpoint.is_due()
    checkpoint.write({})
    assert not checkpoint.is_due()
    now = 100.0
    second = Checkpoint("a", resume=True)
    second.read()
    now = 102.0
    # 30 before the checkpoint and 2 after it was read
    assert second.seconds == 32.0


def test_a_file_is_read_when_asked_to_and_when_it_is_there():
    assert Checkpoint("a", resume=True).read() is None
    Checkpoint("a").write({"step": torch.tensor(3)})
    assert Checkpoint("a").read() is None
    assert Checkpoint("a", resume=True).read() == {"step": 3}


def test_a_file_of_another_run_is_refused():
    first, second = Checkpoint("a.pt"), Checkpoint("a.pt", resume=True)
    first.identity, second.identity = {"settings": {"seed": 0}}, {"settings": {"seed": 1}}
    first.write({})
    with pytest.raises(InputError, match=r"^checkpoint 'a.pt' .* settings \(seed was 0, is 1\)"):
        second.read()


def test_damaged_files_are_refused_and_run_nothing():
    Checkpoint("a").write({"step": torch.arange(1000)})
    content = Path("a").read_bytes()

    class Evil:
        def __reduce__(self):
            return os.mkdir, ("evil",)

    torch.save({"identity": {}, "seconds": 0.0, "state": Evil()}, "evil.pt")
    harmless = [b"", b"text", content[:-100], content[:200] + bytes(50) + content[250:]]
    for damaged in [*harmless, Path("evil.pt").read_bytes()]:
        Path("a").write_bytes(damaged)
        with pytest.raises(InputError, match=r"^checkpoint 'a' cannot be read \(.*--force\.$"):
            Checkpoint("a", resume=True).read()
    for other in ({}, [1], {"identity": {}, "seconds": "no", "state": {}}):
        torch.save(other, "a")
        with pytest.raises(InputError, match=r"^checkpoint 'a' cannot be read \("):
            Checkpoint("a", resume=True).read()
    assert not Path("evil").exists()
