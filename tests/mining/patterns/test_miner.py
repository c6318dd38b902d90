"""PatternMiner: planted motifs are recovered, every option works, bad parameters are refused."""

import logging
import re

import networkx as nx
import numpy as np
import pytest
from exact_counts import count_by_graph
from random_graphs import rings_and_cliques
from sklearn.base import clone
from sklearn.utils import estimator_checks

from gomkcn.mining import FilterLearning, FilterMiner, MiningRun, PatternMiner, compare_with_truth
from gomkcn.mining.filters.neighbourhoods import Neighbourhoods
from gomkcn.synthetic import PlantingSettings, get_motif, planted_motif_graph
from gomkcn_dgl import GOMKKernel
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import GomkcnError, InputError, InputTypeError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.runtime.steps import Steps

GREEDY = GOMKKernel(3, tau=0.5, matching="greedy")
ANCHORED = GOMKKernel(3, tau=0.5, anchor_root=True)


def with_features(graph, features):
    nx.set_node_attributes(graph, dict(enumerate(np.asarray(features).tolist())), "feat")
    return graph


def small_miner(**settings):
    """A miner for :func:`rings_and_cliques`."""
    defaults = {"pattern_size": (5, 5), "null": "none", "given": ("ring-5", "clique-5")}
    return PatternMiner(**{**defaults, "filters": few_filters(), **settings})


def few_filters(num_filters=2, **settings):
    """Two filters, soon trained."""
    learning = FilterLearning(**{"num_epochs": 3, **settings})
    return FilterMiner(num_filters, filter_size=5, learning=learning)


def counts(miner):
    """Edges and occurrences of each pattern; all places are exact and listed."""
    for pattern in miner.patterns_:
        frequency = pattern.frequency
        assert frequency.occurrences.is_exact
        assert frequency.listed == len(pattern.occurrences) == frequency.count
    return [(len(p.edges), p.frequency.count) for p in miner.patterns_]


def planted(features="constant", **options):
    return planted_motif_graph(**{"seed": 1, "settings": PlantingSettings(features), **options})


def test_planted_motifs_are_recovered():
    motifs = ("wheel8", "ladder8", "cube")
    dataset = planted(features="per_type", num_base_nodes=100, motifs=motifs)
    miner = PatternMiner(sources="grown", null="none").fit(dataset.to_dgl())
    graph = as_csr(dataset.to_dgl())
    # the set is these motifs and no other, each with its copies
    assert len(miner.motif_set_) == len(dataset.motifs) == len(miner.patterns_)
    for entry in compare_with_truth(miner.patterns_, dataset.truth()):
        assert entry.recovered, entry
        # every planted copy is a place, and every place is an induced occurrence
        assert entry.planted_found == entry.copies, entry
        exact = count_by_graph(graph, get_motif(entry.name)).sum()
        assert entry.occurrences == exact, entry
        (motif,) = (one for one in miner.motif_set_ if one.id in entry.pattern_ids)
        assert motif.motif.num_copies == entry.copies


def test_a_fitted_miner_is_fitted_anew():
    miner = small_miner().fit(rings_and_cliques())
    assert sorted(counts(miner)) == [(5, 6), (10, 3)]
    assert sorted(counts(miner.fit(rings_and_cliques(2, 4)))) == [(5, 2), (10, 4)]


@pytest.mark.parametrize(
    "settings",
    [
        {"relocate": False},
        {"kernel": GREEDY, "policy": "bfs", "num_epochs": 0},
        {"kernel": ANCHORED, "num_hops": 2},
        {"kernel": GOMKKernel(3, tau=0.5, aggregation="mean", padding="mask")},
    ],
    ids=str,
)
def test_rings_and_cliques_are_found_with_every_option(settings):
    # in regular graphs the mean of a constant feature does not tell nodes apart
    takes_means = "kernel" in settings and settings["kernel"].aggregation == "mean"
    graph = rings_and_cliques()
    graph = with_features(graph, [0.0] * 30 + [1.0] * 15) if takes_means else graph
    miner = small_miner(filters=few_filters(**settings)).fit(graph)
    assert sorted(counts(miner)) == [(5, 6), (10, 3)]
    edges = [len(one.structure.edges) for one in miner.filters_.filters_]
    assert sorted(edges) == [5, 10]


