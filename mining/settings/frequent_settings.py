"""The settings of a run of frequent subgraphs: what is read, and what is frequent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from gomkcn.mining.settings.graph_settings import GraphSettings
from gomkcn.mining.settings.settings_tables import changed, read_values


@dataclass(frozen=True)
class FrequentTable:
    """The table ``[frequent]``: what :func:`gomkcn.frequent_subgraphs` is told."""

    support: float = 0.1
    sizes: str = "2-8"
    closed: bool = False
    per_class: bool = False


@dataclass(frozen=True)
class FrequentSettings:
    """Everything that decides the result of a run of frequent subgraphs."""

    graph: GraphSettings = field(default_factory=GraphSettings)
    frequent: FrequentTable = field(default_factory=FrequentTable)

    def override(self, given: Mapping[str, Any]) -> FrequentSettings:
        """Return new settings with the values, by name, that are not None."""
        return FrequentSettings(changed(self.graph, given), changed(self.frequent, given))

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """All tables by name."""
        return {"graph": asdict(self.graph), "frequent": asdict(self.frequent)}

    def read(self, path: str | Path) -> FrequentSettings:
        """The settings of a TOML file; what it leaves out is that of these settings."""
        records = {"graph": GraphSettings, "frequent": FrequentTable}
        return self.override(read_values(path, self.to_dict(), records))
