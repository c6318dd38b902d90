"""How a count is bounded and watched: steps, what is told of them, and what ends it."""

from __future__ import annotations

from collections.abc import Callable

from gomkcn_dgl.errors import InputError

# told of the steps that were made between two of its calls; what it raises ends a count
Spend = Callable[[float], object]
# told now and then what share of a count is done, at most, and whether it goes on
Watch = Callable[[float], bool]
# a step checks a graph node, or marks one: what one thread does in about a second
STEPS_PER_SECOND = 100_000_000


class UncountableError(InputError):
    """What would take more memory than there is, or more digits than a number has."""


def spend_freely(steps: float) -> None:
    """Go on, whatever has been spent."""


def to_the_end(share: float) -> bool:
    """Go on, whatever share is done."""
    return True


def half_of(watch: Watch, number: int) -> Watch:
    """What watches the first half of a count, number 0, or the second one."""
    return lambda share: watch((number + min(share, 1.0)) / 2)


def steps_in(seconds: float) -> int:
    """The steps that stand for some seconds of one thread, whatever machine it runs on.

    >>> steps_in(0.5)
    50000000
    """
    return max(1, round(seconds * STEPS_PER_SECOND))
