"""Which nodes changed their roles: counts at orbits, by names that both graphs have."""

import networkx as nx
import numpy as np
import pytest

from gomkcn.mining.counting.graphlets import orbits_by_enumeration
from gomkcn.mining.patterns.pattern_miner import PatternMiner
from gomkcn.mining.patterns.role_changes import (
    MOST_ROLES,
    PLACES,
    ROLE_COLUMNS,
    alone_parts,
    changed_roles,
    roles_sentence,
)
from gomkcn.mining.structures.table_column import tabulate
from gomkcn_dgl import as_csr
from gomkcn_dgl.runtime.steps import Steps


def roles(first, second):
    graphs = as_csr(first), as_csr(second)
    return changed_roles(*graphs, PatternMiner().choice_rules(graphs[0]), Steps())


def named(graph, names):
    return nx.relabel_nodes(graph, dict(zip(graph, names, strict=False)))


def test_the_distance_is_that_of_counts_in_means():
    first = named(nx.gnp_random_graph(12, 0.3, seed=0), "abcdefghijkl")
    second = named(nx.gnp_random_graph(12, 0.3, seed=1), "lkjihgfedcxy")
    found = roles(first, second)
    counts = [orbits_by_enumeration(as_csr(graph))[:, :15] for graph in (first, second)]
    rows = [list(graph) for graph in (first, second)]
    means = [of_graph / np.where(of_graph.any(0), of_graph.mean(0), 1) for of_graph in counts]
    assert found.num_shared == 10 and {one.node for one in found.rows} == set("cdefghijkl")
    used = counts[0].any(0) | counts[1].any(0)
    for one in found.rows:
        at = [of_graph.index(one.node) for of_graph in rows]
        assert one.first == tuple(counts[0][at[0]]) and one.second == tuple(counts[1][at[1]])
        change = np.log2(1 + means[1][at[1]]) - np.log2(1 + means[0][at[0]])
        assert one.distance == pytest.approx(np.sqrt(np.mean(change[used] ** 2)))
        assert one.changes == pytest.approx(change)
        assert one.most_changed[0] == np.argmax(np.abs(change))
    assert [one.distance for one in found.rows] == sorted(
        (one.distance for one in found.rows), reverse=True
    )


def test_the_node_that_became_the_centre_is_first_and_its_places_are_named():
    ring = named(nx.cycle_graph(9), "abcdefghi")
    hub = nx.Graph([("a", other) for other in "bcdefghi"])
    (first, *_) = roles(ring, hub).rows
    assert (first.node, PLACES[first.most_changed[0]]) == ("a", "centre of a star with 3 leaves")
    table = tabulate(ROLE_COLUMNS, [first]).columns()
    assert table["degree_first"] == [2] and table["degree_second"] == [8]
    assert table["changed"][0].startswith("centre of a star with 3 leaves 0 → 56 (0 → 9 × mean)")
    assert (table["orbit7_first"], table["orbit7_second"]) == ([0], [56])


def test_places_are_those_of_the_orbits():
    # each graph alone has all of its places
    clique = orbits_by_enumeration(as_csr(nx.complete_graph(4)))[:, :15]
    assert PLACES[int(np.argmax(clique[0] * (np.arange(15) > 3)))] == "clique of 4 nodes"
    paw = orbits_by_enumeration(as_csr(nx.Graph([(0, 1), (1, 2), (2, 0), (2, 3)])))[:, 9:12]
    assert [PLACES[9 + int(np.argmax(row))] for row in paw] == [
        "triangle with a pendant node elsewhere",
        "triangle with a pendant node elsewhere",
        "triangle with a pendant node here",
        "pendant node of a triangle",
    ]
    diamond = orbits_by_enumeration(as_csr(nx.Graph([(0, 1), (1, 2), (2, 0), (1, 3), (2, 3)])))
    assert PLACES[12 + int(np.argmax(diamond[1, 12:14]))] == "middle edge of a diamond"


def test_directions_are_left_out_and_a_graph_is_as_itself():
    graph = named(nx.gnp_random_graph(12, 0.2, seed=0, directed=True), "abcdefghijkl")
    found = roles(graph, graph)
    assert found.num_shared == 12 and not found.rows
    assert roles_sentence(found, found.rows) == "12 nodes in both by name; none changed its role."
    assert not roles(graph, graph.to_undirected()).rows


def test_nodes_that_one_graph_has_alone_are_new_or_gone_the_largest_roles_first():
    before = nx.Graph([("a", "b"), ("b", "c"), ("c", "x"), ("x", "a"), ("x", "y")])
    after = nx.Graph([("a", "b"), ("b", "c"), ("c", "n")] + [("hub", node) for node in "abc"])
    found = roles(before, after)
    assert (found.num_shared, found.num_new, found.num_gone) == (3, 2, 2)
    assert [one.node for one in found.new] == ["hub", "n"]
    assert [one.node for one in found.gone] == ["x", "y"]
    counts = orbits_by_enumeration(as_csr(after))[:, :15]
    hub = found.new[0]
    assert hub.first == (0,) * 15 and hub.second == tuple(counts[list(after).index("hub")])
    means = np.array(hub.second) / np.where(counts.any(0), counts.mean(0), 1)
    used = counts.any(0) | orbits_by_enumeration(as_csr(before))[:, :15].any(0)
    assert hub.distance == pytest.approx(np.sqrt(np.mean(np.log2(1 + means[used]) ** 2)))
    table = tabulate(ROLE_COLUMNS, found.every_row).columns()
    assert table["graphs"] == ["both"] * len(found.rows) + ["second"] * 2 + ["first"] * 2
    # a number of the graph that has it, not one of each
    assert table["changed"][-1].startswith("end of a path of 4 nodes 2 (2.5 × mean); ")
    assert "→" not in table["changed"][-1]
    new, gone = alone_parts(found, 1)
    assert new == (
        "2 nodes in the second graph alone, new there; the 1 with the largest roles.",
        found.new[:1],
    )
    assert gone[0].startswith("2 nodes in the first graph alone, gone from the second")
    assert not alone_parts(roles(before, before), 1)


def test_what_cannot_be_compared_says_why():
    first, second = named(nx.path_graph(3), "abc"), named(nx.star_graph(3), "wxyz")
    found = roles(first, second)
    assert found.note.startswith("No node of one graph has the name of a node of the other")
    assert "single graphs" in roles([first, first], second).note
    # numbers may be names, and may be none
    assert "where its number is" in roles(nx.path_graph(4), nx.star_graph(3)).note
    assert roles(nx.path_graph(4), named(nx.star_graph(3), "0123")).num_shared == 4


def test_a_table_has_the_nodes_that_changed_most():
    rng = np.random.default_rng(0)
    graphs = [nx.gnp_random_graph(200, 0.03, seed=int(rng.integers(99))) for _ in range(2)]
    found = roles(*graphs)
    assert len(found.rows) == MOST_ROLES and found.num_shared == 200
