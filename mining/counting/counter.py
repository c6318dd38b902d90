"""How often a pattern occurs in a whole graph: exactly where that is quick, else an estimate."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from hashlib import blake2b
from itertools import islice
from weakref import WeakKeyDictionary

import numpy as np

from gomkcn.mining.counting.occurrence_search import NO_LIMITS, OccurrenceSearch, SearchLimits
from gomkcn.mining.counting.query import Query
from gomkcn.mining.counting.tree_sampler import (
    DRAWS_OF_A_BLOCK,
    SpanningTree,
    TreeSampler,
    spanning_trees,
)
from gomkcn.mining.counting.watching import STEPS_PER_SECOND, Watch, half_of, to_the_end
from gomkcn.mining.structures.pattern import OccurrenceCount
from gomkcn_dgl.bounds import MOST_LISTED, MOST_STEPS
from gomkcn_dgl.checks import check_float, check_int
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.kernels.search_numba import random_keys
from gomkcn_dgl.messages import Argument

# roots that tell how much work one is: their mean is off by some percent where work varies as usual
_NUM_FIRST = 1 << 10
# roots that places are listed from to begin with, twice as many each time there are too few
_NUM_LISTED = 1 << 12
# a search of a larger share may take so many times the planned work: where it is stopped early, it
# is those roots that have most occurrences
_SLACK = 4
# the share of its steps that a search for all makes before it is asked whether the others are of
# use; where it would have come to its end, what was made is made again, and costs no more than this
_FIRST_PART = 0.05
# the share of these steps after which a user sees how many there may be, which else takes seconds
_EARLY_PART = 0.1
# relative error of the estimate that says so: it must tell a count from one many times as large
_ROUGH_ERROR = 0.2
# all occurrences took at least so many times the steps of those of the first part: in 29 searches
# of up to six patterns in six graphs it was .6 to 5.5 times as many, 1.1 in the middle
_LEAST_OF_USUAL = 0.5
# quantiles at both ends of a 95 % interval
_LOW = 0.025
_HIGH = 0.975
# trees whose mappings are counted, each of which takes some passes over the graph
_MOST_TREES = 12
# entries of a graph in which all passes together may take as long as one pass over so many
_MOST_ENTRIES = 1 << 22
# trees with the fewest mappings that are tried by draws of their own
_NUM_TRIED = 3
# the trees that were chosen, of each graph that is still there: a run counts some patterns, lists
# their occurrences and counts the roles of their nodes, and to choose takes a third of a count
_chosen_trees: WeakKeyDictionary[CSRGraph, dict[tuple[Hashable, ...], SpanningTree]] = (
    WeakKeyDictionary()
)
# blocks of draws of such a trial: 8,192 draws, about a millisecond
_TRIED_BLOCKS = 8
# blocks of draws before the interval is looked at for the first time
_FIRST_BLOCKS = 4
# a block that takes so many times as long as one whose draws look at no node is beside a hub
_USUAL_LOOKS = 100
# blocks of draws of places at a time, at most: 65,536 places are held
_LARGEST_BATCH = 64
# occurrences that a search for all meets, at most, before a sample is drawn
_MOST_MET = 1 << 18
# steps of a search in about the time of one block of draws of up to so many nodes
_STEPS_OF_A_BLOCK = 1 << 17
_USUAL_NODES = 8
# steps of a search in about the time in which a draw looks at a node
_STEPS_OF_A_LOOK = 8


def estimate_from_roots(
    search: OccurrenceSearch,
    seed: int,
    max_steps: int,
    watch: Watch = to_the_end,
    num_first: int = _NUM_FIRST,
) -> OccurrenceCount | None:
    """Estimate occurrences from as many random roots as ``max_steps`` allow.

    What share of them that is, ``num_first`` others tell, so that it is unbiased. None if nothing
    was found, or if the search took far more steps.
    """
    share = min(0.25, num_first / max(1, len(search.roots)))
    search.run(draw_roots(search, share, seed + 1), max_steps=max_steps, watch=watch)
    if not search.unfinished:
        share = min(1.0, share * max_steps / max(1, search.steps))
        search.run(draw_roots(search, share, seed), max_steps=_SLACK * max_steps, watch=watch)
    return None if search.unfinished else estimate_from_share(search, share)


def estimate_from_share(search: OccurrenceSearch, share: float) -> OccurrenceCount | None:
    """The count that occurrences at a share of the roots stand for; None where there are none.

    Each root was taken with this probability, on its own, and the occurrences at those that were
    taken, divided by it, are the estimate: unbiased for any share that is fixed beforehand. Its
    interval is that of a Poisson count (F. Garwood, Biometrika 28, 1936) that varies as much as the
    numbers at the roots do; it holds where no few roots have most of them.
    """
    counts = search.count[search.count > 0].astype(np.float64)
    total = float(counts.sum())
    if share == 1:
        return OccurrenceCount.exact(int(total))
    if total == 0:
        return None
    # takes longer to load than to find all triangles
    from scipy.special import gammaincinv

    # as many independent occurrences as vary like these numbers
    effective = total**2 / float((counts**2).sum())
    low, high = gammaincinv([effective, effective + 1], [_LOW, _HIGH]) / effective
    value = total / share
    return OccurrenceCount(value, value * float(low), value * float(high), is_exact=False)


def list_from_roots(
    search: OccurrenceSearch, most: int, seed: int, max_steps: int, watch: Watch = to_the_end
) -> np.ndarray:
    """Places that begin at random roots, int32 ``[K, M]``, at most ``most``.

    All places at as many roots as can be searched; where these hold too many, at half of them.
    """
    num_roots, places = len(search.roots), np.empty((0, search.structure.num_nodes), np.int32)
    share = min(1.0, _NUM_LISTED / max(1, num_roots))
    while True:
        roots = draw_roots(search, share, seed)
        found = search.list_places(most, max_steps, roots)
        if search.unfinished and len(places):
            return places
        places = found
        if search.unfinished or share == 1 or 2 * len(places) > most or not watch(share):
            return places
        share = min(1.0, 2 * share)


def draw_roots(search: OccurrenceSearch, share: float, seed: int) -> np.ndarray:
    """A share of the roots, ascending: the same for a seed, and more for a larger share."""
    roots = search.roots
    if share >= 1:
        return roots
    drawn: np.ndarray = roots[random_keys(roots, seed) <= np.uint64(share * 2**64)]
    return drawn


def count_query(
    query: Query,
    *,
    count_error: float = 0.02,
    max_steps: int = STEPS_PER_SECOND,
    seed: int = 0,
    watch: Watch = to_the_end,
    tell: Callable[[OccurrenceCount], object] = lambda estimate: None,
) -> tuple[OccurrenceCount, np.ndarray]:
    """Count the occurrences of a query, or estimate them, and tell which graphs hold one.

    All are counted if that takes no more than ``max_steps``. After a two-hundredth of them ``tell``
    has a rough estimate, and after a twentieth the search ends if it says that the steps will not
    do: each occurrence takes at least one, and seldom less than half as many as those that were met
    by then. Where not all are counted, and neither nodes nor edges are compared, spanning trees of
    the pattern are mapped into the graph. How many mappings (homomorphisms) of a tree there are is
    computed exactly, in O(M (V + E)); then some are drawn, uniformly and independently, and

        occurrences = mappings * mean share / automorphisms of the pattern.

    The share of a draw of all nodes but the last is 0 if two of them agree, or are joined otherwise
    than in the pattern; else it is the share of the places of the last node that fit. For any fixed
    number of draws the estimate is unbiased. The interval is Wilson's, for as many hits and misses
    as vary like these shares; that it covers 95 % rests on the central limit theorem for the mean
    of independent shares, so that it holds approximately, and not for a handful of draws with a
    share above 0. Draws end when the interval is narrow enough, which biases the estimate by a
    fraction of about 1 / (draws with a share): by a hundredth of its standard error at the default
    ``count_error``. If no draw has a share, the occurrences that a search meets at random nodes are
    the estimate, see ``estimate_from_roots``, for as many steps again; and if it meets none,
    the upper end is the largest number that so many draws would miss with a probability of 5 %, and
    the record says "fewer than". With comparisons of nodes or edges, the estimate is that of random
    nodes from the beginning.

    Memory beside the graph is O(M V + M E / 32) numbers of 8 bytes.

    Parameters
    ----------
    query : Query
        A connected pattern in terms of a graph.
    count_error : float
        Wanted half-width of the interval, relative to the estimate.
    max_steps : int
        Most steps to search for all, and then again to draw; a tenth of them, at most, to tell
        whether the search is of use. A step of the search checks a node and takes about 10 ns; a
        draw is 128 steps, and 8 for each node that it looks at. Beside them the graph is prepared:
        some passes over its edges for each tree that is tried.
    seed : int
        Of the draws.
    watch : callable, optional
        Told now and then what share of the steps is made; says whether to go on. Where it ends the
        search for all, an estimate follows; and where it ends that, what was drawn is the estimate.
    tell : callable, optional
        Told of an estimate as soon as there is a rough one, before the search goes on, and of
        better ones.

    Returns
    -------
    count : OccurrenceCount
    graphs : numpy.ndarray
        bool ``[G]``: in which an occurrence was met; all that hold one where the count is exact.
    """
    check_float("count_error", count_error, 0, open_minimum=True)
    check_int("max_steps", max_steps, 1, MOST_STEPS)
    search = OccurrenceSearch(query)
    watch_search, watch_estimate = half_of(watch, 0), half_of(watch, 1)
    sampler = _search_for_all(search, max_steps, seed, watch_search, tell)
    graph = query.graph
    met = search.count.copy()
    graphs = np.zeros(graph.num_graphs, bool)
    graphs[graph.graph_of(np.flatnonzero(met))] = True
    if not search.unfinished:
        return OccurrenceCount.exact(int(met.sum())), graphs
    # else it is estimated
    if sampler is not None:
        found = _estimate_by_draws(
            search, sampler, count_error, max_steps, seed, watch_estimate, tell
        )
        return found, graphs
    estimate = estimate_from_roots(search, seed, max_steps, watch_estimate)
    if estimate is None:
        raise InputError(
            "the limits must be larger: no estimate could be made from a sample of the "
            f"{len(search.roots):,} candidates for {search.structure.node_names[search.first]}",
            way_out=("give a larger ", Argument("max_steps")),
        )
    return estimate, graphs


def _search_for_all(
    search: OccurrenceSearch,
    max_steps: int,
    seed: int,
    watch: Watch,
    tell: Callable[[OccurrenceCount], object],
) -> TreeSampler | None:
    """Search for all occurrences, unless a rough estimate says that the steps will not do.

    Returns the sampler of that estimate; None where there is no use for one.
    """

    def watch_first(share: float) -> bool:
        return watch(_FIRST_PART * share)

    def roughly(sampler: TreeSampler, steps: int) -> OccurrenceCount:
        # by draws of their own, so that which count is returned does not bias it
        share = _estimate_share(sampler, _ROUGH_ERROR, steps, ~seed, watch_first)
        return _scaled(share, search, sampler)

    # 1. what is quick is counted; of what is not, a rough estimate is told
    first_steps = max(1, int(_FIRST_PART * max_steps))
    early_steps = max(1, int(_EARLY_PART * first_steps))
    search.run(max_steps=early_steps, watch=watch_first)
    if not search.unfinished:
        return None
    sampler = None
    if search.query.joins_alone:
        sampler = choose_sampler(search, seed)
        tell(roughly(sampler, early_steps))
    # 2. what takes longer too, unless there are more occurrences than steps
    search.run(max_steps=first_steps, watch=watch_first)
    if search.unfinished and sampler is not None:
        rough = roughly(sampler, first_steps)
        of_each = search.steps / max(1, int(search.count.sum()))
        if rough.low * max(1.0, _LEAST_OF_USUAL * of_each) > max_steps:
            return sampler
    if search.unfinished:
        search.run(max_steps=max_steps, watch=watch)
    return sampler


def estimate_occurrences(
    search: OccurrenceSearch, error: float, max_steps: int, seed: int, watch: Watch = to_the_end
) -> OccurrenceCount:
    """Estimate the occurrences of what is searched for, by draws alone."""
    sampler = choose_sampler(search, seed)
    return _estimate_by_draws(search, sampler, error, max_steps, seed, watch)


def _scaled(
    share: tuple[float, float, float], search: OccurrenceSearch, sampler: TreeSampler
) -> OccurrenceCount:
    """The occurrences that a share of the mappings of a tree, with its interval, stands for."""
    scale = sampler.num_ways / search.structure.num_automorphisms
    low, value, high = share
    return OccurrenceCount(scale * value, scale * low, scale * high, is_exact=False)


def _estimate_by_draws(
    search: OccurrenceSearch,
    sampler: TreeSampler,
    error: float,
    max_steps: int,
    seed: int,
    watch: Watch,
    tell: Callable[[OccurrenceCount], object] = lambda estimate: None,
) -> OccurrenceCount:
    """The estimate by the draws of a sampler or, where none has hit, from some roots."""
    if sampler.num_ways == 0:
        return OccurrenceCount.exact(0)

    def tell_share(low: float, mean: float, high: float) -> None:
        tell(_scaled((low, mean, high), search, sampler))

    share = _estimate_share(sampler, error, max_steps, seed, watch, tell_share)
    estimate = _scaled(share, search, sampler)
    if estimate.value:
        return estimate
    return estimate_from_roots(search, seed, max_steps, watch) or estimate


def choose_sampler(search: OccurrenceSearch, seed: int) -> TreeSampler:
    """The sampler of the spanning tree that needs the least work for the same error.

    Which tree that is, is remembered for what it follows from.
    """
    query, candidates = search.query, search.candidates
    known = _chosen_trees.setdefault(search.graph, {})
    of_pattern = search.structure.links, search.structure.colors, query.allowed
    hashed = blake2b(np.ascontiguousarray(candidates).data, digest_size=16).digest()
    key = *(array.tobytes() for array in of_pattern), hashed, seed
    if key in known:
        return TreeSampler(query, candidates, known[key])
    sampler = _try_samplers(search, seed)
    known[key] = sampler.tree
    return sampler


def _try_samplers(search: OccurrenceSearch, seed: int) -> TreeSampler:
    """The sampler that is chosen, of those of several trees."""
    graph = search.graph
    # 1. the trees with the fewest mappings
    most = max(1, min(_MOST_TREES, _MOST_ENTRIES // (len(graph.indices) + 1)))
    trees = islice(spanning_trees(search.structure, graph.degrees), most)
    samplers = [TreeSampler(search.query, search.candidates, tree) for tree in trees]
    samplers.sort(key=lambda sampler: sampler.num_ways)
    samplers = samplers[:_NUM_TRIED]
    if len(samplers) == 1 or samplers[0].num_ways == 0:
        return samplers[0]
    # 2. of these the one with the smallest product of variance and work, by draws of their own
    costs = []
    for sampler in samplers:
        total, squares, _, work = sampler.draw_shares(0, _TRIED_BLOCKS, ~seed).sum(axis=0)
        costs.append(squares / total**2 * work if total > 0 else np.inf)
    return samplers[int(np.argmin(costs))]


def _estimate_share(
    sampler: TreeSampler,
    error: float,
    max_steps: int,
    seed: int,
    watch: Watch = to_the_end,
    tell: Callable[[float, float, float], object] = lambda low, mean, high: None,
) -> tuple[float, float, float]:
    """Lower end, mean and upper end of the share of mappings that show the pattern.

    Draws end at the relative ``error``, or where more would take more steps. ``tell`` is told of
    what is known so far.
    """
    results = np.zeros((0, 4))
    steps_of_a_block = _steps_of_a_block(sampler.size)
    # the first block tells what a draw costs, which beside a hub of many neighbours may be much
    num_blocks = 1
    while num_blocks > 0:
        more = sampler.draw_shares(len(results), num_blocks, seed)
        results = np.concatenate([results, more])
        low, mean, high = interval(results)
        tell(low, mean, high)
        # at most three times as many as so far, and no more than there are steps for
        spent = len(results) * steps_of_a_block + _STEPS_OF_A_LOOK * results[:, 3].sum()
        affordable = int((max_steps / spent - 1) * len(results))
        if not watch(spent / max_steps):
            break
        if len(results) < _FIRST_BLOCKS:
            num_blocks = _FIRST_BLOCKS - len(results)
            if spent > _USUAL_LOOKS * len(results) * steps_of_a_block:
                num_blocks = min(num_blocks, affordable)
            continue
        needed = np.inf
        if mean > 0:
            reached = (high - low) / (2 * mean)
            if reached <= error:
                break
            needed = 1.05 * len(results) * (reached / error) ** 2
        num_blocks = int(min(max(needed - len(results), 4), 3 * len(results), affordable))
    return low, mean, high


def _steps_of_a_block(size: int) -> int:
    """The steps of a block of draws of a pattern of so many nodes."""
    return _STEPS_OF_A_BLOCK * max(1, size // _USUAL_NODES)


def interval(results: np.ndarray) -> tuple[float, float, float]:
    """Mean of the shares and the ends of its 95 % interval, from the results of blocks of draws.

    Shares are in [0, 1] and vary less than hits and misses do. Wilson's interval is taken for as
    many draws of hits and misses as would vary as much as these shares, with a quantile of
    Student's t for the number of hits, since few hits tell little of how much shares vary.
    """
    # takes longer to load than to find all triangles
    from scipy.special import stdtrit

    total, squares, hits, _ = results.sum(axis=0)
    num_draws = len(results) * DRAWS_OF_A_BLOCK
    if not hits:
        return 0.0, 0.0, 1 - 0.05 ** (1 / num_draws)
    mean = total / num_draws
    variance = squares / num_draws - mean**2
    effective = num_draws
    if variance > 0:
        effective = num_draws * mean * (1 - mean) / variance
    z = float(stdtrit(max(1.0, hits - 1), _HIGH))
    center = (mean + z**2 / (2 * effective)) / (1 + z**2 / effective)
    half = z / (1 + z**2 / effective)
    half *= np.sqrt(mean * (1 - mean) / effective + z**2 / (4 * effective**2))
    return float(max(center - half, 0.0)), float(mean), float(center + half)


def list_query(
    query: Query,
    *,
    most: int = 10_000,
    max_steps: int = 5 * STEPS_PER_SECOND,
    known: float = 0.0,
    seed: int = 0,
    watch: Watch = to_the_end,
) -> tuple[np.ndarray, bool]:
    """List the occurrences of a query: all, or a sample of different ones.

    What it returns is as in :func:`gomkcn.places`. So many occurrences as ``known`` says are there:
    where they are too many to list, some are drawn at once. ``watch`` is told now and then what
    share of the steps is made, and says whether to go on.
    """
    check_int("most", most, 1, MOST_LISTED)
    check_int("max_steps", max_steps, 1, MOST_STEPS)
    search = OccurrenceSearch(query)
    has_trees = query.joins_alone and search.structure.num_nodes > 1
    places = np.empty((0, search.structure.num_nodes), np.int32)
    # 1. all, unless there are more: of these, draws are as good a sample, and take less
    enough = max(most, _MOST_MET)
    if not has_trees or known <= enough:
        limits = SearchLimits(occurrences=enough) if has_trees else NO_LIMITS
        watch_search = half_of(watch, 0)
        places = search.list_places(most, max_steps, seed=seed, limits=limits, watch=watch_search)
        if not search.unfinished:
            return places[np.lexsort(places.T[::-1])], len(places) == int(search.count.sum())
    # 2. a sample of them
    watch_draws = half_of(watch, 1)
    drawn = places[:0]
    if has_trees:
        drawn = _draw_places(search, most, max_steps, seed, watch_draws)
    if not len(drawn):
        # too rare to be drawn: those that a search meets at random nodes, or from the first one on
        drawn = list_from_roots(search, most, seed, max_steps, watch_draws)
    return drawn if len(drawn) else places, False


def _draw_places(
    search: OccurrenceSearch, most: int, max_steps: int, seed: int, watch: Watch
) -> np.ndarray:
    """Different occurrences that are drawn by a spanning tree, each as likely as another."""
    sampler = choose_sampler(search, seed)
    found: dict[bytes, np.ndarray] = {}
    num_blocks = 0
    size = 1
    steps_of_a_block = _steps_of_a_block(search.structure.num_nodes)
    while len(found) < most and num_blocks * steps_of_a_block < max_steps:
        if not watch(num_blocks * steps_of_a_block / max_steps):
            break
        drawn = search.structure.choose_mappings(sampler.draw_places(num_blocks, size, seed))
        for place in drawn:
            found.setdefault(place.tobytes(), place)
        num_blocks += size
        size = min(2 * size, _LARGEST_BATCH)
    places = list(found.values())[:most]
    return np.array(places, np.int32).reshape(-1, search.structure.num_nodes)
