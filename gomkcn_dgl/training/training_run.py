"""A training run: labelled data and settings in; a trained classifier and its record out.

In the folder of a run ``checkpoint.pt`` is the network or kernel machine and the split, without
pickled code; ``run.json`` has the accuracy of each part, how it came about, data, provenance.
"""

from __future__ import annotations

import dataclasses
import logging
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn_dgl._torch import resolve_device, torch
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import NONE, ColumnChoice
from gomkcn_dgl.io.features import name_columns, read_label_names, take_features
from gomkcn_dgl.io.formats import find_format
from gomkcn_dgl.io.input_file import InputFile
from gomkcn_dgl.io.reading import (
    CLASS_COLUMNS,
    read_graph,
    read_with_classes,
)
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.relations import SIMPLE, Relations
from gomkcn_dgl.runtime.files import listed, named
from gomkcn_dgl.runtime.output_folder import (
    RECORD,
    describe_provenance,
    read_json,
    remove_progress,
)
from gomkcn_dgl.runtime.processes import world_size
from gomkcn_dgl.runtime.run import SETTINGS, Work, read_record
from gomkcn_dgl.runtime.steps import IDENTITY, identity_of_job
from gomkcn_dgl.runtime.tabular import Table
from gomkcn_dgl.training.checkpoint import read_state
from gomkcn_dgl.training.classifier_settings import ClassifierSettings, DataSettings
from gomkcn_dgl.training.classifiers import TrainedMachine, TrainedNetwork, knows, take_graphs
from gomkcn_dgl.training.labelled_data import (
    PARTS,
    LabelledData,
    Split,
    read_labelled,
    stratified_split,
    summarize,
)
from gomkcn_dgl.training.method_choice import KINDS, MethodChoice, choose_method

log = logging.getLogger("gomkcn_dgl")

# the kind of run, and its file of the classifier
TRAIN = "train"
CHECKPOINT = "checkpoint.pt"

TrainedClassifier = TrainedNetwork | TrainedMachine
# the step that keeps which method was chosen, and why
_CHOICE = "choice of the method"


def read_training_data(settings: DataSettings) -> LabelledData:
    """Read the data that the settings name."""
    if not settings.path:
        raise InputError("path", "of a data set must be given, here or in the settings file")
    # all but the shares of the split are options of reading
    options = dict(vars(settings))
    del options["split"]
    return read_labelled(**options)


def run_training(
    settings: ClassifierSettings,
    data: LabelledData,
    work: Work | None = None,
    device: str | torch.device = "auto",
) -> tuple[TrainedClassifier, dict[str, Any]]:
    """Resolve the settings, split, train and evaluate, by the method of the settings.

    Where the method is ``"auto"``, the better one is taken, see :func:`choose_method`. What was
    computed is kept in the folder of ``work`` and found again; its ``n_jobs`` processes share the
    work of a kernel machine and of the comparison, and a network is trained on ``device``, see
    :func:`resolve_device`. Returns the classifier, and the record of ``run.json``.
    """
    start = time.perf_counter()
    split = stratified_split(data.labels, settings.data.split, settings.seed)
    work = Work() if work is None else work
    choice = None
    if settings.method == "auto":
        choice = _choose_method(settings, data, split, work, device)
        settings = settings.override({"method": choice.method})
    classifier_class = KINDS[settings.method]
    torch_device = _device_for(settings.method, device)
    settings = classifier_class.resolve(settings, data, split)
    resolved = settings
    steps = work.steps(lambda: _identity_of(resolved, data, split))
    if choice is not None and world_size() == 1:
        # a resumed run, which knows the method alone, finds it here
        choice = steps.once(_CHOICE, MethodChoice, lambda found: found, choice)
    classifier, record = classifier_class.fit(settings, data, split, steps, torch_device)
    # those of a run that was stopped and goes on here count as well
    seconds = time.perf_counter() - start + record.pop("seconds_before", 0.0)
    metrics = {
        "method": settings.method,
        "classes_of": data.members,
        "data": summarize(data),
        **({} if choice is None else {"method_choice": dataclasses.asdict(choice)}),
        **({"preset": preset} if (preset := settings.describe_preset()) else {}),
        **record,
        "seconds": round(seconds, 3),
        "command": steps.resuming_command if record["partial"] else "",
        "settings": classifier.settings.to_dict(),
        "provenance": describe_provenance(settings.seed, seconds),
    }
    return classifier, metrics


