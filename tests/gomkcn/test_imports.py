"""The public names, and what importing and each command load: what asks little answers at once."""

import ast
import importlib
import importlib.metadata
import importlib.util
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import forked
import pytest
from graph_files import typed_graph

import gomkcn
import gomkcn_dgl
from gomkcn_dgl.io.dgl_files import write_dgl_graphs

HOUSE = Path(__file__).parents[2] / "setup.cfg"
HEAVY = ("torch", "dgl", "pandas", "seaborn", "sklearn", "matplotlib", "igraph", "rdkit")
NOT_OF_MINING = [one for one in HEAVY if one != "igraph"]
# both load much at their first call
COMPILED = ("numba", "scipy")
# steps of names that must not be loaded after some command lines
PROGRAM = """
import json
import sys
import gomkcn
for forbidden, lines in json.loads(sys.argv[1]):
    for line in lines:
        from click.testing import CliRunner
        from gomkcn.commands.main import main
        result = CliRunner().invoke(main, line.split())
        # a path that does not exist is refused before anything is loaded
        assert result.exit_code == 2 * ("none.txt" in line), (line, result.output)
    loaded = sorted(set(forbidden) & sys.modules.keys())
    assert not loaded, (lines, loaded)
"""
# importing creates no file but the folder of Numba's cache, starts no thread, touches no GPU and
# silences nothing
SIDE_EFFECTS = """
from gomkcn import gomk, GraphFilters, GOMKKernel, SubgraphSampler
from gomkcn_dgl.embeddings import level_embeddings
import gomkcn_dgl.kernels.bfs_numba, gomkcn_dgl.kernels.matching_numba
import logging, os, sys, threading, torch

SubgraphSampler()
assert "dgl" not in sys.modules
assert os.listdir(os.environ["HOME"]) == []
# matplotlib's list of fonts is there
os.environ["HOME"] = sys.argv[1]
from gomkcn import GOMKConv, PatternMiner

assert threading.active_count() == 1 and not torch.cuda.is_initialized()
assert not logging.getLogger("gomkcn_dgl").disabled
"""


def test_the_door_has_every_public_name_of_the_three_packages():
    packages = [
        importlib.import_module(name)
        for name in ("gomkcn_dgl", "gomkcn.mining", "gomkcn.synthetic")
    ]
    listed = [name for package in packages for name in package.__all__]
    assert sorted(gomkcn.__all__) == sorted(listed)
    assert len(set(listed)) == len(listed)
    assert dir(gomkcn) == gomkcn.__all__
    for package in packages:
        for name in package.__all__:
            assert getattr(gomkcn, name) is getattr(package, name)
            assert getattr(gomkcn, name).__doc__
    for package in (gomkcn, gomkcn_dgl):
        with pytest.raises(AttributeError, match="has no attribute 'nothing'") as caught:
            package.nothing  # noqa: B018
        # by these Python says what may have been meant
        assert (caught.value.name, caught.value.obj) == ("nothing", package)


SNIPPET = """
import gomkcn
from gomkcn import CSRGraph, GOMKClassifier, PatternMiner, as_csr, read_graph

reveal_type(PatternMiner(pattern_size="3-5"))
reveal_type(PatternMiner().fit([]).motif_set_)
reveal_type(GOMKClassifier(tau=0.3, C=1).fit([], []).predict_proba([]))
reveal_type(gomkcn.__version__)
reveal_type([graph for graph in as_csr([])])
gomkcn.MOTIFS["house"].num_nodes
gomkcn.PaternMiner
from gomkcn import reed_graph
PatternMiner(patern_size=3)
PatternMiner().fit([]).motif_sett_
read_graph(7)
"""


