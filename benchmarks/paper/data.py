"""The data sets of the paper, their features and their splits, as CSRGraphs."""

from __future__ import annotations

import dataclasses
import functools
import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from inputs import tu_folder
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from gomkcn_dgl import CSRGraph, read_graph
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.tu_folder import read_tu_classes
from gomkcn_dgl.relations import SIMPLE
from gomkcn_dgl.training.labelled_data import Split

_PLANETOID, _GEOM_GCN = ("cora", "citeseer"), ("chameleon", "squirrel", "actor")
_FILTERED = "_filtered"
NODE_DATA = (*_PLANETOID, *_GEOM_GCN)
FILTERED_DATA = ("chameleon_filtered", "squirrel_filtered")
# links of articles to articles
DIRECTED_DATA = ("chameleon", "squirrel", *FILTERED_DATA)
# folder of the files, and which node features they hold; continuous attributes come first
_TU_FEATURES: dict[str, tuple[str, ...]] = {
    "ENZYMES": ("attributes", "labels"),
    "PROTEINS_full": ("attributes", "labels"),
    "DD": ("labels",),
    "MUTAG": ("labels",),
}
_TU_NAMES = {"PROTEINS": "PROTEINS_full", "MUTAG with bonds": "MUTAG"}
GRAPH_DATA = ("DD", "PROTEINS", "ENZYMES", "IMDB-BINARY", "IMDB-MULTI", "REDDIT-BINARY")
BOND_DATA = ("MUTAG", "MUTAG with bonds")


@dataclass(frozen=True)
class NodeFiles:
    """Contents of the files of a node classification set."""

    # int64 [E, 2] as listed: one or two directions, repeated pairs and self-loops
    edges: np.ndarray
    # float32 [V, D], zeros where there are none
    features: np.ndarray
    # int64 [V]
    labels: np.ndarray


@dataclass(frozen=True, eq=False)
class NodeData:
    """One graph whose V nodes are classified; splits are stratified, 60 / 20 / 20.

    Rows of the features of Cora and Citeseer sum to 1 (or 0); those of the others are 0 and 1 as in
    the files (on validation nodes of Chameleon, GCN and GraphSAGE did better with them).
    """

    name: str
    graph: CSRGraph  # undirected, simple; features float32 [V, D]
    labels: np.ndarray  # int64 [V]
    num_classes: int
    splits: list[Split]
    # the same with directions, where the edges have them
    directed: CSRGraph | None = field(default=None, kw_only=True)


@dataclass(frozen=True, eq=False)
class GraphData(NodeData):
    """G graphs that are classified, in one CSRGraph; labels are those of the graphs, ``[G]``.

    The splits are ten folds with the inner validation part.
    """

    num_continuous: int  # columns of the features, the first ones; the others are one-hot
    # int64 [V], what a kernel on labelled graphs gets: node labels, or degrees without them
    node_labels: np.ndarray

    def split_features(self, split: Split) -> np.ndarray:
        """Features ``[V, D]``; continuous columns standardised over the training graphs' nodes."""
        features, count = self.graph.features, self.num_continuous
        if count == 0:
            return features
        owner = self.graph.graph_of(np.arange(self.graph.num_nodes))
        training = features[np.isin(owner, split.train), :count].astype(np.float64)
        spread = training.std(axis=0)
        features = features.copy()
        features[:, :count] -= training.mean(axis=0).astype(np.float32)
        features[:, :count] /= np.where(spread > 0, spread, 1).astype(np.float32)
        return features


def load_node_data(name: str, data_folder: Path) -> NodeData:
    """Load a node classification set.

    ``chameleon_filtered`` and ``squirrel_filtered`` are without duplicated nodes, by the rule of
    :func:`distinct_nodes`.
    """
    files = read_node_files(name.removesuffix(_FILTERED), data_folder)
    if name.endswith(_FILTERED):
        files = _induced(files, distinct_nodes(files))
    features = _rows_to_one(files.features) if name in _PLANETOID else files.features
    make = functools.partial(csr_from_edges, *files.edges.T, len(files.labels), features=features)
    splits = stratified_splits(files.labels)
    return NodeData(
        name,
        make(),
        files.labels,
        int(files.labels.max()) + 1,
        splits,
        directed=make(directed=True) if name in DIRECTED_DATA else None,
    )


def read_node_files(name: str, data_folder: Path) -> NodeFiles:
    """Read the files of a set as they are."""
    if name not in NODE_DATA:
        raise InputError(
            f"name must be one of {', '.join((*NODE_DATA, *FILTERED_DATA))}, got {name!r}."
        )
    folder = _find_folder(data_folder, name)
    return read_planetoid(folder) if name in _PLANETOID else read_geom_gcn(folder)


def _find_folder(data_folder: Path, name: str) -> Path:
    folder = next(iter(sorted(data_folder.glob(f"{name}_*"))), None)
    if folder is None:
        raise InputError(f"{data_folder} must hold a folder {name}_*, got none.")
    return folder


def read_planetoid(folder: Path) -> NodeFiles:
    """Read ``ind.NAME.{x,allx,…}``; a test node without a row has zero features and class 0."""
    from torch_geometric.io import read_planetoid_data

    (path,) = folder.glob("ind.*.x")
    read = read_planetoid_data(str(folder), path.name[len("ind.") : -len(".x")])
    return NodeFiles(read.edge_index.numpy().T, read.x.numpy(), read.y.numpy())


