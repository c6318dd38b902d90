"""The settings of a mining run: read from one TOML file, changed by options, stored with the run.

Each table of the file is a record of this module; its fields are the names that the table knows,
and their annotations are the types that their values may have. A fitted miner is stored as its
settings and the scaling of its features, tensors and plain values without pickled code; its
patterns and its motif set are in patterns.json.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, get_type_hints

from gomkcn_dgl._torch import torch
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.relations import relations_of
from gomkcn_dgl.runtime.files import read_tables, to_toml
from gomkcn_dgl.training.checkpoint import read_state, state_bytes
from mining.categories import Categories
from mining.learning.filter_learning import FilterLearning
from mining.learning.rooted_subgraphs import FeatureScaling
from mining.miner import PatternMiner
from mining.miner_parameters import DEFAULT_KERNEL, MinerParameters

_SCALES = ("offset", "spread", "contrast")


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


def _miner_parameters(miner: PatternMiner) -> dict[str, Any]:
    """Parameters that belong to ``[miner]``: the kernel and the learning have their own tables."""
    given = [one if isinstance(one, str) else one.to_text() for one in miner.given]
    params = {**miner.get_params(), "given": tuple(given)}
    return {name: value for name, value in params.items() if name not in ("kernel", "learning")}


@dataclass(frozen=True)
class RunSettings:
    """Everything that decides the result of a mining run; one field for each table."""

    graph: GraphSettings = GraphSettings()
    miner: Mapping[str, Any] = field(default_factory=lambda: _miner_parameters(PatternMiner()))
    kernel: GOMKKernel = DEFAULT_KERNEL
    learning: FilterLearning = field(default_factory=FilterLearning)

    @classmethod
    def of(cls, miner: PatternMiner) -> RunSettings:
        """The settings of a miner that was made without a file."""
        return cls(
            miner=_miner_parameters(miner),
            kernel=miner.resolve_kernel(),
            learning=miner.resolve_learning(),
        )

    def make_miner(self) -> PatternMiner:
        """A miner with these settings."""
        return PatternMiner(**self.miner, kernel=self.kernel, learning=self.learning)

    def override(self, tables: Mapping[str, Mapping[str, Any]]) -> RunSettings:
        """Return new settings with the values in ``tables`` that are not None."""
        changed: dict[str, Any] = {}
        for name, table in tables.items():
            given = {key: value for key, value in table.items() if value is not None}
            old = getattr(self, name)
            changed[name] = {**old, **given} if name == "miner" else replace(old, **given)
        return replace(self, **changed)

    def to_dict(self) -> dict[str, Any]:
        """All tables by name."""
        tables = {name: asdict(table) for name, table in vars(self).items() if name != "miner"}
        return {"graph": tables.pop("graph"), "miner": dict(self.miner), **tables}

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
    for name, default in vars(defaults).items():
        hints = get_type_hints(MinerParameters if name == "miner" else type(default))
        known = default if name == "miner" else vars(default)
        types[name] = {key: hints[key] for key in known}
    return defaults.override(read_tables(path, types))


def checkpoint_bytes(miner: PatternMiner) -> bytes:
    """Parameters and scaling of a fitted miner as a torch file."""
    scaling = miner.source_.scaling
    tables = RunSettings.of(miner).to_dict()
    state = {
        "params": {name: tables[name] for name in ("miner", "kernel", "learning")},
        **{name: torch.from_numpy(getattr(scaling, name)) for name in _SCALES},
        "relations": miner.source_.relations.kinds,
        "notes": list(miner.notes_),
        "categories": [list(group) for group in miner.source_.categories.groups],
    }
    return state_bytes(state)


def restore_miner(path: Path) -> PatternMiner:
    """Read a miner back, without its patterns and what else the run stores."""
    return read_state(path, _restore, "mine again")


def _restore(state: dict[str, Any]) -> PatternMiner:
    shapes = {name: tuple(state[name].shape) for name in _SCALES}
    # they must be of the same features
    if len(set(shapes.values())) > 1 or len(shapes["offset"]) != 1:
        raise ValueError(f"the scales have the shapes {shapes}")
    miner = RunSettings().override(state["params"]).make_miner()
    scaling = FeatureScaling(*(state[name].numpy() for name in _SCALES))
    relations = relations_of(*zip(*state["relations"], strict=True))
    categories = Categories(tuple(map(tuple, state["categories"])))
    miner.source_ = miner.make_source(scaling, relations, categories)
    miner.notes_ = tuple(state["notes"])
    miner.n_features_in_ = len(scaling.offset)
    return miner
