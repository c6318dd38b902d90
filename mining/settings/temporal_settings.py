"""The settings of a run of temporal motifs: the table of events, the window, the random graphs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from gomkcn.mining.settings.settings_tables import changed, read_values


@dataclass(frozen=True)
class TemporalTable:
    """The table ``[temporal]``: what :func:`gomkcn.temporal_census` is told."""

    path: str = ""
    time: str | None = None
    source: str | None = None
    target: str | None = None
    time_unit: str | None = None
    window: str | float | None = None
    null: str = "directions"
    null_samples: int = 199
    seed: int = 0


@dataclass(frozen=True)
class TemporalSettings:
    """Everything that decides the result of a run of temporal motifs."""

    temporal: TemporalTable = field(default_factory=TemporalTable)

    def override(self, given: Mapping[str, Any]) -> TemporalSettings:
        """Return new settings with the values, by name, that are not None."""
        return TemporalSettings(changed(self.temporal, given))

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """All tables by name."""
        return {"temporal": asdict(self.temporal)}

    def read(self, path: str | Path) -> TemporalSettings:
        """The settings of a TOML file; what it leaves out is that of these settings."""
        return self.override(read_values(path, self.to_dict(), {"temporal": TemporalTable}))
