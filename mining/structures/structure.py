"""A structure: what joins the nodes of a pattern, and their categories, without numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from mining.structures.canonical_forms import as_colored_graph, automorphisms, canonical_form
from mining.structures.categories import Categories


@dataclass(frozen=True, eq=False)
class Structure:
    """A connected graph that can be looked for in others, up to isomorphism.

    ``adjacency`` is bool ``[M, M]``, or ``[M, M, C]`` in the channels of the relations of a graph;
    ``colors`` int64 ``[M]`` are categories, see :class:`mining.structures.categories.Categories`,
    None where nodes have none.
    """

    adjacency: np.ndarray
    colors: np.ndarray | None = None

    @property
    def num_nodes(self) -> int:
        """Number of nodes M."""
        return len(self.adjacency)

    @property
    def joined(self) -> np.ndarray:
        """Which nodes are joined in any way, bool ``[M, M]``."""
        return np.asarray(self.adjacency.reshape(*self.adjacency.shape[:2], -1).any(axis=2))

    @property
    def num_edges(self) -> int:
        """Number of pairs of joined nodes."""
        return int(self.joined.sum()) // 2

    @property
    def num_cycles(self) -> int:
        """Number of independent cycles."""
        return self.num_edges - self.num_nodes + 1

    @cached_property
    def certificate(self) -> bytes:
        """Equal for isomorphic structures and for no others."""
        return canonical_form(self.adjacency, self.colors).certificate

    def colors_in(
        self, graph: CSRGraph, categories: Categories
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Colours of the nodes of the structure and of a graph, ``[M]`` and ``[V]``, to count."""
        of_graph = categories.colors_of(graph)
        return None if self.colors is None or of_graph is None else (self.colors, of_graph)

    @cached_property
    def num_automorphisms(self) -> int:
        """How many isomorphisms to itself there are."""
        graph, color = as_colored_graph(self.adjacency, self.colors)
        return int(graph.count_automorphisms(color=color))

    def isomorphism(self, other: Structure) -> np.ndarray:
        """The node of ``other`` that each node is mapped to, int64 ``[M]``; both are isomorphic."""
        own = canonical_form(self.adjacency, self.colors).position
        return np.asarray(np.argsort(canonical_form(other.adjacency, other.colors).position)[own])

    def automorphisms(self) -> np.ndarray:
        """The isomorphisms to itself, int64 ``[P, M]``; of very many, the identity only."""
        return automorphisms(self.adjacency, self.colors)