def _choose_method(
    settings: ClassifierSettings,
    data: LabelledData,
    split: Split,
    work: Work,
    device: str | torch.device,
) -> MethodChoice:
    """The method for the data, by a comparison that is kept in a folder until it is finished."""
    if work.folder is not None and (begun := _begun_method(work.folder)):
        return MethodChoice(begun, "the method of the unfinished run", 0)
    if world_size() > 1:
        return MethodChoice("network", "several processes share the training of a network", 0)
    steps = work.steps(lambda: _identity_of(settings, data, split))
    choice = choose_method(settings, data, split, steps, resolve_device(device))
    log.info("%s", choice)
    if work.folder is not None:
        # the folder is that of the training from here on
        remove_progress(work.folder)
    return choice


def _begun_method(folder: Path) -> str | None:
    """The method of an unfinished training; None where there is none, or it is still compared."""
    path = folder / IDENTITY
    identity = read_json(path) if path.is_file() else None
    method = identity.get("method") if isinstance(identity, dict) else None
    return method if method in KINDS else None


def _device_for(method: str, device: str | torch.device) -> torch.device:
    """The device on which a classifier computes; a kernel machine does on the CPU."""
    if method == "kernel" and str(device) not in ("auto", "cpu"):
        raise InputError(
            "device", "must be 'auto' or 'cpu' for the method 'kernel'", got=repr(str(device))
        )
    return resolve_device("cpu" if method == "kernel" else device)


def _identity_of(settings: ClassifierSettings, data: LabelledData, split: Split) -> dict[str, Any]:
    """What decides the result: a stopped run goes on only where all of it is the same."""
    graph = data.graph
    arrays = [graph.indptr, graph.indices, graph.features, graph.graph_ptr, data.labels, *split]
    if graph.links is not None:
        arrays += [graph.links, graph.relations.links]
    tables = settings.to_dict()
    # where the data are, and what things are called, decides nothing
    for name in ("path", "label_names", "class_names"):
        del tables["data"][name]
    return {"method": settings.method, **identity_of_job(tables, *arrays)}


def read_metrics(folder: str | Path) -> dict[str, Any]:
    """Read the record of a finished run, as :func:`run_training` made it."""
    metrics = read_record(folder, TRAIN)
    needed = {"method", "classes_of", "data", "accuracy", "baseline"}
    if not needed <= set(metrics):
        raise InputError(f"{str(Path(folder) / RECORD)!r} is damaged or older; train again.")
    return metrics


def load_classifier(folder: str | Path, device: str | torch.device = "auto") -> TrainedClassifier:
    """Read the trained classifier of a finished run of ``gomkcn train``.

    Parameters
    ----------
    folder : path
        The folder of the run, as ``gomkcn train --out`` names it.
    device : str or torch.device
        Where a network is brought, whichever device it was trained on.

    Returns
    -------
    TrainedMachine or TrainedNetwork
        Of graphs that :func:`gomkcn.read_graph` reads, ``decide(graph)`` gives the class of each,
        int64 ``[G]``, and the probabilities ``[G, C]``; class k is ``class_names[k]``. A kernel
        machine is a fitted :class:`gomkcn.GOMKClassifier` in ``machine``, a network a
        :class:`gomkcn.GOMKCN` in ``model``, which takes features as ``scaling.scale`` maps them.

    Raises
    ------
    InputError
        If the folder holds no finished training, or a file of it is damaged.

    Examples
    --------
    ``classifier = load_classifier("runs/MUTAG")``, then
    ``classes, probabilities = classifier.decide(read_graph("NEW"))``.
    """
    folder = Path(folder)
    # refused where it holds no finished run
    read_metrics(folder)
    settings = ClassifierSettings().read(folder / SETTINGS)
    torch_device = _device_for(settings.method, device)

    def restore(state: dict[str, Any]) -> TrainedClassifier:
        return KINDS[settings.method].restore(settings, state, torch_device)

    return read_state(folder / CHECKPOINT, restore)


def on_cpu(classifier: TrainedClassifier) -> TrainedClassifier:
    """The classifier, or where it is a network on a GPU another one on the CPU."""
    if isinstance(classifier, TrainedMachine) or classifier.device.type == "cpu":
        return classifier
    state = classifier.state()
    return TrainedNetwork.restore(classifier.settings, state, torch.device("cpu"))


