"""The search: planted sets are found exactly, and nothing where nothing is planted."""

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graphs.structure import Structure
from mining.mined_graph import MinedGraph
from mining.motif_sets.code_length import CodedGraph, GraphCode
from mining.motif_sets.coded_set import pack
from mining.motif_sets.search import (
    motif_set_of_graph,
    num_starts,
    search_graph,
)
from mining.pattern import Pattern

SIZES = range(3, 7)
PRISM, OCTAHEDRON = nx.circular_ladder_graph(3), nx.octahedral_graph()
SEEDS = [0, 1]


def plant(motifs, copies, num_nodes=80, seed=0):
    """Copies of motifs, each hung by one edge on a Barabási–Albert tree, nodes in random order."""
    rng = np.random.default_rng(seed)
    whole = nx.barabasi_albert_graph(num_nodes, 1, seed=seed)
    for motif in [one for one in motifs for _ in range(copies)]:
        size = len(whole)
        whole = nx.disjoint_union(whole, motif)
        whole.add_edge(int(rng.integers(num_nodes)), size + int(rng.integers(len(motif))))
    return nx.relabel_nodes(whole, dict(enumerate(rng.permutation(len(whole)).tolist())))


def key_of(motif):
    return Structure.from_networkx(motif).key


def counts_of(found):
    return {one.structure.key: len(one.copies) for one in found.motifs}


@pytest.fixture(scope="module")
def planted():
    """A graph with eight copies of two motifs, and the set that is found in it."""
    mined = MinedGraph.of(plant([PRISM, OCTAHEDRON], 8))
    return mined, search_graph(mined, SIZES, seed=0)


@pytest.mark.parametrize("seed", SEEDS)
def test_planted_motifs_are_found_with_their_copies_and_nothing_else(seed):
    mined = MinedGraph.of(plant([PRISM, OCTAHEDRON], 8, seed=seed))
    found = search_graph(mined, SIZES, seed=seed)
    assert counts_of(found) == {key_of(PRISM): 8, key_of(OCTAHEDRON): 8}
    assert not found.cut
    assert found.cut == ""


def test_lengths_are_those_of_the_code(planted):
    mined, found = planted
    code = GraphCode(CodedGraph.of(mined))
    motifs = [(code.graph.shape_of(one.structure), one.copies) for one in found.motifs]
    total = code.length(motifs).total
    assert abs(found.bits_base - code.length([]).total) < 1e-6
    assert abs(found.bits_total - total) < 1e-6
    for place, one in enumerate(found.motifs):
        without = code.length(motifs[:place] + motifs[place + 1 :])
        assert abs(one.bits - (without.total - total)) < 1e-6
    assert [one.bits for one in found.motifs] == sorted([one.bits for one in found.motifs])[::-1]


def test_the_same_seed_gives_the_same_set_to_the_byte(planted):
    mined, found = planted
    again = search_graph(mined, SIZES, seed=0)
    first, second = pack([found]), pack([again])
    assert {name: one.tobytes() for name, one in first.items()} == {
        name: one.tobytes() for name, one in second.items()
    }


def test_a_graph_numbered_otherwise_has_the_same_motifs(planted):
    _, found = planted
    whole = plant([PRISM, OCTAHEDRON], 8)
    order = dict(zip(whole, np.random.default_rng(5).permutation(len(whole)).tolist(), strict=True))
    other = search_graph(MinedGraph.of(nx.relabel_nodes(whole, order)), SIZES, seed=0)
    assert counts_of(other) == counts_of(found)
    assert abs(other.bits_total - found.bits_total) < 1e-6


@pytest.mark.parametrize(
    "whole",
    [
        nx.gnp_random_graph(80, 0.06, seed=2),
        nx.barabasi_albert_graph(100, 2, seed=3),
        nx.random_regular_graph(3, 60, seed=4),
        nx.karate_club_graph(),
    ],
)
def test_nothing_is_found_where_nothing_is_planted(whole):
    found = search_graph(MinedGraph.of(whole), SIZES, seed=0)
    assert found.motifs == ()
    assert found.bits_total == found.bits_base
    assert found.closest is not None
    assert found.closest.bits < 10


