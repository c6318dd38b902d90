"""`gomkcn count` and `census`: what a pattern may be given as, and what is said of its counts."""

import json
import math
import re
import signal
import textwrap
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from command_line import gomkcn, invoke, refused
from graph_files import write_tu
from scipy.sparse import load_npz

from gomkcn.commands.count_command import _Watch
from gomkcn.mining import census, count, load
from gomkcn.mining.counting.occurrence_search import OccurrenceSearch
from gomkcn.mining.structures.graph_relations import with_signs_of
from gomkcn.synthetic import MOTIFS
from gomkcn_dgl.graphs.named_structures import is_name
from gomkcn_dgl.graphs.shapes import describe_shape
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.runtime.job import Interrupts, JobProgress
from gomkcn_dgl.runtime.steps import Steps


@pytest.fixture
def graphs(folder):
    """Two wheels and a ring in one file, and three triangles in a collection of three graphs."""
    wheel = nx.wheel_graph(6)
    graph = nx.disjoint_union_all([wheel, wheel, nx.cycle_graph(6)])
    nx.write_edgelist(graph, "graph.txt", data=False)
    write_tu("TINY", [nx.cycle_graph(3), nx.path_graph(3), nx.diamond_graph()], [0, 1, 0])
    return folder


def counted(command):
    """What is said of the occurrences, and all lines."""
    lines = gomkcn(f"count {command}").splitlines()
    (number,) = [line for line in lines if line.startswith("occurrences")]
    return number.split(maxsplit=1)[1], lines


def test_a_motif_by_name(graphs):
    assert gomkcn("count wheel graph.txt").splitlines() == [
        "pattern     wheel: 6 nodes, 10 edges",
        "graph       graph.txt: 18 nodes, 26 edges",
        "reading     induced: no other edges join its nodes; --reading subgraph allows some",
        "occurrences 2, counted exactly",
    ]


def test_a_name_means_the_same_graph_to_count_and_to_generate(graphs):
    for name in MOTIFS:
        if is_name(name):
            assert Structure.parse(name).key == MOTIFS[name].key, name
    gomkcn("generate planted --out made.csv --nodes 20 --motif diamond=1 --motif diamond6=1")
    assert counted("diamond6 made.csv")[0] == "1, counted exactly"
    # an octahedron has a usual diamond at each of its edges
    assert counted("diamond made.csv")[0] == "13, counted exactly"


def test_a_misspelt_name_is_told(graphs):
    for text, name in (("trangle", "triangle"), ("Diamnd", "diamond"), ("cliqe-6", "clique-6")):
        assert refused(f"count {text} graph.txt") == (
            f"PATTERN must be a known name, got {text!r}; the nearest is {name!r}."
        )
    assert "RUN:ID" in refused("count something graph.txt")


def test_a_name_is_the_usual_one_then_that_of_a_planted_motif(graphs):
    # a file of the same name does not change what the name means
    (graphs / "house").write_text("a b\n")
    for name, size in (
        ("house", "5 nodes, 6 edges"),
        ("diamond", "4 nodes, 5 edges"),
        ("'cycle of 4 nodes'", "4 nodes, 4 edges"),
        ("cup", "6 nodes, 7 edges"),
        ("house6", "6 nodes, 8 edges"),
    ):
        assert gomkcn(f"count {name} graph.txt").splitlines()[0].endswith(f": {size}")


def test_a_pattern_of_a_run(graphs):
    gomkcn("mine graph.txt --out run --num-filters 1 --pattern-size 6 --num-epochs 1 --quiet")
    by_run = counted("run:0 graph.txt")
    assert by_run[1][0].startswith("pattern     run:0: ")
    (pattern,) = load("run").patterns
    assert by_run[0] == counted(f"'{pattern.structure.to_text()}' graph.txt")[0]
    assert "one of the 1 patterns of run, as in run:0, got '7'" in refused("count run:7 graph.txt")
    # one whose copies all differ from it is no structure to count
    path = Path("run") / "patterns.json"
    record = json.loads(path.read_text())
    (motif,) = record["motif_set"]["motifs"]
    assert motif["copies_exact"] == 2
    motif["copies_exact"] = 0
    path.write_text(json.dumps(record))
    # near to it they are
    assert "pattern     run:0: " in gomkcn("count run:0 graph.txt")
    motif["missing"] = motif["copies"] * motif["num_nodes"] ** 2
    path.write_text(json.dumps(record))
    assert "pattern 0 of run is a dense group; give the edges" in refused("count run:0 graph.txt")


