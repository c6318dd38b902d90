"""A first mining: its second process compiles what the first one will need, and only then."""

import gc

import pytest
from forked import run

from gomkcn.commands.run_command import loading

BESIDE = """
import json, multiprocessing
from gomkcn.commands.first_mining import compile_beside

compiles = compile_beside()
print(json.dumps([compiles, len(multiprocessing.active_children())]))
"""

# as if the last of the functions had been compiled
KEPT = """
from pathlib import Path
from gomkcn.mining.motif_sets.alignment_loops import align_sets

Path(align_sets._cache._cache_file._index_path).touch()
"""

# functions with the types that they have code for, after the tiny graph and after others
TYPES = """
import gc, json
import networkx as nx
from numba.core.dispatcher import Dispatcher
from gomkcn.commands.first_mining import mine_tiny
from gomkcn_dgl.runtime.machine_code import Cache
from gomkcn.mining.patterns.pattern_miner import PatternMiner

def types():
    return {
        f"{one.py_func.__name__}{types}"
        for one in gc.get_objects()
        if isinstance(one, Dispatcher) and isinstance(one._cache, Cache)
        for types in one.nopython_signatures
    }

mine_tiny()
ahead = types()
for graph in (nx.karate_club_graph(), nx.relaxed_caveman_graph(6, 5, 0.2, seed=0)):
    PatternMiner("3-5", filters="none", null_samples=99).fit(graph)
print(json.dumps([len(ahead), sorted(types() - ahead)]))
"""


@pytest.mark.parametrize(
    ("threads", "is_kept", "processes"), [("2", False, 1), ("1", False, 0), ("2", True, 0)]
)
def test_a_second_process_compiles_where_it_has_work_and_a_core(
    tmp_path, threads, is_kept, processes
):
    environment = {"NUMBA_NUM_THREADS": threads, "NUMBA_CACHE_DIR": str(tmp_path)}
    program = KEPT + BESIDE if is_kept else BESIDE
    assert run(program, **environment) == [not is_kept, processes]


def test_the_tiny_graph_compiles_all_that_others_need():
    number, missing = run(TYPES)
    assert number > 20 and not missing


def test_garbage_is_looked_for_again_when_libraries_are_loaded():
    with loading():
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ImportError), loading():
        raise ImportError
    assert gc.isenabled()
    # a program that looks for none does not begin to
    gc.disable()
    try:
        with loading():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_run_does_not_walk_libraries_for_garbage(tmp_path):
    graph = tmp_path / "g.txt"
    graph.write_text("0 1\n1 2\n2 0\n")
    arguments = ["mine", str(graph), "--out", str(tmp_path / "run"), "--null", "none"]
    program = f"""
import gc, json
from click.testing import CliRunner
from gomkcn.commands.main import main

kept, unfreeze = [], gc.unfreeze
gc.unfreeze = lambda: (kept.append(gc.get_freeze_count()), unfreeze())
result = CliRunner().invoke(main, {[*arguments, "--filters", "none"]!r})
assert result.exit_code == 0, result.output
print(json.dumps([*kept, gc.get_freeze_count()]))
"""
    # libraries are more than what the mining of a triangle leaves
    during, after = run(program)
    assert during > 50_000 and after == 0
