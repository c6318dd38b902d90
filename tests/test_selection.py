"""What the miner chooses by itself: the size of patterns and their number."""

import json

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.errors import InputTypeError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.subgraphs import extract_subgraphs
from mining import Choice, PatternMiner, compare_with_truth, draw_choice
from mining.model_selection.over_represented import Recurring, find_recurring
from mining.model_selection.selection import SIZES, choose_number, choose_size
from synthetic import barabasi_albert, plant_motifs

# ---------------------------------------------------------------- what comes back


def batch_of(graph, size):
    return extract_subgraphs(as_csr(graph), 3, size, policy="dense")


def union(*parts):
    return nx.disjoint_union_all([graph for graph, copies in parts for _ in range(copies)])


def test_each_structure_is_counted_apart_and_trees_are_not():
    graph = union((nx.cycle_graph(4), 6), (nx.complete_graph(4), 7), (nx.path_graph(4), 9))
    chance = batch_of(nx.path_graph(len(graph)), 4)
    found = find_recurring(batch_of(graph, 4), [chance], len(graph), min_support=5)
    assert [(one.num_cycles, one.num_apart, one.by_chance) for one in found] == [
        (3, 7, 0.0), (1, 6, 0.0)
    ]  # fmt: skip
    assert [one.excess for one in found] == [21.0, 6.0]


def test_what_chance_has_as_well_is_taken_off():
    graph = union((nx.cycle_graph(4), 8))
    chance = [batch_of(union((nx.cycle_graph(4), n), (nx.path_graph(4), 8 - n)), 4) for n in (1, 4)]
    (found,) = find_recurring(batch_of(graph, 4), chance, 32, min_support=5)
    assert (found.by_chance, found.excess) == (2.5, 5.5)
    assert found.error == pytest.approx(np.sqrt(10.5))
    assert found.stands_out
    assert find_recurring(batch_of(graph, 4), [batch_of(graph, 4)], 32, min_support=5) == []


def test_no_node_is_used_twice():
    # every clique of five holds five of four, all overlapping
    graph = union((nx.complete_graph(5), 6))
    (found,) = find_recurring(batch_of(graph, 4), [batch_of(nx.path_graph(30), 4)], 30, 5)
    assert found.num_apart == 6
    # a ring with a tail at each of two nodes: both subgraphs of five hold the ring
    tadpole = nx.Graph([(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 5), (5, 6)])
    graph = union((tadpole, 6))
    found = find_recurring(batch_of(graph, 5), [batch_of(nx.path_graph(42), 5)], 42, 5)
    assert [(one.num_cycles, one.num_apart) for one in found] == [(1, 6)]


def test_what_is_rare_is_left_out():
    graph = union((nx.cycle_graph(4), 4), (nx.path_graph(4), 4))
    chance = [batch_of(nx.path_graph(32), 4)]
    assert find_recurring(batch_of(graph, 4), chance, 32, min_support=5) == []
    assert len(find_recurring(batch_of(graph, 4), chance, 32, min_support=4)) == 1
    assert len(find_recurring(batch_of(graph, 4), chance, 32, min_support=0)) == 1


# ---------------------------------------------------------------- the rules by hand


def found(name, cycles, apart, chance=0.0):
    return Recurring(name.encode(), cycles, apart, chance)


def test_the_smallest_size_within_one_standard_error_is_chosen():
    choice = choose_size(
        {
            3: [found("a", 1, 25)],
            # 90, and the error of the best is √(4 · 25 + 25) = 11.2
            4: [found("b", 2, 45)],
            5: [found("c", 2, 25), found("d", 2, 25)],
            6: [],
        }
    )
    assert choice.candidates == (3, 4, 5, 6)
    assert choice.criterion == (25.0, 90.0, 100.0, 0.0)
    assert choice.error == pytest.approx((5.0, np.sqrt(180), np.sqrt(200), 0.0))
    assert (choice.chosen, choice.decided, choice.parameter) == (4, True, "pattern_size")


@pytest.mark.parametrize("recurring", [{3: [], 4: []}, {3: [], 4: [found("a", 1, 8, 4.0)]}])
def test_where_nothing_stands_out_the_default_is_taken(recurring, caplog):
    with caplog.at_level("INFO", "gomkcn_dgl"):
        choice = choose_size(recurring)
    assert (choice.chosen, choice.decided) == (6, False)
    assert caplog.messages == ["no size stands out from chance: 6 is taken"]


