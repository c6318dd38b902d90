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

    A draw is made from timelines, their times and a random generator. Two nodes with fewer events
    than ``least_events`` keep all that they have, and so do two with events one way alone if only
    directions are drawn.
    """

    brief: str
    keeps: str
    draw: Callable[[Timelines, np.ndarray, np.random.Generator], Draw]
    least_events: int = 1
    draws_directions: bool = False


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
        least_events=2,
        draws_directions=True,
    ),
    "gaps": TemporalNull(
        "times between their events",
        "Each two nodes keep their first and last event, the order of directions, and the times "
        "between their events, in another order. So the bursts of each two nodes are kept, and "
        "not that events of different nodes are near each other in time",
        lambda *of: _draws().permute_gaps(*of),
        least_events=3,
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
# in place of a null model: no random graphs
NO_NULL = "none"
# a null model that can move a smaller share of the events hardly changes a count
_LEAST_MOVED = 0.25


def note_on_null(null: str, sizes: np.ndarray, can_turn: np.ndarray) -> str:
    """What is to be known of a null model that can change hardly anything; empty for others.

    ``sizes`` says how many events each two nodes have, ``can_turn`` whether these differ, as in
    their direction.

    >>> import numpy as np
    >>> sizes, ways = np.array([3, 2, 2]), np.zeros(3, bool)
    >>> note_on_null("times", sizes, ways), note_on_null("gaps", sizes, ways)
    ('', '')
    >>> note_on_null("directions", sizes, ways).partition(": ")[2].partition(",")[0]
    'it can change 0 of 7 events'
    """
    model = TEMPORAL_NULLS[null]
    number = int(sizes.sum())
    can_move = (sizes >= model.least_events) & (can_turn | (not model.draws_directions))
    moved = int(sizes[can_move].sum())
    if moved >= _LEAST_MOVED * number:
        return ""
    others = [name for name, other in TEMPORAL_NULLS.items() if other.least_events == 1]
    few = f"fewer than {model.least_events} events"
    few = f"{few}, or one way alone" if model.draws_directions else few
    return (
        f"random graphs of the null model {null!r} are nearly the graph itself: it can change "
        f"{moved:,} of {number:,} events, since most nodes that are joined have {few}; "
        f"{' and '.join(others)} change all"
    )
