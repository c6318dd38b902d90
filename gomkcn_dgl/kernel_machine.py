"""Whole graphs → kernel values → classes, for and by support vector machines of scikit-learn."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cache, partial
from itertools import combinations, product
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_expit, logsumexp, softmax
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted

from gomkcn_dgl._sklearn import BaseEstimator, ClassifierMixin, Tags, TransformerMixin
from gomkcn_dgl._torch import Tensor, usual_torch
from gomkcn_dgl.bounds import MOST_WIDE, SEEDS_OF_SKLEARN
from gomkcn_dgl.checks import (
    RandomState,
    as_seed,
    check_finite,
    check_float,
    check_int,
    to_numpy,
)
from gomkcn_dgl.class_weights import read_class_weight, weights_of_classes
from gomkcn_dgl.csr import CONSTANT_FEATURE, CSRGraph
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.gram import gomk_gram
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graph_content import NOT_USED
from gomkcn_dgl.io.features import take_features
from gomkcn_dgl.io.graph_classes import class_codes, is_missing
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.occlusion import GraphExplanation, explain_graph
from gomkcn_dgl.pattern_bags import PatternCodebook, match_bags
from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.runtime.steps import Steps

log = logging.getLogger("gomkcn_dgl")

# seconds to match two graphs, over the product of their numbers of nodes (a fit to graphs of 13 to
# 128 nodes), and seconds of matching above which a classifier compares patterns
_SECONDS_OF_PAIR = 3e-8
_NUM_PATTERNS = 64
# of a larger graph so many nodes are matched
_MOST_NODES = 128

# prepared graphs, or their bags of patterns, int32 [G, P]
Comparable = CSRGraph | np.ndarray


@dataclass(frozen=True, eq=False)
class NodePreparation:
    """What makes features of nodes comparable: the columns that vary, their mean and deviation.

    Columns of 0 and 1 have mean 0 and deviation 1. ``names`` are those of all features, and a
    column behind these is that of the degrees.
    """

    columns: np.ndarray
    offset: np.ndarray
    spread: np.ndarray
    names: tuple[str, ...]

    @classmethod
    def fit(cls, graph: CSRGraph) -> NodePreparation:
        features = _with_degrees(graph)
        varies = np.ptp(features, axis=0) > 0
        # of constant features one is kept, so that there is one
        columns = np.flatnonzero(varies) if varies.any() else np.array([0])
        features = features[:, columns]
        return cls(columns, *scale_of(features), graph.feature_names)

    def apply(self, graph: CSRGraph) -> CSRGraph:
        graph = take_features(graph, self.names)
        features = (_with_degrees(graph)[:, self.columns] - self.offset) / self.spread
        names = (*graph.feature_names, "degree")
        return replace(
            graph,
            features=features.astype(np.float32),
            feature_names=tuple(names[column] for column in self.columns),
        )


def scale_of(features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and deviation of columns, float64 ``[D]``; 0 and 1 of those that hold 0 and 1 alone."""
    is_binary = ((features == 0) | (features == 1)).all(axis=0)
    offset = np.where(is_binary, 0.0, features.mean(axis=0, dtype=np.float64))
    spread = np.where(is_binary, 1.0, features.std(axis=0, dtype=np.float64))
    return offset, np.where(spread > 0, spread, 1.0)


def _with_degrees(graph: CSRGraph) -> np.ndarray:
    """Features and log(1 + degree), ``[V, D + 1]``."""
    return np.column_stack([graph.features, np.log1p(graph.degrees)])


def _read(graphs: Any) -> CSRGraph:
    """Graphs to learn from; attributes that are not used and could be are named."""
    graph = as_csr(graphs)
    # of CSRGraphs, somebody chose the features
    is_list = isinstance(graphs, list | tuple)
    is_read = isinstance(graphs[0] if is_list else graphs, CSRGraph)
    unused = [] if is_read else [note for note in graph.notes if note.startswith(NOT_USED)]
    advice = []
    if graph.feature_names == (CONSTANT_FEATURE,) and any("node attr" in note for note in unused):
        advice.append("as_csr(graphs, features=NAME) makes features of an attribute of nodes")
    is_plain = graph.weights is None and graph.relations.names == (PLAIN,)
    if is_plain and any("edge attr" in note for note in unused):
        advice.append(
            "as_csr(graphs, weight=NAME) weights of one of edges, or relation=NAME their types"
        )
    if advice:
        _warn_once(f"{'; '.join(unused)}; {', '.join(advice)}")
    return graph


