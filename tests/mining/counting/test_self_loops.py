"""Self-loops in patterns: counted, and compared with random graphs."""

import itertools
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from command_line import gomkcn, invoke, refused

from gomkcn.mining import count, places
from gomkcn.mining.counting.conditions import TextQuery
from gomkcn.mining.counting.counter import count_query
from gomkcn.mining.counting.self_loops import compare_loops, loop_number, place_loops
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr, with_attributes
from gomkcn_dgl.graphs.pattern_text import PatternText
from gomkcn_dgl.io.reading import read_graph

ECOLI = Path(__file__).parents[3] / "notebooks/ecoli_regulation.csv"


def draw(seed, directed=True):
    """A graph of eight nodes, of which some have a self-loop, of one of two signs."""
    rng = np.random.default_rng(seed)
    graph = (nx.MultiDiGraph if directed else nx.MultiGraph)()
    graph.add_nodes_from(range(8))
    for _ in range(16):
        u, v = rng.integers(8, size=2).tolist()
        graph.add_edge(u, v)
    for node in rng.choice(8, 4, replace=False).tolist():
        graph.add_edge(node, node)
    return graph


@pytest.mark.parametrize("directed", [True, False])
def test_counts_are_those_of_all_mappings(directed):
    join = "->" if directed else "--"
    for seed in range(8):
        graph = draw(seed, directed)
        loops = {node for node in graph if graph.has_edge(node, node)}
        pairs = [
            (u, v)
            for u, v in itertools.permutations(range(8), 2)
            if graph.has_edge(u, v) and (not directed or not graph.has_edge(v, u))
        ]
        numbers = {
            f"A {join} A": len(loops),
            f"A {join} A, A {join} B": sum(u in loops for u, _ in pairs),
            f"A !> A, A {join} B, B {join} B": sum(u not in loops and v in loops for u, v in pairs),
        }
        for text, number in numbers.items():
            assert count(graph, text).value == number, (seed, text)
        if not directed:
            both = sum(u in loops and v in loops for u, v in pairs) // 2
            assert count(graph, "A -- A, A -- B, B -- B").value == both


def test_relations_and_tests_of_self_loops():
    graph = nx.MultiDiGraph()
    graph.add_edge("a", "a", score=1)
    graph.add_edge("a", "b", score=1)
    graph.add_edge("b", "b", score=9)
    assert places(graph, "A -> A [score > 5]")[0].tolist() == [[1]]
    said = gomkcn(f"count 'A -[represses]-> A' {ECOLI}").splitlines()
    assert said[3] == "occurrences 41, counted exactly"


def test_the_number_of_self_loops_is_compared_with_edges_at_random():
    """Against graphs that are drawn: with and without direction, and with given degrees."""
    rng = np.random.default_rng(1)
    for directed in (True, False):
        graph = draw(5, directed)
        csr, _, edges = with_attributes(graph)
        found = loop_number(edges, np.ones(len(edges.source), bool), csr)
        pairs = np.array([(u, v) for u in range(8) for v in range(8) if directed or u <= v])
        drawn = [
            (np.diff(pairs[rng.choice(len(pairs), found.edges, replace=False)]) == 0).sum()
            for _ in range(4000)
        ]
        assert found.loops == sum(graph.has_edge(node, node) for node in graph)
        assert abs(np.mean(drawn) - found.expected) < 0.1
        assert abs(np.std(drawn) - found.deviation) < 0.1
        assert abs(np.mean(np.array(drawn) >= found.loops) - found.p) < 0.03
        # stubs that are joined at random; the mean of loops does not depend on other edges
        ends = np.unique(np.sort(np.array([(u, v) for u, v in graph.edges()]), axis=1), axis=0)
        if directed:
            ends = np.unique(np.array([(u, v) for u, v in graph.edges()]), axis=0)
        stubs = ends.reshape(-1)
        joined = []
        for _ in range(4000):
            if directed:
                joined.append((ends[:, 0] == rng.permutation(ends[:, 1])).sum())
            else:
                joined.append((np.diff(rng.permutation(stubs).reshape(-1, 2)) == 0).sum())
        assert abs(np.mean(joined) - found.expected_by_degree) < 0.15


def test_edges_of_a_collection_join_nodes_of_the_same_graph():
    """Against the sums over its graphs; all edges of a graph may be self-loops."""
    graphs = [draw(seed) for seed in (1, 2)] + [nx.MultiDiGraph([(0, 0), (1, 1)])]
    parts = [loop_number(table, np.ones(len(table.source), bool), one)
             for one, _, table in map(with_attributes, graphs)]  # fmt: skip
    csr, _, edges = with_attributes(graphs)
    both = loop_number(edges, np.ones(len(edges.source), bool), csr)
    assert both.loops == sum(one.loops for one in parts)
    assert both.expected_by_degree == pytest.approx(sum(one.expected_by_degree for one in parts))
    assert both.expected == pytest.approx(both.edges * 18 / (64 + 64 + 4))
    assert count(graphs, "A -> A").value == both.loops


def test_placements_are_uniform_over_the_nodes_that_an_edge_leaves():
    """The exact mean and standard deviation of a sum over a sample without replacement."""
    rng = np.random.default_rng(2)
    counts = rng.integers(0, 9, size=30)
    occurrences = np.repeat(np.arange(30), counts)[:, None]
    has = np.arange(40) < 10
    placed = place_loops(
        occurrences, 2 * len(occurrences), [(0, has)], np.arange(30), 5, 3, num_placements=4000
    )
    mean = 2 * counts.mean() * 10
    deviation = 2 * np.sqrt(10 * counts.var(ddof=1) * (1 - 10 / 30))
    assert abs(placed.expected - mean) < 4 * deviation / np.sqrt(4000)
    assert abs(placed.deviation / deviation - 1) < 0.05
    assert placed.places == 30


