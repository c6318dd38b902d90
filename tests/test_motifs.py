"""The table of motifs, and motifs of the user's own."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.errors import InputError, InputTypeError
from synthetic import MOTIFS, Motif, get_motif, motif_from_networkx, read_motif

SIZES = sorted({motif.num_nodes for motif in MOTIFS.values()})


def of_size(size):
    return [motif for motif in MOTIFS.values() if motif.num_nodes == size]


def walk_counts(motif):
    """Return the multiset of rows (A^i 1 for i = 0..3), one per node."""
    adjacency = motif.adjacency().astype(int)
    levels = [np.ones(motif.num_nodes, dtype=int)]
    for _ in range(3):
        levels.append(adjacency @ levels[-1])
    return sorted(map(tuple, np.array(levels).T.tolist()))


def test_the_table_holds_the_eight_motifs_of_the_paper_and_four_other_sizes():
    paper = {"house", "cup", "wheel", "crown", "book", "diamond", "circle", "email"}
    assert {motif.name for motif in of_size(6)} == paper
    assert {motif.name for motif in of_size(4)} == {"square", "diamond4", "clique4"}
    assert all(len(of_size(size)) >= 4 for size in (5, 7, 8))


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
        ("wheel", nx.wheel_graph(6)),
        (
            "crown",
            nx.Graph([(0, 1), (1, 2), (0, 2), (3, 0), (3, 1), (4, 1), (4, 2), (5, 2), (5, 0)]),
        ),
        ("diamond", nx.octahedral_graph()),
        ("circle", nx.cycle_graph(6)),
        ("email", nx.Graph([(0, 1), (1, 2), (2, 3), (3, 0), (4, 0), (4, 1), (5, 2), (5, 3)])),
        ("house", nx.compose(nx.house_graph(), nx.Graph([(5, 4), (5, 2)]))),
        ("house5", nx.house_graph()),
        ("bowtie", nx.windmill_graph(2, 3)),
        ("basket", nx.complete_bipartite_graph(2, 3)),
        ("windmill7", nx.windmill_graph(3, 3)),
        ("ladder8", nx.ladder_graph(4)),
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


@pytest.mark.parametrize("size", SIZES)
def test_walk_counts_tell_apart_all_but_cup_and_book(size):
    same = {
        frozenset((a.name, b.name))
        for a, b in combinations(of_size(size), 2)
        if walk_counts(a) == walk_counts(b)
    }
    assert same == ({frozenset(("cup", "book"))} if size == 6 else set())


def test_adjacency_is_a_symmetric_uint8_matrix():
    adjacency = MOTIFS["diamond4"].adjacency()
    assert adjacency.dtype == np.uint8
    assert adjacency.tolist() == [[0, 1, 1, 0], [1, 0, 1, 1], [1, 1, 0, 1], [0, 1, 1, 0]]


def test_get_motif_takes_names_and_motifs():
    own = Motif("edge", ((0, 1),), ("a", "b"), "smallest")
    assert get_motif("wheel") is MOTIFS["wheel"]
    assert get_motif(own) is own


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
        ((), "a", "at least one edge"),
        (((0, 0),), "ab", "no self-loop, got one on node 0"),
        (((1, 0),), "ab", r"0 <= i < j < 2, the number of roles, got \(1, 0\)"),
        (((0, 2),), "ab", r"got \(0, 2\)"),
        (((0, 1), (0, 1)), "ab", "each edge once"),
        (((0, 1), (2, 3)), "abcd", "must be connected, got 2 pieces"),
        (((0, 1),), "abc", "must be connected, got 2 pieces"),
    ],
)
def test_a_malformed_motif_is_refused(edges, roles, message):
    with pytest.raises(InputError, match=message):
        Motif("bad", edges, tuple(roles), "test")


def test_motif_from_networkx_keeps_node_order_and_labels():
    motif = motif_from_networkx(nx.Graph([("c", "a"), ("a", "b"), ("b", "c")]), "mine")
    assert motif.name == "mine"
    assert motif.roles == ("c", "a", "b")
    assert motif.edges == ((0, 1), (0, 2), (1, 2))


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (nx.Graph(), "at least one edge, got none"),
        (nx.Graph([(0, 1), (2, 3)]), "must be connected, got 2 pieces"),
        (nx.DiGraph([(0, 1)]), "undirected simple graph, got a DiGraph"),
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
        ("# nothing\n\n", "at least one edge, got none"),
        ("0 1\n1\n", "line 2: .*two different node names .*got '1'"),
        ("0 1\n\n2 2\n", "line 3: .*two different node names .*got '2 2'"),
        ("0 1\n1 2\n1 0\n", "line 3: .*no earlier line joins, got '1 0'"),
        ("0 1\n2 3\n", "must be connected, got 2 pieces"),
    ],
)
def test_read_motif_names_the_line_at_fault(tmp_path, text, message):
    file = tmp_path / "bad.txt"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        read_motif(file)


def test_read_motif_says_when_a_file_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="absent.txt cannot be read"):
        read_motif(tmp_path / "absent.txt")
    binary = tmp_path / "binary.txt"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="binary.txt cannot be read"):
        read_motif(binary)
