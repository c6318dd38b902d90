"""Consensus of noisy copies: found where copies are damaged, nothing changed elsewhere."""

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.relations import SIMPLE
from gomkcn_dgl.runtime.steps import Steps
from mining import PatternMiner, compare_with_truth
from mining.counting.exact_search import count_by_graph
from mining.learning.consensus import add_consensus
from mining.learning.filter_learning import FilterLearning, learn_filters
from mining.miner import prepare
from mining.pattern import CONSENSUS
from synthetic import MOTIFS, PlantingSettings, barabasi_albert, plant_motifs

CROWN = nx.Graph(list(MOTIFS["crown"].edges))


def planted(seed, remove=0.15, add=0.05, features="per_type_noise"):
    """A tree with 20 copies each of two motifs; as a graph and as the planted truth."""
    rng = np.random.default_rng(seed)
    noise = 0.05 if features == "per_type_noise" else 0.0
    settings = PlantingSettings(features, noise=noise, remove_prob=remove, add_prob=add)
    base, motifs = barabasi_albert(260, 1, rng), {"wheel": 20, "crown": 20}
    graph = plant_motifs(base, 260, motifs, settings, seed=rng)
    return as_csr(graph.to_dgl()), graph.truth()


def learn(graph, size=6):
    """The filters at the start, and with the consensus of noisy copies."""
    graph, source = prepare(PatternMiner(8, (3, size)), graph)
    subgraphs = source.training_subgraphs(graph)
    options = {"num_epochs": 0, "seed": 0, "steps": Steps()}
    filters, _ = learn_filters(subgraphs, 8, FilterLearning(), **options)
    return filters, add_consensus(filters, source, graph, 8, 1000, min_occurrences=1, seed=0)


def keys_of(filters):
    return filters.structure_keys(SIMPLE)


def graphs_of(filters):
    numbers = range(len(filters.num_nodes))
    return [nx.from_numpy_array(filters.structure(i, SIMPLE).joined) for i in numbers]


def crowns_of(filters):
    return [i for i, one in enumerate(graphs_of(filters)) if nx.is_isomorphic(one, CROWN)]


@pytest.mark.parametrize("size", [6, 8])
def test_copies_agree_on_a_motif_that_no_filter_has(size):
    # few copies are intact
    graph, _ = planted(1, remove=0.25, add=0.1)
    filters, both = learn(graph, size)
    assert not crowns_of(filters)
    (number,) = crowns_of(both)
    # the filters stay as they are, and come first
    rows = range(len(filters.num_nodes))
    assert keys_of(both.take(rows)) == keys_of(filters)
    assert both.noisy == (False,) * len(rows) + (True,) * (len(both.num_nodes) - len(rows))
    new = keys_of(both)[len(rows) :]
    assert len(set(new)) == len(new) and not set(new) & set(keys_of(filters))
    # the share of the copies that have an edge
    weights = both.weights[number][both.adj[number] > 0].numpy()
    assert weights.min() > 0.5 and 0.6 < weights.mean() < 1
    assert (both.weights[number][both.adj[number] == 0] == 0).all()
    # nodes of one type have similar features
    assert both.feat[number, :6].std(axis=0).max() < 0.02


def test_what_noisy_copies_agree_on_is_reported_with_its_exact_occurrences():
    graph, truth = planted(1)
    options = {"sources": "filters", "num_epochs": 0, "null": None, "min_occurrences": 1}
    miner = PatternMiner(4, "3-6", **options).fit(graph)
    # beyond the number that was asked for
    noisy = [one for one in miner.patterns_ if CONSENSUS in one.sources]
    assert noisy and len(miner.patterns_) > 4
    whole = nx.Graph(graph.adjacent_pairs().tolist())
    found = {one.name: one for one in compare_with_truth(miner.patterns_, truth)}
    assert found["wheel"].recovered and found["crown"].recovered
    for pattern in noisy:
        count = count_by_graph(graph, pattern.structure).sum()
        assert pattern.frequency.listed == pattern.frequency.count == count
        for one in pattern.occurrences:
            edges = {frozenset((one.nodes[u], one.nodes[v])) for u, v in pattern.edges}
            assert edges == set(map(frozenset, whole.subgraph(one.nodes).edges))


def test_nothing_is_added_where_copies_are_intact():
    filters, both = learn(planted(3, remove=0, add=0)[0])
    assert keys_of(both) == keys_of(filters)


@pytest.mark.parametrize(
    ("graph", "features"),
    [
        (nx.barabasi_albert_graph(300, 3, seed=1), "constant"),
        (nx.barabasi_albert_graph(300, 3, seed=1), "random"),
        (nx.gnm_random_graph(150, 1000, seed=2), "random"),
    ],
)
def test_random_graphs_have_none(graph, features):
    rng = np.random.default_rng(0)
    columns = rng.random((len(graph), 3)) if features == "random" else np.ones((len(graph), 1))
    filters, both = learn(as_csr(graph, features=columns))
    assert keys_of(both) == keys_of(filters)
