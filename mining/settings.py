"""The settings of a mining run: read from one TOML file, changed by options, stored with the run.

Each table of the file is a record; its fields are the names that the table knows, and their
annotations are the types that their values may have. No name is in two tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.io.graph_classes import GraphClasses, read_graph_classes
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.runtime.files import read_tables, to_toml
from mining.filters.filter_learning import FilterLearning
from mining.miner import Miner

T = TypeVar("T", bound=Any)


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

    def read_graph(self) -> CSRGraph:
        """The graph that these settings name."""
        own = {name: value for name, value in vars(self).items() if not name.startswith("class_")}
        return read_graph(**own)

    def read_classes(self) -> GraphClasses | None:
        """The classes of its graphs, where there are any."""
        names = ("class_column", "format", "smiles", "skip_invalid")
        own = {name: getattr(self, name) for name in names}
        return read_graph_classes(self.path, self.class_names, **own)


# what a table of the file has values of
_RECORDS = {
    "graph": GraphSettings,
    "miner": Miner,
    "kernel": GOMKKernel,
    "learning": FilterLearning,
}


@dataclass(frozen=True)
class RunSettings:
    """Everything that decides the result of a mining run: what is read, and the miner.

    The tables ``[learning]`` and ``[kernel]`` are those of the miner.
    """

    graph: GraphSettings = GraphSettings()
    miner: Miner = field(default_factory=Miner)

    def override(self, given: Mapping[str, Any]) -> RunSettings:
        """Return new settings with the values, by name, that are not None."""
        given = {name: value for name, value in given.items() if value is not None}

        def changed(record: T) -> T:
            known = {one.name for one in fields(record)} & given.keys()
            return replace(record, **{name: given[name] for name in known})

        learning = changed(self.miner.resolve_learning())
        learning = replace(learning, kernel=changed(learning.kernel))
        return RunSettings(changed(self.graph), replace(changed(self.miner), learning=learning))

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """All tables by name."""
        learning = asdict(self.miner.resolve_learning())
        kernel = learning.pop("kernel")
        miner = {one.name: getattr(self.miner, one.name) for one in fields(Miner)}
        del miner["learning"]
        given = self.miner.given_structures
        miner["given"] = tuple(one if isinstance(one, str) else one.to_text() for one in given)
        return {"graph": asdict(self.graph), "miner": miner, "kernel": kernel, "learning": learning}

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
    tables = read_tables(path, types).values()
    return defaults.override({key: value for table in tables for key, value in table.items()})
