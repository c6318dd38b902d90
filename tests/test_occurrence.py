"""Occurrences as arrays, in a graph and in a file."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from mining.records.frequency import Frequency
from mining.records.occurrence import Medoid, Occurrence, Occurrences
from mining.records.pattern import Pattern
from mining.results.occurrence_file import read_occurrences, write_occurrences

ROWS = np.array([[0, 1, 2], [4, 3, -1]])
SIMILAR = np.array([1.0, 0.5])


def graphs():
    """A path, the same with ids of its own, and two graphs of which each has three nodes."""
    plain = nx.path_graph(6)
    return {
        "rows": as_csr(plain),
        "numbers": replace(as_csr(plain), node_ids=np.arange(10, 16)),
        "text": replace(as_csr(plain), node_ids=np.array(list("abcdef"))),
        "collection": as_csr([nx.path_graph(3), nx.path_graph(3)]),
    }


IDS = {
    "rows": [(0, 1, 2), (4, 3, None)],
    "numbers": [(10, 11, 12), (14, 13, None)],
    "text": [("a", "b", "c"), ("e", "d", None)],
    "collection": [(0, 1, 2), (1, 0, None)],
}


@pytest.fixture(params=IDS)
def name(request):
    return request.param


def test_ids_are_those_of_the_input(name):
    graph = graphs()[name]
    found = Occurrences.at(ROWS, SIMILAR, graph)
    assert [place.nodes for place in found] == IDS[name]
    assert [place.similarity for place in found] == [1.0, 0.5]
    assert [place.graph for place in found] == ([0, 1] if name == "collection" else [0, 0])
    assert all(node is None or type(node) in (int, str) for place in found for node in place.nodes)
    np.testing.assert_array_equal(found.rows_in(graph), ROWS)


def test_what_is_listed_one_by_one_is_the_same(name):
    graph = graphs()[name]
    found = Occurrences.at(ROWS, SIMILAR, graph)
    listed = Occurrences.of(tuple(found), 3)
    assert listed == found == tuple(found)
    np.testing.assert_array_equal(listed.rows_in(graph), ROWS)
    assert Occurrences.of(found, 3) is found


def test_a_node_that_a_graph_lacks_is_said(name):
    graph = graphs()[name]
    lacking = "z" if name == "text" else 99
    first = IDS[name][0]
    places = [Occurrence((first[0], lacking, None), 1.0), Occurrence((first[0],) * 3, 1.0, graph=7)]
    assert Occurrences.of(places, 3).rows_in(graph).tolist() == [[0, -2, -1], [-2, -2, -2]]


def test_it_is_a_sequence():
    found = Occurrences.at(ROWS, SIMILAR, graphs()["rows"])
    assert len(found[:1]) == 1
    assert found[:1] == (found[0],)
    assert found[-1] == Occurrence((4, 3, None), 0.5)
    assert found != (found[0],)
    assert found != [found[1], found[0]]
    assert repr(found) == "Occurrences(2)"
    assert list(Occurrences.of((), 3)) == []
    with pytest.raises(IndexError):
        found[2]


def pattern(number, places, num_nodes=3):
    count = len(places)
    return Pattern(
        id=number,
        edges=((0, 1),),
        edge_weights=(1.0,),
        features=np.ones((num_nodes, 1)),
        feature_names=("x",),
        medoid=Medoid((0,) * num_nodes, 1.0),
        frequency=Frequency(count, count, count),
        min_similarity=0.0,
        occurrences=places,
    )


def written(path, patterns):
    with open(path, "wb") as file:
        write_occurrences(file, patterns)
    return read_occurrences(path, [len(one.occurrences) for one in patterns])


def test_a_file_gives_them_back(name, tmp_path, monkeypatch):
    monkeypatch.setattr("mining.results.occurrence_file._BATCH_ROWS", 2)
    graph = graphs()[name]
    found = Occurrences.at(ROWS[[0, 1, 0]], np.array([1.0, 0.5, 0.25]), graph)
    pairs = Occurrences.at(ROWS[:1, :2], SIMILAR[:1], graph)
    patterns = [pattern(0, found), pattern(1, pairs, 2), pattern(2, (), 2)]
    read = written(tmp_path / "occurrences.parquet", patterns)
    assert [len(one) for one in read] == [3, 1, 0]
    assert read == [found, pairs, ()]
    np.testing.assert_array_equal(read[0].rows_in(graph), ROWS[[0, 1, 0]])
    assert list(read[2]) == []


def test_a_file_that_does_not_belong_is_refused(tmp_path):
    path = tmp_path / "occurrences.parquet"
    found = Occurrences.at(ROWS, SIMILAR, graphs()["rows"])
    written(path, [pattern(0, found)])
    with pytest.raises(InputError, match="does not hold the 3 occurrences of patterns.json"):
        read_occurrences(path, [3])
    # as many rows, of another pattern
    (stored, other) = read_occurrences(path, [1, 1])
    assert len(stored) == 1
    with pytest.raises(InputError, match="cannot be read .*; mine again"):
        other[0]
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(InputError, match="cannot be read .*; mine again"):
        read_occurrences(path, [2])
    with pytest.raises(InputError, match="cannot be read .*; mine again"):
        read_occurrences(tmp_path / "none", [2])
