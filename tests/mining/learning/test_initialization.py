"""Initialisation of the filters: which subgraphs represent the others.

With one node, one feature and no levels a subgraph is a point on a line, and the similarity of two
is exp(-distance²), so that the choices below can be checked with a pencil.
"""

import numpy as np
import pytest
import torch

from gomkcn_dgl.matching import GOMKKernel
from mining.learning import filter_learning
from mining.learning.filter_learning import choose_initial
from mining.learning.rooted_subgraphs import SubgraphClasses


def points(positions, weight=None):
    """Classes on a line."""
    count = len(positions)
    weight = np.ones(count, np.int64) if weight is None else np.array(weight)
    return SubgraphClasses(
        first=np.arange(count),
        class_of=np.repeat(np.arange(count), weight),
        weight=weight,
        levels=torch.tensor(positions, dtype=torch.float32).reshape(count, 1, 1, 1),
        num_nodes=torch.ones(count, dtype=torch.int64),
    )


def choose(classes, num_filters, sample_size=1000, seed=0):
    kernel, rng = GOMKKernel(num_levels=0), np.random.default_rng(seed)
    return choose_initial(classes, num_filters, kernel, sample_size, rng, "auto").tolist()


@pytest.mark.parametrize(
    ("positions", "weight", "chosen"),
    [
        # the middle of three covers most, then the distant one
        ([0.0, 0.5, 1.0, 9.0], None, [1, 3]),
        # a heavy class first, then the nearest to two
        ([0.0, 5.0, 9.0, 9.5], [10, 1, 1, 1], [0, 2, 1]),
        # weight moves the choice from the middle to the end
        ([0.0, 0.5, 1.0], [1, 1, 50], [2, 0]),
        # of equal gains the first
        ([0.0, 9.0, 20.0], None, [0, 1, 2]),
    ],
)
def test_facility_location_on_a_line(positions, weight, chosen):
    assert choose(points(positions, weight), len(chosen)) == chosen


def test_each_step_of_facility_location_covers_the_most():
    rng = np.random.default_rng(0)
    positions, weight = rng.random(40) * 10, rng.integers(1, 9, 40)
    similarity = np.exp(-((positions[:, None] - positions) ** 2))
    chosen = choose(points(positions, weight), 6)
    for i in range(6):
        coverage = [weight @ similarity[:, [*chosen[:i], j]].max(axis=1) for j in range(40)]
        assert coverage[chosen[i]] == pytest.approx(max(coverage), rel=1e-5)


def test_many_classes_are_sampled_by_their_weight(monkeypatch):
    compared, pairwise = [], filter_learning._pairwise_similarity

    def spy(classes, rows, *arguments):
        compared.append(len(rows))
        return pairwise(classes, rows, *arguments)

    monkeypatch.setattr(filter_learning, "_pairwise_similarity", spy)
    # the weight lies on the last two, which every sample contains; all others are rare
    classes = points(np.arange(100.0), [1] * 98 + [1000, 2000])
    chosen = choose(classes, 4, sample_size=30, seed=3)
    assert len(compared) == 1
    assert all(count <= 30 for count in compared)
    assert {98, 99} <= set(chosen)
    assert len(set(chosen)) == 4
    assert chosen == choose(classes, 4, sample_size=30, seed=3)
    assert any(chosen != choose(classes, 4, sample_size=30, seed=i) for i in range(5))


def test_classes_without_weight_are_not_chosen():
    assert sorted(choose(points([0.0, 3.0, 6.0, 9.0], [1, 0, 2, 0]), 4)) == [0, 2]
