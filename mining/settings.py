"""The settings of a mining run: read from one TOML file, changed by options, stored with the run.

Each table of the file is a record of this module; its fields are the names that the table knows,
and their annotations are the types that their values may have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, get_type_hints

from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.runtime.files import read_tables, to_toml
from mining.learning.filter_learning import FilterLearning
from mining.miner import Miner


@dataclass(frozen=True)
class GraphSettings:
    """What is read: ``[graph]``.

    ``features`` are names of features to use, ``feature_file`` has them where they are not with the
    graph, and ``label_names`` and ``class_names`` are files with the names of labels, and of the
    classes of graphs, which ``class_column`` has in a table of molecules. The others are what
    :func:`gomkcn.read_graph` is told about edges; columns are named, or numbered from 1.
    """

    path: str = ""
    format: str | None = None
    features: tuple[str, ...] | None = None
    feature_file: str | None = None
    label_names: str | None = None
    class_names: str | None = None
    class_column: str | None = None
    directed: bool | None = None
    source: str | None = None
    target: str | None = None
    relation: str | None = None
    weight: str | None = None
    smiles: str | None = None
    skip_invalid: bool | None = None


# what a table of the file has values of
_RECORDS = {
    "graph": GraphSettings,
    "miner": Miner,
    "kernel": GOMKKernel,
    "learning": FilterLearning,
}


def _miner_parameters(miner: Miner) -> dict[str, Any]:
    """Parameters that belong to ``[miner]``: those of filters have tables of their own."""
    names = [one.name for one in fields(Miner) if one.name != "learning"]
    given = [one if isinstance(one, str) else one.to_text() for one in miner.given_structures]
    return {**{name: getattr(miner, name) for name in names}, "given": tuple(given)}


@dataclass(frozen=True)
class RunSettings:
    """Everything that decides the result of a mining run: the tables of a settings file.

    ``[kernel]`` is that of ``learning``.
    """

    graph: GraphSettings = GraphSettings()
    miner: Mapping[str, Any] = field(default_factory=lambda: _miner_parameters(Miner()))
    learning: FilterLearning = field(default_factory=FilterLearning)

    @classmethod
    def of(cls, miner: Miner) -> RunSettings:
        """The settings of a miner that was made without a file."""
        return cls(miner=_miner_parameters(miner), learning=miner.resolve_learning())

    def make_miner(self) -> Miner:
        """A miner with these settings."""
        return Miner(**self.miner, learning=self.learning)

    def override(self, tables: Mapping[str, Mapping[str, Any]]) -> RunSettings:
        """Return new settings with the values in ``tables`` that are not None."""
        given: dict[str, dict[str, Any]] = {name: {} for name in _RECORDS}
        for name, table in tables.items():
            given[name] = {key: value for key, value in table.items() if value is not None}
        kernel = replace(self.learning.kernel, **given["kernel"])
        return RunSettings(
            replace(self.graph, **given["graph"]),
            {**self.miner, **given["miner"]},
            replace(self.learning, kernel=kernel, **given["learning"]),
        )

    def to_dict(self) -> dict[str, Any]:
        """All tables by name."""
        learning = asdict(self.learning)
        kernel = learning.pop("kernel")
        tables = {"kernel": kernel, "learning": learning}
        return {"graph": asdict(self.graph), "miner": dict(self.miner), **tables}

    def to_toml(self) -> str:
        """The settings as the text of a TOML file; what is None is left out."""
        return to_toml(self.to_dict())


def read_settings(path: str | Path) -> RunSettings:
    """Read a settings file; what it leaves out has its default.

    Raises an InputError for a missing or malformed file, an unknown name, or a value of the wrong
    type or out of range.
    """
    defaults = RunSettings()
    types = {}
    for name, known in defaults.to_dict().items():
        hints = get_type_hints(_RECORDS[name])
        types[name] = {key: hints[key] for key in known}
    return defaults.override(read_tables(path, types))
