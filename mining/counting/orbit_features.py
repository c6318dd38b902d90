"""Counts at orbits as a transformer of scikit-learn: features of graphs, or of nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gomkcn.mining.counting.graphlets import NUM_ORBITS
from gomkcn.mining.counting.pattern_counts import LEVELS
from gomkcn.mining.counting.structure_census import orbit_counts
from gomkcn.mining.structures.graph_estimator import GraphEstimator
from gomkcn_dgl.checks import check_choice, check_int
from gomkcn_dgl.graph import as_unweighted

if TYPE_CHECKING:
    from sklearn.utils import Tags


class OrbitCounts(GraphEstimator):
    """Turns graphs into rows of numbers, one for each orbit of :func:`gomkcn.orbit_counts`.

    Parameters
    ----------
    size : {4, 5}
        Nodes of the largest structures: 15 or 73 orbits.
    level : {"graph", "node"}
        What a sample is: a graph, whose row is the mean over its nodes, or a node of all graphs.

    Examples
    --------
    >>> import networkx as nx
    >>> counts = OrbitCounts(size=4).fit_transform([nx.cycle_graph(5), nx.star_graph(3)])
    >>> counts.shape, counts[:, 0].tolist()
    ((2, 15), [2.0, 1.5])
    """

    def __init__(self, size: int = 5, level: str = "graph") -> None:
        self.size = size
        self.level = level

    def fit(self, graph: Any, y: object = None) -> OrbitCounts:
        """Check the parameters; nothing is learnt."""
        check_int("size", self.size, 4, 5)
        check_choice("level", self.level, LEVELS)
        return self

    def transform(self, graph: Any) -> np.ndarray:
        """Return a row for each graph or each node, float64 ``[G, 73]`` or ``[V, 73]``.

        ``graph`` is anything :func:`gomkcn.as_csr` takes.
        """
        self.fit(graph)
        csr = as_unweighted(graph)
        counts = orbit_counts(csr, self.size).astype(np.float64)
        if self.level == "node":
            return counts
        sums = np.add.reduceat(counts, csr.graph_ptr[:-1], axis=0)
        means: np.ndarray = sums / np.diff(csr.graph_ptr)[:, None]
        return means

    def get_feature_names_out(self, input_features: object = None) -> np.ndarray:
        """Return "orbit0" and so on, the names of the columns of :meth:`transform`."""
        return np.array([f"orbit{k}" for k in range(NUM_ORBITS[self.size])], dtype=object)

    def __sklearn_tags__(self) -> Tags:
        """Nothing is fitted."""
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags
