"""The record of a filter that was mined: what it looks like, and how many nodes belong to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from gomkcn.mining.filters.filter_bank import FilterBank, Responses
from gomkcn.mining.filters.filter_learner import Learnt
from gomkcn.mining.filters.instances import choose_disjoint, count_instances
from gomkcn.mining.filters.neighbourhoods import count_node_sets
from gomkcn.mining.settings.filter_settings import MOST_FILTER_NODES
from gomkcn.mining.structures.descriptions import describe_structure
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.pattern import OccurrenceCount
from gomkcn.mining.structures.records import (
    Count,
    Positive,
    Share,
    Similarity,
    StructureRecord,
    as_record,
)
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.shapes import tell_apart
from gomkcn_dgl.graphs.structure import Structure

# of the similarities of the nodes of a filter
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
# A filter that stands for the nodes that are nearest to it: at least a fifth of them have exactly
# its structure, and half of them are at least a quarter like it. Where few filters share all nodes,
# those of planted motifs have .29 and .27 or more, and that of C. elegans, which hardly a node has
# exactly, .05 and .27.
LEAST_EXACT_SHARE = 0.2
LEAST_SIMILARITY = 0.25
# subgraphs that are listed of each filter
MOST_NEAREST = 5
# what is recorded of a filter as it is
_RECORDED = (
    "size", "instances", "disjoint_instances", "random_instances", "exceeds", "exact",
    "nearest_nodes", "similarity", "nearest",
)  # fmt: skip


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
    similarity: Similarity
    nodes: tuple[int | str | None, ...]
    graph: Count = 0


@dataclass(frozen=True)
class RandomInstances:
    """The instances of a structure in random graphs.

    Attributes
    ----------
    mean, sd : float
        Their mean, and the standard deviation of a random graph.
    num_graphs : int
        Random graphs that were drawn.
    """

    mean: Positive
    sd: Positive
    num_graphs: Annotated[int, Meta(ge=2)]

    def __str__(self) -> str:
        """The mean ± the standard deviation."""
        digits = 0 if self.mean >= 100 else 1
        return f"{self.mean:,.{digits}f} ± {self.sd:,.{digits}f}"


class FilterRecord(StructureRecord):
    """A filter in ``filters.json``: its number, its structure, and where the graph has it."""

    id: Count
    name: str
    # from node to node, before they were rounded; with several relations a list for each channel
    weights: list[list[Share | list[Share]]]
    # of each node, in the units of the input
    features: list[list[float]]
    size: Annotated[int, Meta(ge=1, le=MOST_FILTER_NODES)]
    instances: OccurrenceCount
    disjoint_instances: Count
    random_instances: RandomInstances | None
    exceeds: bool
    exact: OccurrenceCount
    nearest_nodes: OccurrenceCount
    similarity: Annotated[tuple[Similarity, ...], Meta(max_length=len(QUANTILES))]
    nearest: tuple[NearestSubgraph, ...]


# arrays have no single truth value, so records are compared by identity
@dataclass(frozen=True, eq=False)
class MinedFilter:
    """A filter as a graph of M nodes: a structure, with features, and where the graph has it.

    Attributes
    ----------
    id : int
        Its number, the place in ``filters_``.
    structure : Structure
        Its edges of weight above ½, with directions, relations and categories of the graph.
    name : str
        What it looks like, in words; no two of a miner are alike.
    weights : numpy.ndarray
        float32 ``[M, M]``, or ``[M, M, C]`` for C channels: the weights of its edges, in [0, 1],
        before they were rounded; 0 and 1 where nothing was trained.
    features : numpy.ndarray
        float64 ``[M, D]``, the features of its nodes in the units of the input: means over the
        subgraphs that have its structure, or trained.
    feature_names : tuple of str
        Names of the D features.
    size : int
        Nodes of the subgraphs that it is compared with, at least M.
    instances : OccurrenceCount
        Different node sets that the subgraphs of this size around the nodes show the structure at.
        They do not depend on the other filters. Where nodes were sampled they are an estimate.
    disjoint_instances : int
        Of the instances that were seen, as many as share no node, chosen greedily: a lower bound.
    random_instances : RandomInstances or None
        The instances in random graphs with the same degrees; None where there are none.
    exceeds : bool
        Whether the graph has more of it than the random graphs, by more than three standard
        deviations; how is in :func:`gomkcn.mining.filters.contrast.cover`.
    exact : OccurrenceCount
        Nodes whose subgraph of this size is isomorphic to ``structure``.
    nearest_nodes : OccurrenceCount
        Nodes whose subgraph is more similar to this filter than to the others. It depends on which
        others there are.
    similarity : tuple of float
        Quantiles .1, .25, .5, .75 and .9 of the similarity of these nodes; empty without any.
    nearest : tuple of NearestSubgraph
        The most similar subgraphs, on different sets of nodes.
    """

    id: int
    structure: Structure
    name: str
    weights: np.ndarray
    features: np.ndarray
    feature_names: tuple[str, ...]
    size: int
    instances: OccurrenceCount
    disjoint_instances: int
    random_instances: RandomInstances | None
    exceeds: bool
    exact: OccurrenceCount
    nearest_nodes: OccurrenceCount
    similarity: tuple[float, ...]
    nearest: tuple[NearestSubgraph, ...]

    def __repr__(self) -> str:
        """What it is, and how many instances there are."""
        return f"MinedFilter({self.id}: {self.name} × {self.instances})"

    @property
    def stands_for_nearest(self) -> bool:
        """Whether the nodes that are nearest to it look like it, so that a page may begin with it.

        Enough of them have exactly its structure, and their similarity to it is not low.
        """
        if not self.similarity or not self.nearest_nodes.value:
            return False
        median = self.similarity[len(QUANTILES) // 2]
        share = self.exact.value / self.nearest_nodes.value
        return share >= LEAST_EXACT_SHARE and median >= LEAST_SIMILARITY

    def renumbered(self, number: int) -> MinedFilter:
        """The same filter with another number."""
        return replace(self, id=number)

    def to_networkx(self) -> Any:
        """The filter as a NetworkX graph: weights at edges, features at nodes.

        See :meth:`gomkcn.Structure.to_networkx`; an edge has its ``weight``, a node each feature by
        its name and, where there are categories, ``category``.

        >>> import networkx as nx
        >>> from gomkcn import FilterMiner
        >>> miner = FilterMiner(1, filter_size=3, contrast=False).fit(nx.complete_graph(3))
        >>> drawn = miner.filters_[0].to_networkx()
        >>> round(drawn.edges[0, 1]["weight"], 1), drawn.nodes[0]
        (1.0, {'constant': 1.0})
        """
        graph = self.structure.to_networkx()
        graph.graph |= {"filter": self.id, "name": self.name, "instances": self.instances.value}
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
            **{name: as_record(getattr(self, name)) for name in _RECORDED},
        }

    @classmethod
    def of_record(cls, record: FilterRecord, feature_names: Sequence[str]) -> MinedFilter:
        """Read a record; a ValueError where its parts do not belong together."""
        structure = Structure.from_dict(record.structure())
        size = structure.num_nodes
        weights = np.array(record.weights, np.float32)
        features = np.array(record.features, np.float64).reshape(size, len(feature_names))
        if weights.shape[:2] != (size, size):
            raise ValueError(f"the weights of filter {record.id} are not of {size} nodes")
        return cls(
            id=record.id,
            structure=structure,
            name=record.name,
            weights=weights,
            features=features,
            feature_names=tuple(feature_names),
            **{name: getattr(record, name) for name in _RECORDED},
        )


def mined_filters(
    bank: FilterBank, learnt: Learnt, responses: Responses, mined: MinedGraph
) -> list[MinedFilter]:
    """The record of each filter of a bank, from the responses of the nodes of a graph.

    Nodes of the responses are numbered as the graph was given.
    """
    graph = mined.given
    told = [describe_structure(structure, bank.feature_names) for structure in bank.structures]
    names = tell_apart(told, bank.structures)
    labels = responses.labels
    drawn = int((~np.isnan(responses.similarity[:, :1])).sum()) if len(bank) else graph.num_nodes
    found = []
    for number, (structure, name) in enumerate(zip(bank.structures, names, strict=True)):
        size = bank.sizes[number]
        # 1. where it is, whatever other filters there are
        nodes = responses.nodes[:, bank.subgraph_sizes.index(size)]
        exact = np.flatnonzero(responses.is_exact[:, number])
        sizes = np.full(len(exact), structure.num_nodes)
        node_sets, hits = count_node_sets(nodes[exact], sizes)
        instances = count_instances(
            mined.graph,
            bank.settings_of(size),
            mined.order.position[node_sets],
            hits,
            drawn,
        )
        random = learnt.random_instances[number]
        # 2. the nodes that are nearer to it than to the others
        roots = np.flatnonzero(labels == number)
        similarity = responses.similarity[roots, number]
        quantiles = np.quantile(similarity, QUANTILES).tolist() if len(roots) else []
        found.append(
            MinedFilter(
                id=number,
                structure=structure,
                name=name,
                weights=bank.weights(number),
                features=bank.features(number),
                feature_names=bank.feature_names,
                size=size,
                instances=instances,
                disjoint_instances=len(choose_disjoint(node_sets)),
                random_instances=(
                    RandomInstances(float(random.mean()), float(random.std(ddof=1)), len(random))
                    if len(random)
                    else None
                ),
                exceeds=learnt.exceeds[number],
                exact=OccurrenceCount.of_sample(len(exact), drawn, graph.num_nodes),
                nearest_nodes=OccurrenceCount.of_sample(len(roots), drawn, graph.num_nodes),
                similarity=tuple(quantiles),
                nearest=_nearest(roots, number, structure.num_nodes, nodes, responses, graph),
            )
        )
    return found


def _nearest(
    roots: np.ndarray,
    number: int,
    size: int,
    subgraphs: np.ndarray,
    responses: Responses,
    graph: CSRGraph,
) -> tuple[NearestSubgraph, ...]:
    """The most similar of the subgraphs around the nodes ``roots``, on different sets of nodes."""
    found = []
    seen = set[frozenset[int]]()
    similarity = responses.similarity[:, number]
    for root in roots[np.argsort(-similarity[roots], kind="stable")].tolist():
        nodes = subgraphs[root]
        members = frozenset(nodes[nodes >= 0].tolist())
        if members in seen:
            continue
        seen.add(members)
        places: list[int | str | None] = [None] * size
        matching = responses.matching[root]
        ids = graph.original_ids(nodes[matching >= 0])
        for place, node in zip(matching[matching >= 0].tolist(), ids, strict=True):
            places[place] = node
        (name,) = graph.original_ids(np.array([root]))
        owner = int(graph.graph_of(np.array(root)))
        found.append(NearestSubgraph(name, float(similarity[root]), tuple(places), owner))
        if len(found) == MOST_NEAREST:
            break
    return tuple(found)
