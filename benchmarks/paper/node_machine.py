"""Nodes → classes by a support vector machine over the kernel of their rooted subgraphs."""

from __future__ import annotations

import functools

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.svm import SVC

from gomkcn_dgl import GOMKKernel, SubgraphSettings, extract_subgraphs
from gomkcn_dgl.csr import CSRGraph, csr_from_edges
from gomkcn_dgl.gram import gomk_gram
from paper.data import NodeData, Split
from paper.protocol import Family, Params, TrialOutcome

# columns that the features of nodes are brought to, which takes no class
_WIDTH = 32
_GAMMAS = (None, 3.0, 10.0)
_COSTS = (1.0, 10.0, 100.0)
_GRID = {"num_levels": [1, 2], "tau": [0.1, 0.3, 1.0], "max_nodes": [8, 16]}


def _rooted_graphs(data: NodeData, max_nodes: int) -> list[CSRGraph]:
    """The subgraph of each node within one hop, root first."""
    features = data.graph.features
    if features.shape[1] > _WIDTH:
        features = TruncatedSVD(_WIDTH, random_state=0).fit_transform(features)
    features = features / (np.sqrt((features**2).mean(axis=0)) + 1e-12)
    subgraphs = extract_subgraphs(data.graph, SubgraphSettings(num_hops=1, max_nodes=max_nodes))
    graphs = []
    adjacency = subgraphs.adjacency() > 0
    for joined, nodes, size in zip(adjacency, subgraphs.nodes, subgraphs.num_nodes, strict=True):
        edges = np.argwhere(np.triu(joined)).T
        own = features[nodes[:size]].astype(np.float32)
        graphs.append(csr_from_edges(*edges, size, features=own))
    return graphs


@functools.lru_cache(maxsize=1)
def _gram(data: NodeData, num_levels: int, tau: float, max_nodes: int) -> np.ndarray:
    """Kernel of all nodes with each other, float32 ``[V, V]``; roots match roots."""
    kernel = GOMKKernel(num_levels, tau, aggregation="mean", anchor_root=True, padding="mask")
    graphs = _rooted_graphs(data, max_nodes)
    return gomk_gram(graphs, kernel=kernel, dtype="float32").astype(np.float32)


def _trial(data: NodeData, split: Split, params: Params, seed: int) -> TrialOutcome:
    """Learn from the training part; gamma and C are those of the best validation."""
    gram = _gram(data, **params)
    best, machine, sharp = -1.0, SVC(), gram
    for gamma in _GAMMAS:
        values = gram if gamma is None else np.exp(gamma * (gram - 1))
        for cost in _COSTS:
            learnt = SVC(C=cost, kernel="precomputed", random_state=seed)
            learnt.fit(values[np.ix_(split.train, split.train)], data.labels[split.train])
            accuracy = _accuracy(learnt, values, data, split, split.val)
            if accuracy > best:
                best, machine, sharp = accuracy, learnt, values
    return TrialOutcome(best, None, _accuracy(machine, sharp, data, split, split.test), 1, 1)


def _accuracy(
    machine: SVC, values: np.ndarray, data: NodeData, split: Split, rows: np.ndarray
) -> float:
    predicted = machine.predict(values[np.ix_(rows, split.train)])
    return float((predicted == data.labels[rows]).mean())


NODE_MACHINE = Family("GOMK node machine", _GRID, _trial)
