"""PatternMiner: graph filters as cluster centres, from a graph to its frequent patterns."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.runtime.checkpoint_store import CheckpointStore, shared_store
from gomkcn_dgl.runtime.processes import is_first
from mining.learning.deduplication import deduplicate
from mining.learning.filter_learning import learn_filters
from mining.locating.build_patterns import build_patterns
from mining.locating.locating import LocatedPatterns, locate_patterns
from mining.locating.occurrence_assignment import OccurrenceRule
from mining.locating.similarity_thresholds import null_graph_bytes
from mining.miner_parameters import MinerParameters
from mining.model_selection.selection import find_number, find_size
from mining.noisy_templates.noisy_patterns import add_noisy_patterns, may_be_noisy
from mining.records.choice import Choice
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.feature_scaling import FeatureScaling
from mining.structures.graph_relations import in_words
from mining.structures.rooted_subgraphs import RootedSubgraphs
from mining.structures.subgraph_classes import SubgraphClasses
from mining.structures.subgraph_source import SubgraphSource

log = logging.getLogger("gomkcn_dgl")

_NO_NOISY = (
    "patterns of which few copies are intact are not searched for: edges have directions or types"
)


@dataclass(eq=False, repr=False)
class PatternMiner(MinerParameters):
    """Find the patterns that occur again and again in a graph or a collection of graphs.

    A subgraph of at most ``pattern_size`` nodes is taken around every node. Graph filters are
    initialised with real subgraphs, trained as cluster centres of all of them, and turned into
    discrete patterns whose occurrences are located in the whole graph (section VI-B of the GOMKCN
    paper). In a large graph the filters are learnt on a sample of the nodes. Where edges have
    directions or several relations, so have those of the patterns: a feed-forward loop and a
    three-cycle are two patterns, and so are triangles whose edges have other types.

    Parameters
    ----------
    num_patterns : int or "auto"
        Graph filters F; "auto": as many as represent all structures that are more frequent than in
        a null model. Fewer patterns are returned where filters learn the same pattern or a rare
        one, more where the kernel cannot tell different structures apart.
    pattern_size : int or "auto"
        Nodes of a filter, M, and most nodes of a subgraph; smaller patterns are pruned to size.
        "auto": the size from 3 to 10 whose structures exceed the null model most.
    num_hops : int or None
        Radius of the subgraphs. None: half of the pattern size, but at least 3, so that around some
        root a pattern of any shape is complete.
    policy : {"dense", "bfs", "random"}
        Which nodes of a larger ball remain, see :func:`gomkcn.extract_subgraphs`; the paper uses
        ``"bfs"``, which rarely leaves a whole occurrence.
    num_views : int
        Subgraphs around each root, for the policies with random choices.
    init : {"facility_location", "kmeans++", "sample", "random"}
        How filters are initialised: with real subgraphs that represent the others, with a random
        sample of them, or with random parameters (the paper).
    n_init : int
        Number of initialisations; the one with the best discrete filters is used.
    num_epochs : int
        Gradient epochs; 0 keeps the initial filters.
    learning : FilterLearning or None
        How the filters are trained beyond that. None: ``FilterLearning()``.
    noisy_copies : {"auto", "no", "yes"}
        Whether to find patterns of which few copies are intact as well. ``"auto"``: where many
        subgraphs have a rare structure; ``"yes"``: always. Only for patterns of at most 6 nodes.
    occurrence_rule : {"isomorphic", "similar"}
        Whether an occurrence is isomorphic to the pattern, or similar to it.
    min_similarity : float or None
        In [0, 1]: least similarity of an assigned root, and of an occurrence that is "similar".
        None: for each pattern what other structures rarely reach in a null-model graph.
    min_support : int
        Patterns with fewer distinct occurrences are dropped.
    random_state : int
        Seed of everything; the same seed gives the same patterns.
    memory_limit : int, str or None
        Bytes that mining may take beside the graph, or a size such as ``"2GiB"``. None: half of the
        machine's memory.
    kernel : GOMKKernel or None
        Defines how similar a subgraph and a filter are. None: ``GOMKKernel(3, tau=0.5)``, changed
        by the keywords ``num_levels``, ``tau``, ``node_similarity``, ``matching`` and
        ``anchor_root`` where these are not None.
    backend : str
        As in :func:`gomkcn.gomk`.

    Attributes
    ----------
    patterns_ : list of Pattern
        Most frequent first.
    filters_ : DiscreteFilters
        The same patterns as the kernel takes them, row for row.
    loss_curve_ : list of float
        1 - mean similarity of a subgraph to its most similar filter: before the training, then
        after each epoch.
    num_patterns_, pattern_size_ : int
        As given, or as chosen.
    choices_ : list of Choice
        The candidates for each parameter that was "auto", and how good each was.
    source_ : SubgraphSource
        Takes subgraphs from a graph as :meth:`fit` did, with the same scaling of the features.
    num_subgraphs_, num_sampled_ : int
        Subgraphs in all, and those that the filters were learnt on.
    truncated_share_ : float
        Share of all that had more than ``pattern_size`` nodes.
    nearest_, nearest_similarity_ : numpy.ndarray
        int32 and float32 ``[V]`` position of the most similar pattern of each node, and how similar
        its subgraph is; empty where no pattern was found.
    is_partial_ : bool
        Whether time was up before all subgraphs were compared, so that all counts are too low.
    notes_ : tuple of str
        What was changed or left out of the graph that was given, a phrase each.
    n_features_in_ : int
        Feature width D.

    Notes
    -----
    Follows the conventions of scikit-learn, except that a sample is a graph and not a row of an
    array: the checks of ``check_estimator`` that pass arrays to ``fit`` do not apply.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = nx.disjoint_union_all([nx.cycle_graph(5)] * 6 + [nx.complete_graph(5)] * 3)
    >>> miner = PatternMiner(num_patterns=2, pattern_size=5, min_support=2).fit(graph)
    >>> [(len(p.edges), p.frequency.distinct, p.frequency.assigned) for p in miner.patterns_]
    [(5, 6, 30), (10, 3, 15)]
    """

    def fit(
        self,
        graph: Any,
        y: None = None,
        *,
        checkpoints: CheckpointStore | None = None,
        progress: bool = False,
        quiet: bool = False,
    ) -> PatternMiner:
        """Mine a graph; of several processes only the first gets the occurrences.

        Parameters
        ----------
        graph : anything :func:`gomkcn.as_csr` takes
            A graph or a collection. Directions and relations of the edges are those of its
            patterns; weights and features of edges are not used: a pattern has an edge or not.
        y : None
            Ignored; it is there for scikit-learn's pipelines.
        checkpoints : CheckpointStore, optional
            Stores intermediate results, so that a job resumes, and tells when to stop.
        progress, quiet : bool
            Whether to show a progress bar, and not to log what was merged and dropped.

        Raises
        ------
        InputError
            For a parameter out of range, more patterns than the graph has subgraphs, or more memory
            than ``memory_limit``.
        RunInterruptedError
            If a signal asked to stop.
        """
        # 1. read the graph, scale its features, and settle how subgraphs are extracted and compared
        csr, source = _prepare(self, graph)
        self.notes_ = csr.notes
        with shared_store(checkpoints) as checkpoints:
            # 2. choose the size of the patterns, 3. sample rooted subgraphs, 4. choose the number
            source, size_choice = _settle_size(self, source, csr)
            subgraphs = source.training_subgraphs(csr)
            self.num_patterns_, number_choice = _settle_number(self, source, subgraphs)
            # 5. initialise filters, 6. train them as cluster centres, 7. discretise and deduplicate
            filters, self.loss_curve_ = learn_distinct_filters(
                self, subgraphs, subgraphs.classes, checkpoints=checkpoints, progress=progress
            )
            # 8. add noisy patterns, 9. locate all patterns in the whole graph and count them
            filters = _add_noisy(self, filters, subgraphs)
            rule = OccurrenceRule(self.occurrence_rule, self.min_similarity, self.min_support)
            result = locate_patterns(source, csr, subgraphs, filters, rule, checkpoints)
        # 10. build the records
        self.patterns_ = build_patterns(result, csr.feature_names, source.scaling, csr.relations)
        self.choices_, self.is_partial_ = size_choice + number_choice, checkpoints.time_is_up
        self._set_attributes(source, subgraphs, result)
        if not quiet and is_first():
            _log_patterns(filters, self.filters_, self.min_support)
        return self

    def _set_attributes(
        self, source: SubgraphSource, subgraphs: RootedSubgraphs, result: LocatedPatterns
    ) -> None:
        """Set what :meth:`fit` found out beside the patterns."""
        self.source_, self.filters_ = source, result.filters
        self.pattern_size_, self.n_features_in_ = source.max_nodes, len(source.scaling.offset)
        self.nearest_, self.nearest_similarity_ = result.nearest, result.nearest_similarity
        self.num_subgraphs_, self.num_sampled_ = result.num_subgraphs, len(subgraphs.batch)
        self.truncated_share_ = result.truncated_share

    def fit_predict(self, graph: Any, y: None = None) -> np.ndarray:
        """Mine ``graph`` and return the most similar pattern of each node, int64 ``[V]``."""
        return self.fit(graph).predict(graph)

    def transform(self, graph: Any) -> np.ndarray:
        """Similarity of the subgraph around every node to every pattern, in [0, 1].

        Returns
        -------
        numpy.ndarray
            float32 ``[V, len(patterns_)]``; with several views of a root, the largest of theirs.
        """
        check_is_fitted(self)
        stream = self.source_.stream(graph)
        parts = [stream.part(i).similarity(self.filters_) for i in range(stream.num_parts)]
        shape = (stream.graph.num_nodes, self.num_views, len(self.patterns_))
        return np.concatenate(parts).reshape(shape).max(axis=1)

    def predict(self, graph: Any) -> np.ndarray:
        """Position in ``patterns_`` of the most similar pattern of each node, int64 ``[V]``.

        Raises
        ------
        InputError
            If :meth:`fit` found no pattern.
        """
        similarity = self.transform(graph)
        if not self.patterns_:
            raise InputError("predict needs a pattern, and fit found none; lower min_support.")
        return similarity.argmax(axis=1)


def learn_distinct_filters(
    miner: PatternMiner,
    subgraphs: RootedSubgraphs,
    classes: SubgraphClasses,
    init_weight: np.ndarray | None = None,
    checkpoints: CheckpointStore | None = None,
    progress: bool = False,
) -> tuple[DiscreteFilters, list[float]]:
    """Learn filters from classes of subgraphs and deduplicate them; also return the loss curve.

    The size and number of the filters are those that the miner settled when it was fitted.
    """
    filters, loss_curve = learn_filters(
        subgraphs,
        classes,
        miner.num_patterns_,
        miner.resolve_learning(),
        init=miner.init,
        n_init=miner.n_init,
        num_epochs=miner.num_epochs,
        seed=miner.random_state,
        init_weight=init_weight,
        checkpoints=checkpoints,
        progress=progress,
    )
    filters = deduplicate(filters, subgraphs)
    if miner.occurrence_rule == "isomorphic":
        filters = subgraphs.add_indistinguishable(filters)
    return filters, loss_curve


def _prepare(miner: PatternMiner, graph: Any) -> tuple[CSRGraph, SubgraphSource]:
    """Read the graph and check the parameters; refuse a graph that takes too much memory."""
    csr = as_csr(graph)
    scaling = FeatureScaling.fit(csr.features, miner.resolve_learning().feature_contrast)
    source = miner.make_source(scaling, csr.relations)
    if miner.noisy_copies == "yes" and csr.links is not None:
        raise InputError(
            "noisy_copies can be 'yes' where all edges are of one undirected relation, got "
            f"{in_words(csr.relations)}; take 'auto', or a graph without directions and relations."
        )
    csr = source.read(csr)
    source.budget.check(
        csr.num_nodes * miner.num_views,
        source.sample_size(csr) * miner.num_views,
        null_graph_bytes(csr) if miner.min_similarity is None else 0,
    )
    return csr, source


def _settle_size(
    miner: PatternMiner, source: SubgraphSource, csr: CSRGraph
) -> tuple[SubgraphSource, list[Choice]]:
    """The source of subgraphs of the pattern size, and how that was chosen where it was "auto"."""
    if isinstance(miner.pattern_size, int):
        return source, []
    choice = find_size(source, csr, miner.min_support)
    return source.resized(choice.chosen), [choice]


def _settle_number(
    miner: PatternMiner, source: SubgraphSource, subgraphs: RootedSubgraphs
) -> tuple[int, list[Choice]]:
    """The number of patterns, and how it was chosen where it was "auto"."""
    most = len(subgraphs.batch)
    if not isinstance(miner.num_patterns, int):
        sample_size = miner.resolve_learning().sample_size
        choice = find_number(source, subgraphs, miner.min_support, sample_size)
        return min(choice.chosen, most), [choice]
    if miner.num_patterns > most:
        raise InputError(
            f"num_patterns must be at most the number of subgraphs, {most}, "
            f"got {miner.num_patterns}; ask for fewer patterns."
        )
    return miner.num_patterns, []


def _add_noisy(
    miner: PatternMiner, filters: DiscreteFilters, subgraphs: RootedSubgraphs
) -> DiscreteFilters:
    """Add patterns of which few copies are intact, where they are asked for or likely."""
    if miner.noisy_copies == "no" or (miner.noisy_copies == "auto" and not may_be_noisy(subgraphs)):
        return filters
    if subgraphs.batch.links is not None:
        miner.notes_ += (_NO_NOISY,)
        log.info(_NO_NOISY)
        return filters
    return add_noisy_patterns(
        filters,
        subgraphs,
        2 * miner.num_patterns_,
        miner.resolve_learning().sample_size,
        miner.min_support,
        miner.random_state,
    )


def _log_patterns(learnt: DiscreteFilters, located: DiscreteFilters, min_support: int) -> None:
    """Log what became of the filters between learning and the patterns of the graph."""
    if num_merged := sum(learnt.merged) - len(learnt.merged):
        log.info("merged %d filters that learnt the same pattern", num_merged)
    if any(learnt.noisy):
        log.info("%d patterns of which few copies are intact", sum(learnt.noisy))
    if num_dropped := len(learnt.num_nodes) - len(located.num_nodes):
        log.info(
            "dropped %d patterns with fewer than %d distinct occurrences", num_dropped, min_support
        )
    if not located.num_nodes:
        log.warning("no pattern has %d distinct occurrences; lower min_support", min_support)
