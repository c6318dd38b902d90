"""The stages of a mining job, and about how long each takes, so that a bar can tell what is left.

The seconds were measured with one thread on planted graphs of 10^4 to 10^9 edges. Random graphs are
planned for as many as may be drawn, and often fewer decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gomkcn_dgl.runtime.processes import world_size

SAMPLE = "sampling subgraphs"
LEARN = "learning filters"
GATHER = "gathering candidates"
COUNT = "counting structures"
APART = "setting places apart"
CLASSES = "counting in each class"
GROUP = "grouping patterns"
REFINE = "counting patterns"
LIST = "listing places"
NEAR = "comparing neighbourhoods"
AGAIN = "mining again"
WRITE = "drawing the page"

LEARN_SECONDS, WRITE_SECONDS = 2.0, 4.0
# of structures that are compared with random graphs, about so many are counted
_NUM_COUNTED = 60
# graphs of each null model in which all of them are counted; in further ones few are undecided
FIRST_SAMPLES, _STILL_COUNTED = 8, 0.1


def compare_stage(null: str, number: int) -> str:
    """The stage in which structures are counted in so many graphs of a null model."""
    return f"counting in {number} random graphs ({null})"


def numbers_of_samples(least: int, most: int) -> Iterator[int]:
    """How many random graphs are drawn, in turn, while verdicts are undecided.

    >>> list(numbers_of_samples(8, 20))
    [8, 16, 20]
    """
    while least < most:
        yield least
        least *= 2
    yield most


def planned_seconds(
    *,
    num_edges: int,
    num_roots: int,
    is_large: bool,
    num_patterns: int,
    nulls: Sequence[str],
    num_samples: int,
    has_classes: bool,
    count_seconds: float,
) -> dict[str, float]:
    """About the seconds of each stage, of all processes together.

    ``num_roots`` neighbourhoods are compared; ``num_samples`` random graphs of each of ``nulls``
    may be drawn. ``is_large``: counts take all of their ``count_seconds``.

    >>> options = {"num_edges": 10**7, "num_roots": 10**5, "is_large": True}
    >>> options |= {"num_patterns": 12, "nulls": (), "num_samples": 0}
    >>> options |= {"has_classes": False, "count_seconds": 10}
    >>> planned_seconds(**options)["counting structures"]
    160.0
    """
    if nulls:
        count = _NUM_COUNTED * (0.02 + 1.6e-6 * num_edges)
    else:
        # a few more than are asked for
        count = (num_patterns + num_patterns // 4 + 1) * (count_seconds if is_large else 1.0)
    shared = {COUNT: count, APART: 0.1 * count if nulls else 0.0}
    for null in nulls:
        drawn, share = 0, 0.4
        for number in numbers_of_samples(min(FIRST_SAMPLES, num_samples), num_samples):
            seconds = 1.6e-5 * num_edges + share * count
            shared[compare_stage(null, number)] = (number - drawn) * seconds
            drawn, share = number, 0.4 * _STILL_COUNTED
    shared |= {
        CLASSES: count if has_classes else 0.0,
        GROUP: 4e-5 * num_edges if nulls else 0.0,
        REFINE: 0.2 * num_patterns if nulls else 0.0,
        LIST: num_patterns * (2.5 if is_large else 0.2),
        NEAR: 1e-4 * num_roots,
    }
    alone = {SAMPLE: 0.2 + 1e-5 * num_roots, LEARN: LEARN_SECONDS, GATHER: 5.0}
    return alone | {stage: seconds / world_size() for stage, seconds in shared.items()}