@pytest.mark.parametrize(
    "check",
    [
        "check_estimator_cloneable",
        "check_estimator_tags_renamed",
        "check_estimators_unfitted",
        "check_get_params_invariance",
        "check_no_attributes_set_in_init",
        "check_parameters_default_constructible",
        "check_set_params",
    ],
)
def test_checks_of_scikit_learn_that_need_no_array(check):
    getattr(estimator_checks, check)("PatternMiner", PatternMiner())


def test_a_graph_of_one_category_keeps_its_name():
    features = np.eye(3)[np.ones(45, int)]
    miner = small_miner(given=()).fit(as_csr(rings_and_cliques(), features=features))
    assert counts(miner) == [(10, 3)]
    assert {pattern.categories for pattern in miner.patterns_} == {(("x1",),) * 5}


def test_what_is_reported_is_logged(caplog):
    # two kinds of rings, each node a little different: every ring is a class of its own
    kinds = np.repeat([0.0, 1.0], 25) + 0.01 * np.random.default_rng(0).random(50)
    graph = with_features(rings_and_cliques(10, 0), kinds)
    nx.set_edge_attributes(graph, {edge: 0.1 + i for i, edge in enumerate(graph.edges)}, "weight")
    contrast = few_filters(num_filters=6, feature_contrast=1.0)
    with caplog.at_level(logging.INFO, "gomkcn_dgl"):
        merged = small_miner(filters=contrast, given="ring-5")
        merged.fit(as_csr(graph, features="feat", weight="weight"))
    (ring,) = merged.patterns_
    assert ring.frequency.count == 10
    assert caplog.text.count("1 structures were counted; 1 are reported") == 1
    # what is found first is told first
    told = caplog.text
    number = len(merged.filters_.filters_)
    first = merged.filters_.filters_[0]
    filters = f"{number} filters, with their instances: {first.name}: {first.instances}"
    assert told.index(filters) < told.index("structures were counted")
    assert caplog.text.count("edge weights are not used: a pattern has") == 1


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"pattern_size": "3-50"}, "pattern_size must be at most 10, got 50"),
        ({"sources": "magic"}, "sources must be one of 'filters', 'frequent', 'grown'"),
        (
            {"filters": few_filters(kernel=GOMKKernel(60, level_scale=1e-30))},
            "num_levels and level_scale must keep",
        ),
        ({"filters": {"size": 3}}, "filters must be a gomkcn.FilterMiner, 'auto' or 'none'"),
        ({"filters": FilterMiner(filter_size=1)}, "filter_size must be at least 2"),
        ({"null": ("none", "degree")}, "null must be 'none' alone"),
        ({"null": "foo"}, "null must be one of 'auto', 'none', 'degree', 'joint-degree', 'erdos-r"),
        ({"null_samples": 1}, "null_samples must be at least 2"),
    ],
    ids=str,
)
def test_a_bad_parameter_is_refused_by_fit(settings, words):
    with pytest.raises(GomkcnError, match=f"^{re.escape(words)}"):
        small_miner(**settings).fit(rings_and_cliques())


def test_a_bad_setting_of_learning_is_refused_where_it_is_made():
    with pytest.raises(InputError, match="^backend must be one of 'auto', 'numba', 'reference', "):
        few_filters(backend="abacus")


def one_graph():
    return as_csr(planted(num_base_nodes=30, copies=3).to_dgl())


