"""`gomkcn count`: what a pattern may be given as, and what is printed about its counts."""

import re
from pathlib import Path

import networkx as nx
import pytest
from command_line import gomkcn, refused
from graph_files import write_tu

from mining.counting import exact_counts


@pytest.fixture
def graphs(folder):
    """Two wheels and a ring in one file, and three triangles in a collection of three graphs."""
    wheel = nx.wheel_graph(6)
    graph = nx.disjoint_union_all([wheel, wheel, nx.cycle_graph(6)])
    nx.write_edgelist(graph, "graph.txt", data=False)
    write_tu("TINY", [nx.cycle_graph(3), nx.path_graph(3), nx.diamond_graph()], [0, 1, 0])
    return folder


def test_a_motif_by_name(graphs):
    lines = gomkcn("count wheel graph.txt").splitlines()
    assert lines[0] == "pattern  wheel: 6 nodes, 10 edges"
    assert lines[1] == "graph    graph.txt: 18 nodes, 26 edges"
    assert re.fullmatch(r"exact    2 \(\d+\.\d\d s\)", lines[2])


def test_a_pattern_from_a_file(graphs):
    (graphs / "triangle.txt").write_text("a b\nb c\nc a\n")
    nx.write_graphml(nx.cycle_graph(3), "triangle.graphml")
    for name in ("triangle.txt", "triangle.graphml"):
        lines = gomkcn(f"count {name} TINY").splitlines()
        assert lines[0] == f"pattern  {name}: 3 nodes, 3 edges"
        assert lines[2].startswith("exact    3 (")
        assert lines[3] == "graphs   2 of 3 contain it"


def test_a_pattern_of_a_run(graphs):
    gomkcn("mine graph.txt --out run --patterns 1 --size 6 --epochs 1 --min-support 1 --quiet")
    by_run = gomkcn("count run:0 graph.txt").splitlines()
    by_file = gomkcn("count run/patterns/pattern_00.graphml graph.txt").splitlines()
    assert by_run[0].startswith("pattern  run:0: ")
    assert by_run[2].split()[:2] == by_file[2].split()[:2]
    assert "one of the 1 patterns of run, as in run:0, got '7'" in refused("count run:7 graph.txt")


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
        ("three-cycle arcs.txt --directed", 1),
        ('"a--b, b--c, c--a" arcs.txt', 3),
        ("pattern.txt signed.csv", 1),
        ("three-cycle mixed.csv --directed --relation none", 1),
    ],
)
def test_directions_and_relations(signed, command, exact):
    (signed / "pattern.txt").write_text("1 -> 2 up\n2 -> 3 down\n1 -> 3 up\n")
    (signed / "mixed.csv").write_text((signed / "signed.csv").read_text())
    lines = gomkcn(f"count {command}").splitlines()
    assert next(line for line in lines if line.startswith("exact")).split()[1] == str(exact)


def test_a_pattern_without_names_is_of_any_relation(signed):
    signed_only = (signed / "signed.csv").read_text().splitlines()[:10]
    (signed / "any.csv").write_text("\n".join(signed_only) + "\n")
    lines = gomkcn("count feed-forward-loop any.csv").splitlines()
    assert lines[2] == "edges    of any relation: down, up"
    assert lines[3].startswith("exact    2 (")


def test_a_pattern_of_a_directed_run(signed):
    mine = "mine signed.csv --out run --patterns 2 --size 3 --epochs 1 --min-support 1 --quiet"
    gomkcn(mine)
    lines = gomkcn("count run:0 signed.csv").splitlines()
    assert int(lines[2].split()[1]) > 0
    # whose relation without direction is written both ways
    by_file = gomkcn("count run/patterns/pattern_00.graphml signed.csv").splitlines()
    assert by_file[2].split()[:2] == lines[2].split()[:2]


ECOLI = Path(__file__).parents[2] / "shared/data/directed/ecoli_regulation.csv"


@pytest.mark.skipif(not ECOLI.is_file(), reason="needs ../shared/data/directed")
def test_the_closed_triads_of_e_coli(folder):
    closed = {
        "feed-forward-loop": 40,
        "three-cycle": 0,
        "uplinked-mutual-dyad": 0,
        "downlinked-mutual-dyad": 0,
        "feedback-with-mutual-dyad": 0,
        "feedback-with-two-mutual-dyads": 0,
        "fully-connected-triad": 0,
    }
    for name, count in closed.items():
        lines = gomkcn(f"count {name} {ECOLI}").splitlines()
        assert lines[1].endswith(": 424 nodes, 519 edges")
        assert lines[3].startswith(f"exact    {count} (")


def test_a_count_that_is_not_finished(graphs, monkeypatch):
    unfinished = exact_counts.ExactCount(None, 2.5, at_least=7, num_graphs=1)
    monkeypatch.setattr(exact_counts, "count_exact", lambda *_: unfinished)
    lines = gomkcn("count diamond4 TINY --time-limit 2.5").splitlines()
    assert lines[2] == "exact    not finished in 2.5 s; at least 7"
    assert lines[3] == "graphs   1 or more of 3 contain it"


def test_refusals(graphs):
    nx.write_graphml(nx.path_graph(63), "long.graphml")
    nx.write_graphml(nx.disjoint_union(*[nx.path_graph(2)] * 2), "parts.graphml")
    for command, rule in {
        "nothing graph.txt": ", windmill7, got 'nothing'.",
        "wheel nothing.txt": "path must name a file",
        "wheel graph.txt --time-limit 0": "--time-limit must be greater than 0, got 0.",
        "long.graphml graph.txt": "PATTERN must have at most 62 nodes, got long.graphml with 63.",
        "parts.graphml graph.txt": "must be connected",
        "TINY:0 graph.txt": "holds no finished run",
        "three-cycle graph.txt": "PATTERN has directions and GRAPH has none: write",
        "wheel graph.txt --directed": "PATTERN has no directions and GRAPH has: write its edges",
        '"a->b, c" graph.txt': "PATTERN must have edges like a->b, a--b,",
        '"a->b, b--c" graph.txt': "PATTERN must give all edges of one relation a direction",
        '"a-[up]->b" graph.txt --directed': "got 'up' with a direction; write a->b",
        '"a->b, c->d" graph.txt --directed': "must be connected, got 2 pieces",
    }.items():
        assert rule in refused(f"count {command}")
