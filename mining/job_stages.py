"""The stages of a mining job, and about how long each takes, so that a bar can tell what is left.

The seconds were measured with one thread on planted graphs of 10^4 to 10^9 edges. Random graphs are
planned for as many as may be drawn, and often fewer decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gomkcn_dgl.runtime.processes import world_size
from mining.null_models.null_fit import NUM_SAMPLES
from mining.null_models.null_samples import MOST_KEPT_EDGES

READ = "reading the graph"
PREPARE = "preparing"
SAMPLE = "sampling subgraphs"
LEARN = "learning filters"
GATHER = "gathering candidates"
COUNT = "counting structures"
APART = "setting places apart"
CLASSES = "counting in each class"
GROUP = "grouping patterns"
OVERLAPS = "listing places in random graphs"
FIT = "counting triangles"
REFINE = "counting patterns"
LIST = "listing places"
NEAR = "comparing neighbourhoods"
THRESHOLDS = "finding thresholds"
WRITE = "drawing the page"

WRITE_SECONDS = 4.0
# where all candidates are counted, they are about so many, each of at most so many seconds
_NUM_COUNTED, _MOST_SECONDS = 60, 5.0
# graphs of each null model in which all of them are counted; in further ones few are undecided
FIRST_SAMPLES, _STILL_COUNTED = 8, 0.1
# seconds an edge to draw a random graph
_DRAW = 1e-5


def are_candidates_reported(rank: str, nulls: Sequence[str]) -> bool:
    """Whether the first candidates are those that are reported, so that few are counted."""
    return rank == "surprise" and not nulls


def num_tried(num_patterns: int) -> int:
    """How many of these are counted where so many are asked for: some may be too rare."""
    return num_patterns + num_patterns // 4 + 1


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


def again_stage(kind: str) -> str:
    """The stage in which the filters of a kind of stability are learnt."""
    return f"mining again: {kind}"


def learn_seconds(num_epochs: int) -> float:
    """About the seconds in which filters are learnt."""
    return 0.5 + 0.025 * num_epochs


def planned_seconds(
    *,
    num_edges: int,
    num_roots: int,
    num_epochs: int,
    is_large: bool,
    rank: str,
    num_patterns: int,
    nulls: Sequence[str],
    num_samples: int,
    has_classes: bool,
    count_seconds: float,
) -> dict[str, float]:
    """About the seconds of each stage, of all processes together.

    ``num_roots`` neighbourhoods are compared; ``num_samples`` random graphs of each of ``nulls``
    may be drawn. ``is_large``: counts take all of their ``count_seconds``.

    >>> options = {"num_edges": 10**7, "num_roots": 10**5, "num_epochs": 60}
    >>> options |= {"is_large": True, "rank": "surprise"}
    >>> options |= {"num_patterns": 12, "nulls": (), "num_samples": 0}
    >>> options |= {"has_classes": False, "count_seconds": 10}
    >>> planned_seconds(**options)["counting structures"]
    160.0
    """
    # in vain an exact count is tried first, but in a large graph
    a_count = count_seconds if is_large else min(0.3 + 2e-6 * num_edges, 2.0) * count_seconds
    list_one = min(0.2 + 1e-6 * num_edges, 2.5)
    if are_candidates_reported(rank, nulls):
        # at once as exactly as was asked for
        count, refine = num_tried(num_patterns) * a_count, 0.0
    else:
        count = _NUM_COUNTED * min(0.12 + 3e-7 * num_edges, _MOST_SECONDS)
        refine = num_patterns * a_count
    draw, in_sample = _DRAW * num_edges, 0.4 * count
    shared = {COUNT: count, APART: 0.1 * count if nulls else 0.0}
    for null in nulls:
        drawn, share = 0, 1.0
        for number in numbers_of_samples(min(FIRST_SAMPLES, num_samples), num_samples):
            seconds = (number - drawn) * (draw + share * in_sample)
            shared[compare_stage(null, number)] = seconds
            drawn, share = number, _STILL_COUNTED
    group = 2 + 3e-6 * num_edges if nulls else 0.0
    # random graphs are drawn anew where they are large
    fit = 1e-5 * num_edges + (NUM_SAMPLES * draw if num_edges > MOST_KEPT_EDGES else 0.0)
    shared |= {
        CLASSES: count if has_classes else 0.0,
        GROUP: _NUM_COUNTED * list_one if rank == "coverage" else group,
        OVERLAPS: 3 + 7e-6 * num_edges if nulls else 0.0,
        REFINE: refine,
        FIT: fit * len(nulls),
        LIST: num_patterns * list_one,
        NEAR: 0.4 + 3e-5 * num_roots,
        THRESHOLDS: 0.6 + 5e-5 * num_roots,
    }
    alone = {
        SAMPLE: 0.2 + 2e-6 * num_roots,
        LEARN: learn_seconds(num_epochs),
        GATHER: min(2 + 5e-6 * num_edges, 7),
    }
    return alone | {stage: seconds / world_size() for stage, seconds in shared.items()}
