"""Counts in a graph and in random graphs → verdicts; graphs of classes → what differs, and why.

Verdicts are by ranks alone: nothing is modelled.

All structures that the graph or any of the N random graphs holds are compared at once. Where graph
and random graphs are exchangeable (:class:`gomkcn.mining.significance.random_graphs.RandomGraphs`),
the chance that any of them is called different by accident is at most the level: step-down max-T
(P. H. Westfall and S. S. Young, Resampling-based multiple testing, 1993). With c the counts of the
N + 1 graphs, the graph itself being number 0, m and v their means and variances over all of these,

    T[i, s] = |c[i, s] - m[s]| / sqrt(v[s] + floor)

says how far graph i lies out with structure s. The floor keeps a single copy of what is rare from
lying √N out. With the structures in the order of falling T[0] and u[i, j] the largest T[i] of
structure j and all behind it,

    p_adjusted[j] = max over k ≤ j of the share of graphs i = 0 … N with u[i, k] ≥ T[0, k],

so that a tie counts against the graph.

Where structures are of several families, such as those of three nodes and those of four, each is
corrected on its own, and its p_adjusted is multiplied by the number of families (Bonferroni). So
many structures of four nodes cannot hide one of three, and the chance that any structure of any
family is called by accident is still at most the level.

Where no number of random graphs is asked for, they are drawn while a p is near the level, and
looked at several times: :mod:`gomkcn.mining.significance.looks` says why the level holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, reduce

import numpy as np
from scipy.special import gammaln, ndtri

from gomkcn.mining.significance.looks import Looks
from gomkcn.mining.structures.pattern import (
    LESS,
    LEVEL,
    MORE,
    NOT_SHOWN,
    ClassContrast,
    ClassDifference,
    Following,
    NullComparison,
)
from gomkcn_dgl.checks import as_seed, check_int
from gomkcn_dgl.errors import InputError

# added to variances: that of a count that is 0 or 1 as often, and more where few graphs were drawn
_FLOOR, _FLOOR_OF_FEW, _MANY = 0.25, 1.0, 199
# what differs by less is equal but for rounding
_SAME = 1e-9
# likewise, as a share, of sums of many weights
_SAME_SUM = 1e-10
# likewise, as a share, of probabilities of tables that are made of logarithms of factorials
_AS_PROBABLE = 1 + 1e-7
# parts of a distribution below this share of its largest one decide no level
_NO_PART = 1e-20
# graphs of both over those of either, from which on two patterns are in nearly the same ones
_NEARLY = 0.8
# of the classes: a p of .001 is as small as is asked for to call a structure
PERMUTATIONS = 999
# graphs of a class that contain a pattern, graphs of the class, and the same of all others
ClassTable = tuple[int, int, int, int]


def compare_with_random(
    null: str,
    counts: np.ndarray,
    families: np.ndarray | None = None,
    looks: Looks | None = None,
) -> list[NullComparison]:
    """Compare the counts of S structures in a graph with those in N random graphs.

    Parameters
    ----------
    null : str
        Name of the null model.
    counts : numpy.ndarray
        Whole numbers ``[N + 1, S]``, of all structures of some sizes, by the same method in all
        graphs; row 0 is the graph that is judged. N is at least 2, and 199 for verdicts that find
        what there is. Or float64, of what is measured and not counted: without a floor, and equal
        where they differ from the graph by rounding alone.
    families : numpy.ndarray, optional
        Whole numbers ``[S]``, the family of each structure; None: all are of one.
    looks : Looks, optional
        The looks at which it was decided to draw more; None: as many were drawn as was known
        before.

    Returns
    -------
    list of NullComparison
        One for each structure. What no graph holds is not shown to differ: p and p_adjusted are 1.

    Raises
    ------
    InputError
        For counts of fewer than two random graphs.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> counts = np.stack([rng.poisson(30, 200), rng.poisson(3, 200)], axis=1)
    >>> counts[0] = 31, 20
    >>> usual, rare = compare_with_random("degree", counts)
    >>> usual.verdict, rare.verdict, rare.p_adjusted
    ('not shown to differ', 'more frequent', 0.005)
    """
    counts = np.asarray(counts)
    if counts.ndim != 2 or len(counts) < 3:
        raise InputError(
            "counts",
            "must be [N + 1, S], the graph and at least two random graphs",
            got=f"the shape {counts.shape}",
        )
    adjusted = adjust_by_ranks(counts, families)
    num_samples = len(counts) - 1
    if looks is not None and num_samples > looks.first:
        at_first = adjust_by_ranks(counts[: looks.first + 1], families)
        adjusted = looks.adjusted(at_first, adjusted, num_samples)
    # ranks in the direction in which the graph lies out, and what is printed beside them
    away = _away(counts)
    drawn = counts[1:]
    is_more = away.mean(axis=0) < 0
    beyond = np.where(is_more, (away[1:] >= 0).sum(axis=0), (away[1:] <= 0).sum(axis=0))
    p = (1 + beyond) / (1 + num_samples)
    sd = away[1:].std(axis=0, ddof=1)
    far = np.where(is_more, MORE, LESS)
    return [
        NullComparison(
            null=null,
            num_samples=num_samples,
            observed=float(counts[0, s]),
            mean=float(counts[0, s]) + float(away[1:, s].mean()),
            sd=float(sd[s]),
            largest=float(drawn[:, s].max()),
            z=float(-away[1:, s].mean() / sd[s]) if sd[s] > 0 else None,
            p=float(p[s]),
            p_adjusted=float(adjusted[s]),
            verdict=str(far[s]) if adjusted[s] <= LEVEL else NOT_SHOWN,
        )
        for s in range(counts.shape[1])
    ]


def adjust_by_ranks(counts: np.ndarray, families: np.ndarray | None = None) -> np.ndarray:
    """Adjusted p of all structures by all graphs of ``counts``, float64 ``[S]``.

    The arguments are those of :func:`compare_with_random`.
    """
    # 1. how far each graph lies out with each structure
    away = _away(counts)
    floor = _FLOOR if len(counts) > _MANY else _FLOOR_OF_FEW
    if counts.dtype.kind == "f":
        # nothing rare has to be kept from lying far out, and a unit is no event
        floor = float(np.finfo(np.float64).tiny)
    distance = np.abs(away - away.mean(axis=0)) / np.sqrt(away.var(axis=0) + floor)
    # 2. one correction over all of a family that occurs in any graph, and one over the families
    occurs = (counts != 0).any(axis=0)
    families = np.zeros(counts.shape[1], np.int64) if families is None else np.asarray(families)
    adjusted = np.ones(counts.shape[1])
    numbers = np.unique(families[occurs])
    for number in numbers:
        inside = occurs & (families == number)
        adjusted[inside] = len(numbers) * step_down(distance[:, inside])
    return np.minimum(adjusted, 1.0)


def _away(counts: np.ndarray) -> np.ndarray:
    """Differences from the counts of the graph itself, exact however large these are.

    Sums of weights in another order are equal but for rounding.
    """
    away = (counts - counts[0]).astype(np.float64)
    if counts.dtype.kind == "f":
        away[np.abs(away) <= _SAME_SUM * np.abs(counts[0])] = 0
    return away


def step_down(distance: np.ndarray) -> np.ndarray:
    """Adjusted p of row 0 of ``[N + 1, S]``, float64 ``[S]``: step-down max-T.

    >>> step_down(np.array([[3.0, 1.0], [0.0, 2.0], [1.0, 0.0], [0.0, 0.5]])).tolist()
    [0.25, 0.5]
    """
    order = np.argsort(-distance[0], kind="stable")
    ordered = distance[:, order]
    # the largest of each structure and all behind it
    largest = np.maximum.accumulate(ordered[:, ::-1], axis=1)[:, ::-1]
    share = (largest >= ordered[0] - _SAME).mean(axis=0)
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate(share)
    return adjusted


def compare_classes(
    counts: np.ndarray, labels: np.ndarray, num_samples: int = PERMUTATIONS, seed: int = 0
) -> np.ndarray:
    """Adjusted p that classes of graphs hold each of S structures equally often, float64 ``[S]``.

    The labels are permuted, and the graphs with their own labels are one more permutation. For each
    class, T is the difference of its mean from that of all other graphs, over the standard
    deviation that it has among all permutations; a structure has the largest of its classes.

    Parameters
    ----------
    counts : numpy.ndarray
        Occurrences ``[G, S]`` in each graph, or whether there are any.
    labels : numpy.ndarray
        int64 ``[G]``, the class of each graph, 0 … C - 1; -1 for one without a class, which is
        left out.
    num_samples : int
        Permutations.
    seed : int
        The same seed gives the same permutations.

    Examples
    --------
    >>> rings, chains = [3, 4, 2, 3, 5, 0, 0, 1, 0, 1], [1, 0] * 5
    >>> compare_classes(np.stack([rings, chains], axis=1), np.repeat([0, 1], 5)).round(2).tolist()
    [0.02, 1.0]
    """
    check_int("num_samples", num_samples, 1)
    known = np.asarray(labels) >= 0
    counts, labels = np.asarray(counts, np.float64)[known], np.asarray(labels)[known]
    rng = np.random.default_rng(as_seed("seed", seed))
    num_graphs = len(counts)
    orders = [np.arange(num_graphs), *(rng.permutation(num_graphs) for _ in range(num_samples))]
    # 1. deviations from the mean of all graphs, of which each structure has the same spread
    away = counts - counts.mean(axis=0)
    spread = away.std(axis=0)
    varies = spread > _SAME
    away = away[:, varies] / spread[varies]
    distance = np.zeros((len(orders), away.shape[1]))
    for label in np.unique(labels):
        inside = np.array([(labels == label)[order] for order in orders], np.float64)
        size = inside[0].sum()
        # 2. sums over the class, in standard deviations of a sum of so many drawn without
        #    replacement; that of all others is the same with the other sign
        if 0 < size < num_graphs:
            sd = np.sqrt(size * (num_graphs - size) / (num_graphs - 1))
            np.maximum(distance, np.abs(inside @ away) / sd, out=distance)
    adjusted = np.ones(counts.shape[1])
    adjusted[varies] = step_down(distance)
    return adjusted


def class_differences(
    contains: np.ndarray, labels: np.ndarray, names: Sequence[str]
) -> list[ClassDifference]:
    """Compare how many graphs of each class contain each pattern.

    Pass all patterns that were candidates, whether they are reported or not: the adjusted p
    corrects for as many as there are here. It holds for patterns that were chosen without looking
    at the classes.

    Parameters
    ----------
    contains : numpy.ndarray
        bool ``[G, F]``, whether graph g contains pattern f.
    labels : numpy.ndarray
        int64 ``[G]``, the class of each graph, 0 … C - 1; -1 for one without a class, which is
        left out.
    names : sequence of str
        Names of the C classes, at least two, each with a graph.

    Examples
    --------
    >>> contains = np.array([[1, 1], [1, 0], [1, 1], [0, 1], [0, 0], [0, 1]], dtype=bool)
    >>> ring, chain = class_differences(contains, np.array([0, 0, 0, 1, 1, 1]), ["a", "b"])
    >>> print(ring.strongest)
    3 of 3 (100%) of class a, 0 of 3 (0%) of the others; odds ratio 49 (0.742 to 3,240), p = 0.1
    >>> ring.p_adjusted > 0.1, chain.p_adjusted
    (True, 1.0)
    """
    if not contains.shape[1]:
        return []
    adjusted = compare_classes(contains, np.asarray(labels))
    contrasts = class_contrasts(contains, labels, names)
    return [
        ClassDifference(of_pattern, p)
        for of_pattern, p in zip(contrasts, adjusted.tolist(), strict=True)
    ]


def class_contrasts(
    contains: np.ndarray, labels: np.ndarray, names: Sequence[str]
) -> list[tuple[ClassContrast, ...]]:
    """How many graphs of each class, and of all others, contain each pattern, and its exact p.

    The arguments are those of :func:`class_differences`; p is of each pattern and class alone.
    """
    # 1. the graphs of each class, and those of them that contain each pattern, [F, C]; what has no
    #    class is in none
    of_class = np.asarray(labels)[:, None] == np.arange(len(names))
    sizes = of_class.sum(axis=0)
    inside = np.asarray(contains, bool).T.astype(np.int64) @ of_class
    # 2. each class beside the others together
    outside = inside.sum(axis=1, keepdims=True) - inside
    others = sizes.sum() - sizes
    ratio, low, high = odds_ratio_interval(inside, sizes, outside, others)
    counts = np.broadcast_arrays(inside, sizes, outside, others)
    p = np.array([exact_p(tuple(row)) for row in np.stack(counts, axis=-1).reshape(-1, 4).tolist()])
    # 3. what no graph or each one contains has no odds to compare
    is_told = (inside + outside > 0) & (inside + outside < sizes + others)
    ratios = [column.astype(object) for column in (ratio, low, high)]
    for column in ratios:
        column[~is_told] = None
    columns = [column.tolist() for column in (*counts, *ratios, p.reshape(inside.shape))]
    return [
        tuple(
            ClassContrast(name, *(column[pattern][number] for column in columns))
            for number, name in enumerate(names)
        )
        for pattern in range(len(inside))
    ]


def adjust_for_family(
    p: np.ndarray, supports: np.ndarray, class_sizes: Sequence[int]
) -> np.ndarray:
    """Adjust exact p of classes for all patterns of a family that could have had as small a p.

    A pattern in few graphs, or in nearly all, has no small p, however they lie in the classes.
    Where k patterns could reach LEVEL / k, each p counts k times (R. E. Tarone, A modified
    Bonferroni method for discrete data, 1990). Of more than two classes each is a test.

    Parameters
    ----------
    p : numpy.ndarray
        float64 ``[S]``, of patterns of the family.
    supports : numpy.ndarray
        int64 ``[K]``, graphs that contain each pattern of the family, which was chosen without
        looking at the classes.
    class_sizes : sequence of int
        Graphs of each class.

    Examples
    --------
    >>> adjust_for_family(np.array([1e-5]), np.array([10, 2, 2, 2]), [10, 10]).round(6).tolist()
    [1e-05]
    """
    return np.minimum(1.0, np.asarray(p) * correction_of_family(supports, class_sizes))


def correction_of_family(supports: np.ndarray, class_sizes: Sequence[int]) -> int:
    """The number by which :func:`adjust_for_family` multiplies: tests that can reach the level.

    >>> correction_of_family(np.array([10, 2, 2, 2]), [10, 10])
    1
    """
    total = sum(class_sizes)
    sizes = class_sizes[:1] if len(class_sizes) == 2 else class_sizes
    different, counts = np.unique(supports, return_counts=True)
    least = [
        min(
            exact_p((most := min(x, size), size, x - most, total - size)),
            exact_p((fewest := max(0, x - (total - size)), size, x - fewest, total - size)),
        )
        for x in different.tolist()
        for size in sizes
    ]
    # the smallest factor k that is as large as the number of tests that can reach LEVEL / k
    can_be = np.sort(np.repeat(least, np.repeat(counts, len(sizes))))
    factors = np.arange(1, len(can_be) + 2)
    reaching = np.searchsorted(can_be, LEVEL / factors, side="right")
    return int(factors[np.argmax(reaching <= factors)])


def odds_ratio_interval(
    inside: np.ndarray, sizes: np.ndarray, outside: np.ndarray, others: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Odds ratios and their 95 % intervals, with ½ added to each cell; arrays that broadcast.

    J. J. Gart, Alternative analyses of contingency tables, Journal of the Royal Statistical Society
    B 28, 1966. Its interval covers at least 95 % in nearly all small tables, and it is finite where
    no or all graphs of a class contain a pattern.
    """
    cells = [cell + 0.5 for cell in (inside, sizes - inside, outside, others - outside)]
    center = np.log(cells[0]) - np.log(cells[1]) - np.log(cells[2]) + np.log(cells[3])
    error = ndtri(0.975) * np.sqrt(sum(1 / cell for cell in cells))
    return np.exp(center), np.exp(center - error), np.exp(center + error)


