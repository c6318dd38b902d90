"""Looks: how many random graphs are drawn, and what is called after how many.

Where a number is asked for, so many are drawn, and there is one look. Else 199 are drawn, and more
while any structure is near the level, at most 1,999 (sequentially, as in J. Besag and P. Clifford,
Sequential Monte Carlo p-values, Biometrika 78, 1991). The looks are at fixed numbers n[k] of random
graphs: 199, 399, 799, 1,599 and 1,999. With p[k] the adjusted p of a structure by the graphs of
look k, as :mod:`gomkcn.mining.significance.verdicts` defines it,

1. a structure with p[1] ≤ .02 is called and keeps this p, however many more graphs are drawn;
2. after look k no more graphs are drawn where each other structure has p[k] > c[k] with
   c[k] = .03 · 2,000 / (n[k] + 1): more of the graphs than may do so in 2,000 lie as far out
   already, which is Besag and Clifford's rule;
3. at the end each other structure has the p of .02 + p[k], k being the look that was the last one:
   .02 were spent by the first. After the first look alone it is p[1].

Why the level holds: where graph and random graphs are exchangeable, the smallest of these p, P, is
at most t with a probability of at most t, for every t. So it is with the smallest p[k] of all
structures at a fixed look, q[k] (step-down max-T). Let A be q[1] ≤ .02. Outside of A nothing is
called by the first look, and graphs are drawn after look k where q[k] ≤ c[k].

- For t ≤ .02, P ≤ t means that q[1] ≤ t.
- For t ≥ c[1], P ≤ t means that q[1] ≤ t, or that graphs were drawn after it: q[1] ≤ c[1] ≤ t.
- Else take the first look k > 1 with c[k] ≤ t - .02, or the last one if there is none. What ended
  before it has q > t - .02, so that P > t; what ended there has q[k] ≤ t - .02, and what went on
  q[k] ≤ c[k] ≤ t - .02. So P ≤ t means A or q[k] ≤ t - .02, whose probabilities add up to t.

Nothing is assumed of how the looks depend on each other, so that means and variances are those of
all graphs of a look. A time limit ends at a number of graphs that does not depend on the counts in
them; it is the last look then.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from operator import itemgetter
from typing import NamedTuple, TypeVar

import numpy as np

from gomkcn.mining.structures.pattern import LEVEL
from gomkcn_dgl.graphs.shapes import count
from gomkcn_dgl.runtime.steps import Steps

Drawn = TypeVar("Drawn")

# random graphs of the first look, and of the last one, after which a p near the level of three
# families has a standard error of less than .01
FIRST_SAMPLES, MOST_SAMPLES = 199, 1999
# the share of the level that the first look spends: the smallest p of four families, 4 / 200
FIRST_LEVEL = 0.02
# but for rounding
_SAME = 1e-9


class Looks(NamedTuple):
    """The random graphs of the first look and of the last one; equal where there is one look.

    >>> Looks().ends, Looks(500, 500).ends
    ((199, 399, 799, 1599, 1999), (500,))
    """

    first: int = FIRST_SAMPLES
    most: int = MOST_SAMPLES

    @property
    def ends(self) -> tuple[int, ...]:
        """The number of random graphs at each look: twice as many graphs as before."""
        ends = [self.first]
        while ends[-1] < self.most:
            ends.append(min(2 * ends[-1] + 1, self.most))
        return tuple(ends)

    def adjusted(self, at_first: np.ndarray, now: np.ndarray, number: int) -> np.ndarray:
        """The adjusted p of structures by those of the first look and of the last one made.

        Parameters
        ----------
        at_first, now : numpy.ndarray
            float64 ``[S]``, adjusted p by the random graphs of the first look, and by all.
        number : int
            Random graphs that were drawn.

        Examples
        --------
        >>> Looks().adjusted(np.array([0.01, 0.04]), np.array([0.02, 0.025]), 1999).tolist()
        [0.01, 0.045]
        """
        if number <= self.first:
            return now
        return np.where(_is_called(at_first), at_first, np.minimum(1.0, FIRST_LEVEL + now))

    def are_over(self, at_first: np.ndarray, now: np.ndarray, number: int) -> bool:
        """Whether no structure that is not called can be, with however many more random graphs.

        >>> Looks().are_over(np.array([0.01, 0.35]), np.array([0.01, 0.35]), 199)
        True
        >>> Looks().are_over(np.array([0.01, 0.25]), np.array([0.01, 0.25]), 199)
        False
        """
        may_lie_as_far = (LEVEL - FIRST_LEVEL) * (self.most + 1) + _SAME
        is_near = ~_is_called(at_first) & (now * (number + 1) <= may_lie_as_far)
        return number >= self.most or not is_near.any()

    def why_over(self, number: int) -> str:
        """Why no more random graphs are drawn after a look; empty where there is only this one."""
        if self.first == self.most:
            return ""
        if number == self.most:
            return "the most, since structures stayed near the level"
        if number == self.first:
            return "since no structure is near the level"
        return "until no structure was near the level"


def draw_in_looks(
    name: str,
    kind: type[Drawn],
    take: Callable[[range], Drawn],
    is_over: Callable[[list[Drawn]], bool],
    looks: Looks,
    together: int,
    steps: Steps,
    threads: int = 1,
) -> tuple[list[Drawn], str]:
    """What ``take`` returns of random graphs by their numbers, look by look, and why no more.

    Up to ``together`` of them are taken at once, as a step of the job that is called by ``name``
    and whose results are of a ``kind``; up to so many ``threads`` share the steps. ``is_over`` is
    asked at each look whether more would call nothing.
    """
    parts: list[Drawn] = []
    number = 0
    for end in looks.ends:
        some = [range(k, min(k + together, end)) for k in range(number, end, together)]
        found = steps.each(
            name, kind, take, some, itemgetter(0), in_time=True, weight=len, threads=threads
        )
        parts += found
        number = end
        if len(found) < len(some):
            return parts, "until time was up"
        if is_over(parts):
            break
    return parts, looks.why_over(number)


def _is_called(at_first: np.ndarray) -> np.ndarray:
    return at_first <= FIRST_LEVEL + _SAME


def what_few_cannot_tell(number: int, num_families: int = 1) -> str:
    """What so few random graphs cannot tell of structures in so many families; empty if enough.

    The smallest adjusted p is the number of families, divided by that of the random graphs and the
    graph itself.

    >>> what_few_cannot_tell(5)[:61], what_few_cannot_tell(19)
    ('with 5 random graphs the smallest adjusted p is 0.167, so tha', '')
    """
    needed = ceil(num_families / LEVEL) - 1
    if number >= needed:
        return ""
    least = min(1.0, num_families / (number + 1))
    return (
        f"with {count(number, 'random graph')} the smallest adjusted p is {least:.3g}, so that "
        f"nothing can be called at {LEVEL}, which takes {needed} or more; z is rough"
    )
