"""The record of a pattern: a small graph with its features, its occurrences and its frequency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import networkx as nx
import numpy as np

from gomkcn_dgl.relations import PLAIN, SIMPLE, Relations, edge_channels, relations_of
from gomkcn_dgl.runtime.notebook import html_of
from mining.records.class_difference import ClassDifference
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
        Position among the patterns of a run; what stands out most comes first.
    edges : tuple of (int, int)
        ``(i, j)`` from node i to node j, or with ``i < j`` where the edge has no direction.
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
        Least similarity of a root that counts as one of the pattern.
    occurrences : sequence of Occurrence
        The places that are listed, most similar first; as many as ``frequency.listed``.
    significance : mapping from str to Significance
        How its count compares with each null model that was asked for, by the model's name.
    stability : mapping from str to Stability
        How often it is found again over "restarts" and "bootstrap" samples, where asked for.
    num_filters : int
        Filters that learnt it; 0 for a structure that recurs without one.
    noisy : bool
        Whether it is the consensus of noisy copies, of which few may be intact: its edge weights
        are then the share of the better half of them that have an edge.
    family : int
        The pattern that explains this one, as one that contains it or is contained in it; its own
        id where it stands for itself.
    description : str
        Its shape and features in words; empty where not asked for, see ``MiningRun.of``.
    relations : Relations
        The relations of the graph: their names, and whether their edges have a direction.
    edge_relations : tuple of int
        Relation of each edge, a number of ``relations.names``; the first for all when left out.
    categories : tuple of tuple of str
        The categorical features of each node, by name, which its places have as well; empty where
        the nodes of the graph have no categories.
    classes : ClassDifference or None
        How often graphs of each class contain it, where classes are known.
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
    relations: Relations = SIMPLE
    edge_relations: tuple[int, ...] = ()
    categories: tuple[tuple[str, ...], ...] = ()
    family: int = -1
    classes: ClassDifference | None = None

    def __post_init__(self) -> None:
        if self.family < 0:
            object.__setattr__(self, "family", self.id)
        if not self.edge_relations:
            object.__setattr__(self, "edge_relations", (0,) * len(self.edges))

    @property
    def num_nodes(self) -> int:
        """Number of nodes M."""
        return len(self.features)

    def adjacency(self) -> np.ndarray:
        """Return which nodes are joined, in either direction, bool ``[M, M]``, symmetric."""
        return np.asarray(self.channels().any(axis=2))

    def channels(self) -> np.ndarray:
        """Return the edges as a matrix for each channel of the relations, bool ``[M, M, C]``."""
        return edge_channels(self.num_nodes, self.edges, self.edge_relations, self.relations)

    def to_networkx(self) -> nx.Graph:
        """The pattern as a graph with features as node and learnt weights as edge attributes.

        It is a ``DiGraph`` where edges have a direction, and a multigraph where there are several
        relations; edges then have the attribute ``relation``, and among edges with a direction
        those without one go both ways. The frequencies, as far as they are known, z and q, and the
        share of the runs in which the pattern is found again are attributes of the graph.
        """
        # not "id", which networkx takes for the id of the graph element in GraphML
        graph = self._empty_graph()
        graph.graph |= {"pattern": self.id, "min_similarity": self.min_similarity}
        count = self.frequency.occurrences
        graph.graph |= {"occurrences": count.value, "occurrences_are": count.state}
        for name in ("graphs", "roots", "similar", "listed", "disjoint"):
            graph.graph[name] = getattr(self.frequency, name)
        for null, significance in self.significance.items():
            graph.graph |= {f"z_{null}": significance.z, f"q_{null}": significance.q}
        for name, stability in self.stability.items():
            graph.graph[f"returned_{name}"] = stability.share
        for node, row in enumerate(self.features.tolist()):
            graph.add_node(node)
            graph.nodes[node].update(zip(self.feature_names, row, strict=True))
        named = self.relations.names != (PLAIN,)
        rows = zip(self.edges, self.edge_relations, self.edge_weights, strict=True)
        for (u, v), relation, weight in rows:
            values = {"relation": self.relations.names[relation]} if named else {}
            graph.add_edge(u, v, weight=weight, **values)
            if graph.is_directed() and not self.relations.directed[relation]:
                graph.add_edge(v, u, weight=weight, **values)
        return graph

    def _empty_graph(self) -> nx.Graph:
        several, directed = len(self.relations.names) > 1, self.relations.is_directed
        if several:
            return nx.MultiDiGraph() if directed else nx.MultiGraph()
        return nx.DiGraph() if directed else nx.Graph()

    def to_dict(self) -> dict[str, Any]:
        """The record of ``patterns.json``, with the first few occurrences."""
        return {
            "id": self.id,
            "description": self.description,
            "num_nodes": self.num_nodes,
            "edges": [list(edge) for edge in self.edges],
            "relations": [
                {"name": name, "directed": directed} for name, directed in self.relations.kinds
            ],
            "edge_relations": list(self.edge_relations),
            "edge_weights": [round(weight, 6) for weight in self.edge_weights],
            "features": [
                [float(f"{value:.7g}") for value in row] for row in self.features.tolist()
            ],
            "medoid": {"root": self.medoid.root, **_occurrence_to_dict(self.medoid)},
            "frequency": self.frequency.to_dict(),
            "min_similarity": round(self.min_similarity, 6),
            "num_filters": self.num_filters,
            "noisy": self.noisy,
            "family": self.family,
            "categories": [list(names) for names in self.categories],
            "classes": None if self.classes is None else self.classes.to_dict(),
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
        relations, edge_relations = record["relations"], record["edge_relations"]
        if max(edge_relations, default=0) >= len(relations):
            raise ValueError(f"pattern {record['id']} has an edge of an unknown relation")
        edges = [(int(u), int(v)) for u, v in record["edges"]]
        if len({*zip(edges, edge_relations, strict=True)}) < len(edges):
            raise ValueError(f"pattern {record['id']} has an edge twice")
        return cls(
            id=record["id"],
            edges=tuple(edges),
            edge_weights=tuple(record["edge_weights"]),
            features=np.array(record["features"], dtype=float).reshape(-1, len(feature_names)),
            feature_names=tuple(feature_names),
            medoid=Medoid(**_with_tuple(record["medoid"])),
            frequency=Frequency.from_dict(record["frequency"]),
            min_similarity=record["min_similarity"],
            occurrences=occurrences,
            significance={
                name: Significance.from_dict(one) for name, one in record["significance"].items()
            },
            stability={name: Stability(**one) for name, one in record["stability"].items()},
            num_filters=record["num_filters"],
            noisy=record["noisy"],
            description=record["description"],
            relations=relations_of(
                [one["name"] for one in relations], [one["directed"] for one in relations]
            ),
            edge_relations=tuple(edge_relations),
            categories=tuple(map(tuple, record["categories"])),
            family=record["family"],
            classes=record["classes"] and ClassDifference.from_dict(record["classes"]),
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