def labelled_graphs():
    """Trees of labelled nodes, to every second of which a ring of carbon is joined."""
    rng, graphs = np.random.default_rng(3), []
    for number in range(40):
        graph = nx.random_labeled_tree(12, seed=number)
        labels = rng.choice(["C", "N", "O"], 12, p=[0.7, 0.2, 0.1]).tolist()
        if number % 2:
            graph = nx.disjoint_union(graph, nx.cycle_graph(6))
            graph.add_edge(0, 12)
        nx.set_node_attributes(graph, dict(enumerate(labels + ["C"] * 6)), "label")
        graphs.append(graph)
    return as_csr(graphs, features="label")


@pytest.mark.parametrize("make", [one_graph, labelled_graphs])
def test_numbering_nodes_and_graphs_anew_changes_nothing(make):
    graph, rng = make(), np.random.default_rng(0)
    graphs, sizes = rng.permutation(graph.num_graphs), np.diff(graph.graph_ptr)
    old = np.concatenate([graph.graph_ptr[one] + rng.permutation(sizes[one]) for one in graphs])
    source, target, _ = graph.edges()
    other = csr_from_edges(
        np.argsort(old)[source],
        np.argsort(old)[target],
        graph.num_nodes,
        graph_ptr=np.concatenate([[0], np.cumsum(sizes[graphs])]),
        features=graph.features[old],
        feature_names=graph.feature_names,
    )
    first, second = (
        PatternMiner(pattern_size=(3, 4), null_samples=99).fit(one).patterns_
        for one in (graph, other)
    )
    shown, again = (
        [(p.description, p.frequency.occurrences, p.frequency.graphs, p.significance,
          p.motif and round(p.motif.bits, 3)) for p in found]
        for found in (first, second)
    )  # fmt: skip
    assert shown == again != []
    # places are told in the numbers that were given
    for one, moved in zip(first, second, strict=True):
        places = set(map(frozenset, one.occurrences.rows_in(graph).tolist()))
        assert set(map(frozenset, old[moved.occurrences.rows_in(other)].tolist())) == places


def test_filters_say_which_neighbourhoods_are_frequent_whatever_proposes_motifs():
    graph = rings_and_cliques()
    miner = PatternMiner(5, null="none", filters=few_filters()).fit(graph)
    found = miner.filters_
    assert {one.name: one.instances.value for one in found.filters_} == {
        "cycle of 5 nodes": 6,
        "clique of 5 nodes": 3,
    }
    # those of the graph as it was given, and the estimator that was passed is not fitted
    np.testing.assert_array_equal(found.predict(graph), found.labels_)
    np.testing.assert_array_equal(few_filters().fit(graph).labels_, found.labels_)
    assert not hasattr(miner.filters, "filters_")
    assert clone(miner).set_params(filters__num_filters=1).filters.num_filters == 1
    assert PatternMiner(null="none", filters="none").fit(graph).filters_ is None


@pytest.mark.parametrize(
    ("sizes", "names", "seen"),
    [
        ("3-4", ["edge"], [3, 4]),
        (1, ["edge"], [2]),
        # molecules are not compared with random graphs, and have filters of one size
        ("3-4", ["single"], [4]),
        (None, ["single"], [6]),
        (None, ["edge"], [*range(3, 9)]),
    ],
)
def test_filters_have_the_sizes_of_the_patterns_that_were_asked_for(
    sizes, names, seen, monkeypatch
):
    whole = nx.disjoint_union_all([nx.complete_graph(4)] * 5)
    graph = csr_from_edges(
        *np.array(whole.edges).T, 20, relation=np.zeros(30, int), relation_names=names
    )
    asked = []
    sample = Neighbourhoods.sample
    monkeypatch.setattr(
        Neighbourhoods,
        "sample",
        lambda graph, settings, *rest: (
            asked.append(settings.max_nodes) or sample(graph, settings, *rest)
        ),
    )
    miner = PatternMiner(sizes, null="none", sources="grown").fit(graph)
    assert sorted({*asked}) == seen and miner.filters_.filter_size == "auto"
    if sizes is None or sizes == "3-4":
        assert any(one.name.startswith("clique of 4") for one in miner.filters_.filters_)
    # sizes that were given to the filters stay
    asked.clear()
    filters = FilterMiner(1, filter_size=5)
    PatternMiner(sizes, null="none", sources="grown", filters=filters).fit(graph)
    assert {*asked} == {5}