def test_occurrences_are_listed_with_the_ids_of_the_input(graphs):
    nx.write_edgelist(nx.DiGraph([("x", "y"), ("y", "z")]), "arcs.txt", data=False)
    lines = gomkcn("count 'b->c, a->b' arcs.txt --directed --list 5").splitlines()
    assert lines[-4:] == ["listed      1, all", "", "b\tc\ta", "y\tz\tx"]
    lines = gomkcn("count triangle TINY --list 5").splitlines()
    assert lines[-5:-3] == ["", "graph\tA\tB\tC"]
    assert sorted(line.split("\t")[0] for line in lines[-3:]) == ["0", "2", "2"]
    lines = gomkcn("count ring-3 graph.txt --list 4").splitlines()
    assert lines[-7] == "listed      4, a random sample"
    assert len({line for line in lines[-4:] if line.count("\t") == 2}) == 4


@pytest.fixture
def molecules(folder):
    """Two rings of three atoms and a chain, in a file whose nodes have a kind and a charge."""
    graph = nx.Graph([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (5, 6), (6, 7)])
    kinds, charges = "CCNCCCNO", "+-+-+-+-"
    for node in graph:
        graph.nodes[node].update(kind=kinds[node], charge=charges[node])
    nx.write_graphml(graph, "molecules.graphml")
    return folder


@pytest.mark.parametrize(
    ("pattern", "number", "words"),
    [
        ("triangle", 2, None),
        ("a:C--b:C, b--c:N, c--a", 1, "kind=C, kind=C, kind=N"),
        ("a:kind=C--b:N", 3, "kind=C, kind=N"),
        ("a:C:+--b:C:-", 3, "kind=C charge=+, kind=C charge=-"),
        ("a:N--b:O", 1, "kind=N, kind=O"),
    ],
)
def test_categories_are_constraints(molecules, pattern, number, words):
    found, lines = counted(f"'{pattern}' molecules.graphml --features charge,kind")
    assert found == f"{number}, counted exactly"
    shown = [line.split(maxsplit=1)[1] for line in lines if line.startswith("nodes")]
    assert [sorted(one.split(", ")) for one in shown] == (
        [sorted(words.split(", "))] if words else []
    )
    # two atoms of carbon are an occurrence in both directions
    found, _ = counted("a:C--b molecules.graphml --features kind,charge")
    assert found == "11, counted exactly"
    said = refused("count a:C:+--b:C molecules.graphml --features kind,charge")
    assert said.startswith("PATTERN must give each node a category of the same kinds")


def test_an_estimate_has_an_interval(folder):
    write_tu("TWO", [nx.complete_graph(60)] * 2, [0, 1])
    number, lines = counted("clique-8 TWO --count-seconds 0.02")
    # in units of 10⁹
    value, low, high = (float(digits) * 1e9 for digits in re.findall(r"[\d.]+", number)[:3])
    assert ") · 10⁹" in number
    assert low <= value <= high
    assert abs(value / 2 / math.comb(60, 8) - 1) < 0.1
    assert number.endswith("a 95% interval")
    assert lines[-1] == "graphs      at least 1 of 2 contain it"


def test_estimates_are_shown_while_they_get_better(folder, monkeypatch):
    """The first one before the search for all goes on, which here would not end."""
    shown, stages = [], []
    run, move = OccurrenceSearch.run, JobProgress.move

    def show(progress, share, note=None):
        shown.extend([note] if note else [])
        move(progress, share, note)

    def search(*arguments, **options):
        run(*arguments, **options)
        stages.append(len(shown))

    monkeypatch.setattr(JobProgress, "move", show)
    monkeypatch.setattr(OccurrenceSearch, "run", search)
    write_tu("TWO", [nx.complete_graph(60)] * 2, [0, 1])
    number, _ = counted("clique-8 TWO --count-seconds 0.02 --count-error 0.002")
    # nothing is known after what is quick, and a rough estimate before a longer search
    assert stages[0] == 0 < stages[1]
    ends = [[float(end) for end in re.findall(r"[\d.]+", note)[1:3]] for note in shown]
    widths = [high - low for low, high in ends]
    assert len(widths) > 1 and widths == sorted(widths, reverse=True)
    assert shown[-1] == f"so far {number.partition(',')[0]}"


