"""How often a pattern occurs in a whole graph: exactly where that is quick, else an estimate."""

from __future__ import annotations

import time
from itertools import islice

import numpy as np

from gomkcn_dgl.checks import check_float
from gomkcn_dgl.graph import CSRGraph
from mining.counting.exact_counts import ExactSearch
from mining.counting.spanning_trees import spanning_trees
from mining.counting.topology import Colors
from mining.counting.tree_loops import DRAWS_OF_A_BLOCK
from mining.counting.tree_sampler import TreeSampler
from mining.records.occurrence_count import OccurrenceCount

# standard deviations to either side in a 95 % interval
_Z = 1.959964
# trees whose mappings are counted, in a graph of this many entries or more only the first
_MOST_TREES, _MOST_ENTRIES = 12, 1 << 22
# of which these are tried with so many blocks of draws
_NUM_TRIED, _TRIED_BLOCKS = 3, 8
_FIRST_BLOCKS = 16


def count_occurrences(
    graph: CSRGraph,
    adjacency: np.ndarray,
    colors: Colors | None = None,
    *,
    error: float = 0.02,
    seconds: float = 1.0,
    exact_seconds: float = 0.3,
    seed: int = 0,
) -> OccurrenceCount:
    """Count the induced occurrences of a connected pattern: all of them, or an estimate."""
    check_float("error", error, 0, open_minimum=True)
    for name, value in (("seconds", seconds), ("exact_seconds", exact_seconds)):
        check_float(name, value, 0, open_minimum=True)
    search = ExactSearch(graph, adjacency, colors)
    search.run(exact_seconds)
    if not search.unfinished:
        return OccurrenceCount.exact(int(search.count.sum()))
    return estimate_occurrences(search, error, seconds, seed)


def estimate_occurrences(
    search: ExactSearch, error: float, seconds: float, seed: int
) -> OccurrenceCount:
    """Estimate the occurrences of what is searched for, by draws alone."""
    sampler = choose_sampler(search, seed)
    if sampler.num_ways == 0:
        return OccurrenceCount.exact(0)
    scale = sampler.num_ways / search.topology.num_automorphisms
    low, value, high = _estimate(sampler, error, seconds, seed)
    return OccurrenceCount(scale * value, scale * low, scale * high, is_exact=False)


def choose_sampler(search: ExactSearch, seed: int) -> TreeSampler:
    """The sampler of the spanning tree that needs the least work for the same error."""
    graph, topology = search.graph, search.topology
    # 1. the trees with the fewest mappings
    most = max(1, min(_MOST_TREES, _MOST_ENTRIES // (len(graph.indices) + 1)))
    trees = islice(spanning_trees(topology, graph.degrees), most)
    samplers = [TreeSampler(graph, topology, search.candidates, tree) for tree in trees]
    samplers.sort(key=lambda one: one.num_ways)
    samplers = samplers[:_NUM_TRIED]
    if len(samplers) == 1 or samplers[0].num_ways == 0:
        return samplers[0]
    # 2. of these the one with the smallest product of variance and work, by draws of their own
    costs = []
    for sampler in samplers:
        total, squares, _, work = sampler.draw_shares(0, _TRIED_BLOCKS, ~seed).sum(axis=0)
        costs.append(squares / total**2 * work if total > 0 else np.inf)
    return samplers[int(np.argmin(costs))]


def _estimate(
    sampler: TreeSampler, error: float, seconds: float, seed: int
) -> tuple[float, float, float]:
    """Lower end, mean and upper end of the share of mappings that show the pattern."""
    # compiled before the clock starts
    sampler.draw_shares(0, 0, seed)
    start, results = time.perf_counter(), np.zeros((0, 4))
    num_blocks = _FIRST_BLOCKS
    while num_blocks > 0:
        more = sampler.draw_shares(len(results), num_blocks, seed)
        results = np.concatenate([results, more])
        low, mean, high = interval(results)
        needed = np.inf
        if mean > 0:
            reached = (high - low) / (2 * mean)
            if reached <= error:
                break
            needed = 1.05 * len(results) * (reached / error) ** 2
        # at most three times as many as so far, and no more than there is time for
        elapsed = time.perf_counter() - start
        affordable = int((seconds / elapsed - 1) * len(results))
        num_blocks = int(min(max(needed - len(results), 4), 3 * len(results), affordable))
    return low, mean, high


def interval(results: np.ndarray) -> tuple[float, float, float]:
    """Mean of the shares and the ends of its 95 % interval, from the results of blocks of draws.

    Shares are in [0, 1] and vary less than hits and misses do. Wilson's interval is taken for as
    many draws of hits and misses as would vary as much as these shares.
    """
    total, squares, hits, _ = results.sum(axis=0)
    num_draws = len(results) * DRAWS_OF_A_BLOCK
    if not hits:
        return 0.0, 0.0, 1 - 0.05 ** (1 / num_draws)
    mean = total / num_draws
    variance = squares / num_draws - mean**2
    effective = num_draws
    if variance > 0:
        effective = num_draws * mean * (1 - mean) / variance
    center = (mean + _Z**2 / (2 * effective)) / (1 + _Z**2 / effective)
    half = _Z / (1 + _Z**2 / effective)
    half *= np.sqrt(mean * (1 - mean) / effective + _Z**2 / (4 * effective**2))
    return float(max(center - half, 0.0)), float(mean), float(center + half)
