"""PatternMiner: planted motifs come back, every option works, every bad input gets its sentence."""

import logging

import networkx as nx
import numba
import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import estimator_checks

from gomkcn_dgl import GOMKKernel, gomk
from gomkcn_dgl.errors import GomkcnError, InputError, InputTypeError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.subgraphs import extract_subgraphs
from mining import PatternMiner, compare_with_truth, covered_occurrences
from synthetic import PlantedMotifDataset, get_motif

SIX = ("house", "cup", "wheel", "crown")
BY_SIZE = {
    4: ("square", "diamond4", "clique4"),
    5: ("house5", "wheel5", "basket", "clique5"),
    7: ("circle7", "wheel7", "windmill7", "theta7"),
    8: ("wheel8", "ladder8", "cube", "sun8"),
}


def rings_and_cliques(num_rings=6, num_cliques=3):
    """Disjoint rings and cliques of five nodes."""
    return nx.disjoint_union_all(
        [nx.cycle_graph(5)] * num_rings + [nx.complete_graph(5)] * num_cliques
    )


def small_miner(**settings):
    """A miner for :func:`rings_and_cliques`."""
    return PatternMiner(
        **{"num_patterns": 2, "pattern_size": 5, "num_epochs": 3, "min_support": 2, **settings}
    )


def found(miner):
    return [(len(p.edges), p.frequency.distinct, p.frequency.assigned) for p in miner.patterns_]


def planted(**options):
    return PlantedMotifDataset(**{"seed": 1, "features": "constant", **options})


# ---------------------------------------------------------------- planted motifs


def check_recovery(dataset, miner):
    """All motifs are recovered, and ``distinct`` is the exact count of what is covered."""
    graph = as_csr(dataset[0])
    batch = miner.extract(graph)
    for entry in compare_with_truth(miner.patterns_, dataset.planted.truth()):
        assert entry.recovered, entry
        exact = covered_occurrences(graph, batch, get_motif(entry.name).adjacency())
        assert entry.distinct == exact, entry
        assert entry.planted_found >= 9, entry


@pytest.mark.parametrize("features", ["constant", "per_type", "per_node"])
def test_the_planted_motifs_of_the_paper_are_recovered(features):
    dataset = planted(features=features)
    check_recovery(dataset, PatternMiner(num_epochs=10).fit(dataset[0]))


@pytest.mark.parametrize("size", BY_SIZE)
def test_motifs_of_other_sizes_are_recovered(size):
    dataset = planted(motifs=BY_SIZE[size], num_base_nodes=300, features="per_type")
    check_recovery(dataset, PatternMiner(pattern_size=size, num_epochs=5).fit(dataset[0]))


def test_nothing_planted_nothing_found():
    dataset = planted(copies=0, num_base_nodes=400)
    miner = PatternMiner(num_epochs=5).fit(dataset[0])
    recovery = compare_with_truth(miner.patterns_, planted().planted.truth())
    assert not any(entry.recovered for entry in recovery)
    # a tree holds trees
    assert {len(p.edges) - p.num_nodes for p in miner.patterns_} == {-1}


def test_occurrences_are_induced_copies_of_their_pattern():
    dataset = planted(features="per_type")
    graph = dataset.planted.to_networkx()
    miner = PatternMiner(num_epochs=3).fit(dataset[0])
    for pattern in miner.patterns_:
        shape = pattern.to_networkx()
        assert pattern.frequency.distinct == len(pattern.occurrences)
        assert (
            len({frozenset(place.nodes) for place in pattern.occurrences})
            == pattern.frequency.distinct
        )
        for place in pattern.occurrences:
            roles = dict(zip(range(pattern.num_nodes), place.nodes, strict=True))
            copy = nx.relabel_nodes(shape, roles)
            assert set(map(frozenset, copy.edges)) == set(
                map(frozenset, graph.subgraph(place.nodes).edges)
            )


# ---------------------------------------------------------------- results


@pytest.fixture(scope="module")
def mined():
    """A graph of four motifs with features, and its fitted miner."""
    graph = planted(features="per_type", num_base_nodes=200, copies=6)[0]
    return graph, PatternMiner(num_patterns=10, num_epochs=5).fit(graph)