@pytest.fixture
def signed(folder):
    """Two loops of which one is coherent, a cycle, and edges without direction between them."""
    rows = ["source,target,relation", "a,b,up", "a,c,up", "b,c,up", "d,e,up", "d,f,up", "e,f,down"]
    rows += ["g,h,up", "h,i,up", "i,g,up", "c,d,with", "d,c,with", "f,g,with", "g,f,with"]
    (folder / "signed.csv").write_text("\n".join(rows) + "\n")
    arcs = "\n".join(f"{row.split(',')[0]} {row.split(',')[1]}" for row in rows[1:10])
    (folder / "arcs.txt").write_text(arcs + "\n")
    return folder


@pytest.mark.parametrize(
    ("command", "exact"),
    [
        ('"a-[up]->b, b-[up]->c, a-[up]->c" signed.csv', 1),
        ('"a-[up]->b, b-[down]->c, a-[up]->c" signed.csv', 1),
        ('"x-[up]->y, y-[with]-z" signed.csv', 4),
        ("feed-forward-loop arcs.txt --directed", 2),
        ('"a--b, b--c, c--a" arcs.txt', 3),
        ("pattern.txt signed.csv", 1),
        ("three-cycle signed.csv --directed --relation none", 1),
    ],
)
def test_directions_and_relations(signed, command, exact):
    (signed / "pattern.txt").write_text("1 -[up]-> 2\n2 -[down]-> 3\n1 -[up]-> 3\n")
    assert counted(command)[0] == f"{exact}, counted exactly"


def test_loops_of_e_coli(folder, ecoli):
    """By the product of the signs along both paths; an edge of relation "both" has no sign."""
    number, lines = counted(f"feed-forward-loop {ecoli}")
    assert lines[1].endswith(": 424 nodes, 519 edges")
    assert number == "40, counted exactly"
    for kind, numbers in (("coherent", (23, 2, 3, 0)), ("incoherent", (5, 0, 1, 0))):
        for which, truth in enumerate(numbers, 1):
            name = f"{kind}-feed-forward-loop-{which}"
            assert counted(f"{name} {ecoli}")[0] == f"{truth}, counted exactly"


def test_occurrences_with_edits(graphs):
    # the ring of six; two wheels have none
    assert gomkcn("count ring-6 graph.txt --errors 1").splitlines()[2:] == [
        "reading     induced, with edits",
        "occurrences 1, counted exactly",
        "edits 0     1",
        "edits 1     0",
    ]
    lines = gomkcn("count triangle TINY --errors 1 --list 9").splitlines()
    assert lines[3:7] == [
        "occurrences 6, counted exactly",
        "graphs      3 of 3 contain it",
        "edits 0     3",
        "edits 1     3",
    ]
    # of both classes all graphs
    assert lines[7:9] == ["", "class  contain it  share  odds ratio  95% interval  p (Fisher)"]
    assert lines[9].split() == ["0", "2", "of", "2", "100%", "-", "-", "1"]
    assert lines[11:14] == ["", "listed      6, all", ""]
    lines = lines[5:]
    assert lines[9] == "graph\tA\tB\tC\tedits"
    rows = [line.split("\t") for line in lines[10:]]
    assert [row[-1] for row in rows] == ["none"] * 3 + ["missing A--B"] * 3
    assert [row[0] for row in rows] == ["0", "2", "2", "1", "2", "2"]


def test_the_census_is_printed_and_written_as_a_table(folder):
    nx.write_edgelist(nx.wheel_graph(6), "wheel.txt", data=False)
    lines = gomkcn("census wheel.txt --sizes 3").splitlines()
    assert [line.split() for line in lines] == [
        ["size", "graph6", "name", "graphlet", "count", "reading"],
        ["3", "BW", "path", "of", "3", "nodes", "G1", "10", "induced"],
        ["3", "Bw", "triangle", "G2", "5", "induced"],
    ]
    expected = census(nx.wheel_graph(6), (3, 5), "subgraph").to_pandas()
    read = {"csv": pd.read_csv, "parquet": pd.read_parquet, "json": pd.read_json}
    for ending, one in read.items():
        said = gomkcn(f"census wheel.txt --reading subgraph --out table.{ending}")
        assert said == f"wrote table.{ending}: 29 rows\n"
        pd.testing.assert_frame_equal(one(f"table.{ending}"), expected, check_dtype=False)
    gomkcn("census wheel.txt --orbits --sizes 2-4 --out orbits.csv")
    table = pd.read_csv("orbits.csv")
    assert table["orbit0"].tolist() == [5, 3, 3, 3, 3, 3]
    assert len(table.columns) == 16


