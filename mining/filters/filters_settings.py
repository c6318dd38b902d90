"""The settings of a run of filters: read from a TOML file, changed by options, stored with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from gomkcn.mining.filters.filter_learning import FilterLearning
from gomkcn.mining.filters.filter_miner import AUTO, MOST_FILTER_NODES, FilterMiner
from gomkcn.mining.filters.filter_settings import FilterSettings
from gomkcn.mining.settings.graph_settings import GraphSettings
from gomkcn.mining.settings.settings_tables import changed, read_values
from gomkcn_dgl.checks import check_float, check_sizes
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.runtime.files import to_toml


@dataclass(frozen=True)
class SeededFilters(FilterSettings):
    """The table ``[filters]`` of a run: the filters, the seed, and the work of a count.

    ``count_seconds`` bounds the work of counting a structure in the graph, in seconds of one
    thread, which stand for 10⁸ steps on any machine.
    """

    random_state: int = 0
    count_seconds: float = 0.25

    def __post_init__(self) -> None:
        # by the name that it has here, and before the graph is read
        if self.filter_size != AUTO:
            check_sizes("filter_size", self.filter_size, 2, MOST_FILTER_NODES)
        check_float("count_seconds", self.count_seconds, 0, open_minimum=True)


_RECORDS = {
    "graph": GraphSettings,
    "filters": SeededFilters,
    "kernel": GOMKKernel,
    "learning": FilterLearning,
}


@dataclass(frozen=True)
class FiltersSettings:
    """Everything that decides the result of a run of filters: what is read, and the miner.

    The table ``[kernel]`` is a part of ``learning``.
    """

    graph: GraphSettings = field(default_factory=GraphSettings)
    filters: SeededFilters = field(default_factory=SeededFilters)
    learning: FilterLearning = field(default_factory=FilterLearning)

    @classmethod
    def of(cls, miner: FilterMiner, graph: GraphSettings | None = None) -> FiltersSettings:
        """The settings of a miner, and of the graph that it was fitted to."""
        own = SeededFilters(**asdict(FilterSettings.of(miner)), random_state=miner.random_state)
        return cls(graph or GraphSettings(), own, miner.resolve_learning())

    @property
    def seconds(self) -> float:
        """Most work of a count, in seconds of one thread."""
        return self.filters.count_seconds

    def miner(self) -> FilterMiner:
        """The miner with these settings, not fitted."""
        return self.filters.miner(self.learning, self.filters.random_state)

    def override(self, given: Mapping[str, Any]) -> FiltersSettings:
        """Return new settings with the values, by name, that are not None."""
        learning = replace(
            changed(self.learning, given), kernel=changed(self.learning.kernel, given)
        )
        return FiltersSettings(changed(self.graph, given), changed(self.filters, given), learning)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """All tables by name."""
        learning = asdict(self.learning)
        kernel = learning.pop("kernel")
        return {
            "graph": asdict(self.graph),
            "filters": asdict(self.filters),
            "kernel": kernel,
            "learning": learning,
        }

    def to_toml(self) -> str:
        """The settings as the text of a TOML file; what is None is left out."""
        return to_toml(self.to_dict())


def read_filters_settings(path: str | Path) -> FiltersSettings:
    """Read a settings file; what it leaves out has its default.

    Raises an InputError for a missing or malformed file, an unknown name, or a value of the wrong
    type or out of range.
    """
    defaults = FiltersSettings()
    return defaults.override(read_values(path, defaults.to_dict(), _RECORDS))