def group_differences(
    differences: Sequence[ClassDifference],
    contains: np.ndarray,
    labels: np.ndarray,
    sizes: Sequence[int],
    is_part: Callable[[int, int], bool] = lambda first, second: False,
) -> list[ClassDifference]:
    """Sort patterns that differ between classes by what they differ for.

    From the strongest on, a pattern follows from a stronger one that leads, where it is in nearly
    the same graphs, is a part of it or contains it. Else it begins a group of its own, and leads
    it, if its classes differ among graphs that have the same of all patterns that lead: in an exact
    test of these strata, whose p must be as small as is called here. What is left follows from the
    leading pattern that tells most of where it is, which may be by its absence: the one with the
    largest correlation, of either sign.

    Parameters
    ----------
    differences : sequence of ClassDifference
        Those of :func:`class_differences` for F patterns.
    contains : numpy.ndarray
        bool ``[G, F]``, whether graph g contains pattern f.
    labels : numpy.ndarray
        int64 ``[G]``, the class of each graph, 0 … C - 1; -1 for one without a class, which is
        left out.
    sizes : sequence of int
        Sizes of the F patterns. Of several that are in the same graphs the largest comes first.
    is_part : callable
        Whether the first of two patterns, by their numbers, is a part of the second.

    Examples
    --------
    >>> labels = np.repeat([0, 1], 40)
    >>> acid = np.concatenate([np.arange(40) < 30, np.arange(40) < 2])
    >>> part = acid | (np.arange(80) % 10 == 9)
    >>> contains = np.stack([part, acid], axis=1)
    >>> found = class_differences(contains, labels, ["sour", "sweet"])
    >>> [one.group for one in group_differences(found, contains, labels, [2, 4])]
    [0, 0]
    """
    called = [number for number, difference in enumerate(differences) if difference.differs]
    called.sort(key=lambda number: (differences[number].rank, -sizes[number]))
    # 1. the p at which a pattern is called, here or where each is corrected for all
    least = [differences[number].strongest.p for number in called]
    bar = max([*least, LEVEL / max(1, len(differences))])
    known = np.asarray(labels) >= 0
    held, labels = np.asarray(contains, bool)[known], np.asarray(labels)[known]
    leaders: list[int] = []
    # graphs that are alike in all patterns that lead
    stratum = np.zeros(len(held), np.int64)
    grouped = {}
    for number in called:
        of_pattern = held[:, number]
        # 2. what is implied by a stronger one
        tied = next(
            (
                group
                for group, leader in enumerate(leaders)
                if _are_tied(of_pattern, held[:, leader], number, leader, is_part)
            ),
            None,
        )
        # 3. what is left of the difference among graphs that are alike in all that lead
        left = exact_p(*_tables(of_pattern, labels, differences[number], stratum))
        if not leaders or (tied is None and left <= bar):
            leaders.append(number)
            _, stratum = np.unique(2 * stratum + of_pattern, return_inverse=True)
            grouped[number] = replace(differences[number], group=len(leaders) - 1)
            continue
        if tied is None:
            ties = [abs(_correlation(of_pattern, held[:, leader])) for leader in leaders]
            tied = int(np.argmax(ties))
        shared = int((of_pattern & held[:, leaders[tied]]).sum())
        follows = Following(shared, left)
        grouped[number] = replace(differences[number], group=tied, follows=follows)
    return [grouped.get(number, difference) for number, difference in enumerate(differences)]


