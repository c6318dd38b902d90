"""PatternMiner: planted motifs come back, every option works, every bad input gets its sentence."""

import logging
import re

import networkx as nx
import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.utils import estimator_checks

from gomkcn_dgl import GOMKKernel, gomk
from gomkcn_dgl.errors import GomkcnError, InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.subgraphs import extract_subgraphs
from mining import FilterLearning, PatternMiner, compare_with_truth, covered_occurrences
from synthetic import PlantedMotifDataset, get_motif


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


def check_recovery(dataset, miner):
    """All motifs are recovered, and ``distinct`` is the exact count of what is covered."""
    graph = as_csr(dataset[0])
    batch = miner.source_.extract(graph)
    for entry in compare_with_truth(miner.patterns_, dataset.planted.truth()):
        assert entry.recovered, entry
        exact = covered_occurrences(graph, batch, get_motif(entry.name).adjacency())
        assert entry.distinct == exact, entry
        assert entry.planted_found >= 9, entry


@pytest.mark.parametrize(
    ("features", "motifs"),
    [("constant", ()), ("per_type", ()), ("per_node", ()), ("per_type", ("square", "diamond4")),
     ("per_type", ("wheel8", "ladder8", "cube"))],
)  # fmt: skip
def test_planted_motifs_are_recovered(features, motifs):
    options = {"motifs": motifs, "num_base_nodes": 300} if motifs else {}
    dataset = planted(features=features, **options)
    size = max((get_motif(name).num_nodes for name in motifs), default=6)
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
            miner.source_.scaling.restore(filters.feat[row, : pattern.num_nodes].numpy()),
        )
        assert pattern.feature_names == ("x0", "x1", "x2")


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


def test_filters_of_the_same_pattern_are_merged(caplog):
    # two kinds of rings, each node a little different: every ring is a type of its own
    graph, rng = rings_and_cliques(10, 0), np.random.default_rng(0)
    kinds = np.repeat([0.0, 1.0], 25) + 0.01 * rng.random(50)
    nx.set_node_attributes(graph, dict(enumerate(kinds.tolist())), "feat")
    with caplog.at_level(logging.INFO, "gomkcn_dgl"):
        miner = small_miner(num_patterns=6, learning=FilterLearning(feature_contrast=1.0)).fit(
            graph
        )
    assert found(miner) == [(5, 5, 25), (5, 5, 25)]
    assert len(miner.filters_.adj) == 2
    assert "merged 4 filters that learnt the same pattern" in caplog.text


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
    settings = {"learning": FilterLearning(feature_contrast=1.0), "num_epochs": 0}
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


def records(miner):
    return [pattern.to_dict() for pattern in miner.patterns_]


@pytest.mark.parametrize("init", ["facility_location", "kmeans++", "sample", "random"])
def test_the_same_seed_gives_the_same_patterns(init):
    graph = planted(features="per_type", num_base_nodes=80, copies=4)[0]
    settings = {"init": init, "num_epochs": 3, "min_support": 0}
    first, again = (PatternMiner(**settings, random_state=7).fit(graph) for _ in range(2))
    assert records(first) == records(again)
    assert first.loss_curve_ == again.loss_curve_
    other = PatternMiner(**settings, random_state=8).fit(graph)
    assert other.loss_curve_ != first.loss_curve_


def test_transform_is_the_kernel_on_the_filters(mined):
    graph, miner = mined
    csr = as_csr(graph)
    batch = extract_subgraphs(csr, 3, 6, policy="dense", seed=0)
    feat = batch.gather(miner.source_.scaling.scale(csr.features))
    expected = gomk(
        torch.from_numpy(batch.adjacency()),
        torch.from_numpy(feat),
        miner.filters_.adj,
        miner.filters_.feat,
        kernel=miner.source_.kernel,
        normalize=True,
        backend="reference",
    ).numpy()
    similarity = miner.transform(graph)
    np.testing.assert_allclose(similarity, expected, rtol=1e-5, atol=1e-5)
    assert similarity.shape == (344, len(miner.patterns_))
    assert similarity.dtype == np.float32
    assert similarity.min() >= 0
    assert similarity.max() <= 1 + 1e-6


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


@pytest.mark.parametrize(
    "settings",
    [
        {"init": "kmeans++", "learning": FilterLearning(batch_size=1, relocate=False)},
        {"init": "sample", "n_init": 4, "learning": FilterLearning(train_size=2)},
        {"policy": "bfs", "matching": "greedy", "num_epochs": 0},
        {"policy": "random", "num_views": 3, "tau": [1.0, 2.0, 3.0, 4.0]},
        {"anchor_root": True, "noisy_copies": "yes", "num_hops": 2},
        {"node_similarity": "dice", "occurrence_rule": "similar", "min_similarity": 0.99},
        {"kernel": GOMKKernel(3, tau=0.5, aggregation="mean", padding="mask")},
        {"num_patterns": 30, "backend": "reference"},
    ],
    ids=str,
)
def test_every_option_finds_rings_and_cliques(settings):
    graph = rings_and_cliques()
    # in regular graphs the mean of a constant feature does not tell nodes apart
    if "kernel" in settings:
        nx.set_node_attributes(graph, dict(enumerate([0.0] * 30 + [1.0] * 15)), "feat")
    assert found(small_miner(**settings).fit(graph)) == [(5, 6, 30), (10, 3, 15)]


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


