"""`gomkcn compile`: usual commands run on small graphs; what they need is compiled and kept."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from command_line import gomkcn
from forked import run

from gomkcn.commands import compile_command

TWICE = """
import json
from gomkcn.commands import compile_command
from gomkcn.commands.main import main

compile_command._JOBS = compile_command._JOBS_WITH_TORCH = ()
compile_command._GRAPHS = compile_command._GRAPHS[1:2]
first = compile_command.compile_usual(main, quiet=True)
import subprocess, sys
again = "from gomkcn.commands import compile_command as c; c._JOBS = c._JOBS_WITH_TORCH = ();"
again += "c._GRAPHS = c._GRAPHS[1:2]; from gomkcn.commands.main import main;"
again += "print(c.compile_usual(main, quiet=True))"
done = subprocess.run([sys.executable, "-c", again], capture_output=True, text=True, check=True)
print(json.dumps([first, int(done.stdout)]))
"""
MINE = """
import json, sys
from gomkcn.commands.compile_command import compile_usual
from gomkcn.commands.main import main
from gomkcn_dgl.runtime.compiled import compiling

found = compile_usual(main, quiet=True)
main.main(["generate", "planted", "--out", "planted.graph"], standalone_mode=False)
before = compiling.number
main.main(["mine", "planted.graph", "--quiet", "--out", "run"], standalone_mode=False)
print(json.dumps([found > 20, compiling.number - before]))
"""


def test_what_the_commands_compile_is_kept_and_then_there_is_nothing_to_compile(tmp_path):
    first, again = run(TWICE, NUMBA_CACHE_DIR=str(tmp_path))
    assert first > 0 and again == 0


@pytest.mark.usefixtures("folder")
def test_the_command_leaves_nothing_and_says_what_it_did(monkeypatch):
    monkeypatch.setattr(compile_command, "_JOBS", ("info classes", "info events.csv"))
    monkeypatch.setattr(compile_command, "_JOBS_WITH_TORCH", ())
    monkeypatch.setattr(compile_command, "_GRAPHS", ())
    here = os.getcwd()
    assert gomkcn("compile") == "nothing to compile: the code of the usual commands is there\n"
    assert os.getcwd() == here and not [*Path().iterdir()]


def test_without_torch_what_needs_it_is_left_out(monkeypatch):
    ran = []
    monkeypatch.setattr(compile_command.importlib.util, "find_spec", lambda name: None)
    group = SimpleNamespace(main=lambda words, standalone_mode: ran.append(words[:2]))
    assert compile_command.compile_usual(group, quiet=True) == 0
    assert ["census", "planted.graph"] in ran
    assert ["mine", "planted.graph"] in ran and ["train", "classes"] not in ran


@pytest.mark.slow
def test_after_it_a_mining_compiles_nothing(tmp_path):
    here = f"import os; os.chdir({str(tmp_path)!r})\n"
    assert run(here + MINE, NUMBA_CACHE_DIR=str(tmp_path / "cache")) == [True, 0]
