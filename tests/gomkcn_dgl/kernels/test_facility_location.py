"""Facility location: the law in plain Python, and the same choice on every device."""

from statistics import fmean, pstdev

import numpy as np
import pytest
import torch

from gomkcn_dgl.kernels.facility_location import greedy_cover

DEVICES = ["cpu", *["cuda"] * torch.cuda.is_available()]


def plain_cover(similarity, weights, random_weights, number, margin):
    """The definition, for the eye."""
    kinds, candidates = range(len(similarity)), range(len(similarity[0]))
    chosen, excess = [], []

    def gain(counts, candidate):
        def cover(some):
            return sum(counts[k] * max(similarity[k][c] for c in some) for k in kinds)

        return cover([*chosen, candidate]) - (cover(chosen) if chosen else 0)

    def beyond_chance(candidate):
        own = gain(weights, candidate)
        if random_weights is None:
            return own
        others = [gain(counts, candidate) for counts in random_weights]
        return own - fmean(others) - margin * (pstdev(others) + 1)

    while len(chosen) < (len(candidates) if number is None else number):
        left = [c for c in candidates if c not in chosen]
        values = [beyond_chance(c) for c in left]
        if number is None and max(values) <= 0:
            break
        excess.append(max(values))
        chosen.append(left[values.index(max(values))])
    return chosen, excess


def problem(seed, kinds=30, candidates=12, graphs=5):
    """Similarities that a double holds exactly, so that nothing is rounded."""
    rng = np.random.default_rng(seed)
    similarity = rng.integers(0, 2**20 + 1, (kinds, candidates)) / 2**20
    return similarity, rng.poisson(30, kinds) * 1.0, rng.poisson(25, (graphs, kinds)) * 1.0


@pytest.mark.parametrize("number", [None, 1, 4, 12])
@pytest.mark.parametrize("margin", [0.0, 3.0])
@pytest.mark.parametrize("has_random", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_numpy_and_every_device_choose_as_defined(number, margin, has_random, seed):
    similarity, weights, random_weights = problem(seed)
    random_weights = random_weights if has_random else None
    chosen, excess = plain_cover(
        similarity.tolist(),
        weights.tolist(),
        None if random_weights is None else random_weights.tolist(),
        number,
        margin,
    )
    arrays = [similarity, weights, random_weights]
    found = [greedy_cover(*arrays, number, margin=margin)]
    for device in DEVICES:
        tensors = [None if one is None else torch.from_numpy(one).to(device) for one in arrays]
        found.append(greedy_cover(*tensors, number, margin=margin))
    for one in found:
        assert one.chosen == chosen
        np.testing.assert_allclose(one.excess, excess, rtol=0, atol=1e-9)
    # the same bits everywhere, whatever the order of sums, without square roots of means
    assert has_random or all(one == found[0] for one in found)


def test_of_equal_candidates_the_first_is_chosen_and_only_once():
    similarity, weights, random_weights = problem(0)
    # thirds of a step: rounded, so that sums have no errors that could decide
    twice = np.concatenate([similarity, similarity], axis=1) / 3
    alone = greedy_cover(similarity / 3, weights, random_weights)
    assert len(alone.chosen) > 1
    assert greedy_cover(twice, weights, random_weights) == alone
    tensors = [torch.from_numpy(one) for one in (twice, weights, random_weights)]
    assert greedy_cover(*tensors).chosen == alone.chosen
    # asked for all, nothing that is left covers more, and each is chosen once
    every = greedy_cover(*tensors[:2], number=24)
    assert sorted(every.chosen) == list(range(24))
    assert every.excess[-1] == 0


def test_what_is_given_stays_as_it_was():
    arrays = problem(1)
    before = [one.copy() for one in arrays]
    greedy_cover(*arrays)
    tensors = [torch.from_numpy(one) for one in arrays]
    greedy_cover(*tensors)
    for one, other in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(one, other)


def test_random_graphs_that_have_as_much_leave_nothing():
    similarity, weights, _ = problem(2)
    assert greedy_cover(similarity, weights, np.array([weights, weights])) == ([], [])
    assert greedy_cover(similarity[:, :0], weights) == ([], [])
