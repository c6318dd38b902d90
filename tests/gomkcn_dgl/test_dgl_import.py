"""The import of DGL in _dgl.py: the GraphBolt stub, and one sentence when DGL cannot be had."""

import importlib.metadata
import sys
import warnings
from importlib.metadata import PackageNotFoundError

import pytest

from gomkcn_dgl import _dgl
from gomkcn_dgl.errors import MissingDGLError


@pytest.mark.parametrize(
    ("dgl_version", "torch_version", "needed"),
    [
        ("2.1.0", "2.3.0", True),
        ("2.1.0", "2.13.0+cpu", True),
        ("2.1.0", "2.2.2+cpu", False),
        ("1.1.3", "2.13.0", False),
        ("3.0.0", "2.13.0", False),
    ],
)
def test_graphbolt_is_replaced_for_dgl_2_beside_a_newer_torch_alone(
    monkeypatch, dgl_version, torch_version, needed
):
    seen, versions = {}, {"dgl": dgl_version, "torch": torch_version}

    def importing(name):
        # the stub is there before DGL; any warning that reaches the user is an error here
        seen[name] = "dgl.graphbolt" in sys.modules
        for kind in (SyntaxWarning, DeprecationWarning):
            warnings.warn("invalid escape sequence", kind, stacklevel=1)

    monkeypatch.setattr(importlib.metadata, "version", versions.__getitem__)
    monkeypatch.setattr(_dgl.importlib, "import_module", importing)
    # remembered first, so that the stub is taken out again
    monkeypatch.setitem(sys.modules, "dgl.graphbolt", None)
    monkeypatch.delitem(sys.modules, "dgl.graphbolt")
    _dgl._import_dgl()
    assert seen == {"dgl": needed}


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ImportError("libcudart.so: cannot open"), "DGL cannot be imported (libcudart.so: cannot"),
        (FileNotFoundError("no library\nin 7 places"), "DGL cannot be imported (no library);"),
        (RuntimeError(), "DGL cannot be imported (RuntimeError); its graphs"),
        (PackageNotFoundError("dgl"), "The package 'dgl' is not installed; its graphs"),
    ],
)
def test_a_broken_or_missing_dgl_is_reported_in_one_sentence(monkeypatch, error, sentence):
    def importing(name):
        raise error

    monkeypatch.setattr(_dgl, "_needs_graphbolt_stub", lambda: False)
    monkeypatch.setattr(_dgl.importlib, "import_module", importing)
    with pytest.raises(MissingDGLError) as caught:
        _dgl._import_dgl()
    assert str(caught.value).startswith(sentence)
    assert str(caught.value).endswith("dgl==2.1.0; other graphs and all files do without.")
