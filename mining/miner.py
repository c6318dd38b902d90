"""PatternMiner: from a graph to its motif set and its patterns."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graph import as_csr, graph_labels
from gomkcn_dgl.runtime.job import JobProgress
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.subgraphs import SubgraphSettings, usual_hops
from mining.candidates.frequent import patterns_of_subgraphs
from mining.candidates.trained_filters import patterns_of_filters
from mining.choice import choose_patterns
from mining.counting.sought import STEPS_PER_SECOND, steps_in
from mining.graph_relations import with_relations
from mining.learning.filter_learning import learn_filters
from mining.learning.rooted_subgraphs import FeatureScaling, RootedSubgraphs
from mining.locating import locate_patterns
from mining.mined_graph import MinedGraph, classes_of
from mining.miner_parameters import COUNT_SECONDS, MinerParameters
from mining.motif_sets.finding import find_motif_set, given_patterns
from mining.pattern import Pattern, Patterns, merge
from mining.pattern_counts import COPIES, LOG, bag_of_patterns

log = logging.getLogger("gomkcn_dgl")

# most steps of an estimate that begins when the time is up
_LATE_STEPS = STEPS_PER_SECOND // 10
# exact counts may take longer than estimates of one graph
_PATIENCE = 10


@dataclass(eq=False, repr=False)
class PatternMiner(TransformerMixin, MinerParameters):
    """Find what a graph or a collection of graphs is made of.

    The answer is the motif set: the few structures whose copies shorten the description of the
    graph most, see :class:`gomkcn.MotifSet`. Beside it, all structures of three to five nodes are
    counted, in the graph and in random graphs, and those that differ are reported (of three and
    four nodes where edges have directions or several relations, or nodes have categories, and of
    fewer sizes in a large graph). Motifs come from connected node sets that recur; where numeric
    features vary, or where asked, also from graph filters that are initialised with real subgraphs,
    trained as cluster centres of the subgraphs around the nodes and discretised (section VI-B of
    the GOMKCN paper). Where edges have directions or several relations, so have those of the
    patterns; where nodes have categories, the places of a pattern have the same.

    Parameters
    ----------
    num_patterns : int
        Filters to train, and most of their patterns to report beside the motif set, what differs
        from random graphs, and what is given.
    pattern_size : int, (int, int), str or None
        Number of nodes of a pattern: one number, or the smallest and the largest, as in ``(3, 8)``
        or ``"3-8"``; at most 10. None: 3 to 8 in one graph, 2 to 10 in a collection.
    sources : str or sequence of str
        What shows structures that may be motifs: "grown" node sets, trained "filters", "frequent"
        subgraphs of a collection, or several, as in ``"grown,filters"``. "auto": grown sets, and
        filters where numeric features vary.
    given : sequence of Structure or str
        Structures to try and to report as well, as :meth:`gomkcn.Structure.parse` takes them.
    exact_copies : bool
        Whether each copy of a motif must have its edges and no others. Else copies may lack some
        and have others, where saying so is shorter.
    null : str, callable, NullModel or a sequence of these
        Null models to compare with, see :func:`gomkcn.null_model`; the first one decides what is
        reported. "auto": ``"degree"``, and as many sizes as are counted in all random graphs within
        two minutes of one thread; named models are compared at all sizes. "none" or None: none.
    null_samples : int
        Random graphs of each null model, at least 99.
    count_error, count_seconds : float, float or None
        Wanted relative error of counts that are estimated, and how much work each may take, first
        to find all occurrences and then to draw: seconds of one thread, which stand for 10⁸ steps
        on any machine. A step checks a node. None: 1, and 10 in a graph of more than 8 million
        edges.
    num_epochs : int
        Gradient epochs; 0 keeps the initial filters.
    learning : FilterLearning or None
        How the filters are learnt beyond that. None: ``FilterLearning()``.
    min_occurrences : int
        Patterns of filters are dropped if they have fewer occurrences.
    level : {"node", "graph"}
        Whether :meth:`transform` returns a row for each node, or for each graph of a list.
    values : {"copies", "occurrences", "log"}
        What is in these rows: where copies of the motifs lie, see :meth:`MotifSet.transform`; the
        occurrences of each pattern in a graph, or those that a node is in; or ``log(1 +
        occurrences)``.
    random_state : int
        Seed of everything; the same seed gives the same patterns.
    kernel : GOMKKernel or None
        Defines how similar a subgraph and a filter are. None: ``GOMKKernel(3, tau=0.5)``.
    backend : str
        As in :func:`gomkcn.gomk`.
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
    loss_curve_ : list of float
        1 - mean similarity of a subgraph to its most similar filter: before the training, then
        after each epoch; empty without filters.
    others_ : list of Pattern
        What was counted beside the patterns, the largest z first.
    relations_ : Relations
        The relations of the graph, and whether their edges have a direction.
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
    graphs can be divided by ``cross_val_score`` or ``GridSearchCV``; for a collection that was
    read from a file, :func:`gomkcn.split_graphs` returns the list.

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
    ...     given=["ring-5", "clique-5"], level="graph", values="occurrences", null=None
    ... )
    >>> classifier = make_pipeline(miner, LogisticRegression()).fit(graphs, [0, 1] * 4)
    >>> classifier.predict([nx.complete_graph(6), nx.cycle_graph(5)]).tolist()
    [1, 0]
    """

    def fit(
        self,
        graph: Any,
        y: Any = None,
        *,
        steps: Steps | None = None,
        progress: bool = False,
        quiet: bool = False,
    ) -> PatternMiner:
        """Mine a graph.

        Parameters
        ----------
        graph : anything :func:`gomkcn.as_csr` takes
            A graph or a collection. Directions and relations of the edges are those of its
            patterns; weights and features of edges are not used: a pattern has an edge or not.
        y : sequence, optional
            The class of each graph of a collection, text or whole numbers: patterns then say how
            they separate the classes. None: the labels that the collection holds, ``y`` of PyG or
            the second of pairs (graph, label), where they are classes. Other targets, such as those
            of nodes, are not used.
        steps : Steps, optional
            Stores intermediate results, so that a job resumes, tells when to stop, and has the
            ``n_jobs`` that count.
        progress : bool
            Whether to show a progress bar; that of ``steps``, where they are given.
        quiet : bool
            Whether not to log what was merged and dropped.

        Raises
        ------
        InputError
            For a parameter out of range, or a graph without nodes.
        RunInterruptedError
            If a signal asked to stop.
        """
        # 1. read the graph
        self.check()
        given = _without_weights(as_csr(graph))
        # nothing that is drawn at random depends on how nodes are numbered, or graphs
        y = graph_labels(graph) if y is None else y
        mined = MinedGraph.of(given, y)
        is_collection = isinstance(graph, list | tuple) or given.num_graphs > 1
        # without an edge there is nothing to grow, to learn or to compare
        has_edges = given.num_edges > 0
        sources = self.sources_for(mined) if has_edges else ()
        proposed = given_patterns(self.given, given.relations)
        rules = self.choice_rules(given.num_edges)
        rules = rules if has_edges else replace(rules, nulls=())
        loss_curve: list[float] = []
        with JobProgress(progress) as bar:
            steps = Steps(progress=bar, n_jobs=self.n_jobs) if steps is None else steps
            # 2. filters: sample rooted subgraphs, initialise, train, discretise
            if "filters" in sources:
                learnt, loss_curve = self._learn(mined, rules.sizes, steps)
                proposed += learnt
            if "frequent" in sources:
                proposed += patterns_of_subgraphs(mined, rules.sizes)
            # 3. the few structures whose copies shorten the description of the graph most
            motif_set = find_motif_set(
                mined,
                self.sizes,
                self.random_state,
                merge(proposed),
                grows="grown" in sources,
                exact_copies=self.exact_copies,
                is_collection=is_collection,
                steps=steps,
            )
            if steps.is_late():
                rules = replace(rules, count_steps=min(rules.count_steps, _LATE_STEPS))
            # 4. count all structures of few nodes here and in random graphs, then the larger ones
            choice = choose_patterns(mined, motif_set.motifs, proposed, rules, steps)
            # 5. list the places of these
            located = locate_patterns(mined, choice.patterns, self.random_state, steps)
        # 6. give them their numbers
        patterns = [replace(one, id=i) for i, one in enumerate(located)]
        if not quiet:
            number = len(patterns) + len(choice.others)
            log.info("%d structures were counted; %d are reported", number, len(patterns))
        # 7. only what ends whole leaves something behind
        self.patterns_, self.others_ = Patterns(patterns), list(choice.others)
        self.motif_set_ = motif_set.with_patterns(patterns)
        self.loss_curve_, self.relations_ = loss_curve, given.relations
        self.n_features_in_ = given.stored_features.shape[1]
        self.is_partial_ = steps.is_partial
        self.notes_, self.warnings_ = given.notes, choice.warnings
        self.null_models_ = choice.null_models
        self.graph_classes_ = classes_of(y, given)
        return self

    def _learn(
        self, mined: MinedGraph, sizes: range, steps: Steps
    ) -> tuple[list[Pattern], list[float]]:
        """What filters learn of the subgraphs around the nodes, and the loss curve."""
        graph, learning = mined.graph, self.resolve_learning()
        scaling = FeatureScaling.fit(graph.stored_features, learning.feature_contrast)
        steps.progress.begin("sampling subgraphs")
        hops = usual_hops(self.filter_nodes) if learning.num_hops is None else learning.num_hops
        settings = SubgraphSettings(hops, self.filter_nodes, learning.policy, self.random_state)
        kernel = self.resolve_kernel()
        filters, loss_curve = learn_filters(
            RootedSubgraphs.sample(graph, scaling, kernel, settings),
            self.num_patterns,
            learning,
            kernel,
            self.backend,
            num_epochs=self.num_epochs,
            seed=self.random_state,
            steps=steps,
        )
        return patterns_of_filters(filters, mined, scaling, sizes), loss_curve

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
            float64 ``[G, motifs + 1]`` or int64 ``[V, 3]`` of copies; or float64 ``[G, patterns]``
            or ``[V, patterns]`` of occurrences or their logarithm.
        """
        check_is_fitted(self)
        csr = with_relations(as_csr(graph), self.relations_)
        if self.values == COPIES:
            return self.motif_set_.transform(csr, self.level)
        max_steps = steps_in(_PATIENCE * (self.count_seconds or COUNT_SECONDS))
        bag = bag_of_patterns(
            self.patterns_,
            csr,
            level=self.level,
            max_steps=max_steps,
            seed=self.random_state,
            n_jobs=self.n_jobs,
        )
        return np.log1p(bag) if self.values == LOG else bag

    def get_feature_names_out(self, input_features: object = None) -> np.ndarray:
        """Return the columns' names: of motifs, or number and name of each pattern."""
        check_is_fitted(self)
        if self.values == COPIES:
            return self.motif_set_.get_feature_names_out(level=self.level)
        return np.array([f"{one.id}: {one.name}" for one in self.patterns_], dtype=object)

    def __sklearn_tags__(self) -> Tags:
        """Samples are graphs, which scikit-learn has no tag for: no array can be passed."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.no_validation = True
        return tags


def _without_weights(graph: CSRGraph) -> CSRGraph:
    """Leave the weights of edges out, and note it."""
    if graph.weights is None:
        return graph
    note = "edge weights are not used for mining: a pattern has an edge or not"
    log.info(note)
    return replace(graph, weights=None, notes=(*graph.notes, note))
