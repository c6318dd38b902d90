"""Found patterns against planted truth."""

import itertools
import json

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.subgraphs import extract_subgraphs
from mining.assessment.evaluation import (
    MotifRecovery,
    OccurrenceAgreement,
    compare_occurrences,
    compare_with_truth,
    covered_occurrences,
    induced_occurrences,
    read_truth,
)
from mining.records.frequency import Frequency
from mining.records.occurrence import Medoid, Occurrence
from mining.records.pattern import Pattern
from synthetic import plant_motifs

TRIANGLE = {
    "name": "triangle",
    "num_nodes": 3,
    "edges": [[0, 1], [0, 2], [1, 2]],
    "copies": 2,
    "instances": [[4, 5, 6], [7, 8, 9]],
}
SQUARE = {
    "name": "square",
    "num_nodes": 4,
    "edges": [[0, 1], [1, 2], [2, 3], [0, 3]],
    "copies": 1,
    "instances": [[10, 11, 12, 13]],
}


def pattern(number, graph, node_sets):
    """A pattern with these occurrences, in any order of their nodes."""
    return Pattern(
        id=number,
        edges=tuple(graph.edges),
        edge_weights=(1.0,) * graph.number_of_edges(),
        features=np.ones((len(graph), 1)),
        feature_names=("constant",),
        medoid=Medoid(tuple(range(len(graph))), 1.0, root=0),
        frequency=Frequency(0, len(node_sets), len(node_sets)),
        min_similarity=0.8,
        occurrences=tuple(Occurrence(tuple(nodes), 1.0) for nodes in node_sets),
    )


def test_what_became_of_each_motif():
    found = [
        pattern(0, nx.path_graph(3), [(4, 5, 6)]),
        pattern(1, nx.complete_graph(3), [(6, 4, 5), (1, 2, 3)]),
    ]
    triangle, square = compare_with_truth(found, {"motifs": [TRIANGLE, SQUARE]})
    assert triangle == MotifRecovery("triangle", 3, 3, 2, (1,), distinct=2, planted_found=1)
    assert triangle.recovered
    assert square == MotifRecovery("square", 4, 4, 1, (), distinct=0, planted_found=0)
    assert not square.recovered


def test_patterns_of_one_structure_count_together():
    found = [
        pattern(0, nx.complete_graph(3), [(4, 5, 6)]),
        pattern(1, nx.complete_graph(3), [(9, 8, 7), (1, 2, 3)]),
    ]
    (triangle,) = compare_with_truth(found, {"motifs": [TRIANGLE]})
    assert (triangle.pattern_ids, triangle.distinct, triangle.planted_found) == ((0, 1), 3, 2)


def test_a_motif_is_recovered_whatever_its_node_order():
    relabelled = nx.relabel_nodes(nx.cycle_graph(4), {0: 0, 1: 2, 2: 1, 3: 3})
    (square,) = compare_with_truth([pattern(5, relabelled, [])], {"motifs": [SQUARE]})
    assert square.pattern_ids == (5,)


def test_a_part_of_a_motif_is_no_recovery():
    parts = [pattern(0, nx.path_graph(4), []), pattern(1, nx.complete_graph(4), [])]
    assert not compare_with_truth(parts, {"motifs": [SQUARE]})[0].recovered


def test_the_truth_of_a_planted_graph_is_read_back(tmp_path):
    planted = plant_motifs([[0, 1], [1, 2]], 3, {"square": 2, "bowtie": 0}, seed=0)
    file = tmp_path / "graph.truth.json"
    file.write_text(json.dumps(planted.truth()))
    truth = read_truth(file)
    assert truth == planted.truth()
    square, bowtie = compare_with_truth([], truth)
    assert (square.name, square.copies, bowtie.name, bowtie.copies) == ("square", 2, "bowtie", 0)


MALFORMED = {
    "not a mapping": [],
    "no motifs": {},
    "motifs are a mapping": {"motifs": TRIANGLE},
    "a motif is a list": {"motifs": [[]]},
    "a part is missing": {"motifs": [{k: v for k, v in TRIANGLE.items() if k != "edges"}]},
    "size in words": {"motifs": [{**TRIANGLE, "num_nodes": "three"}]},
    "copies in words": {"motifs": [{**TRIANGLE, "copies": "two"}]},
    "an edge to nowhere": {"motifs": [{**TRIANGLE, "edges": [[0, 3]]}]},
    "a negative node": {"motifs": [{**TRIANGLE, "edges": [[0, -1]]}]},
    "an edge of three": {"motifs": [{**TRIANGLE, "edges": [[0, 1, 2]]}]},
    "edges are a number": {"motifs": [{**TRIANGLE, "edges": 3}]},
    "an instance is a number": {"motifs": [{**TRIANGLE, "instances": [4]}]},
    "an instance of lists": {"motifs": [{**TRIANGLE, "instances": [[[4]]]}]},
}


