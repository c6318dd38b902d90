"""A block and its copies, by the names of the nodes that the input gives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gomkcn.mining.structures.pattern import LEVEL


@dataclass(frozen=True, eq=False)
class RepeatedBlock:
    """A block of M nodes and its K copies, which share no node.

    Attributes
    ----------
    edges : list of (int, int, int)
        Nodes of the block that are joined, and the number of the relation; a directed edge leads
        from the first to the second.
    kinds : list of tuple of str
        The categories of each node; empty where nodes have none.
    copies : numpy.ndarray
        ``[K, M]``, the input's own id of each node of each copy.
    graphs : numpy.ndarray
        int64 ``[K]``, the graph of a collection that each copy is in.
    outside : numpy.ndarray
        float64 ``[M]``, the share of the copies in which the node is joined to the rest.
    errors : numpy.ndarray
        int64 ``[K]``, pairs of nodes of each copy that are joined otherwise than in the block.
    covered : int
        Edges of the graph that the copies cover.
    worth : float
        Bits by which so many copies are more likely in such a block than by chance.
    mean : float or None
        Of the edges that the best block of at least as many nodes covers in random graphs.
    p : float or None
        Share of the graphs, this one included, whose best block is worth as much; None without
        random graphs.
    parent : int or None
        Number, from 1, of the block that it is nested in.
    """

    edges: list[tuple[int, int, int]]
    kinds: list[tuple[str, ...]]
    copies: np.ndarray
    graphs: np.ndarray
    outside: np.ndarray
    errors: np.ndarray
    covered: int
    worth: float
    mean: float | None
    p: float | None
    parent: int | None

    @property
    def num_nodes(self) -> int:
        """Number of nodes M."""
        return len(self.outside)

    @property
    def num_edges(self) -> int:
        """Number of edges."""
        return len(self.edges)

    @property
    def ports(self) -> list[int]:
        """The nodes that are joined to the rest of the graph, in one copy or more."""
        return np.flatnonzero(self.outside > 0).tolist()

    @property
    def is_called(self) -> bool:
        """Whether p is at most 0.05."""
        return self.p is not None and self.p <= LEVEL
