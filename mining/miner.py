"""PatternMiner: from a graph to the patterns that stand out in it."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.runtime.job import JobProgress
from gomkcn_dgl.runtime.processes import is_first
from gomkcn_dgl.runtime.steps import Steps
from mining.candidates.grown_sets import gather_candidates
from mining.candidates.trained_filters import patterns_of_filters
from mining.categories import Categories
from mining.choice import choose_patterns
from mining.counting.exact_search import STEPS_PER_SECOND
from mining.learning.consensus import MOST_CONSENSUS_NODES, add_consensus, may_be_noisy
from mining.learning.deduplication import deduplicate
from mining.learning.discrete_filters import DiscreteFilters
from mining.learning.filter_learning import learn_filters
from mining.learning.rooted_subgraphs import FeatureScaling, RootedSubgraphs, ScaledFeatures
from mining.learning.subgraph_source import SubgraphSource
from mining.locating import locate_patterns
from mining.mined_graph import MinedGraph
from mining.miner_parameters import MinerParameters
from mining.pattern import Pattern
from mining.pattern_features import PatternFeatures

log = logging.getLogger("gomkcn_dgl")

# structures beside those of the filters that are counted and judged: in a graph of more edges, in
# which each takes longer, fewer by the root of their number, but not below the least
_MOST_CANDIDATES, _LEAST_CANDIDATES, _SMALL_GRAPH = 100, 40, 5_000
# most steps of an estimate that begins when the time is up
_LATE_STEPS = STEPS_PER_SECOND // 10
_FEW_PATTERNS = (
    "the graph is small: of its {} nodes at most {} patterns are reported, unless num_patterns says"
    " otherwise"
)


@dataclass(eq=False, repr=False)
class PatternMiner(PatternFeatures, MinerParameters):
    """Find the patterns of a graph or a collection of graphs that stand out.

    All structures of three to five nodes are counted, in the graph and in random graphs, and those
    that differ are reported (of three and four nodes where edges have directions or several
    relations, or nodes have categories, and of fewer sizes in a large graph). Larger ones are
    gathered: those that recur among connected node sets, and those of graph filters that are
    initialised with real subgraphs, trained as cluster centres of the subgraphs around the nodes
    and discretised (section VI-B of the GOMKCN paper). They are counted in the whole graph, and
    carry no verdict. Where edges have directions or several relations, so have those of the
    patterns; where nodes have categories, the places of a pattern have the same.

    Parameters
    ----------
    num_patterns : int or None
        Most patterns to report beside those that differ from random graphs, and filters to learn.
        None: 12, and in a graph of fewer than 48 nodes one for each 4 nodes.
    pattern_size : int, (int, int) or str
        Number of nodes of a pattern: one number, or the smallest and the largest, as in ``(3, 8)``
        or ``"3-8"``; at most 10.
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
        Patterns that random graphs say nothing of are dropped if they have fewer occurrences.
    level : {"node", "graph"}
        Whether :meth:`transform` returns a row for each node, or for each graph of a list.
    values : {"auto", "occurrences", "log", "similarity"}
        What is in these rows: the occurrences of each pattern in a graph, or those that a node is
        in; ``log(1 + occurrences)``; or how similar the neighbourhood of a node is to a pattern,
        the largest of a graph. "auto": occurrences for graphs, similarity for nodes.
    random_state : int
        Seed of everything; the same seed gives the same patterns.
    memory_limit : int, str or None
        Bytes that mining may take beside the graph, or a size such as ``"2GiB"``. None: half of the
        machine's memory.
    kernel : GOMKKernel or None
        Defines how similar a subgraph and a filter are. None: ``GOMKKernel(3, tau=0.5)``, changed
        by the keywords ``num_levels``, ``tau``, ``matching`` and ``anchor_root`` where these are
        not None.
    backend : str
        As in :func:`gomkcn.gomk`.

    Attributes
    ----------
    patterns_ : list of Pattern
        What differs most from random graphs first, then what was not compared with them.
    filters_ : DiscreteFilters
        The profiles of these patterns as the kernel takes them, one after the other.
    loss_curve_ : list of float
        1 - mean similarity of a subgraph to its most similar filter: before the training, then
        after each epoch.
    others_ : list of Pattern
        What was counted beside the patterns, the largest z first.
    num_candidates_ : int
        Structures that were counted.
    source_ : SubgraphSource
        Takes subgraphs from a graph as :meth:`fit` did, with the same scaling of the features.
    num_subgraphs_ : int
        Nodes whose neighbourhood was compared with the patterns: all, or a random sample.
    truncated_share_ : float
        Share of these neighbourhoods that had more nodes than the largest pattern.
    nearest_, nearest_similarity_ : numpy.ndarray
        int32 and float32 position of the nearest pattern of each of these nodes, and how similar
        its neighbourhood is; empty where no pattern was found.
    is_partial_ : bool
        Whether time was up before all random graphs were compared.
    notes_ : tuple of str
        What was changed or left out of the graph that was given, a phrase each.
    warnings_ : tuple of str
        Sentences on what the comparison with random graphs does not tell.
    null_models_ : dict from str to str
        What the random graphs of each null model keep, in words, by its name.
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
    >>> miner = PatternMiner(2, pattern_size=5, min_occurrences=2, null=None).fit(graph)
    >>> sorted((len(p.edges), p.frequency.count, p.frequency.roots) for p in miner.patterns_)
    [(5, 6, 30), (10, 3, 15)]

    A bag of patterns classifies graphs; it needs no random graphs:

    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> graphs = [nx.cycle_graph(5), nx.complete_graph(5)] * 4
    >>> miner = PatternMiner(2, 5, min_occurrences=2, level="graph", null=None)
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
        """Mine a graph; all processes share the work and get the patterns.

        Parameters
        ----------
        graph : anything :func:`gomkcn.as_csr` takes
            A graph or a collection. Directions and relations of the edges are those of its
            patterns; weights and features of edges are not used: a pattern has an edge or not.
        y : sequence, optional
            The class of each graph of a collection, text or whole numbers: patterns then say how
            they separate the classes. Other targets, such as those of nodes, are not used.
        steps : Steps, optional
            Stores intermediate results, so that a job resumes, and tells when to stop.
        progress : bool
            Whether to show a progress bar; that of ``steps``, where they are given.
        quiet : bool
            Whether not to log what was merged and dropped.

        Raises
        ------
        InputError
            For a parameter out of range, a graph in which no two nodes are joined, or more memory
            than ``memory_limit``.
        RunInterruptedError
            If a signal asked to stop.
        """
        # 1. read the graph, scale its features, and settle how subgraphs are extracted and compared
        given, source = prepare(self, graph)
        # nothing that is drawn at random depends on how nodes are numbered, or graphs
        mined = MinedGraph.of(given, y, source.categories)
        notes, rules = mined.graph.notes, self.choice_rules(given.num_nodes, given.num_edges)
        if rules.num_patterns < self.most_patterns:
            notes += (_FEW_PATTERNS.format(given.num_nodes, rules.num_patterns),)
        with JobProgress(progress and is_first()) as bar:
            steps = Steps(progress=bar) if steps is None else steps
            # 2. sample rooted subgraphs, 3. initialise filters, train them as cluster centres, turn
            # them into graphs and deduplicate them
            steps.progress.begin("sampling subgraphs")
            subgraphs = source.training_subgraphs(mined.graph)
            filters, loss_curve = learn_distinct_filters(self, subgraphs, steps)
            filters = add_noisy(self, source, mined.graph, filters)
            # 4. put their structures together with those that recur among connected node sets
            steps.progress.begin("gathering candidates")
            # with the time up already, what the filters have found is enough, and rough counts
            is_late = steps.is_over()
            grown = [] if is_late else _gather(self, mined)
            if is_late:
                rules = replace(rules, count_steps=min(rules.count_steps, _LATE_STEPS))
            seen = patterns_of_filters(filters, mined, source.scaling, self.sizes, grown)
            # 5. count all structures of few nodes here and in random graphs, then the larger ones
            choice = choose_patterns(mined, seen, rules, steps)
            # 6. list the places of these, and compare the neighbourhoods of the nodes with them
            located, filters, near = locate_patterns(
                mined, source, choice.patterns, self.min_occurrences, steps
            )
        # 7. give them their numbers
        patterns = [replace(one, id=i) for i, one in enumerate(located)]
        others = [replace(one, sight=None) for one in choice.others]
        num_candidates = len(choice.patterns) + len(others)
        if not quiet and is_first():
            log.info(
                "%d structures were counted; %d patterns are reported",
                num_candidates,
                len(located),
            )
        # 8. only what ends whole leaves something behind
        rows = np.argsort(mined.order.given(near.roots))
        nearest, similarity = (one[rows] if len(one) else one for one in near.nearest())
        self.patterns_, self.others_, self.filters_ = patterns, others, filters
        self.loss_curve_, self.source_, self.num_candidates_ = loss_curve, source, num_candidates
        self.nearest_, self.nearest_similarity_ = nearest, similarity
        self.num_subgraphs_ = len(near.roots)
        self.truncated_share_ = float(near.truncated.mean())
        self.n_features_in_ = len(source.scaling.offset)
        self.is_partial_ = steps.is_partial
        self.notes_, self.warnings_ = notes, choice.warnings
        self.null_models_ = choice.null_models
        return self

    def fit_predict(self, graph: Any, y: None = None) -> np.ndarray:
        """Mine ``graph`` and return the most similar pattern of each node, int64 ``[V]``."""
        return self.fit(graph).predict(graph)


