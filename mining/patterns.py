"""Step 5: trained filters → Pattern records, discrete graphs that a person can read."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import networkx as nx
import numpy as np
import torch
from torch import Tensor

from gomkcn_dgl.filters import GraphFilters
from gomkcn_dgl.matching import GOMKSettings
from mining.frequencies import Frequency
from mining.significance import Significance
from mining.topology import canonical_form

log = logging.getLogger("gomkcn_dgl")

# two filters of the same structure that are more similar than this are one pattern
_SAME_PATTERN = 0.99


@dataclass(frozen=True)
class Occurrence:
    """One place where a pattern occurs.

    Attributes
    ----------
    nodes : tuple of (int, str or None)
        The input's own id of the graph node that plays each pattern node; None where none does.
    similarity : float
        Normalised score of the subgraph with the pattern, features included, in [0, 1].
    graph : int
        Index of the graph within the collection.
    """

    nodes: tuple[int | str | None, ...]
    similarity: float
    graph: int = 0


@dataclass(frozen=True)
class Medoid(Occurrence):
    """The real subgraph that is nearest to a pattern.

    Attributes
    ----------
    root : int or str
        The input's own id of the subgraph's root.
    """

    root: int | str = 0


@dataclass(frozen=True)
class Pattern:
    """A small graph that keeps coming back, with its features and where it occurs.

    Attributes
    ----------
    id : int
        Position among the patterns of a run, most frequent first.
    edges : tuple of (int, int)
        Undirected, ``i < j``.
    edge_weights : tuple of float
        The learnt weight of each edge, in (½, 1].
    features : numpy.ndarray
        ``[M, D]`` in the input's units.
    feature_names : tuple of str
        One name per column.
    medoid : Medoid
        The nearest real subgraph.
    frequency : Frequency
        How often it occurs, in several readings.
    min_similarity : float
        Least similarity of an assigned root, and of an occurrence that is only similar.
    occurrences : tuple of Occurrence
        Most similar first; as many as ``frequency.distinct``.
    significance : mapping from str to Significance
        How its count compares with each null model that was asked for, by the model's name.
    """

    id: int
    edges: tuple[tuple[int, int], ...]
    edge_weights: tuple[float, ...]
    features: np.ndarray
    feature_names: tuple[str, ...]
    medoid: Medoid
    frequency: Frequency
    min_similarity: float
    occurrences: tuple[Occurrence, ...] = field(repr=False)
    significance: Mapping[str, Significance] = field(default_factory=dict)

    @property
    def num_nodes(self) -> int:
        """Number of nodes M."""
        return len(self.features)

    def adjacency(self) -> np.ndarray:
        """Return the edges as a matrix, bool ``[M, M]``, symmetric."""
        joined = np.zeros((self.num_nodes, self.num_nodes), dtype=bool)
        for u, v in self.edges:
            joined[u, v] = joined[v, u] = True
        return joined

    def to_networkx(self) -> nx.Graph:
        """The pattern as a graph with features as node and learnt weights as edge attributes.

        Its frequencies, as far as they are known, and its z and q are attributes of the graph.
        """
        frequency = self.frequency
        # not "id", which networkx takes for the id of the graph element in GraphML
        graph = nx.Graph(
            pattern=self.id,
            min_similarity=self.min_similarity,
            assigned=frequency.assigned,
            distinct=frequency.distinct,
            disjoint=frequency.disjoint,
            num_graphs=frequency.num_graphs,
        )
        if frequency.exact is not None:
            graph.graph["exact"] = frequency.exact
        for null, significance in self.significance.items():
            graph.graph |= {f"z_{null}": significance.z, f"q_{null}": significance.q}
        for node, row in enumerate(self.features.tolist()):
            graph.add_node(node)
            graph.nodes[node].update(zip(self.feature_names, row, strict=True))
        for (u, v), weight in zip(self.edges, self.edge_weights, strict=True):
            graph.add_edge(u, v, weight=weight)
        return graph

    def to_dict(self) -> dict[str, Any]:
        """The record of ``patterns.json``."""
        return {
            "id": self.id,
            "num_nodes": self.num_nodes,
            "edges": [list(edge) for edge in self.edges],
            "edge_weights": [round(weight, 6) for weight in self.edge_weights],
            "features": np.round(self.features, 6).tolist(),
            "medoid": {"root": self.medoid.root, **_occurrence_to_dict(self.medoid)},
            "frequency": self.frequency.to_dict(),
            "min_similarity": round(self.min_similarity, 6),
            "significance": {name: entry.to_dict() for name, entry in self.significance.items()},
            "occurrences": [_occurrence_to_dict(place) for place in self.occurrences],
        }

    @classmethod
    def from_dict(cls, record: dict[str, Any], feature_names: Sequence[str]) -> Pattern:
        """Read a record of ``patterns.json``; the inverse of :meth:`to_dict`."""
        medoid = dict(record["medoid"])
        nodes = range(record["num_nodes"])
        if not all(u in nodes and v in nodes for u, v in record["edges"]):
            raise ValueError(f"an edge of pattern {record['id']} leaves its {len(nodes)} nodes")
        width = len(feature_names)
        return cls(
            id=record["id"],
            edges=tuple((u, v) for u, v in record["edges"]),
            edge_weights=tuple(record["edge_weights"]),
            features=np.array(record["features"], dtype=float).reshape(-1, width),
            feature_names=tuple(feature_names),
            medoid=Medoid(
                tuple(medoid["nodes"]), medoid["similarity"], medoid["graph"], root=medoid["root"]
            ),
            frequency=Frequency.from_dict(record["frequency"]),
            min_similarity=record["min_similarity"],
            occurrences=tuple(
                Occurrence(tuple(place["nodes"]), place["similarity"], place["graph"])
                for place in record["occurrences"]
            ),
            significance={
                name: Significance.from_dict(entry)
                for name, entry in record["significance"].items()
            },
        )

    def _repr_html_(self) -> str:
        """Drawing and figures, for Jupyter."""
        from mining.report import pattern_card

        return pattern_card(self)


def _occurrence_to_dict(place: Occurrence) -> dict[str, Any]:
    return {
        "nodes": list(place.nodes),
        "similarity": round(place.similarity, 6),
        "graph": place.graph,
    }


@dataclass(frozen=True)
class SnappedFilters:
    """Filters turned into discrete graphs, each still padded to M nodes for the kernel.

    Attributes
    ----------
    adj : Tensor
        float32 ``[F, M, M]`` of zeros and ones; the nodes of the pattern come first.
    feat : Tensor
        float32 ``[F, M, D]`` scaled features, zero for padding.
    weights : Tensor
        float32 ``[F, M, M]`` the learnt edge weights, in the same node order.
    num_nodes : tuple of int
        Nodes of each pattern.
    """

    adj: Tensor
    feat: Tensor
    weights: Tensor
    num_nodes: tuple[int, ...]

    @classmethod
    def join(cls, parts: Sequence[SnappedFilters]) -> SnappedFilters:
        """Put filters of the same size one after the other."""
        return cls(
            torch.cat([part.adj for part in parts]),
            torch.cat([part.feat for part in parts]),
            torch.cat([part.weights for part in parts]),
            tuple(size for part in parts for size in part.num_nodes),
        )

    def certificates(self) -> list[bytes]:
        """Isomorphism class of each pattern."""
        return [
            canonical_form(self.adj[number, :size, :size].numpy()).certificate
            for number, size in enumerate(self.num_nodes)
        ]

    def take(self, rows: Sequence[int]) -> SnappedFilters:
        """Return the filters in ``rows``, in that order."""
        index = torch.as_tensor(list(rows), dtype=torch.int64)
        sizes = tuple(self.num_nodes[row] for row in rows)
        return SnappedFilters(self.adj[index], self.feat[index], self.weights[index], sizes)


def snap(filters: GraphFilters) -> SnappedFilters:
    """Read a discrete graph off each filter: edges above ½, without the padding.

    A subgraph is connected, so what is not connected to the largest component of a filter imitates
    padding and is pruned.
    """
    with torch.no_grad():
        weights, feat = filters.adj().clone(), filters.feat().clone()
    adj = (weights > 0.5).float()
    sizes = []
    for number in range(len(adj)):
        component = max(nx.connected_components(nx.from_numpy_array(adj[number].numpy())), key=len)
        sizes.append(len(component))
        rest = [node for node in range(filters.filter_size) if node not in component]
        order = torch.tensor(sorted(component) + rest)
        for matrix in (adj, weights):
            matrix[number] = matrix[number][order][:, order]
            matrix[number, len(component) :] = 0
            matrix[number, :, len(component) :] = 0
        feat[number] = feat[number][order]
        feat[number, len(component) :] = 0
    return SnappedFilters(adj, feat, weights, tuple(sizes))


def merge_twins(snapped: SnappedFilters, kernel: GOMKSettings, backend: str) -> SnappedFilters:
    """Keep one of several filters that snapped to the same pattern."""
    z, sizes = kernel.embed(snapped.adj, snapped.feat), torch.tensor(snapped.num_nodes)
    scores = kernel.similarity(z, sizes, z, sizes, backend)
    certificates = snapped.certificates()
    kept: list[int] = []
    for i, certificate in enumerate(certificates):
        same = [j for j in kept if certificates[j] == certificate]
        if all(scores[i, j] < _SAME_PATTERN for j in same):
            kept.append(i)
    if len(kept) < len(certificates):
        log.info("merged %d filters that found the same pattern", len(certificates) - len(kept))
    return snapped.take(kept)
