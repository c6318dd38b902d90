"""The weights of the edges of a graph, each edge with its own: two in a mutual pair."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.edge_bounds import numbers_with_gaps
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import EdgeTable
from gomkcn_dgl.graphs.shapes import count
from gomkcn_dgl.messages import Argument, Text
from gomkcn_dgl.node_order import NodeOrder

log = logging.getLogger("gomkcn_dgl")


class EdgeWeights(NamedTuple):
    """The edges of a graph as :meth:`CSRGraph.edges` lists them, with their weights, all positive.

    ``notes`` say what was made of several weights of one edge.
    """

    source: np.ndarray  # int64 [A]
    target: np.ndarray  # int64 [A]
    relation: np.ndarray  # int64 [A]
    is_directed: np.ndarray  # bool [A]
    values: np.ndarray  # float64 [A]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, graph: CSRGraph, table: EdgeTable, name: str) -> EdgeWeights:
        """The weights that a column of the edges of a graph holds.

        Weights of parallel edges are added up, as a count of synapses is; of an edge without
        direction that is listed both ways it is the larger one.

        Raises
        ------
        InputError
            For a weight that is missing, or not positive and finite.

        Examples
        --------
        >>> import networkx as nx
        >>> from gomkcn_dgl.graph import with_attributes
        >>> cells = nx.MultiDiGraph([(0, 1, {"n": 2}), (0, 1, {"n": 3}), (1, 0, {"n": 9})])
        >>> graph, _, edges = with_attributes(cells, ("n",))
        >>> EdgeWeights.of(graph, edges, "n").values.tolist()
        [5.0, 9.0]
        """
        given = numbers_with_gaps(name, table.columns[name])
        _check_weights(name, given)
        # 1. parallel edges, of which there is one each
        source, target = np.asarray(table.source), np.asarray(table.target)
        relation = np.asarray(table.relation)
        proper = source != target
        key = _number(graph, source[proper], target[proper], relation[proper])
        different, which = np.unique(key, return_inverse=True)
        sums = np.bincount(which.reshape(-1), given[proper], len(different))
        notes = []
        if num_parallel := len(key) - len(different):
            notes.append(f"added up the weights {name!r} of {count(num_parallel, 'parallel edge')}")
        # 2. the edges of the graph, of which those without direction may be listed either way
        ends = graph.edges()
        there = _found(different, sums, _number(graph, ends[0], ends[1], ends[2]))
        back = _found(different, sums, _number(graph, ends[1], ends[0], ends[2]))
        is_directed = np.array(graph.relations.directed)[ends[2]]
        back = np.where(is_directed, np.nan, back)
        num_opposite = int(((there != back) & ~np.isnan(there) & ~np.isnan(back)).sum())
        if num_opposite:
            notes.append(
                f"took the larger of the two weights {name!r} of "
                f"{count(num_opposite, 'pair')} of opposite edges"
            )
        for note in notes:
            log.info("%s", note)
        return cls(*ends, is_directed, np.fmax(there, back), tuple(notes))

    def ordered(self, order: NodeOrder) -> EdgeWeights:
        """The same of the graph in an order of its own."""
        ends = order.graph.edges()
        source, target = order.position[self.source], order.position[self.target]
        turned = ~self.is_directed & (source > target)
        source, target = np.where(turned, target, source), np.where(turned, source, target)
        key = _number(order.graph, source, target, self.relation)
        place = np.argsort(key)
        found = np.searchsorted(key[place], _number(order.graph, *ends))
        kept = place[found]
        return EdgeWeights(*ends, self.is_directed[kept], self.values[kept], self.notes)

    def finder(self, graph: CSRGraph) -> Callable[[np.ndarray, np.ndarray, int], np.ndarray]:
        """What finds edges by their ends ``[K]`` and their relation, which must be there."""
        key = _number(graph, self.source, self.target, self.relation)
        order = np.argsort(key)

        def find(source: np.ndarray, target: np.ndarray, relation: int) -> np.ndarray:
            if not graph.relations.directed[relation]:
                source, target = np.minimum(source, target), np.maximum(source, target)
            wanted = _number(graph, source, target, np.full(len(source), relation))
            return order[np.searchsorted(key[order], wanted)]

        return find

    def pairs_in(self, graph: CSRGraph) -> np.ndarray:
        """The pair of nodes that each edge joins, of :meth:`CSRGraph.adjacent_pairs`, int64."""
        pairs = graph.adjacent_pairs().astype(np.int64)
        low = np.minimum(self.source, self.target)
        high = np.maximum(self.source, self.target)
        size = graph.num_nodes
        return np.searchsorted(pairs[:, 0] * size + pairs[:, 1], low * size + high)


def _number(
    graph: CSRGraph, source: np.ndarray, target: np.ndarray, relation: np.ndarray
) -> np.ndarray:
    """A number for the ends and the relation of each edge, ascending by ends."""
    pair = np.asarray(source, np.int64) * graph.num_nodes + target
    return pair * len(graph.relations.names) + relation


def _found(known: np.ndarray, values: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The value of each number that is known, NaN of another."""
    place = np.minimum(np.searchsorted(known, wanted), max(0, len(known) - 1))
    if not len(known):
        return np.full(len(wanted), np.nan)
    return np.where(known[place] == wanted, values[place], np.nan)


def _check_weights(name: str, values: np.ndarray) -> None:
    """Refuse what has no geometric mean: weights that are missing, 0, negative or infinite."""
    missing = int(np.isnan(values).sum())
    wrong = ~np.isnan(values) & ~((values > 0) & np.isfinite(values))
    if not (missing or wrong.any()):
        return
    got = f"none at {count(missing, 'edge')}"
    if wrong.any():
        got = f"{values[wrong][0]:g} at {count(int(wrong.sum()), 'edge')}"
    positive = values[(values > 0) & np.isfinite(values)]
    way_out: Text = "name another column"
    if len(positive) and not np.isinf(values).any():
        least = f"{name}={str(positive.min()).removesuffix('.0')}"
        way_out = (Argument("minimum", (least,)), " leaves those edges out")
    raise InputError(
        "weight",
        f"must name a column of positive numbers, and {name!r} is not one: a geometric mean has no "
        "other weights",
        got=got,
        way_out=way_out,
    )
