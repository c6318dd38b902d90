"""Graphs at the limits of what can be mined: patterns, or one sentence."""

from math import comb

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl import GOMKKernel, as_csr, read_graph
from gomkcn_dgl.csr import csr_from_edges
from mining import FilterLearning, PatternMiner

# six rings of four nodes
RINGS = np.array(nx.disjoint_union_all([nx.cycle_graph(4)] * 6).edges)
LIMIT = 2**63


def rings(features=None, node_ids=None):
    return csr_from_edges(*RINGS.T, 24, features=features, node_ids=node_ids)


def mine(graph, **options):
    """Fit, and check that all numbers of the result are finite."""
    settings = {"num_patterns": 1, "pattern_size": (4, 4), "min_occurrences": 1, "num_epochs": 2}
    settings |= {"null": "none", "sources": "filters", "values": "similarity", **options}
    miner = PatternMiner(**settings).fit(graph)
    assert np.isfinite(miner.loss_curve_).all()
    similarity = miner.transform(graph)
    assert ((similarity >= 0) & (similarity <= 1)).all()
    assert all(np.isfinite(pattern.features).all() for pattern in miner.patterns_)
    return miner


def shape_and_counts(pattern):
    """Return nodes, edges, occurrences and roots."""
    counts = pattern.frequency
    assert counts.occurrences.is_exact and counts.listed == counts.count
    return pattern.num_nodes, len(pattern.edges), counts.count, counts.roots


rng = np.random.default_rng(0)
FEATURES = {
    "the largest": rng.choice([3e38, -3e38, 0.0], (24, 2)),
    "all of the smallest": np.full(24, 1e-45),
    "of different scales": np.stack([rng.random(24) * 1e38, rng.random(24) * 1e-38], axis=1),
}


@pytest.mark.parametrize("features", FEATURES.values(), ids=FEATURES)
def test_features_of_any_size_are_mined(features):
    (pattern,) = mine(rings(features)).patterns_
    assert shape_and_counts(pattern) == (4, 4, 6, 24)
    # in the input's units, as single precision has them
    low, high = np.float32(features).min(), np.float32(features).max()
    slack = 1e-6 * max(abs(low), abs(high))
    assert ((pattern.features >= low - slack) & (pattern.features <= high + slack)).all()


EDGE = csr_from_edges(np.array([0]), np.array([1]), 2)


@pytest.mark.parametrize(
    ("graph", "options", "expected"),
    [
        (EDGE, {}, (2, 1, 1, 2)),
        (as_csr([EDGE] * 20), {}, (2, 1, 20, 40)),
        (rings(), {"pattern_size": 1}, (1, 0, 24, 24)),
        (
            rings(),
            {"learning": FilterLearning(num_hops=2**31 - 1), "kernel": GOMKKernel(3, tau=1e-30)},
            (4, 4, 6, 24),
        ),
        (rings(), {"kernel": GOMKKernel(3, tau=1e30, level_scale=1e30)}, (4, 4, 6, 24)),
    ],
)
def test_extreme_graphs_and_settings(graph, options, expected):
    (pattern,) = mine(graph, **options).patterns_
    assert shape_and_counts(pattern) == expected


def test_an_astronomical_count_of_stars():
    (pattern,) = mine(as_csr(nx.star_graph(1000)), pattern_size=(6, 6), count_seconds=0.5).patterns_
    count = pattern.frequency.occurrences
    assert (pattern.num_nodes, len(pattern.edges), count.is_exact) == (6, 5, True)
    # the hub and any five of its leaves
    assert count.value == comb(1000, 5)
    assert pattern.frequency.roots == 1001
    # all share the hub
    assert (pattern.frequency.listed, pattern.frequency.disjoint) == (10_000, 1)
    node_sets = {frozenset(one.nodes) for one in pattern.occurrences}
    assert len(node_sets) == 10_000 and all(0 in nodes for nodes in node_sets)


@pytest.mark.parametrize(
    "ids",
    [
        [LIMIT - 1 - 2 * node for node in range(12)] + [2 * node - LIMIT for node in range(12)],
        [f"nœud {node} 🙂" for node in range(24)],
    ],
    ids=["the largest integers", "text"],
)
def test_occurrences_name_nodes_as_the_graph_does(ids):
    (pattern,) = mine(rings(node_ids=np.array(ids))).patterns_
    occurrences = {frozenset(occurrence.nodes) for occurrence in pattern.occurrences}
    assert occurrences == {frozenset(ids[4 * ring : 4 * ring + 4]) for ring in range(6)}


def test_an_extreme_edge_list_is_mined(write):
    # weights at both ends of single precision, and ids beyond 64 bits
    path = write("g.txt", f"{LIMIT} 1 3e38\n1 2 1e-45\n2 {LIMIT} 1e-38\n")
    (pattern,) = mine(read_graph(path), pattern_size="3-8").patterns_
    assert shape_and_counts(pattern) == (3, 3, 1, 3)
    assert {name for occurrence in pattern.occurrences for name in occurrence.nodes} == {
        "1",
        "2",
        str(LIMIT),
    }
