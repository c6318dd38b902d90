"""PatternMiner: planted motifs are recovered, every option works, bad parameters are refused."""

import logging
import re

import networkx as nx
import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.utils import estimator_checks

from gomkcn_dgl import GOMKKernel, gomk, read_graph
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import GomkcnError, InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.node_order import NodeOrder
from mining import FilterLearning, PatternMiner, compare_with_truth
from mining.counting.exact_search import count_by_graph
from mining.learning.neighbourhoods import filters_of
from synthetic import PlantingSettings, get_motif, planted_motif_graph

GREEDY = GOMKKernel(3, tau=0.5, matching="greedy")
ANCHORED = GOMKKernel(3, tau=0.5, anchor_root=True)


def union(*parts):
    return nx.disjoint_union_all([graph for graph, copies in parts for _ in range(copies)])


def rings_and_cliques(num_rings=6, num_cliques=3, features=None):
    """Disjoint rings and cliques of five nodes."""
    graph = union((nx.cycle_graph(5), num_rings), (nx.complete_graph(5), num_cliques))
    if features is not None:
        nx.set_node_attributes(graph, dict(enumerate(np.asarray(features).tolist())), "feat")
    return graph


def small_miner(**settings):
    """A miner for :func:`rings_and_cliques`."""
    defaults = {"num_patterns": 2, "pattern_size": (5, 5), "num_epochs": 3, "min_occurrences": 2}
    return PatternMiner(**{**defaults, "null": "none", "sources": "filters", **settings})


def counts(miner):
    """Edges, occurrences and roots of each pattern; all places are exact and listed."""
    for pattern in miner.patterns_:
        frequency = pattern.frequency
        assert frequency.occurrences.is_exact
        assert frequency.listed == len(pattern.occurrences) == frequency.count
    return [(len(p.edges), p.frequency.count, p.frequency.roots) for p in miner.patterns_]


def count_with_networkx(graph, pattern):
    """Induced occurrences of a pattern, by the matcher of NetworkX."""
    matcher = nx.algorithms.isomorphism.GraphMatcher(graph, pattern)
    return len({frozenset(mapping) for mapping in matcher.subgraph_isomorphisms_iter()})


def records(miner):
    return [pattern.to_dict() for pattern in miner.patterns_]


def planted(features="constant", **options):
    return planted_motif_graph(**{"seed": 1, "settings": PlantingSettings(features), **options})


@pytest.mark.parametrize(
    ("features", "motifs"),
    [("constant", ()), ("per_node", ()), ("per_type", ("wheel8", "ladder8", "cube"))],
)
def test_planted_motifs_are_recovered(features, motifs):
    options = {"motifs": motifs, "num_base_nodes": 300} if motifs else {}
    dataset = planted(features=features, **options)
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


def test_a_graph_without_motifs_has_none():
    miner = PatternMiner(null="none")
    miner.fit(planted(copies=0, num_base_nodes=300).to_dgl())
    assert miner.patterns_ == [] and len(miner.motif_set_) == 0


@pytest.mark.parametrize("seed", range(2))
def test_every_count_is_that_of_networkx_and_every_place_an_occurrence(seed):
    graph = nx.gnm_random_graph(40, 70, seed=seed)
    given = ["triangle", "path-3", "ring-4", "diamond", "star-5", "house", "bull"]
    miner = PatternMiner(null="none", given=given, random_state=seed).fit(graph)
    assert len(miner.patterns_) == len(given) + len(miner.motif_set_)
    for pattern in miner.patterns_:
        drawn = pattern.to_networkx()
        count = count_with_networkx(graph, drawn)
        frequency = pattern.frequency
        assert frequency.occurrences.is_exact
        assert frequency.count == frequency.listed == len(pattern.occurrences) == count
        node_sets = {frozenset(one.nodes) for one in pattern.occurrences}
        assert len(node_sets) == count
        if not count:
            continue
        for one in pattern.occurrences:
            copy = nx.relabel_nodes(drawn, dict(enumerate(one.nodes)))
            assert set(map(frozenset, copy.edges)) == set(
                map(frozenset, graph.subgraph(one.nodes).edges)
            )
        assert 1 <= frequency.disjoint <= 40 // pattern.num_nodes
        assert frequency.graphs == 1
        # filters were not trained
        assert frequency.roots is frequency.assigned is None


