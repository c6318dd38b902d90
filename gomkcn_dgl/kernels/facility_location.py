"""Facility location by contrast: candidates that cover a graph, and not random graphs like it.

A graph and R random graphs are given by how many subgraphs of each of K kinds they have, and a
candidate by how similar it is to each kind. A set of candidates covers a kind as well as the most
similar of them does, and a graph by the sum over its subgraphs. Greedily, the next candidate is the
one by which the cover of the graph grows most beyond chance: its gain less the mean of its gains in
the random graphs, and less ``margin`` of their standard deviations, one added to each.

The law is a few operations of arrays that NumPy and PyTorch share: given tensors, it runs on their
device, and two numbers a step come back. Similarities are rounded to multiples of 2^-20, so that
gains are sums without an error, in whatever order a device adds them up, while there are fewer than
2^33 subgraphs: of candidates that are equally good every device chooses the first.

G. L. Nemhauser, L. A. Wolsey and M. L. Fisher, An analysis of approximations for maximizing
submodular set functions, Mathematical Programming 14, 1978. Without random graphs it is theirs,
and covers at least 1 - 1/e of what the best set of its size does; with them gains may be negative,
and nothing is promised.
"""

from __future__ import annotations

from typing import Any, NamedTuple

# of similarities
_STEPS = 2**20


class Cover(NamedTuple):
    """The chosen candidates, in order, and how far the cover grew by each beyond the margin."""

    chosen: list[int]
    excess: list[float]


def greedy_cover(
    similarity: Any,
    weights: Any,
    random_weights: Any = None,
    number: int | None = None,
    *,
    margin: float = 3.0,
) -> Cover:
    """Choose candidates one by one.

    Parameters
    ----------
    similarity : array or Tensor
        ``[K, C]`` from 0 to 1, of each kind of subgraph and each candidate; double precision.
    weights : array or Tensor
        Whole numbers ``[K]`` in double precision: the subgraphs of each kind in the graph.
    random_weights : array or Tensor, optional
        ``[R, K]``, those in each of R random graphs. None: nothing is subtracted.
    number : int, optional
        How many candidates to choose; all C where there are no more. None: as many as have an
        excess above 0.
    margin : float
        Standard deviations that a gain must exceed the mean in random graphs by.

    Examples
    --------
    Kind 0 is as frequent in random graphs, and candidate 1 covers kind 2 in part:

    >>> import numpy as np
    >>> similarity = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.5, 1.0]])
    >>> weights, random = np.array([90.0, 20.0, 30.0]), np.array([[90.0, 0.0, 0.0]] * 2)
    >>> greedy_cover(similarity, weights, random)
    Cover(chosen=[1, 2], excess=[32.0, 12.0])
    >>> greedy_cover(similarity, weights, number=2)
    Cover(chosen=[0, 1], excess=[90.0, 35.0])
    """
    similarity = (similarity * _STEPS).round() / _STEPS
    covered = weights * 0
    cover = Cover([], [])
    most = similarity.shape[1] if number is None else min(number, similarity.shape[1])
    while len(cover.chosen) < most:
        up = (similarity - covered[:, None]).clip(min=0)
        excess = weights @ up  # [C]
        if random_weights is not None:
            excess = excess - _by_chance(random_weights @ up, margin)
        excess[cover.chosen] = -float("inf")
        best = int(excess.argmax())
        most_excess = float(excess[best])
        if number is None and most_excess <= 0:
            break
        cover.chosen.append(best)
        cover.excess.append(most_excess)
        covered = covered + up[:, best]
    return cover


def _by_chance(gains: Any, margin: float) -> Any:
    """The gain of each candidate that chance allows for, ``[C]``, by those in R graphs."""
    mean = gains.mean(0)
    # written out: NumPy and PyTorch do not divide by the same number
    deviation = ((gains - mean) ** 2).mean(0) ** 0.5
    return mean + margin * (deviation + 1)
