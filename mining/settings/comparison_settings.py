"""The settings of a comparison of two runs or graphs: which, and how graphs are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from gomkcn.mining.settings.graph_settings import GraphSettings
from gomkcn.mining.settings.settings_tables import changed, read_values


@dataclass(frozen=True)
class ComparisonTable:
    """The table ``[compare]``: two folders of runs, or graphs."""

    first: str = ""
    second: str = ""


@dataclass(frozen=True)
class ComparisonSettings:
    """Everything that decides the result of a comparison.

    ``graph`` says how graphs are read; its path is that of either.
    """

    compare: ComparisonTable = field(default_factory=ComparisonTable)
    graph: GraphSettings = field(default_factory=GraphSettings)

    def graph_of(self, path: str) -> GraphSettings:
        """How the graph of a path is read."""
        return replace(self.graph, path=path)

    def override(self, given: Mapping[str, Any]) -> ComparisonSettings:
        """Return new settings with the values, by name, that are not None."""
        return ComparisonSettings(changed(self.compare, given), changed(self.graph, given))

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """All tables by name."""
        return {"compare": asdict(self.compare), "graph": asdict(self.graph)}

    def read(self, path: str | Path) -> ComparisonSettings:
        """The settings of a TOML file; what it leaves out is that of these settings."""
        records = {"compare": ComparisonTable, "graph": GraphSettings}
        return self.override(read_values(path, self.to_dict(), records))
