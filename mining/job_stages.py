"""The stages of a mining job, and about how long each takes, so that a bar can tell what is left.

The seconds were measured with one thread on planted graphs of 10^5 to 10^8 edges; only their ratios
matter. Random graphs are planned for as many as may be drawn, and often fewer decide.
"""

from __future__ import annotations

from gomkcn_dgl.runtime.processes import world_size

SAMPLE = "sampling subgraphs"
LEARN = "learning filters"
GATHER = "gathering candidates"
COUNT = "counting structures"
COMPARE = "counting in random graphs"
GROUP = "grouping patterns"
REFINE = "counting patterns"
LIST = "listing places"
NEAR = "comparing neighbourhoods"
AGAIN = "mining again"
WRITE = "drawing the page"

LEARN_SECONDS, WRITE_SECONDS = 2.0, 4.0
# of structures that are compared with random graphs, about so many are counted
_NUM_COUNTED = 60
# random graphs in which all of them are counted; in further ones few are undecided
_FIRST_SAMPLES, _STILL_COUNTED = 8, 0.1


def planned_seconds(
    *,
    num_edges: int,
    num_roots: int,
    is_large: bool,
    num_patterns: int,
    num_samples: int,
    count_seconds: float,
) -> dict[str, float]:
    """About the seconds of each stage, of all processes together.

    ``num_roots`` neighbourhoods are compared, ``num_samples`` random graphs may be drawn, of all
    null models. ``is_large``: counts take all of their ``count_seconds``.

    >>> options = {"num_edges": 10**7, "num_roots": 10**5, "is_large": True}
    >>> options |= {"num_patterns": 12, "num_samples": 0, "count_seconds": 10}
    >>> planned_seconds(**options)["counting structures"]
    160.0
    """
    if num_samples:
        count = _NUM_COUNTED * (0.02 + 1.6e-6 * num_edges)
    else:
        # a few more than are asked for
        count = (num_patterns + num_patterns // 4 + 1) * (count_seconds if is_large else 1.0)
    first = min(num_samples, _FIRST_SAMPLES)
    in_samples = count * (0.4 * first + _STILL_COUNTED * (num_samples - first))
    shared = {
        COUNT: count,
        COMPARE: 1.6e-5 * num_edges * num_samples + in_samples,
        GROUP: 4e-5 * num_edges if num_samples else 0.0,
        REFINE: 0.2 * num_patterns if num_samples else 0.0,
        LIST: num_patterns * (2.5 if is_large else 0.2),
        NEAR: 1e-4 * num_roots,
    }
    alone = {SAMPLE: 0.2 + 1e-5 * num_roots, LEARN: LEARN_SECONDS, GATHER: 5.0}
    return alone | {stage: seconds / world_size() for stage, seconds in shared.items()}
