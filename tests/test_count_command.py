"""`gomkcn count`: what a pattern may be given as, and what is said about its counts."""

import re

import networkx as nx
import pytest
from command_line import gomkcn, refused

from mining.counting import exact_counts as counting


@pytest.fixture
def graphs(folder):
    """Two wheels and a ring in one file, and three triangles as a collection."""
    hub = nx.wheel_graph(6)
    graph = nx.disjoint_union_all([hub, hub, nx.cycle_graph(6)])
    nx.write_edgelist(graph, "graph.txt", data=False)
    (folder / "TINY").mkdir()
    pairs = [(1, 2), (2, 3), (1, 3), (4, 5), (5, 6), (7, 8), (8, 9), (7, 9), (9, 10), (8, 10)]
    both = [f"{u}, {v}\n{v}, {u}\n" for u, v in pairs]
    (folder / "TINY" / "TINY_A.txt").write_text("".join(both))
    owners = [1] * 3 + [2] * 3 + [3] * 4
    (folder / "TINY" / "TINY_graph_indicator.txt").write_text("".join(f"{g}\n" for g in owners))
    (folder / "TINY" / "TINY_graph_labels.txt").write_text("0\n1\n0\n")
    return folder


def test_a_motif_by_name(graphs):
    lines = gomkcn("count wheel graph.txt").splitlines()
    assert lines[0] == "pattern  wheel: 6 nodes, 10 edges"
    assert lines[1] == "graph    graph.txt: 18 nodes, 26 edges"
    assert re.fullmatch(r"exact    2 \(\d+\.\d\d s\)", lines[2])
    assert lines[3] == "sampled  2 in 18 subgraphs, a lower bound: 100% of the exact"
    assert len(lines) == 4


def test_an_edge_list_and_graphml(graphs):
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
    sentence = "PATTERN must name one of the 1 patterns of run, as in run:0, got '7'."
    assert refused("count run:7 graph.txt") == sentence
    assert refused("count TINY:0 graph.txt").startswith("run folder 'TINY' holds no finished run")


def test_views_and_policy_reach_the_sampler(graphs):
    lines = gomkcn("count square TINY --views 3 --policy random --seed 1").splitlines()
    assert lines[2].startswith("exact    0 (")
    assert lines[3] == "sampled  0 in 30 subgraphs, a lower bound"
    assert refused("count square TINY --policy best").startswith("--policy must be one of 'bfs'")


def test_not_finished_is_an_answer(graphs, monkeypatch):
    monkeypatch.setattr(
        counting, "count_exact", lambda *_: counting.ExactCount(None, 2.5, at_least=7, num_graphs=1)
    )
    lines = gomkcn("count diamond4 TINY --time-limit 2.5").splitlines()
    assert lines[2] == "exact    not finished in 2.5 s; at least 7"
    assert lines[3] == "sampled  1 in 10 subgraphs, a lower bound"
    assert lines[4] == "graphs   1 or more of 3 contain it"


def test_refusals(graphs):
    assert refused("count nothing graph.txt").endswith(", windmill7, got 'nothing'.")
    assert refused("count wheel nothing.txt").startswith("nothing.txt: path must name a file")
    sentence = "--time-limit must be greater than 0, got 0."
    assert refused("count wheel graph.txt --time-limit 0") == sentence
    nx.write_graphml(nx.path_graph(63), "long.graphml")
    sentence = "PATTERN must have at most 62 nodes, got long.graphml with 63."
    assert refused("count long.graphml graph.txt") == sentence
    nx.write_graphml(nx.disjoint_union(*[nx.path_graph(2)] * 2), "pieces.graphml")
    assert "must be connected, got 2 pieces" in refused("count pieces.graphml graph.txt")
    (graphs / "loop.txt").write_text("0 0\n")
    assert "a motif must have no self-loop" in refused("count loop.txt graph.txt")
