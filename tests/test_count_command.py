"""`gomkcn count`: what a pattern may be given as, and what is printed about its counts."""

import re

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
    assert lines[3:] == ["sampled  2 in 18 subgraphs, a lower bound: 100% of the exact"]


def test_a_pattern_from_a_file(graphs):
    (graphs / "triangle.txt").write_text("a b\nb c\nc a\n")
    nx.write_graphml(nx.cycle_graph(3), "triangle.graphml")
    for name in ("triangle.txt", "triangle.graphml"):
        lines = gomkcn(f"count {name} TINY").splitlines()
        assert lines[0] == f"pattern  {name}: 3 nodes, 3 edges"
        assert lines[2].startswith("exact    3 (")
        assert lines[4] == "graphs   2 of 3 contain it"


def test_a_pattern_of_a_run(graphs):
    gomkcn("mine graph.txt --out run --patterns 1 --size 6 --epochs 1 --min-support 1 --quiet")
    by_run = gomkcn("count run:0 graph.txt").splitlines()
    by_file = gomkcn("count run/patterns/pattern_00.graphml graph.txt").splitlines()
    assert by_run[0].startswith("pattern  run:0: ")
    assert by_run[2].split()[:2] == by_file[2].split()[:2]
    assert "one of the 1 patterns of run, as in run:0, got '7'" in refused("count run:7 graph.txt")


def test_a_count_that_is_not_finished(graphs, monkeypatch):
    unfinished = exact_counts.ExactCount(None, 2.5, at_least=7, num_graphs=1)
    monkeypatch.setattr(exact_counts, "count_exact", lambda *_: unfinished)
    lines = gomkcn("count diamond4 TINY --time-limit 2.5 --views 2 --policy random").splitlines()
    assert lines[2] == "exact    not finished in 2.5 s; at least 7"
    assert lines[3] == "sampled  1 in 20 subgraphs, a lower bound"
    assert lines[4] == "graphs   1 or more of 3 contain it"


def test_refusals(graphs):
    nx.write_graphml(nx.path_graph(63), "long.graphml")
    nx.write_graphml(nx.disjoint_union(*[nx.path_graph(2)] * 2), "parts.graphml")
    for command, rule in {
        "nothing graph.txt": ", windmill7, got 'nothing'.",
        "wheel nothing.txt": "path must name a file",
        "wheel graph.txt --time-limit 0": "--time-limit must be greater than 0, got 0.",
        "square TINY --policy best": "--policy must be one of 'bfs'",
        "long.graphml graph.txt": "PATTERN must have at most 62 nodes, got long.graphml with 63.",
        "parts.graphml graph.txt": "must be connected",
        "TINY:0 graph.txt": "holds no finished run",
    }.items():
        assert rule in refused(f"count {command}")
