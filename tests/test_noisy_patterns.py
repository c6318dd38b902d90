"""Noisy patterns: learnt where copies are damaged, nothing lost elsewhere."""

import networkx as nx
import numpy as np

from gomkcn_dgl.graph import as_csr
from mining import PatternMiner, compare_with_truth
from mining.counting.exact_counts import count_exact
from mining.noisy_templates.noisy_patterns import held_out_nodes, select_greedily
from mining.noisy_templates.template_mixture import Observations, Template
from synthetic import MOTIFS, barabasi_albert, plant_motifs


def planted(seed, remove=0.15, add=0.05):
    """A tree with 20 copies each of two motifs; as a graph and as the planted truth."""
    rng = np.random.default_rng(seed)
    graph = plant_motifs(
        barabasi_albert(260, 1, rng), 260, {"wheel": 20, "crown": 20},
        remove_prob=remove, add_prob=add, seed=rng, features="per_type_noise", noise=0.05,
    )  # fmt: skip
    return as_csr(graph.to_dgl()), graph.truth()


def mine(graph, **settings):
    defaults = {"num_patterns": 8, "num_epochs": 0, "null_samples": 2}
    return PatternMiner(**{**defaults, **settings}).fit(graph)


def contents(patterns):
    """What a noisy pattern beside them cannot change."""
    return [(p.edges, p.features.tolist(), p.occurrences) for p in patterns]


def test_a_motif_is_found_of_which_few_copies_are_intact():
    graph, truth = planted(1)
    without, miner = mine(graph, noisy_copies="no"), mine(graph)
    assert not any(pattern.noisy for pattern in without.patterns_)
    after = next(one for one in compare_with_truth(miner.patterns_, truth) if one.name == "crown")
    # intact copies are counted, and damaged ones listed beside them
    assert after.occurrences == count_exact(graph, MOTIFS["crown"]).count
    assert after.planted_found >= 1.5 * after.occurrences
    (number,) = after.pattern_ids
    assert miner.patterns_[number].noisy and miner.filters_.noisy[number]
    # the share of the copies that have an edge
    assert 0.6 < np.mean(miner.patterns_[number].edge_weights) < 0.97
    # the frequent patterns stay as they are
    frequent = [pattern for pattern in miner.patterns_ if not pattern.noisy]
    assert contents(frequent) == contents(
        without.patterns_[:number] + without.patterns_[number + 1 :]
    )
    assert all(pattern.frequency.listed >= miner.min_support for pattern in miner.patterns_)


def test_nothing_changes_where_copies_are_intact():
    graph, _ = planted(3, remove=0, add=0)
    patterns = mine(graph, null="none").patterns_
    assert contents(patterns) == contents(mine(graph, noisy_copies="no", null="none").patterns_)


def test_whole_regions_are_held_out():
    graph = as_csr(nx.grid_2d_graph(20, 20))
    held_out = held_out_nodes(graph, np.random.default_rng(0))
    assert 0.2 < held_out.mean() <= 1 / 3
    source = np.repeat(np.arange(400), np.diff(graph.indptr))
    # of nodes drawn one by one, 44 % of the edges would lead out
    assert (held_out[source] != held_out[graph.indices]).mean() < 0.3


def rings_and_paths(rings, paths):
    adj = [nx.to_numpy_array(nx.cycle_graph(5))] * rings
    adj += [nx.to_numpy_array(nx.path_graph(5))] * paths
    count = rings + paths
    return Observations.of(np.stack(adj), np.zeros((count, 5, 0)), np.full(count, 5))


def test_templates_are_selected_by_the_held_out_likelihood():
    train = rings_and_paths(20, 20)
    ring, path, clique = (
        Template(pairs, np.zeros((5, 0)), 5, 0.02, 0.02)
        for pairs in (train.pairs[0], train.pairs[39], np.ones(10, np.int8))
    )
    mixed, paths = rings_and_paths(9, 5), rings_and_paths(0, 5)
    assert select_greedily(train, mixed, [], [clique, ring, path], 0.0) == [ring, path]
    # a frequent pattern explains the paths already
    assert select_greedily(train, mixed, [path], [ring, clique], 0.0) == [ring]
    assert select_greedily(train, paths, [path], [ring, clique], 0.0) == []
    # the gain does not pay for a description
    assert select_greedily(train, mixed, [path], [ring], 1000.0) == []
