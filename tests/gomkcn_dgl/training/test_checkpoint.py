"""Files of tensors and plain values: what they refuse."""

import os
from pathlib import Path

import pytest
import torch

from gomkcn_dgl import InputError
from gomkcn_dgl.training.checkpoint import read_state, state_bytes

pytestmark = pytest.mark.usefixtures("folder")


def test_damaged_files_are_refused_and_run_nothing():
    content = state_bytes({"step": torch.arange(1000)})
    Path("a").write_bytes(content)
    assert len(read_state(Path("a"), lambda state: state["step"])) == 1000

    class Evil:
        def __reduce__(self):
            return os.mkdir, ("evil",)

    torch.save({"step": Evil()}, "evil.pt")
    harmless = [b"", b"text", content[:-100], content[:200] + bytes(50) + content[250:]]
    for damaged in [*harmless, Path("evil.pt").read_bytes()]:
        Path("a").write_bytes(damaged)
        with pytest.raises(InputError, match=r"^checkpoint 'a' cannot be read \(.*train again\.$"):
            read_state(Path("a"), dict)
    # whatever a reader finds missing
    for other in ({}, [1], {"step": "no"}):
        torch.save(other, "a")
        with pytest.raises(InputError, match=r"^checkpoint 'a' cannot be read \(.*; go\.$"):
            read_state(Path("a"), lambda state: state["step"] + 1, "go")
    assert not Path("evil").exists()
