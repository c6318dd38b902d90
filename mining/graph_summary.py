"""What was mined, in numbers: the head of every run, page and table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gomkcn_dgl.csr import CSRGraph


@dataclass(frozen=True)
class RelationSummary:
    """A relation: its name, whether its edges have a direction, and how many there are."""

    name: str
    directed: bool
    num_edges: int


@dataclass(frozen=True)
class GraphSummary:
    """What was mined.

    Attributes
    ----------
    source : str
        Name of the file or folder of the graph.
    num_graphs, num_nodes, num_edges : int
        Graphs in the collection, nodes and edges in all.
    feature_names : tuple of str
        One name per feature column.
    relations : tuple of RelationSummary
        The relations of the edges; empty where they are not known.
    """

    source: str
    num_graphs: int
    num_nodes: int
    num_edges: int
    feature_names: tuple[str, ...]
    relations: tuple[RelationSummary, ...] = ()

    @classmethod
    def of(cls, csr: CSRGraph, path: str | None) -> GraphSummary:
        """What is mined, with the edges of each relation; its file or folder is at ``path``."""
        relations = csr.relations
        counts = [csr.num_edges]
        if csr.links is not None:
            ends = np.bincount(csr.links, minlength=len(relations.links)) @ relations.links
            # both ends of an edge without direction are in the same channel
            counts = (ends[relations.outgoing] // np.where(relations.directed, 1, 2)).tolist()
        kinds = zip(relations.names, relations.directed, counts, strict=True)
        return cls(
            source=Path(path).resolve().name if path else "graph",
            num_graphs=csr.num_graphs,
            num_nodes=csr.num_nodes,
            num_edges=csr.num_edges,
            feature_names=csr.feature_names,
            relations=tuple(RelationSummary(*kind) for kind in kinds),
        )
