"""The data sets of the paper, their features and their splits, as CSRGraphs."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from inputs import tu_folder

from gomkcn_dgl import CSRGraph, read_graph
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.reading import read_tu_labels
from gomkcn_dgl.training.splits import Split
from paper.readers import NodeFiles, read_geom_gcn, read_planetoid

_PLANETOID, _GEOM_GCN = ("cora", "citeseer", "pubmed"), ("chameleon", "squirrel", "actor")
_FILTERED = "_filtered"
NODE_DATA = ("cora", "citeseer", "chameleon", "squirrel", "actor")
FILTERED_DATA = ("chameleon_filtered", "squirrel_filtered")
# folder of the files, and which node features they hold; continuous attributes come first
_TU_FEATURES: dict[str, tuple[str, ...]] = {
    "ENZYMES": ("attributes", "labels"),
    "PROTEINS_full": ("attributes", "labels"),
    "DD": ("labels",),
}
_TU_NAMES = {"PROTEINS": "PROTEINS_full"}
GRAPH_DATA = ("DD", "PROTEINS", "ENZYMES", "IMDB-BINARY", "IMDB-MULTI", "REDDIT-BINARY")


@dataclass(frozen=True, eq=False)
class NodeData:
    """One graph whose nodes are classified.

    Attributes
    ----------
    name : str
        As in the experiment's .toml.
    graph : CSRGraph
        Undirected, simple; features float32 ``[V, D]``. Rows of Cora and Citeseer sum to 1 (or 0);
        the others are 0 and 1 as in the files (on validation nodes of Chameleon, GCN and GraphSAGE
        did better with them).
    labels : numpy.ndarray
        int64 ``[V]``.
    num_classes : int
        Number of classes.
    splits : list of Split
        Stratified, 60 / 20 / 20.
    device : str
        Where a model should train.
    """

    name: str
    graph: CSRGraph
    labels: np.ndarray
    num_classes: int
    splits: list[Split]
    device: str = "cpu"


@dataclass(frozen=True, eq=False)
class GraphData:
    """Graphs that are classified.

    Attributes
    ----------
    name : str
        As in the experiment's .toml.
    graph : CSRGraph
        The collection; features float32 ``[V, D]`` as in the files, continuous columns first.
    labels : numpy.ndarray
        int64 ``[G]``.
    num_classes : int
        Number of classes.
    splits : list of Split
        Ten folds, with the inner validation part.
    num_continuous : int
        How many columns are continuous; the others are one-hot.
    node_labels : numpy.ndarray
        int64 ``[V]`` what a kernel on labelled graphs sees: node labels, or degrees without them.
    device : str
        Where a model should train.
    """

    name: str
    graph: CSRGraph
    labels: np.ndarray
    num_classes: int
    splits: list[Split]
    num_continuous: int
    node_labels: np.ndarray
    device: str = "cpu"

    def split_features(self, split: Split) -> np.ndarray:
        """Features ``[V, D]``; continuous columns standardised over the training graphs' nodes."""
        features, count = self.graph.features, self.num_continuous
        if count == 0:
            return features
        owner = self.graph.graph_of(np.arange(self.graph.num_nodes))
        seen = features[np.isin(owner, split.train), :count].astype(np.float64)
        spread = seen.std(axis=0)
        features = features.copy()
        features[:, :count] -= seen.mean(axis=0).astype(np.float32)
        features[:, :count] /= np.where(spread > 0, spread, 1).astype(np.float32)
        return features


def load_node_data(name: str, data_folder: Path) -> NodeData:
    """Load a node classification set.

    ``chameleon_filtered`` and ``squirrel_filtered`` are without duplicated nodes, by the rule of
    :func:`distinct_nodes`.
    """
    files = read_node_files(name.removesuffix(_FILTERED), data_folder)
    if not files.known.all():
        raise InputError(
            f"{name} cannot be used: the features of {int((~files.known).sum())} of its "
            f"{len(files.known)} nodes are not in the folder (ind.{name}.allx is missing)."
        )
    if name.endswith(_FILTERED):
        files = _keep_nodes(files, distinct_nodes(files))
    graph = csr_from_edges(
        files.edges[:, 0],
        files.edges[:, 1],
        len(files.labels),
        features=_rows_to_one(files.features) if name in _PLANETOID else files.features,
    )
    classes = int(files.labels.max()) + 1
    return NodeData(name, graph, files.labels, classes, stratified_splits(files.labels))


def read_node_files(name: str, data_folder: Path) -> NodeFiles:
    """Read the files of a set as they are, Pubmed's incomplete ones too."""
    if name not in _PLANETOID + _GEOM_GCN:
        raise InputError(
            f"name must be one of {', '.join((*NODE_DATA, *FILTERED_DATA))}, got {name!r}."
        )
    folder = next(iter(sorted(data_folder.glob(f"{name}_*"))), None)
    if folder is None:
        raise InputError(f"{data_folder} must hold a folder {name}_*, got none.")
    return read_planetoid(folder) if name in _PLANETOID else read_geom_gcn(folder)


