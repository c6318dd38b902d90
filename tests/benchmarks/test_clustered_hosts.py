"""Graphs with two planted motifs, and what is said of the set that a search finds in them."""

import json
from dataclasses import replace

import clustered_hosts
import networkx as nx
import numpy as np
import pytest
from clustered_hosts import Found, draw, draw_motif, made_cases, read, search

from gomkcn.mining.motif_sets.motif_set import MotifSet


def as_graph(drawn):
    graph = nx.empty_graph(drawn.graph.num_nodes)
    graph.add_edges_from(drawn.graph.adjacent_pairs().tolist())
    return graph


def test_motifs_are_connected_and_no_node_hangs_from_them():
    rng = np.random.default_rng(0)
    motifs = [draw_motif(rng) for _ in range(200)]
    assert {len(motif) for motif in motifs} == {5, 6, 7, 8}
    for motif in motifs:
        assert nx.is_connected(motif) and min(dict(motif.degree).values()) >= 2
        assert motif.number_of_edges() > len(motif)


@pytest.mark.parametrize("host", clustered_hosts.HOSTS)
def test_copies_are_induced_and_each_is_joined_to_the_host_by_an_edge(host):
    drawn = draw(host, 4, 7)
    graph, base = as_graph(drawn), clustered_hosts.HOSTS[host](7)
    assert {*map(frozenset, base.edges)} == {
        *map(frozenset, graph.subgraph(range(len(base))).edges)
    }
    assert 690 <= len(base) <= 710
    motifs = [nx.Graph(structure.edges) for structure, _ in drawn.planted]
    assert not nx.is_isomorphic(*motifs)
    for motif, (_, copies) in zip(motifs, drawn.planted, strict=True):
        assert copies.shape == (4, len(motif))
        for nodes in copies.tolist():
            there = nx.Graph([(nodes[u], nodes[v]) for u, v in motif.edges])
            assert {*map(frozenset, there.edges)} == {*map(frozenset, graph.subgraph(nodes).edges)}
            ((_, outside),) = nx.edge_boundary(graph, nodes)
            assert outside < len(base)


def test_graphs_follow_from_their_seeds_and_no_two_have_the_same():
    cases = [*made_cases()]
    assert len(cases) == len({case.draw.args for case in cases}) == 21
    assert len({case.draw.args[2] for case in cases}) == 21
    one, same = (case.draw() for case in cases[:1] * 2)
    assert nx.utils.graphs_equal(as_graph(one), as_graph(same))


def test_the_truth_of_a_file_is_in_terms_of_its_nodes(tmp_path):
    # nodes 0 and 5 are no ends of an edge
    edges = [(1, 2), (2, 3), (1, 3), (3, 4), (4, 6), (6, 7), (4, 7)]
    (tmp_path / "g.txt").write_text("".join(f"{u} {v}\n" for u, v in edges))
    motif = {"nodes": 3, "edges": [[0, 1], [1, 2], [0, 2]], "copies": [[1, 2, 3], [4, 6, 7]]}
    (tmp_path / "g.truth.json").write_text(json.dumps({"motifs": [motif]}))
    drawn = read(tmp_path / "g.txt")
    assert (drawn.graph.num_nodes, drawn.graph.num_edges) == (6, 7)
    ((structure, copies),) = drawn.planted
    assert structure.num_nodes == len(structure.edges) == 3
    assert copies.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_a_set_is_compared_with_the_one_that_a_search_finds_with_the_truth():
    case = next(case for case in made_cases() if case.host == "random tree")
    found = search(case._replace(draw=lambda: planted_in_a_path(6)))
    assert found.copies_found == [6, 6] and found.has_both and found.num_filters >= 1
    assert found.lost == pytest.approx(0, abs=1e-6) and found.bits_planted > 10
    assert found.by_default.bits_saved >= found.bits_planted - 1e-6
    # a motif with a copy too few, and one that is not there
    less = found._replace(planted=[(structure, 7) for structure, _ in found.planted])
    assert not less.has_both
    none = found._replace(by_default=replace(found.by_default, motifs=()))
    assert none.copies_found == [0, 0] and not none.has_both
    assert found._replace(by_default=MotifSet((), 9.0, 9.0)).lost > 10


def test_starts_that_found_the_set_save_as_many_bits():
    empty = MotifSet((), 90.0, 50.0)
    for bits, said in (((40.0, 39.0), "1 of 2"), ((40.0,) * 3, "3 of 3"), ((39.0, 38.0), "0 of 2")):
        found = Found([], 0.0, replace(empty, bits_of_starts=bits), empty, 0.0, 0.0, 0)
        assert found.starts == said


def planted_in_a_path(copies):
    clustered_hosts.HOSTS["path"] = lambda seed: nx.path_graph(60)
    try:
        return draw("path", copies, 11)
    finally:
        del clustered_hosts.HOSTS["path"]