def read_geom_gcn(folder: Path) -> NodeFiles:
    """Read ``out1_node_feature_label.txt`` and ``out1_graph_edges.txt`` of Geom-GCN.

    Actor lists the columns that are 1; Chameleon and Squirrel list every value.
    """
    lines = (folder / "out1_node_feature_label.txt").read_text(encoding="utf-8").splitlines()[1:]
    rows = sorted((line.split("\t") for line in lines), key=lambda row: int(row[0]))
    values = [np.array(row[1].split(","), dtype=np.int64) for row in rows]
    if len({len(value) for value in values}) == 1:
        features = np.array(values, dtype=np.float32)
    else:
        width = 1 + max(int(value.max()) for value in values)
        features = np.zeros((len(rows), width), dtype=np.float32)
        for row, value in zip(features, values, strict=True):
            row[value] = 1
    labels = np.array([int(row[2]) for row in rows])
    edges = np.loadtxt(folder / "out1_graph_edges.txt", dtype=np.int64, skiprows=1, ndmin=2)
    return NodeFiles(edges, features, labels)


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
    duplicates: dict[tuple[int, frozenset[int]], list[int]] = {}
    for node, label in enumerate(files.labels.tolist()):
        duplicates.setdefault((label, frozenset(links[node])), []).append(node)
    selected: list[int] = []
    for nodes in duplicates.values():
        selected += [node for node in nodes if is_linked[node]] or nodes[:1]
    return np.array(sorted(selected))


def _induced(files: NodeFiles, nodes: np.ndarray) -> NodeFiles:
    """The subgraph on some nodes, renumbered."""
    new_id = np.full(len(files.labels), -1)
    new_id[nodes] = np.arange(len(nodes))
    edges = new_id[files.edges]
    edges = edges[(edges >= 0).all(axis=1)]
    return NodeFiles(edges, files.features[nodes], files.labels[nodes])


def _rows_to_one(features: np.ndarray) -> np.ndarray:
    sums = features.sum(axis=1, keepdims=True)
    return features / np.where(sums == 0, 1, sums)


def stratified_splits(labels: np.ndarray, seed: int = 0, num_splits: int = 10) -> list[Split]:
    """Split each class 60 / 20 / 20; split ``i`` does not depend on the number of splits."""
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
    """Load a graph classification set with its published folds; MUTAG has ten drawn ones.

    ENZYMES and PROTEINS (``PROTEINS_full``): attributes and one-hot labels; DD and MUTAG: one-hot
    labels; IMDB: one-hot degree; REDDIT: a local degree profile. The types of MUTAG's bonds are
    left out but for the set that is named after them.
    """
    known = (*GRAPH_DATA, *BOND_DATA)
    if name not in known:
        raise InputError(f"name must be one of {', '.join(known)}, got {name!r}.")
    file_name = _TU_NAMES.get(name, name)
    folder = tu_folder(data_folder, file_name)
    if folder is None:
        raise InputError(f"{data_folder} must hold a folder {file_name}_*, got none.")
    kinds = _TU_FEATURES.get(file_name)
    graph = read_graph(folder, features=kinds)
    if name == "MUTAG":
        graph = graph.with_relations(SIMPLE)
    classes = np.unique(read_tu_classes(folder), return_inverse=True)[1]
    if kinds is None:
        node_labels = graph.degrees
        if name.startswith("REDDIT"):
            features = _degree_profile(graph)
            continuous = features.shape[1]
        else:
            features = np.eye(int(node_labels.max()) + 1, dtype=np.float32)[node_labels]
            continuous = 0
        names = tuple(f"feature {column}" for column in range(features.shape[1]))
        graph = dataclasses.replace(graph, features=features, feature_names=names)
    else:
        one_hot = [label.startswith("label") for label in graph.feature_names]
        continuous = one_hot.index(True)
        node_labels = graph.features[:, continuous:].argmax(axis=1)
    published = data_folder / "splits" / f"{file_name}_splits.json"
    folds = _drawn_folds(classes) if name in BOND_DATA else _read_folds(published)
    num_classes = int(classes.max()) + 1
    return GraphData(name, graph, classes, num_classes, folds, continuous, node_labels)


def _read_folds(path: Path) -> list[Split]:
    folds = []
    for fold in json.loads(path.read_text(encoding="utf-8")):
        inner = fold["model_selection"][0]
        parts = (inner["train"], inner["validation"], fold["test"])
        folds.append(Split(*(np.array(part, dtype=np.int64) for part in parts)))
    return folds


def _drawn_folds(classes: np.ndarray, num_folds: int = 10) -> list[Split]:
    """Stratified folds for a set without published ones; a tenth of what is left validates."""
    draw = StratifiedKFold(num_folds, shuffle=True, random_state=0)
    folds = []
    for number, (known, test) in enumerate(draw.split(classes, classes)):
        inner = StratifiedShuffleSplit(1, test_size=0.1, random_state=number)
        train, validation = next(inner.split(known, classes[known]))
        folds.append(Split(np.sort(known[train]), np.sort(known[validation]), test))
    return folds


def _degree_profile(graph: CSRGraph) -> np.ndarray:
    """The local degree profile ``[V, 5]`` of Cai and Wang 2018, log(1 + x).

    A node's degree; the smallest, largest, mean and standard deviation of its neighbours' degrees.
    """
    degrees = graph.degrees.astype(np.float64)
    neighbor_degrees = degrees[graph.indices]
    filled = graph.degrees > 0
    profile = np.zeros((graph.num_nodes, 5))
    profile[:, 0] = degrees
    starts = graph.indptr[:-1][filled]
    profile[filled, 1] = np.minimum.reduceat(neighbor_degrees, starts)
    profile[filled, 2] = np.maximum.reduceat(neighbor_degrees, starts)
    profile[filled, 3] = np.add.reduceat(neighbor_degrees, starts) / degrees[filled]
    squares = np.add.reduceat(neighbor_degrees**2, starts) / degrees[filled]
    profile[filled, 4] = np.sqrt(np.maximum(squares - profile[filled, 3] ** 2, 0))
    return np.log1p(profile).astype(np.float32)
