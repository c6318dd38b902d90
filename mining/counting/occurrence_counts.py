"""How often a pattern occurs in a whole graph: exactly where that is quick, else an estimate."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache, partial
from itertools import islice

import numpy as np

from gomkcn_dgl.checks import check_float
from gomkcn_dgl.graph import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.processes import broadcast_object, gather_objects, share_of
from mining.counting.exact_counts import ExactSearch
from mining.counting.root_sampler import estimate_from_roots
from mining.counting.sought import Colors
from mining.counting.spanning_trees import spanning_trees
from mining.counting.star_counts import count_stars
from mining.counting.tree_loops import DRAWS_OF_A_BLOCK
from mining.counting.tree_sampler import TreeSampler
from mining.records.occurrence_count import OccurrenceCount

# standard deviations to either side in a 95 % interval
_Z = 1.959964
# trees whose mappings are counted, in a graph of this many entries or more only the first
_MOST_TREES, _MOST_ENTRIES = 12, 1 << 22
# of which these are tried with so many blocks of draws
_NUM_TRIED, _TRIED_BLOCKS = 3, 8
_FIRST_BLOCKS = 4
# the part of the work after which a rough count looks whether it is done
_FIRST_PART = 0.125
# and of the search where draws hardly ever hit
_LONG_PART = 16
# and of the draws in a similar graph, of which there are several
_KNOWN_PART = 0.25


def count_occurrences(
    graph: CSRGraph,
    structure: Structure,
    colors: Colors | None = None,
    *,
    error: float = 0.02,
    seconds: float = 1.0,
    exact_seconds: float = 0.3,
    seed: int = 0,
    shared: bool = False,
) -> OccurrenceCount:
    """Count the induced occurrences of a connected pattern in a whole graph, or estimate them.

    All are counted if that takes no longer than ``exact_seconds``, and stars without triangles at
    their centres by a formula. Else spanning trees of the
    pattern are mapped into the graph. How many mappings (homomorphisms) of a tree there are is
    computed exactly, in O(M (V + E)); then some are drawn, uniformly and independently, and

        occurrences = mappings * mean share / automorphisms of the pattern.

    The share of a draw of all nodes but the last is 0 if two of them agree, or are joined otherwise
    than in the pattern; else it is the share of the places of the last node that fit. For any fixed
    number of draws the estimate is unbiased. The interval is Wilson's, for as many hits and misses
    as vary like these shares; that it covers 95 % rests on the central limit theorem for the mean
    of independent shares, so that it holds approximately, and not for a handful of draws with a
    share above 0. Draws end when the interval is narrow enough, which biases the estimate by a
    fraction of about 1 / (draws with a share): by a hundredth of its standard error at the default
    ``error``. If no draw has a share, the occurrences that a search meets at random nodes are the
    estimate, see :func:`mining.counting.root_sampler.estimate_from_roots`, for as long again; and
    if it meets none, the upper end is the largest number that so many draws would miss with a
    probability of 5 %, and the record says "fewer than".

    Results depend on ``seed`` and ``error`` alone, and not on the number of threads, unless the
    time is up before. The graph is only read, so that it may be on disk; memory beside it is
    O(M V + M E / 32) numbers of 8 bytes.

    Parameters
    ----------
    graph : CSRGraph
        One graph or a collection; weights and features are not used.
    structure, colors
        As for :func:`count_exact`.
    error : float
        Wanted half-width of the interval, relative to the estimate.
    seconds : float
        Most seconds to draw; what counts before is the preparation of the graph, some passes over
        its edges for each tree that is tried.
    exact_seconds : float
        Most seconds to search for all occurrences first.
    seed : int
        Of the draws.
    shared : bool
        Whether all processes of a run make this call together, each with a share of the draws. The
        result is that of one process, unless the time is up before.

    Returns
    -------
    OccurrenceCount

    Raises
    ------
    InputError
        If relations or ``colors`` do not fit to the graph, or a number is not above 0.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> count_occurrences(as_csr(nx.complete_graph(6)), Structure.parse("clique-4")).value
    15
    """
    check_float("error", error, 0, open_minimum=True)
    for name, value in (("seconds", seconds), ("exact_seconds", exact_seconds)):
        check_float(name, value, 0, open_minimum=True)
    stars = count_stars(graph, structure, colors)
    if stars is not None:
        return _exactly(sum(stars))
    search = ExactSearch(graph, structure, colors)
    search.run(exact_seconds)
    found = None if search.unfinished else int(search.count.sum())
    if shared:
        # one process that has finished is enough
        found = next((each for each in gather_objects(found) if each is not None), None)
    if found is not None:
        return OccurrenceCount.exact(found)
    return estimate_occurrences(search, error, seconds, seed, shared=shared)


def _exactly(number: int) -> OccurrenceCount:
    """A number that was counted; one that 64 bits do not hold is known to 16 digits."""
    if number < 2**63:
        return OccurrenceCount.exact(number)
    return OccurrenceCount(float(number), float(number), float(number), is_exact=False)


def count_roughly(
    graph: CSRGraph,
    structure: Structure,
    colors: Colors | None = None,
    *,
    error: float = 0.1,
    max_steps: int = 1 << 20,
    max_draws: int = 1 << 17,
    seed: int = 0,
    known: OccurrenceCount | None = None,
) -> OccurrenceCount:
    """The same within limits of work in place of time, so that it is equal on any machine.

    First a search of few steps, then few draws of the first tree, which are enough for what is
    frequent; then a search of ``max_steps``, which finds all of what is rare, and ``max_draws``;
    and where these say hardly anything, a long search, at random nodes where no draw hit. Where the
    count in a similar graph is ``known``, it is taken in the way that was right there.
    """
    search = ExactSearch(graph, structure, colors)

    def find_all(part: float) -> OccurrenceCount | None:
        search.run(None, int(part * max_steps))
        if not search.unfinished:
            return OccurrenceCount.exact(int(search.count.sum()))
        return None

    @cache
    def sampler() -> TreeSampler:
        tree = next(spanning_trees(search.structure, graph.degrees))
        return TreeSampler(graph, search.sought, search.candidates, tree)

    def draw(part: float) -> OccurrenceCount:
        if sampler().num_ways == 0:
            return OccurrenceCount.exact(0)
        shares = partial(TreeSampler.draw_shares, sampler())
        ends = _estimate(shares, error, None, seed, max_draws=int(part * max_draws))
        return _scaled(search, sampler(), ends)

    def search_some() -> OccurrenceCount | None:
        return estimate_from_roots(search, seed, max_steps=_LONG_PART * max_steps)

    if known is not None:
        found = find_all(_LONG_PART) if known.is_exact else None
        estimate = found or draw(_KNOWN_PART)
        return estimate if estimate.is_exact or estimate.value else search_some() or estimate
    for part in (_FIRST_PART, 1):
        found = find_all(part)
        if found is not None:
            return found
        estimate = draw(part)
        if estimate.high - estimate.low <= 2 * error * estimate.value:
            return estimate
    if estimate.high - estimate.low <= estimate.value:
        return estimate
    return (find_all(_LONG_PART) if estimate.value else search_some()) or estimate


def estimate_occurrences(
    search: ExactSearch, error: float, seconds: float, seed: int, *, shared: bool = False
) -> OccurrenceCount:
    """Estimate the occurrences of what is searched for, by draws alone."""
    sampler = choose_sampler(search, seed)
    if sampler.num_ways == 0:
        return OccurrenceCount.exact(0)
    draw = partial(_draw_shared if shared else TreeSampler.draw_shares, sampler)
    estimate = _scaled(search, sampler, _estimate(draw, error, seconds, seed, shared))
    if estimate.value:
        return estimate
    # no draw has hit
    other = estimate_from_roots(search, seed, seconds=seconds)
    return (broadcast_object(other) if shared else other) or estimate


def _scaled(
    search: ExactSearch, sampler: TreeSampler, ends: tuple[float, float, float]
) -> OccurrenceCount:
    """The occurrences that a share of the mappings of a tree, with its interval, stands for."""
    scale = sampler.num_ways / search.structure.num_automorphisms
    low, value, high = ends
    return OccurrenceCount(scale * value, scale * low, scale * high, is_exact=False)


def choose_sampler(search: ExactSearch, seed: int) -> TreeSampler:
    """The sampler of the spanning tree that needs the least work for the same error."""
    graph, sought = search.graph, search.sought
    # 1. the trees with the fewest mappings
    most = max(1, min(_MOST_TREES, _MOST_ENTRIES // (len(graph.indices) + 1)))
    trees = islice(spanning_trees(search.structure, graph.degrees), most)
    samplers = [TreeSampler(graph, sought, search.candidates, tree) for tree in trees]
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


def _draw_shared(sampler: TreeSampler, first: int, num_blocks: int, seed: int) -> np.ndarray:
    """The same draws by all processes, each its share of the blocks."""
    own = share_of(num_blocks)
    results = sampler.draw_shares(first + own.start, own.stop - own.start, seed)
    return np.concatenate(gather_objects(results))


def _estimate(
    draw: Callable[[int, int, int], np.ndarray],
    error: float,
    seconds: float | None,
    seed: int,
    shared: bool = False,
    max_draws: int | None = None,
) -> tuple[float, float, float]:
    """Lower end, mean and upper end of the share of mappings that show the pattern.

    Draws end at the relative ``error``, or when time or draws are used up.
    """
    # compiled before the clock starts
    draw(0, 0, seed)
    start, results = time.perf_counter(), np.zeros((0, 4))
    num_blocks = _FIRST_BLOCKS
    while num_blocks > 0:
        more = draw(len(results), num_blocks, seed)
        results = np.concatenate([results, more])
        low, mean, high = interval(results)
        needed = np.inf
        if mean > 0:
            reached = (high - low) / (2 * mean)
            if reached <= error:
                break
            needed = 1.05 * len(results) * (reached / error) ** 2
        # at most three times as many as so far, and no more than there is time for
        affordable = 3 * len(results)
        if max_draws is not None:
            affordable = max_draws // DRAWS_OF_A_BLOCK - len(results)
        elif seconds is not None:
            elapsed = time.perf_counter() - start
            affordable = int((seconds / elapsed - 1) * len(results))
        if shared:
            affordable = broadcast_object(affordable)
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