def test_rows_of_the_filters_are_the_patterns(mined):
    _, miner = mined
    filters = miner.filters_
    assert len(filters.adj) == len(miner.patterns_) == len(filters.num_nodes)
    for row, pattern in enumerate(miner.patterns_):
        assert pattern.id == row
        assert filters.num_nodes[row] == pattern.num_nodes
        assert torch.triu(filters.adj[row]).nonzero().tolist() == list(map(list, pattern.edges))
        weights = [float(filters.weights[row, u, v]) for u, v in pattern.edges]
        assert list(pattern.edge_weights) == weights
        np.testing.assert_allclose(
            pattern.features,
            miner.scaling_.restore(filters.feat[row, : pattern.num_nodes].numpy()),
        )
        assert pattern.feature_names == ("x0", "x1", "x2")


def test_patterns_come_most_frequent_first(mined):
    counts = [pattern.frequency.distinct for pattern in mined[1].patterns_]
    assert counts == sorted(counts, reverse=True)
    assert min(counts) >= mined[1].min_support


def test_features_are_in_the_units_of_the_input():
    # rings of one kind of node, far from the unit interval
    graph = rings_and_cliques()
    features = np.repeat([[1000.0, -5.0]], 45, axis=0)
    features[30:] = [3000.0, -9.0]
    nx.set_node_attributes(graph, dict(enumerate(features.tolist())), "feat")
    ring, clique = small_miner().fit(graph).patterns_
    # measured: features are the mean of what the pattern holds
    np.testing.assert_allclose(ring.features, [[1000.0, -5.0]] * 5, rtol=0.02)
    np.testing.assert_allclose(clique.features, [[3000.0, -9.0]] * 5, rtol=0.02)


def test_the_loss_curve_has_the_start_and_every_step():
    miner = small_miner(num_epochs=4).fit(rings_and_cliques())
    assert len(miner.loss_curve_) == 1 + 4
    assert all(0 <= loss < 0.2 for loss in miner.loss_curve_)


def test_what_was_mined_is_counted(mined):
    graph, miner = mined
    batch = extract_subgraphs(as_csr(graph), 3, 6, policy="dense")
    assert miner.num_subgraphs_ == graph.num_nodes() == 344
    assert miner.truncated_share_ == pytest.approx(batch.truncated.mean())
    assert miner.n_features_in_ == 3


@pytest.mark.parametrize("features", ["constant", "per_type", "per_node"])
def test_assigned_counts_what_predict_says(features):
    graph = planted(features=features, num_base_nodes=200, copies=6)[0]
    miner = PatternMiner(num_patterns=8, num_epochs=3, min_similarity=0.9).fit(graph)
    similarity = miner.transform(graph)
    nearest, held = similarity.argmax(axis=1), similarity.max(axis=1) >= 0.9
    counts = np.bincount(nearest[held], minlength=len(miner.patterns_))
    assert [pattern.frequency.assigned for pattern in miner.patterns_] == counts.tolist()


# ---------------------------------------------------------------- merging and dropping


def test_filters_of_the_same_pattern_are_merged(caplog):
    # two kinds of rings, each node a little different: every ring is a type of its own
    graph, rng = rings_and_cliques(10, 0), np.random.default_rng(0)
    kinds = np.repeat([0.0, 1.0], 25) + 0.01 * rng.random(50)
    nx.set_node_attributes(graph, dict(enumerate(kinds.tolist())), "feat")
    with caplog.at_level(logging.INFO, "gomkcn_dgl"):
        miner = small_miner(num_patterns=6, feature_contrast=1.0).fit(graph)
    assert found(miner) == [(5, 5, 25), (5, 5, 25)]
    assert len(miner.filters_.adj) == 2
    assert "merged 4 filters that found the same pattern" in caplog.text


def test_rare_patterns_are_dropped(caplog):
    with caplog.at_level(logging.INFO, "gomkcn_dgl"):
        miner = small_miner(min_support=4).fit(rings_and_cliques())
    assert found(miner) == [(5, 6, 30)]
    assert len(miner.filters_.adj) == 1
    assert "dropped 1 patterns with fewer than 4 distinct occurrences" in caplog.text