def _read_classes(y: Any) -> np.ndarray:
    """Classes as an array of one type, in which 1 and 1.0 are the same; none may be missing."""
    labels = class_codes("y", y)
    if labels.dtype == object and labels.ndim == 1:
        missing = [at for at, label in enumerate(labels) if is_missing(label)]
        if missing:
            raise InputError(
                "y",
                "must have a class for each graph",
                got=f"{labels[missing[0]]} for graph {missing[0]} ({len(missing)} in all)",
                way_out="leave such graphs out",
            )
        labels = to_numpy(labels.tolist())
    if labels.dtype.kind not in "biufU":
        raise InputTypeError("y", "must be names or integers, one of each", got=labels.dtype)
    return labels


def _read_weights(given: Any, num_graphs: int) -> np.ndarray:
    """What each graph weighs, float64 ``[G]``, 1 where nothing is given."""
    if given is None:
        return np.ones(num_graphs)
    weights = to_numpy(given)
    if weights.dtype.kind not in "biuf":
        raise InputTypeError("sample_weight", "must be numbers", got=weights.dtype)
    weights = weights.astype(np.float64)
    check_finite("sample_weight", weights)
    if weights.shape != (num_graphs,):
        raise InputError(
            "sample_weight",
            f"must have a number for each of the {num_graphs} graphs",
            got=f"shape {weights.shape}",
        )
    if (weights < 0).any():
        raise InputError("sample_weight", "must be at least 0", got=f"{weights.min():g}")
    return weights


@cache
def _warn_once(text: str) -> None:
    """Say something in the log that each fold of a cross-validation would say again."""
    log.warning("%s", text)