def test_the_census_takes_numbers_of_any_size_directions_and_kinds(folder, ecoli):
    nx.write_edgelist(nx.star_graph(130_000), "star.txt", data=False)
    gomkcn("census star.txt --sizes 5 --out star.json")
    number = math.comb(130_000, 4)
    assert number > 2**63
    counts = [row["count"] for row in json.loads(Path("star.json").read_text())]
    assert sorted(counts)[-2:] == [0, number]
    assert "has no type in Arrow, Polars and parquet" in refused(
        "census star.txt --sizes 5 --out s.parquet"
    )
    table = gomkcn(f"census {ecoli} --sizes 3 --directed --relation none")
    assert table.splitlines()[0].split()[:2] == ["size", "digraph6"]
    kinds = gomkcn(f"census {ecoli} --sizes 3 --directed")
    assert "A-[activates]->" in kinds
    assert kinds.splitlines()[0].split()[:2] == ["size", "edges"]


@pytest.mark.parametrize(
    "words",
    [
        "+,-,+-",
        "1,-1,0",
        "activation,inhibition,dual",
        "activator,repressor,both",
        "positive,negative,x",
    ],
)
def test_a_named_loop_of_signs_has_the_words_of_the_graph(folder, ecoli, words):
    """In the words that `mine` calls it by, the same loops are counted, listed and tried."""
    table = pd.read_csv(ecoli)
    kinds = dict(zip(("activates", "represses", "both"), words.split(","), strict=True))
    table.assign(regulation=table["regulation"].map(kinds)).to_csv("signed.csv", index=False)
    for name, number in (
        ("coherent-feed-forward-loop-1", 23),
        ("incoherent-feed-forward-loop-1", 5),
    ):
        assert counted(f"{name} signed.csv")[0] == f"{number}, counted exactly"
        assert counted(f"{name} {ecoli}")[0] == f"{number}, counted exactly"
    called = describe_shape(with_signs_of(read_graph("signed.csv").relations, MOTIFS[name]))
    assert called.startswith("incoherent feed-forward loop of type 1: ")
    assert counted(f"'{called.partition(':')[0]}' signed.csv")[0] == "5, counted exactly"
    assert count(read_graph("signed.csv"), MOTIFS[name]).value == 5
    assert (
        counted(f"'{name}, A.name = \"crp\"' signed.csv")[0]
        == counted(
            f"'A -[{kinds['activates']}]-> B, A -[{kinds['activates']}]-> C, "
            f'B -[{kinds["represses"]}]-> C, A.name = "crp"\' signed.csv'
        )[0]
    )


def test_what_the_page_shows_is_printed(folder, ecoli):
    """Each command of the page on one pattern, and what it prints, columns by their words."""
    rows = ecoli.read_text().splitlines()
    Path("regulation.csv").write_text("\n".join(["factor,operon,effect", *rows[1:]]))
    page = (Path(__file__).parents[2] / "docs/howto/count.md").read_text()
    (table,) = re.findall(r"the file `transfers.csv`\n\n((?:    .*\n)+)", page)
    Path("transfers.csv").write_text(textwrap.dedent(table))
    shown = re.findall(r"((?:    .*\n)+)\nprints\n\n((?:    .*\n|\n(?=    ))+)", page)
    assert len(shown) == 6
    for command, printed in shown:
        command = command.replace("\\\n", " ").strip().removeprefix("gomkcn ")
        said = gomkcn(command).splitlines()
        assert [*map(str.split, said)] == [*map(str.split, printed.splitlines())], command


def test_a_name_and_conditions(folder, ecoli):
    by_edges = counted(f"'A -> B, A -> C, B -> C, A.name = \"crp\"' {ecoli} --list 99")
    found, lines = counted(f"'feed-forward-loop, A.name = \"crp\"' {ecoli} --list 99")
    assert found == by_edges[0] == "16, counted exactly"
    assert lines[0].startswith('pattern     A->B, A->C, B->C, A.name = "crp": 3 nodes, 3 edges')
    assert lines[-16:] == by_edges[1][-16:]
    # as in Python
    for name in ("feed-forward-loop", "feed-forward loop"):
        assert count(read_graph(ecoli), f'{name}; A.name = "crp"').value == 16
    nx.write_edgelist(nx.wheel_graph(5), "wheel.txt", data=False)
    assert counted("'triangle, A.degree >= 4' wheel.txt")[0] == "4, counted exactly"
    assert "the nearest is 'feed-forward-loop'" in refused(
        f"count 'feedforward-loop, A.degree > 1' {ecoli}"
    )


