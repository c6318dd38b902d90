"""Occurrences as arrays, in a graph and in a file."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from mining.export import occurrence_table, read_places, write_table
from mining.occurrences import NONE, Occurrence, Occurrences, pick_disjoint
from mining.pattern import Pattern

ROWS = np.array([[0, 1, 2], [4, 3, 5]])
SIMILARITY = np.array([1.0, 0.5])
PLAIN = as_csr(nx.path_graph(6))
# by kind of ids, a graph and the ids of the rows above
GRAPHS = {
    "rows": (PLAIN, [(0, 1, 2), (4, 3, 5)]),
    "numbers": (replace(PLAIN, node_ids=np.arange(10, 16)), [(10, 11, 12), (14, 13, 15)]),
    "text": (
        replace(PLAIN, node_ids=np.array(list("abcdef"))), [("a", "b", "c"), ("e", "d", "f")]
    ),
    "collection": (as_csr([nx.path_graph(3)] * 2), [(0, 1, 2), (1, 0, 2)]),
}  # fmt: skip


@pytest.fixture(params=GRAPHS)
def kind(request):
    return request.param


def test_ids_are_those_of_the_input_as_arrays_and_as_records(kind):
    graph, ids = GRAPHS[kind]
    occurrences = Occurrences.at(ROWS, SIMILARITY, graph)
    assert [one.nodes for one in occurrences] == ids
    assert [one.graph for one in occurrences] == ([0, 1] if kind == "collection" else [0, 0])
    assert {type(node) for node in occurrences[0].nodes} == {str if kind == "text" else int}
    np.testing.assert_array_equal(occurrences.rows_in(graph), ROWS)
    listed = Occurrences.of(tuple(occurrences), 3)
    assert listed == occurrences == tuple(occurrences)
    np.testing.assert_array_equal(listed.rows_in(graph), ROWS)


def test_a_node_or_graph_that_is_missing_has_row_minus_one(kind):
    graph, ids = GRAPHS[kind]
    first = ids[0][0]
    records = [
        Occurrence((first, "z" if kind == "text" else 99, first), 1.0),
        Occurrence((first,) * 3, 1.0, graph=7),
    ]
    assert Occurrences.of(records, 3).rows_in(graph).tolist() == [[0, -1, 0], [-1, -1, -1]]


def test_occurrences_are_a_sequence():
    occurrences = Occurrences.at(ROWS, SIMILARITY, PLAIN)
    assert occurrences[:1] == (occurrences[0],)
    assert occurrences[-1] == Occurrence((4, 3, 5), 0.5)
    assert occurrences != (occurrences[0],)
    assert occurrences != [occurrences[1], occurrences[0]]
    assert repr(occurrences) == "Occurrences(2)"
    assert list(Occurrences.of((), 3)) == []
    with pytest.raises(IndexError):
        occurrences[2]


def write_and_read(path, parts):
    """Write the occurrences of patterns with as many nodes as they have, and read them."""
    patterns = [
        Pattern(Structure.of_edges(size, [(0, u) for u in range(1, size)]), part, id=i)
        for i, (part, size) in enumerate(parts)
    ]
    with open(path, "wb") as file:
        write_table(occurrence_table(patterns), file)
    return read_places(path, [(len(part), size) for part, size in parts])


def test_a_file_gives_them_back(kind, tmp_path):
    graph, _ = GRAPHS[kind]
    triples = Occurrences.at(ROWS[[0, 1, 0]], np.array([1.0, 0.5, 0.25]), graph)
    pairs = Occurrences.at(ROWS[:1, :2], SIMILARITY[:1], graph)
    stored = write_and_read(tmp_path / "occurrences", [(triples, 3), (pairs, 2), (NONE, 2)])
    assert stored == [triples, pairs, ()]
    np.testing.assert_array_equal(stored[0].rows_in(graph), ROWS[[0, 1, 0]])


def test_a_file_that_does_not_belong_to_the_patterns_is_refused(tmp_path):
    path = tmp_path / "occurrences.parquet"
    write_and_read(path, [(Occurrences.at(ROWS, SIMILARITY, PLAIN), 3)])
    for sizes in ([(3, 3)], [(1, 3), (1, 3)], [(2, 2)]):
        with pytest.raises(InputError, match=r"cannot be read .*patterns\.json.*; mine again"):
            read_places(path, sizes)
    path.write_bytes(path.read_bytes()[:40])
    for broken in (path, tmp_path / "missing"):
        with pytest.raises(InputError, match=r"cannot be read .*; mine again"):
            read_places(broken, [(2, 3)])


@pytest.mark.parametrize(
    ("rows", "picked"),
    [
        # the middle of three in a chain overlaps both others
        ([[1, 2], [0, 1], [2, 3]], [False, True, True]),
        # all overlap: the first
        ([[0, 1], [0, 2], [0, 3]], [True, False, False]),
    ],
)
def test_disjoint_places_by_hand(rows, picked):
    assert pick_disjoint(np.array(rows)).tolist() == picked


@pytest.mark.parametrize("seed", range(3))
def test_disjoint_places_are_a_maximal_set(seed):
    rows = np.random.default_rng(seed).integers(40, size=(60, 3))
    picked = pick_disjoint(rows)
    conflicts = nx.Graph()
    conflicts.add_nodes_from(range(60))
    conflicts.add_edges_from(
        (i, j) for i in range(60) for j in range(i) if set(rows[i].tolist()) & set(rows[j].tolist())
    )
    chosen = set(np.flatnonzero(picked).tolist())
    assert nx.is_dominating_set(conflicts, chosen)
    assert conflicts.subgraph(chosen).number_of_edges() == 0
