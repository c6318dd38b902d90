"""The settings of a comparison of graphs or runs: which, and how graphs are read."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from gomkcn.mining.settings.graph_settings import GraphSettings
from gomkcn.mining.settings.miner_settings import AUTO, LEAST_SAMPLES, null_setting
from gomkcn_dgl.bounds import MOST_REPEATS
from gomkcn_dgl.settings import Settings, SettingsTable, seed_setting, setting

# random graphs of each of two graphs. A profile is of z, whose error they leave at a twentieth: ten
# times as many, which mining draws where a result is near its level, would cost both graphs ten
# times the time for an error of a sixtieth
NULL_SAMPLES = 199
# of each of many graphs, of which only the correlations of profiles are wanted: 20 leave these an
# error of a twentieth without directions, where they do not lead, and 50 hardly a larger one with
# directions. The test can call a structure from 19 on
NULL_SAMPLES_OF_MANY, NULL_SAMPLES_OF_MANY_DIRECTED = 20, 50


@dataclass(frozen=True)
class ComparisonTable(SettingsTable):
    """The table ``[compare]``: two runs, or graphs, or many graphs, and their random graphs."""

    graphs: tuple[str, ...] = setting((), "Graphs, or folders of two runs", is_repeated=True)
    null: str | tuple[Any, ...] | None = null_setting(AUTO, only_drawing=True)
    null_samples: int | None = setting(
        None,
        "Number of random graphs of each graph",
        least=LEAST_SAMPLES,
        most=MOST_REPEATS,
        usual=f"{NULL_SAMPLES} of two graphs; of more {NULL_SAMPLES_OF_MANY}, with directions "
        f"{NULL_SAMPLES_OF_MANY_DIRECTED}",
    )
    seed: int = seed_setting()


@dataclass(frozen=True)
class ComparisonSettings(Settings):
    """Everything that decides the result of a comparison.

    ``graph`` says how graphs are read; its path is that of each.
    """

    compare: ComparisonTable = field(default_factory=ComparisonTable)
    graph: GraphSettings = field(default_factory=GraphSettings)

    def graph_of(self, path: str) -> GraphSettings:
        """How the graph of a path is read."""
        return replace(self.graph, path=path)
