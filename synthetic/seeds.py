"""Seeds: an integer or a NumPy generator, never an unseeded draw."""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.errors import InputTypeError

Seed = int | np.random.Generator


def as_generator(seed: Seed) -> np.random.Generator:
    """Return a generator as it is, or a new one for an integer of at least 0.

    ``None`` is refused: an unseeded result cannot be repeated.
    """
    if isinstance(seed, np.random.Generator):
        return seed
    if seed is None or not isinstance(seed, (int, np.integer)):
        raise InputTypeError(f"seed must be an integer or a numpy.random.Generator, got {seed!r}.")
    return np.random.default_rng(check_int("seed", seed, 0))
