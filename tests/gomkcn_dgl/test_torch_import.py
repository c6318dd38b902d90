"""The device that a name stands for, with and without GPUs."""

import pytest
import torch

from gomkcn_dgl._torch import resolve_device
from gomkcn_dgl.errors import InputError, InputTypeError


def pretend(patch, number, current=0):
    """So many GPUs."""
    patch.setattr(torch.cuda, "is_available", lambda: number > 0)
    patch.setattr(torch.cuda, "device_count", lambda: number)
    patch.setattr(torch.cuda, "current_device", lambda: current)


@pytest.mark.parametrize(
    ("gpus", "given", "meant"),
    [
        (0, "auto", "cpu"),
        (0, "cpu", "cpu"),
        (2, "cpu", "cpu"),
        (2, "auto", "cuda:1"),
        (2, "cuda", "cuda:1"),
        (2, "cuda:0", "cuda:0"),
        (2, torch.device("cuda"), "cuda:1"),
        (2, torch.device("cpu"), "cpu"),
    ],
)
def test_a_name_stands_for_a_device(monkeypatch, gpus, given, meant):
    pretend(monkeypatch, gpus, current=1)
    assert resolve_device(given) == torch.device(meant)


@pytest.mark.parametrize(
    ("gpus", "given", "sentence"),
    [
        (0, "cuda", r"^device must be 'cpu' or 'auto' where PyTorch finds no GPU, got 'cuda'\.$"),
        (
            2,
            "cuda:2",
            r"^device must be one of the 2 GPUs that .* 'cuda:0' to 'cuda:1', got ",
        ),
        (2, "gpu", r"^device must be 'auto', 'cpu', 'cuda', or 'cuda:1' or such, got 'gpu'\.$"),
        (2, "auto:1", "^device must be 'auto', "),
        (2, torch.device("meta"), "^device must be 'auto', .* got 'meta'"),
    ],
)
def test_what_cannot_be_used_is_refused(monkeypatch, gpus, given, sentence):
    pretend(monkeypatch, gpus)
    with pytest.raises(InputError, match=sentence):
        resolve_device(given)


def test_what_is_no_name_is_refused():
    with pytest.raises(InputTypeError, match=r"^device must be a name, .* got 0\.$"):
        resolve_device(0)