def test_p_of_placements_is_level_where_loops_are_at_random_nodes():
    """Of 150 graphs whose loops are at random nodes, about 5 % have p of at most 0.05."""
    rng = np.random.default_rng(3)
    base = [(u, v) for u, v in nx.gnp_random_graph(30, 0.1, seed=4, directed=True).edges]
    leaving = sorted({u for u, _ in base})
    small = 0
    for number in range(150):
        loops = rng.choice(leaving, 8, replace=False).tolist()
        graph = nx.DiGraph([*base, *((node, node) for node in loops)])
        csr, _, edges = with_attributes(graph)
        text = TextQuery.of(csr, PatternText.read("A -> A, A -> B"), None, edges)
        found, _ = count_query(text.query())
        numbers, placed = compare_loops(text, "induced", found, seed=number)
        assert [one.loops for _, one in numbers] == [8]
        small += placed.p <= 0.05
    assert 2 <= small <= 16


def test_what_is_said(folder):
    (folder / "g.csv").write_text("source,target\na,a\na,b\nb,c\nc,c\n")
    lines = gomkcn("count 'A -> A, A -> B' g.csv --list 9").splitlines()
    assert lines[0] == "pattern     A -> A, A -> B: 2 nodes, 1 edge, 1 self-loop"
    assert lines[3] == "occurrences 1, counted exactly"
    assert lines[4] == (
        "self-loops  2 of 4 edges; expected 1.33 ± 0.75 if edges join random nodes, p = 0.4; "
        "1.25 if nodes keep their degrees, p = 0.36"
    )
    assert lines[5].startswith("expected    ")
    assert "in 999 graphs with as many self-loops, at random ones of the 3 nodes" in lines[5]
    assert lines[-2:] == ["A\tB", "a\tb"]
    # asked for, or left out as before
    assert "dropped 1 self-loop" in as_csr(nx.DiGraph([(0, 0), (0, 1)])).notes
    assert gomkcn("count 'A -> B' g.csv").splitlines()[-1] == "occurrences 2, counted exactly"


def test_self_loops_of_what_read_graph_returns(folder):
    graph = draw(3)
    graph.add_edge(7, 7, weight=2)
    csr = as_csr(graph)
    assert csr.num_edges == len({(u, v) for u, v in graph.edges() if u != v})
    signed = read_graph(ECOLI)
    for given, own, text in (
        (graph, csr, "A -> A, A -> B"),
        (graph, csr, "A !> A, A -> B"),
        (pd.read_csv(ECOLI), signed, "A -[represses]-> A, A -> B"),
        (pd.read_csv(ECOLI), signed, "A -> A"),
    ):
        assert count(own, text).value == count(given, text).value > 0
        assert places(own, text)[0].tolist() == places(given, text)[0].tolist()
    # of a collection, each graph has its own
    both = as_csr([nx.DiGraph([(0, 1)]), nx.DiGraph([(0, 1), (1, 1)])])
    assert [count(one, "A -> A").value for one in both] == [0, 1]
    assert places(both, "A -> A")[0].tolist() == [[3]]


def test_a_graph_without_its_self_loops_is_refused(folder):
    (folder / "g.csv").write_text("source,target\na,a\na,b\n")
    gomkcn("convert g.csv g.graph")
    said = "count in the file or the table of edges that the graph was made of"
    assert said in "".join(invoke_lines("count 'A -> A' g.graph"))
    graph = as_csr(pd.DataFrame({"source": [0, 0], "target": [0, 1], "weight": [2.0, 3.0]}))
    # a graph that was made of another has not kept them, and those that are kept have no weight
    for other, text in (
        (as_csr(graph, directed=False), "A -- A"),
        ([graph, graph], "A -> A"),
        (graph, "A -> A [weight > 1]"),
    ):
        with pytest.raises(InputError, match=said):
            count(other, text)
    assert "joins 'A' to others" in "".join(invoke_lines("count 'A -> A, B -> C' g.csv"))
    assert refused("count 'A -> A' missing.csv").startswith("missing.csv")


def test_an_arrow_needs_a_graph_with_directions(folder):
    (folder / "g.csv").write_text("gene,partner\na,a\na,b\n")
    said = " ".join(invoke_lines("count 'A -> A' g.csv"))
    assert (
        "without direction, as the graph has, got 'A -> A'; read the graph with --directed" in said
    )
    for command in ("'A -> A' g.csv --directed", "'A -- A' g.csv", "'A -- A' g.csv --directed"):
        assert "occurrences 1, counted exactly" in gomkcn(f"count {command}")


def test_conditions_on_the_node_of_a_self_loop_leave_the_test_out():
    lines = gomkcn(f"count 'A -> A, A.degree >= 10' {ECOLI}").splitlines()
    assert lines[3:] == [
        "occurrences 11, counted exactly",
        "self-loops  58 of 577 edges; under conditions they are not compared",
    ]
    # what has other edges is compared with loops at other nodes
    lines = gomkcn(f"count 'A -> B, A !> A, A.degree >= 10' {ECOLI}").splitlines()
    assert lines[0].endswith("A.degree >= 10: 2 nodes, 1 edge, 2 conditions")
    assert "expected 1.36 ± 1.2" in lines[4] and lines[5].startswith("expected    ")


def invoke_lines(command):
    """What is said of a command line that is refused, with its caret."""
    ran = invoke(command)
    assert ran.exit_code == 2
    return ran.stderr.splitlines()