@pytest.mark.parametrize("truth", MALFORMED.values(), ids=MALFORMED)
def test_malformed_truth_is_one_sentence(truth, tmp_path):
    file = tmp_path / "bad.truth.json"
    file.write_text(json.dumps(truth))
    for ask in (lambda: compare_with_truth([], truth), lambda: read_truth(file)):
        with pytest.raises(InputError, match=r"^truth must be .* as gomkcn generate writes it\.$"):
            ask()


@pytest.mark.parametrize("content", [None, b"{", b"\xff\xfe"], ids=["missing", "cut", "binary"])
def test_a_truth_file_that_cannot_be_read(content, tmp_path):
    file = tmp_path / "bad.truth.json"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InputError, match=r"^truth file '.*bad\.truth\.json' cannot be read"):
        read_truth(file)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "shape",
    [g for g in nx.graph_atlas_g() if len(g) == 4 and nx.is_connected(g)],
    ids=lambda g: f"{g.number_of_edges()} edges {sorted(d for _, d in g.degree)}",
)
def test_covered_occurrences_are_a_brute_force_count(shape, seed):
    graph = nx.gnp_random_graph(14, 0.35, seed=seed)
    # subgraphs that cover a part of the occurrences alone
    batch = extract_subgraphs(as_csr(graph), 1, 4, policy="random", seed=seed)
    covered = {frozenset(row) - {-1} for row in batch.nodes.tolist()}
    expected = [
        nodes
        for nodes in map(frozenset, itertools.combinations(graph, 4))
        if nodes in covered and nx.is_isomorphic(graph.subgraph(nodes), shape)
    ]
    assert covered_occurrences(as_csr(graph), batch, nx.to_numpy_array(shape)) == len(expected)


def test_occurrences_that_no_subgraph_covers_do_not_count():
    graph = as_csr(nx.complete_graph(5))
    triangle = nx.to_numpy_array(nx.complete_graph(3))
    batch = extract_subgraphs(graph, 1, 3, roots=np.array([0]))
    assert covered_occurrences(graph, batch, triangle) == 1
    everything = extract_subgraphs(graph, 1, 3, policy="random", num_views=200)
    assert covered_occurrences(graph, everything, triangle) == 10


# ---------------------------------------------------------------- occurrence by occurrence


def test_precision_recall_and_f1_by_hand():
    found = compare_occurrences(
        [(1, 2, 3), (3, 2, 1), (4, 5, 6), (7, 8, 9)], [(3, 1, 2), (6, 5, 4), (0, 1, 2), (9, 10, 11)]
    )
    # the first two are one node set
    assert found == OccurrenceAgreement(reported=3, true=4, matched=2)
    assert (found.precision, found.recall, found.f1) == (2 / 3, 1 / 2, 4 / 7)


@pytest.mark.parametrize(
    ("reported", "true", "scores"),
    [
        ([], [], (1.0, 1.0, 1.0)),
        ([], [(1, 2)], (1.0, 0.0, 0.0)),
        ([(1, 2)], [], (0.0, 1.0, 0.0)),
        ([(1, 2)], [(1, 3)], (0.0, 0.0, 0.0)),
    ],
)
def test_scores_where_something_is_missing(reported, true, scores):
    found = compare_occurrences(reported, true)
    assert (found.precision, found.recall, found.f1) == scores


def test_a_pattern_node_that_no_node_plays_is_left_out():
    assert compare_occurrences([(1, None, 2)], [(2, 1)]).matched == 1


@pytest.mark.parametrize(("share", "matched"), [(1.0, 0), (0.75, 1), (0.76, 0)])
def test_near_occurrences_share_a_part_of_the_larger_one(share, matched):
    assert compare_occurrences([(1, 2, 3)], [(1, 2, 3, 4)], share).matched == matched


def test_occurrences_are_matched_one_to_one_and_as_many_as_possible():
    # 12 fits both true ones, 23 only the first: taken greedily one would be left over
    pairs = compare_occurrences([(1, 2), (2, 3)], [(2, 5), (1, 6)], least_shared=0.5)
    assert pairs == OccurrenceAgreement(2, 2, 2)
    # two reported ones cannot both be the same true one
    assert compare_occurrences([(1, 2), (2, 3)], [(2, 4)], least_shared=0.5).matched == 1


def test_a_share_out_of_range_is_refused():
    with pytest.raises(InputError, match="least_shared must be greater than 0, got 0"):
        compare_occurrences([], [], 0)


def test_induced_occurrences_are_those_of_brute_force():
    graph = nx.gnp_random_graph(12, 0.35, seed=5)
    square = nx.cycle_graph(4)
    listed = induced_occurrences(as_csr(graph), nx.to_numpy_array(square))
    assert listed == {
        frozenset(nodes)
        for nodes in itertools.combinations(graph, 4)
        if nx.is_isomorphic(graph.subgraph(nodes), square)
    }
    assert listed
