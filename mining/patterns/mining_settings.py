"""The settings of a mining run: read from a TOML file, changed by options, stored with it."""

from __future__ import annotations

from dataclasses import dataclass, field

from gomkcn.mining.filters.filter_learning import FilterLearning
from gomkcn.mining.filters.filters_settings import filter_miner_of
from gomkcn.mining.patterns.pattern_miner import PatternMiner
from gomkcn.mining.settings.filter_settings import FilterSettings
from gomkcn.mining.settings.graph_settings import GraphSettings
from gomkcn.mining.settings.miner_settings import NONE, MinerSettings
from gomkcn_dgl.settings import Settings, values_of


@dataclass(frozen=True)
class RunSettings(Settings):
    """Everything that decides the result of a mining run: what is read, the miner, its filters.

    ``miner.filters`` is "auto" or "none"; what else is to be said of filters is in the tables
    ``[filters]``, ``[learning]`` and ``[kernel]``, the last of which is a part of ``learning``.
    """

    graph: GraphSettings = field(default_factory=GraphSettings)
    miner: MinerSettings = field(default_factory=MinerSettings)
    filters: FilterSettings = field(default_factory=FilterSettings)
    learning: FilterLearning = field(default_factory=FilterLearning)

    @classmethod
    def of(cls, miner: PatternMiner, graph: GraphSettings | None = None) -> RunSettings:
        """The settings of a miner, and of the graph that it mines."""
        graph = GraphSettings() if graph is None else graph
        if isinstance(miner.filters, str):
            return cls(graph, miner.settings)
        filters = FilterSettings(**values_of(FilterSettings, miner.filters.settings))
        return cls(graph, miner.settings, filters, miner.filters.resolve_learning())

    def make_miner(self) -> PatternMiner:
        """The miner, not fitted, with its miner of filters."""
        known = values_of(MinerSettings, self.miner)
        is_usual = self.filters == FilterSettings() and self.learning == FilterLearning()
        if not is_usual and self.miner.filters != NONE:
            seed = self.miner.random_state
            known["filters"] = filter_miner_of(self.filters, self.learning, seed)
        return PatternMiner(**known)
