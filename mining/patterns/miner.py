"""A miner: its parameters with their defaults and rules, and the steps from a graph to patterns.

It does without scikit-learn, which takes a second to import; :class:`gomkcn.PatternMiner` is the
same as an estimator.
"""

from __future__ import annotations

import logging
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, TypeVar

from gomkcn.mining.counting.census import check_channels
from gomkcn.mining.counting.watching import steps_in
from gomkcn.mining.filters.filter_mining import FilterMining
from gomkcn.mining.motif_sets.finding import find_motif_set, given_patterns
from gomkcn.mining.motif_sets.motif_set import summary
from gomkcn.mining.patterns.choice import (
    ChoiceRules,
    choose_patterns,
    compare_structures,
)
from gomkcn.mining.patterns.locating import late_steps, locate_patterns
from gomkcn.mining.patterns.trained_filters import patterns_of_filters
from gomkcn.mining.settings.miner_settings import AUTO, MOST_PATTERN_NODES, NONE, MinerSettings
from gomkcn.mining.structures.fragments import holds_molecules
from gomkcn.mining.structures.mined_graph import MinedGraph, classes_of
from gomkcn.mining.structures.pattern import Patterns, merge
from gomkcn_dgl.checks import check_sizes
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputTypeError
from gomkcn_dgl.graph import as_unweighted, graph_labels
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.job import JobProgress
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.settings import values_of

M = TypeVar("M", bound="Miner")

log = logging.getLogger("gomkcn_dgl")

# sizes of which structures are counted and compared, where none is given
USUAL_SIZES = range(3, 9)
# most patterns of filters or frequent subgraphs that are reported where nothing else calls for
# them: more than a dozen are not read
MOST_SEEN = 12
# the null model of "auto", which is drawn where that takes two minutes at most
DEFAULT_NULL = "degree"
# most work to count a pattern, in seconds of a thread
COUNT_SECONDS = 1.0
# in a graph of more edges than the next number, where a second says little
LARGE_COUNT_SECONDS = 10.0
LARGE = 8_000_000
# in place of a comparison
_OF_MOLECULES = (
    "Molecules are not compared with random graphs, in which atoms have neighbours that chemistry "
    f"rules out: --null {DEFAULT_NULL} does it."
)


