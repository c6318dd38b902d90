"""PatternMiner: from a graph to patterns in named steps, and to rows of other graphs."""

from __future__ import annotations

import logging
from dataclasses import KW_ONLY, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn.mining.counting.census import check_channels
from gomkcn.mining.counting.pattern_counts import COPIES, LOG, bag_of_patterns
from gomkcn.mining.counting.watching import steps_in
from gomkcn.mining.filters.filter_miner import FilterMiner
from gomkcn.mining.filters.filter_proposals import check_proposals
from gomkcn.mining.motif_sets.finding import find_motif_set, given_patterns
from gomkcn.mining.motif_sets.motif_set import MotifSet, summary
from gomkcn.mining.patterns.annotations import NO_ANNOTATIONS, Annotations
from gomkcn.mining.patterns.blocks_beside import blocks_beside
from gomkcn.mining.patterns.choice import (
    USUAL_CLASS_SIZES,
    ChoiceRules,
    choose_patterns,
    compare_structures,
)
from gomkcn.mining.patterns.class_search import search_classes
from gomkcn.mining.patterns.locating import late_steps, locate_patterns
from gomkcn.mining.patterns.permuted import permutes
from gomkcn.mining.patterns.role_table import table_of_roles
from gomkcn.mining.patterns.run_tables import tables_of
from gomkcn.mining.patterns.stored_miner import StoredMiner, StoredParams
from gomkcn.mining.settings.miner_settings import (
    AUTO,
    FILTERS,
    FREQUENT,
    MOST_PATTERN_NODES,
    NONE,
    MinerSettings,
)
from gomkcn.mining.significance.null_models import CATEGORIES, PermutedCategories
from gomkcn.mining.structures.fragments import holds_molecules
from gomkcn.mining.structures.graph_estimator import GraphEstimator
from gomkcn.mining.structures.graph_relations import with_relations
from gomkcn.mining.structures.mined_graph import MinedGraph, classes_of
from gomkcn.mining.structures.pattern import StoredPatterns
from gomkcn.mining.structures.pattern_columns import Patterns
from gomkcn_dgl.checks import RandomState, as_seed, check_choice, check_sizes
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graph import as_csr, as_unweighted, graph_labels, with_attributes
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.features import take_features
from gomkcn_dgl.runtime.job import JobProgress
from gomkcn_dgl.runtime.plain_values import save_value, saved_value
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.runtime.tabular import Table, WithTables
from gomkcn_dgl.settings import values_of

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
# exact counts of rows may take longer than estimates of one graph
_PATIENCE = 10
# in place of a comparison
_OF_MOLECULES = (
    "Molecules are not compared with random graphs, in which atoms have neighbours that chemistry "
    "rules out; a null model that is named does it."
)
# filters that the log names
_NUM_TOLD = 5