@pytest.mark.slow
def test_type_checkers_know_the_public_names(tmp_path):
    """A misspelling is refused, and a name has its own type, seen through the door."""
    api = pytest.importorskip("mypy.api", reason="mypy is not installed")
    file = tmp_path / "snippet.py"
    file.write_text(SNIPPET)
    # beside the checkout's own, since types of torch take long to read
    cache = HOUSE.parent / ".mypy_cache"
    options = ["--config-file", str(HOUSE), "--cache-dir", str(cache), "--no-pretty"]
    said, problems, _ = api.run([*options, "--no-error-summary", str(file)])
    assert problems == ""
    # some errors have a second line, on where a name is defined
    notes = re.findall(r"^[^:]+:(\d+): (?!note: .* defined in)(.*)", said, re.MULTILINE)
    expected = {
        5: '.PatternMiner"',
        6: '.MotifSet"',
        7: 'type is "numpy.ndarray[',
        8: 'type is "str"',
        9: "list[gomkcn_dgl.csr.CSRGraph]",
        11: 'has no attribute "PaternMiner"',
        12: 'has no attribute "reed_graph"',
        13: 'Unexpected keyword argument "patern_size"',
        14: '"PatternMiner" has no attribute "motif_sett_"',
        15: 'Argument 1 to "read_graph" has incompatible type "int"',
    }
    assert [int(line) for line, _ in notes] == [*expected]
    for (_, note), part in zip(notes, expected.values(), strict=True):
        assert part in note


def test_the_version_is_that_of_what_is_installed():
    assert gomkcn.__version__ == importlib.metadata.version("gomkcn-dgl")


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
    # one for each thing that may be said of a file, as the command has options, and a miner has
    # columns of weights and of groups
    most = {"read_graph": 17, "temporal_occurrences": 14, "PatternMiner": 14}
    assert not {
        call: len(names) for call, names in calls_of_users() if len(names) > most.get(call, 12)
    }


