"""Values of the API that cannot be: one sentence each, and never a raw error."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import gomkcn
from gomkcn_dgl.errors import GomkcnError

CLUB = nx.karate_club_graph()
GRAPHS = [nx.cycle_graph(5), nx.complete_graph(5)] * 4
MACHINE = gomkcn.GOMKClassifier(1, 1.0, C=1.0, num_folds=2)


def frequent(support=2, sizes=(2, 3), **options):
    return lambda: gomkcn.frequent_subgraphs(GRAPHS, support, sizes, **options)


def motifs(**options):
    return lambda: gomkcn.motif_set(CLUB, 3, **options)


def counted(graph=CLUB, pattern="triangle", **options):
    return lambda: gomkcn.count(graph, pattern, **options)


def fitted(y):
    return lambda: MACHINE.fit(GRAPHS, y)


REFUSED = [
    (frequent(np.inf), "support must be a share of the graphs between 0 and 1, or a number of"),
    (frequent(np.nan), "support must be a share of the graphs"),
    (frequent("2"), "support must be a share of the graphs"),
    (frequent(True), "support must be a share of the graphs"),
    (frequent(2.5), "support must be a whole number of graphs from 1 on, got 2.5"),
    (frequent(most_bytes="x"), "most_bytes must be an integer, got 'x'"),
    (frequent(most_bytes=-1), "most_bytes must be at least 0, got -1"),
    (frequent(most_bytes=10**30), "most_bytes must be at most"),
    (frequent(closed="x"), "closed must be True or False, got 'x'"),
    (frequent(time_limit="x"), "time_limit must be a number, got 'x'"),
    (motifs(given=None), "given must be a list of structures: each a gomkcn.Structure, or a text"),
    (motifs(given=3), "given must be a list of structures"),
    (motifs(given=[3]), "given must be a list of structures"),
    (motifs(exact_copies="x"), "exact_copies must be True or False"),
    (lambda: gomkcn.load(None), "folder must be a path, as a text or a pathlib.Path, got NoneType"),
    (lambda: gomkcn.read_graph(3), "path must be a path, as a text or a pathlib.Path, got int"),
    (lambda: gomkcn.read_labelled(None), "path must be a path, as a text or a pathlib.Path"),
    (lambda: gomkcn.FilterMiner.load(None), "path must be a path, as a text or a pathlib.Path"),
    (lambda: gomkcn.write_tables(None, None, "csv"), "folder must be a path"),
    (lambda: gomkcn.write_graph(CLUB, "x.csv"), "path must be a path, .* got Graph"),
    (lambda: gomkcn.write_graph("x.csv", CLUB), "graph must be a CSRGraph, got Graph; gomkcn.as_c"),
    (lambda: gomkcn.compare_with_truth(None, {}), "patterns must be a list of Pattern, such as"),
    (
        lambda: gomkcn.planted_motif_graph(30, 1, 2, ["wheel"], settings=3),
        "settings must be a gomkcn.PlantingSettings, got int",
    ),
    (counted(where="A.x > 3", attributes=3), "attributes must be a mapping from names to lists"),
    (
        counted(where="A.x > 3", attributes={"x": np.zeros((34, 2))}),
        "attributes must have a list for 'x' ",
    ),
    (fitted(None), "y must be names or integers, one of each, got object"),
    (
        fitted([0, 1, None, 1] * 2),
        "y must have a class for each graph, got None for graph 2",
    ),
    (fitted(["a", "b", np.nan, "b"] * 2), r"y must have a class for each graph, got nan for gra"),
    (fitted(pd.Series(["a", "b", None, "b"] * 2)), "y must have a class for each graph, got "),
    (fitted([[0], [1, 2]] * 4), "y must be names or integers, one of each"),
    (fitted([[0, 1], [1, 2]] * 4), "y must have a class for each of the 8 graphs"),
    (fitted([np.inf, 0] * 4), "y must hold classes, text or whole numbers, got inf"),
    (fitted([{}] * 8), "y must be names or integers, one of each, got object"),
    (
        lambda: gomkcn.PatternMiner("3", null=None, filters="none").fit(GRAPHS, [[0], [1, 2]] * 4),
        "classes must be names or integers, one of each",
    ),
    (counted([(0, 1), (1, 2)]), r"graph must be a graph, got a list of edges; networkx.Graph\(edg"),
    (counted([("a", "b"), ("b", "c")]), "got a list of edges; .* networkx.DiGraph"),
    (counted(((0, 1), (1, 2))), "got a tuple of edges"),
    (counted({(0, 1), (1, 2)}), "got a set of edges"),
    (counted([(0, 1, 2.5), (1, 2, 1.0)]), r"got a list of edges; pandas.DataFrame\(edges, column"),
    (counted({0: [1], 1: [2]}), r"got a dict of neighbours; networkx.Graph\(neighbours\) or, wh"),
]


@pytest.mark.parametrize(("call", "sentence"), REFUSED)
def test_it_is_refused_in_a_sentence(call, sentence):
    with pytest.raises(GomkcnError, match=sentence) as caught:
        call()
    assert str(caught.value).count("\n") == 0


def test_what_the_sentences_advise_works():
    edges, weighted = [(0, 1), (1, 2)], [(0, 1, 2.5), (1, 2, 1.0)]
    table = pd.DataFrame(weighted, columns=["source", "target", "weight"])
    for graph in (nx.Graph(edges), nx.Graph({0: [1], 1: [2]}), table):
        assert gomkcn.as_csr(graph).num_edges == 2
    assert gomkcn.as_csr(table).weights.max() == 2.5
    # a pair of an edge index is no list of edges, and a list of graphs neither
    assert gomkcn.as_csr(([[0, 1], [1, 2]], 3)).num_edges == 2
    assert gomkcn.as_csr([(nx.path_graph(2), 0), (nx.path_graph(3), 1)]).num_graphs == 2


def test_numbers_of_numpy_and_a_single_structure_are_taken():
    few, many = frequent(np.int64(2))(), frequent(1e30)()
    assert len(few) == len(frequent(2)()) and len(many) == 0
    assert list(motifs(given="triangle")().given) == ["triangle"]


@pytest.mark.parametrize(
    "y",
    [
        [0, 1] * 4,
        [0, 1.0, 0.0, 1] * 2,
        np.array([0, 1, 0.0, 1.0] * 2, object),
        pd.Series([0, 1, 0.0, 1.0] * 2, dtype=object),
    ],
)
def test_1_and_1_0_are_one_class(y):
    assert MACHINE.fit(GRAPHS, y).classes_.tolist() == [0, 1]
    miner = gomkcn.PatternMiner("3", null=None, filters="none").fit(GRAPHS, y)
    assert miner.graph_classes_.names == ("0", "1")
    assert gomkcn.frequent_subgraphs(GRAPHS, 2, (2, 3), y=y).classes.names == ("0", "1")


def test_classes_in_text_are_the_numbers_that_they_stand_for():
    y = ["0", "1.0", "0.0", "1"] * 2
    found = gomkcn.frequent_subgraphs(GRAPHS, 2, (2, 3), y=y).classes
    assert found.names == ("0", "1") and found.labels.tolist() == [0, 1] * 4
    # a version is no whole number
    found = gomkcn.frequent_subgraphs(GRAPHS, 2, (2, 3), y=["v1.0", "v1", "1.10", "1.1"] * 2)
    assert found.classes.names == ("1.1", "1.10", "v1", "v1.0")


def test_a_graph_without_a_class_is_in_none():
    y = pd.Series(["a", "b", None, "b"] * 2)
    for missing in (y, y.where(y.notna(), np.nan).astype(object), ["a", "b", np.nan, "b"] * 2):
        miner = gomkcn.PatternMiner("3", null=None, filters="none").fit(GRAPHS, missing)
        assert miner.graph_classes_.names == ("a", "b")
        assert miner.graph_classes_.labels.tolist() == [0, 1, -1, 1] * 2
