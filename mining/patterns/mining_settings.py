"""The settings of a mining run: read from one TOML file, changed by options, stored with the run.

Each table of the file is a record; its fields are the names that the table knows, and their
annotations are the types that their values may have. No name is in two tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from gomkcn.mining.filters.filter_learning import FilterLearning
from gomkcn.mining.filters.filter_settings import FilterSettings
from gomkcn.mining.patterns.pattern_miner import AUTO, NONE, PatternMiner
from gomkcn.mining.settings.graph_settings import GraphSettings
from gomkcn.mining.settings.settings_tables import changed, read_values
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.runtime.files import to_toml

# what a table of the file has values of
_RECORDS = {
    "graph": GraphSettings,
    "miner": PatternMiner,
    "filters": FilterSettings,
    "kernel": GOMKKernel,
    "learning": FilterLearning,
}


@dataclass(frozen=True)
class RunSettings:
    """Everything that decides the result of a mining run: what is read, the miner, its filters.

    ``miner.filters`` is "auto" or "none"; what else is to be said of filters is in the tables
    ``[filters]``, ``[learning]`` and ``[kernel]``, the last of which is a part of ``learning``.
    """

    graph: GraphSettings = field(default_factory=GraphSettings)
    miner: PatternMiner = field(default_factory=PatternMiner)
    filters: FilterSettings = field(default_factory=FilterSettings)
    learning: FilterLearning = field(default_factory=FilterLearning)

    @classmethod
    def of(cls, miner: PatternMiner) -> RunSettings:
        """The settings of a miner."""
        if isinstance(miner.filters, str):
            return cls(miner=miner)
        own = miner.filters
        plain = replace(miner, filters=AUTO)
        return cls(miner=plain, filters=FilterSettings.of(own), learning=own.resolve_learning())

    def override(self, given: Mapping[str, Any]) -> RunSettings:
        """Return new settings with the values, by name, that are not None."""
        learning = replace(
            changed(self.learning, given), kernel=changed(self.learning.kernel, given)
        )
        return RunSettings(
            changed(self.graph, given),
            changed(self.miner, given),
            changed(self.filters, given),
            learning,
        )

    def make_miner(self) -> PatternMiner:
        """The miner, not fitted, with its miner of filters."""
        is_usual = self.filters == FilterSettings() and self.learning == FilterLearning()
        if is_usual or self.miner.filters == NONE:
            return replace(self.miner)
        filters = self.filters.miner(self.learning, self.miner.random_state)
        return replace(self.miner, filters=filters)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """All tables by name."""
        learning = asdict(self.learning)
        kernel = learning.pop("kernel")
        miner = {one.name: getattr(self.miner, one.name) for one in fields(PatternMiner)}
        given = self.miner.given_structures
        miner["given"] = tuple(one if isinstance(one, str) else one.to_text() for one in given)
        return {
            "graph": asdict(self.graph),
            "miner": miner,
            "filters": asdict(self.filters),
            "kernel": kernel,
            "learning": learning,
        }

    def to_toml(self) -> str:
        """The settings as the text of a TOML file; what is None is left out."""
        return to_toml(self.to_dict())


def read_settings(path: str | Path) -> RunSettings:
    """Read a settings file; what it leaves out has its default.

    Raises an InputError for a missing or malformed file, an unknown name, or a value of the wrong
    type or out of range.
    """
    defaults = RunSettings()
    # a miner of filters has a table of its own
    types = {"filters": str}
    return defaults.override(read_values(path, defaults.to_dict(), _RECORDS, types))
