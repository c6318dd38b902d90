"""The public names: what is listed exists, and importing the package loads nothing heavy."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import gomkcn_dgl


def test_all_is_the_table_of_modules_and_sorted():
    assert gomkcn_dgl.__all__ == list(gomkcn_dgl._MODULE_OF)
    assert gomkcn_dgl.__all__ == sorted(gomkcn_dgl.__all__)
    assert dir(gomkcn_dgl) == gomkcn_dgl.__all__


@pytest.mark.parametrize("name", gomkcn_dgl.__all__)
def test_every_name_comes_from_its_module(name):
    module = importlib.import_module(f"gomkcn_dgl.{gomkcn_dgl._MODULE_OF[name]}")
    assert getattr(gomkcn_dgl, name) is getattr(module, name)
    assert getattr(gomkcn_dgl, name).__doc__


def test_type_checkers_see_the_same_names():
    tree = ast.parse(Path(gomkcn_dgl.__file__).read_text())
    seen = {
        alias.name: node.module
        for block in ast.walk(tree)
        if isinstance(block, ast.If)
        for node in ast.walk(block)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == {name: f"gomkcn_dgl.{m}" for name, m in gomkcn_dgl._MODULE_OF.items()}


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'gomkcn_dgl' has no attribute 'gomkcn'"):
        gomkcn_dgl.gomkcn  # noqa: B018


@pytest.mark.parametrize("package", ["synthetic", "mining"])
def test_the_other_packages_list_exactly_what_they_import(package):
    module = importlib.import_module(package)
    listed = getattr(module, "__all__", [])
    assert len(set(listed)) == len(listed)
    for name in listed:
        assert getattr(module, name) is not None
    imported = {
        alias.asname or alias.name
        for node in ast.walk(ast.parse(Path(module.__file__).read_text()))
        if isinstance(node, ast.ImportFrom) and node.module != "__future__"
        for alias in node.names
    }
    lazy = set(getattr(module, "_MODULE_OF", ()))
    assert {n for n in imported if n.isidentifier()} - {"TYPE_CHECKING", "Any"} <= set(listed)
    assert set(listed) <= imported | lazy


HEAVY = ("torch", "dgl", "numba", "networkx", "numpy")


def test_importing_the_package_loads_nothing_heavy():
    code = f"import sys, gomkcn_dgl; print([m for m in {HEAVY!r} if m in sys.modules])"
    assert run(code) == "[]"


def test_scores_and_filters_need_no_dgl():
    code = (
        "import sys; from gomkcn_dgl import gomk, level_embeddings, GraphFilters, GOMKKernel; "
        "print('dgl' in sys.modules)"
    )
    assert run(code) == "False"


def test_importing_starts_no_thread_and_touches_no_gpu():
    code = (
        "import threading, gomkcn_dgl, torch; from gomkcn_dgl import GOMKConv; "
        "print(threading.active_count(), torch.cuda.is_initialized())"
    )
    assert run(code) == "1 False"


def run(code):
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=120
    ).stdout.strip()
