"""The import of DGL, ours and a user's: GraphBolt left out where it must be, and one sentence."""

import importlib
import subprocess
import sys
import types
import warnings

import pytest

import gomkcn_dgl
from gomkcn_dgl import _graphbolt
from gomkcn_dgl.errors import MissingDGLError

# a library of the name of DGL, with what its release 2.1 imports at start
DGL = {
    "__init__.py": "from dgl._ffi import libinfo\nimport torch\nfrom dgl import graphbolt",
    "_ffi/__init__.py": "",
    "_ffi/libinfo.py": "def find_lib_path():\n    return [__file__[:-15] + 'libdgl.so']",
    "graphbolt/__init__.py": "import torchdata.datapipes",
    "graphbolt/libgraphbolt_pytorch_2.2.1.so": "",
}


def imported(folder, program, torch_version="2.13.0+cpu"):
    """What a process that finds such a DGL, and a PyTorch, says of a program."""
    torch = {"torch.py": f"__version__ = {torch_version!r}"}
    files = {f"dgl/{name}": text for name, text in DGL.items()} | torch
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    result = subprocess.run(
        [sys.executable, "-c", f"import sys\nsys.path.insert(0, '.')\n{program}"],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
    )
    return result.stdout + result.stderr


def test_a_user_can_import_dgl_after_gomkcn(tmp_path):
    said = imported(tmp_path, "import gomkcn\nimport dgl\nprint(len(dir(dgl.graphbolt)) < 12)")
    assert said == "True\n"
    # and not without, nor where nothing is to be mended
    assert "torchdata" in imported(tmp_path, "import dgl")
    assert "torchdata" in imported(tmp_path, "import gomkcn\nimport dgl", "2.2.1+cpu")


def test_what_is_missing_is_said_where_it_is_used(tmp_path):
    said = imported(tmp_path, "import gomkcn\nimport dgl\ndgl.graphbolt.DataLoader")
    sentence = "has no attribute 'DataLoader': DGL has no GraphBolt for this PyTorch"
    assert said.splitlines()[-1] == f"AttributeError: module 'dgl.graphbolt' {sentence}"


def test_nothing_else_is_found_and_one_finder_is_registered():
    finders = [one for one in sys.meta_path if type(one).__module__ == _graphbolt.__name__]
    assert len(finders) == 1
    importlib.reload(gomkcn_dgl)
    assert [one for one in sys.meta_path if type(one).__module__ == _graphbolt.__name__] == finders
    assert finders[0].find_spec("dgl.dataloading") is None
    assert finders[0].find_spec("graphbolt") is None


@pytest.fixture
def import_dgl(monkeypatch):
    """Our import of DGL, with another function in the place of Python's."""
    from gomkcn_dgl import _dgl

    def import_by(importing):
        monkeypatch.setattr(_dgl, "importlib", types.SimpleNamespace(import_module=importing))
        return _dgl._import_dgl()

    return import_by


def test_warnings_of_its_syntax_are_kept_from_the_user(import_dgl):
    def importing(name):
        # any warning that reaches the user is an error here
        for kind in (SyntaxWarning, DeprecationWarning):
            warnings.warn("invalid escape sequence", kind, stacklevel=1)
        return name

    assert import_dgl(importing) == "dgl"


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ImportError("libcudart.so: cannot open"), "DGL cannot be imported (libcudart.so: cannot"),
        (FileNotFoundError("no library\nin 7 places"), "DGL cannot be imported (no library);"),
        (RuntimeError(), "DGL cannot be imported (RuntimeError); its graphs"),
        (
            ModuleNotFoundError("No module named 'dgl'", name="dgl"),
            "The package 'dgl' is not installed; its graphs",
        ),
    ],
)
def test_a_broken_or_missing_dgl_is_reported_in_one_sentence(import_dgl, error, sentence):
    def importing(name):
        raise error

    with pytest.raises(MissingDGLError) as caught:
        import_dgl(importing)
    assert str(caught.value).startswith(sentence)
    assert str(caught.value).endswith("dgl==2.1.0; other graphs and all files do without.")
