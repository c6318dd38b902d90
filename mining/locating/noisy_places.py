"""The places of a pattern of which few copies are intact: the subgraphs most similar to it."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.node_mapping import map_nodes
from mining.structures.subgraph_source import SubgraphSource


def list_noisy_places(
    source: SubgraphSource, graph: CSRGraph, pattern: DiscreteFilters, roots: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Places of a pattern around some roots: graph nodes int32 ``[K, M]``, and similarity ``[K]``.

    Of those that share more than half of their nodes only the most similar one is listed; -1 stands
    for a pattern node without a graph node.
    """
    size = pattern.num_nodes[0]
    pattern = pattern.trimmed(size)
    if not len(roots):
        return np.empty((0, size), np.int32), np.empty(0, np.float32)
    subgraphs = source.resized(size).subgraphs_around(graph, roots)
    similarity = subgraphs.similarity(pattern)[:, 0]
    rows = without_overlaps(subgraphs.batch.nodes, similarity)
    mapping = map_nodes(subgraphs, rows, pattern)
    nodes = np.full((len(rows), size), -1, np.int32)
    row, node = np.nonzero(mapping >= 0)
    nodes[row, mapping[row, node]] = subgraphs.batch.nodes[rows[row], node]
    return nodes, similarity[rows]


def without_overlaps(node_sets: np.ndarray, similarity: np.ndarray) -> np.ndarray:
    """Of the sets ``[K, N]`` that share more than half of their nodes, the most similar one.

    The subgraphs around the nodes of one inexact copy seldom have the same nodes. Returns rows, the
    most similar first.
    """
    selected: list[int] = []
    selected_at: dict[int, list[int]] = defaultdict(list)
    nodes_of: dict[int, set[int]] = {}
    degree = np.bincount(node_sets[node_sets >= 0], minlength=1)
    for row in np.argsort(-similarity, kind="stable").tolist():
        nodes = node_sets[row]
        nodes = nodes[nodes >= 0]
        size, own = len(nodes), set(nodes.tolist())
        # a selected row that shares more than half of these nodes shares one of the rarer half as
        # well, so that only the rows at those nodes need to be compared
        rarer = nodes[np.argsort(degree[nodes], kind="stable")][: size - size // 2].tolist()
        candidates = {other for node in rarer for other in selected_at[node]}
        if any(2 * len(own & nodes_of[other]) > size for other in candidates):
            continue
        selected.append(row)
        nodes_of[row] = own
        for node in own:
            selected_at[node].append(row)
    return np.array(selected, np.int64)
