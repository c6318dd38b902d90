"""The settings of a mining run: from one TOML file, overridden by options, stored with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.toml_files import check_names, read_toml, to_toml


@dataclass(frozen=True)
class GraphSettings:
    """What is read.

    Attributes
    ----------
    path : str
        File or folder of the graph.
    format : str or None
        Its format; None: told by the name.
    features : tuple of str or None
        Names of the features to use; None: the reader's default.
    feature_file : str or None
        File of the features; None: the one beside the graph, if any.
    label_names : str or None
        File that says what labels are called.
    """

    path: str = ""
    format: str | None = None
    features: tuple[str, ...] | None = None
    feature_file: str | None = None
    label_names: str | None = None


@dataclass(frozen=True)
class NullSettings:
    """What the patterns are compared with.

    Attributes
    ----------
    models : tuple of str
        Null models by name; none: nothing is compared.
    samples : int
        Samples of each to count in.
    decoys : int
        Samples of each to mine.
    """

    models: tuple[str, ...] = ()
    samples: int = 100
    decoys: int = 20


@dataclass(frozen=True)
class StabilitySettings:
    """How often it is mined again, to see which patterns come back.

    Attributes
    ----------
    restarts : int
        Runs from other starts.
    bootstrap : int
        Runs on resampled roots.
    """

    restarts: int = 0
    bootstrap: int = 0


@dataclass(frozen=True)
class RunSettings:
    """Everything that decides the result of a mining run.

    Attributes
    ----------
    graph : GraphSettings
        The table ``[graph]``.
    miner : dict
        The table ``[miner]``: parameters of ``PatternMiner`` by name.
    null : NullSettings
        The table ``[null]``.
    stability : StabilitySettings
        The table ``[stability]``.
    """

    graph: GraphSettings = field(default_factory=GraphSettings)
    miner: Mapping[str, Any] = field(default_factory=dict)
    null: NullSettings = field(default_factory=NullSettings)
    stability: StabilitySettings = field(default_factory=StabilitySettings)

    def override(
        self,
        graph: Mapping[str, Any],
        miner: Mapping[str, Any],
        null: Mapping[str, Any] | None = None,
        stability: Mapping[str, Any] | None = None,
    ) -> RunSettings:
        """Return new settings in which every given value that is not None wins."""
        return RunSettings(
            GraphSettings(**{**asdict(self.graph), **_given(graph)}),
            {**self.miner, **_given(miner)},
            NullSettings(**{**asdict(self.null), **_given(null or {})}),
            StabilitySettings(**{**asdict(self.stability), **_given(stability or {})}),
        )

    def to_toml(self) -> str:
        """The settings as the text of a TOML file; what is None is left out."""
        tables: dict[str, Mapping[str, Any]] = {"graph": asdict(self.graph), "miner": self.miner}
        if self.null.models:
            tables["null"] = asdict(self.null)
        if any(asdict(self.stability).values()):
            tables["stability"] = asdict(self.stability)
        return to_toml(tables)


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def read_settings(path: str | Path, miner_defaults: Mapping[str, Any]) -> RunSettings:
    """Read a settings file.

    Parameters
    ----------
    path : path
        TOML with the tables ``[graph]``, ``[miner]``, ``[null]`` and ``[stability]``, all optional.
    miner_defaults : mapping
        The miner's parameters and their defaults: other names are refused, and so is a value of
        another type.

    Raises
    ------
    InputError
        For a missing or malformed file, an unknown name or a value of the wrong type.
    """
    tables = read_toml(path)
    known = [entry.name for entry in fields(RunSettings)]
    check_names(path, "", tables, known)
    graph, miner, null, stability = (tables.get(name, {}) for name in known)
    check_names(path, "graph", graph, [entry.name for entry in fields(GraphSettings)])
    check_names(path, "miner", miner, miner_defaults)
    check_names(path, "null", null, [entry.name for entry in fields(NullSettings)])
    check_names(path, "stability", stability, [entry.name for entry in fields(StabilitySettings)])
    for name, value in graph.items():
        _check_graph_value(path, name, value)
    if "features" in graph:
        graph["features"] = tuple(graph["features"])
    return RunSettings(
        GraphSettings(**graph),
        {
            name: _same_type(path, name, value, miner_defaults[name])
            for name, value in miner.items()
        },
        NullSettings(**{name: _null_value(path, name, value) for name, value in null.items()}),
        StabilitySettings(
            **{name: _same_type(path, name, value, 0) for name, value in stability.items()}
        ),
    )


def _check_graph_value(path: str | Path, name: str, value: Any) -> None:
    rule = "a list of names" if name == "features" else "text"
    right = isinstance(value, list if name == "features" else str)
    if not right or not all(isinstance(entry, str) for entry in value):
        raise InputError(f"{name} in settings file {str(path)!r} must be {rule}, got {value!r}.")


def _null_value(path: str | Path, name: str, value: Any) -> Any:
    if name != "models":
        return _same_type(path, name, value, getattr(NullSettings, name))
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise InputError(
            f"{name} in settings file {str(path)!r} must be a list of names, got {value!r}."
        )
    return tuple(value)


def _same_type(path: str | Path, name: str, value: Any, default: Any) -> Any:
    # a size in words, or a number of bytes
    if name == "memory_limit" and isinstance(value, str | int):
        return value
    # what can be left to the miner is a number
    if default is None:
        default = 0.0
    # TOML writes 1 for a float that is whole
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        # as text, so that a number with hundreds of digits is infinity and no error
        return float(str(value))
    # what the miner chooses by itself
    if name in ("num_patterns", "pattern_size") and value == "auto":
        return value
    # one width for each level
    if name == "tau" and isinstance(value, list):
        return tuple(value)
    if type(value) is not type(default):
        raise InputError(
            f"{name} in settings file {str(path)!r} must be a {type(default).__name__}, "
            f"got {value!r}."
        )
    return value
