"""How the installs are tried: what runs, what may be skipped, and what is a fault."""

from pathlib import Path

import pytest
from documented import install_lines
from installs import first_snippets, judge, line_for, needs

PAGE = "These examples need Polars, and DuckDB. Training needs PyTorch. There is networkx, too."


def test_a_snippet_that_prints_runs():
    assert judge(PAGE, 0, "7\n", "a warning") == "runs"
    assert judge(PAGE, 0, "", "") == "FAILS: prints nothing"
    assert judge(PAGE, -9, "7\n", "") == "FAILS: exit code -9"
    assert judge(PAGE, 1, "", "Traceback\n  File x\nValueError: no\n") == "FAILS: ValueError: no"


@pytest.mark.parametrize(
    ("last", "found"),
    [
        ("ModuleNotFoundError: No module named 'polars'", "skipped: needs polars, as the page"),
        ("ModuleNotFoundError: No module named 'duckdb.a'", "skipped: needs duckdb, as the page"),
        ("ModuleNotFoundError: No module named 'torch'", "skipped: needs PyTorch, as the page"),
        ("MissingTorchError: kernels need PyTorch, which is not", "skipped: needs PyTorch, as"),
        ("MissingDGLError: The package 'dgl' is not installed; its", "FAILS: MissingDGLError"),
        ("ModuleNotFoundError: No module named 'networkx'", "FAILS: ModuleNotFoundError"),
        ("ModuleNotFoundError: No module named 'polar'", "FAILS: ModuleNotFoundError"),
    ],
)
def test_what_is_missing_is_a_fault_unless_the_page_says_so(last, found):
    assert judge(PAGE, 1, "", f"Traceback\n{last}\n").startswith(found)


def test_a_need_is_said_in_one_sentence():
    assert needs("It needs DGL.", "dgl") and needs("These need\nPyTorch.", "torch")
    assert not needs("It needs none. There is DGL.", "dgl")
    assert not needs("DGL is needed.", "dgl") and not needs("It needs DGLs.", "dgl")


def test_a_wheel_stands_in_for_the_checkout_without_constraints(tmp_path):
    line = "python3 -m pip install -c constraints.txt ."
    wheel = tmp_path / "a b.whl"
    assert line_for(line, wheel) == f"python3 -m pip install '{wheel}'"
    assert line_for(line, None) == line_for(line, Path("a.tar.gz")) == line
    with pytest.raises(SystemExit, match="must end in the checkout"):
        line_for("pip install gomkcn-dgl", wheel)


def test_the_lines_of_readme_are_commands(tmp_path):
    lines = [line for line in install_lines() if " pip install " in line]
    assert len(lines) == 2 and "gomkcn demo" in install_lines()
    for line in lines:
        assert line_for(line, tmp_path / "a.whl").endswith(f" {tmp_path / 'a.whl'}")
        assert "#" not in line and " -c constraints.txt " in line


def test_each_page_for_users_has_its_first_snippet():
    snippets = first_snippets()
    assert {"README.md", "docs/start.md", "docs/howto/dgl_layer.md"} <= snippets.keys()
    assert not [name for name in snippets if "api" in name or "benchmarks" in name]