def learn_distinct_filters(
    miner: PatternMiner, subgraphs: RootedSubgraphs, steps: Steps
) -> tuple[DiscreteFilters, list[float]]:
    """Learn filters from subgraphs and deduplicate them; also return the loss curve."""
    filters, loss_curve = learn_filters(
        subgraphs,
        min(miner.most_patterns, len(subgraphs.batch)),
        miner.resolve_learning(),
        num_epochs=miner.num_epochs,
        seed=miner.random_state,
        steps=steps,
    )
    filters = deduplicate(filters, subgraphs)
    return subgraphs.add_indistinguishable(filters), loss_curve


def prepare(miner: PatternMiner, graph: Any) -> tuple[CSRGraph, SubgraphSource]:
    """Read the graph and check the parameters; refuse a graph that takes too much memory."""
    csr = as_csr(graph)
    if not len(csr.indices):
        left_out = "; ".join(note for note in csr.notes if note.startswith("dropped")) or "none"
        raise InputError(
            f"graph must have an edge between two different nodes, got {csr.num_nodes:,} nodes and "
            f"no such edge (left out: {left_out})."
        )
    scaling = FeatureScaling.fit(csr.stored_features, miner.resolve_learning().feature_contrast)
    categories = Categories.find(csr.stored_features, csr.feature_names)
    source = miner.make_source(scaling, csr.relations, categories)
    csr = source.read(csr)
    source.check_memory(csr)
    return csr, source


