"""Counts in a graph and in random graphs → verdicts, by ranks alone: nothing is modelled.

All structures that the graph or any of the N random graphs holds are compared at once. Where graph
and random graphs are exchangeable (:class:`mining.null_models.RandomGraphs`), the chance that any
of them is called different by accident is at most the level: step-down max-T (P. H. Westfall and S.
S. Young, Resampling-based multiple testing, 1993). With c the counts of the N + 1 graphs, the graph
itself being number 0, m and v their means and variances over all of these,

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
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.errors import InputError
from mining.pattern import (
    LESS,
    LEVEL,
    MORE,
    NOT_SHOWN,
    ClassContrast,
    ClassDifference,
    NullComparison,
)

# added to variances: that of a count that is 0 or 1 as often, and more where few graphs were drawn
_FLOOR, _FLOOR_OF_FEW, _MANY = 0.25, 1.0, 199
# what differs by less is equal but for rounding
_SAME = 1e-9


def compare_with_random(
    null: str, counts: np.ndarray, families: np.ndarray | None = None
) -> list[NullComparison]:
    """Compare the counts of S structures in a graph with those in N random graphs.

    Parameters
    ----------
    null : str
        Name of the null model.
    counts : numpy.ndarray
        Whole numbers ``[N + 1, S]``, of all structures of some sizes, by the same method in all
        graphs; row 0 is the graph that is judged. N is at least 2, and 199 for verdicts that find
        what there is.
    families : numpy.ndarray, optional
        Whole numbers ``[S]``, the family of each structure; None: all are of one.

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
            "counts must be [N + 1, S], the graph and at least two random graphs, got the shape "
            f"{counts.shape}."
        )
    # 1. differences from the graph itself are exact, however large the counts
    away = (counts - counts[0]).astype(np.float64)
    drawn = counts[1:]
    num_samples = len(counts) - 1
    floor = _FLOOR if num_samples >= _MANY else _FLOOR_OF_FEW
    distance = (away - away.mean(axis=0)) / np.sqrt(away.var(axis=0) + floor)
    # 2. one correction over all of a family that occurs in any graph, and one over the families
    occurs = (counts != 0).any(axis=0)
    families = np.zeros(counts.shape[1], np.int64) if families is None else np.asarray(families)
    adjusted = np.ones(counts.shape[1])
    numbers = np.unique(families[occurs])
    for number in numbers:
        inside = occurs & (families == number)
        adjusted[inside] = len(numbers) * step_down(np.abs(distance[:, inside]))
    adjusted = np.minimum(adjusted, 1.0)
    # 3. ranks in the direction in which the graph lies out, and what is printed beside them
    is_more = distance[0] > 0
    beyond = np.where(is_more, (drawn >= counts[0]).sum(axis=0), (drawn <= counts[0]).sum(axis=0))
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
    counts: np.ndarray, labels: np.ndarray, num_samples: int = 999, seed: int = 0
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
        int64 ``[G]``, the class of each graph, 0 … C - 1.
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
    counts = np.asarray(counts, np.float64)
    rng = np.random.default_rng(check_int("seed", seed, 0))
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
        int64 ``[G]``, the class of each graph, 0 … C - 1.
    names : sequence of str
        Names of the C classes, at least two, each with a graph.

    Examples
    --------
    >>> contains = np.array([[1, 1], [1, 0], [1, 1], [0, 1], [0, 0], [0, 1]], dtype=bool)
    >>> ring, chain = class_differences(contains, np.array([0, 0, 0, 1, 1, 1]), ["a", "b"])
    >>> print(ring.strongest)
    3 of 3 (100%) of class a, 0 of 3 (0%) of the others; odds ratio 49 (0.742 to 3.24e+03)
    >>> ring.p_adjusted > 0.1, chain.p_adjusted
    (True, 1.0)
    """
    if not contains.shape[1]:
        return []
    # 1. the graphs of each class, and those of them that contain each pattern, [F, C]
    of_class = np.asarray(labels)[:, None] == np.arange(len(names))
    sizes = of_class.sum(axis=0)
    inside = np.asarray(contains, bool).T.astype(np.int64) @ of_class
    # 2. each class beside the others together
    outside = inside.sum(axis=1, keepdims=True) - inside
    others = sizes.sum() - sizes
    ratio, low, high = odds_ratio_interval(inside, sizes, outside, others)
    adjusted = compare_classes(contains, np.asarray(labels))
    columns = np.broadcast_arrays(inside, sizes, outside, others, ratio, low, high)
    return [
        ClassDifference(
            tuple(
                ClassContrast(name, *(column[pattern, number].item() for column in columns))
                for number, name in enumerate(names)
            ),
            float(adjusted[pattern]),
        )
        for pattern in range(len(adjusted))
    ]


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
