"""Input checks for the public edge: numbers in their ranges, choices, sizes and arrays.

A message names the parameter, the rule and what came, and adds the way out when there is one, each
as a field of its error: ``num_hops must be at least 1, got 0.``
"""

from __future__ import annotations

import difflib
import logging
import math
import numbers
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gomkcn_dgl.bounds import LARGEST_COUNT, LARGEST_SEED, MOST_JOBS, SEEDS_OF_SKLEARN
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.messages import Argument, Message

log = logging.getLogger("gomkcn_dgl")

# what a seed may be
RandomState = int | np.random.RandomState | np.random.Generator | None
_DIGITS = re.compile(r"[+-]?[0-9]+", re.ASCII)
_REAL = re.compile(
    r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(nan|inf(inity)?)", re.I
)
# a number of more digits is none that anything here can hold, and Python refuses to read it
_MOST_DIGITS = 30


def nearest(text: str, known: Iterable[str]) -> str | None:
    """The name that a text is most like, whatever its capitals; None where it is like none.

    >>> nearest("CRP", ["arcA", "crp"]), nearest("repress", ["activates", "represses"])
    ('crp', 'represses')
    """
    by_small = {name.lower(): name for name in reversed([*known])}
    like = difflib.get_close_matches(text.lower(), by_small, 1)
    return by_small[like[0]] if like else None


def read_number(name: str, text: str, kind: type) -> Any:
    """The number that a text of ASCII digits stands for, an ``int`` or a ``float``.

    >>> read_number("seed", "12", int), read_number("tau", ".5", float)
    (12, 0.5)
    """
    text = text.strip()
    if kind is int and not _DIGITS.fullmatch(text):
        raise InputError(name, "must be an integer", got=repr(text))
    if kind is float and not _REAL.fullmatch(text):
        raise InputError(name, "must be a number", got=repr(text))
    if kind is int and len(text) > _MOST_DIGITS:
        raise InputError(
            name, f"must be a number of at most {_MOST_DIGITS} digits", got=f"one of {len(text)}"
        )
    return kind(text)


def check_int(name: str, value: object, minimum: int, maximum: int = LARGEST_COUNT) -> int:
    """Return ``value`` as an int in ``[minimum, maximum]``, or say why it is not one."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise InputTypeError(name, "must be an integer", got=repr(value))
    number = int(value)
    if number < minimum:
        raise InputError(name, f"must be at least {minimum}", got=_shown(number))
    if number > maximum:
        raise InputError(name, f"must be at most {maximum}", got=_shown(number))
    return number


def _shown(number: int) -> str:
    """A whole number for a message; Python does not print one of thousands of digits."""
    return str(number) if abs(number) < 10**_MOST_DIGITS else f"one of over {_MOST_DIGITS} digits"


def check_float(
    name: str,
    value: object,
    minimum: float = -math.inf,
    maximum: float = math.inf,
    *,
    open_minimum: bool = False,
) -> float:
    """Return ``value`` as a finite float in the interval, or say why it is not one."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise InputTypeError(name, "must be a number", got=repr(value))
    try:
        number = float(value)
    # a whole number of hundreds of digits
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InputError(name, "must be finite", got=number)
    if open_minimum and number <= minimum:
        raise InputError(name, f"must be greater than {minimum:g}", got=f"{number:g}")
    if number < minimum:
        raise InputError(name, f"must be at least {minimum:g}", got=f"{number:g}")
    if number > maximum:
        raise InputError(name, f"must be at most {maximum:g}", got=f"{number:g}")
    return number


def as_seed(name: str, seed: object) -> int:
    """The seed that a ``random_state`` or a ``seed`` stands for, as in scikit-learn.

    An integer is itself, also one of NumPy. A generator of NumPy gives its next number, so that it
    goes on as where it draws. None draws one from the system, which the log says, so that a result
    can be made again.

    >>> as_seed("seed", np.int64(3)), as_seed("seed", np.random.RandomState(0))
    (3, 2357136044)
    """
    if isinstance(seed, np.random.RandomState):
        return int(seed.randint(0, SEEDS_OF_SKLEARN, dtype=np.int64))
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(SEEDS_OF_SKLEARN))
    if seed is None:
        drawn = as_seed(name, np.random.default_rng())
        way_out = (Argument(name, drawn), " gives the same again")
        log.info("%s", Message((Argument(name), f" was drawn: {drawn}"), way_out=way_out))
        return drawn
    if isinstance(seed, (bool, np.bool_)) or not isinstance(seed, numbers.Integral):
        raise InputTypeError(
            name,
            "must be an integer, or None, a numpy.random.RandomState or a numpy.random.Generator, "
            "which draw one",
            got=repr(seed),
        )
    return check_int(name, seed, 0, LARGEST_SEED)


def is_drawn(seed: object) -> bool:
    """Whether :func:`as_seed` draws, so that each call gives another number."""
    return seed is None or isinstance(seed, (np.random.RandomState, np.random.Generator))


