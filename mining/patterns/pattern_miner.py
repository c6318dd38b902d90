"""PatternMiner: a miner as an estimator of scikit-learn, which looks at other graphs as well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gomkcn.mining.counting.pattern_counts import COPIES, LOG, bag_of_patterns
from gomkcn.mining.counting.watching import steps_in
from gomkcn.mining.filters.filter_miner import FilterMiner
from gomkcn.mining.patterns.miner import COUNT_SECONDS, Miner
from gomkcn.mining.structures.graph_estimator import GraphEstimator
from gomkcn.mining.structures.graph_relations import with_relations
from gomkcn_dgl._sklearn import TransformerMixin
from gomkcn_dgl.graph import as_unweighted

# exact counts may take longer than estimates of one graph
_PATIENCE = 10


@dataclass(eq=False, repr=False)
class PatternMiner(TransformerMixin, Miner, GraphEstimator):
    """Find what a graph or a collection of graphs is made of.

    The answer is the motif set: the few structures whose copies shorten the description of the
    graph most, see :class:`gomkcn.MotifSet`. Beside it, all structures of three to five nodes are
    counted, in the graph and in random graphs, and those that differ are reported (of three and
    four nodes where edges have directions or several relations, or nodes have categories, and of
    fewer sizes in a large graph). Motifs come from connected node sets that recur; where asked,
    also from the filters, structures of which the subgraphs around the nodes show more than those
    of random graphs, see :class:`gomkcn.FilterMiner`. Where edges have directions or several
    relations, so have those of the patterns; where nodes have categories, the places of a pattern
    have the same.

    Parameters
    ----------
    pattern_size : int, (int, int), str or None
        Number of nodes of a pattern: one number, or the smallest and the largest, as in ``(3, 8)``
        or ``"3-8"``; at most 10. None: 3 to 8 in one graph, 2 to 10 in a collection.
    sources : str or sequence of str
        What shows structures that may be motifs: "grown" node sets, "filters", "frequent" subgraphs
        of a collection, or several, as in ``"grown,filters"``.
    given : str, or sequence of Structure or str
        Structures to try and to report as well, as :meth:`gomkcn.Structure.parse` takes them.
    exact_copies : bool
        Whether each copy of a motif must have its edges and no others. Else copies may lack some
        and have others, where saying so is shorter.
    null : str, callable, NullModel or a sequence of these
        Null models to compare with, see :func:`gomkcn.null_model`; the first one decides what is
        reported. "auto": ``"degree"``, and as many sizes as are counted in all random graphs within
        two minutes of one thread, and none for molecules, in which random graphs rewire bonds that
        chemistry rules out; named models are compared at all sizes. "none" or None: none.
    null_samples : int
        Random graphs of each null model, at least 99.
    count_error, count_seconds : float, float or None
        Wanted relative error of counts that are estimated, and how much work each may take, first
        to find all occurrences and then to draw: seconds of one thread, which stand for 10⁸ steps
        on any machine. A step checks a node. None: 1, and 10 in a graph of more than 8 million
        edges.
    filters : FilterMiner or str
        How frequent neighbourhoods are found, as ``filters_``: a :class:`gomkcn.FilterMiner`, whose
        parameters can be set as ``filters__size`` and so on; "auto" for the usual one; or "none",
        which saves its seconds.
    values : {"copies", "occurrences", "log"}
        What is in the rows of :meth:`transform`: where copies of the motifs lie, see
        :meth:`MotifSet.transform`; the occurrences of each pattern in a graph, or those that a node
        is in; or ``log(1 + occurrences)``.
    random_state : int
        Seed of everything; the same seed gives the same patterns.
    n_jobs : int or None
        Workers that share random graphs, counts, places and starts of the search, as joblib takes
        it: -1 for one on each core; None for one, or what ``joblib.parallel_config`` says, with
        which the workers may be those of Dask, Ray or Spark. The result does not depend on it.

    Attributes
    ----------
    motif_set_ : MotifSet
        What the graph is made of.
    patterns_ : list of Pattern
        The motifs, most bits first; then what differs most from random graphs; then what was given,
        and what filters have found.
    filters_ : FilterMiner or None
        The fitted miner of filters: which neighbourhoods are more frequent than in random graphs.
        None where they are left out.
    others_ : list of Pattern
        What was counted beside the patterns, the largest z first.
    relations_ : Relations
        The relations of the graph, and whether their edges have a direction.
    graph_ : CSRGraph
        The graph that it was fitted to, without weights.
    is_partial_ : bool
        Whether time was up before all was done.
    notes_ : tuple of str
        What was changed or left out of the graph that was given, a phrase each.
    warnings_ : tuple of str
        Sentences on what the comparison with random graphs does not tell.
    null_models_ : dict from str to str
        What the random graphs of each null model keep, in words, by its name.
    graph_classes_ : GraphClasses or None
        The class of each graph, where ``y`` has it.
    n_features_in_ : int
        Feature width D.

    Notes
    -----
    Follows the conventions of scikit-learn, except that a sample is a graph and not a row of an
    array: the checks of ``check_estimator`` that pass arrays to ``fit`` do not apply. A list of
    graphs, or a collection that was read from a file, can be divided by ``cross_val_score`` or
    ``GridSearchCV``.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = nx.disjoint_union_all([nx.cycle_graph(5)] * 6 + [nx.complete_graph(5)] * 3)
    >>> miner = PatternMiner(null=None).fit(graph)
    >>> [(one.name, len(one.motif.copies)) for one in miner.motif_set_]
    [('clique of 5 nodes', 3)]

    Occurrences of patterns classify graphs; those that are given need no random graphs:

    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> graphs = [nx.cycle_graph(5), nx.complete_graph(5)] * 4
    >>> miner = PatternMiner(
    ...     given=["ring-5", "clique-5"], values="occurrences", null=None
    ... )
    >>> classifier = make_pipeline(miner, LogisticRegression()).fit(graphs, [0, 1] * 4)
    >>> classifier.predict([nx.complete_graph(6), nx.cycle_graph(5)]).tolist()
    [1, 0]
    """

    def transform(self, graph: Any) -> np.ndarray:
        """Return a row for each node where one graph was fitted, or for each graph of a list.

        What the rows hold is what ``values`` says; :func:`gomkcn.bag_of_patterns` and
        :meth:`MotifSet.transform` take another ``level``. Rows are in the order of the graphs, or
        of the nodes, whose names are ``as_csr(graph).original_ids(range(len(rows)))``.

        Parameters
        ----------
        graph : anything :func:`gomkcn.as_csr` takes
            A list of graphs, or one graph, with the features and the relations of those that the
            miner was fitted on.

        Returns
        -------
        numpy.ndarray
            float64 ``[G, motifs + 1]`` or int64 ``[V, 3]`` of copies; or float64 ``[G, patterns]``
            or ``[V, patterns]`` of occurrences or their logarithm.
        """
        check_is_fitted(self)
        csr = with_relations(as_unweighted(graph), self.relations_)
        if self.values == COPIES:
            return self.motif_set_.transform(csr, self._level)
        max_steps = steps_in(_PATIENCE * (self.count_seconds or COUNT_SECONDS))
        bag = bag_of_patterns(
            self.patterns_,
            csr,
            level=self._level,
            max_steps=max_steps,
            seed=self.random_state,
            n_jobs=self.n_jobs,
        )
        return np.log1p(bag) if self.values == LOG else bag

    def get_feature_names_out(self, input_features: object = None) -> np.ndarray:
        """Return the columns' names: of motifs, or number and name of each pattern."""
        check_is_fitted(self)
        if self.values == COPIES:
            return self.motif_set_.get_feature_names_out(level=self._level)
        return np.array([f"{one.id}: {one.name}" for one in self.patterns_], dtype=object)

    @property
    def _filter_miner(self) -> type[FilterMiner]:
        return FilterMiner

    @property
    def _level(self) -> str:
        """What a row stands for: a graph of a collection, or a node."""
        return "graph" if self.motif_set_.num_graphs > 1 else "node"