def test_places_have_the_categories_of_their_pattern():
    """Atoms on a ring: counts by NetworkX with equal labels, and names of the categories."""
    graph = nx.disjoint_union_all([nx.cycle_graph(6)] * 8)
    graph.add_edges_from((6 * i, 6 * i + 6) for i in range(7))
    rng = np.random.default_rng(0)
    labels = rng.choice(2, size=48, p=[0.8, 0.2])
    # no node has the third label
    features = np.eye(3)[labels]
    names = ("label=C", "label=N", "label=O")
    csr = csr_from_edges(*np.array(graph.edges).T, 48, features=features, feature_names=names)
    nx.set_node_attributes(graph, {node: names[label] for node, label in enumerate(labels)}, "kind")
    miner = PatternMiner(15, "3-5", sources="filters", num_epochs=2, null="none").fit(csr)
    seen = set()
    for pattern in miner.patterns_:
        drawn = nx.Graph(pattern.edges)
        kinds = {node: kind for node, (kind,) in enumerate(pattern.categories)}
        nx.set_node_attributes(drawn, kinds, "kind")
        matcher = nx.algorithms.isomorphism.GraphMatcher(
            graph, drawn, node_match=lambda a, b: a["kind"] == b["kind"]
        )
        expected = {frozenset(mapping) for mapping in matcher.subgraph_isomorphisms_iter()}
        assert {frozenset(one.nodes) for one in pattern.occurrences} == expected
        assert pattern.frequency.count == len(expected)
        np.testing.assert_allclose(
            pattern.features, [np.eye(3)[names.index(kinds[node])] for node in kinds], atol=1e-6
        )
        for one in pattern.occurrences:
            assert [names[labels[node]] for node in one.nodes] == list(kinds.values())
        seen |= set(kinds.values())
    assert seen == {"label=C", "label=N"}


def test_a_graph_of_one_category_keeps_its_name():
    features = np.eye(3)[np.ones(45, int)]
    graph = as_csr(rings_and_cliques(), features=features)
    miner = small_miner().fit(graph)
    assert sorted(counts(miner)) == [(5, 6, 30), (10, 3, 15)]
    for pattern in miner.patterns_:
        assert pattern.categories == (("x1",),) * 5
        assert pattern.num_filters > 0
        np.testing.assert_allclose(pattern.features, features[:5], atol=1e-6)


@pytest.fixture(scope="module")
def mined():
    """A data set with four motifs and features, and the miner of its graph."""
    dataset = planted(features="per_type", num_base_nodes=150, copies=6)
    miner = PatternMiner(
        8, "3-6", sources="filters", num_epochs=3, null="none", values="similarity"
    )
    return dataset, miner.fit(dataset.to_dgl())


def test_what_filters_learnt_is_the_profile_of_a_pattern(mined):
    _, miner = mined
    assert len(miner.patterns_) > 3
    for row, pattern in enumerate(miner.patterns_):
        filters = filters_of(pattern, miner.source_)
        assert (pattern.id, (pattern.num_nodes,)) == (row, filters.num_nodes)
        assert torch.triu(filters.adj[0]).nonzero().tolist() == list(map(list, pattern.edges))
        assert pattern.feature_names == ("x0", "x1", "x2")
        assert "filters" in pattern.sources and 0 < max(pattern.edge_weights) <= 1
    assert miner.n_features_in_ == 3


