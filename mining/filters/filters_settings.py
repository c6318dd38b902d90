"""The settings of a run of filters: read from a TOML file, changed by options, stored with it."""

from __future__ import annotations

from dataclasses import dataclass, field

from gomkcn.mining.filters.filter_learning import FilterLearning
from gomkcn.mining.filters.filter_miner import FilterMiner
from gomkcn.mining.settings.filter_settings import FilterSettings, SeededFilters
from gomkcn.mining.settings.graph_settings import GraphSettings
from gomkcn_dgl.settings import Settings, values_of


def filter_miner_of(filters: FilterSettings, learning: FilterLearning, seed: int) -> FilterMiner:
    """The miner of filters with these settings, not fitted."""
    known = values_of(FilterSettings, filters)
    return FilterMiner(**known, learning=learning, random_state=seed)


@dataclass(frozen=True)
class FiltersSettings(Settings):
    """Everything that decides the result of a run of filters: what is read, and the miner.

    The table ``[kernel]`` is a part of ``learning``.
    """

    graph: GraphSettings = field(default_factory=GraphSettings)
    filters: SeededFilters = field(default_factory=SeededFilters)
    learning: FilterLearning = field(default_factory=FilterLearning)

    @classmethod
    def of(cls, miner: FilterMiner, graph: GraphSettings | None = None) -> FiltersSettings:
        """The settings of a miner, and of the graph that it was fitted to."""
        return cls(graph or GraphSettings(), miner.settings, miner.resolve_learning())

    @classmethod
    def paper(cls) -> FiltersSettings:
        """What section VI-B of the paper prints, see :meth:`FilterLearning.paper`."""
        return cls(filters=SeededFilters(contrast=False), learning=FilterLearning.paper())

    def miner(self) -> FilterMiner:
        """The miner with these settings, not fitted."""
        return filter_miner_of(self.filters, self.learning, self.filters.random_state)
