"""The record of a pattern: a small graph with its features, its occurrences and its frequency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import networkx as nx
import numpy as np

from gomkcn_dgl.runtime.notebook import html_of
from mining.records.frequency import Frequency
from mining.records.occurrence import Medoid, Occurrence
from mining.records.significance import Significance
from mining.records.stability import Stability

# occurrences in patterns.json; all are in a table of their own
MOST_LISTED = 20


@dataclass(frozen=True)
class Pattern:
    """A small graph that occurs again and again, with its features and its occurrences.

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
    occurrences : sequence of Occurrence
        Most similar first; as many as ``frequency.distinct``.
    significance : mapping from str to Significance
        How its count compares with each null model that was asked for, by the model's name.
    stability : mapping from str to Stability
        How often it is found again over "restarts" and "bootstrap" samples, where asked for.
    num_filters : int
        Filters that learnt it and were merged into it, its own included.
    noisy : bool
        Whether few of its copies are intact: its occurrences are the subgraphs similar to it, and
        its edge weights the share of the copies that have an edge.
    description : str
        Its shape and features in words; empty where not asked for, see ``MiningRun.of``.
    """

    id: int
    edges: tuple[tuple[int, int], ...]
    edge_weights: tuple[float, ...]
    features: np.ndarray
    feature_names: tuple[str, ...]
    medoid: Medoid
    frequency: Frequency
    min_similarity: float
    occurrences: Sequence[Occurrence] = field(repr=False)
    significance: Mapping[str, Significance] = field(default_factory=dict)
    stability: Mapping[str, Stability] = field(default_factory=dict)
    num_filters: int = 1
    noisy: bool = False
    description: str = ""

    @property
    def num_nodes(self) -> int:
        """Number of nodes M."""
        return len(self.features)

    def adjacency(self) -> np.ndarray:
        """Return the edges as a matrix, bool ``[M, M]``, symmetric."""
        adjacency = np.zeros((self.num_nodes, self.num_nodes), dtype=bool)
        for u, v in self.edges:
            adjacency[u, v] = adjacency[v, u] = True
        return adjacency

    def to_networkx(self) -> nx.Graph:
        """The pattern as a graph with features as node and learnt weights as edge attributes.

        Its frequencies, as far as they are known, its z and q, and the share of the runs in which
        it is found again are attributes of the graph.
        """
        # not "id", which networkx takes for the id of the graph element in GraphML
        graph = nx.Graph(pattern=self.id, min_similarity=self.min_similarity)
        for name in ("assigned", "distinct", "disjoint", "num_graphs", "exact"):
            if getattr(self.frequency, name) is not None:
                graph.graph[name] = getattr(self.frequency, name)
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
        """The record of ``patterns.json``, with the first few occurrences."""
        return {
            "id": self.id,
            "description": self.description,
            "num_nodes": self.num_nodes,
            "edges": [list(edge) for edge in self.edges],
            "edge_weights": [round(weight, 6) for weight in self.edge_weights],
            "features": [
                [float(f"{value:.7g}") for value in row] for row in self.features.tolist()
            ],
            "medoid": {"root": self.medoid.root, **_occurrence_to_dict(self.medoid)},
            "frequency": self.frequency.to_dict(),
            "min_similarity": round(self.min_similarity, 6),
            "num_filters": self.num_filters,
            "noisy": self.noisy,
            "significance": {name: entry.to_dict() for name, entry in self.significance.items()},
            "stability": {name: asdict(entry) for name, entry in self.stability.items()},
            "occurrences": [_occurrence_to_dict(one) for one in self.occurrences[:MOST_LISTED]],
        }

    @classmethod
    def from_dict(
        cls,
        record: dict[str, Any],
        feature_names: Sequence[str],
        occurrences: Sequence[Occurrence] | None = None,
    ) -> Pattern:
        """Read a record of ``patterns.json``, with all its occurrences or those listed there."""
        nodes = range(record["num_nodes"])
        if not all(u in nodes and v in nodes for u, v in record["edges"]):
            raise ValueError(f"an edge of pattern {record['id']} leaves its {len(nodes)} nodes")
        if occurrences is None:
            occurrences = tuple(Occurrence(**_with_tuple(one)) for one in record["occurrences"])
        return cls(
            id=record["id"],
            edges=tuple((int(u), int(v)) for u, v in record["edges"]),
            edge_weights=tuple(record["edge_weights"]),
            features=np.array(record["features"], dtype=float).reshape(-1, len(feature_names)),
            feature_names=tuple(feature_names),
            medoid=Medoid(**_with_tuple(record["medoid"])),
            frequency=Frequency.from_dict(record["frequency"]),
            min_similarity=record["min_similarity"],
            occurrences=occurrences,
            significance={
                name: Significance(**one) for name, one in record["significance"].items()
            },
            stability={name: Stability(**one) for name, one in record["stability"].items()},
            num_filters=record["num_filters"],
            noisy=record["noisy"],
            description=record["description"],
        )

    def _repr_html_(self) -> str | None:
        """Drawing and counts, for a notebook."""
        return html_of(self)


def _occurrence_to_dict(occurrence: Occurrence) -> dict[str, Any]:
    return {
        "nodes": list(occurrence.nodes),
        "similarity": round(occurrence.similarity, 6),
        "graph": occurrence.graph,
    }


def _with_tuple(record: Mapping[str, Any]) -> dict[str, Any]:
    return {**record, "nodes": tuple(record["nodes"])}
