"""Initialisation of the filters: which subgraphs represent the others.

With one node, one feature and no levels a subgraph is a point on a line, and the similarity of two
is exp(-distance²): the choices below can be checked with a pencil.
"""

import dataclasses

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl import gomk
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.subgraphs import extract_subgraphs
from mining.learning import initialization
from mining.learning.initialization import INITIALIZATIONS, choose_initial
from mining.structures.subgraph_classes import SubgraphClasses, find_classes

POINT_KERNEL = GOMKKernel(num_levels=0)
# from real subgraphs; "random" parameters need no choice
CHOSEN = sorted(set(INITIALIZATIONS) - {"random"})


def points(positions, weights=None):
    """Classes on a line."""
    count = len(positions)
    weights = np.ones(count, np.int64) if weights is None else np.array(weights)
    return SubgraphClasses(
        first=np.arange(count),
        class_of=np.repeat(np.arange(count), weights),
        weight=weights,
        levels=torch.tensor(positions, dtype=torch.float32).reshape(count, 1, 1, 1),
        num_nodes=torch.ones(count, dtype=torch.int64),
    )


def choose(init, classes, num_patterns, kernel=POINT_KERNEL, sample_size=1000, seed=0):
    rng = np.random.default_rng(seed)
    return choose_initial(init, classes, num_patterns, kernel, sample_size, rng, "auto").tolist()


@pytest.mark.parametrize(
    ("positions", "weights", "chosen"),
    [
        # the middle of three covers most, then the far one
        ([0.0, 0.5, 1.0, 9.0], None, [1, 3]),
        # a heavy class first, then the nearest to two
        ([0.0, 5.0, 9.0, 9.5], [10, 1, 1, 1], [0, 2, 1]),
        # weight moves the choice from the middle to the end
        ([0.0, 0.5, 1.0], [1, 1, 50], [2, 0]),
        # of equal gains the first
        ([0.0, 9.0, 20.0], None, [0, 1, 2]),
    ],
)
def test_facility_location_on_a_line(positions, weights, chosen):
    assert choose("facility_location", points(positions, weights), len(chosen)) == chosen


def subgraph_classes(kernel, features=True):
    graph = nx.barabasi_albert_graph(60, 2, seed=1)
    matrix = np.random.default_rng(2).random((60, 2)) if features else np.ones((60, 1))
    batch = extract_subgraphs(as_csr(graph, features=matrix), 2, 5, policy="dense", seed=0)
    adj = torch.from_numpy(batch.adjacency())
    feat = torch.from_numpy(batch.gather(matrix.astype(np.float32)))
    classes = find_classes(kernel.embed(adj, feat), batch.num_nodes, kernel)
    return classes, adj[classes.first], feat[classes.first]


def coverage(similarity, weight, chosen):
    """Sum over all subgraphs of the similarity to the nearest chosen one."""
    return sum(w * max(row[j] for j in chosen) for w, row in zip(weight, similarity, strict=True))


@pytest.mark.parametrize("matching", ["optimal", "greedy"])
def test_each_step_of_facility_location_covers_the_most(matching):
    kernel = GOMKKernel(2, matching=matching)
    classes, adj, feat = subgraph_classes(kernel)
    similarity = gomk(
        adj, feat, adj, feat, num_levels=2, matching=matching, normalize=True, backend="reference"
    ).tolist()  # fmt: skip
    weight = classes.weight.tolist()
    chosen = choose("facility_location", classes, 6, kernel)
    for step in range(6):
        best = max(
            coverage(similarity, weight, [*chosen[:step], candidate])
            for candidate in set(range(len(classes))) - set(chosen[:step])
        )
        reached = coverage(similarity, weight, chosen[: step + 1])
        # two subgraphs may cover as much as each other
        assert reached == pytest.approx(best, rel=1e-5)


@pytest.mark.parametrize("init", CHOSEN)
def test_the_choice_is_seeded_and_without_repeats(init):
    kernel = GOMKKernel(2)
    classes, _, _ = subgraph_classes(kernel)
    first = choose(init, classes, 8, kernel, seed=4)
    assert first == choose(init, classes, 8, kernel, seed=4)
    assert len(set(first)) == 8
    assert all(0 <= row < len(classes) for row in first)
    others = [choose(init, classes, 8, kernel, seed=seed) for seed in range(5, 10)]
    # facility location draws nothing at random while all classes are compared
    assert all(other == first for other in others) == (init == "facility_location")


@pytest.mark.parametrize("seed", range(3))
def test_kmeans_plus_plus_takes_one_of_each_cluster(seed):
    positions = [0.0, 0.01, 0.02, 10.0, 10.01, 20.0, 20.01, 20.02]
    chosen = choose("kmeans++", points(positions), 3, seed=seed)
    assert sorted(round(positions[row], -1) for row in chosen) == [0.0, 10.0, 20.0]


@pytest.mark.parametrize("init", CHOSEN)
def test_many_classes_are_sampled(init, monkeypatch):
    compared = []
    pairwise = initialization._pairwise_similarity

    def spy(classes, rows, *arguments):
        compared.append(len(rows))
        return pairwise(classes, rows, *arguments)

    monkeypatch.setattr(initialization, "_pairwise_similarity", spy)
    # the weight lies on the last two, which every sample holds; all others are rare
    classes = points(np.arange(100.0), [1] * 98 + [1000, 2000])
    chosen = choose(init, classes, 4, sample_size=30, seed=3)
    assert all(count <= 30 for count in compared)
    assert len(compared) == (init != "sample")
    assert {98, 99} <= set(chosen)
    assert chosen == choose(init, classes, 4, sample_size=30, seed=3)


def test_a_sample_counts_how_often_a_class_was_drawn():
    # alone, the far point would be worth as much as the heavy one
    classes = points([0.0, 50.0, *np.linspace(100, 200, 20)], [500, 100, *[1] * 20])
    assert choose("facility_location", classes, 2, sample_size=20, seed=0) == [0, 1]


@pytest.mark.parametrize("init", CHOSEN)
def test_classes_without_weight_are_not_chosen(init):
    positions = [0.0, 3.0, 6.0, 9.0]
    classes = dataclasses.replace(points(positions), weight=np.array([1, 0, 2, 0]))
    assert sorted(choose(init, classes, 4)) == [0, 2]
