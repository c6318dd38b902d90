"""PatternMiner: graph filters as cluster centres, from a graph to its frequent patterns."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import ceil
from math import log as ln
from typing import Any

import numpy as np
import torch
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from gomkcn_dgl.checks import check_choice, check_float, check_int
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import CSRGraph, as_csr
from gomkcn_dgl.kernels.bfs_reference import POLICIES
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.runtime.checkpoint_store import CheckpointStore, shared_store
from gomkcn_dgl.runtime.notebook import html_of
from gomkcn_dgl.runtime.processes import single_process
from gomkcn_dgl.subgraphs import (
    MAX_HOPS,
    MAX_SUBGRAPH_NODES,
    SubgraphBatch,
    extract_subgraphs,
    usual_hops,
)
from mining.counting.counting_loops import MOST_PATTERN_NODES
from mining.counting.locating import locate_patterns
from mining.counting.match_table import PART_SIZE, MatchTable, SubgraphStream, match_all
from mining.counting.occurrence_assignment import OCCURRENCE_RULES
from mining.counting.similarity_thresholds import memory_of_chance
from mining.learning.deduplication import deduplicate
from mining.learning.initialization import INITIALIZATIONS
from mining.learning.restarts import find_best
from mining.model_selection.selection import (
    MOST_PATTERNS,
    SIZES,
    check_count,
    find_number,
    find_size,
)
from mining.noisy_templates.noisy_patterns import (
    MOST_NOISY_NODES,
    NOISY_COPIES,
    add_noisy_patterns,
    may_be_noisy,
)
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.feature_scaling import FeatureScaling, ScaledFeatures
from mining.structures.miner_memory import MinerMemory, read_limit
from mining.structures.rooted_subgraphs import RootedSubgraphs
from mining.structures.subgraph_classes import SubgraphClasses

log = logging.getLogger("gomkcn_dgl")

# how often a share of the sample may be further from the truth than sample_error
_DOUBT = 0.01


class PatternMiner(BaseEstimator):
    """Find the patterns that keep coming back in a graph or a collection of graphs.

    A subgraph of at most ``pattern_size`` nodes is taken around every node. Graph filters, started
    from real subgraphs, are trained like cluster centres to resemble them, and then snapped to
    discrete patterns whose occurrences are listed (section VI-B of the GOMKCN paper). In a large
    graph the filters are learnt on a sample of the nodes, and then all are looked at, part by part.

    Parameters
    ----------
    num_patterns : int or "auto"
        Graph filters F; "auto": as many as it takes to hold all structures that come back more
        often than by chance, see ``mining/model_selection``. Fewer patterns come back when some
        are alike or rare, more where the kernel cannot tell the structures of a filter's subgraphs
        apart.
    pattern_size : int or "auto"
        Nodes of a filter, M, and most nodes of a subgraph; smaller patterns are pruned to size.
        "auto": the size from 3 to 10 whose structures come back most beyond chance.
    num_hops : int or None
        Radius of the subgraphs. None: half the pattern size, so that some root sees a pattern
        whole whatever its shape, but at least 3.
    num_levels : int
        The paper's t: how many steps of neighbours decide whether two nodes are alike.
    policy : {"dense", "bfs", "random"}
        Which nodes of a larger ball stay, see :func:`gomkcn_dgl.extract_subgraphs`; the paper has
        ``"bfs"``, which rarely leaves a whole occurrence.
    num_views : int
        Subgraphs a root, for the policies with random choices.
    init : {"facility_location", "kmeans++", "sample", "random"}
        What the filters start from: real subgraphs chosen to represent the others, or drawn by
        chance, or random parameters (the paper).
    sample_size : int
        Most subgraphs compared with each other to choose the start; at least ``num_patterns``.
    train_size : int
        Most different subgraphs trained on; all of them are counted in the end.
    sample_error : float
        In (0, 1): filters are learnt on so many nodes that with 99 % confidence every share of them
        is right to within this (Hoeffding): on 105,967 nodes by default, or on all of fewer.
    feature_contrast : float
        In (0, 1]: how much of the unit interval the scaled features fill. Lower it when features
        differ from node to node by chance, so that structure leads.
    tau, node_similarity, aggregation, level_scale, matching, anchor_root, padding
        The kernel, see :class:`gomkcn_dgl.GOMKKernel`.
    num_epochs : int
        Gradient epochs; 0 keeps the start.
    learning_rate : float
        Of Adam.
    batch_size : int
        Subgraphs a gradient step.
    relocate : bool
        Move filters that hold almost nothing to the subgraphs served worst.
    noisy_copies : {"auto", "no", "yes"}
        Whether to look for patterns of which few copies are intact as well, see
        ``mining/noisy_templates``. ``"auto"``: where many subgraphs have a rare
        structure; ``"yes"``: always. Only for patterns of at most 6 nodes.
    n_init : int
        Runs from different starts; the one whose snapped filters fit best is kept.
    occurrence_rule : {"isomorphic", "similar"}
        When a subgraph shows a pattern, see ``mining/counting/occurrence_assignment.py``.
    min_similarity : float or None
        In [0, 1]: least similarity of an assigned root, and of an occurrence that is "similar".
        None: for each pattern what chance rarely reaches, see
        ``mining/counting/similarity_thresholds.py``.
    min_support : int
        Patterns with fewer distinct occurrences are dropped: they do not keep coming back.
    exact_seconds : float or None
        Most seconds to count the induced occurrences of each structure in the whole graph. None:
        they are not counted.
    random_state : int
        Seed of everything; the same seed gives the same patterns.
    memory_limit : int, str or None
        Bytes that mining may take beside the graph, or a size such as ``"2GiB"``. None: half of the
        machine's memory.
    backend : str
        As in :func:`gomkcn_dgl.gomk`.
    progress : bool
        Show a progress bar.

    Attributes
    ----------
    patterns_ : list of Pattern
        Most frequent first.
    filters_ : DiscreteFilters
        The same patterns as the kernel takes them, row for row.
    loss_curve_ : list of float
        1 - mean similarity of a subgraph to its best filter: at the start, then after each epoch.
        The patterns are those of the start or of the training, whichever fit best once snapped.
    num_patterns_, pattern_size_ : int
        As given, or as chosen.
    choices_ : list of Choice
        What was tried for each parameter that was "auto", and how good it was.
    scaling_ : FeatureScaling
        How features were mapped to the unit interval.
    num_subgraphs_ : int
        Subgraphs mined.
    truncated_share_ : float
        Share of them that were cut to ``pattern_size`` nodes.
    num_sampled_ : int
        Subgraphs that the filters were learnt on.
    nearest_, nearest_similarity_ : numpy.ndarray
        int32 and float32 ``[V]`` position of the most similar pattern of each node, and how similar
        its subgraph is; empty where no pattern was found.
    is_partial_ : bool
        Whether time was up before all subgraphs were looked at, so that all counts are too low.
    n_features_in_ : int
        Feature width D.

    Notes
    -----
    Follows scikit-learn's manners, except that a sample is a graph and not a row of an array:
    the checks of ``check_estimator`` that pass arrays to ``fit`` do not apply.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = nx.disjoint_union_all([nx.cycle_graph(5)] * 6 + [nx.complete_graph(5)] * 3)
    >>> miner = PatternMiner(num_patterns=2, pattern_size=5, min_support=2).fit(graph)
    >>> [(len(p.edges), p.frequency.distinct, p.frequency.assigned) for p in miner.patterns_]
    [(5, 6, 30), (10, 3, 15)]
    """

    def __init__(
        self,
        num_patterns: int | str = 12,
        pattern_size: int | str = 6,
        num_hops: int | None = None,
        num_levels: int = 3,
        *,
        policy: str = "dense",
        num_views: int = 1,
        init: str = "facility_location",
        sample_size: int = 1000,
        train_size: int = 5000,
        sample_error: float = 0.005,
        feature_contrast: float = 0.3,
        tau: float | Sequence[float] = 0.5,
        node_similarity: str = "rbf",
        aggregation: str = "sum",
        level_scale: float = 1.0,
        matching: str = "optimal",
        anchor_root: bool = False,
        padding: str = "match",
        num_epochs: int = 60,
        learning_rate: float = 0.1,
        batch_size: int = 1024,
        relocate: bool = True,
        noisy_copies: str = "auto",
        n_init: int = 1,
        occurrence_rule: str = "isomorphic",
        min_similarity: float | None = None,
        min_support: int = 5,
        exact_seconds: float | None = None,
        random_state: int = 0,
        memory_limit: int | str | None = None,
        backend: str = "auto",
        progress: bool = False,
    ) -> None:
        self.num_patterns = num_patterns
        self.pattern_size = pattern_size
        self.num_hops = num_hops
        self.num_levels = num_levels
        self.policy = policy
        self.num_views = num_views
        self.init = init
        self.sample_size = sample_size
        self.train_size = train_size
        self.sample_error = sample_error
        self.feature_contrast = feature_contrast
        self.tau = tau
        self.node_similarity = node_similarity
        self.aggregation = aggregation
        self.level_scale = level_scale
        self.matching = matching
        self.anchor_root = anchor_root
        self.padding = padding
        self.num_epochs = num_epochs
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.relocate = relocate
        self.noisy_copies = noisy_copies
        self.n_init = n_init
        self.occurrence_rule = occurrence_rule
        self.min_similarity = min_similarity
        self.min_support = min_support
        self.exact_seconds = exact_seconds
        self.random_state = random_state
        self.memory_limit = memory_limit
        self.backend = backend
        self.progress = progress

    def fit(
        self, graph: Any, y: None = None, *, steps: CheckpointStore | None = None
    ) -> PatternMiner:
        """Mine ``graph``.

        Started by torchrun, the processes share the work; the first one gets the result, the others
        its patterns without occurrences.

        Parameters
        ----------
        graph : anything :func:`gomkcn_dgl.as_csr` takes
            A graph or a collection. Edge weights are not used: a pattern has an edge or it has not.
        y : None
            Ignored; it is there for scikit-learn's pipelines.
        steps : CheckpointStore, optional
            Keeps what was done, so that a job that was ended goes on with the same folder, and says
            when to stop.

        Returns
        -------
        PatternMiner
            Itself.

        Raises
        ------
        InputError
            For a setting out of range, more patterns than the graph has subgraphs, or more memory
            than ``memory_limit``.
        RunInterruptedError
            If a signal asked to stop.
        """
        self._check_settings()
        csr = as_csr(graph)
        chance = memory_of_chance(csr) if self.min_similarity is None else 0
        sampled = self.learning_size(csr) * self.num_views
        self.memory_for(csr).check(csr.num_nodes * self.num_views, sampled, chance)
        self.n_features_in_ = csr.features.shape[1]
        self.scaling_ = FeatureScaling.fit(csr.features, self.feature_contrast)
        with shared_store(steps) as steps:
            around = self._choose(csr)
            self.num_sampled_ = len(around.batch)
            snapped = self._learn(around, steps)
            found = locate_patterns(self, csr, around, snapped, steps)
        self.filters_, self.patterns_ = found.filters, found.patterns
        self.num_subgraphs_, self.truncated_share_ = found.num_subgraphs, found.truncated_share
        self.nearest_, self.nearest_similarity_ = found.nearest, found.nearest_similarity
        self.is_partial_ = steps.time_is_up
        return self

    def _learn(self, around: RootedSubgraphs, steps: CheckpointStore) -> DiscreteFilters:
        """Filters that fit the subgraphs of the sample."""
        snapped = self.find_filters(around, around.types, steps=steps)
        if self.noisy_copies == "yes" or (self.noisy_copies == "auto" and may_be_noisy(around)):
            snapped = add_noisy_patterns(
                snapped,
                around,
                2 * self.num_patterns_,
                self.sample_size,
                self.min_support,
                self.random_state,
            )
        return snapped

    def fit_predict(self, graph: Any, y: None = None) -> np.ndarray:
        """Mine ``graph`` and return the nearest pattern of each node, int64 ``[V]``."""
        return self.fit(graph).predict(graph)

    def transform(self, graph: Any) -> np.ndarray:
        """Similarity of the subgraph around every node to every pattern, in [0, 1].

        Returns
        -------
        numpy.ndarray
            float32 ``[V, len(patterns_)]``; with several views a root, the best of them.
        """
        check_is_fitted(self)
        kernel = self._check_settings()
        csr = self.read(graph)
        features = ScaledFeatures(csr.features, self.scaling_)
        z = kernel.embed(self.filters_.adj, self.filters_.feat)
        sizes = torch.tensor(self.filters_.num_nodes, dtype=torch.int64)
        found = np.empty((csr.num_nodes, self.num_views, len(self.patterns_)), np.float32)
        for roots in np.array_split(np.arange(csr.num_nodes), max(1, csr.num_nodes // 4096)):
            some = self.extract(csr, roots)
            x = kernel.embed(
                torch.from_numpy(some.adjacency()), torch.from_numpy(some.gather(features))
            )
            num_nodes = torch.from_numpy(some.num_nodes)
            similarity = kernel.similarity(x, num_nodes, z, sizes, self.backend)
            found[roots] = similarity.numpy().reshape(len(roots), *found.shape[1:])
        return found.max(axis=1)

    def predict(self, graph: Any) -> np.ndarray:
        """Position in ``patterns_`` of the most similar pattern of each node, int64 ``[V]``.

        Raises
        ------
        InputError
            If no pattern was found.
        """
        similarity = self.transform(graph)
        if not self.patterns_:
            raise InputError("predict needs a pattern, and fit found none; lower min_support.")
        return similarity.argmax(axis=1)

    def subgraphs_around(self, graph: Any, roots: np.ndarray | None = None) -> RootedSubgraphs:
        """Look at the subgraphs around some nodes of any graph, or around all, at once.

        Parameters
        ----------
        graph : anything :func:`gomkcn_dgl.as_csr` takes
        roots : numpy.ndarray, optional
            Integer ``[R]``.
        """
        kernel, csr = self._check_settings(), self.read(graph)
        features = ScaledFeatures(csr.features, self.scaling_)
        return RootedSubgraphs(csr, features, self.extract(csr, roots), kernel, self.backend)

    def training_subgraphs(self, graph: Any) -> RootedSubgraphs:
        """Look at the subgraphs that :meth:`fit` learns from."""
        csr = self.read(graph)
        return self.subgraphs_around(csr, self.sample_roots(csr))

    def learning_size(self, graph: CSRGraph) -> int:
        """How many nodes :meth:`fit` learns from."""
        most = self.memory_for(graph).sample // self.num_views
        enough = ceil(ln(2 / _DOUBT) / (2 * self.sample_error**2))
        return min(graph.num_nodes, enough, max(1, most))

    def sample_roots(self, graph: CSRGraph) -> np.ndarray | None:
        """Draw the nodes that :meth:`fit` learns from, int64, ascending; None for all."""
        size = self.learning_size(graph)
        if size == graph.num_nodes:
            return None
        rng = np.random.default_rng([self.random_state, 7])
        return np.sort(rng.choice(graph.num_nodes, size, replace=False))

    def see(self, graph: Any, filters: Sequence[DiscreteFilters]) -> list[MatchTable]:
        """Look at all subgraphs of any graph beside several sets of filters, part by part.

        Parameters
        ----------
        graph : anything :func:`gomkcn_dgl.as_csr` takes
        filters : sequence of DiscreteFilters
        """
        check_is_fitted(self)
        csr = self.read(graph)
        with single_process():
            return match_all(
                self.stream(csr), filters, CheckpointStore(), self.memory_for(csr).table
            )

    def read(self, graph: Any) -> CSRGraph:
        """Take a graph in any form, with the features that the miner was fitted on."""
        csr = as_csr(graph)
        if csr.features.shape[1] != self.n_features_in_:
            raise InputError(
                f"graph must have the {self.n_features_in_} features that the miner was fitted on, "
                f"got {csr.features.shape[1]}."
            )
        return csr

    def find_filters(
        self,
        around: RootedSubgraphs,
        types: SubgraphClasses,
        candidates: np.ndarray | None = None,
        steps: CheckpointStore | None = None,
    ) -> DiscreteFilters:
        """Train filters on some of the types of subgraphs, snap them and merge those alike.

        Parameters
        ----------
        around : RootedSubgraphs
            As :meth:`training_subgraphs` gives them.
        types : SubgraphClasses
            U of their types, with any weights.
        candidates : numpy.ndarray, optional
            int64 ``[U]`` weights by which the start is chosen; by default those of ``types``.
        steps : CheckpointStore, optional
            Keeps what was trained.
        """
        found, self.loss_curve_ = find_best(self, around, types, candidates, steps)
        snapped = deduplicate(found, around)
        if self.occurrence_rule == "isomorphic":
            snapped = around.add_lookalikes(snapped)
        return snapped

    def _check_settings(self) -> GOMKKernel:
        num_patterns = check_count("num_patterns", self.num_patterns, 1)
        pattern_size = check_count("pattern_size", self.pattern_size, 1, MAX_SUBGRAPH_NODES)
        if self.num_hops is not None:
            check_int("num_hops", self.num_hops, 0, MAX_HOPS)
        check_choice("policy", self.policy, POLICIES)
        check_int("num_views", self.num_views, 1)
        check_choice("init", self.init, INITIALIZATIONS)
        check_int("sample_size", self.sample_size, num_patterns or MOST_PATTERNS)
        check_int("train_size", self.train_size, 1)
        check_float("sample_error", self.sample_error, 0, 1, open_minimum=True)
        read_limit(self.memory_limit)
        check_float("feature_contrast", self.feature_contrast, 0, 1, open_minimum=True)
        check_int("num_epochs", self.num_epochs, 0)
        check_float("learning_rate", self.learning_rate, 0, 1e6, open_minimum=True)
        check_int("batch_size", self.batch_size, 1)
        check_choice("noisy_copies", self.noisy_copies, NOISY_COPIES)
        if self.noisy_copies == "yes" and (pattern_size or 0) > MOST_NOISY_NODES:
            raise InputError(
                f"noisy_copies can be 'yes' for patterns of at most {MOST_NOISY_NODES} nodes, "
                f"got a pattern_size of {pattern_size}; take 'auto' or smaller patterns."
            )
        check_int("n_init", self.n_init, 1)
        check_choice("occurrence_rule", self.occurrence_rule, OCCURRENCE_RULES)
        if self.min_similarity is not None:
            check_float("min_similarity", self.min_similarity, 0, 1)
        check_int("min_support", self.min_support, 0)
        if self.exact_seconds is not None:
            check_float("exact_seconds", self.exact_seconds, 0, open_minimum=True)
            if (pattern_size or 0) > MOST_PATTERN_NODES:
                raise InputError(
                    f"exact_seconds can be given for patterns of at most {MOST_PATTERN_NODES} "
                    f"nodes, got a pattern_size of {pattern_size}; leave one of them out."
                )
        check_int("random_state", self.random_state, 0)
        return GOMKKernel(
            self.num_levels,
            self.tau,
            self.node_similarity,
            self.aggregation,
            self.level_scale,
            self.matching,
            self.anchor_root,
            self.padding,
        )

    def _choose(self, csr: CSRGraph) -> RootedSubgraphs:
        """Settle what was left open; return the subgraphs that filters are learnt on."""
        self.choices_ = []
        if isinstance(self.pattern_size, str):
            self.choices_.append(find_size(self, csr))
            self.pattern_size_ = self.choices_[-1].chosen
        else:
            self.pattern_size_ = self.pattern_size
        around = self.training_subgraphs(csr)
        if isinstance(self.num_patterns, str):
            self.choices_.append(find_number(self, around))
            self.num_patterns_ = min(self.choices_[-1].chosen, len(around.batch))
        else:
            self.num_patterns_ = self.num_patterns
        if self.num_patterns_ > len(around.batch):
            raise InputError(
                f"num_patterns must be at most the number of subgraphs, {len(around.batch)}, "
                f"got {self.num_patterns_}; ask for fewer patterns."
            )
        return around

    def stream(self, csr: CSRGraph, whole: RootedSubgraphs | None = None) -> SubgraphStream:
        """All subgraphs of a graph, in parts; ``whole`` is all of them, where they are at hand."""
        size = self.part_size(csr)
        return SubgraphStream(csr, partial(self.subgraphs_around, csr), self.num_views, size, whole)

    def part_size(self, graph: CSRGraph) -> int:
        """Nodes whose subgraphs are looked at at once."""
        return max(1, min(PART_SIZE, self.memory_for(graph).part) // self.num_views)

    def memory_for(self, graph: CSRGraph) -> MinerMemory:
        """What mining a graph may take."""
        return MinerMemory(
            read_limit(self.memory_limit),
            max(SIZES) if isinstance(self.pattern_size, str) else self.pattern_size,
            self.num_levels + 1,
            graph.features.shape[1],
            # look-alikes come to the filters
            4 * (self.num_patterns if isinstance(self.num_patterns, int) else MOST_PATTERNS),
        )

    def extract(
        self, csr: CSRGraph, roots: np.ndarray | None = None, max_nodes: int | None = None
    ) -> SubgraphBatch:
        """Take the subgraphs around some nodes, or all, as structure without weights.

        They have at most ``pattern_size_`` nodes, or ``max_nodes``.
        """
        if csr.weights is not None:
            log.info("edge weights are not used for mining: an edge is there or it is not")
            csr = replace(csr, weights=None)
        size = self.pattern_size_ if max_nodes is None else max_nodes
        return extract_subgraphs(
            csr,
            usual_hops(size) if self.num_hops is None else self.num_hops,
            size,
            roots=roots,
            policy=self.policy,
            num_views=self.num_views,
            seed=self.random_state,
        )

    def _repr_html_(self) -> str | None:
        """The patterns as cards, for a notebook."""
        return html_of(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str | None]:
        # scikit-learn's own shows only the parameters
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