class _OfGraphs(BaseEstimator):
    """An estimator of scikit-learn whose samples are graphs, which it has no tag for."""

    def __sklearn_tags__(self) -> Tags:
        """No array can be passed, so that scikit-learn's checks of estimators pass none."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.no_validation = True
        return tags


@dataclass(eq=False, repr=False)
class GOMKGram(TransformerMixin, _OfGraphs):
    """Graphs → their kernel values with the training graphs, for ``SVC(kernel="precomputed")``.

    Parameters
    ----------
    num_levels : int
        The paper's t: levels of neighbours that are compared.
    tau : float or sequence of float
        Width of the RBF between level embeddings: one for all levels, or one for each of the
        ``num_levels + 1``. A list is no choice here, as it is in :class:`GOMKClassifier`.
    aggregation : str
        As in :class:`GOMKKernel`.
    gamma : float or None
        ``exp(gamma (K - 1))`` in place of the normalised kernel K.
    most_nodes : int or None
        Of a larger graph so many nodes stand for it, see :func:`gomkcn_dgl.gram.gomk_gram`; None:
        all.
    num_patterns : int
        For large graphs, or many: nodes match where they have the same of so many patterns, at each
        depth up to ``num_levels``, which are learnt by clustering the level embeddings of the
        training graphs. All nodes count, whatever ``tau`` and ``most_nodes`` are, and the cost
        grows with their number. 0: nodes are matched one by one.
    random_state : int, RandomState, Generator or None
        Seed of the patterns. None, or a generator of NumPy: one is drawn, which ``random_state_``
        keeps.

    Notes
    -----
    log(1 + degree) is a feature of a node beside the others. Columns of features other than 0 and 1
    are scaled to mean 0 and variance 1 over the nodes of the training graphs, and columns that are
    constant there are left out. The kernel is not positive
    semi-definite in general; ``SVC`` takes it as it is.

    Examples
    --------
    >>> import networkx as nx
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import SVC
    >>> graphs = [nx.cycle_graph(5), nx.complete_graph(5), nx.cycle_graph(6), nx.complete_graph(6)]
    >>> machine = make_pipeline(GOMKGram(2), SVC(kernel="precomputed")).fit(graphs, [0, 1, 0, 1])
    >>> machine.predict([nx.cycle_graph(7), nx.complete_graph(4)]).tolist()
    [0, 1]
    """

    num_levels: int = 3
    tau: float | Sequence[float] = 1.0
    _: KW_ONLY
    aggregation: str = "mean"
    gamma: float | None = None
    most_nodes: int | None = _MOST_NODES
    num_patterns: int = 0
    random_state: RandomState = 0

    @usual_torch()
    def fit(self, graphs: Any, y: Any = None, sample_weight: None = None) -> GOMKGram:
        """Keep the training graphs; ``sample_weight`` is refused, as no kernel has weights."""
        if sample_weight is not None:
            raise InputError(
                "sample_weight",
                "must not be given, since the kernel of two graphs does not depend on weights",
                way_out="give it to the classifier behind this step, as in "
                "pipeline.fit(graphs, y, svc__sample_weight=weights)",
            )
        if self.gamma is not None:
            check_float("gamma", self.gamma, 0, open_minimum=True)
        check_int("num_patterns", self.num_patterns, 0, MOST_WIDE)
        if self.most_nodes is not None:
            check_int("most_nodes", self.most_nodes, 1, MOST_WIDE)
        # refuses what it cannot take, before any work
        _ = self._kernel
        seed = as_seed("random_state", self.random_state)
        graph = _read(graphs)
        self.random_state_ = seed
        self.preparation_ = NodePreparation.fit(graph)
        self.n_features_in_ = graph.features.shape[1]
        prepared = self.preparation_.apply(graph)
        self.relations_ = prepared.relations
        self.known_: Comparable = prepared
        if self.num_patterns:
            levels = self._levels(prepared)
            self.codebook_ = PatternCodebook.fit(levels, self.num_patterns, self.random_state_)
            self.known_ = self.codebook_.count(levels)
        return self

    @usual_torch()
    def similarities(self, graphs: Any = None, steps: Steps | None = None) -> np.ndarray:
        """The normalised kernel K of graphs with the G training graphs, float64 ``[H, G]``.

        None: of the training graphs with each other; ``steps`` keeps blocks of the matrix.
        """
        check_is_fitted(self, "known_")
        rows = self.known_ if graphs is None else self._prepare(graphs)
        if isinstance(rows, np.ndarray) and isinstance(self.known_, np.ndarray):
            return match_bags(rows, self.known_, self.num_levels + 1)
        return gomk_gram(
            rows,
            None if graphs is None else self.known_,
            kernel=self._kernel,
            most_nodes=self.most_nodes,
            dtype="float32",
            steps=steps,
        )

    def fit_transform(self, graphs: Any, y: Any = None, sample_weight: None = None) -> np.ndarray:
        """Kernel values of the training graphs, float64 ``[G, G]``."""
        return self.fit(graphs, y, sample_weight).values()

    def transform(self, graphs: Any) -> np.ndarray:
        """Kernel values of graphs with the G training graphs, float64 ``[H, G]``.

        ``graphs`` have the features of these, by their names, and the relations. A category that
        none of their nodes has may be missing.
        """
        return self.values(graphs)

    def values(self, graphs: Any = None) -> np.ndarray:
        """What :meth:`transform` returns, as an array whatever ``set_output`` says."""
        return _sharpen(self.similarities(graphs), self.gamma)

    def get_feature_names_out(self, input_features: object = None) -> np.ndarray:
        """Names of the columns of :meth:`transform`: "graph0" and so on, of the training graphs."""
        check_is_fitted(self, "known_")
        return np.array([f"graph{number}" for number in range(self._num_known)], dtype=object)

    @property
    def _num_known(self) -> int:
        """The number of training graphs."""
        return self.known_.num_graphs if isinstance(self.known_, CSRGraph) else len(self.known_)

    def _prepare(self, graphs: Any) -> Comparable:
        # what is said of a graph does not depend on the graphs beside it
        prepared = self.preparation_.apply(as_csr(graphs)).with_relations(self.relations_)
        if not self.num_patterns:
            return prepared
        return self.codebook_.count(self._levels(prepared))

    def _levels(self, graph: CSRGraph) -> list[Tensor]:
        """The level embeddings of each graph, in terms of the relations of the training graphs."""
        return self._kernel.embed_graphs(graph, self.relations_, "float32")

    @property
    def _kernel(self) -> GOMKKernel:
        return GOMKKernel(self.num_levels, self.tau, self.aggregation, padding="mask")


def _sharpen(gram: np.ndarray, gamma: float | None) -> np.ndarray:
    """exp(gamma (K - 1)), or K itself."""
    return gram if gamma is None else np.exp(gamma * (gram - 1))


@dataclass(eq=False, repr=False)
class GOMKClassifier(ClassifierMixin, _OfGraphs):
    """A support vector machine over the kernel of whole graphs, which chooses its settings itself.

    Each combination of settings is judged by cross-validation inside the training graphs; the best
    one, the first of equals, is fitted to all of them. Scaling and patterns, which see no class,
    are learnt from all training graphs once, also for the cross-validation.

    Parameters
    ----------
    num_levels, tau, aggregation, gamma, C : value or sequence
        The settings to choose from, or one that is not to be chosen: see :class:`GOMKGram`; ``C``
        is that of :class:`sklearn.svm.SVC`.
    num_folds : int
        Of the cross-validation.
    most_nodes : int or None
        As in :class:`GOMKGram`.
    num_patterns : int or "auto"
        As in :class:`GOMKGram`. ``"auto"``: 64 where matching nodes one by one would take more than
        about ten minutes.
    class_weight : dict, "balanced" or None
        What a graph of each class weighs, as in :class:`sklearn.svm.SVC`; a class that a dict does
        not name has 1. ``"balanced"``: all classes weigh alike, by their numbers of graphs.
    random_state : int, RandomState, Generator or None
        Seed of the folds and the patterns, as in :class:`GOMKGram`.

    Attributes
    ----------
    classes_ : numpy.ndarray
        The classes.
    best_params_ : dict
        The settings that were chosen.
    best_score_ : float
        Their mean accuracy over the folds: that of the best of many settings, on the graphs that
        chose them, so higher than on new graphs. ``cross_val_score(GOMKClassifier(), graphs, y)``
        chooses inside each fold, and has no such advantage.
    num_patterns_ : int
        How many patterns are compared; 0: nodes are matched one by one.
    cv_results_ : dict
        ``params``, ``mean_test_score`` and ``std_test_score`` of all settings, as of
        ``GridSearchCV``.
    training_values_ : numpy.ndarray
        What the machine learnt from: kernel values ``[G, G]``.
    temperatures_ : numpy.ndarray
        float64 ``[C, C]``, symmetric: by which the decisions between two classes are divided to
        make probabilities of them.

    Notes
    -----
    There is a machine for each pair of classes. Its decision d(i, j), divided by the temperature of
    the pair, is the logarithm of the odds of i for a graph that is of one of both, and
    p(i) = 1 / sum_j exp(-d(i, j) / temperature(i, j)), divided by the sum over i, puts the pairs
    together (Price, Knerr, Personnaz and Dreyfus, NeurIPS 1994). A temperature is fitted to graphs
    that a machine has not seen, those of the cross-validation with the chosen settings: it gives
    their classes the highest likelihood, with Platt's prior counts. The most probable class is the
    one that is predicted. It is mostly, and of two classes always, the one that wins most pairs,
    which ``SVC`` predicts and the cross-validation counts. A probability is one among the classes
    that were learnt: a graph that is of none of them may have a high one, too.

    For G graphs of N nodes, a Gram matrix takes G² / 2 matchings of about N³ at worst: of the 600
    graphs of ENZYMES, of 33 nodes on average, 5 seconds on two cores. Nine are made by default.
    Patterns take G N for the counts and G² for the matrix: seconds for the 2000 graphs of
    REDDIT-BINARY, of 430 nodes.

    Examples
    --------
    >>> import networkx as nx
    >>> graphs = [nx.cycle_graph(n) for n in range(4, 12)]
    >>> graphs += [nx.complete_graph(n) for n in range(4, 12)]
    >>> model = GOMKClassifier(num_levels=2, tau=(0.3, 1.0)).fit(graphs, [0] * 8 + [1] * 8)
    >>> model.predict([nx.cycle_graph(13), nx.complete_graph(13)]).tolist()
    [0, 1]
    >>> model.predict_proba([nx.cycle_graph(13)]).argmax(axis=1).tolist()
    [0]
    """

    num_levels: int | Sequence[int] = (1, 2, 3)
    tau: float | Sequence[float] = (0.1, 0.3, 1.0)
    _: KW_ONLY
    aggregation: str | Sequence[str] = ("mean",)
    gamma: float | Sequence[float | None] | None = (None, 1.0, 3.0, 10.0)
    C: float | Sequence[float] = (0.1, 1.0, 10.0, 100.0, 1000.0)
    num_folds: int = 5
    most_nodes: int | None = _MOST_NODES
    num_patterns: int | str = "auto"
    class_weight: Mapping[Any, float] | str | None = None
    random_state: RandomState = 0

    def fit(
        self, graphs: Any, y: Any, sample_weight: Any = None, *, steps: Steps | None = None
    ) -> GOMKClassifier:
        """Choose the settings and fit the machine.

        Parameters
        ----------
        graphs : list of graphs, or a collection that :func:`as_csr` takes
        y : sequence
            The class of each graph, text or numbers.
        sample_weight : sequence, optional
            What each graph weighs, ``[G]``, at least 0, where others weigh 1: in the machine, in
            the accuracy that chooses the settings, and in the probabilities. A graph of weight 0 is
            left out. ``class_weight`` multiplies it, but not in the accuracy.
        steps : Steps, optional
            Keeps blocks of the Gram matrices, and the scores of each kernel, so that a job resumes,
            and shares the blocks among workers. Once its time is over no more matrices are begun,
            and the best settings so far are taken.

        Raises
        ------
        InputError
            For another number of classes or weights than of graphs, fewer than two classes, a class
            with fewer graphs than folds, or weights that are negative or not finite.
        """
        self._check_settings()
        seed = as_seed("random_state", self.random_state)
        labels = _read_classes(y)
        graph = _read(graphs)
        weights = _read_weights(sample_weight, graph.num_graphs)
        self._check_labels(graph, labels)
        if not weights.all():
            counted = weights > 0
            graph, labels, weights = as_csr(graph[counted]), labels[counted], weights[counted]
        self._check_classes(labels)
        weighed = weights * self.weights_of(labels)
        of_folds = seed % SEEDS_OF_SKLEARN
        kfold = StratifiedKFold(self.num_folds, shuffle=True, random_state=of_folds)
        folds = list(kfold.split(np.zeros(len(labels)), labels))
        kernels = self._kernels_to_try(graph)
        machines = list(product(_choices(self.gamma), _choices(self.C)))
        steps = Steps() if steps is None else steps
        found: list[tuple[dict[str, Any], np.ndarray]] = []
        best_score, best, kept = -1.0, kernels[0], None
        for number, kernel in enumerate(kernels, 1):
            if found and steps.is_late():
                break
            maker = self.make_kernel(seed, **kernel).fit(graph)
            gram = maker.similarities(steps=steps)
            judge = partial(judge_kernel, gram, labels, folds, weights, weighed)
            judged = steps.each(
                f"cross-validation {kernel}",
                np.ndarray,
                judge,
                machines,
                lambda machine: str(machine).encode(),
            )
            for (gamma, C), scores in zip(machines, judged, strict=True):
                found.append(({**kernel, "gamma": gamma, "C": C}, scores))
                if scores.mean() > best_score:
                    best_score, best, kept = scores.mean(), found[-1][0], (maker, gram)
            log.info(
                "kernel %d of %d: best accuracy in cross-validation so far %.1f%%",
                number, len(kernels), 100 * best_score,
            )  # fmt: skip
        assert kept is not None
        self.cv_results_ = {
            "params": [params for params, _ in found],
            "mean_test_score": np.array([scores.mean() for _, scores in found]),
            "std_test_score": np.array([scores.std() for _, scores in found]),
        }
        self.best_score_ = float(best_score)
        maker, gram = kept
        values = _sharpen(gram, best["gamma"])
        unseen = cross_val_predict(
            _machine(best["C"]),
            values,
            labels,
            cv=folds,
            method="decision_function",
            params={"sample_weight": weighed},
        )
        self.random_state_ = seed
        names, classes = np.unique(labels, return_inverse=True)
        temperatures = _temperatures(_decisions_of_pairs(unseen, len(names)), classes, weighed)
        return self.fit_machine(maker, values, best, temperatures, labels, weighed)

    def fit_machine(
        self,
        kernel: GOMKGram,
        values: np.ndarray,
        params: dict[str, Any],
        temperatures: np.ndarray,
        labels: np.ndarray,
        weights: np.ndarray | None = None,
    ) -> GOMKClassifier:
        """Fit the machine to what a kernel has made of the training graphs, with these settings."""
        kernel.gamma = params["gamma"]
        self.temperatures_ = temperatures
        self.num_patterns_ = kernel.num_patterns
        self.kernel_, self.training_values_, self.best_params_ = kernel, values, params
        self.machine_ = _machine(params["C"]).fit(values, labels, weights)
        self.classes_ = self.machine_.classes_
        self.n_features_in_ = kernel.n_features_in_
        return self

    def _kernels_to_try(self, graph: CSRGraph) -> list[dict[str, Any]]:
        """The settings of each kernel that is tried: all combinations of what was given."""
        num_patterns = self.resolve_patterns(graph)
        if not num_patterns:
            matched: list[dict[str, Any]] = [{"tau": tau} for tau in _choices(self.tau)]
        else:
            matched = [{"num_patterns": num_patterns}]
        return [
            {"num_levels": num_levels, **options, "aggregation": aggregation}
            for num_levels, options, aggregation in product(
                _choices(self.num_levels), matched, _choices(self.aggregation)
            )
        ]

    def make_kernel(self, seed: int, **options: Any) -> GOMKGram:
        return GOMKGram(most_nodes=self.most_nodes, random_state=seed, **options)

    def resolve_patterns(self, graph: CSRGraph, most_seconds: float = 600) -> int:
        """How many patterns are compared for these training graphs; 0: nodes are matched.

        With ``"auto"``, nodes are matched where that takes at most so many seconds.
        """
        if self.num_patterns != "auto":
            return check_int("num_patterns", self.num_patterns, 0, MOST_WIDE)
        sizes = np.diff(graph.graph_ptr).astype(np.float64)
        if self.most_nodes is not None:
            sizes = np.minimum(sizes, self.most_nodes)
        pairs = graph.num_graphs**2 / 2
        choices = (self.num_levels, self.tau, self.aggregation)
        num_kernels = math.prod(len(_choices(values)) for values in choices)
        seconds = _SECONDS_OF_PAIR * pairs * sizes.mean() ** 2 * num_kernels
        if seconds <= most_seconds:
            return 0
        log.info(
            "matching may take %.0f minutes; nodes match if they have the same of %d patterns, "
            "whatever tau and most_nodes are",
            seconds / 60, _NUM_PATTERNS,
        )  # fmt: skip
        return _NUM_PATTERNS

    def _check_settings(self) -> None:
        check_int("num_folds", self.num_folds, 2, 1000)
        if self.most_nodes is not None:
            check_int("most_nodes", self.most_nodes, 1, MOST_WIDE)
        for name in ("num_levels", "tau", "aggregation", "gamma", "C"):
            if not len(_choices(getattr(self, name))):
                raise InputError(name, "must be a value, or some to choose from", got="none")
        for settings in product(*map(_choices, (self.num_levels, self.tau, self.aggregation))):
            GOMKKernel(*settings)
        for gamma in _choices(self.gamma):
            if gamma is not None:
                check_float("gamma", gamma, 0, open_minimum=True)
        for C in _choices(self.C):
            check_float("C", C, 0, open_minimum=True)
        read_class_weight("class_weight", self.class_weight)

    def weights_of(self, labels: np.ndarray) -> np.ndarray:
        """What each graph weighs by its class, float64 ``[G]``."""
        class_weight = read_class_weight("class_weight", self.class_weight)
        names, classes, counts = np.unique(labels, return_inverse=True, return_counts=True)
        return weights_of_classes(class_weight, names.tolist(), counts)[classes]

    def _check_labels(self, graph: CSRGraph, labels: np.ndarray) -> None:
        if labels.shape != (graph.num_graphs,):
            raise InputError(
                "y",
                f"must have a class for each of the {graph.num_graphs} graphs",
                got=f"shape {labels.shape}",
            )
        is_real = np.zeros(labels.shape, bool)
        if labels.dtype.kind == "f":
            is_real = ~np.isfinite(labels) | (labels != np.round(labels))
        if is_real.any():
            number = labels[is_real][0]
            raise InputError(
                "y",
                "must hold classes, text or whole numbers",
                got=f"{number:g}",
                way_out="make classes of numbers first, such as y > numpy.median(y)",
            )

    def _check_classes(self, labels: np.ndarray) -> None:
        names, counts = np.unique(labels, return_counts=True)
        if len(names) < 2:
            raise InputError("y", "must have at least two classes", got=len(names))
        if counts.min() < self.num_folds:
            raise InputError(
                "num_folds",
                (
                    f"must be at most the number of graphs of a class, {counts.min()} of "
                    f"{names.tolist()[counts.argmin()]!r}"
                ),
                got=self.num_folds,
            )

    def decision_function(self, graphs: Any) -> np.ndarray:
        """Distance to the hyperplane of two classes ``[G]``; else a score of each ``[G, C]``.

        The scores are logarithms of the probabilities, but for a number that all classes share.
        """
        check_is_fitted(self, "machine_")
        values = self.kernel_.values(graphs)
        if len(self.classes_) == 2:
            return np.asarray(self.machine_.decision_function(values))
        return self._scores(values)

    def predict_proba(self, graphs: Any) -> np.ndarray:
        """The calibrated probability of each class of ``classes_``, float64 ``[G, C]``."""
        check_is_fitted(self, "machine_")
        return np.asarray(softmax(self._scores(self.kernel_.values(graphs)), axis=1))

    def predict(self, graphs: Any) -> np.ndarray:
        """The class of each graph, the most probable one."""
        check_is_fitted(self, "machine_")
        return self.predict_values(self.kernel_.values(graphs))

    def explain(self, graph: Any, label: Any = None) -> GraphExplanation:
        """How much each node and each edge of a graph speaks for its class.

        Parameters
        ----------
        graph : graph
            One that :func:`as_csr` takes.
        label : optional
            The class that is explained; by default the one that is predicted.

        Returns
        -------
        GraphExplanation
            ``node_scores`` float64 ``[V]`` and ``edge_scores`` float64 ``[E]``, in the order of the
            nodes and edges as they were given: by how much log p / (1 - p) falls without each.

        Raises
        ------
        InputError
            For several graphs, or a label that is none of ``classes_``.

        Examples
        --------
        >>> import networkx as nx
        >>> trees = [nx.path_graph(n) for n in range(4, 12)]
        >>> rings = [nx.cycle_graph(n) for n in range(4, 12)]
        >>> model = GOMKClassifier(2, 0.3).fit(trees + rings, ["tree"] * 8 + ["ring"] * 8)
        >>> graph = nx.lollipop_graph(4, 3)
        >>> graph.remove_edges_from([(0, 2), (1, 3)])
        >>> found = model.explain(graph, "ring")
        >>> found.node_scores.shape, found.edge_scores.shape, list(graph.edges)[0]
        ((7,), (7,), (0, 1))
        """
        check_is_fitted(self, "machine_")
        names = self.classes_.tolist()
        if label is not None and label not in names:
            raise InputError("label", f"must be one of {names}", got=repr(label))
        index = None if label is None else names.index(label)

        def decide(graphs: CSRGraph) -> np.ndarray:
            return self._scores(self.kernel_.values(graphs))

        return explain_graph(decide, graph, as_csr(graph), index)

    def predict_values(self, values: np.ndarray) -> np.ndarray:
        """The class of each graph with these kernel values, ``[G, training graphs]``."""
        return np.asarray(self.classes_[self._scores(values).argmax(axis=1)])

    def _scores(self, values: np.ndarray) -> np.ndarray:
        """Logarithms of p(i) before they are divided by their sum, see the notes: ``[G, C]``."""
        decisions = self.machine_.decision_function(values)
        pairs = _decisions_of_pairs(decisions, len(self.classes_))
        return np.asarray(-logsumexp(-pairs / self.temperatures_, axis=2))


def _choices(values: Any) -> Sequence[Any]:
    """The values to choose from; one leaves no choice."""
    # numbers of Python, as best_params_ shows them
    values = values.tolist() if isinstance(values, np.ndarray) else values
    is_list = isinstance(values, Sequence) and not isinstance(values, str)
    return values if is_list else (values,)


def _decisions_of_pairs(decisions: np.ndarray, num_classes: int) -> np.ndarray:
    """Decisions of ``SVC`` for class i against class j, positive for i: float64 ``[G, C, C]``."""
    first, second = np.triu_indices(num_classes, 1)
    # of more than two classes a column for each pair; of two, positive is the second
    columns = -decisions[:, None] if num_classes == 2 else decisions
    pairs = np.zeros((len(decisions), num_classes, num_classes))
    pairs[:, first, second], pairs[:, second, first] = columns, -columns
    return pairs


def _temperatures(pairs: np.ndarray, classes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The temperature of each pair of the classes 0 … C - 1, from decisions ``[G, C, C]``."""
    num_classes = pairs.shape[1]
    temperatures = np.ones((num_classes, num_classes))
    for i, j in combinations(range(num_classes), 2):
        rows = np.isin(classes, (i, j))
        of_pair = _temperature(pairs[rows, i, j], classes[rows] == i, weights[rows])
        temperatures[i, j] = temperatures[j, i] = of_pair
    return temperatures


