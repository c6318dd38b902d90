"""Features in words: what makes a pattern is named, what does not is left out."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr, csr_from_edges
from gomkcn_dgl.io.label_names import name_columns
from gomkcn_dgl.io.reading import read_graph
from mining import Occurrence, PatternMiner
from mining.descriptions.feature_background import FeatureBackground
from mining.descriptions.feature_descriptions import describe_features
from mining.descriptions.phrases import describe_nodes
from mining.descriptions.value_names import Noun, name_labels


@pytest.fixture(scope="module")
def any_pattern():
    """A pattern whose parts the tests replace."""
    rings = nx.disjoint_union_all([nx.cycle_graph(3)] * 5)
    return PatternMiner(num_patterns=1, pattern_size=3, num_epochs=0).fit(rings).patterns_[0]


def shaped(pattern, graph, **changes):
    edges = tuple(sorted(tuple(sorted(edge)) for edge in graph.edges))
    features = np.ones((len(graph), 1))
    return replace(pattern, edges=edges, features=features, **changes)


def labelled(labels, edges, names=None, **options):
    """A graph with one-hot labels."""
    kinds = sorted(set(labels)) if names is None else names
    one_hot = np.array([[float(label == kind) for kind in kinds] for label in labels])
    source, target = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    return csr_from_edges(
        source,
        target,
        len(labels),
        features=one_hot,
        feature_names=[f"label={kind}" for kind in kinds],
        **options,
    )


NITRO = nx.Graph([(0, 1), (1, 2), (1, 3)])
TOLUENE = nx.Graph([*nx.cycle_graph(6).edges, (0, 6)])
NITROBENZENE = nx.Graph([*nx.cycle_graph(6).edges, (0, 6), (6, 7), (6, 8)])
TREE = nx.Graph([(0, 1), (1, 2), (1, 3), (3, 4), (3, 5)])
SPIDER = nx.Graph([(0, 1), (0, 2), (0, 3), (1, 4), (2, 5)])
ELEMENTS = {"C": "carbon", "N": "nitrogen", "O": "oxygen"}


class TestPhrases:
    @pytest.mark.parametrize(
        ("graph", "labels", "phrase"),
        [
            (nx.empty_graph(1), "C", "a single carbon"),
            (nx.path_graph(2), "CC", "two carbons joined"),
            (nx.path_graph(2), "CO", "a carbon joined to an oxygen"),
            (nx.cycle_graph(6), "CCCCCC", "a ring of six carbons"),
            (nx.cycle_graph(4), "CNCC", "a ring of three carbons and a nitrogen"),
            (nx.cycle_graph(3), "CNO", "a ring of a carbon, a nitrogen and an oxygen"),
            (nx.path_graph(6), "CCCCCC", "a chain of six carbons"),
            (nx.path_graph(4), "NCCC", "a chain of three carbons and a nitrogen"),
            (
                nx.path_graph(5),
                "CCNCO",
                "a chain of two carbons, a nitrogen, a carbon and an oxygen",
            ),
            (NITRO, "CNOO", "a nitrogen joined to two oxygens and a carbon"),
            (TREE, "CCCNOO", "a nitrogen joined to two oxygens and a carbon (with two carbons)"),
            (
                nx.Graph([(0, 1), (0, 2), (0, 3), (1, 4), (2, 5)]),
                "CCCNCC",
                "a carbon joined to a nitrogen and two carbons (each with a carbon)",
            ),
            (SPIDER, "CCCCCC", "a carbon joined to three carbons (two with a carbon each)"),
            (
                nx.Graph([(0, 1), (0, 2), (1, 3), (2, 4), (2, 5)]),
                "CCCCCC",
                "a carbon joined to two carbons (one with a carbon, one with two carbons)",
            ),
            (
                SPIDER,
                "CCNCCC",
                "a carbon joined to two carbons (one with a carbon) and a nitrogen (with a carbon)",
            ),
            (TOLUENE, "CCCCCCC", "a ring of six carbons, joined to a carbon"),
            (
                NITROBENZENE,
                "CCCCCCNOO",
                "a ring of six carbons, joined to a nitrogen (with two oxygens)",
            ),
            (nx.wheel_graph(6), "NCCCCC", "a nitrogen in the middle of a ring of five carbons"),
            (nx.complete_graph(5), "CCCCO", "four carbons and an oxygen: clique of 5 nodes"),
            (nx.ladder_graph(3), "CCCCCC", "six carbons: 6 nodes, 7 edges"),
            (
                nx.disjoint_union(nx.path_graph(2), nx.path_graph(2)),
                "CCCC",
                "four carbons: 4 nodes, 2 edges",
            ),
        ],
        ids=str,
    )
    def test_shapes(self, any_pattern, graph, labels, phrase):
        nouns = [Noun.of(ELEMENTS[label]) for label in labels]
        assert describe_nodes(shaped(any_pattern, graph), nouns) == phrase

    def test_without_labels_the_shape_is_told(self, any_pattern):
        pattern = shaped(any_pattern, nx.cycle_graph(5))
        assert describe_nodes(pattern, [None] * 5) == "cycle of 5 nodes"

    def test_large_trees_are_counted(self, any_pattern):
        tree = nx.random_labeled_tree(20, seed=1)
        nouns = [Noun.of("carbon")] * 20
        said = describe_nodes(shaped(any_pattern, tree), nouns)
        assert said == "20 carbons: tree with 20 nodes"


class TestLabels:
    def test_label_names(self):
        assert name_labels(["C", "Br"]) == ["carbon", "bromine"]
        # one label is no element, so that none is taken for one
        assert name_labels(["C", "X"]) == ["C", "X"]
        assert name_labels(["0", "sheet"]) == [None, "sheet"]

    @pytest.mark.parametrize(
        ("word", "plural"),
        [("carbon", "carbons"), ("helix", "helices"), ("phosphorus", "phosphorus atoms"),
         ("box", "boxes"), ("day", "days"), ("party", "parties"), ("branch", "branches")],
    )  # fmt: skip
    def test_plurals(self, word, plural):
        assert Noun.of(word).counted(2) == f"two {plural}"


class TestBackground:
    def test_mean_spread_and_labels(self):
        values = np.array([[1, 0, 0, 1, 2.0], [0, 1, 0, 1, 4.0], [0, 0, 1, 0, 6.0]])
        names = ["label=a", "label=b", "label=c", "flag", "size"]
        graph = csr_from_edges(
            np.array([0]), np.array([1]), 3, features=values, feature_names=names
        )
        background = FeatureBackground.fit(graph)
        assert background.label_groups == ((0, 1, 2),)
        assert background.is_binary.tolist() == [True] * 4 + [False]
        assert background.mean == pytest.approx([1 / 3, 1 / 3, 1 / 3, 2 / 3, 4])
        assert background.std[4] == pytest.approx(np.sqrt(8 / 3))

    @pytest.mark.parametrize(
        ("values", "groups"),
        [
            ([[1, 0], [0, 1]], ((0, 1),)),
            ([[1, 1], [0, 1]], ()),
            ([[1, 0], [0, 0]], ()),
            ([[0.5, 0.5], [0, 1]], ()),
            ([[1], [1]], ()),
        ],
    )
    def test_columns_without_names_can_be_labels(self, values, groups):
        graph = as_csr(nx.path_graph(2), features=np.array(values, dtype=float))
        assert FeatureBackground.fit(graph).label_groups == groups

    def test_two_kinds_of_labels(self):
        values = np.array([[1, 0, 0, 1], [0, 1, 0, 1], [0, 1, 1, 0.0]])
        names = ["label0=1", "label0=2", "label1=5", "label1=6"]
        graph = csr_from_edges(
            np.array([0]), np.array([1]), 3, features=values, feature_names=names
        )
        assert FeatureBackground.fit(graph).label_groups == ((0, 1), (2, 3))


class TestWords:
    def rings(self, pattern, labels, copies=10, **options):
        """Copies of a triangle with these labels, their pattern, and 30 other nodes."""
        many = [*labels * copies, *"CNO" * 10]
        edges = [(3 * i + u, 3 * i + v) for i in range(copies) for u, v in ((0, 1), (1, 2), (0, 2))]
        graph = labelled(many, edges, names="CNO", **options)
        places = tuple(Occurrence((3 * i, 3 * i + 1, 3 * i + 2), 1.0) for i in range(copies))
        triangle = shaped(pattern, nx.cycle_graph(3), occurrences=places)
        names = graph.feature_names
        return replace(triangle, features=np.eye(3)[[0, 0, 0]], feature_names=names), graph

    def test_labels_come_from_the_occurrences(self, any_pattern):
        pattern, graph = self.rings(any_pattern, "CCN")
        words = describe_features(pattern, graph)
        assert str(words) == words.sentence == "a ring of two carbons and a nitrogen"
        assert [node.words for node in words.nodes] == ["carbon", "carbon", "nitrogen"]
        assert [node.share for node in words.nodes] == [1.0, 1.0, 1.0]
        assert words.nodes[2].usual_share == pytest.approx(20 / 60)
        # without them, from the pattern's own features
        background = FeatureBackground.fit(graph)
        assert describe_features(pattern, background).sentence == "a ring of three carbons"

    def test_names_of_ones_own(self, any_pattern):
        pattern, graph = self.rings(any_pattern, "CCN")
        graph = name_columns(graph, {"C": "helix", "label=N": "sheet", "O": "turn"})
        said = describe_features(pattern, graph).sentence
        assert said == "a ring of two helices and a sheet"

    def test_labels_without_names(self, any_pattern):
        pattern, graph = self.rings(any_pattern, "CCN")
        numbers = tuple(f"label={code}" for code in range(3))
        graph = replace(graph, feature_names=numbers)
        said = describe_features(replace(pattern, feature_names=numbers), graph).sentence
        assert said == "a ring of two nodes labelled 0 and a node labelled 1"

    @pytest.mark.parametrize(
        ("changed", "noun"),
        [(2, "carbon"), (3, "carbon or nitrogen"), (5, "carbon or nitrogen")],
    )
    def test_eight_of_ten_places_must_agree(self, any_pattern, changed, noun):
        pattern, graph = self.rings(any_pattern, "CCC")
        features = graph.features.copy()
        features[: 3 * changed : 3] = [0, 1, 0]
        words = describe_features(pattern, replace(graph, features=features))
        assert words.nodes[0].noun.one == noun
        assert words.nodes[1].noun.one == "carbon"

    def test_any_label(self, any_pattern):
        pattern, graph = self.rings(any_pattern, "CCC", copies=9)
        features = graph.features.copy()
        features[0:27:3] = np.eye(3)[[0, 1, 2] * 3]
        words = describe_features(pattern, replace(graph, features=features))
        assert words.nodes[0].noun.one == "node of any label"
        assert words.sentence == "a ring of two carbons and a node of any label"

    def test_mostly(self, any_pattern):
        pattern, graph = self.rings(any_pattern, "CCC")
        features = graph.features.copy()
        features[0:18:3] = [1, 0, 0]
        features[18:24:3] = [0, 1, 0]
        features[24:30:3] = [0, 0, 1]
        # 36 of 60 nodes are carbon: here it is no more frequent than there
        words = describe_features(pattern, replace(graph, features=features))
        assert words.nodes[0].noun.one == "node of any label"
        # and now 26
        features[30::3] = [0, 1, 0]
        words = describe_features(pattern, replace(graph, features=features))
        assert (words.nodes[0].share, words.nodes[0].usual_share) == pytest.approx((0.6, 26 / 60))
        assert words.sentence == "a ring of two carbons and a mostly-carbon node"

    def test_a_known_background_is_taken(self, any_pattern):
        pattern, graph = self.rings(any_pattern, "CCN")
        other = replace(FeatureBackground.fit(graph), mean=np.array([0.1, 0.2, 0.7]))
        words = describe_features(pattern, graph, background=other)
        assert words.nodes[2].usual_share == 0.2

    def test_two_labels_that_are_everywhere_say_nothing(self, any_pattern):
        edges = [(3 * i + u, 3 * i + v) for i in range(6) for u, v in ((0, 1), (1, 2), (0, 2))]
        graph = labelled("AB" * 9, edges)
        places = tuple(Occurrence((3 * i, 3 * i + 1, 3 * i + 2), 1.0) for i in range(6))
        pattern = shaped(any_pattern, nx.cycle_graph(3), occurrences=places)
        pattern = replace(pattern, features=np.eye(2)[[0, 0, 0]], feature_names=graph.feature_names)
        assert describe_features(pattern, graph).sentence == "triangle, any labels"

    def test_ids_and_several_graphs(self, any_pattern):
        ids = np.array([f"n{i}" for i in range(9)])
        edges = [(3 * i + u, 3 * i + v) for i in range(3) for u, v in ((0, 1), (1, 2), (0, 2))]
        graph = labelled("CCNCCNOOO", edges, names="CNO", graph_ptr=np.array([0, 3, 9]))
        places = (Occurrence((0, 1, 2), 1.0), Occurrence((0, 1, 2), 1.0, graph=1))
        pattern = replace(
            shaped(any_pattern, nx.cycle_graph(3), occurrences=places),
            features=np.eye(3)[[2, 2, 2]],
            feature_names=graph.feature_names,
        )
        said = "a ring of two carbons and a nitrogen"
        assert describe_features(pattern, graph).sentence == said
        named = replace(graph, node_ids=ids)
        places = (Occurrence(("n0", "n1", "n2"), 1.0), Occurrence(("n3", "n4", None), 1.0, graph=1))
        pattern = replace(pattern, occurrences=places)
        assert describe_features(pattern, named).sentence == said
        for nodes, number in ((("n0", "n1", "n3"), 0), ((0, 1, 2), 0), (("n0", "n1", "n2"), 2)):
            wrong = replace(pattern, occurrences=(Occurrence(nodes, 1.0, graph=number),))
            with pytest.raises(InputError, match="source must be the graph that was mined"):
                describe_features(wrong, named)

    def numbers(self, pattern, at_places, elsewhere, names=("size",)):
        """An edge pattern with given features at its places [P, 2, D] and of the other nodes."""
        at_places, elsewhere = np.array(at_places, float), np.array(elsewhere, float)
        width = len(names)
        values = np.concatenate([at_places.reshape(-1, width), elsewhere.reshape(-1, width)])
        num_places = len(at_places)
        graph = csr_from_edges(
            np.arange(num_places) * 2, np.arange(num_places) * 2 + 1, len(values),
            features=values, feature_names=names,
        )  # fmt: skip
        places = tuple(Occurrence((2 * i, 2 * i + 1), 1.0) for i in range(num_places))
        edge = shaped(pattern, nx.path_graph(2), occurrences=places)
        return replace(edge, features=values[:2], feature_names=names), graph

    def test_a_telling_number(self, any_pattern):
        # all nodes: 4 of about 4 and 16 of about 2
        pattern, graph = self.numbers(any_pattern, [[[4.1], [2]], [[3.9], [2]]], [[2.0]] * 16)
        words = describe_features(pattern, graph)
        (feature,) = words.nodes[0].telling
        assert words.nodes[1].telling == ()
        assert (feature.name, feature.value) == ("size", pytest.approx(4))
        assert feature.usual == pytest.approx(2.2)
        assert feature.distance == pytest.approx(1.8 / graph.features.std())
        assert feature.spread == pytest.approx(0.1 / graph.features.std(), rel=1e-4)
        assert feature.words == "size about 4, usually 2.2"
        assert words.sentence == "edge; size about 4 (usually 2.2) at node 0"

    def test_a_number_that_spreads_tells_nothing(self, any_pattern):
        pattern, graph = self.numbers(any_pattern, [[[2], [2]], [[6], [2]]], [[2.0]] * 16)
        assert describe_features(pattern, graph).sentence == "edge; no feature stands out"
        # nothing is known about the spread of the pattern's own features
        pattern = replace(pattern, features=np.array([[6.0], [2.0]]))
        words = describe_features(pattern, FeatureBackground.fit(graph))
        assert words.nodes[0].telling[0].spread is None
        assert words.sentence == "edge; size about 6 (usually 2.2) at node 0"

    def test_a_yes_or_no(self, any_pattern):
        flags = [[[1], [1]], [[1], [0]]]
        pattern, graph = self.numbers(any_pattern, flags, [[0.0]] * 16, names=("is_hub",))
        words = describe_features(pattern, graph)
        assert words.nodes[0].words == "is_hub in 100%, usually in 15%"
        assert words.nodes[1].words == ""
        assert words.sentence == "edge; is_hub in 100% (usually 15%) at node 0"

    def test_features_that_never_change_are_not_mentioned(self, any_pattern):
        pattern, graph = self.numbers(any_pattern, [[[1], [1]]], [[1.0]] * 4)
        assert describe_features(pattern, graph).sentence == "edge"

    def test_features_that_go_together_are_told_together(self, any_pattern):
        at_places = [[[9, 8, 1], [9, 8, 1]]]
        pattern, graph = self.numbers(
            any_pattern, at_places, [[1, 2, 1]] * 10, names=("a", "b", "c")
        )
        said = describe_features(pattern, graph).sentence
        assert said == "edge; a about 9 (usually 2.3) and b about 8 (usually 3) at all nodes"

    def test_another_number_of_features(self, any_pattern):
        pattern, _ = self.numbers(any_pattern, [[[1], [1]]], [[1.0]] * 4)
        other = as_csr(nx.path_graph(6), features=np.zeros((6, 2)))
        with pytest.raises(InputError, match="source must have the 1 features of the pattern"):
            describe_features(pattern, FeatureBackground.fit(other))


def test_rings_and_nitro_groups_of_mutag(shared_data):
    (folder,) = shared_data.glob("MUTAG_*")
    graph = read_graph(folder)
    miner = PatternMiner(num_patterns=12, num_epochs=0).fit(graph)
    said = [describe_features(pattern, graph).sentence for pattern in miner.patterns_]
    assert "a ring of six carbons" in said
    assert "a nitrogen joined to two oxygens and a carbon (with two carbons)" in said
