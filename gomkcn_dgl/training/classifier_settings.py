"""The settings of a training run: read from a TOML file, overridden by options, stored with it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, get_type_hints

from gomkcn_dgl.checks import LARGEST_SEED, check_choice, check_float, check_int
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.relations import Relations, relations_of
from gomkcn_dgl.runtime.files import read_tables, to_toml
from gomkcn_dgl.training.labelled_data import SHARES
from gomkcn_dgl.training.training_loop import TrainingSettings

INITIALIZATIONS = ("classes", "random")
METHODS = ("auto", "kernel", "network")
# largest width of the features behind the input layer
WIDEST = 32
# how much of the unit interval features fill where filters see them as they are, as in mining: less
# than all of it, so that the structure counts beside features that differ from node to node
FEATURE_CONTRAST = 0.3
# what the GOMKCN paper prints for the classification of graphs by their motif, section VI-C where
# nothing else is named; where it leaves something open, what is plainest. Adam is of section VI-E
_PAPER: dict[str, Any] = {
    # "four graph filters", "each filter has six nodes"; subgraphs are as large (section VI-G)
    "num_filters": 4,
    "filter_size": 6,
    # "the dimension of the node feature is 3", that of the data: no layer comes before the filters
    "hidden_feats": 0,
    # features are uniform "over [0, 1]", and taken as they are
    "feature_contrast": 1.0,
    # "the 3-hop subgraphs", by breadth-first search (algorithm 1, line 5), from which nodes of the
    # periphery leave at random (section VI-G)
    "num_hops": 3,
    "policy": "bfs",
    # "steps for neighbor aggregation", "width parameter"; each node of a subgraph in turn takes the
    # most similar free node of a filter (section IV-C, element matching; algorithm 1, lines 21-26)
    "kernel": {"num_levels": 2, "tau": 0.5, "matching": "greedy"},
    # algorithm 1, line 3, has filters and no way to start them
    "init": "random",
    # "max pooling to aggregate node representations", which are the responses of the filters alone
    # (algorithm 1, line 28)
    "pooling": "max",
    "read_input": False,
    # "200 epochs", all of which are run, "a learning rate of 0.1", "every 512 graphs form a batch"
    "num_epochs": 200,
    "patience": 200,
    "learning_rate": 0.1,
    "batch_size": 512,
    # "in the proportion of 8:1:1"
    "split": (0.8, 0.1, 0.1),
}
# the same numbers with our start, contrast and matching, with which filters become the motifs
_TUNED: dict[str, Any] = {
    **_PAPER,
    "feature_contrast": FEATURE_CONTRAST,
    "kernel": {**_PAPER["kernel"], "matching": "optimal"},
    "init": "classes",
}
# settings with a name, from which others start, and what they are
PRESETS = {"paper": _PAPER, "tuned": _TUNED}
_PRESETS_IN_WORDS = {
    "paper": "what section VI-C of the GOMKCN paper prints (preset paper)",
    "tuned": "those of section VI-C of the GOMKCN paper with our start, contrast and matching "
    "(preset tuned)",
}
# where nodes are classified: parts as in section VI-D, a subgraph of a node and some neighbours,
# and what keeps a network of many features from learning them by heart; chosen on the validation
# part of Cora
_OF_NODES: dict[str, Any] = {
    "split": (0.6, 0.2, 0.2),
    "hidden_feats": 64,
    "num_filters": 32,
    "filter_size": 4,
    "max_nodes": 8,
    "num_hops": 1,
    "num_levels": 1,
    "tau": 2.0,
    "dropout": 0.5,
    "input_dropout": 0.5,
    "learning_rate": 0.03,
    "weight_decay": 5e-4,
}
# of graphs alone: nodes are not read out together, and are classified all at once
_OF_GRAPHS = ("pooling", "batch_size")
_KernelOption = str | bool | int | float | tuple[float, ...]


@dataclass(frozen=True)
class DataSettings:
    """The table ``[data]``: what is learnt from; what is None is told by the data."""

    # a file or folder, see read_labelled
    path: str = ""
    # names of the features
    features: tuple[str, ...] | None = None
    # files that say what labels of nodes and classes are called
    label_names: str | None = None
    class_names: str | None = None
    # whether the nodes of a graph are classified, in place of graphs
    nodes: bool = False
    # the column of the classes, in a table of molecules or among the attributes of nodes
    class_column: str | None = None
    # what makes classes of numbers that graphs have
    threshold: str | float | None = None
    # as in read_graph
    format: str | None = None
    feature_file: str | None = None
    directed: bool | None = None
    source: str | None = None
    target: str | None = None
    relation: str | None = None
    smiles: str | None = None
    skip_invalid: bool | None = None
    # shares for training, validation and test
    split: tuple[float, ...] = SHARES


@dataclass(frozen=True)
class ModelSettings:
    """The table ``[model]``: parameters of :class:`gomkcn_dgl.GOMKCN`.

    ``method`` says whether there is such a network, or a kernel machine, whose settings stand in
    another table, or that the data decide. ``kernel`` holds the arguments of
    :class:`gomkcn_dgl.GOMKKernel`.
    """

    method: str = "auto"
    # the name of the settings that all others start from: "paper" or "tuned"; None: the defaults
    preset: str | None = None
    kernel: dict[str, _KernelOption] = field(default_factory=dict)
    # width of the features behind the input layer; 0: no input layer; None: as many as vary, up to
    # WIDEST, and no layer without any, because its batch norm would amplify rounding errors
    hidden_feats: int | None = None
    # whether what the input layer gives is read out beside the responses of filters
    read_input: bool = True
    # how much of the unit interval the features fill that filters see, without an input layer;
    # None: FEATURE_CONTRAST
    feature_contrast: float | None = None
    num_filters: int = 8
    filter_size: int = 6
    # None: filter_size
    max_nodes: int | None = None
    num_hops: int = 2
    policy: str = "bfs"
    num_layers: int = 1
    pooling: str = "max"
    dropout: float = 0.0
    input_dropout: float = 0.0
    # the relations that filters tell apart, and whether each has a direction; none: those of the
    # data where they have directions or types
    relations: dict[str, bool] = field(default_factory=dict)
    # filters start as subgraphs that tell the classes apart ("classes"), or as "random" graphs
    init: str = "classes"

    def __post_init__(self) -> None:
        check_choice("method", self.method, METHODS)
        check_choice("init", self.init, INITIALIZATIONS)
        if self.preset is not None:
            check_choice("preset", self.preset, tuple(PRESETS))
        self.make_kernel()
        for name in ("num_filters", "filter_size", "num_layers"):
            check_int(name, getattr(self, name), 1)
        if self.hidden_feats is not None:
            check_int("hidden_feats", self.hidden_feats, 0)
        if self.feature_contrast is not None:
            check_float("feature_contrast", self.feature_contrast, 0, 1, open_minimum=True)
            if self.hidden_feats:
                raise InputError(
                    "feature_contrast",
                    (
                        "is for filters that see the features as they are, and ",
                        Argument("hidden_feats", self.hidden_feats),
                        " makes an input layer, which scales them anew",
                    ),
                    way_out=("give ", Argument("hidden_feats", 0)),
                )

    @property
    def contrast(self) -> float:
        """How much of the unit interval the scaled features fill, of resolved settings."""
        return 1.0 if self.feature_contrast is None else self.feature_contrast

    def make_kernel(self) -> GOMKKernel:
        """The kernel object."""
        known = [entry.name for entry in fields(GOMKKernel)]
        for name in self.kernel:
            check_choice("an option of the kernel", name, known)
        return GOMKKernel(**self.kernel)  # type: ignore[arg-type]

    def make_relations(self) -> Relations | None:
        """The relations that filters tell apart, None for edges without direction and type."""
        if not self.relations:
            return None
        return relations_of(list(self.relations), list(self.relations.values()))

    def resolve(self, num_varying: int, relations: Relations) -> ModelSettings:
        """Settings of a network for graphs with so many varying columns and these relations."""
        hidden = self.hidden_feats
        contrast = self.feature_contrast
        if hidden is None:
            # who gives a contrast wants filters that see it
            hidden = min(num_varying, WIDEST) if contrast is None else 0
        if hidden == 0 and contrast is None:
            contrast = FEATURE_CONTRAST
        kinds = {} if relations.is_simple else dict(relations.kinds)
        return dataclasses.replace(
            self,
            hidden_feats=hidden,
            feature_contrast=contrast,
            relations=self.relations or kinds,
            kernel=asdict(self.make_kernel()),
        )


@dataclass(frozen=True)
class MachineSettings:
    """The table ``[machine]``: parameters of :class:`gomkcn_dgl.GOMKClassifier`.

    It chooses among ``num_levels`` and ``tau`` by cross-validation. The number of patterns follows
    from the data where it is None; 0: nodes are matched one by one. ``seed`` is that of the split
    as well.
    """

    num_levels: tuple[int, ...] = (1, 2, 3)
    tau: tuple[float, ...] = (0.1, 0.3, 1.0)
    num_folds: int = 5
    most_nodes: int = 128
    num_patterns: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        check_int("num_folds", self.num_folds, 2)
        check_int("seed", self.seed, 0, LARGEST_SEED)
        check_int("most_nodes", self.most_nodes, 1)
        if self.num_patterns is not None:
            check_int("num_patterns", self.num_patterns, 0)
        for levels in self.num_levels:
            for tau in self.tau:
                GOMKKernel(levels, tau)


# options that are entries of a network's kernel; a machine chooses among levels and widths
_OF_KERNEL = ("num_levels", "tau", "matching")
# the tables that only these methods have, and the options of a method
_OWN_TABLES = {"network": ("training",), "kernel": ("machine",), "auto": ("training", "machine")}
_OPTIONS = {
    "network": {entry.name for one in (ModelSettings, TrainingSettings) for entry in fields(one)}
    | {*_OF_KERNEL, "device"},
    "kernel": {entry.name for entry in fields(MachineSettings)} | {"method", "n_jobs"},
}
_OTHER = {"network": "kernel", "kernel": "network"}


@dataclass(frozen=True)
class ClassifierSettings:
    """Everything that decides the result of a training run, as tables.

    A network has no table ``machine``, and a kernel machine only the method in ``model``, and no
    table ``training``; where the data decide there are all. The seed of ``training`` is that of the
    split and of the model, too.
    """

    data: DataSettings = field(default_factory=DataSettings)
    model: ModelSettings = field(default_factory=ModelSettings)
    training: TrainingSettings = field(default_factory=lambda: TrainingSettings(patience=50))
    machine: MachineSettings = field(default_factory=MachineSettings)

    def __post_init__(self) -> None:
        _check_method(self.data.nodes, self.method)

    @classmethod
    def of_options(cls, options: Mapping[str, Any]) -> ClassifierSettings:
        """The settings of options, which win over what nodes, or a preset, ask for.

        The preset ``"paper"`` is what section VI-C of the GOMKCN paper prints, and nothing else;
        ``"tuned"`` has our start, contrast and matching in place of the paper's.

        >>> settings = ClassifierSettings.of_options({"preset": "paper", "num_epochs": 20})
        >>> settings.model.num_hops, settings.training.num_epochs
        (3, 20)
        """
        _check_method(bool(options.get("nodes")), str(options.get("method")))
        settings = cls()
        if options.get("nodes"):
            settings = settings.override(_OF_NODES)
        return settings.override(options)

    @property
    def method(self) -> str:
        """``"network"``, ``"kernel"``, or ``"auto"`` where the data decide."""
        return self.model.method

    @property
    def seed(self) -> int:
        """The seed of the method."""
        return self.machine.seed if self.method == "kernel" else self.training.seed

    def override(self, options: Mapping[str, Any]) -> ClassifierSettings:
        """Return new settings in which every option that is not None wins, whatever its table.

        ``num_levels`` and ``tau`` are those of the kernel, or those that a kernel machine may
        choose. Options that one method alone has ask for this method, where no method is given;
        those of the other method are refused. A ``preset`` stands for all its settings.
        """
        options = {name: value for name, value in options.items() if value is not None}
        nodes = bool(options.get("nodes", self.data.nodes))
        if "preset" in options:
            options = _with_preset(options, nodes)
        for name in _OF_GRAPHS:
            if name in options and nodes:
                raise InputError(
                    name, "is for the classes of graphs", way_out="leave it out for nodes"
                )
        given = options.pop("method", None)
        if given is not None:
            check_choice("method", given, METHODS)
        method = self.method if given in (None, "auto") else given
        if self.method not in ("auto", method):
            raise InputError(
                "method", f"must be that of the settings file, {self.method!r}", got=repr(method)
            )
        if method == "auto" and nodes:
            method = "network"
        if method == "auto" and given is None:
            method = _method_of(options)
        if method != "auto":
            for name in options:
                if name in _OPTIONS[_OTHER[method]] - _OPTIONS[method]:
                    raise InputError(
                        name, f"is for the method {_OTHER[method]!r}", got=f"the method {method!r}"
                    )
        options["method"] = method
        # of a machine one value leaves no choice
        of_machine = dict(options)
        for name in ("num_levels", "tau"):
            if name in options and not isinstance(options[name], tuple):
                of_machine[name] = (options[name],)
        if method != "kernel":
            own = {name: value for name, value in options.items() if name in _OF_KERNEL}
            options["kernel"] = {**self.model.kernel, **options.get("kernel", {}), **own}
        # what followed from what is given anew follows from it again
        if {"directed", "relation"} & options.keys():
            options.setdefault("relations", {})
        if options.get("hidden_feats"):
            options.setdefault("feature_contrast", None)
        changed = {}
        for name in ("data", "model", *_OWN_TABLES[method]):
            table = getattr(self, name)
            source = of_machine if name == "machine" else options
            changes: dict[str, Any] = {k: v for k, v in source.items() if k in vars(table)}
            changed[name] = dataclasses.replace(table, **changes)
        return dataclasses.replace(self, **changed)

    def describe_preset(self) -> str:
        """What the settings are called, and what differs from those; empty without a preset.

        >>> ClassifierSettings.of_options({"preset": "paper", "num_epochs": 20}).describe_preset()
        'what section VI-C of the GOMKCN paper prints (preset paper), but for num_epochs 20'
        """
        if self.method == "kernel" or self.model.preset is None:
            return ""
        plain = ClassifierSettings.of_options({"preset": self.model.preset})._of_training()
        other = [
            f"{name} {value}" for name, value in self._of_training().items() if value != plain[name]
        ]
        named = _PRESETS_IN_WORDS[self.model.preset]
        return f"{named}, but for {', '.join(other)}" if other else named

    def _of_training(self) -> dict[str, Any]:
        """All that decides how a network is trained, but the data and the seed."""
        model, training = vars(self.model).copy(), vars(self.training).copy()
        for name in ("method", "relations", "kernel"):
            del model[name]
        del training["seed"]
        kernel = asdict(self.model.make_kernel())
        return {**model, **kernel, **training, "split": tuple(self.data.split)}

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """The settings of the method as nested plain values."""
        tables = asdict(self)
        if self.method == "kernel":
            tables["model"] = {"method": "kernel"}
        for name in _OF_GRAPHS if self.data.nodes else ():
            for table in ("model", "training"):
                tables[table].pop(name, None)
        return {name: tables[name] for name in ("data", "model", *_OWN_TABLES[self.method])}

    def to_toml(self) -> str:
        """The settings as the text of a TOML file; what is None is left out."""
        return to_toml(self.to_dict())


def _check_method(nodes: bool, method: str) -> None:
    if nodes and method == "kernel":
        raise InputError("method", "must be 'network' for the classes of nodes", got="'kernel'")


def _with_preset(options: Mapping[str, Any], nodes: bool) -> dict[str, Any]:
    """Options that win over the settings of their preset."""
    preset = check_choice("preset", options["preset"], tuple(PRESETS))
    if options.get("method") == "kernel" or nodes:
        raise InputError(
            preset,
            "has the settings of a network of graphs",
            way_out=(
                "leave it out, or leave out ",
                Argument("nodes") if nodes else Argument("method", "kernel"),
            ),
        )
    settings = PRESETS[preset]
    kernel = {**settings["kernel"], **options.get("kernel", {})}
    return {**settings, **options, "kernel": kernel}


def _method_of(options: Mapping[str, Any]) -> str:
    """The method that options ask for which it alone has; auto where there are none."""
    own = {
        # what shares the work shares that of a comparison as well
        method: sorted(options.keys() & (_OPTIONS[method] - _OPTIONS[other] - {"n_jobs"}))
        for method, other in _OTHER.items()
    }
    if own["network"] and own["kernel"]:
        raise InputError(
            own["kernel"][0],
            (
                "is for the method 'kernel', and ",
                Argument(own["network"][0]),
                " for the method 'network'",
            ),
            way_out="leave one of them out",
        )
    return next((method for method, names in own.items() if names), "auto")


def read_classifier_settings(path: str | Path) -> ClassifierSettings:
    """Read a TOML file with the tables of a method, all optional."""
    defaults = ClassifierSettings()
    types = {name: get_type_hints(type(table)) for name, table in vars(defaults).items()}
    read = read_tables(path, types)
    options = {name: value for table in read.values() for name, value in table.items()}
    method = check_choice("method", options.get("method", defaults.method), METHODS)
    for name in _OWN_TABLES["auto"]:
        if read.get(name) and name not in _OWN_TABLES[method]:
            raise InputError(
                f"table [{name}] of settings file {str(path)!r} is for the method "
                f"{_OTHER[method]!r}, got the method {method!r}."
            )
    return defaults.override(options)