def test_a_pattern_takes_over_the_occurrences_of_a_rare_twin():
    # rings with two kinds of features: two patterns of one structure, one of them rare
    graph = rings_and_cliques(9, 0)
    kinds = np.repeat([0.0] * 7 + [1.0] * 2, 5)
    nx.set_node_attributes(graph, dict(enumerate(kinds.tolist())), "feat")
    settings = {"feature_contrast": 1.0, "num_epochs": 0}
    both = small_miner(min_support=2, **settings).fit(graph)
    assert [p.frequency.distinct for p in both.patterns_] == [7, 2]
    one = small_miner(min_support=3, **settings).fit(graph)
    assert [p.frequency.distinct for p in one.patterns_] == [9]


def test_a_graph_without_patterns():
    graph = rings_and_cliques()
    miner = small_miner(min_support=100).fit(graph)
    assert miner.patterns_ == []
    assert miner.transform(graph).shape == (45, 0)
    with pytest.raises(InputError, match=r"fit found none; lower min_support\.$"):
        miner.predict(graph)


# ---------------------------------------------------------------- the same seed, the same result


def records(miner):
    return [pattern.to_dict() for pattern in miner.patterns_]


@pytest.mark.parametrize("start", ["facility_location", "kmeans++", "sample", "random"])
def test_the_same_seed_gives_the_same_patterns(start):
    graph = planted(features="per_type", num_base_nodes=80, copies=4)[0]
    settings = {"start": start, "num_epochs": 3, "min_support": 0, "batch_size": 20}
    first, again = (PatternMiner(**settings, random_state=7).fit(graph) for _ in range(2))
    assert records(first) == records(again)
    assert first.loss_curve_ == again.loss_curve_
    other = PatternMiner(**settings, random_state=8).fit(graph)
    assert other.loss_curve_ != first.loss_curve_


def test_threads_do_not_change_the_patterns():
    graph = planted(features="per_node", num_base_nodes=80, copies=4)[0]
    results, torch_threads = [], torch.get_num_threads()
    try:
        for count in (1, min(3, numba.config.NUMBA_NUM_THREADS)):
            numba.set_num_threads(count)
            torch.set_num_threads(count)
            results.append(PatternMiner(num_epochs=4, min_support=0).fit(graph))
    finally:
        torch.set_num_threads(torch_threads)
    assert records(results[0]) == records(results[1])
    assert results[0].loss_curve_ == results[1].loss_curve_


# ---------------------------------------------------------------- transform and predict


def test_transform_is_the_kernel_on_the_filters(mined):
    graph, miner = mined
    csr = as_csr(graph)
    batch = extract_subgraphs(csr, 3, 6, policy="dense", seed=0)
    feat = batch.gather(miner.scaling_.scale(csr.features))
    expected = gomk(
        torch.from_numpy(batch.adjacency()),
        torch.from_numpy(feat),
        miner.filters_.adj,
        miner.filters_.feat,
        kernel=GOMKKernel(miner.num_levels, tau=miner.tau, level_scale=miner.level_scale),
        normalize=True,
        backend="reference",
    ).numpy()
    similarity = miner.transform(graph)
    np.testing.assert_allclose(similarity, expected, rtol=1e-5, atol=1e-5)
    assert similarity.shape == (344, len(miner.patterns_))
    assert similarity.dtype == np.float32
    assert similarity.min() >= 0
    assert similarity.max() <= 1 + 1e-6


def test_predict_is_the_most_similar_pattern(mined):
    graph, miner = mined
    nearest = miner.predict(graph)
    assert nearest.dtype == np.int64
    assert nearest.tolist() == miner.transform(graph).argmax(axis=1).tolist()


def test_fit_predict_is_fit_and_predict():
    graph = rings_and_cliques()
    miner = small_miner()
    assert miner.fit_predict(graph).tolist() == [0] * 30 + [1] * 15
    assert miner.predict(graph).tolist() == [0] * 30 + [1] * 15


def test_a_fitted_miner_reads_another_graph():
    miner = small_miner().fit(rings_and_cliques())
    fresh = nx.disjoint_union(nx.complete_graph(5), nx.cycle_graph(5))
    assert miner.predict(fresh).tolist() == [1] * 5 + [0] * 5
    assert miner.transform(nx.empty_graph(1)).shape == (1, 2)


def test_a_graph_of_another_feature_width_is_refused(mined):
    with pytest.raises(InputError, match=r"^graph must have the 3 features .*, got 1\.$"):
        mined[1].transform(nx.cycle_graph(5))


# ---------------------------------------------------------------- kinds of graphs