def test_transform_is_the_kernel_and_predict_its_largest(mined):
    dataset, miner = mined
    csr = as_csr(dataset.to_dgl())
    similarity, order = miner.transform(csr), NodeOrder.of(csr)
    for number, pattern in enumerate(miner.patterns_):
        filters = filters_of(pattern, miner.source_)
        # a pattern of M nodes beside the subgraphs of at most M nodes
        size = pattern.num_nodes
        batch = miner.source_.resized(size).extract(order.graph)
        expected = gomk(
            torch.from_numpy(batch.adjacency()),
            torch.from_numpy(batch.gather(miner.source_.scaling.scale(order.graph.features))),
            filters.adj,
            filters.feat,
            num_nodes=torch.from_numpy(batch.num_nodes),
            kernel=miner.source_.kernel,
            normalize=True,
            backend="reference",
        ).numpy()
        np.testing.assert_allclose(
            similarity[order.nodes, number], expected[:, 0], rtol=1e-5, atol=1e-5
        )
    assert similarity.dtype == np.float32
    nearest = miner.predict(csr)
    reached = similarity[np.arange(len(nearest)), nearest]
    # among equals the structure decides, and the larger pattern
    assert (reached > similarity.max(axis=1) - 1e-4).all()
    assigned = np.bincount(nearest, minlength=len(miner.patterns_)).tolist()
    assert [pattern.frequency.assigned for pattern in miner.patterns_] == assigned
    with pytest.raises(InputError, match=r"^graph must have the 3 features .*, got 1\.$"):
        miner.transform(nx.cycle_graph(5))


def test_features_are_in_the_units_of_the_input():
    features = np.repeat([[1000.0, -5.0], [3000.0, -9.0]], [30, 15], axis=0)
    found = small_miner().fit(rings_and_cliques(features=features)).patterns_
    ring, clique = sorted(found, key=lambda pattern: len(pattern.edges))
    np.testing.assert_allclose(ring.features, [[1000.0, -5.0]] * 5, rtol=0.02)
    np.testing.assert_allclose(clique.features, [[3000.0, -9.0]] * 5, rtol=0.02)


CONTRAST = FilterLearning(feature_contrast=1.0)


def test_what_is_reported_is_logged(caplog):
    # two kinds of rings, each node a little different: every ring is a class of its own
    kinds = np.repeat([0.0, 1.0], 25) + 0.01 * np.random.default_rng(0).random(50)
    with caplog.at_level(logging.INFO, "gomkcn_dgl"):
        merged = small_miner(num_patterns=6, learning=CONTRAST)
        merged.fit(rings_and_cliques(10, 0, kinds))
        rare = small_miner(min_occurrences=7).fit(rings_and_cliques(), quiet=True)
    (ring,) = merged.patterns_
    # it has two kinds of features, which six filters learnt
    assert sorted(round(one.features.mean()) for one in ring.profiles) == [0, 1]
    assert [one.share for one in ring.profiles] == [0.5, 0.5] and ring.num_filters == 6
    assert ring.frequency.assigned == 50
    assert caplog.text.count("1 structures were counted; 1 are reported") == 1
    assert "reported" not in caplog.text.replace("1 are reported", "")
    # the cliques are in the set, and the rings are of filters alone
    assert counts(rare) == [(10, 3, 15)]


def test_a_graph_without_frequent_patterns():
    graph = rings_and_cliques(6, 0)
    miner = small_miner(min_occurrences=100, values="similarity").fit(graph)
    assert miner.patterns_ == []
    assert miner.transform(graph).shape == (30, 0)
    with pytest.raises(InputError, match=r"fit found none; lower min_occurrences\.$"):
        miner.predict(graph)


@pytest.mark.parametrize("init", ["facility_location", "random"])
def test_the_same_seed_gives_the_same_patterns(init):
    # enough subgraphs and columns for torch to share the sums among its threads
    features = np.random.default_rng(0).random((600, 18))
    graph = as_csr(nx.gnm_random_graph(600, 700, seed=0), features=features)
    settings = {"num_patterns": 4, "pattern_size": "3-4", "num_epochs": 1, "min_occurrences": 0}
    settings |= {"null": "none", "sources": "filters"}
    settings |= {"learning": FilterLearning(init=init)}
    first, again, other = (PatternMiner(**settings, random_state=i).fit(graph) for i in (7, 7, 8))
    assert records(first) == records(again)
    assert first.loss_curve_ == again.loss_curve_ != other.loss_curve_


