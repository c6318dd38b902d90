"""The public names, and what importing and each command load: what asks little answers at once."""

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
HEAVY = ("torch", "dgl", "pandas", "seaborn", "sklearn", "matplotlib", "igraph", "rdkit")
# both load much at their first call
COMPILED = ("numba", "scipy")
PROGRAM = """
import sys
from click.testing import CliRunner
from gomkcn.commands.main import main
for line in sys.argv[2:]:
    result = CliRunner().invoke(main, line.split())
    assert result.exit_code == 0, (line, result.output)
loaded = sorted(set(sys.argv[1].split(",")) & sys.modules.keys())
assert not loaded, loaded
"""
# importing creates no file but the folder of Numba's cache, starts no thread, touches no GPU and
# silences nothing
SIDE_EFFECTS = """
from gomkcn import gomk, level_embeddings, GraphFilters, GOMKKernel
import gomkcn_dgl.kernels.bfs_numba, gomkcn_dgl.kernels.matching_numba
import logging, os, sys, threading, torch

assert "dgl" not in sys.modules
assert os.listdir(os.environ["HOME"]) == []
# matplotlib's list of fonts is there
os.environ["HOME"] = sys.argv[1]
from gomkcn import GOMKConv, PatternMiner

assert threading.active_count() == 1 and not torch.cuda.is_initialized()
assert not logging.getLogger("gomkcn_dgl").disabled
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
    for package in (gomkcn, gomkcn_dgl):
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            package.nothing  # noqa: B018


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


def test_every_import_keeps_to_the_order_of_the_house():
    command = [Path(sys.executable).with_name("lint-imports"), "--config", HOUSE, "--no-cache"]
    result = subprocess.run(command, cwd=HOUSE.parent, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


def test_importing_has_no_side_effects(tmp_path):
    pytest.importorskip("torch")
    folders = {name: str(tmp_path / name) for name in ("HOME", "NUMBA_CACHE_DIR")}
    for folder in folders.values():
        os.mkdir(folder)
    environment = {**os.environ, **folders, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", SIDE_EFFECTS, str(Path.home())]
    subprocess.run(command, check=True, timeout=120, env=environment)


def run(forbidden, *lines):
    """One process for all of them: what none of them imports, each leaves alone."""
    program = [sys.executable, "-c", PROGRAM, ",".join(forbidden), *lines]
    subprocess.run(program, check=True, timeout=300)


def test_help_info_and_a_count_in_a_small_graph_load_little(tmp_path):
    names = {"numpy", "networkx", *HEAVY, *COMPILED}
    program = f"import gomkcn, sys; assert not {names} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
    run((*names, "pyarrow"), "--help", "mine --help")
    graph = tmp_path / "g.txt"
    graph.write_text("0 1\n1 2\n2 0\n2 3\n")
    run(
        (*HEAVY, *COMPILED, "networkx"),
        f"count triangle {graph}",
        f"count a--b,b--c {graph}",
        f"count {graph} {graph}",
    )
    run((*HEAVY, "numba", "networkx"), f"info {graph}")
    run(
        HEAVY,
        f"count a--b,b--c {graph} --list 2",
        *(f"generate planted --out {tmp_path}/p{end} --nodes 50" for end in (".csv", ".graph")),
    )


def test_mining_refuses_a_path_before_it_loads_anything():
    program = (
        "import sys; from click.testing import CliRunner; from gomkcn.commands.main import main; "
        "assert CliRunner().invoke(main, ['mine', 'none.txt']).exit_code == 2; "
        "assert not {'numpy', 'igraph'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_mining_loads_no_learning(tmp_path):
    graph = tmp_path / "rings.txt"
    rows = [f"{5 * i + j} {5 * i + (j + 1) % 5}" for i in range(9) for j in range(5)]
    graph.write_text("\n".join(rows))
    run(
        ("torch", "dgl", "sklearn", "seaborn", "matplotlib", "pandas", "networkx", "joblib"),
        f"mine {graph} --out {tmp_path}/run --size 5 --null none",
    )
    run((*HEAVY, *COMPILED, "networkx"), f"count {tmp_path}/run:0 {graph}")