def test_a_collection_is_mined_as_one():
    graphs = [nx.cycle_graph(5), nx.complete_graph(5)] * 3
    miner = small_miner().fit(graphs)
    assert sorted(found(miner)) == [(5, 3, 15), (10, 3, 15)]
    for pattern in miner.patterns_:
        places = {place.graph: sorted(place.nodes) for place in pattern.occurrences}
        first = 0 if len(pattern.edges) == 5 else 1
        assert places == {first + 2 * i: list(range(5)) for i in range(3)}
    assert miner.transform(graphs).shape == (30, 2)


def test_edge_weights_are_not_used_and_the_log_says_so(caplog):
    graph = rings_and_cliques()
    for number, (u, v) in enumerate(graph.edges):
        graph.edges[u, v]["weight"] = 0.1 + number
    with caplog.at_level(logging.INFO, "gomkcn_dgl"):
        miner = small_miner().fit(as_csr(graph, edge_weight="weight"))
    assert caplog.text.count("edge weights are not used for mining") == 1
    assert records(miner) == records(small_miner().fit(rings_and_cliques()))


def test_subgraphs_smaller_than_the_filters_are_pruned_of_padding():
    graph = nx.disjoint_union_all([nx.complete_graph(3)] * 5 + [nx.path_graph(4)] * 5)
    miner = PatternMiner(num_patterns=2, pattern_size=8, num_epochs=5).fit(graph)
    assert {(p.num_nodes, len(p.edges), p.frequency.distinct) for p in miner.patterns_} == {
        (3, 3, 5),
        (4, 3, 5),
    }
    for pattern in miner.patterns_:
        assert pattern.features.shape == (pattern.num_nodes, 1)
        assert all(len(place.nodes) == pattern.num_nodes for place in pattern.occurrences)
    assert miner.truncated_share_ == 0


def test_a_graph_of_one_node():
    graph = nx.empty_graph(1)
    miner = PatternMiner(num_patterns=1, num_epochs=2, min_support=0).fit(graph)
    (pattern,) = miner.patterns_
    assert (pattern.num_nodes, pattern.edges, pattern.frequency.distinct) == (1, (), 1)
    assert pattern.occurrences[0].nodes == (0,)
    assert miner.predict(graph).tolist() == [0]


def test_a_graph_without_edges():
    miner = PatternMiner(num_patterns=3, num_epochs=2, min_support=1).fit(nx.empty_graph(4))
    (pattern,) = miner.patterns_
    assert (pattern.num_nodes, pattern.edges) == (1, ())
    assert [place.nodes for place in pattern.occurrences] == [(0,), (1,), (2,), (3,)]
    assert pattern.frequency.assigned == 4


def test_text_ids_reach_the_patterns():
    graph = nx.relabel_nodes(rings_and_cliques(), lambda node: f"p{node}")
    ring, _ = small_miner().fit(graph).patterns_
    assert ring.medoid.root in graph
    assert sorted(ring.occurrences[0].nodes) in [
        sorted(f"p{5 * i + j}" for j in range(5)) for i in range(6)
    ]


# ---------------------------------------------------------------- options


@pytest.mark.parametrize(
    "settings",
    [
        {"init": "kmeans++"},
        {"init": "sample", "n_init": 4},
        {"policy": "bfs"},
        {"policy": "random"},
        {"policy": "random", "num_views": 3},
        {"matching": "greedy"},
        {"anchor_root": True},
        {"padding": "mask"},
        {"node_similarity": "dice"},
        {"aggregation": "mean"},
        {"aggregation": "sym"},
        {"level_scale": 3.0},
        {"tau": [1.0, 2.0, 3.0, 4.0]},
        {"num_epochs": 0},
        {"n_init": 2},
        {"noisy_copies": "yes"},
        {"occurrence_rule": "similar", "min_similarity": 0.99},
        {"batch_size": 1},
        {"sample_size": 2},
        {"train_size": 2},
        {"relocate": False},
        {"feature_contrast": 1.0},
        {"num_hops": 2},
        {"backend": "reference"},
    ],
    ids=str,
)
def test_every_option_finds_rings_and_cliques(settings):
    graph = rings_and_cliques()
    if settings.get("aggregation") in ("mean", "sym"):
        # in regular graphs the mean of a constant says nothing, so the nodes need to
        kinds = np.repeat([0.0, 1.0], [30, 15]).tolist()
        nx.set_node_attributes(graph, dict(enumerate(kinds)), "feat")
    assert found(small_miner(**settings).fit(graph)) == [(5, 6, 30), (10, 3, 15)]


