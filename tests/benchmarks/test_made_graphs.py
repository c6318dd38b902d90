"""Graphs of the benchmarks: those of NetworkX, and large ones that are written piece by piece."""

import json
from itertools import combinations

import made_graphs
import networkx as nx
import numpy as np
import pytest
from large_planting import attachment_edges, write_planted_edges

from gomkcn.synthetic import MOTIFS
from gomkcn_dgl import read_graph
from gomkcn_dgl.kernels.search_numba import mix64


def grown(num_nodes, per_node, seed):
    """The same edges, with all ends in a list."""
    key = mix64(np.array([seed + 1], np.uint64))
    ends = [end for leaf in range(1, per_node + 1) for end in (0, leaf)]
    for node in range(per_node + 1, num_nodes):
        num_before = len(ends)
        for _ in range(per_node):
            number = np.array([len(ends) // 2], np.uint64)
            entry = int(mix64(key ^ number)[0] % np.uint64(num_before))
            ends += [ends[entry], node]
    return np.array(ends).reshape(-1, 2)


@pytest.mark.parametrize(("num_nodes", "per_node"), [(2, 1), (60, 1), (60, 3), (9, 8)])
def test_edges_are_those_of_a_list_that_grows(num_nodes, per_node):
    expected = grown(num_nodes, per_node, seed=4)
    number = len(expected)
    np.testing.assert_array_equal(attachment_edges(0, number, per_node, seed=4), expected)
    parts = [attachment_edges(k, min(k + 7, number), per_node, seed=4) for k in range(0, number, 7)]
    np.testing.assert_array_equal(np.concatenate(parts), expected)


def test_copies_are_where_the_truth_says(tmp_path):
    motifs = {"house6": 5, "wheel": 2, "square": 0}
    write_planted_edges(tmp_path / "g.parquet", 300, 2, motifs, seed=1, edges_at_once=11)
    truth = json.loads((tmp_path / "g.truth.json").read_text())
    graph = read_graph(tmp_path / "g.parquet")
    assert graph.num_nodes == 300 + 7 * 6
    edges = {tuple(pair) for pair in graph.adjacent_pairs().tolist()}
    background = {tuple(edge) for edge in attachment_edges(0, 596, 2, seed=1).tolist()}
    assert background == {edge for edge in edges if max(edge) < 300}
    inside, attached = 0, 0
    for entry, (name, copies) in zip(truth["motifs"], motifs.items(), strict=True):
        assert (entry["name"], entry["copies"]) == (name, copies) == (name, len(entry["instances"]))
        for nodes in entry["instances"]:
            own = {(nodes.index(u), nodes.index(v)) for u, v in edges if {u, v} <= {*nodes}}
            assert {tuple(sorted(edge)) for edge in own} == {*MOTIFS[name].edges}
            inside += len(own)
            attached += sum(len({u, v} & {*nodes}) == 1 for u, v in edges)
    assert attached == 7 and len(edges) == len(background) + inside + attached


@pytest.mark.parametrize("name", ["house6", "cup", "wheel", "crown", "cube", "theta7", "ladder8"])
def test_motifs_of_networkx_are_those_of_the_package(name):
    assert nx.is_isomorphic(made_graphs.MOTIFS[name], nx.Graph(MOTIFS[name].edges))


def test_motifs_of_networkx_are_of_their_size_and_no_two_are_the_same():
    for size, motifs in made_graphs.OF_SIZE.items():
        assert {len(motif) for motif in motifs.values()} == {size}
        for one, other in combinations(motifs.values(), 2):
            assert not nx.is_isomorphic(one, other)
    # what igraph looks for in the 2-core alone
    assert min(min(dict(one.degree).values()) for one in made_graphs.MOTIFS.values()) == 2


@pytest.mark.parametrize("base", made_graphs.BASES)
def test_copies_are_induced_and_each_is_joined_by_an_edge(base):
    made = made_graphs.make_graph(base, {"prism": 12, "house": 12}, seed=5, num_nodes=64)
    assert sorted(made.graph) == list(range(64 + 12 * 6 + 12 * 5))
    host = nx.Graph(made_graphs.BASES[base](64, 5))
    nodes = {node for own in made.copies.values() for copy in own for node in copy}
    rest = made.graph.subgraph(set(made.graph) - nodes)
    assert nx.is_isomorphic(rest, host)
    for name, own in made.copies.items():
        for copy in own:
            assert nx.is_isomorphic(made.graph.subgraph(copy), made_graphs.MOTIFS[name])
            (out,) = nx.edge_boundary(made.graph, copy)
            assert out[1] not in nodes


def test_graphs_of_networkx_follow_from_their_seed():
    one, same, other = (
        made_graphs.make_graph("er3", {"wheel": 2}, seed, num_nodes=50) for seed in (1, 1, 2)
    )
    assert (one.graph.edges, one.copies) == (same.graph.edges, same.copies)
    assert one.graph.edges != other.graph.edges


def test_a_share_of_the_edges_of_copies_is_changed():
    rng = np.random.default_rng(0)
    motif = made_graphs.MOTIFS["cube"]
    copies = [made_graphs.changed_copy(motif, 0.2, rng) for _ in range(400)]
    assert all(nx.is_connected(copy) and len(copy) == 8 for copy in copies)
    kept = np.mean([len(copy.edges & motif.edges) for copy in copies]) / 12
    put = np.mean([len(copy.edges - motif.edges) for copy in copies]) / 12
    # copies that fall apart are drawn anew, so that a little more is kept
    assert kept == pytest.approx(0.8, abs=0.03)
    assert put == pytest.approx(0.2, abs=0.03)
    unchanged = made_graphs.changed_copy(nx.complete_graph(4), 0.0, rng)
    assert nx.is_isomorphic(unchanged, nx.complete_graph(4))