def test_every_import_keeps_to_the_order_of_the_house(tmp_path):
    # the folders as they are installed, for a program that imports nothing
    (tmp_path / "gomkcn").mkdir()
    (tmp_path / "gomkcn_dgl").symlink_to(HOUSE.parent / "gomkcn_dgl")
    for name in ("__init__.py", "__main__.py", "commands", "../mining", "../synthetic"):
        place = tmp_path / "gomkcn" / Path(name).name
        place.symlink_to((HOUSE.parent / "gomkcn" / name).resolve())
    command = [Path(sys.executable).with_name("lint-imports"), "--config", HOUSE, "--no-cache"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    result = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout


def test_importing_has_no_side_effects(tmp_path):
    pytest.importorskip("torch")
    folders = {name: str(tmp_path / name) for name in ("HOME", "NUMBA_CACHE_DIR")}
    for folder in folders.values():
        os.mkdir(folder)
    environment = {**os.environ, **folders, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", SIDE_EFFECTS, str(Path.home())]
    subprocess.run(command, check=True, timeout=120, env=environment)


def test_an_estimator_is_imported_without_what_only_its_fit_needs():
    pytest.importorskip("torch")
    program = "from gomkcn import PatternMiner, motif_set; import json, sys; "
    program += f"print(json.dumps(sorted(sys.modules.keys() & {{*{['torch', 'dgl', 'igraph']}}})))"
    assert forked.run(program) == []


def run(*steps):
    """One process, in which each step may load more than the ones before."""
    subprocess.run([sys.executable, "-c", PROGRAM, json.dumps(steps)], check=True, timeout=300)


def test_what_asks_little_loads_little(tmp_path):
    graph, binary, rings = (tmp_path / name for name in ("g.txt", "g.bin", "rings.txt"))
    graph.write_text("0 1\n1 2\n2 0\n2 3\n")
    write_dgl_graphs(binary, [typed_graph([(0, 1), (1, 2), (2, 0), (2, 3)], 4)])
    edges = (f"{5 * ring + k} {5 * ring + (k + 1) % 5}\n" for ring in range(9) for k in range(5))
    rings.write_text("".join(edges))
    names, size = {"numpy", "networkx", *HEAVY, *COMPILED}, "--nodes 50"
    run(
        ([*names], []),
        ([*names, "pyarrow"], ["--help", "train --help", "mine --help", "mine none.txt"]),
        ([*HEAVY, "numba", "networkx"], [f"info {graph}", f"info {binary}"]),
        (
            [*HEAVY, "networkx"],
            [
                *(f"count {one} {graph}" for one in ("triangle", "a--b,b--c --list 2", graph)),
                *(f"{command} {binary}" for command in ("count triangle", "census")),
            ],
        ),
        (
            HEAVY,
            [f"generate planted --out {tmp_path}/{e}.{e} {size}" for e in ("csv", "graph", "bin")],
        ),
        # mining draws with igraph, which loads matplotlib but for our commands; filters need
        # PyTorch for a training, and for a GPU
        (
            NOT_OF_MINING,
            [f"mine {rings} --out {tmp_path}/run --pattern-size 5 --null none --device cpu"],
        ),
    )
    run(
        (
            [*NOT_OF_MINING, "networkx", "scipy.stats"],
            [
                f"filters {graph} --out {tmp_path}/rings --device cpu",
                f"filters {tmp_path}/csv.csv --out {tmp_path}/f --device cpu",
                f"filters {tmp_path}/bin.bin --out {tmp_path}/filters --device cpu",
                f"filters {rings} --out {tmp_path}/frequent --device cpu --no-contrast",
            ],
        ),
        (
            [one for one in NOT_OF_MINING if one != "torch"],
            [f"filters {rings} --out {tmp_path}/trained --device cpu --no-contrast --num-epochs 1"],
        ),
    )
    run(([*HEAVY, "networkx"], [f"count {tmp_path}/run:0 {rings}"]))


# beside NumPy, what the first run of each command may load of these, in a process of its own
LIBRARIES = (
    "torch", "dgl", "pandas", "seaborn", "sklearn", "matplotlib", "igraph", "networkx", "pyarrow",
    "rdkit", "numba", "jinja2", "scipy.special", "scipy.sparse", "scipy.stats", "scipy.optimize",
)  # fmt: skip
PAGE = "igraph jinja2 numba pyarrow scipy.special"
MAY_LOAD = {
    "generate planted --out {0}/new.bin --nodes 50": "numba pyarrow",
    "convert {0}/g.bin {0}/g.graph": "pyarrow",
    "info {0}/g.bin": "pyarrow",
    "info {0}/m.csv": "pyarrow rdkit",
    "count triangle {0}/g.bin": "numba pyarrow",
    "census {0}/g.bin": "numba pyarrow",
    "scaffolds {0}/m.csv": "pyarrow rdkit scipy.special",
    "scaffolds {0}/m.csv --page {0}/m.html": f"{PAGE} rdkit",
    "frequent {0}/m.csv --support 2 --out {0}/frequent": f"{PAGE} rdkit",
    "temporal {0}/t.csv --window 10 --out {0}/temporal": f"{PAGE} pandas",
    "blocks {0}/g.bin --null-samples 2 --out {0}/blocks": PAGE,
    "filters {0}/g.bin --device cpu --out {0}/filters": PAGE,
    "mine {0}/g.bin --null none --device cpu --out {0}/run": PAGE,
    "report {0}/run": PAGE,
    "export {0}/run --out {0}/tables": PAGE,
    "compare {0}/run {0}/run --out {0}/compared": PAGE,
}
LOADED = """
import json, sys
from click.testing import CliRunner
from gomkcn.commands.main import main
libraries, lines = json.loads(sys.argv[1])
import os
for line in lines:
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        result = CliRunner().invoke(main, line.split())
        found = [result.exit_code and result.output, [*sys.modules.keys() & {*libraries}]]
        os.write(write, json.dumps(found).encode())
        os._exit(0)
    os.close(write)
    print(os.fdopen(read).read(), flush=True)
    os.waitpid(child, 0)
"""


def test_each_command_loads_what_it_uses_alone(tmp_path):
    edges = [(k, k + 1) for k in range(11)] + [(k, k + 2) for k in range(0, 10, 2)]
    write_dgl_graphs(tmp_path / "g.bin", [typed_graph(edges, 12)])
    (tmp_path / "t.csv").write_text("source,target,time\na,b,1\nb,c,2\nc,a,3\na,b,4\n")
    mols = "smiles,class\nCCO,a\nc1ccccc1C,b\nCCN,a\nc1ccccc1N,b\n"
    (tmp_path / "m.csv").write_text(mols)
    lines = [line.format(tmp_path) for line in MAY_LOAD if has_rdkit() or "m.csv" not in line]
    done = subprocess.run(
        [sys.executable, "-c", LOADED, json.dumps([LIBRARIES, lines])],
        check=True, timeout=500, capture_output=True, text=True,
    )  # fmt: skip
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(said) == len(lines)
    may = {line.format(tmp_path): {*names.split()} for line, names in MAY_LOAD.items()}
    for line, (problem, loaded) in zip(lines, said, strict=True):
        assert not problem, (line, problem)
        assert {*loaded} <= may[line], (line, {*loaded} - may[line])


def has_rdkit():
    return importlib.util.find_spec("rdkit") is not None


IGRAPH = """
import sys
from gomkcn.commands.run_command import import_igraph
{before}
import_igraph()
import igraph
import matplotlib.pyplot
assert igraph.Graph.Ring(4).ecount() == 4 and sys.modules["matplotlib"] is not None
import igraph.drawing.matplotlib.utils as utils
found = utils.find_matplotlib()[1] is matplotlib.pyplot
from igraph.drawing import shapes
print(found, getattr(shapes, "plt", None) is matplotlib.pyplot)
"""


@pytest.mark.parametrize("before", ["", "import matplotlib", "import igraph"])
def test_igraph_is_loaded_without_what_it_draws_with(before):
    """Afterwards matplotlib is there to be imported; who has one of the two keeps what it has."""
    pytest.importorskip("matplotlib")
    program = IGRAPH.format(before=before)
    said = subprocess.run(
        [sys.executable, "-c", program], check=True, timeout=120, capture_output=True, text=True
    )
    assert said.stdout.split() == ["True", str(bool(before))]


SPECIAL = """
import sys
import numpy
from gomkcn.commands.run_command import import_special_functions
{before}
# NumPy 1 loads it in any case
keeps = "ma" in vars(numpy)
import_special_functions()
late = {{"numpy.ma", "numpy.f2py", "numpy.testing"}} & sys.modules.keys()
assert "numpy.ma" in late if keeps else not late
import numpy.f2py
import scipy.special
assert scipy.special.gammaln(3.0) > 0
assert numpy.ma.array([1]).sum() == 1 and numpy.testing.assert_equal and numpy.f2py.get_include
"""


@pytest.mark.parametrize("before", ["", "import numpy.ma"])
def test_special_functions_are_loaded_without_parts_of_numpy(before):
    """Afterwards these are there to be imported; who has one of them keeps what it has."""
    program = SPECIAL.format(before=before)
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


def test_modules_of_a_user_with_our_folders_names_are_no_trouble(tmp_path):
    for name in ("mining", "synthetic"):
        (tmp_path / f"{name}.py").write_text("HERE = True\n")
    program = """
import mining, networkx, synthetic
from gomkcn import get_motif
from gomkcn.mining import count

assert mining.HERE and synthetic.HERE
assert count(networkx.wheel_graph(6), get_motif("wheel")).value == 1
"""
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True)


# where a name is imported by its text: public names, which are read from the stubs, and libraries
IMPORTED_BY_TEXT = {
    "gomkcn_dgl/runtime/__init__.py": ["module_of[name]", "module"],
}


def texts_imported(path):
    """What a module imports by ``import_module`` or ``__import__``, but for libraries."""
    for call in (node for node in ast.walk(ast.parse(path.read_text())) if type(node) is ast.Call):
        called = ast.unparse(call.func).rpartition(".")[2]
        if called in ("import_module", "__import__"):
            name = call.args[0]
            is_library = isinstance(name, ast.Constant) and not re.match(
                r"gomkcn(_dgl)?\b|\.", str(name.value)
            )
            if not is_library:
                yield ast.unparse(name)


def test_no_module_hides_what_it_imports():
    """The linter sees no import of our own modules by their names as text, so there is none."""
    found = {}
    for folder in ("gomkcn", "gomkcn_dgl", "mining", "synthetic"):
        for path in sorted((HOUSE.parent / folder).rglob("*.py")):
            if texts := list(texts_imported(path)):
                found[path.relative_to(HOUSE.parent).as_posix()] = texts
    assert found == IMPORTED_BY_TEXT