def test_no_epochs_keep_the_start():
    miner = small_miner(num_epochs=0).fit(rings_and_cliques())
    assert len(miner.loss_curve_) == 1
    # each filter is a real subgraph
    assert all(pattern.medoid.similarity > 0.999 for pattern in miner.patterns_)


def test_similar_occurrences_are_listed():
    # a ring of six, and rings with a chord that resemble it
    chord = nx.cycle_graph(6)
    chord.add_edge(0, 3)
    graph = nx.disjoint_union_all([nx.cycle_graph(6)] * 6 + [chord] * 2)
    settings = {"num_patterns": 1, "num_epochs": 0, "min_similarity": 0.3}
    (exact,) = PatternMiner(**settings).fit(graph).patterns_
    (similar,) = PatternMiner(occurrence_rule="similar", **settings).fit(graph).patterns_
    assert (exact.frequency.distinct, similar.frequency.distinct) == (6, 8)
    assert similar.occurrences[-1].similarity < 0.9


def test_the_best_restart_is_kept():
    graph = planted(features="per_type", num_base_nodes=60, copies=5)[0]
    settings = {"num_patterns": 4, "num_epochs": 0, "init": "sample", "min_support": 0}
    final = [
        PatternMiner(n_init=count, **settings).fit(graph).loss_curve_[-1] for count in (1, 2, 8)
    ]
    assert final[0] >= final[1] >= final[2]
    assert final[0] > final[2]


def test_more_filters_than_kinds_of_subgraphs():
    miner = small_miner(num_patterns=30).fit(rings_and_cliques())
    assert found(miner) == [(5, 6, 30), (10, 3, 15)]


def test_progress_is_shown_only_if_asked(capsys):
    small_miner().fit(rings_and_cliques())
    assert capsys.readouterr().err == ""
    small_miner(progress=True).fit(rings_and_cliques())
    assert "mining" in capsys.readouterr().err


# ---------------------------------------------------------------- scikit-learn's manners


@pytest.mark.parametrize(
    "check",
    [
        "check_estimator_cloneable",
        "check_estimator_repr",
        "check_estimator_tags_renamed",
        "check_estimators_unfitted",
        "check_get_params_invariance",
        "check_mixin_order",
        "check_no_attributes_set_in_init",
        "check_parameters_default_constructible",
        "check_set_params",
        "check_valid_tag_types",
    ],
)
def test_checks_of_scikit_learn_that_need_no_array(check):
    getattr(estimator_checks, check)("PatternMiner", PatternMiner())


def test_a_clone_has_the_settings_and_nothing_learnt():
    miner = small_miner(tau=0.5, init="sample").fit(rings_and_cliques())
    copy = clone(miner)
    assert copy.get_params() == miner.get_params()
    assert not hasattr(copy, "patterns_")


def test_settings_are_stored_as_they_are_and_checked_by_fit():
    miner = PatternMiner(num_patterns="many")
    assert miner.num_patterns == "many"
    with pytest.raises(InputTypeError, match="num_patterns"):
        miner.fit(nx.cycle_graph(5))
    assert miner.set_params(num_patterns=1, min_support=0).fit(nx.cycle_graph(5)) is miner


def test_fitting_again_forgets_the_first_graph():
    miner = small_miner().fit(rings_and_cliques())
    miner.fit(rings_and_cliques(2, 4))
    assert found(miner) == [(10, 4, 20), (5, 2, 10)]


@pytest.mark.parametrize("method", ["transform", "predict"])
def test_an_unfitted_miner_says_so(method):
    with pytest.raises(NotFittedError, match="not fitted"):
        getattr(PatternMiner(), method)(nx.cycle_graph(5))


