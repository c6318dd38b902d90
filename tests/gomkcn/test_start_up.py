"""What each command imports: a command that asks little answers at once."""

import subprocess
import sys

import pytest

HEAVY = ("torch", "dgl", "pandas", "seaborn", "sklearn", "matplotlib", "igraph")
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


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    """A triangle with a tail."""
    path = tmp_path_factory.mktemp("start") / "g.txt"
    path.write_text("0 1\n1 2\n2 0\n2 3\n")
    return path


def run(forbidden, *lines):
    """One process for all of them: what none of them imports, each leaves alone."""
    program = [sys.executable, "-c", PROGRAM, ",".join(forbidden), *lines]
    subprocess.run(program, check=True, timeout=300)


def test_help_imports_nothing_but_click():
    run((*HEAVY, *COMPILED, "numpy", "networkx", "pyarrow"), "--help", "mine --help")


def test_info_compiles_nothing(graph):
    run((*HEAVY, "numba", "networkx"), f"info {graph}")


def test_a_count_in_a_small_graph_compiles_nothing(graph):
    run(
        (*HEAVY, *COMPILED, "networkx"),
        f"count triangle {graph}",
        f"count a--b,b--c {graph}",
        f"count {graph} {graph}",
    )


def test_counts_and_generated_graphs_need_no_learning(graph, tmp_path):
    run(
        HEAVY,
        f"count a--b,b--c {graph} --list 2",
        *(f"generate planted --out {tmp_path}/p{end} --nodes 50" for end in (".csv", ".graph")),
    )


def test_mining_a_text_file_needs_no_dgl_and_its_patterns_no_learning(tmp_path):
    graph = tmp_path / "rings.txt"
    rows = [f"{5 * i + j} {5 * i + (j + 1) % 5}" for i in range(9) for j in range(5)]
    graph.write_text("\n".join(rows))
    run(("dgl", "seaborn"), f"mine {graph} --out {tmp_path}/run --size 5 --null none")
    run((*HEAVY, *COMPILED, "networkx"), f"count {tmp_path}/run:0 {graph}")


def test_names_are_imported_on_use():
    names = {"numpy", *HEAVY, *COMPILED}
    program = f"import gomkcn, sys; assert not {names} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
