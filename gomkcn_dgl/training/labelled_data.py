"""Graphs, or nodes, whose classes are known, read from files, and their three parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gomkcn_dgl.checks import RandomState, as_seed, check_float
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graph_content import NONE
from gomkcn_dgl.io.features import LabelNames
from gomkcn_dgl.io.graph_classes import read_graph_classes, read_node_classes
from gomkcn_dgl.io.molecules import CLASS_COLUMNS
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.runtime.files import as_path, listed

PARTS = ("train", "val", "test")
# of all graphs in each part, as in section VI-C of the paper
SHARES = (0.8, 0.1, 0.1)


class Split(NamedTuple):
    """Numbers of the graphs or nodes of the three parts, int64 each, disjoint."""

    train: np.ndarray
    val: np.ndarray
    test: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class LabelledData:
    """A collection of unweighted graphs with their classes, or a graph with those of its nodes.

    Attributes
    ----------
    graph : CSRGraph
        The collection, which scikit-learn divides as a list of graphs, without those that have no
        class; or the graph.
    labels : numpy.ndarray
        int64 ``[G]``, a class 0 … C - 1 for each graph; or, where ``of_nodes`` is set, ``[V]`` for
        each node, -1 for one whose class is not known.
    class_names : tuple of str
        What the classes are called: class k of ``labels``, and of what is learnt from them, is
        ``class_names[k]``. ``np.array(data.class_names)[data.labels]`` are names to learn from.
    of_nodes : bool
        Whether nodes have the classes.
    """

    graph: CSRGraph
    labels: np.ndarray
    class_names: tuple[str, ...]
    of_nodes: bool = False

    def __repr__(self) -> str:
        return (
            f"LabelledData({self.graph!r}, classes of {self.members}: {listed(self.class_names)})"
        )

    @property
    def num_classes(self) -> int:
        """Number of classes."""
        return len(self.class_names)

    @property
    def members(self) -> str:
        """What has the classes, in a word: ``"graphs"`` or ``"nodes"``."""
        return "nodes" if self.of_nodes else "graphs"


def read_labelled(
    path: str | Path,
    *,
    nodes: bool = False,
    class_names: LabelNames | None = None,
    class_column: str | None = None,
    threshold: str | float | None = None,
    **reading: Any,
) -> LabelledData:
    """Read graphs and their classes from a TU folder, a DGL ``.bin`` or a file of molecules.

    Parameters
    ----------
    path : str or path
        The file or folder.
    nodes : bool
        Read any graph and the classes of its nodes: an attribute of nodes, or a column of the
        feature file.
    class_names : dict or path, optional
        What the classes are called, by their labels.
    class_column : str, optional
        The column of the classes, of molecules or nodes.
    threshold : str, optional
        Makes classes of numbers of graphs, see
        :func:`gomkcn_dgl.io.graph_classes.classes_of_numbers`.
    **reading : Any
        Options of :func:`gomkcn.read_graph`.

    Returns
    -------
    LabelledData
        The graphs and their classes.

    Raises
    ------
    InputError
        Where there are no classes, or fewer than two.

    Examples
    --------
    ``data = read_labelled("MUTAG")``, then ``cross_val_score(GOMKClassifier(), data.graph,
    data.labels)``.
    """
    name = as_path("path", path).name
    reading["weight"] = NONE
    if nodes:
        if threshold is not None:
            way_out = ("leave ", Argument("nodes"), " out")
            raise InputError("threshold", "is for the classes of graphs", way_out=way_out)
        graph, classes = read_node_classes(path, class_names, class_column=class_column, **reading)
        missing = InputError(
            "its nodes have no classes; an attribute of nodes, or a column of the feature file, "
            "called class, label, labels or y may hold some",
            way_out=(Argument("class_column"), " names another"),
            place=name,
        )
    else:
        graph = read_graph(path, **reading)
        known = ("format", "smiles", "skip_invalid")
        options = {name: reading[name] for name in known if name in reading}
        classes = read_graph_classes(
            path,
            class_names,
            class_column=class_column,
            threshold=threshold,
            needed=True,
            **options,
        )
        missing = InputError(
            "its graphs have no classes; those of a TU folder, a DGL .bin, or a table of molecules "
            f"with a column {', '.join(CLASS_COLUMNS[:-1])} or {CLASS_COLUMNS[-1]} may have some",
            way_out=(
                Argument("class_column"),
                " names another, and ",
                Argument("nodes", True),
                " reads classes of the nodes of a graph",
            ),
            place=name,
        )
    if classes is None:
        raise missing
    labels = classes.labels
    has_class = labels >= 0
    if not (nodes or has_class.all()):
        # nothing is learnt from a graph without a class
        graph = as_csr(graph[has_class])
        labels = labels[has_class]
    return LabelledData(graph, labels, classes.names, nodes)


def stratified_split(
    labels: np.ndarray, shares: Sequence[float] = SHARES, seed: RandomState = 0
) -> Split:
    """Split each class at random in the same three shares, which sum to at most 1.

    What has the label -1 is in no part.
    """
    if len(shares) != 3:
        raise InputError("split", "must be three shares such as 0.8,0.1,0.1", got=len(shares))
    for share in shares:
        check_float("split", share, 0.0, 1.0, open_minimum=True)
    if sum(shares) > 1 + 1e-9:
        raise InputError("split", "must sum to at most 1", got=f"{sum(shares):g}")
    rng = np.random.default_rng(as_seed("seed", seed))
    ends = np.cumsum(shares)
    parts: tuple[list[np.ndarray], ...] = ([], [], [])
    for label in np.unique(labels[labels >= 0]):
        rows = rng.permutation(np.flatnonzero(labels == label))
        borders = [round(end * len(rows)) for end in ends]
        for part, piece in zip(parts, np.split(rows, borders)[:3], strict=True):
            part.append(piece)
    split = Split(*(np.sort(np.concatenate(part)) for part in parts))
    for name, rows in zip(PARTS, split, strict=True):
        if len(rows) == 0:
            raise InputError(
                "split", f"leaves nothing for {name}", way_out="give it a larger share"
            )
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
        "num_graphs": graph.num_graphs,
        "num_nodes": graph.num_nodes,
        "num_edges": graph.num_edges,
        "num_features": graph.features.shape[1],
        "num_classes": data.num_classes,
    }
