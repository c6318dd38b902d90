"""The table of motifs."""

import networkx as nx
import pytest

from gomkcn.synthetic import MOTIFS

SIMPLE = {name: motif for name, motif in MOTIFS.items() if motif.relations.is_simple}


def of_size(size):
    return [motif for motif in SIMPLE.values() if motif.num_nodes == size]


def test_the_table_holds_the_eight_motifs_of_the_paper_and_four_other_sizes():
    paper = {"house6", "cup", "wheel", "crown", "book", "diamond6", "circle", "email"}
    assert {motif.name for motif in of_size(6)} == paper
    assert {motif.name for motif in of_size(4)} == {"square", "diamond", "clique4"}


@pytest.mark.parametrize("name", SIMPLE)
def test_every_row_is_well_formed(name):
    motif = MOTIFS[name]
    graph = motif.to_networkx()
    assert motif.name == name == name.lower()
    assert len(motif.roles) == motif.num_nodes == graph.number_of_nodes()
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
        ("diamond6", nx.octahedral_graph()),
        ("email", nx.Graph([(0, 1), (1, 2), (2, 3), (3, 0), (4, 0), (4, 1), (5, 2), (5, 3)])),
        ("house6", nx.compose(nx.house_graph(), nx.Graph([(5, 4), (5, 2)]))),
        ("bowtie", nx.windmill_graph(2, 3)),
        ("basket", nx.complete_bipartite_graph(2, 3)),
        ("cube", nx.cubical_graph()),
        ("antiprism8", nx.circulant_graph(8, [1, 2])),
    ],
)
def test_shapes_agree_with_networkx(name, known):
    assert nx.is_isomorphic(MOTIFS[name].to_networkx(), known)


def test_only_cup_and_book_are_the_same_graph():
    names = {}
    for motif in MOTIFS.values():
        names.setdefault(motif.key, []).append(motif.name)
        assert len(motif.roles) == motif.num_nodes
    assert [same for same in names.values() if len(same) > 1] == [["cup", "book"]]


@pytest.mark.parametrize(
    ("name", "triad"),
    [
        ("feed-forward-loop", "030T"),
        ("three-cycle", "030C"),
        ("uplinked-mutual-dyad", "120U"),
        ("downlinked-mutual-dyad", "120D"),
        ("feedback-with-mutual-dyad", "120C"),
        ("feedback-with-two-mutual-dyads", "210"),
        ("fully-connected-triad", "300"),
    ],
)
def test_directed_motifs_of_three_nodes_are_the_triads_of_their_names(name, triad):
    assert nx.triadic_census(MOTIFS[name].to_networkx())[triad] == 1


def test_motifs_of_four_nodes_have_the_degrees_of_their_names():
    degrees = {
        "bi-fan": ([2, 2, 0, 0], [0, 0, 2, 2]),
        "bi-parallel": ([2, 1, 1, 0], [0, 1, 1, 2]),
        "single-input-module": ([3, 0, 0, 0], [0, 1, 1, 1]),
        "cascade": ([1, 1, 1, 0], [0, 1, 1, 1]),
        "four-cycle": ([1] * 4, [1] * 4),
    }
    for name, (outgoing, incoming) in degrees.items():
        out = MOTIFS[name].channels[..., 0]
        assert (out.sum(axis=1).tolist(), out.sum(axis=0).tolist()) == (outgoing, incoming)


@pytest.mark.parametrize("kind", ["coherent", "incoherent"])
def test_a_loop_is_coherent_where_both_paths_have_one_sign(kind):
    types = [MOTIFS[f"{kind}-feed-forward-loop-{number}"] for number in range(1, 5)]
    assert len({one.key for one in types}) == 4
    for one in types:
        assert one.roles == ("master", "intermediate", "target")
        names = one.relations.names
        acts = {edge: names[k] for edge, k in zip(one.edges, one.edge_relations, strict=True)}
        signs = {edge: -1 if act == "represses" else 1 for edge, act in acts.items()}
        assert (signs[0, 1] * signs[1, 2] == signs[0, 2]) == (kind == "coherent")
