"""What null models that permute need beside the graph: weights of edges, groups of nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gomkcn.mining.significance.permutations import node_groups
from gomkcn.mining.structures.edge_weights import EdgeWeights
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import EdgeTable
from gomkcn_dgl.node_order import NodeOrder


@dataclass(frozen=True, eq=False)
class Annotations:
    """Weights of the edges of a graph, and groups of nodes within which categories are permuted.

    Attributes
    ----------
    weights : EdgeWeights or None
    within : numpy.ndarray or None
        int64 ``[V]``, the group of each node.
    name : str
        What the groups are called.
    """

    weights: EdgeWeights | None = None
    within: np.ndarray | None = None
    name: str = ""

    @classmethod
    def of(
        cls,
        graph: CSRGraph,
        attributes: Mapping[str, Any],
        edges: EdgeTable | None,
        weight: str | None,
        within: str | None,
    ) -> Annotations:
        """Those that two columns hold, of a graph that was read with its attributes."""
        weights = None
        if weight is not None:
            if edges is None:
                raise InputError("weight", "needs edges with attributes", got=repr(weight))
            weights = EdgeWeights.of(graph, edges, weight)
        groups = None if within is None else node_groups(graph, within, attributes)
        return cls(weights, groups, within or "")

    def ordered(self, order: NodeOrder) -> Annotations:
        """The same of the graph in an order of its own."""
        weights = None if self.weights is None else self.weights.ordered(order)
        within = None if self.within is None else self.within[order.nodes]
        return replace(self, weights=weights, within=within)

    @property
    def arrays(self) -> list[np.ndarray]:
        """What decides a result."""
        found = [] if self.weights is None else [self.weights.values]
        return found if self.within is None else [*found, self.within]

    @property
    def notes(self) -> tuple[str, ...]:
        """What was made of the weights, a phrase each."""
        return () if self.weights is None else self.weights.notes


NO_ANNOTATIONS = Annotations()