def distinct_nodes(files: NodeFiles) -> np.ndarray:
    """Return the nodes that are left when duplicates go, int64, ascending.

    Platonov et al. (ICLR 2023) found that Chameleon and Squirrel hold many articles with the same
    links and the same number of visits, and removed them: 890 and 2,223 nodes, 8,854 and 46,998
    edges are left. Visits are not in these files, only the five classes made from them. The rule
    here: of the nodes with the same set of outgoing links and the same class, those stay that have
    an incoming link, or the first one if none has. That leaves 881 and 2,218 nodes, 8,482 and
    46,837 edges.
    """
    links: list[set[int]] = [set() for _ in files.labels]
    for source, target in files.edges.tolist():
        links[source].add(target)
    is_linked = np.bincount(files.edges[:, 1], minlength=len(files.labels)) > 0
    alike: dict[tuple[int, frozenset[int]], list[int]] = {}
    for node, label in enumerate(files.labels.tolist()):
        alike.setdefault((label, frozenset(links[node])), []).append(node)
    kept: list[int] = []
    for nodes in alike.values():
        kept += [node for node in nodes if is_linked[node]] or nodes[:1]
    return np.array(sorted(kept))


def _keep_nodes(files: NodeFiles, kept: np.ndarray) -> NodeFiles:
    """The subgraph on the kept nodes, renumbered."""
    new_id = np.full(len(files.labels), -1)
    new_id[kept] = np.arange(len(kept))
    edges = new_id[files.edges]
    edges = edges[(edges >= 0).all(axis=1)]
    return NodeFiles(edges, files.features[kept], files.labels[kept], files.known[kept])


def _rows_to_one(features: np.ndarray) -> np.ndarray:
    sums = features.sum(axis=1, keepdims=True)
    return features / np.where(sums == 0, 1, sums)


def stratified_splits(labels: np.ndarray, seed: int = 0, num_splits: int = 10) -> list[Split]:
    """Split each class 60 / 20 / 20, anew for each of the splits; split ``i`` depends on no other.

    Examples
    --------
    >>> [part.tolist() for part in stratified_splits(np.zeros(5, int), num_splits=1)[0]]
    [[1, 2, 4], [0], [3]]
    """
    splits = []
    for number in range(num_splits):
        rng = np.random.default_rng((seed, number))
        parts: tuple[list[np.ndarray], ...] = ([], [], [])
        for label in np.unique(labels):
            rows = rng.permutation(np.flatnonzero(labels == label))
            ends = [round(0.6 * len(rows)), round(0.6 * len(rows)) + round(0.2 * len(rows))]
            for part, piece in zip(parts, np.split(rows, ends), strict=True):
                part.append(piece)
        splits.append(Split(*(np.sort(np.concatenate(part)) for part in parts)))
    return splits


def load_graph_data(name: str, data_folder: Path) -> GraphData:
    """Load a graph classification set with its published folds.

    ENZYMES and PROTEINS (``PROTEINS_full``): attributes and one-hot labels; DD: one-hot labels;
    IMDB: one-hot degree; REDDIT: log(1 + x) of a local degree profile (a node's degree; smallest,
    largest, mean and standard deviation of its neighbours' degrees).
    """
    if name not in GRAPH_DATA:
        raise InputError(f"name must be one of {', '.join(GRAPH_DATA)}, got {name!r}.")
    file_name = _TU_NAMES.get(name, name)
    folder = tu_folder(data_folder, file_name)
    if folder is None:
        raise InputError(f"{data_folder} must hold a folder {file_name}_*, got none.")
    kinds = _TU_FEATURES.get(file_name)
    graph = read_graph(folder, features=kinds)
    classes = read_tu_labels(folder)
    if kinds is None:
        make = _degree_profile if name.startswith("REDDIT") else _one_hot_degree
        graph, continuous = make(graph)
        node_labels = graph.degrees
    else:
        one_hot = [label.startswith("label") for label in graph.feature_names]
        continuous = one_hot.index(True)
        node_labels = graph.features[:, continuous:].argmax(axis=1)
    folds = _read_folds(data_folder / "splits" / f"{file_name}_splits.json")
    num_classes = int(classes.max()) + 1
    return GraphData(name, graph, classes, num_classes, folds, continuous, node_labels)


def _read_folds(path: Path) -> list[Split]:
    folds = []
    for fold in json.loads(path.read_text(encoding="utf-8")):
        inner = fold["model_selection"][0]
        parts = (inner["train"], inner["validation"], fold["test"])
        folds.append(Split(*(np.array(part, dtype=np.int64) for part in parts)))
    return folds


def _with_features(graph: CSRGraph, features: np.ndarray, names: list[str]) -> CSRGraph:
    return dataclasses.replace(graph, features=features, feature_names=tuple(names))


def _one_hot_degree(graph: CSRGraph) -> tuple[CSRGraph, int]:
    features = np.eye(int(graph.degrees.max()) + 1, dtype=np.float32)[graph.degrees]
    return _with_features(graph, features, [f"degree={d}" for d in range(features.shape[1])]), 0


def _degree_profile(graph: CSRGraph) -> tuple[CSRGraph, int]:
    """Cai and Wang, "A simple yet effective baseline", 2018, section 3."""
    degrees = graph.degrees.astype(np.float64)
    seen = degrees[graph.indices]
    filled = graph.degrees > 0
    profile = np.zeros((graph.num_nodes, 5))
    profile[:, 0] = degrees
    starts = graph.indptr[:-1][filled]
    profile[filled, 1] = np.minimum.reduceat(seen, starts)
    profile[filled, 2] = np.maximum.reduceat(seen, starts)
    profile[filled, 3] = np.add.reduceat(seen, starts) / degrees[filled]
    squares = np.add.reduceat(seen**2, starts) / degrees[filled]
    profile[filled, 4] = np.sqrt(np.maximum(squares - profile[filled, 3] ** 2, 0))
    names = ["degree", "smallest", "largest", "mean", "deviation"]
    return _with_features(graph, np.log1p(profile).astype(np.float32), names), len(names)