@dataclass(eq=False, repr=False)
class Miner:
    """What :class:`gomkcn.PatternMiner` documents, without what makes it an estimator."""

    pattern_size: int | str | tuple[int, int] | None = MinerSettings.pattern_size
    _: KW_ONLY
    sources: str | tuple[str, ...] = MinerSettings.sources
    given: str | tuple[Structure | str, ...] = MinerSettings.given
    exact_copies: bool = MinerSettings.exact_copies
    null: str | tuple[str, ...] | None = MinerSettings.null
    null_samples: int = MinerSettings.null_samples
    count_error: float = MinerSettings.count_error
    count_seconds: float | None = MinerSettings.count_seconds
    filters: FilterMining | str = MinerSettings.filters
    values: str = MinerSettings.values
    random_state: int = MinerSettings.random_state
    n_jobs: int | None = MinerSettings.n_jobs

    @property
    def settings(self) -> MinerSettings:
        """The parameters as they are read; an InputError for one out of range.

        ``filters`` is "auto" where it is a miner, which has settings of its own.
        """
        known = values_of(MinerSettings, self)
        if not isinstance(self.filters, str):
            known["filters"] = AUTO
        return MinerSettings(**known)

    @property
    def sizes(self) -> range | None:
        """The sizes of patterns, as ``pattern_size`` says it; None for the usual ones."""
        size = self.pattern_size
        return None if size is None else check_sizes("pattern_size", size, 1, MOST_PATTERN_NODES)

    @property
    def _filter_miner(self) -> type[FilterMining]:
        """The class of the miner of filters; that of an estimator is one itself."""
        return FilterMining

    def resolve_filters(self) -> FilterMining | None:
        """The miner of filters, not fitted; None where filters are left out."""
        if self.filters == NONE:
            return None
        if self.filters == AUTO:
            return self._filter_miner(random_state=self.random_state)
        if not isinstance(self.filters, FilterMining):
            raise InputTypeError(
                f'filters must be a gomkcn.FilterMiner, "auto" or "none", got {self.filters!r}.'
            )
        return self.filters.unfitted()

    def choice_rules(self, graph: CSRGraph) -> ChoiceRules:
        """What is reported of a graph."""
        # nobody asked for a comparison that says nothing of molecules
        asked = self.settings.nulls
        is_left_out = AUTO in asked and holds_molecules(graph.relations)
        nulls = [null for null in asked if null != AUTO or not is_left_out]
        return ChoiceRules(
            self.sizes or USUAL_SIZES,
            MOST_SEEN,
            tuple(dict.fromkeys(DEFAULT_NULL if one == AUTO else one for one in nulls)),
            AUTO in nulls,
            self.null_samples,
            self.count_error,
            steps_in(self.seconds_of_a_count(graph.num_edges > LARGE)),
            self.random_state,
            why_no_null=_OF_MOLECULES if is_left_out and not nulls else "",
        )

    def seconds_of_a_count(self, is_large: bool = False) -> float:
        """Most work of a count, in seconds of one thread."""
        usual = LARGE_COUNT_SECONDS if is_large else COUNT_SECONDS
        return usual if self.count_seconds is None else self.count_seconds

    def check(self) -> None:
        """Raise an InputError for a parameter out of range."""
        settings = self.settings
        if isinstance(self.filters, str) and settings.filters in (AUTO, NONE):
            return
        filters = self.resolve_filters()
        assert filters is not None, "neither a text"
        filters.check()

    def fit(
        self: M,
        graph: Any,
        y: Any = None,
        *,
        steps: Steps | None = None,
        progress: bool = False,
    ) -> M:
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

        Raises
        ------
        InputError
            For a parameter out of range, or a graph without nodes. One without edges has no motif
            and no pattern, and one filter, the single node.
        RunInterruptedError
            If a signal asked to stop.
        """
        # 1. read the graph
        self.check()
        given = as_unweighted(graph)
        # before the search, which would end with it
        check_channels(given)
        # nothing that is drawn at random depends on how nodes are numbered, or graphs
        y = graph_labels(graph) if y is None else y
        mined = MinedGraph.of(given, y)
        for note in mined.categories.notes:
            log.warning(note)
        is_collection = isinstance(graph, list | tuple) or given.num_graphs > 1
        settings = self.settings
        sources = settings.sources
        proposed = given_patterns(settings.given, mined, is_collection=is_collection)
        rules = self.choice_rules(given)
        with JobProgress(progress) as bar:
            steps = Steps(progress=bar, n_jobs=self.n_jobs) if steps is None else steps
            # 2. all structures of few nodes, here and in random graphs: a first answer
            compared = compare_structures(mined, rules, steps)
            log.info("%s", compared)
            # 3. which neighbourhoods are more frequent than in random graphs
            filters = self._mine_filters(mined, steps)
            if filters is not None and "filters" in sources:
                proposed += patterns_of_filters(filters.filters_, mined, rules.sizes)
            if "frequent" in sources:
                # gSpan is an estimator of scikit-learn as well
                from gomkcn.mining.patterns.frequent_candidates import patterns_of_subgraphs

                proposed += patterns_of_subgraphs(mined, rules.sizes, steps)
            # 4. the few structures whose copies shorten the description of the graph most
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
            log.info("%s", summary(motif_set))
            if steps.is_late():
                rules = replace(rules, count_steps=min(rules.count_steps, late_steps(steps)))
            # 5. count the larger ones, and choose what is reported
            choice = choose_patterns(mined, compared, motif_set.motifs, proposed, rules, steps)
            # 6. list the places of these
            located = locate_patterns(mined, choice.patterns, self.random_state, steps)
        # 7. give them their numbers
        patterns = [replace(one, id=i) for i, one in enumerate(located)]
        number = len(patterns) + len(choice.others)
        log.info("%d structures were counted; %d are reported", number, len(patterns))
        # 8. only what ends whole leaves something behind
        self.graph_ = given
        self.patterns_, self.others_ = Patterns(patterns), list(choice.others)
        self.motif_set_ = motif_set.with_patterns(patterns)
        self.filters_ = filters
        self.relations_ = given.relations
        self.n_features_in_ = given.stored_features.shape[1]
        self.is_partial_ = steps.is_partial
        self.notes_ = (*given.notes, *mined.categories.notes)
        self.warnings_ = choice.warnings
        self.null_models_ = choice.null_models
        self.graph_classes_ = classes_of(y, given)
        return self

    def _mine_filters(self, mined: MinedGraph, steps: Steps) -> FilterMining | None:
        """The fitted miner of filters; None where they are left out.

        They have the sizes of the patterns, where these are given and others are not.
        """
        filters = self.resolve_filters()
        return None if filters is None else filters.fit_mined(mined, steps, self.sizes)
