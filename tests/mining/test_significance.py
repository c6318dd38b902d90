"""Step-down max-T against loops and numbers by hand; verdicts; permuted classes."""

import itertools

import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from mining.pattern import NullComparison
from mining.significance import compare_classes, compare_with_random, step_down


def plain_comparison(counts):
    """(z, p, p_adjusted, verdict) of each structure, by the formulas, one number after the other.

    Also the exact distances, so that nothing depends on how they are rounded.
    """
    num_samples, size = len(counts) - 1, len(counts[0])
    floor = 0.25 if num_samples >= 199 else 1
    signed = [[0.0] * size for _ in counts]
    for s in range(size):
        column = [row[s] for row in counts]
        mean = sum(column) / len(column)
        variance = sum((c - mean) ** 2 for c in column) / len(column)
        for i, c in enumerate(column):
            signed[i][s] = (c - mean) / (variance + floor) ** 0.5
    family = [s for s in range(size) if any(row[s] for row in counts)]
    order = sorted(family, key=lambda s: -abs(signed[0][s]))
    adjusted, largest_so_far = [1.0] * size, 0.0
    for j, s in enumerate(order):
        beyond = 0
        for row in signed:
            beyond += max(abs(row[k]) for k in order[j:]) >= abs(signed[0][s]) - 1e-9
        largest_so_far = max(largest_so_far, beyond / len(counts))
        adjusted[s] = largest_so_far
    found = []
    for s in range(size):
        drawn = [row[s] for row in counts[1:]]
        mean = sum(drawn) / num_samples
        sd = (sum((c - mean) ** 2 for c in drawn) / (num_samples - 1)) ** 0.5
        z = (counts[0][s] - mean) / sd if sd else None
        more = signed[0][s] > 0
        rank = 1 + sum(c >= counts[0][s] if more else c <= counts[0][s] for c in drawn)
        far = "more frequent" if more else "less frequent"
        verdict = far if adjusted[s] <= 0.05 else "as expected"
        found.append((z, rank / len(counts), adjusted[s], verdict))
    return found


@pytest.mark.parametrize("num_samples", [2, 30, 99, 198, 199])
def test_verdicts_equal_those_of_loops(num_samples):
    rng = np.random.default_rng(num_samples)
    rates = np.array([0, 0.02, 0.5, 3, 40, 2000])
    counts = rng.poisson(rates, (num_samples + 1, len(rates)))
    counts[0] += np.array([0, 1, 2, 7, -9, 5])
    # structures that go together
    counts = np.concatenate([counts, counts[:, 3:5] + rng.poisson(1, (num_samples + 1, 2))], axis=1)
    wanted = plain_comparison(counts.tolist())
    for one, (z, p, adjusted, verdict) in zip(
        compare_with_random("degree", counts), wanted, strict=True
    ):
        assert one.z == (None if z is None else pytest.approx(z))
        assert one.p == pytest.approx(p)
        assert one.p_adjusted == pytest.approx(adjusted)
        assert one.verdict == verdict
        assert one.p <= one.p_adjusted + 1e-12


def test_distances_by_hand():
    """Three graphs: T[0] is 3, 1.2, 1; others reach 1.2 with the second structure alone."""
    distance = np.array([[1.0, 3.0, 1.2], [0.5, 2.0, 1.2], [1.1, 0.0, 0.0]])
    # second: only itself; third: itself and graph 1 by a tie; first: itself and graph 2, and no
    # less than what came before
    assert step_down(distance).tolist() == pytest.approx([2 / 3, 1 / 3, 2 / 3])


def test_numbers_that_are_printed():
    counts = np.zeros((200, 3), np.int64)
    counts[0], counts[1:100, 0], counts[1:, 2] = (9, 4, 7), 2, 7
    first, second, third = compare_with_random("degree", counts)
    assert (first.observed, first.largest, first.num_samples) == (9, 2, 199)
    assert first.mean == pytest.approx(2 * 99 / 199)
    assert first.sd == pytest.approx(np.std(counts[1:, 0], ddof=1))
    assert first.z == pytest.approx((9 - first.mean) / first.sd)
    assert (first.p, first.p_adjusted, first.verdict) == (1 / 200, 1 / 200, "more frequent")
    # 0 in all others: no spread, hence no z
    assert (second.mean, second.sd, second.z, second.p) == (0, 0, None, 1 / 200)
    assert second.verdict == "more frequent"
    # the same everywhere
    assert (third.mean, third.z, third.p, third.p_adjusted) == (7, None, 1, 1)


def test_at_the_mean_the_rank_is_that_of_what_is_rarer():
    comparison = compare_with_random("degree", np.array([[2], [1], [1], [4]]))[0]
    assert (comparison.p, comparison.z) == (3 / 4, 0)