@dataclasses.dataclass(frozen=True, eq=False)
class Predictions:
    """What a classifier says of the graphs of a file, or of the nodes where those were learnt.

    Attributes
    ----------
    graph : CSRGraph
        What was read, with the features of the classifier.
    rows : numpy.ndarray
        int64 ``[G]``, the number of each graph in the file.
    predicted : numpy.ndarray
        int64 ``[G]`` or ``[V]``, classes by their number.
    probabilities : numpy.ndarray
        ``[G, C]`` or ``[V, C]``.
    class_names : tuple of str
        Names of the C classes.
    of_nodes : bool
        Whether nodes are classified.
    learnt : numpy.ndarray
        bool ``[G]``, graphs that the classifier learnt from, or chose its epoch by, or that are the
        same as one of these in nodes, edges and features; of nodes empty.
    """

    graph: CSRGraph
    rows: np.ndarray
    predicted: np.ndarray
    probabilities: np.ndarray
    class_names: tuple[str, ...]
    of_nodes: bool
    learnt: np.ndarray

    def table(self) -> Table:
        """A row for each graph or node.

        It has the number of a ``graph``, its ``name`` where graphs have names, the name of the
        ``predicted`` class, whether the graph was ``learnt``, and the ``probability`` of each
        class; or the name of a ``node``, with the ``graph`` that it is of where there are several.
        """
        graph = self.graph
        columns: dict[str, Any] = {"graph": self.rows}
        if graph.graph_names is not None:
            columns["name"] = graph.graph_names
        if self.of_nodes:
            nodes = np.arange(graph.num_nodes)
            columns = {"graph": graph.graph_of(nodes)} if graph.num_graphs > 1 else {}
            columns["node"] = np.array(graph.original_ids(nodes))
        columns["predicted"] = np.array(self.class_names)[self.predicted]
        if not self.of_nodes:
            columns["learnt"] = np.where(self.learnt, "yes", "no")
        for name, column in zip(self.class_names, self.probabilities.T, strict=True):
            # a probability of a sample of graphs is known to fewer digits
            columns[f"probability {name}"] = np.round(column.astype(np.float64), 6)
        return Table(columns)


def predict_file(
    classifier: TrainedClassifier, path: str | Path, *, skip_invalid: bool = False
) -> Predictions:
    """Classify the graphs of a file or a folder, or the nodes where those were learnt.

    They are read as those were that the classifier learnt from. Raises an InputError for graphs
    with other features or other relations; ``skip_invalid`` leaves out graphs with a category that
    was not learnt, and molecules that RDKit cannot read.
    """
    graph, rows = _read_unseen(classifier, Path(path), skip_invalid)
    of_nodes = bool(classifier.settings.data.nodes)
    predicted, probabilities = classifier.decide(graph)
    learnt = np.zeros(0, bool) if of_nodes else knows(classifier, graph)
    names = classifier.class_names
    return Predictions(graph, rows, predicted, probabilities, names, of_nodes, learnt)


def _read_unseen(
    classifier: TrainedClassifier, path: Path, skip_invalid: bool
) -> tuple[CSRGraph, np.ndarray]:
    """Read a graph, or a collection, with the features of the classifier.

    Returns it, and the numbers of its graphs in the file.
    """
    settings = classifier.settings.data
    options: dict[str, Any] = {
        "features": settings.features,
        "directed": settings.directed,
        "relation": settings.relation,
        "smiles": settings.smiles,
        "id_column": settings.id_column,
        "largest_fragment": bool(settings.largest_fragment),
        "minimum": settings.minimum,
        "maximum": settings.maximum,
        "skip_invalid": skip_invalid or bool(settings.skip_invalid),
        # classifiers learn without weights
        "weight": NONE,
    }
    row = find_format(InputFile(path), ColumnChoice(smiles=settings.smiles), has_classes=True)
    if "source" in row.options:
        options |= {"source": settings.source, "target": settings.target}
    if settings.nodes:
        # the column of the classes, if the file has one, is no feature
        class_columns = CLASS_COLUMNS if settings.class_column is None else (settings.class_column,)
        graph, _ = read_with_classes(path, class_columns, **options)
    else:
        graph = read_graph(path, **options)
    if settings.label_names is not None:
        graph = _name_columns(graph, read_label_names(settings.label_names))
    with named(path):
        rows = np.arange(graph.num_graphs)
        if not settings.nodes:
            is_known = _are_learnt(graph, classifier.feature_names)
            if not (skip_invalid or is_known.all()):
                _refuse_unlearnt(graph, classifier, path, int(is_known.argmin()))
            if not is_known.all():
                rows = np.flatnonzero(is_known)
                log.warning(
                    "left out %d of %d graphs, with a category that was not learnt: %s",
                    len(is_known) - len(rows),
                    len(is_known),
                    listed([graph.called(row) for row in np.flatnonzero(~is_known).tolist()]),
                )
                graph = _with_own_categories(take_graphs(graph, rows), classifier.feature_names)
        _check_relations(classifier.relations, graph.relations)
        return take_features(graph, classifier.feature_names), rows


