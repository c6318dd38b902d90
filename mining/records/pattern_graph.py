"""What describes the graph of a pattern: its nodes, edges, relations and categories."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from gomkcn_dgl.relations import PLAIN, Relations


class PatternGraph(Protocol):
    """A pattern, or a structure that was counted, without what is known of its places."""

    @property
    def num_nodes(self) -> int:
        """Number of nodes M."""

    @property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """``(i, j)`` from node i to node j, or with ``i < j`` where the edge has no direction."""

    @property
    def relations(self) -> Relations:
        """The relations of the graph."""

    @property
    def edge_relations(self) -> tuple[int, ...]:
        """Relation of each edge."""

    @property
    def categories(self) -> tuple[tuple[str, ...], ...]:
        """The categorical features of each node, by name; empty where nodes have none."""

    def adjacency(self) -> np.ndarray:
        """Which nodes are joined, in either direction, bool ``[M, M]``."""


def edges_as_text(pattern: PatternGraph) -> str:
    """Write the edges as ``gomkcn count`` takes them.

    ``"0--1, 1--2"``, ``"0->1"`` with a direction, ``"0-[binds]-1"`` with a relation; nodes with
    categories have them where they come first: ``"0:C--1:N, 1--2:C"``.
    """
    texts, named = [], set[int]()

    def name(node: int) -> str:
        known = node in named or not pattern.categories
        named.add(node)
        return str(node) if known else ":".join([str(node), *pattern.categories[node]])

    relations = pattern.relations
    for (u, v), relation in zip(pattern.edges, pattern.edge_relations, strict=True):
        kind = "-" if relations.names == (PLAIN,) else f"-[{relations.names[relation]}]-"
        end = ">" if relations.directed[relation] else "-" * (kind == "-")
        texts.append(f"{name(u)}{kind}{end}{name(v)}")
    return ", ".join(texts)