def test_a_fitted_miner_compares_another_graph_and_is_fitted_anew():
    miner = small_miner(values="similarity").fit(rings_and_cliques())
    nearest = miner.predict(rings_and_cliques())
    ring, clique = nearest[0], nearest[-1]
    assert nearest.tolist() == [ring] * 30 + [clique] * 15 and ring != clique
    other = nx.disjoint_union(nx.complete_graph(5), nx.cycle_graph(5))
    assert miner.predict(other).tolist() == [clique] * 5 + [ring] * 5
    assert miner.transform(nx.empty_graph(1)).shape == (1, 2)
    assert sorted(counts(miner.fit(rings_and_cliques(2, 4)))) == [(5, 2, 10), (10, 4, 20)]


def test_a_collection_is_mined_as_one():
    graphs = [nx.cycle_graph(5), nx.complete_graph(5)] * 3
    miner = small_miner().fit(graphs)
    assert sorted(counts(miner)) == [(5, 3, 15), (10, 3, 15)]
    for pattern in miner.patterns_:
        nodes_by_graph = {one.graph: sorted(one.nodes) for one in pattern.occurrences}
        first = 0 if len(pattern.edges) == 5 else 1
        assert nodes_by_graph == {first + 2 * i: list(range(5)) for i in range(3)}


def test_edge_weights_are_not_used(caplog):
    graph = rings_and_cliques()
    nx.set_edge_attributes(graph, {edge: 0.1 + i for i, edge in enumerate(graph.edges)}, "weight")
    with caplog.at_level(logging.INFO, "gomkcn_dgl"):
        miner = small_miner().fit(as_csr(graph, edge_weight="weight"))
    assert caplog.text.count("edge weights are not used for mining") == 1
    assert records(miner) == records(small_miner().fit(rings_and_cliques()))


def test_patterns_smaller_than_a_filter_have_no_padding():
    graph = union((nx.complete_graph(3), 5), (nx.path_graph(4), 5))
    miner = PatternMiner(3, "3-8", sources="filters", num_epochs=5, null="none").fit(graph)
    sizes = {(p.num_nodes, len(p.edges), p.frequency.count) for p in miner.patterns_}
    assert sizes == {(3, 3, 5), (4, 3, 5)}
    for pattern in miner.patterns_:
        assert pattern.features.shape == (pattern.num_nodes, 1)
        assert all(len(one.nodes) == pattern.num_nodes for one in pattern.occurrences)


@pytest.mark.parametrize(
    "settings",
    [
        {"learning": FilterLearning(batch_size=1, relocate=False)},
        {"learning": FilterLearning(n_init=4, train_size=2)},
        {"kernel": GREEDY, "learning": FilterLearning("bfs"), "num_epochs": 0},
        {"kernel": ANCHORED, "learning": FilterLearning(num_hops=2)},
        {"kernel": GOMKKernel(3, tau=0.5, aggregation="mean", padding="mask")},
    ],
    ids=str,
)
def test_rings_and_cliques_are_found_with_every_option(settings):
    # in regular graphs the mean of a constant feature does not tell nodes apart
    takes_means = "kernel" in settings and settings["kernel"].aggregation == "mean"
    features = [0.0] * 30 + [1.0] * 15 if takes_means else None
    miner = small_miner(**settings).fit(rings_and_cliques(features=features))
    assert sorted(counts(miner))[-2:] == [(5, 6, 30), (10, 3, 15)]


def test_the_best_of_several_initializations_is_used():
    features = np.random.default_rng(0).random((100, 3))
    graph = as_csr(nx.barabasi_albert_graph(100, 2, seed=3), features=features)
    settings = {"num_patterns": 4, "num_epochs": 0, "min_occurrences": 0, "null": "none"}
    settings |= {"random_state": 0, "pattern_size": (6, 6), "sources": "filters"}
    one, six = (
        PatternMiner(learning=FilterLearning(sample_size=4, n_init=count), **settings).fit(graph)
        for count in (1, 6)
    )
    # the mean distance to the nearest filter, before any training
    assert six.loss_curve_[0] < one.loss_curve_[0]


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


