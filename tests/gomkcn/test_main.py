"""The `gomkcn` command, in this process and, where the process itself matters, in its own."""

import inspect
import json
import os
import pickle
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from command_line import gomkcn, invoke, refused
from graph_files import write_tu
from joblib.externals.loky.backend.reduction import dumps
from random_graphs import rings_and_cliques

from gomkcn.commands.base import TYPED, choose_folder, resuming_command
from gomkcn.commands.main import main
from gomkcn.commands.option_types import Number
from gomkcn.commands.options import SettingOption
from gomkcn.mining import load
from gomkcn.mining.patterns.mining_settings import GraphSettings, RunSettings
from gomkcn.mining.runs.mine import MINE
from gomkcn.mining.structures.truth import read_truth
from gomkcn.synthetic import MotifClassificationDataset, planted_motif_graph
from gomkcn.synthetic.base_models import BASE_GRAPHS
from gomkcn_dgl import read_graph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.dgl_files import load_dgl_graphs
from gomkcn_dgl.runtime.steps import Steps

pytestmark = pytest.mark.usefixtures("folder")

# mines rings and cliques of five nodes in a moment
QUICK = "--num-filters 2 --filter-size 5-5 --num-epochs 2 --null none --given ring-5"


def write_edges(path="graph.txt", graph=None):
    graph = rings_and_cliques(6, 5) if graph is None else graph
    text = "".join(f"{u} {v}\n" for u, v in graph.edges)
    Path(path).write_text(text)
    return path


def patterns_of(run):
    return json.loads((Path(run) / "patterns.json").read_text())["patterns"]


def edges_and_counts(run):
    return [(len(p["edges"]), p["frequency"]["occurrences"]["value"]) for p in patterns_of(run)]


# options, nodes of the base, edges in all, which relations have a direction, motifs
PLANTED = [
    ("", 760, 759 + 340 + 40, {"edge": False}, "10 house6, 10 cup, 10 wheel, 10 crown"),
    ("--nodes 50 --motif wheel=3 --motif square=0 --add-prob 1", 50, 49 + 45 + 3,
     {"edge": False}, "3 wheel, 0 square"),
    ("--nodes 60 --directed", 60, None, {"edge": True},
     "10 feed-forward-loop, 10 three-cycle, 10 bi-fan"),
    ("--nodes 60 --base ws --neighbors 6 --relations 2 --motif triangle-011=3", 60, 180 + 9 + 3,
     {"relation0": False, "relation1": False}, "3 triangle-011"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "num_base", "num_edges", "relations", "motifs"), PLANTED)
def test_generate_planted(options, num_base, num_edges, relations, motifs):
    said = gomkcn(f"generate planted --out graph.graph {options}")
    graph = read_graph("graph.graph")
    known = graph.relations
    assert dict(zip(known.names, known.directed, strict=True)) == relations
    assert num_edges in (graph.num_edges, None)
    # in a directed base edges lead from and to later nodes
    source, target, _ = graph.edges()
    in_base = np.maximum(source, target) < num_base
    assert (source > target)[in_base].any() == any(relations.values())
    kind = "directed edges" if any(relations.values()) else "edges"
    assert said.startswith(f"graph.graph: {graph.num_nodes} nodes, {graph.num_edges} {kind}")
    assert f", planted {motifs}" in said
    truth = read_truth("graph.truth.json")["motifs"]
    assert sum(one["copies"] * one["num_nodes"] for one in truth) == graph.num_nodes - num_base
    assert all(len(one["instances"]) == one["copies"] for one in truth)


def test_generate_takes_a_motif_of_your_own():
    Path("kite.txt").write_text("# a square with a tail\na b\nb c\nc d\nd a\nd tail\n")
    said = gomkcn("generate planted --out graph.bin --nodes 20 --motif kite.txt=4 --motif house6=1")
    assert said.splitlines()[0].endswith("planted 4 kite, 1 house6")
    kite, house = read_truth("graph.truth.json")["motifs"]
    assert (kite["name"], kite["num_nodes"], len(kite["edges"])) == ("kite", 5, 5)
    assert (kite["copies"], house["copies"]) == (4, 1)