def test_a_letter_that_is_the_name_of_a_node_is_told(folder, ecoli):
    def said(pattern, path=ecoli):
        return [line for line in invoke(f"count {pattern} {path}").stderr.splitlines()
                if "only a letter" in line]  # fmt: skip

    (line,) = said("'crp -> B, crp -> C, B -> C'")
    assert line.startswith("gomkcn: 'crp' in the pattern is only a letter, for any node; ")
    assert line.endswith('with the condition crp.name = "crp"')
    assert len(said("'crp -> B, crp.degree > 3'")) == 1
    assert not said("'crp -> B, crp.name = \"crp\"'")
    assert not said("'A -> B, A -> C'") and not said("feed-forward-loop")
    nx.write_edgelist(nx.path_graph(4), "path.txt", data=False)
    assert not said("'0--1, 1--2'", "path.txt") and len(said("'a--1'", "path.txt")) == 1


def test_relations_that_a_graph_lacks_are_told_with_the_nearest(ecoli):
    known = "'activates' (directed), 'both' (directed), 'represses' (directed)"
    for pattern, got in (
        ("A -[repress]-> B", "got 'repress'; the nearest is 'represses'."),
        ("A -[repress]-> B, A.degree > 1", "'A -[repress]-> B'; the nearest is 'represses'."),
        # by what it means
        ("A -[+]-> A", "got '+' in 'A -[+]-> A'; the nearest is 'activates'."),
        ("A -[binds]-> B", "got 'binds'."),
    ):
        ran = invoke(f"count '{pattern}' {ecoli}")
        (said,) = [line for line in ran.stderr.splitlines() if "must have" in line]
        assert ran.exit_code == 2
        assert said.startswith(f"gomkcn: PATTERN must have relations of the graph, {known}, got ")
        assert said.endswith(got) and "--directed" not in said


def test_both_readings(folder):
    nx.write_edgelist(nx.complete_graph(6), "k6.txt", data=False)
    listed = gomkcn("count ring-4 k6.txt --reading subgraph --list 100").splitlines()
    assert listed[2:4] == [
        "reading     subgraph: other edges may join its nodes",
        "occurrences 45, counted exactly",
    ]
    assert "listed      45, all" in listed and len({tuple(row) for row in listed[-45:]}) == 45
    assert counted("ring-4 k6.txt")[0] == "0, counted exactly"


def test_a_pattern_without_directions_is_counted_without_those_that_nobody_asked_for(graphs):
    Path("signed.csv").write_text("source,target,weight\na,b,1\nb,c,-1\nc,a,0\n")
    lines = gomkcn("count triangle signed.csv").splitlines()
    assert "edges       directions are left out, as the pattern has none (--no-directed)" in lines
    assert lines[-1] == "occurrences 1, counted exactly"
    assert counted("three-cycle signed.csv")[0] == "1, counted exactly"
    assert "with --no-directed," in refused("count triangle signed.csv --directed")


def test_refusals(graphs):
    for command, rule in {
        "benzene graph.txt": "PATTERN must have categories of the graph, which are none, got 'C'.",
        '"a:X--b:1" TINY': "must have categories of the graph, which are",
        "TINY:0 graph.txt": "holds no finished run",
        "wheel graph.txt --errors 1 --reading subgraph": "--errors takes a pattern of edges alone",
        "wheel graph.txt --errors 18446744073709551616": "--errors must be at most 100, got 1844",
        "ring-8 graph.txt --errors 4": "--errors must be smaller for a pattern of 8 nodes",
        '"a-[up]->b" graph.txt --directed': "without relations, as the graph has, got 'up'; write",
        "triangle graph.txt --directed": "got some without direction; read the graph with "
        "--no-directed, or write a->b.",
        "ring-3 graph.txt --directed --reading subgraph": "read the graph with --no-directed,",
        "feed-forward-loop graph.txt": "read the graph with --directed,",
    }.items():
        assert rule in refused(f"count {command}")
    assert refused("count wheel graph.txt --errors 99").startswith("--errors must be at most 15")
    for options, rule in {
        "--out x.txt": "--out must end in .csv, .parquet, .json, got 'x.txt'.",
        "--orbits --sizes 3-5": "--sizes must be 2-4 or 2-5 with --orbits, got 3-5.",
        "--orbits --reading subgraph": "--reading must be induced with --orbits, got 'subgraph'.",
    }.items():
        assert refused(f"census graph.txt {options}") == rule


