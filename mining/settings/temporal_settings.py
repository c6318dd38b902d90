"""The settings of a run of temporal motifs: the table of events, the window, the random graphs."""

from __future__ import annotations

from dataclasses import dataclass, field

from gomkcn.mining.significance.temporal_nulls import DEFAULT_TEMPORAL_NULL, NO_NULL, TEMPORAL_NULLS
from gomkcn_dgl.bounds import MOST_LISTED, MOST_REPEATS
from gomkcn_dgl.settings import Settings, SettingsTable, bound_setting, seed_setting, setting


@dataclass(frozen=True)
class TemporalTable(SettingsTable):
    """The table ``[temporal]``: what the census, or a search for a pattern, is told."""

    path: str = setting("", "Table of events")
    time: str | None = setting(
        None, "Column of times, by name or number", usual="from the header, else the third"
    )
    source: str | None = setting(
        None, "Column of source nodes, by name or number", usual="from the header"
    )
    target: str | None = setting(
        None, "Column of target nodes, by name or number", usual="from the header"
    )
    bipartite: bool | None = setting(
        None,
        "Whether the two columns have nodes of their own, as of users and items",
        usual="by their names",
    )
    time_unit: str | None = setting(
        None, "Unit of times that are numbers: s, ms, us or ns", usual="by their size"
    )
    minimum: tuple[str, ...] | None = bound_setting("Least", "min")
    maximum: tuple[str, ...] | None = bound_setting("Most", "max")
    window: float | str | None = setting(
        None,
        "Longest time from the first to the last edge: 30s, 5min, 1h, 1d, 1w, or a number in the "
        "unit of the times",
    )
    pattern: str | None = setting(
        None,
        "Pattern to count and list in place of all motifs, such as 'A -> B as x, B -> A as y, "
        "y.amount >= .9 * x.amount'",
    )
    list: int | None = setting(
        None,
        "List up to N occurrences of the pattern; if more, those of some events at random",
        least=0,
        most=MOST_LISTED,
        usual="1000",
    )
    null: str = setting(
        DEFAULT_TEMPORAL_NULL,
        "What random graphs keep",
        words={
            **{name: null.brief for name, null in TEMPORAL_NULLS.items()},
            NO_NULL: "no random graphs",
        },
        is_single=True,
    )
    null_samples: int = setting(
        199, "Number of random graphs; 0 for none", least=0, most=MOST_REPEATS
    )
    seed: int = seed_setting()


@dataclass(frozen=True)
class TemporalSettings(Settings):
    """Everything that decides the result of a run of temporal motifs."""

    temporal: TemporalTable = field(default_factory=TemporalTable)