def test_generate_classification():
    said = gomkcn(
        "generate classification --out motifs.bin --num-graphs 48 --num-base-nodes 10 --seed 5"
    )
    assert said.splitlines() == [
        "motifs.bin: 48 graphs of 4 classes",
        "motifs.classes.csv: what the classes are called, book, diamond6, circle, email",
    ]
    graphs, labels = load_dgl_graphs(Path("motifs.bin"))
    expected = MotifClassificationDataset(num_graphs=48, num_base_nodes=10, seed=5)
    assert labels["labels"].tolist() == expected.labels.tolist()
    sizes = [len(graph.edges[0].source) for graph in graphs]
    assert sizes == [graph.num_edges for graph in expected.to_pyg()]
    assert read_graph("motifs.bin").num_graphs == 48


def test_a_terminal_says_options_and_no_parameters():
    """Of Python's parameters and options that the library names, commands show the options."""
    Path("plain.csv").write_text("gene,partner,score\na,b,1\nb,c,2\n")
    ran = invoke("info plain.csv --minimum prob=1")
    rule = "plain.csv: --minimum must name a column among gene, partner, score, got 'prob'."
    assert rule in ran.stderr
    for command in ("info plain.csv", "count triangle plain.csv", "count 'a -> b' plain.csv"):
        said = invoke(command).stderr
        assert "--directed gives edges a direction" in said and "directed=" not in said
    said = invoke("mine plain.csv --directed --given a--b --out run").stderr
    assert "read the graph with --no-directed, or write a->b." in said
    said = invoke("mine plain.csv --directed --given 'a -> a, a -> b' --out run").stderr
    assert "gomkcn count takes self-loops" in said


def test_info_lists_relations_categories_and_what_is_ignored():
    Path("g.csv").write_text(
        "gene;on;how;year;p\na;b;acts;1999;0.5\nb;c;stops;2001;1\nb;b;acts;1;1\n"
    )
    Path("g.features.csv").write_text("id,kind,note\na,tf,x\nb,tf,y\nc,kinase,z\n")
    said = gomkcn("info g.csv --source gene --target 2 --relation how --features kind")
    lines = dict(re.split(r"  +", line, maxsplit=1) for line in said.splitlines())
    assert lines["edges"] == "2 (directed, unweighted)"
    assert lines["relations"] == "acts 1 (directed), stops 1 (directed)"
    assert lines["categories"] == "kind=kinase 1, kind=tf 2"
    assert lines["notes"] == (
        "columns that are not used: year, p; the columns gene, on have 1 id in common, such as b, "
        "taken as the same nodes; dropped 1 self-loop; not used: node attribute note"
    )
    assert "classes" not in lines
    Path("m.csv").write_text("smiles,class,kind\nCCO,b,x\nCC,a,x\nCN,b,y\n")
    assert "classes            a 1, b 2" in gomkcn("info m.csv")
    # in a settings file another column may have them
    assert GraphSettings("m.csv", class_column="kind").read_classes().names == ("x", "y")


def test_info_has_the_edges_that_are_counted():
    """Edges of weight 0 are none where weights are used, which counting does not."""
    graph = nx.Graph()
    graph.add_weighted_edges_from([("a", "b", 2.0), ("b", "c", 0.0), ("c", "d", 0.0)])
    nx.write_graphml(graph, "g.graphml")
    nx.to_pandas_edgelist(graph).to_csv("g.csv", index=False)
    for name in ("g.graphml", "g.csv"):
        said = gomkcn(f"info {name}")
        assert re.search(r"^edges +3 \(", said, re.MULTILINE)
        assert re.search(r"^weights +dropped 2 edges of weight 0 where weights", said, re.MULTILINE)
        assert "occurrences 3," in gomkcn(f"count edge {name}")
        assert re.search(r"^edges +1 \(", gomkcn(f"info {name} --weight weight"), re.MULTILINE)
        assert "weights" not in re.findall(
            r"^\w+", gomkcn(f"info {name} --weight none"), re.MULTILINE
        )


@pytest.fixture(scope="module")
def mined(tmp_path_factory):
    """A folder with a finished run of rings and cliques, and what the command said."""
    place = tmp_path_factory.mktemp("mined")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        return place / "run", gomkcn(f"mine {write_edges()} --out run {QUICK} --quiet")