def test_what_time_allows_is_printed_and_the_rest_is_said(graphs):
    result = invoke("census graph.txt --time-limit 1e-9")
    assert result.exit_code == 0
    said = "gomkcn: structures of 3, 4, 5 nodes are not counted: the count ended early\n"
    assert result.stderr.endswith(said)
    assert [line.split()[:3] for line in result.stdout.splitlines()[1:]] == [
        [size, "not", "counted"] for size in "345"
    ]
    gomkcn("census graph.txt --time-limit 1e-9 --out left.csv")
    assert pd.read_csv("left.csv")["count"].isna().all()
    assert "--time-limit must be longer for --orbits" in refused(
        "census graph.txt --orbits --time-limit 1e-9"
    )
    assert "--time-limit must be greater than 0" in refused("census graph.txt --time-limit 0")


def test_a_signal_ends_a_census_with_what_is_known_and_its_exit_code(graphs, monkeypatch):
    monkeypatch.setattr(Interrupts, "__enter__", stopped_at_once(Interrupts.__enter__))
    for command, said in (
        ("census graph.txt --sizes 3", "of 3 nodes are not counted: the count ended early"),
        ("census graph.txt --orbits", "the orbits are known when all are counted"),
    ):
        result = invoke(command)
        assert result.exit_code == 128 + signal.SIGINT
        assert "gomkcn: stopped by SIGINT; " in result.stderr
        assert result.stderr.endswith(f"{said}\n")


@pytest.mark.parametrize("is_signal", [False, True])
def test_a_count_ends_with_an_estimate(folder, monkeypatch, is_signal):
    graph = nx.barabasi_albert_graph(3000, 5, seed=0)
    nx.write_edgelist(graph, "large.txt", data=False)
    limit = "" if is_signal else " --time-limit 1e-9"
    if is_signal:
        monkeypatch.setattr(Interrupts, "__enter__", stopped_at_once(Interrupts.__enter__))
    for pattern, more in (("ring-6", " --list 2"), ("house", " --errors 1")):
        result = invoke(f"count {pattern} large.txt{limit}{more}")
        said = "stopped by SIGINT; " if is_signal else ""
        assert result.stderr.endswith(f"gomkcn: {said}the count ended early\n")
        assert result.exit_code == (128 + signal.SIGINT if is_signal else 0)
        assert re.search(r"^occurrences .* a 95% interval$", result.stdout, re.MULTILINE)


def test_half_of_the_time_is_for_the_estimate():
    for limit, goes_on in ((100, [True, True]), (40, [False, True]), (1e-9, [False, False])):
        watch = _Watch(Steps(interrupts=Interrupts(limit)), seconds_of_a_half=50.0)
        assert [watch(0.25), watch(0.75)] == goes_on


def stopped_at_once(enter):
    """As Interrupts are entered, and a Ctrl-C right behind that."""

    def entered(self):
        found = enter(self)
        signal.raise_signal(signal.SIGINT)
        return found

    return entered


def test_the_pairs_of_nodes_that_share_occurrences_are_written(graphs):
    said = gomkcn("count wheel graph.txt --adjacency pairs.npz")
    assert "adjacency   pairs.npz: 30 pairs of nodes share occurrences" in said
    assert load_npz("pairs.npz").sum() == 2 * 6 * 5
    assert np.load("pairs.npz")["names"].tolist() == [*range(18)]
    again = refused("count wheel graph.txt --adjacency pairs.npz")
    assert "the output 'pairs.npz' exists" in again
    gomkcn("count triangle graph.txt --adjacency pairs.npz --force")
    assert load_npz("pairs.npz").sum() == 2 * 5 * 6
    assert "must end in .npz" in refused("count wheel graph.txt --adjacency pairs.mtx")
    assert "without --errors" in refused("count wheel graph.txt --errors 1 --adjacency a.npz")
    assert not Path("a.npz").exists()


def test_a_count_is_printed_where_not_all_pairs_are_found(folder):
    nx.write_edgelist(nx.complete_graph(60), "dense.txt", data=False)
    outcome = invoke("count clique-5 dense.txt --count-seconds .0001 --adjacency pairs.npz")
    assert outcome.exit_code == 2
    assert "occurrences" in outcome.stdout and not Path("pairs.npz").exists()
    assert "--count-seconds must be enough to find all occurrences" in outcome.stderr
