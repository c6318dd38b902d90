"""Estimated counts beside exact ones: unbiased, and the same from any threads."""

import itertools
import time

import networkx as nx
import numba
import numpy as np
import pytest
from random_graphs import connected_part, random_graph

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from mining.counting import counter
from mining.counting.counter import (
    choose_sampler,
    count_occurrences,
    estimate_occurrences,
    interval,
)
from mining.counting.exact_search import ExactSearch, count_by_graph
from mining.counting.tree_sampler import DRAWS_OF_A_BLOCK


def estimate(graph, pattern, colors, num_blocks):
    """Mean and standard error of the estimate by some blocks of draws."""
    search = ExactSearch(graph, pattern, colors)
    sampler = choose_sampler(search, 0)
    results = sampler.draw_shares(0, num_blocks, 1)
    scale = sampler.num_ways / search.structure.num_automorphisms
    low, mean, high = interval(results)
    return scale * mean, scale * (high - low) / 3.92


@pytest.mark.parametrize("with_colors", [False, True])
def test_estimates_agree_with_exact_counts(with_colors):
    rng = np.random.default_rng(int(with_colors))
    deviations = []
    while len(deviations) < 12:
        graph, kinds = random_graph(rng, 14, int(rng.integers(20, 60)))
        pattern, order = connected_part(rng, graph, int(rng.integers(2, 6)))
        colors = (kinds[order], kinds) if with_colors else None
        truth = count_by_graph(graph, pattern, colors=colors).sum()
        value, error = estimate(graph, pattern, colors, 8)
        # where every draw is a hit the estimate is the truth
        deviations.append((value - truth) / error)
        assert truth > 0
    assert np.abs(deviations).max() < 3.5
    assert abs(np.mean(deviations)) < 1


@pytest.fixture(scope="module")
def pairs():
    """Patterns in graphs, with the number of their occurrences."""
    graphs = [nx.barabasi_albert_graph(60, 4, seed=1), nx.gnp_random_graph(60, 0.15, seed=2)]
    graphs = [as_csr(graph) for graph in graphs]
    shapes = [
        nx.path_graph(4), nx.path_graph(5), nx.star_graph(3), nx.complete_graph(3),
        nx.complete_graph(4), nx.cycle_graph(4), nx.cycle_graph(5), nx.lollipop_graph(3, 1),
        nx.house_graph(),
    ]  # fmt: skip
    patterns = [Structure.from_networkx(shape) for shape in shapes]
    return [(one, each, count_by_graph(one, each).sum()) for one in graphs for each in patterns]


def test_estimates_vary_as_much_as_their_intervals_say(pairs):
    deviations = []
    for graph, pattern, truth in pairs:
        search = ExactSearch(graph, pattern)
        sampler = choose_sampler(search, 0)
        scale = sampler.num_ways / search.structure.num_automorphisms
        for seed in range(1, 21):
            low, mean, high = (scale * one for one in interval(sampler.draw_shares(0, 4, seed)))
            deviations.append((mean - truth) / ((high - low) / 3.92))
    # the variance of so many is 1 ± .08
    assert len(deviations) == 360
    assert 0.8 < np.var(deviations) < 1.35


def test_draws_go_on_until_the_interval_is_as_narrow_as_was_asked_for(pairs):
    for graph, pattern, truth in pairs:
        found = estimate_occurrences(ExactSearch(graph, pattern), 0.05, 10**9, 0)
        assert found.state == "estimated"
        assert (found.high - found.low) / 2 <= 0.05 * found.value
        assert abs(found.value - truth) < 0.1 * truth


def test_an_estimate_takes_no_more_steps_than_it_may(pairs):
    graph, pattern, _ = pairs[6]
    sampler, results = choose_sampler(ExactSearch(graph, pattern), 0), []
    draw = sampler.draw_shares
    sampler.draw_shares = lambda *blocks: results.append(draw(*blocks)) or results[-1]
    # an error that no interval reaches
    counter._estimate_share(sampler, 1e-9, 10**7, 0)
    drawn = np.concatenate(results)
    spent = 128 * DRAWS_OF_A_BLOCK * len(drawn) + 8 * drawn[:, 3].sum()
    assert len(results) > 2 and 0.8 * 10**7 < spent < 1.05 * 10**7


