"""The labels of nodes, such as chemical elements, and what filters show of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.metrics import pairwise_distances_argmin

from gomkcn_dgl.csr import CSRGraph
from mining.descriptions.feature_background import FeatureBackground


@dataclass(frozen=True, eq=False)
class NodeLabels:
    """What labels are called, the most frequent first, and the label of each node.

    ``codes`` is int64 ``[V]``; without labels there are no names and no codes.
    """

    names: tuple[str, ...]
    codes: np.ndarray

    @classmethod
    def find(cls, graph: CSRGraph) -> NodeLabels:
        """The first group of columns of which each node has exactly one.

        >>> from gomkcn_dgl.csr import csr_from_edges
        >>> graph = csr_from_edges([0, 1], [1, 2], 3, features=np.eye(2)[[0, 1, 1]],
        ...                        feature_names=["label=C", "label=N"])
        >>> NodeLabels.find(graph).names
        ('nitrogen', 'carbon')
        """
        background = FeatureBackground.fit(graph)
        if not background.label_groups:
            return cls((), np.zeros(0, np.int64))
        values = graph.features[:, list(background.label_groups[0])]
        order = np.argsort(-values.sum(axis=0), kind="stable")
        names = background.label_names()
        return cls(tuple(names[i] for i in order), values[:, order].argmax(axis=1))

    def of(self, nodes: np.ndarray) -> tuple[int, ...]:
        """Numbers of the labels of some nodes; empty without labels."""
        return tuple(self.codes[nodes].tolist()) if self.names else ()

    def nearest(self, features: np.ndarray, seen: np.ndarray) -> tuple[int, ...]:
        """For each node of a filter the label whose nodes have the nearest mean features.

        ``features [M, D]`` are those of the filter, ``seen [V, D]`` those of the graph, as a filter
        sees them; empty without labels.
        """
        if not self.names:
            return ()
        known = np.unique(self.codes)
        means = np.stack([seen[self.codes == code].mean(axis=0) for code in known])
        return tuple(known[pairwise_distances_argmin(features, means)].tolist())
