"""A JSON text → one that is slightly wrong and still JSON, which reaches what lies behind."""

from __future__ import annotations

import json
import random
from typing import Any

NAMES = (
    "<script>alert(1)</script>",
    "'\"><img src=http://x/y onerror=alert(1)>",
    "url(http://x/y)",
    "javascript:alert(1)",
    "../../x",
    "/etc/passwd",
    "{{ 7 * 7 }}",
    "${1}$ \\frac{1}{0} $",
    "]]>",
    "a\x00b",
    "\x1b[31mred",
    "a\nb",
    "\u2028",
    "\u202e",
    "\ud800",
    "",
    " ",
    "é" * 300,
)
_VALUES = (
    *NAMES,
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    7,
    0.5,
    1e-320,
    1e308,
    float("nan"),
    float("inf"),
)
_OTHERS = (2**31, 2**63, -(2**63), 10**400, [], {}, [[]], {"a": 1})


def mutate_json(data: bytes, rng: random.Random) -> bytes | None:
    """Change one value of a JSON text; None for anything else."""
    try:
        record = json.loads(data)
        changed = _change(record, rng)
        return json.dumps(changed, separators=(",", ":")).encode()
    except (ArithmeticError, ValueError, RecursionError):
        return None


def _change(value: Any, rng: random.Random) -> Any:
    """Go down at random, and change what is there."""
    if isinstance(value, (dict, list)) and value and rng.random() < 0.9:
        places = list(value) if isinstance(value, dict) else range(len(value))
        place = rng.choice(places)
        copy = value.copy()
        if rng.random() < 0.08:
            return _change_members(copy, place, rng)
        copy[place] = _change(value[place], rng)
        return copy
    if isinstance(value, str) and rng.random() < 0.7:
        return rng.choice(NAMES)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and rng.random() < 0.7:
        return rng.choice((value + 1, value - 1, -value, 0, value * 1000, value / 2, int(value)))
    return rng.choice((*_VALUES, *_OTHERS))


def _change_members(copy: Any, place: Any, rng: random.Random) -> Any:
    """Leave a member out, or put one in."""
    kind = rng.randrange(3)
    if kind == 0:
        del copy[place]
    elif isinstance(copy, dict):
        copy[rng.choice(NAMES)] = copy[place]
    else:
        copy[place:place] = [copy[place]] * (1 if kind == 1 else 50)
    return copy
