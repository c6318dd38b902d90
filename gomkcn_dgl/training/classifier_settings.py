"""The settings of a training run: read from a TOML file, overridden by options, stored with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gomkcn_dgl.bounds import LARGEST_COUNT, MOST_FILTERS, MOST_LAYERS, MOST_REPEATS, MOST_WIDE
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.input_settings import InputSettings
from gomkcn_dgl.kernel_settings import LARGEST, MAX_LEVELS, SMALLEST, KernelSettings, known_policies
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.runtime.files import named
from gomkcn_dgl.settings import (
    Settings,
    SettingsTable,
    refuse_unknown,
    replaced,
    seed_setting,
    setting,
    settings_of,
    values_of,
)

if TYPE_CHECKING:
    from gomkcn_dgl.matching import GOMKKernel
    from gomkcn_dgl.relations import Relations

AUTO = "auto"
METHODS = (AUTO, "kernel", "network")
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
    "num_levels": 2,
    "tau": 0.5,
    "matching": "greedy",
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
    "matching": "optimal",
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
# as many as are drawn, and are optimally matched in a moment
_MOST_FILTER_NODES, _MOST_SUBGRAPH_NODES = 64, 1024


def _read_relations(name: str, value: Any) -> dict[str, bool]:
    """Names of relations, and whether each has a direction."""
    if not isinstance(value, Mapping) or {*map(type, value.values())} - {bool}:
        raise InputTypeError(name, "must be a table of names with true or false", got=repr(value))
    return dict(value)


@dataclass(frozen=True)
class DataSettings(InputSettings):
    """The table ``[data]``: what is learnt from; what is None is told by the data."""

    nodes: bool = setting(False, "Classify the nodes of a graph, in place of graphs")
    split: tuple[float, ...] = setting(
        (0.8, 0.1, 0.1), "Shares of training, validation and test", least=0, most=1
    )


@dataclass(frozen=True)
class ModelSettings(SettingsTable):
    """The table ``[model]``: parameters of :class:`gomkcn_dgl.GOMKCN`, and of its kernel.

    ``method`` says whether there is such a network, or a kernel machine, whose settings stand in
    another table, or that the data decide.
    """

    method: str = setting(
        AUTO,
        "Classifier: kernel compares whole graphs, network learns patterns, and auto is the better "
        "of both in a cross-validation without the test part",
        words=METHODS,
    )
    preset: str | None = setting(
        None,
        "Settings from which others start: of section VI-C of the GOMKCN paper, with a test "
        "accuracy of .79 on 800 graphs, or these with our start, contrast and matching, with 1.00",
        words=tuple(PRESETS),
    )
    kernel: KernelSettings = field(default_factory=KernelSettings)
    # no input layer without any, because its batch norm would amplify rounding errors
    hidden_feats: int | str = setting(
        AUTO,
        "Width of the features behind the input layer; 0: no input layer",
        least=0,
        most=MOST_WIDE,
        words=(AUTO,),
        usual=f"as many as vary, up to {WIDEST}",
    )
    read_input: bool = setting(True, "Read out the features of the input layer as well")
    feature_contrast: float | None = setting(
        None,
        "Part of [0, 1] that the features fill without an input layer",
        above=0,
        most=1,
        usual=str(FEATURE_CONTRAST),
    )
    num_filters: int = setting(8, "Number of filters", least=1, most=MOST_FILTERS)
    filter_size: int = setting(6, "Nodes of a filter", least=1, most=_MOST_FILTER_NODES)
    max_nodes: int | None = setting(
        None, "Nodes of a subgraph", least=1, most=_MOST_SUBGRAPH_NODES, usual="those of a filter"
    )
    num_hops: int = setting(2, "Radius of the subgraphs, in hops", least=0, most=LARGEST_COUNT)
    policy: str = setting("bfs", "Nodes to keep in a truncated subgraph", words=known_policies)
    num_layers: int = setting(1, "Number of layers of filters", least=1, most=MOST_LAYERS)
    pooling: str = setting("max", "Pooling over the nodes of a graph", words=("max", "mean", "sum"))
    dropout: float = setting(0.0, "Dropout before the last layer", least=0, most=1)
    input_dropout: float = setting(0.0, "Dropout of the features", least=0, most=1)
    # none: those of the data where they have directions or types
    relations: Mapping[str, bool] | None = setting(
        None, "Relations that filters tell apart", check=_read_relations, usual="of the data"
    )
    init: str = setting(
        "classes",
        "Start of filters: subgraphs that tell the classes apart, or random graphs",
        words=("classes", "random"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.feature_contrast is not None and self.hidden_feats not in (0, AUTO):
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
        from gomkcn_dgl.matching import GOMKKernel

        return GOMKKernel(**values_of(KernelSettings, self.kernel))

    def make_relations(self) -> Relations | None:
        """The relations that filters tell apart, None for edges without direction and type."""
        if not self.relations:
            return None
        from gomkcn_dgl.relations import relations_of

        return relations_of(list(self.relations), list(self.relations.values()))

    def resolve(self, num_varying: int, relations: Relations) -> ModelSettings:
        """Settings of a network for graphs with so many varying columns and these relations."""
        hidden = self.hidden_feats
        contrast = self.feature_contrast
        if hidden == AUTO:
            # who gives a contrast wants filters that see it
            hidden = min(num_varying, WIDEST) if contrast is None else 0
        if hidden == 0 and contrast is None:
            contrast = FEATURE_CONTRAST
        kinds = None if relations.is_simple else dict(relations.kinds)
        return replace(
            self,
            hidden_feats=hidden,
            feature_contrast=contrast,
            relations=self.relations or kinds,
        )


def _read_class_weight(name: str, value: Any) -> Any:
    # here, since it loads NumPy, which the help does without
    from gomkcn_dgl.class_weights import read_class_weight

    return read_class_weight(name, value)


def _class_weight_setting() -> Any:
    """The field of what classes weigh, which both methods have."""
    return setting(
        None,
        "Weights of classes in training: balanced, so that all weigh alike, or a weight for each, "
        "such as active=3,inactive=1",
        check=_read_class_weight,
        usual="1 for each graph",
    )


@dataclass(frozen=True)
class TrainingSettings(SettingsTable):
    """How a classifier is trained.

    Attributes
    ----------
    num_epochs : int
        Largest number of epochs.
    patience : int or None
        Stop after this many epochs without a better one.
    learning_rate, weight_decay : float
        Of Adam. Filters are not decayed: a filter's 0 means an edge of 1/2, not none.
    batch_size : int
        Graphs in a batch; nodes are classified all at once.
    class_weight : dict, "balanced" or None
        What a graph, or a node, of each class weighs in the loss, and in the accuracy and loss of
        validation by which the best epoch is chosen. Of a dict by the number of the class, or in
        ``gomkcn train`` by its name, a class that is not named has 1. ``"balanced"``: all classes
        weigh alike, by their numbers in the training part.
    seed : int
        Seed of the order of the graphs and of dropout. The model is drawn before.
    """

    num_epochs: int = setting(200, "Maximum number of epochs", least=0, most=MOST_REPEATS)
    patience: int | None = setting(
        50, "Epochs without improvement before training stops", least=1, most=MOST_REPEATS
    )
    learning_rate: float = setting(0.01, "Learning rate of Adam", above=0, most=1e6)
    weight_decay: float = setting(0.0, "Weight decay, except of filters", least=0, most=1e6)
    batch_size: int = setting(128, "Graphs of a batch", least=1, most=LARGEST_COUNT)
    class_weight: Mapping[Any, float] | str | None = _class_weight_setting()
    seed: int = seed_setting()


@dataclass(frozen=True)
class MachineSettings(SettingsTable):
    """The table ``[machine]``: parameters of :class:`gomkcn_dgl.GOMKClassifier`.

    It chooses among ``num_levels`` and ``tau`` by cross-validation. ``seed`` is that of the split
    as well.
    """

    num_levels: tuple[int, ...] = setting(
        (1, 2, 3), "Numbers of levels to choose from", least=0, most=MAX_LEVELS
    )
    tau: tuple[float, ...] = setting(
        (0.1, 0.3, 1.0), "Widths of the similarity to choose from", least=SMALLEST, most=LARGEST
    )
    num_folds: int = setting(
        5, "Folds of the cross-validation that chooses the kernel", least=2, most=1000
    )
    most_nodes: int = setting(
        128, "Maximum number of nodes that stand for a larger graph", least=1, most=MOST_WIDE
    )
    num_patterns: int | str = setting(
        AUTO,
        "Number of patterns by which nodes are matched; 0: one by one",
        least=0,
        most=MOST_WIDE,
        words=(AUTO,),
        usual="64 where matching them one by one would take long",
    )
    class_weight: Mapping[Any, float] | str | None = _class_weight_setting()
    seed: int = seed_setting()


# options that are entries of a network's kernel; a machine chooses among levels and widths
_OF_KERNEL = tuple(known.name for known in settings_of(KernelSettings))
_METHOD, _PRESET = settings_of(ModelSettings)[:2]
# what belongs to a method and is no setting, since no result depends on it
_OF_HARDWARE = {"network": {"device"}, "kernel": {"n_jobs"}}
# the tables that only these methods have, and the options of a method
_OWN_TABLES = {
    "network": ("kernel", "training"),
    "kernel": ("machine",),
    AUTO: ("kernel", "training", "machine"),
}
_OPTIONS = {
    "network": {
        known.name
        for table in (ModelSettings, KernelSettings, TrainingSettings)
        for known in settings_of(table)
    }
    | _OF_HARDWARE["network"],
    "kernel": {known.name for known in settings_of(MachineSettings)}
    | _OF_HARDWARE["kernel"]
    | {"method"},
}
_OTHER = {"network": "kernel", "kernel": "network"}


@dataclass(frozen=True)
class ClassifierSettings(Settings):
    """Everything that decides the result of a training run, as tables.

    A network has no table ``machine``, and a kernel machine only the method in ``model``, and no
    table ``training``; where the data decide there are all. The seed of ``training`` is that of the
    split and of the model, too.
    """

    data: DataSettings = field(default_factory=DataSettings)
    model: ModelSettings = field(default_factory=ModelSettings)
    training: TrainingSettings = field(default_factory=TrainingSettings)
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
        known = _OPTIONS["network"] | _OPTIONS["kernel"] | values_of(DataSettings, self.data).keys()
        refuse_unknown("a setting", options, known)
        options = {name: value for name, value in options.items() if value is not None}
        nodes = bool(options.get("nodes", self.data.nodes))
        if "preset" in options:
            options = _with_preset(options, nodes)
        for name in _OF_GRAPHS:
            if name in options and nodes:
                raise InputError(
                    name, "is for the classes of graphs", way_out="leave it out for nodes"
                )
        options["method"] = method = self._method_of(options, nodes)
        # what followed from what is given anew follows from it again
        if {"directed", "relation"} & options.keys():
            options.setdefault("relations", None)
        if options.get("hidden_feats"):
            options.setdefault("feature_contrast", None)
        # of a machine one value leaves no choice
        choices = {name: options[name] for name in ("num_levels", "tau") if name in options}
        of_machine = options | {
            name: value if isinstance(value, tuple) else (value,) for name, value in choices.items()
        }
        changed: dict[str, Any] = {
            "data": replaced(self.data, options),
            "model": replaced(self.model, options),
        }
        if method == "kernel":
            changed["model"] = replaced(self.model, {"method": method})
        if "training" in _OWN_TABLES[method]:
            changed["training"] = replaced(self.training, options)
        if "machine" in _OWN_TABLES[method]:
            changed["machine"] = replaced(self.machine, of_machine)
        return replace(self, **changed)

    def _method_of(self, options: Mapping[str, Any], nodes: bool) -> str:
        """The method that options name, or ask for; an option of the other one is refused."""
        given = options.get("method")
        if given is not None:
            _METHOD.read(given)
        method = self.method if given in (None, AUTO) else given
        if self.method not in (AUTO, method):
            raise InputError(
                "method", f"must be that of the settings file, {self.method!r}", got=repr(method)
            )
        if method == AUTO and nodes:
            method = "network"
        if method == AUTO and given is None:
            method = _asked_method(options)
        if method != AUTO:
            for name in options:
                if name in _OPTIONS[_OTHER[method]] - _OPTIONS[method] and name != "method":
                    raise InputError(
                        name, f"is for the method {_OTHER[method]!r}", got=f"the method {method!r}"
                    )
        return str(method)

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
        tables = super().to_dict()
        model, training = tables["model"], tables["training"]
        for name in ("method", "relations"):
            del model[name]
        del training["seed"]
        return {**model, **tables["kernel"], **training, "split": self.data.split}

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """The settings of the method as plain values, by table and name."""
        tables = super().to_dict()
        if self.method == "kernel":
            tables["model"] = {"method": "kernel"}
        for name in _OF_GRAPHS if self.data.nodes else ():
            for table in ("model", "training"):
                tables[table].pop(name, None)
        return {name: tables[name] for name in ("data", "model", *_OWN_TABLES[self.method])}

    def read(self, path: str | Path) -> ClassifierSettings:
        """The settings of a TOML file with the tables of a method, all optional."""
        tables = self.read_tables(path)
        model = tables.get("model", {})
        method = _METHOD.read(model.get("method", self.method))
        for name in _OWN_TABLES[AUTO]:
            if tables.get(name) and name not in _OWN_TABLES[method]:
                raise InputError(
                    f"table [{name}] of settings file {str(path)!r} is for the method "
                    f"{_OTHER[method]!r}, got the method {method!r}."
                )
        # a machine has choices where a kernel has one value of the same name
        machine = tables.pop("machine", {})
        others = {name: value for name, value in machine.items() if name not in _OF_KERNEL}
        given = [entry for table in (others, *tables.values()) for entry in table.items()]
        with named(f"settings file {str(path)!r}"):
            settings = self.override(dict(given))
            return replace(settings, machine=replaced(settings.machine, machine))


def _check_method(nodes: bool, method: str) -> None:
    if nodes and method == "kernel":
        raise InputError("method", "must be 'network' for the classes of nodes", got="'kernel'")


def _with_preset(options: Mapping[str, Any], nodes: bool) -> dict[str, Any]:
    """Options that win over the settings of their preset."""
    preset = _PRESET.read(options["preset"])
    if options.get("method") == "kernel" or nodes:
        raise InputError(
            (Argument("preset", preset), " has the settings of a network of graphs"),
            way_out=(
                "leave it out, or leave out ",
                Argument("nodes") if nodes else Argument("method", "kernel"),
            ),
        )
    return {**PRESETS[preset], **options}


def _asked_method(options: Mapping[str, Any]) -> str:
    """The method that options ask for which it alone has; auto where there are none."""
    given = {
        # what shares the work shares that of a comparison as well
        method: sorted(options.keys() & (_OPTIONS[method] - _OPTIONS[other] - {"n_jobs"}))
        for method, other in _OTHER.items()
    }
    if given["network"] and given["kernel"]:
        raise InputError(
            given["kernel"][0],
            (
                "is for the method 'kernel', and ",
                Argument(given["network"][0]),
                " for the method 'network'",
            ),
            way_out="leave one of them out",
        )
    return next((method for method, names in given.items() if names), AUTO)
