"""Patterns of which few copies are intact: found where there are such, nothing lost elsewhere."""

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.graph import as_csr
from mining import PatternMiner, compare_with_truth
from mining.noisy_templates import noisy_patterns
from mining.noisy_templates.alignment_sums import EDGE
from mining.noisy_templates.noisy_patterns import hold_out, take_greedily
from mining.noisy_templates.template_mixture import Template, Units
from synthetic import barabasi_albert, plant_motifs

MOTIFS = ("wheel", "crown")


def planted(seed, remove=0.15, add=0.05, copies=20, **features):
    """A tree with copies of two motifs; as a graph and as the planted truth."""
    rng = np.random.default_rng(seed)
    features = features or {"features": "per_type_noise", "noise": 0.05}
    base = barabasi_albert(260, 1, rng)
    graph = plant_motifs(
        base, 260, dict.fromkeys(MOTIFS, copies),
        remove_prob=remove, add_prob=add, seed=rng, **features,
    )  # fmt: skip
    return as_csr(graph.to_dgl()), graph.truth()


def mine(graph, **settings):
    return PatternMiner(**{"num_patterns": 8, "num_epochs": 0, **settings}).fit(graph)


def described(miner):
    return [
        (p.edges, p.features.tolist(), p.frequency, p.noisy, p.occurrences) for p in miner.patterns_
    ]


@pytest.fixture(scope="module")
def noisy():
    """A graph of damaged copies, its truth, and what is mined without and with noisy patterns."""
    graph, truth = planted(4)
    return graph, truth, mine(graph, noisy_copies="no"), mine(graph)


def test_a_motif_is_found_of_which_few_copies_are_intact(noisy):
    _, truth, without, miner = noisy
    assert not compare_with_truth(without.patterns_, truth)[0].recovered
    wheel = compare_with_truth(miner.patterns_, truth)[0]
    assert wheel.name == "wheel"
    assert wheel.recovered
    assert 10 <= wheel.distinct <= 30
    assert wheel.planted_found >= 10
    (number,) = wheel.pattern_ids
    pattern = miner.patterns_[number]
    assert pattern.noisy
    assert miner.filters_.noisy[number]
    # the share of the copies that have an edge
    assert 0.6 < np.mean(pattern.edge_weights) < 0.97


def counted(patterns):
    """What a noisy pattern beside them cannot change."""
    return [(p.edges, p.features.tolist(), p.occurrences) for p in patterns]


def test_frequent_patterns_stay_what_they_are(noisy):
    *_, without, miner = noisy
    assert not any(pattern.noisy for pattern in without.patterns_)
    kept = [pattern for pattern in miner.patterns_ if not pattern.noisy]
    assert counted(kept) == counted(without.patterns_)


def test_the_same_seed_finds_the_same(noisy):
    graph, _, _, miner = noisy
    assert described(mine(graph)) == described(miner)


@pytest.mark.parametrize(
    ("damage", "features"),
    [
        ({"remove": 0, "add": 0}, {"features": "per_type_noise", "noise": 0.05}),
        ({"remove": 0, "add": 0}, {"features": "constant"}),
    ],
)
def test_nothing_changes_where_nothing_speaks_for_noisy_copies(damage, features):
    graph, _ = planted(3, **damage, **features)
    assert described(mine(graph)) == described(mine(graph, noisy_copies="no"))


@pytest.mark.parametrize("seed", [0, 1])
def test_constant_features_lose_nothing(seed):
    graph, _ = planted(seed, features="constant")
    kept = [pattern for pattern in mine(graph).patterns_ if not pattern.noisy]
    assert counted(kept) == counted(mine(graph, noisy_copies="no").patterns_)


def test_intact_copies_are_not_called_noisy():
    # the three cliques are rare, held out or not, and no filter starts from them
    graph = nx.disjoint_union_all([nx.cycle_graph(5)] * 6 + [nx.complete_graph(5)] * 3)
    settings = {"num_patterns": 1, "pattern_size": 5, "min_support": 2}
    (ring,) = mine(graph, noisy_copies="yes", **settings).patterns_
    assert (len(ring.edges), ring.frequency.distinct, ring.noisy) == (5, 6, False)


def test_larger_patterns_are_tried_only_when_asked_for(monkeypatch):
    graph = nx.disjoint_union_all([nx.path_graph(7), nx.cycle_graph(7), nx.star_graph(6)] * 2)
    sizes = []
    monkeypatch.setattr(
        noisy_patterns, "hold_out", lambda graph, rng: sizes.append(graph) or np.zeros(42, bool)
    )
    small = {"num_patterns": 2, "min_support": 1}
    mine(graph, pattern_size=7, **small)
    assert not sizes
    mine(graph, pattern_size=7, noisy_copies="yes", **small)
    assert len(sizes) == 1


# ---------------------------------------------------------------- judging


def test_whole_regions_are_held_out():
    graph = as_csr(nx.grid_2d_graph(20, 20))
    held = hold_out(graph, np.random.default_rng(0))
    assert 0.2 < held.mean() <= 1 / 3
    assert (held == hold_out(graph, np.random.default_rng(0))).all()
    source = np.repeat(np.arange(400), np.diff(graph.indptr))
    # by chance 44 % of the edges would lead out
    assert (held[source] != held[graph.indices]).mean() < 0.3


def test_components_without_a_centre_are_regions():
    graph = as_csr(nx.disjoint_union_all([nx.path_graph(2)] * 60))
    held = hold_out(graph, np.random.default_rng(1)).reshape(60, 2)
    assert (held[:, 0] == held[:, 1]).all()
    assert 0 < held[:, 0].sum() <= 20


def rings_and_paths(rings, paths):
    adj = [nx.to_numpy_array(nx.cycle_graph(5))] * rings
    adj += [nx.to_numpy_array(nx.path_graph(5))] * paths
    count = rings + paths
    return Units.of(np.stack(adj), np.zeros((count, 5, 0)), np.full(count, 5))


def as_template(units, row):
    return Template(units.pairs[row], units.features[row], 5, 0.02, 0.02)


def test_only_what_the_held_out_subgraphs_want_is_taken():
    train = rings_and_paths(20, 20)
    ring, path = as_template(train, 0), as_template(train, 39)
    clique = Template(np.full(10, EDGE, np.int8), np.zeros((5, 0)), 5, 0.02, 0.02)
    rivals = [clique, ring, path]
    assert take_greedily(train, rings_and_paths(9, 5), [], rivals, 0.0) == [ring, path]
    # what is frequent explains them already
    assert take_greedily(train, rings_and_paths(9, 5), [path], [ring, clique], 0.0) == [ring]
    assert take_greedily(train, rings_and_paths(0, 5), [path], [ring, clique], 0.0) == []
    # the price of a description
    assert take_greedily(train, rings_and_paths(9, 5), [path], [ring], 1000.0) == []