def test_a_single_copy_of_something_rare_is_no_news():
    """Of 60 structures each occurs once, in some graph: that the graph has one says nothing."""
    for num_samples in (99, 199):
        counts = np.zeros((num_samples + 1, 61), np.int64)
        counts[0, 0] = 1
        counts[np.arange(1, 61), np.arange(1, 61)] = 1
        assert compare_with_random("degree", counts)[0].p_adjusted > 0.05


def test_fewer_than_chance_is_called_as_well():
    rng = np.random.default_rng(0)
    counts = rng.poisson(50, (200, 4))
    counts[0, 2] = 5
    comparison = compare_with_random("degree", counts)[2]
    assert (comparison.verdict, comparison.p) == ("less frequent", 1 / 200)
    assert comparison.z < -4


def test_large_counts_are_compared_exactly():
    """Of 2 to the 62 and a little more, and of numbers beyond 64 bits."""
    rng = np.random.default_rng(1)
    small = rng.poisson(20, (200, 3)).astype(np.int64)
    small[0] = 21, 60, 20
    small[:, 2] = 5
    wanted = [(one.p, one.p_adjusted, one.verdict) for one in compare_with_random("a", small)]
    for shifted in (small + 2**62, small.astype(object) + 2**80):
        found = compare_with_random("a", shifted)
        assert [(one.p, one.p_adjusted, one.verdict) for one in found] == wanted
    assert wanted[1][2] == "more frequent"


def test_the_level_holds_exactly_over_all_orders_of_exchangeable_graphs():
    """Each of 40 graphs in turn is the one that is judged: at most 2 are called at .05."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        counts = rng.poisson(rng.choice([0.1, 1, 30], 12), (40, 12)) * rng.integers(1, 9, 12)
        called = 0
        for first in range(40):
            order = [first, *(i for i in range(40) if i != first)]
            found = compare_with_random("degree", counts[order])
            called += min(one.p_adjusted for one in found) <= 0.05
        assert called <= 2


def test_what_rounding_alone_tells_apart_is_a_tie():
    assert step_down(np.array([[0.1 + 0.2], [0.3], [0.0]])).tolist() == [2 / 3]


def test_counts_of_no_two_random_graphs_are_refused():
    with pytest.raises(InputError, match=r"at least two random graphs, got the shape \(2, 4\)"):
        compare_with_random("degree", np.ones((2, 4), int))


def test_a_record_comes_back():
    first = compare_with_random("degree", np.array([[5], [1], [2], [3]]))[0]
    record = first.to_dict()
    assert record == {
        "num_samples": 3,
        "observed": 5.0,
        "mean": 2.0,
        "sd": 1.0,
        "largest": 3.0,
        "z": 3.0,
        "p": 0.25,
        "p_adjusted": 0.25,
        "verdict": "as expected",
    }
    assert NullComparison("degree", **record) == first


def plain_class_p(counts, labels, orders):
    """Adjusted p by differences of means, over the permutations that are given."""

    def differences(own):
        rows = []
        for s in range(counts.shape[1]):
            column = counts[:, s]
            best = 0.0
            for label in sorted(set(labels)):
                inside = column[own == label]
                outside = column[own != label]
                n, m = len(inside), len(outside)
                # standard deviation of the difference over all permutations
                sd = column.std() * np.sqrt((n + m) ** 2 / (n * m * (n + m - 1)))
                best = max(best, abs(inside.mean() - outside.mean()) / sd)
            rows.append(best)
        return rows

    return step_down(np.array([differences(np.array(labels)[list(order)]) for order in orders]))


@pytest.mark.parametrize("labels", [[0, 0, 0, 1, 1, 1, 1], [0, 1, 1, 2, 2, 0, 2]])
def test_permuted_classes_equal_all_permutations(labels):
    counts = np.random.default_rng(3).poisson([1, 3, 9], (7, 3))
    counts[:, 1] += 4 * np.array(labels)
    wanted = plain_class_p(counts, labels, list(itertools.permutations(range(7))))
    found = compare_classes(counts, np.array(labels), num_samples=6000, seed=1)
    # the error of a share of 6,000
    assert np.abs(found - wanted).max() < 0.03
    # what all graphs hold alike has nothing to say
    same = np.column_stack([counts, np.full(7, 0.1)])
    again = compare_classes(same, np.array(labels), num_samples=6000, seed=1)
    assert again.tolist() == [*found.tolist(), 1.0]


def test_one_class_has_nothing_to_be_compared_with():
    assert compare_classes(np.array([[1], [2], [3]]), np.zeros(3, int)).tolist() == [1.0]
    with pytest.raises(InputError, match="num_samples must be at least 1, got 0"):
        compare_classes(np.array([[1], [2]]), np.array([0, 1]), num_samples=0)
