"""The table of motifs, and motifs of the user's own."""

from itertools import combinations

import networkx as nx
import pytest

from gomkcn_dgl.errors import InputError, InputTypeError
from synthetic import MOTIFS, Motif, get_motif, motif_from_networkx, read_motif

SIZES = sorted({motif.num_nodes for motif in MOTIFS.values()})


def of_size(size):
    return [motif for motif in MOTIFS.values() if motif.num_nodes == size]


def test_the_table_holds_the_eight_motifs_of_the_paper_and_four_other_sizes():
    paper = {"house", "cup", "wheel", "crown", "book", "diamond", "circle", "email"}
    assert {motif.name for motif in of_size(6)} == paper
    assert {motif.name for motif in of_size(4)} == {"square", "diamond4", "clique4"}


@pytest.mark.parametrize("name", MOTIFS)
def test_every_row_is_well_formed(name):
    motif = MOTIFS[name]
    graph = motif.to_networkx()
    assert motif.name == name == name.lower()
    assert len(motif.roles) == motif.num_nodes == graph.number_of_nodes()
    assert motif.reason.endswith(".")
    assert graph.number_of_edges() == len(motif.edges)
    assert nx.get_node_attributes(graph, "role") == dict(enumerate(motif.roles))
    # What makes a chance copy impossible in a tree with motifs hung on it.
    assert min(degree for _, degree in graph.degree) >= 2
    assert not nx.has_bridges(graph)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("cup", nx.ladder_graph(3)),
        (
            "crown",
            nx.Graph([(0, 1), (1, 2), (0, 2), (3, 0), (3, 1), (4, 1), (4, 2), (5, 2), (5, 0)]),
        ),
        ("diamond", nx.octahedral_graph()),
        ("email", nx.Graph([(0, 1), (1, 2), (2, 3), (3, 0), (4, 0), (4, 1), (5, 2), (5, 3)])),
        ("house", nx.compose(nx.house_graph(), nx.Graph([(5, 4), (5, 2)]))),
        ("bowtie", nx.windmill_graph(2, 3)),
        ("basket", nx.complete_bipartite_graph(2, 3)),
        ("cube", nx.cubical_graph()),
        ("antiprism8", nx.circulant_graph(8, [1, 2])),
    ],
)
def test_shapes_agree_with_networkx(name, known):
    assert nx.is_isomorphic(MOTIFS[name].to_networkx(), known)


@pytest.mark.parametrize("size", SIZES)
def test_only_cup_and_book_are_the_same_graph(size):
    same = {
        frozenset((a.name, b.name))
        for a, b in combinations(of_size(size), 2)
        if nx.is_isomorphic(a.to_networkx(), b.to_networkx())
    }
    assert same == ({frozenset(("cup", "book"))} if size == 6 else set())


def test_get_motif_lists_the_names_when_it_does_not_know_one():
    with pytest.raises(
        InputError, match=r"motif must be one of antiprism8, .*windmill7, got 'hose'\."
    ):
        get_motif("hose")
    with pytest.raises(InputTypeError, match=r"motif must be a name or a Motif, got 3\."):
        get_motif(3)


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
    ("graph", "message"),
    [
        (nx.Graph(), "at least one edge, got none"),
        (nx.MultiGraph([(0, 1), (0, 1)]), "undirected simple graph, got a MultiGraph"),
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
    ],
)
def test_read_motif_names_the_line_at_fault(tmp_path, text, message):
    file = tmp_path / "bad.txt"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        read_motif(file)