@dataclass(eq=False, repr=False)
class PatternMiner(WithTables, GraphEstimator):
    """Find what a graph or a collection of graphs is made of.

    The answer is the motif set: the few structures whose copies shorten the description of the
    graph most, see :class:`gomkcn.MotifSet`. Beside it, all structures of three to five nodes are
    counted, in the graph and in random graphs, and those that differ are reported (of three and
    four nodes where edges have directions or several relations, or nodes have categories, and of
    fewer sizes in a large graph). Motifs come from connected node sets that recur and from
    filters, structures of which the subgraphs around the nodes show more than those of random
    graphs, as a :class:`gomkcn.FilterMiner` chooses them. Where edges have directions or several
    relations, so have those of the patterns; where nodes have categories, the places of a pattern
    have the same.

    Parameters
    ----------
    pattern_size : int, (int, int), str or None
        Number of nodes of a pattern: one number, or the smallest and the largest, as in ``(3, 8)``
        or ``"3-8"``; at most 10. None: 3 to 8 in one graph, 2 to 10 in a collection.
    sources : str or sequence of str
        What shows structures that may be motifs: "grown" node sets; "filters" of 4 to 8 nodes, but
        in molecules and in graphs with more than 10,000 edges; "frequent" subgraphs of a
        collection; or several, as in ``"grown,filters"``. Neither ``filters`` nor how they are
        learnt changes which filters are proposed.
    given : str, or sequence of Structure or str
        Structures to try and to report as well, as :meth:`gomkcn.Structure.parse` takes them.
    exact_copies : bool
        Whether each copy of a motif must have its edges and no others. Else copies may lack some
        and have others, where saying so is shorter.
    null : str, callable, NullModel or a sequence of these
        Null models to compare with, see
        :func:`~gomkcn.mining.significance.null_models.null_model`; the first one decides what is
        reported. "auto": ``"degree"``, and as many sizes as are counted in all random graphs within
        two minutes of one thread, and none for molecules, in which random graphs rewire bonds that
        chemistry rules out; named models are compared at all sizes. "none" or None: none.
    null_samples : int or None
        Random graphs of each null model, at least 2. With N of them the smallest p is 1 / (N + 1),
        times the number of sizes; where this is above .05, a warning says that nothing can be
        called. None: 199, and more while any structure is near the level, at most 1,999, if these
        take about half a minute of one thread or less; see
        :mod:`gomkcn.mining.significance.looks`.
    weight : str or None
        The attribute of edges that holds their weights, positive numbers; that of a ``CSRGraph`` is
        ``"weight"``. Structures of three and four nodes then have an intensity and a coherence (J.
        P. Onnela et al. 2005), which are compared with permuted weights: the null model
        ``"weights"``, and ``"strength"`` where it is named. Nothing else uses weights.
    within : str or None
        The null model ``"categories"`` permutes them within groups of nodes: an attribute or a
        feature of theirs, ``"component"``, or ``"degree"``, numbers of neighbours with the same
        power of two. None: within each graph.
    count_error, count_seconds : float, float or None
        Wanted relative error of counts that are estimated, and how much work each may take, first
        to find all occurrences and then to draw: seconds of one thread, which stand for 10⁸ steps
        on any machine. A step checks a node. None: 1, and 10 in a graph of more than 8 million
        edges.
    filters : FilterMiner or str
        How frequent neighbourhoods are found, as ``filters_``: a :class:`gomkcn.FilterMiner`, whose
        parameters can be set as ``filters__filter_size`` and so on; "auto" for the usual one; or
        "none", which saves its seconds.
    values : {"copies", "occurrences", "log"}
        What is in the rows of :meth:`transform`: where copies of the motifs lie, see
        :meth:`MotifSet.transform`; the occurrences of each pattern in a graph, or those that a node
        is in; or ``log(1 + occurrences)``.
    random_state : int, RandomState, Generator or None
        Seed of everything; the same seed gives the same patterns. None, or a generator of NumPy:
        one is drawn, which ``random_state_`` keeps.
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
    roles_ : Table or None
        Which node stands where in how many occurrences of the motifs and of what is
        over-represented, see :func:`gomkcn.node_roles`; None for a collection, and without any.
    filters_ : FilterMiner or None
        The fitted miner of filters: which neighbourhoods are more frequent than in random graphs.
        None where they are left out.
    blocks_ : RepeatedBlocks or None
        Repeated blocks of more nodes than a motif has, see :func:`gomkcn.repeated_blocks`: in a
        graph of up to 20,000 edges that have directions or types, or whose nodes have categories.
        None where none is called, and without random graphs.
    others_ : list of Pattern
        What was counted beside the patterns, the largest z first.
    relations_ : Relations
        The relations of the graph, and whether their edges have a direction.
    graph_ : CSRGraph or None
        The graph that it was fitted to, without weights; None for a miner that was read from a
        file.
    is_partial_ : bool
        Whether time was up before all was done.
    notes_ : tuple of str
        What was changed or left out of the graph that was given, a phrase each.
    warnings_ : tuple of str
        Sentences on what the comparison with random graphs does not tell.
    null_models_ : dict from str to str
        What the random graphs of each null model keep, in words, by its name.
    random_graphs_ : dict from str to str
        How many random graphs of each null model were drawn, and why, a sentence.
    graph_classes_ : GraphClasses or None
        The class of each graph, where ``y`` has it.
    class_search_ : ClassSearch or None
        What was searched for differences between the classes, and how far.
    feature_names_in_, n_features_in_
        Names of the features, and their number D.
    random_state_ : int
        The seed that was used.

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

    pattern_size: int | str | tuple[int, int] | None = MinerSettings.pattern_size
    _: KW_ONLY
    sources: str | tuple[str, ...] = MinerSettings.sources
    given: str | tuple[Structure | str, ...] = MinerSettings.given
    exact_copies: bool = MinerSettings.exact_copies
    null: str | tuple[str, ...] | None = MinerSettings.null
    null_samples: int | None = MinerSettings.null_samples
    weight: str | None = MinerSettings.weight
    within: str | None = MinerSettings.within
    count_error: float = MinerSettings.count_error
    count_seconds: float | None = MinerSettings.count_seconds
    filters: FilterMiner | str = MinerSettings.filters
    values: str = MinerSettings.values
    random_state: RandomState = MinerSettings.random_state
    n_jobs: int | None = MinerSettings.n_jobs

    @property
    def settings(self) -> MinerSettings:
        """The parameters as they are read; an InputError for one out of range.

        ``filters`` is "auto" where it is a miner, which has settings of its own.
        """
        known = values_of(MinerSettings, self) | {"random_state": self._seed_of_settings}
        if isinstance(self.filters, FilterMiner):
            known["filters"] = AUTO
        elif not isinstance(self.filters, str) or self.filters not in (AUTO, NONE):
            raise InputTypeError(
                "filters", "must be a gomkcn.FilterMiner, 'auto' or 'none'", got=repr(self.filters)
            )
        return MinerSettings(**known)

    @property
    def sizes(self) -> range | None:
        """The sizes of patterns, as ``pattern_size`` says it; None for the usual ones."""
        size = self.pattern_size
        return None if size is None else check_sizes("pattern_size", size, 1, MOST_PATTERN_NODES)

    def resolve_filters(self, seed: int = 0) -> FilterMiner | None:
        """The miner of filters, not fitted; None where filters are left out.

        That which nobody gave has the seed of this one.
        """
        if self.settings.filters == NONE:
            return None
        if isinstance(self.filters, FilterMiner):
            return self.filters.unfitted()
        return FilterMiner(random_state=seed)

    def choice_rules(self, graph: CSRGraph, seed: int = 0) -> ChoiceRules:
        """What is reported of a graph."""
        # nobody asked for a comparison that says nothing of molecules
        chosen = self.settings.nulls
        is_left_out = AUTO in chosen and holds_molecules(graph.relations)
        nulls = [null for null in chosen if null != AUTO or not is_left_out]
        return ChoiceRules(
            self.sizes or USUAL_SIZES,
            MOST_SEEN,
            tuple(dict.fromkeys(DEFAULT_NULL if null == AUTO else null for null in nulls)),
            AUTO in nulls,
            self.null_samples,
            self.count_error,
            steps_in(self.seconds_of_a_count(graph.num_edges > LARGE)),
            seed,
            self.sizes or USUAL_CLASS_SIZES,
            why_no_null=_OF_MOLECULES if is_left_out and not nulls else "",
        )

    def seconds_of_a_count(self, is_large: bool = False) -> float:
        """Most work of a count, in seconds of one thread."""
        usual = LARGE_COUNT_SECONDS if is_large else COUNT_SECONDS
        return usual if self.count_seconds is None else self.count_seconds

    def check(self) -> None:
        """Raise an InputError for a parameter out of range."""
        _ = self.settings
        if isinstance(self.filters, FilterMiner):
            self.filters.check()

    def _check_for(self, graph: CSRGraph) -> None:
        """Refuse what cannot be of this graph, before the steps that come to it late."""
        if FREQUENT in self.settings.sources:
            # which few ask for
            from gomkcn.mining.patterns.frequent_candidates import check_collection

            check_collection(graph)
        if self.settings.sources == (FILTERS,):
            check_proposals(graph, self.sizes)
        if any(permutes(null) == CATEGORIES for null in self.settings.nulls if null != AUTO):
            PermutedCategories.of(graph)
        filters = self.resolve_filters()
        if filters is not None:
            filters.sizes_of(graph, self.sizes)

    def fit(
        self,
        graph: Any,
        y: Any = None,
        *,
        steps: Steps | None = None,
        progress: bool = False,
        annotations: Annotations | None = None,
    ) -> PatternMiner:
        """Mine a graph.

        Parameters
        ----------
        graph : anything :func:`gomkcn.as_csr` takes
            A graph or a collection. Directions and relations of the edges are those of its
            patterns; weights and features of edges are not used but where ``weight`` names one: a
            pattern has an edge or not.
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
        annotations : Annotations, optional
            The columns ``weight`` and ``within`` of a graph that was read from a file; by default
            they are taken from the graph.

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
        seed = as_seed("random_state", self.random_state)
        given, annotations = self._read(graph, annotations)
        # before the search, which would end with it
        check_channels(given)
        self._check_for(given)
        # nothing that is drawn at random depends on how nodes are numbered, or graphs
        y = graph_labels(graph) if y is None else y
        mined = MinedGraph.of(given, y)
        for note in mined.categories.notes:
            log.warning(note)
        is_collection = isinstance(graph, list | tuple) or given.num_graphs > 1
        proposed = given_patterns(self.settings.given, mined, is_collection=is_collection)
        rules = self.choice_rules(given, seed)
        with JobProgress("bar" if progress else "") as bar:
            steps = Steps(progress=bar, n_jobs=self.n_jobs) if steps is None else steps
            # 2. what tells the classes apart, which needs nothing else: a first answer
            of_classes = None
            if mined.classes is not None:
                of_classes = search_classes(mined, rules.class_sizes, steps)
                log.info("%s", of_classes)
            # 3. all structures of few nodes, here and in random graphs
            compared = compare_structures(mined, rules, steps, annotations)
            log.info("%s", compared)
            # 4. which neighbourhoods are more frequent than in random graphs
            filters = self._mine_filters(mined, seed, steps)
            if filters is not None and filters.filters_:
                found = [f"{each.name}: {each.instances}" for each in filters.filters_[:_NUM_TOLD]]
                more = ["…"] * (len(filters.filters_) > _NUM_TOLD)
                log.info(
                    "%d filters, with their instances: %s",
                    len(filters.filters_), "; ".join(found + more),
                )  # fmt: skip
            if FREQUENT in self.settings.sources:
                from gomkcn.mining.patterns.frequent_candidates import patterns_of_subgraphs

                proposed += patterns_of_subgraphs(mined, rules.sizes, steps)
            # 5. the few structures whose copies shorten the description of the graph most
            motif_set = find_motif_set(
                mined,
                self.sizes,
                seed,
                proposed,
                sources=self.settings.sources,
                exact_copies=self.exact_copies,
                is_collection=is_collection,
                steps=steps,
            )
            log.info("%s", summary(motif_set))
            if steps.is_late():
                rules = replace(rules, count_steps=min(rules.count_steps, late_steps(steps)))
            # 6. count the larger ones, and choose what is reported
            choice = choose_patterns(
                mined, compared, motif_set.motifs, proposed, rules, steps, of_classes
            )
            # 7. list the places of these, and give them their numbers
            located = locate_patterns(mined, choice.patterns, seed, steps)
            patterns = [replace(pattern, id=i) for i, pattern in enumerate(located)]
            # 8. which node stands where in them
            roles = table_of_roles(mined, patterns, seed, steps)
            # 9. what repeats and is larger than a motif
            blocks = blocks_beside(mined, rules, steps)
        number = len(patterns) + len(choice.others)
        log.info("%d structures were counted; %d are reported", number, len(patterns))
        # 10. only what ends whole leaves something behind
        self.graph_: CSRGraph | None = given
        self.patterns_, self.others_ = Patterns(patterns), list(choice.others)
        self.motif_set_ = motif_set.with_patterns(patterns)
        self.roles_ = roles
        self.blocks_ = blocks
        self.filters_ = filters
        self.relations_ = given.relations
        self.feature_names_in_ = np.array(given.feature_names, dtype=object)
        self.n_features_in_ = len(given.feature_names)
        self.random_state_ = seed
        self.is_partial_ = steps.is_partial
        self.notes_ = (*given.notes, *annotations.notes, *mined.categories.notes)
        self.warnings_ = choice.warnings
        self.null_models_ = choice.null_models
        self.random_graphs_ = choice.random_graphs
        self.graph_classes_ = classes_of(y, given)
        self.class_search_ = choice.class_search
        return self

    def _read(self, graph: Any, annotations: Annotations | None) -> tuple[CSRGraph, Annotations]:
        """The graph without weights, and the columns that are asked for."""
        if self.weight is None and self.within is None:
            return as_unweighted(graph), NO_ANNOTATIONS
        if annotations is not None:
            return replace(as_csr(graph), weights=None), annotations
        columns = () if self.weight is None else (self.weight,)
        given, attributes, edges = with_attributes(graph, columns)
        return given, Annotations.of(given, attributes, edges, self.weight, self.within)

    def _mine_filters(self, mined: MinedGraph, seed: int, steps: Steps) -> FilterMiner | None:
        """The fitted miner of filters; None where they are left out.

        They have the sizes of the patterns, where these are given and others are not.
        """
        filters = self.resolve_filters(seed)
        return None if filters is None else filters.fit_mined(mined, steps, self.sizes)

    def table(self, which: str = "structures") -> Table:
        """What was found, as a table: "structures", "motifs", "occurrences", "copies", and so on.

        The tables are those of :meth:`MiningRun.table`; in a run structures have names in words.

        Examples
        --------
        >>> import networkx as nx
        >>> rings = nx.disjoint_union_all([nx.cycle_graph(4)] * 8)
        >>> PatternMiner(null=None).fit(rings).table("motifs").columns()["copies"]
        [8]
        """
        self._check_fitted()
        tables = tables_of(
            [*self.patterns_, *self.others_], self.patterns_, self.motif_set_, roles=self.roles_
        )
        check_choice("which", which, tables)
        return tables[which]

    def plot(self) -> Any:
        """Draw the motifs, each with its copies and the bits that it saves.

        Returns
        -------
        matplotlib.figure.Figure
        """
        self._check_fitted()
        return self.motif_set_.plot()

    def transform(self, graph: Any) -> np.ndarray:
        """Return a row for each node where one graph was fitted, or for each graph of a list.

        What the rows hold is what ``values`` says;
        :func:`~gomkcn.mining.counting.pattern_counts.bag_of_patterns` and
        :meth:`MotifSet.transform` take another ``level``. Rows are in the order of the graphs, or
        of the nodes, whose names are ``as_csr(graph).original_ids(range(len(rows)))``.

        Parameters
        ----------
        graph : anything :func:`gomkcn.as_csr` takes
            A list of graphs, or one graph, with the features, by their names, and the relations of
            those that the miner was fitted on. A category that none of their nodes has may be
            missing.

        Returns
        -------
        numpy.ndarray
            float64 ``[G, motifs + 1]`` or int64 ``[V, 3]`` of copies; or float64 ``[G, patterns]``
            or ``[V, patterns]`` of occurrences or their logarithm.
        """
        self._check_fitted()
        csr = take_features(as_unweighted(graph), tuple(self.feature_names_in_))
        csr = with_relations(csr, self.relations_)
        if self.values == COPIES:
            return self.motif_set_.transform(csr, self._level)
        max_steps = steps_in(_PATIENCE * (self.count_seconds or COUNT_SECONDS))
        bag = bag_of_patterns(
            self.patterns_,
            csr,
            level=self._level,
            max_steps=max_steps,
            seed=self.random_state_,
            n_jobs=self.n_jobs,
        )
        return np.log1p(bag) if self.values == LOG else bag

    def get_feature_names_out(self, input_features: object = None) -> np.ndarray:
        """Return the columns' names: of motifs, or number and name of each pattern."""
        self._check_fitted()
        if self.values == COPIES:
            return self.motif_set_.get_feature_names_out(level=self._level)
        return np.array(
            [f"{pattern.id}: {pattern.name}" for pattern in self.patterns_], dtype=object
        )

    def save(self, path: str | Path) -> None:
        """Write the fitted miner to a file, of arrays and JSON, in which nothing can run code.

        The graph is not in it: keep the :class:`gomkcn.MiningRun` for its page. ``table().save``
        writes a table, and ``plot().savefig`` a picture.

        Raises
        ------
        InputError
            For a miner that is not fitted, a null model that has no name, or a file that cannot be
            written.

        Examples
        --------
        >>> import networkx as nx
        >>> rings = nx.disjoint_union_all([nx.cycle_graph(4)] * 8)
        >>> PatternMiner(null=None, filters="none").fit(rings).save("rings.miner")
        >>> PatternMiner.load("rings.miner").transform(nx.cycle_graph(4)).tolist()
        [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
        """
        if not hasattr(self, "patterns_"):
            raise InputError("the miner must be fitted before it is saved; call fit first.")
        save_value(
            path,
            StoredMiner(
                params=self._stored_params(),
                seed=self.random_state_,
                filters=self.filters if isinstance(self.filters, str) else None,
                fitted_filters=None if self.filters_ is None else self.filters_.to_bytes(),
                patterns=StoredPatterns.of(self.patterns_),
                others=StoredPatterns.of(self.others_),
                motif_set=self.motif_set_.stored,
                roles=None if self.roles_ is None else self.roles_.columns(),
                relations=self.relations_,
                feature_names=tuple(self.feature_names_in_.tolist()),
                is_partial=self.is_partial_,
                notes=self.notes_,
                warnings=self.warnings_,
                null_models=dict(self.null_models_),
                random_graphs=dict(self.random_graphs_),
                classes=self.graph_classes_,
                class_search=self.class_search_,
                blocks=self.blocks_,
            ),
        )

    def _stored_params(self) -> StoredParams:
        """The parameters as a plain value."""
        settings = self.settings
        if unnamed := [null for null in settings.nulls if not isinstance(null, str)]:
            raise InputError(
                "null",
                "must be names of null models, where the miner is saved",
                got=repr(unnamed[0]),
                way_out="save the motif set alone",
            )
        known = {field.name: getattr(self, field.name) for field in fields(StoredParams)}
        lists = {
            name: tuple(value) for name, value in known.items() if isinstance(value, list | range)
        }
        return StoredParams(**{**known, **lists, "given": settings.given})

    @classmethod
    def load(cls, path: str | Path) -> PatternMiner:
        """Read a miner that :meth:`save` wrote; its ``graph_`` is None.

        Raises
        ------
        InputError
            For a file that cannot be read, or is no such miner.
        """
        with saved_value(path, StoredMiner, "PatternMiner.save") as stored:
            return cls._of_stored(stored)

    @classmethod
    def _of_stored(cls, stored: StoredMiner) -> PatternMiner:
        data = stored.fitted_filters
        filters = None if data is None else FilterMiner.of_bytes(data)
        given = stored.filters or (filters and filters.unfitted())
        if given is None:
            raise ValueError("the miner of filters is missing")
        params = {field.name: getattr(stored.params, field.name) for field in fields(StoredParams)}
        miner = cls(**params, filters=given, random_state=stored.seed)
        miner.check()
        motif_set = MotifSet.of_stored(stored.motif_set)
        part_of = {pattern.key: pattern.motif for pattern in motif_set}
        miner.graph_ = None
        miner.patterns_ = Patterns(stored.patterns.read(part_of))
        miner.others_ = stored.others.read({})
        # a motif is one record, in the set and among the patterns
        miner.motif_set_ = motif_set.with_patterns(miner.patterns_)
        miner.roles_ = None if stored.roles is None else Table(stored.roles)
        miner.filters_ = filters
        miner.relations_ = stored.relations
        miner.feature_names_in_ = np.array(stored.feature_names, dtype=object)
        miner.n_features_in_ = len(stored.feature_names)
        miner.random_state_ = stored.seed
        miner.is_partial_ = stored.is_partial
        miner.notes_ = stored.notes
        miner.warnings_ = stored.warnings
        miner.null_models_ = stored.null_models
        miner.random_graphs_ = stored.random_graphs
        miner.graph_classes_ = stored.classes
        miner.class_search_ = stored.class_search
        miner.blocks_ = stored.blocks
        return miner

    @property
    def _level(self) -> str:
        """What a row stands for: a graph of a collection, or a node."""
        return "graph" if self.motif_set_.num_graphs > 1 else "node"
