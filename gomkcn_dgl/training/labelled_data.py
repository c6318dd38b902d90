"""Graphs whose classes are known, or the classes of their nodes, read from files."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gomkcn_dgl.checks import check_choice, check_float, check_int
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_folder import is_graph_folder
from gomkcn_dgl.io.foreign_files import read_dgl_columns
from gomkcn_dgl.io.graph_classes import GraphClasses, name_classes
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.io.tu_folder import read_tu_classes
from gomkcn_dgl.runtime.files import listed, named

log = logging.getLogger("gomkcn_dgl")

TASKS = ("graph", "node")
PARTS = ("train", "val", "test")
_SHARES = (0.8, 0.1, 0.1)
_MASKS = tuple(f"{part}_mask" for part in PARTS)


class Split(NamedTuple):
    """Numbers of the graphs or nodes of the three parts, int64 each, disjoint."""

    train: np.ndarray
    val: np.ndarray
    test: np.ndarray


@dataclass(frozen=True, eq=False)
class LabelledData:
    """A collection of unweighted graphs with their classes, or a graph with those of its nodes.

    ``labels`` is int64, a class 0 … C - 1 for each graph (``task`` "graph") or node ("node").
    ``split`` is the one of the files, ``class_names`` are what the classes are called.
    """

    graph: CSRGraph
    labels: np.ndarray
    task: str
    class_names: tuple[str, ...]
    split: Split | None = None

    @property
    def num_classes(self) -> int:
        """Number of classes."""
        return len(self.class_names)

    def nodes_of(self, rows: np.ndarray) -> np.ndarray:
        """Nodes of some graphs, or the nodes themselves where nodes are classified."""
        if self.task == "node":
            return rows
        return np.flatnonzero(np.isin(self.graph.graph_of(np.arange(self.graph.num_nodes)), rows))


def read_labelled(
    path: str | Path,
    *,
    task: str | None = None,
    features: Sequence[str] | None = None,
    node_label: str | None = None,
    class_names: str | Path | Mapping[str, str] | None = None,
    **reading: Any,
) -> LabelledData:
    """Read graphs and classes from a TU folder or a DGL ``.bin``.

    A ``.bin`` holds classes of graphs in its labels, or classes of nodes in ``ndata`` under
    ``node_label`` ("label" by default); ``task`` chooses where it has both. Masks ``train_mask``,
    ``val_mask`` and ``test_mask`` are its split.
    ``class_names`` says what classes are called, by their code: a mapping, or a file.
    The options ``directed``, ``relation`` and ``label_names`` of ``reading`` are those of
    ``read_graph``.
    """
    path = Path(path)
    if task is not None:
        check_choice("task", task, TASKS)
    if node_label is not None and task == "graph":
        raise InputError("node_label is for task 'node', got task 'graph'.")
    task = "node" if node_label is not None else task
    if path.is_dir() and not is_graph_folder(path):
        data = _read_tu(path, task, features, reading)
    elif path.suffix.lower() == ".bin" or not path.exists():
        data = _read_dgl(path, task, features, node_label or "label", reading)
    else:
        raise InputError(f"{path.name}: classes are read from a TU folder or a DGL .bin.")
    if data.num_classes < 2:
        raise InputError(f"{path.name}: there must be at least 2 classes, got 1.")
    if class_names is not None:
        called = name_classes(GraphClasses(data.labels, data.class_names), class_names)
        data = dataclasses.replace(data, class_names=called.names)
    if data.graph.weights is not None:
        log.info("edge weights: not used")
        data = dataclasses.replace(data, graph=dataclasses.replace(data.graph, weights=None))
    return data


def _read_tu(
    folder: Path, task: str | None, features: Sequence[str] | None, reading: dict[str, Any]
) -> LabelledData:
    if task == "node":
        raise InputError(
            f"{folder.name}: a TU folder has classes of graphs (its node labels are features); "
            "task must be 'graph'."
        )
    graph = read_graph(folder, features=features, **reading)
    labels, names = _as_classes("graph labels", read_tu_classes(folder))
    return LabelledData(graph, labels, "graph", names)


def _read_dgl(
    path: Path,
    task: str | None,
    features: Sequence[str] | None,
    node_label: str,
    reading: dict[str, Any],
) -> LabelledData:
    graph = read_graph(path, features=features, **reading)
    with named(path):
        columns = read_dgl_columns(path)
        of_graphs = columns.classes
        of_nodes = columns.node_data.get(node_label)
        task = _infer_task(of_graphs, of_nodes) if task is None else task
        if task == "graph":
            labels, name, where, table = of_graphs, "labels", "labels", columns.graph_labels
        else:
            labels, name, where, table = of_nodes, node_label, "ndata", columns.node_data
        if labels is None:
            raise InputError(
                f"there is no {name!r} with a class for each {task}; "
                f"its {where} are {listed(sorted(table)) or 'none'}."
            )
        classes, names = _as_classes(name, labels)
        return LabelledData(graph, classes, task, names, _read_masks(table, len(classes)))


def _infer_task(of_graphs: np.ndarray | None, of_nodes: np.ndarray | None) -> str:
    if of_graphs is not None and of_nodes is not None:
        raise InputError("both its graphs and its nodes have classes; task must say which.")
    if of_graphs is None and of_nodes is None:
        raise InputError(
            "it has no classes: neither labels of graphs nor 'label' in ndata; name the node data "
            "that holds them with node_label."
        )
    return "node" if of_graphs is None else "graph"


def _as_classes(name: str, codes: np.ndarray) -> GraphClasses:
    """Whole numbers of any type as classes 0 … C - 1, in ascending order, called by their code."""
    if codes.size != len(codes):
        raise InputError(f"{name} must have one class a row, got the shape {codes.shape}.")
    codes = codes.reshape(-1)
    if not (np.isfinite(codes).all() and (codes == np.round(codes)).all()):
        raise InputError(f"{name} must be whole numbers.")
    known, labels = np.unique(codes, return_inverse=True)
    names = tuple(str(code) for code in known.astype(np.int64).tolist())
    return GraphClasses(labels.astype(np.int64), names)


def _read_masks(table: Mapping[str, np.ndarray], num_rows: int) -> Split | None:
    """The split of ``train_mask``, ``val_mask`` and ``test_mask``, if all are there."""
    masks = [table[name] for name in _MASKS if name in table]
    if len(masks) < len(PARTS):
        if masks:
            log.info("split: drawn at random, since one of %s is missing", listed(_MASKS))
        return None
    for name, mask in zip(_MASKS, masks, strict=True):
        if len(mask) != num_rows:
            raise InputError(f"{name} must have {num_rows} rows, as the classes, got {len(mask)}.")
    # a file with several splits has one per column
    masks = [mask.reshape(len(mask), -1) for mask in masks]
    if masks[0].shape[1] > 1:
        log.info("split: the first of the %d in the file", masks[0].shape[1])
    return check_split(Split(*(np.flatnonzero(mask[:, 0]) for mask in masks)))


def stratified_split(
    labels: np.ndarray, shares: Sequence[float] = (0.8, 0.1, 0.1), seed: int = 0
) -> Split:
    """Split each class at random in the same three shares, which sum to at most 1."""
    check_int("seed", seed, 0)
    if len(shares) != 3:
        raise InputError(f"split must be three shares such as 0.8,0.1,0.1, got {len(shares)}.")
    for share in shares:
        check_float("split", share, 0.0, 1.0, open_minimum=True)
    if sum(shares) > 1 + 1e-9:
        raise InputError(f"split must sum to at most 1, got {sum(shares):g}.")
    rng = np.random.default_rng(seed)
    ends = np.cumsum(shares)
    parts: tuple[list[np.ndarray], ...] = ([], [], [])
    for label in np.unique(labels):
        rows = rng.permutation(np.flatnonzero(labels == label))
        borders = [round(end * len(rows)) for end in ends]
        for part, piece in zip(parts, np.split(rows, borders)[:3], strict=True):
            part.append(piece)
    return check_split(Split(*(np.sort(np.concatenate(part)) for part in parts)))


def resolve_split(
    labels: np.ndarray, given: Split | None, shares: tuple[float, ...] | None, seed: int
) -> tuple[Split, tuple[float, ...] | None]:
    """The split of the data, or one in these shares or the usual ones, and the shares it has."""
    if shares is None and given is not None:
        return given, None
    shares = _SHARES if shares is None else shares
    return stratified_split(labels, shares, seed), shares


def check_split(split: Split) -> Split:
    """Return a split whose parts are disjoint and not empty; refuse any other."""
    for name, part in zip(PARTS, split, strict=True):
        if len(part) == 0:
            raise InputError(f"split leaves nothing for {name}; give it a larger share.")
    if len(np.unique(np.concatenate(split))) < sum(map(len, split)):
        raise InputError("the parts of a split must not share members, and two of them do.")
    return split


def baseline_of(data: LabelledData, split: Split) -> dict[str, Any]:
    """The name of the most frequent class in training, and its share of each part."""
    most = int(np.bincount(data.labels[split.train]).argmax())
    parts = zip(PARTS, split, strict=True)
    shares = {name: float((data.labels[part] == most).mean()) for name, part in parts}
    return {"answer": data.class_names[most], "accuracy": shares}


def summarize(data: LabelledData) -> dict[str, Any]:
    """Sizes of a data set, by which a run recognises it."""
    graph = data.graph
    return {
        "task": data.task,
        "num_graphs": graph.num_graphs,
        "num_nodes": graph.num_nodes,
        "num_edges": graph.num_edges,
        "num_features": graph.features.shape[1],
        "num_classes": data.num_classes,
    }