def test_the_representation_shows_what_was_changed():
    assert repr(PatternMiner(num_patterns=3)) == "PatternMiner(num_patterns=3)"


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"num_patterns": 0}, "num_patterns must be at least 1, got 0."),
        ({"num_patterns": 2.5}, "num_patterns must be an integer, got 2.5."),
        ({"pattern_size": 0}, "pattern_size must be at least 1, got 0."),
        ({"pattern_size": 1025}, "pattern_size must be at most 1024, got 1025."),
        ({"num_hops": -1}, "num_hops must be at least 0, got -1."),
        ({"num_levels": -1}, "num_levels must be at least 0, got -1."),
        ({"policy": "all"}, "policy must be one of 'bfs', 'dense', 'random', got 'all'."),
        ({"num_views": 0}, "num_views must be at least 1, got 0."),
        (
            {"start": "best"},
            "start must be one of 'facility_location', 'kmeans++', 'random', 'sample', got 'best'.",
        ),
        ({"sample_size": 0}, "sample_size must be at least 2, got 0."),
        ({"train_size": 0}, "train_size must be at least 1, got 0."),
        ({"feature_contrast": 0.0}, "feature_contrast must be greater than 0, got 0."),
        ({"feature_contrast": 1.5}, "feature_contrast must be at most 1, got 1.5."),
        ({"tau": 0.0}, "tau must be at least 1e-30, got 0."),
        ({"tau": [1.0]}, "tau must be one number or num_levels + 1 = 4 of them, got 1."),
        ({"node_similarity": "soft"}, "node_similarity must be one of 'dice', 'rbf', got 'soft'."),
        ({"aggregation": "max"}, "aggregation must be one of 'mean', 'sum', 'sym', got 'max'."),
        ({"level_scale": -1.0}, "level_scale must be at least 1e-30, got -1."),
        ({"matching": "exact"}, "matching must be one of 'greedy', 'optimal', got 'exact'."),
        ({"padding": "drop"}, "padding must be one of 'mask', 'match', got 'drop'."),
        ({"num_epochs": -1}, "num_epochs must be at least 0, got -1."),
        ({"num_epochs": True}, "num_epochs must be an integer, got True."),
        ({"learning_rate": 0.0}, "learning_rate must be greater than 0, got 0."),
        ({"learning_rate": float("nan")}, "learning_rate must be finite, got nan."),
        ({"batch_size": 0}, "batch_size must be at least 1, got 0."),
        ({"n_init": 0}, "n_init must be at least 1, got 0."),
        (
            {"occurrence_rule": "equal"},
            "occurrence_rule must be one of 'isomorphic', 'similar', got 'equal'.",
        ),
        ({"min_similarity": 1.5}, "min_similarity must be at most 1, got 1.5."),
        (
            {"noisy_copies": "maybe"},
            "noisy_copies must be one of 'auto', 'no', 'yes', got 'maybe'.",
        ),
        (
            {"noisy_copies": "yes", "pattern_size": 11},
            "noisy_copies can be 'yes' for patterns of at most 6 nodes, got a pattern_size of 11; "
            "take 'auto' or smaller patterns.",
        ),
        ({"min_support": -1}, "min_support must be at least 0, got -1."),
        ({"exact_seconds": -1.0}, "exact_seconds must be greater than 0, got -1."),
        (
            {"exact_seconds": 1.0, "pattern_size": 63},
            "exact_seconds can be given for patterns of at most 62 nodes, got a pattern_size of "
            "63; leave one of them out.",
        ),
        ({"random_state": -1}, "random_state must be at least 0, got -1."),
        ({"random_state": None}, "random_state must be an integer, got None."),
        (
            {"num_patterns": 46},
            "num_patterns must be at most the number of subgraphs, 45, got 46; "
            "ask for fewer patterns.",
        ),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_a_bad_setting_is_refused_in_one_sentence(settings, sentence):
    with pytest.raises(GomkcnError) as error:
        small_miner(**settings).fit(rings_and_cliques())
    assert str(error.value) == sentence


def test_an_unknown_backend_is_refused():
    with pytest.raises(GomkcnError, match="backend must be one of"):
        small_miner(backend="abacus").fit(rings_and_cliques())


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_features_that_are_not_finite_are_refused(value):
    graph = rings_and_cliques()
    nx.set_node_attributes(graph, 1.0, "feat")
    graph.nodes[3]["feat"] = value
    with pytest.raises(InputError, match="finite"):
        small_miner().fit(graph)


@pytest.mark.parametrize(
    ("graph", "sentence"),
    [
        (nx.empty_graph(0), "the graph is empty: it has no nodes."),
        ([], "the collection is empty: it has no graphs."),
    ],
)
def test_an_empty_graph_is_refused(graph, sentence):
    with pytest.raises(InputError) as error:
        small_miner().fit(graph)
    assert str(error.value) == sentence