def test_mine_writes_a_run_and_report_writes_its_page_anew(mined):
    shutil.copytree(mined[0], "run")
    assert sorted(edges_and_counts("run")) == [(5, 6), (10, 5)]
    *table, last = mined[1].splitlines()
    assert re.fullmatch(r"done in \d+\.\d s; page: run/report\.html", last)
    run = load("run")
    assert (run.graph.num_graphs, run.graph.num_nodes) == (1, 55)
    assert run.graph.feature_names == ("constant",)
    write_edges()
    gomkcn("mine --settings run/settings.toml --out again --quiet")
    first, again = (Path(name, "patterns.json").read_bytes() for name in ("run", "again"))
    assert first == again
    Path("run/report.html").unlink()
    said = gomkcn("report run").splitlines()
    assert said == [*table, "page: run/report.html"]
    assert Path("run/report.html").is_file()


# each option, the name of its setting and the value that is stored
OPTIONS = {
    "--num-filters 3": ("num_filters", 3),
    "--pattern-size 3-4": ("pattern_size", "3-4"),
    "--exact-copies": ("exact_copies", True),
    "--null none": ("null", "none"),
    "--null-samples 107": ("null_samples", 107),
    "--count-error 0.1": ("count_error", 0.1),
    "--count-seconds 2": ("count_seconds", 2.0),
    "--filter-size 4-5": ("filter_size", "4-5"),
    "--device cpu": ("device", "cpu"),
    "--num-hops 2": ("num_hops", 2),
    "--num-levels 1": ("num_levels", 1),
    "--policy bfs": ("policy", "bfs"),
    "--init random": ("init", "random"),
    "--matching greedy": ("matching", "greedy"),
    "--num-epochs 1": ("num_epochs", 1),
    "--no-contrast": ("contrast", False),
    "--feature-contrast 0.5": ("feature_contrast", 0.5),
    "--random-state 9": ("random_state", 9),
    "--n-jobs 2": ("n_jobs", 2),
}


def test_options_reach_the_graph_and_the_miner(monkeypatch):
    seen = []

    def begin(settings, inputs, work):
        seen.append((settings.to_dict(), inputs.graph))
        raise InputError("no further.")

    monkeypatch.setattr("gomkcn.mining.runs.mine.MINE", replace(MINE, make=begin))
    Path("g.csv").write_text("a,b,how,p\n0,1,acts,2\n")
    graph = {"source": "1", "target": "b", "relation": "how"}
    of_graph = " ".join(f"--{name} {value}" for name, value in graph.items())
    refused(f"mine g.csv --out run --directed {of_graph} {' '.join(OPTIONS)}")
    given, ((stored, read),) = dict(OPTIONS.values()), seen
    assert stored["graph"].items() >= {**graph, "directed": True}.items()
    assert read.relations.names == ("acts",) and read.weights is None
    stored = json.loads(json.dumps(stored))
    # what was not given has its default
    tables = json.loads(json.dumps(RunSettings().to_dict()))
    for name in ("miner", "filters", "kernel", "learning"):
        assert stored[name] == {k: given.pop(k, value) for k, value in tables[name].items()}
    assert not given
    refused("mine g.csv --out run --filters none")
    assert seen[-1][0]["miner"]["filters"] == "none"
    # or what a file says
    Path("s.toml").write_text("[miner]\nexact_copies = true\n")
    refused("mine g.csv --out run --settings s.toml")
    assert seen[-1][0]["miner"]["exact_copies"]


@pytest.mark.parametrize(
    ("command", "num_items"),
    [
        ("count ring-5 graph.txt --errors 1 --list 9", 3),
        ("temporal mail.csv --window 9 --null-samples 29 --force --out run", 29),
        ("train TU --method kernel --num-levels 2 --tau 1 --quiet --force --out run", 2 + 20),
    ],
)
def test_two_jobs_give_what_one_gives(command, num_items, monkeypatch):
    write_edges()
    mail = [f"{i % 5},{i % 7},{i}" for i in range(99)]
    Path("mail.csv").write_text("\n".join(["source,target,time", *mail]))
    write_tu("TU", [nx.cycle_graph(5), nx.star_graph(4)] * 10, [0, 1] * 10)
    shared = []

    def share(steps, parallel, do, items, in_time):
        """What workers do, in this process with what they get."""
        shared.extend(items.values())
        answer, do, items = pickle.loads(dumps((steps._answer, do, items)))
        return [answer(do, *one, in_time).result for one in items.items()]

    monkeypatch.setattr(Steps, "_shared", share)
    results = []
    for jobs in ("", " --n-jobs 2"):
        assert not shared
        # but for the seconds that it took
        said = re.sub(r"[\d.]+ s\b", "", gomkcn(command + jobs))
        files = [path for path in sorted(Path().glob("run/*.*")) if path.name != "run.json"]
        results.append((said, [path.read_bytes() for path in files]))
    assert len(shared) == num_items and results[0] == results[1]