def _unlearnt_columns(graph: CSRGraph, learnt: Sequence[str]) -> list[int]:
    """The categories that were not learnt, of attributes that were."""
    attributes = {name.partition("=")[0] for name in learnt if "=" in name}
    return [
        column
        for column, name in enumerate(graph.feature_names)
        if name not in learnt and "=" in name and name.partition("=")[0] in attributes
    ]


def _are_learnt(graph: CSRGraph, learnt: Sequence[str]) -> np.ndarray:
    """Which graphs have only categories that were learnt, bool ``[G]``."""
    columns = _unlearnt_columns(graph, learnt)
    is_known = np.ones(graph.num_graphs, bool)
    nodes = np.flatnonzero(graph.features[:, columns].any(axis=1))
    is_known[graph.graph_of(nodes)] = False
    return is_known


def _with_own_categories(graph: CSRGraph, learnt: Sequence[str]) -> CSRGraph:
    """The graph without the columns of categories that none of its nodes has any more."""
    gone = set(_unlearnt_columns(graph, learnt))
    kept = [column for column in range(len(graph.feature_names)) if column not in gone]
    names = tuple(graph.feature_names[column] for column in kept)
    return dataclasses.replace(graph, features=graph.features[:, kept], feature_names=names)


def _refuse_unlearnt(graph: CSRGraph, classifier: TrainedClassifier, path: Path, row: int) -> None:
    """Refuse a graph with a category that was not learnt: which graph, in which line, and what."""
    columns = _unlearnt_columns(graph, classifier.feature_names)
    nodes = graph.graph_of(np.arange(graph.num_nodes)) == row
    unlearnt = [graph.feature_names[at] for at in columns if graph.features[nodes, at].any()]
    settings = classifier.settings.data
    file = InputFile(path)
    choice = ColumnChoice(smiles=settings.smiles, skip_invalid=bool(settings.skip_invalid))
    format = find_format(file, choice, has_classes=True)
    where = ""
    if format.read_molecules is not None:
        where = format.read_molecules(file, choice)[0][row].place
    raise InputError(
        f"{graph.called(row)} has {listed(unlearnt)}, which no graph has that the classifier "
        "learnt from",
        way_out=(
            "leave it out, or give ",
            Argument("skip_invalid", True),
            " to leave out all such graphs",
        ),
        place=where,
    )


def _name_columns(graph: CSRGraph, names: Mapping[str, str]) -> CSRGraph:
    """Give features and relations their names, those of the codes that the graph has.

    :func:`name_columns` refuses a name of a code that no node has; a few graphs may lack some.
    """
    codes = [name.partition("=")[2] for name in graph.feature_names]
    known = {*codes, *graph.feature_names, *graph.relations.names}
    return name_columns(graph, {code: name for code, name in names.items() if code in known})


def _check_relations(learnt: Relations, given: Relations) -> None:
    """Refuse a graph with an edge of a relation that a classifier has not learnt."""
    # a classifier that takes all edges as alike knows no name for them
    if learnt == SIMPLE and given.is_simple:
        return
    learnt_names = _describe_relations(learnt)
    unknown = [name for name in _describe_relations(given) if name not in learnt_names]
    if unknown:
        raise InputError(
            f"edges must be of the relations that the classifier learnt, {listed(learnt_names)}, "
            f"got {unknown[0]}."
        )


def _describe_relations(relations: Relations) -> list[str]:
    return [
        f"{name} ({'directed' if is_directed else 'undirected'})"
        for name, is_directed in relations.kinds
    ]