def _temperature(decisions: np.ndarray, is_first: np.ndarray, weights: np.ndarray) -> float:
    """The temperature at which decisions for the first of two classes make it most likely."""
    # as if each class had one more graph that is of each: decisions without errors would otherwise
    # ask for the temperature 0 (Platt 1999)
    first, second = weights[is_first].sum(), weights[~is_first].sum()
    targets = np.where(is_first, (first + 1) / (first + 2), 1 / (second + 2))

    def loss(log_temperature: float) -> float:
        odds = decisions / np.exp(log_temperature)
        likelihood = targets * log_expit(odds) + (1 - targets) * log_expit(-odds)
        return -float((weights * likelihood).sum())

    # decisions are of the order of 1, and further out probabilities do not change any more
    return float(np.exp(minimize_scalar(loss, bounds=(-7, 7), method="bounded").x))


def judge_kernel(
    gram: np.ndarray,
    labels: np.ndarray,
    folds: Sequence[tuple[np.ndarray, np.ndarray]],
    weights: np.ndarray,
    weighed: np.ndarray,
    machine: tuple[float | None, float],
) -> np.ndarray:
    """Score a machine of a kernel, given by gamma and C, in each fold: float64 ``[folds]``.

    Graphs weigh ``weighed [G]`` where it learns, and ``weights [G]`` in the score.
    """
    gamma, C = machine
    values = _sharpen(gram, gamma)
    scores = []
    for known, held in folds:
        fitted = _machine(C).fit(values[np.ix_(known, known)], labels[known], weighed[known])
        scores.append(fitted.score(values[np.ix_(held, known)], labels[held], weights[held]))
    return np.array(scores)


def _machine(C: float) -> SVC:
    return SVC(C=C, kernel="precomputed", decision_function_shape="ovo")
