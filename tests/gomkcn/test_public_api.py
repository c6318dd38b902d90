"""The public names: what is listed exists, and importing a package loads nothing heavy."""

import importlib
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import gomkcn
import gomkcn_dgl

HOUSE = Path(__file__).parents[2] / "setup.cfg"
# one after the other in one process
START = """
import sys, gomkcn

heavy = "numpy", "torch", "dgl", "numba", "networkx", "matplotlib"
print([name for name in heavy if name in sys.modules])
from gomkcn.commands.main import main

main(["mine", "--help"], standalone_mode=False)
print([name for name in heavy[1:] if name in sys.modules])
# scores and filters need no DGL
from gomkcn import gomk, level_embeddings, GraphFilters, GOMKKernel

print("dgl" in sys.modules)
# importing creates no file but the folder of Numba's cache, starts no thread, touches no GPU and
# silences nothing
import gomkcn_dgl.kernels.bfs_numba, gomkcn_dgl.kernels.matching_numba
import logging, os, threading, torch

print(os.listdir(os.environ["HOME"]))
# matplotlib's list of fonts is there
os.environ["HOME"] = sys.argv[1]
from gomkcn import GOMKConv, PatternMiner

disabled = logging.getLogger("gomkcn_dgl").disabled
print(threading.active_count(), torch.cuda.is_initialized(), disabled)
"""


def test_the_door_has_every_public_name_of_the_three_packages():
    packages = [importlib.import_module(name) for name in ("gomkcn_dgl", "mining", "synthetic")]
    listed = [name for package in packages for name in package.__all__]
    assert sorted(gomkcn.__all__) == sorted(listed)
    assert len(set(listed)) == len(listed)
    assert dir(gomkcn) == gomkcn.__all__
    for package in packages:
        for name in package.__all__:
            assert getattr(gomkcn, name) is getattr(package, name)
            assert getattr(gomkcn, name).__doc__


def test_every_import_keeps_to_the_order_of_the_house():
    command = [Path(sys.executable).with_name("lint-imports"), "--config", HOUSE, "--no-cache"]
    result = subprocess.run(command, cwd=HOUSE.parent, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


def calls_of_users():
    """Functions, methods and constructors of the public names, with their parameters.

    Records, whose docstring has no parameters, are made by the library alone.
    """
    for name in gomkcn.__all__:
        public = getattr(gomkcn, name)
        calls = {name: public} if callable(public) else {}
        if inspect.isclass(public):
            calls = calls if "\nParameters\n" in inspect.getdoc(public) else {}
            methods = [one for one in vars(public) if not one.startswith("_") or one == "forward"]
            calls |= {f"{name}.{one}": getattr(public, one) for one in methods}
        for call, function in calls.items():
            if callable(function):
                yield call, [one for one in inspect.signature(function).parameters if one != "self"]


def test_a_call_has_at_most_twelve_parameters():
    # a miner has as many as a random forest of scikit-learn
    more = {call: len(names) for call, names in calls_of_users() if len(names) > 12}
    assert more == {"PatternMiner": 18}


@pytest.mark.parametrize("package", [gomkcn, gomkcn_dgl])
def test_an_unknown_name_is_an_attribute_error(package):
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        package.nothing  # noqa: B018


def test_importing_loads_little_and_has_no_side_effects(tmp_path):
    folders = {name: str(tmp_path / name) for name in ("HOME", "NUMBA_CACHE_DIR")}
    for folder in folders.values():
        os.mkdir(folder)
    done = subprocess.run(
        [sys.executable, "-c", START, str(Path.home())],
        env={**os.environ, **folders, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    # without the help
    lines = done.stdout.splitlines()
    assert [lines[0], *lines[-4:]] == ["[]", "[]", "False", "[]", "1 False False"]
