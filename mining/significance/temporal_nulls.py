"""Null models of events: what each way to draw random graphs keeps.

L. Gauvin and others, Randomized reference models for temporal networks (SIAM Review 2022), order
such models by what they keep. All of these keep between which two nodes there are events, and how
many in each direction; but for permuted times they keep bursts as well.

Each is drawn uniformly from all graphs that keep the same, so that a graph of which nothing else is
to be known is as likely as any that is drawn.

To add one is to write its row: the option, its help and refusals read it. What draws is imported
when a graph is drawn, so that the help answers soon.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    from gomkcn.mining.significance.temporal_draws import Draw, Timelines


class TemporalNull(NamedTuple):
    """A null model of events: what its random graphs keep, in short and in full, and how to draw.

    A draw is made from timelines, their times and a random generator.
    """

    brief: str
    keeps: str
    draw: Callable[[Timelines, np.ndarray, np.random.Generator], Draw]


def _draws() -> Any:
    from gomkcn.mining.significance import temporal_draws

    return temporal_draws


# the first is the one that is taken where none is named; docs/howto/temporal.md says why
TEMPORAL_NULLS: dict[str, TemporalNull] = {
    "directions": TemporalNull(
        "all times of each two nodes",
        "The events of each two nodes keep their times, and how many go each way; which of them "
        "goes which way is drawn. So bursts, answers soon after, and who is active when are all "
        "kept, and a motif is called for its order of directions alone",
        lambda *of: _draws().permute_directions(*of),
    ),
    "gaps": TemporalNull(
        "times between their events",
        "Each two nodes keep their first and last event, the order of directions, and the times "
        "between their events, in another order. So the bursts of each two nodes are kept, and "
        "not that events of different nodes are near each other in time",
        lambda *of: _draws().permute_gaps(*of),
    ),
    "timelines": TemporalNull(
        "their times, given to two others",
        "Each two nodes keep the order of directions, and take all times of two others with as "
        "many events. So bursts and the hours of the day are kept, and not that events of "
        "different nodes are near each other in time",
        lambda *of: _draws().exchange_timelines(*of),
    ),
    "times": TemporalNull(
        "no bursts",
        "A random graph has the same events, and all times in another order. So the number of "
        "events between each two nodes and in each hour is kept, and nothing of what follows on "
        "what: that an event is answered or repeated soon, or that a node is busy for a while, "
        "makes nearly all motifs more frequent",
        lambda *of: _draws().permute_times(*of),
    ),
}
DEFAULT_TEMPORAL_NULL = "directions"
