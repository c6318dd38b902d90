"""The record of a filter that was mined: what it looks like, and how many nodes belong to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.shapes import tell_apart
from gomkcn_dgl.graphs.structure import Structure
from mining.descriptions import describe_structure
from mining.filters.filter_bank import FilterBank, Responses
from mining.pattern import OccurrenceCount

# of the similarities of the nodes of a filter
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
# subgraphs that are listed of each filter
MOST_NEAREST = 5


@dataclass(frozen=True)
class NearestSubgraph:
    """A subgraph that is very similar to its filter.

    Attributes
    ----------
    root : int or str
        The input's own id of the node that it is around.
    similarity : float
        To the filter, in [0, 1].
    nodes : tuple of int, str or None
        The graph node that each node of the filter is matched to; None where it has none.
    graph : int
        Index of the graph within the collection.
    """

    root: int | str
    similarity: float
    nodes: tuple[int | str | None, ...]
    graph: int = 0


# arrays have no single truth value, so records are compared by identity
@dataclass(frozen=True, eq=False)
class MinedFilter:
    """A filter that was trained as the centre of a cluster of subgraphs, as a graph of M nodes.

    Attributes
    ----------
    id : int
        Its number, the place in ``filters_``.
    structure : Structure
        Its edges of weight above ½, with directions, relations and categories of the graph.
    name : str
        What it looks like, in words; no two of a miner are alike.
    weights : numpy.ndarray
        float32 ``[M, M]``, or ``[M, M, C]`` for C channels: the learnt weights of its edges, in
        [0, 1], before they were rounded.
    features : numpy.ndarray
        float64 ``[M, D]``, the learnt features of its nodes in the units of the input.
    feature_names : tuple of str
        Names of the D features.
    frequency : OccurrenceCount
        Nodes whose subgraph is most similar to this filter.
    exact : OccurrenceCount
        Those of them whose subgraph is isomorphic to ``structure``.
    similarity : tuple of float
        Quantiles .1, .25, .5, .75 and .9 of the similarity of its nodes; empty without any.
    nearest : tuple of NearestSubgraph
        The most similar subgraphs, on different sets of nodes.
    """

    id: int
    structure: Structure
    name: str
    weights: np.ndarray
    features: np.ndarray
    feature_names: tuple[str, ...]
    frequency: OccurrenceCount
    exact: OccurrenceCount
    similarity: tuple[float, ...]
    nearest: tuple[NearestSubgraph, ...]

    def __repr__(self) -> str:
        """What it is, and how frequent."""
        return f"MinedFilter({self.id}: {self.name} × {self.frequency}, {self.exact} exactly)"

    def to_networkx(self) -> Any:
        """The filter as a NetworkX graph: learnt weights at edges, learnt features at nodes.

        See :meth:`Structure.to_networkx`; an edge has its ``weight``, a node each feature by its
        name and, where there are categories, ``category``.

        >>> import networkx as nx
        >>> from gomkcn import FilterMiner
        >>> miner = FilterMiner(1, size=3).fit(nx.complete_graph(3))
        >>> drawn = miner.filters_[0].to_networkx()
        >>> round(drawn.edges[0, 1]["weight"], 1), drawn.nodes[0]
        (1.0, {'constant': 1.0})
        """
        graph = self.structure.to_networkx()
        graph.graph |= {"filter": self.id, "name": self.name, "frequency": self.frequency.value}
        relations = self.structure.relations
        weights = self.weights.reshape(*self.weights.shape[:2], -1)
        for u, v, data in graph.edges(data=True):
            name = data.get("relation", relations.names[0])
            channel = relations.outgoing[relations.names.index(name)]
            data["weight"] = float(weights[u, v, channel])
        for node, row in enumerate(self.features.tolist()):
            graph.nodes[node].update(zip(self.feature_names, row, strict=True))
            if self.structure.categories:
                graph.nodes[node]["category"] = ", ".join(self.structure.categories[node])
        return graph

    def to_dict(self) -> dict[str, Any]:
        """The record of ``filters.json``."""
        return {
            "id": self.id,
            "name": self.name,
            **self.structure.to_dict(),
            "weights": self.weights.tolist(),
            "features": self.features.tolist(),
            "frequency": asdict(self.frequency),
            "exact": asdict(self.exact),
            "similarity": list(self.similarity),
            "nearest": [asdict(one) for one in self.nearest],
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any], feature_names: Sequence[str]) -> MinedFilter:
        """Read a record; the inverse of :meth:`to_dict`. A wrong one raises a ValueError."""
        structure = Structure.from_dict(record)
        size = structure.num_nodes
        weights = np.array(record["weights"], np.float32)
        features = np.array(record["features"], np.float64).reshape(size, len(feature_names))
        if weights.shape[:2] != (size, size):
            raise ValueError(f"the weights of filter {record['id']} are not of {size} nodes")
        return cls(
            id=record["id"],
            structure=structure,
            name=record["name"],
            weights=weights,
            features=features,
            feature_names=tuple(feature_names),
            frequency=OccurrenceCount(**record["frequency"]),
            exact=OccurrenceCount(**record["exact"]),
            similarity=tuple(record["similarity"]),
            nearest=tuple(
                NearestSubgraph(**{**one, "nodes": tuple(one["nodes"])})
                for one in record["nearest"]
            ),
        )


def mined_filters(
    bank: FilterBank, responses: Responses, graph: CSRGraph
) -> tuple[MinedFilter, ...]:
    """The record of each filter of a bank, from the responses of the nodes of a graph."""
    told = [describe_structure(one, bank.feature_names) for one in bank.structures]
    names = tell_apart(told, bank.structures)
    labels = responses.labels
    drawn = int((labels >= 0).sum())
    found = []
    for number, (structure, name) in enumerate(zip(bank.structures, names, strict=True)):
        own = np.flatnonzero(labels == number)
        similarity = responses.similarity[own, number]
        quantiles = np.quantile(similarity, QUANTILES).tolist() if len(own) else []
        num_exact = int(responses.is_exact[own, number].sum())
        found.append(
            MinedFilter(
                id=number,
                structure=structure,
                name=name,
                weights=bank.weights(number),
                features=bank.features(number),
                feature_names=bank.feature_names,
                frequency=OccurrenceCount.of_sample(len(own), drawn, graph.num_nodes),
                exact=OccurrenceCount.of_sample(num_exact, drawn, graph.num_nodes),
                similarity=tuple(quantiles),
                nearest=_nearest(own, number, structure.num_nodes, responses, graph),
            )
        )
    return tuple(found)


def _nearest(
    own: np.ndarray, number: int, size: int, responses: Responses, graph: CSRGraph
) -> tuple[NearestSubgraph, ...]:
    """The most similar of the subgraphs around the nodes ``own``, on different sets of nodes."""
    found = []
    seen = set[frozenset[int]]()
    similarity = responses.similarity[:, number]
    for root in own[np.argsort(-similarity[own], kind="stable")].tolist():
        nodes = responses.nodes[root]
        members = frozenset(nodes[nodes >= 0].tolist())
        if members in seen:
            continue
        seen.add(members)
        places: list[int | str | None] = [None] * size
        matching = responses.matching[root, number]
        ids = graph.original_ids(nodes[matching >= 0])
        for place, node in zip(matching[matching >= 0].tolist(), ids, strict=True):
            places[place] = node
        (name,) = graph.original_ids(np.array([root]))
        owner = int(graph.graph_of(np.array(root)))
        found.append(NearestSubgraph(name, float(similarity[root]), tuple(places), owner))
        if len(found) == MOST_NEAREST:
            break
    return tuple(found)
