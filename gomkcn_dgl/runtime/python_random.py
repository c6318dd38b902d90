"""Python's own generator of random numbers, from which igraph draws."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def python_random_state(seed: int) -> Iterator[None]:
    """Seed Python's generator, and restore its state at the end.

    >>> with python_random_state(0):
    ...     first = random.random()
    >>> with python_random_state(0):
    ...     first == random.random()
    True
    """
    state = random.getstate()
    random.seed(seed)
    try:
        yield
    finally:
        random.setstate(state)