def test_the_best_initialization_is_used():
    graph = nx.barabasi_albert_graph(100, 2, seed=3)
    features = np.random.default_rng(0).random((100, 3))
    settings = {"num_patterns": 4, "num_epochs": 0, "init": "sample", "min_support": 0}
    settings |= {"noisy_copies": "no", "random_state": 1}
    graph = as_csr(graph, features=features)
    one, six = (PatternMiner(n_init=count, **settings).fit(graph) for count in (1, 6))
    loss = [1 - miner.transform(graph).max(axis=1).mean() for miner in (one, six)]
    assert loss[0] > loss[1]


def test_progress_is_shown_only_if_asked(capsys):
    small_miner().fit(rings_and_cliques())
    assert capsys.readouterr().err == ""
    small_miner().fit(rings_and_cliques(), progress=True)
    assert "mining" in capsys.readouterr().err


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


def test_a_clone_has_the_settings_and_nothing_learnt():
    options = {"kernel": GOMKKernel(2), "learning": FilterLearning(batch_size=7)}
    miner = small_miner(init="sample", **options).fit(rings_and_cliques())
    copy = clone(miner)
    assert copy.get_params() == miner.get_params()
    assert not hasattr(copy, "patterns_")
    assert copy.set_params(kernel=None, num_levels=1).num_levels == 1


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"num_patterns": 0}, "num_patterns must be at least 1"),
        ({"num_patterns": "many"}, "num_patterns must be an integer or 'auto'"),
        ({"num_patterns": 46}, "num_patterns must be at most the number of subgraphs, 45"),
        ({"pattern_size": 1025}, "pattern_size must be at most 1024"),
        ({"num_hops": -1}, "num_hops must be at least 0"),
        ({"num_levels": -1}, "num_levels must be at least 0"),
        ({"kernel": "rbf"}, "kernel must be a gomkcn.GOMKKernel"),
        ({"kernel": GOMKKernel(2), "tau": 1.0}, "kernel cannot be combined with tau"),
        ({"learning": {"batch_size": 1}}, "learning must be a gomkcn.FilterLearning"),
        ({"policy": "all"}, "policy must be one of"),
        ({"init": "best"}, "init must be one of"),
        ({"num_views": 0}, "num_views must be at least 1"),
        ({"num_epochs": True}, "num_epochs must be an integer"),
        ({"learning": FilterLearning(sample_size=1)}, "sample_size must be at least 2"),
        ({"occurrence_rule": "equal"}, "occurrence_rule must be one of"),
        ({"min_similarity": 1.5}, "min_similarity must be at most 1"),
        ({"noisy_copies": "maybe"}, "noisy_copies must be one of"),
        ({"noisy_copies": "yes", "pattern_size": 11}, "noisy_copies can be 'yes' for patterns"),
        ({"random_state": None}, "random_state must be an integer"),
        ({"backend": "abacus"}, "backend must be one of"),
    ],
    ids=str,
)
def test_a_bad_parameter_is_refused_by_fit(settings, words):
    with pytest.raises(GomkcnError, match=f"^{re.escape(words)}"):
        small_miner(**settings).fit(rings_and_cliques())


@pytest.mark.parametrize(
    ("name", "value"),
    [("learning_rate", 0.0), ("learning_rate", np.nan), ("batch_size", 0), ("train_size", 0),
     ("sample_error", 1.5), ("feature_contrast", 0.0)],
)  # fmt: skip
def test_bad_learning_is_refused(name, value):
    with pytest.raises(InputError, match=f"^{name} must be"):
        FilterLearning(**{name: value})


def test_fitting_again_forgets_the_first_graph():
    miner = small_miner().fit(rings_and_cliques())
    miner.fit(rings_and_cliques(2, 4))
    assert found(miner) == [(10, 4, 20), (5, 2, 10)]


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_features_that_are_not_finite_are_refused(value):
    graph = rings_and_cliques()
    nx.set_node_attributes(graph, 1.0, "feat")
    graph.nodes[3]["feat"] = value
    with pytest.raises(InputError, match="finite"):
        small_miner().fit(graph)


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
        {"kernel": GOMKKernel(3, tau=0.5, padding="mask")},
        {"node_similarity": "dice", "anchor_root": True},
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


def test_walk_counts_beyond_single_precision_are_refused():
    with pytest.raises(InputError, match="num_levels and level_scale must keep walk counts"):
        PatternMiner(kernel=GOMKKernel(60, level_scale=1e-30)).fit(union(*SMALL))


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
    graph = as_csr(nx.gnm_random_graph(2000, 3000, seed=0), features=rng.random((2000, 18)))
    one, two = (PatternMiner(num_patterns=4, num_epochs=2, min_support=0).fit(graph) for _ in "ab")
    assert one.loss_curve_ == two.loss_curve_
    assert torch.equal(one.filters_.feat, two.filters_.feat)
