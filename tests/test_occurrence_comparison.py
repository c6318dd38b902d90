"""Of the mappings that are similar enough, the one under which most edges agree."""

import itertools

import numpy as np
import pytest

from mining.explanation.occurrence_explanation import align_edges


def num_wrong(adjacency, pattern, mapping):
    mapping = np.array(mapping)
    return int((adjacency != pattern[np.ix_(mapping, mapping)]).sum()) // 2


@pytest.mark.parametrize("seed", range(8))
def test_the_best_of_all_mappings(seed):
    rng = np.random.default_rng(seed)
    num_nodes, size = (5, 6) if seed % 2 else (6, 6)
    slack = (0.0, 0.3, np.inf)[seed % 3]
    scores = rng.integers(0, 3, (num_nodes, size)) / 2
    adjacency, pattern = (np.triu(rng.random((n, n)) < 0.5, 1) for n in (num_nodes, size))
    adjacency, pattern = adjacency | adjacency.T, pattern | pattern.T
    rows = np.arange(num_nodes)
    mappings = list(itertools.permutations(range(size), num_nodes))
    start = np.array(max(mappings, key=lambda mapping: scores[rows, mapping].sum()))
    rank = {
        mapping: (num_wrong(adjacency, pattern, mapping), -scores[rows, mapping].sum())
        for mapping in mappings
        if scores[rows, mapping].sum() >= scores[rows, start].sum() - slack - 1e-5
    }
    aligned = align_edges(scores, adjacency, pattern, start, slack)
    assert rank[tuple(aligned)] == min(rank.values())


def test_the_first_node_can_be_pinned():
    path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=bool)
    edge = np.array([[0, 1], [1, 0]], dtype=bool)
    aligned = align_edges(np.ones((2, 3)), edge, path, np.array([2, 0]), 0, pinned=True)
    assert aligned.tolist() == [2, 1]
    aligned = align_edges(np.ones((3, 3)), path, path, np.array([1, 0, 2]), 0)
    assert num_wrong(path, path, aligned) == 0


def test_large_patterns_are_improved_by_exchanges():
    clique = ~np.eye(12, dtype=bool)
    start = np.arange(12)[::-1].copy()
    assert (align_edges(np.ones((12, 12)), clique, clique, start, 1.0) == start).all()
    ring = np.roll(np.eye(12, dtype=bool), 1, axis=0)
    ring |= ring.T
    exchanged = np.arange(12)
    exchanged[[2, 7]] = [7, 2]
    assert num_wrong(ring, ring, align_edges(np.ones((12, 12)), ring, ring, exchanged, 0)) == 0
    # nothing is given up for edges without slack
    identity = np.eye(12)
    assert (align_edges(identity[exchanged], ring, ring, exchanged, 0) == exchanged).all()