def test_the_number_of_threads_does_not_matter():
    graph = as_csr(nx.barabasi_albert_graph(60, 4, seed=1))
    search = ExactSearch(graph, Structure.parse("ring-5"))
    before, results = numba.get_num_threads(), []
    try:
        for threads in (1, before):
            numba.set_num_threads(threads)
            results.append(choose_sampler(search, 0).draw_shares(3, 16, 5))
    finally:
        numba.set_num_threads(before)
    np.testing.assert_array_equal(*results)
    # blocks are numbered: the same draws in two parts
    sampler = choose_sampler(search, 0)
    parts = [sampler.draw_shares(3, 10, 5), sampler.draw_shares(13, 6, 5)]
    np.testing.assert_array_equal(np.concatenate(parts), results[0])


@pytest.fixture(params=[1, 2])
def threads(request):
    before = numba.get_num_threads()
    numba.set_num_threads(min(request.param, before))
    yield
    numba.set_num_threads(before)


def test_whether_steps_are_enough_depends_on_them_alone(threads, monkeypatch):
    graph, ring = as_csr(nx.barabasi_albert_graph(60, 4, seed=1)), Structure.parse("ring-5")
    # many pieces, and many looks at the limit
    monkeypatch.setattr("mining.counting.exact_search._STEPS_OF_A_PIECE", 10)
    monkeypatch.setattr("mining.counting.exact_search._STEPS", 100)
    search = ExactSearch(graph, ring)
    search.run()
    needed, count = search.steps, search.count.sum()
    search.run(max_steps=needed)
    assert (search.unfinished, search.steps, search.count.sum()) == (False, needed, count)
    search.run(max_steps=needed - 1)
    assert search.unfinished


def test_estimates_do_not_depend_on_the_clock(threads, monkeypatch):
    graph, ring = as_csr(nx.barabasi_albert_graph(60, 4, seed=1)), Structure.parse("ring-5")

    def count(max_steps):
        # a search for all takes a few more than 20,000 steps
        return count_occurrences(graph, ring, error=1e-6, max_steps=max_steps, seed=3)

    estimate_of_few, exact = count(20_000), count(4_000_000)
    assert (estimate_of_few.state, exact.state) == ("estimated", "exact")
    assert estimate_of_few.low < exact.value < estimate_of_few.high
    estimate = estimate_occurrences(ExactSearch(graph, ring), 1e-6, 4_000_000, 3)
    # more steps are more draws
    assert estimate.high - estimate.low < 0.7 * (estimate_of_few.high - estimate_of_few.low)
    # a machine that takes a quarter of an hour for anything
    ticks = itertools.count(0, 1000)
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(ticks)))
    assert (count(20_000), count(4_000_000)) == (estimate_of_few, exact)
    assert estimate_occurrences(ExactSearch(graph, ring), 1e-6, 4_000_000, 3) == estimate


def test_what_is_never_drawn_has_an_upper_bound():
    low, mean, high = interval(np.zeros((3, 4)))
    num_draws = 3 * DRAWS_OF_A_BLOCK
    assert (low, mean) == (0, 0)
    # that many draws would miss it with a probability of 5 %
    assert (1 - high) ** num_draws == pytest.approx(0.05)


def test_wilson_s_interval_of_hits_and_misses():
    low, mean, high = interval(np.array([[12.0, 12.0, 12.0, 0.0]]))
    assert mean == 12 / 1024
    # the shares from which this mean is 1.96 standard deviations away
    for end in (low, high):
        assert abs(mean - end) == pytest.approx(1.959964 * np.sqrt(end * (1 - end) / 1024))