def _are_tied(
    first: np.ndarray,
    second: np.ndarray,
    number: int,
    leader: int,
    is_part: Callable[[int, int], bool],
) -> bool:
    """Whether a pattern and a stronger one say the same, by where they are or by their edges."""
    shared = int((first & second).sum())
    if shared >= _NEARLY * int((first | second).sum()):
        return True
    # a part is wherever the whole is
    if shared == second.sum() and is_part(number, leader):
        return True
    return bool(shared == first.sum() and is_part(leader, number))


def _tables(
    contains: np.ndarray, labels: np.ndarray, difference: ClassDifference, stratum: np.ndarray
) -> list[ClassTable]:
    """The table of a pattern and of the class it separates best, in each stratum that can tell.

    Where all graphs of a stratum, or none, are of the class or contain the pattern, there is one
    table alone with its margins, and it tells nothing.
    """
    in_class = labels == difference.contrasts.index(difference.strongest)
    totals = np.bincount(stratum)
    sizes, containing, inside = (
        np.bincount(stratum[chosen], minlength=len(totals))
        for chosen in (in_class, contains, contains & in_class)
    )
    varies = (sizes > 0) & (sizes < totals)
    tells = varies & (containing > 0) & (containing < totals)
    columns = (inside, sizes, containing - inside, totals - sizes)
    rows = np.stack([column[tells] for column in columns], axis=1).tolist()
    return [tuple(row) for row in rows] or [(0, 0, 0, 0)]