def test_ctrl_c_is_one_sentence_wherever_it_comes(mined, monkeypatch):
    def stop(*given, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("gomkcn_dgl.io.reading.read_graph", stop)
    monkeypatch.setattr(GraphSettings, "read_graph", stop)
    path = write_edges()
    for command, kept in {
        f"count ring-5 {path}": "nothing was written",
        f"info {path}": "nothing was written",
        f"mine {path} --quiet --out stopped": "start again with --resume",
    }.items():
        result = invoke(command)
        assert result.exit_code == 130
        assert result.stderr.splitlines()[-1] == f"gomkcn: stopped by SIGINT; {kept}."


BAD_INPUT = {
    "mine loops.txt --out run": "the graph must have an edge between two different nodes",
    "filters loops.txt --out run": "the graph must have an edge between two different nodes",
    "mine graph.txt --directed --no-directed": "--directed must not come with --no-directed; give",
    "train none --read-input --nodes --no-read-input": "--read-input must not come with --no-read",
    "mine graph.txt --filters none --num-epochs 3": (
        "--filters none leaves no filters for --num-epochs"
    ),
    "mine none.txt --out run": "none.txt",
    "blocks loops.txt --out run": "the graph must have an edge between two different nodes",
    "blocks graph.txt --copies 1": "--copies must be at least 2, got 1",
    "frequent graph.txt --per-class": "--per-class is for collections, and 'graph.txt' is one",
    "mine --out run": "PATH must be given, here or in the settings file.",
    "mine graph.txt --out run --null degree --null none": "--null must be 'none' alone",
    "mine graph.txt --out graph.txt/sub": "--out folder 'graph.txt/sub' cannot be written",
    "mine --settings s.toml --out run": "must have a known name, got 'x'",
    "mine graph.txt --n-jobs 0": (
        "--n-jobs must be a number of processes, or -1 for one on each core"
    ),
    "temporal graph.txt --window 9 --n-jobs 0": "--n-jobs must be a number of processes, or -1",
    "temporal graph.txt --window 9 --null gaps --null times": (
        "--null must be given once, got gaps and times; run it once for each"
    ),
    "count wheel graph.txt --n-jobs 2": (
        "--n-jobs shares the structures within --errors; leave it out"
    ),
    "train none --method network --n-jobs 2": (
        "--n-jobs is for the method 'kernel', got the method 'network'"
    ),
}


@pytest.mark.parametrize("command", BAD_INPUT)
def test_bad_input_is_one_sentence(command, folder):
    write_edges()
    Path("loops.txt").write_text("0 0\n1 1\n")
    Path("s.toml").write_text("[miner]\nx = 3\n")
    # without the log there is one line and no more
    quiet = " --quiet" if command.startswith(("mine", "filters")) else ""
    assert BAD_INPUT[command] in refused(command + quiet)
    assert not list(folder.rglob("run.json"))


def test_every_number_is_refused_where_it_is_none_or_too_large():
    planted = main.commands["generate"].commands
    number = 0
    for name, command in {**main.commands, **planted}.items():
        path = f"generate {name}" if name in planted else name
        for option in command.params:
            is_number = isinstance(option.type, Number)
            if isinstance(option, SettingOption) and not option.is_flag:
                kinds = {*option.field.types, option.field.entry}
                is_number = str not in kinds and not kinds.isdisjoint({int, float})
            if not is_number:
                continue
            for value in (2**64, 10**20, "nan", "inf", "1e300", "²", "", "1,x"):
                # any width of single precision is one, and any number of graphs
                if option.name in ("tau", "level_scale") and isinstance(value, int):
                    continue
                said = refused(f"{path} {option.opts[0]}={value}")
                assert said.startswith(f"{option.opts[0]} must be "), said
                number += 1
    assert number > 400


def test_options_of_another_base_graph_are_not_left_unused():
    said = refused("generate planted --out p.csv --edge-prob 0.1")
    assert said == "--edge-prob is for --base er, got ba; leave it out."
    gomkcn("generate planted --out p.csv --nodes 60 --base er --edge-prob 0.1")


FILES = ["run.json", "patterns.json", "map.json", "occurrences.parquet", "copies.parquet"]
FILES += ["filters/run.json", "filters/filters.json", "filters/nodes.parquet"]


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_of_a_run_is_one_sentence(mined, name):
    def make_folder(path):
        path.unlink()
        path.mkdir()

    whole = (mined[0] / name).read_bytes()
    damages = [b"", whole[: len(whole) // 2], b"hello", b"{}", b"[1]"]
    for number, damage in enumerate([*damages, None]):
        run = Path(f"run{number}")
        shutil.copytree(mined[0], run)
        if damage is None:
            make_folder(run / name)
        else:
            (run / name).write_bytes(damage)
        for command in (
            f"export {run} --out tables --force",
            f"report {run}",
            f"compare {run} {run}",
        ):
            assert f"'{run}" in refused(command)


def test_numbers_of_a_run_that_are_none_are_one_sentence(mined):
    shutil.copytree(mined[0], "run")
    # the place in the file is said
    whole = Path("run/map.json").read_bytes()
    record = json.loads(whole)
    record["names"] = [float(name) for name in record["names"]]
    Path("run/map.json").write_text(json.dumps(record))
    place = "(map.json: Expected `int | str`, got `float` - at `$.names[0]`)"
    assert place in refused("report run")
    Path("run/map.json").write_bytes(whole)
    record = json.loads(Path("run/filters/run.json").read_bytes())
    record |= {"num_random_graphs": 0, "settings": {"learning": 3}}
    Path("run/filters/run.json").write_text(json.dumps(record))
    assert "run folder 'run/filters' holds a damaged file (TypeError" in refused(
        "report run/filters"
    )


COMMANDS = ["", "mine", "report", "info", "count", "compare", "export", "generate", "convert"]
COMMANDS += ["demo", "generate planted", "generate classification", "train", "explain", "compile"]


def options_of(command):
    """The click parameters of a command, by their Python name."""
    group = main
    for name in command.split():
        group = group.commands[name]
    return {parameter.name: parameter for parameter in group.params}


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_and_is_short_until_all_is_asked_for(command):
    said = gomkcn(f"{command} --help")
    assert re.search(rf"^  gomkcn {command}.*$", said, re.MULTILINE), said
    listed = re.findall(r"^  (-[-\w]+)", said, re.MULTILINE)
    assert len(set(listed) - {"--help-all"}) <= 15
    # the pages send who has several cores there
    assert ("--n-jobs" in listed) == ("n_jobs" in options_of(command))
    if "--help-all" in listed:
        everything = gomkcn(f"{command} --help-all")
        for option in options_of(command).values():
            assert option.param_type_name == "argument" or option.opts[0] in everything
        # words for people, of which no value of Python is
        assert "<function" not in everything and "object at 0x" not in everything
        # once, and not from then on
        assert gomkcn(f"{command} --help") == said


def test_a_folder_is_chosen_where_none_is_given(capsys, mined):
    path = write_edges("my.graph.txt")
    for name in ("my.graph", "my.graph-2"):
        assert choose_folder(None, path) == f"runs/{name}"
        assert capsys.readouterr().out == f"folder of this run: runs/{name}\n"
        Path("runs", name).mkdir(parents=True)
    with pytest.raises(InputError, match=r"finds no run in 'runs/other'; name its folder with --o"):
        choose_folder(None, "other.txt", resume=True)
    # the latest is the one to go on with
    shutil.copytree(mined[0], "runs/my.graph-3")
    said = gomkcn(f"mine {path} --resume --quiet")
    assert said.endswith("the run is finished, runs/my.graph-3/report.html\n")
    assert choose_folder("own", path) == "own"
    # a graph folder has a suffix, as files have
    assert choose_folder(None, "p.graph") == "runs/p"


@pytest.mark.parametrize(
    ("typed", "resumed"),
    [
        ("'a b.txt' --out x --time-limit 5 --null none --resume", "'a b.txt' --null none{}"),
        ("--out=x --time-limit=3 --force g.txt --num-filters 3", "g.txt --num-filters 3{}"),
        ("--time-limit 3 -- -odd.txt", "{} -- -odd.txt"),
    ],
)
def test_what_resumes_a_run_is_what_was_typed_but_for_its_limit(typed, resumed):
    command = SimpleNamespace(name="mine")
    ctx = SimpleNamespace(meta={TYPED: shlex.split(typed)}, command=command)
    said = resuming_command(ctx, "run 1")
    # as a shell takes it
    out = ["--out", "run 1", "--resume"]
    assert shlex.split(said) == [
        "gomkcn",
        "mine",
        *shlex.split(resumed.format(" " + shlex.join(out))),
    ]


def test_torchrun_is_for_networks_which_need_the_name_of_their_folder(monkeypatch):
    write_tu("TU", [nx.cycle_graph(5), nx.star_graph(4)] * 10, [0, 1] * 10)
    monkeypatch.setattr("gomkcn_dgl.runtime.processes.world_size", lambda: 2)
    said = refused("train TU --quiet")
    assert said == "--out must be given where several processes share the work of a run."
    said = refused("train TU --method kernel --quiet")
    assert said == "--method kernel is shared by --n-jobs 4; leave torchrun out."
    monkeypatch.setenv("WORLD_SIZE", "2")
    said = refused(f"mine {write_edges()} --quiet")
    assert said == "mine is shared by --n-jobs 4, not by torchrun; leave torchrun out."


def test_demo_shows_the_page_where_there_is_a_screen(monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setenv("DISPLAY", ":0")
    first, *_, page, _ = gomkcn("demo").splitlines()
    assert first == "folder of this run: runs/demo"
    assert page.endswith(f": {Path('runs/demo/report.html').resolve()}")
    assert opened == [Path("runs/demo/report.html").resolve().as_uri()]
    assert [motif.recovered for motif in load("runs/demo").recovery] == [True] * 3


def test_the_defaults_of_generate_are_those_of_the_library():
    def defaults_of(function):
        return {k: p.default for k, p in inspect.signature(function).parameters.items()}

    planted = {name: p.default for name, p in options_of("generate planted").items()}
    known = defaults_of(planted_motif_graph)
    assert planted["nodes"] == known["num_base_nodes"]
    assert BASE_GRAPHS["ba"]().edges_per_node == known["num_base_edges_per_node"]
    stated = re.search(
        r"\[(\d+) each of (.*); directed", options_of("generate planted")["motifs"].help
    )
    assert tuple(stated[2].split(", ")) == known["motifs"]
    assert int(stated[1]) == known["copies"]
    known |= defaults_of(MotifClassificationDataset)
    for name, option in options_of("generate classification").items():
        # what is not given of a flag is off, and of a setting its default
        is_known = option.required or option.is_flag or isinstance(option, SettingOption)
        assert is_known or option.default == known[name], name


def test_a_run_in_a_process_of_its_own():
    write_edges()
    command = [sys.executable, "-m", "gomkcn", *f"mine graph.txt {QUICK} --out 走".split()]
    # a terminal that has few letters
    few = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    options = {"capture_output": True, "encoding": "latin-1", "timeout": 300, "check": False}
    mined = subprocess.run(command, env=few, **options)
    assert mined.returncode == 0, mined.stderr
    assert "gomkcn: read graph.txt: graphs: 1, nodes: 55" in mined.stderr
    assert mined.stdout.endswith("page: \\u8d70/report.html\n"), mined.stdout
    assert "Warning" not in mined.stderr


def test_a_closed_stream_takes_nothing_away(tmp_path):
    (tmp_path / "g.txt").write_text("0 1\n1 2\n2 0\n")
    command = [sys.executable, "-m", "gomkcn", "census", "g.txt", "--sizes", "3", "--out", "c.csv"]
    closed = ["sh", "-c", 'exec "$@" 2>&-', "sh", *command]
    answer = subprocess.run(closed, cwd=tmp_path, capture_output=True, text=True)
    assert (answer.returncode, answer.stdout) == (0, "wrote c.csv: 2 rows\n")
    assert (tmp_path / "c.csv").is_file()


def test_info_says_what_was_read_once(tmp_path):
    """The graph is that of counting; of the reading with weights that it tries nothing is told."""
    path = tmp_path / "g.csv"
    for weight in ("0", "-1", "2"):
        path.write_text(f"source,target,weight\na,b,{weight}\nb,c,2\n")
        for given in ("", " --weight none"):
            lines = invoke(f"info {path}{given}").stderr.splitlines()
            assert len(lines) == len(set(lines))
            (read,) = (line for line in lines if line.startswith("gomkcn: read "))
            assert "edges: 2 (" in read
            assert sum(line.startswith("gomkcn: columns: ") for line in lines) == 1
    # nor is a line lost before a refusal
    path.write_text("source,target,weight\na,b,-1\nb,c,2\n")
    refused = invoke(f"info {path} --weight weight").stderr.splitlines()
    assert refused[0].startswith("gomkcn: columns: ") and "an edge weight must be" in refused[-1]
