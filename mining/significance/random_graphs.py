"""Random graphs of a null model, which are exchangeable with a graph."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gomkcn.mining.significance.null_models import (
    DegreeWalk,
    NullModel,
    PermutedCategories,
    null_model,
)
from gomkcn.mining.significance.permutations import node_groups
from gomkcn_dgl.checks import RandomState, as_seed
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr, with_attributes


def sample_null(
    graph: Any, null: Any = "degree", seed: RandomState = 0, within: str | None = None
) -> CSRGraph:
    """Draw one graph of a null model by ``null_model``, from anything ``as_csr`` takes.

    ``within`` is for "categories": an attribute or a feature of the nodes, "component" or "degree",
    within whose groups they are permuted.

    >>> import networkx as nx
    >>> graph = nx.barabasi_albert_graph(30, 2, seed=0)
    >>> sample_null(graph, "degree", seed=1).degrees.tolist() == [one for _, one in graph.degree]
    True
    """
    given = graph
    graph = graph if isinstance(graph, CSRGraph) else as_csr(graph)
    model = null_model(null, graph)
    if within is not None:
        model = in_groups_of(given, graph, model, within)
    return RandomGraphs(model, graph, as_seed("seed", seed)).draw(0)


def in_groups_of(given: Any, graph: CSRGraph, model: NullModel, within: str) -> NullModel:
    """The null model of categories within groups, and no other."""
    if not isinstance(model, PermutedCategories):
        raise InputError("within", "must be left out, but for 'categories'", got=repr(within))
    _, attributes, _ = with_attributes(given)
    return model.in_groups(within, node_groups(graph, within, attributes))


class RandomGraphs:
    """Random graphs that, under the null model, are exchangeable with the graph itself.

    A walk leads from the graph to a hub, and from the hub to each random graph. Read backwards, the
    first part is a walk like the others, so that nothing tells the graph from the random ones,
    however short the walks are (J. Besag and P. Clifford, Biometrika 76, 1989). Graphs that are
    drawn independently need no hub, which is the graph then. Each graph has a random stream of its
    own. ``check_time`` is called now and then while a graph is drawn, and may raise.

    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> house = as_csr(nx.house_graph())
    >>> RandomGraphs(null_model("degree", house), house, seed=1).draw(3).num_edges
    6
    """

    def __init__(
        self,
        model: NullModel,
        graph: CSRGraph,
        seed: int = 0,
        check_time: Callable[[], None] | None = None,
    ) -> None:
        self.model = model
        self.graph = graph
        self.seed = seed
        self.check_time = check_time
        self.hub = graph
        if model.is_walk:
            self.hub = self._checked(self._samples_of(graph)(self._seed_of(0)))
        # from the hub, by a seed
        self._sample = self._samples_of(self.hub)

    def draw(self, number: int) -> CSRGraph:
        """The random graph with a number, from 0; it does not depend on which were drawn before."""
        return self._checked(self._sample(self._seed_of(number + 1)))

    def _samples_of(self, start: CSRGraph) -> Callable[[int], CSRGraph]:
        """What draws a graph by its seed, and looks at ``start`` once."""
        if isinstance(self.model, DegreeWalk):
            walk_by = self.model.walk_from(start, self.check_time)
            return lambda seed: walk_by(seed)[0]
        return partial(self.model.sample, start)

    def _seed_of(self, number: int) -> int:
        stream = zlib.crc32(self.model.name.encode())
        words = np.random.SeedSequence(self.seed, spawn_key=(stream, number)).generate_state(1)
        return int(words[0])

    def _checked(self, sample: Any) -> CSRGraph:
        """A graph that was drawn; an InputError if it is none, or has other nodes or relations."""
        same = isinstance(sample, CSRGraph) and (
            # most models keep the very arrays
            sample.graph_ptr is self.graph.graph_ptr
            or np.array_equal(sample.graph_ptr, self.graph.graph_ptr)
        )
        same = same and sample.relations.kinds == self.graph.relations.kinds
        if not same:
            got = type(sample).__name__
            if isinstance(sample, CSRGraph):
                got = f"{sample.num_nodes} nodes, {sample.relations.kinds}"
            raise InputError(
                f"null {self.model.name!r} must return graphs with the nodes and relations of its "
                f"graph ({self.graph.num_nodes} nodes, {self.graph.relations.kinds}), got {got}."
            )
        assert isinstance(sample, CSRGraph), "the same"
        return sample