def _correlation(first: np.ndarray, second: np.ndarray) -> float:
    """Pearson's correlation of two sets of graphs, neither of them empty; 0 if one is all."""
    spread = first.std() * second.std()
    return (
        float(((first & second).mean() - first.mean() * second.mean()) / spread) if spread else 0.0
    )


@lru_cache(maxsize=100_000)
def exact_p(*tables: ClassTable) -> float:
    """The exact p, two-sided, that a class holds a pattern as often as the others in all strata.

    With one table that is Fisher's test. With several, the number of graphs of the class that
    contain the pattern, over all strata, is compared with its distribution where the margins of
    each table are kept: the exact form of the test of Cochran, Mantel and Haenszel (C. R. Mehta, N.
    R. Patel and R. Gray, Computing an exact confidence interval for the common odds ratio in
    several 2 × 2 contingency tables, 1985).

    >>> round(exact_p((3, 3, 0, 3)), 6), exact_p((19, 40, 3, 260)) < 1e-15
    (0.1, True)
    >>> exact_p((19, 19, 3, 3), (0, 21, 0, 257))
    1.0
    """
    distributions = [_hypergeometric(*table) for table in tables]
    observed = sum(
        inside - first for (inside, *_), (first, _) in zip(tables, distributions, strict=True)
    )
    if len(distributions) == 1:
        ((_, probability),) = distributions
    else:
        # the rest, which is cut off, is at both ends
        cut = [_without_ends(probabilities) for _, probabilities in distributions]
        observed -= sum(first for first, _ in cut)
        probability = reduce(np.convolve, [probabilities for _, probabilities in cut])
    if not 0 <= observed < len(probability):
        return 0.0
    as_extreme = probability <= probability[observed] * _AS_PROBABLE
    return float(min(1.0, probability[as_extreme].sum()))


def _hypergeometric(inside: int, size: int, outside: int, others: int) -> tuple[int, np.ndarray]:
    """The probability of each number of graphs of the class, and the least such number."""
    containing = inside + outside
    numbers = np.arange(max(0, containing - others), min(containing, size) + 1)
    logs = -(
        gammaln(numbers + 1)
        + gammaln(size - numbers + 1)
        + gammaln(containing - numbers + 1)
        + gammaln(others - containing + numbers + 1)
    )
    # of numbers whose logarithms are large, only differences are exact
    shares = np.exp(logs - logs.max())
    return int(numbers[0]), shares / shares.sum()


def _without_ends(probability: np.ndarray) -> tuple[int, np.ndarray]:
    """The part that is no end of hardly any probability, and where it starts."""
    kept = np.flatnonzero(probability >= _NO_PART * probability.max())
    return int(kept[0]), probability[kept[0] : kept[-1] + 1]
