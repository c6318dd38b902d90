"""The settings of a training run: from one TOML file, overridden by options, stored with it."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

from gomkcn_dgl.checks import check_choice, check_int
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.layer import GraphKernel
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.random_walks import (
    DeepRandomWalkKernel,
    ImprovedRandomWalkKernel,
    RandomWalkKernel,
)
from gomkcn_dgl.runtime.toml_files import check_names, read_toml, to_toml
from gomkcn_dgl.training.training_loop import TrainingSettings

KERNELS = ("gomk", "random-walk", "deep-random-walk", "rwk+")
INITIALIZATIONS = ("classes", "random")
SCALINGS = ("none", "rows", "standard")
WIDEST = 32
_BY_TASK: dict[str, dict[str, Any]] = {
    "graph": {
        "padding": "match",
        "filter_size": 6,
        "num_hops": 2,
        "class_filters": False,
        "bounded_feats": True,
        "input_dropout": 0.0,
    },
    "node": {
        "padding": "mask",
        "filter_size": 4,
        "max_nodes": 16,
        "num_hops": 1,
        "class_filters": True,
        "bounded_feats": False,
        "input_dropout": 0.5,
    },
}
_UNIONS = (Union, types.UnionType)


@dataclass(frozen=True)
class DataSettings:
    """What is learnt from, the table ``[data]``.

    Attributes
    ----------
    path : str
        File or folder, see :func:`gomkcn_dgl.training.labelled_data.read_labelled`.
    task : {"graph", "node"} or None
        What is classified; None: told by the labels.
    features : tuple of str or None
        Names of the features; None: the reader's default.
    node_label : str or None
        Node data with the classes.
    split : tuple of float or None
        Shares for training, validation and test; None: the split that comes with the data, else
        0.8, 0.1, 0.1.
    scaling : {"standard", "rows", "none"} or None
        ``"standard"``: columns other than 0 and 1 get mean 0 and variance 1 over the training
        part; ``"rows"``: rows sum to 1. None: ``"rows"`` for Planetoid, else ``"standard"``.
    """

    path: str = ""
    task: str | None = None
    features: tuple[str, ...] | None = None
    node_label: str | None = None
    split: tuple[float, ...] | None = None
    scaling: str | None = None

    def __post_init__(self) -> None:
        if self.scaling is not None:
            check_choice("scaling", self.scaling, SCALINGS)


@dataclass(frozen=True)
class ModelSettings:
    """What is trained, the table ``[model]``; see :class:`gomkcn_dgl.GOMKCN`.

    What is None depends on the task, see :meth:`resolve`.

    Attributes
    ----------
    kernel : {"gomk", "random-walk", "deep-random-walk", "rwk+"}
        Of every convolution.
    num_levels : int
        Levels t of ``gomk``, steps of the walks of the others.
    tau, aggregation, padding
        Of ``gomk``, see :class:`gomkcn_dgl.GOMKKernel`.
    hidden_feats : int or None
        Width of the filters' features behind the input layer; 0: no input layer.
    num_filters : int
        Filters of a convolution, but for the last one where its filters are the classes.
    filter_size, max_nodes, num_hops, policy
        Nodes of a filter and of a subgraph, radius of a subgraph, nodes that stay in it.
    num_layers : int
        Convolutions.
    class_filters : bool or None
        The last convolution has one filter for each class, whose response is the answer; else
        every level is read out by a linear map.
    bounded_feats : bool or None
        Features lie in (0, 1).
    pooling : {"max", "mean", "sum"}
        Of the nodes of a graph.
    dropout, input_dropout : float
        Of what is read out and of the input.
    init : {"classes", "random"}
        Filters start as subgraphs that tell the classes apart, or at random.
    """

    kernel: str = "gomk"
    num_levels: int = 2
    tau: float = 1.0
    aggregation: str = "sum"
    padding: str | None = None
    hidden_feats: int | None = None
    num_filters: int = 8
    filter_size: int | None = None
    max_nodes: int | None = None
    num_hops: int | None = None
    policy: str = "bfs"
    num_layers: int = 1
    class_filters: bool | None = None
    bounded_feats: bool | None = None
    pooling: str = "max"
    dropout: float = 0.0
    input_dropout: float | None = None
    init: str = "classes"

    def __post_init__(self) -> None:
        check_choice("init", self.init, INITIALIZATIONS)
        check_choice("kernel", self.kernel, KERNELS)
        if self.hidden_feats is not None:
            check_int("hidden_feats", self.hidden_feats, 0)

    def resolve(self, task: str, num_varying: int) -> ModelSettings:
        """Return settings without None, for data with so many feature columns that vary.

        Graphs: bounded features, at most 32 of them, and small subgraphs, so that filters can be
        read as patterns. Nodes: filters that are the classes, free features, more neighbours in a
        subgraph than in a filter, half of the input dropped. Features that are the same for all
        nodes go past the input layer, whose norm would blow up what rounding leaves of them.
        """
        by_task: dict[str, Any] = {"hidden_feats": min(num_varying, WIDEST), **_BY_TASK[task]}
        if self.max_nodes is None and task == "graph":
            by_task["max_nodes"] = self.filter_size or by_task["filter_size"]
        missing = {k: v for k, v in by_task.items() if getattr(self, k) is None}
        return dataclasses.replace(self, **missing)

    def make_kernel(self) -> GraphKernel:
        """The kernel's own settings."""
        if self.kernel == "gomk":
            return GOMKKernel(
                self.num_levels,
                tau=self.tau,
                aggregation=self.aggregation,
                padding=self.padding or "match",
            )
        if self.kernel == "random-walk":
            return RandomWalkKernel(self.num_levels)
        if self.kernel == "deep-random-walk":
            return DeepRandomWalkKernel(self.num_levels)
        return ImprovedRandomWalkKernel(self.num_levels)