def add_noisy(
    miner: PatternMiner, source: SubgraphSource, graph: CSRGraph, filters: DiscreteFilters
) -> DiscreteFilters:
    """Add the consensus of noisy copies, where a graph without directions and types may have such.

    Without features that vary there is none, see ``mining/learning/consensus.py``.

    It has as many nodes as the filters, but at most 6.
    """
    size = min(filters.adj.shape[1], MOST_CONSENSUS_NODES)
    varies = np.less(*ScaledFeatures(graph.features, source.scaling).bounds()).any()
    if graph.links is not None or not varies or size < max(3, miner.sizes[0]):
        return filters
    subgraphs = source.resized(size).training_subgraphs(graph)
    if not may_be_noisy(subgraphs):
        return filters
    return add_consensus(
        filters,
        subgraphs,
        min(miner.most_patterns, len(subgraphs.batch)),
        miner.resolve_learning().sample_size,
        miner.min_occurrences,
        miner.random_state,
    )


def _gather(miner: PatternMiner, mined: MinedGraph) -> list[Pattern]:
    """The structures that recur among connected node sets."""
    size = mined.graph.num_graphs / max(1, mined.graph.num_edges)
    most = int(_MOST_CANDIDATES * min(1.0, (_SMALL_GRAPH * size) ** 0.5))
    return gather_candidates(
        mined,
        miner.sizes,
        seed=miner.random_state,
        most=max(_LEAST_CANDIDATES, most),
        min_occurrences=miner.min_occurrences,
    )
