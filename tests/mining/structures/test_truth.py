"""Evaluation against planted truth."""

import json
from functools import partial

import networkx as nx
import pytest
from tiny_runs import pattern_of, typed_pattern_of

from gomkcn.mining import motif_set
from gomkcn.mining.structures.truth import MotifRecovery, compare_with_truth, read_truth
from gomkcn.synthetic import plant_motifs
from gomkcn_dgl.errors import InputError

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


def test_motifs_are_recovered_by_isomorphic_patterns():
    patterns = [
        pattern_of(nx.path_graph(3), 0, count=1, ids=(4, 5, 6)),
        pattern_of(nx.complete_graph(3), 1, count=1, ids=(6, 4, 5)),
        pattern_of(nx.complete_graph(3), 2, count=2, ids=(1, 2, 3)),
        pattern_of(nx.path_graph(4), 3),
    ]
    triangle, square = compare_with_truth(patterns, {"motifs": [TRIANGLE, SQUARE]})
    assert triangle == MotifRecovery("triangle", 3, 3, 2, (1, 2), occurrences=3, planted_found=1)
    assert triangle.recovered
    assert square == MotifRecovery("square", 4, 4, 1, (), occurrences=0, planted_found=0)
    assert not square.recovered
    relabelled = nx.relabel_nodes(nx.cycle_graph(4), {0: 0, 1: 2, 2: 1, 3: 3})
    assert compare_with_truth([pattern_of(relabelled)], {"motifs": [SQUARE]})[0].recovered


def test_copies_of_a_motif_are_planted_copies_by_their_ids():
    graph = nx.disjoint_union_all([nx.complete_graph(4)] * 6 + [nx.cycle_graph(30)])
    # ids are no positions
    named = nx.relabel_nodes(graph, {node: 1000 - node for node in graph})
    copies = [[1000 - node for node in range(first, first + 4)] for first in range(0, 24, 4)]
    edges = [[u, v] for u, v in nx.complete_graph(4).edges]
    motif = {"name": "clique4", "num_nodes": 4, "edges": edges, "copies": 6, "instances": copies}
    (recovery,) = compare_with_truth(motif_set(named).motifs, {"motifs": [motif]})
    assert recovery.planted_found == 6


def test_motifs_with_directions_and_relations_are_told_apart():
    triangle = pattern_of(nx.complete_graph(3), count=1, ids=(4, 5, 6))
    # in the pattern b goes from 0 to 1 and 2, and 1 and 2 are joined by a
    edges, kinds = [("b", 0, 1), ("b", 0, 2), ("a", 1, 2)], {"b": True, "a": False}
    pattern = typed_pattern_of(3, edges, kinds, count=1, ids=(4, 5, 6))
    own = {"relations": [{"name": "a", "directed": False}, {"name": "b", "directed": True}]}
    fork = TRIANGLE | own | {"edges": [[2, 0], [2, 1], [0, 1]], "edge_relations": [1, 1, 0]}
    join = fork | {"edges": [[0, 2], [2, 1], [0, 1]]}
    rows = compare_with_truth([pattern, triangle], {"motifs": [fork, join, TRIANGLE]})
    assert [row.pattern_ids for row in rows] == [(0,), (), (0,)]
    assert rows[0].planted_found == 1
    for damaged in ({"edge_relations": [0]}, {"edge_relations": [0, 1, 2]}, {"relations": [1]}):
        with pytest.raises(InputError, match="^truth must be"):
            compare_with_truth([], {"motifs": [fork | damaged]})


def test_the_truth_of_a_planted_graph_is_read_back(tmp_path):
    planted = plant_motifs([[0, 1], [1, 2]], 3, {"square": 2, "bowtie": 0}, seed=0)
    file = tmp_path / "graph.truth.json"
    file.write_text(json.dumps(planted.truth()))
    truth = read_truth(file)
    assert truth == planted.truth()
    assert [one.copies for one in compare_with_truth([], truth)] == [2, 0]


def test_malformed_truth_is_refused(tmp_path):
    file, parts = (
        tmp_path / "bad.truth.json",
        [
            {"num_nodes": "three"},
            {"edges": [[0, 3]]},
            {"edges": [[0, -1]]},
            {"edges": [[0, 1, 2]]},
            {"instances": [4]},
            {"instances": [[[4]]]},
        ],
    )
    without = {name: value for name, value in TRIANGLE.items() if name != "edges"}
    motifs = [[], without, *(TRIANGLE | part for part in parts)]
    for truth in ([], {}, *({"motifs": [one]} for one in motifs)):
        file.write_text(json.dumps(truth))
        for read in (partial(compare_with_truth, [], truth), partial(read_truth, file)):
            with pytest.raises(InputError, match=r"^truth must be .* as gomkcn generate writes it"):
                read()
    file.write_bytes(b"{")
    for name in ("missing.json", file.name):
        with pytest.raises(InputError, match=rf"^truth file '.*{name}' cannot be read"):
            read_truth(tmp_path / name)
