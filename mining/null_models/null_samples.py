"""The graphs of a null model that a graph is compared with: all that is compared sees the same."""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.checks import check_choice, check_int
from gomkcn_dgl.csr import CSRGraph
from mining.null_models.null_models import NULL_MODELS, sample_null

# the first ones are looked at several times, and kept where a graph has at most so many edges
_NUM_KEPT, _MOST_KEPT_EDGES = 4, 1_000_000


class NullSamples:
    """Graphs of a null model, by their number; each has a random stream of its own.

    Parameters
    ----------
    graph : CSRGraph
        One graph or a collection.
    null : str
        See :mod:`mining.null_models.null_models`.
    seed : int
        The same seed gives the same graphs.

    Raises
    ------
    InputError
        For an unknown null model or a negative seed.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> samples = NullSamples(as_csr(nx.house_graph()), "degree", seed=1)
    >>> samples.draw(0).num_edges
    6
    """

    def __init__(self, graph: CSRGraph, null: str, seed: int = 0) -> None:
        self.graph, self.null = graph, check_choice("null", null, NULL_MODELS)
        self.seed = check_int("seed", seed, 0)
        self._kept: dict[int, CSRGraph] = {}

    def draw(self, number: int) -> CSRGraph:
        """Return the graph with a number, from 0."""
        if number in self._kept:
            return self._kept[number]
        # the stream of a number does not depend on how many there are
        rng = np.random.default_rng([self.seed, NULL_MODELS.index(self.null)])
        sample = sample_null(self.graph, self.null, int(rng.integers(2**62, size=number + 1)[-1]))
        if number < _NUM_KEPT and self.graph.num_edges <= _MOST_KEPT_EDGES:
            self._kept[number] = sample
        return sample
