"""The record of a pattern, the same from the first sight of a structure to the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np

from gomkcn_dgl.graphs.structure import Edge, Structure, empty_networkx
from gomkcn_dgl.relations import PLAIN, Relations
from gomkcn_dgl.runtime import html_of
from mining.records.class_difference import ClassDifference
from mining.records.frequency import Frequency
from mining.records.null_comparison import NullComparison
from mining.records.occurrence import NONE, Occurrence, Occurrences
from mining.records.occurrence_count import OccurrenceCount

# occurrences in patterns.json; all are in a table of their own
MOST_LISTED = 20
# the source of a pattern on which noisy copies agree, of which few may be intact
CONSENSUS = "consensus"


@dataclass(frozen=True, eq=False)
class Sight:
    """How a structure was seen among connected node sets, here and in random graphs.

    ``node_sets`` int32 ``[K, M]`` show it, with nodes in any order; in ``example [M]``, one of
    them, they are in the order of the structure. ``num_disjoint`` of the sets share no node, and in
    the mean random graph ``num_expected`` do.
    """

    node_sets: np.ndarray
    example: np.ndarray
    num_disjoint: int = 0
    num_expected: float = 0.0


@dataclass(frozen=True, eq=False)
class Profile:
    """Features and edge weights of a pattern, as some of its occurrences have them.

    Attributes
    ----------
    features : numpy.ndarray
        ``[M, D]`` in the input's units: what a filter learnt, then the mean of the occurrences.
    weights : numpy.ndarray
        ``[M, M, C]``, the learnt weight of each edge in (½, 1]; 1 without a filter.
    num_filters : int
        Filters that learnt it; 0 where the features are those of the occurrences alone.
    share : float
        Share of the occurrences that are nearest to it.
    """

    features: np.ndarray
    weights: np.ndarray
    num_filters: int = 0
    share: float = 1.0

    def turned(self, mapping: np.ndarray) -> Profile:
        """The same for nodes in another order: node i is node ``mapping[i]`` here."""
        weights = self.weights[np.ix_(mapping, mapping)]
        return replace(self, features=self.features[mapping], weights=weights)

    def edge_weights(self, structure: Structure) -> tuple[float, ...]:
        """The weight of each edge of the structure that it is of."""
        leaving = self.weights[:, :, structure.relations.outgoing]
        rows = zip(structure.edges, structure.edge_relations, strict=True)
        return tuple(float(leaving[u, v, relation]) for (u, v), relation in rows)

    def to_dict(self, structure: Structure) -> dict[str, Any]:
        """The record of ``patterns.json``, with weights in the order of the edges."""
        return {
            "features": [
                [float(f"{value:.7g}") for value in row] for row in self.features.tolist()
            ],
            "edge_weights": [round(weight, 6) for weight in self.edge_weights(structure)],
            "num_filters": self.num_filters,
            "share": round(self.share, 6),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any], structure: Structure) -> Profile:
        """Read a record of ``patterns.json``; the inverse of :meth:`to_dict`."""
        relations, weights = structure.relations, np.zeros(structure.channels.shape)
        rows = zip(structure.edges, structure.edge_relations, record["edge_weights"], strict=True)
        for (u, v), number, weight in rows:
            channel = relations.outgoing[number]
            weights[u, v, channel] = weights[v, u, relations.opposite[channel]] = weight
        features = np.array(record["features"], float).reshape(structure.num_nodes, -1)
        return cls(features, weights, record["num_filters"], record["share"])


@dataclass(frozen=True, eq=False)
class Pattern:
    """A small graph that occurs again and again.

    Each step of mining fills in fields of this record with :func:`dataclasses.replace`. What is
    known of one structure is in one record, and steps find it by ``key``.

    Attributes
    ----------
    structure : Structure
        Nodes, edges, directions, relations and categories.
    occurrences : Occurrences
        The places that are listed, the most similar first, as many as ``frequency.listed``; of what
        is not reported none.
    sources : tuple of str
        What saw it: "grown" sets of nodes, trained "filters", or the "consensus" of noisy copies,
        of which few may be intact.
    frequency : Frequency
        How often it occurs, in several readings.
    significance : mapping from str to NullComparison
        How its count compares with each null model that was asked for, by the model's name; empty
        for structures that random graphs were not searched for.
    classes : ClassDifference or None
        How often graphs of each class contain it, where classes are known.
    profiles : tuple of Profile
        Features and edge weights that its occurrences have, the most frequent first; several where
        filters learnt different features for it.
    feature_names : tuple of str
        One name per column of the features.
    id : int
        Position among the patterns of a run; -1 for what was counted and is not reported.
    description : str
        Its shape and features in words; empty where not asked for, see ``MiningRun.of``.
    sight : Sight or None
        How it was seen among node sets, until it is located.

    Examples
    --------
    >>> path = Pattern(Structure.parse("a--b, b--c")).counted(OccurrenceCount.exact(7))
    >>> path.num_nodes, path.edges, path.frequency.count
    (3, ((0, 1), (1, 2)), 7)
    >>> path
    Pattern(path of 3 nodes, 3 nodes, 2 edges, 7 occurrences)
    """

    structure: Structure
    occurrences: Occurrences = field(default_factory=lambda: NONE)
    sources: tuple[str, ...] = ()
    frequency: Frequency = field(default_factory=Frequency)
    significance: Mapping[str, NullComparison] = field(default_factory=dict)
    classes: ClassDifference | None = None
    profiles: tuple[Profile, ...] = ()
    feature_names: tuple[str, ...] = ()
    id: int = -1
    description: str = ""
    sight: Sight | None = None

    def __repr__(self) -> str:
        """In one line: its number, name, nodes, edges and occurrences, as far as it has them."""
        from gomkcn_dgl.graphs.shapes import count

        number = f"{self.id}: " if self.id >= 0 else ""
        size = f"{count(self.num_nodes, 'node')}, {count(len(self.edges), 'edge')}"
        # of a structure without a name they are said already
        name = self.name if self.name.startswith(size) else f"{self.name}, {size}"
        found = self.frequency.occurrences
        plural = "s" * (found.value != 1)
        counted = f", {found} occurrence{plural}" if isfinite(found.high) else ""
        return f"Pattern({number}{name}{counted})"

    @property
    def name(self) -> str:
        """Its shape and labels in words, without the features that differ."""
        # loads networkx, which no count needs
        from gomkcn_dgl.graphs.shapes import describe_shape

        return self.description.split(";")[0] or describe_shape(self.structure)

    @property
    def key(self) -> bytes:
        """The key of its structure."""
        return self.structure.key

    @property
    def num_nodes(self) -> int:
        """Number of nodes M."""
        return self.structure.num_nodes

    @property
    def edges(self) -> tuple[Edge, ...]:
        """``(i, j)`` from node i to node j, or with ``i < j`` where the edge has no direction."""
        return self.structure.edges

    @property
    def relations(self) -> Relations:
        """The relations of the graph: their names, and whether their edges have a direction."""
        return self.structure.relations

    @property
    def edge_relations(self) -> tuple[int, ...]:
        """Relation of each edge, a number of ``relations.names``."""
        return self.structure.edge_relations

    @property
    def categories(self) -> tuple[tuple[str, ...], ...]:
        """The categorical features of each node, by name, which its places have as well."""
        return self.structure.categories

    @cached_property
    def features(self) -> np.ndarray:
        """Features of most of its occurrences, ``[M, D]`` in the input's units."""
        if self.profiles:
            return self.profiles[0].features
        return np.zeros((self.num_nodes, len(self.feature_names)))

    @cached_property
    def edge_weights(self) -> tuple[float, ...]:
        """The weight of each edge that was learnt for them, in (½, 1]."""
        if not self.profiles:
            return (1.0,) * len(self.edges)
        return self.profiles[0].edge_weights(self.structure)

    @property
    def num_filters(self) -> int:
        """Filters that learnt it; 0 for a structure that recurs without one."""
        return sum(one.num_filters for one in self.profiles)

    def counted(self, count: OccurrenceCount) -> Pattern:
        """The same with a count of its occurrences."""
        return replace(self, frequency=replace(self.frequency, occurrences=count))

    def to_networkx(self) -> Any:
        """The pattern as a NetworkX graph with features as node and weights as edge attributes.

        It is a ``DiGraph`` where edges have a direction, and a multigraph where there are several
        relations; edges then have the attribute ``relation``, and among edges with a direction
        those without one go both ways. The frequencies and the comparisons with random graphs are
        attributes of the graph.
        """
        graph = empty_networkx(self.relations)
        # not "id", which networkx takes for the id of the graph element in GraphML
        graph.graph["pattern"] = self.id
        count = self.frequency.occurrences
        graph.graph |= {"occurrences": count.value, "occurrences_are": count.state}
        for name in ("graphs", "roots", "assigned", "listed", "disjoint"):
            graph.graph[name] = getattr(self.frequency, name)
        for null, significance in self.significance.items():
            graph.graph |= {
                f"{name}_{null}": value
                for name in ("mean", "sd", "z", "p", "p_adjusted")
                if (value := getattr(significance, name)) is not None
            }
        graph.add_nodes_from(range(self.num_nodes))
        if self.profiles:
            for node, row in enumerate(self.features.tolist()):
                graph.nodes[node].update(zip(self.feature_names, row, strict=True))
        named = self.relations.names != (PLAIN,)
        rows = zip(self.edges, self.edge_relations, self.edge_weights, strict=True)
        for (u, v), relation, weight in rows:
            values = {"relation": self.relations.names[relation]} if named else {}
            graph.add_edge(u, v, weight=weight, **values)
            if graph.is_directed() and not self.relations.directed[relation]:
                graph.add_edge(v, u, weight=weight, **values)
        return graph

    def to_dict(self) -> dict[str, Any]:
        """The record of ``patterns.json``, with the first few occurrences."""
        return {
            "id": self.id,
            "description": self.description,
            **self.structure.to_dict(),
            "sources": list(self.sources),
            "profiles": [one.to_dict(self.structure) for one in self.profiles],
            "frequency": self.frequency.to_dict(),
            "classes": None if self.classes is None else self.classes.to_dict(),
            "significance": {name: entry.to_dict() for name, entry in self.significance.items()},
            "occurrences": [
                {
                    "nodes": list(one.nodes),
                    "similarity": round(one.similarity, 6),
                    "graph": one.graph,
                }
                for one in self.occurrences[:MOST_LISTED]
            ],
        }

    @classmethod
    def from_dict(
        cls,
        record: Mapping[str, Any],
        feature_names: Sequence[str],
        occurrences: Occurrences | None = None,
    ) -> Pattern:
        """Read a record of ``patterns.json``, with all its occurrences or those listed there."""
        if occurrences is None:
            listed = [Occurrence(**{**one, "nodes": tuple(one["nodes"])})
                      for one in record["occurrences"]]  # fmt: skip
            occurrences = Occurrences.of(listed, record["num_nodes"])
        try:
            structure = Structure.from_dict(record)
        except ValueError as error:
            raise ValueError(f"pattern {record['id']}: {error}") from None
        return cls(
            structure,
            occurrences,
            sources=tuple(record["sources"]),
            frequency=Frequency.from_dict(record["frequency"]),
            significance={
                name: NullComparison.from_dict(name, one)
                for name, one in record["significance"].items()
            },
            classes=record["classes"] and ClassDifference.from_dict(record["classes"]),
            profiles=tuple(Profile.from_dict(one, structure) for one in record["profiles"]),
            feature_names=tuple(feature_names),
            id=record["id"],
            description=record["description"],
        )

    def _repr_html_(self) -> str | None:
        """Drawing and counts, for a notebook."""
        return html_of(self)


def merge(patterns: Iterable[Pattern]) -> list[Pattern]:
    """One pattern for each structure, in the order in which they come first; a join on the key.

    Profiles of all are kept, in the order of the nodes of the first.

    >>> one, other = (Pattern(Structure.parse(text), sources=(text,))
    ...               for text in ("a--b, b--c", "a--c, a--b"))
    >>> [pattern.sources for pattern in merge([one, other])]
    [('a--b, b--c', 'a--c, a--b')]
    """
    found: dict[bytes, Pattern] = {}
    for one in patterns:
        known = found.setdefault(one.key, one)
        if known is not one:
            mapping = known.structure.isomorphism(one.structure)
            found[one.key] = replace(
                known,
                sources=tuple(dict.fromkeys(known.sources + one.sources)),
                profiles=known.profiles + tuple(own.turned(mapping) for own in one.profiles),
                feature_names=known.feature_names or one.feature_names,
            )
    return list(found.values())
