"""Motifs: their checks, and how they are made and read."""

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from synthetic import MOTIFS, Motif, motif_from_networkx, read_motif


@pytest.mark.parametrize(
    ("edges", "roles", "message"),
    [
        (((0, 0),), "ab", "no self-loop, got one on node 0"),
        (((1, 0),), "ab", r"0 <= i < j < 2, the number of roles, got \(1, 0\)"),
        (((0, 1), (0, 1)), "ab", "each edge once"),
        (((0, 1), (2, 3)), "abcd", "must be connected, got 2 pieces"),
    ],
)
def test_a_malformed_motif_is_refused(edges, roles, message):
    with pytest.raises(InputError, match=message):
        Motif("bad", edges, tuple(roles), "test")


@pytest.mark.parametrize(
    ("edges", "directed", "relations", "message"),
    [
        (((0, 1), (2, 1), (0, 1)), True, (), "each edge once"),
        (((0, 1), (2, 3)), True, (), r"0 <= i, j < 3, the number of roles, got \(2, 3\)"),
        (((0, 1), (1, 2)), True, ("cites",), "one relation for each of its 2 edges, got 1"),
        (((0, 1), (1, 2)), ("likes",), ("cites", "cites"), "relations of its edges .* 'likes'"),
        (((0, 1), (2, 1)), ("cites",), ("cites", "knows"), r"0 <= i < j < 3, .* got \(2, 1\)"),
    ],
)
def test_a_malformed_motif_with_relations_is_refused(edges, directed, relations, message):
    with pytest.raises(InputError, match=message):
        Motif("bad", edges, ("a", "b", "c"), "test", directed, relations)


def test_a_motif_of_relations_with_and_without_direction():
    motif = Motif(
        "neighbours",
        ((0, 1), (0, 2), (1, 2)),
        ("country", "country", "region"),
        "Two neighbours in one region.",
        ("located in",),
        ("neighbour", "located in", "located in"),
    )
    assert motif.relations.names == ("neighbour", "located in")
    assert motif.relations.directed == (False, True)
    # channels: neighbour, located in (out), located in (in)
    channels = motif.channels()
    assert np.argwhere(channels).tolist() == [
        *([0, 1, 0], [0, 2, 1], [1, 0, 0], [1, 2, 1]),
        *([2, 0, 2], [2, 1, 2]),
    ]
    graph = motif.to_networkx()
    assert isinstance(graph, nx.MultiDiGraph)
    assert sorted(graph.edges(data="relation")) == [
        (0, 1, "neighbour"),
        (0, 2, "located in"),
        (1, 0, "neighbour"),
        (1, 2, "located in"),
    ]
    assert motif.adjacency().tolist() == (1 - np.eye(3)).tolist()


@pytest.mark.parametrize("name", MOTIFS)
def test_networkx_and_back_is_the_same_motif(name):
    motif = MOTIFS[name]
    # a graph with one relation has no names of relations
    again = motif_from_networkx(motif.to_networkx(), name)
    assert again.edges == motif.edges
    assert again.relations.directed == motif.relations.directed
    assert again.channels().tolist() == motif.channels().tolist()


def test_read_motif_with_directions_and_relations(tmp_path):
    file = tmp_path / "signed.txt"
    file.write_text("tf -> gene activates\ntf -> other represses  # a comment\ngene -- other binds")
    motif = read_motif(file)
    assert motif.roles == ("tf", "gene", "other")
    assert motif.edges == ((0, 1), (0, 2), (1, 2))
    assert motif.edge_relations == ("activates", "represses", "binds")
    assert motif.directed == ("activates", "represses")
    file.write_text("3 -> 1\n1 -> 2\n2 -> 1\n")
    motif = read_motif(file)
    assert (motif.edges, motif.directed) == (((0, 1), (1, 0), (2, 0)), True)
    assert motif.relations.names == ("edge",)


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (nx.Graph(), "at least one edge, got none"),
        (nx.MultiGraph([(0, 1), (0, 1)]), "each edge once"),
        (nx.DiGraph([(0, 1), (1, 1)]), "no self-loop, got one on node 1"),
    ],
)
def test_motif_from_networkx_refuses_other_graphs(graph, message):
    with pytest.raises(InputError, match=message):
        motif_from_networkx(graph, "bad")


def test_read_motif_sorts_integers_by_value(tmp_path):
    file = tmp_path / "kite.txt"
    file.write_text("# a kite\n10 2\n\n2 1  # tail\n1 10\n10 30\n")
    motif = read_motif(file)
    assert (motif.name, motif.roles) == ("kite", ("1", "2", "10", "30"))
    assert motif.edges == ((0, 1), (0, 2), (1, 2), (2, 3))
    assert "kite.txt" in motif.reason


def test_read_motif_keeps_words_in_order_of_appearance(tmp_path):
    file = tmp_path / "words.txt"
    file.write_text("tail head\nhead body\n")
    motif = read_motif(str(file), name="animal")
    assert (motif.name, motif.roles) == ("animal", ("tail", "head", "body"))
    assert motif.edges == ((0, 1), (1, 2))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at least one edge, got none"),
        ("0 1\n1\n", "line 2: .*two different node names .*got '1'"),
        ("0 1\n1 2\n1 0\n", "line 3: .*no earlier line joins, got '1 0'"),
        ("0 -> 1\n1 2\n", "line 2: edges of one relation must all have a direction, or none"),
        ("0 -> 1 a\n0 -> 1 a\n", "line 2: .*no earlier line joins, got '0 -> 1 a'"),
    ],
)
def test_read_motif_names_the_line_at_fault(tmp_path, text, message):
    file = tmp_path / "bad.txt"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        read_motif(file)