def test_as_many_patterns_as_hold_all_that_comes_back(caplog):
    with caplog.at_level("INFO", "gomkcn_dgl"):
        choice = choose_number(
            [found("a", 2, 9), found("b", 1, 16), found("c", 1, 5)], [4, 2, None]
        )
    assert (choice.chosen, choice.decided, choice.parameter) == (4, True, "num_patterns")
    assert choice.candidates == tuple(range(1, 41))
    assert choice.criterion[:5] == (0.0, 16.0, 16.0, 34.0, 34.0)
    assert choice.error[:4] == pytest.approx((0.0, 4.0, 4.0, np.sqrt(52)))
    assert caplog.messages == [
        "4 patterns: they hold all 2 structures that stand out",
        "1 more would need over 40 patterns",
    ]
    assert choose_number([], []).chosen == 12
    assert not choose_number([], []).decided


def test_a_record_comes_back_from_json():
    choice = choose_size({3: [found("a", 1, 25)], 4: []})
    assert Choice.from_dict(json.loads(json.dumps(choice.to_dict()))) == choice


# ---------------------------------------------------------------- in the miner


def planted(motifs, seed=0, features="constant"):
    base = barabasi_albert(200, 1, seed)
    graph = plant_motifs(base, 200, motifs, features=features, seed=seed)
    return as_csr(graph.to_dgl()), graph.truth()


@pytest.mark.parametrize(
    ("size", "motifs"),
    [
        (4, {"square": 12, "clique4": 12}),
        (5, {"wheel5": 10, "bowtie": 10}),
        (7, {"wheel7": 10, "theta7": 10}),
    ],
)
def test_the_planted_size_and_all_planted_motifs_are_found(size, motifs):
    graph, truth = planted(motifs, features="per_type")
    miner = PatternMiner("auto", "auto", num_epochs=5).fit(graph)
    assert [choice.parameter for choice in miner.choices_] == ["pattern_size", "num_patterns"]
    assert miner.choices_[0].candidates == SIZES
    assert miner.pattern_size_ == miner.choices_[0].chosen == size
    assert miner.num_patterns_ == miner.choices_[1].chosen < 12
    assert all(motif.recovered for motif in compare_with_truth(miner.patterns_, truth))
    # what the user gave stays as it was
    assert (miner.num_patterns, miner.pattern_size) == ("auto", "auto")


def test_a_tree_gives_no_reason_to_leave_the_defaults():
    graph, _ = planted({"square": 0})
    miner = PatternMiner("auto", "auto", num_epochs=0).fit(graph)
    assert (miner.num_patterns_, miner.pattern_size_) == (12, 6)
    assert [choice.decided for choice in miner.choices_] == [False, False]


def test_the_default_number_is_bounded_by_the_subgraphs():
    miner = PatternMiner("auto", 3, min_support=1).fit(nx.path_graph(4))
    assert miner.num_patterns_ == 4


def test_what_is_chosen_gives_what_the_same_numbers_give():
    graph, _ = planted({"wheel5": 10})
    chosen = PatternMiner("auto", "auto", num_epochs=3).fit(graph)
    given = PatternMiner(chosen.num_patterns_, chosen.pattern_size_, num_epochs=3).fit(graph)
    assert given.choices_ == []
    assert [p.to_dict() for p in chosen.patterns_] == [p.to_dict() for p in given.patterns_]


@pytest.mark.parametrize("name", ["num_patterns", "pattern_size"])
def test_other_words_are_refused(name):
    with pytest.raises(InputTypeError) as error:
        PatternMiner(**{name: "many"}).fit(nx.cycle_graph(5))
    assert str(error.value) == f"{name} must be an integer or 'auto', got 'many'."


# ---------------------------------------------------------------- the figure


def test_the_figure_shows_the_curve_and_the_choice():
    choice = Choice("num_patterns", (1, 2, 3), (0.0, 4.0, 9.0), (0.0, 2.0, 3.0), 3, True)
    ax = draw_choice(choice)
    line = ax.lines[0]
    assert line.get_xdata().tolist() == [1, 2, 3]
    assert line.get_ydata().tolist() == [0.0, 4.0, 9.0]
    assert [text.get_text() for text in ax.texts] == ["3 chosen"]
    assert ax.lines[1].get_xdata() == [3, 3]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Patterns", "Cycles closed beyond chance")
    default = Choice("pattern_size", (3, 4), (0.0, 0.0), (0.0, 0.0), 6, False)
    assert draw_choice(default).texts[0].get_text() == "none stands out:\n6 taken"