def test_a_clone_has_the_parameters_and_nothing_learnt():
    options = {"kernel": GOMKKernel(2), "learning": FilterLearning(init="random", batch_size=7)}
    miner = small_miner(**options).fit(rings_and_cliques())
    copy = clone(miner)
    assert copy.get_params() == miner.get_params()
    assert not hasattr(copy, "patterns_")
    assert copy.set_params(kernel=None, num_epochs=1).num_epochs == 1


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"num_patterns": "many"}, "num_patterns must be an integer"),
        ({"pattern_size": 11}, "pattern_size must be at most 10, got 11"),
        ({"pattern_size": "3-50"}, "pattern_size must be at most 10, got 50"),
        ({"pattern_size": (5, 4)}, "pattern_size must have the smallest number first, as in '4-5'"),
        ({"pattern_size": "3-x"}, "pattern_size must be a number of nodes, or the smallest"),
        ({"sources": "magic"}, "sources must be one of 'auto', 'filters', 'grown'"),
        ({"kernel": "rbf"}, "kernel must be a gomkcn.GOMKKernel"),
        ({"kernel": GOMKKernel(60, level_scale=1e-30)}, "num_levels and level_scale must keep"),
        ({"learning": {"batch_size": 1}}, "learning must be a gomkcn.FilterLearning"),
        ({"null": "configuration"}, "null must be one of 'degree', 'joint-degree', 'erdos-renyi'"),
        ({"null": ("none", "degree")}, "null must be 'none' alone"),
        ({"null_samples": 98}, "null_samples must be at least 99"),
        ({"count_error": 0.0}, "count_error must be greater than 0"),
        ({"num_epochs": True}, "num_epochs must be an integer"),
        ({"learning": FilterLearning(sample_size=1)}, "sample_size must be at least 2"),
        ({"backend": "abacus"}, "backend must be one of"),
    ],
    ids=str,
)
def test_a_bad_parameter_is_refused_by_fit(settings, words):
    with pytest.raises(GomkcnError, match=f"^{re.escape(words)}"):
        small_miner(**settings).fit(rings_and_cliques())


def test_structures_that_the_kernel_cannot_tell_apart_are_both_found():
    # the prism and the complete bipartite graph are both 3-regular on 6 nodes
    prism, bipartite = nx.circular_ladder_graph(3), nx.complete_bipartite_graph(3, 3)
    both = union((prism, 10), (bipartite, 20))
    settings = {"num_patterns": 2, "pattern_size": (6, 6), "num_epochs": 2, "null": "none"}
    settings["sources"] = "filters"
    first, second = PatternMiner(**settings).fit(both).patterns_
    for pattern, shape, count in ((first, bipartite, 20), (second, prism, 10)):
        assert (pattern.frequency.count, pattern.frequency.roots) == (count, 6 * count)
        assert nx.is_isomorphic(pattern.to_networkx(), shape)
        assert nx.is_isomorphic(both.subgraph(pattern.occurrences[0].nodes), shape)
    # a rare one that comes first does not hide the other
    rare = PatternMiner(**settings).fit(union((prism, 1), (bipartite, 20)))
    assert len(rare.patterns_) == 1
    assert nx.is_isomorphic(rare.patterns_[0].to_networkx(), bipartite)
    assert rare.patterns_[0].frequency.count == 20


@pytest.mark.parametrize(
    "parameters",
    [{}, {"kernel": GOMKKernel(3, tau=0.5, padding="mask")},
     {"kernel": ANCHORED}],
    ids=str,
)  # fmt: skip
def test_occurrences_of_small_patterns_match_perfectly(parameters):
    shapes = (nx.complete_graph(3), nx.cycle_graph(6), nx.path_graph(4))
    graph = union(*((shape, 10) for shape in shapes))
    # two nodes of a path end it, which a root in its middle does not
    ring_or_path = graph.subgraph(range(30, 130))
    miner = PatternMiner(20, "3-6", sources="filters", num_epochs=5, null="none", **parameters).fit(
        graph
    )
    for pattern in miner.patterns_:
        assert pattern.occurrences[0].similarity == pytest.approx(1, abs=1e-5)
    total = {(p.num_nodes, len(p.edges)): p.frequency.count for p in miner.patterns_}
    assert (total[3, 3], total[6, 6]) == (10, 10)
    assert total[4, 3] == count_with_networkx(ring_or_path, nx.path_graph(4)) == 70
    assert len(total) == len(miner.patterns_)


