"""Random numbers for compiled loops: a small state array drawn from a ``numpy`` generator.

The generator is L'Ecuyer's MRG32k3a (Operations Research 47(1), 1999), of period 2^191. All of its
arithmetic fits in signed 64-bit integers, so a loop gives the same numbers compiled or as plain
Python, and never wraps around.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.errors import InputTypeError
from gomkcn_dgl.runtime.compiled import compiled

Seed = int | np.random.Generator

# never fastmath: a seed gives the same graph on every machine
EXACT: dict[str, Any] = {"fastmath": False, "error_model": "python"}

_MODULUS_1 = 4294967087
_MODULUS_2 = 4294944443


def as_generator(seed: Seed) -> np.random.Generator:
    """Return the generator itself, or a new one for an integer seed.

    Parameters
    ----------
    seed : int or numpy.random.Generator
        An integer of at least 0 starts a new generator; a generator is used as it is, and advances.

    Returns
    -------
    numpy.random.Generator

    Raises
    ------
    InputTypeError
        For anything else, ``None`` included: an unseeded result cannot be repeated.

    Examples
    --------
    >>> bool(as_generator(1).random() == as_generator(1).random())
    True

    """
    if isinstance(seed, np.random.Generator):
        return seed
    if seed is None or not isinstance(seed, (int, np.integer)):
        raise InputTypeError(f"seed must be an integer or a numpy.random.Generator, got {seed!r}.")
    return np.random.default_rng(check_int("seed", seed, 0))


def draw_state(rng: np.random.Generator) -> np.ndarray:
    """Return a fresh state, int64 ``[6]``, for :func:`next_uniform` and :func:`next_index`."""
    return rng.integers(1, _MODULUS_2, size=6, dtype=np.int64)


@compiled(**EXACT)
def next_uint32(state: np.ndarray) -> int:
    """Advance the state and return an integer, uniform in ``[0, 2^32 - 209)``."""
    first = (1403580 * state[1] - 810728 * state[0]) % _MODULUS_1
    second = (527612 * state[5] - 1370589 * state[3]) % _MODULUS_2
    state[0], state[1], state[2] = state[1], state[2], first
    state[3], state[4], state[5] = state[4], state[5], second
    return (first - second) % _MODULUS_1


@compiled(**EXACT)
def next_uniform(state: np.ndarray) -> float:
    """Return a number in ``[0, 1)`` with 53 random bits."""
    high = next_uint32(state)
    low = next_uint32(state) >> 11
    return (high * 2097152.0 + low) / 9007199254740992.0


@compiled(**EXACT)
def next_index(state: np.ndarray, count: int) -> int:
    """Return an integer, uniform in ``[0, count)``."""
    return int(next_uniform(state) * count)