def test_directed_motifs_are_told_from_their_mirror_images():
    rng = np.random.default_rng(7)
    # all arcs of four nodes go up
    arcs = [(i, j) for j in range(4) for i in range(j)]
    edges = [(100 + 4 * k + i, 100 + 4 * k + j) for k in range(14) for i, j in arcs]
    edges += rng.integers(156, size=(230, 2)).tolist()
    source, target = np.array(edges).T
    mined = MinedGraph.of(csr_from_edges(source, target, 156, directed=True))
    found = search_graph(mined, range(3, 6), seed=0)
    tournament = Structure.of_edges(4, arcs, directed=True)
    assert tournament.key in counts_of(found)
    assert counts_of(found)[tournament.key] >= 10


def test_categories_and_relations_are_part_of_a_motif():
    whole, rng = plant([nx.complete_graph(4)], 12, seed=9), np.random.default_rng(9)
    names = ["a", "b"]
    inside = {node for one in nx.find_cliques(whole) if len(one) == 4 for node in one}
    edges = np.array(whole.edges)
    relation = np.array([int(u in inside and v in inside) for u, v in edges.tolist()])
    # half of the other edges are of the same relation, and categories are random outside
    relation |= rng.integers(2, size=len(edges))
    kinds = rng.integers(2, size=len(whole))
    kinds[sorted(inside)] = 1
    mined = MinedGraph.of(
        csr_from_edges(
            edges[:, 0],
            edges[:, 1],
            len(whole),
            relation=relation,
            relation_names=names,
            features=np.eye(2)[kinds],
            feature_names=["kind=x", "kind=y"],
        )
    )
    (motif,) = search_graph(mined, range(3, 5), seed=0).motifs
    assert len(motif.copies) == 12
    assert set(motif.structure.categories) == {("kind=y",)}
    assert {motif.structure.relations.names[k] for k in motif.structure.edge_relations} == {"b"}


def test_given_structures_enter_the_set_or_miss_it():
    whole = plant([PRISM], 8)
    given = [
        Pattern(Structure.from_networkx(one), sources=("given",))
        for one in (PRISM, nx.cycle_graph(4), nx.complete_graph(6))
    ]
    found = search_graph(MinedGraph.of(whole), SIZES, seed=0, proposed=given, grows=False)
    (motif,) = found.motifs
    assert motif.structure.key == key_of(PRISM)
    assert motif.sources == ("given",)
    others = map(key_of, (nx.cycle_graph(4), nx.complete_graph(6)))
    assert found.missing == dict.fromkeys(others, np.inf)
    both = search_graph(MinedGraph.of(whole), SIZES, seed=0, proposed=given[:1])
    assert set(both.motifs[0].sources) == {"given", "grown"}
    path = Pattern(Structure.parse("path-3"), sources=("given",))
    (missing,) = search_graph(
        MinedGraph.of(whole), SIZES, seed=0, proposed=[path], grows=False
    ).missing.values()
    assert 0 < missing < np.inf


def test_blocks_answer_where_no_motif_lies_beyond_them():
    density = np.full((4, 4), 0.01) + 0.39 * np.eye(4)
    whole = nx.stochastic_block_model([30] * 4, density.tolist(), seed=0)
    found, other = motif_set_of_graph(MinedGraph.of(whole), range(3, 6), seed=0)
    assert (found.base, found.motifs) == ("blocks", ())
    assert len(np.unique(found.blocks)) == 4
    assert other is not None
    assert other.base == "degrees"
    assert found.bits_total < other.bits_total


def test_a_search_that_is_cut_says_so(planted, monkeypatch):
    mined, _ = planted
    found = search_graph(mined, SIZES, seed=0, is_over=lambda: True)
    assert found.cut == "Time was up before the search ended."
    monkeypatch.setattr("mining.motif_sets.search._MOST_STEPS", 3)
    found = search_graph(mined, SIZES, seed=0)
    assert found.cut == "The search ended after 3 steps."
    assert found.motifs


def test_a_large_graph_is_searched_once():
    assert num_starts(MinedGraph.of(nx.path_graph(50)), SIZES) == 3
    whole = nx.circulant_graph(60_000, range(1, 4))
    assert num_starts(MinedGraph.of(whole), SIZES) == 1
