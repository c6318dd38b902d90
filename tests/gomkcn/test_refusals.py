"""Every sentence of the library, in Python and on the command line: each spells its parameters."""

import ast
import importlib
import re
from pathlib import Path

import pytest
from both_doors import all_commands, arguments_in, options_in
from command_line import invoke, refused

from gomkcn.commands.printing import show_log
from gomkcn.commands.spelling import spelling_of
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.messages import Argument, Message

# a name that looks like parts of a message, and one that looks like an argument with its option
ODD_NAMES = [
    "out.moreno_lesmis",
    "source.txt",
    "seed.csv",
    "directed=True (--directed).txt",
    "{}%s.txt",
]
# bad input for each command, and what it says
BAD_INPUT = {
    "census graph.txt --sizes 9": "--sizes must be at most ",
    "census mixed.graphml --sizes 3": "--directed takes the latter as one each way, --no-directed ",
    "blocks graph.txt --most-nodes 4": "--most-nodes must be at least the 5 nodes of the smallest",
    "blocks graph.txt --null none": "--null must be one of 'degree', ",
    "compare graph.txt": "GRAPHS must be two or more, or one collection of them, got 1.",
    "compare graph.txt none.txt": "path must name a file or a folder that exists, got 'none.txt'.",
    "convert graph.txt graph.graph --relation kind": "--relation must be the number of a column",
    "convert weights.csv w.graph": "or --weight none leave the column 'weight' out, got '-1'.",
    "count wheeel graph.txt": "PATTERN must be a known name, got 'wheeel'; the nearest is 'wheel'.",
    "count 'a->b, b->c' graph.txt": "read the graph with --directed, or write a--b.",
    "count wheel graph.txt --reading all": "--reading must be one of 'induced', 'subgraph', got",
    "demo --out graph.txt": "--out folder 'graph.txt' is a file; choose another name.",
    "explain none": "run folder 'none' holds no finished run",
    "export none --out tables": "run folder 'none' holds no finished run",
    "filters graph.txt --filter-size 1 --out run": "--filter-size must be at least 2, got 1.",
    "filters graph.txt --learning-rate 0 --out run": "--learning-rate must be greater than 0",
    "filters graph.txt --out run --force --resume": "--resume must not come with --force, which ",
    "frequent graph.txt --support 2.5": "--support must be a whole number of nodes from 1 on",
    "generate planted --out p.csv --nodes 0": "--nodes must be at least 1, got 0.",
    "generate planted --out p.csv --noise 1": "; use --features per_type_noise.",
    "generate classification --out c.bin --num-graphs 1": "--num-graphs must be at least 40",
    "generate classification --out c.bin --num-base-nodes 1": "--num-base-nodes must be at least ",
    "info graph.txt --skip-invalid": "--skip-invalid is for ",
    "info graph.txt --features size": "give --feature-file.",
    "info graph.unknown": "; give --format.",
    "info broken.smi": "give --skip-invalid to leave out all such molecules.",
    "info graph.txt --format wavy": "--format must be one of 'adjlist', ",
    "mine graph.txt --out run --null-samples 1": "--null-samples must be at least ",
    "mine graph.txt --out run --filter-size 99": "--filter-size must be at most 64, got 99.",
    "mine graph.txt --out run --pattern-size 3-x": "--pattern-size must be a number of nodes",
    "predict none graph.txt --out p.csv": "run folder 'none' holds no finished run",
    "report none": "run folder 'none' holds no finished run",
    "scaffolds broken.smi": "give --skip-invalid to leave out all such molecules.",
    "temporal graph.txt --window 1h --null times": "called time or named by --time, got none.",
    "temporal mail.csv --window x --null times": "--window must be a number of at least 0",
    "train graph.txt --out run": "; --class-column names another, and --nodes reads classes of ",
    "train graph.txt --out run --nodes --threshold 3": "leave --nodes out.",
    "train graph.txt --out run --feature-contrast 1 --hidden-feats 8": "; give --hidden-feats 0.",
    "train graph.txt --out run --method kernel --preset paper": "leave out --method kernel.",
}


@pytest.fixture
def files(folder):
    """A few files of graphs, most of which have a fault."""
    Path("graph.txt").write_text("0 1\n1 2\n2 0\n2 3\n")
    Path("graph.unknown").write_text("0 1\n")
    Path("weights.csv").write_text("source,target,weight\na,b,-1\n")
    Path("mail.csv").write_text("source,target,time\na,b,1\nb,c,2\n")
    Path("broken.smi").write_text("CCO\nC1\n")
    mixed = '<edge source="a" target="b" directed="true"/><edge source="b" target="a"/>'
    Path("mixed.graphml").write_text(
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">'
        f'<node id="a"/><node id="b"/>{mixed}</graph></graphml>'
    )
    return folder