def test_the_benzene_ring_is_found_in_the_molecules_of_mutag(mutag):
    mutag = read_graph(mutag)
    miner = PatternMiner(null="none").fit(mutag)
    rings = [p for p in miner.patterns_ if nx.is_isomorphic(p.to_networkx(), nx.cycle_graph(6))]
    assert {p.motif is None for p in rings} == {False}
    # others have single bonds
    aromatic = rings[0].relations.names.index("aromatic")
    (ring,) = [
        p for p in rings
        if set(p.edge_relations) == {aromatic} and set(p.categories) == {("label=C",)}
    ]  # fmt: skip
    carbon = ring.feature_names.index("label=C")
    np.testing.assert_allclose(ring.features[:, carbon], 1, atol=1e-6)
    # counted in the files by cycles of aromatic edges among carbon atoms
    names = np.array(mutag.feature_names)[mutag.features.argmax(axis=1)]
    source, target, relation = mutag.edges()
    bonds = nx.Graph(
        (u, v) for u, v, r in zip(source.tolist(), target.tolist(), relation.tolist(), strict=True)
        if r == aromatic and names[u] == names[v] == "label=C"
    )  # fmt: skip
    cycles = [one for one in nx.chordless_cycles(bonds, 6) if len(one) == 6]
    assert ring.frequency.count == ring.frequency.listed == len(cycles) == 420
    assert {frozenset(one) for one in cycles} == {
        frozenset(int(node) + int(mutag.graph_ptr[one.graph]) for node in one.nodes)
        for one in ring.occurrences
    }


def test_numbering_the_nodes_anew_changes_nothing():
    graph = as_csr(planted(num_base_nodes=80, copies=4).to_dgl())
    number = np.random.default_rng(0).permutation(graph.num_nodes)
    pairs = number[graph.adjacent_pairs()]
    other = as_csr(nx.Graph(pairs.tolist()), features=None)
    # node names are those of the edges, in any order
    miners = [PatternMiner(null_samples=99).fit(one) for one in (graph, other)]
    first, second = (
        [(p.frequency.occurrences, p.significance, p.motif and p.motif.bits) for p in m.patterns_]
        for m in miners
    )
    assert first == second
    places = [{frozenset(one.nodes) for one in m.patterns_[0].occurrences} for m in miners]
    assert {frozenset(number[list(nodes)].tolist()) for nodes in places[0]} == places[1]


def test_the_order_of_graphs_and_of_their_labelled_nodes_changes_nothing():
    rng = np.random.default_rng(3)
    labels = ["C", "N", "O"]
    graphs = []
    for number in range(40):
        graph = nx.random_labeled_tree(12, seed=number)
        if number % 2:
            graph = nx.disjoint_union(graph, nx.cycle_graph(6))
            graph.add_edge(0, 12)
        for node in graph:
            graph.nodes[node]["label"] = labels[rng.choice(3, p=[0.7, 0.2, 0.1])]
        graphs.append(graph)
    order = rng.permutation(len(graphs))
    shuffled = []
    for number in order:
        graph = graphs[number]
        names = dict(zip(graph, rng.permutation(len(graph)).tolist(), strict=True))
        other = nx.empty_graph(len(graph))
        other.add_nodes_from((names[node], data) for node, data in graph.nodes(data=True))
        other.add_edges_from((names[u], names[v]) for u, v in graph.edges)
        shuffled.append(other)
    classes = np.arange(len(graphs)) % 2
    first, second = (
        PatternMiner(null_samples=99).fit(one, y)
        for one, y in ((graphs, classes), (shuffled, classes[order]))
    )
    shown, again = (
        [
            (p.description, p.frequency.occurrences, p.frequency.graphs, p.significance,
             p.classes)
            for p in miner.patterns_
        ]
        for miner in (first, second)
    )  # fmt: skip
    assert len(shown) > 3
    assert shown == again
    # places are told in the numbers that were given
    for own, other in zip(first.patterns_, second.patterns_, strict=True):
        counts, moved = (
            np.bincount([place.graph for place in one.occurrences], minlength=len(graphs))
            for one in (own, other)
        )
        assert counts[order].tolist() == moved.tolist()
