"""Instances of a structure: the different sets of nodes that subgraphs around roots show it at."""

from __future__ import annotations

import numpy as np

from gomkcn.mining.structures.pattern import OccurrenceCount
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.subgraphs import SubgraphSettings, extract_subgraphs


def choose_disjoint(node_sets: np.ndarray, most: int | None = None) -> list[int]:
    """Rows of ``node_sets [I, M]`` that share no node, taken in their order, at most ``most``.

    >>> choose_disjoint(np.array([[0, 1], [1, 2], [2, 3]]))
    [0, 2]
    """
    used: set[int] = set()
    chosen: list[int] = []
    for number, nodes in enumerate(node_sets.tolist()):
        if used.isdisjoint(nodes):
            used.update(nodes)
            chosen.append(number)
            if len(chosen) == most:
                break
    return chosen


def count_instances(
    graph: CSRGraph,
    settings: SubgraphSettings,
    node_sets: np.ndarray,
    hits: np.ndarray,
    drawn: int,
) -> OccurrenceCount:
    """How many instances a structure has, from the roots that were drawn.

    Of a sample each root that shows an instance stands for the roots that were not drawn, and an
    instance that k roots show is found k times as often: a root counts 1 / k (D. G. Horvitz and D.
    J. Thompson, 1952). The interval is that of the number of roots, see
    :meth:`OccurrenceCount.of_sample`, times the mean of 1 / k.

    Parameters
    ----------
    graph : CSRGraph
    settings : SubgraphSettings
        How the subgraphs are taken.
    node_sets : numpy.ndarray
        int ``[I, M]``: the different node sets that were found.
    hits : numpy.ndarray
        int ``[I]``, how many of the roots that were drawn show each of them.
    drawn : int
        Roots that were drawn, of all nodes of the graph.
    """
    if drawn == graph.num_nodes:
        return OccurrenceCount.exact(len(node_sets))
    roots = OccurrenceCount.of_sample(int(hits.sum()), drawn, graph.num_nodes)
    if not len(node_sets):
        return roots
    share = float((hits / _roots_of(graph, settings, node_sets)).sum() / hits.sum())
    # those that were seen are there
    value, low, high = (
        max(estimate * share, len(node_sets)) for estimate in (roots.value, roots.low, roots.high)
    )
    return OccurrenceCount(value, low, high, is_exact=False)


def _roots_of(graph: CSRGraph, settings: SubgraphSettings, node_sets: np.ndarray) -> np.ndarray:
    """How many nodes of each set have it as their subgraph, int ``[I]``."""
    batch = extract_subgraphs(graph, settings, node_sets.ravel().astype(np.int64))
    size = node_sets.shape[1]
    node_sets = np.sort(node_sets, axis=1)
    node_rows = np.sort(batch.nodes[:, :size], axis=1)
    is_same = (batch.num_nodes == size) & (node_rows == np.repeat(node_sets, size, axis=0)).all(
        axis=1
    )
    return is_same.reshape(node_sets.shape).sum(axis=1)
