"""Step 5: trained filters → Pattern records, discrete graphs that a person can read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import networkx as nx
import numpy as np
import torch
from torch import Tensor

from gomkcn_dgl.filters import GraphFilters
from mining.chance.significance import Significance
from mining.frequencies import Frequency
from mining.stability import Stability
from mining.topology import canonical_form


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
    stability : mapping from str to Stability
        How often it came back over "restarts" and "bootstrap" samples, where that was asked for.
    num_filters : int
        Filters that found it and were merged into it, its own among them.
    noisy : bool
        Whether few of its copies are intact: its occurrences are the subgraphs similar to it, and
        its edge weights the share of the copies that have an edge.
    words : str
        Its shape and features in words; empty where nobody asked, see ``MiningRun.of``.
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
    stability: Mapping[str, Stability] = field(default_factory=dict)
    num_filters: int = 1
    noisy: bool = False
    words: str = ""

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

        Its frequencies, as far as they are known, its z and q, and the share of the runs in which
        it came back are attributes of the graph.
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
        for name, stability in self.stability.items():
            graph.graph[f"returned_{name}"] = stability.share
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
            "words": self.words,
            "num_nodes": self.num_nodes,
            "edges": [list(edge) for edge in self.edges],
            "edge_weights": [round(weight, 6) for weight in self.edge_weights],
            "features": np.round(self.features, 6).tolist(),
            "medoid": {"root": self.medoid.root, **_occurrence_to_dict(self.medoid)},
            "frequency": self.frequency.to_dict(),
            "min_similarity": round(self.min_similarity, 6),
            "num_filters": self.num_filters,
            "noisy": self.noisy,
            "significance": {name: entry.to_dict() for name, entry in self.significance.items()},
            "stability": {name: entry.to_dict() for name, entry in self.stability.items()},
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
            stability={
                name: Stability.from_dict(entry) for name, entry in record["stability"].items()
            },
            num_filters=record["num_filters"],
            noisy=record["noisy"],
            words=record["words"],
        )

    def _repr_html_(self) -> str:
        """Drawing and figures, for Jupyter."""
        from mining.pages.report import patterns_html

        return patterns_html([self])


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
    merged : tuple of int
        Filters that each one stands for, 1 where it stands for itself alone.
    noisy : tuple of bool
        Whether few copies of a pattern are intact, see ``mining/noise/noisy_patterns.py``.
    """

    adj: Tensor
    feat: Tensor
    weights: Tensor
    num_nodes: tuple[int, ...]
    merged: tuple[int, ...] = ()
    noisy: tuple[bool, ...] = ()

    def __post_init__(self) -> None:
        if not self.merged:
            object.__setattr__(self, "merged", (1,) * len(self.num_nodes))
        if not self.noisy:
            object.__setattr__(self, "noisy", (False,) * len(self.num_nodes))

    @classmethod
    def join(cls, parts: Sequence[SnappedFilters]) -> SnappedFilters:
        """Put filters of the same size one after the other."""
        return cls(
            torch.cat([part.adj for part in parts]),
            torch.cat([part.feat for part in parts]),
            torch.cat([part.weights for part in parts]),
            tuple(size for part in parts for size in part.num_nodes),
            tuple(count for part in parts for count in part.merged),
            tuple(noisy for part in parts for noisy in part.noisy),
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
        return SnappedFilters(
            self.adj[index],
            self.feat[index],
            self.weights[index],
            tuple(self.num_nodes[row] for row in rows),
            tuple(self.merged[row] for row in rows),
            tuple(self.noisy[row] for row in rows),
        )


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