def test_something_else_is_refused():
    with pytest.raises(InputTypeError, match="graph must be a DGLGraph"):
        small_miner().fit(3)


# ---------------------------------------------------------------- what the kernel cannot see


def union(*parts):
    return nx.disjoint_union_all([graph for graph, copies in parts for _ in range(copies)])


def test_a_structure_with_the_walk_counts_of_another_is_found_beside_it():
    # the prism and the complete bipartite graph are both 3-regular on 6 nodes
    prism, bipartite = nx.circular_ladder_graph(3), nx.complete_bipartite_graph(3, 3)
    both = union((prism, 10), (bipartite, 20))
    miner = PatternMiner(num_patterns=1).fit(both)
    assert [(p.frequency.distinct, p.frequency.assigned) for p in miner.patterns_] == [
        (20, 120),
        (10, 60),
    ]
    assert nx.is_isomorphic(miner.patterns_[0].to_networkx(), bipartite)
    assert nx.is_isomorphic(miner.patterns_[1].to_networkx(), prism)
    for pattern in miner.patterns_:
        medoid = both.subgraph(pattern.medoid.nodes)
        assert nx.is_isomorphic(medoid, pattern.to_networkx())
    # one rare twin that happens to come first hides nothing
    rare = PatternMiner(num_patterns=1).fit(union((prism, 1), (bipartite, 20)))
    assert nx.is_isomorphic(rare.patterns_[0].to_networkx(), bipartite)
    assert rare.patterns_[0].frequency.distinct == 20


SMALL = ((nx.complete_graph(3), 10), (nx.cycle_graph(6), 10), (nx.path_graph(4), 10))


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"padding": "mask"},
        {"node_similarity": "dice"},
        {"anchor_root": True},
        {"aggregation": "mean"},
    ],
    ids=str,
)
def test_patterns_smaller_than_a_filter_match_perfectly(parameters):
    miner = PatternMiner(num_patterns=6, **parameters).fit(union(*SMALL))
    per_shape = {}
    for pattern in miner.patterns_:
        assert pattern.medoid.similarity == pytest.approx(1, abs=1e-5)
        key = (pattern.num_nodes, len(pattern.edges))
        total = per_shape.get(key, (0, 0))
        per_shape[key] = (
            total[0] + pattern.frequency.distinct,
            total[1] + pattern.frequency.assigned,
        )
    assert per_shape == {(3, 3): (10, 30), (6, 6): (10, 60), (4, 3): (10, 40)}


def test_constant_features_come_back_as_they_were():
    graph = union(*SMALL)
    nx.set_node_attributes(graph, 7.0, "feat")
    for num_patterns in (1, 3):
        miner = PatternMiner(num_patterns=num_patterns).fit(graph)
        for pattern in miner.patterns_:
            np.testing.assert_allclose(pattern.features, 7.0, atol=1e-5)


def test_walk_counts_beyond_single_precision_are_refused():
    with pytest.raises(InputError, match="num_levels and level_scale must keep walk counts"):
        PatternMiner(num_levels=60, level_scale=1e-30).fit(union(*SMALL))


def test_the_benzene_ring_is_found_in_the_molecules_of_mutag(shared_data):
    from gomkcn_dgl import read_graph

    miner = PatternMiner().fit(read_graph(shared_data / "MUTAG_47395044"))
    rings = [p for p in miner.patterns_ if nx.is_isomorphic(p.to_networkx(), nx.cycle_graph(6))]
    assert len(rings) == 1
    carbon = miner.patterns_[0].feature_names.index("label=C")
    np.testing.assert_allclose(rings[0].features[:, carbon], 1, atol=0.05)
    assert rings[0].frequency.distinct > 100


def test_training_on_many_features_gives_the_same_bits_again():
    # enough subgraphs and columns for torch to share the sums among its threads
    rng = np.random.default_rng(0)
    graph = as_csr(nx.gnm_random_graph(3000, 4500, seed=0), features=rng.random((3000, 18)))
    one, two = (PatternMiner(num_patterns=4, num_epochs=4, min_support=0).fit(graph) for _ in "ab")
    assert one.loss_curve_ == two.loss_curve_
    assert torch.equal(one.filters_.feat, two.filters_.feat)
