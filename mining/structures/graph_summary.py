"""What was mined, in numbers: the head of every run, page and table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from msgspec import Meta

from gomkcn.mining.structures.records import Count
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.sides import side_category


@dataclass(frozen=True)
class RelationSummary:
    """A relation: its name, whether its edges have a direction, and how many there are."""

    name: str
    directed: bool
    num_edges: Count


@dataclass(frozen=True)
class SideSummary:
    """A side of a bipartite graph: the column of a table that numbers it, or "", and its nodes."""

    name: str
    num_nodes: Count


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
    graph_names : tuple of str
        What the graphs of a collection are called, "" for one without a name; empty where no graph
        has a name.
    sides : tuple of SideSummary
        The two sides of a bipartite graph; empty for another one.
    """

    source: str
    num_graphs: Annotated[int, Meta(ge=1, le=2**53 - 1)]
    num_nodes: Annotated[int, Meta(ge=1, le=2**53 - 1)]
    num_edges: Count
    feature_names: tuple[str, ...]
    relations: Annotated[tuple[RelationSummary, ...], Meta(max_length=1000)] = ()
    graph_names: tuple[str, ...] = ()
    sides: Annotated[tuple[SideSummary, ...], Meta(max_length=2)] = ()

    def __post_init__(self) -> None:
        if len(self.graph_names) not in (0, self.num_graphs):
            raise ValueError("it does not have a name for each graph")

    @property
    def kinds(self) -> list[tuple[str, bool]]:
        """Name of each relation, and whether its edges have a direction."""
        return [(relation.name, relation.directed) for relation in self.relations]

    @property
    def side_names(self) -> list[str]:
        """The names of both sides, where these are kinds of nodes; else empty."""
        names = [side.name for side in self.sides]
        return names if {*map(side_category, names)} <= {*self.feature_names} else []

    @classmethod
    def of(cls, csr: CSRGraph, path: str | None) -> GraphSummary:
        """What is mined, with the edges of each relation; its file or folder is at ``path``."""
        relations = csr.relations
        counts = [csr.num_edges]
        if csr.links is not None:
            ends = np.bincount(csr.links, minlength=len(relations.links)) @ relations.links
            # both ends of an edge without direction are in the same channel
            counts = (ends[relations.outgoing] // np.where(relations.directed, 1, 2)).tolist()
        sides = csr.two_sides
        names = ("", "") if sides is None else sides.names or ("", "")
        sizes = () if sides is None else sides.sizes
        kinds = zip(relations.names, relations.directed, counts, strict=True)
        return cls(
            source=Path(path).resolve().name if path else "graph",
            num_graphs=csr.num_graphs,
            num_nodes=csr.num_nodes,
            num_edges=csr.num_edges,
            feature_names=csr.feature_names,
            relations=tuple(RelationSummary(*kind) for kind in kinds),
            graph_names=() if csr.graph_names is None else tuple(csr.graph_names.tolist()),
            sides=tuple(map(SideSummary, names, sizes)),
        )
