"""Counts and places in a graph of any size, from a sample of the nodes that occurrences hang on.

Each occurrence is counted at its top, the node with most neighbours. Tops are drawn from classes of
nodes by their number of neighbours: more from a class in which the numbers vary more, and all of
the few hubs. What is held in memory does not grow with the graph.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np

from gomkcn_dgl.graph import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.kernels.threads import run_blocks
from mining.counting.degree_strata import DegreeStrata
from mining.counting.sought import Colors, Sought
from mining.counting.top_loops import Plans, Rows, Tops, count_at_tops, new_search
from mining.records.occurrence_count import OccurrenceCount

# roots of a class that are looked at first
_FIRST_ROOTS = 1 << 4
# steps of a search at one root for each kind of top: four times as many with each effort
_STEPS_OF_A_ROOT, _LAST_EFFORT = 1 << 9, 9
# steps of all searches of a rough count, or of a list: some seconds in a graph on disk
_MOST_STEPS = 1 << 23
# part of the work after which it goes where the variance is
_SHARE_OF_ALL = 0.15
# a class whose share of the variance is smaller than one in so many is not looked at further
_WORTHWHILE = 100
# about the time of a step, most of which waits for memory
_NANOSECONDS = 100.0
# places that are kept of one root
_PLACES_OF_A_ROOT = 16
# ends of a 95 % interval
_LOW, _HIGH = 0.025, 0.975


@dataclass(frozen=True, eq=False)
class TopSampler:
    """Looks for a pattern at random tops of each class."""

    structure: Structure
    strata: DegreeStrata
    rows: Rows
    plans: Plans
    seed: int

    @classmethod
    def of(
        cls, graph: CSRGraph, structure: Structure, colors: Colors | None, seed: int
    ) -> TopSampler:
        """The sampler of a pattern in a graph; arguments as for ``count_exact``."""
        sought = Sought.of(graph, structure, colors)
        none = np.empty(0, np.int64)
        rows = Rows(
            graph.indptr,
            graph.indices,
            np.empty(0, np.uint8) if graph.links is None else graph.links,
            none if sought.colors_of_graph is None else sought.colors_of_graph,
        )
        return cls(sought.structure, DegreeStrata.of(graph, seed), rows, _plans(sought), seed)

    @property
    def least_class(self) -> int:
        """The first class whose nodes can be tops: these have as many neighbours as any other."""
        most = int(self.structure.joined.sum(axis=1).max())
        return max(most, 1).bit_length() - 1

    def look(self, number: int, num_roots: int, effort: int, room: int = 0) -> Tops:
        """Look at the first roots of a class, and keep ``room`` places of each."""
        roots = self.strata.nodes[number][:num_roots]
        size, length = self.structure.num_nodes, len(roots)
        values, variances = np.zeros((2, length))
        tops = Tops(
            roots,
            values,
            variances,
            np.zeros(length, np.int64),
            np.zeros((length, room, size), np.int64),
            np.zeros((length, room)),
        )
        limit = _STEPS_OF_A_ROOT << 2 * effort

        def look_at(first: int, last: int) -> None:
            stream = np.uint64(self.seed)
            search = new_search(size)
            count_at_tops(first, last, self.rows, self.plans, search, limit, stream, tops)

        # as plain Python, 64-bit products wrap with a warning
        with np.errstate(over="ignore"):
            if length:
                run_blocks(look_at, length, _NANOSECONDS * limit * length / 8)
            else:
                look_at(0, 0)
        return tops


def _plans(sought: Sought) -> Plans:
    """An order that begins with each kind of node; it closes cycles as early as it can."""
    structure = sought.structure
    firsts, sizes = np.unique(structure.orbits, return_counts=True)
    orders = np.array([structure.order_from(first) for first in firsts.tolist()])
    # automorphisms that fix the first node: as many as there are, over those it is carried to
    shares = np.array([size / structure.num_automorphisms for size in sizes.tolist()])
    colors = np.empty(0, np.int64) if sought.colors is None else sought.colors
    return Plans(orders, shares, sought.links, colors, structure.joined.sum(axis=1))


class _Class(NamedTuple):
    """Where the estimate of one class stands."""

    number: int
    num_roots: int
    effort: int
    total: float
    between: float  # variance because these roots are a part of the class
    within: float  # and because not all was searched at each
    steps: int

    @property
    def variance(self) -> float:
        return self.between + self.within


def estimate_from_tops(
    sampler: TopSampler,
    *,
    error: float,
    seconds: float | None = None,
    max_steps: int = _MOST_STEPS,
) -> OccurrenceCount:
    """Estimate the occurrences of a pattern, within ``max_steps`` or ``seconds``.

    A random part of each class of nodes, n of N, stands for it: N times the mean number of
    occurrences with such a top. Where these are too many to be searched for, the number is the mean
    of random mappings, each with the inverse of its probability. Both are unbiased (W. G. Cochran,
    Sampling Techniques, 3rd ed., section 11.8, for the variance of the sum). First each class gets
    as much work; then the one that adds most to the variance gets twice as many roots, or more work
    at each, again and again. A class in which nothing was found, or a root where no draw hit, adds
    as much as if one occurrence was missed. The interval is that of a Poisson count which varies as
    much; exact if all was searched.
    """
    # compiled before the clock starts
    sampler.look(0, 0, 0)
    start = time.perf_counter()
    numbers = range(sampler.least_class, len(sampler.strata.sizes))
    classes = [_begin(sampler, number) for number in numbers if sampler.strata.sizes[number]]
    spent = sum(one.steps for one in classes)
    while True:
        total = sum(one.total for one in classes)
        variance = sum(one.variance for one in classes)
        if variance <= (error / 2 * total) ** 2:
            break
        part = spent / max_steps
        if seconds is not None:
            part = (time.perf_counter() - start) / seconds
        left = spent * (1 / part - 1) if part else inf
        able = [one for one in classes if one.variance > 0 and _cost(sampler, one) <= left]
        # first all classes in turn, so that what is rare and easy to search for is met
        partly = [one for one in able if one.num_roots < _twice(sampler, one)]
        if partly and part < _SHARE_OF_ALL:
            one = min(partly, key=lambda each: each.steps)
            more = _estimate(sampler, one.number, _twice(sampler, one), one.effort)
        else:
            # then those that add most
            largest = max((one.variance for one in able), default=0.0)
            if largest * _WORTHWHILE < variance:
                break
            one = next(one for one in able if one.variance == largest)
            more = _more(sampler, one)
        classes.remove(one)
        classes.append(more)
        spent += more.steps
    if variance == 0:
        return OccurrenceCount.exact(round(total))
    if total == 0:
        # 95 % that what is there would have been met
        return OccurrenceCount(0.0, 0.0, 3 * variance**0.5, is_exact=False)
    # takes longer to load than to find all triangles
    from scipy.special import gammaincinv

    effective = total**2 / variance
    low, high = total / effective * gammaincinv([effective, effective + 1], [_LOW, _HIGH])
    # less than one is none
    return OccurrenceCount(total, float(low) if low >= 1 else 0.0, float(high), is_exact=False)


def _begin(sampler: TopSampler, number: int) -> _Class:
    available = len(sampler.strata.nodes[number])
    return _estimate(sampler, number, min(_FIRST_ROOTS, available), 0)


def _cost(sampler: TopSampler, one: _Class) -> float:
    """About the steps of the next look at a class."""
    if one.num_roots < _twice(sampler, one) and one.within <= one.between:
        return 2.0 * one.steps
    return 4.0 * one.steps if one.effort < _LAST_EFFORT and one.within > 0 else inf


def _more(sampler: TopSampler, one: _Class) -> _Class:
    """Twice as many roots or, where this adds more to the variance, more work at each."""
    if one.num_roots == _twice(sampler, one) or one.within > one.between:
        return _estimate(sampler, one.number, one.num_roots, one.effort + 1)
    return _estimate(sampler, one.number, _twice(sampler, one), one.effort)


def _twice(sampler: TopSampler, one: _Class) -> int:
    """Twice as many roots, as far as there are."""
    return min(2 * one.num_roots, len(sampler.strata.nodes[one.number]))


def _estimate(sampler: TopSampler, number: int, num_roots: int, effort: int) -> _Class:
    """The occurrences with a top in a class, and the variance of this estimate."""
    size = int(sampler.strata.sizes[number])
    found = sampler.look(number, num_roots, effort)
    scale = size / num_roots
    between = 0.0
    if num_roots < size:
        between = size * (size - num_roots) / num_roots * float(found.values.var(ddof=1))
        if not found.values.any():
            between = scale**2
    total, within = scale * float(found.values.sum()), scale * float(found.variances.sum())
    return _Class(number, num_roots, effort, total, between, within, int(found.steps.sum()))


def list_from_tops(
    sampler: TopSampler, most: int, max_steps: int = _MOST_STEPS
) -> tuple[np.ndarray, bool]:
    """Places of a pattern, int32 ``[K, M]``, at most ``most``, and whether these are all.

    The same share of the nodes of each class is looked at, twice as many each time, and then more
    at each, until there are enough. Of these places a part is drawn, each in proportion to how many
    it stands for.
    """
    largest = max(sampler.strata.sizes.max(initial=1), 1)
    share, effort, room, spent = min(1.0, _FIRST_ROOTS / largest), 0, _PLACES_OF_A_ROOT, 0
    while True:
        places, stands_for, steps, is_complete = _list_at(sampler, share, effort, room)
        spent += steps
        if is_complete or len(places) >= 2 * most or spent > max_steps:
            break
        if share < 1:
            share = min(1.0, 2 * share)
        elif effort < _LAST_EFFORT:
            effort, room = effort + 1, 2 * room
        else:
            break
    if len(places) <= most:
        return places.astype(np.int32), is_complete
    # drawn without replacement (Efraimidis and Spirakis, Information Processing Letters 97, 2006)
    keys = np.random.default_rng(sampler.seed).exponential(size=len(places)) / stands_for
    return places[np.sort(np.argsort(keys)[:most])].astype(np.int32), False


def _list_at(
    sampler: TopSampler, share: float, effort: int, room: int
) -> tuple[np.ndarray, np.ndarray, int, bool]:
    """Different places at a share of all tops, what each stands for, steps, whether it is all."""
    strata, structure = sampler.strata, sampler.structure
    nodes, weights = [np.empty((0, structure.num_nodes), np.int64)], [np.empty(0)]
    steps, is_complete = 0, True
    for number in range(sampler.least_class, len(strata.sizes)):
        size = int(strata.sizes[number])
        num_roots = min(int(np.ceil(share * size)), len(strata.nodes[number]))
        if num_roots:
            tops = sampler.look(number, num_roots, effort, room)
            here = tops.weights > 0
            nodes.append(tops.places[here])
            weights.append(tops.weights[here] * (size / num_roots))
            steps += int(tops.steps.sum())
            # a mapping for each automorphism
            held = tops.values.max(initial=0) * structure.num_automorphisms <= room
            is_complete &= num_roots == size and not tops.variances.any() and held
    chosen = structure.choose_mappings(np.concatenate(nodes))
    # a place that was met in several ways stands for all that these do
    places, number_of = np.unique(chosen, axis=0, return_inverse=True)
    stands_for = np.bincount(number_of.reshape(-1), np.concatenate(weights), len(places))
    return places, stands_for, steps, bool(is_complete)
