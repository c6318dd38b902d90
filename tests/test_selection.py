"""Model selection: over-represented structures, the two rules by hand, and both in the miner."""

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.errors import InputTypeError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.subgraphs import extract_subgraphs
from mining import PatternMiner, compare_with_truth
from mining.model_selection.over_represented import Structure, find_structures
from mining.model_selection.selection import SIZES, choose_number, choose_size
from synthetic import barabasi_albert, plant_motifs


def union(*parts):
    return nx.disjoint_union_all([graph for graph, copies in parts for _ in range(copies)])


def find(graph, size, *null_graphs, min_support=5):
    """Structures of a graph beside null-model graphs, or beside a path."""
    graphs = [graph, *(null_graphs or [nx.path_graph(len(graph))])]
    batch, *null_batches = (extract_subgraphs(as_csr(one), 3, size) for one in graphs)
    return find_structures(batch, null_batches, len(graph), min_support)


def test_disjoint_occurrences_are_counted_and_trees_are_not():
    graph = union((nx.cycle_graph(4), 6), (nx.complete_graph(4), 7), (nx.path_graph(4), 9))
    structures = find(graph, 4)
    assert [(one.num_cycles, one.num_disjoint, one.expected) for one in structures] == [
        (3, 7, 0.0), (1, 6, 0.0)
    ]  # fmt: skip
    assert [one.excess for one in structures] == [21.0, 6.0]
    assert len(find(graph, 4, min_support=7)) == 1


def test_what_the_null_model_expects_is_subtracted():
    graph = union((nx.cycle_graph(4), 8))
    null_graphs = [union((nx.cycle_graph(4), n), (nx.path_graph(4), 8 - n)) for n in (1, 4)]
    (ring,) = find(graph, 4, *null_graphs)
    assert (ring.expected, ring.excess) == (2.5, 5.5)
    assert ring.standard_error == pytest.approx(np.sqrt(10.5))
    assert ring.is_over_represented
    assert find(graph, 4, graph) == []


def test_no_node_is_used_twice():
    # every clique of five holds five of four, which all overlap
    (clique,) = find(union((nx.complete_graph(5), 6)), 4)
    assert clique.num_disjoint == 6
    # a ring with a tail at each of two nodes: both subgraphs of five hold the ring
    tadpole = nx.Graph([(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 5), (5, 6)])
    structures = find(union((tadpole, 6)), 5)
    assert [(one.num_cycles, one.num_disjoint) for one in structures] == [(1, 6)]


def structure(cycles, disjoint, expected=0.0):
    return Structure(b"", cycles, disjoint, expected)


def test_the_smallest_size_within_one_standard_error_is_chosen():
    # the excess of 4 nodes is 90; the error of the best, 100, is √(4 · 25 + 4 · 25) = 14.1
    sizes = {3: [structure(1, 25)], 4: [structure(2, 45)], 5: [structure(2, 25)] * 2, 6: []}
    choice = choose_size(sizes)
    assert choice.candidates == (3, 4, 5, 6)
    assert choice.criterion == (25.0, 90.0, 100.0, 0.0)
    assert choice.error == pytest.approx((5.0, np.sqrt(180), np.sqrt(200), 0.0))
    assert (choice.chosen, choice.decided, choice.parameter) == (4, True, "pattern_size")


def test_all_over_represented_structures_are_among_the_number(caplog):
    structures = [structure(2, 9), structure(1, 16), structure(1, 5)]
    with caplog.at_level("INFO", "gomkcn_dgl"):
        choice = choose_number(structures, [4, 2, None])
    assert (choice.chosen, choice.decided, choice.parameter) == (4, True, "num_patterns")
    assert choice.candidates == tuple(range(1, 41))
    assert choice.criterion[:5] == (0.0, 16.0, 16.0, 34.0, 34.0)
    assert choice.error[:4] == pytest.approx((0.0, 4.0, 4.0, np.sqrt(52)))
    assert "1 structures are not among the first 40" in caplog.text


def planted(motifs, features="constant"):
    base = barabasi_albert(200, 1, 0)
    graph = plant_motifs(base, 200, motifs, features=features, seed=0)
    return as_csr(graph.to_dgl()), graph.truth()


def test_the_planted_size_and_motifs_are_found():
    size = 4
    graph, truth = planted({"square": 12, "clique4": 12}, features="per_type")
    miner = PatternMiner("auto", "auto", num_epochs=0).fit(graph)
    assert [choice.parameter for choice in miner.choices_] == ["pattern_size", "num_patterns"]
    assert miner.choices_[0].candidates == SIZES
    assert miner.pattern_size_ == miner.choices_[0].chosen == size
    assert miner.num_patterns_ == miner.choices_[1].chosen < 12
    assert all(motif.recovered for motif in compare_with_truth(miner.patterns_, truth))
    # the parameters stay "auto", and the same numbers give the same patterns
    assert (miner.num_patterns, miner.pattern_size) == ("auto", "auto")
    given = PatternMiner(miner.num_patterns_, size, num_epochs=0).fit(graph)
    assert given.choices_ == []
    assert [p.to_dict() for p in miner.patterns_] == [p.to_dict() for p in given.patterns_]


def test_a_tree_gets_the_defaults():
    graph, _ = planted({"square": 0})
    miner = PatternMiner("auto", "auto", num_epochs=0).fit(graph)
    assert (miner.num_patterns_, miner.pattern_size_) == (12, 6)
    assert [choice.decided for choice in miner.choices_] == [False, False]
    assert not choose_size({3: [], 4: [structure(1, 8, 4.0)]}).decided
    # of four subgraphs there are at most four patterns
    assert PatternMiner("auto", 3, min_support=1).fit(nx.path_graph(4)).num_patterns_ == 4
    for name in ("num_patterns", "pattern_size"):
        with pytest.raises(InputTypeError, match=f"{name} must be an integer or 'auto'"):
            PatternMiner(**{name: "many"}).fit(nx.cycle_graph(5))