@dataclass(frozen=True)
class TrainSettings:
    """Everything that decides the result of a training run.

    Attributes
    ----------
    data : DataSettings
    model : ModelSettings
    training : TrainingSettings
        The table ``[training]``; its seed is that of the split and of the model, too.
    """

    data: DataSettings = field(default_factory=DataSettings)
    model: ModelSettings = field(default_factory=ModelSettings)
    training: TrainingSettings = field(default_factory=lambda: TrainingSettings(patience=50))

    def override(self, options: Mapping[str, Any]) -> TrainSettings:
        """Return new settings in which every option that is not None wins, whatever its table."""
        changed = {}
        for entry in dataclasses.fields(self):
            table = getattr(self, entry.name)
            names = {name.name for name in dataclasses.fields(table)}
            given = {k: v for k, v in options.items() if k in names and v is not None}
            changed[entry.name] = dataclasses.replace(table, **given)
        return TrainSettings(**changed)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """The settings as nested plain values."""
        return asdict(self)

    def to_toml(self) -> str:
        """The settings as the text of a TOML file; what is None is left out."""
        return to_toml(self.to_dict())


def read_train_settings(path: str | Path) -> TrainSettings:
    """Read a settings file.

    Parameters
    ----------
    path : path
        TOML with the tables ``[data]``, ``[model]`` and ``[training]``, all optional.

    Raises
    ------
    InputError
        For a missing or malformed file, an unknown name or a value of the wrong type.
    """
    tables = read_toml(path)
    defaults = TrainSettings()
    known = [entry.name for entry in dataclasses.fields(defaults)]
    check_names(path, "", tables, known)
    read = {}
    for name in known:
        table, default = tables.get(name, {}), getattr(defaults, name)
        hints = get_type_hints(type(default))
        check_names(path, name, table, hints)
        values = {key: _typed(path, key, value, hints[key]) for key, value in table.items()}
        read[name] = dataclasses.replace(default, **values)
    return TrainSettings(**read)


def _typed(path: str | Path, name: str, value: Any, hint: Any) -> Any:
    """Return a value as one of the types of its field, or say that it is of another."""
    for kind in get_args(hint) if get_origin(hint) in _UNIONS else (hint,):
        if get_origin(kind) is tuple and isinstance(value, list):
            return tuple(_typed(path, name, entry, get_args(kind)[0]) for entry in value)
        # TOML writes 1 for a float that is whole
        if kind is float and type(value) is int:
            return float(str(value))
        if type(value) is kind:
            return value
    raise InputError(f"{name} in settings file {str(path)!r} has the wrong type, got {value!r}.")