def check_jobs(name: str, value: object) -> int | None:
    """Return a number of workers as joblib takes it: not 0, of negative ones -1 is one a core."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value == 0:
        raise InputError(
            name, "must be a number of processes, or -1 for one on each core", got=repr(value)
        )
    return check_int(name, value, -MOST_JOBS, MOST_JOBS)


def check_bool(name: str, value: object) -> bool:
    """Return True or False, also of NumPy; nothing else is either."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputTypeError(name, "must be True or False", got=repr(value))
    return bool(value)


def check_choice(name: str, value: object, choices: Iterable[str]) -> str:
    """Return ``value`` if it is one of ``choices``, or list them."""
    # sorted, so that the message lists them in the same order every time
    allowed = sorted(choices)
    if not isinstance(value, str) or value not in allowed:
        listed = ", ".join(repr(choice) for choice in allowed)
        raise InputError(name, f"must be one of {listed}", got=repr(value))
    return value


def check_sizes(name: str, sizes: Any, smallest: int, largest: int) -> range:
    """The sizes that a number, a pair of numbers or a text such as "3-8" stand for.

    >>> check_sizes("sizes", "3-8", 1, 10), check_sizes("sizes", 5, 1, 10)
    (range(3, 9), range(5, 6))
    """
    ends = sizes.split("-") if isinstance(sizes, str) else sizes
    ends = list(ends) if isinstance(ends, list | tuple) else [ends]
    ends = [
        read_number(name, end, int)
        if isinstance(end, str) and _DIGITS.fullmatch(end.strip())
        else end
        for end in ends
    ]
    if len(ends) not in (1, 2) or any(isinstance(end, str) for end in ends):
        raise InputTypeError(
            name,
            (
                "must be a number of nodes, or the smallest and the largest number as in (3, 5) "
                "or '3-5'"
            ),
            got=repr(sizes),
        )
    first, last = (check_int(name, end, smallest, largest) for end in (ends[0], ends[-1]))
    if first > last:
        raise InputError(
            name, f"must have the smallest number first, as in '{last}-{first}'", got=repr(sizes)
        )
    return range(first, last + 1)


def check_finite(name: str, values: np.ndarray) -> None:
    """Refuse NaN and infinity in an array, naming the first row (and column) that has one."""
    bad = ~np.isfinite(values)
    if not bad.any():
        return
    where = np.argwhere(bad)[0]
    value = values[tuple(where)]
    place = f"row {where[0]}" + (f", column {where[1]}" if values.ndim > 1 else "")
    raise InputError(
        name,
        "must be finite",
        got=f"{value} in {place} ({int(bad.sum())} such values in all)",
        way_out="fill or drop them first",
    )


def check_features(
    features: np.ndarray, num_nodes: int, names: Sequence[str] | None
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return features as a float32 ``[V, D]`` matrix with one name per column."""
    matrix = as_float32("features", features)
    if matrix.ndim == 1:
        matrix = matrix[:, None]
    if matrix.ndim != 2 or len(matrix) != num_nodes or matrix.shape[1] == 0:
        raise InputError(
            "features",
            f"must have one row for each of the {num_nodes} nodes and at least one column",
            got=f"an array of shape {matrix.shape}",
        )
    if names is None:
        names = [f"x{column}" for column in range(matrix.shape[1])]
    if len(names) != matrix.shape[1]:
        raise InputError(
            "feature_names",
            f"must have one name for each of the {matrix.shape[1]} columns",
            got=len(names),
        )
    if len(set(names)) < len(names):
        twice = next(name for k, name in enumerate(names) if name in names[:k])
        raise InputError("feature_names", "must all be different", got=f"{twice!r} twice")
    return np.ascontiguousarray(matrix), tuple(names)


def as_float32(name: str, values: Any) -> np.ndarray:
    """Return the values as a float32 array, all finite."""
    try:
        values = to_numpy(values)
    except (TypeError, ValueError) as error:
        raise InputTypeError(name, f"must be numbers ({error})") from None
    if values.dtype.kind not in "biuf":
        raise InputTypeError(name, "must be numbers", got=values.dtype)
    check_finite(name, values)
    # a number that only float64 holds becomes infinite here
    with np.errstate(over="ignore"):
        small = values.astype(np.float32)
    if np.isinf(small).any():
        raise InputError(name, "must be at most 3.4e38 in size", got=f"{np.abs(values).max():g}")
    return small


def to_numpy(values: Any) -> np.ndarray:
    """Return an array, or a torch tensor on any device, as a NumPy array."""
    if not hasattr(values, "detach"):
        return np.asarray(values)
    values = values.detach().cpu()
    # NumPy has no bfloat16
    if values.is_floating_point():
        values = values.double()
    return values.numpy()


def is_nan(value: Any) -> bool:
    """Whether this is a number that is none."""
    return isinstance(value, float) and math.isnan(value)
