"""A miner as a transformer of scikit-learn: patterns are features of graphs, or of nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.node_order import NodeOrder
from mining.counting.sought import steps_in
from mining.learning.neighbourhoods import Neighbourhoods, compare_neighbourhoods
from mining.learning.subgraph_source import SubgraphSource
from mining.miner_parameters import COUNT_SECONDS
from mining.motif_sets.motif_set import MotifSet
from mining.pattern import Pattern
from mining.pattern_counts import COPIES, LOG, SIMILARITY, bag_of_patterns

# exact counts may take longer than estimates of one graph
_PATIENCE = 10


class PatternFeatures(TransformerMixin):
    """Turns graphs into rows of numbers, by the motifs and patterns that were mined.

    A sample is a graph, in a list or a collection, where ``level`` is "graph", and a node of all
    graphs where it is "node". ``values`` are the entries: "copies" of the motifs, see
    :meth:`gomkcn.MotifSet.transform`; "occurrences" of each pattern, or their "log" as ``log(1 +
    occurrences)``, see :func:`gomkcn.bag_of_patterns`; or "similarity", that of the neighbourhood
    of a node to the pattern, of which a graph has the largest, numeric features included.
    """

    # set by the miner
    count_seconds: float | None
    level: str
    values: str
    random_state: int
    patterns_: list[Pattern]
    motif_set_: MotifSet
    source_: SubgraphSource

    def transform(self, graph: Any) -> np.ndarray:
        """Return a row for each graph or each node, as ``level`` and ``values`` say.

        Parameters
        ----------
        graph : anything :func:`gomkcn.as_csr` takes
            A list of graphs, or one graph, with the features and the relations of those that the
            miner was fitted on.

        Returns
        -------
        numpy.ndarray
            float64 ``[G, motifs + 1]`` or int64 ``[V, 3]`` of copies; float64 ``[G, patterns]`` or
            ``[V, patterns]`` of occurrences or their logarithm; or float32 similarities, in [0, 1].
        """
        check_is_fitted(self)
        csr = self.source_.read(graph)
        if self.values == COPIES:
            return self.motif_set_.transform(csr, self.level)
        if self.values == SIMILARITY:
            near, order = self._near(csr)
            similarity = near.similarity[order.position]
            if self.level == "node":
                return similarity
            return np.maximum.reduceat(similarity, csr.graph_ptr[:-1], axis=0)
        max_steps = steps_in(_PATIENCE * (self.count_seconds or COUNT_SECONDS))
        bag = bag_of_patterns(
            self.patterns_, csr, level=self.level, max_steps=max_steps, seed=self.random_state
        )
        return np.log1p(bag) if self.values == LOG else bag

    def predict(self, graph: Any) -> np.ndarray:
        """Position in ``patterns_`` of the most similar pattern of each node, int64 ``[V]``.

        Raises
        ------
        InputError
            If :meth:`fit` found no pattern.
        """
        check_is_fitted(self)
        if not self.patterns_:
            raise InputError("predict needs a pattern, and fit found none; lower min_occurrences.")
        near, order = self._near(self.source_.read(graph))
        return near.nearest()[0][order.position].astype(np.int64)

    def get_feature_names_out(self, input_features: object = None) -> np.ndarray:
        """Return the columns' names: of motifs, or number and name of each pattern."""
        check_is_fitted(self)
        if self.values == COPIES:
            return self.motif_set_.get_feature_names_out(level=self.level)
        return np.array([f"{one.id}: {one.name}" for one in self.patterns_], dtype=object)

    def _near(self, graph: CSRGraph) -> tuple[Neighbourhoods, NodeOrder]:
        """The neighbourhoods of all nodes in an order of their own, as :meth:`fit` sees them."""
        order = NodeOrder.of(graph)
        return compare_neighbourhoods(self.source_, order.graph, self.patterns_, None), order

    def __sklearn_tags__(self) -> Tags:
        """Samples are graphs, which scikit-learn has no tag for: no array can be passed."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.no_validation = True
        return tags