def format_results(metrics: Mapping[str, Any]) -> str:
    """Lay out the accuracies of a record for a terminal, beside those of the baseline."""
    baseline = metrics["baseline"]
    rows = _accuracy_rows(metrics)
    width = max(len(name) for name, *_ in rows)
    lines = [f"{'part':<{width}}  {metrics['classes_of']:>7}  accuracy  baseline"]
    for name, size, accuracy, accuracy_of_baseline in rows:
        lines.append(f"{name:<{width}}  {size:>7}  {accuracy:>8.1%}  {accuracy_of_baseline:>8.1%}")
    lines.append(f"\nbaseline: always the most frequent class, {baseline['answer']}")
    if "preset" in metrics:
        lines.append(f"settings: {metrics['preset']}")
    lines += filter(None, [describe_choice(metrics), describe_class_weight(metrics)])
    if metrics["method"] == "kernel":
        lines.append(describe_settings(metrics))
        cut_short = "with some kernels not tried"
    else:
        lines.append(f"best epoch {metrics['best_epoch']} of {metrics['epochs']}")
        cut_short = "before the last epoch"
    lines[-1] += f"; {metrics['seconds']:.1f} s"
    if metrics["partial"]:
        lines.append(f"partial: the time limit came {cut_short}; the run can be resumed")
    return "\n".join(lines)


def _accuracy_rows(metrics: Mapping[str, Any]) -> list[tuple[str, int, float, float]]:
    """What was classified, how much of it, the accuracy and that of the baseline.

    The validation of a kernel machine, which chose its settings, is not among them: as the best of
    many it is too high. The comparison of both methods chose them anew in each fold.
    """
    sizes, accuracy = metrics["size"], metrics["accuracy"]
    baseline = metrics["baseline"]["accuracy"]
    of_parts = {part: (sizes[part], accuracy[part], baseline[part]) for part in PARTS}
    rows = [("train", *of_parts["train"])]
    if metrics["method"] != "kernel":
        rows.append(("validation", *of_parts["val"]))
    choice = metrics.get("method_choice")
    if choice is not None and choice["accuracy"] is not None:
        num_known = sizes["train"] + sizes["val"]
        right = sum(sizes[part] * baseline[part] for part in ("train", "val"))
        nested = float(np.mean(choice["accuracy"][metrics["method"]]))
        rows.append(("nested cross-validation", choice["num_graphs"], nested, right / num_known))
    return [*rows, ("test", *of_parts["test"])]


def describe_choice(metrics: Mapping[str, Any]) -> str:
    """Which method was taken and what it was compared with; empty where one was asked for."""
    choice = metrics.get("method_choice")
    return "" if choice is None else str(MethodChoice(**choice))


def describe_class_weight(metrics: Mapping[str, Any]) -> str:
    """What classes weighed in training; empty where each graph had 1."""
    table = "machine" if metrics["method"] == "kernel" else "training"
    given = metrics["settings"][table].get("class_weight")
    if given is None:
        return ""
    weights = given if isinstance(given, str) else ", ".join(f"{k} {v:g}" for k, v in given.items())
    members = metrics["classes_of"]
    return f"weights of classes in training: {weights}; in accuracies all {members} count alike"


def describe_settings(metrics: Mapping[str, Any]) -> str:
    """The settings of a kernel machine, and what their accuracy in choosing them is worth."""
    tried, accuracy = len(metrics["tried"]), metrics["accuracy"]["val"]
    chosen = f"settings: {describe_chosen(metrics['chosen'])}"
    if tried == 1:
        return f"{chosen}, {accuracy:.1%} in {metrics['num_folds']} folds of cross-validation"
    return (
        f"{chosen}, the best of {tried}, with {accuracy:.1%} in the cross-validation that chose "
        "them, which is likely too high for new graphs"
    )


def describe_chosen(chosen: Mapping[str, Any]) -> str:
    """The settings of a kernel machine in words: 2 levels, tau 0.3, C 10."""
    num_levels = chosen["num_levels"]
    levels = f"{num_levels} level{'' if num_levels == 1 else 's'}"
    patterns = f", {chosen['num_patterns']} patterns" if "num_patterns" in chosen else ""
    tau = f", tau {chosen['tau']:g}" if "tau" in chosen else ""
    gamma = "" if chosen["gamma"] is None else f", gamma {chosen['gamma']:g}"
    return f"{levels}{patterns}{tau}{gamma}, C {chosen['C']:g}"
