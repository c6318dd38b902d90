"""Bipartite graphs: which sides they have, what these are called, and where they are shown."""

import re

import networkx as nx
import numpy as np
import pytest
from self_contained import Page

from gomkcn import FilterMiner, PatternMiner, as_csr
from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.plots.graph_map import GraphMap
from gomkcn.mining.plots.structure_drawing import draw_structure
from gomkcn.mining.plots.styles import relation_lines
from gomkcn.mining.show.report import render_report
from gomkcn.mining.significance.null_draws import find_sides
from gomkcn_dgl.graph_html import describe_graph
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.node_order import NodeOrder
from gomkcn_dgl.sides import components_of

ROWS = [(user, item) for user in range(6) for item in range(4) if (user + item) % 3]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text("user,item\n" + "".join(f"u{u},i{i}\n" for u, i in ROWS))
    return path


def test_columns_that_share_no_node_are_the_sides(table):
    graph = read_graph(table)
    assert describe_graph(graph)["sides"] == "bipartite: 6 nodes of 'user' and 4 of 'item'"
    names = graph.original_ids(np.flatnonzero(graph.two_sides.second))
    assert sorted(names) == ["i0", "i1", "i2", "i3"]


def test_a_node_in_both_columns_leaves_no_names(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("user,friend\n" + "".join(f"n{u},n{6 + i}\n" for u, i in ROWS) + "n6,n1\n")
    graph = read_graph(path)
    assert graph.sides is None
    # the edges have two sides all the same, whose sizes are said
    assert describe_graph(graph)["sides"] == "bipartite: 4 and 6 nodes"


@pytest.mark.parametrize("seed", range(6))
def test_sides_are_those_that_null_models_keep(seed):
    graphs = [
        nx.bipartite.gnmk_random_graph(12, 9, 40, seed=seed),
        nx.disjoint_union(nx.complete_bipartite_graph(3, 4), nx.cycle_graph(8)),
        nx.gnm_random_graph(20, 40, seed=seed),
        nx.path_graph(7),
        nx.random_labeled_tree(30, seed=seed),
    ]
    for graph in graphs:
        csr = as_csr(graph)
        kept = find_sides(csr)
        told = csr.two_sides
        assert (kept is None) == (told is None)
        if told is not None:
            assert kept.tolist() == told.second.astype(int).tolist()


def test_trees_directed_graphs_and_collections_have_none(tmp_path):
    assert as_csr(nx.star_graph(9)).two_sides is None
    assert as_csr(nx.DiGraph([(u, 9 + i) for u, i in ROWS])).two_sides is None
    assert as_csr([nx.complete_bipartite_graph(4, 4)] * 2).two_sides is None
    # one source and its targets, of names that say no kinds; those of two kinds do in a tree, too
    path = tmp_path / "star.csv"
    rows = "".join(f"u,i{i}\n" for i in range(9))
    path.write_text("source,target\n" + rows)
    assert "sides" not in describe_graph(read_graph(path))
    path.write_text("user,item\n" + rows)
    said = describe_graph(read_graph(path))["sides"]
    assert said == "bipartite: 1 node of 'user' and 9 of 'item'"


def test_sides_stay_with_their_nodes(table):
    graph = read_graph(table)
    # in another order as well, and one graph of a collection is not a table
    order = NodeOrder.of(graph)
    sides = graph.two_sides.second
    assert order.graph.two_sides.second.tolist() == sides[order.nodes].tolist()
    assert graph[0].sides is None
    rows = np.array([9, 0, 3])
    part = GraphMap.of_part(graph, rows, np.empty((0, 3), np.int64))
    assert part.sides.tolist() == graph.two_sides.second[rows].astype(int).tolist()


def test_the_page_names_and_draws_the_sides(table, tmp_path):
    graph = read_graph(table)
    miner = PatternMiner(4, null_samples=99, filters=FilterMiner(filter_size=4)).fit(graph)
    run = MiningRun.of(miner, graph)
    assert [(side.name, side.num_nodes) for side in run.graph.sides] == [("user", 6), ("item", 4)]
    page = render_report(run)
    words = Page(page).words
    assert "Patterns of graph: user and item" in words
    assert "10 nodes: 6 in user and 4 in item" in words
    # what is kept stands beside the table
    note = re.search(r"counted in the graph and in .*?\.", re.sub("<[^>]*>", "", page))[0]
    assert "which keep the degree of each node and its two sides" in note
    names = list(run.map.names)
    assert {names[at] for at in np.flatnonzero(run.map.sides)} == {"i0", "i1", "i2", "i3"}
    assert 'class="dot square"' in page


def test_other_pages_have_no_sides():
    graph = nx.karate_club_graph()
    run = MiningRun.of(PatternMiner(3, null=None, filters="none").fit(graph), graph)
    assert run.graph.sides == () and len(run.map.sides) == 0
    assert 'class="dot square"' not in render_report(run)


def test_a_table_without_a_header_has_sizes_alone(tmp_path):
    path = tmp_path / "ratings.txt"
    path.write_text("".join(f"u{u} i{i}\n" for u, i in ROWS))
    graph = read_graph(path)
    assert describe_graph(graph)["sides"] == "bipartite: 6 and 4 nodes"


def test_structures_have_squares_on_the_second_side():
    structure = Structure.parse("a:user--x:item, b:user--x, c:user--x")
    structure = structure.with_categories(
        tuple((f"side={name}",) for (name,) in structure.categories)
    )
    drawn = draw_structure(structure, lines=relation_lines((), [structure], ("user", "item")))
    assert (drawn.count("<circle"), drawn.count("<rect")) == (3, 1)
    turned = draw_structure(structure, lines=relation_lines((), [structure], ("item", "user")))
    assert (turned.count("<circle"), turned.count("<rect")) == (1, 3)
    # the shape says the side, so that letters have room; without sides, names do
    assert ">user<" not in drawn and ">A<" in drawn
    plain = draw_structure(structure, lines=relation_lines((), [structure]))
    assert ">user<" in plain and "<rect" not in plain


def test_structures_of_a_run_stand_by_their_sides_alone(table):
    graph = read_graph(table)
    miner = PatternMiner((3, 5), null_samples=99, filters=FilterMiner(filter_size=4)).fit(graph)
    run = MiningRun.of(miner, graph)
    compared = [pattern for pattern in run.counted if pattern.significance]
    assert {pattern.num_nodes for pattern in compared} == {3, 4, 5}
    assert all(pattern.structure.categories for pattern in compared)
    page = Page(render_report(run)).words
    assert "nodes of any category" not in page and "blocks of nodes" not in page


@pytest.mark.parametrize("num_edges", [0, 20, 60, 150])
def test_components_are_those_of_networkx_in_the_order_of_their_first_nodes(num_edges):
    graphs = [nx.gnm_random_graph(100, num_edges, seed=seed) for seed in range(20)]
    # paths whose numbers go up and down, along which a name goes far
    order = np.random.default_rng(0).permutation(100)
    graphs += [nx.path_graph(100), nx.path_graph(order), nx.path_graph([*range(1, 100), 0])]
    for one in graphs:
        graph = as_csr(one)
        number, component = components_of(graph.indptr, graph.indices)
        position = {node: row for row, node in enumerate(one)}
        parts = sorted(
            sorted(position[node] for node in part) for part in nx.connected_components(one)
        )
        assert number == len(parts)
        assert component.tolist() == [
            next(k for k, part in enumerate(parts) if row in part) for row in range(100)
        ]