def test_a_run_is_of_the_graph_that_was_fitted():
    graphs = [nx.path_graph(4), nx.cycle_graph(4)]
    miner = small_miner(sources="grown").fit(graphs)
    assert MiningRun.of(miner, graphs).graph.num_graphs == 2
    for one, other in ((miner, graphs[::-1]), (miner, graphs[:1]), (small_miner(), graphs)):
        with pytest.raises(InputError, match="^graph must be the one that the miner was"):
            MiningRun.of(one, other)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        *(({"given": given}, "^given must be a list of structures: .*, got " + kind)
          for given, kind in (([nx.Graph()], "Graph"), ([None], "NoneType"), (None, "NoneType"),
                              (3, "int"), (nx.path_graph(3), "int"), (["ring-4", 5], "int"))),
        ({"sources": None}, "^sources must be a list, got None"),
        ({"sources": [None]}, "^sources must be one of 'filters', 'frequent', 'grown', got None"),
        ({"sources": 3}, "^sources must be a list, got 3"),
        *(({"exact_copies": value}, "^exact_copies must be True or False") for value in (1, None)),
        ({"random_state": 2**64}, "^random_state must be at most 9223372036854775807"),
        ({"null_samples": 10**9}, "^null_samples must be at most 1000000"),
        ({"count_seconds": 1e300}, r"^count_seconds must be at most 1e\+09"),
        ({"n_jobs": 10**20}, "^n_jobs must be at most 4096"),
        ({"pattern_size": "²"}, "^pattern_size must be a number of nodes"),
    ],
)  # fmt: skip
def test_what_is_of_no_use_as_a_parameter_is_refused(settings, words):
    with pytest.raises((InputError, InputTypeError), match=words):
        PatternMiner(**settings).fit(nx.cycle_graph(5))


def test_a_kernel_without_levels_is_refused():
    with pytest.raises(InputError, match="num_levels must be at least 1"):
        FilterMiner(learning=FilterLearning(kernel=GOMKKernel(num_levels=0))).fit(nx.cycle_graph(5))


def test_classes_that_are_none_are_refused():
    graphs = [nx.cycle_graph(5), nx.star_graph(4)] * 3
    for y, words in (
        ([object()] * 6, "classes must be names or integers"),
        (3, "y must be a list"),
    ):
        with pytest.raises(InputTypeError, match=words):
            PatternMiner(null=None, filters="none").fit(graphs, y)
    matrix = np.array([[None, "x"], ["y", 3]], object)
    with pytest.raises(InputTypeError, match="an adjacency matrix must hold numbers"):
        as_csr(matrix)
    # an array of objects is a list of graphs
    with pytest.raises(InputError, match="graph 0 of the list: the graph is empty"):
        as_csr(np.array([nx.Graph(), None], object))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"sources": "grown,frequent"}, 'sources must be "grown" or "filters" for a single graph'),
        (
            {"filters": FilterMiner(filter_size="3-5", contrast=False)},
            "filter_size must be one number where there are no random graphs",
        ),
        (
            {"sources": "filters", "pattern_size": 3},
            'sources must not be "filters" alone: they have 4 to 8 nodes; add "grown".',
        ),
        ({"given": ["a-b"]}, "pattern must be"),
        ({"given": [", ".join(f"a{i}--a{i + 1}" for i in range(70))]}, "pattern must have at most"),
    ],
)
def test_what_cannot_be_of_a_graph_is_refused_before_any_step(options, sentence, monkeypatch):
    monkeypatch.setattr(Steps, "each", lambda *_, **__: pytest.fail("a step was begun"))
    with pytest.raises(InputError, match=f"^{sentence}"):
        PatternMiner(**options).fit(nx.karate_club_graph())
