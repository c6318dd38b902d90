"""Tiny generated data in the place of the real sets, for runs that only see whether it works."""

from __future__ import annotations

import numpy as np

from gomkcn.synthetic import PlantingSettings, plant_motifs
from gomkcn.synthetic.base_graphs import barabasi_albert
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graph import as_csr
from paper.data import GraphData, NodeData, stratified_splits

_NUM_BASE_NODES, _COPIES = 40, 6
_NUM_GRAPHS = 36


def tiny_node_data(name: str) -> NodeData:
    """A background graph with six houses and six wheels; the classes are the node types."""
    base = barabasi_albert(_NUM_BASE_NODES, 1, seed=0)
    planted = plant_motifs(
        base,
        _NUM_BASE_NODES,
        {"house6": _COPIES, "wheel": _COPIES},
        PlantingSettings("per_type"),
        seed=0,
    )
    labels = planted.node_type.astype(np.int64)
    classes = int(labels.max()) + 1
    ends, features = (*planted.edges.T, planted.num_nodes), planted.features
    graph = csr_from_edges(*ends, features=features)
    directed = csr_from_edges(*ends, features=features, directed=True)
    return NodeData(name, graph, labels, classes, stratified_splits(labels), directed=directed)


def tiny_graph_data(name: str) -> GraphData:
    """36 cycles of 5 to 7 nodes, half of them with all chords from node 0."""
    parts, classes = [], []
    for number in range(_NUM_GRAPHS):
        label, num_nodes = number % 2, 5 + number % 3
        ring = np.arange(num_nodes)
        edges = np.stack([ring, (ring + 1) % num_nodes])
        if label:
            chords = np.stack([np.zeros(num_nodes - 1, int), ring[1:]])
            edges = np.concatenate([edges, chords], axis=1)
        rng = np.random.default_rng(number)
        features = np.concatenate([rng.random((num_nodes, 2)), np.eye(num_nodes)[:, :2]], axis=1)
        parts.append(csr_from_edges(*edges, num_nodes, features=features.astype(np.float32)))
        classes.append(label)
    graph, labels = as_csr(parts), np.array(classes)
    folds = stratified_splits(labels)
    return GraphData(name, graph, labels, 2, folds, 2, graph.degrees)
