"""The start of the filters: which subgraphs are chosen to represent the others.

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
from mining.learning import initialization as starts
from mining.learning.initialization import INITIALIZATIONS, choose_initial
from mining.structures.subgraph_classes import SubgraphClasses, find_classes

POINT_KERNEL = GOMKKernel(num_levels=0)
# from real subgraphs; "random" parameters need no choice
CHOSEN_STARTS = sorted(set(INITIALIZATIONS) - {"random"})


def points(places, weights=None):
    """Types on a line."""
    count = len(places)
    weights = np.ones(count, np.int64) if weights is None else np.array(weights)
    return SubgraphClasses(
        first=np.arange(count),
        type_of=np.repeat(np.arange(count), weights),
        weight=weights,
        levels=torch.tensor(places, dtype=torch.float32).reshape(count, 1, 1, 1),
        num_nodes=torch.ones(count, dtype=torch.int64),
    )


def choose(start, types, num_patterns, kernel=POINT_KERNEL, sample_size=1000, seed=0):
    rng = np.random.default_rng(seed)
    return choose_initial(start, types, num_patterns, kernel, sample_size, rng, "auto").tolist()


def test_the_starts_are_those_that_are_documented():
    assert INITIALIZATIONS == ("facility_location", "kmeans++", "random", "sample")


@pytest.mark.parametrize(
    ("places", "weights", "chosen"),
    [
        # the middle of three covers most, then the far one
        ([0.0, 0.5, 1.0, 9.0], None, [1, 3]),
        # a heavy type first, then the nearest to two
        ([0.0, 5.0, 9.0, 9.5], [10, 1, 1, 1], [0, 2, 1]),
        # weight moves the choice from the middle to the end
        ([0.0, 0.5, 1.0], [1, 1, 50], [2, 0]),
        # of equal gains the first
        ([0.0, 9.0, 20.0], None, [0, 1, 2]),
    ],
)
def test_facility_location_on_a_line(places, weights, chosen):
    assert choose("facility_location", points(places, weights), len(chosen)) == chosen


def subgraph_types(kernel, features=True):
    graph = nx.barabasi_albert_graph(60, 2, seed=1)
    matrix = np.random.default_rng(2).random((60, 2)) if features else np.ones((60, 1))
    batch = extract_subgraphs(as_csr(graph, features=matrix), 2, 5, policy="dense", seed=0)
    adj = torch.from_numpy(batch.adjacency())
    feat = torch.from_numpy(batch.gather(matrix.astype(np.float32)))
    types = find_classes(kernel.embed(adj, feat), batch.num_nodes, kernel)
    return types, adj[types.first], feat[types.first]


def coverage(similarity, weight, chosen):
    """Sum over all subgraphs of the similarity to the nearest chosen one."""
    return sum(w * max(row[j] for j in chosen) for w, row in zip(weight, similarity, strict=True))


@pytest.mark.parametrize("matching", ["optimal", "greedy"])
def test_each_step_of_facility_location_covers_the_most(matching):
    kernel = GOMKKernel(2, matching=matching)
    types, adj, feat = subgraph_types(kernel)
    similarity = gomk(
        adj, feat, adj, feat, num_levels=2, matching=matching, normalize=True, backend="reference"
    ).tolist()  # fmt: skip
    weight = types.weight.tolist()
    chosen = choose("facility_location", types, 6, kernel)
    for step in range(6):
        best = max(
            coverage(similarity, weight, [*chosen[:step], candidate])
            for candidate in set(range(len(types))) - set(chosen[:step])
        )
        reached = coverage(similarity, weight, chosen[: step + 1])
        # two subgraphs may cover as much as each other
        assert reached == pytest.approx(best, rel=1e-5)


@pytest.mark.parametrize("start", CHOSEN_STARTS)
def test_the_choice_is_seeded_and_without_repeats(start):
    kernel = GOMKKernel(2)
    types, _, _ = subgraph_types(kernel)
    first = choose(start, types, 8, kernel, seed=4)
    assert first == choose(start, types, 8, kernel, seed=4)
    assert len(set(first)) == 8
    assert all(0 <= row < len(types) for row in first)
    others = [choose(start, types, 8, kernel, seed=seed) for seed in range(5, 10)]
    # facility location leaves nothing to chance while all types are compared
    assert all(other == first for other in others) == (start == "facility_location")


@pytest.mark.parametrize("start", CHOSEN_STARTS)
def test_fewer_types_than_patterns(start):
    assert sorted(choose(start, points([0.0, 1.0, 5.0]), 12)) == [0, 1, 2]


@pytest.mark.parametrize("seed", range(10))
def test_kmeans_plus_plus_takes_one_of_each_cluster(seed):
    places = [0.0, 0.01, 0.02, 10.0, 10.01, 20.0, 20.01, 20.02]
    chosen = choose("kmeans++", points(places), 3, seed=seed)
    assert sorted(round(places[row], -1) for row in chosen) == [0.0, 10.0, 20.0]


def test_a_sample_follows_the_weights():
    types = points([0.0, 1.0, 2.0], [1, 98, 1])
    first = [choose("sample", types, 1, seed=seed)[0] for seed in range(40)]
    assert first.count(1) >= 35


@pytest.mark.parametrize("start", CHOSEN_STARTS)
def test_many_types_are_sampled(start, monkeypatch):
    compared = []
    pairwise = starts._pairwise

    def spy(types, rows, *arguments):
        compared.append(len(rows))
        return pairwise(types, rows, *arguments)

    monkeypatch.setattr(starts, "_pairwise", spy)
    # the weight lies on the last two, which every sample holds; all others are rare
    types = points(np.arange(100.0), [1] * 98 + [1000, 2000])
    chosen = choose(start, types, 4, sample_size=30, seed=3)
    assert all(count <= 30 for count in compared)
    assert len(compared) == (start != "sample")
    assert {98, 99} <= set(chosen)
    assert chosen == choose(start, types, 4, sample_size=30, seed=3)


def test_a_sample_counts_how_often_a_type_was_drawn():
    # alone, the far point would be worth as much as the heavy one
    types = points([0.0, 50.0, *np.linspace(100, 200, 20)], [500, 100, *[1] * 20])
    assert choose("facility_location", types, 2, sample_size=20, seed=0) == [0, 1]


@pytest.mark.parametrize("start", CHOSEN_STARTS)
def test_types_without_weight_are_not_chosen(start):
    places = [0.0, 3.0, 6.0, 9.0]
    types = dataclasses.replace(points(places), weight=np.array([1, 0, 2, 0]))
    assert sorted(choose(start, types, 4)) == [0, 2]