@pytest.mark.parametrize("command", BAD_INPUT)
def test_a_command_names_its_own_options(files, command):
    said = refused(command)
    assert BAD_INPUT[command] in said
    assert arguments_in(said) == []


def test_the_table_has_every_command():
    given = {tuple(line.split()[: 2 if line.startswith("generate") else 1]) for line in BAD_INPUT}
    # which takes no input
    assert given == {*all_commands()} - {("compile",)}


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_file_is_called_as_it_is_named(folder, name):
    path = Path(name)
    path.write_text("0 1\n1 2 x y\n")
    with pytest.raises(InputError) as error:
        read_graph(path, format="edges")
    assert str(error.value).startswith(f"{name}: ")
    for command in ("info", "mine --out run", "filters --out run", "census"):
        assert refused(f"{command} '{name}' --format edges").startswith(f"{name}: ")
    said = refused(f"count triangle '{name}.none'")
    assert said.startswith(f"{name}.none: GRAPH must name ") and said.endswith(f"'{name}.none'.")


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_line_of_the_log_keeps_the_name_of_a_column(folder, name):
    column = name.replace(",", " ")
    Path("graph.csv").write_text(f"source,target,{column}\na,b,1\nb,c,2\n")
    said = invoke("info graph.csv").stderr
    assert f"not used: {column}" in said
    assert "; --no-directed leaves directions out" in said


def test_a_command_spells_what_it_has_and_leaves_out_ways_that_it_has_not():
    commands = all_commands()
    spell = spelling_of(commands["mine",].params)
    message = Message(
        ("is for ", Argument("gamma"), " alone"),
        "random_state",
        "3",
        ("give ", Argument("directed", False), " or ", Argument("features", ("a b", "c"))),
        "graph.txt",
    )
    assert str(message) == (
        "graph.txt: random_state is for gamma alone, got 3; give directed=False or "
        "features=('a b', 'c')"
    )
    assert message.spelled(spell) == (
        "graph.txt: --random-state is for gamma alone, got 3; give --no-directed or "
        "--features 'a b,c'"
    )
    # the command has no such option, or no such value
    for argument in (Argument("gamma", 1), Argument("resume", False)):
        assert spell(argument) is None
        assert Message("a rule", way_out=("give ", argument)).spelled(spell) == "a rule"
    assert spell(Argument("path")) == "PATH"
    planted = spelling_of(commands["generate", "planted"].params)
    assert planted(Argument("num_nodes")) == "--nodes"
    assert planted(Argument("num_base_nodes", 4)) == "--nodes 4"


def test_a_line_of_the_log_is_spelled_by_the_command_that_runs(capsys):
    import logging

    import click

    log = logging.getLogger("gomkcn_dgl")
    log.handlers.clear()
    message = Message("undirected", way_out=(Argument("directed", True), " gives a direction"))
    for command, spelled in ((("mine",), "; --directed gives a direction"), (("report",), "")):
        with click.Context(all_commands()[command]):
            show_log()
        log.warning("%s, %s", 3, message)
        assert capsys.readouterr().err == f"gomkcn: 3, undirected{spelled}\n"
        log.warning("%s", InputError("directed", "must be True", got=3))
        name = "--directed" if spelled else "directed"
        assert capsys.readouterr().err == f"gomkcn: {name} must be True, got 3.\n"


def sentences_of(tree):
    """The constants of a module that are no docstrings, nor words of a program that it starts."""
    left_out = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            left_out.add(node.value)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "subprocess.run":
            left_out |= {*ast.walk(node)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in left_out
    ]


# of the style of a page, which look like options
STYLE_VARIABLES = ("--c", "--t", "--ink", "--paper")


@pytest.mark.parametrize("room", ["gomkcn_dgl", "gomkcn.mining", "gomkcn.synthetic"])
def test_no_sentence_of_the_library_holds_an_option(room):
    folder = Path(importlib.import_module(room).__file__).parent
    paths = [*folder.rglob("*.py")]
    assert paths
    for path in paths:
        for text in sentences_of(ast.parse(path.read_text("utf-8"))):
            assert text in STYLE_VARIABLES or options_in(text) == [], f"{path}: {text}"
    for path in folder.rglob("*.jinja"):
        plain = re.sub(r"<style.*?</style>", "", path.read_text("utf-8"), flags=re.DOTALL)
        assert options_in(plain) == [], path


def test_what_is_left_of_the_other_spelling_is_found():
    assert options_in("give --weight none, or (--directed), not a--b or var(--ink)") == [
        "--weight",
        "(--directed",
    ]
    assert options_in("a file '--weight x.txt', --c: red") == []
    assert arguments_in("leave weight='none' out") == ["weight"]
    assert arguments_in("write as_csv(graph, weight=…), in 'weight=3.txt' or kind=C") == []
