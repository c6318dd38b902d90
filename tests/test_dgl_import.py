"""The import of DGL in _dgl.py: the GraphBolt stub, and one sentence when DGL cannot be had."""

import importlib.metadata
import os
import subprocess
import sys
import warnings

import pytest

from gomkcn_dgl import _dgl

WAY_OUT = "install it with: pip install dgl==1.1.3 (dgl==2.1.0 for Python 3.12)"


@pytest.mark.parametrize(
    ("dgl_version", "torch_version", "needed"),
    [
        ("2.1.0", "2.3.0", True),
        ("2.1.0", "2.13.0+cpu", True),
        ("2.1.0", "2.2.2", False),
        ("2.1.0", "2.2.2+cpu", False),
        ("1.1.3", "2.13.0", False),
        ("1.1.3", "2.0.1", False),
        ("3.0.0", "2.13.0", False),
    ],
)
def test_graphbolt_is_replaced_for_dgl_2_beside_a_newer_torch_alone(
    monkeypatch, dgl_version, torch_version, needed
):
    versions = {"dgl": dgl_version, "torch": torch_version}
    monkeypatch.setattr(importlib.metadata, "version", versions.__getitem__)
    assert _dgl._needs_graphbolt_stub() is needed


@pytest.mark.parametrize("needed", [True, False])
def test_the_stub_is_put_in_place_before_dgl_is_imported(monkeypatch, needed):
    seen = {}

    def importing(name):
        seen[name] = "dgl.graphbolt" in sys.modules

    monkeypatch.setattr(_dgl, "_needs_graphbolt_stub", lambda: needed)
    monkeypatch.setattr(_dgl.importlib, "import_module", importing)
    # remembered first, so that the stub is taken out again
    monkeypatch.setitem(sys.modules, "dgl.graphbolt", None)
    monkeypatch.delitem(sys.modules, "dgl.graphbolt")
    _dgl._import_dgl()
    assert seen == {"dgl": needed}


def test_warnings_about_the_syntax_of_dgl_s_files_are_kept_from_the_user(monkeypatch):
    def importing(name):
        warnings.warn("invalid escape sequence", SyntaxWarning, stacklevel=1)
        return name

    monkeypatch.setattr(_dgl.importlib, "import_module", importing)
    # any warning is an error here
    assert _dgl._import_dgl() == "dgl"


def test_dgl_runs_on_pytorch_unless_the_user_chose_otherwise(monkeypatch):
    monkeypatch.setattr(_dgl.importlib, "import_module", lambda name: os.environ["DGLBACKEND"])
    monkeypatch.delenv("DGLBACKEND", raising=False)
    assert _dgl._import_dgl() == "pytorch"
    monkeypatch.setenv("DGLBACKEND", "tensorflow")
    assert _dgl._import_dgl() == "tensorflow"


def ask_for_a_layer(before="", path=None):
    """Touch ``gomkcn_dgl.GOMKConv`` in a new process; return what it raises and prints."""
    code = f"""
import sys
{before}
import gomkcn_dgl
from gomkcn_dgl import MissingDGLError
try:
    gomkcn_dgl.GOMKConv
except MissingDGLError as error:
    print(isinstance(error, ImportError), error)
"""
    environment = dict(os.environ)
    if path is not None:
        environment["PYTHONPATH"] = os.pathsep.join([str(path), environment.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
    )
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("raise ImportError('libcudart.so.11.0: cannot open')", "libcudart.so.11.0: cannot open"),
        ("raise FileNotFoundError('no library\\nin 7 places')", "no library"),
        ("raise RuntimeError()", "RuntimeError"),
    ],
    ids=["import_error", "two_lines", "no_words"],
)
def test_a_broken_dgl_is_reported_in_one_sentence(tmp_path, body, reason):
    (tmp_path / "dgl").mkdir()
    (tmp_path / "dgl" / "__init__.py").write_text(body)
    said = ask_for_a_layer(path=tmp_path)
    assert said == f"True DGL cannot be imported ({reason}); {WAY_OUT}."


def test_a_dgl_that_is_not_installed_is_reported_in_one_sentence():
    uninstalled = """
import importlib.metadata
found = importlib.metadata.version
def version(name):
    if name == "dgl":
        raise importlib.metadata.PackageNotFoundError(name)
    return found(name)
importlib.metadata.version = version
"""
    said = ask_for_a_layer(before=uninstalled)
    assert said == f"True The package 'dgl' is not installed; {WAY_OUT}."
