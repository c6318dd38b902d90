"""Which patterns separate the classes of a collection: contingency tables of graphs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import norm

from mining.pattern import ClassContrast, ClassDifference
from mining.significance import compare_classes


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
    3 of 3 (100 %) of class a, 0 of 3 (0 %) of the others; odds ratio 49 (0.742 to 3.24e+03)
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
    outside, others = inside.sum(axis=1, keepdims=True) - inside, sizes.sum() - sizes
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
    error = norm.ppf(0.975) * np.sqrt(sum(1 / cell for cell in cells))
    return np.exp(center), np.exp(center - error), np.exp(center + error)
